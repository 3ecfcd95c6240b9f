import type { IDataObject } from 'n8n-workflow';
import { messageId, sentAt } from '../../api/chatMessage';
import { messageHash } from './baseline';
import type { HistoryOrder } from './historyOrder';
import { TimeOrder } from './historyOrder';
import { ANCHORS, CLOCK_MARGIN_MS } from './limits';

/** Reads messages of a chat, newest first (API document, `GET /chats/{id}/messages`). */
export type HistoryReader = (cursor: string | undefined) => Promise<IDataObject[]>;

/** What is known of a chat when its messages are read. */
export interface KnownHistory {
	/** Hashes of its newest messages, newest first; undefined if they were never read. */
	seen: readonly number[] | undefined;
	/**
	 * Messages after this time are new, in milliseconds since the epoch, if none of `seen` is found, or there are none.
	 */
	since: number;
	/** Whether messages without a time are new then. */
	withoutTimes: boolean;
	/** Messages up to this time are not new, in milliseconds since the epoch: the chat was read after it. */
	oldUntil: number;
	/** The order of histories at this service; undefined while it is unknown. */
	order?: HistoryOrder;
}

/** What one reading of a chat found. */
export interface ChatReading {
	/** In the order of the history, oldest first. */
	news: IDataObject[];
	/** For the next reading; see `TrackedChat`. */
	seen: number[];
	/** All messages that were read. */
	messages: IDataObject[];
	/** The order of histories that this one shows. */
	shown?: HistoryOrder;
}

/** After this many pages in a row with only old messages, no known message is expected on the next ones. */
const MAX_OLD_PAGES = 3;

/** From this page on, a page without a new message ends the reading, although no known message was found. */
const MAX_PAGES = 20;

/** The most pages that one poll reads: all of them may be new, or the newest messages may be on the last one. */
const MAX_PAGES_OF_NEWS = 200;

/**
 * Reads a chat until a message that is known, and returns the new ones: those above the deepest known message that are
 * not known themselves. So one of the known messages may be deleted, and a message that is stored late, below a known
 * one, is found.
 */
export async function readNews(read: HistoryReader, known: KnownHistory): Promise<ChatReading> {
	const { messages, isGuessed, shown } = await readUntilKnown(read, known);
	const hashes = messages.map((message) => messageHash(messageId(message) ?? ''));
	const seen = hashes.slice(0, ANCHORS);
	const isKnown = (hash: number): boolean => known.seen?.includes(hash) === true;
	const deepest = hashes.reduce((last, hash, i) => (isKnown(hash) ? i : last), -1);
	// The order is guessed from a few times, and may be wrong. If fewer messages are known than are kept, a recent message
	// that is not known is new in either order. An older one may have been known before.
	const isShort = isGuessed && known.seen !== undefined && known.seen.length < ANCHORS;
	const isLate = (message: IDataObject): boolean =>
		isShort && (sentAt(message) ?? 0) > known.since - CLOCK_MARGIN_MS;
	const news =
		deepest >= 0
			? messages.filter(
					(message, i) => (i < deepest || isLate(message)) && !isKnown(hashes[i] ?? 0),
				)
			: newSince(messages, known);
	return { news: news.reverse(), seen, messages, shown };
}

/** Without a known message, by their times. */
function newSince(messages: IDataObject[], { since, withoutTimes }: KnownHistory): IDataObject[] {
	const times = messages.map(sentAt);
	if (times.every((time) => time === undefined)) return withoutTimes ? [...messages] : [];
	const end = times.findIndex((time = Infinity) => time <= since);
	return messages.slice(0, end < 0 ? undefined : end);
}

/** What was read of a history. */
interface History {
	/** Newest first. */
	messages: IDataObject[];
	/** Whether they were reversed because of a guess: the service seems to return them oldest first. */
	isGuessed: boolean;
	shown?: HistoryOrder;
}

/** The messages of a chat with an ID, up to a known one. */
async function readUntilKnown(
	read: HistoryReader,
	{ seen, since, withoutTimes, oldUntil, order }: KnownHistory,
): Promise<History> {
	const messages: IDataObject[] = [];
	const ids = new Set<string>();
	const times = new TimeOrder();
	const isOldestFirst = (): boolean =>
		order === undefined ? times.seemsOldestFirst : order === 'oldest first';
	let cursor: string | undefined;
	let oldPages = 0;
	for (let page = 1; page <= MAX_PAGES_OF_NEWS; page++) {
		const rows = await read(cursor);
		const before = messages.length;
		let isKnown = false;
		// If the service returns the same page again, what is above rows that were read has arrived meanwhile. It does not belong
		// below them: the next poll finds it at the top.
		const isRead = (row: IDataObject): boolean => ids.has(messageId(row) ?? '');
		const repeated = rows.reduce((last, row, i) => (isRead(row) ? i : last), -1);
		for (const row of rows.slice(repeated + 1)) {
			const id = messageId(row);
			if (id === undefined || ids.has(id)) continue;
			ids.add(id);
			messages.push(row);
			const time = sentAt(row);
			times.add(time);
			isKnown ||= seen ? seen.includes(messageHash(id)) : (time ?? Infinity) <= since;
		}
		// Without times, nothing shows what is new in a chat that was never read.
		if (!seen && !withoutTimes && !times.hasTimes) break;
		// A page without new rows is the end, even if the service returns the same page again and again.
		if (messages.length === before) break;
		cursor = messageId(messages.at(-1));
		if (isOldestFirst()) continue;
		const latest = Math.max(-1, ...messages.slice(before).map((row) => sentAt(row) ?? -1));
		oldPages = latest >= 0 && latest <= oldUntil ? oldPages + 1 : 0;
		if (isKnown || oldPages >= MAX_OLD_PAGES || (page >= MAX_PAGES && latest <= since)) break;
	}
	const isReversed = isOldestFirst();
	return {
		messages: isReversed ? messages.reverse() : messages,
		isGuessed: isReversed && order === undefined,
		shown: times.shown,
	};
}
