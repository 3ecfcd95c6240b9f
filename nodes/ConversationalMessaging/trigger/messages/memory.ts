import type { IDataObject } from 'n8n-workflow';
import type { Checkpoint } from '../checkpoint';
import { firstBits, keyOf } from '../keys';
import type { Message } from './message';

/** What is kept of a chat. */
export interface TrackedChat {
	/** The fingerprint of its row when it was read last, or listed by the first poll; or one of the two below. */
	mark: number;
	/** The hashes of the newest messages that were read, the newest first; [] if there was none. */
	last: readonly number[];
	/** If none of these is in its history any more, messages before this time are not new; in seconds since the epoch. */
	time: number;
	/** How many passes have ended since it was listed, up to 63. */
	unseen: number;
}

/** Marks that no row has: the chat is to be read, or it could not be read. */
export const TO_READ = 0;
export const FAILED = 1;

/** A pass: every page of the list was read at least once, and at least two minutes have gone by. */
interface Pass {
	/** The page from which the next poll continues. */
	page: number;
	/** Whether all pages before it could be read. */
	isWhole: boolean;
	/** Whether a row of them did not match the filters. */
	isUnfiltered?: boolean;
	/** When it began, and when the one before began; in milliseconds since the epoch. */
	from: number;
	before: number;
}

/**
 * What is known between two polls.
 *
 * **What makes a message new:** in the history of its chat, it is above the oldest of the messages that are remembered. Several
 * are, because a message can be stored a moment later below the newest ones. If all are gone, or none was read yet, times decide.
 *
 * **This holds from any earlier memory.** n8n does not save it after a poll without events, so a restart brings back an older one:
 * what came since then is new.
 */
export interface Memory {
	/**
	 * In a chat that is listed for the first time, messages from this time on are new; in seconds since the epoch. If the chat was
	 * created later, all are.
	 */
	start: number;
	/** When the last poll began, in milliseconds since the epoch. */
	polled: number;
	/** Whether a changed row has led to a new message, and none was found behind an unchanged row since. */
	rowsShow: boolean;
	pass: Pass;
	/** By the hash of their IDs; the one that was read, or tried, the longest time ago first. */
	chats: ReadonlyMap<number, TrackedChat>;
	/** The settings with which messages showed their direction and time, as text; missing if none did. */
	shownFor?: string;
}

/** What is kept of Message Received. */
export type MessageCheckpoint = Checkpoint<Memory>;

/** The number of messages of a chat that are remembered, and that of one that is not among those with the newest messages. */
export const LASTS = 4;
const LASTS_OF_OLDER = 2;

/** The times of messages and of responses may differ by this, in milliseconds; a pass takes no less. */
const MARGIN_MS = 120_000;

/** Passes are counted up to this. */
export const MOST_UNSEEN = 63;

const secondAfter = (ms: number): number => Math.floor(Math.max(0, ms) / 1_000) + 1;

/** Whether a time in milliseconds is not before one in seconds. */
export const isAfter = (ms: number, seconds: number): boolean => ms >= seconds * 1_000;

/** Before the first poll. Everything up to now was there before. */
export const emptyMemory = (now: number): Memory => ({
	start: secondAfter(now),
	polled: now,
	rowsShow: false,
	pass: { page: 2, isWhole: true, from: now, before: 0 },
	chats: new Map(),
});

const MARK_BITS = 24;
export const LAST_BITS = 30;

/** The fingerprint of a chat's row. It differs from `TO_READ` and `FAILED`. */
export const rowMark = (row: IDataObject): number =>
	Math.max(2, firstBits(keyOf(JSON.stringify(row)), MARK_BITS));

/** Never 0, which is none. */
const hashOf = ({ id }: Message): number => Math.max(1, firstBits(keyOf(id), LAST_BITS));

/**
 * The new messages of a history: those above the deepest one that is remembered or, if none of these is there, those that are
 * not too old.
 *
 * @param messages newest first
 */
export function newIn(messages: readonly Message[], { last, time }: TrackedChat): Message[] {
	const hashes = messages.map(hashOf);
	// The first place of each: of two messages with the same hash, the older one must not make all above it new.
	const deepest = Math.max(...last.map((hash) => hashes.indexOf(hash)), -1);
	return deepest < 0
		? messages.filter((message) => isAfter(message.time ?? 0, time))
		: messages.filter((_message, i) => i < deepest && !last.includes(hashes[i] ?? 0));
}

/**
 * Whether no message on a later page is new: one that is remembered is here, or all times are old. In a chat that was not read before,
 * the last two are enough: one alone may be wrong. In the second of the newest message, others may follow.
 */
export function isEnd(page: readonly Message[], { last, time }: TrackedChat): boolean {
	if (page.some((message) => hashOf(message) === last.at(-1))) return true;
	const times = page.flatMap((message) => message.time ?? []);
	return times.slice(last.length > 0 ? 0 : -2).every((each) => each < (time - 1) * 1_000);
}

/**
 * A chat after its history was read.
 *
 * @param fresh the new ones among its messages. Without any, what is remembered and not there stays: a service may return a
 *   history incompletely once, and must not repeat its messages
 * @param now in milliseconds since the epoch. Times that are further ahead make no later message old
 */
export function afterReading(
	known: TrackedChat,
	{ messages, fresh }: { messages: readonly Message[]; fresh: readonly Message[] },
	now: number,
): Pick<TrackedChat, 'last' | 'time'> {
	const hashes = messages.map(hashOf);
	const missing = fresh.length > 0 ? [] : known.last.filter((hash) => !hashes.includes(hash));
	const times = messages.flatMap(({ time = 0 }) => (time > now + MARGIN_MS ? [] : time));
	return {
		last: [...missing, ...hashes.slice(0, LASTS)].slice(0, LASTS),
		// Not spread into one call: a service without pages returns hundreds of thousands.
		time: times.reduce((latest, time) => Math.max(latest, secondAfter(time)), known.time),
	};
}

/**
 * The chats as they fit into the state.
 *
 * @param active of how many chats, those with the newest messages, more than two messages are remembered
 */
export function withinRoom(chats: Memory['chats'], active: number): Memory['chats'] {
	if (chats.size <= active) return chats;
	const times = [...chats.values()].map(({ time }) => time).sort((one, other) => other - one);
	const newest = times[active] ?? 0;
	const kept = ({ last, time }: TrackedChat): readonly number[] =>
		time > newest ? last : last.slice(0, LASTS_OF_OLDER);
	return new Map([...chats].map(([key, chat]) => [key, { ...chat, last: kept(chat) }]));
}

/**
 * The memory after the last page of the list. If that ends a pass, `start` follows: it is the beginning of the pass before. A chat
 * that was missed once, because rows shift between pages, is new then.
 *
 * @param now when this poll began, in milliseconds since the epoch
 */
export function afterList(memory: Memory, now: number): Memory {
	const { pass, start, chats } = memory;
	const next = { ...pass, page: 2, isWhole: true, isUnfiltered: undefined };
	if (!pass.isWhole || now - pass.from < MARGIN_MS) return { ...memory, pass: next };
	const { from, before } = pass;
	const unseen = (chat: TrackedChat): number => Math.min(MOST_UNSEEN, chat.unseen + 1);
	return {
		...memory,
		start: Math.max(start, secondAfter(before - MARGIN_MS)),
		pass: { ...next, from: now, before: from },
		chats: new Map([...chats].map(([key, chat]) => [key, { ...chat, unseen: unseen(chat) }])),
	};
}
