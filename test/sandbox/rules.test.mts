import type { Chat, Session } from '../../sandbox/records.mts';
import { startService, type Service } from '../support/sandboxClient.mts';

/**
 * What the service's document says about single endpoints. If the sandbox did not reject these requests, the tests of the
 * nodes could not show that the nodes send none of them. What else it does, those tests show.
 */

const HOUR = 3_600_000;
const CREDITS = { session: 5, flowTrigger: 1 };

let service: Service;
beforeEach(async () => {
	service = await startService({ credits: CREDITS, tickets: 1, rateLimit: { requests: 0 } });
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
const instagram = () => service.world.contacts.find(({ igId }) => igId !== null)!;
const channelOf = (wanted: string) =>
	service.world.channels.find(({ type }) => type === wanted)!.id;
const segment = (dynamic = false) =>
	service.world.segments.find(({ isDynamic }) => isDynamic === dynamic)!;

/** Who has a session: an agent by number, the AI, a flow, or nobody. */
type Holder = number | 'AI' | 'FLOW' | null;

function hold(chat: Chat, holder: Holder): Session | null {
	if (holder === null) return (chat.session = null);
	const isAgent = typeof holder === 'number';
	const agentId = isAgent ? agent(holder) : null;
	return (chat.session = { id: 's', agentId, kind: isAgent ? 'AGENT' : holder, startedAt: '' });
}

const holderOf = ({ session }: Chat): Holder =>
	session?.kind === 'AGENT'
		? service.world.users.filter(() => true).findIndex(({ id }) => id === session.agentId)
		: (session?.kind ?? null);

const NEW = '12015558765';
const text = (to: string, more: object = {}) => ({ to, type: 'text', text: 'Hello', ...more });
/** A message that is accepted for every WhatsApp number without another agent's session. */
const welcome = (to: string, more: object = {}) => ({
	to,
	type: 'template',
	templateName: 'welcome',
	templateLanguage: 'en_US',
	templateComponents: [
		{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Nathan' }] },
	],
	agentId: agent(0),
	...more,
});
const toInstagram = (more: object = {}) => ({
	...text(instagram().igId!, { channel: 'INSTAGRAM' }),
	...more,
});

test('a free-form message is accepted until exactly 24 hours after the customer’s last one', async () => {
	const { chat, to } = whatsapp((one) => inWindow(one) && one.session !== null);
	service.clock.advance(chat.lastInboundAt! + 24 * HOUR - service.clock.now());
	expect((await service.post('/messages', text(to))).status).toBe(200);
	service.clock.advance(1);
	const [status, error] = await service.rejected('post', '/messages', text(to));
	expect([status, error]).toStrictEqual([400, expect.stringContaining('24-hour window')]);
	const approved = welcome(to, { agentId: undefined });
	expect((await service.post('/messages', approved)).status).toBe(200);
});

test.each<{ holder: Holder; by?: number; takeOver?: boolean; status: number; after: Holder }>([
	{ holder: null, status: 400, after: null },
	{ holder: null, by: 0, status: 200, after: 0 },
	{ holder: 0, status: 200, after: 0 },
	{ holder: 0, by: 0, takeOver: true, status: 200, after: 0 },
	{ holder: 0, by: 1, status: 409, after: 0 },
	{ holder: 0, by: 1, takeOver: true, status: 200, after: 1 },
	{ holder: 'AI', by: 0, status: 200, after: 'AI' },
	{ holder: 'FLOW', by: 0, takeOver: true, status: 200, after: 'FLOW' },
])(
	'a message in a session of $holder, as agent $by, take over $takeOver: $status, then of $after',
	async ({ holder, by, takeOver, status, after }) => {
		const { chat, to } = whatsapp();
		hold(chat, holder);
		const agentId = by === undefined ? undefined : agent(by);
		const sent = await service.post('/messages', text(to, { agentId, takeOver }));
		expect([sent.status, holderOf(chat)]).toStrictEqual([status, after]);
		expect(service.world.credits).toStrictEqual(CREDITS);
	},
);

test.each<{ holder: Holder; action?: string; by?: number; status: number; after: Holder }>([
	{ holder: null, by: 0, status: 200, after: 0 },
	{ holder: null, action: 'START', by: 0, status: 200, after: 0 },
	{ holder: null, action: 'TAKEOVER', by: 0, status: 409, after: null },
	{ holder: null, action: 'END', status: 409, after: null },
	{ holder: 0, action: 'START', by: 1, status: 409, after: 0 },
	{ holder: 0, action: 'TAKEOVER', by: 0, status: 409, after: 0 },
	{ holder: 0, action: 'TAKEOVER', by: 1, status: 200, after: 1 },
	{ holder: 0, action: 'END', status: 200, after: null },
	{ holder: 'AI', action: 'START', by: 0, status: 409, after: 'AI' },
	{ holder: 'FLOW', action: 'TAKEOVER', by: 0, status: 409, after: 'FLOW' },
	{ holder: 'FLOW', action: 'END', status: 200, after: null },
])(
	'a session of $holder, $action by agent $by: $status, then of $after, for a credit if it changed',
	async ({ holder, action, by, status, after }) => {
		const { chat, to: waId } = whatsapp();
		hold(chat, holder);
		const body = { waId, action, agentId: by === undefined ? undefined : agent(by) };
		expect((await service.post('/chats/session', body)).status).toBe(status);
		expect(holderOf(chat)).toBe(after);
		const session = CREDITS.session - (status === 200 ? 1 : 0);
		expect(service.world.credits).toStrictEqual({ ...CREDITS, session });
	},
);

test.each<[holder: Holder, after: Holder]>([
	[null, 'FLOW'],
	['AI', 'FLOW'],
	[0, 0],
])('a flow in a session of %s: then of %s, for a credit', async (holder, after) => {
	const { chat, to } = whatsapp();
	hold(chat, holder);
	const { keyword: flowKeyword } = service.world.flows.find(({ active }) => active)!;
	expect((await service.post('/flows/trigger', { to, flowKeyword })).status).toBe(200);
	expect(holderOf(chat)).toBe(after);
	expect(service.world.credits).toStrictEqual({ ...CREDITS, flowTrigger: CREDITS.flowTrigger - 1 });
});

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
/** @returns body, or query of a GET and a DELETE */
type Sent = () => [method: Method, path: string, body: object];

const message =
	(body: () => object): Sent =>
	() => ['post', '/messages', body()];
const post =
	(path: string, body: () => object): Sent =>
	() => ['post', path, body()];
const broadcast = (more: object) =>
	post('/broadcasts', () => ({
		name: 'B',
		templateName: 'welcome',
		templateLanguage: 'en_US',
		templateComponents: welcome(NEW).templateComponents,
		...('audienceMode' in more ? {} : { recipients: [NEW] }),
		...more,
	}));
const members = (ids: () => string[], dynamic = false): Sent => {
	return () => [
		'put',
		`/segments/${segment(dynamic).id}/members`,
		{ action: 'add', contactIds: ids() },
	];
};
const components = (...list: unknown[]) =>
	post('/templates', () => ({ name: 'bad', category: 'UTILITY', components: list }));
const existing = () => {
	const { name, language } = service.world.templates.find(({ channelId }) => channelId === null)!;
	return { name, language, category: 'UTILITY', components: [BODY] };
};
const BODY = { type: 'BODY', text: 'Hello' };
const anyContact = () =>
	service.world.contacts.find(({ waId, igId }) => waId !== null && igId === null)!;

test.each<[what: string, sent: Sent, status: number]>([
	['a text to a new number', message(() => text(NEW, { agentId: agent(0) })), 400],
	['a number that is too short', message(() => welcome('120155')), 404],
	['an agent that is none', message(() => welcome(NEW, { agentId: 'nobody' })), 400],
	['an unknown channel', message(() => welcome(NEW, { channelId: 'x' })), 404],
	[
		'a channel of another type',
		message(() => welcome(NEW, { channelId: channelOf('INSTAGRAM') })),
		400,
	],
	['an unknown template', message(() => welcome(NEW, { templateName: 'none' })), 404],
	[
		'a template on Instagram',
		message(() => ({ ...welcome(''), ...toInstagram(), type: 'template' })),
		400,
	],
	['an unknown Instagram ID', message(() => toInstagram({ to: '1784140000' })), 404],
	['a reply to nothing', message(() => toInstagram({ contextId: 'wamid.none' })), 400],
	[
		'the address of another contact',
		() => ['patch', `/contacts/${instagram().id}`, { waId: anyContact().waId }],
		400,
	],
	[
		'a contact without its only address',
		() => ['patch', `/contacts/${anyContact().id}`, { waId: '' }],
		400,
	],
	['a segment that exists', post('/segments', () => ({ name: segment().name })), 409],
	[
		'an unknown cursor',
		() => ['get', `/chats/${whatsapp().chat.id}/messages`, { cursor: 'none' }],
		400,
	],
	[
		'the deletion of a template by another name',
		() => {
			const { id } = service.world.templates.find(({ channelId }) => channelId === null)!;
			return ['delete', `/templates/${id}`, { name: 'other' }];
		},
		400,
	],
	['members by their numbers', members(() => [anyContact().waId!]), 400],
	['members of a dynamic segment', members(() => [anyContact().id], true), 400],
	['a template that exists', post('/templates', existing), 400],
	['a template without a body', components({ type: 'FOOTER', text: 'Bye' }), 400],
	['a template with two bodies', components(BODY, BODY), 400],
	['a header without text', components({ type: 'HEADER' }, BODY), 400],
	['an unknown component', components(BODY, { type: 'CAROUSEL', text: 'x' }), 400],
	['a broadcast with an unknown template', broadcast({ templateName: 'none' }), 404],
	[
		'a broadcast with the ID of another template',
		broadcast({ templateId: '1000000000000001' }),
		400,
	],
	[
		'a broadcast to an unknown segment',
		broadcast({ audienceMode: 'segment', segmentId: 'x' }),
		404,
	],
	[
		'a broadcast in the past',
		broadcast({ scheduleType: 'schedule', sendAt: '2020-01-01T09:00:00Z' }),
		400,
	],
	[
		'a broadcast with a template that is not approved',
		() => {
			for (const { id } of service.world.templates.filter(({ name }) => name === 'welcome'))
				service.world.templates.get(id)!.status = 'PENDING';
			return broadcast({})();
		},
		400,
	],
	[
		'a broadcast to a segment without members',
		() => {
			segment().members.clear();
			return broadcast({ audienceMode: 'segment', segmentId: segment().id })();
		},
		400,
	],
	['a broadcast on an unknown channel', broadcast({ channelId: 'x' }), 404],
	[
		'an unknown flow',
		post('/flows/trigger', () => ({ to: whatsapp().to, flowKeyword: 'none' })),
		404,
	],
	[
		'a flow by the ID of one and the keyword of another',
		post('/flows/trigger', () => {
			const [one, other] = service.world.flows.filter(({ active }) => active);
			return { to: whatsapp().to, flowId: one!.id, flowKeyword: other!.keyword };
		}),
		404,
	],
	[
		'an inactive flow',
		post('/flows/trigger', () => {
			const flow = service.world.flows.find(({ active }) => active)!;
			flow.active = false;
			return { to: whatsapp().to, flowKeyword: flow.keyword };
		}),
		404,
	],
	[
		'a flow for a contact without a chat',
		post('/flows/trigger', () => ({
			to: service.world.addContact({ name: 'N', waId: NEW }).waId,
			flowKeyword: 'welcome',
		})),
		404,
	],
	[
		'a ticket with a status that is none',
		post('/tickets', () => ({ title: 'T', status: 'DONE' })),
		400,
	],
	['a ticket of nobody', post('/tickets', () => ({ title: 'T', assigneeId: 'nobody' })), 400],
	['a ticket of an unknown contact', post('/tickets', () => ({ title: 'T', contactId: 'x' })), 400],
	[
		'a ticket with a chat of another contact',
		post('/tickets', () => ({
			title: 'T',
			chatId: whatsapp().chat.id,
			contactIgId: instagram().igId,
		})),
		400,
	],
	['a note by nobody', post('/tickets/1001/notes', () => ({ body: 'B', authorId: 'nobody' })), 400],
])('%s is rejected, and changes nothing', async (_what, sent, status) => {
	expect((await service.rejected(...sent()))[0]).toBe(status);
});

test.each(['session', 'flowTrigger'] as const)('no credit of %s is left', async (name) => {
	service.world.credits[name] = 0;
	const { to } = whatsapp((one) => one.session === null);
	const [path, body] =
		name === 'session'
			? ['/chats/session', { waId: to, agentId: agent(0) }]
			: ['/flows/trigger', { to, flowKeyword: 'welcome' }];
	expect((await service.rejected('post', path, body))[0]).toBe(400);
});

test.each<[method: 'put' | 'post' | 'patch', path: string, body: object]>([
	['put', '/tickets/1001', { priority: 'LOW' }],
	['post', '/tickets/1001/notes', { body: 'B' }],
	['patch', '/contacts/{id}', { customName: 'Changed' }],
])('%s %s shows in updatedAt', async (method, path, body) => {
	const url = path.replace('{id}', instagram().id);
	service.clock.advance(HOUR);
	expect((await service[method](url, body)).status).toBe(200);
	const { data } = await service.get(url.replace('/notes', ''));
	expect(data.updatedAt).toBe(new Date(service.clock.now()).toISOString());
});

test('the rate limit counts each token, in windows of 60 seconds', async () => {
	const limited = await startService({ rateLimit: { requests: 2 } });
	const { tokens } = limited.sandbox;
	const statuses = async (token: string) => {
		const send = async () => (await limited.as(token).post('/tickets', { title: 'T' })).status;
		return [await send(), await send(), await send()];
	};
	expect(await statuses(tokens.all.value)).toStrictEqual([200, 200, 429]);
	expect(await statuses(tokens.otherOrganization.value)).toStrictEqual([200, 200, 429]);
	limited.clock.advance(60_000);
	expect(await statuses(tokens.all.value)).toStrictEqual([200, 200, 429]);
	await limited.close();
});

test('an escalation ends a session of the AI, keeps an agent’s, and assigns the agent with the fewest chats', async () => {
	const { chat } = whatsapp();
	chat.assigneeId = null;
	const agents = service.world.users.filter(({ role }) => role === 'AGENT').map(({ id }) => id);
	const others = service.world.chats.filter(({ id }) => id !== chat.id);
	others.forEach((one, n) => (one.assigneeId = agents[1 + (n % (agents.length - 1))]!));
	hold(chat, 'AI');
	await service.post(`/chats/${chat.id}/escalate`, { reason: 'R' });
	expect([chat.needsEscalation, chat.session, chat.assigneeId]).toStrictEqual([
		true,
		null,
		agents[0],
	]);
	hold(chat, 1);
	await service.post(`/chats/${chat.id}/escalate`, {});
	expect([holderOf(chat), chat.assigneeId]).toStrictEqual([1, agents[0]]);
});

test.each<{ end: string; recipients: string[]; failed: number }>([
	{ end: 'COMPLETED', recipients: ['12015550100', '12025550100'], failed: 0 },
	{ end: 'PARTIAL', recipients: ['12015550100', '1'], failed: 1 },
	{ end: 'FAILED', recipients: ['1', '2'], failed: 2 },
])('a broadcast is QUEUED, PROCESSING, then $end', async ({ end, recipients, failed }) => {
	const [, path, body] = broadcast({ recipients })();
	const { id, status } = (await service.post(path, body)).data;
	const shown = async () => (await service.get(`/broadcasts/${id}`)).data;
	expect(status).toBe('QUEUED');
	service.clock.advance(2_000);
	expect((await shown()).status).toBe('PROCESSING');
	service.clock.advance(60_000);
	const statistics = { total: 2, failed, pending: 0 };
	expect(await shown()).toMatchObject({ status: end, statistics });
});

test('a broadcast needs every column of its template in a CSV file', async () => {
	const template = { templateName: 'welcome', templateLanguage: 'en_US' };
	const fields = { ...template, name: 'B', audienceMode: 'csv' };
	const send = async (csv: string) => (await service.upload('/broadcasts', csv, fields)).status;
	expect(await send(`phone,name\n${NEW},Ann\n`)).toBe(200);
	expect(await send(`phone\n${NEW}\n`)).toBe(400);
	expect(await send(`phone,name\nsoon,Ann\n`)).toBe(400);
});

test('an import is queued, takes its rows one after another, and says which ones it rejected', async () => {
	const known = anyContact();
	const csv = `name,waId\nChanged,${known.waId}\n,12015550100\nNew,${NEW}\n`;
	const { id, status } = (await service.upload('/contacts/import', csv)).data;
	const contacts = service.world.contacts.size;
	const shown = async () => (await service.get(`/contacts/imports/${id}`)).data;
	const active = async () =>
		(await service.get('/contacts/imports', { activeOnly: true })).meta.total;
	expect([status, await active()]).toStrictEqual(['queued', 1]);
	service.clock.advance(2_020);
	const first = { status: 'processing', processedRows: 1, successCount: 0 };
	expect(await shown()).toMatchObject(first);
	service.clock.advance(60_000);
	expect(await shown()).toMatchObject({ status: 'completed', successCount: 2, failedCount: 1 });
	expect([known.name, service.world.contacts.size, await active()]).toStrictEqual([
		'Changed',
		contacts + 1,
		0,
	]);
	const errors = (await service.get(`/contacts/imports/${id}/errors`)).data as string;
	expect(errors.split('\r\n')[1]).toMatch(/^3,,12015550100,/);
});
