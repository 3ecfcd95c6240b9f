import { iso } from '../clock.mts';
import type { Chat } from '../records.mts';
import { conflict, invalid, notFound, record } from '../replies.mts';
import type { World } from '../world.mts';
import { type ServiceCall, type Service, namedContact, requireUser } from './service.mts';

/** The chat of the contact with this waId, igId or contactId. */
function chatOfContact(world: World, fields: Record<string, unknown>): Chat {
	const { waId, igId, contactId, channelId } = fields as Record<string, string | undefined>;
	const contact = namedContact(world, { id: contactId, waId, igId }, 404);
	if (!contact) throw invalid('One of waId, igId or contactId is required');
	const chat = world.chatOf(contact.id, channelId);
	if (!chat) throw notFound('Chat');
	return chat;
}

function sessionView(chat: Chat): unknown {
	return {
		active: chat.session !== null,
		chatId: chat.id,
		contactId: chat.contactId,
		session: chat.session,
	};
}

/** Starts or transfers the session of a chat; also used for messages and flows. @param agentId null for a flow */
export function holdSession(world: World, chat: Chat, agentId: string | null): void {
	const kind = agentId === null ? 'FLOW' : 'AGENT';
	chat.session = { id: world.newId(), agentId, kind, startedAt: iso(world.now()) };
}

function moveSession(call: ServiceCall, chat: Chat): void {
	const { world, body } = call;
	const agentId = body.agentId as string;
	const action = body.action ?? 'START';
	requireUser(call, 'agentId');
	if (action === 'START' && chat.session)
		throw conflict('The contact already has an active session');
	if (action === 'TAKEOVER' && chat.session?.kind !== 'AGENT')
		throw conflict('The contact has no session with another agent to take over');
	if (action === 'TAKEOVER' && chat.session?.agentId === agentId)
		throw conflict('The agent already has the session');
	if (action === 'END' && !chat.session) throw conflict('The contact has no active session');
	if (action === 'END') chat.session = null;
	else holdSession(world, chat, agentId);
}

export const sessions: Service = {
	getChatSession: ({ world, query }) => record(sessionView(chatOfContact(world, query))),

	manageChatSession(call) {
		const chat = chatOfContact(call.world, call.body);
		if (call.world.credits.session <= 0) throw invalid('No session credits left');
		moveSession(call, chat);
		call.world.credits.session--;
		return record(sessionView(chat));
	},
};
