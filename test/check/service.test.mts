import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { SELF_SIGNED } from '../support/certificate.mts';
import { replaceNameServer } from '../support/nameServer.mts';
import { closedAfterEach, LIST_ROUTES, routed, type Route } from '../support/plainService.mts';
import { always, check, found, json } from './harness.mts';

const startService = closedAfterEach();

const organization = always({ id: 'o' });
const start = async (routes: Record<string, Route>) =>
	await startService(routed({ organization, ...routes }));
const inAllLists = (route: Route): Record<string, Route> =>
	Object.fromEntries(
		[...LIST_ROUTES, 'tickets/*', 'chats/*', 'chats/*/messages'].map((name) => [name, route]),
	);

describe('what is not the service ends the check after one request', () => {
	const page = '<!doctype html><title>Sign in</title>';
	test.each<[name: string, route: Route, message: string]>([
		['a web page', () => ({ body: page }), 'This is not the service: GET /organization: the resp'],
		['404', () => ({ status: 404, body: {} }), 'This is not the service: GET /organization: 404'],
		['401', () => ({ status: 401, body: {} }), 'The service does not recognize the token (401)'],
		['429', () => ({ status: 429, body: {} }), 'The rate limit is reached (429)'],
	])('%s', async (_name, route, message) => {
		const { baseUrl, requests } = await start({ organization: route });
		await expect(check(baseUrl)).rejects.toThrow(message);
		expect(requests).toHaveLength(1);
	});
});

test.each([401, 429])('nothing is sent after a %i', async (status) => {
	const { baseUrl, requests } = await start({
		chats: () => ({ status, body: {} }),
	});
	await expect(check(baseUrl)).rejects.toThrow(String(status));
	expect(requests.map(({ url }) => url.replace(/\?.*/, ''))).toStrictEqual([
		'/api/v2/organization',
		'/api/v2/chats',
	]);
});

test.each([403, 500])('with a %i from everything, nothing is known', async (status) => {
	const failing: Route = () => ({ status, body: {} });
	const { baseUrl } = await start({ organization: failing, ...inAllLists(failing) });
	expect(await check(baseUrl)).toMatch(
		/^Most could not be checked\. Unknown: 8 of 8 questions\.\n/,
	);
});

test.each(['http://127.0.0.1:9/api/v2', 'https://nowhere.invalid/api/v2'])(
	'no connection to %s',
	async (url) => {
		const lookup = replaceNameServer();
		await expect(check(url)).rejects.toThrow(
			/ did not respond\.$| could not be reached \(ENOTFOUND\)\.$/,
		);
		lookup.mockRestore();
	},
);

test('a response that takes too long ends the check', async () => {
	const { baseUrl } = await startService(() => {});
	const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
	await expect(check(baseUrl)).rejects.toThrow(
		/^GET \/organization: .* did not respond in full within 30 s\.$/,
	);
	expect(timeout).toHaveBeenCalledWith(30_000);
	timeout.mockRestore();
});

test('a redirect is not followed, and gets no token', async () => {
	const other = await start(inAllLists(always([])));
	const redirect: Route = () => ({
		...{ status: 307, headers: { location: `${other.baseUrl}/organization` }, body: {} },
	});
	const whole = await start({ organization: redirect });
	await expect(check(whole.baseUrl)).rejects.toThrow('GET /organization: 307');
	const single = await start({ tickets: redirect });
	expect(await found(single.baseUrl, 'lists')).toContainEqual('✗ GET /tickets: 307');
	expect(other.requests).toStrictEqual([]);
});

test('an untrusted certificate is not circumvented, even with NODE_TLS_REJECT_UNAUTHORIZED', async () => {
	const requests: string[] = [];
	const server = https.createServer(SELF_SIGNED, (request, response) => {
		requests.push(request.url ?? '');
		response.end('{}');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
	const { port } = server.address() as AddressInfo;
	const error = await check(`https://127.0.0.1:${port}/api/v2`).catch((thrown: unknown) => thrown);
	await new Promise((resolve) => server.close(resolve));
	expect(error).toMatchObject({
		message: expect.stringMatching(/could not be reached securely/) as unknown,
		nextStep: expect.stringContaining('NODE_EXTRA_CA_CERTS') as unknown,
	});
	expect(requests).toStrictEqual([]);
});

test('of a response of 100 MB, 16 MB are read', async () => {
	const chunk = Buffer.alloc(1024 * 1024, 0x20);
	let written = 0;
	const service = await startService((request, response) => {
		if (!request.url?.includes('/tickets')) return void response.end('{"data":[]}');
		const more = (): void => {
			while (written < 100 * chunk.length && !response.destroyed) {
				written += chunk.length;
				if (!response.write(chunk)) return void response.once('drain', more);
			}
			response.end();
		};
		more();
	});
	expect(await found(service.baseUrl, 'lists')).toContainEqual(
		expect.stringContaining('GET /tickets: more than 16 MB'),
	);
	// Besides what was read, some of it is in the buffers of the connection.
	expect(written).toBeLessThan(30 * chunk.length);
});

test('an endless list is read for a page or two, and each page once', async () => {
	const endless: Route = (query) => {
		const first = (Number(query.get('page') ?? 1) - 1) * 50;
		const rows = Array.from({ length: 50 }, (_, at) => ({ id: `t${first + at}`, status: 'OPEN' }));
		return json(rows, { total: 1e12, limit: 50, totalPages: 2e10 });
	};
	const { baseUrl, requests } = await start(inAllLists(endless));
	await check(baseUrl);
	const urls = requests.map(({ url }) => url);
	expect(urls.length).toBeLessThanOrEqual(30);
	expect(new Set(urls).size).toBe(urls.length);
	expect(urls.filter((url) => /page=(?![12]&)/.test(url))).toStrictEqual([]);
});

describe('shapes that nobody thought of', () => {
	test.each<[name: string, body: unknown]>([
		['null', null],
		['a number', 7],
		['text', '"hello"'],
		['no JSON', 'hello'],
		['a list of lists', [[1], [2]]],
		['rows that are null', { data: [null, null], meta: null }],
		['deep nesting', JSON.parse(`${'{"data":'.repeat(500)}1${'}'.repeat(500)}`)],
		['a key __proto__', { data: [JSON.parse('{"__proto__":{"id":1},"id":2}')] }],
		['IDs that are paths', { data: [{ id: '../../admin' }, { id: '' }, { id: '..' }] }],
		[
			'times out of range',
			{
				data: [
					{ id: 'a', createdAt: 'soon' },
					{ id: 'b', createdAt: 1e300 },
				],
			},
		],
	])('%s', async (_name, body) => {
		const { baseUrl, requests } = await start(inAllLists(() => ({ body })));
		const report = await check(baseUrl);
		expect(report).toContain(' of 8 questions.');
		expect(report).not.toContain('not prepared');
		for (const { method, url } of requests) {
			expect(method).toBe('GET');
			expect(url).toMatch(/^\/api\/v2\/(?!.*\/\.\.?(?:\/|$))/);
		}
	});
});
