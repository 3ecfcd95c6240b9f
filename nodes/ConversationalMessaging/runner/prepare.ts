import { NodeApiError } from 'n8n-workflow';
import type { ServiceClient } from '../api/client';
import { memoize } from '../api/client';
import type { RequestParams } from '../api/endpoint';
import { methodOf } from '../api/endpoint';
import type { ListRequest, RowLimit } from '../api/pages';
import { readHistory } from '../api/history';
import { idOf, readPages, readRows } from '../api/pages';
import { outputFieldNames } from '../descriptions/outputFields';
import { unknownStatuses } from '../parameters/address';
import type { Parameters, Varying } from '../parameters/parameters';
import type { ListOperation, Operation, RecordOperation } from './operation';
import { returnsRecords } from './operation';
import type { FailItem } from './operationContext';
import { OperationContext } from './operationContext';
import type { Output, RunResult } from './output';
import { changeOutputs, ItemResults, jsonOf, toOutput } from './output';
import { hasField, selectFields } from './selectedFields';

const DEFAULT_PAGE_SIZE = 200;

/** An operation with its parameters read. Only the requests are left. */
export interface PreparedOperation {
	/** Items with the same key run one after another. */
	orderingKey?: string;
	/** Items with the same key run as one batch. */
	batch?: {
		key: string;
		/** What this item contributes. */
		input: unknown;
		/** What must be the same in all items. */
		settings: Varying[];
	};
	/**
	 * @param inputs what the items of a batch contribute
	 * @param failItem called for items of a batch that fail
	 */
	run: (client: ServiceClient, inputs: unknown[], failItem?: FailItem) => Promise<RunResult>;
	/** Whether running it again does only what is left to do. */
	isResumable?: boolean;
	/** Whether running it again writes again what had succeeded. */
	repeatsWrites?: boolean;
}

/**
 * Reads the parameters of one item.
 *
 * @throws NodeOperationError for a parameter; nothing has been sent by then
 */
export function prepare(operation: Operation, parameters: Parameters): PreparedOperation {
	const task = { ...prepareTask(operation, parameters), repeatsWrites: repeatsWrites(operation) };
	const names = returnsRecords(operation) ? outputFieldNames(parameters) : undefined;
	if (!names) return task;
	return {
		...task,
		run: async (...args) => selected(args[0], await task.run(...args), names),
	};
}

const repeatsWrites = ({ endpoint, otherEndpoints = [], ...operation }: Operation): boolean =>
	!operation.isResumable && [endpoint, ...otherEndpoints].some((each) => methodOf(each) !== 'GET');

/** The results with these fields only. A name that occurs nowhere is shown to the user, who may have misspelled it. */
function selected(client: ServiceClient, result: RunResult, names: readonly string[]): RunResult {
	const select = (output: Output): Output => ({
		...output,
		json: selectFields(output.json, names),
	});
	if ('wait' in result) {
		const wait = async (): Promise<Output[]> => {
			const outputs = await result.wait();
			noticeUnknownNames(client, outputs, names);
			return outputs.map(select);
		};
		return { outputs: result.outputs.map(select), wait };
	}
	noticeUnknownNames(client, result instanceof ItemResults ? result.outputs() : result, names);
	return changeOutputs(result, select);
}

function noticeUnknownNames(
	client: ServiceClient,
	outputs: Output[],
	names: readonly string[],
): void {
	for (const name of names) {
		if (outputs.length > 0 && !outputs.some((output) => hasField(jsonOf(output), name)))
			client.reporter.notify(`No returned item has the field ${name}. Check its name.`);
	}
}

function prepareTask(operation: Operation, parameters: Parameters): PreparedOperation {
	const orderingKey = operation.orderingKey?.(parameters);
	if (operation.result === 'custom') {
		const { batch, run } = operation.prepare(parameters);
		return {
			orderingKey,
			batch: batch && {
				key: `${operation.action} ${batch.key}`,
				input: batch.input,
				settings: parameters.varying(batch.perItem),
			},
			run: async (client, inputs, failItem) =>
				await run(new OperationContext(client, operation, failItem), inputs),
			isResumable: operation.isResumable,
		};
	}
	if ('rowsName' in operation) {
		const requests = [operation.request(parameters)].flat();
		const toOutputs = operation.combine?.(parameters) ?? ((rows) => rows.map(toOutput));
		return prepareList(operation, requests, parameters.rowLimit(), toOutputs);
	}
	const params = operation.request(parameters);
	return { orderingKey, run: async (client) => await runRequest(client, operation, params) };
}

async function runRequest(
	client: ServiceClient,
	operation: RecordOperation,
	params: RequestParams,
): Promise<Output[]> {
	const context = new OperationContext(client, operation);
	const response = await context.send(params);
	return operation.result === 'deleted'
		? [{ json: { deleted: true } }]
		: context.outputOf(response);
}

/** A list that is the same for several items is read once. Each item gets its own copy of the rows. */
function prepareList(
	operation: ListOperation,
	requests: RequestParams[],
	rowLimit: RowLimit,
	toOutputs: NonNullable<ReturnType<NonNullable<ListOperation['combine']>>>,
): PreparedOperation {
	const key = JSON.stringify([operation.endpoint, requests, rowLimit]);
	const read = async (client: ServiceClient): Promise<unknown[]> => {
		const lists = await readAllForms(client, operation, requests, rowLimit);
		if (lists.length === 1) return lists.flat();
		const rows = new Map<string, unknown>();
		// A service that accepts all forms of a number returns the same rows for each.
		for (const row of lists.flat()) rows.set(idOf(row) ?? JSON.stringify(row), row);
		const limit = rowLimit === 'all' ? undefined : rowLimit;
		return [...rows.values()].slice(0, limit);
	};
	return {
		run: async (client) => {
			const rows = structuredClone(await memoize(client, key, () => read(client)));
			return toOutputs(rows, (message) => client.reporter.notify(message));
		},
	};
}

/**
 * The rows for each form of a filter: a service may store a number as digits, or with a plus.
 *
 * @throws NodeApiError the first rejection, if every form is rejected, or one in another way than because of its form
 */
async function readAllForms(
	client: ServiceClient,
	operation: ListOperation,
	forms: RequestParams[],
	rowLimit: RowLimit,
): Promise<unknown[][]> {
	const lists: unknown[][] = [];
	let firstRejection: unknown;
	for (const [index, params] of forms.entries()) {
		const rows = await requestRows(client, operation, params, rowLimit).catch((error: unknown) => {
			const status = error instanceof NodeApiError ? Number(error.httpCode) : undefined;
			if (forms.length === 1 || !unknownStatuses(index).includes(status ?? 0)) throw error;
			firstRejection ??= error;
			return undefined;
		});
		if (rows) lists.push(rows);
		if (rows && rowLimit !== 'all' && rows.length >= rowLimit) break;
	}
	if (lists.length === 0) throw firstRejection;
	return lists;
}

async function requestRows(
	client: ServiceClient,
	operation: ListOperation,
	params: RequestParams,
	rowLimit: RowLimit,
): Promise<unknown[]> {
	const { endpoint, action, errorHint, rowsName, isLimitApproximate, result } = operation;
	const { pageSize = DEFAULT_PAGE_SIZE } = operation;
	const purpose = { endpoint, action, errorHint };
	const request: ListRequest = { ...purpose, rowsName, isLimitApproximate, ...params };
	if (result === 'pages') return await readPages(client, request, pageSize, rowLimit);
	if (result === 'history') return await readHistory(client, request, pageSize, rowLimit);
	return await readRows(client, request, rowLimit);
}
