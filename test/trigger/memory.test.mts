/** What differs between memory and observation. */
import {
	diff,
	emptyMemory,
	type Memory,
	newLongList,
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

function pageOf(rows: string[]): ListedPage {
	const records = rows.map((row) => {
		const [id, own] = row.split(' ') as [string, string];
		return { id, status: own, record: { id } };
	});
	return { number: 1, size: 200, length: rows.length, records };
}

function seenOf(rows: string[]): Seen {
	const seen = new Seen();
	seen.add([pageOf(rows)]);
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

	test('an unknown record has the implied previous status', () => {
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
