import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { ServiceClient } from './client';
import { msLeft } from './client';
import { clock } from './base/clock';
import { methodOf } from './endpoint';
import type { Outcome } from './outcome';
import { reasonText } from './errors';
import { failureIn, failureOf } from './outcome';
import type { MultipartBody } from './files/multipart';
import { multipartBody } from './files/multipart';
import { readRateInfo } from './rate/rateHeaders';
import type { ServiceRequest } from './request';
import type { ServiceResponse } from './response/response';
import { readResponse } from './response/response';
import { throughN8n } from './throughN8n';
import { TimeLimit, timeouts } from './timeLimit';

/** Sends a request once and reads its response, within its time limit. */
export async function exchange(
	client: ServiceClient,
	request: ServiceRequest,
	options: IHttpRequestOptions,
): Promise<Outcome> {
	const kind = kindOf(request);
	// To n8n's HTTP client, 0 means no limit.
	const timeout = Math.max(1, Math.min(timeouts[kind], msLeft(client)));
	let upload: MultipartBody | undefined;
	try {
		// Opened only now, so that nothing stays open while a request waits. It can be sent only once.
		upload = request.upload && (await multipartBody(client, request.upload));
	} catch (reason) {
		return { failure: { kind: 'unreadFile', reason: reasonText(reason) } };
	}
	const json = typeof request.body === 'function' ? request.body() : request.body;
	// As text: n8n drops an object without keys, and the request would have no body at all.
	const body = upload?.body ?? (json && JSON.stringify(json));
	const source = upload?.source;
	const limit = new TimeLimit(timeout, client.signal);
	let full: IN8nHttpFullResponse | undefined;
	let response: ServiceResponse | undefined;
	try {
		const toSend: IHttpRequestOptions = {
			...options,
			headers: { ...options.headers, ...upload?.headers },
			...(body !== undefined && { body }),
			timeout,
			abortSignal: limit.signal,
		};
		full = await limit.response(throughN8n(client, toSend));
		response = await readResponse(full, limit, request.download);
		if (!response) return { failure: { kind: 'tooLarge' } };
		const rate = readRateInfo(response.headers, clock.now());
		return { response, rate, failure: failureIn(response, request.endpoint) };
	} catch (error) {
		const reason = source?.failure;
		if (reason) return { failure: { kind: 'unreadFile', reason: reasonText(reason) } };
		if (limit.exceededMs) return { failure: { kind: 'timeout', ms: limit.exceededMs } };
		const failure = failureOf(error);
		// Once there are headers, what breaks without a code of the connection is their content, such as invalid gzip.
		return full && failure.reason === undefined
			? { failure: { kind: 'unreadable', reason: reasonText(error) } }
			: { failure };
	} finally {
		if (!response?.content) limit.end();
		source?.close();
	}
}

function kindOf({ endpoint, upload, download }: ServiceRequest): keyof typeof timeouts {
	if (upload || download) return 'file';
	return methodOf(endpoint) === 'GET' ? 'read' : 'write';
}
