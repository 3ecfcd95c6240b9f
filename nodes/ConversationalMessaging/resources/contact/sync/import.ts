import type { IDataObject } from 'n8n-workflow';
import { writeCsv } from '../../../api/csv';
import { progressOf } from '../../../api/progress';
import { recordOf } from '../../../api/record';
import { recordNames } from '../../../api/recordNames';
import { isRecord, rowsOf, statusOf } from '../../../api/response';
import { textOf } from '../../../api/text';
import { contactAddress } from '../../../parameters/phone';
import { csvText } from '../../../runner/csvUpload';
import type { ImportField } from '../../contactImport/importColumns';
import { IG_ID, layoutOf, NAME, namedColumn, WA_ID } from '../../contactImport/importColumns';
import { IMPORT_JOB } from '../../contactImport/importJob';
import { importRows } from '../../contactImport/importRows';
import { templateColumns } from '../../contactImport/importTemplate';
import type { OperationContext } from '../../../runner/operationContext';
import { waitForCreated } from '../../../runner/waitForCompletion';
import type { SyncItem } from './item';

export interface ImportSettings {
	/** The multipart part of the file. */
	partName: string;
	/** How long to wait for its end, in milliseconds. */
	maxWaitMs: number;
}

/** How an import of new contacts ended. */
export type ImportOutcome =
	/** @property labels the custom fields that it sets */
	| { state: 'ended'; id?: string; labels: ReadonlySet<string> }
	/** Another import is active, or it is unknown whether this one has ended. */
	| { state: 'pending'; id?: string; reason: string };

/** The largest `limit` of `GET /contacts/imports`: the general one, because it has none of its own. */
const MAX_JOBS = 200;

/** What to do if the items cannot be imported. */
const IMPORT_HINT =
	'Remove the option Min New Contacts for Import to create the contacts one by one.';

/**
 * Creates contacts with one import job, and waits for it.
 *
 * Starts none while another is active: that may be the job of an interrupted run with the same contacts.
 *
 * @throws NodeApiError, NodeOperationError if no import was started
 */
export async function importContacts(
	context: OperationContext,
	items: SyncItem[],
	{ partName, maxWaitMs }: ImportSettings,
): Promise<ImportOutcome> {
	const active = await activeJob(context);
	if (active) return active;
	const template = await templateColumns(context, 'name, waId and igId');
	const labels = labelsWithColumn(items, template);
	const made = importRows(
		template,
		items.map((item) => inputOf(item, labels)),
		false,
	);
	if ('message' in made) throw context.invalid(made.message, IMPORT_HINT);
	const response = await context.upload(
		{ ...csvText('contacts.csv', writeCsv(made)), partName, fields: {} },
		{ endpoint: 'POST /contacts/import', action: 'Start contact import' },
	);
	const { ended, id, outputs } = await waitForCreated(context, IMPORT_JOB, response, maxWaitMs);
	if (ended) return { state: 'ended', id, labels };
	const waited = outputs[0]?.json.waitResult;
	const reason = isRecord(waited) ? textOf(waited.reason) : '';
	return { state: 'pending', id, reason };
}

/** The reasons for which an import rejected rows, as texts by address; none if the service does not return them. */
export async function rejectionReasons(
	context: OperationContext,
	importId: string | undefined,
): Promise<Map<string, string>> {
	const reasons = new Map<string, string>();
	if (importId === undefined) return reasons;
	let rows: IDataObject[] = [];
	try {
		const report = await context.download({
			endpoint: 'GET /contacts/imports/{id}/errors',
			action: 'Get failed rows',
			path: { id: importId },
		});
		rows = await context.readCsv(report);
	} catch {
		// The contacts are missing for whatever reason, so their items fail anyway.
		context.throwIfStopped();
	}
	for (const row of rows) {
		const column = Object.keys(row).find((name) => /reason|error|message/i.test(name));
		const reason = column === undefined ? JSON.stringify(row) : textOf(row[column]);
		for (const cell of Object.values(row)) reasons.set(contactAddress(textOf(cell).trim()), reason);
	}
	return reasons;
}

async function activeJob(context: OperationContext): Promise<ImportOutcome | undefined> {
	const { json } = await context.send({
		endpoint: 'GET /contacts/imports',
		action: 'Get many contact imports',
		query: { activeOnly: true, limit: MAX_JOBS },
	});
	const jobs = (rowsOf(json, 'imports') ?? []).filter(isRecord);
	// In case the service does not filter.
	const job = jobs.find((row) => progressOf(statusOf(row) ?? '') !== 'ended');
	if (!job) return undefined;
	const { id } = recordOf({ data: job }, recordNames(IMPORT_JOB.endpoint));
	const name = id === undefined ? 'An import' : `The import ${id}`;
	const reason = `${name} is still active and may contain this contact. Run the node again once it has ended`;
	return { state: 'pending', id, reason };
}

/** The custom fields that the service's template has a column for. The others are set afterwards. */
function labelsWithColumn(items: SyncItem[], template: string[] | undefined): Set<string> {
	if (!template) return new Set();
	const labels = new Set(
		items.flatMap(({ values }) => values.flatMap(({ field, isCustom }) => (isCustom ? field : []))),
	);
	const own = layoutOf(template, [NAME, WA_ID, IG_ID]).columnOf;
	return new Set(
		[...labels].filter((label) => {
			const [column] = layoutOf(template, [namedColumn(label)]).columnOf;
			return column !== undefined && !own.includes(column);
		}),
	);
}

function inputOf({ index, name, address, values }: SyncItem, labels: Set<string>) {
	const cells: [ImportField, string | undefined][] = [
		[NAME, name],
		[WA_ID, address.waId],
		[IG_ID, address.igId],
		...values
			.filter(({ field, isCustom }) => isCustom && labels.has(field))
			.map(({ field, text }): [ImportField, string] => [namedColumn(field), text]),
	];
	return {
		itemIndex: index,
		cells: cells.filter((cell): cell is [ImportField, string] => Boolean(cell[1])),
		unusable: [],
		settings: {},
	};
}
