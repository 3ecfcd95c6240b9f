import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { ReceivedRequest } from '../../sandbox/server.mts';
import { byId, WELCOME_BROADCAST } from './harness.mts';
import { CONTINUE, SharedHarness } from './sharedHarness.mts';

/**
 * Results of expressions: they are sent as meant, or a message names the field. `everyValue` puts unexpected values into
 * every field; `test/parameters` has what each kind of field accepts.
 */
const service = new SharedHarness({ contacts: 12, tickets: 12 });

/** The message of a run that fails before anything is sent. */
async function messageOf(parameters: INodeParameters, items?: IDataObject[]): Promise<string> {
	const { message } = await service.error(parameters, { items });
	expect(service.requests).toStrictEqual([]);
	return message;
}

/** The first request of a run that succeeds. */
async function sent(parameters: INodeParameters, items?: IDataObject[]): Promise<ReceivedRequest> {
	await service.ok(parameters, { items });
	return service.requests[0]!;
}

describe('an empty filter', () => {
	test('an empty filter is ignored with Ignore Empty Filters', async () => {
		const request = await sent({
			resource: 'ticket',
			operation: 'getAll',
			returnAll: true,
			filters: { contactId: byId('={{ $json.nobody }}'), status: 'OPEN' },
			options: { ignoreEmptyFilters: true },
		});
		expect(request.query).toEqual({ status: 'OPEN', page: '1', limit: '200' });
	});

	test('an empty filter fails its own item only, if the node continues', async () => {
		const { json } = await service.run(
			{
				resource: 'ticket',
				operation: 'getAll',
				filters: { status: '={{ $json.status }}' },
				limit: 1,
			},
			{ items: [{ status: 'OPEN' }, {}, { status: 'CLOSED' }], ...CONTINUE },
		);
		expect(json).toStrictEqual([
			expect.objectContaining({ status: 'OPEN' }),
			{ error: expect.stringMatching(/^Status is empty\. You added this filter/) },
			expect.objectContaining({ status: 'CLOSED' }),
		]);
	});
});

const tickets = { resource: 'ticket', operation: 'getAll' };
const contact = { resource: 'contact', operation: 'get' };

test.each<[what: string, parameters: INodeParameters, message: string]>([
	[
		'a list where one of several options is expected',
		{ ...tickets, filters: { status: '={{ ["OPEN", "IN_PROGRESS"] }}' } },
		'Status expects one of OPEN, IN_PROGRESS, RESOLVED, CLOSED, but got a list: ["OPEN","IN_PROGRESS"]',
	],
	[
		'an ID that is the name of a route',
		{ ...contact, contactId: byId('imports') },
		'Get contact: the ID is empty, reserved or too long',
	],
])('%s is rejected', async (_what, parameters, message) => {
	expect(await messageOf(parameters)).toBe(message);
});

test('a wait of a week is accepted', async () => {
	service.respond({ data: { id: 'b', status: 'COMPLETED' } });
	const options = { waitForCompletionMinutes: 10_080 };
	await sent({ resource: 'broadcast', operation: 'get', broadcastId: byId('b'), options });
});

describe('an update', () => {
	const update = (updateFields: INodeParameters, options: INodeParameters = {}) => ({
		resource: 'contact',
		operation: 'update',
		contactId: byId(known().id),
		updateFields,
		options,
	});
	const known = () => service.world.contacts.find(({ waId }) => waId !== null)!;

	test('a field whose expression has no value is not updated', async () => {
		const request = await sent(update({ name: 'Ann Lee', customName: '={{ $json.nickname }}' }));
		expect(request.body).toStrictEqual({ name: 'Ann Lee' });
	});

	test('a field in Clear Fields is set to empty text', async () => {
		const request = await sent(update({ name: '' }, { clearFields: ['customName', 'igUsername'] }));
		expect(request.body).toStrictEqual({ customName: '', igUsername: '' });
	});

	test('Clear Fields accepts an expression, and rejects a field that contacts do not have', async () => {
		const request = await sent(update({}, { clearFields: '={{ "customName" }}' }));
		expect(request.body).toStrictEqual({ customName: '' });
		service.requests.length = 0;
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
		const contact = service.world.contacts.find(({ customFields }) => customFields.length > 0)!;
		const request = await sent({
			resource: 'contactField',
			operation: 'update',
			contactId: byId(contact.id),
			fieldId: contact.customFields[0]!.id,
			updateFields: {},
			options: { clearFields: ['value'] },
		});
		expect(request.body).toStrictEqual({ value: '' });
	});

	test.each<[string, INodeParameters]>([
		['no field', { resource: 'contact', operation: 'update', contactId: byId('c') }],
		[
			'an empty locator',
			{
				resource: 'ticket',
				operation: 'update',
				ticketId: byId('1001'),
				updateFields: { agentId: byId('={{ null }}') },
			},
		],
	])('an update with %s is rejected as empty', async (_what, parameters) => {
		expect(await messageOf(parameters)).toBe('Nothing to update');
	});
});

describe('numbers as people write them', () => {
	test.each([' # 1002 ', 1002])('%j finds the ticket', async (number) => {
		const [ticket] = await service.ok(
			{ resource: 'ticket', operation: 'get', ticketId: byId('={{ $json.number }}') },
			{ items: [{ number }] },
		);
		expect(ticket).toMatchObject({ ticketNumber: '1002' });
	});

	const N = '={{ $json.n }}';
	const of = (resource: string, operation: string, more: INodeParameters) => ({
		resource,
		operation,
		...more,
	});

	/** Fields that accept a WhatsApp ID besides those of `numbers`, and where it is sent. */
	const fields: [string, INodeParameters, (request: ReceivedRequest) => unknown][] = [
		[
			'Contact: By ID',
			of('contact', 'get', { contactId: byId(N) }),
			({ path }) => decodeURIComponent(path.split('/').at(-1)!),
		],
		[
			'Chat filter',
			of('chat', 'getAll', { filters: { waId: N }, limit: 1 }),
			({ query }) => query.waId,
		],
		[
			'Contact: Update',
			of('contact', 'update', { contactId: byId('c'), updateFields: { waId: N } }),
			({ body }) => (body as IDataObject).waId,
		],
		[
			'Broadcast: Phone Numbers, as a list',
			{ ...WELCOME_BROADCAST, audience: 'list', recipients: '={{ [$json.n] }}' },
			({ body }) => ((body as IDataObject).recipients as string[])[0],
		],
	];

	test.each(fields)(
		'a phone number is sent as its digits: %s',
		async (_field, parameters, where) => {
			for (const [n, expected] of [
				['+1 (202) 555-0143', '12025550143'],
				['\u202a+1 202\u2011555\u20110143\u202c', '12025550143'],
				[12025550143, '12025550143'],
			]) {
				service.requests.length = 0;
				await service.run(parameters, { items: [{ n }] });
				expect(where(service.requests[0]!)).toBe(expected);
			}
		},
	);

	test.each(fields.slice(1))(
		'an invalid phone number is rejected: %s',
		async (_field, parameters) => {
			for (const n of ['4.91511E+12', '0151 2345678'])
				expect(await messageOf(parameters, [{ n }])).toContain(
					`expects a phone number with country code, or a user ID, but got "${n}"`,
				);
		},
	);
});
