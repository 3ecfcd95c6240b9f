import { useService } from '../support/sandboxClient.mts';

/** Contacts, their fields and segments, and how they are imported and exported. */

const service = useService();

const now = () => new Date(service.clock.now()).toISOString();

describe('a contact', () => {
	const create = async (fields: object) =>
		await service.post('/contacts', { name: 'N', ...fields });

	test('is read by ID, waId or igId', async () => {
		const { data } = await create({ name: 'Nathan', waId: '12025550199', igId: 'ig-1' });
		expect(data).toStrictEqual({
			id: expect.any(String),
			name: 'Nathan',
			customName: null,
			waId: '12025550199',
			igId: 'ig-1',
			igUsername: null,
			channel: 'WHATSAPP',
			customFields: [],
			segments: [{ id: expect.any(String), name: 'Instagram' }],
			createdAt: now(),
			updatedAt: now(),
		});
		for (const key of [data.id, '12025550199', 'ig-1'])
			expect((await service.get(`/contacts/${key}`)).data).toStrictEqual(data);
		expect((await service.get('/contacts/nobody')).status).toBe(404);
	});

	test('is one of each waId and igId', async () => {
		await create({ waId: '12025550197', igId: 'ig-2' });
		for (const address of [
			{ waId: '12025550197' },
			{ igId: 'ig-2' },
			{ waId: '12025550198', igId: 'ig-2' },
		])
			expect((await service.rejected('post', '/contacts', { name: 'N', ...address }))[0]).toBe(409);
	});

	test('is changed by ID, waId or igId, and found by its new addresses only', async () => {
		const { id } = (await create({ name: 'Old', waId: '12025553101', igId: 'ig-old' })).data;
		const changes = [
			[id, 'name', 'New'],
			['12025553101', 'customName', 'Boss'],
			['ig-old', 'igUsername', 'new.shop'],
			[id, 'waId', '12025553102'],
			[id, 'igId', 'ig-new'],
		] as const;
		service.clock.advance(1_000);
		for (const [key, field, value] of changes) {
			const { data } = await service.patch(`/contacts/${key as string}`, { [field]: value });
			expect(data).toMatchObject({ id, [field]: value, updatedAt: now() });
		}
		const all = Object.fromEntries(changes.map(([, field, value]) => [field, value]));
		for (const address of ['12025553102', 'ig-new'])
			expect((await service.get(`/contacts/${address}`)).data).toMatchObject({ id, ...all });
		for (const former of ['12025553101', 'ig-old'])
			expect((await service.get(`/contacts/${former}`)).status).toBe(404);
	});

	test('has fields that can be cleared, but not its name or its only address', async () => {
		const waId = '12025559999';
		const { id } = (await create({ waId, igId: 'clear-1' })).data;
		const path = `/contacts/${id}`;
		await service.patch(path, { customName: 'C' });
		const cleared = { customName: '', igId: '' };
		expect((await service.patch(path, cleared)).data).toMatchObject({
			customName: null,
			igId: null,
		});
		expect((await service.get('/contacts/clear-1')).status).toBe(404);
		for (const field of ['waId', 'name'])
			expect((await service.rejected('patch', path, { [field]: '' }))[0]).toBe(400);
	});

	test('without an address can be changed', async () => {
		const chat = service.world.chats.find(({ channel }) => channel === 'TELEGRAM')!;
		const { data } = await service.patch(`/contacts/${chat.contactId}`, { customName: 'Boss' });
		expect(data).toMatchObject({ customName: 'Boss', waId: null, igId: null });
	});

	test('cannot take the address of another, but can keep its own', async () => {
		const own = { waId: '12025558881', igId: 'own-1' };
		const others = { waId: '12025558882', igId: 'own-2' };
		const { id } = (await create(own)).data;
		await create(others);
		for (const [field, value] of Object.entries(others))
			expect((await service.rejected('patch', `/contacts/${id}`, { [field]: value }))[0]).toBe(400);
		expect((await service.patch(`/contacts/${id}`, own)).status).toBe(200);
		for (const { waId, igId } of [own, others])
			expect((await service.get(`/contacts/${waId}`)).data.igId).toBe(igId);
	});

	test('has custom fields whose label and value are changed, together or alone', async () => {
		const contact = service.world.addContact({ name: 'N', igId: 'fields-1' });
		const path = `/contacts/${contact.id}/fields`;
		const fields = async () => (await service.get(`/contacts/${contact.id}`)).data.customFields;
		const { id } = (await service.post(path, { label: 'tier', value: 'gold' })).data;
		const other = (await service.post(path, { label: 'city', value: 'Oslo' })).data;
		for (const [change, expected] of [
			[{ label: 'level' }, { id, label: 'level', value: 'gold' }],
			[{ value: 'silver' }, { id, label: 'level', value: 'silver' }],
			[
				{ label: 'a', value: '' },
				{ id, label: 'a', value: '' },
			],
		] as const) {
			expect((await service.patch(`${path}/${id}`, change)).data).toStrictEqual(expected);
			expect(await fields()).toStrictEqual([expected, other]);
		}
		expect((await service.delete(`${path}/${id}`)).data).toStrictEqual({ id });
		expect(await fields()).toStrictEqual([other]);
	});
});

describe('a segment', () => {
	const create = async (name: string, fields: object = {}) =>
		(await service.post('/segments', { name, ...fields })).data;
	const change = async (id: string, action: string, contactIds: string[]) =>
		await service.put(`/segments/${id}/members`, { action, contactIds });

	test('is static and empty, unless the request says otherwise', async () => {
		const made = await create('Plain');
		expect(made).toStrictEqual({
			id: expect.any(String),
			name: 'Plain',
			description: null,
			isDynamic: false,
			rules: null,
			createdAt: now(),
			memberCount: 0,
		});
		const rules = { channel: 'WHATSAPP' };
		// Rules alone make no segment dynamic.
		const withRules = await create('Rules', { rules, description: 'D' });
		expect(withRules).toMatchObject({ rules, description: 'D', isDynamic: false, memberCount: 0 });
		const empty = await create('No rules', { isDynamic: true });
		expect(empty).toMatchObject({ isDynamic: true, memberCount: 0 });
		expect((await service.get('/segments')).data.slice(0, 3)).toStrictEqual([
			empty,
			withRules,
			made,
		]);
	});

	test('has a unique name', async () => {
		await create('Unique');
		expect((await service.rejected('post', '/segments', { name: 'Unique' }))[0]).toBe(409);
	});

	test('has the members that were added and not removed', async () => {
		const { id } = await create('Members');
		const [one, other] = service.world.contacts.filter(() => true).map((row) => row.id);
		const member = { id, name: 'Members' };
		const shown = async () => (await service.get(`/contacts/${one}`)).data.segments;
		for (const [action, ids, count] of [
			['add', [one!, other!], 2],
			['add', [one!], 2],
			['remove', [one!], 1],
			['remove', [one!], 1],
		] as const) {
			expect((await change(id as string, action, [...ids])).data.memberCount).toBe(count);
			if (action === 'add') expect(await shown()).toContainEqual(member);
			else expect(await shown()).not.toContainEqual(member);
		}
		expect((await service.get(`/segments/${id}`)).data.members).toMatchObject([{ id: other }]);
	});

	test.each(['add', 'remove'])(
		'changes no member if one contact does not exist: %s',
		async (action) => {
			const { world, otherWorld } = service.sandbox;
			const segment = world.segments.find(({ name }) => name === 'Returning customers')!;
			const member = world.contacts.get([...segment.members][0]!)!;
			const stranger = world.contacts.find(({ id }) => !segment.members.has(id))!;
			const foreign = otherWorld.contacts.find(() => true)!.id;
			const path = `/segments/${segment.id}/members`;
			for (const unknown of ['nobody', foreign, member.waId ?? member.igId!]) {
				const body = { action, contactIds: [member.id, stranger.id, unknown] };
				expect((await service.rejected('put', path, body))[0]).toBe(400);
			}
		},
	);

	test('is deleted from its contacts, which stay, as do other segments and its broadcasts', async () => {
		const { world } = service;
		const contacts = ['12025557001', '12025557002'].map((waId) =>
			world.addContact({ name: 'A', waId }),
		);
		const ids = contacts.map(({ id }) => id);
		const [doomed, kept] = [await create('To delete'), await create('To keep')];
		for (const { id } of [doomed, kept]) await change(id as string, 'add', ids);
		const broadcast = await service.post('/broadcasts', {
			name: 'B',
			templateName: 'welcome',
			templateLanguage: 'de',
			templateComponents: [
				{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'N' }] },
			],
			audienceMode: 'segment',
			segmentId: doomed.id,
		});
		const { size } = world.contacts;
		expect((await service.delete(`/segments/${doomed.id}`)).data).toStrictEqual({ id: doomed.id });
		expect((await service.get(`/segments/${doomed.id}`)).status).toBe(404);
		expect(world.contacts.size).toBe(size);
		for (const id of ids)
			expect((await service.get(`/contacts/${id}`)).data.segments).toStrictEqual([
				{ id: kept.id, name: 'To keep' },
			]);
		expect((await service.get('/contacts', { segmentId: doomed.id })).meta.total).toBe(0);
		expect((await service.get(`/segments/${kept.id}`)).data.memberCount).toBe(2);
		const { data } = await service.get(`/broadcasts/${broadcast.data.id}`);
		expect(data).toMatchObject({ audienceMode: 'segment', recipientCount: 2 });
		// Its name is free again.
		expect((await service.post('/segments', { name: 'To delete' })).status).toBe(200);
	});

	test.each(['WHATSAPP', 'INSTAGRAM'])(
		'has the members of its rules if it is dynamic, which cannot be changed: %s',
		async (channel) => {
			const rules = { channel };
			const { id } = await create(`Dynamic ${channel}`, { isDynamic: true, rules });
			service.world.addContact({ name: 'D', waId: `1202555${channel}`, igId: `ig-${channel}` });
			const { data, meta } = await service.get('/contacts', { channel, limit: 200 });
			const members = await service.get(`/segments/${id}`, { limit: 200 });
			expect(members.data.memberCount).toBe(meta.total);
			expect(members.data.members.map((row: { id: string }) => row.id)).toStrictEqual(
				data.map((row: { id: string }) => row.id),
			);
			for (const action of ['add', 'remove']) {
				const body = { action, contactIds: [data[0].id] };
				const path = `/segments/${id}/members`;
				expect((await service.rejected('put', path, body))[0]).toBe(400);
			}
		},
	);
});

describe('a CSV file of contacts', () => {
	test('is called contacts.csv and quotes cells where needed', async () => {
		const { id, createdAt } = service.world.addContact({ name: 'Lee, "Ann"\nB', igId: 'quoted' });
		const params = { search: 'quoted' };
		const { data, headers } = await service.http.get('/contacts/export', { params });
		expect(headers['content-disposition']).toBe('attachment; filename="contacts.csv"');
		expect(data).toBe(
			`id,name,customName,waId,igId,igUsername,createdAt\r\n${id},"Lee, ""Ann""\nB",,,quoted,,${createdAt}\r\n`,
		);
	});

	test('to start an import with has the columns of one', async () => {
		expect((await service.get('/contacts/import-template')).data).toBe('name,waId,igId\r\n');
	});
});

describe('an import', () => {
	const upload = async (...lines: string[]) =>
		await service.upload('/contacts/import', lines.join('\n'));
	const job = async (id: string) => (await service.get(`/contacts/imports/${id}`)).data;
	const active = async () =>
		(await service.get('/contacts/imports', { activeOnly: true })).data as { id: string }[];
	const done = () => service.clock.advance(60_000);

	test('creates contacts, and reports the rows that failed', async () => {
		const form = new FormData();
		const csv = [
			'\uFEFFname,waId,igId\r\n"Lee, Änn",12045550199,\r\n,12055550199,\r\nBob,,\r\n',
			' ,12055550199,\r\nBob, , \r\n,,\r\n\r\n',
		];
		form.append('upload', new Blob(csv), 'new people.csv');
		const { data } = await service.post('/contacts/import', form);
		expect(data).toMatchObject({ status: 'queued', fileName: 'new people.csv', createdAt: now() });
		done();
		expect(await job(data.id as string)).toMatchObject({
			status: 'completed',
			totalRows: 6,
			successCount: 1,
			failedCount: 5,
		});
		const made = { name: 'Lee, Änn', waId: '12045550199', igId: null };
		expect((await service.get('/contacts/12045550199')).data).toMatchObject(made);
		const errors = await service.http.get(`/contacts/imports/${data.id}/errors`);
		const fileName = `import-${data.id as string}-errors.csv`;
		expect(errors.headers['content-disposition']).toBe(`attachment; filename="${fileName}"`);
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
	});

	test('counts its rows while it is processed, and is active until its end', async () => {
		const rows = Array.from({ length: 8 }, (_, n) => `Ann,1202555${5000 + n}`);
		const { id } = (await upload('name,waId', ...rows, 'Bob,', ',12025555999')).data;
		// Two seconds in the queue, then 20 ms for each row.
		for (const [ms, status, processedRows, successCount, failedCount] of [
			[0, 'queued', 0, 0, 0],
			[1_999, 'queued', 0, 0, 0],
			[1, 'processing', 0, 0, 0],
			[3 * 20, 'processing', 3, 2, 0],
			[2 * 20 - 1, 'processing', 4, 3, 0],
			[1, 'processing', 5, 4, 0],
			[5 * 20 - 1, 'processing', 9, 7, 0],
			[1, 'completed', 10, 8, 2],
		] as const) {
			service.clock.advance(ms);
			const expected = { id, status, totalRows: 10, processedRows, successCount, failedCount };
			expect(await job(id as string)).toMatchObject(expected);
			const isActive = status !== 'completed';
			expect(await active()).toMatchObject(isActive ? [expected] : []);
		}
	});

	test('is in the list of import jobs, the newest first', async () => {
		const ids = [(await upload('name')).data.id, (await upload('name')).data.id].toReversed();
		const { data } = await service.get('/contacts/imports', { activeOnly: false });
		expect(data.slice(0, 2)).toMatchObject(ids.map((id) => ({ id })));
		expect((await service.get('/contacts/imports')).data).toStrictEqual(data);
		expect(await active()).toMatchObject(ids.map((id) => ({ id })));
		done();
		expect(await active()).toStrictEqual([]);
	});

	test.each([
		['without rows', 'name,waId', 'completed', 0],
		['without a column of addresses', 'name\nAnn\nBob', 'failed', 2],
	])('of a file %s', async (_what, csv, status, rows) => {
		const { id } = (await upload(csv)).data;
		done();
		const counts = { totalRows: rows, processedRows: rows, successCount: 0, failedCount: rows };
		expect(await job(id as string)).toMatchObject({ status, ...counts });
	});

	test('updates the contacts that exist, and accepts Instagram IDs', async () => {
		const { world } = service;
		const { id, waId } = world.addContact({ name: 'N', waId: '12025556001', igId: 'ig-known' });
		const { size } = world.contacts;
		await upload('name,waId,igId', `Renamed,${waId!},`, 'New,,ig-imported', 'Again,,ig-imported');
		done();
		const [{ successCount, failedCount }] = (await service.get('/contacts/imports')).data;
		expect([successCount, failedCount]).toStrictEqual([3, 0]);
		const renamed = { id, name: 'Renamed', waId, igId: 'ig-known' };
		expect((await service.get('/contacts', { search: 'renamed' })).data).toMatchObject([renamed]);
		const made = { name: 'Again', waId: null, igId: 'ig-imported' };
		expect((await service.get('/contacts/ig-imported')).data).toMatchObject(made);
		expect(world.contacts.size).toBe(size + 1);
	});

	test('needs a file with a column of names', async () => {
		const { imports } = service.world;
		const before = imports.size;
		expect((await upload('waId,igId', '12025550143,')).status).toBe(400);
		expect((await service.post('/contacts/import', new FormData())).status).toBe(400);
		expect(imports.size).toBe(before);
	});
});
