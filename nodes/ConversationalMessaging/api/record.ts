import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from './endpoint';
import { recordNames } from './recordNames';
import { isRecord, payloadOf, statusOf } from './response';

/** A record in a response. */
export interface FoundRecord {
	/** The record without its wrappers; {} if the response contains none. */
	record: IDataObject;
	/** Keys from the payload to the record; [] if it is the payload. */
	path: string[];
	/** Its ID as text, whether the service writes it as text or as a number. */
	id?: string;
	/** As the service spells it. */
	status?: string;
}

/** Keys that wrap a single record, whatever its kind. */
const WRAPPERS = ['data', 'result', 'record', 'item'];

/** How deep records may be wrapped. */
const MAX_DEPTH = 3;

/**
 * The record of a response. Its shape is undocumented (API document, section Response envelope), so the record may be
 * directly in `data` or under a name there, and its ID may be called `id`, `_id` or after the kind: `importId`.
 *
 * @param names what the service may call the kind in singular, e.g. ["import", "importJob"]. `job` is always one
 *   more, and the last: a queue's own number may accompany the record that was queued.
 */
export function recordOf(json: unknown, names: readonly string[]): FoundRecord {
	const places: Place[] = [];
	collect(payloadOf(json) ?? json, [...names, 'job', ...WRAPPERS], [], places);
	const found = places.map(({ record }) => record);
	const [payload = {}, ...wrapped] = found;

	const strong = ['id', '_id', ...names.map((name) => `${name}Id`)];
	const holder =
		found.find((place) => idIn(place, strong) !== undefined) ??
		found.find((place) => idIn(place, ['jobId']) !== undefined);
	// Without an ID, an inner status is more specific than an outer one, which may be the response's.
	const record =
		holder ??
		wrapped.find((place) => statusOf(place) !== undefined) ??
		(statusOf(payload) === undefined ? wrapped[0] : undefined) ??
		payload;
	const withStatus = [record, ...found].find((place) => statusOf(place) !== undefined);
	return {
		record,
		path: places.find((place) => place.record === record)?.path ?? [],
		id: holder && idIn(holder, [...strong, 'jobId']),
		status: withStatus && statusOf(withStatus),
	};
}

/**
 * `{ ticket: {...}, notes: [...] }` as one record, so that its ID has one place, whether or not the service puts the
 * record under a name. A payload in which no ID is found, or a key would be lost, is unchanged.
 */
export function unwrapped(payload: IDataObject, endpoint: Endpoint): IDataObject {
	const { record, path, id } = recordOf({ data: payload }, recordNames(endpoint));
	if (id === undefined) return payload;
	let flat = record;
	let place: unknown = payload;
	for (const key of path) {
		const { [key]: inner, ...others } = place as IDataObject;
		if (Object.keys(others).some((other) => other in flat)) return payload;
		flat = { ...flat, ...others };
		place = Array.isArray(inner) ? inner[0] : inner;
	}
	return flat;
}

interface Place {
	record: IDataObject;
	/** Keys from the payload. */
	path: string[];
}

/** Collects the records from the outside in. A list of one counts as its entry. */
function collect(value: unknown, keys: string[], path: string[], found: Place[]): void {
	const record: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	if (!isRecord(record)) return;
	found.push({ record, path });
	if (path.length === MAX_DEPTH) return;
	for (const key of keys) collect(record[key], keys, [...path, key], found);
}

/** Whether a value can be an ID: a number, or a text that is not blank. */
export const isId = (value: unknown): value is string | number =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');

function idIn(record: IDataObject, keys: string[]): string | undefined {
	const ids = keys.map((key) => record[key]).filter(isId);
	return ids.length > 0 ? String(ids[0]).trim() : undefined;
}
