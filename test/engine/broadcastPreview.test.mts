import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { iso } from '../../sandbox/clock.mts';
import { addSegment } from '../support/records.mts';
import { sha256 } from '../support/sha256.mts';
import { byId, templateVariables, type NodeRun } from './harness.mts';
import { CONTINUE, on, pairs, SharedHarness } from './sharedHarness.mts';

/** Broadcast → Preview, and the guards that it shares with Create. `recipientTables` has who receives a broadcast. */
const service = new SharedHarness({ contacts: 30, tickets: 1, pageCap: 4 });

const sent = () => service.sent('POST /broadcasts');
const broadcastBody = () => service.bodies('POST /broadcasts').at(-1);

/** The welcome template with its variable, in the editor's form. */
const welcome = (language = 'en_US', value: IDataObject = { 'body:name': 'Ann' }) => {
	const { id, name } = service.world.templates.find(
		(row) => row.name === 'welcome' && row.language === language,
	)!;
	return {
		templateId: byId(`${id} ${name} ${language}`),
		templateVariables: templateVariables(value, { 'body:name': 'Body {{name}}' }),
	};
};

/** Without the operation, because n8n does not save a default value. */
const create = async (more: INodeParameters, options: NodeRun = {}) =>
	await service.run({ resource: 'broadcast', name: 'Spring', ...welcome(), ...more }, options);

async function preview(more: INodeParameters, options: NodeRun = {}) {
	const outcome = await create({ ...more, operation: 'preview' }, options);
	expect(outcome.error).toBeUndefined();
	return { ...outcome, shown: outcome.json[0] as IDataObject };
}

/** Create sends nothing and says this; Preview shows it. */
async function expectStop(parameters: INodeParameters, message: string, next = /./) {
	const { error } = await create(parameters);
	expect(error).toMatchObject({ message, description: expect.stringMatching(next) });
	expect((await preview(parameters)).shown).toStrictEqual({
		ready: false,
		recipients: null,
		message: `${message}. ${error!.description!}`,
		notes: [],
	});
	expect(sent()).toStrictEqual([]);
}

/** A segment of these contacts. */
function segmentOf(phones: (string | null)[], name = 'Opted out', isDynamic = false): string {
	const members = phones.map((waId, index) => {
		const known = service.world.contacts.find((contact) => waId !== null && contact.waId === waId);
		const igId = waId === null ? `ig-${service.world.newId()}` : null;
		return (known ?? service.world.addContact({ name: `Member ${index}`, waId, igId })).id;
	});
	const rules = isDynamic ? { channel: 'WHATSAPP' } : null;
	return addSegment(service.world, members, { name, isDynamic, rules }).id;
}
const phones = (count: number, from = 0) =>
	Array.from({ length: count }, (_, index) => `120255501${String(from + index).padStart(2, '0')}`);

/** The option Exclude Segments with these rows: the locator of a segment, or its ID. */
const exclude = (...segments: (string | INodeParameters)[]): INodeParameters => ({
	excludeSegments: {
		segment: segments.map((each) => ({ segmentId: typeof each === 'string' ? byId(each) : each })),
	},
});

const list = (...numbers: string[]): INodeParameters => ({
	audience: 'list',
	recipients: numbers.join(', '),
});

/** Responses with the members of any segment. */
const isSegment = ({ path }: { path: string }) => path.startsWith('/segments/');
const showSegment = (data: unknown, meta?: object, times = 1) =>
	service.respond({ success: true, data, meta }, { matches: isSegment, times });

/** The note about recipients with +1. */
const plusOne = (recipients: string, countries: string) =>
	`${recipients} with +1 (${countries}): WhatsApp does not deliver marketing templates to US numbers; +1 is also Canada and others`;

describe('Broadcast: Preview', () => {
	test('a preview shows audience, template, start and message, in this order, and sends nothing', async () => {
		const { shown } = await preview(
			{
				segmentId: byId(segmentOf(phones(9))),
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
		[() => welcome('en_US', { 'body:name': ' ' }), 'Template variable Body {{name}} is empty'],
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
		await expectStop({ ...list('12025550100'), ...more() }, message);
	});

	test.each<[action: string, more: () => INodeParameters]>([
		['Get segment', () => ({ segmentId: byId('nobody'), options: { maxRecipients: 5 } })],
		['Read Exclude Segments', () => ({ ...list('12025550100'), options: exclude('nobody') })],
	])('a segment that cannot be read fails Preview and Create: %s', async (action, more) => {
		for (const operation of ['preview', 'create']) {
			const { error } = await create({ ...more(), operation });
			expect(error).toMatchObject({ httpCode: '404', message: expect.stringContaining(action) });
		}
		expect(sent()).toStrictEqual([]);
	});

	test('a template that is entered by name is found by its language, and its variables are checked', async () => {
		const shownFor = async (language: string, ...parameters: object[]) => {
			const templateId = { __rl: true, mode: 'name', value: `welcome ${language}` };
			const templateComponents = JSON.stringify([{ type: 'body', parameters }]);
			const options = { templateComponents };
			return (await preview({ ...list('4915112345678'), templateId, options })).shown;
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
		const { shown } = await preview({ ...welcome(template.language), ...list('4915112345678') });
		expect(shown).toMatchObject({
			ready: true,
			notes: ['The service does not show the template’s text, so its variables are not checked'],
		});
		expect(shown).not.toHaveProperty('firstMessage');
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
			['segment', () => ({ segmentId: byId(segmentOf(NUMBERS)) }), {}],
			[
				'segment without others',
				() => ({
					segmentId: byId(segmentOf([...NUMBERS, '4915119999999'])),
					options: exclude(segmentOf(['4915119999999'])),
				}),
				{},
			],
		])('are counted, the most first: %s', async (_audience, parameters, run) => {
			const { shown } = await preview(parameters(), run);
			expect(shown).toMatchObject({ ready: true, recipients: 9 });
			expect(Object.entries(shown.recipientsByCountry!)).toStrictEqual(Object.entries(COUNTED));
			expect(shown.notes).toContain(plusOne('4 recipients', 'US 2, CA 1, unknown 1'));
		});

		test('contacts without a number, and those who are not shown, are of an unknown one', async () => {
			const first = (await preview({ segmentId: byId(segmentOf([null])) })).shown;
			expect(first).toMatchObject({ recipients: 1, recipientsByCountry: { unknown: 1 } });
			expect(first).not.toHaveProperty('firstRecipient');
			const segmentId = byId(segmentOf(['4915112345678', '015112345678', null]));
			const counted = { recipients: 3, recipientsByCountry: { DE: 1, unknown: 2 }, notes: [] };
			expect((await preview({ segmentId })).shown).toMatchObject(counted);
			const members = [{ id: 'c', waId: '4915112345678' }];
			showSegment({ id: 's', memberCount: 3, members }, { total: 1 }, 9);
			expect((await preview({ segmentId })).shown).toMatchObject(counted);
		});

		test('are not counted in a CSV file, nor in a segment of more than 10,000 contacts, which is not read', async () => {
			const file = 'phone,name\n12025550100,Ann';
			const csv = await preview({ audience: 'csv' }, { file });
			service.requests.length = 0;
			const meta = { total: 10_001, page: 1, limit: 1, totalPages: 10_001 };
			showSegment([{ id: 'c', waId: '4915112345678' }], meta, 9);
			const { shown } = await preview({ segmentId: byId('s') });
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

		test('with +1 are named for marketing templates only', async () => {
			for (const template of service.world.templates.filter(({ name }) => name === 'welcome'))
				template.category = 'UTILITY';
			const { shown } = await preview(list('12025550100', '14165550143'));
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
		expect((await preview(parameters, run)).shown.sending).toStrictEqual({ messages, text });
	});

	describe('the size of a segment', () => {
		test('is unknown if the service does not show it: with Max Recipients, nothing is sent', async () => {
			showSegment({ id: 's', memberCount: 1, members: [{ id: 'c', waId: '1' }] }, undefined, 2);
			const segmentId = byId('s');
			expect((await preview({ segmentId })).shown).toMatchObject({
				ready: true,
				recipients: null,
				notes: ['The service does not show how many members the segment has'],
			});
			const { error } = await create({ segmentId, options: { maxRecipients: 5 } });
			expect(error!.message).toBe(
				'The number of recipients is unknown, so Max Recipients (5) cannot be checked',
			);
		});

		test('may be 0: members may join until the start, and the service decides', async () => {
			const segmentId = byId(segmentOf([]));
			for (const options of [{}, { maxRecipients: 5 }]) {
				expect((await preview({ segmentId, options })).shown).toMatchObject({
					ready: true,
					recipients: 0,
					notes: [expect.stringMatching(/^The service shows no members of the segment/)],
				});
				await create({ segmentId, options });
			}
			expect(sent()).toHaveLength(2);
		});

		test('may change if the segment is dynamic', async () => {
			const { shown } = await preview({ segmentId: byId(segmentOf([], 'All', true)) });
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
			const { shown, items: output } = await preview({ audience: 'items' }, { items });
			expect(pairs(output)).toStrictEqual([[0, 1, 2, 3, 4]]);
			expect(shown).toMatchObject({
				ready: false,
				message: expect.stringMatching(/^Phone Number expects .*"n\/a"/),
				notes: ['2 input items cannot be used; the message is about the first'],
			});
		});

		test('fail alone if the node continues, as they do with Create', async () => {
			const continuing = { items, ...CONTINUE };
			const { json } = await preview({ audience: 'items' }, continuing);
			expect(json).toMatchObject([
				{
					ready: true,
					recipients: 2,
					notes: ['Left out 1 repeated recipient', plusOne('2 recipients', 'US 2')],
				},
				...Array<object>(2).fill({ error: expect.any(String) }),
			]);
			await create({ audience: 'items' }, continuing);
			expect(broadcastBody()!.recipients).toStrictEqual(['12025550100', '12025550101']);
		});

		test('fail alone if a cell of the CSV cannot be written, whatever came before', async () => {
			const rows = [
				{ phone: 'n/a' },
				{ phone: '12025550100' },
				{ phone: '12025550101', name: [1] },
			];
			const csv = await preview(
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
		const { shown } = await preview({ audience: 'csv' }, { file });
		expect(shown).toMatchObject({
			ready: true,
			recipients: null,
			notes: ['The rows of the CSV file cannot be counted: a quote in row 3 is never closed'],
		});
		await create({ audience: 'csv' }, { file });
		expect(sent()).toHaveLength(1);
		const { error } = await create({ audience: 'csv', options: { maxRecipients: 99 } }, { file });
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
		expect((await preview({ audience: 'csvItems' }, { items })).shown).toMatchObject({
			ready: true,
			recipients: 3,
			firstRow: { phone: '4915112345678', name: 'Ann' },
			notes: [
				'Left out 2 rows equal to an earlier one',
				'1 row with the number of an earlier row: each is a message',
				'The column name has no value in 1 row',
			],
		});
		const made = await create({ audience: 'csvItems', options: { maxRecipients: 3 } }, { items });
		expect(made.json[0]!.guards).toMatchObject({ recipients: 3, leftOut: 2 });
		const bad = await preview({ audience: 'csvItems' }, { items: [{ phone: '4915112345678' }] });
		expect(bad.shown).toMatchObject({
			ready: false,
			message: expect.stringMatching(/^Your items have phone, the template needs name\. Map it/),
		});
		const list = { phone: '4915112345678', name: [1] };
		const unusable = { items: [...items, list] };
		expect((await preview({ audience: 'csvItems' }, unusable)).shown).toMatchObject({
			ready: false,
			message: expect.stringMatching(/^The column name expects one value, but got a list/),
			notes: ['The message is about item 5. Item numbers start at 0'],
		});
	});
});

describe('Exclude Segments', () => {
	const AUDIENCE = ['15123456789', '4915123456780', '442079460958', '12025550100'];

	test('a member whose number has the 0 of a national one, or a country code in brackets, is left out', async () => {
		const members = ['49015123456780', '+44 020 7946 0958', '(+1) 202 555 0100'];
		await create({ ...list(...AUDIENCE), options: exclude(segmentOf(members)) });
		expect(broadcastBody()!.recipients).toStrictEqual([AUDIENCE[0]]);
	});

	const IG = { id: 'c1', igId: '17841400000000001' };
	const ANN = { id: 'c2', name: 'Ann' };
	test.each<[members: IDataObject[], message?: string]>([
		[[IG, { id: 'c3', ig_id: '2' }]],
		[[IG, { id: 'c3', waId: '12025550177' }]],
		[
			[IG, ANN, { id: 'c3', igId: '' }],
			'2 members of Exclude Segments cannot be compared with the recipients: "Ann", "c3"',
		],
		[
			[ANN, { id: 'c3', igId: null }],
			'The service shows neither a WhatsApp ID nor an Instagram ID of any member of "s" (Exclude Segments)',
		],
	])(
		'members on Instagram exclude nobody, unknown ones stop it: %j',
		async (members, message = '') => {
			showSegment({ id: 's', isDynamic: false, members }, { total: members.length }, 9);
			const parameters = { ...list(...AUDIENCE), options: exclude('s') };
			if (message !== '') {
				await expectStop(parameters, message, /^Nothing was sent/);
				return;
			}
			expect((await preview(parameters)).shown).toMatchObject({ ready: true, recipients: 4 });
			expect((await create(parameters)).error).toBeUndefined();
			expect(broadcastBody()!.recipients).toStrictEqual(AUDIENCE);
		},
	);

	test('an audience whose members are all on Instagram has no recipients', async () => {
		const options = exclude(segmentOf(['12025550177']));
		const data = { id: 's', members: [IG] };
		const matches = ({ path }: { path: string }) => path === '/segments/s';
		service.respond({ success: true, data, meta: { total: 1 } }, { matches, times: 9 });
		await expectStop(
			{ segmentId: byId('s'), options },
			'The broadcast has no recipients',
			/Left out 1 contact without a WhatsApp ID\./,
		);
	});

	const mayReceive = /^Nothing was sent, because .* might receive .*Allow Incomplete Exclusion\.$/;
	test.each<[what: string, members: string[], count: number]>([
		['national numbers', ['015123456789', '12025550100'], 1],
		['the end of a recipient’s number', ['5123456789', '3456789', '15123456780'], 3],
		['a number that ends as a recipient’s', ['4915123456789'], 1],
		['a 0 that numbers of the country do not have', ['105123456789', '+120 2555 0100'], 1],
	])(
		'a member who may be a recipient stops it, and is named: %s',
		async (_what, members, count) => {
			const options = exclude(segmentOf(['12025550177'], 'Holdout'), segmentOf(members));
			const names = members.slice(0, count).map((name) => `"${name}"`);
			await expectStop(
				{ ...list(...AUDIENCE), options },
				`${count === 1 ? '1 member' : `${count} members`} of Exclude Segments cannot be compared with the recipients: ${names.join(', ')}`,
				mayReceive,
			);
		},
	);

	test('a segment that may be dynamic and shows no members stops it', async () => {
		const excluded = segmentOf([], 'Opted out', true);
		const parameters = { ...list(...AUDIENCE), options: exclude(excluded) };
		for (const contact of service.world.contacts.filter(({ waId }) => waId !== null))
			service.world.contacts.delete(contact.id);
		const message = (name: string) =>
			`The service shows no members of "${name}" (Exclude Segments), and does not show that it is static`;
		await expectStop(parameters, message('Opted out'), mayReceive);
		// A segment that shows no name either.
		showSegment({ members: [] }, { total: 0 }, 2);
		await expectStop(parameters, message(excluded), mayReceive);
	});

	test('with Allow Incomplete Exclusion, they may receive it, and a note names the first ten', async () => {
		const members = Array.from({ length: 12 }, (_, n) => `01512345678${n}`);
		const options = {
			...exclude(segmentOf([...members, '12025550100'])),
			allowIncompleteExclusion: true,
		};
		const { json, hints } = await create({ ...list(...AUDIENCE), options });
		expect(broadcastBody()!.recipients).toStrictEqual(AUDIENCE.slice(0, 3));
		expect(hints.at(-1)).toMatch(
			/^12 members of Exclude Segments may receive the broadcast, because they cannot be compared with the recipients: ("\d+", ){10}and 2 more$/,
		);
		expect(json[0]!.guards).toMatchObject({ leftOut: 1, notes: hints });
		expect((await preview({ ...list(...AUDIENCE), options })).shown.notes).toStrictEqual([
			...hints,
			plusOne('1 recipient', 'US 1'),
		]);
	});

	test('a member of the segment who cannot be compared is left out', async () => {
		const members = ['015123456789', 'n/a', '0012025550101', '12025550102', null];
		const { json } = await create({
			segmentId: byId(segmentOf(members)),
			options: exclude(segmentOf(['12025550102', '4915123456789'])),
		});
		expect(broadcastBody()!.recipients).toStrictEqual(['0012025550101']);
		expect(json[0]!.guards).toStrictEqual({
			recipients: 1,
			leftOut: 4,
			notes: [
				'Left out 1 member of "Opted out"',
				'Left out 1 contact without a WhatsApp ID',
				'Left out 2 numbers that cannot be compared with Exclude Segments: "015123456789", "n/a"',
			],
		});
	});

	test.each(['', '{ "success": true, "data": null }'])(
		'the response %j is no empty exclusion: nothing is sent',
		async (body) => {
			service.respondWith('application/json', body, { matches: isSegment });
			const options = exclude(segmentOf(['12025550102']));
			const { error } = await create({ ...list('12025550102'), options });
			expect(error!.message).toMatch(
				/^Read Exclude Segments \(".*"\): the response contains no list/,
			);
			expect(sent()).toStrictEqual([]);
		},
	);

	test('several leave out their union; notes say how many each one leaves out, and each is read once', async () => {
		const options = exclude(
			segmentOf(phones(2)),
			segmentOf(phones(3, 1), 'Messaged <this> week'),
			segmentOf(['12025550177'], 'Holdout'),
			segmentOf([null], 'Instagram'),
		);
		const notes = [
			'Left out 2 members of "Opted out"',
			'Left out 3 members of "Messaged <this> week"',
			'No recipient is a member of "Holdout"',
			'1 of these is in several segments',
			'"Instagram" excludes nobody: the service shows no members with a phone number',
		];
		const parameters = { ...list(...phones(6)), options };
		expect((await preview(parameters)).shown).toMatchObject({
			ready: true,
			recipients: 2,
			notes: [...notes, plusOne('2 recipients', 'US 2')],
		});
		service.requests.length = 0;
		const { json, hints } = await create(parameters, { items: [{}, {}] });
		for (const row of json) expect(row.guards).toStrictEqual({ recipients: 2, leftOut: 4, notes });
		expect(hints).toStrictEqual(notes.map((note) => note.replace('<', '‹')));
		expect(service.sent('GET /segments/{id}')).toHaveLength(4);
		expect(service.bodies('POST /broadcasts')).toMatchObject(
			Array(2).fill({ recipients: phones(2, 4) }),
		);
	});

	test('one of several that may be incomplete stops the broadcast, and is named', async () => {
		const other = segmentOf(['015123456789'], 'Holdout');
		const data = { name: 'Holdout', memberCount: 3, members: [{ id: 'c', waId: '12025550101' }] };
		const matches = ({ path }: { path: string }) => path === `/segments/${other}`;
		service.respond({ success: true, data }, { matches });
		const options = exclude(segmentOf(phones(1)), other);
		const { error } = await create({ ...list(...phones(3)), options });
		expect(error!.message).toBe(
			'Exclude Segments ("Holdout"): members may be missing, because the service counts 3, but returned 1',
		);
		expect(sent()).toStrictEqual([]);
	});

	test('several may be a list of IDs from an expression', async () => {
		const ids = [segmentOf(phones(1)), segmentOf(phones(1, 2))];
		const options = exclude({ __rl: true, mode: 'id', value: '={{ $json.ids }}' });
		await create({ ...list(...phones(4)), options }, { items: [{ ids }] });
		const [, second, , fourth] = phones(4);
		expect(broadcastBody()!.recipients).toStrictEqual([second, fourth]);
	});

	const NO_LIST = { __rl: true, mode: 'list', value: '' };
	const returning = (value: string) => ({ __rl: true, mode: 'id', value });
	test.each<[rows: (id: string) => INodeParameters, message: string]>([
		[() => ({ excludeSegments: {} }), 'Exclude Segments is empty'],
		[() => exclude(), 'Exclude Segments is empty'],
		[(id) => exclude(id, NO_LIST), 'Excluded Segment is empty'],
		[(id) => exclude(id, returning('={{ $json.nothing }}')), 'Excluded Segment is empty'],
		[(id) => exclude(id, returning('={{ [] }}')), 'Excluded Segment is empty'],
		[
			(id) => exclude(returning(`=${id},{{ $json.nothing }}`)),
			'Excluded Segment expects a list without empty entries, but got a list: ["ID",""]',
		],
		[(id) => exclude(id, id), 'Exclude Segments contains the segment ID twice'],
		[(id) => exclude(id), 'Exclude Segments contains the segment that is the audience'],
	])('nothing is sent, and a message says what to do: %#', async (rows, message) => {
		const id = segmentOf(phones(3));
		await expectStop(
			{ segmentId: byId(id), options: rows(id) },
			message.replace('ID', id),
			/remove|Choose another|Pick or enter one|expression/,
		);
	});
});

describe('the guards of Broadcast: Create', () => {
	test('a CSV file is sent byte for byte, even if its rows are counted', async () => {
		const bytes = Buffer.from('phone;name\r\n12025550100;J\u00f6rg\n12025550100;\n', 'latin1');
		await create({ audience: 'csv', options: { maxRecipients: 9 } }, { file: { bytes } });
		expect(sent()[0]!.file!.sha256).toBe(sha256(bytes));
	});

	test('without a guard, Create reads nothing about its audience', async () => {
		const segmentId = byId(segmentOf([], 'All', true));
		const guarded = await create({ segmentId, options: { maxRecipients: 99 } });
		expect(guarded.hints).toStrictEqual([
			'The segment is dynamic: its members may change until the start',
		]);
		// None of these changes anything alone.
		const options = {
			allowIncompleteExclusion: true,
			recipientTimeZone: 'Asia/Tokyo',
			skipRepeatedNumbers: false,
		};
		for (const without of [{}, options]) {
			service.requests.length = 0;
			const { json, hints } = await create({ segmentId, options: without });
			expect(hints).toStrictEqual([]);
			expect(json[0]).not.toHaveProperty('guards');
			expect(service.sent('GET /segments/{id}')).toStrictEqual([]);
		}
	});

	test('what no guard needed to read is unknown in the output, also after a wait', async () => {
		const options = { quietHours: '02:00-02:01', waitForCompletionMinutes: 5 };
		const file = 'phone,name\n12025550100,A';
		const { json } = await create({ audience: 'csv', options }, { file });
		expect(json[0]).toMatchObject({
			status: 'COMPLETED',
			guards: { recipients: null, leftOut: 0, notes: [] },
		});
	});

	const berlin = { timezone: 'Europe/Berlin' };
	const at = (text: string) =>
		service.time.clock.advance(Date.parse(text) - service.time.clock.now());

	test('a start in Quiet Hours is scheduled for their end, in the workflow’s time zone, and shown in the recipients’', async () => {
		at('2041-05-06T23:30:00-04:00');
		const options = { quietHours: '21:00-08:00', recipientTimeZone: 'America/New_York' };
		const { json, hints } = await create({ ...list('12025550100'), options }, berlin);
		const startsAt = '2041-05-07T14:00:00+02:00';
		expect(broadcastBody()).toMatchObject({ scheduleType: 'schedule', sendAt: startsAt });
		expect(json[0]).toMatchObject({
			status: 'SCHEDULED',
			guards: { recipients: 1, leftOut: 0, startsAt, notes: hints },
		});
		expect(hints).toStrictEqual([
			'Quiet Hours: starts Tuesday 7 May 2041 08:00, America/New_York, instead of Monday 6 May 2041 23:30, America/New_York',
		]);
	});

	test.each(['list', 'csvItems'])(
		'a broadcast that waits for the rate limit until Quiet Hours begin is postponed, too: %s',
		async (audience) => {
			// Not in another year: the rate limiter outlives this test.
			const day = (offset: number) =>
				iso(service.time.clock.now() + offset * 86_400_000).slice(0, 10);
			const startsAt = `${day(1)}T08:00:00+00:00`;
			at(`${day(0)}T20:59:57+00:00`);
			const wait = { kind: 'status', status: 429, headers: { 'retry-after': '4' } } as const;
			service.sandbox.faults.add(wait, on('POST /broadcasts'));
			const { json, hints } = await create(
				{ ...list('12025550100'), audience, options: { quietHours: '21:00-08:00' } },
				{ timezone: 'UTC', items: [{ phone: '12025550100', name: 'Ann' }] },
			);
			expect(sent()).toHaveLength(2);
			expect(broadcastBody()).toMatchObject({ scheduleType: 'schedule', sendAt: startsAt });
			expect(json[0]!.guards).toMatchObject({ startsAt, notes: hints });
		},
	);

	test('a start at this very moment is in the past, a second later is not', async () => {
		at('2041-05-06T12:00:00+02:00');
		const startAt = async (sendAt: string) =>
			await create({ ...list('12025550100'), scheduleType: 'schedule', sendAt }, berlin);
		const { error } = await startAt('2041-05-06T12:00:00');
		expect(error!.message).toMatch(/^Date and Time is in the past/);
		await startAt('2041-05-06T12:00:01');
		expect(broadcastBody()).toMatchObject({ sendAt: '2041-05-06T12:00:01+02:00' });
	});
});
