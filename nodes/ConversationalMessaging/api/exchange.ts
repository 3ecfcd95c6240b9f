import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { type N8nFunctions, type ServiceClient, CREDENTIAL, msLeft } from './client';
import { clock } from './base/clock';
import { type Endpoint, methodOf, returnsFile } from './endpoint';
import { textOf } from './base/text';
import { connectionFailure } from './connectionFailure';
import { reasonText } from './errors';
import { type Failure, kindOfStatus } from './failures';
import type { MultipartBody } from './files/multipart';
import { type RateInfo, readRateInfo } from './rate/rateHeaders';
import type { ServiceRequest } from './request';
import { readResponse, refusalIn, says, type ServiceResponse } from './response/response';
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
		if (limit.exceededMs) return { failure: { kind: 'timeout', ms: limit.exceededMs } };
		const failure = connectionFailure(error);
		// Once the headers have arrived, an error without a connection code is about the body, such as invalid gzip.
		return full && failure.reason === undefined
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

/** Sends one request with n8n's HTTP client. */
async function throughN8n(
	{ n8n, credential }: ServiceClient,
	options: IHttpRequestOptions,
): Promise<IN8nHttpFullResponse> {
	const { helpers } = n8n;
	// In executions, n8n replaces the request's signal with the one that this function returns.
	const caller = Object.create(n8n, {
		...('getExecutionCancelSignal' in n8n && {
			getExecutionCancelSignal: { value: () => options.abortSignal },
		}),
	}) as N8nFunctions;
	return (await helpers.httpRequestWithAuthentication.call(
		caller,
		CREDENTIAL,
		options,
		// Without it, n8n reads the credential again for every request, and resolves its expressions for the first
		// item only.
		{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data: credential } },
	)) as IN8nHttpFullResponse;
}

/** Why a response is a failure; undefined if it can be returned. */
export function failureIn(response: ServiceResponse, endpoint: Endpoint): Failure | undefined {
	const { status, json, text, headers } = response;
	if (status < 200 || status >= 300) return { kind: kindOfStatus(status) };
	if (json === undefined && text.trim() !== '')
		return {
			kind: 'unreadable',
			reason: [status, textOf(headers['content-type'])].filter(Boolean).join(', '),
		};
	const refusal = refusalIn(json, endpoint);
	if (!refusal) return undefined;
	return { kind: says(json, 'true') && !says(refusal, 'false') ? 'contradictory' : 'rejected' };
}
