import { type IDataObject, NodeApiError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import {
	isFromCustomer,
	messageId,
	messageText,
	oldestFirst,
	sentAt,
} from '../../api/response/chatMessage';
import type { OperationContext } from '../../runner/operationContext';
import { type Output, withFields } from '../../runner/output';
import { readUntilFound } from '../../runner/readUntilFound';
import { type CustomerChat, type Recipient, readCustomerChats } from './customerChats';

/** What there is of a conversation before a message is sent. */
export interface Conversation {
	recipient: Recipient;
	/** The IDs of the newest messages. */
	known: Set<string>;
	/** The IDs of the chats without a message. */
	emptyChats: Set<string>;
	waitMs: number;
}

/** Which messages there are before one is sent. @throws NodeApiError, NodeOperationError if a reply could not be recognized */
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
	const empty = chats.filter((chat) => chat.messages.length === 0).map(({ id }) => id);
	return { recipient, known: new Set(ids), emptyChats: new Set(empty), waitMs };
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

/** The messages that came after the message was sent: those above it, because a history is newest first. */
function newMessages(
	chats: CustomerChat[],
	{ known, emptyChats }: Conversation,
	sent: Output[],
): NewMessage[] {
	const sentIds = new Set(sent.map(({ json }) => messageId(json)));
	const isOld = (message: IDataObject): boolean => {
		const id = messageId(message);
		return id !== undefined && (known.has(id) || sentIds.has(id));
	};
	return chats.flatMap((chat) =>
		chat.messages
			.slice(0, endOfNew(chat))
			.filter((message) => messageId(message) !== undefined)
			.map((message) => ({ message, fromCustomer: fromCustomer(chat, message) })),
	);

	/** How many messages of a chat may be new. */
	function endOfNew(chat: CustomerChat): number {
		const { id, messages } = chat;
		// An unknown ID is not enough: when a message is deleted, an older one moves up into the page.
		const old = messages.findIndex(isOld);
		if (old !== -1) return old;
		if (emptyChats.has(id)) return messages.length;
		// A chat that was not listed before may be old: only what is above an outgoing message is a reply there.
		const outgoing = messages.findIndex((message) => fromCustomer(chat, message) === false);
		return Math.max(outgoing, 0);
	}
}

const fromCustomer = ({ addresses }: CustomerChat, message: IDataObject): boolean | undefined =>
	isFromCustomer(message, undefined, addresses);

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
	return withFields(sent, result);
}
