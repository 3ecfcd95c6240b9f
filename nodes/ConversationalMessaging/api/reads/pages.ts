import { shown } from '../access/shown';
import type { Headers } from '../rate/rateHeaders';
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
	/**
	 * Called with the unchanged first page, for the data next to the rows, with the path to the rows in its payload, and
	 * with its counts.
	 */
	onFirstPage?: (json: unknown, path: string[], meta: Meta) => void;
	/** Whether the service may return fewer rows than its `limit`, although it has more (`readRows`). */
	isLimitApproximate?: boolean;
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
	/** The number of rows of the last page that had no new ones. */
	let repeated = 0;
	const read = async (page: number, by = client): Promise<Page & { hasNew: boolean }> => {
		const found = await readPage(by, { ...request, query: { ...request.query, page, limit } });
		if (found.meta.total !== undefined) totals.add(found.meta.total);
		// Counted after the wait: other pages arrive meanwhile, and their rows are not this page's.
		const before = seen.size;
		for (const row of found.rows) seen.add(identity(row));
		const hasNew = seen.size > before;
		// Some services return the first page for every page number, or the last one.
		if (hasNew) pages[page - 1] = found.rows;
		else repeated = found.rows.length;
		return { ...found, hasNew };
	};

	const first = await read(1);
	const rest = pagesAfterFirst(first.meta, first.rows.length, rowLimit);
	// A page without new rows ends the list, whatever length was reported.
	let end = MAX_PAGES + 1;
	if (rest) {
		const lists = rest.map((page) => [page]);
		await forEachAtServicePace(client, lists, async (page, by) => {
			if (page < end && !(await read(page, by)).hasNew) end = Math.min(end, page);
		});
	} else {
		for (let page = 2; page < end && seen.size < rowLimit; page++)
			if (!(await read(page)).hasNew) end = page;
	}
	const rows = mergeById(pages);
	const mayBeCut = rest !== undefined || first.rows.length >= Math.min(limit, SMALLEST_PAGE);
	const isSame = pages.length === 1 && repeated === first.rows.length && mayBeCut;
	const obstacle = isSame ? 'samePages' : pages.length === MAX_PAGES ? 'tooLong' : undefined;
	const reason = whyIncomplete(rows.length, totals, obstacle);
	if (reason !== undefined && rows.length < rowLimit) {
		const next = obstacle ? 'Filters can reduce the list' : 'Run it again later';
		if (request.onIncomplete) request.onIncomplete(reason);
		else client.reporter.notify(shown`${capitalized(reason)}. ${next}.`);
	}
	return rows.slice(0, rowLimit);
}

/** What a row is recognized by: its ID, or all of it. */
export const identity = (row: unknown): string => idOf(row) ?? JSON.stringify(row);

/**
 * Why rows are missing, or may be, for `onIncomplete`; undefined if the list is complete.
 *
 * @param totals the list's total while it was read; several values if it changed
 * @param obstacle every page has the same rows, or there are too many pages
 */
function whyIncomplete(
	length: number,
	totals: ReadonlySet<number>,
	obstacle?: 'samePages' | 'tooLong',
): string | undefined {
	const isCounted = totals.size > 0;
	const most = Math.max(...totals);
	if (isCounted ? totals.size === 1 && length >= most : obstacle === undefined) return undefined;
	const got = isCounted ? `got ${length} of ${most} rows` : `got ${length} rows`;
	if (obstacle === 'tooLong') return `the list has more than 10,000 pages: ${got}`;
	if (obstacle === undefined) return `the list changed while being read: ${got}`;
	const rest = isCounted ? '' : ', and there may be more';
	return `the service returned the same rows for every page: ${got}${rest}`;
}

/**
 * Reads the page that the call's query asks for.
 *
 * @throws NodeApiError if it was rejected, did not arrive, or contains no list
 */
export async function readPage(client: ServiceClient, request: ListRequest): Promise<Page> {
	const { json, headers } = await send(client, request);
	const { endpoint } = request;
	const found = findRows(json, [request.rowsName].flat(), recordNames(endpoint));
	// A list may be `data: null`, but not the list inside a record: without the record, its rows are unknown.
	const isMissing = endpoint.endsWith('{id}') && payloadOf(json) === null;
	if (!found || isMissing)
		throw failedError(client, request, { kind: 'list', reason: String(whatCame(json)) });
	const counts = metaOf(json);
	const meta = isPlausible(counts, found.rows.length) ? counts : { nextCursor: counts.nextCursor };
	if (request.query?.page === 1) request.onFirstPage?.(json, found.path, meta);
	return { rows: found.rows, meta, json, sentAt: dateIn(headers) };
}

/**
 * As `readPage`, for what follows records over time. A single row without an ID is one broken record, and holds up no other.
 *
 * @param idIn undefined if a row has no ID
 * @throws NodeApiError also if several rows have none: all of them would be passed over, as if there were none
 */
export async function readPageWithIds(
	client: ServiceClient,
	request: ListRequest,
	idIn: (row: unknown) => unknown,
): Promise<Page> {
	const page = await readPage(client, request);
	if (page.rows.length < 2 || page.rows.some((row) => idIn(row) !== undefined)) return page;
	throw failedError(client, request, {
		kind: 'IDs',
		reason: String(described('a row', page.rows[0])),
	});
}

/** The `Date` header (RFC 9110, 6.6.1); undefined for a response from a cache. */
function dateIn(headers: Headers): number | undefined {
	const valueOf = (name: string): unknown =>
		Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
	const date = Date.parse(textOf(valueOf('date')));
	return Number.isNaN(date) || Number(valueOf('age') ?? 0) > 0 ? undefined : date;
}

/** Whether the rows of a page contradict no count. Otherwise, none of them shows anything. */
const isPlausible = (
	{ limit = Infinity, total = Infinity, totalPages = 1 }: Meta,
	rows: number,
): boolean => rows <= Math.min(limit, total) && totalPages >= Math.min(rows, 1);

/**
 * Reads a list without pages in one request. The user gets a notice if the service has more rows than it returned.
 *
 * @param rowLimit the maximum number of rows; sent only if the call's query has a limit
 */
export async function readRows(
	client: ServiceClient,
	request: ListRequest,
	rowLimit: number,
): Promise<unknown[]> {
	const { rows, meta } = await readPage(client, request);
	if (rows.length < rowLimit) {
		const requested = Number(request.query?.limit ?? Infinity);
		const full = request.isLimitApproximate ? requested / 2 : requested;
		const rest = restOfNotice(rows.length, meta, full);
		if (rest !== undefined)
			client.reporter.notify(shown`${request.action}: got ${rows.length} ${rest}`);
	}
	return rows.slice(0, rowLimit);
}

/** The rest of the notice about rows that a single request leaves out; undefined if the list is complete. */
function restOfNotice(
	rows: number,
	{ total, limit, totalPages }: Meta,
	full: number,
): string | undefined {
	if (total !== undefined)
		return total > rows
			? `of ${total} records. The service returns no more in one request.`
			: undefined;
	if (rows > 0 && (rows >= Math.min(limit ?? Infinity, full) || (totalPages ?? 1) > 1))
		return 'records, the most that the service returns in one request. It may have more.';
	const isCounted = limit !== undefined || totalPages !== undefined;
	return !isCounted && GENERAL_PAGES.includes(rows)
		? 'records, as many as a page has, and the service does not show whether there are more.'
		: undefined;
}
