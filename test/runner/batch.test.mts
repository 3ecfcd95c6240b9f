/** Which settings of the items of a batch differ. */
import { differingSetting } from '../../nodes/ConversationalMessaging/runner/batch.ts';
import type { ItemSetting } from '../../nodes/ConversationalMessaging/parameters/parameters.ts';

const setting = (value: unknown): ItemSetting => ({ name: 'name', label: 'Name', value });
const item = (index: number, ...settings: ItemSetting[]) => ({ index, settings });

describe('a setting of all items', () => {
	test.each<[what: string, one: unknown, two: unknown]>([
		['nothing', undefined, undefined],
		['a list by value', [{ a: 1 }], [{ a: 1 }]],
		['a date by its time', new Date(1_000), new Date(1_000)],
	])('is the same: %s', async (_what, one, two) => {
		expect(await differingSetting([item(0, setting(one)), item(3, setting(two))])).toBeUndefined();
	});

	test.each<[one: unknown, two: unknown, values: string | RegExp]>([
		['7', 7, '"7" (item 0), 7 (item 3)'],
		['', 'x', 'nothing (item 0), "x" (item 3)'],
		[1, new Date(0), /^Name differs between input items: 1 \(item 0\), a date: .*1970/],
		[[{ a: 1 }], [{ a: 2 }], 'a list: [{"a":1}] (item 0), a list: [{"a":2}] (item 3)'],
	])('differs: %j and %j', async (one, two, values) => {
		const items = [item(0, setting(one)), item(1, setting(one)), item(3, setting(two))];
		expect((await differingSetting(items))!.message).toMatch(
			typeof values === 'string' ? `Name differs between input items: ${values}` : values,
		);
	});

	test('differs if only a later item has it', async () => {
		const items = [item(0), item(1), item(2, setting('x'))];
		expect(await differingSetting(items)).toStrictEqual({
			field: 'name',
			message: 'Name differs between input items: nothing (item 0), "x" (item 2)',
		});
	});
});

test.each([0, 1])('%i items differ in nothing', async (count) => {
	expect(await differingSetting([item(0, setting('x'))].slice(0, count))).toBeUndefined();
});
