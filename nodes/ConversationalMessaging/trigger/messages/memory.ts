import { isLocalTime } from '../../api/response/chatMessage';
import type { MessageLimits } from '../limits';
import type { Listing } from './chatList';
import type { Message } from './message';
import type { ChatReads, ReadChat } from './reads';
import type { MessageState } from './state';
import { MARGIN_MS, MAX_TRUST, messageKey, oldUntil, startOf, wasRead } from './state';
import type { MessageSubscription } from './subscription';
import { mayBeginToMatch } from './subscription';

/** If the clocks do not agree, messages may show times that are behind by this, in milliseconds: those of a time zone. */
const MAX_BEHIND_MS = 12 * 3_600_000;

/** So long after a message, its row may still be unchanged, in milliseconds: it was read before, or is updated late. */
const ROW_DELAY_MS = 5_000;

/**
 * The beginnings of so many passes through the list are kept. A chat that is not known was missing in the two passes
 * before the current one; one of them may have missed it, because rows shift between pages.
 */
const PASSES = 3;

/** At most this many chats are kept that are to be read once more, and that could not be read. */
const MOST_AGAIN = 50;
const MOST_FAILING = 500;

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
		seenSince: 0,
		seen: new Map(),
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
 * Adds the chats that are not known yet. They were missing in the passes before, or have messages that are newer than the kept
 * IDs: these are new. In the first pass, they may have been there before: only messages since the start are new, and none if
 * the clocks do not agree. A chat that can begin to match the filters has old messages: only those since the passes are new.
 */
export function withListed(
	state: MessageState,
	{ chats: listed }: Listing,
	subscription: MessageSubscription,
	isFirstPoll: boolean,
): MessageState {
	const { passes, seenSince, clocksAgree } = state;
	const isFirstPass = passes.length <= 1;
	const since = Math.floor((leastTime(passes[0] ?? 0, state) - MARGIN_MS) / 1_000);
	const isUnread = [...state.chats.values()].some((known) => known.readTo === Infinity);
	// While the clocks are unknown, what is newer than all that was read cannot have been there before.
	const newest = clocksAgree === undefined && isUnread ? Infinity : seenSince;
	const start = startOf(state) ?? newest;
	const isRecent = mayBeginToMatch(subscription);
	const readTo = Math.max(start, isRecent ? since : Math.min(since, seenSince));
	const chats = new Map(state.chats);
	for (const { key, mark, page } of listed) {
		if (chats.has(key)) continue;
		// The first page was read by the poll before as well: a chat that it has only now is new, or has a new message. Its
		// old ones are recognized if the clocks are known.
		const wasThere = isFirstPass && (isFirstPoll || page > 1 || !clocksAgree);
		chats.set(key, wasThere ? { mark, readTo: Infinity } : { mark: 0, readTo });
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
 * Compares the clocks once messages have been read: they agree if responses have a `Date` header, and times have an offset
 * and are not ahead of it.
 */
export function withClocks(
	state: MessageState,
	{ sentAt }: Listing,
	{ read }: ChatReads,
	{ timeField }: MessageSubscription,
): MessageState {
	const messages = read.flatMap((chat) => chat.messages);
	if (state.clocksAgree !== undefined || messages.length === 0) return state;
	const isLocal = messages.some(({ record }) => isLocalTime(record, timeField));
	const latest = (sentAt ?? 0) + MARGIN_MS;
	const ahead = messages.filter(({ time = 0, isWanted }) => isWanted && time > latest);
	// One time alone may be wrong.
	const agree = sentAt !== undefined && !isLocal && ahead.length < 2;
	return agree ? agreed(state) : { ...state, clocksAgree: false };
}

/** Before the first messages, a history is read as if the clocks agreed, if they may. */
export const toRead = (state: MessageState, { sentAt }: Listing): MessageState =>
	state.clocksAgree === undefined && sentAt !== undefined ? agreed(state) : state;

/** The IDs of the second of the start are kept: more messages may arrive in it. */
const agreed = (state: MessageState): MessageState => ({
	...state,
	clocksAgree: true,
	seenSince: Math.max(state.seenSince, state.start - 1),
});

/** The least time that a message shows that is sent at a time of the service, both in milliseconds. */
const leastTime = (time: number, { clocksAgree }: MessageState): number =>
	clocksAgree === false ? time - MAX_BEHIND_MS : time;

/** The state after a poll. */
export function nextState(
	state: MessageState,
	listing: Listing,
	reads: ChatReads,
	news: readonly ChatNews[],
	now: number,
	limits: MessageLimits,
): MessageState {
	const chats = new Map(state.chats);
	for (const { chat, messages, known } of reads.read) {
		const newest = newestOf(messages, state.clocksAgree ? now : undefined);
		const isFirst = known.mark === 0 || known.readTo === Infinity;
		// From its first reading on, only the times of its own messages count. An empty one may have been returned incompletely.
		const ifEmpty = state.clocksAgree ? oldUntil(known, state) : 0;
		const before = isFirst ? newest || ifEmpty : known.readTo;
		const after = { mark: chat.mark, readTo: Math.max(before, newest) };
		// Without a time, its messages do not show how far it was read.
		const isUntimed = isFirst && newest === 0 && messages.length > 0;
		// Moved to the end: it is the most recently read one.
		chats.delete(chat.key);
		chats.set(chat.key, isUntimed ? known : after);
	}
	for (const key of [...chats.keys()].slice(0, Math.max(0, chats.size - limits.chats)))
		chats.delete(key);
	return {
		...state,
		...seenAfter(state, reads.read, now, limits),
		...queuesAfter(state, chats, reads, news),
		trust: trustAfter(state, news, now),
		passes: passesAfter(state, listing),
		page: listing.next,
		chats,
	};
}

/**
 * A pass that left out a page may have missed chats: it counts as if it had begun with the one before. The first one is
 * repeated while the clocks are unknown: of a chat that was there, no time shows that.
 */
function passesAfter(state: MessageState, { skipped }: Listing): readonly number[] {
	const { passes } = state;
	const [before] = passes.slice(-2);
	if (skipped.length === 0 || before === undefined) return passes;
	if (passes.length <= 1) return state.clocksAgree ? passes : [];
	return [...passes.slice(0, -1), before];
}

/** Remembers the messages that were read, and forgets the oldest ones. */
function seenAfter(
	state: MessageState,
	read: readonly ReadChat[],
	now: number,
	{ ids: most, seenMs }: MessageLimits,
): Pick<MessageState, 'seenSince' | 'seen'> {
	const seen = new Map(state.seen);
	for (const { chat, messages } of read)
		for (const message of messages)
			if (message.isWanted && message.time !== undefined)
				seen.set(messageKey(chat.id, message), secondsUp(message.time));
	const times = [...seen.values()].sort((one, other) => other - one);
	// If the clocks do not agree, a chat that is listed for the first time is judged by the IDs that are kept.
	const latest = state.clocksAgree ? now : leastTime(state.passes[0] ?? 0, state);
	// If this machine's clock is ahead, the newest message shows that.
	const oldest = Math.min(Math.floor(latest / 1_000), times[0] ?? 0) - seenMs / 1_000;
	// Nothing shows which of the older messages of such a chat were read.
	const unknown = read
		.filter(({ known }) => oldUntil(known, state) === Infinity)
		.map(
			({ messages }) => newestOf(messages.filter(({ isWanted }) => isWanted)) || newestOf(messages),
		);
	const seenSince = Math.max(state.seenSince, oldest, times[most] ?? 0, ...unknown);
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
		again: [...again.filter((key) => !isRead.has(key)), ...late].slice(-MOST_AGAIN),
		failing: [...failing.filter((key) => !isRead.has(key) && !isFailed.has(key)), ...failed].slice(
			-MOST_FAILING,
		),
	};
}

function trustAfter(state: MessageState, news: readonly ChatNews[], now: number): number {
	const isShown = ({ time = 0 }: Message): boolean =>
		!state.clocksAgree || time <= now - ROW_DELAY_MS;
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
