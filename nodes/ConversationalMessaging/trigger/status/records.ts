import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { forEachConcurrent } from '../../api/base/concurrency';
import type { Page } from '../../api/reads/pages';
import { listedRecord, statusOf } from '../../api/response/response';
import { isSameOption } from '../../parameters/values';
import { type EventBudget, atOnceFor } from '../budget';
import { contradicts } from '../contradicts';
import { concernsAll, requestError, isRejectedRecord } from '../failures';
import type {
	List,
	LookupResult,
	ObservedRecord,
	Requests,
	StatusSource,
	Subscription,
} from './sources/source';

/**
 * The record in a row of a list.
 *
 * @returns undefined if the row has no ID or no status; 'contradicts' if it shows that it does not match a filter of its request,
 *   which the service seems to ignore
 */
export function observedIn(
	row: unknown,
	list: List,
	page: Page,
	{ source, scope }: Subscription,
): ObservedRecord | 'contradicts' | undefined {
	const observed = source.recordIn ? source.recordIn(row, list, page) : recordIn(row, list, source);
	const filters = { ...scope, ...list.query };
	return observed && contradicts(observed.record, filters) ? 'contradicts' : observed;
}

function recordIn(row: unknown, list: List, source: StatusSource): ObservedRecord | undefined {
	const found = listedRecord(row, source.list);
	const status = list.status || (found && statusOf(found.record));
	return found && status ? { ...found, key: found.id, status } : undefined;
}

/** A page of a list, with the user's filters. @throws NodeApiError */
export async function readListPage(
	requests: Requests,
	{ source, scope }: Subscription,
	list: List,
	page: number,
): Promise<Page> {
	const number = source.hasPages ? { page } : {};
	const query = { ...scope, ...list.query, ...number, limit: source.pageSize };
	return await requests.page(query, list.path);
}

/** Looks up a record that its list does not show any more. */
export async function lookUp(
	requests: Requests,
	{ source, scope }: Pick<Subscription, 'source' | 'scope'>,
	key: string,
): Promise<LookupResult> {
	if (source.lookUp) return await source.lookUp(requests, key, scope);
	const record = await requests.record(key);
	if (!record) return { is: 'deleted' };
	if (contradicts(record, scope)) return { is: 'outOfScope' };
	const shown = statusOf(record);
	if (shown === undefined) return { is: 'unknown' };
	// Services spell statuses in several ways: as in the document, if it has this one.
	const list = source.lists([]).find(({ status }) => isSameOption(status, shown));
	const observed = { key, id: key, status: list?.status ?? shown, record, isFull: true };
	return { is: 'found', observed };
}

/** After so many different records in a row that failed, the service is out of order, not the records. */
const FAILED_RECORDS = 3;

interface RecordsRead<T> {
	/** By the given keys, for those that could be read. */
	results: Map<string, T>;
	/** Why one could not; undefined if all could. */
	failure?: NodeApiError | NodeOperationError;
	/** Whether nothing else can be read in this poll. */
	isOver: boolean;
}

/**
 * Reads records one by one. One that cannot be read holds up no other, but an outage ends it.
 *
 * @param requests how many each may take
 */
export async function readRecords<T>(
	keys: readonly string[],
	budget: EventBudget,
	read: (key: string) => Promise<T>,
	requests = 1,
): Promise<RecordsRead<T>> {
	const all: RecordsRead<T> = { results: new Map(), isOver: false };
	let failedInRow = 0;
	const atOnce = () => atOnceFor(budget, requests);
	await forEachConcurrent(keys, atOnce, async (key) => {
		if (all.isOver || failedInRow >= FAILED_RECORDS) return;
		const result = await read(key).catch(requestError);
		if (!(result instanceof Error)) {
			all.results.set(key, result);
			failedInRow = 0;
			return;
		}
		all.failure = result;
		if (!isRejectedRecord(result)) failedInRow++;
		if (concernsAll(result)) all.isOver = true;
	});
	return all;
}
