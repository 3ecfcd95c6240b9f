import { KEY_BITS } from './keys';
import type { Memory, Position } from './memory';
import type { Reader } from './reader';
import type { Seen } from './seen';
import type { ListedPage } from './sources/source';
import { pageCount } from './sources/source';

/** Each of this many slots, and the first one, is the first page of the list of all records. */
const HEAD_EVERY = 10;

/**
 * Reads the next page in the rotation through all long lists, and sometimes the first page of the list of all records,
 * which shows statuses that no list has. So a change that leaves every total as it was is found too.
 *
 * Each list has slots for its pages from the second one on, because every poll reads the first one. With shortened keys, a
 * record of a list that is not known yet could pass for another one that has changed: such lists are left out.
 *
 * @returns the next position, also after a page that cannot be read: it comes again in the next rotation. The same one if
 *   the poll has failed, because the page was not requested, or the rate limit rejected it
 */
export async function rotate(
	reader: Reader,
	memory: Memory,
	seen: Seen,
	position = memory.next,
): Promise<Position> {
	const { partitions } = reader.source;
	const isLeftOut = (status: string): boolean =>
		memory.records.bits < KEY_BITS && (memory.lists[status]?.passes ?? 0) > 0;
	const long = partitions.filter(({ status }) => seen.long.has(status) && !isLeftOut(status));
	const start = long.findIndex(({ status }) => status === position.status);
	const list = long[Math.max(0, start)];
	const first = list && seen.firstPages.get(list.status);
	if (!list || !first) return position;
	const slot = start < 0 ? 1 : position.slot;
	const following = long[(Math.max(0, start) + 1) % long.length] ?? list;
	// The list has become shorter: this slot is the first one of the next list.
	if (slot > 1 && pageOf(slot) > pagesIn(first))
		return await rotate(reader, memory, seen, { status: following.status, slot: 1 });
	const isHead = slot === 1 || slot % HEAD_EVERY === 0;
	const page = isHead ? await reader.deepPage(1) : await reader.deepPage(pageOf(slot), list);
	if (reader.isOver) return { status: list.status, slot };
	if (page) seen.add([page]);
	// Without a total, a page that is empty or cannot be read may be behind the last one.
	const isBehind = !isHead && (pageCount(first) === undefined ? !page?.length : page?.length === 0);
	const isLast = pageOf(slot + 1) > pagesIn(first) || isBehind;
	return isLast ? { status: following.status, slot: 1 } : { status: list.status, slot: slot + 1 };
}

/** The page of a slot that is none for the list of all records. */
const pageOf = (slot: number): number => slot - Math.floor(slot / HEAD_EVERY);

const pagesIn = (first: ListedPage): number => pageCount(first) ?? Infinity;
