import { iso } from '../clock.mts';
import type { Contact, Note, Priority, Ticket, TicketStatus } from '../records.mts';
import { invalid, notFound, record } from '../replies.mts';
import type { World } from '../world.mts';
import type { ServiceCall, Service } from './service.mts';
import { tablePage, text } from './service.mts';

const STATUSES = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
const PRIORITIES = ['LOW', 'MEDIUM', 'HIGH', 'URGENT'];

/** A ticket as lists show it; its notes are in the details. */
function ticketView({ notes: _details, ...ticket }: Ticket): unknown {
	return ticket;
}

function ticketOr404(world: World, key: string): Ticket {
	const ticket = world.findTicket(key);
	if (!ticket) throw notFound('Ticket');
	return ticket;
}

/** The document calls priority and status of a new ticket objects and shows no values: a name, or one inside. */
function nameIn(value: unknown, allowed: string[], field: string): string | undefined {
	if (value === undefined) return undefined;
	const candidates: unknown[] =
		typeof value === 'object' && value !== null ? Object.values(value) : [value];
	const name = candidates.find(
		(candidate): candidate is string =>
			typeof candidate === 'string' && allowed.includes(candidate.toUpperCase()),
	);
	if (name === undefined) throw invalid(`${field} must be one of ${allowed.join(', ')}`);
	return name.toUpperCase();
}

/** The contact with this contactId, contactWaId or contactIgId. Creating a ticket lists no 404. */
function linkedContact({ world, body }: ServiceCall): Contact | undefined {
	const id = text(body, 'contactId');
	const waId = text(body, 'contactWaId');
	const igId = text(body, 'contactIgId');
	if (!id && !waId && !igId) return undefined;
	const contact = id
		? world.contacts.get(id)
		: waId
			? world.findContactByWaId(waId)
			: world.findContactByIgId(igId as string);
	if (!contact) throw invalid('The contact does not exist');
	return contact;
}

function assignee({ world, body }: ServiceCall): string | undefined {
	const id = text(body, 'assigneeId');
	if (id && !world.users.get(id)) throw invalid('assigneeId is not a user of the organization');
	return id;
}

function note(world: World, body: string, authorId: string | null): Note {
	return { id: world.newId(), body, authorId, createdAt: iso(world.now()) };
}

export const tickets: Service = {
	listTickets(call) {
		const { status, assigneeId, contactId } = call.query;
		const filtered = status !== undefined || assigneeId !== undefined || contactId !== undefined;
		const keep = (ticket: Ticket) =>
			(status === undefined || ticket.status === status) &&
			(assigneeId === undefined || ticket.assigneeId === assigneeId) &&
			(contactId === undefined || ticket.contactId === contactId);
		return tablePage(call, 'tickets', call.world.tickets, filtered ? keep : undefined, ticketView);
	},

	createTicket(call) {
		const { world, body } = call;
		const chatId = text(body, 'chatId');
		const chat = chatId ? world.chats.get(chatId) : undefined;
		if (chatId && !chat) throw invalid('The chat does not exist');
		const description = text(body, 'description');
		const ticket = world.addTicket({
			title: body.title as string,
			status: (nameIn(body.status, STATUSES, 'status') ?? 'OPEN') as TicketStatus,
			priority: (nameIn(body.priority, PRIORITIES, 'priority') ?? 'MEDIUM') as Priority,
			contactId: linkedContact(call)?.id ?? chat?.contactId ?? null,
			assigneeId: assignee(call) ?? null,
			chatId: chatId ?? null,
			notes: description ? [note(world, description, null)] : [],
		});
		return record(ticketView(ticket));
	},

	getTicket: ({ world, params }) => record({ ...ticketOr404(world, params.id as string) }),

	updateTicket(call) {
		const { world, params, body } = call;
		const ticket = ticketOr404(world, params.id as string);
		assignee(call);
		Object.assign(ticket, body, { updatedAt: iso(world.now()) });
		return record(ticketView(ticket));
	},

	addTicketNote({ world, params, body }) {
		const ticket = ticketOr404(world, params.id as string);
		const added = note(world, body.body as string, text(body, 'authorId') ?? null);
		ticket.notes.push(added);
		ticket.updatedAt = added.createdAt;
		return record(added);
	},
};
