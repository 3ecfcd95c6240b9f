import type { IDataObject } from 'n8n-workflow';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { lookUp, selectMissing } from '../../nodes/ConversationalMessaging/trigger/lookups.ts';
import { emptyMemory } from '../../nodes/ConversationalMessaging/trigger/memory.ts';
import { Reader } from '../../nodes/ConversationalMessaging/trigger/reader.ts';
import { Records } from '../../nodes/ConversationalMessaging/trigger/records.ts';
import { Seen } from '../../nodes/ConversationalMessaging/trigger/seen.ts';
import type { LookupResult } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { FakeTime } from '../time.mts';
import { outage } from './service.mts';
import { pollOf } from './sourcePoll.mts';

/** What looking up one record shows. */
async function lookedUp(
	response: IDataObject | Error | undefined,
	scope: IDataObject = {},
	custom?: LookupResult,
) {
	const record = async () => {
		if (response instanceof Error) throw response;
		return await Promise.resolve(response);
	};
	const source = custom
		? { ...tickets, lookUp: async () => await Promise.resolve(custom) }
		: tickets;
	const reader = new Reader({ page: async () => await Promise.reject(outage()), record }, source);
	const seen = new Seen();
	await lookUp(pollOf(reader, { seen, scope }), ['A']);
	return {
		status: seen.records.get('A')?.status,
		inDetail: [...seen.inDetail],
		dropped: [...seen.dropped],
	};
}

const OPEN = { id: 'A', status: 'open', assigneeId: 'A1' };
const unknown = { status: undefined, inDetail: [], dropped: [] };
const found = { ...unknown, status: 'OPEN', inDetail: ['A'] };

describe('looking up a record that left its list', () => {
	test.each<[what: string, response: IDataObject | Error | undefined, result: object]>([
		['which exists: it has a status', OPEN, found],
		[
			'which no longer exists: it was deleted',
			undefined,
			{ ...unknown, dropped: [['A', 'deleted']] },
		],
		['which has no status: nothing is known', { id: 'A' }, unknown],
		['which is rejected: nothing is known', outage(403), unknown],
		['during an outage: nothing is known', outage(503), unknown],
	])('%s', async (_what, response, result) => {
		expect(await lookedUp(response)).toEqual(result);
	});

	test.each<[record: IDataObject, isOutOfScope: boolean]>([
		[OPEN, false],
		[{ ...OPEN, assigneeId: 'A2' }, true],
		[{ ...OPEN, assigneeId: null }, true],
		// Where a record contains it is undocumented.
		[{ ...OPEN, assigneeId: undefined }, false],
		[{ ...OPEN, assigneeId: undefined, assignee: { id: 'A1' } }, false],
		[{ ...OPEN, assigneeId: undefined, assignee: { id: 'A2' } }, true],
		[{ ...OPEN, assigneeId: undefined, assignee: 'Ada' }, false],
		[{ ...OPEN, assigneeId: { _id: 'A1' } }, false],
		[{ ...OPEN, assigneeId: { _id: 'A2' } }, true],
		[{ ...OPEN, assigneeId: { name: 'Ada' } }, false],
		[{ ...OPEN, assigneeId: undefined, assignee: null }, true],
		[{ ...OPEN, assigneeId: undefined, assignee: { name: 'Ada' } }, false],
	])('%j does not match the filter of an agent: %j', async (record, isOutOfScope) => {
		const { dropped } = await lookedUp(record, { assigneeId: 'A1' });
		expect(dropped).toEqual(isOutOfScope ? [['A', 'outOfScope']] : []);
	});

	test('an ID in the filter that is a number in the record is the same', async () => {
		expect(await lookedUp({ ...OPEN, contactId: 7 }, { contactId: '7' })).toEqual(found);
	});

	test('every filter must match', async () => {
		const scope = { assigneeId: 'A1', contactId: 'C1' };
		const { dropped } = await lookedUp({ ...OPEN, contactId: 'C2' }, scope);
		expect(dropped).toEqual([['A', 'outOfScope']]);
	});

	test('by a way of the source', async () => {
		expect(await lookedUp(OPEN, {}, { is: 'outOfScope' })).toEqual({
			...unknown,
			dropped: [['A', 'outOfScope']],
		});
		expect(await lookedUp(OPEN, {}, { is: 'unknown' })).toEqual(unknown);
	});

	test('an exception that is no rejection is thrown', async () => {
		await expect(lookedUp(new Error('bug'))).rejects.toThrow('bug');
	});
});

test('three different records in a row that fail end the look-ups, one does not', async () => {
	const requested: string[] = [];
	const record = async (id: string) => {
		requested.push(id);
		if (id.startsWith('bad')) throw outage(500);
		return await Promise.resolve({ id, status: 'OPEN' });
	};
	const look = async (ids: string[]) => {
		const reader = new Reader({ page: async () => ({ rows: [], meta: {} }), record }, tickets);
		const seen = new Seen();
		for (const id of ids) await lookUp(pollOf(reader, { seen }), [id]);
		return { found: [...seen.records.keys()], failure: reader.failure, isOver: reader.isOver };
	};
	const among = await look(['bad 1', 'A', 'bad 2', 'bad 3', 'B']);
	expect(among).toEqual({ found: ['A', 'B'], failure: undefined, isOver: false });
	const inRow = await look(['bad 1', 'bad 2', 'bad 3', 'A']);
	expect([inRow.found, inRow.failure?.httpCode, inRow.isOver]).toEqual([[], '500', false]);
});

describe('which records are looked up', () => {
	const time = new FakeTime();
	beforeAll(() => time.install());
	afterAll(() => time.restore());

	const IDS = ['A', 'B', 'C', 'D', 'E'];
	const memory = {
		...emptyMemory(),
		records: new Records().with([
			...IDS.map((id) => ({ id, status: 'OPEN', keepsId: true })),
			{ id: 'X', status: 'ON_HOLD', keepsId: true },
			{ id: 'Y', status: 'ON_HOLD', keepsId: true },
			{ id: 'Z', status: 'CLOSED' },
		]),
	};
	const requests = { page: async () => ({ rows: [], meta: {} }), record: async () => undefined };
	const reader = new Reader(requests, tickets);

	function select(seenIds: string[], readInFull: Set<string> | 'all', lookups = 9) {
		const seen = new Seen();
		seen.readInFull = readInFull;
		const record = {};
		for (const id of seenIds) seen.records.set(id, { id, status: 'OPEN', record });
		const limits = { ...LIMITS, lookups, unlistedLookups: 1 };
		return selectMissing(pollOf(reader, { memory, seen, limits }));
	}

	test('those that left a list that was read in full, and some of those in no list', () => {
		time.randomValue = 0;
		expect(select([], new Set(['OPEN']))).toEqual([...IDS, 'X']);
	});

	test('not those that were seen, or whose list was not read in full', () => {
		time.randomValue = 0;
		expect(select(['A', 'B', 'C', 'D', 'X'], new Set(['OPEN']))).toEqual(['E', 'Y']);
		expect(select([], new Set())).toEqual(['X']);
	});

	test('all that were not seen, if everything was read', () => {
		time.randomValue = 0;
		expect(select([], 'all')).toEqual([...IDS, 'X', 'Y']);
	});

	test('if there are more than allowed, those from a random one on, around', () => {
		time.randomValue = 0.7;
		expect(select(['X', 'Y'], new Set(['OPEN']), 3)).toEqual(['D', 'E', 'A']);
	});
});
