/** When each request of a token is sent. Runs of many requests are in rateLimiterSimulation. */
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import type { RateInfo } from '../../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';
import {
	type Completed,
	INITIAL_LIMIT,
	MAX_IDLE_MS,
	type Priority,
	RateLimiter,
	rateLimiterFor,
	type TurnRequest,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import { RateWindow } from '../../nodes/ConversationalMessaging/api/rate/rateWindow.ts';
import { pauseMs } from './simulation.mts';
import { useFakeTime } from '../support/time.mts';

const time = useFakeTime();

const WINDOW_MS = 60_000;

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
	release(isRateLimited: boolean, rate?: RateInfo, ending: Completed['ending'] = 'other'): void {
		this.rateLimiter.release({ isRead: this.sent.shift()!, ending, isRateLimited, rate });
	}
}

/** Runs everything that does not need time to pass. */
const settled = async () => {
	for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** Advances the time for waiting requests. */
const later = async () => await new Promise((resolve) => setImmediate(resolve));

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
	limiter.release(false, rate);
	return limiter;
}

/** A rate limiter that has had a 429, after so many more requests were sent. */
async function pausedLimiter(ms: number, inFlight = 0): Promise<Limiter> {
	const limiter = new Limiter();
	await limiter.acquire();
	for (let n = 0; n < inFlight; n++) await limiter.acquire();
	limiter.release(true, { retryInMs: ms });
	return limiter;
}

/** From now on, nothing that waits ends its wait. */
function stopTime(): void {
	clock.sleep = async () => await new Promise(() => undefined);
}

test('once a request is rejected, what is left is enough for another, which is sent at once', async () => {
	const rate = (remaining: number) => ({ limit: 4, remaining, resetInMs: WINDOW_MS });
	const limiter = await readyLimiter(rate(3));
	await limiter.acquire();
	const first = crowd(limiter, 1);
	const impatient = limiter.acquire({ maxWaitMs: 5_000 });
	const patient = crowd(limiter, 1);
	limiter.release(false, rate(2));
	await settled();
	expect(first.count).toBe(1);
	limiter.release(false, rate(1));
	expect(await impatient).toBeGreaterThan(5_000);
	await settled();
	expect(patient.count).toBe(1);
});

describe('how many at once', () => {
	/** A rate limiter after these requests, one after another. */
	async function limiterAfter(endings: Completed['ending'][]) {
		const limiter = new Limiter();
		for (const ending of endings) {
			time.clock.advance(1);
			await limiter.acquire();
			limiter.release(false, {}, ending);
		}
		return limiter;
	}

	const FAILURES = Array<Completed['ending']>(3).fill('failed');

	test.each<[what: string, endings: Completed['ending'][], atOnce: number]>([
		['as many writes', Array(8).fill('written'), 16],
		['as many reads', Array(8).fill('read'), 32],
		['any number of reads', Array(99).fill('read'), 64],
		['rejections and files', Array(8).fill('other'), 8],
		['two failures', ['failed', 'failed'], 8],
		['three failures', Array(3).fill('failed'), 4],
		['three failures with a success between', ['failed', 'failed', 'written', 'failed'], 9],
		['many failures', Array(20).fill('failed'), 4],
		['successes less than a minute after failures', [...FAILURES, ...Array(9).fill('written')], 4],
	])('8 at once become, after %s, as many as expected', async (_what, endings, atOnce) => {
		expect((await limiterAfter(endings)).rateLimiter.atOnce).toBe(atOnce);
	});

	test('they grow again a minute after the last failures', async () => {
		const limiter = await limiterAfter(FAILURES);
		for (const [ms, atOnce] of [
			[59_999, 4],
			[1, 5],
		] as const) {
			time.clock.advance(ms);
			await limiter.acquire();
			limiter.release(false, {}, 'written');
			expect(limiter.rateLimiter.atOnce).toBe(atOnce);
		}
	});

	test('requests that were sent before it was halved do not halve it again', async () => {
		const limiter = await limiterAfter(Array(8).fill('written'));
		for (let n = 0; n < 16; n++) await limiter.acquire();
		for (let n = 0; n < 16; n++) limiter.release(false, {}, 'failed');
		expect(limiter.rateLimiter.atOnce).toBe(8);
	});

	test('a sixteenth of what is reported as left, at least one', async () => {
		for (const [remaining, atOnce] of [
			[100, 6],
			[50, 3],
			[12, 1],
		] as const) {
			const limiter = await readyLimiter({ limit: 200, remaining, resetInMs: WINDOW_MS });
			stopTime();
			const sent = crowd(limiter, 60, { priority: 'urgent' });
			await settled();
			expect(sent.count).toBe(atOnce);
		}
	});
});

describe('a pause after a 429', () => {
	test.each<[which: string, rate: RateInfo, ms: number]>([
		['Retry-After', { retryInMs: 5_000, resetInMs: 42_000 }, 5_000],
		['the reset, without Retry-After', { resetInMs: 42_000 }, 42_000],
		[
			'the reset, beside a Retry-After that says nothing',
			{ retryInMs: 0, resetInMs: 42_000 },
			42_000,
		],
		['the rest of the minute since the first response, without either', {}, 40_000],
		['the same, with less than a second', { retryInMs: 999, resetInMs: 0.1 }, 40_000],
	])('lasts as long as %s says', async (_which, rate, ms) => {
		const limiter = await readyLimiter();
		time.clock.advance(20_000);
		await limiter.acquire();
		limiter.release(true, rate);
		expect(await pauseMs(limiter.rateLimiter)).toBe(ms);
		await limiter.acquire();
		expect(time.waits).toStrictEqual([ms]);
	});

	test('also begins when the service reports that nothing is left', async () => {
		const limiter = await readyLimiter({ remaining: 0, resetInMs: 30_000 });
		await limiter.acquire();
		expect(time.waits).toStrictEqual([30_000]);
	});

	test.each<[isRateLimited: boolean, rate: RateInfo]>([
		[true, { retryInMs: 9_500 }],
		[true, { retryInMs: 1_000 }],
		[false, {}],
		[false, { remaining: 5, resetInMs: 1_000 }],
	])(
		'is not changed by the response to a request that was in flight: a 429: %j, which says %j',
		async (isRateLimited, rate) => {
			const limiter = await pausedLimiter(10_000, 1);
			time.clock.advance(500);
			limiter.release(isRateLimited, rate);
			await limiter.acquire();
			expect(time.waits).toStrictEqual([9_500]);
		},
	);

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
			const busy = new Limiter();
			for (let n = 0; n < INITIAL_LIMIT; n++) await busy.acquire();
			const waiting = busy.acquire({ maxWaitMs });
			busy.release(true, { retryInMs: 10_000 });
			expect((await waiting) === undefined).toBe(isAdmitted);
		},
	);

	describe('of more than five minutes', () => {
		const DAY_MS = 86_000_000;

		/** A rate limiter that was told to wait for a day, and a request that waits already. */
		async function blocked() {
			const limiter = new Limiter();
			for (let n = 0; n < INITIAL_LIMIT; n++) await limiter.acquire();
			const waiting = limiter.acquire();
			for (let n = 0; n < INITIAL_LIMIT; n++) limiter.release(true, { retryInMs: DAY_MS });
			return { limiter, waiting };
		}

		test('rejects every request, with the service’s word', async () => {
			const { limiter, waiting } = await blocked();
			expect(await waiting).toBe(DAY_MS);
			expect(await limiter.acquire()).toBe(DAY_MS);
			expect(time.waits).toStrictEqual([]);
		});

		test('lets requests try again after five minutes, whose responses decide', async () => {
			const { limiter, waiting } = await blocked();
			await waiting;
			time.clock.advance(299_999);
			expect(await limiter.acquire()).toBe(DAY_MS - 299_999);
			time.clock.advance(1);
			expect(await limiter.acquire()).toBeUndefined();
			limiter.release(true, { retryInMs: 400_000 });
			expect(await limiter.acquire()).toBe(400_000);
			time.clock.advance(300_000);
			expect(await limiter.acquire()).toBeUndefined();
			limiter.release(false, {});
			expect(await limiter.acquire()).toBeUndefined();
			expect(time.waits).toStrictEqual([]);
		});

		test('whoever comes when less than five are left, waits', async () => {
			const limiter = await pausedLimiter(400_000);
			time.clock.advance(100_000);
			expect(await limiter.acquire()).toBeUndefined();
			expect(time.waits).toStrictEqual([300_000]);
		});
	});

	test.each([0, 1, 5, 11])(
		'ends for a waiting request, whatever the clock returns between two readings (%i ms)',
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

	test('does not depend on the computer’s clock, which may be set', async () => {
		const limiter = await pausedLimiter(10_000);
		const elapsed = time.clock.now();
		clock.elapsed = () => elapsed;
		time.clock.advance(-3_600_000);
		expect(await pauseMs(limiter.rateLimiter)).toBe(10_000);
	});
});

describe('reads', () => {
	const READ = { isRead: true };

	test('neither wait nor count as long as only writes are limited', async () => {
		const limiter = await readyLimiter({ limit: 60, remaining: 1, resetInMs: WINDOW_MS });
		await limiter.acquire();
		limiter.release(true, { retryInMs: 20_000 });
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
		limiter.release(true, { retryInMs: 10_000 });
		expect(await limiter.acquire({ ...READ, maxWaitMs: 5_000 })).toBe(10_000);
		expect(await limiter.acquire({ maxWaitMs: 5_000 })).toBe(10_000);
	});

	test('count once one of them reports what is left', async () => {
		const limiter = new Limiter();
		await limiter.acquire(READ);
		limiter.release(false, { limit: 60, remaining: 9 });
		expect(limiter.rateLimiter.windowSize).toBe(60);
	});
});

test('people and polls come first, then single requests, then bulk; of each, the first one', async () => {
	const limiter = new Limiter();
	for (let n = 0; n < INITIAL_LIMIT; n++) await limiter.acquire();
	const order: string[] = [];
	for (const name of [
		'bulk 1',
		'bulk 2',
		'single 1',
		'single 2',
		'urgent 1',
		'urgent 2',
		'urgent 3',
	]) {
		const priority = name.split(' ')[0] as Priority;
		void limiter.acquire({ priority }).then(() => order.push(name));
	}
	for (let n = 0; n < INITIAL_LIMIT; n++) limiter.release(false, {});
	await settled();
	expect(order).toStrictEqual([
		'urgent 1',
		'urgent 2',
		'urgent 3',
		'single 1',
		'single 2',
		'bulk 1',
		'bulk 2',
	]);
});

test.each<[earlier: Priority, later: Priority, headStartMs: number]>([
	['bulk', 'single', 60_000],
	['bulk', 'urgent', Infinity],
	['single', 'urgent', Infinity],
])(
	'a waiting %s comes before an %s that came more than %i ms later',
	async (earlier, later, ms) => {
		for (const laterBy of [Math.min(ms - 1, 3_600_000), ms + 1]) {
			if (laterBy === Infinity) continue;
			const limiter = await readyLimiter();
			for (let n = 0; n < INITIAL_LIMIT; n++) await limiter.acquire();
			const order: Priority[] = [];
			void limiter.acquire({ priority: earlier }).then(() => order.push(earlier));
			time.clock.advance(laterBy);
			void limiter.acquire({ priority: later }).then(() => order.push(later));
			for (let n = 0; n < INITIAL_LIMIT; n++) limiter.release(false);
			await settled();
			expect(order[0]).toBe(laterBy < ms ? later : earlier);
		}
	},
);

describe('what is left for others', () => {
	/** More requests than any window of these tests has left. */
	const MANY = 1_000;

	/** A rate limiter in a window of 100 that has just begun, with many more requests to come. */
	async function busyLimiter(remaining: number, rate: RateInfo = { limit: 100 }) {
		const limiter = new Limiter();
		// This process has used what is missing.
		for (let used = 1; used <= 100 - remaining; used++) {
			await limiter.acquire({ priority: 'urgent' });
			limiter.release(false, { ...rate, remaining: 100 - used, resetInMs: WINDOW_MS });
		}
		limiter.rateLimiter.announce(MANY);
		stopTime();
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
				const limiter = await busyLimiter(remaining);
				limiter.rateLimiter.reserve = reserve;
				expect(await isSent(limiter, { priority })).toBe(remaining === left);
			}
		},
	);

	test('is used by requests that wait for it, once a run that was stopped needs no more', async () => {
		const limiter = await busyLimiter(5);
		const waiting = crowd(limiter, 4, { priority: 'bulk' });
		limiter.rateLimiter.announce(2 - MANY);
		await settled();
		expect(waiting.count).toBe(0);
		limiter.rateLimiter.announce(-1);
		await settled();
		// One may be in flight when five are left.
		expect(waiting.count).toBe(1);
	});

	test('is not used at all if others use the window', async () => {
		const limiter = await readyLimiter({ limit: 100, remaining: 5, resetInMs: WINDOW_MS });
		expect(await isSent(limiter, { priority: 'bulk' })).toBe(false);
		await later();
		expect(time.waits).toStrictEqual([WINDOW_MS]);
	});

	test('rejects bulk requests of a poll that cannot wait until it is free', async () => {
		const limiter = await busyLimiter(5);
		const bulk = { priority: 'bulk', maxWaitMs: 10_000 } as const;
		expect(await limiter.acquire(bulk)).toBe(57_000);
		time.clock.advance(50_000);
		const waiting = crowd(limiter, 1, bulk);
		time.clock.advance(7_000);
		expect(waiting.count).toBe(0);
		limiter.rateLimiter.announce(-1);
		await settled();
		expect(waiting.count).toBe(1);
	});

	test('is a share of the most that was left, if the service does not report the size of a window', async () => {
		for (const remaining of [11, 10]) {
			const limiter = await busyLimiter(remaining, {});
			expect(await isSent(limiter, { priority: 'bulk' })).toBe(remaining === 11);
		}
	});

	test('nothing of a window of one request', async () => {
		const limiter = await readyLimiter({ limit: 1, remaining: 1 });
		limiter.rateLimiter.announce(MANY);
		expect(await isSent(limiter, { priority: 'bulk' })).toBe(true);
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

	test('those of thousands of short-lived tokens do not pile up', () => {
		const made = Array.from({ length: 200 }, (_, n) => {
			time.clock.advance(MAX_IDLE_MS / 100);
			return rateLimiterFor(`short-lived ${n}`);
		});
		// The last hundred are not idle yet.
		for (const n of [199, 120]) expect(rateLimiterFor(`short-lived ${n}`)).toBe(made[n]);
		for (const n of [0, 80]) expect(rateLimiterFor(`short-lived ${n}`)).not.toBe(made[n]);
	});

	test('one that is used is kept, however long ago it was asked for first', async () => {
		const kept = rateLimiterFor('kept');
		for (let n = 0; n < 5; n++) {
			time.clock.advance(MAX_IDLE_MS / 2);
			expect(rateLimiterFor('kept')).toBe(kept);
			await pauseMs(kept);
			rateLimiterFor(`beside it ${n}`);
		}
	});

	test('one is idle ten minutes after its last response, and not before', async () => {
		const { rateLimiter } = await readyLimiter();
		const responded = time.clock.now();
		expect(rateLimiter.isIdle(responded + MAX_IDLE_MS - 1)).toBe(false);
		expect(rateLimiter.isIdle(responded + MAX_IDLE_MS)).toBe(true);
	});

	test('none is idle while a request is in flight, waits or is announced', async () => {
		const end = time.clock.now() + 2 * MAX_IDLE_MS;
		const inFlight = new Limiter();
		await inFlight.acquire();
		const waiting = await pausedLimiter(10_000);
		const one = waiting.acquire();
		const announced = new Limiter();
		announced.rateLimiter.announce(1);
		const all = [inFlight, waiting, announced];
		expect(all.map(({ rateLimiter }) => rateLimiter.isIdle(end))).toStrictEqual(
			Array(3).fill(false),
		);
		await one;
	});
});

test('of thousands of executions that wait at once, each event looks at a few, not at all', async () => {
	const looks = jest.spyOn(RateWindow.prototype, 'opensAt');
	const limiter = new Limiter();
	crowd(limiter, 2_000);
	await settled();
	expect(looks.mock.calls.length).toBeLessThan(2_000 * 20);
	looks.mockRestore();
});
