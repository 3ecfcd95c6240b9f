import { readdirSync, readFileSync } from 'node:fs';
import { CheckClient, MAX_REQUESTS } from '../../check/client.mts';
import { passTime, restoreTime, waits } from './harness.mts';
import { routed, startPlain, TOKEN, type PlainService } from './plainService.mts';

let service: PlainService;
let client: CheckClient;
let headers: Record<string, string> = {};
beforeAll(async () => {
	service = await startPlain(
		routed({ 'tickets/*': () => ({ body: { success: true, data: {} } }) }, () => headers),
	);
});
afterAll(async () => await service.close());
beforeEach(() => {
	passTime();
	headers = {};
	service.requests.length = 0;
	client = new CheckClient({ baseUrl: service.baseUrl, token: TOKEN });
});
afterEach(() => {
	restoreTime();
});

const read = async (id: number) =>
	await client.get('GET /tickets/{id}', { path: { id: String(id) } });

test.each([
	'http://127.0.0.1:9/api/v2/tickets',
	'https://127.0.0.1/api/v2/tickets',
	'http://attacker.example.com/api/v2/tickets',
	() => service.baseUrl.replace('/api/v2', '/api/v3/tickets'),
	() => service.baseUrl.replace('/api/v2', '@attacker.example.com/api/v2/tickets'),
])('nothing is sent to another address (%s)', async (url) => {
	const sent = client.send(typeof url === 'string' ? url : url());
	await expect(sent).rejects.toThrow('base URL only');
});

test('one place of the check can send something, and sends GET', () => {
	const sends = /from 'node:(http|https|http2|net|tls|dgram)'|from 'axios'|\bfetch\(|from 'undici'/;
	const sending = readdirSync('check', { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.mts'))
		.filter((name) => sends.test(readFileSync(`check/${name}`, 'utf8')));
	expect(sending).toStrictEqual(['client.mts']);
	const text = readFileSync('check/client.mts', 'utf8');
	expect(text.match(/\bfetch\(url, \{\s+method: 'GET',/g)).toHaveLength(1);
	expect(text.match(/\bfetch\(/g)).toHaveLength(1);
});

test(`at most ${MAX_REQUESTS} requests are sent`, async () => {
	for (let id = 0; id < MAX_REQUESTS; id++) expect(await read(id)).toMatchObject({ status: 200 });
	expect(await read(99)).toBe('limit of requests');
	expect(service.requests).toHaveLength(MAX_REQUESTS);
});

test('half of what is left is used, then the check waits until the reset', async () => {
	let remaining = 9;
	headers = {
		get 'ratelimit-remaining'() {
			return String(remaining);
		},
		'ratelimit-reset': '42',
	};
	// 9 are left after the first one: 4 more may be sent.
	for (let id = 0; id < 5; id++) {
		expect(waits).toStrictEqual([]);
		await read(id);
		remaining--;
	}
	remaining = 100;
	await read(5);
	expect(waits).toHaveLength(1);
	expect(Math.abs((waits[0] ?? 0) - 42_250)).toBeLessThan(1_500);
});

test('without a reset, the window has 60 seconds; others that use the token slow the check down', async () => {
	let remaining = 100;
	headers = {
		get 'x-ratelimit-remaining'() {
			return String(remaining);
		},
	};
	await read(0);
	remaining = 1;
	await read(1);
	expect(waits).toStrictEqual([]);
	await read(2);
	expect(waits).toHaveLength(1);
	expect(Math.abs((waits[0] ?? 0) - 60_250)).toBeLessThan(1_500);
});

test('nothing waits if the service reports nothing', async () => {
	for (let id = 0; id < MAX_REQUESTS; id++) await read(id);
	expect(waits).toStrictEqual([]);
});
