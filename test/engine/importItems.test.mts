import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { NodeRun } from './harness.mts';
import { CONTINUE, pairs, SharedHarness } from './sharedHarness.mts';
import { sha256 } from '../support/sha256.mts';

/** Contact Import: Start from input items, with import templates of all kinds. */
const service = new SharedHarness({ contacts: 1, tickets: 1 });

const run = async (items: IDataObject[], more: INodeParameters = {}, options: NodeRun = {}) =>
	await service.run(
		{ resource: 'contactImport', operation: 'start', source: 'items', ...more },
		{ items, ...options },
	);
const column = (name: string, value: string) => ({ columns: { column: [{ name, value }] } });
const pending = () => [...service.world.imports.newestFirst()][0]!.pending;
const isTemplate = ({ path }: { path: string }) => path === '/contacts/import-template';
const READ_TEMPLATE = 'GET /contacts/import-template';
const IMPORT = 'POST /contacts/import';

/** The file of the latest import is this text. */
const expectSent = (csv: string) =>
	expect(service.sent(IMPORT).at(-1)!.file!.sha256).toBe(sha256(csv));

const ann = { name: 'Ann', waId: '+1 (202) 555-0143' };

test.each([
	['as the node names them', ['name', 'waId', 'igId']],
	['by other usual names, in another order', ['Full Name', 'Phone', 'Instagram', 'Note']],
])('items are written into columns that are named %s', async (_name, importColumns) => {
	service.shapes.importColumns = importColumns;
	const userId = 'US.13491208655302741918';
	const { json, hints, error } = await run([
		ann,
		{ name: 'Bob', igId: '17841400000000001' },
		{ name: 'Cid', waId: userId },
	]);
	expect([error, hints]).toStrictEqual([undefined, []]);
	expect(json[0]).toMatchObject({ totalRows: 3 });
	expect(pending()).toStrictEqual([
		{ name: 'Ann', waId: '12025550143', igId: '' },
		{ name: 'Bob', waId: '', igId: '17841400000000001' },
		{ name: 'Cid', waId: userId, igId: '' },
	]);
	expect(service.routes()).toStrictEqual([READ_TEMPLATE, IMPORT]);
});

test('a value without a column is rejected before the import is sent', async () => {
	expect((await run([ann], column('tier', 'gold'))).error).toMatchObject({
		message: 'The service’s import template has no column for the column tier',
		description: expect.stringMatching(
			/^Its columns are name, waId, igId\. .*Send Columns Not in Template/,
		),
	});
	service.shapes.importColumns = ['Nombre', 'Teléfono', 'Instagram'];
	expect((await run([ann])).error!.message).toBe(
		'The service’s import template has no column for Name, WhatsApp ID',
	);
	expect(service.routes()).toStrictEqual([READ_TEMPLATE, READ_TEMPLATE]);
});

test('a template whose column for phone numbers has an unknown name can be filled: each step is named', async () => {
	service.shapes.importColumns = ['Nombre', 'Teléfono', 'Instagram'];
	const columns = [
		{ name: 'Nombre', value: '={{ $json.name }}' },
		{ name: 'Teléfono', value: '={{ $json.waId }}' },
	];
	const more = { name: '', columns: { column: columns } };
	expect((await run([ann], { ...more, waId: '' })).error!.description).toContain(
		'Under WhatsApp ID, enter the field with the phone numbers',
	);
	expect((await run([ann], more)).error!.description).toContain(
		'keep the ID, and add the option Send Columns Not in Template',
	);
	const items = [ann, { name: '0151 99', waId: '0151 23456789' }];
	const options = { moreColumns: true, countryOfNumbers: 'DE' };
	expect((await run(items, { ...more, options })).error).toBeUndefined();
	// Only the number shows that the column is for numbers.
	expectSent(
		'Nombre,Teléfono,Instagram,waId\r\nAnn,12025550143,,12025550143\r\n0151 99,4915123456789,,4915123456789',
	);
});

test('a template with semicolons makes a file with semicolons', async () => {
	service.respondWith('text/csv', 'name;waId;tier\r\n', { matches: isTemplate });
	const { hints, error } = await run([{ ...ann, name: 'A;n, n' }], column('tier', 'gold'));
	expect([error, hints]).toStrictEqual([undefined, []]);
	expectSent('name;waId;tier\r\n"A;n, n";12025550143;gold');
});

test.each([
	['404', () => service.reject(404, { matches: isTemplate }), /404/],
	['JSON', () => service.respond({}, { matches: isTemplate }), /no file/],
	[
		'nothing',
		() => service.respondWith('text/csv', '', { matches: isTemplate }),
		/^The service’s import template has no column for Name, WhatsApp ID, the column tier$/,
	],
])('if the service returns %s as its template, nothing is sent', async (_name, respond, why) => {
	respond();
	const { error } = await run([ann], column('tier', 'gold'));
	expect(error!.message).toMatch(why);
	expect(service.routes()).toStrictEqual([READ_TEMPLATE]);
});

describe('values from expressions', () => {
	test.each(['4.91511E+12', 4.915112345678e19, { a: 1 }, ['12025550143'], true])(
		'%j is rejected as a WhatsApp ID: all such items are named, and nothing is sent',
		async (waId) => {
			const { error } = await run([ann, { name: 'Bob', waId }, ann, { name: 'Cid', waId }]);
			expect(error).toMatchObject({
				message: expect.stringMatching(/^WhatsApp ID expects a phone number/),
				description: expect.stringMatching(/Item 3 cannot be used either\./),
			});
			expect(service.requests).toStrictEqual([]);
		},
	);

	test.each<[tel: string, because: string]>([
		['4.91511E+12', 'a spreadsheet has shortened the number'],
		['0151 23456789', 'The option Country of Numbers adds a country code'],
		['+49 12', '+49 12 is too short'],
		['12025550143, 12025550144', 'these are several numbers'],
		['n/a', 'but got "n/a"'],
	])(
		'%j is rejected in the template’s column for phone numbers, and nothing is sent',
		async (tel, because) => {
			service.shapes.importColumns = ['Full Name', 'Phone (mobile)'];
			const more = { waId: '', ...column('phone', '={{ $json.tel }}') };
			const items: IDataObject[] = [
				{ name: 'Ann', tel: '12025550143' },
				{ name: 'Bob', tel },
			];
			const { error } = await run(items, more);
			const start =
				'The column Phone (mobile) expects a phone number with country code, or a user ID';
			expect(error!.message).toContain(start);
			expect(error!.message).toContain(because);
			expect(error!.context).toMatchObject({ itemIndex: 1 });
			expect(service.sent(IMPORT)).toStrictEqual([]);
			const { json } = await run(items, more, CONTINUE);
			expect(json).toMatchObject([{ totalRows: 1 }, { error: expect.stringContaining(start) }]);
			expectSent('Full Name,Phone (mobile)\r\nAnn,12025550143');
		},
	);

	test('an Instagram ID that a spreadsheet has shortened is rejected', async () => {
		const { error } = await run([ann, { name: 'Bob', igId: '1.78414E+16' }]);
		expect(error!.message).toContain('Instagram ID expects a number with all its digits');
		expect(service.requests).toStrictEqual([]);
	});

	test('the country of an item without a number may be anything', async () => {
		const items = [{ name: 'Ann', igId: '17841400000000001', country: 'n/a' }];
		const options = { countryOfNumbers: '={{ $json.country }}' };
		expect((await run(items, { options, ...column('name', 'Ann') })).error).toBeUndefined();
		const { error } = await run([{ ...items[0]!, waId: '0151 23456789' }], { options });
		expect(error!.message).toMatch(/^Country of Numbers expects a country code/);
	});

	test('an object, a list or what is left of a date is rejected as the value of another column', async () => {
		for (const [x, expected] of [
			[{ a: 1 }, 'one value'],
			[['x'], 'one value'],
			['On Invalid DateTime', 'a value without Invalid DateTime'],
			// The same row in a CSV file is no UTF-8, and is rejected as well.
			['J\uFFFDrgen', 'a value without \uFFFD'],
		] as const) {
			const { error } = await run([{ ...ann, x }], column('name', '={{ $json.x }}'));
			expect(error!.message).toMatch(new RegExp(`^The column name expects ${expected}, but got `));
		}
	});

	test('a node that continues imports the other items, and is paired with them', async () => {
		const { json, items } = await run(
			[
				ann,
				{ name: 'Bob', waId: 'n/a' },
				{ name: 'Cid', waId: '12025550144', tier: 'gold' },
				{ name: 'Dee', waId: '12025550145' },
				{ name: 'Eve', Phone: '12025550146' },
			],
			column('tier', '={{ $json.tier }}'),
			CONTINUE,
		);
		expect(json).toStrictEqual([
			expect.objectContaining({ totalRows: 2 }),
			{ error: expect.stringMatching(/^WhatsApp ID expects/) },
			{ error: expect.stringMatching(/has no column for the column tier\. Its columns are/) },
			{
				error: expect.stringMatching(
					/^The item has neither a WhatsApp ID.*Under WhatsApp ID.* \}\}\.$/,
				),
			},
		]);
		expect(pairs(items)).toStrictEqual([[0, 3], 1, 2, 4]);
		expect(pending().map(({ name }) => name)).toStrictEqual(['Ann', 'Dee']);
	});

	test('if no item can be imported, no import is sent', async () => {
		const items = [{ ...ann, tier: 'gold' }, {}, { name: 'Cid', waId: 'n/a' }];
		const { json } = await run(items, column('tier', '={{ $json.tier }}'), CONTINUE);
		expect(json).toStrictEqual(
			[
				/has no column for the column tier/,
				/^The item has neither a WhatsApp ID nor an Instagram ID/,
				/^WhatsApp ID expects/,
			].map((message) => ({ error: expect.stringMatching(message) })),
		);
		expect(service.routes()).toStrictEqual([READ_TEMPLATE]);
	});

	/** A sheet whose columns have these names. */
	const sheet = (...names: string[]): IDataObject =>
		Object.fromEntries(names.map((name) => [name, name === 'name' ? 'Ann' : '12025550143']));
	test.each<[item: IDataObject, have: string, expression: string]>([
		[sheet('name', 'Phone'), 'name, Phone', '{{ $json.Phone }}'],
		[sheet('name', 'Phone Number'), 'name, Phone Number', '{{ $json["Phone Number"] }}'],
		[sheet('Mobile', 'name', 'Mail'), 'Mobile, name, Mail', '{{ $json.Mobile }}'],
		[sheet('name', 'whatsapp_id'), 'name, whatsapp_id', '{{ $json.whatsapp_id }}'],
		[sheet('name', 'Téléfono'), 'name, Téléfono', '{{ $json.phone }}'],
		[{ name: 'Ann', waId: '' }, 'name, waId', '{{ $json.waId }}'],
		[
			sheet('\uFEFFPhone', 'name'),
			'Phone (after an invisible byte order mark: exclude it in Extract from File), name',
			'{{ $json["\\ufeffPhone"] }}',
		],
		[sheet('name'), 'name', '{{ $json.phone }}'],
	])(
		'%j without an ID stops the import, with the fields that the items have',
		async (item, have, expression) => {
			for (const template of [
				['name', 'waId', 'igId'],
				['Full Name', 'Phone', 'Instagram'],
				['Nombre', 'Teléfono'],
			]) {
				service.requests.length = 0;
				service.shapes.importColumns = template;
				const { error } = await run([item], { options: { moreColumns: true } });
				expect(error).toMatchObject({
					message: 'The item has neither a WhatsApp ID nor an Instagram ID',
					description: expect.stringContaining(
						`Your items have ${have}. Under WhatsApp ID, enter the field with the phone numbers, e.g. ${expression}.`,
					),
				});
				expect(service.sent(IMPORT)).toStrictEqual([]);
			}
		},
	);

	test('an ID under More Columns counts only if its column is known to be the template’s for it', async () => {
		const named = (name: string) => ({ ...column(name, '={{ $json.tel }}'), waId: '', igId: '' });
		const items = [{ name: 'Ann', tel: '12025550143' }];
		const check = async (template: string[], name: string, counts: boolean) => {
			service.shapes.importColumns = template;
			const { error } = await run(items, { ...named(name), options: { moreColumns: true } });
			expect([template, name, error === undefined]).toStrictEqual([template, name, counts]);
		};
		await check(['name', 'Phone'], 'phone', true);
		await check(['name', 'Teléfono', 'Instagram'], 'instagram', true);
		expect(service.sent(IMPORT)).toHaveLength(2);
		await check(['name', 'waId', 'tier'], 'tier', false);
		// Nobody knows whether this is a number, or what it is a number of.
		await check(['name', 'Teléfono', 'tier'], 'teléfono', false);
		await check(['name', 'Teléfono', 'tier'], 'tier', false);
		await check(['name', 'waId'], 'phone', false);
		service.shapes.importColumns = ['name', 'Phone'];
		expect((await run([{ ...items[0]!, tel: '' }], named('phone'))).error).toBeDefined();
		expect(service.sent(IMPORT)).toHaveLength(2);
	});
});
