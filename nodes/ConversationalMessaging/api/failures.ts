import { NodeApiError } from 'n8n-workflow';
import { type Shown, shown } from './access/shown';
import { clock } from './base/clock';
import { textOf } from './base/text';
import { type Endpoint, type Method, methodOf, permissionIn, permissionOf } from './endpoint';
import { type Sender, NOT_RETRIED, uncertain } from './errors';
import { readRateInfo } from './rate/rateHeaders';
import { serviceMessageIn, isHtml } from './response/serviceMessage';
import { type ServiceResponse, refusalIn } from './response/response';

/** What was requested, for messages. */
export interface RequestInfo {
	endpoint: Endpoint;
	/** As shown: "Create contact". */
	action: string;
	path?: Record<string, string>;
	/** The next step for a rejection that only this operation can interpret. */
	errorHint?: (
		status: number,
		serviceMessage: string,
		response: ServiceResponse,
	) => Shown | undefined;
}

/** A request, the response that rejected it, and the service's own words; they are empty without any. */
interface Rejected {
	request: RequestInfo;
	response: ServiceResponse;
	serviceMessage: string;
}

/** What follows from a failure: for the request, for the user, and for n8n. */
interface Consequence {
	/** What happened. Undefined for a response with a status: the message says that the service rejected the request, or did not complete it. */
	event?: string;
	/** Whether the request had an effect; `unsent` is `none` for certain, because there was no connection. */
	effect: 'unsent' | 'none' | 'possible';
	/** Which requests are retried, a few times. */
	retried: 'all' | 'reads' | 'none';
	/** What to do. For a write with a possible effect, it is always the same (`NOT_RETRIED`). */
	step: string | ((rejected: Rejected) => Shown);
	/** For n8n, which decides with it when to poll again; older versions ignore it. */
	cause?: NonNullable<NodeApiError['failure']>['cause'];
}

/** Nothing was sent, and nothing would be the next time. */
const BARRED = { effect: 'unsent', retried: 'none', cause: 'configuration-invalid' } as const;
/** The request may have been carried out. */
const LOST = { effect: 'possible', retried: 'reads', cause: 'temporarily-unavailable' } as const;
/** The request, if there was one, changed nothing, and is not sent again by itself. */
const FINAL = { effect: 'none', retried: 'none' } as const;

const RUN_LATER = 'Run it again later.';
const CHECK_BASE_URL = 'Check the base URL in the credential, and any proxy in between.';
const OTHER_SERVICE =
	'Check that the base URL in the credential is that of the Conversational Messaging Service API v2.';

/**
 * What follows from each failure. Which failures are safe to retry is undocumented, so that is this package's decision:
 * what may have had an effect is retried only if it reads.
 */
const TABLE = {
	// There was no connection.
	unreachable: {
		event: '{host} could not be reached',
		effect: 'unsent',
		retried: 'all',
		cause: 'temporarily-unavailable',
		step: 'Check the base URL in the credential, and whether n8n can reach it.',
	},
	untrusted: {
		event: '{host} could not be reached securely',
		...BARRED,
		step: 'Check the host name and the port of the base URL, and the certificate of the service. If it is self-signed or from a private authority, set the environment variable NODE_EXTRA_CA_CERTS of n8n to a file with the certificate of the authority, and restart n8n.',
	},
	/** By n8n's protection of its network, whose own words are the step. */
	blocked: { event: 'n8n does not allow requests to {host}', ...BARRED, step: '' },

	// There was no response, or none that can be used.
	noResponse: { event: '{host} did not respond', ...LOST, step: RUN_LATER },
	timeout: { event: '{host} did not respond in full within {time}', ...LOST, step: RUN_LATER },
	/** It was incomplete, or is not the service's. */
	unreadable: {
		event: 'the response from {host} could not be read',
		effect: 'possible',
		retried: 'reads',
		step: CHECK_BASE_URL,
	},
	tooLarge: {
		event: 'the response from {host} is too large',
		effect: 'possible',
		retried: 'none',
		step: `${CHECK_BASE_URL} For many records, use an export.`,
	},

	// There was a response with a status.
	redirect: { ...FINAL, cause: 'configuration-invalid', step: redirectStep },
	unauthorized: {
		...FINAL,
		cause: 'credential-invalid',
		step: 'The service does not recognize this token. Create one in the dashboard under API Access and enter it in the credential.',
	},
	forbidden: { ...FINAL, cause: 'configuration-invalid', step: forbiddenStep },
	missing: {
		...FINAL,
		cause: 'configuration-invalid',
		step: 'Check that the record exists, that its ID is complete, and that it belongs to the token’s organization.',
	},
	conflict: { ...FINAL, step: 'A conflicting record exists. Update it instead.' },
	rateLimited: {
		effect: 'none',
		retried: 'all',
		cause: 'rate-limited',
		step: 'Waited several times, but the rate limit was exceeded each time. Send fewer requests at once, or use a separate token for this workflow.',
	},
	/** The service, or a proxy before it, did not complete the request: 408, and all from 500. */
	unavailable: { ...LOST, step: laterStep },
	rejected: { ...FINAL, step: correctStep },
	/** It says that it succeeded, shows no record, and names errors. */
	contradictory: { effect: 'possible', retried: 'none', step: RUN_LATER },

	// The request was not sent, because its time would not be enough.
	longWait: {
		event: 'the rate limit requires a wait of {time} (429 Too Many Requests)',
		...FINAL,
		cause: 'rate-limited',
		step: 'Run it again after that.',
	},
	deadline: {
		event: 'the poll ran out of time',
		...FINAL,
		cause: 'temporarily-unavailable',
		step: 'The service responds slowly. The next poll continues where this one stopped.',
	},

	// A file was on its way.
	unreadFile: {
		event: 'n8n could not read the file',
		...FINAL,
		step: 'The service did not receive the whole file. Run the node that provides the file again, then this one.',
	},
	incompleteDownload: {
		event: 'the download was incomplete',
		...FINAL,
		step: 'The node returned nothing. Run it again.',
	},
	/** n8n's HTTP client unpacks what is compressed, and takes any end for the end. */
	uncertainDownload: {
		event: 'the download may be incomplete',
		...FINAL,
		step: 'The node returned nothing. Ask the operator of the service to send CSV files uncompressed, as the node requests, and with their length or in chunks.',
	},
	/** Full disk, missing permissions, unreachable storage. */
	unstoredFile: {
		event: 'n8n could not store the file',
		...FINAL,
		step: 'The service sent the file. Check where n8n stores binary data, then run the node again.',
	},
	unreadableCsv: {
		event: 'the CSV could not be read',
		...FINAL,
		step: 'To see what the service sent, set Output to File if the operation has that field.',
	},

	// A successful response is not what the document describes.
	list: { event: 'the response contains no list', ...FINAL, step: OTHER_SERVICE },
	file: { event: 'the response contains no file', ...FINAL, step: OTHER_SERVICE },
	record: {
		event: 'the response contains no record',
		...FINAL,
		step: 'Check that the record exists, and that its ID is complete.',
	},
	IDs: {
		event: 'the response contains no IDs',
		...FINAL,
		step: 'The node identifies records by their IDs. Ask the operator of the service in which field they are.',
	},
} satisfies Record<string, Consequence>;

export type FailureKind = keyof typeof TABLE;

const CONSEQUENCES: Record<FailureKind, Consequence> = TABLE;

/** How a request failed. */
export interface Failure {
	kind: FailureKind;
	/** A time limit, or a wait, in milliseconds. */
	ms?: number;
	/** More about it, in the words of somebody else. */
	reason?: string;
	/** Whether the request had failed before, and was sent again. */
	isRepeated?: boolean;
}

/** What a status that is no success means. */
export function kindOfStatus(status: number): FailureKind {
	if (status >= 300 && status < 400) return 'redirect';
	if (status === 408 || status >= 500) return 'unavailable';
	return STATUSES.get(status) ?? 'rejected';
}

const STATUSES = new Map<number, FailureKind>([
	[401, 'unauthorized'],
	[403, 'forbidden'],
	[404, 'missing'],
	[409, 'conflict'],
	[429, 'rateLimited'],
]);

function redirectStep({ response }: Rejected): Shown {
	const location = textOf(response.headers.location);
	// A relative or missing address has no origin; that of "data:" is "null".
	const target = URL.canParse(location) ? new URL(location).origin : '';
	return shown`The service redirects to ${/^http/.test(target) ? target : 'another address'}. The token is not sent there. Enter the final address as the base URL in the credential.`;
}

function forbiddenStep({ request, response, serviceMessage }: Rejected): Shown {
	const permission = permissionIn(serviceMessage) ?? permissionIn(response.text);
	return permission
		? shown`Add the permission ${permission} to the token in the dashboard under API Access, or use a token that has it.`
		: shown`The token is inactive or expired, or lacks the permission ${permissionOf(request.endpoint)}. Check it in the dashboard under API Access.`;
}

function correctStep({ serviceMessage }: Rejected): Shown {
	return serviceMessage
		? shown`Correct the values named in the service’s message.`
		: shown`The service gave no reason. Check the values of the fields, or ask the operator of the service.`;
}

function laterStep({ response: { status, headers } }: Rejected): Shown {
	const { retryInMs = 0 } = readRateInfo(headers, clock.now());
	if (retryInMs > 0)
		return shown`The service asks to wait ${duration(retryInMs)}. Run it again after that.`;
	return status === 500
		? shown`If it happens again, ask the operator of the service whether the endpoint is in its permission matrix.`
		: shown`${RUN_LATER}`;
}

/** The API document (section Limits) has no status and no words for credits that are used up. */
const CREDITS = shown`Check in the dashboard whether the organization has credits left.`;

/** Not if a record is missing, or exists already: then they are part of its name. */
const NO_CREDITS = /^402\b|^(?!404\b|.*\bexist).*(?<![a-z])credits(?![a-z])/is;

const NOT_THE_API = shown`The response is a web page, not the service’s API. Check the base URL in the credential, and any proxy in between.`;

interface Texts {
	message: Shown;
	step: Shown;
	/** Of the response, if there was one. */
	status?: number;
}

/**
 * The error for a request that failed: what happened, the service's own words or other details, and the next step.
 *
 * @param response if there is one, even if it cannot be read
 */
export function failedError(
	{ n8n, baseUrl }: Sender,
	request: RequestInfo,
	failure: Failure,
	response?: ServiceResponse,
): NodeApiError {
	const isUncertain = mayHaveChanged(request, failure);
	const { message, step, status } = failureTexts(baseUrl, request, failure, response);
	const text = String(message);
	const before = failure.isRepeated ? 'Retried without success. ' : '';
	const error = new NodeApiError(
		n8n.getNode(),
		{ message: text },
		{
			message: text,
			description: String(isUncertain ? NOT_RETRIED : shown`${before}${step}`),
			failure: isUncertain ? undefined : causeOf(failure, response),
			httpCode: status === undefined ? undefined : String(status),
		},
	);
	// n8n replaces a message that contains an error code of Node.js. Keep the service's own.
	error.message = text;
	return isUncertain ? uncertain(error) : error;
}

/** Whether a request may have changed something. @param failure undefined if it succeeded */
export const mayHaveChanged = ({ endpoint }: RequestInfo, failure: Failure | undefined): boolean =>
	methodOf(endpoint) !== 'GET' && (!failure || CONSEQUENCES[failure.kind].effect === 'possible');

/** Whether a request that failed is retried, a few times. */
export function isRetried(kind: FailureKind, method: Method): boolean {
	const { retried } = CONSEQUENCES[kind];
	return retried === 'all' || (retried === 'reads' && method === 'GET');
}

/** What happened to a request, and what to do. @param response if there is one, even if it cannot be read */
export const failureTexts = (
	baseUrl: string,
	request: RequestInfo,
	failure: Failure,
	response?: ServiceResponse,
): Texts =>
	response && CONSEQUENCES[failure.kind].event === undefined
		? rejectionTexts(request, failure, response)
		: eventTexts(baseUrl, request, failure);

/** `Get ticket: messaging.example.com did not respond (ECONNRESET)` */
function eventTexts(
	baseUrl: string,
	{ action }: RequestInfo,
	{ kind, ms = 0, reason = '' }: Failure,
): Texts {
	const { event, effect, step } = CONSEQUENCES[kind];
	const { host } = new URL(baseUrl);
	const happened = String(event).replace('{host}', host).replace('{time}', duration(ms));
	// What n8n says about an address that it blocks is what to do.
	const [details, next] = kind === 'blocked' ? ['', reason] : [reason.trim(), String(step)];
	return {
		message: shown`${action}: ${happened}${details && shown` (${details})`}`,
		step: shown`${effect === 'unsent' ? 'Nothing was sent. ' : ''}${next}`,
		status: kind === 'longWait' ? 429 : undefined,
	};
}

/** `The service rejected "Get ticket": The ID is wrong (400 Bad Request)` */
function rejectionTexts(request: RequestInfo, failure: Failure, response: ServiceResponse): Texts {
	const { effect, step } = CONSEQUENCES[failure.kind];
	const status = [response.status, response.status >= 300 && response.statusMessage]
		.filter(Boolean)
		.join(' ');
	const serviceMessage =
		serviceMessageIn(response, refusalIn(response.json, request.endpoint)) ?? '';
	// Proxies often repeat only the name of the status.
	const words =
		serviceMessage && !status.includes(serviceMessage) ? shown`: ${serviceMessage}` : '';
	const verb = effect === 'possible' ? 'did not complete' : 'rejected';
	const isOthers = isHtml(response) && failure.kind !== 'redirect';
	const hasNoCredits = effect === 'none' && NO_CREDITS.test(`${status} ${serviceMessage}`);
	const hint = hasNoCredits
		? CREDITS
		: request.errorHint?.(response.status, serviceMessage, response);
	return {
		message: shown`The service ${verb} "${request.action}"${words} (${status})`,
		status: response.status,
		step:
			hint ??
			(isOthers
				? NOT_THE_API
				: typeof step === 'string'
					? shown`${step}`
					: step({ request, response, serviceMessage })),
	};
}

/** Why, for n8n; undefined if that is not certain. */
function causeOf({ kind, ms }: Failure, response?: ServiceResponse): NodeApiError['failure'] {
	const { cause, effect } = CONSEQUENCES[kind];
	// A web page is a proxy's.
	const isOthers = effect === 'none' && response && isHtml(response);
	if (cause === undefined || isOthers) return undefined;
	const retryInMs = response && readRateInfo(response.headers, clock.now()).retryInMs;
	const retryAfterMs = kind === 'longWait' ? ms : retryInMs;
	return { cause, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** A duration as text, e.g. "42 s" or "60 min". A header may contain any number. */
function duration(ms: number): string {
	const seconds = Math.max(1, Math.ceil(ms / 1000));
	if (seconds < 120) return `${seconds} s`;
	if (seconds < 7_200) return `${Math.ceil(seconds / 60)} min`;
	const hours = Math.ceil(seconds / 3_600);
	return hours <= 2_400 ? `${hours} h` : 'more than 100 days';
}

/** Whether a request was not sent because the time of the poll was up. */
export const isOutOfTime = ({ message }: Error): boolean => message.endsWith(TABLE.deadline.event);
