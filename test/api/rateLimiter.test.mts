/** When each request of a token is sent. Runs of many requests are in rateLimiterSimulation. */
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import {
	type RateInfo,
	WINDOW_MS,
} from '../../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';
import {
	INITIAL_LIMIT,
	MAX_IDLE_MS,
	type Priority,
	RateLimiter,
	rateLimiterFor,
	type TurnRequest,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import {
	LAST_PART_MS,
	type RequestEnd,
	RateWindow,
} from '../../nodes/ConversationalMessaging/api/rate/rateWindow.ts';
import { pauseMs } from './simulation.mts';
import { useFakeTime } from '../support/time.mts';

const time = useFakeTime();

const READ = { isRead: true };

/** A rate limiter whose requests end in the order in which they were sent. */
class Limiter {
	private readonly sent: boolean[] = [];

	readonly rateLimiter = new RateLimiter();

	async acquire(request: Partial<TurnRequest> = {}): Promise<number | undefined> {
		const turn = { priority: 'single', isRead: false, maxWaitMs: Infinity, ...request } as const;
		const rejectedMs = await this.rateLimiter.acquire(turn);
		if (rejectedMs === undefined) this.sent.push(turn.isRead);
		return rejectedMs;
	}

	/** @param rate undefined without a response */
	release(ending: RequestEnd['ending'] = 'other', rate?: RateInfo): void {
		this.rateLimiter.release({ isRead: this.sent.shift()!, ending, rate });
	}
}

/** Runs everything that does not need time to pass. */
const settled = async () => {
	for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** Acquires this many slots and counts those that were granted. */
function crowd(limiter: Limiter, size: number, request: Partial<TurnRequest> = {}) {
	const through = { count: 0 };
	for (let i = 0; i < size; i++)
		void limiter.acquire(request).then((rejectedMs) => rejectedMs ?? through.count++);
	return through;
}

/** Whether a request is sent at once. If so, it stays in flight; otherwise, it waits. */
async function isSent(limiter: Limiter, request: Partial<TurnRequest> = {}) {
	const sent = crowd(limiter, 1, request);
	await settled();
	return sent.count === 1;
}

/** A rate limiter that has had a first response. */
async function readyLimiter(rate: RateInfo = {}): Promise<Limiter> {
	const limiter = new Limiter();
	await limiter.acquire();
	limiter.release('other', rate);
	return limiter;
}

/** A rate limiter that has had a 429, after so many more requests were sent. */
async function pausedLimiter(ms: number, inFlight = 0): Promise<Limiter> {
	const limiter = await busyLimiter(1 + inFlight);
	limiter.release('rateLimited', { retryInMs: ms });
	return limiter;
}

/** A rate limiter with requests in flight. */
async function busyLimiter(inFlight = INITIAL_LIMIT): Promise<Limiter> {
	const limiter = new Limiter();
	for (let n = 0; n < inFlight; n++) await limiter.acquire();
	return limiter;
}

/** From now on, nothing that waits ends its wait. */
function stopTime(): void {
	clock.sleep = async () => await new Promise(() => undefined);
}

const FAILURES = Array<RequestEnd['ending']>(3).fill('failed');

test.each<[what: string, endings: RequestEnd['ending'][], isRead: boolean, atOnce: number]>([
	['as many writes', Array(8).fill('succeeded'), false, 16],
	['as many reads', Array(8).fill('succeeded'), true, 32],
	['any number of reads', Array(99).fill('succeeded'), true, 64],
	['rejections and files', Array(8).fill('other'), false, 8],
	['two failures', ['failed', 'failed'], false, 8],
	['three failures', FAILURES, false, 4],
	['three failures with a success', ['failed', 'failed', 'succeeded', 'failed'], false, 9],
	['many failures', Array(20).fill('failed'), false, 4],
	['successes soon after failures', [...FAILURES, ...Array(9).fill('succeeded')], false, 4],
])(
	'8 requests at once become, after %s, as many as expected',
	async (_what, endings, isRead, atOnce) => {
		const limiter = new Limiter();
		for (const ending of endings) {
			time.clock.advance(1);
			await limiter.acquire({ isRead });
			limiter.release(ending, {});
		}
		expect(limiter.rateLimiter.atOnce).toBe(atOnce);
	},
);

test('requests that were in flight together halve it once, although one of them succeeds', async () => {
	const limiter = new Limiter();
	for (let i = 0; i < 8; i++) {
		await limiter.acquire(READ);
		limiter.release('succeeded', {});
	}
	for (let i = 0; i < 32; i++) await limiter.acquire(READ);
	for (const ending of [...FAILURES, 'succeeded'] as const) limiter.release(ending, {});
	for (let i = 0; i < 28; i++) limiter.release('failed');
	expect(limiter.rateLimiter.atOnce).toBe(16);
});

describe('a pause after a 429', () => {
	test.each<[which: string, rate: RateInfo, ms: number]>([
		['Retry-After', { retryInMs: 5_000, resetInMs: 42_000 }, 5_000],
		['the reset, without Retry-After', { resetInMs: 42_000 }, 42_000],
		['the reset, beside a Retry-After of 0', { retryInMs: 0, resetInMs: 42_000 }, 42_000],
		['a second, for less', { retryInMs: 0.1, resetInMs: 42_000 }, 1_000],
		['the rest of the window since the first response, without either', {}, WINDOW_MS - 20_000],
		['the same, with 0', { retryInMs: 0, resetInMs: 0 }, WINDOW_MS - 20_000],
	])('lasts as long as %s says', async (_which, rate, ms) => {
		const limiter = await readyLimiter();
		time.clock.advance(20_000);
		await limiter.acquire();
		limiter.release('rateLimited', rate);
		expect(await pauseMs(limiter.rateLimiter)).toBe(ms);
		await limiter.acquire();
		expect(time.waits).toStrictEqual([ms]);
	});

	test.each<[ending: RequestEnd['ending'], rate: RateInfo]>([
		['rateLimited', { retryInMs: 9_500 }],
		['rateLimited', { retryInMs: 1_000 }],
		['other', {}],
		['other', { remaining: 5, resetInMs: 1_000 }],
	])('is not changed by a request that was in flight: %s, %j', async (ending, rate) => {
		const limiter = await pausedLimiter(10_000, 1);
		time.clock.advance(500);
		limiter.release(ending, rate);
		await limiter.acquire();
		expect(time.waits).toStrictEqual([9_500]);
	});

	test.each([
		{ maxWaitMs: 9_999, isAdmitted: false },
		{ maxWaitMs: 10_000, isAdmitted: true },
	])(
		'of 10 s admits later what can wait $maxWaitMs ms: $isAdmitted',
		async ({ maxWaitMs, isAdmitted }) => {
			const limiter = await pausedLimiter(10_000);
			expect((await limiter.acquire({ maxWaitMs })) === undefined).toBe(isAdmitted);
			expect(time.waits).toStrictEqual(isAdmitted ? [10_000] : []);
			// And what waited when the pause began.
			const busy = await busyLimiter();
			const waiting = busy.acquire({ maxWaitMs });
			busy.release('rateLimited', { retryInMs: 10_000 });
			expect((await waiting) === undefined).toBe(isAdmitted);
		},
	);

	test('of more than five minutes rejects every request with the service’s word, until one may try', async () => {
		const DAY_MS = 86_000_000;
		const limiter = await busyLimiter();
		const waiting = limiter.acquire();
		for (let n = 0; n < INITIAL_LIMIT; n++) limiter.release('rateLimited', { retryInMs: DAY_MS });
		expect(await waiting).toBe(DAY_MS);
		expect(await limiter.acquire()).toBe(DAY_MS);
		time.clock.advance(299_999);
		expect(await limiter.acquire()).toBe(DAY_MS - 299_999);
		time.clock.advance(1);
		expect(await limiter.acquire()).toBeUndefined();
		// Its response decides.
		limiter.release('rateLimited', { retryInMs: 400_000 });
		expect(await limiter.acquire()).toBe(400_000);
		time.clock.advance(100_000);
		expect(time.waits).toStrictEqual([]);
		// When less than five are left, a request waits.
		expect(await limiter.acquire()).toBeUndefined();
		expect(time.waits).toStrictEqual([300_000]);
		limiter.release('other', {});
		expect(await isSent(limiter)).toBe(true);
	});

	test('ends for a waiting request, whatever the clock returns between two readings', async () => {
		for (let ms = 0.5; ms < 20; ms++) {
			const limiter = await pausedLimiter(ms + 1_000);
			time.clock.advance(1_000);
			const elapsed = clock.elapsed;
			clock.elapsed = () => {
				time.clock.advance(1);
				return elapsed();
			};
			const one = crowd(limiter, 1);
			for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
			expect(one.count).toBe(1);
			clock.elapsed = elapsed;
		}
	});

	test('does not depend on the computer’s clock, which may be set', async () => {
		const limiter = await pausedLimiter(10_000);
		const elapsed = time.clock.now();
		clock.elapsed = () => elapsed;
		time.clock.advance(-3_600_000);
		expect(await pauseMs(limiter.rateLimiter)).toBe(10_000);
	});
});

const LATER = { retryInMs: WINDOW_MS - 9_000 };

test.each<[what: string, accepted: number[], rate: RateInfo, size: number | undefined]>([
	['of one whose beginning was seen', [5, 5], LATER, 5],
	['not of the first one: others may have used it', [5], LATER, undefined],
	['nor of one that ends soon', [5, 5], { retryInMs: 1_000 }, undefined],
	['of one whose end is unknown', [5, 5], {}, 5],
	['which is more than in the window before', [5, 5, 9], LATER, 9],
	['which is less than in the window before', [5, 9, 5], LATER, 9],
	['which is less for the second time', [5, 9, 4, 5], LATER, 5],
	['which is less than a window without a 429 has accepted', [1, -9, 1, 5], LATER, 9],
	['until one accepts more without a 429', [5, 5, -9, -1], LATER, undefined],
	['until the next window, after a pause', [5, 5, 0, -1], LATER, undefined],
	['unless nothing is left', [5], { remaining: 0, retryInMs: 1_000 }, undefined],
	['unless the service says it', [5], { limit: 60, remaining: 0, retryInMs: 1_000 }, 60],
])(
	'the size of a window is what it accepted before its first 429, %s: %j (negative without a 429)',
	(_what, accepted, rate, size) => {
		const window = new RateWindow();
		let now = time.clock.now();
		const send = (ending: RequestEnd['ending'], said: RateInfo) => {
			window.requestStarts(false);
			window.requestEnds({ isRead: false, ending, rate: said }, now);
		};
		for (const count of accepted) {
			for (let n = 0; n < Math.abs(count); n++) send('succeeded', {});
			now += 9_000;
			for (let n = 0; count > 0 && n < 2; n++) send('rateLimited', rate);
			now += rate.retryInMs ?? WINDOW_MS - 9_000;
		}
		expect(window.size).toBe(size);
	},
);

describe('reads', () => {
	test('neither wait nor count as long as only writes are limited', async () => {
		const limiter = await readyLimiter({ limit: 60, remaining: 1, resetInMs: WINDOW_MS });
		await limiter.acquire(READ);
		limiter.release('other', {});
		await limiter.acquire({ priority: 'urgent' });
		// As many writes are in flight as may be.
		expect(await isSent(limiter, READ)).toBe(true);
		limiter.release('rateLimited', { retryInMs: 20_000 });
		const reads = crowd(limiter, 5, { ...READ, priority: 'bulk' });
		await settled();
		expect(reads.count).toBe(5);
		expect(await pauseMs(limiter.rateLimiter, true)).toBe(0);
		expect(limiter.rateLimiter.windowSize).toBeUndefined();
		// Nor do those in flight keep a write from the next window.
		time.clock.advance(20_000);
		expect(await isSent(limiter)).toBe(true);
	});

	test('wait like writes once one of them has met a 429', async () => {
		const limiter = new Limiter();
		await limiter.acquire(READ);
		limiter.release('rateLimited', { retryInMs: 10_000 });
		expect(await limiter.acquire({ ...READ, maxWaitMs: 5_000 })).toBe(10_000);
		expect(await limiter.acquire({ maxWaitMs: 5_000 })).toBe(10_000);
	});

	test('count once one of them reports what is left', async () => {
		const limiter = new Limiter();
		await limiter.acquire(READ);
		limiter.release('other', { limit: 60, remaining: 9 });
		expect(limiter.rateLimiter.windowSize).toBe(60);
	});
});

test('people and polls come first; single requests come before bulk, unless that came more than a window earlier', async () => {
	const limiter = await busyLimiter();
	const order: string[] = [];
	const names = ['bulk 1', 'bulk 2', 'single 1', 'single 2', 'urgent 1', 'urgent 2', 'single 3'];
	for (const name of names) {
		const priority = name.split(' ')[0] as Priority;
		void limiter.acquire({ priority }).then(() => order.push(name));
		time.clock.advance(0.4 * WINDOW_MS);
	}
	for (let n = 0; n < names.length; n++) limiter.release();
	await settled();
	expect(order.join()).toBe('urgent 1,urgent 2,single 1,bulk 1,single 2,bulk 2,single 3');
});

describe('what is left for others', () => {
	/** A rate limiter in a window that has just begun, with many more requests to come. */
	async function limiterWith(remaining: number, size = 100, rate: RateInfo = { limit: size }) {
		const limiter = new Limiter();
		// This process has used what is missing.
		for (let used = 1; used <= size - remaining; used++) {
			await limiter.acquire({ priority: 'urgent' });
			limiter.release('other', { ...rate, remaining: size - used, resetInMs: WINDOW_MS });
		}
		limiter.rateLimiter.announce(1_000);
		return limiter;
	}

	test.each([
		{ priority: 'bulk', reserve: 0.1, left: 11 },
		{ priority: 'single', reserve: 0.1, left: 6 },
		{ priority: 'urgent', reserve: 0.1, left: 1 },
		{ priority: 'bulk', reserve: 0.5, left: 51 },
		{ priority: 'bulk', reserve: 0, left: 1 },
	] as const)(
		'with a reserve of $reserve, $priority requests are sent while $left of 100 are left',
		async ({ priority, reserve, left }) => {
			for (const remaining of [left, left - 1]) {
				const limiter = await limiterWith(remaining);
				stopTime();
				limiter.rateLimiter.reserve = reserve;
				expect(await isSent(limiter, { priority })).toBe(remaining === left);
			}
		},
	);

	test('is a share of the most that was left, if the service does not report the size of a window', async () => {
		for (const remaining of [11, 10]) {
			const limiter = await limiterWith(remaining, 100, {});
			stopTime();
			expect(await isSent(limiter, { priority: 'bulk' })).toBe(remaining === 11);
		}
	});

	test.each([
		{ size: 1, isSentNow: true },
		{ size: 2, isSentNow: false },
		{ size: 9, isSentNow: false },
	])('is one request of a small window, but never all of $size', async ({ size, isSentNow }) => {
		const limiter = await limiterWith(1, size);
		stopTime();
		expect(await isSent(limiter, { priority: 'bulk' })).toBe(isSentNow);
	});

	test('is not used at all if others use the window', async () => {
		const limiter = await readyLimiter({ limit: 100, remaining: 5, resetInMs: WINDOW_MS });
		await limiter.acquire({ priority: 'bulk' });
		expect(time.waits).toStrictEqual([WINDOW_MS]);
	});

	test('rejects bulk requests of a poll that cannot wait until it is free', async () => {
		const limiter = await limiterWith(5);
		const lastPartMs = WINDOW_MS - LAST_PART_MS;
		expect(await limiter.acquire({ priority: 'bulk', maxWaitMs: 10_000 })).toBe(lastPartMs);
		time.clock.advance(lastPartMs - 7_000);
		expect(await limiter.acquire({ priority: 'bulk', maxWaitMs: 10_000 })).toBeUndefined();
		expect(time.waits).toStrictEqual([7_000]);
	});
});

test('a request that has waited for its whole time is rejected; one that was sent leaves no timer', async () => {
	const limiter = new Limiter();
	for (let n = 0; n < INITIAL_LIMIT; n++) await limiter.acquire({ timeoutMs: 30_000 });
	expect(time.limits).toStrictEqual([]);
	const waiting = limiter.acquire({ timeoutMs: 30_000 });
	expect(time.limits).toStrictEqual([30_000]);
	time.expire();
	expect(await waiting).toBe(0);
});

describe('the rate limiters of a process', () => {
	test('all nodes of a process share one per key', () => {
		expect(rateLimiterFor('a')).toBe(rateLimiterFor('a'));
		expect(rateLimiterFor('a')).not.toBe(rateLimiterFor('b'));
	});

	test.each([
		['its last request began', async (limiter: RateLimiter) => void (await pauseMs(limiter))],
		[
			'its last request ended',
			async (limiter: RateLimiter) => {
				limiter.release({ isRead: true, ending: 'other' });
			},
		],
	])(
		'one is kept for an hour after %s, and not longer, although others come',
		async (_what, use) => {
			for (const [ms, isKept] of [
				[MAX_IDLE_MS - 1, true],
				[MAX_IDLE_MS, false],
			] as const) {
				rateLimiterFor('steady');
				const key = `key ${time.clock.now()}`;
				const limiter = rateLimiterFor(key);
				time.clock.advance(1_000);
				await use(limiter);
				time.clock.advance(ms);
				rateLimiterFor('steady');
				expect(rateLimiterFor(key) === limiter).toBe(isKept);
			}
		},
	);
});

test('of thousands of executions that wait at once, each event looks at a few, not at all', async () => {
	const limiter = await readyLimiter({ limit: 100, remaining: 5, resetInMs: WINDOW_MS });
	stopTime();
	const looks = jest.spyOn(RateWindow.prototype, 'opensAt');
	crowd(limiter, 2_000, { priority: 'bulk' });
	await settled();
	expect(looks.mock.calls.length).toBeLessThan(2_000 * 20);
	looks.mockRestore();
});
