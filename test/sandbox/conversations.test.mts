import type { Chat, Session } from '../../sandbox/records.mts';
import { startService, type Service } from '../support/sandboxClient.mts';

/** Messages, chats, sessions and flows. */

const HOUR = 3_600_000;
const CREDITS = { session: 5, flowTrigger: 1 };

let service: Service;
beforeEach(async () => {
	service = await startService({ credits: CREDITS, tickets: 1 });
});
afterEach(async () => await service.close());

const inWindow = ({ lastInboundAt }: Chat) =>
	lastInboundAt !== null && service.clock.now() - lastInboundAt < 24 * HOUR;

/** A WhatsApp chat, within the 24-hour window unless other ones are wanted, and its contact's number. */
function whatsapp(isWanted: (chat: Chat) => boolean = inWindow) {
	const { world } = service;
	const chat = world.chats.find((one) => one.channel === 'WHATSAPP' && isWanted(one))!;
	return { chat, to: world.contacts.get(chat.contactId)!.waId! };
}

const agent = (n: number) => service.world.users.filter(() => true)[n]!.id;
const instagram = () => service.world.contacts.find(({ igId }) => igId !== null)!.igId!;
const channelOf = (wanted: string) =>
	service.world.channels.find(({ type }) => type === wanted)!.id;

const text = (to: string, more: object = {}) => ({ to, type: 'text', text: 'Hello', ...more });
const template = {
	templateName: 'welcome',
	templateLanguage: 'en_US',
	templateComponents: [
		{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Nathan' }] },
	],
};
/** A message that is accepted for every WhatsApp number without another agent's session. */
const welcome = (to: string, more: object = {}) => ({
	to,
	type: 'template',
	...template,
	agentId: agent(0),
	...more,
});

/** Who has a session: an agent by number, the AI, a flow, or nobody. */
type Holder = number | 'AI' | 'FLOW' | null;

const heldBy = (chat: Chat, holder: Holder): Session | null => {
	if (holder === null) return (chat.session = null);
	const isAgent = typeof holder === 'number';
	const agentId = isAgent ? agent(holder) : null;
	return (chat.session = { id: 's', agentId, kind: isAgent ? 'AGENT' : holder, startedAt: '' });
};
const holderOf = ({ session }: Chat): Holder => {
	if (session?.kind !== 'AGENT') return session?.kind ?? null;
	return service.world.users.filter(() => true).findIndex(({ id }) => id === session.agentId);
};

describe('a message', () => {
	test('a free-form message is accepted until exactly 24 hours after the customer’s last one', async () => {
		const { chat, to } = whatsapp((one) => inWindow(one) && one.session !== null);
		service.clock.advance(chat.lastInboundAt! + 24 * HOUR - service.clock.now());
		expect((await service.post('/messages', text(to))).status).toBe(200);
		service.clock.advance(1);
		expect(await service.rejected('post', '/messages', text(to))).toStrictEqual([
			400,
			expect.stringContaining('24-hour window'),
		]);
		const approved = welcome(to, { agentId: undefined });
		expect((await service.post('/messages', approved)).status).toBe(200);
	});

	test.each<{
		holder: Holder;
		agent: number | undefined;
		takeOver: boolean;
		status: number;
		after: Holder;
	}>([
		{ holder: null, agent: undefined, takeOver: false, status: 400, after: null },
		{ holder: null, agent: 0, takeOver: false, status: 200, after: 0 },
		{ holder: 0, agent: undefined, takeOver: false, status: 200, after: 0 },
		{ holder: 0, agent: 0, takeOver: false, status: 200, after: 0 },
		{ holder: 0, agent: 0, takeOver: true, status: 200, after: 0 },
		{ holder: 0, agent: 1, takeOver: false, status: 409, after: 0 },
		{ holder: 0, agent: 1, takeOver: true, status: 200, after: 1 },
		{ holder: 'AI', agent: 0, takeOver: false, status: 200, after: 'AI' },
		{ holder: 'FLOW', agent: 0, takeOver: true, status: 200, after: 'FLOW' },
	])(
		'in a session of $holder, as agent $agent, take over $takeOver: $status, then of $after',
		async ({ holder, agent: sender, takeOver, status, after }) => {
			const { chat, to } = whatsapp();
			const before = heldBy(chat, holder);
			const agentId = sender === undefined ? undefined : agent(sender);
			const sent = await service.post('/messages', text(to, { agentId, takeOver }));
			expect([sent.status, holderOf(chat)]).toStrictEqual([status, after]);
			// A session that stays is the same one.
			expect(chat.session === before).toBe(holder === after);
			// Only the endpoint for sessions consumes credits.
			expect(service.world.credits).toStrictEqual(CREDITS);
		},
	);

	test('an Instagram message needs neither an agent nor the 24-hour window', async () => {
		const { world } = service;
		const isOld = (one: Chat) => one.channel === 'INSTAGRAM' && !inWindow(one);
		const chat = world.chats.find(isOld)!;
		const to = world.contacts.get(chat.contactId)!.igId!;
		chat.session = null;
		const { status, data } = await service.post('/messages', text(to, { channel: 'INSTAGRAM' }));
		expect(status).toBe(200);
		expect(data).toMatchObject({ to, channel: 'INSTAGRAM', chatId: chat.id });
		expect(chat.session).toBeNull();
	});

	const NEW = '12015558765';
	const ofOtherChat = () => {
		const { contactId } = whatsapp().chat;
		const other = service.world.chats.find((chat) => chat.contactId !== contactId)!;
		return service.world.messages.get(other.id)!.at(-1)!.id;
	};
	/** A message whose session another agent has. */
	const toHeld = () => {
		const { chat, to } = whatsapp();
		heldBy(chat, 0);
		return text(to, { agentId: agent(1) });
	};
	const toInstagram = (more: object) => text(instagram(), { channel: 'INSTAGRAM', ...more });

	test.each<[what: string, sent: () => object, status: number]>([
		['a free-form text to a new number', () => text(NEW, { agentId: agent(0) }), 400],
		['no agent for a new number', () => welcome(NEW, { agentId: undefined }), 400],
		['a number that is too short', () => welcome('120155'), 404],
		['an agent that is none', () => welcome(NEW, { agentId: 'nobody' }), 400],
		['a session with another agent', toHeld, 409],
		['an unknown channel', () => welcome(NEW, { channelId: 'x' }), 404],
		['a channel of another type', () => welcome(NEW, { channelId: channelOf('INSTAGRAM') }), 400],
		['an unknown template', () => welcome(NEW, { templateName: 'none' }), 404],
		['a template on Instagram', () => welcome(instagram(), { channel: 'INSTAGRAM' }), 400],
		['an unknown Instagram ID', () => text('1784140000', { channel: 'INSTAGRAM' }), 404],
		['an agent that is none, on Instagram', () => toInstagram({ agentId: 'nobody' }), 400],
		[
			'a WhatsApp channel, on Instagram',
			() => toInstagram({ channelId: channelOf('WHATSAPP') }),
			400,
		],
		['a reply to nothing', () => toInstagram({ contextId: 'wamid.none' }), 400],
		[
			'a reply to a message of another chat',
			() => ({ ...toHeld(), contextId: ofOtherChat() }),
			400,
		],
	])('%s is rejected, and changes nothing', async (_what, sent, status) => {
		expect((await service.rejected('post', '/messages', sent()))[0]).toBe(status);
	});

	test('a message to a new number makes a contact and a chat on the default channel', async () => {
		const { world } = service;
		const standard = world.channels.find(({ name }) => name === 'Customer Care')!;
		world.channels.add({ ...standard, id: 'newer', isDefault: false });
		// The shortest number (E.164).
		for (const to of ['1201555', NEW]) {
			const { data } = await service.post('/messages', welcome(to));
			expect(world.findContactByWaId(to)!.id).toBe(data.contactId);
			expect(world.chats.get(data.chatId as string)).toMatchObject({
				channelId: standard.id,
				needsEscalation: false,
				assigneeId: null,
				lastInboundAt: null,
				session: { agentId: agent(0), kind: 'AGENT' },
			});
		}
	});

	const mediaUrl = 'https://example.com/a.pdf';
	test.each<[type: string, content: object]>([
		['text', { text: 'Hello', previewUrl: true }],
		['image', { mediaId: 'm1', caption: 'C' }],
		['document', { mediaUrl, caption: 'C', fileName: 'a.pdf' }],
		['video', { mediaUrl, caption: 'C' }],
		['audio', { mediaId: 'm1' }],
		['sticker', { mediaUrl }],
		['template', template],
	])('the history has a message as it was sent: %s', async (type, content) => {
		const { chat, to } = whatsapp((one) => inWindow(one) && one.session !== null);
		const { id: chatId, contactId, session } = chat;
		const history = async () => (await service.get(`/chats/${chatId}/messages`)).data[0];
		const sent = { type, ...content, contextId: (await history()).id };
		const { data } = await service.post('/messages', { to, ...sent });
		expect(data).toMatchObject({ to, channel: 'WHATSAPP', chatId, contactId });
		const createdAt = new Date(service.clock.now()).toISOString();
		expect(await history()).toStrictEqual({
			...sent,
			id: data.id,
			direction: 'OUTBOUND',
			agentId: session!.agentId,
			createdAt,
		});
	});
});

describe('the channel of a contact with two chats', () => {
	const twoChats = () => {
		const { world } = service;
		const { chat: first, to } = whatsapp((one) => inWindow(one) && one.session === null);
		const own = world.channels.get(first.channelId)!;
		const { id: channelId } = world.channels.add({ ...own, id: 'second', isDefault: false });
		return { to, first, second: world.addChat({ ...first, channelId }), channelId };
	};

	test('a message is sent in the chat of its channel, or in the first one', async () => {
		const { to, first, second, channelId } = twoChats();
		const chatOf = async (more: object) =>
			(await service.post('/messages', text(to, { agentId: agent(0), ...more }))).data.chatId;
		expect([await chatOf({ channelId }), await chatOf({})]).toStrictEqual([second.id, first.id]);
	});

	test('without a channel, the one of the existing chat precedes the default', async () => {
		const { world } = service;
		const { to, first, channelId } = twoChats();
		first.channelId = channelId;
		const { size } = world.chats;
		// A template that the default channel does not have.
		const sample = world.templates.find(({ name }) => name === 'welcome')!;
		world.templates.add({ ...sample, id: 'own', name: 'own', language: 'en_US', channelId });
		const sent = welcome(to, { templateName: 'own' });
		expect((await service.post('/messages', sent)).data.chatId).toBe(first.id);
		expect(world.chats.size).toBe(size);
	});

	test('a session, and a flow, concern the chat of their channel', async () => {
		const { to, first, second, channelId } = twoChats();
		const started = { waId: to, channelId, agentId: agent(0) };
		expect((await service.post('/chats/session', started)).data.chatId).toBe(second.id);
		const { data } = await service.get('/chats/session', { waId: to, channelId });
		expect(data).toMatchObject({ active: true, chatId: second.id });
		second.session = null;
		await service.post('/flows/trigger', { to, channelId, flowKeyword: 'welcome' });
		expect([holderOf(first), holderOf(second)]).toStrictEqual([null, 'FLOW']);
	});
});

describe('a session', () => {
	const session = async (body: object) => await service.post('/chats/session', body);

	test.each<{
		holder: Holder;
		action: string | undefined;
		by: number | undefined;
		status: number;
		after: Holder;
	}>([
		{ holder: null, action: undefined, by: 0, status: 200, after: 0 },
		{ holder: null, action: 'START', by: 0, status: 200, after: 0 },
		{ holder: null, action: 'TAKEOVER', by: 0, status: 409, after: null },
		{ holder: null, action: 'END', by: undefined, status: 409, after: null },
		{ holder: 0, action: 'START', by: 0, status: 409, after: 0 },
		{ holder: 0, action: 'START', by: 1, status: 409, after: 0 },
		{ holder: 0, action: 'TAKEOVER', by: 0, status: 409, after: 0 },
		{ holder: 0, action: 'TAKEOVER', by: 1, status: 200, after: 1 },
		{ holder: 0, action: 'END', by: undefined, status: 200, after: null },
		{ holder: 0, action: 'END', by: 0, status: 200, after: null },
		{ holder: 'AI', action: 'START', by: 0, status: 409, after: 'AI' },
		{ holder: 'AI', action: 'TAKEOVER', by: 0, status: 409, after: 'AI' },
		{ holder: 'FLOW', action: 'TAKEOVER', by: 0, status: 409, after: 'FLOW' },
		{ holder: 'FLOW', action: 'END', by: undefined, status: 200, after: null },
	])(
		'of $holder, $action by agent $by: $status, then of $after',
		async ({ holder, action, by, status, after }) => {
			const { chat, to: waId } = whatsapp();
			heldBy(chat, holder);
			const body = { waId, action, agentId: by === undefined ? undefined : agent(by) };
			if (status === 409)
				expect((await service.rejected('post', '/chats/session', body))[0]).toBe(409);
			else expect((await session(body)).status).toBe(200);
			expect(holderOf(chat)).toBe(after);
			const used = status === 200 ? 1 : 0;
			expect(service.world.credits).toStrictEqual({ ...CREDITS, session: CREDITS.session - used });
			expect((await service.get('/chats/session', { waId })).data).toStrictEqual({
				active: after !== null,
				chatId: chat.id,
				contactId: chat.contactId,
				session: chat.session,
			});
		},
	);

	test('a session is found by each ID of its contact; several must be of one contact', async () => {
		const { world } = service;
		const { chat, to } = whatsapp((one) => one.session === null);
		const contact = world.changeContact(world.contacts.get(chat.contactId)!, { igId: 'ig-both' });
		const ids = { contactId: contact.id, waId: to, igId: 'ig-both' };
		const other = world.contacts.find(({ id, igId }) => id !== contact.id && igId !== null)!;
		const statuses = async (named: object) => [
			(await service.get('/chats/session', named)).status,
			(await service.rejected('post', '/chats/session', { ...named, agentId: agent(0) }))[0],
		];
		for (const [name, value] of Object.entries(ids)) {
			expect((await service.get('/chats/session', { [name]: value })).data.chatId).toBe(chat.id);
			const started = await session({ [name]: value, agentId: agent(0) });
			expect(started.data).toMatchObject({ chatId: chat.id, session: { agentId: agent(0) } });
			chat.session = null;
			expect(await statuses({ [name]: 'unknown' })).toStrictEqual([404, 404]);
			expect(await statuses({ ...ids, [name]: 'unknown' })).toStrictEqual([404, 404]);
		}
		expect((await service.get('/chats/session', ids)).data.chatId).toBe(chat.id);
		expect(await statuses({ ...ids, igId: other.igId })).toStrictEqual([400, 400]);
		expect(await statuses({})).toStrictEqual([400, 400]);
		expect(await statuses({ channelId: chat.channelId })).toStrictEqual([400, 400]);
		expect(await statuses({ waId: to, channelId: 'unknown' })).toStrictEqual([404, 404]);
	});

	test('a contact without a chat has no session, and no flow', async () => {
		const to = '12025553301';
		const { id: contactId } = service.world.addContact({ name: 'N', waId: to });
		expect((await service.get('/chats/session', { contactId })).status).toBe(404);
		const started = { contactId, agentId: agent(0) };
		expect((await service.rejected('post', '/chats/session', started))[0]).toBe(404);
		const triggered = { to, flowKeyword: 'welcome' };
		expect((await service.rejected('post', '/flows/trigger', triggered))[0]).toBe(404);
	});

	test.each(['START', 'TAKEOVER', 'END'])(
		'%s needs an agent of the organization',
		async (action) => {
			const { chat, to: waId } = whatsapp();
			heldBy(chat, action === 'START' ? null : 0);
			const body = { waId, action, agentId: 'nobody' };
			expect((await service.rejected('post', '/chats/session', body))[0]).toBe(400);
		},
	);

	test('a session needs credits', async () => {
		const { to: waId } = whatsapp((one) => one.session === null);
		service.world.credits.session = 1;
		expect((await session({ waId, agentId: agent(0) })).status).toBe(200);
		expect(await service.rejected('post', '/chats/session', { waId, action: 'END' })).toStrictEqual(
			[400, 'No session credits left'],
		);
	});
});

describe('a flow', () => {
	const trigger = async (body: object) => await service.post('/flows/trigger', body);

	test('the active flows are listed', async () => {
		const { data } = await service.get('/flows');
		const active = service.world.flows.filter((flow) => flow.active);
		expect(data).toStrictEqual(active);
		expect(active.length).toBeLessThan(service.world.flows.size);
	});

	test.each<{ holder: Holder; after: Holder }>([
		{ holder: null, after: 'FLOW' },
		{ holder: 'AI', after: 'FLOW' },
		{ holder: 'FLOW', after: 'FLOW' },
		{ holder: 0, after: 0 },
	])('in a session of $holder: then of $after, for one credit', async ({ holder, after }) => {
		const { chat, to } = whatsapp();
		const before = heldBy(chat, holder);
		const flow = service.world.flows.find(({ active }) => active)!;
		const fields = { flowId: flow.id, flowKeyword: flow.keyword };
		const { contactId, id: chatId } = chat;
		const { data } = await trigger({ to, ...fields });
		expect(data).toStrictEqual({ triggered: true, flowId: flow.id, contactId, chatId });
		expect(holderOf(chat)).toBe(after);
		// A flow starts a session of its own.
		expect(chat.session!.id === before?.id).toBe(holder === 0);
		expect(service.world.credits).toStrictEqual({ ...CREDITS, flowTrigger: 0 });
		const [status, error] = await service.rejected('post', '/flows/trigger', { to, ...fields });
		expect([status, error]).toStrictEqual([400, 'No flow_trigger credits left']);
	});

	const order = ({ flows } = service.world) => ({
		flowId: flows.find(({ keyword }) => keyword === 'order')!.id,
	});
	test.each<[string, () => object]>([
		['an inactive flow', () => ({ flowKeyword: 'summer' })],
		['an unknown flow', () => ({ flowId: 'x' })],
		['a keyword in another case', () => ({ flowKeyword: 'Welcome' })],
		['an unknown channel', () => ({ flowKeyword: 'welcome', channelId: 'x' })],
		['an unknown contact', () => ({ flowKeyword: 'welcome', to: '12015558765' })],
		[
			'the ID of one flow with the keyword of another',
			() => ({ ...order(), flowKeyword: 'welcome' }),
		],
		['a flow of another organization', () => order(service.sandbox.otherWorld)],
	])('%s is not found', async (_what, body) => {
		const sent = { to: whatsapp().to, ...body() };
		expect((await service.rejected('post', '/flows/trigger', sent))[0]).toBe(404);
	});
});

describe('a chat', () => {
	test('has its escalation, agent, active session and contact, in its details and in the list', async () => {
		const { world } = service;
		const { chat, to } = whatsapp();
		const { id, channelId, contactId, createdAt } = chat;
		world.changeContact(world.contacts.get(contactId)!, { igId: 'ig-chat', customName: 'B' });
		const { name } = world.contacts.get(contactId)!;
		const assignee = { id: agent(0), name: world.users.get(agent(0))!.name };
		chat.assigneeId = assignee.id;
		const expected = {
			id,
			channel: 'WHATSAPP',
			channelId,
			contactId,
			contact: { id: contactId, name, waId: to, igId: 'ig-chat' },
			escalation: { active: false, reason: null },
			assignee,
			createdAt,
		};
		for (const holder of [0, null]) {
			const shown = { ...expected, activeSession: heldBy(chat, holder) };
			expect((await service.get(`/chats/${id}`)).data).toStrictEqual(shown);
			expect((await service.get('/chats', { contactId })).data).toStrictEqual([shown]);
		}
	});

	test('its escalation and de-escalation keep the last reason, and nothing else changes', async () => {
		const { chat } = whatsapp(({ session }) => session?.kind === 'AGENT');
		const { data: before } = await service.get(`/chats/${chat.id}`);
		expect([before.activeSession, before.assignee]).not.toContain(null);
		for (const [change, reason] of [
			['escalate', 'Asked'],
			['escalate', undefined],
			['de-escalate', 'Solved'],
			['de-escalate', undefined],
		] as const) {
			const { data } = await service.post(`/chats/${chat.id}/${change}`, { reason });
			const escalation = { active: change === 'escalate', reason: reason ?? null };
			expect(data).toStrictEqual({ ...before, escalation });
			expect((await service.get(`/chats/${chat.id}`)).data).toStrictEqual(data);
		}
	});

	test.each(['AI', 'FLOW'] as const)('its escalation ends a session of %s', async (kind) => {
		const { chat } = whatsapp();
		heldBy(chat, kind);
		await service.post(`/chats/${chat.id}/escalate`);
		expect(chat.session).toBeNull();
	});

	test('its escalation assigns the agent with the fewest chats, if there is one', async () => {
		const { world } = service;
		const users = world.users.filter(() => true);
		const agents = users.filter(({ role }) => role === 'AGENT').map(({ id }) => id);
		const chats = world.chats.filter(() => true);
		const [chat] = chats;
		const free = agents[3]!;
		// Everybody but one has two chats.
		const busy = agents.filter((id) => id !== free).flatMap((id) => [id, id]);
		chats.forEach((one, n) => (one.assigneeId = busy[n - 1] ?? agents[0]!));
		chat!.assigneeId = null;
		await service.post(`/chats/${chat!.id}/escalate`);
		expect(chat!.assigneeId).toBe(free);
		chat!.assigneeId = null;
		for (const id of agents) world.users.delete(id);
		const { status, data } = await service.post(`/chats/${chat!.id}/escalate`);
		expect([status, data.assignee]).toStrictEqual([200, null]);
	});

	test('is assigned to a user and unassigned', async () => {
		const { chat } = whatsapp();
		const path = `/chats/${chat.id}/assign`;
		const assignee = async (agentId: string | null) =>
			(await service.post(path, { agentId })).data.assignee;
		expect((await assignee(agent(0))).id).toBe(agent(0));
		expect((await service.rejected('post', path, { agentId: 'nobody' }))[0]).toBe(400);
		expect(await assignee(null)).toBeNull();
		expect((await service.get(`/chats/${chat.id}`)).data.assignee).toBeNull();
	});

	test.each(['WEBCHAT', 'TELEGRAM', 'TIKTOK_SHOP'])(
		'of the channel %s is read, and not written to',
		async (type) => {
			const { world } = service;
			const { id, contactId, channelId } = world.chats.find(({ channel }) => channel === type)!;
			expect((await service.get('/chats', { channelId })).data).toMatchObject([{ id }]);
			expect((await service.get(`/chats/${id}`)).data.channel).toBe(type);
			expect((await service.get(`/chats/${id}/messages`)).data).toHaveLength(1);
			const { to } = whatsapp();
			const message = text(to, { agentId: agent(0) });
			for (const [path, body] of [
				['/messages', { ...message, channelId }],
				['/messages', { ...message, channel: type }],
				['/flows/trigger', { to, flowKeyword: 'welcome', channelId }],
				['/broadcasts', { ...template, name: 'B', recipients: [to], channelId }],
				['/templates/sync', { channelId }],
			] as const)
				expect([path, (await service.rejected('post', path, body))[0]]).toStrictEqual([path, 400]);
			const end = { contactId, action: 'END' };
			expect((await service.post('/chats/session', end)).status).toBe(200);
		},
	);
});
