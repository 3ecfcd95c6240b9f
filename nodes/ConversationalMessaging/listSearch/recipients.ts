import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { addressOf } from '../api/response/contact';
import { channelType } from '../descriptions/channelTypes';
import { CONTACT_LIST, contactName } from './contacts';
import { listEntry, searchMethod } from './search';

const channelTypeOf = (n8n: ILoadOptionsFunctions) =>
	channelType(n8n.getCurrentNodeParameter('channel'));

/** The contacts of the chosen channel type, by the address that messages are sent to. */
export const searchRecipients = searchMethod({
	...CONTACT_LIST,
	query: (n8n) => ({ channel: channelTypeOf(n8n).value }),
	toEntry(row, n8n) {
		const { addressOf: read, detailOf } = channelTypeOf(n8n);
		const address = read(addressOf(row));
		return listEntry(address, contactName(row), detailOf(row, address));
	},
});
