import type { IExecuteFunctions } from 'n8n-workflow';
import { clock } from './clock';

/** A stream of Node.js, as n8n provides it. */
export type FileStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/** Whether the body of a response is a stream. */
export const isStream = (body: unknown): body is FileStream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

type Pieces = AsyncIterable<Uint8Array>;

/** The size of a piece of a file in memory, the one of a stream in Node.js. */
const PIECE_BYTES = 65_536;

/** After so much of a file in memory, everything else in this process has its turn: reading it takes tens of milliseconds. */
const BYTES_PER_TURN = 16 * PIECE_BYTES;

/** Bytes in memory as the pieces of a file, so that a large one is not read at once. */
export async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
		if (start > 0 && start % BYTES_PER_TURN === 0) await clock.yieldToOthers();
		yield bytes.subarray(start, start + PIECE_BYTES);
	}
}

/** The class of Node.js streams, which n8n's rules do not allow to import. */
interface StreamClass {
	from: (pieces: Pieces, options: { objectMode: boolean }) => FileStream;
}

/** How many bytes something should have, and who says so: "n8n recorded". */
export interface ExpectedSize {
	bytes: number;
	source: string;
}

/** A stream has another size than it should have. */
export class SizeError extends Error {}

interface ReaderOptions {
	/** Any other size is a failure. */
	size?: ExpectedSize;
	/** How long it may send nothing while it is read, in milliseconds. */
	maxSilenceMs?: number;
	/** Closes the stream once its time is up; ended when the stream is closed. */
	limit?: { wait<T>(pending: Promise<T>): Promise<T>; end(): void };
}

/**
 * A stream that is read piece by piece, no faster than its consumer reads.
 *
 * It distinguishes its own failure from the consumer's: only its own becomes `failure`. Whoever creates a source must
 * close it, whether or not reading it succeeded.
 */
export class PieceReader implements Pieces {
	/** Why it could not be read to its end. */
	failure?: Error;
	/** How much of it was read, in bytes. */
	bytes = 0;
	lastByte?: number;
	isComplete = false;

	/** Rejects the pending read. */
	private giveUp: (reason: Error) => void = noop;

	constructor(
		private readonly stream: FileStream,
		readonly options: ReaderOptions = {},
	) {
		// A stream may fail before it is read. Without a listener, that would end the process.
		stream.on('error', (error: Error) => this.fail(error));
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
		const pieces = this.stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
		const { size } = this.options;
		for (;;) {
			const next = await this.unlessClosed(pieces.next());
			if (next.done) break;
			this.bytes += next.value.length;
			this.lastByte = next.value.at(-1) ?? this.lastByte;
			if (size && this.bytes > size.bytes) throw this.fail(sizeError('more', size));
			yield next.value;
		}
		if (size && this.bytes < size.bytes) throw this.fail(sizeError('less', size));
		this.isComplete = true;
	}

	/**
	 * A stream of the transformed pieces.
	 *
	 * Not by `compose`: in Node.js 22, a composed stream never ends if the one behind it fails.
	 */
	streamOf(make: (pieces: Pieces) => Pieces): FileStream {
		const { from } = this.stream.constructor as unknown as StreamClass;
		return from(make(this), { objectMode: false });
	}

	/** All of it as text in UTF-8; undefined if it has more bytes than this. */
	async text(maxBytes: number): Promise<string | undefined> {
		const pieces: Uint8Array[] = [];
		for await (const piece of this) {
			pieces.push(piece);
			if (this.bytes > maxBytes) return undefined;
		}
		return Buffer.concat(pieces).toString();
	}

	/** Waits for what is made of it, as long as its time limit allows. @throws Error if it does not */
	async inTime<T>(pending: Promise<T>): Promise<T> {
		return await (this.options.limit?.wait(pending) ?? pending);
	}

	/** @param reason becomes `failure`, and ends the current reading */
	close(reason?: Error): void {
		if (reason) this.giveUp(this.fail(reason));
		this.stream.destroy(reason);
		this.options.limit?.end();
	}

	/**
	 * Rejects the pending read on close. Destroying a stream that was made from another one, as n8n's HTTP client
	 * makes them, has no effect until the other one emits.
	 */
	private async unlessClosed<T>(reading: Promise<T>): Promise<T> {
		const { maxSilenceMs } = this.options;
		const cancel =
			maxSilenceMs === undefined
				? noop
				: clock.after(maxSilenceMs, () => this.close(new Error('ETIMEDOUT')));
		return await new Promise<T>((resolve, reject) => {
			this.giveUp = reject;
			reading.then(resolve, (error: unknown) => reject(this.fail(error as Error)));
		}).finally(cancel);
	}

	private fail(error: Error): Error {
		this.failure ??= error;
		return error;
	}
}

const noop = (): void => undefined;

const sizeError = (amount: string, { bytes, source }: ExpectedSize): SizeError =>
	new SizeError(`it has ${amount} than the ${bytes} bytes that ${source}`);
