import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { textField } from '../../descriptions/basicFields';
import { channelTypeField } from '../../descriptions/channelTypes';
import { filterFields } from '../../descriptions/collections';
import { segmentField } from '../../descriptions/records';
import type { Parameters } from '../../parameters/parameters';
import { searchText } from '../../phone/readPhoneNumber';

/** Which contacts: the same for a list and an export. */
export const contactFilterFields: INodeProperties[] = filterFields([
	channelTypeField('Only contacts on this type of channel'),
	textField('Search', 'search', {
		placeholder: 'e.g. Smith',
		description: 'Text to find in a name, WhatsApp ID, Instagram ID or Instagram username',
	}),
	segmentField({ description: 'Only contacts in this segment' }),
]);

export function filtersIn(parameters: Parameters): IDataObject {
	const filters = parameters.filters();
	const search = filters.text('search');
	return {
		search: search === undefined ? undefined : searchText(search),
		channel: filters.option('channel'),
		segmentId: filters.listedId('segmentId'),
	};
}
