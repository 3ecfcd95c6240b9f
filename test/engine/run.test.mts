import { ExecuteContext } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import {
	INITIAL_LIMIT,
	MAX_LIMIT,
} from '../../nodes/ConversationalMessaging/api/concurrencyLimit.ts';
import { byId, openHarness, type Harness, WELCOME_COMPONENTS } from './harness.mts';

let harness: Harness;
beforeAll(async () => {
	harness = await openHarness({ tickets: 250, contacts: 450, rateLimit: { requests: 0 } });
});
afterAll(async () => await harness.close());
beforeEach(() => {
	harness.sandbox.requests.length = 0;
	harness.sandbox.faults.clear();
});

const update = {
	resource: 'ticket',
	operation: 'update',
	ticketId: byId('={{ $json.ticket }}'),
	updateFields: { priority: '={{ $json.priority }}' },
};
const numbers = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({ ticket: String(1001 + index), priority: 'HIGH' }));
const paired = (items: { pairedItem?: unknown }[]) =>
	items.map(({ pairedItem }) => (pairedItem as { item: number }).item);

describe('many items', () => {
	test('items are returned in input order, each paired with its input, although they run concurrently', async () => {
		// The first is the slowest.
		harness.sandbox.faults.add(
			{ kind: 'latency', ms: 100 },
			{ matches: ({ path }) => path === '/tickets/1001' },
		);
		const { items, json } = await harness.run(update, { items: numbers(30) });
		expect(json.map(({ ticketNumber }) => ticketNumber)).toEqual(
			numbers(30).map(({ ticket }) => ticket),
		);
		expect(paired(items)).toEqual([...Array(30).keys()]);
		const last = harness.sandbox.requests.findIndex(({ path }) => path === '/tickets/1008');
		expect(last).toBeLessThan(12);
	});

	test('parameters are read for each item', async () => {
		const items = [
			{ ticket: '1001', priority: 'LOW' },
			{ ticket: '1002', priority: 'URGENT' },
		];
		expect((await harness.run(update, { items })).json.map(({ priority }) => priority)).toEqual([
			'LOW',
			'URGENT',
		]);
	});

	test('every row of a list is paired with its item', async () => {
		const parameters = {
			resource: 'contact',
			operation: 'getAll',
			limit: 2,
			filters: { search: '={{ $json.search }}' },
		};
		const { items } = await harness.run(parameters, {
			items: [{ search: '1201' }, { search: 'nobody at all' }, { search: '1203' }],
		});
		expect(paired(items)).toEqual([0, 2]);
	});

	test('without an item, no request is sent', async () => {
		const { json } = await harness.run(update, { items: [] });
		expect(json).toEqual([]);
		expect(harness.sandbox.requests).toEqual([]);
	});
});

describe('a list for several items', () => {
	test('a list that is the same for every item is fetched once', async () => {
		const { json, items } = await harness.run(
			{ resource: 'ticket', operation: 'getAll', returnAll: true },
			{ items: [{}, {}, {}] },
		);
		expect(harness.sandbox.requests).toHaveLength(2);
		expect(json).toHaveLength(750);
		expect(paired(items).filter((item) => item === 2)).toHaveLength(250);
		// Each item has its own objects, so that changing one does not change another.
		expect(json[0]).not.toBe(json[250]);
	});

	test('a list is fetched again if its filters differ', async () => {
		const parameters = {
			resource: 'ticket',
			operation: 'getAll',
			limit: 1,
			filters: { status: '={{ $json.status }}' },
		};
		await harness.run(parameters, {
			items: [{ status: 'OPEN' }, { status: 'CLOSED' }, { status: 'OPEN' }],
		});
		expect(harness.sandbox.requests.map(({ query }) => query.status).sort()).toEqual([
			'CLOSED',
			'OPEN',
		]);
	});
});

describe('order', () => {
	test('items that change the same record keep their order', async () => {
		harness.sandbox.faults.add(
			{ kind: 'latency', ms: 60 },
			{ matches: ({ path }) => path.endsWith('/notes') },
		);
		const items = Array.from({ length: 12 }, (_, n) => ({
			ticket: n % 2 === 0 ? '1001' : '1002',
			text: `note ${n}`,
		}));
		const before = harness.sandbox.world.findTicket('1001')!.notes.length;
		await harness.run(
			{
				resource: 'ticket',
				operation: 'addNote',
				ticketId: byId('={{ $json.ticket }}'),
				body: '={{ $json.text }}',
			},
			{ items },
		);
		const notes = harness.sandbox.world.findTicket('1001')!.notes.slice(before);
		expect(notes.map(({ body }) => body)).toEqual([
			'note 0',
			'note 2',
			'note 4',
			'note 6',
			'note 8',
			'note 10',
		]);
	});

	test('messages to the same contact keep their order, however the number is written', async () => {
		const { world, faults } = harness.sandbox;
		const chat = world.chats.find(
			({ session, channel, lastInboundAt }) =>
				!!session && channel === 'WHATSAPP' && Date.now() - lastInboundAt! < 8e7,
		)!;
		const to = world.contacts.get(chat.contactId)!.waId!;
		const items = [to, `+${to}`, `+${to.slice(0, 1)} (${to.slice(1, 4)}) ${to.slice(4)}`].map(
			(number, n) => ({ to: number, text: `message ${n}` }),
		);
		faults.add({ kind: 'latency', ms: 80 });
		await harness.run(
			{
				resource: 'message',
				operation: 'send',
				to: byId('={{ $json.to }}'),
				type: 'text',
				text: '={{ $json.text }}',
			},
			{ items },
		);
		const sent = world.messages.get(chat.id)!.slice(-3);
		expect(sent.map(({ content }) => content.text)).toEqual([
			'message 0',
			'message 1',
			'message 2',
		]);
	});
});

describe('an item that is rejected', () => {
	const items = [
		{ ticket: '1001', priority: 'LOW' },
		{ ticket: '0', priority: 'LOW' },
		{ ticket: '', priority: 'LOW' },
		{ ticket: '1002', priority: 'LOW' },
	];

	test('the run stops at an item with an unusable parameter before anything is sent', async () => {
		const { error } = await harness.run(update, { items });
		expect(error).toMatchObject({ message: 'Ticket is empty', context: { itemIndex: 2 } });
		expect(harness.sandbox.requests).toEqual([]);
	});

	test('the run stops at the first item that is rejected, and says how many had succeeded', async () => {
		const { error } = await harness.run(update, {
			items: items.filter(({ ticket }) => ticket !== ''),
		});
		expect(error).toMatchObject({ httpCode: '404', context: { itemIndex: 1 } });
		expect(error!.description).toMatch(/2 of 3 items had already succeeded/);
	});

	test('the run starts no further items after a rejection', async () => {
		const many = [{ ticket: '0', priority: 'LOW' }, ...numbers(100)];
		// The rejection arrives first: only what is in flight by then has been sent.
		const matches = ({ path }: { path: string }) => path !== '/tickets/0';
		harness.sandbox.faults.add({ kind: 'latency', ms: 500 }, { times: 100, matches });
		await harness.run(update, { items: many });
		expect(harness.sandbox.requests.length).toBeLessThanOrEqual(MAX_LIMIT);
	});

	test('with Continue, every item has one result, in order', async () => {
		const {
			json,
			items: output,
			error,
		} = await harness.run(update, { items, settings: { onError: 'continueRegularOutput' } });
		expect(error).toBeUndefined();
		expect(paired(output)).toEqual([0, 1, 2, 3]);
		expect(json[1]!.error).toMatch(
			/^The service rejected "Update ticket": Ticket not found \(404 Not Found\)\. Check that the record exists/,
		);
		expect(json[2]!.error).toMatch(/^Ticket is empty\. Pick one/);
		expect([json[0]!.ticketNumber, json[3]!.ticketNumber]).toEqual(['1001', '1002']);
	});

	test('with Continue, an unusable credential is reported for every item', async () => {
		const { json, items: output } = await harness.run(update, {
			items: numbers(2),
			baseUrl: 'https://api.example.com/api/v1',
			settings: { onError: 'continueRegularOutput' },
		});
		expect(json).toEqual([0, 1].map(() => ({ error: expect.stringMatching(/Change it to/) })));
		expect(paired(output)).toEqual([0, 1]);
	});

	test('with the error output, rejected items go there with their input', async () => {
		const { json, errorItems } = await harness.run(update, {
			items,
			settings: { onError: 'continueErrorOutput' },
		});
		expect(json.map(({ ticketNumber }) => ticketNumber)).toEqual(['1001', '1002']);
		expect(errorItems.map(({ json: item }) => item)).toEqual([
			{ ticket: '0', priority: 'LOW', error: expect.stringMatching(/Ticket not found/) },
			{ ticket: '', priority: 'LOW', error: expect.stringMatching(/Ticket is empty/) },
		]);
		expect(paired(errorItems)).toEqual([1, 2]);
	});

	test('with Retry On Fail and Continue, n8n does not send the other items again', async () => {
		const settings = {
			onError: 'continueRegularOutput' as const,
			retryOnFail: true,
			maxTries: 3,
			waitBetweenTries: 0,
		};
		const rejectedFirst = [
			{ ticket: '0', priority: 'LOW' },
			{ ticket: '1001', priority: 'LOW' },
		];
		const { json } = await harness.run(update, { items: rejectedFirst, settings });
		expect(harness.sandbox.requests.filter(({ path }) => path === '/tickets/1001')).toHaveLength(1);
		expect(json[0]!.error).toMatch(/Ticket not found/);
	});
});

describe('a missing permission that the service does not name', () => {
	const forbidden = { kind: 'status' as const, status: 403, body: '{"error":"Forbidden"}' };
	const template = {
		templateBy: 'list',
		templateId: byId('template-1'),
		templateVariables: { mappingMode: 'defineBelow', value: null },
	};
	test.each([
		[
			'the details of a contact, read for its fields',
			'/contacts/12015550100',
			'contacts.view',
			{
				resource: 'contactField',
				operation: 'set',
				contactId: byId('12015550100'),
				label: 'city',
				value: 'Oslo',
			},
		],
		[
			'the list of templates, to resolve an ID',
			'/templates',
			'templates.view',
			{
				resource: 'message',
				operation: 'send',
				to: byId('12015550100'),
				type: 'template',
				...template,
			},
		],
		[
			'the operation itself',
			'/messages',
			'chats.reply',
			{
				resource: 'message',
				operation: 'send',
				to: byId('12015550100'),
				type: 'text',
				text: 'Hello',
			},
		],
	])(
		'the message names the permission of the rejected request: %s',
		async (_name, path, permission, parameters) => {
			harness.sandbox.faults.add(forbidden, { matches: (request) => request.path === path });
			const { error } = await harness.run(parameters);
			expect(error!.httpCode).toBe('403');
			expect(error!.description).toContain(`lacks the permission ${permission}.`);
		},
	);
});

describe('an execution that the user stops', () => {
	const real = { ...clock };
	afterEach(() => Object.assign(clock, real));

	/** Resolves when the next wait of at least a second begins. */
	const aWait = async () =>
		await new Promise<void>((resolve) => {
			clock.sleep = async (ms, signal) => {
				if (ms >= 1_000) resolve();
				await real.sleep(ms, signal);
			};
		});

	test.each([
		[
			'it waits for a response',
			'all',
			async () =>
				await new Promise<void>((resolve) => {
					const matches = () => {
						resolve();
						return true;
					};
					harness.sandbox.faults.add({ kind: 'hang' }, { times: 99, matches });
				}),
		],
		[
			'it waits for the rate limit',
			'withoutSettings',
			async () => {
				const headers = { 'retry-after': '200' };
				// More than one: a request of the run before may still arrive.
				harness.sandbox.faults.add({ kind: 'status', status: 429, headers }, { times: 99 });
				await aWait();
			},
		],
		[
			'it waits to retry',
			'readOnly',
			async () => {
				const headers = { 'retry-after': '200' };
				harness.sandbox.faults.add({ kind: 'status', status: 503, headers }, { times: 99 });
				await aWait();
			},
		],
	] as const)('the execution ends at once while %s', async (_name, owner, arrange) => {
		const begun = arrange();
		// A separate token for each case: the rate limiter may still be paused.
		const token = harness.sandbox.tokens[owner].value;
		const stop = new AbortController();
		const run = harness.run(
			{ resource: 'ticket', operation: 'get', ticketId: byId('1001') },
			{ items: [{}, {}, {}], signal: stop.signal, token },
		);
		await begun;
		stop.abort();
		// Each of these waits is longer than a test may take.
		expect((await run).run.status).toBe('canceled');
	});

	test('every slot of the rate limiter is free after executions were stopped', async () => {
		const { otherOrganization } = harness.sandbox.tokens;
		const token = otherOrganization.value;
		const parameters = { resource: 'ticket', operation: 'get', ticketId: byId('1001') };
		for (let n = 0; n < 3 * INITIAL_LIMIT; n++) {
			const stop = new AbortController();
			const matches = () => {
				stop.abort();
				return true;
			};
			harness.sandbox.faults.add({ kind: 'hang' }, { times: 99, matches });
			const run = harness.run(parameters, { items: [{}, {}], signal: stop.signal, token });
			expect((await run).run.status).toBe('canceled');
			harness.sandbox.faults.clear();
		}
		const { json } = await harness.run(parameters, { items: Array(20).fill({}), token });
		expect(json).toHaveLength(20);
	});

	test('the execution ends at once while it waits for a broadcast', async () => {
		const stop = new AbortController();
		const begun = aWait();
		const sendAt = new Date(Date.now() + 86_400_000).toISOString();
		const run = harness.run(
			{
				resource: 'broadcast',
				operation: 'create',
				name: 'B',
				templateBy: 'name',
				templateName: 'welcome',
				templateComponents: WELCOME_COMPONENTS,
				audience: 'list',
				recipients: '12015550100',
				scheduleType: 'schedule',
				sendAt,
				options: { waitForCompletionMinutes: 10 },
			},
			{ signal: stop.signal },
		);
		// Requests of a previously stopped run may still arrive.
		const methods = () =>
			harness.sandbox.requests
				.filter(({ path }) => path.startsWith('/broadcasts'))
				.map(({ method }) => method);
		await begun;
		stop.abort();
		expect((await run).run.status).toBe('canceled');
		expect(methods()).toEqual(['POST']);
	});
});

describe('an expression is evaluated once per item, because it may return another value the next time', () => {
	const ids = ['12025550101', '12025550102'];
	test.each<[string, IDataObject]>([
		[
			'a message',
			{ resource: 'message', operation: 'send', to: byId('={{ $json.id }}'), text: 'Hi' },
		],
		[
			'a broadcast to a field of all items',
			{
				resource: 'broadcast',
				operation: 'create',
				name: 'Sale',
				templateBy: 'name',
				templateName: 'order_update',
				audience: 'items',
				recipient: '={{ $json.id }}',
			},
		],
		[
			'a contact',
			{ resource: 'contact', operation: 'upsert', waId: '={{ $json.id }}', name: 'Ana' },
		],
		['a list', { resource: 'ticket', operation: 'getAll', limit: '={{ $json.id.length }}' }],
	])('expressions are evaluated once per item for %s', async (_name, parameters) => {
		const read = jest.spyOn(ExecuteContext.prototype as any, '_getNodeParameter');
		const { error } = await harness.run(parameters as never, { items: ids.map((id) => ({ id })) });
		const names = read.mock.calls.map(
			([name, itemIndex]) => `${String(name)} ${String(itemIndex)}`,
		);
		read.mockRestore();
		expect(error?.message ?? '').not.toMatch(/expects|empty/);
		expect(names.length).toBeGreaterThan(2 * ids.length);
		expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
	});
});
