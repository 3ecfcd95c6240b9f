/** What the numbers of messages in the details of channels show. */
import type { IDataObject } from 'n8n-workflow';
import {
	afterPoll,
	afterReading,
	countsOf,
	messageNumbers,
	showNoNews,
	type CountEvidence,
} from '../../../nodes/ConversationalMessaging/trigger/messages/counts.ts';

describe('the numbers of messages of a channel', () => {
	test.each<[IDataObject, number[]]>([
		[{ stats: { chats: 3, messages: 1042, broadcasts: 7 } }, [1042]],
		[{ messageCount: 5 }, [5]],
		[{ messagesCount: '15' }, [15]],
		[{ message_total: 5 }, [5]],
		[{ _count: { messages: 0 } }, [0]],
		// In the order of their names, whatever their order is in the response.
		[{ stats: { messages: { total: 9, inbound: 4 } } }, [4, 9]],
		[{ stats: { messages: { inbound: 4, total: 9 } } }, [4, 9]],
		[{ a: { b: { c: { messages: 5 } } } }, [5]],
		[{ a: { b: { c: { d: { messages: 5 } } } } }, []],
		[{ total_messages: 6 }, [6]],
		// Not a number of messages.
		[{ lastMessageAt: 1768554000000, messageTemplates: 12, messagingLimit: 1000 }, []],
		[{ stats: { chats: 3 } }, []],
		[{ messages: null }, []],
		[{ messages: -1 }, []],
		[{ messages: 'many' }, []],
		[{ messages: '' }, []],
		[{ messages: '1.5' }, []],
		[{ messages: '1e3' }, []],
		[{ messages: [5] }, []],
		[{ messages: Infinity }, []],
		[{}, []],
	])('%j: %j', (channel, numbers) => {
		expect(messageNumbers(channel)).toEqual(numbers);
	});
});

describe('the counts of channels', () => {
	/** A poll: what is counted, then what is found. */
	const poll = (known: CountEvidence, count: number, found: number): CountEvidence =>
		afterPoll(afterReading(known, { numbers: [[count]], readAt: 2, chats: 10 }), {
			found,
			recent: found > 0,
			reads: 2,
		});
	const history = (...polls: [count: number, found: number][]): CountEvidence =>
		polls.reduce((known, [count, found]) => poll(known, count, found), countsOf(['a'], [[100]], 1));

	test('are relied on once they have changed with news three times', () => {
		const proven = history([101, 1], [102, 1], [103, 1], [103, 0]);
		expect(showNoNews(proven, 3, 'rows')).toBe(true);
		expect(showNoNews(proven, 4, 'rows')).toBe(false);
	});

	test('are not relied on after news without a change', () => {
		expect(history([101, 1], [102, 1], [103, 1], [103, 1], [103, 0]).proofs).toBe(0);
	});

	test('a message that arrives after the counts were read disproves nothing', () => {
		const { proofs, owed } = history([100, 1], [101, 0], [101, 1], [102, 0]);
		expect(proofs).toBe(2);
		expect(owed).toBe(0);
	});

	test('show how many messages are to be found, until they are found', () => {
		const owed = history([101, 1], [102, 1], [103, 1], [106, 1]);
		expect(owed.owed).toBe(2);
		expect(
			showNoNews(afterReading(owed, { numbers: [[106]], readAt: 2, chats: 10 }), 3, 'rows'),
		).toBe(false);
		expect(showNoNews(poll(owed, 106, 2), 3, 'rows')).toBe(true);
	});

	test('are not exact if a search for all of them finds nothing', () => {
		let known = history([101, 1], [102, 1], [103, 1], [106, 0]);
		for (let i = 0; i < 5; i++) known = poll(known, 106, 0);
		expect(known).toMatchObject({ owed: 0, isExact: false });
		// In turn, a change then says nothing about when to end.
		expect(showNoNews(known, 0, 'turns')).toBe(false);
		expect(showNoNews(known, 0, 'rows')).toBe(true);
	});

	test('of several numbers, the one that grew most counts', () => {
		const known = afterReading(countsOf(['a', 'b'], [[4, 9], [7]], 1), {
			numbers: [[5, 10], [9]],
			readAt: 2,
			chats: 10,
		});
		expect(known.owed).toBe(3);
	});

	test('stay exact if nothing is to be found, and if the last chat has the last message', () => {
		expect(history([100, 0], [101, 1], [103, 0])).toMatchObject({ owed: 2, isExact: true });
		// Ten chats, of which a poll reads two.
		const last = history([102, 0], [102, 0], [102, 0], [102, 0], [102, 2]);
		expect(last).toMatchObject({ owed: 0, isExact: true });
		expect(history([102, 0], [102, 0], [102, 0], [102, 0], [102, 1]).isExact).toBe(false);
	});

	test('owe nothing any more once they are not exact', () => {
		const known = { ...countsOf(['a'], [[100]], 1), isExact: false };
		expect(poll(known, 105, 0).owed).toBe(0);
	});

	test('are relied on however many polls read nothing else', () => {
		let known = history([101, 1], [102, 1], [103, 1]);
		for (let readAt = 2; readAt < 5; readAt++)
			known = afterReading(known, { numbers: [[103]], readAt, chats: 10 });
		expect(known).toMatchObject({ proofs: 3, readAt: 4 });
		expect(showNoNews(known, 3, 'rows')).toBe(true);
	});

	test('a deleted message owes nothing', () => {
		expect(
			afterReading(countsOf(['a'], [[9]], 1), { numbers: [[8]], readAt: 2, chats: 10 }).owed,
		).toBe(0);
	});
});
