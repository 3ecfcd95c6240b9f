/** What differs between memory and observation, and what is remembered of it. */
import {
	diff,
	emptyMemory,
	isComplete,
	type Memory,
	newLongList,
	remember,
} from '../../nodes/ConversationalMessaging/trigger/memory.ts';
import { Records } from '../../nodes/ConversationalMessaging/trigger/records.ts';
import { Seen } from '../../nodes/ConversationalMessaging/trigger/seen.ts';
import type { ListedPage } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';

/** "A OPEN" is a record that is known by its ID, "A CLOSED#" one that is known by a key. */
const known = (...texts: string[]): Records =>
	new Records().with(
		texts.map((text) => {
			const [id, status] = text.split(/[ #]/) as [string, string];
			return { id, status, keepsId: !text.endsWith('#') };
		}),
	);

const OF_TICKETS = { source: tickets, scope: {} };

const KNOWN: Memory = {
	...emptyMemory(),
	records: known('A OPEN', 'B CLOSED#', 'C RESOLVED#'),
	complete: new Set(['OPEN']),
	long: { CLOSED: newLongList(true), RESOLVED: newLongList(false) },
};

function pageOf(rows: string[], status?: string, total?: number): ListedPage {
	const records = rows.map((row) => {
		const [id, own] = row.split(' ') as [string, string];
		return { id, status: own, record: { id } };
	});
	return { status, number: 1, size: 200, total, length: rows.length, records };
}

function seenOf(rows: string[], deleted: string[] = []): Seen {
	const seen = new Seen();
	seen.add([pageOf(rows)]);
	for (const id of deleted) seen.dropped.set(id, 'deleted');
	return seen;
}

describe('differences', () => {
	test.each<[what: string, seen: string, change: string | undefined]>([
		['a known record with the same status', 'A OPEN', undefined],
		['one whose status is spelled in another way', 'A open', undefined],
		['one with another status', 'A CLOSED', 'A OPEN>CLOSED'],
		['one that is known by its key', 'B OPEN', 'B CLOSED>OPEN'],
		['an unknown record in a short list that is complete', 'X OPEN', 'X null>OPEN'],
		['in a long list that is complete', 'X CLOSED', 'X null>CLOSED'],
		['in a long list that is not complete: it may be old', 'X RESOLVED', undefined],
		['in a short list that is not complete', 'X IN_PROGRESS', undefined],
		['in a status without a list', 'X ON_HOLD', undefined],
	])('%s', (_what, seen, change) => {
		const changes = diff(KNOWN, seenOf([seen]), OF_TICKETS);
		const texts = changes.map(
			({ id, previousStatus, status }) => `${id} ${String(previousStatus)}>${status}`,
		);
		expect(texts).toEqual(change ? [change] : []);
	});

	test('a record that was deleted has none; an unknown one has the implied previous status', () => {
		expect(diff(KNOWN, seenOf(['A CLOSED'], ['A']), OF_TICKETS)).toEqual([]);
		const source = { ...tickets, impliedPreviousStatus: () => 'NOT_ESCALATED' };
		const [entered] = diff(KNOWN, seenOf(['X OPEN']), { source, scope: {} });
		expect(entered).toMatchObject({ previousStatus: 'NOT_ESCALATED' });
		expect(entered!.known).toBeUndefined();
	});

	test('a record is new only if every list is complete, and if the first sight of one shows that', () => {
		const all: Memory = { ...KNOWN, complete: 'all', long: { CLOSED: newLongList(true) } };
		const isNew = (memory: Memory, source = tickets) =>
			diff(memory, seenOf(['X OPEN', 'A CLOSED']), { source, scope: {} }).map((each) => each.isNew);
		expect(isNew(KNOWN)).toEqual([false, false]);
		expect(isNew(all)).toEqual([false, true]);
		expect(isNew(all, { ...tickets, showsNewRecords: false })).toEqual([false, false]);
	});

	test('nothing differs from an empty memory', () => {
		expect(diff(emptyMemory(), seenOf(['A OPEN', 'B CLOSED']), OF_TICKETS)).toEqual([]);
	});
});

describe('after a poll', () => {
	const after = (
		seen: Seen,
		{ long = KNOWN.long, withheld = [] as string[], memory = KNOWN } = {},
	) => {
		const changes = diff(memory, seen, OF_TICKETS).filter(({ id }) => !withheld.includes(id));
		const findings = { seen, changes, withheld: new Set(withheld), long, next: memory.next };
		return remember(memory, findings, tickets);
	};

	test.each<[what: string, seen: string[], gone: string[], expected: Record<string, string>]>([
		['a record that was not seen stays as it is known', [], [], { A: 'OPEN', B: 'CLOSED' }],
		['a change is remembered', ['A IN_PROGRESS'], [], { A: 'IN_PROGRESS' }],
		['a new record is remembered', ['X OPEN'], [], { X: 'OPEN' }],
		['one of a list that is not complete, too', ['X RESOLVED'], [], { X: 'RESOLVED' }],
	])('%s', (_what, seen, gone, expected) => {
		const { records } = after(seenOf(seen, gone));
		for (const [id, status] of Object.entries(expected))
			expect([id, records.statusOf(id)]).toEqual([id, status]);
	});

	test('a record that was deleted is forgotten', () => {
		expect(after(seenOf([], ['A'])).records.statusOf('A')).toBeUndefined();
	});

	test('a change that is left to the next poll is no part of it', () => {
		const memory = after(seenOf(['A CLOSED', 'X OPEN']), { withheld: ['A', 'X'] });
		expect(memory.records.statusOf('A')).toBe('OPEN');
		expect(memory.records.statusOf('X')).toBeUndefined();
	});

	test('records that may have to be looked up are known by their IDs: those of short lists, and of no list', () => {
		const { records } = after(seenOf(['A CLOSED', 'B OPEN', 'C ON_HOLD', 'X IN_PROGRESS']));
		expect([...records.ids.keys()].sort()).toEqual(['B', 'C', 'X']);
		expect(records.statusOf('A')).toBe('CLOSED');
	});

	test('if a list becomes a long one, its records are known by their keys', () => {
		const { records } = after(new Seen(), { long: { ...KNOWN.long, OPEN: newLongList(true) } });
		expect([records.ids.size, records.statusOf('A')]).toEqual([0, 'OPEN']);
	});

	test('a list is complete if it was read in full, and nothing can have been missed', () => {
		const seen = seenOf(['X IN_PROGRESS']);
		seen.readInFull = new Set(['IN_PROGRESS', 'RESOLVED']);
		seen.complete = new Set(['IN_PROGRESS']);
		const memory = after(seen);
		const statuses = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
		expect(statuses.map((status) => isComplete(memory, status))).toEqual([true, true, false, true]);
		seen.complete = 'all';
		expect(after(seen, { long: {} }).complete).toBe('all');
	});

	test('the number of all records is known from the totals of all lists', () => {
		const seen = new Seen();
		for (const [i, { status }] of tickets.partitions.entries()) {
			const page = pageOf([], status, 1_000 * (i + 1));
			seen.add([page]);
			seen.firstPages.set(status, page);
		}
		expect(after(seen).size).toBe(10_000);
		seen.firstPages.delete('OPEN');
		expect(after(seen, { memory: { ...KNOWN, size: 7 } }).size).toBe(7);
	});
});

describe('what a poll has seen', () => {
	const full = { id: 'A', status: 'CLOSED', record: { id: 'A', notes: [] } };

	test('of a record that was seen twice, the row that is added later counts', () => {
		const seen = seenOf(['A OPEN']);
		seen.add([pageOf(['A CLOSED'])]);
		expect(seen.records.get('A')!.status).toBe('CLOSED');
	});

	test.each<[row: string, inDetail: boolean]>([
		['A CLOSED', true],
		['A OPEN', false],
	])('a record that was looked up stays in full if a row %s follows: %j', (row, inDetail) => {
		const seen = new Seen();
		seen.addInDetail(full);
		seen.add([pageOf([row])]);
		expect(seen.inDetail.has('A')).toBe(inDetail);
		expect(seen.records.get('A')!.record).toEqual(inDetail ? full.record : { id: 'A' });
	});
});
