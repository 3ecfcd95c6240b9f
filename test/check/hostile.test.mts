import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { SELF_SIGNED } from '../support/certificate.mts';
import { check } from './harness.mts';
import {
	closedAfterEach,
	LIST_ROUTES,
	routed,
	type PlainService,
	type Route,
} from '../support/plainService.mts';

const startService = closedAfterEach();

const ok = (data: unknown, meta?: unknown): ReturnType<Route> => ({
	body: { success: true, data, ...(meta !== undefined && { meta }) },
});
const organization = () => ok({ id: 'o' });
const rows = (from: number, count: number) =>
	Array.from({ length: count }, (_, index) => ({ id: `t${from + index}`, status: 'OPEN' }));

const start = async (routes: Record<string, Route>): Promise<PlainService> =>
	await startService(routed({ organization, ...routes }));

test('an endless list is read for a page or two', async () => {
	const endless: Route = (query) =>
		ok(rows((Number(query.get('page') ?? 1) - 1) * 50, 50), {
			total: 1e12,
			limit: 50,
			totalPages: 2e10,
		});
	const { baseUrl, requests } = await start({
		tickets: endless,
		chats: endless,
		contacts: endless,
		broadcasts: endless,
	});
	const run = await check(baseUrl);
	expect(run.code).toBe(0);
	expect(requests.length).toBeLessThanOrEqual(40);
	expect(requests.filter(({ url }) => /page=(?![12]&)/.test(url))).toStrictEqual([]);
	expect(run.output).toContain('GET /tickets: rows: 50; keys: id, status');
});

test('a web page instead of the service ends the check', async () => {
	const service = await startService((_request, response) => {
		response
			.writeHead(200, { 'content-type': 'text/html' })
			.end('<!doctype html><title>Sign in</title>');
	});
	const run = await check(service.baseUrl);
	expect(run).toMatchObject({ code: 1 });
	expect(run.output).toContain(
		'The response is a web page, not the service’s API.\nCheck the base URL.',
	);
	expect(service.requests).toHaveLength(1);
});

test.each([301, 307])(
	'a redirect (%i) to another host is not followed, and gets no token',
	async (status) => {
		const other = await startService((_request, response) => response.end('{}'));
		const service = await startService((_request, response) => {
			response.writeHead(status, { location: `${other.baseUrl}/organization` }).end();
		});
		const run = await check(service.baseUrl);
		expect(run.code).toBe(1);
		expect(run.output).toContain('a redirect, which is not followed: the token was not sent there');
		expect(other.requests).toStrictEqual([]);
	},
);

test('a redirect of a single list is not followed either', async () => {
	const other = await startService((_request, response) => response.end('{}'));
	const { baseUrl } = await start({
		tickets: () => ({ status: 302, headers: { location: `${other.baseUrl}/tickets` }, body: {} }),
		chats: () => ok([], { total: 0 }),
	});
	const run = await check(baseUrl);
	expect(run.output).toContain('GET /tickets: a redirect, which is not followed');
	expect(other.requests).toStrictEqual([]);
});

test('of an answer of 100 MB, 16 MB are read', async () => {
	let written = 0;
	const chunk = Buffer.alloc(1024 * 1024, 0x20);
	const service = await startService((request, response) => {
		if (!request.url?.includes('/tickets')) {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end('{"success":true,"data":[],"meta":{"total":0}}');
			return;
		}
		const before = written;
		const more = (): void => {
			while (written - before < 100 * 1024 * 1024 && !response.destroyed) {
				written += chunk.length;
				if (!response.write(chunk)) {
					response.once('drain', more);
					return;
				}
			}
			response.end();
		};
		more();
	});
	const run = await check(service.baseUrl);
	expect(run.code).toBe(0);
	expect(run.output).toContain('GET /tickets: the response is larger than 16 MB');
	const large = service.requests.filter(({ url }) => url.includes('/tickets')).length;
	// Besides what was read, some of it is in the buffers of the connection.
	expect(written / large).toBeLessThan(30 * 1024 * 1024);
});

test('a rejection with the status 200 is one, as for the nodes', async () => {
	const { baseUrl } = await start({
		tickets: () => ({ body: { success: false, data: [], error: 'No access' } }),
	});
	const { output } = await check(baseUrl);
	expect(output).toContain('GET /tickets: 200 with success: false');
});

test('a certificate that is not trusted is said and not circumvented, even with NODE_TLS_REJECT_UNAUTHORIZED', async () => {
	const requests: string[] = [];
	const server = https.createServer(SELF_SIGNED, (request, response) => {
		requests.push(request.url ?? '');
		response.end('{}');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
	const { port } = server.address() as AddressInfo;
	const run = await check(`https://127.0.0.1:${port}/api/v2`);
	await new Promise((resolve) => server.close(resolve));
	expect(run.code).toBe(1);
	expect(run.output).toContain('the certificate is not trusted, so nothing was sent');
	expect(run.output).toContain('NODE_EXTRA_CA_CERTS');
	expect(requests).toStrictEqual([]);
});

describe('shapes that nobody thought of', () => {
	test.each<[string, unknown]>([
		['null', null],
		['a number', 7],
		['text', 'hello'],
		['a list of lists', [[1], [2]]],
		['rows that are null', { success: true, data: [null, null], meta: null }],
		['deep nesting', JSON.parse(`${'{"data":'.repeat(500)}1${'}'.repeat(500)}`)],
		['success false', { success: false, data: null }],
		[
			'rows with the key __proto__',
			{ success: true, data: [JSON.parse('{"__proto__":{"id":1},"id":2}')] },
		],
		[
			'IDs that are paths',
			{ success: true, data: [{ id: '../../admin' }, { id: '' }, { id: '..' }] },
		],
		[
			'times out of range',
			{
				success: true,
				data: [
					{ id: 'a', createdAt: 'yesterday' },
					{ id: 'b', createdAt: 1e300 },
				],
			},
		],
	])('%s', async (_name, body) => {
		const routes = [...LIST_ROUTES, 'tickets/*', 'chats/*', 'chats/*/messages'];
		const { baseUrl, requests } = await start(
			Object.fromEntries(
				routes.map((route) => [
					route,
					() => ({ body: typeof body === 'string' ? JSON.stringify(body) : body }),
				]),
			),
		);
		const run = await check(baseUrl);
		expect(run.code).toBe(0);
		expect(run.output).toContain(' of 8 questions.');
		expect(run.output).not.toContain('not prepared');
		expect(
			requests.every(
				({ url, method }) =>
					method === 'GET' && url.startsWith('/api/v2/') && !/\/\.\.?(?:\/|$)/.test(url),
			),
		).toBe(true);
	});
});
