import fc from 'fast-check';
import { Readable } from 'node:stream';
import {
	MAX_RESPONSE_BYTES,
	parseResponse,
	readResponse,
	findRows,
	metaOf,
	payloadOf,
	statusOf,
} from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { TimeLimit } from '../../nodes/ConversationalMessaging/api/timeLimit.ts';

const rows = [{ id: 'a' }, { id: 'b' }];

test('the rest of a response that is too large is not left unread', async () => {
	const body = Readable.from([Buffer.alloc(MAX_RESPONSE_BYTES, ' '), Buffer.from(' '), 'more']);
	const read = readResponse({ statusCode: 200, headers: {}, body }, new TimeLimit(1_000));
	expect(await read).toBeUndefined();
	expect(body.destroyed).toBe(true);
});

describe('the rows of a list', () => {
	test.each([
		['bare in data', { success: true, data: rows }],
		['under the name of the resource', { success: true, data: { tickets: rows } }],
		['under a usual name', { success: true, data: { items: rows, total: 2 } }],
		[
			'under any name, when it is the only list',
			{ success: true, data: { whatever: rows, total: 2 } },
		],
		[
			'beside other lists, by the name of the resource',
			{ success: true, data: { tickets: rows, tags: ['x'] } },
		],
		[
			'under its name and data',
			{ data: { tickets: { data: rows, meta: { total: 2 } }, tags: [] } },
		],
		['under data once more', { data: { data: rows } }],
		['inside another record', { data: { desk: { id: 'd', tickets: rows }, tags: ['x'] } }],
		['under any name, beside lists that are something else', { data: { all: rows, tags: ['x'] } }],
		['by the name of the resource, beside other lists', { data: { all: [1], tickets: rows } }],
		['without an envelope', rows],
		['without data', { tickets: rows }],
	])('rows are found %s', (_name, json) => {
		expect(findRows(json, ['tickets'])?.rows).toStrictEqual(rows);
	});

	test.each([
		['null', { success: true, data: null }],
		['an empty list', { success: true, data: [] }],
	])('the list is empty for %s', (_name, json) => {
		expect(findRows(json, ['tickets'])?.rows).toStrictEqual([]);
	});

	test.each([
		['an empty body', undefined],
		['a record', { success: true, data: { id: 'a' } }],
		['two lists of unknown names', { success: true, data: { one: [], two: [] } }],
		['the filters of a record', { data: { id: 'a', filters: { tickets: rows } } }],
		[
			'a list that is wrapped four times',
			{ data: { items: { items: { items: { items: rows } } } } },
		],
	])('no list is found in %s', (_name, json) => {
		expect(findRows(json, ['tickets'])).toBeUndefined();
	});

	test.each([
		[{ data: { tickets: rows } }, ['tickets']],
		[{ data: { tickets: { data: rows } } }, ['tickets', 'data']],
		[{ data: { desk: { id: 'd', tickets: rows } } }, ['desk', 'tickets']],
	])('in %j, the rows are at %j', (json, path) => {
		expect(findRows(json, ['tickets'])?.path).toStrictEqual(path);
	});

	test('reading rows, meta and payload of any JSON never throws', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (json) => {
				metaOf(json, findRows(json, ['tickets'])?.path ?? []);
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
		['zero', { meta: { total: 0 } }, { total: 0 }],
		['beside data', { data: [], total: 5 }, { total: 5 }],
		['a number that is too large', { meta: { total: '1e999', limit: ' ' } }, {}],
		['nonsense', { meta: { total: -1, limit: 'many', totalPages: null } }, {}],
		['no object', { meta: 7 }, {}],
	])('is read: %s', (_name, json, expected) => {
		expect(metaOf(json, [])).toEqual(expected);
	});

	test.each([
		['beside data', { data: { tickets: [] }, meta: { total: 5 } }, { total: 5 }],
		['inside data', { data: { tickets: [], meta: { total: 5 } } }, { total: 5 }],
		['beside the rows', { data: { tickets: { data: [], meta: { total: 5 } } } }, { total: 5 }],
		['among the rows', { data: { tickets: { items: [], ...ALL } } }, ALL],
		['called pagination', { data: { tickets: [], pagination: ALL } }, ALL],
		[
			'inside data, if that beside it has no counts',
			{ meta: { page: 1 }, data: { tickets: [], meta: { total: 5 } } },
			{ total: 5 },
		],
		['a record’s own total is none', { data: { id: 'd', total: 5, tickets: [] } }, {}],
		['nor is that of the rest', { data: { tickets: { data: [] }, flows: { meta: ALL } } }, {}],
	])('is read of rows inside data: %s', (_name, json, expected) => {
		expect(metaOf(json, findRows(json, ['tickets'])!.path)).toEqual(expected);
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
	['{"17841400000000123":\n17841400000000123}', { ['17841400000000123']: '17841400000000123' }],
])('a whole number beyond 2^53 stays exact, as text: %s', (value, expected) => {
	expect(parseResponse(200, {}, `{"id":17841400000000999,"a":${value}}`).json).toStrictEqual({
		id: '17841400000000999',
		a: expected,
	});
});

test.each(['017841400000000123', '1784140000000012x', '17841400000000123 1', '"17841400000000123'])(
	'what is no JSON does not become JSON: %s',
	(value) => {
		expect(parseResponse(200, {}, `{"a":${value}}`).json).toBeUndefined();
	},
);

test.each([
	['its status', { status: 'OPEN', state: 'NEW' }, 'OPEN'],
	['its state', { state: 'NEW' }, 'NEW'],
	['the name of its status', { status: { name: 'Open', value: 'open' } }, 'Open'],
	['the value of its status', { status: { value: 'open', status: 'OPEN' } }, 'open'],
	['the status of its status', { status: { status: 'OPEN', code: 'O' } }, 'OPEN'],
	['the code of its status', { status: { code: 'O' } }, 'O'],
	['none if that is empty', { status: ' ' }, undefined],
	['none if that is no text', { status: 7 }, undefined],
	['none without any', { id: 'a' }, undefined],
])('the status of a record is %s', (_name, record, status) => {
	expect(statusOf(record)).toBe(status);
});
