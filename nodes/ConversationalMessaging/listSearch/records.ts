import { textOf } from '../api/base/text';
import { contactOf } from '../api/response/chat';
import { valueOf } from '../api/response/response';
import { contactName } from './contacts';
import { listEntry, searchMethod } from './search';

/** The records that are picked from a list of the service as it is. */
export const recordSearches = {
	searchAgents: searchMethod({
		action: 'List agents',
		endpoint: 'GET /users',
		toEntry: (row) => listEntry(row.id, row.name, row.email),
	}),

	searchBroadcasts: searchMethod({
		action: 'List broadcasts',
		endpoint: 'GET /broadcasts',
		exact: 'GET /broadcasts/{id}',
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
		exact: 'GET /chats/{id}',
		toEntry: (row) => listEntry(row.id, contactName(contactOf(row)), row.channel),
	}),

	searchFlows: searchMethod({
		action: 'List flows',
		endpoint: 'GET /flows',
		toEntry: (row) => listEntry(row.id, row.name, row.keyword),
	}),

	searchImports: searchMethod({
		action: 'List import jobs',
		endpoint: 'GET /contacts/imports',
		exact: 'GET /contacts/imports/{id}',
		toEntry: (row) => {
			const name = valueOf(row, 'fileName') ?? row.name;
			return listEntry(row.id, name, row.status, valueOf(row, 'createdAt'));
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
		exact: 'GET /tickets/{id}',
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
