import type { IDataObject } from 'n8n-workflow';
import {
	isPlainPath,
	LIST_ENDPOINTS,
	pageQuery,
	pathOf,
	type ListEndpoint,
} from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { contactOf, customerOf } from '../../nodes/ConversationalMessaging/api/response/chat.ts';
import {
	isFromCustomer,
	messageId,
	sentAt,
} from '../../nodes/ConversationalMessaging/api/response/chatMessage.ts';
import { addressOf } from '../../nodes/ConversationalMessaging/api/response/contact.ts';
import { progressOf } from '../../nodes/ConversationalMessaging/api/response/progress.ts';
import {
	listedRecord,
	statusOf,
} from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { Unread, type Finding, type Service } from './service.mts';
import { keysOf, say, type Shown } from './shown.mts';

/** A part of what the package expects of the service (docs/USAGE.md), which would go wrong without a message. */
export interface Question {
	id: string;
	/** "Yes" means that the package works. */
	text: string;
	/** What follows for the user otherwise. */
	otherwise: string;
	/** Each for one list or property. They throw Unread and CheckStopped. */
	checks: ((service: Service) => Promise<Finding>)[];
}

/** All lists that need no record first. */
const LISTS = LIST_ENDPOINTS.filter((list) => isPlainPath(pathOf(list)));

/** @throws Unread if the list is empty */
async function firstPage(service: Service, list: ListEndpoint): Promise<IDataObject[]> {
	const rows = await service.rows(list, { query: pageQuery(list) });
	if (rows.length === 0) throw new Unread('–', say`${list}: the list is empty`);
	return rows;
}

const idOf = (row: IDataObject, list: ListEndpoint): string | undefined =>
	listedRecord(row, list)?.id;

const idsOf = (rows: IDataObject[], list: ListEndpoint): string[] =>
	rows.flatMap((row) => idOf(row, list) ?? []);

/** Whether the rows of a list show something that the nodes read. */
const rowsShow =
	(
		list: ListEndpoint,
		what: Shown,
		isShown: (row: IDataObject) => boolean,
		need: 'every' | 'some' = 'every',
	) =>
	async (service: Service): Promise<Finding> => {
		const rows = await firstPage(service, list);
		const count = rows.filter(isShown).length;
		const seen = say`${list}: ${what} in ${count} of ${rows.length}; keys: ${keysOf(rows)}`;
		return { mark: rows[need](isShown) ? '✓' : '✗', seen };
	};

/** Rows of a page, to compare two pages. */
const SIZE = 5;

const pagesContinue =
	(list: ListEndpoint) =>
	async (service: Service): Promise<Finding> => {
		const ids = idsOf(await firstPage(service, list), list);
		if (ids.length <= SIZE)
			return { mark: '–', seen: say`${list}: ${ids.length} rows, too few for two pages` };
		const second = idsOf(await service.rows(list, { query: { page: 2, limit: SIZE } }), list);
		// Rows may shift meanwhile, but not by a page.
		return second.some((id) => ids.slice(SIZE, 2 * SIZE).includes(id))
			? { mark: '✓', seen: say`${list}: page 2 continues page 1` }
			: { mark: '✗', seen: say`${list}: page 2 does not continue page 1` };
	};

const hasStatus = (row: IDataObject): boolean => statusOf(row) !== undefined;
const isOpen = (row: IDataObject): boolean => statusOf(row)?.toUpperCase() === 'OPEN';

async function statusFilter(service: Service): Promise<Finding> {
	const all = await firstPage(service, 'GET /tickets');
	const rows = await service.rows('GET /tickets', { query: { status: 'OPEN', limit: 50 } });
	const open = rows.filter(isOpen).length;
	const seen = say`GET /tickets?status=OPEN: open: ${open} of ${rows.length}`;
	const isMissed = rows.length === 0 && all.some(isOpen);
	if (isMissed || open < rows.length) return { mark: '✗', seen };
	return { mark: open > 0 && !all.every(isOpen) ? '✓' : '?', seen };
}

async function escalationFilter(service: Service): Promise<Finding> {
	const idsWith = async (needsEscalation: boolean): Promise<string[]> => {
		const rows = await service.rows('GET /chats', { query: { needsEscalation, limit: 50 } });
		return idsOf(rows, 'GET /chats');
	};
	const [escalated, others] = [await idsWith(true), await idsWith(false)];
	const both = others.filter((id) => escalated.includes(id)).length;
	const seen = say`GET /chats?needsEscalation=true: ${escalated.length}, false: ${others.length}, in both: ${both}`;
	// One may have changed between the two requests.
	if (both > 1) return { mark: '✗', seen };
	return { mark: escalated.length > both && others.length > both ? '✓' : '?', seen };
}

const messagesOf = async (service: Service, id: string, query: object): Promise<IDataObject[]> =>
	await service.rows('GET /chats/{id}/messages', { path: { id }, query: { ...query } });

/** The first, the middle and the last chat with their newest messages. @throws Unread if they have none */
async function readChats(service: Service) {
	const chats = [];
	const rows = await firstPage(service, 'GET /chats');
	for (const at of new Set([0, Math.floor(rows.length / 2), rows.length - 1])) {
		const row = rows[at] ?? {};
		const id = idOf(row, 'GET /chats') ?? '';
		chats.push({
			id,
			row,
			messages: await messagesOf(service, id, pageQuery('GET /chats/{id}/messages')),
		});
	}
	const filled = chats.filter(({ messages }) => messages.length > 0);
	if (filled.length === 0)
		throw new Unread('–', say`no messages in the first, the middle and the last chat`);
	return filled;
}

async function messageDirection(service: Service): Promise<Finding> {
	const chats = await readChats(service);
	const messages = chats.flatMap((chat) => chat.messages);
	const sides = chats.flatMap((chat) =>
		chat.messages.map((message) => isFromCustomer(message, undefined, customerOf(chat.row))),
	);
	const count = (side?: boolean): number => sides.filter((one) => one === side).length;
	const seen = say`messages: from customers: ${count(true)}, from others: ${count(false)}, unclear: ${count()}; keys: ${keysOf(messages)}`;
	if (count(true) > 0) return { mark: '✓', seen };
	return { mark: count() > 0 ? '✗' : '?', seen };
}

async function messageTime(service: Service): Promise<Finding> {
	const messages = (await readChats(service)).flatMap((chat) => chat.messages);
	const count = messages.filter((message) => messageId(message) && sentAt(message)).length;
	const seen = say`messages: an ID and a time in ${count} of ${messages.length}`;
	return { mark: count > 0 ? '✓' : '✗', seen };
}

async function messageOrder(service: Service): Promise<Finding> {
	const steps = (await readChats(service)).flatMap(({ messages }) => {
		const times = messages.flatMap((message) => sentAt(message) ?? []);
		return times.slice(1).map((time, at) => time - (times[at] ?? 0));
	});
	// What happens within a second may be in any order.
	const newer = steps.filter((step) => step > 1_000).length;
	const older = steps.filter((step) => step < -1_000).length;
	const seen = say`messages: newer than the one before: ${newer}, older: ${older}`;
	return { mark: newer > 0 ? '✗' : older > 0 ? '✓' : '?', seen };
}

/** Messages of a page, to test the cursor. */
const TAKE = 2;

async function messageCursor(service: Service): Promise<Finding> {
	const chat = (await readChats(service)).find(({ messages }) => messages.length > TAKE);
	if (!chat) return { mark: '?', seen: say`no chat with more than ${TAKE} messages was read` };
	const ids = chat.messages.map(messageId);
	const next = await messagesOf(service, chat.id, { take: TAKE, cursor: ids[TAKE - 1] });
	const isNext = next.length > 0 && next.every((row, at) => messageId(row) === ids[TAKE + at]);
	return isNext
		? { mark: '✓', seen: say`messages: the cursor returns the next ones` }
		: { mark: '✗', seen: say`messages: the cursor does not return the next ones` };
}

const hasAddress = (row: IDataObject): boolean => Object.values(addressOf(row)).some(Boolean);

const hasContact = (row: IDataObject): boolean => {
	const { id, waId, igId } = contactOf(row);
	return [id, waId, igId].some(Boolean);
};

const isUnderstood = (row: IDataObject): boolean => progressOf(statusOf(row) ?? '') !== 'unknown';

export const questions: readonly Question[] = [
	{
		id: 'lists',
		text: 'Do the nodes find the rows of every list, and their IDs?',
		otherwise:
			'An operation that does not find the rows stops with a message. Records without an ID are not in From List, and the trigger does not see them.',
		checks: LISTS.map((list) => rowsShow(list, say`an ID`, (row) => idOf(row, list) !== undefined)),
	},
	{
		id: 'paging',
		text: 'Does page 2 of each list continue page 1?',
		otherwise: 'Return All and the trigger read the same rows again and miss the others.',
		checks: (['GET /tickets', 'GET /chats', 'GET /contacts', 'GET /broadcasts'] as const).map(
			pagesContinue,
		),
	},
	{
		id: 'ticket-status',
		text: 'Does every ticket show its status, and does the filter by status work?',
		otherwise:
			'The trigger does not see a status under another name. Without the filter, Get Many returns other tickets too, and the trigger reports wrong changes.',
		checks: [rowsShow('GET /tickets', say`a status`, hasStatus), statusFilter],
	},
	{
		id: 'message-keys',
		text: 'Does a message show whether the customer sent it, and when?',
		otherwise:
			'Message Received cannot be published until Direction Field, Direction Value and Time Field in its options name what messages have. Without the direction, Wait for Reply recognizes no reply.',
		checks: [messageDirection, messageTime],
	},
	{
		id: 'message-pages',
		text: 'Are the messages of a chat newest first, and does a cursor return the next ones?',
		otherwise:
			'If the oldest messages come first, Get Messages with a limit returns them instead of the newest, and Wait for Reply may miss a reply. If the ID of a message is no cursor, Get Messages returns the first page of a chat only, with a hint. The trigger may miss messages.',
		checks: [messageOrder, messageCursor],
	},
	{
		id: 'contacts',
		text: 'Do contacts show their address, and chats their contact?',
		otherwise:
			'Sync stops before it writes, and Exclude Segments before it sends. Items of Message Received have no address to reply to, and the trigger never reports the end of an escalation.',
		checks: [
			// Contacts of some channels have none.
			rowsShow('GET /contacts', say`an address`, hasAddress, 'some'),
			rowsShow('GET /chats', say`their contact`, hasContact, 'some'),
		],
	},
	{
		id: 'chat-escalation',
		text: 'Does the filter needsEscalation separate escalated chats from the others?',
		otherwise:
			'The trigger knows escalated chats by this filter only, and reports wrong changes. Get Many with this filter returns other chats too.',
		checks: [escalationFilter],
	},
	{
		id: 'jobs',
		text: 'Do import jobs and broadcasts show a status that the nodes understand?',
		otherwise:
			'Wait for Completion waits until its time has passed. The trigger reports an unknown status unchanged, and does not see jobs without one.',
		checks: (['GET /contacts/imports', 'GET /broadcasts'] as const).map((list) =>
			rowsShow(list, say`a status that the nodes understand`, isUnderstood),
		),
	},
];
