import { type Clock, iso } from './clock.mts';
import type { SandboxOptions } from './options.mts';
import { idMaker, seededRandom } from './random.mts';
import {
	type Broadcast,
	type Channel,
	type Chat,
	type Contact,
	type Flow,
	type ImportJob,
	type Message,
	type Segment,
	type Template,
	type Ticket,
	type User,
	SEARCH_TEXT,
} from './records.mts';
import { Table } from './table.mts';

/** The digits of a phone number: "+1 555 010 0000" is "15550100000". */
export const digits = (phone: string): string => phone.replace(/\D/g, '');

const isPhone = (text: string): boolean => /^\+?[\d ]+$/.test(text);

/** The business-scoped ID of a customer who hides the phone number: "US.13491208655302741918". */
export const isUserId = (text: string): boolean => /^[A-Z]{2}\.[A-Za-z\d]{1,128}$/.test(text);

/** All data of the service, in memory. */
export class World {
	readonly random: () => number;
	readonly newId: () => string;

	readonly contacts = new Table<Contact>();
	readonly chats = new Table<Chat>();
	readonly tickets = new Table<Ticket>();
	readonly segments = new Table<Segment>();
	readonly templates = new Table<Template>();
	readonly broadcasts = new Table<Broadcast>();
	readonly imports = new Table<ImportJob>();
	readonly flows = new Table<Flow>();
	readonly channels = new Table<Channel>();
	readonly users = new Table<User>();
	/** Messages of a chat, oldest first. */
	readonly messages = new Map<string, Message[]>();
	organization = {
		id: '',
		name: 'Example Organization',
		timezone: 'Europe/Berlin',
		plan: 'Business',
		createdAt: '',
	};
	credits = { session: 0, flowTrigger: 0 };

	private readonly contactByWaId = new Map<string, Contact>();
	private readonly contactByIgId = new Map<string, Contact>();
	private readonly ticketByNumber = new Map<string, Ticket>();
	private readonly chatsByContact = new Map<string, Chat[]>();
	private lastTicketNumber = 1000;

	constructor(
		readonly clock: Clock,
		seed: number,
		private readonly plus: SandboxOptions['shapes']['plus'] = 'other',
	) {
		this.random = seededRandom(seed);
		this.newId = idMaker(this.random);
	}

	now(): number {
		return this.clock.now();
	}

	addContact(fields: Partial<Contact> & { name: string }): Contact {
		const at = iso(this.now());
		const contact: Contact = {
			id: this.newId(),
			customName: null,
			waId: null,
			igId: null,
			igUsername: null,
			customFields: [],
			createdAt: at,
			updatedAt: at,
			...fields,
		};
		this.contacts.add(contact);
		this.indexContact(contact);
		return contact;
	}

	/** Changes a contact and keeps the indexes by waId and igId current. */
	changeContact(contact: Contact, changes: Partial<Contact>): Contact {
		if (contact.waId) this.contactByWaId.delete(this.waIdKey(contact.waId));
		if (contact.igId) this.contactByIgId.delete(contact.igId);
		Object.assign(contact, changes, { updatedAt: iso(this.now()) });
		this.indexContact(contact);
		return contact;
	}

	private indexContact(contact: Contact): void {
		if (contact.waId) this.contactByWaId.set(this.waIdKey(contact.waId), contact);
		if (contact.igId) this.contactByIgId.set(contact.igId, contact);
		contact[SEARCH_TEXT] = [contact.name, contact.waId, contact.igId, contact.igUsername]
			.join('\n')
			.toLowerCase();
	}

	/** The same for WhatsApp IDs of the same contact. Whether a plus makes another contact is undocumented. */
	private waIdKey(waId: string): string {
		return this.plus === 'same' && isPhone(waId) ? digits(waId) : waId;
	}

	findContactByWaId(waId: string): Contact | undefined {
		return this.contactByWaId.get(this.waIdKey(waId));
	}

	findContactByIgId(igId: string): Contact | undefined {
		return this.contactByIgId.get(igId);
	}

	/** By cuid, waId or igId, as GET and PATCH /contacts/{id} address it. */
	findContact(key: string): Contact | undefined {
		const byWaId = isPhone(key) || isUserId(key) ? this.findContactByWaId(key) : undefined;
		return this.contacts.get(key) ?? byWaId ?? this.findContactByIgId(key);
	}

	addChat(fields: Omit<Chat, 'id' | 'createdAt'>): Chat {
		const chat: Chat = { ...fields, id: this.newId(), createdAt: iso(this.now()) };
		this.chats.add(chat);
		const chats = this.chatsByContact.get(chat.contactId) ?? [];
		chats.push(chat);
		this.chatsByContact.set(chat.contactId, chats);
		return chat;
	}

	/** The chat of a contact, in one channel instance if given. */
	chatOf(contactId: string, channelId?: string): Chat | undefined {
		return this.chatsByContact
			.get(contactId)
			?.find((chat) => !channelId || chat.channelId === channelId);
	}

	addMessage(
		chat: Chat,
		fields: Omit<Message, 'id' | 'chatId' | 'createdAt'>,
		at = this.now(),
	): Message {
		const message: Message = {
			...fields,
			id: `wamid.${this.newId()}`,
			chatId: chat.id,
			createdAt: iso(at),
		};
		const messages = this.messages.get(chat.id) ?? [];
		messages.push(message);
		this.messages.set(chat.id, messages);
		if (message.direction === 'INBOUND') chat.lastInboundAt = at;
		return message;
	}

	addTicket(fields: Partial<Ticket> & { title: string }): Ticket {
		const at = iso(this.now());
		const ticket: Ticket = {
			id: this.newId(),
			ticketNumber: String(++this.lastTicketNumber),
			status: 'OPEN',
			priority: 'MEDIUM',
			assigneeId: null,
			contactId: null,
			chatId: null,
			notes: [],
			createdAt: at,
			updatedAt: at,
			...fields,
		};
		this.tickets.add(ticket);
		this.ticketByNumber.set(ticket.ticketNumber, ticket);
		return ticket;
	}

	/** By id or number, as /tickets/{id} addresses it. */
	findTicket(key: string): Ticket | undefined {
		return this.tickets.get(key) ?? this.ticketByNumber.get(key);
	}

	/** Removes a ticket, which is possible in the dashboard but not with the API. */
	deleteTicket(id: string): void {
		const ticket = this.tickets.get(id);
		if (ticket) this.ticketByNumber.delete(ticket.ticketNumber);
		this.tickets.delete(id);
	}

	defaultChannel(type: string): Channel | undefined {
		const ofType = this.channels.filter((channel) => channel.type === type);
		return ofType.find((channel) => channel.isDefault) ?? ofType[0];
	}
}
