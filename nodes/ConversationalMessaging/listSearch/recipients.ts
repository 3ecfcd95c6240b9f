import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { CONTACT_LIST, contactName } from './contacts';
import { listEntry, searchMethod } from './search';

/** The contacts of the chosen channel, by the ID that messages are sent to. */
export const searchRecipients = searchMethod({
	...CONTACT_LIST,
	query: (n8n) => ({ channel: channelOf(n8n) }),
	toEntry: (row, n8n) =>
		channelOf(n8n) === 'INSTAGRAM'
			? listEntry(row.igId, contactName(row), row.igUsername)
			: listEntry(row.waId, contactName(row), row.waId),
});

function channelOf(n8n: ILoadOptionsFunctions): string {
	const channel = n8n.getCurrentNodeParameter('channel');
	return channel === 'INSTAGRAM' ? 'INSTAGRAM' : 'WHATSAPP';
}
