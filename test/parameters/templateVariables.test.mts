import fc from 'fast-check';
import {
	componentsFrom,
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
		['header image', [{ type: 'HEADER', format: 'IMAGE' }], ['header:image']],
		['header video', [{ type: 'HEADER', format: 'VIDEO' }], ['header:video']],
		['header document', [{ type: 'HEADER', format: 'DOCUMENT' }], ['header:document']],
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
			'URL without a variable',
			[{ type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Shop', url: 'https://example.com' }] }],
			[],
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
		['footer', [{ type: 'FOOTER', text: 'Reply STOP {{1}}' }], []],
		['no known part', 'text', []],
		[
			'parts of unexpected shapes',
			[null, 7, { type: 'BODY' }, { type: 'BUTTONS', buttons: [null] }],
			[],
		],
	])('the variables are found: %s', (_name, components, expected) => {
		expect(ids(components)).toEqual(expected);
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
	]);
	expect(componentsFrom({ 'header:document': '12345', 'body:name': 'Ann' })).toEqual([
		{ type: 'header', parameters: [{ type: 'document', document: { id: '12345' } }] },
		{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Ann' }] },
	]);
	expect(componentsFrom({ 'button:1:quick_reply': '' })).toEqual([]);
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
