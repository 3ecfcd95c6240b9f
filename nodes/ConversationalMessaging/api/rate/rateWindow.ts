import { type RateInfo, WINDOW_MS } from './rateHeaders';

/** In the last part of a window, in milliseconds, a 429 costs little. The first response of the next one may be as late. */
export const LAST_PART_MS = WINDOW_MS / 20;

/** Longer waits than this, in milliseconds, are rejected: the user should decide what to do meanwhile. */
export const MAX_WAIT_MS = 5 * 60_000;

/** The least wait that a 429 asks for, in milliseconds: a date has whole seconds, and may be only just ahead. */
const MIN_WAIT_MS = 1_000;

/** Of the requests that are left, this share may be in flight: other processes send as many, and know no more. */
const SHARE_AT_ONCE = 1 / 16;

/** How a request ended, and what that shows about the service. */
export interface RequestEnd {
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
 * How many requests the current window of the rate limit has left: what the service reports; otherwise what windows
 * accepted before a 429. Reads no clock: the caller passes the time, on `clock.elapsed`.
 *
 * The API document lists 429 for no GET (section Errors). So reads count and wait only after the response to a read was a
 * 429, or reported what is left.
 */
export class RateWindow {
	/** How many requests a window is expected to accept. Beyond that, fewer are sent at once. */
	private expected = Infinity;
	/** Whether that is the limit, as reported or learned: requests beyond it wait for the last part of the window. */
	private isKnown = false;
	/** The most that a window has accepted, from the last whole one with a 429 on. */
	private most = 0;
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
	/** Whether there was a 429 in this window. */
	private isRejected = false;
	/** Whether the service's window began with this one: the end of the one before was reported, or came after a 429. */
	private isWhole = false;

	/** How many requests a window allows, as reported or learned; undefined while unknown. */
	get size(): number | undefined {
		return this.isKnown ? this.expected : undefined;
	}

	/** Whether such a request counts in the window, and waits for it. */
	counts(isRead: boolean): boolean {
		return !isRead || this.readsCount;
	}

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
		if (this.isClosed(now)) return this.closedUntil;
		const lastPartAt = this.isShared ? this.endsAt : this.endsAt - LAST_PART_MS;
		// The last part is open to all, and the next window until its first response: few are in flight.
		if (!this.isKnown || now >= lastPartAt) return now;
		const left = this.left(now);
		const mayUseAll = !this.isShared && toCome <= left;
		// Never all of them.
		const kept = mayUseAll ? 0 : Math.min(this.expected - 1, Math.ceil(this.expected * reserve));
		return left > kept ? now : lastPartAt;
	}

	/** Whether it is certain that none is left. */
	isClosed(now: number): boolean {
		return now < this.endsAt && (this.isRejected || this.reported === 0);
	}

	/** Whether as many requests are in flight as may be. Beyond what is expected, one at first, then twice as many each round. */
	isFull(now: number): boolean {
		const left = this.left(now);
		const isLastPart = now < this.endsAt && now >= this.endsAt - LAST_PART_MS;
		const mayUseAll = this.reported === undefined && (isLastPart || !this.isKnown);
		const atOnce = Math.floor(left * (mayUseAll ? 1 : SHARE_AT_ONCE));
		return this.sum(this.inFlight) >= Math.max(1, atOnce, 1 - left);
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
		if (isRateLimited) this.closeAfter429(rate, now);
		else this.accepted[kind]++;
		// Again with each response after the 429: those in flight may have been accepted.
		if (this.isRejected) this.learn();
		if (rate.remaining !== undefined) this.report(rate.remaining, rate, now);
	}

	/** How many more requests this window is expected to accept, with the few in flight; below 0 if it has accepted more. */
	private left(now: number): number {
		if (now >= this.endsAt) return this.expected;
		return this.reported ?? this.expected - this.sum(this.accepted);
	}

	/** Whether others use the window: the service reports more as used than this process has sent. */
	private get isShared(): boolean {
		const own = this.sum(this.accepted) + this.sum(this.inFlight);
		return this.reported !== undefined && this.expected - this.reported > own;
	}

	/** How many of these requests count. */
	private sum({ reads, others }: { reads: number; others: number }): number {
		return this.readsCount ? reads + others : others;
	}

	private begin(now: number): void {
		// What the window before has accepted. If it was not whole, it may have been parts of two of the service's windows.
		const accepted = Math.floor(this.sum(this.accepted) / (this.isWhole ? 1 : 2));
		this.most = this.isRejected && this.isWhole ? accepted : Math.max(this.most, accepted);
		this.expected = Math.max(this.expected, accepted);
		const isEndKnown = this.isRejected || this.reported !== undefined;
		this.isWhole = isEndKnown && now < this.endsAt + LAST_PART_MS;
		// Otherwise, what was learned may be old: beside others, it may be far too low.
		this.isKnown &&= this.isWhole;
		this.accepted = { reads: 0, others: 0 };
		this.startedAt = now;
		this.endsAt = this.closedUntil = now + WINDOW_MS;
		this.reported = undefined;
		this.isRejected = false;
	}

	private report(remaining: number, { limit, resetInMs = Infinity }: RateInfo, now: number): void {
		// Responses can arrive out of order: within a window, the lowest number is the latest.
		this.reported = Math.min(remaining, this.reported ?? Infinity);
		// That nothing is left does not show how much there was.
		if (limit !== undefined || remaining > 0) {
			this.expected = limit ?? Math.max(remaining + 1, this.size ?? 0);
			this.isKnown = true;
		}
		if (this.isRejected) return;
		// Never later than a window lasts: some services report its length instead, with every response.
		this.endsAt = this.closedUntil = Math.min(now + resetInMs, this.startedAt + WINDOW_MS);
	}

	/** As long as the service says; if it does not, for the rest of the window. After five minutes, a request may try. */
	private closeAfter429({ retryInMs, resetInMs }: RateInfo, now: number): void {
		const askedMs = retryInMs || resetInMs;
		const until = askedMs ? now + Math.max(askedMs, MIN_WAIT_MS) : this.startedAt + WINDOW_MS;
		this.closedUntil = this.isRejected ? Math.max(this.closedUntil, until) : until;
		this.endsAt = Math.min(this.closedUntil, now + MAX_WAIT_MS);
		// A shorter or longer window than expected is another one.
		if (!this.isRejected && askedMs)
			this.isWhole &&= Math.abs(until - WINDOW_MS - this.startedAt) <= LAST_PART_MS;
		this.isRejected = true;
	}

	/**
	 * Learns how many requests a window accepts from one with a 429. Others may have used a part of it: then one of the last
	 * windows has accepted more. If nobody saw it begin, they may have used nearly all of it, and it does not show the limit.
	 */
	private learn(): void {
		const accepted = this.sum(this.accepted);
		if (accepted === 0 || (this.isKnown && !this.isWhole)) return;
		this.expected = Math.max(accepted, this.most);
		this.isKnown = this.isWhole;
	}
}
