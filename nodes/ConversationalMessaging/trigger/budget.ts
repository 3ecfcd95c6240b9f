import { clock } from '../api/base/clock';
import type { ServiceClient } from '../api/client';
import { WINDOW_MS } from '../api/rate/rateHeaders';
import { READS_AT_ONCE } from './limits';

/** Of the rate limit, a trigger sends half, but at least and at most this many requests in a window of it. */
const LEAST = 10;
const MOST = 300;

/** The same while the rate limit is unknown. */
const IF_UNKNOWN = 100;

const mostRequests = (windowSize: number | undefined): number =>
	windowSize === undefined
		? IF_UNKNOWN
		: Math.min(MOST, Math.max(LEAST, Math.floor(windowSize / 2)));

/** Polls that are planned a window apart can begin this much earlier, in milliseconds. */
const EARLY_MS = 1_000;

const isInWindow = (at: number, now: number): boolean => now - at < WINDOW_MS - EARLY_MS;

/** What one event may send in one poll. To be asked before each request, so that reads under way are included. */
export interface EventBudget {
	/** How many requests it needs to make progress, and how many more it may send. */
	readonly needed: number;
	readonly left: number;
	/** One more request. @returns whether it may be sent */
	take(): boolean;
	/** A request that is sent in any case, such as one that is repeated after a failure: later ones pay for it. */
	spend(): void;
}

/** For a user who waits. */
export const UNLIMITED: EventBudget = {
	needed: 0,
	left: Infinity,
	take: () => true,
	spend: () => undefined,
};

/** How many reads are begun at once, if each may take so many requests: there is enough for all of them. */
export const atOnceFor = ({ left }: EventBudget, requests: number): number =>
	Math.max(1, Math.min(READS_AT_ONCE, Math.floor(left / requests)));

/** The client for one request for which `take` was asked: what is repeated after a failure is counted as well. */
export function withRepeats(client: ServiceClient, budget: EventBudget): ServiceClient {
	let attempts = 0;
	const onRequest = () => {
		if (attempts++ > 0) budget.spend();
	};
	return { ...client, onRequest };
}

/** What an event needs in a poll to make progress, in requests, and its part of what is left beyond that. */
export interface Needs {
	event: string;
	needed: number;
	weight: number;
}

/**
 * The requests of one trigger, for all of its events and polls together. In memory: n8n does not save the state of a poll
 * without events.
 */
export class RequestBudget {
	/** What was sent in the current window, by the time at which it began. */
	private sent: { at: number; count: number }[] = [];
	/** When the polls of the current window began, the latest last. */
	private polls: number[] = [];
	/** When the first poll began, which is one more in its window than the poll times; -Infinity before it. */
	private first = -Infinity;
	/** As a response showed it: the rate limiter does not keep it for hours. */
	private windowSize?: number;
	private readonly turns = new Map<string, number>();

	/**
	 * A poll begins. The polls of a window have equal parts of it. One has what others left of theirs beyond its own. If there is
	 * not enough for all events, those have their turn that had it the longest time ago.
	 *
	 * @param windowSize how many requests a window of the rate limit allows, which a response may show; undefined while unknown
	 * @param pollTimes the number of the trigger's poll times: of several, each may come once in a window
	 * @returns what each event may send; those that are missing wait for another poll
	 */
	begin(
		events: readonly Needs[],
		windowSize: () => number | undefined,
		pollTimes = 1,
	): Map<string, EventBudget> {
		const now = clock.elapsed();
		const inWindow = (): number => {
			this.windowSize = windowSize() ?? this.windowSize;
			return mostRequests(this.windowSize);
		};
		this.sent = this.sent.filter(({ at }) => isInWindow(at, now));
		const left = (): number => this.sent.reduce((rest, { count }) => rest - count, inWindow());
		this.polls = [...this.polls.filter((at) => isInWindow(at, now)), now];
		const others = this.polls.length - 1;
		const most = inWindow();
		const part = Math.floor(most / this.polls.length);
		if (!this.hasPolled) this.first = now;
		// The polls to come after the first one are not among those of the window yet. They need something as well.
		const later = pollTimes > 1 && this.isStarting ? Math.max(0, pollTimes - others) : 0;
		const needs = events.reduce((sum, { needed }) => sum + needed, 0);
		const kept = Math.min(later * needs, Math.floor(most / 2));
		let size = Math.min(left() - kept, Math.max(part, left() - others * part));
		const turnOf = ({ event }: Needs): number => this.turns.get(event) ?? -Infinity;
		const chosen: Needs[] = [];
		for (const each of [...events].sort((one, other) => turnOf(one) - turnOf(other))) {
			const needed = Math.min(each.needed, most);
			// The first one has its turn as soon as there is enough for it alone, or all that there ever is.
			const isAlone = chosen.length === 0 && needed <= left();
			if (needed > size && !isAlone) break;
			size = Math.max(0, size - needed);
			chosen.push({ ...each, needed });
		}
		const weights = Math.max(
			1,
			chosen.reduce((sum, { weight }) => sum + weight, 0),
		);
		return new Map(
			chosen.map(({ event, needed, weight }) => {
				let own = needed + Math.floor((size * weight) / weights);
				const spend = (): void => {
					own--;
					// Not before: a lower rate limit may show that there is not enough for it.
					this.turns.set(event, now);
					this.count();
				};
				const budget = {
					needed,
					get left() {
						return Math.max(0, Math.min(own, left()));
					},
					take: () => budget.left > 0 && (spend(), true),
					spend,
				};
				return [event, budget];
			}),
		);
	}

	get hasPolled(): boolean {
		return this.first > -Infinity;
	}

	/** Whether the first poll, which reads the most, is in the current window. */
	get isStarting(): boolean {
		return isInWindow(this.first, clock.elapsed());
	}

	/** A poll that waited for the rate limit sends in a later window than it began in. */
	private count(): void {
		const now = clock.elapsed();
		const last = this.sent.at(-1);
		if (last && last.at >= (this.polls.at(-1) ?? now) && now - last.at < WINDOW_MS / 2)
			last.count++;
		else this.sent.push({ at: now, count: 1 });
	}
}
