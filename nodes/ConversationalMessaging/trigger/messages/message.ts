import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import { contactOf, customerOf } from '../../api/response/chat';
import { addFieldValues } from '../../api/response/contact';
import { isFromCustomer, messageId, messageText, sentAt } from '../../api/response/chatMessage';
import { isRecord } from '../../api/response/response';
import { customerTitle } from '../title';
import type { ChatRow } from './service';
import { type MessageSubscription, MESSAGE_RECEIVED } from './subscription';

export interface Message {
	id: string;
	/** By the service's clock, in milliseconds since the epoch; undefined if it has none that can be read. */
	time: number | undefined;
	/** Whether the customer sent it; undefined if it does not show that. */
	isInbound: boolean | undefined;
	/** Whether it is to be emitted once it is new: in one direction, only messages that are known to have it. */
	isWanted: boolean;
	record: IDataObject;
}

/** The messages among the rows of a history, in their order. */
export function messagesIn(
	rows: readonly unknown[],
	chat: ChatRow,
	{ from, direction, timeField }: MessageSubscription,
): Message[] {
	const customer = customerOf(chat.row);
	return rows.filter(isRecord).flatMap((record): Message[] => {
		const id = messageId(record);
		if (id === undefined) return [];
		const time = sentAt(record, timeField);
		const isInbound = isFromCustomer(record, direction, customer);
		const isWanted = from === 'both' || isInbound === true;
		return [{ id, time, isInbound, isWanted, record }];
	});
}

/** The new messages of a chat as items: one each, or one for all of them. @param news those to be emitted, oldest first */
export function itemsOf(
	chat: ChatRow,
	news: readonly Message[],
	{ isGrouped }: MessageSubscription,
): INodeExecutionData[] {
	const contact = contactOf(chat.row);
	addFieldValues(contact);
	const title = customerTitle(chat.row) || chat.id;
	const described = news.map(describe);
	const itemOf = (message: DescribedMessage, others?: IDataObject): INodeExecutionData => {
		const { text, receivedAt, ...rest } = message;
		const eventId = [MESSAGE_RECEIVED, chat.id, message.recordId].join(':');
		const head = { event: MESSAGE_RECEIVED, text, contact, chatId: chat.id, receivedAt, title };
		const detectedAt = new Date(clock.now()).toISOString();
		return { json: { ...head, detectedAt, eventId, ...rest, ...others } };
	};
	if (!isGrouped) return described.map((message) => itemOf(message));
	const newest = described.at(-1);
	if (!newest) return [];
	const texts = described.flatMap(({ text }) => text ?? []);
	const text = texts.length > 0 ? texts.join('\n') : null;
	return [itemOf({ ...newest, text }, { messages: described })];
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

function describe({ id, time, isInbound, record }: Message): DescribedMessage {
	return {
		text: messageText(record) ?? null,
		receivedAt: time === undefined ? null : new Date(time).toISOString(),
		direction: isInbound === undefined ? null : isInbound ? 'inbound' : 'outbound',
		recordId: id,
		record,
	};
}
