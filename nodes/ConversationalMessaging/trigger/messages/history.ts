import { isRejectedRecord } from '../failures';
import type { Message } from './message';
import { messagesIn } from './message';
import type { ChatRow, HistoryPage, MessageService } from './service';
import type { MessageSubscription } from './subscription';

/** The largest page of messages (API document, section Limits). */
const MAX_TAKE = 100;

/** What was read of a chat. */
export interface History {
	/** Newest first. */
	messages: Message[];
	/** Whether it has more messages that may be new than one poll reads. */
	isCut: boolean;
}

/** How far a chat is read. */
export interface HistoryRange {
	/** Messages up to this time are not new, in milliseconds since the epoch. */
	until: number;
	/** Whether a message is not new. */
	wasRead: (message: Message) => boolean;
	/** The number of messages that the first request asks for. */
	take: number;
	/** The most requests. */
	pages: number;
	/** Whether another request may be sent. */
	mayContinue: () => boolean;
}

/**
 * Reads the messages of a chat, newest first (API document, `GET /chats/{id}/messages`), until all that may be new have
 * been read.
 *
 * A page with fewer messages than requested is not the end: a service may hide some, or return smaller pages. The end is
 * an empty page, a repeated one, one with messages that have been read, or as many messages as the chat has.
 *
 * @returns undefined if not all of them could be read, because no further request may be sent
 * @throws what `service` throws
 */
export async function readHistory(
	service: Pick<MessageService, 'messages'>,
	chat: ChatRow,
	subscription: MessageSubscription,
	range: HistoryRange,
): Promise<History | undefined> {
	const found = new Map<string, Message>();
	let isShort = false;
	for (let page = 1; page <= range.pages; page++) {
		if (page > 1 && !range.mayContinue()) return undefined;
		const take = page === 1 ? range.take : MAX_TAKE;
		const cursor = [...found.keys()].at(-1);
		const { rows, total }: HistoryPage = await service
			.messages(chat.id, take, cursor)
			.catch((error: unknown) => {
				// A page after the end may be rejected.
				if (isShort && isRejectedRecord(error)) return { rows: [] };
				throw error;
			});
		isShort = rows.length < take;
		const fresh = messagesIn(rows, chat, subscription).filter(({ id }) => !found.has(id));
		for (const message of fresh) found.set(message.id, message);
		const isWhole = isShort && total !== undefined && found.size >= total;
		if (fresh.length === 0 || isWhole || isEnd(fresh, isShort, range))
			return { messages: [...found.values()], isCut: false };
	}
	return { messages: [...found.values()], isCut: true };
}

/** Whether no message on a later page is new. */
function isEnd(
	page: readonly Message[],
	isShort: boolean,
	{ until, wasRead }: HistoryRange,
): boolean {
	const timed = page.filter(({ time }) => time !== undefined);
	const [first, last] = [timed[0], timed.at(-1)];
	// Without times, nothing shows which messages are new.
	if (!first || !last) return true;
	const timeOf = ({ time = 0 }: Message): number => time;
	// Where times rise down the page, the newest message is on the last one.
	const isRising = timeOf(last) > timeOf(first);
	// Most likely the end: one message that was read suffices, so that a short chat costs one request.
	if (isShort) return wasRead(isRising ? first : last);
	// One old time alone may be wrong.
	return !isRising && timed.slice(-2).every((message) => timeOf(message) <= until);
}
