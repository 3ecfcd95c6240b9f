import type { IHttpRequestOptions, IN8nHttpFullResponse, NodeApiError } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { ServiceResponse } from './response/response';
import { isRejection, readResponse } from './response/response';
import { clock } from './base/clock';
import type { ServiceClient, ServiceContext } from './client';
import { CREDENTIAL } from './client';
import type { RequestParams } from './endpoint';
import { methodOf, urlOf } from './endpoint';
import { waitForPreviousSend } from './rate/waitForPreviousSend';
import type { MultipartBody, Upload } from './files/files';
import { multipartBody } from './files/files';
import type { RequestEnd } from './rate/concurrencyLimit';
import { INITIAL_LIMIT } from './rate/concurrencyLimit';
import type { Slot } from './rate/rateLimiter';
import { MAX_WAIT_MS } from './rate/rateLimiter';
import type { RateInfo } from './rate/rateHeaders';
import { readRateInfo } from './rate/rateHeaders';
import type { RequestInfo } from './errors';
import {
	deadlineError,
	fileError,
	noResponseError,
	rateLimitError,
	responseError,
	uncertain,
} from './errors';
import type { Attempts, Failure } from './retry';
import { backoffMs, errorCode, failureOf, isRateLimit, mayRetry } from './retry';
import { TimeLimit, timeouts } from './timeLimit';

/** One call of the service. */
export interface ServiceRequest extends RequestInfo, RequestParams {
	/** Statuses that are no rejection to the caller, which checks the response's status. */
	acceptStatuses?: number[];
	/** A file to send instead of a body. */
	upload?: Upload;
	/** Whether the response is a file, to be read piece by piece. */
	download?: boolean;
}

/** An attempt that failed, with a response or without one. */
type Failed = { failure: Failure } & (
	| { response: ServiceResponse; rate: RateInfo }
	| { response?: undefined; detail: string }
);

/** How one attempt ended. */
type Outcome = { response: ServiceResponse; failure?: undefined } | Failed;

/**
 * Sends a request to the service.
 *
 * All requests of both nodes are sent here. Waits for the rate limiter, retries what is safe to retry, follows no
 * redirect, and stops at once when the user stops the execution.
 *
 * @returns the response, with a status of 2xx or one that the call accepts
 * @throws NodeApiError for a rejection, or for no response; message and description are for the user
 * @throws NodeOperationError for a value that makes no valid path, or if the execution was stopped
 */
export async function send(
	client: ServiceClient,
	request: ServiceRequest,
): Promise<ServiceResponse> {
	const method = methodOf(request.endpoint);
	const attempts: Attempts = { rateLimited: 0, failed: 0 };
	for (;;) {
		const options = optionsFor(client, request);
		const slot = await waitForTurn(client, request);
		const outcome = await attempt(client, request, { ...options, ...bodyOf(request) }, slot);
		if (client.signal?.aborted)
			throw method === 'GET' ? stoppedError(client) : uncertain(stoppedError(client));
		if (!outcome.failure) return accept(client, request, outcome.response);
		const { failure } = outcome;
		// A response that cannot be read shows nothing, whatever its status.
		const isAccepted =
			outcome.response && request.acceptStatuses?.includes(outcome.response.status);
		if (isAccepted && failure.kind === 'status') return outcome.response;
		attempts[isRateLimit(failure) ? 'rateLimited' : 'failed']++;
		if (!mayRetry(method, failure, attempts)) throw finalError(client, request, outcome);
		const pause = pauseBefore(attempts, outcome);
		if (pause > Math.min(client.maxRateLimitWaitMs, MAX_WAIT_MS, msLeft(client)))
			throw finalError(client, request, outcome);
		await pauseFor(client, pause);
	}
}

/** @throws NodeOperationError if a value makes no valid path */
function optionsFor(client: ServiceClient, request: ServiceRequest): IHttpRequestOptions {
	const url = urlOf(client.baseUrl, request.endpoint, request);
	if (url === undefined) {
		throw new NodeOperationError(
			client.context.getNode(),
			`${request.action}: the ID is empty or reserved`,
			{
				description:
					'The service reserves some words, such as "export". Pick a record, or check the expression.',
			},
		);
	}
	const Accept = request.download ? 'text/csv, application/json' : 'application/json';
	return {
		method: methodOf(request.endpoint),
		url,
		headers: { Accept, ...(request.body && { 'Content-Type': 'application/json' }) },
		// So that its size can be limited: n8n has no limit.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
}

/** As text: n8n drops an object without keys, and the request would have no body at all. */
function bodyOf({ body }: ServiceRequest): Pick<IHttpRequestOptions, 'body'> {
	return body ? { body: JSON.stringify(typeof body === 'function' ? body() : body) } : {};
}

/** The most time that an attempt may take, in milliseconds. To n8n's HTTP client, 0 means none. */
function timeoutOf(client: ServiceClient, request: ServiceRequest): number {
	return Math.max(1, Math.min(timeouts[kindOf(request)], msLeft(client)));
}

function kindOf({ endpoint, upload, download }: ServiceRequest): keyof typeof timeouts {
	if (upload || download) return 'file';
	return methodOf(endpoint) === 'GET' ? 'read' : 'write';
}

/** The time until the deadline, in milliseconds. */
const msLeft = ({ deadline }: ServiceClient): number => deadline - clock.elapsed();

/** A wait of this length, in milliseconds, is logged, so that the user knows why nothing happens. */
const REPORTED_WAIT_MS = 5_000;

function reportWait({ reporter }: ServiceClient, ms: number): void {
	if (ms >= REPORTED_WAIT_MS) reporter.waiting(ms);
}

function reportPace({ priority, rateLimiter, reporter }: ServiceClient): void {
	if (priority === 'bulk' && rateLimiter.atOnce < INITIAL_LIMIT)
		reporter.slowed(rateLimiter.atOnce);
}

async function pauseFor(client: ServiceClient, ms: number): Promise<void> {
	if (ms === 0) return;
	reportWait(client, ms);
	await clock.sleep(ms, client.signal);
	throwIfStopped(client);
}

async function waitForTurn(client: ServiceClient, request: ServiceRequest): Promise<Slot> {
	const { rateLimiter, priority, maxRateLimitWaitMs, signal } = client;
	const isRead = methodOf(request.endpoint) === 'GET';
	const pauseMs = rateLimiter.pauseMs(isRead);
	if (pauseMs <= maxRateLimitWaitMs) reportWait(client, pauseMs);
	const started = clock.elapsed();
	const leftMs = msLeft(client);
	if (leftMs <= 0) throw deadlineError(client, request);
	const limit = new TimeLimit(leftMs, signal);
	const maxWaitMs = Math.min(maxRateLimitWaitMs, leftMs);
	const turn = { priority, isRead, maxWaitMs, signal: limit.signal };
	const admission = await rateLimiter.acquire(turn).finally(limit.end);
	if (!admission.slot) {
		throwIfStopped(client);
		throw msLeft(client) > 0
			? rateLimitError(client, request, admission.waitMs)
			: deadlineError(client, request);
	}
	const waitedMs = clock.elapsed() - started;
	if (waitedMs >= REPORTED_WAIT_MS) client.reporter.waited(waitedMs);
	await waitForPreviousSend();
	const slot = { ...admission.slot, at: clock.elapsed() };
	if (msLeft(client) > 0 && !signal?.aborted) {
		client.onRequest?.();
		return slot;
	}
	rateLimiter.cancel(slot);
	throwIfStopped(client);
	throw deadlineError(client, request);
}

async function attempt(
	client: ServiceClient,
	request: ServiceRequest,
	options: IHttpRequestOptions,
	slot: Slot,
): Promise<Outcome> {
	const upload = request.upload && (await openUpload(client, request, request.upload, slot));
	const timeout = timeoutOf(client, request);
	const limit = new TimeLimit(timeout, client.signal);
	let response: ServiceResponse | undefined;
	let rate: RateInfo = {};
	try {
		if (kindOf(request) === 'file') limit.requireProgress(() => upload?.source?.bytes ?? 0);
		const limited = { ...options, timeout, abortSignal: limit.signal };
		const toSend = upload ? withUpload(limited, upload) : limited;
		const full = await limit.response(throughN8n(client, toSend));
		const read = await readResponse(full, limit, request.download);
		if (!read) return { failure: { kind: 'tooLarge' }, detail: '' };
		response = read;
		rate = readRateInfo(response.headers, clock.now());
	} catch (error) {
		if (upload?.source?.failure)
			throw fileError(client, request, 'unreadUpload', upload.source.failure);
		if (limit.exceededMs) return { failure: { kind: 'timeout', ms: limit.exceededMs }, detail: '' };
		// Only the code: the whole text may contain the request.
		return { failure: failureOf(error), detail: errorCode(error) ?? '' };
	} finally {
		if (!response?.content) limit.end();
		upload?.source?.close();
		client.rateLimiter.release(slot, {
			ending: endingOf(client, request, response, clock.elapsed() - slot.at),
			isRateLimited: response?.status === 429,
			rate: response && rate,
		});
		reportPace(client);
	}
	const failure = failureIn(response);
	return failure ? { response, rate, failure } : { response };
}

/** Sends one request with n8n's HTTP client. */
async function throughN8n(
	{ context, credential }: ServiceClient,
	options: IHttpRequestOptions,
): Promise<IN8nHttpFullResponse> {
	const { helpers } = context;
	// In executions, n8n replaces the request's signal with that of the context.
	const caller = Object.create(context, {
		...('getExecutionCancelSignal' in context && {
			getExecutionCancelSignal: { value: () => options.abortSignal },
		}),
	}) as ServiceContext;
	return (await helpers.httpRequestWithAuthentication.call(
		caller,
		CREDENTIAL,
		options,
		// Without it, n8n reads the credential again for every request, and resolves its expressions for the first
		// item only.
		{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data: credential } },
	)) as IN8nHttpFullResponse;
}

/** What a request shows about how much the service carries. Files take as long as they are large. */
function endingOf(
	client: ServiceClient,
	{ endpoint, upload, download }: ServiceRequest,
	response: ServiceResponse | undefined,
	latencyMs: number,
): RequestEnd {
	if (!response) return { kind: client.signal?.aborted ? 'other' : 'failed' };
	if (response.status >= 500) return { kind: 'failed' };
	// A rejection may need less work than what it rejects. A 429 is the rate limit's, and no sign of slowness.
	if (response.status >= 300 || upload || download) return { kind: 'other' };
	return { kind: 'ok', endpoint, latencyMs };
}

/**
 * Opens the file only when the request is sent, so that nothing stays open while it waits. Every attempt makes its
 * own body, which can be sent only once.
 */
async function openUpload(
	client: ServiceClient,
	request: ServiceRequest,
	upload: Upload,
	slot: Slot,
): Promise<MultipartBody> {
	try {
		return await multipartBody(client, upload);
	} catch (error) {
		client.rateLimiter.cancel(slot);
		throw fileError(client, request, 'unreadUpload', error);
	}
}

function withUpload(
	options: IHttpRequestOptions,
	{ body, headers }: MultipartBody,
): IHttpRequestOptions {
	return {
		...options,
		headers: { ...options.headers, ...headers },
		body,
	};
}

/** Why a response is a failure; undefined if it can be returned. */
function failureIn(response: ServiceResponse): Failure | undefined {
	const isSuccess = response.status >= 200 && response.status < 300;
	if (!isSuccess) return { kind: 'status', status: response.status };
	return response.json === undefined && response.text.trim() !== ''
		? { kind: 'unreadable' }
		: undefined;
}

function accept(
	client: ServiceClient,
	request: ServiceRequest,
	response: ServiceResponse,
): ServiceResponse {
	if (isRejection(response) && !request.acceptStatuses?.includes(response.status))
		throw responseError(client, request, response);
	return response;
}

/** Returns how long to wait before the next attempt, in milliseconds. */
function pauseBefore({ failed }: Attempts, outcome: Failed): number {
	// After a 429, the rate limiter pauses: the next attempt waits there.
	if (isRateLimit(outcome.failure)) return 0;
	const retryInMs = outcome.response ? outcome.rate.retryInMs : undefined;
	return backoffMs(failed, retryInMs, clock.random());
}

function finalError(client: ServiceClient, request: ServiceRequest, outcome: Failed): NodeApiError {
	if (outcome.response && outcome.failure.kind !== 'unreadable')
		return responseError(client, request, outcome.response);
	const detail = outcome.response ? contentType(outcome.response) : outcome.detail;
	return noResponseError(client, request, outcome.failure, detail);
}

function contentType({ status, headers }: ServiceResponse): string {
	return [status, headers['content-type']].filter(Boolean).join(', ');
}

/** @throws NodeOperationError once the user has stopped the execution */
export function throwIfStopped(client: Pick<ServiceClient, 'context' | 'signal'>): void {
	if (client.signal?.aborted) throw stoppedError(client);
}

/** n8n recognizes an error as a stop, not a failure, by the word "canceled". */
const stoppedError = ({ context }: Pick<ServiceClient, 'context'>): NodeOperationError =>
	new NodeOperationError(context.getNode(), 'The execution was canceled');
