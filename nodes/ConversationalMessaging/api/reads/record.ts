import { readsRecord } from '../endpoint';
import { type RequestInfo, failedError } from '../failures';
import { type ServiceResponse, isEnvelope, recordOf, whatCame } from '../response/response';
import type { ServiceClient } from '../client';

/** The response, also to a write. @throws NodeApiError if a GET of one record returned none. A contact may have no session */
export function requireRecord(
	client: ServiceClient,
	request: Pick<RequestInfo, 'endpoint' | 'action'>,
	response: ServiceResponse,
): ServiceResponse {
	const { endpoint } = request;
	if (!readsRecord(endpoint) || !isEnvelope(recordOf(response.json, endpoint).record))
		return response;
	throw failedError(client, request, { kind: 'record', reason: String(whatCame(response.json)) });
}
