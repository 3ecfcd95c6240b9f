import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { isFromCustomer, messageId, messageText, sentAt } from '../../api/chatMessage';
import { clock } from '../../api/clock';
import { recordOf } from '../../api/record';
import { recordNames } from '../../api/recordNames';
import { isRecord, rowsOf } from '../../api/response';
import { withoutUndefined } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';

/** The first look is soon, each later one after a pause half as long again, up to half a minute. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;

/** The newest messages of a chat. Nobody writes more between two looks. */
const TAKE = 100;

/** Whose reply to wait for. */
export interface Correspondent {
	/** As the message is sent to. */
	to: string;
	channel: string;
	channelId?: string;
}

/** The chats of a recipient, and the messages that were there before the message was sent. */
export interface Conversation {
	/** What the service filters its chats by. */
	query: IDataObject;
	/** What identifies the customer in a message. */
	customer: string[];
	/** IDs of messages. */
	known: Set<string>;
}

/**
 * Reads which messages are there before the message is sent.
 *
 * @throws NodeApiError if the chats cannot be read; nothing has been sent by then
 */
export async function openConversation(
	context: OperationContext,
	{ to, channel, channelId }: Correspondent,
): Promise<Conversation> {
	const contactId = channel === 'INSTAGRAM' ? await contactIdOf(context, to) : undefined;
	const query = withoutUndefined({
		channel,
		channelId,
		// The service filters chats by WhatsApp ID or by contact, but not by Instagram ID.
		...(channel === 'INSTAGRAM' ? { contactId } : { waId: to }),
		limit: 100,
	});
	const customer = [to, ...(contactId === undefined ? [] : [contactId])];
	const conversation = { query, customer, known: new Set<string>() };
	for (const message of await readMessages(context, conversation)) {
		const id = messageId(message);
		if (id !== undefined) conversation.known.add(id);
	}
	return conversation;
}

async function contactIdOf(context: OperationContext, igId: string): Promise<string> {
	const endpoint = 'GET /contacts/{id}';
	const response = await context.send({ endpoint, path: { id: igId }, action: 'Get contact' });
	const { id } = recordOf(response.json, recordNames(endpoint));
	if (id !== undefined) return id;
	throw context.invalid(
		'The contact of this Instagram ID has no ID in the service’s response, so its chat cannot be found',
		'Send the message without Wait for Reply.',
	);
}

/** The newest messages of all chats of the customer, newest first in each. */
async function readMessages(
	context: OperationContext,
	{ query }: Conversation,
): Promise<IDataObject[]> {
	const chats = await context.send({ endpoint: 'GET /chats', query, action: 'Get chats' });
	const rows = (rowsOf(chats.json, ['chats', 'conversations']) ?? []).filter(isRecord);
	const messages: IDataObject[] = [];
	for (const chat of rows) {
		const { id } = recordOf({ data: chat }, recordNames('GET /chats/{id}'));
		if (id === undefined) continue;
		const history = await context.send({
			endpoint: 'GET /chats/{id}/messages',
			path: { id },
			query: { take: TAKE },
			action: 'Get messages',
		});
		messages.push(...(rowsOf(history.json, 'messages') ?? []).filter(isRecord));
	}
	return messages;
}

/**
 * Looks at the chats of a recipient until the customer writes or the time is up. By polling, because the service has no
 * events (API document, section Events). Throws nothing, except if the execution was stopped: the message was sent, and
 * must not be sent again because its replies could not be read.
 *
 * @param sent the output of the message
 * @param maxMs the longest wait, in milliseconds
 * @returns the replies, oldest first; or the message with `replied: false`
 */
export async function waitForReplies(
	context: OperationContext,
	conversation: Conversation,
	sent: Output[],
	maxMs: number,
): Promise<Output[]> {
	const deadline = clock.now() + maxMs;
	const sentIds = new Set(sent.map(({ json }) => messageId(json)));
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
		const left = deadline - clock.now();
		if (left > 0) await context.wait(Math.min(pause, left));
		const messages = await readMessages(context, conversation).catch((error: unknown) => {
			context.throwIfStopped();
			if (!(error instanceof NodeApiError)) throw error;
			return error;
		});
		if (messages instanceof NodeApiError)
			return withoutReply(context, sent, `Its replies cannot be read: ${messages.message}`);
		const fresh = messages.filter((message) => {
			const id = messageId(message);
			return id !== undefined && !conversation.known.has(id) && !sentIds.has(id);
		});
		const replies = fresh.filter((message) => isReply(message, conversation));
		if (replies.length > 0) return oldestFirst(replies).map(replyOutput);
		if (clock.now() < deadline) continue;
		const unclear = fresh.filter((message) => fromCustomer(message, conversation) === undefined);
		return withoutReply(
			context,
			sent,
			unclear.length > 0
				? 'There are new messages, but they do not show who sent them. Read them with Chat → Get Messages'
				: undefined,
		);
	}
}

const fromCustomer = (message: IDataObject, { customer }: Conversation): boolean | undefined =>
	isFromCustomer(message, undefined, customer);

const isReply = (message: IDataObject, conversation: Conversation): boolean =>
	fromCustomer(message, conversation) === true;

/** Oldest first. A history is newest first; across chats, and if the service has another order, times decide. */
function oldestFirst(messages: IDataObject[]): IDataObject[] {
	return messages
		.map((message, index) => ({ message, index, at: sentAt(message) }))
		.sort((a, b) =>
			a.at !== undefined && b.at !== undefined && a.at !== b.at ? a.at - b.at : b.index - a.index,
		)
		.map(({ message }) => message);
}

function replyOutput(message: IDataObject): Output {
	const at = sentAt(message);
	return {
		json: {
			replied: true,
			messageId: messageId(message) ?? null,
			text: messageText(message) ?? null,
			receivedAt: at === undefined ? null : new Date(at).toISOString(),
			record: message,
		},
	};
}

function withoutReply(context: OperationContext, sent: Output[], reason?: string): Output[] {
	if (reason !== undefined) context.notify(`The message was sent. ${reason}.`);
	return sent.map(({ json }) => ({
		json: { ...json, replied: false, ...(reason !== undefined && { replyReason: reason }) },
	}));
}
