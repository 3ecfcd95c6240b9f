/** What a workflow receives of new messages. */
import type { IDataObject } from 'n8n-workflow';
import {
	contactOf,
	itemsOf,
	shownDirections,
} from '../../../nodes/ConversationalMessaging/trigger/messages/items.ts';
import type { MessageSubscription } from '../../../nodes/ConversationalMessaging/trigger/messages/subscription.ts';
import { SUBSCRIPTION } from './watch.mts';

const CHAT = {
	id: 'c1',
	row: { id: 'c1', contact: { id: 'k1', name: 'Ann', waId: '12025550143' } },
};

const QUESTION = { id: 'm1', direction: 'INBOUND', text: 'Hi', createdAt: '2026-01-15T09:00:00Z' };
const ANSWER = { id: 'm2', direction: 'OUTBOUND', text: 'Hello' };
const PHOTO = { id: 'm3', direction: 'INBOUND', createdAt: '2026-01-15T09:02:00Z' };
const SYSTEM = { id: 'm4', text: 'Chat closed' };

const items = (news: IDataObject[], change: Partial<MessageSubscription> = {}) =>
	itemsOf({ chat: CHAT, news }, { ...SUBSCRIPTION, ...change }).map(({ json }) => json);

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
		expect(items([QUESTION, ANSWER, second, PHOTO], { emit: 'chat' })).toStrictEqual([
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
		expect(items([PHOTO], { emit: 'chat' })).toMatchObject([{ text: null, messages: [photo] }]);
	});
});

test.each(['message', 'chat'] as const)(
	'without a message from a customer, no item per %s',
	(emit) => {
		expect(items([ANSWER, SYSTEM], { emit })).toStrictEqual([]);
		expect(items([], { emit, from: 'both' })).toStrictEqual([]);
	},
);

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

	test.each(['id', 'waId', 'igId'])(
		'a message whose sender is its %s is from the customer',
		(name) => {
			const chat = { id: 'c1', row: { contact: { [name]: 'x1' } } };
			const message = { id: 'm1', from: 'x1', to: 'us' };
			expect(itemsOf({ chat, news: [message] }, SUBSCRIPTION)).toHaveLength(1);
			expect(shownDirections([{ chat, messages: [message] }], SUBSCRIPTION).isShown).toBe(true);
		},
	);

	test('a message without a sender is not from a contact without IDs', () => {
		const message = { id: 'm1', from: '', to: 'us' };
		expect(itemsOf({ chat: { id: 'c1', row: {} }, news: [message] }, SUBSCRIPTION)).toEqual([]);
	});
});
