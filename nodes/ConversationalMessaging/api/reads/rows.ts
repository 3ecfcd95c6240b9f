import type { ServiceClient } from '../client';
import { pagingOf, GENERAL_PAGES } from '../endpoint';
import type { Meta } from '../response/response';
import { readHistory } from './history';
import type { ListRequest } from './pages';
import { readPage, readPages, reportIncomplete } from './pages';

/**
 * Reads the rows of a list in the way of its endpoint: page by page, by cursor, or in one request. The user gets a notice if rows are missing,
 * or may be.
 *
 * @param rowLimit the number of rows, if there are that many; Infinity for all
 * @throws NodeApiError if a request is rejected, or returns something else than a list
 */
export async function readRows(
	client: ServiceClient,
	request: ListRequest,
	rowLimit: number,
): Promise<unknown[]> {
	const { pages, take } = pagingOf(request.endpoint);
	if (pages !== undefined) return await readPages(client, request, pages, rowLimit);
	if (take !== undefined) return await readHistory(client, request, take, rowLimit);
	return await readAtOnce(client, request, rowLimit);
}

/** Reads the rows of a list without pages. */
async function readAtOnce(
	client: ServiceClient,
	request: ListRequest,
	rowLimit: number,
): Promise<unknown[]> {
	const { limit: most } = pagingOf(request.endpoint);
	const limit = most === undefined ? undefined : Math.min(rowLimit, most);
	const query = { limit, ...request.query };
	const { rows, meta } = await readPage(client, { ...request, query });
	const requested = Number(query.limit ?? Infinity);
	// A limit may be approximate (API document, `GET /templates`).
	const full = rowLimit === Infinity ? requested / 2 : requested;
	if (rows.length < rowLimit && mayBeCut(rows.length, meta, full)) {
		const reason = 'the service returns no more in one request';
		reportIncomplete(client, request, reason, rows.length, meta.total);
	}
	return rows.slice(0, rowLimit);
}

/** Whether there may be more rows than one request returned, of which `full` are a full page. */
function mayBeCut(rows: number, { total, limit, totalPages }: Meta, full: number): boolean {
	if (total !== undefined) return total > rows;
	if (totalPages !== undefined) return totalPages > 1;
	return rows >= Math.min(full, limit ?? Infinity) || GENERAL_PAGES.includes(rows);
}
