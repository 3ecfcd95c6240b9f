import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { mayHaveTakenEffect } from '../../api/errors';
import type { Parameters } from '../../parameters/parameters';
import { formatValue } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import type { Output, RunResult } from '../../runner/output';
import { changeOutputs, withOwn } from '../../runner/output';
import { MAX_KEYS, ProcessedKey } from './processedKey';

/**
 * The key of a message that is sent once; undefined if it is sent in any case.
 *
 * @throws NodeOperationError if there are more items than keys are kept: the run would forget its own first ones, and the
 *   next run with the same items would send all messages again
 */
export function readOnceKey(parameters: Parameters): string | undefined {
	const options = parameters.collection('options');
	const key = options.textIfSet('sendOnceKey');
	const items = parameters.context.getInputData().length;
	if (key === undefined || items <= MAX_KEYS) return key;
	throw options.invalid(
		`${options.label('sendOnceKey')} accepts up to 10,000 input items, but got ${items}`,
		'Nothing was sent. The node remembers 10,000 values; with more items, it would forget some and send their messages again. Send the items in several nodes.',
	);
}

/** Why an item is not sent. A recorded key does not show whether the run that recorded it got as far as sending. */
const REASON = 'A message for this value was sent before, or may have been';

/**
 * Sends a message unless one was sent for its key before, or may have been. The key is recorded before the message is
 * sent, so that a crash in between loses a message rather than repeating it. It is forgotten again if the message was
 * certainly not sent. Each base URL has its own keys.
 *
 * @returns the result of `send` with `sent: true`, or an item with `sent: false`
 * @throws what `send` throws
 * @throws NodeOperationError if n8n cannot record the key; nothing has been sent by then
 */
export async function sendOnce(
	context: OperationContext,
	key: string,
	send: () => Promise<RunResult>,
): Promise<RunResult> {
	const processed = new ProcessedKey(context.n8n, `${context.baseUrl} ${key}`);
	return await processed.exclusively(async () => {
		context.throwIfStopped();
		const isNew = await processed.record().catch((error: unknown) => {
			throw context.invalid(
				`n8n could not check whether a message was sent for ${formatValue(key)}: ${messageOf(error)}`,
				'Nothing was sent for this value. Save the workflow and run it again.',
			);
		});
		if (!isNew) {
			context.notify(
				'Some messages were not sent, because a message for the same value was sent before, or may have been. Their items have sent: false.',
			);
			return [{ json: {}, own: { sent: false, sendOnceKey: key, reason: REASON } }];
		}
		const result = await send().catch(async (error: unknown) => {
			if (isCertainlyUnsent(error)) await forget();
			throw error;
		});
		return changeOutputs(result, asSent);
	});

	async function forget(): Promise<void> {
		await processed.forget().catch((error: unknown) => {
			context.notify(
				`The message for ${formatValue(key)} was not sent, but n8n could not remove the value, so the node treats it as sent: ${messageOf(error)}`,
			);
		});
	}
}

/** Replies, too, show that their message was sent. */
const asSent = (output: Output): Output => withOwn(output, { sent: true });

const messageOf = (error: unknown): string => String((error as Partial<Error>).message);

const isCertainlyUnsent = (error: unknown): boolean =>
	(error instanceof NodeApiError || error instanceof NodeOperationError) &&
	!mayHaveTakenEffect(error);
