import { NodeApiError } from 'n8n-workflow';
import {
	readHistory,
	readPage,
	readPages,
	readRows,
	readUntilNothingNew,
	type ListRequest,
} from '../../nodes/ConversationalMessaging/api/pages.ts';
import { INITIAL_LIMIT } from '../../nodes/ConversationalMessaging/api/concurrencyLimit.ts';
import {
	type Admission,
	RateLimiter,
	type TurnRequest,
} from '../../nodes/ConversationalMessaging/api/rateLimiter.ts';
import { serviceOf, type FakeServiceClient } from './service.mts';

const TICKETS: ListRequest = {
	endpoint: 'GET /tickets',
	action: 'Get many tickets',
	rowsName: 'tickets',
	query: { status: 'OPEN' },
};

const row = (id: number | string, more = {}) => ({ id: String(id), ...more });
const rows = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, index) => row(first + index));
const ids = (found: unknown[]) => found.map((one) => (one as { id?: unknown }).id);

/** A page of a list, as the service documents it. */
const pageOf = (all: unknown[], page: number, limit: number, total = all.length) => ({
	success: true,
	data: { tickets: all.slice((page - 1) * limit, page * limit) },
	meta: { total, page, limit, totalPages: Math.ceil(total / limit) },
});

const list = (all: unknown[]) =>
	serviceOf(({ page, limit }) => pageOf(all, Number(page), Number(limit)));

const pagesOf = ({ queries }: FakeServiceClient) => queries.map(({ page }) => Number(page));

describe('a list with pages', () => {
	test('is read page by page, with the request’s own query, and its first page is shown', async () => {
		const service = list(rows(1, 5));
		const shown: unknown[] = [];
		const onFirstPage = (...all: unknown[]) => void shown.push(all);
		const found = await readPages(service.client, { ...TICKETS, onFirstPage }, 2, 'all');
		expect(found).toEqual(rows(1, 5));
		expect(service.queries[0]).toEqual({ status: 'OPEN', page: '1', limit: '2' });
		expect(pagesOf(service)).toEqual([1, 2, 3]);
		const page = pageOf(rows(1, 5), 1, 2);
		expect(shown).toEqual([[page, ['tickets'], { total: 5, limit: 2, totalPages: 3 }]]);
	});

	test.each([
		[1, '1', [1]],
		[2, '2', [1]],
		[3, '2', [1, 2]],
		[9, '2', [1, 2, 3]],
	])('is read up to %d rows, %s per page', async (rowLimit, limit, pages) => {
		const service = list(rows(1, 5));
		const found = await readPages(service.client, TICKETS, 2, rowLimit);
		expect(found).toEqual(rows(1, Math.min(5, rowLimit)));
		expect(service.queries[0]!.limit).toBe(limit);
		expect(pagesOf(service)).toEqual(pages);
		expect(service.notices).toEqual([]);
	});

	test.each([{ total: 0, totalPages: 0 }, { total: 1 }, { totalPages: 0 }])(
		'is read to its end if its counts %j are too small',
		async (meta) => {
			const service = serviceOf(({ page, limit }) => ({
				...pageOf(rows(1, 5), Number(page), Number(limit)),
				meta,
			}));
			expect(await readPages(service.client, TICKETS, 2, 'all')).toEqual(rows(1, 5));
		},
	);

	test('keeps the order of its pages, in whatever order they arrive', async () => {
		const service = serviceOf(async ({ page, limit }) => {
			for (let turns = 10 * (5 - Number(page)); turns > 0; turns--)
				await new Promise((resolve) => setImmediate(resolve));
			return pageOf(rows(1, 9), Number(page), Number(limit));
		});
		expect(await readPages(service.client, TICKETS, 2, 'all')).toEqual(rows(1, 9));
	});

	test('of many pages is bulk work after its first page, so that it leaves room for others', async () => {
		const asked: string[] = [];
		class Listening extends RateLimiter {
			override async acquire(request: TurnRequest): Promise<Admission> {
				asked.push(request.priority);
				return await super.acquire(request);
			}
		}
		const respond = ({ page, limit }: Record<string, string>) =>
			pageOf(rows(1, 22), Number(page), Number(limit));
		const service = serviceOf(respond, { rateLimiter: new Listening() });
		expect(await readPages(service.client, TICKETS, 2, 'all')).toHaveLength(22);
		expect(asked).toEqual(['single', ...Array.from({ length: 10 }, () => 'bulk')]);
	});

	test('ends at a page without new rows, whatever length the service reports', async () => {
		const service = serviceOf(({ page, limit }) =>
			pageOf(rows(1, 3), Number(page), Number(limit), 100),
		);
		expect(await readPages(service.client, TICKETS, 2, 'all')).toEqual(rows(1, 3));
		// In two readings of the 50 that are reported, each with those that were requested at once.
		expect(service.queries.length).toBeLessThanOrEqual(2 * (1 + INITIAL_LIMIT + 4 * INITIAL_LIMIT));
		expect(service.notices).toEqual([
			'The list changed while being read: got 3 of 100 rows. Run it again later.',
		]);
	});

	test('is read to its end, also if its pages arrive one by one', async () => {
		const all = rows(1, 6 * INITIAL_LIMIT);
		expect(await readPages(list(all).client, TICKETS, 1, 'all')).toEqual(all);
	});

	test('without IDs is read to its end: its rows are compared as a whole', async () => {
		const named = Array.from({ length: 24 }, (_, n) => ({ name: `name ${n}` }));
		expect(await readPages(list(named).client, TICKETS, 2, 'all')).toEqual(named);
	});
});

describe('a list that changes while it is read', () => {
	/** The pages of two readings, of two rows each. */
	const readings = (...all: [total: number, ids: number[]][]) =>
		serviceOf((_query, request) => {
			const [total, found] = all[request - 1]!;
			return {
				data: found.map((id) => row(id, { reading: request <= 2 ? 1 : 2 })),
				meta: { total, limit: 2, totalPages: Math.ceil(total / 2) },
			};
		});

	test('is read once more if a row is missing, and is complete then', async () => {
		const service = readings([4, [1, 2]], [4, [2, 3]], [4, [1, 2]], [4, [3, 4]]);
		expect(ids(await readPages(service.client, TICKETS, 2, 'all'))).toEqual(['1', '2', '3', '4']);
		expect(service.notices).toEqual([]);
		expect(service.queries).toHaveLength(4);
	});

	test('is read once more if its total changed, although it has enough rows', async () => {
		const service = readings([3, [1, 2]], [4, [3, 4]], [4, [1, 2]], [4, [3, 4]]);
		const found = await readPages(service.client, TICKETS, 2, 'all');
		expect(found).toEqual([1, 2, 3, 4].map((id) => row(id, { reading: 2 })));
		expect(service.notices).toEqual([]);
	});

	test('has the rows of the second reading first, then those that only the first one had', async () => {
		const service = readings([4, [1, 2]], [4, [2, 3]], [3, [1, 3]], [3, [4]]);
		const found = await readPages(service.client, TICKETS, 2, 'all');
		expect(found).toEqual([
			row(1, { reading: 2 }),
			row(3, { reading: 2 }),
			row(4, { reading: 2 }),
			row(2, { reading: 1 }),
		]);
		expect(service.notices).toEqual([]);
	});

	test('is complete if each reading has the rows that the other one lacks', async () => {
		const service = readings([4, [1, 2]], [4, [2, 3]], [4, [1, 2]], [4, [2, 4]]);
		expect(ids(await readPages(service.client, TICKETS, 2, 'all'))).toEqual(['1', '2', '4', '3']);
		expect(service.notices).toEqual([]);
	});

	test('is incomplete if rows are missing in both readings, and the notice says how many', async () => {
		const service = readings([4, [1, 2]], [4, [2, 3]], [3, [1, 2]], [4, [2]]);
		expect(ids(await readPages(service.client, TICKETS, 2, 'all'))).toEqual(['1', '2', '3']);
		expect(service.notices).toEqual([
			'The list changed while being read: got 3 of 4 rows. Run it again later.',
		]);
	});

	test('is incomplete if the second reading shows no total', async () => {
		const service = serviceOf((_query, request) =>
			request === 1 ? pageOf(rows(1, 2), 1, 5, 3) : { success: true, data: null },
		);
		expect(await readPages(service.client, TICKETS, 5, 'all')).toEqual(rows(1, 2));
		expect(service.notices).toEqual([
			'The list changed while being read: got 2 of 3 rows. Run it again later.',
		]);
	});

	test('is not read once more when it has as many rows as wanted', async () => {
		const service = readings([3, [1, 2]], [4, [3, 4]]);
		expect(ids(await readPages(service.client, TICKETS, 2, 3))).toEqual(['1', '2', '3']);
		expect(service.queries).toHaveLength(2);
	});

	test('is cut to the wanted rows after the second reading too', async () => {
		const service = readings([4, [1, 2]], [4, [2]], [4, [1, 2]], [4, [3, 4]]);
		expect(ids(await readPages(service.client, TICKETS, 2, 3))).toEqual(['1', '2', '3']);
		expect(service.notices).toEqual([]);
	});

	test('has the rows without IDs of the second reading alone', async () => {
		const named = (reading: number) => [{ name: `a ${reading}` }, { name: `b ${reading}` }];
		const service = serviceOf(({ page }, request) => ({
			data: page === '1' ? named(request) : [],
			meta: { total: 3, limit: 2, totalPages: 2 },
		}));
		expect(await readPages(service.client, TICKETS, 2, 'all')).toEqual(named(3));
	});
});

describe('a list without its length', () => {
	const withoutMeta = (pages: unknown[][]) =>
		serviceOf(({ page }) => ({ data: { tickets: pages[Number(page) - 1] ?? [] } }));

	test.each<[when: string, pages: unknown[][], wanted: number | 'all', read: number, rows: number]>(
		[
			['a page is empty', [rows(1, 2), rows(3, 4)], 'all', 3, 4],
			['the first page is empty', [], 'all', 1, 0],
			['a page repeats the one before', [rows(1, 2), rows(1, 2), rows(5, 6)], 'all', 2, 2],
			['it has the wanted rows', [rows(1, 2), rows(3, 4), rows(5, 6)], 3, 2, 3],
			['it has exactly the wanted rows', [rows(1, 2), rows(3, 4), rows(5, 6)], 4, 2, 4],
		],
	)('is read until %s', async (_when, pages, wanted, read, count) => {
		const service = withoutMeta(pages);
		const found = await readPages(service.client, TICKETS, 2, wanted);
		expect(pagesOf(service)).toEqual(Array.from({ length: read }, (_, index) => index + 1));
		expect(found).toEqual(rows(1, count));
		expect(service.notices).toEqual([]);
	});

	test('is read until a page has only rows that were there before, even if they have changed', async () => {
		const again = rows(1, 2).map((one) => ({ ...one, seen: 2 }));
		const service = withoutMeta([rows(1, 2), again, rows(5, 6)]);
		expect(await readPages(service.client, TICKETS, 2, 'all')).toEqual(rows(1, 2));
	});

	test('and without IDs is read to its end', async () => {
		const named = ['a', 'b', 'c'].map((name) => [{ name }]);
		const service = withoutMeta(named);
		expect(await readPages(service.client, TICKETS, 1, 'all')).toEqual(named.flat());
	});

	test('is not read on after a page that did not arrive', async () => {
		const read = async (page: number) => (page === 3 ? undefined : [`row ${page}`]);
		expect(await readUntilNothingNew(new Set(['row 1']), read)).toBeUndefined();
	});

	test('is never read beyond 10,000 pages', async () => {
		let last = 0;
		const read = async (page: number) => [`row ${(last = page)}`];
		expect(await readUntilNothingNew(new Set(['row 1']), read)).toBe(10_000);
		expect(last).toBe(10_000);
	});
});

test('a response without a list is reported', async () => {
	const { client } = serviceOf(() => ({ data: 'none' }));
	await expect(readPage(client, TICKETS)).rejects.toBeInstanceOf(NodeApiError);
	await expect(readPage(client, TICKETS)).rejects.toThrow('the response contains no list');
});

test('of several lists in a response, the one with the name of the rows counts', async () => {
	const { client } = serviceOf(() => ({ data: { others: rows(7, 9), tickets: rows(1, 2) } }));
	expect((await readPage(client, TICKETS)).rows).toEqual(rows(1, 2));
});

test('only the first page is shown to the operation', async () => {
	const shown: unknown[] = [];
	const { client } = list(rows(1, 4));
	const request = (page?: number) => ({
		...TICKETS,
		query: { page, limit: 2 },
		onFirstPage: () => void shown.push(page),
	});
	for (const page of [1, 2, undefined]) await readPage(client, request(page));
	expect(shown).toEqual([1]);
});

describe('a list that is read in one request', () => {
	const TEMPLATES: ListRequest = { ...TICKETS, action: 'Get many templates', query: {} };
	const OF_TOTAL = (got: number, total: number) =>
		`Get many templates: got ${got} of ${total} records. The service returns no more in one request.`;
	const FULL = (got: number) =>
		`Get many templates: got ${got} records, the most that the service returns in one request. It may have more.`;

	test.each<[meta: object, limit: number | undefined, notice: string | undefined]>([
		[{ total: 3 }, undefined, undefined],
		[{ total: 4 }, undefined, OF_TOTAL(3, 4)],
		// Fewer than there are: as if it had no total.
		[{ total: 2 }, 3, FULL(3)],
		[{}, undefined, undefined],
		[{}, 4, undefined],
		[{}, 3, FULL(3)],
		[{}, 2, FULL(3)],
		[{ limit: 4 }, undefined, undefined],
		[{ limit: 3 }, undefined, FULL(3)],
		[{ limit: 2 }, undefined, FULL(3)],
		[{ limit: 100, totalPages: 1 }, undefined, undefined],
		[{ limit: 100, totalPages: 2 }, undefined, FULL(3)],
		[{ total: 3, limit: 3, totalPages: 2 }, 3, undefined],
	])(
		'has three rows; with the meta %j and the limit %j, the notice is: %s',
		async (meta, limit, notice) => {
			const service = serviceOf(() => ({ data: rows(1, 3), meta }));
			const request = { ...TEMPLATES, query: { limit } };
			expect(await readRows(service.client, request, 'all')).toEqual(rows(1, 3));
			expect(service.notices).toEqual(notice === undefined ? [] : [notice]);
		},
	);

	test('has no notice if it is empty, whatever its limit', async () => {
		const service = serviceOf(() => ({ data: [], meta: { limit: 0, totalPages: 2 } }));
		expect(await readRows(service.client, TEMPLATES, 'all')).toEqual([]);
		expect(service.notices).toEqual([]);
	});

	test.each([
		[2, 2, []],
		[3, 3, []],
		[4, 3, [OF_TOTAL(3, 9)]],
	])(
		'is cut to %d rows, and a notice is given only if there are fewer',
		async (limit, n, notices) => {
			const service = serviceOf(() => ({ data: rows(1, 3), meta: { total: 9 } }));
			expect(await readRows(service.client, TEMPLATES, limit)).toEqual(rows(1, n));
			expect(service.notices).toEqual(notices);
		},
	);

	test('is read once if its request has no query', async () => {
		const service = serviceOf(() => ({ data: rows(1, 3) }));
		const { query: _query, ...request } = TEMPLATES;
		expect(await readRows(service.client, request, 'all')).toEqual(rows(1, 3));
		expect(service.queries).toEqual([{}]);
	});
});

describe('the history of a chat', () => {
	const MESSAGES: ListRequest = {
		endpoint: 'GET /chats/{id}/messages',
		path: { id: 'c1' },
		action: 'Get messages',
		rowsName: 'messages',
	};

	/** The newest first. A page begins after its cursor. */
	const history = (all: { id: string }[], more: { cap?: number; limit?: unknown } = {}) =>
		serviceOf(({ cursor, take }) => {
			const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
			const size = Math.min(Number(take), more.cap ?? Infinity);
			return {
				data: all.slice(start, start + size),
				meta: { limit: more.limit === 'cap' ? size : more.limit },
			};
		});

	const cursors = ({ queries }: FakeServiceClient) => queries.map(({ cursor }) => cursor);

	test('is read page by page, each after the last row of the one before', async () => {
		const service = history(rows(1, 5));
		expect(await readHistory(service.client, MESSAGES, 2, 'all')).toEqual(rows(1, 5));
		expect(service.queries).toEqual([
			{ take: '2' },
			{ take: '2', cursor: '2' },
			{ take: '2', cursor: '4' },
		]);
	});

	test('ends with an empty page if its last page was full', async () => {
		const service = history(rows(1, 4));
		expect(await readHistory(service.client, MESSAGES, 2, 'all')).toEqual(rows(1, 4));
		expect(cursors(service)).toEqual([undefined, '2', '4']);
	});

	test('begins after the cursor that was entered', async () => {
		const service = history(rows(1, 3));
		const request = { ...MESSAGES, query: { cursor: '1' } };
		expect(await readHistory(service.client, request, 10, 'all')).toEqual(rows(2, 3));
		expect(service.queries).toEqual([{ take: '10', cursor: '1' }]);
	});

	test.each([
		[1, '1', 1],
		[2, '2', 1],
		[3, '2', 2],
	])('is read up to %d rows, %s per page', async (rowLimit, take, requests) => {
		const service = history(rows(1, 9));
		expect(await readHistory(service.client, MESSAGES, 2, rowLimit)).toEqual(rows(1, rowLimit));
		expect(service.queries).toHaveLength(requests);
		expect(service.queries[0]!.take).toBe(take);
	});

	test('is read to its end if the service lowers the page size and says so', async () => {
		const service = history(rows(1, 5), { cap: 2, limit: 'cap' });
		expect(await readHistory(service.client, MESSAGES, 4, 'all')).toEqual(rows(1, 5));
	});

	test('has pages of the requested size if the service reports a larger one', async () => {
		const service = history(rows(1, 5), { limit: 100 });
		expect(await readHistory(service.client, MESSAGES, 2, 'all')).toEqual(rows(1, 5));
	});

	test('ends at a page without new rows, also if the cursor is ignored', async () => {
		const service = serviceOf(() => ({ data: rows(1, 2) }));
		expect(await readHistory(service.client, MESSAGES, 2, 'all')).toEqual(rows(1, 2));
		expect(service.queries).toHaveLength(2);
	});

	test('contains a row once that two pages have', async () => {
		const service = serviceOf((_query, request) => ({
			data: [rows(1, 2), rows(2, 3), []][request - 1],
		}));
		expect(await readHistory(service.client, MESSAGES, 2, 'all')).toEqual(rows(1, 3));
	});

	test('without IDs ends after its first page, with a notice if that was full', async () => {
		const named = (n: number) => Array.from({ length: n }, (_, i) => ({ text: `message ${i}` }));
		const full = serviceOf(() => ({ data: named(2) }));
		expect(await readHistory(full.client, MESSAGES, 2, 'all')).toEqual(named(2));
		expect(full.notices).toEqual([
			'Got only 2 rows: they have no IDs, so the next page cannot be requested. There may be older ones.',
		]);
		const short = serviceOf(() => ({ data: named(1) }));
		expect(await readHistory(short.client, MESSAGES, 2, 'all')).toEqual(named(1));
		expect(short.notices).toEqual([]);
	});
});
