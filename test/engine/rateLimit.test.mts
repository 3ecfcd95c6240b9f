import type { RateLimitHeaders } from '../../sandbox/options.mts';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { WINDOW_MS } from '../../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';
import {
	INITIAL_LIMIT,
	RateLimiter,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import { byId } from './harness.mts';
import { SharedHarness } from './sharedHarness.mts';

/** The sandbox's own rate limit, in windows of simulated time. */
const WINDOW = 20;
const WRITES = 3 * WINDOW + 5;

const service = new SharedHarness({
	contacts: 12,
	rateLimit: { requests: WINDOW, routes: 'all' },
});
beforeEach(() => passTimeOnlyWhenNothingIsInFlight());

/** Otherwise, a response that is already on its way would arrive in the next window. */
function passTimeOnlyWhenNothingIsInFlight(): void {
	const started = jest.spyOn(RateLimiter.prototype, 'acquire');
	const ended = jest.spyOn(RateLimiter.prototype, 'release');
	let known = 0;
	let admitted = 0;
	const inFlight = async () => {
		// A call in progress has no result yet.
		await new Promise((resolve) => setImmediate(resolve));
		const results = started.mock.results.slice(known);
		known += results.length;
		for (const { value } of results)
			void (value as Promise<number | undefined>).then((rejectedMs) => rejectedMs ?? admitted++);
		await new Promise((resolve) => setImmediate(resolve));
		return admitted - ended.mock.calls.length;
	};
	clock.sleep = async (ms, signal) => {
		while ((await inFlight()) > 0 && !signal?.aborted);
		if (!signal?.aborted) service.time.clock.advance(ms);
	};
}

/** What the service reports: how many requests are left, with every response; only when to retry; or nothing. */
const STYLES: [headers: RateLimitHeaders, reports: 'what is left' | 'when to retry' | 'nothing'][] =
	[
		['ratelimit', 'what is left'],
		['structured', 'what is left'],
		['retry-after', 'when to retry'],
		['none', 'nothing'],
	];

/** Somebody else has sent this many requests with the token in the current window, which began this long ago. */
const OTHERS = { requests: 1, ms: 25_000 };

const addNote = {
	resource: 'ticket',
	operation: 'addNote',
	ticketId: byId('={{ 1001 + $itemIndex }}'),
	body: '={{ "note " + $itemIndex }}',
};

test.each(STYLES)(
	'all items are written, each once, within the limits of a service that reports it as “%s”',
	async (headers, reports) => {
		const { sandbox, time } = service;
		Object.assign(sandbox.options.rateLimit, { headers, windowSeconds: WINDOW_MS / 1000 });
		for (let n = 0; n < OTHERS.requests; n++)
			sandbox.rateLimiter.count(sandbox.tokens.all.value, time.clock.now());
		time.clock.advance(OTHERS.ms);
		const started = time.clock.now();
		const notesOf = (index: number) => service.world.findTicket(String(1001 + index))!.notes;
		const before = Array.from({ length: WRITES }, (_, index) => notesOf(index).length);

		const json = await service.ok(addNote, { items: Array(WRITES).fill({}) });

		expect(json).toHaveLength(WRITES);
		for (const [index, count] of before.entries()) {
			expect(notesOf(index)).toHaveLength(count + 1);
			expect(notesOf(index).at(-1)!.body).toBe(`note ${index}`);
		}
		const accepted = sandbox.requests.filter(({ status }) => status === 200);
		const rejected = sandbox.requests.filter(({ status }) => status === 429);
		expect(accepted).toHaveLength(WRITES);
		expect(accepted.length + rejected.length).toBe(sandbox.requests.length);
		// Four windows of requests take three waits for the next window, and hardly more. Only a service that reports
		// nothing does not show that its first window began earlier.
		const least = 3 * WINDOW_MS - (reports === 'nothing' ? 0 : OTHERS.ms);
		const took = time.clock.now() - started;
		expect(took).toBeGreaterThanOrEqual(least);
		expect(took).toBeLessThan(least + 10_000);
		// Told what is left, it is never rejected. Otherwise, at most with what is in flight at the end of each window: at
		// first twice as many as initially, because the service is fast.
		expect(rejected.length).toBeLessThanOrEqual(reports === 'what is left' ? 0 : 4 * INITIAL_LIMIT);
		if (reports !== 'what is left') expect(rejected.length).toBeGreaterThan(0);
	},
);
