import type { INode } from 'n8n-workflow';
import { ExpressionError, NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Message, Shown } from './access/shown';
import { shown } from './access/shown';
import { clock } from './base/clock';
import { textOf } from './base/text';
import type { Method } from './endpoint';
import { methodOf, permissionIn } from './endpoint';
import type { Failure, RequestInfo } from './failures';
import { CONSEQUENCES, consequenceOf, duration, hasCutId, kindOfStatus } from './failures';
import { readRateInfo } from './rate/rateHeaders';
import { errorMessage, isHtml } from './response/errorMessage';
import { refusalIn } from './response/response';
import type { ServiceResponse } from './response/response';

/** Whose request failed: a client. */
interface Sender {
	n8n: { getNode(): INode };
	baseUrl: string;
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

const NOT_THE_API = shown`The response is a web page, not the service’s API. Check the base URL in the credential, and any proxy in between.`;

/**
 * The error for a request that failed: what happened, the service's own words or other details, and the next step
 * (`CONSEQUENCES`).
 *
 * @param response if there is one, even if it cannot be read
 */
export function failedError(
	client: Sender,
	request: RequestInfo,
	failure: Failure,
	response?: ServiceResponse,
): NodeApiError {
	const { event, effect } = consequenceOf(failure);
	const method = methodOf(request.endpoint);
	const isUncertain = effect === 'possible' && method !== 'GET';
	const isRejected = event === undefined && response !== undefined;
	const { message, step } = isRejected
		? rejectionTexts(request, failure, response)
		: eventTexts(client.baseUrl, method, failure);
	const text = isRejected ? message : shown`${request.action}: ${message}`;
	const error = apiError(client, text, isUncertain ? NOT_REPEATED : step, {
		status: isRejected ? response.status : failure.kind === 'longWait' ? 429 : undefined,
		failure: isUncertain ? undefined : causeOf(failure, response),
	});
	return isUncertain ? uncertain(error) : error;
}

interface Texts {
	message: Shown;
	step: Shown;
}

/** What happened without a usable response, such as "messaging.example.com did not respond (ECONNRESET)". */
export function eventTexts(
	baseUrl: string,
	method: Method,
	{ kind, ms = 0, reason = '' }: Failure,
): Texts {
	const { event, effect, again, step } = consequenceOf({ kind });
	const { host } = new URL(baseUrl);
	const happened = String(event).replace('{host}', host).replace('{time}', duration(ms));
	// What n8n says about an address that it blocks is what to do.
	const [details, next] = kind === 'blocked' ? ['', reason] : [reason.trim(), String(step)];
	const isRepeated = again === 'all' || (again === 'reads' && method === 'GET');
	const retried = isRepeated ? 'Retried without success. ' : 'Not retried. ';
	const before = { unsent: 'Nothing was sent. ', possible: retried, none: '' }[effect];
	return {
		message: shown`${happened}${details && shown` (${details})`}`,
		step: shown`${before}${next}`,
	};
}

/** `The service rejected "Get ticket": The ID is wrong (400 Bad Request)` */
function rejectionTexts(request: RequestInfo, failure: Failure, response: ServiceResponse): Texts {
	const { effect, step } = consequenceOf(failure);
	const status = [response.status, STATUS_NAMES[response.status]].filter(Boolean).join(' ');
	const refusal = refusalIn(response.json, request.endpoint);
	const serviceMessage = errorMessage(response, refusal) ?? '';
	// Proxies often repeat only the name of the status.
	const words =
		serviceMessage && !status.includes(serviceMessage) ? shown`: ${serviceMessage}` : '';
	const verb = effect === 'possible' ? 'did not complete' : 'rejected';
	const general =
		typeof step === 'string' ? shown`${step}` : step({ request, response, serviceMessage });
	const isOthers = isHtml(response) && failure.kind !== 'redirect';
	return {
		message: shown`The service ${verb} "${request.action}"${words} (${status})`,
		step: hasCutId(request, failure)
			? general
			: (request.errorHint?.(response.status, serviceMessage, response) ??
				(isOthers ? NOT_THE_API : general)),
	};
}

/** The error for a response that is a rejection. */
export const responseError = (
	client: Sender,
	request: RequestInfo,
	response: ServiceResponse,
): NodeApiError => failedError(client, request, { kind: kindOfStatus(response.status) }, response);

/** Why, for n8n; undefined if that is not certain. */
function causeOf({ kind, ms }: Failure, response?: ServiceResponse): NodeApiError['failure'] {
	const { cause } = consequenceOf({ kind });
	const isCertain =
		(kind !== 'missing' || !response || !isHtml(response)) &&
		(kind !== 'forbidden' || permissionIn(response?.text ?? '') !== undefined);
	if (cause === undefined || !isCertain) return undefined;
	const retryInMs = response && readRateInfo(response.headers, clock.now()).retryInMs;
	const retryAfterMs = kind === 'longWait' ? ms : retryInMs;
	return { cause, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

function apiError(
	{ n8n }: Sender,
	shownMessage: Shown,
	description: Shown,
	{ status, failure }: { status?: number; failure?: NodeApiError['failure'] },
): NodeApiError {
	const message = String(shownMessage);
	const error = new NodeApiError(
		n8n.getNode(),
		{ message },
		{
			message,
			description: String(description),
			failure,
			httpCode: status === undefined ? undefined : String(status),
		},
	);
	// n8n replaces a message that contains an error code of Node.js. Keep the service's own.
	error.message = message;
	return error;
}

/** The message of what was thrown, or Node.js's code if that is not in it. */
export function reasonText(thrown: unknown): string {
	const { code, message } = (thrown ?? {}) as { code?: unknown; message?: unknown };
	const [name, words] = [textOf(code), textOf(message)];
	return words.includes(name) || !/^E[A-Z_]+$/.test(name) ? words : name;
}

/** Whether a request was not sent because the time of the poll was up. */
export const isOutOfTime = ({ message }: NodeApiError): boolean =>
	message.endsWith(CONSEQUENCES.deadline.event);

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
export function unexpected<D extends string>(
	node: INode,
	thrown: unknown,
	description?: Message<D>,
): NodeOperationError {
	const { message, description: more } = (thrown ?? {}) as {
		message?: unknown;
		description?: unknown;
	};
	const step = description ?? (textOf(more) && shown`${textOf(more)}`);
	const text = String(shown`${textOf(message)}`);
	// Not around what was thrown: n8n stores and shows a cause, and the first line of a stack, as they came.
	const error = new NodeOperationError(node, text, { description: step && String(step) });
	// n8n replaces a message that contains an error code of Node.js.
	error.message = text;
	// With it, n8n's editor explains what an expression lacks.
	if (thrown instanceof ExpressionError) error.context = { ...thrown.context, ...error.context };
	return error;
}

/** What was thrown while writes were sent. An error of the node says itself what it means; anything else was thrown by chance. */
export const afterWrite = (node: INode, thrown: unknown): Error =>
	isNodeError(thrown) ? thrown : uncertain(unexpected(node, thrown, NOT_REPEATED));

/** What was thrown once a request was sent: an error of the node, or anything else, by chance. */
export const afterSending = (client: Sender, request: RequestInfo, thrown: unknown) =>
	isNodeError(thrown) ? thrown : failedError(client, request, { kind: 'unreadable' });

export const isNodeError = (thrown: unknown): thrown is NodeApiError | NodeOperationError =>
	thrown instanceof NodeApiError || thrown instanceof NodeOperationError;

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

/** n8n recognizes an error as a stop, not a failure, by the word "canceled". */
export const stoppedError = ({ n8n }: Pick<Sender, 'n8n'>): NodeOperationError =>
	new NodeOperationError(n8n.getNode(), 'The execution was canceled');

/** @throws NodeOperationError once the user has stopped the execution */
export function throwIfStopped(client: Pick<Sender, 'n8n'> & { signal?: AbortSignal }): void {
	if (client.signal?.aborted) throw stoppedError(client);
}
