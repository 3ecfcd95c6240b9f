import type { IExecuteFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { type Message, messageOf } from '../api/access/shown';
import type { ServiceClient } from '../api/client';
import { type RequestInfo, failedError, kindOfStatus } from '../api/failures';
import { invalid, throwIfStopped } from '../api/errors';
import { type ListRequest, type ListRows, readPage } from '../api/reads/pages';
import { requireRecord } from '../api/reads/record';
import { readList } from '../api/reads/rows';
import type { ServiceResponse } from '../api/response/response';
import type { ServiceRequest } from '../api/request';
import { send } from '../api/send';
import { forEachAtServicePace } from '../api/servicePace';
import { type Output, outputOf } from './output';

/** A request of an operation: with the operation's own endpoint, action and next step of a rejection, unless it has others. */
export type OperationRequest = Partial<ServiceRequest>;

/** The same for a list, of which the endpoint shows how it is read. */
type OperationListRequest = Partial<ListRequest> & Pick<ListRequest, 'endpoint'>;

/**
 * Fails one item of a batch, so that the run goes on for the others.
 *
 * @param position of the item among the inputs of the batch
 * @throws the error, unless the node continues on fail
 */
export type FailItem = (position: number, error: unknown) => void;

/** What an operation with several requests can do. */
export class OperationContext {
	/** What its requests have in common: the operation's endpoint, action and next steps of a rejection. */
	readonly requestInfo: RequestInfo;

	constructor(
		readonly client: ServiceClient,
		{ endpoint, action, errorHint }: RequestInfo,
		readonly failItem: FailItem,
	) {
		this.requestInfo = { endpoint, action, errorHint };
	}

	get n8n(): IExecuteFunctions {
		return this.client.n8n as IExecuteFunctions;
	}

	/** Processes a list as `forEachAtServicePace` does. The action is given the context to send its requests with. */
	async forEach<T>(
		list: readonly T[],
		action: (entry: T, context: OperationContext) => Promise<void>,
	): Promise<void> {
		const lists = list.map((entry) => [entry]);
		await forEachAtServicePace(this.client, lists, async (entry, client) => {
			await action(entry, new OperationContext(client, this.requestInfo, this.failItem));
		});
	}

	/** Does something once for all items of a run with the same token. If it fails, the next item tries it again. */
	async once<T>(key: string, make: () => Promise<T>): Promise<T> {
		const { memo } = this.client;
		const known = memo.get(key);
		if (known) return (await known) as T;
		const result = make();
		memo.set(key, result);
		result.catch(() => memo.delete(key));
		return await result;
	}

	/** Sends a request. @throws NodeApiError unless it succeeds or its status is accepted */
	async send(request: OperationRequest): Promise<ServiceResponse> {
		return await send(this.client, this.requestFor(request));
	}

	/** The response as the operation's output. @throws NodeApiError if a read returned no record */
	outputOf(response: ServiceResponse): Output[] {
		return outputOf(
			requireRecord(this.client, this.requestInfo, response),
			this.requestInfo.endpoint,
		);
	}

	/** Reads a list, for an operation that needs more of it than the rows, or says itself that some are missing. */
	async readList(request: OperationListRequest, rowLimit: number): Promise<ListRows> {
		return await readList(this.client, this.requestFor(request), rowLimit);
	}

	/** Reads one page of a list, as the query asks for it: see `readPage` of api/reads. */
	async readPage(
		request: OperationListRequest,
		idIn?: (row: unknown) => unknown,
	): Promise<unknown[]> {
		return (await readPage(this.client, this.requestFor(request), idIn)).rows;
	}

	/** Call it in every catch: a stopped execution is not a failure to handle. @throws NodeOperationError if it was stopped */
	throwIfStopped(): void {
		throwIfStopped(this.client);
	}

	/** The error for a response whose status was accepted, but that is a rejection after all. */
	responseError(response: ServiceResponse, request = this.requestInfo): NodeApiError {
		const failure = { kind: kindOfStatus(response.status) };
		return failedError(this.client, request, failure, response);
	}

	invalid<M extends string, D extends string>(
		message: Message<M>,
		description: Message<D>,
	): NodeOperationError {
		return invalid(this.n8n.getNode(), message, description);
	}

	notify<T extends string>(message: Message<T>): void {
		this.client.reporter.notify(messageOf(message));
	}

	/** The next steps of a rejection are only about the operation's own request. */
	private requestFor<Request extends OperationRequest>(request: Request): Request & ServiceRequest {
		const { endpoint = this.requestInfo.endpoint } = request;
		const errorHint =
			endpoint === this.requestInfo.endpoint ? this.requestInfo.errorHint : undefined;
		return { ...this.requestInfo, errorHint, ...request };
	}
}
