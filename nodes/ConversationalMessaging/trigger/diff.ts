import type { Baseline } from './baseline';
import { unknownChanges } from './baseline';
import { KEY_BITS } from './keys';
import type { Observation } from './observation';
import { rowsOf, reportedTotal } from './observation';
import type { ReadRow } from './order';
import { provenEntries } from './order';
import type { ObservedRecord, StatusSource } from './sources/source';
import type { TrackedRecord, TrackedRecords } from './tracked';
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
	const { tracked, backfill, exact } = baseline;
	const changes: Change[] = [];
	const ambiguous: Change[] = [];
	const shared: ObservedRecord[] = [];
	const unknown: ObservedRecord[] = [];
	const add = (observed: ObservedRecord, from: TrackedRecord): void => {
		const list = isAmbiguous(baseline, observed) ? ambiguous : changes;
		list.push(changeTo(observed, from, tracked));
	};
	for (const observed of observation.records.values()) {
		const candidates = tracked.candidates(observed.id);
		const [from] = candidates;
		if (!from) unknown.push(observed);
		else if (candidates.some(({ status }) => isSame(status, observed.status))) continue;
		else if (candidates.length > 1) shared.push(observed);
		else add(observed, from);
	}
	for (const observed of shared) {
		const from = likelyOrigin(baseline, observation, changes, observed);
		if (from) add(observed, from);
	}
	changes.push(...confirmed(baseline, observation, changes, ambiguous));
	const entered = enteredArchives(baseline, observation, changes);
	for (const observed of entered) {
		const from = likelyOrigin(baseline, observation, changes, observed);
		if (from) changes.push(changeTo(observed, from, tracked));
	}
	const proven = new Set(entered);
	const isNew = (observed: ObservedRecord): boolean =>
		backfill.is === 'complete' ||
		exact.includes(observed.status) ||
		(backfill.is === 'truncated' && proven.has(observed));
	const ordinal = unknownChanges(baseline) + 1;
	for (const observed of unknown.filter(isNew))
		changes.push({ ...observed, previousStatus: source.impliedPreviousStatus, ordinal });
	return changes;
}

/** The change of a record from this state. */
function changeTo(observed: ObservedRecord, from: TrackedRecord, tracked: TrackedRecords): Change {
	// After the highest number of all that share its key, its event does not get the ID of an earlier one.
	const numbers = tracked.candidates(observed.id).map(({ changes }) => changes);
	return { ...observed, previousStatus: from.status, ordinal: Math.max(...numbers) + 1, from };
}

/**
 * The state that a record which shares its key with others had before: of those with another status, one in the list
 * that misses most records.
 */
function likelyOrigin(
	baseline: Baseline,
	observation: Observation,
	changes: Change[],
	{ id, status }: ObservedRecord,
): TrackedRecord | undefined {
	const deltas = countDeltas(baseline, changes, observation);
	const missing = (from: TrackedRecord): number =>
		(baseline.counts[from.status] ?? 0) +
		(deltas.get(from.status) ?? 0) -
		(reportedTotal(observation, from.status) ?? Infinity);
	const [first, ...others] = baseline.tracked
		.candidates(id)
		.filter((record) => !isSame(record.status, status));
	return first && others.reduce((best, one) => (missing(one) > missing(best) ? one : best), first);
}

/**
 * Whether a record may be confused with another one: once keys are short and records were dropped, a dropped record
 * that did not change can have the key of one that was kept.
 */
function isAmbiguous(
	{ tracked, backfill, exact }: Baseline,
	{ id, status }: ObservedRecord,
): boolean {
	return (
		backfill.is === 'truncated' &&
		tracked.bits < KEY_BITS &&
		!tracked.byId.has(id) &&
		!exact.includes(status)
	);
}

/** Those of the ambiguous changes that the totals confirm: their list is longer by as many records, or more. */
function confirmed(
	baseline: Baseline,
	observation: Observation,
	changes: Change[],
	ambiguous: Change[],
): Change[] {
	const deltas = countDeltas(baseline, changes, observation);
	return [...new Set(ambiguous.map(({ status }) => status))].flatMap((status) => {
		const entering = ambiguous.filter((change) => change.status === status);
		const expected = (baseline.counts[status] ?? 0) + (deltas.get(status) ?? 0);
		const surplus = (reportedTotal(observation, status) ?? 0) - expected;
		return surplus >= entering.length ? entering : [];
	});
}

/**
 * Records that provably entered an archive, by its order: unknown ones, and those that look unchanged because another
 * record has the same key.
 */
function enteredArchives(
	baseline: Baseline,
	observation: Observation,
	changes: Change[],
): ObservedRecord[] {
	const { tracked, backfill, orders, counts } = baseline;
	// If every record is known and no key is short, there are none.
	if (backfill.is !== 'truncated' && tracked.bits === KEY_BITS) return [];
	const changed = new Set(changes.map(({ id }) => id));
	return [...observation.archives].flatMap((status) => {
		const list = rowsOf(observation, status, changed);
		const order = orders[status];
		// Earlier changes without a place in the order yet make the list longer or shorter.
		if (!list || !order || order.total !== counts[status]) return [];
		// A record that was also read in another list changed during the poll: it is not clear which came first.
		const isElsewhere = ({ id, entered }: ReadRow): boolean => {
			const known = entered ? undefined : tracked.find(id, status);
			return known !== undefined && !isSame(known.status, status);
		};
		if ([...list.rows.values()].some(isElsewhere)) return [];
		const left = changes.filter(({ from }) => from?.status === status).length;
		return provenEntries(order, list, left, mayHaveEntered(baseline, status)).flatMap(
			(id) => observation.records.get(id) ?? [],
		);
	});
}

/**
 * Whether a record in the list of a status may have entered it, although it is not a change: nothing is known of it, or
 * it looks unchanged because another record has the same key.
 */
export const mayHaveEntered =
	({ tracked }: Baseline, status: string) =>
	({ id }: ReadRow): boolean => {
		const known = tracked.candidates(id);
		return known.length === 0 || known.some((record) => !isSame(record.status, status));
	};

/** The number of records that these changes, deletions and departures add to each status. */
export function countDeltas(
	{ tracked }: Baseline,
	changes: Change[],
	{ deleted, outOfScope }: Pick<Observation, 'deleted' | 'outOfScope'>,
): Map<string, number> {
	const deltas = new Map<string, number>();
	const add = (status: string | undefined, count: number): void => {
		if (status !== undefined) deltas.set(status, (deltas.get(status) ?? 0) + count);
	};
	for (const { from, status } of changes) {
		add(from?.status, -1);
		add(status, 1);
	}
	for (const id of [...deleted, ...outOfScope]) add(tracked.byId.get(id)?.status, -1);
	return deltas;
}
