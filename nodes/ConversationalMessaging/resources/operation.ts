import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Answer } from '../api/answer';
import type { Endpoint, Payload } from '../api/endpoint';
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
	/** The permission that these endpoints need. */
	permission: string;
	/** What a person fills in. */
	fields: INodeProperties[];
	/**
	 * The record or person that a write touches. Items with the same subject are run one after another, in their
	 * order: two messages to one person never swap.
	 */
	subject?: (parameters: Parameters) => string | undefined;
	/** What to do about a refusal, where this operation knows better than the general text. */
	advice?: (status: number, words: string) => string | undefined;
}

/** One request: `data` of the answer comes out. */
export interface RecordOperation extends Described {
	result: 'record';
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
	prepare: (parameters: Parameters) => (steps: Steps) => Promise<IDataObject | IDataObject[]>;
}

export type Operation = RecordOperation | ListOperation | StepsOperation;

/** What a StepsOperation may do. */
export interface Steps {
	/** Sends a request of this operation. @throws NodeApiError unless it goes through or its status is expected */
	send: (endpoint: Endpoint, payload: Payload, expect?: number[]) => Promise<Answer>;
	/** The payload of an answer as the output of an item. */
	output: (answer: Answer) => IDataObject[];
}

/** A resource of the service with what can be done to it. */
export interface Resource {
	name: string;
	value: string;
	operations: Operation[];
}
