import type { AxiosResponse } from 'axios';
import { formOf, useService } from '../support/sandboxClient.mts';
import { configOf, examplesOf, type Example } from './examples.mts';
import { operations, type Operation } from '../support/contractOperations.mts';
import { sha256 } from '../support/sha256.mts';

/**
 * Which requests the service accepts. responses.test.mts sends the examples; here, each is changed in one place. The
 * rules hold for every endpoint, so each has one test; what the document says about single fields is written by hand.
 */

const service = useService();

const examples = ({ id }: Operation) => examplesOf(service.sandbox.world, id);

const send = async (operation: Operation, example: Example, http = service.http) =>
	await http.request(configOf(operation, example));

/** What the contract has against a request; '' if nothing. A handler may still reject it. */
const objections = ({ status, data }: AxiosResponse) =>
	status === 400 && String(data.error).startsWith('Invalid request') ? String(data.error) : '';

/** Whether they concern a field of the body or a parameter of the query. */
const concern = (reasons: string, place: 'requestBody' | 'query', name: string) =>
	new RegExp(`${place}(\\.${name}\\b|: unknown field ${name}\\b|.* property '${name}')`).test(
		reasons,
	);

/** Operations, parts of their requests, and what is said if the part is changed; one line for each that is not right. */
async function wrong(
	parts: (operation: Operation) => string[],
	isRight: (operation: Operation, part: string) => Promise<boolean>,
): Promise<string[]> {
	const found: string[] = [];
	for (const operation of operations)
		for (const part of parts(operation))
			if (!(await isRight(operation, part))) found.push(`${operation.route} ${part}`);
	return found;
}

/** An accepted request that has the part. */
const withPart = (operation: Operation, place: 'query' | 'body', name: string) =>
	examples(operation).find((example) => !example.file && name in (example[place] ?? {}))!;

describe('rules for all endpoints', () => {
	test('the examples have every field and every parameter', () => {
		for (const operation of operations) {
			const names = (place: 'query' | 'body') =>
				new Set(examples(operation).flatMap((example) => Object.keys(example[place] ?? {})));
			expect([operation.route, names('query'), names('body')]).toStrictEqual([
				operation.route,
				new Set(Object.keys(operation.query)),
				new Set(Object.keys(operation.body?.properties ?? {})),
			]);
		}
	});

	test('a field of the body or a parameter that it does not have is rejected', async () => {
		const places = ({ body }: Operation) => (body ? ['query', 'body'] : ['query']);
		const rejects = async (operation: Operation, place: string) => {
			const [example] = examples(operation) as [Example];
			const changed = { ...example[place as 'query' | 'body'], other: 'x' };
			const reasons = objections(await send(operation, { ...example, [place]: changed }));
			return concern(reasons, place === 'body' ? 'requestBody' : 'query', 'other');
		};
		expect(await wrong(places, rejects)).toStrictEqual([]);
	});

	test('a request without a required field or parameter is rejected', async () => {
		const required = ({ body, query }: Operation) => [
			...(body?.required ?? []).map((name) => `body ${name}`),
			...Object.keys(query)
				.filter((name) => query[name]!.isRequired)
				.map((name) => `query ${name}`),
		];
		const rejects = async (operation: Operation, part: string) => {
			const [place, name] = part.split(' ') as ['body' | 'query', string];
			const example = withPart(operation, place, name);
			const { [name]: _left, ...rest } = example[place]!;
			const reasons = objections(await send(operation, { ...example, [place]: rest }));
			return concern(reasons, place === 'body' ? 'requestBody' : 'query', name);
		};
		expect(await wrong(required, rejects)).toStrictEqual([]);
	});

	test('a field is not null or of another type, unless the contract says so, and a text is not blank', async () => {
		const fields = ({ body }: Operation) => Object.keys(body?.properties ?? {});
		const rejects = async (operation: Operation, name: string) => {
			const { type, pattern, enum: names } = operation.body!.properties![name]!;
			const types = [type ?? 'string'].flat();
			const values = [
				...(types.includes('null') ? [] : [null]),
				...(types.includes('number') ? [] : [7]),
				...(pattern === undefined && !names ? [] : [' ']),
			];
			const example = withPart(operation, 'body', name);
			for (const value of values) {
				const body = { ...example.body, [name]: value };
				const reasons = objections(await send(operation, { ...example, body }));
				if (!concern(reasons, 'requestBody', name)) return false;
			}
			return true;
		};
		expect(await wrong(fields, rejects)).toStrictEqual([]);
	});

	test('a body is an object', async () => {
		const isObject = async (operation: Operation, data: string) => {
			const config = configOf(operation, { ...examples(operation)[0]!, file: undefined });
			const headers = { 'Content-Type': 'application/json' };
			const sent = { ...config, data, headers, transformRequest: String };
			return objections(await service.http.request(sent)).includes('requestBody must be object');
		};
		const bodies = ({ body }: Operation) => (body ? ['[{}]', '"x"', 'null'] : []);
		expect(await wrong(bodies, isObject)).toStrictEqual([]);
	});

	test('an endpoint that accepts no body, or no form, rejects it', async () => {
		const parts = ({ method, body, acceptsBody, acceptsUpload }: Operation) =>
			acceptsBody ? (body && !acceptsUpload ? ['upload'] : []) : method === 'get' ? [] : ['body'];
		const rejects = async (operation: Operation, part: string) => {
			const data = part === 'body' ? {} : formOf({ title: 'T' });
			const config = configOf(operation, examples(operation)[0]!);
			const response = await service.http.request({ ...config, data });
			return response.data.error === `This route accepts no ${part}`;
		};
		expect(await wrong(parts, rejects)).toStrictEqual([]);
	});

	test('an endpoint needs a known token with its permission, and no other permission', async () => {
		const all = [...new Set(operations.map(({ permission }) => permission))];
		const token = service.sandbox.tokens.readOnly;
		const respondsAsSaid = async (operation: Operation) => {
			const { permission } = operation;
			// Changes nothing: no record is addressed, and there is no body.
			const sendAs = async (value: string) => await send(operation, {}, service.as(value));
			token.permissions = all.filter((name) => name !== permission);
			const { status, data } = await sendAs(token.value);
			token.permissions = [permission];
			return (
				status === 403 &&
				data.error === `Missing permission: ${permission}` &&
				(await sendAs(token.value)).status !== 403 &&
				(await sendAs('wa_pk_x')).status === 401
			);
		};
		expect(await wrong(() => [''], respondsAsSaid)).toStrictEqual([]);
	});
});

test.each(['/v1/tickets', '/v2', '/v2/tickets/', '/v2//tickets', '/v2/Tickets'])(
	'/api%s is no path of the service',
	async (path) => {
		const url = service.sandbox.baseUrl.replace('/v2', path);
		expect((await service.http.get(url)).status).toBe(404);
	},
);

/** From the service's document. */
test.each<[method: 'get' | 'post' | 'put' | 'patch', path: string, sent: object, part: string]>([
	['get', '/tickets', { page: 0 }, 'query.page'],
	['get', '/tickets', { limit: '1.5' }, 'query.limit'],
	['get', '/tickets', { status: 'open' }, 'query.status'],
	['get', '/chats', { channel: 'WEBCHAT' }, 'query.channel'],
	['get', '/chats', { needsEscalation: 'yes' }, 'query.needsEscalation'],
	['post', '/tickets', { title: '' }, 'requestBody.title'],
	['put', '/tickets/x', { priority: 'high' }, 'requestBody.priority'],
	['put', '/tickets/x', { assigneeId: null }, 'requestBody.assigneeId'],
	['put', '/segments/x/members', { action: 'add', contactIds: [] }, 'requestBody.contactIds'],
	['put', '/segments/x/members', { action: 'set', contactIds: ['c'] }, 'requestBody.action'],
	['post', '/templates', { name: 'Late-News' }, 'requestBody.name'],
	['post', '/broadcasts', { recipients: ['Ann'] }, 'requestBody.recipients'],
	['post', '/broadcasts', { sendAt: '2030-01-01' }, 'requestBody.sendAt'],
	['post', '/broadcasts', { ttlSeconds: 43_199 }, 'requestBody.ttlSeconds'],
	['post', '/broadcasts', { ttlSeconds: 2_592_001 }, 'requestBody.ttlSeconds'],
	['post', '/messages', { type: 'location' }, 'requestBody.type'],
])('%s %s is rejected with %j', async (method, path, sent, part) => {
	expect((await service[method](path, sent)).error).toContain(part);
});

test.each<[path: string, body: object]>([
	['/chats/x/assign', { agentId: null }],
	['/chats/x/escalate', {}],
	['/chats/x/escalate', { reason: '' }],
])('%s is accepted with %j', async (path, body) => {
	expect(objections(await service.http.post(path, body))).toBe('');
});

describe('fields that depend on others', () => {
	const required = (reasons: string) =>
		[
			...new Set([...reasons.matchAll(/required property '(\w+)'/g)].map(([, name]) => name!)),
		].sort();
	const post = async (path: string, data: object) =>
		objections(await service.http.post(path, data));

	/** Of each type of message: what it needs, and what it may have. Of two media, there is one. */
	const media = { needs: ['mediaId', 'mediaUrl'], may: ['mediaId', 'mediaUrl', 'caption'] };
	const template = ['templateLanguage', 'templateName'];
	test.each<[type: string, { needs: string[]; may: string[] }]>([
		['text', { needs: ['text'], may: ['text', 'previewUrl'] }],
		['image', media],
		['document', { ...media, may: [...media.may, 'fileName'] }],
		['video', media],
		['audio', media],
		['sticker', media],
		['template', { needs: template, may: [...template, 'templateComponents'] }],
	])('a message of the type %s', async (type, { needs, may }) => {
		const message = { to: '12025550143', type };
		expect(required(await post('/messages', message))).toStrictEqual(needs);
		const fields: Record<string, unknown> = { previewUrl: true, templateComponents: [] };
		for (const name of ['text', 'mediaId', 'mediaUrl', 'caption', 'fileName', ...template])
			fields[name] = 'x';
		const reasons = await post('/messages', { ...message, ...fields });
		const possible = Object.keys(fields).filter(
			(name) => !reasons.includes(`requestBody.${name} `),
		);
		expect(possible.toSorted()).toStrictEqual(may.toSorted());
		if (!may.includes('mediaId')) return;
		expect(await post('/messages', { ...message, mediaId: 'x' })).toBe('');
		expect(await post('/messages', { ...message, mediaUrl: 'x' })).toBe('');
		expect(await post('/messages', { ...message, mediaId: 'x', mediaUrl: 'x' })).not.toBe('');
	});

	const broadcast = { name: 'B', templateName: 'welcome', templateLanguage: 'de' };
	const list = { ...broadcast, recipients: ['12025550143'] };
	const sendAt = '2030-01-01T09:00:00Z';
	test.each<[path: string, body: object, required: string[]]>([
		['/chats/session', { waId: 'x' }, ['agentId']],
		['/chats/session', { waId: 'x', action: 'START' }, ['agentId']],
		['/chats/session', { waId: 'x', action: 'TAKEOVER' }, ['agentId']],
		['/chats/session', { waId: 'x', action: 'END' }, []],
		['/contacts', { name: 'N' }, ['igId', 'waId']],
		['/contacts', { waId: 'x' }, ['name']],
		['/contacts', { igId: 'x' }, ['name']],
		['/flows/trigger', { to: 'x', flowId: 'x' }, []],
		['/flows/trigger', { to: 'x', flowKeyword: 'x' }, []],
		['/flows/trigger', { to: 'x' }, ['flowId', 'flowKeyword']],
		['/broadcasts', broadcast, ['recipients']],
		['/broadcasts', { ...broadcast, audienceMode: 'list' }, ['recipients']],
		['/broadcasts', { ...broadcast, audienceMode: 'segment' }, ['segmentId']],
		['/broadcasts', { ...broadcast, audienceMode: 'csv' }, []],
		['/broadcasts', { ...list, scheduleType: 'schedule' }, ['sendAt']],
		['/broadcasts', { ...list, scheduleType: 'now' }, []],
	])('%s %j needs %j', async (path, body, expected) => {
		expect(required(await post(path, body))).toStrictEqual(expected);
	});

	const marketing = { apiType: 'marketing_messages' };
	test.each<[field: object, needs: object, others: object[]]>([
		[{ sendAt }, { scheduleType: 'schedule' }, [{}, { scheduleType: 'now' }]],
		[{ ttlSeconds: 43_200 }, marketing, [{}, { apiType: 'cloud_api' }]],
		[{ messageActivitySharing: true }, marketing, [{}, { apiType: 'cloud_api' }]],
	])('a broadcast with %j needs %j', async (field, needs, others) => {
		const [name] = Object.keys(field);
		const isRejected = async (more: object) =>
			concern(await post('/broadcasts', { ...list, ...field, ...more }), 'requestBody', name!);
		expect(await isRejected(needs)).toBe(false);
		for (const other of others) expect(await isRejected(other)).toBe(true);
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
		['a type like JSON', '/tickets', '{"title":"T"}', { 'Content-Type': 'text/json' }, 400],
		['a form', '/tickets', 'title=T', { 'Content-Type': 'application/x-www-form-urlencoded' }, 400],
		['broken JSON', '/tickets', '{"title":', json, 400],
		['broken JSON where nothing is required', '/templates/sync', '{', json, 400],
		['nothing', '/tickets', '', json, 400],
		['nothing where nothing is required', '/templates/sync', '', json, 200],
		['JSON instead of a file', '/contacts/import', '{}', json, 400],
	])('%s', async (_name, url, data, headers, status) => {
		const transformRequest = (value: string) => value;
		expect((await service.http.post(url, data, { headers, transformRequest })).status).toBe(status);
	});

	test('the service reads a body as UTF-8, and the log of requests has it', async () => {
		const { data } = await service.http.post('/tickets', { title: 'Größe 🙂' });
		expect(data.data.title).toBe('Größe 🙂');
		expect(service.sandbox.requests.at(-1)).toMatchObject({
			body: { title: 'Größe 🙂' },
			sha256: sha256('{"title":"Größe 🙂"}'),
		});
		await service.http.post('/templates/sync');
		expect(service.sandbox.requests.at(-1)!.body).toStrictEqual({});
		await service.http.get('/tickets');
		expect(service.sandbox.requests.at(-1)!.body).toBeUndefined();
	});

	test('a body, a file and a field of a form may be large', async () => {
		// Larger than what is usual: a mebibyte.
		const large = 'x'.repeat(1_100_000);
		const { data } = await service.post('/tickets', { title: large });
		expect(data.title).toHaveLength(large.length);
		service.world.deleteTicket(data.id as string);
		const csv = `name,waId\n${large},12025550143\n`;
		expect((await service.upload('/contacts/import', csv)).data.totalRows).toBe(1);
		const fields = { templateName: 'none', templateLanguage: 'de', recipients: '["1"]' };
		const form = formOf({ ...fields, name: large });
		expect((await service.post('/broadcasts', form)).error).toBe('Template not found');
	});
});
