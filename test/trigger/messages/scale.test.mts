/** How many requests a poll sends, and after how many polls a message is emitted, by the number of chats. */
import { useFakeTime } from '../../support/time.mts';
import { FakeChats, HABITS, type Habits } from './chats.mts';
import { Watch } from './watch.mts';

/** With LONG, also numbers of chats that take longer. */
const LONG = process.env.LONG !== undefined;

const time = useFakeTime();

const open = (chats: number, habits: Partial<Habits>) => {
	const service = new FakeChats({ ...HABITS, ...habits }, () => time.clock.now());
	for (let i = 0; i < chats; i++) service.makeChat(i % 3);
	const watch = new Watch(service);
	const poll = async () => {
		time.clock.advance(60_000);
		const ids = await watch.ids();
		return { ids, requests: service.requests };
	};
	return { service, poll };
};

describe('where rows show new messages', () => {
	test.each<readonly [chats: number, order: Habits['order'], atRest: number, onOtherPages: number]>(
		[
			[100, 'newest', 4, 1],
			[3_000, 'newest', 25, 2],
			[3_000, 'activity', 25, 1],
			...(LONG ? [[9_000, 'newest', 25, 5] as const] : []),
			// A chat with a new message is on the first page then.
			...(LONG ? [[50_000, 'activity', 25, 1] as const] : []),
		],
	)(
		'%i chats by %s: at most %i requests at rest, and a message on any page is emitted after at most %i polls',
		async (count, order, atRest, most) => {
			const { service, poll } = open(count, { order, windowSize: 600 });
			const chats = [...service.list];
			await poll();
			// All pages have been read once, and rows have shown new messages.
			for (let i = 0; i < 12; i++) {
				service.addMessage(chats[i * 7]!);
				await poll();
			}
			for (let i = 0; i < 6; i++) await poll();
			for (let i = 0; i < 5; i++) expect((await poll()).requests).toBeLessThanOrEqual(atRest);
			for (const place of [0, 0.3, 0.6, 0.99]) {
				const { id } = service.addMessage(chats[Math.floor(place * count)]!);
				let polls = 1;
				for (; !(await poll()).ids.includes(id) && polls < 50; polls++);
				expect(polls).toBeLessThanOrEqual(most);
			}
		},
		120_000,
	);
});

describe('where rows show nothing', () => {
	test.each<
		readonly [chats: number, windowSize: number | undefined, requests: number, polls: number]
	>([
		// Five chats with only one message take another request to find their end.
		[100, 300, 106, 1],
		[100, 60, 30, 5],
		[300, undefined, 100, 4],
		[1_000, 300, 150, 8],
		...(LONG ? [[3_000, 300, 150, 32] as const] : []),
		...(LONG ? [[3_000, 600, 300, 15] as const] : []),
	])(
		'%i chats with %s requests per window: at most %i requests, and a message is emitted after at most %i polls',
		async (count, windowSize, requests, most) => {
			const { service, poll } = open(count, { rows: 'silent', windowSize });
			for (let i = 0; i <= most; i++) await poll();
			const written = new Map(
				[0, 0.2, 0.5, 0.8, 0.99].map((place) => {
					const { id } = service.addMessage(service.list[Math.floor(place * count)]!);
					return [id, 0];
				}),
			);
			for (let i = 1; i <= most; i++) {
				const polled = await poll();
				expect(polled.requests).toBeLessThanOrEqual(requests);
				for (const id of polled.ids) written.set(id, i);
			}
			expect([...written.values()].filter((polls) => polls === 0)).toStrictEqual([]);
		},
		120_000,
	);
});
