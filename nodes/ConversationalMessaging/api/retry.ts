import { clock } from './base/clock';
import type { Method } from './endpoint';
import type { Failure } from './outcome';

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

/** Failures that another attempt would meet again. */
const LASTING: Failure['kind'][] = ['untrusted', 'blocked', 'tooLarge', 'unreadFile'];

const TRANSIENT = [408, 500, 502, 503, 504];

/** Whether a read that ended with this status is retried. */
export const isTransient = (status: number): boolean => TRANSIENT.includes(status);

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
	if (!mayRetry(method, failure, attempts)) return undefined;
	// After a 429, the rate limiter pauses: the next attempt waits there.
	return isRateLimit(failure) ? 0 : backoffMs(attempts.failed, retryInMs, clock.random());
}

/**
 * Whether a request may be sent again. Which failures are safe to retry is undocumented, so this is our decision:
 *
 * | failure                                  | GET | others                                       |
 * |------------------------------------------|-----|----------------------------------------------|
 * | 429                                      | yes | yes: the request has had no effect           |
 * | 408, 500, 502, 503, 504, lost, unreadable | yes | no: it may have been done                   |
 * | too large                                | no  | no: it stays so                              |
 * | unreachable                              | yes | yes: nothing was sent                        |
 * | untrusted, blocked                       | no  | no: it stays so                              |
 * | file of an upload that cannot be read    | –   | no: it stays so                              |
 * | any other status                         | no  | no                                           |
 *
 * @param attempts how many were made, the last one included
 */
export function mayRetry(method: Method, failure: Failure, attempts: Attempts): boolean {
	if (isRateLimit(failure)) return attempts.rateLimited < MAX_RATE_LIMITED;
	if (attempts.failed >= MAX_FAILED || LASTING.includes(failure.kind)) return false;
	if (failure.kind === 'unreachable') return true;
	if (method !== 'GET') return false;
	return failure.kind !== 'status' || isTransient(failure.status);
}

export const isRateLimit = (failure: Failure): boolean =>
	failure.kind === 'status' && failure.status === 429;

/**
 * How long to wait before the next attempt: what the server said, else a random time up to a bound that doubles
 * ("full jitter"). Not for 429, for which the rate limiter waits.
 *
 * @param failed how many attempts have failed
 * @param retryInMs from Retry-After
 * @param random from 0 up to 1
 */
export function backoffMs(failed: number, retryInMs: number | undefined, random: number): number {
	if (retryInMs !== undefined) return retryInMs + random * 1000;
	return random * Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (failed - 1));
}
