import { NodeApiError } from 'n8n-workflow';
import { shown } from '../access/shown';
import { messageId } from '../response/chatMessage';
import type { ServiceClient } from '../client';
import { statusIn } from '../errors';
import type { ListRequest, Page, RowLimit } from './pages';
import { atMost, MAX_PAGES, readPage } from './pages';

/**
 * Why a history has no further page:
 *
 * - `complete`: it was read to its end;
 * - `repeated`: the service returned the same messages again, so it may ignore the cursor;
 * - `withoutIds`: its last messages have no IDs, so no further page can be requested;
 * - `rejected`: the service answered the next page with 404, although the one before was full.
 */
type HistoryEnd = 'complete' | 'repeated' | 'withoutIds' | 'rejected';

/** What one page of a history adds to the earlier ones. */
interface HistoryPart {
	/** The messages that no earlier page had, newest first. */
	rows: unknown[];
	/** Whether the page had fewer messages than requested. */
	isShort: boolean;
	/** How many messages the chat has; undefined if the service does not return it. */
	total?: number;
	/** Set on the last part; undefined if there may be more messages. */
	end?: HistoryEnd;
	/** The 404, for the end `rejected`. */
	error?: NodeApiError;
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
 * Reads the messages of a chat page by page, newest first, each message once (API document,
 * `GET /chats/{id}/messages`). The reader decides how far: it leaves the loop when it has enough.
 *
 * How the next cursor is returned is undocumented, but a cursor is a message's ID and the page starts after it, so the
 * ID of the last new message is the next cursor. A page with fewer messages than requested is not the end: a service may
 * hide some, or return smaller pages. The end is a page without new messages, or as many messages as the chat has. A
 * service may also answer 404 after the end.
 *
 * @param read reads one page
 * @throws what `read` throws, but for a 404 after the first page
 */
export async function* historyParts(
	read: (take: number, cursor?: string) => Promise<Page>,
	{ take, nextTake = take, cursor }: PageRange,
): AsyncGenerator<HistoryPart, void> {
	const messages = new KnownMessages(cursor);
	let size = take;
	let isFirst = true;
	let isShort = false;
	for (let end: HistoryEnd | undefined; end === undefined; size = nextTake) {
		const page = await read(size, messages.cursor).catch((error: unknown) => {
			if (isFirst || statusIn(error) !== 404) throw error;
			return error as NodeApiError;
		});
		if (page instanceof NodeApiError) {
			end = isShort ? 'complete' : 'rejected';
			yield { rows: [], isShort: true, end, error: page };
			return;
		}
		const { rows, meta } = page;
		isFirst = false;
		isShort = rows.length < Math.min(meta.limit ?? size, size);
		const added = messages.add(rows);
		const isWhole = isShort && messages.count === meta.total;
		end = isWhole ? 'complete' : added.end;
		yield { rows: added.rows, isShort, total: meta.total, end };
	}
}

/** The messages that were read, to recognize what a page repeats. */
class KnownMessages {
	/** How many messages there are, with those that have no ID. */
	count = 0;

	private readonly ids = new Set<string>();

	/** The messages without ID after the one of the cursor, as JSON: the next page begins with them. */
	private afterCursor: string[] = [];

	/** Whether a later page has ended with a new message: then the service does not ignore the cursor. */
	private hasFollowed = false;

	/** @param cursor the ID of the message after which the next page begins: the last one that was new */
	constructor(public cursor: string | undefined) {}

	/** Adds a page. @returns its new messages, and why no further page can have any */
	add(page: readonly unknown[]): { rows: unknown[]; end?: HistoryEnd } {
		const { cursor } = this;
		const ids = page.map(messageId);
		// A page may include the message of its cursor.
		const start = cursor === undefined ? 0 : ids.lastIndexOf(cursor) + 1;
		const isRepeated = (row: unknown, index: number): boolean =>
			ids[index] === undefined && JSON.stringify(row) === this.afterCursor[index - start];
		const rows = page.filter(
			(row, index) => index >= start && !isRepeated(row, index) && this.isNew(ids[index]),
		);
		const isLater = this.count > 0;
		this.count += rows.length;
		if (this.cursor !== cursor) {
			const last = ids.lastIndexOf(this.cursor);
			this.hasFollowed ||= isLater && ids.slice(last + 1).every((id) => id === undefined);
			this.afterCursor = page.slice(last + 1).map((row) => JSON.stringify(row));
			return { rows };
		}
		// With nothing but its cursor, a page that includes it is empty.
		if (start > 0 && page.length > 1 && !this.hasFollowed) return { rows, end: 'repeated' };
		return { rows, end: rows.length === 0 ? 'complete' : 'withoutIds' };
	}

	private isNew(id: string | undefined): boolean {
		if (id === undefined) return true;
		if (this.ids.has(id)) return false;
		this.ids.add(id);
		this.cursor = id;
		return true;
	}
}

/**
 * Reads a history for the user, who gets a notice if there may be older messages.
 *
 * @param pageSize the endpoint's maximum of `take`
 */
export async function readHistory(
	client: ServiceClient,
	request: ListRequest,
	pageSize: number,
	rowLimit: RowLimit,
): Promise<unknown[]> {
	const { cursor, ...query } = request.query ?? {};
	const read = async (take: number, after?: string): Promise<Page> =>
		await readPage(client, { ...request, query: { ...query, take, cursor: after } });
	const take = rowLimit === 'all' ? pageSize : Math.min(pageSize, rowLimit);
	const parts: unknown[][] = [];
	let count = 0;
	for await (const part of historyParts(read, { take, cursor: cursor as string | undefined })) {
		parts.push(part.rows);
		count += part.rows.length;
		if (rowLimit !== 'all' && count >= rowLimit) break;
		// The total includes the messages that are newer than a cursor.
		const total = cursor === undefined ? part.total : undefined;
		const rest = restOfNotice({ ...part, total }, count, parts.length);
		if (rest === undefined) continue;
		client.reporter.notify(shown`${request.action}: got ${count} messages${rest}`);
		break;
	}
	return atMost(parts.flat(), rowLimit);
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
		case 'rejected':
			return '. The service answered the request for older ones with 404. There may be more.';
		default:
			return pages === MAX_PAGES
				? ', the most that one run reads. Read older ones with Before Message ID.'
				: undefined;
	}
}
