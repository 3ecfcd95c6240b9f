import { capitalized } from '../../api/base/text';
import { createdAt, isChosen } from './events';
import { recordsIn } from './reader';
import type { ObservedRecord, Partition, Requests, Subscription } from './sources/source';

/**
 * The newest record that matches a subscription, for "Fetch Test Event".
 *
 * @returns undefined if there is none
 */
export async function newestRecord(
	requests: Requests,
	subscription: Subscription,
): Promise<ObservedRecord | undefined> {
	const { filter, details } = subscription;
	const lists = await Promise.all(
		listsFor(subscription).map(async (list) => await newestIn(requests, subscription, list)),
	);
	const wanted = lists
		.flat()
		.filter(({ status }) => isChosen(status, filter))
		.sort((one, other) => createdAt(other.record) - createdAt(one.record));
	const [first] = wanted;
	if (!first || !details) return first;
	return { ...first, record: (await requests.record(first.id)) ?? first.record };
}

/**
 * The error message and description of "Fetch Test Event" if there is no record and no message of the chosen events.
 *
 * @param nouns of the records of the chosen events
 * @param noMessage the text that there is no message; undefined if Message Received is not chosen
 */
export function nothingFound(
	nouns: readonly string[],
	noMessage?: string,
): [message: string, options: { description: string }] {
	const noRecord = nouns.length > 0 ? `no ${nouns.join(' or ')} matches your selection` : undefined;
	const text = [noRecord, noMessage].filter(Boolean).join(', and ');
	const step = noRecord
		? 'Create one in the service, or choose other statuses and filters.'
		: 'Have a customer write, or narrow Filters.';
	const description = `${step} A published workflow does not need a test event.`;
	return [capitalized(text), { description }];
}

/** The lists with such records: one per status, if the service can filter by it. */
function listsFor({ source, filter }: Subscription): Partial<Partition>[] {
	const { layout, partitions, endedPartition } = source;
	if (endedPartition)
		return [...partitions, endedPartition].filter(({ status }) => isChosen(status, filter));
	if (layout === 'recent' || filter.statuses.length === 0) return [{}];
	return filter.statuses.map((status) => ({ query: { status }, status }));
}

/** The first page, or the last one if the list begins with the oldest record: its order is undocumented. */
async function newestIn(
	requests: Requests,
	{ source, scope }: Subscription,
	{ query, status }: Partial<Partition>,
): Promise<ObservedRecord[]> {
	const all = { ...scope, ...query, limit: source.pageSize };
	const isPaged = source.layout !== 'recent';
	const { rows, meta } = await requests.page(isPaged ? { ...all, page: 1 } : all);
	const first = recordsIn(rows, source, status);
	const pages = isPaged ? (meta.totalPages ?? 1) : 1;
	const [top, bottom] = [first[0], first.at(-1)];
	const oldestFirst = top && bottom && createdAt(top.record) < createdAt(bottom.record);
	if (!oldestFirst || pages < 2) return first;
	const last = await requests.page({ ...all, page: pages });
	return [...first, ...recordsIn(last.rows, source, status)];
}
