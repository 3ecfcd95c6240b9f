import type { IBinaryData, IDataObject, INodeProperties, NodeApiError } from 'n8n-workflow';
import type { ServiceResponse } from '../api/response';
import type { Endpoint, RequestParams } from '../api/endpoint';
import type { Download, Upload } from '../api/files';
import type { RowLimit } from '../api/pages';
import type { Parameters } from '../parameters/parameters';

/** What every operation has. */
interface OperationBase {
	/** On screen, in Title Case: "Get Many". */
	name: string;
	/** In saved workflows: "getAll". Must not change. */
	value: string;
	/** In the list of actions, and in messages: "Get many tickets". */
	action: string;
	description: string;
	endpoint: Endpoint;
	/** Other endpoints that it may call. */
	otherEndpoints?: Endpoint[];
	/** What the user fills in. */
	fields: INodeProperties[];
	/**
	 * The record or contact that a write concerns. Items with the same key run one after another, in their order, so
	 * that two messages to one contact never swap.
	 */
	orderingKey?: (parameters: Parameters) => string | undefined;
	/** The next step for a rejection, if this operation knows a better one than the general text. */
	errorHint?: (
		status: number,
		serviceMessage: string,
		response: ServiceResponse,
	) => string | undefined;
}

/** One request. Returns `data` of the response, or `{ deleted: true }`. */
export interface RecordOperation extends OperationBase {
	result: 'record' | 'deleted';
	request: (parameters: Parameters) => RequestParams;
}

/** A list. Returns each row as an item. Fields: Return All and Limit. */
export interface ListOperation extends OperationBase {
	/** Read page by page, in one request, or by cursor. */
	result: 'pages' | 'rows' | 'history';
	/** The likely name of the rows inside `data`. */
	rowsName: string;
	/** The endpoint's maximum page size. */
	pageSize?: number;
	request: (parameters: Parameters) => RequestParams;
}

/** Several related requests. Reads its parameters first, then returns what to do with them. */
export interface CustomOperation extends OperationBase {
	result: 'steps';
	prepare: (parameters: Parameters) => Work | BatchWork;
}

export type Operation = RecordOperation | ListOperation | CustomOperation;

/** Turns an item into its output. */
export type Work = (context: OperationContext) => Promise<Output[]>;

/** Turns several items into one output: items with the same key and the same token are sent in the same requests. */
export interface BatchWork {
	key: string;
	/** What this item contributes. */
	input: unknown;
	/**
	 * Checks the items of a batch against each other, before any request of the batch is sent.
	 *
	 * @returns those that cannot be part of it, with the reason
	 */
	check?: (items: BatchItem[]) => RefusedItems[];
	runBatch: (context: OperationContext, inputs: unknown[]) => Promise<Output[]>;
}

/** One of the items of a batch. */
export interface BatchItem {
	/** Its index in the input, from 0. */
	index: number;
	input: unknown;
}

/** Items that cannot be run, for one reason. */
export interface RefusedItems {
	indexes: number[];
	message: string;
	description: string;
}

/** An output item: its JSON and files. */
export interface Output {
	json: IDataObject;
	binary?: Record<string, IBinaryData>;
}

/** A request that may be a different action from its operation's. */
export interface LookUp extends RequestParams {
	/** For messages; the operation's own by default. */
	action?: string;
}

/** What an operation with several requests can do. */
export interface OperationContext {
	/** Sends a request of this operation. @throws NodeApiError unless it succeeds or its status is accepted */
	send: (
		endpoint: Endpoint,
		payload: LookUp,
		acceptStatuses?: number[],
	) => Promise<ServiceResponse>;
	/** Reads a paged list. */
	list: (endpoint: Endpoint, payload: RequestParams, list: PagedList) => Promise<unknown[]>;
	/** Fetches a file. */
	download: (endpoint: Endpoint, payload: LookUp) => Promise<Download>;
	/** Reads a CSV file row by row. */
	readCsv: (file: Download) => Promise<IDataObject[]>;
	/** The header row of a CSV file. */
	readCsvColumns: (file: Download) => Promise<string[]>;
	/** Stores a file in n8n's storage. */
	store: (file: Download) => Promise<IBinaryData>;
	/** Sends a file with its form fields. */
	upload: (endpoint: Endpoint, upload: Upload) => Promise<ServiceResponse>;
	/** Waits, but ends early if the execution is stopped. @throws NodeOperationError if it was stopped */
	wait: (ms: number) => Promise<void>;
	/**
	 * Call it in every catch: a stopped execution must not be handled as a failure. @throws NodeOperationError if it
	 * was stopped
	 */
	throwIfStopped: () => void;
	/** Does something once for all items of the run that have the same token and base URL. */
	memoize: <T>(key: string, make: () => Promise<T>) => Promise<T>;
	/** The error for a response whose status was accepted, but that is a rejection after all. */
	refuse: (response: ServiceResponse) => NodeApiError;
	/** Shows the user a notice. */
	notify: (message: string) => void;
	/** The payload of a response as items. */
	output: (response: ServiceResponse) => Output[];
}

export interface PagedList {
	rowsName: string | readonly string[];
	pageSize: number;
	rowLimit: RowLimit;
	/** Called with the unchanged first page, and with the path to the rows in its payload. */
	onFirstPage?: (json: unknown, path: string[]) => void;
}

/** A resource of the service, with its operations. */
export interface Resource {
	name: string;
	value: string;
	operations: Operation[];
}
