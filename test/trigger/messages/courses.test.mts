/** What happens from poll to poll, as far as the random histories of model.test.mts do not reach it. */
import {
	type MessageLimits,
	MESSAGE_LIMITS,
} from '../../../nodes/ConversationalMessaging/trigger/limits.ts';
import { clock } from '../../../nodes/ConversationalMessaging/api/base/clock.ts';
import type { MessageSubscription } from '../../../nodes/ConversationalMessaging/trigger/messages/subscription.ts';
import { useFakeTime } from '../../support/time.mts';
import { failure } from '../histories.mts';
import { FakeChats, HABITS, type Chat, type Habits } from './chats.mts';
import { SUBSCRIPTION, Watch } from './watch.mts';

const HOUR_MS = 3_600_000;

const time = useFakeTime();
let service: FakeChats;
let watch: Watch;
/** The newest first. */
let chats: Chat[];

/** Opens a service whose chats have two old messages each, and runs the first poll. */
const open = async (
	count: number,
	habits: Partial<Habits> = {},
	limits: Partial<MessageLimits> = {},
	subscription: Partial<MessageSubscription> = {},
	agent?: string,
): Promise<void> => {
	service = new FakeChats({ ...HABITS, ...habits }, () => time.clock.now(), agent);
	for (let i = 0; i < count; i++) service.makeChat(2);
	chats = [...service.list];
	watch = new Watch(
		service,
		{ ...MESSAGE_LIMITS, ...limits },
		{ ...SUBSCRIPTION, ...subscription },
	);
	expect((await poll()).ids).toStrictEqual([]);
	// What is sent in the second of the first poll may have been there before.
	time.clock.advance(2_000);
};

/** A minute later. */
const poll = async (afterMs = 60_000) => {
	time.clock.advance(afterMs);
	const { items, error } = await watch.poll();
	return {
		ids: items.map(({ recordId }) => recordId as string),
		error,
		requests: service.requests,
	};
};

/** @returns what these polls emit together */
const polls = async (count: number): Promise<string[]> => {
	const ids: string[] = [];
	for (let i = 0; i < count; i++) ids.push(...(await poll()).ids);
	return ids;
};

const write = (chat: Chat, lateMs = 0, isInbound = true): string =>
	service.addMessage(chat, isInbound, lateMs).id;

describe('what is new', () => {
	test('all messages of one second, also one after the poll, in their order', async () => {
		await open(3, { times: 'whole seconds' }, { take: 5 });
		for (const count of [2, 7, 1]) {
			const written = Array.from({ length: count }, () => write(chats[0]!));
			expect((await poll(count === 1 ? 60_000 : 0)).ids).toStrictEqual(written);
		}
	});

	test('nothing from the second of the first poll, in a chat that is read later', async () => {
		service = new FakeChats({ ...HABITS, windowSize: 30 }, () => time.clock.now());
		for (let i = 0; i < 60; i++) service.makeChat(2);
		watch = new Watch(service);
		expect((await poll(0)).ids).toStrictEqual([]);
		expect(await polls(10)).toStrictEqual([]);
	});

	test('one that a page of the history has twice, once', async () => {
		await open(3);
		const messages = service.messages.bind(service);
		service.messages = async (...of) => {
			const page = await messages(...of);
			return { ...page, rows: page.rows.flatMap((row) => [row, row]) };
		};
		const written = [write(chats[0]!), write(chats[0]!)];
		expect(await polls(2)).toStrictEqual(written);
	});

	test('one that is stored a moment later below a reply that was read', async () => {
		await open(3);
		const first = write(chats[0]!);
		expect((await poll()).ids).toStrictEqual([first]);
		write(chats[0]!, 0, false);
		expect((await poll(0)).ids).toStrictEqual([]);
		time.clock.advance(1_000);
		const late = write(chats[0]!, 3_000);
		expect(await polls(3)).toStrictEqual([late]);
	});

	test('two that are stored late, at the end of a page', async () => {
		await open(1, { history: 'as stored' }, { take: 5 });
		await polls(2);
		const late = [write(chats[0]!, HOUR_MS), write(chats[0]!, HOUR_MS)];
		time.clock.advance(60_000);
		const written = [write(chats[0]!), write(chats[0]!), write(chats[0]!)];
		expect((await poll()).ids).toStrictEqual([...late, ...written]);
	});

	test('nothing, if the newest messages are missing in a history once', async () => {
		await open(2);
		const [chat] = chats as [Chat];
		const written = [write(chat), write(chat), write(chat)];
		expect((await poll()).ids).toStrictEqual(written);
		const all = chat.messages.splice(0, 2);
		service.touch(chat);
		expect(await polls(2)).toStrictEqual([]);
		chat.messages.unshift(...all);
		service.touch(chat);
		expect(await polls(2)).toStrictEqual([]);
	});

	test('nothing, if a history is empty at its first reading, and complete later', async () => {
		await open(3);
		const [chat] = chats as [Chat];
		const all = chat.messages.splice(0);
		service.touch(chat);
		expect(await polls(2)).toStrictEqual([]);
		chat.messages.push(...all);
		service.touch(chat);
		expect(await polls(2)).toStrictEqual([]);
	});

	test.each([
		[1, 0],
		[3, 0],
		// It shows a time that is an hour ahead.
		[3, -HOUR_MS],
	])(
		'the next one, after the last %i messages were deleted (%i ms late)',
		async (count, lateMs) => {
			await open(3);
			const [chat] = chats as [Chat];
			const first = write(chat, lateMs);
			expect((await poll()).ids).toStrictEqual([first]);
			chat.messages.splice(0, count);
			service.touch(chat);
			expect(await polls(3)).toStrictEqual([]);
			const next = write(chat);
			expect(await polls(3)).toStrictEqual([next]);
		},
	);

	test.each([
		[5, 1],
		[10, 0],
	])(
		'in a chat that was not read before, one that shows a time of %i minutes ago: %i',
		async (minutes, count) => {
			await open(3);
			await polls(20);
			const id = write(service.makeChat(), minutes * 60_000);
			expect(await polls(3)).toStrictEqual([id].slice(0, count));
		},
	);

	test('in a chat that was not read before, all, although one at the end of a page shows an old time', async () => {
		await open(1, { history: 'as stored' }, { take: 5 });
		const chat = service.makeChat();
		const first = [write(chat), write(chat)];
		write(chat, HOUR_MS);
		const last = [write(chat), write(chat), write(chat), write(chat)];
		expect((await poll()).ids).toStrictEqual([...first, ...last]);
	});

	test('beyond the most pages of one chat, only the newest messages are', async () => {
		await open(2, {}, { take: 3, historyPages: 2 });
		const written = Array.from({ length: 150 }, () => write(chats[0]!));
		expect((await poll()).ids).toStrictEqual(written.slice(-103));
		expect(watch.logged).toStrictEqual([
			'! A chat has more new messages than one poll reads. The oldest of them are not emitted.',
		]);
	});

	test('in a chat that leaves the list for a few minutes and comes back: nothing that was emitted', async () => {
		await open(3, {}, {}, {}, 'A1');
		await polls(20);
		const [chat] = chats as [Chat];
		for (let polls = 0; polls < 40; polls++) {
			const id = write(chat);
			expect((await poll(15_000)).ids).toStrictEqual([id]);
			service.assign(chat, 'A2');
			for (let away = 0; away < polls; away++) expect((await poll(15_000)).ids).toStrictEqual([]);
			service.assign(chat, 'A1');
			expect((await poll(15_000)).ids).toStrictEqual([]);
		}
	});

	test('in a chat that is beyond the watched pages for months: only the recent ones', async () => {
		await open(30, { pageSize: 5, order: 'activity' }, { watchedPages: 3 });
		expect(watch.logged).toStrictEqual([
			'! Only the first 15 chats of the list are watched for messages. Filters reduce the number of chats.',
		]);
		const old = chats.at(-1)!;
		time.clock.advance(2_000);
		write(old);
		expect((await poll()).ids).toHaveLength(1);
		for (let i = 0; i < 25; i++) {
			write(chats[i]!);
			await poll();
		}
		write(old, 30 * 24 * HOUR_MS);
		chats.slice(0, 20).forEach((chat) => write(chat));
		time.clock.advance(90 * 24 * HOUR_MS);
		await polls(10);
		const id = write(old);
		expect(await polls(3)).toStrictEqual([id]);
	});
});

test('after a broadcast to more chats than are kept, whoever answers is read with the next poll', async () => {
	const habits = { pageSize: 5, order: 'activity', lastMessage: true } as const;
	await open(60, { ...habits, windowSize: 20 }, { watchedPages: 3, chats: 40 });
	await polls(10);
	for (const [i, chat] of chats.entries()) {
		write(chat, 0, false);
		if (i % 15 === 14) expect((await poll()).ids).toStrictEqual([]);
	}
	for (const chat of chats.toReversed()) {
		const id = write(chat);
		expect((await poll()).ids).toStrictEqual([id]);
	}
});

describe('a new token of the same organization', () => {
	test.each([0, 1])('with %i known chats among many new ones discards nothing', async (known) => {
		await open(known, { windowSize: 400 });
		const written = Array.from({ length: 80 }, () => write(service.makeChat()));
		time.clock.advance(60_000);
		const { items } = await watch.poll('scope', 'another token');
		expect(items.map(({ recordId }) => recordId)).toStrictEqual(written);
	});
});

describe("n8n's own clock, without a Date header", () => {
	test.each([
		['a year back', () => -365 * 24 * HOUR_MS],
		['to 1970', () => -time.clock.now()],
		['a year ahead', () => 365 * 24 * HOUR_MS],
	] as const)(
		'set %s for some polls, it emits each message of a known chat once',
		async (_what, off) => {
			await open(3, { date: false });
			const now = clock.now;
			const first = write(chats[0]!);
			expect((await poll()).ids).toStrictEqual([first]);
			const offMs = off();
			clock.now = () => time.clock.now() + offMs;
			const second = write(chats[1]!);
			const found = await polls(3);
			clock.now = now;
			service.touch(chats[0]!);
			expect([...found, ...(await polls(3))]).toStrictEqual([second]);
			const third = write(chats[0]!);
			expect(await polls(2)).toStrictEqual([third]);
		},
	);
});

describe('which chats are read', () => {
	test('one whose row changed before its message was stored is read once more', async () => {
		await open(300);
		for (let i = 0; i < 3; i++) {
			write(chats[i]!);
			await poll();
		}
		const chat = chats[250]!;
		service.touch(chat);
		expect((await poll()).ids).toStrictEqual([]);
		const id = write(chat);
		chat.version--;
		expect((await poll()).ids).toStrictEqual([id]);
		// Without a message, not again: it would hold up those that have one.
		for (const each of chats.slice(0, 200)) service.touch(each);
		await polls(5);
		for (let i = 0; i < 3; i++) {
			const another = write(chat);
			expect((await poll()).ids).toStrictEqual([another]);
		}
	});

	test('after a broadcast, first those in which the customer wrote last; the others in the end', async () => {
		await open(600, { lastMessage: true, windowSize: 100 });
		await polls(15);
		const hidden = chats.slice(0, 3).map((chat) => write(chat));
		for (const chat of chats) write(chat, 0, false);
		const stop = write(chats[590]!);
		expect((await poll()).ids).toContain(stop);
		// While others write all the time, more than a poll reads.
		const found: string[] = [];
		for (let i = 0; i < 20; i++) {
			for (const chat of chats.slice(400, 460)) write(chat);
			found.push(...(await poll()).ids);
		}
		expect(found).toEqual(expect.arrayContaining(hidden));
	});

	test('a message behind an unchanged row shows that rows cannot be relied on, until one changes', async () => {
		await open(60, { rows: 'silent' });
		const atRest = async () => (await poll()).requests;
		const [unknown, known] = [1 + 60, 1 + 5];
		expect(await atRest()).toBe(unknown);
		service.touch(chats[3]!);
		write(chats[3]!);
		await poll();
		expect(await atRest()).toBe(known);
		const id = write(chats[40]!);
		expect(await polls(12)).toStrictEqual([id]);
		expect(await atRest()).toBe(unknown);
		expect(watch.logged).toStrictEqual([
			'! The list of chats does not show all new messages, so more chats are read in rotation, and messages can be emitted later.',
		]);
		service.touch(chats[5]!);
		write(chats[5]!);
		await polls(2);
		expect(await atRest()).toBe(known);
		expect(watch.logged.slice(1)).toStrictEqual(['The list of chats shows new messages.']);
	});

	test('rows that do not match the filters are dropped, and mentioned in the log once', async () => {
		const query = {
			assigneeId: 'A1',
			needsEscalation: false,
			channelId: 'N1',
			channel: 'WHATSAPP',
		};
		await open(9, {}, {}, { query });
		const page = service.chats.bind(service);
		const fields = [
			{ assigneeId: 'A2' },
			{ assignee: null },
			{ needsEscalation: true },
			{ channelId: 'N2' },
			{ channel: { id: 'N2', type: 'WHATSAPP' } },
			{ assigneeId: 'A1', needsEscalation: false },
			{ channel: 'WhatsApp' },
			{ assignee: 'A name' },
			{},
		];
		service.chats = async (number) => {
			const all = await page(number);
			const rows = all.chats.map(({ id, row }, i) => ({ id, row: { ...row, ...fields[i] } }));
			return { ...all, chats: rows };
		};
		const written = chats.map((chat) => write(chat));
		expect(await polls(3)).toStrictEqual(written.slice(5));
		expect(watch.logged).toStrictEqual([
			'! The list of chats contains chats that do not match the filters. Their messages are not emitted.',
		]);
	});

	test('also if only one of many pages has such rows', async () => {
		await open(30, { pageSize: 2 }, {}, { query: { assigneeId: 'A1' } });
		const page = service.chats.bind(service);
		service.chats = async (number) => {
			const all = await page(number);
			const rows = all.chats.map(({ id, row }) => ({ id, row: { ...row, assigneeId: 'A2' } }));
			return { ...all, chats: number === 9 ? rows : all.chats };
		};
		await polls(10);
		expect(watch.logged).toHaveLength(1);
		service.chats = page;
		await polls(4);
		expect(watch.logged.slice(1)).toStrictEqual(['All chats of the list match the filters.']);
	});

	test.each(['shown', 'unknown'] as const)(
		'only those on the watched pages, which is mentioned in the log until there are fewer (pages: %s)',
		async (pages) => {
			await open(30, { pageSize: 5, pages }, { watchedPages: 4, listPages: 2 });
			await polls(6);
			expect(watch.logged).toStrictEqual([
				'! Only the first 20 chats of the list are watched for messages. Filters reduce the number of chats.',
			]);
			service.list.splice(12);
			await polls(10);
			expect(watch.logged.slice(1)).toStrictEqual([
				'All chats of the list are watched for messages.',
			]);
		},
	);

	test('those behind a page whose rows have all shifted to the next one', async () => {
		await open(6, { pageSize: 2 });
		const page = service.chats.bind(service);
		service.chats = async (number) =>
			number === 2 ? { ...(await page(1)), pages: undefined } : await page(number);
		const id = write(chats.at(-1)!);
		expect((await poll()).ids).toStrictEqual([id]);
	});

	test.each(['known', 'new'])(
		'a page of the list that cannot be read, with %s chats, holds up no other, and is mentioned in the log once',
		async (kind) => {
			// The new chats are on the last page.
			await open(35, { pageSize: 5, order: kind === 'new' ? 'oldest' : 'newest' });
			service.failingPages.set(kind === 'new' ? 8 : 4, 500);
			const [near, far] = [write(chats[12]!), write(chats[32]!)];
			const behind = write(kind === 'new' ? service.makeChat() : chats[17]!);
			const found: string[] = [];
			for (let i = 0; i < 10; i++) {
				const { ids, error } = await poll();
				expect(error).toBeUndefined();
				found.push(...ids);
			}
			expect(found.toSorted()).toStrictEqual([near, far].toSorted());
			expect(watch.logged).toStrictEqual([
				'! Not all chats could be read, so messages are emitted later. Status 500',
			]);
			service.failingPages.clear();
			expect(await polls(2)).toStrictEqual([behind]);
			expect(watch.logged.slice(1)).toStrictEqual(['All chats could be read again.']);
		},
	);
});

test('a poll that fails with another credential or base URL discards nothing', async () => {
	await open(3);
	service.onRequest = () => {
		throw failure(404);
	};
	await watch.poll('another scope');
	service.onRequest = () => undefined;
	const id = write(chats[1]!);
	expect((await poll()).ids).toStrictEqual([id]);
	// With another one, the trigger starts over.
	write(chats[0]!);
	expect((await watch.poll('another scope')).items).toStrictEqual([]);
});

test('a first poll that cannot read the list fails at once, even if the service is only unavailable for a while', async () => {
	await open(3);
	watch.text = '';
	service.failingPages.set(1, 503);
	const { error } = await poll();
	expect(error).toMatchObject({
		message: 'Status 503',
		description: expect.stringContaining('Publish again once the service responds.') as string,
	});
});

test('a first poll that reads some chats before a 429 has a baseline', async () => {
	await open(100, { windowSize: 400 });
	watch.text = '';
	service.onRequest = (request) => {
		if (request > 20) throw failure(429);
	};
	expect(await poll()).toMatchObject({ ids: [], error: undefined });
	service.onRequest = () => undefined;
	time.clock.advance(2_000);
	const written = chats.map((chat) => write(chat));
	expect((await poll()).ids.toSorted()).toStrictEqual(written.toSorted());
});

describe('failures', () => {
	const fail = (chat: Chat, status = 500): void => void service.failing.set(chat.id, status);

	test('200 changed chats that always fail hold up no other one, and take few requests', async () => {
		await open(300, { windowSize: 60 });
		for (const chat of chats.slice(0, 200)) fail(chat);
		const behind = chats.slice(0, 200).map((chat) => write(chat));
		const id = write(chats[270]!);
		expect(await polls(30)).toStrictEqual([id]);
		const last = write(chats[290]!);
		expect(await poll()).toMatchObject({ ids: [last], error: undefined });
		expect(watch.checkpoint!.failures).toBe(0);
		// Once they can be read, nothing is lost.
		service.failing.clear();
		expect((await polls(80)).toSorted()).toStrictEqual(behind.toSorted());
		expect(watch.logged).toStrictEqual([
			'! Not all chats could be read, so messages are emitted later. Status 500',
			'All chats could be read again.',
		]);
	});

	test('chats that fail do not end a poll that reads others in between', async () => {
		await open(40);
		for (const chat of chats.filter((_chat, i) => i % 2 === 0)) fail(chat);
		const written = chats.map((chat) => write(chat)).filter((_id, i) => i % 2 === 1);
		expect((await poll()).ids.toSorted()).toStrictEqual(written.toSorted());
	});

	test('after an outage, everything since is emitted at once; the fifth poll in a row reports it', async () => {
		await open(60);
		const written: string[] = [];
		service.isOut = true;
		for (let i = 1; i <= 10; i++) {
			for (let each = 0; each < 5; each++) written.push(write(chats[5 * i + each]!));
			const { ids, error } = await poll();
			expect([ids, error?.message]).toStrictEqual([[], i >= 5 ? 'Status 503' : undefined]);
		}
		service.isOut = false;
		expect((await poll()).ids.toSorted()).toStrictEqual(written.toSorted());
	});

	test('after a 429, nothing more is requested; what was read before is emitted', async () => {
		await open(100, { windowSize: 400 });
		const written = chats.map((chat) => write(chat));
		service.onRequest = (request) => {
			if (request > 20) throw failure(429);
		};
		const ids: string[] = [];
		// Each reads some chats, so none fails.
		for (let i = 0; i < 5; i++) {
			const { ids: found, requests, error } = await poll();
			expect([found.length > 15, requests < 20 + 9, error]).toStrictEqual([true, true, undefined]);
			ids.push(...found);
		}
		service.onRequest = () => undefined;
		expect([...ids, ...(await poll()).ids].toSorted()).toStrictEqual(written.toSorted());
	});

	test.each([
		[1, 403],
		[12, 403],
		[1, 500],
	])(
		'%i of 40 chats that are always answered with %i end no poll for good, and are logged once',
		async (count, status) => {
			await open(40);
			watch.pollTimes = 4;
			// Rows show messages, so a poll reads one quiet chat.
			write(chats[3]!);
			await poll(15_000);
			for (const chat of chats.slice(7, 7 + count)) fail(chat, status);
			const failed = [];
			for (let i = 0; i < 120; i++) failed.push((await poll(15_000)).error !== undefined);
			// A poll that reads one of them alone is as in an outage.
			expect(failed.filter(Boolean)).toHaveLength(count > 5 ? count - 4 : 0);
			expect(failed.slice(50)).not.toContain(true);
			expect(watch.logged).toStrictEqual([
				`! Not all chats could be read, so messages are emitted later. Status ${status}`,
			]);
		},
	);

	test('if the messages of no chat can be read, the fifth poll in a row reports it; the first poll at once', async () => {
		await open(50);
		for (const chat of chats) fail(chat, 403);
		for (let i = 1; i <= 6; i++)
			expect((await poll()).error?.message).toBe(i >= 5 ? 'Status 403' : undefined);
		watch.text = '';
		expect((await poll()).error!.message).toBe('Status 403');
	});

	test('a chat that failed, and is not listed any more, does not last in the log', async () => {
		await open(5);
		fail(chats[2]!);
		await poll();
		service.list.splice(service.list.indexOf(chats[2]!), 1);
		await polls(10);
		expect(watch.logged.slice(1)).toStrictEqual(['All chats could be read again.']);
		// So the next outage is logged.
		service.isOut = true;
		await poll();
		expect(watch.logged).toHaveLength(3);
	});

	test('a mistake of this package is not taken for a failure of a chat', async () => {
		await open(3);
		service.onRequest = (request) => {
			if (request === 2) throw new TypeError('x');
		};
		await expect(poll()).rejects.toThrow(TypeError);
	});
});
