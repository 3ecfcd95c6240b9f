import { type INodeParameters, NodeHelpers } from 'n8n-workflow';
import { getSchema } from 'n8n-core/dist/execution-engine/node-execution-context/utils/create-node-as-tool';
import { actionNode } from '../../tools/engine/workflows.mts';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { addText } from '../support/records.mts';
import { stateOf } from '../support/sandboxClient.mts';
import { byId, WELCOME } from './harness.mts';
import { lateCustomer, openChat } from '../support/openChat.mts';
import { on, SharedHarness } from './sharedHarness.mts';

/** Chats, sessions, flows, and messages with a fallback template. */
const service = new SharedHarness({ contacts: 100, tickets: 1 });

const latest = () => service.requests.at(-1)!;
const agent = (n = 0) => service.world.users.filter(() => true)[n]!;
const chatOn = (channel: string) => service.world.chats.find((chat) => chat.channel === channel)!;

const chat = (operation: string, more: INodeParameters = {}) => ({
	resource: 'chat',
	operation,
	...more,
});
const session = (operation: string, more: INodeParameters = {}) => ({
	resource: 'session',
	operation,
	...more,
});

describe('Chat', () => {
	describe('Get Many, with the last message', () => {
		const getMany = async (more: INodeParameters = {}) =>
			await service.ok(chat('getAll', { returnAll: true, ...more }));

		/** Three chats: an agent wrote last, and the customer an hour and a minute ago. */
		const write = () => {
			Object.assign(service.shapes, { chatActivity: 'lastMessage' });
			const { world, time } = service;
			const [answered, waiting, recent] = world.chats.filter(() => true);
			for (const each of world.chats.filter(() => true)) each.assigneeId = agent().id;
			waiting!.assigneeId = null;
			addText(world, answered!, 'Hello');
			addText(world, answered!, 'Hi', { direction: 'OUTBOUND' });
			addText(world, waiting!, 'Where is my order?');
			time.clock.advance(3_600_000);
			addText(world, recent!, 'Hello');
			time.clock.advance(60_000);
			return { waiting: waiting!, recent: recent! };
		};

		test('Waiting Since and Unassigned keep the chats that match, whatever their place in the list', async () => {
			const { waiting, recent } = write();
			const { createdAt } = service.world.messages.get(waiting.id)!.at(-1)!;
			expect((await getMany()).find(({ id }) => id === waiting.id)).toMatchObject({
				lastMessageAt: createdAt,
				lastMessageDirection: 'inbound',
			});
			const ids = async (filters: INodeParameters, more: INodeParameters = {}) =>
				(await getMany({ filters, ...more })).map(({ id }) => id);
			const since = await ids({ waitingMinutes: 30 });
			expect(since).toContain(waiting.id);
			expect(since).not.toContain(recent.id);
			expect(await ids({ waitingMinutes: 0 })).toContain(recent.id);
			expect(await ids({ unassigned: true })).toStrictEqual([waiting.id]);
			const assigned = await ids({ unassigned: false });
			expect(assigned).toHaveLength(service.world.chats.size - 1);
			expect(await ids({ unassigned: true }, { returnAll: false, limit: 1 })).toStrictEqual([
				waiting.id,
			]);
			expect(await ids({ unassigned: true, waitingMinutes: 90 })).toStrictEqual([]);
		});

		test('values as they come: what others show and a row leaves out, and a time beside the message', async () => {
			const hourAgo = new Date(service.time.clock.now() - 3_600_000).toISOString();
			const data = [
				{ id: 'taken', assigneeId: 'u1', lastMessage: { direction: 'INBOUND' } },
				{ id: 'by name', assignee: 'Ann', lastMessageDirection: 'outbound', lastMessageAt: 1.7e9 },
				{ id: 'free', lastMessage: null },
				{ id: 'none', assignee: null, last_message: { direction: 'Inbound', created_at: null } },
				{
					...{ id: 'beside', assignee: { name: 'Ann' } },
					...{ lastMessage: { fromMe: false }, lastMessageAt: hourAgo },
				},
			];
			service.respond({ data }, { times: 10 });
			const ids = async (filters: INodeParameters) =>
				(await getMany({ filters })).map(({ id }) => id);
			expect(await ids({ unassigned: true })).toStrictEqual(['free', 'none']);
			expect(await ids({ unassigned: false })).toStrictEqual(['taken', 'by name', 'beside']);
			// Without a time, a customer who wrote last may wait for any time.
			expect(await ids({ waitingMinutes: 60 })).toStrictEqual(['taken', 'none', 'beside']);
			expect(await ids({ waitingMinutes: 90 })).toStrictEqual(['taken', 'none']);
			const all = await getMany();
			expect(all.map(({ lastMessageDirection }) => lastMessageDirection)).toStrictEqual([
				...['inbound', 'outbound', undefined, 'inbound', 'inbound'],
			]);
			const times = all.map(({ lastMessageAt }) => lastMessageAt).filter(Boolean);
			expect(times).toStrictEqual([1.7e9, hourAgo]);
		});

		test('a list in which no chat is assigned shows that by null', async () => {
			service.respond({ data: [{ id: 'free', assigneeId: null }] }, { times: 4 });
			const ids = async (unassigned: boolean) =>
				(await getMany({ filters: { unassigned } })).map(({ id }) => id);
			expect(await ids(true)).toStrictEqual(['free']);
			expect(await ids(false)).toStrictEqual([]);
		});

		test('where the list does not show it, it says so', async () => {
			const { error } = await service.run(
				chat('getAll', { returnAll: true, filters: { waitingMinutes: 30 } }),
			);
			expect(error!.message).toBe('The list of chats does not show who wrote last, and when');
			expect(error!.description).toBe(
				'So the node cannot find chats that wait. Do not remove the filter: the nodes after this one would act on all chats. Use the event Message Received of the trigger instead, as in “Find unanswered chats” in the documentation.',
			);
			expect((await getMany())[0]).not.toHaveProperty('lastMessageDirection');
			service.respond({ data: [{ id: 'c' }] }, { times: 4 });
			const { description } = await service.error(
				chat('getAll', { returnAll: true, filters: { unassigned: true } }),
			);
			expect(description).toBe(
				'So the node cannot find chats without an agent. Do not remove the filter if the nodes after this one act on chats: they would act on all of them. Chat → Get may show the agent of each.',
			);
		});
	});

	test('a number with two WhatsApp IDs finds the chats of both', async () => {
		const first = chatOn('WHATSAPP');
		const found = ['525512345678', '5215512345678'].map((waId) => {
			const { id } = service.world.addContact({ name: 'Ann', waId, igId: null });
			return service.world.addChat({ ...first, contactId: id }).id;
		});
		const filters = { waId: '+52 55 1234 5678' };
		const chats = await service.ok(chat('getAll', { filters }));
		expect(chats.map(({ id }) => id).sort()).toStrictEqual(found.sort());
		// Another one of the second contact.
		service.world.addChat({ ...first, contactId: service.world.chats.get(found[1]!)!.contactId });
		expect(await service.ok(chat('getAll', { filters }))).toHaveLength(3);
		expect(await service.ok(chat('getAll', { filters, limit: 2 }))).toHaveLength(2);
	});

	test('the ID of a contact is no chat, and the next step says so', async () => {
		const { contactId } = chatOn('WHATSAPP');
		for (const operation of ['get', 'getMessages']) {
			const stepFor = async (chatId: string) =>
				(await service.error(chat(operation, { chatId: byId(chatId) }))).description;
			expect(await stepFor(contactId)).toMatch(/not that of its contact/);
		}
	});

	test('the times of a transcript are in the time zone of the workflow', async () => {
		service.respond({ data: [{ id: 'm1', text: 'Hi', sentAt: '2026-11-23T08:14:00Z' }] });
		const json = await service.ok(
			chat('getMessages', { chatId: byId('c1'), limit: 1, messageOutput: 'transcript' }),
			{ timezone: 'Asia/Tokyo' },
		);
		expect(json).toMatchObject([{ transcript: '[2026-11-23 17:14] Unknown: Hi' }]);
	});

	test('all messages of a chat are returned, newest first, or exactly the limit, before a given message', async () => {
		// The first chat has a history of 240 messages.
		const { id } = service.world.chats.filter(() => true).at(-1)!;
		const ids = service.world.messages
			.get(id)!
			.toReversed()
			.map((message) => message.id);
		const read = async (more: INodeParameters) => {
			const messages = await service.ok(chat('getMessages', { chatId: byId(id), ...more }));
			return messages.map((message) => message.id);
		};
		expect(await read({ returnAll: true })).toStrictEqual(ids);
		expect(service.requests.map(({ query }) => query.take)).toStrictEqual(['100', '100', '100']);
		expect(await read({ limit: 130 })).toStrictEqual(ids.slice(0, 130));
		expect(await read({ limit: 3, options: { cursor: ids[9]! } })).toStrictEqual(ids.slice(10, 13));
		expect(service.requests.some(({ query }) => query.cursor === ids[9])).toBe(true);
		const nothing = { chatId: byId(id), options: { cursor: '={{ undefined }}' } };
		expect(await service.error(chat('getMessages', nothing))).toMatchObject({
			message: 'Before Message ID is empty',
		});
	});
});

test('a message on a channel that can only be read is rejected with the next step, and changes nothing', async () => {
	const before = stateOf(service.world);
	const channelId = byId(chatOn('TELEGRAM').channelId);
	const message = service.message({ to: byId('12015550100'), options: { channelId } });
	expect(await service.error(message)).toMatchObject({
		message: expect.stringMatching(/The channel is not a WHATSAPP channel \(400/),
		description: expect.stringMatching(
			/^Messages can be sent on WhatsApp and Instagram channels only/,
		),
	});
	expect(stateOf(service.world)).toStrictEqual(before);
});

describe('Session', () => {
	const whatsAppChat = (isActive: boolean) =>
		service.world.chats.find(
			({ session: active, channel }) => !!active === isActive && channel === 'WHATSAPP',
		)!;

	test('a session that conflicts with the operation is reported with the next step', async () => {
		const { channelId, ...chat } = whatsAppChat(true);
		const contactId = byId(chat.contactId);
		const given = { contactId, agentId: byId(agent().id) };
		const start = session('start', { ...given, options: { channelId: byId(channelId) } });
		expect(await service.error(start)).toMatchObject({
			httpCode: '409',
			description: expect.stringMatching(/Take Over/),
		});
		expect(latest().body).toMatchObject({ channelId, agentId: agent().id });
		await service.ok(session('end', { contactId }));
		const { description } = await service.error(session('end', { contactId }));
		expect(description).toMatch(/no active session/);
		const { description: next } = await service.error(session('takeOver', given));
		expect(next).toMatch(/use Start/);
	});
});

describe('a message whose type the model of an AI agent chooses', () => {
	const tool = (): INodeParameters => ({
		resource: 'message',
		operation: 'send',
		to: byId(openChat(service.world).to),
		type: "={{ $fromAI('type', 'text or template') }}",
		text: "={{ $fromAI('text', 'The text, or - for a template') }}",
		mediaSource: 'binary',
		...WELCOME,
	});

	test('is a text or a template, and n8n asks for the fields of these two', async () => {
		const node = actionNode('Send', tool());
		const { description } = new ConversationalMessaging();
		const { properties } = description;
		/** As n8n does: with the initial values of all fields that are shown. */
		const issues = (given: INodeParameters) => {
			const initial = [properties, given, true, false, node, description] as const;
			const parameters = NodeHelpers.getNodeParameters(...initial)!;
			return NodeHelpers.getNodeParametersIssues(properties, { ...node, parameters }, description);
		};
		expect(issues(tool())).toBeNull();
		expect(Object.keys(issues({ ...tool(), mediaSource: 'mediaUrl' })!.parameters!)).toStrictEqual([
			'mediaUrl',
		]);
		expect(Object.keys(getSchema(node).shape)).toStrictEqual(['type', 'text']);

		await service.ok(tool(), { items: [{ type: 'text', text: 'Hello' }] });
		expect(latest().body).toMatchObject({ type: 'text', text: 'Hello' });
		expect(latest().body).not.toHaveProperty('templateName');
		await service.ok(tool(), { items: [{ type: ' Template', text: '-' }] });
		expect(latest().body).toMatchObject({ type: 'template', templateName: 'welcome' });
		expect(latest().body).not.toHaveProperty('text');
	});

	test('is not sent if it is of no known type', async () => {
		const { message } = await service.error(tool(), { items: [{ type: 'fax', text: 'Hello' }] });
		expect(message).toMatch(/^Message Type expects one of .*template, text.*, but got "fax"/);
		expect(service.sent('POST /messages')).toStrictEqual([]);
	});
});

describe('a free-form message with a fallback template', () => {
	const template = () =>
		service.world.templates.find(
			({ name, language }) => name === 'welcome' && language === 'en_US',
		)!;
	const send = (to: string, options: INodeParameters = {}) =>
		service.message({ to: byId(to), options: { takeOver: true, ...options } });
	const fallback = (key = `${template().id} welcome en_US`) => ({
		templateId: byId(key),
		fallbackVariables: { variable: [{ id: 'body:name', value: 'Ann' }] },
	});

	test('is sent as it is within 24 hours, and replaced by the template, once, after that', async () => {
		expect(await service.ok(send(openChat(service.world).to, fallback()))).toMatchObject([
			{ sentAs: 'message' },
		]);
		expect(service.routes()).toStrictEqual(['GET /templates', 'POST /messages']);
		service.requests.length = 0;
		// By its ID alone, the template is looked up among those of the channel.
		const channelId = byId(service.world.defaultChannel('WHATSAPP')!.id);
		const options = { ...fallback(template().id), channelId };
		expect(await service.ok(send(lateCustomer(service.world), options))).toMatchObject([
			{ sentAs: 'fallbackTemplate' },
		]);
		expect(service.requests.map(({ status }) => status)).toStrictEqual([200, 400, 200]);
		expect(latest().body).toMatchObject({
			...{ type: 'template', templateName: 'welcome', templateLanguage: 'en_US' },
		});
		expect(latest().body).not.toHaveProperty('text');
	});

	test.each([403, 409, 422])('is also replaced after a rejection with %d', async (status) => {
		service.reject(status, on('POST /messages'), { error: { code: 131047 } });
		const [sent] = await service.ok(send(openChat(service.world).to, fallback()));
		expect(sent).toMatchObject({ sentAs: 'fallbackTemplate' });
	});

	test('fails with a message about the template if the service rejects that', async () => {
		// A template that the service does not list cannot be checked before.
		service.respond({ success: true, data: [] }, on('GET /templates'));
		const options = { templateId: fallback().templateId };
		expect(await service.error(send(lateCustomer(service.world), options))).toMatchObject({
			message: expect.stringMatching(
				/^The service rejected "Send fallback template": .*0 were given/,
			),
			description:
				'Correct the values named in the service’s message. Fallback Template is not in the service’s list. After 24 hours, the customer would receive nothing. Choose an approved template from the list.',
		});
	});

	test('names the variable whose expression finds nothing, and is not sent', async () => {
		const variable = [{ id: 'body:name', value: '={{ $json.name }}' }];
		const options = { ...fallback(), fallbackVariables: { variable } };
		expect((await service.rejected(send(openChat(service.world).to, options))).message).toBe(
			'Fallback Template Variables: the value of body:name is empty',
		);
	});

	test('is followed by no template if its response cannot be read', async () => {
		service.respondWith('text/html', '<html>Maintenance</html>', on('POST'));
		expect(await service.error(send(openChat(service.world).to, fallback()))).toMatchObject({
			message: expect.stringContaining('could not be read'),
			description: expect.stringContaining('may have succeeded'),
		});
		expect(service.sent('POST /messages')).toHaveLength(1);
	});
});
