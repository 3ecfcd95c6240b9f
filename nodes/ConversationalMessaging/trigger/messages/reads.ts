import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { clock } from '../../api/clock';
import { forEachConcurrent } from '../../api/concurrency';
import { isRateLimited, isRejectedRecord, isTransient } from '../failures';
import type { MessageLimits } from '../limits';
import { READS_AT_ONCE } from '../limits';
import type { History } from './history';
import { readHistory } from './history';
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
 * One chat that cannot be read holds up no other one. After an outage or a rate limit, no further one is read; what
 * was read before remains valid.
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
	const turnsUntil = clock.now() + TURNS_MS;
	let failuresInARow = 0;
	// Whether a chat that could not be read before still cannot.
	let hasFailedAgain = false;
	let isStopped = false;
	// A long history has to be read to its end in one poll, so one chat per poll may exceed the limit: the first one, which
	// has waited longest, unless it does not have to.
	let exceeding = selection.first[0]?.chat.id;
	let hasExceeded = false;
	const mayContinue = (id: string): boolean => {
		if (isStopped || service.requests < most) return !isStopped;
		exceeding ??= id;
		hasExceeded ||= exceeding === id;
		return exceeding === id;
	};
	const atOnce = (): number => (isStopped ? 0 : Math.min(READS_AT_ONCE, most - service.requests));

	await forEachConcurrent(selection.first, atOnce, read);
	await forEachConcurrent(selection.failing, () => (hasFailedAgain ? 0 : atOnce()), read);
	await forEachConcurrent(selection.turns, () => (clock.now() > turnsUntil ? 0 : atOnce()), read);
	if (result.read.length === 0) result.failure ??= result.chatFailure;
	return result;

	async function read(one: SelectedChat): Promise<void> {
		const { chat, known } = one;
		try {
			const history = await readHistory(service, chat, subscription, {
				now,
				until: readUntil(known, state) * 1_000,
				wasRead: (message) => wasRead(message, chat.id, known, state),
				take: limits.take,
				pages: limits.historyPages,
				mayContinue: () => mayContinue(chat.id),
			});
			failuresInARow = 0;
			if (history) result.read.push({ ...one, ...history });
		} catch (error) {
			fail(one, error);
		}
		if (exceeding === chat.id && !hasExceeded) exceeding = undefined;
	}

	function fail({ chat, reason }: SelectedChat, error: unknown): void {
		// The latter for an ID that cannot be part of a path.
		const isFailure = error instanceof NodeApiError || error instanceof NodeOperationError;
		const isRejected = isRejectedRecord(error);
		if (!isFailure || !(isRejected || isTransient(error))) throw error;
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
