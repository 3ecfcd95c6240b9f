import type { IDataObject } from 'n8n-workflow';
import { messageId, sentAt } from '../../api/chatMessage';
import { clock } from '../../api/clock';
import { isRecord } from '../../api/response';

/** The largest page of messages (API document, section Limits). */
const MAX_TAKE = 100;

/** A message whose time is further ahead is not read as a message with a time, in milliseconds. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/** A message of a chat, with what shows whether it is new. */
export interface Message {
	id: string;
	/** By the service's clock, in milliseconds since the epoch; undefined if it has none that can be read. */
	time: number | undefined;
	record: IDataObject;
}

/** What was read of a chat. */
export interface History {
	/** Newest first. */
	messages: Message[];
	/** Whether it has more messages that may be new than one poll reads. */
	isCut: boolean;
}

/** How far a chat is read, and how. */
export interface HistoryRequest {
	/** Returns messages, newest first, from the one after the cursor. */
	read: (take: number, cursor?: string) => Promise<unknown[]>;
	/** Messages up to this time need not be read, in milliseconds since the epoch. */
	until: number;
	/** The field with the time of a message; undefined for the usual ones. */
	timeField: string | undefined;
	/** The number of messages that the first request asks for. */
	take: number;
	/** The most requests. */
	pages: number;
	/** Whether another request may be sent. */
	mayContinue: () => boolean;
}

/**
 * Reads the messages of a chat, newest first (API document, `GET /chats/{id}/messages`), until all that are newer than
 * a time have been read.
 *
 * @returns undefined if not all of them could be read, because no further request may be sent
 */
export async function readHistory(request: HistoryRequest): Promise<History | undefined> {
	const { read, until, timeField, pages, mayContinue } = request;
	const found = new Map<string, Message>();
	const latest = clock.now() + MAX_AHEAD_MS;
	let cursor: string | undefined;
	let isEnd = false;
	for (let page = 1; page <= pages && !isEnd; page++) {
		if (page > 1 && !mayContinue()) return undefined;
		const take = page === 1 ? request.take : MAX_TAKE;
		const rows = await read(take, cursor);
		const messages = rows.filter(isRecord).flatMap((record): Message[] => {
			const id = messageId(record);
			const time = sentAt(record, timeField);
			const isFuture = time !== undefined && time > latest;
			return id === undefined ? [] : [{ id, time: isFuture ? undefined : time, record }];
		});
		const fresh = messages.filter(({ id }) => !found.has(id));
		for (const message of fresh) found.set(message.id, message);
		cursor = messages.at(-1)?.id;
		// Some services return the last page again and again.
		isEnd = fresh.length === 0 || rows.length < take || isRead(fresh, until);
	}
	return { messages: [...found.values()], isCut: !isEnd };
}

/** Whether no message on a later page is newer. Where times rise down the page, the newest message is on the last one. */
function isRead(page: readonly Message[], until: number): boolean {
	const times = page.map(({ time }) => time).filter((time) => time !== undefined);
	const [first, last] = [times[0], times.at(-1)];
	// Without times, nothing shows which messages are new.
	if (first === undefined || last === undefined) return true;
	return last <= until && last <= first;
}
