import type { IBinaryData, IDataObject } from 'n8n-workflow';
import type { ServiceClient } from '../api/client';
import type { Endpoint } from '../api/endpoint';
import type { RequestInfo } from '../api/failures';
import { failedError } from '../api/failures';
import {
	isOwn,
	whatCame,
	recordOf,
	recordNames,
	isEnvelope,
	isRecord,
	payloadOf,
} from '../api/response/response';
import type { ServiceResponse } from '../api/response/response';

/** An output item: its JSON and files. */
export interface Output {
	/** What the service returned. */
	json: IDataObject;
	/** Fields that the node adds, e.g. `sent`. They become part of the JSON, and Selected Fields always keeps them. */
	addedFields?: IDataObject;
	binary?: Record<string, IBinaryData>;
}

/** The output with more fields that the node adds. */
export const withFields = (output: Output, fields: IDataObject): Output => ({
	...output,
	addedFields: { ...output.addedFields, ...fields },
});

/** What a person asks first: n8n's table shows these columns without scrolling. */
const FIRST_FIELDS = [
	'error',
	'result',
	'ready',
	'id',
	'name',
	'title',
	'waId',
	'status',
	'succeeded',
	'statistics',
	'contact',
	'lastMessageAt',
];

/** The JSON of an output item, with what is asked first in front of everything else. */
export function jsonOf({ json, addedFields }: Output): IDataObject {
	const all: IDataObject = { ...json, ...addedFields };
	// An assignment would not create it.
	if (isOwn(all, '__proto__')) return all;
	const first: IDataObject = {};
	for (const name of FIRST_FIELDS) if (isOwn(all, name)) first[name] = all[name];
	// Spreading both would take ten times as long.
	return Object.assign(first, all);
}

/** What a batch has for one of its items: an output item, or what was thrown; undefined if the run ended before it. */
export type ItemResult = { output: Output } | { thrown: unknown } | undefined;

/** The results of a batch whose items each have their own: as many as it has inputs, in their order. */
export interface ItemResults {
	results: ItemResult[];
}

/** The output of a run that waits once the requests of all items have been sent. */
export interface Sent<Pending> {
	outputs: Output[];
	/** What is left to wait for; undefined for nothing. */
	pending?: Pending;
}

/** What a run returns: the output of all its items together, or the results of each item of a batch. */
export type RunResult<Pending = never> = Output[] | ItemResults | Sent<Pending>;

/** The response, also to a write. @throws NodeApiError if a GET of one record returned none. A contact may have no session */
export function requireRecord(
	client: ServiceClient,
	request: Pick<RequestInfo, 'endpoint' | 'action'>,
	response: ServiceResponse,
): ServiceResponse {
	const { endpoint } = request;
	const isOfRecord = endpoint.startsWith('GET ') && recordNames(endpoint).length > 0;
	if (!isOfRecord || !isEnvelope(recordOf(response.json, endpoint).record)) return response;
	throw failedError(client, request, { kind: 'record', reason: String(whatCame(response.json)) });
}

/** `data` as returned by the service: a record, without its wrapper, is one item, a list one item per row. */
export function outputOf({ json }: ServiceResponse, endpoint: Endpoint): Output[] {
	const payload = payloadOf(json);
	// No data: the rest of the envelope at least shows that the request succeeded.
	if (payload === undefined || payload === null) {
		if (endpoint.startsWith('GET ')) return [{ json: { data: null } }];
		return [{ json: {}, addedFields: { success: isRecord(json) ? (json.success ?? true) : true } }];
	}
	// An empty list: every input item must have at least one output item.
	if (Array.isArray(payload) && payload.length > 0) return payload.map(toOutput);
	return [toOutput(isRecord(payload) ? recordOf(json, endpoint).record : payload)];
}

/** n8n's items are objects: anything else is wrapped in one. */
export const toOutput = (row: unknown): Output => ({
	json: isRecord(row) ? row : ({ data: row } as IDataObject),
});
