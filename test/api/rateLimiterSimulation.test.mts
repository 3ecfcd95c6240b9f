/**
 * The rate limiter against simulated services, in simulated time: how many requests it sends at once, how it uses the
 * windows of a rate limit, and what it leaves to others.
 */
import fc from 'fast-check';
import {
	forEachAtServicePace,
	type ServiceClient,
} from '../../nodes/ConversationalMessaging/api/client.ts';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import { RateLimiter } from '../../nodes/ConversationalMessaging/api/rateLimiter.ts';
import {
	randomFrom,
	type ServiceOptions,
	sendOne,
	SimulatedService,
	SimulatedTime,
} from './simulation.mts';

const WINDOW_MS = 60_000;

let time = new SimulatedTime(Math.random);
afterEach(() => time.restore());

/** Begins simulated time. The same seed gives the same course of events. */
function begin(options: ServiceOptions, seed = 1): SimulatedService {
	time.restore();
	time = new SimulatedTime(randomFrom(seed)).install();
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
const sometimes = { numRuns: 10 };

describe('as many requests at once as the service carries', () => {
	test.each([
		{ endpoint: 'PATCH /a', capacity: 4, atMost: 12, times: 1.3 },
		{ endpoint: 'PATCH /a', capacity: 16, atMost: 40, times: 1.45 },
		{ endpoint: 'GET /a', capacity: 4, atMost: 12, times: 1.3 },
		{ endpoint: 'GET /a', capacity: 16, atMost: 40, times: 1.45 },
	])(
		'1,000 $endpoint at a service that carries $capacity take at most $times times as long as they must, with $atMost in flight',
		async ({ endpoint, capacity, atMost, times }) => {
			await fc.assert(
				fc.asyncProperty(
					seeds,
					fc.double({ min: 0, max: 0.3, noNaN: true }),
					// A window that nothing tells about, or a large one: the first also limits what is sent at once.
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
				// With much jitter, few responses look as if fewer requests were no cure.
				{
					...sometimes,
					examples: [
						[200_601, 0.283, 0],
						[4_410_883, 0.3, 0],
						[4_648_453, 0.29, 0],
					],
				},
			);
		},
	);

	test('1,000 at a service that carries any number run up to 64 at once, four times as fast as 8 at once', async () => {
		const { service, ms } = await run({ latencyMs: 50 }, 1_000);
		expect(service.mostInFlight).toBe(64);
		expect(ms).toBeLessThanOrEqual((1_000 / 8) * 50 * 0.26);
	});

	test('40 pages take three times the latency: the first, then 8, and the rest', async () => {
		const service = begin({ latencyMs: 100 });
		const rateLimiter = new RateLimiter();
		const pages = async () => {
			const endpoint = 'GET /tickets';
			await sendOne(service, rateLimiter, { priority: 'single', endpoint });
			await bulk(service, rateLimiter, 39, endpoint);
		};
		expect(await time.passUntil(pages())).toBe(300);
	});

	test.each([500, 503, 'no response'])(
		'a service that answers with %s above 10 requests at once is not kept above 10',
		async (answer) => {
			const service = begin({ latencyMs: 50, breaksAbove: 10, breaksWith: answer });
			const rateLimiter = new RateLimiter();
			await time.passUntil(bulk(service, rateLimiter, 1_000));
			// It looks for more now and then, in steps of a quarter.
			expect(service.broken).toBeLessThan(1_000 / 10);
			expect(service.accepted + service.broken).toBe(1_000);
		},
	);

	/** The standard deviation of the latency's logarithm is this. */
	const lognormal = (sigma: number) => (random: number) =>
		Math.exp(sigma * Math.log((random + 0.001) / (1.001 - random)) * 0.55);

	test.each<[string, (random: number) => number]>([
		['vary by half', lognormal(0.5)],
		['vary much', lognormal(1)],
		['take any time up to a hundred times the shortest', (random) => 0.02 + random * 2],
		['are short or 40 times as long', (random) => (random < 0.5 ? 0.1 : 4)],
		['are mostly short', (random) => (random < 0.9 ? 0.4 : 10)],
	])('latencies that %s are no reason for fewer than 8 at once', async (_name, varies) => {
		await fc.assert(
			fc.asyncProperty(seeds, async (seed) => {
				const { service, ms } = await run({ latencyMs: 50, varies }, 1_000, seed);
				expect(ms).toBeLessThan(service.workedMs / 8);
			}),
			sometimes,
		);
	});

	test.each([
		{ fails: 0.05, times: 1.25 },
		{ fails: 0.1, times: 1.35 },
		{ fails: 0.3, times: 1.9 },
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

	test('a service that can carry only 4 is not kept above 4 because of records that fail', async () => {
		const { service } = await run({ latencyMs: 50, breaksAbove: 4, fails: 0.1 }, 1_000);
		// With 8 at once, nearly all would. Each time that it tries 5, five fail.
		expect(service.broken).toBeLessThan(550);
	});

	test('a service that becomes slow for another reason is not given up', async () => {
		const service = begin({ latencyMs: 50 });
		const rateLimiter = new RateLimiter();
		const work = async () => {
			await bulk(service, rateLimiter, 500);
			service.latencyMs = 500;
			await bulk(service, rateLimiter, 1_000);
		};
		// With 2 at once, the thousand would take 250 s.
		expect(await time.passUntil(work())).toBeLessThan(60_000);
	});
});

describe('never more than the window has left', () => {
	const ROWS = [
		{ reports: 'every response', rejections: 0, windows: ['first request', 'fixed'] },
		{ reports: 'Retry-After', rejections: 12, windows: ['first request', 'fixed'] },
		// Where nothing tells when fixed windows begin, a part of a window can be lost.
		{ reports: 'nothing', rejections: 12, windows: ['first request'] },
	] as const;

	test.each(ROWS)(
		'300 requests under 60 per window, reported by $reports: hardly longer than four windows, at most $rejections 429s',
		async ({ reports, rejections, windows }) => {
			const begins = fc.constantFrom(...windows);
			await fc.assert(
				fc.asyncProperty(seeds, latencies, begins, async (seed, latencyMs, windows) => {
					const options = { latencyMs, jitter: 0.1, perWindow: 60, windows, reports };
					const { service, ms, failed } = await run(options, 300, seed);
					expect(failed).toBe(0);
					expect(service.rejected).toBeLessThanOrEqual(rejections);
					expect(ms / (4 * WINDOW_MS)).toBeLessThanOrEqual(1.035);
				}),
				sometimes,
			);
		},
	);

	test('a service that reports the length of a window as its reset is used as fully', async () => {
		const options = { latencyMs: 50, perWindow: 60, reports: 'length as reset' } as const;
		const { service, ms, failed } = await run(options, 300);
		expect({ failed, rejected: service.rejected }).toEqual({ failed: 0, rejected: 0 });
		expect(ms / (4 * WINDOW_MS)).toBeLessThanOrEqual(1.035);
	});

	test.each([60, 240])(
		'a service that reports with the first response of a window only rejects few (%i per window)',
		async (perWindow) => {
			const options = { latencyMs: 50, perWindow, reports: 'first response' } as const;
			const { service, ms, failed } = await run(options, 5 * perWindow);
			expect(failed).toBe(0);
			expect(service.rejected).toBeLessThanOrEqual(12);
			expect(ms / (4 * WINDOW_MS)).toBeLessThanOrEqual(1.035);
		},
	);

	test('a window that becomes larger is found out, when only the 429 tells', async () => {
		const service = begin({ latencyMs: 20, perWindow: 60, reports: 'Retry-After' });
		const rateLimiter = new RateLimiter();
		await time.passUntil(bulk(service, rateLimiter, 200));
		service.perWindow = 240;
		// At 60 per window, these would take 16 minutes.
		expect(await time.passUntil(bulk(service, rateLimiter, 960))).toBeLessThan(8.5 * WINDOW_MS);
	});

	test('a window that becomes smaller is found out', async () => {
		const service = begin({ latencyMs: 20, perWindow: 240, reports: 'Retry-After' });
		const rateLimiter = new RateLimiter();
		await time.passUntil(bulk(service, rateLimiter, 500));
		service.perWindow = 60;
		service.rejected = 0;
		await time.passUntil(bulk(service, rateLimiter, 300));
		expect(service.rejected).toBeLessThanOrEqual(40);
	});

	test.each(ROWS)(
		'two processes with one token use all of each window ($reports)',
		async ({ reports }) => {
			const service = begin({ latencyMs: 50, perWindow: 120, reports });
			const both = [bulk(service, new RateLimiter(), 300), bulk(service, new RateLimiter(), 300)];
			const ms = await time.passUntil(Promise.all(both));
			expect(await Promise.all(both)).toEqual([0, 0]);
			// The learned shares of a window do not always add up to it.
			expect(ms / (4 * WINDOW_MS)).toBeLessThanOrEqual(reports === 'every response' ? 1.05 : 1.3);
			expect(service.rejected).toBeLessThanOrEqual(reports === 'every response' ? 20 : 60);
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
				bulk(service, rateLimiter, 2_400),
				polls(service, other, 40).then((result) => (took = result)),
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

	test.each(
		REPORTS.flatMap((reports) =>
			(['editor', 'poll'] as const).map((who) => [who, reports] as const),
		),
	)('%s requests wait for no bulk request (reported by %s)', async (priority, reports) => {
		const service = begin({ latencyMs: 100, perWindow: 10_000, reports });
		const rateLimiter = new RateLimiter();
		const urgent = async () => {
			await time.sleep(1_000);
			const started = clock.now();
			await sendOne(service, rateLimiter, { priority, maxWaitMs: 5_000 });
			return clock.now() - started;
		};
		let waited = Infinity;
		const work = [bulk(service, rateLimiter, 5_000), urgent().then((ms) => (waited = ms))];
		await time.passUntil(Promise.all(work));
		expect(waited).toBeLessThanOrEqual(200);
	});

	test('what is left of the reserve is spent before the window ends', async () => {
		const service = begin({ latencyMs: 50, perWindow: 60, reports: 'every response' });
		const work = bulk(service, new RateLimiter(), 300);
		const accepted: number[] = [];
		time.after(50_000, () => accepted.push(service.accepted));
		time.after(59_500, () => accepted.push(service.accepted));
		await time.passUntil(work);
		expect(accepted).toEqual([54, 60]);
	});

	test('the last requests of a run do not wait for the end of a window that has room for them', async () => {
		const service = begin({ latencyMs: 50, perWindow: 60, reports: 'every response' });
		expect(await time.passUntil(bulk(service, new RateLimiter(), 60))).toBeLessThan(1_000);
	});

	test('after a poll was turned away, they do: the reserve of the next window is the poll’s', async () => {
		const service = begin({ latencyMs: 50, perWindow: 60, reports: 'every response' });
		const rateLimiter = new RateLimiter();
		await time.passUntil(bulk(service, rateLimiter, 60));
		const poll = { priority: 'poll', maxWaitMs: 1_000 } as const;
		let isSent = true;
		await time.passUntil(sendOne(service, rateLimiter, poll).then((sent) => (isSent = sent)));
		expect(isSent).toBe(false);
		await time.passUntil(time.sleep(WINDOW_MS));
		const work = bulk(service, rateLimiter, 60);
		await time.passUntil(time.sleep(30_000));
		const started = clock.now();
		await time.passUntil(sendOne(service, rateLimiter, poll).then((sent) => (isSent = sent)));
		expect({ isSent, waited: clock.now() - started }).toEqual({ isSent: true, waited: 50 });
		await time.passUntil(work);
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

describe('every request gets its turn or is turned away', () => {
	const headers = fc.record(
		{
			limit: fc.constantFrom(0.5, 1, 2, 60, 1e9),
			remaining: fc.constantFrom(0, 0.3, 1, 3, 59, 1e12),
			resetInMs: fc.constantFrom(0, 200, 1_000, 30_000, 60_000),
			retryInMs: fc.constantFrom(0, 10, 5_000, 60_000),
		},
		{ requiredKeys: [] },
	);
	const requests = fc.record({
		after: fc.integer({ min: 0, max: 60_000 }),
		priority: fc.constantFrom('editor', 'poll', 'single', 'bulk'),
		maxWaitMs: fc.constantFrom(0, 5_000, Infinity),
		abortedAfter: fc.constantFrom(Infinity, Infinity, 1, 1_000, 30_000),
		latencyMs: fc.constantFrom(1, 20, 300, 3_000, 20_000),
		ends: fc.constantFrom('ok', 'ok', 'ok', 'rejected', 'failed', 'other', 'cancelled'),
		rate: fc.option(headers, { nil: undefined }),
	});
	const setBacks = fc.option(
		fc.record({ after: fc.integer({ max: 90_000 }), hours: fc.constantFrom(1, 10) }),
		{ nil: undefined },
	);

	test('whatever the service answers, also when the clock is set back', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(requests, { minLength: 1, maxLength: 60 }),
				fc.constantFrom(0, 0.1, 0.5),
				setBacks,
				seeds,
				async (all, reserve, setBack, seed) => {
					begin({}, seed);
					const rateLimiter = new RateLimiter();
					rateLimiter.reserve = reserve;
					if (setBack)
						time.after(setBack.after, () => time.setClockBack(setBack.hours * 3_600_000));
					let inFlight = 0;
					const one = async (request: (typeof all)[number]) => {
						const { priority, maxWaitMs, ends, rate } = request;
						await time.sleep(request.after);
						const stop = new AbortController();
						if (request.abortedAfter < Infinity)
							time.after(request.abortedAfter, () => stop.abort());
						const turn = { priority, maxWaitMs, signal: stop.signal };
						const { slot } = await rateLimiter.acquire(turn);
						if (!slot) return;
						inFlight++;
						expect(inFlight).toBeLessThanOrEqual(64);
						if (ends !== 'cancelled') await time.sleep(request.latencyMs);
						inFlight--;
						if (ends === 'cancelled') {
							rateLimiter.cancel();
							return;
						}
						const ending =
							ends === 'ok'
								? { kind: ends, endpoint: 'GET /chats', latencyMs: clock.now() - slot.at }
								: { kind: ends };
						rateLimiter.release(slot, { ending, isRateLimited: ends === 'rejected', rate });
					};
					// Otherwise, time never passes that far.
					const ms = await time.passUntil(Promise.all(all.map(one)));
					expect(ms).toBeLessThan(60 * WINDOW_MS);
					// Nothing has kept a slot.
					expect(rateLimiter.isIdle(clock.now() + 3_600_000)).toBe(true);
				},
			),
			{ numRuns: 60 },
		);
	});
});
