/** The messages of a chat, page by page. */
import fc from 'fast-check';
import { readHistory } from '../../nodes/ConversationalMessaging/api/reads/history.ts';
import type { ListRequest } from '../../nodes/ConversationalMessaging/api/reads/pages.ts';
import { runs } from '../support/runs.mts';
import { serviceOf, StatusResponse, type FakeServiceClient } from '../support/service.mts';
import { useFakeTime } from '../support/time.mts';

useFakeTime();

const REQUEST: ListRequest = {
	endpoint: 'GET /chats/{id}/messages',
	path: { id: 'c1' },
	action: 'Get messages',
	rowsName: 'messages',
};

interface Row {
	id?: string;
	text?: string;
}

/** Messages with these IDs; "-" is one without. */
const rows = (ids: string): Row[] =>
	ids.split(' ').map((id, index) => (id === '-' ? { text: `note ${index}` } : { id }));

/** How a service returns the pages of a history. */
interface Behaviour {
	/** The size of its pages, if a larger one is requested. */
	cap?: number;
	/** These messages count for the page, but are not returned. */
	isHidden?: (row: Row) => boolean;
	/** A page begins after its cursor, with its cursor, or is always the first one. */
	cursor?: 'after' | 'with' | 'ignored';
	/** After the last message. */
	afterEnd?: 'empty' | '404' | 'last page';
	meta?: object;
}

/** A service with these messages, newest first. @param onBlankPage for a page before the end that shows no new message */
const service = (
	all: readonly Row[],
	{ cap = Infinity, isHidden = () => false, cursor = 'after', ...more }: Behaviour = {},
	onBlankPage?: () => void,
): FakeServiceClient => {
	const returned = new Set<Row>();
	return serviceOf(({ cursor: after, take }) => {
		const size = Math.min(Number(take), cap);
		const at = after === undefined ? -1 : all.findIndex(({ id }) => id === after);
		let start = { after: at + 1, with: Math.max(0, at), ignored: 0 }[cursor];
		if (start >= all.length && all.length > 0) {
			if (more.afterEnd === '404') return new StatusResponse(404, { success: false });
			if (more.afterEnd === 'last page') start = Math.max(0, all.length - size);
		}
		const data = all.slice(start, start + size).filter((row) => !isHidden(row));
		// A page of one message, if the cursor is ignored, is the same as an end with its cursor.
		const isClear = cursor === 'ignored' && data.length > 1;
		const isMore = !isClear && start + size < all.length;
		if (isMore && data.every((row) => returned.has(row))) onBlankPage?.();
		for (const row of data) returned.add(row);
		return { data, meta: more.meta };
	});
};

const read = async (
	{ client }: FakeServiceClient,
	rowLimit: number | 'all' = 'all',
	pageSize = 2,
	query?: ListRequest['query'],
) => await readHistory(client, { ...REQUEST, query }, pageSize, rowLimit);

test('a history is read page by page, each after the last message of the one before', async () => {
	const chat = service(rows('a b c d e'));
	expect(await read(chat)).toStrictEqual(rows('a b c d e'));
	const cursors = chat.queries.map(({ take, cursor }) => [take, cursor]);
	expect(cursors).toStrictEqual([
		['2', undefined],
		['2', 'b'],
		['2', 'd'],
		['2', 'e'],
	]);
	expect(chat.notices).toStrictEqual([]);
});

test.each<[what: string, Behaviour, requests: number]>([
	['returns pages of one message', { cap: 1 }, 6],
	['reports its page size', { cap: 1, meta: { limit: 1 } }, 6],
	['reports a larger page size', { meta: { limit: 100 } }, 4],
	['hides every second message', { isHidden: ({ id = '' }) => 'bd'.includes(id) }, 4],
	['begins a page with its cursor', { cursor: 'with' }, 5],
	['answers 404 after the end', { afterEnd: '404' }, 4],
	['returns the last page again after the end', { afterEnd: 'last page' }, 4],
	['counts the messages of the chat', { meta: { total: 5 } }, 3],
	['counts the messages of a page', { meta: { total: 2 } }, 4],
])('it is read to its end if the service %s', async (_what, behaviour, requests) => {
	const all = rows('a b c d e');
	const chat = service(all, behaviour);
	const shown = all.filter((row) => !behaviour.isHidden?.(row));
	expect(await read(chat)).toStrictEqual(shown);
	expect([chat.queries.length, chat.notices]).toStrictEqual([requests, []]);
});

test.each([
	[1, '1', 1],
	[2, '2', 1],
	[3, '2', 2],
	[4, '2', 2],
])('up to %d messages are read, %s per page', async (limit, take, requests) => {
	const chat = service(rows('a b c d e'));
	expect(await read(chat, limit)).toStrictEqual(rows('a b c d e').slice(0, limit));
	expect(chat.queries.map((query) => query.take)).toStrictEqual(Array(requests).fill(take));
	expect(chat.notices).toStrictEqual([]);
});

const SAME = 'Instead of older ones, the service returned the same ones again. There may be more.';
const NO_IDS = 'The last one has no ID, so no older ones can be requested. There may be more.';

test.each<[Behaviour['cursor'], notices: string[]]>([
	['after', []],
	['with', []],
	['ignored', [`Get messages: got 2 messages. ${SAME}`]],
])(
	'it begins after the entered cursor, although the chat has more; if a page is “%s” it, the notices are %j',
	async (cursor, notices) => {
		const chat = service(rows('a b c d'), { cursor, meta: { total: 4 } });
		expect(await read(chat, 'all', 10, { cursor: 'b' })).toStrictEqual(rows('c d'));
		expect(chat.queries[0]).toStrictEqual({ take: '10', cursor: 'b' });
		expect(chat.notices).toStrictEqual(notices);
	},
);

test.each<[what: string, all: string, Behaviour, found: string, notice: string]>([
	['the cursor is ignored', 'a b c', { cursor: 'ignored' }, 'a b', `2 messages. ${SAME}`],
	['the same, in a short chat', 'a', { cursor: 'ignored', cap: 1 }, 'a', ''],
	['messages have no IDs', '- - -', {}, '- -', `2 messages. ${NO_IDS}`],
	['the same, in a short chat', '-', {}, '-', `1 messages. ${NO_IDS}`],
	['the same, if that is all', '-', { meta: { total: 1 } }, '-', ''],
	[
		'messages are hidden',
		'a x b',
		{ isHidden: ({ id }) => id === 'x', meta: { total: 3 } },
		'a b',
		'2 messages of 3. The service returned no others.',
	],
	[
		'a full page is followed by a 404',
		'a b',
		{ afterEnd: '404' },
		'a b',
		'2 messages. The service answered the request for older ones with 404. There may be more.',
	],
	['a short page is followed by a 404', 'a', { afterEnd: '404' }, 'a', ''],
])('a notice says if there may be more: %s', async (_what, all, behaviour, found, notice) => {
	const chat = service(rows(all), behaviour);
	expect(await read(chat)).toStrictEqual(rows(found));
	expect(chat.notices).toStrictEqual(notice ? [`Get messages: got ${notice}`] : []);
});

test.each<[pages: string[], found: string]>([
	// A message that arrives meanwhile shifts the others if the cursor is ignored.
	[['a b', 'n a', 'n a'], 'a b n'],
	// Pages that overlap.
	[['a b', 'b c', 'c d', ''], 'a b c d'],
	// Pages that are oldest first, while the first page is the newest.
	[['e f', 'd e', 'b c', 'a b', ''], 'e f d b c a'],
	// Messages without IDs before, after and between others.
	[['a -', '- b', 'c -', ''], 'a - b c -'],
	[['a -', '- b', 'c -', '-'], 'a - b c -'],
])('the pages %j are the messages %s', async (pages, found) => {
	const notes = (page: string): Row[] =>
		page === '' ? [] : page.split(' ').map((id) => (id === '-' ? { text: 'note' } : { id }));
	const chat = serviceOf((_query, request) => ({ data: notes(pages[request - 1] ?? '') }));
	expect(await read(chat)).toStrictEqual(notes(found));
	expect(chat.queries).toHaveLength(pages.length);
});

test.each([400, 401, 403, 500])(
	'a later page with the status %d fails the reading',
	async (status) => {
		const chat = serviceOf((_query, request) => (request === 1 ? { data: rows('a b') } : status));
		await expect(read(chat)).rejects.toMatchObject({ httpCode: String(status) });
	},
);

test('a page may have 150,000 messages', async () => {
	const all = Array.from({ length: 150_000 }, (_, index) => ({ id: String(index) }));
	expect(await read(service(all), 'all', 200_000)).toHaveLength(150_000);
});

test('every message is read once, or a notice says that there may be more', async () => {
	const behaviours = fc.record({
		cap: fc.integer({ min: 1, max: 7 }),
		cursor: fc.constantFrom('after', 'with', 'ignored'),
		afterEnd: fc.constantFrom('empty', '404', 'last page'),
		counts: fc.boolean(),
		hidden: fc.array(fc.nat(30), { maxLength: 9 }),
		withoutId: fc.array(fc.nat(30), { maxLength: 9 }),
		count: fc.nat(30),
		take: fc.integer({ min: 1, max: 7 }),
		rowLimit: fc.constantFrom('all', 1, 3, 10),
	});
	await fc.assert(
		fc.asyncProperty(behaviours, async ({ hidden, withoutId, count, counts, ...given }) => {
			const all = Array.from(
				{ length: count },
				(_, index): Row =>
					withoutId.includes(index) ? { text: `m${index}` } : { id: `m${index}` },
			);
			const isHidden = (row: Row): boolean => hidden.includes(all.indexOf(row));
			const shown = all.filter((row) => !isHidden(row));
			const meta = counts ? { total: count } : undefined;
			const onBlankPage = jest.fn();
			const chat = service(all, { ...given, isHidden, meta }, onBlankPage);
			const { rowLimit, take } = given;
			const found = await read(chat, rowLimit as number | 'all', take);
			const wanted = rowLimit === 'all' ? count : Number(rowLimit);
			// In their order, and none that is not there.
			expect(found).toStrictEqual(
				shown.filter((row) => found.some((one) => JSON.stringify(one) === JSON.stringify(row))),
			);
			// Nothing shows that such a page is not the last one, unless the messages are counted.
			if (onBlankPage.mock.calls.length > 0 && !counts) return;
			if (chat.notices.length === 0) expect(found).toHaveLength(Math.min(wanted, shown.length));
			expect(chat.queries.length).toBeLessThanOrEqual(count + 2);
		}),
		{ numRuns: runs(300, 10_000) },
	);
});
