import { EventEmitter } from 'node:events';
import {
	type FileStream,
	inPieces,
	PieceReader,
} from '../../nodes/ConversationalMessaging/api/streams.ts';

/** A stream that emits nothing, and that destroying does not end: as one behind which another one is silent. */
class SilentStream extends EventEmitter {
	destroyedWith: unknown[] = [];

	[Symbol.asyncIterator]() {
		return { next: async () => await new Promise(() => undefined) };
	}

	destroy(reason?: Error): void {
		this.destroyedWith.push(reason);
	}
}

const sourceOf = (stream: SilentStream) => new PieceReader(stream as unknown as FileStream);

test('closing with a reason ends the current reading, although the stream stays silent', async () => {
	const stream = new SilentStream();
	const source = sourceOf(stream);
	const reading = source[Symbol.asyncIterator]().next();
	const reason = new Error('ETIMEDOUT');
	source.close(reason);
	await expect(reading).rejects.toBe(reason);
	expect([source.failure, source.isClosed, stream.destroyedWith]).toEqual([reason, true, [reason]]);
});

test('closing without a reason is no failure', () => {
	const stream = new SilentStream();
	const source = sourceOf(stream);
	source.close();
	expect([source.failure, source.isClosed, stream.destroyedWith]).toEqual([
		undefined,
		true,
		[undefined],
	]);
});

test('a stream that fails before it is read is a failure; one that fails when it is closed is not', () => {
	const reason = new Error('ECONNRESET');
	const [early, late] = [new SilentStream(), new SilentStream()];
	const [failed, closed] = [sourceOf(early), sourceOf(late)];
	early.emit('error', reason);
	closed.close();
	late.emit('error', reason);
	expect([failed.failure, closed.failure]).toEqual([reason, undefined]);
});

test('the first failure is the one that is reported', () => {
	const source = sourceOf(new SilentStream());
	const first = new Error('first');
	source.close(first);
	source.close(new Error('second'));
	expect(source.failure).toBe(first);
});

test.each([
	[0, []],
	[1, [1]],
	[65_536, [65_536]],
	[150_000, [65_536, 65_536, 18_928]],
])('%i bytes in memory are read in pieces of %j', async (size, sizes) => {
	const bytes = Uint8Array.from({ length: size }, (_, n) => n);
	const pieces: Uint8Array[] = [];
	for await (const piece of inPieces(bytes)) pieces.push(piece);
	expect(pieces.map(({ length }) => length)).toEqual(sizes);
	expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
});
