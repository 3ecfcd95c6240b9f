/** Limits on what one poll of Message Received reads and keeps. Tests set them low enough to reach each. */
export interface MessageLimits {
	/** The number of pages of the list of chats that are read. Chats on later pages are not watched. */
	listPages: number;
	/** The number of chats whose messages one poll reads, if a window of the rate limit allows twice as many. */
	reads: number;
	/** The same while the size of a window is unknown. */
	readsUnknown: number;
	/** After this time, in milliseconds, a poll reads no more chats in turn: n8n limits the time of a poll. */
	inTurnMs: number;
	/** The number of quiet chats that a poll reads although their rows say that they have no news. */
	audits: number;
	/** With more channels, reading their counts costs more than it saves. */
	channels: number;
	/** Polls in which something was observed before it is relied on: counts, the order of the list. */
	proofs: number;
	/** Polls in a row whose rows change without news before rows are not relied on anymore. */
	idlePolls: number;
	/** Every how many polls everything is read, although the counts have not changed. */
	checkEvery: number;
	/** The number of chats that are kept. */
	chats: number;
	/** The number of chats with recent messages of which several messages are kept, not only the newest. */
	recentChats: number;
	/** The number of messages of a chat that one request returns at first. */
	take: number;
	/** The most chats that are read once more: if more rows change without a new message, it is not stored late. */
	again: number;
}

export const MESSAGE_LIMITS: MessageLimits = {
	listPages: 120,
	reads: 300,
	readsUnknown: 100,
	inTurnMs: 20_000,
	audits: 2,
	channels: 10,
	proofs: 3,
	idlePolls: 3,
	checkEvery: 10,
	chats: 12_000,
	recentChats: 500,
	take: 20,
	again: 50,
};

/** The number of messages of a chat by which the next poll recognizes what is new: one of them may be deleted. */
export const ANCHORS = 3;

/**
 * How far the time of a message in a chat that was not known may lie before the previous poll, in milliseconds: the
 * clocks of the service and of this machine differ.
 */
export const CLOCK_MARGIN_MS = 120_000;

/** The number of chats that are read for a test event. */
export const TEST_EVENT_CHATS = 10;
