import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byId, templateVariables, WELCOME } from './harness.mts';
import { CONTINUE, pairs, SharedHarness } from './sharedHarness.mts';
import { sha256 } from '../support/sha256.mts';

/** Broadcast → Create, and the operations with CSV files. */
const service = new SharedHarness({ contacts: 30, tickets: 1 });

const sent = () => service.sent('POST /broadcasts');
const bodies = () => service.bodies('POST /broadcasts');
const template = (name: string) =>
	service.world.templates.find((row) => row.name === name && row.language === 'en_US')!;

const VALUES = {
	'header:image': 'https://cdn.example.com/a.png',
	'body:1': 'you',
	'body:2': '20%',
	'button:0:url': 'spring',
};
/** Variables of the template, without values. */
const IDS = Object.fromEntries(Object.keys(VALUES).map((id) => [id, id]));

const sale = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'broadcast',
	operation: 'create',
	name: 'Spring sale',
	templateId: byId(`${template('spring_sale').id} spring_sale en_US`),
	templateVariables: templateVariables(VALUES),
	...more,
});
/** The same to one phone number. */
const toOne = (more: INodeParameters = {}) =>
	sale({ audience: 'list', recipients: '12015550100', ...more });

/** A row of the CSV file of `spring_sale`: a recipient and the template's variables. */
const saleRow = (phone: string, more: IDataObject = {}): IDataObject => ({
	phone,
	header_image: 'https://cdn.example.com/a.png',
	1: 'Ann',
	2: '20%',
	button_1: 'spring',
	...more,
});
const SALE_COLUMNS = 'phone,header_image,1,2,button_1';

/** Items that can be recipients, and rows of a CSV file. */
const people = (count: number, more: (index: number) => IDataObject = () => ({})) =>
	Array.from({ length: count }, (_, index) => ({
		waId: String(12025550000 + index),
		...saleRow(String(12025550000 + index)),
		index,
		...more(index),
	}));

describe('the audience of a broadcast', () => {
	test('is a segment; the template has its variables by name', async () => {
		const segment = service.world.segments.find(({ name }) => name === 'Newsletter')!;
		const [broadcast] = await service.ok(
			sale({ audience: 'segment', segmentId: byId(segment.id) }),
		);
		expect(broadcast).toMatchObject({ status: 'QUEUED', recipientCount: segment.members.size });
		const text = (value: string) => ({ type: 'text', text: value });
		expect(bodies()).toStrictEqual([
			{
				name: 'Spring sale',
				templateId: template('spring_sale').id,
				templateName: 'spring_sale',
				templateLanguage: 'en_US',
				templateComponents: [
					{
						type: 'header',
						parameters: [{ type: 'image', image: { link: 'https://cdn.example.com/a.png' } }],
					},
					{ type: 'body', parameters: [text('you'), text('20%')] },
					{ type: 'button', sub_type: 'url', index: '0', parameters: [text('spring')] },
				],
				audienceMode: 'segment',
				segmentId: segment.id,
				scheduleType: 'now',
				apiType: 'cloud_api',
			},
		]);
	});

	test('is a CSV file, sent as it is as the chosen part', async () => {
		const file = `${SALE_COLUMNS}\n12015550100,m1,Ann,20%,spring\n12025550100,m1,Bob,10%,spring\n`;
		const byFile = sale({ audience: 'csv', options: { partName: 'audience' } });
		const [broadcast] = await service.ok(byFile, { file });
		expect(broadcast).toMatchObject({ audienceMode: 'csv', recipientCount: 2 });
		expect(bodies()).toMatchObject([{ audienceMode: 'csv', templateName: 'spring_sale' }]);
		expect(sent()[0]!.file).toStrictEqual({
			partName: 'audience',
			name: 'input.csv',
			mimeType: 'text/csv',
			sha256: sha256(file),
		});
		expect((await service.error(byFile)).message).toBe('The item has no file in the field "data"');
	});

	test('is all items, written into the columns of the template’s own CSV file', async () => {
		const items = [
			saleRow('12015550100', { header_image: 'm1', 1: 'Ann, "the" first', other: 'x' }),
			saleRow('12025550100', { header_image: 'm2', 1: 'Bob', 2: '10%', button_1: 'gift' }),
		];
		const byItems = sale({ audience: 'csvItems' });
		const [broadcast] = await service.ok(byItems, { items });
		expect(broadcast).toMatchObject({ recipientCount: 2 });
		expect(sent()[0]!.file).toStrictEqual({
			partName: 'file',
			name: 'audience.csv',
			mimeType: 'text/csv',
			sha256: sha256(
				`${SALE_COLUMNS}\r\n12015550100,m1,"Ann, ""the"" first",20%,spring\r\n12025550100,m2,Bob,10%,gift`,
			),
		});
		const { 2: _left, ...incomplete } = saleRow('12015550100');
		expect(await service.error(byItems, { items: [incomplete] })).toMatchObject({
			message: 'Your items have 1, phone, header_image, button_1, the template needs 2',
			description: expect.stringMatching(/^Map it under Columns/),
		});
	});

	test('is written with the separator of the template’s own CSV file, as the chosen part', async () => {
		// Some programs end a row with a separator: nobody can have a value for a column without a name.
		const csv = `${SALE_COLUMNS.replaceAll(',', ';')};`;
		service.respondWith('text/csv', csv, { matches: ({ path }) => path.endsWith('/csv-template') });
		const items = [saleRow('12015550100', { header_image: 'm1', 1: 'Ann; first, last' })];
		const options = { partName: 'recipients' };
		await service.ok(sale({ audience: 'csvItems', options }), { items });
		expect(sent()[0]!.file).toMatchObject({
			partName: 'recipients',
			sha256: sha256(`${csv}\r\n12015550100;m1;"Ann; first, last";20%;spring;`),
		});
	});

	/** Items with their values in fields of other names than the template's columns. */
	const renamed = [
		{ waId: '+1 201 555 0100', picture: 'm1', 'First Name': 'Ann', discount: '20%', end: 'a' },
		{ waId: '12015550101', picture: 'm2', 'First Name': '', discount: 10, end: 'b' },
	];
	const mapped = (...columns: [name: string, field: string][]) => ({
		csvColumns: {
			column: columns.map(([name, field]) => ({ name, value: `={{ $json["${field}"] }}` })),
		},
	});
	const ALL: [name: string, field: string][] = [
		['phone', 'waId'],
		['header_image', 'picture'],
		['1', 'First Name'],
		['2', 'discount'],
		['button_1', 'end'],
	];

	test('has its columns from the fields that Columns maps, and from those with their names', async () => {
		const csv =
			'phone,header_image,1,2,button_1\r\n12015550100,m1,Ann,20%,a\r\n12015550101,m2,,10,b';
		const byItems = (more: INodeParameters) => sale({ audience: 'csvItems', ...more });
		// In any spelling, also of Phone Column, and twice if both have the same value.
		const spelled = ALL.map(([name, field]): [string, string] => [
			` ${name.toUpperCase().replace('_', ' ')}*`,
			field,
		]);
		const phoneColumn = 'Phone (mobile)';
		await service.ok(byItems({ phoneColumn, ...mapped(...spelled, ...ALL) }), { items: renamed });
		expect(sent()[0]!.file!.sha256).toBe(sha256(csv));
		// What is not mapped has a field of its name; what is mapped comes first.
		const items = renamed.map(({ end, picture, ...row }) => ({
			...row,
			button_1: end,
			header_image: picture,
			phone: 'n/a',
		}));
		await service.ok(byItems(mapped(...ALL.slice(0, 1), ...ALL.slice(2, 4))), { items });
		expect(sent()[1]!.file!.sha256).toBe(sha256(csv));
	});

	test.each<[columns: string, shown: IDataObject]>([
		['phone,Phone (office)', { firstRow: { phone: '12015550100', 'Phone (office)': '+1 (5)' } }],
		['phone', { message: expect.stringMatching(/^The column phone expects .*"\+1 \(5\)"/) }],
	])(
		'“Phone (office)” is the column phone only if the template has no other: %s',
		async (csv, shown) => {
			service.respondWith('text/csv', csv, {
				matches: ({ path }) => path.endsWith('/csv-template'),
			});
			const more = { audience: 'csvItems', ...mapped(['Phone (office)', 'office']) };
			const items = [{ phone: '12015550100', office: '+1 (5)' }];
			const preview = await service.ok(sale({ operation: 'preview', ...more }), { items });
			expect(preview).toMatchObject([shown]);
		},
	);

	test('says what the items have and what the template needs, until everything is mapped: no circle', async () => {
		const HAVE = 'waId, picture, First Name, discount, end';
		const error = async (more: INodeParameters) =>
			await service.error(sale({ audience: 'csvItems', ...more }), { items: renamed });
		for (let count = 0; count < ALL.length; count++) {
			const missing = ALL.slice(count).map(([name]) => name);
			expect(await error(mapped(...ALL.slice(0, count)))).toMatchObject({
				message: `Your items have ${HAVE}, the template needs ${missing.join(', ')}`,
				description: expect.stringMatching(
					missing.length === 1 ? /^Map it under Columns/ : /^Map them under Columns/,
				),
			});
		}
		const { phone, ...values } = saleRow('12015550100');
		const marked = [{ '\uFEFFphone': phone, ...values }];
		expect(await service.error(sale({ audience: 'csvItems' }), { items: marked })).toMatchObject({
			message: expect.stringMatching(
				/phone \(after an invisible byte order mark: .*, the template needs phone$/,
			),
		});
		expect(await error(mapped(['phone', 'Phone']))).toMatchObject({
			message: 'The column phone is empty',
			description: expect.stringMatching(
				`^Your items have ${HAVE}. Correct the expression under Columns, or the item. `,
			),
		});
		// With the name of a field of the items, the template's columns are named at once.
		expect(await error({ phoneColumn: 'waId' })).toMatchObject({
			message: 'The template’s CSV has no column waId',
			description: `The template needs ${SALE_COLUMNS.replaceAll(',', ', ')}: set Phone Column to the one with the phone numbers. Your items have ${HAVE}: map what has another name under Columns.`,
		});
		expect(sent()).toStrictEqual([]);
	});

	test.each<[columns: [name: string, field: string][], message: string, description: string]>([
		[
			[...ALL, ['discuont', 'discount']],
			'The template’s CSV has no column discuont, which is mapped under Columns',
			'Its columns are phone, header_image, 1, 2, button_1. Correct the name under Columns, or remove the mapping.',
		],
		[
			[...ALL, ['Phone', 'end']],
			'The column phone expects a phone number with country code, or a user ID, but got "a"',
			'Check the value, or the expression that returns it.',
		],
		[
			[...ALL, ['Button 1', 'picture']],
			'Two fields have different values for the column button_1',
			'Clear one of them.',
		],
	])('a mapping that cannot be used is named: %j', async (columns, message, description) => {
		const byItems = sale({ audience: 'csvItems', ...mapped(...columns) });
		const error = await service.error(byItems, { items: renamed });
		expect(error).toMatchObject({ message, description: expect.stringContaining(description) });
		expect(sent()).toStrictEqual([]);
	});

	test.each(['csv', 'csvItems'])(
		'“%s” has no variables, because its CSV file contains them',
		async (audience) => {
			const file = `${SALE_COLUMNS}\n12015550100,m1,Ann,20%,spring\n`;
			const forms: INodeParameters[] = [
				// Never filled in; filled in before the audience was changed; by name.
				{ templateVariables: templateVariables({}, IDS) },
				{ templateVariables: templateVariables({ 'body:1': 'x', 'body:7': 'y' }, IDS) },
				{ options: { templateComponents: '[{ "type": "body" }]' } },
			];
			// If the audience is an expression, n8n requires the fields of all audiences, and hides none.
			const others = { segmentId: byId('x'), recipients: '12015550100' };
			forms.push({ ...others, ...forms[1], audience: `={{ "${audience}" }}` });
			for (const form of forms)
				await service.ok(sale({ audience, ...form }), { file, items: [saleRow('12015550100')] });
			expect(bodies()).toHaveLength(forms.length);
			for (const body of bodies()) expect(body).not.toHaveProperty('templateComponents');
		},
	);
});

describe('the settings of a broadcast', () => {
	test('the Template Category is the chosen one, in JSON and in an upload, or that of the template', async () => {
		const items = people(1);
		const options = { templateCategory: 'UTILITY' };
		for (const audience of ['items', 'csvItems'])
			await service.ok(sale({ audience, options }), { items });
		const templateId = byId(template('spring_sale').id);
		await service.ok(toOne({ templateId, options }));
		await service.ok(toOne({ templateId }));
		expect(bodies().map(({ templateCategory }) => templateCategory)).toStrictEqual([
			...Array<string>(3).fill('UTILITY'),
			template('spring_sale').category,
		]);
	});

	const schedule = (sendAt: string) => toOne({ scheduleType: 'schedule', sendAt });

	test('a time without an offset is read in the workflow’s time zone, and rejected in the past', async () => {
		const timezone = 'America/New_York';
		const [broadcast] = await service.ok(schedule('2041-07-15T09:00:00'), { timezone });
		expect(broadcast!.status).toBe('SCHEDULED');
		expect(bodies()).toMatchObject([{ sendAt: '2041-07-15T13:00:00.000Z' }]);
		expect(await service.error(schedule('2020-01-01T09:00'), { timezone })).toMatchObject({
			message: 'Date and Time is in the past: 2020-01-01T09:00:00-05:00',
			description: expect.stringContaining(`the workflow’s time zone, ${timezone}.`),
		});
		expect(sent()).toHaveLength(1);
	});

	const marketing = (options: INodeParameters) =>
		toOne({ options: { apiType: 'marketing_messages', ...options } });

	test('a marketing message may be given up after 12 hours to 30 days, or has no such limit', async () => {
		await service.ok(marketing({ giveUpAfterHours: 720, messageActivitySharing: true }));
		await service.ok(marketing({}));
		await service.ok(marketing({ giveUpAfterHours: 12 }));
		expect(bodies()).toMatchObject([
			{ apiType: 'marketing_messages', ttlSeconds: 2_592_000, messageActivitySharing: true },
			{ messageActivitySharing: false },
			{ ttlSeconds: 43_200 },
		]);
		expect(bodies()[1]).not.toHaveProperty('ttlSeconds');
		for (const giveUpAfterHours of [0, 11, 721])
			expect((await service.error(marketing({ giveUpAfterHours }))).message).toBe(
				`Message Lifetime (Hours) expects 12 to 720 hours, but got ${giveUpAfterHours}`,
			);
	});
});

describe('one broadcast for all input items', () => {
	/** A setting that differs for item 2, and how it is shown. */
	const differing: [what: string, INodeParameters, message: RegExp][] = [
		[
			'a guard',
			{
				options: {
					excludeSegments: { segment: [{ segmentId: byId('=s{{ $json.index === 2 ? 2 : 1 }}') }] },
				},
			},
			/^Exclude Segments differs between input items: an object: .*"s1".* \(item 0\), an object: .*"s2".* \(item 2\)$/,
		],
		[
			'the audience',
			{
				audience: '={{ $json.index === 1 ? "csvItems" : "items" }}',
				// If it is an expression, n8n requires the fields of all audiences.
				segmentId: byId('x'),
				recipients: '12015550100',
			},
			/^Audience differs between input items: "items" \(item 0\), "csvItems" \(item 1\)$/,
		],
	];

	test.each(differing)(
		'if %s differs between items, it is named, and nothing is sent',
		async (_name, more, message) => {
			for (const audience of ['items', 'csvItems']) {
				const error = await service.rejected(sale({ audience, ...more }), { items: people(3) });
				expect(error.message).toMatch(message);
				expect(error.description).toMatch(/ Nothing was sent\.$/);
			}
		},
	);

	test('a template variable that differs is named, and nothing is sent', async () => {
		const values = { ...VALUES, 'body:1': '={{ $json.index === 2 ? "B" : "A" }}' };
		const parameters = sale({ audience: 'items', templateVariables: templateVariables(values) });
		expect(await service.rejected(parameters, { items: people(3) })).toMatchObject({
			message: expect.stringMatching(
				/^The value of ".*" differs between input items: "A" \(item 0\), "B" \(item 2\)$/,
			),
			description: expect.stringContaining(
				' For a value per recipient, choose the audience CSV From Input Items. ',
			),
		});
	});

	test.each([
		['items', 'waId', 'Phone Number'],
		['csvItems', 'phone', 'The field phone'],
	])(
		'an item without a valid phone number stops the run, or fails alone if the node continues: %s',
		async (audience, field, label) => {
			const numbers = ['12015550100', '12025550100'];
			const cells = [', ', ';', '\n', '\r\n', ' / '].map((separator) => numbers.join(separator));
			const wrong = ['n/a', null, ...cells, numbers];
			const items = people(11, (index) =>
				wrong[index - 1] === undefined ? {} : { [field]: wrong[index - 1] },
			);
			expect(await service.rejected(sale({ audience }), { items })).toMatchObject({
				message: `${label} expects a phone number with country code, or a user ID, but got "n/a"`,
				description: expect.stringContaining('Items 2, 3, 4, 5, 6, 7, 8 cannot be used either'),
				context: { itemIndex: 1 },
			});
			const { json, items: output } = await service.run(sale({ audience }), { items, ...CONTINUE });
			expect(json).toStrictEqual([
				expect.objectContaining({ recipientCount: 3 }),
				{ error: expect.stringContaining('"n/a"') },
				{ error: expect.stringContaining(`${label} is empty`) },
				...cells.map(() => ({ error: expect.stringContaining('": these are several numbers. ') })),
				{ error: expect.stringContaining('but got a list: ["12015550100","12025550100"]') },
			]);
			expect(pairs(output)).toStrictEqual([[0, 9, 10], 1, 2, 3, 4, 5, 6, 7, 8]);
			expect(sent()).toHaveLength(1);
		},
	);
});

describe('Contact Import', () => {
	const imports = (operation: string, more: INodeParameters = {}) => ({
		resource: 'contactImport',
		operation,
		...more,
	});

	test('all input items are imported as one file, and the failed rows are returned as items', async () => {
		const items = [
			{ name: 'Ann "A" Lee', waId: '+1 204 555 0198', tier: 'gold' },
			{ name: '', waId: '12055550198' },
			{ name: ' ', igId: '17841400000000001' },
		];
		const columns = { column: [{ name: 'tier', value: '={{ $json.tier }}' }] };
		const options = { returnFailedRows: true, moreColumns: true };
		const { json, items: output } = await service.run(
			imports('start', { source: 'items', columns, options }),
			{ items },
		);
		expect(json.map((row) => [row.row, row.error])).toStrictEqual([
			['3', 'name is missing'],
			['4', 'name is missing'],
		]);
		expect(output[0]!.pairedItem).toStrictEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		// One array for all rows: otherwise, a report of many rows about many items would fill the memory.
		expect(output[1]!.pairedItem).toBe(output[0]!.pairedItem);
		expect(service.sent('POST /contacts/import')).toHaveLength(1);
		expect(service.world.findContactByWaId('12045550198')!.name).toBe('Ann "A" Lee');
	});

	test('Get Failed Rows and Download Template return a file or items', async () => {
		const [job] = await service.ok(imports('start'), { file: 'name,waId\n,1\n' });
		const options = { waitForCompletionMinutes: 10 };
		const importId = byId(job!.id as string);
		await service.ok(imports('get', { importId, options }));
		const failedRows = imports('getFailedRows', { importId });
		expect(await service.ok({ ...failedRows, output: 'items' })).toStrictEqual([
			{ row: '2', name: '', waId: '1', igId: '', error: 'name is missing' },
		]);
		const { items: report } = await service.run(failedRows);
		expect(report[0]!.binary!.data!.fileName).toBe(`import-${job!.id as string}-errors.csv`);
		const csv = imports('downloadTemplate', { binaryPropertyName: 'csv' });
		const { items: files } = await service.run(csv);
		expect(files[0]!.binary!.csv!.fileName).toBe('contact-import-template.csv');
	});

	test.each([
		imports('downloadTemplate'),
		{ ...WELCOME, resource: 'broadcast', operation: 'downloadCsvTemplate' },
	])('a template with a header alone has no items, and says so', async (template) => {
		const { json, hints } = await service.run({ ...template, output: 'items' });
		expect([json, hints]).toStrictEqual([[], [expect.stringContaining('set Output to File')]]);
		expect((await service.run(template)).hints).toStrictEqual([]);
	});
});
