import { clock } from './clock';
import { RateLimiter } from './rateLimiter';

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
