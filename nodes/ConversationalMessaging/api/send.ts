import type { ServiceClient } from './client';
import { msLeft } from './client';
import { methodOf } from './endpoint';
import { afterSending, failedError, stoppedError, uncertain } from './errors';
import { exchange } from './exchange';
import type { Failed } from './exchange';
import { MAX_WAIT_MS } from './rate/rateWindow';
import type { ServiceRequest } from './request';
import { optionsOf } from './request';
import type { ServiceResponse } from './response/response';
import type { Attempts } from './retry';
import { MAX_ASKED_MS, pauseBeforeRetry } from './retry';
import { endTurn, waitForTurn } from './turn';

/**
 * Sends a request to the service.
 *
 * All requests of both nodes are sent here. Waits for the rate limiter, retries what is safe to retry, follows no
 * redirect, and stops at once when the user stops the execution.
 *
 * @returns the response, with a status of 2xx or one that the call accepts
 * @throws NodeApiError for a rejection, or for no response; message and description are for the user. Whatever happens
 *   after a write was sent, the error says whether it may have succeeded (`mayHaveTakenEffect`)
 * @throws NodeOperationError for a value that makes no valid path, or if the execution was stopped
 */
export async function send(
	client: ServiceClient,
	request: ServiceRequest,
): Promise<ServiceResponse> {
	const options = optionsOf(client, request);
	const method = methodOf(request.endpoint);
	const attempts: Attempts = { rateLimited: 0, failed: 0, askedMs: 0 };
	let pauseMs = 0;
	for (;;) {
		const slot = await waitForTurn(client, request, pauseMs);
		const outcome = await exchange(client, request, options);
		try {
			endTurn(client, request, slot, outcome);
			if (client.signal?.aborted)
				throw method === 'GET' ? stoppedError(client) : uncertain(stoppedError(client));
			const { response } = outcome;
			// A response that cannot be read shows nothing, whatever its status.
			const isAccepted = response && request.acceptStatuses?.includes(response.status);
			if (isAccepted && outcome.failure?.kind !== 'unreadable') return response;
			if (!outcome.failure) return outcome.response;
			pauseMs = pauseOrThrow(client, request, outcome, attempts);
		} catch (error) {
			// Whatever it is: the request was sent, and the error says what that means.
			throw afterSending(client, request, error);
		}
	}
}

/** The pause before the next attempt, in milliseconds. @throws NodeApiError if there is none */
function pauseOrThrow(
	client: ServiceClient,
	request: ServiceRequest,
	{ failure, response, rate }: Failed,
	attempts: Attempts,
): number {
	const isRateLimited = failure.kind === 'rateLimited';
	attempts[isRateLimited ? 'rateLimited' : 'failed']++;
	const askableMs = MAX_ASKED_MS - attempts.askedMs;
	const askedMs = rate?.retryInMs || rate?.resetInMs || 0;
	attempts.askedMs += askedMs;
	// The rate limiter knows no single request, and would let it wait again.
	if (isRateLimited && askedMs > askableMs)
		throw failedError(client, request, { kind: 'longWait', ms: askedMs });
	const pause = pauseBeforeRetry(methodOf(request.endpoint), failure, rate?.retryInMs, attempts);
	const longest = Math.min(client.maxRateLimitWaitMs, MAX_WAIT_MS, msLeft(client), askableMs);
	if (pause === undefined || pause > longest) throw failedError(client, request, failure, response);
	return pause;
}
