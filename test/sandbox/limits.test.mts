import { once } from 'node:events';
import { Server } from 'node:net';
import type { Readable } from 'node:stream';
import timers from 'node:timers/promises';
import type { RateLimitHeaders, SandboxSettings } from '../../sandbox/options.mts';
import { startService, stateOf, type Service } from '../support/sandboxClient.mts';

/** The rate limit, faults on demand, the latency, and what the sandbox records of its requests. */

let service: Service;
const start = async (settings: SandboxSettings = {}) => {
	service = await startService({ contacts: 3, tickets: 3, ...settings });
};
afterEach(async () => await service.close());

const note = async () => (await service.post('/tickets/1001/notes', { body: 'x' })).status;
const read = async (path = '/tickets') => (await service.get(path)).status;

describe('the rate limit', () => {
	test.each([
		{ windowSeconds: undefined, length: 60_000 },
		{ windowSeconds: 10, length: 10_000 },
	])(
		'has windows of $length ms that start with their first request',
		async ({ windowSeconds, length }) => {
			await start({ rateLimit: { requests: 2, ...(windowSeconds && { windowSeconds }) } });
			expect([await note(), await note(), await note()]).toStrictEqual([200, 200, 429]);
			service.clock.advance(length - 1);
			expect(await note()).toBe(429);
			service.clock.advance(1);
			expect(await note()).toBe(200);
			// Later requests do not move its end.
			service.clock.advance(length - 1);
			expect(await note()).toBe(200);
			service.clock.advance(1);
			expect([await note(), await note()]).toStrictEqual([200, 200]);
		},
	);

	test('counts the endpoints that list 429, or all, or none', async () => {
		await start({ rateLimit: { requests: 1 } });
		expect([await note(), await read(), await read(), await note()]).toStrictEqual([
			200, 200, 200, 429,
		]);
		await service.close();
		await start({ rateLimit: { requests: 1, routes: 'all' } });
		expect([await read(), await read()]).toStrictEqual([200, 429]);
		await service.close();
		await start({ rateLimit: { requests: 0, routes: 'all' } });
		expect([await note(), await note()]).toStrictEqual([200, 200]);
	});

	test('counts each token separately', async () => {
		await start({ rateLimit: { requests: 1, routes: 'all' } });
		const other = service.as(service.sandbox.tokens.readOnly.value);
		for (const status of [200, 429])
			for (const http of [service.http, other])
				expect((await http.get('/tickets')).status).toBe(status);
	});

	test('counts a rejected request, but not one without a known token or path', async () => {
		await start({ rateLimit: { requests: 2, routes: 'all' } });
		const unknown = service.as('wa_pk_unknown');
		for (let i = 0; i < 3; i++) {
			expect((await unknown.get('/tickets')).status).toBe(401);
			expect(await read('/nothing')).toBe(404);
		}
		const invalid = '/tickets?status=NEW';
		const statuses = [await read(invalid), await read('/tickets/0'), await read(invalid)];
		expect(statuses).toStrictEqual([400, 404, 429]);
		expect(service.sandbox.rateLimiter.rejected).toBe(1);
	});

	const family = (prefix: string, reset: string, suffix = '') => ({
		[`${prefix}-limit${suffix}`]: '3',
		[`${prefix}-remaining${suffix}`]: 'LEFT',
		[`${prefix}-reset${suffix}`]: reset,
	});
	/** The headers of every response, with the number of remaining requests for `LEFT`, and those of a 429. */
	test.each<[RateLimitHeaders, always: Record<string, string>, rejected: Record<string, string>]>([
		['ratelimit', family('ratelimit', '60'), { 'retry-after': '60' }],
		['x-ratelimit', family('x-ratelimit', '1768467661'), {}],
		['x-ratelimit-ms', family('x-ratelimit', '1768467660250'), {}],
		['combined', { ratelimit: 'limit=3, remaining=LEFT, reset=60' }, { 'retry-after': '60' }],
		[
			'structured',
			{ ratelimit: '"default";r=LEFT;t=60', 'ratelimit-policy': '"default";q=3;w=60' },
			{},
		],
		['named', family('x-ratelimit', '60', '-short'), { 'retry-after-short': '60' }],
		['retry-after', {}, { 'retry-after': '60' }],
		['retry-after-date', {}, { 'retry-after': 'Thu, 15 Jan 2026 09:01:01 GMT' }],
		['none', {}, {}],
	])('is reported in the style %s', async (headers, always, rejected) => {
		await start({ rateLimit: { requests: 3, headers } });
		const sent = async () => {
			const response = await service.http.post('/tickets/1001/notes', { body: 'x' });
			const all = Object.entries(response.headers);
			return Object.fromEntries(all.filter(([name]) => /rate|retry/.test(name)));
		};
		const left = (count: number) =>
			JSON.parse(JSON.stringify(always).replaceAll('LEFT', String(count))) as object;
		service.clock.advance(250);
		expect(await sent()).toStrictEqual(left(2));
		// 59.4 s are left: whole seconds are rounded up, so that nobody comes too early.
		service.clock.advance(600);
		expect(await sent()).toStrictEqual(left(1));
		expect(await sent()).toStrictEqual(left(0));
		expect(await sent()).toStrictEqual({ ...left(0), ...rejected });
	});
});

describe('a fault on demand', () => {
	test('affects the requests that match, as often as it says', async () => {
		await start();
		const fault = { kind: 'status', status: 503, headers: { 'retry-after': '7' } } as const;
		const matches = ({ route }: { route?: string }) => route === 'GET /tickets/{id}';
		service.sandbox.faults.add(fault, { times: 2, matches });
		expect(await read('/tickets')).toBe(200);
		expect((await service.http.get('/tickets/1001')).headers['retry-after']).toBe('7');
		expect([await read('/tickets/1001'), await read('/tickets/1001')]).toStrictEqual([503, 200]);
		const logged = service.sandbox.requests.map(({ route, status }) => [route, status]);
		expect(logged[1]).toStrictEqual(['GET /tickets/{id}', 503]);
	});

	test('has the service’s own message, or another one', async () => {
		await start({ shapes: { errors: 'message' } });
		const { faults } = service.sandbox;
		faults.add({ kind: 'status', status: 500 });
		expect((await service.http.get('/tickets')).data).toStrictEqual({
			statusCode: 500,
			error: 'Internal Server Error',
			message: 'Something went wrong',
		});
		faults.add({ kind: 'status', status: 418, body: 'Tea' });
		expect(await service.get('/tickets')).toMatchObject({ status: 418, data: 'Tea' });
	});

	test('can be a proxy’s page, or a redirect', async () => {
		await start();
		const { faults } = service.sandbox;
		faults.add({ kind: 'html', status: 502 });
		const page = await service.http.get('/tickets');
		expect([page.status, page.headers['content-type']]).toStrictEqual([502, 'text/html']);
		expect(page.data).toContain('502 Bad Gateway');
		faults.add({ kind: 'redirect', location: 'https://example.com' });
		const redirect = await service.http.get('/tickets');
		expect([redirect.status, redirect.headers.location]).toStrictEqual([
			302,
			'https://example.com',
		]);
	});

	test('can truncate a response, which comes after the work and keeps its status', async () => {
		await start();
		const { world, faults, requests } = service.sandbox;
		const { size } = world.tickets;
		for (const [body, expected] of [
			[{ title: 'T' }, 200],
			[{}, 400],
		] as const) {
			faults.add({ kind: 'truncate' });
			const { status, data } = await service.http.post('/tickets', body, { responseType: 'text' });
			expect([status, requests.at(-1)!.status]).toStrictEqual([expected, expected]);
			expect(() => JSON.parse(data as string) as unknown).toThrow(SyntaxError);
		}
		expect(world.tickets.size).toBe(size + 1);
	});

	test('can reset the connection, before the work or after it', async () => {
		await start();
		const { world, faults } = service.sandbox;
		const before = stateOf(world);
		const { size } = world.tickets;
		const create = async () => await service.post('/tickets', { title: 'T' });
		faults.add({ kind: 'reset' });
		await expect(create()).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(stateOf(world)).toStrictEqual(before);
		faults.add({ kind: 'reset', when: 'after' });
		await expect(create()).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(world.tickets.size).toBe(size + 1);
	});

	test.each(['before', 'after'] as const)(
		'can leave a request without a response, %s the work, until the sandbox closes',
		async (when) => {
			await start();
			const { world, faults } = service.sandbox;
			const { size } = world.tickets;
			const received = new Promise<void>((resolve) => {
				const matches = ({ method }: { method: string }) => {
					if (method === 'POST') resolve();
					return method === 'POST';
				};
				faults.add({ kind: 'hang', when }, { matches });
			});
			let hasEnded = false;
			const ending = service
				.post('/tickets', { title: 'T' })
				.catch((error: unknown) => (error as { code: string }).code)
				.finally(() => (hasEnded = true));
			await received;
			expect(await read()).toBe(200);
			expect([hasEnded, world.tickets.size - size]).toStrictEqual([
				false,
				when === 'after' ? 1 : 0,
			]);
			await service.close();
			expect(await ending).toBe('ECONNRESET');
		},
	);

	test.each([
		[undefined, 'text/csv', 'id,name\r\n1,Ann\r\n2,'],
		['csv', 'text/csv', 'id,name\r\n1,Ann\r\n2,'],
		['json', 'application/json', '{"success":true,"data":{"id":"1","na'],
	] as const)('can cut, or stall, a connection in a response: %s', async (of, type, text) => {
		await start();
		for (const stalls of [false, true]) {
			service.sandbox.faults.add({ kind: 'cut', of, stalls });
			const responseType = 'stream';
			const { headers, data } = await service.http.get<Readable>('/tickets', { responseType });
			expect(headers).toMatchObject({ 'content-type': type, 'content-length': '100000' });
			let hasEnded = false;
			const ending = once(data, 'close').finally(() => (hasEnded = true));
			let received = '';
			data.on('data', (chunk: Buffer) => (received += chunk.toString()));
			await once(data, 'data');
			if (stalls) {
				for (let i = 0; i < 5; i++) await read();
				expect(hasEnded).toBe(false);
				await service.close();
			}
			await expect(ending).rejects.toMatchObject({ code: 'ECONNRESET' });
			expect(received).toBe(text);
		}
	});
});

describe('the latency', () => {
	/** How long each response was delayed, in milliseconds, and whether it was sent by then. No time passes. */
	const delays: unknown[] = [];
	let now: jest.SpyInstance;
	beforeEach(() => {
		delays.length = 0;
		now = jest.spyOn(performance, 'now').mockReturnValue(0);
		jest.spyOn(timers, 'setTimeout').mockImplementation(async (ms, value) => {
			// What does not wait for the delay has a response by then.
			await new Promise((resolve) => setImmediate(resolve));
			delays.push([ms, service.sandbox.requests.at(-1)!.status > 0]);
			return value;
		});
	});
	afterEach(() => jest.restoreAllMocks());

	test('delays every response before its work, and one of a fault for longer', async () => {
		await start({ latencyMs: 3_000 });
		await read();
		now.mockReturnValue(3_000);
		service.sandbox.faults.add({ kind: 'latency', ms: 500 });
		await read();
		expect(delays).toStrictEqual([
			[3_000, false],
			[3_500, false],
		]);
		expect(service.sandbox.workload.mostAtOnce).toBe(1);
	});

	test('delays the next requests if the service works on one at a time', async () => {
		await start({ latencyMs: 50, capacity: 1 });
		for (let i = 0; i < 2; i++) await read();
		expect(delays).toStrictEqual([
			[50, false],
			[100, false],
		]);
	});

	test('delays nothing if there is none', async () => {
		await start();
		await read();
		expect(delays).toStrictEqual([]);
	});
});

describe('the sandbox', () => {
	afterEach(() => jest.restoreAllMocks());

	test('listens on loopback only', async () => {
		const listen = jest.spyOn(Server.prototype, 'listen');
		await start();
		expect(listen.mock.calls).toMatchObject([[{ host: '127.0.0.1' }]]);
	});

	test('responds with 500 to an error of its own', async () => {
		await start();
		jest.spyOn(service.world, 'findTicket').mockImplementation(() => {
			throw new Error('A bug');
		});
		expect(await read('/tickets/1001')).toBe(500);
	});

	test.each([{}, { limit: 200 }])('can cap the page size further: %j', async (params) => {
		await start({ pageCap: 2 });
		const { data, meta } = await service.get('/tickets', params);
		expect([data.length, meta.limit]).toStrictEqual([2, 2]);
	});

	test('records why the contract does not allow a request, and what it used of others', async () => {
		await start();
		await service.post('/tickets', { title: 'T', color: 'red' });
		await service.get('/tickets', { status: 'NEW' });
		await service.put('/tickets/1001', { status: 'CLOSED' });
		await service.get('/tickets', { status: 'OPEN' });
		await service.get('/tickets/0');
		const { requests } = service.sandbox;
		expect(requests.map(({ violation, used }) => violation ?? [...used])).toStrictEqual([
			expect.stringContaining('color'),
			expect.stringContaining('status'),
			['body status'],
			['query status'],
			[],
		]);
	});

	test('keeps the latest requests', async () => {
		await start();
		const { requests } = service.sandbox;
		await read('/tickets/1001');
		while (requests.length < 20_000) requests.push(requests[0]!);
		for (const [path, length] of [
			['/tickets/1002', 10_001],
			['/tickets/1003', 10_002],
		] as const) {
			await read(path);
			expect([requests.at(-1)!.path, requests.length]).toStrictEqual([path, length]);
		}
	});

	test('logs a line per request, without its token', async () => {
		const lines: string[] = [];
		await start({ log: (line) => lines.push(line) });
		await service.get('/tickets', { status: 'OPEN' });
		await service.get('/tickets/0');
		service.sandbox.faults.add({ kind: 'reset' });
		await service.get('/users').catch(() => undefined);
		await new Promise((resolve) => setImmediate(resolve));
		expect(lines).toStrictEqual([
			expect.stringMatching(/^GET {4}\/tickets\?status=OPEN {2}200 {2}[\d.]+ ms$/),
			expect.stringMatching(/^GET {4}\/tickets\/0 {2}404/),
			expect.stringMatching(/^GET {4}\/users {2}cut/),
		]);
		expect(lines.join()).not.toContain('wa_pk_');
	});
});
