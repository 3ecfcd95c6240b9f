/** Chats and messages in one of the shapes that are usual for such services; the document shows none. */
import type { SandboxOptions } from './options.mts';
import type { Chat, Message } from './records.mts';
import type { World } from './world.mts';

type Shapes = SandboxOptions['shapes'];

/** When a chat was last active, as its row shows it, in milliseconds since the epoch; 0 for never. */
function lastActivity(world: World, chat: Chat, { chatActivity }: Shapes): number {
	const messages = world.messages.get(chat.id) ?? [];
	const shown = chatActivity === 'sometimes' ? messages.length & ~1 : messages.length;
	const last = messages[shown - 1];
	return last ? Date.parse(last.createdAt) : 0;
}

/** What the row of a chat shows of its messages. */
export function activityData(world: World, chat: Chat, shapes: Shapes): Record<string, unknown> {
	const at = lastActivity(world, chat, shapes);
	const last = world.messages.get(chat.id)?.at(-1);
	return {
		...(['lastMessageAt', 'sometimes'].includes(shapes.chatActivity) && {
			lastMessageAt: at === 0 ? null : new Date(at).toISOString(),
		}),
		...(shapes.chatActivity === 'lastMessage' && {
			lastMessage: last ? messageData(last, shapes) : null,
		}),
		...(shapes.chatFetchedAt === 'yes' && { fetchedAt: `${world.now()}-${world.random()}` }),
	};
}

/** Chats by their last activity, the latest first. */
export const byActivity = (world: World, chats: Chat[], shapes: Shapes): Chat[] =>
	chats.toSorted(
		(one, other) => lastActivity(world, other, shapes) - lastActivity(world, one, shapes),
	);

export function messageData(message: Message, shapes: Shapes): Record<string, unknown> {
	const { id, type, content, agentId, createdAt } = message;
	const { text, ...others } = content;
	const body =
		shapes.messageText === 'text' || text === undefined
			? content
			: { ...others, text: { body: text } };
	return {
		id,
		...directionData(message, shapes),
		type,
		...body,
		agentId,
		...timeData(createdAt, shapes),
	};
}

function directionData(
	{ direction }: Message,
	{ messageDirection }: Shapes,
): Record<string, unknown> {
	const isInbound = direction === 'INBOUND';
	switch (messageDirection) {
		case 'direction':
			return { direction };
		case 'fromMe':
			return { fromMe: !isInbound };
		case 'senderType':
			return { sender: { type: isInbound ? 'CONTACT' : 'AGENT' } };
		case 'kind':
			return { kind: isInbound ? 'L' : 'R' };
		case 'none':
			return {};
	}
}

function timeData(createdAt: string, { messageTime }: Shapes): Record<string, unknown> {
	switch (messageTime) {
		case 'createdAt':
			return { createdAt };
		case 'seconds':
			return { timestamp: String(Math.floor(Date.parse(createdAt) / 1000)) };
		case 'milliseconds':
			return { timestamp: Date.parse(createdAt) };
		case 'none':
			return {};
	}
}
