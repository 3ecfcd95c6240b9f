import { createHash } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { openHarness, type Harness, type NodeRun } from './harness.mts';

/** Contact Import: Start from input items, with import templates of all kinds. */
let harness: Harness;
beforeAll(async () => {
	harness = await openHarness({ rateLimit: { requests: 0 } });
});
afterAll(async () => await harness.close());
beforeEach(() => {
	harness.sandbox.options.shapes.importColumns = ['name', 'waId', 'igId'];
	harness.sandbox.faults.clear();
	harness.sandbox.requests.length = 0;
});

const start = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'contactImport',
	operation: 'start',
	source: 'items',
	...more,
});
const run = async (items: IDataObject[], more?: INodeParameters, options: NodeRun = {}) =>
	await harness.run(start(more), { items, ...options });
const column = (name: string, value: string) => ({ columns: { column: [{ name, value }] } });
const jobs = () => [...harness.sandbox.world.imports.newestFirst()];
const template = ({ path }: { path: string }) => path === '/contacts/import-template';
const CONTINUE: NodeRun = { settings: { onError: 'continueRegularOutput' } };
const sent = () => harness.sandbox.requests.map(({ method, path }) => `${method} ${path}`);

const ann = { name: 'Ann', waId: '+1 (202) 555-0143' };

test.each([
	['as the node names them', ['name', 'waId', 'igId']],
	['with spaces and capitals', ['Name', 'WhatsApp ID', 'Instagram ID']],
	['by other usual names, in another order', ['Full Name', 'Phone', 'Instagram', 'Note']],
])('items are written into columns that are named %s', async (_name, importColumns) => {
	harness.sandbox.options.shapes.importColumns = importColumns;
	const { json, hints, error } = await run([ann, { name: 'Bob', igId: '17841400000000001' }]);
	expect([error, hints]).toEqual([undefined, []]);
	expect(json[0]).toMatchObject({ totalRows: 2 });
	expect(jobs()[0]!.failedRows).toEqual([]);
	expect(jobs()[0]!.pending).toEqual([
		{ name: 'Ann', waId: expect.stringMatching(/^\+?12025550143$/), igId: '' },
		{ name: 'Bob', waId: '', igId: '17841400000000001' },
	]);
	expect(sent()).toEqual(['GET /contacts/import-template', 'POST /contacts/import']);
});

test('a value without a column is rejected before the import is sent', async () => {
	const { error } = await run([ann], column('tier', 'gold'));
	expect(error).toMatchObject({
		message: 'The service’s import template has no column for the column tier',
		description: expect.stringMatching(
			/^Its columns are name, waId, igId\. .*Send Columns Not in Template/,
		),
	});
	harness.sandbox.options.shapes.importColumns = ['Nombre', 'Teléfono', 'Instagram'];
	expect((await run([ann])).error!.message).toBe(
		'The service’s import template has no column for Name, WhatsApp ID',
	);
	expect(sent()).toEqual(['GET /contacts/import-template', 'GET /contacts/import-template']);
	const { json } = await run([ann], {
		name: '',
		waId: '',
		columns: {
			column: [
				{ name: 'Nombre', value: '={{ $json.name }}' },
				{ name: 'Teléfono', value: '={{ $json.waId }}' },
			],
		},
	});
	expect(json[0]).toMatchObject({ totalRows: 1 });
});

test('a value without a column is sent in a column of its own if Send Columns Not in Template is on', async () => {
	const { error } = await run([ann], {
		...column('tier', 'gold'),
		options: { moreColumns: true },
	});
	expect(error).toBeUndefined();
	const csv = 'name,waId,igId,tier\r\nAnn,12025550143,,gold';
	expect(harness.sandbox.requests.at(-1)!.file).toMatchObject({
		sha256: createHash('sha256').update(csv).digest('hex'),
	});
});

describe('an import template that cannot be read', () => {
	const csv = { 'content-type': 'text/csv' };
	test.each([
		['403', { kind: 'status', status: 403 }, /403/],
		['404', { kind: 'status', status: 404 }, /404/],
		[
			'JSON',
			{ kind: 'status', status: 200, headers: { 'content-type': 'application/json' }, body: '{}' },
			/no file/,
		],
		[
			'nothing',
			{ kind: 'status', status: 200, headers: csv, body: '' },
			/not a row of comma-separated columns/,
		],
		[
			'other separators',
			{ kind: 'status', status: 200, headers: csv, body: 'name;waId;igId' },
			/not a row of comma-separated columns/,
		],
	] as const)(
		'the columns name, waId and igId are used, with the reason, if the service returns %s',
		async (_name, fault, why) => {
			harness.sandbox.faults.add(fault, { matches: template, times: 9 });
			const { json, hints, error } = await run([ann], column('tier', 'gold'));
			expect(error).toBeUndefined();
			expect(json[0]).toMatchObject({ totalRows: 1 });
			const file = harness.sandbox.requests.at(-1)!.file;
			const csvSent = 'name,waId,igId,tier\r\nAnn,12025550143,,gold';
			expect(file?.sha256).toBe(createHash('sha256').update(csvSent).digest('hex'));
			expect(hints).toEqual([
				expect.stringMatching(
					/^The service’s import template could not be read, so the import uses the columns name, waId, igId/,
				),
			]);
			expect(hints[0]).toMatch(why);
		},
	);
});

describe('values from expressions', () => {
	test.each(['4.91511E+12', 'n/a', '12', 4.915112345678e19, { a: 1 }, ['12025550143'], true])(
		'%j is rejected as a WhatsApp ID: all such items are named, and nothing is sent',
		async (waId) => {
			const { error } = await run([ann, { name: 'Bob', waId }, ann, { name: 'Cid', waId }]);
			expect(error).toMatchObject({
				message: expect.stringMatching(/^WhatsApp ID expects a phone number/),
				description: expect.stringMatching(/More items cannot be used, among them item 3\./),
			});
			expect(sent()).toEqual([]);
		},
	);

	test.each([{ a: 1 }, ['x']])('%j is rejected as the value of another column', async (value) => {
		const columns = column('name', '={{ $json.x }}');
		const { error } = await run([{ ...ann, x: value as IDataObject }], columns);
		expect(error!.message).toMatch(/^The column name expects one value, but got /);
		expect(sent()).toEqual([]);
	});

	test('a user ID is imported as it is', async () => {
		const waId = 'US.13491208655302741918';
		await run([{ name: 'Ann', waId }]);
		expect(jobs()[0]!.pending).toEqual([{ name: 'Ann', waId, igId: '' }]);
	});

	test('a node that continues imports the other items, and is paired with them', async () => {
		const { json, items } = await run(
			[
				ann,
				{ name: 'Bob', waId: 'n/a' },
				{ name: 'Cid', waId: '12025550144', tier: 'gold' },
				{ name: 'Dee', waId: '12025550145' },
			],
			column('tier', '={{ $json.tier }}'),
			CONTINUE,
		);
		expect(json).toEqual([
			expect.objectContaining({ totalRows: 2 }),
			{ error: expect.stringMatching(/^WhatsApp ID expects/) },
			{ error: expect.stringMatching(/has no column for the column tier\. Its columns are/) },
		]);
		expect(items[0]!.pairedItem).toEqual([{ item: 0 }, { item: 3 }]);
		expect(jobs()[0]!.pending.map(({ name }) => name)).toEqual(['Ann', 'Dee']);
	});

	test('if no item can be imported, no import is sent', async () => {
		const { json } = await run([ann, ann], column('tier', 'gold'), CONTINUE);
		expect(json).toEqual(Array(2).fill({ error: expect.stringMatching(/no column/) }));
		expect(sent()).toEqual(['GET /contacts/import-template']);
	});

	test('an item without values fails, too, if all others do: there is no import to return', async () => {
		const items = [{ name: 'Bob', tier: 'gold' }, {}, { name: 'Cid', waId: 'n/a' }];
		const { json } = await run(items, column('tier', '={{ $json.tier }}'), CONTINUE);
		expect(json).toEqual([
			{ error: expect.stringMatching(/has no column for the column tier/) },
			{ error: expect.stringMatching(/^The item has no value for any column/) },
			{ error: expect.stringMatching(/^WhatsApp ID expects/) },
		]);
		expect(sent()).toEqual(['GET /contacts/import-template']);
	});

	test('items without any value are left out, and listed', async () => {
		const { json, hints } = await run([{}, ann, { name: ' ', waId: null, igId: '' }]);
		expect(json[0]).toMatchObject({ totalRows: 1 });
		expect(hints).toEqual(['Not imported, because they have no values: items 0, 2']);
		expect((await run([{}, {}])).error!.message).toBe('No input item has a value for any column');
	});

	test('an option that differs between items is rejected', async () => {
		const { error } = await run(
			[
				{ ...ann, part: 'a' },
				{ ...ann, part: 'b' },
			],
			{
				options: { partName: '={{ $json.part }}' },
			},
		);
		expect(error!.message).toBe(
			'File Field Name differs between input items: "a" (item 0), "b" (item 1)',
		);
		expect(sent()).toEqual([]);
	});
});

test('hundreds of items become one import', async () => {
	const items = Array.from({ length: 500 }, (_, n) => ({ waId: String(12_000_000_000 + n) }));
	const { json, error } = await run(items);
	expect(error).toBeUndefined();
	expect(json[0]).toMatchObject({ totalRows: 500 });
	expect(sent()).toHaveLength(2);
});
