const noop = (): void => undefined;

/** What to call when a signal is aborted. */
type Callbacks = Set<{ call: () => void }>;

const callbacksOf = new WeakMap<AbortSignal, Callbacks>();

/**
 * Calls back once a signal is aborted; not if it was before.
 *
 * All callbacks of a signal share one listener. In Node.js, a listener that was removed still refers to the one that was added after
 * it, so that each of thousands of requests would keep the next one in memory until a full garbage collection.
 *
 * @returns prevents it, and releases what the callback refers to
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (!signal) return noop;
	const callbacks = callbacksOf.get(signal) ?? listenTo(signal);
	const entry = { call: callback };
	callbacks.add(entry);
	return () => {
		callbacks.delete(entry);
		// A set can refer to what was deleted from it until a full garbage collection.
		entry.call = noop;
	};
}

function listenTo(signal: AbortSignal): Callbacks {
	const callbacks: Callbacks = new Set();
	callbacksOf.set(signal, callbacks);
	signal.addEventListener('abort', () => {
		for (const { call } of callbacks) call();
	});
	return callbacks;
}
