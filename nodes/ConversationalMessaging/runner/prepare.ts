import type { ServiceClient } from '../api/client';
import { memoize } from '../api/client';
import type { RequestParams } from '../api/endpoint';
import type { ListRequest, RowLimit } from '../api/pages';
import { readHistory, readPages, readRows } from '../api/pages';
import { send } from '../api/send';
import { outputFieldNames } from '../descriptions/outputFields';
import type { Parameters } from '../parameters/parameters';
import type { Batch } from './batch';
import type { ListOperation, Operation, RecordOperation } from './operation';
import { returnsRecords } from './operation';
import { OperationContext } from './operationContext';
import type { Output } from './output';
import { ItemResults, outputOf, toOutput } from './output';
import { hasField, selectFields } from './selectedFields';

const DEFAULT_PAGE_SIZE = 200;

/** An operation with its parameters read. Only the requests are left. */
export interface PreparedOperation {
	/** Items with the same key run one after another. */
	orderingKey?: string;
	/** Items with the same key run as one batch, with what each of them contributes. */
	batch?: Batch<unknown>;
	/** @param inputs what the items of a batch contribute */
	run: (client: ServiceClient, inputs: unknown[]) => Promise<Output[] | ItemResults>;
	/** Whether running it again does only what is left to do. */
	isResumable?: boolean;
}

/**
 * Reads the parameters of one item.
 *
 * @throws NodeOperationError for a parameter; nothing has been sent by then
 */
export function prepare(operation: Operation, parameters: Parameters): PreparedOperation {
	const task = prepareTask(operation, parameters);
	const names = returnsRecords(operation) ? outputFieldNames(parameters) : undefined;
	if (!names) return task;
	return {
		...task,
		run: async (client, inputs) => selected(client, await task.run(client, inputs), names),
	};
}

/** The results with these fields only. A name that occurs nowhere is shown to the user, who may have misspelled it. */
function selected(
	client: ServiceClient,
	results: Output[] | ItemResults,
	names: readonly string[],
): Output[] | ItemResults {
	const outputs = results instanceof ItemResults ? results.outputs() : results;
	for (const name of names) {
		if (outputs.length > 0 && !outputs.some(({ json }) => hasField(json, name)))
			client.notify(`The service returned no field ${name}, at least for some items`);
	}
	const select = (output: Output): Output => ({
		...output,
		json: selectFields(output.json, names),
	});
	return results instanceof ItemResults ? results.changed(select) : results.map(select);
}

function prepareTask(operation: Operation, parameters: Parameters): PreparedOperation {
	const orderingKey = operation.orderingKey?.(parameters);
	if (operation.result === 'custom') {
		const { batch, run } = operation.prepare(parameters);
		return {
			orderingKey,
			batch: batch && { ...batch, key: `${operation.action} ${batch.key}` },
			run: async (client, inputs) => await run(new OperationContext(client, operation), inputs),
			isResumable: operation.isResumable,
		};
	}
	const params = operation.request(parameters);
	if ('rowsName' in operation) return prepareList(operation, params, parameters.rowLimit());
	return { orderingKey, run: async (client) => await runRequest(client, operation, params) };
}

async function runRequest(
	client: ServiceClient,
	{ endpoint, action, errorHint, result }: RecordOperation,
	params: RequestParams,
): Promise<Output[]> {
	const response = await send(client, { endpoint, action, errorHint, ...params });
	return result === 'deleted' ? [{ json: { deleted: true } }] : outputOf(response, endpoint);
}

/** A list that is the same for several items is read once. */
function prepareList(
	operation: ListOperation,
	params: RequestParams,
	rowLimit: RowLimit,
): PreparedOperation {
	const key = JSON.stringify([operation.endpoint, params, rowLimit]);
	const read = async (client: ServiceClient) =>
		(await readList(client, operation, params, rowLimit)).map(toOutput);
	return { run: async (client) => await memoize(client, key, () => read(client)) };
}

async function readList(
	client: ServiceClient,
	{ endpoint, action, errorHint, rowsName, result, pageSize = DEFAULT_PAGE_SIZE }: ListOperation,
	params: RequestParams,
	rowLimit: RowLimit,
): Promise<unknown[]> {
	const request: ListRequest = { endpoint, action, errorHint, rowsName, ...params };
	if (result === 'pages') return await readPages(client, request, pageSize, rowLimit);
	if (result === 'history') return await readHistory(client, request, pageSize, rowLimit);
	return await readRows(client, request, rowLimit);
}
