import type { MessageLimits } from '../limits';
import type { Listing } from './chatList';
import type { Message } from './message';
import type { ChatReads, ReadChat } from './reads';
import type { MessageState, TrackedChat } from './state';
import { MAX_TRUST, messageKey, wasRead } from './state';
import type { MessageSubscription } from './subscription';
import { mayBeginToMatch } from './subscription';

/** How far the time of a message may lie before the time at which its chat appears in the list, in milliseconds. */
const MARGIN_MS = 120_000;

/** So long after a message, its row may still be unchanged, in milliseconds: it was read before, or is updated late. */
const ROW_DELAY_MS = 5_000;

/** The IDs of messages are kept for this long, in milliseconds. */
const SEEN_MS = 2 * 3_600_000;

/** The clocks are compared by the last polls with new messages: as many as this. */
const AGES = 5;

/**
 * The beginnings of so many passes through the list are kept. A chat that is not known was missing in the two passes
 * before the current one; one of them may have missed it, because rows shift between pages.
 */
const PASSES = 3;

/** At most this many chats are to be read once more, and to be tried again. */
const MAX_AGAIN = 50;
const MAX_FAILING = 500;

/**
 * With another token, the least share of the listed chats that must be known for it to belong to the same organization.
 */
const SAME_ORGANIZATION = 0.02;

/** A chat and its new messages, oldest first. */
export interface ChatNews {
	read: ReadChat;
	news: Message[];
}

const secondsUp = (ms: number): number => Math.ceil(ms / 1_000);

/** Before the first poll. Everything up to now was there before, if the clocks agree. */
export function emptyState(now: number): MessageState {
	const start = secondsUp(now);
	return {
		start,
		chats: new Map(),
		seenSince: start,
		seen: new Map(),
		ages: [],
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

/** Whether the list is that of the same organization, although the token is another one. */
export function recognizes({ chats }: MessageState, { chats: listed }: Listing): boolean {
	const known = listed.filter(({ key }) => chats.has(key));
	return known.length >= listed.length * SAME_ORGANIZATION;
}

/**
 * By how much the service's clock is behind this machine's, in milliseconds; negative if it is ahead, undefined while
 * unknown. The median, so that one wrong time makes no difference.
 */
function lagOf({ ages }: Pick<MessageState, 'ages'>): number | undefined {
	return [...ages].sort((one, other) => one - other)[Math.floor(ages.length / 2)];
}

/**
 * Adds the chats that are not known yet. They were missing in the passes before: their messages since then are new. In the
 * first pass, they may have been there before: only messages since the start are new.
 */
export function withListed(
	state: MessageState,
	{ chats: listed }: Listing,
	subscription: MessageSubscription,
	isFirstPoll: boolean,
): MessageState {
	const { start, passes } = state;
	const lag = lagOf(state);
	const isFirstPass = passes.length === 1;
	// A clock that is ahead makes no message older.
	const since = (passes[0] ?? 0) - Math.max(0, lag ?? 0) - MARGIN_MS;
	// The service's clock may be hours behind. If a chat can begin to match a filter, its old messages would count as new.
	const isSinceStart = lag === undefined && !mayBeginToMatch(subscription);
	const readTo = isSinceStart ? start : Math.max(start, Math.floor(since / 1_000));
	const chats = new Map(state.chats);
	for (const { key, mark, page } of listed) {
		if (chats.has(key)) continue;
		// The first page was read by the poll before as well: a chat that it has only now is new, or has a new message.
		const wasThere = isFirstPass && (isFirstPoll || page > 1);
		chats.set(key, { mark: wasThere ? mark : 0, readTo });
	}
	return { ...state, chats };
}

/** The new messages of a chat that are to be emitted, oldest first. */
export function newsOf(read: ReadChat, state: MessageState): ChatNews {
	const { chat, known, messages } = read;
	const news = messages.filter(
		(message) => message.isWanted && !wasRead(message, chat.id, known, state),
	);
	const byTime = news.reverse().sort((one, other) => (one.time ?? 0) - (other.time ?? 0));
	return { read, news: byTime };
}

/**
 * The state that the first poll continues with, instead of the one that it began with.
 *
 * If it read all chats, it knows the newest message of all of them, whatever the service's clock shows. Otherwise the
 * clocks must agree: what chats that it did not read received until now was there before.
 */
export function firstState(state: MessageState, listing: Listing, reads: ChatReads): MessageState {
	const isWholeList = listing.next === 1 && !listing.skipped;
	const isAllRead = isWholeList && reads.read.length === listing.chats.length;
	const all = reads.read.flatMap(({ messages }) => messages);
	const newest = newestOf(all.filter(({ isWanted }) => isWanted)) || newestOf(all);
	// A time that is ahead does not make those of new chats old.
	const start = isAllRead && newest > 0 ? Math.min(newest, state.start) : state.start;
	const chats = new Map<number, TrackedChat>();
	for (const [key, { mark }] of state.chats) chats.set(key, { mark, readTo: start });
	for (const { chat, messages } of reads.read) {
		const readTo = newestOf(messages, state.start * 1_000) || start;
		chats.set(chat.key, { mark: chat.mark, readTo });
	}
	return { ...state, start, seenSince: start, chats };
}

/** The state after a poll. */
export function nextState(
	state: MessageState,
	listing: Listing,
	reads: ChatReads,
	news: readonly ChatNews[],
	now: number,
	limits: MessageLimits,
): MessageState {
	const ages = agesAfter(state, news, now);
	const lag = lagOf({ ages });
	const serviceNow = now - Math.max(0, lag ?? 0);
	const chats = new Map(state.chats);
	for (const { chat, messages } of reads.read) {
		const newest = newestOf(messages, serviceNow);
		const readTo = Math.max(chats.get(chat.key)?.readTo ?? 0, newest);
		// Moved to the end: it is the most recently read one.
		chats.delete(chat.key);
		chats.set(chat.key, { mark: chat.mark, readTo });
	}
	for (const key of [...chats.keys()].slice(0, Math.max(0, chats.size - limits.chats)))
		chats.delete(key);
	return {
		...state,
		...seenAfter(state, reads.read, lag === undefined ? 0 : serviceNow - SEEN_MS, limits),
		...queuesAfter(state, chats, reads, news),
		ages,
		trust: trustAfter(state, news, now),
		passes: passesAfter(state, listing),
		page: listing.next,
		chats,
	};
}

/** A pass that left out a page may have missed chats: it counts as if it had begun with the one before. */
function passesAfter({ passes }: MessageState, { skipped }: Listing): readonly number[] {
	const [before] = passes.slice(-2);
	return skipped && before !== undefined ? [...passes.slice(0, -1), before] : passes;
}

/**
 * Remembers the messages that were read, and forgets the oldest ones.
 *
 * @param oldest messages up to this time are forgotten, in milliseconds
 */
function seenAfter(
	state: MessageState,
	read: readonly ReadChat[],
	oldest: number,
	{ ids: most }: MessageLimits,
): Pick<MessageState, 'seenSince' | 'seen'> {
	const seen = new Map(state.seen);
	for (const { chat, messages } of read)
		for (const message of messages)
			if (message.isWanted) seen.set(messageKey(chat.id, message), secondsUp(message.time ?? 0));
	const times = [...seen.values()].sort((one, other) => other - one);
	const seenSince = Math.max(state.seenSince, Math.floor(oldest / 1_000), times[most] ?? 0);
	return { seenSince, seen: new Map([...seen].filter(([, time]) => time > seenSince)) };
}

/** @param chats after the poll */
function queuesAfter(
	{ chats: before, again, failing }: MessageState,
	chats: MessageState['chats'],
	{ read, failed }: ChatReads,
	news: readonly ChatNews[],
): Pick<MessageState, 'again' | 'failing'> {
	const isRead = new Set(read.map(({ chat }) => chat.key));
	const isFailed = new Set(failed);
	const isSame = (key: number): boolean => before.get(key)?.readTo === chats.get(key)?.readTo;
	const late = news
		.filter((one) => one.read.reason === 'changed' && one.news.length === 0)
		.map((one) => one.read.chat.key)
		.filter(isSame);
	return {
		again: [...again.filter((key) => !isRead.has(key)), ...late].slice(-MAX_AGAIN),
		failing: [...failing.filter((key) => !isRead.has(key) && !isFailed.has(key)), ...failed].slice(
			-MAX_FAILING,
		),
	};
}

/** Chats that appear are left out: their messages may have been there before. */
function agesAfter({ ages }: MessageState, news: readonly ChatNews[], now: number): number[] {
	const found = news
		.filter(({ read }) => read.known.mark !== 0)
		.flatMap((one) => one.news.map(({ time = 0 }) => now - time));
	if (found.length === 0) return [...ages];
	return [...ages, found.reduce((least, age) => Math.min(least, age))].slice(-AGES);
}

function trustAfter(state: MessageState, news: readonly ChatNews[], now: number): number {
	const lag = lagOf(state) ?? 0;
	const isShown = ({ time = 0 }: Message): boolean => time <= now - lag - ROW_DELAY_MS;
	const isSilent = (one: ChatNews): boolean => one.read.reason === 'turn' && one.news.some(isShown);
	if (news.some(isSilent)) return 0;
	const shown = news.filter(
		({ read: { reason, known }, news: found }) =>
			reason === 'changed' && known.mark !== 0 && found.length > 0,
	);
	return Math.min(MAX_TRUST, state.trust + shown.length);
}

/**
 * In seconds, rounded up; 0 without a time.
 *
 * @param latest the time of messages that are not to be emitted counts up to this one: those that agents sent may have
 *   another clock, and must not make the customer's old
 */
function newestOf(messages: readonly Message[], latest = Infinity): number {
	const times = messages.map(({ time = 0, isWanted }) =>
		isWanted ? time : Math.min(time, latest),
	);
	return secondsUp(times.reduce((newest, time) => Math.max(newest, time), 0));
}
