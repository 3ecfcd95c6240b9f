import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { messageOf } from '../api/access/shown';
import { clock } from '../api/base/clock';
import { createClient } from '../api/client';
import { WINDOW_MS } from '../api/rate/rateHeaders';
import { UNLIMITED } from './budget';
import { nodeKeyOf } from './nodeKey';
import { type StaticData, LatestStates } from './latest';
import { messageService } from './messages/service';
import { newestMessage, noMessage } from './messages/testEvent';
import { pollEvents, Turns } from './pollEvents';
import { logOf } from './reports';
import { decode, encode } from './state';
import { requestsFor } from './status/requests';
import { testEvent } from './status/testEvent';
import { type Subscriptions, readSubscriptions } from './subscription';

/** What is left of a poll's time after the longest wait, in milliseconds. Also the time limit of "Fetch Test Event". */
export const READING_MS = 45_000;

/**
 * How long a poll may wait for the rate limit: a window, and some more, because its end is reported in whole seconds. With a
 * poll every minute, each poll begins at the same moment of a window. If others have used up the window by then, a poll that
 * does not wait for the next one fails again and again.
 */
export const RATE_LIMIT_WAIT_MS = WINDOW_MS + 5_000;

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

interface PollingNode {
	/** Its latest poll, while it runs: n8n starts the next one whether or not the last one has ended. */
	running?: RunningPoll;
	turns: Turns;
}

const pollingNodes = new Map<string, PollingNode>();

function pollingNodeOf(key: string): PollingNode {
	const node = pollingNodes.get(key) ?? { turns: new Turns() };
	pollingNodes.set(key, node);
	return node;
}

/**
 * @returns the events; null if there are none, or if another poll is still running, or has taken over
 * @throws NodeApiError for a permanent rejection at once, for a transient failure after several polls in a row. As
 *   long as there are events, they are returned instead
 * @throws NodeOperationError if the parameters or the credential are invalid
 */
export async function poll(n8n: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const subscriptions = readSubscriptions(n8n);
	if (n8n.getMode() === 'manual') return [await testEvents(n8n, subscriptions)];
	const now = clock.elapsed();
	const node = pollingNodeOf(nodeKeyOf(n8n));
	const last = node.running;
	if (last && now < last.deadline) return null;
	if (last) logOf(n8n).warn(messageOf(TAKES_OVER));
	const running: RunningPoll = {
		deadline: now + timeLimitOf(n8n),
		isLatest: () => node.running === running,
	};
	node.running = running;
	try {
		return await pollAll(n8n, subscriptions, node.turns, running);
	} finally {
		if (running.isLatest()) node.running = undefined;
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
	turns: Turns,
	{ deadline, isLatest }: RunningPoll,
): Promise<INodeExecutionData[][] | null> {
	const timeLimitMs = timeLimitOf(n8n);
	const client = await createClient(n8n, {
		priority: 'urgent',
		// When the next window begins, a poll that waits comes before bulk work.
		maxRateLimitWaitMs: Math.max(timeLimitMs - READING_MS, timeLimitMs / 2),
		deadline,
	});
	const node = nodeKeyOf(n8n);
	const { name } = n8n.getNode();
	const data = n8n.getWorkflowStaticData('node') as StaticData;
	const state = latestStates.recall(node, name, data);
	const before = decode(state);
	const log = logOf(n8n);
	if (before.isUnreadable) log.warn(messageOf(UNREADABLE_STATE));
	const results = await pollEvents(client, subscriptions, turns, before, log);

	if (!isLatest()) return null;
	// Last, at once, and as one text: a failure before this loses nothing and repeats nothing.
	const after = encode({
		sources: Object.fromEntries(
			results.flatMap((result) => Object.entries(result.state.sources ?? {})),
		),
		messages: results.map((result) => result.state.messages).find(Boolean),
	});
	const items = results.flatMap((result) => result.items);
	const hasEvents = items.length > 0;
	latestStates.keep(node, name, data, { before: state, after, hasEvents });
	if (hasEvents) return [items];
	const error = results.map((result) => result.error).find(Boolean);
	if (error) throw error;
	return null;
}

/** "Fetch Test Event": the newest record of each source, or an example, in the form of an event. Nothing is saved. */
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
		...sources.map(async (subscription) => [
			await testEvent(requestsFor(client, subscription.source, UNLIMITED), subscription),
		]),
		...(messages
			? [newestMessage(messageService(client, messages.query, UNLIMITED), messages, n8n.getNode())]
			: []),
	]);
	const items = found.flat();
	if (messages && items.length === 0) throw noMessage(messages, n8n.getNode());
	return items;
}

function timeLimitOf(n8n: IPollFunctions): number {
	const limitMs: unknown = (n8n as Partial<IPollFunctions>).getPollBudgetMs?.();
	const ownLimitMs = RATE_LIMIT_WAIT_MS + READING_MS;
	return typeof limitMs === 'number' && limitMs > 0 ? Math.min(ownLimitMs, limitMs) : ownLimitMs;
}
