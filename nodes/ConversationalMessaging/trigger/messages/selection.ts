import type { MessageBaseline } from './baseline';
import type { MessageLimits } from './limits';
import type { ListedChat, Listing } from './listing';
import { FIRST_PART } from './listPass';
import { markOf } from './rows';

/** Why the messages of a chat are read. */
export type Reason =
	/** It was not in the list before. */
	| 'new'
	/** Its row changed. */
	| 'changed'
	/** Its messages were never read. */
	| 'first'
	/** Its row changed before, without new messages: they may not have been stored yet. */
	| 'again'
	/** It was never read, because it could not be. */
	| 'retry'
	/** It is its turn. */
	| 'turn';

export interface SelectedChat {
	chat: ListedChat;
	reason: Reason;
}

/** Which chats a poll reads. */
export interface Selection {
	/** Those to be read in any case. */
	chats: SelectedChat[];
	/** The others, in turn: as many as needed. */
	inTurn: SelectedChat[];
	/** How many of those are read in any case. */
	audits: number;
	/** Keys of known chats whose rows changed, or that are new, whether or not they are read. */
	changed: Set<number>;
	/** How many of the listed chats were known. */
	known: number;
	/** How many new and changed chats are left to the next poll. */
	left: number;
}

/**
 * Selects the chats that a poll reads: those that are new or whose rows changed, as far as rows show anything; then
 * those that are read once more or were never read; then the others in turn, which shows whether rows can be relied on.
 */
export function selectChats(
	{ chats: listed, pages, turn, part }: Listing,
	baseline: MessageBaseline,
	budget: number,
	{ audits }: MessageLimits,
): Selection {
	const { method, volatile, cursor, listings } = baseline;
	const reasons = listed.map((chat) => ({ chat, reason: reasonFor(chat, baseline) }));
	const of = (...wanted: Reason[]): SelectedChat[] =>
		reasons.filter(({ reason }) => wanted.includes(reason));
	const known = listed.length - of('new').length;
	// If most rows change, they say nothing.
	const isHint = method === 'rows' || of('changed').length * 2 < known;
	const urgent = isHint ? of('new', 'changed') : of('new');
	const first = fairly(urgent, method === 'rows' ? budget : Math.ceil(budget / 2), cursor);
	const others = [...of('again'), ...of('first')].slice(0, Math.max(0, budget - first.length));
	const taken = new Set([...urgent, ...others]);
	const quiet = reasons
		.filter((one) => !taken.has(one))
		.map(({ chat, reason }) => ({ chat, reason: reason === 'changed' ? 'turn' : reason }));
	return {
		chats: [...first, ...others],
		inTurn: inTurn(quiet),
		audits,
		changed: new Set(of('new', 'changed').map(({ chat }) => chat.key)),
		known,
		left: urgent.length - first.length,
	};

	function inTurn(chats: SelectedChat[]): SelectedChat[] {
		if (turn !== undefined) {
			const own = chats.filter(({ chat }) => chat.page === turn);
			return rotated(own, Math.floor(listings / pages) * audits);
		}
		if (!part) return afterCursor(chats, cursor);
		if (method === 'rows') return rotated(chats, (baseline.list?.passes ?? 0) * audits);
		// The others of these pages were read by the polls before.
		const own = chats.filter(({ chat }) => chat.page >= part.from || part.from === FIRST_PART);
		return byKey(own).filter(({ chat }) => chat.key > cursor);
	}

	function reasonFor({ key, row }: ListedChat, { chats, again }: MessageBaseline): Reason {
		const chat = chats.get(key);
		if (!chat) return 'new';
		if (chat.mark !== markOf(row, volatile)) return 'changed';
		if (again.includes(key)) return 'again';
		if (chat.isRejected) return 'retry';
		return chat.seen ? 'turn' : 'first';
	}
}

/** At most this many: half of them from the head of the list, which often has the news, the others in turn. */
function fairly(chats: SelectedChat[], most: number, cursor: number): SelectedChat[] {
	if (chats.length <= most) return chats;
	const half = Math.floor(most / 2);
	return [...chats.slice(0, half), ...afterCursor(chats.slice(half), cursor).slice(0, most - half)];
}

/** By key, from this one. */
function rotated(chats: SelectedChat[], from: number): SelectedChat[] {
	const sorted = byKey(chats);
	const start = from % sorted.length;
	return [...sorted.slice(start), ...sorted.slice(0, start)];
}

/** By key, from the first one after the cursor. The order of the list may change between two polls, keys do not. */
function afterCursor(chats: SelectedChat[], cursor: number): SelectedChat[] {
	const sorted = byKey(chats);
	const isAfter = ({ chat }: SelectedChat): boolean => chat.key > cursor;
	return [...sorted.filter(isAfter), ...sorted.filter((one) => !isAfter(one))];
}

const byKey = (chats: SelectedChat[]): SelectedChat[] =>
	[...chats].sort((one, other) => one.chat.key - other.chat.key);
