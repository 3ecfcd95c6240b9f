import { INITIAL_LIMIT } from './concurrencyLimit';
import type { RateInfo } from './rateHeaders';
import { WINDOW_MS } from './rateHeaders';

/** Longer waits than this, in milliseconds, are rejected: the user should decide what to do meanwhile. */
export const MAX_WAIT_MS = 5 * 60_000;

/** The least wait after a 429, in milliseconds. */
const MIN_WAIT_MS = 1_000;

/** In the last part of a window, in milliseconds, what bulk work has left to others is used. */
export const LAST_PART_MS = 3_000;

/** How many times as much as is known is tried in the last part: there, a 429 costs little. */
const TRIED = 1.25;

/** Of the requests that are left, this share may be in flight. */
const SHARE_AT_ONCE = 1 / 3;

/** The same if others use the window: several processes, each with what it has read a moment ago. */
const SHARE_BESIDE_OTHERS = 1 / 16;

/** After so many responses, reports have shown whether others use the window. */
const PROOF = 16;

/** Numbers of requests: reads, and all others. */
export interface Counts {
	reads: number;
	others: number;
}

/** Under which name a request is counted. */
export const kindOf = (isRead: boolean): keyof Counts => (isRead ? 'reads' : 'others');

/** What a response says about the window. */
interface WindowReport {
	isRead: boolean;
	isRateLimited: boolean;
	rate: RateInfo;
}

/**
 * How many requests the current window of the rate limit has left: what the service reports; otherwise what the last
 * window accepted before its 429, and up to a quarter more in the last part of a window after one without a 429.
 * Pure: all times are on `clock.elapsed`, and the caller gives the present one.
 *
 * The document lists 429 for no GET (section Errors). So reads neither count nor wait until one of them is answered
 * with 429, or reports what is left.
 */
export class RateWindow {
	/** How many requests a window allows, as reported or learned; undefined while unknown. */
	size: number | undefined;

	/** When this window ends; in the past if none has begun. */
	endsAt = -Infinity;

	/** Nothing is sent until then: after a 429, or because nothing is left. */
	closedUntil = -Infinity;

	/** Until when the service asks to wait, which can be later. */
	private askedUntil = -Infinity;

	/** When the first response arrived: the service's window had begun by then. */
	private startedAt = -Infinity;

	/** The least that the service has reported as left; undefined if it has reported nothing. */
	private reported: number | undefined;

	private accepted: Counts = { reads: 0, others: 0 };

	/** The most requests of this process that the window can have counted. */
	private own: Counts = { reads: 0, others: 0 };

	private wasRejected = false;

	/** Whether the last 429 had no usable wait. */
	private wasUnusable = false;

	/** Whether the window before this one ended without a 429. */
	private mayGrow = false;

	private readsCount = false;

	/** Whether such a request counts in the window, and waits for it. */
	counts(isRead: boolean): boolean {
		return !isRead || this.readsCount;
	}

	/** How many of these requests count in the window. */
	sum({ reads, others }: Counts): number {
		return this.readsCount ? reads + others : others;
	}

	/** Whether others use the window, as far as reports show it: more was used than this process can have used. */
	get isShared(): boolean {
		return this.reported !== undefined && (this.size ?? 0) - this.reported > this.sum(this.own);
	}

	/** How long the service asks to wait, in milliseconds. */
	askedMs(now: number): number {
		return Math.max(0, this.askedUntil - now);
	}

	/** How many more requests this window accepts; Infinity while that is unknown. */
	left(now: number): number {
		const { size = Infinity } = this;
		if (now >= this.endsAt) return size;
		const isTrying = this.mayGrow && now >= this.endsAt - LAST_PART_MS;
		return this.reported ?? Math.ceil(size * (isTrying ? TRIED : 1)) - this.sum(this.accepted);
	}

	/** How many requests may be in flight. */
	atOnce(now: number): number {
		// After five minutes, one request finds out whether the service still asks to wait.
		if (now < this.askedUntil) return 1;
		const isUnproven = this.reported !== undefined && this.sum(this.accepted) < PROOF;
		const share = this.isShared || isUnproven ? SHARE_BESIDE_OTHERS : SHARE_AT_ONCE;
		const most = Math.max(1, Math.floor(this.left(now) * share));
		return now >= this.endsAt ? Math.min(this.isShared ? 1 : INITIAL_LIMIT, most) : most;
	}

	/** To be called for each request that is sent. */
	requestStarts(isRead: boolean): void {
		this.own[kindOf(isRead)]++;
	}

	/** Counts a response. @param inFlight how many requests are in flight, without this one */
	responded({ isRead, isRateLimited, rate }: WindowReport, inFlight: Counts, now: number): void {
		this.readsCount ||= isRead && (isRateLimited || rate.remaining !== undefined);
		// A 429 soon after shows that the last window is not over.
		if (now >= this.endsAt && !(isRateLimited && now < this.startedAt + WINDOW_MS)) {
			this.begin(inFlight, now);
			this.requestStarts(isRead);
		}
		if (rate.remaining !== undefined) this.report(rate.remaining, rate, now);
		if (!isRateLimited) this.accepted[kindOf(isRead)]++;
		if (isRateLimited) this.reject(rate, now);
		else if (this.counts(isRead)) this.accept(rate, now);
		// Also of a response that arrives after the 429: it was accepted before it.
		const accepted = this.sum(this.accepted);
		if (this.wasRejected && this.reported === undefined && accepted > 0) this.size = accepted;
	}

	private begin(inFlight: Counts, now: number): void {
		if (this.size !== undefined) this.size = Math.max(this.size, this.sum(this.accepted));
		this.mayGrow = !this.wasRejected;
		this.startedAt = now;
		this.endsAt = now + WINDOW_MS;
		this.reported = undefined;
		this.accepted = { reads: 0, others: 0 };
		this.own = { ...inFlight };
		this.wasRejected = false;
	}

	private report(remaining: number, { limit, resetInMs }: RateInfo, now: number): void {
		// Responses can arrive out of order: within a window, the lowest number is the latest.
		this.reported = Math.min(remaining, this.reported ?? Infinity);
		// Never later than a window lasts: some services report its length instead, with every response.
		this.endsAt = Math.min(now + (resetInMs ?? Infinity), this.startedAt + WINDOW_MS);
		this.size = limit ?? Math.max(remaining + 1, this.size ?? 0);
	}

	private accept({ remaining }: RateInfo, now: number): void {
		this.wasUnusable = false;
		if (now >= this.closedUntil) this.askedUntil = this.closedUntil;
		if (this.reported === undefined) return;
		if (remaining === undefined) this.reported--;
		if (this.reported <= 0) this.close(this.endsAt);
	}

	private reject(rate: RateInfo, now: number): void {
		this.wasRejected = true;
		this.askedUntil = Math.max(this.askedUntil, now + this.waitMs(rate, now));
		this.close(Math.min(this.askedUntil, now + MAX_WAIT_MS));
	}

	/** The service's word; without a usable one, the rest of the window. Less than a second is taken at its word once. */
	private waitMs({ retryInMs, resetInMs }: RateInfo, now: number): number {
		const said = [retryInMs, resetInMs].find((ms = 0) => ms >= MIN_WAIT_MS);
		const isBelieved = said !== undefined || (retryInMs !== undefined && !this.wasUnusable);
		if (said === undefined) this.wasUnusable = true;
		return Math.max(MIN_WAIT_MS, isBelieved ? (said ?? 0) : this.startedAt + WINDOW_MS - now);
	}

	private close(until: number): void {
		this.closedUntil = Math.max(this.closedUntil, until);
		this.endsAt = this.closedUntil;
	}
}
