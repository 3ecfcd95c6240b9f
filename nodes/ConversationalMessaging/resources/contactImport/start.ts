import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isRecord, payloadOf } from '../../api/answer';
import { writeCsv } from '../../api/csv';
import { idOf } from '../../api/pages';
import type { Parameters } from '../../fields/parameters';
import { phone } from '../../fields/phone';
import { DEFAULT_WAIT_MS, maxWaitMs, waitFields } from '../../fields/wait';
import { csvFromBinary, csvText, type CsvFile } from '../csvFile';
import { follow } from '../follow';
import type { Operation, Output, Steps } from '../operation';

/** Statuses of a job that goes on; the others are undocumented (API document, section States). */
export const MOVING = ['QUEUED', 'PROCESSING'];

const fields: INodeProperties[] = [
	{
		displayName: 'Source',
		name: 'source',
		type: 'options',
		options: [
			{ name: 'CSV File', value: 'binary', description: 'A file in a binary field' },
			{ name: 'Input Items', value: 'items', description: 'All input items, as one import' },
		],
		default: 'binary',
		description: 'Where the contacts come from',
	},
	{
		displayName: 'Input Binary Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		displayOptions: { show: { source: ['binary'] } },
		description: 'Name of the binary field that holds the CSV file',
	},
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '={{ $json.name }}',
		displayOptions: { show: { source: ['items'] } },
		description: 'What goes into the column name',
	},
	{
		displayName: 'WhatsApp ID',
		name: 'waId',
		type: 'string',
		default: '={{ $json.waId }}',
		displayOptions: { show: { source: ['items'] } },
		description: 'What goes into the column waId: a phone number with country code',
	},
	{
		displayName: 'Instagram ID',
		name: 'igId',
		type: 'string',
		default: '={{ $json.igId }}',
		displayOptions: { show: { source: ['items'] } },
		description: 'What goes into the column igId',
	},
	{
		displayName: 'More Columns',
		name: 'columns',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Column',
		default: {},
		displayOptions: { show: { source: ['items'] } },
		options: [
			{
				displayName: 'Column',
				name: 'column',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						description: 'Name of the column, as the import template has it',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						description: 'What goes into it',
					},
				],
			},
		],
		description: 'Columns besides name, waId and igId',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			...waitFields,
			{
				displayName: 'Part Name',
				name: 'partName',
				type: 'string',
				default: 'file',
				description:
					'Name of the multipart part that the file is sent as. The service does not document it.',
			},
			{
				displayName: 'Return Failed Rows',
				name: 'returnFailedRows',
				type: 'boolean',
				default: true,
				description:
					'Whether to return the rows that could not be taken as items, once the job has ended, in the place of the job',
			},
		].sort((a, b) => a.displayName.localeCompare(b.displayName)) as INodeProperties[],
	},
];

/** The item as a row of the file. */
function rowOf(parameters: Parameters): Record<string, string> {
	const more = parameters.raw('columns');
	const columns = isRecord(more) && Array.isArray(more.column) ? more.column.filter(isRecord) : [];
	return Object.fromEntries([
		['name', parameters.text('name') ?? ''],
		['waId', phone(parameters.text('waId')) ?? ''],
		['igId', parameters.text('igId') ?? ''],
		...columns
			.map(({ name, value }) => [String(name ?? ''), String(value ?? '')])
			.filter(([name]) => name !== ''),
	]) as Record<string, string>;
}

export const start: Operation = {
	name: 'Start',
	value: 'start',
	action: 'Start contact import',
	description: 'Import contacts from a CSV file, or from all input items at once',
	endpoint: 'POST /contacts/import',
	otherEndpoints: ['GET /contacts/imports/{id}', 'GET /contacts/imports/{id}/errors'],
	fields,
	result: 'steps',
	prepare(parameters) {
		const options = parameters.group('options');
		const partName = options.text('partName') ?? 'file';
		const wait = maxWaitMs(options);
		const failedRows = options.flag('returnFailedRows') === true;
		const send = async (steps: Steps, file: CsvFile) =>
			await importFile(steps, file, {
				partName,
				wait: wait ?? (failedRows ? DEFAULT_WAIT_MS : undefined),
				failedRows,
			});

		if (parameters.text('source') === 'items') {
			const together = async (steps: Steps, parts: unknown[]) => {
				const rows = parts as Record<string, string>[];
				const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
				return await send(steps, csvText('contacts.csv', writeCsv({ columns, rows })));
			};
			return { key: partName, part: rowOf(parameters), together };
		}
		const field = parameters.required('binaryPropertyName', 'Input Binary Field');
		const file = csvFromBinary(parameters, field);
		return async (steps) => await send(steps, await file());
	},
};

interface ImportSettings {
	partName: string;
	/** How long to wait for the end, in milliseconds. */
	wait: number | undefined;
	failedRows: boolean;
}

async function importFile(
	steps: Steps,
	file: CsvFile,
	{ partName, wait, failedRows }: ImportSettings,
): Promise<Output[]> {
	const answer = await steps.upload('POST /contacts/import', { ...file, partName, fields: {} });
	const job = payloadOf(answer.json);
	const id = idOf(job);
	if (wait === undefined || id === undefined) return steps.output(answer);
	const known = job as IDataObject;
	const ended = await follow(steps, 'GET /contacts/imports/{id}', id, MOVING, wait, known);
	if (!failedRows) return [{ json: ended }];
	const report = await steps.download('GET /contacts/imports/{id}/errors', { path: { id } });
	return (await steps.readCsv(report)).map((json) => ({ json }));
}
