import type { IDataObject } from 'n8n-workflow';
import { recordOf } from './record';
import { idOf, isRecord, payloadOf } from './response';

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

/** Possible names of a contact's custom fields. The document says that contacts have them, but not under which name. */
const FIELD_NAMES = [
	'customFields',
	'custom_fields',
	'contactFields',
	'contact_fields',
	'fields',
	'customAttributes',
];

/** The ID of a field: a cuid (API document, section Resources). As the key of a map, it is no label. */
const CUID = /^c[a-z0-9]{20,}$/;

/**
 * The custom fields in the response with a contact: inside the contact, or next to it if it is wrapped. Undefined if
 * the service does not show any.
 */
export function customFieldsIn(json: unknown): CustomFields | undefined {
	const payload = payloadOf(json);
	return (
		customFieldsOf(recordOf(json, ['contact']).record) ??
		(isRecord(payload) ? customFieldsOf(payload) : undefined)
	);
}

/** A list of records with label and value, or a map by label or by ID. */
export function customFieldsOf(contact: IDataObject): CustomFields | undefined {
	const name = FIELD_NAMES.find((candidate) => contact[candidate] !== undefined);
	if (name === undefined) return undefined;
	const value: unknown = contact[name];
	if (value === null) return NO_FIELDS;
	if (Array.isArray(value)) return collected((value as unknown[]).map(ofRecord));
	return isRecord(value)
		? collected(Object.entries(value).map(ofEntry))
		: { fields: [], isComplete: false };
}

function collected(entries: (CustomField | undefined)[]): CustomFields {
	const fields = entries.filter((field) => field !== undefined);
	return { fields, isComplete: fields.length === entries.length };
}

function ofRecord(entry: unknown): CustomField | undefined {
	if (!isRecord(entry)) return undefined;
	const label = entry.label ?? entry.name ?? entry.key;
	if (typeof label !== 'string') return undefined;
	// `fieldId` first: the route calls it that (API document, `PATCH /contacts/{id}/fields/{fieldId}`).
	const id = idOf({ id: entry.fieldId }) ?? idOf(entry);
	return { label: label.trim(), id, value: entry.value };
}

function ofEntry([key, entry]: [string, unknown]): CustomField | undefined {
	if (isRecord(entry) && typeof entry.label === 'string') return ofRecord({ id: key, ...entry });
	if (CUID.test(key)) return undefined;
	return isRecord(entry) ? ofRecord({ ...entry, label: key }) : { label: key.trim(), value: entry };
}
