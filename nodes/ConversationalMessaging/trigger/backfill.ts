import { MAX_IN_FLIGHT } from '../api/gate';
import { inParallel } from '../api/parallel';
import type { Baseline } from './baseline';
import { appendedOrders } from './baseline';
import type { Limits } from './limits';
import type { ListedPage } from './lister';
import { Lister } from './lister';
import type { ObservedRecord } from './sources/source';
import type { Edit } from './tracked';

/**
 * Reads on in a long list, so that every record is known. Costs the list's length once. What is not finished, for want
 * of time or because of the rate limit, goes on in the next poll and is not reported as an outage.
 *
 * @param lister of this poll: after an outage nothing is read
 * @param another a lister of its own for the backfill
 */
export async function backfill(
	lister: Lister,
	another: () => Lister,
	baseline: Baseline,
	limits: Limits,
): Promise<Baseline> {
	if (baseline.backfill.is !== 'running' || lister.failure) return baseline;
	const { page: done, pass } = baseline.backfill;
	const pages = await readOn(another(), done, limits);
	const [first] = pages;
	if (!first) return baseline;
	const { total, size } = pages.at(-1) as ListedPage;
	const records = pages.flatMap((page) => page.records);
	const ends = new Set(
		pages
			.filter(({ number }) => number === 1 || number === pageCount(total, size))
			.flatMap((page) => page.records),
	);
	const tracked = addOlder(baseline, records, ends);
	const next = {
		...baseline,
		tracked,
		orders: appendedOrders(done === 0 ? {} : baseline.orders, unique(records), limits.markEvery),
	};
	const page = done + pages.length;
	const last = pageCount(total, size) ?? (pages.at(-1)?.length === 0 ? page : Infinity);
	const enough = Math.ceil(limits.backfillRecords / size);
	if (page < Math.min(last, enough)) return { ...next, backfill: { is: 'running', page, pass } };
	// Two records of many may share a key, and then look like one.
	const shared = Math.ceil((total ?? 0) ** 2 / 2 ** tracked.bits);
	const isComplete = page >= last && tracked.size + shared >= (total ?? 0);
	// Rows shift between pages while they are read: what passed unseen is read in a second pass.
	if (!isComplete && page >= last && pass === 1)
		return { ...next, backfill: { is: 'running', page: 0, pass: 2 } };
	return { ...next, backfill: { is: isComplete ? 'complete' : 'truncated' } };
}

const pageCount = (total: number | undefined, size: number): number | undefined =>
	total === undefined ? undefined : Math.max(1, Math.ceil(total / size));

/** The next pages of the whole list, without a gap. */
async function readOn(lister: Lister, done: number, limits: Limits): Promise<ListedPage[]> {
	const first = await lister.page(done + 1);
	if (!first) return [];
	const last = pageCount(first.total, first.size) ?? Infinity;
	const enough = Math.ceil(limits.backfillRecords / first.size);
	const end = Math.min(last, enough, done + limits.backfillPages);
	const pages: ListedPage[] = [first];
	const numbers = Array.from({ length: Math.max(0, end - done - 1) }, (_, i) => done + 2 + i);
	let over = first.length === 0;
	await inParallel(numbers, MAX_IN_FLIGHT, async (number) => {
		const page = over ? undefined : await lister.page(number);
		if (page) pages[number - done - 1] = page;
		if (page?.length === 0) over = true;
	});
	const gap = Array.from(pages).findIndex((page) => page === undefined);
	return gap < 0 ? pages : pages.slice(0, gap);
}

/** Remembers records that are not known yet. Nothing is reported of them. */
function addOlder(
	{ tracked }: Baseline,
	records: ObservedRecord[],
	ends: ReadonlySet<ObservedRecord>,
): Baseline['tracked'] {
	const edits = new Map<string, Edit>();
	for (const record of records) {
		const { id, status } = record;
		if (tracked.find(id, status)) continue;
		const recency = ends.has(record) ? 1 : 0;
		edits.set(id, { id, to: { status, changes: 0, recency } });
	}
	return tracked.with([...edits.values()]);
}

function unique(records: ObservedRecord[]): ObservedRecord[] {
	return [...new Map(records.map((record) => [record.id, record])).values()];
}

