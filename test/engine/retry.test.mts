import { ExecuteContext } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';
import dns from 'node:dns';
import { once } from 'node:events';
import { ClientRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { egressProtection } from '../../engine/egress.mts';
import { ACTION_NODE } from '../../engine/workflows.mts';
import { SELF_SIGNED } from './certificate.mts';
import { byId, openHarness, type Harness } from './harness.mts';
import type { Fault } from '../../sandbox/faults.mts';
import { FakeTime } from '../support/time.mts';
import { addTimeout } from './timeout.mts';

let harness: Harness;
let time: FakeTime;

beforeAll(async () => {
	harness = await openHarness({ rateLimit: { requests: 0 } });
});
afterAll(async () => await harness.close());

beforeEach(() => {
	time = new FakeTime().install();
	time.randomValue = 0.5;
	harness.sandbox.requests.length = 0;
	harness.sandbox.faults.clear();
});
afterEach(() => {
	time.restore();
	jest.restoreAllMocks();
});

function addFault(fault: Fault, times: number): void {
	if (fault.kind === 'hang') addTimeout(harness.sandbox, fault, times);
	else harness.sandbox.faults.add(fault, { times });
}

const READ = { resource: 'ticket', operation: 'get', ticketId: byId('1001') };
const WRITES = {
	POST: { resource: 'ticket', operation: 'create', title: 'T' },
	PUT: {
		resource: 'ticket',
		operation: 'update',
		ticketId: byId('1001'),
		updateFields: { status: 'OPEN' },
	},
	PATCH: {
		resource: 'contact',
		operation: 'update',
		contactId: byId('17841400000000007'),
		updateFields: { name: 'N' },
	},
};
const status = (code: number, headers: Record<string, string> = {}): Fault => ({
	kind: 'status',
	status: code,
	headers,
});

describe('reads', () => {
	test.each<[string, Fault]>([
		['503', status(503)],
		['a reset', { kind: 'reset' }],
		['a timeout', { kind: 'hang' }],
		['a truncated response', { kind: 'truncate' }],
		['a proxy’s page', { kind: 'html', status: 200 }],
	])('a read is tried three times, with growing random waits, after %s', async (_name, fault) => {
		addFault(fault, 2);
		const { error, json } = await harness.run(READ);
		expect(error).toBeUndefined();
		expect(json).toHaveLength(1);
		expect(harness.sandbox.requests).toHaveLength(3);
		expect(time.waits).toStrictEqual([500, 1_000]);
	});

	test('a read is given up after three tries, and the message says so', async () => {
		harness.sandbox.faults.add(status(503), { times: 99 });
		const { error } = await harness.run(READ);
		expect(harness.sandbox.requests).toHaveLength(3);
		expect(error).toMatchObject({
			message:
				'The service did not complete "Get ticket": Something went wrong (503 Service Unavailable)',
			httpCode: '503',
		});
		expect(error!.description).toMatch(/Retried without success/);
	});

	test.each<[string, number[]]>([
		['two 429s and a 503', [429, 429, 503]],
		['a 503 between 429s', [429, 503, 429, 503]],
	])('a read is sent again after %s: 429s are counted apart', async (_name, statuses) => {
		for (const code of statuses) harness.sandbox.faults.add(status(code, { 'Retry-After': '1' }));
		expect((await harness.run(READ)).error).toBeUndefined();
		expect(harness.sandbox.requests).toHaveLength(statuses.length + 1);
	});
});

describe.each(Object.entries(WRITES))('%s', (method, parameters) => {
	test.each<[string, Fault]>([
		['503', status(503)],
		['a proxy’s page', { kind: 'html', status: 502 }],
		['a reset before the work', { kind: 'reset' }],
		['a reset after the work', { kind: 'reset', when: 'after' }],
		['a timeout', { kind: 'hang' }],
		['a timeout after the work', { kind: 'hang', when: 'after' }],
		['a truncated response', { kind: 'truncate' }],
	])('the request is never sent again after %s, and the message says why', async (_name, fault) => {
		addFault(fault, 9);
		const { error } = await harness.run(parameters);
		expect(harness.sandbox.requests.map((request) => request.method)).toStrictEqual([method]);
		expect(error!.description).toMatch(/Not retried because it may have succeeded/);
		expect(time.waits).toStrictEqual([]);
	});

	test('the request is sent again after 429, which is returned before the work', async () => {
		harness.sandbox.faults.add(status(429, { 'Retry-After': '20' }), { times: 2 });
		expect((await harness.run(parameters)).error).toBeUndefined();
		expect(harness.sandbox.requests.map((request) => request.status)).toStrictEqual([
			429, 429, 200,
		]);
		expect(time.waits).toStrictEqual([20_500, 20_500]);
	});

	test('the request is not sent again after any other rejection', async () => {
		for (const code of [400, 401, 403, 404, 409, 422]) {
			harness.sandbox.requests.length = 0;
			harness.sandbox.faults.add(status(code));
			expect((await harness.run(parameters)).error?.httpCode).toBe(String(code));
			expect(harness.sandbox.requests).toHaveLength(1);
		}
	});
});

describe('requests that were not sent', () => {
	test.each([
		['a refused connection', 'http://127.0.0.1:1/api/v2'],
		['a host name that does not exist', 'https://messaging.invalid/api/v2'],
	])('a request is tried three times after %s', async (_name, baseUrl) => {
		// No name server is asked.
		const lookup = jest.spyOn(dns, 'lookup').mockImplementation(((
			host: string,
			_options: unknown,
			done: (error: Error) => void,
		) => {
			const code = 'ENOTFOUND';
			done(
				Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code, syscall: 'getaddrinfo' }),
			);
		}) as typeof dns.lookup);
		const { error } = await harness.run(WRITES.POST, { baseUrl });
		expect(lookup.mock.calls.map(([host]) => host)).toStrictEqual(
			baseUrl.includes('127.0.0.1') ? [] : Array(3).fill('messaging.invalid'),
		);
		lookup.mockRestore();
		expect(error!.message).toMatch(/^Create ticket: .+ could not be reached \(E[A-Z_]+\)$/);
		expect(error!.description).toMatch(/Nothing was sent/);
		expect(time.waits).toStrictEqual([500, 1_000]);
	});
});

const protection = egressProtection();
// Older versions of n8n do not have it.
const describeEgress = protection ? describe : describe.skip;

describeEgress('a request that n8n itself blocks', () => {
	const REASON =
		/The target 127\.0\.0\.1 is not allowed\..* ask your n8n administrator to allowlist/;

	beforeEach(() => (protection!.enabled = true));
	afterEach(() => (protection!.enabled = false));

	test.each([
		['read', READ],
		['write', WRITES.POST],
		['download', { resource: 'contact', operation: 'export' }],
	])('a %s is not retried, and the next step is n8n’s own', async (_what, parameters) => {
		const { error } = await harness.run(parameters);
		expect(error!.message).toMatch(/: n8n does not allow requests to 127\.0\.0\.1:\d+$/);
		expect(error!.description).toMatch(/^Nothing was sent\. /);
		expect(error!.description).toMatch(REASON);
		expect([harness.sandbox.requests, time.waits]).toStrictEqual([[], []]);
	});

	test('the test of a credential says so', async () => {
		const { baseUrl, tokens } = harness.sandbox;
		const credential = { baseUrl, apiToken: tokens.all.value };
		expect(await harness.engine.testCredential(credential)).toStrictEqual({
			status: 'Error',
			message: expect.stringMatching(REASON),
		});
	});
});

describe('a service that is not reached securely', () => {
	test('a certificate that no known authority has signed is named, with what to do, at once', async () => {
		const server = createServer(SELF_SIGNED).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		const baseUrl = `https://127.0.0.1:${port}/api/v2`;
		const { error } = await harness.run(WRITES.POST, { baseUrl });
		server.close();
		expect(error!.message).toContain(
			`127.0.0.1:${port} could not be reached securely: n8n does not know the authority that signed its certificate (DEPTH_ZERO_SELF_SIGNED_CERT)`,
		);
		expect(error!.description).toMatch(/^Nothing was sent\. .*NODE_EXTRA_CA_CERTS/);
		expect(time.waits).toStrictEqual([]);
	});

	test('https with the port of a service that speaks http', async () => {
		const baseUrl = harness.sandbox.baseUrl.replace('http:', 'https:');
		const { error } = await harness.run(WRITES.POST, { baseUrl });
		expect(error!.message).toContain('it does not use HTTPS on this port');
		expect(error!.description).toMatch(/^Nothing was sent\. Check the host and the port/);
	});
});

test('a write that is rejected with 429 holds up neither reads nor lists in the editor', async () => {
	harness.sandbox.faults.add(status(429, { 'Retry-After': '3600' }));
	expect((await harness.run(WRITES.POST)).error!.message).toContain('a wait of 60 min');
	expect((await harness.run(READ)).error).toBeUndefined();
	const { baseUrl, tokens } = harness.sandbox;
	const credential = { baseUrl, apiToken: tokens.all.value };
	const list = await harness.engine.search(ACTION_NODE, 'searchTickets', { credential });
	expect(list.results).not.toHaveLength(0);
	expect((await harness.run(WRITES.POST)).error!.message).toContain('a wait of 60 min');
	expect(time.waits).toStrictEqual([]);
});

test.each<[string, INodeParameters, number]>([
	['a read may take half a minute', READ, 30_000],
	['a write may take a minute, because it is not retried', WRITES.POST, 60_000],
	['a download may take six hours', { resource: 'contact', operation: 'export' }, 21_600_000],
	['an upload may take six hours', { resource: 'contactImport', operation: 'start' }, 21_600_000],
])('%s', async (_name, parameters, ms) => {
	const set = jest.spyOn(ClientRequest.prototype, 'setTimeout');
	const { error } = await harness.run(parameters, { file: 'name,waId\nAnn,12015550143\n' });
	expect(error).toBeUndefined();
	expect(set.mock.calls.map(([time]) => time)).toStrictEqual([ms]);
});

describe('429', () => {
	test('a request is given up after ten responses of 429', async () => {
		harness.sandbox.faults.add(status(429, { 'Retry-After': '1' }), { times: 99 });
		const { error } = await harness.run(WRITES.POST);
		expect(harness.sandbox.requests).toHaveLength(10);
		expect(error).toMatchObject({
			httpCode: '429',
			message: expect.stringMatching(/^The service rejected "Create ticket"/),
		});
	});

	test('a wait for the rate limit is reported as a hint, not as a rejection', async () => {
		harness.sandbox.faults.add(status(429, { 'Retry-After': '42' }));
		const { error, hints } = await harness.run(READ);
		expect(error).toBeUndefined();
		expect(hints).toStrictEqual([
			'This run waited for the service’s rate limit, up to 43 s at a time',
		]);
	});
});

test('a service that cannot keep up is shown in a hint', async () => {
	harness.sandbox.faults.add(status(503), { times: 2 });
	const { error, hints } = await harness.run(READ, { items: Array(10).fill({}) });
	expect(error).toBeUndefined();
	expect(hints).toStrictEqual([
		'This run slowed down to 4 requests at a time, because requests failed one after another',
	]);
});

describe('waits of more than five minutes', () => {
	test('a 429 is reported at once with its wait, to every request with that token', async () => {
		const waiting = 'Get ticket: the rate limit requires a wait of 60 min (429 Too Many Requests)';
		harness.sandbox.faults.add(status(429, { 'Retry-After': '3600' }));
		expect((await harness.run(READ)).error).toMatchObject({ httpCode: '429', message: waiting });

		// Everything else with this token gets the same message, and nothing hangs.
		const { json } = await harness.run(READ, {
			items: Array(20).fill({}),
			settings: { onError: 'continueRegularOutput' },
		});
		expect(json).toStrictEqual(Array(20).fill({ error: expect.stringContaining(waiting) }));
		expect(time.waits).toStrictEqual([]);
		expect(harness.sandbox.requests).toHaveLength(1);

		time.clock.advance(3_600_500);
		expect((await harness.run(READ)).error).toBeUndefined();
	});

	test('a 503 with Retry-After: 3600 is reported at once with the time', async () => {
		harness.sandbox.faults.add(status(503, { 'Retry-After': '3600' }));
		const { error } = await harness.run(READ);
		expect(error!.description).toBe('The service asks to wait 60 min. Run it again after that.');
		expect(harness.sandbox.requests).toHaveLength(1);
		expect(time.waits).toStrictEqual([]);
	});
});

test('a wait is written to the log when it begins', async () => {
	const lines: { text: string; waits: number }[] = [];
	const info = (text: string) => void lines.push({ text, waits: time.waits.length });
	jest
		.spyOn(ExecuteContext.prototype, 'logger', 'get')
		.mockReturnValue({ info } as ExecuteContext['logger']);
	harness.sandbox.faults.add(status(429, { 'Retry-After': '42' }));
	expect((await harness.run(READ)).error).toBeUndefined();
	expect(lines).toStrictEqual([{ text: 'Waiting 42 s for the service', waits: 0 }]);
	expect(time.waits).toStrictEqual([42_500]);
});

test('a redirect is not followed, and its target is named without its path', async () => {
	harness.sandbox.faults.add({
		kind: 'redirect',
		location: 'https://elsewhere.example.com/steal?it=1',
	});
	const { error } = await harness.run(READ);
	expect(error!.description).toMatch(
		/redirects to https:\/\/elsewhere\.example\.com\. The token is not sent there/,
	);
	expect(harness.sandbox.requests).toHaveLength(1);
});

test('a response with success: false under status 200 is a rejection', async () => {
	const body = JSON.stringify({ success: false, error: 'Ticket is locked' });
	harness.sandbox.faults.add({
		kind: 'status',
		status: 200,
		headers: { 'content-type': 'application/json' },
		body,
	});
	const { error } = await harness.run(WRITES.PUT);
	expect(error!.message).toBe('The service rejected "Update ticket": Ticket is locked (200)');
});
