import type { INodeProperties, NodeApiError } from 'n8n-workflow';
import { isRecord } from '../../api/answer';
import { writeCsv } from '../../api/csv';
import type { Parameters } from '../../fields/parameters';
import { maxWaitMs, maxWaitMsOrDefault, waitFields } from '../../fields/wait';
import { csvFromBinary, csvText, type CsvFile } from '../csvFile';
import { followCreated, said, type BackgroundJob } from '../follow';
import type { Operation, Output, Steps } from '../operation';

/** An import as work in the background. */
export const IMPORT_JOB: BackgroundJob = {
	noun: 'import',
	endpoint: 'GET /contacts/imports/{id}',
	names: ['import', 'importJob', 'contactImport'],
};

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
					'Whether to wait for the import to end, and to return the rows that it rejected as items instead of the job',
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
		['waId', parameters.whatsAppId('waId') ?? ''],
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
		const options = parameters.collection('options');
		const partName = options.text('partName') ?? 'file';
		const failedRows = options.flag('returnFailedRows') === true;
		const wait = failedRows ? maxWaitMsOrDefault(options) : maxWaitMs(options);
		const send = async (steps: Steps, file: CsvFile) =>
			await importFile(steps, file, {
				partName,
				wait,
				failedRows,
			});

		if (parameters.requiredOption('source') === 'items') {
			const together = async (steps: Steps, parts: unknown[]) => {
				const rows = parts as Record<string, string>[];
				const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
				return await send(steps, csvText('contacts.csv', writeCsv({ columns, rows })));
			};
			return { key: partName, part: rowOf(parameters), together };
		}
		const field = parameters.required('binaryPropertyName');
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
	if (wait === undefined) return steps.output(answer);
	const { outputs, ended, id } = await followCreated(steps, IMPORT_JOB, answer, wait);
	if (!failedRows) return outputs;
	if (!ended || id === undefined) {
		steps.notify(
			'The rejected rows are not returned, because the end of the import was not seen. Use Get Failed Rows later',
		);
		return outputs;
	}
	return await rejectedRows(steps, id, outputs);
}

/**
 * The rows that a job rejected. Where they cannot be fetched, the job itself, with the reason: the contacts are
 * imported, and an import that looked refused would be run again.
 */
async function rejectedRows(steps: Steps, id: string, job: Output[]): Promise<Output[]> {
	try {
		const lookUp = { path: { id }, action: 'Get failed rows' };
		const report = await steps.download('GET /contacts/imports/{id}/errors', lookUp);
		return (await steps.readCsv(report)).map((json) => ({ json }));
	} catch (error) {
		// Stopped by the user: the run ends here.
		steps.throwIfStopped();
		const reason = `The import has ended, but its rejected rows could not be fetched. ${said(error as NodeApiError)}`;
		steps.notify(reason);
		const failedRowsReport = { available: false, reason };
		return job.map((output) => ({ ...output, json: { ...output.json, failedRowsReport } }));
	}
}
