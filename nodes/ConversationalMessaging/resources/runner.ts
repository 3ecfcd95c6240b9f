import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Connection } from '../api/connection';
import { connect } from '../api/connection';
import { MAX_IN_FLIGHT } from '../api/gate';
import { inParallel } from '../api/parallel';
import { throwIfStopped } from '../api/send';
import { Parameters } from '../fields/parameters';
import type { Resource } from './operation';
import type { Job } from './perform';
import { prepare } from './perform';

/** What became of one input item. */
type Result = { rows: IDataObject[] } | { error: NodeApiError | NodeOperationError };

/**
 * Runs the chosen operation for every input item: parameters read per item, several items at once, results in
 * input order and paired with their items.
 *
 * All parameters are read before anything is sent, so that a value that cannot be used stops the run while it is
 * still whole, unless the node is set to continue.
 *
 * @throws NodeApiError, NodeOperationError the first item's, unless the node continues on fail
 */
export async function run(
	context: IExecuteFunctions,
	resources: Resource[],
): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const notices = new Notices(context);
	const results: Result[] = new Array<Result>(items.length);
	const connection = await connect(context, notices).catch((error: unknown) => {
		// Thrown past a node that continues, n8n would hand the input on as if all had gone well.
		results.fill({ error: asNodeError(context, error, 0) });
		return undefined;
	});
	if (connection) {
		const jobs = prepareAll(context, resources, results);
		if (!context.continueOnFail()) throwFirst(results, 0);
		await runJobs(connection, jobs, results, context);
		throwIfStopped(connection);
	}
	if (!context.continueOnFail()) throwFirst(results, items.length);
	notices.show();
	return [results.flatMap((result, index) => outputItems(context, result, index))];
}

function prepareAll(
	context: IExecuteFunctions,
	resources: Resource[],
	results: Result[],
): (Job | undefined)[] {
	return context.getInputData().map((_item, index) => {
		try {
			return prepare(operationFor(context, resources, index), new Parameters(context, index));
		} catch (error) {
			results[index] = { error: asNodeError(context, error, index) };
			return undefined;
		}
	});
}

function operationFor(context: IExecuteFunctions, resources: Resource[], index: number) {
	const resource = String(context.getNodeParameter('resource', index));
	const operation = String(context.getNodeParameter('operation', index));
	const found = resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
	if (found) return found;
	const message = `This node has no operation "${operation}" of a resource "${resource}"`;
	throw new NodeOperationError(context.getNode(), message, {
		description: 'Choose both from their lists.',
		itemIndex: index,
	});
}

/** Items in lanes: one lane per subject, in input order within the lane, several lanes at once. */
async function runJobs(
	connection: Connection,
	jobs: (Job | undefined)[],
	results: Result[],
	context: IExecuteFunctions,
): Promise<void> {
	const lanes = new Map<string, number[]>();
	jobs.forEach((job, index) => {
		if (!job) return;
		const lane = job.subject === undefined ? `item ${index}` : `subject ${job.subject}`;
		const others = lanes.get(lane);
		if (others) others.push(index);
		else lanes.set(lane, [index]);
	});
	const shared = new Map<string, Promise<IDataObject[]>>();
	let failed = false;
	await inParallel([...lanes.values()], MAX_IN_FLIGHT, async (lane) => {
		for (const index of lane) {
			if (connection.signal?.aborted || (failed && !context.continueOnFail())) return;
			const result = await runJob(connection, jobs[index] as Job, shared, context, index);
			results[index] = result;
			if ('error' in result) failed = true;
		}
	});
}

async function runJob(
	connection: Connection,
	job: Job,
	shared: Map<string, Promise<IDataObject[]>>,
	context: IExecuteFunctions,
	index: number,
): Promise<Result> {
	try {
		if (job.sameAs === undefined) return { rows: await job.run(connection) };
		const known = shared.get(job.sameAs) ?? job.run(connection);
		shared.set(job.sameAs, known);
		return { rows: await known };
	} catch (error) {
		return { error: asNodeError(context, error, index) };
	}
}

/** @param sent how many items there were when something had been sent; 0 before that */
function throwFirst(results: Result[], sent: number): void {
	const failure = results.find((result) => result && 'error' in result);
	if (!failure || !('error' in failure)) return;
	const done = results.filter((result) => result && 'rows' in result).length;
	if (sent > 1 && done > 0) {
		const progress = `${done} of ${sent} items had been carried out by then; running the node again repeats them.`;
		failure.error.description = [failure.error.description, progress].filter(Boolean).join(' ');
	}
	throw failure.error;
}

function asNodeError(
	context: IExecuteFunctions,
	error: unknown,
	index: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		// Set before anything wraps it: wrapping a NodeApiError returns the same one and ignores the item.
		error.context.itemIndex ??= index;
		return error;
	}
	return new NodeOperationError(context.getNode(), error as Error, { itemIndex: index });
}

function outputItems(
	context: IExecuteFunctions,
	result: Result,
	index: number,
): INodeExecutionData[] {
	const pairedItem = { item: index };
	if ('rows' in result) return result.rows.map((row) => ({ json: { ...row }, pairedItem }));
	const { error } = result;
	const text = [error.message, error.description]
		.filter(Boolean)
		.join('. ')
		.replace(/\.\. /g, '. ');
	// With Retry On Fail, n8n runs the whole node again when the first item has a key `error`, and so repeats the
	// writes of all others. An error beside the json is put there by n8n afterwards.
	if (context.getNode().retryOnFail) return [{ json: {}, error, pairedItem }];
	return [{ json: { error: text }, pairedItem }];
}

/** What a person should know without it being a refusal: in the log at once, and in the editor at the end. */
class Notices {
	private readonly messages = new Set<string>();

	private longestWait = 0;

	constructor(private readonly context: IExecuteFunctions) {}

	notify = (message: string): void => {
		this.context.logger.info(message);
		this.messages.add(message);
	};

	waited = (seconds: number): void => {
		this.context.logger.info(`Waited ${seconds} s for the rate limit of the service`);
		this.longestWait = Math.max(this.longestWait, seconds);
	};

	show(): void {
		if (this.longestWait > 0) {
			this.messages.add(
				`The rate limit of the service made this run wait, up to ${this.longestWait} s at a time`,
			);
		}
		const hints = [...this.messages].map((message) => ({
			message,
			location: 'outputPane' as const,
		}));
		if (hints.length > 0) this.context.addExecutionHints?.(...hints);
	}
}
