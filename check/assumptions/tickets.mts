/** Tickets. */
import type { IDataObject } from 'n8n-workflow';
import { statusOf } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { upperCase } from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import {
	allOf,
	cannotTell,
	failsFor,
	holds,
	withoutRows,
	type Assumption,
	type Judgement,
} from '../assumption.mts';
import { allPaths, paths, words } from '../names.mts';
import { eventsOf } from '../operations.mts';
import { whyNot, type ListReading } from '../service.mts';
import { count, say } from '../shown.mts';

const FILTERED = ['Ticket → Get Many with Status', ...eventsOf('GET /tickets')];

const DOCUMENTED = tickets.lists([]).map(({ status }) => status);

export const ticketStatus: Assumption = {
	id: 'ticket-status',
	question: 'Does every ticket show a documented status, and does the filter by status work?',
	otherwise:
		'The trigger does not see a status under another name, and one that is not documented cannot be selected. Without the filter, Get Many with a status returns other tickets too, and the trigger reports wrong changes.',
	async check(service) {
		const all = await service.list('tickets');
		if (all.rows.length === 0) return withoutRows(all) ?? cannotTell();
		const open = await service.list('tickets', { status: 'OPEN', limit: 50 });
		return allOf([judgeStatuses(all.rows), judgeFilter(all.rows, open)]);
	},
};

function judgeStatuses(rows: readonly IDataObject[]): Judgement {
	const shown = rows.map(statusOf).filter((status) => status !== undefined);
	const without = rows.length - shown.length;
	if (without > 0)
		return failsFor(
			without < rows.length ? [] : eventsOf('GET /tickets'),
			say`no status in ${without} of ${count(rows.length, 'ticket')}`,
			say`keys of a ticket: ${paths(allPaths(rows.slice(0, 50)))}`,
		);
	const others = new Set(shown.filter((status) => !DOCUMENTED.includes(upperCase(status)))).size;
	if (others === 0) return holds(words(shown));
	return failsFor(
		eventsOf('GET /tickets'),
		words(shown),
		others === 1 ? say`one of them is not documented` : say`${others} of them are not documented`,
	);
}

function judgeFilter(all: readonly IDataObject[], { path, rows, reading }: ListReading): Judgement {
	if (!path) {
		const { status = 0 } = reading.response ?? {};
		return [400, 422].includes(status)
			? failsFor(FILTERED, say`status=OPEN is rejected with ${status}`)
			: cannotTell(whyNot(reading));
	}
	const known = (records: readonly IDataObject[]) =>
		records.map(statusOf).filter((status) => status !== undefined);
	const isOpen = (status: string): boolean => upperCase(status) === 'OPEN';
	const others = known(rows).filter((status) => !isOpen(status)).length;
	if (others > 0)
		return failsFor(
			FILTERED,
			say`status=OPEN returns ${others} of ${count(rows.length, 'row')} with another status`,
		);
	const listed = known(all);
	const open = listed.filter(isOpen).length;
	if (rows.length === 0 && open > 0)
		return failsFor(
			FILTERED,
			say`status=OPEN returns nothing, but the list has ${count(open, 'open ticket')}`,
		);
	if (listed.length === 0) return cannotTell(say`the tickets show no status`);
	if (rows.length === 0) return cannotTell(say`no ticket is open`);
	return open === listed.length
		? cannotTell(say`all tickets are open`)
		: holds(say`status=OPEN returns ${count(rows.length, 'row')}, all open`);
}
