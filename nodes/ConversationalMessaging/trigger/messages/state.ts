import type { IDataObject } from 'n8n-workflow';
import { keyOf, shortened } from '../keys';
import type { Reported } from '../reports';
import type { Message } from './message';

/** What is kept of a chat. */
export interface TrackedChat {
	/** The fingerprint of its row when its messages were read last, or when it was listed in the first pass; 0 if never. */
	mark: number;
	/**
	 * Messages up to this time count as read, in seconds since the epoch by the service's clock, rounded up. Infinity for
	 * a chat of the first pass that was not read yet: what is new is what came after the start.
	 */
	readTo: number;
}

/**
 * What is known between two polls.
 *
 * **What makes a message new:** of the chats that have been read, `seen` has the IDs of all messages that are newer than
 * `seenSince`. So a message is new if it is newer than `readTo` of its chat, or newer than `seenSince`, and not in `seen`. The
 * order of a history, of the list and of the polls makes no difference, nor does it which of two messages of one second is
 * stored later, in one chat or in two.
 *
 * **This holds from any earlier state.** n8n does not save the state after a poll without events, so a restart brings back an
 * older one: what came since then is new.
 *
 * **A message whose time is ahead** makes `readTo` of its chat too late. Others in this chat are new by `seenSince`, which
 * follows the clock. Its own ID is kept until `seenSince` has reached its time, so that it is not emitted twice.
 *
 * Times are in seconds since the epoch by the service's clock, unless said otherwise. In one direction, messages of the
 * other one are neither emitted nor in `seen`.
 */
export interface MessageState {
	/** When the first poll began: messages up to this time were there before, if the clocks agree. */
	start: number;
	/** By the hash of the chat's ID, least recently read first. */
	chats: ReadonlyMap<number, TrackedChat>;
	/** The IDs of messages up to this time are not kept; 0 before the first message. */
	seenSince: number;
	/** The times of messages that were read, by the hash of their IDs. */
	seen: ReadonlyMap<number, number>;
	/** Whether the times of messages compare with the clock of responses; missing until a message was read. */
	clocksAgree?: boolean;
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

/** Services may number the messages of each chat from 1. */
export const messageKey = (chatId: string, { id }: Message): number => keyOf(`${chatId} ${id}`);

/** How far times may be apart although the clocks agree, in milliseconds. */
export const MARGIN_MS = 120_000;

/** The start by the clock of messages, in seconds; undefined while that is unknown. */
export const startOf = ({ start, clocksAgree }: MessageState): number | undefined =>
	clocksAgree ? start : undefined;

/** Messages of a chat up to this time are not new, in seconds. */
export function oldUntil({ mark, readTo }: TrackedChat, state: MessageState): number {
	// What was in a chat before it was read for the first time is not in `seen`.
	if (readTo === Infinity) return startOf(state) ?? Infinity;
	return mark === 0 ? readTo : Math.min(readTo, state.seenSince);
}

/** How far the history of a chat is read, in seconds: until everything newer than the kept IDs has been seen. */
export function readUntil(known: TrackedChat, state: MessageState): number {
	const until = oldUntil(known, state);
	// Nothing in a chat of the first pass is new as long as the clocks are unknown: one page shows its newest message.
	return until === Infinity ? until : Math.min(until, state.seenSince);
}

/** Whether a message of a chat is not new; one without a time never is. */
export function wasRead(
	message: Message,
	chatId: string,
	known: TrackedChat,
	state: MessageState,
): boolean {
	const { time = 0, isWanted } = message;
	if (time <= oldUntil(known, state) * 1_000) return true;
	if (isWanted) return state.seen.has(messageKey(chatId, message));
	return known.readTo !== Infinity && time <= known.readTo * 1_000;
}

/** What is kept of Message Received. */
export interface MessageCheckpoint {
	/** What the state belongs to: n8n's ID of the credential, base URL, workflow, node, filters and Messages From. */
	scope: string;
	/** The hash of the token. Another one may belong to another organization. */
	token: string;
	/** The number of consecutive incomplete polls. */
	failures: number;
	/** What n8n's log has shown and what has not ended yet. */
	reported?: Reported;
	/** Missing until a first poll was complete. */
	state?: MessageState;
}

const MARK_BITS = 24;

/** The fingerprint of a chat's row: if it differs, the chat may have new messages. Never 0. */
export const rowMark = (row: IDataObject): number =>
	Math.max(1, shortened(keyOf(JSON.stringify(row)), MARK_BITS));
