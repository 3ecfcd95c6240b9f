import fc from 'fast-check';
import { csvRows } from '../../nodes/ConversationalMessaging/resources/broadcast/csvRows.ts';
import { checkBroadcast } from '../../nodes/ConversationalMessaging/resources/broadcast/batch.ts';
import { Work } from '../work.mts';

const item = (index: number, settings: Record<string, unknown>, more: object = {}) => ({
	index,
	input: { itemIndex: index, settings, ...more },
});
const moment = (ms: number) => ({ iso: new Date(ms).toISOString(), ms });

describe('items that share one broadcast', () => {
	test('items with the same settings share a broadcast, whatever the values', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(5), (settings, others) => {
				const items = Array.from({ length: others + 1 }, (_, index) =>
					item(index * 3, structuredClone(settings)),
				);
				expect(checkBroadcast(items)).toEqual([]);
			}),
		);
	});

	test('all items are rejected when one setting of one item differs, with its name and both items', () => {
		const settings = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 });
		fc.assert(
			fc.property(settings, fc.nat(20), fc.nat(20), (common, before, after) => {
				const name = Object.keys(common)[0]!;
				const items = [...Array(before + 1 + after).keys()].map((index) =>
					item(index + 10, { ...common, ...(index === before + 1 && { [name]: 'another value' }) }),
				);
				fc.pre(after > 0 && common[name] !== 'another value');
				const [rejected, ...more] = checkBroadcast(items);
				expect(more).toEqual([]);
				expect(rejected!.indexes).toEqual(items.map(({ index }) => index));
				expect(rejected!.message.startsWith(`${name} differs between input items: `)).toBe(true);
				expect(rejected!.message).toContain('(item 10)');
				expect(rejected!.message).toContain(`(item ${before + 11})`);
			}),
		);
	});

	test('a time may advance while the items are read, and must not differ otherwise', () => {
		const START = 1.9e12;
		const at = (readAt: number, ms: number) =>
			item(readAt, { 'Date and Time': { ...moment(START + ms), readAt } });
		// `$now` for a hundred thousand items, to whole seconds
		expect(checkBroadcast([at(500, 0), at(70_400, 70_000), at(250_499, 250_000)])).toEqual([]);
		// A second more per item
		expect(checkBroadcast([at(0, 0), at(3, 1_000), at(6, 2_000)])[0]!.message).toBe(
			'Date and Time differs between input items: 2030-03-17T17:46:40.000Z (item 0), 2030-03-17T17:46:42.000Z (item 6)',
		);
		expect(checkBroadcast([at(0, 0), at(10, 60_000)])).toHaveLength(1);
		expect(checkBroadcast([at(0, 60_000), at(10, 0)])).toHaveLength(1);
	});

	test('an item with a value differs from one without', () => {
		expect(
			checkBroadcast([item(0, { Channel: undefined }), item(1, { Channel: 'c' })])[0]!.message,
		).toBe('Channel differs between input items: nothing (item 0), "c" (item 1)');
		// A template variable that only some of the items have.
		expect(checkBroadcast([item(0, {}), item(1, { 'Body {{1}}': 'Ann' })])[0]!.message).toBe(
			'Body {{1}} differs between input items: nothing (item 0), "Ann" (item 1)',
		);
		expect(checkBroadcast([item(0, { 'Body {{1}}': 'Ann' }), item(1, {})])).toHaveLength(1);
	});

	test('the work of comparing items grows in proportion to their number', () => {
		const settings = Object.fromEntries([...Array(15).keys()].map((name) => [`S${name}`, 'v']));
		const items = (count: number) =>
			[...Array(count).keys()].map((index) =>
				item(index, { ...settings }, { numbers: ['12025550100'] }),
			);
		const workOf = (count: number) => {
			const work = new Work();
			expect(checkBroadcast(work.watch(items(count)))).toEqual([]);
			return work.reads;
		};
		const [one, four] = [workOf(1_000), workOf(4_000)];
		expect(one).toBeGreaterThan(15 * 1_000);
		expect(four / one).toBeLessThan(4.1);
		// More items than a call can have arguments.
		expect(checkBroadcast(items(200_000))).toEqual([]);
	});
});

describe('the rows of a CSV file from items', () => {
	const input = (itemIndex: number, row: Record<string, never> | object) => ({
		itemIndex,
		row: row as Record<string, string>,
	});

	test('a row has the columns of the template only, as text', () => {
		const inputs = [
			input(0, { phone: '+1 (202) 555-0100', 1: 7, other: 'x' }),
			input(1, { phone: 12025550101, 1: false }),
			input(2, { phone: '12025550102', 1: null }),
		];
		expect(csvRows(['phone', '1'], inputs, 'phone')).toMatchObject({
			rows: [
				{ phone: '12025550100', 1: '7' },
				{ phone: '12025550101', 1: 'false' },
				{ phone: '12025550102', 1: '' },
			],
		});
	});

	test('rows that are the same in every column are sent once, with a plus or without', () => {
		const inputs = [
			input(0, { phone: '+12025550100', 1: 'a' }),
			input(1, { phone: '1-202-555-0100', 1: 'a' }),
			input(2, { phone: '12025550100', 1: 'b' }),
		];
		expect(csvRows(['phone', '1'], inputs, 'phone')).toMatchObject({
			rows: [
				{ phone: '12025550100', 1: 'a' },
				{ phone: '12025550100', 1: 'b' },
			],
			// Those of the first ones.
			itemIndexes: [0, 2],
			duplicates: 1,
			unusable: [],
			rejected: undefined,
		});
	});

	test('the values of a column without phone numbers stay as they are', () => {
		const inputs = [input(0, { to: '+1 202 555 0100' })];
		expect(csvRows(['to'], inputs, 'to').rows).toEqual([{ to: '12025550100' }]);
		expect(csvRows(['to'], inputs, undefined).rows).toEqual([{ to: '+1 202 555 0100' }]);
	});

	test('a column that no item has is rejected, and so is a list as a value', () => {
		expect(
			csvRows(['phone', '1'], [input(0, { phone: '12025550100' })], 'phone').rejected!.message,
		).toBe('No input item has the field 1');
		const inputs = [
			input(0, { phone: '12025550100', 1: ['a'] }),
			input(1, { phone: '12025550100', 1: 'a' }),
		];
		expect(csvRows(['phone', '1'], inputs, 'phone').rejected!.message).toBe(
			'The field 1 expects one value, but got a list: ["a"] (item 0)',
		);
	});
});
