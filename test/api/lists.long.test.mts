import { readHistory } from '../../nodes/ConversationalMessaging/api/reads/history.ts';
import { readPages } from '../../nodes/ConversationalMessaging/api/reads/pages.ts';
import { rowsOf, serviceOf } from '../support/service.mts';
import { useFakeTime } from '../support/time.mts';

useFakeTime();

test('10,000 pages of a history are read, and a notice says how to read more', async () => {
	const chat = serviceOf((_query, request) => ({ data: [{ id: request }] }));
	const messages = {
		endpoint: 'GET /chats/{id}/messages',
		path: { id: 'c1' },
		action: 'Get messages',
	} as const;
	const { client } = chat;
	expect(rowsOf(client, await readHistory(client, messages, 1, Infinity))).toHaveLength(10_000);
	expect(chat.queries).toHaveLength(10_000);
	expect(chat.notices).toStrictEqual([
		'The list has more than 10,000 pages: got 10000 rows, and there may be more. Read older ones with Before Message ID.',
	]);
});

test.each([
	['that shows no length', {}, 'rows, and there may be more'],
	['that shows more', { total: 1e12 }, 'of 1000000000000 rows'],
])('10,000 pages of a list %s are read once, and a notice says so', async (_what, meta, of) => {
	const list = serviceOf((_query, request) => ({ data: [{ id: request }], meta }));
	const tickets = { endpoint: 'GET /tickets', action: 'Get tickets' } as const;
	const { client } = list;
	expect(rowsOf(client, await readPages(client, tickets, 1, Infinity))).toHaveLength(10_000);
	expect(list.queries).toHaveLength(10_000);
	expect(list.notices).toStrictEqual([
		`The list has more than 10,000 pages: got 10000 ${of}. Filters can reduce the list.`,
	]);
});
