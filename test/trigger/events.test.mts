/** Which changes become events, and what an event contains. */
import { eventItem, passes } from '../../nodes/ConversationalMessaging/trigger/status/events.ts';
import type { Change } from '../../nodes/ConversationalMessaging/trigger/status/memory.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { FakeTime } from '../support/time.mts';

const change = (previousStatus: string | null, status: string, isNew = false): Change => ({
	key: '7',
	id: '7',
	previousStatus,
	status,
	isNew,
	record: { id: 7, status, title: 'Wrong size' },
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
			expect(passes(change(from, to, isNew), { statuses, includeNew, fields: {} })).toBe(passed);
		},
	);

	test('one without a previous status is not necessarily new', () => {
		expect(passes(change(null, 'OPEN'), { statuses: [], includeNew: false, fields: {} })).toBe(
			true,
		);
	});
});

test('the item of a change has the record, both statuses, and an ID of this change alone', () => {
	const time = new FakeTime().install();
	const { json } = eventItem(tickets, change('OPEN', 'CLOSED'), undefined, 'e1', 3);
	time.restore();
	const record = { id: 7, status: 'CLOSED', title: 'Wrong size' };
	// In the order in which a person reads them.
	expect(Object.entries(json)).toStrictEqual(
		Object.entries({
			event: tickets.event,
			status: 'CLOSED',
			previousStatus: 'OPEN',
			title: 'Wrong size',
			detectedAt: new Date(time.clock.now()).toISOString(),
			record,
			recordId: '7',
			eventId: `${tickets.event}:7:e1:3:CLOSED`,
		}),
	);
});
