const noop = (): void => undefined;

/** What runs or waits to run, by key. */
const lastInTurn = new Map<string, Promise<void>>();

/**
 * Runs work with the same key one after another, in this process.
 *
 * @throws what the work throws; the next one runs all the same
 */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
	const result = (lastInTurn.get(key) ?? Promise.resolve()).then(work);
	const ended = result.then(noop, noop);
	lastInTurn.set(key, ended);
	try {
		return await result;
	} finally {
		if (lastInTurn.get(key) === ended) lastInTurn.delete(key);
	}
}
