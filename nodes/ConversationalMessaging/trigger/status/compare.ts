import { isSameOption } from '../../parameters/values';
import { createdAt } from '../created';
import { keyOf } from '../keys';
import { type Memory, rememberedStatus, withoutHashes } from './memory';
import type { Reading } from './reading';
import type { ObservedRecord, StatusSource, Subscription } from './sources/source';

/** A record whose status differs from the remembered one. */
export interface Change extends ObservedRecord {
	/** null if the record is new, or its previous status is not known. */
	previousStatus: string | null;
	/** Whether the record was created since the last poll. A record without a previous status is not always new. */
	isNew: boolean;
}

/**
 * Compares memory and observation. A pure function, correct against any earlier memory: n8n does not save the state
 * after a poll without events, so a restart restores an older one.
 *
 * A record that is not remembered has been there before, or is a change. What shows that it is one: it was created since the
 * trigger began; or its list is known, so that it has entered it.
 */
export function diff(
	memory: Memory,
	reading: Pick<Reading, 'lists' | 'seen' | 'listOf' | 'entered'>,
	{ source, scope }: Pick<Subscription, 'source' | 'scope'>,
): Change[] {
	const implied = source.impliedPreviousStatus?.(scope) ?? null;
	// What was left out of the memory may have been created, and emitted, since the trigger began.
	const since = memory.isCut ? memory.polled : memory.start;
	const areAllKnown = reading.lists.every(({ status }) => memory.known.has(status));
	return [...reading.seen.values()].flatMap((row): Change[] => {
		const before = rememberedStatus(memory, row.key);
		if (before !== undefined)
			return isSameOption(before, row.status)
				? []
				: [{ ...row, previousStatus: before, isNew: false }];
		const created = since === undefined || !source.showsNewRecords ? 0 : createdAt(row.record);
		const isCreated = created > 0 && created >= (since ?? 0);
		const entered = reading.entered.get(reading.listOf(row.status)?.status ?? row.status);
		if (!isCreated && entered !== 'any' && (entered !== 'undated' || created > 0)) return [];
		// One that is older was reopened, if another list is not known. With a filter, it may have been assigned.
		const isOlder = created > 0 && !isCreated && !areAllKnown && Object.keys(scope).length === 0;
		return [{ ...row, previousStatus: implied, isNew: source.showsNewRecords && !isOlder }];
	});
}

/** `Date` headers have whole seconds. */
const SECOND_MS = 1_000;

/** The memory after a poll. */
export function remember(
	memory: Memory,
	reading: Reading,
	source: StatusSource,
	hasEvents: boolean,
): Memory {
	const { seen, gone, absent, known, totals, cursor } = reading;
	const { sentAt } = reading.pages;
	const keys = new Map(memory.keys);
	const hashes = new Map(memory.hashes);
	const isByKey = (status: string): boolean =>
		isLookedUp(source, status) && reading.isFollowed(status);
	const put = (key: string, status: string, byKey = isByKey(status)): void => {
		const hash = keyOf(key);
		if (byKey) hashes.delete(hash);
		else hashes.set(hash, status);
		if (byKey) keys.set(key, status);
		else keys.delete(key);
	};
	// The list of its status does not show it, e.g. because it is archived. If each status has a list, that of its next one does.
	const isUnlisted = ({ key, status, isFull }: ObservedRecord): boolean =>
		isFull === true && reading.lists.length > 1 && rememberedStatus(memory, key) === status;
	for (const hash of absent) hashes.delete(hash);
	for (const each of seen.values())
		put(each.key, each.status, isByKey(each.status) && !isUnlisted(each));
	for (const [key, status] of memory.keys) {
		if (gone.has(key)) keys.delete(key);
		else if (!seen.has(key) && !isByKey(status)) put(key, status);
	}
	const after: Memory = {
		...memory,
		polls: memory.polls + (hasEvents ? 1 : 0),
		start: memory.start ?? sentAt.first,
		polled: sentAt.last === undefined ? undefined : sentAt.last + SECOND_MS,
		...{ keys, hashes, known, totals, cursor },
		quiet: reading.quiet,
		unknownFor: reading.unread.length > 0 ? memory.unknownFor + 1 : 0,
	};
	if (!hasStale(after)) return after;
	// There is room again for what was left out: the next poll reads these lists again, silently.
	const emptied = withoutHashes(after, hashes.size);
	return { ...emptied, isCut: false, unknownFor: 0, start: after.polled };
}

/** Whether a record of this status is looked up once its list does not show it any more. */
const isLookedUp = (source: StatusSource, status: string): boolean =>
	source.recordEndpoint !== undefined &&
	source.absenceIsRemoval !== true &&
	source.looksUp?.(status) !== false;

/** Whether it is full, and one in ten of its records is in no list any more: records that were deleted. */
function hasStale({ isCut, keys, hashes, totals }: Memory): boolean {
	const listed = Object.values(totals).reduce((sum, total) => sum + total, 0);
	return isCut && listed < 0.9 * (keys.size + hashes.size);
}
