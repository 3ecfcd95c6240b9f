/** Requests at once until anything is known about the service. */
export const INITIAL_LIMIT = 8;

/** Fewer requests at once than this would not show when the service has recovered. */
const MIN_LIMIT = 2;

export const MAX_LIMIT = 64;

/** How many times as long as the fastest response one may take before the service counts as slower. */
const SLOWER = 1.5;

/** Up to this, it is as fast as ever: twice as many requests at once may still be carried. */
const AS_FAST = 1.25;

/** Latency below this, in milliseconds, is this process's own work. */
const OWN_WORK_MS = 5;

/**
 * By how much the limit grows per round while none has been too high. A read that fails can be repeated, so with reads
 * alone, the limit may grow faster.
 */
const GROWTH = { reads: 4, others: 2 };

/** Growth per round once a limit has been too high. Also what is kept above the number that the service carries. */
const STEP = 1.25;

/** The slowest quarter of the responses decides: of those that wait behind others, half are still fast. */
const QUANTILE = 0.75;

/** Slower responses than this many may be chance. */
const MIN_SAMPLES = 12;

/** The usual slowdown falls to this share in one round at most: a few fast responses may be chance. */
const FORGET_SLOWDOWN = 0.9;

/** Fewer requests than this share of the former number show whether fewer are the cure. */
const CLEARLY_FEWER = 0.9;

/** By this much a failure with few in flight raises the limit that failures leave. */
const LEAST_STEP = 2;

/** When a request was sent. */
export interface Sent {
	/** Milliseconds since the epoch. */
	at: number;
	/** How many were in flight, this one included. */
	inFlight: number;
}

/** How a request ended. */
export type Ending =
	/** With a response, whose latency says something. */
	| { kind: 'ok'; endpoint: string; latencyMs: number }
	/** 429. */
	| { kind: 'rejected' }
	/** The service could not respond in time or at all: 5xx, timeout, lost connection. */
	| { kind: 'failed' }
	/** Otherwise: a file of any size, or nothing was sent. */
	| { kind: 'other' };

/**
 * How many requests of one token should be in flight, found out from the latency of the responses. Pure: the caller
 * gives the times.
 *
 * | what is seen                                    | what follows                                             |
 * |-------------------------------------------------|----------------------------------------------------------|
 * | a round as fast as ever, with the limit in use   | ×2, ×4 if all were reads; ×1.25 above half of a limit that was too high |
 * | a round slower by a quarter to a half            | ×1.25                                                    |
 * | a round slower by more than half                 | down to what the service carries: limit ÷ slowdown × 1.25 |
 * | still as slow with fewer requests, or with 2     | the former limit: the slowness has another cause          |
 * | 429, 5xx, timeout, lost connection               | ÷2, once per round trip                                  |
 * | 5xx, … beside successes, with hardly any in flight | single records fail: next time not so low, in steps to 8 |
 *
 * A round has as many responses as the limit. Only requests that were sent after the last change of the limit count:
 * the others show what an earlier limit did. The model is TCP Vegas: a queue at the service shows in the latency
 * before it shows in rejections.
 */
export class ConcurrencyLimit {
	private limit = INITIAL_LIMIT;

	/** Below it, the limit grows by a multiple. */
	private multipliesBelow = Infinity;

	/** A slowdown that fewer requests do not cure. */
	private usualSlowdown = 1;

	private samples: Sample[] = [];

	private changedAt = -Infinity;

	/** Whether more requests were waiting than the limit let through during this round. */
	private wasReached = false;

	/** The round before the decreases, until another one shows whether they helped. */
	private before: Before | undefined;

	/** Whether a response has succeeded since the last one that did not. */
	private hasSucceeded = false;

	/** What failed responses leave of the limit. */
	private leastAfterFailure = MIN_LIMIT;

	/** @param fastest the lowest latency of each endpoint, in milliseconds */
	constructor(private readonly fastest = new Map<string, number>()) {}

	/** How many requests may be in flight. */
	get value(): number {
		return this.limit;
	}

	/** Notes that a request has to wait because the limit is reached: only then may the limit grow. */
	reached(): void {
		// Responses until now had fewer beside them than the limit allows.
		if (!this.wasReached) this.samples = [];
		this.wasReached = true;
	}

	/**
	 * Learns from a request that has ended.
	 *
	 * @param now in milliseconds since the epoch
	 */
	ended(ending: Ending, sent: Sent, now: number): void {
		if (ending.kind === 'other') return;
		// Sent before the last change: it shows what an earlier limit did.
		const isCurrent = sent.at >= this.changedAt;
		if (ending.kind !== 'ok') {
			if (isCurrent) this.overloaded(ending.kind, now);
			return;
		}
		// The clock was set back meanwhile.
		if (ending.latencyMs < 0) return;
		const slowdown = this.slowdownOf(ending);
		if (!isCurrent) return;
		this.hasSucceeded = true;
		const isRead = ending.endpoint.startsWith('GET ');
		this.samples.push({ slowdown, inFlight: sent.inFlight, isRead });
		if (this.samples.length >= this.limit) this.endRound(now);
	}

	/** Begins anew with the latencies: after a while without requests, the service may carry more or less. */
	afresh(): ConcurrencyLimit {
		return new ConcurrencyLimit(this.fastest);
	}

	private overloaded(kind: 'rejected' | 'failed', now: number): void {
		if (kind === 'failed') this.learnLeast();
		const least = kind === 'failed' ? this.leastAfterFailure : MIN_LIMIT;
		this.hasSucceeded = false;
		this.before = undefined;
		this.change(Math.max(least, this.limit / 2), now);
		this.multipliesBelow = this.limit;
	}

	/**
	 * A record that always fails does so beside others that succeed, with however few in flight. A service that is
	 * overloaded fails one request after another.
	 */
	private learnLeast(): void {
		const least = this.leastAfterFailure;
		if (!this.hasSucceeded) this.leastAfterFailure = Math.max(MIN_LIMIT, least / 2);
		else if (this.limit <= least + LEAST_STEP)
			this.leastAfterFailure = Math.min(INITIAL_LIMIT, least + LEAST_STEP);
	}

	private slowdownOf({ endpoint, latencyMs }: { endpoint: string; latencyMs: number }): number {
		const fastest = Math.max(1, Math.min(this.fastest.get(endpoint) ?? Infinity, latencyMs));
		this.fastest.set(endpoint, fastest);
		return Math.max(1, (latencyMs - OWN_WORK_MS) / fastest);
	}

	private endRound(now: number): void {
		const round = roundOf(this.samples);
		const isSlow = round.slowdown > SLOWER * this.usualSlowdown;
		if (isSlow && this.samples.length < MIN_SAMPLES) return;
		const { before } = this;
		if (isSlow && before && isUncured(before, round)) {
			this.before = undefined;
			this.usualSlowdown = round.slowdown;
			this.change(before.limit, now);
			this.multipliesBelow = this.limit;
		} else if (isSlow && this.limit === MIN_LIMIT) {
			// No fewer could be faster.
			this.before = undefined;
			this.usualSlowdown = round.slowdown;
			this.change(Math.ceil(this.limit * STEP), now);
		} else if (isSlow) {
			// If fewer helped, the next comparison is with these: latency does not fall below that of one request.
			if (!before || isClearlyFewer(before, round)) this.before = { ...round, limit: this.limit };
			const carried = (round.mostInFlight / round.slowdown) * this.usualSlowdown;
			this.change(Math.min(this.limit - 1, carried * STEP), now);
			this.multipliesBelow = this.limit;
		} else {
			this.before = undefined;
			const usual = Math.max(round.slowdown, this.usualSlowdown * FORGET_SLOWDOWN);
			this.usualSlowdown = Math.max(1, Math.min(this.usualSlowdown, usual));
			if (this.wasReached) this.change(Math.ceil(this.limit * this.growth(round)), now);
			else this.samples = [];
		}
	}

	private growth({ slowdown }: Round): number {
		if (this.limit >= this.multipliesBelow) return STEP;
		if (slowdown > AS_FAST) return STEP;
		return this.samples.every(({ isRead }) => isRead) ? GROWTH.reads : GROWTH.others;
	}

	private change(limit: number, now: number): void {
		this.limit = Math.min(MAX_LIMIT, Math.max(MIN_LIMIT, Math.floor(limit)));
		this.changedAt = now;
		this.samples = [];
		this.wasReached = false;
	}
}

interface Sample {
	/** How many times as long as the fastest response of its endpoint. */
	slowdown: number;
	inFlight: number;
	isRead: boolean;
}

interface Round {
	/** That of the slowest quarter. */
	slowdown: number;
	meanSlowdown: number;
	/** The mean number of requests in flight. */
	inFlight: number;
	/** The most in flight: while their number grows, the first ones have fewer beside them than the last. */
	mostInFlight: number;
}

/** A round, and the limit that it had. */
interface Before extends Round {
	limit: number;
}

function roundOf(samples: Sample[]): Round {
	const inFlight = samples.map((sample) => sample.inFlight);
	const slowdowns = samples.map(({ slowdown }) => slowdown).sort((a, b) => a - b);
	return {
		slowdown: slowdowns[Math.ceil(slowdowns.length * QUANTILE) - 1] as number,
		meanSlowdown: mean(slowdowns),
		inFlight: mean(inFlight),
		mostInFlight: Math.max(...inFlight),
	};
}

const mean = (values: number[]): number =>
	values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Whether a service is as slow with fewer requests. At its capacity, its mean latency would fall in proportion to the
 * requests in flight (Little's law); if the slowness has another cause, not at all. The line is in the middle.
 */
const isUncured = (before: Round, after: Round): boolean =>
	isClearlyFewer(before, after) &&
	after.meanSlowdown / before.meanSlowdown > Math.sqrt(after.inFlight / before.inFlight);

const isClearlyFewer = (before: Round, after: Round): boolean =>
	after.inFlight / before.inFlight < CLEARLY_FEWER;
