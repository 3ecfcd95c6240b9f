/**
 * The rate limiter against simulated services, in simulated time: how many requests it sends at once, how it uses the
 * windows of a rate limit, and what it leaves to others.
 */
import fc from 'fast-check';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { forEachAtServicePace } from '../../nodes/ConversationalMessaging/api/servicePace.ts';
import { forEachConcurrent } from '../../nodes/ConversationalMessaging/api/base/concurrency.ts';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { RateLimiter } from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import { type ServiceOptions, sendOne, SimulatedService, SimulatedTime } from './simulation.mts';
import { seededRandom } from '../../sandbox/random.mts';
import { runs } from '../support/runs.mts';

const WINDOW_MS = 60_000;

let time = new SimulatedTime(Math.random);
afterEach(() => time.restore());

/** Begins simulated time. The same seed gives the same course of events. */
function begin(options: ServiceOptions, seed = 1): SimulatedService {
	time.restore();
	time = new SimulatedTime(seededRandom(seed)).install();
	return new SimulatedService(time, options);
}

/** Sends the requests of one execution, as the action node does. Returns how many of them failed. */
async function bulk(
	service: SimulatedService,
	rateLimiter: RateLimiter,
	count: number,
	endpoint?: string,
) {
	const client = { rateLimiter, priority: 'single' } as ServiceClient;
	let failed = 0;
	await forEachAtServicePace(client, Array(count).fill(0), async (_, { priority }) => {
		if (!(await sendOne(service, rateLimiter, { priority, endpoint }))) failed++;
	});
	return failed;
}

async function run(options: ServiceOptions, count: number, seed?: number, endpoint?: string) {
	const service = begin(options, seed);
	let failed = 0;
	const work = bulk(service, new RateLimiter(), count, endpoint).then(
		(number) => (failed = number),
	);
	return { service, ms: await time.passUntil(work), failed };
}

const seeds = fc.integer({ min: 1, max: 1_000_000 });
const latencies = fc.integer({ min: 1, max: 100 });
const sometimes = { numRuns: runs(2, 20) };

describe('as many requests at once as the service can handle', () => {
	test.each([
		{ endpoint: 'PATCH /a', capacity: 4, atMost: 32, times: 1.05 },
		{ endpoint: 'PATCH /a', capacity: 16, atMost: 64, times: 1.1 },
		{ endpoint: 'GET /a', capacity: 4, atMost: 32, times: 1.05 },
		{ endpoint: 'GET /a', capacity: 16, atMost: 64, times: 1.25 },
	])(
		'1,000 $endpoint at a service that handles $capacity take at most $times times as long as they must, with $atMost in flight',
		async ({ endpoint, capacity, atMost, times }) => {
			await fc.assert(
				fc.asyncProperty(
					seeds,
					fc.double({ min: 0, max: 0.3, noNaN: true }),
					fc.constantFrom(0, 100_000),
					async (seed, jitter, perWindow) => {
						const reports = 'every response' as const;
						const options = { capacity, latencyMs: 50, jitter, perWindow, reports };
						const { service, ms, failed } = await run(options, 1_000, seed, endpoint);
						expect(failed).toBe(0);
						expect(service.mostInFlight).toBeLessThanOrEqual(atMost);
						expect(ms / ((1_000 * 50) / capacity)).toBeLessThanOrEqual(times);
					},
				),
				sometimes,
			);
		},
	);

	test('1,000 at a service that handles any number run up to 64 at once, six times as fast as 8 at once', async () => {
		const { service, ms } = await run({ latencyMs: 50 }, 1_000);
		expect(service.mostInFlight).toBe(64);
		expect(ms).toBeLessThanOrEqual((1_000 / 8) * 50 * 0.17);
	});

	test.each([
		{ before: 'nothing before it', polls: 0 },
		{ before: 'polls of the same list with one row at 2 ms before it', polls: 100 },
	])(
		'40 pages, with $before, take three times the latency: the first, then 8, and the rest',
		async ({ polls }) => {
			const endpoint = 'GET /tickets';
			const latencyOf = { [endpoint]: 2 };
			const service = begin({ latencyOf });
			const rateLimiter = new RateLimiter();
			for (let n = 0; n < polls; n++)
				await time.passUntil(sendOne(service, rateLimiter, { priority: 'poll', endpoint }));
			latencyOf[endpoint] = 100;
			const pages = async () => {
				await sendOne(service, rateLimiter, { priority: 'single', endpoint });
				await bulk(service, rateLimiter, 39, endpoint);
			};
			expect(await time.passUntil(pages())).toBe(300);
			// The next list in the same minute takes no longer.
			expect(await time.passUntil(pages())).toBeLessThanOrEqual(300);
		},
	);

	test.each([
		{ is: 'twice as slow as in a burst before', drifts: () => 2, times: 1.2 },
		{ is: 'slower and slower', drifts: (ms: number) => 1 + ms / 5_000, times: 1.3 },
		{
			is: 'faster and faster',
			drifts: (ms: number) => 2 - Math.min(1, ms / 5_000),
			times: 1.3,
		},
	])(
		'a burst at a service that is $is takes hardly longer than a first one',
		async ({ drifts, times }) => {
			await fc.assert(
				fc.asyncProperty(seeds, latencies, async (seed, latencyMs) => {
					const options = { latencyMs, jitter: 0.15 };
					const first = await run({ ...options, drifts }, 1_000, seed);
					const service = begin(options, seed);
					const rateLimiter = new RateLimiter();
					await time.passUntil(bulk(service, rateLimiter, 1_000));
					service.beginDrift(drifts);
					const second = await time.passUntil(bulk(service, rateLimiter, 1_000));
					expect(second / first.ms).toBeLessThanOrEqual(times);
				}),
				sometimes,
			);
		},
	);

	test('endpoints of different latency, mixed at random, do not slow each other down', async () => {
		await fc.assert(
			fc.asyncProperty(seeds, async (seed) => {
				const latencyOf = { 'GET /a': 10, 'GET /b': 100, 'PATCH /c': 300 };
				const service = begin({ latencyOf, jitter: 0.15 }, seed);
				const rateLimiter = new RateLimiter();
				const client = { rateLimiter, priority: 'single' } as ServiceClient;
				const endpoints = Object.keys(latencyOf);
				const all = Array.from({ length: 1_000 }, () => endpoints[Math.floor(clock.random() * 3)]);
				const ms = await time.passUntil(
					forEachAtServicePace(client, all, async (endpoint, { priority }) => {
						await sendOne(service, rateLimiter, { priority, endpoint });
					}),
				);
				expect(ms).toBeLessThan(service.workedMs / 30);
			}),
			sometimes,
		);
	});

	test.each([503, 'no response'])(
		'a service that answers with %s above 10 requests at once is not kept above 10',
		async (answer) => {
			const service = begin({ latencyMs: 50, breaksAbove: 10, breaksWith: answer });
			await time.passUntil(bulk(service, new RateLimiter(), 1_000));
			// It looks for more now and then, in steps of a quarter.
			expect(service.broken).toBeLessThan(150);
			expect(service.accepted + service.broken).toBe(1_000);
		},
	);

	test('a minute after a service has failed, a run takes as long as a first one', async () => {
		const rateLimiter = new RateLimiter();
		const broken = begin({ fails: 1 });
		await time.passUntil(bulk(broken, rateLimiter, 100));
		expect(rateLimiter.atOnce).toBe(4);
		await time.passUntil(time.sleep(60_000));
		const service = new SimulatedService(time, { latencyMs: 50 });
		const ms = await time.passUntil(bulk(service, rateLimiter, 1_000));
		const first = await run({ latencyMs: 50 }, 1_000);
		expect(ms / first.ms).toBeLessThanOrEqual(1.1);
	});

	/** The standard deviation of the latency's logarithm is 1. */
	const lognormal = (random: number) =>
		Math.exp(Math.log((random + 0.001) / (1.001 - random)) * 0.55);

	test.each([
		{ latency: 'vary much', varies: lognormal },
		{ latency: 'are short or 40 times as long', varies: (n: number) => (n < 0.5 ? 0.1 : 4) },
		{ latency: 'are mostly short', varies: (n: number) => (n < 0.9 ? 0.4 : 10) },
	])('latencies that $latency are no reason for fewer than 8 at once', async ({ varies }) => {
		await fc.assert(
			fc.asyncProperty(seeds, async (seed) => {
				const { service, ms } = await run({ latencyMs: 50, varies }, 1_000, seed);
				expect(ms).toBeLessThan(service.workedMs / 7);
			}),
			sometimes,
		);
	});

	test.each([
		{ fails: 0.05, times: 1.1 },
		{ fails: 0.1, times: 1.7 },
		{ fails: 0.3, times: 2 },
	])(
		'records that fail (a share of $fails) make a run at most $times times as long as 8 at once',
		async ({ fails, times }) => {
			await fc.assert(
				fc.asyncProperty(seeds, async (seed) => {
					const { service, ms } = await run({ latencyMs: 50, fails }, 1_000, seed);
					expect(ms).toBeLessThan((service.workedMs / 8) * times);
				}),
				sometimes,
			);
		},
	);

	test('a service that becomes slow for another reason is not given up', async () => {
		const service = begin({ latencyMs: 50 });
		const rateLimiter = new RateLimiter();
		const work = async () => {
			await bulk(service, rateLimiter, 500);
			service.latencyMs = 500;
			await bulk(service, rateLimiter, 1_000);
		};
		// With 8 at once, the thousand would take 63 s.
		expect(await time.passUntil(work())).toBeLessThan(13_000);
	});
});

describe('never more than the window has left', () => {
	const ENDPOINTS = fc.constantFrom('POST /messages', 'GET /tickets');

	const ROWS = [
		{ reports: 'every response', first: 0, later: 0, windows: ['first request', 'fixed'] },
		{ reports: 'length as reset', first: 0, later: 0, windows: ['first request', 'fixed'] },
		{ reports: 'first response', first: 8, later: 2, windows: ['first request', 'fixed'] },
		{ reports: 'Retry-After', first: 64, later: 4, windows: ['first request', 'fixed'] },
		// Where nothing tells when fixed windows begin, a part of a window can be lost.
		{ reports: 'nothing', first: 64, later: 4, windows: ['first request'] },
	] as const;

	test.each(ROWS)(
		'300 requests under 60 per window, reported by $reports: hardly longer than four windows, at most $first 429s in the first and $later in each other',
		async ({ reports, first, later, windows }) => {
			const begins = fc.constantFrom(...windows);
			await fc.assert(
				fc.asyncProperty(
					seeds,
					latencies,
					begins,
					ENDPOINTS,
					async (seed, latencyMs, windows, endpoint) => {
						const options = { latencyMs, jitter: 0.1, perWindow: 60, windows, reports };
						const { service, ms, failed } = await run(options, 300, seed, endpoint);
						expect(failed).toBe(0);
						const [inFirst = 0, ...inOthers] = service.rejectedPerWindow;
						expect(inFirst).toBeLessThanOrEqual(first);
						expect(Math.max(0, ...inOthers)).toBeLessThanOrEqual(later);
						expect(ms / (4 * WINDOW_MS)).toBeLessThanOrEqual(1.035);
					},
				),
				sometimes,
			);
		},
	);

	test.each([240, 30])(
		'a window of 60 that becomes %i is found out, when only the 429 tells',
		async (perWindow) => {
			const service = begin({ latencyMs: 20, perWindow: 60, reports: 'Retry-After' });
			const rateLimiter = new RateLimiter();
			await time.passUntil(bulk(service, rateLimiter, 200));
			service.perWindow = perWindow;
			service.rejected = 0;
			const ms = await time.passUntil(bulk(service, rateLimiter, 4 * perWindow));
			expect(ms).toBeLessThan(5 * WINDOW_MS);
			expect(service.rejected).toBeLessThanOrEqual(perWindow === 240 ? 64 : 40);
		},
	);

	test.each([1, 20])(
		'a token bucket that refills %i a second is used as it refills',
		async (perSecond) => {
			const service = begin({
				latencyMs: 20,
				perWindow: perSecond,
				windowMs: 1_000,
				reports: 'Retry-After',
			});
			const ms = await time.passUntil(bulk(service, new RateLimiter(), 60 * perSecond));
			expect(ms).toBeLessThan(2.2 * WINDOW_MS);
		},
	);

	test.each(['every response', 'Retry-After', 'nothing'] as const)(
		'two processes with one token use all of each window (%s)',
		async (reports) => {
			const service = begin({ latencyMs: 50, perWindow: 120, reports });
			const both = [bulk(service, new RateLimiter(), 300), bulk(service, new RateLimiter(), 300)];
			const ms = await time.passUntil(Promise.all(both));
			expect(await Promise.all(both)).toStrictEqual([0, 0]);
			// The learned shares of a window do not always add up to it.
			expect(ms / (4 * WINDOW_MS)).toBeLessThanOrEqual(reports === 'every response' ? 1.05 : 1.35);
			// At first, up to 64 of each process.
			expect(service.rejected).toBeLessThanOrEqual(reports === 'every response' ? 20 : 160);
		},
	);
});

describe('bulk work leaves room for others', () => {
	const REPORTS = ['every response', 'Retry-After', 'nothing'] as const;

	/** Sends a poll of three requests every so often, and returns how long each took, in milliseconds. */
	async function polls(service: SimulatedService, rateLimiter: RateLimiter, count: number) {
		const took: number[] = [];
		for (let n = 0; n < count; n++) {
			await time.sleep(13_000);
			const started = clock.now();
			for (let request = 0; request < 3; request++)
				while (!(await sendOne(service, rateLimiter, { priority: 'poll', maxWaitMs: 22_000 })))
					await time.sleep(13_000);
			took.push(clock.now() - started);
		}
		return took;
	}

	test.each(REPORTS.flatMap((reports) => [1, 2].map((processes) => ({ reports, processes }))))(
		'a poll gets through at once once the window is known, with bulk work in $processes process(es), reported by $reports',
		async ({ reports, processes }) => {
			const service = begin({ latencyMs: 50, perWindow: 240, reports });
			const rateLimiter = new RateLimiter();
			const other = processes === 1 ? rateLimiter : new RateLimiter();
			let took: number[] = [];
			const work = Promise.all([
				bulk(service, rateLimiter, 1_200),
				polls(service, other, 20).then((result) => (took = result)),
			]);
			await time.passUntil(work);
			// Until the first 429, nothing is known where only the 429 tells.
			const known = took.slice(reports === 'every response' ? 0 : 6);
			// In the last 3 s of a window, the reserve may be spent.
			const isBlind = reports === 'nothing' && processes === 2;
			expect(Math.max(...known)).toBeLessThanOrEqual(isBlind ? WINDOW_MS : 4_000);
			expect(Math.max(...took)).toBeLessThanOrEqual(WINDOW_MS + 2_000);
		},
	);

	test('polls do not keep bulk work waiting where every response reports a whole window', async () => {
		const service = begin({ latencyMs: 50, perWindow: 60, reports: 'length as reset' });
		const rateLimiter = new RateLimiter();
		let isDone = false;
		const work = bulk(service, rateLimiter, 300).finally(() => (isDone = true));
		const others = async () => {
			while (!isDone) {
				await time.sleep(13_000);
				await sendOne(service, rateLimiter, { priority: 'poll', maxWaitMs: 22_000 });
			}
		};
		expect(await time.passUntil(Promise.all([work, others()]))).toBeLessThan(6 * WINDOW_MS);
	});

	const WINDOWS = [
		{ reports: 'every response', perWindow: 20, windowMs: 5_000 } as const,
		{ reports: 'Retry-After', perWindow: 20, windowMs: 5_000 } as const,
		...REPORTS.map((reports) => ({ reports, perWindow: 60, windowMs: WINDOW_MS })),
		...REPORTS.map((reports) => ({ reports, perWindow: 240, windowMs: WINDOW_MS })),
	];

	/** How long single requests, so many per window, wait for their turn until the work is done, in milliseconds. */
	async function waitsBeside(
		work: Promise<unknown>,
		service: SimulatedService,
		rateLimiter: RateLimiter,
		pauseMs: () => number,
	) {
		const waits: number[] = [];
		const state = { isDone: false };
		let isKnown = false;
		void work.finally(() => (state.isDone = true));
		while (!state.isDone) {
			await time.sleep(pauseMs());
			// Where only a 429 shows what a window allows, nobody can leave a part of the first one.
			isKnown ||= rateLimiter.windowSize !== undefined && rateLimiter.pauseMs(true) === 0;
			const started = clock.now();
			await sendOne(service, rateLimiter, { priority: 'single', endpoint: 'GET /contacts/{id}' });
			if (isKnown) waits.push(clock.now() - started - service.latencyMs);
		}
		return waits;
	}

	test.each(WINDOWS)(
		'single requests wait at most four seconds for a long list that an execution reads, with $perWindow per $windowMs ms, reported by $reports',
		async ({ reports, perWindow, windowMs }) => {
			await fc.assert(
				fc.asyncProperty(seeds, async (seed) => {
					const service = begin({ latencyMs: 50, perWindow, windowMs, reports }, seed);
					const rateLimiter = new RateLimiter();
					const list = bulk(service, rateLimiter, 6 * perWindow, 'GET /tickets');
					// Few enough for what bulk work leaves.
					const pauseMs = () => windowMs * (1 + clock.random());
					const waits = waitsBeside(list, service, rateLimiter, pauseMs);
					await time.passUntil(waits);
					// The last three seconds of a window, when the reserve is spent, up to one after a pause, and what is in flight.
					expect(Math.max(...(await waits))).toBeLessThanOrEqual(4_000 + 2 * service.latencyMs);
				}),
				sometimes,
			);
		},
	);

	/** The first reading of a long list: each minute, as many pages as may be read then, 8 at once. Returns how long it took. */
	async function fill(service: SimulatedService, rateLimiter: RateLimiter, pages: number) {
		const started = clock.now();
		const request = {
			priority: 'background',
			endpoint: 'GET /tickets',
			maxWaitMs: 10_000,
		} as const;
		for (let left = pages; left > 0; ) {
			const read: boolean[] = [];
			await forEachConcurrent(Array(8).fill(0), 8, async () => {
				read.push(await sendOne(service, rateLimiter, request));
			});
			left -= read.filter(Boolean).length;
			if (read.includes(false)) await time.sleep(WINDOW_MS);
		}
		return clock.now() - started;
	}

	test.each(WINDOWS)(
		'single requests wait at most a second beside the first reading of a long list, with $perWindow per $windowMs ms, reported by $reports, once the window is known',
		async ({ reports, perWindow, windowMs }) => {
			await fc.assert(
				fc.asyncProperty(seeds, async (seed) => {
					const service = begin({ latencyMs: 50, perWindow, windowMs, reports }, seed);
					const rateLimiter = new RateLimiter();
					const reading = fill(service, rateLimiter, 3 * perWindow);
					// Up to a fifth of a window.
					const pauseMs = () => (windowMs / perWindow) * (5 + 50 * clock.random());
					const waits = waitsBeside(reading, service, rateLimiter, pauseMs);
					await time.passUntil(waits);
					expect(Math.max(...(await waits))).toBeLessThanOrEqual(1_000);
					// Two fifths of each window, at least every other minute.
					if (windowMs === WINDOW_MS) expect(await reading).toBeLessThanOrEqual(10 * WINDOW_MS);
				}),
				sometimes,
			);
		},
	);

	test('where only a 429 shows what a window allows, the first reading of a long list can use up the first one, and everything waits for its end', async () => {
		const service = begin({ latencyMs: 50, perWindow: 60, reports: 'Retry-After' });
		const rateLimiter = new RateLimiter();
		const single = async () => {
			await time.sleep(2_000);
			const started = clock.now();
			await sendOne(service, rateLimiter, { priority: 'single' });
			return clock.now() - started;
		};
		let waited = 0;
		const beside = single().then((ms) => (waited = ms));
		await time.passUntil(Promise.all([fill(service, rateLimiter, 100), beside]));
		expect(waited).toBeGreaterThan(57_000);
		expect(waited).toBeLessThan(61_000);
	});

	test('the first reading of a long list waits for a window that begins soon, and ends otherwise', async () => {
		const inWindowOf = async (windowMs: number) => {
			const service = begin({ latencyMs: 50, perWindow: 60, windowMs, reports: 'every response' });
			const rateLimiter = new RateLimiter();
			const request = { priority: 'background', maxWaitMs: 10_000 } as const;
			let sent = 0;
			const pages = Array.from({ length: 30 }, async () => {
				if (await sendOne(service, rateLimiter, request)) sent++;
			});
			const ms = await time.passUntil(Promise.all(pages));
			return { sent, seconds: Math.floor(ms / 1_000) };
		};
		expect(await inWindowOf(60_000)).toStrictEqual({ sent: 24, seconds: 0 });
		expect(await inWindowOf(8_000)).toStrictEqual({ sent: 30, seconds: 8 });
	});

	test.each(['editor', 'poll'] as const)(
		'%s requests wait for no bulk request',
		async (priority) => {
			const service = begin({ latencyMs: 100, perWindow: 10_000, reports: 'every response' });
			const rateLimiter = new RateLimiter();
			const urgent = async () => {
				await time.sleep(1_000);
				const started = clock.now();
				await sendOne(service, rateLimiter, { priority, maxWaitMs: 5_000 });
				return clock.now() - started;
			};
			let waited = Infinity;
			const work = [bulk(service, rateLimiter, 1_000), urgent().then((ms) => (waited = ms))];
			expect(await time.passUntil(Promise.all(work))).toBeGreaterThan(1_100);
			expect(waited).toBeLessThanOrEqual(200);
		},
	);

	test('what is left of the reserve is spent before the window ends', async () => {
		const service = begin({ latencyMs: 50, perWindow: 60, reports: 'every response' });
		const work = bulk(service, new RateLimiter(), 300);
		const accepted: number[] = [];
		time.after(50_000, () => accepted.push(service.accepted));
		time.after(59_500, () => accepted.push(service.accepted));
		await time.passUntil(work);
		expect(accepted).toStrictEqual([54, 60]);
	});

	test('the last requests of a run do not wait for the end of a window that has room for them', async () => {
		const service = begin({ latencyMs: 50, perWindow: 60, reports: 'every response' });
		expect(await time.passUntil(bulk(service, new RateLimiter(), 60))).toBeLessThan(1_000);
	});

	test('bulk work is done, although single requests never stop coming', async () => {
		const service = begin({ latencyMs: 50, perWindow: 120, reports: 'every response' });
		const rateLimiter = new RateLimiter();
		let isDone = false;
		const work = bulk(service, rateLimiter, 60).finally(() => (isDone = true));
		const singles = async () => {
			// 180 in each window of 120.
			while (!isDone) {
				void sendOne(service, rateLimiter, { priority: 'single' });
				await time.sleep(333);
			}
		};
		expect(await time.passUntil(Promise.all([work, singles()]))).toBeLessThan(6 * WINDOW_MS);
	});
});
