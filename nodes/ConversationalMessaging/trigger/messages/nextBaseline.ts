import { sentAt } from '../../api/chatMessage';
import type { MessageBaseline, TrackedChat } from './baseline';
import { isNewChat, newMessages } from './chatReads';
import { afterPoll } from './counts';
import type { ReadChat } from './evidence';
import { arrivedSince, checkOrder } from './evidence';
import type { ChatReading } from './history';
import { withShown } from './historyOrder';
import { afterPart } from './listPass';
import type { ListedChat, Listing } from './listing';
import { markOf } from './rows';
import type { PollRun } from './run';
import type { Selection } from './selection';

/** What a poll read. */
export interface Findings {
	listing: Listing;
	selection: Selection;
	read: readonly ReadChat[];
	/** When the poll began, in milliseconds since the epoch. */
	now: number;
	/** Fields that are left out of fingerprints from now on. */
	volatile: readonly string[];
	/** Whether the next poll reads other pages, if the list is read in parts. */
	isPartDone: boolean;
	/** When the poll before read the counts. */
	polledAt?: number;
}

/** The state after a poll; see `MessageBaseline`. */
export function nextBaseline(
	run: PollRun,
	baseline: MessageBaseline,
	findings: Findings,
): MessageBaseline {
	const { reads } = run;
	const { listing, selection, read, now } = findings;
	const done = new Set(read.map(({ chat }) => chat.id));
	const isDone = (id: string): boolean => done.has(id) || reads.isRejected(id);
	const isComplete =
		reads.isComplete &&
		!listing.isCut &&
		selection.left === 0 &&
		selection.chats.every(({ chat }) => isDone(chat.id));
	const chats = chatsAfter(run, baseline, findings);
	const { counts } = baseline;
	const isPending = !isComplete || listing.chats.some(({ key }) => isUnread(chats.get(key)));
	return {
		...baseline,
		...progressOf(baseline, findings, isComplete, isPending),
		latest: read.reduce((latest, { reading }) => latestIn(reading, latest), baseline.latest),
		order: checkOrder(baseline, listing, selection, read),
		histories: withShown(
			baseline.histories,
			read.map(({ reading }) => reading.shown),
		),
		again: againAfter(run, baseline, findings, isDone),
		...(counts && {
			counts: afterPoll(counts, {
				found: newMessages(read),
				recent: listing.part
					? arrivedSince(read, findings.polledAt ?? now, false)
					: arrivedSince(read, baseline.since, true),
				reads: read.length,
			}),
		}),
		chats,
	};
}

function progressOf(
	baseline: MessageBaseline,
	{ listing: { part, isWhole }, now, isPartDone: isDone }: Findings,
	isComplete: boolean,
	isPending: boolean,
): Pick<MessageBaseline, 'since' | 'isPending' | 'list'> {
	if (part) return afterPart(baseline, part.next, { now, isComplete, isPending, isDone });
	const list = isWhole ? undefined : baseline.list;
	return { since: isComplete ? now : baseline.since, isPending, list };
}

const isUnread = (chat: TrackedChat | undefined): boolean => !chat?.seen && !chat?.isRejected;

function chatsAfter(
	{ reads, subscription, limits }: PollRun,
	baseline: MessageBaseline,
	{ listing, selection, read, volatile }: Findings,
): Map<number, TrackedChat> {
	const chats = new Map(baseline.chats);
	for (const { id, key, row } of listing.chats) {
		const known = chats.get(key);
		const mark = markOf(row, volatile);
		// The first fingerprint, or one without fields that are left out from now on. A changed row keeps the former one, so
		// that it still counts as changed if its chat cannot be read.
		if (known && !selection.changed.has(key)) chats.set(key, { ...known, mark });
		if (!known?.seen && reads.isComplete && reads.isRejected(id)) {
			const seen = !known && isNewChat(subscription) ? { seen: [] } : {};
			chats.set(key, { mark, ...chats.get(key), ...seen, isRejected: true });
		}
	}
	for (const { chat, reading } of read) {
		const known = chats.get(chat.key);
		if (reading.news.length > 0) chats.delete(chat.key);
		chats.set(chat.key, { mark: markOf(chat.row, volatile), seen: seenAfter(known, reading) });
	}
	const listed = new Set(listing.chats.map(({ key }) => key));
	// A chat that is missing may be on a page that was not read, or have shifted to one that was read before it, so it is
	// dropped only to make room.
	for (const key of chats.keys())
		if (!listed.has(key) && chats.size > limits.chats) chats.delete(key);
	return chats;
}

/** A history that is empty now keeps what was known: otherwise everything in it would be new when it returns. */
function seenAfter(known: TrackedChat | undefined, { seen }: ChatReading): readonly number[] {
	return seen.length === 0 && known?.seen ? known.seen : seen;
}

/** Keys of the chats to read once more; none if chats are read in turn, because each is then read again anyway. */
function againAfter(
	{ reads, limits }: PollRun,
	{ again, method, chats }: MessageBaseline,
	{ listing, selection, read }: Findings,
	isDone: (id: string) => boolean,
): number[] {
	if (method === 'turns') return [];
	const withNews = new Set(
		read.filter(({ reading }) => reading.news.length > 0).map(({ chat }) => chat.key),
	);
	const quiet = selection.chats.filter(
		({ chat, reason }) =>
			(reason === 'new' || reason === 'changed') && isDone(chat.id) && !withNews.has(chat.key),
	);
	// A chat for which the service failed may still have a message that its row does not show anymore. One that was never
	// read has its turn.
	const isSettled = ({ id, key }: ListedChat): boolean =>
		isDone(id) && (!reads.isSuspect(id) || chats.get(key)?.isRejected === true);
	const done = new Set(listing.chats.filter(isSettled).map(({ key }) => key));
	const listed = new Set(listing.chats.map(({ key }) => key));
	const left = again.filter((key) => !done.has(key) && (listed.has(key) || !listing.isWhole));
	return [...new Set([...left, ...quiet.map(({ chat }) => chat.key)])].slice(-limits.again);
}

const latestIn = ({ messages }: ChatReading, latest: number): number =>
	messages.reduce((found, message) => Math.max(found, sentAt(message) ?? 0), latest);
