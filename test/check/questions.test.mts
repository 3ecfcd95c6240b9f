import { closedAfterEach, LIST_ROUTES, routed, type Route } from '../support/plainService.mts';
import { always, found, json } from './harness.mts';

const startService = closedAfterEach();

const organization = always({ id: 'o' });
const reply =
	(status: number, body: unknown): Route =>
	() => ({ status, body });
const failing = (status: number): Route => reply(status, { error: 'No' });
const ids = (...numbers: number[]) => numbers.map((id) => ({ id }));
const three = (more: object) => ids(1, 2, 3).map((row) => ({ ...row, ...more }));
const lists = Object.fromEntries(LIST_ROUTES.map((route) => [route, always(ids(1))]));

/** A list that does not accept the page size of the nodes. */
const strict: Route = (query) =>
	query.get('limit') === '200' ? { status: 400, body: {} } : json(ids(1));

/** 20 broadcasts, and page 2. */
const pages = (second: number[]): Record<string, Route> => ({
	broadcasts: (query) =>
		json(ids(...(query.get('page') === '2' ? second : Array.from({ length: 20 }, (_, id) => id)))),
});

const broadcasts = (...states: string[]): Record<string, Route> => ({
	broadcasts: always(states.map((status, id) => ({ id, status }))),
});

const tickets = (all: object[], open: object[]): Record<string, Route> => ({
	tickets: (query) => json(query.has('status') ? open : all),
});
const OPEN = { id: 1, status: 'open' };
const CLOSED = { id: 2, status: { name: 'Closed' } };

const escalation = (escalated: number[], others: number[]): Record<string, Route> => ({
	chats: (query) => json(ids(...(query.get('needsEscalation') === 'true' ? escalated : others))),
});

/** A message of some minutes ago. */
const message = (minutes: number, more: unknown = {}): Record<string, unknown> => ({
	...{ id: `m${minutes}`, createdAt: new Date(1.8e12 - minutes * 60_000).toISOString() },
	...(typeof more === 'object' && more),
});
const FOUR = [1, 2, 3, 4].map(message);

/** A chat with these messages. @param after what any cursor returns, if it does not work */
const chat = (
	messages: Record<string, unknown>[],
	after?: Record<string, unknown>[],
): Record<string, Route> => ({
	chats: always([{ id: 'c', contact: { id: 'k', waId: '12025550143' } }]),
	'chats/*/messages': (query) => {
		const at = messages.findIndex(({ id, messageId = id }) => messageId === query.get('cursor'));
		const rows = query.has('cursor') && after ? after : messages.slice(at + 1);
		return json(rows.slice(0, Number(query.get('take'))));
	},
});

const FILTER = 'GET /tickets?status=OPEN';
const ESCALATED = 'GET /chats?needsEscalation=true:';
const ORDER = 'messages: newer than the one before:';
const UNDERSTOOD = 'GET /broadcasts: a status that the nodes understand';
const NO_PAGES = '✗ GET /broadcasts: page 2 does not continue page 1';
const NO_CURSOR = '✗ messages: the cursor does not return the next ones';

/** What is found in one place. */
type Row = [title: string, routes: Record<string, Route>, finding: string];

const ROWS: Record<string, Row[]> = {
	lists: [
		['all', lists, '✓ GET /flows: an ID in 1 of 1; keys: 1 others'],
		[
			'its own name',
			{ flows: always({ flows: ids(1) }) },
			'✓ GET /flows: an ID in 1 of 1; keys: 1 others',
		],
		[
			'a general name',
			{ flows: always({ rows: ids(1) }) },
			'✓ GET /flows: an ID in 1 of 1; keys: 1 others',
		],
		['none', { flows: always([]) }, '– GET /flows: the list is empty'],
		['null', { flows: always(null) }, '– GET /flows: the list is empty'],
		[
			'403',
			{ flows: failing(403) },
			'– GET /flows: no permission, or an inactive or expired token (403)',
		],
		['500', { flows: failing(500) }, '– GET /flows: 500'],
		['404', { flows: failing(404) }, '✗ GET /flows: 404'],
		['another name', { flows: always({ x: [] }) }, '✗ GET /flows: no rows found'],
		['no body', { flows: reply(204, '') }, '✗ GET /flows: no rows found'],
		['false', { flows: reply(200, { success: false, data: [] }) }, '– GET /flows: success: false'],
		['page size', { tickets: strict }, '✗ GET /tickets: 400'],
		[
			'an ID that is missing',
			{ flows: always([...ids(1, 2), { key: 3 }]) },
			'✗ GET /flows: an ID in 2 of 3; keys: 2 others',
		],
	],
	paging: [
		['shifted', pages([4, 5, 6, 7, 8]), '✓ GET /broadcasts: page 2 continues page 1'],
		['the same', pages([0, 1, 2, 3, 4]), NO_PAGES],
		['from 0', pages([10, 11, 12, 13, 14]), NO_PAGES],
		['none', pages([]), NO_PAGES],
		['few rows', lists, '– GET /broadcasts: 1 rows, too few for two pages'],
	],
	'ticket-status': [
		[
			'a text, an object',
			tickets([OPEN, CLOSED], []),
			'✓ GET /tickets: a status in 2 of 2; keys: 2 others',
		],
		[
			'another name',
			tickets(three({ stage: 'OPEN' }), []),
			'✗ GET /tickets: a status in 0 of 3; keys: id, stage',
		],
		['a filter', tickets([OPEN, CLOSED], [OPEN]), `✓ ${FILTER}: open: 1 of 1`],
		['no filter', tickets([OPEN], [OPEN, CLOSED]), `✗ ${FILTER}: open: 1 of 2`],
		['nothing', tickets([OPEN, CLOSED], []), `✗ ${FILTER}: open: 0 of 0`],
		['only open ones', tickets([OPEN], [OPEN]), `? ${FILTER}: open: 1 of 1`],
	],
	'message-keys': [
		[
			'by the number of the contact',
			chat([message(1, { from: '+1 202-555-0143' }), message(2, { from: 'agent' })]),
			'✓ messages: from customers: 1, from others: 0, unclear: 1; keys: 3 others',
		],
		[
			'of agents',
			chat([message(1, { fromMe: true })]),
			'? messages: from customers: 0, from others: 1, unclear: 0; keys: 3 others',
		],
		[
			'no direction',
			chat(FOUR),
			'✗ messages: from customers: 0, from others: 0, unclear: 4; keys: id, createdAt',
		],
		['a time', chat(FOUR), '✓ messages: an ID and a time in 4 of 4'],
		['no time', chat([{ id: 'm' }]), '✗ messages: an ID and a time in 0 of 1'],
		['no messages', chat([]), '– no messages in the first, the middle and the last chat'],
		['404', { ...chat([]), 'chats/*/messages': failing(404) }, '✗ GET /chats/{id}/messages: 404'],
	],
	'message-pages': [
		['newest first', chat(FOUR), `✓ ${ORDER} 0, older: 3`],
		['within a second', chat([message(1), message(1 - 1 / 120)]), `? ${ORDER} 0, older: 0`],
		['oldest first', chat([...FOUR].reverse()), `✗ ${ORDER} 3, older: 0`],
		['no order', chat([1, 3, 2].map(message)), `✗ ${ORDER} 1, older: 1`],
		['a cursor', chat(FOUR), '✓ messages: the cursor returns the next ones'],
		[
			'an ID under another name',
			chat(FOUR.map(({ id, ...more }) => ({ messageId: id, ...more }))),
			'✓ messages: the cursor returns the next ones',
		],
		['a cursor that leaves messages out', chat(FOUR, FOUR.slice(3)), NO_CURSOR],
		['a cursor that is ignored', chat(FOUR, FOUR), NO_CURSOR],
		['a cursor without messages', chat(FOUR, []), NO_CURSOR],
		['two messages', chat(FOUR.slice(2)), '? no chat with more than 2 messages was read'],
	],
	contacts: [
		[
			'some with an address',
			{ contacts: always([{ id: 1, waId: '1' }, { id: 2 }]) },
			'✓ GET /contacts: an address in 1 of 2; keys: 2 others',
		],
		[
			'none with an address',
			{ contacts: always(three({ phone: '1' })) },
			'✗ GET /contacts: an address in 0 of 3; keys: id, phone',
		],
		[
			'chats with their contact',
			{ chats: always([{ id: 1, contact_id: 1 }]) },
			'✓ GET /chats: their contact in 1 of 1; keys: 2 others',
		],
		[
			'chats without',
			{ chats: always([{ id: 1, customer: { id: 1 } }]) },
			'✗ GET /chats: their contact in 0 of 1; keys: 2 others',
		],
	],
	'chat-escalation': [
		['one changed', escalation([1, 2], [2, 3]), `✓ ${ESCALATED} 2, false: 2, in both: 1`],
		['no filter', escalation([1, 2], [1, 2]), `✗ ${ESCALATED} 2, false: 2, in both: 2`],
		['only one', escalation([1], [1, 2]), `? ${ESCALATED} 1, false: 2, in both: 1`],
		['none', escalation([], [2, 3]), `? ${ESCALATED} 0, false: 2, in both: 0`],
		['rejected', { chats: failing(400) }, '✗ GET /chats: 400'],
	],
	jobs: [
		['understood', broadcasts('QUEUED'), `✓ ${UNDERSTOOD} in 1 of 1; keys: 2 others`],
		[
			'one that is not',
			broadcasts('QUEUED', 'DIGESTED'),
			`✗ ${UNDERSTOOD} in 1 of 2; keys: 2 others`,
		],
		['no status', lists, `✗ ${UNDERSTOOD} in 0 of 1; keys: 1 others`],
	],
};

test.each(Object.entries(ROWS).flatMap(([id, rows]) => rows.map((row) => [id, ...row] as const)))(
	'%s: %s',
	async (id, _title, routes, finding) => {
		const { baseUrl } = await startService(routed({ organization, ...routes }));
		expect(await found(baseUrl, id)).toContain(finding);
	},
);
