import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { iso } from '../../sandbox/clock.mts';
import { FakeTime } from '../time.mts';
import { byId, openHarness, type Harness, type NodeRun } from './harness.mts';

let harness: Harness;
let time: FakeTime;
beforeEach(async () => {
	time = new FakeTime().install();
	harness = await openHarness({
		contacts: 30,
		tickets: 1,
		pageCap: 4,
		rateLimit: { requests: 0 },
		clock: time.clock,
	});
});
afterEach(async () => {
	time.restore();
	await harness.close();
});

const world = () => harness.sandbox.world;
const sent = (route: string) =>
	harness.sandbox.requests.filter((request) => request.route === route);
const broadcastBody = () => sent('POST /broadcasts').at(-1)?.body as IDataObject | undefined;

/** The welcome template with its variable, in the editor's form. */
const welcome = (language = 'en_US', value: IDataObject = { 'body:name': 'Ann' }) => {
	const { id, name } = world().templates.find(
		(row) => row.name === 'welcome' && row.language === language,
	)!;
	return {
		templateId: byId(`${id} ${name} ${language}`),
		templateVariables: {
			mappingMode: 'defineBelow',
			value,
			schema: [
				{ id: 'body:name', displayName: 'Body {{name}}: "Welcome, {{name}}!"', required: true },
			],
		} as unknown as INodeParameters,
	};
};

const settings = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'broadcast',
	name: 'Spring',
	...welcome(),
	...more,
});

interface Preview extends IDataObject {
	ready: boolean;
	summary: string;
	blockers: string[];
	warnings: string[];
	changes: string[];
	recipients: IDataObject;
	template: IDataObject;
	start: IDataObject;
	messages: IDataObject[];
}

async function preview(more: INodeParameters = {}, options: NodeRun = {}) {
	const outcome = await harness.run({ ...settings(more), operation: 'preview' }, options);
	expect(outcome.error).toBeUndefined();
	return { ...outcome, shown: outcome.json[0] as Preview };
}
const create = async (more: INodeParameters = {}, options: NodeRun = {}) =>
	await harness.run({ ...settings(more), operation: 'create' }, options);

/** A segment of these contacts. */
function segmentOf(phones: (string | null)[], isDynamic = false): string {
	const at = iso(world().now());
	const members = phones.map((waId, index) => {
		const known = world().contacts.find((contact) => waId !== null && contact.waId === waId);
		const igId = waId === null ? `ig-${world().newId()}` : null;
		return (known ?? world().addContact({ name: `Member ${index}`, waId, igId })).id;
	});
	const id = world().newId();
	world().segments.add({
		id,
		name: `Segment ${id}`,
		description: null,
		isDynamic,
		rules: isDynamic ? { channel: 'WHATSAPP' } : null,
		members: new Set(members),
		createdAt: at,
	});
	return id;
}
const phones = (count: number, from = 0) =>
	Array.from({ length: count }, (_, index) => `120255501${String(from + index).padStart(2, '0')}`);

const list = (...numbers: string[]): INodeParameters => ({
	audience: 'list',
	recipients: numbers.join(', '),
});

describe('Broadcast: Preview', () => {
	test('a preview shows audience, template, start and message, and sends nothing', async () => {
		const segmentId = segmentOf(phones(9));
		const { shown, hints } = await preview(
			{ segmentId: byId(segmentId), scheduleType: 'schedule', sendAt: '2041-05-06T09:00' },
			{ timezone: 'Europe/Berlin' },
		);
		expect(shown).toEqual({
			ready: true,
			name: 'Spring',
			summary: [
				'Ready: 9 recipients, Monday 6 May 2041 09:00, Europe/Berlin. Nothing was sent.',
				'Template: welcome (en_US), MARKETING, APPROVED',
				'Start: Monday 6 May 2041 09:00, Europe/Berlin',
				'',
				'Message to 12025550100:',
				'Welcome, Ann!',
			].join('\n'),
			recipients: {
				count: 9,
				audienceMode: 'segment',
				repeatedNumbers: 0,
				repeatedNumbersLeftOut: 0,
				equalRowsLeftOut: 0,
				excludedMembersLeftOut: 0,
				contactsWithoutNumberLeftOut: 0,
				invalidNumbers: 0,
				invalidValues: [],
			},
			template: {
				id: String((welcome().templateId as { value: string }).value).split(' ')[0],
				name: 'welcome',
				language: 'en_US',
				category: 'MARKETING',
				status: 'APPROVED',
				approved: true,
				missingVariables: [],
				extraVariables: [],
				missingColumns: [],
				extraColumns: [],
			},
			start: {
				scheduleType: 'schedule',
				at: '2041-05-06T09:00:00+02:00',
				text: 'Monday 6 May 2041 09:00, Europe/Berlin',
				recipientText: 'Monday 6 May 2041 09:00, Europe/Berlin',
			},
			blockers: [],
			warnings: [],
			changes: [],
			messages: phones(3).map((to) => ({ to, body: 'Welcome, Ann!' })),
		});
		expect(hints).toEqual([shown.summary.split('\n')[0]]);
		expect(harness.sandbox.requests.map(({ method, route }) => [method, route])).toEqual([
			['GET', 'GET /templates'],
			['GET', 'GET /segments/{id}'],
		]);
	});

	test.each(['meta', 'pagination', 'top'] as const)(
		'the size of a segment is found in its place: %s',
		async (segmentPaging) => {
			harness.sandbox.options.shapes.segmentPaging = segmentPaging;
			const { shown } = await preview({ segmentId: byId(segmentOf(phones(9))) });
			expect(shown.recipients.count).toBe(9);
		},
	);

	test('a size that the service does not show is unknown, unless the segment is short or has to be counted', async () => {
		const segmentId = byId(segmentOf(phones(9)));
		// A total among the fields of the segment could count something else.
		harness.sandbox.options.shapes.segmentPaging = 'fields';
		expect((await preview({ segmentId })).shown.recipients.count).toBeNull();
		harness.sandbox.options.shapes.segmentPaging = 'none';
		const { shown } = await preview({ segmentId });
		expect(shown).toMatchObject({
			ready: true,
			recipients: { count: null },
			warnings: ['The service does not show how many members the segment has.'],
		});
		expect(shown.summary).toContain('an unknown number of recipients');
		expect((await preview({ segmentId: byId(segmentOf(phones(2))) })).shown.recipients.count).toBe(
			2,
		);
		const counted = await preview({ segmentId, options: { maxRecipients: 20 } });
		expect(counted.shown).toMatchObject({ ready: true, recipients: { count: 9 } });
		const exact = await preview({ segmentId, options: { maxRecipients: 9 } });
		expect(exact.shown).toMatchObject({ ready: true, recipients: { count: 9 } });
		const over = 'The broadcast has more recipients than Max Recipients allows';
		const step = 'Nothing was sent. Raise Max Recipients, or choose a smaller audience.';
		for (const [maxRecipients, count] of [
			[8, 'more than 8 recipients'],
			[5, 'more than 5 recipients'],
			[1, 'more than 1 recipient'],
			[0, 'more than 0 recipients'],
		] as const) {
			const stopped = await preview({ segmentId, options: { maxRecipients } });
			expect(stopped.shown).toMatchObject({
				ready: false,
				recipients: { count: null },
				blockers: [`${over}: ${maxRecipients}. ${step}`],
				warnings: [],
			});
			expect(stopped.shown.summary.split('\n')[0]).toBe(
				`Not ready: ${count}, now. Nothing was sent.`,
			);
		}
		const stopped = await create({ segmentId, options: { maxRecipients: 5 } });
		expect(stopped.error).toMatchObject({ message: `${over}: 5`, description: step });
		expect(sent('POST /broadcasts')).toEqual([]);
	});

	test('a total below the number of members on the page is not believed', async () => {
		harness.sandbox.faults.add(
			{
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({
					success: true,
					data: { members: [1, 2, 3].map((n) => ({ id: `c${n}`, waId: `1202555010${n}` })) },
					meta: { total: 1 },
				}),
			},
			{ times: 9, matches: ({ route }) => route === 'GET /segments/{id}' },
		);
		const { shown } = await preview({ segmentId: byId('s') });
		expect(shown.recipients.count).toBeNull();
	});

	test('an empty segment is one to check: members may join it until the start, and the service decides', async () => {
		const segmentId = byId(segmentOf([]));
		const warning =
			'The service shows no members of the segment. It may reject the broadcast, or send it to nobody.';
		for (const options of [{}, { maxRecipients: 5 }]) {
			const { shown } = await preview({ segmentId, options });
			expect(shown).toMatchObject({
				ready: true,
				blockers: [],
				recipients: { count: 0 },
				warnings: [warning],
			});
			harness.sandbox.requests.length = 0;
			await create({ segmentId, options });
			expect(sent('POST /broadcasts')).toHaveLength(1);
		}
	});

	test('a dynamic segment may change until the start', async () => {
		const { shown } = await preview({ segmentId: byId(segmentOf([], true)) });
		expect(shown.warnings).toEqual([
			'The segment is dynamic: its members may change until the start.',
		]);
		expect(shown.recipients.count).toBeGreaterThan(0);
	});

	test('every value that Create rejects is reported at once', async () => {
		const { shown } = await preview({
			...list('+1 202 555 0100', '12025550100', 'n/a', '0151 234567'),
			...welcome('en_US', { 'body:name': ' ', 'body:2': 'x' }),
			scheduleType: 'schedule',
			sendAt: '2020-01-01T09:00',
			options: { maxRecipients: 0 },
		});
		expect(shown.ready).toBe(false);
		expect(shown.blockers.map((text) => text.split('. ')[0])).toEqual([
			expect.stringMatching(/^Date and Time is in the past/),
			'Template variable Body {{name}} is empty',
			'The template has no variable body:2',
			expect.stringMatching(/^Phone Numbers expects a phone number .*"n\/a"/),
			'The broadcast has 1 recipient, but Max Recipients is 0',
		]);
		expect(shown.recipients).toMatchObject({
			count: 1,
			repeatedNumbers: 1,
			invalidNumbers: 2,
			invalidValues: ['n/a', '0151 234567'],
		});
		expect(shown.template).toMatchObject({
			missingVariables: ['Body {{name}}'],
			extraVariables: [],
		});
		expect(sent('POST /broadcasts')).toEqual([]);
	});

	test.each(['PENDING', 'REJECTED'] as const)(
		'a template that is %s is a blocker',
		async (status) => {
			world().templates.find(
				({ name, language }) => name === 'welcome' && language === 'en_US',
			)!.status = status;
			const { shown } = await preview(list('12025550100'));
			expect(shown).toMatchObject({ ready: false, template: { status, approved: false } });
			expect(shown.blockers).toEqual([
				`The template is not approved: its status is ${status}. Choose another, or run Template → Sync`,
			]);
			expect((await create(list('12025550100'))).error).toMatchObject({ httpCode: '400' });
		},
	);

	test('a template that is entered by name is found by its language, or reported as unknown', async () => {
		const named = (templateLanguage: string, components: unknown[]) => ({
			...list('12025550100'),
			templateBy: 'name',
			templateName: 'welcome',
			templateLanguage,
			templateComponents: JSON.stringify(components),
		});
		const name = { type: 'text', parameter_name: 'name', text: 'Ann' };
		const german = await preview(named('de', [{ type: 'body', parameters: [name] }]));
		expect(german.shown).toMatchObject({
			ready: true,
			messages: [{ to: '12025550100', body: 'Willkommen, Ann!' }],
		});
		const wrong = await preview(
			named('de', [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }]),
		);
		expect(wrong.shown.template).toMatchObject({
			missingVariables: ['Body {{name}}'],
			extraVariables: ['body:1'],
		});
		const unknown = await preview(named('fr', []));
		expect(unknown.shown).toMatchObject({
			template: { status: null, approved: null },
			ready: true,
			warnings: [
				'The service does not list the template, so its approval and its variables are unknown. If it belongs to a channel, choose that channel in the options.',
			],
			messages: [],
		});
	});

	test.each([
		['no components', undefined],
		['components as JSON', JSON.stringify([{ type: 'BODY', text: 'Welcome, {{name}}!' }])],
		['components in another form', [{ kind: 'text', value: 'Welcome, {{name}}!' }]],
	])(
		'a template that is listed with %s is ready, with unknown variables',
		async (_what, components) => {
			const template = world().templates.find(({ name }) => name === 'welcome')!;
			template.components = components as unknown as unknown[];
			const parameters = { ...welcome(template.language), ...list('12025550100') };
			const { shown } = await preview(parameters);
			expect(shown).toMatchObject({
				ready: true,
				blockers: [],
				warnings: [
					'The service does not show the text of the template, so its variables are not checked and there is no message.',
				],
				template: { missingVariables: [], extraVariables: [] },
				messages: [],
			});
		},
	);

	test('a template that the chosen channel does not have is a blocker', async () => {
		const channelId = byId(world().defaultChannel('WHATSAPP')!.id);
		const named = (templateName: string, options: INodeParameters) => ({
			...list('12025550100'),
			templateBy: 'name',
			templateName,
			templateLanguage: 'de',
			templateComponents: '[]',
			options,
		});
		const { shown } = await preview(named('no_such_template', { channelId }));
		expect(shown).toMatchObject({ ready: false, template: { approved: null }, warnings: [] });
		expect(shown.blockers).toEqual([
			'The service has no template no_such_template in de for the chosen channel. Pick one from the list, or correct name and language',
		]);
		expect((await create(named('no_such_template', { channelId }))).error).toMatchObject({
			httpCode: '404',
		});

		// A list that is cut off proves nothing.
		harness.sandbox.faults.add(
			{
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'application/json' },
				body: '{"success":true,"data":[],"meta":{"total":5}}',
			},
			{ times: 1, matches: ({ route }) => route === 'GET /templates' },
		);
		const cutOff = await preview(named('no_such_template', { channelId }));
		expect(cutOff.shown).toMatchObject({
			ready: true,
			warnings: [
				'The service does not list the template for the chosen channel, so its approval and its variables are unknown.',
			],
		});
	});

	test('a picked template that was deleted since is a blocker, with its ID', async () => {
		const picked = welcome('de', {});
		const [id = ''] = picked.templateId.value.split(' ');
		world().templates.delete(id);
		world().templates.add({
			...world().templates.find(({ name }) => name === 'welcome')!,
			id: '7',
			language: 'de',
		});
		const channelId = byId(world().defaultChannel('WHATSAPP')!.id);
		const { shown } = await preview({ ...list('12025550100'), ...picked, options: { channelId } });
		expect(shown.blockers).toContain(
			`The service has no template welcome in de with the ID ${id} for the chosen channel. Pick one from the list, or correct name and language`,
		);
	});

	test('a template of the channel that sends by default is no blocker: Create sends it', async () => {
		world().templates.add({
			...world().templates.find(({ name, language }) => name === 'welcome' && language === 'de')!,
			id: '7',
			name: 'of_a_channel',
			channelId: world().defaultChannel('WHATSAPP')!.id,
		});
		const name = { type: 'text', parameter_name: 'name', text: 'Ann' };
		const parameters = {
			...list('12025550100'),
			templateBy: 'name',
			templateName: 'of_a_channel',
			templateLanguage: 'de',
			templateComponents: JSON.stringify([{ type: 'body', parameters: [name] }]),
		};
		const { shown } = await preview(parameters);
		expect(shown).toMatchObject({ ready: true, template: { status: null } });
		expect((await create(parameters)).error).toBeUndefined();
	});

	test.each([
		['MARKETING', []],
		[
			'UTILITY',
			[
				'Template Category is UTILITY, but the template’s category is MARKETING. Correct the option, or remove it.',
			],
		],
	])('the category is the template’s, with Template Category %s', async (category, warnings) => {
		const options = { templateCategory: category };
		const { shown } = await preview({ ...list('12025550100'), options });
		expect(shown).toMatchObject({ ready: true, template: { category: 'MARKETING' }, warnings });
	});

	test('the category is that of the option if the service shows none', async () => {
		const template = world().templates.find(
			({ name, language }) => name === 'welcome' && language === 'en_US',
		)!;
		delete (template as Partial<typeof template>).category;
		const options = { templateCategory: 'UTILITY' };
		const { shown } = await preview({ ...list('12025550100'), options });
		expect(shown).toMatchObject({ template: { category: 'UTILITY' }, warnings: [] });
	});

	test('all input items make one preview, with the items that have no valid number', async () => {
		const items = ['12025550100', '+1 202 555 0100', 'n/a', '12025550101', null].map((waId) => ({
			waId,
		}));
		const { shown, items: output } = await preview({ audience: 'items' }, { items });
		expect(output).toHaveLength(1);
		expect(output[0]!.pairedItem).toEqual([0, 1, 2, 3, 4].map((item) => ({ item })));
		expect(shown).toMatchObject({
			ready: false,
			recipients: { count: 2, repeatedNumbers: 1, invalidNumbers: 2, invalidValues: ['n/a', null] },
			blockers: [
				expect.stringMatching(
					/^2 input items have no valid phone number: "n\/a" \(item 2\), nothing/,
				),
			],
		});
		// If Create continues without them, they are no blocker.
		const continuing = { items, settings: { onError: 'continueRegularOutput' as const } };
		const { shown: goesOn } = await preview({ audience: 'items' }, continuing);
		expect(goesOn).toMatchObject({ ready: true, recipients: { count: 2 } });
		await create({ audience: 'items' }, continuing);
		expect(broadcastBody()!.recipients).toEqual(['12025550100', '12025550101']);
	});

	test('a setting that differs between the items is rejected, as by Create', async () => {
		const { error } = await harness.run(
			{ ...settings({ audience: 'items', name: '={{ $json.name }}' }), operation: 'preview' },
			{ items: phones(2).map((waId, n) => ({ waId, name: `Name ${n}` })) },
		);
		expect(error!.message).toMatch(/^Name differs between input items/);
	});

	test('a CSV file is read, with the message of each of its first recipients', async () => {
		const file = [
			'phone;name;city',
			'12025550100;Ann;Oslo',
			'1 202 555-0100;Bob;Rome',
			'x;Eve;',
			'12025550101;"Zo; e";Bonn',
			'12025550102; ;Bonn',
			'12025550103',
		].join('\r\n');
		const { shown } = await preview({ audience: 'csv' }, { file });
		expect(shown).toMatchObject({
			ready: true,
			recipients: {
				count: 6,
				audienceMode: 'csv',
				repeatedNumbers: 1,
				repeatedNumbersLeftOut: 0,
				invalidNumbers: 1,
			},
			template: { missingColumns: [], extraColumns: ['city'] },
			warnings: [
				'The template has no variable for the column "city".',
				'The CSV file separates its columns with semicolons. The service does not document which separators it accepts: if it rejects the file, save it with commas.',
				'Rows of the CSV file without a valid phone number: 1. The first: "x" (row 4).',
				'In 1 row of the CSV file, the phone number contains spaces or other characters. It is sent unchanged, and the service may reject it.',
				'In 1 row of the CSV file, the phone number is that of an earlier row. To send to each number once, turn on Skip Repeated Numbers.',
				'In 2 rows of the CSV file, the column "name" is empty: rows 6, 7.',
			],
			messages: [
				{ to: '12025550100', body: 'Welcome, Ann!' },
				{ to: '1 202 555-0100', body: 'Welcome, Bob!' },
				{ to: 'x', body: 'Welcome, Eve!' },
			],
		});
		const { shown: lacking } = await preview({ audience: 'csv' }, { file: 'phone\n12025550100' });
		expect(lacking).toMatchObject({
			ready: false,
			blockers: ['The CSV has no column name'],
			messages: [{ to: '12025550100', body: 'Welcome, {{name}}!' }],
		});
	});

	test('a column that the template spells differently is one to check, and its values are shown', async () => {
		const file = 'Phone,NAME,City,extra\n12025550100,Ann,Oslo,1\n12025550101,,Rome,2';
		const { shown } = await preview({ audience: 'csv' }, { file });
		expect(shown).toMatchObject({
			ready: true,
			blockers: [],
			template: { missingColumns: [], extraColumns: ['City', 'extra'] },
			warnings: [
				'The template’s CSV spells the column "Phone" of the CSV file differently: "phone". Rename it if the service rejects the file.',
				'The template’s CSV spells the column "NAME" of the CSV file differently: "name". Rename it if the service rejects the file.',
				'The template has no variable for the columns "City", "extra".',
				'In 1 row of the CSV file, the column "NAME" is empty: row 3.',
			],
			messages: [{ to: '12025550100', body: 'Welcome, Ann!' }, { to: '12025550101' }],
		});
		await create({ audience: 'csv' }, { file });
		expect(sent('POST /broadcasts')).toHaveLength(1);
	});

	test.each([
		['commas', ',', []],
		['tabs', '\t', [expect.stringMatching(/^The CSV file separates its columns with tabs\./)]],
	])('a file with %s and a value in every column', async (_signs, separator, warnings) => {
		const file = ['phone', 'name'].join(separator) + '\n' + ['12025550100', 'Ann'].join(separator);
		const { shown } = await preview({ audience: 'csv' }, { file });
		expect(shown).toMatchObject({ ready: true, warnings });
		const { hints } = await create({ audience: 'csv', options: { maxRecipients: 9 } }, { file });
		expect(hints).toEqual([]);
	});

	test('rows without a value are counted if they are sent, with the first ten of them', async () => {
		const rows = [...phones(12).map((to) => `${to},`), '12025550100,', '12025550199,Ann'];
		const options = { skipRepeatedNumbers: true };
		const { shown } = await preview(
			{ audience: 'csv', options },
			{ file: ['phone,name', ...rows].join('\n') },
		);
		expect(shown.warnings).toEqual([
			'In 12 rows of the CSV file, the column "name" is empty: rows 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …',
		]);
		const items = rows.map((row) => row.split(',')).map(([phone, name]) => ({ phone, name }));
		const byItems = await preview({ audience: 'csvItems', options }, { items });
		expect(byItems.shown.warnings).toEqual([
			'In 12 input items, the column "name" has no value: items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 2 more.',
		]);
	});

	test('items as CSV are previewed with the columns of the template', async () => {
		const items = [
			{ phone: '12025550100', name: 'Ann', id: 1 },
			{ phone: '+12025550100', name: 'Ann', id: 2 },
			{ phone: '12025550101', name: 'Bob' },
			{ phone: '12025550101', name: 'Eve' },
		];
		const { shown } = await preview({ audience: 'csvItems' }, { items });
		expect(shown).toMatchObject({
			ready: true,
			recipients: {
				count: 3,
				repeatedNumbers: 1,
				repeatedNumbersLeftOut: 0,
				equalRowsLeftOut: 1,
			},
			template: { extraColumns: ['id'] },
			warnings: [
				'The field "id" of the input items is not in the template’s CSV, so it is not sent.',
				expect.stringMatching(/^In 1 input item, the phone number is that of an earlier item/),
			],
			changes: ['Left out 1 row equal to an earlier one'],
			messages: [
				{ body: 'Welcome, Ann!' },
				{ body: 'Welcome, Bob!' },
				{ to: '12025550101', body: 'Welcome, Eve!' },
			],
		});
		const options = { skipRepeatedNumbers: true };
		const { hints, json } = await create({ audience: 'csvItems', options }, { items });
		const changes = ['Left out 1 row equal to an earlier one', 'Left out 1 repeated phone number'];
		expect(hints).toEqual(changes);
		expect(json[0]!.guardResult).toMatchObject({
			recipients: 2,
			repeatedNumbersLeftOut: 1,
			equalRowsLeftOut: 1,
			changes,
		});
		const bad = await preview({ audience: 'csvItems' }, { items: [{ phone: '12025550100' }] });
		expect(bad.shown).toMatchObject({
			ready: false,
			blockers: [
				expect.stringMatching(/^No input item has the field name/),
				'The CSV has no column name',
			],
		});
	});
});

describe('the guards of Broadcast: Create', () => {
	test('more recipients than Max Recipients stop the run before anything is sent', async () => {
		const segmentId = byId(segmentOf(phones(9)));
		for (const [audience, options] of [
			[{ segmentId }, {}],
			[list(...phones(9)), {}],
			[
				{ audience: 'items', recipient: '={{ $json.waId }}' },
				{ items: phones(9).map((waId) => ({ waId })) },
			],
			[
				{ audience: 'csv' },
				{
					file: `phone,name\n${phones(9)
						.map((to) => `${to},A`)
						.join('\n')}`,
				},
			],
			[{ audience: 'csvItems' }, { items: phones(9).map((phone) => ({ phone, name: 'A' })) }],
		] as [INodeParameters, NodeRun][]) {
			const tooMany = await create({ ...audience, options: { maxRecipients: 8 } }, options);
			expect(tooMany.error).toMatchObject({
				message: 'The broadcast has 9 recipients, but Max Recipients is 8',
				description: expect.stringMatching(/^Nothing was sent\./),
			});
			expect(sent('POST /broadcasts')).toEqual([]);
		}
		const { json } = await create({ segmentId, options: { maxRecipients: 9 } });
		expect(json[0]).toMatchObject({
			recipientCount: 9,
			guardResult: { recipients: 9, changes: [] },
		});
	});

	test('numbers are compared as one WhatsApp account, and sent as they are', async () => {
		const excludeSegmentId = byId(segmentOf(['525512345678', '5491123456789']));
		const numbers = ['5215512345678', '541123456789', '5511987654321', '551187654321'];
		await create({ ...list(...numbers), options: { excludeSegmentId } });
		expect(broadcastBody()).toMatchObject({ recipients: ['5511987654321'] });
		const segmentId = byId(segmentOf([...numbers, '5215512345679']));
		await create({ segmentId, options: { excludeSegmentId } });
		expect(broadcastBody()).toMatchObject({ recipients: ['5511987654321', '5215512345679'] });
	});

	test.each([-1, 1.5, 'many'])('Max Recipients %j is rejected', async (maxRecipients) => {
		const { error } = await create({ ...list('12025550100'), options: { maxRecipients } });
		expect(error!.message).toMatch(/^Max Recipients expects a (whole )?number/);
	});

	test('the members of Exclude Segment are left out of every audience, whatever the spelling', async () => {
		const excludeSegmentId = byId(segmentOf(['12025550102', '+12025550104', null]));
		const segmentId = byId(segmentOf([...phones(6), null]));
		const numbers = ['+1 202 555 0101', '1-202-555-0102', '12025550104', '12025550105'];
		const rows = numbers.map((phone) => ({ phone, waId: phone, name: 'A' }));
		const file = `phone,name\n${numbers.map((to) => `+${to.replace(/\D/g, '')},A`).join('\n')}\n`;
		const options = { excludeSegmentId };

		const bySegment = await create({ segmentId, options });
		expect(broadcastBody()).toMatchObject({
			audienceMode: 'list',
			recipients: ['12025550100', '12025550101', '12025550103', '12025550105'],
		});
		expect(broadcastBody()).not.toHaveProperty('segmentId');
		expect(bySegment.json[0]!.guardResult).toEqual({
			recipients: 4,
			repeatedNumbersLeftOut: 0,
			equalRowsLeftOut: 0,
			excludedMembersLeftOut: 2,
			contactsWithoutNumberLeftOut: 1,
			invalidNumbers: 0,
			changes: [
				'Left out 2 members of Exclude Segment',
				'Left out 1 contact without a WhatsApp ID',
			],
			warnings: [],
		});
		expect(bySegment.hints).toEqual((bySegment.json[0]!.guardResult as IDataObject).changes);

		await create({ ...list(...numbers), options });
		expect(broadcastBody()!.recipients).toEqual(['12025550101', '12025550105']);
		await create({ audience: 'items', options }, { items: rows });
		expect(broadcastBody()!.recipients).toEqual(['12025550101', '12025550105']);
		for (const audience of ['csv', 'csvItems']) {
			const { json } = await create(
				{ audience, options },
				{ file, items: audience === 'csv' ? [{}] : rows },
			);
			expect(json[0]).toMatchObject({
				recipientCount: 2,
				guardResult: { recipients: 2, excludedMembersLeftOut: 2 },
			});
		}
	});

	test('a member whose number has no country code leaves out nobody, and the user learns about it', async () => {
		const members = ['015123456789', 'n/a', '12025550100', '0049/151/23456780', null];
		const parameters = {
			...list('15123456789', '4915123456789', '12025550100', '4915123456780'),
			options: { excludeSegmentId: byId(segmentOf(members)) },
		};
		const warning =
			'Members of Exclude Segment who are not left out, because they have no valid phone number with country code: 2. The first: "015123456789", "n/a".';
		expect((await preview(parameters)).shown).toMatchObject({ ready: true, warnings: [warning] });
		const { json, hints } = await create(parameters);
		expect(broadcastBody()!.recipients).toEqual(['15123456789', '4915123456789']);
		expect(json[0]!.guardResult).toMatchObject({
			excludedMembersLeftOut: 2,
			warnings: [warning],
		});
		expect(hints).toContain(warning);
	});

	test('a member of the segment who cannot be compared with Exclude Segment is left out', async () => {
		const parameters = {
			segmentId: byId(segmentOf(['015123456789', 'n/a', '0012025550101', '12025550102', null])),
			options: { excludeSegmentId: byId(segmentOf(['12025550102', '4915123456789'])) },
		};
		const warnings = [
			'Members of the segment without a valid phone number, who are left out because they cannot be compared with Exclude Segment: 2. The first: "015123456789", "n/a".',
		];
		const { shown } = await preview(parameters);
		const recipients = { count: 1, contactsWithoutNumberLeftOut: 1, invalidNumbers: 2 };
		expect(shown).toMatchObject({
			ready: true,
			recipients: { ...recipients, invalidValues: ['015123456789', 'n/a'] },
			warnings,
		});
		const { json } = await create(parameters);
		expect(broadcastBody()!.recipients).toEqual(['0012025550101']);
		expect(json[0]!.guardResult).toMatchObject({
			recipients: 1,
			excludedMembersLeftOut: 1,
			contactsWithoutNumberLeftOut: 1,
			invalidNumbers: 2,
			warnings,
		});
	});

	test.each([
		['nobody', []],
		['nobody on WhatsApp', [null]],
	])(
		'if Exclude Segment has %s in it, the user learns that nobody is left out',
		async (_case, members) => {
			const options = { excludeSegmentId: byId(segmentOf(members)) };
			const warning =
				'Exclude Segment has no members with a valid phone number, so nobody is left out.';
			const parameters = { ...list(...phones(2)), options };
			expect((await preview(parameters)).shown).toMatchObject({ ready: true, warnings: [warning] });
			const { json, hints } = await create(parameters);
			expect(broadcastBody()!.recipients).toEqual(phones(2));
			expect(hints).toEqual([warning]);
			expect(json[0]!.guardResult).toMatchObject({ warnings: [warning] });
		},
	);

	test('if Exclude Segment has only members without a valid phone number, nobody is left out', async () => {
		const options = { excludeSegmentId: byId(segmentOf(['n/a'])) };
		const { shown } = await preview({ ...list(...phones(2)), options });
		expect(shown.warnings).toEqual([
			expect.stringMatching(/^Members of Exclude Segment who are not left out/),
			'Exclude Segment has no members with a valid phone number, so nobody is left out.',
		]);
	});

	test('members that are memberships with the contact in them are sent to and left out', async () => {
		harness.sandbox.options.shapes.memberRows = 'memberships';
		const options = { excludeSegmentId: byId(segmentOf(['12025550102'])) };
		await create({ segmentId: byId(segmentOf(phones(4))), options });
		expect(broadcastBody()!.recipients).toEqual(['12025550100', '12025550101', '12025550103']);
	});

	test('if nobody is left, nothing is sent', async () => {
		const segmentId = byId(segmentOf(phones(3)));
		const { error } = await create({ segmentId, options: { excludeSegmentId: segmentId } });
		expect(error).toMatchObject({
			message: 'The broadcast has no recipients',
			description: 'Nothing was sent. All recipients are members of Exclude Segment.',
		});
		expect(sent('POST /broadcasts')).toEqual([]);
	});

	test('a segment whose members cannot be read completely stops the run, with the field it is in', async () => {
		const excludeSegmentId = byId(segmentOf(phones(9)));
		const respond = (data: object, meta: object) =>
			harness.sandbox.faults.add(
				{
					kind: 'status',
					status: 200,
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ success: true, data, meta }),
				},
				{ times: 99, matches: ({ route }) => route === 'GET /segments/{id}' },
			);
		respond(
			{ members: [{ id: 'a', waId: '12025550100' }] },
			{ total: 7, limit: 200, totalPages: 1 },
		);
		const incomplete = await create({ ...list(...phones(3)), options: { excludeSegmentId } });
		expect(incomplete.error!.message).toBe(
			'Exclude Segment changed while its members were read: got 1 of 7',
		);
		harness.sandbox.faults.clear();
		const audience = segmentOf(phones(9));
		harness.sandbox.faults.add(
			{ kind: 'status', status: 404 },
			{ times: 9, matches: ({ path }) => path.includes(audience) },
		);
		const unread = await create({ segmentId: byId(audience), options: { excludeSegmentId } });
		expect(unread.error!.message).toContain('Read Segment');
		harness.sandbox.faults.clear();
		respond({ members: [{ id: 'a', name: 'Ann' }] }, { total: 1 });
		const hidden = await create({ ...list(...phones(3)), options: { excludeSegmentId } });
		expect(hidden.error!.message).toBe(
			'The service shows no phone numbers for the members of Exclude Segment',
		);
		harness.sandbox.faults.clear();
		const missing = await create({
			...list(...phones(3)),
			options: { excludeSegmentId: byId('nobody') },
		});
		expect(missing.error).toMatchObject({
			httpCode: '404',
			message: expect.stringContaining('Read Exclude Segment'),
		});
		expect(sent('POST /broadcasts')).toEqual([]);
	});

	test('a CSV row whose number cannot be compared with Exclude Segment stops the run', async () => {
		const options = { excludeSegmentId: byId(segmentOf(phones(1))) };
		const file = 'phone,name\n12025550101,A\n0151 234567,B';
		const { error } = await create({ audience: 'csv', options }, { file });
		expect(error!.message).toBe(
			'1 row of the CSV file without a valid phone number cannot be compared with Exclude Segment: "0151 234567" (row 3)',
		);
		const named = await create({ audience: 'csv', options }, { file: 'name,1\nA,b' });
		expect(named.error!.message).toBe(
			'The CSV file has no column with a name such as phone: name, 1',
		);
		expect(sent('POST /broadcasts')).toEqual([]);
	});

	test('an excluded segment is read once for all items', async () => {
		const excludeSegmentId = byId(segmentOf(phones(2)));
		const items = phones(5, 10).map((to) => ({ to }));
		const { json } = await create(
			{ audience: 'list', recipients: '={{ $json.to }}', options: { excludeSegmentId } },
			{ items },
		);
		expect(json).toHaveLength(5);
		expect(sent('GET /segments/{id}')).toHaveLength(1);
	});

	test('Skip Repeated Numbers leaves out later rows of a number, from a file and from items', async () => {
		const rows = [
			{ phone: '12025550100', name: 'Ann' },
			{ phone: '+1 (202) 555-0100', name: 'Bob' },
			{ phone: '12025550101', name: 'Eve' },
		];
		const file = `phone,name\n${rows.map(({ phone, name }) => `${phone},${name}`).join('\n')}`;
		for (const audience of ['csv', 'csvItems']) {
			const input = { items: audience === 'csv' ? [{}] : rows, file };
			const options = { skipRepeatedNumbers: true };
			const { json, hints } = await create({ audience, options }, input);
			expect(json[0]).toMatchObject({
				recipientCount: 2,
				guardResult: { repeatedNumbersLeftOut: 1, recipients: 2 },
			});
			expect(hints).toEqual(['Left out 1 repeated phone number']);
			if (audience === 'csv') continue;
			const all = await create({ audience }, input);
			expect(all.json[0]).toMatchObject({ recipientCount: 3 });
			expect(all.json[0]).not.toHaveProperty('guardResult');
		}
	});

	test('with a guard, Create says what to check about its audience; without one, it reads nothing', async () => {
		const segmentId = byId(segmentOf([], true));
		const guarded = await create({ segmentId, options: { maxRecipients: 99 } });
		const warning = 'The segment is dynamic: its members may change until the start.';
		expect(guarded.hints).toEqual([warning]);
		expect(guarded.json[0]!.guardResult).toMatchObject({ warnings: [warning] });
		harness.sandbox.requests.length = 0;
		expect((await create({ segmentId })).hints).toEqual([]);
		expect(sent('GET /segments/{id}')).toEqual([]);
	});

	test('a CSV file that cannot be read to its end is not counted, so Max Recipients sends nothing', async () => {
		const file = 'phone,name\n12025550100,Ann\n12025550101,"Bob';
		const { error } = await create({ audience: 'csv', options: { maxRecipients: 99 } }, { file });
		expect(error!.message).toBe(
			'The number of recipients is unknown, so Max Recipients (99) cannot be checked',
		);
		expect(sent('POST /broadcasts')).toEqual([]);
	});

	test('what no guard needed to read is unknown in the output', async () => {
		const options = { quietHours: '02:00-02:01' };
		const file = 'phone,name\n12025550100,Ann';
		const { json } = await create({ audience: 'csv', options }, { file });
		expect(json[0]!.guardResult).toMatchObject({ recipients: null, invalidNumbers: null });
	});

	const berlin = { timezone: 'Europe/Berlin' };
	const at = (text: string) => time.clock.advance(Date.parse(text) - time.clock.now());

	test('a start in Quiet Hours is scheduled for their end, and the output says so', async () => {
		at('2041-05-06T23:30:00+02:00');
		const options = { quietHours: '21:00-08:00' };
		const { json, hints } = await create({ ...list('12025550100'), options }, berlin);
		expect(broadcastBody()).toMatchObject({
			scheduleType: 'schedule',
			sendAt: '2041-05-07T08:00:00+02:00',
		});
		expect(json[0]).toMatchObject({
			status: 'SCHEDULED',
			guardResult: {
				startsAt: '2041-05-07T08:00:00+02:00',
				startPostponedFrom: '2041-05-06T21:30:00+00:00',
			},
		});
		expect(hints).toEqual([
			'Quiet Hours: starts Tuesday 7 May 2041 08:00, Europe/Berlin, instead of Monday 6 May 2041 23:30, Europe/Berlin',
		]);
		const recipients = { ...options, recipientTimeZone: 'America/New_York' };
		await create({ ...list('12025550100'), options: recipients }, berlin);
		expect(broadcastBody()).toMatchObject({ scheduleType: 'now' });
		expect(broadcastBody()).not.toHaveProperty('sendAt');
	});

	test('a start in the Quiet Hours of another time zone is sent in the workflow’s, and shown in the recipients’', async () => {
		at('2041-05-06T23:30:00-04:00');
		const options = { quietHours: '21:00-08:00', recipientTimeZone: 'America/New_York' };
		const { hints } = await create({ ...list('12025550100'), options }, berlin);
		expect(broadcastBody()).toMatchObject({ sendAt: '2041-05-07T14:00:00+02:00' });
		expect(hints).toEqual([
			'Quiet Hours: starts Tuesday 7 May 2041 08:00, America/New_York, instead of Monday 6 May 2041 23:30, America/New_York',
		]);
	});

	test('a start in Quiet Hours that begin while the audience is read is postponed, too', async () => {
		at('2041-05-06T20:59:00+02:00');
		harness.sandbox.faults.add(
			{ kind: 'latency', ms: 0 },
			{
				times: 1,
				matches: ({ route }) => {
					if (route === 'GET /segments/{id}') at('2041-05-06T21:00:00+02:00');
					return false;
				},
			},
		);
		const options = { quietHours: '21:00-08:00', maxRecipients: 9 };
		await create({ segmentId: byId(segmentOf(phones(3))), options }, berlin);
		expect(broadcastBody()).toMatchObject({ sendAt: '2041-05-07T08:00:00+02:00' });
	});

	test('a start at this very moment is in the past, a second later is not', async () => {
		at('2041-05-06T12:00:00+02:00');
		const startAt = (sendAt: string): INodeParameters => ({
			...list('12025550100'),
			scheduleType: 'schedule',
			sendAt,
		});
		const { error } = await create(startAt('2041-05-06T12:00:00'), berlin);
		expect(error!.message).toMatch(/^Date and Time is in the past/);
		await create(startAt('2041-05-06T12:00:01'), berlin);
		expect(broadcastBody()).toMatchObject({ sendAt: '2041-05-06T12:00:01+02:00' });
	});

	test.each([
		['2041-05-06T20:59', '2041-05-06T20:59:00+02:00'],
		['2041-05-06T21:00', '2041-05-07T08:00:00+02:00'],
		['2041-05-07T08:00', '2041-05-07T08:00:00+02:00'],
	])('the start %s is sent as %s', async (sendAt, expected) => {
		at('2041-05-06T12:00:00+02:00');
		const options = { quietHours: '21:00-08:00' };
		const schedule = { scheduleType: 'schedule', sendAt };
		await create({ ...list('12025550100'), ...schedule, options }, berlin);
		expect(broadcastBody()!.sendAt).toBe(expected);
	});

	test.each([
		[
			'quietHours',
			'9pm',
			'Quiet Hours expects two different times of day, e.g. 21:00-08:00, but got "9pm"',
		],
		[
			'recipientTimeZone',
			'Middle/Earth',
			'Recipient Time Zone expects the name of a time zone, e.g. Europe/Berlin, but got "Middle/Earth"',
		],
	])('%s %j is rejected', async (name, value, message) => {
		const { error } = await create({ ...list('12025550100'), options: { [name]: value } });
		expect(error!.message).toBe(message);
	});
});

describe('the column of the phone numbers', () => {
	/** A template with a variable that is a phone number, too. */
	const callback = (text = 'Hello {{name}}, we call you at {{phone}}.'): INodeParameters => {
		const { id, name, language } = world().templates.add({
			...world().templates.find((row) => row.name === 'welcome')!,
			id: world().newId(),
			name: 'callback',
			components: [{ type: 'BODY', text }],
		});
		return { templateId: byId(`${id} ${name} ${language}`), templateVariables: {} };
	};
	const rows = [
		{ to: '12025550100', name: 'Ann', phone: '12025550199' },
		{ to: '12025550101', name: 'Bob', phone: '12025550199' },
		{ to: '+12025550100', name: 'Eve', phone: '12025550198' },
		{ to: '12025550102', name: 'Zoe', phone: '12025550103' },
		{ to: '12025550103', name: 'Kim', phone: 'none' },
	];
	const file = ['to,name,phone', ...rows.map((row) => Object.values(row).join(','))].join('\n');

	beforeEach(() => {
		harness.sandbox.options.shapes.csvColumns = ['to'];
	});

	test.each(['csv', 'csvItems'])(
		'a variable of the template is not the recipient: %s',
		async (audience) => {
			const parameters = {
				audience,
				...callback(),
				options: { skipRepeatedNumbers: true, excludeSegmentId: byId(segmentOf(['12025550103'])) },
			};
			const input = { items: audience === 'csv' ? [{}] : rows, file };
			const { shown } = await preview(parameters, input);
			expect(shown).toMatchObject({
				ready: true,
				recipients: { count: 3, repeatedNumbers: 1, excludedMembersLeftOut: 1, invalidNumbers: 0 },
				warnings: [],
				messages: [
					{ to: '12025550100', body: 'Hello Ann, we call you at 12025550199.' },
					{ to: '12025550101', body: 'Hello Bob, we call you at 12025550199.' },
					{ to: '12025550102', body: 'Hello Zoe, we call you at 12025550103.' },
				],
			});
			const { json } = await create(parameters, input);
			expect(json[0]).toMatchObject({
				recipientCount: 3,
				guardResult: { recipients: 3, repeatedNumbersLeftOut: 1, excludedMembersLeftOut: 1 },
			});
			const broadcast = world().broadcasts.get(json[0]!.id as string)!;
			expect(broadcast.recipients).toEqual(['12025550100', '12025550101', '12025550102']);
		},
	);

	test.each([
		['csv', 'Several columns of the CSV file may contain the phone numbers: to, phone'],
		['csvItems', 'Several columns of the template’s CSV may contain the phone numbers: to, phone'],
	])(
		'if the template does not show its variables, nobody is left out: %s',
		async (audience, message) => {
			const template = callback();
			const input = { items: audience === 'csv' ? [{}] : rows, file };
			const row = world().templates.find(({ name }) => name === 'callback')!;
			row.components = [{ type: 'BODY', content: 'Hello {{name}}, we call you at {{phone}}.' }];
			harness.sandbox.options.shapes.csvColumns = ['to', 'name', 'phone'];
			const guarded = { audience, ...template, options: { skipRepeatedNumbers: true } };
			const { error } = await create(guarded, input);
			expect(error).toMatchObject({
				message,
				description: expect.stringMatching(/^Nothing was sent\. /),
			});
			expect(sent('POST /broadcasts')).toEqual([]);
			const { shown } = await preview(guarded, input);
			expect(shown.blockers).toEqual([`${error!.message}. ${error!.description!}`]);
			const unguarded = await preview({ audience, ...template }, input);
			expect(unguarded.shown).toMatchObject({
				ready: true,
				recipients: { count: 5, repeatedNumbers: 0, invalidNumbers: 0 },
				warnings: expect.arrayContaining([expect.stringContaining(message)]) as string[],
			});
		},
	);

	test('a token that may not read templates can send without guards', async () => {
		const parameters = { audience: 'csvItems', ...callback() };
		harness.sandbox.tokens.all.permissions = ['broadcasts.send', 'broadcasts.view'];
		const { json } = await create(parameters, { items: rows });
		expect(json[0]).toMatchObject({ recipientCount: 5 });
		const options = { skipRepeatedNumbers: true };
		const { error } = await create({ ...parameters, options }, { items: rows });
		expect(error!.message).toContain('templates.view');
	});

	test('the template is not asked for if only one column has such a name', async () => {
		await create(
			{ audience: 'csv', options: { skipRepeatedNumbers: true } },
			{ file: 'to,name\n12025550100,Ann' },
		);
		expect(sent('GET /templates')).toEqual([]);
		expect(sent('GET /broadcasts/csv-template')).toEqual([]);
		expect(sent('POST /broadcasts')).toHaveLength(1);
	});
});

describe('a preview and the broadcast with the same settings agree', () => {
	const rows = [
		{ phone: '12025550100', waId: '12025550100', name: 'Ann' },
		{ phone: '+1 202 555 0100', waId: '+1 202 555 0100', name: 'Ann' },
		{ phone: '12025550101', waId: '12025550101', name: 'Bob' },
		{ phone: '12025550100', waId: '12025550100', name: 'Eve' },
	];
	const file = `phone,name\n${rows.map(({ phone, name }) => `${phone.replace(/ /g, '')},${name}`).join('\n')}`;
	const audiences: [string, INodeParameters][] = [
		['segment', { audience: 'segment' }],
		['list', list(...rows.map(({ phone }) => phone))],
		['items', { audience: 'items' }],
		['csv', { audience: 'csv' }],
		['csvItems', { audience: 'csvItems' }],
	];
	const guards: [string, INodeParameters][] = [
		['no guards', {}],
		['Max Recipients', { maxRecipients: 2 }],
		['Max Recipients of 0', { maxRecipients: 0 }],
		['Skip Repeated Numbers', { skipRepeatedNumbers: true }],
		['Exclude Segment', { excludeSegmentId: 'excluded' }],
		['Quiet Hours', { quietHours: '00:00-23:59' }],
		['all of them', { maxRecipients: 1, skipRepeatedNumbers: true, excludeSegmentId: 'excluded' }],
	];

	test.each(
		audiences.flatMap(([a, audience]) =>
			guards.map(([g, options]) => [a, g, audience, options] as const),
		),
	)('%s, %s', async (kind, _guard, audience, options) => {
		const excluded = segmentOf(['12025550101', '12025550109']);
		const parameters = {
			...audience,
			segmentId: byId(segmentOf([...phones(3), null])),
			options: {
				...options,
				...(options.excludeSegmentId && { excludeSegmentId: byId(excluded) }),
			},
		};
		const input = {
			items: kind === 'segment' || kind === 'csv' || kind === 'list' ? [{}] : rows,
			file,
		};
		const { shown } = await preview(parameters, input);
		expect(sent('POST /broadcasts')).toEqual([]);
		const { error, json } = await create(parameters, input);
		expect(shown.blockers).toEqual(error ? [`${error.message}. ${error.description!}`] : []);
		if (error) return;
		const body = broadcastBody()!;
		expect(shown.recipients.audienceMode).toBe(body.audienceMode);
		expect(shown.start.scheduleType).toBe(body.scheduleType);
		if (body.sendAt) expect(shown.start.at).toBe(body.sendAt);
		// The service counts only those of a segment who have a WhatsApp ID.
		const unreachable = body.audienceMode === 'segment' ? 1 : 0;
		expect(shown.recipients.count).toBe((json[0]!.recipientCount as number) + unreachable);
	});
});
