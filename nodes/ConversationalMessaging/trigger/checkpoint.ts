import type { INodeExecutionData, NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Reported } from './reports';

export interface Identity {
	/** The hash of n8n's ID of the credential, the base URL, the workflow, the node, and the filters. */
	scope: string;
	/** The hash of the token. Another one may belong to another organization. */
	token: string;
}

/** What is kept of one event. */
export interface Checkpoint<Memory> extends Identity {
	/** The number of consecutive polls that failed. */
	failures: number;
	/** See `Reports`. */
	reported?: Reported;
	/** Missing until a first poll was successful. */
	memory?: Memory;
}

/** What a poll found for one event. */
export interface Found {
	items: INodeExecutionData[];
	/** To be thrown if no event has items. */
	error?: NodeApiError | NodeOperationError;
}
