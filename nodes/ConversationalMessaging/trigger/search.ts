import type { LongList, Memory } from './memory';
import { diff, isComplete, newLongList } from './memory';
import type { Reader } from './reader';
import { isPage } from './reader';
import type { SourcePoll } from './sourcePoll';
import type { ListedPage, Partition } from './sources/source';
import { pageCount } from './sources/source';
import { sweep } from './sweep';

/**
 * Searches the complete long lists whose total is higher than the known records and the changes so far explain. Each record
 * has one status and every list returns its total, so such a list contains records that were not seen yet.
 *
 * What a search to the last page did not find becomes part of the list's offset. A lower total is no reason to search: the
 * missing records are found in other lists, or were deleted, which becomes part of the offset too.
 *
 * @returns what is known of the long lists after the poll
 */
export async function searchLongLists(poll: SourcePoll): Promise<Memory['long']> {
	const { reader, memory, seen, limits } = poll;
	const long = longListsOf(poll);
	const known = memory.records.counts;
	const surplusOf = (status: string): number => {
		const expected = (known.get(status) ?? 0) + (long[status]?.offset ?? 0);
		return surplus(poll, status, expected);
	};
	let budget = limits.searchPages;
	for (const list of reader.source.partitions) {
		const { status } = list;
		const [state, first] = [long[status], seen.firstPages.get(status)];
		if (!state?.isComplete || !first) continue;
		const before = surplusOf(status);
		const isExplained = (pages: readonly ListedPage[]): boolean => {
			seen.add(pages);
			return surplusOf(status) <= 0;
		};
		const searched = await searchList(reader, list, state.page, first, budget, isExplained);
		budget -= searched.pages;
		long[status] = stateAfter(state, searched, before, surplusOf(status));
	}
	const missing = Object.keys(long).map((status) => [status, surplusOf(status)] as const);
	// A record that is missing in one list may be in another one that is still being searched.
	const isSettled = !reader.isOver && missing.every(([, count]) => count <= 0);
	for (const [status, count] of missing) {
		const state = long[status];
		if (isSettled && count < 0 && state) long[status] = { ...state, offset: state.offset + count };
	}
	return long;
}

/** Those that are known to be long, and those that this poll found to be too long. */
function longListsOf({ memory, seen }: SourcePoll): Record<string, LongList> {
	if (seen.readInFull === 'all') return {};
	const long = { ...memory.long };
	for (const status of seen.long) long[status] ??= newLongList(isComplete(memory, status));
	return long;
}

/** By how many records the list of a status is longer than expected after the changes so far; 0 if that is not known. */
function surplus(
	{ memory, seen, subscription }: SourcePoll,
	status: string,
	expectedBefore: number,
): number {
	const total = seen.totalOf(status);
	if (total === undefined || !isComplete(memory, status)) return 0;
	let expected = expectedBefore;
	for (const change of diff(memory, seen, subscription)) {
		if (change.known === status) expected--;
		if (change.status === status) expected++;
	}
	for (const id of seen.dropped.keys()) if (memory.records.statusOf(id) === status) expected--;
	return total - expected;
}

interface SearchResult {
	/** The number of pages that were read. */
	pages: number;
	/** The page at which the search continues. */
	next: number;
	/** Whether the list's last page was reached, or one that is rejected: those beyond it are left to the rotation. */
	isFinished: boolean;
}

/** The last page, where some services show new records, and then every page in order. */
async function searchList(
	reader: Reader,
	list: Partition,
	page: number,
	first: ListedPage,
	budget: number,
	isExplained: (pages: readonly ListedPage[]) => boolean,
): Promise<SearchResult> {
	// Every poll reads the first page.
	const from = Math.max(2, page);
	if (budget <= 0 || isExplained([])) return { pages: 0, next: from, isFinished: false };
	const read = async (number: number) => await reader.deepPage(number, list);
	const count = pageCount(first);
	const last = count !== undefined && count > 1 ? await read(count) : undefined;
	if (isPage(last) && isExplained([last])) return { pages: 1, next: from, isFinished: false };
	const range = { from, last: count, budget: budget - 1 };
	const { pages, next, end } = await sweep(read, range, isExplained);
	isExplained(pages);
	// A page that could not be read now only interrupts the search: the next poll continues with it. If it always fails, the
	// pages behind it are left to the rotation.
	return { pages: 1 + pages.length, next, isFinished: end === 'last' || end === 'rejected' };
}

/** @param before how many records were unexplained before the search; `after`: how many still are */
function stateAfter(
	state: LongList,
	{ next, isFinished }: SearchResult,
	before: number,
	after: number,
): LongList {
	if (after <= 0) return { ...state, page: 1, hasFound: false };
	const hasFound = state.hasFound || after < before;
	if (!isFinished) return { ...state, page: next, hasFound };
	const again = { ...state, page: 1, hasFound: false };
	// Records may have entered pages that were searched before: a search that found some starts over.
	return hasFound ? again : { ...again, offset: state.offset + after };
}
