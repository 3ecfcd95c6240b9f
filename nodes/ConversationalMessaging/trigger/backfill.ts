import { forEachConcurrent } from '../api/concurrency';
import type { Baseline, Running } from './baseline';
import { passOf } from './baseline';
import { appendedOrders } from './listOrders';
import { keyOf } from './keys';
import type { Limits } from './limits';
import { READS_AT_ONCE } from './limits';
import type { ListedPage, Lister } from './lister';
import type { Edit } from './tracked';

/**
 * Continues to read a long list until every record is known, at the cost of reading the list once. If time or the
 * rate limit runs out, the next poll continues, and this is not reported as an outage.
 *
 * @param lister the poll's: after an outage, nothing is read
 * @param another a separate lister for the backfill
 */
export async function backfill(
	lister: Lister,
	another: () => Lister,
	baseline: Baseline,
	limits: Limits,
): Promise<Baseline> {
	if (baseline.backfill.is !== 'running' || lister.failure) return baseline;
	const { page: done, pass } = baseline.backfill;
	const read = await readOn(another(), done, limits);
	const last = read.at(-1);
	if (!last) return baseline;
	// None if the list has become shorter than the part that was read.
	const pages = read.filter(({ number }) => number > done);
	const records = pages.flatMap((page) => page.records);
	const tracked = addOlder(baseline, pages);
	const orders = done === 0 ? {} : baseline.orders;
	const next = { ...baseline, tracked, orders: appendedOrders(orders, records, limits.markEvery) };
	const isConsistent = baseline.backfill.isConsistent && noRowMissed(baseline.backfill, read);
	const running: Running = {
		is: 'running',
		page: done + pages.length,
		pass,
		last: last.records.map(({ id }) => keyOf(id)),
		total: last.total ?? 0,
		isConsistent,
	};
	const count = pageCount(last) ?? (last.length === 0 ? last.number : Infinity);
	const enough = Math.ceil(limits.backfillRecords / last.size);
	if (running.page < Math.min(count, enough)) return { ...next, backfill: running };
	if (running.page < count) return truncated(next);
	// Two of many records may share a key and so count as one.
	const shared = Math.floor(running.total ** 2 / 2 ** tracked.bits);
	if (isConsistent && tracked.size + shared >= running.total)
		return { ...next, backfill: { is: 'complete' } };
	return pass === 1 ? { ...next, backfill: passOf(2) } : truncated(next);
}

/** The order of a partly read list proves nothing. The rotation determines it again. */
const truncated = (baseline: Baseline): Baseline => ({
	...baseline,
	orders: {},
	backfill: { is: 'truncated' },
});

/**
 * Whether no row can have been missed between these pages and the previous ones: rows shift while records are created
 * and deleted. As many rows must occur again as the list grew by, or none if it grows at its end.
 *
 * @param read the last page of the previous poll again, and the pages after it
 */
function noRowMissed({ page, last, total }: Running, read: ListedPage[]): boolean {
	const keys = read.flatMap(({ records }) => records.map(({ id }) => keyOf(id)));
	const start = page > 0 ? keys.indexOf(last[0] as number) : 0;
	if (!last.every((key, i) => keys[start + i] === key)) return false;
	let known = total;
	let again = start;
	const seen = new Set<number>();
	for (const { total: reported, records } of read) {
		const before = seen.size;
		for (const { id } of records) seen.add(keyOf(id));
		again += before + records.length - seen.size;
		const grown = (reported ?? known) - known;
		if (grown < 0 || (again !== grown && again !== 0)) return false;
		known += grown;
		again = 0;
	}
	return true;
}

const pageCount = ({ total, size }: ListedPage): number | undefined =>
	total === undefined ? undefined : Math.max(1, Math.ceil(total / size));

/** The last page again, and the next pages of the whole list, without a gap. */
async function readOn(lister: Lister, done: number, limits: Limits): Promise<ListedPage[]> {
	const begin = Math.max(1, done);
	const first = await lister.page(begin);
	if (!first) return [];
	const enough = Math.ceil(limits.backfillRecords / first.size);
	const end = Math.min(pageCount(first) ?? Infinity, enough, done + limits.backfillPages);
	const pages: ListedPage[] = [first];
	const numbers = Array.from({ length: Math.max(0, end - begin) }, (_, i) => begin + 1 + i);
	let isOver = first.length === 0;
	await forEachConcurrent(numbers, READS_AT_ONCE, async (number) => {
		const page = isOver ? undefined : await lister.page(number);
		if (page) pages[number - begin] = page;
		if (page?.length === 0) isOver = true;
	});
	let count = 0;
	while (pages[count]) count++;
	return pages.slice(0, count);
}

/** Tracks records that are not known yet, without reporting them. Those at the ends of the list change most. */
function addOlder({ tracked }: Baseline, pages: ListedPage[]): Baseline['tracked'] {
	const edits = new Map<string, Edit>();
	for (const page of pages) {
		const recency = page.number === 1 || page.number === pageCount(page) ? 1 : 0;
		for (const { id, status } of page.records)
			if (!tracked.knows(id, status)) edits.set(id, { id, to: { status, changes: 0, recency } });
	}
	return tracked.with([...edits.values()]);
}
