import type { Limits } from './limits';
import type { LongList, Memory } from './memory';
import { diff, isComplete, newList } from './memory';
import type { Reader } from './reader';
import type { Seen } from './seen';
import type { ListedPage, Partition, StatusSource } from './sources/source';
import { pageCount } from './sources/source';
import { sweep } from './sweep';

/**
 * Searches the long lists whose total is higher than the known records and the changes so far explain. Each record has
 * one status and every list returns its total, so such a list contains records that were not seen yet.
 *
 * A lower total is no reason to search: the missing records are found in other lists, or were deleted.
 *
 * @param implied the previous status of a record that enters its list and is not known
 * @returns what is known of the long lists after the poll
 */
export async function searchLongLists(
	reader: Reader,
	memory: Memory,
	seen: Seen,
	implied: string | null,
	limits: Limits,
): Promise<Memory['lists']> {
	const lists = longListsOf(memory, seen);
	const known = memory.records.counts;
	const surplusOf = (status: string): number =>
		surplus(memory, seen, known, lists[status]?.offset ?? 0, status, reader.source, implied);
	let budget = limits.searchPages;
	for (const list of reader.source.partitions) {
		const { status } = list;
		const [state, first] = [lists[status], seen.firstPages.get(status)];
		if (!state?.isKnown || !first) continue;
		const before = surplusOf(status);
		const isExplained = (pages: readonly ListedPage[]): boolean => {
			seen.add(pages);
			return surplusOf(status) <= 0;
		};
		const searched = await searchList(reader, list, state, first, budget, isExplained);
		budget -= searched.pages;
		lists[status] = stateAfter(state, searched, before, surplusOf(status));
	}
	const missing = Object.keys(lists).map((status) => [status, surplusOf(status)] as const);
	// A record that is missing in one list may be in another one that is still being searched.
	const isSettled = !reader.isOver && missing.every(([, count]) => count <= 0);
	for (const [status, count] of missing) {
		const state = lists[status];
		if (isSettled && count < 0 && state) lists[status] = { ...state, offset: state.offset + count };
	}
	return lists;
}

/** Those that are known to be long, and those that this poll found to be too long. */
function longListsOf(memory: Memory, seen: Seen): Record<string, LongList> {
	if (seen.readInFull === 'all') return {};
	const lists = { ...memory.lists };
	for (const status of seen.long) lists[status] ??= newList(isComplete(memory, status));
	return lists;
}

/** By how many records the list of a status is longer than memory and changes explain; 0 if that is not known. */
function surplus(
	memory: Memory,
	seen: Seen,
	known: ReadonlyMap<string, number>,
	offset: number,
	status: string,
	source: StatusSource,
	implied: string | null,
): number {
	const total = seen.totalOf(status);
	if (total === undefined || !isComplete(memory, status)) return 0;
	let expected = (known.get(status) ?? 0) + offset;
	for (const change of diff(memory, seen, source, implied)) {
		if (change.known === status) expected--;
		if (change.status === status) expected++;
	}
	for (const id of seen.gone) if (memory.records.statusOf(id) === status) expected--;
	return total - expected;
}

interface SearchResult {
	/** The number of pages that were read. */
	pages: number;
	/** The page at which the search continues. */
	next: number;
	/** Whether the list's last page was reached, or one that is rejected: those beyond it are left to the rotation. */
	finished: boolean;
}

/** The last page, where some services show new records, and then every page in order. */
async function searchList(
	reader: Reader,
	list: Partition,
	state: LongList,
	first: ListedPage,
	budget: number,
	isExplained: (pages: readonly ListedPage[]) => boolean,
): Promise<SearchResult> {
	// Every poll reads the first page.
	const from = Math.max(2, state.page);
	if (budget <= 0 || isExplained([])) return { pages: 0, next: from, finished: false };
	const count = pageCount(first);
	const last = count !== undefined && count > 1 ? await reader.deepPage(count, list) : undefined;
	if (last && isExplained([last])) return { pages: 1, next: from, finished: false };
	const range = { from, last: count, budget: budget - 1 };
	const swept = await sweep(reader, list, range, isExplained);
	isExplained(swept.pages);
	return {
		pages: 1 + swept.pages.length,
		next: swept.next,
		// A failure or the rate limit only interrupts it; a rejected page ends it.
		finished: swept.finished || (swept.blocked && !reader.isInterrupted),
	};
}

/** @param before how many records were unexplained before the search; `after`: how many still are */
function stateAfter(
	state: LongList,
	{ next, finished }: SearchResult,
	before: number,
	after: number,
): LongList {
	if (after <= 0) return { ...state, page: 1, hasFound: false };
	const hasFound = state.hasFound || after < before;
	if (!finished) return { ...state, page: next, hasFound };
	const again = { ...state, page: 1, hasFound: false };
	// Records may have entered pages that were searched before: a search that found some starts over.
	return hasFound ? again : { ...again, offset: state.offset + after };
}
