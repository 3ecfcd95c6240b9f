import type { IDataObject, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { MessageLimits } from './limits';
import type { DirectionSetting } from '../../api/chatMessage';
import { PAGE_SIZE } from './service';

/** At most this many field names are shown. */
const MAX_FIELDS = 20;

/** The messages of customers are not recognized; with a setting, because no message has its field. */
export function directionError(
	node: INode,
	message: IDataObject,
	setting?: DirectionSetting,
): NodeOperationError {
	const fields = `The fields of a message are: ${Object.keys(message).slice(0, MAX_FIELDS).join(', ')}.`;
	if (setting)
		return new NodeOperationError(node, `No message has the field "${setting.key}"`, {
			description: `Correct Direction Field. ${fields}`,
		});
	return new NodeOperationError(node, 'The messages do not show whether the customer sent them', {
		description: `Enter the field and the value that messages from customers have in Direction Field and Direction Value, or set From to Both Directions. ${fields}`,
	});
}

/** How long a message can wait, once chats are read in turn. */
export const watchedInTurn = (chats: number, reads: number): string =>
	`The list of chats does not show which chats have new messages, so the messages of all chats are read in turn. With ${chats} chats and ${reads} per poll, a message is emitted after at most ${Math.max(1, Math.ceil(chats / Math.max(1, reads)))} polls. Filters reduce the number of chats.`;

export const tooLong = ({ listPages }: MessageLimits): string =>
	`Only the first ${listPages * PAGE_SIZE} chats of the list are watched for messages. Filters reduce the number of chats.`;
