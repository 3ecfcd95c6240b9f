import fc from 'fast-check';
import {
	componentsFrom,
	fieldLabel,
	MAX_VARIABLES,
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

	test('are found in linear time: each example is read a few times, however many there are', () => {
		let reads = 0;
		const counted = <T extends object>(list: T): T =>
			new Proxy(list, {
				get(target, key, receiver) {
					if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
					return Reflect.get(target, key, receiver) as unknown;
				},
			});
		const numbers = Array.from({ length: MAX_VARIABLES }, (_, index) => String(index + 1));
		const named = numbers.map((number) => ({ param_name: `n${number}`, example: number }));
		const text = numbers.map((number) => `{{${number}}}{{n${number}}}`).join(' ');
		const found = variablesOf([
			body(text, { body_text: [counted(numbers)], body_text_named_params: counted(named) }),
		]);
		expect(reads).toBeLessThan(10 * MAX_VARIABLES);
		expect(found.slice(0, 4).map(({ example }) => example)).toStrictEqual(['1', '1', '2', '2']);
	});

	test('are found up to one more than a template may have', () => {
		const numbers = Array.from({ length: 50_000 }, (_, index) => index);
		const found = (component: object) => variablesOf([component, component]).length;
		expect(found(body(numbers.map((number) => `{{${number}}}`).join('')))).toBe(MAX_VARIABLES + 1);
		expect(found(buttons(...numbers.map(() => SHOP)))).toBe(MAX_VARIABLES + 1);
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
			'has its number, then the whole words around it that fit into 26 characters',
			body('Hello {{1}}, everything is {{ 2 }} off until {{3}}.'),
			['1 · Hello [1], everything', '2 · is [2] off until [3].', '3 · is [2] off until [3].'],
		],
		['shows no words if there are none', body('{{1}}'), ['1']],
		[
			'skips no word that does not fit',
			body('Dear internationalization {{1}} a b, {{2}} Donaudampfschifffahrt today'),
			['1 · [1] a b, [2]', '2 · [1] a b, [2]'],
		],
		[
			'shows no part of a word',
			body(`${'🙂'.repeat(30)}{{1}} ${'x'.repeat(40)} {{2}}${'y'.repeat(40)}`),
			['1', '2'],
		],
		[
			'is its name if there is no room',
			body('Hi {{customer_first_name}}!'),
			['customer_first_name'],
		],
		['shows the words of a header', header('Order {{1}}'), ['Header 1 · Order [1]']],
		[
			'says what to enter for a button, if there is room',
			buttons(SHOP, { type: 'COPY_CODE', text: 'Copy the code now' }),
			['Button “Shop” · end of URL', 'Button “Copy the code now”'],
		],
		['joins the lines of a text', body('Hi\n\n{{ name }}'), ['name · Hi [name]']],
	])('%s', (_what, component, expected) => {
		expect(variablesOf([component]).map(fieldLabel)).toStrictEqual(expected);
	});

	test('has at most 26 characters, and whole words of the text next to each other', () => {
		const word = fc.oneof(fc.constantFrom('{{1}}', '{{2}}'), fc.stringMatching(/^[a-z,.]{1,12}$/));
		fc.assert(
			fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
				const text = words.join(' ');
				const line = ` ${text.replace(/\{\{(\d)\}\}/g, '[$1]')} `;
				for (const variable of variablesOf([body(text)])) {
					expect(fieldLabel(variable).length).toBeLessThanOrEqual(26);
					expect(line).toContain(` ${variable.excerpt ?? `[${variable.label}]`} `);
				}
			}),
		);
	});

	test('messages use only its name', () => {
		expect(nameInLabel('2 · is [2] off until')).toBe('2');
		expect(nameInLabel('Header image · URL or ID')).toBe('Header image');
	});
});

test.each<[what: string, component: unknown, examples: (string | undefined)[]]>([
	[
		'by position',
		body('Hi {{1}} {{2}}', { body_text: [['Ann', 'a'.repeat(31)]] }),
		['Ann', `${'a'.repeat(30)}…`],
	],
	['of a header', header('Order {{1}}', { header_text: ['#7'] }), ['#7']],
	[
		'of the end of a URL, and of a code',
		buttons(
			{ ...SHOP, example: ['https://shop.example.com/spring'] },
			{ type: 'COPY_CODE', text: 'Copy', example: 'SAVE20' },
		),
		['spring', 'SAVE20'],
	],
	[
		'by name, but not of other shapes',
		body('Hi {{name}} {{1}}', {
			body_text_named_params: [null, 'x', { param_name: 'name', example: 'Ann' }],
			body_text: 'y',
		}),
		['Ann', undefined],
	],
])(
	'variables have the examples that the template was submitted with: %s',
	(_what, component, expected) => {
		expect(variablesOf([component]).map(({ example }) => example)).toStrictEqual(expected);
	},
);

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
