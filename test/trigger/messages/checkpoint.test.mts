import fc from 'fast-check';
import { decodeState, encodeState } from '../../../nodes/ConversationalMessaging/trigger/state.ts';
import {
	chatKey,
	messageHash,
	type MessageBaseline,
	type TrackedChat,
} from '../../../nodes/ConversationalMessaging/trigger/messages/baseline.ts';
import {
	readSaved,
	saved,
} from '../../../nodes/ConversationalMessaging/trigger/messages/checkpoint.ts';
import { countsOf } from '../../../nodes/ConversationalMessaging/trigger/messages/counts.ts';
import { MESSAGE_LIMITS } from '../../../nodes/ConversationalMessaging/trigger/messages/limits.ts';

const baselineOf = (chats: Iterable<[number, TrackedChat]>): MessageBaseline => ({
	startedAt: 1,
	since: 2,
	latest: 3,
	method: 'rows',
	volatile: ['meta.fetchedAt'],
	order: { proofs: 2, head: 7 },
	histories: { newestFirst: 8, oldestFirst: 9 },
	again: [1, 2 ** 42 - 1],
	idlePolls: 1,
	counts: countsOf(['ch1'], [[5, 9]], 1),
	polls: 4,
	listings: 3,
	cursor: 5,
	rounds: { began: 6, before: 7 },
	isPending: true,
	shownFor: '["kind","L"]',
	chats: new Map(chats),
});

const again = (baseline: MessageBaseline, limits = MESSAGE_LIMITS): MessageBaseline => {
	const text = JSON.stringify(saved({ scope: 's', failures: 0, baseline }, limits));
	return readSaved(JSON.parse(text))!.baseline!;
};

const mark = fc.nat(2 ** 24 - 1);
const chat: fc.Arbitrary<TrackedChat> = fc.oneof(
	fc.record(
		{ mark, seen: fc.array(fc.integer({ min: 4, max: 2 ** 30 - 1 }), { maxLength: 3 }) },
		{ requiredKeys: ['mark'] },
	),
	fc.record(
		{ mark, seen: fc.constant([]), isRejected: fc.constant<true>(true) },
		{ requiredKeys: ['mark', 'isRejected'] },
	),
);

test('what is saved is read again, with the chats that had news last at the end', () => {
	const key = fc.maxSafeNat().map((number) => number % 2 ** 42);
	fc.assert(
		fc.property(fc.uniqueArray(fc.tuple(key, chat), { selector: ([one]) => one }), (chats) => {
			const baseline = baselineOf(chats);
			const read = again(baseline);
			expect({ ...read, chats: undefined }).toEqual({ ...baseline, chats: undefined });
			const sorted = (all: ReadonlyMap<number, TrackedChat>) =>
				[...all].sort(([one], [other]) => one - other);
			expect(sorted(read.chats)).toEqual(sorted(baseline.chats));
			const withSeveral = (all: ReadonlyMap<number, TrackedChat>) =>
				[...all].filter(([, { seen = [] }]) => seen.length > 1).map(([one]) => one);
			expect(withSeveral(read.chats)).toEqual(withSeveral(baseline.chats));
		}),
	);
});

const many = (count: number): [number, TrackedChat][] =>
	Array.from({ length: count }, (_, i) => [
		chatKey(`cm4k2w8qx${i}`),
		{ mark: i, seen: [1, 2, 3].map((n) => messageHash(`m${i}.${n}`)) },
	]);

test('of chats without recent messages, only the newest message is kept', () => {
	const { chats } = again(baselineOf(many(20)), { ...MESSAGE_LIMITS, recentChats: 5 });
	const lengths = many(20).map(([key]) => chats.get(key)!.seen!.length);
	expect(lengths).toEqual([...Array<number>(15).fill(1), ...Array<number>(5).fill(3)]);
});

test('of too many chats, those without news for the longest time are left out', () => {
	const { chats } = again(baselineOf(many(20)), { ...MESSAGE_LIMITS, chats: 5 });
	expect(chats.size).toBe(5);
	expect(
		many(20)
			.slice(-5)
			.every(([key]) => chats.has(key)),
	).toBe(true);
});

test('a chat takes 14 bytes', () => {
	const limits = { ...MESSAGE_LIMITS, recentChats: 0 };
	const size = (count: number): number =>
		JSON.stringify(saved({ scope: 's', failures: 0, baseline: baselineOf(many(count)) }, limits))
			.length;
	expect((size(10_000) - size(0)) / 10_000).toBeLessThan(14.3);
	expect(size(MESSAGE_LIMITS.chats)).toBeLessThan(175_000);
});

test.each<[string, unknown]>([
	['nothing', undefined],
	['a text', 'x'],
	['no scope', { failures: 0 }],
	['a method that does not exist', { method: 'guess' }],
	['more values than keys', { values: 'AAAAAAAAA' }],
	['invalid characters', { keys: '39.1.e7l8pfB', values: 'AAAA!AAAA' }],
	['other messages of a chat that is not kept', { recent: '5.7.9' }],
	['counts without numbers', { counts: { channels: ['a'] } }],
])('%s cannot be read', (_name, change) => {
	const whole = saved({ scope: 's', failures: 0, baseline: baselineOf([]) }) as {
		baseline: object;
	};
	const isChange = typeof change === 'object' && change !== null && !('failures' in change);
	const value = isChange ? { ...whole, baseline: { ...whole.baseline, ...change } } : change;
	expect(readSaved(value)).toBeUndefined();
});

describe('the state of the trigger', () => {
	const sources = {
		ticketStatusChanged: { scope: 't', filter: { statuses: [], includeNew: true }, failures: 0 },
	};
	const messages = { scope: 's', failures: 0, baseline: baselineOf(many(3)) };

	test('contains both, and without messages it is the text of earlier versions', () => {
		const read = decodeState(encodeState({ sources, messages }));
		expect(read.sources).toEqual(sources);
		expect(read.messages?.baseline?.chats.size).toBe(3);
		expect(encodeState({ sources })).toBe(
			'{"version":2,"checkpoints":{"ticketStatusChanged":{"scope":"t","filter":{"statuses":[],"includeNew":true},"failures":0}}}',
		);
		expect(decodeState(encodeState({ sources }))).toEqual({ sources });
	});

	test.each([undefined, '', '{', 'null', '{"messages":5}', 5])('%j is no state', (text) => {
		expect(decodeState(text)).toMatchObject({ sources: {} });
		expect(decodeState(text).messages).toBeUndefined();
	});
});
