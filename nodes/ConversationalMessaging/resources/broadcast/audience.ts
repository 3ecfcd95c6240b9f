import type { IDataObject } from 'n8n-workflow';
import type { ServiceResponse } from '../../api/response';
import { writeCsv } from '../../api/csv';
import { isBlank, withoutUndefined } from '../../parameters/values';
import type { Parameters } from '../../parameters/parameters';
import { addressKey, readWhatsAppId } from '../../parameters/phone';
import { csvFromBinary, csvText, type CsvFile } from '../csvUpload';
import type { OperationContext } from '../operation';
import { csvRows } from './csvRows';

/** What an input item contributes if all items make one broadcast. */
export interface AudienceInput {
	/** The item's index in the input, from 0. */
	itemIndex: number;
	numbers?: string[];
	/** Values that are not phone numbers; undefined for an empty one. */
	unusable?: unknown[];
	/** The item's fields, for the columns of a CSV. */
	row?: IDataObject;
}

/** Who receives a broadcast, and how to send that to the service. */
export interface Audience {
	input?: AudienceInput;
	/** @param inputs what the items contribute, or [] */
	send: (
		context: OperationContext,
		body: IDataObject,
		inputs: AudienceInput[],
	) => Promise<ServiceResponse>;
}

/**
 * @param components the same variables for all recipients
 * @throws NodeOperationError if there is no recipient
 */
export function audienceOf(parameters: Parameters, components: unknown[] | undefined): Audience {
	const common = { templateComponents: components };
	const { itemIndex } = parameters;
	switch (parameters.requiredOption('audience')) {
		case 'segment':
			return segment(parameters, common);
		case 'list':
			return { send: toList(common, enteredNumbers(parameters)) };
		case 'items': {
			const { numbers, unusable } = numbersIn(parameters.raw('recipient'));
			const isEmpty = numbers.length + unusable.length === 0;
			const input = { itemIndex, numbers, unusable: isEmpty ? [undefined] : unusable };
			return { input, send: toList(common, []) };
		}
		case 'csv':
			return file(parameters);
		default: {
			const row = parameters.context.getInputData()[itemIndex]?.json ?? {};
			return { input: { itemIndex, row }, send: itemsAsCsv(parameters) };
		}
	}
}

function segment(parameters: Parameters, common: IDataObject): Audience {
	const segmentId = parameters.requiredId('segmentId');
	return {
		send: async (context, body) =>
			await post(context, { ...body, ...common, audienceMode: 'segment', segmentId }),
	};
}

function toList(common: IDataObject, entered: string[]): Audience['send'] {
	return async (context, body, inputs) => {
		const all = [...entered, ...inputs.flatMap(({ numbers = [] }) => numbers)];
		// A number is one recipient, with or without a plus.
		const recipients = [...new Map(all.map((number) => [addressKey(number), number])).values()];
		return await post(context, { ...body, ...common, audienceMode: 'list', recipients });
	};
}

function file(parameters: Parameters): Audience {
	const field = parameters.required('binaryPropertyName');
	const read = csvFromBinary(parameters, field);
	return { send: async (context, body) => await upload(context, parameters, body, await read()) };
}

/** The fields of the items in the columns of the template's own CSV. */
function itemsAsCsv(parameters: Parameters): Audience['send'] {
	return async (context, body, inputs) => {
		const { templateName, templateLanguage } = body;
		const query = { templateName, templateLanguage };
		const example = await context.download('GET /broadcasts/csv-template', { query });
		const columns = await context.readCsvColumns(example);
		const { rows, refused } = csvRows(columns, inputs);
		if (refused) throw parameters.invalid(refused.message, refused.description);
		const text = writeCsv({ columns, rows });
		return await upload(context, parameters, body, csvText('audience.csv', text));
	};
}

/** The numbers that were entered in Phone Numbers. */
function enteredNumbers(parameters: Parameters): string[] {
	const { numbers, unusable, expected } = numbersIn(parameters.raw('recipients'));
	if (unusable.length > 0) throw parameters.refuse('recipients', expected, unusable[0]);
	if (numbers.length > 0) return numbers;
	throw parameters.invalid(
		`${parameters.label('recipients')} is empty`,
		'Enter a phone number with country code, or check the expression.',
	);
}

/** The phone numbers in a value: a list, one number, or text separated by commas or line breaks. */
function numbersIn(value: unknown) {
	const entries: unknown[] = Array.isArray(value)
		? value
		: typeof value === 'string'
			? value.split(/[,;\n]/)
			: [value];
	const numbers: string[] = [];
	const unusable: unknown[] = [];
	let expected = 'a phone number';
	for (const entry of entries) {
		// In a text, there may be nothing between two commas. In a list, every entry is a recipient.
		if (isBlank(entry) && !Array.isArray(value)) continue;
		const reading = readWhatsAppId(entry);
		if (reading.expected === undefined) numbers.push(reading.value);
		else {
			unusable.push(typeof entry === 'string' ? entry.trim() : entry);
			expected = reading.expected;
		}
	}
	return { numbers, unusable, expected };
}

async function post(context: OperationContext, body: IDataObject): Promise<ServiceResponse> {
	return await context.send('POST /broadcasts', { body: withoutUndefined(body) });
}

async function upload(
	context: OperationContext,
	parameters: Parameters,
	body: IDataObject,
	csv: CsvFile,
): Promise<ServiceResponse> {
	const partName = parameters.collection('options').text('partName') ?? 'file';
	const fields = asText({ ...body, audienceMode: 'csv' });
	return await context.upload('POST /broadcasts', { ...csv, partName, fields });
}

/** Form fields of a multipart body: text unchanged, everything else as JSON. */
function asText(body: IDataObject): Record<string, string> {
	const entries = Object.entries(withoutUndefined(body));
	const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
	return Object.fromEntries(entries.map(([name, value]) => [name, text(value)]));
}
