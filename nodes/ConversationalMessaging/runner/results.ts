import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPairedItemData,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { ServiceClient } from '../api/client';
import type { Output } from './output';

/**
 * The maximum number of references from output to input items of a batch. Every output of a batch is paired with all
 * of its items: a report of 1,000 rows about 100,000 items would have a hundred million.
 */
const MAX_PAIRINGS = 1_000_000;

/** The results of the input items: their output items, in input order, each paired with its input. */
export class Results {
	private readonly items: INodeExecutionData[][] = [];

	private firstFailure?: { index: number; error: NodeApiError | NodeOperationError };

	private succeeded = 0;

	private readonly continueOnFail: boolean;

	private readonly retryOnFail: boolean;

	constructor(private readonly context: IExecuteFunctions) {
		this.continueOnFail = context.continueOnFail();
		this.retryOnFail = context.getNode().retryOnFail === true;
	}

	/** @param from the items of the batch, in their order; the output is placed at the first */
	succeed(from: number[], outputs: Output[]): void {
		this.succeeded += from.length;
		const pairedItem = pairingOf(from, outputs.length);
		this.items[from[0] as number] = outputs.map(({ json, binary }) => ({
			json: this.retryOnFail ? withoutErrorKey(json) : { ...json },
			...(binary && { binary }),
			pairedItem,
		}));
	}

	/**
	 * @param client of the item, if there is one: its token is removed from the error
	 * @returns whether the run continues with other items
	 */
	fail(index: number, thrown: unknown, client?: ServiceClient): boolean {
		const error = asNodeError(this.context, thrown, index, client);
		if (!this.firstFailure || index < this.firstFailure.index) this.firstFailure = { index, error };
		if (this.continueOnFail) this.items[index] = [this.errorItem(index, error)];
		return this.continueOnFail;
	}

	/**
	 * @param sent the number of items once something has been sent; 0 before that
	 * @param isResumable whether running the node again does only what is left to do
	 * @throws NodeApiError, NodeOperationError the first failed item's, unless the node continues on fail
	 */
	throwIfFailed(sent: number, isResumable = false): void {
		if (this.continueOnFail || !this.firstFailure) return;
		const { error } = this.firstFailure;
		if (sent > 1 && this.succeeded > 0) {
			const again = isResumable ? 'continues with the others' : 'repeats them';
			const progress = `${this.succeeded} of ${sent} items had already succeeded; running the node again ${again}.`;
			error.description = [error.description, progress].filter(Boolean).join(' ');
		}
		throw error;
	}

	/** All output items. */
	all(): INodeExecutionData[] {
		return this.items.flat();
	}

	private errorItem(index: number, error: NodeApiError | NodeOperationError): INodeExecutionData {
		const pairedItem = { item: index };
		// n8n writes the message of an `error` next to `json` into `json`, but only once it no longer retries the
		// node (see `withoutErrorKey`).
		if (this.retryOnFail) return { json: {}, error, pairedItem };
		const text = [error.message, error.description]
			.filter(Boolean)
			.join('. ')
			.replace(/\.\. /g, '. ');
		return { json: { error: text }, pairedItem };
	}
}

/**
 * With Retry On Fail, n8n runs the whole node again if the first item has a key `error`, whatever its value, and so
 * repeats the writes of all items. A field of the service with that name is renamed.
 */
function withoutErrorKey({ error, ...json }: IDataObject): IDataObject {
	return error === undefined ? json : { ...json, serviceError: error };
}

/**
 * One object for all outputs of a run. Undefined if there are more references than n8n can handle: a part of them
 * would be wrong.
 */
function pairingOf(
	from: number[],
	outputs: number,
): IPairedItemData | IPairedItemData[] | undefined {
	if (from.length === 1) return { item: from[0] as number };
	if (outputs > 1 && from.length * outputs > MAX_PAIRINGS) return undefined;
	return from.map((item) => ({ item }));
}

function asNodeError(
	context: IExecuteFunctions,
	thrown: unknown,
	index: number,
	client?: ServiceClient,
): NodeApiError | NodeOperationError {
	const error =
		thrown instanceof NodeApiError || thrown instanceof NodeOperationError
			? thrown
			: new NodeOperationError(context.getNode(), thrown as Error, { itemIndex: index });
	// Set before anything wraps it: wrapping a NodeApiError returns the same error and ignores the item.
	error.context.itemIndex ??= index;
	if (client) redact(error, client);
	return error;
}

/**
 * A value that belongs in the credential may have been entered in a parameter, and so be part of a message about it.
 */
function redact(error: NodeApiError | NodeOperationError, { redact: taken }: ServiceClient): void {
	const message = taken(error.message);
	if (error.description) error.description = taken(error.description);
	if (message === error.message) return;
	error.message = message;
	// The stack repeats the message.
	if (error.stack) error.stack = taken(error.stack);
}
