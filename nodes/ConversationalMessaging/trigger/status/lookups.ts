import type { IDataObject } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { clock } from '../../api/base/clock';
import { forEachConcurrent } from '../../api/base/concurrency';
import { idOf, isRecord, statusOf } from '../../api/response/response';
import { textOf } from '../../api/base/text';
import { READS_AT_ONCE } from '../limits';
import type { SourcePoll } from './sourcePoll';
import type { LookupResult, ObservedRecord, Requests, Subscription } from './sources/source';
import { isListed } from './sources/source';

/**
 * The IDs of known records that were not seen, to be looked up: their list was read in full, or their status has no list.
 * Absence alone is not a change, because rows shift between pages while a list is read.
 *
 * @returns as many as one poll looks up, and whether these are all
 */
export function selectMissing({ reader, memory, seen, limits }: SourcePoll): {
	ids: string[];
	areAll: boolean;
} {
	const left: string[] = [];
	const unlisted: string[] = [];
	for (const [id, status] of memory.records.ids) {
		if (seen.records.has(id)) continue;
		if (seen.sawAll(status)) left.push(id);
		else if (!isListed(reader.source, status)) unlisted.push(id);
	}
	const ids = [
		...fromAnyOn(left).slice(0, limits.lookups),
		...fromAnyOn(unlisted).slice(0, limits.unlistedLookups),
	];
	return { ids, areAll: ids.length === left.length + unlisted.length };
}

/** All of them, from a random one on, so that those that cannot be read do not hold up the others for ever. */
function fromAnyOn<T>(all: readonly T[]): T[] {
	const start = Math.floor(clock.random() * all.length);
	return [...all.slice(start), ...all.slice(0, start)];
}

/** Looks up records one by one. A record that cannot be looked up stays as it is known. */
export async function lookUp(
	{ reader, subscription, seen, reports }: SourcePoll,
	{ ids, areAll }: ReturnType<typeof selectMissing>,
): Promise<void> {
	const { source, scope } = subscription;
	const { requests } = reader;
	await forEachConcurrent(ids, READS_AT_ONCE, async (id) => {
		const result = await reader.aboutRecord('lookUp', id, async () =>
			source.lookUp
				? await source.lookUp(requests, id, scope)
				: await lookUpRecord(requests, subscription, id),
		);
		if (typeof result === 'object') seen.addLookup(id, result);
	});
	const failure = reader.failureOf('lookUp');
	if (failure)
		reports.begins(
			'lookUps',
			shown`A ${source.noun} that left its list could not be looked up. If its status has changed, the event comes once the service returns it. ${failure.message}`,
			shown`Every ${source.noun} that left its list can be looked up again.`,
		);
	else if (areAll && !reader.isOver) reports.ends('lookUps');
}

async function lookUpRecord(
	requests: Requests,
	{ source, scope }: Subscription,
	id: string,
): Promise<LookupResult> {
	const record = await requests.record(id);
	if (!record) return { is: 'deleted' };
	if (isOutOfScope(record, scope)) return { is: 'outOfScope' };
	const status = statusOf(record);
	if (status === undefined) return { is: 'unknown' };
	return { is: 'found', observed: { id, status: source.normalizeStatus(status), record } };
}

/** Whether a record's own fields show that it does not match the filter. */
function isOutOfScope(record: IDataObject, scope: IDataObject): boolean {
	return Object.entries(scope).some(([name, value]) => {
		const shown = filterValue(record, name);
		return shown !== undefined && textOf(shown) !== textOf(value);
	});
}

/**
 * The ID that a record has for a filter such as `assigneeId`: in a field of this name, or in a record inside it, `assignee`.
 * null if it has none, undefined if it does not show it: a text in `assignee` may be a name.
 */
function filterValue(record: IDataObject, name: string): unknown {
	const direct = record[name];
	if (direct !== undefined) return isRecord(direct) ? idOf(direct) : direct;
	const inside = record[name.replace(/Id$/, '')];
	return isRecord(inside) ? idOf(inside) : inside === null ? null : undefined;
}

/**
 * Reads records in full. Of one that was deleted, or is rejected, there is only its row; one that fails is not
 * in detail afterwards.
 */
export async function readDetails(
	{ reader, seen }: Pick<SourcePoll, 'reader' | 'seen'>,
	records: readonly ObservedRecord[],
): Promise<void> {
	const rows = records.filter(({ id }) => !seen.inDetail.has(id));
	await forEachConcurrent(fromAnyOn(rows), READS_AT_ONCE, async ({ id, status, record }) => {
		const found = await reader.aboutRecord(
			'detail',
			id,
			async () => (await reader.requests.record(id)) ?? record,
		);
		if (found === undefined) return;
		seen.addInDetail({ id, status, record: found === 'rejected' ? record : found });
	});
}
