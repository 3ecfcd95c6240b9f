import { type INode, ExpressionError, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { type Message, type Shown, shown } from './access/shown';
import { textOf } from './base/text';

/** Whose request failed: a client. */
export interface Sender {
	n8n: { getNode(): INode };
	baseUrl: string;
}

/** The step after a write with a possible effect. */
export const NOT_RETRIED: Shown = shown`Not retried because it may have succeeded. Check the service before you run it again.`;

/** The message of what was thrown, or Node.js's code if that is not in it. */
export function reasonText(thrown: unknown): string {
	const { code, message } = (thrown ?? {}) as { code?: unknown; message?: unknown };
	const [name, words] = [textOf(code), textOf(message)];
	return words.includes(name) || !/^E[A-Z_]+$/.test(name) ? words : name;
}

/** The error for something that cannot be done, and the next step. */
export const invalid = <M extends string, D extends string>(
	node: INode,
	message: Message<M>,
	description?: Message<D>,
	itemIndex?: number,
): NodeOperationError =>
	new NodeOperationError(node, String(message), {
		description: description && String(description),
		itemIndex,
	});

/** What n8n, or this package by chance, has thrown, as an error of the node. Its text may be of any origin. */
export function unexpected<D extends string>(
	node: INode,
	thrown: unknown,
	description?: Message<D>,
): NodeOperationError {
	const { message, description: more } = (thrown ?? {}) as {
		message?: unknown;
		description?: unknown;
	};
	const step = description ?? (textOf(more) && shown`${textOf(more)}`);
	const text = String(shown`${textOf(message)}`);
	// Not around what was thrown: n8n stores and shows a cause, and the first line of a stack, as they came.
	const error = new NodeOperationError(node, text, { description: step && String(step) });
	// n8n replaces a message that contains an error code of Node.js.
	error.message = text;
	// With it, n8n's editor explains what an expression lacks.
	if (thrown instanceof ExpressionError) error.context = { ...thrown.context, ...error.context };
	return error;
}

/** What was thrown while writes were sent. An error of the node says itself what it means; anything else was thrown by chance. */
export const afterWrite = (node: INode, thrown: unknown): Error =>
	isNodeError(thrown) ? thrown : uncertain(unexpected(node, thrown, NOT_RETRIED));

export const isNodeError = (thrown: unknown): thrown is NodeApiError | NodeOperationError =>
	thrown instanceof NodeApiError || thrown instanceof NodeOperationError;

/** An error as one text: what happened, and the next step. */
export const errorText = ({ message, description }: NodeApiError | NodeOperationError): string =>
	description ? `${message.replace(/\.$/, '')}. ${description}` : message;

/** The status of the response that an error is about; 0 without one. */
export const statusIn = (error: unknown): number =>
	error instanceof NodeApiError ? Number(error.httpCode ?? 0) : 0;

/** Errors after which the request may have taken effect. Not a property of the error: n8n would show it. */
const uncertainErrors = new WeakSet<Error>();

/** Marks an error as one after which the request may have taken effect. */
export function uncertain<T extends Error>(error: T): T {
	uncertainErrors.add(error);
	return error;
}

/** Whether a request that ended with this error may have taken effect all the same. */
export const mayHaveTakenEffect = (error: Error): boolean => uncertainErrors.has(error);

/** n8n recognizes an error as a stop, not a failure, by the word "canceled". */
export const stoppedError = ({ n8n }: Pick<Sender, 'n8n'>): NodeOperationError =>
	new NodeOperationError(n8n.getNode(), 'The execution was canceled');

/** @throws NodeOperationError once the user has stopped the execution */
export function throwIfStopped(client: Pick<Sender, 'n8n'> & { signal?: AbortSignal }): void {
	if (client.signal?.aborted) throw stoppedError(client);
}
