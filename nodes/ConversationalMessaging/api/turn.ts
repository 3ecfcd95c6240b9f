import { type ServiceClient, isOver, msLeft } from './client';
import { clock } from './base/clock';
import { methodOf, returnsFile } from './endpoint';
import { stoppedError } from './errors';
import { failedError } from './failures';
import type { Outcome } from './exchange';
import type { RequestEnd } from './rate/rateWindow';
import { waitForPreviousSend } from './rate/waitForPreviousSend';
import type { ServiceRequest } from './request';

/**
 * Waits until a request may be sent. Call `endTurn` once it has ended.
 *
 * @param pauseMs how long to wait before that, in milliseconds
 * @throws NodeApiError if the wait would be too long
 * @throws NodeOperationError if the execution was stopped
 */
export async function waitForTurn(
	client: ServiceClient,
	request: ServiceRequest,
	pauseMs: number,
): Promise<void> {
	const { rateLimiter, priority, maxRateLimitWaitMs, reporter, signal } = client;
	if (pauseMs > 0) {
		reporter.waiting(pauseMs);
		await clock.sleep(pauseMs, signal);
	}
	const isRead = methodOf(request.endpoint) === 'GET';
	for (;;) {
		if (signal?.aborted) throw stoppedError(client);
		if (isOver(client)) throw failedError(client, request, { kind: 'deadline' });
		const timeoutMs = msLeft(client);
		const rejectedMs = await rateLimiter.acquire({
			...{ priority, isRead, timeoutMs, signal },
			maxWaitMs: Math.min(maxRateLimitWaitMs, timeoutMs),
			onPause: (ms) => reporter.waiting(ms),
		});
		if (rejectedMs !== undefined) {
			// Then that is why.
			if (isOver(client)) continue;
			throw failedError(client, request, { kind: 'longWait', ms: rejectedMs });
		}
		if (priority !== 'urgent') await waitForPreviousSend();
		// A response may have closed the window meanwhile.
		if (!isOver(client) && !rateLimiter.isClosed(isRead)) break;
		rateLimiter.release({ isRead, ending: 'other' });
	}
	client.onRequest?.();
}

/** Tells the rate limiter how a request has ended. */
export function endTurn(client: ServiceClient, request: ServiceRequest, outcome: Outcome): void {
	const isRead = methodOf(request.endpoint) === 'GET';
	const ending = endingOf(client, request, outcome);
	client.rateLimiter.release({ isRead, ending, rate: outcome.rate });
}

/** What a request shows about how much the service can handle. Files take as long as they are large. */
function endingOf(
	client: ServiceClient,
	{ endpoint, upload }: ServiceRequest,
	{ response, failure }: Outcome,
): RequestEnd['ending'] {
	if (response?.status === 429) return 'rateLimited';
	// Not the service's doing.
	if (client.signal?.aborted || failure?.kind === 'unreadFile') return 'other';
	if (!response || response.status >= 500) return 'failed';
	// A rejection may need less work than what it rejects.
	return response.status >= 300 || upload || returnsFile(endpoint) ? 'other' : 'succeeded';
}
