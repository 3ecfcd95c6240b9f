import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../endpoint';
import { pathOf } from '../endpoint';
import { isOwn } from './names';
import { idOfKind, isFalse, isRecord, isUnsuccessful, payloadOf, statusOf } from './response';

/** A record in a response. */
interface FoundRecord {
	/** The record, with what is beside it in the payload; {} if the response contains none. */
	record: IDataObject;
	/** Its ID as text. */
	id?: string;
	/** As the service spells it. */
	status?: string;
	/** Whether nothing of the payload is missing: a key of the record and one beside it may have the same name. */
	isWhole: boolean;
}

/**
 * The record of a response: `data`, or in it, under the name of its kind. The shape is undocumented (API document, section
 * Response envelope).
 *
 * @param names what the service may call the kind in singular (`recordNames`)
 */
export function recordOf(json: unknown, names: readonly string[]): FoundRecord {
	const payload = payloadOf(json);
	if (!isRecord(payload)) return { record: {}, isWhole: false };
	const key = names.find((name) => isRecord(payload[name]));
	const ownId = idOfKind(payload, names);
	// A record may contain another one under the name of its own kind.
	if (key === undefined || ownId !== undefined)
		return { record: payload, id: ownId, status: statusOf(payload), isWhole: true };
	const inner = payload[key] as IDataObject;
	const beside = Object.entries(payload).filter(([name]) => name !== key);
	const isWhole = !beside.some(([name]) => isOwn(inner, name));
	const record = isWhole ? { ...inner, ...Object.fromEntries(beside) } : inner;
	return { record, id: idOfKind(inner, names), status: statusOf(record), isWhole };
}

/**
 * `{ ticket: {...}, notes: [...] }` as one record, so that its ID has one place, whether or not the service puts the
 * record under a name. A payload in which no ID is found, or a key would be lost, is unchanged.
 */
export function unwrapped(payload: IDataObject, endpoint: Endpoint): IDataObject {
	const { id, record, isWhole } = wholeRecordOf({ data: payload }, endpoint);
	return id !== undefined && isWhole ? record : payload;
}

/** The record in a response of an endpoint. */
export const wholeRecordOf = (json: unknown, endpoint: Endpoint): FoundRecord =>
	recordOf(json, recordNames(endpoint));

/**
 * A row of a list, in the forms that a single record has, with its ID; undefined if it has none.
 *
 * @param endpoint that returns one record of the list
 */
export function listedRecord(
	row: unknown,
	endpoint: Endpoint,
): { id: string; record: IDataObject } | undefined {
	const { id, record } = wholeRecordOf({ data: row }, endpoint);
	return id === undefined ? undefined : { id, record };
}

/** The first that a path begins with counts. */
const NAMES: [path: string, names: string[]][] = [
	['/contacts/import', ['import', 'importJob', 'job']],
	['/contacts/{id}/fields', ['field', 'customField']],
	['/contacts', ['contact']],
	['/segments', ['segment']],
	// A contact has a session or none: beside it, the response says which.
	['/chats/session', []],
	['/chats', ['chat']],
	['/messages', ['message']],
	['/templates/sync', []],
	['/templates', ['template']],
	['/broadcasts', ['broadcast']],
	['/flows/trigger', []],
	['/flows', ['flow']],
	['/tickets/{id}/notes', ['note']],
	['/tickets', ['ticket']],
	['/channels', ['channel', 'orgChannel']],
	['/users', ['user']],
	['/organization', ['organization']],
];

/**
 * What the service may call the record that an endpoint returns, in singular: it may be under this name in `data`, and its ID
 * may be called after it.
 */
export function recordNames(endpoint: Endpoint): readonly string[] {
	const path = pathOf(endpoint);
	return NAMES.find(([start]) => path.startsWith(start))?.[1] ?? [];
}

/**
 * What in the response to a write says `success: false`, or of a flow, `triggered: false`: the body, `data`, a row of it, or
 * in one of these, a record under a name of the path. In a record that was read, it may be about something else.
 */
export function refusalIn(json: unknown, endpoint: Endpoint): IDataObject | undefined {
	if (endpoint.startsWith('GET ')) return undefined;
	const path = pathOf(endpoint);
	// All kinds of the path: to a note, a service may return the ticket.
	const kinds = NAMES.filter(([start]) => path.startsWith(start)).flatMap(([, names]) => names);
	const names = [...kinds, path.slice(path.lastIndexOf('/') + 1)];
	const payload = payloadOf(json);
	const rows: unknown[] = Array.isArray(payload) ? payload : [payload];
	const inner = rows.filter(isRecord).flatMap((row) => names.map((name) => row[name]));
	const isRefusal = (record: IDataObject) =>
		isUnsuccessful(record) || (path === '/flows/trigger' && isFalse(record.triggered));
	return [json, ...rows, ...inner].filter(isRecord).find(isRefusal);
}
