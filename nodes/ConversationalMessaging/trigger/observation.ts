import { keyOf } from './keys';
import type { ListedPage } from './lister';
import type { ReadList, ReadRow } from './order';
import type { Snapshot } from './snapshot';
import type { ObservedRecord } from './sources/source';

/** Everything that one poll observed for certain. Everything else stays as known before. */
export interface Observation extends Snapshot {
	/** Each record as it was last seen, by ID. */
	records: ReadonlyMap<string, ObservedRecord>;
	/** Records that were read in full, by ID. */
	inFull: ReadonlySet<string>;
	/** IDs of records that no longer exist. */
	deleted: string[];
	/** IDs of records that exist, but no longer belong to the subscription. */
	outOfScope: string[];
}

export function observationOf(snapshot: Snapshot): Observation {
	const nothing = {
		pages: [],
		records: new Map<string, ObservedRecord>(),
		inFull: new Set<string>(),
		deleted: [],
		outOfScope: [],
	};
	return withPages({ ...snapshot, ...nothing }, snapshot.pages);
}

/** Adds pages that are read later. */
export function withPages(observation: Observation, pages: ListedPage[]): Observation {
	const records = new Map(observation.records);
	for (const page of pages) for (const record of page.records) records.set(record.id, record);
	return { ...observation, records, pages: [...observation.pages, ...pages] };
}

/** The total of a status's list when it was last read; undefined if it was not read. */
export function reportedTotal({ pages }: Observation, status: string): number | undefined {
	return pages.filter((page) => page.status === status).at(-1)?.total;
}

/**
 * The rows of one list that were read in this poll.
 *
 * @param entered IDs of the records that are known to have entered the list since the last poll
 * @returns undefined if it was not read, if its total is unknown, or if rows have shifted between its pages: they have
 *   different totals, or one record has two ranks
 */
export function rowsOf(
	{ pages }: Observation,
	status: string,
	entered: ReadonlySet<string>,
): ReadList | undefined {
	const read = pages.filter((page) => page.status === status);
	const [first] = read;
	if (first?.total === undefined || read.some(({ total }) => total !== first.total))
		return undefined;
	const { total, size } = first;
	const rows = new Map<number, ReadRow>();
	const ranks = new Map<string, number>();
	for (const { number, records } of read)
		for (const [i, { id }] of records.entries()) {
			const rank = (number - 1) * size + i;
			if ((ranks.get(id) ?? rank) !== rank || (rows.get(rank)?.id ?? id) !== id) return undefined;
			ranks.set(id, rank);
			rows.set(rank, { id, key: keyOf(id), entered: entered.has(id) });
		}
	return { rows, total, size };
}
