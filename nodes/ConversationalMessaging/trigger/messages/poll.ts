import type { INode, INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import { errorToReport } from '../failures';
import type { MessageLimits } from '../limits';
import { MESSAGE_LIMITS } from '../limits';
import type { Log } from '../reports';
import { Reports } from '../reports';
import type { Listing } from './chatList';
import { readChatList } from './chatList';
import type { ChatNews } from './memory';
import {
	beginPoll,
	emptyState,
	newsOf,
	nextState,
	recognizes,
	toRead,
	withClocks,
	withListed,
} from './memory';
import { itemsOf } from './message';
import type { ChatReads } from './reads';
import { readChats } from './reads';
import { recognitionText, recognize } from './recognition';
import { reportFailure, reportPoll } from './report';
import { selectChats } from './selection';
import type { MessageService } from './service';
import type { MessageCheckpoint, MessageState } from './state';
import type { MessageSubscription } from './subscription';

/** Where a poll runs. */
interface PollContext {
	node: INode;
	log: Log;
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
 * @param identity what the state belongs to: a checkpoint with another scope is kept until a poll in this one could read the
 *   first page of its chats, and one with another token is ignored if no chat is known
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
	const reports = new Reports(log, saved?.reported);
	const isOtherToken = before?.token !== identity.token;
	const polled = await pollChats(service, subscription, before?.state, isOtherToken, limits).catch(
		(error: unknown) => {
			if (error instanceof NodeApiError) return error;
			throw error;
		},
	);
	if (polled instanceof NodeApiError) {
		const failures = (saved?.failures ?? 0) + 1;
		reportFailure(reports, polled);
		// Also one of another scope, which may come back.
		const checkpoint = { ...identity, ...saved, failures, reported: reports.reported };
		return { checkpoint, items: [], error: errorToReport(polled, failures) };
	}

	const { known, listing, reads, news, state } = polled;
	const settings = recognitionText(subscription);
	const wasShown = known?.shownFor === settings;
	const messages = reads.read.flatMap((chat) => chat.messages);
	const isPublishing = !known || (known.shownFor !== undefined && !wasShown);
	const recognition = recognize(messages, subscription, node, isPublishing);
	// Until it is known which messages are from customers and when they were sent, nothing counts as read.
	if (recognition.error && !wasShown)
		return {
			checkpoint: saved ?? { ...identity, failures: 0 },
			items: [],
			error: recognition.error,
		};

	if (saved?.state && !known)
		reports.once(
			'The trigger starts over with the messages, because its filters, its credential or the organization has changed. Messages before this poll are not emitted.',
		);
	reportPoll(reports, known, listing, reads, state, subscription, limits);
	const failure = listing.failure ?? reads.failure;
	const failures = failure ? (before?.failures ?? 0) + 1 : 0;
	const shownFor = wasShown || recognition.isLasting ? settings : undefined;
	return {
		checkpoint: {
			...identity,
			failures,
			reported: reports.reported,
			state: { ...state, shownFor },
		},
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
	const most = mostRequests(service, limits);
	const listPages = Math.max(2, Math.min(limits.listPages, Math.floor(most / 4)));

	const listing = await readChatList(service, known?.page ?? 1, listPages, limits.watchedPages);
	if (known && isOtherToken && !recognizes(known, listing))
		return await pollChats(service, subscription, undefined, false, limits);
	const now = listing.sentAt ?? clock.now();
	const start = known ? beginPoll(known, now) : emptyState(now);
	const listed = withListed(start, listing, subscription, !known);
	const selection = selectChats(listing.chats, listed, most - service.requests);
	// If this machine's clock was set back, the messages since are not ahead.
	const latest = Math.max(now, 1_000 * Math.max(listed.start, ...listed.seen.values()));
	const reads = await readChats(
		service,
		selection,
		toRead(listed, listing),
		latest,
		subscription,
		most,
		limits,
	);
	// What the first poll finds was there before.
	const current = withClocks(listed, listing, reads, subscription);
	const news = known ? reads.read.map((chat) => newsOf(chat, current)) : [];
	const state = nextState(current, listing, reads, news, now, limits);
	return { known, listing, reads, news, state };
}

/** Half of a window of the rate limit. The other half is for everything else that uses the token. */
function mostRequests({ windowSize }: MessageService, limits: MessageLimits): number {
	const half = windowSize === undefined ? limits.requestsUnknown : Math.floor(windowSize / 2);
	return Math.max(MIN_REQUESTS, Math.min(limits.requests, half));
}

/** Chats by the time of their first new message. */
function byTime(news: readonly ChatNews[]): ChatNews[] {
	const firstTime = ({ news: [first] }: ChatNews): number => first?.time ?? 0;
	return [...news].sort((one, other) => firstTime(one) - firstTime(other));
}
