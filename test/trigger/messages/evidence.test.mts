import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { messageHash } from '../../../nodes/ConversationalMessaging/trigger/messages/baseline.ts';
import {
	afterPoll,
	afterReading,
	countsOf,
	messageNumbers,
	showNoNews,
	type CountEvidence,
} from '../../../nodes/ConversationalMessaging/trigger/messages/counts.ts';
import { readNews } from '../../../nodes/ConversationalMessaging/trigger/messages/history.ts';
import { afterListing } from '../../../nodes/ConversationalMessaging/trigger/messages/listOrder.ts';
import {
	markOf,
	volatileFields,
} from '../../../nodes/ConversationalMessaging/trigger/messages/rows.ts';

describe('the numbers of messages of a channel', () => {
	test.each<[IDataObject, number[]]>([
		[{ stats: { chats: 3, messages: 1042, broadcasts: 7 } }, [1042]],
		[{ messageCount: 5 }, [5]],
		[{ messagesCount: '5' }, [5]],
		[{ _count: { messages: 0 } }, [0]],
		[{ stats: { messages: { total: 9, inbound: 4 } } }, [4, 9]],
		[{ total_messages: 6 }, [6]],
		// Not a number of messages.
		[{ lastMessageAt: 1768554000000, messageTemplates: 12, messagingLimit: 1000 }, []],
		[{ stats: { chats: 3 } }, []],
		[{ messages: null }, []],
		[{ messages: -1 }, []],
		[{ messages: 'many' }, []],
		[{}, []],
	])('%j: %j', (channel, numbers) => {
		expect(messageNumbers(channel)).toEqual(numbers);
	});
});

describe('the counts of channels', () => {
	/** A poll: what is counted, then what is found. */
	const poll = (known: CountEvidence, count: number, found: number): CountEvidence =>
		afterPoll(afterReading(known, { numbers: [[count]], readAt: 2, chats: 10 }), {
			found,
			recent: found > 0,
			reads: 2,
		});
	const history = (...polls: [count: number, found: number][]): CountEvidence =>
		polls.reduce((known, [count, found]) => poll(known, count, found), countsOf(['a'], [[100]], 1));

	test('are relied on once they have changed with news three times', () => {
		const proven = history([101, 1], [102, 1], [103, 1], [103, 0]);
		expect(showNoNews(proven, 3, 'rows')).toBe(true);
		expect(showNoNews(proven, 4, 'rows')).toBe(false);
	});

	test('are not relied on after news without a change', () => {
		expect(history([101, 1], [102, 1], [103, 1], [103, 1], [103, 0]).proofs).toBe(0);
	});

	test('a message that arrives after the counts were read disproves nothing', () => {
		const { proofs, owed } = history([100, 1], [101, 0], [101, 1], [102, 0]);
		expect(proofs).toBe(2);
		expect(owed).toBe(0);
	});

	test('show how many messages are to be found, until they are found', () => {
		const owed = history([101, 1], [102, 1], [103, 1], [106, 1]);
		expect(owed.owed).toBe(2);
		expect(
			showNoNews(afterReading(owed, { numbers: [[106]], readAt: 2, chats: 10 }), 3, 'rows'),
		).toBe(false);
		expect(showNoNews(poll(owed, 106, 2), 3, 'rows')).toBe(true);
	});

	test('are not exact if a search for all of them finds nothing', () => {
		let known = history([101, 1], [102, 1], [103, 1], [106, 0]);
		for (let i = 0; i < 5; i++) known = poll(known, 106, 0);
		expect(known).toMatchObject({ owed: 0, isExact: false });
		// In turn, a change then says nothing about when to end.
		expect(showNoNews(known, 0, 'turns')).toBe(false);
		expect(showNoNews(known, 0, 'rows')).toBe(true);
	});

	test('of several numbers, the one that grew most counts', () => {
		const known = afterReading(countsOf(['a', 'b'], [[4, 9], [7]], 1), {
			numbers: [[5, 10], [9]],
			readAt: 2,
			chats: 10,
		});
		expect(known.owed).toBe(3);
	});

	test('a deleted message owes nothing', () => {
		expect(
			afterReading(countsOf(['a'], [[9]], 1), { numbers: [[8]], readAt: 2, chats: 10 }).owed,
		).toBe(0);
	});
});

describe('the order of the list', () => {
	const known = new Map([1, 2, 3, 4].map((key) => [key, true]));
	const listing = (keys: number[], changed: number[], withNews = changed) => ({
		keys,
		changed: new Set(changed),
		withNews: new Set(withNews),
		known,
	});

	test.each<[string, ReturnType<typeof listing>, number]>([
		['a chat takes the lead', listing([3, 1, 2], [3]), 3],
		['nothing changes', listing([1, 2, 3], []), 2],
		['the leading chat has news again', listing([1, 2, 3], [1]), 2],
		['a new chat leads', listing([9, 1, 2], [9]), 2],
		['a row without news that changed is between', listing([3, 2, 1], [3, 2], [2]), 3],
		['a quiet chat is before one with news', listing([1, 3, 2], [3]), 0],
	])('%s', (_name, reading, proofs) => {
		expect(afterListing({ proofs: 2, head: 1 }, reading)).toEqual({
			proofs,
			head: reading.keys[0],
		});
	});

	test('an empty list shows nothing', () => {
		expect(afterListing({ proofs: 2, head: 1 }, listing([], []))).toEqual({ proofs: 2, head: 0 });
	});
});

describe('the fingerprint of a row', () => {
	test('does not depend on the order of its fields', () => {
		expect(markOf({ a: 1, b: { c: [1], d: null } }, [])).toBe(
			markOf({ b: { d: null, c: [1] }, a: 1 }, []),
		);
	});

	test.each<[IDataObject, IDataObject]>([
		[{ a: 1 }, { a: 2 }],
		[{ a: 1 }, { a: '1' }],
		[{ a: null }, {}],
		[{ a: { b: 1 } }, { a: { b: 2 } }],
		[{ a: [1] }, { a: [1, 2] }],
		[{ a: '' }, { a: null }],
	])('%j differs from %j', (one, other) => {
		expect(markOf(one, [])).not.toBe(markOf(other, []));
	});

	test('leaves out fields that change by themselves', () => {
		expect(markOf({ a: 1, meta: { at: 1 } }, ['meta.at'])).toBe(
			markOf({ a: 1, meta: { at: 2 } }, ['meta.at']),
		);
	});

	const rows = (...all: IDataObject[]) => new Map(all.map((row, i) => [`c${i}`, row]));

	test('those differ in every row that is read again', () => {
		const before = rows({ a: 1, at: 1 }, { a: 2, at: 1 }, { a: 3, at: 1 });
		const after = rows({ a: 9, at: 2 }, { a: 9, at: 2 }, { a: 3, at: 2 });
		expect(volatileFields(before, after)).toEqual(['at']);
		expect(volatileFields(before, before)).toEqual([]);
	});

	test('two rows do not show it: both may have news', () => {
		expect(volatileFields(rows({ at: 1 }, { at: 1 }), rows({ at: 2 }, { at: 2 }))).toEqual([]);
	});
});

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
		['it was empty', [2, 1], { seen: [], since: 0, withoutTimes: true }, [1, 2]],
		['more than a page', [9, 8, 7, 6, 5, 4, 3], { seen: [3] }, [4, 5, 6, 7, 8, 9]],
		['the history is empty', [], { seen: [3, 2, 1] }, []],
		['the oldest is first', [1, 2, 3, 4, 5], { seen: [3, 2, 1] }, [4, 5]],
	])('%s', async (_name, ids, known, news) => {
		expect((await read(ids, known)).news).toEqual(news);
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

	test('one request is enough if a known message is among the first', async () => {
		expect((await read([4, 3, 2, 1], { seen: [3] })).pages).toBe(1);
	});

	test('without times, a chat that was never read has none, and a new one has all', async () => {
		const view = (id: number): IDataObject => ({ id });
		expect(await read([4, 3, 2, 1], {}, view)).toMatchObject({ news: [], pages: 1 });
		expect((await read([4, 3, 2, 1], { withoutTimes: true }, view)).news).toEqual([1, 2, 3, 4]);
	});

	test('a service that returns its last page again and again is not read forever', async () => {
		const page = [message(2), message(1)];
		const reading = await readNews(async () => await Promise.resolve(page), {
			seen: [7],
			since: at(0),
			withoutTimes: false,
			oldUntil: 0,
		});
		expect(reading.news).toEqual([message(1), message(2)]);
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

	test('rows without an ID are left out', async () => {
		const reading = await readNews(async () => await Promise.resolve([{ text: 'x' }, message(1)]), {
			seen: [],
			since: at(0),
			withoutTimes: true,
			oldUntil: 0,
		});
		expect(reading.news).toEqual([message(1)]);
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
