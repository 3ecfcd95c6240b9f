import type { INodeParameters } from 'n8n-workflow';
import type { World } from '../../sandbox/world.mts';
import { byId } from './harness.mts';
import { lateCustomer, openChat } from '../support/openChat.mts';
import { CONTINUE, on, SharedHarness } from './sharedHarness.mts';

/**
 * What each field becomes in a request, and which rejections have a next step of their own. `test/contract/coverage` sends
 * all fields of all operations, `everyOperation` has what is the same for all of them.
 */
const service = new SharedHarness({ contacts: 60, tickets: 40 });

const of =
	(resource: string) =>
	(operation: string, parameters: INodeParameters): INodeParameters => ({
		resource,
		operation,
		...parameters,
	});
const contact = of('contact');
const ticket = of('ticket');
const send = (to: string, parameters: INodeParameters) =>
	of('message')('send', { to: byId(to), ...parameters });

const agents = ({ users }: World) => users.filter(() => true);

/** The parameters, the request and its body. */
type Sent = [parameters: INodeParameters, request: string, body: object];

test.each<[what: string, make: (world: World) => Sent]>([
	[
		'the fields of a contact that are filled in, and nothing else',
		({ contacts }) => {
			const { id } = contacts.find(({ waId }) => waId !== null)!;
			const rest = { name: 'N', customName: 'VIP', igId: 'ig-9', igUsername: 'n.s' };
			const updateFields = { ...rest, waId: '1 202 555 0198' };
			return [
				contact('update', { contactId: byId(id), updateFields }),
				`PATCH /contacts/${id}`,
				{ ...rest, waId: '12025550198' },
			];
		},
	],
	[
		'a ticket of a contact, with all fields',
		(world) => {
			const { contactId, id: chatId } = openChat(world).chat;
			const shared = { priority: 'HIGH', status: 'OPEN', description: 'Note', chatId };
			const { id: assigneeId } = agents(world)[0]!;
			const additionalFields = { ...shared, agentId: byId(assigneeId) };
			return [
				ticket('create', { title: 'Late', contactId: byId(contactId), additionalFields }),
				'POST /tickets',
				{ title: 'Late', contactId, assigneeId, ...shared },
			];
		},
	],
	[
		'a note, its text unchanged',
		(world) => {
			const body = '  First line\n\nsecond line ';
			const { id: authorId } = agents(world)[0]!;
			return [
				ticket('addNote', { ticketId: byId('1003'), body, agentId: byId(authorId) }),
				'POST /tickets/1003/notes',
				{ body, authorId },
			];
		},
	],
	...[
		{ type: 'text', text: ' Hello\n' },
		{ type: 'image', mediaUrl: 'https://cdn.example.com/a.png', caption: 'A' },
		{ type: 'sticker', mediaSource: 'mediaId', mediaId: 'm1' },
	].map((fields): [string, (world: World) => Sent] => [
		`a message of type ${fields.type}, with its own fields`,
		(world) => {
			const { to } = openChat(world);
			const { id: agentId } = agents(world)[0]!;
			const { mediaSource: _, ...own } = { mediaSource: '', ...fields };
			return [
				send(to, { ...fields, agentId: byId(agentId) }),
				'POST /messages',
				{ to, channel: 'WHATSAPP', agentId, ...own },
			];
		},
	]),
])('sent as it is: %s', async (_what, make) => {
	const [parameters, request, body] = make(service.world);
	const [record] = await service.ok(parameters);
	expect(record).toHaveProperty('id');
	const sent = service.requests.at(-1)!;
	expect([`${sent.method} ${sent.path}`, sent.body]).toStrictEqual([request, body]);
});

const withComponents = (templateComponents: string) =>
	send('12025550143', {
		...{ type: 'template', templateId: byId('x en_US') },
		options: { templateComponents },
	});
/** An update of a contact with these fields, which clears others. */
const update = (updateFields: INodeParameters, clearFields?: unknown) =>
	contact('update', {
		contactId: byId('c'),
		updateFields,
		options: clearFields === undefined ? {} : { clearFields: clearFields as string[] },
	});

test.each<[parameters: INodeParameters, message: string]>([
	[contact('create', { name: 'N' }), 'WhatsApp ID and Instagram ID are both empty'],
	[
		withComponents('{ "a": 1 }'),
		'Template Components expects a JSON list, but got "{ \\"a\\": 1 }"',
	],
	[
		withComponents('[{ "a": 17841400000000123 }]'),
		'Template Components expects quotes around numbers of more than 15 digits, but got "[{ \\"a\\": 17841400000000123 }]"',
	],
	[
		send('12025550143', { type: 'constructor' }),
		'Message Type expects one of audio, document, image, sticker, template, text, video, but got "constructor"',
	],
	[
		update({}, '={{ ["nickname"] }}'),
		'Clear Fields expects one of customName, igId, igUsername, waId, but got "nickname"',
	],
	[
		update({ customName: 'Ann' }, ['customName']),
		'Custom Name has a value and is also in Clear Fields',
	],
	[update({}), 'Nothing to update'],
	[
		ticket('update', {
			ticketId: byId('1001'),
			updateFields: { agentId: byId('={{ null }}') },
		}),
		'Nothing to update',
	],
])('rejected before anything is sent: %#', async (parameters, message) => {
	expect((await service.rejected(parameters)).message).toBe(message);
});

test.each<[what: string, parameters: INodeParameters, body: object]>([
	[
		'a field whose expression has no value is not updated',
		update({ name: 'Ann Lee', customName: '={{ $json.nickname }}' }),
		{ name: 'Ann Lee' },
	],
	[
		'a field in Clear Fields is set to empty text',
		update({ name: '' }, ['customName', 'igUsername']),
		{ customName: '', igUsername: '' },
	],
	['Clear Fields may be an expression', update({}, '={{ "customName" }}'), { customName: '' }],
	[
		'the value of a custom field can be cleared',
		of('contactField')('update', {
			...{ contactId: byId('c'), fieldId: 'f', updateFields: {} },
			options: { clearFields: ['value'] },
		}),
		{ value: '' },
	],
])('%s', async (_what, parameters, body) => {
	await service.run(parameters);
	expect(service.requests[0]!.body).toStrictEqual(body);
});

test('an empty filter fails its own item only, if the node continues, and is ignored with Ignore Empty Filters', async () => {
	const list = ticket('getAll', { filters: { status: '={{ $json.status }}' }, limit: 1 });
	const items = [{ status: 'OPEN' }, {}, { status: 'CLOSED' }];
	const { json } = await service.run(list, { items, ...CONTINUE });
	expect(json).toStrictEqual([
		expect.objectContaining({ status: 'OPEN' }),
		{ error: expect.stringMatching(/^Status is empty\. You added this filter/) },
		expect.objectContaining({ status: 'CLOSED' }),
	]);
	service.requests.length = 0;
	await service.ok({ ...list, options: { ignoreEmptyFilters: true } });
	expect(service.requests[0]!.query).toEqual({ page: '1', limit: '1' });
});

const text = { type: 'text', text: 'x' };

test.each<
	[what: string, make: (world: World) => INodeParameters, message: RegExp, nextStep: RegExp]
>([
	[
		'a contact that exists',
		() => contact('create', { name: 'N', waId: '12015550100' }),
		/^The service rejected "Create contact": A contact with this waId already exists \(409 Conflict\)$/,
		/Create or Update/,
	],
	[
		'a free-form message after more than 24 hours',
		(world) => send(lateCustomer(world), text),
		/^The service rejected "Send message": Outside the 24-hour window.* \(400 Bad Request\)$/,
		/24 hours.*approved template/,
	],
])('a rejection with its next step: %s', async (_what, make, message, nextStep) => {
	const error = await service.error(make(service.world));
	expect(error.message).toMatch(message);
	expect(error.description).toMatch(nextStep);
});

test('a contact is read by ID, WhatsApp ID or Instagram ID', async () => {
	const ids = { waId: '12025550143', igId: '17841499999999999' };
	const { id: own } = service.world.addContact({ name: 'Ann', ...ids });
	const expected = { id: own, customFields: [], segments: expect.any(Array) };
	for (const id of [own, ids.waId, ids.igId])
		expect(await service.ok(contact('get', { contactId: byId(id) }))).toMatchObject([expected]);
});

test('a ticket is read by number or ID, with its notes', async () => {
	const known = service.world.findTicket('1001')!;
	const note = { id: 'n1', body: 'Called back', authorId: null, createdAt: known.createdAt };
	known.notes.push(note);
	for (const id of ['1001', ' # 1001 ', '={{ 1001 }}', known.id])
		expect(await service.ok(ticket('get', { ticketId: byId(id) }))).toMatchObject([
			{ id: known.id, ticketNumber: '1001', notes: [note] },
		]);
});

test('a ticket can be created with objects as priority and status from an expression, because neither is documented', async () => {
	service.shapes.ticketChoices = 'object';
	const create = (additionalFields: INodeParameters) =>
		ticket('create', { title: 'T', additionalFields });
	const named = create({ priority: 'URGENT' });
	expect((await service.error(named)).message).toMatch(
		/priority must be an object \(400 Bad Request\)/,
	);
	const [priority, status] = ['={{ { level: "URGENT" } }}', '={{ { name: "RESOLVED" } }}'];
	expect(await service.ok(create({ priority, status }))).toMatchObject([
		{ priority: 'URGENT', status: 'RESOLVED' },
	]);
	service.shapes.ticketChoices = 'name';
	expect(await service.ok(named)).toMatchObject([{ priority: 'URGENT', status: 'OPEN' }]);
});

test('Create or Update accepts one ID: a customer on two channels is two contacts', async () => {
	const ids = { waId: '12025550166', igId: '17841499999999966' };
	expect(await service.rejected(contact('upsert', { name: 'Ann', ...ids }))).toMatchObject({
		message: 'WhatsApp ID and Instagram ID both have a value',
		description: expect.stringMatching(/^Clear one of them/),
	});
});

describe('Create or Update with custom fields and a segment', () => {
	const PHONE = '12025550167';
	const fieldsOf = (values: object) => ({
		field: Object.entries(values).map(([label, value]) => ({ label, value })),
	});
	const segment = () => service.world.segments.find(({ name }) => name === 'Newsletter')!;
	const lead = (values: object = { City: 'Berlin', plan: 'pro' }, more: INodeParameters = {}) =>
		contact('upsert', {
			...{ name: 'Ann Lee', waId: PHONE, customFields: fieldsOf(values) },
			segmentId: byId(segment().id),
			...more,
		});
	const addContact = (values: Record<string, string> = {}) => {
		const { world } = service;
		const added = world.addContact({ name: 'Ann', waId: PHONE });
		for (const [label, value] of Object.entries(values))
			added.customFields.push({ id: world.newId(), label, value });
		return added;
	};
	const stored = () => {
		const { id, name, customFields } = service.world.findContactByWaId(PHONE)!;
		const isMember = segment().members.has(id);
		return { name, fields: customFields.map(({ label, value }) => [label, value]), isMember };
	};
	const writes = () => service.routes().filter((route) => !route.startsWith('GET '));
	const FIELD = 'POST /contacts/{id}/fields';
	const MEMBERS = 'PUT /segments/{id}/members';
	const whole = {
		...{ name: 'Ann Lee', isMember: true },
		fields: [
			['City', 'Berlin'],
			['plan', 'pro'],
		],
	};

	test('a new contact gets all of it, and the output shows it', async () => {
		const [json] = await service.ok(lead());
		expect(json).toMatchObject({
			...{ name: 'Ann Lee', customFieldValues: { City: 'Berlin', plan: 'pro' } },
			segments: [expect.objectContaining({ name: 'Newsletter' })],
		});
		expect([stored(), writes()]).toStrictEqual([whole, ['POST /contacts', FIELD, FIELD, MEMBERS]]);
	});

	const set = (label: string, value: string): INodeParameters => ({
		...{ resource: 'contactField', operation: 'set', contactId: byId(PHONE) },
		...{ label: byId(label), value },
	});

	test.each<[what: string, one: () => INodeParameters, other: () => INodeParameters]>([
		['Create or Update', lead, lead],
		['Contact Field → Set', () => set('City', 'Berlin'), () => set('City', 'Berlin')],
		['both operations', lead, () => set('plan', 'pro')],
	])('two runs of %s at the same moment set each field once', async (_what, one, other) => {
		addContact();
		await Promise.all([service.ok(one()), service.ok(other())]);
		await service.ok(lead());
		expect(stored()).toStrictEqual(whole);
	});

	test('two runs at the same moment, each with another WhatsApp ID of a number, create one contact', async () => {
		const before = service.world.contacts.size;
		const waIds = ['5215512345679', '525512345679'];
		await Promise.all(waIds.map(async (waId) => await service.ok(lead({}, { waId }))));
		expect(service.world.contacts.size).toBe(before + 1);
	});

	test('of a known contact, fields are found by their labels, and only what differs is sent', async () => {
		addContact({ City: 'Rome', plan: 'pro', age: '7' });
		expect(await service.ok(lead())).toMatchObject([
			{ customFieldValues: { City: 'Berlin', plan: 'pro', age: '7' } },
		]);
		const update = 'PATCH /contacts/{id}';
		expect(writes()).toStrictEqual([update, `${update}/fields/{fieldId}`, MEMBERS]);
		service.requests.length = 0;
		await service.ok(lead());
		expect(writes()).toStrictEqual([update, MEMBERS]);
		expect(stored()).toStrictEqual({ ...whole, fields: [...whole.fields, ['age', '7']] });
	});

	test.each<[value: unknown, expected: string | undefined]>([
		['={{ 7 }}', '7'],
		['={{ false }}', 'false'],
		['={{ ["a", "", "b"] }}', 'a, b'],
		['={{ $now.set({ year: 2027 }).startOf("year").toUTC() }}', '2027'],
		['={{ null }}', undefined],
		['', undefined],
		['={{ [] }}', undefined],
	])('the value %j becomes %j; without one, the field stays as it is', async (value, expected) => {
		await service.ok(lead({ City: value }));
		expect(stored().fields).toStrictEqual(
			expected === undefined ? [] : [['City', expect.stringContaining(expected)]],
		);
	});

	test('all custom fields of another contact are set, from an object', async () => {
		const options = { customFieldValues: '={{ $json.of }}' };
		await service.ok(lead({ plan: 'pro' }, { options }), { items: [{ of: { City: 'Berlin' } }] });
		expect(stored()).toStrictEqual(whole);
	});

	test.each<[what: string, values: Record<string, string>, message: RegExp]>([
		['another spelling', { city: 'Rome' }, /has the field city, but not City$/],
		['the label twice', { City: 'Rome', 'City ': 'Oslo' }, /has 2 fields with the label City$/],
	])('of a contact with %s, nothing is changed', async (_what, values, message) => {
		addContact(values);
		expect(await service.error(lead())).toMatchObject({
			message: expect.stringMatching(message),
			description: expect.stringMatching(/^Nothing was written\. /),
		});
		expect(writes()).toStrictEqual([]);
	});

	test.each<[what: string, route: string, done: RegExp]>([
		['a field', FIELD, /\. Already written: the new contact \S+$/],
		['the segment', MEMBERS, /\. Already written: the new contact \S+, City, plan$/],
	])(
		'if %s is rejected, the message says what is written, and a second run completes it',
		async (_what, route, done) => {
			service.reject(400, on(route));
			expect(await service.error(lead())).toMatchObject({
				message: expect.stringMatching(done),
				description: expect.stringMatching(/Run the node again to complete it\.$/),
			});
			await service.ok(lead());
			expect(stored()).toStrictEqual(whole);
		},
	);

	test('a field that may have been written is not added a second time', async () => {
		service.sandbox.faults.add({ kind: 'reset', when: 'after' }, on(FIELD));
		await service.error(lead());
		await service.ok(lead());
		expect(stored()).toStrictEqual(whole);
	});

	test('a token that may not read contacts can create one and add it to a segment', async () => {
		const { readOnly } = service.sandbox.tokens;
		readOnly.permissions = ['contacts.edit'];
		const [json] = await service.ok(lead({}), { token: readOnly.value });
		expect([json, stored().isMember]).toStrictEqual([
			expect.objectContaining({ name: 'Ann Lee' }),
			true,
		]);
	});

	test('a contact whose ID the service does not return is looked up', async () => {
		const { id } = addContact();
		service.respond({ success: true }, on('PATCH /contacts/{id}'));
		await service.ok(lead({}));
		expect(service.bodies(MEMBERS)).toStrictEqual([{ action: 'add', contactIds: [id] }]);
	});

	test('what is wrong with the entered fields is said before anything is sent', async () => {
		const twice = { ...fieldsOf({ City: 'a' }) };
		twice.field.push({ label: 'city', value: 'b' });
		for (const [more, message] of [
			[{ customFields: twice }, 'Custom Fields contains the label city twice'],
			[{ customFields: fieldsOf({ '': 'x' }) }, 'A value under Custom Fields has no label'],
			[{ segmentId: byId('={{ null }}') }, 'Add to Segment is empty'],
		] as const)
			expect((await service.rejected(lead({}, more))).message).toBe(message);
	});
});
