import type { DeduplicationScope } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { mayHaveTakenEffect } from '../../api/errors';
import type { Collection } from '../../parameters/collection';
import { formatValue } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import { ProcessedKey } from './processedKey';
import type { Output } from '../../runner/output';

/** What a message is sent once for. */
export interface OncePlan {
	/** As the user entered it. */
	key: string;
	scope: DeduplicationScope;
	/** How many keys n8n keeps. */
	historySize: number;
}

/** As many as n8n's Remove Duplicates node keeps. */
export const DEFAULT_HISTORY_SIZE = 10_000;

/**
 * The plan in the options of a message; undefined if it is sent in any case.
 *
 * @param itemCount how many items the node has: if n8n keeps fewer values, a run forgets its own first ones, and the next
 *   run with the same items forgets each value just before its turn, so that it sends all messages again
 */
export function readOnce(options: Collection, itemCount: number): OncePlan | undefined {
	const key = options.textIfSet('sendOnceKey');
	const scope = options.option('sendOnceScope') as DeduplicationScope | undefined;
	const historySize = options.count('sendOnceHistorySize');
	if (historySize === 0) throw options.invalidValue('sendOnceHistorySize', 'at least 1', 0);
	if (key !== undefined) {
		const plan = { key, scope: scope ?? 'node', historySize: historySize ?? DEFAULT_HISTORY_SIZE };
		if (itemCount <= plan.historySize) return plan;
		throw options.invalid(
			`${options.label('sendOnceHistorySize')} is ${plan.historySize}, but the node has ${itemCount} input items`,
			'Nothing was sent. Raise Send Once History Size to several times the number of items: n8n forgets the oldest values beyond it, and a message for a forgotten value is sent again.',
		);
	}
	if (scope === undefined && historySize === undefined) return undefined;
	const name = scope === undefined ? 'sendOnceHistorySize' : 'sendOnceScope';
	throw options.invalid(
		`${options.label(name)} is set, but Send Once Per is not`,
		'Add the option Send Once Per, or remove this one.',
	);
}

/** Why an item is not sent. A recorded key does not show whether the run that recorded it got as far as sending. */
const REASON = 'A message for this value was sent before, or may have been';

/**
 * Sends a message unless one was sent for its key before, or may have been. The key is recorded before the message is
 * sent, so that a crash in between loses a message rather than repeating it. It is forgotten again if the message was
 * certainly not sent.
 *
 * @returns whether it was sent now, and what `send` returned with `sent: true`, or an item with `sent: false`
 * @throws what `send` throws
 * @throws NodeOperationError if n8n cannot record the key; nothing has been sent by then
 */
export async function sendOnce(
	context: OperationContext,
	{ key, scope, historySize }: OncePlan,
	send: () => Promise<Output[]>,
): Promise<{ isSent: boolean; outputs: Output[] }> {
	const processed = new ProcessedKey(context.n8n, `${context.baseUrl} ${key}`, {
		scope,
		maxEntries: historySize,
	});
	return await processed.exclusively(async () => {
		context.throwIfStopped();
		const isNew = await processed.record().catch((error: unknown) => {
			throw context.invalid(
				`n8n could not check whether a message was sent for ${formatValue(key)}: ${messageOf(error)}`,
				'Nothing was sent for this value. Save the workflow and run it again. If a Remove Duplicates node with the scope Workflow compares with the highest value or the latest date, set Send Once Scope to Node.',
			);
		});
		if (!isNew) {
			context.notify(
				'Some messages were not sent, because a message for the same value was sent before, or may have been. Their items have sent: false.',
			);
			return {
				isSent: false,
				outputs: [{ json: { sent: false, sendOnceKey: key, reason: REASON } }],
			};
		}
		const outputs = await send().catch(async (error: unknown) => {
			if (isCertainlyUnsent(error)) await forget();
			throw error;
		});
		return {
			isSent: true,
			outputs: outputs.map(asSent),
		};
	});

	async function forget(): Promise<void> {
		await processed.forget().catch((error: unknown) => {
			context.notify(
				`The message for ${formatValue(key)} was not sent, but n8n could not forget the value, so it counts as sent: ${messageOf(error)}`,
			);
		});
	}
}

/** The output of a message that was sent now. */
export const asSent = (output: Output): Output => ({
	...output,
	json: { ...output.json, sent: true },
});

const messageOf = (error: unknown): string => String((error as Partial<Error>).message);

const isCertainlyUnsent = (error: unknown): boolean =>
	(error instanceof NodeApiError || error instanceof NodeOperationError) &&
	!mayHaveTakenEffect(error);
