import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byId, openHarness, type Harness, type Outcome } from './harness.mts';

let harness: Harness;
beforeAll(async () => {
	harness = await openHarness({ contacts: 250, tickets: 40, rateLimit: { requests: 0 } });
});
afterAll(async () => await harness.close());

/** What an expression returns if its data is missing; n8n itself rejects an empty required field. */
const EMPTY = '={{ "" }}';

const shapes = () => harness.sandbox.options.shapes;
const world = () => harness.sandbox.world;
const sent = () => harness.sandbox.requests.at(-1)!;
const agent = () => world().users.find(() => true)!;

async function ok(parameters: INodeParameters, items?: IDataObject[]): Promise<IDataObject[]> {
	const outcome = await harness.run(parameters, { items });
	expect(outcome.error).toBeUndefined();
	return outcome.json;
}

/** Message and next step of a failed run. */
async function errorOf(
	parameters: INodeParameters,
): Promise<Required<Pick<Outcome, 'error'>>['error']> {
	const { error } = await harness.run(parameters);
	expect(error).toBeDefined();
	return error!;
}

describe('Contact', () => {
	const contact = (operation: string, more: INodeParameters) => ({
		resource: 'contact',
		operation,
		...more,
	});

	test('a contact is created for WhatsApp or Instagram, with a phone number as people write it', async () => {
		const [created] = await ok(
			contact('create', { name: 'Nathan Smith', waId: '+1 (202) 555-0143' }),
		);
		expect(created).toMatchObject({ name: 'Nathan Smith', waId: '12025550143' });
		expect(sent()).toMatchObject({
			method: 'POST',
			path: '/contacts',
			body: { name: 'Nathan Smith', waId: '12025550143' },
		});
		await ok(contact('create', { name: 'Ann Lee', igId: 'ig-1' }));
		expect(sent().body).toStrictEqual({ name: 'Ann Lee', igId: 'ig-1' });
	});

	test('a contact without a name or an ID is rejected before anything is sent', async () => {
		const before = harness.sandbox.requests.length;
		expect((await errorOf(contact('create', { name: 'N' }))).message).toBe(
			'WhatsApp ID and Instagram ID are both empty',
		);
		expect((await errorOf(contact('create', { name: EMPTY, igId: '1' }))).message).toBe(
			'Name is empty',
		);
		expect(harness.sandbox.requests).toHaveLength(before);
	});

	test('creating a duplicate names the conflict and the operation to use', async () => {
		const error = await errorOf(contact('create', { name: 'N', waId: '12015550100' }));
		expect(error.message).toBe(
			'The service rejected "Create contact": A contact with this waId already exists (409 Conflict)',
		);
		expect(error.description).toMatch(/Create or Update/);
		expect(error.httpCode).toBe('409');
	});

	test('a contact is read by ID, WhatsApp ID or Instagram ID', async () => {
		const known = world().contacts.find(({ igId }) => igId !== null)!;
		expect((await ok(contact('get', { contactId: byId(known.id) })))[0]).toMatchObject({
			id: known.id,
			customFields: [],
			segments: expect.any(Array),
		});
		expect((await ok(contact('get', { contactId: byId(known.igId!) })))[0]).toMatchObject({
			id: known.id,
		});
		expect((await ok(contact('get', { contactId: byId('12015550100') })))[0]).toMatchObject({
			waId: '12015550100',
		});
	});

	test('contacts are filtered by search, channel and segment', async () => {
		const segment = world().segments.find(({ name }) => name === 'Returning customers')!;
		const filters = { search: '555', channel: 'WHATSAPP', segmentId: segment.id };
		const rows = await ok(contact('getAll', { returnAll: true, filters }));
		const kept = world().contacts.filter(
			({ id, waId }) => segment.members.has(id) && waId?.includes('555') === true,
		);
		expect(kept.length).toBeGreaterThan(0);
		expect(rows.map(({ id }) => id).toSorted()).toStrictEqual(kept.map(({ id }) => id).toSorted());
		expect(sent().query).toEqual({ ...filters, page: '1', limit: '200' });
		expect(
			await ok(
				contact('getAll', { returnAll: true, filters: { search: 'nobody is called that' } }),
			),
		).toStrictEqual([]);
	});

	test('an update sends the fields that are filled in, and nothing else', async () => {
		const updateFields = {
			name: 'N',
			customName: 'VIP',
			waId: '1 202 555 0198',
			igId: 'ig-9',
			igUsername: 'n.s',
		};
		const known = world().contacts.find(({ waId }) => waId !== null)!;
		await ok(contact('update', { contactId: byId(known.id), updateFields: { customName: 'VIP' } }));
		expect(sent()).toMatchObject({
			method: 'PATCH',
			path: `/contacts/${known.id}`,
			body: { customName: 'VIP' },
		});
		await ok(contact('update', { contactId: byId(known.id), updateFields }));
		expect(sent().body).toStrictEqual({ ...updateFields, waId: '12025550198' });
	});

	test('Create or Update updates a contact that exists', async () => {
		const size = world().contacts.size;
		const [updated] = await ok(
			contact('upsert', {
				name: 'New Name',
				waId: '12035550100',
				additionalFields: { customName: 'C' },
			}),
		);
		expect(updated).toMatchObject({ name: 'New Name', customName: 'C', waId: '12035550100' });
		expect(world().contacts.size).toBe(size);
	});

	test('Create or Update changes nothing if its two IDs belong to two contacts', async () => {
		const { id } = world().addContact({ name: 'Ann', waId: '+12025550166' });
		const other = world().addContact({ name: 'Bob', igId: '17841499999999966' });
		harness.sandbox.requests.length = 0;
		const both = { name: 'New', waId: '12025550166', igId: '17841499999999966' };
		const { error } = await harness.run(contact('upsert', both));
		expect(error).toMatchObject({
			message: `WhatsApp ID and Instagram ID belong to two contacts: ${id} and ${other.id}`,
			description: expect.stringMatching(/^Nothing was written\./),
		});
		expect(harness.sandbox.requests.every(({ method }) => method === 'GET')).toBe(true);
		// With one of them new, the contact of the other gets it, and keeps the form of its number.
		await ok(contact('upsert', { ...both, igId: '17841499999999967' }));
		await ok(contact('upsert', { ...both, waId: '12025550167' }));
		expect(world().contacts.get(id)).toMatchObject({
			name: 'New',
			waId: '+12025550166',
			igId: '17841499999999967',
		});
		expect(other).toMatchObject({ name: 'New', waId: '12025550167' });
	});

	test('Create or Update replaces no ID of the contact that has the other one', async () => {
		const ids = { waId: '12025550168', igId: '17841499999999968' };
		const known = world().addContact({ name: 'Ann', ...ids });
		for (const [change, message] of [
			[
				{ waId: '12025550169' },
				'The contact has another WhatsApp ID: 12025550168, not 12025550169',
			],
			[{ igId: '9' }, 'The contact has another Instagram ID: 17841499999999968, not 9'],
		] as const) {
			harness.sandbox.requests.length = 0;
			const { error } = await harness.run(contact('upsert', { name: 'New', ...ids, ...change }));
			expect(error).toMatchObject({
				message,
				description: expect.stringContaining('change it with Contact → Update'),
			});
			expect(harness.sandbox.requests.every(({ method }) => method === 'GET')).toBe(true);
		}
		await ok(contact('upsert', { name: 'New', ...ids, waId: '+1 202 555 0168' }));
		expect(known).toMatchObject({ name: 'New', ...ids });
	});
});

describe('Ticket', () => {
	const ticket = (operation: string, more: INodeParameters) => ({
		resource: 'ticket',
		operation,
		...more,
	});

	test('a ticket is created with the contact by any of its IDs, and all fields that are filled in', async () => {
		const chat = world().chats.find(() => true)!;
		const additionalFields = {
			agentId: byId(agent().id),
			priority: 'HIGH',
			status: 'OPEN',
			description: 'First note',
			chatId: chat.id,
		};
		const [created] = await ok(
			ticket('create', { title: 'Late', contactId: byId(chat.contactId), additionalFields }),
		);
		expect(created).toMatchObject({
			title: 'Late',
			priority: 'HIGH',
			contactId: chat.contactId,
			assigneeId: agent().id,
		});
		expect(sent().body).toStrictEqual({
			title: 'Late',
			contactId: chat.contactId,
			priority: 'HIGH',
			status: 'OPEN',
			assigneeId: agent().id,
			description: 'First note',
			chatId: chat.id,
		});
	});

	test('a ticket can be created with objects as priority and status from an expression, because neither is documented', async () => {
		shapes().ticketChoices = 'object';
		const named = { priority: 'URGENT' };
		expect(await errorOf(ticket('create', { title: 'T', additionalFields: named }))).toMatchObject({
			message: expect.stringMatching(/priority must be an object \(400 Bad Request\)/),
		});
		const additionalFields = {
			priority: '={{ { level: "URGENT" } }}',
			status: '={{ { name: "RESOLVED" } }}',
		};
		expect((await ok(ticket('create', { title: 'T', additionalFields })))[0]).toMatchObject({
			priority: 'URGENT',
			status: 'RESOLVED',
		});
		expect(sent().body).toMatchObject({
			priority: { level: 'URGENT' },
			status: { name: 'RESOLVED' },
		});
		shapes().ticketChoices = 'name';
		expect((await ok(ticket('create', { title: 'T', additionalFields: named })))[0]).toMatchObject({
			priority: 'URGENT',
			status: 'OPEN',
		});
	});

	test('a ticket is read by number or ID, with its notes', async () => {
		const known = world().findTicket('1001')!;
		const note = { id: 'n1', body: 'Called back', authorId: null, createdAt: known.createdAt };
		known.notes.push(note);
		expect((await ok(ticket('get', { ticketId: byId('1001') })))[0]).toMatchObject({
			id: known.id,
			notes: [note],
		});
		expect((await ok(ticket('get', { ticketId: byId(known.id) })))[0]).toMatchObject({
			ticketNumber: '1001',
		});
		// A number from an expression, not a text.
		expect(
			(await ok(ticket('get', { ticketId: { __rl: true, mode: 'id', value: '={{ 1001 }}' } })))[0],
		).toMatchObject({ id: known.id });
	});

	test('tickets are filtered by status, agent and contact', async () => {
		const { contactId, assigneeId, status } = world().tickets.find(
			(row) => row.assigneeId !== null && row.contactId !== null,
		)!;
		const rows = await ok(
			ticket('getAll', {
				returnAll: true,
				filters: { status, agentId: byId(assigneeId!), contactId: byId(contactId!) },
			}),
		);
		expect(rows.length).toBeGreaterThan(0);
		expect(
			rows.every(
				(row) =>
					row.status === status && row.assigneeId === assigneeId && row.contactId === contactId,
			),
		).toBe(true);
	});

	test('a ticket’s status, priority and agent are updated', async () => {
		const updateFields = { status: 'RESOLVED', priority: 'LOW', agentId: byId(agent().id) };
		expect((await ok(ticket('update', { ticketId: byId('1002'), updateFields })))[0]).toMatchObject(
			{ status: 'RESOLVED', priority: 'LOW' },
		);
		expect(sent()).toMatchObject({
			method: 'PUT',
			path: '/tickets/1002',
			body: { status: 'RESOLVED', priority: 'LOW', assigneeId: agent().id },
		});
	});

	test('a note is added with its text unchanged', async () => {
		const body = '  First line\n\nsecond line ';
		await ok(ticket('addNote', { ticketId: byId('1003'), body, agentId: byId(agent().id) }));
		expect(sent().body).toStrictEqual({ body, authorId: agent().id });
		expect(
			(await errorOf(ticket('addNote', { ticketId: byId('1003'), body: '={{ " " }}' }))).message,
		).toBe('Note is empty');
	});
});

describe('Message: Send', () => {
	const send = (more: INodeParameters) => ({ resource: 'message', operation: 'send', ...more });
	/** A contact who wrote within 24 hours and has a session. */
	const reachable = () => {
		const chat = world().chats.find(
			({ session, channel, lastInboundAt }) =>
				!!session && channel === 'WHATSAPP' && Date.now() - lastInboundAt! < 8e7,
		)!;
		return world().contacts.get(chat.contactId)!.waId!;
	};

	test.each<[string, INodeParameters, object]>([
		['text', { text: ' Hello\n' }, { text: ' Hello\n' }],
		[
			'image',
			{ mediaUrl: 'https://cdn.example.com/a.png', caption: 'A' },
			{ mediaUrl: 'https://cdn.example.com/a.png', caption: 'A' },
		],
		['sticker', { mediaSource: 'mediaId', mediaId: 'm1' }, { mediaId: 'm1' }],
	])('a message of type %s is sent with its own fields', async (type, parameters, body) => {
		const to = reachable();
		const [message] = await ok(send({ to: byId(to), type, ...parameters }));
		expect(message).toMatchObject({ id: expect.stringMatching(/^wamid\./), status: 'SENT' });
		expect(sent().body).toStrictEqual({ to, channel: 'WHATSAPP', type, ...body });
	});

	test.each<[string, INodeParameters, string]>([
		['no text', { text: EMPTY }, 'Text is empty'],
		[
			'components that are not a list',
			{
				type: 'template',
				templateId: byId('x en_US'),
				options: { templateComponents: '{ "a": 1 }' },
			},
			'Template Components expects a JSON list, but got "{ \\"a\\": 1 }"',
		],
		[
			'a type that is the name of a property of every object',
			{ type: 'constructor' },
			'Message Type expects one of audio, document, image, sticker, template, text, video, but got "constructor"',
		],
	])('a message is rejected before anything is sent: %s', async (_name, parameters, message) => {
		const before = harness.sandbox.requests.length;
		const to = byId('12025550143');
		expect((await errorOf(send({ to, ...parameters }))).message).toBe(message);
		expect(harness.sandbox.requests).toHaveLength(before);
	});

	test('a free-form message after more than 24 hours is reported with the rule', async () => {
		const chat = world().chats.find(
			({ lastInboundAt, channel }) =>
				channel === 'WHATSAPP' && Date.now() - lastInboundAt! > 2 * 864e5,
		)!;
		const error = await errorOf(
			send({ to: byId(world().contacts.get(chat.contactId)!.waId!), type: 'text', text: 'x' }),
		);
		expect(error.message).toMatch(
			/^The service rejected "Send message": Outside the 24-hour window.* \(400 Bad Request\)$/,
		);
		expect(error.description).toMatch(/24 hours.*approved template/);
	});

	test('a message without an agent, or into another agent’s session, is reported with what to do', async () => {
		const chat = world().chats.find(
			({ session, channel, lastInboundAt }) =>
				!session && channel === 'WHATSAPP' && Date.now() - lastInboundAt! < 8e7,
		)!;
		const to = byId(world().contacts.get(chat.contactId)!.waId!);
		expect((await errorOf(send({ to, type: 'text', text: 'x' }))).description).toMatch(
			/Choose an agent in Send as Agent/,
		);
		const [first, second] = world().users.filter(() => true);
		await ok(send({ to, type: 'text', text: 'x', agentId: byId(first!.id) }));
		const error = await errorOf(send({ to, type: 'text', text: 'x', agentId: byId(second!.id) }));
		expect(error.httpCode).toBe('409');
		expect(error.description).toMatch(/Take Over/);
	});
});
