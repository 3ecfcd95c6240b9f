import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { INITIAL_LIMIT } from '../../nodes/ConversationalMessaging/api/concurrencyLimit.ts';
import type { RateInfo } from '../../nodes/ConversationalMessaging/api/rateHeaders.ts';
import { RateLimiter } from '../../nodes/ConversationalMessaging/api/rateLimiter.ts';
import { send } from '../../nodes/ConversationalMessaging/api/send.ts';
import { FakeTime } from '../time.mts';
import { NODE } from './node.mts';
import { clientWith } from './service.mts';

let time: FakeTime;
beforeEach(() => (time = new FakeTime().install()));
afterEach(() => time.restore());

const GET = { endpoint: 'GET /tickets', action: 'Get many tickets' } as const;

const settled = async () => await new Promise((resolve) => setImmediate(resolve));

const TURN = { priority: 'single', maxWaitMs: Infinity } as const;

/** Ends any request, with a response that says nothing about the service. */
const respond = (rateLimiter: RateLimiter, isRateLimited = false, rate: RateInfo = {}) =>
	rateLimiter.release(
		{ at: time.clock.now(), inFlight: 1 },
		{ ending: { kind: 'other' }, isRateLimited, rate },
	);

/** A rate limiter whose probe has returned, with all its slots in use. */
async function fullRateLimiter(): Promise<RateLimiter> {
	const rateLimiter = new RateLimiter();
	await rateLimiter.acquire(TURN);
	respond(rateLimiter);
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
	await expect(send(clientWith({ rateLimiter }), request)).rejects.toThrow(/the ID is empty/);
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
			onWait: (until) => reports.push(['wait', until - time.clock.now()]),
			onWaited: (seconds) => reports.push(['waited', seconds]),
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
				['wait', 5_000],
				['waited', 5],
			],
		],
		[
			42_000,
			[
				['wait', 42_000],
				['waited', 42],
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
			onWait: () => reports.push('wait'),
			onWaited: (seconds) => reports.push(seconds),
			deadline: time.clock.now() + 7_000,
		});
		const request = send(client, GET);
		await settled();
		time.clock.advance(7_000);
		respond(rateLimiter);
		await expect(request).rejects.toThrow();
		expect(reports).toEqual([7]);
	});
});
