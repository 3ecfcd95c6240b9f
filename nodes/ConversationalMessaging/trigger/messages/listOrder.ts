/**
 * Whether chats with news lead the list, so that the list need not be read beyond the first quiet one. The document
 * shows no order (API document, `GET /chats`). A list by creation looks the same as long as only new chats have news, or
 * the one at its head. So what counts is that a chat that was not new took the lead from another one.
 */
export interface OrderEvidence {
	/** How often chats with news have taken the lead, without exception. */
	proofs: number;
	/** The key of the chat at the head of the list; 0 if unknown. */
	head: number;
}

export const NO_ORDER: OrderEvidence = { proofs: 0, head: 0 };

/** What one reading of the whole list showed. */
export interface ListReading {
	/** The keys of the chats, in the order of the list. */
	keys: readonly number[];
	/** Those whose rows changed, or are new. */
	changed: ReadonlySet<number>;
	/** Those with news. */
	withNews: ReadonlySet<number>;
	/** Those that were in the list before. */
	known: ReadonlyMap<number, unknown>;
}

/** The evidence after a poll that read the whole list. */
export function afterListing(
	before: OrderEvidence,
	{ keys, changed, withNews, known }: ListReading,
): OrderEvidence {
	const head = keys[0] ?? 0;
	const last = keys.reduce((found, key, i) => (withNews.has(key) ? i : found), -1);
	const isLed = keys.every((key, i) => i > last || changed.has(key));
	if (!isLed) return { proofs: 0, head };
	const isTaken =
		before.head !== 0 && !changed.has(before.head) && [...withNews].some((key) => known.has(key));
	return { proofs: before.proofs + (isTaken ? 1 : 0), head };
}
