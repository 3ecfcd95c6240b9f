import type { IDataObject } from 'n8n-workflow';

/** Whether an object itself has a key: every object inherits "constructor", "toString" and others. */
export const isOwn = (object: object, key: string): boolean =>
	Object.prototype.hasOwnProperty.call(object, key);

/** The value that an object itself has under a key that is not from this package; undefined if it has none. */
export const ownValue = <T>(object: Readonly<Record<string, T>>, key: string): T | undefined =>
	isOwn(object, key) ? object[key] : undefined;

/** "waId" as "wa_id". */
const snakeCase = (name: string): string =>
	name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The value under a name of the document, which services write in camelCase or in snake_case. Looked up, not searched for:
 * a record may have any number of keys.
 *
 * @param name in camelCase
 * @returns undefined if the record has neither spelling
 */
export function valueOf(record: IDataObject, name: string): unknown {
	if (isOwn(record, name)) return record[name];
	const snake = snakeCase(name);
	return isOwn(record, snake) ? record[snake] : undefined;
}

/** The values under several names, in the order of the names; null counts as a value. */
export const valuesOf = (record: IDataObject, names: readonly string[]): unknown[] =>
	names.map((name) => valueOf(record, name)).filter((value) => value !== undefined);
