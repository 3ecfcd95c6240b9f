import { useService } from '../support/sandboxClient.mts';

/** The variables of templates: the columns of a CSV file for them, and what a message and a broadcast must have. */

const service = useService();

const agentId = () => service.world.users.find(() => true)!.id;
const text = (value: string, name?: string) => ({
	type: 'text',
	...(name && { parameter_name: name }),
	text: value,
});
const part = (type: string, ...parameters: object[]) => ({ type, parameters });
const button = (index: number, sub_type: string, ...parameters: object[]) => ({
	type: 'button',
	sub_type,
	index: String(index),
	parameters,
});

const NUMBER = '12015559876';
const body = { type: 'BODY', text: 'Hello' };
const media = (kind: string, value: unknown) => ({ type: kind, [kind]: value });
const coupon = button(0, 'copy_code', { type: 'coupon_code', coupon_code: 'X' });

/** Templates, the columns of their CSV, and the variables that fit and that do not. */
test.each<{
	name: string;
	components: object[];
	csv: string;
	fits: unknown[][];
	rejected: unknown[][];
}>([
	{
		name: 'no_variables',
		components: [
			{ type: 'BODY', text: 'Hello {x}, {{}} and {{a b}}' },
			{ type: 'FOOTER', text: 'Bye {{1}}' },
		],
		csv: 'phone',
		fits: [[]],
		rejected: [
			[part('body', text('x'))],
			[part('header', text('x'))],
			[part('footer', text('x'))],
			['body'],
			[null],
		],
	},
	{
		name: 'numbered',
		components: [{ type: 'BODY', text: 'Hello {{1}} and {{ 12 }}, {{1}}' }],
		csv: 'phone,1,12',
		fits: [[part('body', text('A'), text('B'))], [part('BODY', text('A'), text('B'))]],
		rejected: [
			[],
			[part('body', text('A'))],
			[part('body', text('A'), text('B'), text('C'))],
			[part('body', text('A'), text(' '))],
			[part('body', text('A'), { type: 'payload', text: 'B' })],
			[{ type: 'body', parameters: 'AB' }],
			[{ type: 'body', parameters: ['A', 'B'] }],
			[{ type: 'body', parameters: [null, null] }],
			[part('body', text('A'), text('B')), part('body', text('A'), text('B'))],
			[part('body', text('A'), text('B')), part('header', media('image', { id: 'm1' }))],
		],
	},
	{
		name: 'named',
		components: [{ type: 'BODY', text: 'Hello {{first_name}}, {{line2}}' }],
		csv: 'phone,first_name,line2',
		fits: [[part('body', text('B', 'line2'), text('A', 'first_name'))]],
		rejected: [
			[part('body', text('A'), text('B'))],
			[part('body', text('A', 'first_name'), text('B', 'first_name'))],
		],
	},
	{
		name: 'header_text',
		components: [{ type: 'HEADER', text: 'Order {{1}}' }, body],
		csv: 'phone,header_1',
		fits: [[part('header', text('7'))]],
		rejected: [
			[],
			[part('header', media('image', { id: 'm1' }))],
			[part('header', text('7'), text('8'))],
		],
	},
	...['image', 'video', 'document'].map((kind) => ({
		name: `header_${kind}`,
		components: [{ type: 'header', format: kind }, body],
		csv: `phone,header_${kind}`,
		fits: [
			[part('header', media(kind, { id: 'm1' }))],
			[part('header', media(kind, { link: 'https://example.com/a' }))],
		],
		rejected: [
			[],
			[part('header', text('https://example.com/a'))],
			[part('header', media(kind, { link: ' ' }))],
			[part('header', media(kind, 'm1'))],
			[part('header', media('audio', { id: 'm1' }))],
			[part('header', { ...media(kind, { id: 'm1' }), type: 'audio' })],
			[part('header', media(kind, { id: 'm1' }), media(kind, { id: 'm2' }))],
		],
	})),
	{
		name: 'buttons',
		components: [
			body,
			{
				type: 'BUTTONS',
				buttons: [
					{ type: 'URL', url: 'https://example.com/fixed' },
					{ type: 'url', url: 'https://example.com/{{1}}' },
					{ type: 'QUICK_REPLY', text: 'Yes' },
					{ type: 'PHONE_NUMBER', phone_number: '12015550100' },
				],
			},
		],
		csv: 'phone,button_2',
		fits: [
			[button(1, 'url', text('a'))],
			[{ ...button(1, 'url', text('a')), index: 1 }],
			[button(2, 'quick_reply', { type: 'payload', payload: 'yes' }), button(1, 'url', text('a'))],
		],
		rejected: [
			[],
			[button(0, 'url', text('a'))],
			[button(1, 'quick_reply', text('a'))],
			[button(1, 'url', text(' '))],
			[button(1, 'url', text('a'), text('b'))],
			[button(1, 'url', { type: 'payload', text: 'a' })],
			[button(1, 'url', text('a')), button(2, 'quick_reply', text('yes'))],
			[button(1, 'url', text('a')), button(3, 'url', text('a'))],
			[button(1, 'url', text('a')), button(4, 'url', text('a'))],
		],
	},
	{
		name: 'codes',
		components: [body, { type: 'BUTTONS', buttons: [{ type: 'copy_code' }, { type: 'OTP' }] }],
		csv: 'phone,button_1,button_2',
		fits: [[coupon, button(1, 'url', text('123'))]],
		rejected: [
			[coupon],
			[button(1, 'url', text('123'))],
			[button(0, 'copy_code', text('X')), button(1, 'url', text('123'))],
			[{ ...coupon, index: '' }, button(1, 'url', text('123'))],
		],
	},
])(
	'a message and a broadcast have the variables of their template, and no others: $name',
	async ({ name, components, csv, fits, rejected }) => {
		const sample = service.world.templates.find(({ language }) => language === 'en_US')!;
		const status = 'APPROVED';
		service.world.templates.add({ ...sample, id: name, name, channelId: null, components, status });
		const template = { templateName: name, templateLanguage: 'en_US' };
		const columns = await service.get('/broadcasts/csv-template', template);
		expect(columns.data).toBe(`${csv}\r\n`);
		const statuses = async (templateComponents: unknown[]) => {
			const sent = { ...template, templateComponents };
			const message = { ...sent, to: NUMBER, type: 'template', agentId: agentId() };
			const broadcast = { ...sent, name: 'B', recipients: [NUMBER] };
			return [
				(await service.post('/messages', message)).status,
				(await service.post('/broadcasts', broadcast)).status,
			];
		};
		for (const given of fits)
			expect([given, await statuses(given)]).toStrictEqual([given, [200, 200]]);
		for (const given of rejected)
			expect([given, await statuses(given)]).toStrictEqual([given, [400, 400]]);
	},
);
