import { NodeApiError } from 'n8n-workflow';
import { shown } from '../access/shown';
import { messageId } from '../response/chatMessage';
import type { ServiceClient } from '../client';
import { statusIn } from '../errors';
import type { ListRequest, Page, RowLimit } from './pages';
import { atMost, MAX_PAGES, readPage, SMALLEST_PAGE } from './pages';

/**
 * Why a history has no further page:
 *
 * - `complete`: it was read to its end;
 * - `notFollowed`: the service returned nothing for a cursor that messages follow: its cursors are no message IDs;
 * - `repeated`: the service returned the same messages again, so it ignores the cursor;
 * - `withoutIds`: its last messages have no IDs, so no further page can be requested;
 * - `rejected`: the service answered the next page with 404.
 */
type HistoryEnd = 'complete' | 'notFollowed' | 'repeated' | 'withoutIds' | 'rejected';

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
 * Reads the messages of a chat page by page, newest first, each message once (API document,
 * `GET /chats/{id}/messages`). The reader decides how far: it leaves the loop when it has enough.
 *
 * How the next cursor is returned is undocumented. Where a response has `nextCursor`, this is the next one. Otherwise it is a
 * message's ID, and the page starts after that message. The first one is the ID of the last message but one: the next
 * page has to begin with the last one, which shows that the service follows such cursors. A page without new messages is the
 * end, not a short one: a service may hide messages, or return smaller pages.
 *
 * @param read reads one page
 * @throws what `read` throws, but for a 404 after the first page
 */
export async function* historyParts(
	read: (take: number, cursor?: string) => Promise<Page>,
	{ take, nextTake = take, cursor }: PageRange,
): AsyncGenerator<HistoryPart, void> {
	const history = new HistoryReading(cursor, take);
	let end: HistoryEnd | undefined;
	for (let size = take; end === undefined; size = nextTake) {
		const page = await read(size, history.cursor).catch((error: unknown) => {
			if (history.isUnread || statusIn(error) !== 404) throw error;
			return error as NodeApiError;
		});
		if (page instanceof NodeApiError) {
			yield { rows: [], end: 'rejected' };
			return;
		}
		const { rows, meta } = page;
		const isShort = rows.length < Math.min(meta.limit ?? size, size);
		const added = history.add(rows, meta.nextCursor);
		end = isShort && history.count === meta.total ? 'complete' : added.end;
		yield { rows: added.rows, total: meta.total, end };
	}
}

/** What was read of a history, and how it goes on. */
class HistoryReading {
	/** How many messages were read, with those that have no ID. */
	count = 0;

	isUnread = true;

	/** The messages that were read: their IDs, or what they are as JSON. */
	private readonly known = new Set<string>();

	/** The messages of the first page that the second one begins with: those after its cursor. */
	private expected = new Set<string>();

	/** Whether the service has shown that a page begins after the message with the ID of the cursor. */
	private isFollowed = false;

	/** Whether a response had the cursor of the next page: one without it is then the last. */
	private showsCursor = false;

	/**
	 * @param cursor for the next page
	 * @param take the size of the first page
	 */
	constructor(
		public cursor: string | undefined,
		private readonly take: number,
	) {}

	/**
	 * Adds a page.
	 *
	 * @param shown the cursor of the next page in the response; null for none, undefined if it has no field for it
	 * @returns its new messages, and why no further page can have any
	 */
	add(page: readonly unknown[], shown?: string | null): { rows: unknown[]; end?: HistoryEnd } {
		this.showsCursor ||= shown !== undefined;
		const nextCursor = this.showsCursor ? (shown ?? null) : undefined;
		const isFirst = this.isUnread;
		this.isUnread = false;
		const keys = page.map(keyOf);
		// A service that ignores the cursor returns newer messages before it.
		const start = isFirst && this.cursor !== undefined ? keys.indexOf(this.cursor) + 1 : 0;
		const repeated = keys.filter((key) => this.known.has(key));
		const isExpected = repeated.every((key) => this.expected.has(key));
		const hasExpected = this.expected.size === 0 || repeated.length > 0;
		this.isFollowed ||= !isFirst && page.length > 0 && isExpected && hasExpected;
		const rows: unknown[] = [];
		for (const [index, row] of page.entries()) {
			const key = keys[index] as string;
			if (index >= start && !this.known.has(key)) rows.push(row);
			// A page may have two messages without an ID that are the same.
			if (messageId(row) !== undefined) this.known.add(key);
		}
		for (const key of keys) this.known.add(key);
		this.count += rows.length;
		if (nextCursor === null) return { rows, end: 'complete' };
		if (rows.length === 0) {
			const isComplete = nextCursor === undefined && (isFirst || this.isFollowed);
			// No page is as small as that, so the chat has no others.
			const isTiny = this.count < Math.min(this.take, SMALLEST_PAGE);
			if (isComplete || isTiny) return { rows, end: 'complete' };
			return { rows, end: page.length > 0 ? 'repeated' : 'notFollowed' };
		}
		const ids = rows.map(messageId).filter((id) => id !== undefined);
		const cursor = nextCursor ?? (isFirst ? ids.at(-2) : undefined) ?? ids.at(-1);
		if (cursor === undefined) return { rows, end: 'withoutIds' };
		this.cursor = cursor;
		this.expected = new Set(isFirst ? keys.slice(keys.indexOf(cursor) + 1) : []);
		return { rows };
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
		case 'notFollowed':
			return '. The service returned nothing for the next cursor, although there may be more.';
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
