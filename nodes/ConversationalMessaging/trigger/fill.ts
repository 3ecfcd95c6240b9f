import type { Limits } from './limits';
import type { LongList, Memory } from './memory';
import { MOST_PASSES } from './memory';
import type { Reader } from './reader';
import type { Records } from './records';
import type { Seen } from './seen';
import type { ListedPage, ObservedRecord } from './sources/source';
import { pageCount } from './sources/source';
import { sweep } from './sweep';

/**
 * Reads long lists that are not known yet, so that a reopened ticket can be distinguished from a new one. Their records
 * are remembered without being reported. Each list is read twice at least, from its first page to its last, until that
 * shows no unknown record: rows shift while a list is read, so that one can be missed.
 *
 * If time or the rate limit runs out, the next poll continues, and this is not an outage.
 */
export async function fillLongLists(
	reader: Reader,
	memory: Memory,
	seen: Seen,
	limits: Limits,
): Promise<Memory> {
	if (reader.isOver) return memory;
	const own = reader.another();
	let { records } = memory;
	const lists = { ...memory.lists };
	let budget = limits.fillPages;
	for (const list of reader.source.partitions) {
		const { status } = list;
		let state = lists[status];
		const first = seen.firstPages.get(status);
		while (state && first && state.passes > 0 && budget > 0) {
			const range = { from: state.page, last: pageCount(first), budget };
			const { pages, next, finished, blocked } = await sweep(own, list, range);
			budget -= pages.length;
			const unknown = unknownOn(pages, records, state.passes === MOST_PASSES);
			records = records.withOthers(unknown);
			const hasFound = state.hasFound || unknown.length > 0;
			// The next poll begins with the last page of this one, because rows may have shifted onto it. If a page cannot be
			// read, only this one is tried again, as long as that lasts.
			const page = blocked ? next : Math.max(state.page, next - 1);
			state = finished ? afterPass(state, hasFound) : { ...state, page, hasFound };
			lists[status] = state;
			if (!finished) break;
		}
	}
	return { ...memory, records, lists };
}

function afterPass(state: LongList, hasFound: boolean): LongList {
	const isKnown = !hasFound;
	const passes = isKnown ? 0 : state.passes - 1;
	return { ...state, isKnown, passes, page: 1, hasFound: false };
}

/**
 * With a shortened key, a record that is known with another status is probably another record when its list is read for
 * the first time. In a later reading, it has changed since the first one, which must be found as a change.
 */
function unknownOn(pages: ListedPage[], records: Records, isFirst: boolean): ObservedRecord[] {
	const rows = pages.flatMap((page) => page.records);
	const unknown = rows.filter(({ id, status }) =>
		isFirst ? !records.knows(id, status) : records.statusOf(id) === undefined,
	);
	return [...new Map(unknown.map((row) => [row.id, row])).values()];
}
