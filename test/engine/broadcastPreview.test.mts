import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { BroadcastHarness, exclude, list, phones, plusOne } from './broadcastHarness.mts';
import { byId, type NodeRun } from './harness.mts';
import { CONTINUE, pairs } from './sharedHarness.mts';

const service = new BroadcastHarness();

describe('Broadcast: Preview', () => {
	test('a preview shows audience, template, start and message, in this order, and sends nothing', async () => {
		const { shown } = await service.preview(
			{
				segmentId: byId(service.segmentOf(phones(9))),
				scheduleType: 'schedule',
				sendAt: '2041-05-06T09:00',
				// The category of the template is shown all the same.
				options: {
					quietHours: '04:00-05:00',
					recipientTimeZone: 'America/New_York',
					templateCategory: 'UTILITY',
				},
			},
			{ timezone: 'Europe/Berlin' },
		);
		const parameters = [{ type: 'text', text: 'Ann', parameter_name: 'name' }];
		expect(Object.entries(shown)).toStrictEqual([
			['ready', true],
			['name', 'Spring'],
			['recipients', 9],
			['recipientsByCountry', { US: 9 }],
			['firstRecipient', '+1 202 555 0100'],
			['firstMessage', 'Welcome, Ann!'],
			[
				'start',
				{
					text: 'Monday 6 May 2041 03:00, America/New_York',
					at: '2041-05-06T09:00:00+02:00',
				},
			],
			[
				'sending',
				{
					messages: 9,
					text: 'Sends to the segment: a message to each member that it has at the start.',
				},
			],
			['notes', [plusOne('9 recipients', 'US 9')]],
			[
				'template',
				{
					...{ name: 'welcome', language: 'en_US', category: 'MARKETING', status: 'APPROVED' },
					components: [{ type: 'body', parameters }],
				},
			],
		]);
		expect(new Set(service.routes())).toStrictEqual(
			new Set(['GET /segments/{id}', 'GET /templates']),
		);
	});

	test.each<[more: () => INodeParameters, message: string]>([
		[
			() => ({ scheduleType: 'schedule', sendAt: '2020-01-01T09:00Z' }),
			'Date and Time is in the past: 2020-01-01T04:00:00-05:00',
		],
		[
			() => service.welcome('en_US', { 'body:name': ' ' }),
			'Template variable Body {{name}} is empty',
		],
		[
			() => list('12025550100', 'n/a'),
			'Phone Numbers expects a phone number with country code, or a user ID, but got "n/a"',
		],
		[() => ({ audience: 'items' }), 'Phone Number is empty'],
		[
			() => ({ options: { maxRecipients: 0 } }),
			'The broadcast has 1 recipient, but Max Recipients is 0',
		],
		[
			() => ({ templateId: byId('404') }),
			'Template expects the ID of a template that the service lists, but got "404"',
		],
		[
			() => ({ templateId: byId('404'), options: { channelId: byId('c') } }),
			'Template expects the ID of a template that the service lists in the chosen channel, but got "404"',
		],
		[() => ({ audience: 'csv' }), 'The item has no file in the field "data"'],
		[
			() => ({ audience: 'csv', options: { skipRepeatedNumbers: true } }),
			'Skip Repeated Numbers does not apply to a CSV file',
		],
	])('what Create stops at is shown with its message: %#', async (more, message) => {
		await service.expectStop({ ...list('12025550100'), ...more() }, message);
	});

	test.each<[action: string, more: () => INodeParameters]>([
		['Get segment', () => ({ segmentId: byId('nobody'), options: { maxRecipients: 5 } })],
		['Read Exclude Segments', () => ({ ...list('12025550100'), options: exclude('nobody') })],
	])('a segment that cannot be read fails Preview and Create: %s', async (action, more) => {
		for (const operation of ['preview', 'create']) {
			const { error } = await service.create({ ...more(), operation });
			expect(error).toMatchObject({ httpCode: '404', message: expect.stringContaining(action) });
		}
		expect(service.sentBroadcasts).toStrictEqual([]);
	});

	test('a template that is entered by name is found by its language, and its variables are checked', async () => {
		const shownFor = async (language: string, ...parameters: object[]) => {
			const templateId = { __rl: true, mode: 'name', value: `welcome ${language}` };
			const templateComponents = JSON.stringify([{ type: 'body', parameters }]);
			const options = { templateComponents };
			return (await service.preview({ ...list('4915112345678'), templateId, options })).shown;
		};
		const value = { type: 'text', text: 'Ann' };
		expect(await shownFor('de', { ...value, parameter_name: 'name' })).toMatchObject({
			ready: true,
			firstMessage: 'Willkommen, Ann!',
		});
		expect(await shownFor('de', value)).toMatchObject({
			ready: false,
			message: 'Template variable name is empty. Enter a value for it.',
		});
		const unlisted = await shownFor('fr');
		expect(unlisted).toMatchObject({
			ready: true,
			template: { name: 'welcome', language: 'fr' },
			notes: [
				'The service does not list the template, so its approval and variables are unknown. Check its name, language and channel',
			],
		});
		expect(unlisted).not.toHaveProperty('firstMessage');
	});

	test('a template that is listed in an unknown form has no message', async () => {
		const template = service.world.templates.find(({ name }) => name === 'welcome')!;
		template.components = [{ kind: 'text', value: 'Welcome, {{name}}!' }];
		const { shown } = await service.preview({
			...service.welcome(template.language),
			...list('4915112345678'),
		});
		expect(shown).toMatchObject({
			ready: true,
			notes: ['The service does not show the template’s text, so its variables are not checked'],
		});
		expect(shown).not.toHaveProperty('firstMessage');
	});

	test('nothing is sent unchecked if the response has no list of templates', async () => {
		const isTemplates = { matches: ({ path }: { path: string }) => path === '/templates' };
		service.respondWith('application/json', '{ "data": {} }', isTemplates);
		const templateId = { __rl: true, mode: 'name', value: 'welcome de' };
		const parameters = { ...list('4915112345678'), templateId };
		const { error } = await service.run({ resource: 'broadcast', name: 'Spring', ...parameters });
		expect(error!.message).toMatch(/: the response contains no list \(data is empty\)$/);
		expect(service.sentBroadcasts).toStrictEqual([]);
	});

	describe('the countries of the recipients', () => {
		const NUMBERS = [
			...['4915112345678', '+49 1511 2345679', '0049 151 1234 5670', '436641234567'],
			...['5215512345678', '12025550100', '14165550143', '15112345678'],
			'US.13491208655302741918',
		];
		const COUNTED = { DE: 3, US: 2, AT: 1, MX: 1, CA: 1, unknown: 1 };
		const items = NUMBERS.map((waId) => ({ waId, phone: waId, name: 'Ann' }));

		test.each<[string, () => INodeParameters, NodeRun]>([
			['list', () => list(...NUMBERS), {}],
			['items', () => ({ audience: 'items' }), { items }],
			['csvItems', () => ({ audience: 'csvItems' }), { items }],
			['segment', () => ({ segmentId: byId(service.segmentOf(NUMBERS)) }), {}],
			[
				'segment without others',
				() => ({
					segmentId: byId(service.segmentOf([...NUMBERS, '4915119999999'])),
					options: exclude(service.segmentOf(['4915119999999'])),
				}),
				{},
			],
		])('are counted, the most first: %s', async (_audience, parameters, run) => {
			const { shown } = await service.preview(parameters(), run);
			expect(shown).toMatchObject({ ready: true, recipients: 9 });
			expect(Object.entries(shown.recipientsByCountry!)).toStrictEqual(Object.entries(COUNTED));
			expect(shown.notes).toContain(plusOne('4 recipients', 'US 2, CA 1, unknown 1'));
		});

		test('contacts without a number, and those who are not shown, are of an unknown one', async () => {
			const ofItem = { segmentId: byId('={{ $json.id }}') };
			const two = [null, '12025550100'].map((waId) => ({ id: service.segmentOf([waId]) }));
			const [first, second] = (await service.preview(ofItem, { items: two })).json;
			expect(first).toMatchObject({ recipients: 1, recipientsByCountry: { unknown: 1 } });
			expect(first).not.toHaveProperty('firstRecipient');
			expect(second).toMatchObject({ recipients: 1, firstRecipient: '+1 202 555 0100' });
			const segmentId = byId(service.segmentOf(['4915112345678', '015112345678', null]));
			const counted = { recipients: 3, recipientsByCountry: { DE: 1, unknown: 2 }, notes: [] };
			expect((await service.preview({ segmentId })).shown).toMatchObject(counted);
			const members = [{ id: 'c', waId: '4915112345678' }];
			service.showSegment({ id: 's', memberCount: 3, members }, { total: 1 }, 9);
			expect((await service.preview({ segmentId })).shown).toMatchObject(counted);
		});

		test('are not counted in a CSV file, nor in a segment of more than 10,000 contacts, which is not read', async () => {
			const file = 'phone,name\n12025550100,Ann';
			const csv = await service.preview({ audience: 'csv' }, { file });
			service.requests.length = 0;
			const meta = { total: 10_001, page: 1, limit: 1, totalPages: 10_001 };
			service.showSegment([{ id: 'c', waId: '4915112345678' }], meta, 9);
			const { shown } = await service.preview({ segmentId: byId('s') });
			expect(shown).toMatchObject({
				recipients: 10_001,
				notes: ['The countries of more than 10,000 members are not counted'],
			});
			for (const each of [csv.shown, shown]) {
				expect(each).not.toHaveProperty('recipientsByCountry');
				expect(each).not.toHaveProperty('firstRecipient');
			}
			expect(service.sent('GET /segments/{id}')).toHaveLength(1);
		});

		test('are counted in a segment of 10,000 contacts', async () => {
			service.showSegment([{ id: 'c', waId: '4915112345678' }], { total: 10_000 }, 99);
			const { shown } = await service.preview({ segmentId: byId('s') });
			expect(shown.recipientsByCountry).toStrictEqual({ DE: 1, unknown: 9_999 });
		});

		test('with +1 are named for marketing templates only', async () => {
			for (const template of service.world.templates.filter(({ name }) => name === 'welcome'))
				template.category = 'UTILITY';
			const { shown } = await service.preview(list('12025550100', '14165550143'));
			expect(shown).toMatchObject({ recipientsByCountry: { US: 1, CA: 1 }, notes: [] });
		});
	});

	const twoRows = 'Sends a CSV file with 2 rows, a message for each row.';
	test.each<[parameters: INodeParameters, run: NodeRun, messages: number, text: string]>([
		[list(...phones(3)), {}, 3, 'Sends a list of 3 recipients, a message to each.'],
		[
			{
				...list('12025550100'),
				options: { sendOnceKey: 'May "31"', waitForCompletionMinutes: 10 },
			},
			{},
			1,
			'Sends a list of 1 recipient, a message to each. Sends nothing if a broadcast was sent for "May \\"31\\"" before. Waits up to 10 minutes for the end.',
		],
		[{ audience: 'csv' }, { file: 'phone,name\n12025550100,Ann\n12025550100,Bob' }, 2, twoRows],
		[
			{ audience: 'csvItems' },
			{ items: ['Ann', 'Bob'].map((name) => ({ phone: '4915112345678', name })) },
			2,
			twoRows,
		],
	])('what sending would do is shown: %#', async (parameters, run, messages, text) => {
		expect((await service.preview(parameters, run)).shown.sending).toStrictEqual({
			messages,
			text,
		});
	});

	describe('the size of a segment', () => {
		const CHANGES = 'The segment is dynamic: its members may change until the start';
		test.each<[data: IDataObject, total: number | undefined, ...notes: string[]]>([
			[{ memberCount: 1, members: [{ id: 'c', waId: '1' }] }, undefined],
			[{ isDynamic: true, members: [] }, 0, CHANGES],
			[{ members: [] }, 0],
		])(
			'is unknown if the service does not show it: with Max Recipients, nothing is sent: %j, of %s',
			async (data, total, ...notes) => {
				service.showSegment({ id: 's', ...data }, { total }, 2);
				const segmentId = byId('s');
				expect((await service.preview({ segmentId })).shown).toMatchObject({
					ready: true,
					recipients: null,
					notes: ['The service does not show how many members the segment has', ...notes],
				});
				const { error } = await service.create({ segmentId, options: { maxRecipients: 5 } });
				expect(error?.message).toBe(
					'The number of recipients is unknown, so Max Recipients (5) cannot be checked',
				);
			},
		);

		test('may be 0: members may join until the start, and the service decides', async () => {
			const segmentId = byId(service.segmentOf([]));
			for (const options of [{}, { maxRecipients: 5 }]) {
				expect((await service.preview({ segmentId, options })).shown).toMatchObject({
					ready: true,
					recipients: 0,
					notes: [expect.stringMatching(/^The service shows no members of the segment/)],
				});
				await service.create({ segmentId, options });
			}
			expect(service.sentBroadcasts).toHaveLength(2);
		});

		test('may change if the segment is dynamic', async () => {
			const { shown } = await service.preview({
				segmentId: byId(service.segmentOf([], 'All', true)),
			});
			expect(shown.notes).toStrictEqual([
				'The segment is dynamic: its members may change until the start',
				plusOne('21 recipients', 'US 18, CA 1, unknown 2'),
			]);
		});
	});

	describe('input items that make one broadcast', () => {
		const numbers = ['12025550100', '+1 202 555 0100', 'n/a', '12025550101', null];
		const items = numbers.map((waId) => ({ waId }));

		test('have one preview, which is not ready if Create would reject one of them', async () => {
			const { shown, items: output } = await service.preview({ audience: 'items' }, { items });
			expect(pairs(output)).toStrictEqual([[0, 1, 2, 3, 4]]);
			expect(shown).toMatchObject({
				ready: false,
				message: expect.stringMatching(/^Phone Number expects .*"n\/a"/),
				notes: [
					'2 input items cannot be used; the message is about the first',
					'The message is about item 2. Item numbers start at 0',
				],
			});
		});

		test('fail alone if the node continues, as they do with Create', async () => {
			const continuing = { items, ...CONTINUE };
			const { json } = await service.preview({ audience: 'items' }, continuing);
			expect(json).toMatchObject([
				{
					ready: true,
					recipients: 2,
					notes: ['Left out 1 repeated recipient', plusOne('2 recipients', 'US 2')],
				},
				...Array<object>(2).fill({ error: expect.any(String) }),
			]);
			await service.create({ audience: 'items' }, continuing);
			expect(service.broadcastBody!.recipients).toStrictEqual(['12025550100', '12025550101']);
		});

		test('fail alone if a cell of the CSV cannot be written, whatever came before', async () => {
			const rows = [
				{ phone: 'n/a' },
				{ phone: '12025550100' },
				{ phone: '12025550101', name: [1] },
			];
			const csv = await service.preview(
				{ audience: 'csvItems' },
				{ items: rows.map((row) => ({ name: 'Ann', ...row })), ...CONTINUE },
			);
			expect(csv.json).toStrictEqual([
				{ error: expect.stringMatching(/^The field phone expects/) },
				expect.objectContaining({ ready: true, recipients: 1 }),
				{ error: expect.stringMatching(/^The column name expects/) },
			]);
			expect(pairs(csv.items).flat()).toStrictEqual([0, 1, 2]);
		});
	});

	test('the rows of a file that cannot be read are unknown, and Create sends it', async () => {
		const file = 'phone,name\n12025550100,Ann\n12025550101,"Bob';
		const { shown } = await service.preview({ audience: 'csv' }, { file });
		expect(shown).toMatchObject({
			ready: true,
			recipients: null,
			notes: ['The rows of the CSV file cannot be counted: a quote in row 3 is never closed'],
		});
		await service.create({ audience: 'csv' }, { file });
		expect(service.sentBroadcasts).toHaveLength(1);
		const { error } = await service.create(
			{ audience: 'csv', options: { maxRecipients: 99 } },
			{ file },
		);
		expect(error!.message).toBe(
			'The number of recipients is unknown, so Max Recipients (99) cannot be checked',
		);
	});

	test('a CSV of items shows the row of the first of them', async () => {
		const items = [
			{ phone: '4915112345678', name: 'Ann', id: 1 },
			{ phone: '+4915112345678', name: 'Ann', id: 2 },
			{ phone: '4915112345679', name: '' },
			{ phone: '4915112345679' },
			{ phone: '4915112345679', name: 'Eve' },
		];
		expect((await service.preview({ audience: 'csvItems' }, { items })).shown).toMatchObject({
			ready: true,
			recipients: 3,
			firstRow: { phone: '4915112345678', name: 'Ann' },
			notes: [
				'Left out 2 rows equal to an earlier one',
				'1 row with the number of an earlier row: each is a message',
				'The column name has no value in 1 row',
			],
		});
		const made = await service.create(
			{ audience: 'csvItems', options: { maxRecipients: 3 } },
			{ items },
		);
		expect(made.json[0]!.guards).toMatchObject({ recipients: 3, leftOut: 2 });
		const bad = await service.preview(
			{ audience: 'csvItems' },
			{ items: [{ phone: '4915112345678' }] },
		);
		expect(bad.shown).toMatchObject({
			ready: false,
			message: expect.stringMatching(/^Your items have phone, the template needs name\. Map it/),
		});
		const list = { phone: '4915112345678', name: [1] };
		const unusable = { items: [...items, list] };
		expect((await service.preview({ audience: 'csvItems' }, unusable)).shown).toMatchObject({
			ready: false,
			message: expect.stringMatching(/^The column name expects one value, but got a list/),
			notes: ['The message is about item 5. Item numbers start at 0'],
		});
	});
});
