import type { Baseline } from './baseline';
import { mayHaveEntered } from './diff';
import type { Findings } from './findings';
import { keyOf } from './keys';
import type { Limits } from './limits';
import { rowsOf } from './observation';
import type { ListOrder } from './order';
import { orderOf, updatedOrder, withoutKey } from './order';

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
				orders[status] = updatedOrder({ marks: [], total: count }, list, markEvery);
			continue;
		}
		const left = changes.filter(({ from }) => from?.status === status);
		const order = left.reduce((current, { id }) => withoutKey(current, keyOf(id)), known);
		const list = isHalf ? undefined : rowsOf(observation, status, entered);
		const isUnclear = mayHaveEntered(before, status);
		orders[status] = list
			? updatedOrder(order, list, markEvery, before.backfill.is === 'complete', isUnclear)
			: order;
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
