/** What several assumptions find in records: times, keys by their words, types. */
import type { IDataObject } from 'n8n-workflow';
import { isRecord, isRejection } from '../nodes/ConversationalMessaging/api/response.ts';
import { wordsOf } from './names.mts';
import type { Reading } from './service.mts';
import { join, literal, say, type Shown } from './shown.mts';

/** The value at a path of keys. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
	return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), record);
}

/** The paths of all values in a record that are not records themselves, down to this depth. Lists are values. */
export function pathsIn(record: IDataObject, depth = 3): string[][] {
	return Object.entries(record).flatMap(([key, value]) =>
		isRecord(value) && depth > 1
			? pathsIn(value, depth - 1).map((path) => [key, ...path])
			: [[key]],
	);
}

/** All paths that occur in any of the records, in order of appearance. */
export function allPaths(records: readonly IDataObject[], depth = 3): string[][] {
	const found = new Map<string, string[]>();
	for (const record of records)
		for (const path of pathsIn(record, depth)) found.set(JSON.stringify(path), path);
	return [...found.values()];
}

/** A reasonable time of a record: from 2005 to a year from now, in milliseconds. */
const isPlausible = (ms: number, now: number): boolean =>
	ms > Date.UTC(2005, 0) && ms < now + 366 * 86_400_000;

/** How a time is written. */
export type TimeForm = 'ISO 8601' | 'epoch seconds' | 'epoch milliseconds' | 'date';

/** A value as a time. @returns undefined if it is none */
export function timeOf(
	value: unknown,
	now = Date.now(),
): { ms: number; form: TimeForm } | undefined {
	if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}([T ]|$)/.test(value)) {
		const ms = Date.parse(value);
		return Number.isNaN(ms) ? undefined : { ms, form: value.length > 10 ? 'ISO 8601' : 'date' };
	}
	if (typeof value === 'string' && /^[A-Z][a-z]{2}, \d/.test(value)) {
		const ms = Date.parse(value);
		return Number.isNaN(ms) ? undefined : { ms, form: 'date' };
	}
	const number =
		typeof value === 'number'
			? value
			: typeof value === 'string' && /^\d{10,13}$/.test(value)
				? Number(value)
				: NaN;
	if (isPlausible(number, now)) return { ms: number, form: 'epoch milliseconds' };
	if (isPlausible(number * 1000, now)) return { ms: number * 1000, form: 'epoch seconds' };
	return undefined;
}

const hasWord = (name: string, words: readonly string[]): boolean =>
	wordsOf(name).some((word) => words.includes(word));

const CREATED = [
	'created',
	'creation',
	'create',
	'inserted',
	'added',
	'opened',
	'started',
	'registered',
	'ctime',
	'birth',
];
const CHANGED = [
	'updated',
	'update',
	'changed',
	'change',
	'modified',
	'modify',
	'last',
	'latest',
	'recent',
	'activity',
	'touched',
	'mtime',
	'edited',
];
/** Objects that hold the times of the record that they are in. */
const TIME_GROUPS = /^(?:meta|metadata|timestamps?|dates?|times?|audit)$/i;
const NOT_THE_RECORDS = [
	'scheduled',
	'due',
	'expires',
	'expiry',
	'birthday',
	'until',
	'end',
	'closed',
	'resolved',
];

/** Paths of times in the rows: of creation, and of change. A path counts if most rows have a time there. */
export function timePaths(
	rows: readonly IDataObject[],
	now?: number,
): {
	created: string[][];
	changed: string[][];
	all: string[][];
} {
	const all = allPaths(rows.slice(0, 200), 2).filter((path) => {
		const times = rows.filter((row) => timeOf(valueAt(row, path), now) !== undefined).length;
		return times > 0 && times >= rows.length * 0.3 && isNamedTime(path, rows, now);
	});
	const last = (path: string[]): string => path.at(-1) ?? '';
	const changed = all.filter((path) => path.some((key) => hasWord(key, CHANGED)));
	const own = all.filter((path) => path.length === 1 || TIME_GROUPS.test(path[0] ?? ''));
	const named = (words: readonly string[]) =>
		own.filter((path) => hasWord(last(path), words) && !changed.includes(path));
	// A record that was opened or started later has a time of creation as well.
	const strictly = named(CREATED.slice(0, 3));
	const created = strictly.length > 0 ? strictly : named(CREATED);
	return {
		created,
		changed: changed.filter((path) => !path.some((key) => hasWord(key, NOT_THE_RECORDS))),
		all,
	};
}

/** A number is a time only under a name that says so: an ID may look like one. */
function isNamedTime(path: string[], rows: readonly IDataObject[], now?: number): boolean {
	const forms = new Set(rows.map((row) => timeOf(valueAt(row, path), now)?.form));
	if (forms.has('ISO 8601')) return true;
	return path.some((key) =>
		hasWord(key, [
			...CREATED,
			...CHANGED,
			'at',
			'on',
			'time',
			'date',
			'timestamp',
			'ts',
			'sent',
			'when',
			'ms',
			'epoch',
		]),
	);
}

/** The type of a value, as a report shows it. */
export function typeOf(value: unknown): Shown {
	if (value === null) return literal('null');
	if (value === undefined) return literal('nothing');
	if (Array.isArray(value)) {
		const [first] = value as unknown[];
		return first === undefined ? literal('list') : say`list of ${typeOf(first)}`;
	}
	const time = timeOf(value);
	if (time && (typeof value !== 'number' || time.form === 'epoch milliseconds'))
		return literal(time.form);
	switch (typeof value) {
		case 'object':
			return literal('object');
		case 'boolean':
			return literal('boolean');
		case 'number':
			return literal('number');
		case 'string':
			return textType(value);
		default:
			return literal('text');
	}
}

function textType(text: string): Shown {
	if (text === '') return literal('empty text');
	if (/^\+\d+$/.test(text)) return literal('plus and digits');
	if (/^\d+$/.test(text)) return literal('digits');
	if (/^c[a-z0-9]{24}$/.test(text)) return literal('cuid');
	if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text))
		return literal('UUID');
	if (/^[0-9a-f]{24}$/i.test(text)) return literal('ObjectId');
	if (/^[0-9A-HJKMNP-TV-Z]{26}$/.test(text)) return literal('ULID');
	return literal('text');
}

/** The types of a field in several records, each once. */
export function typesAt(records: readonly IDataObject[], path: readonly string[]): Shown {
	const types = new Map(
		records.map((record) => typeOf(valueAt(record, path))).map((type) => [type.text, type]),
	);
	return join([...types.values()], ' or ');
}

/** Why a reading has nothing to judge. */
export function whyNot({ response, failure, endpoint }: Reading): Shown {
	const route = Endpoints.shown(endpoint);
	if (!response) return say`${route}: ${literal(failure ?? 'connection')}`;
	if (response.status === 403) return say`${route}: no permission (403)`;
	if (response.status < 300 && isRejection(response))
		return say`${route}: ${response.status} with success: false`;
	return say`${route}: ${response.status}${literal(response.json === undefined ? ', not JSON' : '')}`;
}

/** Routes are names of this program, whatever the service returns. */
export const Endpoints = {
	shown: (endpoint: Reading['endpoint']): Shown => literal(endpoint),
};

/** Entries by what they have in common, in order of appearance. */
export function groupBy<T, K>(entries: Iterable<T>, keyOf: (entry: T) => K): Map<K, T[]> {
	const groups = new Map<K, T[]>();
	for (const entry of entries) {
		const key = keyOf(entry);
		const group = groups.get(key);
		if (group) group.push(entry);
		else groups.set(key, [entry]);
	}
	return groups;
}
