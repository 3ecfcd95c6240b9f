import { randomUUID } from 'crypto';
import { sleep } from 'n8n-workflow';

/** How often it is checked whose time has passed, in milliseconds. */
const TICK_MS = 1_000;

interface Timer {
	at: number;
	callback: () => void;
}

/** All of this process. One timer of Node.js for all of them: one for each request would take longer than to send it. */
const timers = new Set<Timer>();

let isTicking = false;

function tick(): void {
	isTicking = timers.size > 0;
	if (isTicking) AbortSignal.timeout(TICK_MS).addEventListener('abort', callDue);
}

function callDue(): void {
	const now = performance.now();
	for (const timer of timers) {
		if (timer.at > now) continue;
		timers.delete(timer);
		timer.callback();
	}
	tick();
}

/** Time and randomness, in one place so that tests can replace them. Everything that waits uses this clock. */
export const clock = {
	/** Milliseconds since the epoch. */
	now: (): number => Date.now(),

	/** Milliseconds that pass whatever happens to the clock of the computer. Only differences have a meaning. */
	elapsed: (): number => performance.now(),

	/** From 0 up to, not including, 1. */
	random: (): number => Math.random(),

	/** A random ID that nobody can guess. */
	uuid: (): string => randomUUID(),

	/**
	 * Calls back once, after this many milliseconds, or up to a second later. Does not keep the process alive.
	 *
	 * @param callback must not throw
	 * @returns prevents it, and releases what the callback refers to
	 */
	after(ms: number, callback: () => void): () => void {
		const timer = { at: performance.now() + ms, callback };
		timers.add(timer);
		if (!isTicking) tick();
		return () => void timers.delete(timer);
	},

	/** Waits until everything that n8n can do now is done. */
	async yieldToOthers(): Promise<void> {
		await sleep(0);
	},

	/** Waits. @param signal ends the wait early, without throwing: check the signal afterwards */
	async sleep(ms: number, signal?: AbortSignal): Promise<void> {
		if (ms <= 0 || signal?.aborted) return;
		// n8n's sleep ends with the signal if it accepts one. Older versions do not.
		const interruptible = sleep as (time: number, abort?: AbortSignal) => Promise<unknown>;
		await new Promise<void>((resolve) => {
			const end = () => {
				signal?.removeEventListener('abort', end);
				resolve();
			};
			signal?.addEventListener('abort', end);
			interruptible(ms, signal).then(end, end);
		});
	},
};
