import axios from 'axios';
import { readContract, routesOf } from '../../sandbox/contract.mts';
import type { SandboxOptions } from '../../sandbox/options.mts';
import { startService, type Service } from './client.mts';

/** What every response has in common, which records are found, and the shapes that the document leaves open. */

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

const routes = [...routesOf(readContract()).values()].map(({ name }) => name);
const LISTS = [
	'GET /broadcasts',
	'GET /channels',
	'GET /chats',
	'GET /chats/{id}/messages',
	'GET /contacts',
	'GET /contacts/imports',
	'GET /flows',
	'GET /segments',
	'GET /templates',
	'GET /tickets',
	'GET /users',
];
const FILES = [
	'GET /broadcasts/csv-template',
	'GET /contacts/export',
	'GET /contacts/import-template',
	'GET /contacts/imports/{id}/errors',
];
/** The page of the members: where it is described is undocumented. */
const WITH_MEMBERS = 'GET /segments/{id}';

/** Reads a route, with the ID of a record that exists. */
async function read({ http, sandbox: { world } }: Service, route: string) {
	const path = route.split(' ')[1]!;
	const [resource] = path.slice(1).split('/') as ['chats'];
	const table = path.startsWith('/contacts/imports') ? world.imports : world[resource];
	const url = path.replace('{id}', () => table.find(() => true)!.id);
	const chat = world.chats.find(({ channel }) => channel === 'WHATSAPP')!;
	const params: Record<string, object> = {
		'/chats/session': { contactId: chat.contactId },
		'/broadcasts/csv-template': { templateName: 'welcome', templateLanguage: 'de' },
	};
	return await http.get(url, { params: params[path], responseType: 'text', transformResponse: [] });
}

describe('every response', () => {
	beforeAll(async () => {
		await upload(service, 'name,waId\nAnn,12025550143\n');
	});

	test.each(routes.filter((route) => route.startsWith('GET ')))(
		'%s is in the envelope, or a file',
		async (route) => {
			const { status, headers, data } = await read(service, route);
			expect(status).toBe(200);
			if (FILES.includes(route)) {
				expect(headers['content-type']).toBe('text/csv; charset=utf-8');
				expect(headers['content-disposition']).toMatch(/^attachment; filename="[\w-]+\.csv"$/);
				return;
			}
			expect(headers['content-type']).toMatch(/^application\/json\b/);
			const body = JSON.parse(data as string);
			const isList = LISTS.includes(route);
			const counted = isList || route === WITH_MEMBERS;
			expect(Object.keys(body)).toEqual(['success', 'data', ...(counted ? ['meta'] : [])]);
			expect(body.success).toBe(true);
			expect(Array.isArray(body.data)).toBe(isList);
			if (!counted) return;
			const count = expect.any(Number);
			expect(body.meta).toEqual({ total: count, page: 1, limit: count, totalPages: count });
			expect(Object.values(body.meta as object).every(Number.isInteger)).toBe(true);
			expect(body.meta.totalPages).toBe(Math.ceil(body.meta.total / body.meta.limit));
		},
	);

	test('a write is in the envelope too', async () => {
		const { data } = await service.http.post('/tickets', { title: 'T' });
		expect(data).toEqual({ success: true, data: expect.objectContaining({ title: 'T' }) });
	});
});

describe('a record that does not exist', () => {
	const note = { body: 'B' };
	const field = { label: 'L', value: 'V' };
	const members = { action: 'add', contactIds: [] as string[] };
	const addressed: [route: string, body?: object][] = [
		['GET /chats/{id}'],
		['GET /chats/{id}/messages'],
		['POST /chats/{id}/assign', { agentId: null }],
		['POST /chats/{id}/escalate', {}],
		['POST /chats/{id}/de-escalate', {}],
		['GET /contacts/{id}'],
		['PATCH /contacts/{id}', { name: 'N' }],
		['POST /contacts/{id}/fields', field],
		['PATCH /contacts/{id}/fields/x', field],
		['DELETE /contacts/{id}/fields/x'],
		['GET /contacts/imports/{id}'],
		['GET /contacts/imports/{id}/errors'],
		['GET /segments/{id}'],
		['DELETE /segments/{id}'],
		['PUT /segments/{id}/members', members],
		['GET /broadcasts/{id}'],
		['GET /tickets/{id}'],
		['PUT /tickets/{id}', { status: 'OPEN' }],
		['POST /tickets/{id}/notes', note],
		['GET /channels/{id}'],
	];
	test.each(addressed.map(([route, body]) => ({ route, body })))(
		'$route is 404, and so is one of another organization',
		async ({ route, body: data }) => {
			const { world } = service.sandbox;
			members.contactIds = [world.contacts.find(() => true)!.id];
			const [method, path] = route.split(' ') as [string, string];
			const [resource] = path.slice(1).split('/') as ['chats'];
			const foreign = service.sandbox.otherWorld[resource].find(() => true)!.id;
			for (const id of ['x', foreign]) {
				const url = path.replace('{id}', id);
				const response = await service.http.request({ method, url, data });
				expect([id, response.status]).toEqual([id, 404]);
			}
		},
	);

	test.each(['PATCH', 'DELETE'])('%s of a field that the contact does not have', async (method) => {
		const [first, second] = service.sandbox.world.contacts
			.filter(({ customFields }) => customFields.length > 0)
			.slice(0, 2);
		const url = `/contacts/${first!.id}/fields/${second!.customFields[0]!.id}`;
		const data = method === 'PATCH' ? { value: 'V' } : undefined;
		expect((await service.http.request({ method, url, data })).status).toBe(404);
		expect(second!.customFields[0]!.value).not.toBe('V');
	});

	test.each(['POST', 'PATCH', 'DELETE'])(
		'%s of a field by the address of a contact',
		async (method) => {
			const { world } = service.sandbox;
			for (const address of ['waId', 'igId'] as const) {
				const contact = world.contacts.find((row) => row[address] !== null)!;
				const [own] = contact.customFields;
				const { id } = own ?? { id: 'f' };
				if (!own) contact.customFields.push({ id, label: 'city', value: 'Oslo' });
				const url = `/contacts/${contact[address]!}/fields${method === 'POST' ? '' : `/${id}`}`;
				const data = method === 'DELETE' ? undefined : { label: 'L', value: 'V' };
				expect((await service.http.request({ method, url, data })).status).toBe(404);
			}
		},
	);
});

describe('a token gives access to one organization', () => {
	const other = () => service.as(service.sandbox.tokens.otherOrganization.value);

	test.each(LISTS.filter((route) => !route.includes('{') && !route.includes('imports')))(
		'%s has other records for the token of another',
		async (route) => {
			const url = route.split(' ')[1]!;
			const idsFor = async (http: Service['http']) =>
				((await http.get(url)).data.data as { id: string }[]).map(({ id }) => id);
			const own = new Set(await idsFor(service.http));
			const others = await idsFor(other());
			expect(others.length).toBeGreaterThan(0);
			expect(others.filter((id) => own.has(id))).toEqual([]);
		},
	);

	test('what one writes, the other does not see', async () => {
		const contact = { name: 'Other', waId: '12025550188' };
		expect((await other().post('/contacts', contact)).status).toBe(200);
		expect((await service.http.get('/contacts/12025550188')).status).toBe(404);
		expect((await service.http.post('/contacts', contact)).status).toBe(200);
		expect((await other().get('/contacts/12025550188')).data.data.name).toBe('Other');
	});

	test('each organization has its own credits', async () => {
		const { world, otherWorld, options } = service.sandbox;
		const { flowTrigger } = options.credits;
		const chat = otherWorld.chats.find(({ channel }) => channel === 'WHATSAPP')!;
		const to = otherWorld.contacts.get(chat.contactId)!.waId;
		const { status } = await other().post('/flows/trigger', { to, flowKeyword: 'welcome' });
		expect(status).toBe(200);
		expect(otherWorld.credits.flowTrigger).toBe(flowTrigger - 1);
		expect(world.credits.flowTrigger).toBe(flowTrigger);
	});
});

test('a token is valid until the moment at which it expires', async () => {
	const { tokens } = service.sandbox;
	tokens.expired.expiresAt = service.clock.now() + 1;
	const http = service.as(tokens.expired.value);
	expect((await http.get('/tickets')).status).toBe(200);
	service.clock.advance(1);
	expect((await http.get('/tickets')).status).toBe(403);
});

test('a token is checked even where no endpoint is', async () => {
	const url = `${service.sandbox.baseUrl}/nothing`;
	expect((await axios.get(url, { validateStatus: () => true })).status).toBe(401);
	expect((await service.http.get('/nothing')).status).toBe(404);
	expect((await service.http.delete('/tickets')).status).toBe(404);
});

test('tokens begin with wa_pk_, and channels and the organization show none', async () => {
	for (const { value } of Object.values(service.sandbox.tokens)) expect(value).toMatch(/^wa_pk_/);
	for (const route of ['/channels', '/organization']) {
		const keys = JSON.stringify((await service.http.get(route)).data.data).match(/"\w+":/g)!;
		expect(keys.filter((key) => /token|secret|credential|password/i.test(key))).toEqual([]);
	}
});

describe('shapes that the document leaves open', () => {
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
		const status = async (job: string) =>
			(await data(`/contacts/imports/${job}`)).status as unknown;
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
		const { id } = service.sandbox.world.segments.find(({ name }) => name === 'Newsletter')!;
		const { data: body } = await service.http.get(`/segments/${id}`, {
			params: { limit: 10, page: 2 },
		});
		const at = (path: string[]) => path.reduce<any>((inner, key) => inner[key], body.data);
		expect(at(rows)).toHaveLength(10);
		expect(counts ? at(counts) : body.meta).toMatchObject({ total: 260, page: 2, limit: 10 });
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
		const { id } = service.sandbox.world.segments.find(({ name }) => name === 'Newsletter')!;
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
			expect(JSON.parse(JSON.stringify({ customFields: own, fields }))).toEqual(
				shown(id as string),
			);
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
		expect((await http.get('/chats', { params: { waId: to } })).data.meta.total).toBe(
			isSame ? 1 : 0,
		);
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

	test.each(LISTS)('the rows of a list can be under its name: %s', async (route) => {
		shaped({ lists: 'wrapped' });
		const { data: body } = await read(service, route);
		const { data: rows } = JSON.parse(body as string);
		expect(rows).toEqual({ [route.split('/').at(-1)!]: expect.any(Array) });
	});

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
});
