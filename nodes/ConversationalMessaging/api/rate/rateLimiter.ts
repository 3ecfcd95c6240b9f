import { clock } from '../base/clock';
import type { Ending } from './concurrencyLimit';
import { ConcurrencyLimit, MAX_LIMIT } from './concurrencyLimit';
import type { RateInfo } from './rateHeaders';
import type { Counts } from './rateWindow';
import { kindOf, LAST_PART_MS, MAX_WAIT_MS, RateWindow } from './rateWindow';

/** Up to this much is added to a wait, in milliseconds, so that not all clients retry at the same moment. */
const JITTER_MS = 1_000;

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
	/** It gets this many slots more than the concurrency limit allows: such requests are few. */
	extraSlots: number;
	/** The part of the reserve that it leaves to others. */
	leaves: number;
	/** How much longer it waits than an urgent request, in milliseconds, before it goes first. */
	patienceMs: number;
}

const RULES: Rule[] = [
	{ priority: 'urgent', extraSlots: 2, leaves: 0, patienceMs: 0 },
	// Many executions with one message each are bulk work in sum.
	{ priority: 'single', extraSlots: 0, leaves: 0.5, patienceMs: 60_000 },
	{ priority: 'bulk', extraSlots: 0, leaves: 1, patienceMs: 120_000 },
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

/** The permission to send one request. To be given back by `release` or `cancel`, once. */
export interface Slot {
	/** On `clock.elapsed`. */
	at: number;
	isRead: boolean;
}

/** Whether a request may be sent; if not, how long it would have to wait, in milliseconds. */
export type Admission = { slot: Slot } | { slot?: undefined; waitMs: number };

/** What the end of a request shows about the service. */
export interface Completed {
	ending: Ending;
	isRateLimited: boolean;
	/** What the headers say; undefined without a response. */
	rate?: RateInfo;
}

interface Waiting {
	since: number;
	/** The latest time to wait for, on `clock.elapsed`. */
	deadline: number;
	settle: (admission: Admission) => void;
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

	private readonly concurrency = new ConcurrencyLimit();

	private readonly window = new RateWindow();

	/** Reads have queues of their own, because they may be sent while writes have to wait. */
	private readonly queues = [true, false].flatMap((isRead) =>
		RULES.map((rule): Queue => ({ ...rule, isRead, waiting: [] })),
	);

	private readonly inFlight: Counts = { reads: 0, others: 0 };

	/** Requests that runs in progress will send, without those that are waiting or in flight. */
	private announced = 0;

	/** Added to the present pause, for all that is not urgent. */
	private jitterMs = 0;

	private timer: AbortController | undefined;

	private wakesAt = Infinity;

	private lastUsed = clock.elapsed();

	/** How many requests may be in flight at once, at present. */
	get atOnce(): number {
		return this.concurrency.value;
	}

	/** How many reads a window allows, as reported or learned; undefined while unknown. */
	get windowSize(): number | undefined {
		return this.window.counts(true) ? this.window.size : undefined;
	}

	/** Announces requests to come: what the window has left may be enough for all of them. */
	announce(count: number): void {
		this.announced += count;
	}

	/** Called before each announced request. */
	requestStarts(): void {
		this.announced--;
	}

	/** Withdraws announced requests that will not be sent: the window may have enough left for others. */
	withdraw(count: number): void {
		this.announced -= count;
		this.admitWaiting();
	}

	/**
	 * Waits for its turn.
	 *
	 * @returns a slot: call `release` once there is a response, or none will come, or `cancel` if nothing was sent
	 */
	async acquire(request: TurnRequest): Promise<Admission> {
		const { maxWaitMs, timeoutMs = Infinity, signal, onPause } = request;
		const now = clock.elapsed();
		this.lastUsed = now;
		const queue = this.queueOf(request);
		if (signal?.aborted) return { waitMs: 0 };
		// Most requests do not wait: nothing is set up for them.
		if (this.isNobodyWaiting && this.mayBeSent(queue, now)) return { slot: this.send(queue, now) };
		return await new Promise<Admission>((resolve) => {
			const giveUp = () => this.reject(queue, waiting);
			const cancelTimeout = timeoutMs < Infinity ? clock.after(timeoutMs, giveUp) : undefined;
			const waiting: Waiting = {
				since: now,
				deadline: now + maxWaitMs,
				settle: (admission) => {
					cancelTimeout?.();
					signal?.removeEventListener('abort', giveUp);
					resolve(admission);
				},
			};
			signal?.addEventListener('abort', giveUp);
			queue.waiting.push(waiting);
			const opensAt = this.opensAt(queue, now);
			if (this.isTooLate(waiting, opensAt, now)) giveUp();
			else if (opensAt > now) onPause?.(opensAt - now);
			this.admitWaiting();
		});
	}

	/** Records a response, or its absence, and admits the next requests. */
	release(slot: Slot, { ending, isRateLimited, rate }: Completed): void {
		const now = clock.elapsed();
		this.lastUsed = now;
		this.count(slot.isRead, -1);
		this.concurrency.ended(ending, slot.at, now);
		const { closedUntil } = this.window;
		const { isRead } = slot;
		if (rate) this.window.responded({ isRead, isRateLimited, rate }, this.inFlight, now);
		if (this.window.closedUntil > closedUntil) this.jitterMs = clock.random() * JITTER_MS;
		if (this.isNobodyWaiting) return;
		for (const queue of this.queues) this.rejectLate(queue, now);
		this.admitWaiting();
	}

	/** Gives a slot back without having sent anything. */
	cancel(slot: Slot): void {
		this.count(slot.isRead, -1);
		this.admitWaiting();
	}

	/** Whether the rate limiter is unused and everything it knows has expired. */
	isIdle(now: number): boolean {
		const isUsed = this.sent > 0 || this.toCome > 0 || this.window.askedMs(now) > 0;
		return !isUsed && now >= this.lastUsed + MAX_IDLE_MS;
	}

	private queueOf({ priority, isRead }: TurnRequest): Queue {
		const isOf = (queue: Queue) => queue.priority === priority && queue.isRead === isRead;
		return this.queues.find(isOf) as Queue;
	}

	private count(isRead: boolean, change: 1 | -1): void {
		this.inFlight[kindOf(isRead)] += change;
	}

	/** How many requests are in flight. */
	private get sent(): number {
		return this.inFlight.reads + this.inFlight.others;
	}

	private get isNobodyWaiting(): boolean {
		return this.queues.every(({ waiting }) => waiting.length === 0);
	}

	/** How many requests are waiting or announced. */
	private get toCome(): number {
		return this.queues.reduce((sum, { waiting }) => sum + waiting.length, this.announced);
	}

	/** When the window is open to a queue; in the past if it is now. */
	private opensAt(queue: Queue, now: number): number {
		if (!this.window.counts(queue.isRead)) return -Infinity;
		const { closedUntil, endsAt, isShared } = this.window;
		const pauseEndsAt = closedUntil + (queue.leaves > 0 ? this.jitterMs : 0);
		if (now < pauseEndsAt) return pauseEndsAt;
		const left = this.window.left(now);
		if (this.isEnough(queue, left, now)) return -Infinity;
		const restOpensAt = endsAt - LAST_PART_MS;
		return !isShared && now < restOpensAt ? restOpensAt : endsAt;
	}

	/** Whether the window has enough left for a request of this queue. */
	private isEnough({ leaves }: Queue, left: number, now: number): boolean {
		const { size = 1, endsAt, isShared } = this.window;
		// Never all of them.
		const kept = Math.min(size - 1, Math.ceil(size * this.reserve * leaves));
		if (left <= 0 || left > kept) return left > 0;
		const isLastPart = now >= endsAt - LAST_PART_MS && now < endsAt;
		return !isShared && (isLastPart || this.toCome <= left);
	}

	private mayBeSent(queue: Queue, now: number): boolean {
		if (this.sent >= Math.min(MAX_LIMIT, this.atOnce + queue.extraSlots)) return false;
		if (!this.window.counts(queue.isRead)) return true;
		const counted = this.window.sum(this.inFlight);
		if (now < this.opensAt(queue, now) || counted >= this.window.atOnce(now)) return false;
		return this.isEnough(queue, this.window.left(now) - counted, now);
	}

	private admitWaiting(): void {
		// Read the clock once: if the pause ended between two reads, nothing would wake the waiting requests.
		const now = clock.elapsed();
		for (let queue = this.nextQueue(now); queue; queue = this.nextQueue(now)) {
			queue.waiting.shift()?.settle({ slot: this.send(queue, now) });
		}
		this.wakeUpLater(now);
	}

	private send({ isRead }: Queue, now: number): Slot {
		this.count(isRead, 1);
		this.window.requestStarts(isRead);
		return { at: now, isRead };
	}

	/** The queue whose first request is to be sent next; undefined if none can be. */
	private nextQueue(now: number): Queue | undefined {
		let next: Queue | undefined;
		for (const queue of this.queues)
			if (rank(queue) < (next ? rank(next) : Infinity) && this.mayBeSent(queue, now)) next = queue;
		return next;
	}

	/** Rejects those that cannot wait until the window is open to them. */
	private rejectLate(queue: Queue, now: number): void {
		const opensAt = this.opensAt(queue, now);
		if (opensAt <= now) return;
		for (const waiting of [...queue.waiting])
			if (this.isTooLate(waiting, opensAt, now)) this.reject(queue, waiting);
	}

	private isTooLate({ deadline }: Waiting, opensAt: number, now: number): boolean {
		return (
			opensAt > Math.max(now, deadline) || (opensAt > now && this.window.askedMs(now) > MAX_WAIT_MS)
		);
	}

	private reject(queue: Queue, waiting: Waiting): void {
		const index = queue.waiting.indexOf(waiting);
		if (index < 0) return;
		queue.waiting.splice(index, 1);
		const now = clock.elapsed();
		const waitMs = Math.max(0, this.window.askedMs(now), this.opensAt(queue, now) - now);
		waiting.settle({ waitMs });
	}

	/** Sleeps until the window opens to requests that wait for it. */
	private wakeUpLater(now: number): void {
		const queues = this.queues.filter(({ waiting }) => waiting.length > 0);
		const times = queues.map((queue) => this.opensAt(queue, now)).filter((time) => time > now);
		const wakesAt = Math.min(Infinity, ...times);
		if (wakesAt === this.wakesAt) return;
		this.timer?.abort();
		this.timer = undefined;
		this.wakesAt = wakesAt;
		if (wakesAt === Infinity) return;
		const timer = new AbortController();
		this.timer = timer;
		void clock.sleep(wakesAt - now, timer.signal).then(() => {
			if (timer.signal.aborted) return;
			this.wakesAt = Infinity;
			this.admitWaiting();
		});
	}
}

/** Urgent requests go first, then single ones; whoever has waited long moves up, so that nobody waits forever. */
const rank = ({ waiting: [first], patienceMs }: Queue): number =>
	first ? first.since + patienceMs : Infinity;
