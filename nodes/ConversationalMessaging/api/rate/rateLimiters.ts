import { clock } from '../base/clock';
import { RateLimiter } from './rateLimiter';

/** One per token and base URL, the one that was asked for last at the end. */
const rateLimiters = new Map<string, RateLimiter>();

/**
 * The rate limiter that all nodes of this process share for one token and base URL. Drops idle ones: if the token is an
 * expression, there may be thousands. Not by a timer, which would keep the process alive.
 *
 * @param key identifies token and base URL without containing the token
 */
export function rateLimiterFor(key: string): RateLimiter {
	const now = clock.elapsed();
	for (const [other, rateLimiter] of rateLimiters) {
		if (!rateLimiter.isIdle(now)) break;
		rateLimiters.delete(other);
	}
	const rateLimiter = rateLimiters.get(key) ?? new RateLimiter();
	rateLimiters.delete(key);
	rateLimiters.set(key, rateLimiter);
	return rateLimiter;
}
