import type { SandboxOptions } from '../../sandbox/options.mts';
import type { Chat } from '../../sandbox/records.mts';
import { startService, type Service } from './client.mts';
import { configOf, examplesOf } from './examples.mts';
import { operations } from './operations.mts';

/** The shapes of responses that the document leaves open: each is one that is usual for such services. */

let service: Service;
beforeAll(async () => {
	service = await startService({ rateLimit: { requests: 0 } });
});
afterAll(async () => await service.close());

const upload = async ({ http }: Service, csv: string) => {
	const form = new FormData();
	form.append('file', new Blob([csv]), 'people.csv');
	return (await http.post('/contacts/import', form)).data.data;
};
const newsletter = () => service.sandbox.world.segments.find(({ name }) => name === 'Newsletter')!;

type Shapes = SandboxOptions['shapes'];
let plain: Shapes;
beforeAll(() => {
	plain = { ...service.sandbox.options.shapes };
});
afterEach(() => {
	Object.assign(service.sandbox.options.shapes, plain);
});
const shaped = (shapes: Partial<Shapes>) => Object.assign(service.sandbox.options.shapes, shapes);
const data = async (path: string, params: object = {}) =>
	(await service.http.get(path, { params })).data.data;

test('without settings, they are these', async () => {
	expect(plain).toEqual({
		lists: 'array',
		importStates: 'lower',
		importColumns: ['name', 'waId', 'igId'],
		jobId: 'id',
		jobIdType: 'text',
		jobUnder: 'top',
		segmentMembers: 'members',
		memberRows: 'contacts',
		segmentPaging: 'top',
		customFields: 'customFields',
		listedFields: 'customFields',
		listedSegments: 'records',
		contactUnder: 'top',
		templateLimit: 'fewer',
		csvColumns: ['phone'],
		ticketChoices: 'name',
		plus: 'other',
		errors: 'string',
		chatActivity: 'none',
		chatFetchedAt: 'no',
		chatOrder: 'creation',
		channelTotals: 'stats',
		messageDirection: 'direction',
		messageTime: 'createdAt',
		messageText: 'text',
		messageOrder: 'newest',
	});
});

/** Ten rows, of which one is imported every 20 ms, after two seconds in the queue. */
const ten = Array.from({ length: 10 }, (_, n) => `Ann,1202555${String(2000 + n)}`);
const importing = async (rows: string[]) =>
	(await upload(service, ['name,waId', ...rows].join('\n'))).id as string;

test.each<[Shapes['importStates'], unknown[]]>([
	['lower', ['queued', 'processing', 'completed', 'failed']],
	['upper', ['QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED']],
	['usual', ['PENDING', 'RUNNING', 'SUCCEEDED', 'ERRORED']],
	['unknown', ['stage-1', 'stage-2', 'stage-3', 'stage-4']],
	['none', [undefined, undefined, undefined, undefined]],
])('the states of an import job: %s', async (importStates, states) => {
	shaped({ importStates });
	const [id, bad] = [await importing(ten), await importing(['Ann,', ',12025550143'])];
	const status = async (job: string) => (await data(`/contacts/imports/${job}`)).status as unknown;
	const seen = [await status(id)];
	service.clock.advance(2_100);
	seen.push(await status(id));
	service.clock.advance(60_000);
	seen.push(await status(id), await status(bad));
	expect(seen).toEqual(states);
});

test.each<[Partial<Shapes>, string[], string[], RegExp]>([
	[{}, ['id'], ['id'], /^c[a-z0-9]{24}$/],
	[{ jobId: '_id' }, ['_id'], ['_id'], /^c/],
	[{ jobId: 'jobId' }, ['jobId'], ['jobId'], /^c/],
	[{ jobId: 'byType' }, ['importId'], ['broadcastId'], /^c/],
	[{ jobIdType: 'number' }, ['id'], ['id'], /^10\d{4}$/],
	[{ jobUnder: 'job' }, ['job', 'id'], ['job', 'id'], /^c/],
	[{ jobUnder: 'byType' }, ['import', 'id'], ['broadcast', 'id'], /^c/],
	[{ jobUnder: 'importJob' }, ['importJob', 'id'], ['importJob', 'id'], /^c/],
])('the ID of a job: %j', async (shapes, ofImport, ofBroadcast, form) => {
	shaped(shapes);
	const at = (value: unknown, path: string[]) =>
		path.reduce<any>((inner, key) => inner[key], value);
	const csv = 'name,waId\nAnn,12025550143\n';
	const imported = at(await upload(service, csv), ofImport);
	expect(at(await upload(service, csv), ofImport)).not.toBe(imported);
	const broadcast = {
		name: 'B',
		templateName: 'login_code',
		templateLanguage: 'en_US',
		recipients: ['12025550143'],
		templateComponents: [
			{ type: 'body', parameters: [{ type: 'text', text: '1' }] },
			{
				type: 'button',
				sub_type: 'copy_code',
				index: '0',
				parameters: [{ type: 'coupon_code', coupon_code: '1' }],
			},
		],
	};
	const sent = at((await service.http.post('/broadcasts', broadcast)).data.data, ofBroadcast);
	for (const [path, id, place] of [
		['/contacts/imports', imported, ofImport],
		['/broadcasts', sent, ofBroadcast],
	] as const) {
		expect(typeof id).toBe(shapes.jobIdType === 'number' ? 'number' : 'string');
		expect(String(id)).toMatch(form);
		expect(at(await data(`${path}/${String(id)}`), place)).toBe(id);
	}
});

test('a job may show no ID at all', async () => {
	shaped({ jobId: 'none' });
	const job = await upload(service, 'name,waId\nAnn,12025550143\n');
	expect(Object.keys(job as object).sort()).toEqual([
		'createdAt',
		'failedCount',
		'fileName',
		'processedRows',
		'status',
		'successCount',
		'totalRows',
	]);
});

test.each<[Shapes['segmentMembers'], string[], string[] | undefined, others: string[]]>([
	['members', ['members'], undefined, []],
	['contacts', ['contacts'], undefined, ['rules', 'tags']],
	['data', ['members', 'data'], ['members', 'meta'], ['tags']],
	['items', ['members', 'items'], ['members'], ['rules']],
	['segment', ['segment', 'members'], undefined, ['tags']],
])('the members of a segment: %s', async (segmentMembers, rows, counts, others) => {
	shaped({ segmentMembers });
	const { id, members } = newsletter();
	const { data: body } = await service.http.get(`/segments/${id}`, {
		params: { limit: 10, page: 2 },
	});
	const at = (path: string[]) => path.reduce<any>((inner, key) => inner[key], body.data);
	expect(at(rows)).toHaveLength(10);
	expect(counts ? at(counts) : body.meta).toMatchObject({
		total: members.size,
		page: 2,
		limit: 10,
	});
	expect('meta' in body).toBe(!counts);
	// Lists of something else, next to the one of the members.
	const lists = Object.entries(body.data.segment ?? body.data).filter(([, value]) =>
		Array.isArray(value),
	);
	const names = lists.map(([name]) => name).filter((name) => name !== rows.at(-1));
	expect(names.sort()).toEqual(others);
});

test('the members of a segment as memberships', async () => {
	shaped({ memberRows: 'memberships' });
	const { id } = newsletter();
	const [row] = (await data(`/segments/${id}`, { limit: 1 })).members;
	expect(row).toEqual({
		id: `of ${row.contact.id}`,
		contact: expect.objectContaining({ waId: expect.any(String) }),
	});
});

test.each<[Shapes['customFields'], (id: string) => object]>([
	['customFields', (id) => ({ customFields: [{ id, label: 'tier', value: 'gold' }] })],
	['fields', (id) => ({ fields: [{ id, label: 'tier', value: 'gold' }] })],
	['pairs', (id) => ({ customFields: [{ id, key: 'tier', value: 'gold' }] })],
	['byId', (id) => ({ customFields: { [id]: { label: 'tier', value: 'gold' } } })],
	['byLabel', (id) => ({ customFields: { tier: { id, value: 'gold' } } })],
	['labels', () => ({ customFields: { tier: 'gold' } })],
	['hidden', () => ({})],
])('the custom fields of a contact: %s', async (customFields, shown) => {
	shaped({ customFields });
	const contact = service.sandbox.world.addContact({ name: 'N', igId: `fields-${customFields}` });
	const field = { label: 'tier', value: 'gold' };
	const { id } = (await service.http.post(`/contacts/${contact.id}/fields`, field)).data.data;
	for (const contactUnder of ['top', 'contact'] as const) {
		shaped({ contactUnder });
		const found = await data(`/contacts/${contact.id}`);
		const record = contactUnder === 'top' ? found : found.contact;
		expect(record.id).toBe(contact.id);
		const { customFields: own, fields } = record;
		expect(JSON.parse(JSON.stringify({ customFields: own, fields }))).toEqual(shown(id as string));
	}
});

test.each<[Shapes['plus'], boolean]>([
	['other', false],
	['same', true],
])('a number with a plus is the same contact: %s', async (plus, isSame) => {
	const own = await startService({ shapes: { plus }, rateLimit: { requests: 0 } });
	const { http, sandbox } = own;
	const { world } = sandbox;
	const chat = world.chats.find(({ channel, session }) => channel === 'WHATSAPP' && !!session)!;
	const { id, waId } = world.contacts.get(chat.contactId)!;
	const to = `+${waId!}`;
	const found = isSame ? 200 : 404;
	expect((await http.get(`/contacts/${encodeURIComponent(to)}`)).status).toBe(found);
	expect((await http.get('/chats/session', { params: { waId: to } })).status).toBe(found);
	expect((await http.get('/chats', { params: { waId: to } })).data.meta.total).toBe(isSame ? 1 : 0);
	expect((await http.post('/flows/trigger', { to, flowKeyword: 'welcome' })).status).toBe(found);
	const ticket = await http.post('/tickets', { title: 'T', contactWaId: to });
	expect(ticket.status).toBe(isSame ? 200 : 400);
	const patched = await http.patch(`/contacts/${encodeURIComponent(to)}`, { customName: 'C' });
	expect(patched.status).toBe(found);
	const created = await http.post('/contacts', { name: 'N', waId: to });
	expect(created.status).toBe(isSame ? 409 : 200);
	const size = world.contacts.size;
	await upload(own, `name,waId\nRenamed,${to}\n`);
	own.clock.advance(60_000);
	await http.get('/contacts/imports');
	expect(world.contacts.size).toBe(size);
	expect(world.contacts.get(id)!.name === 'Renamed').toBe(isSame);
	await own.close();
});

test.each<[Shapes['lists'], (rows: any) => unknown]>([
	['array', (rows) => rows],
	['wrapped', ({ tickets }) => tickets],
])('the rows of a list: %s', async (lists, rowsIn) => {
	shaped({ lists });
	expect(rowsIn(await data('/tickets'))).toHaveLength(20);
});

test.each(operations.filter(({ isList }) => isList).map((one) => [one.route, one] as const))(
	'the rows of a list can be under its name: %s',
	async (_route, operation) => {
		shaped({ lists: 'wrapped' });
		const [{ path } = {}] = examplesOf(service.sandbox.world, operation.id);
		const { data: body } = await service.http.request(configOf(operation, { path }));
		expect(body.data).toEqual({ [operation.path.split('/').at(-1)!]: expect.any(Array) });
	},
);

test('the columns of an import can be others, with those that the sandbox does not know after them', async () => {
	shaped({ importColumns: ['Nombre', 'Teléfono', 'Instagram', 'x'] });
	expect((await service.http.get('/contacts/import-template')).data).toBe(
		'Nombre,Teléfono,Instagram,x\r\n',
	);
	const csv = 'x,Instagram,Teléfono,Nombre\n1,,12025553001,Zoe\n1,ig-zoe,,Zoe\n';
	await upload(service, csv);
	service.clock.advance(60_000);
	await data('/contacts/imports');
	const { world } = service.sandbox;
	expect(world.findContactByWaId('12025553001')!.name).toBe('Zoe');
	expect(world.findContactByIgId('ig-zoe')!.name).toBe('Zoe');
});

test.each([
	['top', ({ meta }: any) => meta],
	['meta', ({ data }: any) => data.meta],
	['pagination', ({ data }: any) => data.pagination],
	['fields', ({ data }: any) => data],
	['none', undefined],
] as const)(
	'the page of a segment’s members is described elsewhere: %s',
	async (segmentPaging, pageIn) => {
		shaped({ segmentPaging });
		const { id, members } = newsletter();
		const { data } = await service.http.get(`/segments/${id}`, { params: { page: 2, limit: 10 } });
		const page = {
			total: members.size,
			page: 2,
			limit: 10,
			totalPages: Math.ceil(members.size / 10),
		};
		if (pageIn) expect(pageIn(data)).toMatchObject(page);
		else expect(JSON.stringify(data)).not.toMatch(/"(total|page|limit|totalPages)":/);
		expect('meta' in data).toBe(segmentPaging === 'top');
		expect(data.data.members).toHaveLength(10);
	},
);

test.each([
	['exact', [1, 3]],
	['fewer', [1, 2]],
	['more', [2, 4]],
] as const)('the limit of templates is approximate, here %s', async (shape, counts) => {
	shaped({ templateLimit: shape });
	const all = service.sandbox.world.templates.filter(({ channelId }) => channelId === null);
	for (const [i, limit] of [1, 3].entries()) {
		const { data } = await service.http.get('/templates', { params: { limit } });
		const first = all.slice(0, counts[i]);
		expect(data.data.map(({ id }: { id: string }) => id)).toEqual(first.map(({ id }) => id));
		expect(data.meta).toMatchObject({ total: all.length, page: 1 });
	}
});

test('templates are about 100 without a limit', async () => {
	const { world } = service.sandbox;
	const isOwn = ({ channelId }: { channelId: string | null }) => channelId === null;
	const sample = world.templates.find(isOwn)!;
	const added = Array.from({ length: 150 }, (_, n) =>
		world.templates.add({ ...sample, id: `more-${n}` }),
	);
	shaped({ templateLimit: 'exact' });
	const { data } = await service.http.get('/templates');
	expect([data.data.length, data.meta.total]).toEqual([100, world.templates.filter(isOwn).length]);
	for (const { id } of added) world.templates.delete(id);
});

test('priority and status of a new ticket as objects with a name in them, and not as a name', async () => {
	shaped({ ticketChoices: 'object' });
	const create = async (fields: object) =>
		await service.http.post('/tickets', { title: 'T', ...fields });
	expect(
		(await create({ priority: { name: 'URGENT' }, status: { value: 'RESOLVED' } })).data.data,
	).toMatchObject({ priority: 'URGENT', status: 'RESOLVED' });
	expect((await create({ priority: 'URGENT' })).status).toBe(400);
	expect((await create({ status: 'RESOLVED' })).status).toBe(400);
	expect((await create({ priority: { name: 'SOON' } })).status).toBe(400);
	expect((await create({ priority: {} })).status).toBe(400);
	// An update has names still.
	const update = async (priority: unknown) =>
		(await service.http.put('/tickets/1001', { priority })).status;
	expect([await update('HIGH'), await update({ name: 'HIGH' })]).toEqual([200, 400]);
});

const listed = async (shapes: Partial<Shapes>) => {
	shaped(shapes);
	return (await data('/contacts')) as Record<string, unknown>[];
};

test.each([
	['customFields', { customFields: [{ id: 'f', label: 'City', value: 'Rome' }] }],
	['fields', { fields: [{ id: 'f', label: 'City', value: 'Rome' }] }],
	['pairs', { customFields: [{ id: 'f', key: 'City', value: 'Rome' }] }],
	['byId', { customFields: { f: { label: 'City', value: 'Rome' } } }],
	['byLabel', { customFields: { City: { id: 'f', value: 'Rome' } } }],
	['labels', { customFields: { City: 'Rome' } }],
	['left out', { customFields: [{ id: 'f', label: 'City', value: 'Rome' }] }],
] as const)('custom fields as “%s”', async (listedFields, expected) => {
	const { world } = service.sandbox;
	world.addContact({ name: 'A' });
	world.addContact({ name: 'B', customFields: [{ id: 'f', label: 'City', value: 'Rome' }] });
	const [row, other] = await listed({ listedFields });
	expect(row).toMatchObject(expected);
	expect('customFields' in other! || 'fields' in other!).toBe(listedFields !== 'left out');
});

test('hidden custom fields', async () => {
	const [row] = await listed({ listedFields: 'hidden' });
	expect(row).not.toHaveProperty('customFields');
});

test.each([
	['records', (id: string, name: string) => ({ segments: [{ id, name }] })],
	[
		'memberships',
		(id: string, name: string) => ({ segments: [{ id: `of ${id}`, segment: { id, name } }] }),
	],
	['ids', (id: string) => ({ segmentIds: [id] })],
	['names', (_id: string, name: string) => ({ segments: [name] })],
] as const)('segments as “%s”', async (listedSegments, expected) => {
	const { world } = service.sandbox;
	const segment = world.segments.find(({ isDynamic }) => !isDynamic)!;
	segment.members.add(world.addContact({ name: 'C' }).id);
	const [row] = await listed({ listedSegments });
	expect(row).toMatchObject(expected(segment.id, segment.name));
});

const aChat = (): Chat =>
	service.sandbox.world.chats.find(({ channel }) => channel === 'WHATSAPP')!;

const write = (chat: Chat, direction: 'INBOUND' | 'OUTBOUND' = 'INBOUND') => {
	service.clock.advance(1_000);
	const content = { text: 'Hello' };
	return service.sandbox.world.addMessage(chat, {
		direction,
		type: 'text',
		content,
		agentId: null,
	});
};

const rowOf = async ({ id }: Chat) =>
	(await data('/chats?limit=100')).find((row: { id: string }) => row.id === id);

test.each<[Shapes['chatActivity'], changes: boolean[]]>([
	['none', [false, false]],
	['lastMessageAt', [true, true]],
	['sometimes', [false, true]],
])('whether the row of a chat changes with each message: %s', async (chatActivity, changes) => {
	shaped({ chatActivity });
	const { world } = service.sandbox;
	const chat = world.chats.find(({ id }) => world.messages.get(id)!.length % 2 === 0)!;
	const rows = [await rowOf(chat)];
	for (let i = 0; i < 2; i++) {
		write(chat);
		rows.push(await rowOf(chat));
	}
	expect(rows.slice(1).map((row, i) => JSON.stringify(row) !== JSON.stringify(rows[i]))).toEqual(
		changes,
	);
});

test('the row of a chat without messages shows no time of the last one', async () => {
	shaped({ chatActivity: 'lastMessageAt' });
	const { id: _id, createdAt: _createdAt, ...like } = aChat();
	expect(await rowOf(service.sandbox.world.addChat(like))).toMatchObject({ lastMessageAt: null });
});

test.each<[Shapes['chatFetchedAt'], isSame: boolean]>([
	['no', true],
	['yes', false],
])('every row differs in every response: %s', async (chatFetchedAt, isSame) => {
	shaped({ chatFetchedAt });
	const [one, other] = [await rowOf(aChat()), await rowOf(aChat())];
	expect(JSON.stringify(one) === JSON.stringify(other)).toBe(isSame);
});

test.each<[Shapes['chatOrder'], Shapes['chatActivity'], leads: boolean]>([
	['creation', 'lastMessageAt', false],
	['activity', 'lastMessageAt', true],
	// The order follows the message whether or not the row shows it.
	['activity', 'none', true],
])('the list by %s, with rows that show %s', async (chatOrder, chatActivity, leads) => {
	const { id } = (await data('/chats?limit=100')).at(-1);
	shaped({ chatOrder, chatActivity });
	write(service.sandbox.world.chats.get(id as string)!);
	const [first] = await data('/chats');
	expect(first.id === id).toBe(leads);
});

test('the list by activity has pages, without gaps or repeats', async () => {
	shaped({ chatOrder: 'activity' });
	const { size } = service.sandbox.world.chats;
	const idsOn = async (query: string) => {
		const { data: rows, meta } = (await service.http.get(`/chats?${query}`)).data;
		expect(meta.total).toBe(size);
		return rows.map(({ id }: { id: string }) => id) as string[];
	};
	const all = await idsOn('limit=100');
	expect(all.length).toBeGreaterThan(4);
	const inPages: string[] = [];
	for (let page = 1; inPages.length < all.length; page++) {
		const ids = await idsOn(`limit=2&page=${page}`);
		expect(ids).toHaveLength(Math.min(2, all.length - inPages.length));
		inPages.push(...ids);
	}
	expect(inPages).toEqual(all);
});

test.each<[Shapes['channelTotals'], growth: number]>([
	['stats', 1],
	['stuck', 0],
	['none', NaN],
])('the messages of a channel: %s', async (channelTotals, growth) => {
	shaped({ channelTotals });
	const chat = aChat();
	const count = async () =>
		((await data(`/channels/${chat.channelId}`)).stats?.messages ?? NaN) as number;
	const before = await count();
	write(chat);
	expect((await count()) - before).toBe(growth);
});

test.each<[Partial<Shapes>, inbound: object, outbound: object]>([
	[{}, { direction: 'INBOUND', text: 'Hello' }, { direction: 'OUTBOUND' }],
	[{ messageDirection: 'fromMe' }, { fromMe: false }, { fromMe: true }],
	[
		{ messageDirection: 'senderType' },
		{ sender: { type: 'CONTACT' } },
		{ sender: { type: 'AGENT' } },
	],
	[{ messageDirection: 'kind' }, { kind: 'L' }, { kind: 'R' }],
	[{ messageText: 'body' }, { text: { body: 'Hello' } }, { text: { body: 'Hello' } }],
])('a message in the shape %j', async (shapes, inbound, outbound) => {
	shaped(shapes);
	const chat = aChat();
	write(chat);
	write(chat, 'OUTBOUND');
	expect(await data(`/chats/${chat.id}/messages?take=2`)).toMatchObject([outbound, inbound]);
});

test('a message may show neither who sent it nor when', async () => {
	shaped({ messageDirection: 'none', messageTime: 'none' });
	write(aChat());
	const [message] = await data(`/chats/${aChat().id}/messages`);
	expect(Object.keys(message as object).sort()).toEqual(['agentId', 'id', 'text', 'type']);
});

test.each<[Shapes['messageTime'], (at: number) => object]>([
	['createdAt', (at) => ({ createdAt: new Date(at).toISOString() })],
	['seconds', (at) => ({ timestamp: String(Math.floor(at / 1000)) })],
	['milliseconds', (at) => ({ timestamp: at })],
])('the time of a message: %s', async (messageTime, shown) => {
	shaped({ messageTime });
	write(aChat());
	const [message] = await data(`/chats/${aChat().id}/messages`);
	expect(message).toMatchObject(shown(service.clock.now()));
});

test.each<[Shapes['messageOrder'], isLast: boolean]>([
	['newest', false],
	['oldest', true],
])('the order of messages, and the cursor in it: %s first', async (messageOrder, isLast) => {
	shaped({ messageOrder });
	const chat = aChat();
	const { id } = write(chat);
	const ids = (rows: { id: string }[]) => rows.map((row) => row.id);
	const all = ids(await data(`/chats/${chat.id}/messages?take=100`));
	expect(isLast ? all.at(-1) : all[0]).toBe(id);
	const after = ids(await data(`/chats/${chat.id}/messages?take=100&cursor=${all[0]!}`));
	expect(after).toEqual(all.slice(1));
});
