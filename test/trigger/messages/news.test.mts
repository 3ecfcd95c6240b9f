/** Which messages of a chat are new. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { messageHash } from '../../../nodes/ConversationalMessaging/trigger/messages/baseline.ts';
import { readNews } from '../../../nodes/ConversationalMessaging/trigger/messages/history.ts';

describe('the new messages of a chat', () => {
	const at = (id: number) => Date.UTC(2026, 0, 15) + id * 60_000;
	const message = (id: number): IDataObject => ({ id, createdAt: at(id) });
	/** Pages of a history, newest first. */
	const read = async (
		ids: number[],
		{
			seen,
			since = 0,
			withoutTimes = false,
		}: { seen?: number[]; since?: number; withoutTimes?: boolean },
		view: (id: number) => IDataObject = message,
		size = 3,
	) => {
		const pages: (string | undefined)[] = [];
		const reading = await readNews(
			async (cursor) => {
				pages.push(cursor);
				const from = cursor === undefined ? 0 : ids.indexOf(Number(cursor)) + 1;
				return await Promise.resolve(ids.slice(from, from + size).map(view));
			},
			{
				seen: seen?.map((id) => messageHash(String(id))),
				since: at(since),
				withoutTimes,
				oldUntil: at(since),
			},
		);
		return { news: reading.news.map(({ id }) => id), pages: pages.length, seen: reading.seen };
	};

	test.each<[string, number[], Parameters<typeof read>[1], number[]]>([
		['none', [3, 2, 1], { seen: [3, 2, 1] }, []],
		['above the newest known one', [5, 4, 3, 2, 1], { seen: [3, 2, 1] }, [4, 5]],
		['the newest known one was deleted', [5, 4, 2, 1], { seen: [3, 2, 1] }, [4, 5]],
		['two known ones were deleted', [5, 4, 1], { seen: [3, 2, 1] }, [4, 5]],
		['stored late, below a known one', [3, 4, 2, 1], { seen: [3, 2, 1] }, [4]],
		['all known ones were deleted: by time', [5, 4, 0], { seen: [3, 2, 1], since: 3 }, [4, 5]],
		['never read: by time', [5, 4, 3], { since: 4 }, [5]],
		['never read, and nothing is recent', [5, 4, 3], { since: 5 }, []],
		['it was empty', [2, 1], { seen: [], since: 0, withoutTimes: true }, [1, 2]],
		['more than a page', [9, 8, 7, 6, 5, 4, 3], { seen: [3] }, [4, 5, 6, 7, 8, 9]],
		['the history is empty', [], { seen: [3, 2, 1] }, []],
		['the oldest is first', [1, 2, 3, 4, 5], { seen: [3, 2, 1] }, [4, 5]],
	])('%s', async (_name, ids, known, news) => {
		expect((await read(ids, known)).news).toStrictEqual(news);
	});

	test('of a chat whose newest message alone is known, older ones are not new, whatever the order', async () => {
		const history = [0, 1, 2, 3].map((i) => ({
			id: `m${i}`,
			createdAt: `2026-01-15T0${i}:00:00Z`,
		}));
		const known = {
			seen: [messageHash('m2')],
			since: Date.UTC(2026, 0, 15, 2, 30),
			withoutTimes: false,
			oldUntil: 0,
		};
		for (const page of [history, history.toReversed()]) {
			const pages = [page, []];
			const reading = await readNews(async () => await Promise.resolve(pages.shift()!), known);
			expect(reading.news.map(({ id }) => id)).toEqual(['m3']);
		}
	});

	test.each<[string, times: string[], news: string[]]>([
		['its time is before the known one’s, in the same second', ['05', '05.800'], ['m2']],
		['three messages in a few seconds', ['05', '05.800', '07'], ['m2']],
		['of two clocks', ['05', '59'], ['m2']],
	])('a new message is not lost if %s', async (_name, times, news) => {
		const ids = ['m2', 'm1', 'm0'].slice(0, times.length);
		const page = ids.map((id, i) => ({ id, createdAt: `2026-01-15T10:00:${times[i]}Z` }));
		const reading = await readNews(async () => await Promise.resolve(page), {
			seen: [messageHash('m1'), messageHash('m0')],
			since: at(0),
			withoutTimes: false,
			oldUntil: 0,
		});
		expect(reading.news.map(({ id }) => id)).toEqual(news);
	});

	test('the newest three are known in the next poll', async () => {
		const { seen } = await read([5, 4, 3, 2, 1], { seen: [1] });
		expect(seen).toEqual(['5', '4', '3'].map(messageHash));
	});

	test('by time, a message without a time is as new as those around it', async () => {
		const view = (id: number): IDataObject => (id % 2 === 0 ? { id } : message(id));
		expect((await read([6, 5, 4, 3, 2, 1], { since: 3 }, view)).news).toEqual([4, 5, 6]);
	});

	test('one request is enough if a known message is among the first', async () => {
		expect((await read([4, 3, 2, 1], { seen: [3] })).pages).toBe(1);
	});

	test('without times, a chat that was never read has none, and a new one has all', async () => {
		const view = (id: number): IDataObject => ({ id });
		const { news, pages } = await read([4, 3, 2, 1], {}, view);
		expect([news, pages]).toStrictEqual([[], 1]);
		expect((await read([4, 3, 2, 1], { withoutTimes: true }, view)).news).toEqual([1, 2, 3, 4]);
	});

	test('a service that returns its last page again and again is not read forever', async () => {
		const page = [message(2), message(1)];
		let requests = 0;
		const read = async () => await Promise.resolve((requests++, page));
		const known = { seen: [7], since: at(0), withoutTimes: false, oldUntil: 0 };
		expect((await readNews(read, known)).news).toEqual([message(1), message(2)]);
		expect(requests).toBe(2);
	});

	test('what arrives before a page is returned once more is left to the next poll: it is not below that page', async () => {
		const pages = [
			[2, 1],
			[3, 2, 1, 0],
			[3, 2, 1, 0],
		].map((ids) => ids.map(message));
		const reading = await readNews(async () => await Promise.resolve(pages.shift() ?? []), {
			seen: [],
			since: at(0),
			withoutTimes: true,
			oldUntil: 0,
		});
		// Rows that follow those that were read belong to the history, as from a service whose cursor is part of its page.
		expect(reading.messages).toEqual([2, 1, 0].map(message));
	});

	test('rows without an ID are left out, and reading continues after the row before', async () => {
		const pages = [[{ text: 'x' }, message(2), { text: 'y' }], [{ text: 'y' }, message(1)], []];
		const cursors: (string | undefined)[] = [];
		const read = async (cursor: string | undefined) => {
			cursors.push(cursor);
			return await Promise.resolve(pages.shift() ?? []);
		};
		const known = { seen: [], since: at(0), withoutTimes: true, oldUntil: 0 };
		expect((await readNews(read, known)).news).toEqual([message(1), message(2)]);
		expect(cursors).toEqual([undefined, '2', '1']);
	});

	test('whatever was deleted, if one known message is left, exactly the new ones are found', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 3, max: 12 }),
				fc.integer({ min: 0, max: 12 }),
				fc.uniqueArray(fc.nat(2), { maxLength: 2 }),
				fc.integer({ min: 1, max: 6 }),
				async (old, added, deleted, size) => {
					const all = Array.from({ length: old + added }, (_, i) => old + added - i);
					const seen = [old, old - 1, old - 2];
					const left = all.filter((id) => !deleted.some((i) => seen[i] === id));
					const { news } = await read(left, { seen }, message, size);
					expect(news).toEqual(Array.from({ length: added }, (_, i) => old + 1 + i));
				},
			),
		);
	});
});
