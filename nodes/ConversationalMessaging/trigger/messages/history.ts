import { historyParts } from '../../api/reads/history';
import type { Message } from './message';
import { messagesIn } from './message';
import type { ChatRow, MessageService } from './service';
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
interface HistoryRange {
	/** In milliseconds since the epoch. */
	now: number;
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
 * Reads the messages of a chat until all that may be new have been read: to its end, or to messages that have been read.
 *
 * All or nothing: if what is newer counted as read, messages on a page that could not be read would be old.
 *
 * @returns undefined if not all of them could be read, because no further request may be sent
 * @throws what `service` throws, for any page
 */
export async function readRecentMessages(
	service: Pick<MessageService, 'messages'>,
	chat: ChatRow,
	subscription: MessageSubscription,
	range: HistoryRange,
): Promise<History | undefined> {
	const messages: Message[] = [];
	let pages = 0;
	const read = async (take: number, cursor?: string) =>
		await service.messages(chat.id, take, cursor);
	for await (const part of historyParts(read, { take: range.take, nextTake: MAX_TAKE })) {
		pages++;
		const found = messagesIn(part.rows, chat, subscription, range.now);
		messages.push(...found);
		if (part.end || isEnd(found, part.isShort, range)) return { messages, isCut: false };
		if (pages === range.pages) return { messages, isCut: true };
		if (!range.mayContinue()) return undefined;
	}
	return { messages, isCut: false };
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
