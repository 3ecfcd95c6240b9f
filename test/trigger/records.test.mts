/** Known records: by ID if they may have to be looked up, otherwise by key, which records may share. */
import fc from 'fast-check';
import { KEY_BITS } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import {
	emptyMemory,
	newLongList,
} from '../../nodes/ConversationalMessaging/trigger/status/memory.ts';
import { Reader } from '../../nodes/ConversationalMessaging/trigger/status/reader.ts';
import { isSame, Records } from '../../nodes/ConversationalMessaging/trigger/status/records.ts';
import { readOn } from '../../nodes/ConversationalMessaging/trigger/status/cursor.ts';
import { Seen } from '../../nodes/ConversationalMessaging/trigger/status/seen.ts';
import type { ListedPage } from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { FakeService } from './service.mts';
import { stepOf } from './watch.mts';

const of = (keepsId: boolean, bits = KEY_BITS): Records =>
	new Records(new Map(), new Map(), bits).with([
		{ id: 'A', status: 'OPEN', keepsId },
		{ id: 'B', status: 'CLOSED', keepsId },
	]);

/** Two records with the same key, if a key has no bits. */
const SHARED = of(false, 0);

test.each([true, false])(
	'a whole key, like an ID, is known whatever its status; with IDs: %j',
	(keepsId) => {
		const records = of(keepsId);
		expect([records.knows('A', 'RESOLVED'), records.knows('C', 'OPEN')]).toStrictEqual([
			true,
			false,
		]);
	},
);

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
		expect([SHARED.knows('C', 'CLOSED'), SHARED.knows('C', 'RESOLVED')]).toStrictEqual([
			true,
			false,
		]);
	});

	const counts = (records: Records) => Object.fromEntries(records.counts);

	test('a record that changes leaves the others as they are', () => {
		const same = new Records(new Map(), new Map([[0, ['OPEN', 'OPEN']]]), 0);
		const changed = same.with([{ id: 'A', status: 'CLOSED' }]);
		expect(counts(changed)).toStrictEqual({ OPEN: 1, CLOSED: 1 });
		expect(counts(changed.with([{ id: 'A', status: 'CLOSED' }]))).toStrictEqual({
			OPEN: 1,
			CLOSED: 1,
		});
	});

	test('of several different statuses, it cannot be told which one a record had: all stay', () => {
		const changed = SHARED.with([{ id: 'A', status: 'RESOLVED' }]);
		expect(counts(changed)).toStrictEqual({ OPEN: 1, CLOSED: 1, RESOLVED: 1 });
		expect(counts(SHARED.with([{ id: 'A' }]))).toStrictEqual({ OPEN: 1, CLOSED: 1 });
	});

	test('others are added to those with the same key', () => {
		const more = SHARED.withOthers([{ id: 'C', status: 'RESOLVED' }]);
		expect(counts(more)).toStrictEqual({ OPEN: 1, CLOSED: 1, RESOLVED: 1 });
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

describe('a list that is filled, with shortened keys', () => {
	const filled = async (passes: number) => {
		const source = { ...tickets, pageSize: 2 };
		const service = new FakeService(source);
		service.makeAll(['CLOSED', 'CLOSED', 'CLOSED']);
		const reader = new Reader(service.requested, source);
		const closed = source.partitions.at(-1)!;
		const seen = new Seen();
		seen.firstPages.set('CLOSED', (await reader.page(1, closed)) as ListedPage);
		seen.long.add('CLOSED');
		const records = new Records(new Map(), new Map(), 30).with([{ id: 'R1', status: 'RESOLVED' }]);
		const long = { CLOSED: { ...newLongList(false), passes } };
		const limits = { ...LIMITS, fillPages: 2 };
		const memory = { ...emptyMemory(), records, long };
		const { others } = await readOn(stepOf(reader, { seen, limits, memory }));
		return { others: others.map(({ id }) => id), changed: [...seen.records.keys()] };
	};

	test('at first, a record that is known with another status is another one', async () => {
		expect(await filled(4)).toStrictEqual({ others: ['R3', 'R2', 'R1'], changed: [] });
	});

	test('in a later pass, it has changed since', async () => {
		expect(await filled(3)).toStrictEqual({ others: ['R3', 'R2'], changed: ['R1'] });
	});
});
