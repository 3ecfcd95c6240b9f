import type { RateInfo } from './rateHeaders';
import { WINDOW_MS } from './rateHeaders';

/** In the last part of a window, in milliseconds, a 429 costs little. */
const LAST_PART_MS = 3_000;

/** Longer waits than this, in milliseconds, are rejected: the user should decide what to do meanwhile. */
export const MAX_WAIT_MS = 5 * 60_000;

/** The least wait after a 429, in milliseconds: less is no usable wait. */
const MIN_WAIT_MS = 1_000;

/** Of the requests that are left, this share may be in flight: other processes send as many, and know no more. */
const SHARE_AT_ONCE = 1 / 16;

/** How many times as much is tried in the last part of a window after one without a 429. */
const TRIED = 1.25;

/** How a request ended, and what that shows about the service. */
export interface RequestEnd {
	/** Whether it was a GET. */
	isRead: boolean;
	/**
	 * Rate limited: a 429. Failed: 5xx, or no complete response, whatever the reason. Other: a rejection, a file of any size,
	 * a file that could not be read, or a request that was stopped.
	 */
	ending: 'succeeded' | 'rateLimited' | 'failed' | 'other';
	/** What the headers say; undefined without a response. */
	rate?: RateInfo;
}

/**
 * How many requests the current window of the rate limit has left: what the service reports; otherwise what the last
 * window accepted before its 429. Reads no clock: the caller passes the time, on `clock.elapsed`.
 *
 * The API document lists 429 for no GET (section Errors). So reads count and wait only after the response to a read was a
 * 429, or reported what is left.
 */
export class RateWindow {
	/** How many requests a window allows, as reported or learned; undefined while unknown. */
	size: number | undefined;

	private readonly inFlight = { reads: 0, others: 0 };
	private accepted = { reads: 0, others: 0 };
	private readsCount = false;
	/** When the first response arrived: the service's window had begun by then. */
	private startedAt = -Infinity;
	/** When this window ends; in the past if none has begun. */
	private endsAt = -Infinity;
	/** Until when no request is sent if none is left: the end of the window, or later if the service asks for a longer wait. */
	private closedUntil = -Infinity;
	/** The least that the service has reported as left; undefined if it has reported nothing. */
	private reported: number | undefined;
	/** Whether there was a 429 in this window, and in the one before. */
	private isRejected = false;
	private wasRejected = false;

	/** Whether such a request counts in the window, and waits for it. */
	counts(isRead: boolean): boolean {
		return !isRead || this.readsCount;
	}

	/** How many requests are in flight, whether they count or not. */
	get inFlightCount(): number {
		return this.inFlight.reads + this.inFlight.others;
	}

	/**
	 * When the window is open: now, or later. Somebody else may be admitted then.
	 *
	 * @param reserve the share of the window to leave to others
	 * @param toCome how many requests are waiting or will come: if the window has enough for all, nobody else needs it
	 */
	opensAt(now: number, reserve: number, toCome: number): number {
		// So few are in flight that the next window is open to all until its first response.
		if (now >= this.endsAt) return now;
		if (this.isRejected || this.reported === 0) return this.closedUntil;
		const left = this.left(now);
		const lastPartAt = this.isShared ? this.endsAt : this.endsAt - LAST_PART_MS;
		const mayUseAll = now >= lastPartAt || (!this.isShared && toCome <= left);
		const { size = 1 } = this;
		// Never all of them.
		const kept = mayUseAll ? 0 : Math.min(size - 1, Math.ceil(size * reserve));
		if (left > kept) return now;
		return now < lastPartAt ? lastPartAt : this.endsAt;
	}

	/** Whether as many requests are in flight as may be. */
	isFull(now: number): boolean {
		return this.sum(this.inFlight) >= Math.max(1, Math.floor(this.left(now) * SHARE_AT_ONCE));
	}

	requestStarts(isRead: boolean): void {
		this.inFlight[isRead ? 'reads' : 'others']++;
	}

	requestEnds({ isRead, ending, rate }: RequestEnd, now: number): void {
		const kind = isRead ? 'reads' : 'others';
		this.inFlight[kind]--;
		if (!rate) return;
		const isRateLimited = ending === 'rateLimited';
		this.readsCount ||= isRead && (isRateLimited || rate.remaining !== undefined);
		if (now >= this.endsAt) this.begin(now);
		if (rate.remaining !== undefined) this.report(rate.remaining, rate, now);
		if (isRateLimited) this.closeAfter429(rate, now);
		else this.accepted[kind]++;
	}

	/** How many more requests this window accepts, with the few in flight; Infinity while that is unknown. */
	private left(now: number): number {
		const { size = Infinity } = this;
		if (now >= this.endsAt) return size;
		const isTrying = !this.wasRejected && now >= this.endsAt - LAST_PART_MS;
		return this.reported ?? Math.ceil(size * (isTrying ? TRIED : 1)) - this.sum(this.accepted);
	}

	/** Whether others use the window: the service reports more as used than this process has sent. */
	private get isShared(): boolean {
		const own = this.sum(this.accepted) + this.sum(this.inFlight);
		return this.reported !== undefined && (this.size ?? 0) - this.reported > own;
	}

	/** How many of these requests count. */
	private sum({ reads, others }: { reads: number; others: number }): number {
		return this.readsCount ? reads + others : others;
	}

	private begin(now: number): void {
		if (this.size !== undefined) this.size = Math.max(this.size, this.sum(this.accepted));
		this.accepted = { reads: 0, others: 0 };
		this.startedAt = now;
		this.endsAt = this.closedUntil = now + WINDOW_MS;
		this.reported = undefined;
		this.wasRejected = this.isRejected;
		this.isRejected = false;
	}

	private report(remaining: number, { limit, resetInMs = Infinity }: RateInfo, now: number): void {
		// Responses can arrive out of order: within a window, the lowest number is the latest.
		this.reported = Math.min(remaining, this.reported ?? Infinity);
		this.size = limit ?? Math.max(remaining + 1, this.size ?? 0);
		if (this.isRejected) return;
		// Never later than a window lasts: some services report its length instead, with every response.
		this.endsAt = this.closedUntil = Math.min(now + resetInMs, this.startedAt + WINDOW_MS);
	}

	/** As long as the service says; without a usable wait, for the rest of the window. After five minutes, a request may try. */
	private closeAfter429({ retryInMs, resetInMs }: RateInfo, now: number): void {
		const said = [retryInMs, resetInMs].find((ms = 0) => ms >= MIN_WAIT_MS);
		const until = said === undefined ? this.startedAt + WINDOW_MS : now + said;
		this.closedUntil = this.isRejected ? Math.max(this.closedUntil, until) : until;
		this.endsAt = Math.min(this.closedUntil, now + MAX_WAIT_MS);
		this.isRejected = true;
		const accepted = this.sum(this.accepted);
		if (accepted > 0) this.size = accepted;
	}
}
