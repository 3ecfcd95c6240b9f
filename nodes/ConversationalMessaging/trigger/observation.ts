import type { ListedPage } from './lister';
import type { Snapshot } from './snapshot';
import type { ObservedRecord } from './sources/source';

/** Everything that one poll found out for certain. What it says nothing about stays as it is known. */
export interface Observation extends Snapshot {
	/** Where each record was seen last, by ID. */
	records: ReadonlyMap<string, ObservedRecord>;
	/** Records that were read in full, by ID. */
	inFull: ReadonlySet<string>;
	/** IDs of records that exist no more. */
	deleted: string[];
	/** IDs of records that exist, but no longer belong to the subscription. */
	outOfScope: string[];
}

export function observationOf(snapshot: Snapshot): Observation {
	const records = new Map<string, ObservedRecord>();
	for (const page of snapshot.pages)
		for (const record of page.records) records.set(record.id, record);
	return { ...snapshot, records, inFull: new Set(), deleted: [], outOfScope: [] };
}

/** Adds pages that were read later. */
export function withPages(observation: Observation, pages: ListedPage[]): Observation {
	const records = new Map(observation.records);
	for (const page of pages) for (const record of page.records) records.set(record.id, record);
	return { ...observation, records, pages: [...observation.pages, ...pages] };
}

/** How long the list of a status was when it was read last; undefined when nothing of it was read. */
export function toldTotal({ pages }: Observation, status: string): number | undefined {
	return pages.filter((page) => page.status === status).at(-1)?.total;
}

/** IDs of the records on the pages at both ends of each list by status of which both ends were read. */
export function endsOf({ pages }: Observation): Map<string, Set<string>> {
	const lists = new Map<string, Map<number, ListedPage>>();
	for (const page of pages) {
		if (page.status === undefined) continue;
		const list = lists.get(page.status) ?? new Map<number, ListedPage>();
		lists.set(page.status, list.set(page.number, page));
	}
	const ends = new Map<string, Set<string>>();
	for (const [status, list] of lists) {
		const { total, size } = [...list.values()].at(-1) as ListedPage;
		const last = total === undefined ? 0 : Math.ceil(total / size);
		if (!list.has(1) || !list.has(last)) continue;
		const ids = new Set<string>();
		const add = (number: number): boolean => {
			for (const { id } of list.get(number)?.records ?? []) ids.add(id);
			return list.has(number);
		};
		for (let number = 1; add(number); number++);
		for (let number = last; add(number); number--);
		ends.set(status, ids);
	}
	return ends;
}
