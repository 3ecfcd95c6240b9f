import type { ListOrder } from '../../nodes/ConversationalMessaging/trigger/order.ts';
import { orderText, readOrder } from '../../nodes/ConversationalMessaging/trigger/orderText.ts';

test.each<[order: ListOrder, text: string]>([
	[{ marks: [], total: 0 }, '0'],
	[{ marks: [], total: 130 }, '130'],
	[{ marks: [{ key: 10, rank: 99 }], total: 130 }, '130 2r.a'],
	// The distance to the mark before it.
	[
		{
			marks: [
				{ key: 2 ** 42 - 1, rank: 99 },
				{ key: 0, rank: 199 },
				{ key: 36, rank: 234 },
			],
			total: 1_042,
		},
		'1042 2r.1k4fnc6pr 2s.0 z.10',
	],
])('%j is written as %j', (order, text) => {
	expect(orderText(order)).toBe(text);
	expect(readOrder(text)).toEqual(order);
});

test.each<[why: string, text: unknown]>([
	['no text', undefined],
	['a number', 130],
	['an empty text', ''],
	['a text that begins with something else', 'x130'],
	['a text that goes on with something else', '130x'],
	['a mark without a key', '130 2r'],
	['a mark without a distance', '130 .a'],
	['a second mark without a key', '130 2r.a 2r'],
	['marks that are separated by two spaces', '130 2r.a  2r.b'],
])('%s is no order: %j', (_why, text) => {
	expect(readOrder(text)).toBeUndefined();
});
