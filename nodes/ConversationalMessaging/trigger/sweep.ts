import { forEachConcurrent } from '../api/concurrency';
import { READS_AT_ONCE } from './limits';
import type { PageResult } from './reader';
import { isPage } from './reader';
import type { ListedPage } from './sources/source';
import { pageCount } from './sources/source';

/** What a sweep read. */
export interface Swept {
	/** In the list's order, without a gap. */
	pages: ListedPage[];
	/** The page at which the next sweep continues. */
	next: number;
	/**
	 * What ended it: the list's last page; its budget, or that it was enough; a page that the service rejects; or one that could
	 * not be read now.
	 */
	end: 'last' | 'budget' | 'rejected' | 'failed';
}

/**
 * Reads a list page by page, from a page on. A page that cannot be read ends the sweep, so that nothing is left out.
 *
 * The first page is read alone: a sweep that begins with one that is rejected sends one request.
 *
 * @param read reads the page of a number, from 1
 * @param range the first page to read, the list's last page as far as known, and the number of pages to read at most
 * @param isEnough called with what was read so far; ends the sweep early
 */
export async function sweep(
	read: (number: number) => Promise<PageResult>,
	range: { from: number; last?: number; budget: number },
	isEnough: (pages: ListedPage[]) => boolean = () => false,
): Promise<Swept> {
	const { from, budget } = range;
	const pages: ListedPage[] = [];
	let last = range.last ?? Infinity;
	for (;;) {
		const next = from + pages.length;
		if (next > last) return { pages, next, end: 'last' };
		const count = Math.min(
			last - next + 1,
			budget - pages.length,
			pages.length > 0 ? READS_AT_ONCE : 1,
		);
		if (count <= 0 || isEnough(pages)) return { pages, next, end: 'budget' };
		const results: PageResult[] = [];
		const numbers = Array.from({ length: count }, (_, i) => next + i);
		await forEachConcurrent(numbers, READS_AT_ONCE, async (number, i) => {
			results[i] = await read(number);
		});
		const gap = results.findIndex((result) => !isPage(result));
		pages.push(...results.slice(0, gap < 0 ? count : gap).filter(isPage));
		if (gap >= 0)
			return { pages, next: next + gap, end: results[gap] === 'rejected' ? 'rejected' : 'failed' };
		last = lastPage(pages);
	}
}

/** The number of the list's last page, as far as these show it. Without a total, the first empty one is behind it. */
function lastPage(pages: ListedPage[]): number {
	const empty = pages.find(({ length }) => length === 0);
	const latest = pages.at(-1);
	return empty?.number ?? (latest && pageCount(latest)) ?? Infinity;
}
