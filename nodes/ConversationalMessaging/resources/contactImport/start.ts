import type { INodeProperties, NodeApiError } from 'n8n-workflow';
import { isRecord } from '../../api/answer';
import { writeCsv } from '../../api/csv';
import type { Parameters } from '../../fields/parameters';
import { readWhatsAppId } from '../../fields/phone';
import { isNothing, readId, readText, readVerbatim } from '../../fields/values';
import { maxWaitMs, maxWaitMsOrDefault, waitFields } from '../../fields/wait';
import { csvFromBinary, csvText, type CsvFile } from '../csvFile';
import { followCreated, said, type BackgroundJob } from '../follow';
import type { Operation, Output, Steps } from '../operation';
import { IG_ID, isHeaderRow, NAME, namedColumn, WA_ID } from './columns';
import type { ImportPart } from './rows';
import { addCell, checkImport, importRows, itemNumbers } from './rows';

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
		description: 'Name of the binary field that contains the CSV file',
	},
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '={{ $json.name }}',
		displayOptions: { show: { source: ['items'] } },
		description: 'Name of the contact',
	},
	{
		displayName: 'WhatsApp ID',
		name: 'waId',
		type: 'string',
		default: '={{ $json.waId }}',
		displayOptions: { show: { source: ['items'] } },
		description: 'Phone number of the contact, with country code',
	},
	{
		displayName: 'Instagram ID',
		name: 'igId',
		type: 'string',
		default: '={{ $json.igId }}',
		displayOptions: { show: { source: ['items'] } },
		description: 'Instagram ID of the contact',
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
						description: 'Name of the column in the service’s import template',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						description: 'Value for the column',
					},
				],
			},
		],
		description:
			'Values for other columns of the import template. To see them, use Contact Import → Download Template.',
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
					'Name of the multipart form field for the file. The service does not document it.',
			},
			{
				displayName: 'Return Failed Rows',
				name: 'returnFailedRows',
				type: 'boolean',
				default: true,
				description:
					'Whether to wait for the import to end and return rejected rows as items instead of the job',
			},
			{
				displayName: 'Send Other Columns',
				name: 'moreColumns',
				type: 'boolean',
				default: true,
				displayOptions: { show: { '/source': ['items'] } },
				description:
					'Whether to add columns for values that have none in the service’s import template. The service may ignore them.',
			},
		].sort((a, b) => a.displayName.localeCompare(b.displayName)) as INodeProperties[],
	},
];

/** What the item brings to the import. */
function partOf(parameters: Parameters, settings: ImportPart['settings']): ImportPart {
	const part: ImportPart = { itemIndex: parameters.itemIndex, cells: [], unusable: [], settings };
	addCell(part, NAME, parameters.raw('name'), readText);
	addCell(part, WA_ID, parameters.raw('waId'), readWhatsAppId);
	addCell(part, IG_ID, parameters.raw('igId'), readId);
	const more = parameters.raw('columns');
	const columns = isRecord(more) && Array.isArray(more.column) ? more.column.filter(isRecord) : [];
	for (const { name, value } of columns) {
		const column = readText(name).value ?? '';
		if (column === '' && !isNothing(value)) {
			throw parameters.invalid(
				'A value under More Columns has no column name',
				'Enter the name of the column.',
			);
		}
		addCell(part, namedColumn(column), value, readVerbatim);
	}
	return part;
}

/** The items as a file. @throws NodeOperationError when they cannot be one import; nothing has been sent by then */
async function fileOf(
	steps: Steps,
	parameters: Parameters,
	parts: ImportPart[],
	moreColumns: boolean,
): Promise<CsvFile> {
	const made = importRows(await templateColumns(steps), parts, moreColumns);
	if ('message' in made) throw parameters.invalid(made.message, made.description);
	const { columns, rows, empty } = made;
	if (empty.length > 0) {
		const items = `${empty.length} input ${empty.length === 1 ? 'item has' : 'items have'}`;
		steps.notify(
			`${items} no value for any column and no row in the import: ${itemNumbers(empty)}`,
		);
	}
	return csvText('contacts.csv', writeCsv({ columns, rows }));
}

/** The columns of the service's own import template; undefined when it cannot be read. */
async function templateColumns(steps: Steps): Promise<string[] | undefined> {
	const lookUp = { action: 'Download contact import template' };
	let reason = 'Its first line is not a row of comma-separated columns.';
	try {
		const columns = await steps.once('import template', async () => {
			const file = await steps.download('GET /contacts/import-template', lookUp);
			return await steps.readCsvColumns(file);
		});
		if (isHeaderRow(columns)) return columns;
	} catch (error) {
		// Stopped by the user: the run ends here.
		steps.throwIfStopped();
		reason = said(error as NodeApiError);
	}
	steps.notify(
		`The service’s import template could not be read, so the import uses the columns name, waId, igId and those under More Columns. ${reason}`,
	);
	return undefined;
}

export const start: Operation = {
	name: 'Start',
	value: 'start',
	action: 'Start contact import',
	description: 'Import contacts from a CSV file, or from all input items at once',
	endpoint: 'POST /contacts/import',
	otherEndpoints: [
		'GET /contacts/import-template',
		'GET /contacts/imports/{id}',
		'GET /contacts/imports/{id}/errors',
	],
	fields,
	result: 'steps',
	prepare(parameters) {
		const options = parameters.collection('options');
		const partName = options.text('partName') ?? 'file';
		const failedRows = options.flag('returnFailedRows') === true;
		const wait = failedRows ? maxWaitMsOrDefault(options) : maxWaitMs(options);
		const send = async (steps: Steps, file: CsvFile) =>
			await importFile(steps, file, { partName, wait, failedRows });

		if (parameters.requiredOption('source') === 'items') {
			const moreColumns = options.flag('moreColumns') === true;
			const settings = {
				[options.label('partName')]: partName,
				[options.label('waitForCompletion')]: options.flag('waitForCompletion'),
				[options.label('maxWaitMinutes')]: options.number('maxWaitMinutes'),
				[options.label('returnFailedRows')]: failedRows,
				[options.label('moreColumns')]: moreColumns,
			};
			const part = partOf(parameters, settings);
			const together = async (steps: Steps, parts: unknown[]) =>
				await send(steps, await fileOf(steps, parameters, parts as ImportPart[], moreColumns));
			return { key: 'items', part, check: checkImport, together };
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
			'Rejected rows are not returned because it is unknown whether the import has ended. Use Get Failed Rows later.',
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
