import { TimeLimit } from '../../api/timeLimit';
import { customerId } from '../../phone/customerId';
import type { OperationContext } from '../../runner/operationContext';

const noop = (): void => undefined;

const lastHolders = new Map<string, Promise<void>>();

/**
 * Runs work with the same key one after another, in this process.
 *
 * @param signal aborted when the user stops the execution: work that waits does not begin then
 * @throws what the work throws; the next one runs all the same. Error if the execution is stopped before the work has begun
 */
export async function withLock<T>(
	key: string,
	work: () => Promise<T>,
	signal?: AbortSignal,
): Promise<T> {
	const stop = new TimeLimit(Infinity, signal);
	const result = (lastHolders.get(key) ?? Promise.resolve()).then(async () => {
		stop.throwIfOver();
		// From now on, the work itself ends when the execution is stopped.
		stop.end();
		return await work();
	});
	const ended = result.then(noop, noop).finally(() => {
		if (lastHolders.get(key) === ended) lastHolders.delete(key);
	});
	lastHolders.set(key, ended);
	return await stop.wait(result);
}

/**
 * Works alone on a contact, as far as others name it in the same way: two executions at the same moment would both add what it
 * lacks.
 */
export const withContactLock = async <T>(
	{ client }: OperationContext,
	id: string,
	work: () => Promise<T>,
): Promise<T> => await withLock(`contact ${client.key} ${customerId(id).key}`, work, client.signal);
