import fc from 'fast-check';
import {
	countOf,
	isBlank,
	locatorValue,
	readBoolean,
	readId,
	readList,
	readNumber,
	readObject,
	readOption,
	readText,
	formatValue,
	withoutUndefined,
} from '../../nodes/ConversationalMessaging/parameters/values.ts';

/** The shape that every copy of Luxon's DateTime has. */
const luxon = { isLuxonDateTime: true, toString: () => '2031-05-06T10:00:00.000+02:00' };

test.each([undefined, null, '', '   ', '\n\t', '\u00a0'])('%j counts as empty', (value) => {
	expect(isBlank(value)).toBe(true);
});

test.each([0, false, [], {}, 'null', NaN])('%j does not count as empty', (value) => {
	expect(isBlank(value)).toBe(false);
});

describe('reading text', () => {
	test.each([
		[' a b ', 'a b'],
		[7, '7'],
		[-1.5, '-1.5'],
		[Number.MAX_SAFE_INTEGER, '9007199254740991'],
		[9007199254740993n, '9007199254740993'],
		[true, 'true'],
	])('%p is read as the text %j', (value, text) => {
		expect(readText(value)).toEqual({ value: text });
	});

	test.each([
		[NaN, 'text or a number'],
		[Infinity, 'text or a number'],
		[2 ** 53, 'text, because a number with this many digits is not exact'],
		[['a'], 'one value'],
		[{ id: 'a' }, 'one value'],
		[new Date(0), 'one value'],
		[luxon, 'one value'],
		[() => 'a', 'one value'],
		[Symbol('a'), 'one value'],
	])('%p is rejected as text', (value, expected) => {
		expect(readText(value)).toEqual({ expected });
	});
});

test('a boolean is not an ID, a number is', () => {
	expect(readId(false)).toEqual({ expected: 'an ID' });
	expect(readId(1042)).toEqual({ value: '1042' });
});

test.each(['.', '..', ' .. '])(
	'%j is not an ID: it would lead to the path of another route',
	(value) => {
		expect(readId(value)).toEqual({ expected: 'an ID' });
	},
);

test('the value of a resource locator is read, whether or not it is wrapped', () => {
	expect(locatorValue({ __rl: true, mode: 'id', value: 'a' })).toBe('a');
	expect(locatorValue({ value: undefined })).toBeUndefined();
	expect(locatorValue('a')).toBe('a');
	expect(locatorValue({ id: 'a' })).toEqual({ id: 'a' });
	expect(locatorValue(null)).toBeNull();
});

test('a boolean is read from true, false, 1, 0 and their spellings, and from nothing else', () => {
	for (const value of [true, 'true', 'TRUE', ' True', 1])
		expect(readBoolean(value).value).toBe(true);
	for (const value of [false, 'false', 'FALSE', 0]) expect(readBoolean(value).value).toBe(false);
	fc.assert(
		fc.property(fc.anything(), (value) => {
			const plain = typeof value === 'string' ? value.trim().toLowerCase() : value;
			const isKnown = [true, false, 'true', 'false', 1, 0].includes(plain as never);
			expect(readBoolean(value).value !== undefined).toBe(isKnown);
			if (!isKnown) expect(readBoolean(value)).toEqual({ expected: 'true or false' });
		}),
	);
});

test.each([
	[7, 7],
	['7', 7],
	[' -1.5 ', -1.5],
	['+42', 42],
	['1.25', 1.25],
	['1e3', undefined],
	['0x10', undefined],
	['7 days', undefined],
	[[7], undefined],
	[true, undefined],
	[NaN, undefined],
])('%p is read as the number %p', (value, number) => {
	expect(readNumber(value)).toEqual(
		number === undefined ? { expected: 'a number' } : { value: number },
	);
});

test.each([
	['OPEN', 'OPEN'],
	['open', 'OPEN'],
	['in progress', 'IN_PROGRESS'],
	['In-Progress', 'IN_PROGRESS'],
	[' in -  progress ', 'IN_PROGRESS'],
	['', undefined],
	['opened', undefined],
	[['OPEN'], undefined],
	['__proto__', undefined],
])('%j as one of OPEN and IN_PROGRESS is read as %p', (value, option) => {
	expect(readOption(['OPEN', 'IN_PROGRESS'])(value)).toEqual(
		option === undefined ? { expected: 'one of OPEN, IN_PROGRESS' } : { value: option },
	);
});

test('an option in its own spelling wins over one in another case', () => {
	expect(readOption(['Open', 'OPEN'])('OPEN').value).toBe('OPEN');
});

test.each([['[1, "a"]'], [[1, 'a']]])('%j is read as a list', (value) => {
	expect(readList(value)).toEqual({ value: [1, 'a'] });
});

test.each([['{}'], ['['], ['a,b'], [{ 0: 'a', length: 1 }], [7]])(
	'%j is rejected as a list',
	(value) => {
		expect(readList(value)).toEqual({ expected: 'a JSON list' });
	},
);

test('only what was filled in is sent: no undefined values, but empty ones', () => {
	const values = { a: undefined, b: null, c: '', d: 0, e: false, f: [] };
	expect(Object.keys(withoutUndefined(values))).toEqual(['b', 'c', 'd', 'e', 'f']);
});

test.each([['{ "a": 1 }'], [{ a: 1 }]])('%j is read as an object', (value) => {
	expect(readObject(value)).toEqual({ value: { a: 1 } });
});

/** The shape of Luxon's Duration, which becomes text in JSON. */
const duration = { values: { days: 1 }, toJSON: () => 'P1D' };

test.each([['[]'], ['{'], [[1]], [new Date(0)], [luxon], [duration], [new Map([[1, 2]])], [7]])(
	'%p is rejected as an object',
	(value) => {
		expect(readObject(value)).toEqual({ expected: 'a JSON object' });
	},
);

test('any value has a short form for messages, however large or unusual it is', () => {
	const circle: Record<string, unknown> = {};
	circle.itself = circle;
	expect(formatValue(circle)).toBe('an object: [object Object]');
	expect(formatValue(luxon)).toBe('a date: 2031-05-06T10:00:00.000+02:00');
	expect(formatValue(Array.from({ length: 100_000 }, () => 'x')).length).toBeLessThan(100);
	expect(formatValue(undefined)).toBe('undefined');
});

test.each([
	['open', '"open"'],
	['a "b"', '"a \\"b\\""'],
	[7, '7'],
	[true, 'true'],
	[null, 'null'],
	[['OPEN', 1], 'a list: ["OPEN",1]'],
	[{ a: 1 }, 'an object: {"a":1}'],
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

test.each([
	[0, '0 rows'],
	[1, '1 row'],
	[2, '2 rows'],
])('%i are counted as %s', (count, text) => {
	expect(countOf(count, 'row')).toBe(text);
});
