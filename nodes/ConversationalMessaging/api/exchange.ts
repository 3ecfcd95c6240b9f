import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { type ServiceClient, msLeft, throughN8n } from './client';
import { clock } from './base/clock';
import { methodOf, returnsFile } from './endpoint';
import { failureIn, failureWithin } from './attemptFailure';
import { reasonText } from './errors';
import type { Failure } from './failures';
import type { MultipartBody } from './files/multipart';
import { type RateInfo, readRateInfo } from './rate/rateHeaders';
import type { ServiceRequest } from './request';
import { readResponse, type ServiceResponse } from './response/response';
import { TimeLimit, timeouts } from './timeLimit';

/** How an attempt ended. */
export type Outcome = { failure?: undefined; response: ServiceResponse; rate: RateInfo } | Failed;

/** An attempt that failed, with a response or without one. */
export interface Failed {
	failure: Failure;
	response?: ServiceResponse;
	rate?: RateInfo;
}

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
		upload = await request.upload?.(client);
	} catch (reason) {
		return { failure: { kind: 'unreadFile', reason: reasonText(reason) } };
	}
	const source = upload?.source;
	const limit = new TimeLimit(timeout, client.signal);
	let full: IN8nHttpFullResponse | undefined;
	let response: ServiceResponse | undefined;
	try {
		const json = typeof request.body === 'function' ? request.body() : request.body;
		// As text: n8n drops an object without keys, and the request would have no body at all.
		const body = upload?.body ?? (json && JSON.stringify(json));
		const toSend: IHttpRequestOptions = {
			...options,
			headers: { ...options.headers, ...upload?.headers },
			body,
			timeout,
			abortSignal: limit.signal,
		};
		full = await limit.response(throughN8n(client, toSend));
		const read = await readResponse(full, limit, returnsFile(request.endpoint));
		if ('tooLarge' in read) return { failure: { kind: 'tooLarge', reason: read.tooLarge } };
		response = read;
		const rate = readRateInfo(response.headers, clock.now());
		const failure = failureIn(response, request.endpoint);
		const { endpoint, path } = request;
		return { response: { ...response, request: { endpoint, path, body: json } }, rate, failure };
	} catch (error) {
		const reason = source?.failure;
		if (reason) return { failure: { kind: 'unreadFile', reason: reasonText(reason) } };
		const failure = failureWithin(limit, error);
		// A limit that the end of a poll has shortened does not show that the request takes too long.
		if (failure.kind === 'timeout' && timeout < timeouts[kind])
			return { failure: { kind: 'deadline' } };
		// Once the headers have arrived, an error without a connection code is about the body, such as invalid gzip.
		return full && failure.kind === 'noResponse' && failure.reason === undefined
			? { failure: { kind: 'unreadable', reason: reasonText(error) } }
			: { failure };
	} finally {
		if (!response?.content) limit.end();
		source?.close();
	}
}

function kindOf({ endpoint, upload }: ServiceRequest): keyof typeof timeouts {
	if (upload || returnsFile(endpoint)) return 'file';
	return methodOf(endpoint) === 'GET' ? 'read' : 'write';
}
