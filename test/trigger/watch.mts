import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { decode, encode, isEmpty } from '../../nodes/ConversationalMessaging/trigger/state.ts';
import { needsOf } from '../../nodes/ConversationalMessaging/trigger/status/requests.ts';
import {
	RequestBudget,
	UNLIMITED,
	type EventBudget,
} from '../../nodes/ConversationalMessaging/trigger/budget.ts';
import type { Memory } from '../../nodes/ConversationalMessaging/trigger/status/memory.ts';
import { pollSource } from '../../nodes/ConversationalMessaging/trigger/status/poll.ts';
import type {
	Filter,
	StatusSource,
	Subscription,
} from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { contextWith } from './histories.mts';
import { N8n } from './n8n.mts';
import { FakeService, type Order, type Row } from './service.mts';

/** The number of records of each status. */
export type Counts = Record<string, number>;

export interface WatchSettings {
	order?: Order;
	scope?: Record<string, string>;
	details?: boolean;
	fromExisting?: boolean;
	/** The chosen statuses. */
	statuses?: string[];
	limits?: typeof LIMITS;
	/** The most characters of the state. */
	characters?: number;
	/** The rate limit, if it matters: how many requests a minute allows, or that nothing shows it. Polls are a minute apart. */
	windowSize?: number | 'unknown';
}

/** A service, and a trigger that has not polled it yet, without n8n. The state is kept as text, as n8n does. */
export class Watch {
	service: FakeService;

	token = 'one';

	filter: Filter = { statuses: [], includeNew: true, fields: {} };

	readonly n8n = new N8n();

	/** The lines of n8n's log. */
	readonly logged: string[] = [];

	constructor(
		readonly source: StatusSource,
		counts: Counts = {},
		readonly settings: WatchSettings = {},
	) {
		this.service = new FakeService(source, settings.order);
		this.service.makeAll(mixed(counts));
		this.filter.statuses = settings.statuses ?? [];
	}

	/** The state after the last poll. */
	get text(): string {
		return this.n8n.data.state ?? '';
	}

	get checkpoint() {
		return decode(this.text).sources[this.source.event];
	}

	get memory() {
		return this.checkpoint!.memory!;
	}

	/** One poll. Its events are shown as "R1 OPEN>CLOSED", or "R2 new>OPEN". */
	async poll() {
		const { service, source, filter, token, n8n } = this;
		const { scope = {}, details = false, fromExisting = false, limits = LIMITS } = this.settings;
		service.begin();
		const subscription = { source, scope, filter, details, fromExisting };
		const { state } = n8n;
		const before = decode(state);
		const saved = before.sources[source.event];
		const { windowSize } = this.settings;
		service.requested.budget = budgetFor(subscription, windowSize, saved?.memory);
		const { checkpoint, items, error } = await pollSource(
			service.requested,
			subscription,
			{ scope: 'scope', token },
			{ saved, isEmpty: isEmpty(before) },
			contextWith(this.logged),
			limits,
		);
		const after = encode({ sources: { [source.event]: checkpoint } }, this.settings.characters);
		n8n.keep(state, after, items.length > 0);
		const events = items.map(({ json }) => {
			const { recordId, previousStatus, status } = json as Record<string, string | null>;
			return `${recordId!} ${previousStatus ?? 'new'}>${status!}`;
		});
		const { requests } = service;
		return { events, requests, failures: checkpoint.failures, error, items, checkpoint };
	}

	/** The first poll, and those after which all lists are known. */
	async publish(): Promise<this> {
		const lists = this.source.lists(this.filter.statuses);
		for (let polls = 0; polls < 5; polls++) {
			expect((await this.poll()).events).toStrictEqual([]);
			if (this.memory.known.size === lists.length || !this.source.hasPages) return this;
		}
		throw new Error('Not all lists are known');
	}

	/** Polls until all of these are found, at most so many times, and expects nothing else. */
	async finds(expected: string[], polls: number): Promise<void> {
		const found: string[] = [];
		for (let i = 0; i < polls && found.length < expected.length; i++)
			found.push(...(await this.poll()).events);
		expect(found.sort()).toStrictEqual(expected.sort());
	}

	row(id: string): Row {
		return this.service.rows.find((row) => row.id === id)!;
	}

	rowsOf(status: string): Row[] {
		return this.service.rows.filter((row) => row.status === status);
	}
}

/** What a poll a minute after the one before may send. */
function budgetFor(
	subscription: Subscription,
	windowSize: WatchSettings['windowSize'],
	memory: Memory | undefined,
): EventBudget {
	if (windowSize === undefined) return UNLIMITED;
	const known = windowSize === 'unknown' ? undefined : windowSize;
	const needs = needsOf(subscription, memory);
	return new RequestBudget().begin([needs], () => known).get(needs.event)!;
}

/** Statuses, spread evenly over the age of the records. */
function mixed(counts: Counts): string[] {
	const all = Object.entries(counts).flatMap(([status, count]) =>
		Array.from({ length: count }, (_, i) => ({ status, at: (i + 0.5) / count })),
	);
	return all.sort((one, other) => one.at - other.at).map(({ status }) => status);
}
