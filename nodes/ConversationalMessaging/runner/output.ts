import type { IBinaryData, IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../api/endpoint';
import { unwrapped } from '../api/record';
import { recordNames } from '../api/recordNames';
import type { ServiceResponse } from '../api/response';
import { isEnvelope, isRecord, payloadOf } from '../api/response';

/** An output item: its JSON and files. */
export interface Output {
	/** What the service returned. */
	json: IDataObject;
	/** Fields that the node adds, e.g. `sent`. They become part of the JSON, and Selected Fields always keeps them. */
	own?: IDataObject;
	binary?: Record<string, IBinaryData>;
}

/** The output with more fields that the node adds. */
export const withOwn = (output: Output, fields: IDataObject): Output => ({
	...output,
	own: { ...output.own, ...fields },
});

/** The JSON of an output item. */
export const jsonOf = ({ json, own }: Output): IDataObject => ({ ...json, ...own });

/** What a batch has for one of its items: an output item, or what was thrown; undefined if the run ended before it. */
export type ItemResult = { output: Output } | { thrown: unknown } | undefined;

/** The results of a batch whose items each have their own: as many as it has inputs, in their order. */
export class ItemResults {
	constructor(readonly results: readonly ItemResult[]) {}

	/** The output items of those that succeeded. */
	outputs(): Output[] {
		return this.results.flatMap((result) => (result && 'output' in result ? [result.output] : []));
	}

	/** The same results with other output items. */
	changed(change: (output: Output) => Output): ItemResults {
		return new ItemResults(
			this.results.map((result) =>
				result && 'output' in result ? { output: change(result.output) } : result,
			),
		);
	}
}

/** The output of a run for now, and a wait that begins once the requests of all items have been sent. */
export interface Waiting {
	outputs: Output[];
	/** Returns the output instead of `outputs`. */
	wait: () => Promise<Output[]>;
}

/** What a run returns: the output of all its items together, or the results of each item of a batch. */
export type RunResult = Output[] | ItemResults | Waiting;

/** The same result, with other output items. */
export function changeOutputs(result: RunResult, change: (output: Output) => Output): RunResult {
	if (result instanceof ItemResults) return result.changed(change);
	if (Array.isArray(result)) return result.map(change);
	return {
		outputs: result.outputs.map(change),
		wait: async () => (await result.wait()).map(change),
	};
}

/** Whether a GET of one record returned none. A contact may have no session. */
export function lacksRecord({ json }: ServiceResponse, endpoint: Endpoint): boolean {
	const names = recordNames(endpoint);
	if (!endpoint.startsWith('GET ') || names.length === 0) return false;
	const payload = payloadOf(json);
	if (Array.isArray(payload)) return payload.length === 0;
	if (!isRecord(payload)) return true;
	const entries = Object.entries(payload).filter(
		([key, value]) => !(names.includes(key) && (value ?? null) === null),
	);
	return isEnvelope(Object.fromEntries(entries));
}

/** `data` as returned by the service: a record, without its wrapper, is one item, a list one item per row. */
export function outputOf({ json }: ServiceResponse, endpoint: Endpoint): Output[] {
	const payload = payloadOf(json);
	// No data: the rest of the envelope at least shows that the request succeeded.
	if (payload === undefined || payload === null) {
		if (endpoint.startsWith('GET ')) return [{ json: { data: null } }];
		return [{ json: {}, own: { success: isRecord(json) ? (json.success ?? true) : true } }];
	}
	// An empty list: every input item must have at least one output item.
	if (Array.isArray(payload) && payload.length > 0) return payload.map(toOutput);
	return [toOutput(isRecord(payload) ? unwrapped(payload, endpoint) : payload)];
}

/** n8n's items are objects: anything else is wrapped in one. */
export const toOutput = (row: unknown): Output => ({
	json: isRecord(row) ? row : ({ data: row } as IDataObject),
});
