import type { Chat } from '../../sandbox/records.mts';
import { startService, stateOf, type Service } from './client.mts';

const HOUR = 3_600_000;

let service: Service;
beforeEach(async () => {
	service = await startService({ credits: { session: 5, flowTrigger: 1 } });
});
afterEach(async () => await service.close());

/** A matching WhatsApp chat, with its contact's number. */
function whatsapp(fits: (chat: Chat) => boolean) {
	const { world } = service.sandbox;
	const chat = world.chats.find(
		(candidate) => candidate.channel === 'WHATSAPP' && fits(candidate),
	)!;
	return { chat, to: world.contacts.get(chat.contactId)!.waId! };
}

const inWindow = (chat: Chat) =>
	chat.lastInboundAt !== null && service.clock.now() - chat.lastInboundAt < 24 * HOUR;
const agent = (n: number) => service.sandbox.world.users.filter(() => true)[n]!.id;
const post = async (path: string, body: object) => await service.http.post(path, body);
const text = (to: string, more: object = {}) => ({ to, type: 'text', text: 'Hello', ...more });

describe('a free-form WhatsApp message', () => {
	test('a free-form message is accepted until exactly 24 hours after the customer’s last message', async () => {
		const { chat, to } = whatsapp((candidate) => inWindow(candidate) && candidate.session !== null);
		service.clock.advance(chat.lastInboundAt! + 24 * HOUR - service.clock.now());
		expect((await post('/messages', text(to))).status).toBe(200);
		service.clock.advance(1);
		const late = await post('/messages', text(to));
		expect(late.status).toBe(400);
		expect(late.data.error).toMatch(/24-hour/);
	});

	test('after 24 hours, an approved template with all its variables is accepted', async () => {
		const { to } = whatsapp((candidate) => !inWindow(candidate));
		const template = {
			to,
			type: 'template',
			templateName: 'welcome',
			templateLanguage: 'en_US',
			agentId: agent(0),
		};
		const templateComponents = [
			{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Nathan' }] },
		];
		expect((await post('/messages', { ...template, templateComponents })).status).toBe(200);
		expect((await post('/messages', template)).data.error).toMatch(/1 variables, 0 were given/);
		expect((await post('/messages', { ...template, templateName: 'none' })).status).toBe(404);
	});
});

describe('the agent of a message', () => {
	test('an agent is required if there is no active session', async () => {
		const { to, chat } = whatsapp((candidate) => inWindow(candidate) && candidate.session === null);
		const rejected = await post('/messages', text(to));
		expect(rejected.status).toBe(400);
		expect(rejected.data.error).toMatch(/agentId is required/);
		expect((await post('/messages', text(to, { agentId: agent(0) }))).status).toBe(200);
		expect(chat.session?.agentId).toBe(agent(0));
	});

	test('an agent cannot write into another agent’s session, except by taking over', async () => {
		const { to, chat } = whatsapp((candidate) => inWindow(candidate) && candidate.session !== null);
		const other = [agent(0), agent(1)].find((id) => id !== chat.session!.agentId)!;
		expect((await post('/messages', text(to, { agentId: other }))).status).toBe(409);
		expect((await post('/messages', text(to, { agentId: other, takeOver: true }))).status).toBe(
			200,
		);
		expect(chat.session?.agentId).toBe(other);
	});

	test('an agent can write in the own session, with or without naming the agent', async () => {
		const { to, chat } = whatsapp((candidate) => inWindow(candidate) && candidate.session !== null);
		const { session } = chat;
		for (const more of [
			{},
			{ agentId: session!.agentId },
			{ agentId: session!.agentId, takeOver: true },
		]) {
			expect((await post('/messages', text(to, more))).status).toBe(200);
			expect(chat.session).toBe(session);
			expect(service.sandbox.world.messages.get(chat.id)!.at(-1)!.agentId).toBe(session!.agentId);
		}
		expect(service.sandbox.world.credits.session).toBe(5);
	});

	test('an Instagram message needs no agent', async () => {
		const contact = service.sandbox.world.contacts.find(({ igId }) => igId !== null)!;
		const response = await post('/messages', text(contact.igId!, { channel: 'INSTAGRAM' }));
		expect(response.status).toBe(200);
		expect((await post('/messages', text('nobody', { channel: 'INSTAGRAM' }))).status).toBe(404);
	});
});

describe('a session', () => {
	const session = async (body: object) => (await post('/chats/session', body)).status;

	test('a session starts once, can be taken over, and ends', async () => {
		const { chat, to } = whatsapp((candidate) => candidate.session === null);
		const [first, second] = [agent(0), agent(1)];
		expect(await session({ waId: to })).toBe(400);
		expect(await session({ waId: to, agentId: first, action: 'TAKEOVER' })).toBe(409);
		expect(await session({ waId: to, agentId: first })).toBe(200);
		expect(await session({ waId: to, agentId: second })).toBe(409);
		expect(await session({ contactId: chat.contactId, agentId: second, action: 'TAKEOVER' })).toBe(
			200,
		);
		expect(
			(await service.http.get('/chats/session', { params: { waId: to } })).data.data.session
				.agentId,
		).toBe(second);
		expect(await session({ waId: to, action: 'END' })).toBe(200);
		expect(await session({ waId: to, action: 'END' })).toBe(409);
		expect(
			(await service.http.get('/chats/session', { params: { waId: to } })).data.data.active,
		).toBe(false);
		expect(service.sandbox.world.credits.session).toBe(2);
	});

	test('a session is found by each ID of its contact; several must be of one contact', async () => {
		const { world } = service.sandbox;
		const { chat, to } = whatsapp((candidate) => candidate.session === null);
		const contact = world.changeContact(world.contacts.get(chat.contactId)!, { igId: 'ig-both' });
		const other = world.contacts.find(({ id, igId }) => id !== contact.id && igId !== null)!;
		const ids = { contactId: contact.id, waId: to, igId: 'ig-both' };
		const read = async (params: object) => await service.http.get('/chats/session', { params });
		for (const [name, value] of Object.entries(ids)) {
			expect((await read({ [name]: value })).data.data).toEqual({
				active: false,
				chatId: chat.id,
				contactId: contact.id,
				session: null,
			});
			expect((await read({ [name]: 'unknown' })).status).toBe(404);
			expect((await read({ ...ids, [name]: 'unknown' })).status).toBe(404);
			expect(await session({ [name]: value, agentId: agent(0) })).toBe(200);
			expect(chat.session).toMatchObject({ agentId: agent(0), kind: 'AGENT' });
			const { data } = (await read({ [name]: value })).data;
			expect(data).toMatchObject({ active: true, session: { agentId: agent(0) } });
			chat.session = null;
			expect(await session({ [name]: 'unknown', agentId: agent(0) })).toBe(404);
		}
		expect((await read(ids)).data.data.chatId).toBe(chat.id);
		expect((await read({ ...ids, igId: other.igId })).status).toBe(400);
		expect(await session({ ...ids, igId: other.igId, agentId: agent(0) })).toBe(400);
		expect((await read({})).status).toBe(400);
		expect((await read({ channelId: chat.channelId })).status).toBe(400);
		expect((await read({ waId: to, channelId: 'unknown' })).status).toBe(404);
		expect(chat.session).toBeNull();
		expect(world.credits.session).toBe(2);
	});

	test('a contact without a chat has no session', async () => {
		const { world } = service.sandbox;
		const { id } = world.addContact({ name: 'N', waId: '12025553301' });
		const params = { contactId: id };
		expect((await service.http.get('/chats/session', { params })).status).toBe(404);
		expect(await session({ contactId: id, agentId: agent(0) })).toBe(404);
		expect(
			(await post('/flows/trigger', { to: '12025553301', flowKeyword: 'welcome' })).status,
		).toBe(404);
		expect(world.credits).toEqual({ session: 5, flowTrigger: 1 });
	});

	test('only a user can have a session', async () => {
		const { to, chat } = whatsapp((candidate) => candidate.session?.kind === 'AGENT');
		const { session: before } = chat;
		expect(await session({ waId: to, agentId: 'nobody', action: 'TAKEOVER' })).toBe(400);
		expect(chat.session).toBe(before);
	});

	test('a session needs an existing contact and credits', async () => {
		expect(await session({ agentId: agent(0) })).toBe(400);
		expect(await session({ waId: '12015550199', agentId: agent(0) })).toBe(404);
		service.sandbox.world.credits.session = 1;
		const { to } = whatsapp((candidate) => candidate.session === null);
		expect(await session({ waId: to, agentId: agent(0) })).toBe(200);
		expect(service.sandbox.world.credits.session).toBe(0);
		expect(await session({ waId: to, action: 'END' })).toBe(400);
	});
});

test('a session is ended whether or not its agent is named', async () => {
	for (const isNamed of [true, false]) {
		const { chat, to } = whatsapp(({ session }) => session?.kind === 'AGENT');
		const named = isNamed ? { agentId: chat.session!.agentId } : {};
		const body = { waId: to, action: 'END', ...named };
		expect((await post('/chats/session', body)).status).toBe(200);
		expect(chat.session).toBeNull();
	}
});

describe('what a rejected message leaves behind', () => {
	const unknown = '12015558765';
	test.each<[string, () => object, number]>([
		['free-form text to a new number', () => text(unknown, { agentId: agent(0) }), 400],
		[
			'a template without its variables',
			() => ({
				to: unknown,
				type: 'template',
				templateName: 'welcome',
				templateLanguage: 'en_US',
				agentId: agent(0),
			}),
			400,
		],
		['an unknown channel', () => text(unknown, { agentId: agent(0), channelId: 'x' }), 404],
		['a number that is too short', () => ({ ...welcome(), to: '120155' }), 404],
		['an agent that is none', () => ({ ...welcome(), agentId: 'nobody' }), 400],
		['a channel of another type', () => ({ ...welcome(), channelId: channelOf('INSTAGRAM') }), 400],
		['an unknown Instagram ID', () => text('178414000099999', { channel: 'INSTAGRAM' }), 404],
		[
			'an agent that is none, on Instagram',
			() => text(instagram(), { channel: 'INSTAGRAM', agentId: 'nobody' }),
			400,
		],
		[
			'a WhatsApp channel for an Instagram message',
			() => text(instagram(), { channel: 'INSTAGRAM', channelId: channelOf('WHATSAPP') }),
			400,
		],
		['a reply to nothing', () => text(held().to, { contextId: 'wamid.none' }), 400],
		[
			'a reply to a message of another chat',
			() => text(held().to, { contextId: otherMessage(held().to) }),
			400,
		],
		['no agent for a new number', () => ({ ...welcome(), to: unknown, agentId: undefined }), 400],
		['a rejected template', () => ({ ...welcome(), ...withStatus('REJECTED') }), 400],
		['a pending template', () => ({ ...welcome(), ...withStatus('PENDING') }), 400],
		['a session with another agent', () => text(held().to, { agentId: held().other }), 409],
	])('%s changes nothing', async (_name, body, status) => {
		const sent = body();
		const before = stateOf(service.sandbox.world);
		expect((await post('/messages', sent)).status).toBe(status);
		expect(stateOf(service.sandbox.world)).toEqual(before);
	});

	const channelOf = (type: string) =>
		service.sandbox.world.channels.find((channel) => channel.type === type)!.id;
	const instagram = () => service.sandbox.world.contacts.find(({ igId }) => igId !== null)!.igId!;
	const otherMessage = (waId: string) => {
		const { world } = service.sandbox;
		const { id } = world.findContactByWaId(waId)!;
		const other = world.chats.find(({ contactId }) => contactId !== id)!;
		return world.messages.get(other.id)!.at(-1)!.id;
	};

	/** A template that could be sent. */
	const welcome = () => ({
		to: unknown,
		type: 'template',
		templateName: 'welcome',
		templateLanguage: 'en_US',
		templateComponents: [
			{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Nathan' }] },
		],
		agentId: agent(0),
	});
	const withStatus = (status: 'REJECTED' | 'PENDING') => {
		const template = service.sandbox.world.templates.find(
			({ name, language }) => name === 'welcome' && language === 'en_US',
		)!;
		template.status = status;
		return {};
	};
	const held = () => {
		const { chat, to } = whatsapp((candidate) => inWindow(candidate) && !!candidate.session);
		return { to, other: [agent(0), agent(1)].find((id) => id !== chat.session!.agentId)! };
	};

	test('an accepted one to a new number makes a contact and a chat, and sends on the default channel', async () => {
		const { world } = service.sandbox;
		const standard = world.channels.find(({ name }) => name === 'Customer Care')!;
		world.channels.add({ ...standard, id: 'newer', isDefault: false });
		// The shortest number (E.164).
		expect((await post('/messages', { ...welcome(), to: '1201555' })).status).toBe(200);
		const { data } = await post('/messages', welcome());
		expect(world.findContactByWaId(unknown)!.id).toBe(data.data.contactId);
		const { channelId, session, ...chat } = world.chats.get(data.data.chatId as string)!;
		expect(chat).toMatchObject({ needsEscalation: false, assigneeId: null, lastInboundAt: null });
		// It is neither the first nor the last that was made.
		const { type, isDefault } = world.channels.get(channelId)!;
		expect({ type, isDefault }).toEqual({ type: 'WHATSAPP', isDefault: true });
		expect(session).toMatchObject({ agentId: agent(0), kind: 'AGENT' });
	});
});

test('a template is for WhatsApp', async () => {
	const { world } = service.sandbox;
	const { igId } = world.contacts.find(({ igId: own }) => own !== null)!;
	const before = stateOf(world);
	const { status, data } = await post('/messages', {
		to: igId,
		channel: 'INSTAGRAM',
		type: 'template',
		templateName: 'welcome',
		templateLanguage: 'en_US',
		templateComponents: [
			{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'N' }] },
		],
	});
	expect([status, data.error]).toEqual([400, 'Templates are for WhatsApp']);
	expect(stateOf(world)).toEqual(before);
});

test.each(['WHATSAPP', 'INSTAGRAM'] as const)(
	'an organization without a channel of the type %s sends nothing to a contact without a chat',
	async (channel) => {
		const { world } = service.sandbox;
		for (const { id } of world.channels.filter(({ type }) => type === channel))
			world.channels.delete(id);
		world.addContact({ name: 'N', waId: '12025553401', igId: 'ig-3401' });
		const before = stateOf(world);
		const template = {
			to: '12025553401',
			type: 'template',
			templateName: 'welcome',
			templateLanguage: 'en_US',
			templateComponents: [
				{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'N' }] },
			],
		};
		const content =
			channel === 'WHATSAPP' ? template : { to: 'ig-3401', type: 'text', text: 'Hello' };
		const message = { channel, agentId: agent(0), ...content };
		const { status, data } = await post('/messages', message);
		expect([status, data.error]).toEqual([404, 'Channel not found']);
		expect(stateOf(world)).toEqual(before);
	},
);

describe('the history has a message as it was sent', () => {
	const url = 'https://example.com/a.pdf';
	const template = {
		templateName: 'ticket_update',
		templateLanguage: 'en_US',
		templateComponents: [
			{
				type: 'body',
				parameters: ['A', '7', 'open'].map((value) => ({ type: 'text', text: value })),
			},
		],
	};
	test.each<[type: string, content: object]>([
		['text', { text: 'Hello', previewUrl: true }],
		['image', { mediaId: 'm1', caption: 'C' }],
		['document', { mediaUrl: url, caption: 'C', fileName: 'a.pdf' }],
		['video', { mediaUrl: url, caption: 'C' }],
		['audio', { mediaId: 'm1' }],
		['sticker', { mediaUrl: url }],
		['template', template],
	])('%s', async (type, content) => {
		const { chat, to } = whatsapp((candidate) => inWindow(candidate) && candidate.session !== null);
		const history = async () =>
			(await service.http.get(`/chats/${chat.id}/messages`)).data.data as { id: string }[];
		const [latest] = await history();
		const body = { to, type, ...content, contextId: latest!.id };
		const sent = (await post('/messages', body)).data.data;
		expect(sent).toMatchObject({
			to,
			channel: 'WHATSAPP',
			chatId: chat.id,
			contactId: chat.contactId,
		});
		const { session } = chat;
		const direction = 'OUTBOUND';
		const expected = { id: sent.id, direction, type, ...content, agentId: session!.agentId };
		expect((await history())[0]).toMatchObject({ ...expected, contextId: latest!.id });
	});
});

describe('the channel of a contact with two chats', () => {
	const twoChats = () => {
		const { world } = service.sandbox;
		const { chat, to } = whatsapp((candidate) => inWindow(candidate) && !candidate.session);
		const other = world.channels.add({
			...world.channels.get(chat.channelId)!,
			id: 'second-number',
			isDefault: false,
		});
		const second = world.addChat({ ...chat, channelId: other.id, session: null });
		return { to, first: chat, second };
	};

	test('a message is sent in the chat of its channel, or in the first one', async () => {
		const { to, first, second } = twoChats();
		const chatOf = async (more: object) =>
			(await post('/messages', text(to, { agentId: agent(0), ...more }))).data.data.chatId;
		expect(await chatOf({ channelId: second.channelId })).toBe(second.id);
		expect(await chatOf({})).toBe(first.id);
	});

	test('without a channel, the channel of the existing chat is used, and not the default', async () => {
		const { world } = service.sandbox;
		const { to, first } = twoChats();
		first.channelId = 'second-number';
		const before = world.chats.size;
		expect((await post('/messages', text(to, { agentId: agent(0) }))).data.data.chatId).toBe(
			first.id,
		);
		expect(world.chats.size).toBe(before);
		// The template of that channel, which the default channel does not have.
		const [own] = world.templates.filter(({ name }) => name === 'welcome');
		world.templates.add({ ...own!, id: 'own', name: 'own', channelId: 'second-number' });
		const template = { type: 'template', templateName: 'own', templateLanguage: own!.language };
		const templateComponents = [
			{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'N' }] },
		];
		const body = { to, agentId: agent(0), ...template, templateComponents };
		expect((await post('/messages', body)).status).toBe(200);
	});

	test('a session, and a flow, concern the chat of their channel', async () => {
		const { to, first, second } = twoChats();
		const { channelId } = second;
		const body = { waId: to, agentId: agent(0), channelId };
		expect((await post('/chats/session', body)).data.data.chatId).toBe(second.id);
		const params = { waId: to, channelId };
		const read = await service.http.get('/chats/session', { params });
		expect(read.data.data).toMatchObject({ active: true, chatId: second.id });
		expect(first.session).toBeNull();
		second.session = null;
		await post('/flows/trigger', { to, flowKeyword: 'welcome', channelId });
		expect(first.session).toBeNull();
		expect(service.sandbox.world.chats.get(second.id)!.session).toMatchObject({ kind: 'FLOW' });
	});
});

test('what a rejected change of a session or a trigger of a flow leaves behind: nothing', async () => {
	const { world } = service.sandbox;
	const { chat, to } = whatsapp((candidate) => candidate.session?.kind === 'AGENT');
	const same = chat.session!.agentId!;
	const flows = [...world.flows.newestFirst()].filter(({ active }) => active);
	const before = stateOf(world);
	for (const body of [
		{ waId: to, agentId: agent(0), action: 'START' },
		{ waId: to, agentId: same, action: 'TAKEOVER' },
	])
		expect((await post('/chats/session', body)).status).toBe(409);
	// The ID of one flow and the keyword of another.
	const body = { to, flowId: flows[0]!.id, flowKeyword: flows[1]!.keyword };
	expect((await post('/flows/trigger', body)).status).toBe(404);
	expect(stateOf(world)).toEqual(before);
	const { to: free, chat: freeChat } = whatsapp((candidate) => candidate.session === null);
	expect((await post('/chats/session', { waId: free, action: 'END' })).status).toBe(409);
	expect(freeChat.session).toBeNull();
	expect(world.credits).toEqual({ session: 5, flowTrigger: 1 });
});

test('an escalation and its end keep the agent of a chat and its session, and the last reason only', async () => {
	const { chat } = whatsapp(({ session }) => session?.kind === 'AGENT');
	chat.assigneeId = agent(0);
	const before = (await service.http.get(`/chats/${chat.id}`)).data.data;
	expect(before.activeSession).not.toBeNull();
	for (const [change, reason] of [
		['escalate', 'Asked'],
		['escalate', undefined],
		['de-escalate', 'Solved'],
		['de-escalate', undefined],
	] as const) {
		const changed = (await post(`/chats/${chat.id}/${change}`, { reason })).data.data;
		const escalation = { active: change === 'escalate', reason: reason ?? null };
		expect(changed).toEqual({ ...before, escalation });
		expect((await service.http.get(`/chats/${chat.id}`)).data.data).toEqual(changed);
	}
});

test('an Instagram message has no window', async () => {
	const { world } = service.sandbox;
	const chat = world.chats.find(
		(candidate) => candidate.channel === 'INSTAGRAM' && !inWindow(candidate),
	)!;
	const to = world.contacts.get(chat.contactId)!.igId!;
	expect((await post('/messages', text(to, { channel: 'INSTAGRAM' }))).status).toBe(200);
});

describe.each(['FLOW', 'AI'] as const)('a session that is held by: %s', (kind) => {
	const held = () => {
		const found = whatsapp(inWindow);
		found.chat.session = { id: 's', agentId: null, kind, startedAt: '' };
		return found;
	};

	test('an agent can write in it, and it stays what it is', async () => {
		const { chat, to } = held();
		for (const takeOver of [false, true]) {
			const body = text(to, { agentId: agent(0), takeOver });
			expect((await post('/messages', body)).status).toBe(200);
			expect(chat.session).toMatchObject({ kind, agentId: null });
		}
	});

	test('it cannot be taken over or started again, but ends with an escalation', async () => {
		const { chat, to } = held();
		for (const action of ['START', 'TAKEOVER']) {
			const body = { waId: to, agentId: agent(0), action };
			expect((await post('/chats/session', body)).status).toBe(409);
		}
		expect(service.sandbox.world.credits.session).toBe(5);
		await post(`/chats/${chat.id}/escalate`, {});
		expect(chat.session).toBeNull();
	});
});

test.each(['AI', 'FLOW'] as const)('a flow replaces a session of: %s', async (kind) => {
	const { chat, to } = whatsapp(() => true);
	chat.session = { id: 's', agentId: null, kind, startedAt: '' };
	const flow = service.sandbox.world.flows.find(({ active }) => active)!;
	const fields = { flowId: flow.id, flowKeyword: flow.keyword };
	expect((await post('/flows/trigger', { to, ...fields })).data.data).toMatchObject({
		triggered: true,
		flowId: flow.id,
		contactId: chat.contactId,
		chatId: chat.id,
	});
	expect(chat.session).toMatchObject({ kind: 'FLOW', agentId: null });
	expect(chat.session.id).not.toBe('s');
});

test('a flow replaces no agent’s session, and an escalation ends none', async () => {
	const { chat, to } = whatsapp((candidate) => candidate.session?.kind === 'AGENT');
	const { session } = chat;
	expect((await post('/flows/trigger', { to, flowKeyword: 'welcome' })).status).toBe(200);
	expect(chat.session).toBe(session);
	await post(`/chats/${chat.id}/escalate`, {});
	expect(chat.session).toBe(session);
});

test.each<[string, () => object, number]>([
	['an inactive flow', () => ({ flowKeyword: 'summer' }), 404],
	['a keyword in another case', () => ({ flowKeyword: 'Welcome' }), 404],
	['an unknown channel', () => ({ flowKeyword: 'welcome', channelId: 'x' }), 404],
	['an unknown contact', () => ({ flowKeyword: 'welcome', to: '12015558765' }), 404],
	[
		'a flow of another organization',
		() => ({ flowId: service.sandbox.otherWorld.flows.find(() => true)!.id }),
		404,
	],
])('%s is not triggered', async (_name, body, status) => {
	const { to } = whatsapp(() => true);
	expect((await post('/flows/trigger', { to, ...body() })).status).toBe(status);
	expect(service.sandbox.world.credits.flowTrigger).toBe(1);
});

test.each(['WEBCHAT', 'TELEGRAM', 'TIKTOK_SHOP'] as const)(
	'a chat of the channel %s is read, and not written to',
	async (type) => {
		const { world } = service.sandbox;
		const chat = world.chats.find(({ channel }) => channel === type)!;
		const rows = (await service.http.get('/chats')).data.data as { id: string }[];
		expect(rows.map(({ id }) => id)).toContain(chat.id);
		expect((await service.http.get(`/chats/${chat.id}`)).data.data.channel).toBe(type);
		expect((await service.http.get(`/chats/${chat.id}/messages`)).data.data).toHaveLength(1);
		const { to } = whatsapp(inWindow);
		const more = { agentId: agent(0), channelId: chat.channelId };
		expect((await post('/messages', text(to, more))).status).toBe(400);
		expect((await post('/messages', text(to, { ...more, channel: type }))).status).toBe(400);
		const { contactId, channelId } = chat;
		expect((await post('/flows/trigger', { to, flowKeyword: 'welcome', channelId })).status).toBe(
			400,
		);
		const broadcast = { name: 'B', templateName: 'welcome', templateLanguage: 'en_US' };
		const audience = { recipients: [to], channelId };
		expect((await post('/broadcasts', { ...broadcast, ...audience })).status).toBe(400);
		expect((await post('/templates/sync', { channelId })).status).toBe(400);
		expect((await post('/chats/session', { contactId, action: 'END' })).status).toBe(200);
	},
);

describe('a chat', () => {
	test('a chat is read with escalation, active session and contact', async () => {
		const { world } = service.sandbox;
		const { chat, to } = whatsapp((candidate) => candidate.session !== null);
		world.changeContact(world.contacts.get(chat.contactId)!, { igId: 'ig-chat', customName: 'B' });
		const { name } = world.contacts.get(chat.contactId)!;
		chat.assigneeId = agent(0);
		await post(`/chats/${chat.id}/escalate`, { reason: 'Asked' });
		const expected = {
			id: chat.id,
			channel: 'WHATSAPP',
			channelId: chat.channelId,
			contactId: chat.contactId,
			contact: { id: chat.contactId, name, waId: to, igId: 'ig-chat' },
			escalation: { active: true, reason: 'Asked' },
			assignee: { id: agent(0), name: world.users.get(agent(0))!.name },
			activeSession: chat.session,
			createdAt: chat.createdAt,
		};
		expect((await service.http.get(`/chats/${chat.id}`)).data.data).toEqual(expected);
		const params = { contactId: chat.contactId };
		expect((await service.http.get('/chats', { params })).data.data).toEqual([expected]);
		chat.session = null;
		expect((await service.http.get(`/chats/${chat.id}`)).data.data.activeSession).toBeNull();
	});

	test('an escalated chat without an agent is assigned to the one with the fewest chats', async () => {
		const { world } = service.sandbox;
		const agents = world.users.filter(({ role }) => role === 'AGENT').map(({ id }) => id);
		const chats = [...world.chats.newestFirst()];
		chats.forEach((chat, n) => (chat.assigneeId = agents[n % agents.length]!));
		const free = agents[3]!;
		const own = chats.filter(({ assigneeId }) => assigneeId === free);
		for (const chat of own.slice(1)) chat.assigneeId = agents[0]!;
		const chat = chats.find(({ assigneeId }) => assigneeId === agents[1])!;
		chat.assigneeId = null;
		await post(`/chats/${chat.id}/escalate`, {});
		expect(chat.assigneeId).toBe(free);
	});

	test('an escalated chat stays without an agent if there is none', async () => {
		const { world } = service.sandbox;
		for (const { id, role } of world.users.filter(() => true))
			if (role === 'AGENT') world.users.delete(id);
		const { chat } = whatsapp(({ assigneeId }) => assigneeId === null);
		const { status, data } = await post(`/chats/${chat.id}/escalate`, {});
		expect([status, data.data.assignee]).toEqual([200, null]);
	});

	test('a chat is assigned to a user and unassigned', async () => {
		const { chat } = whatsapp(() => true);
		const assign = async (agentId: string | null) =>
			await post(`/chats/${chat.id}/assign`, { agentId });
		expect((await assign(agent(0))).data.data.assignee.id).toBe(agent(0));
		expect((await assign('nobody')).status).toBe(400);
		expect(chat.assigneeId).toBe(agent(0));
		expect((await assign(null)).data.data.assignee).toBeNull();
	});

	test('a chat is escalated, which ends a flow’s session and assigns an agent, and de-escalated', async () => {
		const { chat, to } = whatsapp(
			(candidate) => candidate.assigneeId === null && !candidate.needsEscalation,
		);
		expect((await post('/flows/trigger', { to, flowKeyword: 'welcome' })).status).toBe(200);
		expect(chat.session?.kind).toBe('FLOW');
		await post(`/chats/${chat.id}/escalate`, { reason: 'Asked for a human agent' });
		expect(chat).toMatchObject({
			needsEscalation: true,
			session: null,
			escalationReason: 'Asked for a human agent',
		});
		expect(chat.assigneeId).not.toBeNull();
		await post(`/chats/${chat.id}/de-escalate`, {});
		expect(chat.needsEscalation).toBe(false);
	});
});

test('only active flows are listed, and triggering one needs credits', async () => {
	const { to } = whatsapp(() => true);
	const flows = (await service.http.get('/flows')).data.data;
	expect(flows.every(({ active }: { active: boolean }) => active)).toBe(true);
	expect((await post('/flows/trigger', { to, flowId: 'x' })).status).toBe(404);
	expect((await post('/flows/trigger', { to, flowId: flows[0].id })).status).toBe(200);
	expect((await post('/flows/trigger', { to, flowId: flows[0].id })).data.error).toMatch(/credits/);
});
