import { idOf } from '../../api/pages';
import { isRecord } from '../../api/response';
import { textOf } from '../../api/text';

/** Possible names of a segment's members, which are contacts. */
export const MEMBER_NAMES = ['members', 'contacts'];

/**
 * The contact in a row of a segment's members. Whether the row is the contact or a membership that contains it is
 * undocumented.
 */
export const contactOfMember = (row: unknown): unknown =>
	isRecord(row) && isRecord(row.contact) ? row.contact : row;

/** The ID of the contact in a row of a segment's members. A membership may have an ID of its own. */
export function contactIdOfMember(row: unknown): string | undefined {
	const contact = contactOfMember(row);
	return (isRecord(contact) && textOf(contact.contactId)) || idOf(contact);
}

/** The number of contacts per request. The service documents no maximum; this one keeps requests small. */
const CONTACTS_PER_REQUEST = 500;

/** The contact IDs of each request that adds contacts to a segment, or removes them from it. */
export function memberRequests(contactIds: string[]): string[][] {
	const requests: string[][] = [];
	for (let start = 0; start < contactIds.length; start += CONTACTS_PER_REQUEST)
		requests.push(contactIds.slice(start, start + CONTACTS_PER_REQUEST));
	return requests;
}

/** The next step if a change of members is rejected. */
export const membersErrorHint = (status: number): string | undefined =>
	status === 400
		? 'Enter the contact IDs of contacts in this organization, and choose a static segment.'
		: undefined;
