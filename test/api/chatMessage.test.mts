import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	isFromCustomer,
	messageId,
	messageText,
	senderName,
	sentAt,
} from '../../nodes/ConversationalMessaging/api/response/chatMessage.ts';

describe('the ID of a message', () => {
	test.each<[IDataObject, string | undefined]>([
		[{ id: 'wamid.HBgL' }, 'wamid.HBgL'],
		[{ id: 0 }, '0'],
		[{ message_id: 'm1' }, 'm1'],
		[{ message_id: 5 }, '5'],
		[{ wamid: 'm1' }, 'm1'],
		[{ id: ' m1 ' }, 'm1'],
		[{ id: null, messageId: 'm1' }, 'm1'],
		[{ id: '', messageId: 'm1' }, 'm1'],
		[{ id: { oid: 'x' } }, undefined],
		// The most certain name first, in whatever order the service writes them.
		[{ wamid: 'w', messageId: 'x', id: 'z' }, 'z'],
		[{ wamid: 'w', messageId: 'x' }, 'x'],
		// Other names are none.
		[{ _id: 'm1', mid: 'm2', ID: 'm3', 'message-id': 'm4' }, undefined],
		[{ text: 'no ID' }, undefined],
	])('%j has the ID %s', (message, id) => {
		expect(messageId(message)).toBe(id);
	});

	test.each([null, 'm1', [{ id: 'm1' }]])('%j has none', (row) => {
		expect(messageId(row)).toBeUndefined();
	});
});

/** What is known of the customer: the WhatsApp ID, and an Instagram ID. */
const ADA = ['12025550143', 'ig1'];

describe('who wrote a message', () => {
	test.each<IDataObject>([
		{ direction: 'INBOUND' },
		{ direction: ' Inbound ', type: 'text' },
		{ type: 'incoming', content: 'Hello' },
		{ senderType: 'CUSTOMER' },
		{ sender: { type: 'Customer', name: 'Agent Smith' } },
		{ from: { role: 'visitor' } },
		{ fromMe: false },
		{ fromMe: 'false' },
		{ is_inbound: true },
		{ outgoing: false },
		// All of them agree.
		{ direction: 'INBOUND', fromMe: false, senderType: 'CUSTOMER', from: 'ig1', status: 'SENT' },
		// What is no type shows nothing.
		{ direction: 'INBOUND', type: 'text', senderType: 'USER' },
	])('%j: the customer', (message) => {
		expect(isFromCustomer(message, undefined, ADA)).toBe(true);
	});

	test.each<IDataObject>([
		{ direction: 'OUTBOUND' },
		{ direction: 'outgoing' },
		{ type: 'outgoing' },
		{ senderType: 'AGENT' },
		{ sender: { role: 'assistant', name: 'Customer Care' } },
		{ senderType: 'broadcast' },
		{ fromMe: true },
		{ isOutgoing: true },
	])('%j: the service', (message) => {
		expect(isFromCustomer(message, undefined, ADA)).toBe(false);
	});

	test.each<IDataObject>([
		{},
		{ type: 'text', text: 'incoming' },
		// A state of delivery, not a direction.
		{ status: 'SENT' },
		// Users of this service are agents; those of others are customers.
		{ senderType: 'USER' },
		{ direction: 'SIDEWAYS' },
		{ direction: null },
		{ fromMe: 'no' },
		{ agentId: null },
		{ from: '12025550110' },
		// Several words are a name or a sentence.
		{ direction: 'from_customer' },
		{ senderType: 'customer to agent' },
		// A display name is no type, even if it is one word.
		{ sender: 'Guest' },
		{ sender: { name: 'Agent' } },
		// Contradictions.
		{ direction: 'INBOUND', fromMe: true },
		{ direction: 'OUTBOUND', senderType: 'CUSTOMER' },
		{ direction: 'OUTBOUND', from: 'ig1' },
		{ direction: 'INBOUND', to: 'ig1' },
		{ from: 'ig1', to: 'ig1' },
		// The contact's, whoever wrote.
		{ waId: '12025550143' },
		{ contactId: 'c1', igId: 'ig1' },
		// Another case.
		{ Direction: 'INBOUND', FROMME: false },
		// A flag of another name.
		{ lastIncoming: true },
		{ other: { direction: 'inbound' } },
	])('%j: nothing shows it', (message) => {
		expect(isFromCustomer(message, undefined, ADA)).toBeUndefined();
	});

	test.each<[IDataObject, boolean | undefined]>([
		[{ from: '12025550143', to: '12025550110' }, true],
		[{ from: '12025550110', to: '12025550143' }, false],
		[{ from: ' +1 (202) 555-0143 ' }, true],
		[{ from: '12025550143@s.whatsapp.net' }, true],
		[{ sender: { id: 'ig1', name: 'Max Business' } }, true],
		[{ sender: { wa_id: '+12025550143' } }, true],
		[{ senderId: 'ig1' }, true],
		[{ to: { id: 'ig1' } }, false],
		// Names do not count, whatever they are.
		[{ sender: 'Guest House Berlin', to: '12025550143' }, false],
		[{ senderName: 'Max Business', from: '12025550143' }, true],
		[{ sender: { name: 'ig1' } }, undefined],
		[{ to: '12025550143', waId: '12025550143' }, false],
		// Only numbers are compared by their digits.
		[{ from: '+ig1' }, undefined],
		[{ from: '120255501439' }, undefined],
	])('%j, by the addresses of the contact: %s', (message, expected) => {
		expect(isFromCustomer(message, undefined, ADA)).toBe(expected);
	});

	test('the two WhatsApp IDs of a number are the same customer', () => {
		expect(isFromCustomer({ from: '5215512345678' }, undefined, ['+525512345678'])).toBe(true);
	});

	test('a message without a sender is not from a contact without IDs', () => {
		expect(isFromCustomer({ from: '', to: '' }, undefined, ['', undefined])).toBeUndefined();
	});

	test.each<[IDataObject, string, string, boolean | undefined]>([
		[{ kind: 'customer_message' }, 'kind', 'customer_message', true],
		[{ kind: 'Customer_Message ' }, 'kind', 'CUSTOMER_message', true],
		[{ kind: 'reply' }, 'kind', 'customer_message', false],
		[{ own: false }, 'own', 'false', true],
		[{ meta: { side: 'L' } }, 'meta.side', 'l', true],
		[{ agentId: null }, 'agentId', '', true],
		// No such field: nothing is from customers, or a workflow that replies would start itself again.
		[{}, 'agentId', '', undefined],
		[{ Sender_Type: 'USER' }, 'Sender_Type', 'USER', true],
		[{ Sender_Type: 'USER' }, 'senderType', 'USER', undefined],
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
		[{ content: 'Hello' }, 'Hello'],
		[{ text: { body: 'Hello' } }, 'Hello'],
		[{ content: { text: { body: 'Hello' } } }, 'Hello'],
		[{ content: ['a', 7, { text: 'Hello' }, { text: 'there' }] }, 'Hello'],
		[{ text: null, caption: 'A picture' }, 'A picture'],
		[{ text: '', body: 'Hello' }, 'Hello'],
		[{ video: { caption: 'A film' } }, 'A film'],
		[{ interactive: { type: 'button_reply', button_reply: { id: 'b1', title: 'Yes' } } }, 'Yes'],
		[{ interactive: { list_reply: { title: 'Yes', id: 'l1' } } }, 'Yes'],
		[{ button: { text: 'Stop', payload: 'STOP' } }, 'Stop'],
		[{ title: 'Not a text of its own' }, undefined],
		[{ text: ' ' }, undefined],
		[{ body: { body: { body: { text: 'Hello' } } } }, 'Hello'],
		[{ body: { body: { body: { body: { text: 'too deep' } } } } }, undefined],
		// What was written comes before what is below a file, in whatever order the service writes them.
		[{ image: { title: 'A' }, caption: 'B' }, 'B'],
		[{ caption: 'B', text: 'A' }, 'A'],
		// The URL of a file is no text; a link that the customer wrote is one.
		[{ type: 'image', content: 'https://example.com/a.png' }, undefined],
		[{ type: 'DOCUMENT', body: ' https://example.com/a.pdf ' }, undefined],
		[{ image: 'https://example.com/a.png' }, undefined],
		[{ image: { url: 'https://example.com/a.png', caption: 'A picture' } }, 'A picture'],
		[{ type: 'image', caption: 'https://example.com' }, 'https://example.com'],
		[{ type: 'image', text: 'see https://example.com' }, 'see https://example.com'],
		[{ type: 'text', text: 'https://example.com' }, 'https://example.com'],
	])('%j has the text %j', (message, text) => {
		expect(messageText(message)).toBe(text);
	});
});

describe('the time of a message', () => {
	const TIME = Date.UTC(2026, 0, 15, 9, 0, 0);

	test.each<[IDataObject, number | undefined]>([
		[{ createdAt: '2026-01-15T09:00:00.000Z' }, TIME],
		[{ created_at: '2026-01-15T10:00:00+01:00' }, TIME],
		[{ createdAt: '2026-01-15 09:00:00' }, TIME],
		[{ timestamp: TIME / 1000 }, TIME],
		[{ timestamp: TIME }, TIME],
		[{ timestamp: TIME / 1000 + 0.5 }, TIME + 500],
		[{ sentAt: 'soon', createdAt: TIME }, TIME],
		[{ receivedAt: TIME, createdAt: TIME + 5_000 }, TIME],
		[{ timestamp: ` ${TIME} ` }, TIME],
		[{ createdAt: '2026-01-15 09:00:00.250' }, TIME + 250],
		// Other forms: the user is asked for another field.
		[{ timestamp: TIME * 1000 }, undefined],
		[{ createdAt: 'Thu, 15 Jan 2026 09:00:00 GMT' }, undefined],
		// Without a time of day, nothing shows which message is newer.
		[{ createdAt: '2026-01-15' }, undefined],
		// The time zone of this machine is another one than the service's.
		[{ createdAt: 'Thu Jan 15 2026 09:00:00' }, undefined],
		[{ date: '2026-01-14', time: TIME }, TIME],
		// The least number of seconds, and of milliseconds.
		[{ time: 1e9 }, 1e12],
		[{ time: 1e11 }, 1e11],
		[{ time: 1e9 - 1 }, undefined],
		[{ time: `${TIME}ms` }, undefined],
		[{ createdAt: '15.01.2026' }, undefined],
		// JavaScript reads a date after any word.
		[{ createdAt: 'Message 2026-01-15' }, undefined],
		[{ createdAt: '2026-13-45T09:00:00Z' }, undefined],
		[{ createdAt: 12 }, undefined],
		[{ id: String(TIME) }, undefined],
	])('%j was sent at %s', (message, time) => {
		expect(sentAt(message)).toBe(time);
	});

	test.each<[IDataObject, string, number | undefined]>([
		[{ when: TIME }, 'when', TIME],
		[{ meta: { sent_time: TIME } }, 'meta.sent_time', TIME],
		// Only this field counts.
		[{ createdAt: TIME }, 'when', undefined],
	])('%j with the time in %s was sent at %s', (message, field, time) => {
		expect(sentAt(message, field)).toBe(time);
	});
});

test('a time without an offset is read in UTC, whatever the time zone of this machine', () => {
	const parse = jest.spyOn(Date, 'parse');
	sentAt({ createdAt: '2026-01-15 09:00' });
	sentAt({ createdAt: '2026-12-31T23:59:59.123456' });
	const parsed = parse.mock.calls.map(([text]) => text);
	parse.mockRestore();
	expect(parsed).toStrictEqual(['2026-01-15T09:00Z', '2026-12-31T23:59:59.123456Z']);
});

test.each([10, 100_000])(
	'a message with %d keys is read by looking names up, not by listing them',
	(count) => {
		let lookUps = 0;
		const counted = (record: IDataObject): IDataObject =>
			new Proxy(record, {
				ownKeys: () => {
					throw new Error('lists all keys');
				},
				getOwnPropertyDescriptor: (target, key) => {
					lookUps++;
					return Reflect.getOwnPropertyDescriptor(target, key);
				},
			});
		const noise = Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, n]));
		const sender = counted({ ...noise, type: 'contact', name: 'Ada' });
		const message = counted({
			...noise,
			id: 'm1',
			sender,
			text: counted({ ...noise, body: 'Hi' }),
			sent_at: 1e12,
		});
		expect(messageId(message)).toBe('m1');
		expect(isFromCustomer(message, undefined, ADA)).toBe(true);
		expect(isFromCustomer(message, { key: 'sender.Type', value: 'x' })).toBeUndefined();
		expect(isFromCustomer(message, { key: 'sender.type', value: 'contact' })).toBe(true);
		expect(messageText(message)).toBe('Hi');
		expect(sentAt(message)).toBe(1e12);
		expect(sentAt(message, 'sent_at')).toBe(1e12);
		expect(senderName(message)).toBe('Ada');
		expect(lookUps).toBeLessThan(300);
	},
);

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
