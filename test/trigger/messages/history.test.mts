/** How far the messages of a chat are read. */
import type { IDataObject } from 'n8n-workflow';
import { readRecentMessages } from '../../../nodes/ConversationalMessaging/trigger/messages/history.ts';
import { useFakeTime } from '../../support/time.mts';
import { failure } from './chats.mts';
import { SUBSCRIPTION } from './watch.mts';

const time = useFakeTime();

/** A message that was sent so many seconds ago; without a time if it is undefined. */
const message = (id: string, secondsAgo?: number): IDataObject => ({
	id,
	...(secondsAgo !== undefined && { timestamp: time.clock.now() / 1_000 - secondsAgo }),
});

/**
 * Reads a chat with these pages, of which messages were read up to so many seconds ago.
 *
 * @returns the IDs and the requests
 */
const read = async (
	pages: (unknown[] | Error)[],
	{
		readAgo = 100,
		untilAgo = undefined as number | undefined,
		take = 2,
		most = 9,
		allowed = 9,
		total = undefined as number | undefined,
	} = {},
) => {
	const requests: unknown[] = [];
	const service = {
		messages: async (_chat: string, size: number, cursor?: string) => {
			requests.push([size, cursor]);
			const rows = pages[requests.length - 1] ?? [];
			if (rows instanceof Error) throw rows;
			return await Promise.resolve({ rows, meta: { total } });
		},
	};
	const readTo = time.clock.now() - readAgo * 1_000;
	const history = await readRecentMessages(service, { id: 'c', row: {} }, SUBSCRIPTION, {
		now: time.clock.now(),
		until: time.clock.now() - (untilAgo ?? readAgo) * 1_000,
		wasRead: ({ time: at = 0 }) => at <= readTo,
		take,
		pages: most,
		mayContinue: () => requests.length < allowed,
	});
	const ids = history?.messages.map(({ id }) => id);
	return { ids, requests, ...history };
};

test('until a page ends with messages that are old enough', async () => {
	const full = Array.from({ length: 98 }, (_, i) => message(`b${i}`, 60));
	const pages = [
		[message('d', 1), message('c', 50)],
		[...full, message('b', 100), message('a', 101)],
		[message('x', 200)],
	];
	const { ids, requests } = await read(pages);
	expect(ids).toStrictEqual(['d', 'c', ...full.map(({ id }) => id), 'b', 'a']);
	expect(requests).toStrictEqual([
		[2, undefined],
		[100, 'd'],
	]);
});

test('beyond messages that were read, if others may have been stored late', async () => {
	const pages = [[message('c', 10), message('b', 20)], [message('a', 30)], [message('x', 200)]];
	expect((await read(pages, { readAgo: 5, untilAgo: 100 })).ids).toStrictEqual(['c', 'b', 'a']);
});

test.each<[string, () => (unknown[] | Error)[], number]>([
	['an empty chat', () => [[]], 1],
	['an empty page', () => [[message('b', 1), message('a', 2)], [], [message('x', 3)]], 2],
	['a short page with a message that was read', () => [[message('b', 1)], [message('a', 100)]], 2],
	['a short page that begins with one', () => [[message('a', 100)], [message('x', 300)]], 1],
	['a short page whose times rise', () => [[message('a', 300)], [message('x', 1)]], 1],
	[
		'the last page again',
		() => [[message('b', 1), message('a', 2)], Array(100).fill(message('a', 2))],
		2,
	],
	['a page after a short one that is rejected', () => [[message('a', 1)], failure(404)], 2],
	['a 404 after a full one', () => [[message('b', 1), message('a', 2)], failure(404)], 2],
	['no message with an ID', () => [[{ text: 'a' }, { text: 'b' }]], 1],
	// Nothing shows which of them are new.
	['a page without times', () => [[message('b'), message('a')], [message('x', 3)]], 1],
])('ends with %s', async (_what, pages, requests) => {
	expect((await read(pages())).requests).toHaveLength(requests);
});

test('a short page is not the end: a service may hide some messages', async () => {
	const pages = [[message('c', 1)], [message('b', 2)], [message('a', 3)], [message('x', 100)]];
	expect((await read(pages)).ids).toStrictEqual(['c', 'b', 'a', 'x']);
});

test('a short page with as many messages as the chat has is the end', async () => {
	const pages = [[message('a', 1)], [message('x', 2)]];
	expect((await read(pages, { total: 1 })).requests).toHaveLength(1);
	expect((await read(pages, { total: 2 })).requests).toHaveLength(2);
	// A count of the page, not of the chat.
	const full = [[message('b', 1), message('a', 2)], [message('x', 100)]];
	expect((await read(full, { total: 2 })).requests).toHaveLength(2);
});

test.each([
	['after a full page', () => [[message('b', 1), message('a', 2)], failure(400)]],
	['that is the first one', () => [failure(404)]],
	['that fails', () => [[message('a', 1)], failure(503)]],
	['of a token that is rejected', () => [[message('a', 1)], failure(401)]],
])('a page %s is a failure of the chat', async (_what, pages) => {
	await expect(read(pages())).rejects.toThrow('Status');
});

test('one wrong time at the end of a page does not end it', async () => {
	const pages = [
		[message('c', 1), message('wrong', 9_999)],
		[message('b', 2)],
		[message('a', 100)],
	];
	expect((await read(pages)).ids).toStrictEqual(['c', 'wrong', 'b', 'a']);
});

test('messages without a time are kept, and do not end it', async () => {
	const pages = [[message('c', 1), message('b', 2), message('note')], [message('a', 3)]];
	const { messages } = await read(pages, { take: 3 });
	expect(messages!.map(({ id, time: at }) => [id, at === undefined])).toStrictEqual([
		['c', false],
		['b', false],
		['note', true],
		['a', false],
	]);
});

test('a page whose times rise is read on: the newest messages are on the last one', async () => {
	const pages = [[message('a', 900), message('b', 800)], [message('c', 700)]];
	expect((await read(pages)).ids).toStrictEqual(['a', 'b', 'c']);
});

const endless = () =>
	Array.from({ length: 50 }, (_, page) =>
		Array.from({ length: 100 }, (_row, i) => message(`${page}.${i}`, 1)),
	);

test('no more than so many pages', async () => {
	const { ids, requests, isCut } = await read(endless(), { most: 3 });
	expect(requests).toHaveLength(3);
	expect(ids).toHaveLength(300);
	expect(isCut).toBe(true);
	expect((await read([[message('a', 100)]], { most: 1 })).isCut).toBe(false);
});

test('if no further request may be sent, nothing counts as read', async () => {
	expect((await read(endless(), { allowed: 3 })).ids).toBeUndefined();
	// It has ended by then.
	expect((await read([[message('a', 100)]], { allowed: 1 })).ids).toStrictEqual(['a']);
});
