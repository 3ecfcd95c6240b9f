import type { IDataObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isRecord, statusOf } from '../api/response';
import type { ServiceClient } from '../api/client';
import type { Page } from '../api/pages';
import { idOf, readPage } from '../api/pages';
import { recordOf } from '../api/record';
import { recordNames } from '../api/recordNames';
import { send } from '../api/send';
import type { LookupReader, ObservedRecord, StatusSource } from './sources/source';

/** How the records of one source are read. Both functions throw NodeApiError. */
export interface Reader {
	/** One page of the list. */
	page(query: IDataObject): Promise<Page>;
	/** A full record; undefined if there is none with this ID. */
	record(id: string): Promise<IDataObject | undefined>;
}

/** One page of a list, as read. */
export interface ListedPage {
	/** The status that the list was filtered by; undefined for the whole list. */
	status?: string;
	/** From 1. */
	number: number;
	/** The number of rows per page of this list. */
	size: number;
	/** The total number of records of this list; undefined if the service does not return it. */
	total?: number;
	/** The number of returned rows, including those that are not records. */
	length: number;
	records: ObservedRecord[];
}

export const idsOn = ({ records }: ListedPage): string[] => records.map(({ id }) => id);

/**
 * Reads pages and single records of one source, and records failures.
 *
 * After a rate limit, a timeout or a server failure, nothing more is requested: every further read returns undefined
 * at once. What was read before remains valid.
 */
export class Lister implements LookupReader {
	private reason?: NodeApiError;

	constructor(
		private readonly reader: Reader,
		readonly source: StatusSource,
		/** Query parameters that filter every list. */
		private readonly scope: IDataObject = {},
		/** The number of rows on a full page, if it is smaller than the response states. */
		private served?: number,
	) {}

	/** Why this poll is incomplete; undefined if it is complete. */
	get failure(): NodeApiError | undefined {
		return this.reason;
	}

	/**
	 * One page of a list; undefined if it could not be read. @throws NodeApiError if the next poll could not read it
	 * either
	 */
	async page(
		number: number,
		list: { query?: IDataObject; status?: string } = {},
	): Promise<ListedPage | undefined> {
		const { layout, pageSize: limit } = this.source;
		const page = layout === 'recent' ? undefined : number;
		const query = { ...this.scope, ...list.query, ...(page && { page }), limit };
		const found = await this.attempt(
			async () =>
				await this.reader.page(query).catch((error: unknown): Page => {
					// The list may have become shorter: a page after its end may be rejected.
					if (number > 1 && isRejectedRecord(error)) return { rows: [], meta: {} };
					throw error;
				}),
		);
		if (!found) return undefined;
		const { rows, meta } = found;
		// A limit above the maximum is silently reduced: the page size in force is the one in the response, or, if the
		// response repeats the limit, the number of rows on a page that is not the last one.
		const stated = Math.max(1, meta.limit ?? limit);
		const isLast =
			number === 1 ? rows.length >= (meta.total ?? 0) : number * stated >= (meta.total ?? 0);
		if (rows.length > (this.served ?? Infinity)) this.served = undefined;
		if (rows.length > 0 && rows.length < stated && !isLast)
			this.served = Math.min(rows.length, this.served ?? rows.length);
		return {
			status: list.status,
			number,
			size: Math.min(stated, this.served ?? stated),
			total: meta.total,
			length: rows.length,
			records: recordsIn(rows, this.source, list.status),
		};
	}

	/** The rows of any list of the source. @throws NodeApiError */
	async rows(query: IDataObject): Promise<Page> {
		return await this.reader.page(query);
	}

	/** A full record; undefined if there is none with this ID. @throws NodeApiError */
	async record(id: string): Promise<IDataObject | undefined> {
		return await this.reader.record(id);
	}

	/** @returns undefined if it could not be read, now or before. @throws if the next poll could not read it either */
	async attempt<T>(read: () => Promise<T>): Promise<T | undefined> {
		if (this.reason) return undefined;
		return await read().catch((error: unknown) => {
			if (!isTransient(error)) throw error;
			this.reason ??= error;
			return undefined;
		});
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

/** Whether the next poll may succeed: after the rate limit, an unavailable or slow service, no connection. */
export function isTransient(error: unknown): error is NodeApiError {
	if (!(error instanceof NodeApiError)) return false;
	const status = Number(error.httpCode ?? 0);
	return !(status >= 300 && status < 500) || status === 408 || status === 429;
}

/** Whether the service rejected only this record: an unknown token (401) is rejected for every record. */
export function isRejectedRecord(error: unknown): boolean {
	// An ID that cannot be part of a path.
	if (error instanceof NodeOperationError) return true;
	const status = error instanceof NodeApiError ? Number(error.httpCode ?? 0) : 0;
	return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}

/** Reads the records of a source from the service. */
export function readerOf(client: ServiceClient, source: StatusSource): Reader {
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
