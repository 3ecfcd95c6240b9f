import type { INodeProperties } from 'n8n-workflow';
import { channelTypeOptions } from '../../fields/channelType';
import { pagingFields } from '../../fields/paging';
import { compact } from '../../fields/parameters';
import { segmentField } from '../../fields/records';
import type { Operation } from '../operation';

const fields: INodeProperties[] = [
	...pagingFields,
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		options: [
			{
				displayName: 'Channel Type',
				name: 'channel',
				type: 'options',
				options: channelTypeOptions,
				default: 'WHATSAPP',
				description: 'Only contacts of this kind of channel',
			},
			{
				displayName: 'Search',
				name: 'search',
				type: 'string',
				default: '',
				placeholder: 'e.g. Smith',
				description: 'Part of a name, WhatsApp ID, Instagram ID or Instagram user name',
			},
			segmentField({ description: 'Only contacts of this segment' }),
		],
	},
];

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many contacts',
	description: 'Get contacts with their custom fields and segments, all or those that match',
	endpoint: 'GET /contacts',
	permission: 'contacts.view',
	fields,
	result: 'pages',
	rowsName: 'contacts',
	pageSize: 200,
	request(parameters) {
		const filters = parameters.group('filters');
		return {
			query: compact({
				search: filters.text('search'),
				channel: filters.text('channel'),
				segmentId: filters.id('segmentId'),
			}),
		};
	},
};
