import { shown } from '../../api/access/shown';
import { isNodeError, mayHaveTakenEffect, reasonText } from '../../api/errors';
import type { Parameters } from '../../parameters/parameters';
import { formatValue } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import type { Sent } from '../../runner/output';
import { MAX_KEYS, ProcessedKey } from './processedKey';
import { VERBS } from './sentOutputs';

/**
 * The key for which something is sent once; undefined if it is sent in any case.
 *
 * @param isOfAll whether all input items are sent as one, with one key
 * @throws NodeOperationError if there are more items than keys are kept: the run would forget its own first ones, and the
 *   next run with the same items would send all of them again
 */
export function readOnceKey(parameters: Parameters, isOfAll = false): string | undefined {
	const options = parameters.collection('options', 'limit');
	const key = options.key('sendOnceKey');
	const items = parameters.n8n.getInputData().length;
	if (key === undefined || isOfAll || items <= MAX_KEYS) return key;
	throw options.invalid(
		shown`${options.label('sendOnceKey')} accepts up to 10,000 input items, but got ${items}`,
		'Nothing was sent. The node remembers 10,000 values; with more items, it would forget some and send for them again. Send the items in several nodes.',
	);
}

/**
 * Sends something unless it was sent for its key before, or may have been. The key is recorded before that, so that a
 * crash in between loses a message rather than repeating it. It is forgotten again if the message was certainly not sent.
 * Each base URL has its own keys, and each kind of what is sent.
 *
 * @param key undefined to send in any case
 * @returns the result of `send` with `sent: true`, or an item with `sent: false`
 * @throws what `send` throws
 * @throws NodeOperationError if n8n cannot record the key; nothing has been sent by then
 */
export async function sendOnce<Pending>(
	context: OperationContext,
	noun: keyof typeof VERBS,
	key: string | undefined,
	send: () => Promise<Sent<Pending>>,
): Promise<Sent<Pending>> {
	if (key === undefined) return await send();
	const verb = VERBS[noun];
	const processed = new ProcessedKey(context.n8n, `${context.client.baseUrl} ${noun} ${key}`);
	return await processed.withLock(async () => {
		context.throwIfStopped();
		const isNew = await processed.record().catch((error: unknown) => {
			context.throwIfStopped();
			throw context.invalid(
				shown`n8n could not check whether a ${noun} was ${verb} for ${formatValue(key)}: ${reasonText(error)}`,
				shown`Nothing was ${verb} for this value. Save the workflow and run it again. If the item then returns sent: false, change the value.`,
			);
		});
		if (!isNew) {
			context.notify(
				shown`Some ${noun}s were not ${verb}, because a ${noun} for the same value was ${verb} before, or may have been. Their items have sent: false.`,
			);
			// A recorded key does not show whether the run that recorded it got as far as sending.
			const reason = `A ${noun} for this value was ${verb} before, or may have been`;
			return { outputs: [{ json: {}, addedFields: { sent: false, sendOnceKey: key, reason } }] };
		}
		const sent = await send().catch(async (error: unknown) => {
			if (isCertainlyUnsent(error)) await forget();
			throw error;
		});
		return { ...sent, kept: { ...sent.kept, sent: true } };
	});

	async function forget(): Promise<void> {
		await processed.forget().catch((error: unknown) => {
			context.notify(
				shown`The ${noun} for ${formatValue(key)} was not ${verb}, but n8n could not remove the value, so the node treats it as ${verb}: ${reasonText(error)}. Change the value before you run the node again`,
			);
		});
	}
}

const isCertainlyUnsent = (error: unknown): boolean =>
	isNodeError(error) && !mayHaveTakenEffect(error);
