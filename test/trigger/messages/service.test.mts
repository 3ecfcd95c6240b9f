/** What Message Received requests, and what it takes from the responses. */
import { NodeApiError } from 'n8n-workflow';
import { UNLIMITED } from '../../../nodes/ConversationalMessaging/trigger/budget.ts';
import { messageService } from '../../../nodes/ConversationalMessaging/trigger/messages/service.ts';
import { answering, StatusResponse } from '../../support/service.mts';
import { useFakeTime } from '../../support/time.mts';

useFakeTime();

const read = (filters: Record<string, string>, ...responses: unknown[]) => {
	const service = answering(...responses);
	let spent = 0;
	const budget = { ...UNLIMITED, spend: () => void spent++ };
	const messages = messageService(service.client, filters, budget);
	return { ...service, messages, spent: () => spent };
};

const rejected = async (promise: Promise<unknown>): Promise<string | null | undefined> => {
	const error: unknown = await promise.catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(NodeApiError);
	return (error as NodeApiError).httpCode;
};

describe('a page of the list of chats', () => {
	const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `c${i}` }));

	test('is requested with the filters, 100 at once', async () => {
		const { messages, queries } = read({ assigneeId: 'A1' }, { data: [] });
		await messages.chats(3);
		expect(queries).toStrictEqual([{ assigneeId: 'A1', page: '3', limit: '100' }]);
	});

	test('has the chats that have an ID, and leaves out the others', async () => {
		const data = { chats: [{ id: ' c1 ', status: 'OPEN' }, { id: 7 }, null, {}, { id: ' ' }] };
		expect(await read({}, { data }).messages.chats(1)).toStrictEqual({
			chats: [
				{ id: 'c1', row: { id: ' c1 ', status: 'OPEN' } },
				{ id: '7', row: { id: 7 } },
			],
			pages: undefined,
			sentAt: undefined,
		});
	});

	test.each([
		[{ date: 'Thu, 15 Jan 2026 09:00:00 GMT' }, Date.UTC(2026, 0, 15, 9)],
		[{ date: 'now' }, undefined],
	])('with the headers %j was sent at %j', async (headers, sentAt) => {
		const { messages } = read({}, new StatusResponse(200, { data: [] }, headers));
		expect((await messages.chats(1)).sentAt).toBe(sentAt);
	});

	test.each<[what: string, count: number, meta: object | undefined, pages: number | undefined]>([
		['nothing', 2, undefined, undefined],
		['its length', 100, { total: 201 }, 3],
		['its length, and smaller pages than requested', 50, { total: 201, limit: 50 }, 5],
	])('shows how long the list is, by %s', async (_what, count, meta, pages) => {
		const response = { data: rows(count), meta };
		expect((await read({}, response).messages.chats(1)).pages).toBe(pages);
		// Only the first page: the last one may have fewer rows.
		expect((await read({}, response).messages.chats(2)).pages).toBeUndefined();
	});
});

describe('the messages of a chat', () => {
	test('are requested from the newest one on, or after a cursor', async () => {
		const page = { data: { messages: [{ id: 'm2' }, null, { id: 'm1' }] } };
		const { messages, requests, queries } = read({}, page, page);
		const { rows: found } = await messages.messages('c1', 20);
		expect(found).toEqual([{ id: 'm2' }, null, { id: 'm1' }]);
		await messages.messages('c1', 100, 'm1');
		expect(requests).toStrictEqual([['GET /chats/c1/messages'], ['GET /chats/c1/messages']]);
		expect(queries).toStrictEqual([{ take: '20' }, { take: '100', cursor: 'm1' }]);
	});

	test('are those under their name, whatever other lists the response has', async () => {
		const data = { participants: [{ id: 'p1' }], messages: [{ id: 'm1' }] };
		const { rows } = await read({}, { data }).messages.messages('c1', 20);
		expect(rows).toStrictEqual([{ id: 'm1' }]);
	});

	test('are as many as the service reports', async () => {
		const page = { data: [{ id: 'm1' }], meta: { total: 7, limit: 20 } };
		expect((await read({}, page).messages.messages('c1', 20)).meta.total).toBe(7);
	});

	test.each([403, 404])('of a chat that is rejected with %i: an error', async (status) => {
		expect(await rejected(read({}, status).messages.messages('c1', 20))).toBe(`${status}`);
	});

	test('in a response without a list: an error, as no messages would be lost as read', async () => {
		const response = new StatusResponse(200, { success: true, data: { status: 'OK' } });
		await expect(read({}, response).messages.messages('c1', 20)).rejects.toThrow(NodeApiError);
	});
});

test('a request that is repeated is taken from the budget', async () => {
	const { messages, spent } = read({}, { data: [] }, 503, 503, { data: { messages: [] } }, 404);
	await messages.chats(1);
	expect(spent()).toBe(0);
	await messages.messages('c1', 20);
	expect(spent()).toBe(2);
	await rejected(messages.messages('c2', 20));
	expect(spent()).toBe(2);
});
