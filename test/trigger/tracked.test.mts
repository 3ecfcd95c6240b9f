import { KEY_BITS, keyOf, shortened } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import {
	isSame,
	TrackedRecords,
	type TrackedRecord,
} from '../../nodes/ConversationalMessaging/trigger/tracked.ts';

const record = (status: string): TrackedRecord => ({ status, changes: 0, recency: 0 });
const OPEN = record('OPEN');
const CLOSED = record('CLOSED');

/** IDs that share a key of this many bits. */
const BITS = 10;
const ids = Array.from({ length: 20_000 }, (_, i) => `T${i}`);
const keyIn10Bits = (id: string) => shortened(keyOf(id), BITS);
const [A, B, C] = ids.filter((id) => keyIn10Bits(id) === keyIn10Bits('T0')) as [
	string,
	string,
	string,
];
const OTHER = ids.find((id) => keyIn10Bits(id) !== keyIn10Bits(A))!;

const tracked = (bits = KEY_BITS) => new TrackedRecords(new Map(), new Map(), bits);

/** The statuses that are known for an ID. */
const statuses = (records: TrackedRecords, id: string) =>
	records.candidates(id).map(({ status }) => status);

describe('a record among those that are tracked', () => {
	test('is found by its ID before its key', () => {
		const records = tracked(BITS).with([
			{ id: A, to: OPEN, keepsId: true },
			{ id: B, to: CLOSED },
		]);
		expect(statuses(records, A)).toEqual(['OPEN']);
		expect(statuses(records, C)).toEqual(['CLOSED']);
		expect(statuses(records, OTHER)).toEqual([]);
		expect(records.size).toBe(2);
	});

	test('is, of several with its key, the one with the observed status, in any case, or else the first', () => {
		const records = tracked(BITS).with([
			{ id: A, to: OPEN },
			{ id: B, to: CLOSED },
		]);
		expect(records.size).toBe(2);
		expect(records.find(C, 'closed')).toBe(CLOSED);
		expect(records.find(C, 'OPEN')).toBe(OPEN);
		expect(records.find(C, 'PENDING')).toBe(OPEN);
		expect(records.find(OTHER, 'OPEN')).toBeUndefined();
	});

	test.each<
		[what: string, bits: number, named: boolean, id: string, status: string, known: boolean]
	>([
		['a whole key, whatever its status', KEY_BITS, false, A, 'CLOSED', true],
		['a short key and the same status', BITS, false, B, 'open', true],
		['a short key and another status', BITS, false, B, 'CLOSED', false],
		['its ID, whatever its status', BITS, true, A, 'CLOSED', true],
		['neither', BITS, false, OTHER, 'OPEN', false],
	])('is known or not by %s', (_what, bits, named, id, status, known) => {
		expect(
			tracked(bits)
				.with([{ id: A, to: OPEN, keepsId: named }])
				.knows(id, status),
		).toBe(known);
	});

	test('is known by a short key if one of several has its status', () => {
		const records = tracked(BITS).with([
			{ id: A, to: OPEN },
			{ id: B, to: CLOSED },
		]);
		expect(records.knows(C, 'CLOSED')).toBe(true);
		expect(records.knows(C, 'PENDING')).toBe(false);
	});
});

describe('an edit of the tracked records', () => {
	test('of nothing leaves them as they are, and any other one does not change them', () => {
		const records = tracked().with([{ id: A, to: OPEN }]);
		expect(records.with([])).toBe(records);
		records.with([{ id: A, from: OPEN, to: CLOSED }]);
		expect(statuses(records, A)).toEqual(['OPEN']);
	});

	test('replaces the state of a record, and no other with its key', () => {
		const other = record('OPEN');
		const records = tracked(BITS).with([
			{ id: A, to: OPEN },
			{ id: B, to: other },
		]);
		const after = records.with([{ id: B, from: other, to: CLOSED }]);
		expect(after.candidates(A)).toEqual([OPEN, CLOSED]);
		expect(after.candidates(A)[0]).toBe(OPEN);
		expect(after.bits).toBe(BITS);
	});

	test('removes a record with its key, unless another one has it too', () => {
		const records = tracked(BITS).with([
			{ id: A, to: OPEN },
			{ id: B, to: CLOSED },
		]);
		const one = records.with([{ id: A, from: OPEN }]);
		expect(statuses(one, A)).toEqual(['CLOSED']);
		const none = one.with([{ id: B, from: CLOSED }]);
		expect([none.size, none.archived.size]).toEqual([0, 0]);
	});

	test('removes a record that is tracked by its ID, and none with its key', () => {
		const records = tracked(BITS).with([
			{ id: A, to: OPEN, keepsId: true },
			{ id: B, to: CLOSED },
		]);
		const after = records.with([{ id: A, from: OPEN }]);
		expect(after.byId.size).toBe(0);
		expect(statuses(after, A)).toEqual(['CLOSED']);
	});

	test('turns a record that was tracked by its ID into one with a key, and back', () => {
		const named = tracked().with([{ id: A, to: OPEN, keepsId: true }]);
		const archived = named.with([{ id: A, from: OPEN, to: CLOSED }]);
		expect([archived.byId.size, archived.archived.size]).toEqual([0, 1]);
		const again = archived.with([{ id: A, from: CLOSED, to: OPEN, keepsId: true }]);
		expect([again.byId.size, again.archived.size]).toEqual([1, 0]);
	});

	test('of a record that is not there adds it', () => {
		const records = tracked().with([{ id: A, from: OPEN, to: CLOSED }]);
		expect(statuses(records, A)).toEqual(['CLOSED']);
	});
});

test.each([
	['OPEN', 'OPEN', true],
	['open', 'OPEN', true],
	['Offen', 'OFFEN', true],
	['OPEN', 'OPENED', false],
	['', 'OPEN', false],
])('the statuses %j and %j are the same: %s', (one, other, same) => {
	expect(isSame(one, other)).toBe(same);
});
