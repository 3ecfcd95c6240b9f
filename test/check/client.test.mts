import { readdirSync, readFileSync } from 'node:fs';
import { CheckClient, MAX_REQUESTS, type Answer } from '../../check/client.mts';
import { Pace } from '../../check/pace.mts';
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
	client.close();
	restoreTime();
});

const read = async (id: number) =>
	await client.get('GET /tickets/{id}', { path: { id: String(id) } }, 'json');

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'get', ''])(
	'the method %s is not sent',
	async (method) => {
		await expect(client.send(method, `${service.baseUrl}/tickets`, 'json')).rejects.toThrow(
			'only reads',
		);
		expect(service.requests).toStrictEqual([]);
	},
);

test.each([
	'http://127.0.0.1:9/api/v2/tickets',
	'https://127.0.0.1/api/v2/tickets',
	'http://attacker.example.com/api/v2/tickets',
])('nothing is sent to %s', async (url) => {
	await expect(client.send('GET', url, 'json')).rejects.toThrow('base URL only');
});

test('nothing is sent to another path of the same host', async () => {
	const url = service.baseUrl.replace('/api/v2', '/api/v3/tickets');
	await expect(client.send('GET', url, 'json')).rejects.toThrow('base URL only');
});

test('only one file of the check can send anything', () => {
	const sends = /from 'node:(http|https|http2|net|tls|dgram)'|from 'axios'|\bfetch\(|from 'undici'/;
	const sending = checkFiles().filter((file) => sends.test(readFileSync(file, 'utf8')));
	expect(sending).toStrictEqual(['check/client.mts']);
	expect(readFileSync('check/client.mts', 'utf8').match(/\brequest\(/g)).toHaveLength(1);
});

test(`at most ${MAX_REQUESTS} requests are sent`, async () => {
	for (let id = 0; id < MAX_REQUESTS; id++) expect(await read(id)).toMatchObject({ status: 200 });
	expect(await read(99)).toBe('limit of requests');
	expect(service.requests).toHaveLength(MAX_REQUESTS);
});

test('what is reserved for the second pass is not sent before', async () => {
	client.reserved = 2;
	for (let id = 0; id < MAX_REQUESTS - 2; id++) await read(id);
	expect(await read(99)).toBe('limit of requests');
	client.reserved = 0;
	expect(await read(99)).toMatchObject({ status: 200 });
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

describe('the pace', () => {
	test('others that use the token slow the check down', () => {
		const pace = new Pace();
		pace.learn({ remaining: 100, resetInMs: 60_000 }, 0);
		pace.spend();
		expect(pace.wait(1)).toBe(0);
		pace.learn({ remaining: 1, resetInMs: 50_000 }, 10_000);
		expect(pace.wait(10_000)).toBe(50_250);
	});

	test('without a reset, the window has 60 seconds from its first response', () => {
		const pace = new Pace();
		pace.learn({ remaining: 1 }, 1_000);
		expect(pace.wait(21_000)).toBe(40_250);
		pace.learn({ remaining: 0 }, 21_000);
		expect(pace.wait(31_000)).toBe(30_250);
	});

	test('one request of a new window is sent, whatever the last window had left', () => {
		const pace = new Pace();
		pace.learn({ remaining: 0, resetInMs: 5_000 }, 0);
		expect(pace.wait(5_000)).toBe(0);
	});

	test('nothing waits if the service reports nothing', () => {
		const pace = new Pace();
		for (let i = 0; i < 60; i++) {
			pace.spend();
			pace.learn({}, i);
		}
		expect(pace.wait(60)).toBe(0);
	});
});

test('a CSV is read up to its first lines', async () => {
	let close: () => void;
	const closed = new Promise<void>((resolve) => (close = resolve));
	const endless = await startPlain((_request, response) => {
		response.writeHead(200, { 'content-type': 'text/csv' });
		// Without the end, and without a fourth line: who waits for either of them waits in vain.
		response.write('a,b\n', () => setImmediate(() => response.write('1,2\n3,4\n')));
		response.on('close', close);
	});
	const other = new CheckClient({ baseUrl: endless.baseUrl, token: TOKEN });
	const answer = (await other.get('GET /contacts/export', {}, 'csv')) as Answer;
	expect(answer.text).toBe('a,b\n1,2\n3,4\n');
	// The rest is not downloaded.
	await closed;
	other.close();
	await endless.close();
});

function checkFiles(): string[] {
	return readdirSync('check', { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.mts'))
		.map((name) => `check/${name}`);
}
