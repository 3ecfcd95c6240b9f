import { startService, type Service } from './client.mts';

let service: Service;
beforeAll(async () => {
	service = await startService({ contacts: 450, tickets: 450 });
});
afterAll(async () => await service.close());

describe('pages', () => {
	test.each([
		['/tickets', 20],
		['/chats', 20],
		['/broadcasts', 20],
		['/contacts', 50],
	])('%s returns %d rows by default', async (path, limit) => {
		expect((await service.http.get(path)).data.meta).toMatchObject({ page: 1, limit });
	});

	test.each([
		['/tickets', 200],
		['/contacts', 200],
		['/broadcasts', 200],
		['/chats', 100],
	])('%s returns %d rows at most, and lowers a larger limit silently', async (path, cap) => {
		const response = await service.http.get(path, { params: { limit: 1000 } });
		expect(response.status).toBe(200);
		expect(response.data.meta.limit).toBe(cap);
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

describe('filters', () => {
	test.each([
		['/tickets', { status: 'OPEN' }, (row: any) => row.status === 'OPEN'],
		['/contacts', { channel: 'INSTAGRAM' }, (row: any) => row.igId !== null],
		['/contacts', { search: '1201555' }, (row: any) => row.waId.includes('1201555')],
		['/chats', { channel: 'WHATSAPP' }, (row: any) => row.channel === 'WHATSAPP'],
		['/chats', { needsEscalation: true }, (row: any) => row.escalation.active],
		['/chats', { needsEscalation: false }, (row: any) => !row.escalation.active],
	])('%s is filtered by %j', async (path, params, holds) => {
		const { data } = await service.http.get(path, { params });
		expect(data.data.length).toBeGreaterThan(0);
		expect(data.data.every(holds)).toBe(true);
	});

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

	test('an unknown segment has no members', async () => {
		expect((await service.http.get('/contacts', { params: { segmentId: 'x' } })).data.data).toEqual(
			[],
		);
	});
});

describe('the message history of a chat', () => {
	test('the history is returned newest first, and each page starts after its cursor', async () => {
		const chats = (await service.http.get('/chats', { params: { limit: 100, page: 2 } })).data.data;
		const chat = chats.at(-1);
		const seen: any[] = [];
		let cursor: string | undefined;
		for (;;) {
			const { data } = await service.http.get(`/chats/${chat.id}/messages`, {
				params: { take: 999, cursor },
			});
			expect(data.data.length).toBeLessThanOrEqual(100);
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
		const chat = (await service.http.get('/chats')).data.data[0];
		expect(
			(await service.http.get(`/chats/${chat.id}/messages`, { params: { cursor: 'wamid.x' } }))
				.status,
		).toBe(400);
	});
});

test('the same seed generates the same records', async () => {
	const other = await startService({ contacts: 450, tickets: 450 });
	const pick = async ({ http }: Service) => (await http.get('/contacts/12015550100')).data.data;
	expect(await pick(other)).toEqual(await pick(service));
	await other.close();
});
