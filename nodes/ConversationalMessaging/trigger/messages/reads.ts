import type { IDataObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isRejectedRecord, isTransient } from '../failures';
import type { ChatReading, KnownHistory } from './history';
import { readNews } from './history';
import type { MessageLimits } from './limits';
import type { ChatPage, MessageService } from './service';

/** The largest page of messages (API document, section Limits). */
const MAX_TAKE = 100;

/** A poll reads at least this many chats, however long the list is. */
const MIN_BUDGET = 4;

/** The first page of the list, and one in turn. */
const MIN_LIST_PAGES = 2;

/** If the service fails for this many chats in a row, it is an outage. */
const OUTAGE_FAILURES = 3;

/** If the service has rejected this many chats, and returned the messages of none, a poll reads no more chats in turn. */
const MAX_ONLY_REJECTED = 16;

/**
 * The reads of one poll. After a rate limit or an outage, nothing more is requested: every further read returns undefined
 * at once. What was read before remains valid.
 *
 * One chat that cannot be read does not end the poll, whether the service rejects it or fails for it. If the service fails
 * for three chats without a success in between, or if no chat can be read, the poll has failed.
 */
export class Reads {
	private reason?: NodeApiError;

	/** The first failure of a single chat. */
	private chatFailure?: NodeApiError | NodeOperationError;

	/** The IDs of the chats that the service rejected. */
	private readonly rejected = new Set<string>();

	/** The IDs of the chats for which the service failed: only for them, unless it is an outage. */
	private readonly suspects = new Set<string>();

	/** The number of `suspects` since the service last returned messages. */
	private failuresInARow = 0;

	/** The IDs of the chats that the service does not have. */
	private readonly missing = new Set<string>();

	private isAnyAccepted = false;

	/** The number of requests for counts and for the list. */
	private spent = 0;

	/** The number of requests for messages. */
	private spentOnMessages = 0;

	constructor(
		private readonly service: MessageService,
		private readonly limits: MessageLimits,
	) {}

	/** Why this poll is incomplete; undefined if it is complete. */
	get failure(): NodeApiError | NodeOperationError | undefined {
		return this.reason ?? (this.isAnyAccepted ? undefined : this.chatFailure);
	}

	/** Whether nothing more is requested. */
	get isInterrupted(): boolean {
		return this.reason !== undefined;
	}

	get isComplete(): boolean {
		return this.failure === undefined;
	}

	/** Whether the service rejects every chat, as far as is known by now. */
	get areAllRejected(): boolean {
		return !this.isAnyAccepted && this.rejected.size >= MAX_ONLY_REJECTED;
	}

	/** Chats that could not be read in a complete poll, and why the first one could not; undefined if there are none. */
	get unreadable(): { chats: number; reason: Error } | undefined {
		if (!this.chatFailure || !this.isComplete) return undefined;
		return { chats: this.rejected.size + this.suspects.size, reason: this.chatFailure };
	}

	/**
	 * How many chats this poll may read: with the requests so far, half of what a window of the rate limit allows, because
	 * two polls can be in the same window.
	 */
	get budget(): number {
		return Math.max(MIN_BUDGET, this.total - this.spent);
	}

	/** How many pages of the list this poll may read: the other half of its requests is for chats. */
	get listPages(): number {
		const { listPages } = this.limits;
		return Math.min(listPages, Math.max(MIN_LIST_PAGES, Math.floor(this.total / 2)));
	}

	private get total(): number {
		const { reads, readsUnknown } = this.limits;
		const { windowSize } = this.service;
		const half = windowSize === undefined ? readsUnknown : Math.floor(windowSize / 2);
		return Math.min(reads, half);
	}

	/** What is left of the budget: a chat whose messages take several pages uses more of it. */
	get remaining(): number {
		return this.budget - this.spentOnMessages;
	}

	async channels(): Promise<string[] | undefined> {
		this.spent++;
		return await this.attempt(async () => await this.service.channels());
	}

	async counts(channelId: string): Promise<number[] | undefined> {
		this.spent++;
		return await this.attempt(async () => await this.service.counts(channelId));
	}

	async chats(page: number): Promise<ChatPage | undefined> {
		this.spent++;
		return await this.attempt(async () => await this.service.chats(page));
	}

	/**
	 * The new messages of a chat; undefined if it could not be read, or if there is no such chat.
	 *
	 * @throws NodeApiError if the token is rejected
	 */
	async news(chatId: string, known: KnownHistory): Promise<ChatReading | undefined> {
		if (this.reason) return undefined;
		const page = async (cursor: string | undefined): Promise<IDataObject[]> => {
			this.spentOnMessages++;
			const take = cursor === undefined ? this.limits.take : MAX_TAKE;
			const messages = await this.service.messages(chatId, take, cursor);
			// With a cursor, it may be the message before that is not found. As an end, this would lose older messages.
			if (!messages) this.missing.add(chatId);
			return messages ?? [];
		};
		const reading = await readNews(page, known).catch((error: unknown) => {
			this.fail(chatId, error);
			return undefined;
		});
		if (!reading) return undefined;
		this.isAnyAccepted = true;
		this.failuresInARow = 0;
		// As an empty chat whose row has been read, it would disprove rows when it is found again: with a message that its
		// unchanged row does not show.
		return this.missing.has(chatId) || this.rejected.has(chatId) ? undefined : reading;
	}

	/** Whether only this chat could not be read, as far as is known by now. */
	isRejected(chatId: string): boolean {
		return (
			this.rejected.has(chatId) ||
			this.missing.has(chatId) ||
			(!this.isInterrupted && this.suspects.has(chatId))
		);
	}

	/** Whether the service failed for this chat, be it an outage or not. */
	isSuspect(chatId: string): boolean {
		return this.suspects.has(chatId);
	}

	private fail(chatId: string, error: unknown): void {
		// The latter for an ID that cannot be part of a path.
		if (error instanceof NodeApiError || error instanceof NodeOperationError)
			this.chatFailure ??= error;
		if (isRejectedRecord(error)) {
			this.rejected.add(chatId);
			return;
		}
		if (!isTransient(error)) throw error;
		this.suspects.add(chatId);
		this.failuresInARow++;
		if (error.httpCode === '429' || this.failuresInARow >= OUTAGE_FAILURES) this.reason ??= error;
	}

	private async attempt<T>(read: () => Promise<T>): Promise<T | undefined> {
		if (this.reason) return undefined;
		return await read().catch((error: unknown) => {
			if (!isTransient(error)) throw error;
			this.reason ??= error;
			return undefined;
		});
	}
}
