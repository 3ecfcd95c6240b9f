import { NodeApiError } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import { isRateLimited, isRejectedRecord, isTransientError } from '../failures';
import { keyOf } from '../keys';
import type { ChatRow, MessageService } from './service';
import { rowMark } from './state';

/** A chat of the list. */
export interface ListedChat extends ChatRow {
	/** The hash of its ID, by which it is kept. */
	key: number;
	/** The fingerprint of its row. */
	mark: number;
	/** The page that it was on. */
	page: number;
}

/** What a poll read of the list of chats. */
export interface Listing {
	/** In the order of the list, each of them once. */
	chats: ListedChat[];
	/** The page from which the next poll continues; 1 if the list has been read to its end. */
	next: number;
	/** The number of pages that are watched; undefined if the service does not return it. */
	pages: number | undefined;
	/** When the first page was sent (see `ChatPage`). */
	sentAt: number | undefined;
	/** Whether the list has more pages than are watched. */
	isTooLong: boolean;
	/** Why the list was not read further. */
	failure?: NodeApiError;
	/** Pages that were left out, and why; without a failure, the page was empty although the list counts later ones. */
	skipped: { page: number; failure?: NodeApiError }[];
}

/** After this time, in milliseconds, no further page is read: the chats need the rest of a poll's time. */
const LIST_MS = 15_000;

/**
 * Reads the first page, and as many others in rotation: those after the ones that the poll before read.
 *
 * | a page                                           | effect                                                      |
 * |--------------------------------------------------|-------------------------------------------------------------|
 * | fails (5xx, 429, no response)                    | the next poll begins with it                                |
 * | with which this poll begins, fails, but for 429  | it is left out until the next pass: it holds up no other one |
 * | is rejected (403, 404 …) or empty                | it is left out; without a count of pages, it is the end      |
 * | has no new chat, without a count of pages        | it is the end: some services return the first or last page  |
 *
 * @param from the first of the others; 1 for a new pass
 * @param most how many pages one poll reads
 * @param watched later pages are not read
 * @throws NodeApiError if the first page could not be read, or the token is rejected
 */
export async function readChatList(
	service: MessageService,
	from: number,
	most: number,
	watched: number,
): Promise<Listing> {
	const until = clock.elapsed() + LIST_MS;
	const { chats: rows, pages: count, sentAt } = await service.chats(1);
	const chats = new Map<string, ListedChat>();
	// A chat whose row shifted while the list was read is on two pages.
	const add = (page: number, added: readonly ChatRow[]): void => {
		for (const { id, row } of added)
			chats.set(id, { id, row, page, key: keyOf(id), mark: rowMark(row) });
	};
	add(1, rows);
	let last = Math.min(count ?? Infinity, watched);
	// The list may have become shorter.
	const start = from > last ? 2 : Math.max(2, from);
	const skipped: Listing['skipped'] = [];
	let failure: NodeApiError | undefined;
	let next = start;
	for (; next <= last && next - start < most - 1 && clock.elapsed() <= until; next++) {
		const page = await service.chats(next).catch(failureOfPage);
		if (page instanceof NodeApiError && isTransientError(page)) {
			if (next > start || isRateLimited(page)) {
				failure = page;
				break;
			}
			skipped.push({ page: next, failure: page });
			continue;
		}
		const [found, rejection] = page instanceof NodeApiError ? [[], page] : [page.chats];
		if (count === undefined && found.every(({ id }) => chats.has(id))) {
			last = next - 1;
			break;
		}
		if (found.length === 0) skipped.push({ page: next, failure: rejection });
		add(next, found);
	}
	return {
		chats: [...chats.values()],
		next: next > last ? 1 : next,
		pages: count === undefined ? undefined : last,
		sentAt,
		isTooLong: (count ?? 0) > watched,
		failure,
		skipped,
	};
}

/** @throws the error, if it does not concern this page alone */
function failureOfPage(error: unknown): NodeApiError {
	if (error instanceof NodeApiError && (isRejectedRecord(error) || isTransientError(error)))
		return error;
	throw error;
}
