import { keyOf, shortened } from '../keys';
import type { CountEvidence } from './counts';
import type { HistoryEvidence } from './historyOrder';
import type { ListPass } from './listPass';
import type { OrderEvidence } from './listOrder';

/** What is kept of a chat. */
export interface TrackedChat {
	/** The fingerprint of its row when its messages were read, or at the first poll. */
	mark: number;
	/** Hashes of its newest messages, the newest first; [] if it had none; undefined if they were not read yet. */
	seen?: readonly number[];
	/** Whether it could not be read, and never was before. */
	isRejected?: true;
}

/**
 * How chats with news are found: by their rows, or by reading the messages of all chats in turn, because a row did not
 * change although its chat had news.
 */
export type Method = 'rows' | 'turns';

/**
 * What is known of the chats between two polls.
 *
 * - **At least once:** `seen` of a chat contains its newest messages at a reading whose news were emitted in the same
 *   commit. `mark` is the fingerprint of a row that was read before these messages. So news that were not emitted
 *   change the row, or are found when the chat is read in turn.
 * - **Only once:** what is above the deepest known message and is not known itself is new. Times count only if no
 *   known message is left, or the chat was never read.
 */
export interface MessageBaseline {
	/** When the first poll began, in milliseconds since the epoch. What was there before is not emitted. */
	startedAt: number;
	/** When the last poll began that saw every chat of the list. */
	since: number;
	/** The time of the newest message that was read, by the service's clock; 0 if none had a time. */
	latest: number;
	method: Method;
	/** Fields of a row that change without news; with dots for fields within fields. */
	volatile: readonly string[];
	order: OrderEvidence;
	histories: HistoryEvidence;
	/** Keys of chats to read once more: their rows changed, but their messages may not have been stored yet. */
	again: readonly number[];
	/** Polls in a row in which most rows changed without news. */
	idlePolls: number;
	/** Missing if the details of channels show no number of messages, or cannot be read. */
	counts?: CountEvidence;
	/** The number of polls since the first one. */
	polls: number;
	/** The number of polls that read the list of chats: with reliable counts, this may be only every tenth one. */
	listings: number;
	/** The key of the chat that was read in turn last. */
	cursor: number;
	/** When the current round through all chats began, and the one before it. */
	rounds: { began: number; before: number };
	/** Whether chats remain to be read. */
	isPending: boolean;
	/** The setting with which messages showed their directions, as text; missing if none did. */
	shownFor?: string;
	/** Missing if a poll can read the whole list. */
	list?: ListPass;
	/** By key, those with recent news last. */
	chats: ReadonlyMap<number, TrackedChat>;
}

/** The key of a chat: two of 10,000 chats share one in one of 90,000 services. */
export const chatKey = keyOf;

const MESSAGE_BITS = 30;

/** A hash of the ID of a message, at least 4: smaller numbers have other meanings in the saved text. */
export const messageHash = (id: string): number => Math.max(4, shortened(keyOf(id), MESSAGE_BITS));
