/** Requests at once until anything is known about the service. */
export const INITIAL_LIMIT = 8;

export const MAX_LIMIT = 64;

/** Failures leave this many, because a record that always fails says nothing about the service. */
const MIN_LIMIT = 4;

/** After this long, in milliseconds, everything is found out anew: the service may carry more or fewer. */
const VALID_MS = 60_000;

/** Latency below this, in milliseconds, is this process's own work. */
const OWN_WORK_MS = 5;

/** Growth per round. A read that fails can be repeated, so with reads alone the limit may grow faster at first. */
const GROWTH = { reads: 4, others: 2, careful: 1.25 };

/** Rounds until the next comparison: after failures, and once the limit is found. */
const ROUNDS = { careful: 6, rest: 10 };

/** When a request was sent. */
export interface SentRequest {
	/** On `clock.elapsed`. */
	at: number;
	/** How many were in flight, this one included. */
	inFlight: number;
}

/** How a request ended. */
export type RequestEnd =
	/** With a response, whose latency says something. */
	| { kind: 'ok'; endpoint: string; latencyMs: number }
	/** The service could not respond in time or at all: 5xx, timeout, lost connection. */
	| { kind: 'failed' }
	/** Otherwise: a rejection, a file of any size, or nothing was sent. */
	| { kind: 'other' };

/**
 * How many requests of one token should be in flight. Pure: the caller gives the times.
 *
 * A round has half as many responses as the limit, to requests that were sent while more than half of it was in use.
 * Each is compared only with the round before it, so that what changes the latency of every request (larger pages, a
 * slower afternoon) cancels out.
 *
 * | what is seen                                     | what follows                                         |
 * |--------------------------------------------------|------------------------------------------------------|
 * | a round                                          | twice as many; four times if all were reads and no limit was too high; at most 64 |
 * | n times as many take more than √n times as long  | the former limit, for ten rounds                     |
 * | the second failure in a row                      | half as many, at least 4; then a quarter more at a time |
 * | a minute has passed                              | 8, and everything is forgotten                       |
 *
 * At its capacity, a service takes n times as long for n times as many requests (Little's law); below it, not longer.
 * The square root is in the middle.
 */
export class ConcurrencyLimit {
	private limit = INITIAL_LIMIT;

	private begunAt = -Infinity;

	private changedAt = -Infinity;

	private rounds = 1;

	/** Whether requests have failed. */
	private isCareful = false;

	/** Whether a limit was too high. */
	private hasMaximum = false;

	/** Failures since the last success. */
	private failures = 0;

	private former: Round | undefined;

	private samples: Sample[] = [];

	/** The lowest latency of each endpoint, in milliseconds. */
	private readonly fastest = new Map<string, number>();

	/** How many requests may be in flight. */
	get value(): number {
		return this.limit;
	}

	/** Learns from a request that has ended. */
	ended(ending: RequestEnd, sent: SentRequest, now: number): void {
		if (now - this.begunAt > VALID_MS) this.begin(now);
		// Sent before the last change of the limit: it shows what the earlier limit did.
		if (ending.kind === 'other' || sent.at < this.changedAt) return;
		if (ending.kind === 'failed') {
			this.failed(now);
			return;
		}
		this.failures = 0;
		// At most half of the limit is in use: nothing shows what more would do.
		if (sent.inFlight <= this.limit / 2) return;
		const { endpoint } = ending;
		const latencyMs = Math.max(OWN_WORK_MS, ending.latencyMs);
		const fastest = Math.min(latencyMs, this.fastest.get(endpoint) ?? Infinity);
		this.fastest.set(endpoint, fastest);
		const isRead = endpoint.startsWith('GET ');
		this.samples.push({ slowdown: latencyMs / fastest, inFlight: sent.inFlight, isRead });
		if (this.samples.length >= (this.limit / 2) * this.rounds) this.endRound(now);
	}

	private begin(now: number): void {
		this.begunAt = now;
		this.limit = INITIAL_LIMIT;
		this.rounds = 1;
		this.isCareful = false;
		this.hasMaximum = false;
		this.failures = 0;
		this.former = undefined;
		this.samples = [];
		this.fastest.clear();
	}

	private failed(now: number): void {
		this.failures++;
		if (this.failures === 1) return;
		this.isCareful = true;
		this.former = undefined;
		this.change(Math.max(MIN_LIMIT, Math.floor(this.limit / 2)), ROUNDS.careful, now);
	}

	private endRound(now: number): void {
		const { former, samples } = this;
		const round = roundOf(samples, this.limit);
		if (former && isSlower(former, round)) {
			this.former = undefined;
			this.hasMaximum = true;
			this.change(former.limit, ROUNDS.rest, now);
		} else if (this.limit < MAX_LIMIT) {
			this.former = round;
			const grown = Math.min(MAX_LIMIT, Math.ceil(this.limit * this.growth(samples)));
			this.change(grown, this.isCareful ? ROUNDS.careful : 1, now);
		} else {
			this.former = undefined;
			this.change(MAX_LIMIT, ROUNDS.rest, now);
		}
	}

	private growth(samples: Sample[]): number {
		if (this.isCareful) return GROWTH.careful;
		const isFast = !this.hasMaximum && samples.every(({ isRead }) => isRead);
		return isFast ? GROWTH.reads : GROWTH.others;
	}

	private change(limit: number, rounds: number, now: number): void {
		this.limit = limit;
		this.rounds = rounds;
		this.changedAt = now;
		this.samples = [];
	}
}

interface Sample {
	/** How many times as long as the fastest response of its endpoint. */
	slowdown: number;
	inFlight: number;
	isRead: boolean;
}

interface Round {
	limit: number;
	/** The median. */
	slowdown: number;
	/** The mean. */
	inFlight: number;
}

function roundOf(samples: Sample[], limit: number): Round {
	const slowdowns = samples.map(({ slowdown }) => slowdown).sort((a, b) => a - b);
	return {
		limit,
		slowdown: slowdowns[Math.floor(slowdowns.length / 2)] ?? 1,
		inFlight: samples.reduce((sum, { inFlight }) => sum + inFlight, 0) / samples.length,
	};
}

const isSlower = (former: Round, round: Round): boolean =>
	round.limit > former.limit &&
	round.slowdown / former.slowdown > Math.sqrt(round.inFlight / former.inFlight);
