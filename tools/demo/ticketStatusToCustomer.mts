import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example } from './example.mts';

interface Ticket {
	id: string;
	ticketNumber: string;
	status: string;
	contactId: string | null;
}

interface Event {
	previousStatus: string;
	status: string;
	record: Ticket;
}

export const ticketStatusToCustomer: Example = {
	file: 'ticket-status-to-customer.json',
	title: 'Inform customers about their tickets: starts when a status changes',

	async prepare(service) {
		const { data: users } = await service.get<ServiceResponse<{ id: string }[]>>('/users');
		const { data: open } = await service.get<ServiceResponse<Ticket[]>>('/tickets', {
			params: { status: 'OPEN', limit: 200 },
		});
		const chosen = open.data.filter(({ contactId }) => contactId !== null).slice(0, 3);
		return {
			async causeEvent() {
				for (const { id } of chosen) {
					const body = { status: 'RESOLVED', assigneeId: users.data[0]?.id };
					await service.put(`/tickets/${id}`, body);
				}
				return chosen.length;
			},
			async check(run) {
				const events = outputOf(run, 'Ticket Status Changed').map(
					({ json }) => json as unknown as Event,
				);
				const messages = ['Message on WhatsApp', 'Message on Instagram'].flatMap((name) =>
					outputOf(run, name).filter(({ json }) => json.error === undefined),
				);
				const lines = chosen.map(({ ticketNumber }) => {
					const event = events.find(({ record }) => record.ticketNumber === ticketNumber);
					return `#${ticketNumber}  ${event ? `${event.previousStatus} → ${event.status}` : 'nothing'}`;
				});
				lines.push(`${messages.length} customers were informed`);
				const failures: string[] = [];
				if (events.length !== chosen.length || messages.length !== chosen.length) {
					failures.push(
						`${chosen.length} tickets changed: got ${events.length} events and ${messages.length} messages`,
					);
				}
				return await Promise.resolve({ lines, failures });
			},
		};
	},
};
