import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { isFromCustomer, messageText } from '../../api/chatMessage';
import { idOf } from '../../api/pages';
import { isRecord } from '../../api/response';
import { textOf } from '../../api/text';
import { withoutUndefined } from '../../parameters/values';
import type { Message } from './history';
import type { ChatRow } from './service';
import type { MessageSubscription } from './subscription';
import { MESSAGE_RECEIVED } from './subscription';

/**
 * The new messages of a chat as items. Messages whose direction is unknown are not from customers.
 *
 * @param news oldest first
 */
export function itemsOf(
	chat: ChatRow,
	news: readonly Message[],
	subscription: MessageSubscription,
): INodeExecutionData[] {
	const contact = contactOf(chat.row);
	const wanted = news
		.map((message) => describe(message, contact, subscription))
		.filter(({ direction }) => subscription.from === 'both' || direction === 'inbound');
	const itemOf = (message: DescribedMessage, others?: IDataObject): INodeExecutionData => {
		const { text, receivedAt, ...rest } = message;
		const eventId = [MESSAGE_RECEIVED, chat.id, message.recordId].join(':');
		const head = { event: MESSAGE_RECEIVED, text, contact, chatId: chat.id, receivedAt };
		return { json: { ...head, eventId, ...rest, ...others } };
	};
	if (!subscription.isGrouped) return wanted.map((message) => itemOf(message));
	const newest = wanted.at(-1);
	if (!newest) return [];
	const texts = wanted.flatMap(({ text }) => text ?? []);
	const text = texts.length > 0 ? texts.join('\n') : null;
	return [itemOf({ ...newest, text }, { messages: wanted })];
}

interface DescribedMessage extends IDataObject {
	/** null if the message has none, or none is recognized. */
	text: string | null;
	/** As ISO 8601; null if the message has no time. */
	receivedAt: string | null;
	/** null if it is unknown. */
	direction: 'inbound' | 'outbound' | null;
	recordId: string;
	record: IDataObject;
}

function describe(
	{ id, time, record }: Message,
	contact: IDataObject,
	{ direction }: MessageSubscription,
): DescribedMessage {
	const isInbound = isFromCustomer(record, direction, addressesOf(contact));
	return {
		text: messageText(record) ?? null,
		receivedAt: time === undefined ? null : new Date(time).toISOString(),
		direction: isInbound === undefined ? null : isInbound ? 'inbound' : 'outbound',
		recordId: id,
		record,
	};
}

/**
 * The contact of a chat, as far as its row shows it: everything in `contact`, and its IDs and its name. Where a chat
 * contains its contact is not shown (API document, section Chat).
 */
export function contactOf(chat: IDataObject): IDataObject {
	const own = isRecord(chat.contact) ? chat.contact : {};
	const text = (...values: unknown[]): string | undefined =>
		values.map((value) => textOf(value).trim()).find((value) => value !== '');
	return withoutUndefined({
		...own,
		id: text(idOf(own), chat.contactId, chat.contact_id, chat.contact),
		name: text(own.name, chat.contactName),
		waId: text(own.waId, chat.waId),
		igId: text(own.igId, chat.igId),
	});
}

/** What a message may call its customer, as its sender or recipient. */
export const addressesOf = ({ id, waId, igId, phone }: IDataObject): string[] =>
	[id, waId, igId, phone].map(textOf);
