import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { FaultyRequest } from '../../sandbox/faults.mts';
import type { Chat } from '../../sandbox/records.mts';
import { addChat, addText } from '../support/records.mts';
import { byId, WELCOME, type NodeRun } from './harness.mts';
import { openChat } from '../support/openChat.mts';
import { on, pairs, SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ contacts: 30, tickets: 1 });

const MINUTE = 60_000;
const WAIT = { waitForReplyMinutes: 1 };
/** After the first pauses of a wait. */
const SOON = 8_000;

const write = (chat: Chat, text: string, direction: 'INBOUND' | 'OUTBOUND' = 'INBOUND') =>
	void addText(service.world, chat, text, { direction });

/** The customer writes this after a while. */
function later(chat: Chat, ms: number, ...texts: string[]): void {
	const at = service.time.clock.now() + ms;
	let left = texts;
	service.time.afterWaits.push(() => {
		if (service.time.clock.now() < at) return;
		for (const text of left) write(chat, text);
		left = [];
	});
}

/** Whether the message was sent, and the wait has begun. */
const isWaiting = () => service.sent('POST /messages').length > 0;

/** Does this once, when the wait begins. */
function duringWait(action: () => void): void {
	let isDone = false;
	service.time.beforeWaits.push(() => {
		if (!isDone && isWaiting()) action();
		isDone ||= isWaiting();
	});
}

/** The chat of a contact, who is new if nobody has this ID. */
function chatWith(waId: string): Chat {
	const { world } = service;
	const { id } = world.findContactByWaId(waId) ?? world.addContact({ name: 'Ann', waId });
	return world.chatOf(id) ?? addChat(world, id);
}

async function ask(
	to: string,
	options: IDataObject = WAIT,
	more: INodeParameters = {},
	run: NodeRun = {},
) {
	const asked = { to: byId(to), options: options as INodeParameters, ...more };
	return await service.run(service.message(asked), run);
}

/** The customer’s answer after a while, and no other message, is returned as the reply. */
async function expectReply({ chat, to }: { chat: Chat; to: string }): Promise<void> {
	later(chat, SOON, 'Tomorrow');
	const { json, error } = await ask(to, WAIT, { channel: chat.channel });
	expect(error).toBeUndefined();
	expect(json).toMatchObject([{ replied: true, text: 'Tomorrow' }]);
}

const isListOfChats = ({ route }: FaultyRequest) => route === 'GET /chats';
/** Once, when the message is about to be sent. */
function beforeSending(action: () => void): void {
	let isDone = false;
	const matches = ({ route }: FaultyRequest) => {
		if (route === 'POST /messages' && !isDone) action();
		isDone ||= route === 'POST /messages';
		return false;
	};
	service.sandbox.faults.add({ kind: 'reset' }, { times: 100, matches });
}
/** The service does not return the message. */
const hideMessage = () => service.respond({ success: true, data: {} }, on('POST /messages'));

const isBeforeSending = (request: FaultyRequest) => isListOfChats(request) && !isWaiting();

describe('the output', () => {
	test('has the customer’s replies, oldest first, and nothing that was there before', async () => {
		const { chat, to } = openChat(service.world);
		write(chat, 'Hello?');
		later(chat, SOON, 'Tomorrow', 'after 4');
		const { json } = await ask(to);
		expect(json.map(({ text }) => text)).toStrictEqual(['Tomorrow', 'after 4']);
		expect(json[0]).toMatchObject({
			replied: true,
			messageId: expect.stringMatching(/^wamid\./),
			receivedAt: new Date(service.time.clock.now()).toISOString(),
			record: { direction: 'INBOUND' },
		});
		// n8n's table shows them in this order.
		const names = ['replied', 'messageId', 'text', 'receivedAt', 'record'];
		expect(Object.keys(json[0]!)).toStrictEqual(names);
		expect(service.sent('POST /messages')).toHaveLength(1);
	});

	test('has the reply also with selected fields', async () => {
		const { chat, to } = openChat(service.world);
		later(chat, SOON, 'Tomorrow');
		const receivedAt = expect.any(String) as unknown;
		expect((await ask(to, { ...WAIT, outputFieldNames: 'id' })).json).toStrictEqual([
			{ replied: true, messageId: expect.any(String), text: 'Tomorrow', receivedAt },
		]);
	});

	test('is the message if there is no reply when the time is up, whatever others send meanwhile', async () => {
		const { chat, to } = openChat(service.world);
		service.time.afterWaits.push(() => write(chat, 'An agent adds something', 'OUTBOUND'));
		const before = service.time.clock.now();
		const { json, hints } = await ask(to, { waitForReplyMinutes: 3 });
		expect(json).toStrictEqual([expect.objectContaining({ replied: false, status: 'SENT' })]);
		expect(json[0]).not.toHaveProperty('replyReason');
		expect(hints).toStrictEqual([]);
		expect(service.time.clock.now() - before).toBe(3 * MINUTE);
		expect(service.sent('GET /chats/{id}/messages').length).toBeLessThan(15);
	});
});

test('the newest messages are read, of all chats of the recipient on the chosen channel', async () => {
	const { chat, to } = openChat(service.world);
	await ask(to, { ...WAIT, channelId: byId(chat.channelId) });
	expect(service.sent('GET /chats')[0]!.query).toEqual({
		waId: to,
		channel: 'WHATSAPP',
		channelId: chat.channelId,
		page: '1',
		limit: '100',
	});
	expect(service.sent('GET /chats/{id}/messages')[0]!.query).toEqual({ take: '100' });
});

test('a template to somebody without a chat waits in the chat that it opens', async () => {
	const contact = service.world.addContact({ name: 'Ann', waId: '12025550187' });
	service.time.afterWaits.push(() => {
		const chat = service.world.chatOf(contact.id);
		if (chat && service.time.waits.length === 3) write(chat, 'Hi');
	});
	const { json } = await ask('12025550187', WAIT, {
		type: 'template',
		...WELCOME,
	});
	expect(json).toMatchObject([{ replied: true, text: 'Hi' }]);
});

test.each([
	['12025550143', '+12025550143'],
	['5215512345678', '525512345678'],
	['525512345678', '+5215512345678'],
	['US.13491208655302741918', 'US.13491208655302741918'],
])('a customer is found by %s if the service has %s', async (to, waId) => {
	const chat = chatWith(waId);
	// So that the service accepts the message.
	chatWith(to);
	await expectReply({ chat, to });
});

test('a reply is found where only its time is in whole seconds, and the message is not shown', async () => {
	const { chat, to } = openChat(service.world);
	service.time.clock.advance(700);
	write(chat, 'Hello', 'OUTBOUND');
	const messages = () => service.world.messages.get(chat.id)!;
	const second = `${messages().at(-1)!.createdAt.slice(0, 19)}.000Z`;
	hideMessage();
	duringWait(() => {
		write(chat, 'Yes');
		messages().at(-1)!.createdAt = second;
	});
	expect((await ask(to)).json).toMatchObject([{ replied: true, text: 'Yes' }]);
});

test('a reply without a time is found in a chat that was empty, and does not show the message', async () => {
	service.shapes.messageTime = 'none';
	const chat = chatWith('12025550187');
	hideMessage();
	duringWait(() => write(chat, 'Yes'));
	expect((await ask('12025550187')).json).toMatchObject([{ replied: true, text: 'Yes' }]);
});

describe('what is no reply', () => {
	test.each(['createdAt', 'seconds', 'none'] as const)(
		'what the customer wrote just before the message (times: %s)',
		async (messageTime) => {
			service.shapes.messageTime = messageTime;
			const customer = openChat(service.world);
			beforeSending(() => write(customer.chat, 'Are you there?'));
			await expectReply(customer);
		},
	);

	test('what is old in a chat that is listed only after sending', async () => {
		const customer = openChat(service.world);
		write(customer.chat, 'An old question');
		service.respond({ success: true, data: [] }, { matches: isBeforeSending, times: 100 });
		service.time.clock.advance(60 * MINUTE);
		await expectReply(customer);
	});

	test('what is old in such a chat, if that does not show the message', async () => {
		write(chatWith('12025550187'), 'An old question');
		hideMessage();
		service.respond({ success: true, data: [] }, { matches: isBeforeSending, times: 100 });
		expect((await ask('12025550187')).json).toMatchObject([{ replied: false }]);
	});

	test.each(['createdAt', 'seconds', 'none'] as const)(
		'an old message that moves up when another one is deleted (times: %s)',
		async (messageTime) => {
			service.shapes.messageTime = messageTime;
			const { chat, to } = openChat(service.world);
			// More than the node reads at once.
			for (let n = 0; n < 110; n++) {
				service.time.clock.advance(1_000);
				write(chat, `Old ${n}`);
			}
			duringWait(() => void service.world.messages.get(chat.id)!.splice(-10, 5));
			expect((await ask(to)).json).toStrictEqual([expect.objectContaining({ replied: false })]);
			duringWait(() => write(chat, 'New'));
			expect((await ask(to)).json).toMatchObject([{ replied: true, text: 'New' }]);
		},
	);
});

describe('a service that does not show the direction of a message', () => {
	beforeEach(() => {
		service.shapes.messageDirection = 'none';
	});
	/** The chat has this message by the time of the first look. */
	const receive = (chat: Chat, content: Record<string, unknown>) =>
		duringWait(() => void addText(service.world, chat, '', { content }));

	test.each<[whose: string, channel: Chat['channel']]>([
		['number', 'WHATSAPP'],
		['number in another form', 'WHATSAPP'],
		['Instagram ID', 'INSTAGRAM'],
	])('a message from the customer’s %s on %s is a reply', async (whose, channel) => {
		const { chat, to } =
			whose === 'number in another form'
				? { chat: chatWith('5215512345678'), to: '525512345678' }
				: openChat(service.world, channel);
		if (channel === 'WHATSAPP') chatWith(to);
		const { waId, igId } = service.world.contacts.get(chat.contactId)!;
		receive(chat, { text: 'Now', from: waId ?? igId });
		const { json } = await ask(to, WAIT, { channel });
		expect(json).toMatchObject([{ replied: true, text: 'Now' }]);
	});

	test('a message that shows nothing of its sender may be a reply, which the item says', async () => {
		const { chat, to } = openChat(service.world);
		receive(chat, { text: 'Now' });
		const { json } = await ask(to);
		expect(json).toMatchObject([
			{
				replied: false,
				replyReason: expect.stringMatching(/^There are new messages, but they do not show who/),
			},
		]);
	});

	test('the message that was sent is none of them', async () => {
		const { json } = await ask(openChat(service.world).to);
		expect(json).toMatchObject([{ replied: false }]);
		expect(json[0]).not.toHaveProperty('replyReason');
	});
});

test.each([0, 10_081])('%j minutes are no time to wait', async (waitForReplyMinutes) => {
	const { error } = await ask(openChat(service.world).to, { waitForReplyMinutes });
	expect(error!.message).toContain(
		'Wait for Reply (Minutes) expects a number above 0, up to 10,080 (a week)',
	);
	expect(isWaiting()).toBe(false);
});

describe('requests that are rejected', () => {
	test('before the message is sent, chats that cannot be read are reported, and nothing is sent', async () => {
		service.reject(400, { matches: isListOfChats, times: 1 }, { success: false });
		const rejected = await ask(openChat(service.world).to);
		expect(rejected.error!.description).not.toContain('24 hours');
		service.sandbox.tokens.all.permissions = ['chats.reply'];
		const { error } = await ask(openChat(service.world).to);
		expect(error).toMatchObject({
			message: expect.stringContaining('chats.view'),
			description: expect.stringMatching(
				/^The message was not sent, because Wait for Reply reads the chats first\. .*chats\.view/,
			),
		});
		expect(isWaiting()).toBe(false);
	});

	test('messages without an ID, too, because no reply could be recognized', async () => {
		const data = [{ key: 2 }, { key: 1 }];
		service.respond({ data }, on('GET /chats/{id}/messages'));
		const { error } = await ask(openChat(service.world).to);
		expect(error!.message).toContain('the response contains no IDs (a row has the keys key)');
		expect(error!.description).toMatch(/^The message was not sent/);
		expect(isWaiting()).toBe(false);
	});

	test.each<[what: string, channel: Chat['channel'], route: string]>([
		['number', 'WHATSAPP', 'GET /chats'],
		['Instagram ID', 'INSTAGRAM', 'GET /contacts/{id}'],
	])('because the service does not know the %s mean no chats yet', async (_what, channel, own) => {
		const matches = ({ route }: FaultyRequest) => route === own && !isWaiting();
		service.reject(404, { matches, times: 9 });
		await expectReply(openChat(service.world, channel));
	});

	test.each([400, 422])(
		'with %i because of another form of the number mean no chat for that form',
		async (status) => {
			const matches = ({ query }: FaultyRequest) => query.waId?.startsWith('+') === true;
			service.reject(status, { matches, times: 100 });
			await expectReply(openChat(service.world));
		},
	);

	test.each([404, 503])('with %d while waiting do not end the wait', async (status) => {
		const matches = ({ route }: FaultyRequest) => route !== 'POST /messages' && isWaiting();
		service.reject(status, { matches, times: 4 });
		await expectReply(openChat(service.world));
	});

	test('to the end of the wait are shown, and the message is not sent again', async () => {
		const before = service.time.clock.now();
		duringWait(() => {
			service.sandbox.tokens.all.permissions = ['chats.reply'];
		});
		const { json, error, hints } = await ask(openChat(service.world).to);
		expect(error).toBeUndefined();
		expect(json).toMatchObject([
			{ status: 'SENT', replied: false, replyReason: expect.stringContaining('chats.view') },
		]);
		expect(hints).toStrictEqual([
			expect.stringMatching(/^The message was sent\. Its replies could not be read/),
		]);
		expect(service.time.clock.now() - before).toBe(MINUTE);
		expect(service.sent('POST /messages')).toHaveLength(1);
	});
});

test('all messages are sent before the first wait ends, and the waits pass side by side', async () => {
	const recipients = Array.from({ length: 6 }, (_, n) => String(12_025_550_100 + n));
	const chats = recipients.map(chatWith);
	const before = service.time.clock.now();
	let sentAtFirst: number | undefined;
	service.time.afterWaits.push(() => {
		if (sentAtFirst !== undefined || service.time.waits.at(-1) !== 2_000) return;
		sentAtFirst = service.sent('POST /messages').length;
		write(chats.at(-1)!, 'The last one');
	});
	const items = recipients.map((to) => ({ to }));
	const { json, items: output } = await ask('={{ $json.to }}', WAIT, {}, { items });
	expect(sentAtFirst).toBe(6);
	const last = recipients.map((_, n) => n === 5);
	expect(json.map(({ replied }) => replied)).toStrictEqual(last);
	expect(pairs(output)).toStrictEqual([...recipients.keys()]);
	// On this clock, the pauses of waits side by side add up.
	expect(service.time.clock.now() - before).toBeLessThan(2 * MINUTE);
});

test('two messages to one customer are both sent at once, and what the customer writes answers both', async () => {
	const { chat, to } = openChat(service.world);
	later(chat, SOON, 'Yes');
	const { json } = await ask(to, WAIT, {}, { items: [{}, {}] });
	expect(json).toMatchObject(Array(2).fill({ replied: true, text: 'Yes' }));
});

describe('a service that ignores the filter for chats', () => {
	/** The response to GET /chats, whatever is asked for. */
	const listShows = (data: unknown) =>
		service.respond({ success: true, data }, { matches: isListOfChats, times: 100 });
	const STRANGER = '12025550188';

	test.each<[where: string, rows: (own: Chat, to: string, other: string) => object[]]>([
		[
			'in the contact',
			({ id }, to, other) => [
				{ id: other, contact: { waId: STRANGER } },
				{ id, contact: { waId: `+${to}` } },
			],
		],
		[
			'in the chat, or in its contact, as wa_id',
			({ id }, to, other) => [
				{ id: other, waId: STRANGER },
				{ id, contact: { wa_id: `+${to}` } },
			],
		],
		['in a wrapped chat', ({ id }, to) => [{ chat: { id, contact: { waId: to } } }]],
		[
			'in the customer’s own chat only',
			({ id }, to, other) => [{ id: other }, { id, contact: { waId: to } }],
		],
		['nowhere, so the filter counts', ({ id }) => [{ id }]],
		['only as a user ID', ({ id }) => [{ id, waId: 'US.13491208655302741918' }]],
	])('and shows the address %s makes no stranger’s message the reply', async (_where, rows) => {
		const { chat, to } = openChat(service.world);
		const other = chatWith(STRANGER);
		service.world.chats.add({ ...chat, id: 'chat-2' });
		listShows(rows(chat, to, other.id));
		later(other, 3_000, 'I want to order');
		await expectReply({ chat, to });
	});

	test('and shows a number says nothing about a user ID', async () => {
		const to = 'US.13491208655302741918';
		const chat = chatWith(to);
		listShows([{ id: chat.id, waId: '12025550143' }]);
		await expectReply({ chat, to });
	});

	test('on Instagram, the contact shows whose a chat is', async () => {
		const customer = openChat(service.world, 'INSTAGRAM');
		const other = chatWith(STRANGER);
		listShows([other, customer.chat].map(({ id, contactId }) => ({ id, contactId })));
		later(other, 3_000, 'I want to order');
		await expectReply(customer);
	});

	test('each form of a number may be a contact of its own', async () => {
		const [one, other] = ['525512345678', '5215512345678'].map(chatWith) as [Chat, Chat];
		for (const { id, contactId } of [one, other]) {
			const { waId } = service.world.contacts.get(contactId)!;
			const matches = (request: FaultyRequest) =>
				isListOfChats(request) && request.query.waId === waId;
			service.respond({ success: true, data: [{ id, contactId }] }, { matches, times: 50 });
		}
		await expectReply({ chat: other, to: '525512345678' });
	});
});

describe('stopping the execution', () => {
	test('ends the wait at once', async () => {
		const stop = new AbortController();
		service.time.beforeWaits.push(() => {
			if (service.time.waits.length === 2) stop.abort();
		});
		const before = service.time.clock.now();
		await ask(openChat(service.world).to, WAIT, {}, { signal: stop.signal });
		expect(service.time.clock.now() - before).toBeLessThan(10_000);
		expect(service.sent('POST /messages')).toHaveLength(1);
	});

	test('while chats are read returns nothing', async () => {
		const signal = service.stopDuring(
			(request) => isListOfChats(request) && service.time.waits.length > 0,
		);
		const { json, run } = await ask(openChat(service.world).to, WAIT, {}, { signal });
		expect([json, run.status]).toStrictEqual([[], 'canceled']);
		expect(service.sent('POST /messages')).toHaveLength(1);
	});
});
