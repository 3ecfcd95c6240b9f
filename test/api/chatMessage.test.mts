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
		[{ mid: 'm1' }, 'm1'],
		// The most certain name first, in whatever order the service writes them.
		[{ mid: 'm1', wamid: 'w', messageId: 'x', _id: 'y', id: 'z' }, 'z'],
		[{ mid: 'm1', wamid: 'w', messageId: 'x', _id: 'y' }, 'y'],
		[{ mid: 'm1', wamid: 'w', messageId: 'x' }, 'x'],
		[{ mid: 'm1', wamid: 'w' }, 'w'],
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
		{ from: 'to agent' },
		{ sender: { isFromCustomer: true } },
		{ sender: { name: 'Ann', kind: 'GUEST' } },
		{ origin: 'from the customer side' },
		{ origin: '- from the customer side -' },
		{ data: { direction: 'inbound' }, metadata: null },
		{ attributes: { direction: 'inbound' } },
		{ message: { direction: 'inbound' } },
		{ isFromMe: false },
		{ fromCustomer: true },
		{ is_inbound: true },
		// The direction comes before other fields.
		{ direction: 'INBOUND', status: 'SENT', origin: 'system' },
		{ direction: 'INBOUND', fromMe: true },
		{ origin: 'system', direction: 'INBOUND' },
		// Whatever shows none is passed over.
		{ direction: 'SIDEWAYS', messageDirection: 'INBOUND' },
		{ fromMe: false, senderType: 'AGENT' },
		{ senderType: 'CUSTOMER', type: 'outgoing' },
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
		{ isFromMe: true },
		{ sentByUs: true },
		{ fromSelf: true },
		{ sent_by_customer: false },
		{ sender: { fromAgent: true } },
		{ by: 'an AI assistant' },
		{ by: 'agent to customer' },
		{ by: 'to our customer' },
		{ by: '(to customer)' },
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
		// A flag of another name.
		{ notFromMe: true },
		{ fromMeta: true },
		{ lastIncoming: true },
		{ incomingCall: true },
		// A sentence is not a type.
		{ by: 'from the side of customers, a customer' },
		{ by: 'to' },
		{ by: 'to whom' },
		{ by: 'somebody to customer' },
		{ other: { direction: 'inbound' } },
		{ key: 'inbound' },
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
		[{ from: ' 12025550143 ' }, true],
		[{ sender: { igId: 'c1' } }, true],
		[{ sender: { id: 'c1', name: 'c2' } }, true],
		[{ sender: { name: 'c1' } }, undefined],
		[{ authorId: 'c1' }, true],
		[{ waId: '12025550143' }, true],
		[{ to: { id: 'c1' } }, false],
		[{ meta: { from: 'c1' } }, true],
		// Only a plus before a number, and what begins with an at sign, make no difference.
		[{ from: '+c1' }, undefined],
		[{ from: '1202555+0143' }, undefined],
		[{ from: '@12025550143' }, undefined],
		// A direction comes before addresses.
		[{ direction: 'OUTBOUND', from: 'c1' }, false],
	])('%j with the IDs of the customer: %s', (message, expected) => {
		expect(isFromCustomer(message, undefined, ['c1', '12025550143', ''])).toBe(expected);
	});

	test.each<[IDataObject, string, string, boolean | undefined]>([
		[{ kind: 'customer_message' }, 'kind', 'customer_message', true],
		[{ kind: 'Customer_Message ' }, 'kind', 'CUSTOMER_message', true],
		[{ kind: 'reply' }, 'kind', 'customer_message', false],
		[{ kind: 'reply' }, 'kind', ' Reply ', true],
		[{ kind: 1 }, 'kind', '1', true],
		[{ own: false }, 'own', 'false', true],
		[{ own: true }, 'own', 'false', false],
		[{ meta: { side: 'L' } }, 'meta.side', 'l', true],
		[{ 'meta.side': 'L' }, 'meta.side', 'l', true],
		[{ meta: null }, 'meta.side', 'l', undefined],
		[{ agentId: null }, 'agentId', '', true],
		// No such field: nothing is from customers, or a workflow that replies would start itself again.
		[{}, 'agentId', '', undefined],
		[{ senderType: 'USER' }, 'sendertype', 'USER', true],
		[{ Sender_Type: 'USER' }, 'senderType', 'USER', true],
		[{ Meta: { 'sender-type': 'USER' } }, 'meta.senderType', 'USER', true],
		[{ sendertype: 'AGENT', senderType: 'USER' }, 'senderType', 'USER', true],
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
		// What was written comes before what contains it, in whatever order the service writes them.
		[{ payload: 'STOP', text: 'Stop' }, 'Stop'],
		[{ image: { title: 'A' }, caption: 'B' }, 'B'],
		[{ text: { length: 5 }, body: 'Hello' }, 'Hello'],
		[{ content: ['a', 7, { text: 'Hello' }, { text: 'there' }] }, 'Hello'],
		[{ content: ['a', 7] }, undefined],
		[{ interactive: { list_reply: { title: 'Yes', id: 'l1' } } }, 'Yes'],
		[{ listReply: { title: 'Yes' } }, 'Yes'],
		[{ video: { caption: 'A film' } }, 'A film'],
		[{ document: { caption: 'A file' } }, 'A file'],
		[{ data: { messageBody: 'Hello' } }, 'Hello'],
		[{ data: { data: { data: { text: 'Hello' } } } }, 'Hello'],
		[{ data: { data: { data: { data: { text: 'too deep' } } } } }, undefined],
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
		[{ timestamp: TIME / 1000 + 0.25 }, TIME + 250],
		[{ timestamp: { seconds: TIME / 1000, nanoseconds: 0 } }, TIME],
		[{ timestamp: { $date: '2026-01-15T09:00:00Z' } }, TIME],
		[{ meta: { timestamp: TIME }, data: null }, TIME],
		[{ sentAt: null, createdAt: TIME }, TIME],
		[{ sentAt: 'soon', createdAt: TIME }, TIME],
		[{ receivedAt: TIME, createdAt: TIME + 5_000 }, TIME],
		[{ ts: TIME }, TIME],
		[{ timestamp: { _seconds: TIME / 1000 } }, TIME],
		[{ timestamp: { $date: TIME, seconds: 0 } }, TIME],
		[{ timestamp: ` ${TIME} ` }, TIME],
		[{ createdAt: '2026-01-15T09:00' }, TIME],
		[{ createdAt: '2026-01-15 09:00:00.250' }, TIME + 250],
		[{ createdAt: '2026-01-15 10:00:00+01:00' }, TIME],
		[{ createdAt: '2026-01-15' }, Date.UTC(2026, 0, 15)],
		[{ createdAt: 'Jan 15 2026 09:00:00 GMT' }, TIME],
		[{ createdAt: 'Thu, 15 Jan 2026 10:00:00 +0100' }, TIME],
		[{ createdAt: 'Thu Jan 15 2026 10:00:00 GMT+0100 (CET)' }, TIME],
		[{ createdAt: 'Jan 15 2026 04:00:00 EST' }, TIME],
		// The time zone of this machine is another one than the service's.
		[{ createdAt: 'Thu Jan 15 2026 09:00:00' }, undefined],
		[{ createdAt: 'Jan-15-2026 09:00' }, undefined],
		[{ date: '2026-01-14', time: TIME }, TIME],
		// The least number of each unit: seconds, milliseconds, microseconds, nanoseconds.
		[{ ts: 1e9 }, 1e12],
		[{ ts: 1e11 - 1 }, 1e14 - 1e3],
		[{ ts: 1e11 }, 1e11],
		[{ ts: 1e14 }, 1e11],
		[{ ts: '100000000000000000' }, 1e11],
		[{ ts: 1e9 - 1 }, undefined],
		[{ ts: '1e12' }, undefined],
		[{ ts: `${TIME}ms` }, undefined],
		[{ createdAt: '15.01.2026' }, undefined],
		[{ createdAt: 'at 2026-01-15T09:00:00Z' }, undefined],
		// JavaScript reads a date after any word.
		[{ createdAt: 'Message 2026-01-15' }, undefined],
		[{ createdAt: 'Thursday 15 Jan 2026 09:00:00 GMT' }, undefined],
		[{ createdAt: '2026-13-45T09:00:00Z' }, undefined],
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

test('a time without an offset is read in UTC, whatever the time zone of this machine', () => {
	const parse = jest.spyOn(Date, 'parse');
	for (const createdAt of [
		'2026-01-15T09:00',
		'2026-01-15 09:00',
		'2026-01-15T09:00:00',
		'2026-12-31T23:59:59.9',
		'2026-12-31 23:59:59.123456',
	])
		expect(sentAt({ createdAt })).toBeDefined();
	const parsed = parse.mock.calls.map(([text]) => text);
	parse.mockRestore();
	expect(parsed).toHaveLength(5);
	for (const text of parsed) expect(text).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
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
