import axios from 'axios';
import { startService, type Service } from '../support/sandboxClient.mts';
import { configOf } from './examples.mts';
import { operations, type Operation } from './operations.mts';

/** Tokens and what they give access to. requests.test.mts has the permission of each endpoint. */

let service: Service;
beforeEach(async () => {
	service = await startService({ routesWithoutPermission: ['GET /flows'] });
});
afterEach(async () => await service.close());

const missing = /Missing Authorization/;
test.each<[string, ((token: string) => string) | undefined, RegExp]>([
	['missing', undefined, missing],
	['without a scheme', (token) => token, missing],
	['of another scheme', (token) => `Basic ${token}`, missing],
	['of a scheme that ends like Bearer', (token) => `MyBearer ${token}`, missing],
	['not separated from its scheme', (token) => `Bearer${token}`, missing],
	['empty', () => 'Bearer ', missing],
	['unknown', () => 'Bearer wa_pk_unknown', /Unknown/],
	['longer than a known one', (token) => `Bearer ${token}x`, /Unknown/],
	['shorter than a known one', (token) => `Bearer ${token.slice(0, -1)}`, /Unknown/],
	['in another case', (token) => `Bearer ${token.toUpperCase()}`, /Unknown/],
])('a token that is %s is rejected', async (_name, header, message) => {
	const { baseUrl, tokens } = service.sandbox;
	const response = await axios.get(`${baseUrl}/tickets`, {
		headers: { Authorization: header?.(tokens.all.value) },
		validateStatus: () => true,
	});
	expect(response.status).toBe(401);
	expect(response.data.error).toMatch(message);
});

test.each<[label: string, isAllowed: (operation: Operation) => boolean]>([
	['all permissions', () => true],
	['read only', ({ method }) => method === 'get'],
	['without settings.view', ({ permission }) => permission !== 'settings.view'],
])('the token “%s” has what its name says', async (label, isAllowed) => {
	const token = Object.values(service.sandbox.tokens).find((one) => one.label === label)!;
	const client = service.as(token.value);
	const routes = operations.filter(({ route }) => route !== 'GET /flows');
	const allowed: Operation[] = [];
	for (const operation of routes) {
		// It may still reject the request.
		const { status } = await client.request(configOf(operation, {}));
		if (status !== 403) allowed.push(operation);
	}
	expect(allowed).toStrictEqual(routes.filter(isAllowed));
});

test.each(['expired', 'inactive'] as const)('a token that is %s is rejected', async (name) => {
	const { status, data } = await service.as(service.sandbox.tokens[name].value).get('/tickets');
	expect([status, data.error]).toStrictEqual([403, expect.stringContaining(name)]);
});

test('a token is valid until the request after its deactivation, or the moment it expires', async () => {
	const { withoutSettings, readOnly } = service.sandbox.tokens;
	readOnly.expiresAt = service.clock.now() + 1;
	const statuses = async () => [
		(await service.as(withoutSettings.value).get('/tickets')).status,
		(await service.as(readOnly.value).get('/tickets')).status,
	];
	expect(await statuses()).toStrictEqual([200, 200]);
	withoutSettings.active = false;
	expect(await statuses()).toStrictEqual([403, 200]);
	service.clock.advance(1);
	expect(await statuses()).toStrictEqual([403, 403]);
});

test('an endpoint without an entry in the permission matrix rejects every request', async () => {
	const { all, readOnly, inactive } = service.sandbox.tokens;
	readOnly.permissions = [];
	for (const { value } of [all, readOnly])
		expect((await service.as(value).get('/flows')).status).toBe(500);
	expect((await service.as(inactive.value).get('/flows')).status).toBe(403);
});

test.each(['/api/v1/contacts', '/contacts', '/api/v2', '/api/v2contacts', '/api/v20/contacts'])(
	'no endpoint exists at %s',
	async (path) => {
		const response = await service.http.get(new URL(service.sandbox.baseUrl).origin + path);
		expect(response.status).toBe(404);
		expect(service.sandbox.requests.at(-1)).toMatchObject({ path, route: undefined, status: 404 });
	},
);

test('a token is checked even where no endpoint is', async () => {
	const url = `${service.sandbox.baseUrl}/nothing`;
	expect((await axios.get(url, { validateStatus: () => true })).status).toBe(401);
	expect((await service.http.get('/nothing')).status).toBe(404);
	expect((await service.http.delete('/tickets')).status).toBe(404);
});

test('tokens begin with wa_pk_, and channels and the organization show none', async () => {
	for (const { value } of Object.values(service.sandbox.tokens)) expect(value).toMatch(/^wa_pk_/);
	for (const route of ['/channels', '/organization']) {
		const keys = JSON.stringify((await service.http.get(route)).data.data).match(/"\w+":/g)!;
		expect(keys.filter((key) => /token|secret|credential|password/i.test(key))).toStrictEqual([]);
	}
});
