import {
	RATE_LIMIT_WAIT_MS,
	READING_MS,
} from '../../nodes/ConversationalMessaging/trigger/poll.ts';
import { decode } from '../../nodes/ConversationalMessaging/trigger/state.ts';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Chat, Message } from '../../sandbox/records.mts';
import type { FaultyRequest } from '../../sandbox/faults.mts';
import { addText } from '../support/records.mts';
import { trickle } from './timeout.mts';
import { byId } from '../../tools/engine/workflows.mts';
import { SharedHarness } from './sharedHarness.mts';
import { triggersOf, type Trigger } from './triggerHarness.mts';

/** Rows show the last message. */
const ROWS = { chatActivity: 'lastMessageAt' } as const;

const service = new SharedHarness({ tickets: 3, contacts: 8, shapes: ROWS });
const triggers = triggersOf(service);
const { restart } = triggers;

const RECEIVED = { events: ['messageReceived'], groupMessages: 'message' };

const chats = (): Chat[] => service.world.chats.filter(() => true);

const write = (
	text: string,
	chat = chats()[0]!,
	fields: Partial<Message> = {},
): Message & { chat: Chat } => {
	service.time.clock.advance(10_000);
	return { ...addText(service.world, chat, text, fields), chat };
};

const minute = () => service.time.clock.advance(60_000);

/** Polls once a minute. @returns the texts of all messages that were emitted */
const polls = async (trigger: Trigger, count: number): Promise<unknown[]> => {
	const texts: unknown[] = [];
	for (let i = 0; i < count; i++) {
		minute();
		const { events, error } = await trigger.poll();
		if (error) throw new Error(error.message);
		texts.push(...(events ?? []).map(({ text }) => text));
	}
	return texts;
};

const publish = async (parameters: INodeParameters = {}) =>
	await triggers.publish({ ...RECEIVED, ...parameters });

describe('an event', () => {
	it('contains the message, its chat, the contact, the direction, the text and the time', async () => {
		const trigger = await publish();
		const { chat, id, createdAt } = write('Where is my order?');
		const contact = service.world.contacts.get(chat.contactId)!;
		const { events } = await trigger.poll();
		expect(events).toStrictEqual([
			{
				event: 'messageReceived',
				eventId: `messageReceived:${chat.id}:${id}`,
				recordId: id,
				chatId: chat.id,
				title: contact.name,
				contact: expect.objectContaining({ id: contact.id, name: contact.name }) as object,
				direction: 'inbound',
				text: 'Where is my order?',
				receivedAt: createdAt,
				detectedAt: new Date(service.time.clock.now()).toISOString(),
				record: {
					id,
					direction: 'INBOUND',
					type: 'text',
					text: 'Where is my order?',
					agentId: null,
					createdAt,
				},
			},
		]);
		// What a workflow needs comes first.
		expect(Object.keys(events![0]!).slice(0, 5)).toStrictEqual([
			...['event', 'text', 'contact', 'chatId', 'receivedAt'],
		]);
		expect((await trigger.poll()).events).toBeNull();
	});

	it('without a choice of Group Messages, several messages of a chat are one item', async () => {
		const trigger = await triggers.publish({ events: ['messageReceived'] });
		const [one, other] = chats();
		write('Hello', one);
		write('Hi', other);
		const { id } = write('Where is my order?', one);
		expect((await trigger.poll()).events).toMatchObject([
			{
				text: 'Hello\nWhere is my order?',
				recordId: id,
				messages: [{ text: 'Hello' }, { text: 'Where is my order?', recordId: id }],
			},
			{ text: 'Hi', messages: [{ text: 'Hi' }] },
		]);
	});
});

describe('the direction of messages', () => {
	it('if no message shows it, publishing and the test event say what to enter', async () => {
		Object.assign(service.shapes, { messageDirection: 'kind' });
		const message = 'The messages do not show whether the customer sent them';
		await expect(publish()).rejects.toThrow(message);
		await expect(publish()).rejects.toMatchObject({
			description: expect.stringContaining('id, kind, type, text') as string,
		});
	});

	it.each<[direction: 'kind' | 'none', INodeParameters, texts: string[]]>([
		['kind', { options: { directionField: 'kind', directionValue: 'l' } }, ['a customer']],
		['none', { messagesFrom: 'both' }, ['an agent', 'a customer']],
	])('shown as “%s”, with %j, messages of %j are emitted', async (direction, more, texts) => {
		service.shapes.messageDirection = direction;
		const trigger = await publish(more);
		write('an agent', undefined, { direction: 'OUTBOUND' });
		write('a customer');
		expect(await polls(trigger, 2)).toStrictEqual(texts);
	});
});

it('the time of messages is read from the field that the user entered, spelled as there, and from no other', async () => {
	await expect(publish({ options: { timeField: 'created_at' } })).rejects.toThrow(
		'No message has a date and time in the field "created_at"',
	);
});

it('oldest messages first: publishing says so, as nothing would be new', async () => {
	Object.assign(service.shapes, { messageOrder: 'oldest' });
	for (const text of ['one', 'two', 'three', 'four', 'five']) write(text);
	await expect(publish()).rejects.toThrow(
		'The service returns the oldest messages of a chat first',
	);
});

it('a chat that does not respond delays later polls by ten seconds', async () => {
	const trigger = await publish();
	const [broken, other] = chats() as [Chat, Chat];
	const wholeMs = READING_MS + RATE_LIMIT_WAIT_MS;
	const waits: number[] = [];
	const begin = () => {
		waits.push(Math.min(...service.time.limits));
		service.time.clock.advance(waits.at(-1)!);
		return service.time.expiring();
	};
	const matches = ({ path }: FaultyRequest) => path.includes(broken.id);
	trickle(service.sandbox, 'headers', begin, { times: 6, matches });
	write('not read', broken);
	for (const [text, expected] of [
		['one', [30_000, 30_000, Math.min(30_000, wholeMs - 60_000)]],
		['two', [10_000]],
		['three', [10_000]],
	] as const) {
		write(text, other);
		expect(await polls(trigger, 1)).toStrictEqual([text]);
		expect(waits.splice(0)).toStrictEqual(expected);
	}
	service.sandbox.faults.clear();
	expect(await polls(trigger, 1)).toStrictEqual(['not read']);
});

it('after a 429, in a window that others had used, 40 chats take two polls', async () => {
	const rateLimit = { requests: 60, routes: 'all', headers: 'none' } as const;
	service.refill({ rateLimit, contacts: 40 });
	const trigger = await publish();
	const { rateLimiter, tokens } = service.sandbox;
	minute();
	while (rateLimiter.count(tokens.all.value, service.time.clock.now()).allowed);
	await trigger.poll();
	// Windows in which the learned size grows.
	await polls(trigger, 4);
	for (const chat of chats()) write(chat.id, chat);
	expect(chats().length).toBeGreaterThanOrEqual(40);
	expect((await polls(trigger, 2)).toSorted()).toStrictEqual(
		chats()
			.map(({ id }) => id)
			.toSorted(),
	);
});

it.each<[INodeParameters | (() => INodeParameters), (chat: Chat) => boolean]>([
	[() => ({ contactId: byId(chats()[0]!.contactId) }), ({ id }) => id === chats()[0]!.id],
	[{ channel: 'INSTAGRAM' }, ({ channel }) => channel === 'INSTAGRAM'],
	[{ needsEscalation: true }, ({ needsEscalation }) => needsEscalation],
	[{ needsEscalation: false }, ({ needsEscalation }) => !needsEscalation],
])('with the filter %j, only chats that match are watched', async (filters, matches) => {
	chats()[0]!.needsEscalation = true;
	const trigger = await publish({ filters: typeof filters === 'function' ? filters() : filters });
	for (const chat of chats()) write(chat.id, chat);
	const expected = chats().filter(matches);
	expect(expected.length).toBeGreaterThan(0);
	expect((await polls(trigger, 2)).toSorted()).toStrictEqual(
		expected.map(({ id }) => id).toSorted(),
	);
});

it('changed filters start over: what was written before in chats that match now is not emitted', async () => {
	const [one, other] = chats().filter(({ channel }) => channel === 'WHATSAPP');
	const of = (chat: Chat) => ({ filters: { contactId: byId(chat.contactId) } });
	const trigger = await publish(of(one!));
	write('before', other);
	// n8n saves the state.
	write('watched', one);
	expect(await polls(trigger, 2)).toStrictEqual(['watched']);
	const changed = triggers.change(trigger, { ...RECEIVED, ...of(other!) });
	expect(await polls(changed, 2)).toStrictEqual([]);
	write('since', other);
	expect(await polls(changed, 2)).toStrictEqual(['since']);
});

describe('with other events', () => {
	const BOTH = { ...RECEIVED, events: ['messageReceived', 'ticketStatusChanged'] };

	it('both are emitted, and each keeps its state', async () => {
		const trigger = await triggers.publish(BOTH);
		write('Hello');
		service.world.addTicket({ title: 'New' });
		expect((await trigger.poll()).events!.map(({ event }) => event)).toStrictEqual([
			'ticketStatusChanged',
			'messageReceived',
		]);
		expect((await restart(trigger).poll()).events).toBeNull();
	});

	it('an event that is no longer chosen leaves no state, and starts anew when it is chosen again', async () => {
		const both = await triggers.publish(BOTH);
		const stateIn = (saved: string) =>
			decode(Object.values(JSON.parse(saved) as Record<string, IDataObject>)[0]!.state);
		expect(stateIn(both.poller.saved).messages).toBeDefined();
		const { saved } = both.poller;
		const tickets = await triggers.publish({ events: ['ticketStatusChanged'] }, { saved });
		expect(stateIn(tickets.poller.saved).messages).toBeUndefined();
		write('in between');
		const again = await triggers.publish(RECEIVED, { saved: tickets.poller.saved });
		expect(stateIn(again.poller.saved).sources).toStrictEqual({});
		expect(await polls(again, 2)).toStrictEqual([]);
	});

	it('another choice of Messages From goes on from the last poll', async () => {
		const trigger = await publish();
		write('from a customer');
		write('from an agent', undefined, { direction: 'OUTBOUND' });
		const both = triggers.change(trigger, { ...RECEIVED, messagesFrom: 'both' });
		expect(await polls(both, 1)).toStrictEqual(['from a customer', 'from an agent']);
		write('from another customer');
		write('from another agent', undefined, { direction: 'OUTBOUND' });
		const customers = triggers.change(both, RECEIVED);
		expect(await polls(customers, 1)).toStrictEqual(['from another customer']);
	});

	it('the state contains no token, no text and no number', async () => {
		const trigger = await publish();
		const { chat } = write('a secret');
		await polls(trigger, 2);
		const { saved } = trigger.poller;
		const { waId } = service.world.contacts.get(chat.contactId)!;
		for (const text of [service.sandbox.tokens.all.value, 'a secret', chat.id, waId ?? 'a secret'])
			expect(saved).not.toContain(text);
	});
});

it('a window that others have used leaves at least 10 requests a minute to later polls', async () => {
	const limit = { requests: 120, routes: 'all', headers: 'retry-after' } as const;
	service.refill({ contacts: 40, rateLimit: limit, shapes: { chatActivity: 'none' } });
	const trigger = await publish();
	const { rateLimiter, tokens } = service.sandbox;
	minute();
	for (let i = 0; i < limit.requests - 3; i++)
		rateLimiter.count(tokens.all.value, service.time.clock.now());
	await trigger.poll();
	expect(rateLimiter.rejected).toBeGreaterThan(0);
	await polls(trigger, 5);
	for (const place of process.env.LONG ? [0, 13, 26, 39] : [39]) {
		write(`in ${place}`, chats()[place]);
		expect(await polls(trigger, 7)).toStrictEqual([`in ${place}`]);
	}
});

it('with the four poll times of the examples, each poll right after publishing emits what was written before it', async () => {
	service.refill({ contacts: 200, shapes: ROWS });
	const custom = (second: number) => ({ mode: 'custom', cronExpression: `${second} * * * * *` });
	const trigger = await publish({ pollTimes: { item: [0, 15, 30, 45].map(custom) } });
	const emitted: unknown[] = [];
	for (let i = 1; i <= 5; i++) {
		addText(service.world, chats()[0]!, `Message ${i}`);
		service.time.clock.advance(i === 1 ? 2_000 : 15_000);
		const { events } = await trigger.poll();
		emitted.push((events ?? []).map(({ text }) => text));
	}
	expect(emitted).toStrictEqual([1, 2, 3, 4, 5].map((i) => [`Message ${i}`]));
});
