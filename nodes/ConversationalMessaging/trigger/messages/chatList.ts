import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import { contradicts } from '../contradicts';
import { concernsAll, requestError, isRejectedRecord, isTransientError } from '../failures';
import { keyOf } from '../keys';
import { type Memory, rowMark } from './memory';
import type { ChatPage, ChatRow, MessageService } from './service';
import type { MessageSubscription } from './subscription';

export interface ListedChat extends ChatRow {
	/** The hash of its ID, by which it is kept. */
	key: number;
	/** The fingerprint of its row. */
	mark: number;
}

export interface Listing {
	/** By key, in the order of the list. */
	chats: Map<number, ListedChat>;
	/** The page from which the next poll continues, and whether all pages of this pass could be read. */
	page: number;
	isWhole: boolean;
	/** Whether the last page was read. */
	isOver: boolean;
	/** How many of its chats are watched at most, and whether it may have more; false until the last page was read. */
	watched: number;
	isTooLong: boolean;
	/** Whether a row of this pass did not match the filters. */
	isUnfiltered: boolean;
	/** Why the list was not read further: no other request can succeed now. */
	failure?: NodeApiError | NodeOperationError;
	/** Why other pages could not be read. */
	skipped: Error[];
}

/** After this time, in milliseconds, no further page is read: the chats need the rest of a poll's time. */
const LIST_MS = 15_000;

/**
 * Reads the first page's rows, and the next pages from where the last poll ended. A page that cannot be read is left out until
 * the next pass, which this one then does not complete. If the list does not show its length, it ends with a page that has no new
 * chat, or that is rejected.
 *
 * @param first the first page
 * @param most how many other pages are read
 * @param watched later pages are not read
 */
export async function readChatList(
	service: MessageService,
	{ query }: MessageSubscription,
	first: ChatPage,
	from: Memory['pass'],
	most: number,
	watched: number,
): Promise<Listing> {
	const until = clock.elapsed() + LIST_MS;
	const all = new Map<number, ListedChat>();
	/** @returns whether any of them is new */
	const add = ({ chats }: ChatPage): boolean => {
		const before = all.size;
		for (const { id, row } of chats) {
			const key = keyOf(id);
			all.set(key, { id, row, key, mark: rowMark(row) });
		}
		return all.size > before;
	};
	add(first);
	const skipped: Listing['skipped'] = [];
	let failure: Listing['failure'];
	let last = Math.min(first.pages ?? Infinity, watched);
	let { page } = from;
	for (let left = most; left > 0 && page <= last && clock.elapsed() <= until; left--, page++) {
		if (!service.budget.take()) break;
		const found = await service.chats(page).catch(requestError);
		if (!(found instanceof Error)) {
			if (!add(found) && first.pages === undefined) last = page - 1;
			continue;
		}
		if (concernsAll(found)) {
			failure = found;
			break;
		}
		skipped.push(found);
		if (first.pages === undefined && isRejectedRecord(found)) last = page - 1;
		// The service may be down, so nothing else is tried.
		if (isTransientError(found)) left = 0;
	}
	// A channel may be shown by its type, its record or its name.
	const filters = Object.fromEntries(Object.entries(query).filter(([name]) => name !== 'channel'));
	const isOver = page > last;
	const chats = [...all].filter(([, { row }]) => !contradicts(row, filters));
	return {
		chats: new Map(chats),
		page,
		isWhole: from.isWhole && skipped.length === 0,
		isOver,
		watched: watched * first.chats.length,
		isTooLong: isOver && last === watched && first.pages !== watched,
		isUnfiltered: from.isUnfiltered === true || chats.length < all.size,
		failure,
		skipped,
	};
}
