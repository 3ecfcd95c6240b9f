import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example } from './example.mts';

interface Chat {
	id: string;
	contactId: string;
}

interface Ticket {
	title: string;
	contactId: string;
}

export const messageRouting: Example = {
	file: 'message-routing.json',
	title: 'Route messages: starts when customers write, escalates their chat or opens a ticket',

	async prepare(service, customer) {
		const params = { channel: 'WHATSAPP', needsEscalation: false, limit: 2 };
		const { data } = await service.get<ServiceResponse<Chat[]>>('/chats', { params });
		const [asking, other] = data.data as [Chat, Chat];
		return {
			async causeEvent() {
				await Promise.resolve();
				customer.write(asking.id, 'Hello');
				customer.write(asking.id, 'Can I speak to an agent?');
				customer.write(other.id, 'My parcel is damaged');
				return 2;
			},
			async check(run) {
				const escalated = await service.get<ServiceResponse<Chat[]>>('/chats', {
					params: { contactId: asking.contactId, needsEscalation: true },
				});
				const id = outputOf(run, 'Open Ticket')[0]?.json.id as string | undefined;
				const ticket = await service.get<ServiceResponse<Ticket>>(`/tickets/${id ?? 'none'}`);
				const { title, contactId } = ticket.data.data;
				const failures: string[] = [];
				const isOnly = outputOf(run, 'Escalate Chat').length === 1;
				if (escalated.data.data.length !== 1 || !isOnly)
					failures.push('Expected one chat to be escalated');
				if (title !== 'My parcel is damaged' || contactId !== other.contactId)
					failures.push(`Expected a ticket of the other customer, got "${title}"`);
				return { lines: ['1 chat is escalated', `1 ticket: ${title}`], failures };
			},
		};
	},
};
