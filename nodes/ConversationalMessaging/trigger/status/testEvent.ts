import type { INodeExecutionData } from 'n8n-workflow';
import { capitalized } from '../../api/base/text';
import { pageCount } from '../../api/reads/pages';
import { eventItem, isChosen, matches } from './events';
import { createdAt, observedIn } from './records';
import type { List, ObservedRecord, Requests, Subscription } from './sources/source';

/**
 * The newest record that matches a subscription, in the form of an event.
 *
 * @returns [] if there is none
 */
export async function newestRecord(
	requests: Requests,
	subscription: Subscription,
): Promise<INodeExecutionData[]> {
	const { source, filter, details } = subscription;
	const lists = [...source.lists(filter.statuses), ...(source.otherList ? [source.otherList] : [])];
	const chosen = lists.filter(({ status }) => status === '' || isChosen(status, filter));
	const found = await Promise.all(
		chosen.map(async (list) => await newestIn(requests, subscription, list)),
	);
	const [newest] = found
		.flat()
		.filter((observed) => matches(observed, filter))
		.sort((one, other) => createdAt(other.record) - createdAt(one.record));
	if (!newest) return [];
	const isWanted = details && source.recordEndpoint !== undefined;
	const full = isWanted ? await requests.record(newest.id) : undefined;
	const change = { ...newest, record: full ?? newest.record, previousStatus: null };
	return [eventItem(source, change, isWanted ? full !== undefined : undefined, 'test', 0)];
}

/** The records of the first page, and of the last one if the list begins with the oldest: its order is undocumented. */
async function newestIn(
	requests: Requests,
	subscription: Subscription,
	list: List,
): Promise<ObservedRecord[]> {
	const { source, scope } = subscription;
	const read = async (number: number) => {
		const page = source.hasPages ? { page: number } : {};
		const query = { ...scope, ...list.query, ...page, limit: source.pageSize };
		const found = await requests.page(query, { path: list.path });
		const observed = found.rows.map((row) => observedIn(row, list, found, subscription));
		return { ...found, records: observed.filter((each) => typeof each === 'object') };
	};
	const { rows, meta, records } = await read(1);
	const last = source.hasPages ? (pageCount(meta, rows.length) ?? 1) : 1;
	const isOldestFirst = createdAt(rows[0]) < createdAt(rows.at(-1));
	return last > 1 && isOldestFirst ? [...records, ...(await read(last)).records] : records;
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
