/** How much one poll of one source reads and what is kept, so that tests can make histories that reach every bound. */
export interface Limits {
	/** A list of up to this many pages is read whole in every poll. */
	wholePages: number;
	/** How many pages all short lists of a longer one may have in all, beyond the first page of each. */
	extraPages: number;
	/** How many records that left their list one poll looks up. The others stay in doubt until the next one. */
	lookups: number;
	/** How many records one poll looks up of those that no list shows. */
	unlistedLookups: number;
	/** How many pages one poll reads in search of what the totals say is there. */
	searchPages: number;
	/** How many pages one poll reads to get to know a long list. */
	backfillPages: number;
	/** How many records of a list are read to get to know it. */
	backfillRecords: number;
	/** How many rows lie between two records whose rank in a long list is kept. */
	markEvery: number;
	/**
	 * How many bits a key keeps at least, beyond those that number the records: with ten, one of a thousand new records
	 * has the key of another.
	 */
	spareKeyBits: number;
	/** How many of the records that changed last are dropped from the baseline after all others. */
	recentRecords: number;
	/** The longest checkpoint, in characters; all are ASCII. With the text's quotes escaped it stays below 256 KB. */
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
