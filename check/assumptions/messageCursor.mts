import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { isRecord } from '../../nodes/ConversationalMessaging/api/response.ts';
import type { IDataObject } from 'n8n-workflow';
import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { wordsOf } from '../names.mts';
import { allPaths, valueAt, whyNot } from '../observe.mts';
import { messageReadings } from '../observations.mts';
import { idsOf, type ListReading } from '../service.mts';
import { count, join, say, type Shown } from '../shown.mts';
import type { Names } from '../names.mts';

/** Messages per page. */
const TAKE = 2;

interface Observed {
	whole?: ListReading;
	first?: ListReading;
	second?: ListReading;
}

export const messageCursor = assumption<Observed>({
	id: 'message-cursor',
	question:
		'Does the ID of the last message of a page, as the cursor, return the messages after it?',
	settles: ['listChatMessages: how the next cursor is returned'],
	otherwise:
		'Get Messages returns the first page of a chat only, or some messages twice and others not at all.',
	async observe(service) {
		const lists = await messageReadings(service);
		const whole = lists.toSorted((one, other) => other.length - one.length)[0];
		if (!whole || whole.rows.length <= TAKE) return { whole };
		const { path } = whole.reading.params;
		const route = 'GET /chats/{id}/messages';
		const first = await service.list(route, ['messages'], { path, query: { take: TAKE } });
		const cursor = idOf(first.rows.at(-1));
		if (cursor === undefined) return { whole, first };
		const second = await service.list(route, ['messages'], { path, query: { take: TAKE, cursor } });
		return { whole, first, second };
	},
	judge({ whole, first, second }, { names }) {
		if (whole && !whole.path) return cannotTell(whyNot(whole.reading));
		if (!whole || !first) return cannotTell(say`no chat with more than ${TAKE} messages was read`);
		const route = ['GET /chats/{id}/messages'] as const;
		if (!first.path) return cannotTell(whyNot(first.reading));
		const next = nextKeys(first, names);
		if (!second) return failsAt([...route], say`messages have no ID`, ...next);
		if (!second.path) {
			const status = second.reading.response?.status ?? 0;
			return status >= 400 && status < 500 && status !== 403
				? failsAt(
						[...route],
						say`the ID of a message is rejected as a cursor with ${status}`,
						...next,
					)
				: cannotTell(whyNot(second.reading), ...next);
		}
		const all = idsOf(whole.rows);
		const after = idsOf(second.rows);
		const last = idsOf(first.rows).at(-1) ?? '';
		const expected = all.slice(all.indexOf(last) + 1, all.indexOf(last) + 1 + after.length);
		if (all.indexOf(last) < 0 || first.rows.length > TAKE)
			return cannotTell(say`take=${TAKE} returns ${count(first.rows.length, 'message')}`, ...next);
		if (after.length === 0)
			return failsAt(
				[...route],
				say`the page after the cursor is empty, although there are more messages`,
				...next,
			);
		if (after.includes(last))
			return failsAt(
				[...route],
				say`the page begins with the message of the cursor, or repeats the first page`,
				...next,
			);
		if (after.some((id, index) => id !== expected[index]))
			return failsAt(
				[...route],
				say`the page after the cursor has other messages than those that follow`,
				...next,
			);
		return holds(say`the page begins after the message of the cursor`, ...next);
	},
});

/** The keys outside of the rows that carry a cursor, and whether it is the ID of the last row. */
function nextKeys(list: ListReading, names: Names): Shown[] {
	const json = list.reading.response?.json;
	if (!isRecord(json)) return [];
	const { data, ...rest } = json;
	const places: IDataObject = { ...rest, ...(isRecord(data) && { data: withoutLists(data) }) };
	const last = idOf(list.rows.at(-1));
	const found = allPaths([places], 4).filter(
		(path) =>
			path.some((key) =>
				wordsOf(key).some((word) =>
					['cursor', 'next', 'more', 'after', 'continuation'].includes(word),
				),
			) && valueAt(places, path) !== undefined,
	);
	if (found.length === 0) return [say`no key of the response is a cursor`];
	return [
		join(
			found.map((path) => {
				const value = valueAt(places, path);
				if (value === null) return say`${names.path(path)}: null`;
				if (typeof value === 'boolean') return say`${names.path(path)}: boolean`;
				return String(value as string) === last
					? say`${names.path(path)}: the ID of the last message`
					: say`${names.path(path)}: another value than the ID of the last message`;
			}),
		),
	];
}

const withoutLists = (record: IDataObject): IDataObject =>
	Object.fromEntries(Object.entries(record).filter(([, value]) => !Array.isArray(value)));
