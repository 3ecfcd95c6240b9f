import { useService } from '../support/sandboxClient.mts';

/** Templates of the messaging platform: their components, their variables, and the channels that have them. */

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
const create = async (name: string, fields: object = {}) =>
	await service.post('/templates', { name, category: 'UTILITY', components: [body], ...fields });

describe('a new template', () => {
	const reply = { type: 'QUICK_REPLY', text: 'Yes' };
	const footer = { type: 'FOOTER', text: 'Bye' };
	let names = 0;

	test('has what was given, and is in review until the sync', async () => {
		const components = [body];
		const fields = { category: 'MARKETING', language: 'de', components, allowCategoryChange: true };
		const { data } = await create('given', fields);
		expect(data).toStrictEqual({
			// One of the messaging platform, and not a cuid.
			id: expect.stringMatching(/^\d{16}$/),
			hsm_id: data.id,
			name: 'given',
			...fields,
			channelId: null,
			status: 'PENDING',
			createdAt: new Date(service.clock.now()).toISOString(),
		});
		expect((await service.get('/templates')).data).toContainEqual(data);
		const standard = { language: 'en_US', allowCategoryChange: false };
		expect((await create('standard')).data).toMatchObject(standard);
	});

	test('is one of a name and language', async () => {
		expect((await create('unique')).status).toBe(200);
		const same = { name: 'unique', category: 'UTILITY', components: [body], language: 'en_US' };
		expect((await service.rejected('post', '/templates', same))[0]).toBe(400);
		expect((await create('unique', { language: 'de' })).data.language).toBe('de');
	});

	test('is sent after its owner approved it, which the sync shows', async () => {
		const ids = [(await create('fine')).data.id, (await create('rejected')).data.id];
		const message = { to: NUMBER, type: 'template', templateLanguage: 'en_US', agentId: agentId() };
		const send = async (templateName: string) =>
			(await service.post('/messages', { ...message, templateName })).status;
		const statuses = async () => {
			const rows = (await service.get('/templates')).data as { id: string; status: string }[];
			return ids.map((id) => rows.find((row) => row.id === id)!.status);
		};
		expect(await statuses()).toStrictEqual(['PENDING', 'PENDING']);
		expect([await send('fine'), await send('rejected')]).toStrictEqual([400, 400]);
		await service.post('/templates/sync', {});
		expect(await statuses()).toStrictEqual(['APPROVED', 'REJECTED']);
		expect([await send('fine'), await send('rejected')]).toStrictEqual([200, 400]);
	});

	const buttons = (list: unknown) => ({ type: 'BUTTONS', buttons: list });
	const title = { type: 'HEADER', format: 'TEXT', text: 'Title' };
	test.each<[string, unknown[]]>([
		['all four', [title, body, footer, buttons([reply])]],
		['a header with a text, by default', [{ type: 'HEADER', text: 'Title' }, body]],
		[
			'in lower case',
			[
				{ type: 'header', format: 'image' },
				{ ...body, type: 'body' },
			],
		],
		['a header with a video', [{ type: 'HEADER', format: 'VIDEO' }, body]],
		['a header with a document', [{ type: 'HEADER', format: 'DOCUMENT' }, body]],
	])('has components: %s', async (_name, components) => {
		expect((await create(`c_${names++}`, { components })).status).toBe(200);
	});

	test.each<[string, unknown[]]>([
		['no body', [footer]],
		['two bodies', [body, body]],
		['a body without text', [{ type: 'BODY', text: ' ' }]],
		['a body with a file', [{ type: 'BODY', format: 'IMAGE' }]],
		['a header without text', [{ type: 'HEADER' }, body]],
		['a header with a sound', [{ ...title, format: 'AUDIO' }, body]],
		['a header with a format that is no text', [{ ...title, format: 7 }, body]],
		['an unknown component', [body, { type: 'CAROUSEL', text: 'x' }]],
		['a component without type', [body, { text: 'x' }]],
		['null', [body, null]],
		['a list of components in the list', [body, [footer]]],
		['buttons in an object', [body, buttons({ first: reply })]],
		['an empty list of buttons', [body, buttons([])]],
		['a button without type', [body, buttons([reply, { text: 'No' }])]],
		['a button that is null', [body, buttons([reply, null])]],
	])('is rejected: %s', async (_name, components) => {
		const sent = { name: 'bad', category: 'UTILITY', components };
		expect((await service.rejected('post', '/templates', sent))[0]).toBe(400);
	});
});

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

describe('templates of a channel', () => {
	const channel = (name: string) => service.world.channels.find((row) => row.name === name)!.id;
	const channels = () => ({ care: channel('Customer Care'), marketing: channel('Marketing') });
	const listed = async (channelId?: string) =>
		(await service.get('/templates', { channelId })).data.map(({ id }: { id: string }) => id);
	const statusOf = (id: string) => service.world.templates.get(id)!.status;
	const remove = async (id: string, params: object) =>
		(await service.delete(`/templates/${id}`, params)).status;

	test('they are listed, synced, sent and deleted on their channel only', async () => {
		const { care, marketing } = channels();
		const { id } = (await create('of_channel', { channelId: marketing })).data;
		// The same name on another channel is another template.
		expect((await create('of_channel', { channelId: marketing })).status).toBe(400);
		const { id: other } = (await create('of_channel', { channelId: care })).data;
		expect(await listed(marketing)).toContain(id);
		expect(await listed(care)).not.toContain(id);
		expect(await listed()).not.toContain(id);
		const own = service.world.templates.filter(({ channelId }) => channelId === marketing);
		const synced = await service.post('/templates/sync', { channelId: marketing });
		expect(synced.data).toStrictEqual({ synced: own.length });
		expect([statusOf(id as string), statusOf(other as string)]).toStrictEqual([
			'APPROVED',
			'PENDING',
		]);

		const template = { templateName: 'of_channel', templateLanguage: 'en_US' };
		const message = { ...template, to: NUMBER, type: 'template', agentId: agentId() };
		const broadcast = { ...template, name: 'B', recipients: [NUMBER] };
		for (const [path, sent] of [
			['/messages', message],
			['/broadcasts', broadcast],
		] as const) {
			expect((await service.post(path, { ...sent, channelId: care })).status).toBe(400);
			expect((await service.post(path, { ...sent, channelId: marketing })).status).toBe(200);
		}
		const name = 'of_channel';
		expect(await remove(id as string, { name })).toBe(400);
		expect(await remove(id as string, { name, channelId: care })).toBe(400);
		expect(await remove(id as string, { name, channelId: marketing })).toBe(200);
	});

	test.each([
		['own first', ['own', 'general']],
		['own last', ['general', 'own']],
	])('the own one precedes that of the organization: %s', async (name, order) => {
		const { care, marketing } = channels();
		const { world } = service;
		const sample = world.templates.find(({ language }) => language === 'en_US')!;
		const kinds: Record<string, object> = {
			own: { channelId: marketing, components: [body] },
			general: { channelId: null, components: [{ type: 'BODY', text: 'Hello {{1}}' }] },
		};
		const common = { ...sample, name, status: 'APPROVED' as const };
		for (const kind of order)
			world.templates.add({ ...common, id: `${kind}: ${name}`, ...kinds[kind] });
		const template = { templateName: name, templateLanguage: 'en_US' };
		const broadcast = { ...template, name: 'B', recipients: [NUMBER] };
		const message = { ...template, to: NUMBER, type: 'template', agentId: agentId() };
		const general = { templateComponents: [part('body', text('A'))] };
		const templateId = async (sent: object) =>
			(await service.post('/broadcasts', { ...broadcast, ...sent })).data.templateId;
		expect(await templateId({ channelId: marketing })).toBe(`own: ${name}`);
		expect(await templateId({ channelId: care, ...general })).toBe(`general: ${name}`);
		expect(await templateId(general)).toBe(`general: ${name}`);
		const status = async (channelId: string) =>
			(await service.post('/messages', { ...message, channelId })).status;
		expect([await status(marketing), await status(care)]).toStrictEqual([200, 400]);
		expect(await listed(marketing)).toStrictEqual(
			expect.arrayContaining([`own: ${name}`, `general: ${name}`]),
		);
		expect((await service.get('/broadcasts/csv-template', template)).data).toBe('phone,1\r\n');
	});

	test('a sync without a channel concerns all, and its owner can change its mind', async () => {
		const { world } = service;
		const fields = { channelId: channels().marketing };
		const ids = [(await create('synced', fields)).data.id, (await create('synced')).data.id];
		for (const decision of ['APPROVED', 'REJECTED'] as const) {
			for (const id of ids) world.templates.get(id as string)!.decision = decision;
			const { data } = await service.post('/templates/sync');
			expect(data).toStrictEqual({ synced: world.templates.size });
			expect(ids.map(statusOf)).toStrictEqual([decision, decision]);
		}
	});

	test('one is deleted by its ID and name together, without those of its name', async () => {
		const { care } = channels();
		const { id } = (await create('several')).data;
		const others = [
			(await create('several', { language: 'de' })).data.id,
			(await create('several', { channelId: care })).data.id,
		];
		const path = `/templates/${id}`;
		for (const params of [{}, { name: 'other' }])
			expect((await service.rejected('delete', path, params))[0]).toBe(400);
		expect((await service.rejected('delete', '/templates/x', { name: 'several' }))[0]).toBe(400);
		expect((await service.delete(path, { name: 'several' })).data).toStrictEqual({ id });
		const left = service.world.templates.filter(({ name }) => name === 'several');
		expect(left.map((template) => template.id)).toStrictEqual(others.toReversed());
	});

	test.each(['x', 'INSTAGRAM', 'TELEGRAM'])('the channel %s has none', async (type) => {
		const { world } = service;
		const channelId = world.channels.find((row) => row.type === type)?.id ?? type;
		const { id, name } = world.templates.find((template) => template.channelId === null)!;
		const sent = { name: 'none', category: 'UTILITY', components: [body], channelId };
		expect((await service.rejected('post', '/templates', sent))[0]).toBe(400);
		expect((await service.rejected('post', '/templates/sync', { channelId }))[0]).toBe(400);
		const params = { name, channelId };
		expect((await service.rejected('delete', `/templates/${id}`, params))[0]).toBe(400);
		expect(await listed(channelId)).toStrictEqual([]);
	});
});
