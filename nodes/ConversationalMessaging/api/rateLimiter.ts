import { clock } from './clock';
import type { Ending, Sent } from './concurrencyLimit';
import { ConcurrencyLimit, MAX_LIMIT } from './concurrencyLimit';
import type { RateInfo } from './rateHeaders';
import { RateWindow } from './rateWindow';
import type { Priority, Waiting } from './waitingRequests';
import { WaitingRequests } from './waitingRequests';

/** The longest time, in milliseconds, during which only the probe, the first request after a pause, is in flight. */
const PROBE_MS = 1_000;

/** Longer waits than this, in milliseconds, are rejected: the user should decide what to do meanwhile. */
export const MAX_WAIT_MS = 5 * 60_000;

/** Up to this much is added to a wait, in milliseconds, so that not all clients retry at the same moment. */
const JITTER_MS = 1_000;

/** Polls and people get this many slots more than the concurrency limit allows: they are few, and never wait long. */
const EXTRA_SLOTS = 2;

/** The share of each window that bulk work leaves to everything else, unless the credential has another one. */
export const RESERVE = 0.1;

/** What is left of the reserve is spent in this last part of the window, … */
const LAST_PART = 0.05;

/** … and at least in its last milliseconds. Services report its end in whole seconds. */
const LAST_MS = 1_500;

/** After this long without requests, in milliseconds, the service may carry more or fewer at once than before. */
const FORGET_LIMIT_MS = 60_000;

/** The share of the reserve that may not be used. Many executions with one message each are bulk work in sum. */
const RESERVED: Record<Priority, number> = { editor: 0, poll: 0, single: 0.5, bulk: 1 };

/** Whether a priority may use the whole window. */
const isUrgent = (priority: Priority): boolean => RESERVED[priority] === 0;

/**
 * For how long after a pause the reserve is kept for a poll that had to give up, in milliseconds. Most triggers poll at
 * least every hour. One that was deactivated never comes back.
 */
const POLL_RETURNS_MS = 60 * 60_000;

/** If the clock was set back by more than this, in milliseconds, the times that were noted mean nothing anymore. */
const CLOCK_SET_BACK_MS = 1_000;

/** How long an unused rate limiter is kept, in milliseconds: longer than anything it knows is valid. */
export const MAX_IDLE_MS = 10 * 60_000;

/** What a request has to say to wait for its turn. */
export interface TurnRequest {
	priority: Priority;
	/** The longest wait, in milliseconds; a request that would have to wait longer is rejected at once. */
	maxWaitMs: number;
	/** Rejects the request when it is aborted. */
	signal?: AbortSignal;
	/** Called when the request has to wait for a pause, with its end in milliseconds since the epoch. */
	onWait?: (until: number) => void;
}

/** The permission to send one request. To be given back by `release` or `cancel`, once. */
export type Slot = Sent;

/**
 * Whether a request may be sent; if not, when the pause ends, in milliseconds since the epoch. For a request whose
 * execution was stopped, the time has no meaning.
 */
export type Admission = { slot: Slot } | { slot?: undefined; blockedUntil: number };

interface WaitingTurn extends Waiting {
	settle: (admission: Admission) => void;
	/** The end of the wait that it was informed of last, in milliseconds since the epoch. */
	informedOf: number;
}

/** How a request ended. */
export interface Completed {
	ending: Ending;
	isRateLimited: boolean;
	/** What the headers say; undefined without a response. */
	rate?: RateInfo;
}

/**
 * Decides when each request of one token is sent, so that the service rarely has to reject one.
 *
 * | rule                      | by                                                                                |
 * |---------------------------|-----------------------------------------------------------------------------------|
 * | how many at once          | `ConcurrencyLimit`: from 8, between 2 and 64, as the latency shows                  |
 * | how many in this window   | `RateWindow`: never more than it has left                                          |
 * | who comes first           | lists in the editor, polls, single requests, bulk; whoever waits long moves up      |
 * | what is left for others   | bulk leaves a tenth of each window, single requests half of that, till its last part |
 * | after a 429, or when used up | a pause; then a single request probes what is left                              |
 *
 * A run that has no more requests than the window has left may use the reserve: it would be done at once. Not after a
 * poll was turned away: then the reserve is kept until a poll is sent, for an hour at most.
 *
 * During a pause longer than `MAX_WAIT_MS`, all requests are rejected at once.
 */
export class RateLimiter {
	/** The share of each window that bulk work leaves to everything else. */
	reserve = RESERVE;

	private concurrency = new ConcurrencyLimit();

	private window = new RateWindow();

	private readonly waiting = new WaitingRequests<WaitingTurn>();

	private inFlight = 0;

	/** Requests that runs in progress will send, without those that are waiting or in flight. */
	private announced = 0;

	private blockedUntil = 0;

	/** Until then, bulk work and single requests wait: not all clients at the same moment. */
	private jitterUntil = 0;

	/** Until then, the reserve is kept for a poll that had to give up. */
	private owedUntil = 0;

	/** Until then, one request at a time. */
	private probeUntil = 0;

	private probeSent = false;

	private timer: AbortController | undefined;

	private wakesAt = Infinity;

	private lastUsed = clock.now();

	private lastNow = this.lastUsed;

	/** How many requests may be in flight at once, at present. */
	get atOnce(): number {
		return this.concurrency.value;
	}

	/** How many requests a window allows, as reported or learned; undefined while unknown. */
	get windowSize(): number | undefined {
		return this.window.size;
	}

	/** Announces requests to come. */
	announce(count: number): void {
		this.announced += count;
	}

	/** Called before each announced request. */
	announcedBegins(): void {
		this.announced--;
	}

	/** Takes announced requests back that will not be sent: without them, the window may have enough left for others. */
	takeBack(count: number): void {
		this.announced -= count;
		this.admitWaiting();
	}

	/**
	 * Waits for its turn.
	 *
	 * @returns a slot: call `release` once there is a response, or none will come, or `cancel` if nothing was sent
	 */
	async acquire(request: TurnRequest): Promise<Admission> {
		const { priority, maxWaitMs, signal, onWait = () => undefined } = request;
		const now = this.now();
		if (this.inFlight === 0 && now - this.lastUsed > FORGET_LIMIT_MS)
			this.concurrency = this.concurrency.afresh();
		this.lastUsed = now;
		const deadline = now + maxWaitMs;
		const blockedUntil = this.opensAt(priority);
		const isTooLong = this.blockedUntil - now > MAX_WAIT_MS;
		if (signal?.aborted) return { blockedUntil };
		if (isTooLong || blockedUntil > deadline) {
			this.turnedAway(priority);
			return { blockedUntil };
		}
		if (blockedUntil > now) onWait(blockedUntil);
		return await new Promise<Admission>((resolve) => {
			const onAbort = () => {
				if (this.waiting.remove(waiting)) waiting.settle({ blockedUntil });
			};
			const waiting: WaitingTurn = {
				priority,
				since: now,
				deadline,
				onWait,
				informedOf: blockedUntil,
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
		const now = this.now();
		this.inFlight--;
		this.lastUsed = now;
		this.probeUntil = 0;
		this.concurrency.ended(ending, slot, now);
		// During a pause, a response that was still in flight says nothing about the next window.
		if (rate && now >= this.blockedUntil) this.window.responded(rate, isRateLimited, now);
		else if (rate && !isRateLimited) this.window.respondedLate();
		if (isRateLimited) {
			this.block(waitAfterRateLimit(rate ?? {}, this.window.countedLeft(now)));
		} else if (this.isUsedUp(now)) {
			this.block(this.window.endsAt(now) - now);
		}
		this.admitWaiting();
	}

	/** Gives a slot back without having sent anything. If it was the probe's, the next request becomes the probe. */
	cancel(): void {
		this.inFlight--;
		if (this.inFlight === 0 && this.now() < this.probeUntil) this.probeSent = false;
		this.admitWaiting();
	}

	/** Whether the rate limiter is unused and everything it knows has expired. */
	isIdle(now: number): boolean {
		const isUsed = this.inFlight > 0 || this.waiting.count > 0;
		const expires = Math.max(this.blockedUntil, this.lastUsed + MAX_IDLE_MS);
		return !isUsed && now >= expires && this.window.isOver(now);
	}

	/** Whether a slot has to be given back before the next request can be sent. */
	private isFull(): boolean {
		return this.inFlight >= this.concurrency.value;
	}

	private isUsedUp(now: number): boolean {
		return this.inFlight === 0 && this.window.left(0, now) <= 0;
	}

	/** The time, in milliseconds since the epoch. If the clock was set back, a pause would last until it has caught up. */
	private now(): number {
		const now = clock.now();
		const setBackBy = this.lastNow - now;
		this.lastNow = now;
		if (setBackBy > CLOCK_SET_BACK_MS) this.forgetTimes(now, setBackBy);
		return now;
	}

	private forgetTimes(now: number, setBackBy: number): void {
		this.concurrency = new ConcurrencyLimit();
		this.window = new RateWindow();
		this.lastUsed = now;
		this.owedUntil -= setBackBy;
		this.blockedUntil = 0;
		this.jitterUntil = 0;
		this.probeUntil = 0;
		this.probeSent = false;
		for (const waiting of this.waiting.all()) {
			waiting.since -= setBackBy;
			waiting.deadline -= setBackBy;
			waiting.informedOf = 0;
		}
	}

	/** @param ms for how long */
	private block(ms: number): void {
		const until = this.now() + ms;
		if (until <= this.blockedUntil) return;
		this.blockedUntil = until;
		this.jitterUntil = until + clock.random() * JITTER_MS;
		this.window.end();
		this.probeSent = false;
		for (const waiting of this.waiting.all()) {
			const blockedUntil = this.opensAt(waiting.priority);
			if (waiting.deadline >= blockedUntil && ms <= MAX_WAIT_MS) {
				inform(waiting, blockedUntil);
				continue;
			}
			this.waiting.remove(waiting);
			this.turnedAway(waiting.priority);
			waiting.settle({ blockedUntil });
		}
	}

	/** Notes that a request could not wait for the end of the pause. */
	private turnedAway(priority: Priority): void {
		if (priority === 'poll') this.owedUntil = this.blockedUntil + POLL_RETURNS_MS;
	}

	/** When the pause ends for a priority, in milliseconds since the epoch. */
	private opensAt(priority: Priority): number {
		return isUrgent(priority) ? this.blockedUntil : this.jitterUntil;
	}

	private admitWaiting(): void {
		// Read the clock once: if the pause ended between two reads, nothing would wake the waiting requests.
		const now = this.now();
		for (let next = this.nextToAdmit(now); next; next = this.nextToAdmit(now)) {
			if (!this.probeSent) {
				this.probeSent = true;
				this.probeUntil = now + PROBE_MS;
			}
			if (next.priority === 'poll') this.owedUntil = 0;
			this.inFlight++;
			this.waiting.remove(next);
			next.settle({ slot: { at: now, inFlight: this.inFlight } });
		}
		if (this.isFull() && this.waiting.count + this.announced > 0) this.concurrency.reached();
		if (!this.isFull()) this.informHeld(now);
		this.wakeUpLater(now);
	}

	private nextToAdmit(now: number): WaitingTurn | undefined {
		return this.waiting.next().find(({ priority }) => this.canAdmit(priority, now));
	}

	/** Informs those that only wait because of the reserve. */
	private informHeld(now: number): void {
		const left = this.window.left(this.inFlight, now);
		if (left <= 0) return;
		const until = this.lastPartAt(now);
		for (const { priority } of this.waiting.next()) {
			if (left > this.reserved(priority)) continue;
			// All that have waited for longer are informed of the same pauses, or more: thousands may wait.
			for (const waiting of this.waiting.latestFirst(priority)) if (!inform(waiting, until)) break;
		}
	}

	private canAdmit(priority: Priority, now: number): boolean {
		if (now < this.opensAt(priority)) return false;
		if (this.probeSent && now < this.probeUntil) return false;
		const extra = isUrgent(priority) ? EXTRA_SLOTS : 0;
		const limit = Math.min(MAX_LIMIT, this.concurrency.value + extra);
		if (this.inFlight >= Math.min(limit, this.window.atOnce(now))) return false;
		const left = this.window.left(this.inFlight, now);
		if (left <= 0) return false;
		return left > this.reserved(priority) || this.mayUseReserve(left, now);
	}

	/** How many requests of this window are not for this priority. */
	private reserved(priority: Priority): number {
		const { size } = this.window;
		if (size === undefined) return 0;
		return Math.min(size - 1, Math.ceil(size * this.reserve * RESERVED[priority]));
	}

	private mayUseReserve(left: number, now: number): boolean {
		if (now >= this.lastPartAt(now)) return true;
		return now >= this.owedUntil && this.waiting.count + this.announced <= left;
	}

	/** When the last part of the window begins, in which the reserve is spent. */
	private lastPartAt(now: number): number {
		return this.window.endsAt(now) - Math.max(LAST_MS, LAST_PART * this.window.lengthMs);
	}

	/** Sleeps until more requests may be sent, as long as some are waiting. */
	private wakeUpLater(now: number): void {
		const ofWindow = this.isFull() ? [] : [this.lastPartAt(now), this.window.endsAt(now)];
		const opens = this.waiting.next().map(({ priority }) => this.opensAt(priority));
		const next = [...opens, this.probeUntil, ...ofWindow].filter((time) => time > now);
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

/** @returns whether it was not informed of that before */
function inform(waiting: WaitingTurn, until: number): boolean {
	if (until <= waiting.informedOf) return false;
	waiting.informedOf = until;
	waiting.onWait(until);
	return true;
}

/**
 * How long to wait after a 429: as Retry-After says, else until the window resets, else the rest of the window as
 * counted here.
 */
export function waitAfterRateLimit(rate: RateInfo, windowLeftMs: number): number {
	return rate.retryInMs ?? rate.resetInMs ?? windowLeftMs;
}
