import { createHash } from 'node:crypto';
import type { TicketStatus } from '../../sandbox/records.mts';
import { startService, stateOf, type Service } from './client.mts';

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterAll(async () => await service.close());

const { post, put, get, patch, del } = {
	post: async (path: string, body: object) => await service.http.post(path, body),
	put: async (path: string, body: object) => await service.http.put(path, body),
	patch: async (path: string, body: object) => await service.http.patch(path, body),
	get: async (path: string, params: object = {}) => await service.http.get(path, { params }),
	del: async (path: string, params: object = {}) => await service.http.delete(path, { params }),
};

describe('contacts', () => {
	test('contacts are addressed by ID, waId or igId, and are unique', async () => {
		const { data } = await post('/contacts', { name: 'Nathan Smith', waId: '12025550199' });
		const id: string = data.data.id;
		expect((await get(`/contacts/${id}`)).data.data).toEqual({
			id,
			name: 'Nathan Smith',
			customName: null,
			waId: '12025550199',
			igId: null,
			igUsername: null,
			channel: 'WHATSAPP',
			customFields: [],
			segments: expect.any(Array),
			createdAt: expect.any(String),
			updatedAt: expect.any(String),
		});
		expect((await get('/contacts/12025550199')).data.data.id).toBe(id);
		expect((await post('/contacts', { name: 'Again', waId: '12025550199' })).status).toBe(409);
		expect((await patch('/contacts/12025550199', { igId: 'ig-1' })).status).toBe(200);
		expect((await get('/contacts/ig-1')).data.data.id).toBe(id);
		expect((await get('/contacts/nobody')).status).toBe(404);
		for (const address of [{ igId: 'ig-1' }, { waId: '12025550198', igId: 'ig-1' }])
			expect((await post('/contacts', { name: 'Again', ...address })).status).toBe(409);
	});

	test('each field of a contact is changed, and the contact is found by its new addresses', async () => {
		const { id } = (await post('/contacts', { name: 'Old', waId: '12025553101' })).data.data;
		const changes = {
			name: 'New',
			customName: 'Boss',
			waId: '12025553102',
			igId: 'ig-new',
			igUsername: 'new.shop',
		};
		for (const [field, value] of Object.entries(changes))
			expect((await patch(`/contacts/${id}`, { [field]: value })).data.data[field]).toBe(value);
		expect((await get(`/contacts/${id}`)).data.data).toMatchObject({ id, ...changes });
		for (const address of ['12025553102', 'ig-new'])
			expect((await get(`/contacts/${address}`)).data.data.id).toBe(id);
		expect((await get('/contacts/12025553101')).status).toBe(404);
	});

	test('a contact without an address can be changed', async () => {
		const { world } = service.sandbox;
		const chat = world.chats.find(({ channel }) => channel === 'TELEGRAM')!;
		const changed = await patch(`/contacts/${chat.contactId}`, { customName: 'Boss' });
		expect(changed.data.data).toMatchObject({ customName: 'Boss', waId: null, igId: null });
	});

	test('label and value of a custom field are changed, together or alone', async () => {
		const contact = service.sandbox.world.addContact({ name: 'N', igId: 'fields-1' });
		const path = `/contacts/${contact.id}/fields`;
		const { id } = (await post(path, { label: 'tier', value: 'gold' })).data.data;
		const other = (await post(path, { label: 'city', value: 'Oslo' })).data.data;
		for (const [change, expected] of [
			[{ label: 'level' }, { id, label: 'level', value: 'gold' }],
			[{ value: 'silver' }, { id, label: 'level', value: 'silver' }],
			[
				{ label: 'a', value: '' },
				{ id, label: 'a', value: '' },
			],
		] as const) {
			expect((await patch(`${path}/${id}`, change)).data.data).toEqual(expected);
			expect(contact.customFields).toEqual([expected, other]);
		}
		await del(`${path}/${id}`);
		expect(contact.customFields).toEqual([other]);
	});

	test('cells of a CSV file are quoted where needed', async () => {
		const { world } = service.sandbox;
		const { id } = world.addContact({ name: 'Lee, "Ann"\nB', igId: 'quoted' });
		const { data } = await get('/contacts/export', { search: 'quoted' });
		const { createdAt } = world.contacts.get(id)!;
		expect(data).toBe(
			`id,name,customName,waId,igId,igUsername,createdAt\r\n${id},"Lee, ""Ann""\nB",,,quoted,,${createdAt}\r\n`,
		);
	});

	test('the import template has the columns of an import', async () => {
		expect((await get('/contacts/import-template')).data).toBe('name,waId,igId\r\n');
	});
});

describe('tickets', () => {
	test('only the details of a ticket have its notes', async () => {
		const { id } = (await post('/tickets', { title: 'T', description: 'First' })).data.data;
		const [listed] = (await get('/tickets')).data.data;
		expect([listed.id, 'notes' in listed]).toEqual([id, false]);
		expect((await get(`/tickets/${id}`)).data.data.notes).toHaveLength(1);
	});

	test('a ticket of a chat has the contact of the chat, and no other', async () => {
		const { world } = service.sandbox;
		const chat = world.chats.find(() => true)!;
		const create = async (fields: object) =>
			await post('/tickets', { title: 'T', chatId: chat.id, ...fields });
		for (const fields of [{}, { contactId: chat.contactId }])
			expect((await create(fields)).data.data).toMatchObject({
				chatId: chat.id,
				contactId: chat.contactId,
			});
		const other = world.contacts.find(({ id }) => id !== chat.contactId)!.id;
		const { size } = world.tickets;
		expect((await create({ contactId: other })).status).toBe(400);
		expect(world.tickets.size).toBe(size);
	});

	test('the contact of a ticket is given by any of its IDs; several must be of one contact', async () => {
		const { world } = service.sandbox;
		const both = world.addContact({ name: 'N', waId: '12025553201', igId: 'ig-3201' });
		world.addContact({ name: 'Other', waId: '12025553202', igId: 'ig-3202' });
		const ids = { contactId: both.id, contactWaId: both.waId, contactIgId: both.igId };
		const create = async (fields: object) => await post('/tickets', { title: 'T', ...fields });
		for (const [name, value] of Object.entries(ids)) {
			expect((await create({ [name]: value })).data.data.contactId).toBe(both.id);
			expect((await create({ [name]: 'unknown' })).status).toBe(400);
			expect((await create({ ...ids, [name]: 'unknown' })).status).toBe(400);
		}
		expect((await create(ids)).data.data.contactId).toBe(both.id);
		for (const other of [{ contactWaId: '12025553202' }, { contactIgId: 'ig-3202' }])
			expect((await create({ ...ids, ...other })).status).toBe(400);
		expect((await create({})).data.data).toMatchObject({ contactId: null, chatId: null });
	});

	test('the description of a ticket is its first note, and a note has its author', async () => {
		const author = service.sandbox.world.users.find(() => true)!.id;
		const create = async (fields: object) =>
			(await post('/tickets', { title: 'T', ...fields })).data.data.id as string;
		const notes = async (id: string) => (await get(`/tickets/${id}`)).data.data.notes as object[];
		expect(await notes(await create({}))).toEqual([]);
		const id = await create({ description: 'First' });
		await post(`/tickets/${id}/notes`, { body: 'Second', authorId: author });
		await post(`/tickets/${id}/notes`, { body: 'Third' });
		expect(await notes(id)).toMatchObject([
			{ body: 'First', authorId: null },
			{ body: 'Second', authorId: author },
			{ body: 'Third', authorId: null },
		]);
	});

	test('a note is not delivered to the customer', async () => {
		const { world } = service.sandbox;
		const chat = world.chats.find(({ channel }) => channel === 'WHATSAPP')!;
		const before = structuredClone(world.messages);
		const { id } = (await post('/tickets', { title: 'T', chatId: chat.id, description: 'D' })).data
			.data;
		await post(`/tickets/${id}/notes`, { body: 'B' });
		expect(world.messages).toEqual(before);
	});

	test('a ticket goes from any status to any other', async () => {
		const statuses: TicketStatus[] = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
		for (const from of statuses) {
			const { id, status } = (await post('/tickets', { title: 'T', status: from })).data.data;
			expect(status).toBe(from);
			for (const to of statuses) {
				await put(`/tickets/${id}`, { status: from });
				expect((await put(`/tickets/${id}`, { status: to })).data.data.status).toBe(to);
				expect((await get(`/tickets/${id}`)).data.data.status).toBe(to);
			}
		}
	});

	test('each field of a ticket is changed alone, by its ID or number', async () => {
		const [first, second] = service.sandbox.world.users.filter(() => true);
		const { id, ticketNumber } = (
			await post('/tickets', { title: 'T', assigneeId: first!.id, priority: 'LOW' })
		).data.data;
		const expected = { id, title: 'T', status: 'OPEN', priority: 'LOW', assigneeId: first!.id };
		for (const [change, key] of [
			[{ priority: 'URGENT' }, id],
			[{ assigneeId: second!.id }, ticketNumber],
			[{ status: 'CLOSED' }, id],
			[{}, ticketNumber],
		] as const) {
			Object.assign(expected, change);
			expect((await put(`/tickets/${key as string}`, change)).data.data).toMatchObject(expected);
			expect((await get(`/tickets/${ticketNumber}`)).data.data).toMatchObject(expected);
		}
	});

	test('tickets are created with a status and a priority, or with those of the sandbox', async () => {
		const create = async (fields: object) =>
			(await post('/tickets', { title: 'T', ...fields })).data.data;
		expect(await create({})).toMatchObject({ status: 'OPEN', priority: 'MEDIUM' });
		expect(await create({ status: 'RESOLVED', priority: 'LOW' })).toMatchObject({
			status: 'RESOLVED',
			priority: 'LOW',
		});
	});
});

test('clearing a field of a contact is possible, but not its name or its only address', async () => {
	const { data } = await post('/contacts', { name: 'N', waId: '12025559999' });
	const path = `/contacts/${data.data.id as string}`;
	const change = async (body: object) => await patch(path, body);
	expect((await change({ customName: 'C', igId: 'clear-1' })).status).toBe(200);
	expect((await change({ customName: '', igId: '' })).data.data).toMatchObject({
		customName: null,
		igId: null,
	});
	expect((await get('/contacts/clear-1')).status).toBe(404);
	expect((await change({ waId: '' })).status).toBe(400);
	expect((await change({ name: '' })).status).toBe(400);
	expect((await get('/contacts/12025559999')).data.data.name).toBe('N');
});

test('a contact cannot take the address of another, but can keep its own', async () => {
	const make = async (n: number) =>
		(await post('/contacts', { name: 'N', waId: `1202555888${n}`, igId: `own-${n}` })).data.data
			.id as string;
	const [first] = [await make(1), await make(2)];
	const change = async (body: object) => (await patch(`/contacts/${first}`, body)).status;
	expect(await change({ waId: '12025558882' })).toBe(400);
	expect(await change({ igId: 'own-2' })).toBe(400);
	expect(await change({ waId: '12025558881', igId: 'own-1' })).toBe(200);
	// Both are still found by their own addresses.
	expect((await get('/contacts/own-1')).data.data.id).toBe(first);
	expect((await get('/contacts/12025558882')).data.data.igId).toBe('own-2');
});

describe('records that a request names', () => {
	test.each<[method: 'post' | 'put', path: string, body: object]>([
		['post', '/tickets', { title: 'T', priority: 'high' }],
		['post', '/tickets', { title: 'T', status: 'DONE' }],
		['post', '/tickets', { title: 'T', status: { name: 'OPEN' } }],
		['post', '/tickets', { title: 'T', assigneeId: 'nobody' }],
		['post', '/tickets', { title: 'T', chatId: 'none' }],
		['put', '/tickets/1001', { assigneeId: 'nobody' }],
		['post', '/tickets/1001/notes', { body: 'B', authorId: 'nobody' }],
	])('%s %s is rejected with %j, and changes nothing', async (method, path, body) => {
		const before = stateOf(service.sandbox.world);
		expect((await service.http[method](path, body)).status).toBe(400);
		expect(stateOf(service.sandbox.world)).toEqual(before);
	});
});

test('segments have unique names, accept members of the organization only, and are deleted without their contacts', async () => {
	const { world } = service.sandbox;
	const contact = world.contacts.find(() => true)!;
	const made = (await post('/segments', { name: 'New', description: 'Since May' })).data.data;
	expect(made.description).toBe('Since May');
	const id: string = made.id;
	expect((await post('/segments', { name: 'New' })).status).toBe(409);
	expect(
		(await put(`/segments/${id}/members`, { action: 'add', contactIds: [contact.id, 'nobody'] }))
			.status,
	).toBe(400);
	expect(
		(await put(`/segments/${id}/members`, { action: 'add', contactIds: [contact.id] })).data.data
			.memberCount,
	).toBe(1);
	expect((await get(`/contacts/${contact.id}`)).data.data.segments).toContainEqual({
		id,
		name: 'New',
	});
	expect(
		(await put(`/segments/${id}/members`, { action: 'remove', contactIds: [contact.id] })).data.data
			.memberCount,
	).toBe(0);
	expect((await del(`/segments/${id}`)).data.data).toEqual({ id });
	expect((await get(`/segments/${id}`)).status).toBe(404);
	expect(world.contacts.get(contact.id)).toBeDefined();
});

test.each(['add', 'remove'])(
	'if one contact does not exist, no member is changed: %s',
	async (action) => {
		const { world } = service.sandbox;
		const segment = world.segments.find(({ name }) => name === 'Returning customers')!;
		const member = [...segment.members][0]!;
		const stranger = world.contacts.find(({ id }) => !segment.members.has(id))!.id;
		const before = stateOf(world);
		const foreign = service.sandbox.otherWorld.contacts.find(() => true)!.id;
		for (const unknown of ['nobody', foreign, world.contacts.get(member)!.waId ?? 'x']) {
			const change = { action, contactIds: [member, stranger, unknown] };
			expect((await put(`/segments/${segment.id}/members`, change)).status).toBe(400);
		}
		expect(stateOf(world)).toEqual(before);
		// A member can be added again, and who is none can be removed.
		const contactIds = [action === 'add' ? member : stranger];
		const again = await put(`/segments/${segment.id}/members`, { action, contactIds });
		expect(again.data.data.memberCount).toBe(segment.members.size);
		expect(stateOf(world)).toEqual(before);
	},
);

test('a new segment is static and empty, unless it is told otherwise', async () => {
	const made = (await post('/segments', { name: 'Plain' })).data.data;
	expect(made).toEqual({
		id: expect.any(String),
		name: 'Plain',
		description: null,
		isDynamic: false,
		rules: null,
		createdAt: new Date(service.clock.now()).toISOString(),
		memberCount: 0,
	});
	const more = { description: 'D', isDynamic: true, rules: { channel: 'WHATSAPP' } };
	const dynamic = (await post('/segments', { name: 'Numbers', ...more })).data.data;
	const numbers = service.sandbox.world.contacts.filter(({ waId }) => waId !== null);
	expect(dynamic).toMatchObject({ ...more, memberCount: numbers.length });
	const without = (await post('/segments', { name: 'No rules', isDynamic: true })).data.data;
	// Rules alone make no segment dynamic.
	const { rules } = more;
	const plain = (await post('/segments', { name: 'Rules', rules })).data.data;
	expect(plain).toMatchObject({ rules, isDynamic: false, memberCount: 0 });
	expect((await get(`/contacts/${numbers[0]!.id}`)).data.data.segments).not.toContainEqual({
		id: plain.id,
		name: 'Rules',
	});
	expect(without).toMatchObject({ isDynamic: true, memberCount: 0 });
	expect((await get('/segments')).data.data).toContainEqual(made);
	for (const { id } of [made, dynamic, without, plain]) await del(`/segments/${id as string}`);
});

test('deleting a segment removes it from its contacts, and keeps them, their other segments and its broadcasts', async () => {
	const { world } = service.sandbox;
	const [doomed, kept] = [
		world.addContact({ name: 'A', waId: '12025557001' }),
		world.addContact({ name: 'B', waId: '12025557002' }),
	];
	const make = async (name: string) => {
		const id: string = (await post('/segments', { name })).data.data.id;
		await put(`/segments/${id}/members`, { action: 'add', contactIds: [doomed.id, kept.id] });
		return id;
	};
	const [first, second] = [await make('To delete'), await make('To keep')];
	const broadcast = await post('/broadcasts', {
		name: 'To the segment',
		templateName: 'welcome',
		templateLanguage: 'de',
		templateComponents: [
			{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'N' }] },
		],
		audienceMode: 'segment',
		segmentId: first,
	});
	const contacts = world.contacts.size;
	expect((await del(`/segments/${first}`)).status).toBe(200);
	expect((await get(`/broadcasts/${broadcast.data.data.id}`)).data.data).toMatchObject({
		audienceMode: 'segment',
		recipientCount: 2,
	});
	expect((await del(`/segments/${first}`)).status).toBe(404);
	expect(world.contacts.size).toBe(contacts);
	for (const { id } of [doomed, kept])
		expect((await get(`/contacts/${id}`)).data.data.segments).toEqual([
			{ id: second, name: 'To keep' },
		]);
	expect((await get('/contacts', { segmentId: first })).data.meta.total).toBe(0);
	expect((await get(`/segments/${second}`)).data.data.memberCount).toBe(2);
	service.clock.advance(60_000);
	// Its name is free again.
	expect((await post('/segments', { name: 'To delete' })).status).toBe(200);
});

test('the members of a dynamic segment follow its rules, and cannot be changed', async () => {
	const contact = service.sandbox.world.addContact({ name: 'D', igId: 'dynamic-1' });
	const rules = { channel: 'INSTAGRAM' };
	const { id } = (await post('/segments', { name: 'Dynamic', isDynamic: true, rules })).data.data;
	expect((await get('/contacts', { segmentId: id, search: 'dynamic-1' })).data.meta.total).toBe(1);
	const all = service.sandbox.world.contacts.filter(({ igId }) => igId !== null);
	expect((await get(`/segments/${id}`)).data.meta.total).toBe(all.length);
	for (const action of ['add', 'remove']) {
		const change = { action, contactIds: [contact.id] };
		expect((await put(`/segments/${id}/members`, change)).status).toBe(400);
	}
});

test('a template is approved by the sync after its review, and deleted by ID and name together', async () => {
	const submit = { category: 'UTILITY', components: [{ type: 'BODY', text: 'Hello {{1}}' }] };
	const created = (await post('/templates', { ...submit, name: 'late_news' })).data.data;
	const status = async () =>
		(await get('/templates')).data.data.find(({ id }: { id: string }) => id === created.id)?.status;
	expect(await status()).toBe('PENDING');
	const send = {
		to: '12015550100',
		type: 'template',
		templateName: 'late_news',
		templateLanguage: 'en_US',
	};
	expect((await post('/messages', send)).data.error).toMatch(/not approved/);
	await post('/templates/sync', {});
	expect(await status()).toBe('APPROVED');
	expect((await del(`/templates/${created.id}`)).status).toBe(400);
	expect((await del(`/templates/${created.id}`, { name: 'other' })).status).toBe(400);
	expect((await del(`/templates/${created.id}`, { name: 'late_news' })).status).toBe(200);
	expect(await status()).toBeUndefined();
});

describe('a new template', () => {
	const components = [{ type: 'BODY', text: 'Hello' }];
	const create = async (fields: object) =>
		await post('/templates', { category: 'UTILITY', components, ...fields });

	test('has what was given, and waits for its approval', async () => {
		const given = { name: 'given', category: 'MARKETING', language: 'de', components };
		const { data } = (await create({ ...given, allowCategoryChange: true })).data;
		expect(data).toMatchObject({ ...given, status: 'PENDING', allowCategoryChange: true });
		// The ID is one of the messaging platform, and not a cuid.
		expect(data.id).toMatch(/^\d{16}$/);
		const createdAt = new Date(service.clock.now()).toISOString();
		expect(data).toMatchObject({ hsm_id: data.id, channelId: null, createdAt });
		// What the owner decides is not known before the sync.
		expect(data).not.toHaveProperty('decision');
		expect((await get('/templates')).data.data).toContainEqual(data);
	});

	test('is in en_US, unless it is told otherwise', async () => {
		expect((await create({ name: 'standard' })).data.data).toMatchObject({
			language: 'en_US',
			allowCategoryChange: false,
		});
	});

	test('is one of a name and language', async () => {
		expect((await create({ name: 'unique' })).status).toBe(200);
		expect((await create({ name: 'unique', language: 'en_US' })).status).toBe(400);
		const other = await create({ name: 'unique', language: 'de' });
		expect([other.status, other.data.data.language]).toEqual([200, 'de']);
	});

	test('is approved or rejected by the sync', async () => {
		const made = await Promise.all([create({ name: 'fine' }), create({ name: 'rejected' })]);
		const ids = made.map(({ data }) => data.data.id as string);
		const synced = (await post('/templates/sync', {})).data.data.synced as number;
		expect(synced).toBe(service.sandbox.world.templates.size);
		const status = (id: string) => service.sandbox.world.templates.get(id)!.status;
		expect(ids.map(status)).toEqual(['APPROVED', 'REJECTED']);
	});
});

describe('broadcasts', () => {
	const campaign = { name: 'B', templateName: 'spring_sale', templateLanguage: 'en_US' };
	const text = (value: string) => ({ type: 'text', text: value });
	const broadcast = {
		...campaign,
		templateComponents: [
			{ type: 'header', parameters: [{ type: 'image', image: { id: 'm1' } }] },
			{ type: 'body', parameters: [text('Ann'), text('20%')] },
			{ type: 'button', sub_type: 'url', index: '0', parameters: [text('spring')] },
		],
	};
	const phones = ['12015550100', '12025550100', '12035550100'];
	const statusOf = async (id: string) => (await get(`/broadcasts/${id}`)).data.data.status;
	const csv = 'phone,header_image,1,2,button_1\n+12015550100,m1,Änn,20%,spring\n';
	/** The campaign as a form, with files. */
	const formOf = (fields: Record<string, string>, files: string[] = []) => {
		const form = new FormData();
		for (const [name, value] of Object.entries({ ...campaign, ...fields }))
			form.append(name, value);
		for (const name of files) form.append('file', new Blob([csv]), name);
		return form;
	};

	test('broadcasts progress through their statuses over time, with delivery statistics', async () => {
		const { id, status } = (await post('/broadcasts', { ...broadcast, recipients: phones })).data
			.data;
		expect(status).toBe('QUEUED');
		service.clock.advance(2_010);
		expect(await statusOf(id)).toBe('PROCESSING');
		expect((await get('/broadcasts', { status: 'PROCESSING' })).data.meta.total).toBe(1);
		service.clock.advance(60_000);
		expect((await get(`/broadcasts/${id}`)).data.data).toMatchObject({
			status: 'COMPLETED',
			statistics: { total: 3, sent: 3, failed: 0, pending: 0 },
		});
	});

	test('scheduled broadcasts wait for their time', async () => {
		const sendAt = new Date(service.clock.now() + 3_600_000).toISOString();
		const { id } = (
			await post('/broadcasts', {
				...broadcast,
				recipients: phones,
				scheduleType: 'schedule',
				sendAt,
			})
		).data.data;
		expect(await statusOf(id)).toBe('SCHEDULED');
		service.clock.advance(3_600_000);
		expect(await statusOf(id)).toBe('QUEUED');
	});

	test('broadcasts end as PARTIAL or FAILED when numbers cannot be reached', async () => {
		const partial = (await post('/broadcasts', { ...broadcast, recipients: [...phones, '1'] })).data
			.data.id;
		const failed = (await post('/broadcasts', { ...broadcast, recipients: ['1', '2'] })).data.data
			.id;
		service.clock.advance(60_000);
		expect([await statusOf(partial), await statusOf(failed)]).toEqual(['PARTIAL', 'FAILED']);
		const { statistics } = (await get(`/broadcasts/${partial}`)).data.data;
		expect(statistics).toMatchObject({ total: 4, sent: 3, failed: 1, pending: 0 });
	});

	test.each([
		['an unknown template', { templateName: 'none', recipients: phones }, 404],
		['an unknown segment', { audienceMode: 'segment', segmentId: 'x' }, 404],
		[
			'a time in the past',
			{ recipients: phones, scheduleType: 'schedule', sendAt: '2020-01-01T00:00:00Z' },
			400,
		],
		['an unknown channel', { recipients: phones, channelId: 'x' }, 404],
		[
			'the present time',
			{
				recipients: phones,
				scheduleType: 'schedule',
				sendAt: () => new Date(service.clock.now()).toISOString(),
			},
			400,
		],
		[
			'a segment without WhatsApp contacts',
			{
				audienceMode: 'segment',
				segmentId: () => {
					const { segments, contacts } = service.sandbox.world;
					const { id: member } = contacts.find(({ waId }) => waId === null)!;
					const sample = segments.find(({ isDynamic }) => !isDynamic)!;
					return segments.add({ ...sample, id: 'no-numbers', members: new Set([member]) }).id;
				},
			},
			400,
		],
	])('a broadcast is rejected with %s, and changes nothing', async (_name, fields, status) => {
		const body = Object.entries(fields).map(([name, value]: [string, unknown]) => [
			name,
			typeof value === 'function' ? (value as () => unknown)() : value,
		]);
		const { size } = service.sandbox.world.broadcasts;
		const sent = { ...broadcast, ...Object.fromEntries(body) };
		expect((await post('/broadcasts', sent)).status).toBe(status);
		expect(service.sandbox.world.broadcasts.size).toBe(size);
	});

	test('a broadcast is sent at once, on the default channel, by the Cloud API, to a list', async () => {
		const { data } = (await post('/broadcasts', { ...broadcast, recipients: phones })).data;
		const { name } = service.sandbox.world.channels.get(data.channelId as string)!;
		expect(name).toBe('Customer Care');
		const { world } = service.sandbox;
		const template = world.templates.find((row) => row.name === 'spring_sale')!;
		expect(data).toMatchObject({
			name: 'B',
			templateId: template.id,
			templateName: 'spring_sale',
			templateLanguage: 'en_US',
			audienceMode: 'list',
			recipientCount: 3,
			status: 'QUEUED',
			scheduledAt: null,
		});
	});

	test('the details of a broadcast have its settings', async () => {
		const marketing = service.sandbox.world.channels.find(({ name }) => name === 'Marketing')!;
		const settings = {
			channelId: marketing.id,
			templateCategory: 'MARKETING',
			apiType: 'marketing_messages',
			ttlSeconds: 86_400,
			messageActivitySharing: true,
		};
		const sendAt = new Date(service.clock.now() + 60_000).toISOString();
		const schedule = { scheduleType: 'schedule', sendAt, recipients: phones };
		const { id } = (await post('/broadcasts', { ...broadcast, ...settings, ...schedule })).data
			.data;
		const { templateComponents } = broadcast;
		expect((await get(`/broadcasts/${id}`)).data.data).toMatchObject({
			...settings,
			templateComponents,
			scheduledAt: sendAt,
			statistics: { total: 3, sent: 0, delivered: 0, read: 0, failed: 0, pending: 3 },
		});
	});

	test('the fields of an upload have the types of the document', async () => {
		const upload = async (fields: Record<string, string>) =>
			await post('/broadcasts', formOf({ audienceMode: 'csv', ...fields }, ['people.csv']));
		const api = { apiType: 'marketing_messages' };
		for (const [text, value] of [
			['true', true],
			['false', false],
		] as const) {
			const typed = await upload({ ...api, ttlSeconds: '43200', messageActivitySharing: text });
			expect(typed.data.data).toMatchObject({ ttlSeconds: 43_200, messageActivitySharing: value });
		}
		for (const text of ['yes', 'TRUE', '1', ''])
			expect((await upload({ ...api, messageActivitySharing: text })).status).toBe(400);
		for (const text of ['43199', '12h', ''])
			expect((await upload({ ...api, ttlSeconds: text })).status).toBe(400);
		expect((await upload({ templateCategory: 'OTHER' })).status).toBe(400);
		expect((await upload({ other: 'x' })).status).toBe(400);
		const broken = await upload({ templateComponents: '[' });
		expect([broken.status, broken.data.error]).toEqual([
			400,
			'templateComponents is not valid JSON',
		]);
	});

	test('a form without a file is for a list, with its lists as JSON', async () => {
		const fields = {
			recipients: JSON.stringify(phones),
			templateComponents: JSON.stringify(broadcast.templateComponents),
		};
		const { data } = await post('/broadcasts', formOf(fields));
		expect(data.data).toMatchObject({
			recipientCount: 3,
			templateComponents: broadcast.templateComponents,
		});
	});

	test('an upload has one file, and each field once', async () => {
		const { size } = service.sandbox.world.broadcasts;
		const twoFiles = await post('/broadcasts', formOf({ audienceMode: 'csv' }, ['a', 'b']));
		expect([twoFiles.status, twoFiles.data.error]).toEqual([400, 'An upload has one file']);
		const form = formOf({ audienceMode: 'csv' }, ['people.csv']);
		form.append('name', 'C');
		const twoNames = await post('/broadcasts', form);
		expect([twoNames.status, twoNames.data.error]).toEqual([400, 'name is given twice']);
		expect(service.sandbox.world.broadcasts.size).toBe(size);
	});

	test('broadcasts accept an uploaded file, whatever the name of its part', async () => {
		const form = formOf({ audienceMode: 'csv' });
		form.append('whatever', new Blob([csv], { type: 'text/x-list' }), 'people.csv');
		expect((await post('/broadcasts', form)).data.data.recipientCount).toBe(1);
		expect(service.sandbox.requests.at(-1)).toMatchObject({
			body: { ...campaign, audienceMode: 'csv' },
			file: {
				partName: 'whatever',
				name: 'people.csv',
				mimeType: 'text/x-list',
				sha256: createHash('sha256').update(csv).digest('hex'),
			},
		});
		const { data } = await get('/broadcasts/csv-template', {
			templateName: 'welcome',
			templateLanguage: 'de',
		});
		expect(data).toBe('phone,name\r\n');
	});
});

test('an import job completes, creates contacts, and reports the rows that failed', async () => {
	const form = new FormData();
	form.append(
		'upload',
		new Blob([
			'\uFEFFname,waId,igId\r\n"Lee, Änn",12045550199,\r\n,12055550199,\r\nBob,,\r\n',
			' ,12055550199,\r\nBob, , \r\n,,\r\n\r\n',
		]),
		'new people.csv',
	);
	const job = (await post('/contacts/import', form)).data.data;
	const createdAt = new Date(service.clock.now()).toISOString();
	expect(job).toMatchObject({ status: 'queued', fileName: 'new people.csv', createdAt });
	expect((await get('/contacts/imports', { activeOnly: true })).data.data).toHaveLength(1);
	service.clock.advance(60_000);
	expect((await get(`/contacts/imports/${job.id}`)).data.data).toMatchObject({
		status: 'completed',
		totalRows: 6,
		successCount: 1,
		failedCount: 5,
	});
	expect((await get('/contacts/imports', { activeOnly: true })).data.data).toEqual([]);
	expect((await get('/contacts/12045550199')).data.data).toMatchObject({
		name: 'Lee, Änn',
		waId: '12045550199',
		igId: null,
	});
	const errors = await get(`/contacts/imports/${job.id}/errors`);
	expect(errors.headers['content-disposition']).toContain(`import-${job.id as string}-errors.csv`);
	expect(errors.data).toBe(
		[
			'row,name,waId,igId,error',
			'3,,12055550199,,name is missing',
			'4,Bob,,,waId or igId is missing',
			'5, ,12055550199,,name is missing',
			'6,Bob, , ,waId or igId is missing',
			'7,,,,name is missing',
			'',
		].join('\r\n'),
	);
	expect((await get('/contacts/imports/x')).status).toBe(404);
	expect((await post('/contacts/import', new FormData())).status).toBe(400);
});

test('an import job counts its rows while it is processed, and is active until its end', async () => {
	const send = async (rows: string[]) => {
		const form = new FormData();
		form.append('file', new Blob([['name,waId', ...rows].join('\n')]), 'people.csv');
		return (await post('/contacts/import', form)).data.data.id as string;
	};
	const active = async () =>
		((await get('/contacts/imports', { activeOnly: true })).data.data as { id: string }[]).map(
			({ id }) => id,
		);
	const rows = Array.from({ length: 10 }, (_, n) => `Ann,1202555${String(5000 + n)}`);
	const id = await send([...rows.slice(0, 8), 'Bob,', ',12025555999']);
	const job = async () => (await get(`/contacts/imports/${id}`)).data.data;
	expect(await job()).toMatchObject({ status: 'queued', totalRows: 10, processedRows: 0 });
	expect(await active()).toEqual([id]);
	// Two seconds in the queue, then 20 ms for each row.
	service.clock.advance(1_999);
	expect(await job()).toMatchObject({ status: 'queued', processedRows: 0, successCount: 0 });
	service.clock.advance(1);
	expect(await job()).toMatchObject({ status: 'processing', processedRows: 0, successCount: 0 });
	service.clock.advance(3 * 20);
	expect(await job()).toMatchObject({ processedRows: 3, successCount: 2 });
	service.clock.advance(2 * 20 - 1);
	expect(await job()).toMatchObject({ processedRows: 4 });
	service.clock.advance(1);
	expect(await job()).toMatchObject({
		status: 'processing',
		processedRows: 5,
		successCount: 4,
		failedCount: 0,
	});
	const later = await send(rows.slice(8));
	expect(await active()).toEqual([later, id]);
	service.clock.advance(5 * 20 - 1);
	expect(await job()).toMatchObject({ status: 'processing', processedRows: 9, failedCount: 0 });
	service.clock.advance(1);
	expect(await job()).toMatchObject({
		status: 'completed',
		processedRows: 10,
		successCount: 8,
		failedCount: 2,
	});
	expect(await active()).toEqual([later]);
	service.clock.advance(60_000);
	expect(await active()).toEqual([]);
	const all = (await get('/contacts/imports')).data.data as { id: string }[];
	expect(all.slice(0, 2).map((row) => row.id)).toEqual([later, id]);
	expect((await get('/contacts/imports', { activeOnly: false })).data.data).toHaveLength(
		all.length,
	);
});

test.each([
	['without rows', 'name,waId', 'completed', 0],
	['without a column of addresses', 'name\nAnn\nBob', 'failed', 2],
])('an import of a file %s', async (_name, csv, status, rows) => {
	const form = new FormData();
	form.append('file', new Blob([csv]), 'people.csv');
	const { id } = (await post('/contacts/import', form)).data.data;
	service.clock.advance(60_000);
	const counts = { totalRows: rows, processedRows: rows, successCount: 0, failedCount: rows };
	expect((await get(`/contacts/imports/${id}`)).data.data).toMatchObject({ status, ...counts });
	expect((await get('/contacts/imports', { activeOnly: true })).data.data).toEqual([]);
});

test('an import updates the contacts that exist, and accepts Instagram IDs', async () => {
	const { world } = service.sandbox;
	const known = world.contacts.find(({ waId }) => waId !== null)!;
	world.changeContact(known, { igId: 'ig-known', customName: 'Boss' });
	const { id, waId } = known;
	const size = world.contacts.size;
	const send = async (csv: string) => {
		const form = new FormData();
		form.append('file', new Blob([csv]), 'people.csv');
		return (await post('/contacts/import', form)).status;
	};
	const rows = [`Renamed,${waId!},`, 'New,,ig-imported', 'Again,,ig-imported'];
	expect(await send(`name,waId,igId\r\n${rows.join('\r\n')}`)).toBe(200);
	service.clock.advance(60_000);
	expect((await get('/contacts/imports')).data.data[0]).toMatchObject({
		successCount: 3,
		failedCount: 0,
	});
	const renamed = { id, name: 'Renamed', customName: 'Boss', waId, igId: 'ig-known' };
	for (const key of [waId!, 'ig-known'])
		expect((await get(`/contacts/${key}`)).data.data).toMatchObject(renamed);
	expect((await get('/contacts', { search: 'renamed' })).data.data).toMatchObject([renamed]);
	expect((await get('/contacts/ig-imported')).data.data).toMatchObject({
		name: 'Again',
		waId: null,
		igId: 'ig-imported',
	});
	expect(world.contacts.size).toBe(size + 1);
	expect(await send('waId,igId\r\n12025550143,')).toBe(400);
});

test('a channel has its totals, and the organization its name', async () => {
	const { world } = service.sandbox;
	for (const { id, name } of [...world.channels.newestFirst()]) {
		const chats = world.chats.filter(({ channelId }) => channelId === id);
		const messages = chats.flatMap((chat) => world.messages.get(chat.id) ?? []).length;
		const broadcasts = world.broadcasts.filter(({ channelId }) => channelId === id).length;
		expect((await get(`/channels/${id}`)).data.data).toMatchObject({
			id,
			name,
			stats: { chats: chats.length, messages, broadcasts },
		});
	}
	const types = world.channels.filter(() => true).map(({ type }) => type);
	expect(types.sort()).toEqual([
		'INSTAGRAM',
		'TELEGRAM',
		'TIKTOK_SHOP',
		'WEBCHAT',
		'WHATSAPP',
		'WHATSAPP',
	]);
	expect((await get('/organization')).data.data.name).toBe('Example Organization');
});
