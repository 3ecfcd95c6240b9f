import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { readCsv } from '../../nodes/ConversationalMessaging/api/csv.ts';
import { FakeTime } from '../time.mts';
import { byId, openHarness, type Harness, type NodeRun } from './harness.mts';

let harness: Harness;
let time: FakeTime;
beforeEach(async () => {
	time = new FakeTime().install();
	harness = await openHarness({
		contacts: 30,
		tickets: 20,
		rateLimit: { requests: 0 },
		clock: time.clock,
	});
});
afterEach(async () => {
	time.restore();
	await harness.close();
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const world = () => harness.sandbox.world;
const sent = (route: string) =>
	harness.sandbox.requests.filter((request) => request.route === route);
const template = (name: string) => {
	const row = world().templates.find(
		(candidate) => candidate.name === name && candidate.language === 'en_US',
	)!;
	return `${row.id} ${row.name} ${row.language}`;
};

/** Variables as the editor saves them. */
const variables = (value: IDataObject, schema = Object.keys(value)) =>
	({
		mappingMode: 'defineBelow',
		value,
		schema: schema.map((id) => ({ id, displayName: id, required: !id.endsWith('quick_reply') })),
	}) as unknown as INodeParameters;

const sale = (): INodeParameters => ({
	resource: 'broadcast',
	operation: 'create',
	name: 'Spring sale',
	templateId: byId(template('spring_sale')),
	templateVariables: variables({
		'header:image': 'https://cdn.example.com/a.png',
		'body:1': 'you',
		'body:2': '20%',
		'button:0:url': 'spring',
	}),
});

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

const run = async (parameters: INodeParameters, options?: NodeRun) =>
	await harness.run(parameters, options);
async function ok(parameters: INodeParameters, options?: NodeRun): Promise<IDataObject[]> {
	const outcome = await run(parameters, options);
	expect(outcome.error).toBeUndefined();
	return outcome.json;
}

describe('Broadcast: Create', () => {
	test('a broadcast to a segment has the template’s variables by name', async () => {
		const segment = world().segments.find(({ name }) => name === 'Newsletter')!;
		const [broadcast] = await ok({ ...sale(), audience: 'segment', segmentId: byId(segment.id) });
		expect(broadcast).toMatchObject({ status: 'QUEUED', recipientCount: segment.members.size });
		expect(sent('POST /broadcasts')[0]!.body).toEqual({
			name: 'Spring sale',
			templateId: template('spring_sale').split(' ')[0],
			templateName: 'spring_sale',
			templateLanguage: 'en_US',
			templateComponents: [
				{
					type: 'header',
					parameters: [{ type: 'image', image: { link: 'https://cdn.example.com/a.png' } }],
				},
				{
					type: 'body',
					parameters: [
						{ type: 'text', text: 'you' },
						{ type: 'text', text: '20%' },
					],
				},
				{
					type: 'button',
					sub_type: 'url',
					index: '0',
					parameters: [{ type: 'text', text: 'spring' }],
				},
			],
			audienceMode: 'segment',
			segmentId: segment.id,
			scheduleType: 'now',
			apiType: 'cloud_api',
		});
	});

	test('a broadcast is sent to phone numbers that are entered or that an expression returns', async () => {
		const recipients = '+1 201 555 0100, 12025550100\n12025550100';
		await ok({ ...sale(), audience: 'list', recipients });
		await ok({ ...sale(), audience: 'list', recipients: '={{ ["12015550100", "12025550100"] }}' });
		expect(sent('POST /broadcasts').map(({ body }) => (body as IDataObject).recipients)).toEqual([
			['12015550100', '12025550100'],
			['12015550100', '12025550100'],
		]);
	});

	test('a field of all input items becomes the recipients of one broadcast', async () => {
		const items = ['12015550100', '12025550100', '12035550100'].map((waId) => ({ waId }));
		const { items: output } = await run({ ...sale(), audience: 'items' }, { items });
		expect(sent('POST /broadcasts')).toHaveLength(1);
		expect(output).toMatchObject([
			{ json: { recipientCount: 3 }, pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }] },
		]);
	});

	test('a broadcast to a CSV file sends the binary field as the chosen part', async () => {
		const file = `${SALE_COLUMNS}\n12015550100,m1,Ann,20%,spring\n12025550100,m1,Bob,10%,spring\n`;
		const [broadcast] = await ok(
			{ ...sale(), audience: 'csv', options: { partName: 'audience' } },
			{ file },
		);
		expect(broadcast).toMatchObject({ audienceMode: 'csv', recipientCount: 2 });
		const upload = sent('POST /broadcasts')[0]!;
		expect(upload.body).toMatchObject({ audienceMode: 'csv', templateName: 'spring_sale' });
		expect(upload.file).toEqual({
			partName: 'audience',
			name: 'input.csv',
			mimeType: 'text/csv',
			sha256: sha256(file),
		});
		expect((await run({ ...sale(), audience: 'csv' })).error!.message).toBe(
			'The item has no file in the field "data"',
		);
	});

	test.each(['csv', 'csvItems'])(
		'a broadcast with the audience “%s” has no variables, because its CSV file contains them',
		async (audience) => {
			const file = `${SALE_COLUMNS}\n12015550100,m1,Ann,20%,spring\n`;
			const items = [saleRow('12015550100')];
			const schema = ['header:image', 'body:1', 'body:2', 'button:0:url'];
			const forms: INodeParameters[] = [
				// Never filled in; filled in before the audience was changed; by name
				{ templateVariables: variables({}, schema) },
				{ templateVariables: variables({ 'body:1': 'x', 'body:7': 'y' }, schema) },
				{ templateVariables: { mappingMode: 'defineBelow', value: null } },
				{
					templateBy: 'name',
					templateName: 'spring_sale',
					templateComponents: '[{ "type": "body" }]',
				},
			];
			for (const form of forms) await ok({ ...sale(), ...form, audience }, { file, items });
			expect(sent('POST /broadcasts').map(({ body }) => body)).toEqual(
				forms.map(() => expect.not.objectContaining({ templateComponents: expect.anything() })),
			);
			expect(sent('POST /broadcasts')).toHaveLength(forms.length);
		},
	);

	test('a broadcast to the input items has the separator of the template’s own CSV file', async () => {
		harness.sandbox.faults.add(
			{
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'text/csv' },
				body: SALE_COLUMNS.replaceAll(',', ';'),
			},
			{ matches: ({ path }) => path.endsWith('/csv-template') },
		);
		const items = [saleRow('12015550100', { header_image: 'm1', 1: 'Ann; first, last' })];
		await ok({ ...sale(), audience: 'csvItems' }, { items });
		expect(sent('POST /broadcasts')[0]!.file!.sha256).toBe(
			sha256('phone;header_image;1;2;button_1\r\n12015550100;m1;"Ann; first, last";20%;spring'),
		);
	});

	test('a broadcast to the input items has the columns of the template’s own CSV file', async () => {
		const items = [
			saleRow('12015550100', { header_image: 'm1', 1: 'Ann, "the" first', other: 'x' }),
			saleRow('12025550100', { header_image: 'm2', 1: 'Bob', 2: '10%', button_1: 'gift' }),
		];
		const [broadcast] = await ok({ ...sale(), audience: 'csvItems' }, { items });
		expect(broadcast).toMatchObject({ recipientCount: 2 });
		expect(sent('POST /broadcasts')[0]!.file).toEqual({
			partName: 'file',
			name: 'audience.csv',
			mimeType: 'text/csv',
			sha256: sha256(
				`${SALE_COLUMNS}\r\n12015550100,m1,"Ann, ""the"" first",20%,spring\r\n12025550100,m2,Bob,10%,gift`,
			),
		});
		const { 2: _left, ...incomplete } = saleRow('12015550100');
		const { error } = await run({ ...sale(), audience: 'csvItems' }, { items: [incomplete] });
		expect(error).toMatchObject({
			message: 'No input item has the field 2',
			description: expect.stringMatching(/phone, header_image, 1, 2, button_1/),
		});
	});

	test('the part of a CSV file made from items can be renamed, and is called “file” if its name is empty', async () => {
		const items = [saleRow('12015550100')];
		for (const partName of ['recipients', ''])
			await ok({ ...sale(), audience: 'csvItems', options: { partName } }, { items });
		expect(sent('POST /broadcasts').map(({ file }) => file!.partName)).toEqual([
			'recipients',
			'file',
		]);
	});

	test.each(['AUTHENTICATION', 'MARKETING', 'UTILITY'])(
		'the Template Category %s is sent, in JSON and in an upload',
		async (templateCategory) => {
			const items = [saleRow('12015550100', { waId: '12015550100' })];
			for (const audience of ['items', 'csvItems'])
				await ok({ ...sale(), audience, options: { templateCategory } }, { items });
			expect(
				sent('POST /broadcasts').map(({ body }) => (body as IDataObject).templateCategory),
			).toEqual([templateCategory, templateCategory]);
		},
	);

	test('a chosen Template Category counts, not that of the template', async () => {
		const row = world().templates.find(({ name }) => name === 'spring_sale')!;
		const byTemplateId = { ...sale(), templateId: byId(row.id), audience: 'list' };
		const recipients = '12015550100';
		await ok({ ...byTemplateId, recipients });
		await ok({ ...byTemplateId, recipients, options: { templateCategory: 'UTILITY' } });
		expect(
			sent('POST /broadcasts').map(({ body }) => (body as IDataObject).templateCategory),
		).toEqual([row.category, 'UTILITY']);
	});

	test.each([
		['America/New_York', '2041-01-15T09:00:00-05:00'],
		['America/New_York', '2041-07-15T09:00:00-04:00'],
		['Asia/Kolkata', '2041-07-15T09:00:00+05:30'],
	])(
		'a time without an offset is read in the workflow’s time zone, %s',
		async (timezone, sendAt) => {
			const schedule = { scheduleType: 'schedule', sendAt: sendAt.slice(0, 19) };
			await ok(
				{ ...sale(), audience: 'list', recipients: '12015550100', ...schedule },
				{ timezone },
			);
			expect((sent('POST /broadcasts')[0]!.body as IDataObject).sendAt).toBe(sendAt);
			const past = { ...schedule, sendAt: '2020-01-01T09:00' };
			const { error } = await run(
				{ ...sale(), audience: 'list', recipients: '12015550100', ...past },
				{ timezone },
			);
			expect(error!.description).toContain(`the workflow’s time zone, ${timezone}.`);
		},
	);

	test('the time of a broadcast is read in the time zone of the workflow, and rejected in the past', async () => {
		const schedule = (sendAt: string) => ({
			...sale(),
			audience: 'list',
			recipients: '12015550100',
			scheduleType: 'schedule',
			sendAt,
		});
		const tomorrow = new Date(time.clock.now() + 86_400_000).toISOString().slice(0, 10);
		const [broadcast] = await ok(schedule(`${tomorrow}T09:00:00`));
		expect(broadcast!.status).toBe('SCHEDULED');
		expect((sent('POST /broadcasts')[0]!.body as IDataObject).sendAt).toMatch(
			new RegExp(`^${tomorrow}T09:00:00[+-]\\d\\d:\\d\\d$`),
		);
		expect((await run(schedule('2020-01-01T09:00:00'))).error!.message).toMatch(
			/^Date and Time is in the past: 2020-01-01T09:00:00[+-]/,
		);
		expect((await run(schedule('={{ "soon" }}'))).error!.message).toBe(
			'Date and Time expects year, month, day and time in this order, e.g. 2031-05-06T10:00, but got "soon"',
		);
		expect(sent('POST /broadcasts')).toHaveLength(1);
	});

	describe('a time from an expression', () => {
		const schedule = (sendAt: string) => ({
			...sale(),
			audience: 'list',
			recipients: '12015550100',
			scheduleType: 'schedule',
			sendAt,
		});
		const MS = Date.UTC(2041, 4, 6, 8);

		test.each([
			['a DateTime', `={{ DateTime.fromMillis(${MS}) }}`],
			['a DateTime of another zone', `={{ DateTime.fromMillis(${MS}, { zone: 'Asia/Tokyo' }) }}`],
			['a Date', `={{ new Date(${MS}) }}`],
			['milliseconds', `={{ ${MS} }}`],
			['milliseconds as text', `${MS}`],
			['ISO text', '2041-05-06T08:00:00.000Z'],
			['ISO text as people write it', '2041-05-06 08:00Z'],
			['a DateTime inside a text', `=  {{ DateTime.fromMillis(${MS}) }}`],
		])('the time is accepted as %s', async (_name, expression) => {
			await ok(schedule(expression));
			const { sendAt } = sent('POST /broadcasts')[0]!.body as { sendAt: string };
			expect(sendAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
			expect(Date.parse(sendAt)).toBe(MS);
		});

		test('the time is accepted as `$now` plus a day', async () => {
			await ok(schedule('={{ $now.plus({ days: 1 }) }}'));
			const { sendAt } = sent('POST /broadcasts')[0]!.body as { sendAt: string };
			expect(Math.abs(Date.parse(sendAt) - Date.now() - 86_400_000)).toBeLessThan(60_000);
		});

		test.each([
			['01.02.2027', '"01.02.2027"'],
			['02/01/2027', '"02/01/2027"'],
			['2041-02-30', '"2041-02-30"'],
			['2041-02-30T09:00', '"2041-02-30T09:00"'],
			['2041-13-01T09:00', '"2041-13-01T09:00"'],
			['2041-05-06T25:00', '"2041-05-06T25:00"'],
			['={{ ["2041-05-06T09:00"] }}', 'a list: ["2041-05-06T09:00"]'],
			['={{ ({ at: 1 }) }}', 'an object: {"at":1}'],
			['={{ DateTime.fromISO("x") }}', 'a date: Invalid DateTime'],
			['={{ new Date("x") }}', 'a date: Invalid Date'],
			[`={{ ${MS} / 1000 }}`, String(MS / 1000)],
			['={{ true }}', 'true'],
		])('the time %s is rejected, and nothing is sent', async (expression, shown) => {
			const { error } = await run(schedule(expression));
			expect(error!.message).toMatch(/^Date and Time expects .*, but got /);
			expect(error!.message.split('but got ')[1]).toBe(shown);
			expect(harness.sandbox.requests).toEqual([]);
		});

		test.each(['={{ $json.nothing }}', '={{ null }}', '={{ "  " }}'])(
			'the time %s is rejected as empty',
			async (expression) => {
				expect((await run(schedule(expression))).error!.message).toBe('Date and Time is empty');
				expect(harness.sandbox.requests).toEqual([]);
			},
		);
	});

	test('a marketing message may be given up after 12 hours to 30 days, or has no such limit', async () => {
		const marketing = (options: INodeParameters) => ({
			...sale(),
			audience: 'list',
			recipients: '12015550100',
			options: { apiType: 'marketing_messages', ...options },
		});
		await ok(marketing({ giveUpAfterHours: 720, messageActivitySharing: true }));
		expect(sent('POST /broadcasts')[0]!.body).toMatchObject({
			apiType: 'marketing_messages',
			ttlSeconds: 2_592_000,
			messageActivitySharing: true,
		});
		await ok(marketing({}));
		expect(sent('POST /broadcasts')[1]!.body).not.toHaveProperty('ttlSeconds');
		expect(sent('POST /broadcasts')[1]!.body).toMatchObject({ messageActivitySharing: false });
		await ok(marketing({ giveUpAfterHours: 12 }));
		expect(sent('POST /broadcasts')[2]!.body).toMatchObject({ ttlSeconds: 43_200 });
		for (const giveUpAfterHours of [0, 11, 721, -1]) {
			expect((await run(marketing({ giveUpAfterHours }))).error!.message).toBe(
				`Give Up After (Hours) expects 12 to 720 hours, but got ${giveUpAfterHours}`,
			);
		}
	});

	test.each<[option: INodeParameters, label: string]>([
		[{ giveUpAfterHours: 24 }, 'Give Up After (Hours)'],
		[{ messageActivitySharing: false }, 'Share Message Activity'],
		[{ messageActivitySharing: true, apiType: 'cloud_api' }, 'Share Message Activity'],
	])('%j without the Marketing Messages API is rejected', async (options, label) => {
		const { error } = await run({
			...sale(),
			audience: 'list',
			recipients: '12015550100',
			options,
		});
		expect(error).toMatchObject({
			message: `${label} applies to the Marketing Messages API only`,
			description: 'Set the option Delivery to Marketing Messages API, or remove this option.',
		});
		expect(harness.sandbox.requests).toEqual([]);
	});

	test.each<[string, () => INodeParameters, string]>([
		[
			'a variable that is empty',
			() => ({ templateVariables: variables({ 'body:1': '' }) }),
			'Template variable body:1 is empty',
		],
		[
			'a variable that is missing',
			() => ({ templateVariables: variables({ 'body:1': 'x' }, ['body:1', 'body:2']) }),
			'Template variable body:2 is empty',
		],
		[
			'a variable that the template does not have',
			() => ({ templateVariables: variables({ 'body:1': 'x', 'body:9': 'y' }, ['body:1']) }),
			'The template has no variable body:9',
		],
		['no numbers', () => ({ audience: 'list', recipients: '={{ "" }}' }), 'Phone Numbers is empty'],
		[
			'one invalid number among valid ones',
			() => ({ audience: 'list', recipients: '12015550100, n/a, 12025550100' }),
			'Phone Numbers expects a phone number with country code and no leading 0, or a user ID, but got "n/a"',
		],
		[
			'a list with an empty entry',
			() => ({ audience: 'list', recipients: '={{ ["12015550100", ""] }}' }),
			'Phone Numbers expects a phone number with country code and no leading 0, or a user ID, but got ""',
		],
		['an item without a number', () => ({ audience: 'items' }), 'Phone Number is empty'],
		[
			'a variable that is a list',
			() => ({ templateVariables: variables({ 'body:1': ['a', 'b'] }) }),
			'Template variable body:1 expects one value, but got a list: ["a","b"]',
		],
		[
			'a variable of spaces',
			() => ({ templateVariables: variables({ 'body:1': '  ' }) }),
			'Template variable body:1 is empty',
		],
	])('nothing is sent because of %s', async (_name, more, message) => {
		const { error } = await run({
			...sale(),
			audience: 'segment',
			segmentId: byId('x'),
			...more(),
		});
		expect(error!.message).toBe(message);
		expect(harness.sandbox.requests).toEqual([]);
	});

	test.each<[string, () => INodeParameters, string]>([
		['an unknown segment', () => ({ audience: 'segment', segmentId: byId('x') }), '404'],
		[
			'a template that no longer exists',
			() => ({ audience: 'list', recipients: '12015550100', templateId: byId('1 gone en_US') }),
			'404',
		],
	])('the service’s rejection is reported for %s', async (_name, more, status) => {
		expect((await run({ ...sale(), ...more() })).error!.httpCode).toBe(status);
	});

	test('waiting for a broadcast polls with growing pauses, and returns its statistics', async () => {
		const options = { waitForCompletionMinutes: 5 };
		const [broadcast] = await ok({
			...sale(),
			audience: 'list',
			recipients: '12015550100, 1201555',
			options,
		});
		expect(broadcast).toMatchObject({
			status: 'PARTIAL',
			statistics: { total: 2, failed: 1 },
			waitResult: { ended: true, status: 'PARTIAL' },
		});
		expect(sent('GET /broadcasts/{id}').length).toBeGreaterThan(1);
	});

	test('a rejected look-up does not end the wait', async () => {
		harness.sandbox.faults.add(
			{ kind: 'status', status: 503 },
			{ times: 3, matches: ({ method }) => method === 'GET' },
		);
		const options = { waitForCompletionMinutes: 5 };
		const { json } = await run({
			...sale(),
			audience: 'list',
			recipients: '12015550100',
			options,
		});
		expect(json).toMatchObject([{ status: 'COMPLETED', waitResult: { ended: true } }]);
		expect(sent('POST /broadcasts')).toHaveLength(1);
	});

	test('a wait ends after its time with the current state, and says so', async () => {
		const sendAt = new Date(time.clock.now() + 86_400_000).toISOString();
		const { json, hints } = await run({
			...sale(),
			audience: 'list',
			recipients: '12015550100',
			scheduleType: 'schedule',
			sendAt,
			options: { waitForCompletionMinutes: 1 },
		});
		expect(json).toMatchObject([{ status: 'SCHEDULED', waitResult: { ended: false } }]);
		expect(hints).toEqual([expect.stringMatching(/^The broadcast did not finish within 1 minute/)]);
	});

	test('all broadcasts are sent before the first one is waited for', async () => {
		const items = Array.from({ length: 12 }, (_, index) => ({ to: `120155501${10 + index}` }));
		const { json } = await run(
			{
				...sale(),
				audience: 'list',
				recipients: '={{ $json.to }}',
				options: { waitForCompletionMinutes: 5 },
			},
			{ items },
		);
		expect(json.map(({ status }) => status)).toEqual(items.map(() => 'COMPLETED'));
		const methods = harness.sandbox.requests.map(({ method }) => method);
		expect(methods.slice(0, 12)).toEqual(items.map(() => 'POST'));
		expect(methods.slice(12)).not.toContain('POST');
	});
});

describe('Broadcast: Create, one broadcast for all input items', () => {
	const people = (count: number, more: (index: number) => IDataObject = () => ({})) =>
		Array.from({ length: count }, (_, index) => ({
			waId: String(12025550000 + index),
			...saleRow(String(12025550000 + index)),
			index,
			...more(index),
		}));
	const text = (value: string) => ({
		...((sale().templateVariables as IDataObject).value as IDataObject),
		'body:1': value,
	});

	/** A setting that differs for item 2, and how it is shown. */
	const differing: [string, INodeParameters, string][] = [
		[
			'the name',
			{ name: '=Sale {{ $json.index === 2 ? "B" : "A" }}' },
			'Name differs between input items: "Sale A" (item 0), "Sale B" (item 2)',
		],
		[
			'the template',
			{ templateId: { __rl: true, mode: 'id', value: '={{ $json.index === 2 ? "8" : "7" }}' } },
			'Template differs between input items: "7" (item 0), "8" (item 2)',
		],
		[
			'the time',
			{
				scheduleType: 'schedule',
				sendAt: '={{ "2041-05-06T0" + ($json.index === 2 ? 9 : 8) + ":00Z" }}',
			},
			'Date and Time differs between input items: "2041-05-06',
		],
		[
			'a guard',
			{
				options: {
					excludeSegmentId: { __rl: true, mode: 'id', value: '=s{{ $json.index === 2 ? 2 : 1 }}' },
				},
			},
			'Exclude Segment differs between input items: "s1" (item 0), "s2" (item 2)',
		],
	];

	test.each(differing)(
		'if %s differs between items, it is named, and nothing is sent',
		async (_name, more, message) => {
			for (const audience of ['items', 'csvItems']) {
				const { error } = await run({ ...sale(), audience, ...more }, { items: people(3) });
				expect(error!.message.slice(0, message.length)).toBe(message);
			}
			expect(harness.sandbox.requests).toEqual([]);
		},
	);

	test('a template variable that differs is named, and nothing is sent', async () => {
		const templateVariables = {
			mappingMode: 'defineBelow',
			value: text('={{ $json.index === 2 ? "B" : "A" }}'),
			schema: Object.keys(text('')).map((id) => ({ id, displayName: `The ${id}`, required: true })),
		} as unknown as INodeParameters;
		const { error } = await run(
			{ ...sale(), audience: 'items', templateVariables },
			{ items: people(3) },
		);
		expect(error!.message).toMatch(
			/^Template Variables, .*body:1 differs between input items: "A" \(item 0\), "B" \(item 2\)$/,
		);
		expect(harness.sandbox.requests).toEqual([]);
	});

	test('an audience that differs is named, and nothing is sent', async () => {
		const audience = '={{ $json.index === 1 ? "csvItems" : "items" }}';
		// If the audience is an expression, n8n requires the fields of all audiences.
		const others = { segmentId: byId('x'), recipients: '12015550100' };
		const { error } = await run({ ...sale(), ...others, audience }, { items: people(2) });
		expect(error!.message).toBe(
			'Audience differs between input items: "items" (item 0), "csvItems" (item 1)',
		);
		expect(harness.sandbox.requests).toEqual([]);
	});

	test('`$now` as the time counts as the same time, although it advances while items are read', async () => {
		// Time passes for the node as it does for `$now`
		time.restore();
		const sendAt = '={{ $now.plus({ days: 1 }) }}';
		const schedule = { scheduleType: 'schedule', sendAt };
		await ok({ ...sale(), audience: 'items', ...schedule }, { items: people(2_000) });
		expect(sent('POST /broadcasts')).toHaveLength(1);
	}, 120_000);

	test('`$now` in a text counts as the same, and the first item’s value applies', async () => {
		time.restore();
		const name = '=Sale {{ $now.toMillis() }}';
		await ok({ ...sale(), audience: 'items', name }, { items: people(300) });
		expect(sent('POST /broadcasts')).toHaveLength(1);
	});

	test('times that are minutes apart differ, and nothing is sent', async () => {
		const sendAt = '={{ $now.plus({ days: 1, minutes: $json.index }) }}';
		const schedule = { scheduleType: 'schedule', sendAt };
		const { error } = await run(
			{ ...sale(), audience: 'items', ...schedule },
			{ items: people(3) },
		);
		expect(error!.message).toMatch(/^Date and Time differs between input items: .* \(item 1\)$/);
		expect(harness.sandbox.requests).toEqual([]);
	});

	test('an audience of its own for each item stays one broadcast per item', async () => {
		const parameters = {
			...sale(),
			name: '=Sale {{ $json.index }}',
			audience: 'list',
			recipients: '={{ $json.waId }}',
		};
		await ok(parameters, { items: people(3) });
		expect(sent('POST /broadcasts')).toHaveLength(3);
	});

	test('a setting that differs makes every item fail if the node continues, and nothing is sent', async () => {
		const { json, error } = await run(
			{ ...sale(), audience: 'items', name: '=Sale {{ $json.index }}' },
			{ items: people(3), settings: { onError: 'continueRegularOutput' } },
		);
		expect(error).toBeUndefined();
		expect(json.map((item) => item.error)).toEqual(
			Array(3).fill(
				expect.stringMatching(
					/^Name differs between input items: "Sale 0" \(item 0\), "Sale 1" \(item 1\)/,
				),
			),
		);
		expect(harness.sandbox.requests).toEqual([]);
	});

	describe('an item without a valid phone number', () => {
		const wrong = (audience: string) => (index: number) =>
			index === 1 || index === 2 ? { [audience === 'items' ? 'waId' : 'phone']: 'n/a' } : {};

		test.each([
			['items', 'Phone Number'],
			['csvItems', 'The field phone'],
		])(
			'stops the run before anything is sent, and all such items are named: %s',
			async (audience, name) => {
				const items = people(5, wrong(audience));
				const { error } = await run({ ...sale(), audience }, { items });
				expect(error!.message).toBe(
					`${name} expects a phone number with country code and no leading 0, or a user ID, but got "n/a"`,
				);
				expect(error!.context!.itemIndex).toBe(1);
				expect(error!.description).toContain('item 2');
				expect(harness.sandbox.requests).toEqual([]);
			},
		);

		test.each(['items', 'csvItems'])(
			'fails alone if the node continues, and the others are sent: %s',
			async (audience) => {
				const { json, items } = await run(
					{ ...sale(), audience },
					{
						items: people(5, wrong(audience)),
						settings: { onError: 'continueRegularOutput' },
					},
				);
				expect(json).toEqual([
					expect.objectContaining({ recipientCount: 3 }),
					...Array(2).fill({ error: expect.stringContaining('"n/a"') }),
				]);
				expect(items[0]!.pairedItem).toEqual([0, 3, 4].map((item) => ({ item })));
				expect(sent('POST /broadcasts')).toHaveLength(1);
			},
		);
	});

	test('an item with a list in a cell of the CSV fails alone if the node continues', async () => {
		const items = people(3, (index) => (index === 1 ? { 2: ['20%'] } : {}));
		const message = 'The field 2 expects one value, but got a list: ["20%"] (item 1)';
		const stopped = await run({ ...sale(), audience: 'csvItems' }, { items });
		expect(stopped.error).toMatchObject({ message, context: { itemIndex: 1 } });
		expect(sent('POST /broadcasts')).toEqual([]);
		const { json } = await run(
			{ ...sale(), audience: 'csvItems' },
			{ items, settings: { onError: 'continueRegularOutput' } },
		);
		expect(json).toEqual([
			expect.objectContaining({ recipientCount: 2 }),
			{ error: expect.stringContaining(message) },
		]);
	});

	test('Phone Column names the column with the phone numbers', async () => {
		harness.sandbox.options.shapes.csvColumns = ['msisdn'];
		const items = people(2).map(({ phone, ...row }: IDataObject) => ({ ...row, msisdn: phone }));
		const [broadcast] = await ok(
			{ ...sale(), audience: 'csvItems', phoneColumn: 'msisdn' },
			{ items },
		);
		expect(broadcast).toMatchObject({ recipientCount: 2 });
		const { error } = await run(
			{ ...sale(), audience: 'csvItems', phoneColumn: 'waId' },
			{ items },
		);
		expect(error).toMatchObject({
			message: 'The template’s CSV has no column waId',
			description: expect.stringContaining('msisdn, header_image, 1, 2, button_1'),
		});
	});

	test('recipients who hide their number are sent by their user ID', async () => {
		const recipients = ['US.13491208655302741918', '12025550143', 'US.13491208655302741918'];
		await ok({ ...sale(), audience: 'list', recipients: recipients.join(', ') });
		await ok({ ...sale(), audience: 'items' }, { items: recipients.map((waId) => ({ waId })) });
		for (const { body } of sent('POST /broadcasts'))
			expect((body as IDataObject).recipients).toEqual(recipients.slice(0, 2));
	});

	test('a recipient with a plus is the same as one without', async () => {
		const items = ['+1 202 555 0100', '12025550100', '1-202-555-0100', '12025550101'].map(
			(waId) => ({ waId }),
		);
		await ok({ ...sale(), audience: 'items' }, { items });
		const { recipients } = sent('POST /broadcasts')[0]!.body as { recipients: string[] };
		expect(recipients).toEqual(['12025550100', '12025550101']);
	});
});

describe('Broadcast: Get, Get Many, Download CSV Template', () => {
	test('a broadcast, the list of broadcasts and a CSV template can be read', async () => {
		const rows = await ok({
			resource: 'broadcast',
			operation: 'getAll',
			returnAll: true,
			filters: { status: 'PARTIAL' },
		});
		expect(rows.map(({ name }) => name)).toEqual(['Sale for regulars']);
		const broadcastId = byId(rows[0]!.id as string);
		expect((await ok({ resource: 'broadcast', operation: 'get', broadcastId }))[0]).toHaveProperty(
			'statistics.failed',
			1,
		);
		const names = { templateName: 'ticket_update', templateLanguage: 'en_US' };
		const { items } = await run({
			resource: 'broadcast',
			operation: 'downloadCsvTemplate',
			...names,
		});
		expect(items[0]!.binary!.data).toMatchObject({
			fileName: 'ticket_update.csv',
			mimeType: 'text/csv',
		});
		expect(Buffer.from(items[0]!.binary!.data!.data, 'base64').toString()).toBe('phone,1,2,3\r\n');
		expect(
			(
				await run({
					resource: 'broadcast',
					operation: 'downloadCsvTemplate',
					...names,
					templateName: 'none',
				})
			).error!.httpCode,
		).toBe('404');
	});
});

describe('a template that is entered by its ID alone', () => {
	const id = () => template('welcome').split(' ')[0]!;
	const channels = () =>
		world()
			.channels.filter(({ type }) => type === 'WHATSAPP')
			.map((channel) => channel.id);

	test('the template is looked up once for each channel', async () => {
		const [first = '', second = first] = channels();
		const items = [first, second, first, second].map((channel) => ({ channel }));
		const parameters = {
			...sale(),
			audience: 'list',
			recipients: '12015550100',
			templateId: byId(id()),
			templateVariables: variables({}),
			options: { channelId: { __rl: true, mode: 'id', value: '={{ $json.channel }}' } },
		};
		await run(parameters, { items });
		expect(sent('GET /templates').map(({ query }) => query)).toEqual(
			[...new Set([first, second])].map((channelId) => ({ limit: '1000', channelId })),
		);
		harness.sandbox.requests.length = 0;
		await run({ ...parameters, options: {} }, { items });
		expect(sent('GET /templates').map(({ query }) => query)).toEqual([{ limit: '1000' }]);
	});

	test('a template that the channel does not have is named', async () => {
		const options = { channelId: byId(channels()[0]!) };
		const { error } = await run({
			...sale(),
			audience: 'list',
			recipients: '12015550100',
			templateId: byId('404'),
			options,
		});
		expect(error!.message).toBe(
			'Template expects the ID of an existing template in the chosen channel, but got "404"',
		);
	});
});

describe('Message: Send, a template from the list', () => {
	test('the template’s variables are sent in their order', async () => {
		const chat = world().chats.find(({ session, channel }) => !!session && channel === 'WHATSAPP')!;
		const parameters = {
			resource: 'message',
			operation: 'send',
			type: 'template',
			to: byId(world().contacts.get(chat.contactId)!.waId!),
			templateId: byId(template('ticket_update')),
			templateVariables: variables({
				'body:3': 'closed',
				'body:1': '={{ $json.name }}',
				'body:2': '7',
			}),
		};
		await ok(parameters, { items: [{ name: 'Ann' }] });
		const [message] = world().messages.get(chat.id)!.slice(-1);
		expect(message!.content.templateComponents).toEqual([
			{ type: 'body', parameters: ['Ann', '7', 'closed'].map((text) => ({ type: 'text', text })) },
		]);
	});
});

describe('Contact Import', () => {
	const start = (more: INodeParameters = {}) => ({
		resource: 'contactImport',
		operation: 'start',
		...more,
	});

	test('a CSV file is imported, and the import is waited for', async () => {
		const file = '\uFEFFname,waId,igId\n"Lee, Ann",12045550199,\n,12055550199,\n';
		const [queued] = await ok(start(), { file });
		expect(queued).toMatchObject({ status: 'queued' });
		const [ended] = await ok(
			start({ options: { waitForCompletionMinutes: 10, partName: 'upload' } }),
			{
				file,
			},
		);
		expect(ended).toMatchObject({ status: 'completed', successCount: 1, failedCount: 1 });
		expect(world().findContactByWaId('12045550199')!.name).toBe('Lee, Ann');
	});

	test('all input items are imported as one file, and the failed rows are returned as items', async () => {
		const items = [
			{ name: 'Ann "A" Lee', waId: '+1 204 555 0198', tier: 'gold' },
			{ name: '', waId: '12055550198' },
			{ name: 'Nobody', waId: '' },
		];
		const columns = { column: [{ name: 'tier', value: '={{ $json.tier }}' }] };
		const { json, items: output } = await run(
			start({ source: 'items', columns, options: { returnFailedRows: true, moreColumns: true } }),
			{ items },
		);
		expect(json.map((row) => [row.row, row.error])).toEqual([
			['3', 'name is missing'],
			['4', 'waId or igId is missing'],
		]);
		expect(output[0]!.pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		// One array for all rows: otherwise, a report of many rows about many items would fill the memory.
		expect(output[1]!.pairedItem).toBe(output[0]!.pairedItem);
		expect(sent('POST /contacts/import')).toHaveLength(1);
		expect(world().findContactByWaId('12045550198')!.name).toBe('Ann "A" Lee');
	});

	test.each(['lower', 'upper'] as const)(
		'an import with statuses in %s case can be waited for, and is among the jobs while it runs',
		async (importStates) => {
			harness.sandbox.options.shapes.importStates = importStates;
			const [ended] = await ok(start({ options: { waitForCompletionMinutes: 10 } }), {
				file: 'name,waId\nA,12345678\n',
			});
			expect((ended!.status as string).toLowerCase()).toBe('completed');
			await ok(start(), { file: 'name,waId\nB,22345678\n' });
			expect(
				await ok({ resource: 'contactImport', operation: 'getAll', returnAll: true }),
			).toHaveLength(2);
			expect(
				await ok({ resource: 'contactImport', operation: 'getAll', filters: { activeOnly: true } }),
			).toHaveLength(1);
		},
	);

	test('Get can wait, and Get Failed Rows and Download Template return a file or items', async () => {
		const [job] = await ok(start(), { file: 'name,waId\n,1\n' });
		const importId = byId(job!.id as string);
		const get = { resource: 'contactImport', operation: 'get', importId };
		expect((await ok(get))[0]).toMatchObject({ status: 'queued' });
		expect((await ok({ ...get, options: { waitForCompletionMinutes: 10 } }))[0]).toMatchObject({
			status: 'failed',
		});
		const rows = { resource: 'contactImport', operation: 'getFailedRows', importId };
		expect(await ok({ ...rows, output: 'items' })).toEqual([
			{ row: '2', name: '', waId: '1', igId: '', error: 'name is missing' },
		]);
		expect((await run(rows)).items[0]!.binary!.data!.fileName).toBe(
			`import-${job!.id as string}-errors.csv`,
		);
		const { items } = await run({
			resource: 'contactImport',
			operation: 'downloadTemplate',
			binaryPropertyName: 'csv',
		});
		expect(items[0]!.binary!.csv!.fileName).toBe('contact-import-template.csv');
		expect((await run({ ...get, importId: byId('x') })).error!.httpCode).toBe('404');
	});

	test('a rejected file is reported in the service’s message, and an upload that may have succeeded is not repeated', async () => {
		expect((await run(start(), { file: 'email\nx' })).error!.message).toMatch(
			/header row with a column "name"/,
		);
		harness.sandbox.requests.length = 0;
		harness.sandbox.faults.add({ kind: 'reset', when: 'after' });
		expect((await run(start(), { file: 'name,waId\nA,1' })).error!.description).toMatch(
			/Not retried/,
		);
		expect(harness.sandbox.requests).toHaveLength(1);
	});

	test('a file is uploaded again, complete, after a 429', async () => {
		harness.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '3' } });
		const [job] = await ok(start(), { file: 'name,waId\nA,12345678\n' });
		expect(job).toMatchObject({ totalRows: 1 });
	});
});

describe('Contact: Export', () => {
	const exported = (more: INodeParameters = {}) => ({
		resource: 'contact',
		operation: 'export',
		...more,
	});

	test('an export is stored as a file, with the name from the service', async () => {
		const { items } = await run(exported({ filters: { channel: 'INSTAGRAM' } }));
		expect(items[0]!.json).toMatchObject({ fileName: 'contacts.csv', mimeType: 'text/csv' });
		const file = Buffer.from(items[0]!.binary!.data!.data, 'base64');
		expect((await readCsv(Readable.from([file]))).rows).toHaveLength(9);
	});

	test.each([
		['text/csv; charset=utf-8', 'text/csv'],
		['application/octet-stream', 'application/octet-stream'],
	])('a file with the content type "%s" is stored as %s', async (contentType, mimeType) => {
		harness.sandbox.faults.add({
			kind: 'status',
			status: 200,
			headers: { 'content-type': contentType },
			body: 'name\nAnn',
		});
		const { items } = await run(exported());
		expect(items[0]!.json.mimeType).toBe(mimeType);
		expect(items[0]!.binary!.data!.mimeType).toBe(mimeType);
	});

	test('an export returns items, with quotes, line breaks and unusual columns unchanged', async () => {
		const csv = '\uFEFFname,__proto__,note\r\n"Lee, Ann",x,"a ""b""\r\nc"\r\nBob,y\r\n';
		harness.sandbox.faults.add({
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'text/csv' },
			body: csv,
		});
		const json = await ok(exported({ output: 'items' }));
		expect(json[0]).toEqual({ name: 'Lee, Ann', ['__proto__']: 'x', note: 'a "b"\r\nc' });
		expect(json[1]).toMatchObject({ name: 'Bob', note: '' });
	});

	test('an export with semicolons returns items', async () => {
		harness.sandbox.faults.add({
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'text/csv' },
			body: 'name;note\r\n"Lee; Ann";a,b\r\n',
		});
		expect(await ok(exported({ output: 'items' }))).toEqual([{ name: 'Lee; Ann', note: 'a,b' }]);
	});

	test.each(['file', 'items'])(
		'an export as %s that is cut off is reported, and returns nothing',
		async (output) => {
			harness.sandbox.faults.add({ kind: 'cut' });
			const { error, json } = await run(exported({ output }));
			expect(error!.message).toBe('Export contacts: the download was incomplete (ECONNRESET)');
			expect(json).toEqual([]);
		},
	);

	test('an export sends its filters, and a rejection is reported in the service’s message', async () => {
		await ok(
			exported({
				output: 'items',
				filters: { search: 'a', channel: 'WHATSAPP', segmentId: byId('x') },
			}),
		);
		expect(sent('GET /contacts/export')[0]!.query).toEqual({
			search: 'a',
			channel: 'WHATSAPP',
			segmentId: 'x',
		});
		harness.sandbox.faults.add({
			kind: 'status',
			status: 403,
			headers: { 'content-type': 'application/json' },
			body: '{"error":"Missing permission: contacts.view"}',
		});
		expect((await run(exported())).error!.message).toBe(
			'The service rejected "Export contacts": Missing permission: contacts.view (403 Forbidden)',
		);
		harness.sandbox.faults.add({ kind: 'html', status: 200 }, { times: 3 });
		expect((await run(exported())).error!.message).toMatch(/could not be read/);
	});
});
