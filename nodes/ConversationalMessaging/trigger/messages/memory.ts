import { keyOf } from '../keys';
import type { Listing } from './chatList';
import type { Message } from './history';
import type { MessageLimits } from './limits';
import type { ChatReads, ReadChat } from './reads';
import type { Generation, MessageState, TrackedChat } from './state';
import { MAX_TRUST } from './state';

/** How far the time of a message may lie before the time at which its chat appears in the list, in milliseconds. */
const MARGIN_MS = 120_000;

/** So long after a message, its row may still be unchanged, in milliseconds: it was read before, or is updated late. */
const ROW_DELAY_MS = 5_000;

/** A generation of message IDs is the current one for this long, in milliseconds. */
const GENERATION_MS = 3_600_000;

/**
 * The beginnings of so many passes through the list are kept. A chat that is not known was missing in the two passes
 * before the current one; one of them may have missed it, because rows shift between pages.
 */
const PASSES = 3;

/** At most this many chats are to be read once more, and to be tried again. */
const MAX_AGAIN = 50;
const MAX_FAILING = 500;

/** A chat and its new messages, oldest first. */
export interface ChatNews {
	chat: ReadChat;
	news: Message[];
}

const secondsUp = (ms: number): number => Math.ceil(ms / 1_000);

/** Services may number the messages of each chat from 1. */
const messageKey = ({ chat }: ReadChat, { id }: Message): number => keyOf(`${chat.id} ${id}`);

/** Before the first poll. Everything up to now was there before, if the clocks agree. */
export function emptyState(now: number): MessageState {
	const start = secondsUp(now);
	const generation: Generation = { from: start, ids: new Set() };
	return {
		start,
		chats: new Map(),
		seen: [generation, generation],
		turnedAt: now,
		newest: 0,
		passes: [now],
		page: 1,
		again: [],
		failing: [],
		trust: 0,
	};
}

/** The state at the start of any other poll. */
export function beginPoll(state: MessageState, now: number): MessageState {
	if (state.page !== 1) return state;
	return { ...state, passes: [...state.passes, now].slice(-PASSES) };
}

/**
 * Adds the chats that are not known yet. They were missing in the passes before: their messages since then are new. In the
 * first pass, they may have been there before: only messages since the start are new.
 */
export function withListed(
	state: MessageState,
	{ chats: listed }: Listing,
	isFirstPoll: boolean,
): MessageState {
	const { start, passes, lag = 0 } = state;
	const isFirstPass = passes.length === 1;
	// A clock that is ahead makes no message older, and one wrong time must not make all others old.
	const since = Math.floor(((passes[0] ?? 0) - Math.max(0, lag) - MARGIN_MS) / 1_000);
	const chats = new Map(state.chats);
	for (const { key, mark, page } of listed) {
		if (chats.has(key)) continue;
		// The first page was read by the poll before as well: a chat that it has only now is new, or has a new message.
		const wasThere = isFirstPass && (isFirstPoll || page > 1);
		chats.set(key, { mark: wasThere ? mark : 0, readTo: Math.max(start, since) });
	}
	return { ...state, chats };
}

/** The new messages of a chat (see `MessageState`), oldest first. */
export function newsOf(chat: ReadChat, { seen }: Pick<MessageState, 'seen'>): ChatNews {
	const { known, messages } = chat;
	const [older, current] = seen;
	const isNew = (message: Message): boolean => {
		const { time } = message;
		if (time === undefined) return false;
		const key = messageKey(chat, message);
		if (older.ids.has(key) || current.ids.has(key)) return false;
		// What was in a chat before it was read for the first time is not in `seen`.
		return time > known.readTo * 1_000 || (known.mark !== 0 && time > older.from * 1_000);
	};
	const news = messages.filter(isNew).reverse();
	return { chat, news: news.sort((one, other) => (one.time ?? 0) - (other.time ?? 0)) };
}

/**
 * The state after the first poll. If it read all chats, it knows the newest message of all of them, whatever the
 * service's clock shows. Otherwise the clocks must agree: what chats that it did not read received until now was there
 * before.
 */
export function firstState(state: MessageState, listing: Listing, reads: ChatReads): MessageState {
	const newest = newestIn(reads.read);
	const isWholeList = listing.next === 1 && !listing.skipped;
	const isAllRead = isWholeList && reads.read.length === listing.chats.length;
	const start = isAllRead && newest > 0 ? newest : Math.max(state.start, newest);
	const chats = new Map<number, TrackedChat>();
	for (const [key, { mark }] of state.chats) chats.set(key, { mark, readTo: start });
	for (const { chat, messages } of reads.read) {
		chats.delete(chat.key);
		chats.set(chat.key, { mark: chat.mark, readTo: newestOf(messages) || start });
	}
	const generation: Generation = { from: start, ids: new Set() };
	return {
		...state,
		start,
		chats,
		seen: [generation, generation],
		newest,
		page: listing.next,
		failing: reads.failed,
	};
}

/** The state after any other poll. */
export function nextState(
	state: MessageState,
	listing: Listing,
	reads: ChatReads,
	news: readonly ChatNews[],
	now: number,
	limits: MessageLimits,
): MessageState {
	const chats = new Map(state.chats);
	for (const { chat, known, messages } of reads.read) {
		// Moved to the end: it is the most recently read one.
		chats.delete(chat.key);
		const readTo = Math.max(known.readTo, newestOf(messages));
		chats.set(chat.key, { mark: chat.mark, readTo });
	}
	for (const key of [...chats.keys()].slice(0, Math.max(0, chats.size - limits.chats)))
		chats.delete(key);
	return {
		...state,
		...seenAfter(state, reads.read, now, limits),
		...queuesAfter(state, reads, news),
		lag: lagAfter(state, news, now),
		trust: trustAfter(state, news, now),
		page: listing.next,
		chats,
	};
}

/** Remembers the messages that were read. A generation that is full, or old, becomes the older one. */
function seenAfter(
	{ seen, newest: before, turnedAt }: MessageState,
	read: readonly ReadChat[],
	now: number,
	{ ids: most }: MessageLimits,
): Pick<MessageState, 'seen' | 'newest' | 'turnedAt'> {
	let [older, current] = seen;
	let began = turnedAt;
	const newest = Math.max(before, newestIn(read));
	const turn = (): void => {
		older = current;
		current = { from: Math.max(newest, current.from), ids: new Set() };
		began = now;
	};
	for (const chat of read) {
		if (current.ids.size >= most) turn();
		const { from } = older;
		const recent = chat.messages.filter(({ time = 0 }) => time > from * 1_000);
		const keys = recent.map((message) => messageKey(chat, message));
		current = { from: current.from, ids: new Set([...current.ids, ...keys]) };
	}
	if (now - began >= GENERATION_MS) turn();
	return { seen: [older, current], newest, turnedAt: began };
}

function queuesAfter(
	{ again, failing }: MessageState,
	{ read, failed }: ChatReads,
	news: readonly ChatNews[],
): Pick<MessageState, 'again' | 'failing'> {
	const isRead = new Set(read.map(({ chat }) => chat.key));
	const isFailed = new Set(failed);
	const late = news
		.filter(({ chat, news: found }) => chat.reason === 'changed' && found.length === 0)
		.map(({ chat }) => chat.chat.key);
	return {
		again: [...again.filter((key) => !isRead.has(key)), ...late].slice(-MAX_AGAIN),
		failing: [...failing.filter((key) => !isRead.has(key) && !isFailed.has(key)), ...failed].slice(
			-MAX_FAILING,
		),
	};
}

/** Chats that appear are left out: their messages may have been there before. */
function lagAfter(
	{ lag }: MessageState,
	news: readonly ChatNews[],
	now: number,
): number | undefined {
	const ages = news
		.filter(({ chat }) => chat.known.mark !== 0)
		.flatMap(({ news: found }) => found.map(({ time = 0 }) => now - time));
	return ages.length === 0 ? lag : Math.min(...ages);
}

function trustAfter(
	{ trust, lag = 0 }: MessageState,
	news: readonly ChatNews[],
	now: number,
): number {
	const isShown = ({ time = 0 }: Message): boolean => time <= now - lag - ROW_DELAY_MS;
	const isSilent = ({ chat: { reason }, news: found }: ChatNews): boolean =>
		reason === 'turn' && found.some(isShown);
	if (news.some(isSilent)) return 0;
	const shown = news.filter(
		({ chat: { reason, known }, news: found }) =>
			reason === 'changed' && known.mark !== 0 && found.length > 0,
	);
	return Math.min(MAX_TRUST, trust + shown.length);
}

/** In seconds, rounded up; 0 without a time. */
const newestOf = (messages: readonly Message[]): number =>
	secondsUp(messages.reduce((newest, { time = 0 }) => Math.max(newest, time), 0));

const newestIn = (read: readonly ReadChat[]): number =>
	read.reduce((newest, { messages }) => Math.max(newest, newestOf(messages)), 0);
