/** How long a request may take. test/engine/limits.test.mts shows what ends then, and what the user reads. */
import { Readable } from 'node:stream';
import { setImmediate as settled } from 'node:timers/promises';
import { fileProgress, TimeLimit } from '../../nodes/ConversationalMessaging/api/timeLimit.ts';
import { useFakeTime } from '../support/time.mts';

const time = useFakeTime();

test('an HTTP client that ignores the signal is not waited for; its late response is closed', async () => {
	const limit = new TimeLimit(30_000);
	const body = new Readable({ read: () => undefined });
	let respond: (response: { body: Readable }) => void = () => undefined;
	const waiting = limit.response(new Promise<{ body: Readable }>((resolve) => (respond = resolve)));
	time.expire();
	await expect(waiting).rejects.toThrow('ABORT_ERR');
	respond({ body });
	await settled();
	expect(body.destroyed).toBe(true);
});

test('a request of an execution that was stopped before it is aborted at once', () => {
	expect(new TimeLimit(30_000, AbortSignal.abort()).signal.aborted).toBe(true);
});

describe('a file must make progress, sent and received together', () => {
	const { bytes, everyMs } = fileProgress;

	test.each([
		[bytes, 0],
		[0, bytes],
		[bytes / 2, bytes / 2],
	])('with %i bytes sent and %i received, it may go on', async (sent, received) => {
		const limit = new TimeLimit(Infinity);
		let sentUntilNow = 0;
		limit.requireProgress(() => sentUntilNow);
		const stream = new Readable({ read: () => undefined });
		void limit
			.reader(stream)
			.text(Infinity)
			.catch(() => undefined);
		for (let n = 1; n <= 3; n++) {
			sentUntilNow += sent;
			stream.push(Buffer.alloc(received));
			await settled();
			time.expire();
			expect(limit.exceededMs).toBeUndefined();
		}
		sentUntilNow += bytes - 1;
		time.expire();
		expect(limit.exceededMs).toBe(everyMs);
	});
});
