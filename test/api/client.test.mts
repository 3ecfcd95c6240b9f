import { shown } from '../../nodes/ConversationalMessaging/api/access/shown.ts';
import {
	NodeOperationError,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type IPollFunctions,
} from 'n8n-workflow';
import {
	createClient,
	createEditorClient,
	ServiceClients,
	type ServiceClient,
	type N8nFunctions,
} from '../../nodes/ConversationalMessaging/api/client.ts';
import { forEachAtServicePace } from '../../nodes/ConversationalMessaging/api/servicePace.ts';
import { NODE } from '../support/node.mts';

const BASE_URL = 'https://messaging.example.com/api/v2';

/** An n8n that knows its node and one credential per item; without items, the first. */
const n8nWith = (...credentials: object[]) =>
	({
		getNode: () => NODE,
		getCredentials: async (_type: string, itemIndex = 0) => credentials[itemIndex],
	}) as unknown as N8nFunctions;

const pollWith = (credential: object) => n8nWith(credential) as IPollFunctions;

const credential = { baseUrl: BASE_URL, apiToken: 'wa_pk_one' };

test('a base URL that cannot be used is reported, without the token', async () => {
	const made = createClient(pollWith({ ...credential, baseUrl: 'wa_pk_one' }));
	await expect(made).rejects.toThrow('The base URL "***" is not a web address');
	await expect(made).rejects.toBeInstanceOf(NodeOperationError);
});

test('a client sends with the credential as it was cleaned and keeps its other fields', async () => {
	const entered = { baseUrl: ` ${BASE_URL}/ `, apiToken: ' wa_pk_one\n', other: 1 };
	const client = await createClient(pollWith(entered));
	expect(client.baseUrl).toBe(BASE_URL);
	expect(client.credential).toStrictEqual({ baseUrl: BASE_URL, apiToken: 'wa_pk_one', other: 1 });
});

test.each([
	[undefined, 0.1],
	[0, 0],
	['30', 0.3],
	[50, 0.5],
	[51, 0.1],
	[-1, 0.1],
	['a few', 0.1],
])(
	'the Rate Limit Reserve %p of a credential leaves others %p of each window',
	async (entered, share) => {
		const client = await createClient(pollWith({ ...credential, windowReserve: entered }));
		expect(client.rateLimiter.reserve).toBe(share);
	},
);

test('without settings, a client waits its turn and as long as it must, has no deadline, and notifies nobody', async () => {
	const client = await createClient(pollWith(credential));
	expect(client.priority).toBe('single');
	expect([client.maxRateLimitWaitMs, client.deadline]).toStrictEqual([Infinity, Infinity]);
	expect(client.signal).toBeUndefined();
	client.reporter.notify(shown`x`);
});

test('a list in the editor comes first, and waits five seconds for the rate limit', async () => {
	const client = await createEditorClient(n8nWith(credential) as ILoadOptionsFunctions);
	expect([client.priority, client.maxRateLimitWaitMs]).toStrictEqual(['urgent', 5_000]);
});

describe('the clients of a run', () => {
	const clientsOf = (...credentials: object[]) =>
		new ServiceClients(n8nWith(...credentials) as IExecuteFunctions, {});

	test('items with the same token and base URL have one client', async () => {
		const clients = clientsOf(credential, { ...credential });
		expect(await clients.forItem(1)).toBe(await clients.forItem(0));
	});

	test('runs with the same token and base URL share a rate limiter, and no memo', async () => {
		const one = await clientsOf(credential).forItem(0);
		const two = await clientsOf(credential).forItem(0);
		expect(two.rateLimiter).toBe(one.rateLimiter);
		expect(two.memo).not.toBe(one.memo);
		expect(one.key).not.toContain('wa_pk_one');
		const elsewhere = { ...credential, baseUrl: 'https://other.example.com/api/v2' };
		expect((await clientsOf(elsewhere).forItem(0)).rateLimiter).not.toBe(one.rateLimiter);
	});
});

describe('requests that are announced', () => {
	/** A client whose rate limiter records how many requests are announced after each change. */
	function recording(priority: ServiceClient['priority'] = 'single') {
		let count = 0;
		const counts: number[] = [];
		const add = (change: number) => counts.push((count += change));
		const rateLimiter = {
			announce: add,
			atOnce: 3,
		};
		return { counts, client: { rateLimiter, priority } as unknown as ServiceClient };
	}

	test.each<[priority: ServiceClient['priority'], requests: number, used: string]>([
		['single', 9, 'single'],
		['single', 10, 'bulk'],
		['urgent', 100, 'urgent'],
	])('with the priority %s, %i of them have the priority %s', async (priority, requests, used) => {
		const { client } = recording(priority);
		await forEachAtServicePace(client, Array(requests).fill([0]), async (_entry, own) => {
			expect(own).toStrictEqual({ ...client, priority: used });
		});
		expect.assertions(requests);
	});

	test('are taken back one by one as they are sent, and all others if they are never sent', async () => {
		const { client, counts } = recording();
		const sending = forEachAtServicePace(client, [[1, 2, 3]], async (entry) => {
			if (entry === 2) throw new Error('no');
		});
		await expect(sending).rejects.toThrow('no');
		expect(counts).toStrictEqual([3, 2, 1, 0]);
	});
});
