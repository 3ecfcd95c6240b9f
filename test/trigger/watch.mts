import {
	LatestStates,
	type StaticData,
} from '../../nodes/ConversationalMessaging/trigger/latest.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { emptyMemory } from '../../nodes/ConversationalMessaging/trigger/status/memory.ts';
import { Reports } from '../../nodes/ConversationalMessaging/trigger/reports.ts';
import { decode, encode, isEmpty } from '../../nodes/ConversationalMessaging/trigger/state.ts';
import { pollSource } from '../../nodes/ConversationalMessaging/trigger/status/poll.ts';
import type { Reader } from '../../nodes/ConversationalMessaging/trigger/status/reader.ts';
import { Seen } from '../../nodes/ConversationalMessaging/trigger/status/seen.ts';
import type { SourcePoll } from '../../nodes/ConversationalMessaging/trigger/status/sourcePoll.ts';
import type {
	Filter,
	StatusSource,
} from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { FakeService, type Order, type Row } from './service.mts';

/** The number of records of each status. */
export type Counts = Record<string, number>;

export interface WatchSettings {
	order?: Order;
	scope?: Record<string, string>;
	details?: boolean;
	fromExisting?: boolean;
	limits?: typeof LIMITS;
}

/** A service, and a trigger that has not polled it yet, without n8n. The state is kept as text, as n8n does. */
export class Watch {
	service: FakeService;

	token = 'one';

	filter: Filter = { statuses: [], includeNew: true };

	/** The static data of n8n's workflow. */
	data: StaticData = {};

	/** What n8n's process keeps. */
	latest = new LatestStates();

	/** The lines of n8n's log. */
	readonly logged: string[] = [];

	constructor(
		readonly source: StatusSource,
		counts: Counts = {},
		private readonly settings: WatchSettings = {},
	) {
		this.service = new FakeService(source, settings.order);
		this.service.makeAll(mixed(counts));
	}

	/** The state after the last poll. */
	get text(): string {
		return this.data.state ?? '';
	}

	get checkpoint() {
		return decode(this.text).sources[this.source.event];
	}

	get memory() {
		return this.checkpoint!.memory!;
	}

	/** One poll. Its events are shown as "R1 OPEN>CLOSED", or "R2 new>OPEN". */
	async poll() {
		const { service, source, filter, token } = this;
		const { scope = {}, details = false, fromExisting = false, limits = LIMITS } = this.settings;
		service.begin();
		const { state, isRestored } = this.latest.recall('node', 'Trigger', this.data);
		const before = decode(state);
		const saved = before.sources[source.event];
		const { checkpoint, items, error } = await pollSource(
			service.requested,
			{ source, scope, filter, details, fromExisting },
			{ scope: 'scope', token },
			{ saved, isRestored, isEmpty: isEmpty(before) },
			{
				warn: (line) => void this.logged.push(`! ${String(line)}`),
				info: (line) => void this.logged.push(String(line)),
			},
			limits,
		);
		this.latest.keep('node', 'Trigger', this.data, {
			before: state,
			after: encode({ sources: { [source.event]: checkpoint } }, limits),
			hasEvents: items.length > 0,
		});
		const events = items.map(({ json }) => {
			const { recordId, previousStatus, status } = json as Record<string, string | null>;
			return `${recordId!} ${previousStatus ?? 'new'}>${status!}`;
		});
		const { requests } = service;
		return { events, requests, failures: checkpoint.failures, error, items, checkpoint };
	}

	/** The first poll, and those that read the long lists. */
	async publish(): Promise<this> {
		let polls = 0;
		do expect([polls < 7, (await this.poll()).events]).toStrictEqual([polls++ < 7, []]);
		while (Object.values(this.memory.long).some(({ passes }) => passes > 0));
		return this;
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

/** Statuses, spread evenly over the age of the records. */
export function mixed(counts: Counts): string[] {
	const all = Object.entries(counts).flatMap(([status, count]) =>
		Array.from({ length: count }, (_, i) => ({ status, at: (i + 0.5) / count })),
	);
	return all.sort((one, other) => one.at - other.at).map(({ status }) => status);
}

/** The poll of which a test calls one step. */
export const stepOf = (
	reader: Reader,
	{ scope = {}, ...rest }: Partial<SourcePoll> & Pick<WatchSettings, 'scope'> = {},
): SourcePoll => ({
	reader,
	subscription: {
		source: reader.source,
		scope,
		filter: { statuses: [], includeNew: true },
		details: false,
		fromExisting: false,
	},
	memory: emptyMemory(),
	seen: new Seen(),
	reports: new Reports({ warn: () => undefined, info: () => undefined }),
	limits: LIMITS,
	...rest,
});
