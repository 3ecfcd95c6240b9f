import { WINDOW_MS } from '../../api/rate/rateHeaders';
import type { MessageLimits } from '../limits';
import type { Memory } from './memory';

/** What one poll reads of each kind, at most: at least one. */
export interface Shares {
	/** Pages of the list beyond the first. */
	pages: number;
	/** Chats whose rows have not changed, and chats that could not be read. */
	quiet: number;
	failing: number;
}

/** Two pages of the list, and a chat of each kind. */
export const NEEDED = 5;

/** Requests that the first poll keeps for chats, to find out whether their messages can be recognized. */
const FIRST_CHATS = 10;

/**
 * A poll reads its share of what a minute allows, whether there is one poll or four.
 *
 * @param known undefined for the first poll, which reads the whole list: what it does not list would look like new chats
 * @param now when the poll began, in milliseconds since the epoch
 * @param left how many requests the poll may send beyond the first page of the list
 */
export function sharesOf(
	known: Memory | undefined,
	now: number,
	left: number,
	limits: MessageLimits,
): Shares {
	const windows = known ? Math.max(0, now - known.polled) / WINDOW_MS : 1;
	const share = Math.min(1, windows);
	const atMost = (wanted: number, most: number): number =>
		Math.max(1, Math.round(Math.min(wanted, most)));
	// A chat of each kind comes after them.
	const pages = Math.min(limits.listPages * windows, left / 2);
	return {
		pages: known ? atMost(pages, left - 3) : Math.max(1, left - FIRST_CHATS),
		quiet: atMost(known?.rowsShow ? limits.quiet * share : Infinity, (left * 2) / 3),
		failing: atMost(limits.failing * share, left / 6),
	};
}
