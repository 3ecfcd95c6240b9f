import fc from 'fast-check';
import { type IDataObject, NodeOperationError } from 'n8n-workflow';
import type { MessageLimits } from '../../../nodes/ConversationalMessaging/trigger/limits.ts';
import { clock } from '../../../nodes/ConversationalMessaging/api/base/clock.ts';
import { useFakeTime } from '../../support/time.mts';
import { check, expectReached, failure, kind, reproduced } from '../histories.mts';
import { N8n } from '../n8n.mts';
import type { Reported } from '../../../nodes/ConversationalMessaging/trigger/reports.ts';
import { FakeChats, type Chat, type Habits, type Message } from './chats.mts';
import { SUBSCRIPTION, Watch } from './watch.mts';
import { runs } from '../../support/runs.mts';

/**
 * Polls random histories of every kind of service. The model keeps what happened at the service, and judges the events by
 * it alone, not by what the trigger remembers:
 *
 * - every message that a customer writes after the first successful poll, in a chat that matches the filter, is emitted
 *   within the documented number of polls; once a chat matches again, also what was written meanwhile;
 * - nothing is emitted that the service does not have, that an agent wrote while only those of customers are wanted, or that was
 *   there before the first poll; of a chat that begins to match, nothing from before the last readings of the list;
 * - nothing is emitted twice, except after n8n was killed between emitting and saving, or ran a poll twice: with the same
 *   `eventId`;
 * - the polls of a minute send half of the rate limit at most, or 10 requests, but for the long history of one chat.
 *
 * Polls are 15 seconds, a minute or a day apart, and two n8n mains take over from each other. The exceptions in `isExempt` are
 * those of docs/TRIGGER.md.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

/** A change at the service. Numbers choose a chat or a message, modulo their count. */
type Change =
	| { do: 'write'; chat: number; inbound: boolean; count: number; lateMinutes: number }
	| { do: 'start'; messages: number; agent: string }
	/** A chat is assigned to another agent: it begins to match the filter, or no longer does. */
	| { do: 'assign'; chat: number; agent: string }
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
	/** A chat does not match the filter for so many polls, in which its customer writes. */
	| { do: 'away'; chat: number; polls: number; count: number }
	/** n8n restarts after some time, with the state of the last poll that emitted something. */
	| { do: 'restart'; afterMs: number }
	/** The other n8n main takes over, with what n8n has saved and with what it knows from the last time. */
	| { do: 'takeOver' }
	/** A poll whose events start the workflow, and n8n is killed before it saves the state. */
	| { do: 'kill' }
	/** Two polls that begin with the same state, as after republishing while a poll runs. The state of one of them remains. */
	| { do: 'twice'; keepsFirst: boolean; between: Change[] }
	/** The clock of n8n's machine is wrong for so many polls. */
	| { do: 'clock'; offMs: number | '1970'; polls: number }
	/** The other choice of Messages From. */
	| { do: 'from' }
	/** A new token of the same organization. */
	| { do: 'token' }
	/** A token of the other organization, or of the first one again. */
	| { do: 'organization' };

const chat = fc.nat(99);
const agent = fc.constantFrom('A1', 'A1', 'A2');

const change: fc.Arbitrary<Change> = fc.oneof(
	kind(20, 'write', {
		// Several in the same chats.
		chat: fc.oneof(fc.nat(2), chat),
		inbound: fc.constantFrom(true, true, false),
		count: fc.oneof(
			{ weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }) },
			{ weight: 1, arbitrary: fc.integer({ min: 4, max: 30 }) },
		),
		lateMinutes: fc.oneof(
			{ weight: 2, arbitrary: fc.constant(0) },
			{ weight: 1, arbitrary: fc.integer({ min: 1, max: 10 }) },
		),
	}),
	kind(2, 'start', { messages: fc.nat(2), agent }),
	kind(4, 'assign', { chat: fc.nat(5), agent }),
	kind(2, 'touch', { chat }),
	kind(1, 'touchAll', {}),
	kind(1, 'cache', {}),
	kind(1, 'delete', { chat, message: fc.nat(3) }),
	kind(1, 'wrong', { chat, inbound: fc.boolean(), lateHours: fc.integer({ min: -18, max: 18 }) }),
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
	kind(1, 'away', {
		chat: fc.nat(5),
		polls: fc.integer({ min: 1, max: 40 }),
		count: fc.integer({ min: 1, max: 4 }),
	}),
	kind(2, 'restart', {
		afterMs: fc.constantFrom(0, 10 * MINUTE_MS, 5 * HOUR_MS, 2 * DAY_MS, 5 * DAY_MS),
	}),
	kind(2, 'takeOver', {}),
	kind(1, 'kill', {}),
	kind(2, 'twice', { keepsFirst: fc.boolean(), between: fc.array(change, { maxLength: 2 }) }),
	kind(1, 'clock', {
		offMs: fc.constantFrom<(number | '1970')[]>(-YEAR_MS, '1970', -5 * HOUR_MS),
		polls: fc.integer({ min: 1, max: 4 }),
	}),
	kind(1, 'from', {}),
	kind(1, 'token', {}),
	kind(1, 'organization', {}),
);

const habits: fc.Arbitrary<Habits> = fc
	.record({
		rows: fc.constantFrom<Habits['rows'][]>(
			'show',
			'show',
			'silent',
			'some silent',
			'always differ',
		),
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
		times: fc.constantFrom<Habits['times'][]>('milliseconds', 'whole seconds', 'local'),
		writer: fc.constantFrom<Habits['writer'][]>('direction', 'addresses'),
		numbersMessages: fc.boolean(),
		pageSize: fc.integer({ min: 2, max: 7 }),
		windowSize: fc.option(fc.integer({ min: 8, max: 120 }), { nil: undefined }),
		aheadMs: fc.constantFrom(0, 0, 0, 5 * HOUR_MS, -5 * HOUR_MS),
		date: fc.constantFrom(true, true, true, false),
		agentsAheadMs: fc.constantFrom(0, 0, 2 * HOUR_MS),
		lastMessage: fc.boolean(),
		created: fc.boolean(),
	})
	.map((kind) => ({
		...kind,
		// Without a `Date` header, the service's clock is that of this machine.
		aheadMs: kind.date ? kind.aheadMs : 0,
		// A history in the order of its times would have what agents write above the customer's messages of two hours.
		agentsAheadMs: kind.history === 'as stored' ? kind.agentsAheadMs : 0,
	}));

/** So many chats can be kept where there is not enough room: what is new can be missed, but nothing is emitted twice. */
const FEW = 6;

const small: fc.Arbitrary<MessageLimits> = fc.record({
	listPages: fc.integer({ min: 1, max: 3 }),
	watchedPages: fc.constantFrom(4, 30, 30),
	chats: fc.constantFrom(1_000, 1_000, 1_000, FEW),
	active: fc.constantFrom(1_500, 3),
	quiet: fc.integer({ min: 1, max: 5 }),
	failing: fc.integer({ min: 1, max: 10 }),
	take: fc.integer({ min: 2, max: 8 }),
	historyPages: fc.constant(20),
});

/** A message of the service, with what the oracle knows of it. */
interface Written extends Message {
	chat: Chat;
	/** The IDs of the chat and the message. */
	key: string;
	isDeleted: boolean;
	/** Whether its chat was among those that are watched. */
	isWatched: boolean;
	/** How much later than the time that it shows it was stored, in milliseconds; negative if that time is ahead. */
	lateMs: number;
	/** How many messages were above it in the history when it was stored, and those below. */
	position: number;
	below: Message[];
}

/** The first successful poll: what was there before is not to be emitted, what arrived during it may be. */
interface Baseline {
	from: number;
	to: number;
	/** Whether it could read all chats. */
	isWhole: boolean;
	emitted: Set<string>;
	/** Emitted before a kill, or by one of two polls at once. */
	mayRepeat: Set<string>;
}

/** The polls whose states built on each other. */
interface Lineage {
	/** Which organization the state is of. */
	organization?: 0 | 1;
	baseline?: Baseline;
	polls: { from: number; to: number }[];
}

const NO_POLLS: Lineage = { polls: [] };

/** How many histories went through what. */
const reached = {
	all: 0,
	'a list in parts': 0,
	'chats that fail': 0,
	'messages stored late': 0,
	'times that are ahead': 0,
	'hidden rows': 0,
	'more chats than are kept': 0,
	'a new token': 0,
	'another organization': 0,
	'a long history': 0,
	'a first poll that cannot read all chats': 0,
	'a clock that nothing shows': 0,
	'a chat that begins to match': 0,
	'a chat that matches again, with what was written meanwhile': 0,
	'both directions': 0,
	'a state from days ago': 0,
	'an event again after a kill': 0,
	'an event of two polls at once': 0,
	'a main that takes over with an older state': 0,
	'four polls a minute': 0,
	'a poll a day': 0,
	"n8n's clock set back": 0,
	'chats that are not watched': 0,
	'a poll without chats that fail': 0,
};

/** A poll: the state that it began with and the one after it, and the messages that it emitted. */
interface PollOutcome {
	before: unknown;
	after: string;
	/** The IDs of each chat and message. */
	keys: string[];
	error?: Error;
	/** What n8n's log has shown and has not ended. */
	reported?: Reported;
}

class History {
	/** Two organizations. The credential has the token of one at a time. */
	private readonly services: [FakeChats, FakeChats];

	private organization: 0 | 1 = 0;

	private token = 0;

	/** What leads to each state, by its text. */
	private readonly lineages = new Map<unknown, Lineage>();

	/** Two mains, with one database; the first of them is the leader. */
	private mains: [N8n, N8n];

	/** By how much n8n's clock is off, in milliseconds. */
	private offMs = 0;

	private readonly reached = new Set<keyof typeof reached>();

	/** Whose messages are wanted, and since when what agents write is. */
	private from: 'customers' | 'both' = 'customers';

	private bothSince = Infinity;

	private readonly written = new Map<string, Written>();

	/** When each poll of this process began, and how many requests it sent. */
	private sent: { from: number; requests: number }[] = [];

	/** Pages of the list failed at some time: a reading of the list took longer then. */
	private hadPageFaults = false;

	/** The clock was set back at some time: what is a minute then? */
	private hadClockFaults = false;

	constructor(
		private readonly habits: Habits,
		chats: number,
		private readonly limits: MessageLimits,
		agent: string | undefined,
		private readonly everyMs: number,
	) {
		const make = (prefix: string) => new FakeChats(habits, () => time.clock.now(), agent, prefix);
		this.services = [make('a'), make('b')];
		const database = { staticData: '{}' };
		this.nameProcess();
		const leader = new N8n(database);
		this.nameProcess();
		this.mains = [leader, new N8n(database)];
		for (const service of this.services) {
			for (let i = 0; i < chats; i++) {
				const chat = service.makeChat(0, i % 3 === 2 ? 'A2' : 'A1');
				time.clock.advance(1_000);
				for (let count = 0; count < i % 5; count++) this.write(service, chat, count % 2 === 0, 0);
			}
		}
		clock.now = () => time.clock.now() + this.offMs;
		if (habits.hidesRows) this.reached.add('hidden rows');
		if (chats > limits.chats) this.reached.add('more chats than are kept');
		if (!habits.date) this.reached.add('a clock that nothing shows');
		if (everyMs < MINUTE_MS) this.reached.add('four polls a minute');
		if (everyMs > MINUTE_MS) this.reached.add('a poll a day');
	}

	private get service(): FakeChats {
		return this.services[this.organization];
	}

	/** Each process has a name of its own. */
	private nameProcess(): void {
		time.randomValue = (time.randomValue + 0.000_1) % 1;
	}

	/** The state that the next poll begins with. */
	private get state(): unknown {
		return this.mains[0].state;
	}

	private get current(): Lineage {
		return this.lineages.get(this.state) ?? NO_POLLS;
	}

	private get isFiltered(): boolean {
		return this.service.agent !== undefined;
	}

	async run(steps: Step[]): Promise<void> {
		for (const each of steps) {
			time.clock.advance(this.everyMs);
			if (each.do === 'poll') this.keep(await this.poll(each));
			else if (each.do === 'outage') await this.outage(each.polls);
			else if (each.do === 'away') await this.away(each);
			else if (each.do === 'restart') this.restart(each.afterMs);
			else if (each.do === 'takeOver') this.takeOver();
			else if (each.do === 'kill') await this.kill();
			else if (each.do === 'twice') await this.pollTwice(each);
			else if (each.do === 'clock') await this.pollWithWrongClock(each);
			else if (each.do === 'from') this.changeDirection();
			else if (each.do === 'token') await this.changeToken();
			// An empty list does not show that it is another organization's.
			else if (each.do === 'organization') {
				if (!this.isFiltered) this.organization = this.organization === 0 ? 1 : 0;
			} else this.apply(each);
		}
		await this.settle('while others fail');
		for (const service of this.services) {
			service.failingPages.clear();
			service.failing.clear();
		}
		await this.settle('');
		reached.all++;
		for (const kind of this.reached) reached[kind]++;
	}

	private changeDirection(): void {
		this.from = this.from === 'both' ? 'customers' : 'both';
		this.bothSince = this.from === 'both' ? time.clock.now() : Infinity;
	}

	/** A chat of the first page that is known shows that it is the same organization: since then, the whole list was read. */
	private async changeToken(): Promise<void> {
		const { service, pollsPerReading } = this;
		const { polls, organization } = this.current;
		const { from } = polls.at(-1 - pollsPerReading) ?? { from: -Infinity };
		const first = service.listed().slice(0, service.habits.pageSize);
		const isShown = first.some(({ matching }) => (matching.at(-1)?.from ?? Infinity) < from);
		if (!isShown || this.hadPageFaults || organization !== this.organization) return;
		this.token++;
		this.keep(await this.poll({ during: [] }));
	}

	private write(service: FakeChats, chat: Chat, inbound: boolean, lateMs: number): void {
		const message = service.addMessage(chat, inbound, lateMs);
		const key = `${chat.id} ${message.id}`;
		const { watchedPages } = this.limits;
		const place = service.listed().indexOf(chat);
		const isWatched = place < watchedPages * service.habits.pageSize;
		if (!isWatched) this.reached.add('chats that are not watched');
		const position = chat.messages.indexOf(message);
		const below = chat.messages.slice(position + 1);
		this.written.set(key, {
			...message,
			chat,
			key,
			isDeleted: false,
			isWatched,
			lateMs,
			position,
			below,
		});
	}

	private apply(what: Change): void {
		const { service } = this;
		const { list } = service;
		// In a history in the order of storage, old times at the end of a page end it.
		const isByTime = service.habits.history === 'by time';
		const at = (number: number): Chat | undefined => list[number % list.length];
		if (what.do === 'start') {
			const chat = service.makeChat(0, what.agent);
			for (let i = 0; i < what.messages; i++) this.write(service, chat, i % 2 === 0, 0);
		} else if (what.do === 'cache') service.cacheList();
		else if (what.do === 'failPage') {
			this.hadPageFaults = true;
			if (!service.failingPages.delete(what.page)) service.failingPages.set(what.page, what.status);
		} else if (what.do === 'touchAll') for (const chat of list) service.touch(chat);
		else {
			const chat = at(what.chat);
			if (!chat) return;
			if (what.do === 'touch') service.touch(chat);
			else if (what.do === 'assign') {
				const before = chat.matching.length;
				service.assign(chat, what.agent);
				if (this.isFiltered && chat.matching.length > before && chat.messages.length > 0)
					this.reached.add('a chat that begins to match');
			} else if (what.do === 'fail') {
				if (!service.failing.delete(chat.id)) service.failing.set(chat.id, what.status);
			} else if (what.do === 'break')
				for (let i = 0; i < what.chats; i++)
					service.failing.set(at(what.chat + i)!.id, what.status);
			else if (what.do === 'write')
				for (let i = 0; i < what.count; i++)
					this.write(service, chat, what.inbound, isByTime ? what.lateMinutes * MINUTE_MS : 0);
			else if (what.do === 'wrong') {
				const lateHours = isByTime ? what.lateHours : -Math.abs(what.lateHours);
				this.write(service, chat, what.inbound, lateHours * HOUR_MS);
			} else {
				for (const { id } of chat.messages.splice(what.message, 1))
					this.written.get(`${chat.id} ${id}`)!.isDeleted = true;
			}
		}
	}

	private async away({ chat, polls, count }: Step & { do: 'away' }): Promise<void> {
		this.apply({ do: 'assign', chat, agent: 'A2' });
		for (let i = 0; i < polls; i++) {
			if (i < count) this.apply({ do: 'write', chat, inbound: true, count: 1, lateMinutes: 0 });
			this.keep(await this.poll({ during: [] }));
			time.clock.advance(this.everyMs);
		}
		this.apply({ do: 'assign', chat, agent: 'A1' });
	}

	private restart(afterMs: number): void {
		time.clock.advance(afterMs);
		this.nameProcess();
		this.mains[0].restart();
		this.sent = [];
		const lastPoll = this.current.polls.at(-1)?.to ?? Infinity;
		if (time.clock.now() - lastPoll > DAY_MS) this.reached.add('a state from days ago');
	}

	private takeOver(): void {
		const { state } = this;
		const [leader, other] = this.mains;
		other.load();
		this.sent = [];
		this.mains = [other, leader];
		if (this.state !== state) this.reached.add('a main that takes over with an older state');
	}

	private async kill(): Promise<void> {
		const { keys } = await this.poll({ during: [] });
		for (const key of keys) this.current.baseline?.mayRepeat.add(key);
		this.restart(0);
	}

	private async pollTwice({ keepsFirst, between }: Step & { do: 'twice' }): Promise<void> {
		const first = await this.poll({ during: [] });
		const { baseline } = this.lineages.get(first.after) ?? NO_POLLS;
		for (const key of first.keys) baseline?.mayRepeat.add(key);
		time.clock.advance(1_000);
		for (const change of between) this.apply(change);
		const other = await this.poll({ during: [] });
		for (const key of other.keys) baseline?.mayRepeat.add(key);
		if (other.keys.some((key) => first.keys.includes(key)))
			this.reached.add('an event of two polls at once');
		this.keep(keepsFirst ? first : other);
	}

	private async pollWithWrongClock({ offMs, polls }: Step & { do: 'clock' }): Promise<void> {
		// Without a `Date` header, publishing stops: no message has a plausible time.
		if (this.current.organization !== this.organization) return;
		this.reached.add("n8n's clock set back");
		this.hadClockFaults = true;
		for (let i = 0; i < polls; i++) {
			this.offMs = offMs === '1970' ? -time.clock.now() + i * MINUTE_MS : offMs;
			this.keep(await this.poll({ during: [] }));
			time.clock.advance(MINUTE_MS);
		}
		this.offMs = 0;
	}

	private async outage(polls: number): Promise<void> {
		this.service.isOut = true;
		for (let i = 0; i < polls; i++) {
			this.apply({ do: 'touchAll' });
			this.keep(await this.poll({ during: [] }));
			time.clock.advance(this.everyMs);
		}
		this.service.isOut = false;
	}

	/** n8n keeps the state after a poll, and saves it if there are events, or the workflow is being published. */
	private keep({ before, after, keys }: PollOutcome): void {
		const [leader] = this.mains;
		const hasEvents = keys.length > 0;
		leader.keep(before, after, hasEvents);
		if (hasEvents || leader.isNew) leader.save();
	}

	private async poll({ during, failAt }: Omit<Step & { do: 'poll' }, 'do'>): Promise<PollOutcome> {
		const { service, limits, state, current: before } = this;
		const watch = new Watch(service, limits, {
			...SUBSCRIPTION,
			from: this.from,
			query: this.isFiltered ? { assigneeId: service.agent } : {},
		});
		if (typeof state === 'string') watch.text = state;
		watch.sent = this.mains[0].sent;
		watch.pollTimes = this.everyMs < MINUTE_MS ? 4 : 1;
		const isFirst = before.organization !== this.organization;
		service.onRequest = (request) => {
			time.clock.advance(20);
			for (const { request: at, what } of during) if (at === request) this.apply(what);
			if (request !== failAt) return;
			if (service.sent.at(-1)?.startsWith('list')) this.hadPageFaults = true;
			throw failure(request % 2 ? 503 : 429);
		};
		// What an old list hides from the first poll cannot be known.
		if (isFirst) service.clearCache();
		const from = time.clock.now();
		const listed = service.listed();
		const { items, error } = await watch.poll('scope', `${this.organization} ${this.token}`);
		const reported = watch.checkpoint?.reported;
		const to = time.clock.now();
		this.checkRequests(from, before.organization !== this.organization);
		// Out of requests, or after a failure, it may not have read any of these chats completely.
		const isOver = service.isOut || service.failing.size > 0 || service.budget.left === 0;
		const enough = this.everyMs < MINUTE_MS ? 4 : this.requests / 2;
		if (isOver || service.sent.length >= Math.min(enough, failAt ?? Infinity))
			for (const chat of listed) chat.reads = chat.reads.filter((at) => at < from);
		service.onRequest = () => undefined;
		service.clearCache();
		if (service.failing.size > 0) this.reached.add('chats that fail');
		// The list's first page was read.
		// By a clock that was set back, and nothing else, no message has a plausible time: the poll says so.
		const isStopped = this.offMs !== 0 && error instanceof NodeOperationError;
		const isSuccessful = service.answered.at(-1) === true && !isStopped;
		if (!isSuccessful) {
			check(items.length === 0, 'emitted although the list could not be read');
			this.lineages.set(watch.text, before);
			return { before: state, after: watch.text, keys: [], error, reported };
		}
		check(!(error instanceof NodeOperationError), 'a message is not recognized', error?.message);
		const isRead = ({ reads }: Chat): boolean => reads.some((at) => at >= from);
		const baseline: Baseline =
			isFirst || !before.baseline
				? {
						...{ from, to, emitted: new Set<string>(), mayRepeat: new Set<string>() },
						isWhole: listed.every(isRead),
					}
				: before.baseline;
		if (isFirst && before.organization !== undefined) this.reached.add('another organization');
		if (!isFirst && this.token !== 0) this.reached.add('a new token');
		if (!baseline.isWhole) this.reached.add('a first poll that cannot read all chats');
		if (listed.length > 0 && service.failing.size === 0)
			this.reached.add('a poll without chats that fail');
		const lineage: Required<Lineage> = {
			organization: this.organization,
			baseline,
			polls: [...(isFirst ? [] : before.polls), { from, to }],
		};
		this.lineages.set(watch.text, lineage);
		const keys = this.checkEvents(items, isFirst, lineage);
		return { before: state, after: watch.text, keys, error, reported };
	}

	/** @param isAgain whether the poll may have read the first page of the list twice, to start over */
	private checkRequests(from: number, isAgain: boolean): void {
		const { sent } = this.service;
		const longer = sent
			.filter((request) => request.includes(' after '))
			.map((request) => request.split(' ')[0]);
		if (longer.length > 0) this.reached.add('a long history');
		// One history is read to its end.
		const longest = Math.max(0, ...longer.map((id) => longer.filter((each) => each === id).length));
		this.sent.push({ from, requests: sent.length - longest - (isAgain ? 1 : 0) });
		const inMinute = this.sent.filter((poll) => poll.from > from - MINUTE_MS + 1_000);
		const sum = inMinute.reduce((total, { requests }) => total + requests, 0);
		check(sum <= this.requests, 'requests', this.requests, sum, sent, inMinute);
	}

	/** The most requests of a minute (docs/TRIGGER.md). */
	private get requests(): number {
		return Math.max(10, Math.floor((this.habits.windowSize ?? 200) / 2));
	}

	/** How much of a minute polls are apart. */
	private get share(): number {
		return Math.min(1, this.everyMs / MINUTE_MS);
	}

	/** So many polls read the whole list. */
	private get pollsPerReading(): number {
		const { service, limits } = this;
		const { pageSize, pages } = service.habits;
		const minutes = this.everyMs / MINUTE_MS;
		const perPoll = Math.max(
			1,
			Math.floor(Math.min(limits.listPages * minutes, (this.requests * this.share) / 2)),
		);
		const all = Math.ceil(service.list.length / pageSize) + 1;
		// If every page after the end is the last one, a reading ends with the last page that is watched.
		const read = pages.endsWith('again') ? limits.watchedPages : Math.min(all, limits.watchedPages);
		if (read > perPoll + 1) this.reached.add('a list in parts');
		return Math.ceil(read / perPoll) * this.pollsPerTurn;
	}

	/** With a low rate limit, only every third of four polls a minute has enough. */
	private get pollsPerTurn(): number {
		return this.everyMs < MINUTE_MS && this.requests < 50 ? 3 : 1;
	}

	/** So many polls complete a pass: a reading of the list, and two minutes. */
	private get pollsPerPass(): number {
		const readings = Math.ceil((2 * MINUTE_MS) / (this.pollsPerReading * this.everyMs));
		return this.pollsPerReading * Math.max(1, readings) + 1;
	}

	private checkEvents(
		items: readonly IDataObject[],
		isFirst: boolean,
		{ baseline, polls }: Required<Lineage>,
	): string[] {
		check(!isFirst || items.length === 0, 'emitted by the first poll', items);
		const times = new Map<string, number>();
		return items.map(({ chatId, recordId, eventId }) => {
			const key = `${chatId as string} ${recordId as string}`;
			const id = `messageReceived:${chatId as string}:${recordId as string}`;
			check(eventId === id, 'event ID', eventId);
			const message = this.written.get(key);
			if (!message) throw new Error(`invented ${key}`);
			check(message.inbound || this.from === 'both', 'not from the customer', key);
			if (!message.inbound) this.reached.add('both directions');
			// Of a message that the first poll did not read, nothing shows that its time is ahead.
			const isRead =
				!this.hadDeletes(message.chat) &&
				message.chat.reads.some((at) => baseline.from <= at && at <= baseline.to);
			const latest = Math.max(message.at, message.stored + this.aheadMsOf(message));
			const isForgotten = !isRead || this.limits.chats === FEW;
			const looksNew = isForgotten && this.isAhead(message) && latest >= baseline.from;
			check(message.stored >= baseline.from || looksNew, 'was there before', key);
			if (baseline.emitted.has(key)) {
				// Nothing that is remembered is there, or there was no room, and its time is ahead of the clock.
				const isAhead = this.isAhead(message);
				const isOfFew = this.limits.chats === FEW && (isAhead || this.hadClockFaults);
				const isOdd = isOfFew || (isAhead && this.hadDeletes(message.chat));
				check(baseline.mayRepeat.has(key) || isOdd, 'emitted twice', key);
				this.reached.add('an event again after a kill');
			}
			baseline.emitted.add(key);
			this.checkMatch(message, polls);
			const second = Math.floor(message.at / 1_000);
			check(second >= (times.get(message.chat.id) ?? 0), 'out of order', key);
			times.set(message.chat.id, second);
			if (message.lateMs > 0) this.reached.add('messages stored late');
			if (message.lateMs < 0) this.reached.add('times that are ahead');
			return key;
		});
	}

	/** Of a chat that begins to match, only messages since the last passes are emitted. */
	private checkMatch({ chat, key, stored, at }: Written, polls: Lineage['polls']): void {
		const { from = 0 } = chat.matching.at(-1) ?? {};
		const matchedBefore = chat.matching.some(({ to = 0 }) => to >= polls[0]!.from);
		if (stored < from && matchedBefore)
			this.reached.add('a chat that matches again, with what was written meanwhile');
		if (stored >= from || matchedBefore || this.hadPageFaults) return;
		const listed = polls.findIndex((poll) => poll.to >= from);
		const first = polls[Math.max(0, listed - 3 * this.pollsPerPass - 1)]!;
		const oldest = first.from - 2 * MINUTE_MS - 1_000;
		// Its time alone shows when it was written, by the clock of the service.
		const shown = at - this.habits.aheadMs;
		check(Math.max(stored, shown) >= oldest, 'older than the match', key, {
			stored,
			at,
			from,
			oldest,
		});
	}

	/** Polls as often as documented, with nothing else happening. */
	private async settle(when: string): Promise<void> {
		const { list, habits } = this.service;
		const { limits, requests, share, pollsPerReading: readings } = this;
		const perPoll = (perMinute: number): number => Math.max(1, Math.floor(perMinute * share));
		// Some of them are read once more, or take more than one request. After a full minute, a poll reads one of each kind.
		const changed = perPoll(requests / 12);
		const quiet = perPoll(Math.min(limits.quiet, requests / 3));
		const shown = readings * (2 + Math.ceil((2 * list.length) / changed)) + 6;
		const silent =
			readings * (2 + Math.ceil(list.length / Math.min(quiet, changed))) + list.length + 20;
		const most = (habits.rows === 'show' && !when ? shown : silent + shown) * this.pollsPerTurn;
		// By then, all chats that fail are known, and end no poll that reads others.
		const rotation = this.hasFewBroken ? list.length * this.pollsPerTurn : 0;
		const isOver = (): boolean => this.missing().length === 0 && (when !== '' || !reported?.poll);
		let reported: Reported | undefined = { poll: '' };
		for (let i = 0; i < most && (i < 3 + 2 * rotation || !isOver()); i++) {
			time.clock.advance(this.everyMs);
			const outcome = await this.poll({ during: [] });
			check(rotation === 0 || i < rotation || !outcome.error, 'fails', outcome.error?.message);
			this.keep(outcome);
			({ reported } = outcome);
		}
		check(this.missing().length === 0, `never emitted ${when}`, this.missing());
		check(isOver(), 'a failure that has ended lasts in the log');
	}

	/** Whether each poll lists chats that can be read, although others cannot: those of the first page. */
	private get hasFewBroken(): boolean {
		const { failing, failingPages, habits } = this.service;
		const first = this.reachable().slice(0, habits.pageSize);
		const areAllKept = this.limits.chats !== FEW;
		const isReadable = first.some(({ id }) => !failing.has(id)) && failingPages.size === 0;
		return failing.size > 0 && areAllKept && isReadable;
	}

	/** The messages that should have been emitted. */
	private missing(): string[] {
		const { organization, baseline } = this.current;
		const { service } = this;
		if (service.failingPages.has(1) || this.limits.chats === FEW) return [];
		if (!baseline || organization !== this.organization) return ['no state'];
		const reachable = new Set(this.reachable());
		return [...this.written.values()]
			.filter(({ chat }) => reachable.has(chat) && !service.failing.has(chat.id))
			.filter(({ inbound, stored }) => inbound || stored > this.bothSince)
			.filter(({ isDeleted, stored }) => !isDeleted && stored > baseline.to)
			.filter(({ key }) => !baseline.emitted.has(key))
			.filter((message) => !this.isExempt(message))
			.map(({ key }) => key);
	}

	/** The chats on the pages of the list that can be read, and are watched. */
	private reachable(): Chat[] {
		const { service, limits } = this;
		const { pageSize, pages } = service.habits;
		return service.listed().filter((_chat, place) => {
			const page = Math.floor(place / pageSize) + 1;
			if (page > limits.watchedPages || service.failingPages.has(page)) return false;
			// Without a count, a page that is rejected is one after the end.
			const isEnd = (status: number): boolean => pages !== 'shown' && status < 500;
			return ![...service.failingPages].some(
				([failing, status]) => failing < page && isEnd(status),
			);
		});
	}

	/** What the trigger can miss (docs/TRIGGER.md and docs/TRIGGER-INTERNALS.md). */
	private isExempt(message: Written): boolean {
		const { chat, stored, lateMs, isWatched, position, below } = message;
		const { polls } = this.current;
		const matches = chat.matching.at(-1);
		if (!isWatched || !matches || matches.to !== undefined) return true;
		const isOfPoll = (at: number): boolean => polls.some(({ from, to }) => from <= at && at <= to);
		// Written while its chat did not match: the trigger knows the chat if the list has shown it before.
		const isKnown = chat.listed.some((at) => at < stored && isOfPoll(at));
		if (matches.from > stored && !isKnown) return true;
		const reads = chat.reads.filter((read) => read < stored - 1_000 && isOfPoll(read));
		const isRead = reads.length > 0;
		const next = below.findIndex((other) => reads.some((read) => read > other.stored));
		const isLowest = next === -1;
		// Without a count, a page that is rejected is one after the end: the chats behind it were not there.
		if (!isRead && this.hadPageFaults && this.habits.pages !== 'shown') return true;
		const isRequested = chat.requested.some((at) => at < stored && isOfPoll(at));
		if (!isRequested && this.isNewChat(chat)) return false;
		// It was stored below the newest messages that were read.
		if (position >= (this.limits.active > 3 ? 4 : 2)) return true;
		// With nothing below it that is remembered, its time decides.
		if (position > 0 && (isLowest || this.hadDeletes(chat))) return true;
		// A page of old times ends a history, although none of what is remembered is on it.
		const late = [...this.written.values()].filter(
			(other) => other.chat === chat && other.lateMs > 0,
		);
		const { take } = this.limits;
		const shown = this.habits.hidesRows ? Math.floor((take * 2) / 3) : take;
		const isPage = Math.max(late.length, position + 1 + next) >= shown;
		return lateMs > 0 && (!isRead || isLowest || isPage || this.hadDeletes(chat));
	}

	/** Whether the list shows that a chat was created after the first poll, and has matched since. */
	private isNewChat({ created, matching }: Chat): boolean {
		const isOld = created <= this.current.baseline!.to || matching[0]!.from > created;
		return this.habits.created && !isOld && !this.hadClockFaults && !this.hadPageFaults;
	}

	/** Whether it shows a time that has not come yet. */
	private isAhead(message: Written): boolean {
		return this.aheadMsOf(message) > 0;
	}

	private aheadMsOf({ inbound, lateMs }: Written): number {
		return (inbound ? 0 : this.habits.agentsAheadMs) - lateMs;
	}

	private hadDeletes(chat: Chat): boolean {
		return [...this.written.values()].some((other) => other.chat === chat && other.isDeleted);
	}
}

const time = useFakeTime();

test('every message of a customer is emitted once and in order, by every kind of service; the histories reach everything', async () => {
	const start = time.clock.now();
	await fc.assert(
		fc.asyncProperty(
			habits,
			fc.integer({ min: 1, max: 32 }),
			small,
			fc.constantFrom(undefined, 'A1'),
			fc.constantFrom(MINUTE_MS, MINUTE_MS, MINUTE_MS / 4, DAY_MS),
			fc.array(step, { minLength: 5, maxLength: 80 }),
			async (kind, chats, limits, filter, everyMs, steps) => {
				// So that many histories are not taken for an endless loop.
				await new Promise((resolve) => setImmediate(resolve));
				// All at the same time: after thousands of histories, times would be beyond what the state holds.
				time.clock.advance(start - time.clock.now());
				await new History(kind, chats, limits, filter, everyMs).run(steps);
			},
		),
		{
			numRuns: runs(100, 2_000),
			...reproduced,
		},
	);
	expectReached(reached);
}, 3_600_000);
