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

/** As many quiet chats are read in every poll, which shows whether rows can be relied on. */
const MIN_TURNS = 2;

/** As many chats are read once more in one poll. */
const MAX_AGAIN = 10;

/** As many chats that could not be read before are tried in one poll, and not more than a quarter of all. */
const MAX_FAILING = 4;

/**
 * Which chats a poll reads, in the order in which it begins to read them: those whose rows changed; then those that may
 * have messages that were stored late; then a few that could not be read before; then quiet ones in rotation, the least
 * recently read first, the fewer the more often rows have shown new messages.
 *
 * @param listed chats of the list; all of them are in `state`
 * @param most how many chats may be read
 */
export function selectChats(
	listed: readonly ListedChat[],
	{ chats, again, failing, trust }: MessageState,
	most: number,
): SelectedChat[] {
	const ranks = new Map([...chats.keys()].map((key, rank) => [key, rank]));
	const rankOf = ({ chat }: SelectedChat): number => ranks.get(chat.key) ?? 0;
	const byRank = (some: SelectedChat[]): SelectedChat[] =>
		[...some].sort((one, other) => rankOf(one) - rankOf(other));
	const all = listed.flatMap((chat): SelectedChat[] => {
		const known = chats.get(chat.key);
		if (!known) return [];
		if (failing.includes(chat.key)) return [{ chat, known, reason: 'failing' }];
		if (known.mark !== chat.mark) return [{ chat, known, reason: 'changed' }];
		return [{ chat, known, reason: again.includes(chat.key) ? 'again' : 'turn' }];
	});
	const of = (wanted: Reason): SelectedChat[] => all.filter(({ reason }) => reason === wanted);

	const failed = of('failing')
		.sort((one, other) => failing.indexOf(one.chat.key) - failing.indexOf(other.chat.key))
		.slice(0, Math.min(MAX_FAILING, Math.ceil(most / 4)));
	const room = Math.max(1, most - MIN_TURNS - failed.length);
	const changed = fairly(of('changed'), room, byRank);
	const repeated = of('again').slice(0, Math.min(MAX_AGAIN, room - changed.length));
	const left = room + MIN_TURNS - changed.length - repeated.length;
	const turns = byRank(of('turn')).slice(0, Math.max(MIN_TURNS, left >> trust));
	return [...changed, ...repeated, ...failed, ...turns];
}

/** Half of them from the head of the list, where many services show chats with new messages, the others by rank. */
function fairly(
	chats: SelectedChat[],
	most: number,
	byRank: (chats: SelectedChat[]) => SelectedChat[],
): SelectedChat[] {
	if (chats.length <= most) return chats;
	const half = Math.floor(most / 2);
	return [...chats.slice(0, half), ...byRank(chats.slice(half)).slice(0, most - half)];
}
