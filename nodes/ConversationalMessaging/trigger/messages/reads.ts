import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { isRejectedRecord, isTransient } from '../lister';
import type { ChatReading, KnownHistory } from './history';
import { readNews } from './history';
import type { MessageLimits } from './limits';
import type { ChatPage, MessageService } from './service';

/** The largest page of messages (API document, section Limits). */
const MAX_TAKE = 100;

/**
 * The reads of one poll. After a rate limit, a timeout or a server failure, nothing more is requested: every further
 * read returns undefined at once. What was read before remains valid.
 */
export class Reads {
	private reason?: NodeApiError;

	/** The rejection of a single chat. */
	private rejection?: NodeApiError;

	private isAnyAccepted = false;

	constructor(
		private readonly service: MessageService,
		private readonly limits: MessageLimits,
	) {}

	/** Why this poll is incomplete; undefined if it is complete. */
	get failure(): NodeApiError | undefined {
		return this.reason ?? (this.isAnyAccepted ? undefined : this.rejection);
	}

	get isComplete(): boolean {
		return this.failure === undefined;
	}

	/** How many chats this poll may read: half of what a window of the rate limit allows. */
	get budget(): number {
		const { reads, readsUnknown } = this.limits;
		const { windowSize } = this.service;
		return Math.min(reads, windowSize === undefined ? readsUnknown : Math.max(1, windowSize >> 1));
	}

	async channels(): Promise<string[] | undefined> {
		return await this.attempt(async () => await this.service.channels());
	}

	async counts(channelId: string): Promise<number[] | undefined> {
		return await this.attempt(async () => await this.service.counts(channelId));
	}

	async chats(page: number): Promise<ChatPage | undefined> {
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
				return undefined;
			});
			if (reading) this.isAnyAccepted = true;
			return reading ?? (known.seen ? undefined : { news: [], seen: [], messages: [] });
		});
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
