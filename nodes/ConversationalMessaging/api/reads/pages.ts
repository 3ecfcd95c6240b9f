import type { NodeApiError } from 'n8n-workflow';
import { shown } from '../access/shown';
import type { Meta } from '../response/response';
import {
	findRows,
	metaOf,
	payloadOf,
	idOf,
	recordNames,
	described,
	whatCame,
} from '../response/response';
import type { ServiceClient } from '../client';
import { forEachAtServicePace } from '../servicePace';
import type { RequestInfo } from '../failures';
import { failedError } from '../failures';
import type { ServiceRequest } from '../request';
import { send } from '../send';
import { capitalized, textOf } from '../base/text';

/** No list is read beyond this many pages, whatever length the service reports. */
export const MAX_PAGES = 10_000;

/** A list that is read page by page, or in one request. */
export interface ListRequest extends ServiceRequest {
	/** Likely names of the rows inside `data`: one or several, e.g. "tickets" (see `findRows`). */
	rowsName: string | readonly string[];
	/** Called with the unchanged first page, for the data next to the rows, and with its counts. */
	onFirstPage?: (json: unknown, meta: Meta) => void;
	/**
	 * Called if rows are missing, or may be. By default, the user gets a notice.
	 *
	 * @param reason to be continued: "the list changed while being read: got 3 of 4 rows"
	 */
	onIncomplete?: (reason: string) => void;
}

/**
 * The number of pages of a list: total and number of pages may contradict each other, and the larger one counts.
 *
 * @param rows how many rows page 1 had
 * @returns undefined if page 1 does not show it
 */
export function pageCount({ total, totalPages }: Meta, rows: number): number | undefined {
	if (rows === 0) return 1;
	if (total === undefined && totalPages === undefined) return undefined;
	return Math.max(Math.ceil((total ?? 0) / rows), totalPages ?? 0);
}

/**
 * Which pages contain the requested rows, once page 1 has shown the length of the list.
 *
 * @param rows how many rows page 1 had: the page size in force, because a limit above the cap is silently reduced
 * @returns page numbers from 2 on; undefined if page 1 does not show the length, so that pages must be read one by
 *   one
 */
export function pagesAfterFirst(meta: Meta, rows: number, rowLimit: number): number[] | undefined {
	if (rows === 0 || rows >= rowLimit) return [];
	const totalPages = pageCount(meta, rows);
	if (totalPages === undefined) return undefined;
	const last = Math.min(totalPages, Math.ceil(rowLimit / rows), MAX_PAGES);
	return Array.from({ length: Math.max(0, last - 1) }, (_, index) => index + 2);
}

/**
 * Rows in page order without duplicates: rows that shift between pages occur twice. Rows without an id are all kept.
 *
 * @param pages may have gaps, for pages that were not read
 */
export function mergeById(pages: unknown[][]): unknown[] {
	const seen = new Set<string>();
	return pages.flat().filter((row) => {
		const id = idOf(row);
		if (id === undefined) return true;
		if (seen.has(id)) return false;
		seen.add(id);
		return true;
	});
}

/** One page of a list. */
export interface Page {
	rows: unknown[];
	meta: Meta;
	/** The response, for what is beside the rows. */
	json?: unknown;
	/** When the service sent it, in milliseconds since the epoch; undefined if its `Date` header does not show that. */
	sentAt?: number;
}

/** The smallest page size of the document (section Limits): a list with fewer rows is not cut. */
export const SMALLEST_PAGE = 20;

/** How many rows of a general list the service returns by default, and at most (API document, section Limits). */
const GENERAL_PAGES = [50, 200];

/** Why rows are missing: there are more pages than `MAX_PAGES`. */
export const TOO_LONG = 'the list has more than 10,000 pages';

/**
 * Says that rows of a list are missing, or may be: to the reader of the list, or else to the user.
 *
 * @param total of the list; undefined if it is unknown
 * @param next what the user can do
 */
export function reportIncomplete(
	client: ServiceClient,
	{ onIncomplete }: ListRequest,
	reason: string,
	count: number,
	total: number | undefined,
	next?: string,
): void {
	const rest = total === undefined ? ' rows, and there may be more' : ` of ${total} rows`;
	const text = `${reason}: got ${count}${rest}`;
	if (onIncomplete) onIncomplete(text);
	else client.reporter.notify(shown`${capitalized(text)}.${next === undefined ? '' : ` ${next}`}`);
}

/**
 * Reads a list page by page, once: page 1 first, then the others in parallel (API document, section Paging).
 *
 * Rows that are created or deleted meanwhile shift others between pages. If the total changed or rows are missing, or
 * nothing shows that there are no others, the user gets a notice.
 *
 * @param pageSize the endpoint's maximum
 * @param rowLimit the number of rows, if there are that many; Infinity for all
 */
export async function readPages(
	client: ServiceClient,
	request: ListRequest,
	pageSize: number,
	rowLimit: number,
): Promise<unknown[]> {
	const limit = Math.min(pageSize, rowLimit);
	const totals = new Set<number>();
	const pages: unknown[][] = [];
	const seen = new Set<string>();
	/** A page without new rows ends the list, whatever length was reported. */
	let end = MAX_PAGES + 1;
	/** How many rows such pages have. */
	let repeated = 0;
	const read = async (page: number, by = client): Promise<Page> => {
		const found = await readPage(by, { ...request, query: { ...request.query, page, limit } });
		if (found.meta.total !== undefined) totals.add(found.meta.total);
		// Counted after the wait: other pages arrive meanwhile, and their rows are not this page's.
		const before = seen.size;
		for (const row of found.rows) seen.add(identity(row));
		if (seen.size > before) pages[page - 1] = found.rows;
		else {
			end = Math.min(end, page);
			repeated += found.rows.length;
		}
		return found;
	};

	const first = await read(1);
	const rest = pagesAfterFirst(first.meta, first.rows.length, rowLimit);
	if (rest) {
		const lists = rest.map((page) => [page]);
		await forEachAtServicePace(client, lists, async (page, by) => {
			if (page < end) await read(page, by);
		});
	} else {
		for (let page = 2; page < end && seen.size < rowLimit; page++) await read(page);
	}
	const rows = mergeById(pages);
	const total = totals.size > 0 ? Math.max(...totals) : undefined;
	const isTooLong = pages.length === MAX_PAGES;
	const isRepeated = repeated > 0 && first.rows.length >= Math.min(limit, SMALLEST_PAGE);
	const isComplete =
		total === undefined ? !isRepeated && !isTooLong : totals.size === 1 && rows.length >= total;
	if (!isComplete && rows.length < rowLimit) {
		const filter = 'Filters can reduce the list.';
		const [reason, next] = isTooLong
			? [TOO_LONG, filter]
			: repeated > 0 && totals.size < 2
				? ['the service returned the same rows again', filter]
				: ['the list changed while being read', 'Run it again later.'];
		reportIncomplete(client, request, reason, rows.length, total, next);
	}
	return rows.slice(0, rowLimit);
}

/** What a row is recognized by: its ID, or all of it. */
export const identity = (row: unknown): string => idOf(row) ?? JSON.stringify(row);

/**
 * Reads the page that the call's query asks for.
 *
 * @param idIn for what follows records over time: the ID of a row; undefined if it has none
 * @throws NodeApiError if it was rejected, did not arrive, or contains no list; also if no row has an ID, because all of them
 *   would be passed over, as if there were none
 */
export async function readPage(
	client: ServiceClient,
	request: ListRequest,
	idIn?: (row: unknown) => unknown,
): Promise<Page> {
	const { json, headers } = await send(client, request);
	const { endpoint } = request;
	const rows = findRows(json, [request.rowsName].flat(), recordNames(endpoint));
	// A list may be `data: null`, but not the list inside a record: without the record, its rows are unknown.
	const isMissing = endpoint.endsWith('{id}') && payloadOf(json) === null;
	if (!rows || isMissing)
		throw failedError(client, request, { kind: 'list', reason: String(whatCame(json)) });
	// A single row without an ID is one broken record, and holds up no other.
	if (idIn && rows.length > 1 && rows.every((row) => idIn(row) === undefined))
		throw withoutIds(client, request, 'a row', rows[0]);
	const counts = metaOf(json);
	// Some services do not count, and return 0.
	const meta = (counts.total ?? Infinity) < rows.length ? {} : counts;
	if (request.query?.page === 1) request.onFirstPage?.(json, meta);
	const sentAt = Date.parse(textOf(headers.date));
	return { rows, meta, json, sentAt: Number.isNaN(sentAt) ? undefined : sentAt };
}

/**
 * The error for records without IDs.
 *
 * @param what one of them is called
 */
export const withoutIds = (
	client: ServiceClient,
	request: RequestInfo,
	what: string,
	record: unknown,
): NodeApiError =>
	failedError(client, request, { kind: 'IDs', reason: String(described(what, record)) });

/**
 * Reads a list without pages in one request. The user gets a notice if the service may have more rows than it returned.
 *
 * @param rowLimit the maximum number of rows; sent only if the call's query has a limit
 */
export async function readRows(
	client: ServiceClient,
	request: ListRequest,
	rowLimit: number,
): Promise<unknown[]> {
	const { rows, meta } = await readPage(client, request);
	const requested = Number(request.query?.limit ?? Infinity);
	// A limit may be approximate (API document, `GET /templates`).
	const full = rowLimit === Infinity ? requested / 2 : requested;
	if (rows.length < rowLimit && mayBeCut(rows.length, meta, full))
		reportIncomplete(
			client,
			request,
			'the service returns no more in one request',
			rows.length,
			meta.total,
		);
	return rows.slice(0, rowLimit);
}

/** Whether there may be more rows than one request returned, of which `full` are a full page. */
function mayBeCut(rows: number, { total, limit, totalPages }: Meta, full: number): boolean {
	if (total !== undefined) return total > rows;
	if (totalPages !== undefined) return totalPages > 1;
	return rows >= Math.min(full, limit ?? Infinity) || GENERAL_PAGES.includes(rows);
}
