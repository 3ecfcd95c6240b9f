import { startService, type Service } from './client.mts';

/** What the values of a request may be: an accepted request, and changes with which it is rejected. */

let service: Service;
beforeAll(async () => {
	service = await startService({ rateLimit: { requests: 0 } });
});
afterAll(async () => await service.close());

const world = () => service.sandbox.world;
const user = () => world().users.find(() => true)!.id;
const inWindow = () => {
	const chat = world().chats.find(
		({ channel, session, lastInboundAt }) =>
			channel === 'WHATSAPP' &&
			session !== null &&
			service.clock.now() - lastInboundAt! < 3_600_000 * 2,
	)!;
	return { chat, waId: world().contacts.get(chat.contactId)!.waId! };
};
const send = async (method: string, url: string, data: object) =>
	(await service.http.request({ method, url, data })).status;

interface Accepted {
	method?: string;
	path: string;
	body: Record<string, unknown>;
}

let names = 0;
/** An accepted request of each route with texts in its body. Undoing one is not necessary: each is made anew. */
const accepted: Record<string, () => Accepted> = {
	'a text message': () => ({
		path: '/messages',
		body: { to: inWindow().waId, type: 'text', text: 'Hello' },
	}),
	'a media message': () => ({
		path: '/messages',
		body: { to: inWindow().waId, type: 'image', mediaId: 'm1' },
	}),
	'a media message by URL': () => ({
		path: '/messages',
		body: { to: inWindow().waId, type: 'image', mediaUrl: 'https://example.com/a.png' },
	}),
	'a template message': () => ({
		path: '/messages',
		body: {
			to: inWindow().waId,
			type: 'template',
			templateName: 'ticket_update',
			templateLanguage: 'en_US',
			templateComponents: [
				{ type: 'body', parameters: ['A', '7', 'open'].map((text) => ({ type: 'text', text })) },
			],
		},
	}),
	'a session': () => {
		const { chat, waId } = inWindow();
		chat.session = null;
		return { path: '/chats/session', body: { waId, agentId: user() } };
	},
	'an assignment': () => ({
		path: `/chats/${inWindow().chat.id}/assign`,
		body: { agentId: user() },
	}),
	'a contact': () => ({
		path: '/contacts',
		body: { name: 'N', waId: `1202555${String(1000 + names++)}`, igId: `ig-${names}` },
	}),
	'an update of a contact': () => ({
		method: 'PATCH',
		path: `/contacts/${inWindow().waId}`,
		body: { name: 'N' },
	}),
	'a field of a contact': () => ({
		path: `/contacts/${inWindow().chat.contactId}/fields`,
		body: { label: 'L', value: 'V' },
	}),
	'a segment': () => ({ path: '/segments', body: { name: `Segment ${names++}` } }),
	'members of a segment': () => ({
		method: 'PUT',
		path: `/segments/${world().segments.find(({ isDynamic }) => !isDynamic)!.id}/members`,
		body: { action: 'add', contactIds: [inWindow().chat.contactId] },
	}),
	'a template': () => ({
		path: '/templates',
		body: {
			name: `t_${names++}`,
			category: 'UTILITY',
			language: 'de',
			components: [{ type: 'BODY', text: 'Hello' }],
		},
	}),
	'a broadcast to a list': () => ({
		path: '/broadcasts',
		body: {
			name: 'B',
			templateName: 'ticket_update',
			templateLanguage: 'en_US',
			templateCategory: 'UTILITY',
			templateComponents: [
				{ type: 'body', parameters: ['A', '7', 'open'].map((text) => ({ type: 'text', text })) },
			],
			apiType: 'cloud_api',
			recipients: ['12015550100'],
		},
	}),
	'a flow by its keyword': () => ({
		path: '/flows/trigger',
		body: { to: inWindow().waId, flowKeyword: 'welcome' },
	}),
	'a flow by its ID': () => ({
		path: '/flows/trigger',
		body: { to: inWindow().waId, flowId: world().flows.find(({ active }) => active)!.id },
	}),
	'a ticket': () => ({
		path: '/tickets',
		body: {
			title: 'T',
			contactWaId: inWindow().waId,
			priority: 'HIGH',
			status: 'IN_PROGRESS',
			assigneeId: user(),
			chatId: inWindow().chat.id,
		},
	}),
	'a ticket of a contact by its ID': () => ({
		path: '/tickets',
		body: { title: 'T', contactId: inWindow().chat.contactId },
	}),
	'an update of a ticket': () => ({
		method: 'PUT',
		path: '/tickets/1001',
		body: { assigneeId: user(), status: 'OPEN', priority: 'LOW' },
	}),
	'a note': () => ({ path: '/tickets/1001/notes', body: { body: 'B', authorId: user() } }),
};

describe.each(Object.entries(accepted))('%s', (_name, make) => {
	test('is accepted', async () => {
		const { method = 'POST', path, body } = make();
		expect(await send(method, path, body)).toBe(200);
	});

	test('is rejected if any of its values is empty, blank, or not a text', async () => {
		for (const name of Object.keys(make().body)) {
			const values: unknown[] = ['', '  ', 7];
			// Removing the assignment is a value of its own.
			if (name !== 'agentId') values.push(null);
			for (const value of values) {
				const { method = 'POST', path, body } = make();
				const changed = Array.isArray(body[name]) ? [value] : value;
				// The form of a template's components has tests of its own.
				if (/components/i.test(name)) continue;
				expect([name, value, await send(method, path, { ...body, [name]: changed })]).toEqual([
					name,
					value,
					400,
				]);
			}
		}
	});
});

test.each<[string, object]>([
	['a broadcast to a list', { recipients: [] }],
	['a broadcast to a list', { templateCategory: 'OTHER' }],
	['a broadcast to a list', { templateCategory: 'utility' }],
	['a broadcast to a list', { apiType: 'on_premises' }],
	['a template', { category: 'utility' }],
	['a template', { components: [] }],
	['members of a segment', { contactIds: [] }],
	['members of a segment', { action: 'replace' }],
	['a ticket', { priority: 'high' }],
	['a ticket', { status: 'DONE' }],
	['a ticket', { status: { name: 'OPEN' } }],
	['a ticket', { assigneeId: 'nobody' }],
	['a ticket', { chatId: 'none' }],
	['a ticket of a contact by its ID', { contactId: 'nobody' }],
	['an update of a ticket', { assigneeId: 'nobody' }],
	['an update of a ticket', { priority: 'high' }],
	['a note', { authorId: 'nobody' }],
	['an assignment', { agentId: 'nobody' }],
	['a session', { agentId: 'nobody' }],
	['a session', { action: 'PAUSE' }],
	['a text message', { agentId: 'nobody' }],
])('%s is rejected with %j', async (name, changes) => {
	const { method = 'POST', path, body } = accepted[name]!();
	expect(await send(method, path, { ...body, ...changes })).toBe(400);
});

test.each([
	['DELETE', '/templates/1', { name: '' }],
	['GET', '/broadcasts/csv-template', { templateName: '', templateLanguage: 'en_US' }],
	['GET', '/broadcasts/csv-template', { templateName: 'welcome', templateLanguage: '' }],
	['GET', '/tickets', { page: 0 }],
	['GET', '/tickets', { limit: 0 }],
	['GET', '/contacts', { channel: 'TELEGRAM' }],
	['GET', '/chats', { channel: 'WEBCHAT' }],
])('%s %s is rejected with %j', async (method, url, params) => {
	expect((await service.http.request({ method, url, params })).status).toBe(400);
});

test.each([
	['cloud_api', { ttlSeconds: 43_200 }, 400],
	['cloud_api', { messageActivitySharing: true }, 400],
	['marketing_messages', { messageActivitySharing: true }, 200],
	['marketing_messages', { ttlSeconds: 43_199 }, 400],
	['marketing_messages', { ttlSeconds: 43_200 }, 200],
	['marketing_messages', { ttlSeconds: 2_592_000 }, 200],
	['marketing_messages', { ttlSeconds: 2_592_001 }, 400],
])('a broadcast with the API %s and %j is answered with %d', async (apiType, settings, status) => {
	const { path, body } = accepted['a broadcast to a list']!();
	expect(await send('POST', path, { ...body, apiType, ...settings })).toBe(status);
	if (status === 200)
		expect(world().broadcasts.find(() => true)).toMatchObject({
			settings: { apiType, ...settings },
		});
});

test('clearing a field of a contact is possible, but not its name or its only address', async () => {
	const { data } = await service.http.post('/contacts', { name: 'N', waId: '12025559999' });
	const path = `/contacts/${data.data.id as string}`;
	const change = async (body: object) => await service.http.patch(path, body);
	expect((await change({ customName: 'C', igId: 'clear-1' })).status).toBe(200);
	expect((await change({ customName: '', igId: '' })).data.data).toMatchObject({
		customName: null,
		igId: null,
	});
	expect((await service.http.get('/contacts/clear-1')).status).toBe(404);
	expect((await change({ waId: '' })).status).toBe(400);
	expect((await change({ name: '' })).status).toBe(400);
	expect((await service.http.get('/contacts/12025559999')).data.data.name).toBe('N');
});

test('a contact cannot take the address of another, but can keep its own', async () => {
	const make = async (n: number) =>
		(await service.http.post('/contacts', { name: 'N', waId: `1202555888${n}`, igId: `own-${n}` }))
			.data.data.id as string;
	const [first] = [await make(1), await make(2)];
	const change = async (body: object) =>
		(await service.http.patch(`/contacts/${first}`, body)).status;
	expect(await change({ waId: '12025558882' })).toBe(400);
	expect(await change({ igId: 'own-2' })).toBe(400);
	expect(await change({ waId: '12025558881', igId: 'own-1' })).toBe(200);
	// Both are still found by their own addresses.
	expect((await service.http.get('/contacts/own-1')).data.data.id).toBe(first);
	expect((await service.http.get('/contacts/12025558882')).data.data.igId).toBe('own-2');
});

describe('priority and status of a new ticket as objects', () => {
	beforeAll(() => {
		service.sandbox.options.shapes.ticketChoices = 'object';
	});
	afterAll(() => {
		service.sandbox.options.shapes.ticketChoices = 'name';
	});

	test('an object with a name in it is accepted, a name alone is not', async () => {
		const create = async (fields: object) =>
			await service.http.post('/tickets', { title: 'T', ...fields });
		expect(
			(await create({ priority: { name: 'URGENT' }, status: { value: 'RESOLVED' } })).data.data,
		).toMatchObject({ priority: 'URGENT', status: 'RESOLVED' });
		expect((await create({ priority: 'URGENT' })).status).toBe(400);
		expect((await create({ status: 'RESOLVED' })).status).toBe(400);
		expect((await create({ priority: { name: 'SOON' } })).status).toBe(400);
		expect((await create({ priority: {} })).status).toBe(400);
	});

	test('an update has names still', async () => {
		expect(await send('PUT', '/tickets/1001', { priority: 'HIGH' })).toBe(200);
		expect(await send('PUT', '/tickets/1001', { priority: { name: 'HIGH' } })).toBe(400);
	});
});
