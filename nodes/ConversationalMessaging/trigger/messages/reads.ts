import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import { forEachConcurrent } from '../../api/base/concurrency';
import { isRateLimited, isRejectedRecord, isTransientError } from '../failures';
import type { MessageLimits } from '../limits';
import { READS_AT_ONCE } from '../limits';
import type { History } from './history';
import { readRecentMessages } from './history';
import type { SelectedChat, Selection } from './selection';
import type { MessageService } from './service';
import type { MessageState } from './state';
import { readUntil, wasRead } from './state';
import type { MessageSubscription } from './subscription';

/** A chat whose messages were read. */
export interface ReadChat extends SelectedChat, History {}

/** What one poll read of chats. */
export interface ChatReads {
	read: ReadChat[];
	/** Chats that could not be read, by key. */
	failed: number[];
	/** The first failure of a single chat. */
	chatFailure?: NodeApiError | NodeOperationError;
	/** Why the poll is incomplete: an outage, or no chat could be read. */
	failure?: NodeApiError | NodeOperationError;
}

/** If the service fails for this many chats in a row, it is an outage. */
const OUTAGE_FAILURES = 3;

/** If this many chats were rejected, and none could be read, no other one is tried. */
const MAX_ONLY_REJECTED = 10;

/** After this time, in milliseconds, no further quiet chat is read: n8n limits the time of a poll. */
const TURNS_MS = 20_000;

/**
 * Reads the messages of chats, several at once.
 *
 * | a chat                                            | effect                                                        |
 * |---------------------------------------------------|---------------------------------------------------------------|
 * | is rejected (403, 404 …), on any page             | it is tried again in later polls; others are read              |
 * | fails (5xx, no response)                          | the same; three in a row that could be read before: an outage |
 * | fails with 429                                    | nothing else is read                                           |
 * | has a history that needs more requests than left  | it is read later: it has not been read, and waits longest     |
 *
 * Nothing of such a chat counts as read. After an outage, nothing else is read; what was read before remains valid.
 *
 * @param now in milliseconds since the epoch
 * @param most how many requests this poll may have sent in the end
 * @throws NodeApiError if the token is rejected
 */
export async function readChats(
	service: MessageService,
	selection: Selection,
	state: MessageState,
	now: number,
	subscription: MessageSubscription,
	most: number,
	limits: MessageLimits,
): Promise<ChatReads> {
	const result: ChatReads = { read: [], failed: [] };
	const turnsUntil = clock.elapsed() + TURNS_MS;
	const isTurnsTime = (): boolean => clock.elapsed() <= turnsUntil;
	let failuresInARow = 0;
	// Whether a chat that could not be read before still cannot.
	let hasFailedAgain = false;
	let isStopped = false;
	// Those of the first ones that have not been read completely, by key.
	const left = new Map(selection.first.map((one) => [one.chat.key, one]));
	let mayExceed = false;
	const mayContinue = (): boolean => !isStopped && (mayExceed || service.requests < most);
	const atOnce = (): number => (isStopped ? 0 : Math.min(READS_AT_ONCE, most - service.requests));

	await forEachConcurrent(selection.first, atOnce, read);
	await forEachConcurrent(selection.failing, () => (hasFailedAgain ? 0 : atOnce()), read);
	await forEachConcurrent(selection.turns, () => (isTurnsTime() ? atOnce() : 0), read);
	// A history has to be read completely in one poll, so one chat may exceed the requests: the one that has waited longest.
	const waiting = [...state.chats.keys()].flatMap((key) => left.get(key) ?? []);
	mayExceed = true;
	await forEachConcurrent(waiting.slice(0, 1), () => (isStopped ? 0 : 1), read);
	if (result.read.length === 0) result.failure ??= result.chatFailure;
	return result;

	async function read(one: SelectedChat): Promise<void> {
		const { chat, known } = one;
		try {
			const history = await readRecentMessages(service, chat, subscription, {
				now,
				until: readUntil(known, state) * 1_000,
				wasRead: (message) => wasRead(message, chat.id, known, state),
				take: limits.take,
				pages: limits.historyPages,
				mayContinue,
			});
			failuresInARow = 0;
			if (!history) return;
			result.read.push({ ...one, ...history });
		} catch (error) {
			fail(one, error);
		}
		left.delete(chat.key);
	}

	function fail({ chat, reason }: SelectedChat, error: unknown): void {
		// The latter for an ID that cannot be part of a path.
		const isFailure = error instanceof NodeApiError || error instanceof NodeOperationError;
		const isRejected = isRejectedRecord(error);
		if (!isFailure || !(isRejected || isTransientError(error))) throw error;
		result.chatFailure ??= error;
		const isLimit = error instanceof NodeApiError && isRateLimited(error);
		if (!isLimit) result.failed.push(chat.key);
		hasFailedAgain ||= reason === 'failing';
		if (isRejected) {
			isStopped ||= result.read.length === 0 && result.failed.length >= MAX_ONLY_REJECTED;
			return;
		}
		// Of chats that failed before, nothing else is to be expected.
		if (reason !== 'failing') failuresInARow++;
		if (!isLimit && failuresInARow < OUTAGE_FAILURES) return;
		isStopped = true;
		result.failure ??= error;
	}
}
