/** What is kept between two polls, as text. */
import fc from 'fast-check';
import {
	readCheckpoint,
	savedOf,
} from '../../../nodes/ConversationalMessaging/trigger/messages/saved.ts';
import {
	rowMark,
	type MessageCheckpoint,
	type MessageState,
} from '../../../nodes/ConversationalMessaging/trigger/messages/state.ts';
import { KEY_BITS } from '../../../nodes/ConversationalMessaging/trigger/keys.ts';
import { MESSAGE_LIMITS } from '../../../nodes/ConversationalMessaging/trigger/limits.ts';

const key = fc.integer({ min: 0, max: 2 ** KEY_BITS - 1 });
/** Seconds from 2020 to 2050. */
const seconds = fc.integer({ min: 1577836800, max: 2524608000 });
const millis = fc.nat(4_102_444_800_000);
const keys = fc.uniqueArray(key, { maxLength: 9 });
const times = fc
	.uniqueArray(fc.tuple(key, seconds), { selector: ([each]) => each, maxLength: 20 })
	.map((entries) => new Map(entries));

const state: fc.Arbitrary<MessageState> = fc.record({
	start: seconds,
	chats: fc
		.uniqueArray(fc.tuple(key, fc.record({ mark: fc.nat(2 ** 24 - 1), readTo: seconds })), {
			selector: ([each]) => each,
			maxLength: 20,
		})
		.map((chats) => new Map(chats)),
	seenSince: seconds,
	seen: times,
	clocksAgree: fc.boolean(),
	passes: fc.array(millis, { maxLength: 3 }),
	page: fc.integer({ min: 1, max: 90 }),
	again: keys,
	failing: keys,
	trust: fc.nat(10),
	shownFor: fc.string(),
});

const checkpoint: fc.Arbitrary<MessageCheckpoint> = fc.record(
	{ scope: fc.string(), token: fc.string(), failures: fc.nat(9), state },
	{ requiredKeys: ['scope', 'token', 'failures'] },
);

const EMPTY: MessageState = {
	start: 1768467600,
	chats: new Map(),
	seenSince: 1768467600,
	seen: new Map(),
	clocksAgree: true,
	passes: [1],
	page: 1,
	again: [],
	failing: [],
	trust: 0,
};

/** A checkpoint as it is saved. */
const savedWith = (change: Partial<MessageState>) =>
	savedOf({ scope: 's', token: 't', failures: 0, state: { ...EMPTY, ...change } });

const restored = (value: unknown) => readCheckpoint(JSON.parse(JSON.stringify(value)));

test('what is saved is read again, and the order of chats with it', () => {
	fc.assert(
		fc.property(checkpoint, (before) => {
			const after = restored(savedOf(before));
			expect(after).toEqual(before);
			expect([...(after?.state?.chats.keys() ?? [])]).toStrictEqual([
				...(before.state?.chats.keys() ?? []),
			]);
		}),
	);
});

test('the most chats and IDs take at most 215 KB, without characters that JSON escapes', () => {
	const spread = (count: number) =>
		Array.from({ length: count }, (_, i) => Math.floor((i * 2 ** KEY_BITS) / count));
	const { chats, ids } = MESSAGE_LIMITS;
	const text = JSON.stringify(
		savedWith({
			chats: new Map(spread(chats).map((each) => [each, { mark: 1, readTo: 1768467600 }])),
			seen: new Map(spread(ids).map((each) => [each, 1768467600])),
		}),
	);
	expect(text.length).toBeLessThan(215_000);
	expect(JSON.stringify(text).length - text.length).toBeLessThan(100);
});

describe('a text that this version cannot read starts anew', () => {
	const valid = savedWith({
		chats: new Map([[5, { mark: 7, readTo: 1768467600 }]]),
		seen: new Map([[5, 1768467600]]),
	}) as { state: Record<string, unknown> };

	test('it is readable without a change', () => {
		expect(readCheckpoint(valid)).toBeDefined();
	});

	test.each<[string, unknown]>([
		['start', '1'],
		['chats', 'AAAA'],
		['chats', '!AAAAAAAAAAAAAAA'],
		['chats', undefined],
		['seenSince', -1],
		['seen', []],
		['seen', 'AAAAAAAAAAA'],
		['clocksAgree', 1],
		['passes', [null]],
		['page', 'x'],
		['page', 1.5],
		['again', {}],
		['again', Array.from({ length: 100_000 }, (_, i) => i)],
		['failing', undefined],
		['trust', NaN],
		['trust', 11],
		['shownFor', 1],
	])('with another %s: %j', (name, value) => {
		expect(readCheckpoint({ ...valid, state: { ...valid.state, [name]: value } })).toBeUndefined();
	});

	test.each([
		undefined,
		null,
		7,
		'text',
		[],
		{},
		{ scope: 's', failures: 0 },
		{ scope: 1, token: '', failures: 0 },
	])('%j', (value) => {
		expect(readCheckpoint(value)).toBeUndefined();
	});
});

test('the fingerprint of a row depends on all of it, and is never 0', () => {
	const rows = [
		{},
		{ id: 'c1' },
		{ id: 'c1', a: 1 },
		{ id: 'c1', a: { b: 1 } },
		{ id: 'c1', a: { b: 2 } },
	];
	const marks = rows.map(rowMark);
	expect(new Set(marks).size).toBe(rows.length);
	expect(marks.every((mark) => mark > 0 && mark < 2 ** 24)).toBe(true);
	expect(rowMark({ id: 'c1', a: 1 })).toBe(marks[2]);
});
