import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { directionKey, messageTimeKey } from '../messageKeys.mts';
import { typesAt, valueAt, whyNot } from '../observe.mts';
import { messageReadings } from '../observations.mts';
import type { ListReading } from '../service.mts';
import { say } from '../shown.mts';

export const messageKeys = assumption<ListReading[]>({
	id: 'message-keys',
	question: 'Does a message show its direction and its time?',
	settles: [],
	otherwise: 'Get Messages returns the messages unchanged, whatever their keys are.',
	observe: messageReadings,
	judge(lists, { names }) {
		const messages = lists.flatMap(({ rows }) => rows);
		if (messages.length === 0)
			return cannotTell(
				lists[0] && !lists[0].path ? whyNot(lists[0].reading) : say`no chat with messages was read`,
			);
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
		return direction && time ? holds(...seen) : fails(...seen);
	},
});
