/** Which record "Fetch Test Event" shows: the newest one that matches, wherever its list has it. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/status/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import { UNLIMITED } from '../../nodes/ConversationalMessaging/trigger/budget.ts';
import { segments } from '../../nodes/ConversationalMessaging/trigger/status/sources/segments.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { templates } from '../../nodes/ConversationalMessaging/trigger/status/sources/templates.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { testEvent } from '../../nodes/ConversationalMessaging/trigger/status/testEvent.ts';
import { runs } from '../support/runs.mts';
import { FakeService, STATUSES, type Order } from './service.mts';

interface Choice {
	statuses?: string[];
	details?: boolean;
	/** What the service has for the ID of a record. */
	full?: IDataObject;
	totalPages?: number;
}

/** @param rowsOf what the service returns for the query of a page, which is numbered from 1 */
async function shown(
	source: StatusSource,
	rowsOf: (query: IDataObject) => IDataObject[],
	{ statuses = [], details = false, full, totalPages }: Choice = {},
) {
	const queries: IDataObject[] = [];
	const requests = {
		budget: UNLIMITED,
		page: async (query: IDataObject) => {
			queries.push(query);
			return { rows: rowsOf(query), meta: { totalPages } };
		},
		record: async () => full,
	};
	const filter = { statuses, includeNew: true, fields: {} };
	const subscription = { source, scope: {}, filter, details, fromExisting: false };
	const {
		recordId: id,
		status,
		record,
		isExample,
	} = (await testEvent(requests, subscription)).json;
	return { newest: isExample ? undefined : { id, status, record }, queries };
}

const day = (n: number): string => `2026-01-${String(n).padStart(2, '0')}T09:00:00.000Z`;

/** "7 OPEN" was created on the seventh. */
const rows = (...texts: string[]): IDataObject[] =>
	texts.map((text) => {
		const [date = '', status = ''] = text.split(' ');
		return { id: `T${date}`, status, createdAt: day(Number(date)) };
	});

const SOURCES = [tickets, broadcasts, chats, importJobs, templates].map((source) =>
	source.hasPages ? { ...source, pageSize: 3 } : source,
);

test('it is the newest one that matches, whether lists begin with the newest or the oldest, in two requests per list', async () => {
	const record = fc.record({ status: fc.nat(9), agent: fc.constantFrom('A1', 'A2') });
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...SOURCES),
			fc.constantFrom<Order>('newest', 'oldest'),
			fc.array(record, { maxLength: 20 }),
			fc.uniqueArray(fc.nat(4), { maxLength: 2 }),
			fc.boolean(),
			async (source, order, records, chosen, isOfAgent) => {
				const all = STATUSES[source.event]!;
				const statusOf = (number: number): string => all[number % all.length]!;
				const service = new FakeService(source, order);
				for (const { status, agent } of records) service.make(statusOf(status), agent);
				const statuses = [...new Set(chosen.map(statusOf))];
				const scope: IDataObject =
					isOfAgent && 'agentId' in source.filters ? { assigneeId: 'A1' } : {};
				const filter = { statuses, includeNew: true, fields: {} };
				const subscription = { source, scope, filter, details: false, fromExisting: false };
				const lists = [...source.lists(statuses), ...(source.otherList ? [source.otherList] : [])];
				const isShown = (status: string): boolean =>
					lists.some((list) => list.status === '' || list.status === status);
				const isChosen = (status: string): boolean =>
					statuses.length === 0 || statuses.includes(status);
				const expected = service.rows.find(
					({ status, agent }) =>
						isShown(status) && isChosen(status) && agent === (scope.assigneeId ?? agent),
				);

				const { json } = await testEvent(service.requested, subscription);
				expect([json.recordId, json.previousStatus, json.isExample]).toStrictEqual(
					expected ? [expected.id, null, undefined] : ['example', null, true],
				);
				// An example has the first of the statuses that were chosen.
				const [status] = expected ? [expected.status] : statuses;
				if (status !== undefined) expect(json.status).toBe(status);
				const read = lists.filter((list) => list.status === '' || isChosen(list.status));
				const most = order === 'newest' ? read.length : 2 * read.length;
				expect(service.requests.length).toBeLessThanOrEqual(most);
			},
		),
		{ numRuns: runs(300, 3_000) },
	);
});

test.each<[what: string, pages: string[][], id: string, read: number[]]>([
	['in no order is read to the end of its first page', [['5', '9', '4'], ['3']], 'T9', [1]],
	['that begins with the oldest one may have lost its last page', [['1', '2'], []], 'T2', [1, 2]],
])('a list %s', async (_what, pages, id, read) => {
	const of = (dates: string[]) => rows(...dates.map((date) => `${date} OPEN`));
	const choice = { totalPages: pages.length, statuses: ['OPEN'] };
	const shownPage = ({ page }: IDataObject) => of(pages[Number(page) - 1]!);
	const { newest, queries } = await shown(tickets, shownPage, choice);
	expect(newest?.id).toBe(id);
	expect(queries).toStrictEqual(read.map((page) => ({ status: 'OPEN', page, limit: 200 })));
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

test('with details, the record is shown in full, or as its list has it if it was deleted', async () => {
	const full = { id: 'T5', status: 'OPEN', notes: ['Called back'] };
	const list = () => rows('5 OPEN');
	const choice = { details: true, full };
	expect((await shown(tickets, list, choice)).newest?.record).toStrictEqual(full);
	expect((await shown(tickets, list, { full })).newest?.record).toStrictEqual(list()[0]);
	expect((await shown(tickets, list, { details: true })).newest?.record).toStrictEqual(list()[0]);
	expect((await shown(tickets, () => [], choice)).newest).toBeUndefined();
});

test.each<[source: StatusSource, names: IDataObject]>([
	[broadcasts, { title: 'Example', name: 'Example', status: 'COMPLETED' }],
	[chats, { title: 'Example', name: 'Example', status: 'ESCALATED' }],
	[importJobs, { title: 'example.csv', fileName: 'example.csv', status: 'completed' }],
	[
		segments,
		{ title: 'Example', name: 'Example', status: 'ADDED', segment: { id: 'S1', name: 'Example' } },
	],
	[templates, { title: 'example (en_US)', language: 'en_US', status: 'APPROVED' }],
	[tickets, { title: 'Example', ticketNumber: 'example', status: 'OPEN' }],
])('an example has the fields of an event, and IDs of no record', async (source, names) => {
	const requests = new FakeService(source).requested;
	const filter = { statuses: source === segments ? ['S1'] : [], includeNew: true, fields: {} };
	const { json } = await testEvent(requests, {
		source,
		scope: {},
		filter,
		details: false,
		fromExisting: false,
	});
	const { record, ...event } = json;
	expect(event).toMatchObject({
		...names,
		isExample: true,
		event: source.event,
		recordId: 'example',
	});
	expect(record).toMatchObject({ id: 'example' });
});
