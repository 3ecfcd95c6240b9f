import type { ListedChat } from './chatList';
import type { MessageState, TrackedChat } from './state';

/** Why the messages of a chat are read. */
type Reason =
	/** Its row changed, or it is new. */
	| 'changed'
	/** Its row changed before, without a new message. */
	| 'again'
	/** It is its turn. */
	| 'turn'
	/** It could not be read before. */
	| 'failing';

export interface SelectedChat {
	chat: ListedChat;
	known: TrackedChat;
	reason: Reason;
}

/** The chats that a poll reads, in this order. */
export interface Selection {
	/** What every poll reads. */
	first: SelectedChat[];
	/** More chats that could not be read before: after an outage, all of them can be read again. */
	failing: SelectedChat[];
	/** More quiet chats. */
	turns: SelectedChat[];
}

/** Quiet chats that every poll reads: they show whether rows can be relied on. */
const TURNS_PER_POLL = 2;

/** Chats that one poll reads once more. */
const AGAIN_PER_POLL = 10;

/** Chats that could not be read before and that one poll tries, but not more than a quarter of all. */
const FAILING_PER_POLL = 4;

/**
 * Which chats a poll reads: a few that could not be read before, two quiet ones, those whose rows changed, and those that may
 * have messages that were stored late; then more of the first two. Quiet ones are read in rotation, the fewer the more often
 * rows have shown new messages.
 *
 * @param listed chats of the list; all of them are in `state`
 * @param requests how many this poll may send for them; a chat takes one at least
 */
export function selectChats(
	listed: readonly ListedChat[],
	{ chats, again, failing, trust }: MessageState,
	requests: number,
): Selection {
	const byKey = new Map(listed.map((chat) => [chat.key, chat]));
	// Least recently read first, as in `chats`.
	const waiting = [...chats].flatMap(([key, known]): SelectedChat[] => {
		const chat = byKey.get(key);
		return chat ? [{ chat, known, reason: reasonOf(chat, known) }] : [];
	});
	const waitingByKey = new Map(waiting.map((one) => [one.chat.key, one]));
	const inOrderOf = (keys: readonly number[]): SelectedChat[] =>
		keys.flatMap((key) => waitingByKey.get(key) ?? []);
	const of = (wanted: Reason, some = waiting): SelectedChat[] =>
		some.filter(({ reason }) => reason === wanted);

	const failed = inOrderOf(failing);
	const tried = failed.slice(0, Math.min(FAILING_PER_POLL, Math.ceil(requests / 4)));
	const room = Math.max(1, requests - TURNS_PER_POLL - tried.length);
	// Half by waiting time, and half from the head of the list, where many services show chats with new messages.
	const byPlace = of('changed', inOrderOf([...byKey.keys()]));
	const alternating = of('changed').flatMap((one, i) => [one, byPlace[i] ?? one]);
	const changed = [...new Set(alternating)].slice(0, room);
	const repeated = of('again').slice(0, Math.min(AGAIN_PER_POLL, room - changed.length));
	const left = room - changed.length - repeated.length;
	const turns = of('turn');
	const mostTurns = Math.max(TURNS_PER_POLL, (left + TURNS_PER_POLL) >> trust);
	return {
		first: [...tried, ...turns.slice(0, TURNS_PER_POLL), ...changed, ...repeated],
		failing: failed.slice(tried.length, tried.length + left),
		turns: turns.slice(TURNS_PER_POLL, mostTurns),
	};

	function reasonOf({ key, mark }: ListedChat, known: TrackedChat): Reason {
		if (failing.includes(key)) return 'failing';
		if (known.mark !== mark) return 'changed';
		return again.includes(key) ? 'again' : 'turn';
	}
}
