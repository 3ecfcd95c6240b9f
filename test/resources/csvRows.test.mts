import fc from 'fast-check';
import {
	IG_ID,
	NAME,
	WA_ID,
} from '../../nodes/ConversationalMessaging/resources/contactImport/importItems.ts';
import {
	layoutOf,
	type Cell,
	type Layout,
} from '../../nodes/ConversationalMessaging/resources/shared/csvColumns.ts';
import { csvRows } from '../../nodes/ConversationalMessaging/resources/shared/csvRows.ts';

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

/** Rows in the columns of a template, and in extra ones, with the messages of items that have none. */
async function rowsOf(items: Cell[][], layout: Layout) {
	const refused: string[] = [];
	const context = {
		invalid: (message: unknown) => new Error(String(message)) as never,
		failItem: (position: number, error: unknown) =>
			void refused.push(`${position}: ${(error as Error).message}`),
	};
	const inputs = items.map((cells, itemIndex) => ({ itemIndex, cells }));
	const lacking = context.invalid('no ID');
	const rules = { layout, numbers: WA_ID, required: [WA_ID, IG_ID], lacking };
	return { ...(await csvRows(context, inputs, rules)), refused };
}

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
		// In its own spelling, else in the only one.
		['NAME,name,Name', 'name,,'],
		['Full name,full-name', ',,'],
	])('the columns are found in the template %s', (template, found) => {
		const { columns, columnOf } = layoutOf(template.split(','));
		expect(OWN.map((field) => columnOf(field) ?? '').join(',')).toBe(found);
		expect(columns).toStrictEqual(template.split(','));
	});

	test('a column that a user named is found in another spelling, but not under another name', () => {
		const fields = ['custom name', 'City', 'phone'].map((name) => ({ name }));
		const { columnOf } = layoutOf(['customName', 'city', 'waId']);
		expect(fields.map(columnOf)).toStrictEqual(['customName', 'city', undefined]);
		const numbered = layoutOf(['Body (1)', 'Body (2)', 'first_name', 'firstname', 'Link (end)']);
		const named = ['body (2)', 'Body 1', 'body (3)', 'body', 'First Name', 'LINK', 'link (start)'];
		expect(named.map((name) => numbered.columnOf({ name }))).toStrictEqual([
			...['Body (2)', 'Body (1)', undefined, undefined, undefined, 'Link (end)', undefined],
		]);
	});
});

describe('the rows of items', () => {
	test('two equal values for a column count as one; with two different ones, the item is refused', async () => {
		const both = async (value: string) => {
			const cells: Cell[] = [
				[IG_ID, '1'],
				[NAME, 'Ann'],
				[{ name: 'NAME' }, value],
			];
			return await rowsOf([cells], layoutOf(['name', 'igId']));
		};
		for (const same of ['Ann', ''])
			expect(await both(same)).toMatchObject({ rows: [{ name: 'Ann', igId: '1' }], refused: [] });
		expect(await both('Bob')).toMatchObject({
			rows: [],
			refused: ['0: Two fields have different values for the column name'],
		});
	});

	test('the work of making rows grows in proportion to the number of items', async () => {
		const workOf = async (count: number) => {
			const work = new Work();
			const items = work.watch(Array.from({ length: count }, (_, n): Cell[] => [[WA_ID, `${n}`]]));
			for (const columns of [
				['name', 'waId'],
				['name', 'Phone'],
			])
				await rowsOf(items, layoutOf(columns));
			return work.reads;
		};
		const [one, four] = [await workOf(1_000), await workOf(4_000)];
		expect(one).toBeGreaterThan(1_000);
		expect(four / one).toBeLessThan(4.1);
	});

	test('every value of every item is in a row, whatever the template', async () => {
		const column = fc.constantFrom(NAME, IG_ID, { name: 'City' });
		const cell = fc.tuple(
			column,
			fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
		);
		const cells = fc
			.uniqueArray(cell, { selector: ([{ name }]) => name })
			.map((more): Cell[] => (more.length === 0 ? [] : [[WA_ID, '1'], ...more]));
		await fc.assert(
			fc.asyncProperty(
				fc.uniqueArray(fc.string()),
				fc.array(cells, { minLength: 1 }),
				async (template, items) => {
					const made = await rowsOf(items, layoutOf(template));
					if (made.refused.some((message) => !message.endsWith('no ID'))) return;
					const sent = made.rows.flatMap((row) => Object.entries(row));
					expect(sent).toHaveLength(items.flat().length);
					expect(sent.every(([name]) => made.columns.includes(name))).toBe(true);
					expect(made.rows.length + made.refused.length).toBe(items.length);
				},
			),
		);
	});
});
