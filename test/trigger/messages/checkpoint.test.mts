import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { LIMITS } from '../../../nodes/ConversationalMessaging/trigger/limits.ts';
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
import { checkpointsOf, many as manyRecords } from '../checkpoints.mts';

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
	counts: { ...countsOf(['ch1'], [[5, 9]], 1), hadNews: true },
	list: { page: 2, began: 3, passes: 1, isComplete: true, isPending: true },
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

test.each([
	['whose newest message is kept', 0, 3],
	['with one known message', MESSAGE_LIMITS.recentChats, 1],
])('a chat %s takes 14 bytes', (_name, recentChats, known) => {
	const limits = { ...MESSAGE_LIMITS, recentChats };
	const size = (count: number): number => {
		const chats = many(count).map(([key, { mark, seen }]): [number, TrackedChat] => [
			key,
			{ mark, seen: seen!.slice(0, known) },
		]);
		return JSON.stringify(saved({ scope: 's', failures: 0, baseline: baselineOf(chats) }, limits))
			.length;
	};
	expect((size(10_000) - size(0)) / 10_000).toBeLessThan(14.3);
	expect(size(MESSAGE_LIMITS.chats)).toBeLessThan(175_000);
});

test.each<[string, unknown]>([
	['nothing', undefined],
	['a text', 'x'],
	['no scope', { failures: 0 }],
	['no number of failures', { scope: 's' }],
])('%s is no checkpoint', (_name, value) => {
	expect(readSaved(value)).toBeUndefined();
});

test('before the first complete poll, there is no baseline', () => {
	expect(readSaved(saved({ scope: 's', failures: 2 }))).toStrictEqual({ scope: 's', failures: 2 });
});

/** The baseline as it is read again after one value was replaced. @param path its names, with dots; undefined removes it */
const readWith = (path: string, value: unknown, chats = many(2)): MessageBaseline | undefined => {
	const whole = JSON.parse(
		JSON.stringify(saved({ scope: 's', failures: 0, baseline: baselineOf(chats) })),
	) as IDataObject;
	const names = path === '' ? ['baseline'] : `baseline.${path}`.split('.');
	const name = names.pop()!;
	names.reduce((place, one) => place[one] as IDataObject, whole)[name] = value as IDataObject;
	return readSaved(whole)?.baseline;
};

const NO_NUMBERS = [undefined, null, '5', -1, NaN];
const NO_TEXTS = [undefined, null, 5, ['x']];
const NO_OBJECTS = [undefined, null, 5, 'x', []];

describe('a baseline that cannot be read as a whole is not read at all', () => {
	test.each<[path: string, invalid: unknown[]]>([
		['', NO_OBJECTS.slice(1)],
		...[
			'startedAt',
			'since',
			'latest',
			'idlePolls',
			'polls',
			'listings',
			'cursor',
			'rounds.began',
			'rounds.before',
			'order.proofs',
			'order.head',
			'histories.newestFirst',
			'histories.oldestFirst',
		].map((path): [string, unknown[]] => [path, NO_NUMBERS]),
		...['rounds', 'order', 'histories'].map((path): [string, unknown[]] => [path, NO_OBJECTS]),
		['method', [undefined, 'guess']],
		['volatile', [undefined, 'x', [5], ['x', 5]]],
		['again', [undefined, 5, [-1], [1, 'x']]],
		['keys', [...NO_TEXTS, '', '1.1.!']],
		['values', [...NO_TEXTS, '', 'AAAAAAAAA']],
		['recent', [...NO_TEXTS, '5.7.9']],
	])('%s', (path, invalid) => {
		expect(invalid.map((value) => readWith(path, value))).toEqual(invalid.map(() => undefined));
	});

	test.each<[string, others: string, lengths: number[] | undefined]>([
		['two of them', '.7.9', [3]],
		['three of them', '.7.9.b', undefined],
		['what is no number', '.7.!', undefined],
	])('besides the newest message of a chat, %s', (_name, others, lengths) => {
		const [chat] = many(1);
		const baseline = readWith('recent', `${chat![0].toString(36)}${others}`, [chat!]);
		expect(baseline && [...baseline.chats.values()].map(({ seen }) => seen?.length)).toEqual(
			lengths,
		);
	});

	test.each(['AAA!AAAAAAAAAAAAAA', 'AAAAAAAA!AAAAAAAAA'])('chats as %s', (values) => {
		const chats = many(2).map(([key]): [number, TrackedChat] => [key, { mark: 1 }]);
		expect(readWith('values', values.replace('!', 'A'), chats)).toBeDefined();
		expect(readWith('values', values, chats)).toBeUndefined();
	});

	test('other messages of a chat whose newest one is not known', () => {
		const [[key]] = many(1) as [[number, TrackedChat]];
		expect(readWith('recent', `${key.toString(36)}.7`, [[key, { mark: 1 }]])).toBeUndefined();
	});
});

describe('without what only saves requests, the rest is read', () => {
	const COUNTS = [
		...['readAt', 'proofs', 'owedReads'].map((name): [string, unknown[]] => [name, NO_NUMBERS]),
		['owed', [undefined, '5']],
		['channels', [undefined, 'x', [5]]],
		...['numbers', 'before'].map((name): [string, unknown[]] => [
			name,
			[undefined, 'x', [5], [[5], ['x']], [[5, -1]]],
		]),
	] as [string, unknown[]][];
	const LIST = ['page', 'began', 'passes'].map((name): [string, unknown[]] => [name, NO_NUMBERS]);

	test.each<['counts' | 'list', string, unknown[]]>([
		...COUNTS.map(([name, invalid]): ['counts', string, unknown[]] => ['counts', name, invalid]),
		...LIST.map(([name, invalid]): ['list', string, unknown[]] => ['list', name, invalid]),
	])('%s: %s', (part, name, invalid) => {
		for (const value of invalid) {
			const baseline = readWith(`${part}.${name}`, value);
			expect(baseline).toStrictEqual({ ...readWith(part, undefined), chats: expect.any(Map) });
			expect(baseline).not.toHaveProperty(part);
		}
	});

	test.each(['counts', 'list'])('%s', (part) => {
		for (const value of NO_OBJECTS) expect(readWith(part, value)).not.toHaveProperty(part);
	});
});

test.each<[path: string, saved: unknown, read: unknown]>([
	['isPending', undefined, false],
	['isPending', 'yes', false],
	['shownFor', 5, undefined],
	['method', 'turns', 'turns'],
	['list.isComplete', 'yes', false],
	['list.isPending', undefined, false],
	['counts.hadNews', 'yes', false],
	['counts.isExact', undefined, false],
	['counts.owed', -3, -3],
])('%s %j is read as %j', (path, value, expected) => {
	const found = path
		.split('.')
		.reduce<unknown>((place, name) => (place as IDataObject)[name], readWith(path, value));
	expect(found).toBe(expected);
});

describe('the state of the trigger', () => {
	const sources = {
		ticketStatusChanged: {
			scope: 't',
			token: 'u',
			filter: { statuses: [], includeNew: true },
			failures: 0,
		},
	};
	const messages = { scope: 's', failures: 0, baseline: baselineOf(many(3)) };

	test('contains both, and without messages it is the text of the sources alone', () => {
		const read = decodeState(encodeState({ sources, messages }));
		expect(read.sources).toEqual(sources);
		expect(read.messages?.baseline?.chats.size).toBe(3);
		expect(encodeState({ sources })).toBe(
			'{"version":3,"checkpoints":{"ticketStatusChanged":{"scope":"t","token":"u","filter":{"statuses":[],"includeNew":true},"failures":0}}}',
		);
		expect(decodeState(encodeState({ sources }))).toEqual({ sources });
	});

	test('has one limit for both: chats leave less for the records of other events', () => {
		const tickets = checkpointsOf(manyRecords(95_000, 600));
		const chats = { ...messages, baseline: baselineOf(many(1_000)) };
		const text = encodeState({ sources: tickets, messages: chats });
		const alone = encodeState({ sources: tickets });
		expect(alone.length + JSON.stringify(saved(chats)).length).toBeGreaterThan(LIMITS.characters);
		expect(text.length).toBeLessThanOrEqual(LIMITS.characters + ',"messages":'.length);
		expect(decodeState(text).messages?.baseline?.chats.size).toBe(1_000);
		expect(decodeState(text).sources.ticketStatusChanged?.memory?.records.counts).toEqual(
			new Map([
				['OPEN', 600],
				['CLOSED', 95_000],
			]),
		);
	});

	test.each([undefined, '', '{', 'null', '{"messages":5}', 5])('%j is no state', (text) => {
		expect(decodeState(text)).toMatchObject({ sources: {} });
		expect(decodeState(text).messages).toBeUndefined();
	});
});
