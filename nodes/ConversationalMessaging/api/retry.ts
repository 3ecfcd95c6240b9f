import { clock } from './base/clock';
import { type ServiceClient, msLeft } from './client';
import { type Method, methodOf } from './endpoint';
import type { Failed } from './exchange';
import { type Failure, failedError, isRetried } from './failures';
import { MAX_WAIT_MS } from './rate/rateWindow';
import type { ServiceRequest } from './request';

/** How the attempts until now have ended. */
export interface Attempts {
	/** With a 429. */
	rateLimited: number;
	/** In any other way. */
	failed: number;
	/** That one had all of its time, and it was not enough. */
	timeout?: Failure;
	/** How long the service has asked to wait, in all, in milliseconds. */
	askedMs: number;
}

/** The longest time that a request waits because the service asks for it, in all, in milliseconds. */
export const MAX_ASKED_MS = 10 * 60_000;

/** After so many failed attempts, a request fails. Those that ended with a 429 do not count. */
export const MAX_FAILED = 3;

/** After so many 429s, a request fails. After each earlier one, it waits for the rate limiter, up to `MAX_WAIT_MS`. */
const MAX_RATE_LIMITED = 10;

/** The longest wait after the first failed attempt, in milliseconds; after each further one, twice as long. */
const BACKOFF_MS = 1_000;

/** The pause before the next attempt, in milliseconds. @throws NodeApiError if there is none */
export function pauseOrThrow(
	client: ServiceClient,
	request: ServiceRequest,
	{ failure, response, rate }: Failed,
	attempts: Attempts,
): number {
	if (failure.kind === 'timeout') attempts.timeout = failure;
	const isRateLimited = failure.kind === 'rateLimited';
	attempts[isRateLimited ? 'rateLimited' : 'failed']++;
	const askableMs = MAX_ASKED_MS - attempts.askedMs;
	const askedMs = rate?.retryInMs || rate?.resetInMs || 0;
	attempts.askedMs += askedMs;
	// The rate limiter knows no single request, and would let it wait again.
	if (isRateLimited && askedMs > askableMs)
		throw failedError(client, request, { kind: 'longWait', ms: askedMs });
	const method = methodOf(request.endpoint);
	const pause = pauseBeforeRetry(method, failure, rate?.retryInMs, attempts);
	const longest = Math.min(client.maxRateLimitWaitMs, MAX_WAIT_MS, msLeft(client), askableMs);
	// Without a pause, the next attempt finds out that the time is up.
	if (pause !== undefined && pause <= Math.max(0, longest)) return pause;
	// If the end of the poll cuts the next attempt short, the request takes too long all the same.
	const reported = (failure.kind === 'deadline' && attempts.timeout) || failure;
	const isRepeated = attempts.failed > 1 && isRetried(reported.kind, method);
	throw failedError(client, request, { ...reported, isRepeated }, response);
}

/**
 * The pause before the next attempt, in milliseconds: 0 after a 429; otherwise what Retry-After says and up to a second
 * more; without it, a random time up to a bound that doubles ("full jitter"). Undefined if there is no next attempt.
 *
 * @param retryInMs from Retry-After
 * @param attempts how many were made, the last one included
 */
export function pauseBeforeRetry(
	method: Method,
	failure: Failure,
	retryInMs: number | undefined,
	{ rateLimited, failed }: Pick<Attempts, 'rateLimited' | 'failed'>,
): number | undefined {
	// After a 429, the rate limiter pauses: the next attempt waits there.
	if (failure.kind === 'rateLimited') return rateLimited < MAX_RATE_LIMITED ? 0 : undefined;
	if (!isRetried(failure.kind, method) || failed >= MAX_FAILED) return undefined;
	const random = clock.random();
	return retryInMs === undefined
		? random * BACKOFF_MS * 2 ** (failed - 1)
		: retryInMs + random * 1_000;
}
