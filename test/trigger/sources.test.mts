/** How the kinds of records are listed and interpreted, as the API document describes them. */
import type { IDataObject } from 'n8n-workflow';
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/status/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import type {
	List,
	StatusSource,
} from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { itemsOf } from '../../nodes/ConversationalMessaging/trigger/messages/message.ts';
import type { MessageSubscription } from '../../nodes/ConversationalMessaging/trigger/messages/subscription.ts';
import { eventItem } from '../../nodes/ConversationalMessaging/trigger/status/events.ts';
import { lookUp } from '../../nodes/ConversationalMessaging/trigger/status/records.ts';
import { UNLIMITED } from '../../nodes/ConversationalMessaging/trigger/budget.ts';
import { segments } from '../../nodes/ConversationalMessaging/trigger/status/sources/segments.ts';
import { templates } from '../../nodes/ConversationalMessaging/trigger/status/sources/templates.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { FakeService } from './service.mts';

test.each<[noun: string, ended: string[], others: string[], source: StatusSource]>([
	// One that the document does not list may be followed by any other.
	['ticket', [], ['ON_HOLD'], tickets],
	['broadcast', [], ['SENDING'], broadcasts],
	// One with another status may be one that has ended, for ever.
	['import job', ['completed', 'failed', 'with_warnings'], ['queued', 'processing'], importJobs],
	['chat', ['NOT_ESCALATED'], ['ESCALATED'], chats],
])(
	'a %s that no list shows is not looked up with the statuses %j, and is with %j',
	(_noun, ended, others, source) => {
		for (const status of ended)
			expect([status, source.looksUp?.(status)]).toStrictEqual([status, false]);
		for (const status of others)
			expect([status, source.looksUp?.(status) ?? true]).toStrictEqual([status, true]);
	},
);

test.each([
	['OPEN', 'OPEN'],
	['open', 'OPEN'],
	['In Progress', 'IN_PROGRESS'],
	['in-progress', 'IN_PROGRESS'],
	['on hold', 'on hold'],
])('the status %j is spelled %j, as the document spells it', async (status, spelled) => {
	const requests = { ...new FakeService(tickets).requested, record: async () => ({ status }) };
	const statusOf = async (source: StatusSource) =>
		await lookUp(requests, { source, scope: {} }, 'R');
	expect(await statusOf(tickets)).toMatchObject({ observed: { status: spelled } });
	// The document does not show how those of import jobs are spelled.
	expect(await statusOf(importJobs)).toMatchObject({ observed: { status } });
});

test.each<[chat: IDataObject]>([[{}], [{ contactId: { id: 'K1' } }]])(
	'a chat that left the list of escalated ones, and does not show its contact (%j), is looked for at the head of the others',
	async (contained) => {
		const record = { id: 'C', ...contained };
		const lookUp = async (...rows: IDataObject[]) => {
			const page = async (query: IDataObject) => {
				expect(query).toStrictEqual({ needsEscalation: false, page: 1, limit: 100 });
				return { rows, meta: {} };
			};
			const requests = { page, record: async () => record, budget: UNLIMITED };
			return await chats.lookUp!(requests, 'C', {});
		};
		const observed = { key: 'C', id: 'C', status: 'NOT_ESCALATED', record, isFull: true };
		expect(await lookUp({ id: 'other' }, record)).toStrictEqual({ is: 'found', observed });
		// It may be further down.
		expect(await lookUp({ id: 'other' })).toStrictEqual({ is: 'unknown' });
	},
);

test.each([
	[false, 'A2', { is: 'found', observed: { status: 'NOT_ESCALATED' } }],
	[true, 'A1', { is: 'found', observed: { status: 'ESCALATED' } }],
	[true, 'A2', { is: 'outOfScope' }],
])(
	'a chat that shows that it is escalated: %j, and its agent %s, is looked for in no list',
	async (needsEscalation, assigneeId, result) => {
		const record = async () => ({ id: 'C', igId: '7', needsEscalation, assigneeId });
		const page = async () => ({ rows: [], meta: {} });
		const found = await chats.lookUp!({ page, record, budget: UNLIMITED }, 'C', {
			assigneeId: 'A1',
		});
		expect(found).toMatchObject(result);
	},
);

test('a chat that shows that it is escalated, but not its agent, is looked for in the list of the agent', async () => {
	const record = async () => ({ id: 'C', contactId: 'K', needsEscalation: true });
	const lookUp = async (...own: IDataObject[]) => {
		const page = async ({ assigneeId }: IDataObject) => ({ rows: assigneeId ? own : [], meta: {} });
		const requests = { page, record, budget: UNLIMITED };
		return await chats.lookUp!(requests, 'C', { assigneeId: 'A1' });
	};
	expect(await lookUp({ id: 'C' })).toMatchObject({ observed: { status: 'ESCALATED' } });
	expect(await lookUp()).toStrictEqual({ is: 'outOfScope' });
});

test('a chat that is still escalated, but not in the list of its agent any more, is out of scope', async () => {
	const service = new FakeService(chats);
	const { id } = service.make('ESCALATED', 'A2');
	// Another chat of its contact.
	service.make('NOT_ESCALATED', 'A2');
	const lookUp = async (scope: IDataObject) => await chats.lookUp!(service.requested, id, scope);
	expect(await lookUp({ assigneeId: 'A1' })).toStrictEqual({ is: 'outOfScope' });
	const observed = { id, status: 'ESCALATED' };
	expect(await lookUp({ assigneeId: 'A2' })).toMatchObject({ is: 'found', observed });
	// Without an agent, every list is its own: it may be further down.
	const nowhere = { ...service.requested, page: async () => ({ rows: [], meta: {} }) };
	expect(await chats.lookUp!(nowhere, id, {})).toStrictEqual({ is: 'unknown' });
});

test('a chat that enters the list was not escalated before, unless it may only have been assigned to the agent', () => {
	expect(chats.impliedPreviousStatus!({ channelId: 'CH1' })).toBe('NOT_ESCALATED');
	expect(chats.impliedPreviousStatus!({ assigneeId: 'A1' })).toBeNull();
});

describe('the members of a segment', () => {
	const page = (json: IDataObject, rows: unknown[] = []) => ({ rows, meta: {}, json });
	const [list] = segments.lists(['S1', 'S2']) as [List, List];

	test('are listed by its ID, in the largest pages that the document allows', () => {
		expect([list, segments.pageSize]).toStrictEqual([{ status: 'S1', path: { id: 'S1' } }, 200]);
	});

	test.each<[what: string, row: IDataObject, json: IDataObject]>([
		['contacts', { id: 'K1', name: 'Ada' }, { data: { id: 'S1', name: 'VIP', members: [] } }],
		[
			'memberships with a contact, of a segment under its name',
			{ id: 'M1', contact: { id: 'K1', name: 'Ada' } },
			{ data: { segment: { id: 'S1', name: 'VIP' }, contacts: [] } },
		],
	])('may be %s', (_what, row, json) => {
		const record = { id: 'K1', name: 'Ada' };
		const owner = { id: 'S1', name: 'VIP' };
		const observed = segments.recordIn!(row, list, page(json));
		expect(observed).toStrictEqual({ key: 'S1:K1', id: 'K1', status: 'S1', record, owner });
		const named = { title: 'Ada', status: 'ADDED', name: 'Ada', segment: owner };
		expect(segments.nameOf(observed!)).toStrictEqual(named);
	});

	test.each([
		[true, 0, true],
		[true, 1, false],
		[false, 0, false],
	])('of a segment that is dynamic: %j, with %d members: doubtful: %j', (isDynamic, count, is) => {
		const rows = Array.from({ length: count }, () => ({ id: 'K1' }));
		for (const shown of [{ isDynamic }, { is_dynamic: isDynamic }]) {
			const doubt = segments.doubt!(page({ data: { id: 'S1', name: 'VIP', ...shown } }, rows));
			expect(String(doubt).includes('"VIP"')).toBe(is);
		}
	});
});

test.each([
	['rejected_reason', 'INVALID_FORMAT', 'INVALID_FORMAT'],
	['rejectionReason', 'It promises a prize', 'It promises a prize'],
	['reason', 'NONE', undefined],
	['reason', '', undefined],
	['reason', null, undefined],
])('of a template, %s: %j is shown as its reason: %j', (name, value, reason) => {
	const record = { name: 'summer', language: 'en_US', [name]: value };
	const observed = { key: 'T', id: 'T', status: 'REJECTED', record };
	expect(templates.nameOf(observed)).toMatchObject({ title: 'summer (en_US)', reason });
});

test.each<[source: StatusSource, record: IDataObject, names: IDataObject]>([
	[tickets, { title: ' ', ticket_number: '1042' }, { title: '1042', ticketNumber: '1042' }],
	[tickets, { title: ['a'] }, { title: 'R' }],
	[tickets, { title: 17, ticketNumber: 1042 }, { title: '17', ticketNumber: 1042 }],
	[broadcasts, { name: null }, { title: 'R', name: null }],
	[importJobs, { file_name: 'a.csv' }, { title: 'a.csv', fileName: 'a.csv' }],
	[templates, { name: 'summer', language: { code: 'de' } }, { title: 'summer' }],
	[templates, { language: 'de' }, { title: 'R' }],
	[chats, { contact: { name: '', waId: 12025550101 } }, { title: '12025550101' }],
	[chats, { contact: { name: ' ', ig_username: 'ada', igId: '7' } }, { title: 'ada' }],
	[chats, { contact: null, igId: '7' }, { title: '7' }],
	[segments, { name: '', wa_id: '12025550101' }, { title: '12025550101' }],
	[segments, { name: {} }, { title: 'R' }],
])('a person knows a record by its title: %#', (source, record, names) => {
	const change = { key: 'R', id: 'R', status: 'OPEN', record, previousStatus: null };
	expect(eventItem(source, change, undefined, 'e', 0).json).toMatchObject(names);
	if (source !== chats) return;
	const message = { id: 'M', time: 0, isInbound: true, isWanted: true, record: {} };
	const items = itemsOf({ id: 'R', row: record }, [message], {
		isGrouped: false,
	} as MessageSubscription);
	expect(items[0]!.json).toMatchObject(names);
});
