/** Which record "Fetch Test Event" shows: the newest one that matches, wherever its list has it. */
import type { IDataObject } from 'n8n-workflow';
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/status/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { newestRecord } from '../../nodes/ConversationalMessaging/trigger/status/testEvent.ts';

interface Choice {
	statuses?: string[];
	scope?: IDataObject;
	details?: boolean;
	/** What the service has for the ID of a record. */
	full?: IDataObject;
	totalPages?: number;
}

/** @param rowsOf what the service returns for the query of a page, which is numbered from 1 */
async function shown(
	source: StatusSource,
	rowsOf: (query: IDataObject) => IDataObject[],
	{ statuses = [], scope = {}, details = false, full, totalPages }: Choice = {},
) {
	const queries: IDataObject[] = [];
	const requests = {
		page: async (query: IDataObject) => {
			queries.push(query);
			return { rows: rowsOf(query), meta: { totalPages } };
		},
		record: async () => full,
	};
	const filter = { statuses, includeNew: true, fields: {} };
	const subscription = { source, scope, filter, details, fromExisting: false };
	const [item] = await newestRecord(requests, subscription);
	const { recordId: id, status, record } = item?.json ?? {};
	return { newest: item && { id, status, record }, queries };
}

const day = (n: number): string => `2026-01-${String(n).padStart(2, '0')}T09:00:00.000Z`;

/** "7 OPEN" was created on the seventh. */
const rows = (...texts: string[]): IDataObject[] =>
	texts.map((text) => {
		const [date = '', status = ''] = text.split(' ');
		return { id: `T${date}`, status, createdAt: day(Number(date)) };
	});

describe('of a list', () => {
	test.each<[order: string, pages: string[][], id: string, read: number[]]>([
		['begins with the newest one', [['9 OPEN', '8 OPEN'], ['7 OPEN']], 'T9', [1]],
		[
			'begins with the oldest one',
			[
				['1 OPEN', '2 OPEN'],
				['3 OPEN', '4 OPEN'],
			],
			'T4',
			[1, 2],
		],
		['has another order', [['5 OPEN', '9 OPEN', '4 OPEN'], ['3 OPEN']], 'T9', [1]],
		[
			'begins with the oldest one, and its last page is empty by now',
			[['1 OPEN', '2 OPEN'], []],
			'T2',
			[1, 2],
		],
	])('that %s', async (_order, pages, id, read) => {
		const { newest, queries } = await shown(
			tickets,
			({ page }) => rows(...pages[Number(page) - 1]!),
			{ totalPages: pages.length, statuses: ['OPEN'] },
		);
		expect(newest?.id).toBe(id);
		expect(queries).toStrictEqual(read.map((page) => ({ status: 'OPEN', page, limit: 200 })));
	});
});

describe('the time of its creation', () => {
	test.each<[what: string, older: IDataObject, newer: IDataObject]>([
		['is a number', { createdAt: 1_767_225_600_000 }, { createdAt: 1_767_225_600_001 }],
		['may be called created_at', { created_at: day(1) }, { created_at: day(2) }],
		['may be called created', { created: day(1) }, { created: day(2) }],
		['may be unreadable', { createdAt: 'yesterday' }, { createdAt: day(1) }],
	])('%s', async (_what, older, newer) => {
		for (const order of [
			[older, newer],
			[newer, older],
		]) {
			const list = order.map((record) => ({
				id: record === newer ? 'N' : 'O',
				status: 'OPEN',
				...record,
			}));
			expect((await shown(tickets, () => list)).newest?.id).toBe('N');
		}
	});

	test('if it is not shown, the first record is taken', async () => {
		const list = ['A', 'B', 'C'].map((id) => ({ id, status: 'OPEN' }));
		const choice = { totalPages: 5, statuses: ['OPEN'] };
		const { newest, queries } = await shown(tickets, () => list, choice);
		expect([newest?.id, queries.length]).toStrictEqual(['A', 1]);
	});
});

describe('with chosen statuses', () => {
	test('the list of each is read, with the filters, and the newest of all is shown', async () => {
		const { newest, queries } = await shown(
			tickets,
			({ status }) => (status === 'OPEN' ? rows('3 OPEN') : rows('5 CLOSED')),
			{ statuses: ['OPEN', 'CLOSED'], scope: { contactId: 'K1' } },
		);
		expect(newest).toMatchObject({ id: 'T5', status: 'CLOSED' });
		expect(queries).toStrictEqual([
			{ contactId: 'K1', status: 'OPEN', page: 1, limit: 200 },
			{ contactId: 'K1', status: 'CLOSED', page: 1, limit: 200 },
		]);
	});

	test('a record of another status is not shown, although the list has it', async () => {
		const { newest } = await shown(broadcasts, () => rows('9 QUEUED', '5 FAILED'), {
			statuses: ['FAILED'],
		});
		expect(newest).toMatchObject({ id: 'T5', status: 'FAILED' });
	});

	test('the recent import jobs are one list, without pages or statuses', async () => {
		const { newest, queries } = await shown(
			importJobs,
			() => rows('1 completed', '3 completed', '4 queued'),
			{ statuses: ['COMPLETED'], totalPages: 2 },
		);
		expect(newest).toMatchObject({ id: 'T3', status: 'completed' });
		expect(queries).toStrictEqual([{ limit: 200 }]);
	});
});

describe('of chats, whose lists show their escalation', () => {
	const escalated = { needsEscalation: true, page: 1, limit: 100 };
	const others = { needsEscalation: false, page: 1, limit: 100 };
	const ofAgent = { needsEscalation: true, assigneeId: 'A1', page: 1, limit: 100 };

	test.each<[statuses: string[], scope: IDataObject, queries: IDataObject[], status: string]>([
		[[], {}, [escalated, others], 'NOT_ESCALATED'],
		[['NOT_ESCALATED'], {}, [others], 'NOT_ESCALATED'],
		// Those that were escalated to another agent are never shown.
		[['ESCALATED'], { assigneeId: 'A1' }, [ofAgent], 'ESCALATED'],
		[[], { assigneeId: 'A1' }, [ofAgent, { ...others, assigneeId: 'A1' }], 'NOT_ESCALATED'],
	])('with %j and %j', async (statuses, scope, queries, status) => {
		const list = ({ needsEscalation }: IDataObject) => rows(needsEscalation === true ? '3' : '5');
		const found = await shown(chats, list, { statuses, scope });
		expect(found.newest?.status).toBe(status);
		expect(found.queries).toStrictEqual(queries);
	});
});

test('with details, the record is shown in full, or as its list has it if it was deleted', async () => {
	const full = { id: 'T5', status: 'OPEN', notes: ['Called back'] };
	const list = () => rows('5 OPEN');
	const choice = { details: true, full };
	expect((await shown(tickets, list, choice)).newest?.record).toStrictEqual(full);
	expect((await shown(tickets, list, { full })).newest?.record).toStrictEqual(list()[0]);
	expect((await shown(tickets, list, { details: true })).newest?.record).toStrictEqual(list()[0]);
	expect((await shown(tickets, () => [], choice)).newest).toBeUndefined();
});
