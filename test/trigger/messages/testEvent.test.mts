/** Which message "Fetch Test Event" shows. */
import type { IDataObject } from 'n8n-workflow';
import {
	newestMessage,
	noMessage,
} from '../../../nodes/ConversationalMessaging/trigger/messages/testEvent.ts';
import type { MessageSubscription } from '../../../nodes/ConversationalMessaging/trigger/messages/subscription.ts';
import { useFakeTime } from '../../support/time.mts';
import { FakeChats, HABITS, type Habits } from './chats.mts';
import { NODE } from '../../support/node.mts';
import { SUBSCRIPTION } from './watch.mts';

const time = useFakeTime();
let service: FakeChats;

const open = (chats: number, habits: Partial<Habits> = {}) => {
	service = new FakeChats({ ...HABITS, ...habits }, () => time.clock.now());
	for (let i = 0; i < chats; i++) service.makeChat();
};

beforeEach(() => {
	open(12);
});

/** Stores a message of a customer, or of an agent. @param chat its place in the list */
const write = (chat: number, inbound = true): string => {
	time.clock.advance(60_000);
	return service.addMessage(service.list[chat]!, inbound).id;
};

const fetchEvent = async (change: Partial<MessageSubscription> = {}) => {
	const items = await newestMessage(service, { ...SUBSCRIPTION, ...change }, NODE);
	return items.map(({ json }) => json.recordId);
};

test('the newest message of a customer, although an agent has written in another chat since', async () => {
	write(2);
	write(5);
	const newest = write(5);
	const answer = write(2, false);
	expect(await fetchEvent()).toStrictEqual([newest]);
	expect(await fetchEvent({ from: 'both' })).toStrictEqual([answer]);
});

test('there is none without a chat', async () => {
	open(0);
	expect(await fetchEvent()).toStrictEqual([]);
});

test('of the first ten chats', async () => {
	write(10);
	expect(await fetchEvent()).toStrictEqual([]);
	const tenth = write(9);
	expect(await fetchEvent()).toStrictEqual([tenth]);
	service.begin();
	await fetchEvent();
	expect(service.requests).toBe(11);
});

test('of the ten chats that were written in last, if the list shows it', async () => {
	open(12, { lastMessage: true });
	write(3);
	const newest = write(11);
	service.begin();
	expect(await fetchEvent()).toStrictEqual([newest]);
	expect(service.requests).toBe(11);
});

test.each([404, 500])('a chat that fails with %i does not hide the others', async (status) => {
	const newest = write(2);
	service.failing.set(service.list[1]!.id, status);
	expect(await fetchEvent()).toStrictEqual([newest]);
});

test.each([403, 429])('if there is none, and a chat fails with %i, it says so', async (status) => {
	service.failing.set(service.list[1]!.id, status);
	await expect(fetchEvent()).rejects.toThrow(`Status ${status}`);
});

test.each([
	['customers', 'No message from a customer was found in 10 chats'],
	['both', 'No message was found in 10 chats'],
] as const)('none from %s: %s', (from, message) => {
	const description =
		'Have a customer write, or narrow Filters. A published workflow does not need a test event.';
	const error = noMessage({ ...SUBSCRIPTION, from }, NODE);
	expect(error).toMatchObject({ message, description });
});

test('an event has the form of a real one', async () => {
	const newest = write(0);
	const [item] = await newestMessage(service, { ...SUBSCRIPTION, isGrouped: true }, NODE);
	expect(item!.json).toMatchObject({
		event: 'messageReceived',
		recordId: newest,
		text: `Text of ${newest}`,
		detectedAt: new Date(time.clock.now()).toISOString(),
		messages: [{ recordId: newest } satisfies IDataObject],
	});
});
