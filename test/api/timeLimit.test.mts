/** How long a request may take. test/engine/limits.test.mts shows what ends then, and what the user reads. */
import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as settled } from 'node:timers/promises';
import { TimeLimit } from '../../nodes/ConversationalMessaging/api/timeLimit.ts';
import { useFakeTime } from '../support/time.mts';

const time = useFakeTime();

test('an HTTP client that ignores the signal is not waited for; its late response is closed', async () => {
	const limit = new TimeLimit(30_000);
	const body = new Readable({ read: () => undefined });
	let respond: (response: { body: Readable }) => void = () => undefined;
	const waiting = limit.response(new Promise<{ body: Readable }>((resolve) => (respond = resolve)));
	time.expire();
	await expect(waiting).rejects.toThrow('ETIMEDOUT');
	respond({ body });
	await settled();
	expect(body.destroyed).toBe(true);
});

test('a request of an execution that was stopped before it is aborted at once', async () => {
	const limit = new TimeLimit(30_000, AbortSignal.abort());
	expect(limit.signal.aborted).toBe(true);
	await expect(limit.response(new Promise<never>(() => undefined))).rejects.toThrow('stopped');
});

const bodyOf = (...pieces: string[]) => Readable.from(pieces.map((piece) => Buffer.from(piece)));

test('a response that was read to its end aborts nothing, and leaves no timer and no listener', async () => {
	const stop = new AbortController();
	const limit = new TimeLimit(30_000, stop.signal);
	const { body } = await limit.response(Promise.resolve({ body: bodyOf('{}') }));
	expect(await limit.reader(body).text(Infinity)).toBe('{}');
	limit.end();
	expect(limit.signal.aborted).toBe(false);
	expect(time.limits).toStrictEqual([]);
	expect(getEventListeners(stop.signal, 'abort')).toStrictEqual([]);
});

test('a response that was not read to its end closes the connection', async () => {
	const limit = new TimeLimit(30_000);
	const { body } = await limit.response(Promise.resolve({ body: bodyOf('too', 'long', 'more') }));
	const content = limit.reader(body);
	expect(await content.text(3)).toBeUndefined();
	content.close();
	expect(limit.signal.aborted).toBe(true);
	expect(body.destroyed).toBe(true);
	expect(time.limits).toStrictEqual([]);
});
