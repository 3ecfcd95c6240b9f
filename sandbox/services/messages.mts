import type { Chat, Contact, Template } from '../records.mts';
import { conflict, invalid, notFound, record } from '../replies.mts';
import { digits, isUserId, type World } from '../world.mts';
import { type ServiceCall, type Service, namedChannel, requireUser, text } from './service.mts';
import { holdSession } from './sessions.mts';
import { checkVariables } from './templateComponents.mts';
import { findTemplate } from './templates.mts';

const WINDOW_MS = 24 * 3_600_000;

type SendableChannel = 'WHATSAPP' | 'INSTAGRAM';

/** Where a message is sent: to a contact and a chat that exist, or to those that it creates. */
interface Recipient {
	contact?: Contact;
	chat?: Chat;
	channelId: string;
}

/**
 * The recipient of a message. Only a template can be sent to a number without a contact, because any other message
 * requires one of the customer.
 */
function recipient(call: ServiceCall, type: SendableChannel): Recipient {
	const { world, body } = call;
	const to = body.to as string;
	const named = namedChannel(call, type, 404)?.id;
	const contact = type === 'WHATSAPP' ? world.findContactByWaId(to) : world.findContactByIgId(to);
	const isKnown = isUserId(to) || digits(to).length >= 7;
	if (!contact && (type === 'INSTAGRAM' || !isKnown)) throw notFound('Contact');
	const chat = contact && world.chatOf(contact.id, named);
	const channelId = named ?? chat?.channelId ?? world.defaultChannel(type)?.id;
	if (channelId === undefined) throw notFound('Channel');
	return { contact, chat, channelId };
}

/** The contact and the chat of an accepted message. A rejected one creates neither. */
function chatFor(
	{ world, body }: ServiceCall,
	type: SendableChannel,
	{ contact, chat, channelId }: Recipient,
): Chat {
	if (chat) return chat;
	const to = body.to as string;
	const owner = contact ?? world.addContact({ name: to, waId: to });
	return world.addChat({
		channel: type,
		channelId,
		contactId: owner.id,
		needsEscalation: false,
		escalationReason: null,
		assigneeId: null,
		session: null,
		lastInboundAt: null,
	});
}

/**
 * The agent to whom a WhatsApp message gives the session of its chat; undefined if the session stays as it is. A
 * session that a flow or the AI holds is not another agent's: the message is sent within it.
 */
function newHolder({ body }: ServiceCall, chat: Chat | undefined): string | undefined {
	const agentId = text(body, 'agentId');
	const session = chat?.session;
	if (!session) {
		if (!agentId) throw invalid('agentId is required: the contact has no active session');
		return agentId;
	}
	if (!agentId || session.kind !== 'AGENT' || session.agentId === agentId) return undefined;
	if (body.takeOver !== true)
		throw conflict('The contact has an active session with another agent');
	return agentId;
}

/** A reply is to a message of the same chat. Whether it must be is undocumented. */
function checkReply({ world, body }: ServiceCall, chat: Chat | undefined): void {
	const contextId = text(body, 'contextId');
	const messages = chat ? (world.messages.get(chat.id) ?? []) : [];
	if (contextId && !messages.some(({ id }) => id === contextId))
		throw invalid('contextId is not a message of this chat');
}

function contentOf(
	body: Record<string, unknown>,
	template: Template | undefined,
): Record<string, unknown> {
	const names = [
		'text',
		'mediaId',
		'mediaUrl',
		'caption',
		'fileName',
		'previewUrl',
		'contextId',
		'templateComponents',
	];
	const content = Object.fromEntries(
		names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
	);
	return template
		? { ...content, templateName: template.name, templateLanguage: template.language }
		: content;
}

function isWindowOpen(world: World, chat: Chat | undefined): boolean {
	const last = chat?.lastInboundAt ?? null;
	return last !== null && world.now() - last <= WINDOW_MS;
}

export const messages: Service = {
	sendMessage(call) {
		const { world, body } = call;
		const channel = body.channel === 'INSTAGRAM' ? 'INSTAGRAM' : 'WHATSAPP';
		// The document speaks of templates for WhatsApp only.
		if (channel === 'INSTAGRAM' && body.type === 'template')
			throw invalid('Templates are for WhatsApp');
		const to = recipient(call, channel);
		const template = body.type === 'template' ? findTemplate(world, body, to.channelId) : undefined;
		if (template) {
			if (template.status !== 'APPROVED')
				throw invalid(`Template ${template.name} is not approved`);
			checkVariables(template, (body.templateComponents as unknown[] | undefined) ?? []);
		}
		if (channel === 'WHATSAPP' && !template && !isWindowOpen(world, to.chat)) {
			throw invalid(
				'Outside the 24-hour window: free-form messages are not allowed, send an approved template',
			);
		}
		requireUser(call, 'agentId');
		checkReply(call, to.chat);
		const holder = channel === 'WHATSAPP' ? newHolder(call, to.chat) : undefined;
		const chat = chatFor(call, channel, to);
		if (holder) holdSession(world, chat, holder);
		const message = world.addMessage(chat, {
			direction: 'OUTBOUND',
			type: body.type as string,
			content: contentOf(body, template),
			agentId: text(body, 'agentId') ?? chat.session?.agentId ?? null,
		});
		return record({
			id: message.id,
			chatId: chat.id,
			contactId: chat.contactId,
			to: body.to,
			channel,
			status: 'SENT',
		});
	},
};
