import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { ServiceClient } from '../api/client';
import { announced, cancelSignalOf, ServiceClients } from '../api/client';
import { forEachConcurrent } from '../api/concurrency';
import { throwIfStopped } from '../api/send';
import { Parameters } from '../parameters/parameters';
import { SavedParameters } from '../parameters/savedParameters';
import { differingSetting } from './batch';
import type { Resource } from './operation';
import { allFields } from './operation';
import { Notices } from './notices';
import { ItemResults } from './output';
import type { PreparedOperation } from './prepare';
import { prepare } from './prepare';
import { Results } from './results';

/** How many clients are active at once, each with its own parallel requests. */
const CONCURRENT_CLIENTS = 8;

/** How many items that cannot be used are read before the run ends: n8n reads the credential of each. */
const MAX_UNUSABLE = 100;

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
	itemIndexes: number[];
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
	results.throwIfUnusable();
	const mayRunAgain = context.getNode().retryOnFail === true && !results.continueOnFail;
	if (mayRunAgain && prepared.some(({ task }) => task.repeatsWrites)) notices.notify(RETRY_ON_FAIL);
	const runs = runsByClient(context, prepared, results);
	results.throwIfFailed(false);
	await runAll(runs, results);
	throwIfStopped(stop);
	results.throwIfFailed(
		prepared.every(({ task }) => task.isResumable),
		notices.all(),
	);
	notices.show();
	return [results.all()];
}

const RETRY_ON_FAIL =
	'Retry On Fail is on in the settings of this node. If one item fails, n8n runs the node again for all items, and so repeats what had succeeded, such as sent messages. Turn it off: the node itself retries whatever is safe to retry';

async function prepareAll(
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
			const task = prepare(operation, new Parameters(context, index, allFields(operation), saved));
			prepared[index] = { index, task, client };
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
		const batches = groupBy(clientItems, ({ task, index }) => task.batch?.key ?? index)
			.map((group) => accepted(context, group, results))
			.filter((group) => group.length > 0);
		return batches.map((group) => ({
			task: (group[0] as PreparedItem).task,
			client: (group[0] as PreparedItem).client,
			itemIndexes: group.map(({ index }) => index),
			inputs: group.flatMap(({ task }) => (task.batch ? [task.batch.input] : [])),
		}));
	});
}

/** The items of a batch; [] if their settings differ, so that all of them fail before anything has been sent. */
function accepted(
	context: IExecuteFunctions,
	group: PreparedItem[],
	results: Results,
): PreparedItem[] {
	const items = group.map(({ index, task }) => ({ index, settings: task.batch?.settings ?? [] }));
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
 * One queue per ordering key, in input order; several queues run in parallel. Waits begin when all requests have been
 * sent, and run side by side, so that no item is sent late because another one waits.
 */
async function runAll(runs: Run[][], results: Results): Promise<void> {
	const waits: (() => Promise<void>)[] = [];
	const state = { shouldContinue: true };
	await forEachConcurrent(runs, CONCURRENT_CLIENTS, async (clientRuns) => {
		const client = clientRuns[0]?.client;
		if (!client) return;
		const queues = groupBy(
			clientRuns,
			({ task, itemIndexes }) => task.orderingKey ?? (itemIndexes[0] as number),
		);
		const atOnce = () => client.rateLimiter.atOnce;
		await announced(client, clientRuns.length, async (announcedClient, next) => {
			await forEachConcurrent(queues, atOnce, async (queue) => {
				for (const run of queue) {
					if (!state.shouldContinue || client.signal?.aborted) return;
					next();
					const { isFailed, wait } = await runOne({ ...run, client: announcedClient }, results);
					if (isFailed) state.shouldContinue = false;
					if (wait) waits.push(wait);
				}
			});
		});
	});
	if (state.shouldContinue) await Promise.all(waits.map(async (wait) => await wait()));
}

/** How a run ended. */
interface Ending {
	/** Whether an item failed, and the node does not continue on fail. */
	isFailed: boolean;
	/** What is left to do once everything has been sent. */
	wait?: () => Promise<void>;
}

async function runOne(
	{ task, client, itemIndexes, inputs }: Run,
	results: Results,
): Promise<Ending> {
	const failed = new Set<number>();
	const failItem = (position: number, error: unknown): void => {
		const index = itemIndexes[position] as number;
		failed.add(index);
		if (!results.fail(index, error, client)) throw error;
	};
	const others = () => itemIndexes.filter((index) => !failed.has(index));
	const failOthers = (error: unknown): boolean =>
		!others()
			.map((index) => results.fail(index, error, client))
			.every(Boolean);
	try {
		const result = await task.run(client, inputs, failItem);
		if (result instanceof ItemResults)
			return { isFailed: !settleEach(itemIndexes, result, client, results) };
		if (Array.isArray(result)) {
			results.succeed(others(), result);
			return { isFailed: false };
		}
		results.succeed(others(), result.outputs);
		const wait = async (): Promise<void> => {
			try {
				results.succeed(others(), await result.wait());
			} catch (error) {
				failOthers(error);
			}
		};
		return { isFailed: false, wait };
	} catch (error) {
		// The run was ended by an item that failed alone.
		const isRecorded = failed.size > 0 && !results.continueOnFail;
		return { isFailed: isRecorded || failOthers(error) };
	}
}

/** The results of a batch whose items each have their own. Returns whether the run continues with other items. */
function settleEach(
	itemIndexes: number[],
	{ results: own }: ItemResults,
	client: ServiceClient,
	results: Results,
): boolean {
	let shouldContinue = true;
	for (const [position, index] of itemIndexes.entries()) {
		const result = own[position];
		if (!result) continue;
		if ('output' in result) results.succeed([index], [result.output]);
		else shouldContinue = results.fail(index, result.thrown, client) && shouldContinue;
	}
	return shouldContinue;
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
