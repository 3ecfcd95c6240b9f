/** The deadline of a request, and what the rate limiter learns from it. Its retries are in test/engine/retry. */
import { type IHttpRequestOptions, NodeApiError } from 'n8n-workflow';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { mayHaveTakenEffect } from '../../nodes/ConversationalMessaging/api/errors.ts';
import {
	INITIAL_LIMIT,
	RateLimiter,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import type { RequestEnd } from '../../nodes/ConversationalMessaging/api/rate/rateWindow.ts';
import { multipart } from '../../nodes/ConversationalMessaging/api/files/multipart.ts';
import type { ServiceRequest } from '../../nodes/ConversationalMessaging/api/request.ts';
import { send } from '../../nodes/ConversationalMessaging/api/send.ts';
import { useFakeTime } from '../support/time.mts';
import { NODE } from '../support/node.mts';
import { clientWith, STORED_CSV, UPLOAD as STORED_UPLOAD } from '../support/service.mts';

const time = useFakeTime();

const GET = { endpoint: 'GET /tickets', action: 'Get many tickets' } as const;
const POST = { endpoint: 'POST /tickets', action: 'Create ticket', body: { title: 'A' } } as const;
const EXPORT = { endpoint: 'GET /contacts/export', action: 'Export' } as const;
/** Its content is in memory. */
const UPLOAD = {
	...STORED_UPLOAD,
	upload: multipart({ ...STORED_CSV, content: { bytes: Buffer.from('name') } }),
};

/** What n8n's HTTP client returns or throws for a request. */
type Scripted = { status?: number; headers?: Record<string, string> } | Error | (() => Error);

const error = (code: string) => Object.assign(new Error(code), { code });

/** A rejection that says when to try again. */
const wait = (status: number, seconds: number): Scripted => ({
	status,
	headers: { 'retry-after': String(seconds) },
});

const reset = (status: number, seconds: number): Scripted => ({
	status,
	headers: { 'x-ratelimit-reset': String(seconds) },
});

class RecordingRateLimiter extends RateLimiter {
	readonly completed: RequestEnd[] = [];

	override release(completed: RequestEnd): void {
		this.completed.push(completed);
		super.release(completed);
	}
}

/** A client whose requests end like this, one after the other, after a second each. */
function clientOf(script: Scripted[], more: Partial<ServiceClient> = {}) {
	const calls: IHttpRequestOptions[] = [];
	const rateLimiter = new RecordingRateLimiter();
	const httpRequestWithAuthentication = async (
		_credential: string,
		options: IHttpRequestOptions,
	) => {
		calls.push(options);
		const sent: unknown = options.body;
		// The file of an upload.
		await (sent instanceof Readable ? buffer(sent) : Promise.resolve());
		time.clock.advance(1_000);
		const scripted = script[calls.length - 1]!;
		const next = typeof scripted === 'function' ? scripted() : scripted;
		if (next instanceof Error) throw next;
		const { status = 200, headers = {} } = next;
		return { statusCode: status, headers, body: '{"success":true,"data":[]}' };
	};
	const n8n = {
		getNode: () => NODE,
		helpers: { httpRequestWithAuthentication },
	} as unknown as ServiceClient['n8n'];
	return { client: clientWith({ rateLimiter, n8n, ...more }), calls, rateLimiter };
}

/** A rate limiter whose slots are all in use, and what gives one of them back. */
async function busyLimiter() {
	const rateLimiter = new RateLimiter();
	const turn = { priority: 'single', isRead: true, maxWaitMs: Infinity } as const;
	for (let n = 0; n < INITIAL_LIMIT; n++) await rateLimiter.acquire(turn);
	const release = () => rateLimiter.release({ isRead: true, ending: 'other' });
	return { rateLimiter, release };
}

test.each([
	[{ title: 'A' }, '{"title":"A"}', { 'Content-Type': 'application/json' }],
	[{}, '{}', { 'Content-Type': 'application/json' }],
	[undefined, undefined, {}],
])(
	'the body %j is sent as text, which n8n sends even if it has no keys',
	async (body, text, headers) => {
		const { client, calls } = clientOf([{}]);
		await send(client, { ...POST, body });
		expect(calls[0]!.body).toBe(text);
		// Its time limit has ended with it.
		expect(time.limits).toStrictEqual([]);
		expect(calls[0]!.headers).toStrictEqual({ Accept: 'application/json', ...headers });
	},
);

describe('whatever is thrown after a request was sent', () => {
	const thrown = async (request: ServiceRequest) => {
		const { client, rateLimiter } = clientOf([{}, {}, {}]);
		rateLimiter.release = () => {
			throw new RangeError('Maximum call stack size exceeded');
		};
		const failed = send(client, request);
		await expect(failed).rejects.toBeInstanceOf(NodeApiError);
		return (await failed.catch((caught: unknown) => caught)) as NodeApiError;
	};

	test('does not hide that a write may have succeeded', async () => {
		const failed = await thrown(POST);
		expect(failed.message).toBe(
			'Create ticket: the response from messaging.example.com could not be read',
		);
		expect(failed.description).toMatch(/^Not retried because it may have succeeded/);
		expect(mayHaveTakenEffect(failed)).toBe(true);
	});

	test('is no uncertainty of a read', async () => {
		expect(mayHaveTakenEffect(await thrown(GET))).toBe(false);
	});
});

describe('a deadline', () => {
	const until = (ms: number): Partial<ServiceClient> => ({
		deadline: time.clock.now() + ms,
		maxRateLimitWaitMs: 65_000,
	});

	test.each([
		{ leftMs: 25_500, timeouts: [25_500, 24_000, 22_000] },
		// n8n's HTTP client takes 0 as no limit.
		{ leftMs: 0.4, timeouts: [1] },
		{ leftMs: 0, timeouts: [] },
	])('in $leftMs ms allows requests of $timeouts ms', async ({ leftMs, timeouts }) => {
		const made = clientOf(Array(3).fill(error('ECONNRESET')), until(leftMs));
		time.randomValue = 0.5;
		await expect(send(made.client, GET)).rejects.toBeInstanceOf(NodeApiError);
		expect(made.calls.map(({ timeout }) => timeout)).toStrictEqual(timeouts);
	});

	test.each([
		[29_000, 1, 'the poll ran out of time'],
		[36_000, 2, 'did not respond in full within 30 s'],
		[92_000, 3, 'did not respond in full within 30 s'],
	])('in %d ms ends a slow request as what it is', async (leftMs, attempts, message) => {
		const tooSlow = () => {
			time.clock.advance(calls.at(-1)!.timeout! - 1_000);
			return error('ECONNABORTED');
		};
		const { client, calls } = clientOf(Array(3).fill(tooSlow), until(leftMs));
		await expect(send(client, GET)).rejects.toThrow(message);
		expect(calls).toHaveLength(attempts);
	});

	test('bounds all waits for the rate limit together', async () => {
		const began = time.clock.now();
		const { client, calls } = clientOf(Array(9).fill(wait(429, 30)), until(110_000));
		await expect(send(client, GET)).rejects.toThrow('the rate limit requires a wait of 30 s');
		expect(calls).toHaveLength(4);
		expect(time.clock.now() - began).toBeLessThan(110_000);
	});

	test('bounds the pause before another attempt, as the longest wait does: what failed is shown at once', async () => {
		for (const bound of [until(11_000), { maxRateLimitWaitMs: 10_000 }]) {
			const { client } = clientOf([wait(503, 11)], bound);
			await expect(send(client, GET)).rejects.toThrow('(503');
			expect(time.waits).toStrictEqual([]);
		}
	});

	test('bounds the wait for other requests', async () => {
		const { rateLimiter } = await busyLimiter();
		const { client, calls } = clientOf([], { rateLimiter, ...until(20_000) });
		const request = send(client, GET);
		time.clock.advance(20_000);
		time.expire();
		await expect(request).rejects.toThrow('the poll ran out of time');
		expect(calls).toStrictEqual([]);
	});
});

test.each<[what: string, script: Scripted[], leftMs: number, step: string]>([
	['three failures', Array(3).fill({ status: 503 }), 90_000, 'Retried without success. Run it'],
	['two, until the time is up', Array(3).fill({ status: 503 }), 2_600, 'Retried without success.'],
	['one, until the time is up', [{ status: 502 }], 1_100, 'Run it again later.'],
	['a failure, then a rejection', [{ status: 503 }, { status: 404 }], 90_000, 'Check that the rec'],
	['a 429, when the time is up', [wait(429, 0)], 1_000, 'The service responds slowly.'],
])('that a request was retried is said if it was, and failed again: %s', async (...row) => {
	const [, script, leftMs, step] = row;
	time.randomValue = 0.5;
	const { client } = clientOf(script, { deadline: time.clock.now() + leftMs });
	const thrown = await send(client, GET).catch((reason: unknown) => reason as NodeApiError);
	expect((thrown as NodeApiError).description?.slice(0, step.length)).toBe(step);
});

describe('what the service asks one request to wait', () => {
	test.each<[what: string, script: Scripted[], sent: number]>([
		['after each 429', [wait(429, 299)], 3],
		['after each 429, by the reset alone', [reset(429, 120)], 10],
		['after each 503', [wait(503, 299)], 3],
		['after a 429, then after a 503', [wait(429, 299), wait(503, 299)], 3],
		['after two 429s, then after a 503', [wait(429, 299), wait(429, 299), wait(503, 299)], 3],
		['up to one window after each 429', [wait(429, 60)], 10],
	])('is ten minutes at most, in all: %s', async (_what, script, sent) => {
		const { client, calls } = clientOf(Array(12).fill(script).flat());
		const { status } = script[(sent - 1) % script.length] as { status: number };
		await expect(send(client, GET)).rejects.toThrow(`(${status}`);
		expect(calls).toHaveLength(sent);
		const waited = time.waits.reduce((sum, ms) => sum + ms, 0);
		expect(waited).toBeLessThanOrEqual(600_000);
	});
});

describe('what the rate limiter learns from a request', () => {
	test.each<
		[what: string, request: ServiceRequest, scripted: Scripted, ending: RequestEnd['ending']]
	>([
		['a read', GET, {}, 'succeeded'],
		['a write', POST, {}, 'succeeded'],
		['a redirect', GET, { status: 300 }, 'other'],
		['a rejection', POST, { status: 499 }, 'other'],
		['a failure', POST, { status: 500 }, 'failed'],
		['no response', POST, error('ECONNRESET'), 'failed'],
		['an upload', UPLOAD, {}, 'other'],
		['a file that cannot be read', STORED_UPLOAD, error('ENOENT'), 'other'],
		['a download', EXPORT, { headers: { 'content-type': 'text/csv' } }, 'other'],
	])('%s', async (_what, request, scripted, ending) => {
		const { client, rateLimiter } = clientOf([scripted]);
		await send(client, request).catch(() => undefined);
		const rate = scripted instanceof Error ? undefined : {};
		const isRead = request.endpoint.startsWith('GET ');
		expect(rateLimiter.completed).toEqual([{ isRead, ending, rate }]);
	});

	test('a 429, with what its headers say', async () => {
		const { client, rateLimiter } = clientOf([wait(429, 7), {}]);
		await send(client, POST);
		expect(rateLimiter.completed[0]).toEqual({
			isRead: false,
			ending: 'rateLimited',
			rate: { retryInMs: 7_000 },
		});
	});

	test.each([
		{ request: GET, isLost: false },
		{ request: POST, isLost: true },
	])(
		'nothing about the service, if the user stopped the execution meanwhile: $request.endpoint',
		async ({ request, isLost }) => {
			const stop = new AbortController();
			const canceled = () => {
				stop.abort();
				return error('ERR_CANCELED');
			};
			const { client, rateLimiter } = clientOf([canceled], { signal: stop.signal });
			const failed = (await send(client, request).catch((thrown: unknown) => thrown)) as Error;
			expect([failed.message, mayHaveTakenEffect(failed)]).toStrictEqual([
				'The execution was canceled',
				isLost,
			]);
			expect(rateLimiter.completed).toStrictEqual([
				{ isRead: request === GET, ending: 'other', rate: undefined },
			]);
		},
	);
});

test.each(['single', 'bulk'] as const)(
	'%s requests leave one after another, across tokens; polls and people do not wait for them',
	async (priority) => {
		const goOn: (() => void)[] = [];
		clock.yieldToOthers = async () => await new Promise<void>((resolve) => goOn.push(resolve));
		const settled = async () => await new Promise((resolve) => setImmediate(resolve));
		const [one, other, urgent] = ([priority, priority, 'urgent'] as const).map((each) =>
			clientOf([{}], { priority: each }),
		);
		const all = [one!, other!, urgent!].map(async ({ client }) => await send(client, GET));
		await settled();
		expect([one, other, urgent].map((each) => each?.calls.length)).toStrictEqual([1, 0, 1]);
		goOn.shift()!();
		await settled();
		expect(other?.calls).toHaveLength(1);
		await Promise.all(all);
		for (const go of goOn) go();
	},
);

test('a request that waits for the one before waits for the next window if a 429 arrives meanwhile', async () => {
	const goOn: (() => void)[] = [];
	clock.yieldToOthers = async () => await new Promise<void>((resolve) => goOn.push(resolve));
	const settled = async () => await new Promise((resolve) => setImmediate(resolve));
	const { client, calls } = clientOf([wait(429, 7), {}, {}]);
	const all = Promise.all([send(client, POST), send(client, POST)]);
	await settled();
	goOn.shift()!();
	await settled();
	expect(calls).toHaveLength(1);
	while (calls.length < 3) {
		goOn.shift()?.();
		await settled();
	}
	await all;
	for (const go of goOn) go();
	expect(time.waits).toStrictEqual([7_000]);
});

test('a request that is stopped while it waits for the one before is not sent, and leaves its slot free', async () => {
	const goOn: (() => void)[] = [];
	clock.yieldToOthers = async () => await new Promise<void>((resolve) => goOn.push(resolve));
	const stop = new AbortController();
	const { client, calls, rateLimiter } = clientOf([{}], { signal: stop.signal });
	const first = send(clientOf([{}]).client, POST);
	const failed = send(client, POST).catch((thrown: unknown) => thrown);
	await new Promise((resolve) => setImmediate(resolve));
	stop.abort();
	for (const go of goOn) go();
	expect(mayHaveTakenEffect((await failed) as Error)).toBe(false);
	expect(calls).toStrictEqual([]);
	expect(rateLimiter.completed).toStrictEqual([{ isRead: false, ending: 'other' }]);
	await first;
});
