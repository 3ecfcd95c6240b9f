/** What several assumptions find in records: values at paths, times, types. */
import type { IDataObject } from 'n8n-workflow';
import { sentAt } from '../nodes/ConversationalMessaging/api/chatMessage.ts';
import { isRecord } from '../nodes/ConversationalMessaging/api/response.ts';
import { join, literal, say, type Shown } from './shown.mts';

/** The value at a path of keys. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
	return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), record);
}

/** All paths of values that are not records themselves, each once, down to this depth. Lists are values. */
export function allPaths(records: readonly IDataObject[], depth = 3): string[][] {
	const found = new Map<string, string[]>();
	for (const record of records)
		for (const path of pathsIn(record, depth)) found.set(JSON.stringify(path), path);
	return [...found.values()];
}

function pathsIn(record: IDataObject, depth: number): string[][] {
	return Object.entries(record).flatMap(([key, value]) =>
		isRecord(value) && depth > 1
			? pathsIn(value, depth - 1).map((path) => [key, ...path])
			: [[key]],
	);
}

/** A value as a time, as the nodes read it: from 2005 to a year from now, in milliseconds. @returns undefined if it is none */
export function timeOf(value: unknown, now: number): number | undefined {
	const time = sentAt({ value } as IDataObject, 'value');
	const isPlausible =
		time !== undefined && time > Date.UTC(2005, 0) && time < now + 366 * 86_400_000;
	return isPlausible ? time : undefined;
}

/** The types of a field in several records, each once. */
export function typesAt(records: readonly IDataObject[], path: readonly string[]): Shown {
	const types = records.map((record) => typeOf(valueAt(record, path)));
	return join([...new Map(types.map((type) => [type.text, type])).values()], ' or ');
}

/** The type of a value, as a report shows it. */
function typeOf(value: unknown): Shown {
	if (value === undefined) return literal('nothing');
	if (value === null) return literal('null');
	if (Array.isArray(value)) {
		const [first] = value as unknown[];
		return first === undefined ? literal('list') : say`list of ${typeOf(first)}`;
	}
	if (isRecord(value)) return literal('object');
	if (typeof value === 'string') return textType(value);
	return literal(typeof value === 'number' ? 'number' : 'boolean');
}

function textType(text: string): Shown {
	if (text === '') return literal('empty text');
	if (/^\+\d+$/.test(text)) return literal('plus and digits');
	if (/^\d+$/.test(text)) return literal('digits');
	return literal(/^\d{4}-\d\d-\d\d[T ]\d/.test(text) ? 'time' : 'text');
}
