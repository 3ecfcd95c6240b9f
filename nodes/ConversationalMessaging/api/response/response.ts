import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import type { Headers } from '../rate/rateHeaders';
import { isOwn, valuesOf } from './names';
import type { PieceReader } from '../base/streams';
import { isStream } from '../base/streams';
import { parseExactJson, textOf } from '../base/text';
import type { TimeLimit } from '../timeLimit';

/** A response of the service, with its body read as far as possible. */
export interface ServiceResponse {
	status: number;
	headers: Headers;
	/** The body as text. */
	text: string;
	/** The body as JSON; undefined if it is empty or not JSON. */
	json: unknown;
	/** The unread body, if a file was requested and returned; the text is then empty. */
	content?: PieceReader;
}

/** The largest response that is read into memory, unpacked, in bytes. A page of a list has less than a megabyte. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** The most values in a response: more of them would block n8n for many seconds, however small they are. */
export const MAX_VALUES = 1_000_000;

/** Whether a JSON text has too many values. Takes a second for the largest response. */
function hasTooManyValues(text: string): boolean {
	// A shorter text has fewer values.
	if (text.length < MAX_VALUES || !/^\s*[[{]/.test(text)) return false;
	let values = 0;
	let isInText = false;
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (character === '"') isInText = !isInText;
		else if (isInText) at += character === '\\' ? 1 : 0;
		else if ((character === ',' || character === '[' || character === '{') && ++values > MAX_VALUES)
			return true;
	}
	return false;
}

export function parseResponse(status: number, headers: Headers, body: unknown): ServiceResponse {
	const text = typeof body === 'string' ? body.replace(/^\uFEFF/, '') : '';
	// Some versions of n8n return parsed JSON.
	const json = typeof body === 'object' && body !== null ? body : parseExactJson(text);
	return { status, headers, text, json };
}

/**
 * Reads a response of n8n's HTTP client. A file remains unread.
 *
 * @param limit the time limit of its request, which ends with it
 * @param download whether a file was requested
 * @returns undefined if it is too large, or has too many values
 */
export async function readResponse(
	{ statusCode, headers, body }: Pick<IN8nHttpFullResponse, 'statusCode' | 'headers' | 'body'>,
	limit: TimeLimit,
	download?: boolean,
): Promise<ServiceResponse | undefined> {
	// n8n's evaluations return JSON instead of sending a request.
	if (!isStream(body)) return parseResponse(statusCode, headers, body);
	const content = limit.reader(body);
	// A file without content may have any type.
	const isFile = statusCode === 204 || !/json|html/i.test(textOf(headers['content-type']));
	if (download && statusCode < 300 && isFile)
		return { ...parseResponse(statusCode, headers, ''), content };
	const text = await content.text(MAX_RESPONSE_BYTES);
	if (text !== undefined && !hasTooManyValues(text))
		return parseResponse(statusCode, headers, text);
	// A rejection needs no JSON: its status shows what it is, and its text is cut to a message.
	if (text !== undefined && statusCode >= 300)
		return { status: statusCode, headers, text, json: undefined };
	// Its end aborts the request, but where n8n ignores the signal, the rest would still be on its way.
	content.close();
	return undefined;
}

/** Whether a value is a whole number from 0. */
export const isCount = (value: unknown): value is number =>
	Number.isSafeInteger(value) && (value as number) >= 0;

export function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an envelope may have besides its payload (API document, section Response envelope; others are usual). */
const ENVELOPE_KEYS = [
	...['success', 'ok', 'message', 'code', 'statusCode'],
	...['meta', 'pagination', 'error', 'errors'],
];

/** Under which names the payload is; only the first is documented. */
const PAYLOAD_KEYS = ['data', 'result'];

/** How many envelopes may be inside each other. */
const MAX_ENVELOPES = 3;

/** Whether a body or a payload is no record, but an envelope: one without anything, or around another. */
export const isEnvelope = (value: IDataObject): boolean =>
	Object.entries(value).every(
		([key, inner]) =>
			ENVELOPE_KEYS.includes(key) ||
			(PAYLOAD_KEYS.includes(key) && (inner === null || isRecord(inner))),
	);

/**
 * The envelopes of a response, from the outermost, and the payload at the end. Some services put one more envelope into
 * the documented one, or call `data` `result`.
 */
function layersOf(json: unknown): unknown[] {
	const layers = [json];
	for (let layer = json; isRecord(layer) && layers.length <= MAX_ENVELOPES; layers.push(layer)) {
		const isDocumented = layers.length === 1 && 'data' in layer;
		const key = PAYLOAD_KEYS.find((name) => isRecord((layer as IDataObject)[name]));
		if (!isDocumented && (key === undefined || !isEnvelope(layer))) break;
		layer = layer[isDocumented ? 'data' : (key ?? '')];
	}
	return layers;
}

/** Whether the service rejected a request, also with a status of success (API document, section Response envelope: `success`). */
export const isRejection = ({ status, json }: ServiceResponse): boolean =>
	status >= 300 || layersOf(json).some(isFailure);

/** Whether an envelope says so; some services write it as a number or a text. In a record, it may be a count. */
function isFailure(layer: unknown, depth: number): boolean {
	if (!isRecord(layer)) return false;
	const success = textOf(layer.success).trim().toLowerCase();
	if (depth === 0 && (success === 'false' || isOnlyError(layer))) return true;
	return (
		['false', '0'].includes(success) && ((depth === 0 && 'data' in layer) || isEnvelope(layer))
	);
}

/** Whether a body names an error. */
export const hasErrors = ({ error, errors }: IDataObject): boolean =>
	[error, errors].some((value) => Boolean(value) && !/^(?:\[\]|\{\})$/.test(JSON.stringify(value)));

/** Whether a body has nothing but errors: then a status of success means nothing. */
const isOnlyError = (body: IDataObject): boolean =>
	hasErrors(body) &&
	body.success === undefined &&
	isEnvelope(body) &&
	!PAYLOAD_KEYS.some((key) => isOwn(body, key));

/**
 * The payload of a response: `data` (API document, section Response envelope). A body without the envelope is the
 * payload itself.
 */
export const payloadOf = (json: unknown): unknown => layersOf(json).at(-1);

/**
 * The status of a record: its `status`, or `state`, as an import job may call it. A name inside an object counts too;
 * the document calls a ticket's status an object in one place (API document, `POST /tickets`).
 *
 * @returns as the service spells it; undefined if the record has none
 */
export function statusOf(record: IDataObject): string | undefined {
	const value = record.status ?? record.state;
	const named = isRecord(value) ? (value.name ?? value.value ?? value.status ?? value.code) : value;
	return typeof named === 'string' && named.trim() !== '' ? named.trim() : undefined;
}

/** `meta` of a list, as far as it is present and plausible. */
export interface Meta {
	total?: number;
	/** The page size in force, which may be smaller than the requested one. */
	limit?: number;
	totalPages?: number;
	/** The cursor of the next page of a history; null for none. Undefined if the response does not show it. */
	nextCursor?: string | null;
}

/** Keys that contain the counts of a list. */
const META_NAMES = ['meta', 'pagination'];

/**
 * The counts of a list: next to `data`, as documented (section Response envelope), or inside it.
 *
 * @param path where the rows are in the payload
 */
export function metaOf(json: unknown, path: string[]): Meta {
	const places = layersOf(json);
	for (const key of path) places.push((places[places.length - 1] as IDataObject)[key]);
	const records = places.filter(isRecord);
	const metas = records.flatMap((record) => META_NAMES.map((name) => record[name]));
	// { items: [...], total: 310 }: counts next to the rows, unless those are a record's own fields.
	const container = records[records.length - 1];
	if (container?.id === undefined) metas.push(container);
	const counts = metas.map(countsIn).find((meta) => meta !== undefined);
	const cursor = [...metas, ...records]
		.filter(isRecord)
		.flatMap((place) => valuesOf(place, ['nextCursor']))[0];
	return { ...counts, ...(cursor !== undefined && { nextCursor: textOf(cursor) || null }) };
}

function countsIn(value: unknown): Meta | undefined {
	if (!isRecord(value)) return undefined;
	const { total, limit, totalPages } = value;
	const meta = {
		total: toCount(total),
		limit: toCount(limit) || undefined,
		totalPages: toCount(totalPages),
	};
	return Object.values(meta).some((count) => count !== undefined) ? meta : undefined;
}

/** A whole number, also as text; anything else counts as missing: the length of a list must be bounded. */
function toCount(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return isCount(number) ? number : undefined;
}

/** Names under which services wrap the rows of a list. */
const LIST_NAMES = ['items', 'results', 'rows', 'records', 'list', 'data'];

/** Lists inside a record that are never the requested rows. */
const OTHER_LISTS = [
	'rules',
	'conditions',
	'filters',
	'tags',
	'labels',
	'errors',
	'warnings',
	'links',
];

/** The rows of a list, and where they are. */
interface FoundRows {
	rows: unknown[];
	/** Keys from the payload to the rows; [] when the payload is the list. */
	path: string[];
}

/**
 * The rows of a list. Whether they are directly in `data` or under a name is undocumented, so both are read: `[...]`,
 * `{ tickets: [...] }`, `{ items: [...] }`, `{ segment: { members: [...] } }`, `{ members: { data: [...] } }`.
 *
 * @param names likely names of the rows, the most likely first
 * @returns undefined if the payload contains no list, or several candidates
 */
export function findRows(json: unknown, names: readonly string[]): FoundRows | undefined {
	const payload = payloadOf(json);
	if (Array.isArray(payload)) return { rows: payload, path: [] };
	if (payload === null) return { rows: [], path: [] };
	if (!isRecord(payload)) return undefined;
	const named = listIn(payload, [...names, ...LIST_NAMES]);
	if (named) return named;
	const keys = Object.keys(payload).filter((key) => !OTHER_LISTS.includes(key));
	const [list, ...others] = keys.filter((key) => Array.isArray(payload[key]));
	if (list !== undefined) return others.length === 0 ? listIn(payload, [list]) : undefined;
	// Inside the record that they belong to, or with counts of their own.
	for (const key of keys) {
		const value = payload[key];
		const owned = isRecord(value) && listIn(value, names.includes(key) ? LIST_NAMES : names);
		if (owned) return { rows: owned.rows, path: [key, ...owned.path] };
	}
	return undefined;
}

function listIn(place: IDataObject, names: readonly string[]): FoundRows | undefined {
	const key = names.find((name) => Array.isArray(place[name]));
	return key === undefined ? undefined : { rows: place[key] as unknown[], path: [key] };
}

/** The id of a record as text: strings and numbers are treated alike. */
export function idOf(row: unknown): string | undefined {
	if (!isRecord(row)) return undefined;
	const id = row.id ?? row._id ?? row.hsm_id;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}
