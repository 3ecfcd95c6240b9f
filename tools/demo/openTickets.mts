import type { AxiosInstance } from 'axios';
import type { ServiceResponse } from './example.mts';

interface Chat {
	id: string;
	contactId: string;
}

export interface Ticket {
	id: string;
	ticketNumber: string;
	status: string;
	contactId: string | null;
	notes: { body: string }[];
}

/** An open ticket of a customer on WhatsApp who has no resolved one, with the chat. */
interface OpenTicket {
	ticket: Ticket;
	chat: Chat;
}

/** @param count how many tickets, each of another customer */
export async function openTickets(service: AxiosInstance, count: number): Promise<OpenTicket[]> {
	const chats = await service.get<ServiceResponse<Chat[]>>('/chats', {
		params: { channel: 'WHATSAPP', needsEscalation: false, limit: 100 },
	});
	const tickets = await service.get<ServiceResponse<Ticket[]>>('/tickets', {
		params: { status: 'OPEN', limit: 200 },
	});
	const found = new Map<string, OpenTicket>();
	for (const ticket of tickets.data.data) {
		const chat = chats.data.data.find(({ contactId }) => contactId === ticket.contactId);
		if (!chat || found.has(chat.id)) continue;
		const { data } = await service.get<ServiceResponse<Ticket[]>>('/tickets', {
			params: { status: 'RESOLVED', contactId: chat.contactId },
		});
		if (data.meta.total === 0) found.set(chat.id, { ticket, chat });
		if (found.size === count) break;
	}
	return [...found.values()];
}

/** Resolves tickets, each with an agent, as agents do. */
export async function resolve(service: AxiosInstance, tickets: OpenTicket[]): Promise<void> {
	const { data: users } = await service.get<ServiceResponse<{ id: string }[]>>('/users');
	const body = { status: 'RESOLVED', assigneeId: users.data[0]?.id };
	for (const { ticket } of tickets) await service.put(`/tickets/${ticket.id}`, body);
}
