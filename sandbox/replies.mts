import type { PageSize } from './contract.mts';

export interface Meta {
	total: number;
	page: number;
	limit: number;
	totalPages: number;
}

/** What a handler returns: a record, a list under the name of its rows, or a CSV file. */
export type Reply =
	| { kind: 'record'; data: unknown; meta?: Meta }
	| { kind: 'list'; name: string; rows: unknown[]; meta: Meta }
	| { kind: 'csv'; fileName: string; csv: string | AsyncIterable<string> | Iterable<string> };

export const record = (data: unknown, meta?: Meta): Reply => ({ kind: 'record', data, meta });

export const csvFile = (fileName: string, csv: string | Iterable<string>): Reply => ({
	kind: 'csv',
	fileName,
	csv,
});

/**
 * A list on one page, for the routes without pages.
 *
 * @param limit how many rows are returned; all if missing
 */
export function wholeList(name: string, rows: unknown[], limit = rows.length): Reply {
	const meta = metaOf(rows.length, { page: 1, limit: Math.max(1, limit) });
	return { kind: 'list', name, rows: rows.slice(0, limit), meta };
}

/** The page in force: a missing size is the default, a size above the maximum is silently reduced to it. */
export function pageOf(
	query: { page?: number; limit?: number },
	size: PageSize,
): { page: number; limit: number } {
	return { page: query.page ?? 1, limit: Math.min(query.limit ?? size.default, size.cap) };
}

export function metaOf(total: number, { page, limit }: { page: number; limit: number }): Meta {
	return { total, page, limit, totalPages: Math.ceil(total / limit) };
}

/** A rejection by the service. */
export class HttpError extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}
}

export const notFound = (what: string): HttpError => new HttpError(404, `${what} not found`);
export const invalid = (message: string): HttpError => new HttpError(400, message);
export const conflict = (message: string): HttpError => new HttpError(409, message);

/** Lines grouped into larger pieces, so that a large file is not sent line by line. */
export function* chunked(lines: Iterable<string>): Generator<string> {
	let piece = '';
	for (const line of lines) {
		piece += line;
		if (piece.length > 65_536) {
			yield piece;
			piece = '';
		}
	}
	yield piece;
}
