import type { MessageBaseline } from '../../../nodes/ConversationalMessaging/trigger/messages/baseline.ts';
import { chatKey } from '../../../nodes/ConversationalMessaging/trigger/messages/baseline.ts';
import { knownOrder } from '../../../nodes/ConversationalMessaging/trigger/messages/historyOrder.ts';
import type { MessageLimits } from '../../../nodes/ConversationalMessaging/trigger/messages/limits.ts';
import type { MessageSubscription } from '../../../nodes/ConversationalMessaging/trigger/messages/subscription.ts';
import type { FakeTime } from '../../time.mts';
import { carryOutLines, type During } from '../lines.mts';
import { FakeChats, HABITS, outage, type Chat, type Habits } from './service.mts';
import { SUBSCRIPTION, Watch } from './watch.mts';

/** So few that a handful of chats reaches every limit. */
export const SMALL: MessageLimits = {
	listPages: 9,
	reads: 20,
	readsUnknown: 12,
	inTurnMs: 20_000,
	audits: 1,
	channels: 2,
	proofs: 1,
	idlePolls: 2,
	checkEvery: 50,
	chats: 100,
	recentChats: 100,
	take: 4,
	again: 5,
};

export interface Setting {
	habits?: Partial<Habits>;
	limits?: Partial<MessageLimits>;
	subscription?: Partial<MessageSubscription>;
	/** The agent in the filter of the service. */
	agent?: string;
}

/**
 * Carries out a script, line by line, and returns it with what each poll really did.
 *
 *     make 3                     chats with one message from a customer each: C1, C2, C3
 *     make 2*0                   two chats without messages
 *     write C1 C2*3              messages from customers: C1.2, and C2.2 to C2.4
 *     answer C1                  a message from an agent
 *     store C1                   a message from a customer that the row shows, but that is not returned before "return"
 *     lose C1                    none of its messages is returned before "return"
 *     hide C1                    a message from a customer that the row does not show
 *     touch C1 · touch all       changes rows without news
 *     delete C1.2                a message
 *     drop C1 · add C1           a chat is not listed anymore, or is again, at the end
 *     assign C1 A2               to another agent
 *     reject C1 403 · accept C1  whether the messages of this chat can be read
 *     fail 3 · fail 3 429        the third request of the next poll, and all after it
 *     during 2: write C1         before the second request of the next poll
 *     slow 500                   the milliseconds that each request of the next poll takes
 *     wait 10                    minutes
 *     clock -9000                by how many milliseconds the clock of the service is ahead
              responses to requests at once arrive in reverse order
 *     window 40                  the size of the window of the rate limit
 *     channels ch1 ch2 · uncount · uncount 2     counts that are not shown anymore, or become smaller
 *     order newest               of the list
 *     scope other                another subscription
 *     restart 2                  with the state of two polls ago
 *     poll count list:1 C1 C1:3 -> C1.2     a minute later: its requests (the number of messages of a channel, pages of
 *                                the list, the messages of a chat, and those below its third one), and the messages that
 *                                it emits; "failed" if it is incomplete
 *       : in parts 4 2 3         its lines in the log, by their kind and their numbers
 *       = 3 chats                what it expects next time, if that has changed: how many chats are known, and as far as
 *                                they apply the parts of `stateOf`
 */
export async function carryOut(script: string, setting: Setting, time: FakeTime): Promise<string> {
	const habits = { ...HABITS, pageSize: 3, ...setting.habits };
	const service = new FakeChats(habits, () => time.clock.now(), setting.agent);
	const subscription = { ...SUBSCRIPTION, ...setting.subscription };
	const watch = new Watch(service, { ...SMALL, ...setting.limits }, subscription);
	const chats: Chat[] = [];
	const names = new Map<string, string>();
	const starts = new Map<number, number>();
	const saved = [''];
	let scope = 'scope';
	let expected = '';
	let failure: { at: number; status: number } | undefined;
	let slowMs = 0;
	const chatOf = (name: string): Chat => chats[Number(name.slice(1)) - 1]!;
	const counted = (word: string): [string, number] => {
		const [first = '', count = '1'] = word.split('*');
		return [first, Number(count)];
	};
	const add = (chat: Chat, inbound = true, isShown?: boolean): string => {
		const { id } = service.addMessage(chat, inbound, isShown);
		const number = [...names.values()].filter((name) => name.startsWith(`${nameOf(chat.id)}.`));
		names.set(id, `${nameOf(chat.id)}.${number.length + 1}`);
		return id;
	};
	const nameOf = (id: string): string => names.get(id) ?? id;

	const apply = (line: string): void => {
		const [what, ...given] = line.split(' ');
		const [first = '', last = ''] = given;
		const all = first === 'all' ? chats : given.map(chatOf);
		if (what === 'make') {
			const [count, messages] = counted(first);
			for (let i = 0; i < Number(count); i++) {
				const chat = service.makeChat();
				names.set(chat.id, `C${chats.push(chat)}`);
				for (let message = 0; message < messages; message++) add(chat);
			}
		} else if (what === 'write' || what === 'answer' || what === 'hide')
			for (const [name, count] of given.map(counted))
				for (const chat of name === 'all' ? chats : [chatOf(name)])
					for (let i = 0; i < count; i++)
						add(chat, what !== 'answer', what === 'hide' ? false : undefined);
		else if (what === 'store') for (const chat of all) service.delayed.add(add(chat));
		else if (what === 'lose')
			for (const { messages } of all) for (const { id } of messages) service.delayed.add(id);
		else if (what === 'return') service.delayed.clear();
		else if (what === 'touch') for (const chat of all) service.touch(chat);
		else if (what === 'delete')
			for (const chat of chats)
				chat.messages = chat.messages.filter(({ id }) => !given.includes(nameOf(id)));
		else if (what === 'drop') service.list.splice(service.list.indexOf(chatOf(first)), 1);
		else if (what === 'add') service.list.push(chatOf(first));
		else if (what === 'assign') chatOf(first).agent = last;
		else if (what === 'reject')
			for (const { id } of first === 'all' ? chats : [chatOf(first)])
				service.failing.set(id, Number(last));
		else if (what === 'accept') service.failing.delete(chatOf(first).id);
		else if (what === 'fail') failure = { at: Number(first), status: Number(last || 503) };
		else if (what === 'slow') slowMs = Number(first);
		else if (what === 'window') service.habits.windowSize = Number(first);
		else if (what === 'channels') service.channelIds = given;
		else if (what === 'uncount' && first !== '') service.uncount(Number(first));
		else if (what === 'uncount') service.habits.counts = 'none';
		else if (what === 'order') service.habits.order = first as Habits['order'];
		else if (what === 'wait') time.clock.advance(Number(first) * 60_000);
		else if (what === 'clock') service.clockAheadMs = Number(first);
		else if (what === 'reverse') service.isReversed = true;
		else if (what === 'scope') scope = first;
		else if (what === 'restart') saved.push(saved.at(-1 - Number(first))!);
		else throw new Error(`What is "${line}"?`);
	};

	const request = (text: string): string => {
		const [what, id = '', cursor] = text.split(' ');
		if (what === 'count') return service.channelIds.length > 1 ? `count:${id}` : 'count';
		if (what === 'chats') return `list:${id}`;
		if (what !== 'messages') return text;
		return `${nameOf(id)}${cursor === undefined ? '' : nameOf(cursor).replace(/^.*\./, ':')}`;
	};

	const poll = async (during: During): Promise<string[]> => {
		time.clock.advance(60_000);
		starts.set(time.clock.now(), starts.size + 1);
		service.onRequest = (number) => {
			for (const line of during.get(number) ?? []) apply(line);
			time.clock.advance(slowMs);
			if (failure && number >= failure.at) throw outage(failure.status);
		};
		watch.text = saved.at(-1)!;
		const { items, error } = await watch.poll(scope);
		service.onRequest = () => undefined;
		failure = undefined;
		slowMs = 0;
		saved.push(watch.text);
		const { failures = 0, baseline } = watch.checkpoint ?? {};
		const events = items.map(({ recordId }) => nameOf(recordId as string));
		const failed = failures > 0 ? [`failed ${failures}`] : [];
		const thrown = error ? [`error: ${error.message}`] : [];
		const requests = service.requests.map(request);
		const done = [...requests, '->', [...failed, ...thrown, ...events].join(', ')];
		const before = expected;
		expected = baseline ? `  = ${stateOf(baseline, nameOf, chats, starts)}` : '';
		return [
			`poll ${done.join(' ')}`.trim(),
			...watch.log.splice(0).map((line) => `  : ${kindOf(line)}`),
			...(expected === before ? [] : [expected]),
		];
	};

	return carryOutLines(script, { apply, poll });
}

const KINDS = {
	'in turn': /^The list of chats does not show which/,
	'in parts': /^The list of chats has/,
	'too long': /^Only the first/,
	unreadable: /^The messages of .* could not be read/,
};

/** A line of the log: its kind, and its numbers. */
function kindOf(line: string): string {
	const kind = Object.entries(KINDS).find(([, beginning]) => beginning.test(line))?.[0];
	return [kind ?? line, ...(line.match(/\d+/g) ?? [])].join(' ');
}

/**
 * - in turn: chats are read in turn, because rows do not show which have news
 * - without fetchedAt: fields of rows that change by themselves
 * - order 2, counts 2: how often the order of the list and the counts of channels have proven to show what is new
 * - 3 owed: messages that the counts imply, and that were not found; inexact, if they do not imply the number
 * - unread, rejected: chats of which no message was read; again: chats that are read once more
 * - newest first: the order in which the messages of a chat are returned, once it is known
 * - page 3 of pass 1: where the next poll continues to read a long list, and whether this pass is incomplete
 * - pending: chats remain to be read
 * - since 3: the last poll that saw every chat of the list, if it was not this one
 */
function stateOf(
	baseline: MessageBaseline,
	nameOf: (id: string) => string,
	all: Chat[],
	starts: ReadonlyMap<number, number>,
): string {
	const { method, volatile, order, counts, chats, again, histories, list, isPending, since } =
		baseline;
	const byKey = new Map(all.map(({ id }) => [chatKey(id), nameOf(id)]));
	const named = (keys: readonly number[]): string[] =>
		keys.map((key) => byKey.get(key)!).toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
	const keysOf = (is: (chat: { seen?: unknown; isRejected?: true }) => boolean): number[] =>
		[...chats].filter(([, chat]) => is(chat)).map(([key]) => key);
	const some = (label: string, keys: readonly number[]): string =>
		keys.length > 0 ? `${label} ${named(keys).join(' ')}` : '';
	return [
		`${chats.size} chats`,
		method === 'turns' ? 'in turn' : '',
		volatile.length > 0 ? `without ${volatile.join(' ')}` : '',
		order.proofs > 0 ? `order ${order.proofs}` : '',
		counts ? `counts ${counts.proofs}` : '',
		counts && counts.owed !== 0 ? `${counts.owed} owed` : '',
		counts?.isExact === false ? 'inexact' : '',
		some(
			'unread',
			keysOf(({ seen, isRejected }) => !seen && !isRejected),
		),
		some(
			'rejected',
			keysOf(({ isRejected }) => isRejected === true),
		),
		some('again', again),
		knownOrder(histories) ?? '',
		list ? `page ${list.page} of pass ${list.passes + 1}` : '',
		list?.isComplete === false ? 'incomplete' : '',
		list?.isPending ? 'its chats pending' : '',
		isPending ? 'pending' : '',
		since === [...starts.keys()].at(-1) ? '' : `since ${starts.get(since) ?? '?'}`,
	]
		.filter(Boolean)
		.join('; ');
}
