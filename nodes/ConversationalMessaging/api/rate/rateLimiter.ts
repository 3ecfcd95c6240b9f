import { clock } from '../base/clock';
import type { RequestEnd } from './rateWindow';
import { LAST_PART_MS, MAX_WAIT_MS, RateWindow } from './rateWindow';

/** Requests at once until anything is known about the service. */
export const INITIAL_LIMIT = 8;

export const MAX_LIMIT = 64;

/** Failures leave this many, because a record that always fails says nothing about the service. */
const MIN_LIMIT = 4;

/** So many failures in a row halve the limit. */
const FAILURES = 3;

/** How long the limit does not grow after that, in milliseconds. */
const HOLD_MS = 60_000;

/**
 * By how much the limit grows with each response: after as many responses as the limit, it is twice as high. A read that
 * fails can be repeated, so with reads alone, it is four times as high.
 */
const GROWTH = { read: 3, written: 1 };

/** The share of each window that bulk work leaves to everything else, unless the credential has another one. */
export const RESERVE = 0.1;

/** How long an unused rate limiter is kept, in milliseconds: longer than anything it knows is valid. */
export const MAX_IDLE_MS = 10 * 60_000;

/**
 * Who waits for a request: a person or a poll; an execution with few requests; anything with many, also within a poll.
 */
export type Priority = 'urgent' | 'single' | 'bulk';

interface Rule {
	priority: Priority;
	/** It gets this many slots more than the limit allows: such requests are few. */
	extraSlots: number;
	/** The part of the reserve that it leaves to others. */
	leaves: number;
	/** It goes before bulk requests that came up to so many milliseconds earlier. */
	headStartMs: number;
}

const RULES: Rule[] = [
	{ priority: 'urgent', extraSlots: 2, leaves: 0, headStartMs: Infinity },
	// Many executions with one message each are bulk work in sum.
	{ priority: 'single', extraSlots: 0, leaves: 0.5, headStartMs: 60_000 },
	{ priority: 'bulk', extraSlots: 0, leaves: 1, headStartMs: 0 },
];

/** What a request has to say to wait for its turn. */
export interface TurnRequest {
	priority: Priority;
	/** Whether it is a GET. */
	isRead: boolean;
	/** The longest wait for the window of the rate limit, in milliseconds; a longer one rejects the request at once. */
	maxWaitMs: number;
	/** Rejects the request when it has waited so long, in milliseconds, whatever it waits for. */
	timeoutMs?: number;
	/** Rejects the request when it is aborted. */
	signal?: AbortSignal;
	/** Called with the time, in milliseconds, when a wait for the window begins. */
	onPause?: (ms: number) => void;
}

/** A request that may not be sent, and how long it would have to wait, in milliseconds. */
export interface Rejected {
	waitMs: number;
}

/** How a request ended, and what that shows about the service. */
export interface Completed extends RequestEnd {
	/**
	 * Failed: the service could not respond in time or at all, i.e. 5xx, timeout, lost connection. Other: a rejection, a
	 * file of any size, or nothing was sent.
	 */
	ending: keyof typeof GROWTH | 'failed' | 'other';
}

interface Waiting {
	since: number;
	/** The latest time to wait for, on `clock.elapsed`. */
	deadline: number;
	settle: (rejected?: Rejected) => void;
}

/** The reads of one priority that wait, or its other requests, in the order of their arrival. */
interface Queue extends Rule {
	isRead: boolean;
	waiting: Waiting[];
}

/**
 * Decides when each request of one token is sent, so that the service rarely has to reject one. Its rules are a table
 * in docs/ARCHITECTURE.md, section The rate limiter.
 */
export class RateLimiter {
	/** The share of each window that bulk work leaves to everything else. */
	reserve = RESERVE;

	private limit = INITIAL_LIMIT;
	/** The limit does not grow until then. */
	private growsAt = -Infinity;
	/** Failures in a row. Below zero: so many requests were in flight when the limit was halved, and show what it was. */
	private failures = 0;
	private readonly window = new RateWindow();
	/** Reads have queues of their own, because they may be sent while others have to wait. */
	private readonly queues = [true, false].flatMap((isRead) =>
		RULES.map((rule): Queue => ({ ...rule, isRead, waiting: [] })),
	);
	/** Requests that runs in progress will send, without those that are waiting or in flight. */
	private announced = 0;
	private timer = new AbortController();
	private wakesAt = Infinity;
	private lastUsed = clock.elapsed();

	/** How many requests may be in flight at once, at present. */
	get atOnce(): number {
		return Math.floor(this.limit);
	}

	/** How many reads a window allows, as reported or learned; undefined while unknown. */
	get windowSize(): number | undefined {
		return this.window.counts(true) ? this.window.size : undefined;
	}

	/** Announces requests to come, or fewer: what the window has left may be enough for all of them. */
	announce(change: number): void {
		this.announced += change;
		if (change < 0) this.admitWaiting();
	}

	/**
	 * Waits for its turn.
	 *
	 * @returns undefined when the request may be sent: call `release` once it has ended, even if nothing was sent
	 */
	async acquire(request: TurnRequest): Promise<Rejected | undefined> {
		const { priority, isRead, maxWaitMs, timeoutMs = Infinity, signal, onPause } = request;
		const now = clock.elapsed();
		this.lastUsed = now;
		if (signal?.aborted) return { waitMs: 0 };
		const isItsOwn = (each: Queue) => each.priority === priority && each.isRead === isRead;
		const queue = this.queues.find(isItsOwn) as Queue;
		return await new Promise((resolve) => {
			const waiting: Waiting = { since: now, deadline: now + maxWaitMs, settle: resolve };
			queue.waiting.push(waiting);
			this.admitWaiting();
			if (!queue.waiting.includes(waiting)) return;
			const pauseMs = this.opensAt(queue, now) - now;
			if (pauseMs > 0) onPause?.(pauseMs);
			const giveUp = () => this.reject(queue, waiting);
			const cancelTimeout = timeoutMs < Infinity ? clock.after(timeoutMs, giveUp) : undefined;
			signal?.addEventListener('abort', giveUp);
			waiting.settle = (rejected) => {
				cancelTimeout?.();
				signal?.removeEventListener('abort', giveUp);
				resolve(rejected);
			};
		});
	}

	/** Records how a request ended, and admits the next ones. */
	release(completed: Completed): void {
		const now = clock.elapsed();
		this.lastUsed = now;
		this.window.requestEnds(completed, now);
		this.adaptLimit(completed.ending, now);
		this.admitWaiting();
	}

	/** Whether the rate limiter is unused and everything it knows has expired. */
	isIdle(now: number): boolean {
		const isUsed = this.window.sent > 0 || this.toCome > 0 || now < this.window.closedUntil;
		return !isUsed && now >= this.lastUsed + MAX_IDLE_MS;
	}

	/** How many requests are waiting or announced. */
	private get toCome(): number {
		return this.queues.reduce((sum, { waiting }) => sum + waiting.length, this.announced);
	}

	/** Latency does not matter: a service that is slower with more requests at once still gets them. */
	private adaptLimit(ending: Completed['ending'], now: number): void {
		if (ending === 'other') return;
		if (ending !== 'failed') {
			this.failures = Math.min(0, this.failures + 1);
			if (now >= this.growsAt) this.limit = Math.min(MAX_LIMIT, this.limit + GROWTH[ending]);
		} else if (++this.failures >= FAILURES) {
			this.failures = -this.window.sent;
			this.growsAt = now + HOLD_MS;
			this.limit = Math.max(MIN_LIMIT, this.limit / 2);
		}
	}

	/** Sends those whose turn it is, rejects those that would wait too long, and wakes up when the window opens to others. */
	private admitWaiting(): void {
		// Read the clock once: if the pause ended between two reads, nothing would wake the waiting requests.
		const now = clock.elapsed();
		for (let next = this.nextQueue(now); next; next = this.nextQueue(now)) {
			this.window.requestStarts(next.isRead);
			next.waiting.shift()?.settle();
		}
		let wakesAt = Infinity;
		for (const queue of this.queues) {
			const opensAt = this.opensAt(queue, now);
			if (opensAt <= now) continue;
			for (const waiting of [...queue.waiting])
				if (opensAt > Math.min(waiting.deadline, now + MAX_WAIT_MS)) this.reject(queue, waiting);
			if (queue.waiting.length > 0) wakesAt = Math.min(wakesAt, opensAt);
		}
		this.wakeUpAt(wakesAt, now);
	}

	/** The queue whose first request is to be sent next; undefined if none can be. */
	private nextQueue(now: number): Queue | undefined {
		const ready = this.queues.filter((each) => each.waiting.length > 0 && this.isReady(each, now));
		return ready.sort((one, other) => rank(one) - rank(other))[0];
	}

	private isReady(queue: Queue, now: number): boolean {
		const isCounted = this.window.counts(queue.isRead);
		if (this.window.sent >= Math.min(MAX_LIMIT, this.atOnce + queue.extraSlots)) return false;
		return this.opensAt(queue, now) <= now && !(isCounted && this.window.isFull(now));
	}

	/** When the window is open to a queue: now, or later. */
	private opensAt({ isRead, leaves }: Queue, now: number): number {
		const { closedUntil, endsAt, isShared, size = 1 } = this.window;
		if (!this.window.counts(isRead)) return now;
		if (now < closedUntil) return this.window.mayTry(now) ? now : closedUntil;
		// So few are in flight that the next window is open to all until its first response.
		if (now >= endsAt) return now;
		const left = this.window.left(now);
		const lastPartAt = isShared ? endsAt : endsAt - LAST_PART_MS;
		const mayUseAll = now >= lastPartAt || (!isShared && this.toCome <= left);
		// Never all of them.
		const kept = mayUseAll ? 0 : Math.min(size - 1, Math.ceil(size * this.reserve * leaves));
		if (left > kept) return now;
		return now < lastPartAt ? lastPartAt : endsAt;
	}

	private reject(queue: Queue, waiting: Waiting): void {
		const index = queue.waiting.indexOf(waiting);
		if (index < 0) return;
		queue.waiting.splice(index, 1);
		const now = clock.elapsed();
		waiting.settle({ waitMs: this.opensAt(queue, now) - now });
	}

	private wakeUpAt(time: number, now: number): void {
		if (time === this.wakesAt) return;
		this.timer.abort();
		this.timer = new AbortController();
		this.wakesAt = time;
		if (time === Infinity) return;
		const { signal } = this.timer;
		void clock.sleep(time - now, signal).then(() => {
			if (signal.aborted) return;
			this.wakesAt = Infinity;
			this.admitWaiting();
		});
	}
}

/** Urgent requests go first, then single ones; bulk that has waited long moves up, so that nothing waits forever. */
const rank = ({ waiting: [first], headStartMs }: Queue): number =>
	(first?.since ?? Infinity) - headStartMs;

/** One per token and base URL, the one that was asked for last at the end. */
const rateLimiters = new Map<string, RateLimiter>();

/**
 * The rate limiter that all nodes of this process share for one token and base URL. Drops idle ones: if the token is an
 * expression, there may be thousands. Not by a timer, which would keep the process alive.
 *
 * @param key identifies token and base URL without containing the token
 */
export function rateLimiterFor(key: string): RateLimiter {
	const now = clock.elapsed();
	for (const [other, rateLimiter] of rateLimiters) {
		if (!rateLimiter.isIdle(now)) break;
		rateLimiters.delete(other);
	}
	const rateLimiter = rateLimiters.get(key) ?? new RateLimiter();
	rateLimiters.delete(key);
	rateLimiters.set(key, rateLimiter);
	return rateLimiter;
}
