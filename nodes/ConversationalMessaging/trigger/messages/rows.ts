import type { IDataObject } from 'n8n-workflow';
import { messageId, sentAt, timeOf } from '../../api/chatMessage';
import { isRecord } from '../../api/response';
import { textOf } from '../../api/text';
import { keyOf, shortened } from '../keys';

const MARK_BITS = 24;

/** Fewer rows do not show which fields change by themselves. */
const MIN_ROWS = 3;

/**
 * The fingerprint of a chat's row: if it differs, the chat may have news.
 *
 * @param without fields that change without news; with dots for fields within fields
 * @returns from 1 to 2^24 - 1
 */
export function markOf(row: IDataObject, without: readonly string[]): number {
	const fields = [...fieldsOf(row)].filter(([path]) => !without.includes(path));
	const text = JSON.stringify(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
	return Math.max(1, shortened(keyOf(text), MARK_BITS));
}

/**
 * The fields that differ in every row between two readings of the same rows, at once: the time of the response, for
 * instance. News would change only some rows.
 */
export function volatileFields(
	before: ReadonlyMap<string, IDataObject>,
	after: ReadonlyMap<string, IDataObject>,
): string[] {
	const pairs = [...before].flatMap(([id, row]) => {
		const again = after.get(id);
		return again ? [[fieldsOf(row), fieldsOf(again)] as const] : [];
	});
	if (pairs.length < MIN_ROWS) return [];
	const paths = new Set(pairs.flatMap(([one, other]) => [...one.keys(), ...other.keys()]));
	return [...paths].filter((path) =>
		pairs.every(([one, other]) => one.get(path) !== other.get(path)),
	);
}

/** Whether a row names a message by its ID or its time, as most rows do with the newest message of their chat. */
export function namesMessage(row: IDataObject, message: IDataObject): boolean {
	const [id, time] = [messageId(message), sentAt(message)];
	const values = [...fieldsOf(row).values()].flatMap((text) => JSON.parse(text) as unknown[]);
	return values.some(
		(value) => textOf(value) === id || (time !== undefined && timeOf(value) === time),
	);
}

const MAX_DEPTH = 4;

/** The values of a row as texts, by path. What is deeper, and lists, are values. */
function fieldsOf(row: IDataObject): Map<string, string> {
	const fields = new Map<string, string>();
	const collect = (value: unknown, path: string, depth: number): void => {
		if (isRecord(value) && depth < MAX_DEPTH)
			for (const [key, inner] of Object.entries(value))
				collect(inner, path === '' ? key : `${path}.${key}`, depth + 1);
		else fields.set(path, JSON.stringify([value]));
	};
	collect(row, '', 0);
	return fields;
}
