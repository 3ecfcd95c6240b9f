/** Which settings of the items of a batch differ, and how messages list items. */
import {
	differingSetting,
	itemNumbers,
	listed,
} from '../../nodes/ConversationalMessaging/runner/batch.ts';
import type { Varying } from '../../nodes/ConversationalMessaging/parameters/parameters.ts';

const setting = (value: unknown, more: Partial<Varying> = {}): Varying => ({
	name: 'name',
	label: 'Name',
	value,
	readAt: 0,
	...more,
});
const item = (index: number, ...settings: Varying[]) => ({ index, settings });

/** A time that was read at a moment. */
const time = (ms: number, readAt: number): Varying =>
	setting(String(ms), { moment: { iso: `time ${ms}`, ms }, readAt });

describe('a setting of all items', () => {
	test.each<[what: string, one: unknown, two: unknown]>([
		['text', 'Sale', 'Sale'],
		['a number', 7, 7],
		['nothing', undefined, undefined],
		['a list by value', [{ a: 1 }], [{ a: 1 }]],
	])('is the same: %s', (_what, one, two) => {
		expect(differingSetting([item(0, setting(one)), item(3, setting(two))])).toBeUndefined();
	});

	test.each<[one: unknown, two: unknown, values: string]>([
		['Sale', 'Other', '"Sale" (item 0), "Other" (item 3)'],
		['7', 7, '"7" (item 0), 7 (item 3)'],
		['', 'x', 'nothing (item 0), "x" (item 3)'],
		['x', undefined, '"x" (item 0), nothing (item 3)'],
		[[{ a: 1 }], [{ a: 2 }], 'a list: [{"a":1}] (item 0), a list: [{"a":2}] (item 3)'],
	])('differs: %j and %j', (one, two, values) => {
		const items = [item(0, setting(one)), item(1, setting(one)), item(3, setting(two))];
		expect(differingSetting(items)).toBe(`Name differs between input items: ${values}`);
	});

	test('differs if only a later item has it', () => {
		const items = [item(0), item(1), item(2, setting('x'))];
		expect(differingSetting(items)).toBe(
			'Name differs between input items: nothing (item 0), "x" (item 2)',
		);
		expect(differingSetting([...items].reverse())).toContain('"x" (item 2), nothing (item 1)');
	});

	test('that is a time may differ by a second more than passed between the readings, and no more', () => {
		for (const [one, two] of [
			[time(0, 50), time(1_010, 60)],
			[time(1_010, 60), time(0, 50)],
		] as const)
			expect(differingSetting([item(0, one), item(1, two)])).toBeUndefined();
		expect(differingSetting([item(0, time(0, 50)), item(1, time(1_011, 60))])).toBe(
			'Name differs between input items: time 0 (item 0), time 1011 (item 1)',
		);
		expect(differingSetting([item(0, time(1_011, 60)), item(1, time(0, 50))])).toBeDefined();
	});

	test('that is a time in some items only differs', () => {
		for (const other of [undefined, null, '0'])
			expect(differingSetting([item(0, time(1, 0)), item(1, setting(other))])).toBeDefined();
	});
});

test.each([0, 1])('%i items differ in nothing', (count) => {
	expect(differingSetting([item(0, setting('x'))].slice(0, count))).toBeUndefined();
});

test.each([
	[0, ''],
	[2, '0, 1'],
	[10, '0, 1, 2, 3, 4, 5, 6, 7, 8, 9'],
	[11, '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 1 more'],
	[99, '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 89 more'],
])('of %i values, a message lists %j', (count, text) => {
	expect(listed(Array.from({ length: count }, (_, i) => String(i)))).toBe(text);
});

test.each([
	[[3], 'item 3'],
	[[3, 7], 'items 3, 7'],
])('the items %j are called %s', (items, text) => expect(itemNumbers(items)).toBe(text));
