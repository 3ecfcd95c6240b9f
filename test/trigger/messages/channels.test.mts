/** Which channels' counts of messages are read. */
import { FakeTime } from '../../time.mts';
import { FakeChats, HABITS, outage } from './service.mts';
import { SUBSCRIPTION, Watch } from './watch.mts';

let time: FakeTime;
let service: FakeChats;
let watch: Watch;

beforeEach(() => {
	time = new FakeTime().install();
	service = new FakeChats({ ...HABITS, counts: 'exact' }, () => time.clock.now());
	for (let i = 0; i < 20; i++) service.addMessage(service.makeChat());
	watch = new Watch(service);
});
afterEach(() => time.restore());

const polls = async (count: number) => {
	for (let i = 0; i < count; i++) {
		time.clock.advance(60_000);
		await watch.poll();
	}
};

/** Until a poll reads nothing but counts. */
const rest = async () => {
	for (let i = 0; i < 4; i++) {
		service.addMessage(service.list[i]!);
		await polls(1);
	}
	await polls(1);
};

const channels = () => watch.checkpoint?.baseline?.counts?.channels;

test('a channel that is added later is among them after at most ten polls', async () => {
	await polls(2);
	await rest();
	expect(service.requests).toEqual(['count ch1']);
	service.channelIds = ['ch2', 'ch1'];
	await polls(10);
	expect(channels()).toEqual(['ch2', 'ch1']);
	await rest();
	expect(service.requests).toEqual(['count ch2', 'count ch1']);
});

test('the order of the list of channels does not matter', async () => {
	service.channelIds = ['ch1', 'ch2'];
	await polls(2);
	await rest();
	service.channelIds = ['ch2', 'ch1'];
	await polls(20);
	expect(channels()).toEqual(['ch1', 'ch2']);
	expect(watch.checkpoint?.baseline?.counts?.proofs).toBeGreaterThan(2);
});

test.each<[string, string[]]>([
	['none', []],
	['more than ten', Array.from({ length: 11 }, (_, i) => `ch${i}`)],
])('counts are not used any more if there are %s', async (_name, ids) => {
	await polls(2);
	service.channelIds = ids;
	await polls(10);
	expect([watch.checkpoint?.baseline?.polls, channels()]).toEqual([11, undefined]);
	await polls(1);
	expect(service.requests[0]).toBe('chats 1');
});

test('as many channels, but others, are counted from their first reading on', async () => {
	service.channelIds = ['ch1', 'ch2'];
	await polls(2);
	await rest();
	service.channelIds = ['ch2', 'ch3'];
	await polls(10);
	expect(watch.checkpoint?.baseline?.counts).toMatchObject({ channels: ['ch2', 'ch3'], proofs: 0 });
});

describe('if one of two channels shows no number, news may be in it', () => {
	const hide = () => {
		const all = service.counts.bind(service);
		service.counts = async (id) => (await all(id)).slice(id === 'ch1' ? 1 : 0);
	};
	beforeEach(() => {
		service.channelIds = ['ch1', 'ch2'];
	});

	test('no counts are used', async () => {
		hide();
		await polls(1);
		expect(channels()).toBeUndefined();
	});

	test('they are not used any more', async () => {
		await polls(2);
		await rest();
		hide();
		await polls(1);
		expect([watch.checkpoint?.failures, channels()]).toEqual([0, undefined]);
		expect(service.requests).toContain('chats 1');
	});
});

test('ten channels are read', async () => {
	service.channelIds = Array.from({ length: 10 }, (_, i) => `ch${i}`);
	await polls(1);
	expect(channels()).toHaveLength(10);
});

test('with a filter for a channel, only that one', async () => {
	const subscription = { ...SUBSCRIPTION, query: { channelId: 'mine' } };
	watch = new Watch(service, undefined, subscription);
	await polls(21);
	expect(channels()).toEqual(['mine']);
	expect(service.requests).not.toContain('channels');
});

test.each([
	['the list of channels', 'channels'],
	['a channel', 'count ch1'],
])(
	'if %s fails for a while, the poll has failed, and what is known is kept',
	async (_name, failing) => {
		await polls(2);
		await rest();
		service.onRequest = () => {
			if (service.requests.at(-1) === failing) throw outage();
		};
		for (let i = 0; i < 10 && watch.checkpoint?.failures === 0; i++) await polls(1);
		expect([watch.checkpoint?.failures, channels()]).toEqual([1, ['ch1']]);
		service.onRequest = () => undefined;
		await polls(2);
		expect([watch.checkpoint?.failures, service.requests]).toEqual([0, ['count ch1']]);
	},
);
