import type { IDataObject } from 'n8n-workflow';
import type { DirectionSetting } from '../../api/chatMessage';
import { withoutUndefined } from '../../parameters/values';
import type { Collection } from '../../parameters/collection';
import type { TriggerParameters } from '../../parameters/parameters';

/** The value of the event. */
export const MESSAGE_RECEIVED = 'messageReceived';

/** The filters under Filters that the list of chats has. */
export const MESSAGE_FILTERS = [
	'agentId',
	'channelId',
	'channel',
	'contactId',
	'needsEscalation',
] as const;

/** What the user set for Message Received. */
export interface MessageSubscription {
	/** Query parameters of the list of chats. */
	query: IDataObject;
	/** Whose messages are emitted. */
	from: 'customers' | 'both';
	/** Whether each message is an item, or all new messages of a chat together. */
	emit: 'message' | 'chat';
	/** How messages of customers are recognized; undefined for the usual names. */
	direction: DirectionSetting | undefined;
}

/** @throws NodeOperationError if a setting is invalid */
export function readMessageSubscription(
	parameters: TriggerParameters,
	filters: Collection,
): MessageSubscription {
	const key = parameters.text('directionField');
	const value = parameters.text('directionValue');
	if (key === undefined && value !== undefined)
		throw parameters.invalid(
			'Direction Value has no Direction Field',
			'Enter Direction Field, or remove Direction Value.',
		);
	return {
		query: withoutUndefined({
			assigneeId: filters.id('agentId'),
			channelId: filters.id('channelId'),
			channel: filters.option('channel'),
			contactId: filters.id('contactId'),
			needsEscalation: filters.boolean('needsEscalation'),
		}),
		from: parameters.option('messagesFrom') === 'both' ? 'both' : 'customers',
		emit: parameters.option('emit') === 'chat' ? 'chat' : 'message',
		direction: key === undefined ? undefined : { key, value: value ?? '' },
	};
}
