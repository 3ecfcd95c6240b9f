/** In which order the service returns the messages of a chat. */
import {
	knownOrder,
	NO_HISTORIES,
	TimeOrder,
	withShown,
	type HistoryOrder,
} from '../../../nodes/ConversationalMessaging/trigger/messages/historyOrder.ts';

describe('the order of histories', () => {
	const SECOND = 1_000;
	test.each<[string, (number | undefined)[], boolean, HistoryOrder | undefined]>([
		['no times', [undefined], false, undefined],
		['one time', [5], false, undefined],
		['equal times', [5, 5], false, undefined],
		['two minutes, not more', [0, 120 * SECOND], true, undefined],
		['two minutes, not more, falling', [120 * SECOND, 0], false, undefined],
		['rising by more', [0, 120 * SECOND + 1], true, 'oldest first'],
		['falling by more', [120 * SECOND + 1, 0], false, 'newest first'],
		['falling, with one of another clock', [900 * SECOND, 901 * SECOND, 0], false, 'newest first'],
		['both', [0, 900 * SECOND, 0], false, undefined],
		['a message without a time between', [0, undefined, 900 * SECOND], true, 'oldest first'],
	])('%s', (_name, times, seemsOldestFirst, shown) => {
		const order = new TimeOrder();
		for (const time of times) order.add(time);
		expect([order.seemsOldestFirst, order.shown]).toEqual([seemsOldestFirst, shown]);
		expect(order.hasTimes).toBe(times.some((time) => time !== undefined));
	});

	test.each<[newestFirst: number, oldestFirst: number, HistoryOrder | undefined]>([
		[0, 0, undefined],
		[2, 0, undefined],
		[3, 0, 'newest first'],
		[3, 1, undefined],
		[4, 1, 'newest first'],
		[0, 2, undefined],
		[0, 3, 'oldest first'],
		[1, 3, undefined],
		[1, 4, 'oldest first'],
		[10, 9, undefined],
	])('%i chats newest first, %i oldest first: %s', (newestFirst, oldestFirst, order) => {
		expect(knownOrder({ newestFirst, oldestFirst })).toBe(order);
	});

	test('is counted by chats, the recent ones more', () => {
		const shown = ['newest first', undefined, 'oldest first', 'newest first'] as const;
		expect(withShown(NO_HISTORIES, shown)).toEqual({ newestFirst: 2, oldestFirst: 1 });
		const many = { newestFirst: 700, oldestFirst: 298 };
		expect(withShown(many, ['newest first', 'oldest first'])).toEqual({
			newestFirst: 701,
			oldestFirst: 299,
		});
		expect(withShown(many, shown)).toEqual({ newestFirst: 351, oldestFirst: 149 });
	});
});
