import { clock } from '../api/clock';
import type { Change } from './diff';
import { movesOf } from './diff';
import { keyOf } from './keys';
import type { Limits } from './limits';
import type { Lookups } from './lookups';
import type { Observation } from './observation';
import { toldTotal } from './observation';
import type { ListOrder } from './order';
import { orderOf, updatedOrder, withoutKey } from './order';
import type { Searched } from './search';
import { readRows } from './search';
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
 *   list is none. A record that the baseline does not have is new only where the baseline has all others, or the
 *   totals say so; what was dropped from it is old.
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
	/** The order of the archives' lists. */
	orders: Readonly<Record<string, ListOrder>>;
	/** How long the whole list was; undefined when it was not looked at. */
	total?: number;
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

/** How many records there are, by all that is known. */
export const sizeOf = ({ counts }: Baseline): number =>
	Object.values(counts).reduce((sum, count) => sum + count, 0);

/** The order of an archive; without marks where it is not known yet. */
export const orderIn = ({ orders, counts }: Baseline, status: string): ListOrder =>
	orders[status] ?? { marks: [], total: counts[status] ?? 0 };

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
	const searched = { observation, settled: new Map<string, number>() };
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
	{ observation, settled }: Searched,
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
	const counts = countsAfter(before, observation, changes, settled, exact, tracked, source);
	const isSettled = observation.coversAll && observation.isConsistent;
	return {
		...before,
		tracked,
		counts,
		exact,
		orders: ordersAfter(before, observation, changes, exact, limits),
		total: totalAfter(before, observation, changes, settled, failed),
		backfill: isSettled ? { is: 'complete' } : before.backfill,
		eventfulPolls: before.eventfulPolls + (changes.length > 0 ? 1 : 0),
		rotation: before.rotation + (observation.archives.size > 0 ? 1 : 0),
		cursors: failed ? before.cursors : cursors,
	};
}

/** Statuses whose list was read in full now, and those of which nothing was seen that says otherwise. */
function exactAfter(
	before: Baseline,
	snapshot: Observation,
	source: StatusSource,
	remembers: boolean,
): string[] {
	const { complete, archives, coversAll, records } = snapshot;
	const seen = coversAll ? [...records.values()].map(({ status }) => status) : [];
	const listed = new Set(source.partitions.map(({ status }) => status));
	const kept = before.exact.filter(
		(status) => !archives.has(status) && (listed.has(status) || source.layout !== 'pages'),
	);
	return [...new Set(remembers ? [...kept, ...complete, ...seen] : kept)].sort();
}

/** Which records are kept by their ID: those that have to be looked up when they are not seen. */
function namingRule(
	source: StatusSource,
	{ coversAll }: Snapshot,
	exact: string[],
): (status: string) => boolean {
	const isListed = (status: string): boolean =>
		source.partitions.some((partition) => partition.status === status);
	// Where everything is read in every poll, a record that has ended is seen when it is reopened.
	if (coversAll || source.layout !== 'pages') return (status) => !source.isTerminal(status);
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
		const count = observation.coversAll
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
	exact: string[],
	{ markEvery }: Limits,
): Record<string, ListOrder> {
	const orders: Record<string, ListOrder> = {};
	const entered = new Set(changes.map(({ id }) => id));
	for (const status of Object.keys(before.counts)) {
		if (before.backfill.is === 'running' || exact.includes(status)) continue;
		const left = changes.filter(({ from }) => from?.status === status);
		const order = left.reduce(
			(current, { id }) => withoutKey(current, keyOf(id)),
			orderIn(before, status),
		);
		const total = toldTotal(observation, status);
		const { rows } = readRows(observation, status, entered);
		orders[status] = total === undefined ? order : updatedOrder(order, rows, total, markEvery);
	}
	if (before.backfill.is === 'running' && !observation.coversAll) return { ...before.orders };
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

/**
 * How long the whole list was, to tell by how much it has grown when the next poll looks.
 *
 * Kept as it was when not everything was seen. Where not every record is known, what was new and found counts, so that
 * it does not make an old record look new.
 */
function totalAfter(
	before: Baseline,
	observation: Observation,
	changes: Change[],
	settled: ReadonlyMap<string, number>,
	failed: boolean,
): number | undefined {
	const { tracked, total, backfill, counts } = before;
	if (failed) return total;
	if (backfill.is !== 'truncated' || total === undefined) return observation.total;
	const found = changes.filter(({ id, status }) => !tracked.find(id, status)).length;
	// What was settled without being explained may have been new: it must not make another record look new later.
	const moves = movesOf(before, changes, observation);
	let unexplained = 0;
	for (const [status, told] of settled)
		unexplained += Math.max(0, told - (counts[status] ?? told) - (moves.get(status) ?? 0));
	const known = total + found + unexplained - observation.deleted.length;
	return Math.max(known, observation.total ?? 0);
}
