/** Pages or records of one source that a poll reads at once. */
export const READS_AT_ONCE = 8;

/** Limits on what one poll of one source reads and keeps. Tests set them low enough to reach each. */
export interface Limits {
	/** A list of up to this many pages is read in full in every poll. */
	wholePages: number;
	/** The number of pages of all short lists of a longer one together, beyond the first page of each. */
	extraPages: number;
	/** The number of records that one poll looks up after they left their list. */
	lookups: number;
	/** The number of records in no list that one poll looks up. */
	unlistedLookups: number;
	/** The number of pages that one poll reads while the total of a long list is unexplained. */
	searchPages: number;
	/**
	 * The number of pages that one poll reads of long lists that are not known yet. At least 2, because the first of them is
	 * the last one of the poll before.
	 */
	fillPages: number;
	/** The number of existing records that the first poll emits, if it is to. */
	existing: number;
	/** The minimum number of bits of a key. */
	keyBits: number;
	/** The maximum length of the trigger's state, as n8n saves it. */
	characters: number;
}

export const LIMITS: Limits = {
	wholePages: 5,
	extraPages: 3,
	lookups: 100,
	unlistedLookups: 10,
	searchPages: 40,
	fillPages: 200,
	existing: 1_000,
	keyBits: 28,
	characters: 255_000,
};

/** Limits on what one poll of Message Received reads and keeps. Tests set them low enough to reach each. */
export interface MessageLimits {
	/** The most requests of one poll, if a window of the rate limit allows twice as many. */
	requests: number;
	/** The same while the size of a window is unknown. */
	requestsUnknown: number;
	/** The most pages of the list of chats that one poll reads. */
	listPages: number;
	/** Chats on later pages of the list are not watched, unless they are on the first page now. */
	watchedPages: number;
	/** The number of chats that are kept: more than are watched, because rows shift between pages. */
	chats: number;
	/** The number of messages whose IDs are kept. */
	ids: number;
	/** For how long these are kept, in milliseconds. */
	seenMs: number;
	/** The number of messages that the first request for a chat asks for. */
	take: number;
	/** The most requests for the messages of one chat in one poll. */
	historyPages: number;
}

export const MESSAGE_LIMITS: MessageLimits = {
	requests: 300,
	requestsUnknown: 100,
	listPages: 20,
	watchedPages: 90,
	chats: 10_000,
	ids: 3_500,
	seenMs: 2 * 3_600_000,
	take: 50,
	historyPages: 50,
};
