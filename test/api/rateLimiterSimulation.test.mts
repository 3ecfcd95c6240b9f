/**
 * The rate limiter against simulated services, in simulated time: how many requests it sends at once, how it uses the
 * windows of a rate limit, and what it leaves to others.
 */
import fc from 'fast-check';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { forEachAtServicePace } from '../../nodes/ConversationalMessaging/api/servicePace.ts';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { WINDOW_MS } from '../../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';
import {
	RateLimiter,
	type TurnRequest,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import {
	type ServiceOptions,
	pauseMs,
	sendOne,
	SimulatedService,
	SimulatedTime,
} from './simulation.mts';
import { seededRandom } from '../../sandbox/random.mts';
import { runs } from '../support/runs.mts';

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
	await forEachAtServicePace(client, Array(count).fill([0]), async (_, { priority }) => {
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

const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);

const seeds = fc.integer({ min: 1, max: 1_000_000 });
const latencies = fc.integer({ min: 1, max: 100 });
const sometimes = { numRuns: runs(2, 20) };

describe('as many requests at once as the service can handle', () => {
	test.each([
		{ endpoint: 'PATCH /a', capacity: 4 },
		{ endpoint: 'PATCH /a', capacity: 16 },
		{ endpoint: 'GET /a', capacity: 4 },
		{ endpoint: 'GET /a', capacity: 16 },
	])(
		'1,000 $endpoint at a service that handles $capacity take at most 1.3 times as long as they must, with 64 in flight',
		async ({ endpoint, capacity }) => {
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
						expect(service.mostInFlight).toBeLessThanOrEqual(64);
						expect(ms / ((1_000 * 50) / capacity)).toBeLessThanOrEqual(1.3);
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

	test('40 pages take three times the latency: the first, then 8, and the rest', async () => {
		const service = begin({ latencyMs: 100 });
		const rateLimiter = new RateLimiter();
		const pages = async () => {
			await sendOne(service, rateLimiter, { priority: 'single', endpoint: 'GET /tickets' });
			await bulk(service, rateLimiter, 39, 'GET /tickets');
		};
		expect(await time.passUntil(pages())).toBe(300);
		// The next list takes no longer.
		expect(await time.passUntil(pages())).toBeLessThanOrEqual(300);
	});

	test.each([503, 'no response'])(
		'of 1,000 requests, a service that answers with %s above 10 at once rejects fewer than 60, and works on 6 at once or more',
		async (answer) => {
			await fc.assert(
				fc.asyncProperty(seeds, fc.constantFrom(0, 0.1, 0.3), async (seed, jitter) => {
					const options = { latencyMs: 50, jitter, breaksAbove: 10, breaksWith: answer };
					const { service, ms } = await run(options, 1_000, seed);
					expect(service.broken).toBeLessThan(60);
					expect(service.accepted + service.broken).toBe(1_000);
					expect(service.workedMs / ms).toBeGreaterThanOrEqual(6);
				}),
				sometimes,
			);
		},
	);

	test('a window after a service has failed, a run takes as long as a first one', async () => {
		const rateLimiter = new RateLimiter();
		const broken = begin({ fails: 1 });
		await time.passUntil(bulk(broken, rateLimiter, 100));
		expect(rateLimiter.atOnce).toBe(4);
		await time.passUntil(time.sleep(WINDOW_MS));
		const service = new SimulatedService(time, { latencyMs: 50 });
		const ms = await time.passUntil(bulk(service, rateLimiter, 1_000));
		const first = await run({ latencyMs: 50 }, 1_000);
		expect(ms / first.ms).toBeLessThanOrEqual(1.1);
	});

	test('records that fail make a run at most twice as long as 8 at once', async () => {
		await fc.assert(
			fc.asyncProperty(seeds, fc.constantFrom(0.05, 0.1, 0.3), async (seed, fails) => {
				const { service, ms } = await run({ latencyMs: 50, fails }, 1_000, seed);
				expect(ms).toBeLessThanOrEqual((service.workedMs / 8) * 2);
			}),
			{ numRuns: runs(6, 60) },
		);
	});
});

describe('never more than the window has left', () => {
	const ENDPOINTS = fc.constantFrom('POST /messages', 'GET /tickets');

	const ROWS = [
		{ reports: 'every response', first: 0, later: 0, windows: ['first request', 'fixed'] },
		{ reports: 'length as reset', first: 0, later: 0, windows: ['first request', 'fixed'] },
		{ reports: 'Retry-After', first: 64, later: 5, windows: ['first request', 'fixed'] },
		// Where nothing tells when fixed windows begin, a part of a window can be lost.
		{ reports: 'nothing', first: 64, later: 5, windows: ['first request'] },
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
						const [inFirst = 0, ...inOthers] = service.windows.map(({ rejected }) => rejected);
						expect(inFirst).toBeLessThanOrEqual(first);
						expect(Math.max(0, ...inOthers)).toBeLessThanOrEqual(later);
						expect(service.rejected).toBeLessThanOrEqual(80);
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
			expect(ms).toBeLessThan(4.1 * WINDOW_MS);
			expect(service.rejected).toBeLessThanOrEqual(40);
		},
	);

	/** A process sends its requests one after another, a little time apart, unless the window was closed meanwhile. */
	class Process extends RateLimiter {
		private next = 0;

		override async acquire(request: TurnRequest): Promise<number | undefined> {
			const rejectedMs = await super.acquire(request);
			const at = Math.max(clock.now(), this.next);
			this.next = at + 2;
			await time.sleep(at - clock.now());
			if (rejectedMs !== undefined || !this.isClosed(request.isRead)) return rejectedMs;
			this.release({ isRead: request.isRead, ending: 'other' });
			return await this.acquire(request);
		}
	}

	/** Six of them, which begin so many milliseconds apart and send 4.2 windows in all. Returns how long they take, in windows. */
	async function sixProcesses(service: SimulatedService, apartMs: number) {
		const six = Array.from({ length: 6 }, async (_, index) => {
			await time.sleep(index * apartMs);
			return await bulk(service, new Process(), 0.7 * service.perWindow);
		});
		const ms = await time.passUntil(Promise.all(six));
		expect(await Promise.all(six)).toStrictEqual(Array(6).fill(0));
		return ms / WINDOW_MS;
	}

	// A process that begins when the others have used up the window sends up to 8 before it knows.
	const SIX_PROCESSES = [
		{ perWindow: 60, apartMs: 0, first: 0 },
		{ perWindow: 60, apartMs: 17, first: 8 },
		{ perWindow: 60, apartMs: 3_000, first: 40 },
		{ perWindow: 240, apartMs: 0, first: 0 },
		{ perWindow: 240, apartMs: 3_000, first: 40 },
	];

	test.each(SIX_PROCESSES)(
		'six processes with one token, which begin $apartMs ms apart, meet no 429 where every response reports what is left of $perWindow, except $first in their first window',
		async ({ perWindow, apartMs, first }) => {
			await fc.assert(
				fc.asyncProperty(seeds, fc.constantFrom(20, 100, 500), async (seed, latencyMs) => {
					const reports = 'every response' as const;
					const service = begin({ latencyMs, jitter: 0.3, perWindow, reports }, seed);
					const took = await sixProcesses(service, apartMs);
					const [inFirst, ...later] = service.windows.map(({ rejected }) => rejected);
					expect(inFirst).toBeLessThanOrEqual(first);
					expect(later).toStrictEqual(later.map(() => 0));
					expect(took).toBeLessThanOrEqual(4.4);
				}),
				{ numRuns: runs(5, 100) },
			);
		},
	);

	test.each(SIX_PROCESSES)(
		'six processes, which begin $apartMs ms apart, meet at most 45 429s where only these show the limit of $perWindow, and take at most 5.2 windows',
		async ({ perWindow, apartMs }) => {
			await fc.assert(
				fc.asyncProperty(seeds, fc.constantFrom(20, 100, 300), async (seed, latencyMs) => {
					const reports = 'Retry-After' as const;
					const service = begin({ latencyMs, jitter: 0.3, perWindow, reports }, seed);
					expect(await sixProcesses(service, apartMs)).toBeLessThanOrEqual(5.2);
					expect(service.rejected).toBeLessThanOrEqual(45);
				}),
				{ numRuns: runs(5, 100) },
			);
		},
	);

	test.each(['every response', 'Retry-After', 'nothing'] as const)(
		'two processes with one token use nine tenths of each window at least (%s)',
		async (reports) => {
			const service = begin({ latencyMs: 50, perWindow: 120, reports });
			const both = [bulk(service, new RateLimiter(), 300), bulk(service, new RateLimiter(), 300)];
			const ms = await time.passUntil(Promise.all(both));
			expect(await Promise.all(both)).toStrictEqual([0, 0]);
			// 300 of each are five windows, or six with what bulk work leaves. Learned shares do not always add up to a window.
			expect(ms / (5 * WINDOW_MS)).toBeLessThanOrEqual(1.1);
			// At first, up to 64 of each process.
			expect(service.rejected).toBeLessThanOrEqual(reports === 'every response' ? 0 : 160);
		},
	);
});

describe('beside another program with the same token', () => {
	const REPORTS = [
		{ reports: 'Retry-After', windowsMore: 0 } as const,
		{ reports: 'Retry-After as a date', windowsMore: 0 } as const,
		// Then it waits for the rest of a minute.
		{ reports: 'nothing', windowsMore: 1 } as const,
	];

	test.each(
		REPORTS.flatMap((each) =>
			[1, 5, 20].flatMap((first) => [false, true].map((atOnce) => ({ ...each, first, atOnce }))),
		),
	)(
		'100 updates take at most five seconds and $windowsMore windows, although in the last second of a window, only $first were accepted (at once: $atOnce, $reports)',
		async ({ reports, windowsMore, first, atOnce }) => {
			const othersIn = (window: number) => (window === 0 ? 300 - first : 0);
			const service = begin({
				latencyMs: 400,
				perWindow: 300,
				windows: 'fixed',
				reports,
				othersIn,
			});
			const rateLimiter = new RateLimiter();
			await time.passUntil(time.sleep(WINDOW_MS - 900));
			if (!atOnce) await time.passUntil(bulk(service, rateLimiter, first));
			const ms = await time.passUntil(bulk(service, rateLimiter, atOnce ? first + 100 : 100));
			expect(ms).toBeLessThanOrEqual(5_000 + windowsMore * WINDOW_MS);
		},
	);

	/** In which windows it sends nearly all that they allow. */
	const BUSY: [when: string, isBusy: (window: number) => boolean][] = [
		['the first window', (window) => window === 0],
		['the third window', (window) => window === 2],
		['every third window', (window) => window % 3 === 2],
		['the first five windows', (window) => window < 5],
	];

	test.each(
		BUSY.flatMap(([when, isBusy]) =>
			(['every response', 'Retry-After', 'nothing'] as const).map((reports) => ({
				...{ when, isBusy, reports },
			})),
		),
	)(
		'that sends 295 of 300 in $when, each other window is used, and from its beginning, except the first one after several ($reports)',
		async ({ isBusy, reports }) => {
			for (const windows of ['first request', 'fixed'] as const)
				for (const latencyMs of [20, 100, 500]) {
					const othersIn = (window: number) => (isBusy(window) ? 295 : 0);
					const options = { latencyMs, jitter: 0.1, perWindow: 300, windows, reports, othersIn };
					const { service, failed } = await run(options, 1_500);
					expect(failed).toBe(0);
					// In the last two, what is left of the work.
					for (const [number, window] of service.windows.slice(0, -2).entries()) {
						const isFirst = isBusy(number - 1) && isBusy(number - 2);
						if (isBusy(number) || isFirst) continue;
						expect(window.accepted).toBeGreaterThanOrEqual(270);
						expect(window.acceptedEarly).toBeGreaterThanOrEqual(230);
					}
				}
		},
	);

	test.each(['Retry-After', 'nothing'] as const)(
		'that sent 295 of 300 in several windows, it slows no run down that begins later, at any time of a window (%s)',
		async (reports) => {
			for (const latencyMs of [20, 100, 400]) {
				const othersIn = (window: number) => (window < 4 ? 295 : 0);
				const service = begin({ latencyMs, perWindow: 300, windows: 'fixed', reports, othersIn });
				const rateLimiter = new RateLimiter();
				await time.passUntil(bulk(service, rateLimiter, 20));
				const took: number[] = [];
				for (let n = 0; n < 5; n++) {
					await time.passUntil(time.sleep((1.1 + clock.random()) * WINDOW_MS));
					took.push(await time.passUntil(bulk(service, rateLimiter, 100)));
				}
				expect(Math.max(...took)).toBeLessThanOrEqual(5_000);
			}
		},
	);

	test('whatever it sends, 1,500 take at most four windows more than they must, where only a 429 shows the limit', async () => {
		for (const windows of ['first request', 'fixed'] as const)
			for (const latencyMs of [20, WINDOW_MS / 200, WINDOW_MS / 60])
				for (let seed = 1; seed <= runs(4, 100); seed++) {
					const random = seededRandom(seed);
					// In two of five windows, nothing.
					const others = Array.from({ length: 12 }, () => Math.max(0, 500 * random() - 200));
					const othersIn = (window: number) => Math.floor(others[window] ?? 0);
					const reports = 'Retry-After' as const;
					const options = { latencyMs, jitter: 0.1, perWindow: 300, windows, reports, othersIn };
					const { service, failed } = await run(options, 1_500, seed);
					expect(failed).toBe(0);
					const free = service.windows.map((_, window) => 300 - othersIn(window));
					const needed =
						free.findIndex((_, window) => sumOf(free.slice(0, window + 1)) >= 1_500) + 1;
					expect(service.windows.length).toBeLessThanOrEqual(needed + 4);
				}
	});
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
				while (!(await sendOne(service, rateLimiter, { priority: 'urgent', maxWaitMs: 22_000 })))
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
			// The first one does not show the limit, because others may have used a part of it.
			expect(Math.max(...took)).toBeLessThanOrEqual((isBlind ? 2 : 1) * WINDOW_MS + 2_000);
		},
	);

	test('a run that begins in the middle of a window leaves room again two windows later, where only a 429 shows the limit', async () => {
		const options = {
			latencyMs: 50,
			perWindow: 240,
			windows: 'fixed',
			reports: 'Retry-After',
		} as const;
		const service = begin(options);
		const rateLimiter = new RateLimiter();
		await time.passUntil(bulk(service, rateLimiter, 600));
		await time.passUntil(time.sleep(1.5 * WINDOW_MS - (clock.now() % WINDOW_MS)));
		let took: number[] = [];
		const work = polls(service, rateLimiter, 20).then((result) => (took = result));
		await time.passUntil(Promise.all([bulk(service, rateLimiter, 1_200), work]));
		expect(Math.max(...took)).toBeLessThanOrEqual(WINDOW_MS);
		expect(Math.max(...took.slice(5))).toBeLessThanOrEqual(4_000);
	});

	const WINDOWS = [
		{ reports: 'every response', perWindow: 20, windowMs: 5_000 } as const,
		...REPORTS.map((reports) => ({ reports, perWindow: 60, windowMs: WINDOW_MS })),
		...REPORTS.map((reports) => ({ reports, perWindow: 240, windowMs: WINDOW_MS })),
	];

	/** How long single requests, so many per window, wait for their turn until the work is done, in milliseconds. */
	async function waitsBeside(
		work: Promise<unknown>,
		service: SimulatedService,
		rateLimiter: RateLimiter,
		gapMs: () => number,
	) {
		const waits: number[] = [];
		const state = { isDone: false };
		let isKnown = false;
		void work.finally(() => (state.isDone = true));
		while (!state.isDone) {
			await time.sleep(gapMs());
			// Where only a 429 shows what a window allows, nobody can leave a part of the first one.
			isKnown ||= rateLimiter.windowSize !== undefined && (await pauseMs(rateLimiter, true)) === 0;
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
					const gapMs = () => windowMs * (1 + clock.random());
					const waits = waitsBeside(list, service, rateLimiter, gapMs);
					await time.passUntil(waits);
					// The last three seconds of a window, when the reserve is spent, and what is in flight.
					expect(Math.max(...(await waits))).toBeLessThanOrEqual(4_000);
				}),
				sometimes,
			);
		},
	);

	test('what is left of the reserve is spent before the window ends', async () => {
		const service = begin({ latencyMs: 50, perWindow: 60, reports: 'every response' });
		const work = bulk(service, new RateLimiter(), 300);
		const accepted: number[] = [];
		time.after(WINDOW_MS - 10_000, () => accepted.push(service.accepted));
		time.after(WINDOW_MS - 500, () => accepted.push(service.accepted));
		await time.passUntil(work);
		expect(accepted).toStrictEqual([54, 60]);
	});

	test('the last requests of a run do not wait for the end of a window that has room for them', async () => {
		const service = begin({ latencyMs: 50, perWindow: 60, reports: 'every response' });
		expect(await time.passUntil(bulk(service, new RateLimiter(), 60))).toBeLessThan(3_000);
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
