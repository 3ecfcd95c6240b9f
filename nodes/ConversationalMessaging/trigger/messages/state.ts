import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../api/response';
import { keyOf, shortened } from '../keys';
import { decodeKeys, encodeKeys } from '../keySet';
import { isCount } from '../values';

/** What is kept of a chat. */
export interface TrackedChat {
	/** The fingerprint of its row when its messages were read last, or when it was listed in the first pass; 0 if never. */
	mark: number;
	/** Messages up to this time count as read, in seconds since the epoch by the service's clock, rounded up. */
	readTo: number;
}

/** The messages that were read in a while, as hashes of their IDs. */
export interface Generation {
	/** All messages that were read before have at most this time, in seconds since the epoch by the service's clock. */
	from: number;
	ids: ReadonlySet<number>;
}

/**
 * What is known between two polls.
 *
 * **What makes a message new:** in a chat that has been read, every message that was there then and is newer than
 * `seen[0].from` has its ID in `seen`. So a message is new if it is newer than `readTo` of its chat, or newer than
 * `seen[0].from` and not in `seen`. The order of a history, of the list and of the polls makes no difference.
 */
export interface MessageState {
	/** Messages up to this time were there before, in seconds since the epoch by the service's clock. */
	start: number;
	/** By the hash of the chat's ID, least recently read first. */
	chats: ReadonlyMap<number, TrackedChat>;
	/** The older generation and the current one. */
	seen: readonly [Generation, Generation];
	/** When the current generation began, in milliseconds since the epoch. */
	turnedAt: number;
	/** The time of the newest message that was read, in seconds since the epoch by the service's clock. */
	newest: number;
	/**
	 * How old the newest message was that the last poll with new ones found, in milliseconds: how far the service's clock
	 * may be behind. Missing until there was one.
	 */
	lag?: number;
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

/** What is kept of Message Received. */
export interface MessageCheckpoint {
	/** What the state belongs to: credential, base URL, workflow, node and filters. */
	scope: string;
	/** The number of consecutive incomplete polls. */
	failures: number;
	/** Missing until a first poll was complete. */
	state?: MessageState;
}

const MARK_BITS = 24;

/** The fingerprint of a chat's row: if it differs, the chat may have new messages. Never 0. */
export const rowMark = (row: IDataObject): number =>
	Math.max(1, shortened(keyOf(JSON.stringify(row)), MARK_BITS));

/** Characters of base64url per chat. */
const KEY_CHARS = 7;
const MARK_CHARS = 4;
const TIME_CHARS = 5;
const CHAT_CHARS = KEY_CHARS + MARK_CHARS + TIME_CHARS;

/** Times are kept as seconds since 2020, which five characters hold until 2054. */
const TIME_BASE = Date.UTC(2020, 0) / 1_000;

/** The checkpoint as a value for JSON. A chat has 16 characters, in the order in which chats were read. */
export function saved({ state, ...rest }: MessageCheckpoint): unknown {
	if (!state) return rest;
	const chats = [...state.chats].map(
		([key, { mark, readTo }]) =>
			digits(key, KEY_CHARS) +
			digits(mark, MARK_CHARS) +
			digits(Math.max(0, readTo - TIME_BASE), TIME_CHARS),
	);
	const seen = state.seen.map(({ from, ids }) => ({ from, ids: encodeKeys([...ids]) }));
	return { ...rest, state: { ...state, chats: chats.join(''), seen } };
}

/** @returns undefined for a value that this version cannot read */
export function readSaved(value: unknown): MessageCheckpoint | undefined {
	if (!isRecord(value) || typeof value.scope !== 'string' || !isCount(value.failures))
		return undefined;
	const { scope, failures } = value;
	if (value.state === undefined) return { scope, failures };
	const state = readState(value.state);
	return state && { scope, failures, state };
}

function readState(value: unknown): MessageState | undefined {
	if (!isRecord(value)) return undefined;
	const { start, turnedAt, newest, lag, passes, page, again, failing, trust, shownFor } = value;
	const chats = readChats(value.chats);
	const seen = readSeen(value.seen);
	if (!chats || !seen || !isCounts(passes) || !isCounts(again) || !isCounts(failing))
		return undefined;
	if (!isCount(start) || !isCount(turnedAt) || !isCount(newest)) return undefined;
	if (!isCount(page) || !isCount(trust)) return undefined;
	return {
		...{ start, chats, seen, turnedAt, newest, passes, page, again, failing, trust },
		...(typeof lag === 'number' && { lag }),
		...(typeof shownFor === 'string' && { shownFor }),
	};
}

const isCounts = (value: unknown): value is number[] =>
	Array.isArray(value) && value.every(isCount);

function readSeen(value: unknown): [Generation, Generation] | undefined {
	const generations = Array.isArray(value) ? value.map(readGeneration) : [];
	const [older, current] = generations;
	return older && current && [older, current];
}

function readGeneration(value: unknown): Generation | undefined {
	if (!isRecord(value) || !isCount(value.from) || typeof value.ids !== 'string') return undefined;
	const ids = decodeKeys(value.ids);
	return ids && { from: value.from, ids: new Set(ids) };
}

function readChats(text: unknown): Map<number, TrackedChat> | undefined {
	if (typeof text !== 'string' || !/^[\w-]*$/.test(text) || text.length % CHAT_CHARS !== 0)
		return undefined;
	const chats = new Map<number, TrackedChat>();
	for (let at = 0; at < text.length; at += CHAT_CHARS) {
		const mark = at + KEY_CHARS;
		const time = mark + MARK_CHARS;
		chats.set(numberOf(text.slice(at, mark)), {
			mark: numberOf(text.slice(mark, time)),
			readTo: TIME_BASE + numberOf(text.slice(time, at + CHAT_CHARS)),
		});
	}
	return chats;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A number in this many characters of base64url. */
function digits(number: number, chars: number): string {
	let text = '';
	for (let left = number, i = 0; i < chars; i++, left = Math.floor(left / 64))
		text = (ALPHABET[left % 64] ?? '') + text;
	return text;
}

const numberOf = (text: string): number =>
	Array.from(text, (char) => ALPHABET.indexOf(char)).reduce((sum, value) => sum * 64 + value, 0);
