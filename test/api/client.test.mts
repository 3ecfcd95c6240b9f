import {
	NodeOperationError,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type IPollFunctions,
} from 'n8n-workflow';
import {
	announced,
	cancelSignalOf,
	createClient,
	createEditorClient,
	forEachAtServicePace,
	memoize,
	ServiceClients,
	type ServiceClient,
	type ServiceContext,
} from '../../nodes/ConversationalMessaging/api/client.ts';
import { NODE } from './node.mts';
import { reporterWith } from './service.mts';

const BASE_URL = 'https://messaging.example.com/api/v2';

/** A context that knows its node and one credential per item; without items, the first. */
const contextWith = (...credentials: object[]) =>
	({
		getNode: () => NODE,
		getCredentials: async (_type: string, itemIndex = 0) => credentials[itemIndex],
	}) as unknown as ServiceContext;

const pollWith = (credential: object) => contextWith(credential) as IPollFunctions;

const credential = { baseUrl: BASE_URL, apiToken: 'wa_pk_one' };

describe('the token in a credential', () => {
	test.each([
		['wa_pk_one', 'wa_pk_one'],
		['  wa_pk_one\n', 'wa_pk_one'],
		['!~', '!~'],
	])('%j is used as %j', async (apiToken, used) => {
		const client = await createClient(pollWith({ ...credential, apiToken }));
		expect(client.credential.apiToken).toBe(used);
		expect(client.redact(`sent with ${used}`)).toBe('sent with ***');
	});

	test.each([
		['', 'The credential has no API token. Create one in the dashboard'],
		['   ', 'The credential has no API token.'],
		[undefined, 'The credential has no API token.'],
		[{ token: 'x' }, 'The credential has no API token.'],
		['Bearer wa_pk_one', 'contains a space or another invalid character'],
		['wa_pk_öne', 'contains a space or another invalid character'],
		['öne', 'contains a space or another invalid character'],
		['oneö', 'contains a space or another invalid character'],
		['one\u0000', 'contains a space or another invalid character'],
	])('%j is rejected', async (apiToken, message) => {
		const made = createClient(pollWith({ ...credential, apiToken }));
		await expect(made).rejects.toThrow(NodeOperationError);
		await expect(made).rejects.toThrow(message);
	});
});

test('the message about a missing token says what to do if it is an expression', async () => {
	await expect(createClient(pollWith({ ...credential, apiToken: null }))).rejects.toMatchObject({
		description: 'If the token is an expression, check what it returns for this item.',
	});
});

test('a base URL that cannot be used is reported, without the token', async () => {
	const made = createClient(pollWith({ ...credential, baseUrl: 'wa_pk_one' }));
	await expect(made).rejects.toThrow('The base URL "***" is not a web address');
	await expect(made).rejects.toBeInstanceOf(NodeOperationError);
});

test('a credential that cannot be read without an item is reported, with what to do', async () => {
	const context = {
		getNode: () => NODE,
		getCredentials: async () => {
			throw new Error('No item');
		},
	} as unknown as IPollFunctions;
	await expect(createClient(context)).rejects.toMatchObject({
		name: 'NodeOperationError',
		message: 'No item',
		description:
			'If a credential field is an expression, it may need an input item, and lists and triggers have none. Enter a fixed value in the credential; in an action node, you can also enter IDs instead of picking from lists.',
	});
});

test('a client sends with the credential as it was cleaned, and keeps its other fields', async () => {
	const entered = { baseUrl: ` ${BASE_URL}/ `, apiToken: ' wa_pk_one ', other: 1 };
	const client = await createClient(pollWith(entered));
	expect(client.baseUrl).toBe(BASE_URL);
	expect(client.credential).toEqual({ baseUrl: BASE_URL, apiToken: 'wa_pk_one', other: 1 });
});

test.each([
	[undefined, 0.1],
	['', 0.1],
	[0, 0],
	[25, 0.25],
	['30', 0.3],
	[50, 0.5],
	[51, 0.1],
	[-1, 0.1],
	['a few', 0.1],
	[null, 0.1],
])(
	'the Window Reserve %p of a credential leaves others %p of each window',
	async (entered, share) => {
		const client = await createClient(pollWith({ ...credential, windowReserve: entered }));
		expect(client.rateLimiter.reserve).toBe(share);
	},
);

test('without settings, a client waits its turn and as long as it must, has no deadline, and notifies nobody', async () => {
	const client = await createClient(pollWith(credential));
	expect(client.priority).toBe('single');
	expect([client.maxRateLimitWaitMs, client.deadline]).toEqual([Infinity, Infinity]);
	expect(client.signal).toBeUndefined();
	expect(() => {
		client.reporter.notify('x');
		client.reporter.waiting(1);
		client.reporter.waited(1);
		client.reporter.slowed(1);
	}).not.toThrow();
});

test('the settings of a client are used', async () => {
	const settings = {
		priority: 'poll' as const,
		maxRateLimitWaitMs: 0,
		deadline: 0,
		reporter: reporterWith({}),
	};
	expect(await createClient(pollWith(credential), settings)).toMatchObject(settings);
});

test('a list in the editor comes first, and waits five seconds for the rate limit', async () => {
	const client = await createEditorClient(contextWith(credential) as ILoadOptionsFunctions);
	expect([client.priority, client.maxRateLimitWaitMs]).toEqual(['editor', 5_000]);
});

test('the signal that the user stopped the execution is used where n8n has one', () => {
	const { signal } = new AbortController();
	const context = { getExecutionCancelSignal: () => signal } as unknown as ServiceContext;
	expect(cancelSignalOf(context)).toBe(signal);
	expect(cancelSignalOf(contextWith())).toBeUndefined();
});

describe('the clients of a run', () => {
	const clientsOf = (...credentials: object[]) =>
		new ServiceClients(contextWith(...credentials) as IExecuteFunctions, {});

	test('items with the same token and base URL have one client, however they are written', async () => {
		const clients = clientsOf(
			credential,
			{ ...credential },
			{ ...credential, apiToken: ' wa_pk_one ' },
			{ ...credential, baseUrl: `${BASE_URL}/` },
		);
		const first = await clients.forItem(0);
		for (const item of [1, 2, 3, 2]) expect(await clients.forItem(item)).toBe(first);
	});

	test.each([
		['tokens', { ...credential, apiToken: 'wa_pk_two' }],
		['base URLs', { ...credential, baseUrl: 'https://other.example.com/api/v2' }],
	])('items with different %s have different clients and rate limiters', async (_what, second) => {
		const clients = clientsOf(credential, second);
		const [one, two] = [await clients.forItem(0), await clients.forItem(1)];
		expect(two).not.toBe(one);
		expect(two.rateLimiter).not.toBe(one.rateLimiter);
		expect(two.credential).toMatchObject(second);
		expect(await clients.forItem(0)).toBe(one);
	});

	test('runs with the same token and base URL share a rate limiter, and no memo', async () => {
		const one = await clientsOf(credential).forItem(0);
		const two = await clientsOf(credential).forItem(0);
		expect(two.rateLimiter).toBe(one.rateLimiter);
		expect(two.memo).not.toBe(one.memo);
	});

	test('the key of a client does not contain its token', async () => {
		expect((await clientsOf(credential).forItem(0)).key).toMatch(/^[0-9a-f]{64}$/);
	});
});

test('what items share is computed once per key, also while it is being computed', async () => {
	const client = { memo: new Map() } as unknown as ServiceClient;
	let computed = 0;
	const compute = async () => ++computed;
	expect(
		await Promise.all([
			memoize(client, 'a', compute),
			memoize(client, 'a', compute),
			memoize(client, 'b', compute),
		]),
	).toEqual([1, 1, 2]);
	expect(await memoize(client, 'a', compute)).toBe(1);
});

test('what failed for one item is done again for the next one', async () => {
	const client = { memo: new Map() } as unknown as ServiceClient;
	const failing = async () => await Promise.reject(new Error('no'));
	await expect(memoize(client, 'a', failing)).rejects.toThrow('no');
	expect(await memoize(client, 'a', async () => 'yes')).toBe('yes');
});

describe('requests that are announced', () => {
	/** A client that records what is announced to its rate limiter. */
	function recording(priority: ServiceClient['priority'] = 'single') {
		const announced: number[] = [];
		const rateLimiter = {
			announce: (count: number) => announced.push(count),
			requestStarts: () => announced.push(-1),
			withdraw: (count: number) => announced.push(0 - count),
			atOnce: 3,
		};
		return { announced, client: { rateLimiter, priority } as unknown as ServiceClient };
	}
	const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);

	test.each<[priority: ServiceClient['priority'], requests: number, used: string]>([
		['single', 9, 'single'],
		['single', 10, 'bulk'],
		['poll', 10, 'poll'],
		['editor', 100, 'editor'],
	])('with the priority %s, %i of them have the priority %s', async (priority, requests, used) => {
		const { client } = recording(priority);
		await announced(client, requests, async (own) => {
			expect(own).toEqual({ ...client, priority: used });
		});
		expect.assertions(1);
	});

	test('are taken back one by one as they are sent', async () => {
		const { client, announced: counts } = recording();
		await announced(client, 2, async (_own, next) => {
			expect(total(counts)).toBe(2);
			next();
			expect(total(counts)).toBe(1);
			next();
		});
		expect(total(counts)).toBe(0);
	});

	test('are taken back if they are never sent', async () => {
		const { client, announced: counts } = recording();
		const sending = announced(client, 3, async (_own, next) => {
			next();
			throw new Error('no');
		});
		await expect(sending).rejects.toThrow('no');
		expect(counts).toEqual([3, -1, -2]);
	});

	test('of a list are as many at once as the service carries', async () => {
		const { client, announced: counts } = recording();
		const list = Array.from({ length: 12 }, (_, n) => n);
		const done: number[] = [];
		let [running, most] = [0, 0];
		await forEachAtServicePace(client, list, async (entry, own) => {
			expect(own.priority).toBe('bulk');
			most = Math.max(most, ++running);
			await new Promise((resolve) => setImmediate(resolve));
			running--;
			done.push(entry);
		});
		expect(most).toBe(3);
		expect(done.sort((one, other) => one - other)).toEqual(list);
		expect(total(counts)).toBe(0);
		// All at first, each one as it is sent, and in the end those that were not: none.
		expect(counts).toEqual([12, ...Array<number>(12).fill(-1), 0]);
	});
});
