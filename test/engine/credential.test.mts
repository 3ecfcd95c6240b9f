import type { ICredentialTestFunctions } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { testConnection } from '../../nodes/ConversationalMessaging/credentialTest/testConnection.ts';
import { CREDENTIAL } from '../../tools/engine/workflows.mts';
import type { Fault } from '../../sandbox/faults.mts';
import { SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ contacts: 12, tickets: 3 });

const check = async (apiToken: string, baseUrl = service.sandbox.baseUrl) =>
	await service.engine.testCredential({ baseUrl, apiToken });
const tokens = () => service.sandbox.tokens;
const json = (status: number, body: unknown): Fault => ({
	kind: 'status',
	status,
	headers: { 'content-type': 'application/json' },
	body: JSON.stringify(body),
});

describe('the test of a credential', () => {
	test('a token is accepted, with spaces around it and slashes after the base URL', async () => {
		expect(await check(` ${tokens().all.value} `, ` ${service.sandbox.baseUrl}// `)).toStrictEqual({
			status: 'OK',
			message: 'Token valid',
		});
	});

	test('a test reads one row', async () => {
		await check(tokens().all.value);
		expect(service.requests.map(({ path, query }) => [path, query])).toEqual([
			['/contacts', { limit: '1' }],
		]);
	});

	test('a service that returns bare lists passes', async () => {
		service.respond([]);
		expect(await check(tokens().all.value)).toStrictEqual({ status: 'OK', message: 'Token valid' });
	});

	test('a service that does not respond within 15 seconds has not responded', async () => {
		const timeouts: unknown[] = [];
		const request = async ({ timeout }: { timeout: number }) => {
			timeouts.push(timeout);
			return await Promise.reject(Object.assign(new Error('timeout'), { code: 'ECONNABORTED' }));
		};
		const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
		const data = { baseUrl: 'https://api.example.com/api/v2', apiToken: 'wa_pk_1' };
		const credential = { id: '1', name: 'C', type: CREDENTIAL, data };
		const documented = /Time of the credential test.*"…([^"]+)"/.exec(
			readFileSync('docs/USAGE.md', 'utf8'),
		);
		expect(await testConnection.call(context, credential)).toMatchObject({
			status: 'Error',
			message: expect.stringContaining(`api.example.com${documented![1]!}`),
		});
		expect(timeouts).toStrictEqual([15_000]);
	});

	test.each(['expired', 'revoked'])(
		'a token that is %s is not one without permission, even if the message speaks of permissions',
		async (state) => {
			const error = `The token is ${state}, and has no permissions any more`;
			service.reject(403, {}, { error });
			expect(await check(tokens().all.value)).toStrictEqual({
				status: 'Error',
				message: `The service rejected "Test connection": ${error} (403 Forbidden). The token is inactive or expired, or lacks the permission contacts.view. Check it in the dashboard under API Access.`,
			});
		},
	);

	test('a 403 that is a web page says nothing about the token', async () => {
		service.respondWith('text/html', '<html><body>Blocked</body></html>', undefined, 403);
		expect((await check(tokens().all.value)).message).toMatch(/web page, not the service’s API/);
	});

	test.each(['wa_pk_\u200b1', 'Bearer wa_pk_1'])(
		'a token that no request can have is no token: %j',
		async (token) => {
			expect(await check(token)).toMatchObject({
				status: 'Error',
				message: expect.stringContaining('is not one of the service’s, which begin with wa_pk_'),
			});
			expect(service.requests).toStrictEqual([]);
		},
	);

	test.each([
		'wa_pk_secret',
		'ftp://ann:secret@example.com/api/v2',
		'ann:secret@example.com/api/v2',
		'https//ann:s@secret@example.com/api/v2',
	])('a token or a password in the base URL is not shown: %s', async (baseUrl) => {
		const { message } = await check('wa_pk_1', baseUrl);
		expect(message).toContain('is not a web address');
		expect(message).not.toContain('secret');
	});

	test('a service that repeats the token does not show it', async () => {
		const token = tokens().all.value;
		service.reject(400, {}, { error: `Bearer ${token} is not welcome` });
		const { message } = await check(token);
		expect(message).toContain('is not welcome');
		expect(message).not.toContain(token);
	});

	test.each(['string', 'errors', 'text', 'html'] as const)(
		'a token without the permission is accepted, an expired one is not, with errors of the shape %s',
		async (shape) => {
			service.shapes.errors = shape;
			const { readOnly } = tokens();
			readOnly.permissions = ['chats.reply'];
			const withoutPermission = await check(readOnly.value);
			const expired = await check(tokens().expired.value);
			expect(withoutPermission).toStrictEqual({ status: 'OK', message: 'Token valid' });
			expect(expired.status).toBe('Error');
		},
	);

	test.each<[what: string, token: string | (() => string), message: RegExp, baseUrl?: string]>([
		['an unknown token', 'wa_pk_nobody', /does not recognize this token/],
		[
			'an expired token',
			() => tokens().expired.value,
			/API token has expired .* inactive or expired/,
		],
		[
			'an inactive token',
			() => tokens().inactive.value,
			/API token is inactive .* inactive or expired/,
		],
		['no token', ' ', /has no API token/],
		['another version', 'wa_pk_1', /Change it to \/api\/v2/, 'https://api.example.com/api/v1'],
		['no service', 'wa_pk_1', /could not be reached/, 'http://127.0.0.1:1/api/v2'],
	])('the test rejects %s with the reason', async (...[, token, message, baseUrl]) => {
		expect(await check(typeof token === 'string' ? token : token(), baseUrl)).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(message),
		});
	});

	test.each<[string, Fault, RegExp]>([
		['a redirect', { kind: 'redirect', location: 'https://other.example.com' }, /redirects/],
		[
			'a web page',
			{ kind: 'html', status: 200 },
			/could not be read \(200, text\/html\)\. Check the base URL/,
		],
		['a rejection', json(418, { data: [] }), /rejected "Test connection" \(418/],
		[
			'a rejection under status 200',
			json(200, { success: false, error: 'Invalid token' }),
			/rejected "Test connection": Invalid token \(200\)/,
		],
		[
			'another service',
			json(200, { hello: 'world' }),
			/contains no list \(the body has the keys hello\)/,
		],
		['a body without a list', json(200, null), /contains no list \(the body is null\)/],
		['400', json(400, { error: 'No' }), /: No \(400 Bad Request\)\. Check .* your token and URL/],
		['404', { kind: 'status', status: 404 }, /\(404 Not Found\)\. Check the whole base URL/],
		['429', { kind: 'status', status: 429 }, /Wait a minute/],
		['500', { kind: 'status', status: 500 }, /did not complete "Test connection".* \(500/],
		['a cut connection', { kind: 'reset' }, /did not respond/],
	])('the result explains %s', async (_name, fault, message) => {
		service.sandbox.faults.add(fault);
		const result = await check(tokens().all.value);
		expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(message) });
		expect(result.message).not.toContain('wa_pk_');
	});
});

describe('the credential', () => {
	test('the credential masks its token, and can authenticate the requests of other nodes', () => {
		const type = service.engine.credentialType(CREDENTIAL);
		expect(type.properties.find(({ name }) => name === 'apiToken')).toMatchObject({
			typeOptions: { password: true },
		});
		expect(type.authenticate).toStrictEqual({
			type: 'generic',
			properties: { headers: { Authorization: '=Bearer {{ $credentials.apiToken.trim() }}' } },
		});
	});

	test('a credential that no item can use is not the reason to continue with the others', async () => {
		const organization = { resource: 'organization', operation: 'get' };
		const error = await service.rejected(organization, { token: 'Bearer 1', items: [{}, {}] });
		expect(error.description).toMatch(/for this item\. Nothing was sent\.$/);
	});
});

describe('the token', () => {
	const token = () => tokens().all.value;

	test('the token is sent in the Authorization header only', async () => {
		await service.run({ resource: 'ticket', operation: 'create', title: 'T' });
		const [request] = service.requests;
		const { authorization, ...others } = request!.headers;
		expect(authorization).toBe(`Bearer ${token()}`);
		expect(JSON.stringify([request!.path, request!.query, request!.body, others])).not.toContain(
			token(),
		);
	});

	test('the token is nowhere in a run that ended with a rejection that repeats it', async () => {
		service.reject(403, {}, { error: `Token ${token()} (Bearer ${token()})` });
		const create = { resource: 'ticket', operation: 'create', title: 'T' };
		const { run, error } = await service.run(create);
		expect(error!.message).toContain('Token ***');
		expect(JSON.stringify(run)).not.toContain(token());
		expect(String((error as unknown as Error).stack)).not.toContain(token());
	});
});
