import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { ServiceClient } from '../api/client';
import { announced, cancelSignalOf, ServiceClients } from '../api/client';
import { forEachConcurrent } from '../api/concurrency';
import { throwIfStopped } from '../api/send';
import { Parameters } from '../parameters/parameters';
import { SavedParameters } from '../parameters/savedParameters';
import type { Resource } from './operation';
import { fieldsOf } from './operation';
import { Notices } from './notices';
import { ItemResults } from './output';
import type { PreparedOperation } from './prepare';
import { prepare } from './prepare';
import { Results } from './results';

/** How many clients are active at once, each with its own parallel requests. */
const CONCURRENT_CLIENTS = 8;

/** An item with its parameters and its credential read. */
interface PreparedItem {
	index: number;
	task: PreparedOperation;
	client: ServiceClient;
}

/** One run of an operation, for one item or for several together. */
interface Run {
	task: PreparedOperation;
	client: ServiceClient;
	/** Its items, in their order. */
	from: number[];
	/** What each of them contributes. */
	inputs: unknown[];
}

/**
 * Runs the chosen operation for every input item: credential and parameters are read per item, several items run at
 * once, results are in input order and paired with their items. Only items with the same token and base URL are
 * combined or ordered.
 *
 * All credentials and parameters are read before anything is sent, so that an unusable value stops the run before it
 * has any effect, unless the node is set to continue.
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
	const prepared = await prepareAll(context, resources, notices, results);
	throwIfStopped(stop);
	results.throwIfFailed(0);
	const runs = runsByClient(context, prepared, results);
	results.throwIfFailed(0);
	await runAll(runs, results);
	throwIfStopped(stop);
	const isResumable = prepared.every(({ task }) => task.isResumable);
	results.throwIfFailed(context.getInputData().length, isResumable);
	notices.show();
	return [results.all()];
}

async function prepareAll(
	context: IExecuteFunctions,
	resources: Resource[],
	notices: Notices,
	results: Results,
): Promise<PreparedItem[]> {
	const signal = cancelSignalOf(context);
	const clients = new ServiceClients(context, notices);
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
			const task = prepare(operation, new Parameters(context, index, fieldsOf(operation), saved));
			prepared[index] = { index, task, client };
		} catch (error) {
			if (!results.fail(index, error, client)) break;
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
		const batches = groupBy(clientItems, ({ task, index }) => task.batch?.key ?? index)
			.map((group) => accepted(context, group, results))
			.filter((group) => group.length > 0);
		return batches.map((group) => ({
			task: (group[0] as PreparedItem).task,
			client: (group[0] as PreparedItem).client,
			from: group.map(({ index }) => index),
			inputs: group.map(({ task }) => task.batch?.input),
		}));
	});
}

/** The items that can be part of the batch. The others fail before anything has been sent. */
function accepted(
	context: IExecuteFunctions,
	group: PreparedItem[],
	results: Results,
): PreparedItem[] {
	const { task, client } = group[0] as PreparedItem;
	if (!task.batch?.check) return group;
	const items = group.map(({ index, task: { batch } }) => ({ index, input: batch?.input }));
	const rejected = new Set<number>();
	for (const { indexes, message, description } of task.batch.check(items)) {
		for (const itemIndex of indexes) {
			const options = { description, itemIndex };
			const error = new NodeOperationError(context.getNode(), message, options);
			if (!results.fail(itemIndex, error, client)) return [];
			rejected.add(itemIndex);
		}
	}
	return group.filter(({ index }) => !rejected.has(index));
}

/** One queue per ordering key, in input order; several queues run in parallel. */
async function runAll(runs: Run[][], results: Results): Promise<void> {
	let goesOn = true;
	await forEachConcurrent(runs, CONCURRENT_CLIENTS, async (clientRuns) => {
		const client = clientRuns[0]?.client;
		if (!client) return;
		const queues = groupBy(clientRuns, ({ task, from }) => task.orderingKey ?? (from[0] as number));
		const atOnce = () => client.rateLimiter.atOnce;
		await announced(client, clientRuns.length, async (announcing, next) => {
			await forEachConcurrent(queues, atOnce, async (queue) => {
				for (const run of queue) {
					if (!goesOn || client.signal?.aborted) return;
					next();
					goesOn = (await runOne({ ...run, client: announcing }, results)) && goesOn;
				}
			});
		});
	});
}

/** Returns whether the run continues with other items. */
async function runOne({ task, client, from, inputs }: Run, results: Results): Promise<boolean> {
	try {
		const result = await task.run(client, inputs);
		if (result instanceof ItemResults) return settleEach(from, result, client, results);
		results.succeed(from, result);
		return true;
	} catch (error) {
		return from.map((index) => results.fail(index, error, client)).every(Boolean);
	}
}

/** The results of a batch whose items each have their own. Returns whether the run continues with other items. */
function settleEach(
	from: number[],
	{ results: own }: ItemResults,
	client: ServiceClient,
	results: Results,
): boolean {
	let goesOn = true;
	for (const [position, index] of from.entries()) {
		const result = own[position];
		if (!result) continue;
		if ('output' in result) results.succeed([index], [result.output]);
		else goesOn = results.fail(index, result.thrown, client) && goesOn;
	}
	return goesOn;
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
