import { clock } from './clock';
import type { Ending, Sent } from './concurrencyLimit';
import { ConcurrencyLimit, MAX_LIMIT } from './concurrencyLimit';
import type { RateInfo } from './rateHeaders';
import type { Counts } from './rateWindow';
import { RateWindow } from './rateWindow';
import type { Priority, Waiting } from './waitingRequests';
import { WaitingRequests } from './waitingRequests';

/** Longer waits than this, in milliseconds, are rejected: the user should decide what to do meanwhile. */
export const MAX_WAIT_MS = 5 * 60_000;

/** Up to this much is added to a wait, in milliseconds, so that not all clients retry at the same moment. */
const JITTER_MS = 1_000;

/** Polls and people get this many slots more than the concurrency limit allows: they are few, and never wait long. */
const EXTRA_SLOTS = 2;

/** The share of each window that bulk work leaves to everything else, unless the credential has another one. */
export const RESERVE = 0.1;

/** What is left of the reserve is used in the last part of the window, in milliseconds. */
const LAST_PART_MS = 3_000;

/**
 * The share of each window that background work leaves to everything else, up to its end. More than half, because a window
 * may be taken for twice as large as it is: see `RateWindow`.
 */
const BACKGROUND_RESERVE = 0.6;

/** The share of the reserve that may not be used. Many executions with one message each are bulk work in sum. */
const RESERVED: Record<Priority, number> = {
	editor: 0,
	poll: 0,
	single: 0.5,
	bulk: 1,
	background: 1,
};

/** Whether a priority may use the whole window. */
const isUrgent = (priority: Priority): boolean => RESERVED[priority] === 0;

/** How long an unused rate limiter is kept, in milliseconds: longer than anything it knows is valid. */
export const MAX_IDLE_MS = 10 * 60_000;

/** What a request has to say to wait for its turn. */
export interface TurnRequest {
	priority: Priority;
	/** Whether it is a GET. */
	isRead: boolean;
	/**
	 * The longest wait for the end of a pause, in milliseconds; with a longer one, the request is rejected at once. For background
	 * work, a window whose share is used up is a pause.
	 */
	maxWaitMs: number;
	/** Rejects the request when it is aborted. */
	signal?: AbortSignal;
}

/** The permission to send one request. To be given back by `release` or `cancel`, once. */
export interface Slot extends Sent {
	isRead: boolean;
}

/**
 * Whether a request may be sent; if not, how long the pause still lasts, in milliseconds. For a request whose
 * execution was stopped, the time has no meaning.
 */
export type Admission = { slot: Slot } | { slot?: undefined; waitMs: number };

interface WaitingTurn extends Waiting {
	/** The latest end of a pause for which it waits, on `clock.elapsed`. */
	deadline: number;
	settle: (admission: Admission) => void;
}

/** How a request ended. */
export interface Completed {
	ending: Ending;
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

	private readonly waiting = new WaitingRequests<WaitingTurn>();

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
	async acquire({ priority, isRead, maxWaitMs, signal }: TurnRequest): Promise<Admission> {
		const now = clock.elapsed();
		this.lastUsed = now;
		const waitMs = this.pauseMs(isRead);
		if (signal?.aborted || waitMs > Math.min(maxWaitMs, MAX_WAIT_MS)) return { waitMs };
		return await new Promise<Admission>((resolve) => {
			const onAbort = () => {
				if (this.waiting.remove(waiting)) waiting.settle({ waitMs });
			};
			const waiting: WaitingTurn = {
				priority,
				isRead,
				since: now,
				deadline: now + maxWaitMs,
				settle: (admission) => {
					signal?.removeEventListener('abort', onAbort);
					resolve(admission);
				},
			};
			this.waiting.add(waiting);
			signal?.addEventListener('abort', onAbort);
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
		const isUsed = this.sent > 0 || this.waiting.count > 0 || this.announced > 0;
		return !isUsed && now >= Math.max(this.window.closedUntil, this.lastUsed + MAX_IDLE_MS);
	}

	private get sent(): number {
		return this.inFlight.reads + this.inFlight.others;
	}

	private count(isRead: boolean, change: 1 | -1): void {
		this.inFlight[isRead ? 'reads' : 'others'] += change;
	}

	/** A pause has begun. */
	private pause(): void {
		this.jitterMs = clock.random() * JITTER_MS;
		this.rejectLate();
	}

	/** Rejects those that wait and cannot wait for the end of a pause. */
	private rejectLate(): void {
		for (const waiting of this.waiting.all) {
			const waitMs = this.pauseMs(waiting.isRead);
			if (waitMs <= MAX_WAIT_MS && this.opensAt(waiting) <= waiting.deadline) continue;
			this.waiting.remove(waiting);
			waiting.settle({ waitMs });
		}
	}

	/** When the pause ends for a request, on `clock.elapsed`; in the past if there is none. */
	private opensAt({ priority, isRead }: Waiting): number {
		if (!this.window.counts(isRead)) return -Infinity;
		const { closedUntil, endsAt } = this.window;
		const opensAt = closedUntil + (isUrgent(priority) ? 0 : this.jitterMs);
		if (priority !== 'background') return opensAt;
		const left = this.window.left(this.inFlight, clock.elapsed());
		return left > this.reserved(priority) ? opensAt : Math.max(opensAt, endsAt);
	}

	private admitWaiting(): void {
		// Read the clock once: if the pause ended between two reads, nothing would wake the waiting requests.
		const now = clock.elapsed();
		for (let next = this.nextToAdmit(now); next; next = this.nextToAdmit(now)) {
			const { isRead, settle } = next;
			this.count(isRead, 1);
			this.waiting.remove(next);
			settle({ slot: { at: now, inFlight: this.sent, isRead } });
		}
		if (this.waiting.next().some(({ priority }) => priority === 'background')) this.rejectLate();
		this.wakeUpLater(now);
	}

	private nextToAdmit(now: number): WaitingTurn | undefined {
		return this.waiting.next().find((waiting) => this.canAdmit(waiting, now));
	}

	private canAdmit(waiting: Waiting, now: number): boolean {
		const extra = isUrgent(waiting.priority) ? EXTRA_SLOTS : 0;
		if (this.sent >= Math.min(MAX_LIMIT, this.concurrency.value + extra)) return false;
		if (!this.window.counts(waiting.isRead)) return true;
		if (now < this.opensAt(waiting) || this.sent >= this.window.atOnce(now)) return false;
		const left = this.window.left(this.inFlight, now);
		const { priority } = waiting;
		return left > 0 && (left > this.reserved(priority) || this.mayUseReserve(priority, left, now));
	}

	/** How many requests of this window are not for this priority. */
	private reserved(priority: Priority): number {
		const size = this.window.size ?? 1;
		const share =
			priority === 'background' ? Math.max(this.reserve, BACKGROUND_RESERVE) : this.reserve;
		return Math.min(size - 1, Math.ceil(size * share * RESERVED[priority]));
	}

	/** In the last part of the window; and before it, if all that is to come would be done at once. Never in the background. */
	private mayUseReserve(priority: Priority, left: number, now: number): boolean {
		if (priority === 'background') return false;
		return now >= this.lastPartAt || this.waiting.count + this.announced <= left;
	}

	private get lastPartAt(): number {
		return this.window.endsAt - LAST_PART_MS;
	}

	/** Sleeps until more requests may be sent, as long as some are waiting. */
	private wakeUpLater(now: number): void {
		const isHeld = this.sent >= this.concurrency.value || now < this.window.closedUntil;
		const ofWindow = isHeld ? [] : [this.lastPartAt, this.window.endsAt];
		const opens = this.waiting.next().map((waiting) => this.opensAt(waiting));
		const next = [...opens, ...ofWindow].filter((time) => time > now);
		const wakesAt = this.waiting.count > 0 ? Math.min(Infinity, ...next) : Infinity;
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
