import type { IDataObject } from 'n8n-workflow';
import { clock } from '../api/clock';
import { forEachConcurrent } from '../api/concurrency';
import { idOf } from '../api/pages';
import { isRecord, statusOf } from '../api/response';
import { textOf } from '../api/text';
import type { Limits } from './limits';
import { READS_AT_ONCE } from './limits';
import type { Change, Memory } from './memory';
import type { Reader } from './reader';
import type { Seen } from './seen';
import type { LookupResult, Subscription } from './sources/source';
import { isListed } from './sources/source';

/**
 * The IDs of known records to look up: their list was read in full without them, or their status has no list. Absence
 * alone is not a change, because rows shift between pages while a list is read.
 */
export function selectGone(
	{ records }: Memory,
	seen: Seen,
	{ source }: Subscription,
	limits: Limits,
): string[] {
	const left: string[] = [];
	const unlisted: string[] = [];
	for (const [id, status] of records.ids) {
		if (seen.records.has(id)) continue;
		if (seen.sawAll(status)) left.push(id);
		else if (!isListed(source, status)) unlisted.push(id);
	}
	return [...someOf(left, limits.lookups), ...someOf(unlisted, limits.unlistedLookups)];
}

/** At most this many, from a random one on: those that cannot be looked up do not delay the others for ever. */
function someOf<T>(all: T[], most: number): T[] {
	const start = Math.floor(clock.random() * all.length);
	return [...all.slice(start), ...all.slice(0, start)].slice(0, most);
}

/** Looks up records one by one. A record that cannot be looked up stays as it is known. */
export async function lookUp(
	reader: Reader,
	subscription: Subscription,
	ids: string[],
	seen: Seen,
): Promise<void> {
	const { source, scope } = subscription;
	await forEachConcurrent(ids, READS_AT_ONCE, async (id) => {
		const result = await reader.aboutRecord(async () =>
			source.lookUp
				? await source.lookUp(reader, id, scope)
				: await lookUpRecord(reader, subscription, id),
		);
		if (result === undefined || result === 'rejected') return;
		if (result.is === 'outOfScope') seen.outOfScope.add(id);
		if (result.is === 'deleted' || result.is === 'outOfScope') seen.gone.add(id);
		if (result.is !== 'found') return;
		seen.records.set(id, result.observed);
		seen.inDetail.add(id);
	});
}

async function lookUpRecord(
	reader: Reader,
	{ source, scope }: Subscription,
	id: string,
): Promise<LookupResult> {
	const record = await reader.record(id);
	if (!record) return { is: 'deleted' };
	if (isOutOfScope(record, scope)) return { is: 'outOfScope' };
	const status = statusOf(record);
	if (status === undefined) return { is: 'unknown' };
	return { is: 'found', observed: { id, status: source.normalizeStatus(status), record } };
}

/** Whether a record's own fields show that it does not match the filter. */
function isOutOfScope(record: IDataObject, scope: IDataObject): boolean {
	return Object.entries(scope).some(([name, value]) => {
		const own = filterValue(record, name);
		return own !== undefined && textOf(own) !== textOf(value);
	});
}

/**
 * The ID that a record has for a filter such as `assigneeId`: in a field of this name, or in a record inside it, `assignee`.
 * null if it has none, undefined if it does not show it: a text in `assignee` may be a name.
 */
function filterValue(record: IDataObject, name: string): unknown {
	const own = record[name];
	if (own !== undefined) return isRecord(own) ? idOf(own) : own;
	const inside = record[name.replace(/Id$/, '')];
	return isRecord(inside) ? idOf(inside) : inside === null ? null : undefined;
}

/**
 * Fetches the full records of changes, each once.
 *
 * @param full the full records by ID, to which it adds; undefined for one that could not be fetched. Of a record that was
 *   deleted, or whose request was rejected, only its row is available
 */
export async function readDetails(
	reader: Reader,
	changes: Change[],
	{ inDetail }: Seen,
	full: Map<string, IDataObject | undefined>,
): Promise<void> {
	const others = changes.filter(({ id }) => !full.has(id));
	await forEachConcurrent(someOf(others, others.length), READS_AT_ONCE, async ({ id, record }) => {
		const read = async (): Promise<IDataObject> => (await reader.record(id)) ?? record;
		const found = inDetail.has(id) ? record : await reader.aboutRecord(read);
		full.set(id, found === 'rejected' ? record : found);
	});
}
