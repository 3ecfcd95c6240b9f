import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../endpoint';
import { isOwn } from './names';
import { idOf, isRecord, payloadOf, statusOf } from './response';

/** A record in a response. */
interface FoundRecord {
	/** The record; {} if the response contains none. */
	record: IDataObject;
	/** The key of the record in the payload; undefined if it is the payload. */
	key?: string;
	/** Its ID as text, whether the service writes it as text or as a number. */
	id?: string;
	/** As the service spells it. */
	status?: string;
}

/**
 * The record of a response. Its shape is undocumented (API document, section Response envelope), so the record may be
 * directly in `data`, or under the name of its kind there, and its ID may be called `id`, `_id` or after the kind:
 * `importId`. A list of one counts as its entry.
 *
 * @param names what the service may call the kind in singular, e.g. ["import", "importJob"]. `job` is always one
 *   more, and the last: a queue's own number may accompany the record that was queued.
 */
export function recordOf(json: unknown, names: readonly string[]): FoundRecord {
	const payload = only(payloadOf(json) ?? json);
	if (!isRecord(payload)) return { record: {} };
	const all = [...names, 'job'];
	const key = all.find((name) => isRecord(only(payload[name])));
	const inner = key === undefined ? undefined : (only(payload[key]) as IDataObject);
	const isPayload = !inner || idIn(payload, names) !== undefined;
	const [record, other] = isPayload ? [payload, inner] : [inner, payload];
	return {
		record,
		key: isPayload ? undefined : key,
		id: idIn(record, all) ?? idIn(payload, all),
		status: statusOf(record) ?? (other && statusOf(other)),
	};
}

/**
 * `{ ticket: {...}, notes: [...] }` as one record, so that its ID has one place, whether or not the service puts the
 * record under a name. A payload in which no ID is found, or a key would be lost, is unchanged.
 */
export function unwrapped(payload: IDataObject, endpoint: Endpoint): IDataObject {
	const found = recordOf({ data: payload }, recordNames(endpoint));
	return (found.id !== undefined && withRest(found, payload)) || payload;
}

/** As `recordOf`, with what is beside the record in it; without that, if a key would be lost. */
export function wholeRecordOf(json: unknown, endpoint: Endpoint): FoundRecord {
	const found = recordOf(json, recordNames(endpoint));
	const payload = only(payloadOf(json));
	const record = (isRecord(payload) && withRest(found, payload)) || found.record;
	return { ...found, record };
}

/**
 * A row of a list, in the forms that a single record has, with its ID; undefined if it has none.
 *
 * @param endpoint that returns one record of the list
 */
export function listedRecord(
	row: unknown,
	endpoint: Endpoint,
): { id: string; record: IDataObject } | undefined {
	if (!isRecord(row)) return undefined;
	const rowId = idOf(row);
	if (rowId?.trim()) return { id: rowId, record: row };
	const { id, record } = wholeRecordOf({ data: row }, endpoint);
	return id === undefined ? undefined : { id, record };
}

/** A record with the rest of its payload; undefined if a key would be lost. */
function withRest({ record, key }: FoundRecord, payload: IDataObject): IDataObject | undefined {
	if (key === undefined) return record;
	const others = Object.entries(payload).filter(([name]) => name !== key);
	const isAmbiguous = others.some(([name]) => isOwn(record, name));
	return isAmbiguous ? undefined : { ...record, ...Object.fromEntries(others) };
}

const only = (value: unknown): unknown =>
	Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;

/** Whether a value can be an ID: a number, or a text that is not blank. */
export const isId = (value: unknown): value is string | number =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');

function idIn(record: IDataObject, names: readonly string[]): string | undefined {
	const keys = ['id', '_id', ...names.map((name) => `${name}Id`)];
	const id = keys.map((key) => record[key]).find(isId);
	return id === undefined ? undefined : String(id).trim();
}

/** The first that a path begins with counts. */
const NAMES: [path: string, names: string[]][] = [
	['/contacts/import', ['import', 'importJob', 'contactImport']],
	['/contacts/{id}/fields', ['field', 'customField', 'contactField']],
	['/contacts', ['contact']],
	['/segments', ['segment']],
	// A contact has a session or none: beside it, the response says which.
	['/chats/session', []],
	['/chats', ['chat', 'conversation']],
	['/messages', ['message']],
	['/templates/sync', []],
	['/templates', ['template']],
	['/broadcasts', ['broadcast', 'campaign']],
	['/tickets/{id}/notes', ['note', 'ticketNote']],
	['/tickets', ['ticket']],
	['/channels', ['channel', 'orgChannel']],
	['/organization', ['organization']],
];

/**
 * What the service may call the record that an endpoint returns, in singular: it may be under this name in `data` (API
 * document, section Response envelope: the shape of the payload is not shown).
 */
export function recordNames(endpoint: Endpoint): readonly string[] {
	const path = endpoint.slice(endpoint.indexOf(' ') + 1);
	return NAMES.find(([start]) => path.startsWith(start))?.[1] ?? [];
}
