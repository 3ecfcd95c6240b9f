/** The order of the archives' lists after a poll: when it is determined, followed, or left as it was. */
import type { Baseline } from '../../nodes/ConversationalMessaging/trigger/baseline.ts';
import type { Change } from '../../nodes/ConversationalMessaging/trigger/diff.ts';
import type { Findings } from '../../nodes/ConversationalMessaging/trigger/findings.ts';
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { ordersAfter } from '../../nodes/ConversationalMessaging/trigger/listOrders.ts';
import { observationOf } from '../../nodes/ConversationalMessaging/trigger/observation.ts';
import { orderOf } from '../../nodes/ConversationalMessaging/trigger/order.ts';
import { baseline, edit } from './checkpoints.mts';
import { SMALL } from './script.mts';
import { TrackedRecords } from '../../nodes/ConversationalMessaging/trigger/tracked.ts';

const LIMITS = { ...SMALL, markEvery: 1 };
const keys = (ids: string) => Array.from(ids, keyOf);

/** Orders with a mark for every record: the IDs in their order, by status. */
const ordersOf = (lists: Record<string, string>): Baseline['orders'] =>
	Object.fromEntries(Object.entries(lists).map(([status, ids]) => [status, orderOf(keys(ids), 1)]));

interface Poll {
	/** Known orders before. */
	before?: Record<string, string>;
	/** The lists that were read completely, newest first. */
	read?: Record<string, string>;
	/** Expected numbers of records. */
	counts: Record<string, number>;
	changes?: [id: string, from: string, to: string][];
	more?: Partial<Findings>;
	backfill?: Baseline['backfill'];
	whole?: 'certain';
	exact?: string[];
}

function after({ before = {}, read = {}, counts, changes = [], more, ...poll }: Poll) {
	const pages = Object.entries(read).map(([status, ids]) => ({
		status,
		number: 1,
		size: 10,
		total: ids.length,
		length: ids.length,
		records: Array.from(ids, (id) => ({ id, status, record: { id } })),
	}));
	const tracked = new TrackedRecords().with(
		Object.entries(before).flatMap(([status, ids]) => Array.from(ids, (id) => edit(id, status))),
	);
	const observation = observationOf({
		pages,
		complete: new Map(),
		archives: new Set(Object.keys(read)),
		whole: poll.whole,
	});
	const findings: Findings = {
		observation,
		changes: changes.map(
			([id, from, status]) =>
				({ id, status, from: { status: from, changes: 0, recency: 0 }, ordinal: 1 }) as Change,
		),
		withheld: new Set(),
		failed: false,
		settled: new Map(),
		givenUp: new Set(),
		sweeps: {},
		cursors: { left: 0, unlisted: 0 },
		...more,
	};
	const known = baseline(tracked, {
		orders: ordersOf(before),
		backfill: poll.backfill ?? { is: 'complete' },
	});
	return ordersAfter(known, findings, counts, poll.exact ?? [], LIMITS);
}

test('an order that is not known is determined once the list is as long as expected', () => {
	expect(after({ read: { CLOSED: 'abc' }, counts: { CLOSED: 3 } })).toEqual(
		ordersOf({ CLOSED: 'abc' }),
	);
	expect(after({ read: { CLOSED: 'abc' }, counts: { CLOSED: 2 } })).toEqual({});
	expect(after({ counts: { CLOSED: 2 } })).toEqual({});
});

test('an order whose list contains more than was found is determined anew', () => {
	const more = { givenUp: new Set(['CLOSED']) };
	const poll = { before: { CLOSED: 'bc' }, read: { CLOSED: 'abc' }, more };
	expect(after({ ...poll, counts: { CLOSED: 3 } })).toEqual(ordersOf({ CLOSED: 'abc' }));
	expect(after({ ...poll, counts: { CLOSED: 2 } })).toEqual({});
});

test('an order is followed: what left is gone, and what entered has its place', () => {
	expect(
		after({
			before: { CLOSED: 'abc', RESOLVED: 'xyz' },
			read: { CLOSED: 'yac' },
			counts: { CLOSED: 3, RESOLVED: 2 },
			changes: [
				['b', 'CLOSED', 'OPEN'],
				['y', 'RESOLVED', 'CLOSED'],
			],
		}),
	).toEqual(ordersOf({ CLOSED: 'yac', RESOLVED: 'xz' }));
});

test('a record that moved keeps its place in the list that it entered, if a backfill has seen it there', () => {
	expect(
		after({
			before: { CLOSED: 'ab', RESOLVED: 'xa' },
			counts: { CLOSED: 1, RESOLVED: 2 },
			changes: [['a', 'CLOSED', 'RESOLVED']],
		}),
	).toEqual(ordersOf({ CLOSED: 'b', RESOLVED: 'xa' }));
});

test.each<[what: string, more: Partial<Findings>]>([
	['a poll that failed', { failed: true }],
	['a poll that withheld a change', { withheld: new Set(['z']) }],
])('%s gives no record a place', (_what, more) => {
	const poll = { read: { CLOSED: 'zab' }, counts: { CLOSED: 3 }, more };
	expect(after(poll)).toEqual({});
	expect(after({ ...poll, before: { CLOSED: 'ab' } })).toEqual(ordersOf({ CLOSED: 'ab' }));
	// What it knows to have left is gone.
	expect(after({ ...poll, before: { CLOSED: 'ab' }, changes: [['a', 'CLOSED', 'OPEN']] })).toEqual(
		ordersOf({ CLOSED: 'b' }),
	);
});

test('a list that is read completely in every poll needs no order', () => {
	const poll = { before: { CLOSED: 'ab' }, read: { CLOSED: 'ab' }, counts: { CLOSED: 2 } };
	expect(after({ ...poll, exact: ['CLOSED'] })).toEqual({});
});

test('during a backfill, orders are left to it, unless the whole list was read', () => {
	const poll: Poll = {
		before: { CLOSED: 'ab' },
		read: { CLOSED: 'cab' },
		counts: { CLOSED: 3 },
		backfill: { is: 'running', page: 2, pass: 1 } as unknown as Baseline['backfill'],
	};
	expect(after(poll)).toEqual(ordersOf({ CLOSED: 'ab' }));
	expect(after({ ...poll, whole: 'certain' })).toEqual({});
});
