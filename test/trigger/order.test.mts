import fc from 'fast-check';
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import type { ListOrder, ReadList } from '../../nodes/ConversationalMessaging/trigger/order.ts';
import {
	orderOf,
	pagesToSearch,
	provenEntries,
	updatedOrder,
	withoutKey,
} from '../../nodes/ConversationalMessaging/trigger/order.ts';

const SIZE = 10;
const EVERY = 5;

const ids = (count: number, prefix = 'T'): string[] =>
	Array.from({ length: count }, (_, i) => `${prefix}${i}`);

const orderOfIds = (list: string[]) => orderOf(list.map(keyOf), EVERY);

/** The pages of a list that a poll has read, from 1. */
function read(list: string[], pages: number[], entered: string[] = []): ReadList {
	const rows = new Map(
		pages.flatMap((page) =>
			list.slice((page - 1) * SIZE, page * SIZE).map((id, i) => {
				const row = { id, key: keyOf(id), entered: entered.includes(id) };
				return [(page - 1) * SIZE + i, row] as const;
			}),
		),
	);
	return { rows, total: list.length, size: SIZE };
}

const allPages = (list: string[]) => ids(Math.ceil(list.length / SIZE)).map((_, i) => i + 1);

const isUnknown = ({ id }: { id: string }) => id.startsWith('N');

describe('a search for a record that entered a list', () => {
	test('the search begins with the first and the last page', () => {
		const list = ids(100);
		expect(pagesToSearch(orderOfIds(list), read([...list, 'N'], []))).toEqual([1, 11]);
	});

	test('the search ends when both ends explain the length of the list', () => {
		const order = orderOfIds(ids(100));
		const longer = ['N', ...ids(100)];
		expect(pagesToSearch(order, read(longer, [1, 11], ['N']))).toEqual([]);
	});

	test('of an empty list, the first page may show one', () => {
		expect(pagesToSearch({ marks: [], total: 0 }, read([], []))).toEqual([1]);
	});

	test.each<[entered: [rank: number, count: number][], pages: number[]]>([
		[
			[
				[25, 1],
				[65, 3],
			],
			[9, 3],
		],
		[
			[
				[25, 3],
				[65, 1],
			],
			[3, 9],
		],
	])('of two parts that are longer, at %j, the longer one is searched first', (entered, pages) => {
		const list = ids(100);
		for (const [rank, count] of entered.toReversed())
			list.splice(rank, 0, ...ids(count, `N${rank}.`));
		// Both ends and the middle have been read.
		expect(pagesToSearch(orderOfIds(ids(100)), read(list, [1, 6, 11]))).toEqual(pages);
	});

	test('in a part that is much shorter, where the middle would be is not searched', () => {
		const now = ids(100).toSpliced(15, 70);
		expect(pagesToSearch(orderOfIds(ids(100)), read(now, [1, 3]))).toEqual([2]);
		// The list ends right before it.
		const order = { marks: [{ key: keyOf('T99'), rank: 21 }], total: 100 };
		expect(pagesToSearch(order, read(ids(21), [1, 3]))).toEqual([2]);
	});

	test('the search finds a record at any rank within the logarithm of the number of pages', () => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 2_000 }), (place) => {
				const list = ids(2_000);
				const order = orderOfIds(list);
				const longer = list.toSpliced(place, 0, 'N');
				const pages = new Set<number>();
				for (let more = [1]; more.length > 0; ) {
					const entered = [...pages].some((page) =>
						longer.slice((page - 1) * SIZE, page * SIZE).includes('N'),
					);
					more = pagesToSearch(order, read(longer, [...pages], entered ? ['N'] : []));
					for (const page of more) pages.add(page);
				}
				expect(longer.slice(...pageAround(longer.indexOf('N')))).toContain('N');
				expect(pages.has(Math.floor(longer.indexOf('N') / SIZE) + 1)).toBe(true);
				expect(pages.size).toBeLessThanOrEqual(2 + Math.ceil(Math.log2(201)) + 2);
			}),
		);
	});
});

const pageAround = (rank: number): [number, number] => {
	const start = Math.floor(rank / SIZE) * SIZE;
	return [start, start + SIZE];
};

describe('unknown records that provably entered a list', () => {
	const list = ids(60);
	const order = orderOfIds(list);
	test.each<[string, string[], number[], number, string[]]>([
		[
			'proven if the head of the list has grown by as many',
			['N1', 'N2', ...list],
			[1, 2],
			0,
			['N1', 'N2'],
		],
		['proven if the end of the list has grown by as many', [...list, 'N1'], [6, 7], 0, ['N1']],
		['not proven if the list is as long as before', ['N1', ...list.slice(0, 59)], [1, 6], 0, []],
		[
			'not proven if another part of the list has grown too',
			['N1', ...list.toSpliced(30, 0, 'N2')],
			[1, 2],
			0,
			[],
		],
		[
			'not proven if more records have left than is known',
			['N1', ...list.toSpliced(3, 1)],
			[1, 2],
			0,
			[],
		],
		[
			'not proven if a record left another part, and none is known to have left',
			['N1', ...list.toSpliced(31, 1)],
			[1, 2, 3, 4, 5, 6],
			0,
			[],
		],
		[
			'proven if a record left another part, and one is known to have left',
			['N1', ...list.toSpliced(31, 1)],
			[1, 2, 3, 4, 5, 6],
			1,
			['N1'],
		],
		[
			'not proven if a record is known to have left that no part is shorter by',
			['N1', ...list],
			[1, 2],
			1,
			[],
		],
	])('unknown records are %s', (_what, now, pages, left, expected) => {
		expect(provenEntries(order, read(now, pages), left, isUnknown)).toEqual(expected);
	});

	test('a mark whose record was dropped is as far down as the list has grown: it is old', () => {
		const isUnknownOrMark = ({ id }: { id: string }) => isUnknown({ id }) || id === 'T4';
		expect(provenEntries(order, read(['N1', ...list], [1, 2]), 0, isUnknownOrMark)).toEqual(['N1']);
	});

	test('an old record is never proven to be new, whichever records enter, leave or change their rank', () => {
		const listChange = fc.record({
			do: fc.constantFrom('enter', 'leave', 'touch'),
			place: fc.nat(59),
		});
		fc.assert(
			fc.property(
				fc.uniqueArray(fc.nat(59), { maxLength: 20 }),
				fc.array(listChange, { maxLength: 4 }),
				fc.uniqueArray(fc.integer({ min: 1, max: 7 })),
				fc.boolean(),
				(dropped, listChanges, pages, isByUpdate) => {
					const now = [...list];
					let entered = 0;
					for (const { do: what, place } of listChanges) {
						const at = place % Math.max(1, now.length);
						// Lists are ordered by creation, so that a change can be anywhere, or by update, so that it
						// is at the head.
						if (what === 'enter') now.splice(isByUpdate ? 0 : at, 0, `E${entered++}`);
						else if (what === 'leave') now.splice(at, 1);
						else if (isByUpdate) now.unshift(...now.splice(at, 1));
					}
					const isDropped = ({ id }: { id: string }) =>
						id.startsWith('E') || dropped.some((n) => id === `T${n}`);
					for (const id of provenEntries(order, read(now, pages), 0, isDropped))
						expect(id).toMatch(/^E/);
				},
			),
			{ numRuns: 3_000 },
		);
	});
});

describe('the order that is kept for the next poll', () => {
	test('the order is that of the list if all of it was read', () => {
		fc.assert(
			fc.property(fc.uniqueArray(fc.nat(199), { minLength: 1, maxLength: 60 }), (numbers) => {
				const now = numbers.map((n) => `T${n}`);
				const next = updatedOrder(orderOfIds(ids(100)), read(now, allPages(now)), EVERY, true);
				expect(next.total).toBe(now.length);
				for (const { key, rank } of next.marks) expect(keyOf(now[rank]!)).toBe(key);
			}),
		);
	});

	test('a record that entered shifts the marks after it, and none before it', () => {
		const list = ids(100);
		const now = list.toSpliced(42, 0, 'N');
		const next = updatedOrder(orderOfIds(list), read(now, [1, 5, 11], ['N']), EVERY, true);
		expect(next.total).toBe(101);
		for (const { key, rank } of next.marks) expect(keyOf(now[rank]!)).toBe(key);
	});

	test('the expected length does not include a record that entered at an unknown rank', () => {
		const list = ids(100);
		const order = orderOfIds(list);
		const next = updatedOrder(order, read(list.toSpliced(42, 0, 'N'), [1, 11]), EVERY, true);
		expect(next.total).toBe(100);
	});

	/** Marks of this order as texts: "T4 at 4". */
	const marksIn = ({ marks }: ListOrder): string[] =>
		marks.map(({ key, rank }) => `${ids(100).find((id) => keyOf(id) === key)!} at ${rank}`);

	const list = ids(60);

	test('marks are not closer than half of the distance', () => {
		const first = (now: string[]) =>
			marksIn(updatedOrder(orderOfIds(list), read(now, allPages(now)), EVERY)).slice(0, 3);
		// Before the first mark, two records are missing, or three.
		expect(first(list.slice(2))).toEqual(['T4 at 2', 'T9 at 7', 'T14 at 12']);
		expect(first(list.slice(3))).toEqual(['T7 at 4', 'T12 at 9', 'T17 at 14']);
	});

	describe('if a part was read that is longer than the known changes explain', () => {
		const now = ['N1', ...list];
		const after = (
			knowsAll: boolean,
			isUnclear: typeof isUnknown,
			given = now,
			entered?: string[],
		) =>
			updatedOrder(
				orderOfIds(list),
				read(given, allPages(given), entered),
				EVERY,
				knowsAll,
				isUnclear,
			);

		test('it keeps its expected length if a record may have entered: the next poll can prove it', () => {
			const next = after(true, isUnknown);
			expect(next.total).toBe(60);
			for (const { key, rank } of next.marks) expect(keyOf(list[rank]!)).toBe(key);
		});

		test.each<[why: string, next: ListOrder]>([
			['no record may have', after(true, () => false)],
			['records were dropped: what was proven is decided', after(false, isUnknown)],
		])('it has its new length if %s', (_why, next) => {
			expect(next.total).toBe(61);
			for (const { key, rank } of next.marks) expect(keyOf(now[rank]!)).toBe(key);
		});

		test('a record that is known to have entered leaves no doubt', () => {
			// T57 has moved up.
			const moved = ['T57', 'N1', ...list.toSpliced(57, 1)];
			expect(after(true, isUnknown, moved, ['N1']).total).toBe(61);
		});

		test('in a part that is shorter, none has entered', () => {
			const isT10 = ({ id }: { id: string }) => id === 'T10';
			expect(after(true, isT10, list.toSpliced(14, 1)).total).toBe(59);
		});
	});

	describe('if a part was not read completely', () => {
		/** Two marks, far apart. */
		const sparse: ListOrder = {
			marks: [9, 89].map((rank) => ({ key: keyOf(`T${rank}`), rank })),
			total: 100,
		};

		test('and is longer, it keeps its expected length: the next search begins there', () => {
			const now = ids(100).toSpliced(45, 0, 'N1');
			expect(updatedOrder(sparse, read(now, [1, 10, 11]), EVERY).total).toBe(100);
		});

		test('and is shorter, it has its new length, because no mark has to move', () => {
			const now = ids(100).toSpliced(45, 1);
			const next = updatedOrder(sparse, read(now, [1, 9, 10]), EVERY);
			expect(next.total).toBe(99);
			for (const { key, rank } of next.marks) expect(keyOf(now[rank]!)).toBe(key);
			// A mark may have to.
			expect(updatedOrder(orderOfIds(ids(100)), read(now, [1, 10]), EVERY).total).toBe(100);
		});

		test.each<[pages: number[], knowsAll: boolean | undefined, marks: string[]]>([
			[[1, 2, 4, 10, 11], undefined, ['T14 at 14', 'T19 at 19']],
			[[1, 2, 4, 10, 11], true, ['T14 at 14', 'T19 at 19']],
			[[1, 3, 4, 10, 11], true, []],
			[[1, 2, 4, 10, 11], false, []],
		])(
			'of its pages %j, those right after a mark have certain ranks, if every record is known (%j): %j',
			(pages, knowsAll, marks) => {
				const now = ids(100).toSpliced(45, 0, 'N1');
				const next = updatedOrder(sparse, read(now, pages), EVERY, knowsAll);
				const ends = {
					start: ['T4 at 4', 'T9 at 9'],
					end: ['T89 at 89', 'T93 at 93', 'T98 at 98'],
				};
				expect(marksIn(next)).toEqual([...ends.start, ...marks, ...ends.end]);
			},
		);
	});

	test.each([8, 9])('rows behind a total of %i have no rank', (total) => {
		const order = orderOfIds(ids(10));
		const next = updatedOrder(order, { ...read(ids(12), [1, 2]), total }, EVERY);
		expect([next.total, marksIn(next)]).toEqual([total, ['T4 at 4']]);
	});

	test('a record that left loses its mark, and the marks after it move up by one', () => {
		const list = ids(20);
		const next = withoutKey(orderOfIds(list), keyOf('T9'));
		expect(next.total).toBe(19);
		const now = list.filter((id) => id !== 'T9');
		for (const { key, rank } of next.marks) expect(keyOf(now[rank]!)).toBe(key);
	});
});
