import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { messageTimeKey } from '../messageKeys.mts';
import { timeOf, valueAt, whyNot } from '../observe.mts';
import { messageReadings } from '../observations.mts';
import type { ListReading } from '../service.mts';
import { say } from '../shown.mts';

export const messageOrder = assumption<ListReading[]>({
	id: 'message-order',
	question: 'Are the messages of a chat returned newest first, as documented?',
	settles: [],
	otherwise: 'Get Messages with a limit returns the oldest messages instead of the newest.',
	observe: messageReadings,
	judge(lists, { names }) {
		const [first] = lists;
		if (first && !first.path) return cannotTell(whyNot(first.reading));
		let newest = 0;
		let oldest = 0;
		let mixed = 0;
		let key;
		for (const { rows, reading } of lists) {
			const path = messageTimeKey(rows, reading.at);
			if (!path) continue;
			key = path;
			const times = rows.map((row) => timeOf(valueAt(row, path), reading.at)?.ms ?? 0);
			if (new Set(times).size < 2) continue;
			const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
			if (steps.every((step) => step <= 0)) newest++;
			else if (steps.every((step) => step >= 0)) oldest++;
			else mixed++;
		}
		if (newest + oldest + mixed === 0 || !key)
			return cannotTell(say`no chat with several messages of different times was read`);
		if (oldest + mixed === 0)
			return holds(say`newest first by ${names.path(key)}, in ${newest} chats`);
		if (oldest > 0 && newest + mixed === 0)
			return failsAt(
				['GET /chats/{id}/messages'],
				say`oldest first by ${names.path(key)}, in ${oldest} chats`,
			);
		return failsAt(
			['GET /chats/{id}/messages'],
			say`not sorted by ${names.path(key)} in ${mixed} of ${newest + oldest + mixed} chats`,
		);
	},
});
