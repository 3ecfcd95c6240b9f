import { createHash } from 'crypto';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { clock } from '../api/clock';
import type { Connection } from '../api/connection';
import { connect } from '../api/connection';
import { eventItem } from './events';
import { chosen } from './fields';
import type { Watched } from './kind';
import { pollKind } from './pollKind';
import { readerOf } from './reader';
import { newest } from './sample';
import { pack, unpack } from './state';

/** How long a poll may take where n8n does not say, and at most, in milliseconds: polls may come every minute. */
const BUDGET_MS = 45_000;

/** The longest wait for the rate limit within a poll, in milliseconds. A whole window is left to the next poll. */
const PATIENCE_MS = 2_000;

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
	const polled = await Promise.all(
		everything.map(async (watched) => {
			const reader = readerOf(connection, watched);
			const scope = scopeOf(connection, watched);
			return await pollKind(reader, watched, scope, before[watched.kind.event]);
		}),
	);

	// Last of all, at once, and as one text: whatever goes wrong before this loses nothing and repeats nothing.
	const after = pack(Object.fromEntries(polled.map(({ event, state }) => [event, state])));
	if (after !== data.state) data.state = after;
	const items = polled.flatMap((kind) => kind.items);
	if (items.length > 0) return [items];
	const error = polled.map((kind) => kind.error).find(Boolean);
	if (error) throw error;
	return null;
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
