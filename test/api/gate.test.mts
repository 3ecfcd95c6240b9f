import { setMaxListeners } from 'node:events';
import {
	Gate,
	Gates,
	MAX_IN_FLIGHT,
	REST_MS,
	waitAfterRefusal,
} from '../../nodes/ConversationalMessaging/api/gate.ts';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import { FakeTime } from '../time.mts';

let time: FakeTime;
beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

/** Lets everything happen that can without time passing. */
const settled = async () => {
	for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** Lets time pass for those who wait. */
const later = async () => await new Promise((resolve) => setImmediate(resolve));

/** Enters the gate so many times and counts who has been let through. */
function crowd(gate: Gate, size: number) {
	const through = { count: 0 };
	for (let i = 0; i < size; i++) {
		void gate.enter(Infinity).then(() => through.count++);
	}
	return through;
}

/** A gate whose first request has come back, so that it no longer goes alone. */
async function openGate(): Promise<Gate> {
	const gate = new Gate();
	await gate.enter(Infinity);
	gate.leave(false, {});
	return gate;
}

describe('requests side by side', () => {
	test('the first goes alone, to find out what is left', async () => {
		const gate = new Gate();
		void gate.enter(Infinity);
		const others = crowd(gate, 3);
		await settled();
		expect(others.count).toBe(0);
		gate.leave(false, {});
		await settled();
		expect(others.count).toBe(3);
	});

	test('but nobody waits for it longer than a second', async () => {
		const gate = new Gate();
		void gate.enter(Infinity);
		const others = crowd(gate, 3);
		await later();
		await settled();
		expect(time.waits).toEqual([1_000]);
		expect(others.count).toBe(3);
	});

	test(`then ${String(MAX_IN_FLIGHT)} at once`, async () => {
		const gate = await openGate();
		const all = crowd(gate, 20);
		await settled();
		expect(all.count).toBe(MAX_IN_FLIGHT);
		gate.leave(false, {});
		await settled();
		expect(all.count).toBe(MAX_IN_FLIGHT + 1);
	});

	test('fewer when the window has fewer left', async () => {
		const gate = new Gate();
		await gate.enter(Infinity);
		gate.leave(false, { remaining: 3, resetInMs: 42_000 });
		const all = crowd(gate, 20);
		await settled();
		expect(all.count).toBe(3);
	});
});

describe('a closed gate', () => {
	test('opens when Retry-After says so, with up to a second of jitter', async () => {
		time.chance = 0.5;
		const gate = await openGate();
		await gate.enter(Infinity);
		gate.leave(true, { retryInMs: 10_000 });
		await gate.enter(Infinity);
		expect(time.waits).toEqual([10_500]);
	});

	test('opens when the window starts anew', async () => {
		const gate = await openGate();
		await gate.enter(Infinity);
		gate.leave(true, { remaining: 0, resetInMs: 42_000 });
		await gate.enter(Infinity);
		expect(time.waits).toEqual([42_000]);
	});

	test('without any header: after the rest of the window, counted from its first request', async () => {
		const gate = await openGate();
		time.clock.advance(20_000);
		await gate.enter(Infinity);
		gate.leave(true, {});
		await gate.enter(Infinity);
		expect(time.waits).toEqual([40_000]);
	});

	test('is not kept closed longer by answers that were still under way', async () => {
		const gate = await openGate();
		time.clock.advance(50_000);
		await gate.enter(Infinity);
		await gate.enter(Infinity);
		gate.leave(true, {});
		time.clock.advance(500);
		gate.leave(true, {});
		await gate.enter(Infinity);
		expect(time.waits).toEqual([9_500]);
	});

	test('counts the window from the answer to its first request, by which it had begun', async () => {
		const gate = new Gate();
		await gate.enter(Infinity);
		time.clock.advance(3_000);
		gate.leave(false, {});
		await gate.enter(Infinity);
		gate.leave(true, {});
		await gate.enter(Infinity);
		expect(time.waits).toEqual([60_000]);
	});

	test('closes before a refusal when nothing is left and nobody is under way', async () => {
		const gate = await openGate();
		await gate.enter(Infinity);
		gate.leave(false, { remaining: 0, resetInMs: 30_000 });
		await gate.enter(Infinity);
		expect(time.waits).toEqual([30_000]);
	});

	test('a late answer with a higher number does not reopen what a lower one closed', async () => {
		const gate = await openGate();
		await gate.enter(Infinity);
		await gate.enter(Infinity);
		gate.leave(false, { remaining: 0, resetInMs: 30_000 });
		gate.leave(false, { remaining: 1, resetInMs: 30_000 });
		await gate.enter(Infinity);
		expect(time.waits).toEqual([30_000]);
	});

	test('turns away at once who cannot wait that long', async () => {
		const gate = await openGate();
		await gate.enter(Infinity);
		gate.leave(true, { retryInMs: 10_000 });
		const opensAt = time.clock.now() + 10_000;
		expect(await gate.enter(5_000)).toEqual({ admitted: false, opensAt });
		expect(time.waits).toEqual([]);
	});

	test('turns away those who were waiting when it closed', async () => {
		const gate = new Gate();
		await gate.enter(Infinity);
		const impatient = gate.enter(5_000);
		gate.leave(true, { retryInMs: 10_000 });
		expect(await impatient).toMatchObject({ admitted: false });
	});

	test.each(Array.from({ length: 12 }, (_, ms) => ms))(
		'opens for who waits, whichever look at the clock the moment falls between (%i ms)',
		async (ms) => {
			const gate = await openGate();
			await gate.enter(Infinity);
			gate.leave(true, { retryInMs: ms + 0.5 });
			// The clock goes on between two looks.
			clock.now = () => {
				time.clock.advance(1);
				return time.clock.now();
			};
			const one = crowd(gate, 1);
			for (let waits = 0; waits < 5; waits++) await later();
			await settled();
			expect(one.count).toBe(1);
		},
	);

	test('lets go at once of who was stopped', async () => {
		const gate = await openGate();
		for (let i = 0; i < MAX_IN_FLIGHT; i++) await gate.enter(Infinity);
		const stop = new AbortController();
		const entering = gate.enter(Infinity, stop.signal);
		stop.abort();
		expect(await entering).toMatchObject({ admitted: false });
		expect(time.waits).toEqual([]);
	});

	test('lets nobody in who was stopped before', async () => {
		const gate = await openGate();
		gate.leave(true, { retryInMs: 10_000 });
		const stopped = AbortSignal.abort();
		expect(await gate.enter(Infinity, stopped)).toMatchObject({ admitted: false });
		expect(time.waits).toEqual([]);
	});

	test('keeps no place for who was stopped', async () => {
		const gate = await openGate();
		for (let n = 0; n < 3 * MAX_IN_FLIGHT; n++) {
			const stop = new AbortController();
			// As n8n does for the signal of an execution.
			setMaxListeners(Infinity, stop.signal);
			const all = Array.from({ length: 20 }, () => gate.enter(Infinity, stop.signal));
			await settled();
			stop.abort();
			for (const { admitted } of await Promise.all(all)) if (admitted) gate.cancel();
		}
		const others = crowd(gate, 20);
		await settled();
		expect(others.count).toBe(MAX_IN_FLIGHT);
	});

	test('sends another ahead when the one that went alone was not sent', async () => {
		const gate = new Gate();
		await gate.enter(Infinity);
		const others = crowd(gate, 3);
		gate.cancel();
		await settled();
		expect(others.count).toBe(1);
		gate.leave(false, {});
		await settled();
		expect(others.count).toBe(3);
	});

	test('tells who waits, when the wait begins and until when', async () => {
		const gate = await openGate();
		for (let n = 0; n < MAX_IN_FLIGHT; n++) await gate.enter(Infinity);
		const told: [string, number][] = [];
		const opensAt = time.clock.now() + 10_000;
		void gate.enter(Infinity, undefined, (until) => told.push(['before', until]));
		gate.leave(true, { retryInMs: 10_000 });
		void gate.enter(Infinity, undefined, (until) => told.push(['after', until]));
		expect(told).toEqual([
			['before', opensAt],
			['after', opensAt],
		]);
	});

	test('for more than five minutes turns everybody away, also who has no deadline', async () => {
		const gate = await openGate();
		for (let n = 0; n < MAX_IN_FLIGHT; n++) await gate.enter(Infinity);
		const waiting = gate.enter(Infinity);
		gate.leave(true, { retryInMs: 301_000 });
		const opensAt = time.clock.now() + 301_000;
		expect(await waiting).toEqual({ admitted: false, opensAt });
		expect(await gate.enter(Infinity)).toEqual({ admitted: false, opensAt });
		expect(time.waits).toEqual([]);
	});
});

test.each([
	['Retry-After first', { retryInMs: 5_000, resetInMs: 42_000 }, 5_000],
	['then the reset', { resetInMs: 42_000 }, 42_000],
	['then the rest of the window', {}, 17_000],
])('the wait after a 429: %s', (_name, rate, expected) => {
	expect(waitAfterRefusal(rate, 17_000)).toBe(expected);
});

describe('the gates of a process', () => {
	const used = async (gates: Gates, key: string) => {
		const gate = gates.gateFor(key);
		await gate.enter(Infinity);
		return gate;
	};

	test('one per key', () => {
		const gates = new Gates();
		expect(gates.gateFor('a')).toBe(gates.gateFor('a'));
		expect(gates.gateFor('a')).not.toBe(gates.gateFor('b'));
	});

	test('thousands of tokens that come and go leave no thousands of gates', async () => {
		const gates = new Gates();
		for (let n = 0; n < 10_000; n++) {
			(await used(gates, `key ${n}`)).leave(false, {});
			time.clock.advance(REST_MS / 100);
		}
		expect(gates.size).toBeLessThan(500);
	});

	test('one that is used, closed, or was used a moment ago stays', async () => {
		const gates = new Gates();
		const underWay = await used(gates, 'under way');
		const closed = await used(gates, 'closed');
		closed.leave(true, { retryInMs: 3 * REST_MS });
		time.clock.advance(2 * REST_MS);
		const recent = await used(gates, 'recent');
		recent.leave(false, {});
		for (let n = 0; n < 1_000; n++) gates.gateFor(`key ${n}`);
		expect(gates.gateFor('under way')).toBe(underWay);
		expect(gates.gateFor('closed')).toBe(closed);
		expect(gates.gateFor('recent')).toBe(recent);
	});
});
