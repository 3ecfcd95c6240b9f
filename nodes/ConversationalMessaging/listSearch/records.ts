import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { textOf } from '../api/base/text';
import { contactOf } from '../api/response/chat';
import { addressOf } from '../api/response/contact';
import { valueOf } from '../api/response/response';
import { channelType } from '../descriptions/channelTypes';
import { searchText } from '../phone/readPhoneNumber';
import { listEntry, searchMethod } from './search';

const CONTACT_LIST = {
	action: 'List contacts',
	endpoint: 'GET /contacts',
	search: (text: string) => ({ search: searchText(text) }),
} as const;

/** What distinguishes a contact from others of its name. */
function contactAddress(row: IDataObject): unknown {
	const { waId, igId } = addressOf(row);
	return waId ?? (valueOf(row, 'igUsername') || igId);
}

const contactName = (row: IDataObject): unknown =>
	valueOf(row, 'customName') || row.name || contactAddress(row);

const channelTypeOf = (n8n: ILoadOptionsFunctions) =>
	channelType(n8n.getCurrentNodeParameter('channel'));

export const recordSearches = {
	searchAgents: searchMethod({
		action: 'List agents',
		endpoint: 'GET /users',
		toEntry: (row) => listEntry(row.id, row.name, row.email),
	}),

	searchBroadcasts: searchMethod({
		action: 'List broadcasts',
		endpoint: 'GET /broadcasts',
		toEntry: (row) => listEntry(row.id, row.name, row.status),
	}),

	searchChannels: searchMethod({
		action: 'List channels',
		endpoint: 'GET /channels',
		toEntry: (row) =>
			listEntry(row.id, row.name, row.type ?? row.channel, valueOf(row, 'phoneNumber')),
	}),

	searchChats: searchMethod({
		action: 'List chats',
		endpoint: 'GET /chats',
		toEntry: (row) => listEntry(row.id, contactName(contactOf(row)), row.channel),
	}),

	searchContacts: searchMethod({
		...CONTACT_LIST,
		toEntry: (row) => listEntry(row.id, contactName(row), contactAddress(row)),
	}),

	searchFlows: searchMethod({
		action: 'List flows',
		endpoint: 'GET /flows',
		toEntry: (row) => listEntry(row.id, row.name, row.keyword),
	}),

	searchImports: searchMethod({
		action: 'List import jobs',
		endpoint: 'GET /contacts/imports',
		toEntry: (row) => {
			const name = valueOf(row, 'fileName') ?? row.name;
			return listEntry(row.id, name, row.status, valueOf(row, 'createdAt'));
		},
	}),

	/** The contacts of the chosen channel type, by the address that messages are sent to. */
	searchRecipients: searchMethod({
		...CONTACT_LIST,
		query: (n8n) => ({ channel: channelTypeOf(n8n).value }),
		toEntry: (row, n8n) => {
			const { addressOf: read, detailOf } = channelTypeOf(n8n);
			const address = read(addressOf(row));
			return listEntry(address, contactName(row), detailOf(row, address));
		},
	}),

	searchSegments: searchMethod({
		action: 'List segments',
		endpoint: 'GET /segments',
		toEntry: (row) =>
			listEntry(row.id, row.name, valueOf(row, 'isDynamic') === true ? 'dynamic' : undefined),
	}),

	searchTickets: searchMethod({
		action: 'List tickets',
		endpoint: 'GET /tickets',
		toEntry: (row) => {
			const number = valueOf(row, 'ticketNumber') ?? row.number;
			const title = typeof row.title === 'string' ? row.title : '';
			return listEntry(
				row.id ?? number,
				number === undefined ? title : `#${textOf(number)} ${title}`.trim(),
				row.status,
				row.priority,
			);
		},
	}),
};
