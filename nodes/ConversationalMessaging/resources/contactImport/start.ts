import type { NodeApiError } from 'n8n-workflow';
import { writeCsv } from '../../api/csv';
import { isRecord } from '../../api/response';
import { maxWaitMs, maxWaitMsOrDefault } from '../../descriptions/wait';
import type { Parameters } from '../../parameters/parameters';
import { readWhatsAppId } from '../../parameters/phone';
import { isBlank, readId, readText, readVerbatim } from '../../parameters/values';
import { itemNumbers } from '../../runner/oldBatch';
import { csvFromBinary, csvText, type CsvFile } from '../../runner/csvUpload';
import { IG_ID, NAME, namedColumn, WA_ID } from './importColumns';
import { IMPORT_JOB } from './importJob';
import type { ImportInput } from './importRows';
import { addCell, checkImport, importRows } from './importRows';
import { templateColumns } from './importTemplate';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { waitForCreated } from '../../runner/waitForCompletion';
import { fields } from './fields';

export const start = planned({
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
	prepare: readPlan,
	batch: ({ source }) =>
		source.kind === 'items' ? { key: 'items', input: source.input, check: checkImport } : undefined,
	run: startImport,
});

/** An import as the user set it up. */
interface ImportPlan {
	source:
		| { kind: 'file'; read: () => Promise<CsvFile> }
		/** @property moreColumns whether to add columns that the service's template does not have */
		| { kind: 'items'; input: ImportInput; moreColumns: boolean };
	/** The multipart part of the file. */
	partName: string;
	/** How long to wait for its completion, in milliseconds; undefined for not at all. */
	maxWaitMs?: number;
	/** Whether to return the rejected rows instead of the job. */
	returnFailedRows: boolean;
}

function readPlan(parameters: Parameters): ImportPlan {
	const options = parameters.collection('options');
	const partName = options.text('partName') ?? 'file';
	const returnFailedRows = options.boolean('returnFailedRows') === true;
	const maxMs = returnFailedRows ? maxWaitMsOrDefault(options) : maxWaitMs(options);
	const common = { partName, returnFailedRows, maxWaitMs: maxMs };
	if (parameters.requiredOption('source') !== 'items') {
		const field = parameters.required('binaryPropertyName');
		return { ...common, source: { kind: 'file', read: csvFromBinary(parameters, field) } };
	}
	const moreColumns = options.boolean('moreColumns') === true;
	const settings = {
		[options.label('partName')]: partName,
		[options.label('waitForCompletion')]: options.boolean('waitForCompletion'),
		[options.label('maxWaitMinutes')]: options.number('maxWaitMinutes'),
		[options.label('returnFailedRows')]: returnFailedRows,
		[options.label('moreColumns')]: moreColumns,
	};
	const input = inputOf(parameters, settings);
	return { ...common, source: { kind: 'items', input, moreColumns } };
}

async function startImport(
	context: OperationContext,
	{ source, partName, maxWaitMs: maxMs, returnFailedRows }: ImportPlan,
	inputs: ImportInput[],
): Promise<Output[]> {
	const file =
		source.kind === 'file'
			? await source.read()
			: await fileOf(context, inputs, source.moreColumns);
	const response = await context.upload({ ...file, partName, fields: {} });
	if (maxMs === undefined) return context.outputOf(response);
	const { outputs, ended, id } = await waitForCreated(context, IMPORT_JOB, response, maxMs);
	if (!returnFailedRows) return outputs;
	if (ended && id !== undefined) return await rejectedRows(context, id, outputs);
	context.notify(
		'Failed rows are not returned because it is unknown whether the import has ended. Use Get Failed Rows later.',
	);
	return outputs;
}

/** What the item contributes to the import. */
function inputOf(parameters: Parameters, settings: ImportInput['settings']): ImportInput {
	const input: ImportInput = { itemIndex: parameters.itemIndex, cells: [], unusable: [], settings };
	addCell(input, NAME, parameters.raw('name'), readText);
	addCell(input, WA_ID, parameters.raw('waId'), readWhatsAppId);
	addCell(input, IG_ID, parameters.raw('igId'), readId);
	const more = parameters.raw('columns');
	const columns = isRecord(more) && Array.isArray(more.column) ? more.column.filter(isRecord) : [];
	for (const { name, value } of columns) {
		const column = readText(name).value ?? '';
		if (column === '' && !isBlank(value)) {
			throw parameters.invalid(
				'A value under More Columns has no column name',
				'Enter the name of the column.',
			);
		}
		addCell(input, namedColumn(column), value, readVerbatim);
	}
	return input;
}

/** The items as a file. @throws NodeOperationError if they cannot be one import; nothing has been sent by then */
async function fileOf(
	context: OperationContext,
	inputs: ImportInput[],
	moreColumns: boolean,
): Promise<CsvFile> {
	const made = importRows(
		await templateColumns(context, 'name, waId, igId and those under More Columns'),
		inputs,
		moreColumns,
	);
	if ('message' in made) throw context.invalid(made.message, made.description);
	const { columns, rows, empty } = made;
	if (empty.length > 0) {
		context.notify(`Not imported, because they have no values: ${itemNumbers(empty)}`);
	}
	return csvText('contacts.csv', writeCsv({ columns, rows }));
}

/**
 * The rows that a job rejected. If they cannot be fetched, the job itself, with the reason: the contacts have been
 * imported, and a thrown error would make the user import them again.
 */
async function rejectedRows(
	context: OperationContext,
	id: string,
	job: Output[],
): Promise<Output[]> {
	try {
		const report = await context.download({
			endpoint: 'GET /contacts/imports/{id}/errors',
			action: 'Get failed rows',
			path: { id },
		});
		return (await context.readCsv(report)).map((json) => ({ json }));
	} catch (error) {
		// Stopped by the user: the run ends here.
		context.throwIfStopped();
		const { message } = error as NodeApiError;
		const reason = `The import has ended, but its rejected rows could not be fetched. ${message}. Do not import them again; use Get Failed Rows later`;
		context.notify(reason);
		const failedRowsReport = { available: false, reason };
		return job.map((output) => ({ ...output, json: { ...output.json, failedRowsReport } }));
	}
}
