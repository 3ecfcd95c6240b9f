/** The window of the service's rate limit (API document, section Limits). */
export const WINDOW_MS = 60_000;

export type Headers = Record<string, unknown>;

/** What a response says about the rate limit. Times are milliseconds from now. */
export interface RateInfo {
	/** From Retry-After: when to retry. */
	retryInMs?: number;
	/** Requests that a window allows. */
	limit?: number;
	/** Requests left in the window. */
	remaining?: number;
	/** When the next window begins. */
	resetInMs?: number;
}

/**
 * Reads the rate limit from the headers of a response.
 *
 * The service does not document the names of its headers, so every usual form is read, in any case: Retry-After (RFC
 * 9110, 10.2.3), `ratelimit-*`, `x-ratelimit-*` and `x-rate-limit-*`, each also with the suffix of a named throttler,
 * and the combined `ratelimit` field of the IETF drafts.
 *
 * @param now milliseconds since the epoch
 */
export function readRateInfo(headers: Headers, now: number): RateInfo {
	const info: RateInfo = {};
	const limits = new Map<string, number>();
	const resets = new Map<string, number>();
	let tightest: { suffix: string; remaining: number } | undefined;

	for (const [name, raw] of Object.entries(headers)) {
		const value = String(Array.isArray(raw) ? raw[0] : raw).trim();
		const lower = name.toLowerCase();
		const retry = /^retry-after(-.+)?$/.exec(lower);
		if (retry) {
			// With several throttlers, only the longest wait is long enough.
			const wait =
				lower === 'retry-after-ms' ? millisecondsIn(value) : millisecondsUntil(value, now);
			if (wait !== undefined) info.retryInMs = Math.max(info.retryInMs ?? 0, wait);
			continue;
		}
		if (/^(x-)?rate-?limit$/.test(lower)) {
			readCombined(value, info);
			continue;
		}
		const part = /^(?:x-)?rate-?limit-(limit|remaining|reset(?:-after)?)(-.+)?$/.exec(lower);
		if (!part) continue;
		const suffix = part[2] ?? '';
		if (part[1] === 'limit') {
			const limit = toNumber(value) ?? 0;
			if (limit > 0) limits.set(suffix, limit);
		} else if (part[1] === 'remaining') {
			// A negative number means that there is no limit.
			const remaining = toNumber(value) ?? -1;
			if (remaining >= 0 && (!tightest || remaining < tightest.remaining))
				tightest = { suffix, remaining };
		} else {
			const reset = millisecondsUntil(value, now);
			if (reset !== undefined) resets.set(suffix, plausibleReset(reset));
		}
	}

	if (tightest) {
		info.remaining = tightest.remaining;
		const limit = limits.get(tightest.suffix);
		if (limit !== undefined) info.limit = limit;
	}
	const reset = resets.get(tightest?.suffix ?? '') ?? Math.max(...resets.values());
	if (Number.isFinite(reset)) info.resetInMs = reset;
	return info;
}

/** `limit=60, remaining=3, reset=42`, or a list of `"name";r=3;t=42`: the throttler with the least left counts. */
function readCombined(value: string, info: RateInfo): void {
	const throttlers = value.includes(';') ? value.split(',') : [value];
	for (const throttler of throttlers) {
		const remaining = toNumber(/\b(?:r|remaining)\s*=\s*(\d+)/i.exec(throttler)?.[1]);
		const reset = toNumber(/\b(?:t|reset)\s*=\s*(\d+)/i.exec(throttler)?.[1]);
		if (remaining === undefined || (info.remaining !== undefined && remaining >= info.remaining))
			continue;
		info.remaining = remaining;
		const limit = toNumber(/\blimit\s*=\s*(\d+)/i.exec(throttler)?.[1]) ?? 0;
		if (limit > 0) info.limit = limit;
		if (reset !== undefined) info.resetInMs = plausibleReset(reset * 1000);
	}
}

/**
 * The time from now until a moment: epoch milliseconds, epoch seconds, seconds from now, or a date.
 *
 * @returns milliseconds, never negative; undefined if the value is not a moment
 */
function millisecondsUntil(value: string, now: number): number | undefined {
	const number = toNumber(value);
	const at = number === undefined ? Date.parse(value) : epochOf(number, now);
	return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function epochOf(number: number, now: number): number {
	if (number >= 1e12) return number;
	return number >= 1e9 ? number * 1000 : now + number * 1000;
}

function millisecondsIn(value: string): number | undefined {
	const number = toNumber(value);
	return number === undefined ? undefined : Math.max(0, number);
}

/** A reset more than two windows away is misread, or the clocks differ: assume one window instead. */
function plausibleReset(ms: number): number {
	return ms > 2 * WINDOW_MS ? WINDOW_MS : ms;
}

function toNumber(value: string | undefined): number | undefined {
	if (!value) return undefined;
	const number = Number(value);
	return Number.isFinite(number) ? number : undefined;
}
