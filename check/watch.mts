import type { IDataObject } from 'n8n-workflow';
import {
	customerIds,
	isFromCustomer,
	sentAt,
} from '../nodes/ConversationalMessaging/api/chatMessage.ts';
import { idOf } from '../nodes/ConversationalMessaging/api/pages.ts';
import { contactOf } from '../nodes/ConversationalMessaging/trigger/messages/message.ts';
import { path, paths } from './names.mts';
import { allPaths, timeOf, typesAt, valueAt } from './records.mts';
import { listIn, whyNot, type ListReading, type Service } from './service.mts';
import { join, say, type Shown } from './shown.mts';

/** The second pass needs at most this many requests: two readings of the chats, in up to three sizes each, and one of messages. */
export const WATCH_REQUESTS = 7;

/**
 * Reads the chats, waits until a message has been sent, and reads them again.
 *
 * @param sent resolves when a message was sent to the service; to false to skip the second pass
 * @returns what the message changed: which row, which of its keys, and its position; undefined if it was skipped
 */
export async function watchMessage(
	service: Service,
	sent: () => Promise<boolean>,
): Promise<Shown[] | undefined> {
	// Everything that was read before is minutes old.
	const before = await service.largePage('chats', 2);
	if (!(await sent())) return undefined;
	const after = await service.largePage('chats', 3);
	if (!before.path || !after.path) return [whyNot((before.path ? after : before).reading)];
	const rows = changedRows(before, after);
	const [changed] = rows;
	if (!changed) return [say`no row of the first ${after.length} chats changed`];
	return [
		...rows.slice(0, 3).flatMap(rowChanges),
		...(rows.length > 3 ? [say`${rows.length - 3} more rows changed`] : []),
		...(await describeMessage(service, changed.after)),
	];
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

function rowChanges({ before, after, from, to }: ChangedRow): Shown[] {
	if (!before) return [say`a new row at position ${to + 1}`];
	const changed = allPaths([before, after]).filter(
		(keys) => JSON.stringify(valueAt(before, keys)) !== JSON.stringify(valueAt(after, keys)),
	);
	return [
		from === to
			? say`a row changed and stayed at position ${to + 1}`
			: say`a row moved from position ${from + 1} to ${to + 1}`,
		changed.length === 0
			? say`none of its keys changed`
			: say`changed keys: ${join(changed.map((keys) => changedKey(keys, before, after)))}`,
	];
}

function changedKey(keys: string[], before: IDataObject, after: IDataObject): Shown {
	const [old, value] = [valueAt(before, keys), valueAt(after, keys)];
	const isCount =
		typeof old === 'number' && typeof value === 'number' && timeOf(value, Date.now()) === undefined;
	const step = isCount ? say`, by ${value - old}` : say``;
	return say`${path(keys)} (${typesAt([after], keys)}${step})`;
}

/** The newest message of a chat, as the trigger reads it. */
async function describeMessage(service: Service, chat: IDataObject): Promise<Shown[]> {
	const chatId = idOf(chat);
	if (chatId === undefined) return [say`the row has no ID`];
	const reading = await service.read(
		'GET /chats/{id}/messages',
		{ path: { id: chatId }, query: { take: 5 } },
		{ again: 3 },
	);
	const [message] = listIn(reading, ['messages']).rows;
	if (!message) return [say`its messages were not read`];
	const { id, waId, igId, phone } = contactOf(chat);
	const side = isFromCustomer(message, undefined, customerIds(id, [waId, igId, phone]));
	const from =
		side === undefined
			? say`its direction is not recognized (keys: ${paths(allPaths([message]))})`
			: side
				? say`from a customer`
				: say`not from a customer`;
	const time = sentAt(message) === undefined ? say`its time is not recognized` : say`with a time`;
	return [say`its first message: ${from}, ${time}`];
}
