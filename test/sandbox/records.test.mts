import { startService, type Service } from './client.mts';

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
		expect((await get(`/contacts/${id}`)).data.data.id).toBe(id);
		expect((await get('/contacts/12025550199')).data.data.id).toBe(id);
		expect((await post('/contacts', { name: 'Again', waId: '12025550199' })).status).toBe(409);
		expect((await patch('/contacts/12025550199', { igId: 'ig-1' })).status).toBe(200);
		expect((await get('/contacts/ig-1')).data.data.id).toBe(id);
		expect((await get('/contacts/nobody')).status).toBe(404);
		for (const address of [{ igId: 'ig-1' }, { waId: '12025550198', igId: 'ig-1' }])
			expect((await post('/contacts', { name: 'Again', ...address })).status).toBe(409);
	});

	test('custom fields of a contact are addressed by its ID only', async () => {
		const contact = service.sandbox.world.contacts.find(({ waId }) => waId !== null)!;
		const path = `/contacts/${contact.id}/fields`;
		const field = (await post(path, { label: 'tier', value: 'gold' })).data.data;
		expect((await patch(`${path}/${field.id}`, { value: 'silver' })).data.data).toMatchObject({
			label: 'tier',
			value: 'silver',
		});
		expect((await get(`/contacts/${contact.id}`)).data.data.customFields).toContainEqual({
			id: field.id,
			label: 'tier',
			value: 'silver',
		});
		expect((await del(`${path}/${field.id}`)).status).toBe(200);
		expect((await del(`${path}/${field.id}`)).status).toBe(404);
		expect(
			(await post(`/contacts/${contact.waId!}/fields`, { label: 'a', value: 'b' })).status,
		).toBe(404);
	});

	test('contacts are exported as one CSV file', async () => {
		const { data, headers } = await get('/contacts/export', { search: 'nathan smith' });
		expect(headers['content-disposition']).toContain('contacts.csv');
		expect(data).toMatch(/^id,name,/);
		expect(data).toContain('Nathan Smith');
	});
});

describe('tickets', () => {
	test('tickets are addressed by ID or number, and have notes', async () => {
		const created = (
			await post('/tickets', {
				title: 'T',
				contactWaId: '12015550100',
				description: 'First',
				priority: 'HIGH',
			})
		).data.data;
		expect(created).toMatchObject({ status: 'OPEN', priority: 'HIGH' });
		expect((await post(`/tickets/${created.ticketNumber}/notes`, { body: 'Second' })).status).toBe(
			200,
		);
		const { notes } = (await get(`/tickets/${created.id}`)).data.data;
		expect(notes.map(({ body }: { body: string }) => body)).toEqual(['First', 'Second']);
		expect(
			(await put(`/tickets/${created.ticketNumber}`, { status: 'CLOSED' })).data.data.status,
		).toBe('CLOSED');
		expect((await put('/tickets/0', { status: 'CLOSED' })).status).toBe(404);
	});

	test('a ticket of a chat has the contact of the chat, unless another is given', async () => {
		const { world } = service.sandbox;
		const chat = world.chats.find(() => true)!;
		const create = async (fields: object) =>
			(await post('/tickets', { title: 'T', chatId: chat.id, ...fields })).data.data.contactId;
		expect(await create({})).toBe(chat.contactId);
		const other = world.contacts.find(({ id }) => id !== chat.contactId)!.id;
		expect(await create({ contactId: other })).toBe(other);
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
	expect((await del(`/segments/${id}`)).status).toBe(200);
	expect((await get(`/segments/${id}`)).status).toBe(404);
	expect(world.contacts.get(contact.id)).toBeDefined();
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
	const contacts = world.contacts.size;
	expect((await del(`/segments/${first}`)).status).toBe(200);
	expect((await del(`/segments/${first}`)).status).toBe(404);
	expect(world.contacts.size).toBe(contacts);
	for (const { id } of [doomed, kept])
		expect((await get(`/contacts/${id}`)).data.data.segments).toEqual([
			{ id: second, name: 'To keep' },
		]);
	expect((await get('/contacts', { segmentId: first })).data.meta.total).toBe(0);
	expect((await get(`/segments/${second}`)).data.data.memberCount).toBe(2);
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
	expect((await post('/templates', { ...submit, name: 'Not Allowed' })).status).toBe(400);
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
	});

	test.each([
		['an unknown template', { templateName: 'none', recipients: phones }, 404],
		['no audience', {}, 400],
		['an empty audience', { recipients: [] }, 400],
		['a segment audience without a segment', { audienceMode: 'segment' }, 400],
		['an unknown segment', { audienceMode: 'segment', segmentId: 'x' }, 404],
		['a schedule without a time', { recipients: phones, scheduleType: 'schedule' }, 400],
		[
			'a time in the past',
			{ recipients: phones, scheduleType: 'schedule', sendAt: '2020-01-01T00:00:00Z' },
			400,
		],
		['a time to live that is too short', { recipients: phones, ttlSeconds: 60 }, 400],
	])('a broadcast is rejected with %s', async (_name, body, status) => {
		expect((await post('/broadcasts', { ...broadcast, ...body })).status).toBe(status);
	});

	test('broadcasts accept an uploaded file, whatever the name of its part', async () => {
		const form = new FormData();
		for (const [name, value] of Object.entries({ ...campaign, audienceMode: 'csv' }))
			form.append(name, value);
		const csv = 'phone,header_image,1,2,button_1\n12015550100,m1,Ann,20%,spring\n';
		form.append('whatever', new Blob([csv]), 'people.csv');
		expect((await post('/broadcasts', form)).data.data.recipientCount).toBe(1);
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
		new Blob(['\uFEFFname,waId,igId\r\n"Lee, Ann",12045550199,\r\n,12055550199,\r\nBob,,\r\n']),
		'people.csv',
	);
	const job = (await post('/contacts/import', form)).data.data;
	expect(job.status).toBe('queued');
	expect((await get('/contacts/imports', { activeOnly: true })).data.data).toHaveLength(1);
	service.clock.advance(60_000);
	expect((await get(`/contacts/imports/${job.id}`)).data.data).toMatchObject({
		status: 'completed',
		totalRows: 3,
		successCount: 1,
		failedCount: 2,
	});
	expect((await get('/contacts/imports', { activeOnly: true })).data.data).toEqual([]);
	expect((await get('/contacts/12045550199')).data.data.name).toBe('Lee, Ann');
	expect((await get(`/contacts/imports/${job.id}/errors`)).data).toMatch(
		/3,,12055550199,,name is missing\r\n4,Bob,,,waId or igId is missing/,
	);
	expect((await get('/contacts/imports/x')).status).toBe(404);
	expect((await post('/contacts/import', new FormData())).status).toBe(400);
});

test('an import updates the contacts that exist, and accepts Instagram IDs', async () => {
	const { world } = service.sandbox;
	const known = world.contacts.find(({ waId }) => waId !== null)!;
	const size = world.contacts.size;
	const send = async (csv: string) => {
		const form = new FormData();
		form.append('file', new Blob([csv]), 'people.csv');
		return (await post('/contacts/import', form)).status;
	};
	const rows = [`Renamed,${known.waId!},`, 'New,,ig-imported', 'Again,,ig-imported'];
	expect(await send(`name,waId,igId\r\n${rows.join('\r\n')}`)).toBe(200);
	service.clock.advance(60_000);
	expect((await get('/contacts/imports')).data.data[0]).toMatchObject({
		successCount: 3,
		failedCount: 0,
	});
	expect(known.name).toBe('Renamed');
	expect(world.findContactByIgId('ig-imported')!.name).toBe('Again');
	expect(world.contacts.size).toBe(size + 1);
	expect(await send('waId,igId\r\n12025550143,')).toBe(400);
});

test('channels, users and the organization can be read', async () => {
	const channel = (await get('/channels')).data.data[0];
	expect((await get(`/channels/${channel.id}`)).data.data.stats).toEqual({
		chats: expect.any(Number),
		messages: expect.any(Number),
		broadcasts: expect.any(Number),
	});
	expect((await get('/channels/x')).status).toBe(404);
	expect((await get('/users')).data.data.length).toBeGreaterThan(0);
	expect((await get('/organization')).data.data.name).toBe('Example Organization');
});
