import type { IDataObject } from 'n8n-workflow';
import { addressOf } from '../api/response/contact';
import { valueOf } from '../api/response/response';
import { searchText } from '../phone/readPhoneNumber';
import { listEntry, searchMethod } from './search';

/** The list of contacts, which the service can search. */
export const CONTACT_LIST = {
	action: 'List contacts',
	endpoint: 'GET /contacts',
	search: (text: string) => ({ search: searchText(text) }),
} as const;

/** What distinguishes a contact from others of its name. */
function contactAddress(row: IDataObject): unknown {
	const { waId, igId } = addressOf(row);
	return waId ?? (valueOf(row, 'igUsername') || igId);
}

export const contactName = (row: IDataObject): unknown =>
	valueOf(row, 'customName') || row.name || contactAddress(row);

export const searchContacts = searchMethod({
	...CONTACT_LIST,
	toEntry: (row) => listEntry(row.id, contactName(row), contactAddress(row)),
});
