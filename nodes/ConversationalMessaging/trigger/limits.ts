/** Pages or records of one source that a poll reads at once. */
export const READS_AT_ONCE = 8;

/** The most characters of the trigger's state, for all of its events together, as n8n saves it. */
export const STATE_CHARACTERS = 255_000;

/** Limits on what one poll of one source reads, within its budget. Tests set them low enough to reach each. */
export const LIMITS = {
	/** The pages of all lists that are read in full, beyond the first page of each: this many, … */
	wholePages: 3,
	/** … or a tenth of all pages, up to this many. */
	mostWholePages: 7,
	/**
	 * The number of pages of longer lists that one poll reads because their number of records has changed; as many more as records
	 * are to be looked up otherwise.
	 */
	changedPages: 20,
	/** The most pages of long lists that one poll reads at the cursor, … */
	cursorPages: 10,
	/** … which comes to each page once in this many polls. */
	cursorPolls: 11,
	/** Lists that are not known yet are read in full in the first polls and, if a page of them cannot be read, once in so many. */
	fillEvery: 30,
	/** The number of existing records that the first poll emits, if it is to. */
	existing: 1_000,
};

export type Limits = typeof LIMITS;

/** Limits on what Message Received reads, within its budget, and keeps. Tests set them low enough to reach each. */
export const MESSAGE_LIMITS = {
	/** Pages of the list of chats in a minute, beyond the first. */
	listPages: 10,
	/** Chats on later pages of the list are not watched, unless they are on the first page now. */
	watchedPages: 50,
	/** The number of chats that are kept: more than are watched, because rows shift between pages. */
	chats: 6_000,
	/** Of how many of them, those with the newest messages, four are remembered instead of two. */
	active: 1_500,
	/** Chats with unchanged rows in a minute, if rows show new messages; otherwise two thirds of the budget. */
	quiet: 5,
	/** Chats that could not be read and are tried in a minute. */
	failing: 10,
	/** The number of messages that the first request for a chat asks for. */
	take: 50,
	/** The most requests for the messages of one chat in one poll. */
	historyPages: 50,
};

export type MessageLimits = typeof MESSAGE_LIMITS;
