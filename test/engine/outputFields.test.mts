import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { SandboxOptions } from '../../sandbox/options.mts';
import { byId, type NodeRun, WELCOME } from './harness.mts';
import { CONTINUE, SharedHarness } from './sharedHarness.mts';
import { triggersOf } from './triggerHarness.mts';

/** The fields of output items on n8n's engine; `test/runner` has how they are selected. */
const service = new SharedHarness({ contacts: 30, tickets: 5 });

const select = async (
	names: unknown,
	{ options, ...parameters }: INodeParameters,
	run: NodeRun = {},
) =>
	await service.run(
		{
			...parameters,
			options: { ...(options as INodeParameters), outputFieldNames: names as string },
		},
		run,
	);

const TICKETS = { resource: 'ticket', operation: 'getAll', returnAll: true };
const CONTACTS = { resource: 'contact', operation: 'getAll', returnAll: true };

test('every row of a list has the selected fields only, also those of lists within it', async () => {
	const { json, items, hints } = await select('name, customFields.label', CONTACTS);
	// Three more have no address.
	expect(json).toHaveLength(33);
	expect(json[0]).toStrictEqual({ name: expect.any(String), customFields: [] });
	expect(json[32]).toStrictEqual({ name: expect.any(String), customFields: [{ label: 'city' }] });
	expect(items[32]?.pairedItem).toStrictEqual({ item: 0 });
	expect(hints).toStrictEqual([]);
});

/** A message, sent once, for which the service needs no session. */
const message = (sendOnceKey: string) =>
	service.message({ options: { takeOver: true, sendOnceKey } });

test('a single record, and what this node adds to it', async () => {
	const { json } = await select('id, sent', { ...message('A'), text: 'Hi' });
	expect(json).toStrictEqual([{ id: expect.any(String), sent: true }]);
});

test('an item for which nothing was sent says so', async () => {
	const template = { ...message('order 1'), type: 'template', ...WELCOME };
	const { json } = await select('id', template, { items: [{}, {}] });
	expect(json).toStrictEqual([
		{ id: expect.any(String), sent: true },
		{ sent: false, sendOnceKey: 'order 1', reason: expect.any(String) },
	]);
});

test('nothing is rejected before anything is sent', async () => {
	const { error } = await select('={{ null }}', TICKETS);
	expect([error?.message, service.requests]).toStrictEqual(['Selected Fields is empty', []]);
});
test('an item that fails keeps its message', async () => {
	const { json } = await select(
		'title',
		{ resource: 'ticket', operation: 'get', ticketId: byId('={{ $json.id }}') },
		{ items: [{ id: '1001' }, { id: 'nobody' }], ...CONTINUE },
	);
	expect(json).toStrictEqual([
		{ title: expect.any(String) },
		{ error: expect.stringContaining('rejected "Get ticket"') },
	]);
});

describe('the values of custom fields are beside them by their labels', () => {
	const PHONE = '12025550143';
	const values = { birthday: '1990-05-06', City: ['Berlin', 'Rome'] };
	/** A contact with these values, alone in a segment. */
	const addContact = () => {
		const { world } = service;
		const contact = world.addContact({ name: 'Ann Lee', waId: PHONE });
		for (const [label, each] of Object.entries(values))
			for (const value of [each].flat())
				contact.customFields.push({ id: world.newId(), label, value });
		const segment = world.segments.find(({ name }) => name === 'Newsletter')!;
		segment.members.clear();
		segment.members.add(contact.id);
		return { ...contact, segmentId: byId(segment.id) };
	};
	type Added = ReturnType<typeof addContact>;
	const contactOf = (json: IDataObject) => json.contact as IDataObject;
	const members = { resource: 'segment', operation: 'get' };
	const memberships = { memberRows: 'memberships' } as const;
	const get = { resource: 'contact', operation: 'get', contactId: byId(PHONE) };
	const itself = (json: IDataObject) => json;
	const update = { ...get, operation: 'update', updateFields: { customName: 'Annie' } };

	test.each<
		[
			what: string,
			parameters: INodeParameters | ((added: Added) => INodeParameters),
			where?: (json: IDataObject) => unknown,
			shapes?: Partial<SandboxOptions['shapes']>,
		]
	>([
		['Contact: Get', get],
		['Contact: Get, of a contact under its name', get, itself, { contactUnder: 'contact' }],
		['Contact: Get, of fields without IDs', get, itself, { customFields: 'labels' }],
		['Contact: Get Many', { ...CONTACTS, filters: { search: 'Ann Lee' } }],
		['Contact: Get Many, under “fields”', CONTACTS, itself, { listedFields: 'fields' }],
		['Contact: Update', update],
		['Contact: Create or Update', { ...get, operation: 'upsert', name: 'Ann Lee', waId: PHONE }],
		[
			'Segment: Get, a member',
			({ segmentId }) => ({ ...members, segmentId, segmentOutput: 'members' }),
			itself,
			memberships,
		],
		[
			'Segment: Get, its members',
			({ segmentId }) => ({ ...members, segmentId }),
			(json) => (json.members as IDataObject[])[0],
		],
		[
			'Segment: Get, its memberships',
			({ segmentId }) => ({ ...members, segmentId }),
			(json) => contactOf((json.members as IDataObject[])[0]!),
			memberships,
		],
	])('%s', async (_what, parameters, where = itself, shapes = {}) => {
		Object.assign(service.shapes, shapes);
		const added = addContact();
		const [json] = await service.ok(
			typeof parameters === 'function' ? parameters(added) : parameters,
		);
		expect(where(json!)).toMatchObject({ id: added.id, customFieldValues: values });
	});

	test.each<[parameters: INodeParameters, isList: boolean]>([
		[{ resource: 'ticket', operation: 'get', ticketId: byId('1001') }, false],
		[{ ...TICKETS, returnAll: false }, true],
		[{ resource: 'chat', operation: 'get', chatId: byId('c1') }, false],
	])('also in the contact of %j', async (parameters, isList) => {
		const { customFields } = addContact();
		const record = { id: 'x', contact: { id: 'c', customFields }, fields: [{ label: 'L' }] };
		service.respond({ data: isList ? [record] : record });
		expect(await service.ok(parameters)).toStrictEqual([
			{ ...record, contact: { ...record.contact, customFieldValues: values } },
		]);
	});

	test.each<[shapes: Partial<SandboxOptions['shapes']>, values: unknown]>([
		[{}, {}],
		[{ listedFields: 'left out' }, {}],
		[{ listedFields: 'hidden' }, undefined],
	])('of a contact without any, in a list of the form %j: %j', async (shapes, expected) => {
		Object.assign(service.shapes, shapes);
		addContact();
		const rows = await service.ok(CONTACTS);
		// The contacts without an address have no custom fields.
		expect(rows.find(({ waId, igId }) => !waId && !igId)!.customFieldValues).toStrictEqual(
			expected,
		);
	});

	test('each of them can be selected', async () => {
		addContact();
		const { json } = await select('name, customFieldValues.birthday', get);
		expect(json).toStrictEqual([
			{ name: 'Ann Lee', customFieldValues: { birthday: values.birthday } },
		]);
	});

	test('events have them', async () => {
		const { publish } = triggersOf(service);
		const { id, segmentId } = addContact();
		const { world } = service;
		const { members } = world.segments.get(segmentId.value)!;
		members.clear();
		const trigger = await publish({ events: ['contactAddedToSegment'], segmentId });
		members.add(id);
		expect((await trigger.poll()).events).toMatchObject([
			{ record: { id, customFieldValues: values } },
		]);
	});
});
