/** What is left of a window, by what the service reports or what a former window has accepted. */
import type { RateInfo } from '../../nodes/ConversationalMessaging/api/rateHeaders.ts';
import { RateWindow } from '../../nodes/ConversationalMessaging/api/rateWindow.ts';

const START = 1_000_000;

/** A window and the time, which passes only when it is told to. */
class Requests {
	readonly window = new RateWindow();

	now = START;

	later(ms: number): this {
		this.now += ms;
		return this;
	}

	/** Responses that arrive now. */
	accepted(count: number, rate: RateInfo = {}, isRead = false): this {
		for (let n = 0; n < count; n++)
			this.window.responded({ isRead, isRateLimited: false, rate }, this.now);
		return this;
	}

	/** A 429 that arrives now. */
	rejected(rate: RateInfo = {}, isRead = false): this {
		this.window.responded({ isRead, isRateLimited: true, rate }, this.now);
		return this;
	}

	/** How many more may be sent, with this many in flight. */
	left(others = 0, reads = 0): number {
		return this.window.left({ reads, others }, this.now);
	}

	get atOnce(): number {
		return this.window.atOnce(this.now);
	}

	/** For how long the service accepts nothing, in milliseconds. */
	get closedFor(): number {
		return Math.max(0, this.window.closedUntil - this.now);
	}
}

describe('before anything is known', () => {
	test('nothing limits the requests of a window, and eight are sent before its first response', () => {
		const requests = new Requests();
		expect([requests.left(100), requests.atOnce, requests.window.size]).toEqual([
			Infinity,
			8,
			undefined,
		]);
		requests.accepted(1);
		expect([requests.left(100), requests.atOnce]).toEqual([Infinity, Infinity]);
	});

	test('a window begins with its first response, and lasts a minute', () => {
		expect(new Requests().accepted(1).later(500).accepted(1).window.endsAt).toBe(START + 60_000);
	});
});

describe('a service that reports what remains', () => {
	const reported = (rate: RateInfo) => new Requests().accepted(1, rate);

	test('has that left, without the requests in flight', () => {
		const requests = reported({ limit: 60, remaining: 9, resetInMs: 20_000 });
		expect([requests.left(), requests.left(4), requests.window.size]).toEqual([9, 5, 60]);
	});

	test.each([
		[60, 20],
		[9, 3],
		[6, 2],
		[1, 2],
	])('with %i left, %i may be in flight: other processes may send as many', (remaining, atOnce) => {
		expect(reported({ remaining }).atOnce).toBe(atOnce);
	});

	test('ends its window as reported, but never later than a window lasts', () => {
		const requests = reported({ remaining: 9, resetInMs: 20_000 });
		expect(requests.window.endsAt).toBe(START + 20_000);
		requests.later(5_000).accepted(1, { remaining: 8, resetInMs: 60_000 });
		expect(requests.window.endsAt).toBe(START + 60_000);
	});

	test('without a reset, ends it after a minute', () => {
		expect(reported({ remaining: 9 }).window.endsAt).toBe(START + 60_000);
	});

	test('accepts nothing until then once nothing remains', () => {
		const requests = reported({ remaining: 0, resetInMs: 20_000 });
		expect([requests.closedFor, requests.left()]).toEqual([20_000, 0]);
		requests.later(20_000);
		expect([requests.closedFor, requests.left()]).toEqual([0, 1]);
	});

	test('the lowest number counts: responses can arrive out of order', () => {
		expect(reported({ remaining: 3 }).accepted(1, { remaining: 5 }).left()).toBe(3);
	});

	test('responses without a report are counted', () => {
		expect(reported({ remaining: 9 }).accepted(4).left()).toBe(5);
	});

	test('in the next window has as many as reported before, and eight before its first response', () => {
		const requests = reported({ limit: 60, remaining: 2, resetInMs: 20_000 }).later(20_000);
		expect([requests.left(8), requests.atOnce]).toEqual([52, 8]);
		expect(requests.accepted(1, { limit: 60, remaining: 40 }).left()).toBe(40);
	});

	test('without a limit, its size is the most that it has reported', () => {
		const requests = reported({ remaining: 59 }).accepted(1, { remaining: 3 });
		expect(requests.window.size).toBe(60);
	});

	test('a 429 that reports what remains says nothing about the size', () => {
		const requests = reported({ limit: 60, remaining: 3 }).rejected({ remaining: 0, limit: 60 });
		expect(requests.window.size).toBe(60);
	});
});

describe('a service of which only the 429 tells', () => {
	test('has what the window accepted before it, also with a later response, and then a sixteenth of that at a time', () => {
		const requests = new Requests().accepted(20).rejected({ retryInMs: 30_000 }).accepted(2);
		expect(requests.window.size).toBe(22);
		requests.later(30_000);
		expect([requests.left(8), requests.atOnce]).toEqual([14, 8]);
		requests.accepted(20);
		expect([requests.left(), requests.left(1), requests.left(2)]).toEqual([2, 1, 0]);
		requests.accepted(2);
		expect([requests.left(), requests.left(1)]).toEqual([1, 0]);
		expect([requests.accepted(10).left(), requests.accepted(32).left()]).toEqual([2, 4]);
		// It has grown.
		expect(requests.rejected().window.size).toBe(64);
	});

	test('has what a window accepted without one, if that was more', () => {
		const requests = new Requests().accepted(20).rejected({ retryInMs: 30_000 }).later(30_000);
		requests.accepted(50).later(60_000).accepted(1);
		expect(requests.window.size).toBe(50);
	});

	test('has windows as long as the last 429 has shown, a minute at most', () => {
		const requests = new Requests().accepted(20).later(4_000).rejected({ retryInMs: 6_000 });
		requests.later(6_000).accepted(1);
		expect(requests.window.endsAt).toBe(requests.now + 10_000);
		requests.rejected({ retryInMs: 90_000 }).later(90_000).accepted(1);
		expect(requests.window.endsAt).toBe(requests.now + 60_000);
	});

	test('a window of which others have used everything says nothing about its size', () => {
		const requests = new Requests().accepted(20).rejected({ retryInMs: 1_000 }).later(1_000);
		expect(requests.rejected({ retryInMs: 1_000 }).window.size).toBe(20);
	});

	test.each<[string, RateInfo, number]>([
		['Retry-After', { retryInMs: 5_000, resetInMs: 42_000 }, 5_000],
		['the reset, without Retry-After', { resetInMs: 42_000 }, 42_000],
		['the rest of the minute since its first response, without either', {}, 40_000],
	])('accepts nothing for as long as %s says', (_name, rate, ms) => {
		expect(new Requests().accepted(1).later(20_000).rejected(rate).closedFor).toBe(ms);
	});

	test('a second 429 does not shorten that', () => {
		const requests = new Requests().rejected({ retryInMs: 5_000 }).rejected({ retryInMs: 1_000 });
		expect(requests.closedFor).toBe(5_000);
	});
});

describe('reads', () => {
	test('do not count in a window that only writes use', () => {
		const requests = new Requests().accepted(50, {}, true).accepted(20).rejected();
		expect(requests.window.counts(false)).toBe(true);
		expect(requests.window.counts(true)).toBe(false);
		expect([requests.window.size, requests.window.sizeForReads]).toEqual([20, undefined]);
	});

	test('do not reduce what writes report as left', () => {
		const requests = new Requests().accepted(1, { remaining: 9 }).accepted(5, {}, true);
		expect(requests.left(0, 3)).toBe(9);
	});

	test('count once one of them is rejected, with those before it', () => {
		const requests = new Requests().accepted(50, {}, true).accepted(10).rejected({}, true);
		expect(requests.window.counts(true)).toBe(true);
		expect([requests.window.size, requests.window.sizeForReads]).toEqual([60, 60]);
	});

	test('count once one of them reports what remains', () => {
		const requests = new Requests().accepted(1, { limit: 60, remaining: 9 }, true);
		expect(requests.window.sizeForReads).toBe(60);
		expect(requests.left(1, 2)).toBe(6);
	});
});
