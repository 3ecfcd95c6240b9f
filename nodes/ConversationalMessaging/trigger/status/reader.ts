import type { IDataObject, NodeOperationError } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { ServiceClient } from '../../api/client';
import { forEachConcurrent } from '../../api/base/concurrency';
import type { Page } from '../../api/reads/pages';
import { readPageWithIds } from '../../api/reads/pages';
import { listedRecord, wholeRecordOf } from '../../api/response/record';
import { statusOf } from '../../api/response/response';
import { send } from '../../api/send';
import { concernsAll, isNotFound, isRejectedRecord } from '../failures';
import { READS_AT_ONCE } from '../limits';
import type {
	ListedPage,
	ObservedRecord,
	Partition,
	Requests,
	StatusSource,
} from './sources/source';
import { pageCount } from './sources/source';

/**
 * What reading a page led to: the page; 'rejected' if the service refuses this page, 'failed' if it could not be read now, or
 * 'ended' if nothing more of the kind can be read in this poll.
 */
export type PageResult = ListedPage | 'rejected' | 'failed' | 'ended';

/** After so many different records in a row that failed, the service is out of order, not the records. */
const FAILED_RECORDS = 3;

/** The page sizes of the document below that of general lists (API document, section Limits). */
const SMALL_PAGES = [20, 50, 100];

/** What a record is read for: failures of the one do not end the other. */
type RecordKind = 'lookUp' | 'detail';

/** Why a page or a record could not be read. NodeOperationError: its ID cannot be part of a path. */
type ReadFailure = NodeApiError | NodeOperationError;

/**
 * Reads pages and single records of one source in one poll. What cannot be read ends as little as possible:
 *
 * - the first page of a list: the service is out of order. It ends the poll: every further read returns nothing at once.
 *   What was read before remains valid;
 * - any other page: nothing else;
 * - a record: nothing else, but three different ones in a row that fail end the look-ups, or the reading of details;
 * - the rate limit, a token that is rejected, and the end of the poll's time: the poll; for the cursor's pages, only these.
 */
export class Reader {
	/** The number of rows on a full page, if it is smaller than the responses state. */
	private served?: number;

	/** The number of rows on the first page of each list that may be full, although the response does not show it. */
	private readonly fullPages = new Map<Partition | undefined, number>();

	/** Whether pages so far had a total; undefined before the first one. */
	private hasTotals?: boolean;

	private fatal?: NodeApiError;

	private gap?: NodeApiError;

	private cursorHasEnded = false;

	private readonly failedRecords = new Set<string>();

	/** Of each kind, how many different records in a row failed, and why the last one could not be read. */
	private readonly records = {
		lookUp: { failedInRow: 0, failure: undefined as ReadFailure | undefined },
		detail: { failedInRow: 0, failure: undefined as ReadFailure | undefined },
	};

	constructor(
		/** For one record. What they throw is for `aboutRecord`. */
		readonly requests: Requests,
		readonly source: StatusSource,
		/** Query parameters that filter every list. */
		private readonly scope: IDataObject = {},
	) {}

	/** Why this poll is incomplete; undefined if it is complete. */
	get failure(): NodeApiError | undefined {
		return this.fatal ?? this.gap;
	}

	/** To be called if a short list could not be read in full: the poll is incomplete, although it goes on. */
	listIsIncomplete(): void {
		this.gap ??= this.lastFailure;
	}

	/** Whether nothing more can be requested in this poll. */
	get isOver(): boolean {
		return this.fatal !== undefined;
	}

	/** Why the last page that could not be read could not. */
	lastFailure?: NodeApiError;

	/**
	 * A page that the poll needs: the first one of a list, or one of a short list.
	 *
	 * @param number from 1
	 * @param list undefined for the list of all records
	 */
	async page(number: number, list?: Partition): Promise<PageResult> {
		if (this.isOver) return 'ended';
		return await this.read(number, list, false, (error) => {
			if (number > 1 && !concernsAll(error)) return this.notRead(error);
			this.fatal ??= error;
			return 'ended';
		});
	}

	/**
	 * A page that can wait: one of a long list, at the cursor. Its failure ends nothing, even if it always fails.
	 *
	 * @param isBackground whether everything else that uses the token comes first
	 */
	async cursorPage(
		number: number,
		list: Partition | undefined,
		isBackground: boolean,
	): Promise<PageResult> {
		if (this.isOver || this.cursorHasEnded) return 'ended';
		return await this.read(number, list, isBackground, (error) => {
			if (!concernsAll(error)) return this.notRead(error);
			this.cursorHasEnded = true;
			return 'ended';
		});
	}

	private notRead(error: NodeApiError): 'rejected' | 'failed' {
		this.lastFailure = error;
		return isRejectedRecord(error) ? 'rejected' : 'failed';
	}

	private async read(
		number: number,
		list: Partition | undefined,
		isBackground: boolean,
		onFailure: (error: NodeApiError) => Exclude<PageResult, ListedPage>,
	): Promise<PageResult> {
		const { layout, pageSize: limit } = this.source;
		const page = layout === 'recent' ? undefined : number;
		const query = { ...this.scope, ...list?.query, ...(page && { page }), limit };
		const found = await this.requests
			.page(query, isBackground)
			.catch((error: unknown): Page | Exclude<PageResult, ListedPage> => {
				if (!(error instanceof NodeApiError)) throw error;
				// Without totals, nothing else shows which page is the last one.
				const isBehind = number > 1 && this.hasTotals === false && isNotFound(error);
				return isBehind ? { rows: [], meta: {} } : onFailure(error);
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
		// Without a total, a page of a usual size may be full: its list would otherwise seem to end there.
		const isCounted = meta.total !== undefined || meta.limit !== undefined;
		if (!isCounted && number === 1 && SMALL_PAGES.includes(rows.length))
			this.fullPages.set(list, rows.length);
		return {
			status: list?.status,
			number,
			size: Math.min(stated, this.served ?? stated, this.fullPages.get(list) ?? stated),
			total: meta.total,
			length: rows.length,
			records: recordsIn(rows, this.source, list?.status),
		};
	}

	/**
	 * What `read` finds out about one record, by `requests`. A record that failed is not read again in this poll.
	 *
	 * @returns undefined if it cannot be read now; 'rejected' if the service rejects only this record
	 */
	async aboutRecord<T>(
		kind: RecordKind,
		id: string,
		read: () => Promise<T>,
	): Promise<T | 'rejected' | undefined> {
		const ofKind = this.records[kind];
		if (this.isOver || this.hasGivenUp(kind, id)) return undefined;
		const found = await read().catch((error: unknown): 'rejected' | undefined => {
			const isRejected = isRejectedRecord(error);
			if (!isRejected && !(error instanceof NodeApiError)) throw error;
			if (!isRejected && concernsAll(error)) {
				this.fatal ??= error;
				return undefined;
			}
			ofKind.failure = error;
			if (isRejected) return 'rejected';
			this.failedRecords.add(id);
			ofKind.failedInRow++;
			return undefined;
		});
		const isRead = found !== undefined && found !== 'rejected';
		if (isRead && ofKind.failedInRow < FAILED_RECORDS) ofKind.failedInRow = 0;
		return found;
	}

	/** Whether a record was not read because it, or three others in a row, failed. */
	hasGivenUp(kind: RecordKind, id: string): boolean {
		return this.failedRecords.has(id) || this.records[kind].failedInRow >= FAILED_RECORDS;
	}

	/** Why records could not be read; undefined if all could. */
	failureOf(kind: RecordKind): ReadFailure | undefined {
		return this.records[kind].failure;
	}
}

/** Whether a page was read. */
export const isPage = (result: PageResult): result is ListedPage => typeof result === 'object';

/** The rows that are records with an ID and a status. Others are left out. */
export function recordsIn(
	rows: unknown[],
	{ detail, layout, normalizeStatus }: StatusSource,
	listed?: string,
): ObservedRecord[] {
	return rows.flatMap((row) => {
		const found = listedRecord(row, detail);
		if (!found) return [];
		const shown = layout === 'filtered' ? undefined : statusOf(found.record);
		const status = shown === undefined ? listed : normalizeStatus(shown);
		return status === undefined || status === '' ? [] : [{ ...found, status }];
	});
}

/** How long a page that can wait waits for the rate limit, in milliseconds: for a short window, not for a minute. */
const BACKGROUND_WAIT_MS = 10_000;

/** The requests for a source's records. */
export function requestsFor(client: ServiceClient, source: StatusSource): Requests {
	const { rowsName, noun } = source;
	const action = `Watch ${noun}s`;
	const maxRateLimitWaitMs = Math.min(client.maxRateLimitWaitMs, BACKGROUND_WAIT_MS);
	const background: ServiceClient = { ...client, priority: 'bulk', maxRateLimitWaitMs };
	return {
		async page(query, isBackground) {
			const request = { endpoint: source.list, action, rowsName, query };
			const caller = isBackground ? background : client;
			return await readPageWithIds(caller, request, (row) => listedRecord(row, source.detail));
		},
		async record(id) {
			const request = { endpoint: source.detail, action, path: { id }, acceptStatuses: [404] };
			const { status, json } = await send(client, request);
			return status === 404 ? undefined : wholeRecordOf(json, source.detail).record;
		},
	};
}

/** Reads some pages at once. @returns what each led to, in their order */
export async function readAtOnce(
	from: number,
	count: number,
	read: (number: number) => Promise<PageResult>,
): Promise<PageResult[]> {
	const results: PageResult[] = [];
	const numbers = Array.from({ length: count }, (_, i) => from + i);
	await forEachConcurrent(numbers, READS_AT_ONCE, async (number, i) => {
		results[i] = await read(number);
	});
	return results;
}

/** The number of the list's last page, as far as these show it. Without a total, the first empty one is behind it. */
export function lastPage(pages: readonly ListedPage[]): number {
	const empty = pages.find(({ length }) => length === 0);
	const latest = pages.at(-1);
	return empty?.number ?? (latest && pageCount(latest)) ?? Infinity;
}
