/** What follows from each failure: for the user, for n8n, and for the request. */
import { STATUS_CODES } from 'node:http';
import { NodeApiError, type NodeOperationError } from 'n8n-workflow';
import { shown } from '../../nodes/ConversationalMessaging/api/access/shown.ts';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { connectionFailure } from '../../nodes/ConversationalMessaging/api/attemptFailure.ts';
import {
	afterWrite,
	reasonText,
	mayHaveTakenEffect,
} from '../../nodes/ConversationalMessaging/api/errors.ts';
import {
	type Failure,
	failedError,
	type FailureKind,
	kindOfStatus,
	type RequestInfo,
} from '../../nodes/ConversationalMessaging/api/failures.ts';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { pauseBeforeRetry } from '../../nodes/ConversationalMessaging/api/retry.ts';
import { NODE } from '../support/node.mts';
import { useFakeTime } from '../support/time.mts';

useFakeTime();

const client = {
	n8n: { getNode: () => NODE },
	baseUrl: 'https://messaging.example.com:8443/api/v2',
} as unknown as ServiceClient;

const GET: RequestInfo = { endpoint: 'GET /tickets/{id}', action: 'Get ticket' };
const POST: RequestInfo = { endpoint: 'POST /messages', action: 'Send message' };

interface Rejection {
	request?: RequestInfo;
	body?: unknown;
	headers?: Record<string, string>;
}

function rejected(status: number, { request = GET, body = {}, headers = {} }: Rejection = {}) {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const statusMessage = STATUS_CODES[status];
	const response = { ...parseResponse(status, headers, text), statusMessage };
	return failedError(client, request, { kind: kindOfStatus(status) }, response);
}

/** As n8n's scheduler reads it: as plain data. */
const causeOf = ({ failure }: NodeApiError): unknown => JSON.parse(JSON.stringify(failure ?? null));

const HOST = 'messaging.example.com:8443';
const CORRECT =
	'The service gave no reason. Check the values of the fields, or ask the operator of the service.';
const RUN_LATER = 'Run it again later.';
const WRONG_SERVICE =
	'Check that the base URL in the credential is that of the Conversational Messaging Service API v2.';
const CHECK_BASE_URL = 'Check the base URL in the credential, and any proxy in between.';
const NOT_RETRIED =
	'Not retried because it may have succeeded. Check the service before you run it again.';

const UNAVAILABLE = 'temporarily-unavailable';
const CONFIGURATION = 'configuration-invalid';

/** What else follows: n8n's cause, which requests are sent again, and whether a write may have taken effect. */
interface Also {
	cause?: string;
	again?: 'all' | 'reads';
	isLost?: boolean;
}
/** A write may have taken effect. */
const LOST: Also = { cause: UNAVAILABLE, again: 'reads', isLost: true };

test.each<[failure: number | FailureKind, event: string, step: string, also?: Also]>([
	[400, '400 Bad Request', CORRECT],
	[
		401,
		'401 Unauthorized',
		'The service does not recognize this token. Create one in the dashboard under API Access and enter it in the credential.',
		{ cause: 'credential-invalid' },
	],
	[
		404,
		'404 Not Found',
		'Check that the record exists, that its ID is complete, and that it belongs to the token’s organization.',
		{ cause: CONFIGURATION },
	],
	[408, '408 Request Timeout', RUN_LATER, LOST],
	[409, '409 Conflict', 'A conflicting record exists. Update it instead.'],
	[413, '413 Payload Too Large', CORRECT],
	[419, '419', CORRECT],
	[422, '422 Unprocessable Entity', CORRECT],
	[
		429,
		'429 Too Many Requests',
		'Waited several times, but the rate limit was exceeded each time. Send fewer requests at once, or use a separate token for this workflow.',
		{ cause: 'rate-limited', again: 'all' },
	],
	[499, '499', CORRECT],
	[
		500,
		'500 Internal Server Error',
		'If it happens again, ask the operator of the service whether the endpoint is in its permission matrix.',
		LOST,
	],
	[501, '501 Not Implemented', RUN_LATER, LOST],
	[502, '502 Bad Gateway', RUN_LATER, LOST],
	[503, '503 Service Unavailable', RUN_LATER, LOST],
	[504, '504 Gateway Timeout', RUN_LATER, LOST],
	[520, '520', RUN_LATER, LOST],
	[
		'unreachable',
		`${HOST} could not be reached`,
		'Nothing was sent. Check the base URL in the credential, and whether n8n can reach it.',
		{ cause: UNAVAILABLE, again: 'all' },
	],
	['noResponse', `${HOST} did not respond`, RUN_LATER, LOST],
	['timeout', `${HOST} did not respond in full within 1 s`, RUN_LATER, LOST],
	[
		'unreadable',
		`the response from ${HOST} could not be read`,
		CHECK_BASE_URL,
		{ again: 'reads', isLost: true },
	],
	[
		'tooLarge',
		`the response from ${HOST} is too large`,
		`${CHECK_BASE_URL} For many records, use an export.`,
		{ isLost: true },
	],
	[
		'deadline',
		'the poll ran out of time',
		'The service responds slowly. The next poll continues where this one stopped.',
		{ cause: UNAVAILABLE },
	],
	[
		'unreadFile',
		'n8n could not read the file',
		'The service did not receive the whole file. Run the node that provides the file again, then this one.',
	],
	['incompleteDownload', 'the download was incomplete', 'The node returned nothing. Run it again.'],
	[
		'unstoredFile',
		'n8n could not store the file',
		'The service sent the file. Check where n8n stores binary data, then run the node again.',
	],
	[
		'unreadableCsv',
		'the CSV could not be read',
		'To see what the service sent, set Output to File if the operation has that field.',
	],
	['list', 'the response contains no list', WRONG_SERVICE],
	['file', 'the response contains no file', WRONG_SERVICE],
	[
		'record',
		'the response contains no record',
		'Check that the record exists, and that its ID is complete.',
	],
	[
		'IDs',
		'the response contains no IDs',
		'The node identifies records by their IDs. Ask the operator of the service in which field they are.',
	],
])('%s is "%s": %s %j', (of, event, step, { cause, again, isLost = false } = {}) => {
	const isStatus = typeof of === 'number';
	const failure: Failure = isStatus ? { kind: kindOfStatus(of) } : { kind: of, ms: 1 };
	for (const request of [GET, POST]) {
		const error = isStatus ? rejected(of, { request }) : failedError(client, request, failure);
		const isUncertain = isLost && request === POST;
		expect(error).toBeInstanceOf(NodeApiError);
		const verb = isLost ? 'did not complete' : 'rejected';
		const message = isStatus
			? `The service ${verb} "${request.action}" (${event})`
			: `${request.action}: ${event}`;
		// n8n shows `messages` among the details.
		expect([error.message, ...(isStatus ? error.messages : [])]).toStrictEqual(
			isStatus ? [message, message] : [message],
		);
		expect(error.description).toBe(isUncertain ? NOT_RETRIED : step);
		expect(error.httpCode).toBe(isStatus ? String(of) : null);
		expect(mayHaveTakenEffect(error)).toBe(isUncertain);
		expect(causeOf(error)).toStrictEqual(cause === undefined || isUncertain ? null : { cause });
		const detailed = failedError(client, request, { ...failure, reason: ' wa_pk_secret ' });
		if (!isStatus) expect(detailed.message).toBe(`${message} (***)`);
	}
	const tried = { rateLimited: 1, failed: 1 };
	for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
		const isRepeated = again === 'all' || (again === 'reads' && method === 'GET');
		const pause = pauseBeforeRetry(method, failure, undefined, tried);
		expect([method, pause !== undefined]).toStrictEqual([method, isRepeated]);
	}
});

const PAGE = '<!DOCTYPE html><html><body>Log in</body></html>';
const NOT_THE_API = `The response is a web page, not the service’s API. ${CHECK_BASE_URL}`;
const ADD_PERMISSION =
	'Add the permission users.manage to the token in the dashboard under API Access, or use a token that has it.';
const redirectTo = (target: string) =>
	`The service redirects to ${target}. The token is not sent there. Enter the final address as the base URL in the credential.`;
const redirected = (status: number, location: string) =>
	rejected(status, { headers: { location } });
const LATER = { 'retry-after': '90' };

test.each<[what: string, error: NodeApiError, step: string | RegExp, cause?: object]>([
	['a rejection with a status of success', rejected(200, { body: { success: false } }), CORRECT],
	[
		'403 without a permission',
		rejected(403),
		'The token is inactive or expired, or lacks the permission tickets.view. Check it in the dashboard under API Access.',
		{ cause: CONFIGURATION },
	],
	[
		'403 with a permission in its message',
		rejected(403, { body: { error: 'users.manage is required' } }),
		ADD_PERMISSION,
		{ cause: CONFIGURATION },
	],
	[
		'403 with a permission elsewhere in its body',
		rejected(403, { body: { error: 'Forbidden', required: 'users.manage' } }),
		ADD_PERMISSION,
		{ cause: CONFIGURATION },
	],
	[
		'429 of a write, with a time',
		rejected(429, { request: POST, headers: LATER }),
		/^Waited several times/,
		{ cause: 'rate-limited', retryAfterMs: 90_000 },
	],
	[
		'503 with a time',
		rejected(503, { headers: LATER }),
		'The service asks to wait 90 s. Run it again after that.',
		{ cause: UNAVAILABLE, retryAfterMs: 90_000 },
	],
	[
		'503 with a time that nobody waits for',
		rejected(503, { headers: { 'retry-after': '1e308' } }),
		'The service asks to wait more than 100 days. Run it again after that.',
		{ cause: UNAVAILABLE, retryAfterMs: expect.any(Number) as number },
	],
	[
		'503 with a time that has passed',
		rejected(503, { headers: { 'retry-after': '0' } }),
		RUN_LATER,
		{ cause: UNAVAILABLE, retryAfterMs: 0 },
	],
	['403 of a proxy', rejected(403, { body: PAGE }), NOT_THE_API],
	['404 of a proxy', rejected(404, { body: PAGE }), NOT_THE_API],
	['a web page with 502', rejected(502, { body: PAGE }), NOT_THE_API, { cause: UNAVAILABLE }],
	['a web page with 502, of a write', rejected(502, { request: POST, body: PAGE }), NOT_RETRIED],
	...(
		[
			['a redirect', 302, 'https://login.example.com/sign-in?a=1', 'https://login.example.com'],
			['a redirect to a relative address', 300, '/sign-in', 'another address'],
			['a redirect to an address without an origin', 302, 'data:text/html,x', 'another address'],
		] as const
	).map(([what, status, location, target]): [string, NodeApiError, string, object] => [
		what,
		redirected(status, location),
		redirectTo(target),
		{ cause: CONFIGURATION },
	]),
	['a redirect with a web page', rejected(399, { body: PAGE }), redirectTo('another address')],
	[
		'a certificate that is not trusted',
		failedError(client, POST, { kind: 'untrusted' }),
		/^Nothing was sent\. .* NODE_EXTRA_CA_CERTS/,
		{ cause: CONFIGURATION },
	],
	[
		'a request that n8n blocks, in n8n’s own words',
		failedError(client, GET, { kind: 'blocked', reason: 'Ask Ann.' }),
		'Nothing was sent. Ask Ann.',
		{ cause: CONFIGURATION },
	],
	[
		'a wait that is too long',
		failedError(client, GET, { kind: 'longWait', ms: 400_000 }),
		'Run it again after that.',
		{ cause: 'rate-limited', retryAfterMs: 400_000 },
	],
])('the next step and the cause for n8n: %s', (...[, error, step, cause]) => {
	expect(error.description).toStrictEqual(
		typeof step === 'string' ? step : expect.stringMatching(step),
	);
	expect(causeOf(error)).toStrictEqual(cause ?? null);
});

test.each<Failure>([{ kind: 'untrusted' }, { kind: 'blocked' }, { kind: kindOfStatus(302) }])(
	'after %j, nothing is sent again',
	(failure) => {
		const tried = { rateLimited: 1, failed: 1 };
		expect(pauseBeforeRetry('GET', failure, undefined, tried)).toBeUndefined();
	},
);

test.each([
	[
		'contains the service’s own message, without the token',
		rejected(400, { body: { error: 'wa_pk_secret has no status "open"' } }),
		'The service rejected "Get ticket": *** has no status "open" (400 Bad Request)',
	],
	[
		'does not repeat a message that is only the name of the status',
		rejected(404, { body: { error: 'Not Found' } }),
		'The service rejected "Get ticket" (404 Not Found)',
	],
	[
		'keeps an error code of Node.js that the service mentions, which n8n would replace',
		rejected(502, { body: { error: 'ECONNREFUSED upstream' } }),
		'The service did not complete "Get ticket": ECONNREFUSED upstream (502 Bad Gateway)',
	],
	[
		'contains the code of Node.js about a certificate',
		failedError(client, POST, connectionFailure({ cause: { code: 'CERT_HAS_EXPIRED' } })),
		`Send message: ${HOST} could not be reached securely (CERT_HAS_EXPIRED)`,
	],
])('a message %s', (_what, error, message) => {
	expect(error.message).toBe(message);
});

test('the next step is the operation’s own if it has one for the status and the service’s message', () => {
	const errorHint: RequestInfo['errorHint'] = (status, message) =>
		status === 409 && message === 'busy' ? shown`End ${'wa_pk_secret'} first.` : undefined;
	const hint = (error: string) =>
		rejected(409, { request: { ...GET, errorHint }, body: { error } }).description;
	expect(hint('busy')).toBe('End *** first.');
	expect(hint('other')).toBe('A conflicting record exists. Update it instead.');
});

test.each([
	[400, 'No session credits left'],
	[402, 'Top up first'],
	[403, 'INSUFFICIENT_CREDITS'],
	[409, 'Credits are used up'],
])('after a rejection with %d “%s”, the next step is about credits', (status, error) => {
	const errorHint = () => shown`End it first.`;
	expect(rejected(status, { request: { ...POST, errorHint }, body: { error } }).description).toBe(
		'Check in the dashboard whether the organization has credits left.',
	);
	const lost = rejected(500, { request: GET, body: { error } });
	expect(lost.description).not.toMatch(/credits/);
});

test.each([
	[400, 'The template credits_left does not exist'],
	[404, 'No flow with the keyword credits'],
	[409, 'A segment with the name "Credits" already exists'],
])('after a rejection with %d “%s”, it is not: credits are part of a name', (status, error) => {
	expect(rejected(status, { request: POST, body: { error } }).description).not.toMatch(/credits/);
});

test.each([
	[0, '1 s'],
	[1_001, '2 s'],
	[119_000, '119 s'],
	[119_001, '2 min'],
	[7_199_000, '120 min'],
	[7_200_000, '2 h'],
	[7_200_001, '3 h'],
])('a wait of %d ms is shown as "%s"', (ms, text) => {
	const { message, httpCode } = failedError(client, GET, { kind: 'longWait', ms });
	expect([message, httpCode]).toStrictEqual([
		`Get ticket: the rate limit requires a wait of ${text} (429 Too Many Requests)`,
		'429',
	]);
});

test('what is thrown by chance while writes are sent says that they may have succeeded; an error of the node stays as it is', () => {
	const rejection = rejected(400, { request: POST });
	expect(afterWrite(NODE, rejection)).toBe(rejection);
	const lost = afterWrite(NODE, new TypeError(`No ${'x'.repeat(500)}`)) as NodeOperationError;
	expect([lost.message.length, lost.description]).toStrictEqual([400, NOT_RETRIED]);
	expect([rejection, lost].map(mayHaveTakenEffect)).toStrictEqual([false, true]);
});

test.each<[reason: unknown, shown: string]>([
	[new Error('disk full'), ' (disk full)'],
	[Object.assign(new Error('no space left'), { code: 'ENOSPC' }), ' (ENOSPC)'],
	[
		Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }),
		' (ENOSPC: no space left)',
	],
	[new Error('  two\n\n lines with wa_pk_secret '), ' (two lines with ***)'],
	[new Error('x'.repeat(500)), ` (${'x'.repeat(399)}…)`],
	[{}, ''],
])('why a file could not be stored is shown in one line: %s', (reason, shown) => {
	const failure = { kind: 'unstoredFile', reason: reasonText(reason) } as const;
	expect(failedError(client, GET, failure).message).toBe(
		`Get ticket: n8n could not store the file${shown}`,
	);
});
