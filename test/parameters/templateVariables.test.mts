import fc from 'fast-check';
import {
	componentsFrom,
	fieldLabel,
	nameInLabel,
	showsVariables,
	valuesIn,
	variablesOf,
} from '../../nodes/ConversationalMessaging/parameters/templateVariables.ts';

const ids = (components: unknown) => variablesOf(components).map(({ id }) => id);

describe('the variables of a template', () => {
	test.each([
		[
			'body, by number',
			[{ type: 'BODY', text: 'Hello {{1}}, {{2}} off, {{1}}!' }],
			['body:1', 'body:2'],
		],
		['body, by name', [{ type: 'body', text: 'Hello {{ name }}' }], ['body:name']],
		['header text', [{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' }], ['header:text:1']],
		[
			'header text, by name',
			[{ type: 'HEADER', format: 'TEXT', text: 'Order {{ order_id }} of {{shop}}' }],
			['header:text:order_id', 'header:text:shop'],
		],
		['header image', [{ type: 'HEADER', format: 'IMAGE' }], ['header:image']],
		[
			'URL with a variable',
			[
				{
					type: 'BUTTONS',
					buttons: [{ type: 'URL', text: 'Shop', url: 'https://example.com/{{1}}' }],
				},
			],
			['button:0:url'],
		],
		[
			'quick reply and code, by their places',
			[
				{
					type: 'BUTTONS',
					buttons: [
						{ type: 'PHONE_NUMBER' },
						{ type: 'QUICK_REPLY', text: 'Yes' },
						{ type: 'COPY_CODE' },
					],
				},
			],
			['button:1:quick_reply', 'button:2:copy_code'],
		],
		['one-time password', [{ type: 'BUTTONS', buttons: [{ type: 'OTP' }] }], ['button:0:url']],
		['no known part', 'text', []],
		[
			'parts of unexpected shapes',
			[null, 7, { type: 'BODY' }, { type: 'BUTTONS', buttons: [null] }, { type: 'BUTTONS' }],
			[],
		],
	])('the variables are found: %s', (_name, components, expected) => {
		// Strict: an undefined entry is not nothing.
		expect(ids(components)).toStrictEqual(expected);
	});

	test('any JSON as components is read without throwing', () => {
		fc.assert(fc.property(fc.jsonValue(), (components) => void variablesOf(components)));
	});
});

test('variables become components in the messaging platform’s usual form', () => {
	const values = {
		'header:image': 'https://cdn.example.com/a.png',
		'body:2': '20%',
		'body:1': 'Ann',
		'button:0:url': 'spring',
		'button:1:quick_reply': 'yes',
		'button:3:quick_reply': 'no',
		'button:2:copy_code': 'SAVE20',
	};
	expect(componentsFrom(values)).toEqual([
		{
			type: 'header',
			parameters: [{ type: 'image', image: { link: 'https://cdn.example.com/a.png' } }],
		},
		{
			type: 'body',
			parameters: [
				{ type: 'text', text: 'Ann' },
				{ type: 'text', text: '20%' },
			],
		},
		{ type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'spring' }] },
		{
			type: 'button',
			sub_type: 'quick_reply',
			index: '1',
			parameters: [{ type: 'payload', payload: 'yes' }],
		},
		{
			type: 'button',
			sub_type: 'copy_code',
			index: '2',
			parameters: [{ type: 'coupon_code', coupon_code: 'SAVE20' }],
		},
		{
			type: 'button',
			sub_type: 'quick_reply',
			index: '3',
			parameters: [{ type: 'payload', payload: 'no' }],
		},
	]);
	expect(componentsFrom({ 'header:document': '12345', 'body:name': 'Ann' })).toEqual([
		{ type: 'header', parameters: [{ type: 'document', document: { id: '12345' } }] },
		{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Ann' }] },
	]);
	expect(componentsFrom({ 'button:1:quick_reply': '' })).toEqual([]);
});

test.each<[string, string, string, object]>([
	[
		'text by name',
		'header:text:order_id',
		'#7',
		{ type: 'text', parameter_name: 'order_id', text: '#7' },
	],
	[
		'text by a name that ends in a digit',
		'header:text:line1',
		'#7',
		{ type: 'text', parameter_name: 'line1', text: '#7' },
	],
	['an image by ID', 'header:image', '123', { type: 'image', image: { id: '123' } }],
	[
		'a media ID that contains a link',
		'header:image',
		'id-https://x',
		{ type: 'image', image: { id: 'id-https://x' } },
	],
])('a header variable is sent as %s', (_name, id, value, parameter) => {
	expect(componentsFrom({ [id]: value })).toEqual([{ type: 'header', parameters: [parameter] }]);
});

test('several variables of a header text are sent in order, by number or by name', () => {
	expect(componentsFrom({ 'header:text:2': 'b', 'header:text:1': 'a' })).toEqual([
		{
			type: 'header',
			parameters: [
				{ type: 'text', text: 'a' },
				{ type: 'text', text: 'b' },
			],
		},
	]);
});

test('the labels say what a variable is, and only a quick reply can be left empty', () => {
	const components = [
		{ type: 'HEADER', format: 'VIDEO' },
		{ type: 'HEADER', format: 'TEXT', text: '{{shop}}' },
		{ type: 'BODY', text: 'Hello {{1}}' },
		{
			type: 'BUTTONS',
			buttons: [
				{ type: 'QUICK_REPLY', text: 'Yes' },
				{ type: 'QUICK_REPLY' },
				{ type: 'URL', text: 'Shop', url: 'https://example.com/{{1}}' },
				{ type: 'COPY_CODE', text: 'Copy' },
				{ type: 'OTP', text: 'Verify' },
			],
		},
	];
	expect(variablesOf(components).map(({ label, required }) => [label, required])).toEqual([
		['Header video', true],
		['Header shop', true],
		['1', true],
		['Button “Yes”', false],
		['Button 2', false],
		['Button “Shop”', true],
		['Button “Copy”', true],
		['Button “Verify”', true],
	]);
});

test('more than ten variables keep their order, and no text is lost or changed', () => {
	const text = fc.string({ minLength: 1, unit: 'grapheme' });
	fc.assert(
		fc.property(
			fc.array(text, { minLength: 1, maxLength: 15 }),
			fc.infiniteStream(fc.nat()),
			(texts, chance) => {
				const entries = texts.map((value, n) => [`body:${n + 1}`, value] as const);
				const shuffled = entries
					.map((entry) => [chance.next().value as number, entry] as const)
					.sort(([a], [b]) => a - b);
				const [body] = componentsFrom(Object.fromEntries(shuffled.map(([, entry]) => entry)));
				expect((body!.parameters as { text: string }[]).map((parameter) => parameter.text)).toEqual(
					texts,
				);
			},
		),
	);
});

describe('the label of a variable’s field', () => {
	const labels = (components: unknown) => variablesOf(components).map(fieldLabel);
	const body = (text: string, example?: object) => [{ type: 'BODY', text, example }];

	test.each<[what: string, components: unknown, labels: string[]]>([
		[
			'begins with its number and the words before it, as the editor cuts labels after 22 characters',
			body('Hello {{1}}, your ticket {{2}} is now {{3}}.'),
			[
				'1 · Hello …, your ticket {{2}} is now',
				'2 · your ticket … is now {{3}}.',
				'3 · {{2}} is now ….',
			],
		],
		['shows no text if there is none', body('{{1}}'), ['1']],
		[
			'cuts between words',
			body('Dear customer, order {{1}} will arrive on Wednesday or on Thursday'),
			['1 · order … will arrive on Wednesday or'],
		],
		[
			'shows the beginning of a longer example',
			body('{{1}}!', { body_text: [['a'.repeat(31)]] }),
			[`1 · …!, e.g. ${'a'.repeat(30)}…`],
		],
		[
			'does not cut characters of two halves',
			body(`${'🙂'.repeat(30)}{{1}}`),
			[`1 · ${'🙂'.repeat(15)}…`],
		],
		[
			'shows examples by position',
			body('Hi {{1}} {{2}}', { body_text: [['Ann', '20%']] }),
			['1 · Hi … {{2}}, e.g. Ann', '2 · Hi {{1}} …, e.g. 20%'],
		],
		[
			'shows the example of a header',
			[{ type: 'HEADER', text: 'Order {{1}}', example: { header_text: ['#7'] } }],
			['Header 1 · Order …, e.g. #7'],
		],
		[
			'shows the URL of a button, and the end of the example',
			[
				{
					type: 'BUTTONS',
					buttons: [
						{
							type: 'URL',
							text: 'Shop',
							url: 'https://shop.example.com/{{1}}',
							example: ['https://shop.example.com/spring'],
						},
						{ type: 'COPY_CODE', text: 'Copy', example: 'SAVE20' },
					],
				},
			],
			[
				'Button “Shop” · end of https://shop.example.com/{{1}}, e.g. spring',
				'Button “Copy” · code, e.g. SAVE20',
			],
		],
		[
			'shows examples by name, and ignores those of other shapes',
			body('Hi\n\n{{ name }}', {
				body_text_named_params: [null, 'x', { param_name: 'name', example: 'Ann' }],
				body_text: 'y',
			}),
			['name · Hi …, e.g. Ann'],
		],
	])('%s', (_what, components, expected) => {
		expect(labels(components)).toEqual(expected);
	});

	test('messages use only its name', () => {
		expect(nameInLabel('2 · your ticket … is, e.g. 7')).toBe('2');
		expect(nameInLabel('Header image · URL or media ID')).toBe('Header image');
	});
});

test('the values in components are those that they were made from', () => {
	const ids = [
		'header:text:1',
		'body:1',
		'body:2',
		'button:0:url',
		'button:2:copy_code',
		'button:1:quick_reply',
	];
	const value = fc.string({ minLength: 1, maxLength: 8 });
	fc.assert(
		fc.property(fc.tuple(...ids.map(() => value)), fc.boolean(), (texts, media) => {
			const values = Object.fromEntries(ids.map((id, index) => [id, texts[index]!]));
			if (media) {
				delete values['header:text:1'];
				values['header:image'] = texts[0]!;
			}
			expect(Object.fromEntries(valuesIn(componentsFrom(values)))).toEqual(values);
		}),
	);
	fc.assert(fc.property(fc.array(fc.jsonValue()), (components) => void valuesIn(components)));
	const named = { 'body:name': 'Ann', 'body:order': '7' };
	expect(Object.fromEntries(valuesIn(componentsFrom(named)))).toEqual(named);
	const price = { type: 'currency', currency: { fallback_value: '$5' } };
	expect([...valuesIn([{ type: 'body', parameters: [price] }])]).toEqual([['body:1', '$5']]);
});

test.each<[components: unknown, shows: boolean]>([
	[[{ type: 'BODY', text: 'Hi' }], true],
	[[{ type: 'BODY' }], false],
	[[{ type: 'HEADER', text: 'Hi' }], false],
	[[null, 'x'], false],
	[{ type: 'BODY', text: 'Hi' }, false],
	[undefined, false],
])('whether components %j show the variables of their template: %s', (components, shows) => {
	expect(showsVariables(components)).toBe(shows);
});

test('values are read from whatever was entered, and empty ones are none', () => {
	const parameters = [null, { type: 'text', text: '' }, { type: 'text', text: 'Ann' }];
	expect([...valuesIn([null, { type: 'body' }, { type: 'body', parameters }])]).toEqual([
		['body:2', 'Ann'],
	]);
});
