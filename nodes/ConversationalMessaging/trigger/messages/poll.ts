import type { INode, INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { sentAt } from '../../api/chatMessage';
import { errorToReport } from '../failures';
import type { MessageCheckpoint } from './checkpoint';
import { compareWithService } from './compare';
import type { ReadChat } from './evidence';
import { takeBaseline } from './firstPoll';
import type { ChatNews } from './items';
import { directionText, itemsOf, shownDirections } from './items';
import type { MessageLimits } from './limits';
import { MESSAGE_LIMITS } from './limits';
import { Reads } from './reads';
import type { Compared, PollRun } from './run';
import type { MessageService } from './service';
import type { MessageSubscription } from './subscription';
import { directionError, unreadableChats } from './texts';

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

/**
 * Polls for new messages.
 *
 * @param scope what the baseline belongs to: a checkpoint with another scope is ignored, and a new baseline is taken
 * @param saved the checkpoint of the last poll
 */
export async function pollMessages(
	service: MessageService,
	subscription: MessageSubscription,
	scope: string,
	saved: MessageCheckpoint | undefined,
	context: PollContext,
	limits: MessageLimits = MESSAGE_LIMITS,
): Promise<MessagePollResult> {
	const before = saved?.scope === scope ? saved : undefined;
	const reads = new Reads(service, limits);
	const run: PollRun = { reads, subscription, limits, log: context.log };
	const known = before?.baseline;
	const polling = known ? compareWithService(run, known) : takeBaseline(run);
	const { baseline, read, rejection } = await polling.catch((error: unknown): Compared => {
		if (!(error instanceof NodeApiError)) throw error;
		return { baseline: known, read: [], rejection: error };
	});
	const failure = rejection ?? reads.failure;
	const { unreadable } = reads;
	if (unreadable) context.log(unreadableChats(unreadable.chats, unreadable.reason.message));
	const failures = failure ? (before?.failures ?? 0) + 1 : 0;
	const setting = directionText(subscription);
	const wasShown = known?.shownFor === setting;
	const shown = shownDirections(
		read.map(({ chat, reading }) => ({ chat, messages: reading.messages })),
		subscription,
	);
	const shownFor = wasShown || shown.isLasting ? setting : undefined;
	// Until it is known which messages are from customers, nothing is emitted, and nothing counts as read.
	if (subscription.from === 'customers' && shown.example && !wasShown && !shown.isShown) {
		const error = directionError(context.node, shown.example, shown, subscription.direction);
		return { checkpoint: before ?? { scope, failures }, items: [], error };
	}
	return {
		checkpoint: { scope, failures, baseline: baseline && { ...baseline, shownFor } },
		// What the first poll finds was there before.
		items: known ? newsOf(read).flatMap((one) => itemsOf(one, subscription)) : [],
		error: failure && errorToReport(failure, failures),
	};
}

/** The new messages of each chat, by the time of the first one. */
function newsOf(read: readonly ReadChat[]): ChatNews[] {
	const firstTime = ({ news }: ChatNews): number => (news[0] && sentAt(news[0])) ?? 0;
	return read
		.map(({ chat, reading }) => ({ chat, news: reading.news }))
		.sort((one, other) => firstTime(one) - firstTime(other));
}
