import type { AxiosInstance } from 'axios';
import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example, PreparedExample } from './example.mts';

interface Ticket {
	id: string;
	ticketNumber: string;
	title: string;
	status: string;
	priority: string;
	assigneeId: string | null;
	contactId: string | null;
	notes: { body: string }[];
}

async function openTickets(service: AxiosInstance): Promise<Ticket[]> {
	const tickets: Ticket[] = [];
	for (let page = 1, pages = 1; page <= pages; page++) {
		const params = { status: 'OPEN', page, limit: 200 };
		const { data } = await service.get<ServiceResponse<Ticket[]>>('/tickets', { params });
		tickets.push(...data.data);
		pages = data.meta.totalPages;
	}
	return tickets;
}

export const ticketRouting: Example = {
	file: 'ticket-routing.json',
	title: 'Route urgent tickets: assign each to an agent, add a note, inform the customer',

	async prepare(service) {
		const urgent = (await openTickets(service)).filter(
			({ priority, contactId }) => priority === 'URGENT' && contactId !== null,
		);
		const { data: users } =
			await service.get<ServiceResponse<{ id: string; name: string }[]>>('/users');
		const names = new Map(users.data.map(({ id, name }) => [id, name]));

		const check: PreparedExample['check'] = async (run) => {
			const lines: string[] = [];
			const failures: string[] = [];
			if (urgent.length === 0) failures.push('There is no urgent ticket to route');
			for (const { id, ticketNumber, title } of urgent) {
				const { data } = await service.get<ServiceResponse<Ticket>>(`/tickets/${id}`);
				const { status, assigneeId, notes } = data.data;
				const agent = names.get(assigneeId ?? '') ?? 'nobody';
				lines.push(`#${ticketNumber}  ${status.padEnd(11)}  ${agent.padEnd(22)}  ${title}`);
				const note = notes.at(-1)?.body ?? '';
				if (status !== 'IN_PROGRESS' || !note.includes(agent)) {
					failures.push(`Ticket #${ticketNumber} was not routed as expected`);
				}
			}
			const messages = ['Message on WhatsApp', 'Message on Instagram'].flatMap((name) =>
				outputOf(run, name).filter(({ json }) => json.error === undefined),
			);
			lines.push(`${messages.length} customers were informed`);
			if (messages.length !== urgent.length) {
				failures.push(`Expected messages to ${urgent.length} customers, got ${messages.length}`);
			}
			return { lines, failures };
		};
		return { check };
	},
};
