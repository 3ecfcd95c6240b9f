import type { INodeParameters } from 'n8n-workflow';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { readContract, routesOf } from '../../sandbox/contract.mts';
import { ACTION_NODE } from '../../tools/engine/workflows.mts';
import { addImportJob } from '../support/records.mts';
import { byId } from './harness.mts';
import { on, SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ contacts: 120, tickets: 270, pageCap: 50 });

interface Search {
	filter?: string;
	paginationToken?: string;
	apiToken?: string;
}
const search = async (method: string, more: Search = {}, parameters: INodeParameters = {}) =>
	await service.search(method, { channel: 'WHATSAPP', ...parameters }, more);
/** The names, or the values, that the editor shows. */
const names = async (...of: Parameters<typeof search>) =>
	(await search(...of)).results.map(({ name }) => name);
const values = async (...of: Parameters<typeof search>) =>
	(await search(...of)).results.map(({ value }) => value);

const queries = () => service.requests.map(({ query }) => query);

describe('the list of contacts', () => {
	test('contacts are listed page by page, with name and number', async () => {
		const all: unknown[] = [];
		for (const [paginationToken, next] of [
			[undefined, '2'],
			['2', '3'],
			['3', undefined],
		]) {
			const page = await search('searchContacts', { paginationToken });
			expect(page.paginationToken).toBe(next);
			all.push(...page.results.map(({ value }) => value));
		}
		// Those of the channels that can only be read included
		expect(new Set(all).size).toBe(123);
		expect(queries().map(({ page }) => page)).toStrictEqual(['1', '2', '3']);
		const filter = '12015550100';
		expect((await search('searchContacts', { filter })).results).toStrictEqual([
			{
				name: expect.stringMatching(/ \(12015550100\)$/),
				value: service.world.findContactByWaId(filter)!.id,
			},
		]);
	});

	test.each([
		['WHATSAPP', '12025550143', /^1\d{10}$/],
		['INSTAGRAM', 'ig-1', /^178414/],
	])(
		'recipients on %s have its ID, and nobody else is one',
		async (channel, expected, everybody) => {
			for (const value of await values('searchRecipients', {}, { channel }))
				expect(value).toMatch(everybody);
			expect(queries()[0]).toMatchObject({ channel });
			service.respond([
				{ id: 'c1', name: 'Ann', waId: '12025550143' },
				{ id: 'c2', name: 'Bob', igId: 'ig-1' },
			]);
			expect(await values('searchRecipients', {}, { channel })).toStrictEqual([expected]);
		},
	);
});

test.each<[method: string, rows: object[], shown: string[]]>([
	[
		'searchContacts',
		[
			{ id: 1, name: 'Ann', customName: 'Boss', waId: '12025550143', igUsername: 'ann' },
			{ id: 2, name: 'Bob', customName: '', waId: null, igUsername: 'bob', igId: 'ig-2' },
			{ id: 3, name: 'Cid', customName: null, igId: 'ig-3' },
			{ id: 4, name: '' },
			{ id: 5, name: 'Dee', waId: 'US.13491208655302741918' },
			{ id: 6, name: null, waId: '12025550144' },
		],
		[
			...['Boss (12025550143)', 'Bob (bob)', 'Cid (ig-3)', '4'],
			...['Dee (US.13491208655302741918)', '12025550144'],
		],
	],
	[
		'searchChats',
		[
			{ id: 1, channel: 'WHATSAPP', contact: { name: 'Ann', customName: 'Boss', waId: '1' } },
			{ id: 2, channel: 'WHATSAPP', contact: { name: '', waId: '12025550143' } },
			{ id: 3, channel: 'INSTAGRAM', contact: { waId: null, igId: 'ig-3' } },
			{ id: 4, channel: 'INSTAGRAM', contact: null, contactName: 'Bob' },
			{ id: 5, channel: 'INSTAGRAM' },
		],
		[
			...['Boss (WHATSAPP)', '12025550143 (WHATSAPP)', 'ig-3 (INSTAGRAM)'],
			...['Bob (INSTAGRAM)', '5 (INSTAGRAM)'],
		],
	],
	[
		'searchAgents',
		[{ id: 7 }, { name: 'Nobody' }, null as never, 'x' as never, { id: 'a', name: 'Ann' }],
		['7', 'Ann'],
	],
])('%s names each record by what it shows', async (method, rows, shown) => {
	service.respond(rows);
	expect(await names(method)).toStrictEqual(shown);
});

test.each<[method: string, row: object, name: string]>([
	['searchChannels', { id: 'c', phone_number: '1' }, 'c (1)'],
	['searchImports', { import_id: 'j', file_name: 'a.csv', created_at: 'now' }, 'a.csv (now)'],
	['searchImports', { import_job: { id: 'j', name: 'A' } }, 'A'],
	['searchSegments', { segment_id: 's', name: 'VIP', is_dynamic: true }, 'VIP (dynamic)'],
	['searchTickets', { ticket_number: 7 }, '#7'],
])('%s reads names in snake_case: %j', async (method, row, name) => {
	service.respond({ data: [row, row] });
	expect(await names(method)).toStrictEqual([name]);
});

test.each<[method: string, row: unknown, came: string]>([
	...[
		'Agents',
		'Channels',
		'Contacts',
		'Flows',
		'Imports',
		'Recipients',
		'Segments',
		'Templates',
	].map((name): [string, object, string] => [
		`search${name}`,
		{ uuid: 'a', title: 'A' },
		'a row has the keys uuid, title',
	]),
	['searchTickets', { contact: { id: 'c' } }, 'a row has the keys contact'],
	['searchChats', null, 'a row is null'],
])('%s shows no list without rows where rows have no ID: %j', async (method, row, came) => {
	for (const rows of [[row], [row, row]]) {
		service.respond({ data: rows });
		await expect(search(method)).rejects.toThrow(`the response contains no IDs (${came})`);
	}
	service.respond({ data: [] });
	expect(await names(method)).toStrictEqual([]);
});

test.each<[method: string, shown: RegExp]>([
	['searchChats', /^.+ \((WHATSAPP|INSTAGRAM|WEBCHAT|TELEGRAM|TIKTOK_SHOP)\)$/],
	['searchSegments', /^(Newsletter|Returning customers|Instagram \(dynamic\))$/],
	['searchTemplates', /^\w+ · \w+ · (Utility|Marketing|Authentication)$/],
	['searchBroadcasts', /^.+ \((COMPLETED|PARTIAL)\)$/],
	['searchFlows', /^.+ \((welcome|order|feedback)\)$/],
	['searchChannels', /^(Customer Care|Marketing|.+) \((WHATSAPP, 120255501\d\d|[A-Z_]+)\)$/],
	['searchAgents', /^.+ \(.+@example\.com\)$/],
])('%s lists names that distinguish the records, and filters by them', async (method, shown) => {
	const { results } = await search(method);
	expect(results.length).toBeGreaterThan(1);
	for (const { name, value } of results) {
		expect(name).toMatch(shown);
		expect(value).not.toBe('');
	}
	const filter = results.at(-1)!.name.slice(0, 8);
	const fitting = results.filter(({ name }) => name.includes(filter));
	expect(fitting.length).toBeLessThan(results.length);
	expect((await search(method, { filter })).results).toStrictEqual(fitting);
});

describe('the list of tickets', () => {
	test('tickets are listed with number, status and priority', async () => {
		const { results, paginationToken } = await search('searchTickets');
		expect([results.length, paginationToken]).toStrictEqual([50, '2']);
		expect(results[0]!.name).toMatch(
			/^#1270 .+ \((OPEN|IN_PROGRESS|RESOLVED|CLOSED), (LOW|MEDIUM|HIGH|URGENT)\)$/,
		);
	});

	test('tickets are searched by title over several pages, and the next page continues where the search stopped', async () => {
		const newest = [...service.world.tickets.newestFirst()];
		for (const at of [269, 120]) newest[at]!.title = 'A needle in the hay';
		let paginationToken: string | undefined;
		for (const [at, next] of [
			// A match on page 3 ends the search.
			[[120], '4'],
			[[269], undefined],
		] as const) {
			const found = await search('searchTickets', { filter: 'NEEDLE', paginationToken });
			expect(found.results.map(({ value }) => value)).toStrictEqual(at.map((n) => newest[n]!.id));
			({ paginationToken } = found);
			expect(paginationToken).toBe(next);
		}
	});

	test('without a match, five pages are searched at a time', async () => {
		const found = await search('searchTickets', { filter: 'needle' });
		expect(found).toStrictEqual({ results: [], paginationToken: '6' });
	});
});

test.each([
	[19, undefined],
	[20, '2'],
])(
	'of a list that shows no number of pages, %d rows have the next page %j',
	async (count, next) => {
		service.respond({ data: Array.from({ length: count }, (_, index) => ({ id: `t${index}` })) });
		expect((await search('searchTickets')).paginationToken).toBe(next);
	},
);

test.each([
	[1, 2, '2'],
	[2, 2, undefined],
	[1, 1, undefined],
])(
	'of a list without documented pages, page %d of %d has the next page %j',
	async (page, totalPages, next) => {
		const data = [{ id: 'a' }, { id: 'b' }];
		service.respond({ data, meta: { total: totalPages * 2, totalPages } });
		const paginationToken = page > 1 ? String(page) : undefined;
		expect((await search('searchSegments', { paginationToken })).paginationToken).toBe(next);
		expect(queries()).toEqual([page > 1 ? { page: '2' } : {}]);
	},
);

test('names are found without their accents, and in any case', async () => {
	const [agent] = service.world.users.filter(() => true);
	Object.assign(agent!, { name: 'Zoë Müller' });
	for (const filter of ['zoe', 'ZOË', 'muller', 'zoe\u0308 mü'])
		expect(await names('searchAgents', { filter })).toStrictEqual([
			expect.stringMatching(/^Zoë Müller/),
		]);
	expect(await names('searchAgents', { filter: 'zoa' })).toStrictEqual([]);
});

test('time zones are found by the name of a city', async () => {
	for (const filter of [' new york', 'New_York'])
		expect(await names('searchTimeZones', { filter })).toStrictEqual(['America/New_York']);
	const all = await names('searchTimeZones');
	expect([all[0], all.length > 300]).toStrictEqual(['UTC', true]);
	expect(all).toContain('Europe/Berlin');
	expect(service.requests).toStrictEqual([]);
});

test.each([
	['searchImports', '200'],
	['searchTemplates', '1000'],
])('%s, which has no pages, asks for %s rows', async (method, limit) => {
	await search(method);
	expect(queries()).toEqual([{ limit }]);
});

test('import jobs are listed with their status', async () => {
	const { id, createdAt } = addImportJob(service.world, { fileName: 'people.csv' });
	expect((await search('searchImports')).results).toStrictEqual([
		{ name: `people.csv (queued, ${createdAt})`, value: id },
	]);
});

describe('custom fields', () => {
	let [first, second, third]: { id: string; customFields: object[] }[] = [];
	beforeEach(() => {
		const contacts = service.world.contacts.filter(() => true);
		for (const contact of contacts) contact.customFields = [];
		[first, second, third] = contacts;
		first!.customFields = [
			{ id: 'f1', label: 'Plan', value: 'gold' },
			{ id: 'f2', label: 'City', value: '' },
		];
		second!.customFields = [
			{ id: 'f3', label: 'CRM ID', value: '17' },
			{ id: 'f4', label: 'City', value: 'Rome' },
		];
	});
	const of = (id: string) => ({ contactId: { __rl: true, mode: 'list', value: id } });

	test('those of the chosen contact are listed by ID, with their values', async () => {
		const fields = async (filter: string, { id }: { id: string }) =>
			(await search('searchContactFields', { filter }, of(id))).results;
		expect(await fields('', first!)).toStrictEqual([
			{ name: 'Plan (gold)', value: 'f1' },
			{ name: 'City', value: 'f2' },
		]);
		expect(await fields(' cit', first!)).toMatchObject([{ value: 'f2' }]);
		expect(await fields('', third!)).toStrictEqual([]);
		service.respond({ data: { id: 'c1', fields: [{ uuid: 'f', label: 'Plan', value: 'gold' }] } });
		await expect(fields('', first!)).rejects.toThrow(
			'Get contact: the response contains no IDs (a custom field has the keys uuid, label, value)',
		);
	});

	test.each<[id: string, error: object, requests: number]>([
		...['', '={{ $json.id }}'].map((id): [string, object, number] => [
			id,
			{
				message: 'Pick the contact first. If an expression selects it, enter the ID of the field.',
			},
			0,
		]),
		['gone', { httpCode: '404' }, 1],
	])('for the contact %j, the list says what to do', async (id, error, requests) => {
		await expect(search('searchContactFields', {}, of(id))).rejects.toMatchObject(error);
		expect(service.requests).toHaveLength(requests);
	});

	test('labels are those of the chosen contact, then those of others, each once', async () => {
		expect((await search('searchFieldLabels', {}, of(first!.id))).results).toStrictEqual([
			{ name: 'Plan (gold)', value: 'Plan' },
			{ name: 'City', value: 'City' },
			{ name: 'CRM ID', value: 'CRM ID' },
		]);
		const labels = ['City', 'CRM ID', 'Plan'];
		for (const chosen of [{}, of('gone')])
			expect(await names('searchFieldLabels', {}, chosen)).toStrictEqual(labels);
		service.reject(400, on('GET /contacts/{id}'));
		expect(await names('searchFieldLabels', {}, of(first!.id))).toStrictEqual(labels);
		expect(await names('searchFieldLabels', { filter: 'CRM ' })).toStrictEqual(['CRM ID']);
		service.respond({ data: [{ id: 'c1', name: 'Ann' }] });
		expect(await names('searchFieldLabels')).toStrictEqual([]);
	});
});

describe('the chosen template', () => {
	const mapped = async (method: string, parameters: INodeParameters) =>
		await service.engine.mapFields(ACTION_NODE, method, {
			credential: service.credential,
			parameters,
		});
	const fieldsOf = async (value: string, options: INodeParameters = {}) =>
		await mapped('getTemplateVariables', {
			templateId: { __rl: true, mode: 'list', value },
			options,
		});
	const sale = () => service.world.templates.find(({ name }) => name === 'spring_sale')!;

	test('each variable of the template is a field with a name of its own', async () => {
		for (const value of [`${sale().id} spring_sale en_US`, sale().id]) {
			const { fields } = await fieldsOf(value);
			expect(fields.map(({ id, displayName }) => [id, displayName])).toStrictEqual([
				['header:image', 'Header image URL or ID'],
				['body:1', '1: Hello …, everything is'],
				['body:2', '2: is … off until Sunday.'],
				['button:0:url', 'Button “Shop”, end of URL'],
			]);
			// A run compares it with the template that is picked then.
			for (const each of fields)
				expect(each).toMatchObject({ required: true, templateName: 'spring_sale' });
		}
		for (const value of ['', '1 gone en_US'])
			expect((await fieldsOf(value)).fields).toStrictEqual([]);
	});

	test('the variables of the fallback template are a list', async () => {
		const listed = async (options: INodeParameters, filter = '') =>
			(await service.search('searchFallbackVariables', { options }, { filter })).results;
		const options = { templateId: byId(sale().id) };
		const second = { name: '2: is … off until Sunday.', value: 'body:2' };
		expect(await listed(options)).toStrictEqual([
			{ name: 'Header image URL or ID', value: 'header:image' },
			{ name: '1: Hello …, everything is', value: 'body:1' },
			second,
			{ name: 'Button “Shop”, end of URL', value: 'button:0:url' },
		]);
		expect(await listed(options, 'sunday')).toStrictEqual([second]);
		expect(await listed({})).toStrictEqual([]);
	});

	test.each([
		['PENDING', 'spring_sale · en_US · Marketing · Pending'],
		['Approved', 'spring_sale · en_US · Marketing'],
	])('with the status %s is listed as %s', async (status, shown) => {
		Object.assign(sale(), { status });
		expect(await names('searchTemplates')).toContain(shown);
	});

	test('is picked, and its variables are read, from the templates of the chosen channel', async () => {
		const options = { channelId: byId('channel-1') };
		await search('searchTemplates', {}, { options });
		await fieldsOf(sale().id, options);
		expect(queries()).toEqual(Array(2).fill({ channelId: 'channel-1', limit: '1000' }));
	});

	const path = 'a'.repeat(60);
	const broken = `${'a'.repeat(15)}\u200b${'a'.repeat(40)}\u200b${'a'.repeat(5)}`;
	test.each<[name: string, components: unknown[] | undefined, shown: string]>([
		[
			'spring_sale',
			undefined,
			'[image]<br>Hello [1], everything is [2] off until Sunday.<br>Reply STOP to leave<br>[Shop: https://shop.example.com/[end of URL]]',
		],
		[
			'ticket_update',
			undefined,
			'Hello [1], your ticket [2] is now [3].<br><br>Examples: [1] Nathan, [2] 1042, [3] in progress',
		],
		[
			'welcome',
			[{ type: 'BODY', text: '<img src=x onerror="a()"> & {{name}}' }],
			'&lt;img src=x onerror=&quot;a()&quot;&gt; &amp; [name]',
		],
		['welcome', [], 'The service returns no text for this template.'],
		[
			'welcome',
			[{ type: 'BODY', text: `See https://shop.example.com/${path} <now>` }],
			`See https://shop.example.com/${broken} &lt;now&gt;`,
		],
	])('%s with %j is shown with its variables in brackets', async (name, components, shown) => {
		const template = service.world.templates.find(
			(each) => each.name === name && each.language === 'en_US',
		)!;
		template.components = components ?? template.components;
		const templateId = { __rl: true, mode: 'name', value: `${name} en_US` };
		expect(await mapped('getTemplateText', { templateId })).toStrictEqual({
			fields: [],
			emptyFieldsNotice: shown,
		});
	});

	test('without one, the notice says to pick it', async () => {
		const templateId = { __rl: true, mode: 'name', value: '' };
		expect((await mapped('getTemplateText', { templateId })).emptyFieldsNotice).toMatch(
			/^Pick a template to see its text\./,
		);
	});
});

/** Of every list of the service that users pick from. */
const methods = Object.keys(new ConversationalMessaging().methods.listSearch).filter(
	(method) => !['searchCountries', 'searchFallbackVariables', 'searchTimeZones'].includes(method),
);

const permissions = new Map(
	[...routesOf(readContract()).values()].map(({ name, permission }) => [name, permission]),
);

test.each(methods)(
	'%s without its permission names the permission, and suggests entering the ID',
	async (method) => {
		const { readOnly } = service.sandbox.tokens;
		readOnly.permissions = [];
		const contactId = byId('x');
		const error = await search(method, { apiToken: readOnly.value }, { contactId }).catch(
			(thrown: unknown) => thrown,
		);
		const permission = permissions.get(service.requests.at(-1)!.route!)!;
		expect(error).toMatchObject({
			description: expect.stringMatching(
				new RegExp(
					`lacks the permission ${permission}.*Enter the (ID|label|ID of the field) instead`,
				),
			),
		});
	},
);

describe('a user is waiting', () => {
	const wait = (status: number, seconds: string) =>
		service.sandbox.faults.add({ kind: 'status', status, headers: { 'retry-after': seconds } });

	test('a list waits up to five seconds', async () => {
		wait(503, '5');
		expect(await names('searchAgents')).toHaveLength(14);
		expect(service.time.waits).toStrictEqual([5_000]);
	});

	test.each([
		[503, '6', /./, /The service asks to wait 6 s/],
		[
			429,
			'50',
			/^List agents: the rate limit requires a wait of \d+ s \(429 Too Many Requests\)$/,
			/^Run it again after that/,
		],
	])('after %i, asked to wait %s s, it says so', async (status, seconds, message, description) => {
		wait(status, seconds);
		const apiToken = service.sandbox.tokens.withoutSettings.value;
		await expect(search('searchAgents', { apiToken })).rejects.toMatchObject({
			message: expect.stringMatching(message),
			description: expect.stringMatching(description),
		});
		expect(service.time.waits).toStrictEqual([]);
	});
});
