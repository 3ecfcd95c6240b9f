import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { DirectionSetting } from '../../api/chatMessage';
import {
	directionValue,
	isFromCustomer,
	messageId,
	messageText,
	sentAt,
} from '../../api/chatMessage';
import { idOf } from '../../api/pages';
import { isRecord } from '../../api/response';
import { textOf } from '../../api/text';
import { withoutUndefined } from '../../parameters/values';
import type { ChatRow } from './service';
import type { MessageSubscription } from './subscription';
import { MESSAGE_RECEIVED } from './subscription';

/** The new messages of a chat, oldest first. */
export interface ChatNews {
	chat: ChatRow;
	news: IDataObject[];
}

/** The new messages of a chat as items. Messages whose direction is unknown are not from customers. */
export function itemsOf(
	{ chat, news }: ChatNews,
	subscription: MessageSubscription,
): INodeExecutionData[] {
	const { from, emit } = subscription;
	const contact = contactOf(chat.row);
	const described = news
		.map((message) => describe(message, contact, subscription))
		.filter(({ direction }) => from === 'both' || direction === 'inbound');
	const [newest] = described.slice(-1);
	if (!newest) return [];
	const head = (recordId: string) => ({
		event: MESSAGE_RECEIVED,
		eventId: [MESSAGE_RECEIVED, chat.id, recordId].join(':'),
		recordId,
		chatId: chat.id,
		contact,
	});
	if (emit === 'message')
		return described.map(({ recordId, ...message }) => ({
			json: { ...head(recordId), ...message },
		}));
	const texts = described.flatMap(({ text }) => text ?? []);
	const { recordId, direction, receivedAt, record } = newest;
	const text = texts.length > 0 ? texts.join('\n') : null;
	return [
		{ json: { ...head(recordId), direction, text, receivedAt, record, messages: described } },
	];
}

/** Messages of a chat that were read, new or not. */
export interface ChatMessages {
	chat: ChatRow;
	messages: readonly IDataObject[];
}

/** What messages show of their directions. */
export interface ShownDirections {
	/** Whether the messages of customers are recognized. */
	isShown: boolean;
	/** Whether this holds whatever is read later. */
	isLasting: boolean;
	/** A message that does not show its direction, or else any message; undefined if none was read. */
	example?: IDataObject;
	/** With a setting, whether a message has its field. */
	hasField?: boolean;
}

/**
 * Whether the messages of customers are recognized:
 *
 * - without a setting, if one is from a customer, or all show their direction. Those that agents sent do not prove that
 *   customers' are recognized;
 * - with a setting, if one has a value in its field;
 * - with a setting whose value is empty, if one has the field without a value, or all have a value in it. Messages of
 *   customers may leave the field out: then they are not recognized.
 */
export function shownDirections(
	read: readonly ChatMessages[],
	{ direction }: MessageSubscription,
): ShownDirections {
	if (direction)
		return shownByField(
			read.flatMap(({ messages }) => messages),
			direction,
		);
	const sides = read.flatMap(({ chat, messages }) => {
		const ids = idsOf(contactOf(chat.row));
		return messages.map((message) => ({
			message,
			side: isFromCustomer(message, undefined, ids),
		}));
	});
	const unknown = sides.find(({ side }) => side === undefined);
	const isLasting = sides.some(({ side }) => side === true);
	const isShown = isLasting || (sides.length > 0 && !unknown);
	return { isShown, isLasting, example: (unknown ?? sides[0])?.message };
}

function shownByField(
	messages: readonly IDataObject[],
	setting: DirectionSetting,
): ShownDirections {
	const values = messages.map((message) => directionValue(message, setting));
	const isEmpty = setting.value.trim() === '';
	const isLasting = values.some((value) => value !== undefined && (value === '') === isEmpty);
	const without = values.indexOf(undefined);
	return {
		isShown: isLasting || (isEmpty && messages.length > 0 && without < 0),
		isLasting,
		example: messages[Math.max(0, without)],
		hasField: values.some((value) => value !== undefined),
	};
}

/** The setting as text, to notice that it changed; '' for the usual names. */
export const directionText = ({ direction }: MessageSubscription): string =>
	direction ? JSON.stringify([direction.key, direction.value]) : '';

interface DescribedMessage extends IDataObject {
	recordId: string;
	/** null if it is unknown. */
	direction: 'inbound' | 'outbound' | null;
	/** null if the message has none, or none is recognized. */
	text: string | null;
	/** As ISO 8601; null if the message has no time. */
	receivedAt: string | null;
	record: IDataObject;
}

function describe(
	record: IDataObject,
	contact: IDataObject,
	{ direction }: MessageSubscription,
): DescribedMessage {
	const isInbound = isFromCustomer(record, direction, idsOf(contact));
	const time = sentAt(record);
	return {
		recordId: messageId(record) ?? '',
		direction: isInbound === undefined ? null : isInbound ? 'inbound' : 'outbound',
		text: messageText(record) ?? null,
		receivedAt: time === undefined ? null : new Date(time).toISOString(),
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

const idsOf = ({ id, waId, igId }: IDataObject): string[] => [id, waId, igId].map(textOf);
