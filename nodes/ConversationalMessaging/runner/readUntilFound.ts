import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { clock } from '../api/base/clock';
import { isNodeError } from '../api/errors';
import { OperationContext } from './operationContext';

const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;

interface Found<T> {
	/** Undefined if the time ran out. */
	value?: T;
	/** Why the last read has no result, if it failed. */
	lastError?: NodeApiError | NodeOperationError;
}

/**
 * Reads until there is a value or the time runs out: after 2 s, then 1.5 times as long each time, at most 30 s apart,
 * and a last time at the deadline. A read that fails does not end it: what is waited for was sent.
 *
 * @param maxMs the longest wait, in milliseconds
 * @param read to be given the context to read with; undefined to continue
 * @throws NodeOperationError if the execution was stopped
 */
export async function readUntilFound<T>(
	context: OperationContext,
	maxMs: number,
	read: (context: OperationContext) => Promise<T | undefined>,
): Promise<Found<T>> {
	const deadline = clock.elapsed() + maxMs;
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
		await clock.sleep(Math.min(pause, deadline - clock.elapsed()), context.client.signal);
		context.throwIfStopped();
		// A request must not be repeated for longer than the wait lasts.
		const left = Math.max(MAX_PAUSE_MS, deadline - clock.elapsed());
		const result: Found<T> = await read(within(context, left)).then(
			(value) => ({ value }),
			(error: unknown) => {
				context.throwIfStopped();
				if (isNodeError(error)) return { lastError: error };
				throw error;
			},
		);
		if (result.value !== undefined || clock.elapsed() >= deadline) return result;
	}
}

/** The same context for requests that must have ended after a time: they wait no longer for the rate limit, or to be repeated. */
function within({ client, requestInfo, failItem }: OperationContext, ms: number): OperationContext {
	const impatient = { ...client, maxRateLimitWaitMs: ms };
	return new OperationContext(impatient, requestInfo, failItem);
}
