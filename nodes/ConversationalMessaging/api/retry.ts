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
	/** How long the service has asked to wait, in all, in milliseconds. */
	askedMs: number;
}

/** The longest time that a request waits because the service asks for it, in all, in milliseconds. */
export const MAX_ASKED_MS = 10 * 60_000;

/** Failed attempts, without those that ended with a 429. */
export const MAX_FAILED = 3;

/** Attempts that ended with a 429, each followed by a wait of up to one window. */
const MAX_RATE_LIMITED = 10;

/** The longest wait after the first failed attempt, in milliseconds; after each further one, twice as long. */
const BACKOFF_MS = 1_000;

/**
 * The pause before the next attempt, in milliseconds: what the server said, else a random time up to a bound that doubles
 * ("full jitter"). Undefined if the request may not be sent again.
 *
 * @param retryInMs from Retry-After
 * @param attempts how many were made, the last one included
 */
export function pauseBeforeRetry(
	method: Method,
	failure: Failure,
	retryInMs: number | undefined,
	{ rateLimited, failed }: Omit<Attempts, 'askedMs'>,
): number | undefined {
	// After a 429, the rate limiter pauses: the next attempt waits there.
	if (failure.kind === 'rateLimited') return rateLimited < MAX_RATE_LIMITED ? 0 : undefined;
	const { again } = consequenceOf(failure);
	const mayRetry = again === 'all' || (again === 'reads' && method === 'GET');
	if (!mayRetry || failed >= MAX_FAILED) return undefined;
	const random = clock.random();
	return retryInMs === undefined
		? random * BACKOFF_MS * 2 ** (failed - 1)
		: retryInMs + random * 1_000;
}
