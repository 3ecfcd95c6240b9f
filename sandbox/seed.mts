import { faker } from '@faker-js/faker/locale/en';
import { iso } from './clock.mts';
import type { Channel, Chat, Contact, Priority, Template, TicketStatus, User } from './records.mts';
import { seedBroadcasts } from './services/broadcasts.mts';
import type { World } from './world.mts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const AREA_CODES = 799;

/**
 * The n-th number of the range reserved for fiction: any area code, then 555-0100 to 555-0199.
 * Undefined once the range is used up.
 */
export function reservedPhone(n: number): string | undefined {
	const line = 100 + Math.floor(n / AREA_CODES);
	return line < 200 ? `1${201 + (n % AREA_CODES)}5550${line}` : undefined;
}

const TICKET_TOPICS = [
	'Delivery has not arrived',
	'Wrong size delivered',
	'Invoice needs a new address',
	'Refund for a returned parcel',
	'Voucher is not accepted',
	'Question about opening hours',
	'Appointment has to move',
	'App shows an old order',
];

/** Fills an empty world with invented people and their records, the same for the same seed. */
export function seedWorld(
	world: World,
	size: { contacts: number; tickets: number; seed: number },
): void {
	faker.seed(size.seed);
	const names = {
		first: Array.from({ length: 300 }, () => faker.person.firstName()),
		last: Array.from({ length: 300 }, () => faker.person.lastName()),
	};
	const pick = <T,>(list: readonly T[]): T => list[Math.floor(world.random() * list.length)] as T;

	world.organization.id = world.newId();
	world.organization.createdAt = iso(world.now() - 400 * DAY);
	const channels = seedChannels(world);
	const users = seedUsers(world);
	const contacts = seedContacts(
		world,
		size.contacts,
		() => `${pick(names.first)} ${pick(names.last)}`,
	);
	const chats = seedChats(world, contacts.slice(0, 120), channels, users);
	seedReadableChats(world, channels);
	seedTickets(world, size.tickets, contacts, chats, users, pick);
	seedSegments(world, contacts);
	seedTemplates(world, size.seed);
	seedFlows(world);
	seedBroadcasts(world);
}

function seedChannels(world: World): Channel[] {
	const rows: Omit<Channel, 'id'>[] = [
		{ name: 'Customer Care', type: 'WHATSAPP', phoneNumber: '12025550110', isDefault: true },
		{ name: 'Marketing', type: 'WHATSAPP', phoneNumber: '12025550111', isDefault: false },
		{ name: 'Instagram Shop', type: 'INSTAGRAM', phoneNumber: null, isDefault: true },
		{ name: 'Website Chat', type: 'WEBCHAT', phoneNumber: null, isDefault: true },
		{ name: 'Telegram Support', type: 'TELEGRAM', phoneNumber: null, isDefault: true },
		{ name: 'TikTok Store', type: 'TIKTOK_SHOP', phoneNumber: null, isDefault: true },
	];
	return rows.map((row) => world.channels.add({ id: world.newId(), ...row }));
}

function seedUsers(world: World): User[] {
	return Array.from({ length: 14 }, (_, i) => {
		const first = faker.person.firstName();
		const last = faker.person.lastName();
		const email = `${first}.${last}@example.com`.toLowerCase().replace(/[^a-z.@]/g, '');
		const role = i === 0 ? 'ADMIN' : i < 3 ? 'SUPERVISOR' : 'AGENT';
		return world.users.add({ id: world.newId(), name: `${first} ${last}`, email, role });
	});
}

function seedContacts(world: World, count: number, name: () => string): Contact[] {
	const contacts: Contact[] = [];
	let phones = 0;
	const createdAt = iso(world.now() - 30 * DAY);
	for (let i = 0; i < count; i++) {
		const waId = i % 10 < 7 ? reservedPhone(phones++) : undefined;
		const fullName = name();
		const contact = waId
			? { name: fullName, waId }
			: {
					name: fullName,
					// Too many digits for a number.
					igId: `1784140000${String(i).padStart(7, '0')}`,
					igUsername: `${fullName.toLowerCase().replace(/\W+/g, '.')}.${i}`,
				};
		contacts.push(world.addContact({ ...contact, createdAt, updatedAt: createdAt }));
	}
	for (const contact of contacts.slice(0, 50)) {
		contact.customFields.push({ id: world.newId(), label: 'city', value: faker.location.city() });
	}
	return contacts;
}

/**
 * Every third chat is within the 24-hour window and has a session, every third is within it without a session, the
 * rest are outside.
 */
function seedChats(world: World, contacts: Contact[], channels: Channel[], users: User[]): Chat[] {
	const channelOf = (type: string) => channels.find((channel) => channel.type === type) as Channel;
	// A sentence for each message would take longer than everything else of a small world.
	const sentences = Array.from({ length: 40 }, () => faker.lorem.sentence());
	let spoken = 0;
	const content = () => ({ text: sentences[spoken++ % sentences.length] });
	return contacts.map((contact, i) => {
		const type = contact.waId ? 'WHATSAPP' : 'INSTAGRAM';
		const agent = users[i % users.length] as User;
		const chat = world.addChat({
			channel: type,
			channelId: channelOf(type).id,
			contactId: contact.id,
			needsEscalation: i % 12 === 5,
			escalationReason: i % 12 === 5 ? 'Asked for a human agent' : null,
			assigneeId: i % 3 === 0 ? agent.id : null,
			session: null,
			lastInboundAt: null,
		});
		const last = world.now() - (i % 3 === 2 ? 3 * DAY : HOUR);
		// The first chat has a history of several pages.
		const turns = i === 0 ? 120 : 2;
		for (let turn = turns; turn > 0; turn--) {
			const at = last - turn * 10 * 60_000;
			world.addMessage(
				chat,
				{ direction: 'OUTBOUND', type: 'text', content: content(), agentId: agent.id },
				at,
			);
			world.addMessage(
				chat,
				{ direction: 'INBOUND', type: 'text', content: content(), agentId: null },
				at + 60_000,
			);
		}
		if (i % 3 === 0)
			chat.session = { id: world.newId(), agentId: agent.id, kind: 'AGENT', startedAt: iso(last) };
		return chat;
	});
}

/** A chat of each channel that can be read and not be written to. Its contact has neither waId nor igId. */
function seedReadableChats(world: World, channels: Channel[]): void {
	const createdAt = iso(world.now() - 3 * DAY);
	for (const { id: channelId, type: channel, name } of channels) {
		if (channel === 'WHATSAPP' || channel === 'INSTAGRAM') continue;
		const contact = world.addContact({
			name: `Visitor of ${name}`,
			createdAt,
			updatedAt: createdAt,
		});
		const chat = world.addChat({
			channel,
			channelId,
			contactId: contact.id,
			needsEscalation: false,
			escalationReason: null,
			assigneeId: null,
			session: { id: world.newId(), agentId: null, kind: 'AI', startedAt: createdAt },
			lastInboundAt: null,
		});
		const content = { text: 'Are you there?' };
		const question = { direction: 'INBOUND', type: 'text', content, agentId: null } as const;
		world.addMessage(chat, question, world.now() - HOUR);
	}
}

function seedTickets(
	world: World,
	count: number,
	contacts: Contact[],
	chats: Chat[],
	users: User[],
	pick: <T>(list: readonly T[]) => T,
): void {
	// Most tickets are closed, as in a service that has been used for a while; the newest are open.
	const moving: TicketStatus[] = ['OPEN', 'OPEN', 'IN_PROGRESS', 'RESOLVED'];
	const priorities: Priority[] = ['LOW', 'MEDIUM', 'MEDIUM', 'HIGH', 'URGENT'];
	const stillMoving = Math.min(600, Math.ceil(count * 0.3));
	for (let i = 0; i < count; i++) {
		const chat = i >= count - chats.length ? chats[count - 1 - i] : undefined;
		const at = iso(world.now() - (count - i) * 60_000);
		world.addTicket({
			title: pick(TICKET_TOPICS),
			status: i >= count - stillMoving ? pick(moving) : 'CLOSED',
			priority: pick(priorities),
			assigneeId: i % 4 === 0 ? null : pick(users).id,
			contactId: chat?.contactId ?? (contacts.length ? pick(contacts).id : null),
			chatId: chat?.id ?? null,
			createdAt: at,
			updatedAt: at,
		});
	}
}

function seedSegments(world: World, contacts: Contact[]): void {
	const at = iso(world.now() - 20 * DAY);
	const add = (name: string, description: string, members: Contact[], isDynamic = false) =>
		world.segments.add({
			id: world.newId(),
			name,
			description,
			isDynamic,
			rules: isDynamic ? { channel: 'INSTAGRAM' } : null,
			members: new Set(members.map((contact) => contact.id)),
			createdAt: at,
		});
	add(
		'Newsletter',
		'Newsletter subscribers',
		contacts.filter((contact) => contact.waId).slice(0, 260),
	);
	add('Returning customers', 'Bought at least twice', contacts.slice(0, 40));
	add('Instagram', 'Contacts who write on Instagram', [], true);
}

function seedTemplates(world: World, seed: number): void {
	const body = (text: string) => ({ type: 'BODY', text });
	const rows: Pick<Template, 'name' | 'category' | 'language' | 'components'>[] = [
		{
			name: 'ticket_update',
			category: 'UTILITY',
			language: 'en_US',
			components: [
				{
					...body('Hello {{1}}, your ticket {{2}} is now {{3}}.'),
					example: { body_text: [['Nathan', '1042', 'in progress']] },
				},
			],
		},
		{
			name: 'spring_sale',
			category: 'MARKETING',
			language: 'en_US',
			components: [
				{ type: 'HEADER', format: 'IMAGE' },
				body('Hello {{1}}, everything is {{2}} off until Sunday.'),
				{ type: 'FOOTER', text: 'Reply STOP to leave' },
				{
					type: 'BUTTONS',
					buttons: [{ type: 'URL', text: 'Shop', url: 'https://shop.example.com/{{1}}' }],
				},
			],
		},
		{
			name: 'welcome',
			category: 'MARKETING',
			language: 'en_US',
			components: [body('Welcome, {{name}}!')],
		},
		{
			name: 'welcome',
			category: 'MARKETING',
			language: 'de',
			components: [body('Willkommen, {{name}}!')],
		},
		{
			name: 'login_code',
			category: 'AUTHENTICATION',
			language: 'en_US',
			components: [
				body('{{1}} is your code.'),
				{ type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', text: 'Copy code' }] },
			],
		},
	];
	for (const [index, row] of rows.entries()) {
		world.templates.add({
			...row,
			// The example workflows have picked templates with these IDs.
			id: String(1_000_000_000_000_001 + 10 * (seed - 1) + index),
			channelId: null,
			status: 'APPROVED',
			decision: 'APPROVED',
			createdAt: iso(world.now() - 60 * DAY),
		});
	}
}

function seedFlows(world: World): void {
	for (const [name, keyword, active] of [
		['Welcome journey', 'welcome', true],
		['Order status', 'order', true],
		['Feedback after delivery', 'feedback', true],
		['Summer campaign', 'summer', false],
	] as const) {
		world.flows.add({
			id: world.newId(),
			name,
			keyword,
			active,
			createdAt: iso(world.now() - 50 * DAY),
		});
	}
}
