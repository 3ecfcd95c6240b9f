import { createHash } from 'crypto';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { clock } from '../api/clock';
import type { Connection } from '../api/connection';
import { connect } from '../api/connection';
import type { Change } from './compare';
import { eventItem, passes } from './events';
import { chosen } from './fields';
import type { Filter, Watched } from './kind';
import { isTransient } from './look';
import { readerOf } from './reader';
import { newest } from './sample';
import type { KindState, State } from './state';
import { pack, unpack } from './state';
import { watch } from './watch';

/** How long a poll may take where n8n does not say, and at most, in milliseconds: polls may come every minute. */
const BUDGET_MS = 45_000;

/** The longest wait for the rate limit within a poll, in milliseconds. A whole window is left to the next poll. */
const PATIENCE_MS = 2_000;

/** How many polls in a row may see not everything before a person is told. */
const QUIET_FAILURES = 4;

/** Polls under way, by workflow and node: n8n begins the next one whether or not the last one has ended. */
const underWay = new Set<string>();

/** What a poll brought for one kind of record. */
interface Part {
	state: KindState;
	items: INodeExecutionData[];
	/** What a person is to be told now. */
	error?: NodeApiError;
}

/**
 * One poll of the trigger.
 *
 * @returns the events; null when there are none, or another poll is still under way
 * @throws NodeApiError what the service refuses for good at once, and what may be better next time after several
 *   polls in a row. Events come first: as long as there are some, they are returned
 * @throws NodeOperationError when the parameters or the credential make no sense
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const everything = chosen(context);
	if (context.getMode() === 'manual') return [await samples(context, everything)];
	const key = identityOf(context);
	if (underWay.has(key)) return null;
	underWay.add(key);
	try {
		return await pollAll(context, everything);
	} finally {
		underWay.delete(key);
	}
}

async function pollAll(
	context: IPollFunctions,
	everything: Watched[],
): Promise<INodeExecutionData[][] | null> {
	const until = clock.now() + budgetOf(context);
	const connection = await connect(context, { patienceMs: PATIENCE_MS, until });
	const data = context.getWorkflowStaticData('node');
	const before = unpack(data.state);
	const parts = await Promise.all(
		everything.map(async (watched) => await pollKind(connection, watched, before)),
	);

	// Last of all, at once, and as one text: whatever goes wrong before this loses nothing and repeats nothing.
	const after = pack(
		Object.fromEntries(everything.map(({ kind }, i) => [kind.event, (parts[i] as Part).state])),
	);
	if (after !== data.state) data.state = after;
	const items = parts.flatMap((part) => part.items);
	if (items.length > 0) return [items];
	const error = parts.map((part) => part.error).find(Boolean);
	if (error) throw error;
	return null;
}

async function pollKind(connection: Connection, watched: Watched, state: State): Promise<Part> {
	const { kind, filter } = watched;
	const scope = scopeOf(connection, watched);
	const before = state[kind.event]?.scope === scope ? state[kind.event] : undefined;
	// A filter that was changed counts from this poll on: what happened before passes only if the old one let it.
	const filters: Filter[] = before ? [filter, before.filter] : [filter];
	const isWanted = (change: Change): boolean => filters.every((each) => passes(change, each));
	const reader = readerOf(connection, watched);
	const watching = await watch(reader, watched, before?.memory, isWanted).catch(
		(error: unknown) => {
			if (!(error instanceof NodeApiError)) throw error;
			return { memory: before?.memory, changes: [], failure: error };
		},
	);
	const { memory, changes, failure } = watching;
	const failures = failure ? (before?.failures ?? 0) + 1 : 0;
	const epoch = memory?.epoch ?? '';
	return {
		// The old filter stays in force until a poll has seen everything.
		state: { scope, filter: failure && before ? before.filter : filter, failures, memory },
		items: changes.filter(isWanted).map((change) => eventItem(kind, change, epoch)),
		error: failure && toTell(failure, failures),
	};
}

/** What a person is told of a poll that did not see everything; undefined while it may be a short outage. */
function toTell(failure: NodeApiError, failures: number): NodeApiError | undefined {
	if (!isTransient(failure)) return failure;
	if (failures <= QUIET_FAILURES) return undefined;
	const note = `It has been like this for ${failures} polls in a row. Nothing is lost: the next poll that goes through finds what changed meanwhile.`;
	failure.description = [failure.description, note].filter(Boolean).join(' ');
	return failure;
}

/** "Fetch Test Event": the newest record of each kind in the shape of an event. Nothing is remembered. */
async function samples(
	context: IPollFunctions,
	everything: Watched[],
): Promise<INodeExecutionData[]> {
	const connection = await connect(context, {
		patienceMs: PATIENCE_MS,
		until: clock.now() + BUDGET_MS,
	});
	const found = await Promise.all(
		everything.map(async (watched) => {
			const sighting = await newest(readerOf(connection, watched), watched);
			const change = sighting && { ...sighting, previousStatus: null, ordinal: 0 };
			return change ? [eventItem(watched.kind, change, 'test')] : [];
		}),
	);
	const items = found.flat();
	if (items.length > 0) return items;
	const nouns = everything.map(({ kind }) => kind.noun).join(' or ');
	throw new NodeOperationError(context.getNode(), `There is no ${nouns} to show yet`, {
		description:
			'Make one in the service, or choose other statuses and filters. A published workflow starts without a test event.',
	});
}

/** Within what n8n allows, where it says so. */
function budgetOf(context: IPollFunctions): number {
	const told: unknown = (context as Partial<IPollFunctions>).getPollBudgetMs?.();
	return typeof told === 'number' && told > 0 ? Math.min(BUDGET_MS, told) : BUDGET_MS;
}

function identityOf(context: IPollFunctions): string {
	const { id, name } = context.getNode();
	return `${context.getWorkflow().id ?? ''} ${id ?? name}`;
}

/** Changes with everything that makes another memory necessary: an imported workflow brings somebody else's. */
function scopeOf({ context, key }: Connection, { kind, narrowing }: Watched): string {
	const parts = [key, identityOf(context as IPollFunctions), kind.event, narrowing];
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}
