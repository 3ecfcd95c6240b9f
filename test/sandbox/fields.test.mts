import type { AxiosRequestConfig } from 'axios';
import { createHash } from 'node:crypto';
import { readContract, routesOf } from '../../sandbox/contract.mts';
import { startService, type Service } from './client.mts';

/** The fields of every request, and what each may contain: the API document, section Endpoints, as tables. */

let service: Service;
beforeAll(async () => {
	service = await startService({ rateLimit: { requests: 0 } });
});
afterAll(async () => await service.close());

/** What a field may contain, and what not. */
interface Kind {
	valid: unknown[];
	invalid: unknown[];
	/** Other fields that it needs. */
	needs?: object;
}

/** A text that is not empty. */
const text: Kind = { valid: ['x'], invalid: ['', ' \t', 7, true, null, ['x'], {}] };
/** A text that may be empty, which clears it. */
const anyText: Kind = { valid: ['x', ''], invalid: [7, true, null, ['x'], {}] };
const phone: Kind = { valid: ['12025550143', '+12025550143'], invalid: ['', 'Ann', '+', 7, null] };
const flag: Kind = { valid: [true, false], invalid: ['true', 1, null] };
const object: Kind = { valid: [{}, { a: 1 }], invalid: ['x', [], null, 7] };
const oneOf = (...names: string[]): Kind => ({
	valid: names,
	invalid: [...names.map(otherCase), 'OTHER', '', 7, null, names],
});
const otherCase = (name: string) =>
	name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
const listOf = (kind: Kind): Kind => ({
	valid: [kind.valid, kind.valid.slice(0, 1)],
	invalid: [[], 'x', {}, null, ...kind.invalid.map((value) => [...kind.valid, value])],
});
const anyList: Kind = { valid: [[], [{}], ['x', 7]], invalid: ['x', {}, null, 7] };
/** The document says object and shows no values; in the update of a ticket they are names. */
const nameOrObject: Kind = { valid: ['HIGH', { name: 'HIGH' }], invalid: [7, true, null, []] };

const ticketStatus = oneOf('OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED');
const category = oneOf('MARKETING', 'UTILITY', 'AUTHENTICATION');
const channel = oneOf('WHATSAPP', 'INSTAGRAM');

interface Body {
	/** What the rejection of an empty body asks for; of alternatives, all. */
	required: string[];
	fields: Record<string, Kind>;
}

const reason: Body = { required: [], fields: { reason: anyText } };

const bodies: Record<string, Body> = {
	'POST /messages': {
		required: ['to', 'type'],
		fields: {
			to: text,
			channelId: text,
			channel,
			agentId: text,
			takeOver: flag,
			type: oneOf('text', 'image', 'document', 'video', 'audio', 'sticker', 'template'),
			text,
			mediaId: text,
			mediaUrl: text,
			caption: anyText,
			fileName: anyText,
			templateName: text,
			templateLanguage: text,
			templateComponents: anyList,
			previewUrl: flag,
			contextId: text,
		},
	},
	'POST /chats/{id}/assign': {
		required: ['agentId'],
		fields: { agentId: { valid: ['x', null], invalid: ['', ' ', 7, true, ['x'], {}] } },
	},
	'POST /chats/{id}/escalate': reason,
	'POST /chats/{id}/de-escalate': reason,
	'POST /chats/session': {
		required: ['agentId'],
		fields: {
			waId: text,
			igId: text,
			contactId: text,
			channelId: text,
			agentId: text,
			action: oneOf('START', 'TAKEOVER', 'END'),
		},
	},
	'POST /contacts': {
		required: ['name', 'waId', 'igId'],
		fields: { name: text, waId: text, igId: text },
	},
	'PATCH /contacts/{id}': {
		required: [],
		fields: {
			name: text,
			customName: anyText,
			waId: anyText,
			igId: anyText,
			igUsername: anyText,
		},
	},
	'POST /contacts/{id}/fields': {
		required: ['label', 'value'],
		fields: { label: text, value: text },
	},
	'PATCH /contacts/{id}/fields/{fieldId}': {
		required: [],
		fields: { label: text, value: anyText },
	},
	'POST /segments': {
		required: ['name'],
		fields: { name: text, description: anyText, isDynamic: flag, rules: object },
	},
	'PUT /segments/{id}/members': {
		required: ['action', 'contactIds'],
		fields: { action: oneOf('add', 'remove'), contactIds: listOf(text) },
	},
	'POST /templates': {
		required: ['name', 'category', 'components'],
		fields: {
			name: {
				valid: ['late_news', 'a1', '_'],
				invalid: ['', 'Late', 'LATE', 'late-news', 'late news', 'späte', 'late\nnews', 7, null],
			},
			category,
			language: text,
			components: { valid: [[{}]], invalid: [[], 'x', {}, null] },
			allowCategoryChange: flag,
			channelId: text,
		},
	},
	'POST /templates/sync': { required: [], fields: { channelId: text } },
	'POST /broadcasts': {
		required: ['name', 'templateName', 'templateLanguage', 'recipients'],
		fields: {
			name: text,
			channelId: text,
			templateId: text,
			templateName: text,
			templateLanguage: text,
			templateCategory: category,
			templateComponents: anyList,
			scheduleType: oneOf('now', 'schedule'),
			sendAt: {
				valid: ['2030-01-01T09:00:00Z', '2030-01-01T09:00:00.5+01:00'],
				invalid: ['', 'tomorrow', '2030-01-01', '2030-01-01T09:00:00', 7, null],
				needs: { scheduleType: 'schedule' },
			},
			audienceMode: oneOf('list', 'segment', 'csv'),
			segmentId: text,
			recipients: listOf(phone),
			apiType: oneOf('cloud_api', 'marketing_messages'),
			ttlSeconds: {
				valid: [43_200, 43_201, 2_592_000],
				invalid: [43_199, 2_592_001, 0, '43200', null],
				needs: { apiType: 'marketing_messages' },
			},
			messageActivitySharing: { ...flag, needs: { apiType: 'marketing_messages' } },
		},
	},
	'POST /flows/trigger': {
		required: ['to', 'flowId', 'flowKeyword'],
		fields: { to: text, channelId: text, flowId: text, flowKeyword: text },
	},
	'POST /tickets': {
		required: ['title'],
		fields: {
			title: text,
			contactId: text,
			contactWaId: text,
			contactIgId: text,
			priority: nameOrObject,
			status: nameOrObject,
			assigneeId: text,
			description: text,
			chatId: text,
		},
	},
	'PUT /tickets/{id}': {
		required: [],
		fields: {
			status: ticketStatus,
			priority: oneOf('LOW', 'MEDIUM', 'HIGH', 'URGENT'),
			assigneeId: text,
		},
	},
	'POST /tickets/{id}/notes': { required: ['body'], fields: { body: text, authorId: text } },
};

/** In a query, everything is text. */
const query = {
	text: { valid: ['x'], invalid: [] },
	filled: { valid: ['x'], invalid: ['', ' '] },
	required: { valid: ['x'], invalid: ['', ' '] },
	count: { valid: ['1', '7', '100000'], invalid: ['0', '-1', '1.5', 'x', ''] },
	flag: { valid: ['true', 'false'], invalid: ['yes', '1', '', 'TRUE'] },
	oneOf: (...names: string[]): Kind => ({
		valid: names,
		invalid: [...names.map(otherCase), 'OTHER', ''],
	}),
} satisfies Record<string, unknown>;
const paged = { page: query.count, limit: query.count };
const channelFilter = query.oneOf('WHATSAPP', 'INSTAGRAM');

const queries: Record<string, Record<string, Kind>> = {
	'GET /chats': {
		...paged,
		waId: query.text,
		contactId: query.text,
		channelId: query.text,
		channel: channelFilter,
		needsEscalation: query.flag,
		assigneeId: query.text,
	},
	'GET /chats/{id}/messages': { take: query.count, cursor: query.text },
	'GET /chats/session': {
		waId: query.text,
		igId: query.text,
		contactId: query.text,
		channelId: query.text,
	},
	'GET /contacts': {
		...paged,
		search: query.text,
		channel: channelFilter,
		segmentId: query.text,
	},
	'GET /contacts/export': { search: query.text, channel: channelFilter, segmentId: query.text },
	'GET /contacts/imports': { activeOnly: query.flag, limit: query.count },
	'GET /segments/{id}': paged,
	'GET /templates': { limit: query.count, channelId: query.text },
	'DELETE /templates/{id}': { name: query.required, channelId: query.filled },
	'GET /broadcasts': {
		...paged,
		channelId: query.text,
		status: query.oneOf(
			...['SCHEDULED', 'QUEUED', 'PROCESSING', 'COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED'],
		),
	},
	'GET /broadcasts/csv-template': {
		templateName: query.required,
		templateLanguage: query.required,
	},
	'GET /tickets': {
		...paged,
		status: query.oneOf('OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'),
		assigneeId: query.text,
		contactId: query.text,
	},
};

/** The reasons why a request is rejected with 400; '' if it is not. */
async function reasons(route: string, content: AxiosRequestConfig) {
	const [method, path] = route.split(' ') as [string, string];
	const url = path.replaceAll(/\{\w+\}/g, 'x');
	const { status, data } = await service.http.request({ method, url, ...content });
	return status === 400 ? String(data.error) : '';
}

/** Whether the reasons concern a field. */
const concern = (error: string, place: 'requestBody' | 'query', name: string) =>
	new RegExp(`${place}(\\.${name}\\b|: unknown field ${name}\\b|.* property '${name}')`).test(
		error,
	);

const requiredIn = (error: string) =>
	[...new Set([...error.matchAll(/required property '(\w+)'/g)].map(([, name]) => name!))].sort();

const routes = [...routesOf(readContract()).values()].map(({ name }) => name);

test('the tables have routes of the contract only', () => {
	const named = [...Object.keys(bodies), ...Object.keys(queries)];
	expect(named.filter((route) => !routes.includes(route))).toEqual([]);
});

describe.each(Object.entries(bodies))('the body of %s', (route, { required, fields }) => {
	test.each(Object.entries(fields))('%s has its values, and no others', async (name, kind) => {
		for (const [values, isInvalid] of [
			[kind.valid, false],
			[kind.invalid, true],
		] as const) {
			for (const value of values) {
				const error = await reasons(route, { data: { ...kind.needs, [name]: value } });
				expect([value, concern(error, 'requestBody', name)]).toEqual([value, isInvalid]);
			}
		}
	});

	test('there are no other fields', async () => {
		expect(await reasons(route, { data: { other: 'x' } })).toContain('unknown field other');
	});

	test('the required fields are required', async () => {
		expect(requiredIn(await reasons(route, { data: {} }))).toEqual(required.toSorted());
	});

	test.each(['[]', '[{}]', '"x"', '7', 'true', 'null'])('it is an object, not %s', async (data) => {
		const headers = { 'Content-Type': 'application/json' };
		const error = await reasons(route, { data, headers, transformRequest: String });
		expect(error).toMatch(/requestBody must be object/);
	});
});

describe.each(Object.entries(queries))('the query of %s', (route, parameters) => {
	test.each(Object.entries(parameters))('%s has its values, and no others', async (name, kind) => {
		for (const [values, isInvalid] of [
			[kind.valid, false],
			[kind.invalid, true],
		] as const) {
			for (const value of values) {
				const error = await reasons(route, { params: { [name]: value } });
				expect([value, concern(error, 'query', name)]).toEqual([value, isInvalid]);
			}
		}
	});

	test('the required parameters are required', async () => {
		const required = Object.keys(parameters).filter((name) => parameters[name] === query.required);
		expect(requiredIn(await reasons(route, {}))).toEqual(required.toSorted());
	});
});

test.each(routes)('%s has no other parameters', async (route) => {
	expect(await reasons(route, { params: { other: 'x' } })).toContain('unknown field other');
});

describe('fields that depend on others', () => {
	const message = (more: object) => ({ to: '12025550143', ...more });
	const broadcast = (more: object) => ({
		name: 'B',
		templateName: 'welcome',
		templateLanguage: 'de',
		...more,
	});
	const recipients = ['12025550143'];
	test.each<[route: string, body: object, required: string[]]>([
		['POST /messages', message({ type: 'text' }), ['text']],
		['POST /messages', message({ type: 'template' }), ['templateName', 'templateLanguage']],
		...['image', 'document', 'video', 'audio', 'sticker'].map(
			(type): [string, object, string[]] => [
				'POST /messages',
				message({ type }),
				['mediaId', 'mediaUrl'],
			],
		),
		['POST /chats/session', { waId: 'x', action: 'START' }, ['agentId']],
		['POST /chats/session', { waId: 'x', action: 'TAKEOVER' }, ['agentId']],
		['POST /chats/session', { waId: 'x', action: 'END' }, []],
		['POST /contacts', { name: 'N' }, ['waId', 'igId']],
		['POST /contacts', { waId: 'x' }, ['name']],
		['POST /contacts', { igId: 'x' }, ['name']],
		['POST /flows/trigger', { to: 'x', flowId: 'x' }, []],
		['POST /flows/trigger', { to: 'x', flowKeyword: 'x' }, []],
		['POST /flows/trigger', { to: 'x' }, ['flowId', 'flowKeyword']],
		['POST /broadcasts', broadcast({}), ['recipients']],
		['POST /broadcasts', broadcast({ audienceMode: 'list' }), ['recipients']],
		['POST /broadcasts', broadcast({ audienceMode: 'segment' }), ['segmentId']],
		['POST /broadcasts', broadcast({ recipients, scheduleType: 'schedule' }), ['sendAt']],
		['POST /broadcasts', broadcast({ recipients, scheduleType: 'now' }), []],
	])('%s %j needs %j', async (route, data, required) => {
		expect(requiredIn(await reasons(route, { data }))).toEqual(required.toSorted());
	});

	/** The document does not say what happens to fields of another kind; the sandbox rejects them. */
	const media = { type: 'image', mediaId: 'x' };
	const words = { type: 'text', text: 'x' };
	const template = { type: 'template', templateName: 'x', templateLanguage: 'x' };
	test.each<[route: string, body: object, name: string, isPossible: boolean]>([
		['POST /messages', message({ ...words, previewUrl: true }), 'previewUrl', true],
		['POST /messages', message({ ...media, previewUrl: true }), 'previewUrl', false],
		['POST /messages', message({ ...template, previewUrl: true }), 'previewUrl', false],
		['POST /messages', message({ ...media, text: 'x' }), 'text', false],
		['POST /messages', message({ ...template, text: 'x' }), 'text', false],
		['POST /messages', message({ ...words, mediaId: 'x' }), 'mediaId', false],
		['POST /messages', message({ ...words, mediaUrl: 'x' }), 'mediaUrl', false],
		['POST /messages', message({ ...template, mediaId: 'x' }), 'mediaId', false],
		['POST /messages', message({ ...media, caption: 'x' }), 'caption', true],
		['POST /messages', message({ ...words, caption: 'x' }), 'caption', false],
		['POST /messages', message({ ...media, fileName: 'x' }), 'fileName', false],
		['POST /messages', message({ ...media, type: 'document', fileName: 'x' }), 'fileName', true],
		...['templateName', 'templateLanguage'].flatMap((name): [string, object, string, boolean][] => [
			['POST /messages', message({ ...words, [name]: 'x' }), name, false],
			['POST /messages', message({ ...media, [name]: 'x' }), name, false],
		]),
		['POST /messages', message({ ...words, templateComponents: [] }), 'templateComponents', false],
		['POST /broadcasts', broadcast({ recipients, ttlSeconds: 43_200 }), 'ttlSeconds', false],
		[
			'POST /broadcasts',
			broadcast({ recipients, apiType: 'cloud_api', messageActivitySharing: true }),
			'messageActivitySharing',
			false,
		],
		[
			'POST /broadcasts',
			broadcast({ recipients, sendAt: '2030-01-01T09:00:00Z' }),
			'sendAt',
			false,
		],
		[
			'POST /broadcasts',
			broadcast({ recipients, scheduleType: 'now', sendAt: '2030-01-01T09:00:00Z' }),
			'sendAt',
			false,
		],
	])('%s %j: %s', async (route, data, name, isPossible) => {
		const error = await reasons(route, { data });
		expect(concern(error, 'requestBody', name)).toBe(!isPossible);
	});

	test('media are given by ID or by URL', async () => {
		const both = message({ ...media, mediaUrl: 'https://example.com/a.png' });
		expect(await reasons('POST /messages', { data: both })).not.toBe('');
	});
});

describe('the format of a body', () => {
	const json = { 'Content-Type': 'application/json' };
	test.each<[string, string, unknown, Record<string, string>, number]>([
		[
			'JSON with a charset',
			'/tickets',
			'{"title":"T"}',
			{ 'Content-Type': 'application/json; charset=utf-8' },
			200,
		],
		['JSON as another type', '/tickets', '{"title":"T"}', { 'Content-Type': 'text/plain' }, 400],
		['a form', '/tickets', 'title=T', { 'Content-Type': 'application/x-www-form-urlencoded' }, 400],
		['broken JSON', '/tickets', '{"title":', json, 400],
		['no object', '/tickets', '["T"]', json, 400],
		['nothing', '/tickets', '', json, 400],
		['nothing where nothing is required', '/templates/sync', '', json, 200],
		['a type like JSON', '/tickets', '{"title":"T"}', { 'Content-Type': 'text/json' }, 400],
		['broken JSON where nothing is required', '/templates/sync', '{', json, 400],
		['JSON instead of a file', '/contacts/import', '{}', json, 400],
	])('%s', async (_name, url, data, headers, status) => {
		const response = await service.http.post(url, data, {
			headers,
			transformRequest: (value: string) => value,
		});
		expect(response.status).toBe(status);
	});

	test('the service reads a body as UTF-8, and the log of requests has it', async () => {
		const { data } = await service.http.post('/tickets', { title: 'Größe 🙂' });
		expect(data.data.title).toBe('Größe 🙂');
		const sha256 = createHash('sha256').update('{"title":"Größe 🙂"}').digest('hex');
		expect(service.sandbox.requests.at(-1)).toMatchObject({ body: { title: 'Größe 🙂' }, sha256 });
		await service.http.post('/templates/sync');
		expect(service.sandbox.requests.at(-1)!.body).toEqual({});
		await service.http.get('/tickets');
		expect(service.sandbox.requests.at(-1)!.body).toBeUndefined();
	});

	test('a body, a file and a field of a form may be large', async () => {
		const { world } = service.sandbox;
		const large = 'x'.repeat(3_000_000);
		const { data } = await service.http.post('/tickets', { title: large });
		expect(data.data.title).toHaveLength(large.length);
		world.deleteTicket(data.data.id as string);
		const form = new FormData();
		form.append('file', new Blob([`name,waId\n${large},12025550143\n`]), 'people.csv');
		expect((await service.http.post('/contacts/import', form)).data.data.totalRows).toBe(1);
		const broadcast = { templateName: 'none', templateLanguage: 'de', recipients: '["1"]' };
		const fields = new FormData();
		for (const [name, value] of Object.entries({ ...broadcast, name: large }))
			fields.append(name, value);
		const response = await service.http.post('/broadcasts', fields);
		expect([response.status, response.data.error]).toEqual([404, 'Template not found']);
		expect(service.sandbox.requests.at(-1)!.body).toMatchObject({ name: large });
	});

	test('a body is possible only where the contract has one', async () => {
		for (const route of routes.filter((name) => name.startsWith('DELETE ')))
			expect([route, await reasons(route, { data: {} })]).toEqual([
				route,
				'This route accepts no body',
			]);
	});

	test('only imports and broadcasts accept a form with a file', async () => {
		const uploads = ['POST /contacts/import', 'POST /broadcasts'];
		for (const route of Object.keys(bodies).filter((name) => !uploads.includes(name))) {
			const form = new FormData();
			form.append('title', 'T');
			expect([route, await reasons(route, { data: form })]).toEqual([
				route,
				'This route accepts no upload',
			]);
		}
	});
});
