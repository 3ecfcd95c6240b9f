import fc from 'fast-check';
import {
	parseResponse,
	findRows,
	metaOf,
	payloadOf,
	rowsOf,
	statusOf,
} from '../../nodes/ConversationalMessaging/api/response.ts';

const rows = [{ id: 'a' }, { id: 'b' }];

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
		['under its name and items', { data: { tickets: { items: rows }, rules: [{ id: 1 }] } }],
		['under data once more', { data: { data: rows } }],
		['inside another record', { data: { desk: { id: 'd', tickets: rows }, tags: ['x'] } }],
		['under any name, beside lists that are something else', { data: { all: rows, tags: ['x'] } }],
		['by the name of the resource, beside other lists', { data: { all: [1], tickets: rows } }],
		['by a usual name, beside other lists', { data: { all: [1], results: rows } }],
		['inside the second record', { data: { desk: { id: 'd' }, queue: { tickets: rows } } }],
		['without an envelope', rows],
		['without data', { tickets: rows }],
	])('rows are found %s', (_name, json) => {
		expect(rowsOf(json, 'tickets')).toEqual(rows);
	});

	test.each([
		['null', { success: true, data: null }],
		['an empty list', { success: true, data: [] }],
		['an empty wrapped list', { success: true, data: { tickets: [] } }],
	])('the list is empty for %s', (_name, json) => {
		expect(rowsOf(json, 'tickets')).toEqual([]);
	});

	test.each([
		['an empty body', undefined],
		['a record', { success: true, data: { id: 'a' } }],
		['two lists of unknown names', { success: true, data: { one: [], two: [] } }],
		['text', { success: true, data: 'nothing' }],
		['tags alone', { success: true, data: { id: 'a', tags: ['x'] } }],
		['the filters of a record', { data: { id: 'a', filters: { tickets: rows } } }],
		[
			'a list that is wrapped four times',
			{ data: { items: { items: { items: { items: rows } } } } },
		],
	])('no list is found in %s', (_name, json) => {
		expect(findRows(json, ['tickets'])).toBeUndefined();
	});

	test.each([
		[{ data: rows }, []],
		[{ data: null }, []],
		[{ data: { tickets: rows } }, ['tickets']],
		[{ data: { tickets: { data: rows } } }, ['tickets', 'data']],
		[{ data: { all: rows } }, ['all']],
		[{ data: { desk: { id: 'd', tickets: rows } } }, ['desk', 'tickets']],
	])('in %j, the rows are at %j', (json, path) => {
		expect(findRows(json, ['tickets'])?.path).toEqual(path);
	});

	test('reading rows, meta and payload of any JSON never throws', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (json) => {
				rowsOf(json, 'tickets');
				metaOf(json, findRows(json, ['tickets'])?.path ?? []);
				payloadOf(json);
			}),
		);
	});
});

describe('the meta of a list', () => {
	test.each([
		[
			'numbers',
			{ meta: { total: 5, page: 1, limit: 2, totalPages: 3 } },
			{ total: 5, limit: 2, totalPages: 3 },
		],
		[
			'numbers as text',
			{ meta: { total: '5', limit: '2', totalPages: '3' } },
			{ total: 5, limit: 2, totalPages: 3 },
		],
		['inside data', { data: { tickets: [], meta: { total: 5 } } }, { total: 5 }],
		['zero', { meta: { total: 0 } }, { total: 0 }],
		['beside data', { data: [], total: 5 }, { total: 5 }],
		['empty text', { meta: { total: '', limit: ' ' } }, {}],
		['a number that is too large', { meta: { total: '1e999' } }, {}],
		['nonsense', { meta: { total: -1, limit: 'many', totalPages: null } }, {}],
		['missing', { data: [] }, {}],
		['no object', { meta: 7 }, {}],
	])('meta is read: %s', (_name, json, expected) => {
		expect(metaOf(json, [])).toEqual(expected);
	});
});

test.each([
	['beside data', { data: { tickets: [] }, meta: { total: 5 } }, { total: 5 }],
	['beside the rows', { data: { tickets: { data: [], meta: { total: 5 } } } }, { total: 5 }],
	[
		'among the rows',
		{ data: { tickets: { items: [], total: 5, limit: 2 } } },
		{ total: 5, limit: 2 },
	],
	[
		'called pagination',
		{ data: { tickets: [], pagination: { totalPages: 3 } } },
		{ totalPages: 3 },
	],
	[
		'inside data, if that beside it has no counts',
		{ meta: { page: 1 }, data: { tickets: [], meta: { total: 5 } } },
		{ total: 5 },
	],
	['a record’s own total is none', { data: { id: 'd', total: 5, tickets: [] } }, {}],
	['not those of the rest', { data: { tickets: { data: [] }, flows: { meta: { total: 5 } } } }, {}],
])('the meta of rows inside data is read: %s', (_name, json, expected) => {
	expect(metaOf(json, findRows(json, ['tickets'])!.path)).toEqual(expected);
});

test('a body is parsed from text, without its byte order mark, or taken as n8n parsed it', () => {
	expect(parseResponse(200, {}, '\uFEFF{"a":1}').json).toEqual({ a: 1 });
	expect(parseResponse(200, {}, { a: 1 }).json).toEqual({ a: 1 });
	expect(parseResponse(200, {}, '{"a":').json).toBeUndefined();
	expect(parseResponse(204, {}, '').json).toBeUndefined();
	expect(parseResponse(204, {}, null).json).toBeUndefined();
	expect(parseResponse(200, {}, '{"a":"\uFEFF"}').json).toEqual({ a: '\uFEFF' });
});

test.each([
	['its status', { status: 'OPEN', state: 'NEW' }, 'OPEN'],
	['its state', { state: 'NEW' }, 'NEW'],
	['the name of its status', { status: { name: 'Open', value: 'open' } }, 'Open'],
	['the value of its status', { status: { value: 'open', status: 'OPEN' } }, 'open'],
	['the status of its status', { status: { status: 'OPEN', code: 'O' } }, 'OPEN'],
	['the code of its status', { status: { code: 'O' } }, 'O'],
	['without spaces', { status: ' OPEN ' }, 'OPEN'],
	['none if that is empty', { status: ' ' }, undefined],
	['none if that is no text', { status: 7 }, undefined],
	['none without any', { id: 'a' }, undefined],
])('the status of a record is %s', (_name, record, status) => {
	expect(statusOf(record)).toBe(status);
});
