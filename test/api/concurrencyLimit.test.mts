/** How many requests at once, from one round of responses to the next: exact limits after exact rounds. */
import {
	ConcurrencyLimit,
	type Ending,
	INITIAL_LIMIT,
	MAX_LIMIT,
} from '../../nodes/ConversationalMessaging/api/concurrencyLimit.ts';

const WRITE = 'PATCH /a';
const READ = 'GET /a';

/** One token's requests, one round after the other. */
class Requests {
	now = 1_000_000;

	readonly limit = new ConcurrencyLimit();

	/** The limit after these. */
	get value(): number {
		return this.limit.value;
	}

	/** As many responses as these latencies, to requests that were sent with this many in flight. */
	respond(latencies: number[], { inFlight = this.value, endpoint = WRITE } = {}): this {
		const at = (this.now += 1);
		this.now += 100;
		for (const latencyMs of latencies)
			this.limit.ended({ kind: 'ok', endpoint, latencyMs }, { at, inFlight }, this.now);
		return this;
	}

	/** Half as many responses as the limit, each this slow. */
	round(latencyMs: number, options: { inFlight?: number; endpoint?: string } = {}): this {
		return this.respond(Array<number>(Math.ceil(this.value / 2)).fill(latencyMs), options);
	}

	/** One request, sent after all former ones have ended, ends like this. */
	then(kind: Exclude<Ending['kind'], 'ok'>): this {
		const at = (this.now += 1);
		this.limit.ended({ kind }, { at, inFlight: 1 }, this.now);
		return this;
	}

	/** The limits after each of several rounds. */
	rounds(count: number, latencyMs: number, endpoint?: string): number[] {
		return Array.from({ length: count }, () => this.round(latencyMs, { endpoint }).value);
	}
}

const FAST_MS = 50;

/** A limit of 16, after a round at this latency with 8. */
const at16 = (latencyMs = FAST_MS) => new Requests().round(latencyMs);

describe('rounds that are not slower', () => {
	test('double the limit, up to 64', () => {
		expect(new Requests().value).toBe(INITIAL_LIMIT);
		expect(new Requests().rounds(4, FAST_MS)).toEqual([16, 32, MAX_LIMIT, MAX_LIMIT]);
	});

	test('make it four times as many if all were reads', () => {
		expect(new Requests().rounds(3, FAST_MS, READ)).toEqual([32, MAX_LIMIT, MAX_LIMIT]);
	});

	test('double it if a single one was a write', () => {
		const requests = new Requests().respond(Array<number>(3).fill(FAST_MS), { endpoint: READ });
		expect(requests.respond([FAST_MS]).value).toBe(16);
	});

	test('have half as many responses as the limit', () => {
		const requests = new Requests().respond(Array<number>(3).fill(FAST_MS));
		expect(requests.value).toBe(8);
		expect(requests.respond([FAST_MS]).value).toBe(16);
	});

	test('count only requests that were sent while more than half of the limit was in use', () => {
		const few = Array<number>(100).fill(FAST_MS);
		expect(new Requests().respond(few, { inFlight: 4 }).value).toBe(8);
		expect(new Requests().respond(few.slice(0, 4), { inFlight: 5 }).value).toBe(16);
	});

	test('count only requests that were sent after the last change', () => {
		const requests = at16();
		const { now: at } = requests;
		requests.now += 1_000;
		const ok = { kind: 'ok', endpoint: WRITE, latencyMs: FAST_MS } as const;
		for (let n = 0; n < 16; n++)
			requests.limit.ended(ok, { at: at - 1, inFlight: 16 }, requests.now);
		expect(requests.value).toBe(16);
		expect(requests.round(FAST_MS).value).toBe(32);
	});

	test('need no responses that say nothing', () => {
		const requests = new Requests();
		for (let n = 0; n < 100; n++) requests.then('other');
		expect(requests.value).toBe(8);
	});
});

describe('n times as many requests that take more than √n times as long', () => {
	/** The limit after a round of 16 that took this many times as long as the round of 8. */
	const after = (times: number) => at16().round(FAST_MS * times).value;

	test('restore the former limit', () => {
		expect([1.4, 1.41, 1.42, 4].map(after)).toEqual([32, 32, 8, 8]);
	});

	test('are no reason for fewer than before', () => {
		expect(at16().round(100 * FAST_MS).value).toBe(INITIAL_LIMIT);
	});

	test('are compared with the requests in flight, not the limits', () => {
		// 16 instead of 5: √3.2 = 1.79.
		const restored = (times: number) =>
			new Requests().round(FAST_MS, { inFlight: 5 }).round(FAST_MS * times).value;
		expect([1.78, 1.8].map(restored)).toEqual([32, 8]);
	});

	test('are compared by their medians: a few slow ones say nothing', () => {
		const latencies = Array.from({ length: 8 }, (_, n) => (n < 4 ? 40 * FAST_MS : FAST_MS));
		expect(at16().respond(latencies).value).toBe(8);
		expect(at16().respond([FAST_MS, ...latencies.slice(1)]).value).toBe(32);
	});

	test('leave the former limit for ten rounds, and then it grows again', () => {
		const requests = at16().round(4 * FAST_MS);
		expect(requests.respond(Array<number>(39).fill(FAST_MS)).value).toBe(8);
		expect(requests.respond([FAST_MS]).value).toBe(16);
	});

	test('are compared with a smaller limit only', () => {
		// After 64, one that took as long: nothing is smaller.
		const requests = new Requests().round(FAST_MS).round(FAST_MS).round(FAST_MS).round(FAST_MS);
		expect(requests.rounds(10, 9 * FAST_MS)).toEqual(Array(10).fill(MAX_LIMIT));
	});
});

describe('what changes the latency of every request cancels out', () => {
	test('responses of an endpoint that were faster before', () => {
		const requests = new Requests();
		for (let n = 0; n < 12; n++) requests.respond([2], { inFlight: 1, endpoint: READ });
		expect([requests.round(100, { endpoint: READ }).value, requests.rounds(1, 100, READ)]).toEqual([
			32,
			[64],
		]);
	});

	test('endpoints of different latency', () => {
		const requests = at16(20);
		expect(requests.round(400, { endpoint: 'POST /b' }).value).toBe(32);
	});

	test('this process’s own work: below five milliseconds, latency says nothing', () => {
		expect(at16(0).round(5).value).toBe(32);
		expect(at16(1).round(5).value).toBe(32);
	});
});

describe('requests that fail', () => {
	test('one alone changes nothing', () => {
		expect(at16().then('failed').value).toBe(16);
		expect(at16().then('failed').respond([FAST_MS]).then('failed').value).toBe(16);
	});

	test('a second one in a row halves the limit, down to four', () => {
		const requests = new Requests().round(FAST_MS).round(FAST_MS).then('failed');
		const limits = [1, 2, 3, 4, 5].map(() => requests.then('failed').value);
		expect(limits).toEqual([16, 8, 4, 4, 4]);
	});

	test('those that were sent before the last change do not count', () => {
		const requests = at16().then('failed');
		const at = requests.now;
		requests.then('failed');
		for (let n = 0; n < 10; n++)
			requests.limit.ended({ kind: 'failed' }, { at, inFlight: 16 }, requests.now);
		expect(requests.value).toBe(8);
	});

	test('are followed by growth of a quarter, every six rounds', () => {
		const requests = new Requests().then('failed').then('failed');
		expect(requests.rounds(13, FAST_MS)).toEqual([4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 7, 7, 7]);
	});
});

test('after a minute, everything is found out anew', () => {
	const requests = at16().then('failed').then('failed').then('failed');
	expect(requests.value).toBe(4);
	requests.now += 60_000;
	expect(requests.respond([FAST_MS]).value).toBe(INITIAL_LIMIT);
	expect(requests.round(FAST_MS).value).toBe(16);
});
