import fc from 'fast-check';
import { idOf, mergeById, pagesAfterFirst } from '../../nodes/ConversationalMessaging/api/pages.ts';

describe('the pages after the first', () => {
	test.each([
		['all of a list', { total: 450, limit: 200, totalPages: 3 }, 200, 200, 'all', [2, 3]],
		['a list of one page', { total: 5, limit: 200, totalPages: 1 }, 5, 200, 'all', []],
		['an empty list', { total: 0, limit: 200, totalPages: 0 }, 0, 200, 'all', []],
		[
			'an empty first page, whatever length the list reports',
			{ total: 9, limit: 200, totalPages: 3 },
			0,
			200,
			'all',
			[],
		],
		['a limit within page 1', { total: 450, limit: 50, totalPages: 9 }, 50, 50, 50, []],
		['a limit over several pages', { total: 450, limit: 200, totalPages: 3 }, 200, 200, 250, [2]],
		['a limit beyond the list', { total: 450, limit: 200, totalPages: 3 }, 200, 200, 1000, [2, 3]],
		[
			'a page size that the service lowered',
			{ total: 450, limit: 100, totalPages: 5 },
			100,
			200,
			250,
			[2, 3],
		],
		[
			'a page size that the service lowered, while it repeats the requested one',
			{ total: 450, limit: 200, totalPages: 3 },
			100,
			200,
			'all',
			[2, 3, 4, 5],
		],
		[
			'a limit over pages that the service lowered, while it repeats the requested size',
			{ total: 450, limit: 200, totalPages: 3 },
			100,
			200,
			250,
			[2, 3],
		],
		[
			'more pages than the total explains, of a lowered size',
			{ total: 450, limit: 200, totalPages: 7 },
			100,
			200,
			'all',
			[2, 3, 4, 5, 6, 7],
		],
		[
			'a last page that is shorter than the requested size',
			{ total: 5, limit: 200 },
			5,
			200,
			'all',
			[],
		],
		['a list without a page size, lowered', { total: 450 }, 100, 200, 'all', [2, 3, 4, 5]],
		['a number of pages without a total', { totalPages: 3 }, 200, 200, 'all', [2, 3]],
		[
			'a number of pages, a limit and no total',
			{ totalPages: 9, limit: 200 },
			200,
			200,
			401,
			[2, 3],
		],
		['a list without totalPages', { total: 450, limit: 200 }, 200, 200, 'all', [2, 3]],
		['a list without a page size', { total: 450 }, 200, 200, 'all', [2, 3]],
		[
			'a list without a page size, lowered, with the number of pages of the requested size',
			{ total: 450, totalPages: 3 },
			100,
			200,
			'all',
			[2, 3, 4, 5],
		],
		[
			'a number of pages without a total, and a limit over pages that the service lowered',
			{ totalPages: 9, limit: 200 },
			100,
			200,
			250,
			[2, 3],
		],
		[
			'a first page with as many rows as wanted, and more than its stated size',
			{ total: 450, limit: 50, totalPages: 9 },
			200,
			200,
			200,
			[],
		],
		['a list without any length, one by one', {}, 200, 200, 'all', undefined],
		['a short list without any length, one by one', {}, 5, 200, 'all', undefined],
	] as const)(
		'the pages after the first are determined for %s',
		(_name, meta, rows, requested, wanted, expected) => {
			expect(pagesAfterFirst(meta, rows, requested, wanted)).toEqual(expected);
		},
	);

	test('the pages to fetch cover the wanted rows, without a page too many', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 5000 }),
				fc.integer({ min: 1, max: 200 }),
				fc.integer({ min: 1, max: 6000 }),
				(total, limit, wanted) => {
					const totalPages = Math.ceil(total / limit);
					const pages = pagesAfterFirst(
						{ total, limit, totalPages },
						Math.min(limit, total),
						limit,
						wanted,
					)!;
					const reachable = Math.min(total, (pages.length + 1) * limit);
					expect(reachable).toBeGreaterThanOrEqual(Math.min(total, wanted));
					// No additional page.
					expect(pages.length * limit).toBeLessThan(Math.max(wanted, 1));
				},
			),
		);
	});

	test('the number of pages is bounded, whatever total the service reports', () => {
		expect(pagesAfterFirst({ totalPages: 1e12, limit: 1 }, 1, 1, 'all')).toHaveLength(9_999);
	});
});

describe('merging pages', () => {
	test('merging keeps the order and drops repeated rows', () => {
		expect(
			mergeById([
				[{ id: 'a' }, { id: 'b' }],
				[{ id: 'b' }, { id: 'c' }],
			]),
		).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
	});

	test.each([
		[{ id: 'a', _id: 'b', hsm_id: 'c' }, 'a'],
		[{ _id: 'b', hsm_id: 'c' }, 'b'],
		[{ hsm_id: 'c' }, 'c'],
		[{ id: null, _id: 7 }, '7'],
		[{ id: 0 }, '0'],
		[{ id: { $oid: 'a' } }, undefined],
		[{ id: true }, undefined],
		[{ name: 'a' }, undefined],
		['a', undefined],
		[null, undefined],
	])('the ID of %j is %j', (row, id) => {
		expect(idOf(row)).toBe(id);
	});

	test.each(['id', '_id', 'hsm_id'])('rows are merged by %s', (name) => {
		const row = (id: string) => ({ [name]: id });
		expect(mergeById([[row('a'), row('b')], [row('b')]])).toEqual([row('a'), row('b')]);
	});

	test('merging treats a number and a string as the same ID', () => {
		expect(mergeById([[{ id: 1 }], [{ id: '1' }]])).toEqual([{ id: 1 }]);
	});

	test('merging keeps every row that has no ID', () => {
		expect(mergeById([['x', null, { name: 'n' }], ['x']])).toEqual(['x', null, { name: 'n' }, 'x']);
	});

	test('merging loses no ID and repeats none', () => {
		const row = fc.record({ id: fc.integer({ min: 0, max: 50 }) });
		fc.assert(
			fc.property(fc.array(fc.array(row)), (pages) => {
				const ids = mergeById(pages).map(idOf);
				expect(new Set(ids).size).toBe(ids.length);
				expect(new Set(ids)).toEqual(new Set(pages.flat().map(idOf)));
			}),
		);
	});
});
