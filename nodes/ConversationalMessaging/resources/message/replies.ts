import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { isFromCustomer, messageId, messageText, oldestFirst, sentAt } from '../../api/chatMessage';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { withOwn } from '../../runner/output';
import { poll } from '../../runner/poll';
import type { CustomerChat, Recipient } from './customerChats';
import { readCustomerChats } from './customerChats';

/** What there is of a conversation before a message is sent. */
export interface Conversation {
	recipient: Recipient;
	/** The IDs of the newest messages. */
	known: Set<string>;
	/**
	 * When the newest message of each chat was sent, by the chat's ID, in milliseconds since the epoch; undefined if there
	 * is none, or without times.
	 */
	newestAt: Map<string, number | undefined>;
	/** How long to wait for a reply, in milliseconds. */
	waitMs: number;
}

/**
 * Reads which messages there are before a message is sent.
 *
 * @throws NodeApiError, NodeOperationError if a reply could not be recognized; nothing has been sent by then
 */
export async function readConversation(
	context: OperationContext,
	recipient: Recipient,
	waitMs: number,
): Promise<Conversation> {
	const chats = await readCustomerChats(context, recipient).catch((error: unknown) => {
		if (error instanceof NodeApiError)
			error.description = `The message was not sent, because Wait for Reply reads the chats first. ${error.description ?? ''}`;
		throw error;
	});
	if (!chats) {
		throw context.invalid(
			'The service’s list of chats does not show which are the customer’s, so a reply cannot be recognized',
			'The message was not sent. Remove the option Wait for Reply (Minutes), or use the Message Received trigger.',
		);
	}
	const messages = chats.flatMap((chat) => chat.messages);
	const ids = messages.map(messageId).filter((id) => id !== undefined);
	const newestAt = new Map(chats.map((chat) => [chat.id, latest(chat.messages)]));
	return { recipient, known: new Set(ids), newestAt, waitMs };
}

/**
 * Reads the chats of the recipient until the customer writes or the time is up. By polling, because the service has no
 * events (API document, section Events). Rejected requests do not end it: the message was sent, and must not be sent
 * again because its replies could not be read.
 *
 * @param sent the output of the message
 * @returns the replies, oldest first; or the message with `replied: false`
 * @throws NodeOperationError if the execution was stopped
 */
export async function waitForReplies(
	context: OperationContext,
	conversation: Conversation,
	sent: Output[],
): Promise<Output[]> {
	let news: NewMessage[] = [];
	const last = { isUnclear: false };
	const { value: replies, lastError } = await poll(
		context,
		conversation.waitMs,
		async (pollContext) => {
			const chats = await readCustomerChats(pollContext, conversation.recipient);
			last.isUnclear = chats === undefined;
			news = newMessages(chats ?? [], conversation, sent);
			const found = news.filter(({ fromCustomer }) => fromCustomer);
			return found.length > 0 ? found.map(({ message }) => message) : undefined;
		},
	);
	if (replies) return oldestFirst(replies).map(replyOutput);
	if (lastError)
		return withoutReply(context, sent, `Its replies could not be read: ${lastError.message}`);
	if (last.isUnclear) {
		return withoutReply(
			context,
			sent,
			'The service’s list of chats does not show which are the customer’s. Read them with Chat → Get Many',
		);
	}
	if (news.some(({ fromCustomer }) => fromCustomer === undefined)) {
		return withoutReply(
			context,
			sent,
			'There are new messages, but they do not show who sent them. Read them with Chat → Get Messages',
		);
	}
	return withoutReply(context, sent);
}

/** A message, and whether the customer sent it; undefined if it does not show that. */
interface NewMessage {
	message: IDataObject;
	fromCustomer: boolean | undefined;
}

/**
 * The messages that came after the message was sent: those above it in a history, which is newest first (API document,
 * `GET /chats/{id}/messages`). Where the service shows it under another ID or in another chat, those that are newer than
 * what there was before. An ID that was not known is not enough: when a message is deleted, an older one moves up into
 * the page.
 */
function newMessages(
	chats: CustomerChat[],
	{ known, newestAt }: Conversation,
	sent: Output[],
): NewMessage[] {
	const sentIds = new Set(sent.map(({ json }) => messageId(json) ?? ''));
	const isSent = (message: IDataObject): boolean => sentIds.has(messageId(message) ?? '');
	const sentTime = latest(chats.flatMap(({ messages }) => messages.filter(isSent)));
	return chats.flatMap(({ id: chatId, messages, customerIds }) => {
		const isOutgoing = (message: IDataObject): boolean =>
			isFromCustomer(message, undefined, customerIds) === false;
		const isKnown = (message: IDataObject): boolean => known.has(messageId(message) ?? '');
		const wasListed = newestAt.has(chatId);
		const isHere = messages.some(isSent);
		// A chat that was not listed before may be old: only what is above an outgoing message is a reply there.
		const isOld = isHere ? isSent : wasListed ? isKnown : isOutgoing;
		const firstOld = messages.findIndex(isOld);
		if (!wasListed && firstOld === -1) return [];
		const since = isHere ? undefined : (newestAt.get(chatId) ?? sentTime);
		return messages
			.filter((message, index) => {
				if (messageId(message) === undefined || isKnown(message) || isSent(message)) return false;
				const age = compareSeconds(sentAt(message), since);
				// Without times, or within the same second, the place shows what is new.
				return age === 0 ? firstOld === -1 || index < firstOld : age > 0;
			})
			.map((message) => ({
				message,
				fromCustomer: isFromCustomer(message, undefined, customerIds),
			}));
	});
}

/** Services round times to seconds, some of them only those of incoming messages. */
function compareSeconds(at: number | undefined, since: number | undefined): number {
	if (at === undefined || since === undefined) return 0;
	return Math.floor(at / 1_000) - Math.floor(since / 1_000);
}

/** When the latest of the messages was sent. */
function latest(messages: IDataObject[]): number | undefined {
	const times = messages.map((message) => sentAt(message)).filter((at) => at !== undefined);
	return times.length > 0 ? times.reduce((most, at) => Math.max(most, at)) : undefined;
}

function replyOutput(message: IDataObject): Output {
	const at = sentAt(message);
	return {
		own: {
			replied: true,
			messageId: messageId(message) ?? null,
			text: messageText(message) ?? null,
			receivedAt: at === undefined ? null : new Date(at).toISOString(),
		},
		json: { record: message },
	};
}

function withoutReply(context: OperationContext, sent: Output[], reason?: string): Output[] {
	if (reason !== undefined) context.notify(`The message was sent. ${reason}.`);
	const result = { replied: false, ...(reason !== undefined && { replyReason: reason }) };
	return sent.map((output) => withOwn(output, result));
}
