import { forEachConcurrent } from '../../api/concurrency';
import { READS_AT_ONCE } from '../limits';
import type { MessageBaseline } from './baseline';
import { chatKey } from './baseline';
import type { MessageLimits } from './limits';
import { FIRST_PART } from './listPass';
import type { Reads } from './reads';
import { markOf } from './rows';
import type { ChatPage, ChatRow } from './service';

/** A chat of the list. */
export interface ListedChat extends ChatRow {
	key: number;
	/** The page that it was on. */
	page: number;
}

/** What a poll read of the list of chats. */
export interface Listing {
	/** In the order of the list. */
	chats: ListedChat[];
	/** The length of the list, in pages; without `isCounted`, the number of pages that were read. */
	pages: number;
	/** Whether the service shows how long the list is. */
	isCounted: boolean;
	/** Whether all of them were read. */
	isWhole: boolean;
	/** The page whose chats have their turn; undefined if all of them are listed. */
	turn?: number;
	/** Whether chats with news continue on a page that was not read. */
	isCut: boolean;
	/** The pages that were read besides the first one, if a poll may not read all of them. */
	part?: {
		/** The first of them. */
		from: number;
		/** The page after them; undefined if they reach to the end of the list. */
		next?: number;
	};
	/** Whether the list has more pages than are ever read. */
	isTooLong: boolean;
}

/** As many pages are read again to find chats that shifted, once a baseline exists: they move to the head of the list. */
const PAGES_AGAIN = 1;

/** A shorter list is read in full, whatever its order: it costs no more. */
const MIN_PAGES_BY_ORDER = 3;

/** Whether this poll need not read the whole list, because chats with news lead it. */
export const isOrdered = (
	{ order, method, isPending }: MessageBaseline,
	{ proofs }: MessageLimits,
): boolean => method === 'rows' && !isPending && order.proofs >= proofs;

/**
 * Reads the list as far as it may have news.
 *
 * @param baseline undefined for the first poll, which needs every chat: one that it misses would later be new
 * @returns undefined if it could not be read
 */
export async function listChats(
	reads: Reads,
	baseline: MessageBaseline | undefined,
	limits: MessageLimits,
): Promise<Listing | undefined> {
	const first = await reads.chats(1);
	if (!first) return undefined;
	const pages = new Map([[1, first]]);
	const count = first.pages;
	const last = Math.min(count ?? Infinity, limits.listPages);
	let head: Awaited<ReturnType<typeof readHead>> | undefined;
	let next: number | undefined;
	let from = FIRST_PART;
	if (baseline && isOrdered(baseline, limits) && (count ?? 0) >= MIN_PAGES_BY_ORDER)
		head = await readHead(reads, pages, last, baseline);
	else {
		if (baseline?.list && last > reads.listPages) from = Math.min(baseline.list.page, last);
		const end = Math.min(last, from + pagesAtOnce(reads, baseline, first, last) - 1);
		if (count === undefined) next = await readToEnd(reads, pages, from, end);
		else next = await readPages(reads, pages, from, end);
		if ((next ?? 0) > last) next = undefined;
	}
	const isWhole = !head && from === FIRST_PART && next === undefined;
	const listed = inOrder(pages);
	const rows = [...pages.values()].reduce((sum, { chats }) => sum + chats.length, 0);
	// Of a list that is read in parts, the next pass finds them.
	const twice = isWhole || head ? rows - listed.length : 0;
	const missed = await readMissed(reads, listed, twice, {
		last: Math.min(count ?? pages.size, limits.listPages),
		most: baseline ? PAGES_AGAIN : reads.budget,
		listPages: limits.listPages,
	});
	if (reads.failure) return undefined;
	return {
		chats: [...missed.head, ...listed, ...missed.tail],
		pages: count ?? pages.size,
		isCounted: count !== undefined,
		turn: head?.turn,
		isCut: head?.isCut === true,
		isWhole,
		...(!isWhole && !head && { part: { from, next } }),
		isTooLong:
			(count ?? 0) > limits.listPages || (count === undefined && pages.size >= limits.listPages),
	};
}

/**
 * How many pages are read besides the first one: as many in each poll of a pass. In turn, only as many as have chats to
 * read.
 */
function pagesAtOnce(
	reads: Reads,
	baseline: MessageBaseline | undefined,
	first: ChatPage,
	last: number,
): number {
	const most = reads.listPages - 1;
	const others = last - 1;
	const even = Math.ceil(others / Math.max(1, Math.ceil(others / most)));
	if (baseline?.method !== 'turns' || others <= most) return even;
	return Math.min(even, Math.max(1, Math.ceil(reads.budget / Math.max(1, first.length))));
}

/**
 * Finds the chats that were missed because rows shifted while the list was read. When a chat moves to the head of the
 * list after the first page was read, each row that it passes shifts by one place: for each row that occurs twice, one
 * was missed. It is at the head now, or, if the list grew, at its end, or between two pages that were read at once.
 *
 * So pages are read again, from the first one, until as many chats were found and a page has no other.
 *
 * @param twice how many rows occur twice
 * @param last the last page of the list
 * @param most at most this many pages are read again
 */
async function readMissed(
	reads: Reads,
	listed: readonly ListedChat[],
	twice: number,
	{ last, most, listPages }: { last: number; most: number; listPages: number },
): Promise<{ head: ListedChat[]; tail: ListedChat[] }> {
	const known = new Set(listed.map(({ id }) => id));
	const head: ListedChat[] = [];
	const tail: ListedChat[] = [];
	const readInto = async (found: ListedChat[], number: number): Promise<ChatPage | undefined> => {
		const page = await reads.chats(number);
		if (!page) return undefined;
		const others = page.chats.filter(({ id }) => !known.has(id));
		for (const chat of others) known.add(chat.id);
		found.push(...others.map((chat) => listedOn(number, chat)));
		return page;
	};
	let isAllFound = twice === 0;
	for (let number = 1; !isAllFound && number <= Math.min(last, most); number++) {
		const before = head.length;
		const page = await readInto(head, number);
		// The list grew: its last rows are on pages that it did not have.
		const end = number === 1 ? Math.min(page?.pages ?? last, listPages) : last;
		for (let added = last + 1; added <= end; added++) await readInto(tail, added);
		isAllFound = head.length === before && head.length + tail.length >= twice;
	}
	return { head, tail };
}

/** Pages up to the first one that ends with a quiet chat, and one page in turn. */
async function readHead(
	reads: Reads,
	pages: Map<number, ChatPage>,
	count: number,
	baseline: MessageBaseline,
): Promise<{ turn: number; isCut: boolean }> {
	const turn = 1 + (baseline.listings % count);
	const end = count > reads.listPages ? reads.listPages - 1 : count;
	let page = 1;
	while (page < end && endsWithNews(pages.get(page), baseline)) {
		const next = await reads.chats(++page);
		if (!next) break;
		pages.set(page, next);
	}
	const other = pages.has(turn) ? undefined : await reads.chats(turn);
	if (other) pages.set(turn, other);
	return { turn, isCut: page < count && endsWithNews(pages.get(page), baseline) };
}

function endsWithNews(page: ChatPage | undefined, { chats, volatile }: MessageBaseline): boolean {
	const last = page?.chats.at(-1);
	return last !== undefined && chats.get(chatKey(last.id))?.mark !== markOf(last.row, volatile);
}

/** @returns the page after these */
async function readPages(
	reads: Reads,
	pages: Map<number, ChatPage>,
	from: number,
	end: number,
): Promise<number> {
	const numbers = Array.from({ length: Math.max(0, end - from + 1) }, (_, i) => from + i);
	await forEachConcurrent(numbers, READS_AT_ONCE, async (number) => {
		const page = await reads.chats(number);
		if (page) pages.set(number, page);
	});
	return end + 1;
}

/** @returns the page after these; undefined if the list ends with them */
async function readToEnd(
	reads: Reads,
	pages: Map<number, ChatPage>,
	from: number,
	end: number,
): Promise<number | undefined> {
	const seen = new Set([...pages.values()].flatMap(idsOn));
	if (seen.size === 0) return undefined;
	for (let number = from; number <= end; number++) {
		const page = await reads.chats(number);
		// A page without new rows is the end, even if the service returns the same page again and again.
		if (!page || idsOn(page).every((id) => seen.has(id))) return undefined;
		pages.set(number, page);
		for (const id of idsOn(page)) seen.add(id);
	}
	return end + 1;
}

const idsOn = ({ chats }: ChatPage): string[] => chats.map(({ id }) => id);

/** Without duplicates: chats whose rows shifted between two pages occur twice. They are on the later one now. */
function inOrder(pages: ReadonlyMap<number, ChatPage>): ListedChat[] {
	const byNumber = [...pages].sort(([one], [other]) => one - other);
	const listed = byNumber.flatMap(([page, { chats }]) =>
		chats.map((chat) => [chat.id, listedOn(page, chat)] as const),
	);
	return [...new Map(listed).values()];
}

const listedOn = (page: number, chat: ChatRow): ListedChat => ({
	...chat,
	key: chatKey(chat.id),
	page,
});
