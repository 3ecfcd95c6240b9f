/** Which changes become events, and what an event contains. */
import type { IDataObject } from 'n8n-workflow';
import { eventItem, passes } from '../../nodes/ConversationalMessaging/trigger/status/events.ts';
import { readDetails } from '../../nodes/ConversationalMessaging/trigger/status/lookups.ts';
import type { Change } from '../../nodes/ConversationalMessaging/trigger/status/memory.ts';
import { Reader } from '../../nodes/ConversationalMessaging/trigger/status/reader.ts';
import { Seen } from '../../nodes/ConversationalMessaging/trigger/status/seen.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { FakeTime } from '../support/time.mts';
import { outage } from './service.mts';
import { stepOf } from './watch.mts';

const change = (previousStatus: string | null, status: string, isNew = false): Change => ({
	id: '7',
	previousStatus,
	status,
	isNew,
	record: { id: 7, status },
});

describe('a change becomes an event, or not', () => {
	test.each<
		[from: string | null, to: string, statuses: string[], includeNew: boolean, passed: boolean]
	>([
		['OPEN', 'CLOSED', [], false, true],
		['OPEN', 'CLOSED', ['CLOSED'], false, true],
		['OPEN', 'CLOSED', ['OPEN'], true, false],
		['OPEN', 'closed', ['RESOLVED', 'CLOSED'], false, true],
		[null, 'CLOSED', [], true, true],
		[null, 'CLOSED', [], false, false],
		[null, 'CLOSED', ['OPEN'], true, false],
	])(
		'from %j to %j, with the statuses %j and new records %s: %s',
		(from, to, statuses, includeNew, passed) => {
			const isNew = from === null;
			expect(passes(change(from, to, isNew), { statuses, includeNew })).toBe(passed);
		},
	);

	test('one without a previous status is not necessarily new', () => {
		expect(passes(change(null, 'OPEN'), { statuses: [], includeNew: false })).toBe(true);
	});
});

test('the item of a change has the record, both statuses, and an ID of this change alone', () => {
	const time = new FakeTime().install();
	const { json } = eventItem(tickets, change('OPEN', 'CLOSED'), 'e1', 3);
	time.restore();
	expect(json).toStrictEqual({
		event: tickets.event,
		eventId: `${tickets.event}:7:e1:3:CLOSED`,
		recordId: '7',
		previousStatus: 'OPEN',
		status: 'CLOSED',
		detectedAt: new Date(time.clock.now()).toISOString(),
		record: { id: 7, status: 'CLOSED' },
	});
});

describe('with Include Details', () => {
	const FULL = { id: '7', status: 'CLOSED', notes: ['Call back'] };
	const made = change('OPEN', 'CLOSED');

	/** The record of one change. */
	async function recordOf(response: IDataObject | Error | undefined, seen = new Seen()) {
		const record = async () => {
			if (response instanceof Error) throw response;
			return await Promise.resolve(response);
		};
		const requests = { page: async () => await Promise.reject(outage()), record };
		const reader = new Reader(requests, tickets);
		await readDetails(stepOf(reader, { seen }), [made]);
		return seen.inDetail.has('7') ? seen.records.get('7')!.record : undefined;
	}

	test.each<[what: string, response: IDataObject | Error | undefined, record?: IDataObject]>([
		['in full', FULL, FULL],
		['as its list shows it, if it was deleted', undefined, made.record],
		['as its list shows it, if the service rejects it', outage(403), made.record],
		['in the next poll only, if the service failed', outage(503), undefined],
	])('an event has its record %s', async (_what, response, record) => {
		expect(await recordOf(response)).toStrictEqual(record);
	});

	test('a record that was looked up is not fetched again', async () => {
		const seen = new Seen();
		seen.addInDetail(made);
		expect(await recordOf(outage(503), seen)).toStrictEqual(made.record);
	});
});
