import type { IDataObject, INodeParameters } from 'n8n-workflow';
import * as processedKey from '../../nodes/ConversationalMessaging/resources/shared/processedKey.ts';
import { startSandbox } from '../../sandbox/server.mts';
import { egressProtection } from '../../tools/engine/egress.mts';
import { byId, type NodeRun, WELCOME_BROADCAST, WELCOME } from './harness.mts';
import { openChat } from '../support/openChat.mts';
import { addText } from '../support/records.mts';
import { CONTINUE, on, SharedHarness } from './sharedHarness.mts';
import { trickle } from './timeout.mts';
// After the harness, which sets what n8n-core reads when it is loaded.
import { DataDeduplicationService } from 'n8n-core';

const service = new SharedHarness({ contacts: 30, tickets: 1 });

const KEY = { sendOnceKey: '={{ $json.order }}' };

/** n8n keeps keys per node, and each test needs a new node. */
let nodeId = 0;
beforeEach(() => nodeId++);
const onNode = (id = String(nodeId)): NodeRun => ({ settings: { id } });

async function send(orders: unknown[], options: IDataObject = KEY, more: NodeRun = {}) {
	return await service.run(
		service.message({
			text: '=Order {{ $json.order?.toString().slice(0, 40) }} is on its way.',
			options: options as INodeParameters,
		}),
		{
			items: orders.map((order) => ({ order }) as IDataObject),
			...more,
			settings: { ...onNode().settings, ...more.settings },
		},
	);
}

/** Sends a template to new customers, who have no chat yet. */
async function sendTemplate(recipients: string[], sendOnceKey: string) {
	for (const waId of recipients)
		if (!service.world.findContactByWaId(waId)) service.world.addContact({ name: 'Ann', waId });
	const to = byId('={{ $json.to }}');
	return await service.run(
		service.message({ to, type: 'template', ...WELCOME, options: { sendOnceKey } }),
		{
			items: recipients.map((to) => ({ to })),
			settings: { ...onNode().settings, ...CONTINUE.settings },
		},
	);
}

/** The texts that reached the service. */
const texts = () => service.bodies('POST /messages').map((body) => body.text);

/** What an item returns whose message was sent before, or may have been. */
const unsent = (sendOnceKey: string) => ({
	sent: false,
	sendOnceKey,
	reason: 'A message for this value was sent before, or may have been',
});
/** Whether each message was sent. */
const outcomes = async (...of: Parameters<typeof send>) =>
	(await send(...of)).json.map(({ sent }) => sent);

test('of the items of a run with the same key, one is sent; a number is the same key as its digits', async () => {
	expect(await outcomes([17, '17', ' 17 ', 18])).toStrictEqual([true, false, false, true]);
	expect(texts()).toHaveLength(2);
});

test('no key is lost when many are recorded at once', async () => {
	const recipients = Array.from({ length: 40 }, (_, n) => String(12_025_550_100 + n));
	for (const sent of [true, false]) {
		const { json } = await sendTemplate(recipients, '={{ $json.to }}');
		expect(json.map((row) => row.sent)).toStrictEqual(recipients.map(() => sent));
	}
	expect(texts()).toHaveLength(recipients.length);
});

test('without the option, the same message is sent every time', async () => {
	expect(await outcomes(['A', 'A'], {})).toStrictEqual([undefined, undefined]);
	expect(texts()).toHaveLength(2);
});

describe('a message that was not sent', () => {
	test('counts as not sent if the service cannot be reached', async () => {
		const gone = await startSandbox({ contacts: 1 });
		await gone.close();
		const { baseUrl } = gone;
		expect((await send(['A'], KEY, { baseUrl })).error?.message).toMatch(/could not be reached/);
		const { clock } = service.time;
		const back = await startSandbox({ contacts: 30, clock, port: Number(new URL(baseUrl).port) });
		expect(await outcomes(['A'], KEY, { baseUrl })).toStrictEqual([true]);
		await back.close();
	});

	// Older versions of n8n do not have it.
	const testEgress = egressProtection() ? test : test.skip;

	testEgress('counts as not sent if n8n’s egress protection blocks it', async () => {
		const protection = egressProtection()!;
		protection.enabled = true;
		const { error } = await send(['A']).finally(() => (protection.enabled = false));
		expect(error?.message).toContain('n8n does not allow requests');
		expect(await outcomes(['A'])).toStrictEqual([true]);
	});

	test('lets another recipient with its key be sent: items with one key wait for each other', async () => {
		service.reject(400);
		expect((await sendTemplate(['12025550143', '12025550144'], 'A')).json).toStrictEqual([
			{ error: expect.stringContaining('rejected "Send message"') },
			expect.objectContaining({ sent: true }),
		]);
	});

	test('counts as not sent if the execution is stopped while it waits for the rate limit', async () => {
		service.reject(429);
		const stop = new AbortController();
		service.time.beforeWaits.push(() => stop.abort());
		await send(['A'], KEY, { signal: stop.signal });
		expect(texts()).toHaveLength(1);
		expect(await outcomes(['A'])).toStrictEqual([true]);
	});
});

test('a message that may have been sent counts as sent if the execution is stopped meanwhile', async () => {
	const signal = service.stopDuring(() => true, { kind: 'hang', when: 'after' });
	expect((await send(['A'], KEY, { signal })).run.status).toBe('canceled');
	expect((await send(['A'])).json).toStrictEqual([unsent('A')]);
	expect(texts()).toHaveLength(1);
});

const KEYWORD = { __rl: true, mode: 'keyword', value: 'welcome' };
const ONCE: [noun: string, verb: string, route: string, INodeParameters][] = [
	['message', 'sent', 'POST /messages', { resource: 'message', operation: 'send', text: 'Hi' }],
	[
		'broadcast',
		'sent',
		'POST /broadcasts',
		{ ...WELCOME_BROADCAST, audience: 'list', recipients: '12025550143' },
	],
	['broadcast', 'sent', 'POST /broadcasts', { ...WELCOME_BROADCAST, audience: 'csvItems' }],
	[
		'flow',
		'started',
		'POST /flows/trigger',
		{ resource: 'flow', operation: 'trigger', flowId: KEYWORD },
	],
];

describe.each(ONCE)('a %s is %s once: %s %#', (noun, verb, route, parameters) => {
	const run = async (orders = ['A'], more: NodeRun = {}) => {
		const { to } = openChat(service.world);
		return await service.run(
			{ to: byId(to), agentId: service.agentId, ...parameters, options: KEY },
			{ ...onNode(), items: orders.map((order) => ({ order, phone: to, name: 'Ann' })), ...more },
		);
	};
	const used = {
		sent: false,
		sendOnceKey: 'A',
		reason: `A ${noun} for this value was ${verb} before, or may have been`,
	};

	test('a second run, or one at the same moment, does nothing', async () => {
		const both = await Promise.all([run(), run()]);
		expect(both.map(({ json }) => json[0]!.sent).sort()).toStrictEqual([false, true]);
		const { json, hints } = await run();
		expect(json).toStrictEqual([used]);
		expect(hints).toStrictEqual([
			`Some ${noun}s were not ${verb}, because a ${noun} for the same value was ${verb} before, or may have been. Their items have sent: false.`,
		]);
		expect(service.sent(route)).toHaveLength(1);
		expect((await run(['B'])).json[0]!.sent).toBe(true);
	});

	test.each([400, 404, 429])('the key is released by a rejection with %i', async (status) => {
		service.reject(status, on(route, 20));
		expect((await run()).error?.httpCode).toBe(String(status));
		service.sandbox.faults.clear();
		expect((await run()).json[0]!.sent).toBe(true);
	});

	test.each([
		{ kind: 'reset', when: 'after' },
		{ kind: 'status', status: 500 },
		{ kind: 'html', status: 200 },
	] as const)('the key is kept if the outcome is uncertain: %j', async (fault) => {
		service.sandbox.faults.add(fault, on(route));
		expect((await run()).error?.description).toMatch(/^Not retried because it may have succeeded/);
		expect((await run()).json).toStrictEqual([used]);
		expect(service.sent(route)).toHaveLength(1);
	});
});

describe('a broadcast that is sent once', () => {
	const broadcast = (more: INodeParameters, options: INodeParameters = {}) => ({
		...WELCOME_BROADCAST,
		audience: 'items',
		recipient: '={{ $json.waId }}',
		...more,
		options: { sendOnceKey: 'May', ...options },
	});
	const people = (count: number) =>
		Array.from({ length: count }, (_, n) => ({ waId: String(12_025_550_100 + n), n }));

	test('may be made of more items than keys are kept, and all have one key', async () => {
		jest.replaceProperty<{ MAX_KEYS: number }, 'MAX_KEYS'>(processedKey, 'MAX_KEYS', 3);
		const { json } = await service.run(broadcast({}), { ...onNode(), items: people(4) });
		expect(json).toMatchObject([{ sent: true, recipientCount: 4 }]);
		const differing = broadcast({}, { sendOnceKey: '={{ $json.n }}' });
		const { error } = await service.run(differing, { ...onNode(), items: people(2) });
		expect(error?.message).toMatch(/^Send Once Key differs between input items/);
	});

	test('releases its key if a guard stops it, and keeps it if it did not succeed', async () => {
		const run = async (options: INodeParameters) =>
			await service.run(broadcast({}, options), { ...onNode(), items: people(2) });
		expect((await run({ maxRecipients: 1 })).error?.message).toMatch(/Max Recipients/);
		service.respond({ success: true, data: { id: 'x', status: 'FAILED' } }, on('GET'));
		expect((await run({ requireSuccess: true })).error?.message).toMatch(/status FAILED$/);
		expect((await run({})).json).toMatchObject([{ sent: false }]);
		expect(service.sent('POST /broadcasts')).toHaveLength(1);
	});
});

describe('a key', () => {
	test.each<[order: unknown, message: RegExp]>([
		...['   ', null, 'null', 'undefined'].map((order): [unknown, RegExp] => [order, / is empty$/]),
		...[['A'], '1.00042E+12'].map((order): [unknown, RegExp] => [order, / expects /]),
	])('cannot be %j', async (order, message) => {
		expect((await send([order])).error?.message).toMatch(message);
		expect(texts()).toStrictEqual([]);
	});

	test.each([`${2 ** 60}`, '({ a: 1 })', '"#REF!"', 'DateTime.fromISO("6.5.").toFormat("d")'])(
		'cannot be what %s returns',
		async (key) => {
			const { error } = await send(['A'], { sendOnceKey: `={{ ${key} }}` });
			expect(error?.message).toMatch(/^Send Once Key expects /);
			expect(texts()).toStrictEqual([]);
		},
	);

	test('can be a date: the same moment is the same value', async () => {
		const key = { sendOnceKey: '={{ DateTime.fromISO($json.order) }}' };
		const orders = ['2031-05-06T12:00:00Z', '2031-05-06T12:00:01Z', '2031-05-06T12:00:00Z'];
		expect(await outcomes(orders, key)).toStrictEqual([true, true, false]);
	});

	test('can be zero, false, a fraction, a letter in either case, or as long as a message', async () => {
		const long = 'x'.repeat(100_000);
		const orders = [0, false, 0.5, 'a', 'A', long, `${long}y`];
		expect(await outcomes(orders)).toStrictEqual(orders.map(() => true));
		expect(await outcomes(orders)).toStrictEqual(orders.map(() => false));
	});

	test('of a run is not forgotten by the run itself: more items than values are kept are rejected', async () => {
		const orders = Array.from({ length: 10_001 }, (_, index) => index);
		expect((await send(orders)).error).toMatchObject({
			message: 'Send Once Key accepts up to 10,000 input items, but got 10001',
			description: expect.stringMatching(/^Nothing was sent\. /),
		});
		expect(texts()).toStrictEqual([]);
	});

	test('is kept among the last 10,000', async () => {
		const record = jest.spyOn(DataDeduplicationService.getInstance(), 'checkProcessedAndRecord');
		await send(['A']);
		expect(record.mock.calls.map(([, , , options]) => options)).toStrictEqual([
			{ mode: 'entries', maxEntries: 10_000 },
		]);
	});

	test('belongs to one node', async () => {
		await send(['A']);
		for (const sent of [true, false])
			expect(await outcomes(['A'], KEY, onNode('other'))).toStrictEqual([sent]);
	});

	test('of a message is not that of a broadcast', async () => {
		await send(['A']);
		const broadcast = { ...ONCE[1]![3], options: KEY };
		const { json } = await service.run(broadcast, { ...onNode(), items: [{ order: 'A' }] });
		expect(json).toMatchObject([{ sent: true }]);
	});

	test('of one base URL is not that of another', async () => {
		await send(['A']);
		const other = await startSandbox({ contacts: 30, clock: service.time.clock });
		expect(await outcomes(['A'], KEY, { baseUrl: other.baseUrl })).toStrictEqual([true]);
		await other.close();
	});
});

describe('n8n’s memory', () => {
	const memory = () => DataDeduplicationService.getInstance();

	test('that cannot record the key lets nothing be sent', async () => {
		jest
			.spyOn(memory(), 'checkProcessedAndRecord')
			.mockRejectedValueOnce(new Error('database is locked'))
			.mockResolvedValueOnce({ new: [], processed: [] });
		expect((await send(['A'])).error).toMatchObject({
			message: 'n8n could not check whether a message was sent for "A": database is locked',
			description: expect.stringMatching(/^Nothing was sent for this value\./),
		});
		expect((await send(['A'])).error?.message).toBe(
			'n8n could not check whether a message was sent for "A": the key was not recorded',
		);
		expect(texts()).toStrictEqual([]);
	});

	test('that cannot forget the key of a rejected message makes it count as sent, and a hint says so', async () => {
		jest.spyOn(memory(), 'removeProcessed').mockRejectedValue(new Error('database is locked'));
		service.reject(400);
		expect((await send(['A'], KEY, CONTINUE)).hints).toStrictEqual([
			'The message for "A" was not sent, but n8n could not remove the value, so the node treats it as sent: database is locked. Change the value before you run the node again',
		]);
	});
});

test('an execution that is stopped while n8n records a value sends nothing for it, and others wait', async () => {
	const memory = DataDeduplicationService.getInstance();
	const real = memory.checkProcessedAndRecord.bind(memory);
	const stop = new AbortController();
	let end: () => void = () => undefined;
	const ended = new Promise<void>((resolve) => (end = resolve));
	const called = new Promise<void>((resolve) => {
		jest.spyOn(memory, 'checkProcessedAndRecord').mockImplementationOnce(async (...of) => {
			resolve();
			await ended;
			return await real(...of);
		});
	});
	const running = send(['A', 'A', 'B'], KEY, { signal: stop.signal });
	await called;
	const other = outcomes(['A', 'C']);
	stop.abort();
	end();
	expect((await running).run.status).toBe('canceled');
	expect(await other).toStrictEqual([true, true]);
	expect(await outcomes(['B'])).toStrictEqual([true]);
	expect(texts()).toHaveLength(3);
});

test('an execution is stopped at once while it waits for another one with the same key', async () => {
	const stopFirst = new AbortController();
	const { closed } = trickle(service.sandbox, 'json', () => () => stopSecond.abort());
	const stopSecond = new AbortController();
	const first = send(['A'], KEY, { signal: stopFirst.signal });
	const second = await send(['A'], KEY, { signal: stopSecond.signal });
	expect(second.run.status).toBe('canceled');
	stopFirst.abort();
	expect((await first).run.status).toBe('canceled');
	await closed;
	expect((await send(['A'])).json).toStrictEqual([unsent('A')]);
});

describe('with Wait for Reply', () => {
	const waiting = { ...KEY, waitForReplyMinutes: 5 };

	test('for a message that was not sent, no chats are read, and nothing is waited for', async () => {
		await send(['A']);
		const before = service.time.clock.now();
		expect((await send(['A'], waiting)).json).toStrictEqual([unsent('A')]);
		expect(service.time.clock.now()).toBe(before);
		expect(service.routes()).toStrictEqual(['POST /messages']);
	});

	test('a message whose chats could not be read before counts as not sent', async () => {
		service.reject(403);
		expect((await send(['A'], waiting)).error?.httpCode).toBe('403');
		expect(texts()).toStrictEqual([]);
		expect(await outcomes(['A'], waiting)).toStrictEqual([true]);
	});

	test('the replies to a message that was sent say so, too', async () => {
		const { chat } = openChat(service.world);
		service.time.afterWaits.push(() => void addText(service.world, chat, 'Thanks'));
		const { json } = await send(['A'], waiting);
		expect(json).toMatchObject([{ sent: true, replied: true, text: 'Thanks' }]);
	});
});
