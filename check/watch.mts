import type { IDataObject } from 'n8n-workflow';
import {
	customerIds,
	isFromCustomer,
	sentAt,
} from '../nodes/ConversationalMessaging/api/chatMessage.ts';
import { idOf } from '../nodes/ConversationalMessaging/api/pages.ts';
import { contactOf } from '../nodes/ConversationalMessaging/trigger/messages/message.ts';
import type { JudgeContext } from './assumption.mts';
import type { Names } from './names.mts';
import { allPaths, timeOf, typesAt, valueAt, whyNot } from './observe.mts';
import { detail } from './observations.mts';
import { isOk, type ListReading, type Reading, type Service } from './service.mts';
import { join, say, type Shown } from './shown.mts';

/** The second pass needs at most this many requests. */
export const WATCH_REQUESTS = 6;

/** What one message changed. */
export interface WatchFinding {
	seen: Shown[];
}

/** What was read before and after one message. */
export interface Watched {
	before: ListReading;
	after: ListReading;
	channelBefore?: Reading;
	channelAfter?: Reading;
	/** The messages of the first chat that changed. */
	messages?: ListReading;
}

/**
 * Reads the chats, waits until a message has been sent, and reads them again.
 *
 * @param sent resolves when a message was sent to the service; to false to skip the second pass
 */
export async function watchMessage(
	service: Service,
	sent: () => Promise<boolean>,
): Promise<Watched | undefined> {
	// Everything that was read before is minutes old.
	const before = await service.largePage('chats', 2);
	const { id } = await detail(service, 'channels');
	const channel = async (again: number) =>
		id === undefined
			? undefined
			: await service.read('GET /channels/{id}', { path: { id } }, { again });
	const channelBefore = await channel(2);
	if (!(await sent())) return undefined;
	const after = await service.largePage('chats', 3);
	const channelAfter = await channel(3);
	const [changed] = changedRows(before, after);
	const chatId = changed && idOf(changed.after);
	const messages =
		chatId === undefined
			? undefined
			: await service.list(
					'GET /chats/{id}/messages',
					['messages'],
					{ path: { id: chatId }, query: { take: 5 } },
					3,
				);
	return { before, after, channelBefore, channelAfter, messages };
}

interface ChangedRow {
	before?: IDataObject;
	after: IDataObject;
	/** Indexes in the list. */
	from: number;
	to: number;
}

/** Rows that differ, and new ones. */
function changedRows(before: ListReading, after: ListReading): ChangedRow[] {
	const known = new Map(before.rows.map((row, index) => [idOf(row), { row, index }]));
	return after.rows.flatMap((row, to) => {
		const previous = known.get(idOf(row));
		if (previous && JSON.stringify(previous.row) === JSON.stringify(row)) return [];
		// A chat from the next page, not a new one.
		const isFromBelow = !previous && to > 0 && before.length < (before.meta.total ?? 0);
		return isFromBelow
			? []
			: [{ before: previous?.row, after: row, from: previous?.index ?? -1, to }];
	});
}

/** What a message changed: which row, keys, counters and position. */
export function judgeWatched(
	{ before, after, channelBefore, channelAfter, messages }: Watched,
	{ names }: Pick<JudgeContext, 'names'>,
): WatchFinding {
	if (!before.path || !after.path)
		return { seen: [whyNot((before.path ? after : before).reading)] };
	const rows = changedRows(before, after);
	const seen =
		rows.length === 0
			? [say`no row of the first ${after.length} chats changed`]
			: rows.slice(0, 3).flatMap((row) => rowChanges(row, names));
	if (rows.length > 3) seen.push(say`${rows.length - 3} more rows changed`);
	seen.push(...counterChanges(channelBefore, channelAfter, names));
	const [message] = messages?.rows ?? [];
	if (message) seen.push(describe(message, rows[0]?.after ?? {}));
	return { seen };
}

function rowChanges({ before, after, from, to }: ChangedRow, names: Names): Shown[] {
	const position =
		from < 0
			? say`a new row at position ${to + 1}`
			: from === to
				? say`a row changed and stayed at position ${to + 1}`
				: say`a row moved from position ${from + 1} to ${to + 1}`;
	if (!before) return [position];
	const paths = allPaths([before, after], 3).filter(
		(path) => JSON.stringify(valueAt(before, path)) !== JSON.stringify(valueAt(after, path)),
	);
	return [
		position,
		paths.length === 0
			? say`none of its keys changed`
			: say`changed keys: ${join(paths.map((path) => changedKey(path, before, after, names)))}`,
	];
}

function changedKey(path: string[], before: IDataObject, after: IDataObject, names: Names): Shown {
	const [old, value] = [valueAt(before, path), valueAt(after, path)];
	const step =
		typeof old === 'number' && typeof value === 'number' && timeOf(value) === undefined
			? say`, by ${value - old}`
			: say``;
	return say`${names.path(path)} (${typesAt([after], path)}${step})`;
}

function counterChanges(
	before: Reading | undefined,
	after: Reading | undefined,
	names: Names,
): Shown[] {
	if (!before || !after || !isOk(before) || !isOk(after)) return [];
	const [old, now] = [before, after].map(
		({ response }) => ({ body: response?.json }) as IDataObject,
	);
	if (!old || !now) return [];
	const counters = allPaths([now], 5).filter((path) => {
		const [was, is] = [valueAt(old, path), valueAt(now, path)];
		return typeof was === 'number' && typeof is === 'number' && was !== is;
	});
	return [
		counters.length === 0
			? say`no number in the details of the first channel changed`
			: say`changed numbers of a channel: ${join(counters.map((path) => say`${names.path(path.slice(1))}, by ${Number(valueAt(now, path)) - Number(valueAt(old, path))}`))}`,
	];
}

/** The newest message, as the trigger reads it. */
function describe(message: IDataObject, chat: IDataObject): Shown {
	const { id, waId, igId, phone } = contactOf(chat);
	const side = isFromCustomer(message, undefined, customerIds(id, [waId, igId, phone]));
	const from =
		side === undefined
			? say`its direction is not recognized`
			: side
				? say`from a customer`
				: say`not from a customer`;
	const time = sentAt(message) === undefined ? say`its time is not recognized` : say`with a time`;
	return say`its first message: ${from}, ${time}`;
}
