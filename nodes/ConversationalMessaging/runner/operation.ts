import type { INodeProperties } from 'n8n-workflow';
import type { Shown } from '../api/access/shown';
import { type Endpoint, type ListEndpoint, methodOf } from '../api/endpoint';
import type { RequestParams } from '../api/request';
import type { RequestInfo } from '../api/failures';
import { withOutputFields } from '../descriptions/outputFields';
import { withPaging } from '../descriptions/paging';
import type { PathParameter } from '../descriptions/pathParameter';
import type { Parameters } from '../parameters/parameters';
import type { Batch } from './batch';
import type { OperationContext } from './operationContext';
import type { Output, RunResult } from './output';

type Notify = (message: Shown) => void;

interface OperationBase {
	/** On screen, in Title Case: "Get Many". */
	name: string;
	/** In saved workflows: "getAll". Must not change. */
	value: string;
	/** In the list of actions, and in messages: "Get many tickets". */
	action: string;
	description: string;
	/** For software that builds workflows: when to use it, and what is easy to get wrong. */
	builderHint?: string;
	endpoint: Endpoint;
	otherEndpoints?: Endpoint[];
	of?: PathParameter;
	/** What the user fills in, besides what `allFields` adds. */
	fields: INodeProperties[];
	/** Whether it returns something else than records, of which there is nothing to select. */
	returnsNoRecords?: boolean;
	/**
	 * The record or contact that a write concerns, if it is not the one in the path. Items with the same key run one after
	 * another, in their order, so that two messages to one contact never swap.
	 */
	orderingKey?: (parameters: Parameters) => string | undefined;
	/** Whether running it again does only what is left to do. */
	isResumable?: boolean;
	/** The next step for a rejection, if this operation knows a better one than its record, or the general text. */
	errorHint?: RequestInfo['errorHint'];
}

/** One request, with the record in the path, and what `request` adds. Returns `data` of the response, or `{ deleted: true }`. */
export interface RecordOperation extends OperationBase {
	result: 'record' | 'deleted';
	request?: (parameters: Parameters) => RequestParams;
}

/** A list. Returns each row as an item. */
export interface ListOperation extends OperationBase {
	result: 'list';
	endpoint: ListEndpoint;
	/** Makes output items of the rows, if they are not to be an item each. */
	combine?: (parameters: Parameters) => ((rows: unknown[], notify: Notify) => Output[]) | undefined;
	request?: (parameters: Parameters) => RequestParams;
	/** Which rows to keep, by filters that the service does not have. All rows are read then, and Limit applies to what is kept. */
	keep?: (parameters: Parameters) => ((rows: unknown[]) => unknown[]) | undefined;
	/** Reads several lists instead of one. `read` reads one. */
	readLists?: (
		request: RequestParams,
		read: (request: RequestParams) => Promise<unknown[]>,
		rowLimit: number,
	) => Promise<unknown[]>;
}

/**
 * How an operation is carried out. The runner takes each step for all items before the next one: it prepares all, runs
 * all, then waits for all at once.
 *
 * As methods, so that TypeScript accepts steps with a plan of any type where the type does not matter.
 */
export interface Steps<Plan = unknown, Input = unknown, Pending = unknown> {
	/** @throws NodeOperationError for a parameter; nothing has been sent by then */
	prepare(parameters: Parameters): Plan;
	/** Makes several items one run; undefined for a plan of one item. */
	batch?(plan: Plan): Batch<Input> | undefined;
	/** @param inputs what the items of a batch contribute, or [] */
	run(context: OperationContext, plan: Plan, inputs: Input[]): Promise<RunResult<Pending>>;
	/**
	 * Returns the output, instead of what `run` returned.
	 *
	 * @param pending what `run` left open; if that is nothing, there is no wait
	 */
	wait?(context: OperationContext, plan: Plan, pending: Pending, sent: Output[]): Promise<Output[]>;
}

/** Several related requests: `planned` makes one. */
export interface CustomOperation extends OperationBase, Steps {
	result: 'custom';
}

export type Operation = RecordOperation | ListOperation | CustomOperation;

/** Makes an operation whose plan stays between its steps, with the types that they agree on. */
export const planned = <Plan, Input = never, Pending = never>(
	operation: OperationBase & Steps<Plan, Input, Pending>,
): CustomOperation => ({ ...operation, result: 'custom' });

const fieldsOf = new WeakMap<Operation, INodeProperties[]>();

/**
 * All fields of an operation: the record in its path, its own, Return All and Limit if it is a list, and the option Selected
 * Fields if it returns records. Made once: they are needed for each item.
 */
export function allFields(operation: Operation): INodeProperties[] {
	const known = fieldsOf.get(operation);
	if (known) return known;
	const { of, fields, result } = operation;
	const own = of ? [of.field, ...fields] : fields;
	const paged = result === 'list' ? withPaging(own) : own;
	const all = returnsRecords(operation) ? withOutputFields(paged) : paged;
	fieldsOf.set(operation, all);
	return all;
}

/** Whether it may send more than reads. */
export const writes = ({ endpoint, otherEndpoints = [] }: Operation): boolean =>
	[endpoint, ...otherEndpoints].some((each) => methodOf(each) !== 'GET');

/** Reads the key of what a write concerns; undefined if its items are in no order. */
export const orderingKeyOf = (operation: Operation): Operation['orderingKey'] =>
	operation.orderingKey ?? (writes(operation) ? operation.of?.orderingKey : undefined);

/** What its requests have in common. */
export const requestInfoOf = ({ endpoint, action, errorHint, of }: Operation): RequestInfo => ({
	endpoint,
	action,
	errorHint: errorHint ?? of?.errorHint,
});

export const returnsRecords = ({ result, returnsNoRecords }: Operation): boolean =>
	result !== 'deleted' && !returnsNoRecords;

export interface Resource {
	name: string;
	value: string;
	operations: Operation[];
	/**
	 * What a node runs until the user chooses another. n8n does not save defaults, so another one here changes what saved
	 * workflows do.
	 */
	defaultOperation: Operation;
}
