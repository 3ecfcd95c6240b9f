import { createHash } from 'crypto';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { clock } from '../api/clock';
import type { ServiceClient } from '../api/client';
import { createClient } from '../api/client';
import { backfill } from './backfill';
import type { Baseline } from './baseline';
import type { Checkpoint } from './checkpoint';
import { decode, encode } from './checkpoint';
import { readDetails } from './details';
import type { Change } from './diff';
import { diff } from './diff';
import { eventItem, passes } from './events';
import type { Limits } from './limits';
import { LIMITS } from './limits';
import type { Reader } from './lister';
import { isTransient, Lister, readerOf } from './lister';
import { lookUp, selectLookups } from './lookups';
import { firstBaseline, nextBaseline } from './nextBaseline';
import { observationOf } from './observation';
import { searchArchives } from './search';
import { takeSnapshot } from './snapshot';
import type { Subscription } from './subscription';
import { readSubscriptions } from './subscription';
import { newestRecord } from './testEvent';

/** How long a poll may take where n8n does not say, and at most, in milliseconds: polls may come every minute. */
const BUDGET_MS = 45_000;

/** The longest wait for the rate limit within a poll, in milliseconds. A whole window is left to the next poll. */
const MAX_RATE_LIMIT_WAIT_MS = 2_000;

/** How many polls in a row may fail to see everything before the execution fails. */
export const QUIET_FAILURES = 4;

/** Polls under way, by workflow and node: n8n begins the next one whether or not the last one has ended. */
const underWay = new Set<string>();

/**
 * One poll of the trigger.
 *
 * @returns the events; null when there are none, or another poll is still under way
 * @throws NodeApiError what the service refuses for good at once, and what may be better next time after several
 *   polls in a row. Events come first: as long as there are some, they are returned
 * @throws NodeOperationError when the parameters or the credential make no sense
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const subscriptions = readSubscriptions(context);
	if (context.getMode() === 'manual') return [await testEvents(context, subscriptions)];
	const key = identityOf(context);
	if (underWay.has(key)) return null;
	underWay.add(key);
	try {
		return await pollAll(context, subscriptions);
	} finally {
		underWay.delete(key);
	}
}

async function pollAll(
	context: IPollFunctions,
	subscriptions: Subscription[],
): Promise<INodeExecutionData[][] | null> {
	const client = await createClient(context, {
		maxRateLimitWaitMs: MAX_RATE_LIMIT_WAIT_MS,
		deadline: clock.now() + budgetOf(context),
	});
	const data = context.getWorkflowStaticData('node');
	const before = decode(data.state);
	const results = await Promise.all(
		subscriptions.map(async (subscription) => {
			const { source } = subscription;
			const reader = readerOf(client, source);
			const scope = scopeOf(client, subscription);
			const result = await pollSource(reader, subscription, scope, before[source.event]);
			return { event: source.event, ...result };
		}),
	);

	// Last of all, at once, and as one text: whatever goes wrong before this loses nothing and repeats nothing.
	const after = encode(
		Object.fromEntries(results.map(({ event, checkpoint }) => [event, checkpoint])),
	);
	if (after !== data.state) data.state = after;
	const items = results.flatMap((result) => result.items);
	if (items.length > 0) return [items];
	const error = results.map((result) => result.error).find(Boolean);
	if (error) throw error;
	return null;
}

/** What a poll brought for one source. */
export interface PollResult {
	checkpoint: Checkpoint;
	items: INodeExecutionData[];
	/** What is to be reported now. */
	error?: NodeApiError;
}

/**
 * Polls one source.
 *
 * @param scope what the baseline is of: a checkpoint with another scope is left aside, and a new baseline begins
 * @param saved the checkpoint that the last poll left
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
	// A filter that was changed counts from this poll on: what happened before passes only if the old one let it.
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
		// The old filter stays in force until a poll has seen everything.
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
	/** Missing as long as no first poll saw everything. */
	baseline?: Baseline;
	/** All changes, also those that do not become events. */
	changes: Change[];
	/** What kept the poll from seeing everything. The next one goes on. */
	failure?: NodeApiError;
}

/** The steps of a poll, each in the file of its name. Nothing but the returned baseline has to be kept. */
async function compareWithService(
	reader: Reader,
	subscription: Subscription,
	baseline: Baseline | undefined,
	isWanted: (change: Change) => boolean,
	limits: Limits,
): Promise<Compared> {
	const { source, scope, partitions } = subscription;
	const newLister = (): Lister => new Lister(reader, source, scope);
	const lister = newLister();

	const snapshot = await takeSnapshot(lister, partitions, baseline, limits);
	const listed = observationOf(snapshot);
	if (!baseline) {
		// Half a baseline would make everything that it lacks look new to the next poll.
		if (lister.failure) return { changes: [], failure: lister.failure };
		const first = firstBaseline(listed, source, limits);
		return { baseline: await backfill(lister, newLister, first, limits), changes: [] };
	}
	const lookups = selectLookups(baseline, listed, partitions, limits);
	const lookedUp = await lookUp(lister, subscription, lookups.ids, listed);
	const searched = await searchArchives(lister, subscription, baseline, lookedUp, limits);
	const found = diff(baseline, searched.observation, source);
	const detailed = await readDetails(lister, subscription, found, searched.observation, isWanted);
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

/** What to report of a poll that did not see everything; undefined while it may be a short outage. */
function errorToReport(failure: NodeApiError, failures: number): NodeApiError | undefined {
	if (!isTransient(failure)) return failure;
	if (failures <= QUIET_FAILURES) return undefined;
	const note = `Failed ${failures} polls in a row. No events are lost; the next successful poll reports them.`;
	failure.description = [failure.description, note].filter(Boolean).join(' ');
	return failure;
}

/** "Fetch Test Event": the newest record of each source in the shape of an event. Nothing is kept. */
async function testEvents(
	context: IPollFunctions,
	subscriptions: Subscription[],
): Promise<INodeExecutionData[]> {
	const client = await createClient(context, {
		maxRateLimitWaitMs: MAX_RATE_LIMIT_WAIT_MS,
		deadline: clock.now() + BUDGET_MS,
	});
	const found = await Promise.all(
		subscriptions.map(async (subscription) => {
			const { source } = subscription;
			const newest = await newestRecord(readerOf(client, source), subscription);
			const change = newest && { ...newest, previousStatus: null, ordinal: 0 };
			return change ? [eventItem(source, change, 'test')] : [];
		}),
	);
	const items = found.flat();
	if (items.length > 0) return items;
	const nouns = subscriptions.map(({ source }) => source.noun).join(' or ');
	throw new NodeOperationError(context.getNode(), `No ${nouns} matches your selection`, {
		description:
			'Create one in the service, or choose other statuses and filters. A published workflow starts without a test event.',
	});
}

/** Within what n8n allows, where it says so. */
function budgetOf(context: IPollFunctions): number {
	const told: unknown = (context as Partial<IPollFunctions>).getPollBudgetMs?.();
	return typeof told === 'number' && told > 0 ? Math.min(BUDGET_MS, told) : BUDGET_MS;
}

function identityOf(context: IPollFunctions): string {
	const { id, name } = context.getNode();
	return `${context.getWorkflow().id ?? ''} ${id || name}`;
}

/** Changes with everything that needs another baseline: an imported workflow brings that of another one. */
function scopeOf({ context, key }: ServiceClient, { source, scopeQuery }: Subscription): string {
	const parts = [key, identityOf(context as IPollFunctions), source.event, scopeQuery];
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}
