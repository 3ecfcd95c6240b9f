/** What happens from poll to poll, as far as the random histories of model.test.mts do not reach it. */
import { clock } from '../../../nodes/ConversationalMessaging/api/base/clock.ts';
import type { MessageLimits } from '../../../nodes/ConversationalMessaging/trigger/limits.ts';
import { MESSAGE_LIMITS } from '../../../nodes/ConversationalMessaging/trigger/limits.ts';
import { useFakeTime } from '../../support/time.mts';
import { failure, FakeChats, HABITS, type Chat, type Habits } from './chats.mts';
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
	agent?: string,
): Promise<void> => {
	service = new FakeChats({ ...HABITS, ...habits }, () => time.clock.now(), agent);
	for (let i = 0; i < count; i++) service.makeChat(2);
	chats = service.list;
	const query = agent === undefined ? {} : { assigneeId: agent };
	watch = new Watch(service, { ...MESSAGE_LIMITS, ...limits }, { ...SUBSCRIPTION, query });
	expect((await poll()).ids).toStrictEqual([]);
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

const write = (chat: Chat, lateMs = 0): string => service.addMessage(chat, true, lateMs).id;

/** Lets rows show new messages until a poll reads only two quiet chats. */
const trustRows = async (): Promise<void> => {
	for (let i = 0; i < 10; i++) {
		const id = write(chats[i % chats.length]!);
		expect(await polls(2)).toStrictEqual([id]);
	}
	expect(watch.checkpoint!.state!.trust).toBe(10);
};

describe('what is new', () => {
	test('all messages of one second, also one after the poll, in their order', async () => {
		await open(3, { times: 'whole seconds' });
		const written = [write(chats[0]!), write(chats[0]!)];
		expect((await poll(0)).ids).toStrictEqual(written);
		const last = write(chats[0]!);
		expect((await poll()).ids).toStrictEqual([last]);
	});

	test('one that is stored minutes late, older than what was read in its chat', async () => {
		await open(3);
		time.clock.advance(3_600_000);
		const first = write(chats[0]!);
		expect((await poll()).ids).toStrictEqual([first]);
		const late = write(chats[0]!, 1_800_000);
		expect((await poll()).ids).toStrictEqual([late]);
		expect(await polls(3)).toStrictEqual([]);
	});

	test('nothing, if a history is returned incompletely once, hours after it was read', async () => {
		await open(2);
		const [chat] = chats as [Chat];
		const id = write(chat);
		expect((await poll()).ids).toStrictEqual([id]);
		for (let hour = 0; hour < 3; hour++) {
			time.clock.advance(3_600_000);
			write(chats[1]!);
			await poll();
		}
		const all = chat.messages.splice(0, 1);
		service.touch(chat);
		expect((await poll()).ids).toStrictEqual([]);
		chat.messages.unshift(...all);
		service.touch(chat);
		expect((await poll()).ids).toStrictEqual([]);
	});

	test('the message of a new chat that is listed half an hour after it was sent, or whose time is behind', async () => {
		await open(2);
		time.clock.advance(HOUR_MS);
		const known = write(chats[0]!);
		expect(await polls(3)).toStrictEqual([known]);
		const { id } = service.addMessage(service.makeChat(), true, HOUR_MS / 2);
		expect((await poll()).ids).toStrictEqual([id]);
	});

	test('the message of a new chat on the first page, while the other pages are read for the first time', async () => {
		await open(50, { pageSize: 5, windowSize: 12 });
		await poll();
		const { id } = service.addMessage(service.makeChat());
		expect((await poll()).ids).toStrictEqual([id]);
	});

	test('the first message of a new chat on a page that is read later, older than what was read elsewhere', async () => {
		await open(60, { order: 'oldest', pageSize: 10 }, { listPages: 2 });
		await polls(6);
		const first = service.addMessage(service.makeChat()).id;
		time.clock.advance(1_000);
		const elsewhere = write(chats.at(-1)!);
		expect((await poll()).ids).toStrictEqual([elsewhere]);
		expect(await polls(6)).toStrictEqual([first]);
	});
});

describe('the clocks', () => {
	test.each([-5, 5])('may differ by %i hours, if a poll can read all chats', async (hours) => {
		await open(3, { aheadMs: hours * 3_600_000 });
		const first = write(chats[0]!);
		expect((await poll()).ids).toStrictEqual([first]);
		const [second, third] = [write(service.makeChat()), write(chats[1]!)];
		expect((await polls(2)).toSorted()).toStrictEqual([second, third].toSorted());
		expect(await polls(3)).toStrictEqual([]);
	});

	test('one message with a time ahead in the first poll makes no other one old', async () => {
		service = new FakeChats(HABITS, () => time.clock.now());
		for (let i = 0; i < 3; i++) service.makeChat(2);
		write(service.list[1]!, -23 * HOUR_MS);
		watch = new Watch(service);
		chats = service.list;
		expect((await poll()).ids).toStrictEqual([]);
		for (let i = 0; i < 20; i++) {
			const ids = [service.addMessage(service.makeChat()).id, write(chats[i]!)];
			expect((await polls(2)).toSorted()).toStrictEqual(ids.toSorted());
			time.clock.advance(HOUR_MS);
		}
	});

	test('messages before the first poll are not emitted, even if they are read hours later', async () => {
		service = new FakeChats({ ...HABITS, windowSize: 20 }, () => time.clock.now());
		for (let i = 0; i < 40; i++) service.makeChat(1);
		time.clock.advance(30_000);
		for (const chat of service.list.slice(30)) write(chat);
		watch = new Watch(service);
		for (let hour = 0; hour < 12; hour++) {
			expect((await poll()).ids).toStrictEqual([]);
			time.clock.advance(3_600_000);
		}
	});
});

describe('a first poll that cannot read all chats', () => {
	const OLD_MS = 3 * 3_600_000;

	/** 60 chats, each with a message from 3 hours ago. The first poll reads about 20 of them. */
	const openLarge = async (habits: Partial<Habits>): Promise<void> => {
		const all = { ...HABITS, windowSize: 50, ...habits };
		service = new FakeChats(all, () => time.clock.now());
		for (let i = 0; i < 60; i++) service.addMessage(service.makeChat(), true);
		chats = service.list;
		time.clock.advance(OLD_MS);
		watch = new Watch(service);
		expect((await poll()).ids).toStrictEqual([]);
	};

	test.each<[what: string, habits: Partial<Habits>]>([
		['the service is 5 hours ahead', { aheadMs: 5 * 3_600_000 }],
		['the service is 5 hours behind', { aheadMs: -5 * 3_600_000 }],
		['times are local, 5 hours ahead', { times: 'local', zoneMs: 5 * 3_600_000 }],
		['times are local, 5 hours behind', { times: 'local', zoneMs: -5 * 3_600_000 }],
		[
			'the service is 5 hours ahead, without a Date header',
			{ aheadMs: 5 * 3_600_000, date: false },
		],
	])(
		'%s: no old message is emitted, and every new one of a chat that was read',
		async (_what, habits) => {
			await openLarge(habits);
			const isShown = watch.checkpoint!.state!.clocksAgree;
			// Messages of chats that were not read yet: emitted only if something shows how the clocks compare.
			const unread = write(chats[50]!);
			expect(await polls(6)).toStrictEqual(isShown ? [unread] : []);
			expect(watch.log).toStrictEqual(
				isShown
					? []
					: [
							'Not all chats have been read yet. The times of messages cannot be compared with n8n’s clock: responses have no Date header, or the times have no offset. Until a chat has been read for the first time, its messages are not emitted.',
							'All chats have been read once.',
						],
			);
			for (const place of [0, 20, 40, 59]) {
				const id = write(chats[place]!);
				expect(await polls(4)).toStrictEqual([id]);
			}
		},
	);
});

describe("n8n's own clock", () => {
	const YEAR_MS = 365 * 86_400_000;

	test.each([
		['a year back', true, () => -YEAR_MS],
		['a year back', false, () => -YEAR_MS],
		['to 1970', false, () => -time.clock.now()],
		['a year ahead', true, () => YEAR_MS],
		['a year ahead', false, () => YEAR_MS],
	] as const)(
		'set %s for some polls, with a Date header: %s, it emits each message of a known chat once',
		async (_what, date, off) => {
			await open(3, { date });
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

describe('filters', () => {
	const assign = (chat: Chat, agent: string): void => service.assign(chat, agent);

	test('a chat that becomes escalated emits no old messages', async () => {
		await open(3, { aheadMs: -5 * 3_600_000 }, {}, 'escalated');
		watch.subscription = { ...SUBSCRIPTION, query: { needsEscalation: true } };
		const [chat] = chats as [Chat];
		await polls(3);
		write(chat);
		await polls(20);
		service.assign(chat, 'escalated');
		expect(await polls(3)).toStrictEqual([]);
		const id = write(chat);
		expect(await polls(2)).toStrictEqual([id]);
	});

	test('with the state of two days ago, a chat that begins to match emits nothing older', async () => {
		await open(3, {}, {}, 'A2');
		const [chat, other] = chats as [Chat, Chat];
		assign(other, 'A2');
		write(chat);
		time.clock.advance(3 * 86_400_000);
		await polls(3);
		write(other);
		expect((await poll()).ids).toHaveLength(1);
		const { text } = watch;
		await polls(5);
		const since = write(chat);
		time.clock.advance(2 * 86_400_000);
		watch.text = text;
		assign(chat, 'A2');
		expect((await poll()).ids).toStrictEqual([since]);
	});

	test.each([-8, 0, 8])(
		'if times have no offset and differ by %i hours, a chat that begins to match emits the messages of a day at most',
		async (hours) => {
			await open(3, { times: 'local', zoneMs: hours * HOUR_MS }, {}, 'A2');
			const [chat, other] = chats as [Chat, Chat];
			assign(other, 'A2');
			write(other);
			await polls(2);
			write(chat);
			time.clock.advance(21 * HOUR_MS);
			await polls(3);
			const recent = write(chat);
			await polls(3);
			assign(chat, 'A2');
			const last = write(chat);
			expect((await poll()).ids).toStrictEqual([recent, last]);
			expect(watch.log).toStrictEqual([
				'The times of messages cannot be compared with n8n’s clock: responses have no Date header, or the times have no offset. A chat that begins to match the filters also emits its messages of about the last day.',
			]);
		},
	);

	test('a chat that begins to match has the messages since then emitted', async () => {
		await open(3, {}, {}, 'A2');
		const [chat] = chats as [Chat];
		write(chat);
		await polls(5);
		assign(chat, 'A2');
		expect(await polls(2)).toStrictEqual([]);
		const id = write(chat);
		expect((await poll()).ids).toStrictEqual([id]);
	});

	test('a chat that matches again has all messages since it matched emitted', async () => {
		await open(3, {}, {}, 'A1');
		const [chat] = chats as [Chat];
		assign(chat, 'A2');
		await polls(5);
		const id = write(chat);
		await polls(5);
		assign(chat, 'A1');
		expect((await poll()).ids).toStrictEqual([id]);
	});

	test('another scope starts anew', async () => {
		await open(3);
		write(chats[0]!);
		expect((await watch.poll('other')).items).toStrictEqual([]);
		time.clock.advance(60_000);
		const id = write(chats[0]!);
		const { items } = await watch.poll('other');
		expect(items.map(({ recordId }) => recordId)).toStrictEqual([id]);
	});
});

test('another token is that of another organization only if the list has chats, and none is known', async () => {
	await open(0);
	expect((await watch.poll('scope', 'new')).items).toStrictEqual([]);
	const { id } = service.addMessage(service.makeChat());
	time.clock.advance(60_000);
	const { items } = await watch.poll('scope', 'new');
	expect(items.map(({ recordId }) => recordId)).toStrictEqual([id]);
});

describe('which chats are read', () => {
	test('one whose row changed before its message was stored is read once more', async () => {
		await open(200);
		await trustRows();
		service.touch(chats[150]!);
		expect((await poll()).ids).toStrictEqual([]);
		const { id } = service.addMessage(chats[150]!);
		chats[150]!.version--;
		expect((await poll()).ids).toStrictEqual([id]);
	});

	test('of more such chats than are kept, those whose rows changed last are read once more', async () => {
		await open(200);
		await trustRows();
		const last = chats.slice(50, 100);
		for (const some of [chats.slice(0, 50), last]) {
			for (const chat of some) service.touch(chat);
			expect((await poll()).ids).toStrictEqual([]);
		}
		const written = last.map((chat) => write(chat));
		for (const chat of last) chat.version--;
		expect((await polls(5)).toSorted()).toStrictEqual(written.toSorted());
	});

	test('a list from a cache makes the trigger read more chats, until rows have shown news again', async () => {
		await open(300, { windowSize: 200 });
		await trustRows();
		expect((await poll()).requests).toBe(5);
		service.cacheList();
		const written = chats.map((chat) => write(chat));
		const early = await polls(2);
		service.clearCache();
		expect([...early, ...(await polls(5))].toSorted()).toStrictEqual(written.toSorted());
		await trustRows();
		expect((await poll()).requests).toBe(5);
	});

	test('a row that is updated seconds after its message does not make rows distrusted', async () => {
		await open(20);
		write(chats[15]!);
		await poll(1_000);
		for (let i = 0; i < 10; i++) {
			const { id } = service.addMessage(chats[i]!);
			chats[i]!.version--;
			expect((await poll(3_000)).ids).toStrictEqual([id]);
			service.touch(chats[i]!);
			expect((await poll()).ids).toStrictEqual([]);
			expect(watch.checkpoint!.state!.trust).toBe(1);
		}
	});

	test('if all rows always differ, half of the chats are read in rotation', async () => {
		await open(60, { rows: 'always differ', windowSize: 40 });
		const id = write(chats[59]!);
		expect(await polls(8)).toStrictEqual([id]);
	});

	test('with few requests, quiet chats with several pages do not keep a new one waiting', async () => {
		await open(2, { pages: 'unknown', windowSize: 8 }, { take: 2 });
		for (const chat of chats) for (let i = 0; i < 3; i++) write(chat);
		expect(await polls(4)).toHaveLength(6);
		const { id } = service.addMessage(service.makeChat());
		expect(await polls(2)).toStrictEqual([id]);
	});

	test('new chats do not make silent rows trusted', async () => {
		await open(60, { rows: 'silent', windowSize: 200 });
		for (let i = 0; i < 12; i++) {
			service.addMessage(service.makeChat());
			expect((await poll()).ids).toHaveLength(1);
		}
		const id = write(chats[50]!);
		expect((await poll()).ids).toStrictEqual([id]);
	});

	test('a list that is too long for one poll is read in parts, the first page in every poll', async () => {
		await open(50, { pageSize: 5, order: 'newest' }, { listPages: 3 });
		expect(watch.log).toStrictEqual([
			'The list of chats is too long for one poll (10 pages), so each poll reads the first page and some of the others. Filters reduce the number of chats.',
		]);
		const pages = [];
		for (let i = 0; i < 5; i++) {
			await poll();
			pages.push(
				service.sent
					.filter((request) => request.startsWith('list'))
					.map((request) => request.slice(5)),
			);
		}
		expect(pages).toStrictEqual([
			['1', '4', '5'],
			['1', '6', '7'],
			['1', '8', '9'],
			['1', '10'],
			['1', '2', '3'],
		]);
		const [near, far] = [write(chats[2]!), write(chats[40]!)];
		expect((await poll()).ids).toStrictEqual([near]);
		expect(await polls(5)).toStrictEqual([far]);
	});

	test('of a list in parts, the next poll continues with the page that failed', async () => {
		await open(50, { pageSize: 5 }, { listPages: 3 });
		service.failingPages.set(5, 503);
		await poll();
		expect(watch.checkpoint!.failures).toBe(1);
		service.failingPages.clear();
		await poll();
		expect(watch.checkpoint!.failures).toBe(0);
		expect(service.sent.filter((request) => request.startsWith('list'))).toStrictEqual([
			...['list 1', 'list 5', 'list 6'],
		]);
	});

	test.each(['shown', 'unknown'] as const)(
		'a page that always fails holds up no other one, and is mentioned in the log; the number of pages is %s',
		async (pages) => {
			await open(35, { pageSize: 5, pages });
			service.failingPages.set(4, 500);
			const written = [write(chats[12]!), write(chats[32]!)];
			const found: string[] = [];
			for (let i = 0; i < 10; i++) {
				const { ids, error } = await poll();
				expect(error).toBeUndefined();
				found.push(...ids);
			}
			expect(found.toSorted()).toStrictEqual(written.toSorted());
			const once =
				'Page 4 of the list of chats could not be read. Messages of the chats on it are emitted once the service returns it. Status 500';
			expect(watch.log).toStrictEqual([once]);
			service.failingPages.clear();
			await polls(2);
			expect(watch.log).toStrictEqual([once, 'Page 4 of the list of chats could be read again.']);
		},
	);

	test('of more chats than are kept, those that were not read for the longest time are forgotten, and found as new ones', async () => {
		await open(40, { order: 'activity' }, { chats: 30 });
		for (let i = 0; i < 5; i++) {
			const ids = [write(chats[i]!), write(chats[39 - i]!)];
			expect((await poll()).ids).toStrictEqual(ids);
			expect(watch.checkpoint!.state!.chats.size).toBe(30);
		}
	});

	test('a list with more pages than are watched is mentioned in the log', async () => {
		await open(30, { pageSize: 5 }, { watchedPages: 4 });
		expect(watch.log).toStrictEqual([
			'Only the first 400 chats of the list are watched for messages. Filters reduce the number of chats.',
		]);
	});
});

describe('a page of the list that cannot be read', () => {
	test.each([403, 404, 500])(
		'in the first poll with %i makes no message of its chats new later',
		async (status) => {
			service = new FakeChats({ ...HABITS, pageSize: 10 }, () => time.clock.now());
			const active = Array.from({ length: 10 }, () => service.makeChat(0));
			for (let i = 0; i < 10; i++) service.makeChat(2);
			time.clock.advance(5 * 86_400_000 - 3_600_000);
			for (const chat of active) service.addMessage(chat);
			time.clock.advance(3_600_000);
			watch = new Watch(service, MESSAGE_LIMITS, SUBSCRIPTION);
			service.failingPages.set(2, status);
			expect((await poll()).ids).toStrictEqual([]);
			service.failingPages.clear();
			expect(await polls(3)).toStrictEqual([]);
			const id = write(active[3]!);
			expect(await polls(1)).toStrictEqual([id]);
		},
	);

	test.each([403, 503])(
		'for many polls with %i loses no message of a new chat on it',
		async (status) => {
			await open(25, { pageSize: 10, order: 'oldest' });
			await polls(1);
			const known = write(service.list[24]!);
			expect(await polls(1)).toStrictEqual([known]);
			service.failingPages.set(3, status);
			const id = write(service.makeChat(0));
			expect(await polls(12)).toStrictEqual([]);
			service.failingPages.clear();
			expect(await polls(3)).toStrictEqual([id]);
		},
	);
});

test.each(['shown', 'unknown'] as const)(
	'a 429 for the page with which a poll begins is no end of the list: the poll is incomplete; the number of pages is %s',
	async (pages) => {
		await open(35, { pageSize: 5, pages });
		service.failingPages.set(2, 429);
		await poll();
		expect(watch.checkpoint!.failures).toBe(1);
		service.failingPages.clear();
		const id = write(chats[32]!);
		expect(await polls(2)).toStrictEqual([id]);
	},
);

test('a poll that fails with another credential or base URL discards nothing', async () => {
	await open(3);
	service.onRequest = () => {
		throw failure(404);
	};
	await watch.poll('another scope');
	service.onRequest = () => undefined;
	const id = write(chats[1]!);
	expect((await poll()).ids).toStrictEqual([id]);
});

describe('long histories', () => {
	test('beyond the most pages of one chat, only the newest messages are emitted', async () => {
		await open(2, {}, { take: 3, historyPages: 2 });
		const written = Array.from({ length: 150 }, () => write(chats[0]!));
		expect((await poll()).ids).toStrictEqual(written.slice(-102));
		expect(watch.log).toStrictEqual([
			'A chat has more new messages than one poll reads. The oldest of them are not emitted.',
		]);
	});
});

describe('failures', () => {
	const fail = (chat: Chat, status = 500): void => void service.failing.set(chat.id, status);

	test('changed chats at the head of the list that always fail hold up no other one', async () => {
		await open(100, { windowSize: 60 });
		for (const chat of chats.slice(0, 40)) fail(chat);
		const behind = chats.slice(0, 40).map((chat) => write(chat));
		const id = write(chats[70]!);
		expect(await polls(30)).toStrictEqual([id]);
		const last = write(chats[90]!);
		expect(await poll()).toMatchObject({ ids: [last], error: undefined });
		expect(watch.checkpoint!.failures).toBe(0);
		// Once they can be read, nothing is lost.
		service.failing.clear();
		expect((await polls(20)).toSorted()).toStrictEqual(behind.toSorted());
	});

	test('a chat that fails is mentioned in the log once', async () => {
		await open(5);
		fail(chats[1]!, 404);
		write(chats[1]!);
		const other = write(chats[2]!);
		expect(await polls(3)).toStrictEqual([other]);
		expect(watch.log).toStrictEqual([
			'The messages of one chat could not be read. Other chats are not affected, and the trigger tries again in later polls. Status 404',
		]);
	});

	test('several chats that fail between others are no outage: the same poll reads all others', async () => {
		await open(24);
		const failing = [3, 9, 15, 21].map((index) => chats[index]!);
		for (const chat of failing) fail(chat);
		const others = chats.filter((chat) => !failing.includes(chat));
		const written = others.map((chat) => write(chat));
		for (const chat of failing) write(chat);
		const { ids, error } = await poll();
		expect([ids.toSorted(), error]).toStrictEqual([written.toSorted(), undefined]);
		expect(watch.checkpoint!.failures).toBe(0);
	});

	test('after an outage, everything since is emitted; the fifth poll in a row reports it', async () => {
		await open(12);
		const written: string[] = [];
		service.isOut = true;
		for (let i = 1; i <= 5; i++) {
			written.push(write(chats[i]!));
			const { ids, error } = await poll();
			expect([ids, error?.message]).toStrictEqual([[], i === 5 ? 'Status 503' : undefined]);
		}
		service.isOut = false;
		expect((await polls(5)).toSorted()).toStrictEqual(written.toSorted());
	});

	test('after an outage, all chats are read by the next poll', async () => {
		await open(60, { windowSize: 200 });
		const written: string[] = [];
		service.isOut = true;
		for (let i = 0; i < 10; i++) {
			for (const chat of chats.slice(i * 6, i * 6 + 6)) written.push(write(chat));
			await poll();
		}
		expect(watch.checkpoint!.state!.failing.length).toBeGreaterThan(40);
		service.isOut = false;
		expect((await poll()).ids.toSorted()).toStrictEqual(written.toSorted());
		expect(watch.checkpoint!.state!.failing).toStrictEqual([]);
	});

	test('chats that always fail take few requests', async () => {
		await open(60, { windowSize: 200, rows: 'silent' });
		for (const chat of chats.slice(0, 40)) fail(chat);
		await polls(30);
		expect(watch.checkpoint!.state!.failing).toHaveLength(40);
		expect((await poll()).requests).toBe(1 + 4 + 20);
	});

	test('after a 429, nothing more is requested; what was read before is emitted', async () => {
		await open(100, { windowSize: 400 });
		const written = chats.map((chat) => write(chat));
		service.onRequest = (request) => {
			if (request > 20) throw failure(429);
		};
		const { ids, requests } = await poll();
		expect(requests).toBeLessThan(20 + 9);
		expect(ids).toHaveLength(19);
		service.onRequest = () => undefined;
		expect([...ids, ...(await poll()).ids].toSorted()).toStrictEqual(written.toSorted());
	});

	test('if the messages of no chat can be read, it is reported at once, after a few requests', async () => {
		await open(50);
		for (const chat of chats) fail(chat, 403);
		const { error, requests } = await poll();
		expect(error!.message).toBe('Status 403');
		expect(requests).toBeLessThan(1 + 10 + 8);
	});

	test('a mistake of this package is not taken for a failure of a chat', async () => {
		await open(3);
		service.onRequest = (request) => {
			if (request === 2) throw new TypeError('x');
		};
		await expect(poll()).rejects.toThrow(TypeError);
	});

	test('if the service is slow, a poll reads quiet chats for 20 seconds', async () => {
		await open(100);
		service.onRequest = () => time.clock.advance(1_000);
		expect((await poll()).requests).toBeLessThan(1 + 20 + 8);
	});
});
