import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type IPairedItemData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { redact } from '../api/access/shown';
import { clock } from '../api/base/clock';
import { capitalized } from '../api/base/text';
import { errorText, isNodeError, unexpected } from '../api/errors';
import { itemNumbers } from '../parameters/values';
import { type Output, jsonOf } from './output';

/**
 * The maximum number of references from output to input items of a batch. Every output of a batch is paired with all
 * of its items: a report of 1,000 rows about 100,000 items would have a hundred million.
 */
const MAX_PAIRINGS = 1_000_000;

/** After so many outputs, everything else in this process has its turn: copying them takes tens of milliseconds. */
const OUTPUTS_PER_TURN = 20_000;

/** The keys of items that n8n moves to the error output. */
const ERROR_KEYS = ['error', 'message', 'details'];

/** What an error says that ends the run before its first request. */
export const NOTHING_SENT = 'Nothing was sent.';

/** The results of the input items: their output items, in input order, each paired with its input. */
export class Results {
	private readonly items: INodeExecutionData[][] = [];
	private firstFailure?: { index: number; error: NodeApiError | NodeOperationError };
	/** Whether items failed for different reasons. A batch fails with one for all of its items. */
	private hasOtherFailures = false;
	private readonly succeeded = new Set<number>();
	private readonly failed = new Set<number>();
	readonly continueOnFail: boolean;
	private readonly retryOnFail: boolean;
	/** Whether an AI agent runs the node: as n8n names the type of a node that is a tool. */
	private readonly isTool: boolean;

	constructor(private readonly n8n: IExecuteFunctions) {
		this.continueOnFail = n8n.continueOnFail();
		const { retryOnFail, type } = n8n.getNode();
		this.retryOnFail = retryOnFail === true;
		this.isTool = type.endsWith('Tool');
	}

	/**
	 * May be called again, with other outputs.
	 *
	 * @param from the items of the batch, in their order; the output is placed at the first
	 */
	async succeed(from: number[], outputs: Output[]): Promise<void> {
		if (from.length === 0) return;
		for (const index of from) this.succeeded.add(index);
		const pairedItem = pairingOf(from, outputs.length);
		const items: INodeExecutionData[] = (this.items[from[0] as number] = []);
		for (const output of outputs) {
			items.push({
				json: this.withoutErrorKey(jsonOf(output)),
				...(output.binary && { binary: output.binary }),
				pairedItem,
			});
			if (items.length % OUTPUTS_PER_TURN === 0) await clock.yieldToOthers();
		}
	}

	/** @returns whether the run continues with other items */
	fail(index: number, thrown: unknown): boolean {
		const error = this.errorOf(index, thrown);
		this.failed.add(index);
		this.succeeded.delete(index);
		this.hasOtherFailures ||= this.firstFailure !== undefined && this.firstFailure.error !== error;
		if (!this.firstFailure || index < this.firstFailure.index) this.firstFailure = { index, error };
		if (this.continueOnFail) this.items[index] = [this.errorItem(index, error)];
		return this.continueOnFail;
	}

	errorOf(index: number, thrown: unknown): NodeApiError | NodeOperationError {
		const error = isNodeError(thrown) ? thrown : unexpected(this.n8n.getNode(), thrown);
		// Set before anything wraps it: wrapping a NodeApiError returns the same error and ignores the item.
		error.context.itemIndex ??= index;
		// Our own messages are `Shown`. What n8n says about a parameter contains what the user entered, such as a token.
		error.message = redact(error.message);
		if (error.description) error.description = redact(error.description);
		// The stack repeats the message.
		if (error.stack) error.stack = redact(error.stack);
		return error;
	}

	/**
	 * Once all items are read: the error lists the others that cannot be used, and says how to run the rest.
	 *
	 * @param hasRest false if the rest would fail as well
	 * @throws NodeApiError, NodeOperationError the first failed item's, unless the node continues on fail
	 */
	throwIfUnusable(hasRest = true): void {
		const count = this.n8n.getInputData().length;
		const others = [...this.failed].filter((index) => index !== this.firstFailure?.index);
		const sentences = [
			others.length > 0
				? `${capitalized(itemNumbers(others))} cannot be used either. Item numbers start at 0.`
				: '',
			count > 1 ? NOTHING_SENT : '',
			hasRest && count > this.failed.size
				? 'To run the other items, set On Error to Continue in the settings of this node.'
				: '',
		];
		this.throwFirst(sentences.filter(Boolean).join(' '));
	}

	/**
	 * At any later time: the error says how many items have succeeded.
	 *
	 * @param isResumable whether running the node again does only what is left to do
	 * @param notices what else there is to say about the run
	 * @throws NodeApiError, NodeOperationError the first failed item's, unless the node continues on fail
	 */
	throwIfFailed(isResumable: boolean, notices: string[] = []): void {
		const count = this.n8n.getInputData().length;
		const done = this.succeeded.size;
		const again = isResumable ? 'continues with the others' : 'repeats them';
		const progress = `${done} of ${count} items had already succeeded; running the node again ${again}.`;
		const sentences = notices.map((notice) => notice.replace(/(?<![.!?])$/, '.'));
		const error = this.firstFailure?.error;
		// An operation knows only its own item: others have succeeded, or failed after they had sent something.
		if (error?.description && (done > 0 || this.hasOtherFailures)) {
			const ofItem = error.description.replace(
				/^Nothing was sent(?=[.,])/,
				'This item was not sent',
			);
			error.description = ofItem;
		}
		this.throwFirst(
			[count > 1 && done > 0 ? progress : '', ...sentences].filter(Boolean).join(' '),
		);
	}

	private throwFirst(addition: string): void {
		if (this.continueOnFail || !this.firstFailure) return;
		const { error } = this.firstFailure;
		error.description = [error.description, addition].filter(Boolean).join(' ') || undefined;
		// n8n gives a model nothing else of the error.
		throw this.isTool ? withStepInMessage(error) : error;
	}

	/** Whether nothing more is to be sent, because an item failed and the node does not continue. */
	get isAborted(): boolean {
		return this.firstFailure !== undefined && !this.continueOnFail;
	}

	get failedCount(): number {
		return this.failed.size;
	}

	/** All output items. */
	all(): INodeExecutionData[] {
		return this.items.flat();
	}

	/**
	 * n8n reads a key `error` as a failed item, and so a field of the service with that name is renamed:
	 * - With Retry On Fail, n8n runs the whole node again if the first item has it, whatever its value, and so repeats
	 *   the writes of all items.
	 * - With On Error → Continue (Using Error Output), it moves items with no more than these keys to the error output.
	 */
	private withoutErrorKey(json: IDataObject): IDataObject {
		if (json.error === undefined) return json;
		const looksFailed =
			this.continueOnFail && Object.keys(json).every((key) => ERROR_KEYS.includes(key));
		if (!(this.retryOnFail || looksFailed)) return json;
		const { error, ...others } = json;
		return { ...others, serviceError: error };
	}

	private errorItem(index: number, error: NodeApiError | NodeOperationError): INodeExecutionData {
		const pairedItem = { item: index };
		// n8n writes the message of an `error` next to `json` into `json`, but only once it no longer retries the
		// node (see `withoutErrorKey`).
		if (this.retryOnFail) return { json: {}, error: withStepInMessage(error), pairedItem };
		return { json: { error: errorText(error) }, pairedItem };
	}
}

function withStepInMessage<T extends NodeApiError | NodeOperationError>(error: T): T {
	error.message = errorText(error);
	error.description = undefined;
	return error;
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
