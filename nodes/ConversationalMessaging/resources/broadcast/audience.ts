import type { IDataObject } from 'n8n-workflow';
import type { Answer } from '../../api/answer';
import { writeCsv } from '../../api/csv';
import { compact } from '../../fields/parameters';
import type { Parameters } from '../../fields/parameters';
import { addressKey, readWhatsAppId } from '../../fields/phone';
import { csvFromBinary, csvText, type CsvFile } from '../csvFile';
import { isNothing } from '../../fields/values';
import type { Steps } from '../operation';

/** Who gets a broadcast, and how they are told to the service. */
export interface Audience {
	/** What this item brings, where all items make one broadcast together. */
	part?: unknown;
	/** @param parts what the items bring, or [] */
	send: (steps: Steps, body: IDataObject, parts: unknown[]) => Promise<Answer>;
}

/** @throws NodeOperationError when nobody is named */
export function audienceOf(parameters: Parameters, components: unknown[] | undefined): Audience {
	// The same variables for everybody; a CSV brings those of each row itself.
	const common = { templateComponents: components };
	switch (parameters.requiredOption('audience')) {
		case 'segment':
			return segment(parameters, common);
		case 'list':
			return { send: toList(common, numbers(parameters, 'recipients')) };
		case 'items':
			return { part: numbers(parameters, 'recipient'), send: toList(common, []) };
		case 'csv':
			return file(parameters);
		default:
			return itemsAsCsv(parameters);
	}
}

function segment(parameters: Parameters, common: IDataObject): Audience {
	const segmentId = parameters.requiredId('segmentId');
	return {
		send: async (steps, body) =>
			await post(steps, { ...body, ...common, audienceMode: 'segment', segmentId }),
	};
}

function toList(common: IDataObject, entered: string[]): Audience['send'] {
	return async (steps, body, parts) => {
		const all = [...entered, ...(parts.flat() as string[])];
		// One person is one recipient, with a plus or without.
		const recipients = [...new Map(all.map((number) => [addressKey(number), number])).values()];
		return await post(steps, { ...body, ...common, audienceMode: 'list', recipients });
	};
}

function file(parameters: Parameters): Audience {
	const field = parameters.required('binaryPropertyName');
	const read = csvFromBinary(parameters, field);
	return { send: async (steps, body) => await upload(steps, parameters, body, await read()) };
}

/** The fields of the items in the columns that the template's own CSV has. */
function itemsAsCsv(parameters: Parameters): Audience {
	return {
		part: parameters.context.getInputData()[parameters.itemIndex]?.json ?? {},
		async send(steps, body, parts) {
			const { templateName, templateLanguage } = body;
			const query = { templateName, templateLanguage };
			const example = await steps.download('GET /broadcasts/csv-template', { query });
			const columns = await steps.readCsvColumns(example);
			const rows = parts as IDataObject[];
			const lacking = columns.find((column) => rows.every((row) => row[column] === undefined));
			if (lacking !== undefined) {
				throw parameters.invalid(
					`No input item has a field ${lacking}`,
					`The template needs the fields ${columns.join(', ')}. Name them so in a node before.`,
				);
			}
			const text = writeCsv({ columns, rows: rows.map((row) => cellsOf(row, columns)) });
			return await upload(steps, parameters, body, csvText('audience.csv', text));
		},
	};
}

/** Numbers as they are entered: a list, or text with commas or line breaks between them. */
function numbers(parameters: Parameters, name: string): string[] {
	const value = parameters.raw(name);
	const entries: unknown[] = Array.isArray(value) ? value : String(value ?? '').split(/[,;\n]/);
	const filled = entries.filter((entry) => !isNothing(entry));
	if (filled.length === 0) {
		throw parameters.invalid(
			`${parameters.label(name)} is empty`,
			'Enter a number with its country code, or check the expression.',
		);
	}
	return filled.map((entry) => {
		const reading = readWhatsAppId(entry);
		if (reading.expected === undefined) return reading.value;
		throw parameters.refuse(name, reading.expected, entry);
	});
}

async function post(steps: Steps, body: IDataObject): Promise<Answer> {
	return await steps.send('POST /broadcasts', { body: compact(body) });
}

async function upload(
	steps: Steps,
	parameters: Parameters,
	body: IDataObject,
	csv: CsvFile,
): Promise<Answer> {
	const partName = parameters.collection('options').text('partName') ?? 'file';
	const fields = asText({ ...body, audienceMode: 'csv' });
	return await steps.upload('POST /broadcasts', { ...csv, partName, fields });
}

function cellsOf(row: IDataObject, columns: string[]): Record<string, string> {
	return Object.fromEntries(columns.map((column) => [column, String(row[column] ?? '')]));
}

/** Fields of a multipart body: text as it is, everything else as JSON. */
function asText(body: IDataObject): Record<string, string> {
	const entries = Object.entries(compact(body));
	const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
	return Object.fromEntries(entries.map(([name, value]) => [name, text(value)]));
}
