import {
	type Priority,
	type QueuedRequest,
	RequestQueue,
} from '../../nodes/ConversationalMessaging/api/rate/requestQueue.ts';

/** Those that wait, by priority and arrival; reads, if no more is said. */
const queueOf = (...all: [Priority, number, isRead?: boolean][]) => {
	const queue = new RequestQueue<QueuedRequest>();
	for (const [priority, since, isRead = true] of all) queue.add({ priority, since, isRead });
	return queue;
};

const names = (all: QueuedRequest[]) =>
	all.map(({ priority, since }) => `${priority} ${String(since)}`);

test('a list in the editor comes first, then a poll, a single request, bulk', () => {
	const queue = queueOf(['bulk', 0], ['single', 1], ['poll', 2], ['editor', 3]);
	expect(names(queue.next())).toStrictEqual(['editor 3', 'poll 2', 'single 1', 'bulk 0']);
});

test.each<[Priority, Priority, number]>([
	['poll', 'editor', 30_000],
	['single', 'poll', 30_000],
	['bulk', 'single', 60_000],
])('a waiting %s comes before a %s that came %i ms later', (earlier, later, ms) => {
	const first = (laterBy: number) => queueOf([later, laterBy], [earlier, 0]).next()[0]?.priority;
	expect(first(ms - 1)).toBe(later);
	expect(first(ms + 1)).toBe(earlier);
});

test('of the reads of one priority, only the first one is next, and of its writes', () => {
	const queue = queueOf(['bulk', 0], ['bulk', 1], ['poll', 2], ['poll', 3], ['bulk', 4, false]);
	expect(names(queue.next())).toStrictEqual(['poll 2', 'bulk 0', 'bulk 4']);
});

test('one that is removed lets the next one move up, once', () => {
	const queue = queueOf(['bulk', 0], ['bulk', 1], ['bulk', 2]);
	const [first, second] = queue.all;
	expect([first, second, second].map((one) => queue.remove(one!))).toStrictEqual([
		true,
		true,
		false,
	]);
	expect(names(queue.next())).toStrictEqual(['bulk 2']);
	expect(queue.count).toBe(1);
});
