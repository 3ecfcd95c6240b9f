import { startService, type Service } from './client.mts';

let service: Service;
beforeAll(async () => {
	service = await startService({ contacts: 60, tickets: 450 });
});
afterAll(async () => await service.close());

describe('pages', () => {
	test('the pages of a segment cover its members without gaps or repeats', async () => {
		const segment = service.sandbox.world.segments.find(({ name }) => name === 'Newsletter')!;
		const ids: string[] = [];
		for (let page = 1; page <= 5; page++) {
			const params = { page, limit: 10 };
			const { data } = (await service.http.get(`/segments/${segment.id}`, { params })).data;
			ids.push(...(data.members as { id: string }[]).map(({ id }) => id));
		}
		expect(ids).toHaveLength(42);
		expect(new Set(ids)).toEqual(segment.members);
	});

	test('the pages cover a list without gaps or repeats', async () => {
		const ids: string[] = [];
		for (let page = 1; page <= 5; page++) {
			const { data } = await service.http.get('/tickets', { params: { page, limit: 100 } });
			expect(data.meta).toEqual({ total: 450, page, limit: 100, totalPages: 5 });
			ids.push(...data.data.map(({ id }: { id: string }) => id));
		}
		expect(new Set(ids).size).toBe(450);
	});

	test('a list without rows has no pages', async () => {
		const empty = await startService();
		const { world } = empty.sandbox;
		for (const { id } of [...world.flows.newestFirst()]) world.flows.delete(id);
		const { data, meta } = (await empty.http.get('/flows')).data;
		expect(data).toEqual([]);
		expect(meta).toEqual({ total: 0, page: 1, limit: expect.any(Number), totalPages: 0 });
		await empty.close();
	});

	test('a page after the last is empty', async () => {
		const { data } = await service.http.get('/tickets', { params: { page: 99 } });
		expect(data.data).toEqual([]);
	});

	test('rows shift to the next page when a record is created in between', async () => {
		service.sandbox.faults.shiftRows('/tickets', 1);
		const first = (await service.http.get('/tickets', { params: { limit: 10 } })).data;
		const second = (await service.http.get('/tickets', { params: { limit: 10, page: 2 } })).data;
		expect(second.data[0].id).toBe(first.data[9].id);
		expect(second.meta.total).toBe(Number(first.meta.total) + 1);
	});
});

describe('the members of a segment', () => {
	test('a segment lists its members, static or dynamic', async () => {
		const { data } = await service.http.get('/segments');
		for (const segment of data.data) {
			const members = await service.http.get('/contacts', {
				params: { segmentId: segment.id, limit: 1 },
			});
			expect(members.data.meta.total).toBe(segment.memberCount);
			const details = await service.http.get(`/segments/${segment.id}`, { params: { limit: 500 } });
			expect(details.data.meta).toMatchObject({ limit: 200, total: segment.memberCount });
		}
	});
});

describe('the message history of a chat', () => {
	test('the history is returned newest first, and each page starts after its cursor', async () => {
		const chats = (await service.http.get('/chats', { params: { limit: 100 } })).data.data;
		const chat = chats.at(-1);
		const seen: any[] = [];
		let cursor: string | undefined;
		for (;;) {
			const { data } = await service.http.get(`/chats/${chat.id}/messages`, {
				params: { take: 999, cursor },
			});
			expect(data.data.length).toBeLessThanOrEqual(100);
			expect(data.meta).toEqual({ total: 240, page: 1, limit: 100, totalPages: 3 });
			if (data.data.length === 0) break;
			seen.push(...data.data);
			cursor = data.data.at(-1).id;
		}
		expect(seen).toHaveLength(240);
		expect(new Set(seen.map(({ id }) => id)).size).toBe(240);
		const times = seen.map(({ createdAt }) => Date.parse(createdAt));
		expect(times).toEqual(times.toSorted((a, b) => b - a));
	});

	test('the history rejects a cursor of another chat', async () => {
		const [chat, other] = (await service.http.get('/chats')).data.data;
		const [message] = (await service.http.get(`/chats/${other.id}/messages`)).data.data;
		for (const cursor of ['wamid.x', message.id, '']) {
			const { status } = await service.http.get(`/chats/${chat.id}/messages`, {
				params: { cursor },
			});
			expect([cursor, status]).toEqual([cursor, 400]);
		}
	});

	test('the history of a chat without messages is empty', async () => {
		const { world } = service.sandbox;
		const { id } = world.addChat({ ...world.chats.find(() => true)! });
		const { data } = await service.http.get(`/chats/${id}/messages`);
		expect([data.data, data.meta.total]).toEqual([[], 0]);
		world.chats.delete(id);
	});
});

test('the same seed generates the same records', async () => {
	const other = await startService({ contacts: 60, tickets: 450 });
	const pick = async ({ http }: Service) => (await http.get('/contacts/12015550100')).data.data;
	expect(await pick(other)).toEqual(await pick(service));
	await other.close();
});

test('no two contacts have the same address', () => {
	const addresses = service.sandbox.world.contacts
		.filter(() => true)
		.flatMap(({ waId, igId }) => [waId, igId])
		.filter((address) => address !== null);
	expect(new Set(addresses).size).toBe(addresses.length);
});

describe('filters', () => {
	type Row = Record<string, unknown>;
	const world = () => service.sandbox.world;
	const chat = () =>
		world().chats.find(
			({ channel, needsEscalation, assigneeId }) =>
				channel === 'WHATSAPP' && needsEscalation && assigneeId !== null,
		) ?? assigned();
	/** An escalated chat with an agent. */
	const assigned = () => {
		const one = world().chats.find(
			({ channel, needsEscalation }) => channel === 'WHATSAPP' && needsEscalation,
		)!;
		one.assigneeId = world().users.find(() => true)!.id;
		return one;
	};
	const ticket = () => world().tickets.find(({ assigneeId }) => assigneeId !== null)!;
	const person = () => world().contacts.find(({ igUsername }) => igUsername !== null)!;
	const segment = () => world().segments.find(({ name }) => name === 'Returning customers')!;
	const broadcast = () => world().broadcasts.find(() => true)!;
	const otherBroadcast = () =>
		world().broadcasts.get('elsewhere') ??
		world().broadcasts.add({ ...broadcast(), id: 'elsewhere', channelId: 'elsewhere' });

	test.each<[path: string, query: () => Row, keep: (row: any) => boolean]>([
		[
			'/chats',
			() => ({ waId: world().contacts.get(chat().contactId)!.waId }),
			(row) => row.contactId === chat().contactId,
		],
		[
			'/chats',
			() => ({ contactId: chat().contactId }),
			(row) => row.contactId === chat().contactId,
		],
		[
			'/chats',
			() => ({ channelId: chat().channelId }),
			(row) => row.channelId === chat().channelId,
		],
		['/chats', () => ({ channel: 'INSTAGRAM' }), (row) => row.channel === 'INSTAGRAM'],
		['/chats', () => ({ needsEscalation: true }), (row) => row.needsEscalation],
		['/chats', () => ({ needsEscalation: false }), (row) => !row.needsEscalation],
		[
			'/chats',
			() => ({ assigneeId: chat().assigneeId }),
			(row) => row.assigneeId === chat().assigneeId,
		],
		['/tickets', () => ({ status: 'RESOLVED' }), (row) => row.status === 'RESOLVED'],
		[
			'/tickets',
			() => ({ assigneeId: ticket().assigneeId }),
			(row) => row.assigneeId === ticket().assigneeId,
		],
		[
			'/tickets',
			() => ({ contactId: ticket().contactId }),
			(row) => row.contactId === ticket().contactId,
		],
		[
			'/tickets',
			() => ({ status: ticket().status, assigneeId: ticket().assigneeId }),
			(row) => row.status === ticket().status && row.assigneeId === ticket().assigneeId,
		],
		['/contacts', () => ({ channel: 'WHATSAPP' }), (row) => row.waId !== null],
		['/contacts', () => ({ channel: 'INSTAGRAM' }), (row) => row.igId !== null],
		[
			'/contacts',
			() => ({ search: person().igUsername!.toUpperCase() }),
			(row) => row.id === person().id,
		],
		['/contacts', () => ({ search: person().igId }), (row) => row.id === person().id],
		[
			'/contacts',
			() => ({ segmentId: segment().id, channel: 'WHATSAPP' }),
			(row) => segment().members.has(row.id as string) && row.waId !== null,
		],
		[
			'/broadcasts',
			() => ({ channelId: otherBroadcast().channelId }),
			(row) => row.channelId === 'elsewhere',
		],
	])('%s is filtered by its parameters', async (path, query, keep) => {
		const params = { ...query(), limit: 200 };
		const rows = world()[path.slice(1) as 'chats'].filter(() => true);
		const kept = rows.filter(keep);
		expect(kept.length).toBeGreaterThan(0);
		// The other rows are what a filter is for.
		expect(kept.length).toBeLessThan(rows.length);
		const { data } = await service.http.get(path, { params });
		expect(data.meta.total).toBe(kept.length);
		const ids = (data.data as Row[]).map(({ id }) => id);
		// The newest are first; a segment has its members in the order in which they were added.
		if ('segmentId' in params) expect(ids.toSorted()).toEqual(kept.map(({ id }) => id).toSorted());
		else expect(ids).toEqual(kept.slice(0, path === '/chats' ? 100 : 200).map(({ id }) => id));
	});

	test.each([
		['/chats', 'waId'],
		['/chats', 'contactId'],
		['/chats', 'channelId'],
		['/chats', 'assigneeId'],
		['/tickets', 'assigneeId'],
		['/tickets', 'contactId'],
		['/contacts', 'segmentId'],
		['/contacts', 'search'],
		['/broadcasts', 'channelId'],
		['/templates', 'channelId'],
	])('%s with an unknown %s is empty', async (path, name) => {
		const { data } = await service.http.get(path, { params: { [name]: 'unknown' } });
		const meta = { total: 0, page: 1, limit: expect.any(Number), totalPages: 0 };
		expect([data.data, data.meta]).toEqual([[], meta]);
	});

	test('chats are found by the WhatsApp ID, and by no other ID of a contact', async () => {
		const { id, waId, igId } = world().changeContact(world().contacts.get(chat().contactId)!, {
			igId: 'ig-of-a-chat',
		});
		const found = async (params: object) =>
			(await service.http.get('/chats', { params })).data.meta.total as number;
		expect([await found({ waId }), await found({ waId: igId }), await found({ waId: id })]).toEqual(
			[1, 0, 0],
		);
		expect([await found({ contactId: id }), await found({ contactId: waId })]).toEqual([1, 0]);
	});

	test('templates of a channel that has none, and of one that cannot have any', async () => {
		const idOf = (wanted: string) => world().channels.find(({ type }) => type === wanted)!.id;
		const count = async (channelId: string) =>
			(await service.http.get('/templates', { params: { channelId } })).data.data.length as number;
		expect(await count(idOf('WHATSAPP'))).toBe(5);
		for (const type of ['INSTAGRAM', 'WEBCHAT', 'TELEGRAM', 'TIKTOK_SHOP'])
			expect(await count(idOf(type))).toBe(0);
	});

	test.each<[string, () => Row, (row: any) => boolean]>([
		['all contacts, on one page', () => ({}), () => true],
		['those of a channel', () => ({ channel: 'INSTAGRAM' }), ({ igId }) => igId !== null],
		['those found', () => ({ search: person().igUsername }), ({ id }) => id === person().id],
		[
			'those of a segment',
			() => ({ segmentId: segment().id }),
			({ id }) => segment().members.has(id as string),
		],
		[
			'those that fit both filters',
			() => ({ segmentId: segment().id, channel: 'INSTAGRAM' }),
			({ id, igId }) => segment().members.has(id as string) && igId !== null,
		],
	])('an export has %s', async (_name, params, keep) => {
		const { data } = await service.http.get('/contacts/export', { params: params() });
		const lines = (data as string).trim().split('\r\n').slice(1);
		const ids = lines.map((line) => line.split(',')[0]);
		const kept = world().contacts.filter(keep);
		expect(kept.length).toBeGreaterThan(0);
		expect(ids).toEqual(kept.map(({ id }) => id));
	});

	test('an export of more than one piece has every line once', async () => {
		const long = Array.from({ length: 5 }, (_, n) =>
			world().addContact({ name: `${n}`.repeat(40_000), igId: `long-${n}` }),
		);
		const { data } = await service.http.get('/contacts/export', { params: { search: 'long-' } });
		const names = (data as string).split('\r\n').map((line) => line.split(',')[1]);
		expect(names).toEqual(['name', ...long.map(({ name }) => name).toReversed(), undefined]);
		for (const { id } of long) world().contacts.delete(id);
	});

	test('contacts are found by name, address and user name, in any case, and by nothing else', async () => {
		const contact = world().addContact({
			name: 'Quentin Xavier',
			customName: 'Secret',
			waId: '12025554711',
			igId: '99887766',
			igUsername: 'qx.shop',
		});
		contact.customFields.push({ id: 'f', label: 'hobby', value: 'chess' });
		const found = async (search: string) => {
			const { data } = await service.http.get('/contacts', { params: { search } });
			return (data.data as Row[]).some(({ id }) => id === contact.id);
		};
		for (const search of ['quentin', 'XAVIER', 'tin xa', '5554711', '998877', 'QX.SHOP'])
			expect([search, await found(search)]).toEqual([search, true]);
		for (const search of ['Secret', 'hobby', 'chess', contact.id])
			expect([search, await found(search)]).toEqual([search, false]);
		await service.http.patch(`/contacts/${contact.id}`, { name: 'Renamed' });
		expect([await found('quentin'), await found('renamed')]).toEqual([false, true]);
		world().contacts.delete(contact.id);
	});

	test('contacts are listed with their custom fields, segments and channel', async () => {
		const one = world().contacts.find(
			({ id, customFields }) => customFields.length > 0 && segment().members.has(id),
		)!;
		const { data } = await service.http.get('/contacts', { params: { segmentId: segment().id } });
		const row = (data.data as Row[]).find(({ id }) => id === one.id)!;
		expect(row.customFields).toEqual(one.customFields);
		expect(row.segments).toContainEqual({ id: segment().id, name: 'Returning customers' });
		const all = (await service.http.get('/contacts')).data.data as Row[];
		expect(all.every((contact) => 'customFields' in contact && 'segments' in contact)).toBe(true);
		const channelOf = ({ waId, igId }: Row) => (waId ? 'WHATSAPP' : igId ? 'INSTAGRAM' : null);
		const withAddress = all.filter((contact) => channelOf(contact) !== null);
		expect(new Set(withAddress.map(({ channel }) => channel)).size).toBe(2);
		expect(withAddress.map(({ channel }) => channel)).toEqual(withAddress.map(channelOf));
	});

	test('broadcasts are filtered by each of their statuses', async () => {
		const at = service.clock.now();
		const make = (id: string, startsAt: number, recipients: string[], cancelled = false) =>
			world().broadcasts.add({
				...broadcast(),
				id,
				channelId: id,
				startsAt,
				recipients,
				cancelled,
			});
		const good = Array.from({ length: 10 }, (_, n) => `1202555${4000 + n}`);
		make('SCHEDULED', at + 1, good);
		make('QUEUED', at, good);
		make('PROCESSING', at - 2_100, good);
		make('COMPLETED', at - 60_000, good);
		make('PARTIAL', at - 60_000, [...good, '1']);
		make('FAILED', at - 60_000, ['1', '2']);
		make('CANCELLED', at - 60_000, good, true);
		const statuses = [
			...new Set(
				world()
					.broadcasts.filter(() => true)
					.map(({ channelId }) => channelId!),
			),
		].filter((id) => /^[A-Z]+$/.test(id));
		expect(statuses).toHaveLength(7);
		for (const status of statuses) {
			const { data } = await service.http.get('/broadcasts', { params: { status, limit: 200 } });
			const rows = data.data as Row[];
			expect(rows.every((row) => row.status === status)).toBe(true);
			const made = rows.filter(({ channelId }) => statuses.includes(channelId as string));
			expect(made.map(({ id }) => id)).toEqual([status]);
		}
		for (const status of statuses) world().broadcasts.delete(status);
	});
});

test('a template is only sent to the WhatsApp contacts of a segment', async () => {
	const { world } = service.sandbox;
	const segment = world.segments.find(({ name }) => name === 'Returning customers')!;
	const whatsapp = [...segment.members].filter((id) => world.contacts.get(id)!.waId !== null);
	expect(whatsapp.length).toBeLessThan(segment.members.size);
	const { data } = await service.http.post('/broadcasts', {
		name: 'B',
		templateName: 'ticket_update',
		templateLanguage: 'en_US',
		templateComponents: [
			{ type: 'body', parameters: ['A', '7', 'open'].map((text) => ({ type: 'text', text })) },
		],
		audienceMode: 'segment',
		segmentId: segment.id,
	});
	expect(data.data.recipientCount).toBe(whatsapp.length);
});
