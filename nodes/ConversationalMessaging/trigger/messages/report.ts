import { shown } from '../../api/access/shown';
import type { MessageLimits } from '../limits';
import type { Reports } from '../reports';
import type { Listing } from './chatList';
import { type Memory, FAILED } from './memory';
import type { Message } from './message';
import type { ChatReads, ReadChat } from './reads';

/** A chat that was read, and its new messages in both directions, newest first. */
export interface ChatNews {
	read: ReadChat;
	fresh: Message[];
}

/** What one poll read, and the memory after it. */
export interface Polled {
	/** The memory before; undefined if there was none, or it belongs to another organization. */
	known: Memory | undefined;
	listing: Listing;
	reads: ChatReads;
	news: ChatNews[];
	/** Whether a chat had a new message behind an unchanged row. */
	isSilent: boolean;
	memory: Memory;
}

/** Something could not be read. */
export function reportFailure(reports: Reports, failure: Error): void {
	reports.begins(
		'poll',
		shown`Not all chats could be read, so messages are emitted later. ${failure.message}`,
		'All chats could be read again.',
	);
}

/** Writes to n8n's log what delays messages, or loses them. */
export function reportPoll(
	reports: Reports,
	{ known, listing, reads, memory, isSilent }: Polled,
	{ chats: mostChats }: MessageLimits,
): void {
	const failure = listing.failure ?? listing.skipped[0] ?? reads.failure;
	// Chats that are not listed any more are kept as long as there is room.
	const listed = [...memory.chats.values()].filter(({ unseen }) => unseen <= 1);
	const isFailing = listed.some(({ mark }) => mark === FAILED);
	if (failure) reportFailure(reports, failure);
	else if (listing.isOver && listing.isWhole && !isFailing) reports.ends('poll');

	if (listing.isTooLong || listed.length >= mostChats)
		reports.begins(
			'length',
			shown`Only the first ${Math.min(mostChats, listing.watched)} chats of the list are watched for messages. Filters reduce the number of chats.`,
			'All chats of the list are watched for messages.',
		);
	else if (listing.isOver) reports.ends('length');

	if (isSilent)
		reports.begins(
			'rows',
			'The list of chats does not show all new messages, so more chats are read in rotation, and messages can be emitted later.',
			'The list of chats shows new messages.',
		);
	else if (memory.rowsShow) reports.ends('rows');

	if (listing.isUnfiltered)
		reports.begins(
			'filters',
			'The list of chats contains chats that do not match the filters. Their messages are not emitted.',
			'All chats of the list match the filters.',
		);
	else if (listing.isOver && listing.isWhole) reports.ends('filters');

	if (known && reads.read.some(({ isCut }) => isCut))
		reports.once(
			'A chat has more new messages than one poll reads. The oldest of them are not emitted.',
		);
}
