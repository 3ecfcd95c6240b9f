import type { AxiosResponse } from 'axios';
import { createHash } from 'node:crypto';
import { formOf, startService, type Service } from './client.mts';
import { configOf, examplesOf, type Example } from './examples.mts';
import { operations, type Operation, type Schema } from './operations.mts';

/** Which requests the service accepts: generated from the contract, one change of an accepted request after another. */

let service: Service;
beforeAll(async () => {
	service = await startService({ rateLimit: { requests: 0 } });
});
afterAll(async () => await service.close());

const named = (list: Operation[]) => list.map((one): [string, Operation] => [one.route, one]);
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

interface Values {
	valid: unknown[];
	invalid: unknown[];
}

const otherCase = (name: string) =>
	name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();

/** Texts for the patterns of the contract. */
const PATTERNS: Record<string, { valid: string[]; invalid: string[] }> = {
	'\\S': { valid: ['x'], invalid: ['', ' \t'] },
	'^[a-z0-9_]+$': {
		valid: ['late_news', 'a1', '_'],
		invalid: ['', 'Late', 'late-news', 'late news', 'späte', 'late\nnews'],
	},
	'^(\\+?\\d+|[A-Za-z]{2}\\.[A-Za-z\\d]{1,128})$': {
		valid: ['12025550143', '+12025550143', 'US.13491208655302741918'],
		invalid: ['', 'Ann', '+', 'US.', 'USA.1'],
	},
};
const DATES = {
	valid: ['2030-01-01T09:00:00Z', '2030-01-01T09:00:00.5+01:00'],
	invalid: ['', 'tomorrow', '2030-01-01', '2030-01-01T09:00:00'],
};
const ANY_TEXT = { valid: ['x', ''], invalid: [] };

/** A value of most types of JSON. document.test.mts has the types of each field. */
const JSON_VALUES: Record<string, unknown> = { string: 'x', number: 7, null: null, object: {} };

/** What a field of a JSON body may be and may not be. */
function valuesOf(schema: Schema): Values {
	if (schema.enum) {
		const [first] = schema.enum;
		return { valid: schema.enum, invalid: [otherCase(first!), 'OTHER', '', null, [first]] };
	}
	const types = [schema.type!].flat();
	const others = Object.entries(JSON_VALUES).filter(([type]) => !types.includes(type));
	const values: Values = { valid: [], invalid: others.map(([, value]) => value) };
	for (const type of types) {
		const some = valuesOfType(type, schema);
		values.valid.push(...some.valid);
		values.invalid.push(...some.invalid);
	}
	return values;
}

function valuesOfType(type: string, schema: Schema): Values {
	const { format, pattern, minimum, maximum, minItems, items = {} } = schema;
	switch (type) {
		case 'string':
			return format ? DATES : pattern === undefined ? ANY_TEXT : PATTERNS[pattern]!;
		case 'number':
			return {
				valid: [minimum, minimum! + 1, maximum],
				invalid: [minimum! - 1, maximum! + 1, String(minimum)],
			};
		case 'boolean':
			return { valid: [true, false], invalid: ['true'] };
		case 'array': {
			if (Object.keys(items).length === 0)
				return { valid: [[{}], ['x', 7]], invalid: minItems === undefined ? [] : [[]] };
			const inner = valuesOf(items);
			const mixed = inner.invalid.map((value) => [...inner.valid, value]);
			return { valid: [inner.valid], invalid: [[], ...mixed] };
		}
		case 'object':
			return { valid: [{}, { a: 1 }], invalid: [] };
		case 'null':
			return { valid: [null], invalid: [] };
		default:
			throw new Error(`No values for ${type}`);
	}
}

/** What a parameter of a query may be and may not be: everything is text. */
function parameterValuesOf({ type, enum: names, pattern }: Schema): Values {
	if (names) return { valid: names, invalid: [otherCase(names[0]!), 'OTHER', ''] };
	if (type === 'integer')
		return { valid: ['1', '7', '100000'], invalid: ['0', '-1', '1.5', 'x', ''] };
	if (type === 'boolean') return { valid: ['true', 'false'], invalid: ['yes', '1', '', 'TRUE'] };
	return { valid: ['x'], invalid: pattern === undefined ? [] : PATTERNS[pattern]!.invalid };
}

test.each(named(operations))('the examples of %s have every field', (_route, operation) => {
	const all = examples(operation);
	const names = (place: 'query' | 'body') =>
		new Set(all.flatMap((example) => Object.keys(example[place] ?? {})));
	expect(names('query')).toStrictEqual(new Set(Object.keys(operation.query)));
	expect(names('body')).toStrictEqual(new Set(Object.keys(operation.body?.properties ?? {})));
});

describe.each(named(operations.filter(({ body }) => body)))(
	'the body of %s',
	(_route, operation) => {
		const { properties = {}, required = [] } = operation.body!;
		/** An accepted request that has the field. */
		const withField = (name: string) =>
			examples(operation).find(({ body, file }) => !file && body && name in body)!;
		const sendBody = async (example: Example, body: unknown) =>
			objections(await send(operation, { ...example, body: body as Example['body'] }));

		test('has fields with their values, and no others', async () => {
			const rejected: Record<string, unknown[]> = {};
			const expected: Record<string, unknown[]> = {};
			for (const [name, schema] of Object.entries(properties)) {
				const { valid, invalid } = valuesOf(schema);
				expected[name] = invalid;
				rejected[name] = [];
				const example = withField(name);
				for (const value of [...valid, ...invalid]) {
					const reasons = await sendBody(example, { ...example.body, [name]: value });
					if (concern(reasons, 'requestBody', name)) rejected[name].push(value);
				}
			}
			expect(rejected).toStrictEqual(expected);
			const [example] = examples(operation);
			expect(await sendBody(example!, { ...example!.body, other: 'x' })).toBe(
				'Invalid request: requestBody: unknown field other',
			);
		});

		test('has the required fields', async () => {
			const missed: string[] = [];
			for (const name of required) {
				const example = withField(name);
				const { [name]: _left, ...body } = example.body!;
				if (concern(await sendBody(example, body), 'requestBody', name)) missed.push(name);
			}
			expect(missed).toStrictEqual(required);
		});

		test('is an object', async () => {
			const headers = { 'Content-Type': 'application/json' };
			const config = configOf(operation, { ...examples(operation)[0]!, file: undefined });
			for (const data of ['[{}]', '"x"', 'null']) {
				const sent = { ...config, data, headers, transformRequest: String };
				expect(objections(await service.http.request(sent))).toMatch(/requestBody must be object/);
			}
		});
	},
);

test.each(named(operations))(
	'the query of %s has parameters with their values, and no others',
	async (_route, operation) => {
		const sendQuery = async (example: Example, name: string, value: unknown) => {
			const query = { ...example.query, [name]: value as string };
			return objections(await send(operation, { ...example, query }));
		};
		const rejected: Record<string, unknown[]> = {};
		const expected: Record<string, unknown[]> = {};
		for (const [name, schema] of Object.entries(operation.query)) {
			const { valid, invalid } = parameterValuesOf(schema);
			expected[name] = schema.isRequired ? [...invalid, undefined] : invalid;
			rejected[name] = [];
			const example = examples(operation).find(({ query = {} }) => name in query)!;
			for (const value of [...valid, ...invalid, undefined])
				if (concern(await sendQuery(example, name, value), 'query', name))
					rejected[name].push(value);
		}
		expect(rejected).toStrictEqual(expected);
		expect(await sendQuery(examples(operation)[0]!, 'other', 'x')).toBe(
			'Invalid request: query: unknown field other',
		);
	},
);

test.each(named(operations))(
	'%s needs a known token with its permission, and no other permission',
	async (_route, operation) => {
		const { permission } = operation;
		const token = service.sandbox.tokens.readOnly;
		// Changes nothing: no record is addressed, and there is no body.
		const sendAs = async (value: string) => await send(operation, {}, service.as(value));
		token.permissions = permissions.filter((name) => name !== permission);
		const { status, data } = await sendAs(token.value);
		expect([status, data.error]).toStrictEqual([403, `Missing permission: ${permission}`]);
		token.permissions = [permission];
		expect((await sendAs(token.value)).status).not.toBe(403);
		expect((await sendAs('wa_pk_x')).status).toBe(401);
	},
);
const permissions = [...new Set(operations.map(({ permission }) => permission))];

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
		const sha256 = createHash('sha256').update('{"title":"Größe 🙂"}').digest('hex');
		expect(service.sandbox.requests.at(-1)).toMatchObject({ body: { title: 'Größe 🙂' }, sha256 });
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

	const error = async (operation: Operation, data: unknown) => {
		const config = configOf(operation, examples(operation)[0]!);
		return (await service.http.request({ ...config, data })).data.error as string;
	};

	test.each(
		named(operations.filter(({ method, acceptsBody }) => !acceptsBody && method !== 'get')),
	)('%s accepts no body', async (_route, operation) => {
		expect(await error(operation, {})).toBe('This route accepts no body');
	});

	test.each(named(operations.filter((one) => one.body && !one.acceptsUpload)))(
		'%s accepts no form',
		async (_route, operation) => {
			const form = formOf({ title: 'T' });
			expect(await error(operation, form)).toBe('This route accepts no upload');
		},
	);
});
