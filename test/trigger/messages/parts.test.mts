/** Lists of chats that are too long for half of the rate limit: each poll reads a part of them. */
import { FakeTime } from '../../time.mts';
import { FakeChats, HABITS, outage, type Habits } from './service.mts';
import { Watch } from './watch.mts';

/** A poll may send 30 requests, 15 of them for the list. */
const WINDOW = 60;
/** 40 pages, of 10 chats each, which takes a tenth of the time of real pages. */
const CHATS = 400;
const PAGE = 10;

let time: FakeTime;
let service: FakeChats;
let watch: Watch;

const open = (habits: Partial<Habits> = {}, chats = CHATS) => {
	const all = { ...HABITS, pageSize: PAGE, windowSize: WINDOW, ...habits };
	service = new FakeChats(all, () => time.clock.now());
	for (let i = 0; i < chats; i++) service.addMessage(service.makeChat());
	watch = new Watch(service);
};

beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

const polls = async (count: number): Promise<string[]> => {
	const ids: string[] = [];
	for (let i = 0; i < count; i++) {
		time.clock.advance(60_000);
		ids.push(...(await watch.ids()));
		// Two chats in turn come in addition, and a few pages that are read again to check rows.
		expect(service.requests.length).toBeLessThanOrEqual(WINDOW / 2 + 8);
	}
	return ids.toSorted();
};

/** One pass: 39 pages besides the first one, 13 at once. */
const PASS = 3;

test('the first poll takes a baseline of what it may read, and says so: 4,000 chats on real pages', async () => {
	open({ pageSize: 100 }, 4_000);
	await polls(1);
	expect(watch.checkpoint?.baseline?.chats.size).toBe(1_400);
	expect(watch.log).toEqual([
		'The list of chats has 40 pages, of which half of the rate limit allows 15 per poll. So each poll reads the first page and a part of the others: a message in a chat on another page is noticed after at most 3 polls. Filters reduce the number of chats.',
	]);
	await polls(PASS - 1);
	expect(watch.checkpoint?.baseline?.chats.size).toBe(4_000);
	expect(watch.checkpoint?.failures).toBe(0);
	expect(watch.log).toHaveLength(1);
});

test.each<Habits['order']>(['newest', 'oldest', 'activity'])(
	'every message is emitted once, list by %s',
	async (order) => {
		open({ order });
		// What two passes find was there before, and waits until it is read.
		await polls(2 * PASS);
		const expected: string[] = [];
		for (let i = 0; i < 30; i++) {
			const chat = service.list[(i * 37) % service.list.length]!;
			expected.push(service.addMessage(chat).id);
			if (i % 5 === 0) expected.push(service.addMessage(service.makeChat()).id);
		}
		expect(await polls(4 * PASS)).toEqual(expected.toSorted());
		const chat = service.list[333]!;
		const { id } = service.addMessage(chat);
		expect(await polls(PASS)).toEqual([id]);
		expect(watch.checkpoint?.baseline?.method).toBe('rows');
	},
);

test('without times, no old message is emitted, and every message of a chat that was read', async () => {
	open({ hasTimes: false }, 160);
	await polls(30);
	const expected = [3, 70, 159].map((i) => service.addMessage(service.list[i]!).id);
	const chat = service.makeChat();
	expected.push(service.addMessage(chat).id, service.addMessage(chat).id);
	expect(await polls(2 * PASS)).toEqual(expected.toSorted());
});

test('in turn, a poll reads the first page and those of its 28 chats, and a round takes as many polls as its chats require', async () => {
	open({ rows: 'lie' }, 180);
	await polls(2);
	service.addMessage(service.list[7]!);
	for (let i = 0; i < 180 && watch.checkpoint?.baseline?.method !== 'turns'; i++) await polls(1);
	// Counts and rows do not show it. One round, to begin with.
	await polls(10);
	const expected = [1, 15, 91, 179].map((i) => service.addMessage(service.list[i]!).id);
	const chats = WINDOW / 2 - 2;
	expect(await polls(2 * (Math.ceil(180 / chats) + 6))).toEqual(expected.toSorted());
	expect(service.requests.filter((request) => request.startsWith('chats'))).toHaveLength(4);
});

test('where counts show that there is no news, the list is not read', async () => {
	open({ counts: 'exact' }, 160);
	// Until all chats were read.
	await polls(20);
	for (let i = 0; i < 6; i++) {
		service.addMessage(service.list[i]!);
		await polls(PASS);
	}
	await polls(2 * PASS);
	const counted: string[][] = [];
	for (let i = 0; i < 9; i++) {
		await polls(1);
		counted.push(service.requests);
	}
	expect(counted.filter((requests) => requests.length === 1).length).toBeGreaterThanOrEqual(8);
});

test('where the latest chats lead the list, a message is emitted by the next poll', async () => {
	open({ order: 'activity' }, 160);
	await polls(20);
	for (let i = 0; i < 6; i++) {
		service.addMessage(service.list[(i * 31) % 160]!);
		await polls(1);
	}
	await polls(2 * PASS);
	const { id } = service.addMessage(service.list[123]!);
	expect(await polls(1)).toEqual([id]);
	expect(service.requests.length).toBeLessThanOrEqual(6);
	// More chats than a poll may list: the others have their turn.
	const expected = service.list.map((chat) => service.addMessage(chat).id).toSorted();
	expect(await polls(30)).toEqual(expected);
});

test('a poll that fails in between loses nothing', async () => {
	open();
	await polls(PASS);
	const expected = [5, 170, 260, 399].map((i) => service.addMessage(service.list[i]!).id);
	const found: string[] = [];
	for (let at = 1; at < 36; at += 5) {
		service.onRequest = (request) => {
			if (request >= at) throw outage();
		};
		found.push(...(await polls(1)));
		service.onRequest = () => undefined;
		found.push(...(await polls(1)));
	}
	found.push(...(await polls(2 * PASS)));
	expect(found.toSorted()).toEqual(expected.toSorted());
});

test('if a poll can read the whole list again, it does', async () => {
	open({}, 200);
	await polls(2);
	expect(watch.checkpoint?.baseline?.list).toMatchObject({ passes: 1 });
	service.habits.windowSize = 600;
	for (let i = 0; i < 2; i++) await watch.poll();
	expect(watch.checkpoint?.baseline?.list).toBeUndefined();
	expect(service.requests).toContain('chats 20');
});
