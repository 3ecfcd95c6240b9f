import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { channelTypeOptions } from '../../descriptions/channelType';
import { filterOptions } from '../../descriptions/filters';
import { withoutUndefined } from '../../parameters/values';
import type { Parameters } from '../../parameters/parameters';
import { segmentField } from '../../descriptions/records';

/** Which contacts: the same for a list and an export. */
const filtersField: INodeProperties = {
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
			description: 'Only contacts on this type of channel',
		},
		{
			displayName: 'Search',
			name: 'search',
			type: 'string',
			default: '',
			placeholder: 'e.g. Smith',
			description: 'Text to find in a name, WhatsApp ID, Instagram ID or Instagram username',
		},
		segmentField({ description: 'Only contacts in this segment' }),
	],
};

export const filterFields: INodeProperties[] = [filtersField, filterOptions];

export function filtersIn(parameters: Parameters): IDataObject {
	const filters = parameters.filters();
	return withoutUndefined({
		search: filters.text('search'),
		channel: filters.option('channel'),
		segmentId: filters.id('segmentId'),
	});
}
