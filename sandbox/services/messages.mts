import type { Chat, Contact, Template } from '../records.mts';
import { conflict, invalid, notFound, record } from '../replies.mts';
import { digits } from '../world.mts';
import type { ServiceCall, Service } from './service.mts';
import { text } from './service.mts';
import { holdSession } from './sessions.mts';
import { findTemplate } from './templates.mts';

const WINDOW_MS = 24 * 3_600_000;

/** The chat of a message; created if the contact has none in the channel yet. */
function chatFor(
	{ world, body }: ServiceCall,
	contact: Contact,
	type: 'WHATSAPP' | 'INSTAGRAM',
): Chat {
	const channelId = text(body, 'channelId');
	if (channelId && world.channels.get(channelId)?.type !== type) throw notFound('Channel');
	const known = world.chatOf(contact.id, channelId);
	if (known) return known;
	return world.addChat({
		channel: type,
		channelId: channelId ?? (world.defaultChannel(type)?.id as string),
		contactId: contact.id,
		needsEscalation: false,
		escalationReason: null,
		assigneeId: null,
		session: null,
		lastInboundAt: null,
	});
}

/** The recipient. A template may be sent to a number without a contact. */
function recipient({ world, body }: ServiceCall, type: 'WHATSAPP' | 'INSTAGRAM'): Contact {
	const to = body.to as string;
	const known = type === 'WHATSAPP' ? world.findContactByWaId(to) : world.findContactByIgId(to);
	if (known) return known;
	if (type === 'INSTAGRAM' || digits(to).length < 7) throw notFound('Contact');
	return world.addContact({ name: to, waId: digits(to) });
}

function claimSession({ world, body }: ServiceCall, chat: Chat): void {
	const agentId = text(body, 'agentId');
	if (agentId && !world.users.get(agentId))
		throw invalid('agentId is not a user of the organization');
	if (!chat.session) {
		if (!agentId) throw invalid('agentId is required: the contact has no active session');
		holdSession(world, chat, agentId);
	} else if (agentId && chat.session.agentId !== agentId) {
		if (body.takeOver !== true)
			throw conflict('The contact has an active session with another agent');
		holdSession(world, chat, agentId);
	}
}

/** Rejects a wrong number of variables, if the template's are numbered. */
function checkVariables(template: Template, components: unknown[]): void {
	for (const part of template.components as { type: string; text?: string }[]) {
		if (part.type !== 'BODY' || !part.text) continue;
		const wanted = new Set(part.text.match(/\{\{\s*\w+\s*\}\}/g)).size;
		const given = components.find(
			(component) => (component as { type?: string }).type?.toLowerCase() === 'body',
		);
		const parameters = (given as { parameters?: unknown[] } | undefined)?.parameters?.length ?? 0;
		if (parameters !== wanted)
			throw invalid(`Template body has ${wanted} variables, ${parameters} were given`);
	}
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

export const messages: Service = {
	sendMessage(call) {
		const { world, body } = call;
		const channel = body.channel === 'INSTAGRAM' ? 'INSTAGRAM' : 'WHATSAPP';
		const template = body.type === 'template' ? findTemplate(world, body) : undefined;
		if (template) {
			if (template.status !== 'APPROVED')
				throw invalid(`Template ${template.name} is not approved`);
			checkVariables(template, (body.templateComponents as unknown[] | undefined) ?? []);
		}
		const contact = recipient(call, channel);
		const chat = chatFor(call, contact, channel);
		if (channel === 'WHATSAPP') {
			const open = chat.lastInboundAt !== null && world.now() - chat.lastInboundAt <= WINDOW_MS;
			if (!template && !open)
				throw invalid(
					'Outside the 24-hour window: free-form messages are not allowed, send an approved template',
				);
			claimSession(call, chat);
		}
		const message = world.addMessage(chat, {
			direction: 'OUTBOUND',
			type: body.type as string,
			content: contentOf(body, template),
			agentId: text(body, 'agentId') ?? chat.session?.agentId ?? null,
		});
		return record({
			id: message.id,
			chatId: chat.id,
			contactId: contact.id,
			to: body.to,
			channel,
			status: 'SENT',
		});
	},
};
