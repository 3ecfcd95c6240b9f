import { createHash } from 'crypto';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { clock } from '../api/clock';
import type { ServiceClient } from '../api/client';
import { createClient } from '../api/client';
import { backfill } from './backfill';
import type { Baseline } from './baseline';
import type { Checkpoint } from './checkpoint';
import { readDetails } from './details';
import type { Change } from './diff';
import { eventItem, passes } from './events';
import { errorToReport } from './failures';
import type { Limits } from './limits';
import { LIMITS } from './limits';
import type { Reader } from './lister';
import { Lister, readerOf } from './lister';
import { lookUp, selectLookups } from './lookups';
import type { MessagePollResult } from './messages/poll';
import { pollMessages } from './messages/poll';
import { messageService } from './messages/service';
import type { MessageSubscription } from './messages/subscription';
import { MESSAGE_RECEIVED } from './messages/subscription';
import { newestMessage } from './messages/testEvent';
import { noMessage } from './messages/texts';
import { firstBaseline, nextBaseline } from './nextBaseline';
import { observationOf } from './observation';
import { searchArchives } from './search';
import { takeSnapshot } from './snapshot';
import type { TriggerState } from './state';
import { decodeState, encodeState } from './state';
import type { Subscription, Subscriptions } from './subscription';
import { readSubscriptions } from './subscription';
import { newestRecord, nothingFound } from './testEvent';

/** What is left of a poll's time after the longest wait, in milliseconds. Also the time limit of "Fetch Test Event". */
const READING_MS = 45_000;

/**
 * How long a poll may wait for the rate limit: a window of 60 seconds, and some more, because its end is reported in whole
 * seconds. With a poll every minute, each poll begins at the same moment of a window. If others have used up the window by
 * then, a poll that does not wait for the next one fails again and again.
 */
const RATE_LIMIT_WAIT_MS = 65_000;

/** "Fetch Test Event" has a user who waits: it is better to say when to try again. */
const TEST_EVENT_MAX_WAIT_MS = 2_000;

/** Running polls, by workflow and node: n8n starts the next one whether or not the last one has ended. */
const runningPolls = new Set<string>();

/**
 * One poll of the trigger.
 *
 * @returns the events; null if there are none, or another poll is still running
 * @throws NodeApiError for a permanent rejection at once, for a transient failure after several polls in a row. As
 *   long as there are events, they are returned instead
 * @throws NodeOperationError if the parameters or the credential are invalid
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const subscriptions = readSubscriptions(context);
	if (context.getMode() === 'manual') return [await testEvents(context, subscriptions)];
	const key = identityOf(context);
	if (runningPolls.has(key)) return null;
	runningPolls.add(key);
	try {
		return await pollAll(context, subscriptions);
	} finally {
		runningPolls.delete(key);
	}
}

async function pollAll(
	context: IPollFunctions,
	subscriptions: Subscriptions,
): Promise<INodeExecutionData[][] | null> {
	const budget = budgetOf(context);
	const client = await createClient(context, {
		priority: 'poll',
		// When the next window begins, a poll that waits comes before bulk work.
		maxRateLimitWaitMs: Math.max(budget - READING_MS, budget / 2),
		deadline: clock.now() + budget,
	});
	const data = context.getWorkflowStaticData('node');
	const before = decodeState(data.state);
	const [results, messages] = await Promise.all([
		pollSources(client, subscriptions.sources, before.sources),
		subscriptions.messages && pollChats(client, subscriptions.messages, before.messages),
	]);

	// Last, in one assignment, and as one text: a failure before this loses nothing and repeats nothing.
	const sources = Object.fromEntries(results.map(({ event, checkpoint }) => [event, checkpoint]));
	const after = encodeState({ sources, messages: messages?.checkpoint });
	if (after !== data.state) data.state = after;
	const all = messages ? [...results, messages] : results;
	const items = all.flatMap((result) => result.items);
	if (items.length > 0) return [items];
	const error = all.map((result) => result.error).find(Boolean);
	if (error) throw error;
	return null;
}

async function pollSources(
	client: ServiceClient,
	subscriptions: Subscription[],
	before: TriggerState['sources'],
): Promise<(PollResult & { event: string })[]> {
	return await Promise.all(
		subscriptions.map(async (subscription) => {
			const { source, scopeQuery } = subscription;
			const reader = readerOf(client, source);
			const scope = scopeOf(client, source.event, scopeQuery);
			const result = await pollSource(reader, subscription, scope, before[source.event]);
			return { event: source.event, ...result };
		}),
	);
}

async function pollChats(
	client: ServiceClient,
	subscription: MessageSubscription,
	before: TriggerState['messages'],
): Promise<MessagePollResult> {
	const { context } = client;
	const { query } = subscription;
	const service = messageService(client, query);
	const scope = scopeOf(client, MESSAGE_RECEIVED, query);
	const log = (message: string): void => context.logger.warn(message);
	return await pollMessages(service, subscription, scope, before, {
		node: context.getNode(),
		log,
	});
}

/** The result of a poll for one source. */
export interface PollResult {
	checkpoint: Checkpoint;
	items: INodeExecutionData[];
	/** To be thrown if no source has events. */
	error?: NodeApiError;
}

/**
 * Polls one source.
 *
 * @param scope what the baseline belongs to: a checkpoint with another scope is ignored, and a new baseline is taken
 * @param saved the checkpoint of the last poll
 */
export async function pollSource(
	reader: Reader,
	subscription: Subscription,
	scope: string,
	saved: Checkpoint | undefined,
	limits: Limits = LIMITS,
): Promise<PollResult> {
	const { source, filter } = subscription;
	const before = saved?.scope === scope ? saved : undefined;
	// A changed filter applies from this poll on: earlier changes must pass the old one too.
	const filters = before ? [filter, before.filter] : [filter];
	const isWanted = (change: Change): boolean =>
		filters.every((each) => passes(change, source, each));
	const { baseline, changes, failure } = await compareWithService(
		reader,
		subscription,
		before?.baseline,
		isWanted,
		limits,
	).catch((error: unknown): Compared => {
		if (!(error instanceof NodeApiError)) throw error;
		return { baseline: before?.baseline, changes: [], failure: error };
	});
	const failures = failure ? (before?.failures ?? 0) + 1 : 0;
	return {
		// The old filter still applies until a poll is complete.
		checkpoint: {
			scope,
			filter: failure && before ? before.filter : filter,
			failures,
			baseline,
		},
		items: changes
			.filter(isWanted)
			.map((change) => eventItem(source, change, baseline?.epoch ?? '')),
		error: failure && errorToReport(failure, failures),
	};
}

interface Compared {
	/** Missing until a first poll was complete. */
	baseline?: Baseline;
	/** All changes, including those that do not become events. */
	changes: Change[];
	/** Why the poll is incomplete. The next one continues. */
	failure?: NodeApiError;
}

/**
 * The steps of a poll. Only the returned baseline must be kept: it is what the last poll knew of every record, its
 * status above all, and how many records each status has. Each status has a list of its own; a long one is an archive.
 *
 * | step             | requests                                         | result                                        |
 * |------------------|--------------------------------------------------|-----------------------------------------------|
 * | `takeSnapshot`   | short lists in full, one page of each archive    | rows, and the total of every list             |
 * | `observationOf`  | none                                             | the status in which each record was seen      |
 * | `selectLookups`  | none                                             | known records not seen, a few of them at once  |
 * | `lookUp`         | one per record                                   | their status, or that they were deleted       |
 * | `searchArchives` | pages of archives, until the changes explain how | the changes: baseline and observation are     |
 * |                  | much each has grown; the next poll continues     | compared anew after each read (`diff`)        |
 * | `readDetails`    | one per change that becomes an event, if wanted  | the records in full; a change without its     |
 * |                  |                                                  | record remains a difference for the next poll |
 * | `nextBaseline`   | none                                             | the baseline with the changes                 |
 * | `backfill`       | pages of archives never read; the next continues | the baseline with their records               |
 *
 * After a rate limit, a timeout or a failure of the service, the other steps request nothing more, and what was seen
 * counts: `lister.failure`.
 * The first poll has no baseline: its snapshot becomes one, and nothing is a change.
 */
async function compareWithService(
	reader: Reader,
	subscription: Subscription,
	baseline: Baseline | undefined,
	isWanted: (change: Change) => boolean,
	limits: Limits,
): Promise<Compared> {
	const { source, scope, partitions } = subscription;
	const newLister = (): Lister => new Lister(reader, source, scope, baseline?.pageSize);
	const lister = newLister();

	const snapshot = await takeSnapshot(lister, partitions, baseline, limits);
	const listed = observationOf(snapshot);
	if (!baseline) {
		// With an incomplete baseline, the next poll would consider the missing records new.
		if (lister.failure) return { changes: [], failure: lister.failure };
		const first = firstBaseline(listed, source, limits);
		return { baseline: await backfill(lister, newLister, first, limits), changes: [] };
	}
	const lookups = selectLookups(baseline, listed, partitions, limits);
	const lookedUp = await lookUp(lister, subscription, lookups.ids, listed);
	const searched = await searchArchives(lister, subscription, baseline, lookedUp, limits);
	const detailed = await readDetails(lister, subscription, searched, isWanted);
	const { cursors } = lookups;
	const failed = lister.failure !== undefined;
	const next = nextBaseline(
		baseline,
		{ ...searched, ...detailed, cursors, failed },
		source,
		limits,
	);
	return {
		baseline: await backfill(lister, newLister, next, limits),
		changes: detailed.changes,
		failure: lister.failure,
	};
}

/** "Fetch Test Event": the newest record of each source in the form of an event. Nothing is saved. */
async function testEvents(
	context: IPollFunctions,
	{ sources, messages }: Subscriptions,
): Promise<INodeExecutionData[]> {
	const client = await createClient(context, {
		priority: 'editor',
		maxRateLimitWaitMs: TEST_EVENT_MAX_WAIT_MS,
		deadline: clock.now() + READING_MS,
	});
	const found = await Promise.all([
		...sources.map(async (subscription) => {
			const { source } = subscription;
			const newest = await newestRecord(readerOf(client, source), subscription);
			const change = newest && { ...newest, previousStatus: null, ordinal: 0 };
			return change ? [eventItem(source, change, 'test')] : [];
		}),
		...(messages
			? [newestMessage(messageService(client, messages.query), messages, context.getNode())]
			: []),
	]);
	const items = found.flat();
	if (items.length > 0) return items;
	const nouns = sources.map(({ source }) => source.noun);
	const text = nothingFound(nouns, messages && noMessage(messages));
	throw new NodeOperationError(context.getNode(), ...text);
}

/** The time limit of a poll, in milliseconds: within n8n's, if it sets one. */
function budgetOf(context: IPollFunctions): number {
	const limitMs: unknown = (context as Partial<IPollFunctions>).getPollBudgetMs?.();
	const ownLimitMs = RATE_LIMIT_WAIT_MS + READING_MS;
	return typeof limitMs === 'number' && limitMs > 0 ? Math.min(ownLimitMs, limitMs) : ownLimitMs;
}

function identityOf(context: IPollFunctions): string {
	const { id, name } = context.getNode();
	return `${context.getWorkflow().id ?? ''} ${id || name}`;
}

/** Changes with everything that requires a new baseline. A copied workflow contains the baseline of the original. */
function scopeOf({ context, key }: ServiceClient, event: string, query: IDataObject): string {
	const parts = [key, identityOf(context as IPollFunctions), event, query];
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}
