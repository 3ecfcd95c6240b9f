import type { INodeExecutionData } from 'n8n-workflow';
import { textOf } from '../../api/base/text';
import { pageCount } from '../../api/reads/pages';
import { createdAt } from '../created';
import { eventItem, isChosen, matches } from './events';
import { observedIn, readListPage } from './records';
import type { List, ObservedRecord, Requests, Subscription } from './sources/source';

/** The newest record that matches a subscription, or an example, in the form of an event. */
export async function testEvent(
	requests: Requests,
	subscription: Subscription,
): Promise<INodeExecutionData> {
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
	const isWanted = details && source.recordEndpoint !== undefined;
	if (!newest) return exampleOf(subscription, isWanted || undefined);
	const full = isWanted ? await requests.record(newest.id) : undefined;
	const change = { ...newest, record: full ?? newest.record, previousStatus: null };
	return eventItem(source, change, isWanted ? full !== undefined : undefined, 'test', 0);
}

/** Its IDs are those of no record, so that nothing happens to one by mistake. */
function exampleOf(
	{ source, filter }: Subscription,
	detailsFetched: boolean | undefined,
): INodeExecutionData {
	const id = 'example';
	const status = filter.statuses[0] ?? textOf(source.example.status);
	const record = { id, ...source.example, ...(source.example.status !== undefined && { status }) };
	const owner = { id: status, name: 'Example' };
	const change = { key: id, id, status, record, owner, previousStatus: null };
	const { json } = eventItem(source, change, detailsFetched, 'example', 0);
	return { json: { isExample: true, ...json } };
}

/** The records of the first page, and of the last one if the list begins with the oldest: its order is undocumented. */
async function newestIn(
	requests: Requests,
	subscription: Subscription,
	list: List,
): Promise<ObservedRecord[]> {
	const read = async (number: number) => {
		const found = await readListPage(requests, subscription, list, number);
		const observed = found.rows.map((row) => observedIn(row, list, found, subscription));
		return { ...found, records: observed.filter((each) => typeof each === 'object') };
	};
	const { rows, meta, records } = await read(1);
	const last = subscription.source.hasPages ? (pageCount(meta, rows.length) ?? 1) : 1;
	const isOldestFirst = createdAt(rows[0]) < createdAt(rows.at(-1));
	return last > 1 && isOldestFirst ? [...records, ...(await read(last)).records] : records;
}
