import { randomUUID } from 'crypto';
import { sleep } from 'n8n-workflow';

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
	 * Calls back once, after this many milliseconds. Does not keep the process alive.
	 *
	 * @returns prevents it, and releases what the callback refers to
	 */
	after(ms: number, callback: () => void): () => void {
		// It accepts no fractions.
		const signal = AbortSignal.timeout(Math.ceil(ms));
		signal.addEventListener('abort', callback);
		return () => signal.removeEventListener('abort', callback);
	},

	/** Waits until everything that n8n can do now is done. */
	async yieldToOthers(): Promise<void> {
		await sleep(0);
	},

	/**
	 * Waits.
	 *
	 * @param ms how long, in milliseconds
	 * @param signal ends the wait early, without throwing: check the signal afterwards
	 */
	async sleep(ms: number, signal?: AbortSignal): Promise<void> {
		if (ms <= 0 || signal?.aborted) return;
		if (!signal) {
			await sleep(ms);
			return;
		}
		// n8n's sleep ends with the signal if it accepts one. Older versions do not, so the signal is raced as well.
		const interruptible = sleep as (time: number, abort?: AbortSignal) => Promise<unknown>;
		let onAbort = noop;
		const aborted = new Promise<void>((resolve) => {
			onAbort = resolve;
			signal.addEventListener('abort', onAbort);
		});
		await Promise.race([interruptible(ms, signal).then(noop, noop), aborted]);
		signal.removeEventListener('abort', onAbort);
	},
};

function noop(): void {}
