import { clock } from './base/clock';
import type { Method } from './endpoint';
import type { Failure } from './failures';
import { consequenceOf } from './failures';

/** How the attempts until now have ended. */
export interface Attempts {
	/** With a 429. */
	rateLimited: number;
	/** In any other way. */
	failed: number;
}

/** Failed attempts, without those that ended with a 429. */
export const MAX_FAILED = 3;

/** Attempts that ended with a 429, each followed by a wait of up to one window. */
const MAX_RATE_LIMITED = 10;

const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10_000;

/**
 * The pause before the next attempt, in milliseconds; undefined if the request may not be sent again.
 *
 * @param retryInMs from Retry-After
 * @param attempts how many were made, the last one included
 */
export function pauseBeforeRetry(
	method: Method,
	failure: Failure,
	retryInMs: number | undefined,
	attempts: Attempts,
): number | undefined {
	// After a 429, the rate limiter pauses: the next attempt waits there.
	if (failure.kind === 'rateLimited')
		return attempts.rateLimited < MAX_RATE_LIMITED ? 0 : undefined;
	const { again } = consequenceOf(failure);
	const mayRepeat = again === 'all' || (again === 'reads' && method === 'GET');
	return mayRepeat && attempts.failed < MAX_FAILED
		? backoffMs(attempts.failed, retryInMs, clock.random())
		: undefined;
}

/**
 * How long to wait before the next attempt: what the server said, else a random time up to a bound that doubles
 * ("full jitter").
 *
 * @param failed how many attempts have failed
 * @param retryInMs from Retry-After
 * @param random from 0 up to 1
 */
export function backoffMs(failed: number, retryInMs: number | undefined, random: number): number {
	if (retryInMs !== undefined) return retryInMs + random * 1000;
	return random * Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (failed - 1));
}
