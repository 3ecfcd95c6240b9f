import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../base/text';
import { type DirectionSetting, isFromCustomer, sentAt } from './chatMessage';
import { idOf, isRecord, valueOf, valuesOf } from './response';

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
 * is neither.
 */
export function contactOf(chat: IDataObject): ChatContact {
	const contact = isRecord(chat.contact) ? chat.contact : {};
	const read = (name: string, beside = name) =>
		[valueOf(contact, name), valueOf(chat, beside)]
			.map((value) => textOf(value).trim())
			.find((value) => value !== '');
	const known = {
		id: read('id', 'contactId'),
		name: read('name', 'contactName'),
		waId: read('waId'),
		igId: read('igId'),
	};
	const shown = Object.entries(known).filter(([, value]) => value !== undefined);
	return { ...contact, ...Object.fromEntries(shown) };
}

/** The addresses of a chat's customer (see `isFromCustomer`). */
export function customerOf(chat: IDataObject): unknown[] {
	const { waId, igId } = contactOf(chat);
	return [waId, igId];
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
	const id = agentOf(chat);
	const agent = id ?? chat.assignee ?? id;
	return agent === undefined ? undefined : agent !== null && agent !== '';
}

/** Whether a chat is escalated (API document, `GET /chats`, names the filter so). */
export const isEscalated = (chat: IDataObject): boolean | undefined =>
	valuesOf(chat, ['needsEscalation', 'escalated']).find((value) => typeof value === 'boolean');

/**
 * The last message that a row shows: in `lastMessage`, or its time in `lastMessageAt` and its direction in `lastMessageDirection`.
 *
 * @param direction how the user recognizes messages of customers; undefined for the usual names
 * @returns its time in milliseconds since the epoch, and whether the customer sent it; each undefined if the row does not show it
 */
export function lastMessageOf(
	chat: IDataObject,
	direction?: DirectionSetting,
): { time: number | undefined; isInbound: boolean | undefined } {
	const shown = valueOf(chat, 'lastMessage');
	const message = {
		sentAt: valueOf(chat, 'lastMessageAt'),
		direction: valueOf(chat, 'lastMessageDirection'),
		...(isRecord(shown) && shown),
	} as IDataObject;
	return { time: sentAt(message), isInbound: isFromCustomer(message, direction, customerOf(chat)) };
}
