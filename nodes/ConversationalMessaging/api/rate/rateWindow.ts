import { INITIAL_LIMIT } from './concurrencyLimit';
import type { RateInfo } from './rateHeaders';
import { WINDOW_MS } from './rateHeaders';

/** Longer waits than this, in milliseconds, are rejected: the user should decide what to do meanwhile. */
export const MAX_WAIT_MS = 5 * 60_000;

/** The least wait after a 429, in milliseconds. */
const MIN_WAIT_MS = 1_000;

/** What is left of the reserve is used in the last part of the window, in milliseconds. */
export const LAST_PART_MS = 3_000;

/** How many times as much as a window is known to allow is tried out in its last part: there, a 429 costs little. */
const TRIED = 1.25;

/** Of the last requests of a window, this share may be in flight: other processes may send as many. */
const SHARE_AT_ONCE = 1 / 3;

/** The same if others use the window: several processes, each with what it has read a moment ago. */
const SHARE_BESIDE_OTHERS = 1 / 16;
const PROOF = 16;

/** Numbers of requests: reads, and all others. */
export interface Counts {
	reads: number;
	others: number;
}

/** What a response says about the window. */
interface WindowReport {
	isRead: boolean;
	isRateLimited: boolean;
	rate: RateInfo;
}

/**
 * How many requests the current window of the rate limit has left: what the service reports, otherwise what the last
 * window accepted before its 429, and up to a quarter more in the last part of a window after one without a 429.
 * Pure: the caller gives the time, on `clock.elapsed`.
 *
 * The document lists 429 for no GET (section Errors). So reads neither count nor wait until one of them is answered
 * with 429, or reports what remains.
 */
export class RateWindow {
	/** When the first response arrived: the service's window had begun by then. */
	private startedAt = -Infinity;

	private end = -Infinity;

	/** Nothing is sent until then: after a 429, or because nothing remains. */
	private closed = -Infinity;

	/** Until when the service asks to wait; later than `closed` if that is too long. */
	private asked = -Infinity;

	/** What a window allows: as reported, or learned. */
	private known: number | undefined;

	private accepted: Counts = { reads: 0, others: 0 };

	private wasRejected = false;

	/** Whether the window before this one ended without a 429. */
	private isGrowing = false;

	/** Whether the last 429 was without a usable wait. */
	private wasUnusable = false;

	/** The least that the service has reported as left in this window. */
	private reported: number | undefined;

	/** The most requests of this process that the window can have counted since its first response. */
	private own: Counts = { reads: 0, others: 0 };

	private readsCount = false;

	/** Whether others have used the window before this one. */
	private wasShared = false;

	/** Whether such a request counts in the window, and waits for it. */
	counts(isRead: boolean): boolean {
		return !isRead || this.readsCount;
	}

	/** How many of these requests count in the window. */
	sum({ reads, others }: Counts): number {
		return this.readsCount ? reads + others : others;
	}

	/** How many requests a window allows; undefined while unknown. */
	get size(): number | undefined {
		return this.known;
	}

	/** Until when nothing is sent; in the past if it can be. */
	get closedUntil(): number {
		return this.closed;
	}

	/** How long the service asks to wait, in milliseconds. */
	askedMs(now: number): number {
		return Math.max(0, this.asked - now);
	}

	/** How many more requests this window accepts; Infinity while that is unknown. */
	left(now: number): number {
		const { known = Infinity } = this;
		if (now >= this.end) return known;
		const isTrying = this.isGrowing && now >= this.end - LAST_PART_MS;
		return this.reported ?? Math.ceil(known * (isTrying ? TRIED : 1)) - this.sum(this.accepted);
	}

	/** When this window ends; in the past if none has begun. */
	get endsAt(): number {
		return this.end;
	}

	/** Whether others use it too, as far as reports show it: in this window, or in the one before it. */
	get isShared(): boolean {
		return this.wasShared || this.isSharedNow;
	}

	/** How many requests may be in flight. */
	atOnce(now: number): number {
		// After five minutes, one request finds out whether the service still asks to wait.
		if (now < this.asked) return 1;
		const isUnproven = this.reported !== undefined && this.sum(this.accepted) < PROOF;
		const share = this.isShared || isUnproven ? SHARE_BESIDE_OTHERS : SHARE_AT_ONCE;
		const most = Math.max(1, Math.floor(this.left(now) * share));
		return now >= this.end ? Math.min(this.isShared ? 1 : INITIAL_LIMIT, most) : most;
	}

	/** To be called for each request that is sent. */
	requestStarts(isRead: boolean): void {
		this.own[kindOf(isRead)]++;
	}

	/** Counts a response. @param inFlight how many requests are in flight, without this one */
	responded({ isRead, isRateLimited, rate }: WindowReport, inFlight: Counts, now: number): void {
		this.readsCount ||= isRead && (isRateLimited || rate.remaining !== undefined);
		// A 429 shows that the last window is not over, or that others have used up this one.
		if (now >= this.end && !(isRateLimited && now < this.startedAt + WINDOW_MS))
			this.begin(isRead, inFlight, now);
		if (rate.remaining !== undefined) this.report(rate.remaining, rate, now);
		if (isRateLimited) this.rejected(rate, now);
		else this.wasAccepted(isRead, rate, now);
		// Also of a response that arrives after the 429: it was accepted before it.
		const accepted = this.sum(this.accepted);
		if (this.wasRejected && this.reported === undefined && accepted > 0) this.known = accepted;
	}

	/** Whether more was used since the first response than this process can have used. */
	private get isSharedNow(): boolean {
		return this.reported !== undefined && (this.known ?? 0) - this.reported > this.sum(this.own);
	}

	private begin(isRead: boolean, inFlight: Counts, now: number): void {
		if (this.known !== undefined) this.known = Math.max(this.known, this.sum(this.accepted));
		this.isGrowing = !this.wasRejected;
		this.wasShared = this.isSharedNow;
		this.startedAt = now;
		this.end = now + WINDOW_MS;
		this.accepted = { reads: 0, others: 0 };
		this.wasRejected = false;
		this.reported = undefined;
		this.own = { ...inFlight };
		this.requestStarts(isRead);
	}

	private report(remaining: number, { limit, resetInMs }: RateInfo, now: number): void {
		// Responses can arrive out of order: within a window, the lowest number is the latest.
		this.reported = Math.min(remaining, this.reported ?? Infinity);
		// Never later than a window lasts: some services report its length instead, with every response.
		this.end = Math.min(now + (resetInMs ?? Infinity), this.startedAt + WINDOW_MS);
		this.known = limit ?? Math.max(remaining + 1, this.known ?? 0);
	}

	private wasAccepted(isRead: boolean, { remaining }: RateInfo, now: number): void {
		this.accepted[kindOf(isRead)]++;
		if (!this.counts(isRead)) return;
		this.wasUnusable = false;
		if (now >= this.closed) this.asked = this.closed;
		if (this.reported === undefined) return;
		if (remaining === undefined) this.reported--;
		if (this.reported <= 0) this.close(this.end);
	}

	private rejected(rate: RateInfo, now: number): void {
		this.wasRejected = true;
		this.asked = Math.max(this.asked, now + this.waitMs(rate, now));
		this.close(Math.min(this.asked, now + MAX_WAIT_MS));
	}

	/** The service's word; without a usable one, the rest of the window. "0" is taken at its word once. */
	private waitMs({ retryInMs, resetInMs }: RateInfo, now: number): number {
		const wait = retryInMs || resetInMs;
		if (wait) return Math.max(MIN_WAIT_MS, wait);
		const isFirst = retryInMs === 0 && !this.wasUnusable;
		this.wasUnusable = true;
		return isFirst ? MIN_WAIT_MS : Math.max(MIN_WAIT_MS, this.startedAt + WINDOW_MS - now);
	}

	private close(until: number): void {
		this.closed = Math.max(this.closed, until);
		this.end = this.closed;
	}
}

/** Under which name requests are counted. */
export const kindOf = (isRead: boolean): keyof Counts => (isRead ? 'reads' : 'others');
