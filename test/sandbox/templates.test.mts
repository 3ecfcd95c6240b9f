import { startService, type Service } from './client.mts';

/** Templates of the messaging platform: their components, and the variables of messages and broadcasts. */

let service: Service;
beforeAll(async () => {
	service = await startService({ rateLimit: { requests: 0 } });
});
afterAll(async () => await service.close());

const post = async (path: string, body: object) => await service.http.post(path, body);
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
const video = (media: unknown) => part('header', { type: 'video', video: media });
const image = part('header', { type: 'image', image: { link: 'https://example.com/a.png' } });

describe('the components of a new template', () => {
	const body = { type: 'BODY', text: 'Hello {{1}}' };
	const footer = { type: 'FOOTER', text: 'Bye' };
	const reply = { type: 'QUICK_REPLY', text: 'Yes' };
	let names = 0;
	const create = async (components: unknown[]) =>
		(await post('/templates', { name: `c_${names++}`, category: 'UTILITY', components })).status;

	test.each<[string, unknown[]]>([
		['a body', [body]],
		['a body in lower case', [{ type: 'body', text: 'Hello' }]],
		[
			'all four',
			[
				{ type: 'HEADER', format: 'TEXT', text: 'Title' },
				body,
				footer,
				{ type: 'BUTTONS', buttons: [reply] },
			],
		],
		['a header with a text, by default', [{ type: 'HEADER', text: 'Title' }, body]],
		['a header with an image', [{ type: 'HEADER', format: 'IMAGE' }, body]],
		['a header in lower case', [{ type: 'header', format: 'image' }, body]],
		['a header with a video', [{ type: 'HEADER', format: 'VIDEO' }, body]],
		['a header with a document', [{ type: 'HEADER', format: 'DOCUMENT' }, body]],
	])('are accepted: %s', async (_name, components) => {
		expect(await create(components)).toBe(200);
	});

	test.each<[string, unknown[]]>([
		['no body', [footer]],
		['two bodies', [body, body]],
		['a body without text', [{ type: 'BODY', text: ' ' }]],
		['two footers', [body, footer, footer]],
		['an unknown component', [body, { type: 'CAROUSEL', text: 'x' }]],
		['a component without type', [{ text: 'x' }]],
		['another component without type', [body, { text: 'x' }]],
		['something else than a component', [body, 'Hello']],
		['null', [body, null]],
		['a list of components in the list', [body, [footer]]],
		['a header without text', [{ type: 'HEADER' }, body]],
		...['AUDIO', 'LOCATION', '', null, 7].map((format): [string, unknown[]] => [
			`a header with the format ${JSON.stringify(format)}`,
			[{ type: 'HEADER', format, text: 'x' }, body],
		]),
		['a body with a file', [{ type: 'BODY', format: 'IMAGE' }]],
		['a footer with a file', [body, { ...footer, format: 'IMAGE' }]],
		['a footer without text', [body, { type: 'FOOTER' }]],
		['buttons without a list', [body, { type: 'BUTTONS' }]],
		['buttons in an object', [body, { type: 'BUTTONS', buttons: { first: reply } }]],
		['an empty list of buttons', [body, { type: 'BUTTONS', buttons: [] }]],
		...[{ text: 'No' }, 'No', null, []].map((button): [string, unknown[]] => [
			`a button without type: ${JSON.stringify(button)}`,
			[body, { type: 'BUTTONS', buttons: [reply, button] }],
		]),
	])('are rejected, and no template is made: %s', async (_name, components) => {
		const { size } = service.sandbox.world.templates;
		expect(await create(components)).toBe(400);
		expect(service.sandbox.world.templates.size).toBe(size);
	});
});

/** Templates with the variables that fit, and some that do not. */
interface TemplateCase {
	components: object[];
	csv: string;
	fits: unknown[][];
	rejected: unknown[][];
}
const ten = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'];
const cases: Record<string, TemplateCase> = {
	no_variables: {
		components: [
			{ type: 'BODY', text: 'Hello {x}, {{}} and {{a b}}' },
			{ type: 'FOOTER', text: 'Bye {{1}}' },
		],
		csv: 'phone',
		fits: [[]],
		rejected: [
			[part('body', text('x'))],
			[part('header', text('x'))],
			[part('footer')],
			[part('footer', text('x'))],
			['body'],
			[null],
			[[]],
		],
	},
	numbered: {
		components: [{ type: 'BODY', text: 'Hello {{1}} and {{ 2 }}, {{1}}' }],
		csv: 'phone,1,2',
		fits: [[part('body', text('A'), text('B'))], [part('BODY', text('A'), text('B'))]],
		rejected: [
			[],
			[part('body', text('A'))],
			[part('body', text('A'), text('B'), text('C'))],
			[part('body', text('A'), text(''))],
			[part('body', text('A'), text(' '))],
			[part('body', text('A'), { type: 'image', image: { id: '1' } })],
			[part('body', text('A'), { type: 'payload', text: 'B' })],
			[{ type: 'body' }],
			[{ type: 'body', parameters: 'A' }],
			[{ type: 'body', parameters: 'AB' }],
			[{ type: 'body', parameters: ['A', 'B'] }],
			[{ type: 'body', parameters: [null, null] }],
			[{ type: 'body', parameters: [['A'], ['B']] }],
			[part('body', text('A'), text('B')), part('body', text('A'), text('B'))],
			[part('body', text('A'), text('B')), image],
		],
	},
	numbered_beyond_nine: {
		components: [{ type: 'BODY', text: ten.map((n) => `{{${n}}}`).join(' ') }],
		csv: `phone,${ten.join(',')}`,
		fits: [[part('body', ...ten.map((n) => text(n)))]],
		rejected: [[part('body', ...ten.slice(1).map((n) => text(n)))]],
	},
	named: {
		components: [{ type: 'BODY', text: 'Hello {{first_name}}, {{line2}}' }],
		csv: 'phone,first_name,line2',
		fits: [[part('body', text('B', 'line2'), text('A', 'first_name'))]],
		rejected: [
			[part('body', text('A'), text('B'))],
			[part('body', text('A', 'first_name'), text('B'))],
			[part('body', text('A', 'first_name'), text('B', 'first_name'))],
		],
	},
	header_text: {
		components: [
			{ type: 'HEADER', text: 'Order {{1}}' },
			{ type: 'BODY', text: 'Hello' },
		],
		csv: 'phone,header_1',
		fits: [[part('header', text('7'))]],
		rejected: [[], [image], [part('header', text('7'), text('8'))]],
	},
	header_media: {
		components: [
			{ type: 'HEADER', format: 'IMAGE' },
			{ type: 'BODY', text: 'Hello' },
		],
		csv: 'phone,header_image',
		fits: [[image], [part('header', { type: 'image', image: { id: 'm1' } })]],
		rejected: [
			[],
			[part('header')],
			[part('header', text('https://example.com/a.png'))],
			[part('header', { type: 'image', image: {} })],
			[part('header', { type: 'image', image: { link: '' } })],
			[part('header', { type: 'video', video: { id: 'm1' } })],
			[part('header', { type: 'video', image: { id: 'm1' } })],
			[
				part(
					'header',
					{ type: 'image', image: { id: 'm1' } },
					{ type: 'image', image: { id: 'm2' } },
				),
			],
		],
	},
	header_video: {
		components: [
			{ type: 'header', format: 'video' },
			{ type: 'body', text: 'Hello' },
		],
		csv: 'phone,header_video',
		fits: [[video({ id: 'm1' })], [video({ link: 'https://example.com/a.mp4' })]],
		rejected: [[image], [video({ link: ' ' })], [video('m1')], [video(null)]],
	},
	buttons: {
		components: [
			{ type: 'BODY', text: 'Hello' },
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
			[button(1, 'url', text(''))],
			[button(1, 'url', text(' '))],
			[button(1, 'url', text('a'), text('b'))],
			[button(1, 'url', { type: 'payload', payload: 'a' })],
			[button(1, 'url', { type: 'payload', text: 'a' })],
			[button(1, 'url', text('a')), button(2, 'quick_reply', text('yes'))],
			[button(1, 'url', text('a')), button(3, 'url', text('a'))],
			[button(1, 'url', text('a')), button(4, 'url', text('a'))],
		],
	},
	codes: {
		components: [
			{ type: 'BODY', text: 'Hello' },
			{ type: 'BUTTONS', buttons: [{ type: 'copy_code' }, { type: 'OTP' }] },
		],
		csv: 'phone,button_1,button_2',
		fits: [
			[
				button(0, 'copy_code', { type: 'coupon_code', coupon_code: 'X' }),
				button(1, 'url', text('123')),
			],
		],
		rejected: [
			[button(0, 'copy_code', { type: 'coupon_code', coupon_code: 'X' })],
			[button(1, 'url', text('123'))],
			[button(0, 'copy_code', text('X')), button(1, 'url', text('123'))],
			[
				{ ...button(0, 'copy_code', { type: 'coupon_code', coupon_code: 'X' }), index: '' },
				button(1, 'url', text('123')),
			],
		],
	},
};

describe.each(Object.entries(cases))('a template: %s', (name, given) => {
	const { components, csv, fits, rejected } = given;
	const template = { templateName: name, templateLanguage: 'en_US' };
	let agentId: string;
	beforeAll(() => {
		const { world } = service.sandbox;
		agentId = world.users.find(() => true)!.id;
		const sample = world.templates.find(() => true)!;
		world.templates.add({
			...sample,
			id: `id-${name}`,
			name,
			language: 'en_US',
			components,
			status: 'APPROVED',
		});
	});
	/** The statuses of a message and of a broadcast to a list with these variables. */
	const statuses = async (templateComponents: unknown[]) => {
		const body = { ...template, templateComponents };
		const message = { ...body, to: '12015559876', type: 'template', agentId };
		const broadcast = { ...body, name: 'B', recipients: ['12015559876'] };
		return [
			(await post('/messages', message)).status,
			(await post('/broadcasts', broadcast)).status,
		];
	};

	test('is sent with the variables that fit', async () => {
		for (const given of fits) expect([given, await statuses(given)]).toEqual([given, [200, 200]]);
	});

	test('has a column for the number and one for each variable in its CSV', async () => {
		const { data } = await service.http.get('/broadcasts/csv-template', { params: template });
		expect(data).toBe(`${csv}\r\n`);
	});

	test('is rejected with any others', async () => {
		for (const given of rejected)
			expect([given, await statuses(given)]).toEqual([given, [400, 400]]);
	});
});

describe('a CSV audience', () => {
	const campaign = { name: 'B', templateName: 'spring_sale', templateLanguage: 'en_US' };
	const uploaded = async (csv: string | undefined, fields: Record<string, string>) => {
		const form = new FormData();
		for (const [name, value] of Object.entries({ ...campaign, ...fields }))
			form.append(name, value);
		if (csv !== undefined) form.append('file', new Blob([csv]), 'a.csv');
		return await post('/broadcasts', form);
	};
	const upload = async (csv: string, fields: Record<string, string>) =>
		(await uploaded(csv, fields)).status;
	const columns = 'phone,header_image,1,2,button_1';
	const row = '12015550100,m1,Ann,20%,spring';
	const csv = { audienceMode: 'csv' };

	test('the template’s CSV has a column for the number and one for each variable', async () => {
		const params = { templateName: 'spring_sale', templateLanguage: 'en_US' };
		expect((await service.http.get('/broadcasts/csv-template', { params })).data).toBe(
			`${columns}\r\n`,
		);
	});

	test('all its columns are needed, in any order, and others are possible', async () => {
		expect(await upload(`${columns}\n${row}\n`, csv)).toBe(200);
		const reversed = (line: string) => line.split(',').toReversed().join(',');
		expect(await upload(`x,${reversed(columns)}\ny,${reversed(row)}\n`, csv)).toBe(200);
		for (const missing of columns.split(','))
			expect(await upload(`${columns.replace(missing, 'x')}\n${row}\n`, csv)).toBe(400);
	});

	test.each([
		['without rows', `${columns}\n`],
		['without a number in a row', `${columns}\n${row}\n,m1,Ann,20%,spring\n`],
		['with words instead of a number', `${columns}\nAnn,m1,Ann,20%,spring\n`],
		['that is empty', ''],
	])('a file %s is rejected', async (_name, file) => {
		expect(await upload(file, csv)).toBe(400);
	});

	test('the audience is described in one way only', async () => {
		const file = `${columns}\n${row}\n`;
		const recipients = '["12015550100"]';
		const segmentId = service.sandbox.world.segments.find(() => true)!.id;
		const list = { audienceMode: 'list', recipients };
		const segment = { audienceMode: 'segment', segmentId };
		const uploads: [string | undefined, Record<string, string>, RegExp][] = [
			[undefined, csv, /file is required/],
			[file, list, /file is not possible/],
			[file, { recipients }, /file is not possible/],
			[file, segment, /file is not possible/],
			[file, { ...csv, recipients }, /recipients is not possible/],
			[file, { ...csv, segmentId }, /segmentId is not possible/],
			[file, { ...csv, templateComponents: '[]' }, /templateComponents is not possible/],
		];
		for (const [content, fields, reason] of uploads)
			expect((await uploaded(content, fields)).data.error).toMatch(reason);
		const campaignOf = { ...campaign, templateName: 'welcome' };
		const numbers = { recipients: ['12015550100'] };
		const bodies: [object, RegExp][] = [
			[csv, /file is required/],
			[{ ...numbers, segmentId }, /segmentId is not possible/],
			[{ ...segment, ...numbers }, /recipients is not possible/],
		];
		for (const [fields, reason] of bodies)
			expect((await post('/broadcasts', { ...campaignOf, ...fields })).data.error).toMatch(reason);
	});

	test.each([
		{ templateName: 'welcome', templateLanguage: 'fr' },
		{ templateName: 'none', templateLanguage: 'de' },
	])('the CSV of an unknown template is not found: %j', async (params) => {
		expect((await service.http.get('/broadcasts/csv-template', { params })).status).toBe(404);
	});
});

describe('templates of a channel', () => {
	const channel = (name: string) =>
		service.sandbox.world.channels.find((row) => row.name === name)!.id;
	const channels = () => ({ care: channel('Customer Care'), marketing: channel('Marketing') });
	const ids = async (params: object) =>
		(await service.http.get('/templates', { params })).data.data.map(
			({ id }: { id: string }) => id,
		) as string[];
	const submit = async (fields: object) =>
		await post('/templates', {
			name: 'of_channel',
			category: 'UTILITY',
			components: [{ type: 'BODY', text: 'Hello' }],
			...fields,
		});

	test('they are created, listed, synced, sent and deleted on their channel only', async () => {
		const { care, marketing } = channels();
		const { id } = (await submit({ channelId: marketing })).data.data as { id: string };
		// The same name on another channel is another template.
		expect((await submit({ channelId: marketing })).status).toBe(400);
		expect((await submit({ channelId: care })).status).toBe(200);
		expect(await ids({ channelId: marketing })).toContain(id);
		expect(await ids({ channelId: care })).not.toContain(id);
		expect(await ids({})).not.toContain(id);
		const status = () => service.sandbox.world.templates.get(id)!.status;
		await post('/templates/sync', { channelId: care });
		expect(status()).toBe('PENDING');
		await post('/templates/sync', { channelId: marketing });
		expect(status()).toBe('APPROVED');

		const template = { templateName: 'of_channel', templateLanguage: 'en_US' };
		const agentId = service.sandbox.world.users.find(() => true)!.id;
		const message = { ...template, to: '12015559001', type: 'template', agentId };
		const broadcast = { ...template, name: 'B', recipients: ['12015559001'] };
		service.sandbox.world.templates.find((row) => row.channelId === care)!.status = 'PENDING';
		for (const [path, body] of [
			['/messages', message],
			['/broadcasts', broadcast],
		] as const) {
			expect((await post(path, { ...body, channelId: care })).status).toBe(400);
			expect((await post(path, { ...body, channelId: marketing })).status).toBe(200);
		}
		const remove = async (params: object) =>
			(await service.http.delete(`/templates/${id}`, { params: { name: 'of_channel', ...params } }))
				.status;
		expect(await remove({})).toBe(400);
		expect(await remove({ channelId: care })).toBe(400);
		expect(await remove({ channelId: marketing })).toBe(200);
	});

	test('the own template of a channel precedes that of the organization, in whichever order they were made', async () => {
		const { care, marketing } = channels();
		const { world } = service.sandbox;
		const [sample] = world.templates.filter(() => true);
		const agentId = world.users.find(() => true)!.id;
		for (const order of [
			[null, marketing],
			[marketing, null],
		]) {
			const name = `both_${order.indexOf(null)}`;
			for (const channelId of order)
				world.templates.add({
					...sample!,
					id: `${name} of ${channelId === null ? 'all' : 'marketing'}`,
					name,
					channelId,
					status: 'APPROVED',
					// One of them needs no variables.
					components: [{ type: 'BODY', text: channelId === null ? 'Hello {{1}}' : 'Hello' }],
				});
			const template = { templateName: name, templateLanguage: sample!.language };
			const broadcast = { ...template, name: 'B', recipients: ['12015559001'] };
			const variables = { templateComponents: [part('body', text('A'))] };
			const send = async (body: object) => (await post('/broadcasts', body)).data.data?.templateId;
			expect(await send({ ...broadcast, channelId: marketing })).toBe(`${name} of marketing`);
			expect(await send({ ...broadcast, ...variables, channelId: care })).toBe(`${name} of all`);
			expect(await send({ ...broadcast, ...variables })).toBe(`${name} of all`);
			const message = { ...template, to: '12015559001', type: 'template', agentId };
			expect((await post('/messages', { ...message, channelId: marketing })).status).toBe(200);
			expect((await post('/messages', { ...message, channelId: care })).status).toBe(400);
			const listed = await ids({ channelId: marketing });
			expect(listed).toEqual(expect.arrayContaining([`${name} of marketing`, `${name} of all`]));
			const csv = await service.http.get('/broadcasts/csv-template', { params: template });
			expect(csv.data).toBe('phone,1\r\n');
		}
	});

	test('a sync of a channel concerns its own templates only, one without a channel all', async () => {
		const { world } = service.sandbox;
		const made: string[] = [];
		for (const fields of [{ channelId: channels().marketing }, {}])
			made.push((await submit({ name: 'synced', ...fields })).data.data.id as string);
		const sync = async (body: object) => {
			const { synced } = (await post('/templates/sync', body)).data.data;
			return [synced as number, ...made.map((id) => world.templates.get(id)!.status)];
		};
		const own = world.templates.filter(({ channelId }) => channelId === channels().marketing);
		const ofChannel = { channelId: channels().marketing };
		expect(await sync(ofChannel)).toEqual([own.length, 'APPROVED', 'PENDING']);
		expect(await sync({})).toEqual([world.templates.size, 'APPROVED', 'APPROVED']);
		// The owner can change its mind.
		for (const id of made) world.templates.get(id)!.decision = 'REJECTED';
		expect(await sync({})).toEqual([world.templates.size, 'REJECTED', 'REJECTED']);
	});

	test('deleting a template keeps those of its name in other languages and on other channels', async () => {
		const { world } = service.sandbox;
		const make = async (fields: object) =>
			(await submit({ name: 'several', ...fields })).data.data.id as string;
		const id = await make({});
		const others = [
			await make({ language: 'de' }),
			await make({ channelId: channels().care }),
			await make({ channelId: channels().marketing }),
		];
		const { data } = await service.http.delete(`/templates/${id}`, { params: { name: 'several' } });
		expect(data.data).toEqual({ id });
		const left = world.templates.filter(({ name }) => name === 'several');
		expect(left.map((template) => template.id).toSorted()).toEqual(others.toSorted());
	});

	test.each(['x', 'INSTAGRAM', 'TELEGRAM'])(
		'the channel %s has no templates of its own',
		async (name) => {
			const { world } = service.sandbox;
			const channelId = world.channels.find(({ type }) => type === name)?.id ?? name;
			const before = world.templates.size;
			const template = world.templates.find(({ channelId: own }) => own === null)!;
			expect((await submit({ name: 'none', channelId })).status).toBe(400);
			expect((await post('/templates/sync', { channelId })).status).toBe(400);
			const params = { name: template.name, channelId };
			expect((await service.http.delete(`/templates/${template.id}`, { params })).status).toBe(400);
			expect(await ids({ channelId })).toEqual([]);
			expect(world.templates.size).toBe(before);
		},
	);

	test('an unknown template is not deleted', async () => {
		const { size } = service.sandbox.world.templates;
		const params = { name: 'welcome' };
		expect((await service.http.delete('/templates/x', { params })).status).toBe(400);
		expect(service.sandbox.world.templates.size).toBe(size);
	});

	test('a template by its ID must have the name and language that are given with it', async () => {
		const { id } = service.sandbox.world.templates.find(({ name }) => name === 'login_code')!;
		const broadcast = {
			name: 'B',
			templateId: id,
			templateLanguage: 'en_US',
			recipients: ['12015550100'],
			templateComponents: [
				part('body', text('1')),
				button(0, 'copy_code', { type: 'coupon_code', coupon_code: '1' }),
			],
		};
		const sent = async (templateName: string, more: object = {}) =>
			(await post('/broadcasts', { ...broadcast, templateName, ...more })).status;
		expect([await sent('login_code'), await sent('welcome')]).toEqual([200, 400]);
		expect(await sent('login_code', { templateLanguage: 'de' })).toBe(400);
		expect(
			(await post('/broadcasts', { ...broadcast, templateName: 'welcome', templateId: 'x' }))
				.status,
		).toBe(404);
	});
});
