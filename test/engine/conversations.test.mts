import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { stateOf } from '../sandbox/client.mts';
import { byId, openHarness, type Harness, WELCOME_COMPONENTS } from './harness.mts';

let harness: Harness;
beforeEach(async () => {
	harness = await openHarness({ rateLimit: { requests: 0 } });
});
afterEach(async () => await harness.close());

const world = () => harness.sandbox.world;
const sent = () => harness.sandbox.requests.at(-1)!;
const agent = (n = 0) => world().users.filter(() => true)[n]!;

async function ok(parameters: INodeParameters, items?: IDataObject[]): Promise<IDataObject[]> {
	const outcome = await harness.run(parameters, { items });
	expect(outcome.error).toBeUndefined();
	return outcome.json;
}
const error = async (parameters: INodeParameters) => (await harness.run(parameters)).error!;

describe('Chat', () => {
	const chat = (operation: string, more: INodeParameters = {}) => ({
		resource: 'chat',
		operation,
		...more,
	});
	const some = () => world().chats.find(({ channel }) => channel === 'WHATSAPP')!;

	test('a chat can be read, and chats can be listed with all filters', async () => {
		const { id, contactId, channelId } = some();
		expect((await ok(chat('get', { chatId: byId(id) })))[0]).toMatchObject({
			id,
			escalation: expect.anything(),
		});
		expect(await ok(chat('getAll', { returnAll: true }))).toHaveLength(123);
		expect(sent().query.limit).toBe('100');
		const waId = world().contacts.get(contactId)!.waId!;
		const filters = {
			agentId: byId(agent().id),
			channelId: byId(channelId),
			channel: 'WHATSAPP',
			contactId: byId(contactId),
			needsEscalation: false,
			waId,
		};
		harness.sandbox.requests.length = 0;
		await ok(chat('getAll', { filters }));
		expect(harness.sandbox.requests[0]!.query).toEqual({
			assigneeId: agent().id,
			channelId,
			channel: 'WHATSAPP',
			contactId,
			needsEscalation: 'false',
			waId,
			page: '1',
			limit: '50',
		});
		const escalated = await ok(
			chat('getAll', { returnAll: true, filters: { needsEscalation: true } }),
		);
		expect(escalated).toHaveLength(
			world().chats.filter(({ needsEscalation }) => needsEscalation).length,
		);
	});

	test('a chat can be assigned and unassigned', async () => {
		const { id } = some();
		await ok(chat('assign', { chatId: byId(id), agentId: byId(agent().id) }));
		expect(some().assigneeId).toBe(agent().id);
		await ok(chat('unassign', { chatId: byId(id) }));
		expect(sent().body).toEqual({ agentId: null });
		expect(some().assigneeId).toBeNull();
		expect(
			await error(chat('assign', { chatId: byId(id), agentId: byId('nobody') })),
		).toMatchObject({ httpCode: '400' });
		expect(await error(chat('unassign', { chatId: byId('x') }))).toMatchObject({ httpCode: '404' });
	});

	test('a chat can be escalated with a reason or without, and de-escalated', async () => {
		const { id } = some();
		await ok(chat('escalate', { chatId: byId(id), reason: 'Asked for a human agent' }));
		expect(sent().body).toEqual({ reason: 'Asked for a human agent' });
		expect(some().needsEscalation).toBe(true);
		await ok(chat('escalate', { chatId: byId(id) }));
		expect(sent().body).toEqual({});
		await ok(chat('deescalate', { chatId: byId(id) }));
		expect([sent().path, sent().body]).toEqual([`/chats/${id}/de-escalate`, {}]);
		expect(some().needsEscalation).toBe(false);
	});

	describe('Get Messages', () => {
		/** The first chat has a history of 240 messages. */
		const long = () =>
			world()
				.chats.filter(() => true)
				.at(-1)!;
		const newestFirst = () =>
			world()
				.messages.get(long().id)!
				.toReversed()
				.map(({ id }) => id);
		const read = async (more: INodeParameters) =>
			(await ok(chat('getMessages', { chatId: byId(long().id), ...more }))).map(({ id }) => id);

		test('all messages are returned, newest first, page by page', async () => {
			expect(await read({ returnAll: true })).toEqual(newestFirst());
			expect(harness.sandbox.requests.map(({ query }) => query.take)).toEqual([
				'100',
				'100',
				'100',
			]);
		});

		test('exactly the limit is returned, starting before a given message', async () => {
			expect(await read({ limit: 130 })).toEqual(newestFirst().slice(0, 130));
			expect(await read({ limit: 3, options: { cursor: newestFirst()[9]! } })).toEqual(
				newestFirst().slice(10, 13),
			);
		});

		/** The next response: messages with ascending IDs, and the page size that the service states. */
		const page = (from: number, count: number, stated: number) =>
			harness.sandbox.faults.add({
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({
					success: true,
					data: Array.from({ length: count }, (_, index) => ({ id: `m${from + index}` })),
					meta: { limit: stated },
				}),
			});

		test('a page that is smaller than requested is not the last one if the service lowered its size', async () => {
			page(0, 50, 50);
			page(50, 50, 50);
			page(100, 7, 50);
			expect(await read({ returnAll: true })).toEqual(
				Array.from({ length: 107 }, (_, index) => `m${index}`),
			);
			expect(harness.sandbox.requests.map(({ query }) => query.cursor)).toEqual([
				undefined,
				'm49',
				'm99',
			]);
		});

		test('a page size in the response above the requested one does not end the reading', async () => {
			page(0, 100, 500);
			page(100, 20, 500);
			expect(await read({ returnAll: true })).toHaveLength(120);
		});

		test('reading ends when no new message comes, even if every page is the same', async () => {
			const body = JSON.stringify({ data: Array.from({ length: 100 }, (_, id) => ({ id })) });
			harness.sandbox.faults.add(
				{ kind: 'status', status: 200, headers: { 'content-type': 'application/json' }, body },
				{ times: 9 },
			);
			expect(await read({ returnAll: true })).toHaveLength(100);
			expect(harness.sandbox.requests).toHaveLength(2);
		});
	});
});

describe.each(['WEBCHAT', 'TELEGRAM', 'TIKTOK_SHOP'] as const)(
	'the channel %s, which can be read and not written to',
	(type) => {
		const readable = () => world().chats.find(({ channel }) => channel === type)!;

		test('its chats are listed and read, with their history', async () => {
			const { id, contactId, channelId } = readable();
			const chat = (operation: string, more: INodeParameters) => ({
				resource: 'chat',
				operation,
				...more,
			});
			const all = await ok(chat('getAll', { returnAll: true }));
			expect(all.filter(({ channel }) => channel === type).map((row) => row.id)).toEqual([id]);
			for (const filters of [{ channelId: byId(channelId) }, { contactId: byId(contactId) }]) {
				const rows = await ok(chat('getAll', { returnAll: true, filters }));
				expect(rows.map((row) => row.id)).toEqual([id]);
			}
			const chatId = byId(id);
			expect(await ok(chat('get', { chatId }))).toMatchObject([{ id, channel: type, channelId }]);
			const messages = await ok(chat('getMessages', { chatId, returnAll: true }));
			expect(messages.map((row) => row.id)).toEqual(
				world()
					.messages.get(id)!
					.map((row) => row.id),
			);
		});

		test('its chats can be assigned, escalated, and their sessions ended', async () => {
			const { id, contactId } = readable();
			const chat = { resource: 'chat', chatId: byId(id) };
			await ok({ ...chat, operation: 'assign', agentId: byId(agent().id) });
			expect(readable().assigneeId).toBe(agent().id);
			await ok({ resource: 'session', operation: 'end', contactId: byId(contactId) });
			await ok({ ...chat, operation: 'escalate' });
			expect(readable()).toMatchObject({ session: null, needsEscalation: true });
		});

		test('a message on it is rejected with the next step, and nothing is changed', async () => {
			const before = stateOf(world());
			for (const [channel, to] of [
				['WHATSAPP', '12015550100'],
				['INSTAGRAM', world().contacts.find(({ igId }) => igId !== null)!.igId!],
			] as const) {
				const { message, description, httpCode } = await error({
					resource: 'message',
					operation: 'send',
					channel,
					to: byId(to),
					text: 'Hello',
					agentId: byId(agent().id),
					options: { channelId: byId(readable().channelId) },
				});
				expect(httpCode).toBe('400');
				expect(message).toBe(
					`The service rejected "Send message": The channel is not a ${channel} channel (400 Bad Request)`,
				);
				expect(description).toMatch(
					/^Messages can be sent on WhatsApp and Instagram channels only/,
				);
			}
			expect(stateOf(world())).toEqual(before);
		});
	},
);

describe('Session', () => {
	const session = (operation: string, more: INodeParameters = {}) => ({
		resource: 'session',
		operation,
		...more,
	});

	test('a session is started, read, taken over and ended, by contact ID, WhatsApp ID or Instagram ID', async () => {
		const chat = world().chats.find(
			({ session: active, channel }) => !active && channel === 'WHATSAPP',
		)!;
		const contact = world().contacts.get(chat.contactId)!;
		const by = (mode: string, value: string) => ({ contactId: { __rl: true, mode, value } });
		await ok(session('start', { ...by('waId', contact.waId!), agentId: byId(agent(0).id) }));
		expect(sent().body).toEqual({ waId: contact.waId, agentId: agent(0).id, action: 'START' });
		const options = { channelId: byId(chat.channelId) };
		await ok(session('takeOver', { ...by('id', contact.id), agentId: byId(agent(1).id), options }));
		expect(sent().body).toEqual({
			contactId: contact.id,
			agentId: agent(1).id,
			action: 'TAKEOVER',
			channelId: chat.channelId,
		});
		expect((await ok(session('get', by('waId', contact.waId!))))[0]).toMatchObject({
			active: true,
			session: { agentId: agent(1).id },
		});
		await ok(session('end', by('waId', contact.waId!)));
		expect(sent().body).toEqual({ waId: contact.waId, action: 'END' });
		await harness.run(session('get', by('igId', 'ig-1')));
		expect(sent().query).toEqual({ igId: 'ig-1' });
	});

	test('a session that conflicts with the operation is reported with the next step', async () => {
		const { contactId } = world().chats.find(
			({ session: active, channel }) => !!active && channel === 'WHATSAPP',
		)!;
		const start = await error(
			session('start', { contactId: byId(contactId), agentId: byId(agent().id) }),
		);
		expect(start).toMatchObject({
			httpCode: '409',
			description: expect.stringMatching(/Take Over/),
		});
		await ok(session('end', { contactId: byId(contactId) }));
		expect((await error(session('end', { contactId: byId(contactId) }))).description).toMatch(
			/no active session/,
		);
	});
});

describe('Flow', () => {
	const flow = (operation: string, more: INodeParameters = {}) => ({
		resource: 'flow',
		operation,
		...more,
	});

	test('flows can be listed, and triggered by ID or keyword', async () => {
		const channelId = world().defaultChannel('WHATSAPP')!.id;
		const flows = await ok(flow('getAll', { returnAll: true }));
		expect(flows).toHaveLength(3);
		const to = byId('+1 201 555 0100');
		await ok(flow('trigger', { to, flowId: byId(flows[0]!.id as string) }));
		expect(sent().body).toEqual({ to: '12015550100', flowId: flows[0]!.id });
		await ok(
			flow('trigger', {
				to,
				flowBy: 'flowKeyword',
				flowKeyword: 'order',
				options: { channelId: byId(channelId) },
			}),
		);
		expect(sent().body).toEqual({ to: '12015550100', flowKeyword: 'order', channelId });
		expect(await error(flow('trigger', { to, flowId: byId('nothing') }))).toMatchObject({
			httpCode: '404',
		});
	});
});

describe('a customer without a phone number', () => {
	const userId = 'US.13491208655302741918';
	const template = {
		resource: 'message',
		operation: 'send',
		type: 'template',
		templateBy: 'name',
		templateName: 'welcome',
		templateComponents: WELCOME_COMPONENTS,
	};

	test('is sent a message, and is the contact of a flow, a session and a ticket', async () => {
		const { id: contactId } = world().addContact({ name: 'Ann', waId: userId });
		const to = byId(userId);
		const agentId = byId(agent().id);
		expect(await ok({ ...template, to, agentId })).toMatchObject([{ contactId, to: userId }]);
		const contact = { contactId: { __rl: true, mode: 'waId', value: userId } };
		const session = { resource: 'session', ...contact };
		expect(await ok({ ...session, operation: 'get' })).toMatchObject([{ active: true }]);
		await ok({ ...session, operation: 'end' });
		expect(sent().body).toEqual({ waId: userId, action: 'END' });
		const ticket = { resource: 'ticket', operation: 'create', title: 'T', ...contact };
		expect(await ok(ticket)).toMatchObject([{ contactId }]);
		const [first] = world().flows.filter(({ active }) => active);
		const flow = { resource: 'flow', operation: 'trigger', to, flowId: byId(first!.id) };
		expect(await ok(flow)).toMatchObject([{ contactId }]);
		expect(sent().body).toEqual({ to: userId, flowId: first!.id });
	});

	test('is not the one whose phone number has the same digits', async () => {
		const stranger = world().addContact({ name: 'Bob', waId: '1092712345' });
		world().addContact({ name: 'Ann', waId: 'CO.1092712345' });
		const to = byId('CO.1092712345');
		const [message] = await ok({ ...template, to, agentId: byId(agent().id) });
		expect(message!.contactId).not.toBe(stranger.id);
		expect(sent().body).toMatchObject({ to: 'CO.1092712345' });
	});
});

describe('a free-form message with a fallback template', () => {
	const late = () =>
		world().chats.find(
			({ lastInboundAt, channel }) =>
				channel === 'WHATSAPP' && Date.now() - lastInboundAt! > 2 * 864e5,
		)!;
	const inTime = () =>
		world().chats.find(
			({ lastInboundAt, channel, session }) =>
				channel === 'WHATSAPP' && !!session && Date.now() - lastInboundAt! < 8e7,
		)!;
	const template = () =>
		world().templates.find(({ name, language }) => name === 'welcome' && language === 'en_US')!;
	const send = (contactId: string, key = `${template().id} welcome en_US`) => ({
		resource: 'message',
		operation: 'send',
		type: 'text',
		text: 'Hello',
		to: byId(world().contacts.get(contactId)!.waId!),
		agentId: byId(agent().id),
		options: {
			templateId: byId(key),
			fallbackVariables: { variable: [{ id: 'body:name', value: 'Ann' }] },
		},
	});

	test('the free-form message is sent as it is within 24 hours', async () => {
		const chat = inTime();
		const [message] = await ok({ ...send(chat.contactId), agentId: byId(chat.session!.agentId!) });
		expect(message).toMatchObject({ sentAs: 'message' });
		expect(harness.sandbox.requests).toHaveLength(1);
	});

	test('the template is sent instead, once, after 24 hours', async () => {
		const [message] = await ok(send(late().contactId));
		expect(message).toMatchObject({ sentAs: 'fallbackTemplate' });
		expect(harness.sandbox.requests.map(({ status }) => status)).toEqual([400, 200]);
		expect(sent().body).toMatchObject({
			type: 'template',
			templateName: 'welcome',
			templateLanguage: 'en_US',
		});
		expect(sent().body).not.toHaveProperty('text');
	});

	test.each(['<html>Maintenance</html>', '{"success":true,"da', 'OK'])(
		'the response %s does not count as sent',
		async (body) => {
			const chat = inTime();
			harness.sandbox.faults.add({
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'text/html' },
				body,
			});
			const { error } = await harness.run({
				...send(chat.contactId),
				agentId: byId(chat.session!.agentId!),
			});
			expect(error!.message).toContain('could not be read');
			expect(error!.description).toContain('may have succeeded');
			expect(harness.sandbox.requests).toHaveLength(1);
		},
	);

	test('a template that is given by its ID alone is looked up', async () => {
		await ok(send(late().contactId, template().id));
		expect(harness.sandbox.requests.map(({ route }) => route)).toEqual([
			'POST /messages',
			'GET /templates',
			'POST /messages',
		]);
	});

	test.each<[string, number, unknown]>([
		['a caption that is too long', 400, { error: 'caption must be at most 1024 characters' }],
		['another session', 409, { error: { code: 131047, message: '24-hour window expired' } }],
		['free-form text in a header', 422, { message: ['free-form text is not allowed in header'] }],
		[
			'a rate limit of 24 hours',
			403,
			{ error: 'Limit of 250 messages in the 24-hour window reached' },
		],
	])('the template is not sent because of %s', async (_name, status, body) => {
		harness.sandbox.faults.add({
			kind: 'status',
			status,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		const rejected = await error(send(inTime().contactId));
		expect(rejected.httpCode).toBe(String(status));
		expect(harness.sandbox.requests).toHaveLength(1);
	});

	test.each<[number, unknown]>([
		[403, { errors: [{ message: 'Outside the 24-hour window. Send a template.' }] }],
		[403, { errors: [{ message: 'Message undeliverable', code: 470 }] }],
		[422, { message: ['The 24-hour window has expired'] }],
		[422, { error: { title: 'Re-engagement message', code: 'WINDOW_CLOSED' } }],
		[
			400,
			{ statusCode: 400, message: 'Free-form messages are allowed only within the 24-hour window' },
		],
	])(
		'the template is sent, once, after a rejection with %d in the words %j',
		async (status, body) => {
			harness.sandbox.faults.add({
				kind: 'status',
				status,
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			});
			const [message] = await ok(send(late().contactId));
			expect(message).toMatchObject({ sentAs: 'fallbackTemplate' });
			expect(harness.sandbox.requests.map((request) => request.status)).toEqual([status, 200]);
			expect(sent().body).toMatchObject({ type: 'template', templateName: 'welcome' });
		},
	);

	test.each([
		{ error: 'The contact has an active session with another agent' },
		{ error: 'Outside the 24-hour window: free-form messages are not allowed' },
	])('the template is never sent after a 409, whatever its words: %j', async (body) => {
		harness.sandbox.faults.add({
			kind: 'status',
			status: 409,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		expect(await error(send(late().contactId))).toMatchObject({ httpCode: '409' });
		expect(harness.sandbox.requests).toHaveLength(1);
	});

	test('nothing is sent if there are variables and no template', async () => {
		const { options, ...message } = send(late().contactId);
		const { fallbackVariables } = options;
		expect(await error({ ...message, options: { fallbackVariables } })).toMatchObject({
			message: 'Fallback Template Variables is set, but Fallback Template is not',
			description: 'Add the option Fallback Template, or remove Fallback Template Variables.',
		});
		expect(harness.sandbox.requests).toEqual([]);
	});

	test('an empty list of components needs no template', async () => {
		const chat = inTime();
		const message = { ...send(chat.contactId), agentId: byId(chat.session!.agentId!) };
		for (const fallbackComponents of ['[]', '={{ [] }}'])
			await ok({ ...message, options: { fallbackComponents } });
		expect(harness.sandbox.requests).toHaveLength(2);
	});

	test('nothing is sent if an expression makes it a message on Instagram, or a template', async () => {
		const message = send(late().contactId);
		const instagram = { ...message, channel: '={{ "INSTAGRAM" }}', to: byId('17841400000000001') };
		expect((await error(instagram)).message).toBe(
			'Fallback Template is set, but Channel Type is Instagram',
		);
		const type = '={{ "template" }}';
		const template = { type, templateBy: 'name', templateName: 'welcome' };
		// n8n requires the fields of all types that the expression may return.
		const others = { mediaUrl: 'https://example.com/a', mediaId: '7' };
		expect((await error({ ...message, ...template, ...others })).message).toBe(
			'Fallback Template is set, but Message Type is Template',
		);
		expect(harness.sandbox.requests).toEqual([]);
	});

	test('nothing is sent if the fallback template is empty', async () => {
		const rejected = await error(send(late().contactId, '={{ $json.nothing }}'));
		expect(rejected.message).toBe('Fallback Template is empty');
		expect(harness.sandbox.requests).toEqual([]);
	});

	test('the platform’s code is enough to send the template, whatever the service’s message', async () => {
		harness.sandbox.faults.add({
			kind: 'status',
			status: 400,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ error: { message: 'Not sent', error_data: { code: 131047 } } }),
		});
		const [message] = await ok(send(late().contactId));
		expect(message).toMatchObject({ sentAs: 'fallbackTemplate' });
		expect(harness.sandbox.requests.map(({ status }) => status)).toEqual([400, 200]);
	});

	test('a rejection for any other reason is reported unchanged', async () => {
		const chat = inTime();
		const rejected = await error({ ...send(chat.contactId), agentId: byId('nobody') });
		expect(rejected).toMatchObject({
			httpCode: '400',
			message: expect.stringMatching(/agentId is not a user/),
		});
		expect(harness.sandbox.requests).toHaveLength(1);
	});
});
