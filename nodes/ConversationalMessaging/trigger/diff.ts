import type { Baseline } from './baseline';
import type { Observation } from './observation';
import { atEnds } from './observation';
import type { ObservedRecord, StatusSource } from './sources/source';
import type { TrackedRecord } from './tracked';
import { isSame } from './tracked';

/** A record whose status is another than the baseline's. */
export interface Change extends ObservedRecord {
	/** null for a record that is new. */
	previousStatus: string | null;
	/** Which change of the record it is, from 1. */
	ordinal: number;
	/** What the baseline had of it. */
	from?: TrackedRecord;
}

/**
 * What changed: baseline against observation, pure. Correct against any earlier baseline: n8n does not keep what a poll
 * without events left, so a restart restores an older one.
 *
 * A record that the baseline does not have is new, as long as the baseline has every record. Where it has not, such a
 * record is old, unless every record of its list was known (then it has entered that list), or the whole list grew by
 * as many as are unknown at its ends.
 *
 * @returns in the order in which the records were seen
 */
export function diff(
	baseline: Baseline,
	observation: Observation,
	source: StatusSource,
): Change[] {
	const { tracked, backfill, eventfulPolls, exact } = baseline;
	const changes: Change[] = [];
	const unknown: ObservedRecord[] = [];
	for (const observed of observation.records.values()) {
		const from = tracked.find(observed.id, observed.status);
		if (!from) unknown.push(observed);
		else if (!isSame(from.status, observed.status)) {
			const ordinal = from.changes + 1;
			changes.push({ ...observed, previousStatus: from.status, ordinal, from });
		}
	}
	if (unknown.length === 0) return changes;
	const knowsAll = backfill.is === 'complete';
	const entered = (record: ObservedRecord): boolean => knowsAll || exact.includes(record.status);
	const ends = knowsAll ? undefined : atEnds(observation);
	const doubtful = unknown.filter((record) => !entered(record) && ends?.has(record.id));
	const newOnes = new Set(doubtful.length <= maxNew(baseline, observation) ? doubtful : []);
	for (const observed of unknown) {
		if (!entered(observed) && !newOnes.has(observed)) continue;
		// It may be one that was dropped: counted from further on, its events have other IDs than those before.
		const ordinal = (backfill.is === 'truncated' ? eventfulPolls : 0) + 1;
		changes.push({ ...observed, previousStatus: source.impliedPreviousStatus, ordinal });
	}
	return changes;
}

/** How many records can be new at most, by the length of the whole list. While that is being learned, none is. */
function maxNew({ backfill, total }: Baseline, observation: Observation): number {
	if (backfill.is !== 'truncated' || total === undefined) return 0;
	return (observation.total ?? 0) - total;
}

/** How many records these changes, deletions and departures add to each status. */
export function movesOf(
	{ tracked }: Baseline,
	changes: Change[],
	{ deleted, outOfScope }: Pick<Observation, 'deleted' | 'outOfScope'>,
): Map<string, number> {
	const moves = new Map<string, number>();
	const add = (status: string | undefined, count: number): void => {
		if (status !== undefined) moves.set(status, (moves.get(status) ?? 0) + count);
	};
	for (const { from, status } of changes) {
		add(from?.status, -1);
		add(status, 1);
	}
	for (const id of [...deleted, ...outOfScope]) add(tracked.named.get(id)?.status, -1);
	return moves;
}
