import { shown } from '../access/shown';
import { messageId } from '../response/chatMessage';
import type { ServiceClient } from '../client';
import type { ListRequest, Page } from './pages';
import { MAX_PAGES, readPage, SMALLEST_PAGE } from './pages';

/**
 * Why a history has no further page:
 *
 * - `complete`: it was read to its end;
 * - `repeated`: the service returned the same messages again, so it ignores the cursor;
 * - `withoutIds`: its last messages have no IDs, so no further page can be requested.
 */
type HistoryEnd = 'complete' | 'repeated' | 'withoutIds';

/** What one page of a history adds to the earlier ones. */
interface HistoryPart {
	/** The messages that no earlier page had, newest first. */
	rows: unknown[];
	/** How many messages the chat has; undefined if the service does not return it. */
	total?: number;
	/** Set on the last part; undefined if there may be more messages. */
	end?: HistoryEnd;
}

/** Which pages of a history are requested. */
interface PageRange {
	/** The size of the first page. */
	take: number;
	/** The size of all others; that of the first one if it is undefined. */
	nextTake?: number;
	/** The ID of a message: only older ones are read. */
	cursor?: string;
}

/**
 * Reads the messages of a chat page by page, newest first, each message once, until a page has no new ones (API document,
 * `GET /chats/{id}/messages`). The reader decides how far: it leaves the loop when it has enough.
 *
 * The next page begins after the last message with an ID or, if the response has one, at `nextCursor`. A short page is no
 * end: a service may hide messages, or return smaller pages.
 *
 * @param read reads one page
 * @throws what `read` throws
 */
export async function* historyParts(
	read: (take: number, cursor?: string) => Promise<Page>,
	{ take, nextTake = take, cursor: start }: PageRange,
): AsyncGenerator<HistoryPart, void> {
	const known = new Set(start === undefined ? [] : [start]);
	let cursor = start;
	let newest: string | undefined;
	let count = 0;
	/** Whether a response had the cursor of the next page: one without it is then the last. */
	let showsCursor = false;
	let end: HistoryEnd | undefined;
	for (let size = take; end === undefined; size = nextTake) {
		const { rows: page, meta } = await read(size, cursor);
		const keys = page.map(keyOf);
		newest ??= keys[0];
		// What is before a message that was read already is newer, or was read too.
		const from = keys.map((key) => known.has(key)).lastIndexOf(true) + 1;
		const rows = page.slice(from).filter((_row, i) => {
			const { size } = known;
			return known.add(keys[from + i] ?? '').size > size;
		});
		for (const key of keys) known.add(key);
		count += rows.length;
		showsCursor ||= meta.nextCursor !== undefined;
		const isShort = page.length < Math.min(meta.limit ?? size, size);
		const isLast = showsCursor ? !meta.nextCursor : isShort && count === meta.total;
		// No page is as small as that, so a chat with fewer messages has no others.
		const isRepeated = keys.some((key) => key === newest) && count >= Math.min(take, SMALLEST_PAGE);
		const ids = rows.map(messageId).filter((id) => id !== undefined);
		const next = meta.nextCursor ?? ids.at(-1);
		const isSame = rows.length === 0 && (!meta.nextCursor || next === cursor);
		if (isLast) end = 'complete';
		else if (isSame) end = isRepeated ? 'repeated' : 'complete';
		else if (next === undefined) end = 'withoutIds';
		cursor = next;
		yield { rows, total: meta.total, end };
	}
}

/** What a message is recognized by: its ID, or all of it. */
const keyOf = (message: unknown): string => messageId(message) ?? JSON.stringify(message);

/**
 * Reads a history for the user, who gets a notice if there may be older messages.
 *
 * @param pageSize the endpoint's maximum of `take`
 */
export async function readHistory(
	client: ServiceClient,
	request: ListRequest,
	pageSize: number,
	rowLimit: number,
): Promise<unknown[]> {
	const { cursor, ...query } = request.query ?? {};
	const read = async (take: number, after?: string): Promise<Page> =>
		await readPage(client, { ...request, query: { ...query, take, cursor: after } });
	const take = Math.min(pageSize, rowLimit);
	const parts: unknown[][] = [];
	let count = 0;
	for await (const part of historyParts(read, { take, cursor: cursor as string | undefined })) {
		parts.push(part.rows);
		count += part.rows.length;
		if (count >= rowLimit) break;
		// The total includes the messages that are newer than a cursor.
		const total = cursor === undefined ? part.total : undefined;
		const rest = restOfNotice({ ...part, total }, count, parts.length);
		if (rest === undefined) continue;
		client.reporter.notify(shown`${request.action}: got ${count} messages${rest}`);
		break;
	}
	return parts.flat().slice(0, rowLimit);
}

/** The rest of the notice about messages that were not read; undefined without any, or if the next page may have them. */
function restOfNotice(
	{ end, total = 0 }: HistoryPart,
	count: number,
	pages: number,
): string | undefined {
	switch (end) {
		case 'complete':
			return total > count ? ` of ${total}. The service returned no others.` : undefined;
		case 'repeated':
			return '. Instead of older ones, the service returned the same ones again. There may be more.';
		case 'withoutIds':
			return '. The last one has no ID, so no older ones can be requested. There may be more.';
		default:
			return pages === MAX_PAGES
				? ', the most that one run reads. Read older ones with Before Message ID.'
				: undefined;
	}
}
