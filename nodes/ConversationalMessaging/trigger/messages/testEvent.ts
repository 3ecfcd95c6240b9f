import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { sentAt } from '../../api/chatMessage';
import { forEachConcurrent } from '../../api/concurrency';
import { READS_AT_ONCE } from '../limits';
import type { ChatMessages } from './items';
import { itemsOf, shownDirections } from './items';
import { TEST_EVENT_CHATS } from './limits';
import type { ChatRow, MessageService } from './service';
import type { MessageSubscription } from './subscription';
import { directionError } from './texts';

/** The number of messages of each. */
const TAKE = 10;

/**
 * The newest message in the form of an event, for "Fetch Test Event": of the first chats of the list, whose order is
 * undocumented.
 *
 * @returns [] if there is none
 * @throws NodeApiError if there is none, and a chat could not be read
 * @throws NodeOperationError if no message shows its direction and only those of customers are wanted
 */
export async function newestMessage(
	service: MessageService,
	subscription: MessageSubscription,
	node: INode,
): Promise<INodeExecutionData[]> {
	const { chats } = await service.chats(1);
	const { read, failure } = await readFirst(service, chats.slice(0, TEST_EVENT_CHATS));
	const shown = shownDirections(read, subscription);
	if (subscription.from === 'customers' && shown.example && !shown.isShown)
		throw directionError(node, shown.example, shown, subscription.direction);
	const [newest] = read
		.flatMap((one) => newestIn(one, subscription) ?? [])
		.sort((one, other) => other.time - one.time);
	if (!newest && failure) throw failure;
	return newest ? [newest.item] : [];
}

/** Chats that cannot be read are left out: one of them does not hide the others. */
async function readFirst(
	service: MessageService,
	chats: readonly ChatRow[],
): Promise<{ read: ChatMessages[]; failure?: Error }> {
	const read: (ChatMessages | undefined)[] = [];
	let failure: Error | undefined;
	await forEachConcurrent(chats, READS_AT_ONCE, async (chat, i) => {
		const messages = await service.messages(chat.id, TAKE).catch((error: unknown) => {
			if (!(error instanceof NodeApiError || error instanceof NodeOperationError)) throw error;
			failure ??= error;
			return undefined;
		});
		read[i] = messages && { chat, messages };
	});
	return { read: read.filter((one) => one !== undefined), failure };
}

/** The newest message of a chat that would be emitted, as an event, and its time. */
function newestIn(
	{ chat, messages }: ChatMessages,
	subscription: MessageSubscription,
): { item: INodeExecutionData; time: number } | undefined {
	const events = messages.flatMap((message: IDataObject) =>
		itemsOf({ chat, news: [message] }, subscription).map((item) => ({
			item,
			time: sentAt(message) ?? 0,
		})),
	);
	// Without times, the first one: the newest message is first (API document, `GET /chats/{id}/messages`).
	return events.reduce<(typeof events)[number] | undefined>(
		(newest, event) => (newest && newest.time >= event.time ? newest : event),
		undefined,
	);
}
