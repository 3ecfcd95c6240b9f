import type { IDataObject } from 'n8n-workflow';
import { messageId, sentAt } from '../../api/chatMessage';
import { messageHash } from './baseline';
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
}

/** What one reading of a chat found. */
export interface ChatReading {
	/** In the order of the history, oldest first. */
	news: IDataObject[];
	/** For the next reading; see `TrackedChat`. */
	seen: number[];
	/** All messages that were read. */
	messages: IDataObject[];
}

/** No history is read beyond this many pages in one poll. */
const MAX_PAGES = 200;

/**
 * Reads a chat until a message that is known, and returns the new ones: those above the deepest known message that are
 * not known themselves. So one of the known messages may be deleted, and a message that is stored late, below a known
 * one, is found.
 */
export async function readNews(read: HistoryReader, known: KnownHistory): Promise<ChatReading> {
	const { messages, oldestFirst } = await readUntilKnown(read, known);
	const hashes = messages.map((message) => messageHash(messageId(message) ?? ''));
	const seen = hashes.slice(0, ANCHORS);
	const isKnown = (hash: number): boolean => known.seen?.includes(hash) === true;
	const deepest = hashes.reduce((last, hash, i) => (isKnown(hash) ? i : last), -1);
	// Two or three times do not prove the order: they can be of two clocks, or some in whole seconds. Where fewer messages
	// are known than are kept, what arrived lately is new, in either order. Older messages may have been known before.
	const isShort = oldestFirst && known.seen !== undefined && known.seen.length < ANCHORS;
	const isLate = (message: IDataObject): boolean =>
		isShort && (sentAt(message) ?? 0) > known.since - CLOCK_MARGIN_MS;
	const news =
		deepest >= 0
			? messages.filter(
					(message, i) => (i < deepest || isLate(message)) && !isKnown(hashes[i] ?? 0),
				)
			: newSince(messages, known);
	return { news: news.reverse(), seen, messages };
}

/** Without a known message, by their times. */
function newSince(messages: IDataObject[], { since, withoutTimes }: KnownHistory): IDataObject[] {
	const times = messages.map(sentAt);
	if (times.every((time) => time === undefined)) return withoutTimes ? [...messages] : [];
	const end = times.findIndex((time) => time !== undefined && time <= since);
	return messages.slice(0, end < 0 ? undefined : end);
}

/**
 * The messages of a chat with an ID, newest first, up to a known one.
 *
 * @returns also whether they were returned in the order of their times, and so were reversed
 */
async function readUntilKnown(
	read: HistoryReader,
	{ seen, since, withoutTimes }: KnownHistory,
): Promise<{ messages: IDataObject[]; oldestFirst: boolean }> {
	const messages: IDataObject[] = [];
	const ids = new Set<string>();
	let cursor: string | undefined;
	const order = new TimeOrder();
	for (let page = 1; page <= MAX_PAGES; page++) {
		const rows = await read(cursor);
		const before = ids.size;
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
			order.add(time);
			isKnown ||= seen ? seen.includes(messageHash(id)) : time !== undefined && time <= since;
		}
		// Without times, nothing shows what is new in a chat that was never read.
		if (!seen && !withoutTimes && !order.hasTimes) break;
		cursor = lastId(rows);
		// A page without new rows is the end, even if the service returns the same page again and again.
		if (ids.size === before || cursor === undefined || (isKnown && !order.isOldestFirst)) break;
	}
	const oldestFirst = order.isOldestFirst;
	return { messages: oldestFirst ? messages.reverse() : messages, oldestFirst };
}

/** Whether messages are returned oldest first. Against the document, but then nothing above a known message would ever be new. */
class TimeOrder {
	private last?: number;

	private hasRisen = false;

	private hasFallen = false;

	/** @param time of the next message, in milliseconds since the epoch; one without a time says nothing */
	add(time: number | undefined): void {
		if (time === undefined) return;
		if (this.last !== undefined && time > this.last) this.hasRisen = true;
		if (this.last !== undefined && time < this.last) this.hasFallen = true;
		this.last = time;
	}

	get hasTimes(): boolean {
		return this.last !== undefined;
	}

	get isOldestFirst(): boolean {
		return this.hasRisen && !this.hasFallen;
	}
}

/** Paging starts after this message. */
function lastId(rows: IDataObject[]): string | undefined {
	return messageId(rows.at(-1));
}
