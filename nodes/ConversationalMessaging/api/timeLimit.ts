import { clock } from './base/clock';
import type { FileStream } from './base/streams';
import { isStream, PieceReader } from './base/streams';

/** The most time that a request may take, from its start to the last byte of its response, in milliseconds. */
export const timeouts = {
	/** A read that takes longer is retried. */
	read: 30_000,
	/** A write has more time than a read, because it is not retried. */
	write: 60_000,
	/** A request with a file. */
	file: 1_800_000,
};

/**
 * The time limit of a request. Once it is met, or the user stops the execution, the connection is closed.
 *
 * n8n's HTTP client has a time-out too, but once headers have arrived, it only limits the time without any data.
 */
export class TimeLimit {
	/** Within how many milliseconds the request should have ended; undefined as long as it may go on. */
	exceededMs?: number;

	private readonly controller = new AbortController();

	private readonly cancel: () => void;

	private content?: PieceReader;

	/** @param stop aborted when the user stops the execution */
	constructor(
		ms: number,
		private readonly stop?: AbortSignal,
	) {
		this.cancel = clock.after(ms, () => {
			this.exceededMs = ms;
			this.abort('ETIMEDOUT');
		});
		if (stop?.aborted) this.onStop();
		else stop?.addEventListener('abort', this.onStop);
	}

	/** Aborted when the connection must be closed. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Waits for the HTTP client, as long as the time allows, even if it ignores the signal. */
	async response<T extends { body: unknown }>(pending: Promise<T>): Promise<T> {
		return await new Promise<T>((resolve, reject) => {
			const giveUp = () => reject(new Error('ABORT_ERR'));
			this.signal.addEventListener('abort', giveUp);
			if (this.signal.aborted) giveUp();
			pending.then((response) => {
				// Too late: nobody reads it.
				if (this.signal.aborted && isStream(response.body)) this.reader(response.body).close();
				resolve(response);
			}, reject);
		});
	}

	/** The content of the response: its end is that of the request. */
	reader(stream: FileStream): PieceReader {
		this.content = new PieceReader(stream, undefined, this.end);
		return this.content;
	}

	/**
	 * Ends the request, and closes its connection if there is anything left to read. Otherwise, nothing is aborted: that
	 * would cost as much as sending the request.
	 */
	readonly end = (): void => {
		this.cancel();
		this.stop?.removeEventListener('abort', this.onStop);
		if (this.content && !this.content.isComplete) this.controller.abort();
	};

	private readonly onStop = (): void => this.abort('stopped');

	private abort(reason: string): void {
		// First, so that the reason is not that of the HTTP client.
		this.content?.close(new Error(reason));
		this.end();
		this.controller.abort();
	}
}
