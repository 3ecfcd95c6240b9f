import type { RateInfo } from '../../nodes/ConversationalMessaging/api/rateHeaders.ts';
import {
	MAX_IDLE_MS,
	RateLimiter,
	type Slot,
} from '../../nodes/ConversationalMessaging/api/rateLimiter.ts';
import {
	rateLimiterFor,
	RateLimiters,
} from '../../nodes/ConversationalMessaging/api/rateLimiters.ts';
import { FakeTime } from '../time.mts';

let time: FakeTime;
beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

/** A rate limiter with one request in flight. */
async function used(rateLimiters: RateLimiters, key: string) {
	const rateLimiter = rateLimiters.rateLimiterFor(key);
	const { slot } = await rateLimiter.acquire({
		priority: 'single',
		isRead: false,
		maxWaitMs: Infinity,
	});
	const release = (isRateLimited: boolean, rate: RateInfo = {}) =>
		rateLimiter.release(slot as Slot, { ending: { kind: 'other' }, isRateLimited, rate });
	return { rateLimiter, release };
}

test('each key has one rate limiter', () => {
	const rateLimiters = new RateLimiters();
	expect(rateLimiters.rateLimiterFor('a')).toBe(rateLimiters.rateLimiterFor('a'));
	expect(rateLimiters.rateLimiterFor('a')).not.toBe(rateLimiters.rateLimiterFor('b'));
});

test('all nodes of a process share those', () => {
	expect(rateLimiterFor('a')).toBeInstanceOf(RateLimiter);
	expect(rateLimiterFor('a')).toBe(rateLimiterFor('a'));
	expect(rateLimiterFor('a')).not.toBe(rateLimiterFor('b'));
});

test('rate limiters of thousands of short-lived tokens do not pile up', async () => {
	const rateLimiters = new RateLimiters();
	for (let n = 0; n < 10_000; n++) {
		(await used(rateLimiters, `key ${n}`)).release(false);
		time.clock.advance(MAX_IDLE_MS / 100);
	}
	expect(rateLimiters.size).toBeLessThan(500);
});

test('one that is idle is dropped, even if there are few', async () => {
	const rateLimiters = new RateLimiters();
	(await used(rateLimiters, 'idle')).release(false);
	time.clock.advance(MAX_IDLE_MS);
	rateLimiters.rateLimiterFor('other');
	expect(rateLimiters.size).toBe(1);
});

test('those of thousands of tokens in use are looked through once a minute', () => {
	const looks = jest.spyOn(RateLimiter.prototype, 'isIdle').mockReturnValue(false);
	const rateLimiters = new RateLimiters();
	for (let n = 0; n < 1_000; n++) rateLimiters.rateLimiterFor(`key ${n}`);
	expect(looks).toHaveBeenCalledTimes(0);
	time.clock.advance(60_000);
	for (let n = 0; n < 1_000; n++) rateLimiters.rateLimiterFor(`key ${n}`);
	expect(looks).toHaveBeenCalledTimes(1_000);
	looks.mockRestore();
});

test('a rate limiter stays while it is in use, blocked or recently used', async () => {
	const rateLimiters = new RateLimiters();
	const underWay = await used(rateLimiters, 'under way');
	const closed = await used(rateLimiters, 'closed');
	closed.release(true, { retryInMs: 3 * MAX_IDLE_MS });
	time.clock.advance(2 * MAX_IDLE_MS);
	const recent = await used(rateLimiters, 'recent');
	recent.release(false);
	time.clock.advance(60_000);
	rateLimiters.rateLimiterFor('other');
	expect(rateLimiters.rateLimiterFor('under way')).toBe(underWay.rateLimiter);
	expect(rateLimiters.rateLimiterFor('closed')).toBe(closed.rateLimiter);
	expect(rateLimiters.rateLimiterFor('recent')).toBe(recent.rateLimiter);
});
