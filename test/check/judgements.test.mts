import { judged } from './harness.mts';
import {
	LIST_ROUTES,
	routed,
	startPlain,
	TOKEN,
	type Reply,
	type Route,
} from '../support/plainService.mts';

/** One assumption each, against a service that has only what it needs. */
interface Row {
	title: string;
	routes: Record<string, Route>;
	verdict: 'holds' | 'does not hold' | 'cannot tell';
	/** What goes wrong, [] by default. */
	affected?: unknown[];
	seen: string;
}

const json = (data: unknown, meta?: unknown): Reply => ({ body: { success: true, data, meta } });
const always =
	(data: unknown, meta?: unknown): Route =>
	() =>
		json(data, meta);
const rejected =
	(status: number): Route =>
	() => ({ status, body: { error: 'No' } });
const organization = always({ id: 'o' });
const ids = (...numbers: number[]) => numbers.map((id) => ({ id }));
const NOW = Date.now();
const minutesAgo = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();
/** A row in every list. */
const LISTS = Object.fromEntries(LIST_ROUTES.map((route) => [route, always(ids(1))]));

async function judge(id: string, routes: Row['routes']) {
	const { baseUrl, close } = await startPlain(routed({ organization, ...routes }));
	const found = await judged(baseUrl, TOKEN, id);
	await close();
	return found;
}

/** These operations, and others. */
const withOthers = (...operations: string[]) => expect.arrayContaining(operations) as unknown[];

/** A list of 20 rows, and its pages of five. */
const pagesOf =
	(page: (number: number) => number[]): Route =>
	(query) =>
		json(
			query.has('page')
				? ids(...page(Number(query.get('page'))))
				: ids(...Array.from({ length: 20 }, (_, id) => id)),
		);
const BROADCASTS = ['Broadcast → Get Many', 'Trigger: Broadcast Status Changed'];

const filteredByStatus = (rows: unknown[], open: unknown[]): Record<string, Route> => ({
	tickets: (query) => json(query.has('status') ? open : rows),
});
const OPEN = { id: 1, status: 'open' };
const CLOSED = { id: 2, status: { name: 'Closed' } };

const CONTACT = { id: 'k', waId: '12025550143' };
const TRIGGER = 'Trigger: Message Received';

/** A chat with these messages, newest first, in pages. */
const chat = (
	messages: { id?: unknown; messageId?: unknown }[],
	row = {},
): Record<string, Route> => ({
	chats: always([{ id: 'c', contact: CONTACT, ...row }]),
	'chats/*/messages': (query) => {
		const cursor = query.get('cursor');
		const isCursor = ({ id, messageId = id }: (typeof messages)[number]) => messageId === cursor;
		const from = cursor === null ? 0 : messages.findIndex(isCursor) + 1;
		return json(messages.slice(from, from + Number(query.get('take') ?? 10)));
	},
});
const message = (minutes: number, more = {}) => ({
	id: `m${minutes}`,
	createdAt: minutesAgo(minutes),
	...more,
});

const FOUR = [message(1), message(2), message(3), message(4)];
const WAIT_FOR_REPLY = 'Message → Send with Wait for Reply';
const MESSAGE_READERS = ['Chat → Get Messages', WAIT_FOR_REPLY, TRIGGER];
/** Four messages, and the page after the cursor. */
const nextPage = (ids: string[]): Record<string, Route> => ({
	...chat(FOUR),
	'chats/*/messages': (query) =>
		json(
			query.has('cursor') ? ids.map((id) => ({ id })) : FOUR.slice(0, Number(query.get('take'))),
		),
});

/** Chats that are escalated, and others. */
const escalated = (yes: number[], no: number[]): Record<string, Route> => ({
	chats: (query) =>
		json(ids(...(query.get('needsEscalation') === 'true' ? yes : [...yes, ...no].slice(-2)))),
});

/** Chats that the filter returns. */
const chatsBy = (filtered: Record<string, number[]>): Record<string, Route> => ({
	chats: (query) => json(ids(...(filtered[query.get('needsEscalation') ?? 'true'] ?? []))),
});

const ROWS: Record<string, Row[]> = {
	lists: [
		{
			title: 'a response without a body is no list, as for the nodes',
			routes: { flows: () => ({ status: 204, body: '' }) },
			verdict: 'does not hold',
			affected: withOthers('Flow → Get Many'),
			seen: 'GET /flows: no rows found',
		},
		{
			title: 'a list that is documented and not found',
			routes: { ...LISTS, flows: rejected(404) },
			verdict: 'does not hold',
			affected: ['Flow → Get Many'],
			seen: 'GET /flows: 404\nGET /tickets: 1 row, directly in data',
		},
		{
			title: 'a list that fails leaves the answer open, and is shown first',
			routes: { ...LISTS, flows: rejected(500) },
			verdict: 'cannot tell',
			seen: 'GET /flows: 500\nGET /tickets: 1 row, directly in data',
		},
		{
			title: 'a list without permission does not',
			routes: { ...LISTS, flows: rejected(403) },
			verdict: 'holds',
			seen: 'GET /flows: no permission (403)\nGET /tickets: 1 row, directly in data',
		},
		{
			title: 'rows without IDs, under a name, on a page that is smaller than requested',
			routes: { tickets: () => json({ tickets: [{ key: 7 }, { key: 8 }] }, { total: 9 }) },
			verdict: 'does not hold',
			affected: withOthers('From List (tickets)', 'Trigger: Ticket Status Changed'),
			seen: 'GET /tickets: 2 of 2 without an ID; keys: key',
		},
		{
			title: 'a ticket without an ID among others',
			routes: { ...LISTS, tickets: always([...ids(1, 2), {}], { total: 9 }) },
			verdict: 'does not hold',
			seen: 'GET /tickets: 1 of 3 without an ID',
		},
		{
			title: 'a page that is smaller than requested is used',
			routes: { ...LISTS, tickets: always({ items: ids(1, 2) }, { total: 9 }) },
			verdict: 'holds',
			seen: 'GET /tickets: 2 rows of 9, under items',
		},
		{
			title: 'a list that rejects the page size of the nodes',
			routes: {
				...LISTS,
				tickets: (query) =>
					query.get('limit') === '200' ? { status: 400, body: {} } : json(ids(1)),
			},
			verdict: 'does not hold',
			affected: withOthers('Ticket → Get Many'),
			seen: 'GET /tickets: 400',
		},
		{
			title: 'a list that is null shows no place',
			routes: { ...LISTS, flows: always(null) },
			verdict: 'holds',
			seen: 'GET /flows: no data\nGET /tickets: 1 row, directly in data',
		},
	],
	paging: [
		{
			title: 'rows that shifted meanwhile are no repetition',
			routes: { broadcasts: pagesOf((page) => (page === 1 ? [0, 1, 2, 3, 4] : [4, 5, 6, 7, 8])) },
			verdict: 'holds',
			seen: 'GET /broadcasts: continued',
		},
		{
			title: 'the same page again is one',
			routes: { broadcasts: pagesOf(() => [0, 1, 2, 3, 4]) },
			verdict: 'does not hold',
			affected: BROADCASTS,
			seen: 'GET /broadcasts: page 2 repeats page 1',
		},
		{
			title: 'pages that begin with 0 leave rows out',
			routes: { broadcasts: pagesOf((page) => [0, 1, 2, 3, 4].map((id) => id + page * 5)) },
			verdict: 'does not hold',
			affected: BROADCASTS,
			seen: 'GET /broadcasts: page 2 does not begin where page 1 ends',
		},
		{
			title: 'page 2 is empty',
			routes: { broadcasts: pagesOf((page) => (page === 1 ? [0, 1, 2, 3, 4] : [])) },
			verdict: 'does not hold',
			affected: BROADCASTS,
			seen: 'GET /broadcasts: page 2 is empty, although there are more rows',
		},
		{
			title: 'where page 1 has all rows whatever the limit, page 2 is empty',
			routes: {
				broadcasts: (query) => json(query.get('page') === '2' ? [] : ids(1, 2, 3, 4, 5, 6)),
			},
			verdict: 'cannot tell',
			seen: 'GET /broadcasts: page 2 is empty',
		},
	],
	'ticket-status': [
		{
			title: 'a filter that returns nothing does not work',
			routes: filteredByStatus([OPEN, CLOSED], []),
			verdict: 'does not hold',
			affected: ['Ticket → Get Many with Status', 'Trigger: Ticket Status Changed'],
			seen: 'status=OPEN returns nothing, but the list has 1 open ticket',
		},
		{
			title: 'a status under another name is not seen',
			routes: filteredByStatus([{ id: 1, stage: 'OPEN' }], []),
			verdict: 'does not hold',
			affected: ['Trigger: Ticket Status Changed'],
			seen: 'no status in 1 of 1 ticket\nkeys of a ticket: id, stage',
		},
		{
			title: 'a ticket without a status among others',
			routes: filteredByStatus([OPEN, CLOSED, { id: 3 }], [OPEN]),
			verdict: 'does not hold',
			seen: 'no status in 1 of 3 tickets',
		},
	],
	'message-keys': [
		{
			title: 'the number of the contact shows the direction',
			routes: chat([message(1, { from: '+1 202-555-0143' }), message(2, { from: 'agent' })]),
			verdict: 'holds',
			seen: '1 from customers, 0 from others, 1 unclear\n2 of 2 with a time',
		},
		{
			title: 'messages of agents do not show how those of customers look',
			routes: chat([message(1, { fromMe: true })]),
			verdict: 'cannot tell',
			seen: 'no customer sent one of the messages that were read',
		},
		{
			title: 'without a time, only the trigger goes wrong',
			routes: chat([{ id: 'm', direction: 'INBOUND' } as { id: string }]),
			verdict: 'does not hold',
			affected: [TRIGGER],
			seen: '1 from customers, 0 from others, 0 unclear\n0 of 1 with a time',
		},
	],
	'message-pages': [
		{
			title: 'a page that leaves messages out',
			routes: nextPage(['m4']),
			verdict: 'does not hold',
			affected: ['Chat → Get Messages', TRIGGER],
			seen: 'other messages than those that follow',
		},
		{
			title: 'an ID under another usual name',
			routes: chat(FOUR.map(({ id, createdAt }) => ({ messageId: id, createdAt }))),
			verdict: 'holds',
			seen: 'the cursor returns the messages after it',
		},
		{
			title: 'messages of one second may be in any order',
			routes: chat([message(1), message(2 + 1 / 120), message(2), message(3)]),
			verdict: 'holds',
			seen: 'newest first, in 1 chat',
		},
		{
			title: 'messages of one second show no order',
			routes: chat([message(1 + 1 / 120), message(1)]),
			verdict: 'cannot tell',
			seen: 'no chat with several messages was read whose times the nodes recognize',
		},
		{
			title: 'messages in no order',
			routes: chat([message(1), message(3), message(2), message(4)]),
			verdict: 'does not hold',
			affected: MESSAGE_READERS,
			seen: 'not newest first in all of 1 chat',
		},
		{
			title: 'no list of messages',
			routes: { ...chat([]), 'chats/*/messages': always({ texts: 'none' }) },
			verdict: 'does not hold',
			affected: MESSAGE_READERS,
			seen: 'no list of messages is found',
		},
		{
			title: 'the messages of the chats are not found',
			routes: { ...chat([]), 'chats/*/messages': rejected(404) },
			verdict: 'does not hold',
			affected: MESSAGE_READERS,
			seen: '404 for 1 chat of the list',
		},
	],
	'chat-escalation': [
		{
			title: 'a chat that was escalated between the two requests',
			routes: chatsBy({ true: [1, 2], false: [2, 3] }),
			verdict: 'holds',
			seen: 'return different chats',
		},
		{
			title: 'the only escalated chat under both',
			routes: chatsBy({ true: [1], false: [1, 2] }),
			verdict: 'cannot tell',
			seen: 'chats with needsEscalation=true: 1, with needsEscalation=false: 2',
		},
		{
			title: 'no escalated chat shows nothing',
			routes: escalated([], [2, 3]),
			verdict: 'cannot tell',
			seen: 'chats with needsEscalation=true: 0, with needsEscalation=false: 2',
		},
		{
			title: 'a filter that is rejected',
			routes: {
				chats: (query) => (query.has('needsEscalation') ? { status: 400, body: {} } : json(ids(1))),
			},
			verdict: 'does not hold',
			affected: ['Chat → Get Many with Needs Escalation', 'Trigger: Chat Escalation Changed'],
			seen: 'the filter is rejected with 400',
		},
	],
	jobs: [
		{
			title: 'jobs without a state',
			routes: { broadcasts: always(ids(1)), 'broadcasts/*': always({ id: 1 }) },
			verdict: 'does not hold',
			affected: ['Wait for Completion of broadcasts', 'Trigger: Broadcast Status Changed'],
			seen: 'GET /broadcasts: no state; keys: id',
		},
		{
			title: 'a job that shows the ID of another',
			routes: {
				broadcasts: always([{ id: 1, status: 'QUEUED' }]),
				'broadcasts/*': always({ id: 2 }),
			},
			verdict: 'does not hold',
			affected: ['Broadcast → Create', 'Broadcast → Get', 'Trigger: Broadcast Status Changed'],
			seen: 'GET /broadcasts/{id}: found, its ID is not found',
		},
		{
			title: 'a state that is not understood, which the trigger reports as it is',
			routes: {
				broadcasts: always([{ id: 1, status: 'DIGESTED' }]),
				'broadcasts/*': always({ id: 1 }),
			},
			verdict: 'does not hold',
			affected: ['Wait for Completion of broadcasts'],
			seen: 'GET /broadcasts: other word; not understood: other word',
		},
		{
			title: 'a job that is in the list only',
			routes: {
				broadcasts: always([{ id: 1, status: 'QUEUED' }]),
				'broadcasts/*': rejected(404),
			},
			verdict: 'does not hold',
			affected: ['Broadcast → Create', 'Broadcast → Get', 'Trigger: Broadcast Status Changed'],
			seen: 'GET /broadcasts: the ID of its first row is not found (404)',
		},
	],
};

test.each(
	Object.entries(ROWS).flatMap(([id, rows]) => rows.map((row) => ({ id, affected: [], ...row }))),
)('$id: $title', async ({ id, routes, verdict, affected, seen }) => {
	expect(await judge(id, routes)).toStrictEqual({
		verdict,
		affected,
		seen: expect.stringContaining(seen) as unknown,
	});
});
