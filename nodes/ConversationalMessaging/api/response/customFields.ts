import type { IDataObject } from 'n8n-workflow';
import { valuesOf } from './names';
import { recordOf } from './record';
import { idOf, isRecord } from './response';

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

/** The custom fields in the response with a contact. Undefined if the service does not show any. */
export const customFieldsIn = (json: unknown): CustomFields | undefined =>
	customFieldsOf(recordOf(json, ['contact']).record);

/** A list of records with ID, label and value (API document, section Contact custom field). null is an empty list. */
export function customFieldsOf(contact: IDataObject): CustomFields | undefined {
	const [value] = valuesOf(contact, FIELDS);
	if (value === undefined) return undefined;
	if (value === null) return NO_FIELDS;
	if (!Array.isArray(value)) return { fields: [], isComplete: false };
	const fields = (value as unknown[]).flatMap(fieldIn);
	return { fields, isComplete: fields.length === value.length };
}

function fieldIn(entry: unknown): CustomField[] {
	if (!isRecord(entry) || typeof entry.label !== 'string') return [];
	// `fieldId` first: the route calls it that (API document, `PATCH /contacts/{id}/fields/{fieldId}`).
	const [fieldId] = valuesOf(entry, ['fieldId']);
	const id = idOf({ id: fieldId as string }) ?? idOf(entry);
	return [{ label: entry.label.trim(), id, value: entry.value }];
}
