import { isRecord } from '../api/response/response';
import { contactName } from './contacts';
import { listEntry, searchMethod } from './search';

/** The name of a contact inside a chat. */
const nameInside = (value: unknown): unknown => (isRecord(value) ? contactName(value) : undefined);

export const searchChats = searchMethod({
	action: 'List chats',
	endpoint: 'GET /chats',
	rowsName: 'chats',
	paged: true,
	exact: 'GET /chats/{id}',
	toEntry: (row) => listEntry(row.id, nameInside(row.contact) || row.contactName, row.channel),
});
