import type { IDataObject } from 'n8n-workflow';
import { inTurns } from '../base/concurrency';
import { textOf } from '../base/text';
import { type Endpoint, MEMBER_NAMES, recordNames, rowNames } from '../endpoint';
import { idIn, isRecord, setOwn, valueOf, valuesOf } from './response';

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

export interface CustomField {
	label: string;
	/** Undefined if the service returns only labels and values. */
	id?: string;
	value?: unknown;
}

export interface CustomFields {
	fields: CustomField[];
	/** Whether all of them could be read. If not, the one that is looked for may be missing. */
	isComplete: boolean;
}

export const NO_FIELDS: CustomFields = { fields: [], isComplete: true };

const UNREADABLE: CustomFields = { fields: [], isComplete: false };

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
	if (!Array.isArray(value)) return UNREADABLE;
	const fields = (value as unknown[]).flatMap(fieldIn);
	return { fields, isComplete: fields.length === value.length };
}

function fieldIn(entry: unknown): CustomField[] {
	if (!isRecord(entry) || typeof entry.label !== 'string') return [];
	// `fieldId` first: the route calls it that (API document, `PATCH /contacts/{id}/fields/{fieldId}`).
	const id = idIn(entry, ['fieldId', 'id']);
	return [{ label: entry.label.trim(), id, value: entry.value }];
}

/**
 * Adds to a contact that shows its custom fields their values by label, because an expression cannot find one in a list:
 * `customFieldValues: { birthday: "1990-05-06", City: "Berlin" }`. A label that occurs several times has a list of its values. In
 * place: a list may have a hundred thousand contacts.
 */
export function addFieldValues(contact: IDataObject): void {
	const { fields, isComplete } = customFieldsOf(contact) ?? UNREADABLE;
	if (contact.customFieldValues !== undefined || (fields.length === 0 && !isComplete)) return;
	const byLabel = new Map<string, unknown[]>();
	for (const { label, value = null } of fields) {
		const values = byLabel.get(label);
		if (values) values.push(value);
		else if (label !== '') byLabel.set(label, [value]);
	}
	const found: IDataObject = {};
	for (const [label, values] of byLabel)
		setOwn(found, label, values.length > 1 ? values : values[0]);
	contact.customFieldValues = found;
}

/** Whether an endpoint returns contacts, or a segment with them; after a change of a field, it may return the contact. */
const returnsContacts = (endpoint: Endpoint): boolean =>
	[...recordNames(endpoint), ...rowNames(endpoint)].some((name) =>
		['contact', 'contacts', 'field'].includes(name),
	);

/** Adds `customFieldValues` to all contacts in a record of an endpoint: itself, its contact, and the members of a segment. */
export function addFieldValuesIn(record: IDataObject, endpoint: Endpoint): void {
	if (returnsContacts(endpoint)) addFieldValues(record);
	if (isRecord(record.contact)) addFieldValues(record.contact);
	for (const name of MEMBER_NAMES) {
		const rows = record[name];
		if (!Array.isArray(rows)) continue;
		for (const row of rows as unknown[]) {
			const contact = contactOfMember(row);
			if (isRecord(contact)) addFieldValues(contact);
		}
	}
}

/** The same for the records of a list. */
export async function addAllFieldValues(
	records: readonly IDataObject[],
	endpoint: Endpoint,
): Promise<void> {
	const without: IDataObject[] = [];
	for await (const record of inTurns(records)) {
		addFieldValuesIn(record, endpoint);
		if (listedFields(record) === undefined) without.push(record);
	}
	if (without.length === records.length || !returnsContacts(endpoint)) return;
	// Some services leave out an empty list: a contact without one, among others that have it, has no custom fields.
	for (const record of without) record.customFieldValues ??= {};
}

/**
 * The contact in a row of a segment's members. Whether the row is the contact or a membership that contains it is
 * undocumented.
 */
export const contactOfMember = (row: unknown): unknown =>
	isRecord(row) && isRecord(row.contact) ? row.contact : row;

/** The ID of the contact in a row of a segment's members. A membership may have an ID of its own. */
export const contactIdOfMember = (row: unknown): string | undefined =>
	idIn(contactOfMember(row), ['contactId', 'id']);
