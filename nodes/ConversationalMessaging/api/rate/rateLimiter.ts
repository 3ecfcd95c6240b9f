import { clock } from '../base/clock';
import { WINDOW_MS } from './rateHeaders';
import { type RequestEnd, MAX_WAIT_MS, RateWindow } from './rateWindow';

/** Requests at once until anything is known about the service. */
export const INITIAL_LIMIT = 8;

export const MAX_LIMIT = 64;

/** Failures leave this many, because a record that always fails says nothing about the service. */
const MIN_LIMIT = 4;

const FAILURES = 3;

/** How long the limit does not grow after that, in milliseconds. */
const HOLD_MS = WINDOW_MS;

/**
 * By how much the limit grows with each response: after as many responses as the limit, it is twice as high. A read that
 * fails can be repeated, so with reads alone, it is four times as high.
 */
const GROWTH = { read: 3, other: 1 };

/** The share of each window that bulk work leaves to everything else, unless the credential has another one. */
export const RESERVE = 0.1;

/** How long an unused rate limiter is kept, in milliseconds: longer than a request or a wait lasts. */
export const MAX_IDLE_MS = 60 * 60_000;

/**
 * Of each priority, the part of the reserve that it leaves to others, and how many milliseconds earlier bulk requests must
 * have come to go before it.
 */
const RULES = {
	urgent: { leaves: 0, headStartMs: 1e9 },
	// Many executions with one message each are bulk work in sum.
	single: { leaves: 0.5, headStartMs: WINDOW_MS },
	bulk: { leaves: 1, headStartMs: 0 },
};

/** Who waits for a request: a person or a poll; an execution with few requests; one with many. */
export type Priority = keyof typeof RULES;

/** What a request has to say to wait for its turn. */
export interface TurnRequest {
	priority: Priority;
	isRead: boolean;
	/** The longest wait for the window of the rate limit, in milliseconds; a longer one rejects the request at once. */
	maxWaitMs: number;
	/** Rejects the request when it has waited so long, in milliseconds, whatever it waits for. */
	timeoutMs?: number;
	signal?: AbortSignal;
	/** Called when it has to wait, with the time until the window opens, in milliseconds: 0 if it waits for others. */
	onPause?: (ms: number) => void;
}

interface Waiting {
	since: number;
	/** The latest time to wait for, on `clock.elapsed`. */
	deadline: number;
	settle: (rejectedMs?: number) => void;
}

/** Requests of one priority, of reads or of others, in the order of their arrival: they all wait for the same. */
interface Queue {
	priority: Priority;
	isRead: boolean;
	waiting: Set<Waiting>;
}

/**
 * Decides when each request of one token is sent, so that the service rarely has to reject one. Its rules are a table
 * in docs/ARCHITECTURE.md, section The rate limiter.
 */
export class RateLimiter {
	/** The share of each window that bulk work leaves to everything else. */
	reserve = RESERVE;
	/** How many requests may be in flight at once, at present. */
	atOnce = INITIAL_LIMIT;
	private readonly window = new RateWindow();
	/** A few queues, because thousands of executions can wait at once: looking at each of them each time would block n8n. */
	private readonly queues = (Object.keys(RULES) as Priority[]).flatMap((priority) =>
		[true, false].map((isRead): Queue => ({ priority, isRead, waiting: new Set() })),
	);
	/** Requests that runs in progress will send, without those that are waiting or in flight. */
	private announced = 0;
	/** More requests are sent at once only after that. */
	private growsAt = -Infinity;
	/** Failures in a row. Below zero: so many requests were in flight when the limit was halved, and show nothing. */
	private failures = 0;
	private wakesAt = Infinity;
	/** On `clock.elapsed`. */
	lastUsed = clock.elapsed();

	/** How many reads a window allows, as reported or learned; undefined while unknown. */
	get windowSize(): number | undefined {
		return this.window.counts(true) ? this.window.size : undefined;
	}

	/** Announces requests to come, or fewer: what the window has left may be enough for all of them. */
	announce(change: number): void {
		this.announced += change;
	}

	/**
	 * @returns undefined when the request may be sent: call `release` once it has ended, even if nothing was sent.
	 *   Otherwise how long it would have to wait, in milliseconds
	 */
	async acquire(request: TurnRequest): Promise<number | undefined> {
		const { priority, isRead, maxWaitMs, timeoutMs = Infinity, signal } = request;
		const now = clock.elapsed();
		this.lastUsed = now;
		const isOwn = (each: Queue) => each.priority === priority && each.isRead === isRead;
		const queue = this.queues.find(isOwn) as Queue;
		return await new Promise((resolve) => {
			const settle = (rejectedMs?: number): void => {
				queue.waiting.delete(waiting);
				cancelTimeout?.();
				signal?.removeEventListener('abort', giveUp);
				resolve(rejectedMs);
			};
			const waiting = { since: now, deadline: now + maxWaitMs, settle };
			const giveUp = () => settle(0);
			const cancelTimeout = timeoutMs < Infinity ? clock.after(timeoutMs, giveUp) : undefined;
			signal?.addEventListener('abort', giveUp);
			queue.waiting.add(waiting);
			this.admitWaiting();
			if (queue.waiting.has(waiting)) request.onPause?.(this.opensAt(queue, now) - now);
		});
	}

	/** Whether a 429, or a report that nothing is left, has closed the window to such requests, even to admitted ones. */
	isClosed(isRead: boolean): boolean {
		return this.window.counts(isRead) && this.window.isClosed(clock.elapsed());
	}

	release(end: RequestEnd): void {
		const now = clock.elapsed();
		this.lastUsed = now;
		this.window.requestEnds(end, now);
		this.adaptAtOnce(end, now);
		this.admitWaiting();
	}

	/** Latency does not matter: a service that is slower with more requests at once still gets them. */
	private adaptAtOnce({ isRead, ending }: RequestEnd, now: number): void {
		if (ending === 'succeeded') {
			this.failures = Math.min(0, this.failures + 1);
			const grown = this.atOnce + GROWTH[isRead ? 'read' : 'other'];
			if (now >= this.growsAt) this.atOnce = Math.min(MAX_LIMIT, grown);
		} else if (ending === 'failed' && ++this.failures >= FAILURES) {
			this.failures = -this.window.inFlightCount;
			this.growsAt = now + HOLD_MS;
			this.atOnce = Math.max(MIN_LIMIT, Math.floor(this.atOnce / 2));
		}
	}

	/** Sends those whose turn it is, rejects those that would wait too long, and wakes up when the window opens to others. */
	private admitWaiting(): void {
		// Read the clock once: if the pause ended between two reads, nothing would wake the waiting requests.
		const now = clock.elapsed();
		for (let next = this.firstReady(now); next; next = this.firstReady(now)) {
			this.window.requestStarts(next.isRead);
			headOf(next)?.settle();
		}
		for (const queue of this.queues) {
			const opensAt = this.opensAt(queue, now);
			if (opensAt <= now) continue;
			for (const { deadline, settle } of queue.waiting)
				if (opensAt > Math.min(deadline, now + MAX_WAIT_MS)) settle(opensAt - now);
			if (queue.waiting.size > 0) this.wakeUpAt(opensAt, now);
		}
	}

	/** The queue whose first request is to be sent next; undefined if none can be. */
	private firstReady(now: number): Queue | undefined {
		if (this.window.inFlightCount >= this.atOnce) return undefined;
		return this.queues
			.filter((queue) => queue.waiting.size > 0 && this.isReady(queue, now))
			.sort((one, other) => rank(one) - rank(other))[0];
	}

	private isReady(queue: Queue, now: number): boolean {
		const isFull = this.window.counts(queue.isRead) && this.window.isFull(now);
		return !isFull && this.opensAt(queue, now) <= now;
	}

	/** When the window is open to a request: now, or later. */
	private opensAt({ isRead, priority }: Queue, now: number): number {
		if (!this.window.counts(isRead)) return now;
		const toCome = this.queues.reduce((sum, { waiting }) => sum + waiting.size, this.announced);
		return this.window.opensAt(now, this.reserve * RULES[priority].leaves, toCome);
	}

	/** An earlier wake-up finds out that it is too early. */
	private wakeUpAt(time: number, now: number): void {
		if (time >= this.wakesAt) return;
		this.wakesAt = time;
		void clock.sleep(time - now).then(() => {
			this.wakesAt = Infinity;
			this.admitWaiting();
		});
	}
}

/** Urgent requests go first, then single ones; bulk that has waited long moves up, so that nothing waits forever. */
const rank = (queue: Queue): number =>
	(headOf(queue)?.since ?? Infinity) - RULES[queue.priority].headStartMs;

const headOf = ({ waiting }: Queue): Waiting | undefined => waiting.values().next().value;

const rateLimiters = new Map<string, RateLimiter>();

/**
 * The rate limiter that all nodes of this process share for one token and base URL. Drops idle ones: if the token is an
 * expression, there may be thousands. Not by a timer, which would keep the process alive.
 *
 * @param key identifies token and base URL without containing the token
 */
export function rateLimiterFor(key: string): RateLimiter {
	const now = clock.elapsed();
	for (const [other, { lastUsed }] of rateLimiters)
		if (now >= lastUsed + MAX_IDLE_MS) rateLimiters.delete(other);
	const rateLimiter = rateLimiters.get(key) ?? new RateLimiter();
	rateLimiters.set(key, rateLimiter);
	return rateLimiter;
}
