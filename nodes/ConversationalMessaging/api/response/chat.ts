import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../base/text';
import type { DirectionSetting } from './chatMessage';
import { customerIds, isFromCustomer, oldestFirst, sentAt } from './chatMessage';
import { addressesIn, addressOf } from './contact';
import { valueOf, valuesOf, idOf, isRecord } from './response';

/**
 * What the row of a chat shows. The document names no field of it, only filters (API document, `GET /chats`); undefined is what a
 * row does not show.
 */

/** The contact of a chat, with everything that the row has in `contact`. */
interface ChatContact extends IDataObject {
	id?: string;
	name?: string;
	waId?: string;
	igId?: string;
}

/**
 * The contact of a chat: what is in `contact`, and what the row has beside it. As a text, `contact` may be an ID or a name, so it
 * is neither. A number beside it is only the contact's under the document's name: `phone` may be the channel's.
 */
export function contactOf(chat: IDataObject): ChatContact {
	const contact = isRecord(chat.contact) ? chat.contact : {};
	const inside = addressOf(contact);
	const first = (...values: unknown[]): string | undefined =>
		values.map((value) => textOf(value).trim()).find((value) => value !== '');
	const known = {
		id: first(idOf(contact), valueOf(chat, 'contactId')),
		name: first(contact.name, valueOf(chat, 'contactName')),
		waId: first(inside.waId, valueOf(chat, 'waId')),
		igId: first(inside.igId, valueOf(chat, 'igId')),
	};
	const shown = Object.entries(known).filter(([, value]) => value !== undefined);
	return { ...contact, ...Object.fromEntries(shown) };
}

/** What a message of a chat may call its customer (see `customerIds`). */
export function customerOf(chat: IDataObject): string[] {
	const contact = contactOf(chat);
	return customerIds(contact.id, addressesIn(contact));
}

/** The ID of the agent that a chat is assigned to; null if it is to none. A text in `assignee` may be a name, so it is no ID. */
export function agentOf(chat: IDataObject): unknown {
	const [id] = valuesOf(chat, ['assigneeId', 'agentId']);
	if (id !== undefined) return id === '' ? null : id;
	const { assignee } = chat;
	return isRecord(assignee) ? idOf(assignee) : assignee === null ? null : undefined;
}

/** Whether a chat is assigned to anybody, by an ID or a name. */
export function isAssigned(chat: IDataObject): boolean | undefined {
	const names = ['assigneeId', 'agentId', 'assignedAgentId', 'assignee', 'assignedAgent'];
	const agents = valuesOf(chat, names);
	return agents.length > 0
		? agents.some((agent) => isRecord(agent) || textOf(agent) !== '')
		: undefined;
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

/** What the row of a chat shows of its last message. */
interface LastMessage {
	/** In milliseconds since the epoch. */
	time?: number;
	isInbound?: boolean;
}

/** @param direction how the user recognizes messages of customers; undefined for the usual names */
export function lastMessageOf(chat: IDataObject, direction?: DirectionSetting): LastMessage {
	const shown = valuesOf(chat, LAST_MESSAGES).flatMap((value) => [value].flat().filter(isRecord));
	const parts = Object.entries(PARTS)
		.map(([name, part]) => [part, valueOf(chat, name)])
		.filter(([, value]) => value !== undefined);
	const message = { ...(Object.fromEntries(parts) as IDataObject), ...oldestFirst(shown).at(-1) };
	return {
		time: sentAt(message),
		isInbound: isFromCustomer(message, direction, customerOf(chat)),
	};
}
