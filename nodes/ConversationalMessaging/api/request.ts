import type { IHttpRequestOptions } from 'n8n-workflow';
import type { ServiceClient } from './client';
import type { RequestParams } from './endpoint';
import { methodOf, urlOf } from './endpoint';
import { shown } from './access/shown';
import { invalid } from './errors';
import type { RequestInfo } from './failures';
import type { Upload } from './files/multipart';

/** One call of the service. */
export interface ServiceRequest extends RequestInfo, RequestParams {
	/** Statuses that are no rejection to the caller, which checks the response's status. */
	acceptStatuses?: number[];
	/** A file to send instead of a body. */
	upload?: Upload;
	/** Whether the response is a file, to be read piece by piece. */
	download?: boolean;
}

/**
 * A request as n8n's HTTP client is to send it, without its body.
 *
 * @throws NodeOperationError if a value makes no valid path
 */
export function optionsOf(client: ServiceClient, request: ServiceRequest): IHttpRequestOptions {
	const method = methodOf(request.endpoint);
	const Accept = request.download ? 'text/csv, application/json' : 'application/json';
	const url = urlOf(client.baseUrl, request.endpoint, request);
	if (url === undefined) {
		throw invalid(
			client.n8n.getNode(),
			shown`${request.action}: the ID is empty, reserved or too long`,
			'The service reserves some words, such as "export". Pick a record, or check the expression.',
		);
	}
	return {
		method,
		url,
		headers: { Accept, ...(request.body && { 'Content-Type': 'application/json' }) },
		// So that its size can be limited: n8n has no limit.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
}
