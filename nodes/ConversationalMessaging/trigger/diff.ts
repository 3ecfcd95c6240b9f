import type { Baseline } from './baseline';
import type { Observation } from './observation';
import { endsOf, toldTotal } from './observation';
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
 * record is old, unless every record of its list was known (then it has entered that list), or the totals say that it
 * is new.
 */
export function diff(baseline: Baseline, observation: Observation, source: StatusSource): Change[] {
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
	const isEntered = ({ status }: ObservedRecord): boolean => knowsAll || exact.includes(status);
	const entered = unknown.filter(isEntered);
	const doubtful = unknown.filter((record) => !isEntered(record));
	const newOnes = newByTotals(baseline, observation, [...changes], entered, doubtful);
	for (const observed of [...entered, ...newOnes]) {
		// It may be one that was dropped: counted from further on, its events have other IDs than those before.
		const ordinal = (backfill.is === 'truncated' ? eventfulPolls : 0) + 1;
		changes.push({ ...observed, previousStatus: source.impliedPreviousStatus, ordinal });
	}
	return changes;
}

/**
 * Which records that the baseline does not have are new by the totals: no more of them turned up than the whole list
 * grew by, and at both ends of their own list no more than that grew by. Otherwise nobody can tell them from records
 * that were dropped, and none is new.
 */
function newByTotals(
	baseline: Baseline,
	observation: Observation,
	changes: Change[],
	entered: ObservedRecord[],
	doubtful: ObservedRecord[],
): ObservedRecord[] {
	const { backfill, total, counts } = baseline;
	if (backfill.is !== 'truncated' || total === undefined || observation.total === undefined)
		return [];
	const growth = observation.total - total;
	if (observation.coversAll) return entered.length + doubtful.length <= growth ? doubtful : [];
	const ends = endsOf(observation);
	const atEnds = doubtful.filter(({ id, status }) => ends.get(status)?.has(id));
	if (entered.length + atEnds.length > growth) return [];
	const moves = movesOf(baseline, changes, observation);
	return atEnds.filter(({ status }) => {
		const told = toldTotal(observation, status) ?? 0;
		const surplus = told - (counts[status] ?? told) - (moves.get(status) ?? 0);
		return atEnds.filter((record) => record.status === status).length <= surplus;
	});
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
