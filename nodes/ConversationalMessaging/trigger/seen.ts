import type { ListedPage, ObservedRecord } from './sources/source';

/** Everything that one poll has seen so far. What it has not seen stays as it is known. */
export class Seen {
	/** Each record as it was last seen, by ID. */
	readonly records = new Map<string, ObservedRecord>();

	/** Records that were looked up, so that they are here in full, by ID. */
	readonly inDetail = new Set<string>();

	/** IDs of records that were deleted, or no longer match the filters. */
	readonly gone = new Set<string>();

	/** IDs of those of them that exist, but no longer match the filters. */
	readonly outOfScope = new Set<string>();

	/** The first page of each list that is read by status. */
	readonly firstPages = new Map<string, ListedPage>();

	/** Statuses whose list is too long to be read in full in every poll. */
	readonly long = new Set<string>();

	/** Statuses whose list was read in full; 'all' if the list of all records was. */
	readInFull: Set<string> | 'all' = new Set();

	/** Those of them whose reading cannot have missed a record that was there before. */
	steady: Set<string> | 'all' = new Set();

	private readonly totals = new Map<string, number>();

	/** Adds pages. Of a record that was seen before, the later page counts. */
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

	/** The number of records in a status's list, by the page that was read last; undefined if it is not known. */
	totalOf(status: string): number | undefined {
		return this.totals.get(status);
	}

	/** Whether every record of this status was seen, so that one that was not has left. */
	sawAll(status: string): boolean {
		return this.readInFull === 'all' || this.readInFull.has(status);
	}
}
