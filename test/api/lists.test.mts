import fc from 'fast-check';
import { readRows } from '../../nodes/ConversationalMessaging/api/reads/rows.ts';
import {
	mergeById,
	pagesAfterFirst,
	readPage,
	readPages as readListPages,
	type ListRequest,
} from '../../nodes/ConversationalMessaging/api/reads/pages.ts';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { idOf } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import {
	INITIAL_LIMIT,
	RateLimiter,
	type TurnRequest,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import { runs } from '../support/runs.mts';
import { rowsOf, serviceOf, type FakeServiceClient } from '../support/service.mts';
import { useFakeTime } from '../support/time.mts';

useFakeTime();

const TICKETS: ListRequest = {
	endpoint: 'GET /tickets',
	action: 'Get many tickets',
	query: { status: 'OPEN' },
};

const row = (id: number | string, more = {}) => ({ id: String(id), ...more });
const rows = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, index) => row(first + index));
const named = (...names: string[]) => names.map((name) => ({ name }));

/** A page of a list, as the service documents it. */
const pageOf = (all: unknown[], page: number, limit: number, total = all.length) => ({
	success: true,
	data: { tickets: all.slice((page - 1) * limit, page * limit) },
	meta: { total, page, limit, totalPages: Math.ceil(total / limit) },
});

/** A service with these rows. @param total how many it says that it has */
const list = (all: unknown[], total?: number, more = {}) =>
	serviceOf(({ page, limit }) => pageOf(all, Number(page), Number(limit), total), more);

const readPages = async (client: ServiceClient, ...how: [ListRequest, number, number]) =>
	rowsOf(client, await readListPages(client, ...how));

const pagesOf = ({ queries }: FakeServiceClient) => queries.map(({ page }) => Number(page));

describe('the pages after the first', () => {
	const of450 = { total: 450, limit: 200, totalPages: 3 };

	test.each<[what: string, rows: number, rowLimit: number, meta: object, pages?: number[]]>([
		['all of a list', 200, Infinity, of450, [2, 3]],
		['a list of one page', 5, Infinity, { total: 5, limit: 200, totalPages: 1 }, []],
		['a list of one page, by its total alone', 5, Infinity, { total: 5 }, []],
		['an empty list', 0, Infinity, { total: 0, limit: 200, totalPages: 0 }, []],
		['an empty first page, whatever length is reported', 0, Infinity, of450, []],
		['as many rows as page 1 has', 200, 200, of450, []],
		['rows of several pages', 200, 250, of450, [2]],
		['more rows than there are', 200, 1_000, of450, [2, 3]],
		['no number of pages', 200, Infinity, { total: 450, limit: 200 }, [2, 3]],
		['no total', 200, Infinity, { totalPages: 3 }, [2, 3]],
		['no total, for 401 rows', 200, 401, { totalPages: 9, limit: 200 }, [2, 3]],
		['no length', 200, Infinity, {}, undefined],
		['no length, and less than a page', 5, Infinity, {}, undefined],
		['a page size that the service lowered', 100, 250, { ...of450, limit: 100 }, [2, 3]],
		['a lowered size, while it repeats the requested one', 100, Infinity, of450, [2, 3, 4, 5]],
		['the same, for 250 rows', 100, 250, of450, [2, 3]],
		['the same without a total, for 250 rows', 100, 250, { totalPages: 9, limit: 200 }, [2, 3]],
		['more pages than the total explains', 200, Infinity, { ...of450, totalPages: 4 }, [2, 3, 4]],
	])('are determined for %s', (_what, count, rowLimit, meta, pages) => {
		expect(pagesAfterFirst(meta, count, rowLimit)).toStrictEqual(pages);
	});

	test('are 9,999 at most, whatever total the service reports', () => {
		expect(pagesAfterFirst({ totalPages: 1e12 }, 1, Infinity)).toHaveLength(9_999);
	});
});

describe('rows of several pages', () => {
	test.each([
		[{ id: 'a', hsm_id: 'c' }, 'a'],
		[{ hsm_id: 'c' }, 'c'],
		[{ hsmId: 7, id: null }, '7'],
		[{ id: ' a ' }, 'a'],
		[{ id: ' ', _id: 'b', ID: 'c' }, undefined],
		[{ id: 0 }, '0'],
		[{ id: { $oid: 'a' } }, undefined],
		[{ name: 'a' }, undefined],
		['a', undefined],
		[null, undefined],
	])('the ID of %j is %j', (given, id) => {
		expect(idOf(given)).toBe(id);
	});

	test('are merged by their ID in their order, a number like a text; those without ID are kept', () => {
		expect(
			mergeById(
				[
					[{ id: 'b' }, { id: 1 }],
					[{ id: '1' }, { id: 'a' }],
				],
				[],
			),
		).toStrictEqual([{ id: 'b' }, { id: 1 }, { id: 'a' }]);
		expect(mergeById([['x', null, { name: 'n' }], ['x']], [])).toStrictEqual([
			'x',
			null,
			{ name: 'n' },
			'x',
		]);
	});
});

describe('a list with pages', () => {
	test('is read page by page, with the request’s own query, and its first page is shown', async () => {
		const service = list(rows(1, 5));
		const found = await readListPages(service.client, TICKETS, 2, Infinity);
		expect(found.rows).toStrictEqual(rows(1, 5));
		expect(service.queries[0]).toStrictEqual({ status: 'OPEN', page: '1', limit: '2' });
		expect(pagesOf(service)).toStrictEqual([1, 2, 3]);
		const json = pageOf(rows(1, 5), 1, 2);
		expect(found.first).toMatchObject({ json, meta: { total: 5, limit: 2, totalPages: 3 } });
	});

	test.each<[endpoint: ListRequest['endpoint'], name: string]>([
		['GET /tickets', 'ticketId'],
		['GET /segments/{id}', 'contactId'],
	])('of %s whose rows have their ID as %s notices rows that shift', async (endpoint, name) => {
		const ofKind = (...ids: number[]) => ids.map((id) => ({ segmentId: 's', [name]: id }));
		const pages = [ofKind(1, 2), [{ ...ofKind(2)[0], isNew: true }, ...ofKind(3)]];
		const service = serviceOf(({ page }) => ({
			data: { items: pages[Number(page) - 1] },
			meta: { total: 4 },
		}));
		const request = { ...TICKETS, endpoint, path: { id: 's' } };
		expect(await readPages(service.client, request, 2, Infinity)).toStrictEqual(ofKind(1, 2, 3));
		expect(service.notices).toStrictEqual([
			'The list changed while being read: got 3 of 4 rows. Run it again later.',
		]);
	});

	test('keeps rows of a page that are the same and have no ID, and says that others may be missing', async () => {
		const all = named('Anna', 'Anna', 'Ben', 'Cem', 'Cem', 'Cem');
		const service = list(all);
		expect(await readPages(service.client, TICKETS, 3, Infinity)).toStrictEqual(all);
		expect(service.notices).toStrictEqual([
			'The list changed while being read: got 3 of 6 rows. Run it again later.',
		]);
	});

	test('is read to its end if the service does not count, and says 0', async () => {
		const meta = { total: 0, limit: 0, totalPages: 0 };
		const service = serviceOf(({ page }) => ({ ...pageOf(rows(1, 5), Number(page), 2), meta }));
		expect(await readPages(service.client, TICKETS, 2, Infinity)).toStrictEqual(rows(1, 5));
		expect(service.notices).toStrictEqual([]);
	});

	test.each([
		[{ total: 2, totalPages: 1 }, undefined],
		[{ total: 0, totalPages: 0 }, {}],
	])('of its counts %j, %j show something beside two rows', async (meta, left = meta) => {
		const service = serviceOf(({ page }) => ({ ...pageOf(rows(1, 5), Number(page), 2), meta }));
		const request = { ...TICKETS, query: { page: 1, limit: 2 } };
		expect((await readPage(service.client, request)).meta).toEqual(left);
	});

	test('may have to show IDs; a single row without one is one broken record', async () => {
		const read = async (...all: unknown[]) =>
			await readPage(list(all).client, { ...TICKETS, query: { page: 1, limit: 9 } }, (row) =>
				idOf(row),
			);
		expect((await read({ title: 'a' })).rows).toHaveLength(1);
		expect((await read({ title: 'a' }, row(1))).rows).toHaveLength(2);
		await expect(read({ title: 'a' }, { title: 'b' })).rejects.toThrow(
			'the response contains no IDs (a row has the keys title)',
		);
	});

	test('keeps the order of its pages, in whatever order they arrive', async () => {
		const service = serviceOf(async ({ page, limit }) => {
			for (let turns = 10 * (5 - Number(page)); turns > 0; turns--)
				await new Promise((resolve) => setImmediate(resolve));
			return pageOf(rows(1, 9), Number(page), Number(limit));
		});
		expect(await readPages(service.client, TICKETS, 2, Infinity)).toStrictEqual(rows(1, 9));
	});

	test('of many pages is bulk work after its first page, so that it leaves room for others', async () => {
		const asked: string[] = [];
		class Listening extends RateLimiter {
			override async acquire(request: TurnRequest): Promise<number | undefined> {
				asked.push(request.priority);
				return await super.acquire(request);
			}
		}
		const service = list(rows(1, 22), 22, { rateLimiter: new Listening() });
		expect(await readPages(service.client, TICKETS, 2, Infinity)).toHaveLength(22);
		expect(asked).toStrictEqual(['single', ...Array.from({ length: 10 }, () => 'bulk')]);
	});

	test('ends at a page without new rows, whatever length the service reports', async () => {
		const service = list(rows(1, 3), 100);
		expect(await readPages(service.client, TICKETS, 2, Infinity)).toStrictEqual(rows(1, 3));
		// Of the 50 that are reported, those that were requested at once.
		expect(service.queries.length).toBeLessThanOrEqual(1 + INITIAL_LIMIT + 4 * INITIAL_LIMIT);
		expect(service.notices).toStrictEqual([
			'The list changed while being read: got 3 of 100 rows. Run it again later.',
		]);
	});
});

describe('a list that changes while it is read', () => {
	/** The pages, e.g. "1 2 of 4": the IDs of two rows, and the total. */
	const pages = (all: string[], rowOf: (id: string) => unknown = row) =>
		serviceOf((_query, request) => {
			const [found, total] = all[request - 1]!.split(' of ');
			return {
				data: found!.split(' ').map((id) => rowOf(id)),
				meta: { total, limit: 2, totalPages: Math.ceil(Number(total) / 2) },
			};
		});
	const changed = (got: number, total: number) =>
		`The list changed while being read: got ${got} of ${total} rows. Run it again later.`;

	test.each([
		[3, []],
		[Infinity, [changed(4, 4)]],
	])('has a notice, unless the wanted rows were read: %j', async (wanted, notices) => {
		const service = pages(['1 2 of 3', '3 4 of 4']);
		const found = await readPages(service.client, TICKETS, 2, wanted);
		expect(found).toHaveLength(Math.min(wanted, 4));
		expect(service.notices).toStrictEqual(notices);
	});

	test.each([row, (id: string) => ({ ticketId: id }), (id: string) => ({ ticket: row(id) })])(
		'has one if a row is there twice and another one is missing, wherever its ID is: %#',
		async (rowOf) => {
			const service = pages(['1 2 of 4', '2 3 of 4'], rowOf);
			const found = await readPages(service.client, TICKETS, 2, Infinity);
			expect(found.slice(-1)).toStrictEqual([rowOf('3')]);
			expect(service.notices).toStrictEqual([changed(3, 4)]);
		},
	);
});

describe('a list without its length', () => {
	const withoutMeta = (pages: unknown[][]) =>
		serviceOf(({ page }) => ({ data: { tickets: pages[Number(page) - 1] ?? [] } }));
	const threePages = [rows(1, 2), rows(3, 4), rows(5, 6)];

	test.each<[when: string, pages: unknown[][], wanted: number, read: number, found: unknown[]]>([
		['a page is empty', [rows(1, 2), rows(3, 4)], Infinity, 3, rows(1, 4)],
		['the first page is empty', [], Infinity, 1, []],
		['it has the wanted rows', threePages, 3, 2, rows(1, 3)],
		['it has exactly the wanted rows', threePages, 4, 2, rows(1, 4)],
		['a page is empty, also without IDs', [named('a'), named('b')], Infinity, 3, named('a', 'b')],
	])('is read until %s', async (_when, pages, wanted, read, found) => {
		const service = withoutMeta(pages);
		expect(await readPages(service.client, TICKETS, 2, wanted)).toStrictEqual(found);
		expect(pagesOf(service)).toStrictEqual(Array.from({ length: read }, (_, index) => index + 1));
		expect(service.notices).toStrictEqual([]);
	});

	const SAME = (got: string) =>
		`The service returned the same rows again: got ${got}. Filters can reduce the list.`;

	test.each<[count: number, wanted: number, meta: object, notice?: string]>([
		[200, Infinity, {}, SAME('200 rows, and there may be more')],
		[200, Infinity, { totalPages: 3 }, SAME('200 rows, and there may be more')],
		[200, Infinity, { total: 450 }, SAME('200 of 450 rows')],
		[200, Infinity, { total: 200 }, undefined],
		[200, 200, {}, undefined],
		// No page of the service is as small.
		[19, Infinity, {}, undefined],
		[20, Infinity, {}, SAME('20 rows, and there may be more')],
	])(
		'with %d rows on every page, of which %s are wanted, with the meta %j, has the notice: %s',
		async (count, wanted, meta, notice) => {
			for (const all of [rows(1, count), rows(1, count).map(({ id }) => ({ name: id }))]) {
				const service = serviceOf(() => ({ data: all, meta }));
				expect(await readPages(service.client, TICKETS, 200, wanted)).toStrictEqual(all);
				expect(service.notices).toStrictEqual(notice === undefined ? [] : [notice]);
				expect(service.queries.length).toBeLessThanOrEqual(3);
			}
		},
	);
});

describe('any list', () => {
	/** What a service may say about the length of a list. */
	const COUNTS: Record<string, (total: number, size: number) => object> = {
		all: (total, size) => ({ total, limit: size, totalPages: Math.ceil(total / size) }),
		none: () => ({}),
		total: (total) => ({ total }),
		pages: (total, size) => ({ totalPages: Math.ceil(total / size) }),
		absurd: () => ({ total: -1, limit: 1e-9, totalPages: 0.5 }),
		text: (total) => ({ total: String(total), limit: Infinity, totalPages: null }),
	};
	const service = fc.record({
		cap: fc.constantFrom(20, 50, 200),
		count: fc.nat(130),
		counts: fc.constantFrom(...Object.keys(COUNTS)),
		pages: fc.constantFrom('heeded', 'ignored', 'first again', 'last again'),
		hasIds: fc.boolean(),
		rowLimit: fc.constantFrom<number>(Infinity, 1, 30, 100),
	});

	test('is returned as it is, or there is a notice', async () => {
		await fc.assert(
			fc.asyncProperty(service, async ({ cap, count, counts, pages, hasIds, rowLimit }) => {
				const all = rows(1, count).map(({ id }) => (hasIds ? { id } : { name: id }));
				const fake = serviceOf((query) => {
					const size = Math.min(Number(query.limit), cap);
					const last = Math.max(1, Math.ceil(count / size));
					const isAfter = Number(query.page) > last;
					let page = pages === 'ignored' ? 1 : Number(query.page);
					if (isAfter && pages === 'first again') page = 1;
					if (isAfter && pages === 'last again') page = last;
					return {
						data: all.slice((page - 1) * size, page * size),
						meta: COUNTS[counts]!(count, size),
					};
				});
				const found = await readPages(fake.client, TICKETS, 60, rowLimit);
				const wanted = all.slice(0, rowLimit);
				expect(found).toStrictEqual(wanted.slice(0, found.length));
				if (fake.notices.length === 0) expect(found).toHaveLength(wanted.length);
				if (pages === 'heeded') expect(fake.notices).toStrictEqual([]);
				// One more page than there are, if nothing shows that it is the last one.
				const size = Math.min(60, cap, rowLimit);
				const read = Math.ceil(wanted.length / size) + 1;
				expect(fake.queries.length).toBeLessThanOrEqual(pages === 'ignored' ? 2 * read : read);
			}),
			{ numRuns: runs(150, 3_000) },
		);
	});

	test('that changes while it is read is what its pages merge into, with all rows that were there throughout, or there is a notice', async () => {
		const change = fc.record({
			created: fc.nat(3),
			/** At the end, where the oldest are. */
			appended: fc.nat(1),
			deleted: fc.array(fc.nat(100), { maxLength: 2 }),
			changed: fc.array(fc.nat(100), { maxLength: 2 }),
		});
		const NO_CHANGE = { created: 0, appended: 0, deleted: [], changed: [] };
		const changing = fc.record({
			count: fc.integer({ min: 1, max: 30 }),
			changes: fc.array(change, { maxLength: 8 }),
			size: fc.integer({ min: 1, max: 7 }),
		});
		await fc.assert(
			fc.asyncProperty(changing, async ({ count, changes, size }) => {
				let next = count + 1;
				let all = rows(1, count).map(({ id }) => ({ id, version: 0 }));
				const stayed = new Set(all.map(({ id }) => id));
				const shown: ShownPage[] = [];
				const fake = serviceOf(({ page, limit }, request) => {
					const response = pageOf(all, Number(page), Number(limit));
					shown.push({
						page: Number(page),
						rows: response.data.tickets as Row[],
						total: all.length,
					});
					const change = changes[request - 1] ?? NO_CHANGE;
					const { created, appended, deleted, changed } = change;
					for (const index of changed) {
						const old = all[index];
						if (old) all = all.with(index, { ...old, version: request });
					}
					for (const index of deleted) {
						stayed.delete(all[index]?.id ?? '');
						all = all.toSpliced(index, 1);
					}
					for (let i = 0; i < created; i++) all = [{ id: String(next++), version: 0 }, ...all];
					for (let i = 0; i < appended; i++) all = [...all, { id: String(next++), version: 0 }];
					return response;
				});
				const found = await readPages(fake.client, TICKETS, size, Infinity);
				const expected = merged(shown);
				expect(found).toStrictEqual(expected.rows);
				expect(fake.notices).toHaveLength(expected.isComplete ? 0 : 1);
				// If one is deleted and another one comes at the end, the rows between move up, and the numbers agree.
				const isHidden =
					changes.some(({ appended }) => appended > 0) &&
					changes.some(({ deleted }) => deleted.length > 0);
				if (fake.notices.length > 0 || isHidden) return;
				expect(found.map((row) => idOf(row))).toStrictEqual(expect.arrayContaining([...stayed]));
			}),
			{
				numRuns: runs(150, 3_000),
				// Page 2 has exactly the rows that page 1 had.
				examples: [[{ count: 3, changes: [{ ...NO_CHANGE, created: 2 }], size: 2 }]],
			},
		);
	});
});

interface Row {
	id: string;
	version: number;
}
interface ShownPage {
	page: number;
	rows: Row[];
	total: number;
}

/** What the responses to a list come to, slow and obvious, from docs/ARCHITECTURE.md, "Lists". */
function merged(shown: ShownPage[]): { rows: Row[]; isComplete: boolean } {
	const all = shown
		.toSorted((one, other) => one.page - other.page)
		.flatMap((page) => page.rows)
		.filter(({ id }, index, rows) => rows.findIndex((other) => other.id === id) === index);
	const [first] = shown;
	const isComplete = shown.every(({ total }) => total === first!.total && all.length >= total);
	return { rows: all, isComplete };
}

describe('a list that is read in one request', () => {
	const CHANNELS: ListRequest = { endpoint: 'GET /channels', action: 'Get many channels' };
	const OF_TOTAL = (got: number, total: number) =>
		`The service returns no more in one request: got ${got} of ${total} rows.`;
	const FULL = (got: number) =>
		`The service returns no more in one request: got ${got} rows, and there may be more.`;

	test.each<[meta: object, limit: number | undefined, notice: string | undefined]>([
		[{ total: 3 }, undefined, undefined],
		[{ total: 4 }, undefined, OF_TOTAL(3, 4)],
		// Fewer than there are: as if it had no total.
		[{ total: 2 }, 3, FULL(3)],
		[{}, undefined, undefined],
		[{}, 7, undefined],
		// A limit may be approximate.
		[{}, 6, FULL(3)],
		[{ limit: 3 }, undefined, FULL(3)],
		[{ limit: 4 }, undefined, undefined],
		[{ totalPages: 1 }, 3, undefined],
		[{ totalPages: 2 }, 3, FULL(3)],
		[{ total: 3, totalPages: 2 }, undefined, undefined],
	])(
		'has three rows; with the meta %j and the limit %j, the notice is: %s',
		async (meta, limit, notice) => {
			const service = serviceOf(() => ({ data: rows(1, 3), meta }));
			const request = { ...CHANNELS, query: { limit } };
			expect(await readRows(service.client, request, Infinity)).toStrictEqual(rows(1, 3));
			expect(service.notices).toStrictEqual(notice === undefined ? [] : [notice]);
		},
	);

	test.each([
		[49, []],
		[50, [FULL(50)]],
		[200, [FULL(200)]],
	])('has %d rows, and no counts', async (count, notices) => {
		const service = serviceOf(() => ({ data: rows(1, count) }));
		expect(await readRows(service.client, CHANNELS, Infinity)).toHaveLength(count);
		expect(service.notices).toStrictEqual(notices);
	});

	test.each([
		[Infinity, 120, [undefined, 1, 2, 3]],
		[60, 60, [undefined, 1, 2]],
		[50, 50, [undefined]],
	])('is read page by page if it shows pages: up to %d rows', async (limit, n, pages) => {
		const service = serviceOf(({ page = 1 }) => {
			const { data, meta } = pageOf(rows(1, 120), Number(page), 50);
			return { data: data.tickets, meta };
		});
		expect(await readRows(service.client, CHANNELS, limit)).toStrictEqual(rows(1, n));
		expect(service.queries.map(({ page }) => page && Number(page))).toStrictEqual(pages);
		expect(service.notices).toStrictEqual([]);
	});

	test.each([
		[2, 2, []],
		[3, 3, []],
		[4, 3, [OF_TOTAL(3, 9)]],
	])('is cut to %d rows; a notice says if there are fewer', async (limit, n, notices) => {
		const service = serviceOf(() => ({ data: rows(1, 3), meta: { total: 9 } }));
		expect(await readRows(service.client, CHANNELS, limit)).toStrictEqual(rows(1, n));
		expect(service.notices).toStrictEqual(notices);
	});
});
