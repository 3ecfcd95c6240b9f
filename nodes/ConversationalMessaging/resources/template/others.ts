import { filterOptions } from '../../descriptions/filters';
import { pagingFields } from '../../descriptions/paging';
import { withoutUndefined } from '../../parameters/values';
import { channelField } from '../../descriptions/records';
import { MAX_TEMPLATES } from '../../parameters/template';
import type { Operation } from '../operation';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many templates',
	description: 'Get message templates with their approval status',
	endpoint: 'GET /templates',
	fields: [
		...pagingFields,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [channelField('Only templates for this channel')],
		},
		filterOptions,
	],
	result: 'rows',
	rowsName: 'templates',
	request(parameters) {
		const rowLimit = parameters.rowLimit();
		return {
			query: withoutUndefined({
				limit: rowLimit === 'all' ? MAX_TEMPLATES : rowLimit,
				channelId: parameters.filters().id('channelId'),
			}),
		};
	},
};

export const sync: Operation = {
	name: 'Sync',
	value: 'sync',
	action: 'Sync templates',
	description: 'Refresh templates and their approval status from the messaging platform',
	endpoint: 'POST /templates/sync',
	fields: [channelField('Sync only this channel')],
	result: 'record',
	orderingKey: () => 'sync',
	request: (parameters) => ({
		body: withoutUndefined({ channelId: parameters.idIfSet('channelId') }),
	}),
};
