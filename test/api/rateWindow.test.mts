/** What is left of a window, by what the service reports or what former windows have accepted. */
import type { RateInfo } from '../../nodes/ConversationalMessaging/api/rateHeaders.ts';
import { RateWindow } from '../../nodes/ConversationalMessaging/api/rateWindow.ts';

const START = 1_000_000_000;

/** A window and the time, which passes only when it is told to. */
class Requests {
	readonly window = new RateWindow();

	now = START;

	later(ms: number): this {
		this.now += ms;
		return this;
	}

	/** Responses that arrive now. */
	accepted(count: number, rate: RateInfo = {}): this {
		for (let n = 0; n < count; n++) this.window.responded(rate, false, this.now);
		return this;
	}

	/** A 429 that arrives now, and the pause after it until the window is over. */
	rejected(rate: RateInfo = {}): this {
		this.window.responded(rate, true, this.now);
		this.window.end();
		return this;
	}

	/** How many more may be sent, with this many in flight. */
	left(inFlight = 0): number {
		return this.window.left(inFlight, this.now);
	}

	get atOnce(): number {
		return this.window.atOnce(this.now);
	}
}

const reported = (rate: RateInfo, window = new Requests()) => window.accepted(1, rate);

describe('before anything is known', () => {
	test('no window has begun, and nothing limits the number of requests but care', () => {
		const { window, now } = new Requests();
		expect(window.isOver(now)).toBe(true);
		expect(window.size).toBeUndefined();
		expect(window.lengthMs).toBe(60_000);
		expect(window.countedLeft(now)).toBe(0);
		expect(window.left(100, now)).toBe(Infinity);
		expect(window.atOnce(now)).toBe(8);
	});

	test('a window begins with its first response, and lasts a minute', () => {
		const { window } = new Requests().accepted(1);
		const ends = START + 60_000;
		expect(window.endsAt(START)).toBe(ends);
		expect([window.isOver(ends - 1), window.isOver(ends)]).toEqual([false, true]);
		expect([0, 20_000, 60_000, 90_000].map((ms) => window.countedLeft(START + ms))).toEqual([
			60_000, 40_000, 0, 0,
		]);
	});

	test('further responses do not prolong it', () => {
		const { window } = new Requests().accepted(1).later(59_000).accepted(1);
		expect(window.endsAt(START)).toBe(START + 60_000);
	});

	test.each([
		[1, 47],
		[40, 8],
		[47, 8],
		[64, 8],
		[65, 8.5],
		[160, 56],
	])(
		'after %i accepted requests, %i may be rejected at once: the rest of the first 48, 8, or half of those beyond 48',
		(accepted, atOnce) => {
			const requests = new Requests().accepted(accepted);
			expect(requests.atOnce).toBe(atOnce);
			expect(requests.left(1_000)).toBe(Infinity);
		},
	);

	test('as many as the last window has accepted without a 429 are surely allowed', () => {
		const requests = new Requests().accepted(100).later(60_000).accepted(1);
		expect(requests.atOnce).toBe(99);
		// 30 accepted were fewer than 48.
		expect(requests.accepted(29).later(60_000).accepted(1).atOnce).toBe(47);
	});

	test('when it is over, the next one may be in use by others', () => {
		expect(new Requests().accepted(300).later(60_000).atOnce).toBe(8);
	});
});

describe('a service that reports what is left', () => {
	test('that many may be sent, without those in flight; a third of them at once, but at least two', () => {
		const requests = reported({ remaining: 30, resetInMs: 10_000 });
		expect([requests.left(), requests.left(12), requests.left(31)]).toEqual([30, 18, -1]);
		expect(requests.atOnce).toBe(10);
		expect(reported({ remaining: 5, resetInMs: 10_000 }).atOnce).toBe(2);
	});

	test('until its reset', () => {
		const requests = reported({ remaining: 30, resetInMs: 10_000 });
		expect(requests.window.endsAt(START)).toBe(START + 10_000);
		expect(requests.later(9_999).left()).toBe(30);
		expect(requests.later(1).left()).toBe(Infinity);
		expect(requests.atOnce).toBe(8);
		expect(requests.window.isOver(requests.now)).toBe(true);
	});

	test('until the window is over, if it reports no reset, or a later one', () => {
		for (const resetInMs of [undefined, 60_000, 3_600_000]) {
			const requests = new Requests().accepted(1).later(20_000);
			reported({ remaining: 30, resetInMs }, requests);
			expect(requests.window.endsAt(requests.now)).toBe(START + 60_000);
		}
	});

	test('the lowest number counts: responses arrive out of order', () => {
		const requests = reported({ remaining: 9, resetInMs: 10_000 });
		expect(reported({ remaining: 12, resetInMs: 10_000 }, requests).left()).toBe(9);
		expect(reported({ remaining: 8, resetInMs: 10_000 }, requests).left()).toBe(8);
		requests.later(10_000);
		expect(reported({ remaining: 59, resetInMs: 10_000 }, requests).left()).toBe(59);
	});

	test('the size of a window is the reported limit, else the most that was left and one', () => {
		expect(reported({ limit: 60, remaining: 30 }).window.size).toBe(60);
		const requests = reported({ remaining: 30 });
		expect(requests.window.size).toBe(31);
		expect(reported({ remaining: 12 }, requests).window.size).toBe(31);
		requests.later(60_000);
		expect(reported({ remaining: 59 }, requests).window.size).toBe(60);
	});

	test.each([
		[10_000, 10_000],
		[200, 1_000],
		[90_000, 60_000],
	])(
		'a reset in %i ms makes a window of %i ms: no shorter than a second, no longer than documented',
		(resetInMs, length) => {
			expect(reported({ remaining: 30, resetInMs }).window.lengthMs).toBe(length);
		},
	);

	test('only with some responses: the others do not count, as long as no 429 is unexpected', () => {
		const requests = reported({ remaining: 30 }).accepted(10);
		expect(requests.left()).toBe(30);
	});

	test('only with some responses: the others count, once a 429 was unexpected', () => {
		const requests = reported({ remaining: 30 }).rejected().later(60_000);
		reported({ remaining: 30 }, requests).accepted(10);
		expect(requests.left()).toBe(20);
		// A 429 itself was not accepted.
		requests.window.responded({}, true, requests.now);
		expect(requests.left()).toBe(20);
	});

	test('only with some responses: a 429 when nothing was left is expected', () => {
		const requests = reported({ remaining: 0 }).rejected().later(60_000);
		expect(reported({ remaining: 30 }, requests).accepted(10).left()).toBe(30);
	});

	test('a 429 teaches no other size than the reported one', () => {
		const requests = reported({ limit: 60, remaining: 59 }).accepted(30);
		requests.rejected({ limit: 60, remaining: 0, resetInMs: 20_000 });
		expect(requests.window.size).toBe(60);
	});

	test('what is reported replaces what was learned', () => {
		const requests = new Requests().accepted(20).rejected().later(60_000).accepted(1);
		expect([requests.window.size, requests.atOnce]).toEqual([20, Infinity]);
		reported({ remaining: 30, resetInMs: 1_000 }, requests);
		expect([requests.window.size, requests.atOnce]).toEqual([31, 10]);
		expect(requests.later(1_000).left()).toBe(Infinity);
		// Nothing is reported in the next window: neither number holds there.
		requests.accepted(40);
		expect([requests.left(), requests.atOnce]).toEqual([Infinity, 8]);
	});
});

describe('a service that reports nothing before a 429', () => {
	/** A window that accepted this many before its 429, and the next one, with one response. */
	const learned = (accepted: number) =>
		new Requests().accepted(accepted).rejected().later(60_000).accepted(1);

	test('the next window allows as many as that one accepted, all at once', () => {
		const requests = learned(20);
		expect(requests.window.size).toBe(20);
		expect([requests.left(), requests.left(5), requests.accepted(10).left(5)]).toEqual([19, 14, 4]);
		expect(requests.atOnce).toBe(Infinity);
	});

	test('until the first response of the next window, its number is unknown', () => {
		const requests = new Requests().accepted(20).rejected().later(60_000);
		expect([requests.left(100), requests.atOnce]).toEqual([Infinity, 8]);
	});

	test.each([
		[15, undefined],
		[16, 16],
	])(
		'%i accepted requests say this about the size: %p. Others may have used the window',
		(accepted, size) => {
			expect(new Requests().accepted(accepted).rejected().window.size).toBe(size);
		},
	);

	test('in the first window after it, no more is sent; in every second one, one more at a time', () => {
		const requests = learned(20).accepted(19);
		expect([requests.left(), requests.left(1)]).toEqual([0, -1]);
		requests.later(60_000).accepted(5);
		expect(requests.left(1)).toBe(14);
		requests.accepted(15);
		// One at first, then two, …
		expect([requests.left(), requests.left(1)]).toEqual([1, 0]);
		expect([requests.accepted(1).left(), requests.left(2)]).toEqual([2, 0]);
		requests.later(60_000).accepted(21);
		expect(requests.left()).toBe(0);
	});

	test('what a window accepts beyond the size is the size from then on', () => {
		const requests = learned(20).accepted(19).later(60_000).accepted(23).later(60_000).accepted(1);
		expect(requests.window.size).toBe(23);
		// A window that was not used up says nothing.
		expect(requests.accepted(4).later(60_000).accepted(1).window.size).toBe(23);
	});

	test('a response after the first 429 of a window was accepted before it', () => {
		const requests = new Requests().accepted(20).rejected();
		requests.window.respondedLate();
		expect(requests.window.size).toBe(21);
		requests.later(60_000).accepted(1).window.respondedLate();
		expect(requests.window.size).toBe(21);
		const unknown = new Requests().accepted(15).rejected();
		unknown.window.respondedLate();
		expect(unknown.window.size).toBeUndefined();
	});

	test('further 429s of the same window say nothing', () => {
		const requests = new Requests().accepted(20);
		requests.window.responded({}, true, requests.now);
		requests.accepted(5).window.responded({}, true, requests.now);
		expect(requests.window.size).toBe(20);
		// Nor does what was accepted meanwhile.
		requests.window.end();
		expect(requests.window.size).toBe(20);
		expect(requests.later(60_000).accepted(1).atOnce).toBe(Infinity);
	});

	test('a window with a 429 does not show what is surely allowed', () => {
		const requests = learned(200).accepted(89);
		// No pause follows, as with a Retry-After of zero.
		requests.window.responded({}, true, requests.now);
		// Far fewer than the 200 before: now, no size is known.
		requests.later(60_000).accepted(1);
		expect([requests.window.size, requests.atOnce]).toEqual([undefined, 47]);
	});

	test('a later 429 teaches a smaller size', () => {
		const requests = learned(40).accepted(24).rejected().later(60_000).accepted(1);
		expect([requests.window.size, requests.atOnce]).toEqual([25, Infinity]);
	});

	test('a size below half of the former one is right for no window: others use it too', () => {
		const half = learned(40).accepted(19).rejected().later(60_000).accepted(1);
		expect(half.window.size).toBe(20);
		const less = learned(40).accepted(18).rejected();
		expect(less.window.size).toBe(19);
		expect(less.later(60_000).accepted(1).window.size).toBeUndefined();
		expect(less.left(1_000)).toBe(Infinity);
		expect(less.atOnce).toBe(47);
	});

	test('once: what is learned afterwards counts again', () => {
		const requests = learned(40).accepted(18).rejected().later(60_000);
		requests.accepted(20).rejected().later(60_000).accepted(1);
		expect(requests.window.size).toBe(20);
		expect(requests.later(60_000).accepted(1).window.size).toBe(20);
	});

	test.each<[string, RateInfo, number]>([
		['Retry-After', { retryInMs: 25_000, resetInMs: 1_000 }, 35_000],
		['the reset', { resetInMs: 25_000 }, 35_000],
		['neither', {}, 60_000],
	])('%s shows the length of a window', (_name, rate, length) => {
		const requests = new Requests().accepted(20).later(10_000).rejected(rate);
		expect(requests.window.lengthMs).toBe(length);
	});

	test('a window whose first request is rejected began with the one before', () => {
		const requests = new Requests().accepted(20).later(5_000).rejected({ retryInMs: 15_000 });
		expect(requests.window.lengthMs).toBe(20_000);
		requests.later(15_000).rejected({ retryInMs: 10_000 });
		expect(requests.window.lengthMs).toBe(30_000);
	});

	test('without a window before, a 429 shows no length', () => {
		expect(new Requests().rejected({ retryInMs: 10_000 }).window.lengthMs).toBe(60_000);
	});
});
