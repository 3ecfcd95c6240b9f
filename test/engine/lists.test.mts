import { openHarness, type Harness } from './harness.mts';
import { RateLimiter } from '../../nodes/ConversationalMessaging/api/rateLimiter.ts';
import { FakeTime } from '../time.mts';

const ALL_TICKETS = { resource: 'ticket', operation: 'getAll', returnAll: true };

let harness: Harness;
beforeEach(async () => {
	harness = await openHarness({ tickets: 950, rateLimit: { requests: 0 } });
});
afterEach(async () => await harness.close());

const ids = (rows: { id?: unknown }[]) => rows.map(({ id }) => id);
const pages = () => harness.sandbox.requests.map(({ query }) => Number(query.page));

test('a list is read in pages of the endpoint’s largest size, page 1 first, each page once', async () => {
	const { json } = await harness.run(ALL_TICKETS);
	expect(json).toHaveLength(950);
	expect(new Set(ids(json)).size).toBe(950);
	expect(ids(json)).toEqual([...harness.sandbox.world.tickets.newestFirst()].map(({ id }) => id));
	expect(pages()[0]).toBe(1);
	expect(pages().toSorted()).toEqual([1, 2, 3, 4, 5]);
	expect(harness.sandbox.requests.every(({ query }) => query.limit === '200')).toBe(true);
});

test('the pages after the first are read side by side', async () => {
	const started = jest.spyOn(RateLimiter.prototype, 'acquire');
	const ended = jest.spyOn(RateLimiter.prototype, 'release');
	expect((await harness.run(ALL_TICKETS)).json).toHaveLength(950);
	const events = [
		...started.mock.invocationCallOrder.map((order) => ({ order, change: 1 })),
		...ended.mock.invocationCallOrder.map((order) => ({ order, change: -1 })),
	];
	jest.restoreAllMocks();
	let underWay = 0;
	const course = events
		.toSorted((a, b) => a.order - b.order)
		.map(({ change }) => (underWay += change));
	// Page 1 alone, then the other four.
	expect(course.slice(0, 6)).toEqual([1, 0, 1, 2, 3, 4]);
	expect(course.at(-1)).toBe(0);
});

test('a limit is met exactly with the fewest pages', async () => {
	expect((await harness.run({ ...ALL_TICKETS, returnAll: false, limit: 401 })).json).toHaveLength(
		401,
	);
	expect(pages().toSorted()).toEqual([1, 2, 3]);
});

test.each(['array', 'wrapped'] as const)(
	'a list in the shape %s is read completely',
	async (lists) => {
		harness.sandbox.options.shapes.lists = lists;
		expect((await harness.run(ALL_TICKETS)).json).toHaveLength(950);
		expect(
			(await harness.run({ resource: 'channel', operation: 'getAll', returnAll: true })).json,
		).toHaveLength(6);
	},
);

describe('rows that shift while the list is read', () => {
	test('rows that shift are neither lost nor repeated', async () => {
		harness.sandbox.faults.shiftRows('/tickets', 3, 2);
		const { json, hints } = await harness.run(ALL_TICKETS);
		expect(new Set(ids(json)).size).toBe(json.length);
		expect(new Set(ids(json))).toEqual(
			new Set([...harness.sandbox.world.tickets.newestFirst()].map(({ id }) => id)),
		);
		expect(hints).toEqual([]);
	});

	/** The next response to this page of a list of two rows per page. */
	const nextPage = (page: number, total: number, rows: object[]) =>
		harness.sandbox.faults.add(
			{
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({
					success: true,
					data: rows,
					meta: { total, page, limit: 2, totalPages: 2 },
				}),
			},
			{ matches: ({ query }) => query.page === String(page) },
		);

	test('of a row that was read twice, the later reading counts, in its order', async () => {
		nextPage(1, 3, [
			{ id: 'a', status: 'OPEN' },
			{ id: 'gone', status: 'OPEN' },
		]);
		nextPage(2, 3, []);
		nextPage(1, 3, [
			{ id: 'b', status: 'OPEN' },
			{ id: 'a', status: 'CLOSED' },
		]);
		nextPage(2, 3, []);
		const { json, hints } = await harness.run(ALL_TICKETS);
		expect(json).toEqual([
			{ id: 'b', status: 'OPEN' },
			{ id: 'a', status: 'CLOSED' },
			{ id: 'gone', status: 'OPEN' },
		]);
		expect(hints).toEqual([]);
	});

	test('rows without IDs come from the later reading alone', async () => {
		for (const reading of ['first', 'second']) {
			nextPage(1, 3, [{ title: `1 of ${reading}` }, { title: `2 of ${reading}` }]);
			nextPage(2, 3, []);
		}
		const { json, hints } = await harness.run(ALL_TICKETS);
		expect(json).toEqual([{ title: '1 of second' }, { title: '2 of second' }]);
		expect(hints).toEqual([
			'The list changed while being read: got 2 of 3 rows. Run it again later.',
		]);
	});

	test('a list whose total falls while it is read is read again, and complete without a hint', async () => {
		nextPage(1, 4, [{ id: 'a' }, { id: 'b' }]);
		nextPage(2, 3, [{ id: 'd' }]);
		nextPage(1, 3, [{ id: 'b' }, { id: 'c' }]);
		nextPage(2, 3, [{ id: 'd' }]);
		const { json, hints } = await harness.run(ALL_TICKETS);
		expect(json).toEqual([{ id: 'b' }, { id: 'c' }, { id: 'd' }, { id: 'a' }]);
		expect(hints).toEqual([]);
	});

	test('a list that keeps changing is returned with a note on how much of it was read', async () => {
		harness.sandbox.faults.shiftRows('/tickets', 1, 99);
		const { json, hints } = await harness.run(ALL_TICKETS);
		expect(new Set(ids(json)).size).toBe(json.length);
		expect(hints).toEqual([
			expect.stringMatching(/^The list changed while being read: got \d+ of \d+ rows/),
		]);
	});

	test('rows that shift up after a deletion are found in the second reading', async () => {
		const { world, faults } = harness.sandbox;
		const newest = [...world.tickets.newestFirst()];
		faults.add(
			{ kind: 'latency', ms: 30 },
			{
				matches: ({ query }) => {
					// As soon as page 2 is requested, the first row is deleted, and all later rows shift up.
					if (query.page === '2') world.deleteTicket(newest[0]!.id);
					return false;
				},
			},
		);
		const { json } = await harness.run(ALL_TICKETS);
		const found = new Set(ids(json));
		expect(newest.slice(1).every(({ id }) => found.has(id))).toBe(true);
	});

	test('a limit is met exactly although rows shift', async () => {
		harness.sandbox.faults.shiftRows('/tickets', 7, 3);
		const { json } = await harness.run({ ...ALL_TICKETS, returnAll: false, limit: 500 });
		expect(json).toHaveLength(500);
		expect(new Set(ids(json)).size).toBe(500);
	});
});

describe('a list with a wrong length or none', () => {
	const respondWith = (page: number, body: object) => {
		harness.sandbox.faults.add(
			{
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			},
			{ matches: ({ query }) => query.page === String(page) },
		);
	};
	const rows = (from: number, count: number) =>
		Array.from({ length: count }, (_, index) => ({ id: from + index }));

	test('without meta, pages are read until one is empty', async () => {
		respondWith(1, { success: true, data: rows(0, 200) });
		respondWith(2, { success: true, data: rows(200, 50) });
		respondWith(3, { success: true, data: [] });
		expect((await harness.run(ALL_TICKETS)).json).toHaveLength(250);
	});

	test('without meta, reading ends when a page repeats the one before', async () => {
		for (let page = 1; page <= 9; page++) respondWith(page, { success: true, data: rows(0, 200) });
		expect((await harness.run(ALL_TICKETS)).json).toHaveLength(200);
		expect(harness.sandbox.requests).toHaveLength(2);
	});

	test.each(['_id', 'hsm_id'])(
		'rows with the ID %s are neither lost nor repeated',
		async (name) => {
			const named = (from: number, count: number) =>
				rows(from, count).map(({ id }) => ({ [name]: id, title: 'the same' }));
			const meta = { total: 250, limit: 200, totalPages: 2 };
			respondWith(1, { success: true, data: named(0, 200), meta });
			respondWith(2, { success: true, data: named(190, 60), meta });
			const { json, hints } = await harness.run(ALL_TICKETS);
			expect(json).toEqual(named(0, 250));
			expect(hints).toEqual([]);
		},
	);

	test('a page size that the service lowers is read to the end, even if it repeats the requested size', async () => {
		const meta = { total: 450, limit: 200, totalPages: 3 };
		for (let page = 1; page <= 5; page++)
			respondWith(page, {
				success: true,
				data: rows((page - 1) * 100, page < 5 ? 100 : 50),
				meta: { ...meta, page },
			});
		const { json, hints } = await harness.run(ALL_TICKETS);
		expect(json).toEqual(rows(0, 450));
		expect(hints).toEqual([]);
		expect(harness.sandbox.requests).toHaveLength(5);
	});

	test('an empty page ends a list whose length is reported too high', async () => {
		respondWith(1, { success: true, data: rows(0, 200), meta: { totalPages: 500, limit: 200 } });
		respondWith(2, { success: true, data: rows(200, 10), meta: { totalPages: 500, limit: 200 } });
		for (let page = 3; page <= 12; page++)
			respondWith(page, { success: true, data: [], meta: { totalPages: 500, limit: 200 } });
		expect((await harness.run(ALL_TICKETS)).json).toHaveLength(210);
		expect(harness.sandbox.requests.length).toBeLessThan(20);
	});

	test('rows without IDs are kept', async () => {
		respondWith(1, {
			success: true,
			data: [{ title: 'a' }, { title: 'a' }, { id: 7 }, 'text'],
			meta: { total: 4, page: 1, limit: 200, totalPages: 1 },
		});
		expect((await harness.run(ALL_TICKETS)).json).toEqual([
			{ title: 'a' },
			{ title: 'a' },
			{ id: 7 },
			{ data: 'text' },
		]);
	});

	test('a response without a list is reported as such', async () => {
		respondWith(1, { success: true, data: { id: 'x' } });
		expect((await harness.run(ALL_TICKETS)).error?.message).toBe(
			'Get many tickets: the response contains no list',
		);
	});
});

test('a page that fails once is read again, and no other page is', async () => {
	const time = new FakeTime().install();
	harness.sandbox.faults.add(
		{ kind: 'status', status: 502 },
		{ matches: ({ query }) => query.page === '3' },
	);
	const { json } = await harness.run(ALL_TICKETS);
	time.restore();
	expect(json).toHaveLength(950);
	expect(pages().toSorted()).toEqual([1, 2, 3, 3, 4, 5]);
});

test('an empty list returns no items and no error', async () => {
	const { json, error } = await harness.run({ ...ALL_TICKETS, filters: { contactId: 'nobody' } });
	expect([json, error]).toEqual([[], undefined]);
});
