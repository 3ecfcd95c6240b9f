import { shown } from '../../api/access/shown';
import type { MessageLimits } from '../limits';
import type { Reports } from '../reports';
import type { Listing } from './chatList';
import type { ChatReads } from './reads';
import { PAGE_SIZE } from './service';
import type { MessageState } from './state';
import type { MessageSubscription } from './subscription';
import { mayBeginToMatch } from './subscription';

const ADVICE = 'Filters reduce the number of chats.';

const NO_CLOCK =
	'The times of messages cannot be compared with n8n’s clock: responses have no Date header, or the times have no offset.';

/**
 * Writes to n8n's log what delays messages, or loses them.
 *
 * @param known the state before; undefined for the first poll
 * @param state the state after the poll
 */
export function reportPoll(
	reports: Reports,
	known: MessageState | undefined,
	listing: Listing,
	reads: ChatReads,
	state: MessageState,
	subscription: MessageSubscription,
	{ watchedPages }: MessageLimits,
): void {
	reportList(reports, known, listing, watchedPages);
	const { failed, chatFailure } = reads;
	if (reads.failure) reportFailure(reports, reads.failure);
	else reports.ends('poll');
	if (failed.length > 0 && chatFailure && !reads.failure)
		reports.begins(
			'chats',
			shown`The messages of ${failed.length === 1 ? 'one chat' : `${failed.length} chats`} could not be read. Other chats are not affected, and the trigger tries again in later polls. ${chatFailure.message}`,
			'The messages of all chats can be read again.',
		);
	else if (state.failing.length === 0) reports.ends('chats');
	const isUnread = [...state.chats.values()].some(({ readTo }) => readTo === Infinity);
	if (isUnread && !state.clocksAgree)
		reports.begins(
			'clocks',
			`Not all chats have been read yet. ${NO_CLOCK} Until a chat has been read for the first time, its messages are not emitted.`,
			'All chats have been read once.',
		);
	else reports.ends('clocks');
	const isDecided = known?.clocksAgree === undefined && state.clocksAgree === false;
	if (isDecided && mayBeginToMatch(subscription))
		reports.once(
			`${NO_CLOCK} A chat that begins to match the filters also emits its messages of about the last day.`,
		);
	if (known && reads.read.some(({ isCut }) => isCut))
		reports.once(
			'A chat has more new messages than one poll reads. The oldest of them are not emitted.',
		);
}

/** A poll that could not read the list of chats, or no messages. */
export function reportFailure(reports: Reports, failure: Error): void {
	reports.begins(
		'poll',
		shown`Not all chats could be read, so messages are emitted later. ${failure.message}`,
		'All chats could be read again.',
	);
}

function reportList(
	reports: Reports,
	known: MessageState | undefined,
	{ chats, next, pages, isTooLong, failure, skipped }: Listing,
	watchedPages: number,
): void {
	const isPassOver = next === 1;
	if (isTooLong && isPassOver)
		reports.begins(
			'length',
			shown`Only the first ${watchedPages * PAGE_SIZE} chats of the list are watched for messages. ${ADVICE}`,
			'All chats of the list are watched for messages.',
		);
	else if (!isTooLong) reports.ends('length');
	if (!isPassOver && !failure)
		reports.begins(
			'parts',
			shown`The list of chats is too long for one poll${pages ? ` (${pages} pages)` : ''}, so each poll reads the first page and some of the others. ${ADVICE}`,
			'Each poll reads the whole list of chats.',
		);
	else if (isPassOver && (known?.page ?? 1) === 1) reports.ends('parts');
	for (const page of new Set(chats.map((chat) => chat.page))) reports.ends(`page ${page}`);
	for (let page = (pages ?? watchedPages) + 1; page <= watchedPages; page++)
		reports.ends(`page ${page}`);
	const unread = failure ? [...skipped, { page: next, failure }] : skipped;
	for (const each of unread)
		reports.begins(
			`page ${each.page}`,
			shown`Page ${each.page} of the list of chats could not be read. Messages of the chats on it are emitted once the service returns it. ${each.failure?.message ?? 'It is empty, although the list has more pages.'}`,
			shown`Page ${each.page} of the list of chats could be read again.`,
		);
}
