/** One request, from its options to its response. Which failures are repeated is a table in retry.test.mts. */
import { type IHttpRequestOptions, NodeApiError } from 'n8n-workflow';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as settled } from 'node:timers/promises';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { INITIAL_LIMIT } from '../../nodes/ConversationalMessaging/api/rate/concurrencyLimit.ts';
import { mayHaveTakenEffect } from '../../nodes/ConversationalMessaging/api/errors.ts';
import {
	type Completed,
	RateLimiter,
	type Slot,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import type { ServiceRequest } from '../../nodes/ConversationalMessaging/api/request.ts';
import { send } from '../../nodes/ConversationalMessaging/api/send.ts';
import { FakeTime } from '../support/time.mts';
import { NODE } from './node.mts';
import { clientWith, reporterWith, UPLOAD as STORED_UPLOAD } from './service.mts';

let time: FakeTime;
beforeEach(() => (time = new FakeTime().install()));
afterEach(() => time.restore());

const GET = { endpoint: 'GET /tickets', action: 'Get many tickets' } as const;
const POST = { endpoint: 'POST /tickets', action: 'Create ticket', body: { title: 'A' } } as const;
const EXPORT = { endpoint: 'GET /contacts/export', action: 'Export', download: true } as const;
/** Its content is in memory. */
const UPLOAD = {
	...STORED_UPLOAD,
	upload: { ...STORED_UPLOAD.upload, content: { bytes: Buffer.from('name') } },
};

/** What n8n's HTTP client returns or throws for a request. */
type Scripted =
	| { status?: number; headers?: Record<string, string>; body?: unknown }
	| Error
	| (() => Error);

const error = (code: string) => Object.assign(new Error(`secret ${code}`), { code });

/** A rejection that says when to try again. */
const wait = (status: number, seconds: number): Scripted => ({
	status,
	headers: { 'retry-after': String(seconds) },
});

class RecordingRateLimiter extends RateLimiter {
	readonly completed: Completed[] = [];

	override release(slot: Slot, completed: Completed): void {
		this.completed.push(completed);
		super.release(slot, completed);
	}
}

/** A client whose requests end like this, one after the other, after a second each. */
function clientOf(script: Scripted[], more: Partial<ServiceClient> = {}, helpers = {}) {
	const calls: { credential: string; options: IHttpRequestOptions; more: unknown }[] = [];
	const rateLimiter = new RecordingRateLimiter();
	const httpRequestWithAuthentication = async (
		credential: string,
		options: IHttpRequestOptions,
		with_: unknown,
	) => {
		calls.push({ credential, options, more: with_ });
		const sent: unknown = options.body;
		// The file of an upload.
		await (sent instanceof Readable ? buffer(sent) : Promise.resolve());
		time.clock.advance(1_000);
		const scripted = script[calls.length - 1]!;
		const next = typeof scripted === 'function' ? scripted() : scripted;
		if (next instanceof Error) throw next;
		const { status = 200, headers = {}, body = '{"success":true,"data":[]}' } = next;
		return { statusCode: status, headers, body };
	};
	const context = {
		getNode: () => NODE,
		helpers: { httpRequestWithAuthentication, ...helpers },
	} as unknown as ServiceClient['context'];
	return { client: clientWith({ rateLimiter, context, ...more }), calls, rateLimiter };
}

describe('what n8n’s HTTP client is given', () => {
	test('for a read', async () => {
		const stop = new AbortController();
		const credential = { token: 't' };
		const { client, calls } = clientOf([{}], { signal: stop.signal, credential });
		await send(client, { ...GET, query: { page: 2, status: 'OPEN' } });
		expect(calls).toStrictEqual([
			{
				credential: 'conversationalMessagingApi',
				options: {
					method: 'GET',
					url: 'https://messaging.example.com/api/v2/tickets?page=2&status=OPEN',
					headers: { Accept: 'application/json' },
					encoding: 'stream',
					returnFullResponse: true,
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
					abortSignal: expect.any(AbortSignal),
					timeout: 30_000,
				},
				// That of this item, so that n8n does not read it again.
				more: {
					credentialsDecrypted: {
						id: '',
						name: '',
						type: 'conversationalMessagingApi',
						data: credential,
					},
				},
			},
		]);
	});

	test.each([
		[{ title: 'A' }, '{"title":"A"}'],
		[{}, '{}'],
	])(
		'for a write of %j: its body as text, which n8n sends even if it has no keys',
		async (body, text) => {
			const { client, calls } = clientOf([{}]);
			await send(client, { ...POST, body });
			expect(calls[0]!.options).toMatchObject({
				method: 'POST',
				body: text,
				headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
			});
		},
	);

	test('for a write without a body', async () => {
		const { client, calls } = clientOf([{}]);
		await send(client, { endpoint: 'POST /templates/sync', action: 'Sync' });
		expect(calls[0]!.options.headers).toStrictEqual({ Accept: 'application/json' });
		expect(calls[0]!.options).not.toHaveProperty('body');
	});

	test('for a file from the service', async () => {
		const { client, calls } = clientOf([{ headers: { 'content-type': 'text/csv' } }]);
		await send(client, EXPORT);
		expect(calls[0]!.options).toMatchObject({
			headers: { Accept: 'text/csv, application/json' },
		});
	});

	test('for a file to the service: its headers, and another body for each attempt', async () => {
		const { client, calls } = clientOf([{ status: 429 }, {}]);
		await send(client, UPLOAD);
		const [first, second] = calls.map(({ options }) => options);
		for (const { headers, body } of [first!, second!]) {
			expect(headers).toStrictEqual({
				Accept: 'application/json',
				'Content-Type': expect.stringMatching(/^multipart\/form-data; boundary=/),
				'Content-Length': (body as unknown as Buffer).length,
			});
			expect((body as unknown as Buffer).toString('utf8')).toContain('filename="a.csv"');
		}
		expect(second!.body).not.toBe(first!.body);
	});
});

const UPDATE = { endpoint: 'PATCH /contacts/{id}', path: { id: '1' }, action: 'Update' } as const;

test.each<{ what: string; request: ServiceRequest; leftMs: number; timeouts: number[] }>([
	{ what: 'read', request: GET, leftMs: Infinity, timeouts: [30_000, 30_000, 30_000] },
	{ what: 'creation', request: POST, leftMs: Infinity, timeouts: [60_000] },
	{ what: 'update', request: UPDATE, leftMs: Infinity, timeouts: [60_000] },
	{ what: 'upload', request: UPLOAD, leftMs: Infinity, timeouts: [21_600_000] },
	{ what: 'download', request: EXPORT, leftMs: Infinity, timeouts: Array(3).fill(21_600_000) },
	{ what: 'read', request: GET, leftMs: 45_000, timeouts: [30_000, 15_000] },
	{ what: 'creation', request: POST, leftMs: 10_000, timeouts: [10_000] },
	{ what: 'download', request: EXPORT, leftMs: 10_000, timeouts: [10_000] },
	// n8n's HTTP client takes 0 as no limit.
	{ what: 'read', request: GET, leftMs: 0.4, timeouts: [1] },
	{ what: 'read', request: GET, leftMs: 0, timeouts: [] },
])(
	'$what: with $leftMs ms left, the timeouts of its attempts are $timeouts',
	async ({ request, leftMs, timeouts }) => {
		const given: number[] = [];
		const httpRequestWithAuthentication = async (
			_credential: string,
			options: { timeout: number },
		) => {
			given.push(options.timeout);
			time.clock.advance(options.timeout);
			throw error('ECONNABORTED');
		};
		const deadline = time.clock.now() + leftMs;
		const { client } = clientOf([], { deadline }, { httpRequestWithAuthentication });
		await expect(send(client, request)).rejects.toBeInstanceOf(NodeApiError);
		expect(given).toStrictEqual(timeouts);
	},
);

test('a request with an ID that makes no path is not sent, and says so', async () => {
	const { client, calls } = clientOf([]);
	const request = { ...GET, endpoint: 'GET /tickets/{id}', path: { id: '' } } as const;
	await expect(send(client, request)).rejects.toMatchObject({
		message: 'Get many tickets: the ID is empty or reserved',
		description:
			'The service reserves some words, such as "export". Pick a record, or check the expression.',
	});
	expect(calls).toStrictEqual([]);
});

describe('a response', () => {
	test.each<[what: string, scripted: Scripted, json: unknown]>([
		['of JSON', { body: '{"data":1}' }, { data: 1 }],
		['without a body', { status: 204, body: '' }, undefined],
		['with a body of spaces', { body: ' \n' }, undefined],
		['with the last status of success', { status: 299, body: '{"data":1}' }, { data: 1 }],
		['that does not say whether it is a success', { body: '{"success":null}' }, { success: null }],
	])('%s is returned', async (_what, scripted, json) => {
		const { client, calls } = clientOf([scripted]);
		expect((await send(client, GET)).json).toStrictEqual(json);
		expect(calls).toHaveLength(1);
	});

	test.each<[what: string, scripted: Scripted, message: string]>([
		['of a redirect', { status: 300 }, '(300'],
		['that is none yet', { status: 199 }, '(199'],
		['of a rejection', { status: 404, body: '{"error":"No ticket"}' }, 'No ticket (404 Not Found)'],
		['of a rejection with a status of success', { body: '{"success":false,"error":"No"}' }, 'No'],
	])('%s is not returned, and not requested again', async (_what, scripted, message) => {
		const { client, calls } = clientOf([scripted]);
		await expect(send(client, GET)).rejects.toThrow(message);
		expect(calls).toHaveLength(1);
	});

	test('of a rejection is returned if the call accepts its status', async () => {
		const rejection = { status: 404, body: '{"error":"No ticket"}' };
		const { client } = clientOf([rejection, rejection]);
		const response = await send(client, { ...GET, acceptStatuses: [409, 404] });
		expect([response.status, response.json]).toStrictEqual([404, { error: 'No ticket' }]);
		await expect(send(client, { ...GET, acceptStatuses: [409] })).rejects.toThrow('(404');
	});
});

describe('a response to the request for a file', () => {
	const respondWith = async (status: number, type: string | undefined, text: string) => {
		const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
		const respond = async () => ({
			statusCode: status,
			headers,
			body: Readable.from([Buffer.from(text)]),
		});
		const { client } = clientOf([], {}, { httpRequestWithAuthentication: respond });
		return await send(client, EXPORT);
	};

	test.each(['text/csv', 'application/octet-stream', undefined])(
		'is unread if its type is %s',
		async (type) => {
			const { content, text, json } = await respondWith(200, type, 'name');
			expect([text, json]).toStrictEqual(['', undefined]);
			expect(await content!.text(4)).toBe('name');
			content!.close();
		},
	);

	test('is read if it is JSON', async () => {
		const response = await respondWith(200, 'application/JSON', '{"data":1}');
		expect([response.json, response.content]).toStrictEqual([{ data: 1 }, undefined]);
	});

	test.each([
		[300, 'text/csv', '{"error":"No file"}', 'No file (300'],
		[404, 'text/csv', '{"error":"No file"}', 'No file (404'],
		[200, 'text/html', '<html>', 'could not be read'],
	])('is an error with the status %i and the type %s', async (status, type, text, message) => {
		await expect(respondWith(status, type, text)).rejects.toThrow(message);
	});
});

describe('another attempt', () => {
	const page = { headers: { 'content-type': 'text/html' }, body: '<html>' };

	test.each<[what: string, request: ServiceRequest, script: Scripted[], waits: number[]]>([
		['a read, after growing pauses', GET, [{ status: 500 }, error('ECONNRESET'), {}], [500, 1_000]],
		['a read of a page that is not the service’s', GET, [page, {}], [500]],
		['a read, as late as the service says', GET, [wait(503, 7), {}], [7_500]],
		['a read, after five minutes at most', GET, [wait(503, 299), {}], [299_500]],
		['a write that was rejected for the rate limit', POST, [wait(429, 7), {}], [7_500]],
		['a write of which nothing was sent', POST, [error('ECONNREFUSED'), {}], [500]],
	])('is made for %s', async (_what, request, script, waits) => {
		time.randomValue = 0.5;
		const { client, calls } = clientOf(script);
		await send(client, request);
		expect(calls).toHaveLength(script.length);
		expect(time.waits).toStrictEqual(waits);
	});

	test.each<[what: string, request: ServiceRequest, script: Scripted[], message: string]>([
		['a write that was not completed', POST, [{ status: 500 }], '(500 Internal Server Error)'],
		['a write without a response', POST, [error('ECONNRESET')], 'did not respond (ECONNRESET)'],
		['a write with a response that is not the service’s', POST, [page], 'read (200, text/html)'],
		['a read that has failed three times', GET, [page, page, page], '(200, text/html)'],
		['a read that has to wait for more than five minutes', GET, [wait(503, 301)], '(503'],
	])('is not made for %s', async (_what, request, script, message) => {
		const { client, calls } = clientOf(script);
		const failed = send(client, request);
		await expect(failed).rejects.toThrow(message);
		await expect(failed).rejects.not.toThrow('secret');
		expect(calls).toHaveLength(script.length);
	});

	test.each([429, 503])(
		'is not made after %i if the wait is longer than the client may wait',
		async (status) => {
			const { client, calls } = clientOf([wait(status, 7)], { maxRateLimitWaitMs: 5_000 });
			await expect(send(client, GET)).rejects.toThrow(
				status === 429 ? 'the rate limit requires a wait of 7 s' : '(503',
			);
			expect(calls).toHaveLength(1);
			expect(time.waits).toStrictEqual([]);
		},
	);
});

describe('a deadline', () => {
	const until = (ms: number): Partial<ServiceClient> => ({
		deadline: time.clock.now() + ms,
		maxRateLimitWaitMs: 65_000,
	});

	test('bounds all waits for the rate limit together', async () => {
		const began = time.clock.now();
		const { client, calls } = clientOf(Array(9).fill(wait(429, 30)), until(110_000));
		await expect(send(client, GET)).rejects.toThrow('the rate limit requires a wait of 30 s');
		expect(calls).toHaveLength(4);
		expect(time.clock.now() - began).toBeLessThan(110_000);
	});

	test('bounds the pause before another attempt: what failed is shown at once', async () => {
		const { client } = clientOf([wait(503, 11)], until(11_000));
		await expect(send(client, GET)).rejects.toThrow('(503');
		expect(time.waits).toStrictEqual([]);
	});

	test('bounds the wait for other requests', async () => {
		const rateLimiter = new RateLimiter();
		const turn = { priority: 'single', isRead: true, maxWaitMs: Infinity } as const;
		await Promise.all(
			Array.from({ length: 4 * INITIAL_LIMIT }, async () =>
				Promise.race([rateLimiter.acquire(turn), settled()]),
			),
		);
		const { client, calls } = clientOf([], { rateLimiter, ...until(20_000) });
		const request = send(client, GET);
		time.clock.advance(20_000);
		time.expire();
		await expect(request).rejects.toThrow('the poll ran out of time');
		expect(calls).toStrictEqual([]);
	});
});

describe('a wait', () => {
	/** A client that records what it reports about waits. */
	function reporting(script: Scripted[], more: Partial<ServiceClient> = {}) {
		const reports: string[] = [];
		const reporter = reporterWith({
			waiting: (ms) => void reports.push(`waiting ${ms}`),
			waited: (ms) => void reports.push(`waited ${ms}`),
		});
		return { ...clientOf(script, { reporter, ...more }), reports };
	}

	test.each([
		{ status: 429, seconds: 4.999, expected: [] },
		{ status: 429, seconds: 5, expected: ['waiting 5000', 'waited 5000'] },
		{ status: 503, seconds: 5, expected: ['waiting 5000'] },
	])('of $seconds s after a $status reports $expected', async ({ status, seconds, expected }) => {
		const { client, reports } = reporting([wait(status, seconds), {}]);
		await send(client, GET);
		expect(reports).toStrictEqual(expected);
	});

	test('for other requests is reported afterwards', async () => {
		const rateLimiter = new RateLimiter();
		const turn = { priority: 'single', isRead: true, maxWaitMs: Infinity } as const;
		const others = Array.from({ length: INITIAL_LIMIT }, () => rateLimiter.acquire(turn));
		const { client, reports } = reporting([{}], { rateLimiter });
		const request = send(client, GET);
		const { slot } = (await Promise.all(others))[0]!;
		time.clock.advance(7_000);
		rateLimiter.release(slot!, { ending: { kind: 'other' }, isRateLimited: false });
		await request;
		expect(reports).toStrictEqual(['waited 7000']);
	});
});

describe('when the user stops the execution', () => {
	/** What a request ends with that is stopped while it is under way. */
	async function stopped(request: ServiceRequest) {
		const stop = new AbortController();
		const canceled = () => {
			stop.abort();
			return error('ERR_CANCELED');
		};
		const { client, calls, rateLimiter } = clientOf([canceled, {}], { signal: stop.signal });
		const thrown = await send(client, request).catch((reason: unknown) => reason as Error);
		return { thrown: thrown as Error, calls, rateLimiter };
	}

	test.each<[what: string, request: ServiceRequest, mayHave: boolean]>([
		['a write may have taken effect', POST, true],
		['a read has not', GET, false],
	])('during a request, it is not repeated; %s', async (_what, request, mayHave) => {
		const { thrown, calls, rateLimiter } = await stopped(request);
		expect(thrown.message).toBe('The execution was canceled');
		expect(mayHaveTakenEffect(thrown)).toBe(mayHave);
		expect(calls).toHaveLength(1);
		// It says nothing about the service.
		expect(rateLimiter.completed).toStrictEqual([
			{ ending: { kind: 'other' }, isRateLimited: false, rate: undefined },
		]);
	});

	test('during a pause, no other attempt is made', async () => {
		time.randomValue = 0.5;
		const stop = new AbortController();
		const { client, calls } = clientOf([{ status: 500 }, {}], { signal: stop.signal });
		clock.sleep = async (_ms, signal) => {
			expect(signal).toBe(stop.signal);
			stop.abort();
			await Promise.resolve();
		};
		await expect(send(client, GET)).rejects.toThrow('The execution was canceled');
		expect(calls).toHaveLength(1);
	});

	test('before its turn, it is not sent, and not a rejection', async () => {
		const { client, calls } = clientOf([], { signal: AbortSignal.abort() });
		await expect(send(client, POST)).rejects.toThrow('The execution was canceled');
		expect(calls).toStrictEqual([]);
	});
});

describe('what the rate limiter learns from a request', () => {
	test.each<[what: string, request: ServiceRequest, scripted: Scripted, ending: object]>([
		['a success', GET, {}, { kind: 'ok', endpoint: 'GET /tickets', latencyMs: 1_000 }],
		['a redirect', GET, { status: 300 }, { kind: 'other' }],
		['a rejection', POST, { status: 499 }, { kind: 'other' }],
		['a failure', POST, { status: 500 }, { kind: 'failed' }],
		['no response', POST, error('ECONNRESET'), { kind: 'failed' }],
		['an upload', UPLOAD, {}, { kind: 'other' }],
		['a download', EXPORT, { headers: { 'content-type': 'text/csv' } }, { kind: 'other' }],
	])('%s', async (_what, request, scripted, ending) => {
		const { client, rateLimiter } = clientOf([scripted]);
		await send(client, request).catch(() => undefined);
		const rate = scripted instanceof Error ? undefined : {};
		expect(rateLimiter.completed).toStrictEqual([{ ending, isRateLimited: false, rate }]);
	});

	test('a 429, with what its headers say', async () => {
		const { client, rateLimiter } = clientOf([wait(429, 7), {}]);
		await send(client, POST);
		expect(rateLimiter.completed[0]).toStrictEqual({
			ending: { kind: 'other' },
			isRateLimited: true,
			rate: { retryInMs: 7_000 },
		});
	});

	test('of requests sent one after another, the latency of each without its wait for the others', async () => {
		const { client, rateLimiter } = clientOf([{}, {}, {}]);
		clock.yieldToOthers = async () => {
			await new Promise((resolve) => setImmediate(resolve));
			time.clock.advance(100);
		};
		await Promise.all([1, 2, 3].map(async () => await send(client, GET)));
		expect(rateLimiter.completed.map(({ ending }) => ending)).toMatchObject(
			Array.from({ length: 3 }, () => ({ kind: 'ok', latencyMs: 1_000 })),
		);
	});
});

describe('the file of an upload', () => {
	/** What an upload of a stored file ends with, and whether its streams were closed. */
	async function upload(content: string, script: Scripted[]) {
		const streams: Readable[] = [];
		const helpers = {
			getBinaryMetadata: async () => await Promise.resolve({ fileSize: 4 }),
			getBinaryStream: async () => {
				if (content === '') throw new Error('ENOENT');
				streams.push(Readable.from([Buffer.from(content)]));
				return await Promise.resolve(streams.at(-1)!);
			},
		};
		const { client } = clientOf(script, {}, helpers);
		const outcome = await send(client, STORED_UPLOAD).then(({ status }) => status, String);
		return { outcome, destroyed: streams.map((stream) => stream.destroyed) };
	}

	test('is opened for each attempt, and closed after it', async () => {
		expect(await upload('name', [{ status: 429 }, {}])).toStrictEqual({
			outcome: 200,
			destroyed: [true, true],
		});
	});

	test('is the reason if it cannot be read to its end, or not be opened', async () => {
		const { outcome, destroyed } = await upload('nam', [{}]);
		expect(outcome).toMatch(/it has less than the 4 bytes that n8n recorded/);
		expect(destroyed).toStrictEqual([true]);
		expect((await upload('', [])).outcome).toMatch(/n8n could not read the file \(ENOENT\)/);
	});
});
