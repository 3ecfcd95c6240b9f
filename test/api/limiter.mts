/** A rate limiter as tests use it. */
import type { RequestEnd } from '../../nodes/ConversationalMessaging/api/rate/concurrencyLimit.ts';
import type { RateInfo } from '../../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';
import {
	type Admission,
	RateLimiter,
	type Slot,
	type TurnRequest,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';

/** A rate limiter whose slots are given back in the order in which they were granted. Requests are writes. */
export class Limiter {
	private readonly slots: Slot[] = [];

	readonly rateLimiter = new RateLimiter();

	async acquire(request: Partial<TurnRequest> = {}): Promise<Admission> {
		const admission = await this.rateLimiter.acquire({
			priority: 'single',
			isRead: false,
			maxWaitMs: Infinity,
			...request,
		});
		if (admission.slot) this.slots.push(admission.slot);
		return admission;
	}

	/** @param rate undefined without a response */
	release(isRateLimited: boolean, rate?: RateInfo, ending: RequestEnd = { kind: 'other' }): void {
		this.rateLimiter.release(this.slots.shift()!, { ending, isRateLimited, rate });
	}
}

/** Runs everything that does not need time to pass. */
export const settled = async () => {
	for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** Advances the time for waiting requests. */
export const later = async () => await new Promise((resolve) => setImmediate(resolve));

/** Acquires this many slots and counts those that were granted. */
export function crowd(limiter: Limiter, size: number, request: Partial<TurnRequest> = {}) {
	const through = { count: 0 };
	for (let i = 0; i < size; i++)
		void limiter.acquire(request).then(({ slot }) => slot && through.count++);
	return through;
}

/** Whether a request is sent at once. If so, it stays in flight; otherwise, it waits. */
export async function isSent(limiter: Limiter, request: Partial<TurnRequest> = {}) {
	const sent = crowd(limiter, 1, request);
	await settled();
	return sent.count === 1;
}

/** A rate limiter that has had a first response. */
export async function readyLimiter(rate: RateInfo = {}): Promise<Limiter> {
	const limiter = new Limiter();
	await limiter.acquire();
	limiter.release(false, rate);
	return limiter;
}
