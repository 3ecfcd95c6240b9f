import type { Change } from '../../nodes/ConversationalMessaging/trigger/diff.ts';
import { eventItem, isChosen, passes } from '../../nodes/ConversationalMessaging/trigger/events.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/sources/chats.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { FakeTime } from '../time.mts';

const change = (previousStatus: string | null, status: string): Change => ({
	id: '7',
	previousStatus,
	status,
	ordinal: 3,
	record: { id: 7, status },
});

test.each([
	['OPEN', [], true],
	['OPEN', ['OPEN', 'CLOSED'], true],
	['open', ['OPEN'], true],
	['PENDING', ['OPEN'], false],
])('the status %j is among the chosen ones %j: %s', (status, statuses, chosen) => {
	expect(isChosen(status, { statuses, includeNew: false })).toBe(chosen);
});

describe('a change becomes an event, or not', () => {
	test.each<
		[from: string | null, to: string, statuses: string[], includeNew: boolean, passed: boolean]
	>([
		['OPEN', 'CLOSED', [], false, true],
		['OPEN', 'CLOSED', ['CLOSED'], false, true],
		['OPEN', 'CLOSED', ['OPEN'], true, false],
		[null, 'CLOSED', [], true, true],
		[null, 'CLOSED', [], false, false],
		[null, 'CLOSED', ['OPEN'], true, false],
	])(
		'from %j to %j, with the statuses %j and new records %s: %s',
		(from, to, statuses, includeNew, passed) => {
			expect(passes(change(from, to), tickets, { statuses, includeNew })).toBe(passed);
		},
	);

	test.each([
		['to', 'a', 'HIDDEN'],
		['from', 'HIDDEN', 'a'],
	])('never %s a status that the source hides', (_which, from, to) => {
		const source = { ...chats, hiddenStatus: 'HIDDEN' };
		const all = { statuses: [], includeNew: true };
		expect(passes(change(from, to), source, all)).toBe(false);
		expect(passes(change('a', 'b'), source, all)).toBe(true);
		expect(passes(change(from, to), { ...source, hiddenStatus: undefined }, all)).toBe(true);
	});
});

test('the item of a change has the record, both statuses, and an ID of this change alone', () => {
	const time = new FakeTime().install();
	const { json } = eventItem(tickets, change('OPEN', 'CLOSED'), 'e1');
	time.restore();
	expect(json).toEqual({
		event: tickets.event,
		eventId: `${tickets.event}:7:e1:3:CLOSED`,
		recordId: '7',
		previousStatus: 'OPEN',
		status: 'CLOSED',
		detectedAt: new Date(time.clock.now()).toISOString(),
		record: { id: 7, status: 'CLOSED' },
	});
});
