import type { IBinaryData, IDataObject, INodeProperties, NodeApiError } from 'n8n-workflow';
import type { ServiceResponse } from '../api/response';
import type { Endpoint, RequestParams } from '../api/endpoint';
import type { Download, Upload } from '../api/files';
import type { RowLimit } from '../api/pages';
import type { Parameters } from '../parameters/parameters';

/** What every operation tells about itself. */
interface OperationBase {
	/** On screen, in Title Case: "Get Many". */
	name: string;
	/** In saved workflows: "getAll". It stays. */
	value: string;
	/** In the list of actions, and in messages: "Get many tickets". */
	action: string;
	description: string;
	endpoint: Endpoint;
	/** Other endpoints that it may call. */
	otherEndpoints?: Endpoint[];
	/** What a person fills in. */
	fields: INodeProperties[];
	/**
	 * The record or person that a write touches. Items with the same subject are run one after another, in their
	 * order: two messages to one person never swap.
	 */
	orderingKey?: (parameters: Parameters) => string | undefined;
	/** What to do about a refusal, where this operation knows better than the general text. */
	errorHint?: (
		status: number,
		serviceMessage: string,
		response: ServiceResponse,
	) => string | undefined;
}

/** One request: `data` of the answer comes out, or `{ deleted: true }`. */
export interface RecordOperation extends OperationBase {
	result: 'record' | 'deleted';
	request: (parameters: Parameters) => RequestParams;
}

/** A list: each row comes out as an item. Fields: Return All and Limit. */
export interface ListOperation extends OperationBase {
	/** Read page by page; in one request; or by cursor. */
	result: 'pages' | 'rows' | 'history';
	/** The name that the rows probably have inside `data`. */
	rowsName: string;
	/** The endpoint's own cap of a page. */
	pageSize?: number;
	request: (parameters: Parameters) => RequestParams;
}

/** Several requests that belong together. Reads its parameters first, then returns what to do with them. */
export interface CustomOperation extends OperationBase {
	result: 'steps';
	prepare: (parameters: Parameters) => Work | BatchWork;
}

export type Operation = RecordOperation | ListOperation | CustomOperation;

/** What an item becomes. */
export type Work = (context: OperationContext) => Promise<Output[]>;

/** What several items become together: those with the same key and the same token travel in the same requests. */
export interface BatchWork {
	key: string;
	/** What this item brings. */
	input: unknown;
	/**
	 * Checks the items that are to be run as one against each other, before anything of the run is sent.
	 *
	 * @returns those that cannot be part of it, with the reason
	 */
	check?: (items: BatchItem[]) => RefusedItems[];
	runBatch: (context: OperationContext, inputs: unknown[]) => Promise<Output[]>;
}

/** One of several items that are run as one. */
export interface BatchItem {
	/** Its place in the input, from 0. */
	index: number;
	input: unknown;
}

/** Items that cannot be run, for one reason. */
export interface RefusedItems {
	indexes: number[];
	message: string;
	description: string;
}

/** What comes out: an item's JSON, and files. */
export interface Output {
	json: IDataObject;
	binary?: Record<string, IBinaryData>;
}

/** A request that may be another action than its operation. */
export interface LookUp extends RequestParams {
	/** In messages; the operation's own where it is missing. */
	action?: string;
}

/** What a StepsOperation may do. */
export interface OperationContext {
	/** Sends a request of this operation. @throws NodeApiError unless it goes through or its status is expected */
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
	/** Keeps a file where n8n keeps files. */
	store: (file: Download) => Promise<IBinaryData>;
	/** Sends a file with its fields. */
	upload: (endpoint: Endpoint, upload: Upload) => Promise<ServiceResponse>;
	/** Waits, and ends early when the execution is stopped. @throws NodeOperationError once it was stopped */
	wait: (ms: number) => Promise<void>;
	/** For whoever catches: that the execution was stopped is never handled. @throws NodeOperationError once it was */
	throwIfStopped: () => void;
	/** Does something once for all items of the run that have the same token and base URL. */
	memoize: <T>(key: string, make: () => Promise<T>) => Promise<T>;
	/** An answer that was expected, as the refusal it turned out to be. */
	refuse: (response: ServiceResponse) => NodeApiError;
	/** Tells the person something that is not a refusal. */
	notify: (message: string) => void;
	/** The payload of an answer as items. */
	output: (response: ServiceResponse) => Output[];
}

export interface PagedList {
	rowsName: string | readonly string[];
	pageSize: number;
	rowLimit: RowLimit;
	/** Is given the first page as it came, and where the rows are in its payload. */
	onFirstPage?: (json: unknown, path: string[]) => void;
}

/** A resource of the service with what can be done to it. */
export interface Resource {
	name: string;
	value: string;
	operations: Operation[];
}
