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

test('a callback is called once its time has passed, by a timer that keeps no process alive, unless it is canceled', () => {
	const timer = new AbortController();
	const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(timer.signal);
	let calls = 0;
	clock.after(4_999.5, () => calls++);
	const cancel = clock.after(5_000, () => (calls += 100));
	expect(timeout.mock.calls).toStrictEqual([[5_000], [5_000]]);
	cancel();
	expect(getEventListeners(timer.signal, 'abort')).toHaveLength(1);
	expect(calls).toBe(0);
	timer.abort();
	expect(calls).toBe(1);
});
