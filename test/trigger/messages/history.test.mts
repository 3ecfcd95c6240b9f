/** Which messages of a history are new, how far it is read, and in which order it is understood. */
import type { IDataObject } from 'n8n-workflow';
import { messageHash } from '../../../nodes/ConversationalMessaging/trigger/messages/baseline.ts';
import {
	readNews,
	type KnownHistory,
} from '../../../nodes/ConversationalMessaging/trigger/messages/history.ts';
import type { HistoryOrder } from '../../../nodes/ConversationalMessaging/trigger/messages/historyOrder.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 15);
const at = (minute: number) => START + minute * MINUTE;

/** Reads a history in pages. @param rows in the order in which the service returns them */
const read = async (
	rows: { id: string; at?: number }[],
	known: Partial<KnownHistory> & { ids?: string[] },
	size = 10,
) => {
	let requests = 0;
	const reading = await readNews(
		async (cursor) => {
			requests++;
			const from = cursor === undefined ? 0 : rows.findIndex(({ id }) => id === cursor) + 1;
			const page = rows.slice(from, from + size);
			return await Promise.resolve(
				page.map(({ id, at: time }): IDataObject => ({ id, ...(time && { createdAt: time }) })),
			);
		},
		{
			seen: known.ids?.map(messageHash),
			since: at(0),
			withoutTimes: false,
			oldUntil: at(0),
			...known,
		},
	);
	return { news: reading.news.map(({ id }) => id), requests, shown: reading.shown };
};

/** Newest first, one per minute. @param newest its minute */
const messages = (count: number, newest: number) =>
	Array.from({ length: count }, (_, i) => ({ id: `m${newest - i}`, at: at(newest - i) }));

describe('a chat whose known messages were all deleted', () => {
	const deleted = ['x', 'y', 'z'];

	test('is read for three pages of messages that are too old to be new', async () => {
		const found = await read(messages(1_000, 2), { ids: deleted });
		expect(found).toMatchObject({ news: ['m1', 'm2'], requests: 4 });
	});

	test('is read for three pages whose newest message is as old as the last reading', async () => {
		const found = await read(messages(1_000, 0), { ids: deleted });
		expect(found).toMatchObject({ news: [], requests: 3 });
	});

	test('is read for 20 pages, if the chat may not have been read since then', async () => {
		const found = await read(messages(1_000, 2), { ids: deleted, oldUntil: at(-10_000) });
		expect(found).toMatchObject({ news: ['m1', 'm2'], requests: 20 });
	});

	test('is read for 20 pages without times, and nothing is new', async () => {
		const rows = messages(1_000, 2).map(({ id }) => ({ id }));
		expect(await read(rows, { ids: deleted })).toMatchObject({ news: [], requests: 20 });
	});

	test('is read further as long as everything is new', async () => {
		const rows = messages(1_000, 450);
		const { news, requests } = await read(rows, { ids: deleted });
		expect([news.length, news[0], requests]).toEqual([450, 'm1', 46]);
	});
});

test('of three pages of old messages in a row that end the reading, a newer message begins a new row', async () => {
	const old = messages(4, -100);
	const rows = [
		...old.slice(0, 2),
		...messages(1, 5),
		...old.slice(2),
		{ id: 'known', at: at(-200) },
	];
	const { news, requests } = await read(rows, { ids: ['known'], order: 'newest first' }, 1);
	expect([news, requests]).toEqual([['m-103', 'm-102', 'm5', 'm-101', 'm-100'], 6]);
});

test('a poll reads 200 pages of a chat, even if all of its messages are new', async () => {
	const { news, requests } = await read(messages(300, 300), { ids: ['x'] }, 1);
	expect([news.length, requests]).toEqual([200, 200]);
});

describe('a chat that was never read', () => {
	test.each([
		[9, 1],
		[10, 2],
		[12, 2],
	])('is read until a message is not new: of %i new ones, in %i pages', async (count, requests) => {
		const found = await read(messages(1_000, count), {});
		expect(found).toMatchObject({
			news: messages(count, count)
				.map(({ id }) => id)
				.toReversed(),
			requests,
		});
	});

	test('is read to its end if the oldest is first', async () => {
		const found = await read(messages(25, 12).toReversed(), {});
		expect([found.news.length, found.news[0], found.requests]).toEqual([12, 'm1', 4]);
	});
});

test('a known message is found behind many new ones, and behind 19 pages of older ones', async () => {
	expect((await read(messages(1_000, 600), { ids: ['m0'] })).news).toHaveLength(600);
	const late = { ids: ['m-150'], oldUntil: at(-500) };
	expect((await read(messages(1_000, 30), late)).news).toHaveLength(180);
});

test('a history with the oldest message first is read to its end', async () => {
	const rows = messages(400, 3).toReversed();
	const found = await read(rows, { ids: ['m0', 'm-1', 'm-2'] });
	expect(found).toMatchObject({ news: ['m1', 'm2', 'm3'], requests: 41 });
});

describe('where the order of histories is known', () => {
	// The service writes some times by another clock: these rise from the newest message to the oldest one.
	const rising = ['new', 'c', 'b', 'a'].map((id, i) => ({ id, at: at(i) }));

	test.each<[string, HistoryOrder, { id: string; at: number }[], string[]]>([
		['a new message on top', 'newest first', rising, ['c', 'b', 'a']],
		['one on top of the only known one', 'newest first', rising, ['c']],
		['a new message at the end', 'oldest first', rising.toReversed(), ['c', 'b', 'a']],
	])('%s is found, whatever its time', async (_name, order, rows, ids) => {
		const known = { ids, order, since: at(100), oldUntil: at(90) };
		expect((await read(rows, known)).news).toEqual(['new']);
	});

	test.each<[HistoryOrder, { id: string; at: number }[]]>([
		['newest first', rising.slice(1)],
		['oldest first', rising.toReversed().slice(0, 3)],
	])(
		'%s: older messages below a known one are not new, even if they are recent',
		async (order, rows) => {
			expect((await read(rows, { ids: ['c'], order, since: at(-10) })).news).toStrictEqual([]);
		},
	);
});

describe('where the order of histories is guessed, a message below the known ones', () => {
	// Whichever end has the newest message: it is recent, or it was there before.
	const rows = (minutes: number) => [
		{ id: 'x', at: at(minutes) },
		...['a', 'b', 'c'].map((id, i) => ({ id, at: at(minutes + 1 + i) })),
	];
	const KNOWN = ['c', 'b', 'a'];

	test.each([
		['is new if it is recent, and fewer than three were known', 2, -1, ['x']],
		['is not new if three were known', 3, -1, []],
		['is not new if it is two minutes older than the last poll', 2, -2, []],
	])('%s', async (_name, count, minute, news) => {
		const all = rows(minute);
		const known = { ids: KNOWN.slice(0, count) };
		const found = await read(count < 3 ? all.filter(({ id }) => id !== 'a') : all, known);
		expect(found.news).toStrictEqual(news);
	});
});
