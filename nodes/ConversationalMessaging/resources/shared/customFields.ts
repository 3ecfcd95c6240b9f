import type { IDataObject } from 'n8n-workflow';
import { idOf } from '../../api/pages';
import { recordOf } from '../../api/record';
import { isRecord, payloadOf } from '../../api/response';

/** A custom field of a contact. */
export interface ExistingField {
	label: string;
	/** Undefined if the contact contains only labels and values. */
	id?: string;
	value?: unknown;
}

export interface ExistingFields {
	fields: ExistingField[];
	/** Whether these are all fields of the contact. If not, the requested one may be missing. */
	isComplete: boolean;
}

/** Possible names of a contact's custom fields. */
const FIELD_NAMES = [
	'customFields',
	'custom_fields',
	'fields',
	'contactFields',
	'contact_fields',
	'customAttributes',
];

/** Lists of a contact that hold other records with labels. */
const OTHER_LISTS = /segment|tag|label|list|group|chat|ticket|note|channel|session|message/i;

/** Possible names of a field's label. */
const LABEL_NAMES = ['label', 'name', 'key'];

/**
 * The custom fields of a contact. Their form is undocumented: a list of records, or a map by label or by ID, under
 * one of several names. Any list of records with a label is accepted.
 */
export function fieldsOf(contact: IDataObject): ExistingFields {
	const entries = FIELD_NAMES.map((name) => entriesOf(contact[name])).filter(
		(found) => found !== undefined,
	);
	const known = entries.find((found) => found.length > 0) ?? entries[0];
	if (known) return collected(known);
	const lists = Object.entries(contact).filter(([name]) => !OTHER_LISTS.test(name));
	const labelled = lists
		.map(([, value]) => value)
		.find((list) => Array.isArray(list) && list.length > 0 && list.every(hasLabel));
	return labelled
		? collected((labelled as unknown[]).map(ofList))
		: { fields: [], isComplete: false };
}

/** Whether a contact has custom fields under one of their usual names, in whatever form. */
export const mentionsFields = (contact: IDataObject): boolean =>
	FIELD_NAMES.some((name) => contact[name] !== undefined);

/** The custom fields in the response with a contact: inside the contact, or next to it if it is wrapped. */
export function fieldsIn(json: unknown): ExistingFields {
	const own = fieldsOf(recordOf(json, ['contact']).record);
	const payload = payloadOf(json);
	return own.isComplete || own.fields.length > 0 || !isRecord(payload) ? own : fieldsOf(payload);
}

/** Entries of a list, of a list in a wrapper, or of a map; undefined when it is none of these. */
function entriesOf(value: unknown): (ExistingField | undefined)[] | undefined {
	if (value === null) return [];
	if (Array.isArray(value)) return (value as unknown[]).map(ofList);
	if (!isRecord(value)) return undefined;
	const wrapped = ['data', 'items'].map((name) => value[name]).find(Array.isArray);
	if (wrapped) return (wrapped as unknown[]).map(ofList);
	return Object.entries(value).map(([key, entry]) => ofMap(key, entry));
}

function collected(entries: (ExistingField | undefined)[]): ExistingFields {
	const fields = entries.filter((field): field is ExistingField => field !== undefined);
	return { fields, isComplete: fields.length === entries.length };
}

const hasLabel = (entry: unknown): boolean => isRecord(entry) && typeof entry.label === 'string';

function ofList(entry: unknown): ExistingField | undefined {
	if (!isRecord(entry)) return undefined;
	const definition = isRecord(entry.field) ? entry.field : entry;
	const label = textIn(entry, LABEL_NAMES) ?? textIn(definition, LABEL_NAMES);
	if (label === undefined) return undefined;
	return { label, id: fieldIdOf(entry) ?? fieldIdOf(definition), value: entry.value };
}

/** An entry of a map: by its label, with a value or a record; or by its ID, with a record that has the label. */
function ofMap(key: string, entry: unknown): ExistingField | undefined {
	if (!isRecord(entry)) {
		// A bare value under an ID has no label.
		return looksLikeId(key) ? undefined : { label: key.trim(), value: entry };
	}
	const own = textIn(entry, looksLikeId(key) ? LABEL_NAMES : ['label']);
	const label = own ?? (looksLikeId(key) ? undefined : key.trim());
	if (label === undefined) return undefined;
	const id = fieldIdOf(entry) ?? (label === key.trim() ? undefined : key);
	return { label, id, value: entry.value };
}

/** `fieldId` before `id`: the route calls it that (API document, `PATCH /contacts/{id}/fields/{fieldId}`). */
function fieldIdOf(entry: IDataObject): string | undefined {
	const { fieldId } = entry;
	return typeof fieldId === 'string' || typeof fieldId === 'number' ? String(fieldId) : idOf(entry);
}

function textIn(record: IDataObject, names: string[]): string | undefined {
	const text = names.map((name) => record[name]).find((value) => typeof value === 'string');
	return text?.trim();
}

/** cuid, as most IDs of the service are (API document, section Resources), UUID, or a long number. */
const looksLikeId = (key: string): boolean =>
	/^c[a-z0-9]{20,}$/.test(key) || /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(key) || /^\d{6,}$/.test(key);
