import type { ServiceClient } from '../../api/client';
import { readPage } from '../../api/reads/pages';
import { requireRecord } from '../../api/reads/record';
import { listedRecord, recordOf } from '../../api/response/response';
import { send } from '../../api/send';
import { type EventBudget, type Needs, withRepeats } from '../budget';
import { LIMITS, READS_AT_ONCE } from '../limits';
import { type Memory, UNKNOWN_TOTAL } from './memory';
import type { Requests, StatusSource, Subscription } from './sources/source';

/** What a poll needs: the pages of short lists, whose length the memory shows, and what a look-up or the cursor takes. */
export function needsOf({ source, filter }: Subscription, memory?: Memory): Needs {
	const lists = source.lists(filter.statuses);
	const all = lists.reduce((sum, { status }) => {
		const total = memory?.totals[status] ?? 0;
		const pages = total < UNKNOWN_TOTAL ? Math.ceil(total / source.pageSize) : 2 + READS_AT_ONCE;
		return sum + (source.hasPages ? Math.max(1, pages) : 1);
	}, 0);
	const most = source.otherList ? Infinity : lists.length + LIMITS.mostWholePages;
	const { event, recordEndpoint, lookUpLists = 1 } = source;
	const needed = Math.min(all, most) + (recordEndpoint ? 1 + lookUpLists : 0);
	return { event, needed, weight: recordEndpoint ? 1 : 0 };
}

/** The requests for a source's records. */
export function requestsFor(
	client: ServiceClient,
	source: StatusSource,
	budget: EventBudget,
): Requests {
	const { list, recordEndpoint, noun } = source;
	const action = `Watch ${noun}s`;
	// The rows of a segment are contacts.
	const rowEndpoint = recordEndpoint ?? list;
	return {
		budget,
		async page(query, path) {
			const request = { endpoint: list, action, path, query };
			return await readPage(withRepeats(client, budget), request, (row) =>
				listedRecord(row, rowEndpoint),
			);
		},
		async record(id) {
			if (!recordEndpoint) return undefined;
			const request = { endpoint: recordEndpoint, action, path: { id }, acceptStatuses: [404] };
			const response = await send(withRepeats(client, budget), request);
			if (response.status === 404) return undefined;
			return recordOf(requireRecord(client, request, response).json, recordEndpoint).record;
		},
	};
}
