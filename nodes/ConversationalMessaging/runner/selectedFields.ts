import type { IDataObject } from 'n8n-workflow';
import { isOwn, isRecord, setOwn } from '../api/response/response';

/**
 * A record with these fields only, where they are in the original. A field that it does not have is left out.
 *
 * @param names with dots for fields within fields, also of each entry of a list: "customFields.label". A key that
 *   contains the dots itself comes first.
 */
export function selectFields(record: IDataObject, names: readonly string[]): IDataObject {
	const selected: IDataObject = {};
	for (const name of names) copyField(record, selected, name);
	return selected;
}

/** Whether a record has a field, even if it is null. */
export const hasField = (record: IDataObject, name: string): boolean => copyField(record, {}, name);

function copyField(from: IDataObject, to: IDataObject, name: string): boolean {
	if (isOwn(from, name)) {
		setOwn(to, name, from[name]);
		return true;
	}
	for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
		const key = name.slice(0, dot);
		if (isOwn(from, key) && copyInner(from, to, key, name.slice(dot + 1))) return true;
	}
	return false;
}

function copyInner(from: IDataObject, to: IDataObject, key: string, rest: string): boolean {
	const inner = from[key];
	// Selected as a whole before.
	if (isOwn(to, key) && to[key] === inner) return true;
	if (isRecord(inner)) {
		const copy = (isOwn(to, key) ? to[key] : {}) as IDataObject;
		if (!copyField(inner, copy, rest)) return false;
		setOwn(to, key, copy);
		return true;
	}
	if (!Array.isArray(inner)) return false;
	const entries = inner as unknown[];
	const copies = (isOwn(to, key) ? to[key] : entries.map(() => ({}))) as IDataObject[];
	const found = entries.map(
		(entry, i) => isRecord(entry) && copyField(entry, copies[i] ?? {}, rest),
	);
	// An empty list shows that there are none.
	if (entries.length > 0 && !found.some(Boolean)) return false;
	setOwn(to, key, copies);
	return true;
}
