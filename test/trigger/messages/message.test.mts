/** What is read of a message, and what a workflow receives. */
import type { IDataObject } from 'n8n-workflow';
import { contactOf } from '../../../nodes/ConversationalMessaging/api/response/chat.ts';
import {
	itemsOf,
	messagesIn,
} from '../../../nodes/ConversationalMessaging/trigger/messages/message.ts';
import { SUBSCRIPTION } from './watch.mts';

const CHAT = {
	id: 'c1',
	row: { id: 'c1', contact: { id: 'k1', name: 'Ann', waId: '12025550143' } },
};

test('an item has null for a text, a time and a direction that a message does not show, and so does one of several messages', () => {
	const subscription = { ...SUBSCRIPTION, from: 'both' as const };
	const messages = messagesIn([{ id: 'm1', file: 'a.png' }], CHAT, subscription);
	const nothing = { text: null, receivedAt: null, direction: null };
	for (const isGrouped of [false, true]) {
		const items = itemsOf(CHAT, messages, { ...subscription, isGrouped });
		expect(items.map(({ json }) => json)).toMatchObject([{ recordId: 'm1', ...nothing }]);
		expect(itemsOf(CHAT, [], { ...subscription, isGrouped })).toStrictEqual([]);
	}
});

test('the contact of an item has the values of its custom fields by their labels', () => {
	const customFields = [{ label: 'City', value: 'Berlin' }];
	const chat = { id: 'c1', row: { id: 'c1', contact: { id: 'k1', customFields } } };
	const subscription = { ...SUBSCRIPTION, from: 'both' as const };
	const [item] = itemsOf(chat, messagesIn([{ id: 'm1' }], chat, subscription), subscription);
	expect(item!.json.contact).toMatchObject({ customFieldValues: { City: 'Berlin' } });
	expect(item!.json.title).toBe('c1');
	expect(chat.row.contact).toStrictEqual({ id: 'k1', customFields });
});

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
		const rows = [null, 'm1', { text: 'Hello' }, { id: 'm1' }];
		expect(messagesIn(rows, CHAT, SUBSCRIPTION).map(({ id }) => id)).toStrictEqual(['m1']);
	});

	test('the field that the user entered has the time', () => {
		const rows = [{ id: 'm1', at: '2026-01-15T09:00:00Z', createdAt: '2026-01-15T08:00:00Z' }];
		expect(timesOf(rows, 'at')).toStrictEqual([Date.UTC(2026, 0, 15, 9)]);
	});
});
