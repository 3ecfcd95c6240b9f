/** What a workflow receives of new messages. */
import type { IDataObject } from 'n8n-workflow';
import {
	contactOf,
	itemsOf,
} from '../../../nodes/ConversationalMessaging/trigger/messages/items.ts';
import type { MessageSubscription } from '../../../nodes/ConversationalMessaging/trigger/messages/subscription.ts';
import { sentAt } from '../../../nodes/ConversationalMessaging/api/chatMessage.ts';
import { SUBSCRIPTION } from './watch.mts';

const CHAT = {
	id: 'c1',
	row: { id: 'c1', contact: { id: 'k1', name: 'Ann', waId: '12025550143' } },
};

const QUESTION = { id: 'm1', direction: 'INBOUND', text: 'Hi', createdAt: '2026-01-15T09:00:00Z' };
const ANSWER = { id: 'm2', direction: 'OUTBOUND', text: 'Hello' };
const PHOTO = { id: 'm3', direction: 'INBOUND', createdAt: '2026-01-15T09:02:00Z' };
const SYSTEM = { id: 'm4', text: 'Chat closed' };

const messageOf = (record: IDataObject) => ({
	id: record.id as string,
	time: sentAt(record),
	record,
});

const items = (records: IDataObject[], change: Partial<MessageSubscription> = {}) =>
	itemsOf(CHAT, records.map(messageOf), { ...SUBSCRIPTION, ...change }).map(({ json }) => json);

/** What a message is described by. */
const question = {
	recordId: 'm1',
	direction: 'inbound',
	text: 'Hi',
	receivedAt: '2026-01-15T09:00:00.000Z',
	record: QUESTION,
};
const answer = {
	recordId: 'm2',
	direction: 'outbound',
	text: 'Hello',
	receivedAt: null,
	record: ANSWER,
};
const photo = {
	recordId: 'm3',
	direction: 'inbound',
	text: null,
	receivedAt: '2026-01-15T09:02:00.000Z',
	record: PHOTO,
};

describe('an item per message', () => {
	test('has the message, its chat and its contact, and an ID of its own', () => {
		expect(items([QUESTION])).toStrictEqual([
			{
				event: 'messageReceived',
				eventId: 'messageReceived:c1:m1',
				chatId: 'c1',
				contact: { id: 'k1', name: 'Ann', waId: '12025550143' },
				...question,
			},
		]);
	});

	test.each<[MessageSubscription['from'], IDataObject[]]>([
		['customers', [question, photo]],
		[
			'both',
			[
				question,
				answer,
				photo,
				{ recordId: 'm4', direction: null, text: 'Chat closed', receivedAt: null, record: SYSTEM },
			],
		],
	])('from %s, in the order of the chat', (from, expected) => {
		expect(items([QUESTION, ANSWER, PHOTO, SYSTEM], { from })).toMatchObject(expected);
	});
});

describe('an item per chat', () => {
	test('has the newest message, the text of all, and all of them', () => {
		const second = { ...QUESTION, id: 'm5', text: 'Where is it?' };
		expect(items([QUESTION, ANSWER, second, PHOTO], { isGrouped: true })).toStrictEqual([
			{
				event: 'messageReceived',
				eventId: 'messageReceived:c1:m3',
				chatId: 'c1',
				contact: { id: 'k1', name: 'Ann', waId: '12025550143' },
				...photo,
				text: 'Hi\nWhere is it?',
				messages: [
					question,
					{ ...question, recordId: 'm5', text: 'Where is it?', record: second },
					photo,
				],
			},
		]);
	});

	test('has no text if no message has one', () => {
		expect(items([PHOTO], { isGrouped: true })).toMatchObject([{ text: null, messages: [photo] }]);
	});
});

test.each([false, true])(
	'without a message from a customer, there is no item, grouped: %j',
	(isGrouped) => {
		expect(items([ANSWER, SYSTEM], { isGrouped })).toStrictEqual([]);
		expect(items([], { isGrouped, from: 'both' })).toStrictEqual([]);
	},
);

test.each([false, true])('what workflows use comes first, grouped: %j', (isGrouped) => {
	const [item] = items([QUESTION], { isGrouped });
	const first = ['event', 'text', 'contact', 'chatId', 'receivedAt'];
	expect(Object.keys(item!).slice(0, 5)).toEqual(first);
});

describe('the contact of a chat', () => {
	test.each<[chat: IDataObject, contact: IDataObject]>([
		[{}, {}],
		[{ contact: null }, {}],
		[{ contact: { id: 7, name: ' Ann ', tags: ['vip'] } }, { id: '7', name: 'Ann', tags: ['vip'] }],
		[{ contact: { _id: 'k1' } }, { _id: 'k1', id: 'k1' }],
		[
			{ contact: 'k1', contactName: 'Ann' },
			{ id: 'k1', name: 'Ann' },
		],
		[{ contactId: 'k1', contact_id: 'k2', contact: 'k3' }, { id: 'k1' }],
		[{ contact_id: 'k2', contact: 'k3' }, { id: 'k2' }],
		[{ contactId: ' ', contact_id: '', contact: 'k3' }, { id: 'k3' }],
		[
			{ contactId: 'k1', contact: { id: '', name: '' }, contactName: 'Ann' },
			{ id: 'k1', name: 'Ann' },
		],
		[
			{ waId: '12025550143', igId: 'ig1' },
			{ waId: '12025550143', igId: 'ig1' },
		],
		[
			{ contact: { waId: '1', igId: 'a' }, waId: '2', igId: 'b' },
			{ waId: '1', igId: 'a' },
		],
	])('%j: %j', (chat, contact) => {
		expect(contactOf(chat)).toStrictEqual(contact);
	});

	test.each(['id', 'waId', 'igId', 'phone'])(
		'a message whose sender is its %s is from the customer',
		(name) => {
			const chat = { id: 'c1', row: { contact: { [name]: 'x1' } } };
			const message = messageOf({ id: 'm1', from: 'x1', to: 'us' });
			expect(itemsOf(chat, [message], SUBSCRIPTION)).toHaveLength(1);
		},
	);
});
