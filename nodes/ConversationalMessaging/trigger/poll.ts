import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { messageOf, shown } from '../api/access/shown';
import { clock } from '../api/base/clock';
import type { ServiceClient, N8nFunctions } from '../api/client';
import { createClient, CREDENTIAL } from '../api/client';
import { digestOf } from './keys';
import type { StaticData } from './latest';
import { LatestStates } from './latest';
import type { MessagePollResult } from './messages/poll';
import { pollMessages } from './messages/poll';
import { messageService } from './messages/service';
import type { MessageSubscription } from './messages/subscription';
import { invalid } from '../api/errors';
import { MESSAGE_RECEIVED } from './messages/subscription';
import { newestMessage, noMessage } from './messages/testEvent';
import type { Log } from './reports';
import { logOf } from './reports';
import type { DecodedState, TriggerState } from './state';
import { decode, encode, isEmpty } from './state';
import type { PollResult } from './status/poll';
import { pollSource } from './status/poll';
import { requestsFor } from './status/requests';
import type { Identity } from './status/saved';
import type { Subscription } from './status/sources/source';
import { newestRecord, nothingFound } from './status/testEvent';
import type { Subscriptions } from './subscription';
import { readSubscriptions } from './subscription';

/** What is left of a poll's time after the longest wait, in milliseconds. Also the time limit of "Fetch Test Event". */
export const READING_MS = 45_000;

/**
 * How long a poll may wait for the rate limit: a window of 60 seconds, and some more, because its end is reported in whole
 * seconds. With a poll every minute, each poll begins at the same moment of a window. If others have used up the window by
 * then, a poll that does not wait for the next one fails again and again.
 */
export const RATE_LIMIT_WAIT_MS = 65_000;

/** "Fetch Test Event" has a user who waits: it is better to say when to try again. */
const TEST_EVENT_MAX_WAIT_MS = 2_000;

/** Of all nodes: what n8n brings back may be older. */
const latestStates = new LatestStates();

/** A running poll. It may emit and save its state as long as it is its node's latest. */
interface RunningPoll {
	/** When its time is up, on `clock.elapsed`. */
	deadline: number;
	isLatest: () => boolean;
}

/** The latest running poll of a node, by workflow and node: n8n starts the next one whether or not the last one has ended. */
const runningPolls = new Map<string, RunningPoll>();

/**
 * One poll of the trigger.
 *
 * @returns the events; null if there are none, or if another poll is still running, or has taken over
 * @throws NodeApiError for a permanent rejection at once, for a transient failure after several polls in a row. As
 *   long as there are events, they are returned instead
 * @throws NodeOperationError if the parameters or the credential are invalid
 */
export async function poll(n8n: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const subscriptions = readSubscriptions(n8n);
	if (n8n.getMode() === 'manual') return [await testEvents(n8n, subscriptions)];
	const key = identityOf(n8n);
	const last = runningPolls.get(key);
	const now = clock.elapsed();
	if (last && now < last.deadline) return null;
	if (last) logOf(n8n).warn(messageOf(TAKES_OVER));
	const running: RunningPoll = {
		deadline: now + budgetOf(n8n),
		isLatest: () => runningPolls.get(key) === running,
	};
	runningPolls.set(key, running);
	try {
		return await pollAll(n8n, subscriptions, running);
	} finally {
		if (running.isLatest()) runningPolls.delete(key);
	}
}

/** All requests of a poll end with its time, so this is for n8n itself, such as a credential store that hangs. */
const TAKES_OVER =
	'The last poll has not ended within its time. This poll takes over from the saved state, and the last one emits nothing. If this happens again, check how n8n reads its credentials, and how busy it is.';

const UNREADABLE_STATE =
	'The saved state of the trigger cannot be read, because it is damaged or from another version of the package. The trigger starts over: what changed since the last poll is not emitted.';

async function pollAll(
	n8n: IPollFunctions,
	subscriptions: Subscriptions,
	{ deadline, isLatest }: RunningPoll,
): Promise<INodeExecutionData[][] | null> {
	const budget = budgetOf(n8n);
	const client = await createClient(n8n, {
		priority: 'urgent',
		// When the next window begins, a poll that waits comes before bulk work.
		maxRateLimitWaitMs: Math.max(budget - READING_MS, budget / 2),
		deadline,
	});
	const node = identityOf(n8n);
	const { name } = n8n.getNode();
	const data = n8n.getWorkflowStaticData('node') as StaticData;
	const state = latestStates.recall(node, name, data);
	const before = decode(state);
	const log = logOf(n8n);
	if (before.isUnreadable) log.warn(messageOf(UNREADABLE_STATE));
	const [results, messages] = await Promise.all([
		pollSources(client, subscriptions.sources, before, log),
		subscriptions.messages &&
			pollMessageSubscription(client, subscriptions.messages, before.messages, log),
	]);

	if (!isLatest()) return null;
	// Last, at once, and as one text: a failure before this loses nothing and repeats nothing.
	const sources = Object.fromEntries(results.map(({ event, checkpoint }) => [event, checkpoint]));
	const after = encode({ sources, messages: messages?.checkpoint });
	const all = messages ? [...results, messages] : results;
	const items = all.flatMap((result) => result.items);
	const hasEvents = items.length > 0;
	latestStates.keep(node, name, data, { before: state, after, hasEvents });
	if (hasEvents) return [items];
	const error = all.map((result) => result.error).find(Boolean);
	if (error) throw error;
	return null;
}

async function pollSources(
	client: ServiceClient,
	subscriptions: Subscription[],
	before: DecodedState,
	log: Log,
): Promise<(PollResult & { event: string })[]> {
	return await Promise.all(
		subscriptions.map(async (subscription) => {
			const { source, scope } = subscription;
			const identity = ownerOf(client, source.event, scope);
			const result = await pollSource(
				requestsFor(client, source),
				subscription,
				identity,
				{ saved: before.sources[source.event], isEmpty: isEmpty(before) },
				{ node: client.n8n.getNode(), log },
			);
			return { event: source.event, ...result };
		}),
	);
}

async function pollMessageSubscription(
	client: ServiceClient,
	subscription: MessageSubscription,
	before: TriggerState['messages'],
	log: Log,
): Promise<MessagePollResult> {
	const { n8n } = client;
	const { query, from } = subscription;
	const service = messageService(client, query);
	const identity = ownerOf(client, MESSAGE_RECEIVED, query, from);
	return await pollMessages(service, subscription, identity, before, {
		node: n8n.getNode(),
		log,
	});
}

/** "Fetch Test Event": the newest record of each source in the form of an event. Nothing is saved. */
async function testEvents(
	n8n: IPollFunctions,
	{ sources, messages }: Subscriptions,
): Promise<INodeExecutionData[]> {
	const client = await createClient(n8n, {
		priority: 'urgent',
		maxRateLimitWaitMs: TEST_EVENT_MAX_WAIT_MS,
		deadline: clock.elapsed() + READING_MS,
	});
	const found = await Promise.all([
		...sources.map(
			async (subscription) =>
				await newestRecord(requestsFor(client, subscription.source), subscription),
		),
		...(messages
			? [newestMessage(messageService(client, messages.query), messages, n8n.getNode())]
			: []),
	]);
	const items = found.flat();
	if (items.length > 0) return items;
	const nouns = sources.map(({ source }) => source.noun);
	const text = nothingFound(nouns, messages && noMessage(messages));
	throw invalid(n8n.getNode(), shown`${text[0]}`, shown`${text[1].description}`);
}

/** The time limit of a poll, in milliseconds: within n8n's, if it sets one. */
function budgetOf(n8n: IPollFunctions): number {
	const limitMs: unknown = (n8n as Partial<IPollFunctions>).getPollBudgetMs?.();
	const ownLimitMs = RATE_LIMIT_WAIT_MS + READING_MS;
	return typeof limitMs === 'number' && limitMs > 0 ? Math.min(ownLimitMs, limitMs) : ownLimitMs;
}

/** What a checkpoint belongs to. Another token does not make it another credential. */
function ownerOf({ n8n, baseUrl, key }: ServiceClient, ...watched: unknown[]): Identity {
	const credential = [n8n.getNode().credentials?.[CREDENTIAL]?.id ?? '', baseUrl];
	return { scope: hashOf(credential, identityOf(n8n), ...watched), token: hashOf(key) };
}

function identityOf(n8n: N8nFunctions): string {
	const { id, name } = n8n.getNode();
	return `${n8n.getWorkflow().id ?? ''} ${id || name}`;
}

/** A copied workflow contains the state of the original: what it belongs to is compared by this. */
function hashOf(...parts: unknown[]): string {
	return digestOf(JSON.stringify(parts));
}
