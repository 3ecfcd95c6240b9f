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
		[
			'header text, by name',
			[{ type: 'HEADER', format: 'TEXT', text: 'Order {{ order_id }} of {{shop}}' }],
			['header:text:order_id', 'header:text:shop'],
		],
		['header text without a format', [{ type: 'header', text: '{{1}}' }], ['header:text:1']],
		['header text without a variable', [{ type: 'HEADER', format: 'TEXT', text: 'Hi' }], []],
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

test.each<[string, string, string, object]>([
	['text by number', 'header:text:1', '#7', { type: 'text', text: '#7' }],
	[
		'text by name',
		'header:text:order_id',
		'#7',
		{ type: 'text', parameter_name: 'order_id', text: '#7' },
	],
	['text by a number of two digits', 'header:text:10', '#7', { type: 'text', text: '#7' }],
	[
		'text by a name that begins with a digit',
		'header:text:1st',
		'#7',
		{ type: 'text', parameter_name: '1st', text: '#7' },
	],
	[
		'text by a name that ends in a digit',
		'header:text:line1',
		'#7',
		{ type: 'text', parameter_name: 'line1', text: '#7' },
	],
	['an image by ID', 'header:image', '123', { type: 'image', image: { id: '123' } }],
	[
		'a video by link',
		'header:video',
		'http://cdn.example.com/a.mp4',
		{ type: 'video', video: { link: 'http://cdn.example.com/a.mp4' } },
	],
	[
		'a document by link, in any case',
		'header:document',
		'HTTPS://cdn.example.com/a.pdf',
		{ type: 'document', document: { link: 'HTTPS://cdn.example.com/a.pdf' } },
	],
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
	expect(componentsFrom({ 'header:text:z': 'first', 'header:text:a': 'second' })).toEqual([
		{
			type: 'header',
			parameters: [
				{ type: 'text', parameter_name: 'z', text: 'first' },
				{ type: 'text', parameter_name: 'a', text: 'second' },
			],
		},
	]);
});

test('each quick reply is a component of its own, with its payload, in the order of the buttons', () => {
	const values = { 'button:1:quick_reply': 'no', 'button:0:quick_reply': 'yes' };
	expect(componentsFrom(values)).toEqual([
		{
			type: 'button',
			sub_type: 'quick_reply',
			index: '0',
			parameters: [{ type: 'payload', payload: 'yes' }],
		},
		{
			type: 'button',
			sub_type: 'quick_reply',
			index: '1',
			parameters: [{ type: 'payload', payload: 'no' }],
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
		['Header video (URL or media ID)', true],
		['Header {{shop}}', true],
		['Body {{1}}', true],
		['Button “Yes”, payload', false],
		['Button 2, payload', false],
		['Button “Shop”, end of the URL', true],
		['Button “Copy”, code', true],
		['Button “Verify”, code', true],
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
