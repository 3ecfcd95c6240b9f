/** Reading a long list once, in two parts, while it changes. */
import { backfill } from '../../nodes/ConversationalMessaging/trigger/backfill.ts';
import { type Baseline, passOf } from '../../nodes/ConversationalMessaging/trigger/baseline.ts';
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { Lister } from '../../nodes/ConversationalMessaging/trigger/lister.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { TrackedRecords } from '../../nodes/ConversationalMessaging/trigger/tracked.ts';
import { baseline as baselineOf, edit } from './checkpoints.mts';
import { SMALL } from './script.mts';
import { outage } from './service.mts';

/** Pages of three, read two at a time. */
const SOURCE = { ...tickets, pageSize: 3 };
const LIMITS = { ...SMALL, backfillPages: 2 };

class List {
	ids: string[];

	requested: number[] = [];

	/** Rows that totals include, although no page shows them. */
	hidden = 0;

	hasTotals = true;

	/** Pages that cannot be read. */
	fails: (page: number) => boolean = () => false;

	/** What happens before a page is read. */
	before: (page: number) => void = () => undefined;

	constructor(ids: string) {
		this.ids = Array.from(ids);
	}

	lister(): Lister {
		const page = async ({ page: given }: { page?: unknown }) => {
			const number = Number(given);
			this.requested.push(number);
			this.before(number);
			if (this.fails(number)) throw outage();
			const rows = this.ids
				.slice((number - 1) * 3, number * 3)
				.map((id) => ({ id, status: 'CLOSED' }));
			const total = this.hasTotals ? this.ids.length + this.hidden : undefined;
			return await Promise.resolve({ rows, meta: { total, limit: 3 } });
		};
		return new Lister({ page, record: async () => await Promise.resolve(undefined) }, SOURCE);
	}

	async readOn(before: Baseline, limits = LIMITS): Promise<Baseline> {
		this.requested = [];
		return await backfill(this.lister(), () => this.lister(), before, limits);
	}
}

const start = (pass: 1 | 2 = 1, tracked = new TrackedRecords()): Baseline =>
	baselineOf(tracked, { backfill: passOf(pass), orders: {} });

/** "complete", "truncated", or "page 2 of pass 1" with a question mark if a row may have been missed. */
const state = ({ backfill: now }: Baseline): string =>
	now.is === 'running'
		? `page ${now.page} of pass ${now.pass}${now.isConsistent ? '' : '?'}`
		: now.is;

const LETTERS = 'abcdefghi';

test('each part begins with the last page of the one before, and reads no gap', async () => {
	const list = new List(LETTERS);
	const half = await list.readOn(start());
	expect([state(half), list.requested]).toEqual(['page 2 of pass 1', [1, 2]]);
	expect(half.backfill).toMatchObject({ last: ['d', 'e', 'f'].map(keyOf), total: 9 });
	const whole = await list.readOn(half);
	expect([state(whole), list.requested]).toEqual(['complete', [2, 3]]);
	for (const id of LETTERS)
		expect(whole.tracked.find(id, 'CLOSED')).toMatchObject({ status: 'CLOSED', changes: 0 });
	expect(whole.orders).toMatchObject({ CLOSED: { total: 9 } });
});

test('records of the first and the last page change most: they are dropped later', async () => {
	const list = new List(LETTERS);
	const { tracked } = await list.readOn(await list.readOn(start()));
	const recencies = Array.from(LETTERS)
		.map((id) => tracked.find(id, 'CLOSED')!.recency)
		.join('');
	expect(recencies).toBe('111000111');
});

test('what is known already stays as it is', async () => {
	const known = { status: 'CLOSED', changes: 4, recency: 2 as const };
	const tracked = new TrackedRecords().with([{ id: 'b', to: known }]);
	const list = new List('abc');
	const after = await list.readOn(start(1, tracked));
	expect([after.tracked.find('b', 'CLOSED'), after.tracked.size]).toEqual([known, 3]);
});

test.each<[what: string, ids: string, state: string]>([
	['nothing changes', 'abcdefghi', 'complete'],
	['a record is added at the top', 'Aabcdefghi', 'complete'],
	['more than a page is added at the top', 'ABCDabcdefghi', 'page 4 of pass 1'],
	['a record is added at the end', 'abcdefghij', 'complete'],
	['a record of the part that was read is replaced', 'Aabdefghi', 'complete'],
	['a record of the part that was read is deleted', 'abdefghi', 'page 0 of pass 2'],
	['a record is added between those of the last page', 'abcdXefghi', 'page 0 of pass 2'],
	['a record of the last page is replaced', 'abcdeXghi', 'page 0 of pass 2'],
	['a record is added at the top, and another one is deleted', 'Aabcdefgh', 'page 0 of pass 2'],
	['most of the list is deleted', 'abc', 'page 0 of pass 2'],
])('if between two parts %s: %s, then %s', async (_what, ids, expected) => {
	const list = new List(LETTERS);
	const half = await list.readOn(start());
	list.ids = Array.from(ids);
	// The poll has seen the new ones.
	const added = list.ids.filter((id) => !LETTERS.includes(id)).map((id) => edit(id, 'CLOSED'));
	const next = { ...half, tracked: half.tracked.with(added) };
	expect(state(await list.readOn(next))).toBe(expected);
});

test.each<[what: string, page: number, ids: string, state: string]>([
	['a record is added at the top', 2, 'Aabcdefghi', 'page 2 of pass 1'],
	['a record is added at the end', 2, 'abcdefghij', 'page 2 of pass 1'],
	['a record of the first page is deleted', 2, 'bcdefghi', 'page 2 of pass 1?'],
	['two are added, and one is deleted further down', 2, 'ABabcdefgh', 'page 2 of pass 1?'],
])('if during a part %s', async (_what, page, ids, expected) => {
	const list = new List(LETTERS);
	list.before = (number) => {
		if (number === page) list.ids = Array.from(ids);
	};
	expect(state(await list.readOn(start()))).toBe(expected);
});

test('a row that may have been missed makes the list be read again, once', async () => {
	const list = new List(LETTERS);
	let state1 = await list.readOn(start());
	list.ids.shift();
	state1 = await list.readOn(state1);
	expect(state(state1)).toBe('page 0 of pass 2');
	state1 = await list.readOn(state1);
	list.ids.shift();
	expect(state(await list.readOn(state1))).toBe('truncated');
	// Without another change, it is complete.
	const again = new List(LETTERS);
	expect(state(await again.readOn(await again.readOn(start(2))))).toBe('complete');
});

test('doubts of an earlier part remain', async () => {
	const list = new List('abcdefghijklmno');
	let now = await list.readOn(start());
	list.ids.shift();
	now = await list.readOn(now);
	expect(state(now)).toBe('page 4 of pass 1?');
	expect(state(await list.readOn(now))).toBe('page 0 of pass 2');
});

test('a total that is higher than the number of rows leaves a doubt', async () => {
	const list = new List('abcde');
	list.hidden = 1;
	expect(state(await list.readOn(start()))).toBe('page 0 of pass 2');
	expect(state(await list.readOn(start(2)))).toBe('truncated');
});

test('records that share a key count as one, which leaves no doubt', async () => {
	const tracked = new TrackedRecords(new Map(), new Map(), 2);
	const list = new List(LETTERS);
	const after = await list.readOn(await list.readOn(start(1, tracked)));
	expect(after.tracked.size).toBeLessThan(9);
	expect(state(after)).toBe('complete');
});

test('of more records than are kept, the rest is not read, and the order proves nothing', async () => {
	const list = new List(LETTERS);
	const limits = { ...LIMITS, backfillRecords: 4, backfillPages: 9 };
	const after = await list.readOn(start(), limits);
	expect([state(after), list.requested, after.orders]).toEqual(['truncated', [1, 2], {}]);
	const exact = new List('abcdef');
	expect(state(await exact.readOn(start(), { ...limits, backfillRecords: 6 }))).toBe('complete');
});

test.each([1, 4, 6])(
	'without totals, a list of %i is read until a page is empty',
	async (count) => {
		const list = new List(LETTERS.slice(0, count));
		list.hasTotals = false;
		let now = await list.readOn(start());
		for (let part = 0; part < 3 && now.backfill.is === 'running'; part++)
			now = await list.readOn(now);
		expect([state(now), now.tracked.size]).toEqual(['complete', count]);
		expect(list.requested.at(-1)).toBeLessThanOrEqual(Math.ceil(count / 3) + 2);
	},
);

test.each<[count: number, pages: number, state: string]>([
	// The first page, and eight at once behind it.
	[3, 9, 'complete'],
	[24, 9, 'complete'],
	[30, 17, 'complete'],
	[60, 20, 'page 20 of pass 1'],
])(
	'without totals, a part for a list of %i reads %i pages: eight at once, until one is empty',
	async (count, pages, expected) => {
		const list = new List('');
		list.ids = Array.from({ length: count }, (_, i) => `T${i}`);
		list.hasTotals = false;
		const after = await list.readOn(start(), { ...LIMITS, backfillPages: 20 });
		expect([list.requested.length, state(after)]).toEqual([pages, expected]);
	},
);

test('without totals, nothing is read behind a first page that is empty', async () => {
	const list = new List('');
	list.hasTotals = false;
	expect(state(await list.readOn(start()))).toBe('complete');
	expect(list.requested).toEqual([1]);
});

test('an outage ends a part: the next one goes on where it ended', async () => {
	const list = new List(LETTERS);
	list.fails = (page) => page >= 2;
	const half = await list.readOn(start());
	expect(state(half)).toBe('page 1 of pass 1');
	list.fails = () => true;
	expect(await list.readOn(half)).toBe(half);
	list.fails = () => false;
	expect(state(await list.readOn(half))).toBe('complete');
});

test('pages behind one that could not be read are read again: there is no gap', async () => {
	const list = new List(LETTERS);
	list.fails = (page) => page === 2;
	const limits = { ...LIMITS, backfillPages: 9 };
	const half = await list.readOn(start(), limits);
	expect([state(half), list.requested]).toEqual(['page 1 of pass 1', [1, 2, 3]]);
	expect(half.tracked.size).toBe(3);
	list.fails = () => false;
	expect([state(await list.readOn(half, limits)), list.requested]).toEqual(['complete', [1, 2, 3]]);
});

test('records that are added before each page of a part are not missed: as many rows occur again', async () => {
	const list = new List(LETTERS);
	list.before = () => list.ids.unshift('ABC'.charAt(list.requested.length - 1));
	const part = await list.readOn(start(), { ...LIMITS, backfillPages: 3 });
	expect(state(part)).toBe('page 3 of pass 1');
});

test('nothing is read after an outage of the poll, or if all is known', async () => {
	const list = new List(LETTERS);
	list.fails = () => true;
	const failed = list.lister();
	await failed.page(1);
	const before = start();
	expect(await backfill(failed, () => list.lister(), before, LIMITS)).toBe(before);
	const complete = { ...before, backfill: { is: 'complete' as const } };
	list.requested = [];
	expect(await list.readOn(complete)).toBe(complete);
	expect(list.requested).toEqual([]);
});
