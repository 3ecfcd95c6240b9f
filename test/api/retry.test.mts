import {
	type Failure,
	type FailureKind,
	kindOfStatus,
} from '../../nodes/ConversationalMessaging/api/failures.ts';
import { connectionFailure } from '../../nodes/ConversationalMessaging/api/connectionFailure.ts';
import { failureIn } from '../../nodes/ConversationalMessaging/api/exchange.ts';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { pauseBeforeRetry } from '../../nodes/ConversationalMessaging/api/send.ts';
import { useFakeTime } from '../support/time.mts';

const time = useFakeTime();

const status = (code: number): Failure => ({ kind: kindOfStatus(code) });

describe('the retry table', () => {
	const transient = [408, 500, 501, 502, 503, 504, 520, 599].map(status);
	const final = [302, 400, 401, 403, 404, 409, 422, 499].map(status);

	test.each<[failures: string, reads: boolean, writes: boolean, failures: Failure[]]>([
		['a 429', true, true, [status(429)]],
		['a failure of the service', true, false, transient],
		[
			'no response, or an unreadable one',
			true,
			false,
			[{ kind: 'noResponse' }, { kind: 'timeout', ms: 1 }, { kind: 'unreadable' }],
		],
		['no connection', true, true, [{ kind: 'unreachable' }]],
		['a certificate that is not trusted', false, false, [{ kind: 'untrusted' }]],
		['a request that n8n blocks', false, false, [{ kind: 'blocked' }]],
		['a response that is too large', false, false, [{ kind: 'tooLarge' }]],
		['a file that cannot be read', false, false, [{ kind: 'unreadFile' }]],
		['any other status', false, false, final],
	])('after %s, reads are repeated: %s; writes: %s', (_name, reads, writes, failures) => {
		const tried = { rateLimited: 1, failed: 1 };
		for (const failure of failures) {
			for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
				const pause = pauseBeforeRetry(method, failure, undefined, tried);
				const isRepeated = method === 'GET' ? reads : writes;
				expect([failure, method, pause !== undefined]).toStrictEqual([failure, method, isRepeated]);
			}
		}
	});
});

test.each([
	['POST /tickets', { success: true, data: { id: 't1' } }, undefined],
	['PUT /tickets/{id}', { success: true, data: { success: false } }, 'rejected'],
	['DELETE /segments/{id}', { data: { success: 'False', id: 't1' } }, 'rejected'],
	['GET /tickets/{id}', { data: { success: false, id: 't1' } }, undefined],
	['GET /tickets/{id}', { data: { ticket: { success: false, id: 't1' } } }, undefined],
	['GET /tickets', { data: [{ success: false }] }, undefined],
	['GET /tickets', { success: false, data: {} }, 'rejected'],
	['POST /tickets', { data: { ticket: { success: false } } }, 'rejected'],
	['POST /tickets', { ticket: { success: false } }, 'rejected'],
	['POST /tickets', { data: { id: 't1', agent: { success: false } } }, undefined],
	['POST /tickets', { data: { ticket: { id: 't1', success: 0 } } }, undefined],
	['POST /tickets', { data: { ticket: { id: 't1', success: 'partly' } } }, undefined],
	['POST /flows/trigger', { data: { flow: { success: false } } }, 'rejected'],
	['POST /tickets', { error: 'No such contact' }, 'rejected'],
	['POST /tickets', { data: { errors: [{ field: 'title' }] } }, 'rejected'],
	['POST /tickets', { data: { id: 't1', error: 'No mail was sent' } }, undefined],
	['POST /tickets', { success: true, error: 'No mail was sent' }, undefined],
	['GET /tickets/{id}', { data: { error: 'No mail was sent' } }, undefined],
] as const)('%s with %j is refused: %s', (endpoint, json, kind) => {
	const response = parseResponse(200, {}, JSON.stringify(json));
	expect(failureIn(response, endpoint)?.kind).toBe(kind);
});

test.each([
	[1, undefined, 500],
	[2, undefined, 1_000],
	[2, 7_000, 7_500],
	[3, undefined, undefined],
])(
	'after %i failed attempts and a Retry-After of %p ms, the next one waits half of its bound: %p ms',
	(failed, retryInMs, wait) => {
		time.randomValue = 0.5;
		const pause = pauseBeforeRetry('GET', status(503), retryInMs, { failed, rateLimited: 9 });
		expect(pause).toBe(wait);
	},
);

const withCode = (code: string, more = {}) => Object.assign(new Error(code), { code, ...more });
const connecting = { syscall: 'connect' };

test.each<[FailureKind, what: string, error: unknown]>([
	['unreachable', 'ECONNREFUSED', withCode('ECONNREFUSED')],
	['unreachable', 'ENOTFOUND', withCode('ENOTFOUND')],
	['unreachable', 'EAI_AGAIN', withCode('EAI_AGAIN')],
	['unreachable', 'EHOSTUNREACH while connecting', withCode('EHOSTUNREACH', connecting)],
	['unreachable', 'ENETUNREACH while connecting', withCode('ENETUNREACH', connecting)],
	['unreachable', 'ETIMEDOUT while connecting', withCode('ETIMEDOUT', connecting)],
	['unreachable', 'ENETDOWN in a message', { messages: ['connect ENETDOWN 10.0.0.1:443'] }],
	['unreachable', 'two addresses, both refused', { errors: [withCode('ECONNREFUSED')] }],
	['unreachable', 'a cause of a cause', { cause: { cause: withCode('ECONNREFUSED') } }],
	['unreachable', 'older versions of n8n', { message: 'Refused', httpCode: 'ECONNREFUSED' }],
	['unreachable', 'a message', { message: 'x', messages: ['connect ECONNREFUSED 127.0.0.1:1'] }],
	['untrusted', 'a self-signed certificate', withCode('DEPTH_ZERO_SELF_SIGNED_CERT')],
	['untrusted', 'another host name', { messages: ['ERR_TLS_CERT_ALTNAME_INVALID'] }],
	['untrusted', 'a revoked certificate', withCode('CERT_REVOKED')],
	['untrusted', 'an unknown authority', withCode('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')],
	['untrusted', 'a plain port', { code: 'EPROTO', message: 'SSL:wrong version number' }],
	['noResponse', 'another EPROTO', withCode('EPROTO')],
	['noResponse', 'ECONNRESET', withCode('ECONNRESET')],
	['noResponse', 'ECONNABORTED, a timeout', withCode('ECONNABORTED')],
	['noResponse', 'ETIMEDOUT', withCode('ETIMEDOUT')],
	// The request may have been sent before.
	['noResponse', 'EHOSTUNREACH on a connection', withCode('EHOSTUNREACH', { syscall: 'read' })],
	[
		'noResponse',
		'a reset that mentions a refusal',
		withCode('ECONNRESET', { message: 'not ECONNREFUSED' }),
	],
	[
		'noResponse',
		'a reset that mentions a certificate',
		withCode('ECONNRESET', { message: 'POST /contacts/MY_CERT_1' }),
	],
	['noResponse', 'a status as httpCode', { message: 'EVERYTHING', httpCode: '502' }],
	['noResponse', 'something unknown', new Error('boom')],
	['noResponse', 'nothing', undefined],
])('the failure of a request is "%s" after %s', (kind, _what, error) => {
	expect(connectionFailure(error).kind).toBe(kind);
});

test.each([
	['SsrfBlockedIpError', 'The target 10.0.0.1 is not allowed.', 0],
	['SsrfBlockedHostnameError', 'The hostname is on the deny-list.', 4],
])(
	'the failure of a request is that n8n has blocked it after %s: %s',
	(name, description, depth) => {
		let error: object = { name, message: 'Blocked', description };
		for (let n = 0; n < depth; n++) error = { name: 'NodeApiError', message: 'x', cause: error };
		expect(connectionFailure(error)).toStrictEqual({ kind: 'blocked', reason: description });
	},
);

describe('the reason is the code of Node.js in what the HTTP client threw', () => {
	const cyclic: { cause?: object } = {};
	cyclic.cause = { cause: cyclic };
	test.each<[name: string, error: unknown, code: string | undefined]>([
		['a code of two words', { code: 'ERR_BAD_RESPONSE' }, 'ERR_BAD_RESPONSE'],
		['its code before a code in its message', { code: 'EPIPE', message: 'ECONNRESET' }, 'EPIPE'],
		['a message with a code of two words', { message: 'getaddrinfo EAI_AGAIN x' }, 'EAI_AGAIN'],
		['a message with a code after a word in capitals', { message: 'ERROR: EPIPE' }, 'EPIPE'],
		['a message with a word that contains a code', { message: 'XECONNRESETX' }, undefined],
		['causes in a circle', cyclic, undefined],
		['a text', 'ECONNRESET', undefined],
		['null', null, undefined],
	])('in %s', (_name, error, code) => {
		expect(connectionFailure(error).reason).toBe(code);
	});
});
