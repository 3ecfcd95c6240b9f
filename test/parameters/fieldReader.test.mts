import { NodeOperationError, type INodeProperties } from 'n8n-workflow';
import type { Parameters } from '../../nodes/ConversationalMessaging/parameters/parameters.ts';
import { choices, field, parametersOf } from './parameters.mts';

const NAME = field('name', { displayName: 'Name' });
const CONTACT = field('contactId', { displayName: 'Contact', type: 'resourceLocator' });
const STATUS = field('status', {
	displayName: 'Status',
	type: 'options',
	options: choices('OPEN', 'CLOSED'),
});

/** Reads one field whose value is given, as the user saved it or as an expression returned it. */
const reading =
	<T,>(description: INodeProperties, read: (parameters: Parameters, name: string) => T) =>
	(value: unknown, saved: unknown = value): T =>
		read(
			parametersOf([description], { [description.name]: value }, { [description.name]: saved }),
			description.name,
		);

/** The message and the next step of what was thrown. */
function thrownBy(read: () => unknown): [message: string, step: unknown] {
	try {
		read();
	} catch (error) {
		expect(error).toBeInstanceOf(NodeOperationError);
		return [(error as Error).message, (error as NodeOperationError).description];
	}
	throw new Error('nothing was thrown');
}

const CHECK = 'Check the value, or the expression that returns it.';
const ENTER = 'Enter a value, or check the expression.';
const PICK = 'Pick one from the list, enter its ID, or check the expression.';

type Case = [
	field: INodeProperties,
	reader: (parameters: Parameters, name: string) => unknown,
	given: unknown,
	read: unknown,
];

describe('a value is read from a field', () => {
	const optional: Record<string, Case[]> = {
		text: [
			[NAME, (p, n) => p.text(n), ' Ann ', 'Ann'],
			[NAME, (p, n) => p.text(n), 7, '7'],
			[NAME, (p, n) => p.text(n), '  ', undefined],
			[NAME, (p, n) => p.text(n), undefined, undefined],
			[NAME, (p, n) => p.required(n), ' Ann ', 'Ann'],
		],
		verbatim: [
			[NAME, (p, n) => p.verbatim(n), ' Ann\n', ' Ann\n'],
			[NAME, (p, n) => p.verbatim(n), ' ', undefined],
			[NAME, (p, n) => p.requiredVerbatim(n), ' Ann\n', ' Ann\n'],
		],
		raw: [
			[NAME, (p, n) => p.raw(n), [1], [1]],
			[NAME, (p, n) => p.raw(n), ' ', undefined],
		],
		boolean: [
			[NAME, (p, n) => p.boolean(n), 'false', false],
			[NAME, (p, n) => p.boolean(n), undefined, undefined],
			[NAME, (p, n) => p.requiredBoolean(n), true, true],
		],
		number: [
			[NAME, (p, n) => p.number(n), '0', 0],
			[NAME, (p, n) => p.number(n), '', undefined],
		],
		option: [
			[STATUS, (p, n) => p.option(n), 'open', 'OPEN'],
			[STATUS, (p, n) => p.option(n), '', undefined],
			[STATUS, (p, n) => p.requiredOption(n), 'closed', 'CLOSED'],
		],
		options: [
			[STATUS, (p, n) => p.options(n), ['open', 'CLOSED'], ['OPEN', 'CLOSED']],
			[STATUS, (p, n) => p.options(n), 'open, closed', ['OPEN', 'CLOSED']],
			[NAME, (p, n) => p.options(n), ['any'], ['any']],
		],
		phone: [
			[NAME, (p, n) => p.whatsAppId(n), '+1 202 555 0143', '12025550143'],
			[NAME, (p, n) => p.whatsAppId(n), '', undefined],
			[
				CONTACT,
				(p, n) => p.requiredWhatsAppId(n),
				{ mode: 'id', value: '12025550143' },
				'12025550143',
			],
		],
		locator: [
			[CONTACT, (p, n) => p.id(n), { mode: 'list', value: ' c1 ' }, 'c1'],
			[CONTACT, (p, n) => p.id(n), 'c1', 'c1'],
			[CONTACT, (p, n) => p.id(n), { mode: 'list', value: '' }, undefined],
			[CONTACT, (p, n) => p.requiredId(n), { mode: 'id', value: 7 }, '7'],
			[
				CONTACT,
				(p, n) => p.choice(n),
				{ mode: 'list', value: 'c1' },
				{ mode: 'list', value: 'c1' },
			],
			[CONTACT, (p, n) => p.choice(n), { value: 'c1' }, { mode: 'id', value: 'c1' }],
			[CONTACT, (p, n) => p.choice(n), 'c1', { mode: 'id', value: 'c1' }],
			[CONTACT, (p, n) => p.choice(n), { mode: 'list', value: '' }, undefined],
		],
		ids: [
			[
				CONTACT,
				(p, n) => p.requiredIds(n),
				{ mode: 'id', value: ['c1', ' c2', 3] },
				['c1', 'c2', '3'],
			],
			[CONTACT, (p, n) => p.requiredIds(n), { mode: 'id', value: 'c1' }, ['c1']],
		],
		list: [
			[NAME, (p, n) => p.list(n), '[1, 2]', [1, 2]],
			[NAME, (p, n) => p.list(n), [1], [1]],
			[NAME, (p, n) => p.list(n), [], undefined],
			[NAME, (p, n) => p.list(n), '[]', undefined],
			[NAME, (p, n) => p.list(n), '', undefined],
		],
		texts: [
			[NAME, (p, n) => p.texts(n), ' a, ,b ', ['a', 'b']],
			[NAME, (p, n) => p.texts(n), ['a, b', 7], ['a, b', '7']],
			[NAME, (p, n) => p.texts(n), '', []],
			[NAME, (p, n) => p.texts(n), [], []],
		],
		object: [
			[NAME, (p, n) => p.object(n), '{"a":1}', { a: 1 }],
			[NAME, (p, n) => p.textOrObject(n), { a: 1 }, { a: 1 }],
			[NAME, (p, n) => p.textOrObject(n), ' high ', 'high'],
			[NAME, (p, n) => p.textOrObject(n), '{"a":1}', '{"a":1}'],
			[NAME, (p, n) => p.textOrObject(n), '', undefined],
		],
	};
	const cases = Object.entries(optional).flatMap(([kind, all]) =>
		all.map(([description, read, given, expected]) => ({
			kind,
			description,
			read,
			given,
			expected,
		})),
	);
	test.each(cases)(
		'$given is read as $expected ($kind)',
		({ description, read, given, expected }) => {
			expect(reading(description, read)(given)).toEqual(expected);
		},
	);
});

describe('a required field that is empty is rejected, with its name on screen', () => {
	test.each<[name: string, field: INodeProperties, read: Case[1], step: string]>([
		['text', NAME, (p, n) => p.required(n), ENTER],
		['verbatim text', NAME, (p, n) => p.requiredVerbatim(n), ENTER],
		['a boolean', NAME, (p, n) => p.requiredBoolean(n), ENTER],
		['an option', STATUS, (p, n) => p.requiredOption(n), ENTER],
		['a phone number', NAME, (p, n) => p.requiredWhatsAppId(n), ENTER],
		['an object', NAME, (p, n) => p.object(n), ENTER],
		['an ID', CONTACT, (p, n) => p.requiredId(n), PICK],
		['IDs', CONTACT, (p, n) => p.requiredIds(n), PICK],
	])('a required field that is empty is rejected: %s', (_name, description, read, step) => {
		for (const nothing of [undefined, null, '', '  '])
			expect(thrownBy(() => reading(description, read)(nothing))).toEqual([
				`${description.displayName} is empty`,
				step,
			]);
	});

	test('a required field that is empty is rejected: a list of IDs without entries', () => {
		const ids = reading(CONTACT, (p, n) => p.requiredIds(n));
		expect(thrownBy(() => ids({ mode: 'id', value: [] }))).toEqual(['Contact is empty', PICK]);
	});
});

describe('a value that a field cannot accept is rejected, with what it expects and what it got', () => {
	const rows: [read: Case[1], field: INodeProperties, value: unknown, message: string][] = [
		[(p, n) => p.text(n), NAME, ['a'], 'Name expects one value, but got a list: ["a"]'],
		[
			(p, n) => p.text(n),
			NAME,
			{ value: 'a' },
			'Name expects one value, but got an object: {"value":"a"}',
		],
		[(p, n) => p.verbatim(n), NAME, { a: 1 }, 'Name expects one value, but got an object: {"a":1}'],
		[(p, n) => p.boolean(n), NAME, 'yes', 'Name expects true or false, but got "yes"'],
		[(p, n) => p.number(n), NAME, 'many', 'Name expects a number, but got "many"'],
		[(p, n) => p.option(n), STATUS, 'new', 'Status expects one of OPEN, CLOSED, but got "new"'],
		[
			(p, n) => p.options(n),
			STATUS,
			['OPEN', 'new'],
			'Status expects one of OPEN, CLOSED, but got "new"',
		],
		[
			(p, n) => p.whatsAppId(n),
			NAME,
			'0151',
			'Name expects a phone number with country code and no leading 0, or a user ID, but got "0151"',
		],
		[(p, n) => p.id(n), CONTACT, { value: true }, 'Contact expects an ID, but got true'],
		[
			(p, n) => p.requiredIds(n),
			CONTACT,
			{ value: ['a', ''] },
			'Contact expects a list without empty entries, but got a list: ["a",""]',
		],
		[
			(p, n) => p.requiredIds(n),
			CONTACT,
			{ value: ['a', false] },
			'Contact expects an ID, but got false',
		],
		[(p, n) => p.list(n), NAME, '{}', 'Name expects a JSON list, but got "{}"'],
		[
			(p, n) => p.texts(n),
			NAME,
			['a', null],
			'Name expects a list without empty entries, but got a list: ["a",null]',
		],
		[(p, n) => p.texts(n), NAME, [['a']], 'Name expects one value, but got a list: ["a"]'],
		[(p, n) => p.object(n), NAME, '[]', 'Name expects a JSON object, but got "[]"'],
		[
			(p, n) => p.textOrObject(n),
			NAME,
			{ toJSON: () => 'x' },
			'Name expects a JSON object, but got an object: "x"',
		],
		[(p, n) => p.textOrObject(n), NAME, ['a'], 'Name expects one value, but got a list: ["a"]'],
	];
	test.each(
		rows.map(([read, description, value, message]) => ({ read, description, value, message })),
	)('the message is: $message', ({ read, description, value, message }) => {
		expect(thrownBy(() => reading(description, read)(value))).toEqual([message, CHECK]);
	});
});

describe('an expression that returns nothing', () => {
	const EXPRESSION = '={{ $json.missing }}';

	test.each<[name: string, read: Case[1], nothing: unknown]>([
		['a boolean', (p, n) => p.boolean(n), undefined],
		['a number', (p, n) => p.number(n), null],
		['a list', (p, n) => p.list(n), ''],
		['texts', (p, n) => p.texts(n), undefined],
		['texts from an empty list', (p, n) => p.texts(n), []],
		['texts from commas alone', (p, n) => p.texts(n), ' , '],
		['an ID that limits what an operation acts on', (p, n) => p.idIfSet(n), undefined],
	])('is rejected where an empty field means something else: %s', (_name, read, nothing) => {
		expect(thrownBy(() => reading(NAME, read)(nothing, EXPRESSION))).toEqual([
			'Name is empty',
			ENTER,
		]);
	});

	test('is rejected where the user had entered a list', () => {
		const texts = reading(NAME, (p, n) => p.texts(n));
		expect(thrownBy(() => texts(undefined, ['a']))).toEqual(['Name is empty', ENTER]);
	});

	test.each<[name: string, read: Case[1]]>([
		['text', (p, n) => p.text(n)],
		['an ID', (p, n) => p.id(n)],
		['an option', (p, n) => p.option(n)],
	])('leaves a field empty where nothing has no other meaning: %s', (_name, read) => {
		expect(reading(STATUS, read)(undefined, EXPRESSION)).toBeUndefined();
	});
});

test.each([
	['nothing', undefined, undefined],
	['an empty text', '', undefined],
	['an empty locator', { mode: 'list', value: '' }, undefined],
	['an empty list', [], undefined],
	['an ID', { mode: 'id', value: 'c1' }, 'c1'],
])('an ID that limits an operation is optional while the user has saved %s', (_what, saved, id) => {
	expect(reading(CONTACT, (p, n) => p.idIfSet(n))(saved)).toBe(id);
});

test('a field without a description is named as in the saved workflow', () => {
	expect(thrownBy(() => parametersOf([], {}).required('other'))).toEqual(['other is empty', ENTER]);
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
		parametersOf([OPTIONS], { options }).collection('options');

	test('is nothing if the user did not add it', () => {
		const options = optionsWith({});
		expect([
			options.textIfSet('limitTo'),
			options.timeZone('zone'),
			options.quietHours('quiet'),
			options.count('most'),
		]).toEqual([undefined, undefined, undefined, undefined]);
	});

	test('has its value if the user added it', () => {
		const options = optionsWith({
			limitTo: ' a ',
			zone: ' America/New_York ',
			quiet: '21:00-08:00',
			most: '0',
		});
		expect([
			options.textIfSet('limitTo'),
			options.timeZone('zone'),
			options.quietHours('quiet'),
			options.count('most'),
		]).toEqual(['a', 'America/New_York', { from: 1260, until: 480 }, 0]);
		expect(optionsWith({ most: 7 }).count('most')).toBe(7);
	});

	test.each<[name: string, read: (options: ReturnType<typeof optionsWith>) => unknown]>([
		['Limit To', (options) => options.textIfSet('limitTo')],
		['Zone', (options) => options.timeZone('zone')],
		['Quiet Hours', (options) => options.quietHours('quiet')],
		['Most', (options) => options.count('most')],
	])('is rejected if the user added it without a value: %s', (name, read) => {
		for (const value of ['', ' ', null]) {
			const options = optionsWith({ limitTo: value, zone: value, quiet: value, most: value });
			expect(thrownBy(() => read(options))[0]).toBe(`${name} is empty`);
		}
	});

	test.each([-1, 0.5, 2 ** 53, '1.5'])('is rejected if it counts and is %j', (most) => {
		expect(thrownBy(() => optionsWith({ most }).count('most'))[0]).toBe(
			`Most expects a whole number of 0 or more, but got ${JSON.stringify(Number(most))}`,
		);
	});

	test.each(['Europe/Atlantis', 'Berlin', 7, true, { zone: 'UTC' }, [['UTC', 'UTC']]])(
		'is rejected if it is a time zone that nobody knows: %j',
		(zone) => {
			expect(thrownBy(() => optionsWith({ zone }).timeZone('zone'))[0]).toContain(
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
	const labels = (form: unknown, description: INodeProperties = FORM) =>
		parametersOf([description], { form })
			.groups('form')
			.map((entry) => entry.text('label'));

	test.each<[what: string, form: unknown, labels: unknown[]]>([
		['several', { field: [{ label: 'a' }, { label: 'b' }] }, ['a', 'b']],
		['one, without a list', { field: { label: 'a' } }, ['a']],
		['none', {}, []],
		['other things', { field: [null, 'x', { label: 'a' }] }, ['a']],
		['of another name', { other: [{ label: 'a' }] }, []],
		['text', 'x', []],
	])('are read: %s', (_what, form, expected) => {
		expect(labels(form)).toEqual(expected);
	});

	test('of a field that has no kind of entries are none', () => {
		expect(labels({ field: [{ label: 'a' }] }, field('form'))).toEqual([]);
	});

	test('have the names on screen of their fields in messages', () => {
		const [entry] = parametersOf([FORM], { form: { field: [{ label: '' }] } }).groups('form');
		expect(thrownBy(() => entry!.required('label'))[0]).toBe('label is empty');
	});
});
