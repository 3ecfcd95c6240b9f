/** What a poll shows of the service: whether rows can be relied on, and whether chats with news lead the list. */
import type { MessageBaseline } from '../../../nodes/ConversationalMessaging/trigger/messages/baseline.ts';
import { chatKey } from '../../../nodes/ConversationalMessaging/trigger/messages/baseline.ts';
import {
	arrivedSince,
	checkOrder,
	checkRows,
	type ReadChat,
} from '../../../nodes/ConversationalMessaging/trigger/messages/evidence.ts';
import { MESSAGE_LIMITS } from '../../../nodes/ConversationalMessaging/trigger/messages/limits.ts';
import type {
	ListedChat,
	Listing,
} from '../../../nodes/ConversationalMessaging/trigger/messages/listing.ts';
import { Reads } from '../../../nodes/ConversationalMessaging/trigger/messages/reads.ts';
import type { Selection } from '../../../nodes/ConversationalMessaging/trigger/messages/selection.ts';
import { FakeChats, HABITS, outage, type Habits } from './service.mts';

const MESSAGE = { id: 'm1' };

const readOf = (chat: ListedChat, change: Partial<ReadChat> = {}): ReadChat => ({
	chat,
	reason: 'turn',
	reading: { news: change.hasNews ? [MESSAGE] : [], seen: [], messages: [] },
	hasNews: false,
	...change,
});

describe('whether rows can be relied on', () => {
	let service: FakeChats;
	/** The chats as the poll has listed them. */
	let listed: ListedChat[];

	/** @param pages of three chats */
	const open = async (pages: number, rows: Habits['rows'] = 'tell') => {
		service = new FakeChats({ ...HABITS, rows, pageSize: 3 }, () => 0);
		for (let i = 0; i < pages * 3; i++) service.makeChat();
		listed = [];
		for (let page = 1; page <= pages; page++)
			for (const chat of (await service.chats(page)).chats)
				listed.push({ ...chat, key: chatKey(chat.id), page });
		service.begin();
	};

	/** @param changed the chats whose rows changed */
	const check = async (
		read: ReadChat[],
		changed: ListedChat[] = [],
		known: Partial<MessageBaseline> = {},
	) =>
		await checkRows(
			new Reads(service, MESSAGE_LIMITS),
			{ method: 'rows', volatile: [], idlePolls: 2, ...known } as MessageBaseline,
			{ chats: listed } as Listing,
			{ changed: new Set(changed.map(({ key }) => key)), known: listed.length } as Selection,
			read,
			{ ...MESSAGE_LIMITS, idlePolls: 4 },
		);

	const RELIED_ON = { method: 'rows', volatile: [], idlePolls: 0 };
	const NOT_RELIED_ON = { method: 'turns', volatile: [], idlePolls: 0 };

	describe('if a chat has news although its row did not change', () => {
		const quiet = (place: number) => readOf(listed[place]!, { hasNews: true });
		const change = (place: number) => {
			service.touch(service.list[place]!);
		};

		test('no more, as its page still shows the same row', async () => {
			await open(2);
			expect(await check([quiet(4)])).toEqual(NOT_RELIED_ON);
			expect(service.requests).toEqual(['chats 2']);
		});

		test('no more, although a field changes by itself', async () => {
			await open(1, 'fetchedAt');
			const volatile = ['fetchedAt'];
			expect(await check([quiet(0)], [], { volatile })).toEqual({ ...NOT_RELIED_ON, volatile });
		});

		test('still, if the row has changed since it was read', async () => {
			await open(2);
			change(4);
			expect(await check([quiet(4)])).toEqual(RELIED_ON);
		});

		test('still, if the chat has left its page since', async () => {
			await open(2);
			service.makeChat();
			expect(await check([quiet(2)])).toEqual(RELIED_ON);
		});

		test('no more, if one of several such rows is the same', async () => {
			await open(2);
			change(3);
			change(4);
			expect(await check([quiet(3), quiet(4), quiet(5)])).toEqual(NOT_RELIED_ON);
			expect(service.requests).toEqual(['chats 2']);
		});

		test('no more, if it is the same on the third of their pages; others are not read', async () => {
			await open(4);
			change(0);
			change(3);
			const chats = [quiet(0), quiet(3), quiet(6), quiet(9)];
			expect(await check(chats)).toEqual(NOT_RELIED_ON);
			change(6);
			service.begin();
			expect(await check(chats)).toEqual(RELIED_ON);
			expect(service.requests).toEqual(['chats 1', 'chats 2', 'chats 3']);
		});

		test('still, without a further request, if the row names one of the messages', async () => {
			await open(2);
			const chat = { ...listed[4]!, row: { ...listed[4]!.row, lastId: MESSAGE.id } };
			const reading = { news: [{ id: 'm0' }, MESSAGE], seen: [], messages: [] };
			expect(await check([readOf(chat, { hasNews: true, reading })])).toEqual(RELIED_ON);
			expect(service.requests).toEqual([]);
		});

		test('still, if the page cannot be read', async () => {
			await open(1);
			service.onRequest = () => {
				throw outage();
			};
			expect(await check([quiet(0)])).toEqual(RELIED_ON);
		});
	});

	test.each<[string, Partial<ReadChat>, isChanged: boolean]>([
		['the row of a chat with news changed', { reason: 'changed', hasNews: true }, true],
		['the chat is new', { reason: 'new', hasNews: true }, true],
		['its row changed before', { reason: 'again', hasNews: true }, false],
		['its row changed too, as most rows do', { reason: 'turn', hasNews: true }, true],
		['a chat in turn has no news', {}, false],
	])('still, without a further request, if %s', async (_name, how, isChanged) => {
		await open(2);
		const chat = listed[0]!;
		expect(await check([readOf(chat, how)], isChanged ? [chat] : [])).toEqual(RELIED_ON);
		expect(service.requests).toEqual([]);
	});

	test('what is known remains while chats are read in turn', async () => {
		await open(1);
		const known = { method: 'turns', volatile: ['x'], idlePolls: 3 } as const;
		expect(await check([readOf(listed[0]!, { hasNews: true })], [], known)).toEqual(known);
		expect(service.requests).toEqual([]);
	});

	describe('if most rows changed without news', () => {
		const changed = (count: number, change: Partial<ReadChat> = {}) =>
			listed.slice(0, count).map((chat) => readOf(chat, { reason: 'changed', ...change }));

		test('fields that change by themselves are left out, with those that were before', async () => {
			await open(1, 'fetchedAt');
			const volatile = ['x', 'fetchedAt'];
			expect(await check(changed(3), listed, { volatile: ['x'] })).toEqual({
				...RELIED_ON,
				volatile,
			});
			expect(service.requests).toEqual(['chats 1']);
		});

		test('four times in a row, they are not relied on any more', async () => {
			await open(1, 'fetchedAt');
			const known = { volatile: ['fetchedAt'] };
			expect(await check(changed(3), listed, { ...known, idlePolls: 2 })).toEqual({
				...known,
				method: 'rows',
				idlePolls: 3,
			});
			expect(await check(changed(3), listed, { ...known, idlePolls: 3 })).toMatchObject({
				method: 'turns',
			});
		});

		test('this counts, whatever chats have news whose rows did not change', async () => {
			await open(2);
			const read = [...changed(4), readOf(listed[5]!, { reason: 'again', hasNews: true })];
			expect(await check(read, listed.slice(0, 4))).toMatchObject({ idlePolls: 3 });
		});

		test.each<[string, () => [ReadChat[], ListedChat[]]]>([
			['half of the rows changed', () => [changed(3), listed.slice(0, 3)]],
			['two of the changed chats were read', () => [changed(2), listed]],
			[
				'two of them were read, and others in turn',
				() => [[...changed(2), readOf(listed[4]!)], listed],
			],
			[
				'one of them has news, be it not emitted',
				() => [
					[
						...changed(4),
						readOf(listed[4]!, {
							reason: 'changed',
							reading: { news: [MESSAGE], seen: [], messages: [] },
						}),
					],
					listed,
				],
			],
		])('it does not count if only %s', async (_name, found) => {
			await open(2);
			expect(await check(...found())).toEqual(RELIED_ON);
			expect(service.requests).toEqual([]);
		});
	});
});

describe('whether chats with news lead the list', () => {
	/** Two chats per page; the keys in the order of the list. */
	const listing = (keys: number[], change: Partial<Listing> = {}): Listing => ({
		chats: keys.map((key, i) => ({ id: `${key}`, row: {}, key, page: 1 + Math.floor(i / 2) })),
		pages: 2,
		isCounted: true,
		isWhole: false,
		isCut: false,
		isTooLong: false,
		...change,
	});

	/** @param found the chats with news. They were known, and 1 led the list */
	const check = (
		list: Listing,
		changed: number[],
		found: number[],
		how: Partial<ReadChat> = { reason: 'changed' },
	) =>
		checkOrder(
			{
				order: { proofs: 2, head: 1 },
				chats: new Map([1, 2, 3, 4].map((key) => [key, { mark: 1 }])),
			} as unknown as MessageBaseline,
			list,
			{ changed: new Set(changed) } as Selection,
			list.chats
				.filter(({ key }) => found.includes(key))
				.map((chat) => readOf(chat, { hasNews: true, ...how })),
		);

	describe.each<[string, Partial<Listing>]>([
		['the whole list', { isWhole: true }],
		['a part of it', { part: { from: 2 } }],
	])('as %s shows', (_name, change) => {
		test('a chat that takes the lead proves it', () => {
			expect(check(listing([3, 1, 2, 4], change), [3], [3])).toEqual({ proofs: 3, head: 3 });
		});

		test('a chat with news behind a quiet one disproves it', () => {
			expect(check(listing([3, 1, 2, 4], change), [3, 2], [3, 2])).toEqual({ proofs: 0, head: 3 });
		});

		test.each<[string, Partial<ReadChat>]>([
			['a chat that is read once more', { reason: 'again' }],
			['a chat without news', { hasNews: false }],
		])('%s shows nothing: it may have been there before', (_how, how) => {
			expect(check(listing([1, 2, 3, 4], change), [], [3], how)).toEqual({ proofs: 2, head: 1 });
		});

		test('a single page shows nothing', () => {
			const order = check(listing([3, 1, 2, 4], { ...change, pages: 1 }), [3, 2], [3, 2]);
			expect(order).toEqual({ proofs: 2, head: 1 });
		});
	});

	test.each<[string, changed: number[], found: number[], proofs: number]>([
		['no chat has news', [], [], 2],
		['those with news lead the list', [3, 1], [3, 1], 2],
		['a chat on the page of the first quiet one has news', [3, 1, 4], [4], 2],
		['chats on a page after that have news', [3, 2], [2], 0],
		['one of them, and others, has news', [3, 2], [3, 2], 0],
		['all rows changed', [1, 2, 3, 4], [1, 2, 3, 4], 2],
	])('if only its head is read, and %s', (_name, changed, found, proofs) => {
		expect(check(listing([3, 1, 2, 4]), changed, found)).toEqual({ proofs, head: 3 });
	});

	test('an empty head shows nothing', () => {
		expect(check(listing([]), [], [])).toEqual({ proofs: 2, head: 0 });
	});
});

describe('messages arrived since a time', () => {
	const TIME = Date.UTC(2026, 0, 15);
	const chat = { id: 'c1', row: {}, key: 1, page: 1 };
	const read = (change: Partial<ReadChat>, ...times: (number | undefined)[]) =>
		readOf(chat, {
			reading: {
				news: times.map((time, i) => ({ id: `m${i}`, ...(time && { createdAt: time }) })),
				seen: [],
				messages: [],
			},
			...change,
		});

	const CHANGED = { hasNews: true, reason: 'changed' } as const;
	const OTHER = { hasNews: true, reason: 'turn' } as const;

	test.each<[string, boolean, isWhole: boolean, ReadChat[]]>([
		['no, if none was found', false, true, []],
		['no, if all are older', false, false, [read(CHANGED, TIME - 1, TIME)]],
		['yes, if one is newer', true, false, [read(OTHER, TIME, TIME + 1)]],
		[
			'yes, if one of several chats has one',
			true,
			true,
			[read(OTHER, TIME), read(OTHER, TIME + 1)],
		],
		['no, if it is not emitted', false, true, [read({ reason: 'changed' }, TIME + 1)]],
		['yes, if the row changed since, whatever the times', true, true, [read(CHANGED, TIME)]],
		['yes, if the row changed since, without times', true, true, [read(CHANGED, undefined)]],
		['no, if the row may have changed before', false, false, [read(CHANGED, undefined)]],
		['no, if the row did not change', false, true, [read(OTHER, TIME)]],
	])('%s', (_name, hasArrived, isWhole, chats) => {
		expect(arrivedSince(chats, TIME, isWhole)).toBe(hasArrived);
	});
});
