import { type Baseline, passOf } from '../../nodes/ConversationalMessaging/trigger/baseline.ts';
import { countDeltas, diff } from '../../nodes/ConversationalMessaging/trigger/diff.ts';
import { KEY_BITS, keyOf, shortened } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import type { ListedPage } from '../../nodes/ConversationalMessaging/trigger/lister.ts';
import { observationOf } from '../../nodes/ConversationalMessaging/trigger/observation.ts';
import { orderOf } from '../../nodes/ConversationalMessaging/trigger/order.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { TrackedRecords } from '../../nodes/ConversationalMessaging/trigger/tracked.ts';

const tracked = (statuses: Record<string, string>) =>
	new TrackedRecords().with(
		Object.entries(statuses).map(([id, status]) => ({
			id,
			to: { status, changes: 2, recency: 0 as const },
			keepsId: status === 'OPEN',
		})),
	);

const baseline = (statuses: Record<string, string>, change: Partial<Baseline> = {}): Baseline => ({
	epoch: 'e',
	tracked: tracked(statuses),
	counts: {},
	exact: [],
	orders: {},
	backfill: { is: 'complete' },
	eventfulPolls: 7,
	rotation: 0,
	pageSize: 200,
	sweeps: {},
	cursors: { left: 0, unlisted: 0 },
	...change,
});

const page = (status: string, ids: string[], total = ids.length): ListedPage => ({
	status,
	number: 1,
	size: 10,
	total,
	length: ids.length,
	records: ids.map((id) => ({ id, status, record: { id, status } })),
});

const observed = (pages: ListedPage[], archives: string[] = []) =>
	observationOf({ pages, complete: new Map(), archives: new Set(archives) });

const changesIn = (before: Baseline, pages: ListedPage[], archives?: string[]) =>
	diff(before, observed(pages, archives), tickets).map(
		({ id, previousStatus, status, ordinal }) =>
			`${id} ${previousStatus ?? '(new)'}>${status} ${ordinal}`,
	);

const TRUNCATED = { backfill: { is: 'truncated' } } as const;

describe('the changes between a baseline and an observation', () => {
	test('a record with another status has changed, with the next ordinal', () => {
		expect(changesIn(baseline({ A: 'OPEN' }), [page('CLOSED', ['A'])])).toEqual([
			'A OPEN>CLOSED 3',
		]);
	});

	test('a record that was not observed has not changed', () => {
		expect(changesIn(baseline({ A: 'OPEN' }), [])).toEqual([]);
	});

	test('a status in another case is not a change', () => {
		expect(changesIn(baseline({ A: 'open' }), [page('OPEN', ['A'])])).toEqual([]);
	});

	test('an unknown record is new if every record is known', () => {
		expect(changesIn(baseline({}), [page('OPEN', ['A'])])).toEqual(['A (new)>OPEN 1']);
	});

	test('of a record that was read twice, the last status counts', () => {
		const pages = [page('OPEN', ['A']), page('CLOSED', ['A'])];
		expect(changesIn(baseline({ A: 'OPEN' }), pages)).toEqual(['A OPEN>CLOSED 3']);
	});

	test('an unknown record is not a change while the backfill is running', () => {
		const before = baseline({}, { backfill: passOf(1) });
		expect(changesIn(before, [page('OPEN', ['A'])])).toEqual([]);
	});

	test('nor is one that seems to have entered an archive, if keys have become short meanwhile', () => {
		const known = ['K1', 'K2', 'K3', 'K4'];
		const before = baseline(
			{},
			{
				backfill: passOf(2),
				tracked: new TrackedRecords(new Map(), new Map(), 30).with(
					known.map((id) => ({ id, to: { status: 'CLOSED', changes: 0, recency: 0 } })),
				),
				counts: { CLOSED: 4 },
				orders: { CLOSED: orderOf(known.map(keyOf), 2) },
			},
		);
		expect(changesIn(before, [page('CLOSED', ['A', ...known])], ['CLOSED'])).toEqual([]);
	});
});

describe('an unknown record, after others were dropped', () => {
	test('an unknown record is new in a list of which every record was known', () => {
		const before = baseline({}, { ...TRUNCATED, exact: ['OPEN'] });
		expect(changesIn(before, [page('OPEN', ['A'])])).toEqual(['A (new)>OPEN 8']);
	});

	test('an unknown record counts as old in an archive', () => {
		expect(changesIn(baseline({}, TRUNCATED), [page('CLOSED', ['A'])], ['CLOSED'])).toEqual([]);
	});

	const known = ['K1', 'K2', 'K3', 'K4'];
	const archive = (counts = 4): Baseline =>
		baseline(
			{ K1: 'CLOSED', K2: 'CLOSED' },
			{
				...TRUNCATED,
				counts: { CLOSED: counts },
				orders: { CLOSED: orderOf(known.map(keyOf), 2) },
			},
		);

	test('an unknown record is new in an archive that has grown exactly where the record is', () => {
		const pages = [page('CLOSED', ['A', 'K1', 'K2', 'K3', 'K4'])];
		expect(changesIn(archive(), pages, ['CLOSED'])).toEqual(['A (new)>CLOSED 8']);
	});

	test('an unknown record is new in an archive that another record left', () => {
		const before = archive();
		before.tracked = tracked({ K1: 'CLOSED', K3: 'CLOSED', N: 'OPEN' });
		const pages = [
			page('CLOSED', ['A', 'K1', 'K2', 'K4']),
			page('OPEN', ['K3']),
			page('RESOLVED', ['N']),
		];
		expect(changesIn(before, pages, ['CLOSED'])).toEqual([
			'K3 CLOSED>OPEN 3',
			'N OPEN>RESOLVED 3',
			'A (new)>CLOSED 8',
		]);
	});

	test('an unknown record is new beside a known one that entered the archive too', () => {
		const before = archive();
		before.tracked = tracked({ K1: 'CLOSED', K2: 'CLOSED', N: 'OPEN' });
		const pages = [page('CLOSED', ['N', 'A', 'K1', 'K2', 'K3', 'K4'])];
		expect(changesIn(before, pages, ['CLOSED'])).toEqual(['N OPEN>CLOSED 3', 'A (new)>CLOSED 8']);
	});

	test('an unknown record counts as old in an archive with a record that was read elsewhere too', () => {
		const before = archive();
		before.tracked = tracked({ K1: 'CLOSED', K2: 'CLOSED', N: 'OPEN' });
		const pages = [page('CLOSED', ['N', 'A', 'K1', 'K2', 'K3', 'K4']), page('OPEN', ['N'])];
		expect(changesIn(before, pages, ['CLOSED'])).toEqual([]);
	});

	test('unknown records count as old in an archive that has grown by fewer records', () => {
		const pages = [page('CLOSED', ['K1', 'K2', 'K3', 'A', 'B'])];
		expect(changesIn(archive(), pages, ['CLOSED'])).toEqual([]);
	});

	test('an unknown record counts as old in an archive whose earlier changes have no known rank', () => {
		const pages = [page('CLOSED', ['A', 'K1', 'K2', 'K3', 'K4'])];
		expect(changesIn(archive(5), pages, ['CLOSED'])).toEqual([]);
	});
});

describe('a record that shares its shortened key with another one', () => {
	const BITS = 12;
	const shortKey = (id: string) => shortened(keyOf(id), BITS);
	/** IDs with one key, and others with keys of their own. */
	const idsWithOneKey = (count: number): string[] => {
		const ids = Array.from({ length: 50_000 }, (_, i) => `T${i}`);
		const key = shortKey(ids[0]!);
		return ids.filter((id) => shortKey(id) === key).slice(0, count);
	};
	const [A, B, C] = idsWithOneKey(3) as [string, string, string];
	const others = ['K1', 'K2', 'K3', 'K4'];

	const shortKeys = (
		statuses: Record<string, string>,
		counts: Record<string, number>,
		closed: string[],
	): Baseline =>
		baseline(statuses, {
			tracked: new TrackedRecords(new Map(), new Map(), BITS).with(
				Object.entries(statuses).map(([id, status], i) => ({
					id,
					to: { status, changes: i, recency: 0 as const },
				})),
			),
			counts,
			orders: { CLOSED: orderOf(closed.map(keyOf), 2) },
		});
	const closed = Object.fromEntries(others.map((id) => [id, 'CLOSED']));

	test('the records of these tests have one shortened key', () => {
		expect(new Set([A, B, C]).size).toBe(3);
		expect(new Set([A, B, C].map(shortKey)).size).toBe(1);
		expect(BITS).toBeLessThan(KEY_BITS);
	});

	test('the record has changed if the list has grown exactly where it is', () => {
		const before = shortKeys(
			{ ...closed, [A]: 'CLOSED', [B]: 'RESOLVED' },
			{ CLOSED: 5, RESOLVED: 9 },
			[...others, A],
		);
		const pages = [page('CLOSED', [B, ...others, A])];
		expect(changesIn(before, pages, ['CLOSED', 'RESOLVED'])).toEqual([`${B} RESOLVED>CLOSED 6`]);
	});

	test('the record is unchanged if the list has not grown', () => {
		const before = shortKeys(
			{ ...closed, [A]: 'CLOSED', [B]: 'RESOLVED' },
			{ CLOSED: 5, RESOLVED: 9 },
			[A, ...others],
		);
		const pages = [page('CLOSED', [A, ...others])];
		expect(changesIn(before, pages, ['CLOSED', 'RESOLVED'])).toEqual([]);
	});

	test('the record is unchanged if either of the two may have entered the list', () => {
		const before = shortKeys(
			{ ...closed, [A]: 'CLOSED', [B]: 'RESOLVED' },
			{ CLOSED: 5, RESOLVED: 9 },
			[A, ...others],
		);
		const pages = [page('CLOSED', [B, A, ...others])];
		expect(changesIn(before, pages, ['CLOSED', 'RESOLVED'])).toEqual([]);
	});

	test.each([
		['OPEN', 9, 8],
		['RESOLVED', 8, 9],
	])(
		'the record has changed from %s if that list is shorter than expected',
		(previous, resolved, open) => {
			const before = shortKeys({ [A]: 'RESOLVED', [B]: 'OPEN' }, { RESOLVED: 9, OPEN: 9 }, []);
			const pages = [
				page('RESOLVED', [], resolved),
				page('OPEN', [], open),
				page('CLOSED', [C], 1),
			];
			expect(changesIn(before, pages, ['CLOSED', 'RESOLVED', 'OPEN'])).toEqual([
				`${C} ${previous}>CLOSED 2`,
			]);
		},
	);

	test.each([
		['after', ['PENDING', 'CLOSED']],
		['before', ['CLOSED', 'PENDING']],
	])(
		'the record, read %s another change, has changed from the list whose length that does not explain',
		(...given) => {
			const [, order] = given;
			const before = shortKeys({ [A]: 'OPEN', [B]: 'RESOLVED' }, { OPEN: 9, RESOLVED: 20 }, []);
			before.tracked = before.tracked.with([
				{ id: 'N', to: { status: 'OPEN', changes: 0, recency: 0 }, keepsId: true },
			]);
			const changed = { PENDING: page('PENDING', ['N'], 1), CLOSED: page('CLOSED', [C], 1) };
			const pages = [
				page('RESOLVED', [], 19),
				page('OPEN', [], 8),
				...order.map((status) => changed[status as keyof typeof changed]),
			];
			expect(changesIn(before, pages, ['CLOSED', 'RESOLVED', 'OPEN'])).toEqual([
				'N OPEN>PENDING 1',
				`${C} RESOLVED>CLOSED 2`,
			]);
		},
	);
});

describe('a record that may have the shortened key of a dropped one', () => {
	const BITS = 30;
	const [A, B, N] = ['A', 'B', 'N'];
	const trackedBy = (bits: number, ids: string[]) =>
		new TrackedRecords(new Map(), new Map(), bits).with(
			[A, B, N].map((id) => ({
				id,
				to: { status: 'OPEN', changes: 0, recency: 0 as const },
				keepsId: ids.includes(id),
			})),
		);
	const before = (change: Partial<Baseline> = {}, ids: string[] = [N]): Baseline =>
		baseline(
			{},
			{
				...TRUNCATED,
				tracked: trackedBy(BITS, ids),
				counts: { CLOSED: 5, OPEN: 9 },
				...change,
			},
		);

	test.each<[total: number, ids: string[], changes: string[]]>([
		[5, [A], []],
		[6, [A], ['A OPEN>CLOSED 1']],
		[6, [A, B], []],
		[7, [A, B], ['A OPEN>CLOSED 1', 'B OPEN>CLOSED 1']],
		[6, [A, N], ['N OPEN>CLOSED 1']],
		[7, [A, N], ['N OPEN>CLOSED 1', 'A OPEN>CLOSED 1']],
	])(
		'has changed only if its list of 5 is longer by as many records: with %d, %j has the changes %j',
		(total, ids, changes) => {
			expect(changesIn(before(), [page('CLOSED', ids, total)])).toEqual(changes);
		},
	);

	test('has changed only if its own list is longer', () => {
		const pages = [page('CLOSED', [A], 6), page('RESOLVED', [B], 5)];
		const known = before({ counts: { CLOSED: 5, RESOLVED: 5 } });
		expect(changesIn(known, pages)).toEqual(['A OPEN>CLOSED 1']);
	});

	test('has entered a list of unknown length with its first record', () => {
		expect(changesIn(before({ counts: {} }), [page('CLOSED', [A], 1)])).toEqual([
			'A OPEN>CLOSED 1',
		]);
	});

	test.each<[why: string, known: Baseline]>([
		['no record was dropped', before({ backfill: { is: 'complete' } })],
		['keys are whole', before({ tracked: trackedBy(KEY_BITS, [N]) })],
		['it is known by its ID', before({}, [A, N])],
		['all records of its list are known', before({ exact: ['CLOSED'] })],
	])('has certainly changed if %s', (_why, known) => {
		expect(changesIn(known, [page('CLOSED', [A], 5)])).toEqual(['A OPEN>CLOSED 1']);
	});
});

test('changes, deletions and departures add up to the expected difference of each list', () => {
	const before = baseline({ A: 'OPEN', B: 'OPEN', C: 'OPEN', D: 'CLOSED' });
	const changes = diff(before, observed([page('CLOSED', ['A']), page('OPEN', ['E'])]), tickets);
	const deltas = countDeltas(before, changes, { deleted: ['B', 'D'], outOfScope: ['C', 'X'] });
	// A left and E entered; B was deleted, and C left the subscription. D is known only by its key.
	expect(Object.fromEntries(deltas)).toEqual({ OPEN: -2, CLOSED: 1 });
});
