import { forEachConcurrent } from './base/concurrency';
import type { ServiceClient } from './client';

/** From this number of requests on, the work of an execution is bulk: it leaves room for others. */
const BULK = 10;

/**
 * Processes lists with one or a few requests for each entry: the entries of each list one after another, and as many lists at
 * once as the service can handle. The rate limiter knows how many are to come.
 *
 * @param action to be given the client to send them with
 * @throws what the first action threw, by the order of the lists
 */
export async function forEachAtServicePace<T>(
	client: ServiceClient,
	lists: readonly (readonly T[])[],
	action: (entry: T, client: ServiceClient) => Promise<void>,
): Promise<void> {
	const { rateLimiter, priority } = client;
	let toCome = lists.reduce((sum, { length }) => sum + length, 0);
	const isBulk = priority === 'single' && toCome >= BULK;
	const sender: ServiceClient = isBulk ? { ...client, priority: 'bulk' } : client;
	const atOnce = () => rateLimiter.atOnce;
	rateLimiter.announce(toCome);
	try {
		await forEachConcurrent(lists, atOnce, async (list) => {
			for (const entry of list) {
				toCome--;
				rateLimiter.announce(-1);
				await action(entry, sender);
			}
		});
	} finally {
		rateLimiter.announce(-toCome);
	}
}
