import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import {
	idsOn,
	isRejectedRecord,
	isTransient,
	Lister,
	type Reader,
	readerOf,
	recordsIn,
} from '../../nodes/ConversationalMessaging/trigger/lister.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/sources/importJobs.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { NODE } from '../api/node.mts';
import { serviceOf } from '../api/service.mts';
import { outage } from './service.mts';

const operationError = new NodeOperationError(NODE, 'the ID is empty');

/** Statuses of responses, and what they mean for the next poll and for other records. */
test.each<[error: unknown, transient: boolean, rejected: boolean]>([
	[outage(500), true, false],
	[outage(503), true, false],
	[outage(499), false, true],
	[outage(400), false, true],
	[outage(401), false, false],
	[outage(403), false, true],
	[outage(404), false, true],
	[outage(408), true, false],
	[outage(429), true, false],
	[outage(399), false, false],
	[outage(300), false, false],
	[outage(299), true, false],
	// No response.
	[new NodeApiError(NODE, { message: 'lost' }), true, false],
	[operationError, false, true],
	[new Error('bug'), false, false],
])('%s is transient: %j; a rejection of one record: %j', (error, transient, rejected) => {
	expect([isTransient(error), isRejectedRecord(error)]).toEqual([transient, rejected]);
});

describe('the records of a list', () => {
	const row = { id: 'A', status: 'in progress' };

	test.each<[what: string, rows: unknown[], ids: string[]]>([
		['a row', [row], ['A']],
		['rows without an ID', [{ status: 'OPEN' }, { id: '', status: 'OPEN' }], []],
		['a row with an ID of spaces', [{ id: ' ', status: 'OPEN' }], []],
		['rows that are no records', [null, 'A', ['A']], []],
		['a row without a status', [{ id: 'A' }], []],
	])('%s', (_what, rows, ids) => {
		expect(recordsIn(rows, tickets).map(({ id }) => id)).toEqual(ids);
	});

	test('have the status of the row, in the spelling of the source, else that of the list', () => {
		const rows = [row, { id: 'B' }];
		expect(recordsIn(rows, tickets, 'OPEN')).toEqual([
			{ id: 'A', status: 'IN_PROGRESS', record: row },
			{ id: 'B', status: 'OPEN', record: { id: 'B' } },
		]);
		expect(recordsIn(rows, importJobs)).toEqual([{ id: 'A', status: 'in progress', record: row }]);
	});

	test('of a source that is listed by a filter have the status of the list', () => {
		expect(recordsIn([row], chats, 'ESCALATED')).toMatchObject([{ id: 'A', status: 'ESCALATED' }]);
	});

	test('of an empty status are left out', () => {
		expect(recordsIn([{ id: 'A' }], chats, '')).toEqual([]);
	});
});

/** A lister of a service that returns or throws these pages, one after the other. */
function listerOf(...pages: (Awaited<ReturnType<Reader['page']>> | Error)[]) {
	const queries: unknown[] = [];
	const reader: Reader = {
		page: async (query) => {
			queries.push(query);
			const page = pages[queries.length - 1]!;
			if (page instanceof Error) throw page;
			return await Promise.resolve(page);
		},
		record: async () => await Promise.resolve(undefined),
	};
	return { lister: new Lister(reader, tickets, { assigneeId: 'A1' }), queries, reader };
}

const rows = (count: number) =>
	Array.from({ length: count }, (_, i) => ({ id: `R${i}`, status: 'OPEN' }));

describe('a page', () => {
	test('is requested with the filters of the subscription and of its list', async () => {
		const { lister, queries } = listerOf({ rows: [], meta: {} });
		await lister.page(2, { query: { status: 'OPEN' }, status: 'OPEN' });
		expect(queries).toEqual([{ assigneeId: 'A1', status: 'OPEN', page: 2, limit: 200 }]);
	});

	test('has its status, number, size, total and records', async () => {
		const { lister } = listerOf({ rows: [...rows(2), null], meta: { total: 3, limit: 50 } });
		const page = (await lister.page(1, { status: 'OPEN' }))!;
		expect({ ...page, records: idsOn(page) }).toEqual({
			status: 'OPEN',
			number: 1,
			size: 50,
			total: 3,
			length: 3,
			records: ['R0', 'R1'],
		});
	});

	test('of a list of recent records has no number', async () => {
		const { reader, queries } = listerOf({ rows: [], meta: {} });
		await new Lister(reader, importJobs).page(1);
		expect(queries).toEqual([{ limit: 200 }]);
	});

	test.each<
		[what: string, pages: { rows: unknown[]; total?: number; limit?: number }[], sizes: number[]]
	>([
		['the one in the response', [{ rows: rows(50), total: 99, limit: 50 }], [50]],
		['the requested one, if the response has none', [{ rows: rows(200), total: 999 }], [200]],
		['one at least', [{ rows: [], total: 0, limit: 0 }], [1]],
		[
			'the number of rows, if there are more on other pages',
			[
				{ rows: rows(30), total: 99 },
				{ rows: rows(30), total: 99 },
			],
			[30, 30],
		],
		['the requested one on a page that is the whole list', [{ rows: rows(30), total: 30 }], [200]],
		['the requested one without a total', [{ rows: rows(30) }], [200]],
		[
			'the requested one, if the last page has fewer',
			[
				{ rows: rows(50), total: 80, limit: 50 },
				{ rows: rows(30), total: 80, limit: 50 },
			],
			[50, 50],
		],
		[
			'the smallest of those pages that are not the last one',
			[
				{ rows: rows(40), total: 999 },
				{ rows: rows(30), total: 999 },
			],
			[40, 30],
		],
		[
			'the requested one again, once a page has more rows',
			[
				{ rows: rows(30), total: 999 },
				{ rows: rows(200), total: 999 },
			],
			[30, 200],
		],
		[
			'not changed by an empty page',
			[
				{ rows: rows(30), total: 999 },
				{ rows: [], total: 999 },
			],
			[30, 30],
		],
	])('has as its size %s', async (_what, pages, sizes) => {
		const { lister } = listerOf(
			...pages.map(({ rows: listed, ...meta }) => ({ rows: listed, meta })),
		);
		const read = [];
		for (const [i] of pages.entries()) read.push((await lister.page(i + 1))!.size);
		expect(read).toEqual(sizes);
	});

	test('after the end of a list may be rejected: it is empty', async () => {
		const { lister } = listerOf(outage(400));
		expect(await lister.page(2)).toMatchObject({ number: 2, length: 0, records: [] });
		expect(lister.failure).toBeUndefined();
	});

	test('is not empty because the first one, or the token, was rejected', async () => {
		const rejection = outage(400);
		await expect(listerOf(rejection).lister.page(1)).rejects.toBe(rejection);
		const unknownToken = outage(401);
		await expect(listerOf(unknownToken).lister.page(2)).rejects.toBe(unknownToken);
	});
});

test('after an outage, nothing more is requested in this poll, and the first reason is kept', async () => {
	const [first, second] = [outage(503), outage(429)];
	const { lister, queries } = listerOf(first, second);
	const both = [lister.page(1), lister.page(2)];
	expect(await Promise.all(both)).toEqual([undefined, undefined]);
	expect(lister.failure).toBe(first);
	expect(await lister.page(3)).toBeUndefined();
	expect(queries).toHaveLength(2);
});

test('an exception that is no outage is thrown', async () => {
	const { lister } = listerOf();
	const bug = new Error('bug');
	await expect(lister.attempt(async () => await Promise.reject(bug))).rejects.toBe(bug);
	expect(lister.failure).toBeUndefined();
});

describe('the reader of a source', () => {
	test('reads pages of its list', async () => {
		const { client, queries } = serviceOf(() => ({
			data: { tickets: rows(1) },
			meta: { total: 1, limit: 200 },
		}));
		const page = await readerOf(client, tickets).page({ page: 1, limit: 200 });
		expect(page).toMatchObject({ rows: rows(1), meta: { total: 1, limit: 200 } });
		expect(queries).toEqual([{ page: '1', limit: '200' }]);
	});

	test('reads a record, without the name that it is under', async () => {
		const { client } = serviceOf(() => ({ data: { ticket: { id: 'A', status: 'OPEN' } } }));
		expect(await readerOf(client, tickets).record('A')).toEqual({ id: 'A', status: 'OPEN' });
	});

	test('returns nothing for a record that does not exist', async () => {
		const { client } = serviceOf(() => 404);
		expect(await readerOf(client, tickets).record('A')).toBeUndefined();
	});

	test('throws for a rejection', async () => {
		const { client } = serviceOf(() => 403);
		await expect(readerOf(client, tickets).record('A')).rejects.toThrow('Watch tickets');
	});
});
