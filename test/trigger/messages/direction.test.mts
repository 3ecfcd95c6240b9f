/** Which messages count as customers', and when that is not known. */
import type { IDataObject } from 'n8n-workflow';
import { shownDirections } from '../../../nodes/ConversationalMessaging/trigger/messages/items.ts';
import { newestMessage } from '../../../nodes/ConversationalMessaging/trigger/messages/testEvent.ts';
import { FakeTime } from '../../time.mts';
import { FakeChats, HABITS } from './service.mts';
import { NODE, SUBSCRIPTION, Watch } from './watch.mts';

const [USER, AGENT, INBOUND] = [
	{ id: 'u', senderType: 'USER' },
	{ id: 'a', senderType: 'AGENT' },
	{ id: 'i', direction: 'INBOUND' },
];

test.each<[string, IDataObject[][], boolean, boolean, IDataObject | undefined]>([
	['none', [[]], false, false, undefined],
	['one from a customer', [[AGENT, USER], [INBOUND]], true, true, USER],
	['only from agents', [[AGENT]], true, false, AGENT],
	['from agents, and others in the same chat', [[AGENT, USER]], false, false, USER],
	['from agents, and others in another chat', [[AGENT], [USER]], false, false, USER],
])('without a setting, messages: %s', (_name, chats, isShown, isLasting, example) => {
	const read = chats.map((messages, i) => ({ chat: { id: `${i}`, row: {} }, messages }));
	const shown = shownDirections(read, SUBSCRIPTION);
	expect(shown).toEqual({ isShown, isLasting, example });
});

const [NO_FIELD, EMPTY, VALUE] = [{ id: 'n' }, { id: 'e', by: null }, { id: 'v', by: 'A1' }];

test.each<[string, string, IDataObject[], Partial<ReturnType<typeof shownDirections>>]>([
	['none', 'A1', [], { isShown: false, isLasting: false, example: undefined }],
	['none', '', [], { isShown: false, isLasting: false, example: undefined }],
	['one has a value', 'L', [NO_FIELD, VALUE], { isShown: true, isLasting: true }],
	['it has no value', 'L', [EMPTY], { isShown: false, hasField: true, example: EMPTY }],
	['none has the field', 'L', [NO_FIELD], { isShown: false, hasField: false }],
	// An empty value: messages of customers have the field without a value.
	[
		'one has the field without a value',
		'',
		[VALUE, NO_FIELD, EMPTY],
		{ isShown: true, isLasting: true },
	],
	['the same', ' ', [EMPTY], { isShown: true, isLasting: true }],
	[
		'all have a value, as those of agents do',
		'',
		[VALUE, VALUE],
		{ isShown: true, isLasting: false },
	],
	[
		'others leave the field out',
		'',
		[VALUE, NO_FIELD],
		{ isShown: false, hasField: true, example: NO_FIELD },
	],
	['none has the field', '', [NO_FIELD], { isShown: false, hasField: false, example: NO_FIELD }],
])('with a setting, messages: %s (value "%s")', (_name, value, messages, expected) => {
	const read = [{ chat: { id: 'c', row: {} }, messages }];
	const direction = { key: 'by', value };
	expect(shownDirections(read, { ...SUBSCRIPTION, direction })).toMatchObject(expected);
});

describe('with a setting', () => {
	let time: FakeTime;
	let service: FakeChats;
	beforeEach(() => {
		time = new FakeTime().install();
		service = new FakeChats(HABITS, () => time.clock.now());
		const chat = service.makeChat();
		service.addMessage(chat);
		service.addMessage(chat, false);
	});
	afterEach(() => time.restore());

	const watchWith = (key: string, value: string) =>
		new Watch(service, undefined, { ...SUBSCRIPTION, direction: { key, value } });

	const poll = async (watch: Watch) => {
		time.clock.advance(60_000);
		return await watch.poll();
	};

	test.each(['', 'INBOUND'])('a field that no message has is named, value "%s"', async (value) => {
		const watch = watchWith('sender', value);
		const { items, error } = await poll(watch);
		expect([items, error?.message]).toEqual([[], 'No message has the field "sender"']);
		await expect(newestMessage(service, watch.subscription, NODE)).rejects.toThrow(
			'No message has the field "sender"',
		);
	});

	test('an empty value for a field that messages of customers leave out is not accepted in silence', async () => {
		const all = service.messages.bind(service);
		service.messages = async (id, take, cursor) =>
			(await all(id, take, cursor))?.map(({ direction, ...message }) =>
				direction === 'OUTBOUND' ? { ...message, agentId: 'A1' } : message,
			);
		const watch = watchWith('agentId', '');
		const message = 'No message has the field "agentId" without a value';
		const { items, error } = await poll(watch);
		expect([items, error?.message]).toEqual([[], message]);
		await expect(newestMessage(service, watch.subscription, NODE)).rejects.toMatchObject({
			message,
			description:
				'With an empty Direction Value, messages that leave the field out do not count as messages from customers. Enter a field and a value that messages from customers have. The fields of a message are: id, text, createdAt.',
		});
	});

	test('the case of the field does not matter', async () => {
		const watch = watchWith('DIRECTION', 'inbound');
		await poll(watch);
		const { id } = service.addMessage(service.list[0]!);
		service.addMessage(service.list[0]!, false);
		expect((await poll(watch)).items.map(({ recordId }) => recordId)).toEqual([id]);
	});

	test('a later mistake is noticed, although messages were recognized before', async () => {
		const watch = watchWith('direction', 'inbound');
		expect((await poll(watch)).error).toBeUndefined();
		watch.subscription = { ...SUBSCRIPTION, direction: { key: 'directoin', value: '' } };
		const { id } = service.addMessage(service.list[0]!);
		expect((await poll(watch)).error?.message).toBe('No message has the field "directoin"');
		watch.subscription = SUBSCRIPTION;
		expect((await poll(watch)).items.map(({ recordId }) => recordId)).toEqual([id]);
	});
});

describe('from poll to poll', () => {
	let time: FakeTime;
	let service: FakeChats;
	/** Whether messages show their directions. */
	let isShown: boolean;
	beforeEach(() => {
		time = new FakeTime().install();
		isShown = true;
		service = new FakeChats(HABITS, () => time.clock.now());
		const all = service.messages.bind(service);
		service.messages = async (id, take, cursor) =>
			(await all(id, take, cursor))?.map(({ direction, ...message }) =>
				isShown ? { ...message, direction } : message,
			);
	});
	afterEach(() => time.restore());

	const poll = async (watch: Watch) => {
		time.clock.advance(60_000);
		const { items, error } = await watch.poll();
		return [items.map(({ recordId }) => recordId), error?.message];
	};
	const unknown = 'The messages do not show whether the customer sent them';

	test('once a message of a customer was recognized, others are left out in silence', async () => {
		const chat = service.makeChat();
		service.addMessage(chat);
		const watch = new Watch(service);
		expect(await poll(watch)).toEqual([[], undefined]);
		isShown = false;
		service.addMessage(chat);
		expect(await poll(watch)).toEqual([[], undefined]);
		expect(await poll(watch)).toEqual([[], undefined]);
	});

	test('messages of agents alone do not prove that those of customers are recognized', async () => {
		const chat = service.makeChat();
		service.addMessage(chat, false);
		const watch = new Watch(service);
		expect(await poll(watch)).toEqual([[], undefined]);
		isShown = false;
		service.addMessage(chat);
		expect(await poll(watch)).toEqual([[], unknown]);
	});

	test('until they are recognized, nothing counts as read', async () => {
		const chat = service.makeChat();
		service.addMessage(chat);
		isShown = false;
		const watch = new Watch(service);
		expect(await poll(watch)).toEqual([[], unknown]);
		expect(watch.checkpoint).toEqual({ scope: 'scope', failures: 0 });
		isShown = true;
		expect(await poll(watch)).toEqual([[], undefined]);
		isShown = false;
		const { id } = service.addMessage(chat);
		watch.subscription = { ...SUBSCRIPTION, from: 'both' };
		expect(await poll(watch)).toEqual([[id], undefined]);
	});

	test('where both directions are emitted, they need not be recognized', async () => {
		const chat = service.makeChat();
		service.addMessage(chat);
		isShown = false;
		const watch = new Watch(service, undefined, { ...SUBSCRIPTION, from: 'both' });
		expect(await poll(watch)).toEqual([[], undefined]);
		const { id } = service.addMessage(chat);
		expect(await poll(watch)).toEqual([[id], undefined]);
	});
});
