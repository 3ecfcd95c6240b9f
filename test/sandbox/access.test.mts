import axios from 'axios';
import { readContract, routesOf } from '../../sandbox/contract.mts';
import { handlers } from '../../sandbox/services/index.mts';
import { startService, type Service } from './client.mts';

let service: Service;
beforeAll(async () => {
	service = await startService({ routesWithoutPermission: ['GET /flows'] });
});
afterAll(async () => await service.close());

const routes = [...routesOf(readContract()).values()];

describe('the contract', () => {
	test('the contract has the 46 endpoints of the document, each with a handler', () => {
		expect(routes).toHaveLength(46);
		expect(Object.keys(handlers).sort()).toEqual(
			routes.map(({ operationId }) => operationId).sort(),
		);
	});

	test('each permission is required by as many endpoints as in the document', () => {
		const matrix: Record<string, number> = {};
		for (const { permission } of routes) matrix[permission] = (matrix[permission] ?? 0) + 1;
		expect(matrix).toEqual({
			'broadcasts.send': 1,
			'broadcasts.view': 3,
			'chats.assign': 4,
			'chats.reply': 1,
			'chats.view': 4,
			'contacts.edit': 9,
			'contacts.view': 9,
			'flows.manage': 1,
			'flows.view': 1,
			'settings.view': 3,
			'templates.manage': 3,
			'templates.view': 1,
			'ticket_notes.manage': 1,
			'tickets.manage': 2,
			'tickets.view': 2,
			'users.manage': 1,
		});
	});

	test('the contract lists 429 where the document does', () => {
		const limited = routes.filter((route) => route.limited).map(({ name }) => name);
		expect(limited.sort()).toEqual([
			'POST /broadcasts',
			'POST /chats/{id}/escalate',
			'POST /flows/trigger',
			'POST /messages',
			'POST /tickets',
			'POST /tickets/{id}/notes',
			'PUT /tickets/{id}',
		]);
	});
});

describe('access with a token', () => {
	test.each([
		['missing', undefined, 401, /Missing Authorization/],
		['of another scheme', 'Basic abc', 401, /Missing Authorization/],
		['unknown', 'Bearer wa_pk_unknown', 401, /Unknown/],
	])('a token that is %s is rejected: %s', async (_name, authorization, status, message) => {
		const response = await axios.get(`${service.sandbox.baseUrl}/tickets`, {
			headers: { Authorization: authorization },
			validateStatus: () => true,
		});
		expect(response.status).toBe(status);
		expect(response.data.error).toMatch(message);
	});

	test.each([
		['expired', 403, /expired/],
		['inactive', 403, /inactive/],
	] as const)('a token that is %s is rejected: %s', async (name, status, message) => {
		const response = await service.as(service.sandbox.tokens[name].value).get('/tickets');
		expect(response.status).toBe(status);
		expect(response.data.error).toMatch(message);
	});

	test('a token without a permission gets its name in the rejection, on every endpoint', async () => {
		const { tokens } = service.sandbox;
		tokens.readOnly.permissions = [];
		for (const { name, permission } of routes.filter((route) => route.name !== 'GET /flows')) {
			const [method, path] = name.split(' ') as [string, string];
			const response = await service
				.as(tokens.readOnly.value)
				.request({ method, url: path.replaceAll(/\{\w+\}/g, 'x') });
			expect([name, response.status, response.data.error]).toEqual([
				name,
				403,
				`Missing permission: ${permission}`,
			]);
		}
	});

	test('a token that becomes inactive is rejected from the next request', async () => {
		const token = service.sandbox.tokens.withoutSettings;
		const client = service.as(token.value);
		expect((await client.get('/tickets')).status).toBe(200);
		token.active = false;
		expect((await client.get('/tickets')).status).toBe(403);
	});
});

test('an endpoint without an entry in the permission matrix rejects every request', async () => {
	expect((await service.http.get('/flows')).status).toBe(500);
});

test.each(['/api/v1/contacts', '/contacts'])('no endpoint exists at %s', async (path) => {
	const response = await service.http.get(new URL(service.sandbox.baseUrl).origin + path);
	expect(response.status).toBe(404);
});

describe('requests that the contract does not allow', () => {
	test.each([
		['an unknown query parameter', 'GET', '/tickets?state=OPEN', undefined, /unknown field state/],
		['a query value out of its range', 'GET', '/tickets?status=DONE', undefined, /status/],
		['a page below 1', 'GET', '/tickets?page=0', undefined, /page/],
		[
			'a parameter where there are none',
			'GET',
			'/channels?limit=5',
			undefined,
			/unknown field limit/,
		],
		[
			'an unknown field',
			'POST',
			'/contacts',
			{ name: 'N', waId: '1', email: 'n@example.com' },
			/unknown field email/,
		],
		['a missing field', 'POST', '/tickets', { contactId: 'x' }, /title/],
		['a wrong type', 'POST', '/tickets', { title: 7 }, /title/],
		['a missing alternative', 'POST', '/contacts', { name: 'N' }, /waId/],
		['a body that is no JSON', 'POST', '/contacts', '{', /not valid JSON/],
	])('a request is rejected for %s', async (_name, method, url, data, message) => {
		const response = await service.http.request({
			method,
			url,
			data,
			headers: { 'Content-Type': 'application/json' },
			...(typeof data === 'string' && { transformRequest: (text: string) => text }),
		});
		expect(response.status).toBe(400);
		expect(response.data.error).toMatch(message);
	});

	test('literal paths take precedence over {id}', async () => {
		expect((await service.http.get('/contacts/import-template')).headers['content-type']).toContain(
			'text/csv',
		);
		expect((await service.http.get('/contacts/imports')).data.data).toEqual([]);
		expect((await service.http.get('/broadcasts/csv-template')).status).toBe(400);
	});
});
