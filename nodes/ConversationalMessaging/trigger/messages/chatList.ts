import { NodeApiError } from 'n8n-workflow';
import { forEachConcurrent } from '../../api/concurrency';
import { isRateLimited, isRejectedRecord, isTransient } from '../failures';
import { READS_AT_ONCE } from '../limits';
import { keyOf } from '../keys';
import type { ChatPage, ChatRow, MessageService } from './service';
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
	/** A page that could not be read, or that was empty although later ones are counted: the later ones were read without it. */
	skipped?: { page: number; failure?: NodeApiError };
}

/**
 * Reads the first page, and as many others in rotation: those after the ones that the poll before read.
 *
 * If a page fails, the next poll begins with it. The page with which a poll begins is left out until the next pass if it
 * fails, so that a page that always fails holds up no other one. So is one that the service rejects, or returns without
 * rows, although it counts as one of the list.
 *
 * @param from the first of the others; 1 for a new pass
 * @param most how many pages one poll reads
 * @param watched later pages are not read
 * @throws NodeApiError if the first page could not be read, or the token is rejected
 */
export async function readList(
	service: MessageService,
	from: number,
	most: number,
	watched: number,
): Promise<Listing> {
	const first = await service.chats(1);
	const pages = new Map([[1, first]]);
	const isTooLong = (first.pages ?? 0) > watched;
	let last = Math.min(first.pages ?? Infinity, watched);
	// The list may have become shorter.
	const start = from > last ? 2 : Math.max(2, from);
	const numbers = Array.from({ length: most - 1 }, (_, i) => start + i);
	let failedPage = Infinity;
	let failure: NodeApiError | undefined;
	let skipped: Listing['skipped'];
	// The length may be unknown: then one page after another, until one has nothing new.
	await forEachConcurrent(numbers, first.pages ? READS_AT_ONCE : 1, async (number) => {
		if (number > last || number > failedPage) return;
		const page = await service.chats(number).catch((error: unknown) => {
			const isRejected = isRejectedRecord(error);
			if (!(error instanceof NodeApiError) || !(isRejected || isTransient(error))) throw error;
			// Without a count, a page that is rejected is one after the end.
			const canSkip = isRejected
				? first.pages !== undefined
				: number === start && !isRateLimited(error);
			if (canSkip) skipped ??= { page: number, failure: error };
			if (isRejected || canSkip) return undefined;
			failure ??= error;
			failedPage = Math.min(failedPage, number);
			return undefined;
		});
		if (failedPage <= number || skipped?.page === number) return;
		const isMissing = !page || page.chats.length === 0;
		if (first.pages !== undefined) {
			if (!isMissing) pages.set(number, page);
			else skipped ??= { page: number };
		} else if (isMissing || !hasNew(page, pages)) last = Math.min(last, number - 1);
		else pages.set(number, page);
	});
	const next = Math.min(start + numbers.length, failedPage);
	const counted = first.pages === undefined ? undefined : last;
	const isEnd = next > last;
	const chats = inOrder(pages);
	const { sentAt } = first;
	return { chats, sentAt, next: isEnd ? 1 : next, pages: counted, isTooLong, failure, skipped };
}

/** Some services return the first or the last page for every later page number. */
function hasNew({ chats }: ChatPage, pages: ReadonlyMap<number, ChatPage>): boolean {
	const known = new Set([...pages.values()].flatMap((page) => page.chats.map(({ id }) => id)));
	return chats.some(({ id }) => !known.has(id));
}

/** Each chat once: one whose row shifted while the list was read is on two pages. */
function inOrder(pages: ReadonlyMap<number, ChatPage>): ListedChat[] {
	const byNumber = [...pages].sort(([one], [other]) => one - other);
	const all = byNumber.flatMap(([page, { chats }]) => chats.map((chat) => ({ ...chat, page })));
	const byId = new Map(all.map((chat) => [chat.id, chat]));
	return [...byId.values()].map((chat) => ({
		...chat,
		key: keyOf(chat.id),
		mark: rowMark(chat.row),
	}));
}
