/** Pages or records of one source that a poll reads at once. */
export const READS_AT_ONCE = 8;

/** Limits on what one poll of one source reads and keeps. Tests set them low enough to reach each. */
export interface Limits {
	/** A list of up to this many pages is read completely in every poll. */
	wholePages: number;
	/** The total number of pages of all short lists of a longer one, beyond the first page of each. */
	extraPages: number;
	/**
	 * The number of records that one poll looks up after they left their list. The others stay unresolved until the
	 * next poll.
	 */
	lookups: number;
	/** The number of records in no list that one poll looks up. */
	unlistedLookups: number;
	/** The number of pages that one poll reads to search for records that the totals imply. */
	searchPages: number;
	/** The number of pages of a backfill that one poll reads. */
	backfillPages: number;
	/** The number of records that a backfill reads. */
	backfillRecords: number;
	/** The number of rows between two marks, records whose rank in a long list is kept. */
	markEvery: number;
	/**
	 * The minimum number of bits of a key, beyond those needed to number the records: with ten, one in a thousand new
	 * records has another's key.
	 */
	spareKeyBits: number;
	/** The number of most recently changed records that are dropped last. */
	recentRecords: number;
	/** The maximum length of a checkpoint, in ASCII characters. With its quotes escaped, it stays below 256 KB. */
	characters: number;
}

export const LIMITS: Limits = {
	wholePages: 5,
	extraPages: 4,
	lookups: 100,
	unlistedLookups: 10,
	searchPages: 60,
	backfillPages: 200,
	backfillRecords: 150_000,
	markEvery: 100,
	spareKeyBits: 10,
	recentRecords: 2_000,
	characters: 255_000,
};
