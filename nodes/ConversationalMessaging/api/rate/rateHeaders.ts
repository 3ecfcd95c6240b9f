/** The window of the service's rate limit (API document, section Limits). */
export const WINDOW_MS = 60_000;

export type Headers = Record<string, unknown>;

/** What a response says about the rate limit. Times are milliseconds from now. */
export interface RateInfo {
	/** From Retry-After: when to retry. */
	retryInMs?: number;
	limit?: number;
	remaining?: number;
	/** When the next window begins. */
	resetInMs?: number;
}

/**
 * The service does not document the names of its headers, so every usual form is read, in any case: Retry-After (RFC
 * 9110, 10.2.3), `ratelimit-*`, `x-ratelimit-*` and `x-rate-limit-*`, each also with the suffix of a named throttler,
 * and the combined `ratelimit` field of the IETF drafts. The throttler with the least left counts, and the longest wait.
 *
 * @param now milliseconds since the epoch
 */
export function readRateInfo(headers: Headers, now: number): RateInfo {
	/** By the suffix of their names, or by what the combined field says of them. */
	const throttlers = new Map<string, RateInfo>();
	for (const [name, raw] of Object.entries(headers)) {
		const value = String(Array.isArray(raw) ? raw[0] : raw).trim();
		const header = HEADER.exec(name.toLowerCase());
		if (!header) continue;
		const [, part, suffix = ''] = header;
		if (part === undefined) {
			// One with commas between its parts, or a list of those with semicolons.
			for (const each of value.includes(';') ? value.split(',') : [value])
				throttlers.set(each, combined(each));
			continue;
		}
		const info = throttlers.get(suffix) ?? {};
		throttlers.set(suffix, info);
		// Some services send `retry-after-ms` besides Retry-After.
		if (part === 'after' && suffix === '-ms') info.retryInMs = numberIn(value, 0);
		else if (part === 'after') info.retryInMs = millisecondsUntil(value, now);
		else if (part === 'limit') info.limit = numberIn(value, 1);
		// A negative number means that there is no limit.
		else if (part === 'remaining') info.remaining = numberIn(value, 0);
		else info.resetInMs = resetIn(millisecondsUntil(value, now));
	}
	const all = [...throttlers.values()];
	const left = ({ remaining = Infinity }: RateInfo) => remaining;
	const [tightest] = [...all].sort((one, other) => left(one) - left(other));
	const longest = (times: number[]) => (times.length > 0 ? Math.max(...times) : undefined);
	return {
		...tightest,
		retryInMs: longest(all.flatMap(({ retryInMs = [] }) => retryInMs)),
		resetInMs: tightest?.resetInMs ?? longest(all.flatMap(({ resetInMs = [] }) => resetInMs)),
	};
}

/** Without a part, it is the combined field. */
const HEADER = /^(?:retry|(?:x-)?rate-?limit)(?:-(after|limit|remaining|reset)(-.+)?)?$/;

/** What the combined field says: `limit=60, remaining=3, reset=42`, or `"name";r=3;t=42`. */
function combined(value: string): RateInfo {
	const seconds = numberIn(/\b(?:t|reset)\s*=\s*(\d+)/i.exec(value)?.[1]);
	return {
		limit: numberIn(/\blimit\s*=\s*(\d+)/i.exec(value)?.[1], 1),
		remaining: numberIn(/\b(?:r|remaining)\s*=\s*(\d+)/i.exec(value)?.[1]),
		resetInMs: resetIn(seconds && seconds * 1000),
	};
}

/** Until epoch milliseconds, epoch seconds, seconds from now, or a date; never negative. Undefined for anything else. */
function millisecondsUntil(value: string, now: number): number | undefined {
	const number = numberIn(value);
	const at = number === undefined ? Date.parse(value) : epochOf(number, now);
	return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function epochOf(number: number, now: number): number {
	if (number >= 1e12) return number;
	return number >= 1e9 ? number * 1000 : now + number * 1000;
}

/** At most one window: a later reset is misread, or the clocks differ. */
const resetIn = (ms: number | undefined): number | undefined => ms && Math.min(ms, WINDOW_MS);

/** @returns undefined for anything else than a number, or a smaller one */
function numberIn(value: string | undefined, least = -Infinity): number | undefined {
	const number = value ? Number(value) : NaN;
	return Number.isFinite(number) && number >= least ? number : undefined;
}
