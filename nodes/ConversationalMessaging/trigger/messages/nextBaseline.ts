import { sentAt } from '../../api/chatMessage';
import type { MessageBaseline, TrackedChat } from './baseline';
import { newMessages } from './chatReads';
import { afterPoll } from './counts';
import type { ReadChat } from './evidence';
import { arrivedSince, checkOrder } from './evidence';
import type { ChatReading } from './history';
import type { MessageLimits } from './limits';
import type { Listing } from './listing';
import { markOf } from './rows';
import type { Selection } from './selection';

/** The state after a poll; see `MessageBaseline`. */
export function nextBaseline(
	baseline: MessageBaseline,
	poll: {
		listing: Listing;
		selection: Selection;
		read: readonly ReadChat[];
		now: number;
		volatile: readonly string[];
		isFailed: boolean;
	},
	limits: MessageLimits,
): MessageBaseline {
	const { listing, selection, read, now, volatile, isFailed } = poll;
	const chats = new Map(baseline.chats);
	const listed = new Set(listing.chats.map(({ key }) => key));
	for (const { key, row } of listing.chats) {
		const known = chats.get(key);
		// Fields are left out of fingerprints from now on, or it is the first one. A changed row stays changed.
		if (known && !selection.changed.has(key))
			chats.set(key, { ...known, mark: markOf(row, volatile) });
	}
	for (const { chat, reading } of read) {
		const known = chats.get(chat.key);
		if (reading.news.length > 0) chats.delete(chat.key);
		chats.set(chat.key, { mark: markOf(chat.row, volatile), seen: seenAfter(known, reading) });
	}
	// A chat that is missing once may only have shifted to a page that was read before.
	if (listing.isWhole)
		for (const key of chats.keys())
			if (!listed.has(key) && chats.size > limits.chats) chats.delete(key);
	const isComplete = !isFailed && selection.left === 0;
	const { counts } = baseline;
	return {
		...baseline,
		since: isComplete ? now : baseline.since,
		latest: read.reduce((latest, { reading }) => latestIn(reading, latest), baseline.latest),
		order: checkOrder(baseline, listing, selection, read),
		...(counts && {
			counts: afterPoll(counts, {
				found: newMessages(read),
				recent: arrivedSince(read, baseline.since),
				reads: read.length,
			}),
		}),
		isPending: !isComplete || listing.chats.some(({ key }) => !chats.get(key)?.seen),
		chats,
	};
}

/** A history that is empty now keeps what was known: otherwise everything in it would be new when it returns. */
function seenAfter(known: TrackedChat | undefined, { seen }: ChatReading): readonly number[] {
	return seen.length === 0 && known?.seen ? known.seen : seen;
}

const latestIn = ({ messages }: ChatReading, latest: number): number =>
	messages.reduce((found, message) => Math.max(found, sentAt(message) ?? 0), latest);
