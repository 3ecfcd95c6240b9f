import { type IHttpRequestOptions, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { INITIAL_LIMIT } from '../../nodes/ConversationalMessaging/api/concurrencyLimit.ts';
import { mayHaveTakenEffect } from '../../nodes/ConversationalMessaging/api/errors.ts';
import type { RateInfo } from '../../nodes/ConversationalMessaging/api/rateHeaders.ts';
import {
	type Completed,
	RateLimiter,
	type Slot,
} from '../../nodes/ConversationalMessaging/api/rateLimiter.ts';
import { send, type ServiceRequest } from '../../nodes/ConversationalMessaging/api/send.ts';
import { FakeTime } from '../time.mts';
import { NODE } from './node.mts';
import { clientWith, reporterWith, UPLOAD as STORED_UPLOAD } from './service.mts';

let time: FakeTime;
beforeEach(() => (time = new FakeTime().install()));
afterEach(() => time.restore());

const GET = { endpoint: 'GET /tickets', action: 'Get many tickets' } as const;

const settled = async () => await new Promise((resolve) => setImmediate(resolve));

const TURN = { priority: 'single', isRead: true, maxWaitMs: Infinity } as const;

/** Ends any request, with a response that says nothing about the service. */
const respond = (rateLimiter: RateLimiter, isRateLimited = false, rate: RateInfo = {}) =>
	rateLimiter.release(
		{ at: time.clock.now(), inFlight: 1, isRead: true },
		{ ending: { kind: 'other' }, isRateLimited, rate },
	);

/** A rate limiter with all its slots in use. */
async function fullRateLimiter(): Promise<RateLimiter> {
	const rateLimiter = new RateLimiter();
	for (let n = 0; n < INITIAL_LIMIT; n++) await rateLimiter.acquire(TURN);
	return rateLimiter;
}

/** How many of this rate limiter's slots are free. */
async function freeSlots(rateLimiter: RateLimiter): Promise<number> {
	let free = 0;
	for (let n = 0; n < 2 * INITIAL_LIMIT; n++) {
		void rateLimiter.acquire(TURN).then(() => free++);
	}
	await settled();
	return free;
}

describe('a request that got its turn, but is not sent, gives its slot back', () => {
	test('when the execution was stopped in the moment of its turn', async () => {
		const rateLimiter = await fullRateLimiter();
		let admitted = 0;
		for (let n = 1; n <= 3 * INITIAL_LIMIT; n++) {
			const stop = new AbortController();
			const request = send(clientWith({ rateLimiter, signal: stop.signal }), GET);
			await settled();
			respond(rateLimiter);
			stop.abort();
			await expect(request).rejects.toThrow(NodeOperationError);
			void rateLimiter.acquire(TURN).then(() => admitted++);
			await settled();
			expect(admitted).toBe(n);
		}
	});

	test('when there is no time left', async () => {
		const rateLimiter = await fullRateLimiter();
		for (let n = 0; n < INITIAL_LIMIT; n++) respond(rateLimiter);
		for (let n = 0; n < INITIAL_LIMIT; n++) {
			const client = clientWith({ rateLimiter, deadline: time.clock.now() });
			await expect(send(client, GET)).rejects.toThrow(NodeApiError);
		}
		expect(await freeSlots(rateLimiter)).toBe(INITIAL_LIMIT);
	});

	test('when its time ran out while it waited for its turn', async () => {
		const rateLimiter = await fullRateLimiter();
		const client = clientWith({ rateLimiter, deadline: time.clock.now() + 5_000 });
		const request = send(client, GET);
		await settled();
		time.clock.advance(5_000);
		respond(rateLimiter);
		await expect(request).rejects.toThrow(/Get many tickets/);
		expect(await freeSlots(rateLimiter)).toBe(1);
	});

	test('when the file to send cannot be opened', async () => {
		const rateLimiter = await fullRateLimiter();
		for (let n = 0; n < INITIAL_LIMIT; n++) respond(rateLimiter);
		const context = {
			getNode: () => NODE,
			helpers: {
				getBinaryMetadata: async () => await Promise.reject(new Error('ENOENT')),
			},
		} as unknown as ServiceClient['context'];
		const upload = {
			fields: {},
			partName: 'file',
			fileName: 'a.csv',
			mimeType: 'text/csv',
			content: { stored: 'gone' },
		};
		for (let n = 0; n < INITIAL_LIMIT; n++) {
			const request = {
				endpoint: 'POST /contacts/import',
				action: 'Start import',
				upload,
			} as const;
			await expect(send(clientWith({ rateLimiter, context }), request)).rejects.toThrow(/ENOENT/);
		}
		expect(await freeSlots(rateLimiter)).toBe(INITIAL_LIMIT);
	});
});

test('a request with an invalid path takes no slot', async () => {
	const rateLimiter = await fullRateLimiter();
	const request = {
		endpoint: 'GET /tickets/{id}',
		path: { id: '' },
		action: 'Get ticket',
	} as const;
	await expect(send(clientWith({ rateLimiter }), request)).rejects.toMatchObject({
		message: 'Get ticket: the ID is empty or reserved',
		description:
			'The service reserves some words, such as "export". Pick a record, or check the expression.',
	});
	respond(rateLimiter);
	expect(await freeSlots(rateLimiter)).toBe(1);
});

describe('what is reported about a wait for the rate limit', () => {
	/** What a request reports that waits for this long, in milliseconds. */
	async function reportsOf(wait: number) {
		const rateLimiter = await fullRateLimiter();
		const reports: unknown[] = [];
		const client = clientWith({
			rateLimiter,
			reporter: reporterWith({
				waiting: (ms) => void reports.push(['waiting', ms]),
				waited: (ms) => void reports.push(['waited', ms]),
			}),
			deadline: time.clock.now() + wait,
		});
		respond(rateLimiter, true, { retryInMs: wait });
		await expect(send(client, GET)).rejects.toThrow();
		return reports;
	}

	test.each([
		[4_999, []],
		[
			5_000,
			[
				['waiting', 5_000],
				['waited', 5_000],
			],
		],
		[
			42_000,
			[
				['waiting', 42_000],
				['waited', 42_000],
			],
		],
	])('a wait of %i ms reports %j', async (wait, expected) => {
		expect(await reportsOf(wait)).toEqual(expected);
	});

	test('a wait for a slot is reported afterwards', async () => {
		const rateLimiter = await fullRateLimiter();
		const reports: unknown[] = [];
		const client = clientWith({
			rateLimiter,
			reporter: reporterWith({
				waiting: (ms) => void reports.push(['waiting', ms]),
				waited: (ms) => void reports.push(['waited', ms]),
			}),
			deadline: time.clock.now() + 7_000,
		});
		const request = send(client, GET);
		await settled();
		time.clock.advance(7_000);
		respond(rateLimiter);
		await expect(request).rejects.toThrow();
		expect(reports).toEqual([['waited', 7_000]]);
	});
});

test('a request that may not wait as long as the rate limit requires says how long that is', async () => {
	const rateLimiter = await fullRateLimiter();
	respond(rateLimiter, true, { retryInMs: 42_000 });
	const client = clientWith({ rateLimiter, maxRateLimitWaitMs: 5_000 });
	await expect(send(client, GET)).rejects.toThrow('the rate limit requires a wait of 42 s');
});

/** What n8n's HTTP client returns or throws for a request. */
type Scripted =
	| { status?: number; headers?: Record<string, string>; body?: unknown }
	| Error
	| (() => Error);

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

const POST = { endpoint: 'POST /tickets', action: 'Create ticket', body: { title: 'A' } } as const;
const EXPORT = { endpoint: 'GET /contacts/export', action: 'Export', download: true } as const;
/** Its content is in memory. */
const UPLOAD = {
	...STORED_UPLOAD,
	upload: { ...STORED_UPLOAD.upload, content: { bytes: Buffer.from('name') } },
};

const error = (code: string) => Object.assign(new Error(`secret ${code}`), { code });

describe('a run that sends fewer requests at once', () => {
	/** What requests of this priority report, of which so many fail. */
	async function slowed(priority: ServiceClient['priority'], failures: number) {
		const reports: number[] = [];
		const reporter = reporterWith({ slowed: (atOnce) => void reports.push(atOnce) });
		const script = [...Array<Scripted>(failures).fill({ status: 500 }), {}];
		const { client } = clientOf(script, { priority, reporter });
		for (let n = 0; n < failures; n++) await expect(send(client, POST)).rejects.toThrow();
		await send(client, POST);
		return reports;
	}

	test('reports how many after each response, if it has many requests', async () => {
		expect(await slowed('bulk', 3)).toEqual([4, 4, 4]);
	});

	test('reports nothing while it sends as many as at first', async () => {
		expect(await slowed('bulk', 1)).toEqual([]);
	});

	test('reports nothing if it has few requests', async () => {
		expect(await slowed('single', 3)).toEqual([]);
	});
});

describe('what n8n’s HTTP client is given', () => {
	test('for a read', async () => {
		const stop = new AbortController();
		const credential = { token: 't' };
		const { client, calls } = clientOf([{}], { signal: stop.signal, credential });
		await send(client, { ...GET, query: { page: 2, status: 'OPEN' } });
		expect(calls).toEqual([
			{
				credential: 'conversationalMessagingApi',
				options: {
					method: 'GET',
					url: 'https://messaging.example.com/api/v2/tickets?page=2&status=OPEN',
					headers: { Accept: 'application/json' },
					encoding: 'text',
					returnFullResponse: true,
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
					abortSignal: stop.signal,
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
				timeout: 60_000,
			});
		},
	);

	test('for a write without a body', async () => {
		const { client, calls } = clientOf([{}]);
		await send(client, { endpoint: 'POST /templates/sync', action: 'Sync' });
		expect(calls[0]!.options.headers).toEqual({ Accept: 'application/json' });
		expect(calls[0]!.options).not.toHaveProperty('body');
	});

	test('for a file from the service', async () => {
		const { client, calls } = clientOf([{ headers: { 'content-type': 'text/csv' } }]);
		await send(client, EXPORT);
		expect(calls[0]!.options).toMatchObject({
			headers: { Accept: 'text/csv, application/json' },
			encoding: 'stream',
		});
	});

	test('for a file to the service: its headers, and another body for each attempt', async () => {
		const { client, calls } = clientOf([{ status: 429 }, {}]);
		await send(client, UPLOAD);
		const [first, second] = calls.map(({ options }) => options);
		for (const { headers, body } of [first!, second!]) {
			expect(headers).toEqual({
				Accept: 'application/json',
				'Content-Type': expect.stringMatching(/^multipart\/form-data; boundary=/),
				'Content-Length': (body as unknown as Buffer).length,
			});
			expect((body as unknown as Buffer).toString('utf8')).toContain('filename="a.csv"');
		}
		expect(second!.body).not.toBe(first!.body);
	});
});

describe('a response', () => {
	test.each<[what: string, scripted: Scripted, json: unknown]>([
		['of JSON', { body: '{"data":1}' }, { data: 1 }],
		['of JSON that n8n has parsed', { body: { data: 1 } }, { data: 1 }],
		['without a body', { status: 204, body: '' }, undefined],
		['with a body of spaces', { body: ' \n' }, undefined],
		['with the last status of success', { status: 299, body: '{"data":1}' }, { data: 1 }],
		['that does not say whether it is a success', { body: '{"success":null}' }, { success: null }],
	])('%s is returned', async (_what, scripted, json) => {
		const { client, calls } = clientOf([scripted]);
		expect((await send(client, GET)).json).toEqual(json);
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

	test('of a rejection that the call accepts is returned', async () => {
		const { client } = clientOf([{ status: 404, body: '{"error":"No ticket"}' }]);
		const response = await send(client, { ...GET, acceptStatuses: [409, 404] });
		expect([response.status, response.json]).toEqual([404, { error: 'No ticket' }]);
	});

	test('of another rejection than those that the call accepts is not returned', async () => {
		const { client } = clientOf([{ status: 400 }]);
		await expect(send(client, { ...GET, acceptStatuses: [409, 404] })).rejects.toThrow('(400');
	});
});

describe('a response to the request for a file', () => {
	const stream = { isStream: true };
	const respondWith = async (status: number, type: string | undefined, text: string) => {
		const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
		const read: unknown[] = [];
		const helpers = {
			binaryToString: async (body: unknown) => {
				read.push(body);
				return await Promise.resolve(text);
			},
		};
		const { client } = clientOf([{ status, headers, body: stream }], {}, helpers);
		return { response: send(client, EXPORT), read };
	};

	test.each(['text/csv', 'application/octet-stream', undefined])(
		'is a stream if its type is %s',
		async (type) => {
			const { response, read } = await respondWith(200, type, '');
			const { stream: file, text, json } = await response;
			expect([file, text, json, read]).toEqual([stream, '', undefined, []]);
		},
	);

	test('is read if it is JSON', async () => {
		const { response, read } = await respondWith(200, 'application/JSON', '{"data":1}');
		expect(await response).toMatchObject({ json: { data: 1 } });
		expect((await response).stream).toBeUndefined();
		expect(read).toEqual([stream]);
	});

	test.each([300, 404])('is read if its status is %i', async (status) => {
		const { response } = await respondWith(status, 'text/csv', '{"error":"No file"}');
		await expect(response).rejects.toThrow(`No file (${status}`);
	});

	test('is not returned if it is a web page', async () => {
		const { response } = await respondWith(200, 'text/html', '<html>');
		await expect(response).rejects.toThrow();
	});
});

describe('another attempt', () => {
	test('is made for a read, after a pause that doubles', async () => {
		time.randomValue = 0.5;
		const { client, calls } = clientOf([{ status: 500 }, error('ECONNRESET'), {}]);
		await send(client, GET);
		expect(calls).toHaveLength(3);
		expect(time.waits).toEqual([500, 1_000]);
	});

	test('is made as late as the service says, and a second later at most', async () => {
		time.randomValue = 0.5;
		const reports: number[] = [];
		const reporter = reporterWith({ waiting: (ms) => void reports.push(ms) });
		const script = [{ status: 503, headers: { 'retry-after': '7' } }, {}];
		await send(clientOf(script, { reporter }).client, GET);
		expect(time.waits).toEqual([7_500]);
		expect(reports).toEqual([7_500]);
	});

	test.each([
		[4_000, 1],
		[7_000, 2],
	])('is made only if the wait of 5 s is no longer than allowed: %i ms', async (max, attempts) => {
		const script = [{ status: 503, headers: { 'retry-after': '5' } }, { status: 503 }, {}];
		const { client, calls } = clientOf(script, { maxRateLimitWaitMs: max });
		await send(client, GET).catch(() => undefined);
		expect(Math.min(2, calls.length)).toBe(attempts);
	});

	test.each([
		[300, 2],
		[301, 1],
	])('is made only if the wait is no longer than five minutes: %i s', async (seconds, attempts) => {
		const script = [{ status: 503, headers: { 'retry-after': String(seconds) } }, {}];
		const { client, calls } = clientOf(script);
		await send(client, GET).catch(() => undefined);
		expect(calls).toHaveLength(attempts);
	});

	test('is made after a 429 as soon as the rate limiter admits it, also for a write', async () => {
		const script = [{ status: 429, headers: { 'retry-after': '7' } }, {}];
		const { client, calls } = clientOf(script);
		await send(client, POST);
		expect(calls).toHaveLength(2);
		expect(time.waits).toEqual([7_000]);
	});

	test('is made for a write of which nothing was sent', async () => {
		const { client, calls } = clientOf([error('ECONNREFUSED'), {}]);
		await send(client, POST);
		expect(calls).toHaveLength(2);
	});

	test.each<[what: string, scripted: Scripted, message: string]>([
		['was not completed', { status: 500 }, '(500 Internal Server Error)'],
		['has no response', error('ECONNRESET'), 'ECONNRESET'],
		['has a response that is not the service’s', { body: '<html>' }, '200'],
	])('is not made for a write that %s', async (_what, scripted, message) => {
		const { client, calls } = clientOf([scripted]);
		await expect(send(client, POST)).rejects.toThrow(message);
		expect(calls).toHaveLength(1);
	});

	test('is the third at most', async () => {
		const page = { headers: { 'content-type': 'text/html' }, body: '<html>' };
		const { client, calls } = clientOf([page, page, page]);
		await expect(send(client, GET)).rejects.toThrow('200, text/html');
		expect(calls).toHaveLength(3);
	});

	test('names only the status if the response has no type', async () => {
		const page = { headers: {}, body: '<html>' };
		const failed = send(clientOf([page, page, page]).client, GET);
		await expect(failed).rejects.toThrow('200');
		await expect(failed).rejects.not.toThrow('200,');
	});

	test('after a 429 is left to the rate limiter, which says how long the wait is', async () => {
		const limited = { status: 429, headers: { 'retry-after': '7' } };
		const { client, calls } = clientOf([limited], { maxRateLimitWaitMs: 1_000 });
		await expect(send(client, GET)).rejects.toThrow('the rate limit requires a wait of 7 s');
		expect(calls).toHaveLength(1);
	});

	test('without a response, the message has its code, and no other word of it', async () => {
		const { client } = clientOf([error('ECONNRESET')]);
		const failed = send(client, POST);
		await expect(failed).rejects.toThrow('ECONNRESET');
		await expect(failed).rejects.not.toThrow('secret');
		const unknown = send(clientOf([new Error('secret')]).client, POST);
		await expect(unknown).rejects.toBeInstanceOf(NodeApiError);
		await expect(unknown).rejects.not.toThrow('secret');
	});
});

describe('when the user stops the execution', () => {
	test('during a request, its response is not used', async () => {
		const stop = new AbortController();
		const canceled = () => {
			stop.abort();
			return error('ERR_CANCELED');
		};
		const { client, calls, rateLimiter } = clientOf([canceled], { signal: stop.signal });
		await expect(send(client, GET)).rejects.toThrow('The execution was canceled');
		expect(calls).toHaveLength(1);
		// It says nothing about the service.
		expect(rateLimiter.completed).toEqual([
			{ ending: { kind: 'other' }, isRateLimited: false, rate: undefined },
		]);
	});

	test.each<[what: string, request: ServiceRequest, mayHave: boolean]>([
		['a write may have taken effect', POST, true],
		['a read has not', GET, false],
	])('during a request, %s', async (_what, request, mayHave) => {
		const stop = new AbortController();
		const canceled = () => {
			stop.abort();
			return error('ERR_CANCELED');
		};
		const { client, calls } = clientOf([canceled], { signal: stop.signal });
		const stopped = await send(client, request).catch((thrown: unknown) => thrown as Error);
		expect(stopped).toMatchObject({ message: 'The execution was canceled' });
		expect(mayHaveTakenEffect(stopped as Error)).toBe(mayHave);
		expect(calls).toHaveLength(1);
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

	test('while it waits for its turn, it is not a rejection', async () => {
		const stop = new AbortController();
		const rateLimiter = await fullRateLimiter();
		const sending = send(clientWith({ rateLimiter, signal: stop.signal }), GET);
		await settled();
		stop.abort();
		await expect(sending).rejects.toThrow('The execution was canceled');
	});
});

describe('what the rate limiter learns from a request', () => {
	test.each<[what: string, request: ServiceRequest, scripted: Scripted, ending: object]>([
		['a success', GET, {}, { kind: 'ok', endpoint: 'GET /tickets', latencyMs: 1_000 }],
		['the last status of success', GET, { status: 299 }, { kind: 'ok' }],
		['a redirect', GET, { status: 300 }, { kind: 'other' }],
		['a rejection', GET, { status: 404 }, { kind: 'other' }],
		['the last rejection', POST, { status: 499 }, { kind: 'other' }],
		['a failure', POST, { status: 500 }, { kind: 'failed' }],
		['no response', POST, error('ECONNRESET'), { kind: 'failed' }],
		['an upload', UPLOAD, {}, { kind: 'other' }],
		['a download', EXPORT, { headers: { 'content-type': 'text/csv' } }, { kind: 'other' }],
	])('%s', async (_what, request, scripted, ending) => {
		const { client, rateLimiter } = clientOf([scripted]);
		await send(client, request).catch(() => undefined);
		expect(rateLimiter.completed).toMatchObject([{ ending, isRateLimited: false }]);
	});

	test('of requests sent one after another, the latency of each without its wait for the others', async () => {
		const { client, rateLimiter } = clientOf([{}, {}, {}, {}]);
		await send(client, GET);
		clock.yieldToOthers = async () => {
			await settled();
			time.clock.advance(100);
		};
		await Promise.all([1, 2, 3].map(async () => await send(client, GET)));
		expect(rateLimiter.completed.map(({ ending }) => ending)).toMatchObject(
			Array.from({ length: 4 }, () => ({ kind: 'ok', latencyMs: 1_000 })),
		);
	});

	test('a 429, with what its headers say', async () => {
		const { client, rateLimiter } = clientOf([
			{ status: 429, headers: { 'retry-after': '7' } },
			{},
		]);
		await send(client, POST);
		expect(rateLimiter.completed[0]).toEqual({
			ending: { kind: 'other' },
			isRateLimited: true,
			rate: { retryInMs: 7_000 },
		});
	});

	test('a lost connection says nothing about the rate limit', async () => {
		const { client, rateLimiter } = clientOf([error('ECONNRESET')]);
		await send(client, POST).catch(() => undefined);
		expect(rateLimiter.completed[0]!.rate).toBeUndefined();
	});
});

test('a request that would have to wait too long for the rate limit is not sent, and says how long', async () => {
	const rateLimiter = await fullRateLimiter();
	respond(rateLimiter, true, { retryInMs: 42_000 });
	const client = clientWith({ rateLimiter, maxRateLimitWaitMs: 5_000 });
	await expect(send(client, GET)).rejects.toThrow(/42/);
	expect(time.waits).toEqual([]);
});

describe('the file of an upload', () => {
	/** What an upload of a stored file ends with, and how often its stream was closed. */
	async function upload(stored: () => Readable, script: Scripted[]) {
		const streams: Readable[] = [];
		const helpers = {
			getBinaryMetadata: async () => await Promise.resolve({ fileSize: 4 }),
			getBinaryStream: async () => {
				streams.push(stored());
				return await Promise.resolve(streams.at(-1)!);
			},
		};
		const { client } = clientOf(script, {}, helpers);
		const outcome = await send(client, STORED_UPLOAD).then(({ status }) => status, String);
		return { outcome, destroyed: streams.map((stream) => stream.destroyed) };
	}

	test('is opened for each attempt, and closed after it', async () => {
		const file = () => Readable.from([Buffer.from('name')]);
		expect(await upload(file, [{ status: 429 }, {}])).toEqual({
			outcome: 200,
			destroyed: [true, true],
		});
	});

	test('is the reason if it cannot be read to its end', async () => {
		const file = () => Readable.from([Buffer.from('nam')]);
		const { outcome, destroyed } = await upload(file, [{}]);
		expect(outcome).toMatch(/it has less than the 4 bytes that n8n recorded/);
		expect(destroyed).toEqual([true]);
	});
});
