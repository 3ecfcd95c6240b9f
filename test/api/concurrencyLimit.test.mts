/** How many requests at once, from the latency of responses: exact limits after exact rounds. */
import {
	ConcurrencyLimit,
	type Ending,
	INITIAL_LIMIT,
	MAX_LIMIT,
} from '../../nodes/ConversationalMessaging/api/concurrencyLimit.ts';

/** One token's requests, one round after the other. */
class Requests {
	now = 1_000_000;

	constructor(public limit = new ConcurrencyLimit()) {}

	/** Sends requests now that end like this. */
	end(count: number, ending: Ending, inFlight = this.limit.value, sentAt = this.now): this {
		for (let n = 0; n < count; n++) this.limit.ended(ending, { at: sentAt, inFlight }, this.now);
		return this;
	}

	/** Responses with these latencies, in milliseconds, to requests that were sent at once. */
	respond(latencies: number[], { inFlight = this.limit.value, endpoint = 'PATCH /a' } = {}): this {
		const at = (this.now += 1);
		this.now += 1_000;
		for (const latencyMs of latencies)
			this.limit.ended({ kind: 'ok', endpoint, latencyMs }, { at, inFlight }, this.now);
		return this;
	}

	/** A round with the limit in use: as many responses as the limit. */
	round(latencyMs: number, inFlight = this.limit.value, endpoint = 'PATCH /a'): this {
		this.limit.reached();
		return this.respond(Array<number>(this.limit.value).fill(latencyMs), { inFlight, endpoint });
	}

	/** A round of twelve, the fewest that count as slow. */
	slowRound(latencyMs: number, inFlight = this.limit.value): this {
		return this.respond(Array<number>(Math.max(12, this.limit.value)).fill(latencyMs), {
			inFlight,
		});
	}

	/** One request, sent after all former ones have ended, ends like this. */
	then(kind: 'rejected' | 'failed' | 'other'): this {
		this.now += 1;
		return this.end(1, { kind });
	}

	get value(): number {
		return this.limit.value;
	}
}

const FAST_MS = 50;
/** Whose slowdown is 4, with five milliseconds of own work. */
const SLOW_MS = 4 * FAST_MS + 5;

/** Whose limit is 16, after one round at 50 ms. */
const at16 = () => new Requests().round(FAST_MS);

describe('growth', () => {
	test('a round with the limit in use doubles the limit, up to 64', () => {
		const requests = new Requests();
		const limits = [requests.value];
		for (let n = 0; n < 4; n++) limits.push(requests.round(FAST_MS).value);
		expect(limits).toEqual([INITIAL_LIMIT, 16, 32, MAX_LIMIT, MAX_LIMIT]);
	});

	test('a round of reads makes it four times as many: those that fail are repeated', () => {
		const requests = new Requests();
		const limits = [requests.value];
		for (let n = 0; n < 3; n++)
			limits.push(requests.round(FAST_MS, undefined, 'GET /tickets').value);
		expect(limits).toEqual([INITIAL_LIMIT, 32, MAX_LIMIT, MAX_LIMIT]);
	});

	test.each([
		[1.25, 16],
		[1.27, 10],
		[1.5, 10],
	])('a round that is %f times as slow makes the limit %i', (slowdown, limit) => {
		const requests = new Requests().respond([FAST_MS]);
		expect(requests.round(slowdown * FAST_MS + 5).value).toBe(limit);
	});

	test('a single write in a round of reads doubles it', () => {
		const requests = new Requests();
		requests.limit.reached();
		requests.respond(Array<number>(INITIAL_LIMIT - 1).fill(FAST_MS), { endpoint: 'GET /tickets' });
		expect(requests.respond([FAST_MS], { endpoint: 'PATCH /tickets' }).value).toBe(16);
	});

	test('a round has as many responses as the limit', () => {
		const requests = new Requests();
		requests.limit.reached();
		expect(requests.respond(Array<number>(INITIAL_LIMIT - 1).fill(FAST_MS)).value).toBe(8);
		expect(requests.respond([FAST_MS]).value).toBe(16);
	});

	test('a limit that is not in use stays', () => {
		const requests = new Requests().respond(Array<number>(50).fill(FAST_MS));
		expect(requests.value).toBe(INITIAL_LIMIT);
	});

	test('responses from before the limit was in use do not count: they had fewer beside them', () => {
		const requests = new Requests().respond(Array<number>(INITIAL_LIMIT - 1).fill(FAST_MS));
		requests.limit.reached();
		expect(requests.respond([FAST_MS]).value).toBe(INITIAL_LIMIT);
		requests.limit.reached();
		expect(requests.respond(Array<number>(INITIAL_LIMIT - 1).fill(FAST_MS)).value).toBe(16);
	});

	test('that the limit was in use counts for one round', () => {
		const requests = at16();
		expect(requests.respond(Array<number>(16).fill(FAST_MS)).value).toBe(16);
	});

	test('the responses of a round without growth do not count in the next one', () => {
		const requests = at16();
		requests.respond(Array<number>(16).fill(FAST_MS));
		requests.limit.reached();
		expect(requests.respond(Array<number>(15).fill(FAST_MS)).value).toBe(16);
		expect(requests.respond([FAST_MS]).value).toBe(32);
	});

	test('only requests that were sent since the last change count', () => {
		const requests = at16();
		const changedAt = requests.now;
		const ok = { kind: 'ok', endpoint: 'PATCH /a', latencyMs: FAST_MS } as const;
		requests.limit.reached();
		expect(requests.end(16, ok, 16, changedAt - 1).value).toBe(16);
		expect(requests.end(16, ok, 16, changedAt).value).toBe(32);
	});

	test('above a limit that was too high, the limit grows by a quarter', () => {
		const requests = at16().then('rejected');
		const limits = [requests.value];
		for (let n = 0; n < 3; n++) limits.push(requests.round(FAST_MS).value);
		expect(limits).toEqual([8, 10, 13, 17]);
	});

	test('requests that say nothing about the service change nothing', () => {
		const requests = new Requests();
		requests.limit.reached();
		expect(requests.end(100, { kind: 'other' }).value).toBe(INITIAL_LIMIT);
	});

	test('a latency below zero, because the clock was set back, says nothing', () => {
		const requests = new Requests();
		requests.limit.reached();
		expect(requests.respond(Array<number>(100).fill(-1)).value).toBe(INITIAL_LIMIT);
		// Nor is it the fastest from now on.
		expect(requests.round(FAST_MS).value).toBe(16);
	});
});

describe('a slower round', () => {
	test('lowers the limit to what the service carries, and a quarter more', () => {
		// 16 ÷ 4 × 1.25
		expect(at16().slowRound(SLOW_MS).value).toBe(5);
	});

	test('counts the requests in flight, not the limit', () => {
		// 8 ÷ 4 × 1.25
		expect(at16().slowRound(SLOW_MS, 8).value).toBe(2);
	});

	test('lowers the limit by one at least', () => {
		// More in flight than the limit, as with a person or a poll: 32 ÷ 1.6 × 1.25 = 25
		expect(at16().slowRound(1.6 * FAST_MS + 5, 32).value).toBe(15);
	});

	test.each([
		[1.5, 16],
		[1.52, 13],
	])('is one that takes more than 1.5 times as long (%f times: a limit of %i)', (times, limit) => {
		expect(at16().slowRound(times * FAST_MS + 5).value).toBe(limit);
	});

	test('is one whose slowest quarter is slow', () => {
		const of = (slow: number) =>
			at16().respond([
				...Array<number>(16 - slow).fill(FAST_MS),
				...Array<number>(slow).fill(SLOW_MS),
			]);
		expect(of(4).value).toBe(16);
		expect(of(5).value).toBe(5);
	});

	test('counts the most in flight: requests that are sent one after the other have fewer beside the first of them', () => {
		const requests = at16();
		const ok = { kind: 'ok', endpoint: 'PATCH /a', latencyMs: SLOW_MS } as const;
		for (let inFlight = 1; inFlight <= 16; inFlight++) requests.end(1, ok, inFlight);
		// 16 ÷ 4 × 1.25
		expect(requests.value).toBe(5);
	});

	test('needs twelve responses', () => {
		const requests = new Requests().respond(Array<number>(3).fill(FAST_MS));
		expect(requests.respond(Array<number>(8).fill(SLOW_MS)).value).toBe(INITIAL_LIMIT);
		// 8 ÷ 4 × 1.25
		expect(requests.respond([SLOW_MS]).value).toBe(2);
	});

	test('is compared with the fastest response of the same endpoint', () => {
		const requests = at16();
		const slow = Array<number>(16).fill(SLOW_MS);
		expect(requests.respond(slow, { endpoint: 'PATCH /b' }).value).toBe(16);
		expect(requests.respond(slow, { endpoint: 'PATCH /a' }).value).toBe(5);
	});

	test('is compared with the fastest response that there was, also to a request of an earlier limit', () => {
		const requests = at16();
		const ok = { kind: 'ok', endpoint: 'PATCH /a', latencyMs: FAST_MS / 4 } as const;
		requests.end(1, ok, 16, requests.now - 1);
		expect(requests.slowRound(FAST_MS + 5).value).toBe(5);
	});

	test('is none because of this process’s own work: below five milliseconds, latency says nothing', () => {
		expect(new Requests().round(1).slowRound(6.5).value).toBe(16);
		expect(new Requests().round(0).value).toBe(16);
		expect(new Requests().round(0).slowRound(6.5).value).toBe(16);
		expect(new Requests().round(1).slowRound(9).value).toBe(5);
	});

	test('is followed by growth of a quarter', () => {
		const requests = at16().slowRound(SLOW_MS);
		const limits = [requests.value];
		for (let n = 0; n < 2; n++) limits.push(requests.round(FAST_MS).value);
		expect(limits).toEqual([5, 7, 9]);
	});
});

describe('slowness that fewer requests do not cure', () => {
	test('gives the former limit back, and is usual from then on', () => {
		const requests = at16().slowRound(SLOW_MS);
		expect(requests.value).toBe(5);
		expect(requests.slowRound(SLOW_MS).value).toBe(16);
		expect(requests.round(SLOW_MS).value).toBe(20);
	});

	test.each([2.3, 8])('is usual as slow as it was with fewer requests (%f)', (times) => {
		const uncured = () =>
			at16()
				.slowRound(SLOW_MS)
				.slowRound(times * FAST_MS + 5);
		expect(uncured().value).toBe(16);
		expect(uncured().round(1.4 * times * FAST_MS + 5).value).toBe(20);
		expect(uncured().slowRound(1.6 * times * FAST_MS + 5).value).toBe(12);
	});

	test('gives the last limit back from which fewer requests have helped', () => {
		// At 5, it is half as slow: cured in part. At 2, it is as slow as at 16.
		const requests = at16()
			.slowRound(SLOW_MS)
			.slowRound(2.1 * FAST_MS + 5);
		expect(requests.value).toBe(2);
		expect(requests.slowRound(SLOW_MS).value).toBe(5);
	});

	test('is compared with the same number until there are clearly fewer', () => {
		const times = 1.52 * FAST_MS + 5;
		const requests = at16().slowRound(times, 16).slowRound(times, 15);
		expect(requests.value).toBe(12);
		expect(requests.slowRound(times, 13).value).toBe(16);
	});

	test.each([
		[2.2, 2],
		[2.3, 16],
	])(
		'is slowness that falls by less than half of what a queue would: from 4 times to %f, a limit of %i',
		(times, limit) => {
			expect(
				at16()
					.slowRound(SLOW_MS)
					.slowRound(times * FAST_MS + 5).value,
			).toBe(limit);
		},
	);

	test.each([
		[15, 12],
		[14, 16],
	])(
		'shows only with clearly fewer in flight: %i instead of 16 leave a limit of %i',
		(inFlight, limit) => {
			const requests = at16().slowRound(1.52 * FAST_MS + 5, 16);
			expect(requests.slowRound(1.52 * FAST_MS + 5, inFlight).value).toBe(limit);
		},
	);

	test('compares the means: a round with a few responses that take longest is not slower', () => {
		const requests = at16().slowRound(SLOW_MS);
		// The slowest quarter takes as long as before. Their mean is 2, and half of what was: cured.
		const mixed = [...Array<number>(4).fill(SLOW_MS), ...Array<number>(8).fill(FAST_MS)];
		expect(requests.respond(mixed).value).toBe(2);
	});

	test('is compared with the round before the first decrease only until a round is as fast as ever', () => {
		const requests = at16().slowRound(SLOW_MS);
		requests.respond(Array<number>(5).fill(FAST_MS));
		expect(requests.slowRound(SLOW_MS).value).toBe(2);
	});

	test('is compared with the round before the first decrease only until a request is rejected', () => {
		const requests = at16().slowRound(SLOW_MS).then('rejected');
		expect(requests.value).toBe(2);
		expect(requests.slowRound(SLOW_MS).value).toBe(3);
	});

	test('with two requests, which cannot be fewer, is usual', () => {
		const requests = at16().then('rejected').then('rejected').then('rejected').then('rejected');
		expect(requests.value).toBe(2);
		expect(requests.slowRound(SLOW_MS).value).toBe(3);
		expect(requests.round(SLOW_MS).value).toBe(4);
		// Not cured with two either, after the usual slowness.
		expect(requests.round(SLOW_MS).value).toBe(5);
	});

	test('a round is slow that is slower than usual by half, and the service carries that much less', () => {
		const requests = at16().slowRound(SLOW_MS).slowRound(SLOW_MS).round(SLOW_MS);
		expect(requests.value).toBe(20);
		expect(requests.round(6 * FAST_MS + 5).value).toBe(25);
		// 25 ÷ 8 × 4 × 1.25
		expect(requests.slowRound(8 * FAST_MS + 5).value).toBe(15);
	});

	test('usual slowness is forgotten by a tenth with each fast round', () => {
		const slowAgainAfter = (rounds: number) => {
			const requests = at16().slowRound(SLOW_MS).slowRound(SLOW_MS);
			for (let n = 0; n < rounds; n++) requests.respond(Array<number>(16).fill(FAST_MS));
			return requests.respond(Array<number>(16).fill(SLOW_MS)).value;
		};
		// 4 × 0.9³ × 1.5 is above 4; 4 × 0.9⁴ × 1.5 = 3.94 is not: 16 ÷ 4 × 2.62 × 1.25.
		expect(slowAgainAfter(3)).toBe(16);
		expect(slowAgainAfter(4)).toBe(13);
		// Never below what the fastest take.
		expect(slowAgainAfter(40)).toBe(5);
	});
});

describe('requests that are rejected or fail', () => {
	test('halve the limit, down to two', () => {
		const requests = at16();
		const limits = [];
		for (let n = 0; n < 4; n++) limits.push(requests.then('rejected').value);
		expect(limits).toEqual([8, 4, 2, 2]);
	});

	test.each(['rejected', 'failed'] as const)('halve it once per round trip (%s)', (kind) => {
		const requests = at16();
		const sentAt = requests.now + 1;
		requests.now += 2;
		expect(requests.end(16, { kind }, 16, sentAt).value).toBe(8);
	});

	test('end the round', () => {
		const requests = new Requests();
		requests.respond(Array<number>(7).fill(FAST_MS)).then('rejected');
		expect(requests.value).toBe(4);
		requests.limit.reached();
		expect(requests.respond(Array<number>(3).fill(FAST_MS)).value).toBe(4);
		expect(requests.respond([FAST_MS]).value).toBe(5);
	});

	/** A failure after a response that succeeded. */
	const failBeside = (requests: Requests) => requests.respond([FAST_MS]).then('failed').value;

	test('beside others that succeed, with few in flight, lower the limit less and less, up to eight', () => {
		const requests = new Requests();
		const limits = [1, 2, 3, 4, 5].map(() => failBeside(requests));
		expect(limits).toEqual([4, 4, 6, 8, 8]);
	});

	test('one after another lower it to two again', () => {
		const requests = new Requests();
		for (let n = 0; n < 4; n++) failBeside(requests);
		expect(requests.value).toBe(8);
		expect([requests.then('failed').value, requests.then('failed').value]).toEqual([4, 2]);
		expect(requests.then('failed').value).toBe(2);
		// What was learned is forgotten.
		expect(failBeside(requests)).toBe(4);
	});

	test('beside others that succeed, with many in flight, say nothing about single records', () => {
		const requests = at16().round(FAST_MS);
		expect([1, 2, 3, 4].map(() => failBeside(requests))).toEqual([16, 8, 4, 4]);
	});

	test('a 429 beside successes does not change what failures leave', () => {
		const requests = new Requests();
		for (let n = 0; n < 2; n++) requests.respond([FAST_MS]).then('rejected');
		expect(requests.value).toBe(2);
		expect(failBeside(requests)).toBe(4);
	});

	test('a 429 lowers it to two, whatever failures have left', () => {
		const requests = new Requests();
		for (let n = 0; n < 4; n++) failBeside(requests);
		expect([requests.then('rejected').value, requests.then('rejected').value]).toEqual([4, 2]);
	});
});

describe('a limit that begins anew', () => {
	test('is eight, grows as the first one, and knows the fastest responses', () => {
		const requests = new Requests(at16().then('rejected').then('rejected').limit.afresh());
		expect(requests.value).toBe(INITIAL_LIMIT);
		expect(requests.slowRound(SLOW_MS).value).toBe(2);
		expect(new Requests(at16().limit.afresh()).round(FAST_MS).value).toBe(16);
	});
});
