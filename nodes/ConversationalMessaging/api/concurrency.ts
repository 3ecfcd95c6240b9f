/**
 * Processes a list with several workers, in the list's order.
 *
 * After a worker has thrown, nothing new is started, and what is in progress is completed first.
 *
 * @param limit how many at once
 * @throws what the first worker threw, by the list's order
 */
export async function forEachConcurrent<T>(
	list: readonly T[],
	limit: number,
	action: (entry: T, index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	const thrown = new Map<number, unknown>();
	const worker = async (): Promise<void> => {
		while (next < list.length && thrown.size === 0) {
			const index = next++;
			await action(list[index] as T, index).catch((error: unknown) => thrown.set(index, error));
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, list.length) }, worker));
	if (thrown.size > 0) throw thrown.get(Math.min(...thrown.keys()));
}
