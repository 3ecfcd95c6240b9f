/** Known records: by ID if they may have to be looked up, otherwise by key, which records may share. */
import fc from 'fast-check';
import { fillLongLists } from '../../nodes/ConversationalMessaging/trigger/fill.ts';
import { KEY_BITS } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { emptyMemory, newLongList } from '../../nodes/ConversationalMessaging/trigger/memory.ts';
import { Reader } from '../../nodes/ConversationalMessaging/trigger/reader.ts';
import { isSame, Records } from '../../nodes/ConversationalMessaging/trigger/records.ts';
import { rotate } from '../../nodes/ConversationalMessaging/trigger/rotation.ts';
import { Seen } from '../../nodes/ConversationalMessaging/trigger/seen.ts';
import type { ListedPage } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
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

describe('long lists, with shortened keys', () => {
	const source = { ...tickets, pageSize: 2 };
	const [resolved, closed] = source.partitions.slice(2);

	/** The step of a poll that has read the first pages of the lists of closed and resolved records. */
	async function step(statuses: string[]) {
		const service = new FakeService(source);
		service.makeAll(statuses);
		const reader = new Reader(service.requested, source);
		const seen = new Seen();
		for (const list of [resolved!, closed!]) {
			seen.firstPages.set(list.status, (await reader.page(1, list)) as ListedPage);
			seen.long.add(list.status);
		}
		service.begin();
		return { service, poll: stepOf(reader, { seen, limits: { ...LIMITS, fillPages: 2 } }) };
	}

	const filled = async (passes: number) => {
		const { poll } = await step(['CLOSED', 'CLOSED']);
		const known = new Records(new Map(), new Map(), 30).with([{ id: 'R1', status: 'RESOLVED' }]);
		const long = { CLOSED: { ...newLongList(false), passes, hasFound: false } };
		return await fillLongLists(poll, { ...emptyMemory(), records: known, long });
	};

	test('at first, a record that is known with another status is another one', async () => {
		expect((await filled(4)).records.counts).toStrictEqual(
			new Map([
				['RESOLVED', 1],
				['CLOSED', 2],
			]),
		);
	});

	test('in a later reading, it has changed since: this remains a difference, and the list is known', async () => {
		const { records, long } = await filled(3);
		expect(records.statusOf('R1', 'CLOSED')).toBe('RESOLVED');
		expect(records.statusOf('R2')).toBe('CLOSED');
		expect(long.CLOSED?.isComplete).toBe(true);
	});

	test('the rotation leaves out a list that is not known yet', async () => {
		const statuses = Array.from({ length: 10 }, (_, i) => (i < 6 ? 'CLOSED' : 'RESOLVED'));
		const { service, poll } = await step(statuses);
		const memory = {
			...emptyMemory(),
			records: new Records(new Map(), new Map(), 30),
			long: { RESOLVED: newLongList(false), CLOSED: newLongList(true) },
			next: { status: 'RESOLVED', page: 2 },
		};
		expect((await rotate({ ...poll, memory })).status).toBe('CLOSED');
		expect(service.requests).toStrictEqual(['all:1']);
	});
});
