import type { IBinaryData, IDataObject, INodeProperties, NodeApiError } from 'n8n-workflow';
import type { Answer } from '../api/answer';
import type { Endpoint, Payload } from '../api/endpoint';
import type { Download, Upload } from '../api/files';
import type { Wanted } from '../api/pages';
import type { Parameters } from '../fields/parameters';

/** What every operation tells about itself. */
interface Described {
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
	subject?: (parameters: Parameters) => string | undefined;
	/** What to do about a refusal, where this operation knows better than the general text. */
	advice?: (status: number, words: string, answer: Answer) => string | undefined;
}

/** One request: `data` of the answer comes out, or `{ deleted: true }`. */
export interface RecordOperation extends Described {
	result: 'record' | 'deleted';
	request: (parameters: Parameters) => Payload;
}

/** A list: each row comes out as an item. Fields: Return All and Limit. */
export interface ListOperation extends Described {
	/** Read page by page; in one request; or by cursor. */
	result: 'pages' | 'rows' | 'history';
	/** The name that the rows probably have inside `data`. */
	rowsName: string;
	/** The endpoint's own cap of a page. */
	pageSize?: number;
	request: (parameters: Parameters) => Payload;
}

/** Several requests that belong together. Reads its parameters first, then returns what to do with them. */
export interface StepsOperation extends Described {
	result: 'steps';
	prepare: (parameters: Parameters) => Work | JointWork;
}

export type Operation = RecordOperation | ListOperation | StepsOperation;

/** What an item becomes. */
export type Work = (steps: Steps) => Promise<Output[]>;

/** What several items become together: those with the same key and the same token travel in the same requests. */
export interface JointWork {
	key: string;
	/** What this item brings. */
	part: unknown;
	/**
	 * Checks the items that are to be run as one against each other, before anything of the run is sent.
	 *
	 * @returns those that cannot be part of it, with the reason
	 */
	check?: (items: JointItem[]) => RefusedItems[];
	together: (steps: Steps, parts: unknown[]) => Promise<Output[]>;
}

/** One of several items that are run as one. */
export interface JointItem {
	/** Its place in the input, from 0. */
	index: number;
	part: unknown;
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
export interface LookUp extends Payload {
	/** In messages; the operation's own where it is missing. */
	action?: string;
}

/** What a StepsOperation may do. */
export interface Steps {
	/** Sends a request of this operation. @throws NodeApiError unless it goes through or its status is expected */
	send: (endpoint: Endpoint, payload: LookUp, expect?: number[]) => Promise<Answer>;
	/** Reads a paged list. */
	list: (endpoint: Endpoint, payload: Payload, list: PagedList) => Promise<unknown[]>;
	/** Fetches a file. */
	download: (endpoint: Endpoint, payload: LookUp) => Promise<Download>;
	/** Reads a CSV file row by row. */
	readCsv: (file: Download) => Promise<IDataObject[]>;
	/** The header row of a CSV file. */
	readCsvColumns: (file: Download) => Promise<string[]>;
	/** Keeps a file where n8n keeps files. */
	store: (file: Download) => Promise<IBinaryData>;
	/** Sends a file with its fields. */
	upload: (endpoint: Endpoint, upload: Upload) => Promise<Answer>;
	/** Waits, and ends early when the execution is stopped. @throws NodeOperationError once it was stopped */
	wait: (ms: number) => Promise<void>;
	/** For whoever catches: that the execution was stopped is never handled. @throws NodeOperationError once it was */
	throwIfStopped: () => void;
	/** Does something once for all items of the run that have the same token and base URL. */
	once: <T>(key: string, make: () => Promise<T>) => Promise<T>;
	/** An answer that was expected, as the refusal it turned out to be. */
	refuse: (answer: Answer) => NodeApiError;
	/** Tells the person something that is not a refusal. */
	notify: (message: string) => void;
	/** The payload of an answer as items. */
	output: (answer: Answer) => Output[];
}

export interface PagedList {
	rowsName: string | readonly string[];
	pageSize: number;
	wanted: Wanted;
	/** Is given the first page as it came, and where the rows are in its payload. */
	seeFirst?: (json: unknown, path: string[]) => void;
}

/** A resource of the service with what can be done to it. */
export interface Resource {
	name: string;
	value: string;
	operations: Operation[];
}
