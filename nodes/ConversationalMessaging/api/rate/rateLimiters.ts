import { clock } from '../base/clock';
import { RateLimiter } from './rateLimiter';

/** How often idle rate limiters are dropped at most, in milliseconds. */
const SWEEP_MS = 60_000;

/** The rate limiters of a process, one per token and base URL. */
export class RateLimiters {
	private readonly rateLimiters = new Map<string, RateLimiter>();

	private sweptAt = -Infinity;

	get size(): number {
		return this.rateLimiters.size;
	}

	/** @param key identifies token and base URL without containing the token */
	rateLimiterFor(key: string): RateLimiter {
		this.sweep();
		const known = this.rateLimiters.get(key);
		if (known) return known;
		const rateLimiter = new RateLimiter();
		this.rateLimiters.set(key, rateLimiter);
		return rateLimiter;
	}

	/**
	 * Drops idle rate limiters: if the token is an expression, there may be thousands. At most once a minute, and not by
	 * a timer, which would keep the process alive.
	 */
	private sweep(): void {
		const now = clock.elapsed();
		if (now - this.sweptAt < SWEEP_MS) return;
		this.sweptAt = now;
		for (const [key, rateLimiter] of this.rateLimiters) {
			if (rateLimiter.isIdle(now)) this.rateLimiters.delete(key);
		}
	}
}

const rateLimiters = new RateLimiters();

/** The rate limiter that all nodes of this process share for one token and base URL. */
export const rateLimiterFor = (key: string): RateLimiter => rateLimiters.rateLimiterFor(key);
