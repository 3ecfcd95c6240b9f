import type { IDataObject } from 'n8n-workflow';
import { writeCsv } from '../../api/csv';
import type { ServiceResponse } from '../../api/response';
import type { Parameters } from '../../parameters/parameters';
import { readWhatsAppId } from '../../parameters/phone';
import { isBlank, withoutUndefined } from '../../parameters/values';
import { csvFromBinary, csvText, type CsvFile } from '../csvUpload';
import type { OperationContext } from '../operationContext';
import type { AudienceInput } from './csvRows';
import { csvRows } from './csvRows';

/** Who receives a broadcast. */
export type Audience =
	| { kind: 'segment'; segmentId: string }
	| { kind: 'numbers'; numbers: string[] }
	| { kind: 'numbersOfItems'; input: AudienceInput }
	| { kind: 'csvFile'; read: () => Promise<CsvFile> }
	| { kind: 'csvOfItems'; input: AudienceInput };

/** @throws NodeOperationError if there is no recipient */
export function readAudience(parameters: Parameters): Audience {
	const { itemIndex } = parameters;
	switch (parameters.requiredOption('audience')) {
		case 'segment':
			return { kind: 'segment', segmentId: parameters.requiredId('segmentId') };
		case 'list':
			return { kind: 'numbers', numbers: enteredNumbers(parameters) };
		case 'items': {
			const { numbers, unusable } = numbersIn(parameters.raw('recipient'));
			const isEmpty = numbers.length + unusable.length === 0;
			const input = { itemIndex, numbers, unusable: isEmpty ? [undefined] : unusable };
			return { kind: 'numbersOfItems', input };
		}
		case 'csv': {
			const field = parameters.required('binaryPropertyName');
			return { kind: 'csvFile', read: csvFromBinary(parameters, field) };
		}
		default: {
			const row = parameters.context.getInputData()[itemIndex]?.json ?? {};
			return { kind: 'csvOfItems', input: { itemIndex, row } };
		}
	}
}

/**
 * Sends a broadcast to its audience.
 *
 * @param inputs what the items contribute, or []
 * @param partName the multipart part of a CSV
 */
export async function sendToAudience(
	context: OperationContext,
	audience: Audience,
	body: IDataObject,
	inputs: AudienceInput[],
	partName: string,
): Promise<ServiceResponse> {
	switch (audience.kind) {
		case 'segment': {
			const { segmentId } = audience;
			return await context.send({ body: { ...body, audienceMode: 'segment', segmentId } });
		}
		case 'numbers':
			return await sendToNumbers(context, body, audience.numbers);
		case 'numbersOfItems':
			return await sendToNumbers(
				context,
				body,
				inputs.flatMap(({ numbers = [] }) => numbers),
			);
		case 'csvFile':
			return await upload(context, body, await audience.read(), partName);
		case 'csvOfItems':
			return await upload(context, body, await itemsAsCsv(context, body, inputs), partName);
	}
}

async function sendToNumbers(
	context: OperationContext,
	body: IDataObject,
	numbers: string[],
): Promise<ServiceResponse> {
	const recipients = [...new Set(numbers)];
	return await context.send({ body: { ...body, audienceMode: 'list', recipients } });
}

/** The fields of the items in the columns of the template's own CSV. */
async function itemsAsCsv(
	context: OperationContext,
	{ templateName, templateLanguage }: IDataObject,
	inputs: AudienceInput[],
): Promise<CsvFile> {
	const example = await context.download({
		endpoint: 'GET /broadcasts/csv-template',
		query: { templateName, templateLanguage },
	});
	const columns = await context.readCsvHeader(example);
	const { rows, rejected } = csvRows(columns, inputs);
	if (rejected) throw context.invalid(rejected.message, rejected.description);
	return csvText('audience.csv', writeCsv({ columns, rows }));
}

async function upload(
	context: OperationContext,
	body: IDataObject,
	csv: CsvFile,
	partName: string,
): Promise<ServiceResponse> {
	return await context.upload({
		...csv,
		partName,
		fields: asText({ ...body, audienceMode: 'csv' }),
	});
}

/** Form fields of a multipart body: text unchanged, everything else as JSON. */
function asText(body: IDataObject): Record<string, string> {
	const entries = Object.entries(withoutUndefined(body));
	const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
	return Object.fromEntries(entries.map(([name, value]) => [name, text(value)]));
}

/** The numbers that were entered in Phone Numbers. */
function enteredNumbers(parameters: Parameters): string[] {
	const { numbers, unusable, expected } = numbersIn(parameters.raw('recipients'));
	if (unusable.length > 0) throw parameters.invalidValue('recipients', expected, unusable[0]);
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
