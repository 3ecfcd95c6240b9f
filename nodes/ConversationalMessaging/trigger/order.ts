/** A record whose rank in a list is kept. */
export interface Mark {
	key: number;
	/** The expected rank, from 0. */
	rank: number;
}

/**
 * The order of a long list: one record in a hundred (a mark) with its rank. If a mark is found further down than
 * expected, something was inserted before it, so a few pages are enough to find out where.
 */
export interface ListOrder {
	/** By rank. */
	marks: readonly Mark[];
	/** The expected length of the list. */
	total: number;
}

/** A row of the list, as read in this poll. */
export interface ReadRow {
	id: string;
	key: number;
	/** Whether its record entered the list since the last poll. */
	entered: boolean;
}

/** What was read of a list in this poll. */
export interface ReadList {
	/** By rank, from 0. */
	rows: ReadonlyMap<number, ReadRow>;
	/** How long the list is. */
	total: number;
	/** Rows per page. */
	size: number;
}

/** The part between two marks that were found, or the ends of the list. Both ranks are exclusive. */
interface Segment {
	from: { rank: number; expected: number };
	to: { rank: number; expected: number };
	/** The marks in between that were not found. */
	marks: Mark[];
	/** By how much it is longer than expected, minus the records that are known to have entered it. */
	surplus: number;
	/** The first rank of a row that was not read; undefined if all were. */
	unread?: number;
	/** Ranks of the rows that were read, ascending. */
	read: number[];
	/** Ranks of the records that entered the list, ascending. */
	entered: number[];
}

/**
 * Which pages to read next to find records that entered the list: first both ends, where new records usually are,
 * then the middle of each segment with an unexpected length.
 *
 * @returns the most promising first; empty if no page is left that could contain them
 */
export function pagesToSearch(order: ListOrder, list: ReadList): number[] {
	const { rows, total, size } = list;
	const pageOf = (rank: number): number => Math.floor(rank / size) + 1;
	const ends = [0, total - 1].filter((rank) => rank >= 0 && !rows.has(rank)).map(pageOf);
	if (ends.length > 0) return [...new Set(ends)];
	const unexplained = segmentsOf(order, list)
		.filter(({ surplus, unread }) => surplus !== 0 && unread !== undefined)
		.sort((one, other) => other.surplus - one.surplus);
	const pages = unexplained.map((segment) => {
		const middle = segment.marks[segment.marks.length >> 1];
		const expected = middle && segment.from.rank + middle.rank - segment.from.expected;
		const isUnread = expected !== undefined && expected < segment.to.rank && !rows.has(expected);
		return pageOf(isUnread ? expected : (segment.unread as number));
	});
	return [...new Set(pages)];
}

/**
 * Which unknown records have entered the list, in addition to those that are known to: their part of the list was
 * read completely and is longer by exactly their number, and nothing else is unexplained. Otherwise, an old record
 * may have moved up, or others may have left, and nothing is proven.
 *
 * @param left the number of records that are known to have left the list since its order was determined
 * @returns their IDs
 */
export function provenEntries(
	order: ListOrder,
	list: ReadList,
	left: number,
	isUnknown: (row: ReadRow) => boolean,
): string[] {
	const proven: string[] = [];
	let unexplained = left;
	for (const { read, surplus, unread } of segmentsOf(order, list)) {
		if (surplus === 0) continue;
		if (unread !== undefined) return [];
		unexplained += Math.min(0, surplus);
		const unknown = read
			.map((rank) => list.rows.get(rank) as ReadRow)
			.filter((row) => !row.entered && isUnknown(row));
		if (unknown.length > 0 && surplus !== unknown.length) return [];
		proven.push(...unknown.map(({ id }) => id));
	}
	return unexplained === 0 ? proven : [];
}

/**
 * The known order after this poll. Unexplained parts keep their expected ranks, so that the next search begins there.
 *
 * @param every the number of rows between two marks
 * @param knowsAll whether every record is known: then all new ones that were read are known to have entered the list
 * @param isUnclear whether a record may have entered although it is not known to: if all records are known, a part that
 *   is longer keeps its expected length as long as it contains one, so that the next poll can prove it
 */
export function updatedOrder(
	order: ListOrder,
	list: ReadList,
	every: number,
	knowsAll = true,
	isUnclear: (row: ReadRow) => boolean = () => false,
): ListOrder {
	const { rows, total } = list;
	const marks: Mark[] = [];
	let start = -1;
	const add = (key: number, rank: number): void => {
		const last = marks.at(-1)?.rank ?? -1;
		if (rank - last >= every / 2) marks.push({ key, rank });
	};
	for (const segment of segmentsOf(order, list)) {
		const { from, to } = segment;
		const entered = (before: number): number => {
			const count = segment.entered.findIndex((rank) => rank >= before);
			return count < 0 ? segment.entered.length : count;
		};
		const isOpen =
			knowsAll &&
			segment.surplus > 0 &&
			segment.read.some((rank) => {
				const row = rows.get(rank) as ReadRow;
				return !row.entered && isUnclear(row);
			});
		// It does not matter where records left if no mark has to move.
		const isSettled =
			segment.surplus === 0 ||
			(segment.unread === undefined && !isOpen) ||
			(segment.surplus < 0 && segment.marks.length === 0);
		const length = isSettled
			? to.rank - from.rank
			: Math.max(1, to.expected - from.expected + entered(to.rank));
		// If nothing is unexplained, every row that was read has a certain rank; otherwise, only those right after a
		// mark.
		const certain = isSettled ? to.rank : knowsAll && !isOpen ? segment.unread : from.rank;
		const found = segment.read
			.filter((rank) => rank < (certain ?? to.rank) && rank % every === every - 1)
			.map((rank) => ({
				key: (rows.get(rank) as ReadRow).key,
				rank: start + rank - from.rank,
			}));
		const kept = segment.marks.flatMap(({ key, rank }) => {
			const offset = rank - from.expected;
			const shifted = offset + entered(from.rank + offset);
			// The record would have been found there.
			if (rows.has(from.rank + shifted) || shifted >= length) return [];
			return [{ key, rank: start + shifted }];
		});
		for (const { key, rank } of [...found, ...kept].sort((one, other) => one.rank - other.rank))
			add(key, rank);
		start += length;
		const end = rows.get(to.rank);
		if (to.rank < total && end) add(end.key, start);
	}
	return { marks, total: start };
}

/** The order of a completely read list. */
export function orderOf(keys: readonly number[], every: number): ListOrder {
	const marks = keys
		.map((key, rank) => ({ key, rank }))
		.filter(({ rank }) => rank % every === every - 1);
	return { marks, total: keys.length };
}

/** The order after a record left the list: the rank of a mark is known, the rank of other records is not. */
export function withoutKey(order: ListOrder, key: number): ListOrder {
	const left = order.marks.find((mark) => mark.key === key);
	if (!left) return order;
	const marks = order.marks
		.filter((mark) => mark !== left)
		.map((mark) => (mark.rank > left.rank ? { ...mark, rank: mark.rank - 1 } : mark));
	return { marks, total: order.total - 1 };
}

function segmentsOf(order: ListOrder, { rows, total }: ReadList): Segment[] {
	// If the service counts fewer rows than it returns, those behind the total have no certain rank.
	const readRanks = [...rows.keys()]
		.filter((rank) => rank < total)
		.sort((one, other) => one - other);
	const ranks = new Map(readRanks.map((rank) => [(rows.get(rank) as ReadRow).key, rank]));
	const found = longestIncreasing(
		order.marks.flatMap((mark) => {
			const rank = ranks.get(mark.key);
			return rank === undefined ? [] : [{ rank, expected: mark.rank }];
		}),
	);
	const bounds = [...found, { rank: total, expected: order.total }];
	let from = { rank: -1, expected: -1 };
	let nextRow = 0;
	let nextMark = 0;
	return bounds.map((to) => {
		const read: number[] = [];
		for (; (readRanks[nextRow] ?? Infinity) <= to.rank; nextRow++) {
			const rank = readRanks[nextRow] as number;
			if (rank < to.rank) read.push(rank);
		}
		const marks: Mark[] = [];
		for (; (order.marks[nextMark]?.rank ?? Infinity) < to.expected; nextMark++) {
			const mark = order.marks[nextMark] as Mark;
			if (!ranks.has(mark.key)) marks.push(mark);
		}
		const gap = read.findIndex((rank, i) => rank !== from.rank + 1 + i);
		const behind = from.rank + 1 + (gap < 0 ? read.length : gap);
		const entered = read.filter((rank) => rows.get(rank)?.entered);
		const length = to.rank - from.rank - (to.expected - from.expected);
		const segment: Segment = {
			from,
			to,
			marks,
			surplus: length - entered.length,
			unread: behind < to.rank ? behind : undefined,
			read,
			entered,
		};
		from = to;
		return segment;
	});
}

/** Marks with ascending ranks, from the last one back. */
interface Chain<T> {
	last: T;
	before?: Chain<T>;
	length: number;
}

/** The longest sequence of marks in the expected order: any other mark has moved. */
function longestIncreasing<T extends { rank: number }>(found: T[]): T[] {
	const chains: Chain<T>[] = [];
	for (const last of found) {
		const before = longestOf(chains.filter((chain) => chain.last.rank < last.rank));
		chains.push({ last, before, length: (before?.length ?? 0) + 1 });
	}
	const rising: T[] = [];
	for (let chain = longestOf(chains); chain; chain = chain.before) rising.unshift(chain.last);
	return rising;
}

const longestOf = <T>(chains: Chain<T>[]): Chain<T> | undefined =>
	chains.reduce<Chain<T> | undefined>(
		(longest, chain) => (chain.length > (longest?.length ?? 0) ? chain : longest),
		undefined,
	);
