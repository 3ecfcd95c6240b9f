import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { sentAt } from '../../api/chatMessage';
import { forEachConcurrent } from '../../api/concurrency';
import { READS_AT_ONCE } from '../limits';
import { itemsOf, shownDirections } from './items';
import type { ChatRow, MessageService } from './service';
import type { MessageSubscription } from './subscription';
import { directionError } from './texts';

/** The number of chats that are read for a test event. */
const CHATS = 10;

/** The number of messages of each. */
const TAKE = 10;

/**
 * The newest message in the form of an event, for "Fetch Test Event": of the first chats of the list, whose order is
 * undocumented.
 *
 * @returns [] if there is none
 * @throws NodeOperationError if no message shows its direction and only those of customers are wanted
 */
export async function newestMessage(
	service: MessageService,
	subscription: MessageSubscription,
	node: INode,
): Promise<INodeExecutionData[]> {
	const { chats } = await service.chats(1);
	const read: { chat: ChatRow; messages: IDataObject[] }[] = [];
	await forEachConcurrent(chats.slice(0, CHATS), READS_AT_ONCE, async (chat, i) => {
		read[i] = { chat, messages: (await service.messages(chat.id, TAKE)) ?? [] };
	});
	const { isShown, example } = shownDirections(read, subscription);
	if (subscription.from === 'customers' && example && !isShown)
		throw directionError(node, example, subscription.direction);
	const newest = read.map(({ chat, messages }) => {
		const [item] = messages.flatMap((message) => itemsOf({ chat, news: [message] }, subscription));
		return { item, time: (messages[0] && sentAt(messages[0])) ?? 0 };
	});
	const [first] = newest
		.filter(({ item }) => item !== undefined)
		.sort((one, other) => other.time - one.time);
	return first?.item ? [first.item] : [];
}
