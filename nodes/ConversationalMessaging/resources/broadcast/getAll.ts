import { choiceField } from '../../descriptions/basicFields';
import { broadcastStatusOptions } from '../../descriptions/broadcastStatus';
import { filterFields } from '../../descriptions/collections';
import { channelField } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many broadcasts',
	description: 'Get broadcasts, optionally by channel or status',
	endpoint: 'GET /broadcasts',
	fields: filterFields([
		channelField('Only broadcasts sent from this channel'),
		choiceField('Status', 'status', {
			options: broadcastStatusOptions,
			default: 'COMPLETED',
			description: 'Only broadcasts with this status',
		}),
	]),
	result: 'list',
	request(parameters) {
		const filters = parameters.filters();
		return {
			query: { channelId: filters.listedId('channelId'), status: filters.option('status') },
		};
	},
};
