import { NodeApiError } from 'n8n-workflow';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import {
	deadlineError,
	fileError,
	mayHaveTakenEffect,
	noResponseError,
	rateLimitError,
	responseError,
	unexpectedShapeError,
	type RequestPurpose,
} from '../../nodes/ConversationalMessaging/api/errors.ts';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response.ts';
import { NODE } from './node.mts';

const client = {
	context: { getNode: () => NODE },
	baseUrl: 'https://messaging.example.com:8443/api/v2',
	redact: (text: string) => text.replaceAll('wa_pk_secret', '***'),
} as unknown as ServiceClient;

const GET: RequestPurpose = { endpoint: 'GET /tickets/{id}', action: 'Get ticket' };
const POST: RequestPurpose = { endpoint: 'POST /messages', action: 'Send message' };

interface Rejection {
	purpose?: RequestPurpose;
	body?: unknown;
	headers?: Record<string, string>;
}

function rejected(status: number, { purpose = GET, body = {}, headers = {} }: Rejection = {}) {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return responseError(client, purpose, parseResponse(status, headers, text));
}

describe('the message about a rejection', () => {
	test.each<[status: number, message: string]>([
		[400, 'The service rejected "Get ticket" (400 Bad Request)'],
		[401, 'The service rejected "Get ticket" (401 Unauthorized)'],
		[403, 'The service rejected "Get ticket" (403 Forbidden)'],
		[404, 'The service rejected "Get ticket" (404 Not Found)'],
		[408, 'The service did not complete "Get ticket" (408 Request Timeout)'],
		[409, 'The service rejected "Get ticket" (409 Conflict)'],
		[413, 'The service rejected "Get ticket" (413 Payload Too Large)'],
		[418, 'The service rejected "Get ticket" (418)'],
		[429, 'The service rejected "Get ticket" (429 Too Many Requests)'],
		[499, 'The service rejected "Get ticket" (499)'],
		[500, 'The service did not complete "Get ticket" (500 Internal Server Error)'],
		[502, 'The service did not complete "Get ticket" (502 Bad Gateway)'],
		[503, 'The service did not complete "Get ticket" (503 Service Unavailable)'],
		[504, 'The service did not complete "Get ticket" (504 Gateway Timeout)'],
	])('names the operation and the status %d', (status, message) => {
		const error = rejected(status);
		expect(error).toBeInstanceOf(NodeApiError);
		// n8n shows `messages` among the details.
		expect([error.message, ...error.messages]).toEqual([message, message]);
		expect(error.httpCode).toBe(String(status));
	});

	test('contains the service’s own message, without the token', () => {
		expect(rejected(400, { body: { error: 'wa_pk_secret has no status "open"' } }).message).toBe(
			'The service rejected "Get ticket": *** has no status "open" (400 Bad Request)',
		);
	});

	test('does not repeat a message that is only the name of the status', () => {
		expect(rejected(404, { body: { message: 'Not Found' } }).message).toBe(
			'The service rejected "Get ticket" (404 Not Found)',
		);
	});

	test('keeps an error code of Node.js that the service mentions, which n8n would replace', () => {
		expect(rejected(502, { body: { error: 'ECONNREFUSED upstream' } }).message).toBe(
			'The service did not complete "Get ticket": ECONNREFUSED upstream (502 Bad Gateway)',
		);
	});
});

const NOT_RETRIED =
	'Not retried because it may have succeeded. Check the service before you run it again.';
const CORRECT = 'Correct the values named in the service’s message.';
const RUN_LATER = 'Retried without success. Run it again later.';
const PAGE = '<!DOCTYPE html><html><body>Log in</body></html>';
const NOT_THE_API =
	'The response is a web page, not the service’s API. Check the base URL in the credential, and any proxy in between.';

describe('the next step after a rejection', () => {
	test.each<[what: string, status: number, rejection: Rejection, step: string]>([
		['400', 400, {}, CORRECT],
		['422', 422, { purpose: POST }, CORRECT],
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
			'Add the permission users.manage to the token in the dashboard under API Access, or use a token that has it.',
		],
		[
			'403 with a permission elsewhere in its body',
			403,
			{ body: { error: 'Forbidden', required: 'users.manage' } },
			'Add the permission users.manage to the token in the dashboard under API Access, or use a token that has it.',
		],
		[
			'404',
			404,
			{},
			'Check that the record exists, that its ID is complete, and that it belongs to the token’s organization.',
		],
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
		['503 of a write', 503, { purpose: POST }, NOT_RETRIED],
		['408 of a write', 408, { purpose: POST }, NOT_RETRIED],
		['a web page', 404, { body: PAGE }, NOT_THE_API],
		['a web page with 502, of a read', 502, { body: PAGE }, NOT_THE_API],
		['a web page with 502, of a write', 502, { purpose: POST, body: PAGE }, NOT_RETRIED],
		[
			'a redirect',
			302,
			{ headers: { location: 'https://login.example.com/sign-in?a=1' } },
			'The service redirects to https://login.example.com. The token is not sent there. Enter the final address as the base URL in the credential.',
		],
		[
			'a redirect to a relative address',
			300,
			{ headers: { location: '/sign-in' } },
			'The service redirects to another address. The token is not sent there. Enter the final address as the base URL in the credential.',
		],
		[
			'a redirect with a web page',
			399,
			{ body: PAGE },
			'The service redirects to another address. The token is not sent there. Enter the final address as the base URL in the credential.',
		],
	])('is: %s', (_what, status, rejection, step) => {
		expect(rejected(status, rejection).description).toBe(step);
	});

	test('is the operation’s own if it has one for the status and the service’s message', () => {
		const errorHint: RequestPurpose['errorHint'] = (status, message) =>
			status === 409 && message === 'busy wa_pk_secret' ? 'End wa_pk_secret first.' : undefined;
		const hint = (status: number, error: string) =>
			responseError(
				{ ...client, redact: String },
				{ ...GET, errorHint },
				parseResponse(status, {}, JSON.stringify({ error })),
			).description;
		expect(hint(409, 'busy wa_pk_secret')).toBe('End wa_pk_secret first.');
		expect(hint(409, 'other')).toBe('A conflicting record exists. Update it instead.');
		const redacted = { ...GET, errorHint: () => 'See wa_pk_secret.' };
		expect(rejected(400, { purpose: redacted }).description).toBe('See ***.');
	});
});

test.each([
	[0, '1 s'],
	[1_001, '2 s'],
	[119_000, '119 s'],
	[119_001, '2 min'],
	[120_000, '2 min'],
	[120_001, '3 min'],
	[7_199_000, '120 min'],
	[7_200_000, '2 h'],
	[7_200_001, '3 h'],
])('a wait of %d ms is shown as "%s"', (ms, shown) => {
	const error = rateLimitError(client, GET, ms);
	expect(error.message).toBe(
		`Get ticket: the rate limit requires a wait of ${shown} (429 Too Many Requests)`,
	);
	expect(error.httpCode).toBe('429');
	expect(error.description).toBe(
		'Until then, the service accepts no requests from this token. Run it again after that.',
	);
});

test.each([
	[
		'unreachable',
		GET,
		'messaging.example.com:8443 could not be reached',
		'Nothing was sent. Check the base URL in the credential, and whether n8n can reach it.',
	],
	[
		'unreachable',
		POST,
		'messaging.example.com:8443 could not be reached',
		'Nothing was sent. Check the base URL in the credential, and whether n8n can reach it.',
	],
	['noResponse', GET, 'messaging.example.com:8443 did not respond', RUN_LATER],
	['noResponse', POST, 'messaging.example.com:8443 did not respond', NOT_RETRIED],
	[
		'unreadable',
		GET,
		'the response from messaging.example.com:8443 could not be read',
		'Retried without success. Check the base URL in the credential, and any proxy in between.',
	],
	[
		'unreadable',
		POST,
		'the response from messaging.example.com:8443 could not be read',
		NOT_RETRIED,
	],
] as const)('a request that ends with %s is reported: %j', (kind, purpose, event, step) => {
	const error = noResponseError(client, purpose, { kind }, '');
	expect([error.message, error.description]).toEqual([`${purpose.action}: ${event}`, step]);
	expect(error.httpCode).toBeNull();
	expect(noResponseError(client, purpose, { kind }, 'wa_pk_secret').message).toBe(
		`${purpose.action}: ${event} (***)`,
	);
});

describe('whether a request may have taken effect', () => {
	test.each<[status: number, purpose: RequestPurpose, may: boolean]>([
		[400, POST, false],
		[429, POST, false],
		[499, POST, false],
		[408, POST, true],
		[500, POST, true],
		[503, POST, true],
		[408, GET, false],
		[503, GET, false],
	])('after the status %d of %j: %s', (status, purpose, may) => {
		expect(mayHaveTakenEffect(rejected(status, { purpose }))).toBe(may);
	});

	test.each([
		['unreachable', POST, false],
		['noResponse', POST, true],
		['unreadable', POST, true],
		['noResponse', GET, false],
	] as const)('after the end %s of %j: %s', (kind, purpose, may) => {
		expect(mayHaveTakenEffect(noResponseError(client, purpose, { kind }, ''))).toBe(may);
	});
});

test.each<[reason: unknown, shown: string]>([
	[new Error('disk full'), ' (disk full)'],
	[Object.assign(new Error('no space left'), { code: 'ENOSPC' }), ' (ENOSPC)'],
	[
		Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }),
		' (ENOSPC: no space left)',
	],
	[new Error('  two\n\n lines with wa_pk_secret '), ' (two lines with ***)'],
	[new Error('x'.repeat(500)), ` (${'x'.repeat(200)})`],
	[new Error(''), ''],
	[{}, ''],
])('why a file could not be stored is shown in one line: %s', (reason, shown) => {
	const error = fileError(client, GET, 'unstoredFile', reason);
	expect(error.message).toBe(`Get ticket: n8n could not store the file${shown}`);
	expect(error.description).toBe(
		'The service sent the file. Check where n8n stores binary data, then run the node again.',
	);
});

test.each([
	['incompleteDownload', 'the download was incomplete', 'The node returned nothing. Run it again.'],
	[
		'unreadableCsv',
		'the CSV could not be read',
		'To see what the service sent, set Output to File if the operation has that field.',
	],
	[
		'unreadUpload',
		'n8n could not read the file',
		'The service did not receive the whole file. Run the node that provides the file again, then this one.',
	],
] as const)('what a file could not do is reported: %s', (kind, event, step) => {
	const error = fileError(client, GET, kind, new Error(''));
	expect([error.message, error.description]).toEqual([`Get ticket: ${event}`, step]);
});

test('a poll that has run out of time, and a response without its list or file, are reported', () => {
	expect(deadlineError(client, GET).message).toBe('Get ticket: the poll ran out of time');
	expect(deadlineError(client, GET).description).toBe(
		'The service responds slowly. The next poll continues where this one stopped.',
	);
	expect(unexpectedShapeError(client, GET).message).toBe(
		'Get ticket: the response contains no list',
	);
	expect(unexpectedShapeError(client, GET, 'file').message).toBe(
		'Get ticket: the response contains no file',
	);
	expect(unexpectedShapeError(client, GET).description).toBe(
		'Check that the base URL in the credential is that of the Conversational Messaging Service API v2.',
	);
});
