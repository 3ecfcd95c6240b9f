import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { pathOf } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { sources } from '../../nodes/ConversationalMessaging/trigger/status/sources/index.ts';
import { useFakeTime } from '../support/time.mts';
import { check, expectReached, kind, reproduced } from './histories.mts';
import { runs } from '../support/runs.mts';
import { FakeHost } from './host.mts';
import { STATUSES, type FakeService, type Row } from './service.mts';

/**
 * Polls random histories of all events together, with one poll time or several, at any rate limit. Many records change at once.
 * What the service has is judged alone:
 *
 * - the requests of a minute are half of the rate limit at most, but 10, whatever happens;
 * - every change is emitted once, and so is every message; no event is left out for good, nor from any poll if there is enough.
 */

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** In so many polls of it, an event has read its lists. */
const TURNS = 6;

const MESSAGES = 'messageReceived';

const EVENTS = [...sources.map(({ event }) => event), MESSAGES];

/** How the requests of each source's list begin. */
const LISTS = sources.map(({ list }) => `${pathOf(list).slice(1)}?`.replace('{id}?', ''));

const anyKind = fc.nat(sources.length - 1);

/** The segments that are watched. */
const SEGMENTS = ['S1', 'S2'];

type Step =
	| { do: 'poll' }
	| { do: 'make'; event: number; status: number; count: number }
	/** So many records of a status, or of any, get another one at once. */
	| { do: 'change'; event: number; from: number; to: number; count: number }
	/** Customers write in so many chats. */
	| { do: 'write'; from: number; chats: number };

const many = fc.oneof(
	{ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) },
	{ weight: 1, arbitrary: fc.integer({ min: 20, max: 120 }) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 5, arbitrary: fc.constant<Step>({ do: 'poll' }) },
	kind(2, 'make', { event: anyKind, status: fc.nat(9), count: fc.integer({ min: 1, max: 5 }) }),
	kind(4, 'change', { event: anyKind, from: fc.nat(9), to: fc.nat(9), count: many }),
	kind(2, 'write', { from: fc.nat(99), chats: many }),
);

interface Settings {
	events: string[];
	/** Of a minute; undefined if the service does not say. */
	windowSize: number | undefined;
	everyMs: number;
	/** How many records of each kind there are at first. */
	sizes: number[];
	/** Whether lists show how long they are. Otherwise, they are known only if there is enough for all events. */
	hasMeta: boolean;
}

const settings: fc.Arbitrary<Settings> = fc.record({
	events: fc.oneof(
		fc.constant(EVENTS),
		fc.uniqueArray(fc.constantFrom(...EVENTS), { minLength: 1, maxLength: 4 }),
	),
	windowSize: fc.oneof(fc.constantFrom(undefined, 30, 60, 300), fc.integer({ min: 12, max: 400 })),
	everyMs: fc.constantFrom(MINUTE_MS, MINUTE_MS / 4, MINUTE_MS / 3, 150 * MINUTE_MS),
	sizes: fc.array(fc.oneof(fc.nat(30), fc.integer({ min: 100, max: 250 })), {
		minLength: sources.length,
		maxLength: sources.length,
	}),
	hasMeta: fc.boolean(),
});

/** The most requests of a minute (docs/TRIGGER.md). */
const mostOf = (windowSize = 200): number => Math.max(10, Math.floor(windowSize / 2));

/** How many histories went through what. */
const reached = {
	'half of the limit is used': 0,
	'many changes at once': 0,
	'several polls a minute': 0,
};

class History {
	private readonly host = new FakeHost();

	private readonly services: [event: string, service: FakeService][];

	/** How each record was there before, or was emitted. */
	private readonly last = new Map<FakeService, Map<string, Row>>();

	/** What was written since the first poll for messages, and not emitted yet. */
	private readonly unread = new Set<string>();

	/** When each event was polled. */
	private readonly turns = new Map<string, Set<number>>();

	private readonly sent: number[] = [];

	private readonly reached = new Set<keyof typeof reached>();

	/** How many records changed, and messages were written. */
	private changes = 0;

	constructor(private readonly settings: Settings) {
		const { host } = this;
		this.services = [...host.services];
		host.windowSize = settings.windowSize;
		// A rate limiter of its own.
		host.credential.apiToken = `wa_pk_${host.workflowId}`;
		host.parameters = {
			...host.parameters,
			events: settings.events,
			segmentId: SEGMENTS.join(),
			messagesFrom: 'customers',
			groupMessages: 'message',
		};
		for (const [i, [event, service]] of this.services.entries()) {
			const statuses = STATUSES[event]!;
			// As many as a list without pages shows.
			const count =
				service === host.importJobs || service === host.templates
					? settings.sizes[i]! % 40
					: settings.sizes[i]!;
			service.hasMeta = settings.hasMeta || !this.isEnough;
			service.makeAll(Array.from({ length: count }, (_, n) => statuses[n % statuses.length]!));
		}
		host.onRequest = (request) => this.note(request);
	}

	/** The first request for an event takes its baseline. */
	private note(request: string): void {
		const now = time.clock.now();
		this.sent.push(now);
		const [event, service] = this.ofRequest(request) ?? [];
		if (!event) return;
		const turns = this.turns.get(event);
		this.turns.set(event, (turns ?? new Set()).add(now));
		if (turns) return;
		// One that no list shows is not known.
		const shown = service?.rows.filter(({ status }) => status !== 'ON_HOLD') ?? [];
		if (service) this.last.set(service, new Map(shown.map((row) => [row.id, { ...row }])));
	}

	private ofRequest(request: string): [event: string, service?: FakeService] | undefined {
		if (request.startsWith('chats?') && !request.includes('needsEscalation')) return [MESSAGES];
		return this.services[LISTS.findIndex((list) => request.startsWith(list))];
	}

	/** Whether there is enough for all events in each poll. */
	private get isEnough(): boolean {
		const { windowSize, hasMeta } = this.settings;
		return mostOf(windowSize) >= (hasMeta ? 40 : 60) * this.pollsAMinute;
	}

	private get pollsAMinute(): number {
		return Math.max(1, MINUTE_MS / this.settings.everyMs);
	}

	async run(steps: Step[]): Promise<void> {
		const { windowSize, everyMs, events, hasMeta } = this.settings;
		if (everyMs < MINUTE_MS) this.reached.add('several polls a minute');
		const most = mostOf(windowSize);
		const { isEnough, pollsAMinute } = this;
		await this.poll();
		// What happens before all lists were read is not found. That takes each several turns if there is not enough for all events.
		const areRead = () => events.every((event) => (this.turns.get(event)?.size ?? 0) >= TURNS);
		for (let i = 0; !(isEnough && hasMeta) && !areRead(); i++) {
			check(i < 1_000, 'Never polled', [...this.turns.keys()]);
			await this.poll();
		}
		for (const each of steps) {
			if (each.do === 'poll') await this.poll();
			else this.apply(each);
		}
		const minutes = 15 + Math.ceil((6 * this.changes) / most);
		// Otherwise, each event finds a change in each poll, or in its turn, for which others may need a minute each.
		const polls =
			most >= 100 * pollsAMinute
				? minutes * pollsAMinute
				: isEnough
					? 15 * pollsAMinute + this.changes
					: 2 * events.length * pollsAMinute * (this.changes + 100);
		for (let i = 0; i < polls && this.missing().length > 0; i++) await this.poll();
		check(this.missing().length === 0, 'Never emitted', this.missing(), polls);
		for (const what of this.reached) reached[what]++;
	}

	private apply(what: Exclude<Step, { do: 'poll' }>): void {
		if (what.do === 'write') {
			const { rows } = this.host.chats;
			for (let i = 0; i < Math.min(what.chats, rows.length); i++) {
				const id = this.host.write(rows[(what.from + i) % rows.length]!.id);
				if (this.turns.has(MESSAGES)) this.unread.add(id);
				this.changes++;
			}
			return;
		}
		const [event, service] = this.services[what.event]!;
		const statuses = STATUSES[event]!;
		const [from, to] = [
			'from' in what ? statuses[what.from] : undefined,
			statuses[('to' in what ? what.to : what.status) % statuses.length]!,
		];
		if (what.do === 'make') {
			// No more than a list without pages shows.
			if (service.rows.length % 50 < 40)
				service.makeAll(Array.from({ length: what.count }, () => to));
			this.changes += what.count;
			return;
		}
		const rows = service.rows.filter(({ status }) => status === (from ?? status) && status !== to);
		for (const row of rows.slice(0, what.count)) service.change(row, to);
		if (what.count > 20) this.reached.add('many changes at once');
		this.changes += Math.min(rows.length, what.count);
	}

	private async poll(): Promise<void> {
		const { windowSize, everyMs, events } = this.settings;
		time.clock.advance(everyMs - SECOND_MS);
		for (const event of (await this.host.poll()) ?? []) this.judge(event);
		const now = time.clock.now();
		const inMinute = this.sent.filter((at) => at > now - MINUTE_MS).length;
		const most = mostOf(windowSize);
		check(
			inMinute <= most,
			'Requests of a minute',
			most,
			inMinute,
			this.host.requests.slice(-inMinute),
		);
		if (inMinute >= most - 2) this.reached.add('half of the limit is used');
		// The first polls read more.
		const isSettled = now - this.sent[0]! >= 2 * MINUTE_MS && most >= 60 * this.pollsAMinute;
		for (const event of isSettled ? events : [])
			check(this.turns.get(event)?.has(now) === true, 'Left out', event, most, inMinute);
		// What is written in the second of the first poll may have been there before.
		time.clock.advance(SECOND_MS);
	}

	private judge(event: IDataObject): void {
		if (event.event === MESSAGES) {
			check(this.unread.delete(event.recordId as string), 'No new message', event);
			return;
		}
		const [, service] = this.services.find(([name]) => name === event.event)!;
		const { segment, recordId: id } = event as { segment?: IDataObject; recordId: string };
		const status = (segment?.id ?? event.status) as string;
		const row = service.rows.find((each) => each.id === id);
		const last = this.last.get(service)!;
		if (row?.status !== status) throw new Error(`Has another status ${JSON.stringify(event)}`);
		const before = last.get(id);
		// A contact may have been removed, and added again.
		const isAgain = segment !== undefined && row.updated > (before?.updated ?? 0);
		check(before?.status !== status || isAgain, 'Invented, or twice', event, before);
		const implied = service === this.host.chats ? 'NOT_ESCALATED' : null;
		const isTrue = segment !== undefined || event.previousStatus === (before?.status ?? implied);
		check(isTrue, 'Another previous status', event, before);
		last.set(id, { ...row });
	}

	private missing(): string[] {
		const found = this.services.flatMap(([event, service]) => {
			if (!this.settings.events.includes(event)) return [];
			const last = this.last.get(service);
			if (!last) return [event];
			return service.rows
				.map(({ id, status }) => ({ id, status, before: last.get(id)?.status }))
				.filter(({ status, before }) => before !== status && isEmitted(event, status, before))
				.map(({ id, status, before }) => `${event} ${id} ${before}>${status}`);
		});
		return [...found, ...(this.settings.events.includes(MESSAGES) ? this.unread : [])];
	}
}

/** Whether an event is due for a record that gets a status. */
function isEmitted(event: string, status: string, before: string | undefined): boolean {
	if (event === 'contactAddedToSegment') return SEGMENTS.includes(status);
	// A new chat is not escalated.
	if (event === 'chatEscalationChanged') return status === 'ESCALATED' || before !== undefined;
	// Not one of the documented ones: only a record that left a list is looked up.
	return status !== 'ON_HOLD' || before !== undefined;
}

const time = useFakeTime();

test('all events of a trigger share half of the rate limit, and none is lost or left out', async () => {
	await fc.assert(
		fc.asyncProperty(
			settings,
			fc.array(step, { minLength: 8, maxLength: 30, size: 'max' }),
			async (of, steps) => {
				await new History(of).run(steps);
				// So that many histories are not taken for an endless loop.
				await new Promise((resolve) => setImmediate(resolve));
			},
		),
		{ numRuns: runs(15, 300), ...reproduced, endOnFailure: process.env.SHRINK === undefined },
	);
	expectReached(reached);
}, 3_600_000);
