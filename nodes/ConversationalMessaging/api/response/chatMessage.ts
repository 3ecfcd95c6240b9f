import type { IDataObject } from 'n8n-workflow';
import { idIn, isRecord, ownValue, valuesOf } from './response';
import { customerId } from '../../phone/customerId';
import { textOf } from '../base/text';

/**
 * How a message of a chat's history is read. The document shows nothing of it but that it has an ID (API document,
 * section Message), so a few usual names are recognized, in camelCase or snake_case. Where they are ambiguous, the answer is
 * undefined rather than a guess: the user can then name the field. Names are looked up, never searched for: a message may
 * have any number of keys.
 *
 * The tables in test/api/chatMessage.test.mts are the specification.
 */

/** How the user describes the messages of customers, if the usual names do not. */
export interface DirectionSetting {
	/** A field of the message, with dots for fields within fields. */
	key: string;
	/** Its value in messages from the customer, in any case; '' if they have none. */
	value: string;
}

/** The ID of a message as text, whether the service writes it as text or as a number. */
export const messageId = (message: unknown): string | undefined =>
	idIn(message, ['id', 'messageId', 'wamid']);

/** Not "user": the service's users are agents, but elsewhere users are customers. */
const CUSTOMERS = ['customer', 'contact', 'client', 'visitor'];
const SERVICE = [
	...['agent', 'operator', 'business', 'system', 'bot', 'ai', 'assistant'],
	...['flow', 'automation', 'broadcast', 'campaign'],
];

/** Fields that show who sent a message, and their values in messages of customers and of the service. */
const SIGNS: [fields: string[], customer: string[], service: string[]][] = [
	// Most services use `type` for the kind of content.
	[
		['direction', 'type'],
		['inbound', 'incoming'],
		['outbound', 'outgoing'],
	],
	[['senderType'], CUSTOMERS, SERVICE],
	[['incoming', 'isIncoming', 'inbound', 'isInbound'], ['true'], ['false']],
	[['fromMe', 'outgoing', 'isOutgoing', 'outbound', 'isOutbound'], ['false'], ['true']],
];

/** The sender as an object has its type here. */
const SENDER_SIGNS: typeof SIGNS = [[['type', 'role'], CUSTOMERS, SERVICE]];

/** Fields with an address, or an object that has one. A bare `waId` or `igId` is the contact's, whoever wrote. */
const SENDERS = ['from', 'sender', 'senderId'];
const RECIPIENTS = ['to', 'recipient', 'recipientId'];

/**
 * Whether the customer sent a message.
 *
 * Everything that shows it must agree: the addresses, the direction, true or false, and the type of the sender. Only
 * words that are types count, and only in fields for types: "Guest House Berlin" is a name.
 *
 * @param setting how the user recognizes such messages; then nothing else counts
 * @param customer the WhatsApp ID and the Instagram ID of the customer; other IDs may also be those of agents
 * @returns undefined if the message does not show it, or contradicts itself
 */
export function isFromCustomer(
	message: IDataObject,
	setting?: DirectionSetting,
	customer: readonly unknown[] = [],
): boolean | undefined {
	if (setting) {
		// If there is no such field, the messages that a workflow sends must not start it again.
		const value = directionValue(message, setting)?.toLowerCase();
		return value === undefined ? undefined : value === setting.value.trim().toLowerCase();
	}
	const senders = valuesOf(message, SENDERS).filter(isRecord);
	const sides = [
		sideByAddress(message, customer),
		...sidesIn(message, SIGNS),
		...senders.flatMap((sender) => sidesIn(sender, SENDER_SIGNS)),
	].filter((side) => side !== undefined);
	return sides.every((side) => side === sides[0]) ? sides[0] : undefined;
}

const sidesIn = (record: IDataObject, signs: typeof SIGNS): (boolean | undefined)[] =>
	signs.flatMap(([fields, customer, service]) =>
		valuesOf(record, fields).map((value) => {
			const word = textOf(value).trim().toLowerCase();
			return customer.includes(word) ? true : service.includes(word) ? false : undefined;
		}),
	);

/** "from": "12025550143" is from the customer with this number. */
function sideByAddress(message: IDataObject, customer: readonly unknown[]): boolean | undefined {
	const known = new Set(customer.map(comparable).filter((id) => id !== ''));
	const isCustomer = (names: string[]): boolean =>
		valuesOf(message, names)
			.flatMap((value) => (isRecord(value) ? valuesOf(value, ['id', 'waId', 'igId']) : [value]))
			.some((value) => known.has(comparable(value)));
	const [isSender, isRecipient] = [isCustomer(SENDERS), isCustomer(RECIPIENTS)];
	return isSender === isRecipient ? undefined : isSender;
}

const comparable = (value: unknown): string => customerId(textOf(value)).key;

const TEXTS = ['text', 'body', 'content', 'message'];
/** Fields with an object that contains it: what was written, below a file, or on the button that was pressed. */
const HOLDERS = ['interactive', 'buttonReply', 'listReply', 'button', 'image', 'video', 'document'];
/** Types of messages whose `content` or `body` can be the URL of a file (API document, `POST /messages`). */
const FILES = ['image', 'document', 'video', 'audio', 'sticker'];

const MAX_DEPTH = 4;

/** What was written, the caption of a file, or the button that was pressed, unchanged; undefined if none is recognized. */
export function messageText(message: IDataObject): string | undefined {
	const isFile = FILES.includes(textOf(message.type).toLowerCase());
	return textIn(message, isFile, 1);
}

function textIn(place: IDataObject, isFile: boolean, depth: number): string | undefined {
	const texts = valuesOf(place, TEXTS);
	const found = [
		...texts.filter((value) => !(isFile && /^\s*https?:\/\/\S+\s*$/.test(textOf(value)))),
		...valuesOf(place, depth === 1 ? ['caption'] : ['caption', 'title']),
	].find((value) => typeof value === 'string' && value.trim() !== '');
	if (found !== undefined || depth === MAX_DEPTH) return found as string | undefined;
	for (const value of [...texts, ...valuesOf(place, HOLDERS)]) {
		const inner: unknown = [value].flat().find((part) => isRecord(part));
		const text = isRecord(inner) ? textIn(inner, isFile, depth + 1) : undefined;
		if (text !== undefined) return text;
	}
	return undefined;
}

const TIMES = ['receivedAt', 'sentAt', 'timestamp', 'createdAt', 'time'];

/**
 * When a message was sent, in milliseconds since the epoch.
 *
 * @param field the field with the time, with dots for fields within fields; the usual ones if it is undefined
 * @returns undefined if the message has no time, or none that can be read
 */
export function sentAt(message: IDataObject, field?: string): number | undefined {
	const values = field === undefined ? valuesOf(message, TIMES) : [valueAt(message, field)];
	return values.map(timeOf).find((time) => time !== undefined);
}

/**
 * Oldest first. A history is newest first; across chats, and if the service has another order, times decide. A message
 * without a time has that of the one before it: compared by its place with some and by time with others, it would put
 * those in a wrong order.
 */
export function oldestFirst(messages: IDataObject[]): IDataObject[] {
	let latest = 0;
	return [...messages]
		.reverse()
		.map((message) => ({ message, at: (latest = sentAt(message) ?? latest) }))
		.sort((a, b) => a.at - b.at)
		.map(({ message }) => message);
}

/** The name of who wrote a message; undefined if it does not show one. */
export function senderName(message: IDataObject): string | undefined {
	const records = valuesOf(message, ['sender', 'agent', 'from']).filter(isRecord);
	const names = [
		...valuesOf(message, ['senderName', 'agentName']),
		...records.map((record) => record.name),
	];
	return names.map((name) => textOf(name).trim()).find((name) => name !== '');
}

const DATE = /^\d{4}-\d\d-\d\d[T ]\d/;

/** A date and time without an offset. JavaScript would read it in the time zone of this machine. */
const LOCAL = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/** ISO 8601, or seconds or milliseconds since the epoch; in milliseconds. Undefined for anything else. */
function timeOf(value: unknown): number | undefined {
	const text = textOf(value).trim();
	if (/^\d+(?:\.\d+)?$/.test(text)) {
		const number = Number(text);
		if (number < 1e9 || number >= 1e14) return undefined;
		return Math.round(number < 1e11 ? number * 1_000 : number);
	}
	const time = DATE.test(text)
		? Date.parse(LOCAL.test(text) ? `${text.replace(' ', 'T')}Z` : text)
		: NaN;
	return Number.isNaN(time) ? undefined : time;
}

/** What a message has in the field of a setting; '' for a field without a value, undefined if it has no such field. */
export function directionValue(
	message: IDataObject,
	{ key }: DirectionSetting,
): string | undefined {
	const value = valueAt(message, key);
	return value === undefined ? undefined : textOf(value).trim();
}

const valueAt = (record: IDataObject, path: string): unknown =>
	path
		.split('.')
		.reduce<unknown>((value, key) => (isRecord(value) ? ownValue(value, key) : undefined), record);
