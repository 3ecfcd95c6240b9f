/** The time as the sandbox reads it. Tests provide a clock that they control. */
export interface Clock {
	/** Milliseconds since the epoch. */
	now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that runs `factor` times as fast as the real one from now on. */
export function fastClock(factor: number): Clock {
	const start = Date.now();
	return { now: () => start + (Date.now() - start) * factor };
}

/** A clock that is stopped until it is advanced. */
export class ManualClock implements Clock {
	constructor(private time = Date.UTC(2026, 0, 15, 9, 0, 0)) {}

	now(): number {
		return this.time;
	}

	/** @param ms how far to advance, in milliseconds */
	advance(ms: number): void {
		this.time += ms;
	}
}

export const iso = (ms: number): string => new Date(ms).toISOString();
