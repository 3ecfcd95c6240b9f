import type { IDataObject } from 'n8n-workflow';
import { oldestFirst } from './chatMessage';
import { idOf, isOwn, isRecord } from './response';

/**
 * What the row of a chat shows. The document names no field of it, only filters (API document, `GET /chats`); undefined is what a
 * row does not show.
 */

/** The ID of the agent that a chat is assigned to; null if it is to none. A text in `assignee` may be a name, so it is no ID. */
export function agentOf(chat: IDataObject): unknown {
	for (const name of ['assigneeId', 'assignee_id', 'agentId', 'agent_id'])
		if (isOwn(chat, name)) return chat[name] === '' ? null : chat[name];
	const { assignee } = chat;
	return isRecord(assignee) ? idOf(assignee) : assignee === null ? null : undefined;
}

/** Whether a chat is escalated. */
export function isEscalated(chat: IDataObject): boolean | undefined {
	const names = ['needsEscalation', 'needs_escalation', 'isEscalated', 'is_escalated', 'escalated'];
	return names.map((name) => chat[name]).find((value) => typeof value === 'boolean');
}

/** Fields with the last message, or with a list that has it. */
const LAST_MESSAGES = [
	'lastMessage',
	'last_message',
	'latestMessage',
	'latest_message',
	'messages',
];

/** Fields with a part of it: `lastMessageAt`, `last_message_direction`. */
const PART = /^last_?message_?(.+)$/i;

/** The last message of a chat, or the parts of it that the row shows. */
export function lastMessageOf(chat: IDataObject): IDataObject | undefined {
	const shown = LAST_MESSAGES.flatMap((name) => [chat[name]].flat().filter(isRecord));
	const newest = oldestFirst(shown).at(-1);
	if (newest) return newest;
	const parts = Object.entries(chat).flatMap(([key, value]) => {
		const name = PART.exec(key)?.[1]?.toLowerCase();
		return name === undefined ? [] : [[name === 'at' ? 'sentAt' : name, value] as const];
	});
	return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}
