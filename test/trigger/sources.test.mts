/** How the kinds of records are listed and interpreted, as the API document describes them. */
import type { IDataObject } from 'n8n-workflow';
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/status/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import {
	type List,
	type LookupResult,
	type StatusSource,
	upperCase,
} from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { segments } from '../../nodes/ConversationalMessaging/trigger/status/sources/segments.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';

test.each<[noun: string, ended: string[], others: string[], source: StatusSource]>([
	// One that the document does not list may be followed by any other.
	['ticket', [], ['ON_HOLD'], tickets],
	['broadcast', [], ['SENDING'], broadcasts],
	['import job', ['completed', 'failed'], ['queued', 'processing', 'verified'], importJobs],
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
])('the status %j is spelled %j', (status, spelled) => {
	expect(upperCase(status)).toBe(spelled);
	for (const source of [broadcasts, chats, tickets])
		expect(source.normalizeStatus(status)).toBe(spelled);
	// The document does not show how those of import jobs are spelled.
	expect(importJobs.normalizeStatus(status)).toBe(status);
});

describe('a chat that left the list of escalated chats', () => {
	/** The queries of the lists in which it is looked for, and the result, if only the list of this query shows it. */
	async function lookedUp(chat: IDataObject, shownIn: IDataObject = {}, scope: IDataObject = {}) {
		const queries: IDataObject[] = [];
		const reader = {
			page: async ({ page, limit, ...query }: IDataObject) => {
				expect([page, limit]).toStrictEqual([1, 100]);
				queries.push(query);
				const isShown = JSON.stringify(query) === JSON.stringify(shownIn);
				// A contact may have several chats.
				return { rows: [{ id: 'other' }, ...(isShown ? [{ id: 'C' }] : [])], meta: {} };
			},
			record: async () => chat,
		};
		return { result: await chats.lookUp!(reader, 'C', scope), queries };
	}

	test.each<[chat: IDataObject, contact: IDataObject]>([
		[{ contactId: 'K1' }, { contactId: 'K1' }],
		[{ contact: { id: 'K1' } }, { contactId: 'K1' }],
		[{ waId: '12025550143' }, { waId: '12025550143' }],
		[{ contact: { waId: '12025550143' } }, { waId: '12025550143' }],
	])('is looked for in the lists of its contact: %j', async (contained, contact) => {
		const { result, queries } = await lookedUp({ id: 'C', ...contained });
		expect(queries).toStrictEqual([
			{ needsEscalation: false, ...contact },
			{ needsEscalation: true, ...contact },
		]);
		expect(result.is).toBe('unknown');
	});

	test.each([{ assigneeId: 'A1' }, { channelId: 'CH1' }])(
		'is looked for with the filters of the subscription, %j',
		async (scope) => {
			const shownIn = { ...scope, needsEscalation: true, contactId: 'K1' };
			const { result } = await lookedUp({ id: 'C', contactId: 'K1' }, shownIn, scope);
			expect(result).toMatchObject({ is: 'found', observed: { status: 'ESCALATED' } });
			// Its filter may be why no list shows it.
			const hidden = await lookedUp({ id: 'C', contactId: 'K1' }, {}, scope);
			expect(hidden.result).toStrictEqual({ is: 'outOfScope' });
		},
	);

	test.each<[chat: IDataObject]>([[{}], [{ contactId: { id: 'K1' } }]])(
		'whose contact is not shown (%j) is looked for at the head of the others',
		async (contained) => {
			const record = { id: 'C', ...contained };
			const query = { needsEscalation: false };
			const observed = { key: 'C', id: 'C', status: 'NOT_ESCALATED', record };
			expect(await lookedUp(record, query)).toStrictEqual({
				result: { is: 'found', observed },
				queries: [query],
			});
			// It may be further down.
			expect(await lookedUp(record)).toStrictEqual({ result: { is: 'unknown' }, queries: [query] });
		},
	);
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
		const named = { status: 'ADDED', name: 'Ada', segment: owner };
		expect(segments.nameOf(observed!)).toStrictEqual(named);
	});

	test.each<[record: IDataObject | undefined, is: LookupResult['is']]>([
		[{ id: 'K1', segments: [{ id: 'S1' }] }, 'found'],
		[{ id: 'K1', segments: ['S1', 'S2'] }, 'found'],
		[{ id: 'K1', segments: [{ id: 'S2' }] }, 'outOfScope'],
		// Where a contact shows its segments is undocumented.
		[{ id: 'K1' }, 'outOfScope'],
		[undefined, 'deleted'],
	])('one that the list does not show any more, as %j: %s', async (record, is) => {
		const requests = {
			page: async () => await Promise.reject(new Error()),
			record: async (id: string) => (id === 'K1' ? record : undefined),
		};
		expect((await segments.lookUp!(requests, 'S1:K1', {})).is).toBe(is);
	});

	test.each([
		[true, 0, true],
		[true, 1, false],
		[false, 0, false],
	])('of a segment that is dynamic: %j, with %d members: refused: %j', (isDynamic, count, is) => {
		const rows = Array.from({ length: count }, () => ({ id: 'K1' }));
		const refusal = segments.refusal!(page({ data: { id: 'S1', name: 'VIP', isDynamic } }, rows));
		expect(refusal !== undefined).toBe(is);
		if (is) expect(String(refusal![0])).toContain('"VIP"');
	});
});
