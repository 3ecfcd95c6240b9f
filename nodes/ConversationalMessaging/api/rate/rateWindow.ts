import { INITIAL_LIMIT } from './concurrencyLimit';
import type { RateInfo } from './rateHeaders';
import { WINDOW_MS } from './rateHeaders';

/** Of the last requests of a window, this share may be in flight: other processes may send as many. */
const SHARE_AT_ONCE = 1 / 3;

/** At least this many may be in flight while the window has any left. */
const MIN_AT_ONCE = 2;

/** Beyond what a window has accepted before a 429, this share of it may be in flight, in case the window has grown. */
const SHARE_BEYOND = 1 / 16;

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
 * How many requests the current window of the rate limit has left. Pure: the caller gives the time, on
 * `clock.elapsed`.
 *
 * | what is known                      | requests left                                            | at once           |
 * |------------------------------------|----------------------------------------------------------|-------------------|
 * | the service reports what remains   | that, without the ones in flight                         | a third of it     |
 * | a 429 without a report             | what that window accepted; then a sixteenth at a time, until a 429 | any number |
 * | half of that accepted, without a 429 | twice as many in the next window                       | any number        |
 * | nothing yet in a new window        | its size                                                 | 8                 |
 * | no report and no 429               | unknown                                                  | any number        |
 *
 * The document lists 429 for no GET (section Errors). So reads neither count nor wait until one of them is answered
 * with 429, or reports what remains.
 */
export class RateWindow {
	/** When the first response arrived: the service's window had begun by then. */
	private startedAt = -Infinity;

	private end = -Infinity;

	/** How long a window lasts, as far as a 429 has shown it. */
	private lengthMs = WINDOW_MS;

	/** The service accepts nothing until then: after a 429, or because nothing remains. */
	private closed = -Infinity;

	private accepted: Counts = { reads: 0, others: 0 };

	private wasRejected = false;

	/** What the service reported last in this window. */
	private remaining: number | undefined;

	/** What a window allows: as reported, or what one has accepted before its 429. */
	private known: number | undefined;

	/** Whether that is only the least that a window allows: others may have used the one that showed it. */
	private isLeast = false;

	private readsCount = false;

	/** How many reads a window allows; undefined while unknown. */
	get sizeForReads(): number | undefined {
		return this.readsCount ? this.known : undefined;
	}

	/** How many requests a window allows; undefined while unknown. */
	get size(): number | undefined {
		return this.known;
	}

	/** When this window ends; in the past if none has begun. */
	get endsAt(): number {
		return this.end;
	}

	/** Until when the service accepts nothing; in the past if it does. */
	get closedUntil(): number {
		return this.closed;
	}

	/** Whether a request counts in the window, and waits for it. */
	counts(isRead: boolean): boolean {
		return !isRead || this.readsCount;
	}

	/** Counts a response in the window, and begins the next window if this one is over. */
	responded({ isRead, isRateLimited, rate }: WindowReport, now: number): void {
		if (now >= this.end) this.begin(now);
		if (isRead && (isRateLimited || rate.remaining !== undefined)) this.readsCount = true;
		if (!isRateLimited) this.accepted[isRead ? 'reads' : 'others']++;
		if (rate.remaining !== undefined) this.report(rate.remaining, rate, now);
		else if (this.remaining !== undefined && !isRateLimited && this.counts(isRead))
			this.remaining--;
		if (isRateLimited) {
			this.wasRejected = true;
			const wait = rate.retryInMs ?? rate.resetInMs;
			this.close(wait === undefined ? this.startedAt + WINDOW_MS : now + wait);
		} else if (this.remaining !== undefined && this.remaining <= 0) {
			this.close(this.end);
		}
		// Also of a response that arrives after the first 429: it was accepted before it.
		if (this.wasRejected && this.remaining === undefined) this.learn();
	}

	/** How many more requests may be sent in this window; Infinity while that is unknown. */
	left(inFlight: Counts, now: number): number {
		const sent = this.sum(inFlight);
		if (now >= this.end) return (this.known ?? Infinity) - sent;
		if (this.remaining !== undefined) return this.remaining - sent;
		if (this.known === undefined) return Infinity;
		const accepted = this.sum(this.accepted);
		const more = Math.max(1, Math.floor(accepted * SHARE_BEYOND));
		return (accepted < this.known ? this.known - accepted : more) - sent;
	}

	/** How many requests may be in flight, so that few are rejected if the window has fewer left than is known. */
	atOnce(now: number): number {
		// Others may use the next window, too: its first response shows what is left.
		if (now >= this.end) return INITIAL_LIMIT;
		if (this.remaining === undefined) return Infinity;
		return Math.max(MIN_AT_ONCE, this.remaining * SHARE_AT_ONCE);
	}

	private begin(now: number): void {
		if (this.known !== undefined) this.known = this.grown(this.known);
		this.startedAt = now;
		this.end = now + this.lengthMs;
		this.accepted = { reads: 0, others: 0 };
		this.wasRejected = false;
		this.remaining = undefined;
	}

	/** The size after a window: one that has accepted half of it without a 429 may allow twice as much. */
	private grown(known: number): number {
		const accepted = this.sum(this.accepted);
		const isShown = this.wasRejected || this.remaining !== undefined || !this.isLeast;
		const mayBeMore = !isShown && accepted >= known / 2;
		return Math.max(known, accepted) * (mayBeMore ? 2 : 1);
	}

	private report(remaining: number, { limit, resetInMs }: RateInfo, now: number): void {
		// Responses can arrive out of order: within a window, the lowest number is the latest.
		this.remaining = Math.min(remaining, this.remaining ?? Infinity);
		// Never later than a window lasts: some services report its length instead, with every response.
		this.end = Math.min(now + (resetInMs ?? Infinity), this.startedAt + WINDOW_MS);
		this.known = limit ?? Math.max(remaining + 1, this.known ?? 0);
		this.isLeast = limit === undefined;
	}

	private learn(): void {
		const accepted = this.sum(this.accepted);
		// Others have used the window: it says nothing about its size.
		if (accepted === 0) return;
		this.known = accepted;
		this.isLeast = true;
		this.lengthMs = Math.min(WINDOW_MS, this.closed - this.startedAt);
	}

	private close(until: number): void {
		this.closed = Math.max(this.closed, until);
		this.end = this.closed;
	}

	private sum({ reads, others }: Counts): number {
		return this.counts(true) ? reads + others : others;
	}
}
