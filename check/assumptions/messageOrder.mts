import { sentAt } from '../../nodes/ConversationalMessaging/api/chatMessage.ts';
import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { whyNot } from '../observe.mts';
import { messageReadings } from '../observations.mts';
import type { ListReading } from '../service.mts';
import { say } from '../shown.mts';

export const messageOrder = assumption<ListReading[]>({
	id: 'message-order',
	question: 'Are the messages of a chat returned newest first, as documented?',
	settles: [],
	otherwise: 'Get Messages with a limit returns the oldest messages instead of the newest.',
	observe: messageReadings,
	judge(lists) {
		const [first] = lists;
		if (first && !first.path) return cannotTell(whyNot(first.reading));
		let newest = 0;
		let oldest = 0;
		let mixed = 0;
		for (const { rows } of lists) {
			// As the nodes read them.
			const times = rows.map((row) => sentAt(row)).filter((time) => time !== undefined);
			if (new Set(times).size < 2) continue;
			const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
			if (steps.every((step) => step <= 0)) newest++;
			else if (steps.every((step) => step >= 0)) oldest++;
			else mixed++;
		}
		if (newest + oldest + mixed === 0)
			return cannotTell(
				say`no chat with several messages was read whose times the nodes recognize`,
			);
		if (oldest + mixed === 0) return holds(say`newest first, in ${newest} chats`);
		if (oldest > 0 && newest + mixed === 0)
			return failsAt(['GET /chats/{id}/messages'], say`oldest first, in ${oldest} chats`);
		return failsAt(
			['GET /chats/{id}/messages'],
			say`not sorted by time in ${mixed} of ${newest + oldest + mixed} chats`,
		);
	},
});
