import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { CONTACT_LIST, contactName } from './contacts';
import { listEntry, searchMethod } from './search';

/** The contacts of the chosen channel, by the ID that messages are sent to. */
export const searchRecipients = searchMethod({
	...CONTACT_LIST,
	query: (context) => ({ channel: channelOf(context) }),
	toEntry: (row, context) =>
		channelOf(context) === 'INSTAGRAM'
			? listEntry(row.igId, contactName(row), row.igUsername)
			: listEntry(row.waId, contactName(row), row.waId),
});

function channelOf(context: ILoadOptionsFunctions): string {
	const channel = context.getCurrentNodeParameter('channel');
	return channel === 'INSTAGRAM' ? 'INSTAGRAM' : 'WHATSAPP';
}
