import { clock } from '../nodes/ConversationalMessaging/api/clock.ts';
import { ManualClock } from '../sandbox/clock.mts';

const real = { ...clock };

/** Rate limiters outlive a test, and remember: no test may begin before the one before it has ended. */
let nextStart = Date.UTC(2026, 0, 15, 9, 0, 0);

/**
 * Time for the built package that passes only when something waits, and at once. Share `clock` with the sandbox.
 */
export class FakeTime {
	readonly clock = new ManualClock((nextStart += 86_400_000));

	/** Every wait that was asked for, in milliseconds. */
	readonly waits: number[] = [];

	/** What `random` answers: 0 takes all chance out. */
	chance = 0;

	install(): this {
		clock.now = () => this.clock.now();
		clock.random = () => this.chance;
		clock.sleep = async (ms: number, signal?: AbortSignal) => {
			// After whatever is already due: an answer that is under way comes first.
			await new Promise((resolve) => setImmediate(resolve));
			if (signal?.aborted) return;
			this.waits.push(ms);
			this.clock.advance(ms);
		};
		return this;
	}

	restore(): void {
		Object.assign(clock, real);
	}
}
