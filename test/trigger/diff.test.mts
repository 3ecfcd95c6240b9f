import type { Baseline } from '../../nodes/ConversationalMessaging/trigger/baseline.ts';
import { diff } from '../../nodes/ConversationalMessaging/trigger/diff.ts';
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
			named: status === 'OPEN',
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
		const running = {
			is: 'running',
			page: 1,
			pass: 1,
			last: [],
			total: 9,
			isConsistent: true,
		} as const;
		expect(changesIn(baseline({}, { backfill: running }), [page('OPEN', ['A'])])).toEqual([]);
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
});
