import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { ServiceClient } from '../api/client';
import { announced, cancelSignalOf, ServiceClients } from '../api/client';
import { forEachConcurrent } from '../api/concurrency';
import { methodOf } from '../api/endpoint';
import { throwIfStopped } from '../api/send';
import { Parameters } from '../parameters/parameters';
import { SavedParameters } from '../parameters/savedParameters';
import { differingSetting } from './batch';
import type { Operation, Resource } from './operation';
import { allFields } from './operation';
import { Notices } from './notices';
import { OperationContext } from './operationContext';
import type { Sent } from './output';
import type { PreparedOperation } from './prepare';
import { prepare } from './prepare';
import { Results } from './results';
import { RunItems } from './runItems';

/** How many clients are active at once, each with its own parallel requests. */
const CONCURRENT_CLIENTS = 8;

/** How many items that cannot be used are read before the run ends: n8n reads the credential of each. */
const MAX_UNUSABLE = 100;

/** An item with its parameters and its credential read. */
interface PreparedItem extends PreparedOperation {
	index: number;
	client: ServiceClient;
}

/** One run of an operation, for one item or for several together. */
interface Run extends PreparedOperation {
	client: ServiceClient;
	/** Its items, in their order. */
	itemIndexes: number[];
	/** What each of them contributes. */
	inputs: unknown[];
}

/** A run whose requests have been sent, and that waits. */
interface SentRun {
	run: Run;
	context: OperationContext;
	items: RunItems;
	sent: Sent<unknown>;
}

/**
 * Runs the chosen operation for every input item, step by step: reads all credentials and parameters, combines items,
 * sends all requests, then waits for all that wait, and returns the output in input order. Only items with the same
 * token and base URL are combined or ordered.
 *
 * An unusable value therefore stops the run before it has any effect, unless the node is set to continue.
 *
 * @throws NodeApiError, NodeOperationError the first failed item's, unless the node continues on fail
 */
export async function run(
	context: IExecuteFunctions,
	resources: Resource[],
): Promise<INodeExecutionData[][]> {
	const stop = { context, signal: cancelSignalOf(context) };
	const notices = new Notices(context);
	const results = new Results(context);

	const items = await readAll(context, resources, notices, results);
	throwIfStopped(stop);
	results.throwIfUnusable();
	const operations = items.map(({ operation }) => operation);
	const mayRunAgain = context.getNode().retryOnFail === true && !results.continueOnFail;
	if (mayRunAgain && operations.some(repeatsWrites)) notices.notify(RETRY_ON_FAIL);

	const runs = runsByClient(context, items, results);
	results.throwIfFailed(false);
	const waiting = await sendAll(runs, results);
	if (!results.isAborted) await Promise.all(waiting.map(waitFor));

	throwIfStopped(stop);
	const isResumable = operations.every((operation) => operation.isResumable);
	results.throwIfFailed(isResumable, notices.all());
	notices.show();
	return [results.all()];
}

const repeatsWrites = ({ endpoint, otherEndpoints = [], isResumable }: Operation): boolean =>
	!isResumable && [endpoint, ...otherEndpoints].some((each) => methodOf(each) !== 'GET');

const RETRY_ON_FAIL =
	'Retry On Fail is on in the settings of this node. If one item fails, n8n runs the node again for all items, and so repeats what had succeeded, such as sent messages. Turn it off: the node itself retries whatever is safe to retry';

async function readAll(
	context: IExecuteFunctions,
	resources: Resource[],
	notices: Notices,
	results: Results,
): Promise<PreparedItem[]> {
	const signal = cancelSignalOf(context);
	const clients = new ServiceClients(context, { reporter: notices });
	const saved = SavedParameters.ofAction(context);
	const prepared = new Array<PreparedItem | undefined>(context.getInputData().length);
	for (const index of prepared.keys()) {
		if (signal?.aborted) break;
		let client: ServiceClient | undefined;
		try {
			// One after another: n8n queries its database each time, over as few as two connections for all
			// executions.
			client = await clients.forItem(index);
			const operation = operationFor(context, saved, resources, index);
			const parameters = new Parameters(context, index, allFields(operation), saved);
			prepared[index] = { index, client, ...prepare(operation, parameters) };
		} catch (error) {
			const shouldContinue = results.fail(index, error, client);
			// A credential that cannot be used is usually that of all items; of values, the message names several.
			if (!shouldContinue && (!client || results.failedCount >= MAX_UNUSABLE)) break;
		}
	}
	return prepared.filter((item): item is PreparedItem => item !== undefined);
}

function operationFor(
	context: IExecuteFunctions,
	saved: SavedParameters,
	resources: Resource[],
	index: number,
) {
	const resource = String(saved.resolve('resource', index));
	const operation = String(saved.resolve('operation', index));
	const found = resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
	if (found) return found;
	const message = `This node has no operation "${operation}" for the resource "${resource}"`;
	throw new NodeOperationError(context.getNode(), message, {
		description: 'Choose Resource and Operation from their lists.',
		itemIndex: index,
	});
}

/** The runs of each client. Items of a batch are combined, as far as they can be. */
function runsByClient(
	context: IExecuteFunctions,
	prepared: PreparedItem[],
	results: Results,
): Run[][] {
	const items = groupBy(prepared, ({ client }) => client);
	return items.map((clientItems) => {
		const batches = groupBy(clientItems, ({ batch, index }) => batch?.key ?? index)
			.map((group) => accepted(context, group, results))
			.filter((group) => group.length > 0);
		return batches.map((group) => ({
			...(group[0] as PreparedItem),
			itemIndexes: group.map(({ index }) => index),
			inputs: group.flatMap(({ batch }) => (batch ? [batch.input] : [])),
		}));
	});
}

/** The items of a batch; [] if their settings differ, so that all of them fail before anything has been sent. */
function accepted(
	context: IExecuteFunctions,
	group: PreparedItem[],
	results: Results,
): PreparedItem[] {
	const items = group.map(({ index, batch }) => ({ index, settings: batch?.settings ?? [] }));
	const difference = differingSetting(items);
	if (difference === undefined) return group;
	for (const { index: itemIndex, client } of group) {
		const error = new NodeOperationError(context.getNode(), difference, {
			description: ONE_FOR_ALL,
			itemIndex,
		});
		results.fail(itemIndex, error, client);
	}
	return [];
}

const ONE_FOR_ALL =
	'All input items run as one, so use one value for all of them, e.g. from the first item of an earlier node.';

/**
 * One queue per ordering key, in input order; several queues run in parallel.
 *
 * @returns the runs that wait: only once everything has been sent, so that no item is sent late because of another's wait
 */
async function sendAll(runs: Run[][], results: Results): Promise<SentRun[]> {
	const waiting: SentRun[] = [];
	await forEachConcurrent(runs, CONCURRENT_CLIENTS, async (clientRuns) => {
		const client = clientRuns[0]?.client;
		if (!client) return;
		const queues = groupBy(
			clientRuns,
			({ orderingKey, itemIndexes }) => orderingKey ?? (itemIndexes[0] as number),
		);
		const atOnce = () => client.rateLimiter.atOnce;
		await announced(client, clientRuns.length, async (announcedClient, next) => {
			await forEachConcurrent(queues, atOnce, async (queue) => {
				for (const run of queue) {
					if (results.isAborted || client.signal?.aborted) return;
					next();
					const sent = await send(run, announcedClient, results);
					if (sent) waiting.push(sent);
				}
			});
		});
	});
	return waiting;
}

/** @returns undefined if there is nothing to wait for */
async function send(
	run: Run,
	client: ServiceClient,
	results: Results,
): Promise<SentRun | undefined> {
	const items = new RunItems(run.itemIndexes, client, results, run.fieldNames);
	const context = new OperationContext(client, run.operation, items.failItem);
	try {
		const result = await run.steps.run(context, run.plan, run.inputs);
		if (!('outputs' in result)) items.settle(result);
		else if (result.pending === undefined) items.settle(result.outputs);
		else {
			items.succeed();
			return { run, context, items, sent: result };
		}
	} catch (error) {
		items.fail(error);
	}
	return undefined;
}

async function waitFor({ run, context, items, sent }: SentRun): Promise<void> {
	try {
		const outputs = await run.steps.wait?.(context, run.plan, sent.pending, sent.outputs);
		items.settle(outputs ?? sent.outputs);
	} catch (error) {
		items.fail(error);
	}
}

/** Groups in the order of their first entries. Keys of different types are different: "1" is not 1. */
function groupBy<T>(list: T[], keyOf: (entry: T) => unknown): T[][] {
	const groups = new Map<unknown, T[]>();
	for (const entry of list) {
		const key = keyOf(entry);
		const group = groups.get(key);
		if (group) group.push(entry);
		else groups.set(key, [entry]);
	}
	return [...groups.values()];
}
