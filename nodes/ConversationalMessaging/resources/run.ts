import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { clock } from '../api/clock';
import type { ServiceClient } from '../api/client';
import { cancelSignalOf, ServiceClients } from '../api/client';
import { MAX_IN_FLIGHT } from '../api/rateLimiter';
import { forEachConcurrent } from '../api/concurrency';
import { throwIfStopped } from '../api/send';
import { Parameters } from '../parameters/parameters';
import type { Resource } from './operation';
import type { PreparedOperation } from './prepare';
import { prepare } from './prepare';
import { Results } from './results';

/** How many clients are active at once, each with its own parallel requests. */
const CONCURRENT_CLIENTS = 8;

/** An item with its parameters and its credential read. */
interface PreparedItem {
	index: number;
	job: PreparedOperation;
	client: ServiceClient;
}

/** One run of an operation, for one item or for several together. */
interface Run {
	job: PreparedOperation;
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
	results.throwIfFailed(context.getInputData().length);
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
	const prepared = new Array<PreparedItem | undefined>(context.getInputData().length);
	for (const index of prepared.keys()) {
		if (signal?.aborted) break;
		let client: ServiceClient | undefined;
		try {
			// One after another: n8n queries its database each time, over as few as two connections for all
			// executions.
			client = await clients.forItem(index);
			const operation = operationFor(context, resources, index);
			const job = prepare(operation, new Parameters(context, index, operation.fields));
			prepared[index] = { index, job, client };
		} catch (error) {
			if (!results.fail(index, error, client)) break;
		}
	}
	return prepared.filter((item): item is PreparedItem => item !== undefined);
}

function operationFor(context: IExecuteFunctions, resources: Resource[], index: number) {
	const resource = String(context.getNodeParameter('resource', index));
	const operation = String(context.getNodeParameter('operation', index));
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
	return items.map((own) => {
		const joined = groupBy(own, ({ job, index }) => job.batch?.key ?? index)
			.map((group) => accepted(context, group, results))
			.filter((group) => group.length > 0);
		return joined.map((group) => ({
			job: (group[0] as PreparedItem).job,
			client: (group[0] as PreparedItem).client,
			from: group.map(({ index }) => index),
			inputs: group.map(({ job }) => job.batch?.input),
		}));
	});
}

/** The items that can be part of the batch. The others fail before anything has been sent. */
function accepted(
	context: IExecuteFunctions,
	group: PreparedItem[],
	results: Results,
): PreparedItem[] {
	const { job, client } = group[0] as PreparedItem;
	if (!job.batch?.check) return group;
	const items = group.map(({ index, job: { batch } }) => ({ index, input: batch?.input }));
	const refused = new Set<number>();
	for (const { indexes, message, description } of job.batch.check(items)) {
		for (const itemIndex of indexes) {
			const options = { description, itemIndex };
			const error = new NodeOperationError(context.getNode(), message, options);
			if (!results.fail(itemIndex, error, client)) return [];
			refused.add(itemIndex);
		}
	}
	return group.filter(({ index }) => !refused.has(index));
}

/** Runs in lanes: one lane per ordering key, in input order within the lane, several lanes in parallel. */
async function runAll(runs: Run[][], results: Results): Promise<void> {
	let goesOn = true;
	await forEachConcurrent(runs, CONCURRENT_CLIENTS, async (own) => {
		const lanes = groupBy(own, ({ job, from }) => job.orderingKey ?? (from[0] as number));
		await forEachConcurrent(lanes, MAX_IN_FLIGHT, async (lane) => {
			for (const each of lane) {
				if (!goesOn || each.client.signal?.aborted) return;
				goesOn = (await runOne(each, results)) && goesOn;
			}
		});
	});
}

/** Returns whether the run continues with other items. */
async function runOne({ job, client, from, inputs }: Run, results: Results): Promise<boolean> {
	try {
		results.succeed(from, await job.run(client, inputs));
		return true;
	} catch (error) {
		return from.map((index) => results.fail(index, error, client)).every(Boolean);
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

/** Notices for the user: in the log at once, and in the editor at the end. */
class Notices {
	private readonly messages = new Set<string>();

	private longestWait = 0;

	private waitsUntil = 0;

	constructor(private readonly context: IExecuteFunctions) {}

	notify = (message: string): void => {
		this.context.logger.info(message);
		this.messages.add(message);
	};

	onWait = (until: number): void => {
		// Parallel requests wait for the same moment.
		if (until - this.waitsUntil < 1_000) return;
		this.waitsUntil = until;
		const seconds = Math.ceil((until - clock.now()) / 1_000);
		this.context.logger.info(`Waiting ${seconds} s for the service’s rate limit`);
	};

	onWaited = (seconds: number): void => {
		this.longestWait = Math.max(this.longestWait, seconds);
	};

	show(): void {
		if (this.longestWait > 0) {
			this.messages.add(
				`This run waited for the service’s rate limit, up to ${this.longestWait} s at a time`,
			);
		}
		const hints = [...this.messages].map((message) => ({
			message,
			location: 'outputPane' as const,
		}));
		// Older versions of n8n have no hints.
		const context: Partial<IExecuteFunctions> = this.context;
		if (hints.length > 0) context.addExecutionHints?.(...hints);
	}
}
