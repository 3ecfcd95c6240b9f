import { useService } from '../support/sandboxClient.mts';

/** Tickets and their notes; what the organization, its channels and its users show. */

const service = useService();

const STATUSES = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
const create = async (fields: object = {}) =>
	await service.post('/tickets', { title: 'T', ...fields });
const agents = () => service.world.users.filter(() => true).map(({ id }) => id);

test('a ticket has what it was created with, and the next number', async () => {
	const numbers = service.world.tickets.filter(() => true).map((row) => Number(row.ticketNumber));
	const last = Math.max(...numbers);
	const plain = {
		id: expect.any(String),
		ticketNumber: String(last + 1),
		title: 'T',
		status: 'OPEN',
		priority: 'MEDIUM',
		assigneeId: null,
		contactId: null,
		chatId: null,
		createdAt: new Date(service.clock.now()).toISOString(),
		updatedAt: new Date(service.clock.now()).toISOString(),
	};
	expect((await create()).data).toStrictEqual(plain);
	const given = { title: 'U', status: 'RESOLVED', priority: 'LOW', assigneeId: agents()[0] };
	const second = { ...plain, ticketNumber: String(last + 2), ...given };
	expect((await create(given)).data).toStrictEqual(second);
});

test('the contact of a ticket is given by any of its IDs; several must be of one contact', async () => {
	const { world } = service;
	const both = world.addContact({ name: 'N', waId: '12025553201', igId: 'ig-3201' });
	world.addContact({ name: 'Other', waId: '12025553202', igId: 'ig-3202' });
	const ids = { contactId: both.id, contactWaId: both.waId, contactIgId: both.igId };
	const status = async (fields: object) =>
		(await service.rejected('post', '/tickets', { title: 'T', ...fields }))[0];
	for (const [name, value] of Object.entries(ids)) {
		expect((await create({ [name]: value })).data.contactId).toBe(both.id);
		expect(await status({ [name]: 'unknown' })).toBe(400);
		expect(await status({ ...ids, [name]: 'unknown' })).toBe(400);
	}
	expect((await create(ids)).data.contactId).toBe(both.id);
	for (const other of [{ contactWaId: '12025553202' }, { contactIgId: 'ig-3202' }])
		expect(await status({ ...ids, ...other })).toBe(400);
});

test('a ticket of a chat has the contact of the chat, and no other', async () => {
	const { world } = service;
	const { id: chatId, contactId } = world.chats.find(() => true)!;
	for (const fields of [{ chatId }, { chatId, contactId }])
		expect((await create(fields)).data).toMatchObject({ chatId, contactId });
	const other = world.contacts.find(({ id }) => id !== contactId)!.id;
	const sent = { title: 'T', chatId, contactId: other };
	expect((await service.rejected('post', '/tickets', sent))[0]).toBe(400);
});

test.each<[method: 'post' | 'put', path: string, body: object]>([
	['post', '/tickets', { title: 'T', priority: 'high' }],
	['post', '/tickets', { title: 'T', status: 'DONE' }],
	['post', '/tickets', { title: 'T', status: { name: 'OPEN' } }],
	['post', '/tickets', { title: 'T', assigneeId: 'nobody' }],
	['post', '/tickets', { title: 'T', chatId: 'none' }],
	['put', '/tickets/1001', { assigneeId: 'nobody' }],
	['post', '/tickets/1001/notes', { body: 'B', authorId: 'nobody' }],
])('%s %s is rejected with %j, and changes nothing', async (method, path, body) => {
	expect((await service.rejected(method, path, body))[0]).toBe(400);
});

test.each(STATUSES)('a ticket goes from %s to any status', async (from) => {
	const { id } = (await create()).data;
	for (const to of STATUSES) {
		for (const status of [from, to])
			expect((await service.put(`/tickets/${id}`, { status })).data.status).toBe(status);
		expect((await service.get(`/tickets/${id}`)).data.status).toBe(to);
	}
});

test('each field of a ticket is changed alone, by its ID or number', async () => {
	const [first, second] = agents();
	const { id, ticketNumber, ...made } = (await create({ assigneeId: first, priority: 'LOW' })).data;
	service.clock.advance(1_000);
	const updatedAt = new Date(service.clock.now()).toISOString();
	const expected = { id, ticketNumber, ...made, updatedAt };
	for (const [change, key] of [
		[{ priority: 'URGENT' }, id],
		[{ assigneeId: second }, ticketNumber],
		[{ status: 'CLOSED' }, id],
		[{}, ticketNumber],
	] as const) {
		Object.assign(expected, change);
		expect((await service.put(`/tickets/${key as string}`, change)).data).toStrictEqual(expected);
		for (const one of [id, ticketNumber])
			expect((await service.get(`/tickets/${one}`)).data).toStrictEqual({ ...expected, notes: [] });
	}
});

test('the description of a ticket is its first note; others are added by ID or number', async () => {
	const [author] = agents();
	const { id, ticketNumber } = (await create({ description: 'First' })).data;
	service.clock.advance(1_000);
	const createdAt = new Date(service.clock.now()).toISOString();
	const add = async (key: string, note: object) =>
		(await service.post(`/tickets/${key}/notes`, note)).data;
	const second = await add(id as string, { body: 'Second', authorId: author });
	const third = await add(ticketNumber as string, { body: 'Third' });
	expect(second).toStrictEqual({
		id: expect.any(String),
		body: 'Second',
		authorId: author,
		createdAt,
	});
	expect(third).toStrictEqual({ id: expect.any(String), body: 'Third', authorId: null, createdAt });
	const { data } = await service.get(`/tickets/${id}`);
	expect(data.updatedAt).toBe(createdAt);
	expect(data.notes).toStrictEqual([
		expect.objectContaining({ body: 'First', authorId: null }),
		second,
		third,
	]);
});

test('notes are in the details of a ticket only', async () => {
	const { id } = (await create({ description: 'First' })).data;
	const [listed] = (await service.get('/tickets')).data;
	expect([listed.id, 'notes' in listed]).toStrictEqual([id, false]);
});

test('a note is not delivered to the customer', async () => {
	const { world } = service;
	const before = structuredClone(world.messages);
	const { id: chatId } = world.chats.find(({ channel }) => channel === 'WHATSAPP')!;
	const { id } = (await create({ chatId, description: 'D' })).data;
	await service.post(`/tickets/${id}/notes`, { body: 'B' });
	expect(world.messages).toStrictEqual(before);
});

test('the organization has a name, channels of all types with totals, and users', async () => {
	const { world } = service;
	expect((await service.get('/organization')).data).toStrictEqual(world.organization);
	expect(world.organization.name).toBe('Example Organization');
	const channels = (await service.get('/channels')).data as { id: string; type: string }[];
	expect(new Set(channels.map(({ type }) => type))).toStrictEqual(
		new Set(['WHATSAPP', 'INSTAGRAM', 'WEBCHAT', 'TELEGRAM', 'TIKTOK_SHOP']),
	);
	for (const channel of channels) {
		const isOwn = ({ channelId }: { channelId: string | null }) => channelId === channel.id;
		const chats = world.chats.filter(isOwn);
		const messages = chats.flatMap(({ id }) => world.messages.get(id)!).length;
		const broadcasts = world.broadcasts.filter(isOwn).length;
		const stats = { chats: chats.length, messages, broadcasts };
		expect((await service.get(`/channels/${channel.id}`)).data).toStrictEqual({
			...channel,
			stats,
		});
	}
	expect((await service.get('/users')).data).toStrictEqual(
		world.users.filter(() => true).toReversed(),
	);
});
