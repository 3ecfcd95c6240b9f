import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../base/text';
import { idIn, isRecord, valueOf, valuesOf } from './response';

/** What identifies a contact on a channel. Both are missing on Web Chat, Telegram and TikTok Shop. */
export interface Address {
	waId?: string;
	igId?: string;
}

/** The address that a contact shows (API document, section Contact). */
export function addressOf(contact: IDataObject): Address {
	const read = (name: string) => textOf(valueOf(contact, name)).trim() || undefined;
	return { waId: read('waId'), igId: read('igId') };
}

/** A custom field of a contact. */
export interface CustomField {
	label: string;
	/** Undefined if the service returns only labels and values. */
	id?: string;
	value?: unknown;
}

/** The custom fields of a contact. */
export interface CustomFields {
	fields: CustomField[];
	/** Whether all of them could be read. If not, the one that is looked for may be missing. */
	isComplete: boolean;
}

/** No custom fields, for certain. */
export const NO_FIELDS: CustomFields = { fields: [], isComplete: true };

/** The document says that contacts have custom fields, but not under which name; their route calls them `fields`. */
const FIELDS = ['customFields', 'fields'];

/** What a contact has where its custom fields are; undefined if it shows none. */
export const listedFields = (contact: IDataObject): unknown => valuesOf(contact, FIELDS)[0];

/** A list of records with ID, label and value (API document, section Contact custom field). null is an empty list. Undefined if
 * there are none. */
export function customFieldsOf(contact: IDataObject): CustomFields | undefined {
	const value = listedFields(contact);
	if (value === undefined) return undefined;
	if (value === null) return NO_FIELDS;
	if (!Array.isArray(value)) return { fields: [], isComplete: false };
	const fields = (value as unknown[]).flatMap(fieldIn);
	return { fields, isComplete: fields.length === value.length };
}

function fieldIn(entry: unknown): CustomField[] {
	if (!isRecord(entry) || typeof entry.label !== 'string') return [];
	// `fieldId` first: the route calls it that (API document, `PATCH /contacts/{id}/fields/{fieldId}`).
	const id = idIn(entry, ['fieldId', 'id']);
	return [{ label: entry.label.trim(), id, value: entry.value }];
}

/** Possible names of a segment's members, which are contacts. */
export const MEMBER_NAMES = ['members', 'contacts'];

/**
 * The contact in a row of a segment's members. Whether the row is the contact or a membership that contains it is
 * undocumented.
 */
export const contactOfMember = (row: unknown): unknown =>
	isRecord(row) && isRecord(row.contact) ? row.contact : row;

/** The ID of the contact in a row of a segment's members. A membership may have an ID of its own. */
export const contactIdOfMember = (row: unknown): string | undefined =>
	idIn(contactOfMember(row), ['contactId', 'id']);
