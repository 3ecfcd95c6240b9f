import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Chat, Message } from '../../sandbox/records.mts';
import type { SandboxSettings } from '../../sandbox/options.mts';
import { FakeTime } from '../time.mts';
import { outputOf } from '../../engine/engine.mts';
import type { Poller } from '../../engine/poller.mts';
import { actionNode, byId, TRIGGER_NODE, triggerWorkflow } from '../../engine/workflows.mts';
import { openTriggerHarness, type Trigger, type TriggerHarness } from './triggerHarness.mts';

let time: FakeTime;
let harness: TriggerHarness;

const open = async (
	shapes: SandboxSettings['shapes'] = {},
	settings: SandboxSettings = {},
): Promise<void> => {
	harness = await openTriggerHarness({
		clock: time.clock,
		tickets: 3,
		contacts: 8,
		rateLimit: { requests: 0 },
		...settings,
		shapes,
	});
};

beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(async () => {
	await harness.close();
	time.restore();
});

const RECEIVED = { events: ['messageReceived'] };

/** Rows show the last message. */
const ROWS = { chatActivity: 'lastMessageAt' } as const;

const chats = (): Chat[] => harness.sandbox.world.chats.filter(() => true);

const write = (
	text: string,
	chat = chats()[0]!,
	fields: Partial<Message> = {},
): Message & { chat: Chat } => {
	time.clock.advance(10_000);
	const message = harness.sandbox.world.addMessage(chat, {
		direction: 'INBOUND',
		type: 'text',
		content: { text },
		agentId: null,
		...fields,
	});
	return { ...message, chat };
};

const minute = () => time.clock.advance(60_000);

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
	await harness.publish({ ...RECEIVED, ...parameters });

describe('an event', () => {
	it('contains the message, its chat, the contact, the direction, the text and the time', async () => {
		await open(ROWS);
		const trigger = await publish();
		const { chat, id, createdAt } = write('Where is my order?');
		const contact = harness.sandbox.world.contacts.get(chat.contactId)!;
		const { events } = await trigger.poll();
		expect(events).toEqual([
			{
				event: 'messageReceived',
				eventId: `messageReceived:${chat.id}:${id}`,
				recordId: id,
				chatId: chat.id,
				contact: expect.objectContaining({ id: contact.id, name: contact.name }) as object,
				direction: 'inbound',
				text: 'Where is my order?',
				receivedAt: createdAt,
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
		expect(Object.keys(events![0]!).slice(0, 5)).toEqual([
			...['event', 'text', 'contact', 'chatId', 'receivedAt'],
		]);
		expect((await trigger.poll()).events).toBeNull();
	});

	it('a message without a text has null, and its record', async () => {
		await open(ROWS);
		const trigger = await publish();
		write('', undefined, { type: 'image', content: { mediaId: '123' } });
		const { events } = await trigger.poll();
		expect(events).toMatchObject([{ text: null, record: { mediaId: '123' } }]);
	});

	it('messages of a chat are in their order, and chats in the order of their first message', async () => {
		await open(ROWS);
		const trigger = await publish();
		const [first, second] = [chats()[0]!, chats()[1]!];
		for (const [text, chat] of [
			['one', second],
			['two', first],
			['three', second],
		] as const)
			write(text, chat);
		expect(await polls(trigger, 1)).toEqual(['one', 'three', 'two']);
	});

	it('messages of agents are left out, or are emitted with Messages From set to Both Directions', async () => {
		await open(ROWS);
		const customers = await publish();
		const both = await publish({ messagesFrom: 'both' });
		write('from an agent', undefined, { direction: 'OUTBOUND' });
		write('from the customer');
		expect((await customers.poll()).events).toMatchObject([{ text: 'from the customer' }]);
		expect((await both.poll()).events).toMatchObject([
			{ text: 'from an agent', direction: 'outbound' },
			{ text: 'from the customer', direction: 'inbound' },
		]);
	});

	it('all new messages of a chat can be one item', async () => {
		await open(ROWS);
		const trigger = await publish({ groupMessages: 'chat' });
		write('Hello');
		write('from an agent', undefined, { direction: 'OUTBOUND' });
		write('', undefined, { type: 'image', content: { mediaId: '123' } });
		const last = write('are you there?');
		const { events } = await trigger.poll();
		expect(events).toMatchObject([
			{
				eventId: `messageReceived:${last.chat.id}:${last.id}`,
				recordId: last.id,
				text: 'Hello\nare you there?',
				receivedAt: last.createdAt,
				record: { id: last.id },
				messages: [{ text: 'Hello' }, { text: null }, { text: 'are you there?' }],
			},
		]);
	});

	it('the first poll emits nothing, and neither does a change without a message', async () => {
		await open(ROWS);
		write('before');
		const trigger = await publish();
		chats()[0]!.assigneeId = harness.sandbox.world.users.filter(() => true)[0]!.id;
		expect((await trigger.poll()).events).toBeNull();
	});

	it('the first message of a new chat is emitted', async () => {
		await open(ROWS);
		const trigger = await publish();
		const { world } = harness.sandbox;
		const contact = world.addContact({ name: 'New customer', waId: '12025550199' });
		const { id: _id, createdAt: _createdAt, ...like } = chats()[0]!;
		const chat = world.addChat({ ...like, contactId: contact.id });
		write('Hi', chat);
		expect((await trigger.poll()).events).toMatchObject([
			{ text: 'Hi', contact: { name: 'New customer', waId: '12025550199' } },
		]);
	});
});

describe('the direction of messages', () => {
	it.each(['fromMe', 'senderType'] as const)('is recognized by %s', async (messageDirection) => {
		await open({ ...ROWS, messageDirection });
		const trigger = await publish();
		write('from an agent', undefined, { direction: 'OUTBOUND' });
		write('from the customer');
		expect(await polls(trigger, 2)).toEqual(['from the customer']);
	});

	it('if no message shows it, publishing and the test event say what to enter', async () => {
		await open({ ...ROWS, messageDirection: 'kind' });
		const message = 'The messages do not show whether the customer sent them';
		await expect(publish()).rejects.toThrow(message);
		await expect(publish()).rejects.toMatchObject({
			description: expect.stringContaining('id, kind, type, text') as string,
		});
	});

	it('it is read from the field that the user entered', async () => {
		await open({ ...ROWS, messageDirection: 'kind' });
		const trigger = await publish({ options: { directionField: 'kind', directionValue: 'l' } });
		write('from an agent', undefined, { direction: 'OUTBOUND' });
		write('from the customer');
		expect(await polls(trigger, 2)).toEqual(['from the customer']);
	});

	it('with both directions, it does not matter', async () => {
		await open({ ...ROWS, messageDirection: 'none' });
		const trigger = await publish({ messagesFrom: 'both' });
		write('somebody wrote');
		expect((await trigger.poll()).events).toMatchObject([
			{ text: 'somebody wrote', direction: null },
		]);
	});
});

describe('the time of messages', () => {
	it('if no message shows it, publishing and the test event say what to enter', async () => {
		await open({ ...ROWS, messageTime: 'none' });
		await expect(publish()).rejects.toMatchObject({
			message: 'The messages do not show when they were sent',
			description: expect.stringContaining('id, direction, type, text') as string,
		});
	});

	it('it is read from the field that the user entered', async () => {
		await open(ROWS);
		const trigger = await publish({ options: { timeField: 'created_at' } });
		const { createdAt } = write('Hello');
		expect((await trigger.poll()).events).toMatchObject([{ text: 'Hello', receivedAt: createdAt }]);
		await expect(publish({ options: { timeField: 'agentId' } })).rejects.toThrow(
			'No message has a date and time in the field "agentId"',
		);
	});
});

describe('every kind of service', () => {
	const kinds: [name: string, shapes: SandboxSettings['shapes']][] = [
		['rows show the last message', ROWS],
		['rows in the order of activity', { ...ROWS, chatOrder: 'activity' }],
		['rows with a field that always differs', { ...ROWS, chatFetchedAt: 'yes' }],
		['rows that show every second message', { ...ROWS, chatActivity: 'sometimes' }],
		['rows that show nothing', {}],
		['rows in a list, times in seconds', { ...ROWS, messageTime: 'seconds', lists: 'wrapped' }],
		['times in milliseconds', { ...ROWS, messageTime: 'milliseconds' }],
		['texts in objects', { ...ROWS, messageText: 'body' }],
		['the oldest message first', { ...ROWS, messageOrder: 'oldest' }],
	];

	it.each(kinds)('%s: every message is emitted once', async (_name, shapes) => {
		await open(shapes);
		const trigger = await publish();
		const expected: string[] = [];
		const emitted: unknown[] = [];
		for (let i = 0; i < 5; i++) {
			const chat = chats()[(i * 5) % chats().length]!;
			for (let message = 0; message <= i % 3; message++) {
				expected.push(`${i}.${message}`);
				write(`${i}.${message}`, chat);
			}
			emitted.push(...(await polls(trigger, 1)));
		}
		expect(emitted).toEqual(expected);
	});
});

describe('requests of a poll at rest', () => {
	/** Lets rows show new messages, until they are trusted. */
	const learn = async (trigger: Trigger, messages = 6): Promise<void> => {
		for (let i = 0; i < messages; i++) {
			write(`${i}`, chats()[(i * 7) % chats().length]);
			await polls(trigger, 2);
		}
		await polls(trigger, 3);
	};

	const atRest = async (trigger: Trigger, count = 9): Promise<string[][]> => {
		const requests: string[][] = [];
		for (let i = 0; i < count; i++) {
			minute();
			const poll = await trigger.poll();
			expect(poll.events).toBeNull();
			requests.push(poll.requests.map((request) => request.replace(/\/c[a-z0-9]{20,}/g, '/id')));
		}
		return requests;
	};

	it('where rows show them, one per 100 chats, and two that check it', async () => {
		await open(ROWS);
		const trigger = await publish();
		await learn(trigger);
		for (const requests of await atRest(trigger))
			expect(requests).toEqual(['GET /chats', 'GET /chats/id/messages', 'GET /chats/id/messages']);
	});

	it('where rows show them in several pages, one per page, and two that check it', async () => {
		await open(ROWS, { contacts: 60, pageCap: 5 });
		const trigger = await publish();
		await polls(trigger, 3);
		await learn(trigger);
		const pages = Math.ceil(chats().length / 5);
		for (const requests of await atRest(trigger)) expect(requests).toHaveLength(pages + 2);
		write('found', chats()[37]);
		expect(await polls(trigger, 1)).toEqual(['found']);
	});

	it('where nothing shows them, half of what a window of the rate limit allows', async () => {
		// Eight at once are never more than a third of what is left: in this time, waiting for a response would end the poll.
		const rateLimit = { requests: 60, routes: 'all' } as const;
		await open({}, { contacts: 60, rateLimit });
		const trigger = await publish();
		const { length } = chats();
		expect(length).toBeGreaterThan(30);
		await polls(trigger, 3);
		write('found', chats()[7]);
		expect(await polls(trigger, Math.ceil(length / 29))).toEqual(['found']);
		for (const requests of await atRest(trigger, 3)) expect(requests).toHaveLength(30);
		write('found again', chats()[15]);
		expect(await polls(trigger, Math.ceil(length / 29))).toEqual(['found again']);
	});
});

describe('failures', () => {
	it.each([503, 429])(
		'after an outage with %i, everything since is emitted once',
		async (status) => {
			await open(ROWS);
			const trigger = await publish();
			write('before');
			harness.sandbox.faults.add({ kind: 'status', status }, { times: 40 });
			for (let i = 0; i < 3; i++) {
				write(`during ${i}`);
				minute();
				expect(await trigger.poll()).toMatchObject({ events: null, error: undefined });
			}
			harness.sandbox.faults.clear();
			expect(await polls(trigger, 3)).toEqual(['before', 'during 0', 'during 1', 'during 2']);
		},
	);

	it('a poll that fails in the middle loses and repeats nothing', async () => {
		await open(ROWS);
		const trigger = await publish();
		const all = chats();
		for (const [i, chat] of all.entries()) write(`${i}`, chat);
		harness.sandbox.faults.add(
			{ kind: 'status', status: 503 },
			{ times: 99, matches: ({ path }) => path.includes(all[3]!.id) || path.includes(all[4]!.id) },
		);
		const first = await polls(trigger, 1);
		harness.sandbox.faults.clear();
		const rest = await polls(trigger, 3);
		expect([...first, ...rest].toSorted()).toEqual(all.map((_chat, i) => `${i}`).toSorted());
		expect(rest.length).toBeGreaterThan(0);
	});

	it('a rejected token fails at once, with the service’s words', async () => {
		await open(ROWS);
		const trigger = await publish();
		harness.sandbox.tokens.all.active = false;
		const { events, error } = await trigger.poll();
		expect(events).toBeNull();
		expect(error!.message).toContain('403');
	});

	it('after a crash before the state was saved, the same event is emitted again', async () => {
		await open(ROWS);
		const trigger = await publish();
		const crashed = harness.restart(trigger);
		write('Hello');
		const [first] = (await trigger.poll()).events!;
		const [again] = (await crashed.poll()).events!;
		expect(again).toEqual(first);
	});

	it('a restart keeps what was emitted', async () => {
		await open(ROWS);
		const trigger = await publish();
		write('Hello');
		expect(await polls(trigger, 1)).toEqual(['Hello']);
		const restarted = harness.restart(trigger);
		write('again');
		expect(await polls(restarted, 2)).toEqual(['again']);
	});
});

describe('filters', () => {
	it('only chats that match are watched', async () => {
		await open(ROWS);
		const [one, other] = chats().filter(({ channel }) => channel === 'WHATSAPP');
		const trigger = await publish({ filters: { contactId: byId(one!.contactId) } });
		write('not this one', other);
		write('this one', one);
		expect(await polls(trigger, 2)).toEqual(['this one']);
	});

	it.each<[INodeParameters, (chat: Chat) => boolean]>([
		[{ channel: 'INSTAGRAM' }, ({ channel }) => channel === 'INSTAGRAM'],
		[{ needsEscalation: true }, ({ needsEscalation }) => needsEscalation],
		[{ needsEscalation: false }, ({ needsEscalation }) => !needsEscalation],
	])('%j', async (filters, matches) => {
		await open(ROWS);
		chats()[0]!.needsEscalation = true;
		const trigger = await publish({ filters });
		for (const chat of chats()) write(chat.id, chat);
		const expected = chats().filter(matches);
		expect(expected.length).toBeGreaterThan(0);
		expect((await polls(trigger, 2)).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
	});

	it('a chat that is assigned to the agent later has only its new messages emitted', async () => {
		await open(ROWS);
		const chat = chats()[1]!;
		const agent = harness.sandbox.world.users.filter(() => true)[2]!;
		chat.assigneeId = null;
		const trigger = await publish({ filters: { agentId: byId(agent.id) } });
		write('before it was assigned', chat);
		await polls(trigger, 5);
		chat.assigneeId = agent.id;
		expect(await polls(trigger, 2)).toEqual([]);
		write('after it was assigned', chat);
		expect(await polls(trigger, 1)).toEqual(['after it was assigned']);
	});

	it('a filter that only chats have is rejected if an expression does not contain the event', async () => {
		await open(ROWS);
		const events = "={{ ['ticketStatusChanged'] }}";
		await expect(harness.publish({ events, filters: { channel: 'WHATSAPP' } })).rejects.toThrow(
			'The filter Channel Type does not apply to the events you chose',
		);
	});
});

describe('Fetch Test Event', () => {
	const fetchEvent = async (parameters: INodeParameters = {}) => {
		const { sandbox, engine } = harness;
		const run = await engine.run(
			{
				name: 'Try',
				nodes: [actionNode('Trigger', { ...RECEIVED, ...parameters }, TRIGGER_NODE)],
				connections: {},
			},
			{ credential: { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value } },
		);
		return { run, events: outputOf(run, 'Trigger').map(({ json }) => json) };
	};

	it('shows the newest message of a customer', async () => {
		await open(ROWS);
		write('newest of a customer');
		write('of an agent', undefined, { direction: 'OUTBOUND' });
		const { events } = await fetchEvent();
		expect(events).toMatchObject([{ event: 'messageReceived', text: 'newest of a customer' }]);
	});

	it('says what to enter if no message shows its direction', async () => {
		await open({ ...ROWS, messageDirection: 'kind' });
		const { run } = await fetchEvent();
		expect(run.data.resultData.error!.message).toBe(
			'The messages do not show whether the customer sent them',
		);
	});
});

describe('with other events', () => {
	it('both are emitted, and each keeps its state', async () => {
		await open(ROWS);
		const trigger = await harness.publish({ events: ['messageReceived', 'ticketStatusChanged'] });
		write('Hello');
		harness.sandbox.world.addTicket({ title: 'New' });
		const { events } = await trigger.poll();
		expect(events!.map(({ event }) => event)).toEqual(['ticketStatusChanged', 'messageReceived']);
		const restarted = harness.restart(trigger);
		expect((await restarted.poll()).events).toBeNull();
	});

	it('an event that is no longer chosen leaves no state, and starts anew when it is chosen again', async () => {
		await open(ROWS);
		const both = await harness.publish({ events: ['messageReceived', 'ticketStatusChanged'] });
		const stateOf = (saved: string): IDataObject => {
			const { state } = Object.values(JSON.parse(saved) as Record<string, IDataObject>)[0]!;
			return JSON.parse(state as string) as IDataObject;
		};
		expect(Object.keys(stateOf(both.poller.saved))).toContain('messages');
		const { saved } = both.poller;
		const tickets = await harness.publish({ events: ['ticketStatusChanged'] }, { saved });
		expect(Object.keys(stateOf(tickets.poller.saved))).not.toContain('messages');
		write('in between');
		const again = await harness.publish(RECEIVED, { saved: tickets.poller.saved });
		expect(Object.keys(stateOf(again.poller.saved).checkpoints as IDataObject)).toEqual([]);
		expect(await polls(again, 2)).toEqual([]);
	});

	it('the state of the version before is read', async () => {
		await open(ROWS);
		const old = await harness.publish({ events: ['ticketStatusChanged'] });
		const events = ['messageReceived', 'ticketStatusChanged'];
		const upgraded = await harness.publish({ events }, { saved: old.poller.saved });
		harness.sandbox.world.addTicket({ title: 'New' });
		write('Hello');
		const found = (await upgraded.poll()).events!.map(({ event }) => event);
		expect(found).toEqual(['ticketStatusChanged', 'messageReceived']);
	});

	it('a new token of the same organization loses nothing', async () => {
		await open(ROWS);
		const trigger = await publish();
		write('with the old token');
		const apiToken = harness.sandbox.tokens.readOnly.value;
		const credential = { baseUrl: harness.sandbox.baseUrl, apiToken };
		const renewed = harness.restart(trigger, { credential });
		expect(await polls(renewed, 1)).toEqual(['with the old token']);
		write('with the new one');
		expect(await polls(renewed, 1)).toEqual(['with the new one']);
	});

	it('one of another organization starts anew: messages that were there are not emitted', async () => {
		await open(ROWS);
		const trigger = await publish();
		const credential = {
			baseUrl: harness.sandbox.baseUrl,
			apiToken: harness.sandbox.tokens.otherOrganization.value,
		};
		const other = harness.restart(trigger, { credential });
		expect(await polls(other, 1)).toEqual([]);
		const { otherWorld } = harness.sandbox;
		write('own');
		otherWorld.addMessage(otherWorld.chats.filter(() => true)[0]!, {
			direction: 'INBOUND',
			type: 'text',
			content: { text: 'other' },
			agentId: null,
		});
		expect(await polls(other, 2)).toEqual(['other']);
		expect(await polls(trigger, 1)).toEqual(['own']);
	});

	it('another choice of Messages From starts anew', async () => {
		await open(ROWS);
		const trigger = await publish();
		write('from an agent', undefined, { direction: 'OUTBOUND' });
		const file = triggerWorkflow({ ...RECEIVED, messagesFrom: 'both' });
		const { saved } = trigger.poller;
		const both = harness.restart({ ...trigger, poller: { file, saved } as Poller });
		expect(await polls(both, 1)).toEqual([]);
		write('from another one', undefined, { direction: 'OUTBOUND' });
		expect(await polls(both, 1)).toEqual(['from another one']);
	});

	it('the state contains no token, no text and no number', async () => {
		await open(ROWS);
		const trigger = await publish();
		const { chat } = write('a secret');
		await polls(trigger, 2);
		const { saved } = trigger.poller;
		const { waId } = harness.sandbox.world.contacts.get(chat.contactId)!;
		for (const text of [harness.sandbox.tokens.all.value, 'a secret', chat.id, waId ?? 'a secret'])
			expect(saved).not.toContain(text);
	});
});
