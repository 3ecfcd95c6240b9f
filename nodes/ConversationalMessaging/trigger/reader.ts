import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { ServiceClient } from '../api/client';
import type { Page } from '../api/pages';
import { idOf, readPage } from '../api/pages';
import { recordOf } from '../api/record';
import { recordNames } from '../api/recordNames';
import { isRecord, statusOf } from '../api/response';
import { send } from '../api/send';
import { concernsAll, isNotFound, isRejectedRecord } from './failures';
import type {
	ListedPage,
	ObservedRecord,
	Partition,
	Requests,
	StatusSource,
} from './sources/source';

/** What reading a page led to: undefined if the next poll may read it, 'rejected' if the service refuses this page. */
export type PageResult = ListedPage | 'rejected' | undefined;

/** After so many different records in a row that failed, the service is out of order, not the records. */
const FAILED_RECORDS = 3;

/**
 * Reads pages and single records of one source in one poll.
 *
 * What cannot be read ends as little as possible:
 *
 * - a page or a record that the service rejects ends nothing;
 * - a record that fails ends nothing, but three different ones in a row end the look-ups, or the reading of details;
 * - a page that the poll needs, the rate limit, and a token that is rejected end the poll: every further read returns
 *   undefined at once. What was read before remains valid.
 */
export class Reader {
	/** The number of rows on a full page, if it is smaller than the responses state. */
	private served?: number;

	/** Whether pages so far had a total; undefined before the first one. */
	private hasTotals?: boolean;

	private listFailure?: NodeApiError;

	private recordFailure?: NodeApiError;

	private readonly failedRecords = new Set<string>();

	/** How many different records in a row failed, by what was read of them. */
	private readonly failedInRow = { lookUp: 0, detail: 0 };

	/** Why a page after the first one was rejected. */
	private rejection?: NodeApiError;

	constructor(
		/** For one record. What they throw is for `aboutRecord`. */
		readonly requests: Requests,
		readonly source: StatusSource,
		/** Query parameters that filter every list. */
		private readonly scope: IDataObject = {},
	) {}

	/** Why this poll is incomplete; undefined if it is complete. */
	get failure(): NodeApiError | undefined {
		return this.listFailure ?? this.recordFailure;
	}

	/** To be called if a short list could not be read in full: the poll is incomplete, although it goes on. */
	listIsIncomplete(): void {
		this.recordFailure ??= this.rejection;
	}

	/** Whether nothing more can be requested in this poll. */
	get isOver(): boolean {
		return this.listFailure !== undefined;
	}

	/**
	 * A page that the poll needs: the first one of a list, or one of a short list. The failure of such a page ends the poll, and
	 * so does the rejection of a first page. A later one may be rejected, because some services limit how far a list can be
	 * read; it is not an empty page.
	 *
	 * @param number from 1
	 * @param list undefined for the list of all records
	 */
	async page(number: number, list?: Partition): Promise<PageResult> {
		return await this.read(number, list, true);
	}

	/** A page that can wait: one of a long list, beyond the first one. Its failure ends nothing, even if it always fails. */
	async deepPage(number: number, list?: Partition): Promise<PageResult> {
		return await this.read(number, list, false);
	}

	private async read(
		number: number,
		list: Partition | undefined,
		isNeeded: boolean,
	): Promise<PageResult> {
		if (this.listFailure) return undefined;
		const { layout, pageSize: limit } = this.source;
		const page = layout === 'recent' ? undefined : number;
		const query = { ...this.scope, ...list?.query, ...(page && { page }), limit };
		const found = await this.requests
			.page(query)
			.catch((error: unknown): Page | 'rejected' | undefined => {
				// Without totals, nothing else shows which page is the last one.
				if (number > 1 && this.hasTotals === false && isNotFound(error))
					return { rows: [], meta: {} };
				if (!(error instanceof NodeApiError)) throw error;
				if (isRejectedRecord(error) && !(isNeeded && number === 1)) {
					this.rejection ??= error;
					return 'rejected';
				}
				if (isNeeded || concernsAll(error)) this.listFailure ??= error;
				return undefined;
			});
		return typeof found === 'object' ? this.listed(found, number, list) : found;
	}

	private listed({ rows, meta }: Page, number: number, list?: Partition): ListedPage {
		this.hasTotals = meta.total !== undefined;
		// A limit above the maximum is silently reduced: the page size in force is the one in the response, or, if the
		// response repeats the limit, the number of rows on a page that is not the last one.
		const stated = Math.max(1, meta.limit ?? this.source.pageSize);
		const total = meta.total ?? 0;
		const isLast = number === 1 ? rows.length >= total : number * stated >= total;
		if (rows.length > (this.served ?? Infinity)) this.served = undefined;
		if (rows.length > 0 && rows.length < stated && !isLast)
			this.served = Math.min(rows.length, this.served ?? rows.length);
		return {
			status: list?.status,
			number,
			size: Math.min(stated, this.served ?? stated),
			total: meta.total,
			length: rows.length,
			records: recordsIn(rows, this.source, list?.status),
		};
	}

	/**
	 * What `read` finds out about one record, by `requests`. A record that failed is not read again in this poll.
	 *
	 * @param kind what it is read for: failures of the one do not end the other
	 * @returns undefined if it cannot be read now; 'rejected' if the service rejects only this record
	 */
	async aboutRecord<T>(
		kind: 'lookUp' | 'detail',
		id: string,
		read: () => Promise<T>,
	): Promise<T | 'rejected' | undefined> {
		const hasEnded = this.failedInRow[kind] >= FAILED_RECORDS;
		if (this.listFailure || hasEnded || this.failedRecords.has(id)) return undefined;
		const found = await read().catch((error: unknown): 'rejected' | undefined => {
			if (isRejectedRecord(error)) return 'rejected';
			if (!(error instanceof NodeApiError)) throw error;
			this.failedRecords.add(id);
			this.failedInRow[kind]++;
			if (concernsAll(error)) this.listFailure ??= error;
			else if (this.failedInRow[kind] >= FAILED_RECORDS) this.recordFailure ??= error;
			return undefined;
		});
		if (found !== undefined && found !== 'rejected' && this.failedInRow[kind] < FAILED_RECORDS)
			this.failedInRow[kind] = 0;
		return found;
	}
}

/** Whether a page was read. */
export const isPage = (result: PageResult): result is ListedPage => typeof result === 'object';

/** The rows that are records with an ID and a status. Others are left out. */
export function recordsIn(
	rows: unknown[],
	{ layout, normalizeStatus }: StatusSource,
	listed?: string,
): ObservedRecord[] {
	return rows.flatMap((row) => {
		const id = idOf(row);
		if (!isRecord(row) || id === undefined || id.trim() === '') return [];
		const own = layout === 'filtered' ? undefined : statusOf(row);
		const status = own === undefined ? listed : normalizeStatus(own);
		return status === undefined || status === '' ? [] : [{ id, status, record: row }];
	});
}

/** The requests for a source's records. */
export function requestsFor(client: ServiceClient, source: StatusSource): Requests {
	const { rowsName, noun } = source;
	const names = recordNames(source.detail);
	const action = `Watch ${noun}s`;
	return {
		async page(query) {
			return await readPage(client, { endpoint: source.list, action, rowsName, query });
		},
		async record(id) {
			const request = { endpoint: source.detail, action, path: { id }, acceptStatuses: [404] };
			const { status, json } = await send(client, request);
			return status === 404 ? undefined : recordOf(json, names).record;
		},
	};
}
