import { type Shown, shown } from './access/shown';
import type { ServiceClient } from './client';
import { isNodeError, stoppedError, uncertain } from './errors';
import { exchange } from './exchange';
import { failedError, mayHaveChanged } from './failures';
import { type ServiceRequest, optionsOf } from './request';
import { type ServiceResponse, hasErrorsBesideData } from './response/response';
import { type Attempts, pauseOrThrow } from './retry';
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
	const attempts: Attempts = { rateLimited: 0, failed: 0, askedMs: 0 };
	let pauseMs = 0;
	for (;;) {
		await waitForTurn(client, request, pauseMs);
		const outcome = await exchange(client, request, options);
		try {
			endTurn(client, request, outcome);
			if (client.signal?.aborted) {
				const stopped = stoppedError(client);
				throw mayHaveChanged(request, outcome.failure) ? uncertain(stopped) : stopped;
			}
			const { response } = outcome;
			// A 2xx that is not JSON shows nothing. Of any other accepted status, the caller checks the body.
			const isAccepted = response && request.acceptStatuses?.includes(response.status);
			if (isAccepted && outcome.failure?.kind !== 'unreadable') return response;
			if (!outcome.failure) {
				if (hasErrorsBesideData(outcome.response.json)) client.reporter.notify(partly(request));
				return outcome.response;
			}
			pauseMs = pauseOrThrow(client, request, outcome, attempts);
		} catch (error) {
			// Whatever it is: the request was sent, and the error says what that means.
			throw isNodeError(error) ? error : failedError(client, request, { kind: 'unreadable' });
		}
	}
}

/** Without the service's words, which may differ for each of thousands of requests. */
const partly = ({ action }: ServiceRequest): Shown =>
	shown`The service’s response to "${action}" has data, but also says that something was rejected. Check in the service whether the result is complete`;
