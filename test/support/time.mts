import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { ManualClock } from '../../sandbox/clock.mts';

const real = { ...clock };

/** Of all tests of a file: two IDs are never the same. */
let lastUuid = 0;

/** Rate limiters outlive a test and keep their state: no test may begin before the previous one has ended. */
let nextStart = Date.UTC(2026, 0, 15, 9, 0, 0);

/**
 * Time for the built package that passes only when something waits, and then at once. Share `clock` with the sandbox.
 */
export class FakeTime {
	readonly clock = new ManualClock((nextStart += 86_400_000));

	/** Every requested wait, in milliseconds. */
	readonly waits: number[] = [];

	/** What happens before each wait, and after it. */
	readonly beforeWaits: (() => void)[] = [];
	readonly afterWaits: (() => void)[] = [];

	private readonly running = new Set<{ ms: number; callback: () => void }>();

	/** What `random` returns. 0 removes all randomness. */
	randomValue = 0;

	install(): this {
		clock.now = () => this.clock.now();
		clock.elapsed = () => this.clock.now();
		clock.random = () => this.randomValue;
		clock.uuid = () => `00000000-0000-4000-8000-${String(++lastUuid).padStart(12, '0')}`;
		clock.yieldToOthers = async () => {
			await new Promise((resolve) => setImmediate(resolve));
		};
		clock.after = (ms, callback) => {
			const entry = { ms, callback };
			this.running.add(entry);
			return () => void this.running.delete(entry);
		};
		clock.sleep = async (ms: number, signal?: AbortSignal) => {
			for (const happen of this.beforeWaits) happen();
			// After everything that is already due: a response in flight comes first.
			await clock.yieldToOthers();
			if (signal?.aborted) return;
			this.waits.push(ms);
			this.clock.advance(ms);
			for (const happen of this.afterWaits) happen();
		};
		return this;
	}

	/** The times that limit something now, in milliseconds. */
	get limits(): number[] {
		return [...this.running].map(({ ms }) => ms);
	}

	/** Returns what ends the shortest times that limit something now, such as a request, and no later ones. */
	readonly expiring = (): (() => void) => {
		const now = [...this.running];
		const shortest = Math.min(...this.limits);
		return () => {
			for (const entry of now)
				if (entry.ms === shortest && this.running.delete(entry)) entry.callback();
		};
	};

	/** Ends the shortest times that limit something now. */
	expire(): void {
		this.expiring()();
	}

	restore(): void {
		Object.assign(clock, real);
		// Between this time and the next one: what a rate limiter waits for is over, and time never runs backwards.
		const later = nextStart + 43_200_000;
		clock.elapsed = () => later + performance.now();
	}
}

/** Each test of the file has a time of its own, on another day. Call it at the top of the file. */
export function useFakeTime(): FakeTime {
	const time = new FakeTime();
	beforeEach(() => void Object.assign(time, new FakeTime()).install());
	afterEach(() => time.restore());
	return time;
}
