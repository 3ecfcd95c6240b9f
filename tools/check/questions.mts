import type { IDataObject, INode } from 'n8n-workflow';
import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { contactOf } from '../../nodes/ConversationalMessaging/api/response/chat.ts';
import { messageId, sentAt } from '../../nodes/ConversationalMessaging/api/response/chatMessage.ts';
import {
	addressOf,
	customFieldsOf,
} from '../../nodes/ConversationalMessaging/api/response/contact.ts';
import { progressOf } from '../../nodes/ConversationalMessaging/api/response/progress.ts';
import { recordOf, statusOf } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { messagesIn } from '../../nodes/ConversationalMessaging/trigger/messages/message.ts';
import { recognize } from '../../nodes/ConversationalMessaging/trigger/messages/recognition.ts';
import { idsOf, LISTS, type ListName, type Reading, type Service } from './service.mts';
import { keysOf, literal, say, wordsOf, type Shown } from './shown.mts';

/** What is found about one question: whether the package works there, and what was seen. */
export interface Finding {
	answer: 'yes' | 'no' | 'unknown';
	seen: Shown[];
	/** What goes wrong, as the nodes show it; [] if the package copes with it. */
	affected: string[];
}

/** A part of what the package expects of the service (docs/USAGE.md), which would go wrong without a message. */
export interface Question {
	id: string;
	/** "Yes" means that the package works. */
	text: string;
	/** What follows for the user otherwise. */
	otherwise: string;
	/** @throws CheckStopped */
	check(service: Service): Promise<Finding>;
}

const yes = (...seen: Shown[]): Finding => ({ answer: 'yes', seen, affected: [] });
const unknown = (...seen: Shown[]): Finding => ({ answer: 'unknown', seen, affected: [] });
const no = (affected: string[], ...seen: Shown[]): Finding => ({ answer: 'no', seen, affected });

/** The findings in several places: what does not work counts, then what works. What needs attention is shown first. */
function together(parts: readonly Finding[]): Finding {
	const having = (answer: Finding['answer']) => parts.filter((part) => part.answer === answer);
	const order = (['no', 'yes', 'unknown'] as const).filter((answer) => having(answer).length > 0);
	return {
		answer: order[0] ?? 'unknown',
		seen: (['no', 'unknown', 'yes'] as const).flatMap((is) =>
			having(is).flatMap(({ seen }) => seen),
		),
		affected: [...new Set(parts.flatMap(({ affected }) => affected))],
	};
}

const TRIGGER = 'Trigger: Message Received';
const GET_MESSAGES = 'Chat → Get Messages';
const WAIT_FOR_REPLY = 'Message → Send with Wait for Reply';
const STATUS_EVENTS = {
	tickets: 'Trigger: Ticket Status Changed',
	chats: 'Trigger: Chat Escalation Changed',
	broadcasts: 'Trigger: Broadcast Status Changed',
	imports: 'Trigger: Import Job Status Changed',
};

/** What uses an endpoint first of all, as the nodes show it. */
const operationsOf = (endpoint: Endpoint): string[] =>
	resources.flatMap(({ name, operations }) =>
		operations
			.filter((operation) => operation.endpoint === endpoint)
			.map((operation) => `${name} → ${operation.name}`),
	);

const eventOf = (name: ListName): string[] =>
	Object.entries(STATUS_EVENTS).flatMap(([list, event]) => (list === name ? [event] : []));

/** A list with rows; otherwise why there is nothing to judge. */
async function filled(
	service: Service,
	name: ListName,
	query?: Record<string, string | number>,
): Promise<{ list: Reading; rows: IDataObject[] } | { nothing: Finding }> {
	const list = await service.list(name, query);
	const { problem, rows } = list;
	if (problem) return { nothing: unknown(problem) };
	if (!rows) return { nothing: unknown(say`${literal(LISTS[name][0])}: no rows found`) };
	return rows.length > 0
		? { list, rows }
		: { nothing: unknown(say`${literal(LISTS[name][0])}: the list is empty`) };
}

async function checkList(service: Service, name: ListName): Promise<Finding> {
	const list = await service.list(name);
	const { endpoint, problem, isRejected, rows } = list;
	const users = [...operationsOf(endpoint), ...eventOf(name)];
	if (problem) return isRejected ? no(users, problem) : unknown(problem);
	const route = literal(LISTS[name][0]);
	if (!rows) return no(users, say`${route}: no rows found`);
	const without = rows.length - idsOf(list).length;
	if (rows.length === 0) return unknown(say`${route}: the list is empty`);
	if (without === 0) return yes(say`${route}: rows: ${rows.length}; keys: ${keysOf(rows)}`);
	const seen = say`${route}: ${without} of ${rows.length} without an ID; keys: ${keysOf(rows)}`;
	return no(without < rows.length ? [] : [`From List (${name})`, ...eventOf(name)], seen);
}

/** Rows per page, to compare two pages. */
const SIZE = 5;

async function checkPages(service: Service, name: ListName): Promise<Finding> {
	const found = await filled(service, name);
	if ('nothing' in found) return found.nothing;
	const route = literal(LISTS[name][0]);
	const first = await service.list(name, { page: 1, limit: SIZE });
	const second = await service.list(name, { page: 2, limit: SIZE });
	const problem = first.problem ?? second.problem;
	if (problem) return unknown(problem);
	const [all, one, two] = [idsOf(found.list), idsOf(first), idsOf(second)];
	if (all.length <= SIZE) return unknown(say`${route}: ${all.length} rows, too few for two pages`);
	const users = [...operationsOf(found.list.endpoint), ...eventOf(name)];
	if (two.length === 0)
		return one.length < all.length
			? no(users, say`${route}: page 2 is empty, although there are more rows`)
			: unknown(say`${route}: page 1 has all rows, whatever its limit`);
	if (two.every((id) => one.includes(id))) return no(users, say`${route}: page 2 repeats page 1`);
	// Rows that are further on, but not those that follow: the first page has the number 0.
	const [following, later] = [all.slice(SIZE, 2 * SIZE), all.slice(2 * SIZE)];
	const isLater = !two.some((id) => following.includes(id)) && two.some((id) => later.includes(id));
	return isLater
		? no(users, say`${route}: page 2 does not begin where page 1 ends`)
		: yes(say`${route}: continued`);
}

const isOpen = (row: IDataObject): boolean => statusOf(row)?.toUpperCase() === 'OPEN';

async function checkTickets(service: Service): Promise<Finding> {
	const found = await filled(service, 'tickets');
	if ('nothing' in found) return found.nothing;
	const { rows } = found;
	const shown = rows.flatMap((row) => statusOf(row) ?? []);
	const without = rows.length - shown.length;
	if (without > 0)
		return no(
			without < rows.length ? [] : [STATUS_EVENTS.tickets],
			say`no status in ${without} of ${rows.length} tickets; keys: ${keysOf(rows)}`,
		);
	const words = wordsOf(shown);
	const filters = ['Ticket → Get Many with Status', STATUS_EVENTS.tickets];
	const {
		problem,
		isRejected,
		rows: open = [],
	} = await service.list('tickets', { status: 'OPEN', limit: 50 });
	if (problem) return isRejected ? no(filters, words, problem) : unknown(words, problem);
	if (!open.every(isOpen)) return no(filters, words, say`status=OPEN returns other tickets, too`);
	const isMissed = open.length === 0 && rows.some(isOpen);
	if (isMissed)
		return no(filters, words, say`status=OPEN returns none, but the list has open tickets`);
	return open.length > 0 && !rows.every(isOpen)
		? yes(words, say`status=OPEN returns ${open.length} tickets, all open`)
		: unknown(words, say`status=OPEN returns ${open.length} of ${rows.length} tickets`);
}

const MESSAGES = 'GET /chats/{id}/messages';

const readMessages = async (service: Service, id: string, query: Record<string, string | number>) =>
	await service.read(MESSAGES, { path: { id }, query }, ['messages']);

/** The first, the middle and the last chat of the list, with their messages; or why there are none. */
async function readChats(
	service: Service,
): Promise<{ id: string; row: IDataObject; messages: Reading }[] | Finding> {
	const found = await filled(service, 'chats');
	if ('nothing' in found) return found.nothing;
	const { rows } = found;
	const chats = [];
	for (const at of new Set([0, Math.floor(rows.length / 2), rows.length - 1])) {
		const row = rows[at] ?? {};
		const { id } = recordOf({ data: row }, 'GET /chats/{id}');
		if (id !== undefined)
			chats.push({ id, row, messages: await readMessages(service, id, { take: 100 }) });
	}
	const readers = [GET_MESSAGES, WAIT_FOR_REPLY, TRIGGER];
	for (const { messages } of chats) {
		if (messages.problem)
			return messages.isRejected ? no(readers, messages.problem) : unknown(messages.problem);
		if (!messages.rows) return no(readers, say`no list of messages is found`);
	}
	const withMessages = chats.filter(({ messages: { rows: all = [] } }) => all.length > 0);
	return withMessages.length > 0 ? withMessages : unknown(say`no chat with messages was read`);
}

/** Message Received without any options. */
const SUBSCRIPTION = {
	query: {},
	from: 'customers',
	isGrouped: false,
	direction: undefined,
	timeField: undefined,
} as const;

async function checkMessageKeys(service: Service): Promise<Finding> {
	const chats = await readChats(service);
	if (!Array.isArray(chats)) return chats;
	const rows = chats.flatMap(({ messages }) => messages.rows ?? []);
	const read = chats.flatMap(({ id, row, messages }) =>
		messagesIn(messages.rows ?? [], { id, row }, SUBSCRIPTION),
	);
	const inbound = read.filter(({ isInbound }) => isInbound === true).length;
	const unclear = read.filter(({ isInbound }) => isInbound === undefined).length;
	const timed = read.filter(({ time }) => time !== undefined).length;
	const seen = [
		say`${inbound} from customers, ${read.length - inbound - unclear} from others, ${unclear} unclear; ${timed} with a time`,
		say`keys of a message: ${keysOf(rows)}`,
	];
	if (read.length === 0) return no([TRIGGER, WAIT_FOR_REPLY], say`messages have no ID`, ...seen);
	const { error, isLasting } = recognize(read, SUBSCRIPTION, {
		name: 'check',
		parameters: {},
	} as INode);
	if (error)
		return no(inbound > 0 || unclear === 0 ? [TRIGGER] : [WAIT_FOR_REPLY, TRIGGER], ...seen);
	return isLasting ? yes(...seen) : unknown(...seen, say`no message of a customer was read`);
}

/** Messages per page, to test the cursor. */
const TAKE = 2;

async function checkMessagePages(service: Service): Promise<Finding> {
	const chats = await readChats(service);
	if (!Array.isArray(chats)) return chats;
	const isNewestFirst = chats.every(({ messages: { rows = [] } }) => {
		const times = rows.flatMap((row) => sentAt(row) ?? []);
		// What happens within a second may be in any order.
		return times.every((time, at) => time - (times[at - 1] ?? Infinity) <= 1_000);
	});
	if (!isNewestFirst)
		return no([GET_MESSAGES, WAIT_FOR_REPLY, TRIGGER], say`messages are not newest first`);
	const longest = chats.reduce((one, other) =>
		(other.messages.rows ?? []).length > (one.messages.rows ?? []).length ? other : one,
	);
	const ids = (longest.messages.rows ?? []).flatMap((row) => messageId(row) ?? []);
	const cursor = ids[TAKE - 1];
	if (cursor === undefined || ids.length <= TAKE)
		return unknown(say`no chat with more than ${TAKE} messages was read`);
	const next = await readMessages(service, longest.id, { take: TAKE, cursor });
	const readers = [GET_MESSAGES, TRIGGER];
	if (next.problem) return next.isRejected ? no(readers, next.problem) : unknown(next.problem);
	const after = (next.rows ?? []).flatMap((row) => messageId(row) ?? []);
	return after.length > 0 && after.every((id, at) => id === ids[TAKE + at])
		? yes(say`newest first; the cursor returns the messages after it`)
		: no(
				readers,
				say`the page after the ID of a message does not have the messages that follow it`,
			);
}

async function checkContacts(service: Service): Promise<Finding> {
	const [contacts, chats] = [await filled(service, 'contacts'), await filled(service, 'chats')];
	const parts: Finding[] = [];
	if ('nothing' in contacts) parts.push(contacts.nothing);
	else {
		const { rows } = contacts;
		const shown = rows.filter((row) =>
			Object.values(addressOf(row)).some((id) => id !== undefined),
		);
		const fields = rows.filter((row) => customFieldsOf(row)?.isComplete).length;
		const seen = say`${shown.length} of ${rows.length} contacts with an address, ${fields} with custom fields; keys: ${keysOf(rows)}`;
		parts.push(
			shown.length > 0
				? yes(seen)
				: no(['Contact → Sync', 'Broadcast → Create with Exclude Segments'], seen),
		);
	}
	if ('nothing' in chats) parts.push(chats.nothing);
	else {
		const { rows } = chats;
		const shown = rows.filter((row) => {
			const { id, waId, igId } = contactOf(row);
			return (id ?? waId ?? igId) !== undefined;
		});
		const seen = say`${shown.length} of ${rows.length} chats with their contact; keys: ${keysOf(rows)}`;
		const isNone = shown.length === 0;
		parts.push(
			shown.length === rows.length
				? yes(seen)
				: no(isNone ? [STATUS_EVENTS.chats, TRIGGER] : [], seen),
		);
	}
	return together(parts);
}

async function checkEscalation(service: Service): Promise<Finding> {
	const users = ['Chat → Get Many with Needs Escalation', STATUS_EVENTS.chats];
	const [escalated, others] = [
		await service.list('chats', { needsEscalation: 'true', limit: 50 }),
		await service.list('chats', { needsEscalation: 'false', limit: 50 }),
	];
	const { problem, isRejected } = escalated.problem ? escalated : others;
	if (problem) return isRejected ? no(users, problem) : unknown(problem);
	const [yesIds, noIds] = [idsOf(escalated), idsOf(others)];
	const inBoth = noIds.filter((id) => yesIds.includes(id)).length;
	const seen = say`needsEscalation=true: ${yesIds.length} chats, needsEscalation=false: ${noIds.length}, in both: ${inBoth}`;
	// One may have changed between the two requests.
	if (inBoth > 1) return no(users, seen);
	return yesIds.length > inBoth && noIds.length > inBoth ? yes(seen) : unknown(seen);
}

async function checkJob(
	service: Service,
	name: 'imports' | 'broadcasts',
	endpoint: Endpoint,
): Promise<Finding> {
	const found = await filled(service, name);
	if ('nothing' in found) return found.nothing;
	const waiting =
		name === 'imports'
			? 'Contact Import → Start with Wait for Completion'
			: 'Broadcast → Create with Wait for Completion';
	const [id] = idsOf(found.list);
	const route = literal(LISTS[name][0]);
	if (id === undefined)
		return no([waiting, STATUS_EVENTS[name]], say`${route}: the rows have no ID`);
	const one = await service.read(endpoint, { path: { id } });
	const users = [waiting, STATUS_EVENTS[name]];
	if (one.problem) return one.isRejected ? no(users, one.problem) : unknown(one.problem);
	if (recordOf(one.response?.json, endpoint).id !== id)
		return no(users, say`${route}: the job that its first row names has another ID, or none`);
	const states = found.rows.flatMap((row) => statusOf(row) ?? []);
	if (states.length === 0)
		return no(
			[waiting, STATUS_EVENTS[name]],
			say`${route}: no status; keys: ${keysOf(found.rows)}`,
		);
	const unclear = states.filter((state) => progressOf(state) === 'unknown').length;
	const seen = say`${route}: ${wordsOf(states)}; ${unclear} not understood`;
	return unclear === 0 ? yes(seen) : no([waiting], seen);
}

/** In each of these lists. */
const inLists =
	(names: readonly ListName[], check: (service: Service, name: ListName) => Promise<Finding>) =>
	async (service: Service): Promise<Finding> => {
		const parts: Finding[] = [];
		for (const name of names) parts.push(await check(service, name));
		return together(parts);
	};

export const questions: readonly Question[] = [
	{
		id: 'lists',
		text: 'Do the nodes find the rows of every list, and their IDs?',
		otherwise:
			'An operation that does not find the rows stops with a message. Records without an ID are not in From List, and the trigger does not see them.',
		check: inLists(Object.keys(LISTS) as ListName[], checkList),
	},
	{
		id: 'paging',
		text: 'Does page 2 of each list continue page 1?',
		otherwise: 'Return All and the trigger read the same rows again and miss the others.',
		check: inLists(['tickets', 'chats', 'contacts', 'broadcasts'], checkPages),
	},
	{
		id: 'ticket-status',
		text: 'Does every ticket show its status, and does the filter by status work?',
		otherwise:
			'The trigger does not see a status under another name. Without the filter, Get Many returns other tickets too, and the trigger reports wrong changes.',
		check: checkTickets,
	},
	{
		id: 'message-keys',
		text: 'Does a message show whether the customer sent it, and when?',
		otherwise:
			'Message Received cannot be published until Direction Field, Direction Value and Time Field in its options name what messages have. Without the direction, Wait for Reply recognizes no reply.',
		check: checkMessageKeys,
	},
	{
		id: 'message-pages',
		text: 'Are the messages of a chat newest first, and does a cursor return the next ones?',
		otherwise:
			'If the oldest messages come first, Get Messages with a limit returns them instead of the newest. If the ID of a message is no cursor, it returns the first page of a chat only, with a hint. The trigger may miss messages.',
		check: checkMessagePages,
	},
	{
		id: 'contacts',
		text: 'Do contacts show their address, and chats their contact?',
		otherwise:
			'Sync stops before it writes, and Exclude Segments before it sends. Items of Message Received have no address to reply to, and the trigger never reports the end of an escalation.',
		check: checkContacts,
	},
	{
		id: 'chat-escalation',
		text: 'Does the filter needsEscalation separate escalated chats from the others?',
		otherwise:
			'The trigger knows escalated chats by this filter only, and reports wrong changes. Get Many with this filter returns other chats too.',
		check: checkEscalation,
	},
	{
		id: 'jobs',
		text: 'Do the nodes find import jobs and broadcasts, and understand which have ended?',
		otherwise:
			'Wait for Completion waits until its time has passed, or stops if it does not find the ID. The trigger reports an unknown status unchanged, and does not see jobs without one.',
		check: async (service) =>
			together([
				await checkJob(service, 'imports', 'GET /contacts/imports/{id}'),
				await checkJob(service, 'broadcasts', 'GET /broadcasts/{id}'),
			]),
	},
];
