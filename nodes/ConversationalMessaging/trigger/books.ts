import type { Baseline } from './baseline';
import { movesOf } from './diff';
import type { Findings } from './findings';
import { keyOf } from './keys';
import type { Limits } from './limits';
import { rowsOf, toldTotal } from './observation';
import type { ListOrder } from './order';
import { orderOf, updatedOrder, withoutKey } from './order';
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
		// Withheld changes must be missing again in the next poll.
		const agreed = withheld.size > 0 ? undefined : settled.get(status);
		const told = agreed ?? counted ?? toldTotal(observation, status);
		const count = observation.whole
			? (seen.get(status) ?? 0)
			: exact.includes(status) && observation.complete.has(status)
				? (named.get(status) ?? 0)
				: told;
		if (count !== undefined) counts[status] = Math.max(0, count);
	}
	return counts;
}

/**
 * The order of the archives' lists. An order that was discarded is determined again once the expected total matches
 * the list. Records that an incomplete poll saw, and withheld ones, have no certain place.
 */
export function ordersAfter(
	before: Baseline,
	{ observation, changes, withheld, givenUp, failed }: Findings,
	counts: Readonly<Record<string, number>>,
	exact: string[],
	{ markEvery }: Limits,
): Baseline['orders'] {
	// A backfill determines the order itself. Of a list that is read completely, none is needed.
	if (before.backfill.is === 'running') return observation.whole ? {} : before.orders;
	const orders: Record<string, ListOrder> = {};
	const entered = new Set(changes.map(({ id }) => id));
	const isHalf = failed || withheld.size > 0;
	for (const [status, count] of Object.entries(counts)) {
		if (exact.includes(status)) continue;
		const known = givenUp.has(status) ? undefined : before.orders[status];
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

/** The order of each status in a list that was read completely, or in the next part of it. */
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
