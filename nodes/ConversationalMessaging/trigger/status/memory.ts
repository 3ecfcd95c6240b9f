import { clock } from '../../api/base/clock';
import type { Edit } from './records';
import { isSame, Records } from './records';
import type { Seen } from './seen';
import type { ObservedRecord, StatusSource, Subscription } from './sources/source';
import { isListed } from './sources/source';

/**
 * What is known of the records of one source between two polls.
 *
 * The words, of which each means one thing:
 *
 * | word | of | meaning |
 * | --- | --- | --- |
 * | list | | the records of one status, as the service lists them |
 * | known | record | its last status is in memory |
 * | known | list | every record of it is known, so a record in it that is not known has entered it |
 * | short, long | list | short: every poll reads all its pages. Long: every poll reads its first page, and the cursor the others |
 * | cursor | long lists | reads them page by page, one list after another, over all polls |
 * | pass | long list | the cursor's way from its first page to its last |
 * | unexplained | long list | its total, less what memory and the changes of the poll explain |
 * | drift | long list | what is unexplained permanently: a search through all long lists did not explain it |
 *
 * docs/TRIGGER-INTERNALS.md has the guarantees.
 */
export interface Memory {
	/** Distinguishes this memory from one that began at another time. */
	epoch: string;
	/** The number of polls with events. */
	polls: number;
	records: Records;
	/** The statuses of known lists, long ones aside; 'all' if that holds for every status. */
	known: ReadonlySet<string> | 'all';
	/** The long lists, by status. */
	long: Readonly<Record<string, LongList>>;
	cursor: Cursor;
	/** The number of records of all lists. */
	size: number;
	/** In how many polls in a row a changed record could not be fetched in full. */
	withheld: number;
	/**
	 * Whether n8n brought back a state that may be older than the last poll, and no poll since then has explained everything.
	 * Until then, a record that is not known may have been seen before.
	 */
	isRestored: boolean;
}

/** What is known of a long list. */
export interface LongList {
	isKnown: boolean;
	/** Whether it has become short enough to be read in full by the next poll. If that reads it, it is no long list any more. */
	isShort: boolean;
	/** How many quick passes are left to make it known. */
	passes: number;
	/** A page that could not be read in the last pass, for which the list is not known; 0 if there is none. */
	gap: number;
	drift: number;
	/** How many records of its total the last poll could not explain; negative if it has fewer than it should. */
	unexplained: number;
}

/** Where the long lists are read on. */
export interface Cursor {
	/** That of the list; empty before the first page. */
	status: string;
	/** The next page, from 1. */
	page: number;
	/** Whether this pass has shown no record that was not known. The first one of a list never counts as such. */
	isClean: boolean;
	/** Whether this pass left out a page that could not be read. */
	hasGap: boolean;
	/** Whether the last poll failed to read the next page. */
	hasFailed: boolean;
	/** How many pages the search may still read; 0 if there is none. */
	left: number;
}

/** A record whose status differs from the known one. */
export interface Change extends ObservedRecord {
	/** null if the record is new, or its previous status is not known. */
	previousStatus: string | null;
	/** The status in memory; undefined if the record is not known. */
	known?: string;
	/** Whether the record was created since the last poll. A record without a previous status is not always new. */
	isNew: boolean;
}

/** The number of quick passes that make a list known. */
export const MOST_PASSES = 4;

export const newLongList = (isKnownNow: boolean, drift = 0): LongList => ({
	isKnown: isKnownNow,
	isShort: false,
	passes: isKnownNow ? 0 : MOST_PASSES,
	gap: 0,
	drift,
	unexplained: 0,
});

export const newCursor = (): Cursor => ({
	status: '',
	page: 1,
	isClean: false,
	hasGap: false,
	hasFailed: false,
	left: 0,
});

/** A memory without records, in which nothing counts as a change. */
export const emptyMemory = (): Memory => ({
	// A clock that was set back must not repeat an earlier epoch.
	epoch: `${clock.now().toString(36)}${Math.floor(clock.random() * 36 ** 4).toString(36)}`,
	polls: 0,
	records: new Records(),
	known: new Set(),
	long: {},
	cursor: newCursor(),
	size: 0,
	withheld: 0,
	isRestored: false,
});

/** Whether the list of a status is known. */
export const isKnown = ({ known, long }: Pick<Memory, 'known' | 'long'>, status: string): boolean =>
	long[status]?.isKnown ?? (known === 'all' || known.has(status));

/**
 * Compares memory and observation. A pure function, correct against any earlier memory: n8n does not save the state
 * after a poll without events, so a restart restores an older one.
 *
 * A record that is not known is a change only if its list is known. It is new only if all lists are: otherwise it may come
 * from one that is not. After a restart, it is new only if it has a status in which records begin: otherwise it may have been
 * created, seen and not emitted since the restored state, and changed then.
 */
export function diff(
	memory: Memory,
	{ records, dropped }: Seen,
	{ source, scope }: Pick<Subscription, 'source' | 'scope'>,
): Change[] {
	const showsNew =
		source.showsNewRecords && source.partitions.every(({ status }) => isKnown(memory, status));
	const mayBeNew = (status: string): boolean =>
		!memory.isRestored || source.firstStatuses.includes(status.toUpperCase());
	const implied = source.impliedPreviousStatus?.(scope) ?? null;
	const changes: Change[] = [];
	const unknown: Change[] = [];
	for (const observed of records.values()) {
		const { id, status } = observed;
		if (dropped.has(id)) continue;
		const known = memory.records.statusOf(id, status);
		if (known === undefined) {
			const isNew = showsNew && mayBeNew(status);
			if (isKnown(memory, status)) unknown.push({ ...observed, previousStatus: implied, isNew });
		} else if (!isSame(known, status))
			changes.push({ ...observed, previousStatus: known, known, isNew: false });
	}
	return [...changes, ...unknown];
}

/** What a poll found, to be remembered. */
interface Findings extends Pick<Memory, 'long' | 'cursor' | 'withheld'> {
	seen: Seen;
	changes: Change[];
	/** IDs of records whose change is left to the next poll. */
	left: ReadonlySet<string>;
	/** Records of long lists that were read for the first time. */
	others: readonly ObservedRecord[];
	/** Whether the poll read what it needed, left no change to the next one, and every total is explained. */
	isSettled: boolean;
}

/** The memory after a poll. */
export function remember(memory: Memory, findings: Findings, source: StatusSource): Memory {
	const { seen, long, cursor, withheld, others } = findings;
	// Records that may have to be looked up are known by ID: those of short lists, and those in no list.
	const keepsId = (status: string): boolean =>
		isListed(source, status) ? long[status]?.isShort !== false : !source.isEnded?.(status);
	const edits = editsFor(memory.records, findings, keepsId);
	return {
		...memory,
		records: memory.records.with(edits).withOthers(others),
		known: knownAfter(memory, seen, source),
		long,
		cursor,
		withheld,
		size: sizeOf(seen, source) ?? memory.size,
		isRestored: memory.isRestored && !findings.isSettled,
	};
}

function editsFor(
	records: Records,
	{ seen, changes, left }: Findings,
	keepsId: (status: string) => boolean,
): Edit[] {
	const edits = new Map<string, Edit>();
	const put = (id: string, status: string): void =>
		void edits.set(id, { id, status, keepsId: keepsId(status) });
	for (const { id, status } of changes) put(id, status);
	for (const { id, status } of seen.records.values()) {
		if (edits.has(id) || left.has(id)) continue;
		const known = records.statusOf(id, status);
		if (known === undefined) put(id, status);
		else if (isSame(known, status) && records.ids.has(id) !== keepsId(status)) put(id, known);
	}
	for (const [id, status] of records.ids)
		if (!edits.has(id) && !left.has(id) && !keepsId(status)) put(id, status);
	for (const id of seen.dropped.keys()) edits.set(id, { id });
	return [...edits.values()];
}

function knownAfter(memory: Memory, seen: Seen, source: StatusSource): Memory['known'] {
	if (seen.known === 'all') return 'all';
	const areLongOnes = Object.values(memory.long).every((list) => list.isKnown);
	if (memory.known === 'all' && areLongOnes) return 'all';
	const { known } = seen;
	const statuses = source.partitions.map(({ status }) => status);
	return new Set(statuses.filter((status) => known.has(status) || isKnown(memory, status)));
}

/** The number of records of all lists; undefined if this poll does not know it. */
function sizeOf(seen: Seen, { layout, partitions }: StatusSource): number | undefined {
	if (seen.readInFull === 'all') return seen.records.size;
	if (layout === 'recent') return seen.records.size || undefined;
	let size = 0;
	for (const { status } of partitions) {
		const first = seen.firstPages.get(status);
		if (!first) return undefined;
		size += seen.totalOf(status) ?? first.length;
	}
	return size;
}
