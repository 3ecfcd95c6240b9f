import { clock } from './base/clock';
import { type ExpectedSize, type FileStream, isStream, PieceReader } from './base/streams';

/** The most time that something may take, in milliseconds; a request from its start to the last byte of its response. */
export const timeouts = {
	/** A read that takes longer is retried. */
	read: 30_000,
	/** A write has more time than a read, because it is not retried. */
	write: 60_000,
	file: 1_800_000,
	/** An answer of n8n's file storage, which may have no limit of its own. */
	storage: 30_000,
};

/**
 * A time limit, such as that of a request. Once it is met, or the user stops the execution, nothing is waited for any longer, and the
 * connection is closed.
 *
 * n8n's HTTP client has a time-out too, but once headers have arrived, it only limits the time without any data.
 */
export class TimeLimit {
	/** Whether nothing is waited for because its time was up. */
	isExceeded = false;
	private readonly controller = new AbortController();
	private readonly cancel: () => void;
	/** Why nothing is waited for any longer. */
	private reason?: Error;
	private readonly waits: ((reason: Error) => void)[] = [];
	private content?: PieceReader;

	constructor(
		readonly ms: number,
		private readonly stop?: AbortSignal,
	) {
		this.cancel = clock.after(ms, () => {
			this.isExceeded = true;
			this.abort('ETIMEDOUT');
		});
		if (stop?.aborted) this.onStop();
		else stop?.addEventListener('abort', this.onStop);
	}

	throwIfOver(): void {
		if (this.reason) throw this.reason;
	}

	/** Aborted when the connection must be closed. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/**
	 * Waits for something, as long as the time allows, even if it never comes.
	 *
	 * @param late takes it if it comes too late
	 * @throws Error if the time does not allow it; otherwise what `pending` throws
	 */
	async wait<T>(pending: Promise<T>, late: (value: T) => void = () => undefined): Promise<T> {
		return await new Promise<T>((resolve, reject) => {
			this.waits.push(reject);
			if (this.reason) reject(this.reason);
			pending.then((value) => {
				if (this.reason) late(value);
				resolve(value);
			}, reject);
		});
	}

	/** Waits for the HTTP client, even if it ignores the signal. Nobody reads a response that comes too late. */
	async response<T extends { body: unknown }>(pending: Promise<T>): Promise<T> {
		return await this.wait(pending, ({ body }) => {
			if (isStream(body)) this.reader(body).close();
		});
	}

	/** The content of the response: its end is that of the request. */
	reader(stream: FileStream, size?: ExpectedSize): PieceReader {
		this.content = new PieceReader(stream, { size, limit: this });
		return this.content;
	}

	/**
	 * Ends the request, and closes its connection if there is anything left to read. Otherwise, nothing is aborted: that
	 * would cost as much as sending the request.
	 */
	end(): void {
		this.cancel();
		this.stop?.removeEventListener('abort', this.onStop);
		if (this.content && !this.content.isComplete) this.controller.abort();
	}

	private readonly onStop = (): void => this.abort('stopped');

	private abort(reason: string): void {
		this.reason = new Error(reason);
		// First, so that the reason is not that of the HTTP client.
		this.content?.close(this.reason);
		for (const giveUp of this.waits) giveUp(this.reason);
		this.end();
		this.controller.abort();
	}
}
