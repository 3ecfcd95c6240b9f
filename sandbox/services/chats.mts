import type { PageSize } from '../contract.mts';
import { activityData, byActivity, messageData } from '../conversationShapes.mts';
import type { Chat, User } from '../records.mts';
import { invalid, metaOf, notFound, pageOf, record } from '../replies.mts';
import type { World } from '../world.mts';
import { type Service, requireUser, tablePage } from './service.mts';

/** A chat as lists show it. Where it shows that it is escalated is undocumented; only the filter is documented. */
function chatView(world: World, chat: Chat): Record<string, unknown> {
	const contact = world.contacts.get(chat.contactId);
	const assignee = chat.assigneeId ? world.users.get(chat.assigneeId) : undefined;
	return {
		id: chat.id,
		channel: chat.channel,
		channelId: chat.channelId,
		contactId: chat.contactId,
		contact: contact && {
			id: contact.id,
			name: contact.name,
			waId: contact.waId,
			igId: contact.igId,
		},
		escalation: { active: chat.needsEscalation, reason: chat.escalationReason },
		assignee: assignee ? { id: assignee.id, name: assignee.name } : null,
		activeSession: chat.session,
		createdAt: chat.createdAt,
	};
}

function chatOr404(world: World, id: string): Chat {
	const chat = world.chats.get(id);
	if (!chat) throw notFound('Chat');
	return chat;
}

export const chats: Service = {
	listChats(call) {
		const { world, query } = call;
		const contact =
			query.waId === undefined ? undefined : world.findContactByWaId(String(query.waId));
		const keep = (chat: Chat) =>
			(query.waId === undefined || chat.contactId === contact?.id) &&
			(query.contactId === undefined || chat.contactId === query.contactId) &&
			(query.channelId === undefined || chat.channelId === query.channelId) &&
			(query.channel === undefined || chat.channel === query.channel) &&
			(query.needsEscalation === undefined || chat.needsEscalation === query.needsEscalation) &&
			(query.assigneeId === undefined || chat.assigneeId === query.assigneeId);
		const { shapes } = call.options;
		const view = (chat: Chat) => ({
			...chatView(world, chat),
			...activityData(world, chat, shapes),
		});
		const sort =
			shapes.chatOrder === 'activity'
				? (chats: Chat[]) => byActivity(world, chats, shapes)
				: undefined;
		return tablePage(call, 'chats', world.chats, keep, view, sort);
	},

	getChat: ({ world, params }) => record(chatView(world, chatOr404(world, params.id as string))),

	assignChat(call) {
		const { world, params, body } = call;
		const chat = chatOr404(world, params.id as string);
		requireUser(call, 'agentId');
		chat.assigneeId = body.agentId as string | null;
		return record(chatView(world, chat));
	},

	escalateChat({ world, params, body }) {
		const chat = chatOr404(world, params.id as string);
		chat.needsEscalation = true;
		chat.escalationReason = (body.reason as string | undefined) ?? null;
		if (chat.session?.kind !== 'AGENT') chat.session = null;
		// The auto-assignment rule of the sandbox: an unassigned chat is assigned to the agent with the fewest chats.
		if (!chat.assigneeId) chat.assigneeId = leastBusyAgent(world);
		return record(chatView(world, chat));
	},

	deEscalateChat({ world, params, body }) {
		const chat = chatOr404(world, params.id as string);
		chat.needsEscalation = false;
		chat.escalationReason = (body.reason as string | undefined) ?? null;
		return record(chatView(world, chat));
	},

	listChatMessages({ world, options, params, query, pageSize }) {
		const chat = chatOr404(world, params.id as string);
		const { limit: take } = pageOf({ limit: query.take }, pageSize as PageSize);
		const { shapes } = options;
		const oldestFirst = world.messages.get(chat.id) ?? [];
		const ordered = shapes.messageOrder === 'oldest' ? oldestFirst : oldestFirst.toReversed();
		const cursor =
			query.cursor === undefined ? -1 : ordered.findIndex(({ id }) => id === query.cursor);
		if (query.cursor !== undefined && cursor < 0)
			throw invalid('cursor is not a message of this chat');
		const rows = ordered
			.slice(cursor + 1, cursor + 1 + take)
			.map((message) => messageData(message, shapes));
		const meta = metaOf(ordered.length, { page: 1, limit: take });
		return { kind: 'list', name: 'messages', rows, meta };
	},
};

function leastBusyAgent(world: World): string | null {
	const load = ({ id }: User) => world.chats.filter(({ assigneeId }) => assigneeId === id).length;
	const agents = world.users.filter(({ role }) => role === 'AGENT');
	return agents.toSorted((one, other) => load(one) - load(other))[0]?.id ?? null;
}
