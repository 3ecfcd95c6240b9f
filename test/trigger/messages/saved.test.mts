/** What is kept between two polls, as text. */
import fc from 'fast-check';
import {
	readCheckpoint,
	type Saved,
	savedOf,
} from '../../../nodes/ConversationalMessaging/trigger/messages/saved.ts';
import {
	emptyMemory,
	LAST_BITS,
	LASTS,
	MOST_UNSEEN,
	rowMark,
	type Memory,
	type MessageCheckpoint,
} from '../../../nodes/ConversationalMessaging/trigger/messages/memory.ts';
import { KEY_BITS } from '../../../nodes/ConversationalMessaging/trigger/keys.ts';
import { MESSAGE_LIMITS } from '../../../nodes/ConversationalMessaging/trigger/limits.ts';

const key = fc.integer({ min: 0, max: 2 ** KEY_BITS - 1 });
const millis = fc.nat(4_102_444_800_000);
const seconds = fc.nat(4_102_444_800);
const chat = fc.record({
	mark: fc.nat(2 ** 24 - 1),
	last: fc.array(fc.integer({ min: 1, max: 2 ** LAST_BITS - 1 }), { maxLength: LASTS }),
	time: seconds,
	unseen: fc.nat(MOST_UNSEEN),
});

const memory: fc.Arbitrary<Memory> = fc.record(
	{
		start: seconds,
		polled: millis,
		rowsShow: fc.boolean(),
		pass: fc.record(
			{
				page: fc.nat(50),
				isWhole: fc.boolean(),
				isUnfiltered: fc.boolean(),
				from: millis,
				before: millis,
			},
			{ requiredKeys: ['page', 'isWhole', 'from', 'before'] },
		),
		chats: fc
			.uniqueArray(fc.tuple(key, chat), { selector: ([each]) => each, maxLength: 20 })
			.map((chats) => new Map(chats)),
		shownFor: fc.string(),
	},
	{ requiredKeys: ['start', 'polled', 'rowsShow', 'pass', 'chats'] },
);

const checkpoint: fc.Arbitrary<MessageCheckpoint> = fc.record(
	{ scope: fc.string(), token: fc.string(), failures: fc.nat(9), memory },
	{ requiredKeys: ['scope', 'token', 'failures'] },
);

const restored = (saved: Saved) => readCheckpoint(JSON.parse(JSON.stringify(saved)) as Saved);

const savedWith = (chats: Memory['chats']) =>
	savedOf({
		scope: 's',
		token: 't',
		failures: 0,
		memory: { ...emptyMemory(1_768_467_600_000), chats },
	});

test('what is saved is read again, and the order of chats with it', () => {
	fc.assert(
		fc.property(checkpoint, (before) => {
			const after = restored(savedOf(before));
			expect(after).toEqual(before);
			expect([...(after.memory?.chats.keys() ?? [])]).toStrictEqual([
				...(before.memory?.chats.keys() ?? []),
			]);
		}),
	);
});

test('the most chats take at most 190 KB, without characters that JSON escapes', () => {
	const chats = Array.from({ length: MESSAGE_LIMITS.chats }, (_, i) => {
		const last = i < MESSAGE_LIMITS.active ? [1, 2, 3, 4] : [1, 2];
		const known = { mark: 2, last, time: 1_768_467_600, unseen: 0 };
		return [Math.floor((i * 2 ** KEY_BITS) / MESSAGE_LIMITS.chats), known] as const;
	});
	const text = JSON.stringify(savedWith(new Map(chats)));
	expect(text.length).toBeLessThan(190_000);
	expect(JSON.stringify(text).length - text.length).toBeLessThan(100);
});

test('the fingerprint of a row depends on all of it, and is none of the other marks', () => {
	const rows = [
		{},
		{ id: 'c1' },
		{ id: 'c1', a: 1 },
		{ id: 'c1', a: { b: 1 } },
		{ id: 'c1', a: { b: 2 } },
	];
	const marks = rows.map(rowMark);
	expect(new Set(marks).size).toBe(rows.length);
	expect(marks.every((mark) => mark > 1 && mark < 2 ** 24)).toBe(true);
	expect(rowMark({ id: 'c1', a: 1 })).toBe(marks[2]);
});
