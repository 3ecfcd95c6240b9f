import fc from 'fast-check';
import { componentsFrom, valuesIn } from '../../nodes/ConversationalMessaging/template/values.ts';
import {
	MAX_VARIABLES,
	showsVariables,
	variablesOf,
} from '../../nodes/ConversationalMessaging/template/variables.ts';
import { computedMs } from '../support/computedMs.mts';

const body = (text: string, example?: object) => ({ type: 'BODY', text, example });
const header = (text: string, example?: object) => ({ type: 'HEADER', text, example });
const buttons = (...all: unknown[]) => ({ type: 'BUTTONS', buttons: all });

/** Every template has one. */
const BODY = body('Hi');

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
		[
			'a header text, by name',
			{ ...header('Order {{ order_id }} of {{shop}}'), format: 'TEXT' },
			[
				['header:text:order_id', 'Header order_id'],
				['header:text:shop', 'Header shop'],
			],
		],
		[
			'a header image',
			{ type: 'HEADER', format: 'IMAGE' },
			[['header:image', 'Header image URL or ID']],
		],
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
				['button:2:url', 'Button “Shop”, end of URL'],
				['button:3:copy_code', 'Button “Copy”, code'],
				['button:5:url', 'Button “Verify”, code'],
			],
		],
		['a footer, which has none', { type: 'FOOTER', text: '{{1}}' }, []],
		['a part of an unexpected shape', { type: 'BODY' }, []],
	])('are found in %s', (_what, component, expected) => {
		expect(variablesOf([component, null, 7, BODY])).toStrictEqual(
			expected.map(([id, label]) => expect.objectContaining({ id, label, required: true })),
		);
	});

	test.each<[text: string, titles: string[]]>([
		[
			'Hello {{1}}, your ticket {{2}} is solved.',
			['1: Hello …, your ticket', '2: ticket … is solved.'],
		],
		['{{1}}', ['1']],
		['Hi {{name}}', ['name']],
		['{{1}} {{2}}', ['1: … [2]', '2: [1] …']],
		['{{1}}{{2}}', ['1: …[2]', '2: [1]…']],
		['One\r\ntwo  \t{{1}}\nthree', ['1: two …']],
		['Your reference number is {{1}}', ['1: reference number is …']],
		['{{1}}, you can now collect your order', ['1: …, you can now collect']],
		['Sendungsverfolgungsnummernauskunft {{1}}', ['1: gungsnummernauskunft …']],
		['\ud83c\udf89'.repeat(20) + '{{12}} a', ['12: ' + '\ud83c\udf89'.repeat(18) + '… a']],
		['Hi {{1}}. Bye {{1}}.', ['1: Hi …. Bye [1].']],
	])(
		'of a body, %j, are titled with the words around them, as far as there is room',
		(text, titles) => {
			const found = variablesOf([body(text)]).map(({ title }) => title);
			expect(found).toStrictEqual(titles);
			for (const title of found) expect(Array.from(title).length).toBeLessThanOrEqual(25);
		},
	);

	test('are titled in linear time, whatever the length of the text', () => {
		const text = Array.from({ length: MAX_VARIABLES }, (_, n) => `${' a'.repeat(10_000)} {{${n}}}`);
		const start = computedMs();
		expect(variablesOf([body(text.join(''))])).toHaveLength(MAX_VARIABLES);
		expect(computedMs() - start).toBeLessThan(1_000);
	});

	test('are required, except the payload of a quick reply', () => {
		const found = variablesOf([
			BODY,
			buttons({ type: 'QUICK_REPLY', text: 'Yes' }, { type: 'QUICK_REPLY' }),
		]);
		expect(found.map(({ id, label, required }) => [id, label, required])).toStrictEqual([
			['button:0:quick_reply', 'Button “Yes”, payload', false],
			['button:1:quick_reply', 'Button 2, payload', false],
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

	test('are found up to 500, more than a text of the greatest length has room for', () => {
		const numbers = Array.from({ length: 50_000 }, (_, index) => index);
		const found = (component: object) => variablesOf([component, BODY, component]).length;
		expect(found(body(numbers.map((number) => `{{${number}}}`).join('')))).toBe(MAX_VARIABLES);
		expect(found(buttons(...numbers.map(() => SHOP)))).toBe(MAX_VARIABLES);
	});

	test('are none without a body, which every template has', () => {
		expect(variablesOf([header('{{1}}'), { type: 'SECTION' }])).toStrictEqual([]);
	});

	test('are looked for in any JSON without throwing', () => {
		expect(variablesOf('text')).toStrictEqual([]);
		fc.assert(fc.property(fc.jsonValue(), (components) => void variablesOf(components)));
	});
});

describe('variables become components in the messaging platform’s usual form', () => {
	const text = (value: string, parameter_name?: string) => ({
		...{ type: 'text', text: value },
		...(parameter_name !== undefined && { parameter_name }),
	});
	const button = (index: string, sub_type: string, parameter: object) => ({
		...{ type: 'button', sub_type, index },
		parameters: [parameter],
	});

	test.each<[values: Record<string, string>, components: object[]]>([
		[
			{
				'header:text:line1': '#7',
				'body:name': 'Ann',
				'button:0:url': 'spring',
				'button:1:quick_reply': 'yes',
				'button:2:copy_code': 'SAVE20',
			},
			[
				{ type: 'header', parameters: [text('#7', 'line1')] },
				{ type: 'body', parameters: [text('Ann', 'name')] },
				button('0', 'url', text('spring')),
				button('1', 'quick_reply', { type: 'payload', payload: 'yes' }),
				button('2', 'copy_code', { type: 'coupon_code', coupon_code: 'SAVE20' }),
			],
		],
		[{ 'header:text:10': '#7' }, [{ type: 'header', parameters: [text('#7')] }]],
		[
			{ 'header:image': 'https://a.example.com' },
			[
				{
					type: 'header',
					parameters: [{ type: 'image', image: { link: 'https://a.example.com' } }],
				},
			],
		],
		[
			{ 'header:document': '12345' },
			[{ type: 'header', parameters: [{ type: 'document', document: { id: '12345' } }] }],
		],
	])('%j', (values, components) => {
		expect(componentsFrom(values)).toStrictEqual(components);
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
			].map((texts) => texts.map((value) => text(value))),
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

test.each<[what: string, component: unknown, examples: (string | undefined)[]]>([
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
			body_text: {},
		}),
		['Ann', undefined],
	],
])(
	'variables have the examples that the template was submitted with: %s',
	(_what, component, expected) => {
		expect(variablesOf([component, BODY]).map(({ example }) => example)).toStrictEqual(expected);
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
	[[null, 'x'], false],
	[{ type: 'BODY', text: 'Hi' }, false],
])('whether components %j show the variables of their template: %s', (components, shows) => {
	expect(showsVariables(components)).toBe(shows);
});

test('values are read from whatever was entered, and empty ones are none', () => {
	const parameters = [null, { type: 'text', text: '' }, { type: 'text', text: 'Ann' }];
	expect([...valuesIn([null, { type: 'body' }, { type: 'body', parameters }])]).toStrictEqual([
		['body:2', 'Ann'],
	]);
});
