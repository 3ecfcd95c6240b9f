import { forEachConcurrent } from '../../api/concurrency';
import { readUntilNothingNew } from '../../api/pages';
import { READS_AT_ONCE } from '../limits';
import type { MessageBaseline } from './baseline';
import { chatKey } from './baseline';
import type { MessageLimits } from './limits';
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
	/** The length of the list, in pages. */
	pages: number;
	/** Whether all of them were read. */
	isWhole: boolean;
	/** The page whose chats have their turn; undefined if all of them are listed. */
	turn?: number;
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
	let turn: number | undefined;
	if (baseline && isOrdered(baseline, limits) && count !== undefined && count >= MIN_PAGES_BY_ORDER)
		turn = await readHead(reads, pages, Math.min(count, limits.listPages), baseline);
	else if (count !== undefined) await readAll(reads, pages, Math.min(count, limits.listPages));
	else await readToEnd(reads, pages, limits);
	const listed = inOrder(pages);
	const rows = [...pages.values()].reduce((sum, { chats }) => sum + chats.length, 0);
	const missed = await readMissed(reads, listed, rows - listed.length, {
		last: Math.min(count ?? pages.size, limits.listPages),
		most: baseline ? PAGES_AGAIN : reads.budget,
		listPages: limits.listPages,
	});
	if (reads.failure) return undefined;
	return {
		chats: [...missed.head, ...listed, ...missed.tail],
		pages: count ?? pages.size,
		turn,
		isWhole: pages.size >= Math.min(count ?? 0, limits.listPages),
		isTooLong:
			(count ?? 0) > limits.listPages || (count === undefined && pages.size >= limits.listPages),
	};
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
		const others = page?.chats.filter(({ id }) => !known.has(id)) ?? [];
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

/** Pages up to the first one that ends with a quiet chat, and one page in turn. @returns the latter */
async function readHead(
	reads: Reads,
	pages: Map<number, ChatPage>,
	count: number,
	baseline: MessageBaseline,
): Promise<number> {
	const turn = 1 + (baseline.listings % count);
	let page = 1;
	while (page < count && endsWithNews(pages.get(page), baseline)) {
		const next = await reads.chats(++page);
		if (!next) return turn;
		pages.set(page, next);
	}
	const other = pages.has(turn) ? undefined : await reads.chats(turn);
	if (other) pages.set(turn, other);
	return turn;
}

function endsWithNews(page: ChatPage | undefined, { chats, volatile }: MessageBaseline): boolean {
	const last = page?.chats.at(-1);
	return last !== undefined && chats.get(chatKey(last.id))?.mark !== markOf(last.row, volatile);
}

async function readAll(reads: Reads, pages: Map<number, ChatPage>, count: number): Promise<void> {
	const rest = Array.from({ length: Math.max(0, count - 1) }, (_, i) => i + 2);
	await forEachConcurrent(rest, READS_AT_ONCE, async (number) => {
		const page = await reads.chats(number);
		if (page) pages.set(number, page);
	});
}

async function readToEnd(
	reads: Reads,
	pages: Map<number, ChatPage>,
	{ listPages }: MessageLimits,
): Promise<void> {
	const ids = (page: ChatPage): string[] => page.chats.map(({ id }) => id);
	const seen = new Set([...pages.values()].flatMap(ids));
	if (seen.size === 0) return;
	await readUntilNothingNew(seen, async (number) => {
		if (number > listPages) return [];
		const page = await reads.chats(number);
		// A page without new rows is the end, even if the service returns the same page again and again.
		if (page?.chats.some(({ id }) => !seen.has(id))) pages.set(number, page);
		return page && ids(page);
	});
}

/** Without duplicates: chats whose rows shifted between two pages occur twice. */
function inOrder(pages: ReadonlyMap<number, ChatPage>): ListedChat[] {
	const byId = new Map<string, ListedChat>();
	for (const [page, { chats }] of [...pages].sort(([one], [other]) => one - other))
		for (const chat of chats) if (!byId.has(chat.id)) byId.set(chat.id, listedOn(page, chat));
	return [...byId.values()];
}

const listedOn = (page: number, chat: ChatRow): ListedChat => ({
	...chat,
	key: chatKey(chat.id),
	page,
});
