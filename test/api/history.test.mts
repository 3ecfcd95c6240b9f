/** The messages of a chat, page by page. */
import fc from 'fast-check';
import { readHistory } from '../../nodes/ConversationalMessaging/api/reads/history.ts';
import type { ListRequest } from '../../nodes/ConversationalMessaging/api/reads/pages.ts';
import { runs } from '../support/runs.mts';
import { rowsOf, serviceOf, type FakeServiceClient } from '../support/service.mts';
import { useFakeTime } from '../support/time.mts';

useFakeTime();

const REQUEST: ListRequest = {
	endpoint: 'GET /chats/{id}/messages',
	path: { id: 'c1' },
	action: 'Get messages',
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
	/** A page begins after its cursor, or is always the first one. */
	cursor?: 'after' | 'ignored';
	meta?: object;
}

/** A service with these messages, newest first. @param onBlankPage for a page before the end that shows no message */
const service = (
	all: readonly Row[],
	{ cap = Infinity, isHidden = () => false, cursor = 'after', meta }: Behaviour = {},
	onBlankPage?: () => void,
): FakeServiceClient =>
	serviceOf(({ cursor: after, take }) => {
		const size = Math.min(Number(take), cap);
		const isFirst = after === undefined || cursor === 'ignored';
		const start = isFirst ? 0 : all.findIndex(({ id }) => id === after) + 1;
		const data = all.slice(start, start + size).filter((row) => !isHidden(row));
		if (data.length === 0 && start + size < all.length) onBlankPage?.();
		return { data, meta };
	});

const read = async (
	{ client }: FakeServiceClient,
	rowLimit = Infinity,
	pageSize = 2,
	query?: ListRequest['query'],
) => rowsOf(client, await readHistory(client, { ...REQUEST, query }, pageSize, rowLimit));

test('a history is read page by page, until a page has no new messages', async () => {
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
	['returns pages of one message', { cap: 1, meta: { limit: 100 } }, 6],
	['counts the messages of the chat', { meta: { total: 5 } }, 3],
	['counts the messages of a page', { meta: { total: 2 } }, 4],
])('it is read to its end if the service %s', async (_what, behaviour, requests) => {
	const all = rows('a b c d e');
	const chat = service(all, behaviour);
	const shown = all.filter((row) => !behaviour.isHidden?.(row));
	expect(await read(chat)).toStrictEqual(shown);
	expect([chat.queries.length, chat.notices]).toStrictEqual([requests, []]);
});

const MORE = (got: number) =>
	`The service returned no older messages: got ${got} rows, and there may be more.`;

test.each([4, 40])(
	'it begins after the entered cursor, although the chat has more, in a chat of %d',
	async (count) => {
		const all = Array.from({ length: count }, (_, n) => ({ id: `m${n}` }));
		const chat = service(all, { meta: { total: count } });
		expect(await read(chat, Infinity, 50, { cursor: 'm1' })).toStrictEqual(all.slice(2));
		expect(chat.queries[0]).toStrictEqual({ take: '50', cursor: 'm1' });
		expect(chat.notices).toStrictEqual([]);
	},
);

test.each<[what: string, all: string, Behaviour, found: string, notice: string]>([
	['the cursor is ignored', 'a b c', { cursor: 'ignored' }, 'a b', MORE(2)],
	['messages have no IDs', '- - -', {}, '- -', MORE(2)],
	['the same, if that is all', '-', { meta: { total: 1 } }, '-', ''],
	[
		'messages are hidden',
		'a x b',
		{ isHidden: ({ id }) => id === 'x', meta: { total: 3 } },
		'a b',
		'The service returned no older messages: got 2 of 3 rows.',
	],
])('a notice says if there may be more: %s', async (_what, all, behaviour, found, notice) => {
	const chat = service(rows(all), behaviour);
	expect(await read(chat)).toStrictEqual(rows(found));
	expect(chat.notices).toStrictEqual(notice ? [notice] : []);
});

test.each<[pages: string[], found: string]>([
	// A message that arrives meanwhile shifts the others if the cursor is ignored.
	[['a b', 'n a'], 'a b'],
	// Pages that overlap.
	[['a b', 'b c', 'c d', ''], 'a b c d'],
	// Messages without IDs before, after and between others.
	[['a -', '- b', 'b c', ''], 'a - b c'],
	[['a b -', 'b - c', '-'], 'a b - c'],
	// One cursor of several pages.
	[['a b', 'b c', 'c'], 'a b c'],
])('the pages %j are the messages %s', async (pages, found) => {
	const notes = (page: string): Row[] =>
		page === '' ? [] : page.split(' ').map((id) => (id === '-' ? { text: 'note' } : { id }));
	const chat = serviceOf((_query, request) => ({ data: notes(pages[request - 1] ?? '') }));
	expect(await read(chat)).toStrictEqual(notes(found));
	expect(chat.queries).toHaveLength(pages.length);
});

test.each([404, 500])('a later page with the status %d fails the reading', async (status) => {
	const chat = serviceOf((_query, request) => (request === 1 ? { data: rows('a b') } : status));
	await expect(read(chat)).rejects.toMatchObject({ httpCode: String(status) });
});

test('a page may have 150,000 messages', async () => {
	const all = Array.from({ length: 150_000 }, (_, index) => ({ id: String(index) }));
	expect(await read(service(all), Infinity, 200_000)).toHaveLength(150_000);
});

test('every message is read once, or a notice says that there may be more', async () => {
	const behaviours = fc.record({
		cap: fc.integer({ min: 1, max: 7 }),
		cursor: fc.constantFrom('after', 'ignored'),
		counts: fc.boolean(),
		hidden: fc.array(fc.nat(30), { maxLength: 9 }),
		withoutId: fc.array(fc.nat(30), { maxLength: 9 }),
		count: fc.nat(30),
		take: fc.integer({ min: 1, max: 7 }),
		rowLimit: fc.constantFrom(Infinity, 1, 3, 10),
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
			const found = await read(chat, rowLimit, take);
			const wanted = Math.min(count, rowLimit);
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
