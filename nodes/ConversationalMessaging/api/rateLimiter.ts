import { clock } from './clock';
import type { RateInfo } from './rateHeaders';
import { WINDOW_MS } from './rateHeaders';

/** Requests of one token under way at once, over all nodes of the process. */
export const MAX_IN_FLIGHT = 8;

/** How long the first request after a block goes alone, at most, in milliseconds. */
const PROBE_MS = 1_000;

/** A longer wait than this, in milliseconds, is not waited for: a person should decide what to do meanwhile. */
export const MAX_WAIT_MS = 5 * 60_000;

/** Up to so much is added to a wait, in milliseconds, so that not everybody comes back at once. */
const JITTER_MS = 1_000;

interface Waiter {
	/** The longest wait this request accepts, in milliseconds from when it came. */
	deadline: number;
	admit: () => void;
	reject: (blockedUntil?: number) => void;
	/** Is told when the rate limiter is closed for a time that this request waits. */
	onWait: (blockedUntil: number) => void;
}

/**
 * Whether a request may go on; if not, when the rate limiter opens, in milliseconds since the epoch. For a request whose
 * execution was stopped, that means nothing.
 */
export type Admission = { admitted: true } | { admitted: false; blockedUntil: number };

/**
 * Lets the requests of one token through, and holds them back before the service has to refuse them.
 *
 * It closes when an answer was 429, and when as many requests are under way as the window has left. A service that
 * tells what is left is thus never asked too often; one that tells nothing until it refuses is asked too often by
 * at most the requests under way. After it was closed, one request goes ahead alone and brings back what is left.
 *
 * While it is closed for longer than `MAX_WAIT_MS`, everybody is turned away at once.
 */
export class RateLimiter {
	private inFlight = 0;

	private readonly waiting: Waiter[] = [];

	private blockedUntil = 0;

	/** Whether it was closed for longer than anybody waits. */
	private isTooLong = false;

	private remaining: number | undefined;

	/** When `remaining` stops being true. */
	private resetsAt = 0;

	/** When the first request of the current window was answered: the service's window began by then. */
	private windowStart = -Infinity;

	/** Until then, one request at a time. */
	private probeUntil = Infinity;

	private probeSent = false;

	private timer: AbortController | undefined;

	private wakesAt = Infinity;

	private lastUsed = clock.now();

	/**
	 * Waits for its turn.
	 *
	 * @param maxRateLimitWaitMs the longest wait; longer, and the request is turned away at once
	 * @param signal turns the request away when it is aborted
	 * @param onWait is told when the rate limiter is or becomes closed for a time that the request waits, and until when, in
	 *   milliseconds since the epoch
	 * @returns admitted: call `release` when the answer is there, whatever it is, or `cancel` when nothing was sent
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
	 * Notes an answer, or its absence, and lets the next requests through.
	 *
	 * @param isRateLimited whether the answer was 429
	 * @param rate what its headers said; undefined without an answer
	 */
	release(isRateLimited: boolean, rate?: RateInfo): void {
		this.inFlight--;
		this.lastUsed = clock.now();
		this.probeUntil = 0;
		if (rate && this.isAvailable() && this.windowLeft() === 0) this.windowStart = clock.now();
		if (rate) this.updateQuota(rate);
		if (isRateLimited) this.block(waitAfterRateLimit(rate ?? {}, this.windowLeft()));
		else if (this.isExhausted() && this.inFlight === 0) this.block(this.resetsAt - clock.now());
		this.admitWaiting();
	}

	/** Gives a place back without having sent anything. If it was the scout's, the next request is the scout. */
	cancel(): void {
		this.inFlight--;
		if (this.inFlight === 0 && clock.now() < this.probeUntil) this.probeSent = false;
		this.admitWaiting();
	}

	/** Whether nobody uses the rate limiter, and nothing that it knows is true any more. */
	isIdle(now: number): boolean {
		const isUsed = this.inFlight > 0 || this.waiting.length > 0;
		return (
			!isUsed && now >= Math.max(this.blockedUntil, this.resetsAt, this.lastUsed + MAX_IDLE_MS)
		);
	}

	private isAvailable(): boolean {
		return clock.now() >= this.blockedUntil;
	}

	/**
	 * What is left of the window, counted from its first request, in milliseconds. Nothing once the rate limiter is closed:
	 * an answer that was still under way then says nothing about the window that comes.
	 */
	private windowLeft(): number {
		if (!this.isAvailable()) return 0;
		return Math.max(0, this.windowStart + WINDOW_MS - clock.now());
	}

	private updateQuota(rate: RateInfo): void {
		if (rate.remaining === undefined) return;
		const now = clock.now();
		// Answers overtake each other: within a window the lowest number is the latest.
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
		this.probeUntil = Infinity;
		for (const waiter of this.waiting.splice(0)) {
			if (waiter.deadline < until || this.isTooLong) waiter.reject(until);
			else this.waiting.push(waiter);
		}
		for (const waiter of this.waiting) waiter.onWait(until);
	}

	private admitWaiting(): void {
		// One look at the clock for all of it: if the rate limiter opened between two, nobody would be left to wake up for it.
		const now = clock.now();
		while (this.waiting.length > 0 && this.hasRoom(now)) {
			if (!this.probeSent) {
				this.probeSent = true;
				this.probeUntil = now + PROBE_MS;
			}
			this.inFlight++;
			(this.waiting.shift() as Waiter).admit();
		}
		this.wakeUpLater(now);
	}

	private hasRoom(now: number): boolean {
		if (now < this.blockedUntil) return false;
		if (this.probeSent && now < this.probeUntil) return this.inFlight === 0;
		const left = now < this.resetsAt ? (this.remaining ?? Infinity) : Infinity;
		return this.inFlight < Math.min(MAX_IN_FLIGHT, left);
	}

	/** Sleeps until the rate limiter may open, as long as somebody waits. */
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
 * How long to wait after a 429: what Retry-After says, else until the window starts anew, else the rest of the
 * window as counted here.
 */
export function waitAfterRateLimit(rate: RateInfo, windowLeftMs: number): number {
	return rate.retryInMs ?? rate.resetInMs ?? windowLeftMs;
}

/** How long a rate limiter that nobody uses is kept, in milliseconds: longer than anything that it knows is true. */
export const MAX_IDLE_MS = 10 * 60_000;

/** The rate limiters of a process, one per token and base URL. */
export class RateLimiters {
	private readonly rateLimiters = new Map<string, RateLimiter>();

	/** At how many rate limiters the idle ones are looked for. */
	private sweepAt = 100;

	get size(): number {
		return this.rateLimiters.size;
	}

	/** @param key tells token and base URL apart without containing the token */
	rateLimiterFor(key: string): RateLimiter {
		const known = this.rateLimiters.get(key);
		if (known) return known;
		this.sweep();
		const rateLimiter = new RateLimiter();
		this.rateLimiters.set(key, rateLimiter);
		return rateLimiter;
	}

	/**
	 * Drops idle rate limiters: where the token is an expression, there may be thousands. Without a timer, which would keep
	 * a process alive, and only each time that their number has doubled, so that a rate limiter costs the same however many
	 * there are.
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
