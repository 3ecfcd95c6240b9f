/** How many requests polls send, and after how long a message is emitted, by the number of chats. */
import { useFakeTime } from '../../support/time.mts';
import { FakeChats, HABITS, type Habits } from './chats.mts';
import { Watch } from './watch.mts';

const time = useFakeTime();

/** Polls so many times a minute. */
const open = (chats: number, habits: Partial<Habits>, perMinute = 1) => {
	const service = new FakeChats({ ...HABITS, ...habits }, () => time.clock.now());
	for (let i = 0; i < chats; i++) service.makeChat(i % 3);
	const watch = Object.assign(new Watch(service), { pollTimes: perMinute });
	const poll = async () => {
		time.clock.advance(60_000 / perMinute);
		const ids = await watch.ids();
		return { ids, requests: service.requests };
	};
	/** @returns the requests of a minute */
	const minute = async () => {
		let sum = 0;
		for (let i = 0; i < perMinute; i++) sum += (await poll()).requests;
		return sum;
	};
	/** The minutes until a message in this chat is emitted. */
	const minutesUntil = async (place: number) => {
		const { id } = service.addMessage(list[Math.floor(place * (chats - 1))]!);
		let polls = 1;
		for (; !(await poll()).ids.includes(id) && polls < 500; polls++);
		return polls / perMinute;
	};
	const list = [...service.list];
	return { service, list, poll, minute, minutesUntil };
};

describe('where rows show new messages', () => {
	test.each<
		[chats: number, order: Habits['order'], perMinute: number, atRest: number, late: number]
	>([
		[100, 'newest', 1, 7, 1],
		[300, 'newest', 1, 8, 1],
		[300, 'newest', 4, 29, 0.5],
		[5_000, 'newest', 1, 16, 5],
		[5_000, 'activity', 1, 16, 1],
		[5_000, 'newest', 4, 29, 5],
	])(
		'%i chats by %s, %i polls a minute: at most %i requests a minute at rest, and a message after %d minutes at most',
		async (count, order, perMinute, atRest, late) => {
			const { poll, minute, minutesUntil } = open(count, { order }, perMinute);
			await poll();
			// Until one has shown it, also then below half of the rate limit.
			for (let i = 0; i < 10; i++) expect(await minute()).toBeLessThanOrEqual(100);
			await minutesUntil(0);
			await minute();
			for (let i = 0; i < 5; i++) expect(await minute()).toBeLessThanOrEqual(atRest);
			for (const place of [0, 0.3, 0.6, 1])
				expect(await minutesUntil(place)).toBeLessThanOrEqual(late);
		},
	);

	test.each([60, 300, undefined])(
		'300 chats, %s requests per window, four polls a minute: the next poll emits each message',
		async (windowSize) => {
			const { service, list, poll, minute } = open(300, { windowSize }, 4);
			for (let i = 0; i < 15; i++) await minute();
			for (let i = 0; i < 100; i++) {
				const place = (i * 0.754_878) % 1;
				const { id } = service.addMessage(list[Math.floor(place * 300)]!);
				expect((await poll()).ids).toStrictEqual([id]);
				for (let rest = i % 4; rest > 0; rest--) expect((await poll()).ids).toStrictEqual([]);
			}
		},
	);
});

describe('where rows show nothing', () => {
	test.each<
		[chats: number, window: number | undefined, perMinute: number, requests: number, late: number]
	>([
		[100, 300, 1, 150, 2],
		[100, 60, 1, 30, 6],
		[300, undefined, 1, 100, 7],
		[300, undefined, 4, 100, 7],
		[1_000, 300, 1, 150, 11],
	])(
		'%i chats, %s requests per window, %i polls a minute: at most %i requests a minute, and a message after %i minutes at most',
		async (count, windowSize, perMinute, requests, late) => {
			const { poll, minute, minutesUntil } = open(count, { rows: 'silent', windowSize }, perMinute);
			await poll();
			for (let i = 0; i < 3 * late; i++) expect(await minute()).toBeLessThanOrEqual(requests);
			for (const place of [0, 0.5, 1]) expect(await minutesUntil(place)).toBeLessThanOrEqual(late);
		},
	);
});
