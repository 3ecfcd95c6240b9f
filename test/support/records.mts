/** Records that tests add to the sandbox. What a test does not name is as usual. */
import { iso } from '../../sandbox/clock.mts';
import type { Chat, ImportJob, Message, Segment, Template } from '../../sandbox/records.mts';
import type { World } from '../../sandbox/world.mts';

/** A static segment. */
export function addSegment(
	world: World,
	members: Iterable<string>,
	fields: Partial<Segment> = {},
): Segment {
	const id = world.newId();
	return world.segments.add({
		id,
		name: `Segment ${id}`,
		description: null,
		isDynamic: false,
		rules: null,
		members: new Set(members),
		createdAt: iso(world.now()),
		...fields,
	});
}

/** An approved template in English, for all channels. */
export const addTemplate = (
	world: World,
	fields: Pick<Template, 'id' | 'name'> & Partial<Template>,
): Template =>
	world.templates.add({
		category: 'UTILITY',
		language: 'en_US',
		components: [{ type: 'BODY', text: 'Hello' }],
		channelId: null,
		status: 'APPROVED',
		decision: 'APPROVED',
		createdAt: iso(world.now()),
		...fields,
	});

/** An import job without rows. */
export const addImportJob = (world: World, fields: Partial<ImportJob> = {}): ImportJob =>
	world.imports.add({
		id: world.newId(),
		fileName: 'contacts.csv',
		total: 0,
		failedRows: [],
		pending: [],
		taken: 0,
		queuedAt: world.now(),
		createdAt: iso(world.now()),
		...fields,
	});

/** A chat on WhatsApp whose customer has just written, without a session. */
export const addChat = (world: World, contactId: string, fields: Partial<Chat> = {}): Chat =>
	world.addChat({
		channel: 'WHATSAPP',
		channelId: world.defaultChannel('WHATSAPP')!.id,
		contactId,
		needsEscalation: false,
		escalationReason: null,
		assigneeId: null,
		session: null,
		lastInboundAt: world.now(),
		...fields,
	});

/** A text of the customer. */
export const addText = (
	world: World,
	chat: Chat,
	text: string,
	fields: Partial<Message> = {},
): Message =>
	world.addMessage(chat, {
		direction: 'INBOUND',
		type: 'text',
		content: { text },
		agentId: null,
		...fields,
	});
