/** How the kinds of records are listed and interpreted, as the API document describes them. */
import type { IDataObject } from 'n8n-workflow';
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/status/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import {
	isListed,
	type LookupResult,
	type StatusSource,
	upperCase,
} from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
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
			expect([status, source.isEnded?.(status)]).toStrictEqual([status, true]);
		for (const status of others)
			expect([status, source.isEnded?.(status) ?? false]).toStrictEqual([status, false]);
	},
);

test.each<[noun: string, source: StatusSource, lists: object[]]>([
	['tickets', tickets, ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'].map((status) => ({ status }))],
	[
		'broadcasts',
		broadcasts,
		['CANCELLED', 'COMPLETED', 'FAILED', 'PARTIAL', 'PROCESSING', 'QUEUED', 'SCHEDULED'].map(
			(status) => ({ status }),
		),
	],
	['import jobs', importJobs, []],
	['chats', chats, [{ needsEscalation: true }]],
])('the lists of %s have the filters that the document describes', (_noun, source, lists) => {
	expect(source.partitions.map(({ query }) => query)).toStrictEqual(lists);
	for (const { status } of source.partitions) expect(isListed(source, status)).toBe(true);
	expect(isListed(source, 'ON_HOLD')).toBe(false);
});

test.each<[path: string, source: StatusSource, rowsName: string, pageSize: number]>([
	['/tickets', tickets, 'tickets', 200],
	['/broadcasts', broadcasts, 'broadcasts', 200],
	['/contacts/imports', importJobs, 'imports', 200],
	['/chats', chats, 'chats', 100],
])(
	'%s is read in the largest pages that the document allows',
	(path, source, rowsName, pageSize) => {
		const { list, detail } = source;
		expect([list, detail]).toStrictEqual([`GET ${path}`, `GET ${path}/{id}`]);
		expect([source.rowsName, source.pageSize]).toStrictEqual([rowsName, pageSize]);
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
	const ofAgent = { assigneeId: 'A1' };
	const ofAll = {};
	const onChannel = { channelId: 'CH1' };

	/**
	 * @param chat what the service returns for its ID
	 * @param shownIn the query of the only list that shows it, without its page
	 * @returns the result, and the query of each list that was read
	 */
	async function lookedUp(
		chat: IDataObject | undefined,
		shownIn: IDataObject = {},
		scope: IDataObject = ofAll,
	) {
		const queries: IDataObject[] = [];
		const reader = {
			page: async ({ page, limit, ...query }: IDataObject) => {
				expect([page, limit]).toStrictEqual([1, 100]);
				queries.push(query);
				const isShown = JSON.stringify(query) === JSON.stringify(shownIn);
				// A contact may have several chats.
				return { rows: [{ id: 'other' }, ...(isShown ? [{ id: 'C' }] : [])], meta: {} };
			},
			record: async (id: string) => (id === 'C' ? chat : undefined),
		};
		return { result: await chats.lookUp!(reader, 'C', scope), queries };
	}

	const chat = { id: 'C', contactId: 'K1' };
	const found = (status: string): LookupResult => ({
		is: 'found',
		observed: { id: 'C', status, record: chat },
	});

	const notEscalated = { needsEscalation: false, contactId: 'K1' };
	const escalated = { needsEscalation: true, contactId: 'K1' };
	const escalatedToAgent = { assigneeId: 'A1', needsEscalation: true, contactId: 'K1' };

	test('was deleted, if the service does not have it', async () => {
		expect(await lookedUp(undefined)).toStrictEqual({ result: { is: 'deleted' }, queries: [] });
	});

	test.each<
		[what: string, scope: IDataObject, shownIn: IDataObject, status: string, queries: IDataObject[]]
	>([
		['is not escalated any more', ofAll, notEscalated, 'NOT_ESCALATED', [notEscalated]],
		['is on another page by now', ofAll, escalated, 'ESCALATED', [notEscalated, escalated]],
		[
			'is still the agent’s',
			ofAgent,
			escalatedToAgent,
			'ESCALATED',
			[notEscalated, escalatedToAgent],
		],
		[
			'is still on the channel of the filter',
			onChannel,
			{ channelId: 'CH1', ...escalated },
			'ESCALATED',
			[notEscalated, { channelId: 'CH1', ...escalated }],
		],
	])('%s', async (_what, scope, shownIn, status, queries) => {
		expect(await lookedUp(chat, shownIn, scope)).toStrictEqual({ result: found(status), queries });
	});

	test('no longer belongs to the subscription, if its filter may be why no list shows it', async () => {
		expect((await lookedUp(chat, {}, onChannel)).result).toStrictEqual({ is: 'outOfScope' });
		expect((await lookedUp(chat, {}, ofAll)).result).toStrictEqual({ is: 'unknown' });
		expect((await lookedUp(chat, {}, ofAgent)).result).toStrictEqual({ is: 'outOfScope' });
	});

	test.each<[chat: IDataObject, contact: IDataObject]>([
		[{ contactId: 'K1' }, { contactId: 'K1' }],
		[{ contact: { id: 'K1' } }, { contactId: 'K1' }],
		[{ contact: 'K1' }, { contactId: 'K1' }],
		[{ waId: '12025550143' }, { waId: '12025550143' }],
		[{ contact: { waId: '12025550143' } }, { waId: '12025550143' }],
	])('is looked for in the lists of its contact: %j', async (contained, contact) => {
		const { queries } = await lookedUp({ id: 'C', ...contained });
		expect(queries).toStrictEqual([
			{ needsEscalation: false, ...contact },
			{ needsEscalation: true, ...contact },
		]);
	});

	test.each<[chat: IDataObject]>([[{}], [{ contactId: { id: 'K1' } }]])(
		'whose contact is not shown (%j) is looked for at the head of the others',
		async (contained) => {
			const bare = { id: 'C', ...contained };
			const query = { needsEscalation: false };
			expect(await lookedUp(bare, query)).toStrictEqual({
				result: { is: 'found', observed: { id: 'C', status: 'NOT_ESCALATED', record: bare } },
				queries: [query],
			});
			// It may be further down.
			expect(await lookedUp(bare)).toStrictEqual({ result: { is: 'unknown' }, queries: [query] });
		},
	);
});

test('a chat that enters the list was not escalated before, unless it may only have been assigned to the agent', () => {
	expect(chats.impliedPreviousStatus!({ channelId: 'CH1' })).toBe('NOT_ESCALATED');
	expect(chats.impliedPreviousStatus!({ assigneeId: 'A1' })).toBeNull();
});
