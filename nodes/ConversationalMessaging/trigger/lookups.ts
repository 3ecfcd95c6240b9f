import type { IDataObject } from 'n8n-workflow';
import { statusOf } from '../api/response';
import { forEachConcurrent } from '../api/concurrency';
import type { Baseline, Cursors } from './baseline';
import { keyOf } from './keys';
import type { Limits } from './limits';
import { READS_AT_ONCE } from './limits';
import type { Lister } from './lister';
import { isRejectedRecord } from './lister';
import type { Observation } from './observation';
import type { LookupResult, ObservedRecord, Partition } from './sources/source';
import type { Subscription } from './subscription';
import { textOf } from '../api/text';

/** Which records one poll looks up. */
export interface Lookups {
	ids: string[];
	/** Where the next poll continues. */
	cursors: Cursors;
}

/**
 * Records that are tracked by their ID and were not seen: they left the list of their status, or are in no list.
 * Absence alone is not a change, because rows shift between pages while a list is read.
 *
 * If there are more than one poll may look up, they alternate, so that records that cannot be looked up do not delay
 * others.
 */
export function selectLookups(
	{ tracked, cursors }: Baseline,
	{ complete, whole, records }: Observation,
	partitions: Partition[],
	limits: Limits,
): Lookups {
	const listed = new Set(partitions.map(({ status }) => status));
	const left: string[] = [];
	const unlisted: string[] = [];
	for (const [id, { status }] of tracked.byId) {
		if (records.has(id)) continue;
		if (whole || complete.has(status)) left.push(id);
		else if (!listed.has(status)) unlisted.push(id);
	}
	const one = nextInRotation(left, cursors.left, limits.lookups);
	const other = nextInRotation(unlisted, cursors.unlisted, limits.unlistedLookups);
	const ids = [...one.ids, ...other.ids];
	return { ids, cursors: { left: one.cursor, unlisted: other.cursor } };
}

/** The next ones after a cursor, in the order of their keys, which never changes. */
function nextInRotation(
	ids: string[],
	cursor: number,
	most: number,
): { ids: string[]; cursor: number } {
	if (ids.length <= most) return { ids, cursor };
	const sorted = ids
		.map((id) => ({ id, key: keyOf(id) }))
		.sort((one, other) => one.key - other.key);
	const start = Math.max(
		0,
		sorted.findIndex(({ key }) => key > cursor),
	);
	const selected = [...sorted.slice(start), ...sorted].slice(0, most);
	return { ids: selected.map(({ id }) => id), cursor: selected.at(-1)?.key ?? cursor };
}

/** Looks up records one by one and adds the results. Records that cannot be resolved keep their known status. */
export async function lookUp(
	lister: Lister,
	subscription: Subscription,
	ids: string[],
	observation: Observation,
): Promise<Observation> {
	const { source } = subscription;
	const found: ObservedRecord[] = [];
	const deleted: string[] = [];
	const outOfScope: string[] = [];
	await forEachConcurrent(ids, READS_AT_ONCE, async (id) => {
		const find = async (): Promise<LookupResult> =>
			source.lookUp
				? await source.lookUp(lister, id, subscription)
				: await lookUpRecord(lister, subscription, id);
		const result = await lister.attempt(
			async () =>
				await find().catch((error: unknown): LookupResult => {
					// A rejected record does not stop the others.
					if (isRejectedRecord(error)) return { is: 'unknown' };
					throw error;
				}),
		);
		if (result?.is === 'found') found.push(result.observed);
		if (result?.is === 'deleted') deleted.push(id);
		if (result?.is === 'outOfScope' || (result?.is === 'found' && result.outOfScope))
			outOfScope.push(id);
	});
	const records = new Map(observation.records);
	for (const record of found) records.set(record.id, record);
	const inFull = new Set([...observation.inFull, ...found.map(({ id }) => id)]);
	return { ...observation, records, inFull, deleted, outOfScope };
}

async function lookUpRecord(
	lister: Lister,
	{ source, scope }: Subscription,
	id: string,
): Promise<LookupResult> {
	const record = await lister.record(id);
	if (!record) return { is: 'deleted' };
	const status = statusOf(record);
	if (status === undefined) return { is: 'unknown' };
	const observed = { id, status: source.normalizeStatus(status), record };
	return { is: 'found', observed, outOfScope: isOutOfScope(record, scope) };
}

/** Whether a record's own fields show that it does not match the filter. */
function isOutOfScope(record: IDataObject, scope: IDataObject): boolean {
	return Object.entries(scope).some(
		([name, value]) => record[name] !== undefined && textOf(record[name]) !== textOf(value),
	);
}
