/** Tickets. */
import type { IDataObject } from 'n8n-workflow';
import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { recordOf } from '../../nodes/ConversationalMessaging/api/record.ts';
import { statusOf } from '../../nodes/ConversationalMessaging/api/response.ts';
import { textOf } from '../../nodes/ConversationalMessaging/api/text.ts';
import { upperCase } from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import {
	allOf,
	cannotTell,
	fails,
	failsFor,
	holds,
	unread,
	withoutRows,
	type Assumption,
	type Judgement,
} from '../assumption.mts';
import { key, paths, words } from '../names.mts';
import { eventsOf } from '../operations.mts';
import { allPaths, typesAt } from '../records.mts';
import { isOk, isUnclear, whyNot, type ListReading } from '../service.mts';
import { count, say } from '../shown.mts';

export const ticketNumber: Assumption = {
	id: 'ticket-number',
	question: 'Does a ticket show its number, and can it be read by this number?',
	settles: [],
	otherwise:
		'The list of tickets in the editor shows titles without numbers. With By ID, only the ID of a ticket works, not its number.',
	async check(service) {
		const list = await service.largePage('tickets');
		const row = list.rows.find((entry) => idOf(entry) !== undefined);
		if (!row) return withoutRows(list) ?? cannotTell(say`no ticket with an ID was read`);
		const name = ['ticketNumber', 'number'].find((own) => textOf(row[own]) !== '');
		if (name === undefined)
			return fails(say`keys of a ticket: ${paths(allPaths(list.rows.slice(0, 50)))}`);
		const seen = say`${key(name)} (${typesAt(list.rows, [name])})`;
		const id = idOf(row) ?? '';
		const byId = await service.read('GET /tickets/{id}', { path: { id } });
		if (!isOk(byId)) return unread(byId);
		const byNumber = await service.read('GET /tickets/{id}', { path: { id: textOf(row[name]) } });
		const { response } = byNumber;
		if (!response || isUnclear(byNumber)) return cannotTell(seen, whyNot(byNumber));
		return isOk(byNumber) && recordOf(response.json, ['ticket']).id === id
			? holds(seen, say`reading a ticket by it returns it`)
			: failsFor(
					['Ticket → Get with a ticket number'],
					seen,
					say`reading a ticket by it does not return it (${response.status})`,
				);
	},
};

const FILTERED = ['Ticket → Get Many with Status', ...eventsOf('GET /tickets')];

const DOCUMENTED = tickets.partitions.map(({ status }) => status);

export const ticketStatus: Assumption = {
	id: 'ticket-status',
	question: 'Does every ticket show a documented status, and does the filter by status work?',
	settles: [],
	otherwise:
		'The trigger does not see a status under another name, and one that is not documented cannot be selected. Without the filter, Get Many with a status returns other tickets too, and the trigger reports wrong changes.',
	async check(service) {
		const all = await service.largePage('tickets');
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
