/** What Message Received requests, and what it takes from the responses. */
import { NodeApiError } from 'n8n-workflow';
import { messageService } from '../../../nodes/ConversationalMessaging/trigger/messages/service.ts';
import { answering, StatusResponse } from '../../api/service.mts';
import { FakeTime } from '../../time.mts';

let time: FakeTime;
beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

const read = (filters: Record<string, string>, ...responses: unknown[]) => {
	const service = answering(...responses);
	return { ...service, messages: messageService(service.client, filters) };
};

const rejected = async (promise: Promise<unknown>): Promise<string | null | undefined> => {
	const error: unknown = await promise.catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(NodeApiError);
	return (error as NodeApiError).httpCode;
};

describe('the channels', () => {
	test('are read as a list; those without an ID are left out', async () => {
		const { messages, requests } = read({}, { data: { channels: [{ id: 'ch1' }, {}, { id: 2 }] } });
		expect(await messages.channels()).toEqual(['ch1', '2']);
		expect(requests).toEqual([['GET /channels']]);
	});

	test.each([403, 404])('of a token without permission (%i): none', async (status) => {
		expect(await read({}, status).messages.channels()).toEqual([]);
	});

	test('of an unknown token: an error', async () => {
		expect(await rejected(read({}, 401).messages.channels())).toBe('401');
	});
});

describe('the counts of a channel', () => {
	test('are the numbers of messages in its details', async () => {
		const channel = { id: 'ch1', stats: { messages: 7, contacts: 3 } };
		for (const data of [channel, { channel }]) {
			const { messages, requests } = read({}, { data });
			expect(await messages.counts('ch1')).toEqual([7]);
			expect(requests).toEqual([['GET /channels/ch1']]);
		}
	});

	test('of a channel that cannot be read: none', async () => {
		expect(await read({}, 404).messages.counts('ch1')).toEqual([]);
		expect(await rejected(read({}, 401).messages.counts('ch1'))).toBe('401');
	});
});

describe('a page of the list of chats', () => {
	const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `c${i}` }));

	test('is requested with the filters, 100 at once', async () => {
		const { messages, queries } = read({ assigneeId: 'A1' }, { data: [] });
		await messages.chats(3);
		expect(queries).toEqual([{ assigneeId: 'A1', page: '3', limit: '100' }]);
	});

	test('has the chats that have an ID, and counts all of its rows', async () => {
		const data = { chats: [{ id: ' c1 ', status: 'OPEN' }, { id: 7 }, null, {}, { id: ' ' }] };
		expect(await read({}, { data }).messages.chats(1)).toEqual({
			chats: [
				{ id: 'c1', row: { id: ' c1 ', status: 'OPEN' } },
				{ id: '7', row: { id: 7 } },
			],
			length: 5,
			pages: undefined,
		});
	});

	test.each<[what: string, count: number, meta: object | undefined, pages: number | undefined]>([
		['nothing', 2, undefined, undefined],
		['its pages', 2, { totalPages: 4 }, 4],
		['its length', 100, { total: 201 }, 3],
		['both: the length counts', 100, { total: 201, totalPages: 9 }, 3],
		['its length, and smaller pages than requested', 50, { total: 201, limit: 50 }, 5],
		['its length, and pages are smaller than it says', 30, { total: 61, limit: 100 }, 3],
		['a list of one page', 2, { total: 2, limit: 100 }, 1],
		['an empty list', 0, { total: 0, limit: 100 }, 0],
		['an empty list with a length', 0, { total: 2, limit: 100 }, 2],
	])('shows how long the list is, by %s', async (_what, count, meta, pages) => {
		const response = { data: rows(count), meta };
		expect((await read({}, response).messages.chats(1)).pages).toBe(pages);
		// Only the first page: the last one may have fewer rows.
		expect((await read({}, response).messages.chats(2)).pages).toBeUndefined();
	});

	test('after the end of the list may be rejected: it is empty', async () => {
		const { messages } = read({}, 400);
		expect(await messages.chats(2)).toEqual({ chats: [], length: 0, pages: undefined });
	});

	test('is not empty because the first one, or the token, was rejected', async () => {
		expect(await rejected(read({}, 400).messages.chats(1))).toBe('400');
		expect(await rejected(read({}, 401).messages.chats(2))).toBe('401');
	});
});

describe('the messages of a chat', () => {
	test('are requested from the newest one on, or after a cursor', async () => {
		const page = { data: { messages: [{ id: 'm2' }, null, { id: 'm1' }] } };
		const { messages, requests, queries } = read({}, page, page);
		expect(await messages.messages('c1', 20)).toEqual([{ id: 'm2' }, { id: 'm1' }]);
		await messages.messages('c1', 100, 'm1');
		expect(requests).toEqual([['GET /chats/c1/messages'], ['GET /chats/c1/messages']]);
		expect(queries).toEqual([{ take: '20' }, { take: '100', cursor: 'm1' }]);
	});

	test('are those under their name, whatever other lists the response has', async () => {
		const data = { participants: [{ id: 'p1' }], messages: [{ id: 'm1' }] };
		expect(await read({}, { data }).messages.messages('c1', 20)).toEqual([{ id: 'm1' }]);
	});

	test('of a chat that does not exist: undefined', async () => {
		expect(await read({}, 404).messages.messages('c1', 20)).toBeUndefined();
		expect(await rejected(read({}, 403).messages.messages('c1', 20))).toBe('403');
	});

	test('in a response without a list: an error, as no messages would be lost as read', async () => {
		const response = new StatusResponse(200, { success: true, data: { status: 'OK' } });
		await expect(read({}, response).messages.messages('c1', 20)).rejects.toThrow(NodeApiError);
	});
});

test('the size of the window is what the rate limiter knows', () => {
	const { client, messages } = read({});
	expect(messages.windowSize).toBeUndefined();
	Object.defineProperty(client.rateLimiter, 'windowSize', { value: 60 });
	expect(messages.windowSize).toBe(60);
});
