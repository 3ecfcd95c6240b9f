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

	/** Permissions and statuses of the document, section Endpoints. It lists no statuses for the import template. */
	test.each<[route: string, permission: string, statuses: string]>([
		['POST /messages', 'chats.reply', '200 400 401 403 404 409 429'],
		['GET /chats', 'chats.view', '200 401 403'],
		['GET /chats/{id}', 'chats.view', '200 401 403 404'],
		['POST /chats/{id}/assign', 'chats.assign', '200 400 401 403 404'],
		['POST /chats/{id}/de-escalate', 'chats.assign', '200 400 401 403 404'],
		['POST /chats/{id}/escalate', 'chats.assign', '200 400 401 403 404 429'],
		['GET /chats/{id}/messages', 'chats.view', '200 400 401 403 404'],
		['GET /chats/session', 'chats.view', '200 400 401 404'],
		['POST /chats/session', 'chats.assign', '200 400 401 403 404 409'],
		['GET /contacts', 'contacts.view', '200 401 403'],
		['POST /contacts', 'contacts.edit', '200 400 401 403 409'],
		['GET /contacts/{id}', 'contacts.view', '200 401 403 404'],
		['PATCH /contacts/{id}', 'contacts.edit', '200 400 401 403 404'],
		['GET /contacts/export', 'contacts.view', '200 401 403'],
		['POST /contacts/import', 'contacts.edit', '200 400 401 403'],
		['GET /contacts/import-template', 'contacts.view', '200 401 403'],
		['GET /contacts/imports', 'contacts.view', '200 401 403'],
		['GET /contacts/imports/{id}', 'contacts.view', '200 401 403 404'],
		['GET /contacts/imports/{id}/errors', 'contacts.view', '200 401 403 404'],
		['POST /contacts/{id}/fields', 'contacts.edit', '200 400 401 403 404'],
		['PATCH /contacts/{id}/fields/{fieldId}', 'contacts.edit', '200 400 401 403 404'],
		['DELETE /contacts/{id}/fields/{fieldId}', 'contacts.edit', '200 401 403 404'],
		['GET /segments', 'contacts.view', '200 401 403'],
		['POST /segments', 'contacts.edit', '200 400 401 403 409'],
		['GET /segments/{id}', 'contacts.view', '200 401 403 404'],
		['DELETE /segments/{id}', 'contacts.edit', '200 401 403 404'],
		['PUT /segments/{id}/members', 'contacts.edit', '200 400 401 403 404'],
		['GET /templates', 'templates.view', '200 401 403'],
		['POST /templates', 'templates.manage', '200 400 401 403'],
		['DELETE /templates/{id}', 'templates.manage', '200 400 401 403'],
		['POST /templates/sync', 'templates.manage', '200 400 401 403'],
		['GET /broadcasts', 'broadcasts.view', '200 401 403'],
		['POST /broadcasts', 'broadcasts.send', '200 400 401 403 404 429'],
		['GET /broadcasts/{id}', 'broadcasts.view', '200 401 403 404'],
		['GET /broadcasts/csv-template', 'broadcasts.view', '200 400 401 403 404'],
		['GET /flows', 'flows.view', '200 401 403'],
		['POST /flows/trigger', 'flows.manage', '200 400 401 403 404 429'],
		['GET /tickets', 'tickets.view', '200 401 403'],
		['POST /tickets', 'tickets.manage', '200 400 401 403 429'],
		['GET /tickets/{id}', 'tickets.view', '200 401 403 404'],
		['PUT /tickets/{id}', 'tickets.manage', '200 400 401 403 404 429'],
		['POST /tickets/{id}/notes', 'ticket_notes.manage', '200 401 403 404 429'],
		['GET /channels', 'settings.view', '200 401'],
		['GET /channels/{id}', 'settings.view', '200 401 404'],
		['GET /organization', 'settings.view', '200 401'],
		['GET /users', 'users.manage', '200 401 403'],
	])('%s needs %s and responds with %s', (route, permission, statuses) => {
		const [method, path] = route.split(' ') as [string, string];
		const paths = readContract().paths as Record<string, Record<string, { responses: object }>>;
		const listed = Object.keys(paths[path]![method.toLowerCase()]!.responses);
		const declared = routes.find(({ name }) => name === route)!;
		expect([declared.permission, listed.join(' ')]).toEqual([permission, statuses]);
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

	/** Whether each endpoint lets a token through. It may still reject the request. */
	const letsThrough = async ({ value }: { value: string }) => {
		const allowed: Record<string, boolean> = {};
		for (const { name } of routes.filter((route) => route.name !== 'GET /flows')) {
			const [method, path] = name.split(' ') as [string, string];
			const url = path.replaceAll(/\{\w+\}/g, 'x');
			const { status } = await service.as(value).request({ method, url });
			allowed[name] = status !== 403;
		}
		return allowed;
	};

	test.each<[label: string, isAllowed: (route: (typeof routes)[number]) => boolean]>([
		['all permissions', () => true],
		['read only', ({ name }) => name.startsWith('GET ')],
		['without settings.view', ({ permission }) => permission !== 'settings.view'],
	])('the token “%s” has what its name says', async (label, isAllowed) => {
		const token = Object.values(service.sandbox.tokens).find((one) => one.label === label)!;
		const expected = routes
			.filter((route) => route.name !== 'GET /flows')
			.map((route) => [route.name, isAllowed(route)]);
		expect(await letsThrough(token)).toEqual(Object.fromEntries(expected));
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
