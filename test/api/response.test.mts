import fc from 'fast-check';
import {
	parseResponse,
	findRows,
	metaOf,
	payloadOf,
	rowsOf,
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
		['a record', { success: true, data: { id: 'a' } }],
		['two lists of unknown names', { success: true, data: { one: [], two: [] } }],
		['text', { success: true, data: 'nothing' }],
		['tags alone', { success: true, data: { id: 'a', tags: ['x'] } }],
	])('no list is found in %s', (_name, json) => {
		expect(rowsOf(json, 'tickets')).toBeUndefined();
	});

	test('reading rows, meta and payload of any JSON never throws', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (json) => {
				rowsOf(json, 'tickets');
				metaOf(json, findRows(json, ['tickets'])?.path);
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
		['nonsense', { meta: { total: -1, limit: 'many', totalPages: null } }, {}],
		['missing', { data: [] }, {}],
		['no object', { meta: 7 }, {}],
	])('meta is read: %s', (_name, json, expected) => {
		expect(metaOf(json)).toEqual(expected);
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
});
