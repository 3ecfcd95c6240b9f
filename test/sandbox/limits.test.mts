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
		await service.http.get('/tickets');
		expect((await service.as(service.sandbox.tokens.readOnly.value).get('/tickets')).status).toBe(
			200,
		);
		await service.close();
		service = await startService({ rateLimit: { requests: 0, routes: 'all' } });
		for (let i = 0; i < 3; i++) expect((await service.http.get('/tickets')).status).toBe(200);
	});

	test.each<[RateLimitHeaders, object, object]>([
		['ratelimit', { 'ratelimit-remaining': '0', 'ratelimit-reset': '60' }, { 'retry-after': '60' }],
		['x-ratelimit', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1768467660' }, {}],
		['x-ratelimit-ms', { 'x-ratelimit-reset': '1768467660000' }, {}],
		['combined', { ratelimit: 'limit=1, remaining=0, reset=60' }, { 'retry-after': '60' }],
		[
			'structured',
			{ ratelimit: '"default";r=0;t=60', 'ratelimit-policy': '"default";q=1;w=60' },
			{},
		],
		[
			'named',
			{ 'x-ratelimit-remaining-short': '0', 'x-ratelimit-reset-short': '60' },
			{ 'retry-after-short': '60' },
		],
		['retry-after', {}, { 'retry-after': '60' }],
		['retry-after-date', {}, { 'retry-after': 'Thu, 15 Jan 2026 09:01:00 GMT' }],
		['none', {}, {}],
	])('the rate limit is reported in the style %s', async (headers, always, whenRejected) => {
		service = await startService({ rateLimit: { requests: 1, headers } });
		expect((await note(service)).headers).toMatchObject(always);
		const rejected = await note(service);
		expect(rejected.status).toBe(429);
		expect(rejected.headers).toMatchObject({ ...always, ...whenRejected });
	});
});

describe('other plausible shapes of responses', () => {
	test.each<[ErrorShape, unknown]>([
		['string', { success: false, error: 'Ticket not found' }],
		['object', { success: false, error: { code: 'NOT_FOUND', message: 'Ticket not found' } }],
		['message', { statusCode: 404, error: 'Not Found', message: 'Ticket not found' }],
		['messages', { statusCode: 404, error: 'Not Found', message: ['Ticket not found'] }],
		['errors', { success: false, errors: [{ field: 'request', message: 'Ticket not found' }] }],
		['text', 'Ticket not found'],
		['html', expect.stringContaining('<p>Ticket not found</p>')],
		['empty', ''],
	])('errors can have the shape %s', async (errors, body) => {
		service = await startService({ shapes: { errors } });
		expect((await service.http.get('/tickets/0')).data).toEqual(body);
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

	test('a hanging request gets no response, and does not keep the sandbox from closing', async () => {
		service = await startService();
		service.sandbox.faults.add({ kind: 'hang' });
		await expect(service.http.get('/tickets', { timeout: 50 })).rejects.toMatchObject({
			code: 'ECONNABORTED',
		});
	});

	test('a response can be truncated, a proxy’s page, or a redirect', async () => {
		service = await startService();
		const { faults } = service.sandbox;
		faults.add({ kind: 'truncate' });
		const broken = await service.http.get('/tickets', {
			responseType: 'text',
			transformResponse: (text: string) => text,
		});
		expect(() => JSON.parse(broken.data) as unknown).toThrow(SyntaxError);
		faults.add({ kind: 'html', status: 502 });
		expect((await service.http.get('/tickets')).data).toContain('502 Bad Gateway');
		faults.add({ kind: 'redirect', location: 'https://example.com' });
		expect((await service.http.get('/tickets')).status).toBe(302);
	});

	test('a connection can be cut in the middle of JSON', async () => {
		service = await startService();
		service.sandbox.faults.add({ kind: 'cut', of: 'json' });
		await expect(service.http.get('/tickets/1001')).rejects.toMatchObject({
			code: expect.stringMatching(/ECONNRESET|ERR_BAD_RESPONSE/),
		});
	});

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

test('the page size can be capped further, and the meta reports it', async () => {
	service = await startService({ pageCap: 2 });
	const { data, meta } = (await service.http.get('/tickets', { params: { limit: 200 } })).data;
	expect([data.length, meta.limit]).toEqual([2, 2]);
});

test('the log has a line per request and contains no token', async () => {
	const lines: string[] = [];
	service = await startService({ log: (line) => lines.push(line) });
	await service.http.get('/tickets', { params: { status: 'OPEN' } });
	await service.http.get('/tickets/0');
	await new Promise((resolve) => setImmediate(resolve));
	expect(lines[0]).toMatch(/^GET {4}\/tickets\?status=OPEN {2}200 {2}[\d.]+ ms$/);
	expect(lines[1]).toMatch(/^GET {4}\/tickets\/0 {2}404/);
	expect(lines.join()).not.toContain('wa_pk_');
});
