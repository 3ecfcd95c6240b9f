import { check, restoreTime, type Run } from './harness.mts';
import { routed, startPlain, TOKEN, type Reply, type Route } from './plainService.mts';

/** Services that are not like the others: each verdict has to be true of them, too. */
const DAY = 86_400_000;
const now = Date.now();
const iso = (daysAgo: number): string => new Date(now - daysAgo * DAY).toISOString();
const list = (data: unknown, total?: number): Reply => ({
	body: { success: true, data, ...(total !== undefined && { meta: { total, page: 1 } }) },
});

const tickets = Array.from({ length: 12 }, (_, index) => ({
	id: `t${index}`,
	priorityCode: 'P1',
	status: index % 2 ? 'OPEN' : 'CLOSED',
	made: iso(index),
	updatedAt: iso((index * 5) % 12),
	unread: { oswaldine: index, total: index },
	stats: { philippus: 1 },
}));
const chats = Array.from({ length: 9 }, (_, index) => ({
	chatId: `c${index}`,
	channel: index % 2 ? 'TELEGRAM' : 'WEB_CHAT',
	contact: { id: `k${index}` },
	isEscalated: index < 3,
}));
const contacts = Array.from({ length: 34 }, (_, index) => ({
	id: `k${index}`,
	mobile: `+1202555${String(100 + index).padStart(4, '0')}`,
	createdAt: iso((index * 13) % 34),
}));

const unusual: Record<string, Route> = {
	organization: () => list({ id: 'o' }),
	tickets: (query) => {
		const status = query.get('status');
		const rows = tickets.filter((ticket) => status === null || ticket.status === status);
		const size = Number(query.get('limit') ?? 20);
		return list(rows.slice((Number(query.get('page') ?? 1) - 1) * size).slice(0, size), 12);
	},
	// Only needsEscalation=true filters.
	chats: (query) => {
		const rows = chats.filter(
			(chat) => query.get('needsEscalation') !== 'true' || chat.isEscalated,
		);
		return list(query.get('page') === '2' ? [] : rows, rows.length);
	},
	// The first page has the number 0.
	contacts: (query) => {
		const size = Math.min(Number(query.get('limit') ?? 50), 200);
		return list(contacts.slice(Number(query.get('page') ?? 0) * size).slice(0, size), 34);
	},
	'contacts/export': () => ({ body: 'Page Price,+12025550177,Mobile Day\n' }),
	'contacts/imports': () => list([], 0),
	segments: () => list([], 0),
	templates: () => list([], 0),
	broadcasts: () => ({ status: 400, body: { message: 'channelId is required' } }),
	flows: () => list(null),
	channels: () => list([{ id: 'ch', type: 'TELEGRAM' }]),
	users: () => list([{ id: 'u' }]),
};

let run: Run;
beforeAll(async () => {
	let left = 500;
	const headers = () => ({
		'x-ratelimit-limit': '600',
		'x-ratelimit-used': '3',
		'x-ratelimit-window': '60',
		'x-ratelimit-remaining': String((left -= 1)),
	});
	const service = await startPlain(routed(unusual, headers));
	run = await check(service.baseUrl, TOKEN);
	await service.close();
});
afterAll(restoreTime);

const NOT_NAMED = 'not found by mobile (404), which may be another number than the WhatsApp ID';

test.each([
	[
		'a header that counts what was used is no limit',
		'rate-limit-headers',
		'holds',
		'600 requests per window',
	],
	[
		'pages that begin with 0',
		'paging',
		'does not hold',
		'GET /contacts: page 2 does not begin where page 1 ends',
	],
	['a code that all tickets share', 'ticket-number', 'does not hold', 'no key looks like a number'],
	['a number of another kind', 'wa-id-lookup', 'cannot tell', NOT_NAMED],
	['chats without an ID: escalation', 'chat-escalation', 'cannot tell', 'the chats have no IDs'],
	[
		'chats without an ID',
		'record-ids',
		'does not hold',
		'GET /chats: 9 of 9 without; possible keys: chatId',
	],
	['null instead of a list', 'list-place', 'holds', 'GET /flows: no data'],
	[
		'an order without times of creation',
		'ticket-order',
		'cannot tell',
		'not by last change; the rows have no time of creation',
	],
	[
		'a first row with a number',
		'export-columns',
		'does not hold',
		'3 columns, and the first row is not a header row',
	],
] as const)('true of %s', (_name, id, verdict, seen) => {
	expect(run.found(id)).toMatchObject({ verdict, seen: expect.arrayContaining([seen]) });
});

test('every assumption is judged', () => {
	expect(run.everything).not.toContain('the check is not prepared for');
});

test('only what goes wrong is at the top', () => {
	const wrong = run.report!.assumptions.filter(({ affected }) => affected.length > 0);
	expect(wrong.map(({ id }) => id).toSorted()).toEqual(['paging', 'record-ids']);
});

test('names in maps with usual keys beside them are not shown', () => {
	expect(run.everything).not.toMatch(/oswaldine|philippus|Page Price|Mobile Day/i);
	expect(run.report!.fields.tickets).toHaveProperty(['unread.total']);
});

test('a response without a body is no list, as for the nodes', async () => {
	const nothing: Route = () => ({ status: 204, body: '' });
	const empty = Object.fromEntries(Object.keys(unusual).map((route) => [route, nothing]));
	const service = await startPlain(routed({ ...empty, organization: () => list({ id: 'o' }) }));
	const { found } = await check(service.baseUrl, TOKEN);
	await service.close();
	expect(found('list-place').verdict).toBe('does not hold');
	expect(found('list-place').affected).toContain('Ticket → Get Many');
	for (const id of ['record-ids', 'ticket-status']) expect(found(id).verdict).toBe('cannot tell');
});
