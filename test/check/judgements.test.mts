import { judged } from './harness.mts';
import {
	LIST_ROUTES,
	routed,
	startPlain,
	TOKEN,
	type Reply,
	type Route,
} from '../support/plainService.mts';

/** One question each, against a service that has only what it needs. */
interface Row {
	title: string;
	routes: Record<string, Route>;
	answer: 'yes' | 'no' | 'unknown';
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
const WAITING = 'Broadcast → Create with Wait for Completion';
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
			answer: 'no',
			affected: withOthers('Flow → Get Many'),
			seen: 'GET /flows: no rows found',
		},
		{
			title: 'a list that is documented and not found',
			routes: { ...LISTS, flows: rejected(404) },
			answer: 'no',
			affected: ['Flow → Get Many'],
			seen: 'GET /flows: 404\nGET /tickets: rows: 1; keys: id',
		},
		{
			title: 'a list that fails is shown before the others',
			routes: { ...LISTS, flows: rejected(500) },
			answer: 'yes',
			seen: 'GET /flows: 500\nGET /tickets: rows: 1; keys: id',
		},
		{
			title: 'a list without permission does not',
			routes: { ...LISTS, flows: rejected(403) },
			answer: 'yes',
			seen: 'GET /flows: no permission (403)\nGET /tickets: rows: 1; keys: id',
		},
		{
			title: 'rows without IDs, under a name, on a page that is smaller than requested',
			routes: { tickets: () => json({ tickets: [{ key: 7 }, { key: 8 }] }, { total: 9 }) },
			answer: 'no',
			affected: withOthers('From List (tickets)', 'Trigger: Ticket Status Changed'),
			seen: 'GET /tickets: 2 of 2 without an ID; keys: 1 others',
		},
		{
			title: 'a ticket without an ID among others',
			routes: { ...LISTS, tickets: always([...ids(1, 2), {}], { total: 9 }) },
			answer: 'no',
			seen: 'GET /tickets: 1 of 3 without an ID',
		},
		{
			title: 'a page that is smaller than requested is used',
			routes: { ...LISTS, tickets: always({ items: ids(1, 2) }, { total: 9 }) },
			answer: 'yes',
			seen: 'GET /tickets: rows: 2; keys: id',
		},
		{
			title: 'a list that rejects the page size of the nodes',
			routes: {
				...LISTS,
				tickets: (query) =>
					query.get('limit') === '200' ? { status: 400, body: {} } : json(ids(1)),
			},
			answer: 'no',
			affected: withOthers('Ticket → Get Many'),
			seen: 'GET /tickets: 400',
		},
		{
			title: 'a list that is null shows no place',
			routes: { ...LISTS, flows: always(null) },
			answer: 'yes',
			seen: 'GET /flows: the list is empty\nGET /tickets: rows: 1; keys: id',
		},
	],
	paging: [
		{
			title: 'rows that shifted meanwhile are no repetition',
			routes: { broadcasts: pagesOf((page) => (page === 1 ? [0, 1, 2, 3, 4] : [4, 5, 6, 7, 8])) },
			answer: 'yes',
			seen: 'GET /broadcasts: continued',
		},
		{
			title: 'the same page again is one',
			routes: { broadcasts: pagesOf(() => [0, 1, 2, 3, 4]) },
			answer: 'no',
			affected: BROADCASTS,
			seen: 'GET /broadcasts: page 2 repeats page 1',
		},
		{
			title: 'pages that begin with 0 leave rows out',
			routes: { broadcasts: pagesOf((page) => [0, 1, 2, 3, 4].map((id) => id + page * 5)) },
			answer: 'no',
			affected: BROADCASTS,
			seen: 'GET /broadcasts: page 2 does not begin where page 1 ends',
		},
		{
			title: 'page 2 is empty',
			routes: { broadcasts: pagesOf((page) => (page === 1 ? [0, 1, 2, 3, 4] : [])) },
			answer: 'no',
			affected: BROADCASTS,
			seen: 'GET /broadcasts: page 2 is empty, although there are more rows',
		},
		{
			title: 'where page 1 has all rows whatever the limit, page 2 is empty',
			routes: {
				broadcasts: (query) => json(query.get('page') === '2' ? [] : ids(1, 2, 3, 4, 5, 6)),
			},
			answer: 'unknown',
			seen: 'GET /broadcasts: page 1 has all rows, whatever its limit',
		},
	],
	'ticket-status': [
		{
			title: 'a filter that returns nothing does not work',
			routes: filteredByStatus([OPEN, CLOSED], []),
			answer: 'no',
			affected: ['Ticket → Get Many with Status', 'Trigger: Ticket Status Changed'],
			seen: 'status=OPEN returns none, but the list has open tickets',
		},
		{
			title: 'a status under another name is not seen',
			routes: filteredByStatus([{ id: 1, stage: 'OPEN' }], []),
			answer: 'no',
			affected: ['Trigger: Ticket Status Changed'],
			seen: 'no status in 1 of 1 tickets; keys: id, 1 others',
		},
		{
			title: 'a ticket without a status among others',
			routes: filteredByStatus([OPEN, CLOSED, { id: 3 }], [OPEN]),
			answer: 'no',
			seen: 'no status in 1 of 3 tickets',
		},
	],
	'message-keys': [
		{
			title: 'the number of the contact shows the direction',
			routes: chat([message(1, { from: '+1 202-555-0143' }), message(2, { from: 'agent' })]),
			answer: 'yes',
			seen: '1 from customers, 0 from others, 1 unclear; 2 with a time',
		},
		{
			title: 'messages of agents do not show how those of customers look',
			routes: chat([message(1, { fromMe: true })]),
			answer: 'unknown',
			seen: 'no message of a customer was read',
		},
		{
			title: 'without a time, only the trigger goes wrong',
			routes: chat([{ id: 'm', direction: 'INBOUND' } as { id: string }]),
			answer: 'no',
			affected: [TRIGGER],
			seen: '1 from customers, 0 from others, 0 unclear; 0 with a time',
		},
	],
	'message-pages': [
		{
			title: 'a page that leaves messages out',
			routes: nextPage(['m4']),
			answer: 'no',
			affected: ['Chat → Get Messages', TRIGGER],
			seen: 'does not have the messages that follow it',
		},
		{
			title: 'an ID under another usual name',
			routes: chat(FOUR.map(({ id, createdAt }) => ({ messageId: id, createdAt }))),
			answer: 'yes',
			seen: 'the cursor returns the messages after it',
		},
		{
			title: 'messages of one second may be in any order',
			routes: chat([message(1), message(2 + 1 / 120), message(2), message(3)]),
			answer: 'yes',
			seen: 'newest first; the cursor returns the messages after it',
		},
		{
			title: 'messages of one second show no order',
			routes: chat([message(1 + 1 / 120), message(1)]),
			answer: 'unknown',
			seen: 'no chat with more than 2 messages was read',
		},
		{
			title: 'messages in no order',
			routes: chat([message(1), message(3), message(2), message(4)]),
			answer: 'no',
			affected: MESSAGE_READERS,
			seen: 'messages are not newest first',
		},
		{
			title: 'no list of messages',
			routes: { ...chat([]), 'chats/*/messages': always({ texts: 'none' }) },
			answer: 'no',
			affected: MESSAGE_READERS,
			seen: 'no list of messages is found',
		},
		{
			title: 'the messages of the chats are not found',
			routes: { ...chat([]), 'chats/*/messages': rejected(404) },
			answer: 'no',
			affected: MESSAGE_READERS,
			seen: 'GET /chats/{id}/messages: 404',
		},
	],
	contacts: [
		{
			title: 'contacts and chats as the nodes read them',
			routes: {
				contacts: always([{ id: 1, phone: '12025550143' }]),
				chats: always([{ id: 1, contact_id: 1 }]),
			},
			answer: 'yes',
			seen: '1 of 1 contacts with an address, 0 with custom fields; keys: id, 1 others',
		},
		{
			title: 'contacts without an address',
			routes: { contacts: always([{ id: 1, msisdn: '12025550143', customFields: [] }]) },
			answer: 'no',
			affected: ['Contact → Sync', 'Broadcast → Create with Exclude Segments'],
			seen: '0 of 1 contacts with an address, 1 with custom fields',
		},
		{
			title: 'chats without their contact',
			routes: { chats: always([{ id: 1, customer: { id: 1 } }]) },
			answer: 'no',
			affected: ['Trigger: Chat Escalation Changed', TRIGGER],
			seen: '0 of 1 chats with their contact',
		},
		{
			title: 'a chat without its contact among others',
			routes: { chats: always([{ id: 1 }, { id: 2, waId: '12025550143' }]) },
			answer: 'no',
			seen: '1 of 2 chats with their contact',
		},
	],
	'chat-escalation': [
		{
			title: 'a chat that was escalated between the two requests',
			routes: chatsBy({ true: [1, 2], false: [2, 3] }),
			answer: 'yes',
			seen: 'needsEscalation=true: 2 chats, needsEscalation=false: 2, in both: 1',
		},
		{
			title: 'the only escalated chat under both',
			routes: chatsBy({ true: [1], false: [1, 2] }),
			answer: 'unknown',
			seen: 'needsEscalation=true: 1 chats, needsEscalation=false: 2, in both: 1',
		},
		{
			title: 'no escalated chat shows nothing',
			routes: escalated([], [2, 3]),
			answer: 'unknown',
			seen: 'needsEscalation=true: 0 chats, needsEscalation=false: 2, in both: 0',
		},
		{
			title: 'a filter that is rejected',
			routes: {
				chats: (query) => (query.has('needsEscalation') ? { status: 400, body: {} } : json(ids(1))),
			},
			answer: 'no',
			affected: ['Chat → Get Many with Needs Escalation', 'Trigger: Chat Escalation Changed'],
			seen: 'GET /chats: 400',
		},
	],
	jobs: [
		{
			title: 'jobs without a state',
			routes: { broadcasts: always(ids(1)), 'broadcasts/*': always({ id: 1 }) },
			answer: 'no',
			affected: [WAITING, 'Trigger: Broadcast Status Changed'],
			seen: 'GET /broadcasts: no status; keys: id',
		},
		{
			title: 'a job that shows the ID of another',
			routes: {
				broadcasts: always([{ id: 1, status: 'QUEUED' }]),
				'broadcasts/*': always({ id: 2 }),
			},
			answer: 'no',
			affected: [WAITING, 'Trigger: Broadcast Status Changed'],
			seen: 'GET /broadcasts: the job that its first row names has another ID, or none',
		},
		{
			title: 'a state that is not understood, which the trigger reports as it is',
			routes: {
				broadcasts: always([{ id: 1, status: 'DIGESTED' }]),
				'broadcasts/*': always({ id: 1 }),
			},
			answer: 'no',
			affected: [WAITING],
			seen: 'GET /broadcasts: another word; 1 not understood',
		},
		{
			title: 'a job that is in the list only',
			routes: {
				broadcasts: always([{ id: 1, status: 'QUEUED' }]),
				'broadcasts/*': rejected(404),
			},
			answer: 'no',
			affected: [WAITING, 'Trigger: Broadcast Status Changed'],
			seen: 'GET /broadcasts/{id}: 404',
		},
	],
};

test.each(
	Object.entries(ROWS).flatMap(([id, rows]) => rows.map((row) => ({ id, affected: [], ...row }))),
)('$id: $title', async ({ id, routes, answer, affected, seen }) => {
	expect(await judge(id, routes)).toStrictEqual({
		answer,
		affected,
		seen: expect.stringContaining(seen) as unknown,
	});
});
