/** How far a history is read, and in which order it is understood. */
import type { IDataObject } from 'n8n-workflow';
import { messageHash } from '../../../nodes/ConversationalMessaging/trigger/messages/baseline.ts';
import {
	readNews,
	type KnownHistory,
} from '../../../nodes/ConversationalMessaging/trigger/messages/history.ts';
import {
	knownOrder,
	NO_HISTORIES,
	TimeOrder,
	withShown,
	type HistoryOrder,
} from '../../../nodes/ConversationalMessaging/trigger/messages/historyOrder.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 15);
const at = (minute: number) => START + minute * MINUTE;

/** Reads a history in pages of ten. @param rows in the order in which the service returns them */
const read = async (
	rows: { id: string; at?: number }[],
	known: Partial<KnownHistory> & { ids?: string[] },
) => {
	let requests = 0;
	const reading = await readNews(
		async (cursor) => {
			requests++;
			const from = cursor === undefined ? 0 : rows.findIndex(({ id }) => id === cursor) + 1;
			const page = rows.slice(from, from + 10);
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

	test('older messages below a known one are not new, even if they are recent', async () => {
		const known = { ids: ['c'], order: 'newest first' as const, since: at(-10) };
		expect((await read(rising.slice(1), known)).news).toEqual([]);
	});
});

describe('the order of histories', () => {
	const SECOND = 1_000;
	test.each<[string, (number | undefined)[], boolean, HistoryOrder | undefined]>([
		['no times', [undefined], false, undefined],
		['one time', [5], false, undefined],
		['equal times', [5, 5], false, undefined],
		['two minutes, not more', [0, 120 * SECOND], true, undefined],
		['two minutes, not more, falling', [120 * SECOND, 0], false, undefined],
		['rising by more', [0, 120 * SECOND + 1], true, 'oldest first'],
		['falling by more', [120 * SECOND + 1, 0], false, 'newest first'],
		['falling, with one of another clock', [900 * SECOND, 901 * SECOND, 0], false, 'newest first'],
		['both', [0, 900 * SECOND, 0], false, undefined],
		['a message without a time between', [0, undefined, 900 * SECOND], true, 'oldest first'],
	])('%s', (_name, times, seemsOldestFirst, shown) => {
		const order = new TimeOrder();
		for (const time of times) order.add(time);
		expect([order.seemsOldestFirst, order.shown]).toEqual([seemsOldestFirst, shown]);
		expect(order.hasTimes).toBe(times.some((time) => time !== undefined));
	});

	test.each<[newestFirst: number, oldestFirst: number, HistoryOrder | undefined]>([
		[0, 0, undefined],
		[2, 0, undefined],
		[3, 0, 'newest first'],
		[3, 1, undefined],
		[4, 1, 'newest first'],
		[0, 2, undefined],
		[0, 3, 'oldest first'],
		[1, 3, undefined],
		[1, 4, 'oldest first'],
		[10, 9, undefined],
	])('%i chats newest first, %i oldest first: %s', (newestFirst, oldestFirst, order) => {
		expect(knownOrder({ newestFirst, oldestFirst })).toBe(order);
	});

	test('is counted by chats, the recent ones more', () => {
		const shown = ['newest first', undefined, 'oldest first', 'newest first'] as const;
		expect(withShown(NO_HISTORIES, shown)).toEqual({ newestFirst: 2, oldestFirst: 1 });
		const many = { newestFirst: 700, oldestFirst: 298 };
		expect(withShown(many, ['newest first', 'oldest first'])).toEqual({
			newestFirst: 701,
			oldestFirst: 299,
		});
		expect(withShown(many, shown)).toEqual({ newestFirst: 351, oldestFirst: 149 });
	});
});
