import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createHash } from 'node:crypto';
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

async function preview(more: INodeParameters = {}, options: NodeRun = {}) {
	const outcome = await harness.run({ ...settings(more), operation: 'preview' }, options);
	expect(outcome.error).toBeUndefined();
	return { ...outcome, shown: outcome.json[0] as IDataObject };
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
		const { shown } = await preview(
			{ segmentId: byId(segmentId), scheduleType: 'schedule', sendAt: '2041-05-06T09:00' },
			{ timezone: 'Europe/Berlin' },
		);
		expect(shown).toEqual({
			ready: true,
			recipients: 9,
			template: { name: 'welcome', language: 'en_US', category: 'MARKETING', status: 'APPROVED' },
			start: {
				text: 'Monday 6 May 2041 09:00, Europe/Berlin',
				at: '2041-05-06T09:00:00+02:00',
			},
			firstMessage: 'Welcome, Ann!',
			notes: [],
		});
		expect(Object.keys(shown)).toEqual([
			'ready',
			'recipients',
			'template',
			'start',
			'firstMessage',
			'notes',
		]);
		expect(harness.sandbox.requests.map(({ route }) => route).sort()).toEqual([
			'GET /segments/{id}',
			'GET /templates',
		]);
	});

	test('the start is shown in the time zone of the recipients', async () => {
		const { shown } = await preview(
			{
				...list('12025550100'),
				scheduleType: 'schedule',
				sendAt: '2041-05-06T09:00',
				options: { recipientTimeZone: 'America/New_York' },
			},
			{ timezone: 'Europe/Berlin' },
		);
		expect(shown.start).toEqual({
			text: 'Monday 6 May 2041 03:00, America/New_York',
			at: '2041-05-06T09:00:00+02:00',
		});
	});

	test.each<[string, () => INodeParameters]>([
		['a time in the past', () => ({ scheduleType: 'schedule', sendAt: '2020-01-01T09:00' })],
		['a variable that is empty', () => welcome('en_US', { 'body:name': ' ' })],
		['a variable that the template does not have', () => welcome('en_US', { 'body:2': 'x' })],
		['an invalid phone number', () => list('12025550100', 'n/a')],
		['no phone numbers', () => ({ audience: 'list', recipients: '={{ "" }}' })],
		['too many recipients', () => ({ options: { maxRecipients: 0 } })],
		['an unknown template', () => ({ templateId: byId('404') })],
		['a file that is not there', () => ({ audience: 'csv' })],
	])('what Create stops at is shown with its message: %s', async (_what, more) => {
		const parameters = { ...list('12025550100'), ...more() };
		const { error } = await create(parameters);
		expect(error).toBeDefined();
		const { shown } = await preview(parameters);
		expect(shown).toEqual({
			ready: false,
			recipients: null,
			message: `${error!.message}. ${error!.description!}`,
			notes: [],
		});
		expect(sent('POST /broadcasts')).toEqual([]);
	});

	test('a request that the service rejects fails the preview, as it fails Create', async () => {
		const parameters = { segmentId: byId('nobody'), options: { maxRecipients: 5 } };
		for (const operation of ['preview', 'create']) {
			const { error } = await harness.run({ ...settings(parameters), operation });
			expect(error).toMatchObject({
				httpCode: '404',
				message: expect.stringContaining('Read Segment'),
			});
		}
	});

	test.each(['PENDING', 'REJECTED'] as const)(
		'a template that is %s is not ready: the service would reject it',
		async (status) => {
			world().templates.find(
				({ name, language }) => name === 'welcome' && language === 'en_US',
			)!.status = status;
			const { shown } = await preview(list('12025550100'));
			expect(shown).toMatchObject({
				ready: false,
				recipients: 1,
				template: { status },
				message: `The template is not approved: its status is ${status}. Choose another one, or run Template → Sync to refresh its status.`,
			});
			expect((await create(list('12025550100'))).error).toMatchObject({ httpCode: '400' });
		},
	);

	test('a template that is entered by name is found by its language, and its variables are checked', async () => {
		const named = (templateLanguage: string, parameters: unknown[]) => ({
			...list('12025550100'),
			templateBy: 'name',
			templateName: 'welcome',
			templateLanguage,
			templateComponents: JSON.stringify([{ type: 'body', parameters }]),
		});
		const german = await preview(
			named('de', [{ type: 'text', parameter_name: 'name', text: 'Ann' }]),
		);
		expect(german.shown).toMatchObject({ ready: true, firstMessage: 'Willkommen, Ann!' });
		const wrong = await preview(named('de', [{ type: 'text', text: 'Ann' }]));
		expect(wrong.shown).toMatchObject({
			ready: false,
			message: 'Template variable name is empty. Enter a value for it.',
		});
		const unlisted = await preview(named('fr', []));
		expect(unlisted.shown).toMatchObject({
			ready: true,
			template: { name: 'welcome', language: 'fr' },
			notes: [
				'The service does not list the template, so its approval and variables are unknown. Check its name, language and channel',
			],
		});
		expect(unlisted.shown).not.toHaveProperty('firstMessage');
	});

	test.each([
		['no components', undefined],
		['components as JSON', JSON.stringify([{ type: 'BODY', text: 'Welcome, {{name}}!' }])],
		['components in another form', [{ kind: 'text', value: 'Welcome, {{name}}!' }]],
	])('a template that is listed with %s has no message', async (_what, components) => {
		const template = world().templates.find(({ name }) => name === 'welcome')!;
		template.components = components as unknown as unknown[];
		const { shown } = await preview({ ...welcome(template.language), ...list('12025550100') });
		expect(shown).toMatchObject({
			ready: true,
			notes: ['The service does not show the template’s text, so its variables are not checked'],
		});
		expect(shown).not.toHaveProperty('firstMessage');
	});

	describe('the size of a segment', () => {
		test.each(['meta', 'pagination', 'top'] as const)('is found in %s', async (segmentPaging) => {
			harness.sandbox.options.shapes.segmentPaging = segmentPaging;
			const { shown } = await preview({ segmentId: byId(segmentOf(phones(9))) });
			expect(shown.recipients).toBe(9);
		});

		test.each(['none', 'fields'] as const)(
			'is unknown if the service does not show it, and counted for Max Recipients: %s',
			async (segmentPaging) => {
				harness.sandbox.options.shapes.segmentPaging = segmentPaging;
				const segmentId = byId(segmentOf(phones(9)));
				expect((await preview({ segmentId })).shown).toMatchObject({
					ready: true,
					recipients: null,
					notes: ['The service does not show how many members the segment has'],
				});
				for (const maxRecipients of [9, 20])
					expect((await preview({ segmentId, options: { maxRecipients } })).shown).toMatchObject({
						ready: true,
						recipients: 9,
					});
				const { error } = await create({ segmentId, options: { maxRecipients: 5 } });
				expect(error!.message).toBe(
					'The broadcast has at least 6 recipients, but Max Recipients is 5',
				);
			},
		);

		test('may be 0: members may join until the start, and the service decides', async () => {
			const segmentId = byId(segmentOf([]));
			for (const options of [{}, { maxRecipients: 5 }]) {
				const { shown } = await preview({ segmentId, options });
				expect(shown).toMatchObject({
					ready: true,
					recipients: 0,
					notes: [expect.stringMatching(/^The service shows no members of the segment/)],
				});
				await create({ segmentId, options });
			}
			expect(sent('POST /broadcasts')).toHaveLength(2);
		});

		test('may change if the segment is dynamic', async () => {
			const { shown } = await preview({ segmentId: byId(segmentOf([], true)) });
			expect(shown.notes).toEqual([
				'The segment is dynamic: its members may change until the start',
			]);
		});
	});

	describe('input items that make one broadcast', () => {
		const items = ['12025550100', '+1 202 555 0100', 'n/a', '12025550101', null].map((waId) => ({
			waId,
		}));

		test('have one preview, which is not ready if Create would reject one of them', async () => {
			const { shown, items: output } = await preview({ audience: 'items' }, { items });
			expect(output).toHaveLength(1);
			expect(output[0]!.pairedItem).toEqual([0, 1, 2, 3, 4].map((item) => ({ item })));
			expect(shown).toMatchObject({
				ready: false,
				message: expect.stringMatching(/^Phone Number expects .*"n\/a"/),
				notes: ['2 input items cannot be used; the message is about the first'],
			});
		});

		test('fail alone if the node continues, as they do with Create', async () => {
			const continuing = { items, settings: { onError: 'continueRegularOutput' as const } };
			const { shown, json } = await preview({ audience: 'items' }, continuing);
			expect(shown).toMatchObject({
				ready: true,
				recipients: 2,
				notes: ['Left out 1 repeated recipient'],
			});
			expect(json.slice(1)).toEqual([{ error: expect.any(String) }, { error: expect.any(String) }]);
			await create({ audience: 'items' }, continuing);
			expect(broadcastBody()!.recipients).toEqual(['12025550100', '12025550101']);
		});

		test('fail alone if a cell of the CSV cannot be written, whatever came before', async () => {
			const rows = [
				{ phone: 'n/a' },
				{ phone: '12025550100' },
				{ phone: '12025550101', name: [1] },
			];
			const {
				shown,
				json,
				items: output,
			} = await preview(
				{ audience: 'csvItems' },
				{
					items: rows.map((row) => ({ name: 'Ann', ...row })),
					settings: { onError: 'continueRegularOutput' },
				},
			);
			expect(json[0]!.error).toMatch(/^The field phone expects/);
			expect(json[1]).toMatchObject({ ready: true, recipients: 1 });
			expect(json[2]!.error).toMatch(/^The field name expects one value/);
			expect(output.map(({ pairedItem }) => pairedItem)).toMatchObject([
				{ item: 0 },
				{ item: 1 },
				{ item: 2 },
			]);
			expect(shown.error).toBeDefined();
		});

		test('fail all if a setting differs, as they do with Create', async () => {
			const { error } = await harness.run(
				{ ...settings({ audience: 'items', name: '={{ $json.name }}' }), operation: 'preview' },
				{ items: phones(2).map((waId, n) => ({ waId, name: `Name ${n}` })) },
			);
			expect(error!.message).toMatch(/^Name differs between input items/);
		});
	});

	test.each([
		['commas', 'phone,name\n12025550100,Ann\n12025550101,"a,\nb"\n'],
		['semicolons and no last line break', 'phone;name\r\n12025550100;Ann\r\n12025550101;"a;b"'],
	])('the rows of a CSV file are counted: %s', async (_what, file) => {
		const { shown } = await preview({ audience: 'csv' }, { file });
		expect(shown).toMatchObject({ ready: true, recipients: 2, notes: [] });
		expect(shown).not.toHaveProperty('firstMessage');
	});

	test('the rows of a file that cannot be read are unknown, and Create sends it', async () => {
		const file = 'phone,name\n12025550100,Ann\n12025550101,"Bob';
		const { shown } = await preview({ audience: 'csv' }, { file });
		expect(shown).toMatchObject({
			ready: true,
			recipients: null,
			notes: ['The rows of the CSV file cannot be counted: a quote in row 3 is never closed'],
		});
		const { error } = await create({ audience: 'csv', options: { maxRecipients: 99 } }, { file });
		expect(error!.message).toBe(
			'The number of recipients is unknown, so Max Recipients (99) cannot be checked',
		);
	});

	test('a CSV of items shows the message of the first of them', async () => {
		const items = [
			{ phone: '12025550100', name: 'Ann', id: 1 },
			{ phone: '+12025550100', name: 'Ann', id: 2 },
			{ phone: '12025550101', name: '' },
			{ phone: '12025550101', name: 'Eve' },
		];
		const { shown } = await preview({ audience: 'csvItems' }, { items });
		expect(shown).toMatchObject({
			ready: true,
			recipients: 3,
			firstMessage: 'Welcome, Ann!',
			notes: ['Left out 1 row equal to an earlier one', 'The column name has no value in 1 row'],
		});
		const bad = await preview({ audience: 'csvItems' }, { items: [{ phone: '12025550100' }] });
		expect(bad.shown).toMatchObject({
			ready: false,
			message: expect.stringMatching(/^No input item has the field name/),
		});
	});
});

describe('the guards of Broadcast: Create', () => {
	const fileOf = (rows: string[]) => ['phone,name', ...rows.map((to) => `${to},A`)].join('\n');

	test('more recipients than Max Recipients stop the run before anything is sent', async () => {
		const segmentId = byId(segmentOf(phones(9)));
		const items = phones(9).map((phone) => ({ phone, waId: phone, name: 'A' }));
		for (const [audience, options] of [
			[{ segmentId }, {}],
			[list(...phones(9)), {}],
			[{ audience: 'items' }, { items }],
			[{ audience: 'csv' }, { file: fileOf(phones(9)) }],
			[{ audience: 'csvItems' }, { items }],
		] as [INodeParameters, NodeRun][]) {
			const tooMany = await create({ ...audience, options: { maxRecipients: 8 } }, options);
			expect(tooMany.error).toMatchObject({
				message: 'The broadcast has 9 recipients, but Max Recipients is 8',
				description: expect.stringMatching(/^Nothing was sent\./),
			});
			expect(sent('POST /broadcasts')).toEqual([]);
			const { json } = await create({ ...audience, options: { maxRecipients: 9 } }, options);
			expect(json[0]).toMatchObject({
				recipientCount: 9,
				guards: { recipients: 9, leftOut: 0, notes: [] },
			});
			harness.sandbox.requests.length = 0;
		}
	});

	test.each([-1, 1.5, 'many'])('Max Recipients %j is rejected', async (maxRecipients) => {
		const { error } = await create({ ...list('12025550100'), options: { maxRecipients } });
		expect(error!.message).toMatch(/^Max Recipients expects a (whole )?number/);
	});

	test('the members of Exclude Segment are left out, however their numbers are written', async () => {
		const excludeSegmentId = byId(segmentOf(['12025550102', '+12025550104', null]));
		const segmentId = byId(segmentOf([...phones(6), null]));
		const numbers = ['+1 202 555 0101', '1-202-555-0102', '12025550104', '12025550105'];
		const items = numbers.map((phone) => ({ phone, waId: phone, name: 'A' }));
		const options = { excludeSegmentId };

		const bySegment = await create({ segmentId, options });
		expect(broadcastBody()).toMatchObject({
			audienceMode: 'list',
			recipients: ['12025550100', '12025550101', '12025550103', '12025550105'],
		});
		expect(broadcastBody()).not.toHaveProperty('segmentId');
		const notes = [
			'Left out 2 members of Exclude Segment',
			'Left out 1 contact without a WhatsApp ID',
		];
		expect(bySegment.json[0]!.guards).toEqual({ recipients: 4, leftOut: 3, notes });
		expect(bySegment.hints).toEqual(notes);

		for (const audience of [list(...numbers), { audience: 'items' }]) {
			await create(
				{ ...audience, options },
				{ items: audience.audience === 'list' ? [{}] : items },
			);
			expect(broadcastBody()!.recipients).toEqual(['12025550101', '12025550105']);
		}
		const { json } = await create({ audience: 'csvItems', options }, { items });
		expect(json[0]).toMatchObject({ recipientCount: 2, guards: { recipients: 2, leftOut: 2 } });
	});

	test.each([undefined, null])(
		'a segment to exclude that comes as %j is no empty one: nothing is sent',
		async (data) => {
			const excludeSegmentId = byId(segmentOf(['12025550102']));
			harness.sandbox.faults.add(
				{
					kind: 'status',
					status: 200,
					headers: { 'content-type': 'application/json' },
					body: data === undefined ? '' : JSON.stringify({ success: true, data }),
				},
				{ matches: ({ path }) => path.startsWith('/segments/') },
			);
			const { error } = await create({ ...list('12025550102'), options: { excludeSegmentId } });
			expect(error!.message).toBe('Read Exclude Segment: the response contains no list');
			expect(broadcastBody()).toBeUndefined();
		},
	);

	test('a user ID is never compared as a number', async () => {
		const excludeSegmentId = byId(segmentOf(['CO.1092712345', 'US.13491208655302741918']));
		const numbers = ['1092712345', '13491208655302', 'US.13491208655302741918'];
		await create({ ...list(...numbers), options: { excludeSegmentId } });
		expect(broadcastBody()!.recipients).toEqual(['1092712345', '13491208655302']);
		const segmentId = byId(segmentOf(['1092712345', 'CO.1092712345', 'CO.7']));
		await create({ segmentId, options: { excludeSegmentId } });
		expect(broadcastBody()!.recipients).toEqual(['1092712345', 'CO.7']);
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

	test('a member whose number has no country code excludes nobody, and a note says so', async () => {
		const members = ['015123456789', 'n/a', '12025550100', '0049/151/23456780', null];
		const parameters = {
			...list('15123456789', '4915123456789', '12025550100', '4915123456780'),
			options: { excludeSegmentId: byId(segmentOf(members)) },
		};
		const note =
			'2 members of Exclude Segment cannot be excluded: their numbers have no country code ("015123456789", "n/a")';
		expect((await preview(parameters)).shown.notes).toContain(note);
		const { json, hints } = await create(parameters);
		expect(broadcastBody()!.recipients).toEqual(['15123456789', '4915123456789']);
		expect(json[0]!.guards).toMatchObject({ leftOut: 2 });
		expect(hints).toContain(note);
	});

	test('a member of the segment who cannot be compared with Exclude Segment is left out', async () => {
		const { json } = await create({
			segmentId: byId(segmentOf(['015123456789', 'n/a', '0012025550101', '12025550102', null])),
			options: { excludeSegmentId: byId(segmentOf(['12025550102', '4915123456789'])) },
		});
		expect(broadcastBody()!.recipients).toEqual(['0012025550101']);
		expect(json[0]!.guards).toEqual({
			recipients: 1,
			leftOut: 4,
			notes: [
				'Left out 1 member of Exclude Segment',
				'Left out 1 contact without a WhatsApp ID',
				'Left out 2 numbers that cannot be compared with Exclude Segment: "015123456789", "n/a"',
			],
		});
	});

	test.each([
		['nobody', []],
		['nobody on WhatsApp', [null]],
	])(
		'if Exclude Segment has %s in it, a note says that nobody is excluded',
		async (_case, members) => {
			const options = { excludeSegmentId: byId(segmentOf(members)) };
			const { hints } = await create({ ...list(...phones(2)), options });
			expect(broadcastBody()!.recipients).toEqual(phones(2));
			expect(hints).toEqual([
				'Exclude Segment excludes nobody: the service shows no members with a phone number',
			]);
		},
	);

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
			description:
				'Nothing was sent. Left out 3 members of Exclude Segment. Check the audience and the options.',
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

	test.each([
		['Exclude Segment', () => ({ excludeSegmentId: byId(segmentOf(phones(1))) })],
		['Skip Repeated Numbers', () => ({ skipRepeatedNumbers: true })],
	])('%s does not apply to a CSV file, whose rows are not read', async (name, options) => {
		const parameters = { audience: 'csv', options: options() };
		const { error } = await create(parameters, { file: fileOf(phones(2)) });
		expect(error).toMatchObject({
			message: `${name} does not apply to a CSV file`,
			description: expect.stringContaining('CSV From Input Items'),
		});
		const { shown } = await preview(parameters, { file: fileOf(phones(2)) });
		expect(shown).toMatchObject({ ready: false, message: expect.stringContaining(error!.message) });
		expect(harness.sandbox.requests).toEqual([]);
	});

	test('a CSV file is sent byte for byte, even if its rows are counted', async () => {
		const file = {
			fileName: 'a.csv',
			mimeType: 'text/csv',
			bytes: Buffer.from('phone;name\r\n12025550100;J\u00f6rg\n12025550100;\n', 'latin1'),
		};
		await create({ audience: 'csv', options: { maxRecipients: 9 } }, { file });
		expect(sent('POST /broadcasts')[0]!.file!.sha256).toBe(
			createHash('sha256').update(file.bytes).digest('hex'),
		);
	});

	test('Skip Repeated Numbers sends a CSV of items to each number once', async () => {
		const items = [
			{ phone: '12025550100', name: 'Ann' },
			{ phone: '+1 (202) 555-0100', name: 'Bob' },
			{ phone: '12025550101', name: 'Eve' },
		];
		const options = { skipRepeatedNumbers: true };
		const { json, hints } = await create({ audience: 'csvItems', options }, { items });
		const notes = ['Left out 1 repeated recipient'];
		expect(json[0]).toMatchObject({
			recipientCount: 2,
			guards: { recipients: 2, leftOut: 1, notes },
		});
		expect(hints).toEqual(notes);
		const all = await create({ audience: 'csvItems' }, { items });
		expect(all.json[0]).toMatchObject({ recipientCount: 3 });
		expect(all.json[0]).not.toHaveProperty('guards');
	});

	test('without a guard, Create reads nothing about its audience', async () => {
		const segmentId = byId(segmentOf([], true));
		const guarded = await create({ segmentId, options: { maxRecipients: 99 } });
		expect(guarded.hints).toEqual([
			'The segment is dynamic: its members may change until the start',
		]);
		harness.sandbox.requests.length = 0;
		expect((await create({ segmentId })).hints).toEqual([]);
		expect(sent('GET /segments/{id}')).toEqual([]);
	});

	test('what no guard needed to read is unknown in the output, also after a wait', async () => {
		const options = { quietHours: '02:00-02:01', waitForCompletionMinutes: 5 };
		const { json } = await create({ audience: 'csv', options }, { file: fileOf(phones(1)) });
		expect(json[0]).toMatchObject({
			status: 'COMPLETED',
			guards: { recipients: null, leftOut: 0, notes: [] },
		});
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
			guards: { recipients: 1, leftOut: 0, startsAt: '2041-05-07T08:00:00+02:00', notes: hints },
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

describe('a preview and the broadcast with the same settings agree', () => {
	const items = [
		{ phone: '12025550100', waId: '12025550100', name: 'Ann' },
		{ phone: '+1 202 555 0100', waId: '+1 202 555 0100', name: 'Ann' },
		{ phone: '12025550101', waId: '12025550101', name: 'Bob' },
		{ phone: '12025550100', waId: '12025550100', name: 'Eve' },
	];
	const file = `phone,name\n${items.map(({ phone, name }) => `${phone.replace(/ /g, '')},${name}`).join('\n')}`;
	const audiences: [string, INodeParameters][] = [
		['segment', { audience: 'segment' }],
		['list', list(...items.map(({ phone }) => phone))],
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
		const input = { items: kind === 'items' || kind === 'csvItems' ? items : [{}], file };
		const { shown } = await preview(parameters, input);
		expect(sent('POST /broadcasts')).toEqual([]);
		const { error, json } = await create(parameters, input);
		expect(shown.ready).toBe(error === undefined);
		if (error) {
			expect(error.description).toContain(
				(shown.message as string).slice(error.message.length + 2),
			);
			return;
		}
		const body = broadcastBody()!;
		if (body.sendAt) expect((shown.start as IDataObject).at).toBe(body.sendAt);
		// The service counts only those of a segment who have a WhatsApp ID.
		const unreachable = body.audienceMode === 'segment' ? 1 : 0;
		expect(shown.recipients).toBe((json[0]!.recipientCount as number) + unreachable);
	});
});
