import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	readLikeness,
	settingsOf,
	type Likeness,
	type ListOrder,
} from '../../sandbox/likeness.mts';
import { withDefaults } from '../../sandbox/options.mts';
import { OWN_SHAPES_HEADER } from '../../sandbox/server.mts';
import { startService } from './client.mts';

const folder = mkdtempSync(join(tmpdir(), 'likeness-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
	const path = join(folder, name);
	writeFileSync(path, content);
	return path;
}

const LIKENESS: Likeness = {
	lists: {
		tickets: {
			path: ['items'],
			largestSize: 7,
			keys: { status: ['state', 'name'] },
			times: 'epoch seconds',
		},
		messages: { largestSize: 2 },
	},
	counts: { under: 'pagination', names: ['total', 'limit'] },
	rateLimit: { requests: 9, routes: 'all', headers: [{ name: 'x-left', meaning: 'remaining' }] },
	shapes: { errors: 'message' },
};
const REPORT = JSON.stringify({ format: 1, likeness: LIKENESS });

test('lists, keys, times, counts, page sizes and headers are those of the likeness', async () => {
	const service = await startService(settingsOf(LIKENESS));
	const { data, headers } = await service.http.get('/tickets?limit=100');
	expect(data.data.items).toHaveLength(7);
	expect(data.data.items[0].state.name).toMatch(/^[A-Z_]+$/);
	expect(data.data.items[0].status).toBeUndefined();
	expect(data.data.items[0].createdAt).toBeGreaterThan(1e9);
	expect(data.pagination).toEqual({ total: 200, limit: 7 });
	expect(data.meta).toBeUndefined();
	expect(headers['x-left']).toBe('8');
	const { id, state, createdAt } = (await service.http.get('/tickets/1001')).data.data;
	expect(typeof id).toBe('string');
	expect([typeof state.name, typeof createdAt]).toEqual(['string', 'number']);
	const chat = service.sandbox.world.chats.find(({ channel }) => channel === 'WHATSAPP')!;
	const history = await service.http.get(`/chats/${chat.id}/messages`);
	expect([history.data.data.length, history.data.pagination.limit]).toEqual([2, 2]);
	expect((await service.http.get('/tickets/none')).data).toMatchObject({
		message: 'Ticket not found',
	});
	await service.close();
});

test('the states of import jobs are those of the likeness, as far as it has them', async () => {
	const importStates = { queued: 'waiting', completed: 'done' };
	const service = await startService(settingsOf({ lists: {}, importStates }));
	const form = new FormData();
	form.append('file', new Blob(['name,waId\nAnn,12025550143\n']), 'people.csv');
	const { id } = (await service.http.post('/contacts/import', form)).data.data;
	const states: unknown[] = [];
	for (const ms of [0, 2_000, 20]) {
		service.clock.advance(ms);
		states.push((await service.http.get(`/contacts/imports/${id}`)).data.data.status);
	}
	expect(states).toEqual(['waiting', 'processing', 'done']);
	await service.close();
});

test.each<[ListOrder, string[] | undefined]>([
	[{ by: 'creation' }, ['1004', '1003', '1002', '1001']],
	[{ by: 'creation', oldestFirst: true }, ['1001', '1002', '1003', '1004']],
	[{ by: 'last change' }, ['1002', '1004', '1003', '1001']],
	[{ by: 'last change', oldestFirst: true }, ['1001', '1003', '1004', '1002']],
	[{ by: 'nothing' }, undefined],
])('the order of a list is that of the likeness: %j', async (order, expected) => {
	const service = await startService({
		...settingsOf({ lists: { tickets: { order } } }),
		tickets: 4,
	});
	await service.http.put('/tickets/1002', { status: 'CLOSED' });
	const numbers: string[] = [];
	for (const page of [1, 2]) {
		const { data } = await service.http.get('/tickets', { params: { limit: 2, page } });
		expect(data.meta).toEqual({ total: 4, page, limit: 2, totalPages: 2 });
		for (const { ticketNumber } of data.data) numbers.push(ticketNumber as string);
	}
	if (expected) expect(numbers).toEqual(expected);
	else {
		expect(numbers.toSorted()).toEqual(['1001', '1002', '1003', '1004']);
		expect(numbers).not.toEqual(numbers.toSorted());
		expect(numbers).not.toEqual(numbers.toSorted().toReversed());
	}
	await service.close();
});

test('a report sets what it knows; settings precede it', () => {
	const before = process.env.SANDBOX_LIKE;
	process.env.SANDBOX_LIKE = file('report.json', REPORT);
	try {
		const options = withDefaults({ shapes: { errors: 'text' } });
		expect(options.likeness).toEqual(LIKENESS);
		expect(options.rateLimit).toMatchObject({ requests: 9, routes: 'all', windowSeconds: 60 });
		expect(options.shapes).toMatchObject({ errors: 'text', lists: 'array' });
	} finally {
		if (before === undefined) delete process.env.SANDBOX_LIKE;
		else process.env.SANDBOX_LIKE = before;
	}
});

test('a request for the own shapes gets them', async () => {
	const service = await startService(settingsOf(LIKENESS));
	const headers = { [OWN_SHAPES_HEADER]: 'yes' };
	const { data } = await service.http.get('/tickets?limit=100', { headers });
	expect(data.data).toHaveLength(100);
	expect(data.data[0]).toMatchObject({ status: expect.any(String), createdAt: expect.any(String) });
	expect(data.meta).toMatchObject({ total: 200, limit: 100 });
	const { data: rejection } = await service.http.get('/tickets/none', { headers });
	expect(rejection).toEqual({ success: false, error: 'Ticket not found' });
	await service.close();
});

test('what settings decide is not taken from a report', () => {
	const before = process.env.SANDBOX_LIKE;
	process.env.SANDBOX_LIKE = file('all.json', REPORT);
	try {
		const { likeness } = withDefaults({
			pageCap: 3,
			shapes: { lists: 'wrapped' },
			rateLimit: { headers: 'none' },
		});
		expect(likeness?.rateLimit).toBeUndefined();
		expect(likeness?.lists.tickets?.path).toBeUndefined();
		expect(likeness?.lists.tickets?.largestSize).toBeUndefined();
		expect(likeness?.lists.tickets?.times).toBe('epoch seconds');
	} finally {
		if (before === undefined) delete process.env.SANDBOX_LIKE;
		else process.env.SANDBOX_LIKE = before;
	}
});

test.each([
	['no JSON', 'cannot be read as JSON'],
	['{}', 'is not a report of npm run check-service'],
	['{"format":2,"likeness":{"lists":{}}}', 'is not a report of npm run check-service'],
	['null', 'is not a report of npm run check-service'],
])('%s is not a report', (content, words) => {
	expect(() => readLikeness(file('bad.json', content))).toThrow(words);
});

test('npm run sandbox -- --like ends with the reason if the file is not a report', () => {
	const args = [
		'--import',
		'tsx',
		'sandbox/main.mts',
		'--port',
		'0',
		'--like',
		file('bad.json', '{}'),
	];
	const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
	expect(stderr).toContain('is not a report of npm run check-service');
	expect(status).toBe(1);
});
