import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPairedItemData,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { ServiceClient } from '../api/client';
import type { Output } from './operation';

/**
 * How many references from output to input items a run of joined items may make. Every output of such a run belongs to
 * all of its items: a report of 1,000 rows about 100,000 items would have a hundred million.
 */
const MAX_PAIRINGS = 1_000_000;

/** What became of the input items: their output items, in input order, each paired with its own. */
export class Results {
	private readonly items: INodeExecutionData[][];

	private firstFailure?: { index: number; error: NodeApiError | NodeOperationError };

	private succeeded = 0;

	private readonly continueOnFail: boolean;

	private readonly retryOnFail: boolean;

	constructor(private readonly context: IExecuteFunctions) {
		this.items = new Array<INodeExecutionData[]>(context.getInputData().length);
		this.continueOnFail = context.continueOnFail();
		this.retryOnFail = context.getNode().retryOnFail === true;
	}

	/** @param from the items that were run as one, in their order; what came out stands at the first */
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
	 * @param client of the item, where there is one: its token is taken out of the error
	 * @returns whether the run goes on with other items
	 */
	fail(index: number, thrown: unknown, client?: ServiceClient): boolean {
		const error = asNodeError(this.context, thrown, index, client);
		if (!this.firstFailure || index < this.firstFailure.index) this.firstFailure = { index, error };
		if (this.continueOnFail) this.items[index] = [this.errorItem(index, error)];
		return this.continueOnFail;
	}

	/**
	 * @param sent how many items there were when something had been sent; 0 before that
	 * @throws NodeApiError, NodeOperationError the first item's, unless the node continues on fail
	 */
	throwIfFailed(sent: number): void {
		if (this.continueOnFail || !this.firstFailure) return;
		const { error } = this.firstFailure;
		if (sent > 1 && this.succeeded > 0) {
			const progress = `${this.succeeded} of ${sent} items had already succeeded; running the node again repeats them.`;
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
		// An error beside the json is put there by n8n when it no longer runs the node again (see `withoutErrorKey`).
		if (this.retryOnFail) return { json: {}, error, pairedItem };
		const text = [error.message, error.description]
			.filter(Boolean)
			.join('. ')
			.replace(/\.\. /g, '. ');
		return { json: { error: text }, pairedItem };
	}
}

/**
 * With Retry On Fail, n8n runs the whole node again when the first item has a key `error`, whatever it is, and so repeats
 * the writes of all items. A service's own field of that name gets another one.
 */
function withoutErrorKey({ error, ...json }: IDataObject): IDataObject {
	return error === undefined ? json : { ...json, serviceError: error };
}

/** One object for all outputs of a run. Undefined for more references than n8n can carry: then none is true. */
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
	// Set before anything wraps it: wrapping a NodeApiError returns the same one and ignores the item.
	error.context.itemIndex ??= index;
	if (client) redact(error, client);
	return error;
}

/** A value that was meant for the credential may have got into a parameter, and so into a message about it. */
function redact(error: NodeApiError | NodeOperationError, { redact: taken }: ServiceClient): void {
	const message = taken(error.message);
	if (error.description) error.description = taken(error.description);
	if (message === error.message) return;
	error.message = message;
	// It repeats the message.
	if (error.stack) error.stack = taken(error.stack);
}
