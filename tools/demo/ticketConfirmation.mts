import type { ServiceResponse, Example } from './example.mts';
import { openTickets, resolve, type Ticket } from './openTickets.mts';

interface Chat {
	id: string;
}

/** What the customers reply, and what becomes of their tickets. */
const REPLIES = [
	{ reply: 'Yes, thank you', status: 'CLOSED', isEscalated: false },
	{ reply: 'No, it is still broken', status: 'OPEN', isEscalated: false },
	{ reply: 'Which ticket do you mean?', status: 'RESOLVED', isEscalated: true },
];

export const ticketConfirmation: Example = {
	file: 'ticket-confirmation.json',
	title: 'Ask whether a ticket is solved: the reply closes it, reopens it, or goes to an agent',

	async prepare(service, customer) {
		const found = await openTickets(service, REPLIES.length);
		const chosen = REPLIES.flatMap((expected, i) =>
			found[i] ? [{ ...found[i], ...expected }] : [],
		);
		return {
			async causeEvent() {
				await resolve(service, chosen);
				return chosen.length;
			},
			async causeNextEvent() {
				await Promise.resolve();
				for (const { chat, reply } of chosen) customer.write(chat.id, reply);
				return chosen.length;
			},
			async check() {
				const lines: string[] = [];
				const failures: string[] = [];
				for (const { ticket, chat, reply, status, isEscalated } of chosen) {
					const now = await service.get<ServiceResponse<Ticket>>(`/tickets/${ticket.id}`);
					const escalated = await service.get<ServiceResponse<Chat[]>>('/chats', {
						params: { contactId: chat.contactId, needsEscalation: true },
					});
					const isNowEscalated = escalated.data.data.some(({ id }) => id === chat.id);
					const result = `${now.data.data.status}${isNowEscalated ? ', chat is escalated' : ''}`;
					lines.push(`#${ticket.ticketNumber}  "${reply}" → ${result}`);
					if (now.data.data.status !== status || isNowEscalated !== isEscalated)
						failures.push(`After "${reply}", ticket ${ticket.ticketNumber} is ${result}`);
				}
				if (chosen.length !== REPLIES.length) failures.push('Expected three tickets to ask about');
				return { lines, failures };
			},
		};
	},
};
