import { encodeKeys } from '../../nodes/ConversationalMessaging/trigger/keySet.ts';
import { KEY_BITS, keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import {
	type Group,
	groupsOf,
	isFilled,
	plain,
	readTracked,
	textOf,
	unplain,
	withoutOwnChanges,
} from '../../nodes/ConversationalMessaging/trigger/recordGroups.ts';
import {
	type TrackedRecord,
	TrackedRecords,
} from '../../nodes/ConversationalMessaging/trigger/tracked.ts';

const record = (
	status: string,
	changes: number,
	recency: TrackedRecord['recency'],
): TrackedRecord => ({ status, changes, recency });

const group = (of: TrackedRecord, keys: number[], ids: string[] = []): Group => ({
	...of,
	keys,
	ids,
});

const tracked = (named: [string, TrackedRecord][], archived: [number, TrackedRecord[]][]) =>
	new TrackedRecords(new Map(named), new Map(archived));

describe('the groups of records', () => {
	test('have the same status, number of changes and recency', () => {
		const records = tracked(
			[],
			[
				[1, [record('CLOSED', 0, 0)]],
				[2, [record('CLOSED', 0, 0), record('RESOLVED', 0, 0)]],
				[3, [record('CLOSED', 1, 0)]],
				[4, [record('CLOSED', 0, 1)]],
			],
		);
		expect(groupsOf(records, 9)).toEqual([
			group(record('CLOSED', 0, 0), [1, 2]),
			group(record('RESOLVED', 0, 0), [2]),
			group(record('CLOSED', 1, 0), [3]),
			group(record('CLOSED', 0, 1), [4]),
		]);
	});

	test('contain records that are known by their ID, which are never old', () => {
		const records = tracked(
			[
				['A', record('OPEN', 3, 0)],
				['B', record('OPEN', 3, 2)],
			],
			[[1, [record('OPEN', 3, 2)]]],
		);
		expect(groupsOf(records, 9)).toEqual([group(record('OPEN', 3, 2), [1], ['A', 'B'])]);
	});

	const recent = (count: number): [number, TrackedRecord[]][] =>
		Array.from({ length: count }, (_, key) => [key, [record('CLOSED', 0, 2)]]);

	test('those that changed recently stay recent, as long as there are not too many', () => {
		const others: [number, TrackedRecord[]][] = [[9, [record('CLOSED', 0, 1)]]];
		const groups = groupsOf(tracked([], [...recent(3), ...others]), 3);
		expect(groups).toEqual([
			group(record('CLOSED', 0, 2), [0, 1, 2]),
			group(record('CLOSED', 0, 1), [9]),
		]);
	});

	test('all become older once there are too many recent ones; those known by their ID do not', () => {
		const named: [string, TrackedRecord][] = [['A', record('OPEN', 0, 2)]];
		const others: [number, TrackedRecord[]][] = [
			[8, [record('CLOSED', 0, 1)]],
			[9, [record('CLOSED', 0, 0)]],
			[7, [record('OPEN', 0, 2)]],
		];
		const groups = groupsOf(tracked(named, [...recent(3), ...others]), 3).filter(isFilled);
		expect(groups).toEqual([
			group(record('OPEN', 0, 1), [7]),
			group(record('OPEN', 0, 2), [], ['A']),
			group(record('CLOSED', 0, 1), [0, 1, 2]),
			group(record('CLOSED', 0, 0), [8, 9]),
		]);
	});

	test('that become older keep the number of their changes: it is part of the ID of the next event', () => {
		const changed: [number, TrackedRecord[]][] = [
			[7, [record('CLOSED', 5, 2)]],
			[8, [record('CLOSED', 2, 1)]],
		];
		expect(groupsOf(tracked([], [...recent(3), ...changed]), 3).filter(isFilled)).toEqual([
			group(record('CLOSED', 0, 1), [0, 1, 2]),
			group(record('CLOSED', 5, 1), [7]),
			group(record('CLOSED', 2, 0), [8]),
		]);
	});
});

test('without their own numbers of changes, records have the highest one of their group', () => {
	const groups = [
		group(record('CLOSED', 2, 0), [1], ['A']),
		group(record('CLOSED', 5, 0), [2], ['B']),
		group(record('CLOSED', 1, 0), [3]),
		group(record('CLOSED', 1, 1), [4]),
		group(record('OPEN', 1, 0), [5]),
	];
	expect(withoutOwnChanges(groups)).toEqual([
		group(record('CLOSED', 5, 0), [1, 2, 3], ['A', 'B']),
		group(record('CLOSED', 1, 1), [4]),
		group(record('OPEN', 1, 0), [5]),
	]);
	// The given ones stay as they are.
	expect(groups[0]).toEqual(group(record('CLOSED', 2, 0), [1], ['A']));
});

test('a group is filled if it has keys or IDs', () => {
	const none = record('OPEN', 0, 0);
	expect([group(none, [1]), group(none, [], ['A']), group(none, [])].map(isFilled)).toEqual([
		true,
		true,
		false,
	]);
});

describe('the text of a group', () => {
	const keys = [keyOf('a'), keyOf('b')].sort((one, other) => one - other);

	test('contains its status, changes, recency, keys and IDs, without spaces in them', () => {
		const text = textOf(group(record('IN PROGRESS', 3, 2), keys, ['A 1', 'B']));
		expect(text).toBe(`IN%0020PROGRESS 3 2 ${encodeKeys(keys)} A%00201 B`);
		const read = readTracked([text], KEY_BITS)!;
		const expected = record('IN PROGRESS', 3, 2);
		expect([...read.byId]).toEqual([
			['A 1', expected],
			['B', expected],
		]);
		expect([...read.archived]).toEqual(keys.map((key) => [key, [expected]]));
		expect(read.bits).toBe(KEY_BITS);
	});

	test('of several groups with one key, each record is read', () => {
		const [one, other] = [record('CLOSED', 10, 0), record('RESOLVED', 0, 1)];
		const texts = [textOf(group(one, [7])), textOf(group(other, [7, 8]))];
		expect([...readTracked(texts, 12)!.archived]).toEqual([
			[7, [one, other]],
			[8, [other]],
		]);
	});

	test.each([
		[`CLOSED 0 0 ${encodeKeys([1])}`, true],
		[`CLOSED 12 2 ${encodeKeys([])}`, true],
		[` 0 0 ${encodeKeys([1])}`, false],
		[`CLOSED x 0 ${encodeKeys([1])}`, false],
		[`CLOSED 1x 0 ${encodeKeys([1])}`, false],
		[`CLOSED x1 0 ${encodeKeys([1])}`, false],
		[`CLOSED  0 ${encodeKeys([1])}`, false],
		[`CLOSED 0 3 ${encodeKeys([1])}`, false],
		[`CLOSED 0 10 ${encodeKeys([1])}`, false],
		[`CLOSED 0  ${encodeKeys([1])}`, false],
		['CLOSED 0 0 x', false],
		['CLOSED 0 0', false],
		['CLOSED 0', false],
		['CLOSED', false],
		['', false],
	])('%j is valid: %j', (text, isValid) => {
		expect(readTracked([text], KEY_BITS) !== undefined).toBe(isValid);
	});
});

test.each([
	['cm4k2w8qx0001', 'cm4k2w8qx0001'],
	['a b', 'a%0020b'],
	['100%', '100%0025'],
	['"\\\n', '%0022%005c%000a'],
	['ü€😀', '%00fc%20ac%d83d%de00'],
	['!#~[]', '!#~[]'],
])('%j is kept as %j', (text, kept) => {
	expect(plain(text)).toBe(kept);
	expect(unplain(kept)).toBe(text);
	expect(JSON.stringify(kept)).toHaveLength(kept.length + 2);
});
