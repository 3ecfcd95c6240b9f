import { sentAt } from '../../api/chatMessage';
import type { MessageBaseline } from './baseline';
import type { ChatReading } from './history';
import type { ListedChat, Listing } from './listing';
import type { MessageLimits } from './limits';
import { afterListing } from './listOrder';
import type { Reads } from './reads';
import { markOf, namesMessage, volatileFields } from './rows';
import type { Reason, Selection } from './selection';

/** A chat whose messages were read. */
export interface ReadChat {
	chat: ListedChat;
	reason: Reason;
	reading: ChatReading;
	/** Whether it has new messages that are emitted. */
	hasNews: boolean;
}

/** Fewer chats are read in every poll anyway, whether or not their rows change. */
const MIN_IDLE = 3;

/** At most this many pages are read again to confirm that a row did not change. */
const CONFIRMED_PAGES = 3;

/**
 * Checks whether rows can be relied on, after the chats were read.
 *
 * - A chat has news although its row did not change: its page is read once more, because the message may have arrived
 *   after it was read. If the row still has not changed, rows are not relied on anymore. Unless the row names the
 *   message: then it changed before, and the message was returned later.
 * - Most rows changed, and none of the chats has news: fields that differ in every row of the first page when it is
 *   read once more change by themselves, and are left out from now on. If there are none, and this happens several
 *   times in a row, rows are not relied on anymore.
 */
export async function checkRows(
	reads: Reads,
	baseline: MessageBaseline,
	listing: Listing,
	selection: Selection,
	read: readonly ReadChat[],
	{ idlePolls: most }: MessageLimits,
): Promise<Pick<MessageBaseline, 'method' | 'volatile' | 'idlePolls'>> {
	const { method, volatile } = baseline;
	if (method === 'turns') return { method, volatile, idlePolls: baseline.idlePolls };
	const quiet = read.filter(
		({ chat, reason, hasNews, reading }) =>
			hasNews &&
			reason === 'turn' &&
			!selection.changed.has(chat.key) &&
			!reading.news.some((message) => namesMessage(chat.row, message)),
	);
	if (
		await isUnchanged(
			reads,
			quiet.map(({ chat }) => chat),
			volatile,
		)
	)
		return { method: 'turns', volatile, idlePolls: 0 };
	if (!isIdle(selection, read)) return { method, volatile, idlePolls: 0 };
	const again = await rowsOn(reads, 1);
	const before = new Map(listing.chats.map(({ id, row }) => [id, row]));
	const found = volatileFields(before, again).filter((path) => !volatile.includes(path));
	if (found.length > 0) return { method, volatile: [...volatile, ...found], idlePolls: 0 };
	const idlePolls = baseline.idlePolls + 1;
	return { method: idlePolls >= most ? 'turns' : method, volatile, idlePolls };
}

async function isUnchanged(
	reads: Reads,
	chats: ListedChat[],
	volatile: readonly string[],
): Promise<boolean> {
	const pages = [...new Set(chats.map(({ page }) => page))].slice(0, CONFIRMED_PAGES);
	for (const page of pages) {
		const again = await rowsOn(reads, page);
		const isSame = ({ id, row }: ListedChat): boolean => {
			const now = again.get(id);
			return now !== undefined && markOf(now, volatile) === markOf(row, volatile);
		};
		if (chats.some(isSame)) return true;
	}
	return false;
}

function isIdle({ changed, known }: Selection, read: readonly ReadChat[]): boolean {
	const changedRows = read.filter(({ reason }) => reason === 'changed');
	return (
		changed.size > known / 2 &&
		changedRows.length >= MIN_IDLE &&
		changedRows.every(({ reading }) => reading.news.length === 0)
	);
}

/** The rows of a page by their IDs, read now. */
export async function rowsOn(reads: Reads, page: number): Promise<Map<string, ListedChat['row']>> {
	const found = await reads.chats(page);
	return new Map(found?.chats.map(({ id, row }) => [id, row]));
}

/** The evidence for the order of the list. */
export function checkOrder(
	{ order, chats }: MessageBaseline,
	{ chats: listed, isWhole, part, pages }: Listing,
	{ changed }: Selection,
	read: readonly ReadChat[],
): MessageBaseline['order'] {
	// A chat that is read once more was in its place before.
	const found = read.filter(({ hasNews, reason }) => hasNews && reason !== 'again');
	const withNews = new Set(found.map(({ chat }) => chat.key));
	const keys = listed.map(({ key }) => key);
	// Of a list that is read in parts, chats with news on the first page have taken the lead from those on it.
	if (isWhole || part)
		return pages > 1 ? afterListing(order, { keys, changed, withNews, known: chats }) : order;
	// Of a list that is read by its order, the pages after the first quiet chat have none with news.
	const quietPage = listed.find(({ key }) => !changed.has(key))?.page ?? Infinity;
	const isDisproved = found.some(({ chat }) => chat.page > quietPage);
	return { proofs: isDisproved ? 0 : order.proofs, head: keys[0] ?? 0 };
}

/**
 * Whether messages that are emitted arrived after a time.
 *
 * @param isWhole whether every chat was listed then, so that a row has changed since
 */
export function arrivedSince(read: readonly ReadChat[], since: number, isWhole: boolean): boolean {
	return read.some(
		({ reason, hasNews, reading }) =>
			hasNews &&
			((isWhole && reason === 'changed') ||
				reading.news.some((message) => (sentAt(message) ?? 0) > since)),
	);
}
