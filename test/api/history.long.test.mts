import { readHistory } from '../../nodes/ConversationalMessaging/api/history.ts';
import { serviceOf } from './service.mts';

test('10,000 pages of a history are read, and a notice says how to read more', async () => {
	const chat = serviceOf((_query, request) => ({ data: [{ id: request }] }));
	const messages = {
		endpoint: 'GET /chats/{id}/messages',
		path: { id: 'c1' },
		action: 'Get messages',
		rowsName: 'messages',
	} as const;
	expect(await readHistory(chat.client, messages, 1, 'all')).toHaveLength(10_000);
	expect(chat.queries).toHaveLength(10_000);
	expect(chat.notices).toStrictEqual([
		'Get messages: got 10000 messages, the most that one run reads. Read older ones with Before Message ID.',
	]);
});
