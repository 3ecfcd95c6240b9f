import type { IDataObject } from 'n8n-workflow';
import type { FileStream } from './streams';
import type { Headers } from './rateHeaders';

/** An answer of the service with its body read, as far as it could be. */
export interface Answer {
	status: number;
	headers: Headers;
	/** The body as text. */
	text: string;
	/** The body as JSON; undefined when it is empty or no JSON. */
	json: unknown;
	/** The body as a stream, where a file was asked for and is there; text is empty then. */
	stream?: FileStream;
}

export function answerOf(status: number, headers: Headers, body: unknown): Answer {
	const text = typeof body === 'string' ? body.replace(/^\uFEFF/, '') : '';
	// Some versions of n8n hand JSON over already parsed.
	const json = typeof body === 'object' && body !== null ? body : parse(text);
	return { status, headers, text, json };
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

export function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The payload of an answer: what stands in `data` (API document, section Response envelope). A body without the
 * envelope is taken as the payload itself.
 */
export function payloadOf(json: unknown): unknown {
	return isRecord(json) && 'data' in json ? json.data : json;
}

/**
 * Where a record stands: its `status`, or what an import job may call its `state`. A name inside an object counts too;
 * the document calls a ticket's status an object in one place (API document, `POST /tickets`).
 *
 * @returns as the service spells it; undefined when the record does not say
 */
export function statusOf(record: IDataObject): string | undefined {
	const value = record.status ?? record.state;
	const named = isRecord(value) ? (value.name ?? value.value ?? value.status ?? value.code) : value;
	return typeof named === 'string' && named.trim() !== '' ? named.trim() : undefined;
}

/** `meta` of a list, as far as it is there and makes sense. */
export interface Meta {
	total?: number;
	/** The page size in force, which may be smaller than the one asked for. */
	limit?: number;
	totalPages?: number;
}

export function metaOf(json: unknown): Meta {
	const meta = isRecord(json)
		? (json.meta ?? (isRecord(json.data) ? json.data.meta : undefined))
		: undefined;
	if (!isRecord(meta)) return {};
	const count = (value: unknown): number | undefined => {
		const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		return typeof number === 'number' && Number.isFinite(number) && number >= 0
			? number
			: undefined;
	};
	return { total: count(meta.total), limit: count(meta.limit), totalPages: count(meta.totalPages) };
}

/** Names under which services wrap the rows of a list. */
const LIST_NAMES = ['items', 'results', 'rows', 'records', 'list', 'data'];

/**
 * The name under which the rows of a list stand in a payload.
 *
 * @param name the name that they probably have, e.g. "tickets"
 */
export function listKeyOf(payload: IDataObject, name: string): string | undefined {
	const known = [name, ...LIST_NAMES].find((key) => Array.isArray(payload[key]));
	if (known !== undefined) return known;
	const lists = Object.keys(payload).filter((key) => Array.isArray(payload[key]));
	return lists.length === 1 ? lists[0] : undefined;
}

/**
 * The rows of a list. Whether they stand bare in `data` or under a name is undocumented: both are understood.
 *
 * @param name the name that the rows probably have, e.g. "tickets"
 * @returns undefined when the payload holds no list
 */
export function rowsOf(json: unknown, name: string): unknown[] | undefined {
	const payload = payloadOf(json);
	if (Array.isArray(payload)) return payload;
	if (!isRecord(payload)) return payload === null || payload === undefined ? [] : undefined;
	const key = listKeyOf(payload, name);
	return key === undefined ? undefined : (payload[key] as unknown[]);
}
