import type { Baseline } from './baseline';
import type { Observation } from './observation';
import { KEY_BITS } from './keys';
import { rowsOf, toldTotal } from './observation';
import type { ReadRow } from './order';
import { provenEntries } from './order';
import type { ObservedRecord, StatusSource } from './sources/source';
import type { TrackedRecord } from './tracked';
import { isSame } from './tracked';

/** A record whose status differs from the baseline's. */
export interface Change extends ObservedRecord {
	/** null for a new record. */
	previousStatus: string | null;
	/** The number of this change of the record, from 1. */
	ordinal: number;
	/** Its record in the baseline. */
	from?: TrackedRecord;
}

/**
 * Compares baseline and observation. A pure function.
 *
 * Correct against any earlier baseline: n8n does not persist state after an empty poll, so a restart restores an
 * older one. A record that is not in the baseline is new if the baseline has every record. Otherwise it may have been
 * dropped and counts as old, unless it has provably entered its list: every record of that list was known, or the
 * list has grown exactly where it is.
 */
export function diff(baseline: Baseline, observation: Observation, source: StatusSource): Change[] {
	const { tracked, backfill, eventfulPolls, exact } = baseline;
	const changes: Change[] = [];
	const unknown: ObservedRecord[] = [];
	const ambiguous: Change[] = [];
	// Once keys are short and records were dropped, an unchanged record that was dropped can have the key of one that
	// was kept: only the totals tell.
	const isAmbiguous = (id: string, status: string): boolean =>
		backfill.is === 'truncated' &&
		tracked.bits < KEY_BITS &&
		!tracked.named.has(id) &&
		!exact.includes(status);
	for (const observed of observation.records.values()) {
		const from = tracked.find(observed.id, observed.status);
		if (!from) unknown.push(observed);
		else if (!isSame(from.status, observed.status)) {
			const ordinal = from.changes + 1;
			const to = isAmbiguous(observed.id, observed.status) ? ambiguous : changes;
			to.push({ ...observed, previousStatus: from.status, ordinal, from });
		}
	}
	const moves = movesOf(baseline, changes, observation);
	for (const status of new Set(ambiguous.map((change) => change.status))) {
		const same = ambiguous.filter((change) => change.status === status);
		const known = (baseline.counts[status] ?? 0) + (moves.get(status) ?? 0);
		if ((toldTotal(observation, status) ?? 0) - known >= same.length) changes.push(...same);
	}
	if (unknown.length === 0) return changes;
	const entered =
		backfill.is === 'truncated' ? enteredArchives(baseline, observation, changes) : [];
	const isNew = ({ id, status }: ObservedRecord): boolean =>
		backfill.is === 'complete' || exact.includes(status) || entered.includes(id);
	// The record may have been dropped before: counting from a higher number gives its events new IDs.
	const ordinal = (backfill.is === 'truncated' ? eventfulPolls : 0) + 1;
	for (const observed of unknown.filter(isNew))
		changes.push({ ...observed, previousStatus: source.impliedPreviousStatus, ordinal });
	return changes;
}

/** IDs of unknown records that provably entered an archive, by its order. */
function enteredArchives(
	baseline: Baseline,
	observation: Observation,
	changes: Change[],
): string[] {
	const changed = new Set(changes.map(({ id }) => id));
	return [...observation.archives].flatMap((status) => {
		const list = rowsOf(observation, status, changed);
		const order = baseline.orders[status];
		// Earlier changes without a place in the order yet make the list longer or shorter.
		if (!list || !order || order.total !== baseline.counts[status]) return [];
		// A record that was also read in another list changed during the poll: it is not clear which came first.
		const isElsewhere = ({ id, entered }: ReadRow): boolean => {
			const known = entered ? undefined : baseline.tracked.find(id, status);
			return known !== undefined && !isSame(known.status, status);
		};
		if ([...list.rows.values()].some(isElsewhere)) return [];
		const left = changes.filter(({ from }) => from?.status === status).length;
		const isUnknown = ({ id }: ReadRow): boolean => !baseline.tracked.find(id, status);
		return provenEntries(order, list, left, isUnknown);
	});
}

/** The number of records that these changes, deletions and departures add to each status. */
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
