import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { isRejectedRecord, isTransient } from '../lister';
import type { ChatReading, KnownHistory } from './history';
import { readNews } from './history';
import type { MessageLimits } from './limits';
import type { ChatPage, MessageService } from './service';

/** The largest page of messages (API document, section Limits). */
const MAX_TAKE = 100;

/** A poll reads at least this many chats, however long the list is. */
const MIN_BUDGET = 4;

/**
 * The reads of one poll. After a rate limit, a timeout or a server failure, nothing more is requested: every further
 * read returns undefined at once. What was read before remains valid.
 */
export class Reads {
	private reason?: NodeApiError;

	/** The rejection of a single chat. */
	private rejection?: NodeApiError;

	/** The IDs of the chats that were rejected. */
	private readonly rejected = new Set<string>();

	private isAnyAccepted = false;

	/** The number of requests for counts and for the list. */
	private spent = 0;

	constructor(
		private readonly service: MessageService,
		private readonly limits: MessageLimits,
	) {}

	/** Why this poll is incomplete; undefined if it is complete. */
	get failure(): NodeApiError | undefined {
		return this.reason ?? (this.isAnyAccepted ? undefined : this.rejection);
	}

	/** Whether nothing more is requested. */
	get isInterrupted(): boolean {
		return this.reason !== undefined;
	}

	get isComplete(): boolean {
		return this.failure === undefined;
	}

	/**
	 * How many chats this poll may read: with the requests so far, half of what a window of the rate limit allows, because
	 * two polls can be in the same window.
	 */
	get budget(): number {
		const { reads, readsUnknown } = this.limits;
		const { windowSize } = this.service;
		const half = windowSize === undefined ? readsUnknown : Math.floor(windowSize / 2);
		return Math.max(MIN_BUDGET, Math.min(reads, half) - this.spent);
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
	 * The new messages of a chat; undefined if it could not be read. A chat that was deleted has none. Nor has one that
	 * the service rejects and that was never read: it holds nothing up, and everything in it is new once it can be read.
	 */
	async news(chatId: string, known: KnownHistory): Promise<ChatReading | undefined> {
		const page = async (cursor: string | undefined): Promise<IDataObject[]> => {
			const take = cursor === undefined ? this.limits.take : MAX_TAKE;
			return (await this.service.messages(chatId, take, cursor)) ?? [];
		};
		return await this.attempt(async () => {
			const reading = await readNews(page, known).catch((error: unknown) => {
				// Only this chat. A rejection of all chats is reported.
				if (!isRejectedRecord(error)) throw error;
				if (error instanceof NodeApiError) this.rejection ??= error;
				this.rejected.add(chatId);
				return undefined;
			});
			if (reading) this.isAnyAccepted = true;
			return reading ?? (known.seen ? undefined : { news: [], seen: [], messages: [] });
		});
	}

	isRejected(chatId: string): boolean {
		return this.rejected.has(chatId);
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
