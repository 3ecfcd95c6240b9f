import { clock } from '../api/clock';
import type { Edit } from './records';
import { isSame, Records } from './records';
import type { Seen } from './seen';
import type { ObservedRecord, StatusSource } from './sources/source';
import { isListed } from './sources/source';

/**
 * What is known of the records of one source between two polls.
 *
 * It guarantees, in every poll:
 *
 * - **At least once:** a change that a poll has seen is reported by it, or remains a difference that the next poll finds
 *   again. A record that cannot be looked up or fetched in full keeps its status.
 * - **Never invented**, but for records that share a shortened key (`records.ts`), and lists whose readings all leave out the
 *   same row: a change is a difference between two statuses that the service itself returned. Absence from a
 *   list is not a change. A record that is not known is new only if all other records are known.
 * - **What can be missed:** a status that a record had only between two polls. A change from one long list to another is
 *   found by a sweep of the list whose total grew; if no total changed, by the rotation.
 */
export interface Memory {
	/** Distinguishes this memory from one that began at another time. */
	epoch: string;
	/** The number of polls with events. */
	polls: number;
	records: Records;
	/** Statuses of which every record is known, long lists aside; 'all' if that holds for every status. */
	complete: ReadonlySet<string> | 'all';
	/** The lists that are too long to be read in full in every poll, by status. */
	lists: Readonly<Record<string, LongList>>;
	/** Where the rotation through the long lists continues. */
	next: Position;
	/** The number of records of all lists. */
	size: number;
	/** The number of rows on a full page, as the service returned it last. */
	pageSize: number;
}

/** What is known of a list that is too long to be read in full in every poll. */
export interface LongList {
	/** Whether every record of it is known. */
	isKnown: boolean;
	/**
	 * How many records its total includes beyond the known ones, although all pages were searched for them. Negative if
	 * some that are known are not there any more.
	 */
	offset: number;
	/**
	 * The page at which its sweep continues: the search for what its total shows, or, until it is known, reading it from
	 * its first page to its last. 1 before a sweep.
	 */
	page: number;
	/** Whether this sweep found a record that was missing. The first reading of a list that is not known counts as such. */
	hasFound: boolean;
	/** How many more times it may be read to get to know it; 0 once that is over. */
	passes: number;
}

/** A page of the rotation. */
export interface Position {
	/** That of the list; empty before the first page. */
	status: string;
	/** From 1: see `rotation.ts`. */
	slot: number;
}

/** A record whose status differs from the known one. */
export interface Change extends ObservedRecord {
	/** null if the record is new, or its previous status is not known. */
	previousStatus: string | null;
	/** The status in memory; undefined if the record is not known. */
	known?: string;
	/** Whether the record was created since the last poll. */
	isNew: boolean;
}

/** The maximum number of readings of a list, until one finds nothing that the ones before missed. */
export const MOST_PASSES = 4;

export const newList = (isKnown: boolean): LongList => ({
	isKnown,
	offset: 0,
	page: 1,
	hasFound: !isKnown,
	passes: isKnown ? 0 : MOST_PASSES,
});

/** A memory without records, in which nothing counts as a change. */
export const emptyMemory = (pageSize: number): Memory => ({
	// A clock that was set back must not repeat an earlier epoch.
	epoch: `${clock.now().toString(36)}${Math.floor(clock.random() * 36 ** 4).toString(36)}`,
	polls: 0,
	records: new Records(),
	complete: new Set(),
	lists: {},
	next: { status: '', slot: 1 },
	size: 0,
	pageSize,
});

/** Whether every record of this status is known. */
export const isComplete = ({ complete, lists }: Memory, status: string): boolean =>
	lists[status]?.isKnown ?? (complete === 'all' || complete.has(status));

/**
 * Compares memory and observation. A pure function, correct against any earlier memory: n8n does not save the state
 * after a poll without events, so a restart restores an older one.
 *
 * A record that is not known is a change only if all other records of its list are known. It is new only if that holds for
 * every list: otherwise it may come from one that is not known.
 *
 * @param implied the previous status of a record that enters its list and is not known
 */
export function diff(
	memory: Memory,
	{ records, gone }: Seen,
	source: StatusSource,
	implied: string | null,
): Change[] {
	const isNew =
		source.showsNewRecords && source.partitions.every(({ status }) => isComplete(memory, status));
	const changes: Change[] = [];
	const unknown: Change[] = [];
	for (const observed of records.values()) {
		if (gone.has(observed.id)) continue;
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
	lists: Memory['lists'];
	next: Position;
	/** The number of rows on a full page. */
	pageSize: number;
}

/** The memory after a poll. */
export function remember(memory: Memory, findings: Findings, source: StatusSource): Memory {
	const { seen, lists, next, pageSize } = findings;
	const keepsId = (status: string): boolean =>
		isListed(source, status) ? lists[status] === undefined : !source.isTerminal(status);
	return {
		...memory,
		records: memory.records.with(editsFor(memory.records, findings, keepsId)),
		complete: completeAfter(memory, seen, source),
		lists,
		next,
		size: sizeOf(seen, source) ?? memory.size,
		pageSize,
	};
}

/** @param keepsId whether records of a status are kept by ID: those to look up if they are not seen */
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
	for (const id of seen.gone) edits.set(id, { id });
	return [...edits.values()];
}

function completeAfter(memory: Memory, { steady }: Seen, source: StatusSource): Memory['complete'] {
	if (steady === 'all') return 'all';
	const isKnown = Object.values(memory.lists).every((list) => list.isKnown);
	if (memory.complete === 'all' && isKnown) return 'all';
	const statuses = source.partitions.map(({ status }) => status);
	return new Set(statuses.filter((status) => steady.has(status) || isComplete(memory, status)));
}

/** @returns undefined if not all lists were read */
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
