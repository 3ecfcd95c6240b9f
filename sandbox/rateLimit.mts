import type { RateLimitHeaders, SandboxOptions } from './options.mts';

interface Window {
	startedAt: number;
	used: number;
}

/** Fixed windows per token. Not from a library, because it needs the sandbox's clock and nine header styles. */
export class RateLimiter {
	private readonly windows = new Map<string, Window>();
	/** How often a request was rejected, for measurements. */
	rejected = 0;

	constructor(private readonly limit: SandboxOptions['rateLimit']) {}

	/** Counts a request. Returns the headers of its response and whether it is accepted. */
	count(token: string, now: number): { allowed: boolean; headers: Record<string, string> } {
		const length = this.limit.windowSeconds * 1000;
		let window = this.windows.get(token);
		if (!window || now >= window.startedAt + length) {
			window = { startedAt: now, used: 0 };
			this.windows.set(token, window);
		}
		const allowed = window.used < this.limit.requests;
		if (allowed) window.used++;
		else this.rejected++;
		const resetAt = window.startedAt + length;
		const remaining = this.limit.requests - window.used;
		const state = { limit: this.limit.requests, remaining, resetAt, now, length, allowed };
		return { allowed, headers: rateLimitHeaders(this.limit.headers, state) };
	}
}

interface WindowState {
	limit: number;
	remaining: number;
	resetAt: number;
	now: number;
	length: number;
	allowed: boolean;
}

function rateLimitHeaders(style: RateLimitHeaders, state: WindowState): Record<string, string> {
	const seconds = Math.ceil((state.resetAt - state.now) / 1000);
	const retryAfter: Record<string, string> = state.allowed
		? {}
		: { 'retry-after': String(seconds) };
	const family = (prefix: string, reset: number, suffix = ''): Record<string, string> => ({
		[`${prefix}-limit${suffix}`]: String(state.limit),
		[`${prefix}-remaining${suffix}`]: String(state.remaining),
		[`${prefix}-reset${suffix}`]: String(reset),
	});
	switch (style) {
		case 'ratelimit':
			return { ...family('ratelimit', seconds), ...retryAfter };
		case 'x-ratelimit':
			return family('x-ratelimit', Math.ceil(state.resetAt / 1000));
		case 'x-ratelimit-ms':
			return family('x-ratelimit', state.resetAt);
		case 'combined':
			return {
				ratelimit: `limit=${state.limit}, remaining=${state.remaining}, reset=${seconds}`,
				...retryAfter,
			};
		case 'structured':
			return {
				'ratelimit-policy': `"default";q=${state.limit};w=${state.length / 1000}`,
				ratelimit: `"default";r=${state.remaining};t=${seconds}`,
			};
		case 'named': {
			const named = family('x-ratelimit', seconds, '-short');
			return state.allowed ? named : { ...named, 'retry-after-short': String(seconds) };
		}
		case 'retry-after':
			return retryAfter;
		case 'retry-after-date': {
			// An HTTP date has whole seconds: round up, or it would be too early.
			const date = new Date(Math.ceil(state.resetAt / 1000) * 1000).toUTCString();
			return state.allowed ? {} : { 'retry-after': date };
		}
		case 'none':
			return {};
	}
}
