import { forEachConcurrent } from './base/concurrency';
import type { ServiceClient } from './client';

/** From this number of requests on, the work of an execution is bulk: it leaves room for others. */
const BULK = 10;

/**
 * Announces requests to the rate limiter while they are being sent.
 *
 * @param send to be given this client with the priority of so many requests, and a function to call before each one
 */
export async function announced(
	client: ServiceClient,
	requests: number,
	send: (client: ServiceClient, next: () => void) => Promise<void>,
): Promise<void> {
	const { rateLimiter, priority } = client;
	const isBulk = priority === 'single' && requests >= BULK;
	let toCome = requests;
	rateLimiter.announce(toCome);
	try {
		await send(isBulk ? { ...client, priority: 'bulk' } : client, () => {
			toCome--;
			rateLimiter.announce(-1);
		});
	} finally {
		rateLimiter.announce(-toCome);
	}
}

/**
 * Processes a list with one request for each entry, as many at once as the service can handle.
 *
 * @throws what the first action threw, by the list's order
 */
export async function forEachAtServicePace<T>(
	client: ServiceClient,
	list: readonly T[],
	action: (entry: T, client: ServiceClient) => Promise<void>,
): Promise<void> {
	const atOnce = () => client.rateLimiter.atOnce;
	await announced(client, list.length, async (announcedClient, next) => {
		await forEachConcurrent(list, atOnce, async (entry) => {
			next();
			await action(entry, announcedClient);
		});
	});
}
