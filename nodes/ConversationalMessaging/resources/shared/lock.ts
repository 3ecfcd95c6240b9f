const noop = (): void => undefined;

/** What runs or waits to run, by key. */
const lastHolders = new Map<string, Promise<void>>();

/**
 * Runs work with the same key one after another, in this process.
 *
 * @throws what the work throws; the next one runs all the same
 */
export async function withLock<T>(key: string, work: () => Promise<T>): Promise<T> {
	const result = (lastHolders.get(key) ?? Promise.resolve()).then(work);
	const ended = result.then(noop, noop);
	lastHolders.set(key, ended);
	try {
		return await result;
	} finally {
		if (lastHolders.get(key) === ended) lastHolders.delete(key);
	}
}
