import { clock } from './clock';
import type { RateInfo } from './rateHeaders';
import { WINDOW_MS } from './rateHeaders';

/** Requests of one token in flight at once, across all nodes of the process. */
export const MAX_IN_FLIGHT = 8;

/** The longest time, in milliseconds, during which only the probe, the first request after a pause, is in flight. */
const PROBE_MS = 1_000;

/** Longer waits than this, in milliseconds, are rejected: the user should decide what to do meanwhile. */
export const MAX_WAIT_MS = 5 * 60_000;

/** Up to this much is added to a wait, in milliseconds, so that not all clients retry at the same moment. */
const JITTER_MS = 1_000;

interface Waiter {
	/** The latest time to which this request waits, in milliseconds since the epoch. */
	deadline: number;
	admit: () => void;
	reject: (blockedUntil?: number) => void;
	/** Called when the rate limiter pauses for a time that this request accepts. */
	onWait: (blockedUntil: number) => void;
}

/**
 * Whether a request may be sent; if not, when the pause ends, in milliseconds since the epoch. For a request whose
 * execution was stopped, the time has no meaning.
 */
export type Admission = { admitted: true } | { admitted: false; blockedUntil: number };

/**
 * Limits the requests of one token, so that the service rarely has to reject one.
 *
 * It pauses after a 429, and when as many requests are in flight as the window has left. A service that reports what
 * is left is therefore never sent too many requests; one that reports nothing before a 429 gets at most those in
 * flight too many. After a pause, a single request probes what is left.
 *
 * During a pause longer than `MAX_WAIT_MS`, all requests are rejected at once.
 */
export class RateLimiter {
	private inFlight = 0;

	private readonly waiting: Waiter[] = [];

	private blockedUntil = 0;

	/** Whether the pause is longer than any request may wait. */
	private isTooLong = false;

	private remaining: number | undefined;

	/** When `remaining` expires. */
	private resetsAt = 0;

	/** When the first response of the current window arrived: the service's window had begun by then. */
	private windowStart = -Infinity;

	/** Until then, one request at a time. */
	private probeUntil = 0;

	private probeSent = false;

	private timer: AbortController | undefined;

	private wakesAt = Infinity;

	private lastUsed = clock.now();

	/**
	 * Waits for its turn.
	 *
	 * @param maxRateLimitWaitMs the longest wait; a request that would have to wait longer is rejected at once
	 * @param signal rejects the request when it is aborted
	 * @param onWait called when the request has to wait for a pause, with the end of the pause in milliseconds since
	 *   the epoch
	 * @returns admitted: call `release` once there is a response, or none will come, or `cancel` if nothing was sent
	 */
	async acquire(
		maxRateLimitWaitMs: number,
		signal?: AbortSignal,
		onWait: (blockedUntil: number) => void = () => undefined,
	): Promise<Admission> {
		const now = clock.now();
		this.lastUsed = now;
		const deadline = now + maxRateLimitWaitMs;
		const { blockedUntil } = this;
		const isTooLong = this.isTooLong && blockedUntil - now > MAX_WAIT_MS;
		if (signal?.aborted || isTooLong || blockedUntil > deadline)
			return { admitted: false, blockedUntil };
		if (blockedUntil > now) onWait(blockedUntil);
		return await new Promise<Admission>((resolve) => {
			const onAbort = () => {
				if (this.remove(waiter)) waiter.reject();
			};
			const settle = (admission: Admission) => {
				signal?.removeEventListener('abort', onAbort);
				resolve(admission);
			};
			const waiter: Waiter = {
				deadline,
				admit: () => settle({ admitted: true }),
				reject: (until = this.blockedUntil) => settle({ admitted: false, blockedUntil: until }),
				onWait,
			};
			this.waiting.push(waiter);
			signal?.addEventListener('abort', onAbort, { once: true });
			this.admitWaiting();
		});
	}

	/**
	 * Records a response, or its absence, and admits the next requests.
	 *
	 * @param isRateLimited whether the response was 429
	 * @param rate what its headers say; undefined without a response
	 */
	release(isRateLimited: boolean, rate?: RateInfo): void {
		this.inFlight--;
		this.lastUsed = clock.now();
		this.probeUntil = 0;
		// During a pause, a response that was still in flight says nothing about the next window.
		if (rate && this.isAvailable() && this.windowLeft() === 0) this.windowStart = clock.now();
		if (rate) this.updateQuota(rate);
		if (isRateLimited) this.block(waitAfterRateLimit(rate ?? {}, this.windowLeft()));
		else if (this.isExhausted() && this.inFlight === 0) this.block(this.resetsAt - clock.now());
		this.admitWaiting();
	}

	/** Releases a slot without having sent anything. If it was the probe's, the next request becomes the probe. */
	cancel(): void {
		this.inFlight--;
		if (this.inFlight === 0 && clock.now() < this.probeUntil) this.probeSent = false;
		this.admitWaiting();
	}

	/** Whether the rate limiter is unused and everything it knows has expired. */
	isIdle(now: number): boolean {
		const isUsed = this.inFlight > 0 || this.waiting.length > 0;
		return (
			!isUsed && now >= Math.max(this.blockedUntil, this.resetsAt, this.lastUsed + MAX_IDLE_MS)
		);
	}

	private isAvailable(): boolean {
		return clock.now() >= this.blockedUntil;
	}

	/** The time left in the window, counted from its first response, in milliseconds. 0 during a pause. */
	private windowLeft(): number {
		return Math.max(0, this.windowStart + WINDOW_MS - clock.now());
	}

	private updateQuota(rate: RateInfo): void {
		if (rate.remaining === undefined) return;
		const now = clock.now();
		// Responses can arrive out of order: within a window, the lowest number is the latest.
		const known = now < this.resetsAt ? this.remaining : undefined;
		this.remaining = Math.min(rate.remaining, known ?? Infinity);
		this.resetsAt = now + (rate.resetInMs ?? this.windowLeft());
	}

	private isExhausted(): boolean {
		return this.remaining === 0 && clock.now() < this.resetsAt;
	}

	/** @param ms for how long */
	private block(ms: number): void {
		const until = clock.now() + ms + clock.random() * JITTER_MS;
		if (until <= this.blockedUntil) return;
		this.blockedUntil = until;
		this.isTooLong = ms > MAX_WAIT_MS;
		this.remaining = undefined;
		this.windowStart = -Infinity;
		this.probeSent = false;
		for (const waiter of this.waiting.splice(0)) {
			if (waiter.deadline < until || this.isTooLong) waiter.reject(until);
			else this.waiting.push(waiter);
		}
		for (const waiter of this.waiting) waiter.onWait(until);
	}

	private admitWaiting(): void {
		// Read the clock once: if the pause ended between two reads, nothing would wake the waiting requests.
		const now = clock.now();
		while (this.waiting.length > 0 && this.canAdmit(now)) {
			if (!this.probeSent) {
				this.probeSent = true;
				this.probeUntil = now + PROBE_MS;
			}
			this.inFlight++;
			(this.waiting.shift() as Waiter).admit();
		}
		this.wakeUpLater(now);
	}

	private canAdmit(now: number): boolean {
		if (now < this.blockedUntil) return false;
		if (this.probeSent && now < this.probeUntil) return this.inFlight === 0;
		const left = now < this.resetsAt ? (this.remaining ?? Infinity) : Infinity;
		return this.inFlight < Math.min(MAX_IN_FLIGHT, left);
	}

	/** Sleeps until the pause may end, as long as requests are waiting. */
	private wakeUpLater(now: number): void {
		const next = [this.blockedUntil, this.probeUntil, this.resetsAt].filter(
			(time) => time > now && time < Infinity,
		);
		const wakesAt = this.waiting.length > 0 && next.length > 0 ? Math.min(...next) : Infinity;
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

	private remove(waiter: Waiter): boolean {
		const index = this.waiting.indexOf(waiter);
		if (index < 0) return false;
		this.waiting.splice(index, 1);
		return true;
	}
}

/**
 * How long to wait after a 429: as Retry-After says, else until the window resets, else the rest of the window as
 * counted here.
 */
export function waitAfterRateLimit(rate: RateInfo, windowLeftMs: number): number {
	return rate.retryInMs ?? rate.resetInMs ?? windowLeftMs;
}

/** How long an unused rate limiter is kept, in milliseconds: longer than anything it knows is valid. */
export const MAX_IDLE_MS = 10 * 60_000;

/** The rate limiters of a process, one per token and base URL. */
export class RateLimiters {
	private readonly rateLimiters = new Map<string, RateLimiter>();

	/** The number of rate limiters at which idle ones are removed next. */
	private sweepAt = 100;

	get size(): number {
		return this.rateLimiters.size;
	}

	/** @param key identifies token and base URL without containing the token */
	rateLimiterFor(key: string): RateLimiter {
		const known = this.rateLimiters.get(key);
		if (known) return known;
		this.sweep();
		const rateLimiter = new RateLimiter();
		this.rateLimiters.set(key, rateLimiter);
		return rateLimiter;
	}

	/**
	 * Drops idle rate limiters: if the token is an expression, there may be thousands. Not by a timer, which would
	 * keep the process alive, and only each time their number has doubled, so that the cost per rate limiter stays
	 * constant.
	 */
	private sweep(): void {
		if (this.rateLimiters.size < this.sweepAt) return;
		const now = clock.now();
		for (const [key, rateLimiter] of this.rateLimiters) {
			if (rateLimiter.isIdle(now)) this.rateLimiters.delete(key);
		}
		this.sweepAt = Math.max(100, this.rateLimiters.size * 2);
	}
}

const rateLimiters = new RateLimiters();

/** The rate limiter that all nodes of this process share for one token and base URL. */
export const rateLimiterFor = (key: string): RateLimiter => rateLimiters.rateLimiterFor(key);
