import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { addressOf } from '../api/response/contact';
import { valueOf } from '../api/response/response';
import { CONTACT_LIST, contactName } from './contacts';
import { listEntry, searchMethod } from './search';

/** The contacts of the chosen channel, by the ID that messages are sent to. */
export const searchRecipients = searchMethod({
	...CONTACT_LIST,
	query: (n8n) => ({ channel: channelOf(n8n) }),
	toEntry(row, n8n) {
		const { waId, igId } = addressOf(row);
		return channelOf(n8n) === 'INSTAGRAM'
			? listEntry(igId, contactName(row), valueOf(row, 'igUsername'))
			: listEntry(waId, contactName(row), waId);
	},
});

function channelOf(n8n: ILoadOptionsFunctions): string {
	const channel = n8n.getCurrentNodeParameter('channel');
	return channel === 'INSTAGRAM' ? 'INSTAGRAM' : 'WHATSAPP';
}
