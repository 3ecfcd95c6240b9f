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
	test('begins at both ends', () => {
		const list = ids(100);
		expect(pagesToSearch(orderOfIds(list), read([...list, 'N'], []))).toEqual([1, 11]);
	});

	test('ends at once when both ends explain the length of the list', () => {
		const order = orderOfIds(ids(100));
		const longer = ['N', ...ids(100)];
		expect(pagesToSearch(order, read(longer, [1, 11], ['N']))).toEqual([]);
	});

	test('finds the place within a logarithm of the pages, wherever it is', () => {
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

describe('an unknown record has provably entered its list', () => {
	const list = ids(60);
	const order = orderOfIds(list);
	test.each<[string, string[], number[], number, string[]]>([
		[
			'where the head is longer by as many as are unknown there',
			['N1', 'N2', ...list],
			[1, 2],
			0,
			['N1', 'N2'],
		],
		['where the end is', [...list, 'N1'], [6, 7], 0, ['N1']],
		['not where the list is as long as it was', ['N1', ...list.slice(0, 59)], [1, 6], 0, []],
		['not where some other part is longer', ['N1', ...list.toSpliced(30, 0, 'N2')], [1, 2], 0, []],
		[
			'not where fewer are known to have left than did',
			['N1', ...list.toSpliced(3, 1)],
			[1, 2],
			0,
			[],
		],
	])('%s', (_what, now, pages, left, expected) => {
		expect(provenEntries(order, read(now, pages), left, isUnknown)).toEqual(expected);
	});

	test('never, where old records are unknown and others move, come or go at any place', () => {
		const happening = fc.record({
			do: fc.constantFrom('enter', 'leave', 'touch'),
			place: fc.nat(59),
		});
		fc.assert(
			fc.property(
				fc.uniqueArray(fc.nat(59), { maxLength: 20 }),
				fc.array(happening, { maxLength: 4 }),
				fc.uniqueArray(fc.integer({ min: 1, max: 7 })),
				fc.boolean(),
				(dropped, happenings, pages, isByUpdate) => {
					const now = [...list];
					let made = 0;
					for (const { do: what, place } of happenings) {
						const at = place % Math.max(1, now.length);
						// Lists are ordered by creation, so that a change can be anywhere, or by update, so that it
						// is at the head.
						if (what === 'enter') now.splice(isByUpdate ? 0 : at, 0, `E${made++}`);
						else if (what === 'leave') now.splice(at, 1);
						else if (isByUpdate) now.unshift(...now.splice(at, 1));
					}
					const isForgotten = ({ id }: { id: string }) =>
						id.startsWith('E') || dropped.some((n) => id === `T${n}`);
					for (const id of provenEntries(order, read(now, pages), 0, isForgotten))
						expect(id).toMatch(/^E/);
				},
			),
			{ numRuns: 3_000 },
		);
	});
});

describe('the order that is kept for the next poll', () => {
	test('is the order of the list, when all of it was read', () => {
		fc.assert(
			fc.property(fc.uniqueArray(fc.nat(199), { minLength: 1, maxLength: 60 }), (numbers) => {
				const now = numbers.map((n) => `T${n}`);
				const next = updatedOrder(orderOfIds(ids(100)), read(now, allPages(now)), EVERY, true);
				expect(next.total).toBe(now.length);
				for (const { key, rank } of next.marks) expect(keyOf(now[rank]!)).toBe(key);
			}),
		);
	});

	test('moves every mark behind a record that entered, and none before it', () => {
		const list = ids(100);
		const now = list.toSpliced(42, 0, 'N');
		const next = updatedOrder(orderOfIds(list), read(now, [1, 5, 11], ['N']), EVERY, true);
		expect(next.total).toBe(101);
		for (const { key, rank } of next.marks) expect(keyOf(now[rank]!)).toBe(key);
	});

	test('stays as it should be where a record entered at a place that was not found', () => {
		const list = ids(100);
		const order = orderOfIds(list);
		const next = updatedOrder(order, read(list.toSpliced(42, 0, 'N'), [1, 11]), EVERY, true);
		expect(next.total).toBe(100);
	});

	test('loses the mark of a record that left, and shortens what is behind it', () => {
		const list = ids(20);
		const next = withoutKey(orderOfIds(list), keyOf('T9'));
		expect(next.total).toBe(19);
		const now = list.filter((id) => id !== 'T9');
		for (const { key, rank } of next.marks) expect(keyOf(now[rank]!)).toBe(key);
	});
});
