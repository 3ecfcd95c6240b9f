import { once } from 'node:events';
import { Server } from 'node:net';
import type { Readable } from 'node:stream';
import timers from 'node:timers/promises';
import type { ErrorShape, RateLimitHeaders } from '../../sandbox/options.mts';
import { startService, stateOf, type Service } from './client.mts';

let service: Service | undefined;
afterEach(async () => {
	await service?.close();
	service = undefined;
});

const note = async ({ http }: Service) => await http.post('/tickets/1001/notes', { body: 'x' });

describe('the rate limit', () => {
	test('the rate limit has windows of 60 seconds that start with their first request', async () => {
		service = await startService({ rateLimit: { requests: 2 } });
		expect([
			(await note(service)).status,
			(await note(service)).status,
			(await note(service)).status,
		]).toEqual([200, 200, 429]);
		service.clock.advance(59_999);
		expect((await note(service)).status).toBe(429);
		service.clock.advance(1);
		expect((await note(service)).status).toBe(200);
		// Later requests do not move its end.
		service.clock.advance(40_000);
		expect((await note(service)).status).toBe(200);
		service.clock.advance(20_000);
		expect([(await note(service)).status, (await note(service)).status]).toEqual([200, 200]);
	});

	test('the rate limit counts the endpoints that list 429, or all', async () => {
		service = await startService({ rateLimit: { requests: 1 } });
		for (let i = 0; i < 3; i++) expect((await service.http.get('/tickets')).status).toBe(200);
		await service.close();
		service = await startService({ rateLimit: { requests: 1, routes: 'all' } });
		await service.http.get('/tickets');
		expect((await service.http.get('/tickets')).status).toBe(429);
	});

	test('the rate limit counts each token separately, and can be switched off', async () => {
		service = await startService({ rateLimit: { requests: 1, routes: 'all' } });
		const other = service.as(service.sandbox.tokens.readOnly.value);
		for (const status of [200, 429])
			for (const http of [service.http, other])
				expect((await http.get('/tickets')).status).toBe(status);
		await service.close();
		service = await startService({ rateLimit: { requests: 0, routes: 'all' } });
		for (let i = 0; i < 3; i++) expect((await service.http.get('/tickets')).status).toBe(200);
	});

	test('a rejected request counts, but not one without a known token or path', async () => {
		service = await startService({ rateLimit: { requests: 2, routes: 'all' } });
		const { http, sandbox } = service;
		const unknown = service.as('wa_pk_unknown');
		for (let i = 0; i < 3; i++) {
			expect((await unknown.get('/tickets')).status).toBe(401);
			expect((await http.get('/nothing')).status).toBe(404);
		}
		expect((await http.get('/tickets', { params: { status: 'NEW' } })).status).toBe(400);
		const rejected = await http.get('/tickets/0');
		expect([rejected.status, rejected.headers['ratelimit-remaining']]).toEqual([404, '0']);
		expect((await http.get('/tickets', { params: { status: 'NEW' } })).status).toBe(429);
		expect(sandbox.rateLimiter.rejected).toBe(1);
	});

	type Headers = Record<string, string>;
	/** With every response, for the number of remaining requests, and in addition with a 429. */
	test.each<[RateLimitHeaders, always: (left: number) => Headers, rejected: Headers]>([
		[
			'ratelimit',
			(left) => ({
				'ratelimit-limit': '3',
				'ratelimit-remaining': `${left}`,
				'ratelimit-reset': '60',
			}),
			{ 'retry-after': '60' },
		],
		[
			'x-ratelimit',
			(left) => ({
				'x-ratelimit-limit': '3',
				'x-ratelimit-remaining': `${left}`,
				'x-ratelimit-reset': '1768467661',
			}),
			{},
		],
		[
			'x-ratelimit-ms',
			(left) => ({
				'x-ratelimit-limit': '3',
				'x-ratelimit-remaining': `${left}`,
				'x-ratelimit-reset': '1768467660250',
			}),
			{},
		],
		[
			'combined',
			(left) => ({ ratelimit: `limit=3, remaining=${left}, reset=60` }),
			{ 'retry-after': '60' },
		],
		[
			'structured',
			(left) => ({
				ratelimit: `"default";r=${left};t=60`,
				'ratelimit-policy': '"default";q=3;w=60',
			}),
			{},
		],
		[
			'named',
			(left) => ({
				'x-ratelimit-limit-short': '3',
				'x-ratelimit-remaining-short': `${left}`,
				'x-ratelimit-reset-short': '60',
			}),
			{ 'retry-after-short': '60' },
		],
		['retry-after', () => ({}), { 'retry-after': '60' }],
		['retry-after-date', () => ({}), { 'retry-after': 'Thu, 15 Jan 2026 09:01:01 GMT' }],
		['none', () => ({}), {}],
	])('the rate limit is reported in the style %s', async (headers, always, rejected) => {
		service = await startService({ rateLimit: { requests: 3, headers } });
		const sent = async () => {
			const { status, headers: all } = await note(service!);
			const own = Object.entries(all).filter(([name]) => /rate|retry/.test(name));
			return [status, Object.fromEntries(own)];
		};
		service.clock.advance(250);
		expect(await sent()).toEqual([200, always(2)]);
		// 59.4 s are left: whole seconds are rounded up, so that nobody comes too early.
		service.clock.advance(600);
		expect(await sent()).toEqual([200, always(1)]);
		expect(await sent()).toEqual([200, always(0)]);
		expect(await sent()).toEqual([429, { ...always(0), ...rejected }]);
	});

	test('a window can have another length', async () => {
		const rateLimit = { requests: 1, windowSeconds: 10, headers: 'structured' } as const;
		service = await startService({ rateLimit });
		const { headers } = await note(service);
		expect(headers).toMatchObject({
			ratelimit: '"default";r=0;t=10',
			'ratelimit-policy': '"default";q=1;w=10',
		});
		service.clock.advance(9_999);
		expect((await note(service)).status).toBe(429);
		service.clock.advance(1);
		expect((await note(service)).status).toBe(200);
	});
});

describe('other plausible shapes of responses', () => {
	const json = 'application/json; charset=utf-8';
	test.each<[ErrorShape, type: string, body: unknown]>([
		['string', json, { success: false, error: 'Ticket not found' }],
		['object', json, { success: false, error: { code: 'NOT_FOUND', message: 'Ticket not found' } }],
		['message', json, { statusCode: 404, error: 'Not Found', message: 'Ticket not found' }],
		['messages', json, { statusCode: 404, error: 'Not Found', message: ['Ticket not found'] }],
		[
			'errors',
			json,
			{ success: false, errors: [{ field: 'request', message: 'Ticket not found' }] },
		],
		['text', 'text/plain', 'Ticket not found'],
		[
			'html',
			'text/html',
			'<html><head><title>404 Not Found</title></head><body><p>Ticket not found</p></body></html>',
		],
		['empty', 'text/plain', ''],
	])('errors can have the shape %s', async (errors, type, body) => {
		service = await startService({ shapes: { errors } });
		const { status, headers, data } = await service.http.get('/tickets/0');
		expect([status, headers['content-type'], data]).toEqual([404, type, body]);
	});

	test('a code has the words of its status, and one without words is an error', async () => {
		service = await startService({ shapes: { errors: 'object' } });
		const codeOf = async (status: number) => {
			service!.sandbox.faults.add({ kind: 'status', status });
			return (await service!.http.get('/tickets')).data.error.code as string;
		};
		expect(await codeOf(429)).toBe('TOO_MANY_REQUESTS');
		expect(await codeOf(599)).toBe('ERROR');
	});
});

describe('faults on demand', () => {
	test('a fault affects the requests that match, as often as it says', async () => {
		service = await startService();
		service.sandbox.faults.add(
			{ kind: 'status', status: 503, headers: { 'retry-after': '7' } },
			{ times: 2, matches: ({ path }) => path === '/tickets' },
		);
		expect((await service.http.get('/users')).status).toBe(200);
		expect((await service.http.get('/tickets')).headers['retry-after']).toBe('7');
		expect([
			(await service.http.get('/tickets')).status,
			(await service.http.get('/tickets')).status,
		]).toEqual([503, 200]);
	});

	test('a reset before the work changes nothing, a reset after it does', async () => {
		service = await startService();
		const { world, faults } = service.sandbox;
		const before = stateOf(world);
		const { size } = world.tickets;
		const create = async () => await service!.http.post('/tickets', { title: 'T' });
		faults.add({ kind: 'reset' });
		await expect(create()).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(stateOf(world)).toEqual(before);
		faults.add({ kind: 'reset', when: 'after' });
		await expect(create()).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(world.tickets.size).toBe(size + 1);
	});

	test.each(['before', 'after'] as const)(
		'a request that hangs %s the work gets no response, and does not keep the sandbox from closing',
		async (when) => {
			service = await startService();
			const { world, faults } = service.sandbox;
			const { size } = world.tickets;
			const received = new Promise<void>((resolve) => {
				const matches = ({ method }: { method: string }) => {
					if (method === 'POST') resolve();
					return method === 'POST';
				};
				faults.add({ kind: 'hang', when }, { matches });
			});
			const ending = service.http.post('/tickets', { title: 'T' }).then(
				({ status }) => status,
				(error: unknown) => (error as { code: string }).code,
			);
			let hasEnded = false;
			void ending.then(() => (hasEnded = true));
			await received;
			expect((await service.http.get('/tickets')).status).toBe(200);
			expect(hasEnded).toBe(false);
			expect(world.tickets.size).toBe(when === 'after' ? size + 1 : size);
			await service.close();
			service = undefined;
			expect(await ending).toBe('ECONNRESET');
		},
	);

	test('a response can be truncated, a proxy’s page, or a redirect', async () => {
		service = await startService();
		const { faults } = service.sandbox;
		const asText = { responseType: 'text', transformResponse: (text: string) => text } as const;
		faults.add({ kind: 'truncate' });
		const broken = await service.http.get('/tickets/1001', asText);
		expect(() => JSON.parse(broken.data) as unknown).toThrow(SyntaxError);
		faults.add({ kind: 'html', status: 502 });
		const page = await service.http.get('/tickets');
		expect([page.status, page.headers['content-type']]).toEqual([502, 'text/html']);
		expect(page.data).toContain('502 Bad Gateway');
		faults.add({ kind: 'redirect', location: 'https://example.com' });
		const redirect = await service.http.get('/tickets');
		expect([redirect.status, redirect.headers.location]).toEqual([302, 'https://example.com']);
	});

	test('a truncated response comes after the work, and has the status that the whole one has', async () => {
		service = await startService();
		const { world, faults, requests } = service.sandbox;
		const { size } = world.tickets;
		const statusOf = async (body: object) => {
			faults.add({ kind: 'truncate' });
			const { status } = await service!.http.post('/tickets', body, { responseType: 'text' });
			expect(requests.at(-1)!.status).toBe(status);
			return status;
		};
		expect(await statusOf({ title: 'T' })).toBe(200);
		expect(await statusOf({})).toBe(400);
		expect(world.tickets.size).toBe(size + 1);
	});

	test('a failed request has the service’s own message, or another one', async () => {
		service = await startService({ shapes: { errors: 'message' } });
		const { faults } = service.sandbox;
		faults.add({ kind: 'status', status: 500 });
		expect((await service.http.get('/tickets')).data).toEqual({
			statusCode: 500,
			error: 'Internal Server Error',
			message: 'Something went wrong',
		});
		faults.add({ kind: 'status', status: 418, body: 'Tea' });
		const { status, data } = await service.http.get('/tickets');
		expect([status, data]).toEqual([418, 'Tea']);
	});

	test('rows of a list shift as often, and by as many, as told', async () => {
		service = await startService();
		const { faults } = service.sandbox;
		for (const path of ['/tickets', '/contacts']) {
			faults.shiftRows(path, 3, 2);
			const total = async () => (await service!.http.get(path)).data.meta.total as number;
			const first = await total();
			expect([await total(), await total(), await total()]).toEqual([
				first + 3,
				first + 6,
				first + 6,
			]);
		}
	});

	test.each([
		[undefined, 'text/csv', 'id,name\r\n1,Ann\r\n2,'],
		['csv', 'text/csv', 'id,name\r\n1,Ann\r\n2,'],
		['json', 'application/json', '{"success":true,"data":{"id":"1","na'],
	] as const)(
		'a connection can be cut, or stall, in the middle of a response: %s',
		async (of, type, text) => {
			const own = await startService();
			service = own;
			for (const stalls of [false, true]) {
				own.sandbox.faults.add({ kind: 'cut', of, stalls });
				const { headers, data } = await own.http.get<Readable>('/tickets/1001', {
					responseType: 'stream',
				});
				expect(headers).toMatchObject({ 'content-type': type, 'content-length': '100000' });
				let received = '';
				let hasEnded = false;
				const beginning = new Promise((resolve) => {
					data.on('data', (chunk: Buffer) => {
						received += chunk.toString();
						resolve(received);
					});
				});
				const ending = once(data, 'close').finally(() => (hasEnded = true));
				await beginning;
				if (stalls) {
					for (let i = 0; i < 5; i++) await own.http.get('/tickets/1001');
					expect(hasEnded).toBe(false);
					await own.close();
					service = undefined;
				}
				await expect(ending).rejects.toMatchObject({ code: 'ECONNRESET' });
				expect(received).toBe(text);
			}
		},
	);

	test('a fault can be limited to an endpoint, which the log of requests shows', async () => {
		service = await startService();
		const { faults, requests } = service.sandbox;
		faults.add(
			{ kind: 'status', status: 503 },
			{ matches: ({ route }) => route === 'GET /tickets/{id}' },
		);
		expect((await service.http.get('/tickets')).status).toBe(200);
		expect((await service.http.get('/tickets/1001')).status).toBe(503);
		expect(requests.at(-1)).toMatchObject({ route: 'GET /tickets/{id}', status: 503 });
	});
});

test('an error of the sandbox itself is a 500', async () => {
	service = await startService();
	jest.spyOn(service.sandbox.world, 'findTicket').mockImplementation(() => {
		throw new Error('A bug');
	});
	expect((await service.http.get('/tickets/1001')).status).toBe(500);
});

test('a request that the contract does not allow is recorded with the reason', async () => {
	service = await startService();
	await service.http.post('/tickets', { title: 'T', color: 'red' });
	await service.http.get('/tickets', { params: { status: 'NEW' } });
	await service.http.get('/tickets/0');
	expect(service.sandbox.requests.map(({ violation }) => violation)).toEqual([
		expect.stringContaining('color'),
		expect.stringContaining('status'),
		undefined,
	]);
});

test.each([{}, { limit: 200 }])(
	'the page size can be capped further, and the meta reports it: %j',
	async (params) => {
		service = await startService({ pageCap: 2 });
		const { data, meta } = (await service.http.get('/tickets', { params })).data;
		expect([data.length, meta.limit]).toEqual([2, 2]);
	},
);

describe('the latency', () => {
	/** How long each response was delayed, in milliseconds. No time passes. */
	const delays: unknown[] = [];
	beforeEach(() => {
		delays.length = 0;
		jest.spyOn(timers, 'setTimeout').mockImplementation(async (ms) => {
			// What does not wait for the delay has a response by then.
			await new Promise((resolve) => setImmediate(resolve));
			delays.push([ms, service!.sandbox.requests.at(-1)!.status]);
			return undefined as never;
		});
	});
	afterEach(() => jest.restoreAllMocks());

	test('every response is delayed before its work, and one of a fault for longer', async () => {
		service = await startService({ latencyMs: 3_000 });
		const { faults, workload } = service.sandbox;
		const now = jest.spyOn(performance, 'now').mockReturnValue(0);
		await service.http.get('/tickets');
		now.mockReturnValue(3_000);
		faults.add({ kind: 'latency', ms: 500 });
		await service.http.get('/tickets');
		expect(delays).toEqual([
			[3_000, 0],
			[3_500, 0],
		]);
		expect(workload.mostAtOnce).toBe(1);
	});

	test('a service that works on one request at a time delays the next ones', async () => {
		service = await startService({ latencyMs: 50, capacity: 1 });
		jest.spyOn(performance, 'now').mockReturnValue(0);
		for (let i = 0; i < 3; i++) await service.http.get('/tickets');
		expect(delays).toEqual([
			[50, 0],
			[100, 0],
			[150, 0],
		]);
	});

	test('without one, nothing is delayed', async () => {
		service = await startService();
		await service.http.get('/tickets');
		expect(delays).toEqual([]);
	});
});

test('the log of requests has the latest ones, with what was used of them', async () => {
	service = await startService();
	const { requests } = service.sandbox;
	await service.http.put('/tickets/1001', { status: 'CLOSED' });
	expect(requests.at(-1)!.used).toEqual(new Set(['body status']));
	await service.http.get('/tickets', { params: { status: 'OPEN' } });
	expect(requests.at(-1)!.used).toEqual(new Set(['query status']));
	const [first] = requests;
	while (requests.length < 20_000) requests.push(first!);
	await service.http.get('/tickets/1001');
	expect(requests).toHaveLength(10_001);
	expect(requests.at(-1)!.path).toBe('/tickets/1001');
	await service.http.get('/tickets/1002');
	expect(requests).toHaveLength(10_002);
});

test('the sandbox listens on loopback only', async () => {
	const listen = jest.spyOn(Server.prototype, 'listen');
	service = await startService();
	expect(listen.mock.calls.map(([options]) => options)).toEqual([
		expect.objectContaining({ host: '127.0.0.1' }),
	]);
	listen.mockRestore();
});

test('the log has a line per request and contains no token', async () => {
	const lines: string[] = [];
	service = await startService({ log: (line) => lines.push(line) });
	await service.http.get('/tickets', { params: { status: 'OPEN' } });
	await service.http.get('/tickets/0');
	await new Promise((resolve) => setImmediate(resolve));
	expect(lines[0]).toMatch(/^GET {4}\/tickets\?status=OPEN {2}200 {2}[\d.]+ ms$/);
	expect(lines[1]).toMatch(/^GET {4}\/tickets\/0 {2}404/);
	service.sandbox.faults.add({ kind: 'reset' });
	await service.http.get('/users').catch(() => undefined);
	await new Promise((resolve) => setImmediate(resolve));
	expect(lines[2]).toMatch(/^GET {4}\/users {2}cut/);
	expect(lines.join()).not.toContain('wa_pk_');
});
