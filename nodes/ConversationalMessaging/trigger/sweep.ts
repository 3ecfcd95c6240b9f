import { forEachConcurrent } from '../api/concurrency';
import { READS_AT_ONCE } from './limits';
import type { Reader } from './reader';
import type { ListedPage, Partition } from './sources/source';
import { pageCount } from './sources/source';

/** What a sweep read. */
export interface Swept {
	/** In the list's order, without a gap. */
	pages: ListedPage[];
	/** The page at which the next sweep continues. */
	next: number;
	/** Whether the list's last page was read. */
	finished: boolean;
	/** Whether it ended at a page that cannot be read. */
	blocked: boolean;
}

/**
 * Reads a list page by page, from a page on.
 *
 * A page that cannot be read ends the sweep, so that nothing is left out. The first page is read alone: a sweep that
 * begins with such a page sends one request.
 *
 * @param range the number of the first page to read, from 1, that of the list's last page as far as known, and the number of
 *   pages to read at most
 * @param isEnough called with what was read so far; ends the sweep early
 */
export async function sweep(
	reader: Reader,
	list: Partition,
	range: { from: number; last?: number; budget: number },
	isEnough: (pages: ListedPage[]) => boolean = () => false,
): Promise<Swept> {
	const { from, budget } = range;
	const pages: ListedPage[] = [];
	let last = range.last ?? Infinity;
	for (;;) {
		const next = from + pages.length;
		if (next > last) return { pages, next, finished: true, blocked: false };
		const most = Math.min(
			last - next + 1,
			budget - pages.length,
			pages.length > 0 ? READS_AT_ONCE : 1,
		);
		if (most <= 0 || isEnough(pages)) return { pages, next, finished: false, blocked: false };
		const read = await pagesInRow(reader, list, next, most);
		pages.push(...read);
		if (read.length < most) {
			return { pages, next: next + read.length, finished: false, blocked: true };
		}
		last = lastPage(pages);
	}
}

/** Pages from a number on, up to the first one that could not be read. */
async function pagesInRow(
	reader: Reader,
	list: Partition,
	from: number,
	count: number,
): Promise<ListedPage[]> {
	const numbers = Array.from({ length: count }, (_, i) => from + i);
	const pages: (ListedPage | undefined)[] = [];
	await forEachConcurrent(numbers, READS_AT_ONCE, async (number, i) => {
		pages[i] = await reader.deepPage(number, list);
	});
	const gap = pages.findIndex((page) => page === undefined);
	return pages.slice(0, gap < 0 ? count : gap) as ListedPage[];
}

/** The number of the list's last page, as far as these show it. Without a total, the first empty one is behind it. */
function lastPage(pages: ListedPage[]): number {
	const empty = pages.find(({ length }) => length === 0);
	const latest = pages.at(-1);
	return empty?.number ?? (latest && pageCount(latest)) ?? Infinity;
}
