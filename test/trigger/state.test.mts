import fc from 'fast-check';
import type { Entry, Memory } from '../../dist/nodes/ConversationalMessaging/watch/memory.js';
import { KEY_LENGTH, keyOf } from '../../dist/nodes/ConversationalMessaging/watch/memory.js';
import type { State } from '../../dist/nodes/ConversationalMessaging/watch/state.js';
import {
	MOST_CHARACTERS,
	pack,
	unpack,
} from '../../dist/nodes/ConversationalMessaging/watch/state.js';

const memory = (known: Map<string, Entry>): Memory => ({
	epoch: 't8',
	known,
	total: known.size,
	partPages: 3,
	learnedPages: 1,
	sweeps: 0,
	whole: true,
	full: false,
	eventfulPolls: 0,
	turn: 0,
});

const state = (known: Map<string, Entry>): State => ({
	ticketStatusChanged: {
		scope: 'scope',
		filter: { statuses: ['CLOSED'], appeared: true },
		failures: 0,
		memory: memory(known),
	},
});

/** As long as a cuid. */
const cuid = (n: number) => `cm4k2w8qx${String(n).padStart(16, '0')}`;

function many(ended: number, moving: number): Map<string, Entry> {
	const known = new Map<string, Entry>();
	for (let i = 0; i < moving; i++)
		known.set(keyOf(cuid(i)), { status: 'OPEN', changes: 0, id: cuid(i) });
	for (let i = moving; i < moving + ended; i++)
		known.set(keyOf(cuid(i)), { status: 'CLOSED', changes: 0 });
	return known;
}

const knownOf = (text: string) => unpack(text).ticketStatusChanged?.memory?.known ?? new Map();

test('comes back as it was, whatever the IDs and statuses look like', () => {
	const text = fc.string({ minLength: 1, unit: 'binary' });
	const record = fc.record({ id: text, status: text, changes: fc.nat(99), moves: fc.boolean() });
	fc.assert(
		fc.property(fc.array(record), (records) => {
			const known = new Map<string, Entry>(
				records.map(({ id, status, changes, moves }) => [
					keyOf(id),
					moves ? { status, changes, id } : { status, changes },
				]),
			);
			const before = state(known);
			const after = unpack(pack(before));
			expect(new Map(after.ticketStatusChanged!.memory!.known)).toEqual(known);
			expect({ ...after.ticketStatusChanged, memory: {} }).toEqual({
				...before.ticketStatusChanged,
				memory: {},
			});
		}),
	);
});

test('stays as it is from poll to poll', () => {
	const text = pack(state(many(500, 50)));
	expect(pack(unpack(text))).toBe(text);
});

test('20,000 records of which 600 move take less than 160 KB', () => {
	const text = pack(state(many(19_400, 600)));
	expect(text.length).toBeLessThan(160_000);
	expect(knownOf(text).size).toBe(20_000);
});

describe('more than fits', () => {
	test.each([
		['100,000 that have ended', 100_000, 600],
		['20,000 that move', 0, 20_000],
		['60,000 that move', 10_000, 60_000],
	])('%s', (_what, ended, moving) => {
		const text = pack(state(many(ended, moving)));
		// As n8n saves it: the text within JSON.
		expect(JSON.stringify({ 'node:Trigger': { state: text } }).length).toBeLessThan(256 * 1024);
		const after = unpack(text).ticketStatusChanged!.memory!;
		expect([after.whole, after.full]).toEqual([false, true]);
		expect(after.known.size).toBeGreaterThan(9_000);
		// And it stays so, without losing more.
		expect(pack(unpack(text)) === text).toBe(true);
	});

	it('keeps the newest of those that have ended, and every one that moves', () => {
		const known = knownOf(pack(state(many(100_000, 600)))) as Map<string, Entry>;
		expect([...known.values()].filter(({ id }) => id !== undefined)).toHaveLength(600);
		expect(known.has(keyOf(cuid(600)))).toBe(true);
		expect(known.has(keyOf(cuid(100_599)))).toBe(false);
	});

	it('gives each kind of record its share', () => {
		const both = { ...state(many(100_000, 0)), broadcastStatusChanged: state(many(300, 0)) };
		const after = unpack(
			pack({ ...both, broadcastStatusChanged: state(many(300, 0)).ticketStatusChanged! }),
		);
		expect(after.broadcastStatusChanged!.memory!.known.size).toBe(300);
		expect(after.broadcastStatusChanged!.memory!.whole).toBe(true);
		expect(pack(after).length).toBeLessThanOrEqual(MOST_CHARACTERS + 2_000);
	});
});

describe('begins anew with what it cannot read', () => {
	const good = JSON.parse(pack(state(many(2, 2)))) as {
		version: number;
		kinds: { ticketStatusChanged: { memory: Record<string, unknown> } };
	};
	const spoilt = (change: Record<string, unknown>) => {
		const { ticketStatusChanged: kind } = good.kinds;
		const kinds = { ticketStatusChanged: { ...kind, memory: { ...kind.memory, ...change } } };
		return JSON.stringify({ ...good, kinds });
	};
	test.each([
		['nothing', undefined],
		['no text', { lastChecked: '2026-01-01' }],
		['no JSON', 'cm4k2w8qx0001'],
		['another version', JSON.stringify({ ...good, version: 99 })],
		['a list', '[]'],
		['null', 'null'],
		['no kinds', JSON.stringify({ version: 1 })],
		['records that are no texts', spoilt({ known: [1] })],
		['keys that broke off', spoilt({ known: ['CLOSED 0 abc'] })],
		['a group without a count', spoilt({ known: ['CLOSED'] })],
		['a count that is none', spoilt({ turn: 'x' })],
		['no epoch', spoilt({ epoch: null })],
	])('%s', (_what, text) => {
		expect(unpack(text)).toEqual({});
	});

	it('but keeps the kinds that are whole', () => {
		const text = JSON.stringify({
			...good,
			kinds: { ...good.kinds, broadcastStatusChanged: { scope: 1 } },
		});
		expect(Object.keys(unpack(text))).toEqual(['ticketStatusChanged']);
	});
});

describe('keys', () => {
	it('are short texts that JSON does not escape', () => {
		fc.assert(
			fc.property(fc.string(), (id) => {
				expect(keyOf(id)).toMatch(new RegExp(`^[\\w-]{${KEY_LENGTH}}$`));
			}),
		);
	});

	it('tell 200,000 IDs apart that hardly differ', () => {
		const ids = Array.from({ length: 100_000 }, (_, i) => [cuid(i), String(1000 + i)]).flat();
		expect(new Set(ids.map(keyOf)).size).toBe(ids.length);
	});
});
