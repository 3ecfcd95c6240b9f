import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { ServiceResponse } from './response/response';
import { MAX_RESPONSE_BYTES } from './response/response';
import { clock } from './base/clock';
import type { ServiceClient } from './client';
import type { Endpoint } from './endpoint';
import { methodOf } from './endpoint';
import type { Message, Shown } from './access/shown';
import { shown } from './access/shown';
import { permissionIn, permissionOf } from './permissions';
import { readRateInfo } from './rate/rateHeaders';
import type { Failed, Failure } from './outcome';
import { errorCode } from './outcome';
import { isTransient } from './retry';
import { isHtml, errorMessage } from './response/errorMessage';
import { textOf } from './base/text';

/** What was requested, for messages. */
export interface RequestInfo {
	endpoint: Endpoint;
	/** As shown: "Create contact". */
	action: string;
	/** The IDs in its path. */
	path?: Record<string, string>;
	/** The next step for a rejection that only this operation can interpret. */
	errorHint?: (
		status: number,
		serviceMessage: string,
		response: ServiceResponse,
	) => Shown | undefined;
}

const STATUS_NAMES: Record<number, string> = {
	400: 'Bad Request',
	401: 'Unauthorized',
	403: 'Forbidden',
	404: 'Not Found',
	408: 'Request Timeout',
	409: 'Conflict',
	413: 'Payload Too Large',
	429: 'Too Many Requests',
	500: 'Internal Server Error',
	502: 'Bad Gateway',
	503: 'Service Unavailable',
	504: 'Gateway Timeout',
};

const NOT_REPEATED = shown`Not retried because it may have succeeded. Check the service before you run it again.`;

/** A duration as text, e.g. "42 s" or "60 min". */
function duration(ms: number): string {
	const seconds = Math.max(1, Math.ceil(ms / 1000));
	if (seconds < 120) return `${seconds} s`;
	return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}

/** A status as shown: "409 Conflict". */
function statusText(status: number): string {
	const name = STATUS_NAMES[status];
	return name ? `${status} ${name}` : String(status);
}

/**
 * The error for a response that is a rejection: what was rejected, the service's own message, the status, and the
 * next step.
 */
export function responseError(
	client: ServiceClient,
	request: RequestInfo,
	response: ServiceResponse,
): NodeApiError {
	const serviceMessage = errorMessage(response) ?? '';
	const status = statusText(response.status);
	const isUncertain = mayHaveSucceeded(response.status);
	const verb = isUncertain ? 'did not complete' : 'rejected';
	// Proxies often repeat only the name of the status.
	const detail =
		serviceMessage && !status.includes(serviceMessage) ? shown`: ${serviceMessage}` : '';
	const message = shown`The service ${verb} "${request.action}"${detail} (${status})`;
	const error = apiError(
		client,
		message,
		nextStep(request, response, serviceMessage),
		response.status,
		causeOf(request, response),
	);
	return isUncertain && methodOf(request.endpoint) !== 'GET' ? uncertain(error) : error;
}

/**
 * Why an operation failed, for n8n: it decides with it when to poll again. Older versions ignore it.
 *
 * Undefined if it is not known, and for writes that may have succeeded, because waiting does not help there.
 */
type Cause = NodeApiError['failure'];

function causeOf(request: RequestInfo, response: ServiceResponse): Cause {
	const { status } = response;
	const { retryInMs: retryAfterMs } = readRateInfo(response.headers, clock.now());
	if (status === 429) return { cause: 'rate-limited', retryAfterMs };
	if (mayHaveSucceeded(status)) return unavailable(request, retryAfterMs);
	if (status === 401) return { cause: 'credential-invalid' };
	const isRedirect = status >= 300 && status < 400;
	const isMissing = status === 404 && !isHtml(response);
	const lacksPermission = status === 403 && permissionIn(response.text) !== undefined;
	return isRedirect || isMissing || lacksPermission ? INVALID_CONFIGURATION : undefined;
}

const INVALID_CONFIGURATION: Cause = { cause: 'configuration-invalid' };

const unavailable = ({ endpoint }: RequestInfo, retryAfterMs?: number): Cause =>
	methodOf(endpoint) === 'GET' ? { cause: 'temporarily-unavailable', retryAfterMs } : undefined;

function nextStep(request: RequestInfo, response: ServiceResponse, serviceMessage: string): Shown {
	const { status } = response;
	const cutId = status === 404 ? cutIdStep(request) : undefined;
	const special = cutId ?? request.errorHint?.(status, serviceMessage, response);
	if (special) return special;
	if (status >= 300 && status < 400) return redirectStep(response);
	const isUncertain = mayHaveSucceeded(status);
	if (isUncertain && methodOf(request.endpoint) !== 'GET') return NOT_REPEATED;
	if (isHtml(response))
		return shown`The response is a web page, not the service’s API. Check the base URL in the credential, and any proxy in between.`;
	if (status === 401)
		return shown`The service does not recognize this token. Create one in the dashboard under API Access and enter it in the credential.`;
	if (status === 403) return forbiddenStep(request, response, serviceMessage);
	if (status === 404) return MISSING_RECORD;
	if (status === 409) return shown`A conflicting record exists. Update it instead.`;
	if (status === 429)
		return shown`Waited several times, but the rate limit was exceeded each time. Send fewer requests at once, or use a separate token for this workflow.`;
	if (isUncertain) {
		const { retryInMs = 0 } = readRateInfo(response.headers, clock.now());
		if (retryInMs > 0)
			return shown`The service asks to wait ${duration(retryInMs)}. Run it again after that.`;
		if (status === 500)
			return shown`Retried without success. If it happens again, ask the operator of the service whether the endpoint is in its permission matrix.`;
		return shown`${isTransient(status) ? 'Retried without success. ' : ''}Run it again later.`;
	}
	return shown`Correct the values named in the service’s message.`;
}

const MISSING_RECORD = shown`Check that the record exists, that its ID is complete, and that it belongs to the token’s organization.`;

/** Most of the service's own IDs are cuids (API document, section Resources and their fields): 24 or 25 characters. */
const BEGINNING_OF_ID = /^c(?=[a-z]*\d)[a-z\d]{5,22}$/;

/** If an ID looks like the beginning of one, or ends with the dots of a text that was cut. */
function cutIdStep({ path = {} }: RequestInfo): Shown | undefined {
	const cut = Object.values(path).find(
		(id) => BEGINNING_OF_ID.test(id) || /(?:…|\.\.\.)$/.test(id),
	);
	return cut === undefined
		? undefined
		: shown`The ID ${cut.slice(0, 40)} has ${cut.length} characters and seems to be cut: IDs of the service usually have 25. Copy the whole ID, or pick the record from the list.`;
}

function forbiddenStep(
	request: RequestInfo,
	response: ServiceResponse,
	serviceMessage: string,
): Shown {
	const permission = permissionIn(serviceMessage) ?? permissionIn(response.text);
	if (permission)
		return shown`Add the permission ${permission} to the token in the dashboard under API Access, or use a token that has it.`;
	return shown`The token is inactive or expired, or lacks the permission ${permissionOf(request.endpoint)}. Check it in the dashboard under API Access.`;
}

function redirectStep(response: ServiceResponse): Shown {
	const location = textOf(response.headers.location);
	// A relative or missing address has none.
	const origin = URL.canParse(location) ? new URL(location).origin : 'another address';
	return shown`The service redirects to ${origin}. The token is not sent there. Enter the final address as the base URL in the credential.`;
}

/** Whether the status leaves open if the request was carried out. */
const mayHaveSucceeded = (status: number): boolean => status >= 500 || status === 408;

/** The error for a request whose last attempt failed. */
export function failedError(
	client: ServiceClient,
	request: RequestInfo,
	{ failure, response, detail = '' }: Failed,
): NodeApiError {
	if (failure.kind === 'unreadFile')
		return fileError(client, request, failure.kind, failure.reason);
	if (!response) return noResponseError(client, request, failure, detail);
	if (failure.kind !== 'unreadable') return responseError(client, request, response);
	const shown = [response.status, response.headers['content-type']].filter(Boolean).join(', ');
	return noResponseError(client, request, failure, shown);
}

/** No response, or an unreadable one. */
function noResponseError(
	client: ServiceClient,
	request: RequestInfo,
	failure: Failure,
	detail: string,
): NodeApiError {
	const host = new URL(client.baseUrl).host;
	const suffix = detail && shown` (${detail})`;
	const error = (event: Shown, step: Shown, cause?: Cause) =>
		apiError(client, shown`${request.action}: ${event}`, step, undefined, cause);
	if (failure.kind === 'unreachable') {
		const step = shown`Nothing was sent. Check the base URL in the credential, and whether n8n can reach it.`;
		return error(shown`${host} could not be reached${suffix}`, step, {
			cause: 'temporarily-unavailable',
		});
	}
	if (failure.kind === 'blocked') {
		const step = shown`Nothing was sent. ${failure.reason}`;
		return error(shown`n8n does not allow requests to ${host}`, step, INVALID_CONFIGURATION);
	}
	if (failure.kind === 'untrusted') {
		const event = shown`${host} could not be reached securely: ${failure.reason}${suffix}`;
		return error(event, shown`Nothing was sent. ${failure.step}`, INVALID_CONFIGURATION);
	}
	const event = shown`${eventOf(failure, host)}${suffix}`;
	if (methodOf(request.endpoint) !== 'GET') return uncertain(error(event, NOT_REPEATED));
	if (failure.kind === 'tooLarge')
		return error(event, shown`Not retried. ${CHECK_BASE_URL} For many records, use an export.`);
	return failure.kind === 'unreadable'
		? error(event, shown`Retried without success. ${CHECK_BASE_URL}`)
		: error(event, shown`Retried without success. Run it again later.`, unavailable(request));
}

const CHECK_BASE_URL = 'Check the base URL in the credential, and any proxy in between.';

/** What happened instead of a response that can be used. */
function eventOf(failure: Failure, host: string): string {
	if (failure.kind === 'unreadable') return `the response from ${host} could not be read`;
	if (failure.kind === 'tooLarge') {
		const most = MAX_RESPONSE_BYTES / 1024 / 1024;
		return `the response from ${host} is larger than ${most} MB, or has more than a million values`;
	}
	return failure.kind === 'timeout'
		? `${host} did not respond in full within ${duration(failure.ms)}`
		: `${host} did not respond`;
}

/** An error as one text: what happened, and the next step. */
export const errorText = ({ message, description }: NodeApiError | NodeOperationError): string =>
	description ? `${message.replace(/\.$/, '')}. ${description}` : message;

/** The status of the response that an error is about; 0 without one. */
export const statusIn = (error: unknown): number =>
	error instanceof NodeApiError ? Number(error.httpCode ?? 0) : 0;

/** Errors after which the request may have taken effect. Not a property of the error: n8n would show it. */
const uncertainErrors = new WeakSet<Error>();

/** Marks an error as one after which the request may have taken effect. */
export function uncertain<T extends Error>(error: T): T {
	uncertainErrors.add(error);
	return error;
}

/** Whether a request that ended with this error may have taken effect all the same. */
export const mayHaveTakenEffect = (error: Error): boolean => uncertainErrors.has(error);

/** The error for something that cannot be done, and the next step. */
export const invalid = <M extends string, D extends string>(
	node: INode,
	message: Message<M>,
	description?: Message<D>,
	itemIndex?: number,
): NodeOperationError =>
	new NodeOperationError(node, String(message), {
		description: description && String(description),
		itemIndex,
	});

/** What n8n, or this package by chance, has thrown, as an error of the node. Its text may be of any origin. */
export function unexpected(node: INode, thrown: unknown, description?: string): NodeOperationError {
	const error = new NodeOperationError(node, thrown as Error, { description });
	error.message = String(shown`${error.message}`);
	return error;
}

/** n8n recognizes an error as a stop, not a failure, by the word "canceled". */
export const stoppedError = ({ n8n }: Pick<ServiceClient, 'n8n'>): NodeOperationError =>
	new NodeOperationError(n8n.getNode(), 'The execution was canceled');

/** @throws NodeOperationError once the user has stopped the execution */
export function throwIfStopped(client: Pick<ServiceClient, 'n8n' | 'signal'>): void {
	if (client.signal?.aborted) throw stoppedError(client);
}

/** The rate limit requires a longer wait than is accepted. */
export function rateLimitError(
	client: ServiceClient,
	request: RequestInfo,
	waitMs: number,
): NodeApiError {
	const message = shown`${request.action}: the rate limit requires a wait of ${duration(waitMs)} (${statusText(429)})`;
	const step = shown`Until then, the service accepts no requests from this token. Run it again after that.`;
	return apiError(client, message, step, 429, { cause: 'rate-limited', retryAfterMs: waitMs });
}

/** The poll has run out of time. */
export function deadlineError(client: ServiceClient, request: RequestInfo): NodeApiError {
	const step = shown`The service responds slowly. The next poll continues where this one stopped.`;
	const message = shown`${request.action}${OUT_OF_TIME}`;
	return apiError(client, message, step, undefined, { cause: 'temporarily-unavailable' });
}

const OUT_OF_TIME = ': the poll ran out of time';

/** Whether a request was not sent because the time of the poll was up. */
export const isOutOfTime = ({ message }: NodeApiError): boolean => message.endsWith(OUT_OF_TIME);

function apiError(
	client: ServiceClient,
	shownMessage: Shown,
	description: Shown,
	status?: number,
	cause?: Cause,
): NodeApiError {
	const message = String(shownMessage);
	const options = {
		message,
		description: String(description),
		failure: cause,
		httpCode: status === undefined ? undefined : String(status),
	};
	const error = new NodeApiError(client.n8n.getNode(), { message }, options);
	// n8n replaces a message that contains an error code of Node.js. Keep the service's own.
	error.message = message;
	return error;
}

const OTHER_SERVICE =
	'Check that the base URL in the credential is that of the Conversational Messaging Service API v2.';

/** What a successful response may lack, and what to do. */
const MISSING = {
	list: OTHER_SERVICE,
	file: OTHER_SERVICE,
	record: 'Check that the record exists, and that its ID is complete.',
	IDs: 'Records cannot be told apart without their IDs. Ask the operator of the service in which field they are.',
};

/**
 * A successful response whose payload is not what the endpoint documents.
 *
 * @param came what it is instead (`whatCame`)
 */
export function unexpectedShapeError(
	client: ServiceClient,
	request: RequestInfo,
	missing: keyof typeof MISSING,
	came?: Shown,
): NodeApiError {
	const what = came === undefined ? '' : shown` (${came})`;
	const message = shown`${request.action}: the response contains no ${missing}${what}`;
	return apiError(client, message, shown`${MISSING[missing]}`);
}

/** What can fail while a file is on its way, and what to do. */
const FILE_ERRORS = {
	/** A download whose stream ended before the file did. */
	incompleteDownload: {
		event: 'the download was incomplete',
		step: 'The node returned nothing. Run it again.',
	},
	/** A download that n8n could not store: full disk, missing permissions, unreachable storage. */
	unstoredFile: {
		event: 'n8n could not store the file',
		step: 'The service sent the file. Check where n8n stores binary data, then run the node again.',
	},
	/** A complete download that is not valid CSV. */
	unreadableCsv: {
		event: 'the CSV could not be read',
		step: 'To see what the service sent, set Output to File if the operation has that field.',
	},
	/** A stored file that n8n could not read while sending it. */
	unreadFile: {
		event: 'n8n could not read the file',
		step: 'The service did not receive the whole file. Run the node that provides the file again, then this one.',
	},
};

/** @param reason what was thrown; its code or message is shown */
export function fileError(
	client: ServiceClient,
	request: RequestInfo,
	kind: keyof typeof FILE_ERRORS,
	reason: unknown,
): NodeApiError {
	const { event, step } = FILE_ERRORS[kind];
	const message = shown`${request.action}: ${event}${reasonText(reason)}`;
	return apiError(client, message, shown`${step}`);
}

/** In brackets, without line breaks, at most a line or two: Node.js's error code, or the error's message. */
function reasonText(reason: unknown): Shown {
	const message = String((reason as Partial<Error>).message ?? '');
	const code = errorCode(reason) ?? '';
	const text = (message.includes(code) ? message : code).trim();
	return text === '' ? shown`` : shown` (${text})`;
}
