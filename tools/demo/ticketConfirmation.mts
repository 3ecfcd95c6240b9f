import type { AxiosInstance } from 'axios';
import type { ServiceResponse, Example } from './example.mts';

interface Chat {
	id: string;
	contactId: string;
}

interface Ticket {
	id: string;
	ticketNumber: string;
	status: string;
	contactId: string | null;
}

/** What the customers reply, and what becomes of their tickets. */
const REPLIES = [
	{ reply: 'Yes, thank you', status: 'CLOSED', isEscalated: false },
	{ reply: 'No, it is still broken', status: 'OPEN', isEscalated: false },
	{ reply: 'Which ticket do you mean?', status: 'RESOLVED', isEscalated: true },
];

/** Open tickets of customers on WhatsApp who have no resolved one, with their chats. */
async function candidates(service: AxiosInstance): Promise<{ ticket: Ticket; chat: Chat }[]> {
	const chats = await service.get<ServiceResponse<Chat[]>>('/chats', {
		params: { channel: 'WHATSAPP', needsEscalation: false, limit: 100 },
	});
	const tickets = await service.get<ServiceResponse<Ticket[]>>('/tickets', {
		params: { status: 'OPEN', limit: 200 },
	});
	const found = new Map<string, { ticket: Ticket; chat: Chat }>();
	for (const ticket of tickets.data.data) {
		const chat = chats.data.data.find(({ contactId }) => contactId === ticket.contactId);
		if (!chat || found.has(chat.id)) continue;
		const { data } = await service.get<ServiceResponse<Ticket[]>>('/tickets', {
			params: { status: 'RESOLVED', contactId: chat.contactId },
		});
		if (data.meta.total === 0) found.set(chat.id, { ticket, chat });
		if (found.size === REPLIES.length) break;
	}
	return [...found.values()];
}

export const ticketConfirmation: Example = {
	file: 'ticket-confirmation.json',
	title: 'Ask whether a ticket is solved: the reply closes it, reopens it, or goes to an agent',

	async prepare(service, customer) {
		const { data: users } = await service.get<ServiceResponse<{ id: string }[]>>('/users');
		const found = await candidates(service);
		const chosen = REPLIES.flatMap((expected, i) =>
			found[i] ? [{ ...found[i], ...expected }] : [],
		);
		return {
			async causeEvent() {
				const body = { status: 'RESOLVED', assigneeId: users.data[0]?.id };
				for (const { ticket } of chosen) await service.put(`/tickets/${ticket.id}`, body);
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
