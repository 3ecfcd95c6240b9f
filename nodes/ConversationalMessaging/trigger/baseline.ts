import type { ListOrder } from './order';
import { TrackedRecords } from './tracked';

/**
 * The state of reading a long list, which is needed to distinguish a reopened ticket from a new one.
 *
 * - `running`: pages up to `page` were read, in the first or the second pass. `last` contains the keys of the last page,
 *   `total` the length of the list at that time: they show whether rows have shifted since. `isConsistent` is true as
 *   long as no row can have been missed
 * - `complete`: every record is known
 * - `truncated`: there are more records than fit, or rows kept shifting
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

/** The state before the first page of a pass. */
export const passOf = (pass: 1 | 2): Running => ({
	is: 'running',
	page: 0,
	pass,
	last: [],
	total: 0,
	isConsistent: true,
});

/** Where the next poll continues its lookups, as keys of IDs. */
export interface Cursors {
	left: number;
	unlisted: number;
}

/**
 * What is known of the records of one source between two polls.
 *
 * It guarantees, in every poll:
 *
 * - **At least once:** a change that a poll observed is reported by it, or remains a difference from the baseline that
 *   the next poll finds again. A record that cannot be looked up or fetched in full keeps its state.
 * - **In order:** the changes of one record are numbered in the order in which they were observed. Between records there
 *   is no order: the service does not report when something changed.
 * - **Never invented:** a change is a difference between two statuses that the service itself returned. Absence from a
 *   list is not a change. A record that is not in the baseline is new only if the baseline has all others, or if the
 *   list has grown exactly where the record is. Otherwise, a dropped record is old. During a backfill, an unknown record
 *   in a short list is reported without a previous status: it may have left a part of an archive that was not read yet.
 * - **What can be missed:** a status that a record had only between two polls; in archives, changes that leave every
 *   total unchanged, or that deletions in the same list offset, until the rotation reaches them; and, once records were
 *   dropped, changes between archives.
 */
export interface Baseline {
	/** Distinguishes this baseline from one that began at another time. */
	epoch: string;
	tracked: TrackedRecords;
	/** The expected number of records of each status. */
	counts: Readonly<Record<string, number>>;
	/**
	 * Statuses of which every record is known, even after others were dropped, because their lists are read in full.
	 */
	exact: readonly string[];
	/** The order of the archives' lists, as far as it is known. */
	orders: Readonly<Record<string, ListOrder>>;
	backfill: Backfill;
	/** The number of polls with a change. */
	eventfulPolls: number;
	/** Which page of the archives is next. */
	rotation: number;
	/** The number of rows on a full page, as the service returned it last. */
	pageSize: number;
	/** Of archives whose search is not over: the last page that it read in order. */
	sweeps: Readonly<Record<string, number>>;
	cursors: Cursors;
}

/** Whether the list of a status is too long to be read in full. */
export const isArchive = ({ counts, exact }: Baseline, status: string): boolean =>
	counts[status] !== undefined && !exact.includes(status);

/** Whether there are lists of which only one page per poll is read. */
export const hasArchives = (baseline: Baseline): boolean =>
	Object.keys(baseline.counts).some((status) => isArchive(baseline, status));

/** The expected number of records. */
export const sizeOf = ({ counts }: Baseline): number =>
	Object.values(counts).reduce((sum, count) => sum + count, 0);

/**
 * How many changes an unknown record may have had. It may have been dropped: counting on from all eventful polls, its
 * next event does not get the ID of an earlier one.
 */
export const unknownChanges = ({ backfill, eventfulPolls }: Baseline): number =>
	backfill.is === 'truncated' ? eventfulPolls : 0;

/**
 * Whether one record in ten or more is tracked although it was deleted: a record of an archive that disappears from its
 * list is not looked up.
 */
export const isStale = (baseline: Baseline): boolean =>
	baseline.backfill.is === 'complete' &&
	hasArchives(baseline) &&
	baseline.tracked.size > 1.1 * sizeOf(baseline);

/**
 * A baseline whose archives are read again. Changes between archives during the next few polls are not found. The new
 * epoch keeps event IDs unique, because records in archives start with no changes again.
 */
export const withoutArchives = (baseline: Baseline): Baseline => ({
	...baseline,
	epoch: `${baseline.epoch}-${baseline.eventfulPolls}`,
	tracked: new TrackedRecords(baseline.tracked.byId),
	exact: [],
	orders: {},
	backfill: passOf(1),
	sweeps: {},
});
