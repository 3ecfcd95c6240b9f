import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import { FakeTime } from '../time.mts';
import { byId, openHarness, type Harness, type NodeRun, WELCOME_COMPONENTS } from './harness.mts';
import { openChat } from './openChat.mts';
// After the harness, which sets what n8n-core reads when it is loaded.
import { DataDeduplicationService } from 'n8n-core';

let harness: Harness;
let time: FakeTime;
beforeEach(async () => {
	time = new FakeTime().install();
	harness = await openHarness({
		contacts: 30,
		tickets: 20,
		rateLimit: { requests: 0 },
		clock: time.clock,
	});
});
afterEach(async () => {
	time.restore();
	jest.restoreAllMocks();
	await harness.close();
});

const world = () => harness.sandbox.world;

const KEY = { sendOnceKey: '={{ $json.order }}' };

async function send(
	orders: unknown[],
	options: IDataObject = KEY,
	{ parameters = {}, ...run }: NodeRun & { parameters?: INodeParameters } = {},
) {
	const agentId = byId(world().users.newestFirst().next().value!.id);
	return await harness.run(
		{
			resource: 'message',
			operation: 'send',
			to: byId(openChat(world()).to),
			text: '=Order {{ $json.order }} is on its way.',
			agentId,
			options: options as INodeParameters,
			...parameters,
		},
		{ items: orders.map((order) => ({ order }) as IDataObject), ...run },
	);
}

/** The texts that reached the service. */
const texts = (): unknown[] =>
	harness.sandbox.requests
		.filter(({ route }) => route === 'POST /messages')
		.map(({ body }) => (body as IDataObject | undefined)?.text);

/** What an item returns whose message was sent before, or may have been. */
const unsent = (sendOnceKey: string) => ({
	sent: false,
	sendOnceKey,
	reason: 'A message for this value was sent before, or may have been',
});
const outcomes = (json: IDataObject[]) => json.map(({ sent }) => sent);

test('a second run sends only what the first one did not', async () => {
	const first = await send(['A', 'B']);
	expect(outcomes(first.json)).toEqual([true, true]);
	expect(first.json[0]).toHaveProperty('id');
	expect(first.hints).toEqual([]);
	const second = await send(['A', 'B', 'C']);
	expect(second.json).toEqual([unsent('A'), unsent('B'), expect.objectContaining({ sent: true })]);
	expect(second.items.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
	expect(second.hints).toEqual([
		'Some messages were not sent, because a message for the same value was sent before, or may have been. Their items have sent: false.',
	]);
	expect(texts()).toHaveLength(3);
});

test('of the items of a run with the same key, one is sent; a number is the same key as its digits', async () => {
	const { json } = await send([17, '17', ' 17 ', 18]);
	expect(outcomes(json)).toEqual([true, false, false, true]);
	expect(texts()).toHaveLength(2);
});

test('no key is lost when hundreds are recorded at once', async () => {
	const orders = Array.from({ length: 300 }, (_, index) => `order ${index}`);
	const to = { parameters: { to: byId('={{ 12025550100 + $itemIndex }}'), channel: 'WHATSAPP' } };
	for (let i = 0; i < orders.length; i++) {
		const contact = world().addContact({ name: 'Ann', waId: String(12_025_550_100 + i) });
		world().addChat({
			channel: 'WHATSAPP',
			channelId: world().defaultChannel('WHATSAPP')!.id,
			contactId: contact.id,
			needsEscalation: false,
			escalationReason: null,
			assigneeId: null,
			session: null,
			lastInboundAt: world().now(),
		});
	}
	expect(outcomes((await send(orders, KEY, to)).json)).toEqual(orders.map(() => true));
	expect(outcomes((await send(orders, KEY, to)).json)).toEqual(orders.map(() => false));
	expect(texts()).toHaveLength(orders.length);
});

test('two executions at the same moment send one message', async () => {
	const runs = await Promise.all([send(['A', 'B']), send(['A', 'B'])]);
	const sent = runs.flatMap(({ json }) => outcomes(json));
	expect(sent.filter(Boolean)).toHaveLength(2);
	expect(texts()).toHaveLength(2);
});

test('without the option, the same message is sent every time', async () => {
	const { json } = await send(['A', 'A'], {});
	expect(json[0]).not.toHaveProperty('sent');
	expect(texts()).toHaveLength(2);
});

describe('a message that was not sent', () => {
	test.each([
		[400, 'rejects'],
		[403, 'forbids'],
		[429, 'refuses, however often it is asked,'],
	])('counts as not sent if the service %s it', async (status) => {
		harness.sandbox.faults.add({ kind: 'status', status }, { times: 20 });
		const { error } = await send(['A']);
		expect(error?.httpCode).toBe(String(status));
		harness.sandbox.faults.clear();
		expect(outcomes((await send(['A'])).json)).toEqual([true]);
	});

	test('counts as not sent if the service cannot be reached', async () => {
		const baseUrl = harness.sandbox.baseUrl;
		await harness.sandbox.close();
		const { error } = await send(['A'], KEY, { baseUrl });
		expect(error?.message).toMatch(/could not be reached/);
		harness = await openHarness({
			rateLimit: { requests: 0 },
			clock: time.clock,
			port: Number(new URL(baseUrl).port),
		});
		expect(outcomes((await send(['A'])).json)).toEqual([true]);
	});

	test('lets the next item with its key be sent', async () => {
		harness.sandbox.faults.add({ kind: 'status', status: 400 });
		const settings = { onError: 'continueRegularOutput' as const };
		const { json } = await send(['A', 'A'], KEY, { settings });
		expect(json).toEqual([
			{ error: expect.stringContaining('rejected "Send message"') },
			expect.objectContaining({ sent: true }),
		]);
	});

	test('lets another recipient with its key be sent: items with one key wait for each other', async () => {
		const first = openChat(world()).to;
		const { waId } = world().addContact({ name: 'Ann', waId: '12025550187', igId: null });
		harness.sandbox.faults.add({ kind: 'status', status: 400 });
		const { json } = await harness.run(
			{
				resource: 'message',
				operation: 'send',
				to: byId('={{ $json.to }}'),
				type: 'template',
				templateBy: 'name',
				templateName: 'welcome',
				templateComponents: WELCOME_COMPONENTS,
				agentId: byId(world().users.newestFirst().next().value!.id),
				options: { sendOnceKey: 'A' },
			},
			{
				items: [{ to: first }, { to: waId }],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(json).toEqual([
			{ error: expect.stringContaining('rejected "Send message"') },
			expect.objectContaining({ sent: true }),
		]);
	});

	test('counts as not sent if the execution is stopped while it waits for the rate limit', async () => {
		harness.sandbox.faults.add({ kind: 'status', status: 429 });
		const stop = new AbortController();
		const sleep = clock.sleep.bind(clock);
		clock.sleep = async (ms, signal) => {
			stop.abort();
			await sleep(ms, signal);
		};
		await send(['A'], KEY, { signal: stop.signal });
		expect(texts()).toHaveLength(1);
		expect(outcomes((await send(['A'])).json)).toEqual([true]);
	});
});

describe('a message that may have been sent', () => {
	test.each([
		['the response is lost', { kind: 'reset', when: 'after' }],
		['the connection is cut before the response', { kind: 'reset' }],
		['a proxy responds', { kind: 'html', status: 200 }],
		['the service responds with 500', { kind: 'status', status: 500 }],
		['the service responds with 504', { kind: 'status', status: 504 }],
	] as const)('counts as sent if %s', async (_case, fault) => {
		harness.sandbox.faults.add(fault);
		const { error } = await send(['A']);
		expect(error?.description).toMatch(/^Not retried because it may have succeeded/);
		expect((await send(['A'])).json).toEqual([unsent('A')]);
		expect(texts()).toHaveLength(1);
	});
});

describe('a key', () => {
	test.each([[''], ['   '], [null], [undefined]])('must not be %j', async (order) => {
		const { error } = await send([order]);
		expect(error?.message).toBe('Send Once Key is empty');
		expect(texts()).toEqual([]);
	});

	test.each([[['A']], [{ a: 1 }]])('cannot be %j', async (order) => {
		const { error } = await send([order]);
		expect(error?.message).toMatch(/^Send Once Key expects /);
		expect(texts()).toEqual([]);
	});

	test('cannot be a number that is not exact', async () => {
		const { error } = await send(['A'], { sendOnceKey: `={{ ${2 ** 60} }}` });
		expect(error?.message).toMatch(/^Send Once Key expects /);
		expect(texts()).toEqual([]);
	});

	test('can be a date: the same moment is the same value', async () => {
		const key = { sendOnceKey: '={{ DateTime.fromISO($json.order) }}' };
		const orders = ['2031-05-06T12:00:00Z', '2031-05-06T12:00:01Z', '2031-05-06T12:00:00Z'];
		expect(outcomes((await send(orders, key)).json)).toEqual([true, true, false]);
	});

	test('can be zero, false, a fraction, or as long as a message', async () => {
		const orders = [0, false, 0.5, 'x'.repeat(100_000), `${'x'.repeat(100_000)}y`];
		expect(outcomes((await send(orders)).json)).toEqual(orders.map(() => true));
		expect(outcomes((await send(orders)).json)).toEqual(orders.map(() => false));
	});

	test('in upper case is not the same in lower case', async () => {
		expect(outcomes((await send(['a', 'A'])).json)).toEqual([true, true]);
	});

	test('of a run is not forgotten by the run itself: more items than values are kept are rejected', async () => {
		const orders = Array.from({ length: 10_001 }, (_, index) => index);
		const { error } = await send(orders);
		expect(error).toMatchObject({
			message: 'Send Once Key accepts up to 10,000 input items, but got 10001',
			description: expect.stringMatching(/^Nothing was sent\. /),
		});
		expect(texts()).toEqual([]);
	});

	test('is kept among the last 10,000', async () => {
		const record = jest.spyOn(DataDeduplicationService.getInstance(), 'checkProcessedAndRecord');
		await send(['A']);
		expect(record.mock.calls.map(([, , , options]) => options)).toEqual([
			{ mode: 'entries', maxEntries: 10_000 },
		]);
	});

	test('belongs to one node', async () => {
		const other = { settings: { id: 'other' } };
		await send(['A']);
		expect(outcomes((await send(['A'], KEY, other)).json)).toEqual([true]);
		expect(outcomes((await send(['A'], KEY, other)).json)).toEqual([false]);
	});

	test('of one base URL is not that of another', async () => {
		await send(['A']);
		const other = await openHarness({ rateLimit: { requests: 0 }, clock: time.clock });
		const first = harness;
		harness = other;
		expect(outcomes((await send(['A'])).json)).toEqual([true]);
		await first.close();
	});
});

test('if n8n cannot record the key, nothing is sent', async () => {
	jest
		.spyOn(DataDeduplicationService.getInstance(), 'checkProcessedAndRecord')
		.mockRejectedValue(new Error('database is locked'));
	const { error } = await send(['A']);
	expect(error?.message).toBe(
		'n8n could not check whether a message was sent for "A": database is locked',
	);
	expect(error?.description).toMatch(/^Nothing was sent for this value\./);
	expect(texts()).toEqual([]);
});

test('if n8n returns the key neither as new nor as known, nothing is sent', async () => {
	jest
		.spyOn(DataDeduplicationService.getInstance(), 'checkProcessedAndRecord')
		.mockResolvedValue({ new: [], processed: [] });
	const { error } = await send(['A']);
	expect(error?.message).toBe(
		'n8n could not check whether a message was sent for "A": the key was not recorded',
	);
	expect(texts()).toEqual([]);
});

test('if n8n cannot forget the key of a rejected message, the user learns that it counts as sent', async () => {
	jest
		.spyOn(DataDeduplicationService.getInstance(), 'removeProcessed')
		.mockRejectedValue(new Error('database is locked'));
	harness.sandbox.faults.add({ kind: 'status', status: 400 });
	const settings = { onError: 'continueRegularOutput' as const };
	const { hints } = await send(['A'], KEY, { settings });
	expect(hints).toEqual([
		'The message for "A" was not sent, but n8n could not remove the value, so the node treats it as sent: database is locked',
	]);
});

test('for a message that was not sent, no chats are read, and nothing is waited for', async () => {
	await send(['A']);
	const before = time.clock.now();
	const { json } = await send(['A'], { ...KEY, waitForReplyMinutes: 5 });
	expect(json).toEqual([unsent('A')]);
	expect(time.clock.now()).toBe(before);
	expect(harness.sandbox.requests.map(({ route }) => route)).toEqual(['POST /messages']);
});

test('a message whose chats could not be read before counts as not sent', async () => {
	const waiting = { ...KEY, waitForReplyMinutes: 1 };
	harness.sandbox.faults.add({ kind: 'status', status: 403 });
	expect((await send(['A'], waiting)).error?.httpCode).toBe('403');
	expect(texts()).toEqual([]);
	expect(outcomes((await send(['A'], waiting)).json)).toEqual([true]);
});

test('the replies to a message that was sent say so, too', async () => {
	const { chat } = openChat(world());
	const sleep = clock.sleep.bind(clock);
	clock.sleep = async (ms, signal) => {
		await sleep(ms, signal);
		const content = { text: 'Thanks' };
		world().addMessage(chat, { direction: 'INBOUND', type: 'text', content, agentId: null });
	};
	const { json } = await send(['A'], { ...KEY, waitForReplyMinutes: 5 });
	expect(json).toMatchObject([{ sent: true, replied: true, text: 'Thanks' }]);
	expect((await send(['A'], { ...KEY, waitForReplyMinutes: 5 })).json).toEqual([unsent('A')]);
});
