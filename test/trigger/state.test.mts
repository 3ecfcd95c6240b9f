/** The state as text: what it contains, what is left out if it is too long, and what cannot be read. */
import fc from 'fast-check';
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { decode, encode } from '../../nodes/ConversationalMessaging/trigger/state.ts';
import {
	emptyMemory,
	type Memory,
	rememberedStatus,
} from '../../nodes/ConversationalMessaging/trigger/status/memory.ts';
import { runs } from '../support/runs.mts';

/** As long as a cuid. */
const cuid = (n: number) => `cm4k2w8qx${String(n).padStart(16, '0')}`;

/** Closed records, known by hash, and open ones, known by key. */
const many = (closed: number, open: number): Memory => ({
	...emptyMemory(),
	known: new Set(['OPEN', 'RESOLVED', 'CLOSED']),
	keys: new Map(Array.from({ length: open }, (_, i) => [cuid(i), 'OPEN'])),
	hashes: new Map(Array.from({ length: closed }, (_, i) => [keyOf(cuid(open + i)), 'CLOSED'])),
});

const checkpointOf = (memory?: Memory) => ({
	...{ scope: 'scope', token: 'token', failures: 2, reported: { lists: 'All can be read.' } },
	...{ filter: { statuses: ['CLOSED'], includeNew: true, fields: {} }, ...(memory && { memory }) },
});

const sourcesOf = (memory?: Memory) => ({ ticketStatusChanged: checkpointOf(memory) });

const memoryIn = (text: string) => decode(text).sources.ticketStatusChanged!.memory!;

test('a state is the same after encoding and decoding, whatever its keys and statuses contain', () => {
	const text = fc.string({ minLength: 1, unit: 'binary' });
	const record = fc.record({ key: text, status: text, isByKey: fc.boolean() });
	fc.assert(
		fc.property(fc.uniqueArray(record, { selector: ({ key }) => key }), (records) => {
			const memory = {
				...many(0, 0),
				keys: new Map(records.flatMap((r) => (r.isByKey ? [[r.key, r.status] as const] : []))),
				hashes: new Map(
					records.flatMap((r) => (r.isByKey ? [] : [[keyOf(r.key), r.status] as const])),
				),
			};
			const sources = sourcesOf(memory);
			const decoded = decode(encode({ sources }));
			expect(decoded).toEqual({ sources, isUnreadable: false });
			for (const { key, status } of records)
				expect(rememberedStatus(memoryIn(encode({ sources })), key)).toBe(status);
		}),
		{ numRuns: runs(25, 1_000) },
	);
});

test('before a first successful poll, there is no memory, and it is read', () => {
	const sources = sourcesOf();
	expect(decode(encode({ sources }))).toEqual({ sources, isUnreadable: false });
});

test('20,000 records take less than 200 KB', () => {
	const text = encode({ sources: sourcesOf(many(18_600, 1_400)) });
	expect(JSON.stringify(text).length).toBeLessThan(200_000);
	expect(memoryIn(text).isCut).toBe(false);
});

test.each<[closed: number, open: number, left: string]>([
	[300, 20, 'all'],
	[2_000, 20, 'all by key, and some by hash'],
	[0, 200, 'all, and some by hash'],
	[2_000, 900, 'some'],
])('of %d records by hash and %d by key, %s fit into 4,000 characters', (closed, open, left) => {
	const text = encode({ sources: sourcesOf(many(closed, open)) }, 4_000);
	expect(JSON.stringify(text).length).toBeLessThanOrEqual(4_000);
	// No more is left out than need be.
	if (left !== 'all') expect(JSON.stringify(text).length).toBeGreaterThan(3_950);
	const { keys, hashes, known, isCut } = memoryIn(text);
	expect(isCut).toBe(left !== 'all');
	expect(hashes.size + keys.size).toBeGreaterThan(100);
	if (left.startsWith('all')) expect([...keys, ...hashes].length >= open).toBe(true);
	// A list of which a record was left out is not known: its records would be new.
	expect(known.has('CLOSED')).toBe(
		closed === [...hashes.values()].filter((s) => s === 'CLOSED').length,
	);
	expect(known.has('RESOLVED')).toBe(true);
});

test('of several kinds of records, only the one with the longest text is shortened', () => {
	const sources = {
		...sourcesOf(many(3_000, 0)),
		broadcastStatusChanged: checkpointOf(many(30, 0)),
	};
	const after = decode(encode({ sources }, 4_000)).sources;
	expect(after.ticketStatusChanged!.memory!.isCut).toBe(true);
	expect(after.broadcastStatusChanged!.memory!.hashes.size).toBe(30);
});

test('a text of which one character differs is discarded; no text is the first poll', () => {
	const good = encode({ sources: sourcesOf(many(2, 2)) });
	const place = fc.nat(good.length - 1);
	fc.assert(
		fc.property(place, fc.string({ minLength: 1, maxLength: 1 }), (at, other) => {
			fc.pre(good[at] !== other);
			const text = good.slice(0, at) + other + good.slice(at + 1);
			expect(decode(text)).toStrictEqual({ sources: {}, isUnreadable: true });
		}),
	);
	for (const text of [null, { lastChecked: '2026-01-01' }, '', good.slice(good.indexOf('{'))])
		expect(decode(text).isUnreadable).toBe(true);
	expect(decode(undefined)).toStrictEqual({ sources: {}, isUnreadable: false });
});
