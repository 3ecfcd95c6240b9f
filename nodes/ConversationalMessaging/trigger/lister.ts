import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { isRecord, statusOf } from '../api/response';
import type { ServiceClient } from '../api/client';
import type { Page } from '../api/pages';
import { idOf, readPage } from '../api/pages';
import { recordOf } from '../api/record';
import { send } from '../api/send';
import type { ObservedRecord, StatusSource } from './sources/source';

/** How the records of one source are read. Both functions throw NodeApiError. */
export interface Reader {
	/** One page of the list. */
	page(query: IDataObject): Promise<Page>;
	/** A record in full; undefined when there is none with this ID. */
	record(id: string): Promise<IDataObject | undefined>;
}

/** One page of one list, as it was read. */
export interface ListedPage {
	/** The status that the list was filtered by; undefined for the whole list. */
	status?: string;
	/** From 1. */
	number: number;
	/** How many rows a page of this list has. */
	size: number;
	/** How many records the whole of this list has; undefined where the service does not say. */
	total?: number;
	/** How many rows came, also those that are no records. */
	length: number;
	records: ObservedRecord[];
}

/**
 * Reads pages and single records of one source, and notes what went wrong.
 *
 * After the rate limit, a time-out or a server that is down, nothing more is asked for: every further read returns
 * undefined at once, and what was read before is certain all the same.
 */
export class Lister {
	private reason?: NodeApiError;

	constructor(
		private readonly reader: Reader,
		readonly source: StatusSource,
		/** Query parameters that narrow every list. */
		private readonly scope: IDataObject = {},
	) {}

	/** What kept this poll from seeing everything; undefined when nothing did. */
	get failure(): NodeApiError | undefined {
		return this.reason;
	}

	/** One page of a list; undefined when it did not come. @throws NodeApiError what the next poll would not get either */
	async page(
		number: number,
		list: { query?: IDataObject; status?: string } = {},
	): Promise<ListedPage | undefined> {
		const { layout, pageSize: limit } = this.source;
		const page = layout === 'recent' ? undefined : number;
		const query = { ...this.scope, ...list.query, ...(page && { page }), limit };
		const found = await this.attempt(async () => await this.reader.page(query));
		if (!found) return undefined;
		const { rows, meta } = found;
		return {
			status: list.status,
			number,
			// A limit over the cap is lowered without a word: the page size in force is the one that comes back.
			size: Math.max(1, meta.limit ?? limit),
			total: meta.total,
			length: rows.length,
			records: recordsIn(rows, this.source, list.status),
		};
	}

	/** The rows of any list of the source. @throws NodeApiError */
	async rows(query: IDataObject): Promise<Page> {
		return await this.reader.page(query);
	}

	/** A record in full; undefined when there is none with this ID. @throws NodeApiError */
	async record(id: string): Promise<IDataObject | undefined> {
		return await this.reader.record(id);
	}

	/** @returns undefined when it did not come, now or before. @throws what the next poll would not get either */
	async attempt<T>(read: () => Promise<T>): Promise<T | undefined> {
		if (this.reason) return undefined;
		return await read().catch((error: unknown) => {
			if (!isTransient(error)) throw error;
			this.reason ??= error;
			return undefined;
		});
	}
}

/** The rows that are records with an ID and a status. Whatever else is among them is left out. */
export function recordsIn(
	rows: unknown[],
	{ layout, normalizeStatus }: StatusSource,
	listed?: string,
): ObservedRecord[] {
	return rows.flatMap((row) => {
		const id = idOf(row);
		if (!isRecord(row) || id === undefined) return [];
		const own = layout === 'filtered' ? undefined : statusOf(row);
		const status = own === undefined ? listed : normalizeStatus(own);
		return status === undefined || status === '' ? [] : [{ id, status, record: row }];
	});
}

/** Whether the next poll may go better: the rate limit, a service that is down or slow, no connection. */
export function isTransient(error: unknown): error is NodeApiError {
	if (!(error instanceof NodeApiError)) return false;
	const status = Number(error.httpCode ?? 0);
	return !(status >= 300 && status < 500) || status === 408 || status === 429;
}

/** Whether the service refused one record only: a token that is not known (401) is refused for every record. */
export function isRefusedRecord(error: unknown): boolean {
	const status = error instanceof NodeApiError ? Number(error.httpCode ?? 0) : 0;
	return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}

/** Reads the records of a source from the service. */
export function readerOf(client: ServiceClient, source: StatusSource): Reader {
	const { rowsName, noun } = source;
	const names = [
		rowsName.replace(/s$/, ''),
		noun.replace(/ (\w)/g, (_all, letter: string) => letter.toUpperCase()),
	];
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
