/** Chats that are read in turn, while the service is slow, fails, or rejects some of them. */
import { chatKey } from '../../../nodes/ConversationalMessaging/trigger/messages/baseline.ts';
import { MESSAGE_LIMITS } from '../../../nodes/ConversationalMessaging/trigger/messages/limits.ts';
import { FakeTime } from '../../time.mts';
import { FakeChats, HABITS, outage } from './service.mts';
import { Watch } from './watch.mts';

let time: FakeTime;
let service: FakeChats;
let watch: Watch;

beforeEach(async () => {
	time = new FakeTime().install();
	service = new FakeChats({ ...HABITS, rows: 'lie' }, () => time.clock.now());
	for (let i = 0; i < CHATS; i++) service.addMessage(service.makeChat());
	watch = new Watch(service);
	await watch.poll();
});
afterEach(() => time.restore());

const CHATS = 40;

const poll = async () => {
	time.clock.advance(60_000);
	return await watch.poll();
};

/** Until it has noticed that rows show nothing. */
const learnToReadInTurn = async () => {
	service.addMessage(service.list[7]!);
	for (let i = 0; i < CHATS && watch.checkpoint?.baseline?.method !== 'turns'; i++) await poll();
	expect(watch.checkpoint?.baseline?.method).toBe('turns');
};

const writeInAll = () => service.list.map((chat) => service.addMessage(chat).id).toSorted();

/** The IDs of the messages that polls emit, in any order. */
const polls = async (count: number): Promise<string[]> => {
	const ids: string[] = [];
	for (let i = 0; i < count; i++)
		ids.push(...(await poll()).items.map(({ recordId }) => recordId as string));
	return ids.toSorted();
};

test('a poll ends within 20 seconds, however slow the service is, and the next one continues', async () => {
	await learnToReadInTurn();
	const all = writeInAll();
	service.onRequest = () => time.clock.advance(1_000);
	const began = time.clock.now() + 60_000;
	const first = await poll();
	// Up to eight requests are under way when the time is over.
	expect(time.clock.now() - began).toBeLessThan(MESSAGE_LIMITS.inTurnMs + 8_000);
	expect([first.error, watch.checkpoint?.failures]).toEqual([undefined, 0]);
	const found = first.items.map(({ recordId }) => recordId as string);
	expect(found.length).toBeGreaterThan(0);
	expect(found.length).toBeLessThan(CHATS);
	expect([...found, ...(await polls(2))].toSorted()).toEqual(all);
});

test('if every poll fails after ten requests, all messages are emitted once nevertheless', async () => {
	await learnToReadInTurn();
	const all = writeInAll();
	service.onRequest = (request) => {
		if (request > 10) throw outage();
	};
	expect(await polls(8)).toEqual(all);
	expect(watch.checkpoint?.failures).toBeGreaterThan(0);
});

test('two chats that the service rejects do not hold up the others', async () => {
	// The turn goes by key, so one poll reads both of them.
	const inTurn = service.list.toSorted((one, other) => chatKey(one.id) - chatKey(other.id));
	for (const { id } of inTurn.slice(0, 2)) service.failing.set(id, 403);
	const others = service.list.filter(({ id }) => !service.failing.has(id));
	const expected = others.map((chat) => service.addMessage(chat).id).toSorted();
	expect(await polls(CHATS)).toEqual(expected);
});
