import type { IDataObject } from 'n8n-workflow';
import { idOf } from '../api/response/response';
import { searchText } from '../parameters/address';
import { listEntry, searchMethod } from './search';

/** The list of contacts, which the service can search. */
export const CONTACT_LIST = {
	action: 'List contacts',
	endpoint: 'GET /contacts',
	rowsName: 'contacts',
	paged: true,
	search: (text: string) => ({ search: searchText(text) }),
} as const;

/** What distinguishes a contact from others of its name. */
const contactAddress = (row: IDataObject) => row.waId || row.igUsername || row.igId;

export const contactName = (row: IDataObject) => row.customName || row.name || contactAddress(row);

export const searchContacts = searchMethod({
	...CONTACT_LIST,
	toEntry: (row) => listEntry(idOf(row), contactName(row), contactAddress(row)),
});
