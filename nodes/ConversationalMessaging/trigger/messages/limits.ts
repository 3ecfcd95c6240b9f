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
	/** The number of messages whose IDs are remembered, in each of two generations. */
	ids: number;
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
	ids: 2_000,
	take: 50,
	historyPages: 50,
};
