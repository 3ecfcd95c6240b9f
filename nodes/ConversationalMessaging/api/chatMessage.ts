import type { IDataObject } from 'n8n-workflow';
import { isRecord } from './response';
import { textOf } from './text';

/**
 * How a message of a chat's history is read. The document shows nothing of it but that it has an ID (API document,
 * section Message), so the usual names are recognized, in any case and with or without `_` and `-`. Where they are
 * ambiguous, the answer is undefined rather than a guess.
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

/** What is known of a chat's customer: contact ID, WhatsApp ID, Instagram ID. */
export type CustomerIds = readonly string[];

const IDS = ['id', '_id', 'messageid', 'wamid', 'mid'];

/** The ID of a message as text, whether the service writes it as text or as a number. */
export function messageId(message: unknown): string | undefined {
	if (!isRecord(message)) return undefined;
	const ids = valuesOf(message, IDS).filter((id) => ['string', 'number'].includes(typeof id));
	return ids.map((id) => textOf(id).trim()).find((id) => id !== '');
}

/** Names of fields that contain a direction, or who sent the message; the most reliable first. */
const DIRECTIONS = ['direction', 'messagedirection', 'msgdirection', 'dir'];
const SENDERS = [
	'sendertype',
	'senderrole',
	'senderkind',
	'sentby',
	'sentbytype',
	'fromtype',
	'authortype',
	'authorrole',
	'actortype',
	'side',
	'sender',
	'from',
	'author',
	'origin',
	'by',
	'role',
];
/** Names that usually contain the kind of content, but in some services the direction. */
const KINDS = ['messagetype', 'type', 'kind'];
/** Objects around these fields. */
const HOLDERS = ['key', 'meta', 'metadata', 'attributes', 'message', 'data'];
/** What a sender is called within an object for it. */
const SENDER_TYPES = ['type', 'role', 'kind', 'side'];

/** Names of true and false, and whether true means that the customer sent the message. */
const FLAGS: [name: RegExp, customer: boolean][] = [
	[/^(?:is)?(?:fromme|fromself|outgoing|outbound|sentbyme|sentbyus|fromagent|fromus)$/, false],
	[/^(?:is)?(?:incoming|inbound|fromcustomer|fromcontact|fromclient|sentbycustomer)$/, true],
];

const words = (text: string): Set<string> => new Set(text.split(' '));
const INWARDS = words('inbound incoming in received receive');
const OUTWARDS = words('outbound outgoing out sent send');
const CUSTOMERS = words('customer contact client visitor guest subscriber lead consumer');
/** Not "user": the service's users are agents, but elsewhere users are customers. */
const SERVICE = words(
	'agent operator staff bot ai assistant flow automation system business organization organisation company broadcast campaign me us admin supervisor',
);

/**
 * Whether the customer sent a message.
 *
 * @param setting how the user recognizes such messages; then nothing else counts
 * @param customer IDs of the customer, which a message may have as its sender or recipient
 * @returns undefined if the message does not show it
 */
export function isFromCustomer(
	message: IDataObject,
	setting?: DirectionSetting,
	customer: CustomerIds = [],
): boolean | undefined {
	if (setting) {
		// If there is no such field, the messages that a workflow sends must not start it again.
		const value = directionValue(message, setting)?.toLowerCase();
		return value === undefined ? undefined : value === setting.value.trim().toLowerCase();
	}
	const places = [message, ...valuesOf(message, HOLDERS).filter(isRecord)];
	const readings = [
		() => firstSide(places, DIRECTIONS, sideOf),
		() => firstFlag(places),
		() => firstSide(places, SENDERS, senderSide),
		() => firstSide(places, KINDS, (value) => sideIn(wordsOf(value), INWARDS, OUTWARDS)),
		() => sideByAddress(places, customer),
	];
	for (const read of readings) {
		const side = read();
		if (side !== undefined) return side;
	}
	return undefined;
}

function firstSide(
	places: IDataObject[],
	names: string[],
	read: (value: unknown) => boolean | undefined,
): boolean | undefined {
	const values = places.flatMap((place) => valuesOf(place, names));
	return values.map(read).find((side) => side !== undefined);
}

function firstFlag(places: IDataObject[]): boolean | undefined {
	for (const [key, value] of places.flatMap((place) => Object.entries(place))) {
		if (typeof value !== 'boolean') continue;
		const flag = FLAGS.find(([name]) => name.test(plain(key)));
		if (flag) return value === flag[1];
	}
	return undefined;
}

/** A sender as text, or as an object with its type. */
function senderSide(value: unknown): boolean | undefined {
	if (!isRecord(value)) return sideOf(value);
	return firstSide([value], SENDER_TYPES, sideOf) ?? firstFlag([value]);
}

/** "INBOUND", "from_customer", "agent-to-customer": true if from the customer. */
function sideOf(value: unknown): boolean | undefined {
	const all = wordsOf(value);
	// A name or a text is not a type.
	if (all.length > 4) return undefined;
	const direction = sideIn(all, INWARDS, OUTWARDS);
	if (direction !== undefined) return direction;
	const to = all.indexOf('to');
	if (to > 0) return sideIn(all.slice(0, to), CUSTOMERS, SERVICE);
	const side = sideIn(all, CUSTOMERS, SERVICE);
	return to === 0 && side !== undefined ? !side : side;
}

function sideIn(all: string[], yes: Set<string>, no: Set<string>): boolean | undefined {
	const [isYes, isNo] = [yes, no].map((side) => all.some((word) => side.has(word)));
	return isYes === isNo ? undefined : isYes;
}

const SENDER_IDS = ['from', 'sender', 'author', 'fromid', 'senderid', 'authorid', 'waid', 'igid'];
const RECIPIENT_IDS = ['to', 'recipient', 'toid', 'recipientid'];

/** "from": "12025550143" is from the customer with this number. */
function sideByAddress(places: IDataObject[], customer: CustomerIds): boolean | undefined {
	const known = new Set(customer.map(addressOf).filter((id) => id !== ''));
	const isCustomer = (names: string[]): boolean =>
		places
			.flatMap((place) => valuesOf(place, names))
			.flatMap((value) => (isRecord(value) ? valuesOf(value, ['id', 'waid', 'igid']) : [value]))
			.some((value) => known.has(addressOf(value)));
	const [isSender, isRecipient] = [isCustomer(SENDER_IDS), isCustomer(RECIPIENT_IDS)];
	return isSender === isRecipient ? undefined : isSender;
}

const addressOf = (value: unknown): string =>
	textOf(value)
		.trim()
		.replace(/^\+(?=\d)|@.*/g, '');

/** Names of the text itself, and of what contains it. */
const TEXTS = ['text', 'body', 'messagetext', 'textbody', 'messagebody', 'content', 'message'];
const OTHER_TEXTS = [
	'caption',
	'conversation',
	'payload',
	'interactive',
	'buttonreply',
	'listreply',
	'button',
	'image',
	'video',
	'document',
	'data',
];
/** What a customer chose, in an answer to buttons or to a list. */
const CHOSEN = ['title'];

/** How deep the text of a message may be. */
const MAX_DEPTH = 4;

/**
 * The text of a message: what was written, the caption of a file, or the button that was pressed.
 *
 * @returns unchanged; undefined if none is recognized
 */
export function messageText(message: IDataObject): string | undefined {
	return textIn(message, [...TEXTS, ...OTHER_TEXTS], 1);
}

function textIn(place: IDataObject, names: string[], depth: number): string | undefined {
	for (const value of valuesOf(place, names)) {
		if (typeof value === 'string' && value.trim() !== '') return value;
		const inner: unknown = Array.isArray(value) ? value.find((part) => isRecord(part)) : value;
		if (!isRecord(inner) || depth === MAX_DEPTH) continue;
		const text = textIn(inner, [...TEXTS, ...OTHER_TEXTS, ...CHOSEN], depth + 1);
		if (text !== undefined) return text;
	}
	return undefined;
}

const TIMES = [
	'receivedat',
	'sentat',
	'timestamp',
	'messagetimestamp',
	'createdat',
	'created',
	'senttime',
	'sendtime',
	'sentdate',
	'datetime',
	'time',
	'date',
	'ts',
];

/**
 * When a message was sent, in milliseconds since the epoch.
 *
 * @returns undefined if the message has no time, or none that can be read
 */
export function sentAt(message: IDataObject): number | undefined {
	const places = [message, ...valuesOf(message, HOLDERS).filter(isRecord)];
	return places
		.flatMap((place) => valuesOf(place, TIMES))
		.map(timeOf)
		.find((time) => time !== undefined);
}

/** ISO 8601, or a date that begins with the name of a day or month and has an offset. */
const DATE = /^\d{4}-\d\d-\d\d|^[A-Z][a-z]{2}\b.* (?:GMT|UTC|Z|[ECMP][SD]T|[+-]\d\d:?\d\d)/;

/** From the largest unit to the smallest: the least value that is read in it, and how many make a millisecond. */
const UNITS = [
	[1e17, 1e6],
	[1e14, 1e3],
	[1e11, 1],
	[1e9, 1e-3],
] as const;

/** A time in one of the forms that services use, in milliseconds since the epoch; undefined for anything else. */
export function timeOf(value: unknown): number | undefined {
	// { "seconds": … } and { "$date": … }, as databases write times.
	if (isRecord(value)) return timeOf(value.$date ?? value.seconds ?? value._seconds);
	const text = textOf(value).trim();
	if (/^\d+(?:\.\d+)?$/.test(text)) {
		const number = Number(text);
		const unit = UNITS.find(([least]) => number >= least);
		return unit && Math.round(number / unit[1]);
	}
	if (!DATE.test(text)) return undefined;
	// Without an offset, JavaScript would read a time in the time zone of this machine.
	const isLocal = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text);
	const time = Date.parse(isLocal ? `${text.replace(' ', 'T')}Z` : text);
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

/**
 * The value at a path with dots; if nothing has exactly this name, in any case and with or without `_` and `-`. A key
 * that contains the dots itself comes first.
 */
function valueAt(record: IDataObject, path: string): unknown {
	const whole = fieldOf(record, path);
	if (whole !== undefined) return whole;
	return path
		.split('.')
		.reduce<unknown>((value, key) => (isRecord(value) ? fieldOf(value, key) : undefined), record);
}

function fieldOf(record: IDataObject, name: string): unknown {
	if (name in record) return record[name];
	const bare = (key: string): string => key.toLowerCase().replace(/[_-]/g, '');
	return Object.entries(record).find(([key]) => bare(key) === bare(name))?.[1];
}

/** The values of these fields, in the order of the names; names in lower case without `_` and `-`. */
function valuesOf(record: IDataObject, names: readonly string[]): unknown[] {
	const entries = Object.entries(record);
	return names
		.flatMap((name) => [
			// `id` before `_id`.
			...entries.filter(([key]) => key === name),
			...entries.filter(([key]) => key !== name && plain(key) === name),
		])
		.map(([, value]) => value);
}

const plain = (key: string): string => key.toLowerCase().replace(/[^a-z]/g, '');

/** "CUSTOMER_TO_AGENT" and "customerToAgent" as words in lower case. */
const wordsOf = (value: unknown): string[] =>
	typeof value === 'string'
		? value
				.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
				.toLowerCase()
				.split(/[^\p{L}\p{N}]/u)
				.filter(Boolean)
		: [];
