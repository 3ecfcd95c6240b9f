import type { INode, INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { forEachConcurrent } from '../../api/base/concurrency';
import { invalid } from '../../api/errors';
import { lastMessageOf } from '../../api/response/chat';
import { requestError } from '../failures';
import { READS_AT_ONCE } from '../limits';
import { type Message, itemsOf, messagesIn } from './message';
import { recognize } from './recognition';
import type { ChatRow, MessageService } from './service';
import type { MessageSubscription } from './subscription';

/** The number of chats that are read for a test event, and of messages of each. */
const CHATS = 10;
const TAKE = 10;

/** "Fetch Test Event" found no message. */
export const noMessage = ({ from }: MessageSubscription, node: INode): NodeOperationError =>
	invalid(
		node,
		shown`No message${from === 'customers' ? ' from a customer' : ''} was found in ${CHATS} chats`,
		'Have a customer write, or narrow Filters. A published workflow does not need a test event.',
	);

/**
 * The newest message in the form of an event, for "Fetch Test Event": of the chats that were written in last, or of the first
 * ones if the list, whose order is undocumented, does not show this.
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
	const activeAt = ({ row }: ChatRow): number =>
		lastMessageOf(row, subscription.direction).time ?? 0;
	const first = [...chats].sort((one, other) => activeAt(other) - activeAt(one)).slice(0, CHATS);
	const { read, failure } = await readFirst(service, first, subscription);
	const messages = read.map(({ message }) => message);
	const { error } = recognize(messages, subscription, node);
	if (error) throw error;
	const timeOf = ({ message: { time = 0 } }: ChatMessage): number => time;
	const [newest] = read
		.filter(({ message }) => message.isWanted)
		.sort((one, other) => timeOf(other) - timeOf(one));
	if (!newest && failure) throw failure;
	return newest ? itemsOf(newest.chat, [newest.message], subscription) : [];
}

interface ChatMessage {
	chat: ChatRow;
	message: Message;
}

/** Chats that cannot be read are left out: one of them does not hide the others. */
async function readFirst(
	service: MessageService,
	chats: readonly ChatRow[],
	subscription: MessageSubscription,
): Promise<{ read: ChatMessage[]; failure?: Error }> {
	const read: ChatMessage[][] = [];
	let failure: Error | undefined;
	await forEachConcurrent(chats, READS_AT_ONCE, async (chat, i) => {
		const { rows } = await service.messages(chat.id, TAKE).catch((error: unknown) => {
			failure ??= requestError(error);
			return { rows: [] };
		});
		read[i] = messagesIn(rows, chat, subscription).map((message) => ({ chat, message }));
	});
	return { read: read.flat(), failure };
}
