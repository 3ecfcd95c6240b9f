import { readHistory } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { serviceOf } from './service.mts';

test('the history of a chat is never read beyond 10,000 pages', async () => {
	const service = serviceOf((_query, request) => ({ data: [{ id: request }] }));
	const messages = {
		endpoint: 'GET /chats/{id}/messages',
		path: { id: 'c1' },
		action: 'Get messages',
		rowsName: 'messages',
	} as const;
	expect(await readHistory(service.client, messages, 1, 'all')).toHaveLength(10_000);
	expect(service.queries).toHaveLength(10_000);
});
