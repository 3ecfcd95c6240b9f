/** Whether chats with news lead the list. */
import {
	afterListing,
	NO_ORDER,
} from '../../../nodes/ConversationalMessaging/trigger/messages/listOrder.ts';

describe('the order of the list', () => {
	const known = new Map([1, 2, 3, 4].map((key) => [key, true]));
	const listing = (keys: number[], changed: number[], withNews = changed) => ({
		keys,
		changed: new Set(changed),
		withNews: new Set(withNews),
		known,
	});

	test.each<[string, ReturnType<typeof listing>, number]>([
		['a chat takes the lead', listing([3, 1, 2], [3]), 3],
		['nothing changes', listing([1, 2, 3], []), 2],
		['the leading chat has news again', listing([1, 2, 3], [1]), 2],
		['a new chat leads', listing([9, 1, 2], [9]), 2],
		['a row without news that changed is between', listing([3, 2, 1], [3, 2], [2]), 3],
		['a quiet chat is before one with news', listing([1, 3, 2], [3]), 0],
		['the last chat with news has the row that it had', listing([3, 2, 1], [3], [3, 2]), 0],
		['its only chat with news has the row that it had', listing([3, 1, 2], [], [3]), 0],
	])('%s', (_name, reading, proofs) => {
		expect(afterListing({ proofs: 2, head: 1 }, reading)).toEqual({
			proofs,
			head: reading.keys[0],
		});
	});

	test('a chat does not take the lead from one that is not known', () => {
		expect(afterListing(NO_ORDER, listing([3, 1, 2], [3]))).toEqual({ proofs: 0, head: 3 });
	});

	test('an empty list shows nothing', () => {
		expect(afterListing({ proofs: 2, head: 1 }, listing([], []))).toEqual({ proofs: 2, head: 0 });
	});
});
