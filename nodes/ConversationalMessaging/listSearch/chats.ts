import { contactOf } from '../api/response/chat';
import { contactName } from './contacts';
import { listEntry, searchMethod } from './search';

export const searchChats = searchMethod({
	action: 'List chats',
	endpoint: 'GET /chats',
	rowsName: 'chats',
	paged: true,
	exact: 'GET /chats/{id}',
	toEntry: (row) => listEntry(row.id, contactName(contactOf(row)), row.channel),
});
