import type { FailureKind } from '../../nodes/ConversationalMessaging/api/failures.ts';
import {
	connectionFailure,
	failureIn,
} from '../../nodes/ConversationalMessaging/api/attemptFailure.ts';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { pauseBeforeRetry } from '../../nodes/ConversationalMessaging/api/retry.ts';
import { useFakeTime } from '../support/time.mts';

const time = useFakeTime();

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
	['POST /tickets', { success: true, error: 'No mail was sent' }, 'contradictory'],
	['GET /tickets/{id}', { data: { error: 'No mail was sent' } }, undefined],
	['DELETE /segments/{id}', [{ error: 'No such segment' }], 'rejected'],
	['POST /tickets', { data: [null, { errors: ['No such contact'] }] }, 'rejected'],
	['POST /tickets', { data: [{ id: 't1' }, { error: 'No mail was sent' }] }, undefined],
	['GET /tickets', { data: [{ error: 'No mail was sent' }] }, undefined],
	['POST /tickets', { data: { id: '', name: null }, error: 'No such contact' }, 'rejected'],
	['DELETE /segments/{id}', { success: true, error: { code: null, message: '' } }, undefined],
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
		const pause = pauseBeforeRetry('GET', { kind: 'unavailable' }, retryInMs, {
			failed,
			rateLimited: 9,
		});
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
	[
		'unreachable',
		'two addresses, none of which accepted a connection in time',
		withCode('ETIMEDOUT', {
			cause: withCode('ETIMEDOUT', { errors: [withCode('ETIMEDOUT', connecting)] }),
		}),
	],
	['unreachable', 'a cause of a cause', { cause: { cause: withCode('ECONNREFUSED') } }],
	['unreachable', 'older versions of n8n', { message: 'Refused', httpCode: 'ECONNREFUSED' }],
	['unreachable', 'a message', { message: 'x', messages: ['connect ECONNREFUSED 127.0.0.1:1'] }],
	['untrusted', 'a self-signed certificate', withCode('DEPTH_ZERO_SELF_SIGNED_CERT')],
	['untrusted', 'another host name', { messages: ['ERR_TLS_CERT_ALTNAME_INVALID'] }],
	['untrusted', 'a revoked certificate', withCode('CERT_REVOKED')],
	['untrusted', 'an unknown authority', withCode('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')],
	['untrusted', 'a plain port', { code: 'EPROTO', message: 'SSL:wrong version number' }],
	['unreadable', 'something that is no HTTP', withCode('HPE_INVALID_CONSTANT')],
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
		withCode('ECONNRESET', { message: 'POST /contacts/MY_CERT_A' }),
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
