/** What a baseline says about its lists. */
import {
	type Backfill,
	type Baseline,
	hasArchives,
	isArchive,
	isStale,
	passOf,
	sizeOf,
	unknownChanges,
	withoutArchives,
} from '../../nodes/ConversationalMessaging/trigger/baseline.ts';
import { TrackedRecords } from '../../nodes/ConversationalMessaging/trigger/tracked.ts';
import { baseline, many } from './checkpoints.mts';

const known = (change: Partial<Baseline>) => baseline(new TrackedRecords(), change);

test.each<[status: string, isOne: boolean]>([
	['CLOSED', true],
	// It is empty, but it was not read in full.
	['RESOLVED', true],
	['OPEN', false],
	// Its total is not known.
	['IN_PROGRESS', false],
])('the list %s is an archive: %j', (status, isOne) => {
	const before = known({ counts: { OPEN: 3, CLOSED: 9, RESOLVED: 0 }, exact: ['OPEN'] });
	expect(isArchive(before, status)).toBe(isOne);
	expect(hasArchives({ ...before, exact: ['OPEN', 'CLOSED', 'RESOLVED'] })).toBe(false);
	expect([hasArchives(before), sizeOf(before)]).toEqual([true, 12]);
});

test.each<[backfill: Backfill, changes: number]>([
	[{ is: 'complete' }, 0],
	[passOf(1), 0],
	[{ is: 'truncated' }, 4],
])('with %j, an unknown record may have had %j changes', (backfill, changes) => {
	expect(unknownChanges(known({ backfill, eventfulPolls: 4 }))).toBe(changes);
});

describe('records of archives that were deleted', () => {
	const stale = (change: Partial<Baseline>) => isStale(baseline(many(90, 30), change));

	test.each<[counts: Record<string, number>, isOne: boolean]>([
		[{ OPEN: 30, CLOSED: 90 }, false],
		[{ OPEN: 30, CLOSED: 80 }, false],
		[{ OPEN: 30, CLOSED: 79 }, true],
		[{ OPEN: 30, CLOSED: 0 }, true],
	])('of 120 tracked records, %j are left: many were deleted, %j', (counts, isOne) => {
		expect(stale({ counts })).toBe(isOne);
	});

	test.each<[why: string, change: Partial<Baseline>]>([
		['records were dropped', { backfill: { is: 'truncated' } }],
		['the list is being read', { backfill: passOf(1) }],
		['there is no archive', { exact: ['CLOSED', 'OPEN'] }],
	])('cannot be many if %s', (_why, change) => {
		expect(stale({ counts: { OPEN: 10, CLOSED: 10 }, ...change })).toBe(false);
	});
});

test('a baseline without its archives keeps what is tracked by ID, and reads the list again', () => {
	const before = baseline(many(3, 2), { rotation: 7 });
	const after = withoutArchives(before);
	expect(after.tracked.byId).toBe(before.tracked.byId);
	expect({ ...after, tracked: undefined }).toEqual({
		...before,
		tracked: undefined,
		epoch: 't8-4',
		exact: [],
		orders: {},
		sweeps: {},
		backfill: passOf(1),
	});
	expect([after.tracked.size, after.tracked.bits]).toEqual([2, before.tracked.bits]);
});
