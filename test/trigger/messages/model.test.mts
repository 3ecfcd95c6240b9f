import fc from 'fast-check';
import type { MessageLimits } from '../../../nodes/ConversationalMessaging/trigger/limits.ts';
import { MESSAGE_LIMITS } from '../../../nodes/ConversationalMessaging/trigger/limits.ts';
import { keyOf } from '../../../nodes/ConversationalMessaging/trigger/keys.ts';
import { FakeTime } from '../../time.mts';
import { check, kind } from '../histories.mts';
import { failure, FakeChats, type Chat, type Habits, type Message } from './chats.mts';
import { Watch } from './watch.mts';
import { runs } from '../../runs.mts';

/**
 * Polls random histories of every kind of service, and checks the guarantees:
 *
 * - every message of a customer that is stored after the first poll is emitted once, in the order of its chat, whatever
 *   fails in between, and whatever times some messages show; nothing else is emitted;
 * - chats that always fail hold up no other chat;
 * - a poll sends no more requests than it may, but for one long history.
 */

const HOUR_MS = 3_600_000;

/** A change at the service. Numbers choose a chat or a message, modulo their count. */
type Change =
	| { do: 'write'; chat: number; inbound: boolean; count: number; lateMinutes: number }
	| { do: 'start'; messages: number }
	| { do: 'touch'; chat: number }
	| { do: 'touchAll' }
	| { do: 'delete'; chat: number; message: number }
	/** The messages of a chat cannot be read, or can be read again. */
	| { do: 'fail'; chat: number; status: number }
	/** A message shows a time that is hours away; ahead if negative. */
	| { do: 'wrong'; chat: number; inbound: boolean; lateHours: number }
	/** So many chats cannot be read for good. */
	| { do: 'break'; chat: number; chats: number; status: number }
	/** A page of the list cannot be read, or can be read again. */
	| { do: 'failPage'; page: number; status: number }
	/** The next poll gets the list from a cache: as it is now. */
	| { do: 'cache' };

type Step =
	| Change
	/** A poll, during which messages arrive and requests fail. */
	| { do: 'poll'; during: { request: number; what: Change }[]; failAt?: number }
	/** During this many polls, no chat can be read, and all rows change. */
	| { do: 'outage'; polls: number }
	/** n8n restarts, with the state that it saved this many polls ago. */
	| { do: 'restart'; ago: number }
	/** A new token of the same organization. */
	| { do: 'token' }
	/** A token of the other organization, or of the first one again. */
	| { do: 'organization' };

const chat = fc.nat(99);

const change: fc.Arbitrary<Change> = fc.oneof(
	kind(12, 'write', {
		chat,
		inbound: fc.constantFrom(true, true, false),
		count: fc.oneof(
			{ weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }) },
			{ weight: 1, arbitrary: fc.integer({ min: 4, max: 30 }) },
		),
		lateMinutes: fc.oneof(
			{ weight: 5, arbitrary: fc.constant(0) },
			{ weight: 1, arbitrary: fc.integer({ min: 1, max: 10 }) },
		),
	}),
	kind(2, 'start', { messages: fc.nat(2) }),
	kind(2, 'touch', { chat }),
	kind(1, 'touchAll', {}),
	kind(1, 'cache', {}),
	kind(1, 'delete', { chat, message: fc.nat(3) }),
	kind(1, 'wrong', { chat, inbound: fc.boolean(), lateHours: fc.integer({ min: -23, max: 23 }) }),
	kind(1, 'fail', { chat, status: fc.constantFrom(500, 403, 404) }),
	kind(1, 'failPage', {
		page: fc.integer({ min: 1, max: 6 }),
		status: fc.constantFrom(500, 403, 404),
	}),
	kind(1, 'break', {
		chat,
		chats: fc.integer({ min: 3, max: 12 }),
		status: fc.constantFrom(500, 403),
	}),
);

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 10, arbitrary: change },
	{ weight: 10, arbitrary: fc.constant<Step>({ do: 'poll', during: [] }) },
	kind(4, 'poll', {
		during: fc.array(fc.record({ request: fc.integer({ min: 1, max: 12 }), what: change }), {
			maxLength: 3,
		}),
		failAt: fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined }),
	}),
	kind(1, 'outage', { polls: fc.integer({ min: 1, max: 8 }) }),
	kind(1, 'restart', { ago: fc.nat(4) }),
	kind(1, 'token', {}),
	kind(1, 'organization', {}),
);

const habits: fc.Arbitrary<Habits> = fc.record({
	rows: fc.constantFrom<Habits['rows'][]>('show', 'show', 'silent', 'some silent', 'always differ'),
	order: fc.constantFrom<Habits['order'][]>('activity', 'newest', 'oldest'),
	pages: fc.constantFrom<Habits['pages'][]>(
		'shown',
		'unknown',
		'unknown, and the last one again and again',
	),
	afterEnd: fc.constantFrom<Habits['afterEnd'][]>('nothing', 'its last page'),
	history: fc.constantFrom<Habits['history'][]>('by time', 'as stored'),
	hidesRows: fc.boolean(),
	total: fc.boolean(),
	times: fc.constantFrom<Habits['times'][]>('milliseconds', 'whole seconds'),
	writer: fc.constantFrom<Habits['writer'][]>('direction', 'addresses'),
	numbersMessages: fc.boolean(),
	pageSize: fc.integer({ min: 2, max: 7 }),
	windowSize: fc.option(fc.integer({ min: 8, max: 120 }), { nil: undefined }),
	aheadMs: fc.constant(0),
	agentsAheadMs: fc.constantFrom(0, 0, 2 * HOUR_MS),
});

const small: fc.Arbitrary<MessageLimits> = fc.record({
	requests: fc.integer({ min: 6, max: 60 }),
	requestsUnknown: fc.integer({ min: 6, max: 60 }),
	listPages: fc.integer({ min: 2, max: 5 }),
	watchedPages: fc.constant(30),
	chats: fc.constant(1_000),
	ids: fc.oneof(fc.integer({ min: 5, max: 60 }), fc.constant(MESSAGE_LIMITS.ids)),
	take: fc.integer({ min: 2, max: 8 }),
	historyPages: fc.constant(20),
});

interface Emitted {
	chatId: string;
	/** The IDs of the chat and the message. */
	key: string;
	recordId: string;
}

const keyIn = (chatId: string, id: string): string => `${chatId} ${id}`;

/** All messages, with the IDs of their chats. */
const messagesOf = ({ list }: FakeChats) =>
	list.flatMap(({ id, messages }) =>
		messages.map((message) => ({ ...message, chatId: id, key: keyIn(id, message.id) })),
	);

/** The state that n8n saved after a poll, and what had been emitted by then. */
interface Saved {
	text: string;
	/** Which organization the state is of. */
	organization?: 0 | 1;
	emitted: readonly Emitted[];
	/** Which messages were there when the state began; undefined without one. */
	old?: ReadonlySet<string>;
	/** Those that arrived during the first poll may count as old or as new. */
	either?: ReadonlySet<string>;
}

/** How many histories went through what. */
const reached = {
	all: 0,
	'trust in rows': 0,
	'unchanged rows with news': 0,
	'a list in parts': 0,
	'chats that fail': 0,
	'messages stored late': 0,
	'times that are ahead': 0,
	'hidden rows': 0,
	'many chats after an outage': 0,
	'a new token': 0,
	'another organization': 0,
	'IDs forgotten': 0,
	'a long history': 0,
};

class History {
	/** Two organizations. The credential has the token of one at a time. */
	private readonly services: [FakeChats, FakeChats];

	private organization: 0 | 1 = 0;

	private token = 0;

	private readonly saved: Saved[] = [{ text: '', emitted: [] }];

	private readonly reached = new Set<keyof typeof reached>();

	/** Messages that are stored so late that they may be lost: older than what was read, and than the IDs that are kept. */
	private readonly tooLate = new Set<string>();

	private readonly late = new Map<Message, Chat>();

	/** Chats in which a customer's message shows a time that is ahead: what is read hours later may be lost there. */
	private readonly ahead = new Set<string>();

	private trust = 0;

	constructor(
		habits: Habits,
		chats: number,
		private readonly limits: MessageLimits,
	) {
		const now = () => time.clock.now();
		const make = (prefix: string) => new FakeChats(habits, now, undefined, prefix);
		this.services = [make('a'), make('b')];
		for (const service of this.services) for (let i = 0; i < chats; i++) service.makeChat(i % 5);
		if (habits.hidesRows) this.reached.add('hidden rows');
	}

	private get service(): FakeChats {
		return this.services[this.organization];
	}

	async run(steps: Step[]): Promise<void> {
		for (const each of steps) {
			time.clock.advance(60_000);
			if (each.do === 'poll') await this.poll(each);
			else if (each.do === 'outage') await this.outage(each.polls);
			else if (each.do === 'restart')
				this.saved.push(this.saved.at(-1 - each.ago) ?? this.saved[0]!);
			else if (each.do === 'token') this.token++;
			else if (each.do === 'organization') this.organization = this.organization === 0 ? 1 : 0;
			else this.apply(each);
		}
		for (const service of this.services) service.failingPages.clear();
		await this.settle('while others fail');
		for (const service of this.services) service.failing.clear();
		await this.settle('');
		reached.all++;
		for (const kind of this.reached) reached[kind]++;
	}

	/** If nothing else happens, this many polls read every chat: two of them at least, of a part of the list. */
	private async settle(when: string): Promise<void> {
		const { list } = this.service;
		const { pages, pageSize } = this.service.habits;
		// If every page after the end is the last one, a pass ends with the last page that is watched.
		const isEndless = pages.endsWith('again');
		const parts = isEndless ? this.limits.watchedPages : Math.ceil(list.length / pageSize) + 1;
		const most = parts * Math.ceil(list.length / 2) + list.length + 20;
		for (let i = 0; i < most && (i < 3 || this.missing().length > 0); i++) {
			time.clock.advance(60_000);
			await this.poll({ during: [] });
		}
		check(this.missing().length === 0, `never emitted ${when}`, this.missing());
	}

	private apply(what: Change): void {
		const { service } = this;
		const { list } = service;
		// In a history in the order of storage, old times at the end of a page end it.
		const isByTime = service.habits.history === 'by time';
		const at = (number: number): Chat | undefined => list[number % list.length];
		if (what.do === 'start') service.makeChat(what.messages);
		else if (what.do === 'cache') service.cacheList();
		else if (what.do === 'failPage') {
			if (!service.failingPages.delete(what.page)) service.failingPages.set(what.page, what.status);
		} else if (what.do === 'touchAll') for (const chat of list) service.touch(chat);
		else {
			const chat = at(what.chat);
			if (!chat) return;
			if (what.do === 'touch') service.touch(chat);
			else if (what.do === 'fail') {
				if (!service.failing.delete(chat.id)) service.failing.set(chat.id, what.status);
			} else if (what.do === 'break')
				for (let i = 0; i < what.chats; i++)
					service.failing.set(at(what.chat + i)!.id, what.status);
			else if (what.do === 'write')
				for (let i = 0; i < what.count; i++) {
					const lateMs = isByTime ? what.lateMinutes * 60_000 : 0;
					const message = service.addMessage(chat, what.inbound, lateMs);
					if (lateMs > 0) this.late.set(message, chat);
				}
			else if (what.do === 'wrong') {
				const lateHours = isByTime ? what.lateHours : -Math.abs(what.lateHours);
				const message = service.addMessage(chat, what.inbound, lateHours * HOUR_MS);
				if (lateHours >= 0) this.late.set(message, chat);
				else if (what.inbound) this.ahead.add(chat.id);
			} else chat.messages.splice(what.message, 1);
		}
	}

	private async outage(polls: number): Promise<void> {
		this.service.isOut = true;
		for (let i = 0; i < polls; i++) {
			this.apply({ do: 'touchAll' });
			await this.poll({ during: [] });
			time.clock.advance(60_000);
		}
		this.service.isOut = false;
	}

	private async poll({ during, failAt }: Omit<Step & { do: 'poll' }, 'do'>): Promise<void> {
		const { service, limits } = this;
		const last = this.saved.at(-1)!;
		const watch = new Watch(service, limits);
		watch.text = last.text;
		const isFirst = !watch.checkpoint?.state || last.organization !== this.organization;
		const wasFailing = watch.checkpoint?.state?.failing.length ?? 0;
		// Of chats that the first poll cannot read, nothing shows that a message whose time is ahead was there.
		const before = new Set(
			messagesOf(service)
				.filter(({ at }) => at <= time.clock.now())
				.map(({ key }) => key),
		);
		service.onRequest = (request) => {
			for (const { request: at, what } of during) if (at === request) this.apply(what);
			if (request === failAt) throw failure(request % 2 ? 503 : 429);
		};
		// What an old list hides from the first poll cannot be known.
		if (isFirst) service.clearCache();
		this.noteLate(watch);
		const { items } = await watch.poll('scope', `${this.organization} ${this.token}`);
		service.onRequest = () => undefined;
		service.clearCache();
		this.noteLate(watch);
		this.checkRequests();
		const emitted = items.map(({ chatId, recordId, eventId }) => {
			check(
				eventId === `messageReceived:${chatId as string}:${recordId as string}`,
				'event ID',
				eventId,
			);
			const key = keyIn(chatId as string, recordId as string);
			return { chatId: chatId as string, recordId: recordId as string, key };
		});
		const all = messagesOf(service).map(({ key }) => key);
		const { checkpoint } = watch;
		const [organization, token] = checkpoint!.token.split(' ').map(Number);
		const isSaved = checkpoint?.state !== undefined && organization === this.organization;
		if (isFirst && !isSaved) {
			check(emitted.length === 0, 'emitted without a state', emitted);
			this.saved.push({ ...last, text: watch.text });
			return;
		}
		if (isFirst && last.organization !== undefined) this.reached.add('another organization');
		if (!isFirst && token !== 0) this.reached.add('a new token');
		if (wasFailing > 12 && wasFailing - (checkpoint?.state?.failing.length ?? 0) > 8)
			this.reached.add('many chats after an outage');
		const { old, either } = isFirst ? { old: before, either: new Set(all) } : last;
		this.note(watch);
		this.checkPoll(isFirst ? [] : last.emitted, emitted, old ?? new Set());
		this.saved.push({
			text: watch.text,
			organization: this.organization,
			emitted: isFirst ? emitted : [...last.emitted, ...emitted],
			old,
			either,
		});
	}

	private checkRequests(): void {
		const { sent, windowSize } = this.service;
		const half =
			windowSize === undefined ? this.limits.requestsUnknown : Math.floor(windowSize / 2);
		const most = Math.max(6, Math.min(this.limits.requests, half));
		const beyond = sent.slice(most).map((request) => request.split(' ')[0]);
		if (beyond.length > 0) this.reached.add('a long history');
		check(new Set(beyond).size <= 1, 'requests for several chats', most, sent);
		check(beyond.length < this.limits.historyPages, 'requests for one chat', most, sent);
	}

	private checkPoll(
		former: readonly Emitted[],
		emitted: readonly Emitted[],
		old: ReadonlySet<string>,
	): void {
		const known = new Set(former.map(({ key }) => key));
		const times = new Map<string, number>();
		for (const { chatId, recordId, key } of emitted) {
			check(!known.has(key), 'emitted twice', key);
			known.add(key);
			check(!old.has(key), 'was there before', key);
			const chat = this.service.list.find(({ id }) => id === chatId)!;
			const message = chat.messages.find(({ id }) => id === recordId);
			// It was deleted during the poll.
			if (!message) continue;
			check(message.inbound, 'not from the customer', key);
			const isOrdered = Math.floor(message.at / 1_000) >= (times.get(chatId) ?? 0);
			check(isOrdered, 'out of order', key);
			times.set(chatId, Math.floor(message.at / 1_000));
		}
	}

	/** The messages that should have been emitted. */
	private missing(): string[] {
		const { organization, emitted, old, either } = this.saved.at(-1)!;
		if (!old || organization !== this.organization) return ['no state'];
		const known = new Set(emitted.map(({ key }) => key));
		return messagesOf(this.service)
			.filter(({ chatId, inbound }) => inbound && !this.service.failing.has(chatId))
			.map(({ key }) => key)
			.filter((key) => !old.has(key) && !either?.has(key) && !known.has(key))
			.filter((key) => !this.tooLate.has(key));
	}

	private noteLate({ checkpoint }: Watch): void {
		const { state } = checkpoint ?? {};
		if (!state) return;
		// IDs are kept for two hours, unless there are too many.
		const mayBeForgotten = (at: number): boolean =>
			Math.floor(at / 1_000) <= state.seenSince &&
			(this.limits.ids < MESSAGE_LIMITS.ids ||
				Math.floor(at / 1_000) <= state.start ||
				at <= time.clock.now() - 2 * HOUR_MS);
		for (const [{ id, at }, chat] of this.late) {
			const known = state.chats.get(keyOf(chat.id));
			const isRead = known !== undefined && known.mark !== 0;
			if (!isRead || mayBeForgotten(at)) this.tooLate.add(keyIn(chat.id, id));
			else this.reached.add('messages stored late');
		}
		for (const { id: chatId, messages } of this.service.list.filter(({ id }) => this.ahead.has(id)))
			for (const { id, at } of messages) {
				const readTo = state.chats.get(keyOf(chatId))?.readTo ?? 0;
				if (Math.floor(at / 1_000) <= Math.min(readTo, state.seenSince))
					this.tooLate.add(keyIn(chatId, id));
				else this.reached.add('times that are ahead');
			}
	}

	private note({ checkpoint }: Watch): void {
		const { state } = checkpoint ?? {};
		if (!state) return;
		if (state.trust >= 3) this.reached.add('trust in rows');
		if (state.trust < this.trust) this.reached.add('unchanged rows with news');
		this.trust = state.trust;
		if (state.page > 1) this.reached.add('a list in parts');
		if (state.failing.length > 0) this.reached.add('chats that fail');
		if (state.seenSince > state.start) this.reached.add('IDs forgotten');
	}
}

let time: FakeTime;

beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => {
	time.restore();
});

test('every message of a customer is emitted once and in order, by every kind of service; the histories reach everything', async () => {
	await fc.assert(
		fc.asyncProperty(
			habits,
			fc.integer({ min: 1, max: 32 }),
			small,
			fc.array(step, { minLength: 5, maxLength: 80 }),
			async (kind, chats, limits, steps) => {
				await new History(kind, chats, limits).run(steps);
			},
		),
		{
			numRuns: runs(80, 2_000),
			// To reproduce one history: the seed and the path of a failure.
			...(process.env.SEED && { seed: Number(process.env.SEED), path: process.env.AT }),
		},
	);
	// A number of one's own, or one history again, need not reach everything.
	if (process.env.RUNS || process.env.SEED) {
		console.info(reached);
		return;
	}
	for (const [what, histories] of Object.entries(reached))
		expect([what, histories > 0]).toStrictEqual([what, true]);
}, 3_600_000);
