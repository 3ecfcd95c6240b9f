import type { ServiceClient } from './client';

/** Does something once for all items of a run that share a client. If it fails, the next item tries it again. */
export async function memoize<T>(
	{ memo }: ServiceClient,
	key: string,
	make: () => Promise<T>,
): Promise<T> {
	const known = memo.get(key);
	if (known) return (await known) as T;
	const result = make();
	memo.set(key, result);
	result.catch(() => memo.delete(key));
	return await result;
}
