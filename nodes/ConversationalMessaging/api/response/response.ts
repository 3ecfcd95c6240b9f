import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import { type Shown, shown } from '../access/shown';
import { type PieceReader, isStream } from '../base/streams';
import { jsonExceeds, parseExactJson, textOf } from '../base/text';
import { type Endpoint, type ListEndpoint, recordNames, rowNames } from '../endpoint';
import type { Headers } from '../rate/rateHeaders';
import type { TimeLimit } from '../timeLimit';

/** A response of the service, with its body read as far as possible. */
export interface ServiceResponse {
	status: number;
	/** "Not Found", as the service writes it. */
	statusMessage?: string;
	headers: Headers;
	text: string;
	/** The body as JSON; undefined if it is empty or not JSON. */
	json: unknown;
	/** The unread body, if a file was requested and returned; the text is then empty. */
	content?: PieceReader;
	request?: SentRequest;
}

/** A request as it was sent, without its file. */
export interface SentRequest {
	endpoint: Endpoint;
	path?: Record<string, string>;
	body?: IDataObject;
}

/**
 * The largest response that is read into memory, unpacked, in bytes. A page of a list has less than a megabyte, and a
 * longer response would block n8n for many seconds.
 */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/**
 * The most values in its JSON: fields, entries, rows. A page of a list has less than a tenth of them. Reading one costs time whatever
 * its size, so some megabytes of empty rows, or of a record's fields, would block n8n for many seconds, too.
 */
export const MAX_RESPONSE_VALUES = 200_000;

/** Of a response that is not read: what it has too much of. */
interface TooLarge {
	tooLarge: string;
}

export function parseResponse(status: number, headers: Headers, body: unknown): ServiceResponse {
	const text = typeof body === 'string' ? body.replace(/^\uFEFF/, '') : '';
	// Some versions of n8n return parsed JSON.
	const json = typeof body === 'object' && body !== null ? body : parseExactJson(text);
	return { status, headers, text, json };
}

/** Reads a response of n8n's HTTP client, within the time limit of its request. A file remains unread. */
export async function readResponse(
	{ statusCode, statusMessage, headers, body }: Omit<IN8nHttpFullResponse, '__bodyResolved'>,
	limit: TimeLimit,
	download?: boolean,
): Promise<ServiceResponse | TooLarge> {
	const parsed = (text: unknown) => ({
		...parseResponse(statusCode, headers, text),
		statusMessage,
	});
	// n8n's evaluations return JSON instead of sending a request.
	if (!isStream(body)) return parsed(body);
	// A file without content may have any type.
	const isFile = statusCode === 204 || !/json|html/i.test(textOf(headers['content-type']));
	if (download && statusCode < 300 && isFile) {
		const bytes = toCount(headers['content-length']);
		const size = bytes === undefined ? undefined : { bytes, source: 'the service announced' };
		return { ...parsed(''), content: limit.reader(body, size) };
	}
	const content = limit.reader(body);
	const text = await content.text(MAX_RESPONSE_BYTES);
	if (text === undefined) {
		// Its end aborts the request, but where n8n ignores the signal, the rest would still be on its way.
		content.close();
		return { tooLarge: `more than ${MAX_RESPONSE_BYTES / 1024 / 1024} MB` };
	}
	if (text.length > MAX_RESPONSE_VALUES && jsonExceeds(text, Infinity, MAX_RESPONSE_VALUES))
		return { tooLarge: `more than ${MAX_RESPONSE_VALUES.toLocaleString('en')} values` };
	return parsed(text);
}

export const isCount = (value: unknown): value is number =>
	Number.isSafeInteger(value) && (value as number) >= 0;

export function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an object itself has a key: every object inherits "constructor", "toString" and others. */
export const isOwn = (object: object, key: string): boolean =>
	Object.prototype.hasOwnProperty.call(object, key);

/** The value that an object itself has under a key that is not from this package; undefined if it has none. */
export const ownValue = <T>(object: Readonly<Record<string, T>>, key: string): T | undefined =>
	isOwn(object, key) ? object[key] : undefined;

/** Sets the value that an object itself has under a key: an assignment would not create __proto__. */
export function setOwn(object: IDataObject, key: string, value: unknown): void {
	if (key !== '__proto__') object[key] = value as IDataObject[string];
	else
		Object.defineProperty(object, key, {
			value,
			enumerable: true,
			writable: true,
			configurable: true,
		});
}

/** "waId" as "wa_id". Kept: a pattern for each name of a million rows takes seconds. The names are those of this package. */
const snakeCases = new Map<string, string>();

function snakeCase(name: string): string {
	const known = snakeCases.get(name);
	if (known !== undefined) return known;
	const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
	snakeCases.set(name, snake);
	return snake;
}

/**
 * The key under which a record has a name of the document, which services write in camelCase or in snake_case. Looked up, not
 * searched for: a record may have any number of keys.
 */
function spellingIn(record: IDataObject, name: string): string | undefined {
	if (isOwn(record, name)) return name;
	const snake = snakeCase(name);
	return isOwn(record, snake) ? snake : undefined;
}

/** The value under a name of the document in either spelling (`spellingIn`); undefined if the record has neither. */
export function valueOf(record: IDataObject, name: string): unknown {
	const key = spellingIn(record, name);
	return key === undefined ? undefined : record[key];
}

/** The values under several names, in the order of the names; null counts as a value. */
export const valuesOf = (record: IDataObject, names: readonly string[]): unknown[] =>
	names.map((name) => valueOf(record, name)).filter((value) => value !== undefined);

/** The keys of an envelope, and of what some services return instead of it. */
const ENVELOPE_KEYS = [
	...['success', 'data', 'meta', 'message', 'error', 'errors'],
	...['ok', 'code', 'statusCode', 'result', 'pagination'],
	...['requestId', 'request_id', 'traceId', 'trace_id', 'timestamp', 'path'],
];

const isBlank = (value: unknown): boolean => (value ?? '') === '';

/** Whether a body or a payload is no record, but an envelope, or has no values. */
export const isEnvelope = (value: IDataObject): boolean =>
	Object.keys(value).every((key) => isBlank(value[key]) || ENVELOPE_KEYS.includes(key));

/** Whether a body names an error. Some services return its keys without one too: `error: { code: null, message: '' }`. */
export const hasErrors = ({ error, errors }: IDataObject): boolean =>
	[error, errors].some((value) =>
		typeof value === 'object'
			? Object.values(value ?? {}).some((each) => !isBlank(each))
			: Boolean(value),
	);

/** Whether an envelope names errors: in a record without one, `error` may be about something else. */
export const hasErrorsBesideData = (json: unknown): boolean =>
	isRecord(json) && isOwn(json, 'data') && hasErrors(json);

/**
 * What in a response with a status of success says that the request was rejected, by `success: false` (API document, section
 * Response envelope) or by errors where a record would be: the body, or the record of a write. In a record that was read,
 * `success` and `error` may be about something else.
 */
export function refusalIn(json: unknown, endpoint: Endpoint): IDataObject | undefined {
	// Asked only if something depends on it: this runs for each response.
	const showsNone = () => !showsRecord(json, endpoint);
	return placesOfRefusal(json, endpoint, showsNone)
		.filter(isRecord)
		.find((place) => says(place, 'false') || (hasErrors(place) && showsNone()));
}

function placesOfRefusal(json: unknown, endpoint: Endpoint, showsNone: () => boolean): unknown[] {
	if (endpoint.startsWith('GET ')) return [json];
	const payload = payloadOf(json);
	const rows = Array.isArray(payload) && showsNone() ? (payload as unknown[]) : [];
	return [recordOf(json, endpoint).record, json, ...rows];
}

/** Whether `success` has this value. Some services return everything as text. */
export const says = (place: unknown, success: 'true' | 'false'): boolean =>
	isRecord(place) && textOf(place.success).toLowerCase() === success;

/** The record of a response, or the rows of it that are records. */
export function shownRecords(json: unknown, endpoint: Endpoint): IDataObject[] {
	const payload = payloadOf(json);
	const rows = Array.isArray(payload) ? (payload as unknown[]) : [recordOf(json, endpoint).record];
	return rows.filter(isRecord);
}

/** Whether a response shows a record, or a row that is one. */
export const showsRecord = (json: unknown, endpoint: Endpoint): boolean =>
	shownRecords(json, endpoint).some((record) => !isEnvelope(record));

/**
 * The payload of a response: `data` (API document, section Response envelope). A body without the envelope is the
 * payload itself.
 */
export const payloadOf = (json: unknown): unknown =>
	isRecord(json) && isOwn(json, 'data') ? json.data : json;

/** The status of a record as the service spells it: a text, or an object with a name (API document, `POST /tickets`). */
export function statusOf({ status }: IDataObject): string | undefined {
	const name = isRecord(status) ? status.name : status;
	return typeof name === 'string' && name.trim() !== '' ? name.trim() : undefined;
}

const isId = (value: unknown): value is string | number =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');

/** The first ID under one of these names as text, whether the service writes it as text or as a number. */
export function idIn(record: unknown, names: readonly string[]): string | undefined {
	if (!isRecord(record)) return undefined;
	for (const name of names) {
		const id = valueOf(record, name);
		if (isId(id)) return String(id).trim();
	}
	return undefined;
}

/**
 * The ID of a record: `id`, the ID of its kind such as `importId`, or `hsm_id` (API document, sections Template and Response
 * envelope).
 *
 * @param names of the kind (`recordNames`); none if the kind does not matter
 */
export const idOf = (record: unknown, names: readonly string[] = []): string | undefined =>
	idIn(record, ['id', ...names.map((name) => `${name}Id`), 'hsmId']);

/** `meta` of a list, as far as it is present and plausible. */
export interface Meta {
	total?: number;
	/** The page size in force, which may be smaller than the requested one. */
	limit?: number;
	totalPages?: number;
}

/** The counts of a list, in `meta` beside `data`, as documented (section Response envelope), or in it. */
export function metaOf(json: unknown): Meta {
	const places = [json, payloadOf(json)].filter(isRecord).map(({ meta }) => meta);
	const meta = places.find(isRecord) ?? {};
	return {
		total: toCount(meta.total),
		// Some services do not count, and return 0.
		limit: toCount(meta.limit) || undefined,
		totalPages: toCount(valueOf(meta, 'totalPages')) || undefined,
	};
}

/** A whole number, also as text; anything else counts as missing: the length of a list must be bounded. */
export function toCount(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return isCount(number) ? number : undefined;
}

/** Names that services use for the rows of any list. */
export const LIST_NAMES = ['items', 'rows', 'results', 'list', 'records'];

/**
 * The rows of a list: `data`, or in it, under one of their names or a general one; or in the record that they belong to, as the
 * members of a segment. null is an empty list.
 *
 * @returns undefined if there is no list in any of these places
 */
export function findRows(json: unknown, endpoint: ListEndpoint): unknown[] | undefined {
	const payload = payloadOf(json);
	if (payload === null) return [];
	if (!isRecord(payload)) return Array.isArray(payload) ? payload : undefined;
	const places = [payload, ...valuesOf(payload, recordNames(endpoint))].filter(isRecord);
	const names = [...rowNames(endpoint), ...LIST_NAMES];
	const found = places.flatMap((place) => valuesOf(place, names));
	return found.find((value) => Array.isArray(value)) ?? (found.includes(null) ? [] : undefined);
}

/**
 * The record of a response: `data`, or in it, under the name of its kind; what is beside it there becomes part of it. The shape
 * is undocumented (API document, section Response envelope).
 *
 * @returns {} if the response contains none; its ID as text
 */
export function recordOf(json: unknown, endpoint: Endpoint): { record: IDataObject; id?: string } {
	const payload = payloadOf(json);
	if (!isRecord(payload)) return { record: {} };
	const names = recordNames(endpoint);
	const key = names
		.map((name) => spellingIn(payload, name))
		.find((name) => name !== undefined && isRecord(payload[name]));
	const ownId = idOf(payload, names);
	// A record may contain another one under the name of its own kind.
	if (key === undefined || ownId !== undefined) return { record: payload, id: ownId };
	const { [key]: inner, ...beside } = payload;
	return { record: { ...beside, ...(inner as IDataObject) }, id: idOf(inner, names) };
}

/** A row of a list, in the forms of the record that this endpoint returns, with its ID; undefined if it has none. */
export function listedRecord(
	row: unknown,
	endpoint: Endpoint,
): { id: string; record: IDataObject } | undefined {
	const { id, record } = recordOf({ data: row }, endpoint);
	return id === undefined ? undefined : { id, record };
}

/** What a response has instead of what its endpoint documents, for messages: "data has the keys id, total". */
export const whatCame = (json: unknown): Shown =>
	described(payloadOf(json) === json ? 'the body' : 'data', payloadOf(json));

/** "a row has the keys id, title" */
export function described(what: string, value: unknown): Shown {
	if (Array.isArray(value)) return shown`${what} is a list of ${value.length}`;
	const keys = isRecord(value) ? Object.keys(value) : [];
	if (keys.length > 0) {
		const more = keys.length > 20 ? ', …' : '';
		return shown`${what} has the keys ${keys.slice(0, 20).join(', ')}${more}`;
	}
	const isEmpty = value === undefined || isRecord(value);
	return shown`${what} is ${isEmpty ? 'empty' : value === null ? 'null' : `a ${typeof value}`}`;
}
