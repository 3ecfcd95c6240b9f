import { textOf } from '../base/text';
import { idOf, isRecord } from './response';

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
