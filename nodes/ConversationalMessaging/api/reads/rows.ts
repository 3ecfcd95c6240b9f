import type { ServiceClient } from '../client';
import { pagingOf, GENERAL_PAGES } from '../endpoint';
import type { Meta } from '../response/response';
import { readHistory } from './history';
import { type ListRequest, type ListRows, gapOf, readPage, readPages } from './pages';

/**
 * Reads a list in the way of its endpoint: page by page, by cursor, or in one request.
 *
 * @param rowLimit the number of rows, if there are that many; Infinity for all
 * @throws NodeApiError if a request is rejected, or returns something else than a list
 */
export async function readList(
	client: ServiceClient,
	request: ListRequest,
	rowLimit: number,
): Promise<ListRows> {
	const { pages, take, limit: most } = pagingOf(request.endpoint);
	if (pages !== undefined) return await readPages(client, request, pages, rowLimit);
	if (take !== undefined) return await readHistory(client, request, take, rowLimit);
	const limit = most === undefined ? undefined : Math.min(rowLimit, most);
	const query = { limit, ...request.query };
	const first = await readPage(client, { ...request, query });
	const { rows, meta } = first;
	const requested = Number(query.limit ?? Infinity);
	// A limit may be approximate (API document, `GET /templates`).
	const full = rowLimit === Infinity ? requested / 2 : requested;
	if (rows.length >= rowLimit || !mayBeCut(rows.length, meta, full))
		return { rows: rows.slice(0, rowLimit), first };
	// A service may page any list (API document, sections Paging and Limits, "General lists").
	if (query.limit === undefined && (meta.totalPages ?? 1) > 1)
		return await readPages(client, request, Math.max(...GENERAL_PAGES), rowLimit);
	const why = 'the service returns no more in one request';
	return { rows, first, gap: gapOf(why, rows.length, meta.total) };
}

/** The same, for an operation that needs the rows only. The user gets a notice if some are missing, or may be. */
export async function readRows(
	client: ServiceClient,
	request: ListRequest,
	rowLimit: number,
): Promise<unknown[]> {
	const { rows, gap } = await readList(client, request, rowLimit);
	if (gap) client.reporter.notify(gap.notice);
	return rows;
}

function mayBeCut(rows: number, { total, limit, totalPages }: Meta, fullPage: number): boolean {
	if (total !== undefined) return total > rows;
	if (totalPages !== undefined) return totalPages > 1;
	return rows >= Math.min(fullPage, limit ?? Infinity) || GENERAL_PAGES.includes(rows);
}
