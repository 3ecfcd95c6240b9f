import type { IDataObject } from 'n8n-workflow';
import { oldestFirst } from './chatMessage';
import { valueOf, valuesOf } from './names';
import { idOf, isRecord } from './response';

/**
 * What the row of a chat shows. The document names no field of it, only filters (API document, `GET /chats`); undefined is what a
 * row does not show.
 */

/** The ID of the agent that a chat is assigned to; null if it is to none. A text in `assignee` may be a name, so it is no ID. */
export function agentOf(chat: IDataObject): unknown {
	const [id] = valuesOf(chat, ['assigneeId', 'agentId']);
	if (id !== undefined) return id === '' ? null : id;
	const { assignee } = chat;
	return isRecord(assignee) ? idOf(assignee) : assignee === null ? null : undefined;
}

/** Whether a chat is escalated. */
export const isEscalated = (chat: IDataObject): boolean | undefined =>
	valuesOf(chat, ['needsEscalation', 'isEscalated', 'escalated']).find(
		(value) => typeof value === 'boolean',
	);

/** Fields with the last message, or with a list that has it. */
const LAST_MESSAGES = ['lastMessage', 'latestMessage', 'messages'];

/** Fields with a part of it, and what a message calls that. */
const PARTS = {
	lastMessageAt: 'sentAt',
	lastMessageTime: 'time',
	lastMessageTimestamp: 'timestamp',
	lastMessageDirection: 'direction',
	lastMessageSenderType: 'senderType',
	lastMessageFrom: 'from',
};

/** The last message of a chat, or the parts of it that the row shows. */
export function lastMessageOf(chat: IDataObject): IDataObject | undefined {
	const shown = valuesOf(chat, LAST_MESSAGES).flatMap((value) => [value].flat().filter(isRecord));
	const newest = oldestFirst(shown).at(-1);
	if (newest) return newest;
	const parts = Object.entries(PARTS)
		.map(([name, part]) => [part, valueOf(chat, name)])
		.filter(([, value]) => value !== undefined);
	return parts.length > 0 ? (Object.fromEntries(parts) as IDataObject) : undefined;
}
