import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../api/response';
import { keyOf, shortened } from '../keys';
import type { Reported } from '../reports';
import { isReported } from '../reports';
import type { Message } from './message';

/** What is kept of a chat. */
export interface TrackedChat {
	/** The fingerprint of its row when its messages were read last, or when it was listed in the first pass; 0 if never. */
	mark: number;
	/**
	 * Messages up to this time count as read, in seconds since the epoch by the service's clock, rounded up. Infinity for
	 * a chat of the first pass that was not read yet: what is new is what came after the start.
	 */
	readTo: number;
}

/**
 * What is known between two polls.
 *
 * **What makes a message new:** of the chats that have been read, `seen` has the IDs of all messages that are newer than
 * `seenSince`. So a message is new if it is newer than `readTo` of its chat, or newer than `seenSince`, and not in `seen`. The
 * order of a history, of the list and of the polls makes no difference, nor does it which of two messages of one second is
 * stored later, in one chat or in two.
 *
 * **This holds from any earlier state.** n8n does not save the state after a poll without events, so a restart brings back an
 * older one: what came since then is new.
 *
 * **A message whose time is ahead** makes `readTo` of its chat too late. Others in this chat are new by `seenSince`, which
 * follows the clock. Its own ID is kept until `seenSince` has reached its time, so that it is not emitted twice.
 *
 * Times are in seconds since the epoch by the service's clock, unless said otherwise. In one direction, messages of the
 * other one are neither emitted nor in `seen`.
 */
export interface MessageState {
	/** When the first poll began: messages up to this time were there before, if the clocks agree. */
	start: number;
	/** By the hash of the chat's ID, least recently read first. */
	chats: ReadonlyMap<number, TrackedChat>;
	/** The IDs of messages up to this time are not kept; 0 before the first message. */
	seenSince: number;
	/** The times of messages that were read, by the hash of their IDs. */
	seen: ReadonlyMap<number, number>;
	/** Whether the times of messages compare with the clock of responses; missing until a message was read. */
	clocksAgree?: boolean;
	/** When the current pass through the list began and the two before it, in milliseconds since the epoch; oldest first. */
	passes: readonly number[];
	/** The page of the list from which the next poll continues; 1 if it begins a new pass. */
	page: number;
	/** Chats to be read once more: their rows changed, but their messages may be stored late. */
	again: readonly number[];
	/** Chats that could not be read; the one that was tried last is last. */
	failing: readonly number[];
	/** How often a changed row had new messages since an unchanged one had some; at most `MAX_TRUST`. */
	trust: number;
	/** The settings with which messages showed their direction and time, as text; missing if none did. */
	shownFor?: string;
}

export const MAX_TRUST = 10;

/** Services may number the messages of each chat from 1. */
export const messageKey = (chatId: string, { id }: Message): number => keyOf(`${chatId} ${id}`);

/** How far times may be apart although the clocks agree, in milliseconds. */
export const MARGIN_MS = 120_000;

/** The start by the clock of messages, in seconds; undefined while that is unknown. */
export const startOf = ({ start, clocksAgree }: MessageState): number | undefined =>
	clocksAgree ? start : undefined;

/** Messages of a chat up to this time are not new, in seconds. */
export function oldUntil({ mark, readTo }: TrackedChat, state: MessageState): number {
	// What was in a chat before it was read for the first time is not in `seen`.
	if (readTo === Infinity) return startOf(state) ?? Infinity;
	return mark === 0 ? readTo : Math.min(readTo, state.seenSince);
}

/** How far the history of a chat is read, in seconds: until everything newer than the kept IDs has been seen. */
export function readUntil(known: TrackedChat, state: MessageState): number {
	const until = oldUntil(known, state);
	// Nothing in a chat of the first pass is new as long as the clocks are unknown: one page shows its newest message.
	return until === Infinity ? until : Math.min(until, state.seenSince);
}

/** Whether a message of a chat is not new; one without a time never is. */
export function wasRead(
	message: Message,
	chatId: string,
	known: TrackedChat,
	state: MessageState,
): boolean {
	const { time = 0, isWanted } = message;
	if (time <= oldUntil(known, state) * 1_000) return true;
	if (isWanted) return state.seen.has(messageKey(chatId, message));
	return known.readTo !== Infinity && time <= known.readTo * 1_000;
}

/** What is kept of Message Received. */
export interface MessageCheckpoint {
	/** What the state belongs to: n8n's ID of the credential, base URL, workflow, node, filters and Messages From. */
	scope: string;
	/** The hash of the token. Another one may belong to another organization. */
	token: string;
	/** The number of consecutive incomplete polls. */
	failures: number;
	/** What n8n's log has shown and what has not ended yet. */
	reported?: Reported;
	/** Missing until a first poll was complete. */
	state?: MessageState;
}

const MARK_BITS = 24;

/** The fingerprint of a chat's row: if it differs, the chat may have new messages. Never 0. */
export const rowMark = (row: IDataObject): number =>
	Math.max(1, shortened(keyOf(JSON.stringify(row)), MARK_BITS));

/** Times are kept as seconds since 2020, which five characters hold until 2054. */
const TIME_BASE = Date.UTC(2020, 0) / 1_000;
const TIME_CHARS = 5;
const LATEST = 64 ** TIME_CHARS - 1;
const KEY_CHARS = 7;
const MARK_CHARS = 4;

/** The characters of base64url that each number of a row takes. */
const CHAT_WIDTHS = [KEY_CHARS, MARK_CHARS, TIME_CHARS];
const SEEN_WIDTHS = [KEY_CHARS, TIME_CHARS];

/** The checkpoint as a value for JSON. A chat has 16 characters, in the order in which chats were read. */
export function saved({ state, ...rest }: MessageCheckpoint): unknown {
	if (!state) return rest;
	const sinceBase = (time: number): number => Math.min(Math.max(0, time - TIME_BASE), LATEST);
	const chats = [...state.chats].map(([key, { mark, readTo }]) => [key, mark, sinceBase(readTo)]);
	const seen = [...state.seen].map(([key, time]) => [key, sinceBase(time)]);
	return {
		...rest,
		state: { ...state, chats: textOf(chats, CHAT_WIDTHS), seen: textOf(seen, SEEN_WIDTHS) },
	};
}

/** @returns undefined for a value that this version cannot read */
export function readSaved(value: unknown): MessageCheckpoint | undefined {
	if (!isRecord(value)) return undefined;
	const { scope, token, failures, reported } = value;
	if (typeof scope !== 'string' || typeof token !== 'string' || !isCount(failures))
		return undefined;
	if (reported !== undefined && !isReported(reported)) return undefined;
	const checkpoint = { scope, token, failures, ...(reported && { reported }) };
	if (value.state === undefined) return checkpoint;
	const state = readState(value.state);
	return state && { ...checkpoint, state };
}

function readState(value: unknown): MessageState | undefined {
	if (!isRecord(value)) return undefined;
	const { start, seenSince, clocksAgree, passes, page, again, failing, trust, shownFor } = value;
	const chatRows = rowsOf(value.chats, CHAT_WIDTHS);
	const seenRows = rowsOf(value.seen, SEEN_WIDTHS);
	if (!chatRows || !seenRows || !isCounts(passes) || !isCounts(again) || !isCounts(failing))
		return undefined;
	if (!isCount(start) || !isCount(seenSince) || !isCount(page)) return undefined;
	if (clocksAgree !== undefined && typeof clocksAgree !== 'boolean') return undefined;
	if (!isCount(trust) || trust > MAX_TRUST) return undefined;
	if (shownFor !== undefined && typeof shownFor !== 'string') return undefined;
	const chats = chatRows.map(([key = 0, mark = 0, time = 0]): [number, TrackedChat] => {
		return [key, { mark, readTo: time === LATEST ? Infinity : TIME_BASE + time }];
	});
	const seen = seenRows.map(([key = 0, time = 0]): [number, number] => [key, TIME_BASE + time]);
	return {
		...{ start, chats: new Map(chats), seenSince, seen: new Map(seen), passes, page },
		...{ again, failing, trust },
		...(clocksAgree !== undefined && { clocksAgree }),
		...(shownFor !== undefined && { shownFor }),
	};
}

/** None of the lists is longer than a few hundred; each is searched for every chat. */
const MOST_ENTRIES = 1_000;

const isCounts = (value: unknown): value is number[] =>
	Array.isArray(value) && value.length <= MOST_ENTRIES && value.every(isCount);

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Rows of numbers as text: each number has its characters. */
function textOf(rows: readonly number[][], widths: readonly number[]): string {
	return rows.flatMap((row) => widths.map((chars, i) => digits(row[i] ?? 0, chars))).join('');
}

/** @returns undefined for a value that is no such text */
function rowsOf(text: unknown, widths: readonly number[]): number[][] | undefined {
	const length = widths.reduce((sum, chars) => sum + chars, 0);
	if (typeof text !== 'string' || !/^[\w-]*$/.test(text) || text.length % length !== 0)
		return undefined;
	const rows: number[][] = [];
	for (let at = 0; at < text.length; ) {
		rows.push(widths.map((chars) => numberOf(text.slice(at, (at += chars)))));
	}
	return rows;
}

/** A number in this many characters of base64url. */
function digits(number: number, chars: number): string {
	let text = '';
	for (let left = number, i = 0; i < chars; i++, left = Math.floor(left / 64))
		text = (ALPHABET[left % 64] ?? '') + text;
	return text;
}

const numberOf = (text: string): number =>
	Array.from(text, (char) => ALPHABET.indexOf(char)).reduce((sum, value) => sum * 64 + value, 0);

/** Whether a value is a whole number from 0. */
export const isCount = (value: unknown): value is number =>
	Number.isSafeInteger(value) && (value as number) >= 0;
