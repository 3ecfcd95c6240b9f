import type { INode, INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { clock } from '../../api/clock';
import { errorToReport } from '../failures';
import type { MessageLimits } from '../limits';
import { MESSAGE_LIMITS } from '../limits';
import type { Listing } from './chatList';
import { readList } from './chatList';
import type { ChatNews } from './memory';
import {
	beginPoll,
	emptyState,
	firstState,
	newsOf,
	nextState,
	recognizes,
	withListed,
} from './memory';
import { itemsOf } from './message';
import type { ChatReads } from './reads';
import { readChats } from './reads';
import { recognitionText, recognize } from './recognition';
import { selectChats } from './selection';
import type { MessageService } from './service';
import { PAGE_SIZE } from './service';
import type { MessageCheckpoint, MessageState } from './state';
import type { MessageSubscription } from './subscription';

/** Where a poll runs. */
export interface PollContext {
	node: INode;
	/** Writes a line to n8n's log. */
	log: (message: string) => void;
}

export interface MessagePollResult {
	checkpoint: MessageCheckpoint;
	items: INodeExecutionData[];
	/** To be thrown if nothing has events. */
	error?: NodeApiError | NodeOperationError;
}

/** What one poll read, and the state after it. */
interface Polled {
	/** The state before; undefined if there was none, or it belongs to another organization. */
	known: MessageState | undefined;
	listing: Listing;
	reads: ChatReads;
	news: ChatNews[];
	state: MessageState;
}

/**
 * Polls for new messages.
 *
 * @param identity what the state belongs to: a checkpoint with another scope is kept until a poll in this one is complete,
 *   and one with another token is ignored if no chat is known
 * @param saved the checkpoint of the last poll
 */
export async function pollMessages(
	service: MessageService,
	subscription: MessageSubscription,
	identity: Pick<MessageCheckpoint, 'scope' | 'token'>,
	saved: MessageCheckpoint | undefined,
	{ node, log }: PollContext,
	limits: MessageLimits = MESSAGE_LIMITS,
): Promise<MessagePollResult> {
	const before = saved?.scope === identity.scope ? saved : undefined;
	const isOtherToken = before?.token !== identity.token;
	const polled = await pollChats(service, subscription, before?.state, isOtherToken, limits).catch(
		(error: unknown) => {
			if (error instanceof NodeApiError) return error;
			throw error;
		},
	);
	if (polled instanceof NodeApiError) {
		const failures = (saved?.failures ?? 0) + 1;
		// Also one of another scope, which may come back.
		const checkpoint = { ...identity, ...saved, failures };
		return { checkpoint, items: [], error: errorToReport(polled, failures) };
	}

	const { known, listing, reads, news, state } = polled;
	const settings = recognitionText(subscription);
	const wasShown = known?.shownFor === settings;
	const messages = reads.read.flatMap((chat) => chat.messages);
	const recognition = recognize(messages, subscription, node);
	// Until it is known which messages are from customers and when they were sent, nothing counts as read.
	if (recognition.error && !wasShown)
		return {
			checkpoint: saved ?? { ...identity, failures: 0 },
			items: [],
			error: recognition.error,
		};

	report(polled, limits, log);
	const failure = listing.failure ?? reads.failure;
	const failures = failure ? (before?.failures ?? 0) + 1 : 0;
	const shownFor = wasShown || recognition.isLasting ? settings : undefined;
	return {
		checkpoint: { ...identity, failures, state: { ...state, shownFor } },
		items: byTime(news).flatMap(({ read, news: found }) => itemsOf(read.chat, found, subscription)),
		error: failure && errorToReport(failure, failures),
	};
}

/** At least as many requests are sent, however small a window of the rate limit is. */
const MIN_REQUESTS = 6;

/**
 * One poll, step by step.
 *
 * @param known the state before; undefined for the first poll
 * @param isOtherToken whether it was polled with another token
 */
async function pollChats(
	service: MessageService,
	subscription: MessageSubscription,
	known: MessageState | undefined,
	isOtherToken: boolean,
	limits: MessageLimits,
): Promise<Polled> {
	const now = clock.now();
	const most = mostRequests(service, limits);
	const listPages = Math.max(2, Math.min(limits.listPages, Math.floor(most / 4)));

	const start = known ? beginPoll(known, now) : emptyState(now);
	const listing = await readList(service, start.page, listPages, limits.watchedPages);
	if (known && isOtherToken && !recognizes(known, listing))
		return await pollChats(service, subscription, undefined, false, limits);
	const listed = withListed(start, listing, subscription, !known);
	const selection = selectChats(listing.chats, listed, most - service.requests);
	const reads = await readChats(service, selection, listed, subscription, most, limits);
	// What the first poll finds was there before.
	const news = known ? reads.read.map((chat) => newsOf(chat, listed)) : [];
	const current = known ? listed : firstState(listed, listing, reads);
	const state = nextState(current, listing, reads, news, now, limits);
	return { known, listing, reads, news, state };
}

/** Half of what a window of the rate limit allows: the other half is for everything else that uses the token. */
function mostRequests({ windowSize }: MessageService, limits: MessageLimits): number {
	const half = windowSize === undefined ? limits.requestsUnknown : Math.floor(windowSize / 2);
	return Math.max(MIN_REQUESTS, Math.min(limits.requests, half));
}

/** Chats by the time of their first new message. */
function byTime(news: readonly ChatNews[]): ChatNews[] {
	const firstTime = ({ news: [first] }: ChatNews): number => first?.time ?? 0;
	return [...news].sort((one, other) => firstTime(one) - firstTime(other));
}

/** Writes to n8n's log what delays messages, or loses them. */
function report(
	{ known, listing, reads }: Polled,
	{ watchedPages }: MessageLimits,
	log: (message: string) => void,
): void {
	const isPassOver = listing.next === 1;
	const advice = 'Filters reduce the number of chats.';
	if (listing.isTooLong && isPassOver)
		log(
			`Only the first ${watchedPages * PAGE_SIZE} chats of the list are watched for messages. ${advice}`,
		);
	if (!known && !isPassOver)
		log(
			`The list of chats is too long for one poll${listing.pages ? ` (${listing.pages} pages)` : ''}, so each poll reads the first page and some of the others. ${advice}`,
		);
	if (known && reads.read.some(({ isCut }) => isCut))
		log('A chat has more new messages than one poll reads. The oldest of them are not emitted.');
	const { skipped } = listing;
	if (skipped?.failure)
		log(
			`Page ${skipped.page} of the list of chats could not be read. It is tried again in the next reading of the list. ${skipped.failure.message}`,
		);
	const { failed, chatFailure } = reads;
	const isNew = failed.some((key) => !known?.failing.includes(key));
	if (isNew && chatFailure && !reads.failure)
		log(
			`The messages of ${failed.length === 1 ? 'one chat' : `${failed.length} chats`} could not be read. Other chats are not affected, and the trigger tries again in later polls. ${chatFailure.message}`,
		);
}
