import type { Baseline } from './baseline';
import { countDeltas } from './diff';
import type { Findings } from './findings';
import { reportedTotal } from './observation';
import type { StatusSource } from './sources/source';
import type { TrackedRecords } from './tracked';

/**
 * The expected number of records of each status: the previous number plus the known changes, or the total that the
 * search could confirm. For a list that is read in full, the number of its records.
 */
export function countsAfter(
	before: Baseline,
	{ observation, changes, withheld, settled }: Findings,
	exact: string[],
	tracked: TrackedRecords,
	source: StatusSource,
): Record<string, number> {
	if (source.layout !== 'pages') return {};
	const deltas = countDeltas(before, changes, observation);
	const byStatus = new Map<string, number>();
	for (const { status } of tracked.byId.values())
		byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
	const seen = new Map<string, number>();
	for (const { id, status } of observation.records.values())
		if (!observation.outOfScope.includes(id)) seen.set(status, (seen.get(status) ?? 0) + 1);
	const counts: Record<string, number> = {};
	for (const { status } of source.partitions) {
		const known = before.counts[status];
		const counted = known === undefined ? undefined : known + (deltas.get(status) ?? 0);
		// Withheld changes must be missing again in the next poll.
		const confirmed = withheld.size > 0 ? undefined : settled.get(status);
		const expected = confirmed ?? counted ?? reportedTotal(observation, status);
		const count = observation.whole
			? (seen.get(status) ?? 0)
			: exact.includes(status) && observation.complete.has(status)
				? (byStatus.get(status) ?? 0)
				: expected;
		if (count !== undefined) counts[status] = Math.max(0, count);
	}
	return counts;
}
