import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import type { Chat } from '../../sandbox/records.mts';
import { FakeTime } from '../time.mts';
import { byId, openHarness, type Harness, type NodeRun } from './harness.mts';
import { openChat } from './openChat.mts';

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
	await harness.close();
});

const world = () => harness.sandbox.world;
const MINUTE = 60_000;

const WAIT = { waitForReplyMinutes: 5 };

const agentId = () => byId(world().users.newestFirst().next().value!.id);

/** The customer writes this after a while. */
function later(chat: Chat, ms: number, ...texts: string[]): void {
	const at = time.clock.now() + ms;
	const sleep = clock.sleep.bind(clock);
	let left = texts;
	clock.sleep = async (pause, signal) => {
		await sleep(pause, signal);
		if (time.clock.now() < at) return;
		for (const text of left) write(chat, text);
		left = [];
	};
}

/** Whether the message was sent, and the wait has begun. */
const isWaiting = () => requests('POST /messages').length > 0;

/** Does this once, when the wait begins. */
function duringWait(action: () => void): void {
	const sleep = clock.sleep.bind(clock);
	let isDone = false;
	clock.sleep = async (ms, signal) => {
		if (!isDone && isWaiting()) action();
		isDone ||= isWaiting();
		await sleep(ms, signal);
	};
}

const write = (chat: Chat, text: string, direction: 'INBOUND' | 'OUTBOUND' = 'INBOUND') =>
	world().addMessage(chat, { direction, type: 'text', content: { text }, agentId: null });

/** The chat of a contact, who is new if nobody has this ID. */
function addChat(waId: string): Chat {
	const contact = world().findContactByWaId(waId) ?? world().addContact({ name: 'Ann', waId });
	return (
		world().chatOf(contact.id) ??
		world().addChat({
			channel: 'WHATSAPP',
			channelId: world().defaultChannel('WHATSAPP')!.id,
			contactId: contact.id,
			needsEscalation: false,
			escalationReason: null,
			assigneeId: null,
			session: null,
			lastInboundAt: world().now(),
		})
	);
}

async function ask(
	to: string,
	options: IDataObject = WAIT,
	more: INodeParameters = {},
	run: NodeRun = {},
) {
	const parameters = {
		resource: 'message',
		operation: 'send',
		to: byId(to),
		text: 'When shall we deliver?',
		agentId: agentId(),
		options: options as INodeParameters,
		...more,
	};
	return await harness.run(parameters, run);
}

const requests = (route: string) =>
	harness.sandbox.requests.filter((request) => request.route === route);

test('the customer’s replies are returned, oldest first, and nothing that was there before', async () => {
	const { chat, to } = openChat(world());
	write(chat, 'Hello?');
	later(chat, MINUTE, 'Tomorrow', 'after 4');
	const { json, error } = await ask(to);
	expect(error).toBeUndefined();
	expect(json.map(({ text }) => text)).toEqual(['Tomorrow', 'after 4']);
	expect(json[0]).toMatchObject({
		replied: true,
		messageId: expect.stringMatching(/^wamid\./),
		receivedAt: new Date(time.clock.now()).toISOString(),
		record: { direction: 'INBOUND' },
	});
	expect(requests('POST /messages')).toHaveLength(1);
});

test('with selected fields, the reply is returned all the same', async () => {
	const { chat, to } = openChat(world());
	later(chat, MINUTE, 'Tomorrow');
	const selected = { ...WAIT, outputFieldNames: 'id' };
	expect((await ask(to, selected)).json).toEqual([
		{
			replied: true,
			messageId: expect.any(String),
			text: 'Tomorrow',
			receivedAt: expect.any(String),
		},
	]);
});

test.each(['createdAt', 'seconds', 'none'] as const)(
	'what the customer wrote just before the message is no reply to it (times: %s)',
	async (messageTime) => {
		Object.assign(harness.sandbox.options.shapes, { messageTime });
		const { chat, to } = openChat(world());
		let isWritten = false;
		// Between reading the chats and sending.
		harness.sandbox.faults.add(
			{ kind: 'latency', ms: 0 },
			{
				times: 100,
				matches: ({ route }) => {
					if (route === 'POST /messages' && !isWritten) write(chat, 'Are you there?');
					isWritten ||= route === 'POST /messages';
					return false;
				},
			},
		);
		later(chat, MINUTE, 'Tomorrow');
		expect((await ask(to)).json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
	},
);

test('what others send to the customer meanwhile is no reply', async () => {
	const { chat, to } = openChat(world());
	const sleep = clock.sleep.bind(clock);
	clock.sleep = async (ms, signal) => {
		await sleep(ms, signal);
		write(chat, 'An agent adds something', 'OUTBOUND');
	};
	const { json } = await ask(to, { waitForReplyMinutes: 1 });
	expect(json).toEqual([expect.objectContaining({ replied: false, status: 'SENT' })]);
});

test('without a reply, the message is returned when the time is up, after a few looks', async () => {
	const { to } = openChat(world());
	const before = time.clock.now();
	const { json, hints } = await ask(to, { waitForReplyMinutes: 10 });
	expect(json).toEqual([expect.objectContaining({ replied: false, status: 'SENT' })]);
	expect(json[0]).not.toHaveProperty('replyReason');
	expect(hints).toEqual([]);
	expect(time.clock.now() - before).toBe(10 * MINUTE);
	expect(requests('GET /chats/{id}/messages').length).toBeLessThan(30);
});

test('each pause is half as long again as the one before, up to half a minute', async () => {
	const { to } = openChat(world());
	await ask(to, { waitForReplyMinutes: 3 });
	expect(time.waits.slice(0, 3)).toEqual([2_000, 3_000, 4_500]);
	expect(time.waits.slice(-4, -1)).toEqual([30_000, 30_000, 30_000]);
});

test('the newest messages are read, of all chats of the recipient on the chosen channel', async () => {
	const { chat, to } = openChat(world());
	await ask(to, { waitForReplyMinutes: 1, channelId: byId(chat.channelId) });
	expect(requests('GET /chats')[0]!.query).toEqual({
		waId: to,
		channel: 'WHATSAPP',
		channelId: chat.channelId,
		limit: '100',
	});
	expect(requests('GET /chats/{id}/messages')[0]!.query).toEqual({ take: '100' });
});

describe('a service that does not show the direction of a message', () => {
	beforeEach(() => {
		harness.sandbox.options.shapes.messageDirection = 'none';
	});
	/** The chat has this message by the time of the first look. */
	const receive = (chat: Chat, content: Record<string, unknown>) => {
		const sleep = clock.sleep.bind(clock);
		clock.sleep = async (ms, signal) => {
			if (time.waits.length === 0)
				world().addMessage(chat, { direction: 'INBOUND', type: 'text', content, agentId: null });
			await sleep(ms, signal);
		};
	};

	test.each<[whose: string, channel: Chat['channel'], from: (chat: Chat, to: string) => string]>([
		['number', 'WHATSAPP', (_chat, to) => to],
		['Instagram ID', 'INSTAGRAM', (_chat, to) => to],
		['contact', 'INSTAGRAM', ({ contactId }) => contactId],
	])('a message from the customer’s %s on %s is a reply', async (_whose, channel, from) => {
		const { chat, to } = openChat(world(), channel);
		receive(chat, { text: 'Now', from: from(chat, to) });
		const { json } = await ask(to, WAIT, { channel });
		expect(json).toEqual([expect.objectContaining({ replied: true, text: 'Now' })]);
	});

	test('a message that shows nothing of its sender may be a reply, which the item says', async () => {
		const { chat, to } = openChat(world());
		receive(chat, { text: 'Now' });
		const { json } = await ask(to);
		expect(json).toEqual([
			expect.objectContaining({
				replied: false,
				replyReason: expect.stringMatching(/^There are new messages, but they do not show who/),
			}),
		]);
	});

	test('the message that was sent is none of them', async () => {
		const { json } = await ask(openChat(world()).to);
		expect(json).toEqual([expect.objectContaining({ replied: false })]);
		expect(json[0]).not.toHaveProperty('replyReason');
	});
});

test.each([0, -1, 10_081, 1e21])('%j minutes are no time to wait', async (waitForReplyMinutes) => {
	const { to } = openChat(world());
	const { error } = await ask(to, { waitForReplyMinutes });
	expect(error!.message).toContain(
		'Wait for Reply (Minutes) expects a number above 0, up to 10,080 (a week)',
	);
	expect(requests('POST /messages')).toEqual([]);
});

test('a customer on Instagram is found by the contact', async () => {
	const { chat, to } = openChat(world(), 'INSTAGRAM');
	later(chat, 10_000, 'Now');
	const { json, error } = await ask(to, WAIT, { channel: 'INSTAGRAM' });
	expect(error).toBeUndefined();
	expect(json).toEqual([expect.objectContaining({ replied: true, text: 'Now' })]);
	expect(requests('GET /chats')[0]!.query).toMatchObject({ contactId: chat.contactId });
});

test('a template to somebody without a chat waits in the chat that it opens', async () => {
	const contact = world().addContact({ name: 'Ann', waId: '12025550187', igId: null });
	const sleep = clock.sleep.bind(clock);
	clock.sleep = async (ms, signal) => {
		await sleep(ms, signal);
		const chat = world().chatOf(contact.id);
		if (chat && time.waits.length === 3) write(chat, 'Hi');
	};
	const components = [
		{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Ann' }] },
	];
	const { json, error } = await ask('12025550187', WAIT, {
		type: 'template',
		templateBy: 'name',
		templateName: 'welcome',
		templateComponents: JSON.stringify(components),
	});
	expect(error).toBeUndefined();
	expect(json).toEqual([expect.objectContaining({ replied: true, text: 'Hi' })]);
});

describe('before the message is sent', () => {
	test('chats that cannot be read are reported, and nothing is sent', async () => {
		const { to } = openChat(world());
		harness.sandbox.tokens.all.permissions = ['chats.reply'];
		const { error } = await ask(to);
		expect(error!.message).toContain('chats.view');
		expect(error!.description).toMatch(
			/^The message was not sent, because Wait for Reply reads the chats first\. .*chats\.view/,
		);
		expect(requests('POST /messages')).toEqual([]);
	});

	test('a number that the service does not know has no chats yet', async () => {
		const { chat, to } = openChat(world());
		harness.sandbox.faults.add(
			{ kind: 'status', status: 404 },
			{ matches: ({ route }) => route === 'GET /chats' && !isWaiting(), times: 9 },
		);
		later(chat, MINUTE, 'Tomorrow');
		const { json, error } = await ask(to);
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
	});

	test('an Instagram ID that the service does not know has no chats yet', async () => {
		const { chat, to } = openChat(world(), 'INSTAGRAM');
		harness.sandbox.faults.add(
			{ kind: 'status', status: 404 },
			{ matches: ({ route }) => route === 'GET /contacts/{id}' && !isWaiting() },
		);
		later(chat, MINUTE, 'Tomorrow');
		const { json, error } = await ask(to, WAIT, { channel: 'INSTAGRAM' });
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
	});
});

test('chats that can no longer be read do not end the wait, and do not send the message again', async () => {
	const { to } = openChat(world());
	const before = time.clock.now();
	duringWait(() => {
		harness.sandbox.tokens.all.permissions = ['chats.reply'];
	});
	const { json, error, hints } = await ask(to);
	expect(error).toBeUndefined();
	expect(json).toEqual([
		expect.objectContaining({
			status: 'SENT',
			replied: false,
			replyReason: expect.stringContaining('chats.view'),
		}),
	]);
	expect(hints).toEqual([
		expect.stringMatching(/^The message was sent\. Its replies could not be read/),
	]);
	expect(time.clock.now() - before).toBe(5 * MINUTE);
	expect(requests('POST /messages')).toHaveLength(1);
});

test.each([404, 500, 503])('reads that end with %d do not end the wait', async (status) => {
	const { chat, to } = openChat(world());
	const matches = ({ route }: { route?: string }) => route !== 'POST /messages' && isWaiting();
	harness.sandbox.faults.add({ kind: 'status', status }, { matches, times: 20 });
	later(chat, 3 * MINUTE, 'Tomorrow');
	const { json, error } = await ask(to);
	expect(error).toBeUndefined();
	expect(json).toEqual([expect.objectContaining({ replied: true, text: 'Tomorrow' })]);
});

test('all messages are sent before the first wait ends, and the waits pass side by side', async () => {
	const chats = Array.from({ length: 20 }, (_, n) => addChat(String(12_025_550_100 + n)));
	const before = time.clock.now();
	let sentAtFirst: number | undefined;
	const sleep = clock.sleep.bind(clock);
	clock.sleep = async (ms, signal) => {
		// The first pause of a wait, not one for the rate limit.
		if (ms === 2_000 && sentAtFirst === undefined) {
			sentAtFirst = requests('POST /messages').length;
			later(chats[19]!, MINUTE, 'The last one');
		}
		await sleep(ms, signal);
	};
	const { json, items, error } = await ask(
		'={{ $json.to }}',
		{ waitForReplyMinutes: 10 },
		{},
		{ items: chats.map((_, n) => ({ to: String(12_025_550_100 + n) })) },
	);
	expect(error).toBeUndefined();
	expect(sentAtFirst).toBe(20);
	expect(json.map(({ replied }) => replied)).toEqual([...Array<boolean>(19).fill(false), true]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(chats.map((_, item) => ({ item })));
	// On this clock, the pauses of waits side by side add up.
	expect(time.clock.now() - before).toBeLessThan(15 * MINUTE);
});

test('two messages to one customer are both sent at once, and what the customer writes answers both', async () => {
	const { chat, to } = openChat(world());
	later(chat, MINUTE, 'Yes');
	const { json } = await ask(to, WAIT, {}, { items: [{}, {}] });
	expect(json).toMatchObject([
		{ replied: true, text: 'Yes' },
		{ replied: true, text: 'Yes' },
	]);
});

describe('a customer who is stored in another form', () => {
	test.each([
		['12025550143', '+12025550143'],
		['5215512345678', '525512345678'],
		['525512345678', '5215512345678'],
		['525512345678', '+5215512345678'],
		['541123456789', '5491123456789'],
		['US.13491208655302741918', 'US.13491208655302741918'],
	])('is found by %s if the service has %s', async (to, waId) => {
		const chat = addChat(waId);
		// So that the service accepts the message.
		addChat(to);
		later(chat, MINUTE, 'Here');
		const { json, error } = await ask(to);
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ replied: true, text: 'Here' }]);
	});
});

test.each([400, 422])(
	'a service that rejects another form of the number with %i has no chat for that form',
	async (status) => {
		const { chat, to } = openChat(world());
		const matches = ({ route, query }: { route?: string; query: Record<string, string> }) =>
			route === 'GET /chats' && query.waId?.startsWith('+') === true;
		harness.sandbox.faults.add({ kind: 'status', status }, { matches, times: 100 });
		later(chat, MINUTE, 'Tomorrow');
		expect((await ask(to)).json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
	},
);

test('what is old in a chat that is listed only after sending is no reply', async () => {
	const { chat, to } = openChat(world());
	write(chat, 'An old question');
	const body = JSON.stringify({ success: true, data: [] });
	const matches = ({ route }: { route?: string }) => route === 'GET /chats' && !isWaiting();
	harness.sandbox.faults.add(
		{ kind: 'status', status: 200, headers: { 'content-type': 'application/json' }, body },
		{ matches, times: 100 },
	);
	time.clock.advance(60 * MINUTE);
	later(chat, MINUTE, 'Tomorrow');
	expect((await ask(to)).json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
});

describe('a service that ignores the filter for chats', () => {
	/** The response to GET /chats, whatever is asked for. */
	const listOf = (...rows: IDataObject[]) =>
		harness.sandbox.faults.add(
			{
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ success: true, data: rows }),
			},
			{ matches: ({ route }) => route === 'GET /chats', times: 100 },
		);
	const stranger = () => addChat('12025550188');

	test('makes no stranger’s message the reply', async () => {
		const { chat, to } = openChat(world());
		const other = stranger();
		listOf(
			{ id: other.id, contact: { waId: '12025550188' } },
			{ id: chat.id, contact: { waId: `+${to}` } },
		);
		later(other, 20_000, 'I want to order');
		later(chat, MINUTE, 'Tomorrow');
		const { json } = await ask(to);
		expect(json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
	});

	test('may show the address in the chat, or as a phone number of the contact', async () => {
		const { chat, to } = openChat(world());
		const other = stranger();
		listOf({ id: other.id, waId: '12025550188' }, { id: chat.id, contact: { phone: `+${to}` } });
		later(other, 20_000, 'I want to order');
		later(chat, MINUTE, 'Tomorrow');
		expect((await ask(to)).json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
	});

	test('and returns a full page of strangers: nothing is sent', async () => {
		const { to } = openChat(world());
		const { id } = stranger();
		listOf(...Array.from({ length: 100 }, () => ({ id, contact: { waId: '12025550188' } })));
		expect((await ask(to)).error!.message).toMatch(/does not show which are the customer’s/);
		expect(requests('POST /messages')).toEqual([]);
	});

	test.each<[data: unknown]>([[{}], ['x'], [{ chats: {} }]])(
		'or returns %j instead of a list: nothing is sent',
		async (data) => {
			const { to } = openChat(world());
			harness.sandbox.faults.add(
				{
					kind: 'status',
					status: 200,
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ success: true, data }),
				},
				{ matches: ({ route }) => route === 'GET /chats', times: 100 },
			);
			expect((await ask(to)).error).toBeDefined();
			expect(requests('POST /messages')).toEqual([]);
		},
	);

	test('or wraps each chat in a record of its own', async () => {
		const { chat, to } = openChat(world());
		listOf({ chat: { id: chat.id, contact: { waId: to } } });
		later(chat, MINUTE, 'Tomorrow');
		expect((await ask(to)).json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
	});

	test('and lists a single chat without an address: its details show that it is a stranger’s', async () => {
		const { chat, to } = openChat(world());
		const other = stranger();
		listOf({ id: other.id });
		later(other, 20_000, 'I want to order');
		later(chat, MINUTE, 'Tomorrow');
		expect((await ask(to)).json).toMatchObject([{ replied: false }]);
	});

	test('and whose chats do not show whose they are: nothing is sent', async () => {
		const { chat, to } = openChat(world());
		listOf({ id: stranger().id }, { id: chat.id });
		const { error } = await ask(to);
		expect(error).toMatchObject({
			message:
				'The service’s list of chats does not show which are the customer’s, so a reply cannot be recognized',
			description:
				'The message was not sent. Remove the option Wait for Reply (Minutes), or use the Message Received trigger.',
		});
		expect(requests('POST /messages')).toEqual([]);
	});

	test.each([
		['a chat', (chat: Chat) => [{ id: chat.id }]],
		[
			'chats of one contact',
			({ id, contactId }: Chat) => [
				{ id, contactId },
				{ id: 'chat-2', contactId },
			],
		],
	])('%s without an address is believed to be the customer’s', async (_what, rows) => {
		const { chat, to } = openChat(world());
		listOf(...rows(chat));
		later(chat, MINUTE, 'Tomorrow');
		harness.sandbox.world.chats.add({ ...chat, id: 'chat-2' });
		expect((await ask(to)).json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
	});

	test('each form of a number may be a contact of its own', async () => {
		const [one, other] = ['525512345678', '5215512345678'].map((waId) => addChat(waId));
		for (const { id, contactId } of [one!, other!]) {
			const { waId } = world().contacts.get(contactId)!;
			harness.sandbox.faults.add(
				{
					kind: 'status',
					status: 200,
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ success: true, data: [{ id, contactId }] }),
				},
				{ matches: ({ route, query }) => route === 'GET /chats' && query.waId === waId, times: 50 },
			);
		}
		later(other!, MINUTE, 'Tomorrow');
		expect((await ask('525512345678')).json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
	});

	test('on Instagram, the contact shows whose a chat is', async () => {
		const { chat, to } = openChat(world(), 'INSTAGRAM');
		const other = stranger();
		listOf(
			{ id: other.id, contactId: other.contactId },
			{ id: chat.id, contactId: chat.contactId },
		);
		later(other, 20_000, 'I want to order');
		later(chat, MINUTE, 'Tomorrow');
		const { json } = await ask(to, WAIT, { channel: 'INSTAGRAM' });
		expect(json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
	});
});

describe('a message that is deleted meanwhile makes no old one the reply', () => {
	test.each(['createdAt', 'seconds', 'none'] as const)('with times as %s', async (messageTime) => {
		harness.sandbox.options.shapes.messageTime = messageTime;
		const { chat, to } = openChat(world());
		// More than the node reads at once.
		for (let n = 0; n < 150; n++) {
			time.clock.advance(1_000);
			write(chat, `Old ${n}`);
		}
		duringWait(() => void world().messages.get(chat.id)!.splice(-10, 5));
		expect((await ask(to)).json).toEqual([expect.objectContaining({ replied: false })]);
		duringWait(() => void write(chat, 'New'));
		expect((await ask(to)).json).toMatchObject([{ replied: true, text: 'New' }]);
	});

	test('in a chat that was not listed before', async () => {
		const { chat, to } = openChat(world());
		write(chat, 'Old');
		time.clock.advance(MINUTE);
		harness.sandbox.faults.add(
			{ kind: 'status', status: 404 },
			{ matches: ({ route }) => route === 'GET /chats' && !isWaiting(), times: 9 },
		);
		expect((await ask(to)).json).toEqual([expect.objectContaining({ replied: false })]);
	});
});

test('stopping the execution ends the wait at once', async () => {
	const { to } = openChat(world());
	const stop = new AbortController();
	const sleep = clock.sleep.bind(clock);
	clock.sleep = async (ms, signal) => {
		if (time.waits.length === 2) stop.abort();
		await sleep(ms, signal);
	};
	const before = time.clock.now();
	await ask(to, WAIT, {}, { signal: stop.signal });
	expect(time.clock.now() - before).toBeLessThan(10_000);
	expect(requests('POST /messages')).toHaveLength(1);
});

test('stopping the execution while chats are read returns nothing', async () => {
	const { to } = openChat(world());
	const stop = new AbortController();
	harness.sandbox.faults.add(
		{ kind: 'hang' },
		{
			matches: ({ route }) => {
				const isLook = route === 'GET /chats' && time.waits.length > 0;
				if (isLook) setImmediate(() => stop.abort());
				return isLook;
			},
		},
	);
	const { json, run } = await ask(to, WAIT, {}, { signal: stop.signal });
	expect([json, run.status]).toEqual([[], 'canceled']);
	expect(requests('POST /messages')).toHaveLength(1);
});
