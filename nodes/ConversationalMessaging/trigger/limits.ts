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

/** Limits on what Message Received reads and keeps. Tests set them low enough to reach each. */
export interface MessageLimits {
	/** The most requests in a minute, if the rate limit allows twice as many. */
	requests: number;
	/** The same while the rate limit is unknown. */
	requestsUnknown: number;
	/** Pages of the list of chats in a minute, beyond the first. */
	listPages: number;
	/** Chats on later pages of the list are not watched, unless they are on the first page now. */
	watchedPages: number;
	/** The number of chats that are kept: more than are watched, because rows shift between pages. */
	chats: number;
	/** Chats with unchanged rows in a minute, if rows show new messages; otherwise a third of the rate limit. */
	quiet: number;
	/** Chats that could not be read and are tried in a minute. */
	failing: number;
	/** The number of messages that the first request for a chat asks for. */
	take: number;
	/** The most requests for the messages of one chat in one poll. */
	historyPages: number;
}

export const MESSAGE_LIMITS: MessageLimits = {
	requests: 300,
	requestsUnknown: 100,
	listPages: 10,
	watchedPages: 50,
	chats: 6_000,
	quiet: 5,
	failing: 10,
	take: 50,
	historyPages: 50,
};
