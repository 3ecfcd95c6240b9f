import fc from 'fast-check';
import {
	backoffMs,
	errorCode,
	failureOf,
	mayRetry,
	type Attempts,
	type Failure,
} from '../../nodes/ConversationalMessaging/api/retry.ts';

const status = (code: number): Failure => ({ kind: 'status', status: code });
const tried = (failed: number, rateLimited = 0): Attempts => ({ failed, rateLimited });
const READS = ['GET'] as const;
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

describe('the retry table', () => {
	test.each<[string, Failure, boolean, boolean]>([
		['429', status(429), true, true],
		['408', status(408), true, false],
		['500', status(500), true, false],
		['502', status(502), true, false],
		['503', status(503), true, false],
		['504', status(504), true, false],
		['time-out or reset', { kind: 'noResponse' }, true, false],
		['unreadable response', { kind: 'unreadable' }, true, false],
		['no connection', { kind: 'unreachable' }, true, true],
		['a certificate that is not trusted', { kind: 'untrusted' }, false, false],
		['400', status(400), false, false],
		['401', status(401), false, false],
		['403', status(403), false, false],
		['404', status(404), false, false],
		['409', status(409), false, false],
		['422', status(422), false, false],
		['501', status(501), false, false],
		['302', status(302), false, false],
	])(
		'the retry table has the right entries for reads and for writes: %s',
		(_name, failure, read, write) => {
			for (const method of READS) expect(mayRetry(method, failure, tried(1, 1))).toBe(read);
			for (const method of WRITES) expect(mayRetry(method, failure, tried(1, 1))).toBe(write);
		},
	);

	test('a request is sent again after two failures and after nine 429s, which are counted apart', () => {
		const read = (attempts: Attempts) => mayRetry('GET', status(503), attempts);
		expect([tried(1), tried(2), tried(3), tried(2, 9)].map(read)).toEqual([
			true,
			true,
			false,
			true,
		]);
		const unreachable = (failed: number) =>
			mayRetry('POST', { kind: 'unreachable' }, tried(failed));
		expect([1, 2, 3].map(unreachable)).toEqual([true, true, false]);
		const rateLimited = (attempts: Attempts) => mayRetry('POST', status(429), attempts);
		expect([tried(0, 1), tried(2, 9), tried(0, 10)].map(rateLimited)).toEqual([true, true, false]);
	});
});

describe('the wait before the next try', () => {
	test('without Retry-After, the wait is a random part of a bound that doubles up to ten seconds', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 9 }),
				fc.double({ min: 0, max: 1, noNaN: true }),
				(tries, random) => {
					const wait = backoffMs(tries, undefined, random);
					expect(wait).toBeCloseTo(random * Math.min(10_000, 1_000 * 2 ** (tries - 1)));
				},
			),
		);
	});

	test.each([
		[0, 7_000],
		[0.5, 7_500],
	])('after a Retry-After of 7 s, with the random value %d, the wait is %d ms', (random, wait) => {
		expect(backoffMs(1, 7_000, random)).toBe(wait);
	});

	test('with Retry-After, the wait is never shorter, and at most a second longer', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 0, max: 90_000 }),
				fc.double({ min: 0, max: 1, noNaN: true }),
				(said, random) => {
					const wait = backoffMs(1, said, random);
					expect(wait).toBeGreaterThanOrEqual(said);
					expect(wait).toBeLessThanOrEqual(said + 1_000);
				},
			),
		);
	});
});

describe('the kind of a failed request', () => {
	const withCode = (code: string) => Object.assign(new Error(code), { code });
	test.each([
		['ECONNREFUSED', withCode('ECONNREFUSED'), 'unreachable'],
		['ENOTFOUND', withCode('ENOTFOUND'), 'unreachable'],
		['EAI_AGAIN', withCode('EAI_AGAIN'), 'unreachable'],
		...['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'].flatMap((code): [string, unknown, string][] => [
			[
				`${code} while connecting`,
				Object.assign(withCode(code), { syscall: 'connect' }),
				'unreachable',
			],
			[
				`${code} while connecting, in a message`,
				{ message: 'Offline', messages: [`connect ${code} 10.0.0.1:443`] },
				'unreachable',
			],
			// The request may have been sent before.
			[`${code} on a connection`, Object.assign(withCode(code), { syscall: 'read' }), 'noResponse'],
		]),
		[
			'a name with two addresses, both refused',
			Object.assign(new Error('x'), { errors: [withCode('ECONNREFUSED')] }),
			'unreachable',
		],
		[
			'deep in its causes',
			new Error('a', { cause: new Error('b', { cause: withCode('ECONNREFUSED') }) }),
			'unreachable',
		],
		[
			'as older versions of n8n wrap it',
			{ message: 'The service refused the connection', httpCode: 'ECONNREFUSED' },
			'unreachable',
		],
		[
			'in one of its messages alone',
			{ message: 'Offline', messages: ['connect ECONNREFUSED 127.0.0.1:1'] },
			'unreachable',
		],
		['a status as httpCode', { message: 'EVERYTHING', httpCode: '502' }, 'noResponse'],
		['a self-signed certificate', withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'untrusted'],
		[
			'a certificate for another name, in a message',
			{ message: 'x', messages: ['ERR_TLS_CERT_ALTNAME_INVALID'] },
			'untrusted',
		],
		[
			'TLS spoken to a plain port',
			Object.assign(new Error('write EPROTO 80:error:0A00010B:SSL:wrong version number'), {
				code: 'EPROTO',
			}),
			'untrusted',
		],
		['a connection that breaks in another way', withCode('EPROTO'), 'noResponse'],
		['ECONNRESET', withCode('ECONNRESET'), 'noResponse'],
		['ECONNABORTED, a time-out', withCode('ECONNABORTED'), 'noResponse'],
		['ETIMEDOUT', withCode('ETIMEDOUT'), 'noResponse'],
		[
			'a reset that mentions ECONNREFUSED',
			Object.assign(new Error('not ECONNREFUSED'), { code: 'ECONNRESET' }),
			'noResponse',
		],
		['something unknown', new Error('boom'), 'noResponse'],
		['nothing', undefined, 'noResponse'],
	])('the kind of failure is recognized: %s', (_name, error, kind) => {
		expect(failureOf(error)).toEqual({ kind });
	});
});

describe('the code of Node.js in what the HTTP client threw', () => {
	const cyclic: { cause?: object } = {};
	cyclic.cause = { cause: cyclic };
	/** The error that was thrown and its causes, the last of which has a code. */
	const chainOf = (length: number): object =>
		length === 1 ? { code: 'EPIPE' } : { cause: chainOf(length - 1) };
	test.each<[name: string, error: unknown, code: string | undefined]>([
		['its code', { code: 'EPROTO' }, 'EPROTO'],
		['a code of two words', { code: 'ERR_BAD_RESPONSE' }, 'ERR_BAD_RESPONSE'],
		['its code before a code in its message', { code: 'EPIPE', message: 'ECONNRESET' }, 'EPIPE'],
		['a code that only ends like one', { code: 'NOT_ECONNRESET' }, undefined],
		['a code that only begins like one', { code: 'ECONNRESET 104' }, undefined],
		['a message with a code of two words', { message: 'getaddrinfo EAI_AGAIN x' }, 'EAI_AGAIN'],
		['a message with a code after a word in capitals', { message: 'ERROR: EPIPE' }, 'EPIPE'],
		['a message with a word that contains a code', { message: 'XECONNRESETX' }, undefined],
		['a message with an unknown word in capitals', { message: 'EVERYTHING' }, undefined],
		['a cause that is null', { message: 'x', cause: null }, undefined],
		['causes in a circle', cyclic, undefined],
		['the last of six errors in a row', chainOf(6), 'EPIPE'],
		['none after that', chainOf(7), undefined],
		['a text', 'ECONNRESET', undefined],
		['null', null, undefined],
	])('is read from %s', (_name, error, code) => {
		expect(errorCode(error)).toBe(code);
	});
});
