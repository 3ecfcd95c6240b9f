import type { ServiceClient } from '../../api/client';
import { readPage } from '../../api/reads/pages';
import { listedRecord, recordOf } from '../../api/response/response';
import { send } from '../../api/send';
import type { Requests, StatusSource } from './sources/source';

/** How long a page that can wait waits for the rate limit, in milliseconds: for a short window, not for a minute. */
const BULK_WAIT_MS = 10_000;

/** The requests for a source's records. */
export function requestsFor(client: ServiceClient, source: StatusSource): Requests {
	const { list, recordEndpoint, rowsName, noun } = source;
	const action = `Watch ${noun}s`;
	const maxRateLimitWaitMs = Math.min(client.maxRateLimitWaitMs, BULK_WAIT_MS);
	const bulk: ServiceClient = { ...client, priority: 'bulk', maxRateLimitWaitMs };
	return {
		async page(query, { path, isBulk = false } = {}) {
			const request = { endpoint: list, action, rowsName, path, query };
			return await readPage(isBulk ? bulk : client, request, (row) => listedRecord(row, list));
		},
		async record(id) {
			if (!recordEndpoint) return undefined;
			const request = { endpoint: recordEndpoint, action, path: { id }, acceptStatuses: [404] };
			const { status, json } = await send(client, request);
			return status === 404 ? undefined : recordOf(json, recordEndpoint).record;
		},
	};
}
