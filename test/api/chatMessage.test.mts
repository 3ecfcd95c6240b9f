import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	isFromCustomer,
	messageId,
	messageText,
	sentAt,
} from '../../nodes/ConversationalMessaging/api/chatMessage.ts';

describe('the ID of a message', () => {
	test.each<[IDataObject, string | undefined]>([
		[{ id: 'wamid.HBgL' }, 'wamid.HBgL'],
		[{ id: 17 }, '17'],
		[{ id: 0 }, '0'],
		[{ _id: 'm1' }, 'm1'],
		[{ messageId: 'm1' }, 'm1'],
		[{ message_id: 5 }, '5'],
		[{ wamid: 'w' }, 'w'],
		[{ id: ' m1 ' }, 'm1'],
		[{ id: null, messageId: 'm1' }, 'm1'],
		[{ id: '', messageId: 'm1' }, 'm1'],
		[{ id: { oid: 'x' } }, undefined],
		[{ id: true }, undefined],
		[{ text: 'no ID' }, undefined],
	])('%j has the ID %s', (message, id) => {
		expect(messageId(message)).toBe(id);
	});

	test.each([null, undefined, 'm1', 5, [{ id: 'm1' }]])('%j has none', (row) => {
		expect(messageId(row)).toBeUndefined();
	});
});

describe('the direction of a message', () => {
	test.each<IDataObject>([
		{ direction: 'INBOUND' },
		{ direction: 'incoming' },
		{ direction: 'in' },
		{ direction: 'RECEIVED' },
		{ message_direction: 'Inbound' },
		{ direction: 'inbound-api' },
		{ direction: 'CUSTOMER_TO_AGENT' },
		{ direction: 'from_customer' },
		{ direction: 'to_agent' },
		{ fromMe: false },
		{ from_me: false },
		{ key: { fromMe: false } },
		{ isIncoming: true },
		{ inbound: true },
		{ outgoing: false },
		{ senderType: 'CUSTOMER' },
		{ sender_type: 'contact' },
		{ sender: { type: 'Customer', name: 'Agent Smith' } },
		{ from: { role: 'visitor' } },
		{ sentBy: 'CLIENT' },
		{ type: 'incoming', content: 'Hello' },
		{ messageType: 'INBOUND', type: 'text' },
		{ metadata: { direction: 'inbound' } },
		// The direction comes before other fields.
		{ direction: 'INBOUND', status: 'SENT', origin: 'system' },
	])('%j is from the customer', (message) => {
		expect(isFromCustomer(message)).toBe(true);
	});

	test.each<IDataObject>([
		{ direction: 'OUTBOUND' },
		{ direction: 'outgoing' },
		{ direction: 'out' },
		{ direction: 'outbound-reply' },
		{ direction: 'AGENT_TO_CUSTOMER' },
		{ direction: 'to-customer' },
		{ fromMe: true },
		{ key: { fromMe: true } },
		{ isIncoming: false },
		{ isOutgoing: true },
		{ senderType: 'AGENT' },
		{ sender: { type: 'BOT' } },
		{ author_type: 'system' },
		{ role: 'assistant' },
		{ origin: 'broadcast' },
		{ type: 'outgoing' },
	])('%j is not from the customer', (message) => {
		expect(isFromCustomer(message)).toBe(false);
	});

	test.each<IDataObject>([
		{},
		{ type: 'text', text: 'incoming' },
		// A state of delivery, not a direction.
		{ status: 'SENT' },
		{ status: 'received' },
		// Users of this service are agents; those of others are customers.
		{ senderType: 'USER' },
		{ role: 'user' },
		{ direction: 'SIDEWAYS' },
		{ direction: 1 },
		{ direction: null },
		{ direction: '' },
		{ from: 'Incoming Goods, Berlin Customer Office' },
		{ sender: { name: 'Customer Care' } },
		{ from: 'system of a customer' },
		{ direction: 'in-out' },
		{ fromMe: 'false' },
		{ agentId: null },
		{ from: '12025550143' },
		{ type: 'contact' },
	])('%j shows no direction', (message) => {
		expect(isFromCustomer(message)).toBeUndefined();
	});

	test.each<[IDataObject, boolean | undefined]>([
		[{ from: '12025550143', to: '12025550110' }, true],
		[{ from: '+12025550143' }, true],
		[{ from: 12025550143 }, true],
		[{ from: '12025550143@s.whatsapp.net' }, true],
		[{ from: '12025550110', to: '12025550143' }, false],
		[{ sender: { waId: '12025550143' } }, true],
		[{ senderId: 'c1' }, true],
		[{ recipient: 'c1' }, false],
		[{ from: '12025550110' }, undefined],
		[{ from: 'c1', to: 'c1' }, undefined],
		[{ from: '' }, undefined],
		// A direction comes before addresses.
		[{ direction: 'OUTBOUND', from: 'c1' }, false],
	])('%j with the IDs of the customer: %s', (message, expected) => {
		expect(isFromCustomer(message, undefined, ['c1', '12025550143', ''])).toBe(expected);
	});

	test.each<[IDataObject, string, string, boolean]>([
		[{ kind: 'customer_message' }, 'kind', 'customer_message', true],
		[{ kind: 'Customer_Message ' }, 'kind', 'CUSTOMER_message', true],
		[{ kind: 'reply' }, 'kind', 'customer_message', false],
		[{ kind: 1 }, 'kind', '1', true],
		[{ own: false }, 'own', 'false', true],
		[{ own: true }, 'own', 'false', false],
		[{ meta: { side: 'L' } }, 'meta.side', 'l', true],
		[{ 'meta.side': 'L' }, 'meta.side', 'l', true],
		[{ meta: null }, 'meta.side', 'l', false],
		[{ agentId: null }, 'agentId', '', true],
		[{}, 'agentId', '', true],
		[{ agentId: 'a1' }, 'agentId', '', false],
		// The setting comes before everything else.
		[{ direction: 'OUTBOUND', kind: 'x' }, 'kind', 'x', true],
	])('%j, where the field %s has the value "%s": %s', (message, key, value, expected) => {
		expect(isFromCustomer(message, { key, value })).toBe(expected);
	});
});

describe('the text of a message', () => {
	test.each<[IDataObject, string | undefined]>([
		[{ text: 'Hello' }, 'Hello'],
		[{ text: '  two\nlines ' }, '  two\nlines '],
		[{ body: 'Hello' }, 'Hello'],
		[{ content: 'Hello' }, 'Hello'],
		[{ message: 'Hello' }, 'Hello'],
		[{ text: { body: 'Hello' } }, 'Hello'],
		[{ content: { text: 'Hello' } }, 'Hello'],
		[{ content: { text: { body: 'Hello' } } }, 'Hello'],
		[{ message: { conversation: 'Hello' } }, 'Hello'],
		[{ content: [{ type: 'text', text: 'Hello' }] }, 'Hello'],
		[{ message_text: 'Hello' }, 'Hello'],
		[{ text: null, caption: 'A picture' }, 'A picture'],
		[{ text: '', body: 'Hello' }, 'Hello'],
		[{ image: { url: 'https://example.com/a.png', caption: 'A picture' } }, 'A picture'],
		[{ interactive: { type: 'button_reply', button_reply: { id: 'b1', title: 'Yes' } } }, 'Yes'],
		[{ button: { text: 'Stop', payload: 'STOP' } }, 'Stop'],
		[{ type: 'image', mediaId: '123' }, undefined],
		[{ title: 'Not a text of its own' }, undefined],
		[{ text: 5 }, undefined],
		[{ text: ' ' }, undefined],
		[{}, undefined],
	])('%j has the text %j', (message, text) => {
		expect(messageText(message)).toBe(text);
	});
});

describe('the time of a message', () => {
	const TIME = Date.UTC(2026, 0, 15, 9, 0, 0);

	test.each<[IDataObject, number | undefined]>([
		[{ createdAt: '2026-01-15T09:00:00.000Z' }, TIME],
		[{ created_at: '2026-01-15T10:00:00+01:00' }, TIME],
		[{ createdAt: '2026-01-15T09:00:00' }, TIME],
		[{ createdAt: '2026-01-15 09:00:00' }, TIME],
		[{ createdAt: 'Thu, 15 Jan 2026 09:00:00 GMT' }, TIME],
		[{ timestamp: TIME / 1000 }, TIME],
		[{ timestamp: String(TIME / 1000) }, TIME],
		[{ timestamp: TIME }, TIME],
		[{ timestamp: TIME * 1000 }, TIME],
		[{ timestamp: TIME * 1_000_000 }, TIME],
		[{ timestamp: TIME / 1000 + 0.5 }, TIME + 500],
		[{ timestamp: { seconds: TIME / 1000, nanoseconds: 0 } }, TIME],
		[{ timestamp: { $date: '2026-01-15T09:00:00Z' } }, TIME],
		[{ meta: { timestamp: TIME } }, TIME],
		[{ sentAt: null, createdAt: TIME }, TIME],
		[{ sentAt: 'soon', createdAt: TIME }, TIME],
		[{ receivedAt: TIME, createdAt: TIME + 5_000 }, TIME],
		[{ createdAt: 0 }, undefined],
		[{ createdAt: 12 }, undefined],
		[{ createdAt: '' }, undefined],
		[{ createdAt: true }, undefined],
		[{ id: String(TIME) }, undefined],
		[{}, undefined],
	])('%j was sent at %s', (message, time) => {
		expect(sentAt(message)).toBe(time);
	});
});

test('nothing that a service may return as a message throws', () => {
	const json = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<IDataObject>;
	fc.assert(
		fc.property(json, (message) => {
			messageId(message);
			isFromCustomer(message, undefined, ['c1']);
			isFromCustomer(message, { key: 'a.b', value: 'x' });
			messageText(message);
			sentAt(message);
		}),
	);
});
