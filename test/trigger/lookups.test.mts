import type { IDataObject } from 'n8n-workflow';
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { Lister } from '../../nodes/ConversationalMessaging/trigger/lister.ts';
import { lookUp, selectLookups } from '../../nodes/ConversationalMessaging/trigger/lookups.ts';
import { observationOf } from '../../nodes/ConversationalMessaging/trigger/observation.ts';
import type { LookupResult } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { subscriptionTo } from '../../nodes/ConversationalMessaging/trigger/subscription.ts';
import { TrackedRecords } from '../../nodes/ConversationalMessaging/trigger/tracked.ts';
import { baseline, edit } from './checkpoints.mts';
import { outage } from './service.mts';

const NOTHING = observationOf({ pages: [], complete: new Map(), archives: new Set() });

/** What looking up one record adds to an observation. */
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
	const filter = { statuses: [], includeNew: true };
	const lister = new Lister({ page: async () => await Promise.reject(outage()), record }, source);
	const subscription = subscriptionTo(source, scope, filter, false);
	const { records, inFull, deleted, outOfScope } = await lookUp(
		lister,
		subscription,
		['A'],
		NOTHING,
	);
	const status = records.get('A')?.status;
	return { status, inFull: [...inFull], deleted, outOfScope };
}

const OPEN = { id: 'A', status: 'open', assigneeId: 'A1' };
const unknown = { status: undefined, inFull: [], deleted: [], outOfScope: [] };
const found = { ...unknown, status: 'OPEN', inFull: ['A'] };

describe('looking up a record that left its list', () => {
	test.each<[what: string, response: IDataObject | Error | undefined, result: object]>([
		['which exists: it has a status', OPEN, found],
		['which no longer exists: it was deleted', undefined, { ...unknown, deleted: ['A'] }],
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
	])('%j does not match the filter of an agent: %j', async (record, isOutOfScope) => {
		const { outOfScope } = await lookedUp(record, { assigneeId: 'A1' });
		expect(outOfScope).toEqual(isOutOfScope ? ['A'] : []);
	});

	test('an ID in the filter that is a number in the record is the same', async () => {
		expect(await lookedUp({ ...OPEN, contactId: 7 }, { contactId: '7' })).toEqual(found);
	});

	test('every filter must match', async () => {
		const scope = { assigneeId: 'A1', contactId: 'C1' };
		const { outOfScope } = await lookedUp({ ...OPEN, contactId: 'C2' }, scope);
		expect(outOfScope).toEqual(['A']);
	});

	test('by a way of the source', async () => {
		expect(await lookedUp(OPEN, {}, { is: 'outOfScope' })).toEqual({
			...unknown,
			outOfScope: ['A'],
		});
		expect(await lookedUp(OPEN, {}, { is: 'unknown' })).toEqual(unknown);
	});

	test('an exception that is no rejection is thrown', async () => {
		await expect(lookedUp(new Error('bug'))).rejects.toThrow('bug');
	});
});

describe('which records are looked up', () => {
	const IDS = ['A', 'B', 'C', 'D', 'E'].sort((one, other) => keyOf(one) - keyOf(other));
	const tracked = new TrackedRecords().with([
		...IDS.map((id) => edit(id, 'OPEN', true)),
		edit('X', 'ON_HOLD', true),
		edit('Y', 'ON_HOLD', true),
		edit('Z', 'CLOSED'),
	]);
	const observed = {
		...NOTHING,
		complete: new Map([['OPEN', 'certain' as const]]),
		archives: new Set(['CLOSED']),
	};
	const select = (lookups: number, left: number, more = {}) =>
		selectLookups(
			baseline(tracked, { cursors: { left, unlisted: 0 } }),
			{ ...observed, ...more },
			tickets.partitions,
			{ ...LIMITS, lookups, unlistedLookups: 9 },
		);
	const [first, second, third, fourth, fifth] = IDS;

	test('those that left a list that was read completely, and those in no list', () => {
		expect(select(9, 0).ids.sort()).toEqual([...IDS, 'X', 'Y'].sort());
	});

	test('not those that were seen, or whose list was not read', () => {
		const records = new Map(
			[...IDS.slice(1), 'X'].map((id) => [id, { id, status: 'OPEN', record: {} }]),
		);
		expect(select(9, 0, { records }).ids).toEqual([first, 'Y']);
		expect(select(9, 0, { complete: new Map() }).ids).toEqual(['X', 'Y']);
	});

	test('all that were not seen, if everything was read', () => {
		expect(select(9, 0, { complete: new Map(), whole: 'certain' }).ids).toHaveLength(7);
	});

	test('if there are more than allowed, the next ones in the order of their keys, around', () => {
		const of = (cursor: number) => {
			const { ids, cursors } = select(2, cursor);
			return [ids.filter((id) => IDS.includes(id)), cursors.left];
		};
		expect(of(0)).toEqual([[first, second], keyOf(second!)]);
		expect(of(keyOf(second!))).toEqual([[third, fourth], keyOf(fourth!)]);
		expect(of(keyOf(fourth!))).toEqual([[fifth, first], keyOf(first!)]);
		expect(of(keyOf(fifth!))).toEqual([[first, second], keyOf(second!)]);
		expect(of(keyOf(first!) - 1)).toEqual([[first, second], keyOf(second!)]);
	});

	test('if there are as many as allowed, all of them, and the next poll begins where this one did', () => {
		const { ids, cursors } = select(5, 7);
		expect(ids.slice(0, 5)).toEqual(IDS);
		expect(cursors.left).toBe(7);
	});
});
