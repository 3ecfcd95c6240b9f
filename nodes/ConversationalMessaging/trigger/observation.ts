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
	for (const page of snapshot.pages) for (const record of page.records) records.set(record.id, record);
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

/** IDs of the records on pages that were read without a gap from the beginning or the end of their list. */
export function atEnds({ pages }: Observation): Set<string> {
	const lists = new Map<string | undefined, Map<number, ListedPage>>();
	for (const page of pages) {
		const list = lists.get(page.status) ?? new Map<number, ListedPage>();
		lists.set(page.status, list.set(page.number, page));
	}
	const ids = new Set<string>();
	for (const list of lists.values()) {
		const { total, size } = [...list.values()].at(-1) as ListedPage;
		const add = (page: ListedPage | undefined): boolean => {
			for (const { id } of page?.records ?? []) ids.add(id);
			return page !== undefined;
		};
		for (let number = 1; add(list.get(number)); number++);
		const last = total === undefined ? 0 : Math.ceil(total / size);
		for (let number = last; number > 0 && add(list.get(number)); number--);
	}
	return ids;
}
