import type { NodeApiError } from 'n8n-workflow';
import type { Message, Shown } from '../../api/access/shown';
import { shown } from '../../api/access/shown';
import { multipart } from '../../api/files/multipart';
import { writeCsv } from '../../api/files/csv';
import { isRecord } from '../../api/response/response';
import { filePart } from '../../descriptions/filePart';
import type { JobWait } from '../../descriptions/wait';
import { jobWait } from '../../descriptions/wait';
import type { Parameters } from '../../parameters/parameters';
import { NUMBER_COUNTRY } from '../../parameters/parameters';
import {
	countOf,
	formatValue,
	isBlank,
	listed,
	namesText,
	readText,
	readVerbatim,
} from '../../parameters/values';
import type { CsvFile } from '../../runner/itemFile';
import { csvFromBinary, csvText } from '../../runner/itemFile';
import { downloadRows } from '../../runner/downloads';
import { expressionFor, itemFields } from '../../runner/itemFields';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output, Sent } from '../../runner/output';
import { withFields } from '../../runner/output';
import type { AwaitedJob } from '../../runner/backgroundJob';
import { createdJob, waitForEnd } from '../../runner/backgroundJob';
import { fields } from './fields';
import type { ImportField } from './importColumns';
import { IG_ID, layoutOf, NAME, namedColumn, WA_ID } from './importColumns';
import { IMPORT_JOB } from './importJob';
import type { ImportInput } from './importRows';
import { importRows } from './importRows';
import { templateHeader } from './importTemplate';

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

/** An import as the user set it up. */
interface ImportPlan {
	source:
		| { kind: 'file'; read: () => Promise<CsvFile> }
		/** @property moreColumns whether to add columns that the service's template does not have */
		| { kind: 'items'; input: ImportInput; moreColumns: boolean };
	/** The multipart part of the file. */
	partName: string;
	/** How to wait for its completion; undefined for not at all. */
	wait?: JobWait;
	/** Whether to return the rejected rows instead of the job. */
	returnFailedRows: boolean;
}

function readPlan(parameters: Parameters): ImportPlan {
	const options = parameters.collection('options');
	const partName = filePart(options);
	const returnFailedRows = options.boolean('returnFailedRows') === true;
	const common = { partName, returnFailedRows, wait: jobWait(options, returnFailedRows) };
	if (parameters.requiredOption('source') !== 'items') {
		const field = parameters.required('binaryPropertyName');
		return { ...common, source: { kind: 'file', read: csvFromBinary(parameters, field) } };
	}
	const moreColumns = options.boolean('moreColumns') === true;
	return { ...common, source: { kind: 'items', input: readInput(parameters), moreColumns } };
}

/** What the item contributes to the import. @throws NodeOperationError for a value that its column cannot have */
function readInput(parameters: Parameters): ImportInput {
	const fixed: [ImportField, string | undefined][] = [
		[NAME, parameters.text('name', 'mayBeEmpty')],
		[WA_ID, parameters.whatsAppAddress('waId', 'mayBeEmpty')],
		[IG_ID, parameters.id('igId', 'mayBeEmpty')],
	];
	const own = fixed.filter((cell): cell is [ImportField, string] => cell[1] !== undefined);
	const cells = [...own, ...readColumns(parameters)];
	// The country of an item without a number may be anything.
	const hasNumber = layoutOf(cells.map(([{ column }]) => column)).columnOf(WA_ID) !== undefined;
	const country = hasNumber ? parameters.numberCountry : undefined;
	return { itemIndex: parameters.itemIndex, cells, country };
}

/** The entries of More Columns. */
function readColumns(parameters: Parameters): [ImportField, string][] {
	const more = parameters.raw('columns');
	const entries = isRecord(more) && Array.isArray(more.column) ? more.column.filter(isRecord) : [];
	return entries.flatMap(({ name, value }): [ImportField, string][] => {
		if (isBlank(value)) return [];
		const column = readText(name).value ?? '';
		if (column === '') {
			throw parameters.invalid(
				'A value under More Columns has no column name',
				'Enter the name of the column.',
			);
		}
		const { value: text, expected } = readVerbatim(value);
		if (text !== undefined) return [[namedColumn(column), text]];
		throw parameters.invalid(
			shown`The column ${column} expects ${expected}, but got ${formatValue(value)}`,
			'Check the value, or the expression that returns it.',
		);
	});
}

async function startImport(
	context: OperationContext,
	{ source, partName, wait }: ImportPlan,
	inputs: ImportInput[],
): Promise<Sent<AwaitedJob>> {
	const file =
		source.kind === 'file'
			? await source.read()
			: await fileOf(context, inputs, source.moreColumns);
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
 * The items as a file; undefined if each of them fails.
 *
 * @throws NodeOperationError if no item has a value, or one cannot be imported and the node does not continue; nothing
 *   has been sent by then
 */
async function fileOf(
	context: OperationContext,
	inputs: ImportInput[],
	moreColumns: boolean,
): Promise<CsvFile | undefined> {
	const noValues = <T extends string>(message: Message<T>) =>
		context.invalid(message, mappingStep(context));
	if (inputs.every(({ cells }) => cells.length === 0))
		throw noValues('No input item has a value for any column');
	const template = await templateHeader(context);
	const made = await importRows(template?.columns, inputs, moreColumns);
	const { columns, rows, empty, withoutId, rejected } = made;
	for (const position of withoutId)
		context.failItem(position, noId(context, withoutId.length, inputs.length));
	for (const { position, message, description } of rejected)
		context.failItem(position, context.invalid(message, description));
	if (rows.length > 0) {
		if (empty.length > 0) {
			// As people count, because they look it up in the table that the items are from.
			const rows = empty.flatMap((position) => {
				const index = inputs[position]?.itemIndex;
				return index === undefined ? [] : [`row ${index + 1}`];
			});
			context.notify(shown`Not imported, because they have no values: ${listed(rows)}`);
		}
		return csvText('contacts.csv', await writeCsv({ columns, rows }, template?.separator));
	}
	// Without a job, there is nothing to return for these items.
	for (const position of empty)
		context.failItem(position, noValues('The item has no value for any column'));
	return undefined;
}

const noId = (context: OperationContext, count: number, all: number) =>
	context.invalid(
		shown`${count} of ${countOf(all, 'input item')} ${count === 1 ? 'has' : 'have'} neither a WhatsApp ID nor an Instagram ID`,
		count < all
			? 'Nothing was imported for them. Add the IDs in an earlier node. To import only the other items, set On Error to Continue in Settings.'
			: shown`Nothing was imported. ${mappingStep(context)}`,
	);

/** Which fields the items have, and how to map the one with the phone numbers. */
function mappingStep({ n8n }: OperationContext): Shown {
	const names = itemFields(n8n);
	const phone = layoutOf(names).columnOf(WA_ID) ?? 'phone';
	const have = names.length === 0 ? 'no fields' : namesText(names);
	return shown`Your items have ${have}. Under WhatsApp ID, enter the field with the phone numbers, e.g. ${expressionFor(phone)}.`;
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
		return job.map((output) => withFields(output, { failedRowsReport }));
	}
}
