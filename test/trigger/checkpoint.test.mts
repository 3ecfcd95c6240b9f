/** What is kept between two polls, as text: what it contains, what is left out if it is too long, and what is no checkpoint. */
import fc from 'fast-check';
import { decode, encode } from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import { decodeKeys, encodeKeys } from '../../nodes/ConversationalMessaging/trigger/keySet.ts';
import { KEY_BITS } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { Records } from '../../nodes/ConversationalMessaging/trigger/records.ts';
import { checkpointsOf, cuid, FILLING, KNOWN, many, memoryOf } from './checkpoints.mts';

const memoryIn = (text: string) => decode(text).ticketStatusChanged!.memory!;

test('a checkpoint is the same after encoding and decoding, whatever its IDs and statuses contain', () => {
	const text = fc.string({ minLength: 1, unit: 'binary' });
	const record = fc.record({ id: text, status: text, keepsId: fc.boolean() });
	fc.assert(
		fc.property(fc.uniqueArray(record, { selector: ({ id }) => id }), (edits) => {
			const before = checkpointsOf(new Records().with(edits));
			const { memory, ...rest } = decode(encode(before)).ticketStatusChanged!;
			for (const { id, status } of edits) expect(memory!.records.statusOf(id)).toBe(status);
			const counts = before.ticketStatusChanged!.memory!.records.counts;
			expect(memory!.records.counts).toEqual(counts);
			const { records } = memory!;
			expect({ ...rest, memory }).toEqual({
				...before.ticketStatusChanged,
				memory: memoryOf(records),
			});
		}),
	);
});

test.each([{ complete: 'all' as const }, { lists: {} }])('%j is kept', (change) => {
	expect(memoryIn(encode(checkpointsOf(many(2, 2), change)))).toMatchObject(change);
});

test('without a memory, before a first complete poll, it is read', () => {
	const { memory: _none, ...early } = checkpointsOf(new Records()).ticketStatusChanged!;
	expect(decode(encode({ ticketStatusChanged: early }))).toEqual({ ticketStatusChanged: early });
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

describe('a checkpoint that would be too long', () => {
	const small = { ...LIMITS, characters: 4_000 };

	test.each([0, 100, 1_000])('never is, with %d records by ID', (open) => {
		const text = encode(checkpointsOf(many(2_000, open)), small);
		expect(text.length).toBeLessThanOrEqual(small.characters);
	});

	test('has shorter keys, and still every record', () => {
		const { records, lists, complete } = memoryIn(encode(checkpointsOf(many(800, 20)), small));
		expect([records.bits < KEY_BITS, records.bits >= small.keyBits]).toEqual([true, true]);
		expect(records.counts).toEqual(many(800, 20).counts);
		for (let i = 20; i < 820; i++) expect(records.knows(cuid(i), 'CLOSED')).toBe(true);
		expect([lists.CLOSED, complete]).toEqual([KNOWN, new Set(['IN_PROGRESS', 'OPEN'])]);
	});

	test('forgets records of long lists, of which not every record is known then', () => {
		const { records, lists, complete } = memoryIn(encode(checkpointsOf(many(3_000, 20)), small));
		expect(records.ids.size).toBe(20);
		expect(records.counts.get('CLOSED')).toBeGreaterThan(900);
		expect(records.counts.get('CLOSED')).toBeLessThan(3_000);
		expect(lists.CLOSED!.isComplete).toBe(false);
		expect(lists.RESOLVED).toEqual(FILLING);
		expect(complete).toEqual(new Set(['IN_PROGRESS', 'OPEN']));
	});

	test('forgets no records if one in ten was deleted: the long lists are read again', () => {
		const lists = { CLOSED: { ...KNOWN, offset: -301 } };
		const after = memoryIn(encode(checkpointsOf(many(3_000, 20), { lists }), small));
		expect(after.records.counts).toEqual(new Map([['OPEN', 20]]));
		expect(after.lists.CLOSED).toMatchObject({ isComplete: false, offset: 0, page: 1, passes: 4 });
	});

	test('of several kinds of records, only the one with the longest text is shortened', () => {
		const tickets = checkpointsOf(many(3_000, 0)).ticketStatusChanged!;
		const broadcasts = checkpointsOf(many(30, 0)).ticketStatusChanged!;
		const after = decode(
			encode({ ticketStatusChanged: tickets, broadcastStatusChanged: broadcasts }, small),
		);
		expect(after.ticketStatusChanged!.memory!.lists.CLOSED!.isComplete).toBe(false);
		expect(after.broadcastStatusChanged!.memory!.lists.CLOSED).toEqual(KNOWN);
		expect(after.broadcastStatusChanged!.memory!.records.bits).toBe(KEY_BITS);
	});

	test('keeps every record if IDs take up most of it, but some of them by key', () => {
		const { records, complete } = memoryIn(encode(checkpointsOf(many(0, 200)), small));
		expect(records.counts).toEqual(new Map([['OPEN', 200]]));
		expect([records.ids.size > 20, records.keys.size > 20]).toEqual([true, true]);
		expect(complete).toEqual(new Set(['IN_PROGRESS', 'OPEN']));
	});

	test('does not count a list without its records as known, if it is no long one', () => {
		const { complete } = memoryIn(
			encode(checkpointsOf(many(3_000, 0), { lists: {}, complete: 'all' }), small),
		);
		expect(complete).toEqual(new Set());
	});
});

describe('a checkpoint that cannot be read', () => {
	const good = JSON.parse(encode(checkpointsOf(many(2, 2)))) as Record<string, unknown>;

	test.each([
		['undefined', undefined],
		['an object', { lastChecked: '2026-01-01' }],
		['a text that is not JSON', 'cm4k2w8qx0001'],
		['another version', JSON.stringify({ ...good, version: 2 })],
		['a list', '[]'],
		['null', 'null'],
		['a text without checkpoints', JSON.stringify({ version: 3 })],
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

	test.each([
		['scope', [undefined, null, 7]],
		['token', [undefined, null, 7]],
		['filter', [undefined, null, 'CLOSED']],
		['filter.statuses', [undefined, 'CLOSED', [7]]],
		['filter.includeNew', [undefined, 'true']],
		['failures', [undefined, '0', -1]],
		['memory', [null, 'x', []]],
		['memory.epoch', [undefined, 8]],
		['memory.records', [undefined, 'OPEN', [7], ['OPEN'], ['CLOSED 40.3.abc']]],
		['memory.complete', [undefined, 'OPEN', [7]]],
		['memory.bits', [undefined, '42', -1, 43]],
		['memory.polls', [undefined, '4', -1]],
		['memory.size', [undefined, '5', -1]],
		['memory.pageSize', [undefined, '200', -1]],
		['memory.next', [undefined, null, 7]],
		['memory.next.status', [undefined, 7]],
		['memory.next.page', [undefined, '5', -1]],
		['memory.lists', [undefined, null, 'x']],
		['memory.lists.CLOSED', [null, 7]],
		['memory.lists.CLOSED.isComplete', [undefined, 'true']],
		['memory.lists.CLOSED.offset', [undefined, '0']],
		['memory.lists.CLOSED.page', [undefined, '3', -1]],
		['memory.lists.CLOSED.hasFound', [undefined, 'true']],
		['memory.lists.RESOLVED.passes', [undefined, '2', -1]],
	])('with another kind of value at %s is discarded', (path, values) => {
		expect(Object.keys(decode(JSON.stringify(good)))).toEqual(['ticketStatusChanged']);
		for (const value of values) {
			const place = `checkpoints.ticketStatusChanged.${path}`.split('.');
			const damaged = JSON.stringify(replaced(good, place, value));
			expect([value, decode(damaged)]).toEqual([value, {}]);
		}
	});

	test('only the sources that cannot be read are discarded', () => {
		const broken = { ...(good.checkpoints as object), broadcastStatusChanged: { scope: 1 } };
		const text = JSON.stringify({ ...good, checkpoints: broken });
		expect(Object.keys(decode(text))).toEqual(['ticketStatusChanged']);
	});
});
