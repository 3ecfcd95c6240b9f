/** The clock that the package uses outside tests, with the timers of the process replaced. */
import { getEventListeners } from 'node:events';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';

beforeEach(() => {
	jest.useFakeTimers({ now: 1_000_000, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
	jest.useRealTimers();
});

/** Whether a promise has been settled. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
	const pending = Symbol('pending');
	await new Promise((resolve) => setImmediate(resolve));
	return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

test('time is that of the machine; random numbers and IDs differ', () => {
	expect(clock.now()).toBe(1_000_000);
	jest.advanceTimersByTime(5);
	expect(clock.now()).toBe(1_000_005);
	const numbers = Array.from({ length: 20 }, () => clock.random());
	expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
	expect(new Set(numbers).size).toBeGreaterThan(1);
	expect(clock.uuid()).not.toBe(clock.uuid());
});

test('yielding lets everything else run that is due, and takes no longer', async () => {
	const yielding = clock.yieldToOthers();
	expect(await isDone(yielding)).toBe(false);
	jest.advanceTimersByTime(1);
	expect(await isDone(yielding)).toBe(true);
});

describe('sleeping', () => {
	test.each([undefined, new AbortController().signal])(
		'takes as long as it should',
		async (signal) => {
			const sleeping = clock.sleep(5_000, signal);
			jest.advanceTimersByTime(4_999);
			expect(await isDone(sleeping)).toBe(false);
			jest.advanceTimersByTime(1);
			expect(await isDone(sleeping)).toBe(true);
		},
	);

	test('for no time, or with a signal that was aborted, sets no timer', async () => {
		await clock.sleep(0);
		await clock.sleep(-1, new AbortController().signal);
		await clock.sleep(5_000, AbortSignal.abort());
		expect(jest.getTimerCount()).toBe(0);
	});

	test('ends with the signal, without throwing', async () => {
		const stop = new AbortController();
		const sleeping = clock.sleep(5_000, stop.signal);
		expect(await isDone(sleeping)).toBe(false);
		stop.abort();
		await sleeping;
		expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
	});
});

test('a callback is called once its time has passed, by a timer that keeps no process alive', () => {
	const original = Object.getOwnPropertyDescriptor(AbortSignal, 'timeout')!;
	const timers = new Map<number, AbortController>();
	AbortSignal.timeout = (ms) => {
		timers.set(ms, new AbortController());
		return timers.get(ms)!.signal;
	};
	try {
		let calls = 0;
		clock.after(5_000, () => calls++);
		expect(calls).toBe(0);
		timers.get(5_000)!.abort();
		expect(calls).toBe(1);
	} finally {
		Object.defineProperty(AbortSignal, 'timeout', original);
	}
});
