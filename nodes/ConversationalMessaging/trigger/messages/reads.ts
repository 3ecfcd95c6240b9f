import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { forEachConcurrent } from '../../api/base/concurrency';
import { ENDPOINTS } from '../../api/endpoint';
import { historyParts } from '../../api/reads/history';
import { concernsAll, requestError, isRejectedRecord } from '../failures';
import { type MessageLimits, READS_AT_ONCE } from '../limits';
import { atOnceFor } from '../budget';
import { FAILED, isEnd } from './memory';
import { type Message, messagesIn } from './message';
import type { SelectedChat } from './selection';
import type { MessageService } from './service';
import type { MessageSubscription } from './subscription';

export interface ReadChat extends SelectedChat {
	/** The newest first. */
	messages: Message[];
	/** Whether it has more messages that may be new than one poll reads. */
	isCut: boolean;
}

export interface ChatReads {
	read: ReadChat[];
	/** Chats that could not be read. */
	failed: SelectedChat[];
	/** Why: the first failure, or the one that stopped the poll. */
	failure?: NodeApiError | NodeOperationError;
	isStopped: boolean;
}

/**
 * Reads the messages of chats, several at once. Of a chat that fails on any page, nothing counts as read, and others do not wait for
 * it. The poll stops if no other request can succeed, or the service fails for as many chats in a row as are read at once. What does
 * not fit into the budget is left to the next poll; the history of the first chat is read to its end, however long.
 */
export async function readChats(
	service: MessageService,
	selected: readonly SelectedChat[],
	subscription: MessageSubscription,
	limits: MessageLimits,
): Promise<ChatReads> {
	const { budget } = service;
	const reads: ChatReads = { read: [], failed: [], isStopped: false };
	let failuresInARow = 0;
	// So many that there is enough for a second page of each: what is not read to its end does not count as read.
	const atOnce = (): number => (reads.isStopped ? 0 : atOnceFor(budget, 2));
	await forEachConcurrent(selected, atOnce, async (one, i) => {
		if (!budget.take()) return;
		const mayGoOn = (): boolean => {
			if (i > 0) return budget.take();
			budget.spend();
			return true;
		};
		const found = await readChat(service, one, subscription, limits, mayGoOn).catch(requestError);
		if (found === 'later') return;
		if (!(found instanceof Error)) {
			reads.read.push({ ...one, ...found });
			failuresInARow = 0;
			return;
		}
		const isFirst = one.known.mark !== FAILED;
		const isForAll = isFirst && concernsAll(found);
		reads.failure = isForAll ? found : (reads.failure ?? found);
		if (!isForAll) reads.failed.push(one);
		if (!isRejectedRecord(found) && isFirst) failuresInARow++;
		reads.isStopped ||= isForAll || failuresInARow >= READS_AT_ONCE;
	});
	return reads;
}

/** How long a chat that could not be read may take, in milliseconds: nothing is emitted before a poll ends. */
const FAILED_MS = 10_000;

/** @returns 'later' if it may not be read to its end in this poll */
async function readChat(
	service: MessageService,
	{ chat, known }: SelectedChat,
	subscription: MessageSubscription,
	{ take, historyPages }: MessageLimits,
	mayGoOn: () => boolean,
): Promise<Pick<ReadChat, 'messages' | 'isCut'> | 'later'> {
	const messages: Message[] = [];
	const mostMs = known.mark === FAILED ? FAILED_MS : undefined;
	const read = async (size: number, cursor?: string) =>
		await service.messages(chat.id, size, cursor, mostMs);
	let pages = 0;
	for await (const { rows, end } of historyParts(read, take, {
		nextTake: ENDPOINTS['GET /chats/{id}/messages'].take,
	})) {
		const page = messagesIn(rows, chat, subscription);
		for (const message of page) messages.push(message);
		if (end || isEnd(page, known)) break;
		if (++pages === historyPages) return { messages, isCut: true };
		if (!mayGoOn()) return 'later';
	}
	return { messages, isCut: false };
}
