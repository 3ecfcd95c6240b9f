/** Pages or records of one source that a poll reads at once. */
export const READS_AT_ONCE = 8;

/** The most characters of the trigger's state, for all of its events together, as n8n saves it. */
export const STATE_CHARACTERS = 255_000;

/** Limits on what one poll of one source reads. Tests set them low enough to reach each. */
export interface Limits {
	/** The pages of all lists that are read in full, beyond the first page of each: this many, … */
	wholePages: number;
	/** … or a tenth of all pages, up to this many. */
	mostWholePages: number;
	/** The number of records that one poll looks up after they left their list. */
	lookups: number;
	/** The number of pages of longer lists that one poll reads because their number of records has changed. */
	changedPages: number;
	/** The most pages of long lists that one poll reads at the cursor, … */
	cursorPages: number;
	/** … which comes to each page once in this many polls. */
	cursorPolls: number;
	/** The number of pages of lists that are not known yet, in the first polls and, if one of these cannot be read, … */
	fillPages: number;
	/** … once in this many polls. */
	fillEvery: number;
	/** The number of existing records that the first poll emits, if it is to. */
	existing: number;
}

export const LIMITS: Limits = {
	wholePages: 3,
	mostWholePages: 7,
	lookups: 100,
	changedPages: 20,
	cursorPages: 10,
	cursorPolls: 11,
	fillPages: 200,
	fillEvery: 30,
	existing: 1_000,
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
