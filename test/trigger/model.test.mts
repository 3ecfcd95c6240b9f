import fc from 'fast-check';
import type { Filter, Kind } from '../../dist/nodes/ConversationalMessaging/watch/kind.js';
import { broadcasts } from '../../dist/nodes/ConversationalMessaging/watch/kinds/broadcasts.js';
import { chats } from '../../dist/nodes/ConversationalMessaging/watch/kinds/chats.js';
import { importJobs } from '../../dist/nodes/ConversationalMessaging/watch/kinds/importJobs.js';
import { tickets } from '../../dist/nodes/ConversationalMessaging/watch/kinds/tickets.js';
import type { Known, Memory } from '../../dist/nodes/ConversationalMessaging/watch/memory.js';
import { keyOf } from '../../dist/nodes/ConversationalMessaging/watch/memory.js';
import { pollKind } from '../../dist/nodes/ConversationalMessaging/watch/pollKind.js';
import { pack, unpack } from '../../dist/nodes/ConversationalMessaging/watch/state.js';
import { FakeTime } from '../time.mts';
import { FakeService, outage, type Row } from './service.mts';

/**
 * Random histories of a service, polled, against what can be said of every one of them: each change that a poll could
 * see comes out once, with where the record stood before; nothing is invented; and what is known in the end is the
 * service's own.
 */
const STATUSES: Record<string, string[]> = {
	ticketStatusChanged: ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED', 'ON_HOLD'],
	broadcastStatusChanged: ['SCHEDULED', 'QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED'],
	importJobStatusChanged: ['queued', 'processing', 'completed', 'failed'],
	chatEscalationChanged: ['ESCALATED', 'NOT_ESCALATED'],
};

/** Something that happens at the service. Numbers choose a record and a status, wrapped around. */
type Happening =
	| { do: 'make'; status: number }
	| { do: 'change'; record: number; status: number }
	| { do: 'delete'; record: number };

type Step =
	| Happening
	/** A poll, during which things may happen and requests fail. */
	| { do: 'poll'; during: { request: number; what: Happening }[]; failAt?: number }
	/** n8n starts anew, with what it saved any number of polls ago. */
	| { do: 'restart'; ago: number }
	| { do: 'filter'; statuses: number[]; appeared: boolean };

const happening: fc.Arbitrary<Happening> = fc.oneof(
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('make' as const), status: fc.nat(9) }) },
	{
		weight: 5,
		arbitrary: fc.record({
			do: fc.constant('change' as const),
			record: fc.nat(99),
			status: fc.nat(9),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), record: fc.nat(99) }) },
);

const calmPoll: Step = { do: 'poll', during: [] };

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 6, arbitrary: happening },
	{ weight: 4, arbitrary: fc.constant(calmPoll) },
	{
		weight: 2,
		arbitrary: fc.record({
			do: fc.constant('poll' as const),
			during: fc.array(fc.record({ request: fc.integer({ min: 1, max: 8 }), what: happening }), {
				maxLength: 3,
			}),
			failAt: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), ago: fc.nat(5) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('filter' as const),
			statuses: fc.uniqueArray(fc.nat(4), { maxLength: 2 }),
			appeared: fc.boolean(),
		}),
	},
);

interface Event {
	eventId: string;
	recordId: string;
	previousStatus: string | null;
	status: string;
}

/** Everything that n8n saved after a poll, and which events there had been by then. */
interface Saved {
	text: string;
	told: ReadonlySet<string>;
}

class History {
	private readonly service: FakeService;

	private filter: Filter = { statuses: [], appeared: true };

	/** Ever saved, the latest last. */
	private readonly saved: Saved[] = [{ text: '', told: new Set() }];

	/** What each event was, over all restarts. */
	private readonly meanings = new Map<string, string>();

	private deletions = 0;

	/** By epoch: the records that were there when the first look began. They are never new. */
	private readonly old = new Map<string, ReadonlySet<string>>();

	constructor(
		private readonly kind: Kind,
		initial: number[],
		oldestFirst: boolean,
	) {
		this.service = new FakeService(kind, oldestFirst);
		for (const status of initial) this.happen({ do: 'make', status });
	}

	async run(steps: Step[]): Promise<void> {
		for (const each of steps) {
			if (each.do === 'poll') await this.poll(each);
			else if (each.do === 'restart')
				this.saved.push(this.saved.at(-1 - each.ago) ?? this.saved[0]!);
			else if (each.do === 'filter') {
				const statuses = each.statuses.map((status) => this.status(status).toUpperCase());
				this.filter = { statuses, appeared: each.appeared };
			} else this.happen(each);
		}
		// Whatever was left undone is done within a few polls in which nothing goes wrong.
		for (let i = 0; i < 8; i++) await this.poll({ do: 'poll', during: [] });
		this.expectNothingMissed();
	}

	private status(number: number): string {
		const statuses = STATUSES[this.kind.event]!;
		return statuses[number % statuses.length]!;
	}

	private happen(what: Happening): void {
		const { rows } = this.service;
		if (what.do === 'make') this.service.make(this.status(what.status));
		else if (rows.length === 0) return;
		else if (what.do === 'change')
			this.service.change(rows[what.record % rows.length]!, this.status(what.status));
		else {
			this.deletions++;
			this.service.delete(rows[what.record % rows.length]!);
		}
	}

	private async poll({ during, failAt }: Extract<Step, { do: 'poll' }>): Promise<void> {
		const { text, told } = this.saved.at(-1)!;
		const { event } = this.kind;
		const before = unpack(text)[event];
		this.service.begin();
		const there = new Set(this.service.rows.map(({ id }) => id));
		time.clock.advance(60_000);
		this.service.onRequest = (request) => {
			for (const { what } of during.filter((each) => each.request === request)) this.happen(what);
			if (failAt !== undefined && request >= failAt) throw outage();
		};
		const watched = { kind: this.kind, narrowing: {}, filter: this.filter, details: false };
		const polled = await pollKind(this.service.reader, watched, 'scope', before);
		const after = pack({ [event]: polled.state });
		const events = polled.items.map(({ json }) => json as unknown as Event);

		const { memory } = polled.state;
		if (memory && !before?.memory) this.old.set(memory.epoch, there);
		for (const { previousStatus, recordId, status } of events) {
			if (previousStatus !== null || !before?.memory) continue;
			// Of an old record that was not learned yet it can only be said where it has come.
			if (!before.memory.whole && !this.kind.hasEnded(status)) continue;
			expect([recordId, this.old.get(before.memory.epoch)!.has(recordId)]).toEqual([
				recordId,
				false,
			]);
		}

		const filters = before ? [this.filter, before.filter] : [this.filter];
		this.expectEvents(events, before?.memory, unpack(after)[event]?.memory, filters);
		for (const { eventId } of events)
			expect([eventId, told.has(eventId)]).toEqual([eventId, false]);
		this.saved.push({
			text: after,
			told: new Set([...told, ...events.map((each) => each.eventId)]),
		});

		const calm = failAt === undefined && during.length === 0;
		if (calm && memory && memory.partPages < 5) this.expectAllKnown(memory);
	}

	/** The events are the difference between what was known before and after, as far as the filters let it through. */
	private expectEvents(
		events: Event[],
		before: Memory | undefined,
		after: Memory | undefined,
		filters: Filter[],
	): void {
		const byKey = new Map(events.map((each) => [keyOf(each.recordId), each]));
		expect(byKey.size).toBe(events.length);
		if (!before) expect(events).toEqual([]);
		for (const [key, { status, changes }] of before && after ? after.known : new Map()) {
			const previous = before?.known.get(key);
			// A new record has a change; one that is only learned has none.
			const changed = previous ? previous.status !== status : changes > 0;
			const strangerWas = this.kind.strangerWas;
			const expected = changed
				? { previousStatus: previous?.status ?? strangerWas, status }
				: undefined;
			const passes =
				expected !== undefined &&
				filters.every(
					({ statuses, appeared }) =>
						(statuses.length === 0 || statuses.includes(expected.status.toUpperCase())) &&
						(expected.previousStatus !== null || appeared),
				);
			const found = byKey.get(key);
			expect(found && { previousStatus: found.previousStatus, status: found.status }).toEqual(
				passes ? expected : undefined,
			);
			byKey.delete(key);
		}
		expect([...byKey.values()]).toEqual([]);
		for (const { eventId, recordId, status } of events) {
			// It really stood there while the poll was looking.
			expect([...(this.service.stoodAt.get(recordId) ?? [])]).toContain(status);
			// The same event is the same change, also when it comes again after a restart.
			const meaning = [recordId, status].join(' ');
			expect(this.meanings.get(eventId) ?? meaning).toBe(meaning);
			this.meanings.set(eventId, meaning);
		}
	}

	private expectAllKnown({ known, whole }: Memory): void {
		const wrong = this.service.rows.filter((row) => !this.isKnown(known, row));
		const hidden = wrong.filter((row) => this.isHidden(known, row, whole));
		expect(wrong.filter((row) => !hidden.includes(row))).toEqual([]);
	}

	/** What nobody can find out about a list that is too long to be read whole. */
	private isHidden(known: Known, { id, status }: Row, whole: boolean): boolean {
		if (this.kind.layout !== 'pages' || this.service.rows.length <= 4 * this.kind.pageSize)
			return false;
		const entry = known.get(keyOf(id));
		const isListed = this.kind.parts.some((part) => part.status === status);
		// It had ended, or was never seen, and came to a status that no part of the list shows.
		if (!isListed && entry) return this.kind.hasEnded(entry.status);
		if (!isListed && !this.kind.hasEnded(status)) return true;
		// It came and ended unseen, while a deletion hid that the list grew.
		return !entry && this.kind.hasEnded(status) && (!whole || this.deletions > 0);
	}

	private isKnown(known: Known, { id, status }: Row): boolean {
		const entry = known.get(keyOf(id));
		if (!entry) return this.kind.layout === 'parts' && status === 'NOT_ESCALATED';
		return entry.status === status;
	}

	private expectNothingMissed(): void {
		const memory = unpack(this.saved.at(-1)!.text)[this.kind.event]!.memory!;
		this.expectAllKnown(memory);
	}
}

const time = new FakeTime();
beforeAll(() => time.install());
afterAll(() => time.restore());

/** Pages of two make every list a long one; the others fit in one request. */
const CASES: [string, Kind][] = [
	['tickets in one page', tickets],
	['tickets in many pages', { ...tickets, pageSize: 2 }],
	['broadcasts in one page', broadcasts],
	['broadcasts in many pages', { ...broadcasts, pageSize: 2 }],
	['import jobs', importJobs],
	['chats in one page', chats],
	['chats in many pages', { ...chats, pageSize: 2 }],
];

test.each(CASES)(
	'%s: whatever happens, every change comes out, once, and none is invented',
	async (_what, kind) => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.nat(9), { maxLength: 24 }),
				fc.boolean(),
				fc.array(step, { maxLength: 40 }),
				async (initial, oldestFirst, steps) => {
					await new History(kind, initial, oldestFirst).run(steps);
				},
			),
			{ numRuns: Number(process.env.RUNS ?? 150) },
		);
	},
);
