import type { IDataObject, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { DirectionSetting } from '../../api/chatMessage';
import type { ShownDirections } from './items';
import type { MessageLimits } from './limits';
import { TEST_EVENT_CHATS } from './limits';
import type { Listing } from './listing';
import { PAGE_SIZE } from './service';
import type { MessageSubscription } from './subscription';

/** At most this many field names are shown. */
const MAX_FIELDS = 20;

/** The messages of customers are not recognized: by the usual names, or by the user's setting. */
export function directionError(
	node: INode,
	message: IDataObject,
	{ hasField }: ShownDirections,
	setting?: DirectionSetting,
): NodeOperationError {
	const fields = `The fields of a message are: ${Object.keys(message).slice(0, MAX_FIELDS).join(', ')}.`;
	const invalid = (text: string, description: string): NodeOperationError =>
		new NodeOperationError(node, text, { description: `${description} ${fields}` });
	if (!setting)
		return invalid(
			'The messages do not show whether the customer sent them',
			'Enter the field and the value that messages from customers have in Direction Field and Direction Value, or set From to Both Directions.',
		);
	if (!hasField)
		return invalid(`No message has the field "${setting.key}"`, 'Correct Direction Field.');
	return invalid(
		`No message has the field "${setting.key}" without a value`,
		'With an empty Direction Value, messages that leave the field out do not count as messages from customers. Enter a field and a value that messages from customers have.',
	);
}

/** "Fetch Test Event" found no message. */
export const noMessage = ({ from }: MessageSubscription): string =>
	`no message${from === 'customers' ? ' from a customer' : ''} was found in the first ${TEST_EVENT_CHATS} chats`;

/** How long a message can wait, once chats are read in turn. */
export const watchedInTurn = (chats: number, reads: number): string =>
	`The list of chats does not show which chats have new messages, so the messages of all chats are read in turn. With ${chats} chats and ${reads} per poll, a message is emitted after at most ${Math.max(1, Math.ceil(chats / Math.max(1, reads)))} polls. Filters reduce the number of chats.`;

export const tooLong = ({ listPages }: MessageLimits): string =>
	`Only the first ${listPages * PAGE_SIZE} chats of the list are watched for messages. Filters reduce the number of chats.`;

/** Chats that could not be read, although others could. */
export const unreadableChats = (chats: number, reason: string): string =>
	`The messages of ${chats === 1 ? 'one chat' : `${chats} chats`} could not be read. Other chats are not affected, and the trigger tries again in later polls. ${reason}`;

/** @param most how many pages one poll may read, the first one included */
export const readInParts = ({ pages, isCounted }: Listing, most: number): string =>
	isCounted
		? `The list of chats has ${pages} pages, of which half of the rate limit allows ${most} per poll. So each poll reads the first page and a part of the others: a message in a chat on another page is noticed after at most ${Math.ceil((pages - 1) / (most - 1))} polls. Filters reduce the number of chats.`
		: `The list of chats has more pages than the ${most} that half of the rate limit allows per poll. So each poll reads the first page and a part of the others: a message in a chat on another page can wait for several polls. Filters reduce the number of chats.`;
