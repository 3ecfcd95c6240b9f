import type { Meta } from './response';
import { findRows, isRecord, metaOf, payloadOf } from './response';
import type { ServiceClient } from './client';
import { forEachAtServicePace } from './client';
import { unexpectedShapeError } from './errors';
import type { ServiceRequest } from './send';
import { send } from './send';

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
	/** What to keep of a row, with its `id`: lists of large records would fill the memory. */
	pick?: (row: unknown) => unknown;
	/**
	 * Called if rows are missing because the list changed while being read. By default, the user gets a notice.
	 *
	 * @param total how many rows the list has, as far as known
	 */
	onIncomplete?: (rows: number, total: number) => void;
}

/** All rows, or at most this many. */
export type RowLimit = number | 'all';

/**
 * Which pages contain the requested rows, once page 1 has shown the length of the list.
 *
 * @param rows how many rows page 1 had
 * @param requested the page size that was requested
 * @returns page numbers from 2 on; undefined if page 1 does not show the length, so that pages must be read one by
 *   one
 */
export function pagesAfterFirst(
	meta: Meta,
	rows: number,
	requested: number,
	rowLimit: RowLimit,
): number[] | undefined {
	if (rows === 0 || (rowLimit !== 'all' && rows >= rowLimit)) return [];
	// A limit above the cap is silently reduced: the page size in force is the one in the response. If `meta` only
	// repeats the requested size, it is the number of rows of any page but the last.
	const stride = Math.min(meta.limit || requested, rows);
	const counted = meta.total === undefined ? undefined : Math.ceil(meta.total / stride);
	if (counted === undefined && meta.totalPages === undefined) return undefined;
	const totalPages = Math.max(counted ?? 0, meta.totalPages ?? 0);
	const needed =
		rowLimit === 'all' ? totalPages : Math.min(totalPages, Math.ceil(rowLimit / stride));
	const last = Math.min(needed, MAX_PAGES);
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

/** The id of a record as text: strings and numbers are treated alike. */
export function idOf(row: unknown): string | undefined {
	if (!isRecord(row)) return undefined;
	const id = row.id ?? row._id ?? row.hsm_id;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** One page of a list. */
export interface Page {
	rows: unknown[];
	meta: Meta;
}

/** One reading of a list: its rows, and whether some may be missing. */
interface Reading {
	rows: unknown[];
	/** The list's total while it was read; several values if it changed. */
	totals: Set<number>;
}

/**
 * Reads a list page by page: page 1 first, then the others in parallel (API document, section Paging).
 *
 * Rows that are created or deleted meanwhile shift others between pages. If the total changed or rows are missing,
 * the list is read once more and both readings are merged; if rows are still missing, the user gets a notice.
 *
 * @param pageSize the endpoint's maximum
 * @param rowLimit 'all', or the exact number of rows, if there are that many
 */
export async function readPages(
	client: ServiceClient,
	request: ListRequest,
	pageSize: number,
	rowLimit: RowLimit,
): Promise<unknown[]> {
	const limit = rowLimit === 'all' ? pageSize : Math.min(pageSize, rowLimit);
	const first = await readOnce(client, request, limit, rowLimit);
	if (isComplete(first, rowLimit)) return atMost(first.rows, rowLimit);

	const second = await readOnce(client, request, limit, rowLimit);
	// Rows without an id cannot be merged: only those of one reading are kept.
	const rows = mergeById([second.rows, first.rows.filter((row) => idOf(row) !== undefined)]);
	// A second reading without a total says nothing about the rows that the first one lacked.
	const totals = second.totals.size > 0 ? second.totals : first.totals;
	if (!isComplete({ rows, totals }, rowLimit)) {
		const notify = (got: number, total: number) =>
			client.reporter.notify(
				`The list changed while being read: got ${got} of ${total} rows. Run it again later.`,
			);
		(request.onIncomplete ?? notify)(rows.length, Math.max(...totals));
	}
	return atMost(rows, rowLimit);
}

async function readOnce(
	client: ServiceClient,
	request: ListRequest,
	limit: number,
	rowLimit: RowLimit,
): Promise<Reading> {
	const totals = new Set<number>();
	const pages: unknown[][] = [];
	const read = async (page: number, by = client): Promise<Page> => {
		const found = await readPage(by, { ...request, query: { ...request.query, page, limit } });
		pages[page - 1] = found.rows;
		if (found.meta.total !== undefined) totals.add(found.meta.total);
		return found;
	};

	const first = await read(1);
	const rest = pagesAfterFirst(first.meta, first.rows.length, limit, rowLimit);
	if (rest) {
		// A page without new rows ends the list, whatever length was reported.
		let end = Infinity;
		const seen = new Set(first.rows.map(identity));
		await forEachAtServicePace(client, rest, async (page, by) => {
			if (page >= end) return;
			const { rows } = await read(page, by);
			// Counted after the wait: other pages arrive meanwhile, and their rows are not this page's.
			const before = seen.size;
			for (const row of rows) seen.add(identity(row));
			if (seen.size === before) end = Math.min(end, page);
		});
	} else {
		const identitiesOn = async (page: number) => (await read(page)).rows.map(identity);
		const seen = new Set(first.rows.map(identity));
		pages.length = (await readUntilNothingNew(seen, identitiesOn, rowLimit)) ?? 1;
	}
	return { rows: mergeById(pages), totals };
}

/**
 * For a list without a total: page after page from the second one, until one has no new rows. Some services return the
 * first page for every page number.
 *
 * @param seen the rows of the first page, by what identifies them; those of later pages are added
 * @param read reads a page and returns what identifies its rows; undefined if the page did not arrive
 * @returns the last page with new rows; undefined if a page did not arrive
 */
export async function readUntilNothingNew(
	seen: Set<string>,
	read: (page: number) => Promise<string[] | undefined>,
	rowLimit: RowLimit = 'all',
): Promise<number | undefined> {
	let page = 1;
	while (page < MAX_PAGES && (rowLimit === 'all' || seen.size < rowLimit)) {
		const before = seen.size;
		const rows = await read(page + 1);
		if (!rows) return undefined;
		for (const row of rows) seen.add(row);
		if (seen.size === before) break;
		page++;
	}
	return page;
}

const identity = (row: unknown): string => idOf(row) ?? JSON.stringify(row);

function isComplete({ rows, totals }: Reading, rowLimit: RowLimit): boolean {
	const [total, ...others] = totals;
	if (total === undefined || (rowLimit !== 'all' && rows.length >= rowLimit)) return true;
	return others.length === 0 && rows.length >= total;
}

/** The rows, or as many as are wanted. */
export function atMost(rows: unknown[], rowLimit: RowLimit): unknown[] {
	return rowLimit === 'all' ? rows : rows.slice(0, rowLimit);
}

/**
 * Reads the page that the call's query asks for.
 *
 * @throws NodeApiError if it was rejected, did not arrive, or contains no list
 */
export async function readPage(client: ServiceClient, request: ListRequest): Promise<Page> {
	const { json } = await send(client, request);
	const found = findRows(json, [request.rowsName].flat());
	// A list may be `data: null`, but not the list inside a record: without the record, its rows are unknown.
	const isMissing = request.endpoint.endsWith('{id}') && payloadOf(json) === null;
	if (!found || isMissing) throw unexpectedShapeError(client, request);
	const meta = plausible(metaOf(json, found.path), found.rows.length);
	if (request.query?.page === 1) request.onFirstPage?.(json, found.path, meta);
	const rows = request.pick ? found.rows.map(request.pick) : found.rows;
	return { rows, meta };
}

/** Counts without those that the rows of a page contradict: as if the service did not show the length of the list. */
function plausible({ limit, total, totalPages }: Meta, rows: number): Meta {
	const isTooSmall = (total ?? rows) < rows || (totalPages === 0 && rows > 0);
	return isTooSmall ? { limit } : { limit, total, totalPages };
}

/**
 * Reads a list without pages in one request. The user gets a notice if the service has more rows than it returned.
 *
 * @param rowLimit the maximum number of rows; sent only if the call's query has a limit, which the service may treat
 *   as approximate (API document, `GET /templates`)
 */
export async function readRows(
	client: ServiceClient,
	request: ListRequest,
	rowLimit: RowLimit,
): Promise<unknown[]> {
	const { rows, meta } = await readPage(client, request);
	if (rowLimit === 'all' || rows.length < rowLimit) {
		const left = leftOut(rows.length, meta, Number(request.query?.limit ?? Infinity));
		if (left !== undefined) client.reporter.notify(`${request.action}: got ${rows.length} ${left}`);
	}
	return atMost(rows, rowLimit);
}

/** The rest of the notice about rows that a single request leaves out; undefined if the list is complete. */
function leftOut(
	rows: number,
	{ total, limit = Infinity, totalPages = 1 }: Meta,
	requested: number,
): string | undefined {
	if (total !== undefined)
		return total > rows
			? `of ${total} records. The service returns no more in one request.`
			: undefined;
	const isFull = rows > 0 && (rows >= Math.min(limit, requested) || totalPages > 1);
	return isFull
		? 'records, the most that the service returns in one request. It may have more.'
		: undefined;
}
