import type { IExecuteFunctions } from 'n8n-workflow';

/** A stream of Node.js, as n8n hands it out. */
export type FileStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

type Pieces = AsyncIterable<Uint8Array>;

/** The class of a stream of Node.js, which n8n forbids to import. */
interface StreamClass {
	from: (pieces: Pieces, options: { objectMode: boolean }) => FileStream;
}

/**
 * A stream that is read to be handed on, piece by piece and no faster than it is taken.
 *
 * It tells a failure of its own from one of whatever takes the pieces: only its own becomes `failure`. Whoever makes a
 * source closes it, however the reading went.
 */
export class Source implements Pieces {
	/** Why it could not be read to its end. */
	failure?: Error;

	/** How much of it was read, in bytes. */
	bytes = 0;

	isClosed = false;

	private onClose: (reason: Error) => void = () => undefined;

	/** @param size in bytes, where it is known: another one is a failure */
	constructor(
		private readonly stream: FileStream,
		private readonly size?: number,
	) {
		// A stream may fail before anybody reads it. Without a listener, that would end the process.
		stream.on('error', (error: Error) => {
			if (!this.isClosed) this.failure ??= error;
		});
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
		const pieces = this.stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
		for (;;) {
			const next = await this.unlessClosed(pieces.next());
			if (next.done) break;
			this.bytes += next.value.length;
			if (this.bytes > (this.size ?? Infinity)) throw this.fail(this.sizeError('more'));
			yield next.value;
		}
		if (this.bytes < (this.size ?? 0)) throw this.fail(this.sizeError('less'));
	}

	/**
	 * A stream of what is made of the pieces.
	 *
	 * Not by `compose`: in Node.js 22, a stream that was composed never ends when the one behind it fails.
	 */
	streamOf(make: (pieces: Pieces) => Pieces): FileStream {
		const { from } = this.stream.constructor as unknown as StreamClass;
		return from(make(this), { objectMode: false });
	}

	/** @param reason becomes `failure`, and ends a reading that is under way */
	close(reason?: Error): void {
		this.isClosed = true;
		if (reason) this.onClose(this.fail(reason));
		this.stream.destroy(reason);
	}

	/** A stream that was made of another one, as n8n's HTTP client makes them, is not closed before that one moves. */
	private async unlessClosed<T>(reading: Promise<T>): Promise<T> {
		return await new Promise<T>((resolve, reject) => {
			this.onClose = reject;
			reading.then(resolve, (error: unknown) => reject(this.fail(error as Error)));
		});
	}

	private fail(error: Error): Error {
		this.failure ??= error;
		return error;
	}

	private sizeError(amount: string): Error {
		return new Error(`it has ${amount} than the ${this.size} bytes that n8n recorded`);
	}
}
