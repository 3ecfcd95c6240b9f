import { clock } from './base/clock';
import type { FileStream } from './base/streams';
import { isStream, PieceReader } from './base/streams';

/** The most time that a request may take, from its start to the last byte of its response, in milliseconds. */
export const timeouts = {
	/** A read that takes longer is retried. */
	read: 30_000,
	/** A write has more time than a read, because it is not retried. */
	write: 60_000,
	/** A request with a file, as long as it makes progress. */
	file: 21_600_000,
};

/** A request with a file ends if it sends and receives fewer bytes than this in such a time, in milliseconds. */
export const fileProgress = { bytes: 100_000, everyMs: 600_000 };

/**
 * The time limit of a request. Once it is met, or the user stops the execution, the connection is closed.
 *
 * n8n's HTTP client has a time-out too, but once headers have arrived, it only limits the time without any data.
 */
export class TimeLimit {
	/** Within how many milliseconds the request should have ended; undefined as long as it may go on. */
	exceededMs?: number;

	private readonly controller = new AbortController();

	private readonly cancels: (() => void)[] = [];

	private content?: PieceReader;

	/** @param stop aborted when the user stops the execution */
	constructor(
		ms: number,
		private readonly stop?: AbortSignal,
	) {
		if (ms < Infinity) this.after(ms, () => this.exceed(ms));
		if (stop?.aborted) this.onStop();
		else stop?.addEventListener('abort', this.onStop);
	}

	/** Aborted when the request must end. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Requires the progress of a file. @param sent how many of its bytes were sent until now */
	requireProgress(sent: () => number): void {
		const moved = () => sent() + (this.content?.bytes ?? 0);
		const before = moved();
		const { bytes, everyMs } = fileProgress;
		this.after(everyMs, () => {
			if (moved() < before + bytes) this.exceed(everyMs);
			else this.requireProgress(sent);
		});
	}

	/** Waits for the HTTP client, as long as the time allows, even if it ignores the signal. */
	async response<T extends { body: unknown }>(pending: Promise<T>): Promise<T> {
		return await new Promise<T>((resolve, reject) => {
			this.signal.addEventListener('abort', () => reject(new Error('ABORT_ERR')));
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

	/** Ends the request, and closes its connection. */
	readonly end = (): void => {
		for (const cancel of this.cancels) cancel();
		this.stop?.removeEventListener('abort', this.onStop);
		this.controller.abort();
	};

	private readonly onStop = (): void => this.abort('stopped');

	private exceed(ms: number): void {
		this.exceededMs = ms;
		this.abort('ETIMEDOUT');
	}

	private abort(reason: string): void {
		// First, so that the reason is not that of the HTTP client.
		this.content?.close(new Error(reason));
		this.end();
	}

	private after(ms: number, callback: () => void): void {
		this.cancels.push(clock.after(ms, callback));
	}
}
