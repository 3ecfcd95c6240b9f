import type { ListedChat } from './chatList';
import type { MessageState, TrackedChat } from './state';

/** Why the messages of a chat are read. */
export type Reason =
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

/** As many quiet chats are read in every poll, which shows whether rows can be relied on. */
const MIN_TURNS = 2;

/** As many chats are read once more in one poll. */
const MAX_AGAIN = 10;

/** As many chats that could not be read before are tried in one poll, and not more than a quarter of all. */
const MAX_FAILING = 4;

/**
 * Which chats a poll reads: first those whose rows changed, those that may have messages that were stored late, a few that
 * could not be read before, and two quiet ones; then more of the latter two. Quiet ones are read in rotation, the least
 * recently read first, the fewer the more often rows have shown new messages.
 *
 * @param listed chats of the list; all of them are in `state`
 * @param requests how many this poll may send for them; a chat takes one at least
 */
export function selectChats(
	listed: readonly ListedChat[],
	{ chats, again, failing, trust }: MessageState,
	requests: number,
): Selection {
	const inOrderOf = (keys: Iterable<number>, some: readonly SelectedChat[]): SelectedChat[] => {
		const places = new Map([...keys].map((key, place) => [key, place]));
		const placeOf = ({ chat }: SelectedChat): number => places.get(chat.key) ?? 0;
		return [...some].sort((one, other) => placeOf(one) - placeOf(other));
	};
	const all = listed.flatMap((chat): SelectedChat[] => {
		const known = chats.get(chat.key);
		if (!known) return [];
		if (failing.includes(chat.key)) return [{ chat, known, reason: 'failing' }];
		if (known.mark !== chat.mark) return [{ chat, known, reason: 'changed' }];
		return [{ chat, known, reason: again.includes(chat.key) ? 'again' : 'turn' }];
	});
	const of = (wanted: Reason): SelectedChat[] => all.filter(({ reason }) => reason === wanted);

	const failed = inOrderOf(failing, of('failing'));
	const tried = failed.slice(0, Math.min(MAX_FAILING, Math.ceil(requests / 4)));
	const room = Math.max(1, requests - MIN_TURNS - tried.length);
	const allChanged = of('changed');
	// One that has waited longest, then one from the head of the list, where many services show chats with new messages.
	const waiting = inOrderOf(chats.keys(), allChanged);
	const alternating = allChanged.flatMap((chat, i) => [waiting[i] ?? chat, chat]);
	const changed = [...new Set(alternating)].slice(0, room);
	const repeated = of('again').slice(0, Math.min(MAX_AGAIN, room - changed.length));
	const left = room - changed.length - repeated.length;
	const turns = inOrderOf(chats.keys(), of('turn'));
	const mostTurns = Math.max(MIN_TURNS, (left + MIN_TURNS) >> trust);
	// A chat may take more requests than one: with few requests, the one that was read least recently comes first.
	const heads = [changed, tried, repeated, turns].flatMap((chosen) => chosen.slice(0, 1));
	const some = [...inOrderOf(chats.keys(), heads), ...tried, ...turns.slice(0, MIN_TURNS)];
	return {
		first: [...new Set([...some, ...changed, ...repeated])],
		failing: failed.slice(tried.length, tried.length + left),
		turns: turns.slice(MIN_TURNS, mostTurns),
	};
}
