import type { INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { forEachConcurrent } from '../../api/concurrency';
import { READS_AT_ONCE } from '../limits';
import type { Message } from './history';
import { readHistory } from './history';
import { itemsOf } from './items';
import type { ChatMessages } from './recognition';
import { recognize } from './recognition';
import type { ChatRow, MessageService } from './service';
import type { MessageSubscription } from './subscription';

/** The number of chats that are read for a test event, and of messages of each. */
const CHATS = 10;
const TAKE = 10;

/** "Fetch Test Event" found no message. */
export const noMessage = ({ from }: MessageSubscription): string =>
	`no message${from === 'customers' ? ' from a customer' : ''} was found in the first ${CHATS} chats`;

/**
 * The newest message in the form of an event, for "Fetch Test Event": of the first chats of the list, whose order is
 * undocumented.
 *
 * @returns [] if there is none
 * @throws NodeApiError if there is none, and a chat could not be read
 * @throws NodeOperationError if messages do not show what the trigger needs
 */
export async function newestMessage(
	service: MessageService,
	subscription: MessageSubscription,
	node: INode,
): Promise<INodeExecutionData[]> {
	const { chats } = await service.chats(1);
	const { read, failure } = await readFirst(service, chats.slice(0, CHATS), subscription);
	const { error } = recognize(read, subscription, node);
	if (error) throw error;
	const events = read.flatMap(({ chat, messages }) =>
		messages.flatMap((message: Message) =>
			itemsOf(chat, [message], subscription).map((item) => ({ item, time: message.time ?? 0 })),
		),
	);
	const [newest] = events.sort((one, other) => other.time - one.time);
	if (!newest && failure) throw failure;
	return newest ? [newest.item] : [];
}

/** Chats that cannot be read are left out: one of them does not hide the others. */
async function readFirst(
	service: MessageService,
	chats: readonly ChatRow[],
	{ timeField }: MessageSubscription,
): Promise<{ read: ChatMessages[]; failure?: Error }> {
	const read: (ChatMessages | undefined)[] = [];
	let failure: Error | undefined;
	await forEachConcurrent(chats, READS_AT_ONCE, async (chat, i) => {
		const history = await readHistory({
			read: async (take, cursor) => await service.messages(chat.id, take, cursor),
			until: Infinity,
			timeField,
			take: TAKE,
			pages: 1,
			mayContinue: () => false,
		}).catch((error: unknown) => {
			if (!(error instanceof NodeApiError || error instanceof NodeOperationError)) throw error;
			failure ??= error;
			return undefined;
		});
		read[i] = history && { chat, messages: history.messages };
	});
	return { read: read.filter((one) => one !== undefined), failure };
}
