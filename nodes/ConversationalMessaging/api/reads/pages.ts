import type { NodeApiError } from 'n8n-workflow';
import { type Shown, shown } from '../access/shown';
import {
	type Meta,
	findRows,
	metaOf,
	payloadOf,
	idOf,
	described,
	whatCame,
} from '../response/response';
import type { ServiceClient } from '../client';
import { type ListEndpoint, listedNames, SMALLEST_PAGE } from '../endpoint';
import { forEachAtServicePace } from '../servicePace';
import { type RequestInfo, failedError } from '../failures';
import type { ServiceRequest } from '../request';
import { send } from '../send';
import { capitalized, textOf } from '../base/text';

/** No list is read beyond this many pages, whatever length the service reports. */
export const MAX_PAGES = 10_000;

/** A list that is read page by page, or in one request. */
export interface ListRequest extends ServiceRequest {
	endpoint: ListEndpoint;
}

export interface ListRows {
	rows: unknown[];
	/** Its first page, for the data beside the rows; undefined of a history. */
	first?: Page;
	/** Why rows are missing, or may be; undefined if none is, or if more were not wanted. */
	gap?: Gap;
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
export function mergeById(pages: unknown[][], names: readonly string[]): unknown[] {
	const seen = new Set<string>();
	return pages.flat().filter((row) => {
		const id = idOf(row, names);
		if (id === undefined) return true;
		if (seen.has(id)) return false;
		seen.add(id);
		return true;
	});
}

export interface Page {
	rows: unknown[];
	meta: Meta;
	/** The response, for what is beside the rows. */
	json?: unknown;
	/** When the service sent it, in milliseconds since the epoch; undefined if its `Date` header does not show that. */
	sentAt?: number;
}

/** Why rows are missing: there are more pages than `MAX_PAGES`. */
export const TOO_LONG = 'the list has more than 10,000 pages';

/** That rows of a list are missing, or may be. */
export interface Gap {
	/** Why, to be continued: "the list changed while being read: got 3 of 4 rows" */
	reason: string;
	/** The same for the user, with what to do. */
	notice: Shown;
}

/** @param total of the list; undefined if it is unknown @param next what the user can do */
export function gapOf(why: string, count: number, total: number | undefined, next?: string): Gap {
	const rest = total === undefined ? ' rows, and there may be more' : ` of ${total} rows`;
	const reason = `${why}: got ${count}${rest}`;
	return { reason, notice: shown`${capitalized(reason)}.${next === undefined ? '' : ` ${next}`}` };
}

const GAPS = {
	tooLong: [TOO_LONG, 'Filters can reduce the list.'],
	repeated: ['the service returned the same rows again', 'Filters can reduce the list.'],
	changed: ['the list changed while being read', 'Run it again later.'],
} as const;

/** The pages of a list that have arrived, in any order, and what they show of it. */
class ArrivedPages {
	private readonly pages: unknown[][] = [];
	private readonly totals = new Set<number>();
	private readonly known = new Set<string>();
	private hasRepeated = false;

	constructor(private readonly names: readonly string[]) {}

	/** The first page without new rows: it ends the list, whatever length was reported. */
	end = MAX_PAGES + 1;

	get count(): number {
		return this.known.size;
	}

	/** The largest total that the service has returned; undefined if it returned none. */
	get total(): number | undefined {
		return this.totals.size > 0 ? Math.max(...this.totals) : undefined;
	}

	get rows(): unknown[] {
		return mergeById(this.pages, this.names);
	}

	add(number: number, { rows, meta }: Page): void {
		if (meta.total !== undefined) this.totals.add(meta.total);
		const { size } = this.known;
		for (const row of rows) this.known.add(rowKey(row, this.names));
		if (this.known.size > size) this.pages[number - 1] = rows;
		else {
			this.end = Math.min(this.end, number);
			this.hasRepeated ||= rows.length > 0;
		}
	}

	/**
	 * Why rows are missing, or may be; undefined if none is. A row without an ID that shifted is there twice, so different ones count.
	 *
	 * @param fullPage if page 1 has fewer rows, there is no other page
	 */
	gap(fullPage: number): keyof typeof GAPS | undefined {
		const { count, total, totals, hasRepeated } = this;
		const isTooLong = this.pages.length === MAX_PAGES;
		if (total === undefined) {
			const isCut = hasRepeated && (this.pages[0]?.length ?? 0) >= fullPage;
			return isTooLong ? 'tooLong' : isCut ? 'repeated' : undefined;
		}
		if (totals.size === 1 && count >= total) return undefined;
		if (isTooLong) return 'tooLong';
		return hasRepeated && totals.size === 1 ? 'repeated' : 'changed';
	}
}

/**
 * Reads a list page by page, once: page 1 first, then the others in parallel (API document, section Paging).
 *
 * Rows that are created or deleted meanwhile shift others between pages. There is a gap if the total changed or rows are
 * missing, or nothing shows that there are no others.
 *
 * @param pageSize the endpoint's maximum
 * @param rowLimit the number of rows, if there are that many; Infinity for all
 */
export async function readPages(
	client: ServiceClient,
	request: ListRequest,
	pageSize: number,
	rowLimit: number,
): Promise<ListRows> {
	const limit = Math.min(pageSize, rowLimit);
	const arrived = new ArrivedPages(listedNames(request.endpoint));
	const read = async (number: number, sender: ServiceClient): Promise<Page> => {
		const query = { ...request.query, page: number, limit };
		const page = await readPage(sender, { ...request, query });
		arrived.add(number, page);
		return page;
	};

	const first = await read(1, client);
	const others = pagesAfterFirst(first.meta, first.rows.length, rowLimit);
	if (others) {
		const lists = others.map((number) => [number]);
		await forEachAtServicePace(client, lists, async (number, sender) => {
			if (number < arrived.end) await read(number, sender);
		});
	} else {
		for (let number = 2; number < arrived.end && arrived.count < rowLimit; number++)
			await read(number, client);
	}
	const { rows, count, total } = arrived;
	const kind = rows.length < rowLimit ? arrived.gap(Math.min(limit, SMALLEST_PAGE)) : undefined;
	if (!kind) return { rows: rows.slice(0, rowLimit), first };
	const [why, next] = GAPS[kind];
	return { rows, first, gap: gapOf(why, count, total, next) };
}

/** What a row is recognized by: its ID, or all of it. @param names of the kind of record, as in `idOf` */
export const rowKey = (row: unknown, names?: readonly string[]): string =>
	idOf(row, names) ?? JSON.stringify(row);

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
	const rows = findRows(json, endpoint);
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
	const sentAt = Date.parse(textOf(headers.date));
	return { rows, meta, json, sentAt: Number.isNaN(sentAt) ? undefined : sentAt };
}

/** The error for records without IDs. @param what one of them is called */
export const withoutIds = (
	client: ServiceClient,
	request: RequestInfo,
	what: string,
	record: unknown,
): NodeApiError =>
	failedError(client, request, { kind: 'IDs', reason: String(described(what, record)) });
