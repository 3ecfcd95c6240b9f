import { ExecuteContext } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import type { FaultyRequest } from '../../sandbox/faults.mts';
import { byId, openHarness, type Harness, WELCOME_BROADCAST } from './harness.mts';

let harness: Harness;
beforeAll(async () => {
	harness = await openHarness({
		tickets: 120,
		contacts: 12,
		pageCap: 100,
		rateLimit: { requests: 0 },
	});
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

/** The service does not process the first request to a path before it has received so many of the others. */
function hold(path: string, other: (request: FaultyRequest) => boolean, count: number): void {
	let left = count;
	let isHeld = false;
	let release: () => void;
	const until = new Promise<void>((resolve) => (release = resolve));
	const matches = (request: FaultyRequest) => {
		if (other(request) && --left === 0) release();
		if (isHeld || request.path !== path) return false;
		isHeld = true;
		return true;
	};
	harness.sandbox.faults.add({ kind: 'held', until }, { matches, times: Infinity });
}

const SYNC = { resource: 'contact', operation: 'sync', matchBy: 'waId', dryRun: true };

describe('many items', () => {
	test('items are returned in input order, each paired with its input, although they run concurrently', async () => {
		// The first is the slowest.
		hold('/tickets/1001', ({ path }) => path !== '/tickets/1001', 29);
		const { items, json } = await harness.run(update, { items: numbers(30) });
		expect(json.map(({ ticketNumber }) => ticketNumber)).toStrictEqual(
			numbers(30).map(({ ticket }) => ticket),
		);
		expect(paired(items)).toStrictEqual([...Array(30).keys()]);
	});

	test('parameters are read for each item', async () => {
		const items = [
			{ ticket: '1001', priority: 'LOW' },
			{ ticket: '1002', priority: 'URGENT' },
		];
		expect(
			(await harness.run(update, { items })).json.map(({ priority }) => priority),
		).toStrictEqual(['LOW', 'URGENT']);
	});

	test('without an item, no request is sent', async () => {
		const { json } = await harness.run(update, { items: [] });
		expect(json).toStrictEqual([]);
		expect(harness.sandbox.requests).toStrictEqual([]);
	});
});

describe('a list for several items', () => {
	test('a list that is the same for every item is fetched once', async () => {
		const { json, items } = await harness.run(
			{ resource: 'ticket', operation: 'getAll', returnAll: true },
			{ items: [{}, {}, {}] },
		);
		expect(harness.sandbox.requests).toHaveLength(2);
		expect(json).toHaveLength(3 * 120);
		expect(paired(items).filter((item) => item === 2)).toHaveLength(120);
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
		expect(harness.sandbox.requests.map(({ query }) => query.status).sort()).toStrictEqual([
			'CLOSED',
			'OPEN',
		]);
	});
});

test('items that change the same record keep their order, whatever the others do', async () => {
	const notes = ({ path }: FaultyRequest) => path === '/tickets/1002/notes';
	hold('/tickets/1001/notes', notes, 6);
	const items = Array.from({ length: 12 }, (_, n) => ({
		ticket: n % 2 === 0 ? '1001' : '1002',
		text: `note ${n}`,
	}));
	const { notes: known } = harness.sandbox.world.findTicket('1001')!;
	const before = known.length;
	await harness.run(
		{
			resource: 'ticket',
			operation: 'addNote',
			ticketId: byId('={{ $json.ticket }}'),
			body: '={{ $json.text }}',
		},
		{ items },
	);
	expect(known.slice(before).map(({ body }) => body)).toStrictEqual(
		[0, 2, 4, 6, 8, 10].map((n) => `note ${n}`),
	);
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
		expect(harness.sandbox.requests).toStrictEqual([]);
	});

	test('the run stops at the first item that is rejected, and says how many had succeeded', async () => {
		const { error } = await harness.run(update, {
			items: items.filter(({ ticket }) => ticket !== ''),
		});
		expect(error).toMatchObject({ httpCode: '404', context: { itemIndex: 1 } });
		expect(error!.description).toMatch(/2 of 3 items had already succeeded/);
	});

	test('with Continue, every item has one result, in order', async () => {
		const {
			json,
			items: output,
			error,
		} = await harness.run(update, { items, settings: { onError: 'continueRegularOutput' } });
		expect(error).toBeUndefined();
		expect(paired(output)).toStrictEqual([0, 1, 2, 3]);
		expect(json[1]!.error).toMatch(
			/^The service rejected "Update ticket": Ticket not found \(404 Not Found\)\. Check that the record exists/,
		);
		expect(json[2]!.error).toMatch(/^Ticket is empty\. Pick or enter one/);
		expect([json[0]!.ticketNumber, json[3]!.ticketNumber]).toStrictEqual(['1001', '1002']);
	});

	test('with the error output, rejected items go there with their input', async () => {
		const { json, errorItems } = await harness.run(update, {
			items,
			settings: { onError: 'continueErrorOutput' },
		});
		expect(json.map(({ ticketNumber }) => ticketNumber)).toStrictEqual(['1001', '1002']);
		expect(errorItems.map(({ json: item }) => item)).toStrictEqual([
			{ ticket: '0', priority: 'LOW', error: expect.stringMatching(/Ticket not found/) },
			{ ticket: '', priority: 'LOW', error: expect.stringMatching(/Ticket is empty/) },
		]);
		expect(paired(errorItems)).toStrictEqual([1, 2]);
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

	test.each([
		['a write', { ...update, ticketId: byId('1001') }, {}, true],
		[
			'a write that continues on fail',
			update,
			{ onError: 'continueRegularOutput' as const },
			false,
		],
		['a read', { resource: 'ticket', operation: 'getAll' }, {}, false],
		['Sync, which does only what is left', SYNC, {}, false],
	])('a hint names Retry On Fail for %s: %s', async (_what, parameters, more, isShown) => {
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0, ...more };
		const items = [{ ticket: '1001', priority: 'LOW', waId: '12015550100' }];
		const { hints } = await harness.run(parameters, { items, settings });
		expect(hints.some((hint) => hint.startsWith('Retry On Fail is on'))).toBe(isShown);
	});
});

describe('a missing permission that the service does not name', () => {
	const forbidden = { kind: 'status' as const, status: 403, body: '{"error":"Forbidden"}' };
	const message = { resource: 'message', operation: 'send', to: byId('12015550100') };
	const field = { label: 'city', value: 'Oslo', contactId: byId('12015550100') };

	test.each([
		[
			'the details of a contact, read for its fields',
			'/contacts/12015550100',
			'contacts.view',
			{ resource: 'contactField', operation: 'set', ...field },
		],
		[
			'the list of templates, to resolve an ID',
			'/templates',
			'templates.view',
			{ ...message, type: 'template', templateId: byId('template-1') },
		],
		['the operation itself', '/messages', 'chats.reply', { ...message, text: 'Hello' }],
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

	test('the execution ends at once while it waits for a broadcast', async () => {
		const stop = new AbortController();
		const begun = aWait();
		const sendAt = new Date(Date.now() + 86_400_000).toISOString();
		const run = harness.run(
			{
				...WELCOME_BROADCAST,
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
		expect(methods()).toStrictEqual(['POST']);
	});
});

describe('an expression is evaluated once per item, because it may return another value the next time', () => {
	const ids = ['12025550101', '12025550102'];
	/** Every context reads its parameters with it; n8n's types hide it. */
	const contexts = ExecuteContext.prototype as unknown as {
		_getNodeParameter: (name: string, itemIndex: number) => unknown;
	};
	test.each<[string, INodeParameters]>([
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
				templateId: byId('order_update en_US'),
				audience: 'items',
				recipient: '={{ $json.id }}',
			},
		],
		[
			'a contact',
			{ resource: 'contact', operation: 'upsert', waId: '={{ $json.id }}', name: 'Ana' },
		],
		['a list', { resource: 'ticket', operation: 'getAll', limit: '={{ $json.id.length }}' }],
	])('%s', async (_name, parameters) => {
		const read = jest.spyOn(contexts, '_getNodeParameter');
		const { error } = await harness.run(parameters, { items: ids.map((id) => ({ id })) });
		const names = read.mock.calls.map(([name, itemIndex]) => `${name} ${itemIndex}`);
		read.mockRestore();
		expect(error?.message ?? '').not.toMatch(/expects|empty/);
		expect(names.length).toBeGreaterThan(2 * ids.length);
		expect(names.filter((name, index) => names.indexOf(name) !== index)).toStrictEqual([]);
	});
});
