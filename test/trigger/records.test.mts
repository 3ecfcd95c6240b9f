/** Known records: by ID if they may have to be looked up, otherwise by key. */
import fc from 'fast-check';
import { KEY_BITS } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { isSame, Records } from '../../nodes/ConversationalMessaging/trigger/records.ts';

const of = (keepsId: boolean, bits = KEY_BITS): Records =>
	new Records(new Map(), new Map(), bits).with([
		{ id: 'A', status: 'OPEN', keepsId },
		{ id: 'B', status: 'CLOSED', keepsId },
	]);

/** Two records with the same key, if a key has no bits. */
const SHARED = of(false, 0);

describe.each([true, false])('with IDs: %j', (keepsId) => {
	const records = of(keepsId);

	test('a record has the status that was remembered last; others are not known', () => {
		expect(['A', 'B', 'C'].map((id) => records.statusOf(id))).toEqual([
			'OPEN',
			'CLOSED',
			undefined,
		]);
		const changed = records.with([{ id: 'A', status: 'CLOSED', keepsId: !keepsId }]);
		expect(changed.statusOf('A')).toBe('CLOSED');
		expect(changed.counts).toEqual(new Map([['CLOSED', 2]]));
	});

	test('a record that was forgotten is not known', () => {
		const left = records.with([{ id: 'A' }, { id: 'C' }]);
		expect([left.statusOf('A'), left.counts]).toEqual([undefined, new Map([['CLOSED', 1]])]);
	});

	test('a whole key, like an ID, is known whatever its status', () => {
		expect([records.knows('A', 'RESOLVED'), records.knows('C', 'OPEN')]).toEqual([true, false]);
	});
});

describe('records that share a key', () => {
	test.each([
		['A', 'OPEN', 'OPEN'],
		['A', 'CLOSED', 'CLOSED'],
		['A', 'RESOLVED', 'OPEN'],
		['C', 'open', 'OPEN'],
		['C', undefined, 'OPEN'],
	])('%s, observed as %j, is known as %j', (id, observed, status) => {
		expect(SHARED.statusOf(id, observed)).toBe(status);
	});

	test('one with another status is probably another record', () => {
		expect([SHARED.knows('C', 'CLOSED'), SHARED.knows('C', 'RESOLVED')]).toEqual([true, false]);
	});

	const counts = (records: Records) => Object.fromEntries(records.counts);

	test('a record that changes leaves the others as they are', () => {
		const same = new Records(new Map(), new Map([[0, ['OPEN', 'OPEN']]]), 0);
		const changed = same.with([{ id: 'A', status: 'CLOSED' }]);
		expect(counts(changed)).toEqual({ OPEN: 1, CLOSED: 1 });
		expect(counts(changed.with([{ id: 'A', status: 'CLOSED' }]))).toEqual({ OPEN: 1, CLOSED: 1 });
	});

	test('of several different statuses, it cannot be told which one a record had: all stay', () => {
		const changed = SHARED.with([{ id: 'A', status: 'RESOLVED' }]);
		expect(counts(changed)).toEqual({ OPEN: 1, CLOSED: 1, RESOLVED: 1 });
		expect(counts(SHARED.with([{ id: 'A' }]))).toEqual({ OPEN: 1, CLOSED: 1 });
	});

	test('others are added to those with the same key', () => {
		const more = SHARED.withOthers([{ id: 'C', status: 'RESOLVED' }]);
		expect(counts(more)).toEqual({ OPEN: 1, CLOSED: 1, RESOLVED: 1 });
		for (const [id, status] of [
			['A', 'OPEN'],
			['B', 'CLOSED'],
			['C', 'RESOLVED'],
		] as const)
			expect(more.statusOf(id, status)).toBe(status);
	});
});

test('without edits, it is the same object', () => {
	expect(SHARED.with([])).toBe(SHARED);
});

test('any edits: each record has the last of its own', () => {
	const edit = fc.record({
		id: fc.constantFrom('A', 'B', 'C', 'D'),
		status: fc.constantFrom('OPEN', 'CLOSED', undefined),
		keepsId: fc.boolean(),
	});
	fc.assert(
		fc.property(fc.array(edit), (edits) => {
			const expected = new Map<string, string | undefined>();
			let records = new Records();
			for (const each of edits) {
				records = records.with([each]);
				expected.set(each.id, each.status);
			}
			for (const [id, status] of expected) expect(records.statusOf(id)).toBe(status);
			const counted = [...records.counts.values()].reduce((sum, count) => sum + count, 0);
			expect(counted).toBe([...expected.values()].filter(Boolean).length);
		}),
	);
});

test.each([
	['OPEN', 'open', true],
	['in progress', 'IN PROGRESS', true],
	['OPEN', 'CLOSED', false],
])('%j and %j are the same status: %j', (one, other, same) => {
	expect(isSame(one, other)).toBe(same);
});
