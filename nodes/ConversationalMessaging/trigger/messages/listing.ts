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

/** A shorter list is read in full, whatever its order: it costs no more. */
const MIN_PAGES_BY_ORDER = 3;

/** Whether this poll need not read the whole list, because chats with news lead it. */
export const isOrdered = (
	{ order, method, isPending }: MessageBaseline,
	{ proofs }: MessageLimits,
): boolean => method === 'rows' && !isPending && order.proofs >= proofs;

/** Reads the list as far as it may have news. @returns undefined if it could not be read */
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
	if (reads.failure) return undefined;
	return {
		chats: inOrder(pages),
		pages: count ?? pages.size,
		turn,
		isWhole: pages.size >= Math.min(count ?? 0, limits.listPages),
		isTooLong:
			(count ?? 0) > limits.listPages || (count === undefined && pages.size >= limits.listPages),
	};
}

/** Pages up to the first one that ends with a quiet chat, and one page in turn. @returns the latter */
async function readHead(
	reads: Reads,
	pages: Map<number, ChatPage>,
	count: number,
	baseline: MessageBaseline,
): Promise<number> {
	const turn = 1 + (baseline.polls % count);
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
		if (page) pages.set(number, page);
		return page && ids(page);
	});
}

/** Without duplicates: chats whose rows shifted between two pages occur twice. */
function inOrder(pages: ReadonlyMap<number, ChatPage>): ListedChat[] {
	const byId = new Map<string, ListedChat>();
	for (const [page, { chats }] of [...pages].sort(([one], [other]) => one - other))
		for (const chat of chats)
			if (!byId.has(chat.id)) byId.set(chat.id, { ...chat, key: chatKey(chat.id), page });
	return [...byId.values()];
}
