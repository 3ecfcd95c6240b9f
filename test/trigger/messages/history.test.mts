/** How far the messages of a chat are read. */
import type { IDataObject } from 'n8n-workflow';
import { readHistory } from '../../../nodes/ConversationalMessaging/trigger/messages/history.ts';
import { FakeTime } from '../../time.mts';

let time: FakeTime;
beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

const DAY_MS = 86_400_000;

/** A message that was sent so many seconds ago; without a time if it is undefined. */
const message = (id: string, secondsAgo?: number): IDataObject => ({
	id,
	...(secondsAgo !== undefined && { timestamp: time.clock.now() / 1_000 - secondsAgo }),
});

/** Reads a chat with these pages, until messages are this many seconds old. @returns the IDs and the requests */
const read = async (
	pages: unknown[][],
	{
		untilAgo = 100,
		take = 2,
		most = 9,
		allowed = 9,
		timeField = undefined as string | undefined,
	} = {},
) => {
	const requests: unknown[] = [];
	const history = await readHistory({
		read: async (size, cursor) => {
			requests.push([size, cursor]);
			return await Promise.resolve(pages[requests.length - 1] ?? []);
		},
		until: time.clock.now() - untilAgo * 1_000,
		timeField,
		take,
		pages: most,
		mayContinue: () => requests.length < allowed,
	});
	const ids = history?.messages.map(({ id }) => id);
	return { ids, requests, ...history };
};

test('until a page ends with a message that is old enough', async () => {
	const pages = [
		[message('e', 1), message('d', 50)],
		[message('c', 99), message('b', 100)],
		[message('a', 200)],
	];
	const { ids, requests } = await read(pages);
	expect(ids).toEqual(['e', 'd', 'c', 'b']);
	expect(requests).toEqual([
		[2, undefined],
		[100, 'd'],
	]);
});

test.each<[string, () => unknown[][], number]>([
	['a page that is not full', () => [[message('b', 1), message('a', 2)], [message('x', 3)], []], 2],
	['a short first page', () => [[message('a', 1)], [message('x', 3)]], 1],
	['an empty chat', () => [[]], 1],
	[
		'the last page again',
		() => [[message('b', 1), message('a', 2)], Array(100).fill(message('a', 2))],
		2,
	],
	['no message with an ID', () => [[{ text: 'a' }, { text: 'b' }]], 1],
	// Nothing shows which of them are new.
	['a page without times', () => [[message('b'), message('a')], [message('x', 3)]], 1],
])('ends with %s', async (_what, pages, requests) => {
	expect((await read(pages())).requests).toHaveLength(requests);
});

test('a full page of only new messages is read on, whatever is no message on it', async () => {
	const pages = [[message('b', 1), null], [message('a', 2)]];
	expect((await read(pages)).ids).toEqual(['b', 'a']);
});

test('one old message between new ones does not end it: it may be stored late', async () => {
	const pages = [[message('c', 1), message('old', 500), message('b', 2)], [message('a', 3)]];
	expect((await read(pages, { take: 3 })).ids).toEqual(['c', 'old', 'b', 'a']);
});

test('messages without a time are kept, and do not end it', async () => {
	const pages = [[message('c', 1), message('b', 2), message('note')], [message('a', 3)]];
	const { messages } = await read(pages, { take: 3 });
	expect(messages!.map(({ id, time: at }) => [id, at === undefined])).toEqual([
		['c', false],
		['b', false],
		['note', true],
		['a', false],
	]);
});

test('a page whose times rise is read on: the newest messages are on the last one', async () => {
	const pages = [[message('a', 900), message('b', 800)], [message('c', 700)]];
	expect((await read(pages)).ids).toEqual(['a', 'b', 'c']);
});

test('each message once, although one that arrives meanwhile shifts the others', async () => {
	const full = [message('b', 2), ...Array.from({ length: 99 }, (_, i) => message(`a${i}`, 3))];
	const { ids } = await read([[message('c', 1), message('b', 2)], full, []]);
	expect(ids).toHaveLength(101);
	expect(new Set(ids).size).toBe(101);
});

test('a message more than a day ahead counts as one without a time', async () => {
	const ahead = [message('b', -DAY_MS / 1_000), message('a', -DAY_MS / 1_000 - 1)];
	const { messages } = await read([ahead]);
	expect(messages!.map(({ time: at }) => at)).toEqual([time.clock.now() + DAY_MS, undefined]);
});

test('the field that the user entered has the time', async () => {
	const { messages } = await read([[{ id: 'a', at: '2026-01-15T09:00:00Z' }]], { timeField: 'at' });
	expect(messages![0]!.time).toBe(Date.UTC(2026, 0, 15, 9));
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
	expect((await read([[message('a', 1)]], { most: 1 })).isCut).toBe(false);
});

test('if no further request may be sent, nothing counts as read', async () => {
	expect((await read(endless(), { allowed: 3 })).ids).toBeUndefined();
	// It has ended by then.
	expect((await read([[message('a', 1)]], { allowed: 1 })).ids).toEqual(['a']);
});
