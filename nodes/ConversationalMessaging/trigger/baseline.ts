import { clock } from '../api/clock';
import type { Change } from './diff';
import { movesOf } from './diff';
import { keyOf } from './keys';
import type { Limits } from './limits';
import type { Lookups } from './lookups';
import type { Observation } from './observation';
import { rowsOf, toldTotal } from './observation';
import type { ListOrder } from './order';
import { orderOf, updatedOrder, withoutKey } from './order';
import type { Searched } from './search';
import type { Snapshot } from './snapshot';
import type { StatusSource } from './sources/source';
import type { Edit, TrackedRecord } from './tracked';
import { isSame, TrackedRecords } from './tracked';

/**
 * Getting to know a long list, so that a ticket that is reopened can be told from a new one.
 *
 * - `running`: pages up to `page` were read, in the first or the second pass. `last` are the keys of the last page,
 *   `total` the length of the list by then: they show whether rows shifted since. `isConsistent` as long as no row can
 *   have passed unseen
 * - `complete`: every record is known
 * - `truncated`: there are more than fit, or they did not hold still
 */
export type Backfill = Running | { is: 'complete' } | { is: 'truncated' };

export interface Running {
	is: 'running';
	page: number;
	pass: 1 | 2;
	last: readonly number[];
	total: number;
	isConsistent: boolean;
}

/** Before the first page of a pass. */
export const passOf = (pass: 1 | 2): Running => ({
	is: 'running',
	page: 0,
	pass,
	last: [],
	total: 0,
	isConsistent: true,
});

/** Where the look-ups of the next poll go on, as keys of IDs. */
export interface Cursors {
	left: number;
	unlisted: number;
}

/**
 * What is known of the records of one source between two polls.
 *
 * What follows from it, in every poll:
 *
 * - **At least once:** a change that a poll saw is reported by it, or stays a difference from the baseline that the next
 *   poll finds again. A record that cannot be looked up or read in full stays as it was.
 * - **In order:** the changes of one record are numbered in the order in which they were seen. Between records there is
 *   no order: the service does not say when something changed.
 * - **Never invented:** a change is a difference between two statuses that the service itself has shown. Absence from a
 *   list is none. A record that the baseline does not have is new only where the baseline has all others, or where the
 *   list has grown exactly where the record is; what was dropped is old.
 * - **What can stay unseen:** a status that came and went between two polls; in archives, changes that leave every total
 *   as it was, until the rotation comes by; and changes between archives of records that were dropped.
 */
export interface Baseline {
	/** Tells this baseline from one that began at another time. */
	epoch: string;
	tracked: TrackedRecords;
	/** How many records each status has, by all that is known: the books. */
	counts: Readonly<Record<string, number>>;
	/** Statuses of which every record is known, whatever was dropped: their lists are read in full. */
	exact: readonly string[];
	/** The order of the archives' lists, where it is known. */
	orders: Readonly<Record<string, ListOrder>>;
	backfill: Backfill;
	/** How many polls brought a change. */
	eventfulPolls: number;
	/** Which page of the archives comes next. */
	rotation: number;
	cursors: Cursors;
}

/** Whether the list of a status is too long to be read in full. */
export const isArchive = ({ counts, exact }: Baseline, status: string): boolean =>
	counts[status] !== undefined && !exact.includes(status);

/** Whether there are lists of which only a page at a time is read. */
const hasArchives = (baseline: Baseline): boolean =>
	Object.keys(baseline.counts).some((status) => isArchive(baseline, status));

/** How many records there are, by all that is known. */
export const sizeOf = ({ counts }: Baseline): number =>
	Object.values(counts).reduce((sum, count) => sum + count, 0);

/** The baseline that the first poll takes. Nothing in it is a change. */
export function firstBaseline(
	observation: Observation,
	source: StatusSource,
	limits: Limits,
): Baseline {
	const empty: Baseline = {
		// A clock that was set back must not bring an earlier epoch again.
		epoch: `${clock.now().toString(36)}${Math.floor(clock.random() * 36 ** 4).toString(36)}`,
		tracked: new TrackedRecords(),
		counts: {},
		exact: [],
		orders: {},
		backfill: source.layout === 'pages' ? passOf(1) : { is: 'complete' },
		eventfulPolls: 0,
		rotation: 0,
		cursors: { left: 0, unlisted: 0 },
	};
	const searched = { observation, settled: new Map<string, number>(), givenUp: new Set<string>() };
	const lookups = { ids: [], cursors: empty.cursors };
	const polled = { changes: [], withheld: new Set<string>(), failed: false };
	return nextBaseline(empty, searched, lookups, polled, source, limits);
}

/** What a poll made of what it saw. */
export interface PolledChanges {
	changes: Change[];
	/** IDs of records whose change could not be read in full: they stay as they were. */
	withheld: ReadonlySet<string>;
	/** Whether something kept the poll from seeing everything. */
	failed: boolean;
}

/** The baseline after a poll. */
export function nextBaseline(
	before: Baseline,
	{ observation, ...searched }: Searched,
	{ cursors }: Lookups,
	{ changes, withheld, failed }: PolledChanges,
	source: StatusSource,
	limits: Limits,
): Baseline {
	// In half a poll, a record that is new may look like one that was dropped: the next poll decides.
	const remembers = !failed || before.backfill.is !== 'truncated';
	const exact = exactAfter(before, observation, source, remembers);
	const isNamed = namingRule(source, observation, exact);
	const edits = editsFor(before, observation, changes, withheld, isNamed, remembers);
	const tracked = before.tracked.with(edits);
	// What was withheld is to be missed again by the next poll.
	const settled = withheld.size > 0 ? new Map<string, number>() : searched.settled;
	const counts = countsAfter(before, observation, changes, settled, exact, tracked, source);
	return {
		...before,
		tracked,
		counts,
		exact,
		orders: ordersAfter(
			before,
			observation,
			changes,
			counts,
			exact,
			searched.givenUp,
			failed || withheld.size > 0,
			limits,
		),
		backfill: remembers && isProven(before, observation) ? { is: 'complete' } : before.backfill,
		eventfulPolls: before.eventfulPolls + (changes.length > 0 ? 1 : 0),
		rotation: before.rotation + (hasArchives(before) || observation.archives.size > 0 ? 1 : 0),
		cursors: failed ? before.cursors : cursors,
	};
}

/**
 * Whether every record of a list is known after it was read from beginning to end: it was read for certain, or no row
 * shifted and none of its records is unknown. Otherwise what passed unseen would look new to the next poll.
 *
 * @param status of the list; without it, the whole list
 */
function isProven({ tracked }: Baseline, observation: Observation, status?: string): boolean {
	const reading = status === undefined ? observation.whole : observation.complete.get(status);
	if (reading !== 'steady') return reading === 'certain';
	return [...observation.records.values()].every(
		(record) =>
			(status !== undefined && record.status !== status) || tracked.find(record.id, record.status),
	);
}

/** Statuses whose list is known to be read in full, and those of which nothing was seen that says otherwise. */
function exactAfter(
	before: Baseline,
	observation: Observation,
	source: StatusSource,
	remembers: boolean,
): string[] {
	const { complete, archives, records } = observation;
	const listed = new Set(source.partitions.map(({ status }) => status));
	const kept = before.exact.filter(
		(status) => !archives.has(status) && (listed.has(status) || source.layout !== 'pages'),
	);
	if (!remembers) return kept;
	const proven = isProven(before, observation)
		? [...complete.keys(), ...Array.from(records.values(), ({ status }) => status)]
		: [...complete.keys()].filter((status) => isProven(before, observation, status));
	return [...new Set([...kept, ...proven])].sort();
}

/** Which records are kept by their ID: those that have to be looked up when they are not seen. */
function namingRule(
	source: StatusSource,
	{ whole }: Snapshot,
	exact: string[],
): (status: string) => boolean {
	const isListed = (status: string): boolean =>
		source.partitions.some((partition) => partition.status === status);
	// Where everything is read in every poll, a record that has ended is seen when it is reopened.
	if (whole || source.layout !== 'pages') return (status) => !source.isTerminal(status);
	return (status) => (isListed(status) ? exact.includes(status) : !source.isTerminal(status));
}

function editsFor(
	{ tracked }: Baseline,
	{ records, deleted, outOfScope }: Observation,
	changes: Change[],
	withheld: ReadonlySet<string>,
	isNamed: (status: string) => boolean,
	remembers: boolean,
): Edit[] {
	const edits = new Map<string, Edit>();
	for (const { id, from, status, ordinal } of changes) {
		const to: TrackedRecord = { status, changes: ordinal, recency: 2 };
		edits.set(id, { id, from, to, named: isNamed(status) });
	}
	for (const { id, status } of records.values()) {
		if (edits.has(id) || withheld.has(id)) continue;
		const from = tracked.find(id, status);
		const named = isNamed(status);
		if (!from && !remembers) continue;
		if (!from) edits.set(id, { id, to: { status, changes: 0, recency: 2 }, named });
		else if (isSame(from.status, status) && tracked.named.has(id) !== named)
			edits.set(id, { id, from, to: from, named });
	}
	for (const [id, from] of tracked.named)
		if (!edits.has(id) && !withheld.has(id) && !isNamed(from.status))
			edits.set(id, { id, from, to: from, named: false });
	for (const id of deleted) edits.set(id, { id, from: tracked.named.get(id) });
	for (const id of outOfScope) {
		const from = tracked.named.get(id);
		edits.set(id, { id, from, to: edits.get(id)?.to ?? from, named: false });
	}
	return [...edits.values()];
}

/** The books: known moves, and what the search could settle. Of a list that is read in full, its records count. */
function countsAfter(
	before: Baseline,
	observation: Observation,
	changes: Change[],
	settled: ReadonlyMap<string, number>,
	exact: string[],
	tracked: TrackedRecords,
	source: StatusSource,
): Record<string, number> {
	if (source.layout !== 'pages') return {};
	const moves = movesOf(before, changes, observation);
	const named = new Map<string, number>();
	for (const { status } of tracked.named.values()) named.set(status, (named.get(status) ?? 0) + 1);
	const seen = new Map<string, number>();
	for (const { status } of observation.records.values())
		seen.set(status, (seen.get(status) ?? 0) + 1);
	const counts: Record<string, number> = {};
	for (const { status } of source.partitions) {
		const known = before.counts[status];
		const counted = known === undefined ? undefined : known + (moves.get(status) ?? 0);
		const told = settled.get(status) ?? counted ?? toldTotal(observation, status);
		const count = observation.whole
			? (seen.get(status) ?? 0)
			: exact.includes(status) && observation.complete.has(status)
				? (named.get(status) ?? 0)
				: told;
		if (count !== undefined) counts[status] = Math.max(0, count);
	}
	return counts;
}

function ordersAfter(
	before: Baseline,
	observation: Observation,
	changes: Change[],
	counts: Readonly<Record<string, number>>,
	exact: string[],
	givenUp: ReadonlySet<string>,
	isHalf: boolean,
	{ markEvery }: Limits,
): Record<string, ListOrder> {
	if (before.backfill.is === 'running' && !observation.whole) return { ...before.orders };
	const orders: Record<string, ListOrder> = {};
	const entered = new Set(changes.map(({ id }) => id));
	for (const [status, count] of Object.entries(counts)) {
		if (before.backfill.is === 'running' || exact.includes(status) || givenUp.has(status)) continue;
		const known = before.orders[status];
		if (!known) {
			const list = isHalf ? undefined : rowsOf(observation, status, new Set());
			if (list?.total === count)
				orders[status] = updatedOrder({ marks: [], total: count }, list, markEvery, true);
			continue;
		}
		const left = changes.filter(({ from }) => from?.status === status);
		const order = left.reduce((current, { id }) => withoutKey(current, keyOf(id)), known);
		const list = isHalf ? undefined : rowsOf(observation, status, entered);
		const knowsAll = before.backfill.is === 'complete';
		orders[status] = list ? updatedOrder(order, list, markEvery, knowsAll) : order;
	}
	return orders;
}

/** The order of each status in a list that was read from beginning to end, or in a piece of it that comes next. */
export function appendedOrders(
	orders: Baseline['orders'],
	records: { id: string; status: string }[],
	every: number,
): Record<string, ListOrder> {
	const keys = new Map<string, number[]>();
	for (const { id, status } of new Map(records.map((record) => [record.id, record])).values()) {
		const list = keys.get(status) ?? [];
		list.push(keyOf(id));
		keys.set(status, list);
	}
	const next: Record<string, ListOrder> = { ...orders };
	for (const [status, list] of keys) {
		const { marks, total } = next[status] ?? { marks: [], total: 0 };
		const added = orderOf(list, every);
		next[status] = {
			marks: [...marks, ...added.marks.map(({ key, rank }) => ({ key, rank: rank + total }))],
			total: total + added.total,
		};
	}
	return next;
}
