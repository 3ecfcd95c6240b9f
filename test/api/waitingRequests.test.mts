import {
	type Priority,
	type Waiting,
	WaitingRequests,
} from '../../nodes/ConversationalMessaging/api/waitingRequests.ts';

const waiting = (priority: Priority, since: number): Waiting => ({
	priority,
	since,
	deadline: Infinity,
	onWait: () => undefined,
});

/** Those that wait, by priority and arrival. */
const queueOf = (...all: [Priority, number][]) => {
	const queue = new WaitingRequests<Waiting>();
	for (const [priority, since] of all) queue.add(waiting(priority, since));
	return queue;
};

const names = (all: Waiting[]) => all.map(({ priority, since }) => `${priority} ${String(since)}`);

test('a list in the editor comes first, then a poll, a single request, bulk', () => {
	const queue = queueOf(['bulk', 0], ['single', 1], ['poll', 2], ['editor', 3]);
	expect(names(queue.next())).toEqual(['editor 3', 'poll 2', 'single 1', 'bulk 0']);
});

test.each<[Priority, Priority, number]>([
	['poll', 'editor', 30_000],
	['single', 'editor', 60_000],
	['bulk', 'editor', 120_000],
	['single', 'poll', 30_000],
	['bulk', 'single', 60_000],
])('a waiting %s comes before a %s that came %i ms later', (earlier, later, ms) => {
	const first = (laterBy: number) => queueOf([later, laterBy], [earlier, 0]).next()[0]?.priority;
	expect(first(ms - 1)).toBe(later);
	expect(first(ms + 1)).toBe(earlier);
});

test('of one priority, only the first one is next', () => {
	const queue = queueOf(['bulk', 0], ['bulk', 1], ['poll', 2], ['poll', 3]);
	expect(names(queue.next())).toEqual(['poll 2', 'bulk 0']);
	expect(names(queue.all())).toEqual(['poll 2', 'poll 3', 'bulk 0', 'bulk 1']);
	expect(queue.count).toBe(4);
});

test('those of one priority can be walked through, beginning with the latest', () => {
	const queue = queueOf(['bulk', 0], ['poll', 1], ['bulk', 2], ['bulk', 3]);
	expect(names([...queue.latestFirst('bulk')])).toEqual(['bulk 3', 'bulk 2', 'bulk 0']);
	expect([...queue.latestFirst('editor')]).toEqual([]);
});

test('one that is removed lets the next one move up', () => {
	const queue = queueOf(['bulk', 0], ['bulk', 1], ['bulk', 2]);
	const [, second] = queue.all();
	expect(queue.remove(second!)).toBe(true);
	expect(names(queue.all())).toEqual(['bulk 0', 'bulk 2']);
	expect(queue.remove(queue.next()[0]!)).toBe(true);
	expect(names(queue.next())).toEqual(['bulk 2']);
	expect(queue.count).toBe(1);
});

test('one that does not wait cannot be removed, and removes no other', () => {
	const queue = queueOf(['bulk', 0]);
	expect(queue.remove(waiting('bulk', 0))).toBe(false);
	expect(queue.remove(waiting('poll', 0))).toBe(false);
	expect(queue.count).toBe(1);
	expect(names(queue.all())).toEqual(['bulk 0']);
});

test('nobody waits in a queue that is empty, or has become empty', () => {
	const queue = new WaitingRequests<Waiting>();
	expect([queue.count, queue.next(), queue.all()]).toEqual([0, [], []]);
	const one = waiting('single', 0);
	queue.add(one);
	queue.remove(one);
	expect([queue.count, queue.next(), queue.all()]).toEqual([0, [], []]);
});
