/** What the pages that one poll has read say about a list: its total, and the ranks of its rows. */
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import type { ListedPage } from '../../nodes/ConversationalMessaging/trigger/lister.ts';
import {
	observationOf,
	reportedTotal,
	rowsOf,
	withPages,
} from '../../nodes/ConversationalMessaging/trigger/observation.ts';

/** A page of three rows of the list of closed records. */
const page = (number: number, ids: string, more: Partial<ListedPage> = {}): ListedPage => ({
	status: 'CLOSED',
	number,
	size: 3,
	total: 8,
	length: ids.length,
	records: Array.from(ids, (id) => ({ id, status: more.status ?? 'CLOSED', record: { id } })),
	...more,
});

const observed = (...pages: ListedPage[]) =>
	observationOf({ pages, complete: new Map(), archives: new Set(['CLOSED']) });

/** Ranks and IDs of the rows: "0a 1b"; undefined if nothing is certain. */
function ranks(...pages: ListedPage[]): string | undefined {
	const list = rowsOf(observed(...pages), 'CLOSED', new Set());
	return list && [...list.rows].map(([rank, { id }]) => `${rank}${id}`).join(' ');
}

test('at first, nothing was looked up', () => {
	const { deleted, outOfScope, inFull } = observed(page(1, 'abc'));
	expect([deleted, outOfScope, inFull.size]).toEqual([[], [], 0]);
});

test('a record is as it was read last', () => {
	const { records, pages } = withPages(observed(page(1, 'ab')), [
		page(1, 'bc', { status: 'OPEN' }),
	]);
	const statuses = [...records.values()].map(({ id, status }) => `${id} ${status}`);
	expect(statuses).toEqual(['a CLOSED', 'b OPEN', 'c OPEN']);
	expect(pages.map(({ status }) => status)).toEqual(['CLOSED', 'OPEN']);
});

test('the total of a list is the one that was read last, of this list', () => {
	const all = observed(
		page(1, 'abc'),
		page(1, 'abc', { total: 9 }),
		page(1, 'x', { status: 'OPEN' }),
	);
	expect(reportedTotal(all, 'CLOSED')).toBe(9);
	expect(reportedTotal(all, 'RESOLVED')).toBeUndefined();
});

describe('the ranks of the rows of a list', () => {
	test.each<[what: string, pages: ListedPage[], ranks: string | undefined]>([
		['of one page', [page(1, 'abc')], '0a 1b 2c'],
		['of pages that do not follow each other', [page(3, 'gh'), page(1, 'abc')], '6g 7h 0a 1b 2c'],
		['of a page that was read twice', [page(1, 'abc'), page(1, 'abc')], '0a 1b 2c'],
		[
			'are not those of another list',
			[page(2, 'def'), page(1, 'xyz', { status: 'OPEN' })],
			'3d 4e 5f',
		],
		['are not known of a list that was not read', [page(1, 'x', { status: 'OPEN' })], undefined],
		['are not known without a total', [page(1, 'abc', { total: undefined })], undefined],
		[
			'are not known if the total of one page has changed',
			[page(1, 'abc'), page(2, 'def'), page(3, 'ghi', { total: 9 })],
			undefined,
		],
		[
			'are not known if the total of one page is missing',
			[page(1, 'abc'), page(2, 'def', { total: undefined })],
			undefined,
		],
		['are not known if a record has two', [page(1, 'abc'), page(2, 'cde')], undefined],
		['are not known if two records have one', [page(1, 'abc'), page(1, 'abd')], undefined],
	])('%s', (_what, pages, expected) => {
		expect(ranks(...pages)).toBe(expected);
	});

	test('come with the total and the page size, and with the records that have entered', () => {
		const list = rowsOf(observed(page(1, 'ab')), 'CLOSED', new Set(['b', 'x']));
		expect(list).toEqual({
			total: 8,
			size: 3,
			rows: new Map([
				[0, { id: 'a', key: keyOf('a'), entered: false }],
				[1, { id: 'b', key: keyOf('b'), entered: true }],
			]),
		});
	});
});
