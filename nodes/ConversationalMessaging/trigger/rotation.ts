import { KEY_BITS } from './keys';
import type { Position } from './memory';
import { isPage } from './reader';
import type { SourcePoll } from './sourcePoll';
import { pageCount } from './sources/source';

/**
 * Reads the next page in the rotation through all long lists, so that a change that leaves every total as it was is found
 * too. Every poll reads the first page of each list, so instead of it, the rotation reads that of the list of all records,
 * which shows statuses that no list has.
 *
 * With shortened keys, a record of a list that is not complete could pass for another one that has changed: while such a list
 * is filled, it is left out.
 *
 * @returns the next position, also after a page that cannot be read: it comes again in the next rotation. The same one if
 *   the poll is over, because the page was not requested, or the rate limit rejected it
 */
export async function rotate({ reader, memory, seen }: SourcePoll): Promise<Position> {
	const isLeftOut = (status: string): boolean =>
		memory.records.bits < KEY_BITS && (memory.long[status]?.passes ?? 0) > 0;
	const lists = reader.source.partitions.flatMap((partition) => {
		const { status } = partition;
		const first = seen.firstPages.get(status);
		if (!first || !seen.long.has(status) || isLeftOut(status)) return [];
		return [{ partition, status, last: pageCount(first) ?? Infinity }];
	});
	const [first] = lists;
	if (!first) return memory.next;
	const after = (list: typeof first): typeof first => lists[lists.indexOf(list) + 1] ?? first;
	const start = lists.find(({ status }) => status === memory.next.status);
	let list = start ?? first;
	let page = start ? memory.next.page : 1;
	if (page > list.last) [list, page] = [after(list), 1];
	const read = page === 1 ? await reader.deepPage(1) : await reader.deepPage(page, list.partition);
	if (reader.isOver) return { status: list.status, page };
	if (isPage(read)) seen.add([read]);
	// Without a total, a page that cannot be read may be behind the last one, as is an empty one.
	const isBehind = isPage(read) ? read.length === 0 : list.last === Infinity;
	const isLast = page >= list.last || (page > 1 && isBehind);
	return isLast ? { status: after(list).status, page: 1 } : { status: list.status, page: page + 1 };
}
