import { iso } from '../clock.mts';
import type { Note, Priority, Ticket, TicketStatus } from '../records.mts';
import { invalid, notFound, record } from '../replies.mts';
import type { World } from '../world.mts';
import {
	type ServiceCall,
	type Service,
	namedContact,
	requireUser,
	tablePage,
	text,
} from './service.mts';

const STATUSES: readonly TicketStatus[] = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
const PRIORITIES: readonly Priority[] = ['LOW', 'MEDIUM', 'HIGH', 'URGENT'];

/** A ticket as lists show it; its notes are in the details. */
function ticketView({ notes: _details, ...ticket }: Ticket): unknown {
	return ticket;
}

function ticketOr404(world: World, key: string): Ticket {
	const ticket = world.findTicket(key);
	if (!ticket) throw notFound('Ticket');
	return ticket;
}

/**
 * Priority or status of a new ticket. The document calls them objects and shows no values; in the update of a ticket,
 * they are names. `shapes` says which of the two the service expects.
 */
function choice<T extends string>(
	{ body, options }: ServiceCall,
	field: 'priority' | 'status',
	allowed: readonly T[],
): T | undefined {
	const value = body[field];
	if (value === undefined) return undefined;
	const isObject = typeof value === 'object';
	if (isObject !== (options.shapes.ticketChoices === 'object'))
		throw invalid(`${field} must be ${isObject ? 'a string' : 'an object'}`);
	const name = allowed.find((candidate) =>
		isObject ? Object.values(value as object).includes(candidate) : value === candidate,
	);
	if (name === undefined) throw invalid(`${field} must be one of ${allowed.join(', ')}`);
	return name;
}

/** The contact and the chat that a new ticket names. Creating a ticket lists no 404. */
function linked({ world, body }: ServiceCall): { contactId: string | null; chatId: string | null } {
	const ids = {
		id: text(body, 'contactId'),
		waId: text(body, 'contactWaId'),
		igId: text(body, 'contactIgId'),
	};
	const contact = namedContact(world, ids, 400);
	const chatId = text(body, 'chatId');
	if (!chatId) return { contactId: contact?.id ?? null, chatId: null };
	const chat = world.chats.get(chatId);
	if (!chat) throw invalid('The chat does not exist');
	if (contact && contact.id !== chat.contactId) throw invalid('The chat is of another contact');
	return { contactId: chat.contactId, chatId };
}

function note(world: World, body: string, authorId: string | null): Note {
	return { id: world.newId(), body, authorId, createdAt: iso(world.now()) };
}

export const tickets: Service = {
	listTickets(call) {
		const { status, assigneeId, contactId } = call.query;
		const filters = Object.entries({ status, assigneeId, contactId }).filter(
			([, value]) => value !== undefined,
		);
		const keep = (ticket: Ticket) =>
			filters.every(([name, value]) => ticket[name as keyof Ticket] === value);
		const filter = filters.length > 0 ? keep : undefined;
		return tablePage(call, 'tickets', call.world.tickets, filter, ticketView);
	},

	createTicket(call) {
		const { world, body } = call;
		requireUser(call, 'assigneeId');
		const description = text(body, 'description');
		const ticket = world.addTicket({
			title: body.title as string,
			status: choice(call, 'status', STATUSES) ?? 'OPEN',
			priority: choice(call, 'priority', PRIORITIES) ?? 'MEDIUM',
			...linked(call),
			assigneeId: text(body, 'assigneeId') ?? null,
			notes: description ? [note(world, description, null)] : [],
		});
		return record(ticketView(ticket));
	},

	getTicket: ({ world, params }) => record({ ...ticketOr404(world, params.id as string) }),

	updateTicket(call) {
		const { world, params, body } = call;
		const ticket = ticketOr404(world, params.id as string);
		requireUser(call, 'assigneeId');
		Object.assign(ticket, body, { updatedAt: iso(world.now()) });
		return record(ticketView(ticket));
	},

	addTicketNote(call) {
		const { world, params, body } = call;
		const ticket = ticketOr404(world, params.id as string);
		requireUser(call, 'authorId');
		const added = note(world, body.body as string, text(body, 'authorId') ?? null);
		ticket.notes.push(added);
		ticket.updatedAt = added.createdAt;
		return record(added);
	},
};
