import type { LimiterState } from './admission';
import { mayBeSent, nextLookAt, opensAt, sumOf } from './admission';
import { clock } from '../base/clock';
import type { RequestEnd, SentRequest } from './concurrencyLimit';
import { ConcurrencyLimit } from './concurrencyLimit';
import type { RateInfo } from './rateHeaders';
import type { Counts } from './rateWindow';
import { RateWindow } from './rateWindow';
import type { Priority, QueuedRequest } from './requestQueue';
import { RequestQueue } from './requestQueue';

/** Longer waits than this, in milliseconds, are rejected: the user should decide what to do meanwhile. */
export const MAX_WAIT_MS = 5 * 60_000;

/** Up to this much is added to a wait, in milliseconds, so that not all clients retry at the same moment. */
const JITTER_MS = 1_000;

/** The share of each window that bulk work leaves to everything else, unless the credential has another one. */
export const RESERVE = 0.1;

/** How long an unused rate limiter is kept, in milliseconds: longer than anything it knows is valid. */
export const MAX_IDLE_MS = 10 * 60_000;

/** What a request has to say to wait for its turn. */
export interface TurnRequest {
	priority: Priority;
	/** Whether it is a GET. */
	isRead: boolean;
	/**
	 * The longest wait for the end of a pause, in milliseconds; with a longer one, the request is rejected at once. For
	 * background work, a window whose share is used up is a pause.
	 */
	maxWaitMs: number;
	/** Rejects the request when it has waited so long, in milliseconds, whatever it waits for. */
	timeoutMs?: number;
	/** Rejects the request when it is aborted. */
	signal?: AbortSignal;
	/** Called with the time, in milliseconds, when a wait for the end of a pause begins. */
	onPause?: (ms: number) => void;
}

/** The permission to send one request. To be given back by `release` or `cancel`, once. */
export interface Slot extends SentRequest {
	isRead: boolean;
}

/**
 * Whether a request may be sent; if not, how long the pause still lasts, in milliseconds. For a request whose
 * execution was stopped, the time has no meaning.
 */
export type Admission = { slot: Slot } | { slot?: undefined; waitMs: number };

interface QueuedTurn extends QueuedRequest {
	/** The latest end of a pause for which it waits, on `clock.elapsed`. */
	deadline: number;
	settle: (admission: Admission) => void;
}

/** What the end of a request shows about the service. */
export interface Completed {
	ending: RequestEnd;
	isRateLimited: boolean;
	/** What the headers say; undefined without a response. */
	rate?: RateInfo;
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

	private readonly queue = new RequestQueue<QueuedTurn>();

	private readonly inFlight: Counts = { reads: 0, others: 0 };

	/** Requests that runs in progress will send, without those that are waiting or in flight. */
	private announced = 0;

	/** Added to the present pause. */
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
		return this.window.sizeForReads;
	}

	/** Announces requests to come. */
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

	/** How long a request would wait for the end of a pause, in milliseconds; 0 if there is none. */
	pauseMs(isRead: boolean): number {
		return this.window.counts(isRead) ? Math.max(0, this.window.closedUntil - clock.elapsed()) : 0;
	}

	/**
	 * Waits for its turn.
	 *
	 * @returns a slot: call `release` once there is a response, or none will come, or `cancel` if nothing was sent
	 */
	async acquire(request: TurnRequest): Promise<Admission> {
		const { priority, isRead, maxWaitMs, timeoutMs = Infinity, signal } = request;
		const now = clock.elapsed();
		this.lastUsed = now;
		const waitMs = this.pauseMs(isRead);
		if (signal?.aborted || waitMs > Math.min(maxWaitMs, MAX_WAIT_MS)) return { waitMs };
		if (waitMs > 0) request.onPause?.(waitMs);
		return await new Promise<Admission>((resolve) => {
			const giveUp = () => {
				if (this.queue.remove(waiting)) waiting.settle({ waitMs });
			};
			const cancelTimeout = timeoutMs < Infinity ? clock.after(timeoutMs, giveUp) : undefined;
			const waiting: QueuedTurn = {
				priority,
				isRead,
				since: now,
				deadline: now + maxWaitMs,
				settle: (admission) => {
					cancelTimeout?.();
					signal?.removeEventListener('abort', giveUp);
					resolve(admission);
				},
			};
			this.queue.add(waiting);
			signal?.addEventListener('abort', giveUp);
			this.admitWaiting();
		});
	}

	/** Records a response, or its absence, and admits the next requests. */
	release(slot: Slot, { ending, isRateLimited, rate }: Completed): void {
		const now = clock.elapsed();
		this.count(slot.isRead, -1);
		this.lastUsed = now;
		this.concurrency.ended(ending, slot, now);
		const { closedUntil } = this.window;
		if (rate) this.window.responded({ isRead: slot.isRead, isRateLimited, rate }, now);
		if (this.window.closedUntil > closedUntil) this.pause();
		this.admitWaiting();
	}

	/** Gives a slot back without having sent anything. */
	cancel({ isRead }: Slot): void {
		this.count(isRead, -1);
		this.admitWaiting();
	}

	/** Whether the rate limiter is unused and everything it knows has expired. */
	isIdle(now: number): boolean {
		const isUsed = this.sent > 0 || this.queue.count > 0 || this.announced > 0;
		return !isUsed && now >= Math.max(this.window.closedUntil, this.lastUsed + MAX_IDLE_MS);
	}

	private get sent(): number {
		return sumOf(this.inFlight);
	}

	private count(isRead: boolean, change: 1 | -1): void {
		this.inFlight[isRead ? 'reads' : 'others'] += change;
	}

	/** A pause has begun. */
	private pause(): void {
		this.jitterMs = clock.random() * JITTER_MS;
		this.rejectLate(this.queue.all);
	}

	/** Rejects those of the requests that cannot wait for the end of a pause. */
	private rejectLate(requests: QueuedTurn[]): void {
		const state = this.stateAt(clock.elapsed());
		for (const waiting of requests) {
			const waitMs = this.pauseMs(waiting.isRead);
			if (waitMs <= MAX_WAIT_MS && opensAt(waiting, state) <= waiting.deadline) continue;
			this.queue.remove(waiting);
			waiting.settle({ waitMs });
		}
	}

	private admitWaiting(): void {
		// Read the clock once: if the pause ended between two reads, nothing would wake the waiting requests.
		const now = clock.elapsed();
		for (let next = this.nextToAdmit(now); next; next = this.nextToAdmit(now)) {
			const { isRead, settle } = next;
			this.count(isRead, 1);
			this.queue.remove(next);
			settle({ slot: { at: now, inFlight: this.sent, isRead } });
		}
		// To these alone, a window whose share is used up is a pause.
		this.rejectLate(this.queue.of('background'));
		this.wakeUpLater(now);
	}

	private nextToAdmit(now: number): QueuedTurn | undefined {
		const state = this.stateAt(now);
		return this.queue.next().find((request) => mayBeSent(request, state));
	}

	private stateAt(now: number): LimiterState {
		return {
			now,
			window: this.window,
			inFlight: this.inFlight,
			atOnce: this.concurrency.value,
			reserve: this.reserve,
			jitterMs: this.jitterMs,
			toCome: this.queue.count + this.announced,
		};
	}

	/** Sleeps until more requests may be sent, as long as some are waiting. */
	private wakeUpLater(now: number): void {
		const wakesAt = nextLookAt(this.queue.next(), this.stateAt(now));
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
