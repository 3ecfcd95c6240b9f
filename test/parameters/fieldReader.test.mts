import { NodeOperationError } from 'n8n-workflow';
import { readTimeZone } from '../../nodes/ConversationalMessaging/parameters/dateTime.ts';
import { readQuietHours } from '../../nodes/ConversationalMessaging/parameters/quietHours.ts';
import { choices, field, parametersOf } from '../support/parameters.mts';

const FIELDS = [
	field('name', { displayName: 'Name' }),
	field('contactId', { displayName: 'Contact', type: 'resourceLocator' }),
	field('status', {
		displayName: 'Status',
		type: 'options',
		options: choices('OPEN', 'CLOSED'),
	}),
];

/** The methods that read one field. */
type Reader =
	| ('text' | 'verbatim' | 'raw' | 'boolean' | 'number' | 'option' | 'options' | 'whatsAppAddress')
	| ('id' | 'choice' | 'requiredIds' | 'key' | 'cell' | 'records' | 'texts' | 'object')
	| 'optionOrOther';

type Field = 'name' | 'contactId' | 'status';

/** Reads a field whose value is given, as the user saved it or as an expression returned it. */
const read = (reader: Reader, name: Field, value: unknown, saved: unknown = value): unknown =>
	fieldsWith(name, value, saved)[reader](name);

const fieldsWith = (name: Field, value: unknown, saved: unknown = value) =>
	parametersOf(FIELDS, { [name]: value }, { [name]: saved });

/** The message and the next step of what was thrown. */
function thrownBy(action: () => unknown): [message: string, step: unknown] {
	try {
		action();
	} catch (error) {
		expect(error).toBeInstanceOf(NodeOperationError);
		return [(error as Error).message, (error as NodeOperationError).description];
	}
	throw new Error('nothing was thrown');
}

const CHECK = 'Check the value, or the expression that returns it.';
const ENTER = 'Enter a value, or check the expression.';
const PICK = 'Pick or enter one, or check the expression.';

test.each<[reader: Reader, name: Field, given: unknown, read: unknown]>([
	['text', 'name', ' Ann ', 'Ann'],
	['text', 'name', '  ', undefined],
	['text', 'name', 7, '7'],
	['verbatim', 'name', ' Ann\n', ' Ann\n'],
	['verbatim', 'name', ' ', undefined],
	['raw', 'name', [1], [1]],
	['raw', 'name', ' ', undefined],
	['boolean', 'name', 'false', false],
	['boolean', 'name', undefined, undefined],
	['boolean', 'name', true, true],
	['number', 'name', '0', 0],
	['number', 'name', '', undefined],
	['option', 'status', 'open', 'OPEN'],
	['option', 'status', '', undefined],
	['option', 'status', 'closed', 'CLOSED'],
	['options', 'status', ['open', 'CLOSED'], ['OPEN', 'CLOSED']],
	['options', 'status', 'open, closed', ['OPEN', 'CLOSED']],
	['options', 'name', ['any'], ['any']],
	['whatsAppAddress', 'name', '+1 202 555 0143', '12025550143'],
	['whatsAppAddress', 'name', '', undefined],
	['whatsAppAddress', 'contactId', { mode: 'id', value: '12025550143' }, '12025550143'],
	['id', 'contactId', { mode: 'list', value: ' c1 ' }, 'c1'],
	['id', 'contactId', 'c1', 'c1'],
	['id', 'contactId', { mode: 'list', value: '' }, undefined],
	['id', 'contactId', { mode: 'id', value: 7 }, '7'],
	['choice', 'contactId', { mode: 'list', value: 'c1' }, { mode: 'list', value: 'c1' }],
	['choice', 'contactId', 'c1', { mode: 'id', value: 'c1' }],
	['choice', 'contactId', { mode: 'list', value: '' }, undefined],
	['requiredIds', 'contactId', { mode: 'id', value: ['c1', ' c2', 3] }, ['c1', 'c2', '3']],
	['requiredIds', 'contactId', { mode: 'id', value: 'c1' }, ['c1']],
	['requiredIds', 'contactId', { mode: 'id', value: 'c1, c2;c3' }, ['c1', 'c2', 'c3']],
	['requiredIds', 'contactId', { mode: 'id', value: ' c1\r\nc2\nc3 ' }, ['c1', 'c2', 'c3']],
	[
		'requiredIds',
		'contactId',
		{ mode: 'id', value: 'c1,\r\nc2, \nc3;\nc4' },
		['c1', 'c2', 'c3', 'c4'],
	],
	['requiredIds', 'contactId', { mode: 'id', value: '["c1", "c2"]' }, ['c1', 'c2']],
	['records', 'name', '[{ "a": 1 }, {}]', [{ a: 1 }, {}]],
	['records', 'name', '[]', undefined],
	['records', 'name', '', undefined],
	['texts', 'name', ' a, ,b ', ['a', 'b']],
	['texts', 'name', ['a, b', 7], ['a, b', '7']],
	['texts', 'name', ' ["a, b", 7]', ['a, b', '7']],
	['texts', 'name', '[1, 2]', ['1', '2']],
	['texts', 'name', '[1] Yes, [2] No', ['[1] Yes', '[2] No']],
	['texts', 'name', 'Yes; no', ['Yes; no']],
	['texts', 'name', '', []],
	['options', 'name', 'paused; Disabled\r\nin review, ', ['paused', 'Disabled', 'in review']],
	['options', 'status', 'open;', ['OPEN']],
	['object', 'name', '{"a":1}', { a: 1 }],
	['optionOrOther', 'status', ' open ', 'OPEN'],
	['optionOrOther', 'status', { a: 1 }, { a: 1 }],
	['optionOrOther', 'status', ' new ', 'new'],
	['optionOrOther', 'status', '{"a":1}', '{"a":1}'],
	['optionOrOther', 'status', '', undefined],
	['object', 'name', '', undefined],
	['key', 'name', ' a ', 'a'],
	['key', 'name', '', undefined],
	['cell', 'name', [' a'], [' a']],
	['cell', 'name', '', undefined],
])('%s of the field %s: %j is read as %j', (reader, name, given, expected) => {
	expect(read(reader, name, given)).toStrictEqual(expected);
});

test.each<['text' | 'boolean' | 'option' | 'object' | 'id' | 'choice', Field, string, string]>([
	['text', 'name', 'Name is empty', ENTER],
	['boolean', 'name', 'Name is empty', ENTER],
	['option', 'status', 'Status is empty', ENTER],
	['object', 'name', 'Name is empty', ENTER],
	['id', 'contactId', 'Contact is empty', PICK],
	['choice', 'contactId', 'Contact is empty', PICK],
])('%s rejects the required field %s while it is empty: %s', (reader, name, message, step) => {
	for (const nothing of [undefined, null, '', '  ']) {
		const fields = fieldsWith(name, nothing);
		expect(thrownBy(() => fields[reader](name, 'required'))).toStrictEqual([message, step]);
	}
});

test('requiredIds rejects a field that is empty, or a list without entries', () => {
	for (const nothing of [undefined, null, '', '  ', []])
		expect(thrownBy(() => read('requiredIds', 'contactId', nothing))).toStrictEqual([
			'Contact is empty',
			PICK,
		]);
});

test.each<[reader: Reader, name: Field, value: unknown, message: string]>([
	['text', 'name', ['a'], 'Name expects one value, but got a list: ["a"]'],
	['verbatim', 'name', { a: 1 }, 'Name expects one value, but got an object: {"a":1}'],
	['boolean', 'name', 'yes', 'Name expects true or false, but got "yes"'],
	['number', 'name', 'many', 'Name expects a number, but got "many"'],
	['option', 'status', 'new', 'Status expects one of OPEN, CLOSED, but got "new"'],
	['options', 'status', ['OPEN', 'new'], 'Status expects one of OPEN, CLOSED, but got "new"'],
	[
		'whatsAppAddress',
		'name',
		'0151',
		'Name expects a phone number with country code, or a user ID, but got "0151": +0151 has an unknown country code. The option Country of Numbers adds a country code',
	],
	['id', 'contactId', { value: true }, 'Contact expects an ID, but got true'],
	...(['id', 'key', 'requiredIds'] as const).map((reader): [Reader, Field, unknown, string] => [
		reader,
		'name',
		'1.78414E+16',
		'Name expects a number with all its digits, but got "1.78414E+16": a spreadsheet has shortened the number. Format its column as text, and enter it again',
	]),
	[
		'requiredIds',
		'contactId',
		{ value: ['a', ''] },
		'Contact expects a list without empty entries, but got a list: ["a",""]',
	],
	...[' , ', 'a,', 'a\n'].map((text): [Reader, Field, unknown, string] => [
		'requiredIds',
		'contactId',
		{ value: text },
		`Contact expects a list without empty entries, but got a list: ${JSON.stringify(text.split(/[,\n]/))}`,
	]),
	['requiredIds', 'contactId', { value: ['a', false] }, 'Contact expects an ID, but got false'],
	...['null', ' Undefined'].map((nothing): [Reader, Field, unknown, string] => [
		'requiredIds',
		'contactId',
		{ value: ['a', nothing] },
		`Contact expects a list without empty entries, but got a list: ["a","${nothing}"]`,
	]),
	['records', 'name', '{}', 'Name expects a JSON list, but got "{}"'],
	['records', 'name', '["x"]', 'Name expects a JSON list of objects, but got "[\\"x\\"]"'],
	['records', 'name', [{}, null], 'Name expects a JSON list of objects, but got a list: [{},null]'],
	[
		'texts',
		'name',
		['a', null],
		'Name expects a list without empty entries, but got a list: ["a",null]',
	],
	['texts', 'name', [['a']], 'Name expects one value, but got a list: ["a"]'],
	['object', 'name', '[]', 'Name expects a JSON object, but got "[]"'],
	['optionOrOther', 'name', ['a'], 'Name expects one value, but got a list: ["a"]'],
])('%s rejects a value that the field %s cannot accept: %j. %s', (reader, name, value, message) => {
	expect(thrownBy(() => read(reader, name, value))).toStrictEqual([message, CHECK]);
});

describe('a field that is set and has no value', () => {
	const EXPRESSION = '={{ $json.missing }}';
	test.each<[reader: Reader, nothing: unknown, saved: unknown]>([
		['texts', [], EXPRESSION],
		['texts', ' , ', EXPRESSION],
		['texts', ' []', EXPRESSION],
		['texts', undefined, ['a']],
		['optionOrOther', {}, EXPRESSION],
		['object', {}, EXPRESSION],
	])('is rejected by %s if it is %j', (reader, nothing, saved) => {
		expect(thrownBy(() => read(reader, 'name', nothing, saved))[0]).toBe('Name is empty');
	});

	test.each<Reader>(['id', 'choice', 'whatsAppAddress', 'key'])(
		'has no ID if it is the text null or undefined: %s',
		(reader) => {
			for (const nothing of ['null', ' NULL', 'Undefined'])
				expect(thrownBy(() => read(reader, 'name', nothing, EXPRESSION))[0]).toBe('Name is empty');
		},
	);

	test.each<Reader>(['text', 'verbatim', 'boolean', 'number', 'cell', 'object', 'optionOrOther'])(
		'has none if a model writes the text null or undefined: %s',
		(reader) => {
			for (const nothing of ['null', ' Undefined'])
				expect(read(reader, 'name', nothing, "={{ $fromAI('name') }}")).toBeUndefined();
		},
	);

	test('is rejected for a whole collection', () => {
		const fields = [field('more', { displayName: 'More', type: 'collection' })];
		const parameters = parametersOf(fields, { more: undefined }, { more: EXPRESSION });
		expect(thrownBy(() => parameters.collection('more'))[0]).toBe('More is empty');
		expect(thrownBy(() => parameters.groups('more'))[0]).toBe('More is empty');
	});
});

test('a field without a description is named as in the saved workflow', () => {
	expect(thrownBy(() => parametersOf([], {}).text('other', 'required'))).toStrictEqual([
		'other is empty',
		ENTER,
	]);
});

describe('an option that limits what an operation does', () => {
	const OPTIONS = field('options', {
		type: 'collection',
		options: [
			field('limitTo', { displayName: 'Limit To' }),
			field('zone', { displayName: 'Zone' }),
			field('quiet', { displayName: 'Quiet Hours' }),
			field('most', { displayName: 'Most', type: 'number' }),
		],
	});
	const optionsWith = (options: object) =>
		parametersOf([OPTIONS], { options }).collection('options', 'limit');

	test.each<[what: string, options: object, read: unknown[]]>([
		['nothing if the user did not add it', {}, [undefined, undefined, undefined, undefined]],
		[
			'its value if the user added it',
			{ limitTo: ' a ', zone: ' America/New_York ', quiet: '21:00-08:00', most: '0' },
			['a', 'America/New_York', { from: 1260, until: 480 }, 0],
		],
	])('is %s', (_what, values, expected) => {
		const options = optionsWith(values);
		expect([
			options.key('limitTo'),
			options.one('zone', readTimeZone),
			options.one('quiet', readQuietHours),
			options.count('most'),
		]).toStrictEqual(expected);
	});

	test.each<[name: string, read: (options: ReturnType<typeof optionsWith>) => unknown]>([
		['Limit To', (options) => options.key('limitTo')],
		['Zone', (options) => options.one('zone', readTimeZone)],
		['Quiet Hours', (options) => options.one('quiet', readQuietHours)],
		['Most', (options) => options.count('most')],
	])('is rejected if the user added it without a value: %s', (name, read) => {
		for (const value of ['', ' ', null]) {
			const options = optionsWith({ limitTo: value, zone: value, quiet: value, most: value });
			expect(thrownBy(() => read(options))[0]).toBe(`${name} is empty`);
		}
	});

	test.each([-1, 0.5, 2 ** 53])('is rejected if it counts and is %j', (most) => {
		expect(thrownBy(() => optionsWith({ most }).count('most'))[0]).toBe(
			`Most expects a whole number of 0 or more, but got ${JSON.stringify(Number(most))}`,
		);
	});

	test.each(['Europe/Atlantis', 'Berlin', 7, [['UTC', 'UTC']]])(
		'is rejected if it is a time zone that nobody knows: %j',
		(zone) => {
			expect(thrownBy(() => optionsWith({ zone }).one('zone', readTimeZone))[0]).toContain(
				'expects the name of a time zone, e.g. Europe/Berlin',
			);
		},
	);
});

describe('the entries of a fixed collection', () => {
	const FORM = field('form', {
		type: 'fixedCollection',
		options: [{ displayName: 'Field', name: 'field', values: [field('label')] }],
	});
	const labels = (form: unknown) =>
		parametersOf([FORM], { form })
			.groups('form')
			.map((entry) => entry.text('label'));

	test.each<[what: string, form: unknown, labels: unknown[]]>([
		['several', { field: [{ label: 'a' }, { label: 'b' }] }, ['a', 'b']],
		['one, without a list', { field: { label: 'a' } }, ['a']],
		['none', {}, []],
		['other things', { field: [null, 'x', { label: 'a' }] }, ['a']],
	])('are read: %s', (_what, form, expected) => {
		expect(labels(form)).toStrictEqual(expected);
	});

	test('have the names on screen of their fields in messages', () => {
		const [entry] = parametersOf([FORM], { form: { field: [{ label: '' }] } }).groups('form');
		expect(thrownBy(() => entry!.text('label', 'required'))[0]).toBe('label is empty');
	});
});
