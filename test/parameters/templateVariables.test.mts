import fc from 'fast-check';
import {
	componentsFrom,
	fieldLabel,
	nameInLabel,
	showsVariables,
	valuesIn,
	variablesOf,
} from '../../nodes/ConversationalMessaging/parameters/templateVariables.ts';

const body = (text: string, example?: object) => ({ type: 'BODY', text, example });
const header = (text: string, example?: object) => ({ type: 'HEADER', text, example });
const buttons = (...all: unknown[]) => ({ type: 'BUTTONS', buttons: all });

const SHOP = { type: 'URL', text: 'Shop', url: 'https://shop.example.com/{{1}}' };

describe('the variables of a template', () => {
	test.each<[what: string, component: unknown, variables: [id: string, label: string][]]>([
		[
			'a body, by number, each once',
			body('Hello {{1}}, {{2}} off, {{1}}!'),
			[
				['body:1', '1'],
				['body:2', '2'],
			],
		],
		['a body, by name', { ...body('Hello {{ name }}'), type: 'body' }, [['body:name', 'name']]],
		[
			'a header text, by name',
			{ ...header('Order {{ order_id }} of {{shop}}'), format: 'TEXT' },
			[
				['header:text:order_id', 'Header order_id'],
				['header:text:shop', 'Header shop'],
			],
		],
		['a header text, by number', header('Order {{1}}'), [['header:text:1', 'Header 1']]],
		['a header image', { type: 'HEADER', format: 'IMAGE' }, [['header:image', 'Header image']]],
		[
			'buttons, by their places',
			buttons(
				{ type: 'PHONE_NUMBER' },
				{ ...SHOP, url: 'https://shop.example.com' },
				SHOP,
				{ type: 'COPY_CODE', text: 'Copy' },
				null,
				{ type: 'OTP', text: 'Verify' },
			),
			[
				['button:2:url', 'Button “Shop”'],
				['button:3:copy_code', 'Button “Copy”'],
				['button:5:url', 'Button “Verify”'],
			],
		],
		['a footer, which has none', { type: 'FOOTER', text: '{{1}}' }, []],
		['a part of an unexpected shape', { type: 'BODY' }, []],
	])('are found in %s', (_what, component, expected) => {
		expect(variablesOf([component, null, 7])).toStrictEqual(
			expected.map(([id, label]) => expect.objectContaining({ id, label, required: true })),
		);
	});

	test('are required, except the payload of a quick reply', () => {
		const found = variablesOf([
			buttons({ type: 'QUICK_REPLY', text: 'Yes' }, { type: 'QUICK_REPLY' }),
		]);
		expect(found.map(({ id, label, required }) => [id, label, required])).toStrictEqual([
			['button:0:quick_reply', 'Button “Yes”', false],
			['button:1:quick_reply', 'Button 2', false],
		]);
	});

	test('are looked for in any JSON without throwing', () => {
		expect(variablesOf('text')).toStrictEqual([]);
		fc.assert(fc.property(fc.jsonValue(), (components) => void variablesOf(components)));
	});
});

describe('variables become components in the messaging platform’s usual form', () => {
	test.each<[id: string, value: string, component: object]>([
		[
			'header:image',
			'https://cdn.example.com/a.png',
			{
				type: 'header',
				parameters: [{ type: 'image', image: { link: 'https://cdn.example.com/a.png' } }],
			},
		],
		[
			'header:document',
			'12345',
			{ type: 'header', parameters: [{ type: 'document', document: { id: '12345' } }] },
		],
		['header:text:10', '#7', { type: 'header', parameters: [{ type: 'text', text: '#7' }] }],
		[
			'header:text:line1',
			'#7',
			{ type: 'header', parameters: [{ type: 'text', parameter_name: 'line1', text: '#7' }] },
		],
		[
			'body:name',
			'Ann',
			{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Ann' }] },
		],
		[
			'button:0:url',
			'spring',
			{
				type: 'button',
				sub_type: 'url',
				index: '0',
				parameters: [{ type: 'text', text: 'spring' }],
			},
		],
		[
			'button:1:quick_reply',
			'yes',
			{
				type: 'button',
				sub_type: 'quick_reply',
				index: '1',
				parameters: [{ type: 'payload', payload: 'yes' }],
			},
		],
		[
			'button:2:copy_code',
			'SAVE20',
			{
				type: 'button',
				sub_type: 'copy_code',
				index: '2',
				parameters: [{ type: 'coupon_code', coupon_code: 'SAVE20' }],
			},
		],
	])('%s with the value %j', (id, value, component) => {
		expect(componentsFrom({ [id]: value })).toStrictEqual([component]);
	});

	test('in their order, whatever the order of the values, and without empty ones', () => {
		const components = componentsFrom({
			'button:1:quick_reply': 'no',
			'button:0:quick_reply': 'yes',
			'button:2:quick_reply': '',
			'body:2': '20%',
			'body:1': 'Ann',
			'header:text:2': 'b',
			'header:text:1': 'a',
		});
		expect(components.map(({ type, index }) => [type, index])).toStrictEqual([
			['header', undefined],
			['body', undefined],
			['button', '0'],
			['button', '1'],
		]);
		expect(components.slice(0, 2).map(({ parameters }) => parameters)).toStrictEqual(
			[
				['a', 'b'],
				['Ann', '20%'],
			].map((texts) => texts.map((text) => ({ type: 'text', text }))),
		);
	});
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
				expect(
					(body!.parameters as { text: string }[]).map((parameter) => parameter.text),
				).toStrictEqual(texts);
			},
		),
	);
});

describe('the label of a variable’s field', () => {
	test.each<[what: string, component: unknown, labels: string[]]>([
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
			header('Order {{1}}', { header_text: ['#7'] }),
			['Header 1 · Order …, e.g. #7'],
		],
		[
			'shows the URL of a button, and the end of the example',
			buttons(
				{ ...SHOP, example: ['https://shop.example.com/spring'] },
				{ type: 'COPY_CODE', text: 'Copy', example: 'SAVE20' },
			),
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
	])('%s', (_what, component, expected) => {
		expect(variablesOf([component]).map(fieldLabel)).toStrictEqual(expected);
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
			expect(Object.fromEntries(valuesIn(componentsFrom(values)))).toStrictEqual(values);
		}),
	);
	fc.assert(fc.property(fc.array(fc.jsonValue()), (components) => void valuesIn(components)));
	const named = { 'body:name': 'Ann', 'body:order': '7' };
	expect(Object.fromEntries(valuesIn(componentsFrom(named)))).toStrictEqual(named);
	const price = { type: 'currency', currency: { fallback_value: '$5' } };
	expect([...valuesIn([{ type: 'body', parameters: [price] }])]).toStrictEqual([['body:1', '$5']]);
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
	expect([...valuesIn([null, { type: 'body' }, { type: 'body', parameters }])]).toStrictEqual([
		['body:2', 'Ann'],
	]);
});
