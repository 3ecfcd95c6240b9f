/** Which messages count as customers', and when that is not known. */
import type { IDataObject } from 'n8n-workflow';
import { shownDirections } from '../../../nodes/ConversationalMessaging/trigger/messages/items.ts';
import { newestMessage } from '../../../nodes/ConversationalMessaging/trigger/messages/testEvent.ts';
import { FakeTime } from '../../time.mts';
import { FakeChats, HABITS } from './service.mts';
import { NODE, SUBSCRIPTION, Watch } from './watch.mts';

const [USER, AGENT, INBOUND] = [
	{ id: 'u', senderType: 'USER' },
	{ id: 'a', senderType: 'AGENT' },
	{ id: 'i', direction: 'INBOUND' },
];

test.each<[string, IDataObject[][], boolean, boolean, IDataObject | undefined]>([
	['none', [[]], false, false, undefined],
	['one from a customer', [[AGENT, USER], [INBOUND]], true, true, USER],
	['only from agents', [[AGENT]], true, false, AGENT],
	['from agents, and others in the same chat', [[AGENT, USER]], false, false, USER],
	['from agents, and others in another chat', [[AGENT], [USER]], false, false, USER],
])('without a setting, messages: %s', (_name, chats, isShown, isLasting, example) => {
	const read = chats.map((messages, i) => ({ chat: { id: `${i}`, row: {} }, messages }));
	const shown = shownDirections(read, SUBSCRIPTION);
	expect(shown).toEqual({ isShown, isLasting, example });
});

describe('with a setting', () => {
	let time: FakeTime;
	let service: FakeChats;
	beforeEach(() => {
		time = new FakeTime().install();
		service = new FakeChats(HABITS, () => time.clock.now());
		const chat = service.makeChat();
		service.addMessage(chat);
		service.addMessage(chat, false);
	});
	afterEach(() => time.restore());

	const watchWith = (key: string, value: string) =>
		new Watch(service, undefined, { ...SUBSCRIPTION, direction: { key, value } });

	const poll = async (watch: Watch) => {
		time.clock.advance(60_000);
		return await watch.poll();
	};

	test.each(['', 'INBOUND'])('a field that no message has is named, value "%s"', async (value) => {
		const watch = watchWith('sender', value);
		const { items, error } = await poll(watch);
		expect([items, error?.message]).toEqual([[], 'No message has the field "sender"']);
		await expect(newestMessage(service, watch.subscription, NODE)).rejects.toThrow(
			'No message has the field "sender"',
		);
	});

	test('the case of the field does not matter', async () => {
		const watch = watchWith('DIRECTION', 'inbound');
		await poll(watch);
		const { id } = service.addMessage(service.list[0]!);
		service.addMessage(service.list[0]!, false);
		expect((await poll(watch)).items.map(({ recordId }) => recordId)).toEqual([id]);
	});

	test('a later mistake is noticed, although messages were recognized before', async () => {
		const watch = watchWith('direction', 'inbound');
		expect((await poll(watch)).error).toBeUndefined();
		watch.subscription = { ...SUBSCRIPTION, direction: { key: 'directoin', value: '' } };
		const { id } = service.addMessage(service.list[0]!);
		expect((await poll(watch)).error?.message).toBe('No message has the field "directoin"');
		watch.subscription = SUBSCRIPTION;
		expect((await poll(watch)).items.map(({ recordId }) => recordId)).toEqual([id]);
	});
});
