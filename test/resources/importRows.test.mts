import fc from 'fast-check';
import {
	IG_ID,
	layoutOf,
	NAME,
	namedColumn,
	WA_ID,
} from '../../nodes/ConversationalMessaging/resources/contactImport/importColumns.ts';
import {
	importRows,
	type ImportInput,
} from '../../nodes/ConversationalMessaging/resources/contactImport/importRows.ts';

/** How often code reads from values that it is given: its work, on any machine. */
class Work {
	reads = 0;

	/** The same value, whose reads are counted, however deep. */
	watch<T>(value: T): T {
		if (typeof value !== 'object' || value === null) return value;
		return new Proxy(value, {
			get: (target, name) => {
				this.reads++;
				return this.watch(Reflect.get(target, name) as unknown);
			},
			ownKeys: (target) => {
				this.reads++;
				return Reflect.ownKeys(target);
			},
		});
	}
}

const OWN = [NAME, WA_ID, IG_ID];
const input = (itemIndex: number, cells: ImportInput['cells']): ImportInput => ({
	itemIndex,
	cells,
});

/** With its messages as text. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the columns for name, WhatsApp ID and Instagram ID', () => {
	test.each([
		['wa_id,NAME,ig_id,note', 'NAME,wa_id,ig_id'],
		[
			'Full Name*,Phone (with country code),Instagram User ID',
			'Full Name*,Phone (with country code),Instagram User ID',
		],
		['phone,name', 'name,phone,'],
		['mobile,phone,waId,name', 'name,waId,'],
		['customName,name,igUsername', 'name,,'],
		['Nombre,Teléfono', ',,'],
		[
			'Phone [with country code],Name (as on the ID)',
			'Name (as on the ID),Phone [with country code],',
		],
		// As it is spelled first, else the first of several spellings.
		['NAME,name,Name', 'name,,'],
		['Full name,full-name', 'Full name,,'],
	])('the columns are found in the template %s', (template, found) => {
		const { columns, columnOf } = layoutOf(template.split(','));
		expect(OWN.map((field) => columnOf(field) ?? '').join(',')).toBe(found);
		expect(columns).toStrictEqual(template.split(','));
	});

	test('a column that a user named is found in another spelling, but not under another name', () => {
		const fields = ['custom name', 'City', 'phone'].map(namedColumn);
		const { columnOf } = layoutOf(['customName', 'city', 'waId']);
		expect(fields.map(columnOf)).toStrictEqual(['customName', 'city', undefined]);
	});
});

describe('the rows of an import', () => {
	const city = namedColumn('City');

	test('two equal values for a column count as one; with two different ones, the item is rejected', async () => {
		const same = namedColumn('NAME');
		const both = async (value: string) => {
			const cells: ImportInput['cells'] = [
				[IG_ID, '1'],
				[NAME, 'Ann'],
				[same, value],
			];
			return await importRows(['name', 'igId'], [input(3, cells)], false);
		};
		expect(await both('Ann')).toMatchObject({ rows: [{ name: 'Ann', igId: '1' }], rejected: [] });
		expect(asJson(await both('Bob'))).toMatchObject({
			rows: [],
			rejected: [{ position: 0, message: 'Two fields have different values for the column name' }],
		});
	});

	const inputsOf = (length: number) =>
		Array.from({ length }, (_, n) => input(n, [[WA_ID, `${n}`]]));

	test('the work of making rows grows in proportion to the number of items', async () => {
		const workOf = async (count: number) => {
			const work = new Work();
			const inputs = work.watch(inputsOf(count));
			await importRows(['name', 'waId'], inputs, true);
			await importRows(['name', 'Phone'], inputs, false);
			return work.reads;
		};
		const [one, four] = [await workOf(1_000), await workOf(4_000)];
		expect(one).toBeGreaterThan(1_000);
		expect(four / one).toBeLessThan(4.1);
	});

	test('every value of every item is in a row, whatever the template', async () => {
		const cell = fc.tuple(fc.constantFrom(NAME, IG_ID, city), fc.string({ minLength: 1 }));
		const cells = fc
			.uniqueArray(cell, { selector: ([field]) => field.label })
			.map((more): ImportInput['cells'] => (more.length === 0 ? [] : [[WA_ID, '1'], ...more]));
		await fc.assert(
			fc.asyncProperty(
				fc.option(fc.uniqueArray(fc.string()), { nil: undefined }),
				fc.array(cells, { minLength: 1 }),
				async (template, items) => {
					const made = await importRows(
						template,
						items.map((own, n) => input(n, own)),
						true,
					);
					if (made.rejected.length > 0) return;
					const sent = made.rows.flatMap((row) => Object.entries(row));
					expect(sent).toHaveLength(items.flat().length);
					expect(sent.every(([column]) => made.columns.includes(column))).toBe(true);
					expect(made.rows.length + made.empty.length).toBe(items.length);
				},
			),
		);
	});
});
