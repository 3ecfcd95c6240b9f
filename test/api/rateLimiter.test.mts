/** When each request of a token is sent. What the numbers are is up to ConcurrencyLimit and RateWindow. */
import { getEventListeners, setMaxListeners } from 'node:events';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import { INITIAL_LIMIT } from '../../nodes/ConversationalMessaging/api/concurrencyLimit.ts';
import { MAX_IDLE_MS } from '../../nodes/ConversationalMessaging/api/rateLimiter.ts';
import { FakeTime } from '../time.mts';
import { crowd, isSent, later, Limiter, readyLimiter, settled } from './limiter.mts';

let time: FakeTime;
beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

const WINDOW_MS = 60_000;

/** A rate limiter that has had a 429, after `MANY` more requests were sent. */
async function pausedLimiter(ms: number, inFlight = 0, isRead = false): Promise<Limiter> {
	const limiter = new Limiter();
	await limiter.acquire({ isRead });
	for (let n = 0; n < inFlight; n++) await limiter.acquire();
	limiter.release(true, { retryInMs: ms });
	return limiter;
}

describe('how many at once', () => {
	test(`${String(INITIAL_LIMIT)} at first, and one more when one has ended`, async () => {
		const limiter = new Limiter();
		const all = crowd(limiter, 20);
		await settled();
		expect(all.count).toBe(INITIAL_LIMIT);
		limiter.release(false, {});
		await settled();
		expect(all.count).toBe(INITIAL_LIMIT + 1);
	});

	test('polls and people get two more', async () => {
		const limiter = await readyLimiter();
		crowd(limiter, INITIAL_LIMIT);
		expect(await isSent(limiter)).toBe(false);
		expect(await isSent(limiter, { priority: 'poll' })).toBe(true);
		expect(await isSent(limiter, { priority: 'editor' })).toBe(true);
		expect(await isSent(limiter, { priority: 'poll' })).toBe(false);
	});

	test('a slot says when its request was sent, and how many were in flight', async () => {
		const limiter = new Limiter();
		const at = time.clock.now();
		expect(await limiter.acquire()).toEqual({ slot: { at, inFlight: 1, isRead: false } });
		time.clock.advance(10);
		expect(await limiter.acquire({ isRead: true })).toEqual({
			slot: { at: at + 10, inFlight: 2, isRead: true },
		});
	});

	test('what has ended decides how many there are next', async () => {
		const limiter = new Limiter();
		for (let n = 0; n < INITIAL_LIMIT; n++) await limiter.acquire();
		for (let n = 0; n < INITIAL_LIMIT; n++)
			limiter.release(false, {}, { kind: 'ok', endpoint: 'POST /messages', latencyMs: 20 });
		expect(limiter.rateLimiter.atOnce).toBe(2 * INITIAL_LIMIT);
	});

	test('fewer when fewer are left in the window: others with the same token may send as many', async () => {
		const limiter = await readyLimiter({ remaining: 9, resetInMs: 42_000 });
		const all = crowd(limiter, 20, { priority: 'poll' });
		await settled();
		expect(all.count).toBe(3);
	});

	test('after a pause, eight until the first response of the new window', async () => {
		const limiter = new Limiter();
		for (let n = 0; n < INITIAL_LIMIT; n++) await limiter.acquire();
		for (let n = 0; n < INITIAL_LIMIT; n++)
			limiter.release(false, {}, { kind: 'ok', endpoint: 'POST /messages', latencyMs: 20 });
		await limiter.acquire();
		limiter.release(true, { retryInMs: 10_000 });
		time.clock.advance(10_000);
		const all = crowd(limiter, 20, { priority: 'poll' });
		await settled();
		expect(all.count).toBe(8);
	});
});

describe('a pause after a 429', () => {
	test('ends as Retry-After says, for everything but polls and lists in the editor up to a second later', async () => {
		time.randomValue = 0.5;
		const limiter = await pausedLimiter(10_000);
		const started = time.clock.now();
		const sentAfter: [string, number][] = [];
		for (const priority of ['single', 'poll'] as const)
			void limiter.acquire({ priority }).then(() => {
				sentAfter.push([priority, time.clock.now() - started]);
			});
		while (sentAfter.length < 2) await later();
		expect(sentAfter).toEqual([
			['poll', 10_000],
			['single', 10_500],
		]);
	});

	test('also begins when the service reports that nothing is left', async () => {
		const limiter = await readyLimiter({ remaining: 0, resetInMs: 30_000 });
		await limiter.acquire();
		expect(time.waits).toEqual([30_000]);
	});

	test('is not prolonged by the 429s of requests that were in flight', async () => {
		const limiter = await pausedLimiter(10_000, 3);
		time.clock.advance(500);
		for (let n = 0; n < 3; n++) limiter.release(true, { retryInMs: 9_500 });
		await limiter.acquire();
		expect(time.waits).toEqual([9_500]);
	});

	test('rejects a request that cannot wait for its end', async () => {
		const limiter = await pausedLimiter(10_000);
		expect(await limiter.acquire({ maxWaitMs: 9_999 })).toEqual({ waitMs: 10_000 });
		expect(time.waits).toEqual([]);
		expect(await limiter.acquire({ maxWaitMs: 10_000 })).toHaveProperty('slot');
	});

	test.each([
		[9_999, false],
		[10_000, true],
	])('that begins meanwhile rejects a waiting one that can wait %i ms: %s', async (ms, waits) => {
		const limiter = new Limiter();
		for (let n = 0; n < INITIAL_LIMIT; n++) await limiter.acquire();
		const waiting = limiter.acquire({ maxWaitMs: ms });
		limiter.release(true, { retryInMs: 10_000 });
		expect('slot' in (await waiting)).toBe(waits);
	});

	test('of more than five minutes rejects every request, even without a deadline', async () => {
		const limiter = new Limiter();
		for (let n = 0; n < INITIAL_LIMIT; n++) await limiter.acquire();
		const waiting = limiter.acquire();
		limiter.release(true, { retryInMs: 301_000 });
		expect(await waiting).toEqual({ waitMs: 301_000 });
		expect(await limiter.acquire()).toEqual({ waitMs: 301_000 });
		time.clock.advance(1_000);
		expect(await limiter.acquire()).toHaveProperty('slot');
		expect(time.waits).toEqual([300_000]);
	});

	test('says how long it lasts', async () => {
		const { rateLimiter } = await pausedLimiter(10_000);
		time.clock.advance(4_000);
		expect(rateLimiter.pauseMs(false)).toBe(6_000);
		time.clock.advance(7_000);
		expect(rateLimiter.pauseMs(false)).toBe(0);
	});
});

describe('whom a pause concerns', () => {
	const READ = { isRead: true };

	test('a write’s 429 holds up no read', async () => {
		const limiter = await pausedLimiter(10_000);
		expect(await isSent(limiter, { ...READ, priority: 'poll' })).toBe(true);
		expect(limiter.rateLimiter.pauseMs(true)).toBe(0);
	});

	test('reads are sent past writes that wait in the same line', async () => {
		const limiter = await pausedLimiter(10_000);
		// Time stands still.
		clock.sleep = async () => await new Promise(() => undefined);
		expect(await isSent(limiter)).toBe(false);
		expect(await isSent(limiter, READ)).toBe(true);
	});

	test('a read’s 429 holds up everything', async () => {
		const limiter = await pausedLimiter(10_000, 0, true);
		expect(await limiter.acquire({ ...READ, maxWaitMs: 5_000 })).toEqual({ waitMs: 10_000 });
		expect(await limiter.acquire({ maxWaitMs: 5_000 })).toEqual({ waitMs: 10_000 });
	});

	test('once a read has met a 429, a write’s holds up reads too', async () => {
		const limiter = await pausedLimiter(1_000, 0, true);
		time.clock.advance(1_000);
		await limiter.acquire();
		limiter.release(true, { retryInMs: 10_000 });
		expect(await limiter.acquire({ ...READ, maxWaitMs: 5_000 })).toEqual({ waitMs: 10_000 });
	});

	test('reads that do not count use neither the window nor its reserve', async () => {
		const limiter = await readyLimiter({ limit: 60, remaining: 1, resetInMs: WINDOW_MS });
		const reads = crowd(limiter, 5, { ...READ, priority: 'bulk' });
		await settled();
		expect(reads.count).toBe(5);
		expect(limiter.rateLimiter.windowSize).toBeUndefined();
		expect(await isSent(limiter, { priority: 'poll' })).toBe(false);
	});
});

describe('what is left for others', () => {
	/** More requests than any window of these tests has left. */
	const MANY = 1_000;

	/** A rate limiter in a window of 100 that has just begun, with many more requests to come. */
	async function busyLimiter(remaining: number, resetInMs = WINDOW_MS) {
		const limiter = await readyLimiter({ limit: 100, remaining, resetInMs });
		limiter.rateLimiter.announce(MANY);
		// Time stands still.
		clock.sleep = async (ms) => {
			time.waits.push(ms);
			await new Promise(() => undefined);
		};
		return limiter;
	}

	test.each([
		['bulk', 11],
		['single', 6],
		['poll', 1],
		['editor', 1],
	] as const)('of 100, %s requests are sent while %i are left', async (priority, left) => {
		expect(await isSent(await busyLimiter(left), { priority })).toBe(true);
		expect(await isSent(await busyLimiter(left - 1), { priority })).toBe(false);
	});

	test.each([
		[0.5, 51],
		[0, 1],
	])('with a reserve of %d, bulk requests are sent while %i are left', async (reserve, left) => {
		for (const remaining of [left, left - 1]) {
			const limiter = await busyLimiter(remaining);
			limiter.rateLimiter.reserve = reserve;
			expect(await isSent(limiter, { priority: 'bulk' })).toBe(remaining === left);
		}
	});

	test.each([60_000, 10_000])(
		'is used in the last three seconds of a window of %i ms',
		async (resetInMs) => {
			const limiter = await busyLimiter(10, resetInMs);
			const one = crowd(limiter, 1, { priority: 'bulk' });
			expect(time.waits).toEqual([resetInMs - 3_000]);
			time.clock.advance(resetInMs - 3_000);
			expect(await isSent(limiter, { priority: 'bulk' })).toBe(true);
			expect(one.count).toBe(1);
		},
	);

	test('is used by a run that needs no more than the window has left', async () => {
		const limiter = await busyLimiter(5);
		limiter.rateLimiter.withdraw(MANY - 5);
		limiter.rateLimiter.requestStarts();
		expect(await isSent(limiter, { priority: 'bulk' })).toBe(true);
	});

	test('is used by requests that wait for it, once a run that was stopped needs no more', async () => {
		const limiter = await busyLimiter(5);
		const waiting = crowd(limiter, 4, { priority: 'bulk' });
		limiter.rateLimiter.withdraw(MANY - 2);
		await settled();
		expect(waiting.count).toBe(0);
		limiter.rateLimiter.withdraw(1);
		await settled();
		// Two may be in flight when five are left.
		expect(waiting.count).toBe(2);
	});

	test('nothing of a window of one request', async () => {
		const limiter = await readyLimiter({ limit: 1, remaining: 1 });
		limiter.rateLimiter.announce(MANY);
		expect(await isSent(limiter, { priority: 'bulk' })).toBe(true);
	});
});

describe('a request that is stopped', () => {
	test('stops waiting at once', async () => {
		const limiter = new Limiter();
		for (let i = 0; i < INITIAL_LIMIT; i++) await limiter.acquire();
		const stop = new AbortController();
		const entering = limiter.acquire({ signal: stop.signal });
		stop.abort();
		expect(await entering).not.toHaveProperty('slot');
		expect(await limiter.acquire({ signal: AbortSignal.abort() })).not.toHaveProperty('slot');
		expect(time.waits).toEqual([]);
	});

	test('keeps no slot', async () => {
		const limiter = new Limiter();
		for (let n = 0; n < 3 * INITIAL_LIMIT; n++) {
			const stop = new AbortController();
			// As n8n does with the signal of an execution.
			setMaxListeners(Infinity, stop.signal);
			const all = Array.from({ length: 20 }, () => limiter.acquire({ signal: stop.signal }));
			await settled();
			stop.abort();
			for (const { slot } of await Promise.all(all)) if (slot) limiter.cancel();
		}
		const others = crowd(limiter, 20);
		await settled();
		expect(others.count).toBe(INITIAL_LIMIT);
	});

	test('leaves no listener at its signal, however it ends', async () => {
		const limiter = new Limiter();
		const { signal } = new AbortController();
		const listeners = () => getEventListeners(signal, 'abort').length;
		for (let n = 0; n < INITIAL_LIMIT; n++) await limiter.acquire({ signal });
		expect(listeners()).toBe(0);
		const waiting = limiter.acquire({ maxWaitMs: 5_000, signal });
		expect(listeners()).toBe(1);
		limiter.release(true, { retryInMs: 10_000 });
		expect(await waiting).not.toHaveProperty('slot');
		expect(listeners()).toBe(0);
	});

	test('after it was admitted takes no other request with it', async () => {
		const limiter = new Limiter();
		const stop = new AbortController();
		expect(await limiter.acquire({ signal: stop.signal })).toHaveProperty('slot');
		for (let n = 1; n < INITIAL_LIMIT; n++) await limiter.acquire();
		const waiting = crowd(limiter, 1);
		stop.abort();
		await settled();
		expect(waiting.count).toBe(0);
		limiter.cancel();
		await settled();
		expect(waiting.count).toBe(1);
	});
});

describe('time', () => {
	test('requests that wait for the same moment share a timer', async () => {
		const limiter = await pausedLimiter(10_000);
		let timers = 0;
		clock.sleep = async () => {
			timers++;
			await new Promise(() => undefined);
		};
		crowd(limiter, 10);
		expect(timers).toBe(1);
	});

	test('nothing is waited for if no request waits', async () => {
		await pausedLimiter(10_000);
		for (let n = 0; n < 3; n++) await later();
		expect(time.waits).toEqual([]);
	});

	test.each([0, 1, 5, 11])(
		'a pause ends for a waiting request, whatever the clock returns between two readings (%i ms)',
		async (ms) => {
			const limiter = await pausedLimiter(ms + 0.5);
			clock.elapsed = () => {
				time.clock.advance(1);
				return time.clock.now();
			};
			const one = crowd(limiter, 1);
			for (let waits = 0; waits < 5; waits++) await later();
			await settled();
			expect(one.count).toBe(1);
		},
	);

	test('that the computer’s clock is set changes nothing', async () => {
		const limiter = await pausedLimiter(10_000);
		const elapsed = time.clock.now();
		clock.elapsed = () => elapsed;
		time.clock.advance(-3_600_000);
		expect(limiter.rateLimiter.pauseMs(false)).toBe(10_000);
	});
});

describe('a rate limiter is idle', () => {
	test('ten minutes after its last response, and not before', async () => {
		const { rateLimiter } = await readyLimiter();
		const responded = time.clock.now();
		expect(rateLimiter.isIdle(responded + MAX_IDLE_MS - 1)).toBe(false);
		expect(rateLimiter.isIdle(responded + MAX_IDLE_MS)).toBe(true);
	});

	test('never while a request is in flight, waits or is announced, or during a pause', async () => {
		const end = time.clock.now() + 2 * MAX_IDLE_MS;
		const inFlight = new Limiter();
		await inFlight.acquire();
		const waiting = await pausedLimiter(10_000);
		const one = waiting.acquire();
		const announced = new Limiter();
		announced.rateLimiter.announce(1);
		const paused = await pausedLimiter(3 * MAX_IDLE_MS);
		const all = [inFlight, waiting, announced, paused];
		expect(all.map(({ rateLimiter }) => rateLimiter.isIdle(end))).toEqual(Array(4).fill(false));
		await one;
	});
});
