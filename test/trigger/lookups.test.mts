/** What looking up a record shows: its status, or whether it still belongs to the subscription. */
import type { IDataObject } from 'n8n-workflow';
import { lookUp } from '../../nodes/ConversationalMessaging/trigger/status/lookups.ts';
import { Reader } from '../../nodes/ConversationalMessaging/trigger/status/reader.ts';
import { Seen } from '../../nodes/ConversationalMessaging/trigger/status/seen.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { outage } from './service.mts';
import { stepOf } from './watch.mts';

/** What is known of record A after it was looked up. */
async function lookedUp(
	response: IDataObject | Error | undefined,
	scope: Record<string, string> = {},
) {
	const record = async () => {
		if (response instanceof Error) throw response;
		return await Promise.resolve(response);
	};
	const reader = new Reader({ page: async () => await Promise.reject(outage()), record }, tickets);
	const seen = new Seen();
	await lookUp(stepOf(reader, { seen, scope }), { ids: ['A'], areAll: true });
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
		expect(await lookedUp(response)).toStrictEqual(result);
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
		[{ ...OPEN, assigneeId: { id: 'A1' } }, false],
		[{ ...OPEN, assigneeId: { id: 'A2' } }, true],
		[{ ...OPEN, assigneeId: { name: 'Ada' } }, false],
		[{ ...OPEN, assigneeId: undefined, assignee: null }, true],
		[{ ...OPEN, assigneeId: undefined, assignee: { name: 'Ada' } }, false],
	])('%j does not match the filter of an agent: %j', async (record, isOutOfScope) => {
		const { dropped } = await lookedUp(record, { assigneeId: 'A1' });
		expect(dropped).toStrictEqual(isOutOfScope ? [['A', 'outOfScope']] : []);
	});

	test('an ID in the filter that is a number in the record is the same', async () => {
		expect(await lookedUp({ ...OPEN, contactId: 7 }, { contactId: '7' })).toStrictEqual(found);
	});

	test('every filter must match', async () => {
		const scope = { assigneeId: 'A1', contactId: 'C1' };
		const { dropped } = await lookedUp({ ...OPEN, contactId: 'C2' }, scope);
		expect(dropped).toStrictEqual([['A', 'outOfScope']]);
	});
});

test.each([
	['CLOSED', true],
	['OPEN', false],
])('a record that was looked up stays in full if a row with %s follows: %j', (status, stays) => {
	const full = { id: 'A', status: 'CLOSED', record: { id: 'A', notes: [] } };
	const row = { id: 'A', status, record: { id: 'A' } };
	const seen = new Seen();
	seen.addInDetail(full);
	seen.add([{ number: 1, size: 200, length: 1, records: [row] }]);
	expect(seen.inDetail.has('A')).toBe(stays);
	expect(seen.records.get('A')).toStrictEqual(stays ? full : row);
});
