import { filterFields } from '../../descriptions/collections';
import { channelField } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many templates',
	description: 'Get message templates with their approval status',
	endpoint: 'GET /templates',
	fields: filterFields([channelField('Only templates for this channel')]),
	result: 'list',
	request(parameters) {
		const rowLimit = parameters.rowLimit();
		return {
			query: {
				// With a limit of 50, a service may return 45, although it has more.
				...(rowLimit !== Infinity && { limit: 2 * rowLimit }),
				channelId: parameters.filters().listedId('channelId'),
			},
		};
	},
};
