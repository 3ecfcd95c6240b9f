/** A rate limiter as tests use it. */
import type { Ending } from '../../nodes/ConversationalMessaging/api/concurrencyLimit.ts';
import type { RateInfo } from '../../nodes/ConversationalMessaging/api/rateHeaders.ts';
import {
	type Admission,
	RateLimiter,
	type Slot,
	type TurnRequest,
} from '../../nodes/ConversationalMessaging/api/rateLimiter.ts';

/** A rate limiter whose slots are given back in the order in which they were granted. */
export class Limiter {
	private readonly slots: Slot[] = [];

	constructor(readonly rateLimiter = new RateLimiter()) {}

	async acquire(
		maxWaitMs: number,
		signal?: AbortSignal,
		onWait?: TurnRequest['onWait'],
		priority: TurnRequest['priority'] = 'single',
	): Promise<Admission> {
		const request = { priority, maxWaitMs, signal, onWait };
		const admission = await this.rateLimiter.acquire(request);
		if (admission.slot) this.slots.push(admission.slot);
		return admission;
	}

	/** @param rate undefined without a response */
	release(isRateLimited: boolean, rate?: RateInfo, ending: Ending = { kind: 'other' }): void {
		const slot = this.slots.shift()!;
		this.rateLimiter.release(slot, { ending, isRateLimited, rate });
	}

	cancel(): void {
		this.slots.pop();
		this.rateLimiter.cancel();
	}
}

/** Runs everything that does not need time to pass. */
export const settled = async () => {
	for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** Advances the time for waiting requests. */
export const later = async () => await new Promise((resolve) => setImmediate(resolve));

/** Acquires this many slots and counts those that were granted. */
export function crowd(
	rateLimiter: Limiter,
	size: number,
	priority: TurnRequest['priority'] = 'single',
) {
	const through = { count: 0 };
	for (let i = 0; i < size; i++) {
		void rateLimiter.acquire(Infinity, undefined, undefined, priority).then(() => through.count++);
	}
	return through;
}

/** Whether a request is sent at once. If so, it stays in flight; otherwise, it waits. */
export async function isSent(limiter: Limiter, priority: TurnRequest['priority'] = 'single') {
	const sent = crowd(limiter, 1, priority);
	await settled();
	return sent.count === 1;
}

/** A rate limiter whose probe has returned, so that requests run in parallel. */
export async function readyRateLimiter(): Promise<Limiter> {
	const rateLimiter = new Limiter();
	await rateLimiter.acquire(Infinity);
	rateLimiter.release(false, {});
	return rateLimiter;
}
