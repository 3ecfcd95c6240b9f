import type { Shown } from '../api/access/shown';
import type { RequestParams } from '../api/request';
import { readRows } from '../api/reads/rows';
import type { Parameters } from '../parameters/parameters';
import type { ListOperation, Operation, RecordOperation, Steps } from './operation';
import { type Output, toOutput } from './output';

/** The steps of an operation of any kind, with a plan that only they know. */
export function stepsOf(operation: Operation): Steps {
	if (operation.result === 'custom') return operation;
	return operation.result === 'list' ? listSteps(operation) : recordSteps(operation);
}

function requestOf(
	{ of, request }: RecordOperation | ListOperation,
	parameters: Parameters,
): RequestParams {
	const id = of?.id(parameters);
	const params = request?.(parameters) ?? {};
	return id === undefined ? params : { ...params, path: { id, ...params.path } };
}

const recordSteps = (operation: RecordOperation): Steps<RequestParams> => ({
	prepare: (parameters) => requestOf(operation, parameters),
	run: async (context, params) => {
		const response = await context.send(params);
		return operation.result === 'deleted'
			? [{ json: { deleted: true } }]
			: context.outputOf(response);
	},
});

interface ListPlan {
	request: RequestParams;
	toOutputs: (rows: unknown[], notify: (message: Shown) => void) => Output[];
	rowLimit: number;
}

/** A list that is the same for several items is read once. The first item gets the rows, each other one its own copy. */
const listSteps = (operation: ListOperation): Steps<ListPlan> => ({
	prepare: (parameters) => {
		const request = requestOf(operation, parameters);
		const rowLimit = parameters.rowLimit();
		const toOutputs = operation.combine?.(parameters) ?? ((rows) => rows.map(toOutput));
		const keep = operation.keep?.(parameters);
		if (!keep) return { request, rowLimit, toOutputs };
		return {
			request,
			rowLimit: Infinity,
			toOutputs: (rows, notify) => toOutputs(keep(rows).slice(0, rowLimit), notify),
		};
	},
	run: async (context, { request, toOutputs, rowLimit }) => {
		const { client, requestInfo } = context;
		const { endpoint, readLists } = operation;
		const read = async (params: RequestParams): Promise<unknown[]> =>
			await readRows(client, { ...requestInfo, endpoint, ...params }, rowLimit);
		const key = JSON.stringify([endpoint, request, rowLimit]);
		const list = await context.once(key, async () => ({
			rows: await (readLists?.(request, read, rowLimit) ?? read(request)),
			isTaken: false,
		}));
		const rows = list.isTaken ? structuredClone(list.rows) : list.rows;
		list.isTaken = true;
		return toOutputs(rows, (message) => context.notify(message));
	},
});
