import type { NodeApiError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { multipart } from '../../api/files/multipart';
import { filePart } from '../../descriptions/filePart';
import { type JobWait, jobWait } from '../../descriptions/wait';
import { type Parameters, NUMBER_COUNTRY } from '../../parameters/parameters';
import { type CsvFile, csvFromBinary } from '../../runner/itemFile';
import { downloadRows } from '../../runner/downloads';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import { type Output, type Sent, withFields } from '../../runner/output';
import { type AwaitedJob, createdJob, waitForEnd } from '../../runner/backgroundJob';
import type { ItemCells } from '../shared/csvRows';
import { fields } from './fields';
import { fileOfItems, readItem } from './importItems';
import { IMPORT_JOB } from './importJob';

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
		source.kind === 'items'
			? {
					key: 'items',
					input: source.input,
					perItem: ['name', 'waId', 'igId', 'columns', `options ${NUMBER_COUNTRY}`],
				}
			: undefined,
	run: startImport,
	wait: waitForImport,
});

interface ImportPlan {
	source:
		| { kind: 'file'; read: () => Promise<CsvFile> }
		/** @property moreColumns whether to add columns that the service's template does not have */
		| { kind: 'items'; input: ItemCells; moreColumns: boolean };
	partName: string;
	/** How to wait for its completion; undefined for not at all. */
	wait?: JobWait;
	returnFailedRows: boolean;
}

function readPlan(parameters: Parameters): ImportPlan {
	const options = parameters.collection('options');
	const partName = filePart(options);
	const returnFailedRows = options.boolean('returnFailedRows') === true;
	const common = { partName, returnFailedRows, wait: jobWait(options, returnFailedRows) };
	if (parameters.option('source', 'required') !== 'items') {
		const field = parameters.text('binaryPropertyName', 'required');
		return { ...common, source: { kind: 'file', read: csvFromBinary(parameters, field) } };
	}
	const moreColumns = options.boolean('moreColumns') === true;
	return { ...common, source: { kind: 'items', input: readItem(parameters), moreColumns } };
}

async function startImport(
	context: OperationContext,
	{ source, partName, wait }: ImportPlan,
	inputs: ItemCells[],
): Promise<Sent<AwaitedJob>> {
	const file =
		source.kind === 'file'
			? await source.read()
			: await fileOfItems(context, inputs, source.moreColumns);
	if (!file) return { outputs: [] };
	const response = await context.send({ upload: multipart({ ...file, partName }) });
	return { outputs: context.outputOf(response), pending: createdJob(IMPORT_JOB, response, wait) };
}

async function waitForImport(
	context: OperationContext,
	{ returnFailedRows }: ImportPlan,
	job: AwaitedJob,
): Promise<Output[]> {
	const { outputs, ended, failure } = await waitForEnd(context, job);
	if (!returnFailedRows) return outputs;
	if (ended && job.id !== undefined) {
		const rows = await rejectedRows(context, job.id, outputs);
		// No items would look as if no row had failed.
		if (rows.length > 0 || failure === undefined) return rows;
		throw context.invalid(
			shown`${failure}, but its report of failed rows is empty`,
			'See its results with Get or in the dashboard. Running the node again creates another import.',
		);
	}
	context.notify(
		'Failed rows are not returned, because the import has not ended or its end is unknown. Use Get Failed Rows later.',
	);
	return outputs;
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
		const rows = await downloadRows(context, {
			endpoint: 'GET /contacts/imports/{id}/errors',
			action: 'Get failed rows',
			path: { id },
		});
		return rows.map((json) => ({ json }));
	} catch (error) {
		// Stopped by the user: the run ends here.
		context.throwIfStopped();
		const { message } = error as NodeApiError;
		const reason = shown`The import has ended, but its failed rows could not be fetched. ${message}. Do not import them again; use Get Failed Rows later`;
		context.notify(reason);
		const failedRowsReport = { available: false, reason: String(reason) };
		return withFields(job, { failedRowsReport });
	}
}
