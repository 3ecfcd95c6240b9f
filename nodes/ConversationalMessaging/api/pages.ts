import type { Meta } from './response';
import { findRows, isRecord, metaOf } from './response';
import type { ServiceClient } from './client';
import { MAX_IN_FLIGHT } from './rateLimiter';
import { forEachConcurrent } from './concurrency';
import { unexpectedShapeError } from './errors';
import type { ServiceRequest } from './send';
import { send } from './send';

/** No list is read beyond this many pages, whatever the service says of its length. */
export const MAX_PAGES = 10_000;

/** A list of the service that is read page by page, or at once. */
export interface ListRequest extends ServiceRequest {
	/** What the rows are probably called inside `data`: one name or several, e.g. "tickets" (see `findRows`). */
	rowsName: string | readonly string[];
	/** Is given the first page as it came, for what is there beside the rows, and where these are in its payload. */
	onFirstPage?: (json: unknown, path: string[]) => void;
}

/** All rows, or the first so many. */
export type RowLimit = number | 'all';

/**
 * Which pages hold the wanted rows, after page 1 has told how long the list is.
 *
 * @param rows how many rows page 1 had
 * @param asked the page size that was asked for
 * @returns page numbers from 2 on; undefined when page 1 did not tell, and pages have to be tried one by one
 */
export function pagesAfterFirst(
	meta: Meta,
	rows: number,
	asked: number,
	rowLimit: RowLimit,
): number[] | undefined {
	if (rows === 0 || (rowLimit !== 'all' && rows >= rowLimit)) return [];
	// A limit over the cap is lowered without a word: the page size in force is the one that comes back, and where
	// `meta` only repeats what was asked for, the number of rows of a page that is not the last one.
	const stated = meta.limit || Math.min(rows, asked);
	const stride = meta.total !== undefined && meta.total > rows ? Math.min(stated, rows) : stated;
	const counted = meta.total === undefined ? undefined : Math.ceil(meta.total / stride);
	const totalPages =
		stride < stated ? Math.max(counted ?? 0, meta.totalPages ?? 0) : (meta.totalPages ?? counted);
	if (totalPages === undefined) return undefined;
	const needed =
		rowLimit === 'all' ? totalPages : Math.min(totalPages, Math.ceil(rowLimit / stride));
	const last = Math.min(needed, MAX_PAGES);
	return Array.from({ length: Math.max(0, last - 1) }, (_, index) => index + 2);
}

/** Rows in page order without repeats: rows that shift between pages turn up twice. Rows without an id are all kept. */
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

/** The id of a record as text: whether ids are strings or numbers makes no difference. */
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

type ReadPage = (page: number) => Promise<Page>;

/** One reading of a list: its rows, and whether it can have missed some. */
interface Reading {
	rows: unknown[];
	/** The list's length while it was read; several values when it changed. */
	totals: Set<number>;
}

/**
 * Reads a list page by page: page 1 first, then the others side by side (API document, section Paging).
 *
 * Rows that come or go meanwhile shift others between pages. When the length changed, or rows are missing at the
 * end, the list is read once more and both readings are joined; if that did not settle it, the person is told.
 *
 * @param pageSize the endpoint's own cap
 * @param rowLimit 'all', or how many rows exactly, if there are as many
 */
export async function readPages(
	client: ServiceClient,
	request: ListRequest,
	pageSize: number,
	rowLimit: RowLimit,
): Promise<unknown[]> {
	const limit = rowLimit === 'all' ? pageSize : Math.min(pageSize, rowLimit);
	const first = await readOnce(client, request, limit, rowLimit);
	if (isComplete(first, rowLimit)) return cut(first.rows, rowLimit);

	const second = await readOnce(client, request, limit, rowLimit);
	// Rows without an id cannot be told apart: those of one reading have to do.
	const rows = mergeById([second.rows, first.rows.filter((row) => idOf(row) !== undefined)]);
	if (!isComplete({ ...second, rows }, rowLimit)) {
		client.notify(
			`The list changed while being read: got ${rows.length} of ${Math.max(...second.totals)} rows. Run it again later.`,
		);
	}
	return cut(rows, rowLimit);
}

async function readOnce(
	client: ServiceClient,
	request: ListRequest,
	limit: number,
	rowLimit: RowLimit,
): Promise<Reading> {
	const totals = new Set<number>();
	const pages: unknown[][] = [];
	const read: ReadPage = async (page) => {
		const found = await readPage(client, { ...request, query: { ...request.query, page, limit } });
		pages[page - 1] = found.rows;
		if (found.meta.total !== undefined) totals.add(found.meta.total);
		return found;
	};

	const first = await read(1);
	const rest = pagesAfterFirst(first.meta, first.rows.length, limit, rowLimit);
	if (rest) {
		// A page that brings nothing new ends the list, whatever its length was said to be.
		let end = Infinity;
		const seen = new Set(first.rows.map(identity));
		await forEachConcurrent(rest, MAX_IN_FLIGHT, async (page) => {
			if (page >= end) return;
			const { rows } = await read(page);
			// Counted after the wait: other pages come meanwhile, and what they bring is not this one's.
			const before = seen.size;
			for (const row of rows) seen.add(identity(row));
			if (seen.size === before) end = Math.min(end, page);
		});
	} else {
		pages.length = await readUntilNothingNew(first.rows, read, rowLimit);
	}
	return { rows: mergeById(pages.filter(Boolean)), totals };
}

/**
 * For a list that does not tell its length: page after page, until one brings nothing new. Some services answer
 * every page with the first one.
 *
 * @returns how many pages brought something
 */
async function readUntilNothingNew(
	firstRows: unknown[],
	read: ReadPage,
	rowLimit: RowLimit,
): Promise<number> {
	const seen = new Set(firstRows.map(identity));
	let page = 1;
	while (page < MAX_PAGES && (rowLimit === 'all' || seen.size < rowLimit)) {
		const before = seen.size;
		for (const row of (await read(page + 1)).rows) seen.add(identity(row));
		if (seen.size === before) break;
		page++;
	}
	return page;
}

const identity = (row: unknown): string => idOf(row) ?? JSON.stringify(row);

function isComplete({ rows, totals }: Reading, rowLimit: RowLimit): boolean {
	if (totals.size === 0 || (rowLimit !== 'all' && rows.length >= rowLimit)) return true;
	return totals.size === 1 && rows.length >= Math.max(...totals);
}

function cut(rows: unknown[], rowLimit: RowLimit): unknown[] {
	return rowLimit === 'all' ? rows : rows.slice(0, rowLimit);
}

/**
 * Reads one page, as the call's query asks for it.
 *
 * @throws NodeApiError when it was refused, did not come, or holds no list
 */
export async function readPage(client: ServiceClient, request: ListRequest): Promise<Page> {
	const { json } = await send(client, request);
	const found = findRows(json, [request.rowsName].flat());
	if (!found) throw unexpectedShapeError(client, request);
	if (request.query?.page === 1) request.onFirstPage?.(json, found.path);
	return { rows: found.rows, meta: metaOf(json, found.path) };
}

/**
 * Reads a list that has no pages: one request. Fewer rows than the user wants, while the service has more, are said.
 *
 * @param rowLimit how many rows at the most; sent only where the call's query names a limit, which the service may
 *   take as approximate (API document, `GET /templates`)
 */
export async function readRows(
	client: ServiceClient,
	request: ListRequest,
	rowLimit: RowLimit,
): Promise<unknown[]> {
	const { rows, meta } = await readPage(client, request);
	if (rowLimit === 'all' || rows.length < rowLimit) {
		const left = leftOut(rows.length, meta, Number(request.query?.limit ?? Infinity));
		if (left !== undefined) client.notify(`${request.action} returned ${rows.length} ${left}`);
	}
	return cut(rows, rowLimit);
}

/** What a list of one request leaves out, to be said after the number of its rows; undefined when it is complete. */
function leftOut(
	rows: number,
	{ total, limit = Infinity, totalPages = 1 }: Meta,
	asked: number,
): string | undefined {
	if (total !== undefined)
		return total > rows
			? `of ${total} records. The service does not return more in one request.`
			: undefined;
	const isFull = rows > 0 && (rows >= Math.min(limit, asked) || totalPages > 1);
	return isFull
		? 'records, the most that the service returns in one request. There may be more.'
		: undefined;
}

/**
 * Reads a history, newest first, by its cursor (API document, `GET /chats/{id}/messages`). How the next cursor is
 * told is undocumented, but it is a row's ID and the page starts behind it: the last row's ID is the cursor.
 *
 * @param pageSize the endpoint's cap of `take`
 */
export async function readHistory(
	client: ServiceClient,
	request: ListRequest,
	pageSize: number,
	rowLimit: RowLimit,
): Promise<unknown[]> {
	const rows: unknown[] = [];
	const seen = new Set<string>();
	const take = rowLimit === 'all' ? pageSize : Math.min(pageSize, rowLimit);
	let cursor = request.query?.cursor as string | undefined;
	for (let page = 1; page <= MAX_PAGES && (rowLimit === 'all' || rows.length < rowLimit); page++) {
		const { rows: found, meta } = await readPage(client, {
			...request,
			query: { ...request.query, take, cursor },
		});
		const fresh = found.filter((row) => !seen.has(identity(row)));
		for (const row of fresh) seen.add(identity(row));
		rows.push(...fresh);
		cursor = idOf(found[found.length - 1]);
		const stride = meta.limit ? Math.min(meta.limit, take) : take;
		if (fresh.length === 0 || found.length < stride) break;
		if (cursor === undefined) {
			client.notify(
				`Got only the first ${rows.length} rows: without IDs, the next page cannot be requested. There may be older ones.`,
			);
			break;
		}
	}
	return cut(rows, rowLimit);
}
