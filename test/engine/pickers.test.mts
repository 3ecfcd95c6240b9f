import { ACTION_NODE } from '../../engine/workflows.mts';
import { FakeTime } from '../time.mts';
import { openHarness, type Harness } from './harness.mts';

let harness: Harness;
beforeAll(async () => {
	harness = await openHarness({ contacts: 450, tickets: 450, rateLimit: { requests: 0 } });
});
afterAll(async () => await harness.close());
beforeEach(() => {
	harness.sandbox.requests.length = 0;
	harness.sandbox.faults.clear();
});

const search = async (
	method: string,
	options: { filter?: string; paginationToken?: string; channel?: string; token?: string } = {},
) =>
	await harness.engine.search(ACTION_NODE, method, {
		credential: {
			baseUrl: harness.sandbox.baseUrl,
			apiToken: options.token ?? harness.sandbox.tokens.all.value,
		},
		parameters: { channel: options.channel ?? 'WHATSAPP' },
		...options,
	});

describe('the list of contacts', () => {
	test('contacts are listed page by page, with name and number', async () => {
		const values: unknown[] = [];
		let paginationToken: string | undefined;
		do {
			const page = await search('searchContacts', { paginationToken });
			values.push(...page.results.map(({ value }) => value));
			({ paginationToken } = page);
		} while (paginationToken !== undefined);
		// Those of the channels that can only be read included
		expect(new Set(values).size).toBe(453);
		const { results } = await search('searchContacts', { filter: '12015550100' });
		expect(results).toEqual([
			{
				name: expect.stringMatching(/ \(12015550100\)$/),
				value: harness.sandbox.world.findContactByWaId('12015550100')!.id,
			},
		]);
	});

	test('contacts are searched by the service', async () => {
		await search('searchContacts', { filter: ' smith ' });
		expect(harness.sandbox.requests.map(({ query }) => query.search)).toEqual(['smith']);
	});

	test('recipients have the ID of the chosen channel', async () => {
		const whatsapp = await search('searchRecipients');
		expect(whatsapp.results.every(({ value }) => /^1\d{10}$/.test(String(value)))).toBe(true);
		const instagram = await search('searchRecipients', { channel: 'INSTAGRAM' });
		expect(instagram.results.every(({ value }) => String(value).startsWith('178414'))).toBe(true);
	});
});

describe('the list of tickets', () => {
	test('tickets are listed with number, status and priority', async () => {
		const { results, paginationToken } = await search('searchTickets');
		expect(results).toHaveLength(50);
		expect(results[0]!.name).toMatch(
			/^#1450 .+ \((OPEN|IN_PROGRESS|RESOLVED|CLOSED), (LOW|MEDIUM|HIGH|URGENT)\)$/,
		);
		expect(paginationToken).toBe('2');
	});

	test('a ticket is found by its number', async () => {
		const { results } = await search('searchTickets', { filter: '1003' });
		expect(results[0]!.name).toMatch(/^#1003 /);
	});

	test('tickets are searched by title over several pages, and the next page continues where the search stopped', async () => {
		const { world } = harness.sandbox;
		const oldest = world.findTicket('1001')!;
		oldest.title = 'A needle in the hay';
		const first = await search('searchTickets', { filter: 'NEEDLE' });
		expect(first).toEqual({ results: [], paginationToken: '6' });
		const second = await search('searchTickets', {
			filter: 'NEEDLE',
			paginationToken: first.paginationToken,
		});
		expect(second.results.map(({ value }) => value)).toEqual([oldest.id]);
	});
});

test('channels and agents are listed and filtered', async () => {
	expect((await search('searchChannels')).results.map(({ name }) => name)).toEqual([
		'Customer Care (WHATSAPP, 12025550110)',
		'Marketing (WHATSAPP, 12025550111)',
		'Instagram Shop (INSTAGRAM)',
		'Website Chat (WEBCHAT)',
		'Telegram Support (TELEGRAM)',
		'TikTok Store (TIKTOK_SHOP)',
	]);
	expect((await search('searchChannels', { filter: 'insta' })).results).toHaveLength(1);
	expect((await search('searchAgents')).results).toHaveLength(14);
	expect((await search('searchAgents')).results[0]!.name).toMatch(/ \(.+@example\.com\)$/);
});

describe('other lists', () => {
	test.each([
		['searchChats', /^.+ \((WHATSAPP|INSTAGRAM|WEBCHAT|TELEGRAM|TIKTOK_SHOP)\)$/],
		['searchSegments', /^(Newsletter|Returning customers|Instagram \(dynamic\))$/],
		['searchTemplates', /^\w+ \(\w+, [A-Z]+, APPROVED\)$/],
		['searchBroadcasts', /^.+ \((COMPLETED|PARTIAL)\)$/],
		['searchFlows', /^.+ \((welcome|order|feedback)\)$/],
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
		expect((await search(method, { filter })).results).toEqual(fitting);
	});

	test('import jobs are listed with their status', async () => {
		const { world } = harness.sandbox;
		const at = new Date().toISOString();
		const job = {
			id: 'job-1',
			fileName: 'people.csv',
			total: 0,
			failedRows: [],
			pending: [],
			taken: 0,
			queuedAt: world.now(),
			createdAt: at,
		};
		world.imports.add(job);
		expect((await search('searchImports')).results).toEqual([
			{ name: `people.csv (queued, ${at})`, value: 'job-1' },
		]);
	});

	test('templates are listed for the chosen channel', async () => {
		await harness.engine.search(ACTION_NODE, 'searchTemplates', {
			credential: { baseUrl: harness.sandbox.baseUrl, apiToken: harness.sandbox.tokens.all.value },
			parameters: { options: { channelId: { __rl: true, mode: 'id', value: 'channel-1' } } },
		});
		expect(harness.sandbox.requests.at(-1)!.query.channelId).toBe('channel-1');
	});
});

describe('the variables of the chosen template', () => {
	const fieldsOf = async (templateId: string) =>
		await harness.engine.mapFields(ACTION_NODE, 'getTemplateVariables', {
			credential: { baseUrl: harness.sandbox.baseUrl, apiToken: harness.sandbox.tokens.all.value },
			parameters: { templateId: { __rl: true, mode: 'list', value: templateId } },
		});

	test('each variable of the template is a field with a name of its own', async () => {
		const template = harness.sandbox.world.templates.find(({ name }) => name === 'spring_sale')!;
		const expected = [
			['header:image', 'Header image (URL or media ID)'],
			['body:1', 'Body {{1}}: "Hello {{1}}, everything is …"'],
			['body:2', 'Body {{2}}: "… everything is {{2}} off until Sunday."'],
			['button:0:url', 'Button “Shop”, end of the URL: "https://shop.example.com/{{1}}"'],
		];
		for (const value of [`${template.id} spring_sale en_US`, template.id]) {
			const { fields } = await fieldsOf(value);
			expect(fields.map(({ id, displayName, required }) => [id, displayName, required])).toEqual(
				expected.map((pair) => [...pair, true]),
			);
		}
	});

	test('the variables are read from the templates of the chosen channel', async () => {
		const template = harness.sandbox.world.templates.find(({ name }) => name === 'spring_sale')!;
		await harness.engine.mapFields(ACTION_NODE, 'getTemplateVariables', {
			credential: { baseUrl: harness.sandbox.baseUrl, apiToken: harness.sandbox.tokens.all.value },
			parameters: {
				templateId: { __rl: true, mode: 'id', value: template.id },
				options: { channelId: { __rl: true, mode: 'id', value: 'channel-1' } },
			},
		});
		expect(harness.sandbox.requests.at(-1)).toMatchObject({
			route: 'GET /templates',
			query: { channelId: 'channel-1' },
		});
	});

	test('there are no variables without a template, or for one that does not exist', async () => {
		expect((await fieldsOf('')).fields).toEqual([]);
		expect((await fieldsOf('1 gone en_US')).fields).toEqual([]);
	});
});

test.each([
	['searchContacts', 'contacts.view'],
	['searchRecipients', 'contacts.view'],
	['searchTickets', 'tickets.view'],
	['searchChannels', 'settings.view'],
	['searchAgents', 'users.manage'],
	['searchChats', 'chats.view'],
	['searchSegments', 'contacts.view'],
	['searchTemplates', 'templates.view'],
	['searchBroadcasts', 'broadcasts.view'],
	['searchImports', 'contacts.view'],
	['searchFlows', 'flows.view'],
])(
	'%s without its permission names the permission, and suggests entering the ID',
	async (method, permission) => {
		const { readOnly } = harness.sandbox.tokens;
		const before = readOnly.permissions;
		readOnly.permissions = [];
		await expect(search(method, { token: readOnly.value })).rejects.toMatchObject({
			description: expect.stringMatching(
				new RegExp(`lacks the permission ${permission.replace('.', '\\.')}.*Enter the ID instead`),
			),
		});
		readOnly.permissions = before;
	},
);

describe('a list whose service asks to wait before the next try', () => {
	let time: FakeTime;
	beforeEach(() => (time = new FakeTime().install()));
	afterEach(() => time.restore());
	const unavailable = (seconds: string) =>
		harness.sandbox.faults.add({
			kind: 'status',
			status: 503,
			headers: { 'retry-after': seconds },
		});

	test('a list waits up to five seconds, because a user is waiting', async () => {
		unavailable('5');
		expect((await search('searchAgents')).results).toHaveLength(14);
		expect(time.waits).toEqual([5_000]);
		expect(harness.sandbox.requests).toHaveLength(2);
	});

	test('a list does not wait longer, and reports the time', async () => {
		unavailable('6');
		await expect(search('searchAgents')).rejects.toMatchObject({
			description: expect.stringMatching(/The service asks to wait 6 s/),
		});
		expect(time.waits).toEqual([]);
		expect(harness.sandbox.requests).toHaveLength(1);
	});
});

test('a list does not wait for the rate limit, but says how long the wait would be', async () => {
	harness.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '50' } });
	await expect(
		search('searchAgents', { token: harness.sandbox.tokens.withoutSettings.value }),
	).rejects.toMatchObject({
		message: expect.stringMatching(
			/^List agents: the rate limit requires a wait of \d+ s \(429 Too Many Requests\)$/,
		),
		description: expect.stringMatching(/accepts no requests from this token/),
	});
});

test('rows of unexpected shapes are listed if they have an ID', async () => {
	const body = JSON.stringify({
		data: {
			users: [{ id: 7 }, { name: 'Nobody' }, null, 'x', { id: 'a', name: 'Ann', email: null }],
		},
	});
	harness.sandbox.faults.add({
		kind: 'status',
		status: 200,
		headers: { 'content-type': 'application/json' },
		body,
	});
	expect((await search('searchAgents')).results).toEqual([
		{ name: '7', value: '7' },
		{ name: 'Ann', value: 'a' },
	]);
});
