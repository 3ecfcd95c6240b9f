/** What is read of a message, and what a workflow receives. */
import type { IDataObject } from 'n8n-workflow';
import { contactOf } from '../../../nodes/ConversationalMessaging/api/response/chat.ts';
import {
	itemsOf,
	messagesIn,
} from '../../../nodes/ConversationalMessaging/trigger/messages/message.ts';
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

const items = (records: IDataObject[], change: Partial<MessageSubscription> = {}) => {
	const subscription = { ...SUBSCRIPTION, ...change };
	const wanted = messagesIn(records, CHAT, subscription).filter(({ isWanted }) => isWanted);
	return itemsOf(CHAT, wanted, subscription).map(({ json }) => json);
};

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

describe('the contact of a chat', () => {
	test.each<[chat: IDataObject, contact: IDataObject]>([
		[{}, {}],
		[{ contact: null }, {}],
		[{ contact: { id: 7, name: ' Ann ', tags: ['vip'] } }, { id: '7', name: 'Ann', tags: ['vip'] }],
		// A text may be a name.
		[{ contact: 'Support', contactName: 'Ann' }, { name: 'Ann' }],
		[{ contactId: 'k1', contact_id: 'k2', contact: 'k3' }, { id: 'k1' }],
		[
			{ contact_id: 2, contact_name: 'Ann' },
			{ id: '2', name: 'Ann' },
		],
		[{ contact: { wa_id: 1, ig_id: 'a' } }, { wa_id: 1, ig_id: 'a', waId: '1', igId: 'a' }],
		[{ contactId: ' ', contact_id: '', contact: 'k3' }, {}],
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

	const isInbound = (contact: IDataObject | string, message: IDataObject) => {
		const chat = { id: 'c1', row: { contact } };
		return messagesIn([{ id: 'm1', ...message }], chat, SUBSCRIPTION)[0]?.isInbound;
	};

	test.each(['waId', 'igId'])('a message whose sender is its %s is from the customer', (name) => {
		expect(isInbound({ [name]: 'x1' }, { from: 'x1', to: 'us' })).toBe(true);
	});

	test.each<[contact: IDataObject | string, message: IDataObject, expected: boolean | undefined]>([
		// Agent 7 and contact 7 are two people.
		[{ id: 7 }, { senderId: 7 }, undefined],
		[{ id: 'c7' }, { senderId: 'c7' }, undefined],
		[{ id: 7, waId: '12025550143' }, { from: '12025550143' }, true],
		['Support', { sender: 'Support' }, undefined],
	])('%j: %j is from the customer: %s', (contact, message, expected) => {
		expect(isInbound(contact, message)).toBe(expected);
	});
});

describe('the messages of a history', () => {
	const timesOf = (rows: unknown[], timeField?: string) =>
		messagesIn(rows, CHAT, { ...SUBSCRIPTION, timeField }).map(({ time: at }) => at);

	test('are the rows with an ID', () => {
		const rows = [null, 'm1', { text: 'Hello' }, QUESTION];
		expect(messagesIn(rows, CHAT, SUBSCRIPTION).map(({ id }) => id)).toStrictEqual(['m1']);
	});

	test('the field that the user entered has the time', () => {
		const rows = [{ id: 'm1', at: '2026-01-15T09:00:00Z', createdAt: '2026-01-15T08:00:00Z' }];
		expect(timesOf(rows, 'at')).toStrictEqual([Date.UTC(2026, 0, 15, 9)]);
	});
});
