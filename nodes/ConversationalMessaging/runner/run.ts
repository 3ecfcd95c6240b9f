import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { messageOf, shown } from '../api/access/shown';
import { type ServiceClient, cancelSignalOf, ServiceClients } from '../api/client';
import { forEachConcurrent, inTurns } from '../api/base/concurrency';
import { invalid, throwIfStopped } from '../api/errors';
import { ownValue } from '../api/response/response';
import { forEachAtServicePace } from '../api/servicePace';
import { Parameters } from '../parameters/parameters';
import { SavedParameters } from '../parameters/savedParameters';
import { differingSetting } from './batch';
import { type Operation, type Resource, allFields, writes } from './operation';
import { Notices } from './notices';
import { BatchRun } from './batchRun';
import { type PreparedItem, prepare } from './prepare';
import { NOTHING_SENT, Results } from './results';

/** How many items that cannot be used are read before the run ends: n8n reads the credential of each. */
const MAX_UNUSABLE = 100;

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
	n8n: IExecuteFunctions,
	resources: Resource[],
): Promise<INodeExecutionData[][]> {
	const stop = { n8n, signal: cancelSignalOf(n8n) };
	const notices = new Notices(n8n);
	const results = new Results(n8n);
	const clients = new ServiceClients(n8n, { reporter: notices });

	const items = await readAll(n8n, resources, clients, results);
	throwIfStopped(stop);
	results.throwIfUnusable(clients.hasAny);
	const operations = items.map(({ operation }) => operation);
	const isResumable = operations.every((operation) => operation.isResumable);
	const mayRunAgain = n8n.getNode().retryOnFail === true && !results.continueOnFail;
	if (mayRunAgain && operations.some(repeatsWrites)) notices.notify(messageOf(RETRY_ON_FAIL));

	const batches = await batchesByClient(n8n, items, results);
	results.throwIfFailed(isResumable, [NOTHING_SENT]);
	const waiting = await sendAll(batches, results);
	if (!results.isAborted) await Promise.all(waiting.map(async (run) => await run.wait()));

	throwIfStopped(stop);
	results.throwIfFailed(isResumable, notices.all());
	notices.show();
	return [results.all()];
}

const repeatsWrites = (operation: Operation): boolean =>
	!operation.isResumable && writes(operation);

const RETRY_ON_FAIL =
	'Retry On Fail is on in the settings of this node. If one item fails, n8n runs the node again for all items, and so repeats what had succeeded, such as sent messages. Turn it off: the node itself retries whatever is safe to retry';

async function readAll(
	n8n: IExecuteFunctions,
	resources: Resource[],
	clients: ServiceClients,
	results: Results,
): Promise<PreparedItem[]> {
	const signal = cancelSignalOf(n8n);
	const saved = SavedParameters.ofAction(n8n);
	const prepared = new Array<PreparedItem | undefined>(n8n.getInputData().length);
	for await (const index of inTurns(prepared.keys())) {
		if (signal?.aborted) break;
		let client: ServiceClient | undefined;
		try {
			// One after another: n8n queries its database each time, over as few as two connections for all
			// executions.
			client = await clients.forItem(index);
			const operation = operationFor(n8n, saved, resources, index);
			const parameters = new Parameters(n8n, index, allFields(operation), saved);
			prepared[index] = prepare(operation, parameters, client);
		} catch (error) {
			const shouldContinue = results.fail(index, error);
			// A credential that cannot be used is usually that of all items; of values, the message names several.
			if (!shouldContinue && (!client || results.failedCount >= MAX_UNUSABLE)) break;
		}
	}
	return prepared.filter((item): item is PreparedItem => item !== undefined);
}

function operationFor(
	n8n: IExecuteFunctions,
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
	throw invalid(
		n8n.getNode(),
		shown`This node has no operation "${operation}" for the resource "${resource}"`,
		'Choose Resource and Operation from their lists.',
		index,
	);
}

async function batchesByClient(
	n8n: IExecuteFunctions,
	items: PreparedItem[],
	results: Results,
): Promise<PreparedItem[][][]> {
	const batches: PreparedItem[][][] = [];
	for (const ofClient of groupBy(items, ({ client }) => client)) {
		const ofOne: PreparedItem[][] = [];
		for (const group of groupBy(ofClient, ({ batch, index }) => batch?.key ?? index))
			ofOne.push(await accepted(n8n, group, results));
		batches.push(ofOne.filter((group) => group.length > 0));
	}
	return batches;
}

/** The items of a batch; [] if their settings differ, so that all of them fail before anything has been sent. */
async function accepted(
	n8n: IExecuteFunctions,
	group: PreparedItem[],
	results: Results,
): Promise<PreparedItem[]> {
	if (group.length === 1) return group;
	const items = group.map(({ index, batch }) => ({ index, settings: batch?.settings ?? [] }));
	const difference = await differingSetting(items);
	if (difference === undefined) return group;
	const step = ownValue(group[0]?.batch?.ifDifferent ?? {}, difference.field);
	const description = step === undefined ? ONE_FOR_ALL : shown`${ONE_FOR_ALL} ${step}`;
	// One for all of them: there may be a hundred thousand, and making one takes time.
	const error = invalid(n8n.getNode(), shown`${difference.message}`, description, group[0]?.index);
	for (const { index } of group) results.fail(index, error);
	return [];
}

const ONE_FOR_ALL =
	'All input items run as one, so use one value for all of them, e.g. from the first item of an earlier node. Item numbers start at 0.';

/**
 * One queue per ordering key, in input order; several queues run in parallel, and all clients, so that none waits for the
 * rate limit of another.
 *
 * @returns the runs that wait: only once everything has been sent, so that no item is sent late because of another's wait
 */
async function sendAll(batches: PreparedItem[][][], results: Results): Promise<BatchRun[]> {
	const waiting: BatchRun[] = [];
	await forEachConcurrent(batches, batches.length, async (ofClient) => {
		const client = ofClient[0]?.[0]?.client;
		if (!client) return;
		const queues = groupBy(ofClient, ([first]) => first?.orderingKey ?? first?.index);
		await forEachAtServicePace(client, queues, async (items, sender) => {
			if (results.isAborted || client.signal?.aborted) return;
			const run = new BatchRun(items, sender, results);
			await run.send();
			if (run.waits) waiting.push(run);
		});
	});
	return waiting;
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
