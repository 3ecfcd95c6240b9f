import type { INodeListSearchResult, INodeParameters } from 'n8n-workflow';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { readContract, routesOf } from '../../sandbox/contract.mts';
import { ACTION_NODE } from '../../tools/engine/workflows.mts';
import { addImportJob } from '../support/records.mts';
import { SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ contacts: 120, tickets: 270 });

const search = async (
	method: string,
	options: {
		filter?: string;
		paginationToken?: string;
		channel?: string;
		token?: string;
		contactId?: unknown;
	} = {},
) =>
	await service.engine.search(ACTION_NODE, method, {
		credential: { ...service.credential, ...(options.token && { apiToken: options.token }) },
		parameters: {
			channel: options.channel ?? 'WHATSAPP',
			...(options.contactId !== undefined && { contactId: options.contactId as INodeParameters }),
		},
		...options,
	});

const to = (path: string) => ({ matches: (request: { path: string }) => request.path === path });
const namesOf = ({ results }: INodeListSearchResult) => results.map(({ name }) => name);
const paths = () => service.requests.map(({ path }) => path);

describe('the list of contacts', () => {
	test('contacts are listed page by page, with name and number', async () => {
		const values: unknown[] = [];
		const tokens: (string | undefined)[] = [];
		let paginationToken: string | undefined;
		do {
			const page = await search('searchContacts', { paginationToken });
			values.push(...page.results.map(({ value }) => value));
			({ paginationToken } = page);
			tokens.push(paginationToken);
		} while (paginationToken !== undefined && tokens.length < 3);
		expect(tokens).toStrictEqual(['2', '3', undefined]);
		// Those of the channels that can only be read included
		expect(new Set(values).size).toBe(123);
		expect(service.requests.map(({ query }) => query.page)).toStrictEqual(['1', '2', '3']);
		const { results } = await search('searchContacts', { filter: '12015550100' });
		expect(results).toStrictEqual([
			{
				name: expect.stringMatching(/ \(12015550100\)$/),
				value: service.world.findContactByWaId('12015550100')!.id,
			},
		]);
	});

	test('recipients have the ID of the chosen channel', async () => {
		const whatsapp = await search('searchRecipients');
		expect(whatsapp.results.every(({ value }) => /^1\d{10}$/.test(String(value)))).toBe(true);
		const instagram = await search('searchRecipients', { channel: 'INSTAGRAM' });
		expect(instagram.results.every(({ value }) => String(value).startsWith('178414'))).toBe(true);
		expect(service.requests.map(({ query }) => query.channel)).toStrictEqual([
			'WHATSAPP',
			'INSTAGRAM',
		]);
	});

	test.each([
		['WHATSAPP', '12025550143'],
		['INSTAGRAM', 'ig-1'],
	])('a contact without an ID on %s is no recipient there', async (channel, value) => {
		service.respond([
			{ id: 'c1', name: 'Ann', waId: '12025550143' },
			{ id: 'c2', name: 'Bob', igId: 'ig-1' },
		]);
		const { results } = await search('searchRecipients', { channel });
		expect(results.map((entry) => entry.value)).toStrictEqual([value]);
	});

	test('a contact has the name that agents gave it, and the address that it has', async () => {
		service.respond([
			{ id: 1, name: 'Ann', customName: 'Boss', waId: '12025550143', igUsername: 'ann' },
			{ id: 2, name: 'Bob', customName: '', waId: null, igUsername: 'bob', igId: 'ig-2' },
			{ id: 3, name: 'Cid', customName: null, igId: 'ig-3' },
			{ id: 4, name: '' },
			{ id: 5, name: 'Dee', waId: 'US.13491208655302741918' },
			{ id: 6, name: null, waId: '12025550144' },
		]);
		expect(namesOf(await search('searchContacts'))).toStrictEqual([
			'Boss (12025550143)',
			'Bob (bob)',
			'Cid (ig-3)',
			'4',
			'Dee (US.13491208655302741918)',
			'12025550144',
		]);
	});
});

describe('the list of tickets', () => {
	test('tickets are listed with number, status and priority', async () => {
		const { results, paginationToken } = await search('searchTickets');
		expect(results).toHaveLength(50);
		expect(results[0]!.name).toMatch(
			/^#1270 .+ \((OPEN|IN_PROGRESS|RESOLVED|CLOSED), (LOW|MEDIUM|HIGH|URGENT)\)$/,
		);
		expect(paginationToken).toBe('2');
	});

	test('tickets are searched by title over several pages, and the next page continues where the search stopped', async () => {
		const { world } = service.sandbox;
		const oldest = world.findTicket('1001')!;
		oldest.title = 'A needle in the hay';
		const first = await search('searchTickets', { filter: 'NEEDLE' });
		expect(first).toStrictEqual({ results: [], paginationToken: '6' });
		const second = await search('searchTickets', {
			filter: 'NEEDLE',
			paginationToken: first.paginationToken,
		});
		expect(second.results.map(({ value }) => value)).toStrictEqual([oldest.id]);
	});

	test('after a match on page 3, page 4 is next', async () => {
		const newest = [...service.world.tickets.newestFirst()];
		newest[120]!.title = 'A needle in the hay';
		const { results, paginationToken } = await search('searchTickets', { filter: 'needle' });
		expect(results.map(({ value }) => value)).toStrictEqual([newest[120]!.id]);
		expect(paginationToken).toBe('4');
	});
});

describe('a search for an ID, in a list that the service cannot search', () => {
	const job = { id: 'job-7', fileName: 'people.csv' };
	test.each<[method: string, route: string, id: () => string]>([
		['searchBroadcasts', '/broadcasts', () => service.world.broadcasts.find(() => true)!.id],
		['searchChats', '/chats', () => service.world.chats.find(() => true)!.id],
		['searchTickets', '/tickets', () => service.world.findTicket('1003')!.id],
		['searchImports', '/contacts/imports', () => job.id],
	])('%s reads the record, and shows it once', async (method, route, id) => {
		if (method === 'searchImports') service.respond({ data: job }, to(`${route}/${job.id}`));
		const { results } = await search(method, { filter: id() });
		expect(results.map(({ value }) => value)).toStrictEqual([id()]);
		expect(paths().slice(0, 2)).toStrictEqual([`${route}/${id()}`, route]);
	});

	test('a record that is also on the page of the list is shown once', async () => {
		const row = { id: 'T-7', ticketNumber: 'T-7', title: 'Late' };
		service.respond({ data: row }, to('/tickets/T-7'));
		service.respond({ data: [row] }, to('/tickets'));
		expect(namesOf(await search('searchTickets', { filter: 'T-7' }))).toStrictEqual(['#T-7 Late']);
	});

	test.each([400, 404])('an ID that is rejected with %d is no record', async (status) => {
		service.reject(status, to('/tickets/x9'), { id: 'request-1', message: 'No' });
		service.respond({ data: [{ id: 't1', title: 'Version x9' }] }, to('/tickets'));
		expect(namesOf(await search('searchTickets', { filter: 'x9' }))).toStrictEqual(['Version x9']);
	});

	test('the record is not read again with the next page', async () => {
		await search('searchTickets', { filter: '1003', paginationToken: '6' });
		expect(new Set(paths())).toStrictEqual(new Set(['/tickets']));
	});

	test('words are no IDs, and cost no request of their own', async () => {
		for (const filter of ['needle', 'number 7', '#']) await search('searchTickets', { filter });
		expect(new Set(paths())).toStrictEqual(new Set(['/tickets']));
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

test('channels and agents are listed and filtered', async () => {
	expect((await search('searchChannels')).results.map(({ name }) => name)).toStrictEqual([
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
		['searchTemplates', /^\w+ · \w+ · (Utility|Marketing|Authentication)$/],
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
		expect((await search(method, { filter })).results).toStrictEqual(fitting);
	});

	test('names are found without their accents, and in any case', async () => {
		const [agent] = service.world.users.filter(() => true);
		Object.assign(agent!, { name: 'Zoë Müller' });
		for (const filter of ['zoe', 'ZOË', 'muller', 'zoe\u0308 mü'])
			expect(namesOf(await search('searchAgents', { filter }))).toStrictEqual([
				expect.stringMatching(/^Zoë Müller/),
			]);
		expect(namesOf(await search('searchAgents', { filter: 'zoa' }))).toStrictEqual([]);
	});

	test('time zones are found by the name of a city', async () => {
		const of = async (filter: string) => namesOf(await search('searchTimeZones', { filter }));
		expect(await of(' new york')).toStrictEqual(['America/New_York']);
		expect(await of('New_York')).toStrictEqual(['America/New_York']);
		const all = await of('');
		expect([all[0], all.length > 300, all.includes('Europe/Berlin')]).toStrictEqual([
			'UTC',
			true,
			true,
		]);
		expect(service.requests).toStrictEqual([]);
	});

	test('a chat has the name of its contact, or the address', async () => {
		service.respond([
			{ id: 1, channel: 'WHATSAPP', contact: { name: 'Ann', customName: 'Boss', waId: '1' } },
			{ id: 2, channel: 'WHATSAPP', contact: { name: '', waId: '12025550143' } },
			{ id: 3, channel: 'INSTAGRAM', contact: { waId: null, igId: 'ig-3' } },
			{ id: 4, channel: 'INSTAGRAM', contact: null, contactName: 'Bob' },
			{ id: 5, channel: 'INSTAGRAM' },
		]);
		expect(namesOf(await search('searchChats'))).toStrictEqual([
			'Boss (WHATSAPP)',
			'12025550143 (WHATSAPP)',
			'ig-3 (INSTAGRAM)',
			'Bob (INSTAGRAM)',
			'5 (INSTAGRAM)',
		]);
	});

	test.each([
		['searchImports', '200'],
		['searchTemplates', '1000'],
	])('%s, which has no pages, asks for %s rows', async (method, limit) => {
		await search(method);
		expect(service.requests.map(({ query }) => query)).toEqual([{ limit }]);
	});

	test('import jobs are listed with their status', async () => {
		const { id, createdAt } = addImportJob(service.world, { fileName: 'people.csv' });
		expect((await search('searchImports')).results).toStrictEqual([
			{ name: `people.csv (queued, ${createdAt})`, value: id },
		]);
	});

	test('templates are listed for the chosen channel', async () => {
		await service.engine.search(ACTION_NODE, 'searchTemplates', {
			credential: service.credential,
			parameters: { options: { channelId: { __rl: true, mode: 'id', value: 'channel-1' } } },
		});
		expect(service.requests.at(-1)!.query.channelId).toBe('channel-1');
	});
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
	const of = ({ id }: { id: string }) => ({ contactId: { __rl: true, mode: 'list', value: id } });

	test('those of the chosen contact are listed by ID, with their values', async () => {
		const { results } = await search('searchContactFields', of(first!));
		expect(results).toStrictEqual([
			{ name: 'Plan (gold)', value: 'f1' },
			{ name: 'City', value: 'f2' },
		]);
		const { results: found } = await search('searchContactFields', {
			...of(first!),
			filter: ' cit',
		});
		expect(found.map(({ value }) => value)).toStrictEqual(['f2']);
		expect((await search('searchContactFields', of(third!))).results).toStrictEqual([]);
	});

	test.each(['', '={{ $json.id }}'])('for the contact %j, the list says what to do', async (id) => {
		await expect(search('searchContactFields', of({ id }))).rejects.toMatchObject({
			message: 'Pick the contact first. If an expression selects it, enter the ID of the field.',
		});
		expect(service.requests).toStrictEqual([]);
	});

	test('a contact that does not exist is reported', async () => {
		await expect(search('searchContactFields', of({ id: 'gone' }))).rejects.toMatchObject({
			httpCode: '404',
		});
	});

	test('labels are those of the chosen contact, then those of others, each once', async () => {
		expect((await search('searchFieldLabels', of(first!))).results).toStrictEqual([
			{ name: 'Plan (gold)', value: 'Plan' },
			{ name: 'City', value: 'City' },
			{ name: 'CRM ID', value: 'CRM ID' },
		]);
		const labels = ['City', 'CRM ID', 'Plan'];
		for (const contactId of [undefined, of({ id: 'gone' }).contactId])
			expect(namesOf(await search('searchFieldLabels', { contactId }))).toStrictEqual(labels);
		service.reject(400, { matches: ({ route }) => route === 'GET /contacts/{id}' });
		expect(namesOf(await search('searchFieldLabels', of(first!)))).toStrictEqual(labels);
		expect(namesOf(await search('searchFieldLabels', { filter: 'CRM ' }))).toStrictEqual([
			'CRM ID',
		]);
	});

	test('contacts that show no custom fields have no labels', async () => {
		service.respond({ data: [{ id: 'c1', name: 'Ann' }] });
		expect((await search('searchFieldLabels')).results).toStrictEqual([]);
	});
});

describe('the variables of the chosen template', () => {
	const fieldsOf = async (templateId: string) =>
		await service.engine.mapFields(ACTION_NODE, 'getTemplateVariables', {
			credential: service.credential,
			parameters: { templateId: { __rl: true, mode: 'list', value: templateId } },
		});

	test('each variable of the template is a field with a name of its own', async () => {
		const template = service.world.templates.find(({ name }) => name === 'spring_sale')!;
		const expected = [
			['header:image', 'Header image URL or ID'],
			['body:1', '1'],
			['body:2', '2'],
			['button:0:url', 'Button “Shop”, end of URL'],
		];
		for (const value of [`${template.id} spring_sale en_US`, template.id]) {
			const { fields } = await fieldsOf(value);
			expect(
				fields.map(({ id, displayName, required }) => [id, displayName, required]),
			).toStrictEqual(expected.map((pair) => [...pair, true]));
			// A run compares it with the template that is picked then.
			for (const each of fields) expect(each).toHaveProperty('templateName', 'spring_sale');
		}
	});

	test('a quick reply needs no payload', async () => {
		const template = service.world.templates.find(({ name }) => name === 'spring_sale')!;
		const buttons = [{ type: 'QUICK_REPLY', text: 'Yes' }];
		Object.assign(template, {
			components: [
				{ type: 'BODY', text: 'Hi' },
				{ type: 'BUTTONS', buttons },
			],
		});
		expect((await fieldsOf(template.id)).fields).toMatchObject([{ required: false }]);
	});

	test('those of the fallback template are a list', async () => {
		const template = service.world.templates.find(({ name }) => name === 'spring_sale')!;
		const listed = async (options: INodeParameters) =>
			await service.engine.loadOptions(ACTION_NODE, 'getFallbackVariables', {
				credential: service.credential,
				parameters: { options },
			});
		const templateId = { __rl: true, mode: 'id', value: template.id };
		const line = 'Hello [1], everything is [2] off until Sunday.';
		expect(await listed({ templateId })).toStrictEqual([
			{ name: 'Header image URL or ID', value: 'header:image', description: '[image]' },
			{ name: '1', value: 'body:1', description: line },
			{ name: '2', value: 'body:2', description: line },
			{
				name: 'Button “Shop”, end of URL',
				value: 'button:0:url',
				description: '[Shop: https://shop.example.com/[end of URL]]',
			},
		]);
		expect(await listed({})).toStrictEqual([]);
	});

	test('a template that is not approved shows its status', async () => {
		const template = service.world.templates.find(({ name }) => name === 'spring_sale')!;
		const shown = async (status: string) => {
			Object.assign(template, { status });
			const { results } = await search('searchTemplates');
			return results.find(({ value }) => String(value).includes('spring_sale'))!.name;
		};
		expect(await shown('PENDING')).toBe('spring_sale · en_US · Marketing · Pending');
		expect(await shown('Approved')).toBe('spring_sale · en_US · Marketing');
	});

	test('the variables are read from the templates of the chosen channel', async () => {
		const template = service.world.templates.find(({ name }) => name === 'spring_sale')!;
		await service.engine.mapFields(ACTION_NODE, 'getTemplateVariables', {
			credential: service.credential,
			parameters: {
				templateId: { __rl: true, mode: 'id', value: template.id },
				options: { channelId: { __rl: true, mode: 'id', value: 'channel-1' } },
			},
		});
		expect(service.requests.at(-1)).toMatchObject({
			route: 'GET /templates',
			query: { channelId: 'channel-1', limit: '1000' },
		});
	});

	const textOf = async (templateId: string) =>
		await service.engine.mapFields(ACTION_NODE, 'getTemplateText', {
			credential: service.credential,
			parameters: { templateId: { __rl: true, mode: 'name', value: templateId } },
		});

	test('the whole text of the template is shown, with its variables in brackets and their examples', async () => {
		expect(await textOf('spring_sale en_US')).toStrictEqual({
			fields: [],
			emptyFieldsNotice: [
				'[image]',
				'Hello [1], everything is [2] off until Sunday.',
				'Reply STOP to leave',
				'[Shop: https://shop.example.com/[end of URL]]',
			].join('<br>'),
		});
		expect((await textOf('ticket_update en_US')).emptyFieldsNotice).toBe(
			'Hello [1], your ticket [2] is now [3].<br><br>Examples: [1] Nathan, [2] 1042, [3] in progress',
		);
		const template = service.world.templates.find(({ name }) => name === 'welcome')!;
		template.components = [{ type: 'BODY', text: '<img src=x onerror="a()"> & {{name}}' }];
		expect((await textOf(`welcome ${template.language}`)).emptyFieldsNotice).toBe(
			'&lt;img src=x onerror=&quot;a()&quot;&gt; &amp; [name]',
		);
		template.components = [];
		expect((await textOf(`welcome ${template.language}`)).emptyFieldsNotice).toBe(
			'The service returns no text for this template.',
		);
		expect((await textOf('')).emptyFieldsNotice).toMatch(/^Pick a template to see its text\./);
		const path = 'a'.repeat(60);
		template.components = [{ type: 'BODY', text: `See https://shop.example.com/${path} <now>` }];
		expect((await textOf(`welcome ${template.language}`)).emptyFieldsNotice).toBe(
			`See https://shop.example.com/${'a'.repeat(15)}\u200b${'a'.repeat(40)}\u200b${'a'.repeat(5)} &lt;now&gt;`,
		);
	});

	test('there are no variables without a template, or for one that does not exist', async () => {
		expect((await fieldsOf('')).fields).toStrictEqual([]);
		expect((await fieldsOf('1 gone en_US')).fields).toStrictEqual([]);
	});
});

/** Of every list of the service that users pick from. */
const methods = Object.keys(new ConversationalMessaging().methods.listSearch).filter(
	(method) => method !== 'searchTimeZones',
);

/** Rows of lists that are not named after what is picked, such as "tickets" of "searchTickets". */
const ROWS: Record<string, string> = {
	searchAgents: 'users',
	searchFieldLabels: 'contacts',
	searchRecipients: 'contacts',
};

test.each(methods.filter((method) => method !== 'searchContactFields'))(
	'%s lists the rows under their name, not those of another list',
	async (method) => {
		const rows = ROWS[method] ?? method.replace('search', '').toLowerCase();
		const row = (id: string) => ({
			...{ id, waId: id, name: id, language: 'en' },
			customFields: [{ label: id }],
		});
		service.respond({ data: { others: [row('b')], [rows]: [row('a')] } });
		expect((await search(method)).results).toMatchObject([{ value: expect.stringMatching(/^a/) }]);
	},
);

const permissions = new Map(
	[...routesOf(readContract()).values()].map(({ name, permission }) => [name, permission]),
);

test.each(methods)(
	'%s without its permission names the permission, and suggests entering the ID',
	async (method) => {
		const { readOnly } = service.sandbox.tokens;
		readOnly.permissions = [];
		const contactId = method === 'searchContactFields' ? 'x' : undefined;
		const error = (await search(method, { token: readOnly.value, contactId }).catch(
			(thrown: unknown) => thrown,
		)) as { description: string };
		const permission = permissions.get(service.requests.at(-1)!.route!)!;
		expect(error.description).toContain(`lacks the permission ${permission}`);
		expect(error.description).toMatch(/Enter the (ID|label|ID of the field) instead/);
	},
);

test.each([
	['5', [5_000], undefined],
	['6', [], /The service asks to wait 6 s/],
])(
	'a list waits up to five seconds, because a user is waiting: asked to wait %s s, it waits %j ms',
	async (seconds, waits, description) => {
		const headers = { 'retry-after': seconds };
		service.sandbox.faults.add({ kind: 'status', status: 503, headers });
		const searched = search('searchAgents');
		if (description === undefined) expect((await searched).results).toHaveLength(14);
		else
			await expect(searched).rejects.toMatchObject({
				description: expect.stringMatching(description),
			});
		expect(service.time.waits).toStrictEqual(waits);
	},
);

test('a list does not wait for the rate limit, but says how long the wait would be', async () => {
	service.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '50' } });
	await expect(
		search('searchAgents', { token: service.sandbox.tokens.withoutSettings.value }),
	).rejects.toMatchObject({
		message: expect.stringMatching(
			/^List agents: the rate limit requires a wait of \d+ s \(429 Too Many Requests\)$/,
		),
		description: expect.stringMatching(/accepts no requests from this token/),
	});
});

test('rows of unexpected shapes are listed if they have an ID', async () => {
	service.respond({
		data: {
			users: [{ id: 7 }, { name: 'Nobody' }, null, 'x', { id: 'a', name: 'Ann', email: null }],
		},
	});
	expect((await search('searchAgents')).results).toStrictEqual([
		{ name: '7', value: '7' },
		{ name: 'Ann', value: 'a' },
	]);
});
