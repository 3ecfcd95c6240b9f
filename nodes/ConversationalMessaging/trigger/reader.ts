import type { IDataObject, NodeApiError } from 'n8n-workflow';
import type { ServiceClient } from '../api/client';
import type { Page } from '../api/pages';
import { idOf, readPage } from '../api/pages';
import { recordOf } from '../api/record';
import { recordNames } from '../api/recordNames';
import { isRecord, statusOf } from '../api/response';
import { send } from '../api/send';
import { isNotFound, isRateLimited, isRejectedRecord, isTransient } from './failures';
import type {
	ListedPage,
	LookupReader,
	ObservedRecord,
	Partition,
	StatusSource,
} from './sources/source';

/** The requests for records of one source. Both functions throw NodeApiError. */
export interface Requests {
	/** One page of a list. */
	page(query: IDataObject): Promise<Page>;
	/** A full record; undefined if there is none with this ID. */
	record(id: string): Promise<IDataObject | undefined>;
}

/** After so many different records in a row that failed, the service is out of order, not the records. */
const FAILED_RECORDS = 3;

/**
 * Reads pages and single records of one source in one poll.
 *
 * The failure of a list (rate limit, timeout, unavailable service) ends the poll: every further read returns undefined
 * at once, and what was read before remains valid. The failure of a single record ends nothing; three different ones in
 * a row end only the reading of single records.
 */
export class Reader implements LookupReader {
	/** The number of rows on a full page, if it is smaller than the response states. */
	served?: number;

	/** Whether pages so far had a total; undefined before the first one. */
	private hasTotals?: boolean;

	private listFailure?: NodeApiError;

	private recordFailure?: NodeApiError;

	private failedRecords = 0;

	constructor(
		private readonly requests: Requests,
		readonly source: StatusSource,
		/** Query parameters that filter every list. */
		private readonly scope: IDataObject = {},
		pageSize?: number,
	) {
		this.served = pageSize;
	}

	/** Why this poll is incomplete; undefined if it is complete. */
	get failure(): NodeApiError | undefined {
		return this.listFailure ?? this.recordFailure;
	}

	/** Whether nothing more can be requested in this poll. */
	get isOver(): boolean {
		return this.listFailure !== undefined;
	}

	/** Another reader of the same lists, whose failures do not concern this one. */
	another(): Reader {
		const reader = new Reader(this.requests, this.source, this.scope, this.served);
		reader.hasTotals = this.hasTotals;
		return reader;
	}

	/**
	 * One page of a list.
	 *
	 * @param number from 1
	 * @returns undefined if the poll has failed, or if the service rejects this page, but not the first one: some services
	 *   limit how far a list can be read. Such a page is not an empty one
	 * @throws NodeApiError if the next poll could not read the list either
	 */
	async page(number: number, list?: Partition): Promise<ListedPage | undefined> {
		return await this.read(number, list, (error) => {
			if (number > 1 && isRejectedRecord(error)) return;
			if (!isTransient(error)) throw error;
			this.listFailure ??= error;
		});
	}

	/**
	 * A page without which a poll is complete: that of a long list, beyond its first one. If the service always fails for it,
	 * nothing else has to wait: only the rate limit ends the poll.
	 *
	 * @returns undefined if the poll has failed, or if this page cannot be read
	 * @throws NodeApiError if the token is rejected
	 */
	async deepPage(number: number, list?: Partition): Promise<ListedPage | undefined> {
		return await this.read(number, list, (error) => {
			if (isRejectedRecord(error)) return;
			if (!isTransient(error)) throw error;
			this.isInterrupted = true;
			if (isRateLimited(error)) this.listFailure ??= error;
		});
	}

	/** Whether a deep page failed without being rejected: the next poll may read it. */
	isInterrupted = false;

	/** @param onFailure what a failure of this page means; may throw it */
	private async read(
		number: number,
		list: Partition | undefined,
		onFailure: (error: unknown) => void,
	): Promise<ListedPage | undefined> {
		if (this.listFailure) return undefined;
		const { layout, pageSize: limit } = this.source;
		const page = layout === 'recent' ? undefined : number;
		const query = { ...this.scope, ...list?.query, ...(page && { page }), limit };
		const found = await this.requests.page(query).catch((error: unknown): Page | undefined => {
			// Without totals, nothing else shows which page is the last one.
			if (number > 1 && this.hasTotals === false && isNotFound(error))
				return { rows: [], meta: {} };
			onFailure(error);
			return undefined;
		});
		return found && this.listed(found, number, list);
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
	 * What `read` finds out about one record, by `rows` and `record`.
	 *
	 * @returns undefined if it cannot be read now; 'rejected' if the service rejects only this record
	 * @throws NodeApiError if the next poll could not read any record either
	 */
	async aboutRecord<T>(read: () => Promise<T>): Promise<T | 'rejected' | undefined> {
		if (this.failure) return undefined;
		const found = await read().catch((error: unknown): 'rejected' | undefined => {
			if (isRejectedRecord(error)) return 'rejected';
			if (!isTransient(error)) throw error;
			this.failedRecords++;
			if (isRateLimited(error)) this.listFailure ??= error;
			else if (this.failedRecords >= FAILED_RECORDS) this.recordFailure ??= error;
			return undefined;
		});
		if (found !== undefined && found !== 'rejected') this.failedRecords = 0;
		return found;
	}

	/** The rows of any list of the source. @throws NodeApiError */
	async rows(query: IDataObject): Promise<Page> {
		return await this.requests.page(query);
	}

	/** A full record; undefined if there is none with this ID. @throws NodeApiError */
	async record(id: string): Promise<IDataObject | undefined> {
		return await this.requests.record(id);
	}
}

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
