import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import {
	isFromCustomer,
	messageId,
	messageText,
	oldestFirst,
	sentAt,
} from '../../api/response/chatMessage';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { withFields } from '../../runner/output';
import { readUntilFound } from '../../runner/readUntilFound';
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
	let newest: NewMessage[] = [];
	const { value: replies, lastError } = await readUntilFound(
		context,
		conversation.waitMs,
		async (readContext) => {
			const chats = await readCustomerChats(readContext, conversation.recipient);
			newest = newMessages(chats, conversation, sent);
			const found = newest.filter(({ fromCustomer }) => fromCustomer);
			return found.length > 0 ? found.map(({ message }) => message) : undefined;
		},
	);
	if (replies) return oldestFirst(replies).map(replyOutput);
	const reason = lastError
		? `Its replies could not be read: ${lastError.message}`
		: doubtAbout(newest);
	return withoutReply(context, sent, reason);
}

/** Why it is unknown whether there is a reply; undefined if there is none. */
const doubtAbout = (newest: NewMessage[]): string | undefined =>
	newest.some(({ fromCustomer }) => fromCustomer === undefined)
		? 'There are new messages, but they do not show who sent them. Read them with Chat → Get Messages'
		: undefined;

/** A message, and whether the customer sent it; undefined if it does not show that. */
interface NewMessage {
	message: IDataObject;
	fromCustomer: boolean | undefined;
}

/** The messages that came after the message was sent. */
function newMessages(
	chats: CustomerChat[],
	conversation: Conversation,
	sent: Output[],
): NewMessage[] {
	const sentIds = new Set(sent.map(({ json }) => messageId(json) ?? ''));
	const isSent = (message: IDataObject): boolean => sentIds.has(messageId(message) ?? '');
	const isKnown = (message: IDataObject): boolean =>
		conversation.known.has(messageId(message) ?? '');
	const sentTime = latest(chats.flatMap(({ messages }) => messages.filter(isSent)));
	return chats.flatMap((chat) => {
		const end = endOfOld(chat);
		if (!end) return [];
		return chat.messages
			.filter((message, index) => isAfter(message, index, end))
			.filter((message) => messageId(message) !== undefined)
			.filter((message) => !isKnown(message) && !isSent(message))
			.map((message) => ({ message, fromCustomer: fromCustomer(chat, message) }));
	});

	/** Undefined if everything in the chat may be old. */
	function endOfOld(chat: CustomerChat): OldMessages | undefined {
		const first = (isOld: (message: IDataObject) => boolean): number | undefined => {
			const index = chat.messages.findIndex(isOld);
			return index === -1 ? undefined : index;
		};
		const sentIndex = first(isSent);
		if (sentIndex !== undefined) return { index: sentIndex };
		const { newestAt } = conversation;
		// The service shows the message under another ID, or in another chat. An ID that was not known is not enough: when a
		// message is deleted, an older one moves up into the page.
		if (newestAt.has(chat.id))
			return { index: first(isKnown), at: newestAt.get(chat.id) ?? sentTime };
		// A chat that was not listed before may be old: only what is above an outgoing message is a reply there.
		const outgoing = first((message) => fromCustomer(chat, message) === false);
		return outgoing === undefined ? undefined : { index: outgoing, at: sentTime };
	}
}

/** Where the old messages of a history begin, which is newest first (API document, `GET /chats/{id}/messages`). */
interface OldMessages {
	/** The index of the newest one; undefined if none of them is on the page. */
	index?: number;
	/** When it was sent, in milliseconds since the epoch; undefined if only its place counts. */
	at?: number;
}

function isAfter(message: IDataObject, index: number, old: OldMessages): boolean {
	const age = compareSeconds(sentAt(message), old.at);
	// Without times, or within the same second, the place shows what is new.
	return age === 0 ? index < (old.index ?? Infinity) : age > 0;
}

const fromCustomer = ({ addresses }: CustomerChat, message: IDataObject): boolean | undefined =>
	isFromCustomer(message, undefined, addresses);

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
	const addedFields = {
		replied: true,
		messageId: messageId(message) ?? null,
		text: messageText(message) ?? null,
		receivedAt: at === undefined ? null : new Date(at).toISOString(),
	};
	// Also in `json`, before the record: n8n's table has its columns in this order.
	return { addedFields, json: { ...addedFields, record: message } };
}

function withoutReply(context: OperationContext, sent: Output[], reason?: string): Output[] {
	if (reason !== undefined) context.notify(shown`The message was sent. ${reason}.`);
	const result = { replied: false, ...(reason !== undefined && { replyReason: reason }) };
	return sent.map((output) => withFields(output, result));
}
