import type { RateInfo } from './rateHeaders';
import { WINDOW_MS } from './rateHeaders';

/** Requests that every window is assumed to allow. Only after these does an unknown size call for care. */
const SURELY_ALLOWED = 48;

/** This many requests in flight may be rejected at once, … */
const MAX_UNSURE = 8;

/** … or this share of what the window has accepted beyond those. */
const UNSURE_SHARE = 1 / 2;

/** Of the last requests of a window, this many may be in flight: other processes may send as many. */
const MIN_AT_ONCE = 2;

/** The smallest size that is learned. */
const MIN_LEARNED = 16;

/** Every how many windows a learned size is exceeded, one request at a time at first, in case it has grown. */
const TRY_EVERY = 2;

/**
 * How many requests the current window of the rate limit has left: as the service reports it; otherwise as many as a
 * former window accepted before its first 429; otherwise a careful guess. Pure: the caller gives the time, in
 * milliseconds since the epoch.
 *
 * | the service reports              | requests left                       | in flight                              |
 * |----------------------------------|-------------------------------------|----------------------------------------|
 * | remaining requests               | those, without the ones in flight   | a third of those left                  |
 * | a 429 only, after a 429          | those that the former window        | those left                             |
 * |                                  | accepted; in every second one, more |                                        |
 * | a 429 only, before the first one | unknown                             | the rest of the first 48; 8; half of   |
 * |                                  |                                     | those accepted beyond 48: the most of  |
 * |                                  |                                     | these                                  |
 * | nothing yet in a new window      | unknown                             | 8                                      |
 */
export class RateWindow {
	/** When the first response arrived: the service's window had begun by then. */
	private startedAt = -Infinity;

	/** When the window before it started. */
	private lastStartedAt = -Infinity;

	private accepted = 0;

	private wasRejected = false;

	/** What the service reported. */
	private reported: { remaining: number; resetsAt: number } | undefined;

	/** Whether a window had fewer left than reported: requests whose responses report nothing seem to count. */
	private countsUnreported = false;

	/** The requests that a window allows, as reported or learned. */
	private knownSize: number | undefined;

	/** The size before the one that was learned last. */
	private formerSize: number | undefined;

	/** Whether the size was learned from a 429, because nothing is reported before it. */
	private isLearned = false;

	private observedLengthMs = WINDOW_MS;

	/** Windows since the size was learned. */
	private windows = 0;

	/** What the last window accepted without a 429. */
	private proven = 0;

	/** The requests that a window allows; undefined while unknown. */
	get size(): number | undefined {
		return this.knownSize;
	}

	/** The length of a window, in milliseconds, as far as it has been observed. */
	get lengthMs(): number {
		return this.observedLengthMs;
	}

	/** When this window ends; in the past if it is over or none has begun. */
	endsAt(now: number): number {
		return this.reportedAt(now)?.resetsAt ?? this.startedAt + this.observedLengthMs;
	}

	/** Whether the window has ended, or none has begun. */
	isOver(now: number): boolean {
		return now >= this.endsAt(now);
	}

	/** The time left in the window as counted here, in milliseconds. */
	countedLeft(now: number): number {
		return Math.max(0, this.startedAt + WINDOW_MS - now);
	}

	/** Counts a response in the window, and begins the next window if this one is over. */
	responded(rate: RateInfo, isRateLimited: boolean, now: number): void {
		if (this.isOver(now)) this.begin(now);
		if (!isRateLimited) this.accepted++;
		this.report(rate, isRateLimited, now);
		if (isRateLimited) this.learn(rate, now);
	}

	/** Counts a response that arrives after the first 429 of its window: it was accepted before it. */
	respondedLate(): void {
		if (this.isLearned && this.windows === 0) this.knownSize = (this.knownSize ?? 0) + 1;
	}

	/** Ends the window: the service accepts nothing until the next one. */
	end(): void {
		if (this.startedAt > -Infinity) this.lastStartedAt = this.startedAt;
		if (this.isLearned && !this.wasRejected)
			this.knownSize = Math.max(this.knownSize ?? 0, this.accepted);
		this.proven = this.wasRejected ? 0 : this.accepted;
		this.startedAt = -Infinity;
		this.reported = undefined;
		this.accepted = 0;
		this.wasRejected = false;
	}

	/** How many more requests may be sent in this window; Infinity while that is unknown. */
	left(inFlight: number, now: number): number {
		const reported = this.reportedAt(now);
		if (reported) return reported.remaining - inFlight;
		if (this.isOver(now) || !this.isLearned || this.knownSize === undefined) return Infinity;
		const left = this.knownSize - this.accepted;
		if (left > 0 || this.windows % TRY_EVERY !== 0) return left - inFlight;
		return 1 - left - inFlight;
	}

	/** How many requests may be in flight, so that few are rejected if the window has fewer left than is known. */
	atOnce(now: number): number {
		const reported = this.reportedAt(now);
		if (reported) return Math.max(MIN_AT_ONCE, reported.remaining / 3);
		// Others may use the next window, too: its first response shows what is left.
		if (this.isOver(now)) return MAX_UNSURE;
		if (this.isLearned) return Infinity;
		const sure = Math.max(SURELY_ALLOWED, this.proven) - this.accepted;
		return Math.max(sure, MAX_UNSURE, (this.accepted - SURELY_ALLOWED) * UNSURE_SHARE);
	}

	private reportedAt(now: number): { remaining: number; resetsAt: number } | undefined {
		return this.reported && now < this.reported.resetsAt ? this.reported : undefined;
	}

	private begin(now: number): void {
		this.end();
		this.startedAt = now;
		this.windows++;
		// Far fewer than before: the windows slide, or others use them too. Then no number is right for long.
		if (this.isLearned && (this.knownSize ?? 0) * 2 < (this.formerSize ?? 0)) {
			this.isLearned = false;
			this.knownSize = undefined;
		}
		this.formerSize = undefined;
	}

	private report(rate: RateInfo, isRateLimited: boolean, now: number): void {
		const { limit, remaining, resetInMs } = rate;
		const known = this.reportedAt(now);
		if (isRateLimited && known && known.remaining > 0) this.countsUnreported = true;
		if (remaining === undefined) {
			if (known && !isRateLimited && this.countsUnreported) known.remaining--;
			return;
		}
		this.reported = {
			// Responses can arrive out of order: within a window, the lowest number is the latest.
			remaining: Math.min(remaining, known?.remaining ?? Infinity),
			// Never later than a window lasts: some services report its length instead, with every response.
			resetsAt: Math.min(now + (resetInMs ?? Infinity), this.startedAt + WINDOW_MS),
		};
		this.observedLengthMs = boundedLength(this.reported.resetsAt - this.startedAt);
		this.isLearned = false;
		this.knownSize = limit ?? Math.max(remaining + 1, this.knownSize ?? 0);
	}

	/** The size and the length of the window, from its first 429. */
	private learn({ remaining, retryInMs, resetInMs }: RateInfo, now: number): void {
		const endsIn = retryInMs ?? resetInMs;
		const begun = this.accepted > 0 ? this.startedAt : this.lastStartedAt;
		if (endsIn !== undefined) this.observedLengthMs = boundedLength(now + endsIn - begun);
		const isReported = remaining !== undefined;
		// Few accepted: others have used the window, which says nothing about its size.
		if (isReported || this.wasRejected || this.accepted < MIN_LEARNED) return;
		this.wasRejected = true;
		this.formerSize = this.isLearned ? this.knownSize : undefined;
		this.isLearned = true;
		this.knownSize = this.accepted;
		this.windows = 0;
	}
}

/** A window is never longer than documented (API document, section Limits). */
const boundedLength = (ms: number): number => Math.min(WINDOW_MS, Math.max(1_000, ms));
