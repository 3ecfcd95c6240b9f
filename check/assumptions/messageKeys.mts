import type { IDataObject } from 'n8n-workflow';
import {
	customerIds,
	isFromCustomer,
	sentAt,
} from '../../nodes/ConversationalMessaging/api/chatMessage.ts';
import { contactOf } from '../../nodes/ConversationalMessaging/trigger/messages/message.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { directionKey, messageTimeKey } from '../messageKeys.mts';
import { typesAt, valueAt, whyNot } from '../observe.mts';
import { messageReadings, sampledChats } from '../observations.mts';
import { MESSAGE_RECEIVED, WAIT_FOR_REPLY } from '../operations.mts';
import type { ListReading } from '../service.mts';
import { say } from '../shown.mts';

interface Observed {
	/** The rows of the chats, in the order of their messages. */
	chats: IDataObject[];
	lists: ListReading[];
}

export const messageKeys = assumption<Observed>({
	id: 'message-keys',
	question: 'Does a message show whether the customer sent it, and when?',
	settles: [],
	otherwise:
		'Message Received cannot be published until Direction Field, Direction Value and Time Field in its options name what messages have. Without the direction, Wait for Reply recognizes no reply. Get Messages returns the messages unchanged.',
	async observe(service) {
		return { chats: await sampledChats(service), lists: await messageReadings(service) };
	},
	judge({ chats, lists }, { names }) {
		const messages = lists.flatMap(({ rows }) => rows);
		if (messages.length === 0)
			return cannotTell(
				lists[0] && !lists[0].path ? whyNot(lists[0].reading) : say`no chat with messages was read`,
			);
		// As the nodes read them.
		const sides = lists.flatMap(({ rows }, index) => {
			const { id, waId, igId, phone } = contactOf(chats[index] ?? {});
			const customer = customerIds(id, [waId, igId, phone]);
			return rows.map((message) => isFromCustomer(message, undefined, customer));
		});
		const hasTimes = messages.some((message) => sentAt(message) !== undefined);
		// Keys that the user can enter if the trigger does not know them.
		const direction = directionKey(messages);
		const time = messageTimeKey(messages, lists[0]?.reading.at ?? 0);
		const isFlag = direction && typeof valueAt(messages[0], direction) === 'boolean';
		const seen = [
			direction
				? isFlag
					? say`direction: ${names.path(direction)} (boolean)`
					: say`direction: ${names.path(direction)} (${names.words(messages.map((message) => valueAt(message, direction)))})`
				: say`no key looks like a direction`,
			time
				? say`time: ${names.path(time)} (${typesAt(messages, time)})`
				: say`no key looks like a time`,
		];
		const isUnclear = !sides.includes(true) && sides.includes(undefined);
		if (isUnclear)
			seen.push(
				say`Message Received and Wait for Reply do not recognize the messages of customers`,
			);
		if (!hasTimes) seen.push(say`Message Received does not recognize the time`);
		if (isUnclear) return { ...fails(...seen), events: [WAIT_FOR_REPLY, MESSAGE_RECEIVED] };
		if (!hasTimes) return { ...fails(...seen), events: [MESSAGE_RECEIVED] };
		return sides.includes(true)
			? holds(...seen)
			: cannotTell(...seen, say`no customer sent one of the messages that were read`);
	},
});
