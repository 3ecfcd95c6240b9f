import type { INodeProperties } from 'n8n-workflow';
import { channelTypeOptions } from '../../fields/channelType';
import { csvOutputFields, csvTarget } from '../../fields/csvOutput';
import { compact } from '../../fields/parameters';
import { segmentField } from '../../fields/records';
import { fetchCsv } from '../csv';
import type { Operation } from '../operation';

const filters: INodeProperties = {
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
};

export const exportContacts: Operation = {
	name: 'Export',
	value: 'export',
	action: 'Export contacts',
	description: 'Get the contacts as one CSV snapshot, as a file or as items',
	endpoint: 'GET /contacts/export',
	permission: 'contacts.view',
	fields: [...csvOutputFields, filters],
	result: 'steps',
	prepare(parameters) {
		const target = csvTarget(parameters);
		const chosen = parameters.group('filters');
		const query = compact({
			search: chosen.text('search'),
			channel: chosen.text('channel'),
			segmentId: chosen.id('segmentId'),
		});
		return async (steps) =>
			await fetchCsv(steps, 'GET /contacts/export', { query }, target, 'contacts.csv');
	},
};
