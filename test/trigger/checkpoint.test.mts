/** What is kept between two polls, as text: what it contains, what is left out if it is too long, and what is no checkpoint. */
import fc from 'fast-check';
import { decode, encode, isEmpty } from '../../nodes/ConversationalMessaging/trigger/state.ts';
import { KEY_BITS } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { type Limits, LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import {
	type Memory,
	newCursor,
} from '../../nodes/ConversationalMessaging/trigger/status/memory.ts';
import type { MessageCheckpoint } from '../../nodes/ConversationalMessaging/trigger/messages/memory.ts';
import { Records } from '../../nodes/ConversationalMessaging/trigger/status/records.ts';
import { runs } from '../support/runs.mts';
import { checkpointsOf, cuid, FILLING, KNOWN, many, memoryOf } from '../support/checkpoints.mts';
import { computedMs } from '../support/computedMs.mts';

/** The text of a checkpoint with these records. */
const textOf = (
	records: Records,
	{ change, limits }: { change?: Partial<Memory>; limits?: Limits } = {},
) => encode({ sources: checkpointsOf(records, change) }, limits);

const memoryIn = (text: string) => decode(text).sources.ticketStatusChanged!.memory!;

test('a checkpoint is the same after encoding and decoding, whatever its IDs and statuses contain', () => {
	const text = fc.string({ minLength: 1, unit: 'binary' });
	const record = fc.record({ id: text, status: text, keepsId: fc.boolean() });
	fc.assert(
		fc.property(fc.uniqueArray(record, { selector: ({ id }) => id }), (edits) => {
			const before = checkpointsOf(new Records().with(edits));
			const { memory, ...rest } = decode(encode({ sources: before })).sources.ticketStatusChanged!;
			for (const { id, status } of edits) expect(memory!.records.statusOf(id)).toBe(status);
			const counts = before.ticketStatusChanged!.memory!.records.counts;
			expect(memory!.records.counts).toStrictEqual(counts);
			const { records } = memory!;
			expect({ ...rest, memory }).toStrictEqual({
				...before.ticketStatusChanged,
				memory: memoryOf(records),
			});
		}),
		{ numRuns: runs(25, 1_000) },
	);
});

test.each([{ known: 'all' as const }, { long: {} }])('%j is kept', (change) => {
	expect(memoryIn(textOf(many(2, 2), { change }))).toMatchObject(change);
});

test('without a memory, before a first complete poll, it is read', () => {
	const { memory: _none, ...early } = checkpointsOf(new Records()).ticketStatusChanged!;
	const sources = { ticketStatusChanged: early };
	expect(decode(encode({ sources }))).toEqual({ sources, isUnreadable: false });
});

test('before a first poll of messages was successful, nothing is recorded either', () => {
	const messages = { scope: 'scope', token: 'token', failures: 1 };
	expect(isEmpty(decode(encode({ sources: {}, messages })))).toBe(true);
});

describe('a checkpoint that would be too long', () => {
	const small = { ...LIMITS, characters: 4_000 };

	test.each([0, 100, 1_000])('never is, with %d records by ID', (open) => {
		const text = textOf(many(2_000, open), { limits: small });
		expect(JSON.stringify(text).length).toBeLessThanOrEqual(small.characters);
	});

	test('has shorter keys, and still every record', () => {
		const { records, long, known } = memoryIn(textOf(many(800, 20), { limits: small }));
		expect([records.bits < KEY_BITS, records.bits >= small.keyBits]).toStrictEqual([true, true]);
		expect(records.counts).toStrictEqual(many(800, 20).counts);
		for (let i = 20; i < 820; i++) expect(records.knows(cuid(i), 'CLOSED')).toBe(true);
		expect([long.CLOSED, known]).toStrictEqual([KNOWN, new Set(['IN_PROGRESS', 'OPEN'])]);
	});

	test('forgets records of long lists, which are not known then', () => {
		const change = { cursor: { ...newCursor(), status: 'CLOSED', isClean: true } };
		const text = textOf(many(3_000, 20), { change, limits: small });
		const { records, long, known, cursor } = memoryIn(text);
		expect(records.ids.size).toBe(20);
		expect(records.counts.get('CLOSED')).toBeGreaterThan(900);
		expect(records.counts.get('CLOSED')).toBeLessThan(3_000);
		expect(long.CLOSED!.isKnown).toBe(false);
		// The pass through it does not make it known, although it shows nothing unknown from here on.
		expect(cursor.isClean).toBe(false);
		expect(long.RESOLVED).toStrictEqual(FILLING);
		expect(known).toStrictEqual(new Set(['IN_PROGRESS', 'OPEN']));
	});

	test('forgets no records if one in ten was deleted: the long lists are read again', () => {
		const long = { CLOSED: { ...KNOWN, drift: -301 } };
		const after = memoryIn(textOf(many(3_000, 20), { change: { long }, limits: small }));
		expect(after.records.counts).toStrictEqual(new Map([['OPEN', 20]]));
		expect(after.long.CLOSED).toMatchObject({ isKnown: false, drift: 0, passes: 4 });
	});

	test('of several kinds of records, only the one with the longest text is shortened', () => {
		const tickets = checkpointsOf(many(3_000, 0)).ticketStatusChanged!;
		const broadcasts = checkpointsOf(many(30, 0)).ticketStatusChanged!;
		const sources = { ticketStatusChanged: tickets, broadcastStatusChanged: broadcasts };
		const { sources: after } = decode(encode({ sources }, small));
		expect(after.ticketStatusChanged!.memory!.long.CLOSED!.isKnown).toBe(false);
		expect(after.broadcastStatusChanged!.memory!.long.CLOSED).toStrictEqual(KNOWN);
		expect(after.broadcastStatusChanged!.memory!.records.bits).toBe(KEY_BITS);
	});

	test('keeps every record if IDs take up most of it, but some of them by key', () => {
		const { records, known } = memoryIn(textOf(many(0, 200), { limits: small }));
		expect(records.counts).toStrictEqual(new Map([['OPEN', 200]]));
		expect([records.ids.size > 20, records.keys.size > 20]).toStrictEqual([true, true]);
		expect(known).toStrictEqual(new Set(['IN_PROGRESS', 'OPEN']));
	});

	test('does not count a list without its records as known, if it is no long one', () => {
		const { known } = memoryIn(
			textOf(many(3_000, 0), { change: { long: {}, known: 'all' }, limits: small }),
		);
		expect(known).toStrictEqual(new Set());
	});
});

test('what Message Received keeps is never shortened: the records of other events are', () => {
	const messages: MessageCheckpoint = { scope: 'scope', token: 'token', failures: 3 };
	const sources = checkpointsOf(many(800, 20));
	const limits = { ...LIMITS, characters: 4_000 };
	const text = encode({ sources, messages }, limits);
	expect(JSON.stringify(text).length).toBeLessThanOrEqual(limits.characters);
	expect(decode(text).messages).toStrictEqual(messages);
	expect(memoryIn(text).records.bits).toBeLessThan(KEY_BITS);
});

describe('a text that cannot be read', () => {
	const good = JSON.parse(textOf(many(2, 2))) as { version: number; checkpoints: object };
	const { ticketStatusChanged: ticket } = good.checkpoints as Record<string, { memory: object }>;

	test.each<[what: string, text: unknown]>([
		['a number', 4],
		['null', null],
		['an object', { lastChecked: '2026-01-01' }],
		['an empty text', ''],
		['a text that is not JSON', 'cm4k2w8qx0001'],
		['one that is cut off', textOf(many(2, 2)).slice(0, -1)],
		['a list', '[]'],
		['another version', JSON.stringify({ ...good, version: 2 })],
		['one without checkpoints', '{"version":4}'],
		['checkpoints in a list', '{"version":4,"checkpoints":[1]}'],
	])('%s is discarded', (_what, text) => {
		const { sources, isUnreadable } = decode(text);
		expect([Object.values(sources), isUnreadable]).toStrictEqual([[], true]);
	});

	test('no text is the first poll', () => {
		expect(decode(undefined)).toStrictEqual({ sources: {}, isUnreadable: false });
	});

	const long = (list: object) => ({ memory: { long: { CLOSED: { ...KNOWN, ...list } } } });
	const records = (...all: unknown[]) => ({ memory: { records: all } });

	test.each<{ memory?: object; [field: string]: unknown }>([
		{ scope: 1 },
		{ token: null },
		{ failures: -1 },
		{ failures: 0.5 },
		{ filter: { statuses: [1], includeNew: true } },
		{ filter: { statuses: [] } },
		{ memory: { epoch: 8 } },
		{ memory: { polls: -1 } },
		{ memory: { known: {} } },
		{ memory: { known: [null] } },
		{ memory: { size: '9' } },
		{ memory: { cursor: { ...newCursor(), page: 1.5 } } },
		{ memory: { cursor: null } },
		{ memory: { withheld: '1' } },
		{ memory: { isRestored: 1 } },
		{ memory: { bits: 3e9 } },
		{ memory: { bits: 0 } },
		{ memory: { bits: '42' } },
		{ memory: { long: [null] } },
		long({ passes: 5 }),
		long({ unexplained: null }),
		long({ drift: '1' }),
		long({ isKnown: 1 }),
		long({ isShort: 0 }),
		{ memory: { records: {} } },
		records('OPEN'),
		records(['OPEN']),
		records(['OPEN', '0.0.', 7]),
		records(['CLOSED', '40.3.abc']),
		records(['CLOSED', '3000000000.1.A']),
		// A key of 43 bits.
		records(['CLOSED', '42.1.gAAAAAAA']),
	])('only the checkpoint that contains it is discarded: %j', ({ memory, ...rest }) => {
		const broken = { ...ticket, ...rest, memory: { ...ticket!.memory, ...memory } };
		const checkpoints = { ticketStatusChanged: ticket, broadcastStatusChanged: broken };
		const { sources, isUnreadable } = decode(JSON.stringify({ ...good, checkpoints }));
		expect(Object.keys(sources)).toStrictEqual(['ticketStatusChanged']);
		expect(isUnreadable).toBe(true);
	});

	test('a long one is read in a time that grows with its length: six million records with one key', () => {
		const count = 6_000_000;
		const same = records(['CLOSED', `0.${count}.${'A'.repeat(count / 6)}`]);
		const memory = { ...ticket!.memory, ...same.memory };
		const checkpoints = { ticketStatusChanged: { ...ticket, memory } };
		const started = computedMs();
		const { counts } = decode(JSON.stringify({ ...good, checkpoints })).sources.ticketStatusChanged!
			.memory!.records;
		expect(counts).toStrictEqual(new Map([['CLOSED', count]]));
		// Otherwise: hours.
		expect(computedMs() - started).toBeLessThan(60_000);
	});
});
