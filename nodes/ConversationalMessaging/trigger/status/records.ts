import type { NodeOperationError } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { forEachConcurrent } from '../../api/base/concurrency';
import type { Page } from '../../api/reads/pages';
import { listedRecord, statusOf } from '../../api/response/response';
import type { EventBudget } from '../budget';
import { atOnceFor } from '../budget';
import { contradicts } from '../contradicts';
import { concernsAll, isRejectedRecord } from '../failures';
import type { List, LookupResult, ObservedRecord, Requests, Subscription } from './sources/source';

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

function recordIn(
	row: unknown,
	list: List,
	{ list: endpoint, normalizeStatus }: Subscription['source'],
): ObservedRecord | undefined {
	const found = listedRecord(row, endpoint);
	const status = list.status || normalizeStatus((found && statusOf(found.record)) ?? '');
	if (!found || status === '') return undefined;
	const { id, record } = found;
	return { id, key: id, status, record };
}

/** Looks up a record that its list does not show any more. */
export async function lookUp(
	requests: Requests,
	{ source, scope }: Subscription,
	key: string,
): Promise<LookupResult> {
	if (source.lookUp) return await source.lookUp(requests, key, scope);
	const record = await requests.record(key);
	if (!record) return { is: 'deleted' };
	if (contradicts(record, scope)) return { is: 'outOfScope' };
	const status = statusOf(record);
	if (status === undefined) return { is: 'unknown' };
	const observed = { key, id: key, status: source.normalizeStatus(status), record, isFull: true };
	return { is: 'found', observed };
}

/** After so many different records in a row that failed, the service is out of order, not the records. */
const FAILED_RECORDS = 3;

/** What reading records one by one led to. */
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
		const result = await read(key).then(
			(value) => ({ value }),
			(error: unknown) => {
				if (error instanceof NodeApiError || isRejectedRecord(error)) return { error };
				throw error;
			},
		);
		if ('value' in result) {
			all.results.set(key, result.value);
			failedInRow = 0;
			return;
		}
		const { error } = result;
		all.failure = error;
		if (!isRejectedRecord(error)) failedInRow++;
		if (error instanceof NodeApiError && concernsAll(error)) all.isOver = true;
	});
	return all;
}
