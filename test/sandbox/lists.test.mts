import { startService, type Service, useService } from '../support/sandboxClient.mts';

/** What lists contain, in which order and on which page. responses.test.mts has the size of their pages. */

const service = useService();

type Row = Record<string, unknown>;
const idsOf = (rows: unknown) => (rows as { id: string }[]).map(({ id }) => id);
const segment = (wanted = 'Returning customers') =>
	service.world.segments.find(({ name }) => name === wanted)!;

describe('pages', () => {
	test.each([
		['/tickets', () => service.world.tickets.filter(() => true)],
		['/chats', () => service.world.chats.filter(() => true)],
		[
			'/contacts?channel=WHATSAPP',
			() => service.world.contacts.filter(({ waId }) => waId !== null),
		],
	])('cover a list, the newest first: %s', async (path, rows) => {
		const total = rows().length;
		const ids: string[] = [];
		for (let page = 1; page <= Math.ceil(total / 7); page++) {
			const { data, meta } = await service.get(path, { page, limit: 7 });
			expect(meta).toStrictEqual({ total, page, limit: 7, totalPages: Math.ceil(total / 7) });
			ids.push(...idsOf(data));
		}
		expect(ids).toStrictEqual(idsOf(rows()));
	});

	test.each(['Newsletter', 'Returning customers', 'Instagram'])(
		'cover the members of a segment, in the order of the filter of contacts: %s',
		async (name) => {
			const { id } = segment(name);
			const { data: all } = await service.get('/contacts', { segmentId: id, limit: 200 });
			const totalPages = Math.ceil(all.length / 7);
			const pages: string[] = [];
			for (let page = 1; page <= totalPages; page++) {
				const { data, meta } = await service.get(`/segments/${id}`, { page, limit: 7 });
				expect(meta).toStrictEqual({ total: all.length, page, limit: 7, totalPages });
				pages.push(...idsOf(data.members));
				const filtered = await service.get('/contacts', { segmentId: id, page, limit: 7 });
				expect([idsOf(filtered.data), filtered.meta]).toStrictEqual([idsOf(data.members), meta]);
			}
			expect(pages).toStrictEqual(idsOf(all));
		},
	);

	test('after the last one, or of a list without rows, are empty', async () => {
		const after = await service.get('/tickets', { page: 99 });
		expect([after.data, after.meta.page]).toStrictEqual([[], 99]);
		const none = await service.get('/tickets', { contactId: 'unknown' });
		expect(none.data).toStrictEqual([]);
		expect(none.meta).toStrictEqual({ total: 0, page: 1, limit: 20, totalPages: 0 });
	});

	test.each(['/tickets', '/contacts'])('shift while records are created: %s', async (path) => {
		service.sandbox.faults.shiftRows(path, 3, 2);
		const read = async (page: number) => await service.get(path, { page, limit: 10 });
		const pages = [await read(1), await read(2), await read(3), await read(3)];
		const [first, second] = pages.map(({ data }) => idsOf(data));
		expect(second!.slice(0, 3)).toStrictEqual(first!.slice(-3));
		const totals = pages.map(({ meta }) => meta.total - pages[0]!.meta.total);
		expect(totals).toStrictEqual([0, 3, 6, 6]);
	});
});

describe('the history of a chat', () => {
	const historyOf = async (id: string, params: object) =>
		await service.get(`/chats/${id}/messages`, params);

	test('has the newest message first, and each page starts after its cursor', async () => {
		const chat = service.world.chats.find(
			({ id }) => service.world.messages.get(id)!.length > 200,
		)!;
		const ids: string[] = [];
		for (;;) {
			const { data, meta } = await historyOf(chat.id, { take: 100, cursor: ids.at(-1) });
			expect(meta).toStrictEqual({ total: 240, page: 1, limit: 100, totalPages: 3 });
			if (data.length === 0) break;
			ids.push(...idsOf(data));
		}
		expect(ids).toStrictEqual(idsOf(service.world.messages.get(chat.id)).toReversed());
	});

	test('rejects a cursor of another chat', async () => {
		const [chat, other] = service.world.chats.filter(() => true);
		const { id } = service.world.messages.get(other!.id)![0]!;
		for (const cursor of ['wamid.x', id, ''])
			expect((await historyOf(chat!.id, { cursor })).status).toBe(400);
	});

	test('can be empty', async () => {
		const { world } = service;
		const { id } = world.addChat({ ...world.chats.find(() => true)! });
		const { data, meta } = await historyOf(id, {});
		expect([data, meta.total]).toStrictEqual([[], 0]);
		world.chats.delete(id);
	});
});

describe('filters', () => {
	/** One escalated chat has an agent. */
	const chat = () => {
		const one = service.world.chats.find(
			({ channel, needsEscalation }) => channel === 'WHATSAPP' && needsEscalation,
		)!;
		one.assigneeId = service.world.users.find(() => true)!.id;
		return one;
	};
	const waId = () => service.world.contacts.get(chat().contactId)!.waId;
	const ticket = () => service.world.tickets.find(({ assigneeId }) => assigneeId !== null)!;
	const person = () => service.world.contacts.find(({ igUsername }) => igUsername !== null)!;
	const broadcast = () => {
		const { broadcasts } = service.world;
		const id = 'elsewhere';
		return (
			broadcasts.get(id) ?? broadcasts.add({ ...broadcasts.find(() => true)!, id, channelId: id })
		);
	};
	const isMember = ({ id }: Row) => segment().members.has(id as string);

	test.each<[path: string, query: () => Row, isKept: (row: any) => boolean]>([
		['chats', () => ({ waId: waId() }), (row) => row.contactId === chat().contactId],
		['chats', () => pick(chat(), 'contactId'), (row) => row.contactId === chat().contactId],
		['chats', () => pick(chat(), 'channelId'), (row) => row.channelId === chat().channelId],
		['chats', () => ({ channel: 'INSTAGRAM' }), (row) => row.channel === 'INSTAGRAM'],
		['chats', () => ({ needsEscalation: true }), (row) => row.needsEscalation],
		['chats', () => ({ needsEscalation: false }), (row) => !row.needsEscalation],
		['chats', () => pick(chat(), 'assigneeId'), (row) => row.assigneeId === chat().assigneeId],
		['tickets', () => ({ status: 'RESOLVED' }), (row) => row.status === 'RESOLVED'],
		[
			'tickets',
			() => pick(ticket(), 'assigneeId'),
			(row) => row.assigneeId === ticket().assigneeId,
		],
		['tickets', () => pick(ticket(), 'contactId'), (row) => row.contactId === ticket().contactId],
		[
			'tickets',
			() => pick(ticket(), 'status', 'assigneeId'),
			(row) => row.status === ticket().status && row.assigneeId === ticket().assigneeId,
		],
		['contacts', () => ({ channel: 'WHATSAPP' }), (row) => row.waId !== null],
		['contacts', () => ({ channel: 'INSTAGRAM' }), (row) => row.igId !== null],
		['contacts', () => ({ search: person().igId }), (row) => row.id === person().id],
		['contacts', () => ({ segmentId: segment().id }), isMember],
		[
			'contacts',
			() => ({ segmentId: segment().id, channel: 'WHATSAPP' }),
			(row) => isMember(row as Row) && row.waId !== null,
		],
		['broadcasts', () => ({ channelId: broadcast().id }), (row) => row.channelId === 'elsewhere'],
	])('%s have their parameters', async (name, query, isKept) => {
		const params = query();
		const rows = service.world[name as 'chats'].filter(() => true);
		const kept = idsOf(rows.filter(isKept)).toSorted();
		expect(kept.length).toBeGreaterThan(0);
		// The other rows are what a filter is for.
		expect(kept.length).toBeLessThan(rows.length);
		const { data, meta } = await service.get(`/${name}`, { ...params, limit: 100 });
		expect([idsOf(data).toSorted(), meta.total]).toStrictEqual([kept, kept.length]);
		if (name !== 'contacts') return;
		const csv = (await service.get('/contacts/export', params)).data as string;
		const lines = csv.trim().split('\r\n').slice(1);
		expect(lines.map((line) => line.split(',')[0]).toSorted()).toStrictEqual(kept);
	});
	const pick = (row: object, ...names: string[]): Row =>
		Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));

	test.each([
		['chats', 'waId'],
		['chats', 'contactId'],
		['chats', 'channelId'],
		['chats', 'assigneeId'],
		['tickets', 'assigneeId'],
		['contacts', 'segmentId'],
		['contacts', 'search'],
		['broadcasts', 'channelId'],
		['templates', 'channelId'],
	])('of %s: an unknown %s has no rows', async (name, field) => {
		const { data, meta } = await service.get(`/${name}`, { [field]: 'unknown' });
		expect([data, meta.total]).toStrictEqual([[], 0]);
	});

	test('chats are found by the WhatsApp ID, and by no other ID of a contact', async () => {
		const igId = 'ig-of-a-chat';
		const { world } = service;
		const { id } = world.changeContact(world.contacts.get(chat().contactId)!, { igId });
		const found = async (params: object) => (await service.get('/chats', params)).meta.total;
		expect([await found({ waId: igId }), await found({ waId: id })]).toStrictEqual([0, 0]);
		expect([await found({ contactId: id }), await found({ contactId: waId() })]).toStrictEqual([
			1, 0,
		]);
	});

	test('contacts are found by name, address and user name, in any case, and by nothing else', async () => {
		const { id, customFields } = service.world.addContact({
			name: 'Quentin Xavier',
			customName: 'Secret',
			waId: '12025554711',
			igId: '99887766',
			igUsername: 'qx.shop',
		});
		customFields.push({ id: 'f', label: 'hobby', value: 'chess' });
		const isFound = async (search: string) =>
			idsOf((await service.get('/contacts', { search })).data).includes(id);
		for (const search of ['quentin', 'XAVIER', 'tin xa', '5554711', '998877', 'QX.SHOP'])
			expect([search, await isFound(search)]).toStrictEqual([search, true]);
		for (const search of ['Secret', 'hobby', 'chess', id])
			expect([search, await isFound(search)]).toStrictEqual([search, false]);
		await service.patch(`/contacts/${id}`, { name: 'Renamed' });
		expect([await isFound('quentin'), await isFound('renamed')]).toStrictEqual([false, true]);
		service.world.contacts.delete(id);
	});
});

test('contacts are listed as they are read alone, with custom fields, segments and channel', async () => {
	const { data } = await service.get('/contacts', { limit: 200 });
	for (const contact of data)
		expect(contact).toStrictEqual((await service.get(`/contacts/${contact.id}`)).data);
	const oldest = service.world.contacts.filter(() => true).at(-1)!;
	const customFields = [{ id: expect.any(String), label: 'city', value: expect.any(String) }];
	const [first, second] = ['Returning customers', 'Newsletter'].map((name) => segment(name));
	const segments = [first!, second!].map(({ id, name }) => ({ id, name }));
	expect(data.at(-1)).toMatchObject({ id: oldest.id, customFields, segments, channel: 'WHATSAPP' });
	const channels = new Set(data.map(({ channel }: Row) => channel));
	expect(channels).toStrictEqual(
		new Set(['WHATSAPP', 'INSTAGRAM', 'WEBCHAT', 'TELEGRAM', 'TIKTOK_SHOP']),
	);
});

test('an export of more than one piece has every line once', async () => {
	const long = Array.from({ length: 5 }, (_, n) =>
		service.world.addContact({ name: `${n}`.repeat(40_000), igId: `long-${n}` }),
	);
	const { data } = await service.get('/contacts/export', { search: 'long-' });
	const names = (data as string).split('\r\n').map((line) => line.split(',')[1]);
	expect(names).toStrictEqual(['name', ...long.map(({ name }) => name).toReversed(), undefined]);
	for (const { id } of long) service.world.contacts.delete(id);
});

test('the same seed generates the same records, and no address twice', async () => {
	const read = async ({ get }: Service) => (await get('/contacts/12015550100')).data;
	const other = await startService();
	expect(await read(other)).toStrictEqual(await read(service));
	const contacts = other.world.contacts.filter(() => true);
	const addresses = contacts.flatMap(({ waId, igId }) => [waId, igId]).filter(Boolean);
	expect(new Set(addresses).size).toBe(addresses.length);
	await other.close();
});
