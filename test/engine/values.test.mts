import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ACTION_NODE } from '../../engine/workflows.mts';
import { byId, openHarness, type Harness, WELCOME_COMPONENTS } from './harness.mts';
import { openTriggerHarness } from './triggerHarness.mts';

/** Results of expressions, in fields of every kind: they are sent as meant, or a message names the field. */
let harness: Harness;
beforeAll(async () => {
	harness = await openHarness({ contacts: 60, tickets: 60, rateLimit: { requests: 0 } });
});
afterAll(async () => await harness.close());
beforeEach(() => {
	harness.sandbox.faults.clear();
	harness.sandbox.requests.length = 0;
});

/** Requests that were sent: "GET /tickets", query, and body. */
const sent = () => harness.sandbox.requests.map(({ path, query, body }) => ({ path, query, body }));

/** The message of a run that fails before anything is sent. */
async function messageOf(parameters: INodeParameters, items?: IDataObject[]): Promise<string> {
	const { error } = await harness.run(parameters, { items });
	expect(sent()).toEqual([]);
	return error!.message;
}

async function ok(parameters: INodeParameters, items?: IDataObject[]): Promise<IDataObject[]> {
	const { json, error } = await harness.run(parameters, { items });
	expect(error).toBeUndefined();
	return json;
}

/** Every filter of every list, with its name on screen. */
const FILTERS: [string, string, Record<string, string>][] = [
	['broadcast', 'getAll', { channelId: 'Channel', status: 'Status' }],
	[
		'chat',
		'getAll',
		{
			agentId: 'Agent',
			channelId: 'Channel',
			channel: 'Channel Type',
			contactId: 'Contact',
			needsEscalation: 'Needs Escalation',
			waId: 'WhatsApp ID',
		},
	],
	['contact', 'export', { channel: 'Channel Type', search: 'Search', segmentId: 'Segment' }],
	['contact', 'getAll', { channel: 'Channel Type', search: 'Search', segmentId: 'Segment' }],
	['contactImport', 'getAll', { activeOnly: 'Active Only' }],
	['template', 'getAll', { channelId: 'Channel' }],
	['ticket', 'getAll', { agentId: 'Agent', contactId: 'Contact', status: 'Status' }],
];

const filters = FILTERS.flatMap(([resource, operation, names]) =>
	Object.entries(names).map(([name, label]) => [resource, operation, name, label] as const),
);
const locators = ['agentId', 'channelId', 'contactId', 'segmentId'];
const asField = (name: string, value: string) => (locators.includes(name) ? byId(value) : value);

describe('an empty filter', () => {
	test('every filter of every list is tested here', async () => {
		const { properties } = harness.engine.nodeType(ACTION_NODE).description;
		const known = properties
			.filter(({ name }) => name === 'filters')
			.flatMap(({ options, displayOptions }) => {
				const { resource, operation } = displayOptions!.show as Record<string, [string]>;
				return options!.map(({ name }) => `${resource![0]} ${operation![0]} ${name}`);
			});
		expect(known.sort()).toEqual(
			filters.map(([resource, operation, name]) => `${resource} ${operation} ${name}`).sort(),
		);
	});

	test.each(filters)(
		'%s: %s is rejected with the name of %s if the filter is empty',
		async (resource, operation, name, label) => {
			for (const nothing of ['{{ $json.nobody }}', '{{ null }}', '{{ "" }}', '{{ "  " }}']) {
				const value = asField(name, `=${nothing}`);
				const message = await messageOf({ resource, operation, filters: { [name]: value } });
				expect(message).toBe(`${label} is empty`);
			}
		},
	);

	test('a filter with an empty locator is rejected', async () => {
		const tickets = { resource: 'ticket', operation: 'getAll' };
		expect(await messageOf({ ...tickets, filters: { contactId: byId('') } })).toBe(
			'Contact is empty',
		);
	});

	test('an empty filter is ignored with Ignore Empty Filters', async () => {
		await ok({
			resource: 'ticket',
			operation: 'getAll',
			returnAll: true,
			filters: { contactId: byId('={{ $json.nobody }}'), status: 'OPEN' },
			options: { ignoreEmptyFilters: true },
		});
		expect(sent()[0]!.query).toEqual({ status: 'OPEN', page: '1', limit: '200' });
	});

	test('an empty filter fails its own item only, if the node continues', async () => {
		const { json } = await harness.run(
			{
				resource: 'ticket',
				operation: 'getAll',
				filters: { status: '={{ $json.status }}' },
				limit: 1,
			},
			{
				items: [{ status: 'OPEN' }, {}, { status: 'CLOSED' }],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(json).toEqual([
			expect.objectContaining({ status: 'OPEN' }),
			{ error: expect.stringMatching(/^Status is empty\. You added this filter/) },
			expect.objectContaining({ status: 'CLOSED' }),
		]);
	});

	test.each([
		['a filter', { filters: { agentId: byId('={{ null }}') } }, 'Agent is empty'],
		['a selection of statuses', { ticketStatuses: '={{ undefined }}' }, 'Ticket Statuses is empty'],
		['a list of statuses', { ticketStatuses: '={{ [] }}' }, 'Ticket Statuses is empty'],
		['the events', { events: '={{ undefined }}' }, 'Events is empty'],
	])('the trigger rejects %s that is empty', async (_what, parameters, message) => {
		const trigger = await openTriggerHarness({ tickets: 3 });
		try {
			await expect(
				trigger.publish({ events: ['ticketStatusChanged'], ...parameters }),
			).rejects.toThrow(message);
			expect(trigger.sandbox.requests).toEqual([]);
		} finally {
			await trigger.close();
		}
	});

	test.each([
		[
			'a message history before an empty message ID',
			{
				resource: 'chat',
				operation: 'getMessages',
				chatId: byId('c'),
				options: { cursor: '={{ $json.nobody }}' },
			},
			'Before Message ID is empty',
		],
		[
			'a session with an empty channel',
			{
				resource: 'session',
				operation: 'get',
				contactId: byId('c'),
				options: { channelId: byId('={{ $json.nobody }}') },
			},
			'Channel is empty',
		],
		[
			'a sync with an empty channel',
			{ resource: 'template', operation: 'sync', channelId: byId('={{ $json.nobody }}') },
			'Channel is empty',
		],
		[
			'a ticket with an empty contact',
			{
				resource: 'ticket',
				operation: 'create',
				title: 'T',
				contactId: byId('={{ $json.nobody }}'),
			},
			'Contact is empty',
		],
		[
			'an empty Wait for Completion',
			{
				resource: 'broadcast',
				operation: 'get',
				broadcastId: byId('b'),
				options: { waitForCompletionMinutes: '={{ $json.nobody }}' },
			},
			'Wait for Completion (Minutes) is empty',
		],
		[
			'a Wait for Completion of more than a week',
			{
				resource: 'broadcast',
				operation: 'get',
				broadcastId: byId('b'),
				options: { waitForCompletionMinutes: 10_081 },
			},
			'Wait for Completion (Minutes) expects a number above 0, up to 10,080 (a week), but got 10081',
		],
		[
			'a contact whose ID is the name of a route',
			{ resource: 'contact', operation: 'get', contactId: byId('imports') },
			'Get contact: the ID is empty or reserved',
		],
		[
			'a message with an empty channel',
			{
				resource: 'message',
				operation: 'send',
				to: byId('12025550143'),
				text: 'Hello',
				options: { channelId: byId('={{ $json.nobody }}') },
			},
			'Channel is empty',
		],
	])('%s is rejected', async (_what, parameters, message) => {
		expect(await messageOf(parameters)).toBe(message);
	});
});

describe('a field for one value', () => {
	test.each([
		['a list', '{{ ["OPEN", "IN_PROGRESS"] }}', 'a list: ["OPEN","IN_PROGRESS"]'],
		['an object', '{{ { name: "OPEN" } }}', 'an object: {"name":"OPEN"}'],
		['a number', '{{ 7 }}', '7'],
		['another word', '{{ "WAITING" }}', '"WAITING"'],
	])(
		'%s is rejected where one of several options is expected',
		async (_what, expression, shown) => {
			expect(
				await messageOf({
					resource: 'ticket',
					operation: 'getAll',
					filters: { status: `=${expression}` },
				}),
			).toBe(`Status expects one of OPEN, IN_PROGRESS, RESOLVED, CLOSED, but got ${shown}`);
		},
	);

	test.each([['open'], ['Open'], [' OPEN ']])(
		'%j is accepted as an option in another spelling',
		async (status) => {
			const parameters = { resource: 'ticket', operation: 'getAll', returnAll: true };
			await ok({ ...parameters, filters: { status: '={{ $json.status }}' } }, [{ status }]);
			expect(sent()[0]!.query).toMatchObject({ status: 'OPEN' });
		},
	);

	test.each([
		['a list', '{{ ["a", "b"] }}', 'Contact expects one value, but got a list: ["a","b"]'],
		['a record', '{{ { id: "a" } }}', 'Contact expects one value, but got an object: {"id":"a"}'],
		['a Date', '{{ new Date("2031-05-06T00:00:00Z") }}', /^Contact expects one value.* a date: /],
		['true', '{{ true }}', 'Contact expects an ID, but got true'],
		[
			'a number that has lost its last digits',
			'{{ 17841400000000001 }}',
			'Contact expects text, because a number with this many digits is not exact, but got 17841400000000000',
		],
	])('%s is rejected as an ID', async (_what, expression, message) => {
		const contactId = byId(`=${expression}`);
		const got = await messageOf({ resource: 'contact', operation: 'get', contactId });
		expect(got).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
	});

	test.each([
		['nothing', '{{ $json.nobody }}', 'Limit is empty'],
		['a list', '{{ [5] }}', 'Limit expects a number, but got a list: [5]'],
		['a fraction', '{{ 1.5 }}', 'Limit expects a whole number of 1 or more, but got 1.5'],
		['zero', '{{ 0 }}', 'Limit expects a whole number of 1 or more, but got 0'],
		['a word', '{{ "all" }}', 'Limit expects a number, but got "all"'],
	])('%s is rejected as a limit', async (_what, expression, message) => {
		expect(
			await messageOf({ resource: 'user', operation: 'getAll', limit: `=${expression}` }),
		).toBe(message);
	});

	test('a list of IDs is rejected if one of its entries is unusable', async () => {
		const add = (contactId: string) => ({
			resource: 'segment',
			operation: 'addContacts',
			segmentId: byId('s'),
			contactId: byId(contactId),
		});
		expect(await messageOf(add('={{ ["a", null] }}'))).toBe(
			'Contact expects a list without empty entries, but got a list: ["a",null]',
		);
		expect(await messageOf(add('={{ [{ id: "a" }] }}'))).toBe(
			'Contact expects one value, but got an object: {"id":"a"}',
		);
		expect(await messageOf(add('={{ [] }}'))).toBe('Contact is empty');
	});
});

describe('a field for true or false', () => {
	const chats = (needsEscalation: unknown) =>
		[
			{
				resource: 'chat',
				operation: 'getAll',
				returnAll: true,
				filters: { needsEscalation: '={{ $json.flag }}' },
			},
			[{ flag: needsEscalation }] as IDataObject[],
		] as const;

	test.each([
		[true, 'true'],
		['true', 'true'],
		['TRUE', 'true'],
		[' True ', 'true'],
		[1, 'true'],
		[false, 'false'],
		['false', 'false'],
		['FALSE', 'false'],
		[0, 'false'],
	])('%j is sent as %s', async (flag, expected) => {
		await ok(...chats(flag));
		expect(sent()[0]!.query).toMatchObject({ needsEscalation: expected });
	});

	test.each([['yes'], [2], ['on'], [['true']], [{ value: true }]])(
		'%j is rejected as true or false',
		async (flag) => {
			expect(await messageOf(...chats(flag))).toMatch(
				/^Needs Escalation expects true or false, but got /,
			);
		},
	);

	test('an empty value is not read as false', async () => {
		const nothing = '={{ $json.nobody }}';
		expect(await messageOf({ resource: 'user', operation: 'getAll', returnAll: nothing })).toBe(
			'Return All is empty',
		);
	});
});

describe('an update', () => {
	const update = (updateFields: INodeParameters, options: INodeParameters = {}) => ({
		resource: 'contact',
		operation: 'update',
		contactId: byId(known().id),
		updateFields,
		options,
	});
	const known = () => harness.sandbox.world.contacts.find(({ waId }) => waId !== null)!;

	test('a field whose expression has no value is not updated', async () => {
		await ok(update({ name: 'Ann Lee', customName: '={{ $json.nickname }}' }));
		expect(sent()[0]!.body).toEqual({ name: 'Ann Lee' });
	});

	test('a field in Clear Fields is set to empty text', async () => {
		await ok(update({ name: '' }, { clearFields: ['customName', 'igUsername'] }));
		expect(sent()[0]!.body).toEqual({ customName: '', igUsername: '' });
	});

	test('Clear Fields accepts an expression, and rejects a field that contacts do not have', async () => {
		await ok(update({}, { clearFields: '={{ "customName" }}' }));
		expect(sent()[0]!.body).toEqual({ customName: '' });
		harness.sandbox.requests.length = 0;
		expect(await messageOf(update({}, { clearFields: '={{ ["nickname"] }}' }))).toMatch(
			/^Clear Fields expects one of customName, igId, igUsername, waId, but got "nickname"/,
		);
	});

	test('a field that is both set and cleared is rejected', async () => {
		expect(await messageOf(update({ customName: 'Ann' }, { clearFields: ['customName'] }))).toBe(
			'Custom Name has a value and is also in Clear Fields',
		);
	});

	test('the value of a custom field can be cleared', async () => {
		const contact = harness.sandbox.world.contacts.find(
			({ customFields }) => customFields.length > 0,
		)!;
		await ok({
			resource: 'contactField',
			operation: 'update',
			contactId: byId(contact.id),
			fieldId: contact.customFields[0]!.id,
			updateFields: {},
			options: { clearFields: ['value'] },
		});
		expect(sent()[0]!.body).toEqual({ value: '' });
	});

	test('the value of a custom field can be cleared by its label', async () => {
		const contact = harness.sandbox.world.contacts.find(
			({ customFields }) => customFields.length > 0,
		)!;
		const { label } = contact.customFields[0]!;
		const set = (value: string, clearFields?: string[]) => ({
			resource: 'contactField',
			operation: 'set',
			contactId: byId(contact.id),
			label,
			value,
			options: clearFields ? { clearFields } : {},
		});
		await ok(set('', ['value']));
		expect(sent().at(-1)!.body).toEqual({ label, value: '' });
		harness.sandbox.requests.length = 0;
		expect(await messageOf(set('={{ "" }}'))).toBe('Value is empty');
		expect(await messageOf(set('Berlin', ['value']))).toBe(
			'Value has a value and is also in Clear Fields',
		);
	});

	test.each<[string, INodeParameters]>([
		['no field', { resource: 'contact', operation: 'update', contactId: byId('c') }],
		[
			'fields of spaces and nothing',
			{
				resource: 'contact',
				operation: 'update',
				contactId: byId('c'),
				updateFields: { name: '={{ "  " }}', waId: '={{ null }}', igId: '={{ $json.nobody }}' },
			},
		],
		[
			'an empty locator',
			{
				resource: 'ticket',
				operation: 'update',
				ticketId: byId('1001'),
				updateFields: { agentId: byId('={{ null }}') },
			},
		],
		[
			'a custom field without label and value',
			{
				resource: 'contactField',
				operation: 'update',
				contactId: byId('c'),
				fieldId: 'f',
				updateFields: { value: '' },
			},
		],
	])('an update with %s is rejected as empty', async (_what, parameters) => {
		expect(await messageOf(parameters)).toBe('Nothing to update');
	});
});

describe('numbers as people write them', () => {
	test.each([['#1002'], [' # 1002 '], [1002], ['1002']])('%j finds the ticket', async (number) => {
		const [ticket] = await ok(
			{ resource: 'ticket', operation: 'get', ticketId: byId('={{ $json.number }}') },
			[{ number }],
		);
		expect(ticket).toMatchObject({ ticketNumber: '1002' });
	});

	/** Every field that accepts a WhatsApp ID, and where it is sent. */
	const fields: [string, INodeParameters, (request: ReturnType<typeof sent>[0]) => unknown][] = [
		[
			'Contact: By ID',
			{ resource: 'contact', operation: 'get', contactId: byId('={{ $json.n }}') },
			({ path }) => decodeURIComponent(path.split('/').at(-1)!),
		],
		[
			'Chat filter',
			{ resource: 'chat', operation: 'getAll', filters: { waId: '={{ $json.n }}' }, limit: 1 },
			({ query }) => query.waId,
		],
		[
			'Session',
			{
				resource: 'session',
				operation: 'get',
				contactId: { __rl: true, mode: 'waId', value: '={{ $json.n }}' },
			},
			({ query }) => query.waId,
		],
		[
			'Ticket: Contact',
			{
				resource: 'ticket',
				operation: 'create',
				title: 'T',
				contactId: { __rl: true, mode: 'waId', value: '={{ $json.n }}' },
			},
			({ body }) => (body as IDataObject).contactWaId,
		],
		[
			'Contact: Create or Update',
			{ resource: 'contact', operation: 'upsert', name: 'N', waId: '={{ $json.n }}' },
			({ body }) => (body as IDataObject).waId,
		],
		[
			'Contact: Update',
			{
				resource: 'contact',
				operation: 'update',
				contactId: byId('c'),
				updateFields: { waId: '={{ $json.n }}' },
			},
			({ body }) => (body as IDataObject).waId,
		],
		[
			'Message: To',
			{ resource: 'message', operation: 'send', to: byId('={{ $json.n }}'), text: 'x' },
			({ body }) => (body as IDataObject).to,
		],
		[
			'Flow: To',
			{
				resource: 'flow',
				operation: 'trigger',
				to: byId('={{ $json.n }}'),
				flowBy: 'flowKeyword',
				flowKeyword: 'welcome',
			},
			({ body }) => (body as IDataObject).to,
		],
		[
			'Broadcast: Phone Numbers',
			{
				resource: 'broadcast',
				operation: 'create',
				name: 'B',
				templateBy: 'name',
				templateName: 'welcome',
				templateComponents: WELCOME_COMPONENTS,
				audience: 'list',
				recipients: '={{ [$json.n] }}',
			},
			({ body }) => ((body as IDataObject).recipients as string[])[0],
		],
	];

	test.each(fields)(
		'a phone number is sent as its digits: %s',
		async (_field, parameters, where) => {
			for (const [n, expected] of [
				['+1 (202) 555-0143', '12025550143'],
				['1.202.555.0143', '12025550143'],
				['\u202a+1 202\u2011555\u20110143\u202c', '12025550143'],
				[12025550143, '12025550143'],
			]) {
				harness.sandbox.requests.length = 0;
				await harness.run(parameters, { items: [{ n } as IDataObject] });
				expect(where(sent()[0]!)).toBe(expected);
			}
		},
	);

	test.each(fields.slice(1))(
		'an invalid phone number is rejected: %s',
		async (_field, parameters) => {
			for (const n of [
				'4.91511E+12',
				'n/a',
				'49',
				'0151 2345678',
				'wa_12025550143',
				'1'.repeat(16),
			])
				expect(await messageOf(parameters, [{ n }])).toContain(
					`expects a phone number with country code and no leading 0, or a user ID, but got "${n}"`,
				);
		},
	);

	test('a number with a plus is the same contact as without: messages keep their order, a broadcast is sent once', async () => {
		const numbers = ['12015550100', '+12015550100', '1 (201) 555-0100'];
		await ok({ ...fields.at(-1)![1], recipients: `={{ ${JSON.stringify(numbers)} }}` });
		expect((sent()[0]!.body as IDataObject).recipients).toHaveLength(1);

		harness.sandbox.requests.length = 0;
		harness.sandbox.faults.add({ kind: 'latency', ms: 100 });
		await harness.run(
			{
				resource: 'message',
				operation: 'send',
				to: byId('={{ $json.n }}'),
				text: '={{ $json.t }}',
			},
			{
				items: numbers.map((n, t) => ({ n, t: `Message ${t}` }) as IDataObject),
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(sent().map(({ body }) => (body as IDataObject).text)).toEqual([
			'Message 0',
			'Message 1',
			'Message 2',
		]);
	});
});

test('Create or Update finds a contact that only its Instagram ID identifies', async () => {
	const { id, igId } = harness.sandbox.world.contacts.find(
		(contact) => contact.igId !== null && contact.waId === null,
	)!;
	const [updated] = await ok({
		resource: 'contact',
		operation: 'upsert',
		name: 'Ann Lee',
		waId: '12025550198',
		igId: igId!,
	});
	expect(updated).toMatchObject({ id, name: 'Ann Lee', igId, waId: '12025550198' });
	expect(harness.sandbox.requests.map(({ method, status }) => [method, status])).toEqual([
		['PATCH', 404],
		['GET', 404],
		['PATCH', 200],
	]);
});
