import { keyOf } from './keys';
import type { Limits } from './limits';
import type { Fill, LongList, Memory } from './memory';
import { START } from './memory';
import type { ListedPage, Reader } from './reader';
import { pageCount } from './reader';
import type { Edit } from './records';
import type { Seen } from './seen';
import type { Partition } from './sources/source';
import { sweep } from './sweep';

/** How often a list whose rows shift is read, before it stays unknown. */
const MOST_PASSES = 3;

/**
 * Reads long lists that are not known yet, so that a reopened ticket can be distinguished from a new one. Their records
 * are remembered without being reported. If time or the rate limit runs out, the next poll continues, and this is not
 * an outage.
 */
export async function fillLongLists(
	reader: Reader,
	memory: Memory,
	seen: Seen,
	limits: Limits,
): Promise<Memory> {
	if (reader.isOver) return memory;
	const own = reader.another();
	let filled = memory;
	let budget = limits.fillPages;
	for (const list of reader.source.partitions) {
		const state = filled.lists[list.status];
		const first = seen.firstPages.get(list.status);
		if (!state?.fill || !first || budget <= 0) continue;
		const { pages, next, finished } = await readOn(own, list, state.fill, first, budget);
		budget -= pages.length;
		const after = stateAfter(state, state.fill, pages, next, finished);
		filled = {
			...filled,
			records: filled.records.with(unknownOn(pages, filled)),
			lists: { ...filled.lists, [list.status]: after },
		};
	}
	return filled;
}

/** The last page that was read before, and the pages after it. */
const readOn = async (
	reader: Reader,
	list: Partition,
	{ page }: Fill,
	first: ListedPage,
	budget: number,
) =>
	await sweep(reader, list, {
		from: Math.max(1, page),
		last: pageCount(first),
		budget: page > 0 ? budget + 1 : budget,
	});

function stateAfter(
	state: LongList,
	fill: Fill,
	pages: ListedPage[],
	next: number,
	finished: boolean,
): LongList {
	const isSteady = fill.isSteady && continues(fill, pages) && isInOneState(pages);
	const latest = pages.at(-1);
	if (!finished) {
		if (!latest || next - 1 <= fill.page) return state;
		const anchor = keyOf(latest.records.at(-1)?.id ?? '');
		const total = latest.total ?? 0;
		return { ...state, fill: { ...fill, page: next - 1, anchor, total, isSteady } };
	}
	const over: LongList = { ...state };
	delete over.fill;
	if (isSteady) return { ...over, isKnown: true };
	return fill.pass < MOST_PASSES ? { ...over, fill: { ...START, pass: fill.pass + 1 } } : over;
}

/**
 * Whether no row can have been missed between these pages and those before them. Rows shift while records are created
 * and deleted: the last row of the previous page must have moved by as many ranks as the list grew by, or not at all if
 * the list grows at its end.
 */
function continues({ page, anchor, total }: Fill, pages: ListedPage[]): boolean {
	if (page === 0) return true;
	const [first] = pages;
	if (!first) return false;
	const rows = pages.flatMap(({ records }) => records);
	const at = rows.findIndex(({ id }) => keyOf(id) === anchor);
	const shift = (first.number - 1) * first.size + at - (page * first.size - 1);
	const growth = (first.total ?? 0) - total;
	return at >= 0 && (shift === growth || (shift === 0 && growth > 0));
}

/** Whether these pages show the list as it was at one moment: with one total, full pages, and no row twice. */
function isInOneState(pages: ListedPage[]): boolean {
	const totals = new Set(pages.map(({ total }) => total));
	const ids = pages.flatMap(({ records }) => records.map(({ id }) => id));
	const areFull = pages.slice(0, -1).every(({ length, size }) => length === size);
	return totals.size <= 1 && areFull && new Set(ids).size === ids.length;
}

function unknownOn(pages: ListedPage[], { records }: Memory): Edit[] {
	const edits = new Map<string, Edit>();
	for (const { id, status } of pages.flatMap((page) => page.records))
		if (!records.knows(id, status)) edits.set(id, { id, status, keepsId: false });
	return [...edits.values()];
}
