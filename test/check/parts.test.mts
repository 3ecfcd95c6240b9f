import { holds, type Assumption } from '../../check/assumption.mts';
import { exportColumns } from '../../check/assumptions/exportColumns.mts';
import { missingId } from '../../check/assumptions/notFoundShape.mts';
import { runCheck } from '../../check/check.mts';
import { shownColumns } from '../../check/csvColumns.mts';
import { idTime } from '../../check/idTimes.mts';
import { orderOf } from '../../check/listOrder.mts';
import { directionKey, messageTimeKey } from '../../check/messageKeys.mts';
import { conclusionOf, type Report } from '../../check/report.mts';
import { Names } from '../../check/names.mts';
import { phoneKey } from '../../check/phoneKey.mts';
import { Service } from '../../check/service.mts';
import type { NoAnswer } from '../../check/client.mts';
import { timePaths } from '../../check/observe.mts';
import { count, say, thrown } from '../../check/shown.mts';
import { routed, startPlain, TOKEN } from './plainService.mts';

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
		expect([reading.failure, client.sent]).toEqual(['timeout', 2]);
		await slow.largePage('chats');
		expect(client.sent).toBe(4);
	});

	test('a route that did not respond in time is not asked again, whatever the query', async () => {
		const { client, service: slow } = service('timeout');
		await slow.read('GET /tickets', { query: { limit: 20 } });
		const again = await slow.read('GET /tickets', { query: { limit: 20, status: 'OPEN' } });
		expect(again).toMatchObject({ failure: 'timeout', request: 0 });
		await slow.read('GET /tickets/{id}', { path: { id: '1' } });
		await slow.read('GET /tickets/{id}', { path: { id: '2' } });
		expect(client.sent).toBe(2);
	});

	test('a route whose connection was interrupted is asked again', async () => {
		const { client, service: broken } = service('connection');
		await broken.read('GET /tickets');
		await broken.read('GET /tickets', { query: { status: 'OPEN' } });
		expect(client.sent).toBe(2);
	});

	test.each(['timeout', 'connection'] as const)('three routes do (%s)', async (failure) => {
		const { service: gone } = service(failure);
		await gone.read('GET /tickets');
		await gone.read('GET /chats');
		await expect(gone.read('GET /users')).rejects.toMatchObject({ name: 'Error' });
	});
});

test.each([
	[0, '0 rows'],
	[1, '1 row'],
	[2, '2 rows'],
])('%i of a thing', (number, text) => {
	expect(count(number, 'row').text).toBe(text);
});

test.each([
	[['name', 'waId'], '2 columns: name, waId'],
	[['name'], '1 column: name'],
])('the columns %j are shown', (columns, seen) => {
	expect(shownColumns(columns, new Names()).seen.text).toBe(seen);
});

test.each([',', ';', '\t'])(
	'columns are separated by %j, as the nodes read them',
	async (separator) => {
		const text = ['name', 'waId'].join(separator);
		const organization = () => ({ body: { success: true, data: { id: 'o' } } });
		const { baseUrl, close } = await startPlain(
			routed({ organization, 'contacts/export': () => ({ body: `${text}\n` }) }),
		);
		const { findings } = await runCheck({ baseUrl, token: TOKEN }, [exportColumns]);
		await close();
		expect(findings[0]?.seen.map(({ text: seen }) => seen)).toEqual(['2 columns: name, waId']);
	},
);

describe('an assumption that throws', () => {
	const SECRET = 'Wanda 12025550143\n    at check/assumptions/wanda.mts:1:1';
	const broken = (name: string, place: 'observe' | 'judge'): Assumption => {
		const fail = () => {
			throw new TypeError(SECRET);
		};
		return {
			id: name,
			question: 'Is it?',
			settles: [],
			otherwise: 'Nothing.',
			observe: place === 'observe' ? async () => fail() : async () => undefined,
			judge: place === 'judge' ? fail : () => holds(),
		};
	};

	test('is reported with what happened, and the others are judged', async () => {
		const organization = () => ({ body: { success: true, data: { id: 'o' } } });
		const { baseUrl, close } = await startPlain(routed({ organization }));
		const sound: Assumption = { ...broken('sound', 'observe'), observe: async () => undefined };
		const { findings } = await runCheck({ baseUrl, token: TOKEN }, [
			broken('in-observe', 'observe'),
			broken('in-judge', 'judge'),
			sound,
		]);
		await close();
		const shown = findings.map(({ verdict, seen }) => [verdict, ...seen.map(({ text }) => text)]);
		const what = expect.stringMatching(
			/^the check is not prepared for these responses \(TypeError[^)]*\); report this as a bug$/,
		);
		expect(shown).toEqual([['cannot tell', what], ['cannot tell', what], ['holds']]);
		expect(JSON.stringify(shown)).not.toMatch(/wanda|12025550143/i);
	});

	test('is said with the place in the check, and without the message', () => {
		const error = new RangeError(SECRET);
		error.stack = `RangeError: ${SECRET}\n    at judge (/home/x/check/assumptions/paging.mts:41:7)`;
		expect(thrown(error)).toEqual(say`RangeError in check/assumptions/paging.mts, line ${41}`);
		class Wanda extends Error {
			override name = 'Wanda';
		}
		expect(thrown(new Wanda('x')).text).not.toContain('Wanda');
		expect(thrown('Wanda').text).toBe('exception');
	});
});

test.each<
	[verdict: string, affected: string[], incomplete: string | undefined, conclusion: string]
>([
	['holds', [], undefined, 'Your service works with this package.'],
	['does not hold', [], undefined, 'Your service works with this package.'],
	['does not hold', ['A'], undefined, 'Your service works with this package, but for: A, B.'],
	['holds', [], 'Stopped.', 'As far as it was checked, your service works with this package.'],
	[
		'cannot tell',
		[],
		'Stopped.',
		'Nothing could be read, so it is unknown whether your service works with this package.',
	],
])(
	'a report in which one %s, with %j affected, concludes',
	(...[verdict, affected, incomplete, conclusion]) => {
		const other = affected.length > 0 ? ['A', 'B'] : [];
		const assumptions = [
			{ verdict, affected },
			{ verdict, affected: other },
		];
		expect(conclusionOf({ assumptions, incomplete } as unknown as Report)).toBe(conclusion);
	},
);
