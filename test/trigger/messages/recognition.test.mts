/** Whether messages show what the trigger needs: who wrote them, and when. */
import type { IDataObject } from 'n8n-workflow';
import { messagesIn } from '../../../nodes/ConversationalMessaging/trigger/messages/message.ts';
import {
	orderError,
	recognize,
} from '../../../nodes/ConversationalMessaging/trigger/messages/recognition.ts';
import type { MessageSubscription } from '../../../nodes/ConversationalMessaging/trigger/messages/subscription.ts';
import { newestMessage } from '../../../nodes/ConversationalMessaging/trigger/messages/testEvent.ts';
import { useFakeTime } from '../../support/time.mts';
import { type Chat, FakeChats, HABITS } from './chats.mts';
import { NODE } from '../../support/node.mts';
import { SUBSCRIPTION, Watch } from './watch.mts';

const NO_DIRECTION = 'The messages do not show whether the customer sent them';
const NO_TIME = 'The messages do not show when they were sent';

const CHAT = { id: 'c', row: {} };

/** What is wrong with these messages, and whether they prove that nothing is. */
const outcome = (chats: IDataObject[][], change: Partial<MessageSubscription> = {}) => {
	const subscription = { ...SUBSCRIPTION, ...change };
	const read = chats.flatMap((records) => messagesIn(records, CHAT, subscription));
	const { error, isLasting } = recognize(read, subscription, NODE);
	return error?.message ?? isLasting;
};

const at = { createdAt: '2026-01-15T09:00:00Z' };
const [USER, AGENT, INBOUND] = [
	{ id: 'u', senderType: 'USER', ...at },
	{ id: 'a', senderType: 'AGENT', ...at },
	{ id: 'i', direction: 'INBOUND', ...at },
];

test.each<[string, IDataObject[][], string | boolean]>([
	['none', [[]], false],
	['one from a customer', [[AGENT, USER], [INBOUND]], true],
	['only from agents', [[AGENT]], false],
	['from agents, and others in the same chat', [[AGENT, USER]], NO_DIRECTION],
	['from agents, and others in another chat', [[AGENT], [USER]], NO_DIRECTION],
])('without a setting, messages: %s', (_name, chats, expected) => {
	expect(outcome(chats)).toBe(expected);
	expect(outcome(chats, { from: 'both' })).toBe(chats.flat().length > 0);
});

const [NO_FIELD, EMPTY, VALUE] = [
	{ id: 'n', ...at },
	{ id: 'e', by: null, ...at },
	{ id: 'v', by: 'A1', ...at },
];
const MISSING = 'No message has the field "by"';
const NOT_EMPTY = 'No message has the field "by" without a value';

test.each<[string, string, IDataObject[], string | boolean]>([
	['none', 'A1', [], false],
	['none', '', [], false],
	['one has a value', 'L', [NO_FIELD, VALUE], true],
	['it has no value', 'L', [EMPTY], NOT_EMPTY],
	['none has the field', 'L', [NO_FIELD], MISSING],
	// An empty value: messages of customers have the field without a value.
	['one has the field without a value', '', [VALUE, NO_FIELD, EMPTY], true],
	['all have a value', '', [VALUE, VALUE], NOT_EMPTY],
	['others leave the field out', '', [VALUE, NO_FIELD], NOT_EMPTY],
	['none has the field', '', [NO_FIELD], MISSING],
])('with a setting, messages: %s (value "%s")', (_name, value, messages, expected) => {
	expect(outcome([messages], { direction: { key: 'by', value } })).toBe(expected);
});

const [NO_TIME_INBOUND, NO_TIME_AGENT] = [
	{ id: 'i', direction: 'INBOUND' },
	{ id: 'a', direction: 'OUTBOUND' },
];

test.each<[string, IDataObject[], Partial<MessageSubscription>, string | boolean]>([
	['none has a time', [NO_TIME_INBOUND], {}, NO_TIME],
	['those of customers have none', [NO_TIME_INBOUND, AGENT], {}, NO_TIME],
	['those of agents have none', [INBOUND, NO_TIME_AGENT], {}, true],
	['only some of customers have one', [INBOUND, NO_TIME_INBOUND], {}, true],
	['in both directions, one has', [NO_TIME_INBOUND, AGENT], { from: 'both' }, true],
	['in both directions, none has', [NO_TIME_INBOUND], { from: 'both' }, NO_TIME],
	['only the day', [{ ...NO_TIME_INBOUND, date: '2026-01-15' }], {}, NO_TIME],
	[
		'in the field of the setting',
		[{ ...NO_TIME_INBOUND, when: 1768467600 }],
		{ timeField: 'when' },
		true,
	],
	[
		'in another field',
		[INBOUND],
		{ timeField: 'when' },
		'No message has a date and time in the field "when"',
	],
])('times: %s', (_name, messages, change, expected) => {
	expect(outcome([messages], change)).toBe(expected);
});

test.each<[string, IDataObject[], string | undefined, string | boolean]>([
	['one message without a direction', [AGENT, USER], undefined, 'early'],
	['several', [AGENT, USER, { ...USER, id: 'u2' }], undefined, NO_DIRECTION],
	['all have a value in a field that has to be empty', [VALUE, VALUE], '', false],
])('once the workflow is published: %s', (_name, messages, value, expected) => {
	const direction = value === undefined ? undefined : { key: 'by', value };
	const subscription = { ...SUBSCRIPTION, direction };
	const { error, isEarly, isLasting } = recognize(
		messagesIn(messages, CHAT, subscription),
		subscription,
		NODE,
		false,
	);
	expect(isEarly ? 'early' : (error?.message ?? isLasting)).toBe(expected);
});

test.each([
	[4, false],
	[5, true],
])(
	'%i messages of a customer, each newer than the one before: wrong order %s',
	(count, isWrong) => {
		const rows = Array.from({ length: count }, (_, i) => ({ ...INBOUND, createdAt: i + 1e12 }));
		expect(orderError([messagesIn(rows, CHAT, SUBSCRIPTION)], NODE) !== undefined).toBe(isWrong);
	},
);

test('the fields of a message are named', () => {
	const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field${i}`, i]));
	const messages = messagesIn([{ id: 'm', kind: 'L', ...many }], CHAT, SUBSCRIPTION);
	const { error } = recognize(messages, SUBSCRIPTION, NODE);
	expect(error!.description).toMatch(/Add Direction Field and Direction Value in Options/);
	expect(error!.description).toMatch(/The fields of a message are: id, kind, field0, .*field17\.$/);
});

describe('from poll to poll', () => {
	const time = useFakeTime();
	let service: FakeChats;
	let chat: Chat;
	let watch: Watch;
	/** What messages show instead of their direction, if they do not. */
	let shown: ((message: IDataObject) => IDataObject) | undefined;
	beforeEach(() => {
		shown = undefined;
		service = new FakeChats(HABITS, () => time.clock.now());
		chat = service.makeChat();
		watch = new Watch(service);
		const all = service.messages.bind(service);
		service.messages = async (id, take, cursor) => {
			const page = await all(id, take, cursor);
			const rows = page.rows.map((row) => {
				const { direction, ...message } = row as IDataObject;
				return { ...message, ...(shown ? shown({ direction }) : { direction }) };
			});
			return { ...page, rows };
		};
	});

	const poll = async () => {
		time.clock.advance(60_000);
		const { items, error } = await watch.poll();
		return [items.map(({ recordId }) => recordId), error?.message];
	};

	const hideDirection = (): void => {
		shown = () => ({});
	};

	test('once a message of a customer was recognized, others are left out in silence', async () => {
		service.addMessage(chat);
		expect(await poll()).toStrictEqual([[], undefined]);
		hideDirection();
		service.addMessage(chat);
		for (let i = 0; i < 2; i++) expect(await poll()).toStrictEqual([[], undefined]);
	});

	test('messages of agents alone do not prove that those of customers are recognized', async () => {
		service.addMessage(chat, false);
		expect(await poll()).toStrictEqual([[], undefined]);
		hideDirection();
		service.addMessage(chat);
		expect(await poll()).toStrictEqual([[], NO_DIRECTION]);
	});

	test('until they are recognized, nothing counts as read, which is logged once: other events may hide the error', async () => {
		service.addMessage(chat);
		hideDirection();
		for (let i = 0; i < 2; i++) expect(await poll()).toStrictEqual([[], NO_DIRECTION]);
		expect(watch.checkpoint).toMatchObject({ scope: 'scope', token: 'token', failures: 0 });
		expect(watch.checkpoint!.memory).toBeUndefined();
		const begins = `! No message is emitted until messages are recognized. ${NO_DIRECTION}. Add Direction Field and Direction Value in Options, with the field and the value that messages from customers have, or set Messages From to Both Directions. The fields of a message are: id, text, createdAt.`;
		expect(watch.logged).toStrictEqual([begins]);
		shown = undefined;
		expect(await poll()).toStrictEqual([[], undefined]);
		expect(watch.logged.slice(1)).toStrictEqual(['Messages are recognized.']);
		hideDirection();
		const { id } = service.addMessage(chat);
		watch.subscription = { ...SUBSCRIPTION, from: 'both' };
		expect(await poll()).toStrictEqual([[id], undefined]);
	});

	test('one message alone, once the workflow is published, may be a note; it is emitted if it turns out to be none', async () => {
		expect(await poll()).toStrictEqual([[], undefined]);
		shown = ({ direction }) => ({ kind: direction });
		time.clock.advance(2_000);
		const { id } = service.addMessage(chat);
		for (let i = 0; i < 2; i++) expect(await poll()).toStrictEqual([[], undefined]);
		const other = service.addMessage(chat);
		expect(await poll()).toStrictEqual([[], NO_DIRECTION]);
		watch.subscription = { ...SUBSCRIPTION, direction: { key: 'kind', value: 'inbound' } };
		expect(await poll()).toStrictEqual([[id, other.id], undefined]);
	});

	test('an empty value for a field that messages of customers leave out is not accepted in silence', async () => {
		service.addMessage(chat);
		service.addMessage(chat, false);
		shown = ({ direction }) => (direction === 'OUTBOUND' ? { agentId: 'A1' } : {});
		watch.subscription = { ...SUBSCRIPTION, direction: { key: 'agentId', value: '' } };
		const message = 'No message has the field "agentId" without a value';
		expect(await poll()).toStrictEqual([[], message]);
		await expect(newestMessage(service, watch.subscription, NODE)).rejects.toMatchObject({
			message,
			description:
				'Direction Value is empty, so only messages that have the field without a value count as messages from customers. Enter the value that messages from customers have. The fields of a message are: id, text, createdAt, agentId.',
		});
	});

	test('a later mistake in a setting is noticed, although messages were recognized before', async () => {
		service.addMessage(chat);
		watch.subscription = { ...SUBSCRIPTION, direction: { key: 'direction', value: 'INbound' } };
		expect(await poll()).toStrictEqual([[], undefined]);
		watch.subscription = { ...SUBSCRIPTION, direction: { key: 'directoin', value: '' } };
		const { id } = service.addMessage(chat);
		expect(await poll()).toStrictEqual([[], 'No message has the field "directoin"']);
		watch.subscription = SUBSCRIPTION;
		expect(await poll()).toStrictEqual([[id], undefined]);
	});
});
