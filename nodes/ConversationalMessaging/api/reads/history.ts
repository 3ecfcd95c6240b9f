import { messageId } from '../response/chatMessage';
import type { ServiceClient } from '../client';
import {
	type Gap,
	type ListRequest,
	type ListRows,
	type Page,
	gapOf,
	MAX_PAGES,
	readPage,
	TOO_LONG,
} from './pages';

interface HistoryPart {
	/** The messages that no earlier page had, newest first. */
	rows: unknown[];
	/** How many messages the chat has; undefined if the service does not return it. */
	total?: number;
	/** Set on the last part. It is unclear whether there are others if the service returned the same messages again, or no IDs. */
	end?: 'complete' | 'unclear';
}

/**
 * Reads the messages of a chat page by page, newest first, each message once, until a page is empty or has no new ones (API
 * document, `GET /chats/{id}/messages`). The reader decides how far: it leaves the loop when it has enough.
 *
 * The next page begins after the last message with an ID. A short page is no end, unless the total agrees: a service may hide
 * messages, or return smaller pages.
 *
 * @param take the size of the first page; `nextTake` is that of the others
 * @param start the ID of a message: only older ones are read
 * @throws what `read` throws
 */
export async function* historyParts(
	read: (take: number, cursor?: string) => Promise<Page>,
	take: number,
	{ nextTake = take, start }: { nextTake?: number; start?: string } = {},
): AsyncGenerator<HistoryPart, void> {
	const known = new Set(start === undefined ? [] : [start]);
	let cursor = start;
	let count = 0;
	let end: HistoryPart['end'];
	for (let size = take; end === undefined; size = nextTake) {
		const { rows: page, meta } = await read(size, cursor);
		// A message is recognized by its ID, or all of it.
		const keys = page.map((message) => messageId(message) ?? JSON.stringify(message));
		// What is before a message that was read already is newer, or was read too.
		const from = keys.map((key) => known.has(key)).lastIndexOf(true) + 1;
		const rows = page.slice(from).filter((_row, i) => {
			const { size } = known;
			return known.add(keys[from + i] ?? '').size > size;
		});
		count += rows.length;
		cursor = rows
			.map(messageId)
			.filter((id) => id !== undefined)
			.at(-1);
		if (page.length === 0 || (page.length < size && count === meta.total)) end = 'complete';
		else if (cursor === undefined) end = 'unclear';
		yield { rows, total: meta.total, end };
	}
}

/** Reads a history. There is a gap if there may be older messages. @param pageSize the endpoint's maximum of `take` */
export async function readHistory(
	client: ServiceClient,
	request: ListRequest,
	pageSize: number,
	rowLimit: number,
): Promise<ListRows> {
	const { cursor, ...query } = request.query ?? {};
	const read = async (take: number, after?: string): Promise<Page> =>
		await readPage(client, { ...request, query: { ...query, take, cursor: after } });
	const take = Math.min(pageSize, rowLimit);
	const parts: unknown[][] = [];
	let count = 0;
	let gap: Gap | undefined;
	for await (const part of historyParts(read, take, { start: cursor as string | undefined })) {
		parts.push(part.rows);
		count += part.rows.length;
		if (count >= rowLimit) break;
		// The total includes the messages that are newer than a cursor.
		const total = cursor === undefined ? part.total : undefined;
		if (part.end) {
			const isIncomplete = total === undefined ? part.end === 'unclear' : total > count;
			if (isIncomplete) gap = gapOf('the service returned no older messages', count, total);
		} else if (parts.length === MAX_PAGES) {
			gap = gapOf(TOO_LONG, count, total, 'Read older ones with Before Message ID.');
			break;
		}
	}
	return { rows: parts.flat().slice(0, rowLimit), gap };
}
