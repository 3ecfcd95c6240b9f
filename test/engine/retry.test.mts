import type { INodeParameters } from 'n8n-workflow';
import { once } from 'node:events';
import { ClientRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { egressProtection } from '../../tools/engine/egress.mts';
import { SELF_SIGNED } from '../support/certificate.mts';
import { byId } from './harness.mts';
import { captureLog, CONTINUE, SharedHarness } from './sharedHarness.mts';
import type { Fault } from '../../sandbox/faults.mts';
import { replaceNameServer } from '../support/nameServer.mts';

/** Which failures are retried, by method, is a table in test/api/retry. */
const service = new SharedHarness({ contacts: 5, tickets: 10 });

beforeEach(() => {
	service.time.randomValue = 0.5;
});

const addFault = (fault: Fault, times = 1): void => service.sandbox.faults.add(fault, { times });

const READ = { resource: 'ticket', operation: 'get', ticketId: byId('1001') };
const WRITE = { resource: 'ticket', operation: 'create', title: 'T' };
const EXPORT = { resource: 'contact', operation: 'export' };
const UPLOAD = { resource: 'contactImport', operation: 'start' };

const status = (code: number, headers: Record<string, string> = {}): Fault => ({
	kind: 'status',
	status: code,
	headers,
});
const retryAfter = (code: number, seconds: number): Fault =>
	status(code, { 'retry-after': String(seconds) });

describe('a read', () => {
	test('is sent again after a 503 between 429s: 429s are counted apart', async () => {
		for (const code of [429, 503, 429, 503]) addFault(retryAfter(code, 1));
		await service.ok(READ);
		expect(service.requests).toHaveLength(5);
	});
});

test.each([
	['http://127.0.0.1:1/api/v2', 0],
	['https://messaging.invalid/api/v2', 3],
])('a request that was not sent, to %s, is tried three times', async (baseUrl, lookups) => {
	const lookup = replaceNameServer();
	const { message, description } = await service.error(WRITE, { baseUrl });
	expect(lookup).toHaveBeenCalledTimes(lookups);
	expect(message).toMatch(/^Create ticket: .+ could not be reached \(E[A-Z_]+\)$/);
	expect(description).toMatch(/Nothing was sent/);
	expect(service.time.waits).toStrictEqual([500, 1_000]);
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
		['write', WRITE],
		['download', EXPORT],
	])('a %s is not retried, and the next step is n8n’s own', async (_what, parameters) => {
		const { message, description } = await service.error(parameters);
		expect(message).toMatch(/: n8n does not allow requests to 127\.0\.0\.1:\d+$/);
		expect(description).toMatch(/^Nothing was sent\. /);
		expect(description).toMatch(REASON);
		expect([service.requests, service.time.waits]).toStrictEqual([[], []]);
	});

	test('the test of a credential says so', async () => {
		expect(await service.engine.testCredential(service.credential)).toStrictEqual({
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
		const { message, description } = await service.error(WRITE, { baseUrl });
		server.close();
		expect(message).toContain(
			`127.0.0.1:${port} could not be reached securely (DEPTH_ZERO_SELF_SIGNED_CERT)`,
		);
		expect(description).toMatch(/^Nothing was sent\. .*NODE_EXTRA_CA_CERTS/);
		expect(service.time.waits).toStrictEqual([]);
	});

	test('https with the port of a service that speaks http', async () => {
		const baseUrl = service.sandbox.baseUrl.replace('http:', 'https:');
		const { message, description } = await service.error(WRITE, { baseUrl });
		expect(message).toContain('could not be reached securely (wrong version number)');
		expect(description).toMatch(/^Nothing was sent\. Check the host name and the port/);
	});
});

test.each<[string, INodeParameters, number]>([
	['a read may take half a minute', READ, 30_000],
	['a write may take a minute, because it is not retried', WRITE, 60_000],
	['a download may take half an hour', EXPORT, 1_800_000],
	['an upload may take half an hour', UPLOAD, 1_800_000],
])('%s', async (_name, parameters, ms) => {
	const set = jest.spyOn(ClientRequest.prototype, 'setTimeout');
	await service.ok(parameters, { file: 'name,waId\nAnn,12015550143\n' });
	expect(set.mock.calls.map(([time]) => time)).toStrictEqual([ms]);
});

test.each<[string, INodeParameters, string]>([
	['JSON', READ, 'application/json'],
	[
		'CSV, and JSON for a rejection, if it is the download of a file',
		EXPORT,
		'text/csv, application/json',
	],
])('a request accepts %s', async (_what, parameters, accepted) => {
	await service.ok(parameters);
	expect(service.requests[0]!.headers.accept).toBe(accepted);
});

describe('429', () => {
	test('one that others cause after a few requests holds up nothing but its wait', async () => {
		await service.ok(WRITE, { items: Array(5).fill({}) });
		addFault(retryAfter(429, 1));
		await service.ok(WRITE, { items: Array(100).fill({}) });
		expect(service.time.waits).toStrictEqual([1_000]);
	});

	test('a write that is rejected with it holds up neither reads nor lists in the editor', async () => {
		addFault(retryAfter(429, 3_600));
		const { message, description } = await service.error(WRITE);
		expect(message).toContain('a wait of 60 min');
		// Nothing about other requests: reads are accepted.
		expect(description).toBe('Run it again after that.');
		await service.ok(READ);
		expect((await service.search('searchTickets')).results).not.toHaveLength(0);
		expect((await service.error(WRITE)).message).toContain('a wait of 60 min');
		expect(service.time.waits).toStrictEqual([]);
	});
});

describe('a wait', () => {
	const WAITED = 'This run waited for the service, up to';

	test.each<[seconds: number, code: number, log: string[], hints: string[]]>([
		[4, 429, [], []],
		[5, 429, ['Waiting 5 s for the service'], [`${WAITED} 5 s at a time`]],
		[42, 429, ['Waiting 42 s for the service'], [`${WAITED} 42 s at a time`]],
		[4, 503, [], []],
		[5, 503, ['Waiting 6 s for the service'], [`${WAITED} 6 s at a time`]],
	])(
		'of %i s after a %i is logged when it begins: %j; the hints are %j',
		async (seconds, code, log, expected) => {
			const lines: { text: unknown; waits: number }[] = [];
			captureLog((text) => lines.push({ text, waits: service.time.waits.length }));
			addFault(retryAfter(code, seconds));
			const { error, hints } = await service.run(READ);
			expect(error).toBeUndefined();
			expect(lines).toStrictEqual(log.map((text) => ({ text, waits: 0 })));
			expect(hints).toStrictEqual(expected);
			expect(service.time.waits).toStrictEqual([seconds * 1_000 + (code === 503 ? 500 : 0)]);
		},
	);

	test('of more than five minutes after a 429 is reported at once, to every request with that token', async () => {
		const waiting = 'Get ticket: the rate limit requires a wait of 60 min (429 Too Many Requests)';
		addFault(retryAfter(429, 3_600));
		expect(await service.error(READ)).toMatchObject({ httpCode: '429', message: waiting });

		// Everything else with this token gets the same message, and nothing hangs.
		const json = await service.ok(READ, { items: Array(20).fill({}), ...CONTINUE });
		expect(json).toStrictEqual(Array(20).fill({ error: expect.stringContaining(waiting) }));
		expect(service.time.waits).toStrictEqual([]);
		expect(service.requests).toHaveLength(1);

		// Requests are sent again: the service may have meant something else.
		service.time.clock.advance(300_000);
		await service.ok(READ);
		expect(await service.ok(READ, { items: Array(20).fill({}) })).toHaveLength(20);
	});

	test('of more than five minutes after a 503 is reported at once with the time', async () => {
		addFault(retryAfter(503, 301));
		const { description } = await service.error(READ);
		expect(description).toBe('The service asks to wait 6 min. Run it again after that.');
		expect(service.requests).toHaveLength(1);
		expect(service.time.waits).toStrictEqual([]);
	});
});

test('a redirect is not followed, and its target is named without its path', async () => {
	addFault({ kind: 'redirect', location: 'https://elsewhere.example.com/steal?it=1' });
	const { description } = await service.error(READ);
	expect(description).toMatch(
		/redirects to https:\/\/elsewhere\.example\.com\. The token is not sent there/,
	);
	expect(service.requests).toHaveLength(1);
});

test.each([
	[200, ' \n', undefined],
	[299, '{"data":{"id":"1"}}', undefined],
	[300, '{"data":{"id":"1"}}', '300'],
	[399, '{"data":{"id":"1"}}', '399'],
])('a write with the status %i and the body %j is rejected: %s', async (code, body, message) => {
	service.respondWith('application/json', body, {}, code);
	const { error } = await service.run(WRITE);
	expect(error?.message).toStrictEqual(message && expect.stringContaining(`(${message}`));
});
