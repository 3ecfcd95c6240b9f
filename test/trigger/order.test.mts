import fc from 'fast-check';
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import type { ReadList } from '../../nodes/ConversationalMessaging/trigger/order.ts';
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
	])('unknown records are %s', (_what, now, pages, left, expected) => {
		expect(provenEntries(order, read(now, pages), left, isUnknown)).toEqual(expected);
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

	test('a record that left loses its mark, and the marks after it move up by one', () => {
		const list = ids(20);
		const next = withoutKey(orderOfIds(list), keyOf('T9'));
		expect(next.total).toBe(19);
		const now = list.filter((id) => id !== 'T9');
		for (const { key, rank } of next.marks) expect(keyOf(now[rank]!)).toBe(key);
	});
});
