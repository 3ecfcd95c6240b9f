/** Requests at once until anything is known about the service. */
export const INITIAL_LIMIT = 8;

export const MAX_LIMIT = 64;

/** Failures leave this many, because a record that always fails says nothing about the service. */
const MIN_LIMIT = 4;

/** How long after failures the limit grows slowly, in milliseconds. */
const CAREFUL_MS = 60_000;

/** How a request ended, as far as it shows how many the service can handle. */
export type Ending =
	| 'read'
	| 'written'
	/** The service could not respond in time or at all: 5xx, timeout, lost connection. */
	| 'failed'
	/** Otherwise: a rejection, a file of any size, or nothing was sent. */
	| 'other';

/**
 * By how much the limit grows with each response: with as many responses as the limit, it is twice as high. A read that
 * fails can be repeated, so with reads alone, it is four times as high.
 */
const GROWTH = { read: 3, written: 1 };

/** How many requests of one token may be in flight. Latency does not matter. Pure: the caller gives the times. */
export class ConcurrencyLimit {
	private limit = INITIAL_LIMIT;

	private failures = 0;

	private halvedAt = -Infinity;

	get value(): number {
		return Math.floor(this.limit);
	}

	/** @param sentAt when the request was sent */
	ended(ending: Ending, sentAt: number, now: number): void {
		// A request that was sent before the last change for the worse shows what the former limit did.
		if (ending === 'other' || sentAt < this.halvedAt) return;
		if (ending === 'failed') {
			if (++this.failures >= 2) this.halve(now);
			return;
		}
		this.failures = 0;
		const isCareful = now < this.halvedAt + CAREFUL_MS;
		const growth = isCareful ? 1 / this.limit : GROWTH[ending];
		this.limit = Math.min(MAX_LIMIT, this.limit + growth);
	}

	private halve(now: number): void {
		this.limit = Math.max(MIN_LIMIT, this.limit / 2);
		this.failures = 0;
		this.halvedAt = now;
	}
}
