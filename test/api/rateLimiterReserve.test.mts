/** What is left of each window for polls, people and single requests, and when bulk work may use it. */
import {
	type Waiting,
	WaitingRequests,
} from '../../nodes/ConversationalMessaging/api/waitingRequests.ts';
import { FakeTime } from '../time.mts';
import { crowd, isSent, Limiter, readyRateLimiter, settled } from './limiter.mts';

let time: FakeTime;
beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

const WINDOW_MS = 60_000;

/** More requests than any window of these tests has left. */
const MANY = 1_000;

/** A rate limiter in a window that has just begun, as the service reports it. */
async function limiterWith(left: { remaining: number; limit?: number; resetInMs?: number }) {
	const limiter = new Limiter();
	await limiter.acquire(Infinity);
	limiter.release(false, { limit: 100, resetInMs: WINDOW_MS, ...left });
	return limiter;
}

/** The same, while many more requests are announced than the window has left. */
async function busyLimiterWith(left: Parameters<typeof limiterWith>[0]) {
	const limiter = await limiterWith(left);
	limiter.rateLimiter.announce(MANY);
	return limiter;
}

describe('how many requests of a window are not for a priority', () => {
	test.each([
		['bulk', 11],
		['single', 6],
		['poll', 1],
		['editor', 1],
	] as const)(
		'of 100, %s requests are sent while %i are left, and not below',
		async (who, left) => {
			expect(await isSent(await busyLimiterWith({ remaining: left }), who)).toBe(true);
			expect(await isSent(await busyLimiterWith({ remaining: left - 1 }), who)).toBe(false);
		},
	);

	test.each([
		[0.5, 51],
		[0.25, 26],
		[0, 1],
	])('with a reserve of %d, bulk requests are sent while %i are left', async (reserve, left) => {
		for (const [remaining, expected] of [
			[left, true],
			[left - 1, false],
		] as const) {
			const limiter = await busyLimiterWith({ remaining });
			limiter.rateLimiter.reserve = reserve;
			expect(await isSent(limiter, 'bulk')).toBe(expected);
		}
	});

	test('a window of one request is for everybody', async () => {
		expect(await isSent(await busyLimiterWith({ limit: 1, remaining: 1 }), 'bulk')).toBe(true);
	});

	test('no request is sent if those in flight are all that are left, not even at the end', async () => {
		const limiter = await busyLimiterWith({ remaining: 1 });
		expect(await isSent(limiter, 'poll')).toBe(true);
		time.clock.advance(WINDOW_MS - 500);
		expect(await isSent(limiter, 'poll')).toBe(false);
		expect(await isSent(limiter, 'bulk')).toBe(false);
	});
});

test('the size of a window is unknown until it is reported', async () => {
	expect(new Limiter().rateLimiter.windowSize).toBeUndefined();
	expect((await limiterWith({ remaining: 5 })).rateLimiter.windowSize).toBe(100);
});

describe('the reserve is used', () => {
	test('by a run that needs no more than the window has left', async () => {
		const limiter = await limiterWith({ remaining: 5 });
		limiter.rateLimiter.announce(4);
		expect(await isSent(limiter, 'bulk')).toBe(true);
		const other = await limiterWith({ remaining: 5 });
		other.rateLimiter.announce(5);
		expect(await isSent(other, 'bulk')).toBe(false);
		const last = await limiterWith({ remaining: 5 });
		last.rateLimiter.announce(6);
		for (let begun = 0; begun < 2; begun++) last.rateLimiter.announcedBegins();
		expect(await isSent(last, 'bulk')).toBe(true);
	});

	test('by requests that wait for it, once a run that was stopped needs no more', async () => {
		const limiter = await limiterWith({ remaining: 5 });
		limiter.rateLimiter.announce(10);
		const waiting = crowd(limiter, 4, 'bulk');
		await settled();
		expect(waiting.count).toBe(0);
		limiter.rateLimiter.takeBack(8);
		await settled();
		expect(waiting.count).toBe(0);
		limiter.rateLimiter.takeBack(1);
		await settled();
		// Two may be in flight when five are left.
		expect(waiting.count).toBe(2);
	});

	test.each([
		[60_000, 57_000],
		[40_000, 38_000],
		[30_000, 28_500],
		[10_000, 8_500],
	])('in the last part of a window of %i ms, after %i ms', async (resetInMs, wait) => {
		const limiter = await busyLimiterWith({ remaining: 10, resetInMs });
		const until = time.clock.now() + wait;
		const onWait = jest.fn();
		await limiter.acquire(Infinity, undefined, onWait, 'bulk');
		expect(time.waits).toEqual([wait]);
		expect(onWait.mock.calls).toEqual([[until]]);
	});
});

describe('a request that waits for the reserve', () => {
	test('is notified once, however many responses arrive meanwhile', async () => {
		const limiter = await busyLimiterWith({ remaining: 10 });
		const onWait = jest.fn();
		void limiter.acquire(Infinity, undefined, onWait, 'bulk');
		for (let remaining = 9; remaining > 5; remaining--) {
			await limiter.acquire(Infinity, undefined, undefined, 'poll');
			limiter.release(false, { limit: 100, remaining, resetInMs: WINDOW_MS });
		}
		expect(onWait).toHaveBeenCalledTimes(1);
	});

	test('is notified again, as all others that wait, if the window turns out to end later', async () => {
		const limiter = await busyLimiterWith({ remaining: 10, resetInMs: 30_000 });
		const started = time.clock.now();
		const notified: [string, number][] = [];
		const wait = (name: string) =>
			void limiter.acquire(
				Infinity,
				undefined,
				(until) => notified.push([name, until - started]),
				'bulk',
			);
		const since = () => notified.splice(0).sort(([one], [other]) => (one < other ? -1 : 1));
		wait('a');
		wait('b');
		expect(since()).toEqual([
			['a', 28_500],
			['b', 28_500],
		]);
		await limiter.acquire(Infinity, undefined, undefined, 'poll');
		limiter.release(false, { limit: 100, remaining: 9, resetInMs: 40_000 });
		expect(since()).toEqual([
			['a', 38_000],
			['b', 38_000],
		]);
		wait('c');
		expect(since()).toEqual([['c', 38_000]]);
	});

	test('is looked at only when it arrives, however many wait before it', async () => {
		const all = WaitingRequests.prototype as WaitingRequests<Waiting>;
		const { latestFirst } = Object.getOwnPropertyDescriptors(all);
		let looks = 0;
		all.latestFirst = function* (priority) {
			for (const waiting of latestFirst.value!.call(this, priority)) {
				looks++;
				yield waiting;
			}
		};
		try {
			crowd(await busyLimiterWith({ remaining: 10 }), 1_000, 'bulk');
		} finally {
			Object.defineProperty(all, 'latestFirst', latestFirst);
		}
		// Itself, and the one before it.
		expect(looks).toBe(2_000 - 1);
	});

	test('is not notified while it waits for a slot anyway', async () => {
		const limiter = await busyLimiterWith({ limit: 200, remaining: 24 });
		for (let n = 0; n < 8; n++) await limiter.acquire(Infinity, undefined, undefined, 'poll');
		const until = time.clock.now() + WINDOW_MS - 3_000;
		const onWait = jest.fn();
		void limiter.acquire(Infinity, undefined, onWait, 'bulk');
		expect(onWait).not.toHaveBeenCalled();
		limiter.release(false, { limit: 200, remaining: 23, resetInMs: WINDOW_MS });
		expect(onWait.mock.calls).toEqual([[until]]);
	});

	test('is not notified while those in flight are all that are left: their responses may show more', async () => {
		const limiter = await busyLimiterWith({ remaining: 1 });
		expect(await isSent(limiter, 'poll')).toBe(true);
		const onWait = jest.fn();
		void limiter.acquire(Infinity, undefined, onWait, 'bulk');
		expect(onWait).not.toHaveBeenCalled();
	});

	test('is not a poll: it waits for a response only', async () => {
		const limiter = await limiterWith({ remaining: 6 });
		const onWait = jest.fn();
		// A third of those left may be in flight.
		for (let n = 0; n < 3; n++) void limiter.acquire(Infinity, undefined, onWait, 'poll');
		expect(onWait).not.toHaveBeenCalled();
	});
});

describe('after a pause, the reserve of the next window is kept', () => {
	const PAUSE_MS = 10_000;

	/** A rate limiter whose window has few left, a while after the beginning of a pause, before which this happened. */
	async function afterPause(
		before: (limiter: Limiter, pause: () => void) => Promise<void>,
		afterMs = PAUSE_MS,
	) {
		const limiter = await readyRateLimiter();
		await limiter.acquire(Infinity);
		await before(limiter, () => limiter.release(true, { retryInMs: PAUSE_MS }));
		time.clock.advance(afterMs);
		await beginWindow(limiter);
		return limiter;
	}

	async function beginWindow(limiter: Limiter) {
		await limiter.acquire(Infinity, undefined, undefined, 'bulk');
		limiter.release(false, { limit: 100, remaining: 5, resetInMs: WINDOW_MS });
	}

	const turnedAway = async (priority: 'poll' | 'editor' | 'single', afterMs?: number) =>
		await afterPause(async (limiter, pause) => {
			pause();
			const { slot } = await limiter.acquire(9_000, undefined, undefined, priority);
			expect(slot).toBeUndefined();
		}, afterMs);

	test('for a poll that was turned away', async () => {
		expect(await isSent(await turnedAway('poll'), 'bulk')).toBe(false);
	});

	test('for a poll that waited and could not wait for the pause', async () => {
		const limiter = await afterPause(async (own, pause) => {
			for (let n = 1; n < 10; n++) await own.acquire(Infinity, undefined, undefined, 'poll');
			const waiting = own.acquire(9_000, undefined, undefined, 'poll');
			pause();
			expect(await waiting).not.toHaveProperty('slot');
			for (let n = 1; n < 10; n++) own.release(false, {});
		});
		expect(await isSent(limiter, 'bulk')).toBe(false);
	});

	const HOUR_MS = 3_600_000;

	test.each([
		[PAUSE_MS + HOUR_MS - 1, true],
		[PAUSE_MS + HOUR_MS, false],
	])('for a poll that does not come back: %i ms after it was turned away, %s', async (ms, kept) => {
		expect(await isSent(await turnedAway('poll', ms), 'bulk')).toBe(!kept);
	});

	test('for a poll that does not come back no longer if the clock was set back', async () => {
		const limiter = await turnedAway('poll');
		time.clock.advance(-10 * HOUR_MS);
		await beginWindow(limiter);
		expect(await isSent(limiter, 'bulk')).toBe(false);
		time.clock.advance(HOUR_MS);
		await beginWindow(limiter);
		expect(await isSent(limiter, 'bulk')).toBe(true);
	});

	test.each(['editor', 'single'] as const)(
		'for no %s request that was turned away',
		async (priority) => {
			expect(await isSent(await turnedAway(priority), 'bulk')).toBe(true);
		},
	);

	test('for no other request that waited and could not wait for the pause', async () => {
		const limiter = await afterPause(async (own, pause) => {
			for (let n = 1; n < 8; n++) await own.acquire(Infinity);
			const waiting = own.acquire(9_000);
			pause();
			expect(await waiting).not.toHaveProperty('slot');
			for (let n = 1; n < 8; n++) own.release(false, {});
		});
		expect(await isSent(limiter, 'bulk')).toBe(true);
	});

	test('until a poll is sent, not any other request', async () => {
		const limiter = await turnedAway('poll');
		const left = (remaining: number) =>
			limiter.release(false, { limit: 100, remaining, resetInMs: WINDOW_MS });
		await limiter.acquire(Infinity, undefined, undefined, 'editor');
		left(4);
		expect(await isSent(limiter, 'bulk')).toBe(false);
		await limiter.acquire(Infinity, undefined, undefined, 'poll');
		left(3);
		expect(await isSent(limiter, 'bulk')).toBe(true);
	});

	test('only where the size of a window is known', async () => {
		const limiter = await readyRateLimiter();
		await limiter.acquire(Infinity);
		limiter.release(true, { retryInMs: 10_000 });
		await limiter.acquire(9_000, undefined, undefined, 'poll');
		time.clock.advance(10_000);
		await limiter.acquire(Infinity);
		limiter.release(false, {});
		expect(await isSent(limiter, 'single')).toBe(true);
	});
});
