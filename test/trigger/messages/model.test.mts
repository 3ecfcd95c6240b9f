import fc from 'fast-check';
import type { MessageLimits } from '../../../nodes/ConversationalMessaging/trigger/messages/limits.ts';
import { FakeTime } from '../../time.mts';
import { FakeChats, outage, type Chat, type Habits } from './service.mts';
import { Watch } from './watch.mts';

/**
 * Polls random histories of every kind of service, and checks the guarantees: every message of a customer that arrives
 * after the first poll is emitted once, in the order of its chat, whatever fails in between; nothing else is emitted.
 */

/** A change at the service. Numbers choose a chat or a message, modulo their count. */
type Change =
	| { do: 'write'; chat: number; inbound: boolean; count: number }
	| { do: 'start'; messages: number }
	| { do: 'touch'; chat: number }
	| { do: 'touchAll' }
	| { do: 'delete'; chat: number; message: number }
	/** The messages of a chat cannot be read, or can be read again. */
	| { do: 'fail'; chat: number; status: number };

type Step =
	| Change
	/** A poll, during which messages arrive and requests fail. */
	| { do: 'poll'; during: { request: number; what: Change }[]; failAt?: number }
	/** n8n restarts, with the state that it saved this many polls ago. */
	| { do: 'restart'; ago: number }
	/** The token of the other organization, or of the first one again. */
	| { do: 'token' };

const constant = <T extends string>(value: T) => fc.constant(value);

const change: fc.Arbitrary<Change> = fc.oneof(
	{
		weight: 10,
		arbitrary: fc.record({
			do: constant('write'),
			chat: fc.nat(99),
			inbound: fc.boolean(),
			count: fc.oneof(
				{ weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }) },
				{ weight: 1, arbitrary: fc.integer({ min: 4, max: 12 }) },
			),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ do: constant('start'), messages: fc.nat(2) }) },
	{ weight: 2, arbitrary: fc.record({ do: constant('touch'), chat: fc.nat(99) }) },
	{ weight: 1, arbitrary: fc.record({ do: constant('touchAll') }) },
	{
		weight: 1,
		arbitrary: fc.record({ do: constant('delete'), chat: fc.nat(99), message: fc.nat(3) }),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: constant('fail'),
			chat: fc.nat(99),
			status: fc.constantFrom(500, 403, 404),
		}),
	},
);

const quietPoll: Step = { do: 'poll', during: [] };

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 10, arbitrary: change },
	{ weight: 10, arbitrary: fc.constant(quietPoll) },
	{
		weight: 4,
		arbitrary: fc.record({
			do: constant('poll'),
			during: fc.array(fc.record({ request: fc.integer({ min: 1, max: 12 }), what: change }), {
				maxLength: 3,
			}),
			failAt: fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined }),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: constant('restart'), ago: fc.nat(4) }) },
	{ weight: 1, arbitrary: fc.record({ do: constant('token') }) },
);

const habits: fc.Arbitrary<Habits> = fc.record({
	rows: fc.constantFrom<Habits['rows'][]>(
		'tell',
		'lie',
		'some lie',
		'fetchedAt',
		'lie and fetchedAt',
	),
	order: fc.constantFrom<Habits['order'][]>('activity', 'newest', 'oldest'),
	counts: fc.constantFrom<Habits['counts'][]>('exact', 'late', 'stuck', 'none'),
	history: fc.constantFrom<Habits['history'][]>(
		'newest first',
		'oldest first',
		'repeats its last page',
	),
	hasTimes: fc.constant(true),
	pageSize: fc.integer({ min: 2, max: 7 }),
	windowSize: fc.option(fc.integer({ min: 8, max: 60 }), { nil: undefined }),
});

const small: fc.Arbitrary<MessageLimits> = fc.record({
	listPages: fc.constant(50),
	reads: fc.integer({ min: 4, max: 40 }),
	readsUnknown: fc.integer({ min: 4, max: 40 }),
	inTurnMs: fc.constant(20_000),
	audits: fc.integer({ min: 1, max: 3 }),
	channels: fc.constant(3),
	proofs: fc.integer({ min: 1, max: 3 }),
	idlePolls: fc.integer({ min: 1, max: 3 }),
	checkEvery: fc.integer({ min: 2, max: 5 }),
	chats: fc.constant(1_000),
	recentChats: fc.constant(1_000),
	take: fc.integer({ min: 3, max: 8 }),
	again: fc.constant(50),
});

/** With millions of assertions, Jest's own `expect` would take most of the time. */
function check(isTrue: boolean, what: string, ...details: unknown[]): void {
	if (!isTrue) throw new Error([what, ...details.map((each) => JSON.stringify(each))].join(' '));
}

interface Emitted {
	chatId: string;
	recordId: string;
}

/** The state that n8n saved after a poll, and what had been emitted by then. */
interface Saved {
	text: string;
	emitted: readonly Emitted[];
	/** Which messages were there when the baseline began; undefined without one. */
	old?: ReadonlySet<string>;
	/** Those that arrived during the first poll may count as old or as new. */
	either?: ReadonlySet<string>;
}

/** In how many histories a kind of service was recognized. */
const reached = { all: 0, counts: 0, ordered: 0, volatile: 0, turns: 0 };

class History {
	/** Two organizations. The credential has the token of one at a time. */
	private readonly services: [FakeChats, FakeChats];

	private tenant: 0 | 1 = 0;

	private readonly saved: Saved[] = [{ text: '', emitted: [] }];

	private readonly reached = new Set<keyof typeof reached>();

	/** Chats in which a message was deleted since they were last read: one of the known ones may be deleted. */
	private readonly deletedIn = new Set<string>();

	constructor(
		habits: Habits,
		chats: number,
		private readonly limits: MessageLimits,
	) {
		const now = () => time.clock.now();
		this.services = [new FakeChats(habits, now), new FakeChats(habits, now)];
		for (const service of this.services)
			for (let i = 0; i < chats; i++) {
				const chat = service.makeChat();
				for (let message = 0; message < i % 5; message++)
					service.addMessage(chat, message % 2 === 0);
			}
	}

	private get service(): FakeChats {
		return this.services[this.tenant];
	}

	async run(steps: Step[]): Promise<void> {
		for (const each of steps) {
			time.clock.advance(60_000);
			if (each.do === 'poll') await this.poll(each);
			else if (each.do === 'restart')
				this.saved.push(this.saved.at(-1 - each.ago) ?? this.saved[0]!);
			else if (each.do === 'token') this.tenant = this.tenant === 0 ? 1 : 0;
			else this.apply(each);
		}
		for (const service of this.services) service.failing.clear();
		// If nothing else happens, the polls of two rounds emit everything.
		const most = 3 * this.service.list.length + 30;
		for (let i = 0; i < most && (i < 3 || this.missing().length > 0); i++) {
			time.clock.advance(60_000);
			await this.poll({ during: [] });
		}
		check(this.missing().length === 0, 'never emitted', this.missing());
		reached.all++;
		for (const kind of this.reached) reached[kind]++;
	}

	private apply(what: Change): void {
		const { service } = this;
		const at = (number: number): Chat | undefined => service.list[number % service.list.length];
		if (what.do === 'start') {
			const chat = service.makeChat();
			for (let i = 0; i < what.messages; i++) service.addMessage(chat);
		} else if (what.do === 'touchAll') for (const chat of service.list) service.touch(chat);
		else {
			const chat = at(what.chat);
			if (!chat) return;
			if (what.do === 'touch') service.touch(chat);
			else if (what.do === 'fail') {
				if (!service.failing.delete(chat.id)) service.failing.set(chat.id, what.status);
			} else if (what.do === 'write')
				for (let i = 0; i < what.count; i++) service.addMessage(chat, what.inbound);
			else if (!this.deletedIn.has(chat.id)) {
				// The oldest one may be the only one that is known. Then times decide what is new: where rows do not show news,
				// a message that waited behind such a row is not emitted (docs/TRIGGER.md).
				if (service.habits.rows !== 'tell' && what.message >= chat.messages.length - 1) return;
				this.deletedIn.add(chat.id);
				chat.messages.splice(what.message, 1);
			}
		}
	}

	private async poll({ during, failAt }: Omit<Step & { do: 'poll' }, 'do'>): Promise<void> {
		const { service } = this;
		const last = this.saved.at(-1)!;
		const watch = new Watch(service, this.limits);
		watch.text = last.text;
		const scope = `tenant ${this.tenant}`;
		const isFirst = watch.checkpoint?.scope !== scope || !watch.checkpoint.baseline;
		const before = new Set(service.list.flatMap(({ messages }) => messages.map(({ id }) => id)));
		service.onRequest = (request) => {
			for (const { request: at, what } of during) if (at === request) this.apply(what);
			if (request === failAt) throw outage(request % 2 ? 503 : 429);
		};
		const { items } = await watch.poll(scope);
		service.onRequest = () => undefined;
		const emitted = items.map(({ chatId, recordId, eventId }) => {
			check(
				eventId === `messageReceived:${chatId as string}:${recordId as string}`,
				'event ID',
				eventId,
			);
			return { chatId: chatId as string, recordId: recordId as string };
		});
		const { baseline } = watch.checkpoint ?? {};
		const all = service.list.flatMap(({ messages }) => messages.map(({ id }) => id));
		const old = isFirst ? (baseline ? before : undefined) : last.old;
		const either = isFirst ? new Set(all) : last.either;
		this.note(watch);
		this.checkPoll(isFirst ? [] : last.emitted, emitted, old ?? new Set());
		this.saved.push({
			text: watch.text,
			emitted: isFirst ? emitted : [...last.emitted, ...emitted],
			old,
			either,
		});
	}

	private checkPoll(
		former: readonly Emitted[],
		emitted: readonly Emitted[],
		old: ReadonlySet<string>,
	): void {
		const known = new Set(former.map(({ recordId }) => recordId));
		const orders = new Map<string, number>();
		for (const { chatId, recordId } of emitted) {
			check(!known.has(recordId), 'emitted twice', recordId);
			known.add(recordId);
			check(!old.has(recordId), 'was there before', recordId);
			const chat = this.service.list.find(({ id }) => id === chatId);
			const index = chat?.messages.findIndex(({ id }) => id === recordId) ?? -1;
			check(chat !== undefined && (index >= 0 || this.deletedIn.has(chatId)), 'unknown', recordId);
			if (index < 0) continue;
			check(chat!.messages[index]!.inbound, 'not from the customer', recordId);
			check(index < (orders.get(chatId) ?? Infinity), 'out of order', recordId);
			orders.set(chatId, index);
		}
	}

	/** The messages that should have been emitted. */
	private missing(): string[] {
		const { text, emitted, old, either } = this.saved.at(-1)!;
		const scope = text === '' ? undefined : (JSON.parse(text) as { scope: string }).scope;
		if (!old || scope !== `tenant ${this.tenant}`) return ['no baseline'];
		const known = new Set(emitted.map(({ recordId }) => recordId));
		return this.service.list
			.flatMap(({ messages }) => messages)
			.filter(({ id, inbound }) => inbound && !old.has(id) && !either?.has(id) && !known.has(id))
			.map(({ id }) => id);
	}

	private note(watch: Watch): void {
		const { baseline } = watch.checkpoint ?? {};
		if (!baseline) return;
		if (baseline.method === 'turns') this.reached.add('turns');
		if (baseline.volatile.length > 0) this.reached.add('volatile');
		if (watch.service.requests.every((request) => request.startsWith('count')))
			this.reached.add('counts');
		if (baseline.order.proofs >= this.limits.proofs) this.reached.add('ordered');
	}
}

let time: FakeTime;

beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => {
	time.restore();
});

type Example = [Habits, chats: number, MessageLimits, Step[]];

const exampleHabits: Habits = {
	rows: 'tell',
	order: 'activity',
	counts: 'exact',
	history: 'newest first',
	hasTimes: true,
	pageSize: 2,
};

const exampleLimits: MessageLimits = {
	listPages: 50,
	reads: 4,
	readsUnknown: 4,
	inTurnMs: 20_000,
	audits: 1,
	channels: 3,
	proofs: 1,
	idlePolls: 1,
	checkEvery: 2,
	chats: 1_000,
	recentChats: 1_000,
	take: 3,
	again: 50,
};

const write = (inbound: boolean, count: number, chat = 0): Change => ({
	do: 'write',
	chat,
	inbound,
	count,
});

const examples: Example[] = [
	// During the first poll, a chat moves to the head of the list before its page is read; then requests fail.
	[
		exampleHabits,
		5,
		exampleLimits,
		[
			{ do: 'poll', during: [{ request: 4, what: write(false, 4, 7) }], failAt: 6 },
			write(false, 1),
			{ do: 'touch', chat: 0 },
			write(false, 1),
			{ do: 'restart', ago: 0 },
			quietPoll,
		],
	],
	// Chats with new messages take the lead of the list, which is then read only up to the first quiet one.
	[
		{ ...exampleHabits, counts: 'none' },
		9,
		exampleLimits,
		[
			...Array<Step>(6).fill(quietPoll),
			write(true, 1, 7),
			quietPoll,
			write(true, 1, 4),
			quietPoll,
			write(true, 2, 2),
			quietPoll,
		],
	],
	// A message behind an unchanged row is on page 3, and every second poll reads the list: each page has its turn.
	[
		{ ...exampleHabits, rows: 'some lie' },
		9,
		{ ...exampleLimits, audits: 2 },
		[
			{ do: 'start', messages: 0 },
			{ do: 'start', messages: 1 },
			write(false, 1),
			quietPoll,
			write(true, 2, 1),
			...Array<Step>(4).fill(quietPoll),
			write(true, 1),
			{ do: 'restart', ago: 3 },
			write(false, 4, 12),
		],
	],
	// A message arrives before the service returns the last page of a history once more.
	[
		{ ...exampleHabits, history: 'repeats its last page' },
		1,
		exampleLimits,
		[
			quietPoll,
			write(false, 1),
			{
				do: 'poll',
				during: [
					{ request: 4, what: write(true, 1) },
					{ request: 1, what: write(false, 2) },
				],
			},
			write(false, 5),
			quietPoll,
			quietPoll,
			quietPoll,
		],
	],
];

test('every message of a customer is emitted once and in order, by every kind of service', async () => {
	await fc.assert(
		fc.asyncProperty(
			habits,
			fc.nat(14),
			small,
			fc.array(step, { minLength: 5, maxLength: 60 }),
			async (kind, chats, limits, steps) => {
				await new History(kind, chats, limits).run(steps);
			},
		),
		{
			numRuns: Number(process.env.RUNS ?? 150),
			// To reproduce one history: the seed and the path of a failure.
			...(process.env.SEED && { seed: Number(process.env.SEED), path: process.env.AT }),
			examples,
		},
	);
}, 3_600_000);

test('the histories reach every kind of service', () => {
	if (process.env.RUNS) console.info(reached);
	// A fifth of the random histories each, except for the order of the list, which an example has.
	for (const kind of ['counts', 'ordered', 'turns', 'volatile'] as const)
		expect([kind, reached[kind] > 0]).toEqual([kind, true]);
});
