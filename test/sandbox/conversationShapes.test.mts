import type { SandboxOptions } from '../../sandbox/options.mts';
import type { Chat } from '../../sandbox/records.mts';
import { startService, type Service } from './client.mts';

/** What chats, messages and channels show of what is new, in each shape that is usual for such services. */

type Shapes = SandboxOptions['shapes'];

let service: Service;
beforeEach(async () => {
	service = await startService({ rateLimit: { requests: 0 }, contacts: 5 });
});
afterEach(async () => await service.close());

const shaped = (shapes: Partial<Shapes>) => Object.assign(service.sandbox.options.shapes, shapes);

const data = async (path: string) => (await service.http.get(path)).data.data;

const aChat = (): Chat =>
	service.sandbox.world.chats.find(({ channel }) => channel === 'WHATSAPP')!;

const write = (chat: Chat, direction: 'INBOUND' | 'OUTBOUND' = 'INBOUND') => {
	service.clock.advance(1_000);
	const content = { text: 'Hello' };
	return service.sandbox.world.addMessage(chat, {
		direction,
		type: 'text',
		content,
		agentId: null,
	});
};

const rowOf = async ({ id }: Chat) =>
	(await data('/chats?limit=100')).find((row: { id: string }) => row.id === id);

test.each<[Shapes['chatActivity'], changes: boolean[]]>([
	['none', [false, false]],
	['lastMessageAt', [true, true]],
	['sometimes', [false, true]],
])('whether the row of a chat changes with each message: %s', async (chatActivity, changes) => {
	shaped({ chatActivity });
	const { world } = service.sandbox;
	const chat = world.chats.find(({ id }) => world.messages.get(id)!.length % 2 === 0)!;
	const rows = [await rowOf(chat)];
	for (let i = 0; i < 2; i++) {
		write(chat);
		rows.push(await rowOf(chat));
	}
	expect(rows.slice(1).map((row, i) => JSON.stringify(row) !== JSON.stringify(rows[i]))).toEqual(
		changes,
	);
});

test('the row of a chat without messages shows no time of the last one', async () => {
	shaped({ chatActivity: 'lastMessageAt' });
	const { id: _id, createdAt: _createdAt, ...like } = aChat();
	expect(await rowOf(service.sandbox.world.addChat(like))).toMatchObject({ lastMessageAt: null });
});

test.each<[Shapes['chatFetchedAt'], isSame: boolean]>([
	['no', true],
	['yes', false],
])('every row differs in every response: %s', async (chatFetchedAt, isSame) => {
	shaped({ chatFetchedAt });
	const [one, other] = [await rowOf(aChat()), await rowOf(aChat())];
	expect(JSON.stringify(one) === JSON.stringify(other)).toBe(isSame);
});

test.each<[Shapes['chatOrder'], Shapes['chatActivity'], leads: boolean]>([
	['creation', 'lastMessageAt', false],
	['activity', 'lastMessageAt', true],
	// The order follows the message whether or not the row shows it.
	['activity', 'none', true],
])('the list by %s, with rows that show %s', async (chatOrder, chatActivity, leads) => {
	const { id } = (await data('/chats?limit=100')).at(-1);
	shaped({ chatOrder, chatActivity });
	write(service.sandbox.world.chats.get(id as string)!);
	const [first] = await data('/chats');
	expect(first.id === id).toBe(leads);
});

test('the list by activity has pages, without gaps or repeats', async () => {
	shaped({ chatOrder: 'activity' });
	const { size } = service.sandbox.world.chats;
	const idsOn = async (query: string) => {
		const { data: rows, meta } = (await service.http.get(`/chats?${query}`)).data;
		expect(meta.total).toBe(size);
		return rows.map(({ id }: { id: string }) => id) as string[];
	};
	const all = await idsOn('limit=100');
	expect(all.length).toBeGreaterThan(4);
	const inPages: string[] = [];
	for (let page = 1; inPages.length < all.length; page++) {
		const ids = await idsOn(`limit=2&page=${page}`);
		expect(ids).toHaveLength(Math.min(2, all.length - inPages.length));
		inPages.push(...ids);
	}
	expect(inPages).toEqual(all);
});

test.each<[Shapes['channelTotals'], growth: number]>([
	['stats', 1],
	['stuck', 0],
	['none', NaN],
])('the messages of a channel: %s', async (channelTotals, growth) => {
	shaped({ channelTotals });
	const chat = aChat();
	const count = async () =>
		((await data(`/channels/${chat.channelId}`)).stats?.messages ?? NaN) as number;
	const before = await count();
	write(chat);
	expect((await count()) - before).toBe(growth);
});

test.each<[Partial<Shapes>, inbound: object, outbound: object]>([
	[{}, { direction: 'INBOUND', text: 'Hello' }, { direction: 'OUTBOUND' }],
	[{ messageDirection: 'fromMe' }, { fromMe: false }, { fromMe: true }],
	[
		{ messageDirection: 'senderType' },
		{ sender: { type: 'CONTACT' } },
		{ sender: { type: 'AGENT' } },
	],
	[{ messageDirection: 'kind' }, { kind: 'L' }, { kind: 'R' }],
	[{ messageText: 'body' }, { text: { body: 'Hello' } }, { text: { body: 'Hello' } }],
])('a message in the shape %j', async (shapes, inbound, outbound) => {
	shaped(shapes);
	const chat = aChat();
	write(chat);
	write(chat, 'OUTBOUND');
	expect(await data(`/chats/${chat.id}/messages?take=2`)).toMatchObject([outbound, inbound]);
});

test('a message may show neither who sent it nor when', async () => {
	shaped({ messageDirection: 'none', messageTime: 'none' });
	write(aChat());
	const [message] = await data(`/chats/${aChat().id}/messages`);
	expect(Object.keys(message as object).sort()).toEqual(['agentId', 'id', 'text', 'type']);
});

test.each<[Shapes['messageTime'], (at: number) => object]>([
	['createdAt', (at) => ({ createdAt: new Date(at).toISOString() })],
	['seconds', (at) => ({ timestamp: String(Math.floor(at / 1000)) })],
	['milliseconds', (at) => ({ timestamp: at })],
])('the time of a message: %s', async (messageTime, shown) => {
	shaped({ messageTime });
	write(aChat());
	const [message] = await data(`/chats/${aChat().id}/messages`);
	expect(message).toMatchObject(shown(service.clock.now()));
});

test.each<[Shapes['messageOrder'], isLast: boolean]>([
	['newest', false],
	['oldest', true],
])('the order of messages, and the cursor in it: %s first', async (messageOrder, isLast) => {
	shaped({ messageOrder });
	const chat = aChat();
	const { id } = write(chat);
	const ids = (rows: { id: string }[]) => rows.map((row) => row.id);
	const all = ids(await data(`/chats/${chat.id}/messages?take=100`));
	expect(isLast ? all.at(-1) : all[0]).toBe(id);
	const after = ids(await data(`/chats/${chat.id}/messages?take=100&cursor=${all[0]!}`));
	expect(after).toEqual(all.slice(1));
});
