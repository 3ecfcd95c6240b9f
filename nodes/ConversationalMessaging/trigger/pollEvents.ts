import { messageOf } from '../api/access/shown';
import { forEachConcurrent } from '../api/base/concurrency';
import { clock } from '../api/base/clock';
import { type ServiceClient, CREDENTIAL } from '../api/client';
import { WINDOW_MS } from '../api/rate/rateHeaders';
import { type EventBudget, type Needs, RequestBudget } from './budget';
import type { Found, Identity } from './checkpoint';
import { nodeKeyOf } from './nodeKey';
import { digestOf } from './keys';
import { pollMessages } from './messages/poll';
import { messageService } from './messages/service';
import { NEEDED } from './messages/shares';
import { type MessageSubscription, MESSAGE_RECEIVED } from './messages/subscription';
import type { Log, PollContext } from './reports';
import { type DecodedState, type TriggerState, isEmpty } from './state';
import { checkpointBefore, pollSource } from './status/poll';
import { needsOf, requestsFor } from './status/requests';
import type { Subscription } from './status/sources/source';
import type { Subscriptions } from './subscription';

interface EventPoll extends Needs {
	/** @param budget undefined if it has to wait for another poll */
	poll: (budget: EventBudget | undefined) => Promise<EventResult>;
}

interface EventResult extends Found {
	state: Partial<TriggerState>;
}

/** What the polls of a node in this process have in common. */
export class Turns {
	readonly budget = new RequestBudget();
	/** When there was not enough for all events the last time; undefined if that is long ago. */
	shortAt?: number;
}

/**
 * Polls all events. If there is not enough for all of them, they take turns.
 *
 * In the first poll of a process, one after another, until a response shows the rate limit.
 *
 * @returns the results in the order of the events
 */
export async function pollEvents(
	client: ServiceClient,
	{ sources, messages, pollTimes }: Subscriptions,
	turns: Turns,
	before: DecodedState,
	log: Log,
): Promise<EventResult[]> {
	const { rateLimiter } = client;
	const context = { node: client.n8n.getNode(), log };
	const events = [
		...sources.map((subscription) => sourceEvent(client, subscription, before, context)),
		...(messages ? [messageEvent(client, messages, sources.length, before, context)] : []),
	];
	const isFirst = !turns.budget.hasPolled;
	const budgets = turns.budget.begin(events, () => rateLimiter.windowSize, pollTimes);
	const atOnce = () => (isFirst && rateLimiter.windowSize === undefined ? 1 : events.length);
	const results: EventResult[] = [];
	let isShort = false;
	await forEachConcurrent(events, atOnce, async (each, i) => {
		const budget = budgets.get(each.event);
		// Meanwhile, a response may have shown a lower rate limit.
		const isEnough = budget !== undefined && budget.left >= budget.needed;
		isShort ||= !isEnough && !turns.budget.isStarting;
		results[i] = await each.poll(isEnough ? budget : undefined);
	});
	reportTurns(turns, isShort, log);
	return results;
}

/** The log says that events take turns until all were polled together for so long, in milliseconds. */
const TOGETHER_MS = 10 * WINDOW_MS;

function reportTurns(turns: Turns, isShort: boolean, log: Log): void {
	const now = clock.elapsed();
	const { shortAt } = turns;
	if (isShort && shortAt === undefined)
		log.warn(
			messageOf(
				'Half of the rate limit is not enough for all events in each poll. They take turns, so some come later. Choose fewer events or poll times, or ask the operator of the service for a higher rate limit.',
			),
		);
	if (isShort) turns.shortAt = now;
	else if (shortAt !== undefined && now - shortAt > TOGETHER_MS) {
		log.info(messageOf('Half of the rate limit is enough for all events in each poll again.'));
		turns.shortAt = undefined;
	}
}

function sourceEvent(
	client: ServiceClient,
	subscription: Subscription,
	before: DecodedState,
	context: PollContext,
): EventPoll {
	const { source, scope } = subscription;
	const { event } = source;
	const saved = { saved: before.sources[event], isEmpty: isEmpty(before) };
	return {
		...needsOf(subscription, saved.saved?.memory),
		async poll(budget) {
			const identity = ownerOf(client, event, scope);
			const { checkpoint, ...found } = budget
				? await pollSource(
						requestsFor(client, source, budget),
						subscription,
						identity,
						saved,
						context,
					)
				: { checkpoint: checkpointBefore(subscription, identity, saved), items: [] };
			return { ...found, state: { sources: { [event]: checkpoint } } };
		},
	};
}

/** Messages have as much of what is left as all other events. */
const messageEvent = (
	client: ServiceClient,
	subscription: MessageSubscription,
	others: number,
	{ messages }: DecodedState,
	context: PollContext,
): EventPoll => ({
	event: MESSAGE_RECEIVED,
	needed: NEEDED,
	weight: Math.max(1, others),
	async poll(budget) {
		if (!budget) return { state: { messages }, items: [] };
		const { query } = subscription;
		const { checkpoint, ...found } = await pollMessages(
			messageService(client, query, budget),
			subscription,
			ownerOf(client, MESSAGE_RECEIVED, query),
			messages,
			context,
		);
		return { ...found, state: { messages: checkpoint } };
	},
});

/** What a checkpoint belongs to. Another token does not make it another credential. */
function ownerOf({ n8n, baseUrl, key }: ServiceClient, ...watched: unknown[]): Identity {
	const credential = [n8n.getNode().credentials?.[CREDENTIAL]?.id ?? '', baseUrl];
	return { scope: hashOf(credential, nodeKeyOf(n8n), ...watched), token: hashOf(key) };
}

/** A copied workflow contains the state of the original: what it belongs to is compared by this. */
const hashOf = (...parts: unknown[]): string => digestOf(JSON.stringify(parts));
