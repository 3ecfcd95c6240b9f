/** The clock that the package uses outside tests, with the timers of the process replaced. */
import { getEventListeners } from 'node:events';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';

/** The timers that were set, by their time in milliseconds, and what ends them. */
const timers: { ms: number; end: () => void }[] = [];

beforeEach(() => {
	timers.length = 0;
	jest.spyOn(globalThis, 'setTimeout').mockImplementation(((end: () => void, ms: number) => {
		timers.push({ ms, end });
	}) as unknown as typeof setTimeout);
});
afterEach(() => jest.restoreAllMocks());

/** Whether a promise has been settled. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
	const pending = Symbol('pending');
	await new Promise((resolve) => setImmediate(resolve));
	return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

test('time is that of the machine; random numbers and IDs differ', () => {
	jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
	expect(clock.now()).toBe(1_000_000);
	const numbers = Array.from({ length: 20 }, () => clock.random());
	expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
	expect(new Set(numbers).size).toBeGreaterThan(1);
	expect(clock.uuid()).not.toBe(clock.uuid());
});

test('yielding lets everything else run that is due, and takes no longer', async () => {
	const yielding = clock.yieldToOthers();
	expect(await isDone(yielding)).toBe(false);
	expect(timers).toMatchObject([{ ms: 0 }]);
	timers[0]!.end();
	expect(await isDone(yielding)).toBe(true);
});

describe('sleeping', () => {
	test.each([undefined, new AbortController().signal])(
		'takes as long as it should',
		async (signal) => {
			const sleeping = clock.sleep(5_000, signal);
			expect(await isDone(sleeping)).toBe(false);
			expect(timers).toMatchObject([{ ms: 5_000 }]);
			timers[0]!.end();
			expect(await isDone(sleeping)).toBe(true);
			expect(signal ? getEventListeners(signal, 'abort') : []).toStrictEqual([]);
		},
	);

	test('for no time, or with a signal that was aborted, sets no timer', async () => {
		await clock.sleep(0);
		await clock.sleep(-1, new AbortController().signal);
		await clock.sleep(5_000, AbortSignal.abort());
		expect(timers).toStrictEqual([]);
	});

	test('ends with the signal, without throwing', async () => {
		const stop = new AbortController();
		const sleeping = clock.sleep(5_000, stop.signal);
		expect(await isDone(sleeping)).toBe(false);
		stop.abort();
		await sleeping;
		expect(getEventListeners(stop.signal, 'abort')).toStrictEqual([]);
	});
});

describe('callbacks', () => {
	/** What passes each second, as long as somebody waits, on a timer that keeps no process alive. */
	let ticks: AbortController[] = [];
	let now = 0;

	beforeEach(() => {
		ticks = [];
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
			expect(ms).toBe(1_000);
			ticks.push(new AbortController());
			return ticks.at(-1)!.signal;
		});
	});

	const pass = () => {
		now += 1_000;
		ticks.at(-1)!.abort();
	};

	test('are called once, within a second after their time, unless they are canceled', () => {
		const called: string[] = [];
		clock.after(2_500, () => called.push('later'));
		clock.after(900, () => called.push('soon'));
		const cancel = clock.after(900, () => called.push('never'));
		cancel();
		const seen = [1, 2, 3].map(() => {
			pass();
			return called.join();
		});
		expect(seen).toStrictEqual(['soon', 'soon', 'soon,later']);
		// One timer a second for all of them, and none for nobody.
		expect(ticks).toHaveLength(3);
	});

	test('that are all canceled end the ticks, and the next one begins them again', () => {
		for (let n = 0; n < 1_000; n++) clock.after(30_000, () => undefined)();
		expect(ticks).toHaveLength(1);
		pass();
		expect(ticks).toHaveLength(1);
		let calls = 0;
		clock.after(500, () => calls++);
		expect(ticks).toHaveLength(2);
		pass();
		expect(calls).toBe(1);
	});

	test('may begin another one', () => {
		let calls = 0;
		clock.after(100, () => clock.after(100, () => calls++));
		pass();
		expect(calls).toBe(0);
		pass();
		expect(calls).toBe(1);
	});
});
