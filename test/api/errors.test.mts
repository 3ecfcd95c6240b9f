import { STATUS_CODES } from 'node:http';
import { shown } from '../../nodes/ConversationalMessaging/api/access/shown.ts';
import { NodeApiError, type NodeOperationError } from 'n8n-workflow';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import {
	afterWrite,
	reasonText,
	mayHaveTakenEffect,
} from '../../nodes/ConversationalMessaging/api/errors.ts';
import {
	failedError,
	kindOfStatus,
	type RequestInfo,
} from '../../nodes/ConversationalMessaging/api/failures.ts';
import { connectionFailure } from '../../nodes/ConversationalMessaging/api/connectionFailure.ts';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { NODE } from '../support/node.mts';

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

describe('the message about a rejection', () => {
	test.each([
		[400, 'rejected', '400 Bad Request'],
		[401, 'rejected', '401 Unauthorized'],
		[403, 'rejected', '403 Forbidden'],
		[404, 'rejected', '404 Not Found'],
		[408, 'did not complete', '408 Request Timeout'],
		[409, 'rejected', '409 Conflict'],
		[413, 'rejected', '413 Payload Too Large'],
		[419, 'rejected', '419'],
		[429, 'rejected', '429 Too Many Requests'],
		[500, 'did not complete', '500 Internal Server Error'],
		[502, 'did not complete', '502 Bad Gateway'],
		[503, 'did not complete', '503 Service Unavailable'],
		[504, 'did not complete', '504 Gateway Timeout'],
	])('after %d says that the service %s the operation: %s', (status, verb, shown) => {
		const error = rejected(status);
		const message = `The service ${verb} "Get ticket" (${shown})`;
		expect(error).toBeInstanceOf(NodeApiError);
		// n8n shows `messages` among the details.
		expect([error.message, ...error.messages]).toStrictEqual([message, message]);
		expect(error.httpCode).toBe(String(status));
	});

	test.each([
		[
			'contains the service’s own message, without the token',
			400,
			'wa_pk_secret has no status "open"',
			'The service rejected "Get ticket": *** has no status "open" (400 Bad Request)',
		],
		[
			'does not repeat a message that is only the name of the status',
			404,
			'Not Found',
			'The service rejected "Get ticket" (404 Not Found)',
		],
		[
			'keeps an error code of Node.js that the service mentions, which n8n would replace',
			502,
			'ECONNREFUSED upstream',
			'The service did not complete "Get ticket": ECONNREFUSED upstream (502 Bad Gateway)',
		],
	])('%s', (_what, status, error, message) => {
		expect(rejected(status, { body: { error } }).message).toBe(message);
	});
});

const NOT_RETRIED =
	'Not retried because it may have succeeded. Check the service before you run it again.';
const CORRECT = 'Correct the values named in the service’s message.';
const RUN_LATER = 'Retried without success. Run it again later.';
const PAGE = '<!DOCTYPE html><html><body>Log in</body></html>';
const NOT_THE_API =
	'The response is a web page, not the service’s API. Check the base URL in the credential, and any proxy in between.';
const ADD_PERMISSION =
	'Add the permission users.manage to the token in the dashboard under API Access, or use a token that has it.';
const redirectTo = (target: string) =>
	`The service redirects to ${target}. The token is not sent there. Enter the final address as the base URL in the credential.`;

describe('the next step after a rejection', () => {
	test.each<[what: string, status: number, rejection: Rejection, step: string]>([
		['400', 400, {}, CORRECT],
		['422', 422, { request: POST }, CORRECT],
		['a rejection with a status of success', 200, { body: { success: false } }, CORRECT],
		[
			'401',
			401,
			{},
			'The service does not recognize this token. Create one in the dashboard under API Access and enter it in the credential.',
		],
		[
			'403 without a permission',
			403,
			{},
			'The token is inactive or expired, or lacks the permission tickets.view. Check it in the dashboard under API Access.',
		],
		[
			'403 with a permission in its message',
			403,
			{ body: { error: 'users.manage is required' } },
			ADD_PERMISSION,
		],
		[
			'403 with a permission elsewhere in its body',
			403,
			{ body: { error: 'Forbidden', required: 'users.manage' } },
			ADD_PERMISSION,
		],
		[
			'404',
			404,
			{},
			'Check that the record exists, that its ID is complete, and that it belongs to the token’s organization.',
		],
		['501 of a read', 501, {}, RUN_LATER],
		['520 of a read', 520, {}, RUN_LATER],
		['520 of a write', 520, { request: POST }, NOT_RETRIED],
		['409', 409, {}, 'A conflicting record exists. Update it instead.'],
		[
			'429',
			429,
			{},
			'Waited several times, but the rate limit was exceeded each time. Send fewer requests at once, or use a separate token for this workflow.',
		],
		[
			'500 of a read',
			500,
			{},
			'Retried without success. If it happens again, ask the operator of the service whether the endpoint is in its permission matrix.',
		],
		['503 of a read', 503, {}, RUN_LATER],
		['408 of a read', 408, {}, RUN_LATER],
		[
			'503 of a read, with Retry-After',
			503,
			{ headers: { 'retry-after': '90' } },
			'The service asks to wait 90 s. Run it again after that.',
		],
		['503 of a read, with a Retry-After of 0', 503, { headers: { 'retry-after': '0' } }, RUN_LATER],
		['503 of a write', 503, { request: POST }, NOT_RETRIED],
		['408 of a write', 408, { request: POST }, NOT_RETRIED],
		['a web page', 404, { body: PAGE }, NOT_THE_API],
		['a web page with 502, of a read', 502, { body: PAGE }, NOT_THE_API],
		['a web page with 502, of a write', 502, { request: POST, body: PAGE }, NOT_RETRIED],
		[
			'a redirect',
			302,
			{ headers: { location: 'https://login.example.com/sign-in?a=1' } },
			redirectTo('https://login.example.com'),
		],
		[
			'a redirect to a relative address',
			300,
			{ headers: { location: '/sign-in' } },
			redirectTo('another address'),
		],
		[
			'a redirect to an address without an origin',
			302,
			{ headers: { location: 'data:text/html,x' } },
			redirectTo('another address'),
		],
		['a redirect with a web page', 399, { body: PAGE }, redirectTo('another address')],
	])('is: %s', (_what, status, rejection, step) => {
		expect(rejected(status, rejection).description).toBe(step);
	});

	test('is the operation’s own if it has one for the status and the service’s message', () => {
		const errorHint: RequestInfo['errorHint'] = (status, message) =>
			status === 409 && message === 'busy' ? shown`End ${'wa_pk_secret'} first.` : undefined;
		const hint = (error: string) =>
			rejected(409, { request: { ...GET, errorHint }, body: { error } }).description;
		expect(hint('busy')).toBe('End *** first.');
		expect(hint('other')).toBe('A conflicting record exists. Update it instead.');
	});
});

test.each([
	[0, '1 s'],
	[1_001, '2 s'],
	[119_000, '119 s'],
	[119_001, '2 min'],
	[120_001, '3 min'],
	[7_199_000, '120 min'],
	[7_200_000, '2 h'],
	[7_200_001, '3 h'],
])('a wait of %d ms is shown as "%s"', (ms, shown) => {
	const error = failedError(client, GET, { kind: 'longWait', ms });
	expect(error.message).toBe(
		`Get ticket: the rate limit requires a wait of ${shown} (429 Too Many Requests)`,
	);
	expect(error.httpCode).toBe('429');
	expect(error.description).toBe(
		'Until then, the service accepts no requests from this token. Run it again after that.',
	);
});

const NOTHING_SENT =
	'Nothing was sent. Check the base URL in the credential, and whether n8n can reach it.';
const UNREADABLE = 'the response from messaging.example.com:8443 could not be read';

test.each([
	['unreachable', GET, 'messaging.example.com:8443 could not be reached', NOTHING_SENT],
	['unreachable', POST, 'messaging.example.com:8443 could not be reached', NOTHING_SENT],
	['noResponse', GET, 'messaging.example.com:8443 did not respond', RUN_LATER],
	['noResponse', POST, 'messaging.example.com:8443 did not respond', NOT_RETRIED],
	[
		'unreadable',
		GET,
		UNREADABLE,
		'Retried without success. Check the base URL in the credential, and any proxy in between.',
	],
	['unreadable', POST, UNREADABLE, NOT_RETRIED],
] as const)('a request that ends with %s is reported: %j', (kind, request, event, step) => {
	const error = failedError(client, request, { kind });
	expect([error.message, error.description]).toStrictEqual([`${request.action}: ${event}`, step]);
	expect(error.httpCode).toBeNull();
	expect(failedError(client, request, { kind, reason: 'wa_pk_secret' }).message).toBe(
		`${request.action}: ${event} (***)`,
	);
	expect(mayHaveTakenEffect(error)).toBe(request === POST && kind !== 'unreachable');
});

test('an encrypted connection that fails is reported with the code, and what to do about a certificate', () => {
	const thrown = { message: 'x', cause: { code: 'CERT_HAS_EXPIRED', message: 'expired' } };
	const error = failedError(client, POST, connectionFailure(thrown));
	expect(error.message).toBe(
		'Send message: messaging.example.com:8443 could not be reached securely (CERT_HAS_EXPIRED)',
	);
	expect(error.description).toMatch(/^Nothing was sent\. .* NODE_EXTRA_CA_CERTS/);
});

test.each<[status: number, request: RequestInfo, may: boolean]>([
	[400, POST, false],
	[499, POST, false],
	[408, POST, true],
	[500, POST, true],
	[408, GET, false],
	[503, GET, false],
])('after the status %d of %j, the request may have taken effect: %s', (status, request, may) => {
	expect(mayHaveTakenEffect(rejected(status, { request }))).toBe(may);
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

const WRONG_SERVICE =
	'Check that the base URL in the credential is that of the Conversational Messaging Service API v2.';

test.each<[event: string, error: NodeApiError, step: string]>([
	[
		'n8n could not store the file',
		failedError(client, GET, { kind: 'unstoredFile' }),
		'The service sent the file. Check where n8n stores binary data, then run the node again.',
	],
	[
		'the download was incomplete',
		failedError(client, GET, { kind: 'incompleteDownload' }),
		'The node returned nothing. Run it again.',
	],
	[
		'the CSV could not be read',
		failedError(client, GET, { kind: 'unreadableCsv' }),
		'To see what the service sent, set Output to File if the operation has that field.',
	],
	[
		'n8n could not read the file',
		failedError(client, GET, { kind: 'unreadFile' }),
		'The service did not receive the whole file. Run the node that provides the file again, then this one.',
	],
	[
		'the poll ran out of time',
		failedError(client, GET, { kind: 'deadline' }),
		'The service responds slowly. The next poll continues where this one stopped.',
	],
	['the response contains no list', failedError(client, GET, { kind: 'list' }), WRONG_SERVICE],
	['the response contains no file', failedError(client, GET, { kind: 'file' }), WRONG_SERVICE],
	[
		'the response contains no record',
		failedError(client, GET, { kind: 'record' }),
		'Check that the record exists, and that its ID is complete.',
	],
])('what went wrong is reported with the next step: %s', (event, error, step) => {
	expect([error.message, error.description]).toStrictEqual([`Get ticket: ${event}`, step]);
});

describe('the cause for n8n, which decides when to poll again', () => {
	const LATER = { 'retry-after': '90' };
	const UNAVAILABLE = { cause: 'temporarily-unavailable' };
	const CONFIGURATION = { cause: 'configuration-invalid' };
	test.each<[string, NodeApiError, object | undefined]>([
		[
			'429',
			rejected(429, { request: POST, headers: LATER }),
			{ cause: 'rate-limited', retryAfterMs: 90_000 },
		],
		['429 without a time', rejected(429), { cause: 'rate-limited' }],
		[
			'a wait that is too long',
			failedError(client, GET, { kind: 'longWait', ms: 400_000 }),
			{ cause: 'rate-limited', retryAfterMs: 400_000 },
		],
		['503', rejected(503, { headers: LATER }), { ...UNAVAILABLE, retryAfterMs: 90_000 }],
		['500', rejected(500), UNAVAILABLE],
		['a write that may have succeeded', rejected(503, { request: POST }), undefined],
		['401', rejected(401), { cause: 'credential-invalid' }],
		['403', rejected(403), CONFIGURATION],
		['403 of a proxy', rejected(403, { body: PAGE }), undefined],
		['404', rejected(404), CONFIGURATION],
		['404 of a proxy', rejected(404, { body: PAGE }), undefined],
		[
			'a redirect',
			rejected(302, { headers: { location: 'https://a.example.com' } }),
			CONFIGURATION,
		],
		['400', rejected(400), undefined],
		['no response', failedError(client, GET, { kind: 'noResponse' }), UNAVAILABLE],
		['a timeout', failedError(client, GET, { kind: 'timeout', ms: 1 }), UNAVAILABLE],
		['a lost write', failedError(client, POST, { kind: 'noResponse' }), undefined],
		['unreachable', failedError(client, POST, { kind: 'unreachable' }), UNAVAILABLE],
		['blocked', failedError(client, GET, { kind: 'blocked', reason: '' }), CONFIGURATION],
		['untrusted', failedError(client, GET, { kind: 'untrusted' }), CONFIGURATION],
		['unreadable', failedError(client, GET, { kind: 'unreadable' }), undefined],
		['the end of a poll', failedError(client, GET, { kind: 'deadline' }), UNAVAILABLE],
	])('of %s', (_what, error, failure) => {
		// As n8n's scheduler reads it: as plain data.
		expect(JSON.parse(JSON.stringify(error.failure ?? null))).toStrictEqual(failure ?? null);
	});
});
