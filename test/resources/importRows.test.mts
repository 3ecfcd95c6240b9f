import fc from 'fast-check';
import {
	IG_ID,
	isHeaderRow,
	layoutOf,
	NAME,
	namedColumn,
	WA_ID,
} from '../../nodes/ConversationalMessaging/resources/contactImport/importColumns.ts';
import {
	addCell,
	checkImport,
	importRows,
	type ImportInput,
} from '../../nodes/ConversationalMessaging/resources/contactImport/importRows.ts';
import { itemNumbers } from '../../nodes/ConversationalMessaging/runner/batch.ts';
import { Work } from '../work.mts';

const OWN = [NAME, WA_ID, IG_ID];
const input = (itemIndex: number, cells: ImportInput['cells']): ImportInput => ({
	itemIndex,
	cells,
	unusable: [],
	settings: {},
});

const checked = (inputs: ImportInput[]) =>
	checkImport(inputs.map((one) => ({ index: one.itemIndex, input: one })));

describe('the columns for name, WhatsApp ID and Instagram ID', () => {
	test.each([
		['name,waId,igId', 'name,waId,igId'],
		['Name,WhatsApp ID,Instagram ID', 'Name,WhatsApp ID,Instagram ID'],
		['wa_id,NAME,ig_id,note', 'NAME,wa_id,ig_id'],
		[
			'Full Name*,Phone (with country code),Instagram User ID',
			'Full Name*,Phone (with country code),Instagram User ID',
		],
		['phone,name', 'name,phone,'],
		['mobile,phone,waId,name', 'name,waId,'],
		['customName,name,igUsername', 'name,,'],
		[' name , "waId"', ' name , "waId",'],
		['Nombre,Teléfono', ',,'],
		['contact,contact_number', 'contact,contact_number,'],
		[
			'Phone [with country code],Name (as on the ID)',
			'Name (as on the ID),Phone [with country code],',
		],
		// As it is spelled first, else the first of several spellings.
		['NAME,name,Name', 'name,,'],
		['Full name,full-name', 'Full name,,'],
	])('the columns are found in the template %s', (template, found) => {
		const { columns, columnOf } = layoutOf(template.split(','), OWN);
		expect(columnOf.map((column) => column ?? '').join(',')).toBe(found);
		expect(columns).toEqual(template.split(','));
	});

	test('without a template, each field gets a column of its own name', () => {
		expect(layoutOf(undefined, [...OWN, namedColumn('tier')])).toEqual({
			columns: ['name', 'waId', 'igId', 'tier'],
			columnOf: ['name', 'waId', 'igId', 'tier'],
		});
	});

	test('a column without letters and digits is found only as it is spelled', () => {
		const template = ['name', '*', '()', ''];
		expect(layoutOf(template, ['*', '?'].map(namedColumn)).columnOf).toEqual(['*', undefined]);
	});

	test('a column that a user named is found in another spelling, but not under another name', () => {
		const fields = ['custom name', 'City', 'phone'].map(namedColumn);
		expect(layoutOf(['customName', 'city', 'waId'], fields).columnOf).toEqual([
			'customName',
			'city',
			undefined,
		]);
	});
});

test.each([
	['name,waId', true],
	['waId', true],
	['name;waId', false],
	['name\twaId', false],
	['name|waId', false],
	['name;waId, ', false],
	[' ,name', true],
	['', false],
])('the line %j is recognized as a header row or not', (line, is) => {
	expect(isHeaderRow(line.split(','))).toBe(is);
});

describe('the rows of an import', () => {
	const city = namedColumn('City');

	test('rows have every column of the template, in its order', () => {
		const inputs = [
			input(0, [
				[WA_ID, '12025550143'],
				[city, 'Berlin'],
			]),
			input(1, [[NAME, 'Ann']]),
		];
		expect(importRows(['city', 'phone', 'name', 'note'], inputs, false)).toEqual({
			columns: ['city', 'phone', 'name', 'note'],
			rows: [{ phone: '12025550143', city: 'Berlin' }, { name: 'Ann' }],
			empty: [],
		});
	});

	test('each item with a value becomes a row, and the others are listed', () => {
		const inputs = [input(0, []), input(1, [[NAME, 'Ann']]), input(2, [])];
		expect(importRows(['name'], inputs, false)).toMatchObject({
			rows: [{ name: 'Ann' }],
			empty: [0, 2],
		});
	});

	test('without a template, there is a column for each of the node’s own fields, used or not', () => {
		const inputs = [input(0, [[city, 'Berlin']])];
		expect(importRows(undefined, inputs, false)).toEqual({
			columns: ['name', 'waId', 'igId', 'City'],
			rows: [{ City: 'Berlin' }],
			empty: [],
		});
	});

	test('an import without any value is rejected', () => {
		expect(importRows(['name'], [input(0, []), input(1, [])], false)).toMatchObject({
			message: 'No input item has a value for any column',
		});
	});

	const homeless = [
		input(0, [[NAME, 'Ann']]),
		...Array.from({ length: 13 }, (_, n) => input(n + 1, [[IG_ID, 'x']])),
		input(20, [[city, 'Berlin']]),
	];
	test('a value without a column is rejected with its items', () => {
		expect(importRows(['name', 'waId'], homeless, false)).toEqual({
			message:
				'The service’s import template has no column for Instagram ID (items 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, and 3 more), the column City (item 20)',
			description: expect.stringContaining('Its columns are name, waId.'),
		});
	});
	test('a value without a column gets one of its own, if that is allowed', () => {
		expect(importRows(['name', 'waId'], homeless, true)).toMatchObject({
			columns: ['name', 'waId', 'igId', 'City'],
		});
	});

	test('two equal values for a column count as one, two different ones are rejected', () => {
		const same = namedColumn('NAME');
		const both = (value: string) =>
			importRows(
				['name'],
				[
					input(3, [
						[NAME, 'Ann'],
						[same, value],
					]),
				],
				false,
			);
		expect(both('Ann')).toMatchObject({ rows: [{ name: 'Ann' }] });
		expect(both('Bob')).toMatchObject({
			message: 'Two fields have different values for the column name (item 3)',
		});
	});

	test('a column may have any name', () => {
		const odd = namedColumn('__proto__');
		const made = importRows(undefined, [input(0, [[odd, 'x']])], false) as { rows: object[] };
		expect(Object.entries(made.rows[0]!)).toEqual([['__proto__', 'x']]);
	});

	const inputsOf = (length: number) =>
		Array.from({ length }, (_, n) => input(n, [[namedColumn('City'), `${n}`]]));

	test('the work of making rows grows in proportion to the number of items', () => {
		const workOf = (count: number) => {
			const work = new Work();
			const inputs = work.watch(inputsOf(count));
			expect(checked(inputs)).toEqual([]);
			importRows(['name', 'waId'], inputs, true);
			importRows(['name', 'waId'], inputs, false);
			return work.reads;
		};
		const [one, four] = [workOf(1_000), workOf(4_000)];
		expect(one).toBeGreaterThan(1_000);
		expect(four / one).toBeLessThan(4.1);
	});

	test('a hundred thousand items become rows', () => {
		const inputs = inputsOf(100_000);
		expect(checked(inputs)).toEqual([]);
		expect(importRows(['name', 'waId'], inputs, true)).toMatchObject({ rows: { length: 100_000 } });
		const { message } = importRows(['name', 'waId'], inputs, false) as { message: string };
		expect(message).toContain('and 99990 more');
	});

	test('every value of every item is in a row, whatever the template', () => {
		const cell = fc.tuple(fc.constantFrom(NAME, WA_ID, IG_ID, city), fc.string({ minLength: 1 }));
		const cells = fc.uniqueArray(cell, { selector: ([field]) => field.label });
		fc.assert(
			fc.property(
				fc.option(fc.uniqueArray(fc.string()), { nil: undefined }),
				fc.array(cells, { minLength: 1 }),
				(template, items) => {
					const made = importRows(
						template,
						items.map((own, n) => input(n, own)),
						true,
					);
					if ('message' in made) return;
					const sent = made.rows.flatMap((row) => Object.entries(row));
					expect(sent).toHaveLength(items.flat().length);
					expect(sent.every(([column]) => made.columns.includes(column))).toBe(true);
					expect(made.rows.length + made.empty.length).toBe(items.length);
				},
			),
		);
	});
});

describe('items that cannot share an import', () => {
	test('settings that differ are named with their values and items', () => {
		const inputs = [10, 10, 20].map((wait, n) => ({
			...input(n, [[NAME, 'A']]),
			settings: { 'Part Name': 'file', 'Max Wait': wait },
		}));
		expect(checked(inputs)).toMatchObject([
			{
				indexes: [0, 1, 2],
				message: 'Max Wait differs between input items: 10 (item 0), 20 (item 2)',
			},
		]);
		expect(checked(inputs.slice(0, 2))).toEqual([]);
	});

	test('all values that cannot be used are named with their items', () => {
		const inputs = ['4.91511E+12', 'n/a', '12'].map((value, n) => ({
			...input(n, []),
			unusable: [{ label: 'WhatsApp ID', expected: 'a phone number', value }],
		}));
		expect(checked([...inputs, input(3, [[NAME, 'A']])])).toMatchObject([
			{
				indexes: [0, 1, 2],
				message:
					'WhatsApp ID expects a phone number, but got "4.91511E+12" (item 0), "n/a" (item 1), "12" (item 2)',
			},
		]);
	});

	test('fields are named one by one, each with its own values', () => {
		const inputs = [
			{
				...input(0, []),
				unusable: [
					{ label: WA_ID.label, expected: 'a phone number', value: 'n/a' },
					{ label: namedColumn('tier').label, expected: 'text', value: ['x'] },
				],
			},
			{ ...input(4, []), unusable: [{ label: WA_ID.label, expected: 'a phone number', value: 7 }] },
		];
		expect(checked(inputs).map(({ indexes, message }) => [indexes, message])).toEqual([
			[[0, 4], 'WhatsApp ID expects a phone number, but got "n/a" (item 0), 7 (item 4)'],
			[[0], 'The column tier expects text, but got a list: ["x"] (item 0)'],
		]);
	});

	test('an item with two values that cannot be used is named once', () => {
		const entry = (value: string) => ({
			label: WA_ID.label,
			expected: 'a phone number',
			value,
		});
		expect(checked([{ ...input(2, []), unusable: [entry('x'), entry('y')] }])).toMatchObject([
			{
				indexes: [2],
				message: 'WhatsApp ID expects a phone number, but got "x" (item 2), "y" (item 2)',
			},
		]);
	});
});

describe('a value of an item', () => {
	const read = (value: unknown) => {
		if (typeof value === 'number') return { value: String(value) };
		return typeof value === 'string' ? { value } : { expected: 'text' };
	};
	const added = (value: unknown, reader: typeof read | (() => object) = read) => {
		const made = input(0, []);
		addCell(made, NAME, value, reader);
		return [made.cells, made.unusable];
	};

	test.each([[undefined], [null], [''], [' ']])('%j is left out', (value) => {
		expect(added(value)).toEqual([[], []]);
	});

	test('becomes a cell of its field', () => {
		expect(added('Ann')).toEqual([[[NAME, 'Ann']], []]);
		expect(added(0)).toEqual([[[NAME, '0']], []]);
	});

	test('is kept with what its field expects if the field cannot accept it', () => {
		expect(added(['Ann'])).toEqual([[], [{ label: NAME.label, expected: 'text', value: ['Ann'] }]]);
		expect(added(['Ann'], () => ({}))).toEqual([
			[],
			[{ label: NAME.label, expected: 'another value', value: ['Ann'] }],
		]);
	});
});

test.each([
	[[3], 'item 3'],
	[[3, 7], 'items 3, 7'],
])('the items %j are listed as "%s"', (items, text) => {
	expect(itemNumbers(items)).toBe(text);
});
