import { missingId } from '../../check/assumptions/notFoundShape.mts';
import { idTime } from '../../check/idTimes.mts';
import { orderOf } from '../../check/listOrder.mts';
import { directionKey, messageTimeKey } from '../../check/messageKeys.mts';
import { Names } from '../../check/names.mts';
import { phoneKey } from '../../check/phoneKey.mts';
import { Service } from '../../check/service.mts';
import type { NoAnswer } from '../../check/client.mts';
import { timePaths } from '../../check/observe.mts';

const NOW = Date.UTC(2026, 0, 15);

test.each([
	['42', '942'],
	['cm0000000000000abc01xyz99', /^cm0000000000000[a-z0-9]{10}$/],
	['0193f5a2-7b1c-7def-8abc-0123456789ab', /^0193f5a2-7b1c-7def-8abc-[0-9a-f]{12}$/],
	['01ARZ3NDEKTSV4RRFFQ69G5FAV', /^01ARZ3NDEKTSV4RRFFQ[0-9A-HJKMNP-TV-Z]{7}$/],
])('an ID that does not exist has the form of %s', (id, expected) => {
	const missing = missingId([id]);
	expect(missing).not.toBe(id);
	expect(missing).toMatch(expected);
});

test.each([
	['c1g0ku1o00000abcdefghijkl', undefined],
	['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ULID'],
	['0193f5a2-7b1c-7def-8abc-0123456789ab', 'UUID version 7'],
	['6592008029c8c3e4dc76256c', 'ObjectId'],
	['175928847299117063', 'snowflake'],
	['f47ac10b-58cc-4372-a567-0e02b2c3d479', undefined],
	['12345', undefined],
	['', undefined],
])('the form of the time in %s: %s', (id, form) => {
	expect(idTime(id, NOW)?.form).toBe(form);
});

const iso = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

test.each([
	['by creation', [1, 2, 3, 4, 5], [5, 1, 4, 2, 3], 'creation', 'newest first'],
	['by creation, oldest first', [5, 4, 3, 2, 1], [5, 1, 4, 2, 3], 'creation', 'oldest first'],
	['by last change', [5, 1, 4, 2, 3], [1, 2, 3, 4, 5], 'last change', 'newest first'],
	['by both', [1, 2, 3, 4, 5], [1, 2, 3, 4, 5], 'both', 'newest first'],
	['by neither', [5, 1, 4, 2, 3], [2, 5, 1, 3, 4], 'neither', undefined],
	['too few rows', [1, 2, 3], [3, 1, 2], 'unclear', undefined],
	['one time for all', [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], 'unclear', undefined],
])('rows sorted %s', (_name, created, changed, kind, direction) => {
	const rows = created.map((minutes, index) => ({
		id: index,
		created_at: iso(minutes),
		updated_at: iso(changed[index] ?? 0),
	}));
	expect(orderOf(rows, NOW)).toMatchObject({ kind, ...(direction && { direction }) });
});

test('without a time of creation, an order by last change cannot be told from one by creation', () => {
	const rows = [1, 2, 3, 4, 5].map((minutes) => ({ id: minutes, updatedAt: iso(minutes) }));
	expect(orderOf(rows, NOW)).toMatchObject({ kind: 'unclear', path: ['updatedAt'] });
});

test('times of creation may be in an object for times, but not in another record', () => {
	const rows = [
		{
			id: 1,
			timestamps: { created: iso(1), modified: iso(2) },
			contact: { createdAt: iso(9) },
			phone: 12025550143,
			openedAt: iso(3),
		},
	];
	const { created, changed } = timePaths(rows, NOW);
	expect(created).toEqual([['timestamps', 'created']]);
	expect(changed).toEqual([['timestamps', 'modified']]);
});

test.each([
	[[{ direction: 'INBOUND' }, { direction: 'OUTBOUND' }], ['direction']],
	[[{ fromMe: true }, { fromMe: false }], ['fromMe']],
	[
		[{ sender: { type: 'customer' } }, { sender: { type: 'agent' } }],
		['sender', 'type'],
	],
	[[{ kind: 'received' }, { kind: 'sent' }], ['kind']],
	[[{ kind: 'text' }, { kind: 'image' }], undefined],
	[[{ from: '12025550143' }, { from: '12025550144' }], undefined],
])('the direction of %j is in %j', (messages, key) => {
	expect(directionKey(messages)).toEqual(key);
});

test('the time of a message is that of its creation, or the only one', () => {
	expect(messageTimeKey([{ readAt: iso(1), createdAt: iso(2) }], NOW)).toEqual(['createdAt']);
	expect(messageTimeKey([{ ts: NOW / 1000, n: 5 }], NOW)).toEqual(['ts']);
	expect(messageTimeKey([{ text: 'x' }], NOW)).toBeUndefined();
});

test.each([
	[[{ waId: '12025550143', phone: 'x' }], 'waId'],
	[[{ waId: null, phoneNumber: '+12025550143' }], 'phoneNumber'],
	[[{ number: '12025550143' }], undefined],
])('the phone number of %j is in %s', (contacts, key) => {
	expect(phoneKey(contacts)).toBe(key);
});

describe('names', () => {
	const names = new Names();
	names.learn(
		{
			data: [
				{
					nick: 'Zoe',
					city: 'Gdynia',
					status: 'PARKED',
					gdynia: 1,
					scores: { wanda: 1, zofia: 2 },
					vorgang: 'x',
				},
			],
		},
		'GET /x',
	);

	test.each(['id', 'ticketNumber', 'created_at', 'address2', 'vorgang', 'pagination.total'])(
		'%s is shown',
		(key) => {
			expect(names.key(key).text).toBe(key);
		},
	);

	test.each([
		'+12025550143',
		'12025550143',
		'a@example.com',
		'Zoe',
		'gdynia',
		'wanda',
		'cm0000001abc',
		'x'.repeat(41),
		'Anna Schmidt',
		'__proto__',
		'ключ',
		'',
		'room 12',
	])('%s is not shown', (key) => {
		expect(names.key(key).text).toBe('<dynamic key>');
	});

	test.each([
		['PARKED', 'PARKED'],
		['queued', 'QUEUED'],
		['In progress', 'IN_PROGRESS'],
		['GDYNIA', '<other text>'],
		['wanda', '<other text>'],
		['A'.repeat(31), '<other text>'],
		[7, '<other text>'],
	])('the word %s is shown as %s', (word, expected) => {
		expect(names.word(word).text).toBe(expected);
	});
});

describe('requests without a response', () => {
	const service = (failure: NoAnswer) => {
		const client = { sent: 0, get: async () => (client.sent++, failure) };
		return { client, service: new Service(client, new Names()) };
	};

	test('a list that is slow in every size does not end the check', async () => {
		const { client, service: slow } = service('timeout');
		const { reading } = await slow.largePage('tickets');
		expect([reading.failure, client.sent]).toEqual(['timeout', 3]);
		await slow.largePage('chats');
	});

	test.each(['timeout', 'connection'] as const)('three routes do (%s)', async (failure) => {
		const { service: gone } = service(failure);
		await gone.read('GET /tickets');
		await gone.read('GET /chats');
		await expect(gone.read('GET /users')).rejects.toMatchObject({ name: 'Error' });
	});
});
