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
	harness = await openHarness({ rateLimit: { requests: 0 }, clock: time.clock });
});
afterEach(async () => {
	time.restore();
	await harness.close();
});

const world = () => harness.sandbox.world;
const MINUTE = 60_000;

const agentId = () => byId(world().users.newestFirst().next().value!.id);

/** The customer writes this after a while. */
function later(chat: Chat, ms: number, ...texts: string[]): void {
	const at = time.clock.now() + ms;
	const sleep = clock.sleep.bind(clock);
	clock.sleep = async (pause, signal) => {
		const isDue = time.clock.now() < at && time.clock.now() + pause >= at;
		await sleep(pause, signal);
		if (isDue) for (const text of texts) write(chat, text);
	};
}

const write = (chat: Chat, text: string, direction: 'INBOUND' | 'OUTBOUND' = 'INBOUND') =>
	world().addMessage(chat, { direction, type: 'text', content: { text }, agentId: null });

async function ask(
	to: string,
	options: IDataObject = { waitForReply: true },
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

test('what others send to the customer meanwhile is no reply', async () => {
	const { chat, to } = openChat(world());
	const sleep = clock.sleep.bind(clock);
	clock.sleep = async (ms, signal) => {
		await sleep(ms, signal);
		write(chat, 'An agent adds something', 'OUTBOUND');
	};
	const { json } = await ask(to, { waitForReply: true, maxReplyWaitMinutes: 1 });
	expect(json).toEqual([expect.objectContaining({ replied: false, status: 'SENT' })]);
});

test('without a reply, the message is returned when the time is up, after a few looks', async () => {
	const { to } = openChat(world());
	const before = time.clock.now();
	const { json, hints } = await ask(to, { maxReplyWaitMinutes: 10 });
	expect(json).toEqual([expect.objectContaining({ replied: false, status: 'SENT' })]);
	expect(json[0]).not.toHaveProperty('replyReason');
	expect(hints).toEqual([]);
	expect(time.clock.now() - before).toBe(10 * MINUTE);
	expect(requests('GET /chats').length).toBeLessThan(30);
});

test('each pause is half as long again as the one before, up to half a minute', async () => {
	const { to } = openChat(world());
	await ask(to, { maxReplyWaitMinutes: 3 });
	expect(time.waits.slice(0, 3)).toEqual([2_000, 3_000, 4_500]);
	expect(time.waits.slice(-4, -1)).toEqual([30_000, 30_000, 30_000]);
});

test('the newest messages are read, of all chats of the recipient on the chosen channel', async () => {
	const { chat, to } = openChat(world());
	await ask(to, { maxReplyWaitMinutes: 1, channelId: byId(chat.channelId) });
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
		const { json } = await ask(to, { waitForReply: true }, { channel });
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

test('five minutes are the default, and turning the option off does not wait', async () => {
	const { to } = openChat(world());
	const before = time.clock.now();
	await ask(to);
	expect(time.clock.now() - before).toBe(5 * MINUTE);
	harness.sandbox.requests.length = 0;
	const { json } = await ask(to, { waitForReply: false, maxReplyWaitMinutes: 5 });
	expect(json[0]).not.toHaveProperty('replied');
	expect(requests('GET /chats')).toEqual([]);
});

test.each([0, -1])('%j minutes are no time to wait', async (maxReplyWaitMinutes) => {
	const { to } = openChat(world());
	const { error } = await ask(to, { waitForReply: true, maxReplyWaitMinutes });
	expect(error!.message).toContain('Max Wait for Reply (Minutes) expects a number above 0');
	expect(requests('POST /messages')).toEqual([]);
});

test('a customer on Instagram is found by the contact', async () => {
	const { chat, to } = openChat(world(), 'INSTAGRAM');
	later(chat, 10_000, 'Now');
	const { json, error } = await ask(to, { waitForReply: true }, { channel: 'INSTAGRAM' });
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
	const { json, error } = await ask(
		'12025550187',
		{ waitForReply: true },
		{
			type: 'template',
			templateBy: 'name',
			templateName: 'welcome',
			templateComponents: JSON.stringify(components),
		},
	);
	expect(error).toBeUndefined();
	expect(json).toEqual([expect.objectContaining({ replied: true, text: 'Hi' })]);
});

test('chats that cannot be read are noticed before anything is sent', async () => {
	const { to } = openChat(world());
	harness.sandbox.tokens.all.permissions = ['chats.reply'];
	const { error } = await ask(to);
	expect(error!.message).toContain('chats.view');
	expect(requests('POST /messages')).toEqual([]);
});

test('chats that can no longer be read do not send the message again', async () => {
	const { to } = openChat(world());
	const sleep = clock.sleep.bind(clock);
	clock.sleep = async (ms, signal) => {
		await sleep(ms, signal);
		harness.sandbox.tokens.all.permissions = ['chats.reply'];
	};
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
		expect.stringMatching(/^The message was sent\. Its replies cannot be read/),
	]);
	expect(requests('POST /messages')).toHaveLength(1);
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
	await ask(to, { waitForReply: true }, {}, { signal: stop.signal });
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
	const { json, run } = await ask(to, { waitForReply: true }, {}, { signal: stop.signal });
	expect([json, run.status]).toEqual([[], 'canceled']);
	expect(requests('POST /messages')).toHaveLength(1);
});
