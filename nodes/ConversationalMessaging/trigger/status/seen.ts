import type { ListedPage, LookupResult, ObservedRecord } from './sources/source';

/** Everything that one poll has seen so far. What it has not seen stays as it is known. */
export class Seen {
	/** Each record as it was added last, by ID. A later request can have had the earlier response. */
	readonly records = new Map<string, ObservedRecord>();

	/** IDs of records that are here in full, or of which there is no more: they were deleted, or the service rejects the request. */
	readonly inDetail = new Set<string>();

	/** Known records that are to be forgotten, by ID: they were deleted, or exist and no longer match the filters. */
	readonly dropped = new Map<string, 'deleted' | 'outOfScope'>();

	/** The first page of each list that is read by status. */
	readonly firstPages = new Map<string, ListedPage>();

	/** Statuses whose list was read up to its first page, because it is long. */
	readonly long = new Set<string>();

	/** Statuses whose list was read in full; 'all' if the list of all records was. */
	readInFull: Set<string> | 'all' = new Set();

	/** Those of them whose list is known from now on. */
	known: Set<string> | 'all' = new Set();

	private readonly totals = new Map<string, number>();

	/** Adds pages. Of a record that was seen before, the row that is added later counts. */
	add(pages: readonly ListedPage[]): void {
		for (const { status, total, records } of pages) {
			if (status !== undefined && total !== undefined) this.totals.set(status, total);
			for (const record of records) this.addRow(record);
		}
	}

	/** A row with the status of a record that is here in full says nothing more. */
	private addRow(row: ObservedRecord): void {
		if (this.inDetail.has(row.id) && this.records.get(row.id)?.status === row.status) return;
		this.inDetail.delete(row.id);
		this.records.set(row.id, row);
	}

	/** Adds a record in full, or as far as it can be read. */
	addInDetail(observed: ObservedRecord): void {
		this.records.set(observed.id, observed);
		this.inDetail.add(observed.id);
	}

	/** Adds what looking up a record showed. */
	addLookup(id: string, result: LookupResult): void {
		if (result.is === 'found') this.addInDetail(result.observed);
		else if (result.is !== 'unknown') this.dropped.set(id, result.is);
	}

	/** The number of records in a status's list, by the page that was added last; undefined if it is not known. */
	totalOf(status: string): number | undefined {
		return this.totals.get(status);
	}

	/** Whether every record of this status was seen, so that one that was not has left. */
	sawAll(status: string): boolean {
		return this.readInFull === 'all' || this.readInFull.has(status);
	}
}
