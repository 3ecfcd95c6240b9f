import fc from 'fast-check';
import type { Baseline } from '../../nodes/ConversationalMessaging/trigger/baseline.ts';
import {
	type Checkpoint,
	decode,
	encode,
} from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import { decodeKeys, encodeKeys } from '../../nodes/ConversationalMessaging/trigger/keySet.ts';
import { KEY_BITS, keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { TrackedRecords } from '../../nodes/ConversationalMessaging/trigger/tracked.ts';
import { baseline, checkpoints, edit, many } from './checkpoints.mts';

test('a checkpoint is the same after encoding and decoding, whatever its IDs and statuses contain', () => {
	const text = fc.string({ minLength: 1, unit: 'binary' });
	const record = fc.record({ id: text, status: text, changes: fc.nat(99), keepsId: fc.boolean() });
	fc.assert(
		fc.property(fc.uniqueArray(record, { selector: ({ id }) => id }), (records) => {
			const tracked = new TrackedRecords().with(
				records.map(({ id, status, changes, keepsId }) => ({
					id,
					to: { status, changes, recency: keepsId ? 2 : 0 },
					keepsId,
				})),
			);
			const before = checkpoints(tracked);
			const { baseline: after, ...rest } = decode(encode(before)).ticketStatusChanged!;
			for (const { id, status } of records)
				expect(after!.tracked.find(id, status)).toEqual(tracked.find(id, status));
			expect(after!.tracked.size).toBe(tracked.size);
			expect({ ...after, tracked: undefined }).toEqual({
				...baseline(tracked),
				tracked: undefined,
			});
			expect({ ...rest, baseline: baseline(tracked) }).toEqual(before.ticketStatusChanged);
		}),
	);
});

test('keys are sorted after encoding and decoding, and repeated as often as before', () => {
	const keys = fc.array(
		fc.oneof(
			fc.nat(99),
			fc.maxSafeNat().map((n) => n % 2 ** KEY_BITS),
		),
	);
	fc.assert(
		fc.property(keys, (list) => {
			expect(decodeKeys(encodeKeys(list))).toEqual([...list].sort((one, other) => one - other));
		}),
	);
});

describe('a checkpoint of more records than fit', () => {
	const small = { ...LIMITS, characters: 3_000, spareKeyBits: KEY_BITS, recentRecords: 50 };

	it('the records that changed least recently are dropped, and those that may be looked up are kept', () => {
		const recent = Array.from({ length: 40 }, (_, i) => edit(`recent ${i}`, 'CLOSED', false, 2));
		const text = encode(checkpoints(many(1_000, 20).with(recent)), small);
		expect(text.length).toBeLessThan(small.characters + 1_000);
		const after = decode(text).ticketStatusChanged!.baseline!;
		expect(after.backfill).toEqual({ is: 'truncated' });
		expect(after.tracked.byId.size).toBe(20);
		for (let i = 0; i < 40; i++)
			expect(after.tracked.find(`recent ${i}`, 'CLOSED')?.status).toBe('CLOSED');
		expect(after.exact).toEqual(['OPEN']);
		// What the list has is no longer what is known, so its order cannot be of use.
		expect(after.orders).toEqual({});
	});

	it('a status of which a record was dropped is no longer known completely', () => {
		const text = encode(checkpoints(many(1_000, 20), { exact: ['CLOSED', 'OPEN'] }), small);
		expect(decode(text).ticketStatusChanged!.baseline!.exact).toEqual(['OPEN']);
	});

	it('once records have been dropped, the order of a list is kept: it proves what is new', () => {
		const backfill = { is: 'truncated' } as const;
		const text = encode(checkpoints(many(1_000, 20), { backfill }), small);
		expect(decode(text).ticketStatusChanged!.baseline!.orders).toEqual(
			baseline(new TrackedRecords()).orders,
		);
	});

	it('if one in ten was deleted, the archives are forgotten, to be read again under another epoch', () => {
		const counts = { OPEN: 20, CLOSED: 900 };
		const after = decode(encode(checkpoints(many(1_000, 20), { counts }), small));
		const { backfill, epoch, tracked, exact, orders } = after.ticketStatusChanged!.baseline!;
		expect([backfill.is, epoch, exact, orders]).toEqual(['running', 't8-4', [], {}]);
		expect([tracked.byId.size, tracked.size]).toEqual([20, 20]);
	});

	it('only the archives of the source whose records were deleted are forgotten', () => {
		const [stale, other] = [{ OPEN: 20, CLOSED: 900 }, undefined].map(
			(counts) =>
				checkpoints(many(1_000, 20), counts && { counts }).ticketStatusChanged as Checkpoint,
		) as [Checkpoint, Checkpoint];
		const roomForOne = { ...small, characters: 7_000 };
		const after = decode(
			encode({ ticketStatusChanged: stale, broadcastStatusChanged: other }, roomForOne),
		);
		expect(after.ticketStatusChanged!.baseline!.epoch).toBe('t8-4');
		const { epoch, backfill, tracked } = after.broadcastStatusChanged!.baseline!;
		expect([epoch, backfill.is, tracked.size]).toEqual(['t8', 'complete', 1_020]);
	});

	it('only the source whose records were dropped is marked as truncated', () => {
		const { ticketStatusChanged } = checkpoints(many(1_000, 0));
		const broadcastStatusChanged = checkpoints(many(30, 0)).ticketStatusChanged!;
		const after = decode(
			encode({ ticketStatusChanged: ticketStatusChanged!, broadcastStatusChanged }, small),
		);
		expect(after.ticketStatusChanged!.baseline!.backfill.is).toBe('truncated');
		expect(after.broadcastStatusChanged!.baseline!.backfill.is).toBe('complete');
		expect(after.broadcastStatusChanged!.baseline!.tracked.size).toBe(30);
	});
});

describe('a checkpoint of version 1', () => {
	const version1 = (change: object = {}, kind: object = {}) =>
		JSON.stringify({
			version: 1,
			kinds: {
				ticketStatusChanged: {
					scope: 'scope',
					filter: { statuses: ['CLOSED'], appeared: false },
					failures: 2,
					memory: {
						epoch: 't8',
						total: 3,
						partPages: 3,
						learnedPages: 1,
						sweeps: 0,
						whole: true,
						full: false,
						eventfulPolls: 6,
						turn: 0,
						known: [`OPEN 2  T1 T2`, `CLOSED 1 ${version1Key('T3')}`],
						...change,
					},
					...kind,
				},
			},
		});

	const version1Key = (id: string) => {
		const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
		const [high, low] = [Math.floor(keyOf(id) / 4096), keyOf(id) % 4096];
		const digits = [0, 1, 2, 3, 4].map((i) => Math.floor(high / 64 ** i) % 64);
		return [...digits, low % 64, low >> 6].map((digit) => alphabet[digit]).join('');
	};

	it('the records and the filter of version 1 are read', () => {
		const { filter, failures, baseline: read } = decode(version1()).ticketStatusChanged!;
		expect([filter, failures]).toEqual([{ statuses: ['CLOSED'], includeNew: false }, 2]);
		expect(read!.backfill).toEqual({ is: 'complete' });
		expect(read!.tracked.byId.get('T2')).toMatchObject({ status: 'OPEN', changes: 2 });
		expect(read!.tracked.find('T3', 'OPEN')).toMatchObject({ status: 'CLOSED', changes: 1 });
		expect(read!.tracked.find('T4', 'OPEN')).toBeUndefined();
	});

	it('one of the time before a first complete poll has no baseline', () => {
		expect(decode(version1({}, { memory: undefined }))).toEqual({
			ticketStatusChanged: {
				scope: 'scope',
				filter: { statuses: ['CLOSED'], includeNew: false },
				failures: 2,
			},
		});
	});

	it.each<[what: string, kind: object]>([
		['a scope', { scope: undefined }],
		['a filter', { filter: undefined }],
		['a valid filter', { filter: { statuses: ['CLOSED'] } }],
		['valid records', { memory: { known: ['OPEN'] } }],
	])('one without %s is discarded', (_what, kind) => {
		expect(decode(version1({}, kind))).toEqual({});
	});

	it('an entry that is no checkpoint is discarded', () => {
		expect(decode(JSON.stringify({ version: 1, kinds: { ticketStatusChanged: null } }))).toEqual(
			{},
		);
	});

	it('a list that version 1 had not read completely is read again', () => {
		const read = decode(version1({ whole: false, full: true })).ticketStatusChanged!;
		expect(read.baseline!.backfill).toMatchObject({ is: 'running', page: 0, pass: 1 });
	});
});

describe('a checkpoint that cannot be read', () => {
	const good = JSON.parse(encode(checkpoints(many(2, 2)))) as {
		version: number;
		checkpoints: { ticketStatusChanged: { baseline: Record<string, unknown> } };
	};
	const damaged = (change: Record<string, unknown>) => {
		const { ticketStatusChanged: one } = good.checkpoints;
		const all = { ticketStatusChanged: { ...one, baseline: { ...one.baseline, ...change } } };
		return JSON.stringify({ ...good, checkpoints: all });
	};
	test.each([
		['undefined', undefined],
		['an object', { lastChecked: '2026-01-01' }],
		['a text that is not JSON', 'cm4k2w8qx0001'],
		['an unknown version', JSON.stringify({ ...good, version: 99 })],
		['a list', '[]'],
		['null', 'null'],
		['a text without checkpoints', JSON.stringify({ version: 2 })],
		['a checkpoint with records that are not texts', damaged({ tracked: [1] })],
		['a checkpoint with keys that are cut off', damaged({ tracked: ['CLOSED 0 0 40.3.abc'] })],
		['a checkpoint with a status without keys', damaged({ tracked: ['CLOSED'] })],
		['a checkpoint with a count that is not a number', damaged({ rotation: 'x' })],
		['a checkpoint without an epoch', damaged({ epoch: null })],
		['a checkpoint with an incomplete backfill state', damaged({ backfill: { is: 'running' } })],
		['a checkpoint with an invalid order', damaged({ orders: { CLOSED: '12 zz' } })],
		['a checkpoint with keys of too many bits', damaged({ bits: 99 })],
	])('%s is discarded', (_what, text) => {
		expect(decode(text)).toEqual({});
	});

	/** A copy with another value at a path. */
	const replaced = (value: unknown, [key, ...rest]: string[], by: unknown): unknown =>
		key === undefined
			? by
			: {
					...(value as object),
					[key]: replaced((value as Record<string, unknown>)[key], rest, by),
				};

	const running = { is: 'running', page: 3, pass: 2, last: [7], total: 9, isConsistent: true };
	const whole = replaced(
		good,
		['checkpoints', 'ticketStatusChanged', 'baseline', 'backfill'],
		running,
	);
	const PLACE = 'checkpoints.ticketStatusChanged';

	test.each([
		['scope', [undefined, null, 7]],
		['filter', [undefined, null, 'CLOSED']],
		['filter.statuses', [undefined, 'CLOSED', [7]]],
		['filter.includeNew', [undefined, 'true']],
		['failures', [undefined, '0', -1]],
		['baseline', [null, 'x', []]],
		['baseline.epoch', [undefined, 8]],
		['baseline.tracked', [undefined, 'OPEN', [7], ['OPEN']]],
		['baseline.exact', [undefined, 'OPEN', [7]]],
		['baseline.bits', [undefined, '42', -1, 43]],
		['baseline.counts', [undefined, null, [], { OPEN: '2' }, { OPEN: -1 }]],
		['baseline.sweeps', [undefined, null, [], { CLOSED: null }]],
		[
			'baseline.orders',
			[
				undefined,
				null,
				[],
				{ CLOSED: 7 },
				{ CLOSED: 'x' },
				{ CLOSED: '1 z' },
				{ CLOSED: 'x1' },
				{ CLOSED: '1x' },
				{ CLOSED: '9 1.a z' },
			],
		],
		['baseline.cursors', [undefined, null, []]],
		['baseline.cursors.left', [undefined, '0', -1]],
		['baseline.cursors.unlisted', [undefined, '0', -1]],
		['baseline.eventfulPolls', [undefined, '4', -1]],
		['baseline.rotation', [undefined, '5', -1]],
		['baseline.pageSize', [undefined, '200', -1]],
		[
			'baseline.backfill',
			[undefined, null, 'complete', {}, { is: 'over' }, { ...running, is: 'over' }],
		],
		['baseline.backfill.page', [undefined, '3', -1]],
		['baseline.backfill.pass', [undefined, 0, 3, '1']],
		['baseline.backfill.last', [undefined, 7, ['7'], [-1]]],
		['baseline.backfill.total', [undefined, '9', -1]],
	])('with another kind of value at %s is discarded', (path, values) => {
		expect(Object.keys(decode(JSON.stringify(whole)))).toEqual(['ticketStatusChanged']);
		for (const value of values) {
			const damaged = replaced(whole, `${PLACE}.${path}`.split('.'), value);
			expect([value, decode(JSON.stringify(damaged))]).toEqual([value, {}]);
		}
	});

	it('without a baseline, of the time before a first complete poll, it is read', () => {
		const early = replaced(good, `${PLACE}.baseline`.split('.'), undefined);
		const { baseline: none, ...rest } = decode(JSON.stringify(early)).ticketStatusChanged!;
		expect([none, rest]).toEqual([
			undefined,
			{ scope: 'scope', filter: { statuses: ['CLOSED'], includeNew: true }, failures: 0 },
		]);
		expect(decode(encode({ ticketStatusChanged: rest })).ticketStatusChanged).toEqual(rest);
	});

	it.each([true, false])(
		'a reading that is under way is read as it was (consistent: %j)',
		(isConsistent) => {
			const backfill = { ...running, isConsistent };
			const text = encode(checkpoints(many(2, 2), { backfill } as Partial<Baseline>));
			expect(decode(text).ticketStatusChanged!.baseline!.backfill).toEqual(backfill);
		},
	);

	it('only the sources that cannot be read are discarded', () => {
		const broken = { ...good.checkpoints, broadcastStatusChanged: { scope: 1 } };
		const text = JSON.stringify({ ...good, checkpoints: broken });
		expect(Object.keys(decode(text))).toEqual(['ticketStatusChanged']);
	});
});
