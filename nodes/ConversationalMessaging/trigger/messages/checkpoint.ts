import { isRecord } from '../../api/response';
import { decodeKeys, encodeKeys } from '../keySet';
import { isCount, isTexts } from '../values';
import type { MessageBaseline, TrackedChat } from './baseline';
import type { ChannelNumbers, CountEvidence } from './counts';
import type { HistoryEvidence } from './historyOrder';
import type { MessageLimits } from './limits';
import { ANCHORS, MESSAGE_LIMITS } from './limits';
import type { ListPass } from './listPass';
import type { OrderEvidence } from './listOrder';

/** What is kept of Message Received. */
export interface MessageCheckpoint {
	/** What the baseline belongs to: credential, base URL, workflow, node and filters. */
	scope: string;
	/** The number of consecutive incomplete polls. */
	failures: number;
	/** Missing until a first poll was complete. */
	baseline?: MessageBaseline;
}

/** Characters of base64url per chat: its mark, and its newest message. */
const MARK_CHARS = 4;
const MESSAGE_CHARS = 5;

/** In place of the hash of the newest message. */
const NOT_READ = 0;
const EMPTY = 1;
const REJECTED = 2;
/** The same for a new chat: all of its messages are new once it can be read. */
const REJECTED_EMPTY = 3;

/**
 * The checkpoint as a value for JSON. A chat takes about 14 characters: its key in the code of `keySet.ts`, then its
 * mark and its newest message in as many characters each; for those with the most recent messages, `recent` has the
 * other known messages. Of too many chats, those without news for the longest time are left out.
 */
export function saved(
	{ baseline, ...rest }: MessageCheckpoint,
	limits: MessageLimits = MESSAGE_LIMITS,
): unknown {
	if (!baseline) return rest;
	const { chats, ...others } = baseline;
	const kept = [...chats].slice(-limits.chats);
	const recent = kept
		.slice(Math.max(0, kept.length - limits.recentChats))
		.flatMap(([key, { seen }]) => (seen && seen.length > 1 ? [[key, ...seen.slice(1)]] : []));
	const sorted = kept.sort(([one], [other]) => one - other);
	const values = sorted.map(
		([, chat]) => digits(chat.mark, MARK_CHARS) + digits(newestIn(chat), MESSAGE_CHARS),
	);
	return {
		...rest,
		baseline: {
			...others,
			keys: encodeKeys(sorted.map(([key]) => key)),
			values: values.join(''),
			recent: recent.map((entry) => entry.map((number) => number.toString(36)).join('.')).join(' '),
		},
	};
}

function newestIn({ seen, isRejected }: TrackedChat): number {
	if (isRejected) return seen ? REJECTED_EMPTY : REJECTED;
	return seen ? (seen[0] ?? EMPTY) : NOT_READ;
}

/** The opposite of `newestIn`. */
function chatOf(mark: number, newest: number): TrackedChat {
	if (newest === NOT_READ) return { mark };
	if (newest === REJECTED) return { mark, isRejected: true };
	if (newest === REJECTED_EMPTY) return { mark, seen: [], isRejected: true };
	return { mark, seen: newest === EMPTY ? [] : [newest] };
}

/** @returns undefined for a value that this version cannot read */
export function readSaved(value: unknown): MessageCheckpoint | undefined {
	if (!isRecord(value) || typeof value.scope !== 'string' || !isCount(value.failures))
		return undefined;
	const { scope, failures } = value;
	if (value.baseline === undefined) return { scope, failures };
	const baseline = readBaseline(value.baseline);
	return baseline && { scope, failures, baseline };
}

function readBaseline(value: unknown): MessageBaseline | undefined {
	if (!isRecord(value)) return undefined;
	const { startedAt, since, latest, method, volatile, idlePolls, polls, cursor } = value;
	const { rounds, isPending, shownFor, again, listings } = value;
	const numbers = [startedAt, since, latest, idlePolls, polls, listings, cursor];
	if (!numbers.every(isCount) || !isTexts(volatile) || !isRecord(rounds)) return undefined;
	if (method !== 'rows' && method !== 'turns') return undefined;
	const { began, before } = rounds;
	const order = readOrder(value.order);
	const histories = readHistories(value.histories);
	// Without these, polls read more than they need, but find the same messages.
	const counts = readCounts(value.counts);
	const list = readPass(value.list);
	const chats = readChats(value.keys, value.values, value.recent);
	if (!order || !histories || !chats || !isKeys(again) || !isCount(began) || !isCount(before))
		return undefined;
	return {
		startedAt: startedAt as number,
		since: since as number,
		latest: latest as number,
		method,
		volatile,
		order,
		histories,
		again,
		idlePolls: idlePolls as number,
		...(counts && { counts }),
		polls: polls as number,
		listings: listings as number,
		cursor: cursor as number,
		rounds: { began, before },
		isPending: isPending === true,
		...(list && { list }),
		...(typeof shownFor === 'string' && { shownFor }),
		chats,
	};
}

function readOrder(value: unknown): OrderEvidence | undefined {
	if (!isRecord(value) || !isCount(value.proofs) || !isCount(value.head)) return undefined;
	return { proofs: value.proofs, head: value.head };
}

function readHistories(value: unknown): HistoryEvidence | undefined {
	if (!isRecord(value) || !isCount(value.newestFirst) || !isCount(value.oldestFirst))
		return undefined;
	return { newestFirst: value.newestFirst, oldestFirst: value.oldestFirst };
}

const isKeys = (value: unknown): value is number[] => Array.isArray(value) && value.every(isCount);

function readPass(value: unknown): ListPass | undefined {
	if (!isRecord(value)) return undefined;
	const { page, began, passes, isComplete, isPending } = value;
	if (!isCount(page) || !isCount(began) || !isCount(passes)) return undefined;
	return { page, began, passes, isComplete: isComplete === true, isPending: isPending === true };
}

function readCounts(value: unknown): CountEvidence | undefined {
	if (!isRecord(value) || !isTexts(value.channels)) return undefined;
	const { channels, numbers, before, readAt, hadNews, proofs, owed, owedReads, isExact } = value;
	if (!isNumbers(numbers) || !isNumbers(before)) return undefined;
	if (!isCount(readAt) || !isCount(proofs) || typeof owed !== 'number' || !isCount(owedReads))
		return undefined;
	return {
		channels,
		numbers,
		before,
		readAt,
		hadNews: hadNews === true,
		proofs,
		owed,
		owedReads,
		isExact: isExact === true,
	};
}

const isNumbers = (value: unknown): value is ChannelNumbers =>
	Array.isArray(value) && value.every(isKeys);

function readChats(
	keys: unknown,
	values: unknown,
	recent: unknown,
): Map<number, TrackedChat> | undefined {
	if (typeof keys !== 'string' || typeof values !== 'string' || typeof recent !== 'string')
		return undefined;
	const all = decodeKeys(keys);
	const size = MARK_CHARS + MESSAGE_CHARS;
	if (all?.length !== values.length / size) return undefined;
	const chats = new Map<number, TrackedChat>();
	for (const [i, key] of all.entries()) {
		const text = values.slice(i * size, (i + 1) * size);
		const mark = numberOf(text.slice(0, MARK_CHARS));
		const newest = numberOf(text.slice(MARK_CHARS));
		if (mark === undefined || newest === undefined) return undefined;
		chats.set(key, chatOf(mark, newest));
	}
	for (const entry of recent.split(' ').filter(Boolean)) {
		const [key = NaN, ...others] = entry.split('.').map((text) => parseInt(text, 36));
		const chat = chats.get(key);
		if (!chat?.seen || others.length >= ANCHORS || !others.every(isCount)) return undefined;
		chats.delete(key);
		chats.set(key, { ...chat, seen: [...chat.seen, ...others] });
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

function numberOf(text: string): number | undefined {
	const values = Array.from(text, (char) => ALPHABET.indexOf(char));
	return values.includes(-1) ? undefined : values.reduce((sum, value) => sum * 64 + value, 0);
}
