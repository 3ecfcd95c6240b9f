import type { MessageLimits } from '../limits';
import type { Memory } from './memory';

const MINUTE_MS = 60_000;

/** What one poll may read. */
export interface Budget {
	/** All its requests. */
	requests: number;
	/** Pages of the list beyond the first. */
	pages: number;
	/** Chats whose rows have changed, or have not, and chats that could not be read: at least so many of each. */
	least: number;
	quiet: number;
	failing: number;
}

/** Requests that the first poll keeps for chats, to find out whether their messages can be recognized. */
const FIRST_CHATS = 10;

/**
 * Half of a smaller rate limit counts as this: where only a 429 shows the limit, a window that others have used looks smaller than it
 * is. It is found out only if requests wait for the next one.
 */
const LEAST_HALF = 20;

/** Two pages of the list, and a chat of each kind. */
const LEAST_REQUESTS = 5;

/**
 * A poll may send its share of what a minute allows: with four polls a minute, a quarter of half of the rate limit. If the first one
 * of a minute needs all of it, because the one before was long ago, the others read the first page of the list only. Otherwise, each poll
 * reads a chat of each kind.
 *
 * @param known undefined for the first poll, which reads the whole list: what it does not list would look like new chats
 * @param now when the poll began, in milliseconds since the epoch
 * @param window how many requests a minute of the rate limit allows; undefined while unknown
 */
export function budgetOf(
	known: Memory | undefined,
	now: number,
	window: number | undefined,
	limits: MessageLimits,
): Budget {
	const half = Math.min(
		limits.requests,
		window === undefined ? limits.requestsUnknown : Math.max(LEAST_HALF, Math.floor(window / 2)),
	);
	const minutes = known ? Math.max(0, now - known.polled) / MINUTE_MS : 1;
	const share = Math.min(1, minutes);
	const sent = known && isSameMinute(known, now) ? known.minute.sent : 0;
	const requests = Math.floor(Math.min(half * share, half - sent));
	const least = sent === 0 || half - sent >= LEAST_REQUESTS ? 1 : 0;
	const atMost = (perMinute: number, most: number): number =>
		Math.max(least, Math.round(Math.min(perMinute, most)));
	const quiet = known?.rowsShow ? limits.quiet * share : Infinity;
	return {
		requests,
		least,
		pages: known
			? atMost(limits.listPages * minutes, Math.floor(requests / 2) - 1)
			: Math.max(1, requests - FIRST_CHATS),
		// A third of the rate limit at most, whether rows show messages or not.
		quiet: atMost(quiet, (requests * 2) / 3),
		failing: atMost(limits.failing * share, requests / 6),
	};
}

const isSameMinute = ({ minute }: Memory, now: number): boolean =>
	now >= minute.from && now - minute.from < MINUTE_MS;

/** The requests of the current minute, after a poll. */
export const minuteAfter = (
	known: Memory | undefined,
	now: number,
	sent: number,
): Memory['minute'] =>
	known && isSameMinute(known, now)
		? { ...known.minute, sent: known.minute.sent + sent }
		: { from: now, sent };
