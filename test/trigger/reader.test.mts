/** Pages and records of one poll, and what their failures end. */
import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
	isPage,
	Reader,
	recordsIn,
} from '../../nodes/ConversationalMessaging/trigger/status/reader.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import {
	type ListedPage,
	pageCount,
} from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { NODE } from '../support/node.mts';
import { outage } from './service.mts';

const [OPEN] = tickets.partitions;

const rows = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, i) => ({ id: `R${i}`, status: 'open' }));

/** A reader whose requests return, or throw, these in turn; and the queries of its pages. */
function readerOf(responses: unknown[], source = tickets, scope: IDataObject = {}) {
	const queries: IDataObject[] = [];
	const next = async (): Promise<never> => {
		const response = responses.shift();
		if (response instanceof Error) throw response;
		return await Promise.resolve(response as never);
	};
	const page = async (query: IDataObject) => {
		queries.push(query);
		return await next();
	};
	return { reader: new Reader({ page, record: next }, source, scope), queries };
}

describe('a page', () => {
	test('is requested with the filters of the user and of the list', async () => {
		const responses = [1, 2, 3].map(() => ({ rows: [], meta: {} }));
		const { reader, queries } = readerOf(responses, tickets, { assigneeId: 'A1' });
		await reader.page(1);
		await reader.page(2, OPEN);
		expect(queries).toStrictEqual([
			{ assigneeId: 'A1', page: 1, limit: 200 },
			{ assigneeId: 'A1', status: 'OPEN', page: 2, limit: 200 },
		]);
	});

	test('of recent records has no number', async () => {
		const { reader, queries } = readerOf([{ rows: [], meta: {} }], importJobs);
		await reader.page(1);
		expect(queries).toStrictEqual([{ limit: 200 }]);
	});

	test.each<[what: string, count: number, meta: object, size: number, pages: number | undefined]>([
		['of a list without a total', 200, {}, 200, undefined],
		['of a short list without a total', 7, {}, 200, 1],
		['of a list without a total that may have been cut', 50, {}, 50, undefined],
		['of a list of three pages', 200, { total: 401, limit: 200 }, 200, 3],
		['of an empty list', 0, { total: 0, limit: 200 }, 200, 1],
		['of a service with a smaller maximum', 100, { total: 401, limit: 100 }, 100, 5],
		['of one that repeats the requested size', 100, { total: 401, limit: 200 }, 100, 5],
	])('%s: %d rows, %j, is %d long, and one of %j', async (_what, count, meta, size, pages) => {
		const { reader } = readerOf([{ rows: rows(count), meta }]);
		const page = (await reader.page(1, OPEN)) as ListedPage;
		expect([page.size, page.length, pageCount(page)]).toStrictEqual([size, count, pages]);
	});

	test('the size that the service serves applies to the pages after it, and grows if it does', async () => {
		const meta = { total: 900, limit: 200 };
		const { reader } = readerOf([100, 0, 150].map((count) => ({ rows: rows(count), meta })));
		const sizes = [];
		for (const number of [1, 2, 3]) sizes.push(((await reader.page(number)) as ListedPage).size);
		expect(sizes).toStrictEqual([100, 100, 150]);
	});
});

describe('a failure', () => {
	test.each<
		[which: 'page' | 'cursorPage', number: number, status: number, result: string, ends: string]
	>([
		['page', 1, 503, 'ended', 'the poll'],
		['page', 1, 403, 'ended', 'the poll'],
		['page', 2, 503, 'failed', 'nothing'],
		['page', 2, 403, 'rejected', 'nothing'],
		['page', 2, 302, 'rejected', 'nothing'],
		['page', 2, 429, 'ended', 'the poll'],
		['page', 2, 401, 'ended', 'the poll'],
		['cursorPage', 2, 503, 'failed', 'nothing'],
		['cursorPage', 2, 403, 'rejected', 'nothing'],
		['cursorPage', 2, 302, 'rejected', 'nothing'],
		['cursorPage', 2, 429, 'ended', 'the cursor'],
		['cursorPage', 2, 401, 'ended', 'the cursor'],
		// Of the list of all records.
		['cursorPage', 1, 403, 'rejected', 'nothing'],
	])('of %s(%d) with %d leads to %j, and ends %s', async (which, number, status, result, ends) => {
		const { reader } = readerOf([outage(status), { rows: [], meta: {} }, { rows: [], meta: {} }]);
		expect(await reader[which](number, OPEN, false)).toBe(result);
		const endsPoll = ends === 'the poll';
		expect([reader.isOver, reader.failure?.httpCode]).toStrictEqual([
			endsPoll,
			endsPoll ? String(status) : undefined,
		]);
		expect(isPage(await reader.cursorPage(3, OPEN, false))).toBe(ends === 'nothing');
		expect(isPage(await reader.page(3, OPEN))).toBe(!endsPoll);
	});

	test.each([
		['without totals, a page that is not found is behind the last one', {}, 404, 0],
		['of a list with a total, it is a page that is rejected', { total: 900 }, 404, undefined],
		['so is one that is rejected in another way', {}, 400, undefined],
	])('%s', async (_what, meta, status, length) => {
		const { reader } = readerOf([{ rows: rows(200), meta }, outage(status), outage(status)]);
		await reader.page(1, OPEN);
		for (const read of ['page', 'cursorPage'] as const) {
			const page = await reader[read](2, OPEN, false);
			expect(isPage(page) ? page.length : undefined).toBe(length);
		}
	});

	test('an exception that is no failure of the service is thrown', async () => {
		const bug = new Error('bug');
		const { reader } = readerOf([bug, bug]);
		await expect(reader.page(1, OPEN)).rejects.toBe(bug);
		await expect(
			reader.aboutRecord('lookUp', 'A', async () => await reader.requests.record('A')),
		).rejects.toBe(bug);
	});

	const about = async (...responses: unknown[]) => {
		const { reader } = readerOf(responses);
		const found: unknown[] = [];
		while (responses.length > 0 && !reader.failure)
			found.push(
				await reader.aboutRecord(
					'lookUp',
					`R${found.length}`,
					async () => await reader.requests.record('A'),
				),
			);
		return { found, isOver: reader.isOver, code: reader.failure?.httpCode };
	};

	test.each<[what: string, responses: unknown[], expected: object]>([
		[
			'a record that is rejected is one of its own',
			[outage(403), outage(410), outage(400), outage(404), { id: 'A' }],
			{ found: ['rejected', 'rejected', 'rejected', 'rejected', { id: 'A' }] },
		],
		[
			'an ID that cannot be part of a path is one of its own',
			[new NodeOperationError(NODE, 'Invalid ID'), { id: 'A' }],
			{ found: ['rejected', { id: 'A' }] },
		],
		[
			'a record that fails ends nothing, if others do not',
			[outage(500), outage(500), { id: 'A' }, outage(500), outage(500), { id: 'B' }],
			{ found: [undefined, undefined, { id: 'A' }, undefined, undefined, { id: 'B' }] },
		],
	])('%s', async (_what, responses, expected) => {
		expect(await about(...responses)).toStrictEqual({
			isOver: false,
			code: undefined,
			...expected,
		});
	});

	test('look-ups that fail do not end the reading of details', async () => {
		const { reader } = readerOf([outage(500), outage(500), outage(500), { id: 'D' }]);
		const read = async (kind: 'lookUp' | 'detail', id: string) =>
			await reader.aboutRecord(kind, id, async () => await reader.requests.record(id));
		for (const id of ['A', 'B', 'C', 'E']) expect(await read('lookUp', id)).toBeUndefined();
		expect(await read('detail', 'D')).toStrictEqual({ id: 'D' });
		expect(reader.failure).toBeUndefined();
	});
});

test.each<[what: string, row: unknown, status: string | undefined]>([
	['a ticket', { id: 'A', status: 'in progress' }, 'IN_PROGRESS'],
	['one with a number as its ID', { id: 7, status: 'OPEN' }, 'OPEN'],
	['one without a status: that of its list', { id: 'A' }, 'CLOSED'],
	['one without an ID', { status: 'OPEN' }, undefined],
	['one with a blank ID', { id: ' ', status: 'OPEN' }, undefined],
	['no record', 'A', undefined],
])('of the rows of a list, %s has the status %j', (_what, row, status) => {
	expect(recordsIn([row], tickets, 'CLOSED')[0]?.status).toBe(status);
});

test.each<[what: string, row: object, record: object]>([
	['after its kind', { ticketId: 7, status: 'OPEN' }, { ticketId: 7, status: 'OPEN' }],
	[
		'in a record under the kind',
		{ ticket: { id: '7', status: 'OPEN' }, contact: { id: 'k' } },
		{ id: '7', status: 'OPEN', contact: { id: 'k' } },
	],
])('the ID of a row may be %s', (_what, row, record) => {
	expect(recordsIn([row], tickets)).toStrictEqual([{ id: '7', status: 'OPEN', record }]);
});

test('a chat does not show whether it is escalated: its list does', () => {
	const [record] = recordsIn([{ id: 'A', status: 'active' }], chats, 'ESCALATED');
	expect(record?.status).toBe('ESCALATED');
});
