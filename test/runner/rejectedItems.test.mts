/** Which items cannot be part of a batch, and how a message lists them. */
import {
	itemNumbers,
	listed,
	listedValues,
} from '../../nodes/ConversationalMessaging/runner/batch.ts';
import { checkBroadcast } from '../../nodes/ConversationalMessaging/resources/broadcast/batch.ts';
import { csvRows } from '../../nodes/ConversationalMessaging/resources/broadcast/csvRows.ts';

const item = (index: number, unusable?: unknown[], name = 'Sale') => ({
	index,
	input: { itemIndex: index, settings: { Name: name }, unusable },
});

describe('items without a valid phone number', () => {
	test('are rejected all at once, each with its values', () => {
		expect(checkBroadcast([item(3, ['n/a', undefined]), item(4), item(7, [12])])).toEqual([
			{
				indexes: [3, 7],
				message:
					'2 input items have no valid phone number: "n/a" (item 3), nothing (item 3), 12 (item 7)',
				description: expect.stringContaining('country code'),
			},
		]);
	});

	test('are rejected alone', () => {
		expect(checkBroadcast([item(0), item(1, ['x', 'y'])])).toMatchObject([
			{
				indexes: [1],
				message: '1 input item has no valid phone number: "x" (item 1), "y" (item 1)',
			},
		]);
	});

	test('are no reason if a setting differs: that is said first', () => {
		const [rejected, ...more] = checkBroadcast([item(0, ['x']), item(1, [], 'Other')]);
		expect([rejected!.indexes, more]).toEqual([[0, 1], []]);
		expect(rejected!.message).toBe(
			'Name differs between input items: "Sale" (item 0), "Other" (item 1)',
		);
		expect(rejected!.description).toContain('the same for all of them');
	});

	test('differ in a setting if only some of them have a time', () => {
		const at = { iso: '2026-01-15T09:00:00.000Z', ms: Date.UTC(2026, 0, 15, 9), readAt: 0 };
		const itemAt = (index: number, value: unknown) => ({
			index,
			input: { itemIndex: index, settings: { 'Date and Time': value } },
		});
		for (const other of [undefined, null, '2026-01-15T09:00:00.000Z', {}])
			for (const items of [
				[itemAt(0, at), itemAt(1, other)],
				[itemAt(0, other), itemAt(1, at)],
			])
				expect(checkBroadcast(items)).toHaveLength(1);
	});

	test('may differ in a time by a second more than passed between them, and no more', () => {
		const at = (index: number, readAt: number, ms: number) => ({
			index,
			input: { itemIndex: index, settings: { 'Date and Time': { iso: '', ms, readAt } } },
		});
		expect(checkBroadcast([at(0, 50, 0), at(1, 60, 1_010)])).toEqual([]);
		expect(checkBroadcast([at(0, 50, 0), at(1, 60, 1_011)])).toHaveLength(1);
		expect(checkBroadcast([at(0, 60, 1_010), at(1, 50, 0)])).toEqual([]);
		expect(checkBroadcast([at(0, 60, 1_011), at(1, 50, 0)])).toHaveLength(1);
	});

	test('have the same settings by value, in any form', () => {
		const list = (index: number, values: unknown) => ({
			index,
			input: { itemIndex: index, settings: { Variables: values } },
		});
		expect(checkBroadcast([list(0, [{ a: 1 }]), list(1, [{ a: 1 }])])).toEqual([]);
		expect(checkBroadcast([list(0, [{ a: 1 }]), list(1, [{ a: 2 }])])[0]!.message).toBe(
			'Variables differs between input items: a list: [{"a":1}] (item 0), a list: [{"a":2}] (item 1)',
		);
		expect(checkBroadcast([list(0, ''), list(1, 'x')])[0]!.message).toBe(
			'Variables differs between input items: nothing (item 0), "x" (item 1)',
		);
	});

	test('are none among none', () => {
		expect(checkBroadcast([])).toEqual([]);
		expect(checkBroadcast([item(0, []), item(1)])).toEqual([]);
	});
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

test('a message lists values with their items', () => {
	expect(
		listedValues([
			[0, 'a'],
			[3, ''],
			[4, null],
			[5, ['b']],
		]),
	).toBe('"a" (item 0), nothing (item 3), nothing (item 4), a list: ["b"] (item 5)');
});

describe('items that cannot be rows of a CSV', () => {
	const rows = (columns: string[], ...items: object[]) =>
		csvRows(
			columns,
			items.map((row, itemIndex) => ({ itemIndex, row: row as Record<string, string> })),
			columns.find((column) => column === 'phone'),
		);

	test('for several reasons: the first one is said', () => {
		const { rejected } = rows(['phone', 'name'], { phone: 'x', name: ['a'] }, { phone: 'y' });
		expect(rejected).toEqual({
			message: 'The field name expects one value, but got a list: ["a"] (item 0)',
			description: 'Set the field to text or a number in an earlier node. Item numbers start at 0.',
		});
	});

	test('because no item has a field', () => {
		expect(rows(['phone', 'name'], { phone: '12025550100' }, {}).rejected).toEqual({
			message: 'No input item has the field name',
			description:
				'The template needs the fields phone, name. Rename the fields in an earlier node.',
		});
	});

	test('because of several numbers', () => {
		const { rejected, unusable, ...usable } = rows(
			['phone'],
			{ phone: 'x' },
			{ phone: '12025550100' },
			{ phone: '' },
		);
		expect(unusable).toEqual([
			[0, 'x'],
			[2, ''],
		]);
		expect(usable.rows).toEqual([{ phone: '12025550100' }]);
		expect(rejected).toEqual({
			message:
				'The field phone has no valid phone number in 2 input items: "x" (item 0), nothing (item 2)',
			description: expect.stringContaining('country code'),
		});
	});

	test('because of one number', () => {
		expect(rows(['phone'], { phone: '12025550100' }, { phone: 'x' }).rejected!.message).toBe(
			'The field phone has no valid phone number in 1 input item: "x" (item 1)',
		);
	});

	test('an item without fields has empty cells', () => {
		expect(
			csvRows(['name'], [{ itemIndex: 0 }, { itemIndex: 1, row: { name: 'a' } }], undefined).rows,
		).toEqual([{ name: '' }, { name: 'a' }]);
	});

	test('the first column with a name of phone numbers has them; others are text', () => {
		expect(rows(['phone', 'mobile'], { phone: '+12025550100', mobile: '+1 text' }).rows).toEqual([
			{ phone: '12025550100', mobile: '+1 text' },
		]);
	});
});

test.each([
	[[3], 'item 3'],
	[[3, 7], 'items 3, 7'],
])('the items %j are called %s', (items, text) => {
	expect(itemNumbers(items)).toBe(text);
});
