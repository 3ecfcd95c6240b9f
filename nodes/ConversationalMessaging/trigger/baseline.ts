import type { ListOrder } from './order';
import type { TrackedRecords } from './tracked';

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
export const hasArchives = (baseline: Baseline): boolean =>
	Object.keys(baseline.counts).some((status) => isArchive(baseline, status));

/** How many records there are, by all that is known. */
export const sizeOf = ({ counts }: Baseline): number =>
	Object.values(counts).reduce((sum, count) => sum + count, 0);
