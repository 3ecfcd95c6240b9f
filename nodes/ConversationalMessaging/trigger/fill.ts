import type { LongList, Memory } from './memory';
import { MOST_PASSES } from './memory';
import { fromAnyOn } from './lookups';
import type { Records } from './records';
import type { SourcePoll } from './sourcePoll';
import type { ListedPage, ObservedRecord } from './sources/source';
import { pageCount } from './sources/source';
import type { Swept } from './sweep';
import { sweep } from './sweep';

/**
 * Reads the long lists that are not complete, so that a reopened ticket can be distinguished from a new one. Their records are
 * remembered without being reported. Each list is read twice at least, from its first page to its last, until that shows no
 * record that was not known: rows shift while a list is read, so that one can be missed. A record that is known with another
 * status has changed meanwhile: it keeps that status, so that the next polls find the change.
 *
 * A page that cannot be read ends it: the next poll begins with any of the lists, and tries that page again. This is not an
 * outage.
 *
 * @param memory after the poll
 */
export async function fillLongLists(
	{ reader, seen, limits }: SourcePoll,
	memory: Memory,
): Promise<Memory> {
	let { records } = memory;
	const long = { ...memory.long };
	let budget = limits.fillPages;
	for (const list of fromAnyOn(reader.source.partitions)) {
		const { status } = list;
		const first = seen.firstPages.get(status);
		const read = async (number: number) => await reader.deepPage(number, list);
		for (let state = long[status]; state && first && state.passes > 0 && budget > 0; ) {
			const range = { from: state.page, last: pageCount(first), budget };
			const { pages, next, end } = await sweep(read, range);
			budget -= pages.length;
			const unknown = unknownOn(pages, records, state.passes === MOST_PASSES);
			records = records.withOthers(unknown);
			state = stateAfter(state, end, next, state.hasFound || unknown.length > 0);
			long[status] = state;
			if (end === 'rejected' || end === 'failed') return { ...memory, records, long };
		}
	}
	return { ...memory, records, long };
}

function stateAfter(state: LongList, end: Swept['end'], next: number, hasFound: boolean): LongList {
	if (end === 'last') {
		const passes = hasFound ? state.passes - 1 : 0;
		return { ...state, isComplete: !hasFound, passes, page: 1, hasFound: false };
	}
	// The next poll begins with the last page of this one, because rows may have shifted onto it. A page that cannot be read
	// is the only one that is tried again, as long as that lasts.
	const page = end === 'budget' ? Math.max(state.page, next - 1) : next;
	return { ...state, page, hasFound };
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
