import {
	countOf,
	isBlank,
	itemNumbers,
	listed,
	readBoolean,
	readId,
	readExactObject,
	readExactRecords,
	readList,
	readNumber,
	readObject,
	readOption,
	readText,
	formatValue,
	withoutUndefined,
} from '../../nodes/ConversationalMessaging/parameters/values.ts';

/** The shape that every copy of Luxon's DateTime has. */
const luxon = {
	isLuxonDateTime: true,
	toJSON: () => '2031-05-06T10:00:00.000+02:00',
	toString: () => '2031-05-06T10:00:00.000+02:00',
};

test.each([undefined, null, '', '\n\t', '\u00a0'])('%j counts as empty', (value) => {
	expect(isBlank(value)).toBe(true);
});

test.each([0, false, [], {}, 'null'])('%j does not count as empty', (value) => {
	expect(isBlank(value)).toBe(false);
});

describe('reading text', () => {
	test.each([
		[7, '7'],
		[9007199254740993n, '9007199254740993'],
		[true, 'true'],
	])('%p is read as the text %j', (value, text) => {
		expect(readText(value)).toStrictEqual({ value: text });
	});

	test.each([
		[NaN, 'text or a number'],
		[2 ** 53, 'text, because a number with this many digits is not exact'],
		[['a'], 'one value'],
		[luxon, "text (for a date, add .format('yyyy-MM-dd') to the expression)"],
	])('%p is rejected as text', (value, expected) => {
		expect(readText(value)).toStrictEqual({ expected });
	});
});

test.each([false, '.', ' .. ', 151.234567, luxon])(
	'%j is not an ID: a dot would lead to the path of another route, and a number may have lost a 0 at its end',
	(value) => {
		expect(readId(value)).toStrictEqual({ expected: 'an ID' });
	},
);

test('a boolean is read from true, false, 1, 0 and their spellings, and from nothing else', () => {
	for (const value of [true, 'true', 'TRUE', ' True', 1])
		expect(readBoolean(value).value).toBe(true);
	for (const value of [false, 'false', 'FALSE', 0]) expect(readBoolean(value).value).toBe(false);
	for (const value of ['yes', '', 2, NaN, null, [true], { value: true }])
		expect(readBoolean(value)).toStrictEqual({ expected: 'true or false' });
});

test.each([
	[7, 7],
	[' -1.5 ', -1.5],
	['+42', 42],
	['1e3', undefined],
])('%p is read as the number %p', (value, number) => {
	expect(readNumber(value)).toStrictEqual(
		number === undefined ? { expected: 'a number' } : { value: number },
	);
});

test.each([
	[' in -  progress ', 'IN_PROGRESS'],
	['opened', undefined],
	['__proto__', undefined],
])('%j as one of OPEN and IN_PROGRESS is read as %p', (value, option) => {
	expect(readOption(['OPEN', 'IN_PROGRESS'])(value)).toStrictEqual(
		option === undefined ? { expected: 'one of OPEN, IN_PROGRESS' } : { value: option },
	);
});

test('an option in its own spelling wins over one in another case', () => {
	expect(readOption(['Open', 'OPEN'])('OPEN').value).toBe('OPEN');
});

test('a list is read from a list and from JSON, and from nothing else', () => {
	for (const value of ['[1, "a"]', [1, 'a']])
		expect(readList(value)).toStrictEqual({ value: [1, 'a'] });
	for (const value of ['{}', '[', 'a,b', { 0: 'a', length: 1 }, 7])
		expect(readList(value)).toStrictEqual({ expected: 'a JSON list' });
});

test('only what was filled in is sent: no undefined values, but empty ones', () => {
	const values = { a: undefined, b: null, c: '', d: 0, e: false, f: [] };
	expect(Object.keys(withoutUndefined(values))).toStrictEqual(['b', 'c', 'd', 'e', 'f']);
});

/** The shape of Luxon's Duration, which becomes text in JSON. */
const duration = { values: { days: 1 }, toJSON: () => 'P1D' };

test('an object is read from an object and from JSON, and from nothing else', () => {
	for (const value of ['{ "a": 1 }', { a: 1 }])
		expect(readObject(value)).toStrictEqual({ value: { a: 1 } });
	for (const value of ['[]', '{', [1], new Date(0), luxon, duration, new Map([[1, 2]]), 7])
		expect(readObject(value)).toStrictEqual({ expected: 'a JSON object' });
});

test.each([
	[
		readExactRecords,
		'[{ "a": 17841400000000123 }]',
		'[{ "a": "17841400000000123", "b": 178414000000001 }]',
	],
	[readExactObject, '{ "a": [{ "b": 17841400000000123 }] }', '{ "a": [{ "b": 1784140000.123 }] }'],
])('JSON that is sent has no number that has lost digits: %p', (read, inexact, exact) => {
	for (const value of [inexact, JSON.parse(inexact) as unknown])
		expect(read(value)).toStrictEqual({
			expected: 'quotes around numbers of more than 15 digits',
		});
	expect(read(exact)).toStrictEqual({ value: JSON.parse(exact) as unknown });
});

test('JSON that is sent may contain itself, and may be deep', () => {
	const circle: Record<string, unknown> = {};
	circle.itself = circle;
	expect(readExactObject(circle).value).toBe(circle);
	const deep = `${'['.repeat(5_000)}1${']'.repeat(5_000)}`;
	expect(readExactObject(`{ "a": ${deep} }`).expected).toBeUndefined();
});

test('any value has a short form for messages, however large or unusual it is', () => {
	const circle: Record<string, unknown> = {};
	circle.itself = circle;
	expect(formatValue(circle)).toBe('an object: [object Object]');
	expect(formatValue(luxon)).toBe('a date: 2031-05-06T10:00:00.000+02:00');
	expect(formatValue(Array.from({ length: 100_000 }, () => 'x')).length).toBeLessThan(100);
});

test.each([
	['a "b"', '"a \\"b\\""'],
	[null, 'null'],
])('%j has the form %s in a message', (value, text) => {
	expect(formatValue(value)).toBe(text);
});

test.each([
	['80 characters', 'x'.repeat(78), `"${'x'.repeat(78)}"`],
	['more, between words', `a, ${'b c '.repeat(30)}`, `"a, ${'b c '.repeat(19)}…`],
	['a long word not at all', `token ${'x'.repeat(99)}`, '"token …'],
])('a value in a message is cut after %s', (_what, value, text) => {
	expect(formatValue(value)).toBe(text);
});

test('a count has its noun', () => {
	expect([0, 1, 2].map((count) => countOf(count, 'row'))).toStrictEqual([
		'0 rows',
		'1 row',
		'2 rows',
	]);
});

test.each([
	[2, '0, 1'],
	[10, '0, 1, 2, 3, 4, 5, 6, 7, 8, 9'],
	[11, '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 1 more'],
])('of %i values, a message lists %j', (count, text) => {
	expect(listed(Array.from({ length: count }, (_, i) => String(i)))).toBe(text);
});

test.each([
	[[3], 'item 3'],
	[[3, 7], 'items 3, 7'],
])('the items %j are called %s', (items, text) => expect(itemNumbers(items)).toBe(text));
