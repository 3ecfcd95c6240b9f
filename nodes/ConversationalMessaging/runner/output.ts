import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { type Endpoint, pathOf, recordNames } from '../api/endpoint';
import {
	isOwn,
	recordOf,
	isRecord,
	payloadOf,
	showsRecord,
	type SentRequest,
	type ServiceResponse,
} from '../api/response/response';
import { withoutUndefined } from '../parameters/values';

/** An output item: its JSON and files. */
export interface Output {
	/** What the service returned. */
	json: IDataObject;
	/** Fields that the node adds, e.g. `sent`. They become part of the JSON, and Selected Fields always keeps them. */
	addedFields?: IDataObject;
	binary?: Record<string, IBinaryData>;
}

/** The outputs with more fields that the node adds. */
export const withFields = (outputs: Output[], fields: IDataObject | undefined): Output[] =>
	fields
		? outputs.map((output) => ({ ...output, addedFields: { ...output.addedFields, ...fields } }))
		: outputs;

/** What a person asks first: n8n's table shows these columns without scrolling. */
const FIRST_FIELDS = [
	'error',
	'result',
	'ready',
	'id',
	'name',
	'title',
	'waId',
	'customFieldValues',
	'status',
	'succeeded',
	'statistics',
	'contact',
	'lastMessageAt',
];

/** The JSON of an output item, with what is asked first in front of everything else. */
export function jsonOf({ json, addedFields }: Output): IDataObject {
	// A record may have so many fields that a copy takes half a second.
	const all = addedFields ? { ...json, ...addedFields } : json;
	// An assignment would not create it.
	if (isOwn(all, '__proto__')) return { ...all };
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
	/** More fields that the node adds to these outputs, and to those that the wait returns instead. */
	kept?: IDataObject;
	/** What is left to wait for; undefined for nothing. */
	pending?: Pending;
}

/** What a run returns: the output of all its items together, or the results of each item of a batch. */
export type RunResult<Pending = never> = Output[] | ItemResults | Sent<Pending>;

/**
 * `data` as returned by the service: a record, without its wrapper, is one item, a list one item per row. A write whose response
 * shows no record has what was asked instead.
 *
 * @param endpoint that the response is from, if it was not sent for it
 */
export function outputOf(response: ServiceResponse, endpoint: Endpoint): Output[] {
	const { json, request = { endpoint } } = response;
	if (!request.endpoint.startsWith('GET ') && !showsRecord(json, request.endpoint))
		return [askedOutput(json, request)];
	const payload = payloadOf(json) ?? null;
	// An empty list: every input item must have at least one output item.
	if (Array.isArray(payload) && payload.length > 0) return payload.map(toOutput);
	return [toOutput(isRecord(payload) ? recordOf(json, endpoint).record : payload)];
}

/**
 * What a write was asked to do, and whatever the response does say, such as `success`. Never more: the service did not show what
 * became of it.
 */
function askedOutput(json: unknown, { endpoint, path = {}, body = {} }: SentRequest): Output {
	const { data, ...beside } = isRecord(json) ? json : { data: json };
	const said = isRecord(data) ? recordOf(json, endpoint).record : { data };
	const shown = Object.entries({ ...beside, ...said }).filter(
		([, value]) => (value ?? null) !== null,
	);
	const requested = withoutUndefined(body);
	return {
		json: { ...(Object.fromEntries(shown) as IDataObject), ...idsIn(endpoint, path) },
		addedFields: { ...(Object.keys(requested).length > 0 && { requested }), recordReturned: false },
	};
}

/** The IDs of a path by what they identify: `id` for the endpoint's own record, `contactId` for the contact of a field. */
function idsIn(endpoint: Endpoint, path: Record<string, string>): IDataObject {
	const own = recordNames(endpoint);
	const ids: IDataObject = {};
	let owner = '';
	for (const part of pathOf(endpoint).split('/')) {
		if (part.startsWith('{'))
			ids[own.includes(owner) ? 'id' : `${owner}Id`] = path[part.slice(1, -1)];
		owner = part.replace(/s$/, '');
	}
	return ids;
}

/** n8n's items are objects: anything else is wrapped in one. */
export const toOutput = (row: unknown): Output => ({
	json: isRecord(row) ? row : ({ data: row } as IDataObject),
});
