/** Chats that cannot be read, and outages of the service: others are read, nothing is lost, nothing is emitted twice. */
import { NodeOperationError } from 'n8n-workflow';
import { chatKey } from '../../../nodes/ConversationalMessaging/trigger/messages/baseline.ts';
import { FakeTime } from '../../time.mts';
import { FakeChats, HABITS, outage, type Chat, type Habits, type Message } from './service.mts';
import { NODE, Watch } from './watch.mts';

const CHATS = 200;

let time: FakeTime;
let service: FakeChats;
let watch: Watch;

const open = async (habits: Partial<Habits> = {}) => {
	service = new FakeChats({ ...HABITS, ...habits }, () => time.clock.now());
	for (let i = 0; i < CHATS; i++) service.addMessage(service.makeChat());
	watch = new Watch(service);
	// All chats are read in two polls.
	await polls(2);
};

beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

const poll = async () => {
	time.clock.advance(60_000);
	return await watch.poll();
};

/** @returns the IDs of the messages that are emitted, sorted, and the errors */
const polls = async (count: number) => {
	const ids: string[] = [];
	const errors: string[] = [];
	for (let i = 0; i < count; i++) {
		const { items, error } = await poll();
		ids.push(...items.map(({ recordId }) => recordId as string));
		if (error) errors.push(error.message);
	}
	return { ids: ids.toSorted(), errors };
};

/** One message in each of these chats. @returns their IDs, sorted */
const writeIn = (chats: Chat[]) => chats.map((chat) => service.addMessage(chat).id).toSorted();

const learnToReadInTurn = async () => {
	service.addMessage(service.list[7]!);
	for (let i = 0; i < CHATS && watch.checkpoint?.baseline?.method !== 'turns'; i++) await poll();
	expect(watch.checkpoint?.baseline?.method).toBe('turns');
};

/** In the order of their turns. */
const inTurn = () => service.list.toSorted((one, other) => chatKey(one.id) - chatKey(other.id));

describe.each([500, 503, 403, 400])('chats that always fail with %i', (status) => {
	test.each([1, 2, 3])(
		'read in turn, %i next to each other: all others are read',
		async (count) => {
			await open({ rows: 'lie' });
			await learnToReadInTurn();
			const bad = inTurn().slice(50, 50 + count);
			for (const { id } of bad) service.failing.set(id, status);
			const expected = writeIn(service.list.filter((chat) => !bad.includes(chat)));
			const held = writeIn(bad);
			// A round of 200 chats takes three polls; three failures in a row end one of them.
			expect(await polls(6)).toEqual({ ids: expected, errors: [] });
			service.failing.clear();
			expect(await polls(6)).toEqual({ ids: held, errors: [] });
		},
	);

	test('whose row changed: all others are read, and its message is emitted once it can be read', async () => {
		await open();
		const [bad, ...others] = service.list;
		service.failing.set(bad!.id, status);
		const held = writeIn([bad!]);
		for (let i = 0; i < 12; i++) {
			const expected = writeIn(others.slice(i * 5, i * 5 + 5));
			expect(await polls(1)).toEqual({ ids: expected, errors: [] });
		}
		expect(watch.log.at(-1)).toBe(
			`The messages of one chat could not be read. Other chats are not affected, and the trigger tries again in later polls. Status ${status}`,
		);
		service.failing.clear();
		expect(await polls(2)).toEqual({ ids: held, errors: [] });
	});
});

test('three chats in a row whose rows changed are an outage, which is reported after five polls', async () => {
	await open();
	const bad = service.list.slice(0, 3);
	for (const { id } of bad) service.failing.set(id, 500);
	const held = writeIn(bad);
	expect(await polls(4)).toEqual({ ids: [], errors: [] });
	expect(watch.checkpoint?.failures).toBe(4);
	expect((await polls(1)).errors).toEqual(['Status 500']);
	service.failing.clear();
	expect(await polls(1)).toEqual({ ids: held, errors: [] });
	expect(watch.checkpoint?.failures).toBe(0);
});

test('if the only chat fails, the poll has failed', async () => {
	service = new FakeChats(HABITS, () => time.clock.now());
	const chat = service.makeChat();
	watch = new Watch(service);
	await poll();
	service.failing.set(chat.id, 500);
	const held = writeIn([chat]);
	expect(await polls(5)).toEqual({ ids: [], errors: ['Status 500'] });
	service.failing.clear();
	expect(await polls(1)).toEqual({ ids: held, errors: [] });
});

describe('a chat whose ID cannot be part of a path', () => {
	const reject = ({ id }: Chat) => {
		service.onRequest = () => {
			if (service.requests.at(-1) === `messages ${id}`)
				throw new NodeOperationError(NODE, 'The ID is reserved');
		};
	};

	test('is in the log; all others are read', async () => {
		await open();
		const [bad, ...others] = service.list;
		reject(bad!);
		writeIn([bad!]);
		const expected = writeIn(others.slice(0, 5));
		expect(await polls(3)).toEqual({ ids: expected, errors: [] });
		expect(watch.log).toEqual(
			Array<string>(3).fill(
				'The messages of one chat could not be read. Other chats are not affected, and the trigger tries again in later polls. The ID is reserved',
			),
		);
	});

	test('fails the poll if it is the only chat', async () => {
		service = new FakeChats(HABITS, () => time.clock.now());
		reject(service.makeChat());
		watch = new Watch(service);
		expect(await polls(2)).toEqual({ ids: [], errors: Array(2).fill('The ID is reserved') });
	});
});

describe.each(['tell', 'lie'] as const)('an outage, where rows %s', (rows) => {
	test.each([500, 502, 429])('with %i from any request on: nothing is lost', async (status) => {
		await open({ rows });
		if (rows === 'lie') await learnToReadInTurn();
		for (let from = 1; from < 40; from += 3) {
			const expected = writeIn(inTurn().filter((_chat, i) => i % 7 === from % 7));
			service.onRequest = (request) => {
				if (request >= from) throw outage(status);
			};
			const first = await polls(2);
			service.onRequest = () => undefined;
			const { ids, errors } = await polls(5);
			expect([[...first.ids, ...ids].toSorted(), errors]).toEqual([expected, []]);
		}
	});
});

test('a rejected token is reported at once', async () => {
	await open();
	writeIn(service.list.slice(0, 3));
	service.onRequest = (request) => {
		if (request > 2) throw outage(401);
	};
	const { error } = await poll();
	expect(error?.message).toBe('Status 401');
});

test('if all chats are rejected, the poll ends after a few of them', async () => {
	await open({ rows: 'lie' });
	await learnToReadInTurn();
	for (const { id } of service.list) service.failing.set(id, 403);
	const { error } = await poll();
	expect(error?.message).toBe('Status 403');
	expect(service.requests.length).toBeLessThan(25);
});

describe.each([404, 403, 500])('a chat that cannot be read at first, with %i', (status) => {
	const openWith = async (habits: Partial<Habits>) => {
		service = new FakeChats({ ...HABITS, ...habits }, () => time.clock.now());
		for (let i = 0; i < 5; i++) service.addMessage(service.makeChat());
		const chat = service.list[3]!;
		service.failing.set(chat.id, status);
		watch = new Watch(service);
		for (let i = 0; i < 5; i++) expect(await poll()).toEqual({ items: [], error: undefined });
		return chat;
	};

	test.each([true, false])(
		'has only its new messages emitted once it can be read (times: %s)',
		async (hasTimes) => {
			const chat = await openWith({ hasTimes });
			service.failing.clear();
			expect((await polls(5)).ids).toEqual([]);
			const expected = writeIn([chat]);
			expect((await polls(2)).ids).toEqual(expected);
			expect(watch.checkpoint?.baseline?.method).toBe('rows');
		},
	);

	test('keeps up nothing: the counts of channels are relied on', async () => {
		await openWith({ counts: 'exact' });
		for (let i = 0; i < 4; i++) {
			writeIn([service.list[0]!]);
			await polls(1);
		}
		await polls(1);
		expect(service.requests).toEqual(['count ch1']);
	});

	test('if it is new, has all of its messages emitted', async () => {
		await openWith({ hasTimes: false });
		const chat = service.makeChat();
		service.failing.set(chat.id, status);
		const expected = writeIn([chat, chat]);
		expect((await polls(3)).ids).toEqual([]);
		service.failing.delete(chat.id);
		expect((await polls(5)).ids).toEqual(expected);
		expect(watch.checkpoint?.baseline?.method).toBe('rows');
	});
});

test.each([404, 400, 500])(
	'if a history fails with %i below its first page, all new messages are left to the next poll',
	async (status) => {
		await open();
		const chat = service.list[9]!;
		const ids = writeIn(Array<Chat>(30).fill(chat));
		service.onRequest = () => {
			if (service.requests.at(-1)?.startsWith(`messages ${chat.id} `))
				service.failing.set(chat.id, status);
		};
		expect(await polls(1)).toEqual({ ids: [], errors: [] });
		service.onRequest = () => undefined;
		service.failing.clear();
		expect(await polls(1)).toEqual({ ids, errors: [] });
	},
);

describe('messages that the service returns later than the row shows them', () => {
	test('are emitted by the next poll, and rows are still relied on', async () => {
		await open();
		const chat = service.list[9]!;
		const ids = writeIn([chat]);
		service.delayed.add(ids[0]!);
		expect((await polls(1)).ids).toEqual([]);
		service.delayed.clear();
		expect((await polls(1)).ids).toEqual(ids);
		await polls(CHATS / 2);
		expect(watch.checkpoint?.baseline?.method).toBe('rows');
		// It is read once more only.
		expect(watch.checkpoint?.baseline?.again).toEqual([]);
	});

	/** A service whose rows name the newest message, by its ID or its time. */
	class NamingChats extends FakeChats {
		constructor(private readonly name: (newest: Message | undefined) => object) {
			super(HABITS, () => time.clock.now());
		}

		override async chats(page: number) {
			const found = await super.chats(page);
			const newest = (id: string) => this.list.find((chat) => chat.id === id)?.messages[0];
			const chats = found.chats.map(({ id, row }) => ({
				id,
				row: { ...row, ...this.name(newest(id)) },
			}));
			return { ...found, chats };
		}
	}

	test.each<[what: string, name: (newest: Message | undefined) => object, method: string]>([
		['its ID', (newest) => ({ lastMessage: { id: newest?.id } }), 'rows'],
		[
			'its time',
			(newest) => ({ lastMessageAt: newest && new Date(newest.at).toISOString() }),
			'rows',
		],
		// Then the row may have missed the message.
		['nothing of it', () => ({}), 'turns'],
	])('are emitted in turn if earlier ones came at once; of rows that name %s', async (...given) => {
		const [, name, method] = given;
		service = new NamingChats(name);
		for (let i = 0; i < CHATS; i++) service.addMessage(service.makeChat());
		watch = new Watch(service);
		await polls(2);
		const chat = service.list[9]!;
		const [first, second] = [service.addMessage(chat), service.addMessage(chat)];
		service.delayed.add(second.id);
		expect((await polls(1)).ids).toEqual([first.id]);
		service.delayed.clear();
		expect((await polls(CHATS)).ids).toEqual([second.id]);
		expect(watch.checkpoint?.baseline?.method).toBe(method);
	});

	test('of a new chat, too', async () => {
		await open();
		const ids = writeIn([service.makeChat()]);
		service.delayed.add(ids[0]!);
		expect((await polls(1)).ids).toEqual([]);
		service.delayed.clear();
		expect((await polls(1)).ids).toEqual(ids);
		expect(watch.checkpoint?.baseline?.method).toBe('rows');
	});

	test('are waited for, although the counts of channels have not changed', async () => {
		await open({ counts: 'exact' });
		for (let i = 0; i < 5; i++) {
			writeIn([service.list[i]!]);
			await polls(1);
		}
		const ids = writeIn([service.list[9]!]);
		service.delayed.add(ids[0]!);
		expect((await polls(1)).ids).toEqual([]);
		service.delayed.clear();
		expect((await polls(1)).ids).toEqual(ids);
		await polls(1);
		expect(service.requests).toEqual(['count ch1']);
	});
});
