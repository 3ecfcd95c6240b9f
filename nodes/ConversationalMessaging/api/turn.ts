import type { ServiceClient } from './client';
import { msLeft } from './client';
import { clock } from './base/clock';
import { methodOf } from './endpoint';
import { failedError, throwIfStopped } from './errors';
import type { Outcome } from './exchange';
import type { Ending } from './rate/concurrencyLimit';
import { INITIAL_LIMIT } from './rate/concurrencyLimit';
import type { Slot } from './rate/rateLimiter';
import { waitForPreviousSend } from './rate/waitForPreviousSend';
import type { ServiceRequest } from './request';

/** A wait of this length, in milliseconds, is logged, so that the user knows why nothing happens. */
const REPORTED_WAIT_MS = 5_000;

/**
 * Waits until a request may be sent.
 *
 * @param pauseMs how long to wait before that, in milliseconds
 * @returns a slot of the rate limiter: call `endTurn` once the request has ended
 * @throws NodeApiError if the wait would be too long
 * @throws NodeOperationError if the execution was stopped
 */
export async function waitForTurn(
	client: ServiceClient,
	request: ServiceRequest,
	pauseMs: number,
): Promise<Slot> {
	const { rateLimiter, priority, maxRateLimitWaitMs, reporter, signal } = client;
	const onPause = (ms: number): void => {
		if (ms >= REPORTED_WAIT_MS) reporter.waiting(ms);
	};
	if (pauseMs > 0) {
		onPause(pauseMs);
		await clock.sleep(pauseMs, signal);
		throwIfStopped(client);
	}
	const timeoutMs = msLeft(client);
	if (timeoutMs <= 0) throw failedError(client, request, { kind: 'deadline' });
	const started = clock.elapsed();
	const admission = await rateLimiter.acquire({
		priority,
		isRead: methodOf(request.endpoint) === 'GET',
		maxWaitMs: Math.min(maxRateLimitWaitMs, timeoutMs),
		timeoutMs,
		signal,
		onPause,
	});
	if (!admission.slot) {
		throwIfStopped(client);
		throw msLeft(client) > 0
			? failedError(client, request, { kind: 'longWait', ms: admission.waitMs })
			: failedError(client, request, { kind: 'deadline' });
	}
	const waitedMs = clock.elapsed() - started;
	if (waitedMs >= REPORTED_WAIT_MS) reporter.waited(waitedMs);
	if (priority !== 'urgent') await waitForPreviousSend();
	if (signal?.aborted || msLeft(client) <= 0) {
		rateLimiter.cancel(admission.slot);
		throwIfStopped(client);
		throw failedError(client, request, { kind: 'deadline' });
	}
	client.onRequest?.();
	return admission.slot;
}

/** Gives the slot of a request back, with what its end shows about the service. */
export function endTurn(
	client: ServiceClient,
	request: ServiceRequest,
	slot: Slot,
	outcome: Outcome,
): void {
	const { priority, rateLimiter, reporter } = client;
	const ending = endingOf(client, request, outcome);
	const isRateLimited = outcome.response?.status === 429;
	rateLimiter.release(slot, { ending, isRateLimited, rate: outcome.rate });
	if (priority === 'bulk' && rateLimiter.atOnce < INITIAL_LIMIT)
		reporter.slowed(rateLimiter.atOnce);
}

/** What a request shows about how much the service can handle. Files take as long as they are large. */
function endingOf(
	client: ServiceClient,
	{ endpoint, upload, download }: ServiceRequest,
	{ response, failure }: Outcome,
): Ending {
	// Not the service's doing.
	if (client.signal?.aborted || failure?.kind === 'unreadFile') return 'other';
	if (!response || response.status >= 500) return 'failed';
	// A rejection may need less work than what it rejects. A 429 is the rate limit's, and no sign of slowness.
	if (response.status >= 300 || upload || download) return 'other';
	return methodOf(endpoint) === 'GET' ? 'read' : 'written';
}
