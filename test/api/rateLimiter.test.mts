import { getEventListeners, setMaxListeners } from 'node:events';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import { INITIAL_LIMIT } from '../../nodes/ConversationalMessaging/api/concurrencyLimit.ts';
import {
	MAX_IDLE_MS,
	waitAfterRateLimit,
} from '../../nodes/ConversationalMessaging/api/rateLimiter.ts';
import { FakeTime } from '../time.mts';
import { crowd, isSent, later, Limiter, readyRateLimiter, settled } from './limiter.mts';

let time: FakeTime;
beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

describe('concurrent requests', () => {
	test('the first request is sent alone, to find out how many are left', async () => {
		const rateLimiter = new Limiter();
		void rateLimiter.acquire(Infinity);
		const others = crowd(rateLimiter, 3);
		await settled();
		expect(others.count).toBe(0);
		rateLimiter.release(false, {});
		await settled();
		expect(others.count).toBe(3);
	});

	test('the other requests wait at most a second for the first', async () => {
		const rateLimiter = new Limiter();
		void rateLimiter.acquire(Infinity);
		const others = crowd(rateLimiter, 3);
		await later();
		await settled();
		expect(time.waits).toEqual([1_000]);
		expect(others.count).toBe(3);
	});

	test(`after the first request, ${String(INITIAL_LIMIT)} requests run at once`, async () => {
		const rateLimiter = await readyRateLimiter();
		const all = crowd(rateLimiter, 20);
		await settled();
		expect(all.count).toBe(INITIAL_LIMIT);
		rateLimiter.release(false, {});
		await settled();
		expect(all.count).toBe(INITIAL_LIMIT + 1);
	});

	test('polls and people get two more slots', async () => {
		const rateLimiter = await readyRateLimiter();
		crowd(rateLimiter, INITIAL_LIMIT);
		expect(await isSent(rateLimiter, 'single')).toBe(false);
		expect(await isSent(rateLimiter, 'poll')).toBe(true);
		expect(await isSent(rateLimiter, 'editor')).toBe(true);
		expect(await isSent(rateLimiter, 'poll')).toBe(false);
	});

	test('a slot says when its request was sent, and how many were in flight', async () => {
		const rateLimiter = await readyRateLimiter();
		const at = time.clock.now();
		expect(await rateLimiter.acquire(Infinity)).toEqual({ slot: { at, inFlight: 1 } });
		time.clock.advance(10);
		expect(await rateLimiter.acquire(Infinity)).toEqual({ slot: { at: at + 10, inFlight: 2 } });
	});

	const OK = { kind: 'ok', endpoint: 'POST /messages', latencyMs: 20 } as const;

	test.each([
		{ inFlight: 8, announced: 1, waiting: 0, atOnce: 16 },
		{ inFlight: 8, announced: 0, waiting: 1, atOnce: 16 },
		{ inFlight: 8, announced: 0, waiting: 0, atOnce: 8 },
		{ inFlight: 7, announced: 100, waiting: 0, atOnce: 8 },
	])(
		'with $inFlight in flight, $waiting waiting and $announced announced, $atOnce are sent at once afterwards',
		async ({ inFlight, announced, waiting, atOnce }) => {
			const rateLimiter = await readyRateLimiter();
			rateLimiter.rateLimiter.announce(announced);
			for (let n = 0; n < inFlight; n++) await rateLimiter.acquire(Infinity);
			crowd(rateLimiter, waiting);
			rateLimiter.rateLimiter.takeBack(announced);
			for (let n = 0; n < inFlight; n++) rateLimiter.release(false, {}, OK);
			await settled();
			// A round has as many responses as may be in flight.
			if (waiting === 0) {
				await rateLimiter.acquire(Infinity);
				rateLimiter.release(false, {}, OK);
			}
			expect(rateLimiter.rateLimiter.atOnce).toBe(atOnce);
		},
	);

	test('how many are sent at once is forgotten after more than a minute without requests', async () => {
		const atOnceAfter = async (ms: number, inFlight = 0) => {
			const rateLimiter = await readyRateLimiter();
			for (let n = 0; n <= inFlight; n++) await rateLimiter.acquire(Infinity);
			rateLimiter.release(false, {}, { kind: 'failed' });
			time.clock.advance(ms);
			await rateLimiter.acquire(Infinity);
			return rateLimiter.rateLimiter.atOnce;
		};
		expect(await atOnceAfter(60_000)).toBe(INITIAL_LIMIT / 2);
		expect(await atOnceAfter(60_001)).toBe(INITIAL_LIMIT);
		// There was one all the time.
		expect(await atOnceAfter(60_001, 1)).toBe(INITIAL_LIMIT / 2);
	});

	test('fewer requests run at once when fewer are left in the window', async () => {
		const rateLimiter = new Limiter();
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(false, { remaining: 9, resetInMs: 42_000 });
		const all = crowd(rateLimiter, 20, 'poll');
		await settled();
		// Others with the same token may send as many.
		expect(all.count).toBe(3);
	});
});

describe('a blocked rate limiter', () => {
	test('a block ends at the time in Retry-After, plus up to a second of jitter', async () => {
		time.randomValue = 0.5;
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, { retryInMs: 10_000 });
		await rateLimiter.acquire(Infinity);
		expect(time.waits).toEqual([10_500]);
	});

	test('a block ends when the window resets', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, { remaining: 0, resetInMs: 42_000 });
		await rateLimiter.acquire(Infinity);
		expect(time.waits).toEqual([42_000]);
	});

	test('without headers, a block lasts for the rest of the window, counted from its first request', async () => {
		const rateLimiter = await readyRateLimiter();
		time.clock.advance(20_000);
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, {});
		await rateLimiter.acquire(Infinity);
		expect(time.waits).toEqual([40_000]);
	});

	test('responses that arrive during a block do not prolong it', async () => {
		const rateLimiter = await readyRateLimiter();
		time.clock.advance(50_000);
		await rateLimiter.acquire(Infinity);
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, {});
		time.clock.advance(500);
		rateLimiter.release(true, {});
		await rateLimiter.acquire(Infinity);
		expect(time.waits).toEqual([9_500]);
	});

	test('the window is counted from the response to its first request', async () => {
		const rateLimiter = new Limiter();
		await rateLimiter.acquire(Infinity);
		time.clock.advance(3_000);
		rateLimiter.release(false, {});
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, {});
		await rateLimiter.acquire(Infinity);
		expect(time.waits).toEqual([60_000]);
	});

	test('the rate limiter blocks before a 429 when nothing is left and no request is in flight', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(false, { remaining: 0, resetInMs: 30_000 });
		await rateLimiter.acquire(Infinity);
		expect(time.waits).toEqual([30_000]);
	});

	test('while a request is in flight, nothing left in the window is no block yet', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(false, { remaining: 0, resetInMs: 30_000 });
		let isRejected = false;
		void rateLimiter.acquire(5_000).then(({ slot }) => (isRejected = !slot));
		await settled();
		expect(isRejected).toBe(false);
		rateLimiter.release(false, {});
		await settled();
		expect(isRejected).toBe(true);
	});

	test('after a block, one request is sent alone, until its response or for a second', async () => {
		for (const respond of [true, false]) {
			const rateLimiter = await readyRateLimiter();
			await rateLimiter.acquire(Infinity);
			rateLimiter.release(true, { retryInMs: 10_000 });
			time.waits.length = 0;
			const all = crowd(rateLimiter, 20);
			await later();
			await settled();
			expect(all.count).toBe(1);
			expect(time.waits).toEqual([10_000]);
			if (respond) rateLimiter.release(false, {});
			else while (all.count === 1) await later();
			await settled();
			expect(all.count).toBe(INITIAL_LIMIT + (respond ? 1 : 0));
			expect(time.waits[1]).toBe(respond ? undefined : 1_000);
		}
	});

	test('after a block, the number of remaining requests from before it is forgotten', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(false, { remaining: 1, resetInMs: 50_000 });
		rateLimiter.release(true, { retryInMs: 10_000 });
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(false, {});
		const all = crowd(rateLimiter, 20);
		await settled();
		expect(all.count).toBe(INITIAL_LIMIT);
	});

	test('after a block, the window is counted from the first response, not from before it', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		time.clock.advance(20_000);
		rateLimiter.release(true, { retryInMs: 10_000 });
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(false, {});
		time.clock.advance(5_000);
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, {});
		await rateLimiter.acquire(Infinity);
		expect(time.waits).toEqual([10_000, 55_000]);
	});

	test('a response during a block does not begin the next window', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, { retryInMs: 10_000 });
		time.clock.advance(9_000);
		rateLimiter.release(false, {});
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, {});
		await rateLimiter.acquire(Infinity);
		expect(time.waits).toEqual([1_000, 60_000]);
	});

	test('without a reset time, a number of remaining requests is valid for the rest of the window', async () => {
		const rateLimiter = await readyRateLimiter();
		time.clock.advance(20_000);
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(false, { remaining: 2 });
		const all = crowd(rateLimiter, 20);
		await settled();
		expect(all.count).toBe(2);
		const started = time.clock.now();
		while (all.count === 2) await later();
		expect(time.clock.now() - started).toBe(40_000);
		expect(all.count).toBe(INITIAL_LIMIT);
	});

	test('without a reset time, no remaining request blocks for the rest of the window', async () => {
		const rateLimiter = await readyRateLimiter();
		time.clock.advance(20_000);
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(false, { remaining: 0 });
		await rateLimiter.acquire(Infinity);
		expect(time.waits).toEqual([40_000]);
	});

	test('a number of remaining requests is higher again after the reset, and never before it', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(false, { remaining: 9, resetInMs: 10_000 });
		await rateLimiter.acquire(Infinity);
		// Out of order: this response is older.
		rateLimiter.release(false, { remaining: 15, resetInMs: 10_000 });
		const before = crowd(rateLimiter, 5, 'poll');
		await settled();
		expect(before.count).toBe(3);
		time.clock.advance(10_000);
		for (let n = 0; n < 3; n++)
			rateLimiter.release(false, { remaining: 12 + n, resetInMs: 60_000 });
		await settled();
		expect(before.count).toBe(5);
		const after = crowd(rateLimiter, 20, 'poll');
		await settled();
		// A third of 12 may be in flight, and two are.
		expect(after.count).toBe(2);
	});

	test('a late response with a higher remaining number does not end a block', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(false, { remaining: 0, resetInMs: 30_000 });
		rateLimiter.release(false, { remaining: 1, resetInMs: 30_000 });
		await rateLimiter.acquire(Infinity);
		expect(time.waits).toEqual([30_000]);
	});

	test('a second block with the same end changes nothing', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		await rateLimiter.acquire(Infinity);
		for (const jitter of [0.5, 0.9]) {
			time.randomValue = jitter;
			rateLimiter.release(true, { retryInMs: 10_000 });
		}
		await rateLimiter.acquire(Infinity);
		expect(time.waits).toEqual([10_500]);
	});

	test('polls do not wait for the jitter, and others not for polls', async () => {
		time.randomValue = 0.5;
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, { retryInMs: 10_000 });
		const started = time.clock.now();
		const sentAfter: [string, number][] = [];
		for (const priority of ['single', 'poll'] as const)
			void rateLimiter.acquire(Infinity, undefined, undefined, priority).then(() => {
				sentAfter.push([priority, time.clock.now() - started]);
				rateLimiter.release(false, {});
			});
		while (sentAfter.length < 2) await later();
		expect(sentAfter).toEqual([
			['poll', 10_000],
			['single', 10_500],
		]);
		expect(time.waits).toEqual([10_000, 500]);
	});

	test('a request that cannot wait as long as the block is rejected at once', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, { retryInMs: 10_000 });
		const blockedUntil = time.clock.now() + 10_000;
		expect(await rateLimiter.acquire(9_999)).toEqual({ blockedUntil });
		expect(time.waits).toEqual([]);
		expect(await rateLimiter.acquire(10_000)).toHaveProperty('slot');
	});

	test('a waiting request is rejected when a block begins that is too long for it', async () => {
		for (const [maxWaitMs, waits] of [
			[9_999, false],
			[10_000, true],
		] as const) {
			const rateLimiter = new Limiter();
			await rateLimiter.acquire(Infinity);
			const waiting = rateLimiter.acquire(maxWaitMs);
			rateLimiter.release(true, { retryInMs: 10_000 });
			expect('slot' in (await waiting)).toBe(waits);
		}
	});

	test('responses that arrive after the 429 count for the next window, if they were accepted', async () => {
		const rateLimiter = await readyRateLimiter();
		const send = async () => await rateLimiter.acquire(0, undefined, undefined, 'poll');
		for (let accepted = 1; accepted < 20; accepted++) {
			await send();
			rateLimiter.release(false, {});
		}
		for (let n = 0; n < 5; n++) await send();
		rateLimiter.release(true, { retryInMs: 10_000 });
		rateLimiter.release(false, {});
		rateLimiter.release(false, {});
		rateLimiter.release(true, {});
		rateLimiter.release(false);
		time.clock.advance(10_000);
		let sent = 0;
		while ((await send()).slot) {
			sent++;
			rateLimiter.release(false, {});
		}
		expect(sent).toBe(22);
	});

	test.each(Array.from({ length: 12 }, (_, ms) => ms))(
		'a block ends for a waiting request, whatever the clock returns between two readings (%i ms)',
		async (ms) => {
			const rateLimiter = await readyRateLimiter();
			await rateLimiter.acquire(Infinity);
			rateLimiter.release(true, { retryInMs: ms + 0.5 });
			// Time passes between two reads of the clock.
			clock.now = () => {
				time.clock.advance(1);
				return time.clock.now();
			};
			const one = crowd(rateLimiter, 1);
			for (let waits = 0; waits < 5; waits++) await later();
			await settled();
			expect(one.count).toBe(1);
		},
	);

	test('an aborted request stops waiting at once', async () => {
		const rateLimiter = await readyRateLimiter();
		for (let i = 0; i < INITIAL_LIMIT; i++) await rateLimiter.acquire(Infinity);
		const stop = new AbortController();
		const entering = rateLimiter.acquire(Infinity, stop.signal);
		stop.abort();
		expect(await entering).not.toHaveProperty('slot');
		expect(time.waits).toEqual([]);
	});

	test('a request that was aborted before is rejected at once', async () => {
		const rateLimiter = await readyRateLimiter();
		rateLimiter.release(true, { retryInMs: 10_000 });
		const stopped = AbortSignal.abort();
		expect(await rateLimiter.acquire(Infinity, stopped)).not.toHaveProperty('slot');
		expect(time.waits).toEqual([]);
	});

	test('an aborted request keeps no slot', async () => {
		const rateLimiter = await readyRateLimiter();
		for (let n = 0; n < 3 * INITIAL_LIMIT; n++) {
			const stop = new AbortController();
			// As n8n does with the signal of an execution.
			setMaxListeners(Infinity, stop.signal);
			const all = Array.from({ length: 20 }, () => rateLimiter.acquire(Infinity, stop.signal));
			await settled();
			stop.abort();
			for (const { slot } of await Promise.all(all)) if (slot) rateLimiter.cancel();
		}
		const others = crowd(rateLimiter, 20);
		await settled();
		expect(others.count).toBe(INITIAL_LIMIT);
	});

	test('a request leaves no listener at its signal, however it ends', async () => {
		const rateLimiter = await readyRateLimiter();
		const stop = new AbortController();
		const listeners = () => getEventListeners(stop.signal, 'abort').length;
		for (let n = 0; n < INITIAL_LIMIT; n++) await rateLimiter.acquire(Infinity, stop.signal);
		expect(listeners()).toBe(0);
		const waiting = rateLimiter.acquire(5_000, stop.signal);
		expect(listeners()).toBe(1);
		rateLimiter.release(true, { retryInMs: 10_000 });
		expect(await waiting).not.toHaveProperty('slot');
		expect(listeners()).toBe(0);
		const aborted = rateLimiter.acquire(Infinity, stop.signal);
		stop.abort();
		await aborted;
		expect(listeners()).toBe(0);
	});

	test('a request that was aborted after it was admitted does not take another request with it', async () => {
		const rateLimiter = await readyRateLimiter();
		const stop = new AbortController();
		expect(await rateLimiter.acquire(Infinity, stop.signal)).toHaveProperty('slot');
		for (let n = 1; n < INITIAL_LIMIT; n++) await rateLimiter.acquire(Infinity);
		const waiting = crowd(rateLimiter, 1);
		stop.abort();
		await settled();
		expect(waiting.count).toBe(0);
		rateLimiter.cancel();
		await settled();
		expect(waiting.count).toBe(1);
	});

	test('another request is sent alone when the first one was not sent', async () => {
		const rateLimiter = new Limiter();
		await rateLimiter.acquire(Infinity);
		const others = crowd(rateLimiter, 3);
		rateLimiter.cancel();
		await settled();
		expect(others.count).toBe(1);
		rateLimiter.release(false, {});
		await settled();
		expect(others.count).toBe(3);
	});

	test('the other request is alone for a second of its own', async () => {
		const rateLimiter = new Limiter();
		await rateLimiter.acquire(Infinity);
		time.clock.advance(900);
		const others = crowd(rateLimiter, 3);
		rateLimiter.cancel();
		while (others.count < 3) await later();
		expect(time.waits).toEqual([1_000]);
	});

	test.each([
		[999, 1],
		[1_000, 3],
	])(
		'after %i ms, %i other requests are sent when the first one was not sent',
		async (ms, count) => {
			const rateLimiter = new Limiter();
			await rateLimiter.acquire(Infinity);
			time.clock.advance(ms);
			rateLimiter.cancel();
			const others = crowd(rateLimiter, 3);
			await settled();
			expect(others.count).toBe(count);
		},
	);

	test('the first request after a block stays alone when another one is not sent', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, { retryInMs: 10_000 });
		time.clock.advance(10_000);
		await rateLimiter.acquire(Infinity);
		const others = crowd(rateLimiter, 3);
		rateLimiter.cancel();
		await settled();
		expect(others.count).toBe(0);
	});

	test('a request that arrives at the end of a block is not notified of it', async () => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, { retryInMs: 10_000 });
		time.clock.advance(10_000);
		const onWait = jest.fn();
		await rateLimiter.acquire(Infinity, undefined, onWait);
		expect(onWait).not.toHaveBeenCalled();
	});

	test('waiting requests are notified once when the wait begins, with its end', async () => {
		const rateLimiter = await readyRateLimiter();
		for (let n = 0; n < INITIAL_LIMIT; n++) await rateLimiter.acquire(Infinity);
		const waits: [string, number][] = [];
		const blockedUntil = time.clock.now() + 10_000;
		void rateLimiter.acquire(Infinity, undefined, (until) => waits.push(['before', until]));
		rateLimiter.release(true, { retryInMs: 10_000 });
		void rateLimiter.acquire(Infinity, undefined, (until) => waits.push(['after', until]));
		expect(waits).toEqual([
			['before', blockedUntil],
			['after', blockedUntil],
		]);
	});

	test('a block of more than five minutes rejects every request, even without a deadline', async () => {
		const rateLimiter = await readyRateLimiter();
		for (let n = 0; n < INITIAL_LIMIT; n++) await rateLimiter.acquire(Infinity);
		const waiting = rateLimiter.acquire(Infinity);
		rateLimiter.release(true, { retryInMs: 301_000 });
		const blockedUntil = time.clock.now() + 301_000;
		expect(await waiting).toEqual({ blockedUntil });
		expect(await rateLimiter.acquire(Infinity)).toEqual({ blockedUntil });
		expect(time.waits).toEqual([]);
		// A second later, it is not as long anymore.
		time.clock.advance(999);
		expect(await rateLimiter.acquire(Infinity)).toEqual({ blockedUntil });
		time.clock.advance(1);
		expect(await rateLimiter.acquire(Infinity)).toHaveProperty('slot');
	});

	test('a block of five minutes is waited for, with its jitter', async () => {
		time.randomValue = 0.5;
		const rateLimiter = await readyRateLimiter();
		for (let n = 0; n < INITIAL_LIMIT; n++) await rateLimiter.acquire(Infinity);
		const waiting = rateLimiter.acquire(Infinity);
		rateLimiter.release(true, { retryInMs: 300_000 });
		const afterwards = rateLimiter.acquire(Infinity);
		expect(await waiting).toHaveProperty('slot');
		rateLimiter.release(false, {});
		expect(await afterwards).toHaveProperty('slot');
		expect(time.waits).toEqual([300_500]);
	});
});

describe('when the clock is set back', () => {
	const HOUR = 3_600_000;

	test.each([
		[1_000, false],
		[1_001, true],
	])('by %i ms, the end of a block is forgotten: %s', async (ms, isForgotten) => {
		const rateLimiter = await readyRateLimiter();
		await rateLimiter.acquire(Infinity);
		rateLimiter.release(true, { retryInMs: 60_000 });
		time.clock.advance(-ms);
		expect('slot' in (await rateLimiter.acquire(0))).toBe(isForgotten);
	});

	test('one request is sent alone, as at the beginning', async () => {
		const rateLimiter = await readyRateLimiter();
		time.clock.advance(-HOUR);
		const all = crowd(rateLimiter, 3);
		await settled();
		expect(all.count).toBe(1);
	});

	test.each([
		[20_000, true],
		[40_000, false],
	])('a request that can wait for 30 s waits for a block of %i ms: %s', async (ms, waits) => {
		const rateLimiter = await readyRateLimiter();
		for (let n = 0; n < INITIAL_LIMIT; n++) await rateLimiter.acquire(Infinity);
		const waiting = rateLimiter.acquire(30_000);
		time.clock.advance(-HOUR);
		rateLimiter.release(true, { retryInMs: ms });
		expect('slot' in (await waiting)).toBe(waits);
	});

	test('a request that has waited for long keeps its place', async () => {
		const rateLimiter = await readyRateLimiter();
		for (let n = 0; n < INITIAL_LIMIT; n++) await rateLimiter.acquire(Infinity);
		const sent: string[] = [];
		const wait = (name: string, priority: 'bulk' | 'single') =>
			void rateLimiter
				.acquire(Infinity, undefined, undefined, priority)
				.then(() => sent.push(name));
		wait('long ago', 'bulk');
		time.clock.advance(100_000);
		wait('just now', 'bulk');
		time.clock.advance(-HOUR);
		wait('afterwards', 'single');
		for (let n = 0; n < 3; n++) rateLimiter.release(false, {});
		await settled();
		expect(sent).toEqual(['long ago', 'afterwards', 'just now']);
	});
});

describe('a rate limiter is idle', () => {
	test('ten minutes after its last response, and not before', async () => {
		const { rateLimiter } = await readyRateLimiter();
		const responded = time.clock.now();
		expect(rateLimiter.isIdle(responded + MAX_IDLE_MS - 1)).toBe(false);
		expect(rateLimiter.isIdle(responded + MAX_IDLE_MS)).toBe(true);
	});

	test('never while a request is in flight', async () => {
		const limiter = await readyRateLimiter();
		await limiter.acquire(Infinity);
		expect(limiter.rateLimiter.isIdle(time.clock.now() + 2 * MAX_IDLE_MS)).toBe(false);
	});

	test('never while a request waits for the end of a block', async () => {
		const limiter = await readyRateLimiter();
		await limiter.acquire(Infinity);
		limiter.release(true, { retryInMs: 10_000 });
		const waiting = limiter.acquire(Infinity);
		expect(limiter.rateLimiter.isIdle(time.clock.now() + 2 * MAX_IDLE_MS)).toBe(false);
		await waiting;
	});
});

test('requests that wait for the same moment share a timer', async () => {
	const rateLimiter = await readyRateLimiter();
	await rateLimiter.acquire(Infinity);
	rateLimiter.release(true, { retryInMs: 10_000 });
	let timers = 0;
	clock.sleep = async () => {
		timers++;
		await new Promise(() => undefined);
	};
	crowd(rateLimiter, 10);
	expect(timers).toBe(1);
});

test('nothing is waited for if no request waits', async () => {
	const rateLimiter = await readyRateLimiter();
	await rateLimiter.acquire(Infinity);
	rateLimiter.release(false, { limit: 60, remaining: 5, resetInMs: 60_000 });
	for (let n = 0; n < 3; n++) await later();
	await rateLimiter.acquire(Infinity);
	rateLimiter.release(true, { retryInMs: 10_000 });
	for (let n = 0; n < 3; n++) await later();
	expect(time.waits).toEqual([]);
});

test.each([
	['Retry-After, if there is one', { retryInMs: 5_000, resetInMs: 42_000 }, 5_000],
	['the reset, without Retry-After', { resetInMs: 42_000 }, 42_000],
	['the rest of the window, without either', {}, 17_000],
])('the wait after a 429 is decided by %s', (_name, rate, expected) => {
	expect(waitAfterRateLimit(rate, 17_000)).toBe(expected);
});
