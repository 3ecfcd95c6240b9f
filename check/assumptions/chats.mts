/** Chats and their messages. */
import type { IDataObject, INode } from 'n8n-workflow';
import { contactOf } from '../../nodes/ConversationalMessaging/api/response/chat.ts';
import { messageId, sentAt } from '../../nodes/ConversationalMessaging/api/response/chatMessage.ts';
import { idOf, isRecord } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import {
	messagesIn,
	type Message,
} from '../../nodes/ConversationalMessaging/trigger/messages/message.ts';
import { recognize } from '../../nodes/ConversationalMessaging/trigger/messages/recognition.ts';
import {
	allOf,
	cannotTell,
	fails,
	failsAt,
	failsFor,
	holds,
	withoutRows,
	type Assumption,
	type Judgement,
} from '../assumption.mts';
import { allPaths, paths } from '../names.mts';
import { eventsOf, MESSAGE_RECEIVED, WAIT_FOR_REPLY } from '../operations.mts';
import {
	idsOf,
	isOk,
	isUnclear,
	listIn,
	whyNot,
	type ListReading,
	type Service,
} from '../service.mts';
import { count, say, type Shown } from '../shown.mts';

const MESSAGES = 'GET /chats/{id}/messages';

interface ChatWithMessages {
	id: string;
	row: IDataObject;
	messages: ListReading;
}

interface ReadChats {
	/** The first, the middle and the last chat of the list. */
	chats: ChatWithMessages[];
	/** Those with messages. */
	filled: ChatWithMessages[];
	/** Why there are none. */
	reason: Judgement;
}

async function readChats(service: Service): Promise<ReadChats> {
	const list = await service.list('chats');
	const withId = list.rows.filter((row) => idOf(row) !== undefined);
	const places = new Set([0, Math.floor(withId.length / 2), withId.length - 1]);
	const chats: ChatWithMessages[] = [];
	for (const row of withId.filter((_row, index) => places.has(index))) {
		const id = idOf(row) ?? '';
		chats.push({ id, row, messages: await messagesOf(service, id, { take: 100 }) });
	}
	const unread = chats.find(({ messages }) => !messages.path);
	return {
		chats,
		filled: chats.filter(({ messages }) => messages.rows.length > 0),
		reason:
			withoutRows(list) ??
			(unread && withoutRows(unread.messages)) ??
			cannotTell(
				chats.length === 0 ? say`the chats have no IDs` : say`no chat with messages was read`,
			),
	};
}

const messagesOf = async (
	service: Service,
	id: string,
	query: Record<string, string | number>,
): Promise<ListReading> =>
	listIn(await service.read(MESSAGES, { path: { id }, query }), ['messages']);

/** Message Received without any options. */
const SUBSCRIPTION = {
	query: {},
	from: 'customers',
	isGrouped: false,
	direction: undefined,
	timeField: undefined,
} as const;

/** For the errors that the trigger would show. */
const NODE = { name: 'check', parameters: {} } as INode;

export const messageKeys: Assumption = {
	id: 'message-keys',
	question: 'Does a message show whether the customer sent it, and when?',
	otherwise:
		'Message Received cannot be published until Direction Field, Direction Value and Time Field in its options name what messages have. Without the direction, Wait for Reply recognizes no reply. Get Messages returns the messages unchanged.',
	async check(service) {
		const { filled, reason } = await readChats(service);
		if (filled.length === 0) return reason;
		const read = filled.flatMap(({ id, row, messages }) =>
			messagesIn(messages.rows, { id, row }, SUBSCRIPTION),
		);
		const number = (test: (message: Message) => boolean) => read.filter(test).length;
		const fromCustomers = number(({ isInbound }) => isInbound === true);
		const unclear = number(({ isInbound }) => isInbound === undefined);
		const seen = [
			say`${fromCustomers} from customers, ${read.length - fromCustomers - unclear} from others, ${unclear} unclear`,
			say`${number(({ time }) => time !== undefined)} of ${read.length} with a time`,
			say`keys of a message: ${paths(allPaths(filled.flatMap(({ messages }) => messages.rows).slice(0, 50)))}`,
		];
		if (read.length === 0)
			return failsFor([MESSAGE_RECEIVED, WAIT_FOR_REPLY], say`messages have no ID`, ...seen);
		const { error, isLasting } = recognize(read, SUBSCRIPTION, NODE);
		if (error) {
			const hasDirection = fromCustomers > 0 || unclear === 0;
			return failsFor([...(hasDirection ? [] : [WAIT_FOR_REPLY]), MESSAGE_RECEIVED], ...seen);
		}
		return isLasting
			? holds(...seen)
			: cannotTell(...seen, say`no customer sent one of the messages that were read`);
	},
};

export const messagePages: Assumption = {
	id: 'message-pages',
	question: 'Are the messages of a chat newest first, and does a cursor return the next ones?',
	otherwise:
		'If the oldest messages come first, Get Messages with a limit returns them instead of the newest. If the ID of a message is no cursor, it returns the first page of a chat only, with a hint. The trigger may miss messages.',
	async check(service) {
		const { chats, filled, reason } = await readChats(service);
		const readings = chats.map(({ messages }) => messages.reading);
		if (readings.length > 0 && readings.every(({ response }) => response?.status === 404))
			return failsAt(MESSAGES, say`404 for ${count(readings.length, 'chat')} of the list`);
		const lost = chats.find(({ messages }) => !messages.path && isOk(messages.reading));
		if (lost) return failsAt(MESSAGES, say`no list of messages is found`);
		const [longest] = filled.toSorted((one, other) => other.messages.length - one.messages.length);
		if (!longest) return reason;
		return allOf([judgeOrder(filled), await judgeCursor(service, longest)]);
	},
};

/** What happens within a second may be listed in any order, in milliseconds. */
const SAME_MS = 1_000;

function judgeOrder(chats: readonly ChatWithMessages[]): Judgement {
	// As the nodes read them.
	const times = chats
		.map(({ messages }) => messages.rows.map((row) => sentAt(row)).filter((at) => at !== undefined))
		.filter((all) => Math.max(...all) - Math.min(...all) > SAME_MS);
	const of = count(times.length, 'chat');
	if (times.length === 0)
		return cannotTell(say`no chat with several messages was read whose times the nodes recognize`);
	const isNewestFirst = (all: number[]) =>
		all.every((time, index) => index === 0 || time - (all[index - 1] ?? 0) <= SAME_MS);
	if (times.every(isNewestFirst)) return holds(say`newest first, in ${of}`);
	return times.every((all) => isNewestFirst(all.toReversed()))
		? failsAt(MESSAGES, say`oldest first, in ${of}`)
		: failsAt(MESSAGES, say`not newest first in all of ${of}`);
}

const messageIds = (rows: readonly IDataObject[]): string[] =>
	rows.map(messageId).filter((id) => id !== undefined);

/** What reads more than the first page: Wait for Reply does not. */
const PAGE_READERS = ['Chat → Get Messages', MESSAGE_RECEIVED];

/** Messages per page, to test the cursor. */
const TAKE = 2;

async function judgeCursor(
	service: Service,
	{ id, messages }: ChatWithMessages,
): Promise<Judgement> {
	if (messages.length <= TAKE)
		return cannotTell(say`no chat with more than ${TAKE} messages was read`);
	const first = await messagesOf(service, id, { take: TAKE });
	if (!first.path) return cannotTell(whyNot(first.reading));
	const beside = keysBeside(first);
	const last = messageId(first.rows.at(-1));
	if (last === undefined) return failsAt(MESSAGES, say`messages have no ID`, ...beside);
	const all = messageIds(messages.rows);
	const from = all.indexOf(last) + 1;
	if (from === 0 || first.rows.length > TAKE)
		return cannotTell(say`take=${TAKE} returns ${count(first.rows.length, 'message')}`);
	const second = await messagesOf(service, id, { take: TAKE, cursor: last });
	if (!second.path) {
		return isOk(second.reading) || isUnclear(second.reading)
			? cannotTell(whyNot(second.reading))
			: failsFor(
					PAGE_READERS,
					say`${whyNot(second.reading)} for the ID of a message as the cursor`,
					...beside,
				);
	}
	const after = messageIds(second.rows);
	if (after.length > 0 && after.every((found, index) => found === all[from + index])) {
		return holds(say`the cursor returns the messages after it`);
	}
	return failsFor(
		PAGE_READERS,
		after.length === 0
			? say`the page after the cursor is empty, although there are more messages`
			: after.includes(last)
				? say`the page after the cursor begins with its message, or repeats the first page`
				: say`the page after the cursor has other messages than those that follow`,
		...beside,
	);
}

/** The keys beside the messages, one of which may be the next cursor. */
function keysBeside({ reading }: ListReading): Shown[] {
	const json = reading.response?.json;
	if (!isRecord(json)) return [];
	const { data, success: _success, ...rest } = json;
	const beside = allPaths([rest, ...(isRecord(data) ? [data] : [])]);
	return beside.length > 0 ? [say`keys beside the messages: ${paths(beside)}`] : [];
}

export const chatContact: Assumption = {
	id: 'chat-contact',
	question: 'Does every chat show its contact where the nodes read it?',
	otherwise:
		'Items of Message Received have no contact ID and no address to reply to. The trigger never reports the end of an escalation, because it cannot look up a chat that is no longer escalated.',
	async check(service) {
		const list = await service.list('chats');
		if (list.rows.length === 0) return withoutRows(list) ?? cannotTell();
		const { rows } = list;
		const without = rows.filter((row) => {
			const { id, waId, igId } = contactOf(row);
			return (id ?? waId ?? igId) === undefined;
		}).length;
		if (without === 0) return holds(say`in all of ${count(rows.length, 'chat')}`);
		const seen = [
			say`${without} of ${count(rows.length, 'chat')} without`,
			say`keys of a chat: ${paths(allPaths(rows.slice(0, 50)))}`,
		];
		return without < rows.length
			? fails(...seen)
			: failsFor([...eventsOf('GET /chats'), MESSAGE_RECEIVED], ...seen);
	},
};

const FILTERED = ['Chat → Get Many with Needs Escalation', ...eventsOf('GET /chats')];

export const chatEscalation: Assumption = {
	id: 'chat-escalation',
	question: 'Does the filter needsEscalation separate escalated chats from the others?',
	otherwise:
		'The trigger knows escalated chats by this filter only, and reports wrong changes. Get Many with this filter returns other chats too.',
	async check(service) {
		const all = await service.list('chats');
		if (all.rows.length === 0) return withoutRows(all) ?? cannotTell();
		const lists: ListReading[] = [];
		for (const needsEscalation of ['true', 'false']) {
			const list = await service.list('chats', { needsEscalation, limit: 50 });
			const status = list.reading.response?.status ?? 0;
			if ([400, 422].includes(status))
				return failsFor(FILTERED, say`the filter is rejected with ${status}`);
			if (!list.path) return cannotTell(whyNot(list.reading));
			lists.push(list);
		}
		const [escalated, others] = lists.map(({ rows }) => idsOf(rows)) as [string[], string[]];
		const inBoth = others.filter((id) => escalated.includes(id)).length;
		// One may have changed between the two requests.
		if (inBoth > 1)
			return failsFor(
				FILTERED,
				say`needsEscalation=true and needsEscalation=false both return ${inBoth} of the chats`,
			);
		// Everything under one value: that the filter works is not shown.
		return escalated.length > inBoth && others.length > inBoth
			? holds(say`needsEscalation=true and needsEscalation=false return different chats`)
			: cannotTell(
					say`chats with needsEscalation=true: ${escalated.length}, with needsEscalation=false: ${others.length}`,
				);
	},
};
