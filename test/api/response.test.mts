import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { Readable } from 'node:stream';
import {
	MAX_RESPONSE_BYTES,
	parseResponse,
	readResponse,
	findRows,
	metaOf,
	payloadOf,
	statusOf,
	whatCame,
} from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { TimeLimit } from '../../nodes/ConversationalMessaging/api/timeLimit.ts';

const rows = [{ id: 'a' }, { id: 'b' }];

test('the rest of a response that is too large is not left unread', async () => {
	const body = Readable.from([Buffer.alloc(MAX_RESPONSE_BYTES, ' '), Buffer.from(' '), 'more']);
	const read = readResponse({ statusCode: 200, headers: {}, body }, new TimeLimit(1_000));
	expect(await read).toStrictEqual({ tooLarge: 'more than 16 MB' });
	expect(body.destroyed).toBe(true);
});

describe('the rows of a list', () => {
	const found = (json: unknown) => findRows(json, 'GET /tickets');

	test.each([
		['bare in data', { success: true, data: rows }],
		['under the name of the resource', { success: true, data: { tickets: rows } }],
		...['items', 'rows', 'results', 'list', 'records'].map(
			(name) => [`under ${name}`, { data: { [name]: rows, total: 2 } }] as const,
		),
		['beside other lists', { data: { tags: ['x'], items: [1], tickets: rows } }],
		['beside null', { data: { tickets: null, items: rows } }],
		['inside their record', { data: { ticket: { tickets: rows } } }],
		['without an envelope', rows],
		['without data', { tickets: rows }],
	] as [string, unknown][])('rows are found %s', (_name, json) => {
		expect(found(json)).toStrictEqual(rows);
	});

	test.each([
		['null', { success: true, data: null }],
		['null under its name', { success: true, data: { tickets: null, total: 0 } }],
		['an empty list', { success: true, data: [] }],
	])('the list is empty for %s', (_name, json) => {
		expect(found(json)).toStrictEqual([]);
	});

	test.each([
		['an empty body', undefined],
		['a record', { success: true, data: { id: 'a' } }],
		['a list of another name', { data: { whatever: rows, total: 2 } }],
		['the name of the resource in another case', { data: { Tickets: rows } }],
		['another envelope', { data: { data: rows } }],
		['a page inside data', { data: { tickets: { data: rows, total: 2 } } }],
		['another record', { data: { office: { tickets: rows } } }],
		['result instead of data', { result: rows }],
		['the filters of a record', { data: { id: 'a', filters: { tickets: rows } } }],
	])('no list is found in %s', (_name, json) => {
		expect(found(json)).toBeUndefined();
	});

	test.each(['imports', 'importJobs', 'import_jobs', 'jobs'])(
		'those of imports may be under %s, as a single one may be under import, importJob or job',
		(name) => {
			expect(findRows({ data: { [name]: rows } }, 'GET /contacts/imports')).toStrictEqual(rows);
		},
	);

	test('reading rows, meta and payload of any JSON never throws', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (json) => {
				findRows(json, 'GET /tickets');
				metaOf(json);
				payloadOf(json);
			}),
		);
	});
});

describe('the meta of a list', () => {
	const ALL = { total: 5, limit: 2, totalPages: 3 };
	test.each([
		['numbers', { meta: { ...ALL, page: 1 } }, ALL],
		['numbers as text', { meta: { total: '5', limit: '2', totalPages: '3' } }, ALL],
		['snake_case', { meta: { total: 5, limit: 2, total_pages: 3 } }, ALL],
		['zero', { meta: { total: 0, limit: 0, totalPages: 0 } }, { total: 0 }],
		['in data', { data: { tickets: [], meta: { total: 5 } } }, { total: 5 }],
		['not beside the rows', { data: { items: [], ...ALL } }, {}],
		['beside data', { data: [], total: 5 }, {}],
		['a number that is too large', { meta: { total: '1e999', totalPages: ' ' } }, {}],
		['nonsense', { meta: { total: -1, totalPages: null } }, {}],
		['no object', { meta: 7 }, {}],
		['a name that is not documented', { pagination: ALL, meta: { count: 5, pages: 3 } }, {}],
	])('is read: %s', (_name, json, expected) => {
		expect(metaOf(json)).toEqual(expected);
	});
});

test('a body is parsed from text, without its byte order mark, or taken as n8n parsed it', () => {
	expect(parseResponse(200, {}, '\uFEFF{"a":1}').json).toStrictEqual({ a: 1 });
	expect(parseResponse(200, {}, { a: 1 }).json).toStrictEqual({ a: 1 });
	expect(parseResponse(200, {}, '{"a":').json).toBeUndefined();
	expect(parseResponse(204, {}, '').json).toBeUndefined();
	expect(parseResponse(204, {}, null).json).toBeUndefined();
	expect(parseResponse(200, {}, '{"a":"\uFEFF"}').json).toStrictEqual({ a: '\uFEFF' });
});

test.each([
	['17841400000000123', '17841400000000123'],
	['-17841400000000123', '-17841400000000123'],
	['9007199254740992', '9007199254740992'],
	['9007199254740991', 9_007_199_254_740_991],
	['1000000000000000', 1e15],
	['17841400000000123.5', 17_841_400_000_000_124],
	['0.1784140000000012', 0.1784140000000012],
	['1.7841400000000123e16', 17_841_400_000_000_124],
	['17841400000000123e3', Number('17841400000000123e3')],
	['["a,17841400000000123", 17841400000000123 ]', ['a,17841400000000123', '17841400000000123']],
	['"\\\\\\":17841400000000123"', '\\":17841400000000123'],
	['["\\\\", 17841400000000123, "\\\\\\""]', ['\\', '17841400000000123', '\\"']],
	['{"17841400000000123":\n17841400000000123}', { ['17841400000000123']: '17841400000000123' }],
])('a whole number beyond 2^53 stays exact, as text: %s', (value, expected) => {
	expect(parseResponse(200, {}, `{"id":17841400000000999,"a":${value}}`).json).toStrictEqual({
		id: '17841400000000999',
		a: expected,
	});
	expect(parseResponse(200, {}, value).json).toStrictEqual(expected);
});

test.each(['017841400000000123', '1784140000000012x', '17841400000000123 1', '"17841400000000123'])(
	'what is no JSON does not become JSON: %s',
	(value) => {
		expect(parseResponse(200, {}, `{"a":${value}}`).json).toBeUndefined();
	},
);

test.each([
	['its status', { status: 'OPEN', state: 'NEW' }, 'OPEN'],
	['the name of its status', { status: { name: 'Open', value: 'open' } }, 'Open'],
	['none if that is empty', { status: ' ' }, undefined],
	['none if that is no text', { status: 7 }, undefined],
	['none under another name', { state: 'NEW', Status: 'NEW' }, undefined],
	['none without any', { id: 'a' }, undefined],
])('the status of a record is %s', (_name, record, status) => {
	expect(statusOf(record as IDataObject)).toBe(status);
});

test.each([
	[{ success: true, data: { b: 1, id: 2 } }, 'data has the keys b, id'],
	[{ data: {} }, 'data is empty'],
	[{ data: null }, 'data is null'],
	[{ data: [1, 2] }, 'data is a list of 2'],
	[{ data: 'x' }, 'data is a string'],
	[{ result: [], total: 1 }, 'the body has the keys result, total'],
	[undefined, 'the body is empty'],
	['x', 'the body is a string'],
	[{ data: { wa_pk_a1b2c3d4e5: 1, '<b>\n': 2 } }, 'data has the keys ***, ‹b> '],
	[
		{ data: Object.fromEntries(Array.from({ length: 23 }, (_, n) => [`k${n}`, n])) },
		`data has the keys ${Array.from({ length: 20 }, (_, n) => `k${n}`).join(', ')}, …`,
	],
])('what came is said of %j: %s', (json, text) => {
	expect(String(whatCame(json))).toBe(text);
});

test('brackets within a text are no depth', () => {
	const body = { text: '"['.repeat(5_000) };
	expect(parseResponse(200, {}, JSON.stringify(body)).json).toStrictEqual(body);
});
