import type { IDataObject } from 'n8n-workflow';
import type { DirectionSetting } from '../../api/response/chatMessage';
import type { Collection } from '../../parameters/collection';
import type { TriggerParameters } from '../../parameters/parameters';
import { withoutUndefined } from '../../parameters/values';

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
	/** Whether all new messages of a chat are one item. */
	isGrouped: boolean;
	/** How messages of customers are recognized; undefined for the usual names. */
	direction: DirectionSetting | undefined;
	/** The field with the time of a message, with dots for fields within fields; undefined for the usual names. */
	timeField: string | undefined;
}

/** @throws NodeOperationError if a setting is invalid */
export function readMessageSubscription(
	parameters: TriggerParameters,
	filters: Collection,
): MessageSubscription {
	const options = parameters.collection('options');
	const key = options.text('directionField');
	const value = options.text('directionValue');
	if (key === undefined && value !== undefined)
		throw parameters.invalid(
			'Direction Value has no Direction Field',
			'Add Direction Field in Options, or remove Direction Value.',
		);
	return {
		query: withoutUndefined({
			assigneeId: filters.listedId('agentId'),
			channelId: filters.listedId('channelId'),
			channel: filters.option('channel'),
			contactId: filters.contactId('contactId'),
			needsEscalation: filters.boolean('needsEscalation'),
		}),
		from: parameters.option('messagesFrom') === 'both' ? 'both' : 'customers',
		isGrouped: parameters.option('groupMessages') === 'chat',
		direction: key === undefined ? undefined : { key, value: value ?? '' },
		timeField: options.text('timeField'),
	};
}
