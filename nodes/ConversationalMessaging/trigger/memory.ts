import { clock } from '../api/clock';
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
 * | complete | list | every record of it is known, so a record in it that is not known has entered it |
 * | read in full | list | this poll read all its pages, so a known record that was not seen has left it |
 * | short, long | list | short: every poll reads it in full. Long: every poll reads its first page only |
 * | sweep | list | reads its pages in order; those of a long list over several polls, if necessary |
 * | fill | long list | the sweeps that make it complete, silently: at most four passes from its first to its last page |
 * | search | long list | the sweep of a complete list for records that its total shows and that were not seen |
 * | rotation | long lists | one page of one of them per poll |
 * | offset | long list | its total, less its known records, as far as no search and no other list explains the difference |
 *
 * It guarantees, in every poll:
 *
 * - **At least once:** a change that a poll has seen is reported by it, or remains a difference that the next poll finds
 *   again. A record that cannot be looked up or fetched in full keeps its status.
 * - **Never invented:** a change is a difference between two statuses that the service itself returned. Absence from a list
 *   is not a change. A record that is not known is new only if all lists are complete. Two exceptions: records that share
 *   a shortened key (`records.ts`), and a list of which all readings left out the same row, which is shown later.
 * - **What can be missed:** a status that a record had only between two polls. A change from one long list to another is
 *   found by the search of the list whose total grew, up to 40 pages per poll: within 3 polls of 20,000 records, 13 of
 *   100,000. If no total shows it, the rotation finds it: within about 110 polls, or 560.
 */
export interface Memory {
	/** Distinguishes this memory from one that began at another time. */
	epoch: string;
	/** The number of polls with events. */
	polls: number;
	records: Records;
	/** The statuses of complete lists, long ones aside; 'all' if that holds for every status. */
	complete: ReadonlySet<string> | 'all';
	/** The long lists, by status. */
	long: Readonly<Record<string, LongList>>;
	/** Where the rotation continues. */
	next: Position;
	/** The number of records of all lists. */
	size: number;
}

/** What is known of a long list. It has at most one sweep: a search if it is complete, otherwise a pass of the fill. */
export interface LongList {
	isComplete: boolean;
	/** How many passes of the fill are left. 0 if it is complete, if all passes found unknown records, or if these do not fit. */
	passes: number;
	/** How many records its total includes beyond the known ones; negative if known ones do not exist any more. */
	offset: number;
	/** The page at which the sweep continues; 1 if there is none. */
	page: number;
	/** Whether the sweep has found a record so far. The first pass counts as one that has, because a second one must follow. */
	hasFound: boolean;
}

/** A page of the rotation. */
export interface Position {
	/** That of the list; empty before the first page. */
	status: string;
	/** From 1, which stands for the first page of the list of all records. */
	page: number;
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

/** The maximum number of passes of a fill. */
export const MOST_PASSES = 4;

export const newLongList = (isComplete: boolean): LongList => ({
	isComplete,
	passes: isComplete ? 0 : MOST_PASSES,
	offset: 0,
	page: 1,
	hasFound: !isComplete,
});

/** A memory without records, in which nothing counts as a change. */
export const emptyMemory = (): Memory => ({
	// A clock that was set back must not repeat an earlier epoch.
	epoch: `${clock.now().toString(36)}${Math.floor(clock.random() * 36 ** 4).toString(36)}`,
	polls: 0,
	records: new Records(),
	complete: new Set(),
	long: {},
	next: { status: '', page: 1 },
	size: 0,
});

/** Whether the list of a status is complete. */
export const isComplete = ({ complete, long }: Memory, status: string): boolean =>
	long[status]?.isComplete ?? (complete === 'all' || complete.has(status));

/**
 * Compares memory and observation. A pure function, correct against any earlier memory: n8n does not save the state
 * after a poll without events, so a restart restores an older one.
 *
 * A record that is not known is a change only if its list is complete. It is new only if all lists are: otherwise it may come
 * from one that is not.
 */
export function diff(
	memory: Memory,
	{ records, dropped }: Seen,
	{ source, scope }: Pick<Subscription, 'source' | 'scope'>,
): Change[] {
	const isNew =
		source.showsNewRecords && source.partitions.every(({ status }) => isComplete(memory, status));
	const implied = source.impliedPreviousStatus?.(scope) ?? null;
	const changes: Change[] = [];
	const unknown: Change[] = [];
	for (const observed of records.values()) {
		if (dropped.has(observed.id)) continue;
		const known = memory.records.statusOf(observed.id, observed.status);
		if (known === undefined) {
			if (isComplete(memory, observed.status))
				unknown.push({ ...observed, previousStatus: implied, isNew });
		} else if (!isSame(known, observed.status))
			changes.push({ ...observed, previousStatus: known, known, isNew: false });
	}
	return [...changes, ...unknown];
}

/** What a poll found, to be remembered. */
export interface Findings {
	seen: Seen;
	changes: Change[];
	/** IDs of records whose change is left to the next poll. */
	withheld: ReadonlySet<string>;
	long: Memory['long'];
	next: Position;
}

/** The memory after a poll. */
export function remember(memory: Memory, findings: Findings, source: StatusSource): Memory {
	const { seen, long, next } = findings;
	// Records that may have to be looked up are known by ID: those of short lists, and those in no list.
	const keepsId = (status: string): boolean =>
		isListed(source, status) ? long[status] === undefined : !source.isEnded?.(status);
	return {
		...memory,
		records: memory.records.with(editsFor(memory.records, findings, keepsId)),
		complete: completeAfter(memory, seen, source),
		long,
		next,
		size: sizeOf(seen, source) ?? memory.size,
	};
}

function editsFor(
	records: Records,
	{ seen, changes, withheld }: Findings,
	keepsId: (status: string) => boolean,
): Edit[] {
	const edits = new Map<string, Edit>();
	const put = (id: string, status: string): void =>
		void edits.set(id, { id, status, keepsId: keepsId(status) });
	for (const { id, status } of changes) put(id, status);
	for (const { id, status } of seen.records.values()) {
		if (edits.has(id) || withheld.has(id)) continue;
		const known = records.statusOf(id, status);
		if (known === undefined) put(id, status);
		else if (isSame(known, status) && records.ids.has(id) !== keepsId(status)) put(id, known);
	}
	for (const [id, status] of records.ids)
		if (!edits.has(id) && !withheld.has(id) && !keepsId(status)) put(id, status);
	for (const id of seen.dropped.keys()) edits.set(id, { id });
	return [...edits.values()];
}

function completeAfter(memory: Memory, seen: Seen, source: StatusSource): Memory['complete'] {
	if (seen.complete === 'all') return 'all';
	const areLongOnes = Object.values(memory.long).every((list) => list.isComplete);
	if (memory.complete === 'all' && areLongOnes) return 'all';
	const { complete } = seen;
	const statuses = source.partitions.map(({ status }) => status);
	return new Set(statuses.filter((status) => complete.has(status) || isComplete(memory, status)));
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
