import { orderAssumption } from '../listOrder.mts';

export const chatOrder = orderAssumption(
	'chats',
	'The trigger for escalations reads the whole list of escalated chats, in any order. A list sorted by last change leads with the chats that have new messages.',
);
