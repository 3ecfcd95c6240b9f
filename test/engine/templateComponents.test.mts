/** Templates that are defined by fields: what the service gets, and what is rejected before. */
import type { INodeParameters } from 'n8n-workflow';
import { SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ contacts: 1 });

const EMPTY = '={{ null }}';

let names = 0;
const create = (more: INodeParameters) => ({
	resource: 'template',
	operation: 'create',
	name: `t_${++names}`,
	...more,
});
const examples = (...values: string[]) => ({
	example: values.map((value, index) => ({ variable: String(index + 1), value })),
});
const buttons = (...button: INodeParameters[]) => ({ buttons: { button } });
const URL_BUTTON = { type: 'URL', text: 'Shop', url: 'https://shop.example.com/{{1}}' };

const quickReplies = (...texts: string[]) => texts.map((text) => ({ type: 'QUICK_REPLY', text }));
const HANDLE = '4::YXBw:ARZVv4zu:e:1681237341';
const SUPPORT = { type: 'URL', text: 'Support', url: 'https://www.example.com/support' };

test.each<[what: string, fields: INodeParameters, components: object[]]>([
	['a body alone', { body: 'Hello!' }, [{ type: 'BODY', text: 'Hello!' }]],
	[
		'a text header, a footer and quick replies',
		{
			...{ header: 'TEXT', headerText: 'Our {{1}} has begun', headerExample: 'summer sale' },
			body: 'Until {{1}}, the code {{2}} takes {{ 3 }} off everything.\n{{1}}!',
			bodyExamples: examples('August 31', 'SUN25', '25%'),
			footer: 'Choose what you want to get',
			...buttons(...quickReplies('No more offers', 'No more messages')),
		},
		[
			{
				...{ type: 'HEADER', format: 'TEXT', text: 'Our {{1}} has begun' },
				example: { header_text: ['summer sale'] },
			},
			{
				type: 'BODY',
				text: 'Until {{1}}, the code {{2}} takes {{3}} off everything.\n{{1}}!',
				example: { body_text: [['August 31', 'SUN25', '25%']] },
			},
			{ type: 'FOOTER', text: 'Choose what you want to get' },
			{ type: 'BUTTONS', buttons: quickReplies('No more offers', 'No more messages') },
		],
	],
	...['DOCUMENT', 'IMAGE', 'VIDEO'].map((header): [string, INodeParameters, object[]] => [
		`a header of the format ${header}, a phone number and a URL`,
		{
			...{ header, headerHandle: HANDLE, body: 'Thank you, {{1}}! Your order is {{2}}.' },
			// In any order, and as they are written in the text.
			bodyExamples: {
				example: [
					{ variable: '{{2}}', value: 'A-230332' },
					{ variable: '1', value: 'Ada' },
				],
			},
			...buttons({ type: 'PHONE_NUMBER', text: 'Call', phoneNumber: '+1 202-555-0143' }, SUPPORT),
		},
		[
			{ type: 'HEADER', format: header, example: { header_handle: [HANDLE] } },
			{
				...{ type: 'BODY', text: 'Thank you, {{1}}! Your order is {{2}}.' },
				example: { body_text: [['Ada', 'A-230332']] },
			},
			{
				type: 'BUTTONS',
				buttons: [{ type: 'PHONE_NUMBER', text: 'Call', phone_number: '12025550143' }, SUPPORT],
			},
		],
	]),
	...['spring', 'https://shop.example.com/spring'].map(
		(urlExample): [string, INodeParameters, object[]] => [
			`a URL with a variable, whose example is ${urlExample}, and a code`,
			{
				...{ header: 'TEXT', headerText: 'Sale', body: 'Hi' },
				...buttons({ ...URL_BUTTON, urlExample }, { type: 'COPY_CODE', codeExample: 'SAVE20' }),
			},
			[
				{ type: 'HEADER', format: 'TEXT', text: 'Sale' },
				{ type: 'BODY', text: 'Hi' },
				{
					type: 'BUTTONS',
					buttons: [
						{ ...URL_BUTTON, example: ['https://shop.example.com/spring'] },
						{ type: 'COPY_CODE', example: 'SAVE20' },
					],
				},
			],
		],
	),
])('the components are as in the messaging platform’s own examples: %s', async (...of) => {
	const [, fields, components] = of;
	await service.ok(create(fields));
	expect(service.bodies('POST /templates')[0]!.components).toStrictEqual(components);
});

test.each<[fields: INodeParameters, message: string]>([
	[{ body: '=Hi {{ $json.name }}' }, 'Body has {{ or }} without a variable'],
	[{ body: ' ' }, 'Body is empty'],
	[{ header: 'TEXT', headerText: ' ', body: 'Hi' }, 'Header Text is empty'],
	[{ header: 'TEXT', headerText: '{{1}} {{2}}', body: 'Hi' }, 'Header Text has 2 variables'],
	[{ header: 'TEXT', headerText: '{{1}}', body: 'Hi' }, 'Header Example has no example of {{1}}'],
	[
		{ header: 'TEXT', headerText: 'Hi', headerExample: 'x', body: 'Hi' },
		'Header Example has an example of {{1}}, which Header Text does not contain',
	],
	[{ header: 'IMAGE', headerHandle: EMPTY, body: 'Hi' }, 'Header Media Handle is empty'],
	[{ body: '{{1}} {{3}}' }, 'Body has 2 variables, but not {{2}}'],
	[{ body: '{{0}}' }, 'Body has 1 variable, but not {{1}}'],
	[{ body: '{{name}}' }, 'Body has 1 variable, but not {{1}}'],
	[{ body: 'Hi {{1}' }, 'Body has {{ or }} without a variable'],
	[{ body: 'Hi {{}}' }, 'Body has {{ or }} without a variable'],
	[{ body: '{{1}} {{2}}', bodyExamples: examples('a') }, 'Body Examples has no example of {{2}}'],
	[
		{ body: '{{1}}', bodyExamples: examples('a', 'b') },
		'Body Examples has an example of {{2}}, which Body does not contain',
	],
	[
		{
			body: '{{1}}',
			bodyExamples: {
				example: examples('a', 'b').example.map((one) => ({ ...one, variable: '1' })),
			},
		},
		'Body Examples has two examples of {{1}}',
	],
	[{ body: 'Hi', footer: '{{1}}' }, 'Footer has 1 variable'],
	[{ body: 'Hi', ...buttons({ type: 'QUICK_REPLY' }) }, 'Text is empty'],
	[{ body: 'Hi', ...buttons(URL_BUTTON) }, 'URL Example has no example of {{1}}'],
	[
		{
			body: 'Hi',
			...buttons({ ...URL_BUTTON, url: 'https://{{1}}.example.com', urlExample: 'x' }),
		},
		'URL has its variable in the middle',
	],
	[
		{ body: 'Hi', ...buttons({ ...URL_BUTTON, url: 'https://example.com', urlExample: 'x' }) },
		'URL Example has an example of {{1}}, which URL does not contain',
	],
	[
		{ body: 'Hi', ...buttons({ ...URL_BUTTON, urlExample: 'https://other.example.com/spring' }) },
		'URL Example begins otherwise than URL',
	],
	[
		{ body: 'Hi', ...buttons({ type: 'PHONE_NUMBER', text: 'Call', phoneNumber: '0151' }) },
		'Phone Number expects a phone number with country code, but got "0151": +0151 has an unknown country code',
	],
	[{ body: 'Hi', ...buttons({ type: 'COPY_CODE' }) }, 'Code Example is empty'],
	[{ defineUsing: 'json' }, 'Components is empty'],
	[{ defineUsing: 'json', components: '{}' }, 'Components expects a JSON list, but got "{}"'],
])('the template %j is rejected before anything is sent: %s', async (fields, message) => {
	expect((await service.rejected(create(fields))).message).toBe(message);
});
