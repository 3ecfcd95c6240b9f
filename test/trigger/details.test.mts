/** What an event contains with Include Details. */
import type { IDataObject } from 'n8n-workflow';
import { readDetails } from '../../nodes/ConversationalMessaging/trigger/details.ts';
import type { Change } from '../../nodes/ConversationalMessaging/trigger/diff.ts';
import { Lister } from '../../nodes/ConversationalMessaging/trigger/lister.ts';
import { observationOf } from '../../nodes/ConversationalMessaging/trigger/observation.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { subscriptionTo } from '../../nodes/ConversationalMessaging/trigger/subscription.ts';
import { outage } from './service.mts';

const ROW = { id: 'A', status: 'OPEN' };
const FULL = { ...ROW, notes: ['Call back'] };

/** The record of the change of A, which becomes an event, unlike the one of B. */
async function recordsOf(
	response: IDataObject | Error | undefined,
	details = true,
): Promise<IDataObject | undefined> {
	const record = async () => {
		if (response instanceof Error) throw response;
		return await Promise.resolve(response);
	};
	const lister = new Lister({ page: async () => await Promise.reject(outage()), record }, tickets);
	const changeOf = (row: IDataObject & { id: string; status: string }): Change => ({
		id: row.id,
		status: row.status,
		record: row,
		previousStatus: null,
		ordinal: 1,
	});
	const { changes, withheld } = await readDetails(
		lister,
		subscriptionTo(tickets, {}, { statuses: [], includeNew: true }, details),
		{
			observation: observationOf({ pages: [], complete: new Map(), archives: new Set() }),
			changes: [changeOf(ROW), changeOf({ id: 'B', status: 'CLOSED' })],
			settled: new Map(),
			givenUp: new Set(),
			sweeps: {},
		},
		({ id }) => id === 'A',
	);
	expect([...withheld]).toEqual(lister.failure ? ['A'] : []);
	const recordOf = (id: string) => changes.find((change) => change.id === id)?.record;
	expect(recordOf('B')).toEqual({ id: 'B', status: 'CLOSED' });
	return recordOf('A');
}

test.each<[what: string, response: IDataObject | Error | undefined, record?: IDataObject]>([
	['in full', FULL, FULL],
	['as its list shows it, if it was deleted', undefined, ROW],
	['as its list shows it, if the service rejects it', outage(403), ROW],
	['in the next poll only, if the service failed', outage(503), undefined],
])('a record %s', async (_what, response, record) => {
	expect(await recordsOf(response)).toEqual(record);
});

test('without Include Details, a record as its list shows it', async () => {
	expect(await recordsOf(FULL, false)).toEqual(ROW);
});
