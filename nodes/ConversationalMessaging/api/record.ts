import type { IDataObject } from 'n8n-workflow';
import { isRecord, payloadOf, statusOf } from './response';

/** A record in a response. */
export interface FoundRecord {
	/** The record without its wrappers; {} if the response contains none. */
	record: IDataObject;
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
	const found: IDataObject[] = [];
	collect(payloadOf(json) ?? json, [...names, 'job', ...WRAPPERS], 0, found);
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
		id: holder && idIn(holder, [...strong, 'jobId']),
		status: withStatus && statusOf(withStatus),
	};
}

/** Collects the records from the outside in. A list of one counts as its entry. */
function collect(value: unknown, keys: string[], depth: number, found: IDataObject[]): void {
	const inner: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	if (!isRecord(inner)) return;
	found.push(inner);
	if (depth === MAX_DEPTH) return;
	for (const key of keys) collect(inner[key], keys, depth + 1, found);
}

const isId = (value: unknown): value is string | number =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');

function idIn(record: IDataObject, keys: string[]): string | undefined {
	const ids = keys.map((key) => record[key]).filter(isId);
	return ids.length > 0 ? String(ids[0]).trim() : undefined;
}
