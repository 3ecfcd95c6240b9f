import { clock } from './clock';

/** After so many milliseconds of work, everything else in this process has its turn. */
const TURN_MS = 10;

/**
 * The entries of a list of any length, with turns for everything else in this process between them. By time, not by number: one
 * entry may take a microsecond or a hundred, and each turn waits for a timer, about a millisecond.
 */
export async function* inTurns<T>(list: Iterable<T>): AsyncGenerator<T> {
	let started = clock.elapsed();
	for (const entry of list) {
		if (clock.elapsed() - started >= TURN_MS) {
			await clock.yieldToOthers();
			started = clock.elapsed();
		}
		yield entry;
	}
}

/**
 * Processes a list, several entries at once, in the list's order.
 *
 * After an action has thrown, nothing new is started, and what is in progress is completed first.
 *
 * @param limit how many at once; a function is called whenever an action has ended
 * @throws what the first action threw, by the list's order
 */
export async function forEachConcurrent<T>(
	list: readonly T[],
	limit: number | (() => number),
	action: (entry: T, index: number) => Promise<void>,
): Promise<void> {
	const atOnce = typeof limit === 'number' ? () => limit : limit;
	let next = 0;
	let running = 0;
	const thrown = new Map<number, unknown>();
	await new Promise<void>((resolve) => {
		const startMore = (): void => {
			while (running < atOnce() && next < list.length && thrown.size === 0) {
				const index = next++;
				running++;
				void action(list[index] as T, index)
					.catch((error: unknown) => thrown.set(index, error))
					.then(() => {
						running--;
						startMore();
					});
			}
			if (running === 0) resolve();
		};
		startMore();
	});
	if (thrown.size > 0) throw thrown.get(Math.min(...thrown.keys()));
}
